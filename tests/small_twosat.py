"""A small 2-SAT recipe with every family and perturbation, for tests that build often."""

from __future__ import annotations

from typing import Any

FAMILIES = {
    "ImplicationCycle": ("split",),
    "EquivalenceCore": ("ratio",),
    "Backbone": ("beta", "density", "polarity"),
    "MonoBridge": ("density", "positive", "position"),
}
PERTURBATIONS: list[dict[str, Any]] = [
    {"kind": "none"},
    {"kind": "shuffled"},
    {"kind": "renamed"},
    {"kind": "swapped"},
    *({"kind": "fillers", "added": 6, "layout": layout} for layout in ("appended", "prepended", "interleaved", "shuffled")),
    {"kind": "fillers", "added": 6, "layout": "appended", "share": "3/5"},
    *({"kind": "copies", "copies": copies, "layout": "grouped"} for copies in (2, 3, 4)),
    {"kind": "copies", "copies": 2, "layout": "interleaved"},
    {"kind": "copies", "copies": 2, "layout": "interleaved", "order": "shuffled"},
    {"kind": "copies", "copies": 2, "layout": "grouped", "order": "copywise"},
    {"kind": "copies", "copies": 2, "layout": "grouped", "permuted": True},
    {"kind": "copies", "copies": 2, "layout": "grouped", "trigger": "early"},
    {"kind": "copies", "copies": 2, "layout": "grouped", "trigger": "late"},
]


def cell(family: str, clauses: int, file: str, **changed: Any) -> dict[str, Any]:
    """A recipe's group of one cell."""
    group = {"clauses": [clauses], "config": "main", "family": family, "file": file, "formulas": 3, "levels": {}}
    return group | {"perturbation": {"kind": "none"}} | changed


def small_twosat(**changed: Any) -> dict[str, Any]:
    """A recipe of three formulas a cell, as JSON. ``changed``: entries to replace."""
    cells = [cell(family, 12, "rows", perturbation=how) for family in FAMILIES for how in PERTURBATIONS]
    cells.append(cell("ImplicationCycle", 12, "rows", perturbation={"kind": "twin"}))
    levels = ["0", "1/3", "1/2", "2/3", "1"]
    cells += [
        cell(family, 20, "levels", levels=dict.fromkeys(names, levels), config="sweeps") for family, names in FAMILIES.items()
    ]
    return {
        "canary": "small test canary 00000000-0000-4000-8000-000000000001",
        "configs": {"default": {"test": ["rows"]}, "levels": {"test": ["levels"]}},
        "dataset": "twosat",
        "params": {"cells": cells, "schemes": ["logic", "letter", "team", "social", "room", "door"]},
        "released": "2026-11-30",
        "seed": "small",
        "version": "0.1.0",
    } | changed
