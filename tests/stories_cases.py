"""Rows of stories: one of any clauses, and those of the small recipe."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from rb_build import recipe as recipes
from rb_build import stories as builder
from rb_build.stories.prompt import prompt
from rb_verify import themes
from small_stories import small_stories

Row = dict[str, Any]


def row_of(clauses: Sequence[Sequence[int]], theme: str = "detective", variables: int = 3) -> Row:
    """A row of a story whose paragraphs quote the fallback sentences."""
    told = themes.entities(theme, variables)
    paragraphs = [f"They say: {themes.sentence(told, clause)}" for clause in clauses]
    models = [
        values
        for values in (product((True, False), repeat=variables) if variables < 9 else ())
        if all(any(values[abs(i) - 1] == (i > 0) for i in clause) for clause in clauses)
    ]
    return {
        "base_id": "stories-1-0-0-ic004-f0",
        "clauses": [list(clause) for clause in clauses],
        "entities": [entity.name for entity in told],
        "family": "ImplicationCycle",
        "id": f"stories-1-0-0-ic004-f0-{theme}",
        "params": {"clauses": len(clauses), "split": 0.5},
        "perturbation": "none",
        "prompt": prompt("It was late.", paragraphs, told),
        "satisfiable": bool(models),
        "scheme": theme,
        "told": {"attempts": [1] * len(clauses), "introduction": "It was late.", "paragraphs": paragraphs},
        "values": [[entity.true, entity.false] for entity in told],
        "variables": variables,
        "variant": "",
    }


@lru_cache
def built() -> dict[str, list[Row]]:
    """The rows of the small recipe, by file."""
    return builder.build(recipes.parse(small_stories(), "small"), map).files
