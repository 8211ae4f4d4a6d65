"""Fuzz targets on files: predictions in any format, submissions, reports, releases, recipes, journals, and what names them.

A target takes the bytes of a file, or a text. Whatever is wrong with these must be said by one of ``SAID``; anything else
that is raised is a fault, and so is a line that vanishes.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from backports import zstd

from fuzz.responses import rows
from rb_build import audit, card, frozen, told
from rb_build import recipe as recipes
from rb_build.datasets import BUILDERS
from rb_build.errors import UnusableRecipe
from rb_build.release import compile_release, write
from rb_verify import (
    canonical,
    comparable,
    compare,
    eval_results,
    harness,
    llm,
    llm_options,
    parse_run,
    release,
    runner,
    schema,
    submission,
)
from rb_verify.datasets import SCORERS, blind_id, release_of
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.evaluation import evaluate
from rb_verify.formats import Response, read_unit
from rb_verify.journal import journal, read
from rb_verify.predictions import MAX_SAMPLE, Problem
from rb_verify.sources import open_units
from rb_verify.verdict import STATUSES
from small_recipe import small

SAID = (UnusableInput, UnusableRecipe, ReleaseMismatch)
SCHEMAS = ("detail", "report", "submission", "nodes", "manifest", "board", "prediction")


@lru_cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="fuzz-")


def _file(name: str, data: bytes) -> Path:
    """A file of that name, in the folder of this process."""
    path = Path(_folder().name) / name
    path.write_bytes(data)
    return path


@lru_cache
def home() -> Path:
    """The folder of a small release of TRACE."""
    tiers = small()["params"]["tiers"]
    tier = tiers[0] | {"graphs": 2, "questions": 6}
    recipe = recipes.parse(
        small(params=small()["params"] | {"tiers": [tier]}, configs={"default": {"test": ["d010"]}}), "the fuzzed release"
    )
    place = Path(_folder().name) / "release"
    write(place, recipe, compile_release(recipe))
    return place


@contextmanager
def _said_clearly() -> Iterator[None]:
    """Only ``SAID`` may be raised, and what that says is one line."""
    try:
        yield
    except SAID as error:
        _check_words(str(error))


def _check_words(message: str) -> None:
    assert message, "nothing is said"
    assert "\n" not in message, f"{message} is said on several lines"


def _units(path: Path) -> list[tuple[int, bytes]]:
    with open_units(str(path)) as units:
        return list(units)


def sources_opened(data: bytes) -> None:
    """A file's units in their order. No line vanishes, and what is packed holds the same as it does plain."""
    plain = None
    with _said_clearly():
        plain = _units(_file("units", data))
        assert [number for number, _ in plain] == sorted({number for number, _ in plain})
    packed_already = data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK"))
    if packed_already:
        return
    for packed in (gzip.compress(data, 1), zstd.compress(data, 1)):
        again = None
        with suppress(UnusableInput):
            again = _units(_file("packed", packed))
        assert again == plain, "packed it holds something else"
    if plain is not None and b'"eval"' not in data:
        lines = [line.strip(b" \t\r\n") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
        assert plain == [(number, line) for number, line in enumerate(lines, 1) if line], "a line is lost"


def units_read(data: bytes) -> None:
    """A unit gives predictions or problems, at least one. A prediction written plainly is read as the same."""
    found = read_unit(7, data)
    assert found
    for each in found:
        if isinstance(each, Problem):
            assert (each.kind, each.line) == ("bad_line", 7)
            assert each.message
            assert "\n" not in each.message
            continue
        one = each.prediction
        assert one.id
        assert 0 <= one.sample <= MAX_SAMPLE
        assert not (one.error and one.response is not None)
        for text in (one.id, one.response, one.reasoning):
            assert text is None or text.encode().decode() == text
        if isinstance(each.record.get("response"), str):
            (again,) = read_unit(7, json.dumps(each.record).encode())
            assert isinstance(again, Response)
            assert again.prediction == one


def harness_verdicts(data: bytes) -> None:
    """An entry of a harness's log gets a verdict for each response in it, whatever else it holds."""
    unit = _json(data)
    if isinstance(unit, dict):
        for dataset in SCORERS:
            verdicts = harness.verdicts(rows(dataset)[0], unit)
            assert verdicts
            assert all(verdict.status in STATUSES for verdict in verdicts)


def nodes_given(data: bytes) -> None:
    """Nodes as a submitter parsed them: refused, or judged, each of them."""
    value = _json(data)
    for row in rows("reefbench"):
        line = {"id": row["id"], "response": "\\boxed{True}", "nodes": value, "parser": "mine-1"}
        (found,) = read_unit(1, json.dumps(line).encode())
        if isinstance(found, Response):
            verdict = SCORERS["reefbench"].judge(row, found.prediction)
            json.dumps(verdict.as_dict(), allow_nan=False)
            said = [node["statement"] for sentence in value or () for node in sentence["nodes"]]
            assert value is None or len(verdict.evidence["nodes"]) <= len(said)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def evaluated(data: bytes) -> None:
    """A whole file of predictions: a report that keeps its schema, where every unit is scored or listed."""
    loaded = _loaded()
    ids = {row["id"] for row in loaded.rows}
    path = _file("predictions.jsonl", data)
    details: list[str] = []
    with _said_clearly():
        report = json.loads(evaluate(path, loaded, details=_Lines(details)).to_json())
        assert not schema.violations(report, "report")
        assert sum(report["counts"].values()) == report["n"]
        listed = {problem["line"] for problem in report["problems"]}
        scored = {json.loads(line)["id"] for line in details}
        assert ids == scored, "a row has no verdict"
        for number, unit in _units(path):
            for each in read_unit(number, unit):
                assert number in listed or (isinstance(each, Response) and each.prediction.id in ids), f"line {number} is lost"
        best = report["rates"]["score"]["value"]
        assert best is None or 0 <= best <= 1


class _Lines:
    """Details, kept."""

    def __init__(self, lines: list[str]) -> None:
        self.write = lines.append


@lru_cache
def _loaded() -> release.Release:
    return release.load(home())


def submissions_read(data: bytes) -> None:
    """A description of a model as YAML and as JSON: refused, or as its schema has it, in text that can be written."""
    for name in ("submission.yaml", "submission.json"):
        with _said_clearly():
            said = submission.read_submission(_file(name, data))
            assert not schema.violations(said, "submission")
            json.dumps(said, allow_nan=False, ensure_ascii=False).encode()


def reports_compared(data: bytes) -> None:
    """A report, with itself under another name: refused, or both first on a board."""
    path = _file("report.json", data)
    with _said_clearly():
        found = comparable.read([path])
        ours = [each._replace(name=name) for each in found[:1] for name in ("one", "two")]
        board = compare.compare(comparable.fields(ours))
        assert [model["rank"] for model in board["boards"][0]["models"]] == [1, 1]


def manifests_read(data: bytes) -> None:
    """A manifest, its own digest made right: refused, or one whose release is whole and in its folder."""
    manifest = _json(data)
    _read_release(json.dumps(_sealed(manifest)).encode() if isinstance(manifest, dict) else data)


def _read_release(manifest: bytes) -> None:
    kept = (home() / "manifest.json").read_bytes()
    (home() / "manifest.json").write_bytes(manifest)
    try:
        for reader in (release.load, release.prompts):
            with _said_clearly():
                found = reader(home())
                assert all(isinstance(row, dict) for row in found.rows)
                for name in found.manifest["files"]:
                    assert (home() / name).resolve().is_relative_to(home().resolve()), f"{name} is outside the release"
    finally:
        (home() / "manifest.json").write_bytes(kept)


def _sealed(manifest: dict[str, Any]) -> dict[str, Any]:
    with suppress(ValueError, TypeError, KeyError, RecursionError, AttributeError):
        return manifest | {"manifest_sha256": canonical.manifest_digest(manifest)}
    return manifest


def rows_loaded(data: bytes) -> None:
    """A release whose rows are these bytes, under a manifest that says so: refused, or loaded."""
    manifest = json.loads((home() / "manifest.json").read_bytes())
    path = home() / "data" / "d010.jsonl"
    kept = path.read_bytes()
    entry = manifest["files"]["data/d010.jsonl"] | {"sha256": canonical.digest(data), "bytes": len(data)}
    path.write_bytes(data)
    try:
        _read_release(canonical.pretty(_sealed(manifest | {"files": manifest["files"] | {"data/d010.jsonl": entry}})))
    finally:
        path.write_bytes(kept)


def recipes_read(data: bytes) -> None:
    """A recipe: refused, or one that names its files."""
    with _said_clearly():
        recipe = recipes.read(_file("recipe.json", data))
        assert recipe.dataset in BUILDERS
        assert recipe.files


_ABOUT = {"of": "these"}
_KEYS: tuple[Callable[[Any], Any], ...] = (told._key, runner.key, parse_run._key)


def journals_gone_on(data: bytes) -> None:
    """A journal that was cut or damaged: refused and left as it is, or gone on with, every whole line kept."""
    for key in _KEYS:
        path = _file("told.jsonl", data)
        _file("told.jsonl.about.json", json.dumps(_ABOUT).encode())
        try:
            with journal(path, _ABOUT, key) as book:
                assert len(book.done) == data.count(b"\n")
            assert path.read_bytes() == data[: data.rfind(b"\n") + 1]
            assert len(list(read(path))) == data.count(b"\n")
        except UnusableInput as error:
            _check_words(str(error))
            assert path.read_bytes() == data, "what was refused is changed"


def journals_told_apart(data: bytes) -> None:
    """What a journal says that it is of, damaged: refused, or the same."""
    path = _file("told.jsonl", b'{"id": "a", "sample": 0}\n')
    _file("told.jsonl.about.json", data)
    with _said_clearly(), journal(path, _ABOUT, runner.key):
        assert _json(data) == _ABOUT


def cache_read(data: bytes) -> None:
    """A reply in the cache: one that can be used, or none."""
    reply = llm._kept(_file("reply.json", data))
    if reply is not None:
        for text in (reply.text, reply.reasoning, reply.finish_reason, reply.model):
            assert text is None or isinstance(text, str)


def cards_read(data: bytes) -> None:
    """What clients read of a card and of Croissant's file: a mapping, empty where it is damaged."""
    for name in ("README.md", "croissant.json"):
        assert isinstance(audit._read_by_clients(name, data), dict)
    with suppress(ValueError):
        head, prose = card.parts(data.decode("utf-8", "replace"))
        assert not head or head.endswith("\n")
        assert data.decode("utf-8", "replace").endswith(prose)


def options_read(data: bytes) -> None:
    """Options that strangers' scripts give: further members of a request, an endpoint's address, a key."""
    text = data.decode("utf-8", "replace")
    with _said_clearly():
        json.dumps(llm_options.settings(None, None, text), allow_nan=False)
    if text.isprintable():  # a message repeats the address, which need not be one line
        with _said_clearly():
            assert llm_options.endpoint(text, "model", _file("key", b"k")).base_url in (text, llm_options.OPENAI)
    with _said_clearly():
        key = llm_options.endpoint("http://localhost/v1", "model", _file("key", data)).key
        assert key
        assert re.fullmatch("[!-~]+", key)


def names_read(data: bytes) -> None:
    """What names a row, a release, a dataset on the Hub."""
    text = data.decode("utf-8", "replace")
    named = release_of(text)
    if not text.isprintable():
        return  # a message repeats what was asked for, which need not be one line
    if named is not None:
        assert named[0] in SCORERS
        assert text.startswith(f"{named[0]}-{named[1].split('-')[0].replace('.', '-')}-")
        assert release_of(blind_id(text, "seed")) == named
    with _said_clearly():
        repo, tag = eval_results.origin(text)
        assert f"{repo}@{tag}" == text
    if "/" not in text and "\0" not in text:
        with _said_clearly():
            assert (frozen.lock(text) / "manifest.json").is_file()
        with _said_clearly():
            assert release.find(text).is_dir()


def schemas_checked(data: bytes) -> None:
    """Any JSON value against every schema: listed ways in which it breaks it, and nothing raised."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    for name in SCHEMAS:
        assert all(isinstance(each, str) and each for each in schema.violations(value, name))
