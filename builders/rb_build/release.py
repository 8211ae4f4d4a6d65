"""From a recipe to the bytes of a release and its manifest, and back: comparing and checking releases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rb_build import folder, resources
from rb_build.datasets import BUILDERS, NOTED
from rb_build.recipe import Map, Recipe, trusted
from rb_build.structures import overlap_faults, refuse_overlap
from rb_verify import canonical, executors
from rb_verify.datasets import SCORERS
from rb_verify.tally import Entry
from rb_verify.verdict import Outcome, Prediction

T = TypeVar("T")

ROW_DIGEST = 8  # hex digits of each row's digest that the manifest keeps, to name the first row that differs

DOCUMENTS = ("README.md", "croissant.json")  # beside the manifest, not under its digest: they may be mended

MANIFEST = "manifest.json"

_AT_ONCE = 24  # rows a unit of parallel work
_TOGETHER, _AHEAD = 4, 64  # units that go together to a worker; how many such for each wait for one that takes long

PACKAGES = ("rb_build", "rb_verify")  # whose code builds a release


@dataclass(frozen=True)
class Compiled:
    """A release as bytes: ``files`` (path to bytes: data, schemas, recipe) and the ``manifest`` over them."""

    files: dict[str, bytes]
    manifest: dict[str, Any]


@contextmanager
def workers(number: int, address: str | None = None) -> Iterator[Map]:
    """An ordered map over ``number`` processes, or over the cluster at an ``address`` (``executors.executor``)."""
    with executors.executor(number, address, PACKAGES) as pool:
        yield mapped(pool)


def mapped(executor: Executor | None) -> Map:
    """An ordered map over any Executor, which is left open; None is this process."""
    if executor is None:
        return map
    return partial(executors.ordered, executor, packages=PACKAGES, chunk=_TOGETHER, ahead=_AHEAD * executors.capacity(executor))


def compile_release(recipe: Recipe, run: Map = map) -> Compiled:
    """Build a recipe. The bytes depend on the recipe alone, whatever ``run`` (an ordered map) does it.

    Raises UnusableRecipe where a unit cannot be filled, or only with excluded structures while the recipe forbids that.
    """
    built = BUILDERS[recipe.dataset].build(recipe, run)
    refuse_overlap(recipe, built.notes)
    files = contents(recipe, built.files)
    rows = {f"data/{name}.jsonl": some for name, some in built.files.items()}
    return Compiled(files, manifest(recipe, files, rows, built.notes, run))


def contents(recipe: Recipe, rows: dict[str, list[dict[str, Any]]]) -> dict[str, bytes]:
    """The files that a content digest covers: data, schemas and recipe. ``rows``: by data file's name."""
    data = {f"data/{name}.jsonl": canonical.lines(some) for name, some in rows.items()}
    return data | schemas(recipe.dataset) | {"recipe.json": recipe.source}


def schemas(rows: str) -> dict[str, bytes]:
    """The schemas in a release folder. ``rows``: the name of its rows' schema."""
    paths = [f"schemas/{name}.schema.json" for name in (rows, "prediction")]
    return {path: resources.path(path).read_bytes() for path in paths}


def documents(manifest: dict[str, Any], recipe: Recipe | None) -> dict[str, bytes]:
    """The files that a manifest gives: card and Croissant metadata. ``recipe``: None for a blind split."""
    from rb_build import card, croissant

    return {"README.md": card.render(manifest, recipe), "croissant.json": croissant.render(manifest, recipe)}


def write(target: Path, recipe: Recipe | None, compiled: Compiled) -> None:
    """Write a whole release folder. ``recipe``: None for a blind split. Raises UnusableRecipe if the disk refuses."""
    manifest = {MANIFEST: canonical.pretty(compiled.manifest)}
    folder.write(target, compiled.files | documents(compiled.manifest, recipe) | manifest)


def paths(manifest: dict[str, Any]) -> list[str]:
    """Every file of a release folder."""
    return sorted([*manifest["files"], *DOCUMENTS, MANIFEST])


