"""A folder with small frozen releases of all three datasets, and submissions to them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from commands import freeze
from rb_verify.release import Release, load
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import FAMILIES, cell, small_twosat

DATASETS = ("reefbench", "tracebench", "twosat")


CELLS = [*(cell(family, 12, "rows") for family in FAMILIES), cell("Backbone", 12, "levels")]
FORMULAS = small_twosat(params={"cells": CELLS, "schemes": ["logic", "room"]})


def shelve(folder: Path, formulas: dict[str, Any] = FORMULAS) -> dict[str, Release]:
    """Freeze small recipes as ``releases/NAME/0.1.0`` in a folder, and load them. ``formulas``: the one of 2-SAT."""
    for recipe in (small(), small_reefbench(), formulas):
        freeze(recipe, folder)
    return {name: load(folder / "releases" / name / "0.1.0") for name in DATASETS}


def answers(release: Release, samples: int = 1, seed: int = 1) -> list[dict[str, Any]]:
    """Predictions for every row, right and wrong ones, several samples each."""
    draw = random.Random(f"{seed}/{release.dataset}")
    attacks = list(release.scorer.attacks(release.rows).values())
    said = []
    for row in release.rows:
        for sample in range(samples):
            response = release.scorer.perfect(row) if draw.random() < 0.5 else draw.choice(attacks)(row)
            said.append({"id": row["id"], "sample": sample, "response": response})
    return said


def put(path: Path, *predictions: dict[str, Any] | str) -> Path:
    """Write predictions, or lines as they are, as JSON Lines."""
    lines = (each if isinstance(each, str) else json.dumps(each) for each in predictions)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path
