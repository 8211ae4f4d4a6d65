"""A small recipe of told stories, as a deterministic teller tells them: no model, every kind of attempt, two themes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rb_build import recipe as recipes
from rb_build import twosat
from rb_verify import canonical, themes
from small_twosat import FAMILIES, cell, small_twosat

DATES = ["2026-11-29", "2026-11-30"]
OPENINGS = (
    "Over the embers somebody let it slip that {said}.",
    "A torn page in the margin read: {said}.",
    "“Mark my words”, the old hand muttered, “{said}”.",
)
_FORMULA = (
    *("base_id", "block", "clauses", "config", "family", "formula", "params", "perturbation", "planted", "satisfiable"),
    *("signature", "variables", "variant"),
)


def paragraph(told: tuple[themes.Entity, ...], clause: list[int], number: int) -> str:
    """A clause as the fake teller puts it."""
    said = " or that ".join(themes.statement(told, literal) for literal in clause)
    return OPENINGS[number % len(OPENINGS)].format(said=said if len(clause) == 1 else f"{said}, if not both")


def story(formula: dict[str, Any], theme: str) -> dict[str, Any]:
    """A story of a formula. Of 20 clauses one is told at the second attempt, one at the third, and one by the fallback."""
    told = themes.entities(theme, formula["variables"])
    attempts = [{7: 2, 13: 3, 19: 0}.get(number % 20, 1) for number in range(len(formula["clauses"]))]
    texts = [
        paragraph(told, clause, number) if attempt else themes.sentence(told, clause)
        for number, (clause, attempt) in enumerate(zip(formula["clauses"], attempts, strict=True))
    ]
    names = ", ".join(entity.name for entity in told)
    return {
        "attempts": attempts,
        "formula": formula["formula"],
        "introduction": f"It was {themes.THEMES[theme].setting}, and here they all were: {names}.",
        "paragraphs": texts,
        "theme": theme,
    }


@lru_cache
def _formulas() -> tuple[dict[str, Any], ...]:
    """Two formulas of each family, one of each family shuffled, and the satisfiable twins of the cycles."""
    cells = [cell(family, 20, "rows", formulas=2) for family in FAMILIES]
    cells += [cell(family, 20, "rows", formulas=2, perturbation={"kind": "shuffled"}) for family in FAMILIES]
    cells.append(cell("ImplicationCycle", 20, "rows", formulas=2, perturbation={"kind": "twin"}))
    data = small_twosat(params={"cells": cells, "schemes": ["logic"]}, configs={"default": {"test": ["rows"]}})
    built = twosat.build(recipes.parse(data, "the base of the stories"), map)
    return tuple({name: row[name] for name in _FORMULA} for row in built.files["rows"])


def small_stories(**changed: Any) -> dict[str, Any]:
    """A recipe of 18 formulas in two themes and two templates, as JSON. ``changed``: entries to replace."""
    formulas = list(_formulas())
    return {
        "canary": "small test canary 00000000-0000-4000-8000-000000000004",
        "configs": {
            "default": {"test": ["stories"]},
            "paired": {"test": ["stories", "templates"]},
            "templates": {"test": ["templates"]},
        },
        "dataset": "stories",
        "params": {
            "base": {"content_digest": canonical.digest(b"base"), "dataset": "twosat", "version": "0.1.0"},
            "formulas": formulas,
            "stories": [story(formula, theme) for formula in formulas for theme in ("spy", "detective")],
            "teller": {
                "asked": DATES,
                "endpoint": "chat completions, local",
                "model": "a fake teller",
                "prompts": canonical.digest(b"prompts"),
            },
            "templates": ["logic", "door"],
        },
        "released": DATES[1],
        "seed": "small",
        "version": "0.1.0",
    } | changed
