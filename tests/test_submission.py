"""What a submission says of its model, and submission folders: all of it is written by strangers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rb_verify.errors import UnusableInput
from rb_verify.schema import schema
from rb_verify.submission import Folder, claimed, read_folder, read_submission

YAML = """
# comments are fine
model: Example 7B
date: 2026-11-30
source: open
mode: reasoning
context: 32768
decoding: {temperature: 0.6, top_p: 1, note: "~"}
notes: |
  Two
  lines.
"""
SAID = {
    "model": "Example 7B",
    "date": "2026-11-30",
    "source": "open",
    "mode": "reasoning",
    "context": 32768,
    "decoding": {"temperature": 0.6, "top_p": 1, "note": "~"},
    "notes": "Two\nlines.\n",
}


def written(place: Path, **files: str | bytes) -> Path:
    """A folder of files; ``__`` in a name stands for its dot."""
    place.mkdir(exist_ok=True)
    for name, data in files.items():
        (place / name.replace("__", ".")).write_bytes(data.encode() if isinstance(data, str) else data)
    return place


@pytest.mark.parametrize("name", ["s.yaml", "s.yml", "S.YAML", "s.json", "model"])
def test_yaml_and_json_say_the_same(tmp_path: Path, name: str) -> None:
    """YAML and JSON give one value; a date stays the text that it is."""
    (tmp_path / name).write_text(YAML if "y" in name.lower() else json.dumps(SAID))
    assert read_submission(tmp_path / name) == SAID


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not of type 'object'"),
        ("- a", "is not of type 'object'"),
        ("model: 3.5", "$.model: 3.5 is not of type 'string'"),
        ("model: a\nsource: maybe", "'maybe' is not one of"),
        ("model: a\nsize: 7B", "'size' was unexpected"),
        ("model: a\ndate: 30.11.2026", "does not match"),
        ("model: a\nmodel: b", "key 'model' occurs twice"),
        ("model: a\ndecoding: {top_p: 1, top_p: 0}", "key 'top_p' occurs twice"),
        ("model: a\n1: b", "key 1 is no text"),
        ("model: &a x\nnotes: *a", "aliases are not read"),
        ("model: a\n<<: {notes: b}", "is not YAML"),
        ("model: a\ndecoding: {x: .nan}", "is not YAML"),
        ("model: a\ndecoding: {x: !!binary aGk=}", "is not YAML"),
        ("model: a\ndecoding: {x: !!set {a}}", "is not YAML"),
        ("model: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("model: a\n? [b]\n: c", "is not YAML"),
        ("model: a\ncontext: 0x" + "f" * 9_000, "is not YAML"),
        ("[" * 20_000, "is not YAML"),
        ("model: 'a", "is not YAML"),
        ("model: a\x00", "is not YAML"),
        ("model: " + "a" * 70_000, "is larger than 65536 bytes"),
        ('model: "\\ud800"', "surrogate"),
    ],
)
def test_bad_yaml_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """What is no description is refused in one sentence that names the file; no code runs and nothing grows."""
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(UnusableInput) as caught:
        read_submission(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b'{"model": "a", "model": "b"}', "occurs twice"),
        (b'{"model": "a", "decoding": {"x": NaN}}', "is not JSON"),
        (b'{"model": "\\ud800"}', "lone surrogate"),
        (b"[" * 60_000, "is not JSON"),
        (b'{"model": ""}', "$.model"),
    ],
)
def test_bad_json_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    """What no report could repeat is refused."""
    (tmp_path / "s.json").write_bytes(data)
    with pytest.raises(UnusableInput, match=f"s.json: .*{said}".replace("$", r"\$")):
        read_submission(tmp_path / "s.json")


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("model: a\n-[]{}&*!<>|'\"#%@,?0\\x\t\ud800"), max_size=30), st.sampled_from(["yaml", "json"]))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str, kind: str) -> None:
    """Whatever a description holds, it is what the schema says, or it is refused."""
    path = tmp_path_factory.getbasetemp() / f"any.{kind}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        said = read_submission(path)
    except UnusableInput:
        return
    assert isinstance(said["model"], str)


def test_folder(tmp_path: Path) -> None:
    """Every file is predictions, by name, but for the description, report.json, README, LICENSE, what rb-run says
    of its output, and hidden files."""
    files = {"twosat__eval": b"PK", "a__jsonl": "", "submission__jsonl": "", "submission__yaml": "model: m"}
    beside = {
        "README__md": "",
        "readme": "",
        "LICENSE": "",
        "report__json": "[]",
        "__hidden": "",
        "a__jsonl__about__json": "{}",
    }
    folder = written(tmp_path / "folder", **files, **beside)
    names = ["a.jsonl", "submission.jsonl", "twosat.eval"]
    assert read_folder(folder) == Folder({"model": "m"}, [folder / name for name in names])


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a__jsonl": ""}, "holds no description of the model"),
        ({"submission__yaml": "model: m"}, "holds no predictions"),
        ({"submission__yaml": "model: m", "README": "", "report__json": ""}, "holds no predictions"),
        ({"submission__yaml": "model: m", "submission__json": "{}", "a": ""}, "holds submission.json and submission.yaml"),
        ({"submission__yaml": "model: 1", "a": ""}, "submission.yaml: $.model"),
    ],
)
def test_bad_folder_is_refused(tmp_path: Path, files: dict[str, str], said: str) -> None:
    """A folder without a description, with two, or without predictions is refused."""
    with pytest.raises(UnusableInput) as caught:
        read_folder(written(tmp_path / "folder", **files))
    assert said in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A sub-folder, a link or a pipe is named and refused: none is passed over, and no link leads out of the folder."""
    folder = written(tmp_path / "folder", submission__yaml="model: m", a__jsonl="")
    entry = folder / "b"
    for make in (entry.mkdir, lambda: entry.symlink_to("/etc/hostname"), lambda: os.mkfifo(entry)):
        make()
        with pytest.raises(UnusableInput, match="b: is no regular file"):
            read_folder(folder)
        entry.rmdir() if entry.is_dir() else entry.unlink()
    for path in (tmp_path / "none", folder / "a.jsonl"):
        with pytest.raises(UnusableInput, match="cannot be read"):
            read_folder(path)


