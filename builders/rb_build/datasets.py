"""The datasets that rb-build builds: those of ``rb_verify.datasets``, each by the module of its name here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, cast

from rb_build.recipe import Built, Map, Recipe
from rb_verify.datasets import DATASETS


class Builder(Protocol):
    """What a builder module provides. Where the recipe alone gives the notes, also ``notes(recipe)``, which ``NOTED`` has."""

    def build(self, recipe: Recipe, run: Map) -> Built:
        """All rows of a recipe; a structure that it excludes only where a unit has no others."""

    def prove(self, recipe: Recipe, file: str, rows: Iterable[dict[str, Any]]) -> list[str]:
        """Prove every gold label again; what is wrong, a line each."""


# A newer rb-verify may score datasets that this rb-build does not know: those are left out.
BUILDERS: dict[str, Builder] = {
    name: cast(Builder, import_module(f"rb_build.{name}")) for name in DATASETS if find_spec(f"rb_build.{name}")
}

NOTED: dict[str, Callable[[Recipe], dict[str, Any]]] = {
    name: vars(builder)["notes"] for name, builder in BUILDERS.items() if "notes" in vars(builder)
}
"""Of the datasets whose notes the recipe alone gives, how, so that those of a release can be checked."""
