"""Exports: every format gives the rows back, types do not depend on the rows, and nothing doubtful is written."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pyarrow.parquet
import pytest

from rb_build import card, folder
from rb_build import export as exports
from rb_build import recipe as recipes
from rb_build.export import Format, export
from rb_build.release import compile_release
from rb_verify import canonical
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.formats import parse_unit
from rb_verify.verdict import Prediction
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import small_twosat

SMALL: dict[str, Callable[..., dict[str, Any]]] = {"tracebench": small, "twosat": small_twosat, "reefbench": small_reefbench}
STRANGE = [
    "",
    "NA",
    "null",
    "007",
    "1.50",
    "2026-01-01",
    "True",
    " a ",
    'say "x", y',
    "é\u2028ü 漢字 😀",
    "a\nb\r\nc\rd",
    "[1]",
]


def put(place: Path, manifest: dict[str, Any], rows: dict[str, list[Any]]) -> Path:
    """Write rows, by path, as a release folder whose manifest vouches for them."""
    data = {path: canonical.lines(some) for path, some in rows.items()}
    entries = {path: {"bytes": len(each), "sha256": canonical.digest(each)} for path, each in data.items()}
    told = {key: value for key, value in manifest.items() if key != "manifest_sha256"} | {"files": entries}
    told["manifest_sha256"] = canonical.manifest_digest(told)
    folder.write(place, data | {"manifest.json": canonical.pretty(told)})
    return place


def manifest(place: Path) -> dict[str, Any]:
    """The manifest of a release folder."""
    return dict(json.loads((place / "manifest.json").read_bytes()))


def rows_of(place: Path, config: str, split: str) -> list[dict[str, Any]]:
    """The rows of a split, as its files have them."""
    paths = manifest(place)["configs"][config][split]
    return [json.loads(line) for path in paths for line in (place / path).open("rb")]


@pytest.fixture(scope="module")
def smalls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of a small release of every dataset."""
    made = {}
    for name, recipe in SMALL.items():
        compiled = compile_release(recipes.trusted(recipe()))
        made[name] = tmp_path_factory.mktemp("small") / name
        folder.write(made[name], compiled.files | {"manifest.json": canonical.pretty(compiled.manifest)})
    return made


@pytest.fixture
def blind(smalls: dict[str, Path], tmp_path: Path) -> Path:
    """A blind split of two rows, made by hand."""
    told = manifest(smalls["tracebench"]) | {
        "balance": {},
        "baselines": {},
        "blind": {"commitment": 64 * "0", "field": "level"},
        "configs": {"default": {"test": ["data/test.jsonl"]}},
        "structures": {},
        "version": "0.1.0-fabcdef12-blind",
    }
    rows = [{"id": f"tracebench-0-1-0-fabcdef12-q{n}", "level": 10, "prompt": f"Is it?\n{n}"} for n in range(2)]
    return put(tmp_path / "blind", told, {"data/test.jsonl": rows})


def read_csv(source: Path, like: dict[str, Any]) -> list[dict[str, Any]]:
    """A CSV file's rows as pandas reads them, JSON columns parsed. ``like``: a row, whose lists and objects tell which."""
    texts = {name: str for name, value in like.items() if not isinstance(value, int | float)}
    exact = {name: float for name, value in like.items() if isinstance(value, float)}  # older pandas' own reader is not
    frame = pandas.read_csv(source, keep_default_na=False, dtype=texts, converters=exact)
    rows = frame.to_dict("records")
    nested = [name for name, value in like.items() if isinstance(value, list | dict)]
    return [row | {name: json.loads(row[name]) for name in nested} for row in rows]


@pytest.mark.parametrize("name", SMALL)
def test_parquet_gives_the_rows(smalls: dict[str, Path], tmp_path: Path, name: str) -> None:
    """Every split of every config comes back from Parquet value for value, by pyarrow and by pandas."""
    release = smalls[name]
    written = export(release, tmp_path / "out", Format.parquet)
    configs = manifest(release)["configs"]
    assert {path.name for path in written} == {f"{c}-{s}.parquet" for c, splits in configs.items() for s in splits}
    assert sorted(written) == sorted((tmp_path / "out").iterdir())
    for path in written:
        rows = rows_of(release, *path.stem.split("-"))
        assert canonical.lines(pyarrow.parquet.read_table(path).to_pylist()) == canonical.lines(rows)
        frame = pandas.read_parquet(path)
        assert list(frame.columns) == sorted(rows[0])
        assert json.loads(frame.to_json(orient="records")) == rows


