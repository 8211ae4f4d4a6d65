"""Fresh splits of any size: shards, each a fresh release in its own right, with a digest over all of them.

Shard k is made with the seed SEED/shard-0000k, so it can be rebuilt, checked, published and scored alone; its version's mark
is its own, so no row id comes twice. In the split's folder ``split.recipe.json``, the plan, is written first, then a folder for
each shard, which appears whole by one rename, and ``split.json`` last: a split without it is not whole. Begun again, a split
keeps the shards that are right. In memory are a shard for each worker, and 8 bytes of the signature of every structure.

Small structures are few, so some come in several shards: ``split.json`` tells how many.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from rb_build import fresh, recipe, release, resources
from rb_build.errors import UnusableRecipe
from rb_build.recipe import Map, Recipe
from rb_build.release import PACKAGES, Compiled
from rb_verify import canonical, executors
from rb_verify.datasets import release_of
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.files import written
from rb_verify.release import read_file, read_manifest

PLAN, SPLIT = "split.recipe.json", "split.json"

_SHARD = re.compile(r"shard-[0-9]{5}")
_STRAY = re.compile(r"\.(shard-[0-9]{5}|split(\.recipe)?\.json)\..*\.tmp")  # what a killed run left half written
_AGAIN = "run the rb-build fresh that made it again"


@dataclass(frozen=True)
class Plan:
    """What is to be made. ``recipe``: of the fresh split as one release; ``shards``: how many such are made instead."""

    recipe: Recipe
    shards: int

    @cached_property
    def source(self) -> bytes:
        """The plan as canonical JSON."""
        return canonical.pretty({"recipe": json.loads(self.recipe.source), "shards": self.shards})

    @cached_property
    def versions(self) -> dict[str, str]:
        """Each shard's version, by its folder's name. Raises UnusableRecipe where two shards get one version."""
        made: dict[str, str] = {}
        folder_of: dict[str, str] = {}
        for name in (f"shard-{number:05d}" for number in range(self.shards)):
            made[name] = fresh.version(self.recipe.version, self.seed(name))
            if (other := folder_of.setdefault(made[name], name)) != name:
                raise UnusableRecipe(f"{other} and {name} of this seed get one version, {made[name]}; take another seed")
        return made

    def seed(self, name: str) -> str:
        """The seed of a shard, by its folder's name."""
        return f"{self.recipe.seed}/{name}"

    def shard(self, name: str) -> Recipe:
        """The recipe of a shard, by its folder's name: that of the split, but for seed and version."""
        changed = {"seed": self.seed(name), "version": self.versions[name]}
        return recipe.trusted(json.loads(self.recipe.source) | changed)


class Shard(NamedTuple):
    """What ``split.json`` tells of a shard."""

    version: str
    rows: int
    content_digest: str
    manifest_sha256: str


@dataclass
class Structures:
    """Counts structures, by the first 8 bytes of their signatures: how many there are, and how many in several shards."""

    seen: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)

    def add(self, some: set[int]) -> None:
        """Count those of one shard."""
        self.repeated |= self.seen & some
        self.seen |= some


