"""The items of a recipe of ReEfBench: how many of which level, what ids and files they have, and what both rows share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rb_build.errors import UnusableRecipe
from rb_build.recipe import Recipe
from rb_build.reefbench.trees import Tree
from rb_verify.reefbench import TRUE, UNKNOWN
from rb_verify.reefbench_report import CONTRAST, MAIN
from rb_verify.statements import Statement

CONFIGS = (MAIN, CONTRAST)
ANSWERS = {MAIN: TRUE, CONTRAST: UNKNOWN}


@dataclass(frozen=True)
class Tier:
    """Items of one level. ``path``: the root of their streams; ``prefix``: of their row ids; ``files``: config to file."""

    level: int
    items: int
    files: Mapping[str, str]
    path: str
    prefix: str
    canary: str


@dataclass(frozen=True)
class Item:
    """A golden tree, and its signature, to make a pair of rows from. ``spare``: names that it does not use, as drawn."""

    tier: Tier
    index: int
    tree: Tree
    signature: str
    spare: tuple[str, ...]

    @property
    def name(self) -> str:
        """What streams and ids call it in its tier: ``i042``."""
        return item_name(self.index)


def item_name(index: int) -> str:
    """The name of a tier's item."""
    return f"i{index:03d}"


def tiers(recipe: Recipe) -> list[Tier]:
    """The tiers of a recipe, whose form schemas/reefbench.schema.json has checked. Raises UnusableRecipe."""
    path = f"{recipe.dataset}/{recipe.version}/{recipe.seed}"
    found = {}
    for given in recipe.params["tiers"]:
        name = given["name"]
        if name in found:
            raise UnusableRecipe(f"tier {name} is named twice; give each tier a name of its own")
        files = {config: given[config] for config in CONFIGS}
        found[name] = Tier(given["level"], given["items"], files, f"{path}/{name}", f"{recipe.prefix}-{name}", recipe.canary)
    if unwanted := {file for tier in found.values() for file in tier.files.values()} ^ recipe.files:
        raise UnusableRecipe(f"configs and tiers name different files ({', '.join(sorted(unwanted))}); make them agree")
    return list(found.values())


def vocabulary(statements: Iterable[Statement]) -> list[str]:
    """All names, in the order in which the prompt has them."""
    return list(dict.fromkeys(name for subject, (_, parts) in statements for name in (subject, *parts)))
