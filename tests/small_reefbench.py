"""A small ReEfBench recipe, for tests that build often, and golden trees as they are drawn."""

from __future__ import annotations

from typing import Any

from rb_build import recipe as recipes
from rb_build.reefbench.names import names
from rb_build.reefbench.trees import Tree, grow
from rb_build.streams import Stream

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


def reefbench_recipe(**changed: Any) -> recipes.Recipe:
    """The small recipe, read. ``changed``: entries to replace."""
    return recipes.parse(small_reefbench(**changed), "small")


def drawn(level: int, path: object = 0, pool: list[str] | None = None) -> Tree:
    """A tree of a stream. ``pool``: names to use in order, instead of the builder's shuffled."""
    stream = Stream(f"test/tree/{level}/{path}")
    return grow(stream, level, iter(pool or stream.shuffled(names())))