@pytest.mark.parametrize("name", SMALL)
def test_types_do_not_depend_on_the_rows(smalls: dict[str, Path], tmp_path: Path, name: str) -> None:
    """All Parquet files of a dataset have the types of the card's features, though all lists of some files are empty."""
    import datasets

    written = export(smalls[name], tmp_path / "out", Format.parquet)
    features = datasets.Features._from_yaml_list(card.features(card.columns(manifest(smalls[name]))))
    assert all(pyarrow.parquet.read_schema(path).equals(features.arrow_schema) for path in written)


@pytest.mark.parametrize("name", SMALL)
def test_csv_gives_the_rows(smalls: dict[str, Path], tmp_path: Path, name: str) -> None:
    """Every split comes back from CSV: columns sorted, lists and objects as canonical JSON, LF alone."""
    written = export(smalls[name], tmp_path / "out", Format.csv, "default")
    assert [path.name for path in written] == [f"default-{s}.csv" for s in sorted(manifest(smalls[name])["configs"]["default"])]
    for path in written:
        rows = rows_of(smalls[name], *path.stem.split("-"))
        assert canonical.lines(read_csv(path, rows[0])) == canonical.lines(rows)
        data = path.read_bytes()
        assert data.startswith((",".join(f'"{column}"' for column in sorted(rows[0])) + "\n").encode())
        assert b"\r" not in data
    nested = next(column for column, value in rows[0].items() if isinstance(value, list))
    cell = pandas.read_csv(path, keep_default_na=False)[nested][0]
    assert cell == canonical.dumps(rows[0][nested])


def strange(smalls: dict[str, Path], place: Path) -> tuple[Path, list[dict[str, Any]]]:
    """A release of rows that formats like to change, and the rows: text, emptiness, digits."""
    row = rows_of(smalls["tracebench"], "default", "test")[0]
    rows = [
        row | {"id": f"x-{n}", "prompt": text, "answer": text, "events": [text, text], "achieved_difficulty": 1 / (3 + n)}
        for n, text in enumerate(STRANGE)
    ]
    rows[0] |= {"facts": [], "events": [], "proof": [{"from": "", "set": [], "to": "", "via": []}]}
    rows[1] |= {"events": [], "achieved_difficulty": 2, "proof_length": 2**53}
    told = manifest(smalls["tracebench"]) | {"configs": {"default": {"test": ["data/a.jsonl"]}}}
    return put(place, told, {"data/a.jsonl": rows}), rows


def test_strange_text_survives(smalls: dict[str, Path], tmp_path: Path) -> None:
    """Text that looks like a number, date, null or JSON, line ends of all kinds, and empty lists come back as they were."""
    release, rows = strange(smalls, tmp_path / "strange")
    (parquet,) = export(release, tmp_path / "parquet", Format.parquet)
    assert pyarrow.parquet.read_table(parquet).to_pylist() == rows
    (table,) = export(release, tmp_path / "csv", Format.csv)
    assert read_csv(table, rows[0]) == rows
    (batch,) = export(release, tmp_path / "batch", Format.openai_batch, model="m")
    prompts = [json.loads(line)["body"]["messages"][0]["content"] for line in batch.read_bytes().split(b"\n")[:-1]]
    assert prompts == STRANGE


def test_null_cell_is_empty(smalls: dict[str, Path]) -> None:
    """In CSV a null is an empty cell, and whole numbers beside one stay whole."""
    data = exports._csv([{"a": None, "b": 1}, {"a": "x", "b": None}], [{"name": "a"}, {"name": "b"}])
    frame = pandas.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False)
    assert frame.to_dict("records") == [{"a": "", "b": "1"}, {"a": "x", "b": ""}]


def test_batch_asks_each_prompt(smalls: dict[str, Path], tmp_path: Path) -> None:
    """A batch file has one request for each test row, in order, and none for development rows."""
    release = smalls["tracebench"]
    written = export(release, tmp_path / "out", Format.openai_batch, model="gpt-x")
    assert [path.name for path in written] == ["default-test.jsonl", "deep-test.jsonl"]
    for path in written:
        rows = rows_of(release, *path.stem.split("-"))
        lines = path.read_text().splitlines()
        assert len(lines) == len(rows)
        for row, line in zip(rows, lines, strict=True):
            assert line == canonical.dumps(json.loads(line))
            assert json.loads(line) == {
                "custom_id": row["id"],
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": {"model": "gpt-x", "messages": [{"role": "user", "content": row["prompt"]}]},
            }


