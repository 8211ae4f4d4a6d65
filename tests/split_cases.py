"""A small fresh split and a small blind one, for tests of what is said of them."""

from __future__ import annotations

from typing import Any

from rb_build import recipe as recipes
from rb_build.blind import DATA, again
from rb_build.card import BLIND
from rb_build.recipe import Recipe
from rb_build.release import Compiled

MARK = "fabcdef12"
COMMITMENT = "0123456789abcdef" * 4


def fresh_recipe(data: dict[str, Any], *excluded: str) -> Recipe:
    """The recipe of a fresh split, from another recipe's JSON. ``excluded``: signatures of its excluded release."""
    told = {"excluded": {f"{data['dataset']}@0.1.0": sorted(excluded)}, "overlap": "instance", "seed": "fresh"}
    return recipes.parse(data | told | {"version": f"0.1.0-{MARK}"}, "fresh")


def blind_of(dataset: str, field: str, config: str = "default") -> Compiled:
    """A blind split of two rows. ``field``: what rows tell beside id and prompt."""
    value = 45 if field == "level" else "main"
    rows = [{field: value, "id": f"{dataset}-0-1-0-{MARK}-{place}", "prompt": f"Größe {place}?"} for place in range(2)]
    told = {
        "blind": {"commitment": COMMITMENT, "field": field},
        "canary": "small test canary 00000000-0000-4000-8000-000000000000",
        "configs": {config: {"test": [DATA]}},
        "dataset": dataset,
        "released": "2026-11-30",
        "version": f"0.1.0-{MARK}{BLIND}",
    }
    return again(told, {DATA: rows})
