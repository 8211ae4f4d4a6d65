"""A small ReEfBench recipe, for tests that build often."""

from __future__ import annotations

from typing import Any

LEVELS = (3, 4, 5)


def tier(name: str, level: int, items: int = 4, **changed: Any) -> dict[str, Any]:
    """A recipe's tier. ``changed``: entries to replace."""
    return {"name": name, "level": level, "items": items, "main": "dev", "contrast": "dev"} | changed


def small_reefbench(**changed: Any) -> dict[str, Any]:
    """A recipe of four pairs a level, as JSON. ``changed``: entries to replace."""
    main, contrast = ([f"{config}{level:02d}" for level in LEVELS] for config in ("main", "contrast"))
    levels = {f"level_{level:02d}": {"test": [f"main{level:02d}", f"contrast{level:02d}"]} for level in LEVELS}
    tiers = [tier(f"l{level:02d}", level, main=f"main{level:02d}", contrast=f"contrast{level:02d}") for level in LEVELS]
    return {
        "canary": "small test canary 00000000-0000-4000-8000-000000000002",
        "configs": {
            "default": {"test": [*main, *contrast], "dev": ["dev"]},
            "main": {"test": main},
            "contrast": {"test": contrast},
            **levels,
        },
        "dataset": "reefbench",
        "params": {"tiers": [*tiers, tier("dev04", 4)]},
        "released": "2026-11-30",
        "seed": "small",
        "version": "0.1.0",
    } | changed