def test_batch_asks_each_prompt_for_samples(smalls: dict[str, Path], tmp_path: Path) -> None:
    """With several samples a row has a request for each, alike but for a custom_id that the reader knows as row and sample."""
    (once,) = export(smalls["tracebench"], tmp_path / "once", Format.openai_batch, "deep", "m")
    (thrice,) = export(smalls["tracebench"], tmp_path / "thrice", Format.openai_batch, "deep", "m", 3)
    asked = [json.loads(line) for line in once.open()]
    requests = [json.loads(line) for line in thrice.open()]
    assert requests == [line | {"custom_id": f"{line['custom_id']}__s{sample}"} for line in asked for sample in range(3)]
    answers = [{"custom_id": request["custom_id"], "response": None, "error": {}} for request in requests]
    read = [each for answer in answers for each in parse_unit(1, json.dumps(answer).encode())]
    assert read == [Prediction(line["custom_id"], None, sample=s, error=True) for line in asked for s in range(3)]


@pytest.mark.parametrize("limit", ["requests", "bytes"])
def test_large_batch_is_split(smalls: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Where a file would hold more than the batch API takes, numbered files do, full ones first, nothing lost."""
    (whole,) = export(smalls["tracebench"], tmp_path / "whole", Format.openai_batch, "deep", "m")
    lines = whole.read_bytes().splitlines(keepends=True)
    assert len(lines) == 10
    if limit == "requests":
        monkeypatch.setattr(exports, "MAX_REQUESTS", 5)
        expected = [lines[:5], lines[5:]]
    else:
        monkeypatch.setattr(exports, "MAX_BYTES", sum(map(len, lines[:4])))
        expected = [lines[:4]]
    written = export(smalls["tracebench"], tmp_path / "parts", Format.openai_batch, "deep", "m")
    assert [path.name for path in written] == [f"deep-test-{n}.jsonl" for n in range(1, len(written) + 1)]
    parts = [path.read_bytes().splitlines(keepends=True) for path in written]
    assert parts[: len(expected)] == expected
    assert [line for part in parts for line in part] == lines
    assert all(len(part) <= exports.MAX_REQUESTS and sum(map(len, part)) <= exports.MAX_BYTES for part in parts)
    monkeypatch.setattr(exports, "MAX_BYTES", 100)
    with pytest.raises(ReleaseMismatch, match="more than the batch API takes"):
        export(smalls["tracebench"], tmp_path / "none", Format.openai_batch, "deep", "m")


def test_blind_split_is_exported(blind: Path, tmp_path: Path) -> None:
    """A blind split has three columns in each format, and its prompts become requests."""
    rows = rows_of(blind, "default", "test")
    (parquet,) = export(blind, tmp_path / "parquet", Format.parquet)
    assert pyarrow.parquet.read_table(parquet).to_pylist() == rows
    assert pyarrow.parquet.read_schema(parquet).names == ["id", "level", "prompt"]
    (table,) = export(blind, tmp_path / "csv", Format.csv)
    assert read_csv(table, rows[0]) == rows
    (batch,) = export(blind, tmp_path / "batch", Format.openai_batch, model="m")
    assert [json.loads(line)["custom_id"] for line in batch.open()] == [row["id"] for row in rows]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"format": Format.openai_batch}, "name it with --model"),
        ({"format": Format.openai_batch, "model": ""}, "name it with --model"),
        ({"format": Format.openai_batch, "model": "a\udcff"}, "name it with --model"),
        ({"format": Format.csv, "model": "m"}, "leave --model out"),
        ({"format": Format.csv, "samples": 2}, "leave --samples out"),
        ({"format": Format.openai_batch, "model": "m", "samples": 0}, "choose 1 to 10000"),
        ({"format": Format.csv, "config": "hard"}, "no config 'hard'; choose one of default, deep"),
        (
            {"format": Format.openai_batch, "model": "m", "config": "hard"},
            "no config 'hard' with a test split; choose one of default, deep",
        ),
    ],
)
def test_arguments_that_do_not_fit(smalls: dict[str, Path], tmp_path: Path, arguments: dict[str, str], said: str) -> None:
    """Each is refused in one sentence, and nothing is written."""
    with pytest.raises(UnusableInput) as refused:
        export(smalls["tracebench"], tmp_path / "out", **arguments)
    assert said in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_folder_in_use_is_refused(smalls: dict[str, Path], tmp_path: Path) -> None:
    """What is there already is left alone; an empty folder is filled."""
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "mine.txt").write_text("mine")
    for out in (tmp_path / "used", tmp_path / "used" / "mine.txt"):
        with pytest.raises(UnusableInput, match="exists and is not an empty folder"):
            export(smalls["tracebench"], out, Format.csv)
    assert (tmp_path / "used" / "mine.txt").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    written = export(smalls["tracebench"], tmp_path / "empty", Format.csv, "deep")
    assert written == list((tmp_path / "empty").iterdir()) == [tmp_path / "empty" / "deep-test.csv"]


@pytest.mark.parametrize("format", Format)
def test_damaged_file_is_refused(smalls: dict[str, Path], tmp_path: Path, format: Format) -> None:
    """A data file that is not as the manifest says is not exported; the message names it."""
    told = manifest(smalls["tracebench"])
    files = {path: (smalls["tracebench"] / path).read_bytes() for path in told["files"]}
    files["data/deep.jsonl"] = files["data/deep.jsonl"].replace(b"YES", b"yES", 1)
    folder.write(tmp_path / "release", files | {"manifest.json": canonical.pretty(told)})
    with pytest.raises(ReleaseMismatch, match=r"data/deep\.jsonl: sha256 is"):
        export(tmp_path / "release", tmp_path / "out", format, model="m" if format == Format.openai_batch else None)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"extra": 1}, "differs in column 'extra'"),
        ({"level": "ten"}, "default-test"),
        ({"level": 2**70}, "default-test"),
        ({"question": {"from": "a", "relation": "B", "to": "b", "more": 1}}, "other keys"),
    ],
)
def test_row_that_breaks_the_schema_is_refused(
    smalls: dict[str, Path], tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    """A column or key that the schema does not have is not dropped in silence, even where the manifest vouches for it."""
    told = manifest(smalls["tracebench"]) | {"configs": {"default": {"test": ["data/a.jsonl"]}}}
    row = rows_of(smalls["tracebench"], "default", "test")[0]
    place = put(tmp_path / "release", told, {"data/a.jsonl": [row]})
    path, data = place / "data/a.jsonl", json.dumps(row | change).encode() + b"\n"
    told = manifest(place)
    path.write_bytes(data)
    told["files"]["data/a.jsonl"]["sha256"] = canonical.digest(data)
    told["manifest_sha256"] = canonical.manifest_digest(told)
    (place / "manifest.json").write_bytes(canonical.pretty(told))
    with pytest.raises(ReleaseMismatch, match=said):
        export(place, tmp_path / "out", Format.parquet)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("configs", "said"),
    [
        ({"../../out": {"test": ["data/a.jsonl"]}}, "does not match"),
        ({"default": {"../x": ["data/a.jsonl"]}}, "is not one of"),
        ({"default": {"test": ["data/b.jsonl"]}}, "data/b.jsonl is of a config, but has no checksum"),
    ],
)
def test_hostile_manifest_is_refused(smalls: dict[str, Path], tmp_path: Path, configs: dict[str, Any], said: str) -> None:
    """No name in a manifest leads out of the folder that is written, or to a file that has no checksum."""
    row = rows_of(smalls["tracebench"], "default", "test")[0]
    place = put(tmp_path / "release", manifest(smalls["tracebench"]) | {"configs": configs}, {"data/a.jsonl": [row]})
    with pytest.raises(ReleaseMismatch, match=said):
        export(place, tmp_path / "out", Format.csv)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_missing_library_names_the_extra(smalls: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas or pyarrow the message says what to install; batch files need neither."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for format in (Format.parquet, Format.csv):
        with pytest.raises(UnusableInput, match=r"pip install 'rb-build\[export\]'"):
            export(smalls["tracebench"], tmp_path / "out", format)
    assert export(smalls["tracebench"], tmp_path / "out", Format.openai_batch, "deep", "m")