def plan(name: str, seed: str, exclude: list[str], overlap: str, shards: int | None, rows: int | None) -> Plan:
    """The plan of a fresh split: with so many ``shards``, or as many as give at least so many ``rows``.

    The rest as of ``fresh.fresh``. Raises UnusableRecipe, also unless one of the two is given.
    """
    if (shards is None) == (rows is None):
        raise UnusableRecipe("a split has so many --shards, or as many as give so many --rows; name one of the two")
    number = shards if rows is None else -(-rows // fresh.rows(name))
    data = {"recipe": json.loads(fresh.fresh(name, seed, exclude, overlap).source), "shards": number}
    return _plan(data, f"{name} in shards")


def _plan(data: Any, where: str) -> Plan:
    """A plan from its JSON value. Raises UnusableRecipe."""
    _check(data, resources.schema("split")["$defs"]["plan"], where)
    its = recipe.parse(data["recipe"], where)
    longest = resources.schema("split")["properties"]["seed"]["maxLength"]
    if len(its.seed) > longest:
        raise UnusableRecipe(f"{where}: the seed has {len(its.seed)} characters, and at most {longest} may; take a shorter one")
    return Plan(its, data["shards"])


def _check(value: Any, schema: dict[str, Any], where: str) -> None:
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(schema).iter_errors(value):
        raise UnusableRecipe(f"{where}: {error.json_path}: {error.message[:300]}; correct it there")


def build(
    target: Path, plan: Plan, executor: Executor | None = None, advance: Callable[[int], None] = lambda number: None
) -> dict[str, Any]:
    """Write a split into its folder; what its split.json says. Shards of it that are there already, and right, are kept.

    ``executor``: builds whole shards, and this process writes them; the bytes do not depend on it. ``advance``: is called
    with how many more shards are done. Raises UnusableRecipe, also if the folder is of something else or in use.
    """
    names = list(plan.versions)  # may refuse: before anything is written
    try:
        target.mkdir(parents=True, exist_ok=True)
        with _alone(target):
            _begin(target, plan)
            shards, structures = {}, Structures()
            for name in names:
                if (kept := _kept(target / name, plan.shard(name))) is not None:
                    shards[name] = kept[0]
                    structures.add(kept[1])
                    advance(1)
            missing = [name for name in names if name not in shards]
            if missing:
                (target / SPLIT).unlink(missing_ok=True)
            for name, made in zip(missing, _made(executor, map(plan.shard, missing)), strict=True):
                if (target / name).exists():
                    shutil.rmtree(target / name)
                release.write(target / name, plan.shard(name), made.compiled)
                shards[name] = _told(made.compiled.manifest)
                structures.add(made.structures)
                advance(1)
            split = _split(plan, [shards[name] for name in names], structures)
            with written(target / SPLIT) as stream:
                stream.write(canonical.pretty(split).decode())
            return split
    except OSError as error:
        raise UnusableRecipe(f"{target}: cannot be written ({error.strerror}); choose another folder") from None


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Keep other runs out of a folder: they would take what this one is writing for what a killed run left."""
    handle = os.open(target, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UnusableRecipe(f"{target}: another run is at work there; let it end first") from None
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)  # worker processes have the handle too
    finally:
        os.close(handle)


def _begin(target: Path, plan: Plan) -> None:
    """Write the plan into a folder without one, and remove what a killed run left half written."""
    there = target / PLAN
    if there.exists():
        if there.read_bytes() != plan.source:
            raise UnusableRecipe(f"{target}: is of another split, {_begun(there)}; repeat its command, or name a new folder")
    elif any(not _STRAY.fullmatch(path.name) for path in target.iterdir()):
        raise UnusableRecipe(f"{target}: exists and is no sharded split; name an empty or new folder with --out")
    for path in target.iterdir():
        if _STRAY.fullmatch(path.name):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    if not there.exists():
        with written(there) as stream:
            stream.write(plan.source.decode())


def _begun(path: Path) -> str:
    """What a plan that is there already is of, in words."""
    try:
        begun = _plan(json.loads(path.read_bytes()), str(path))
    except (UnusableRecipe, ValueError):
        return f"or its {PLAN} is damaged"
    its = begun.recipe
    made = f"{its.dataset} {its.version} of seed {its.seed[:60]!r} in {begun.shards} shards"
    return f"{made}, overlap {its.overlap}, without the structures of {', '.join(its.excluded)}"


def _kept(place: Path, its: Recipe) -> tuple[Shard, set[int]] | None:
    """What is told of a shard that is there, and its structures; None unless it is whole, and every checksum right."""
    if not place.is_dir():
        return None
    try:
        manifest = read_manifest(place)
        files = {path: read_file(place, manifest, path) for path in manifest["files"]}
        there = {path.relative_to(place).as_posix(): path for path in place.rglob("*") if not path.is_dir()}
        documents = release.documents(manifest, its)
        right = (
            (manifest["dataset"], manifest["version"]) == (its.dataset, its.version)
            and files.get("recipe.json") == its.source
            and sorted(there) == release.paths(manifest)
            and all(there[name].read_bytes() == data for name, data in documents.items())
        )
        return (_told(manifest), _structures(files)) if right else None
    except (UnusableInput, ReleaseMismatch, OSError):
        return None  # whatever is wrong with it, it is built again


class _Made(NamedTuple):
    compiled: Compiled
    structures: set[int]


def _made(executor: Executor | None, recipes: Iterable[Recipe]) -> Iterator[_Made]:
    """The shards of recipes, in order: as many at once as the executor has workers, and one that waits for a free one."""
    if executor is None:
        return map(_make, recipes)
    return executors.ordered(executor, _make, recipes, packages=PACKAGES, ahead=executors.capacity(executor) + 1)


def _make(its: Recipe) -> _Made:
    compiled = release.compile_release(its)
    return _Made(compiled, _structures(compiled.files))


def _rows(files: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """The rows of a release's files, one at a time."""
    return (json.loads(line) for path, data in files.items() if path.startswith("data/") for line in data.splitlines())


def _structures(files: Mapping[str, bytes]) -> set[int]:
    return {int(row["signature"][:16], 16) for row in _rows(files)}


def _told(manifest: dict[str, Any]) -> Shard:
    rows = sum(entry.get("rows", 0) for entry in manifest["files"].values())
    return Shard(manifest["version"], rows, manifest["content_digest"], manifest["manifest_sha256"])


def _split(plan: Plan, shards: list[Shard], structures: Structures) -> dict[str, Any]:
    """What split.json says."""
    told = {
        "dataset": plan.recipe.dataset,
        "plan_sha256": canonical.digest(plan.source),
        "rows": sum(shard.rows for shard in shards),
        "seed": plan.recipe.seed,
        "shards": [shard._asdict() for shard in shards],
        "structures": {"distinct": len(structures.seen), "repeated": len(structures.repeated)},
        "version": plan.recipe.version,
    }
    return told | {"split_digest": _digest(told)}


def _digest(split: dict[str, Any]) -> str:
    """The digest that split.json holds of itself: over its canonical JSON without that one entry."""
    return canonical.digest(canonical.dumps({key: value for key, value in split.items() if key != "split_digest"}).encode())


def is_split(folder: Path) -> bool:
    """Whether a folder is of a sharded split, whole or not."""
    return (folder / PLAN).exists() or (folder / SPLIT).exists()


def read(folder: Path) -> tuple[Plan, dict[str, Any]]:
    """The plan of a split, and what its split.json says.

    Raises UnusableInput if the split is not whole, ReleaseMismatch if one of the two is not sound.
    """
    told = _json(folder / SPLIT)
    try:
        _check(told, resources.schema("split"), str(folder / SPLIT))
        if _digest(told) != told["split_digest"]:
            raise ReleaseMismatch(f"{folder / SPLIT}: its own digest does not match; {_AGAIN}")
        found = canonical.digest((folder / PLAN).read_bytes())
        if found != told["plan_sha256"]:
            raise ReleaseMismatch(f"{folder / PLAN}: sha256 is {found}, {SPLIT} says {told['plan_sha256']}; {_AGAIN}")
        return _plan(_json(folder / PLAN), str(folder / PLAN)), told
    except FileNotFoundError:
        raise UnusableInput(f"{folder / PLAN}: is missing; {_AGAIN}") from None
    except (UnusableRecipe, OSError) as error:
        raise ReleaseMismatch(f"{error}; {_AGAIN}") from None


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise UnusableInput(f"{path}: is missing, so the split is not whole; {_AGAIN}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ReleaseMismatch(f"{path}: cannot be read as JSON ({error}); {_AGAIN}") from None


def check(folder: Path, run: Map = map) -> list[str]:
    """Everything that is wrong with a split, a line each: every shard as a release, and what split.json says of them all.

    ``run``: an ordered map. Raises as ``read`` does.
    """
    plan, told = read(folder)
    faults = [
        f"{path}: is no shard of this split; remove it"
        for path in sorted(folder.iterdir())
        if _SHARD.fullmatch(path.name) and path.name not in plan.versions
    ]
    shards, structures = [], Structures()
    for name in plan.versions:
        place = folder / name
        try:
            found = [f"{name}: {fault}" for fault in release.check(place, run)]
            found = found or _proved(place, plan.shard(name), structures)
            shards.append(_told(read_manifest(place)))
        except (UnusableInput, ReleaseMismatch) as error:
            found = [str(error)]
        faults += found
    if faults:
        return faults
    again = _split(plan, shards, structures)
    wrong = [key for key in again if again[key] != told[key] and key != "split_digest"]
    return [f"{folder / SPLIT}: {key} is not that of the shards; {_AGAIN}" for key in wrong]


def _proved(place: Path, its: Recipe, structures: Structures) -> list[str]:
    """What a sound release has that this shard may not; its structures are counted. Raises as ``read_file`` does."""
    manifest = read_manifest(place)
    files = {path: read_file(place, manifest, path) for path in manifest["files"]}
    if files.get("recipe.json") != its.source:
        return [f"{place / 'recipe.json'}: is not the recipe of this shard; {_AGAIN}"]
    if (manifest["dataset"], manifest["version"]) != (its.dataset, its.version):
        return [f"{place / release.MANIFEST}: is of {manifest['dataset']} {manifest['version']}, not {its.version}; {_AGAIN}"]
    structures.add(_structures(files))
    # Within a shard, ids are unique, and each shard has a version of its own: so none occurs in two.
    own = its.dataset, its.version
    return [f"{place.name}: row id {row['id']} is of another release" for row in _rows(files) if release_of(row["id"]) != own]
