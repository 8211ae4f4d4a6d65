"""A small recipe with every kind of tier, for tests that build often."""

from __future__ import annotations

from typing import Any

from rb_verify.allen import SYMBOLS


def small(**changed: Any) -> dict[str, Any]:
    """A recipe of a few graphs a level, as JSON. ``changed``: entries to replace."""
    tiers = [
        {"config": "d010", "difficulty": 10, "density": 0.5, "tolerance": 0.25, "graphs": 6, "questions": 30, "min_proof": 1},
        *(
            {
                "config": f"d{d:03d}",
                "difficulty": d,
                "density": 0.5,
                "tolerance": 0.1,
                "graphs": 3,
                "questions": 15,
                "min_proof": 1,
            }
            for d in (45, 80, 115)
        ),
        {"config": "deep", "difficulty": 80, "density": 0.2, "tolerance": 0.1, "graphs": 3, "questions": 10, "min_proof": 2},
        {"config": "dev", "difficulty": 45, "density": 0.5, "tolerance": 0.1, "graphs": 2, "questions": 6, "min_proof": 1},
    ]
    return {
        "canary": "small test canary 00000000-0000-4000-8000-000000000000",
        "configs": {
            "default": {"test": ["d010", "d045", "d080", "d115"], "dev": ["dev"]},
            "deep": {"test": ["deep"]},
        },
        "dataset": "tracebench",
        "params": {
            "alpha": 1.75,
            "relations": list(SYMBOLS),
            "sigma": 0.5,
            "slack": 1,
            "swaps": 100,
            "tiers": tiers,
        },
        "released": "2026-11-30",
        "seed": "small",
        "version": "0.1.0",
    } | changed
