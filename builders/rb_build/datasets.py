"""The datasets that rb-build builds. A new one is a builder module, its scorer, schema and card, and a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from rb_build import reefbench, stories, tracebench, twosat
from rb_build.recipe import Built, Map, Recipe


class Builder(Protocol):
    """What a builder module provides."""

    def build(self, recipe: Recipe, run: Map) -> Built:
        """All rows of a recipe; a structure that it excludes only where a unit has no others."""

    def prove(self, recipe: Recipe, file: str, rows: Iterable[dict[str, Any]]) -> list[str]:
        """Prove every gold label again; what is wrong, a line each."""


BUILDERS: dict[str, Builder] = {"reefbench": reefbench, "stories": stories, "tracebench": tracebench, "twosat": twosat}

NOTED: dict[str, Callable[[Recipe], dict[str, Any]]] = {"stories": stories.notes}
"""Of the datasets whose notes the recipe alone gives, how, so that those of a release can be checked."""