def manifest(
    recipe: Recipe, files: dict[str, bytes], rows: dict[str, list[dict[str, Any]]], structures: dict[str, Any], run: Map = map
) -> dict[str, Any]:
    """The manifest of files. ``rows``: the rows of each data file; ``structures``: the builder's notes."""
    configs = {
        config: {split: [f"data/{name}.jsonl" for name in names] for split, names in splits.items()}
        for config, splits in recipe.configs.items()
    }
    tested = {
        config: [row for path in splits["test"] for row in rows[path]] for config, splits in configs.items() if "test" in splits
    }
    scorer = SCORERS[recipe.dataset]
    told = {
        "balance": {config: dict(sorted(Counter(map(scorer.gold, some)).items())) for config, some in tested.items()},
        "baselines": baselines(recipe.dataset, tested, run),
        "canary": recipe.canary,
        "configs": configs,
        "dataset": recipe.dataset,
        "released": recipe.released,
        "structures": structures,
        "version": recipe.version,
    }
    return with_digests(told, files)


def with_digests(told: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    """A manifest: what is ``told`` in it, with the checksums of ``files``, the digest over them, and its own."""
    entries = {path: _entry(data, path.startswith("data/")) for path, data in files.items()}
    result = told | {
        "content_digest": canonical.content_digest({path: entry["sha256"] for path, entry in entries.items()}),
        "files": entries,
        "schemas": {path: json.loads(data)["$id"] for path, data in files.items() if path.startswith("schemas/")},
    }
    return result | {"manifest_sha256": canonical.manifest_digest(result)}


def _entry(data: bytes, has_rows: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"bytes": len(data), "sha256": canonical.digest(data)}
    if has_rows:
        lines = data.splitlines()
        entry |= {"rows": len(lines), "row_digests": "".join(canonical.digest(line)[:ROW_DIGEST] for line in lines)}
    return entry


def baselines(dataset: str, tested: dict[str, list[dict[str, Any]]], run: Map = map) -> dict[str, dict[str, dict[str, float]]]:
    """What each attack submission scores in each config, by the scorer itself, in the columns that apply to any row.

    ``tested``: config to its rows. A response is judged once, whatever the number of configs and attacks it is of.
    """
    scorer = SCORERS[dataset]
    asked: dict[str, tuple[dict[str, Any], dict[str, str]]] = {}

    def response(row: dict[str, Any], attack: Callable[[dict[str, Any]], str]) -> str:
        _, said = asked.setdefault(row["id"], (row, {}))
        text = attack(row)
        return said.setdefault(text, text)  # one string, in however many configs

    said = {
        config: {name: [(row, response(row, attack)) for row in rows] for name, attack in scorer.attacks(rows).items()}
        for config, rows in tested.items()
    }
    jobs = [(dataset, some) for some in _chunks([(row, list(texts)) for row, texts in asked.values()])]
    judged = {
        (row["id"], text): outcome
        for (_, some), found in zip(jobs, run(_outcomes, jobs), strict=True)
        for (row, texts), outcomes in zip(some, found, strict=True)
        for text, outcome in zip(texts, outcomes, strict=True)
    }

    def rates(rows: list[dict[str, Any]], some: list[tuple[dict[str, Any], str]]) -> dict[str, float]:
        entries = [Entry(row, judged[row["id"], text], 1) for row, text in some]
        sizes = Counter(map(scorer.cluster, rows))
        parts = {c.name: c.parts(entries, scorer.cluster, sizes) for c in scorer.COLUMNS if any(map(c.applies, rows))}
        return {name: round(sum(a for _, a, _ in each) / sum(b for *_, b in each), 6) for name, each in parts.items()}

    return {config: {name: rates(tested[config], some) for name, some in attacks.items()} for config, attacks in said.items()}


def _outcomes(job: tuple[str, list[tuple[dict[str, Any], list[str]]]]) -> list[list[Outcome]]:
    """The outcomes of the responses to each row; those to one row together, so that the scorer reads its gold once."""
    dataset, some = job
    judge = SCORERS[dataset].judge
    return [[judge(row, Prediction(row["id"], text)).outcome for text in texts] for row, texts in some]


def _chunks(items: list[T]) -> Iterator[list[T]]:
    """Units of parallel work."""
    return (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))


def first_difference(frozen: dict[str, Any], compiled: Compiled) -> str | None:
    """Where a rebuilt release first differs from a frozen manifest, in words; None where it does not."""
    if frozen == compiled.manifest:
        return None
    for path in sorted(frozen["files"].keys() | compiled.manifest["files"].keys()):
        old, new = frozen["files"].get(path), compiled.manifest["files"].get(path)
        if old == new:
            continue
        if old is None or new is None:
            return f"{path} is only in the {'rebuilt' if old is None else 'frozen'} release"
        if "rows" in old and "rows" in new:
            return f"{path}: {_first_row(old, new, compiled.files[path])}"
        return f"{path}: sha256 is {new['sha256']}, frozen as {old['sha256']}"
    entry = next(
        key for key in sorted(frozen.keys() | compiled.manifest.keys()) if frozen.get(key) != compiled.manifest.get(key)
    )
    return f"manifest.json: entry {entry!r} differs from the frozen one"


