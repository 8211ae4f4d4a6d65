"""A report as an entry of ``.eval_results/*.yaml``, by which the Hub shows a model's scores on its page and a leaderboard.

Only what release and report say gets in: the dataset's name and tag, the score, and how it came about. Nothing of the
submission does.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rb_verify.datasets import SCORERS
from rb_verify.errors import UnusableInput
from rb_verify.hub import tag
from rb_verify.report import Report
from rb_verify.tally import number, percent

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

_HUB_NAME = re.compile(r"(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)@(?P<tag>[\w.-]+)", re.ASCII)
_CLIENT = "huggingface_hub>=1.4"  # the first with these helpers


def origin(release: str | None) -> tuple[str, str]:
    """Repository and tag that ``--release`` names. Raises UnusableInput unless it names both, on the Hub."""
    named = _HUB_NAME.fullmatch(release or "")
    if named is None or os.path.isdir(named[0]):  # a folder of that name is what would be scored
        raise UnusableInput(
            f"{release or 'no --release'}: an entry for the Hub names the dataset there; score with --release ORG/NAME@TAG"
        )
    return named["repo"], named["tag"]


def entries(report: Report, repo: str, revision: str, commit: str, date: str) -> list[EvalResultEntry]:
    """The entries of a report, one.

    ``repo``: the dataset's org/name on the Hub, from where the release came. ``revision``: its tag, "v" and the version;
    ``commit``: where that was, in 40 hex digits, since a tag can be moved. ``date``: of the scoring, in ISO 8601. Raises
    UnusableInput for a partial report, which is comparable with no other, for another tag, and where huggingface_hub is
    missing or too old.
    """
    try:
        from huggingface_hub import EvalResultEntry
    except ImportError:
        raise UnusableInput(f"an entry for the Hub needs {_CLIENT}; pip install 'rb-verify[hub]' '{_CLIENT}'") from None
    data = report.data
    if data["partial"]:
        raise UnusableInput("a partial score cannot be compared with others; score every row, without --partial")
    if revision != tag(data["version"]):
        raise UnusableInput(f"{repo}@{revision}: holds version {data['version']}; name its tag {tag(data['version'])}")
    return [
        EvalResultEntry(
            dataset_id=repo,
            task_id=f"{data['dataset']}_{data['config']}",
            value=round(100 * data["score"], 2),
            dataset_revision=commit,
            date=date,
            notes=_notes(report, revision),
        )
    ]


def _notes(report: Report, revision: str) -> str:
    """How the score came about, in one line."""
    data = report.data
    score, accuracy = data["rates"]["score"], data["rates"]["accuracy"]
    return "; ".join(
        [
            f"{_headline(report)}, per cent",
            f"n {int(score['n'])}",
            f"95 % interval {number(score['interval'])}",
            f"answer accuracy {percent(accuracy)}",
            f"tag {revision}",
            data["standing"],
            report.signature,
        ]
    )


def _headline(report: Report) -> str:
    """What the score is the share of. A config in which no two rows make a pair is scored by the answers alone."""
    name = SCORERS[report.data["dataset"]].HEADLINE
    has_pairs = report.data["rates"]["score"]["n"] * report.data["samples"] < report.data["n"]
    return "accuracy" if name == "pairs" and not has_pairs else name


def dump(report: Report, repo: str, revision: str, commit: str, date: str) -> str:
    """The entries as YAML: the text of a file in ``.eval_results`` of the model's repository. Arguments: as ``entries``."""
    found = entries(report, repo, revision, commit, date)
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    return str(yaml.safe_dump(eval_result_entries_to_yaml(found), sort_keys=False, allow_unicode=True, width=10_000))
