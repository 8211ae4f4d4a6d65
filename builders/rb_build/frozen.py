"""Find what is frozen: the folders NAME/VERSION with recipe and manifest, in $RB_RELEASES or ./releases, and in the wheel."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rb_build import resources
from rb_build.errors import UnusableRecipe

_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(-f[0-9a-f]{8})?")
_NAME = re.compile(rf"([a-z][a-z0-9]*)@({_VERSION.pattern})")


def home() -> Path:
    """Where releases are frozen and built: $RB_RELEASES, else ./releases."""
    return Path(os.environ.get("RB_RELEASES", "releases"))


def lock(name: str) -> Path:
    """The folder of a frozen release, by NAME@VERSION. Raises UnusableRecipe, naming where it was looked for."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise UnusableRecipe(f"{name}: is no NAME@VERSION; write it like tracebench@1.0.0")
    places = [place / match[1] / match[2] for place in _places()]
    for place in places:
        if os.path.isfile(place / "manifest.json"):
            return place
    raise UnusableRecipe(f"{name}: is frozen neither in {places[0]} nor in {places[1]}; freeze it, or name a recipe file")


def versions(dataset: str) -> list[Path]:
    """The folders of all frozen releases of a dataset, and of fresh splits kept with them; the newest version last.

    A fresh split comes before the version of its recipe. Blind ones, which tell no structures, are left out.
    """
    manifests = (path for place in reversed(_places()) for path in place.glob(f"{dataset}/*/manifest.json"))
    found = {path.parent.name: path.parent for path in manifests if _VERSION.fullmatch(path.parent.name)}
    return [found[version] for version in sorted(found, key=lambda version: (order(version), version))]


def order(version: str) -> tuple[tuple[int, ...], bool]:
    """By what versions are compared: their three numbers, then whether they have no mark of a fresh split."""
    numbers, _, mark = version.partition("-")
    return tuple(map(int, numbers.split("."))), not mark


def _places() -> list[Path]:
    return [home(), resources.path("releases")]