def _first_row(old: dict[str, Any], new: dict[str, Any], data: bytes) -> str:
    lines = data.splitlines()
    for number in range(max(old["rows"], new["rows"])):
        place = slice(number * ROW_DIGEST, (number + 1) * ROW_DIGEST)
        if old["row_digests"][place] != new["row_digests"][place]:
            name = json.loads(lines[number])["id"] if number < len(lines) else "missing now"
            return f"row {number + 1} ({name}) is the first that differs from the frozen release"
    return f"sha256 is {new['sha256']}, frozen as {old['sha256']}"


def check(place: Path, run: Map = map) -> list[str]:
    """Everything that is wrong with a release folder, a line each: checksums, schemas, gold labels, manifest and card.

    ``run``: an ordered map. Raises what ``rb_verify.release.read_manifest`` raises if there is no sound manifest to
    check against.
    """
    from rb_build import blind
    from rb_verify.errors import ReleaseMismatch
    from rb_verify.release import read_file, read_manifest

    frozen = read_manifest(place)
    files, faults = {}, []
    for path in frozen["files"]:
        try:
            files[path] = read_file(place, frozen, path)
        except ReleaseMismatch as fault:
            faults.append(str(fault))
    listed = {place / path for path in frozen["files"]}
    for inside in ("data", "schemas"):
        faults += [f"{p}: is not in the manifest; remove it" for p in sorted((place / inside).glob("*")) if p not in listed]
    if faults:
        return faults
    rows = {path: [json.loads(line) for line in data.splitlines()] for path, data in files.items() if path.startswith("data/")}
    repeated = [name for name, n in Counter(row.get("id") for some in rows.values() for row in some).items() if n > 1]
    faults += [f"row id {name} occurs more than once" for name in repeated]
    recipe = trusted(json.loads(files["recipe.json"])) if "recipe.json" in files else None
    faults += blind.row_faults(frozen, rows) if recipe is None else _row_faults(recipe, frozen, files, rows, run)
    if faults:
        return faults
    if recipe is None:
        again = blind.again(frozen, rows)
    else:
        structures = NOTED[recipe.dataset](recipe) if recipe.dataset in NOTED else frozen["structures"]
        again = Compiled(files, manifest(recipe, files, rows, structures, run))
    if difference := first_difference(frozen, again):
        faults.append(difference)
    for name, data in documents(frozen, recipe).items():
        there = place / name
        if not there.is_file() or there.read_bytes() != data:
            faults.append(f"{there}: is not what the manifest gives; build the release again")
    return faults


def _row_faults(
    recipe: Recipe, frozen: dict[str, Any], files: dict[str, bytes], rows: dict[str, list[dict[str, Any]]], run: Map
) -> list[str]:
    schema = json.loads(files[f"schemas/{recipe.dataset}.schema.json"])
    jobs = [
        (recipe, schema, path, place * _AT_ONCE, chunk)
        for path, some in rows.items()
        for place, chunk in enumerate(_chunks(some))
    ]
    faults = [fault for found in run(_examine, jobs) for fault in found]
    return faults or overlap_faults(recipe, frozen["structures"], (row for some in rows.values() for row in some))


def _examine(job: tuple[Recipe, dict[str, Any], str, int, list[dict[str, Any]]]) -> list[str]:
    """What is wrong with some rows of a file: what breaks the schema; where nothing does, what the oracle disproves."""
    recipe, schema, path, start, rows = job
    file = path.removeprefix("data/").removesuffix(".jsonl")
    return schema_faults(schema, path, start, rows) or BUILDERS[recipe.dataset].prove(recipe, file, rows)


def schema_faults(schema: dict[str, Any], path: str, start: int, rows: list[dict[str, Any]]) -> list[str]:
    """How rows break their schema, a line each. ``path``: their file; ``start``: how many rows of it come before."""
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(schema)
    return [
        f"{path}: row {number}: {error.json_path}: {error.message[:200]}"
        for number, row in enumerate(rows, start + 1)
        for error in validator.iter_errors(row)
    ]
