"""Recipes of fresh splits: a frozen recipe with another seed, and with every structure of published releases excluded.

A fresh split's version is that of its recipe with a mark, eight digits of the seed's digest; so all its row ids have it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rb_build import frozen, recipe
from rb_build.errors import UnusableRecipe
from rb_build.recipe import Recipe
from rb_verify import canonical
from rb_verify.release import read_manifest


def fresh(name: str, seed: str, exclude: Sequence[str], overlap: str) -> Recipe:
    """The recipe of a fresh split.

    ``name``: a dataset, whose newest frozen version is meant, or NAME@VERSION. ``seed``: any text. ``exclude``: releases,
    as folders or NAME@VERSION, whose structures must not occur, besides those of all frozen releases of the dataset.
    ``overlap``: ``forbid`` or ``instance`` (recipe.schema.json). Raises UnusableRecipe.
    """
    base = recipe.read(_lock(name) / "recipe.json")
    marked = version(base.version, seed)
    excluded = {}
    for folder in [*frozen.versions(base.dataset), *map(_folder, exclude)]:
        manifest = read_manifest(folder)
        if manifest["dataset"] != base.dataset:
            raise UnusableRecipe(f"{folder}: is of {manifest['dataset']}, which has no structure in common; do not exclude it")
        if "blind" in manifest:
            raise UnusableRecipe(f"{folder}: is blind and tells no structures; exclude it once its seed is opened")
        signatures = {name for notes in manifest["structures"].values() for name in notes["signatures"]}
        excluded[f"{base.dataset}@{manifest['version']}"] = sorted(signatures)
    changed = {"excluded": excluded, "overlap": overlap, "seed": seed, "version": marked}
    return recipe.parse(json.loads(base.source) | changed, f"{name} with a new seed")


def version(base: str, seed: str) -> str:
    """The version of a fresh split. ``base``: that of its recipe, or of another fresh split of it. Raises UnusableRecipe."""
    try:
        mark = canonical.digest(seed.encode())[:8]
    except UnicodeEncodeError:
        raise UnusableRecipe("the seed is not Unicode text; give another one") from None
    return f"{base.partition('-')[0]}-f{mark}"


def rows(name: str) -> int:
    """How many rows a fresh split has: as many as the frozen release whose recipe it has. Raises UnusableRecipe."""
    return sum(entry.get("rows", 0) for entry in read_manifest(_lock(name))["files"].values())


def _lock(name: str) -> Path:
    """The folder of the frozen release that ``name`` means."""
    if "@" in name:
        return frozen.lock(name)
    found = [folder for folder in frozen.versions(name) if "-" not in folder.name]
    if not found:
        raise UnusableRecipe(f"{name}: no release of that name is frozen; name one like tracebench or tracebench@1.0.0")
    return found[-1]


def _folder(name: str) -> Path:
    return Path(name) if Path(name).is_dir() else frozen.lock(name)
