"""rb_verify: oracles and scorers of frozen reasoning benchmarks. Verdicts come from solvers, never from a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rb_verify.version import __version__

if TYPE_CHECKING:
    from rb_verify.closure import Closure
    from rb_verify.evaluation import Options, evaluate, evaluate_all, score
    from rb_verify.report import Report
    from rb_verify.verdict import Prediction, Verdict

__all__ = ["Closure", "Options", "Prediction", "Report", "Verdict", "__version__", "evaluate", "evaluate_all", "score"]


def __getattr__(name: str) -> object:
    """Load the public names on first use, so that a cold start pays only for what it uses."""
    from importlib import import_module

    homes = {
        "Closure": "rb_verify.closure",
        "Prediction": "rb_verify.verdict",
        "Verdict": "rb_verify.verdict",
        "Report": "rb_verify.report",
        "Options": "rb_verify.evaluation",
        "evaluate": "rb_verify.evaluation",
        "evaluate_all": "rb_verify.evaluation",
        "score": "rb_verify.evaluation",
    }
    if name in homes:
        return getattr(import_module(homes[name]), name)
    raise AttributeError(f"module 'rb_verify' has no attribute {name!r}")
