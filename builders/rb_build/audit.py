"""Audit a published release: download its tag anew, and compare it with what is frozen and with what its recipe builds."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rb_build import card, release
from rb_build import recipe as recipes
from rb_build.errors import UnusableRecipe
from rb_build.folder import digest_of
from rb_build.frozen import lock
from rb_build.recipe import Map, Recipe
from rb_build.release import MANIFEST
from rb_verify import canonical
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.files import TooLarge, read
from rb_verify.hub import ITS_OWN, download, tag
from rb_verify.release import read_file, read_manifest
from rb_verify.submission import yaml_values

_MAX_DOCUMENT = 2**24  # bytes of a card or of Croissant metadata
_PUBLISHED = re.compile(r"(?P<repo>[^/@\s]+/(?P<dataset>[a-z][a-z0-9]*)(?:-f[0-9a-f]{8})?)@v(?P<version>[0-9][0-9a-z.-]*)")


@dataclass(frozen=True)
class Audit:
    """What an audit found: ``lines`` tell what was seen, ``faults`` what is wrong."""

    lines: tuple[str, ...]
    faults: tuple[str, ...]


def audit(name: str, run: Map) -> Audit:
    """Download a published release anew, and compare it with what is frozen and with what its recipe builds.

    ``name``: ORG/NAME@TAG. A release that is not frozen here, such as a fresh split, is compared with its own manifest
    and recipe. ``run``: an ordered map. Raises UnusableInput if it cannot be downloaded, ReleaseMismatch if it is neither
    frozen nor has a sound manifest of its own.
    """
    match = _PUBLISHED.fullmatch(name)
    if match is None:
        raise UnusableInput(f"{name}: is no published release; name it like org/tracebench@v1.0.0")
    with tempfile.TemporaryDirectory() as cache:
        folder = download(match["repo"], tag(match["version"]), cache)
        lines, faults = _audit(name, f"{match['dataset']}@{match['version']}", folder, run)
        near = [fault.replace(f"{folder}/", "") for fault in faults]
        return Audit((f"{name}: commit {folder.name}", *lines), tuple(near))


def _audit(name: str, identity: str, folder: Path, run: Map) -> tuple[list[str], list[str]]:
    """What was seen of a downloaded release, and what is wrong with it. ``identity``: NAME@VERSION, as its tag says."""
    try:
        place, basis = lock(identity), "the frozen"
    except UnusableRecipe:
        place, basis = folder, "its own"
        if not (folder / MANIFEST).is_file():
            raise UnusableInput(f"{name}: is not frozen here and has no {MANIFEST} of its own; name a release") from None
    try:
        manifest = read_manifest(place)
        source = None if "blind" in manifest else read_file(place, manifest, "recipe.json")
    except ReleaseMismatch as fault:
        return [], [str(fault)]
    faults = _differing(folder, manifest, read(place / MANIFEST))
    lines = [] if faults else [f"every file is as {basis} manifest lists it"]
    if identity != (told := f"{manifest['dataset']}@{manifest['version']}"):
        faults.append(f"{MANIFEST}: is of {told}, the tag of {identity}")
    recipe = None
    if source is None:
        lines.append("blind: it cannot be rebuilt before its seed is revealed")
    else:
        recipe = recipes.parse(json.loads(source), f"{name}: recipe.json")
        if difference := _rebuilt(folder, manifest, recipe, run):
            faults.append(difference)
        else:
            lines.append(f"rebuilt from {basis} recipe: every byte is the same")
    if place == folder:
        documents = tuple(str(folder / path) for path in release.DOCUMENTS)
        lines.append("it is not frozen here, so it was held against itself alone")
        faults += [fault for fault in release.check(folder, run) if not fault.startswith(documents) and fault not in faults]
    noted, wrong = _documents(folder, manifest, recipe)
    if not wrong:
        noted.append("the card's header and Croissant's files and records are as rb-build writes them")
    return lines + noted, faults + wrong


def _differing(folder: Path, manifest: dict[str, Any], listed: bytes) -> list[str]:
    """What is missing, changed or too much in a folder. ``listed``: the manifest's own bytes."""
    faults = []
    expected = {path: entry["sha256"] for path, entry in manifest["files"].items()} | {MANIFEST: canonical.digest(listed)}
    for path, digest in sorted(expected.items()):
        there = digest_of(folder / path)
        if there is None:
            faults.append(f"{path}: is missing")
        elif there != digest:
            faults.append(f"{path}: sha256 is {there}, expected {digest}")
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    extra = sorted(found - {*release.paths(manifest), *ITS_OWN})
    return faults + [f"{path}: is listed in no manifest" for path in extra]


def _rebuilt(folder: Path, manifest: dict[str, Any], recipe: Recipe, run: Map) -> str | None:
    """Where a rebuild first differs from the manifest, or else from the folder; None where it does not."""
    compiled = release.compile_release(recipe, run)
    if difference := release.first_difference(manifest, compiled):
        return f"a rebuild from the recipe is another release: {difference}"
    for path, built in sorted(compiled.files.items()):
        if digest_of(folder / path) != canonical.digest(built):
            there = read(folder / path, 2 * len(built)) if (folder / path).is_file() else b""
            pairs = zip_longest(there.splitlines(), built.splitlines())
            line = next((number for number, (a, b) in enumerate(pairs, 1) if a != b), "end")
            return f"a rebuild from the recipe differs first in {path}, line {line}"
    return None


def _documents(folder: Path, manifest: dict[str, Any], recipe: Recipe | None) -> tuple[list[str], list[str]]:
    """Notes and faults of the files that may be mended. What makes clients read other rows is a fault, prose is none."""
    notes, faults = [], []
    for path, data in release.documents(manifest, recipe).items():
        if not (folder / path).is_file():
            faults.append(f"{path}: is missing")
            continue
        try:
            there = read(folder / path, _MAX_DOCUMENT)
        except TooLarge as error:
            faults.append(f"{path}: is {error.strerror}")
            continue
        ours, theirs = _read_by_clients(path, data), _read_by_clients(path, there)
        differing = sorted(key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key))
        faults += [f"{path}: {key} is not as rb-build writes it, so clients may read other rows" for key in differing]
        if there != data and not differing:
            notes.append(f"{path}: its prose is not as this rb-build writes it, which changes no row")
    return notes, faults


def _read_by_clients(path: str, data: bytes) -> dict[str, Any]:
    """What decides which rows clients read: a card's YAML header, or what Croissant says of files and records."""
    try:
        if path == "README.md":
            return dict(yaml_values(card.parts(data.decode())[0]))
        return {key: json.loads(data).get(key) for key in ("distribution", "recordSet")}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
