"""Recipes: what to build. A recipe and its seed determine every byte of a release."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

from rb_build import resources
from rb_build.errors import UnusableRecipe
from rb_verify import canonical
from rb_verify.files import read as read_bytes

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""An ordered map over independent units of work: ``map``, or the ``map`` of any Executor."""


class Overlap(str, Enum):
    """What a fresh split does where every structure of a unit is excluded: fail, or make new instances of excluded ones."""

    forbid = "forbid"
    instance = "instance"


@dataclass(frozen=True)
class Recipe:
    """A parsed recipe (schemas/recipe.schema.json).

    ``seed``: any text. ``released``: the date, which no row depends on. ``configs``: config to split to the files, by
    name, that it is made of. ``params``: what the dataset's builder takes. ``source``: the recipe as canonical JSON.
    ``excluded``, of a fresh split: release to the signatures of its structures, which must not occur. ``overlap``: an
    ``Overlap``, by its value.
    """

    dataset: str
    version: str
    seed: str
    released: str
    canary: str
    configs: dict[str, dict[str, list[str]]]
    params: dict[str, Any]
    source: bytes
    excluded: dict[str, list[str]] = field(default_factory=dict)
    overlap: str = Overlap.forbid.value

    @cached_property
    def taken(self) -> frozenset[str]:
        """The signatures of all excluded structures."""
        return frozenset(signature for signatures in self.excluded.values() for signature in signatures)

    @property
    def prefix(self) -> str:
        """How every row id begins: ``tracebench-1-0-0``."""
        return f"{self.dataset}-{self.version.replace('.', '-')}"

    @property
    def files(self) -> frozenset[str]:
        """The names of the data files, without folder and ending."""
        return frozenset(name for splits in self.configs.values() for names in splits.values() for name in names)


@dataclass(frozen=True)
class Built:
    """What a builder returns: rows by file name, and notes on the structures of each unit for the manifest."""

    files: dict[str, list[dict[str, Any]]]
    notes: dict[str, Any]


def read(path: Path) -> Recipe:
    """Read and check a recipe. Raises UnusableRecipe, naming the file and the place in it."""
    try:
        data = json.loads(read_bytes(path))
    except OSError as error:
        raise UnusableRecipe(f"{path}: cannot be read ({error.strerror}); name a recipe file") from None
    except (ValueError, RecursionError) as error:
        raise UnusableRecipe(f"{path}: is not JSON ({error}); mend it there") from None
    return parse(data, str(path))


def parse(data: Any, where: str) -> Recipe:
    """A recipe from its JSON value, checked against its schemas. ``where``: named in errors."""
    _check(data, resources.schema("recipe"), where)
    if not resources.path("schemas", f"{data['dataset']}.schema.json").is_file():
        raise UnusableRecipe(f"{where}: no dataset {data['dataset']!r} is known; correct its name")
    _check(data["params"], resources.schema(data["dataset"])["$defs"]["params"], f"{where}: params")
    return trusted(data)


def trusted(data: Any) -> Recipe:
    """A recipe from a JSON value that has been checked before, as frozen ones are. Needs no third-party package.

    Its members are in canonical order, in whatever order they were written: that may decide in which order things are drawn.
    """
    source = canonical.pretty(data)
    return Recipe(**json.loads(source), source=source)


def _check(value: Any, schema: dict[str, Any], where: str) -> None:
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(schema).iter_errors(value):
        raise UnusableRecipe(f"{where}: {error.json_path}: {error.message[:300]}; correct it there")