def minimal(name: str) -> dict[str, Any]:
    """The least value that a schema of an object takes."""
    said = schema(name)
    values = {"string": "0" * 64, "integer": 1, "object": {}, "array": [], "boolean": True}

    def least(entry: dict[str, Any]) -> Any:
        kind = entry.get("type", "null")
        if kind == "object":
            return {key: least(entry["properties"][key]) for key in entry.get("required", ()) if "properties" in entry}
        return None if isinstance(kind, list) else values.get(kind)

    return {key: least(said["properties"][key]) for key in said["required"]} | {"lines": {"read": 0, "judged": 0}}


def test_claimed_reports(tmp_path: Path) -> None:
    """A folder claims the reports in report*.json, one or several a file, or none; what is no report is refused."""
    folder, report = tmp_path, minimal("report")
    assert claimed(folder) == []
    for value in (report, [report, report]):
        (folder / "report.json").write_text(json.dumps(value))
        assert claimed(folder) == (value if isinstance(value, list) else [value])
    for text, said in (
        ("{", "is not JSON"),
        ("7", "is no report of this version"),
        ("[]", "is no report of this version"),
        ('{"n": NaN}', "NaN is no number"),
        (json.dumps([report, report | {"n": -1}]), r"report 2 of 2 is no report of this version \(\$\.n"),
        (json.dumps(report)[:-1] + ', "n": 1}', "occurs twice"),
    ):
        (folder / "report.json").write_text(text)
        with pytest.raises(UnusableInput, match=rf"report\.json: .*{said}"):
            claimed(folder)
