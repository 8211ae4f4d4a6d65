"""Journals: whatever a kill leaves of one, going on makes it whole, with every line once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rb_verify.errors import UnusableInput
from rb_verify.journal import journal, read

ABOUT = {"model": "m", "settings": {"temperature": 0.5}, "pair": (1, 2)}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)

FULL = """
import resource, sys
from pathlib import Path
from rb_verify.errors import UnusableInput
from rb_verify.journal import journal

path = Path(sys.argv[1])
try:
    with journal(path, {}, lambda record: record["id"]) as lines:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for number in range(100):
            lines.add({"id": number, "text": "x" * 90})
except UnusableInput as error:
    print(error)
"""
SECOND = """
import sys
from pathlib import Path
from rb_verify.errors import UnusableInput
from rb_verify.journal import journal

try:
    with journal(Path(sys.argv[1]), {}, lambda record: record["id"]):
        print("opened")
except UnusableInput as error:
    print(error)
"""


def name(record: dict[str, Any]) -> Any:
    """The key of the tests' lines."""
    return record["id"]


def write(path: Path, records: list[dict[str, Any]], about: dict[str, Any] = ABOUT) -> int:
    """Add the records that a journal lacks; how many those were."""
    with journal(path, about, name) as lines:
        lacking = [record for record in records if record["id"] not in lines.done]
        for record in lacking:
            lines.add(record)
    return len(lacking)


def child(script: str, path: Path) -> str:
    """What a script in a process of its own prints."""
    run = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


@settings(deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6), cut=st.data())
def test_a_journal_cut_anywhere_becomes_whole_again(texts: list[str], cut: st.DataObject) -> None:
    """All lines that were whole stay as they are, the others are added, and none is there twice."""
    records = [{"id": number, "text": text} for number, text in enumerate(texts)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "j.jsonl"
        assert write(path, records) == len(records)
        whole = path.read_bytes()
        at = cut.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:at])
        assert write(path, records) == len(records) - whole[:at].count(b"\n")
        assert path.read_bytes() == whole
        assert list(read(path)) == records
        assert write(path, records) == 0


def test_a_line_is_there_as_soon_as_it_is_added(tmp_path: Path) -> None:
    """A kill that comes after ``add`` takes nothing."""
    with journal(tmp_path / "j", ABOUT, name) as lines:
        lines.add({"id": "é", "text": "a\u2028b"})
        assert (tmp_path / "j").read_bytes() == '{"id": "é", "text": "a\u2028b"}\n'.encode()
        assert lines.done == {"é"}


def test_what_a_journal_is_of_stands_beside_it(tmp_path: Path) -> None:
    """As JSON; whoever goes on may give it in another order."""
    write(tmp_path / "j.jsonl", [{"id": 1}])
    assert json.loads((tmp_path / "j.jsonl.about.json").read_text()) == ABOUT | {"pair": [1, 2]}
    assert write(tmp_path / "j.jsonl", [{"id": 1}, {"id": 2}], dict(reversed(ABOUT.items()))) == 1


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"model": "other"}, 'made with model "m", not "other"'),
        ({"settings": {}}, r'settings \{"temperature": 0.5\}, not \{\}'),
        ({"more": 1}, "more null, not 1"),
    ],
    ids=["model", "settings", "more"],
)
def test_a_journal_of_something_else_is_refused(changed: dict[str, Any], told: str, tmp_path: Path) -> None:
    """It names what differs, and changes nothing."""
    write(tmp_path / "j", [{"id": 1}])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(UnusableInput, match=told):
        write(tmp_path / "j", [{"id": 2}], ABOUT | changed)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_empty_journal_may_become_one_of_something_else(tmp_path: Path) -> None:
    """Nothing was done yet, so nothing is lost."""
    write(tmp_path / "j", [])
    assert write(tmp_path / "j", [{"id": 1}], {"model": "other"}) == 1
    assert json.loads((tmp_path / "j.about.json").read_text()) == {"model": "other"}


@pytest.mark.parametrize(
    ("line", "place"),
    [
        *((b"{", 0), (b"\xff\xfe", 1), (b"[1]", 1), (b'{"no": 1}', 2), (b"", 1), (b"\x00\x00", 2), (b'"text"', 0), (b"7", 1)),
        *((b'{"id": [1]}', 1), (b"[" * 100_000, 1)),
    ],
    ids=["cut", "bytes", "list", "keyless", "blank", "NUL", "text", "number", "no key", "deep"],
)
def test_a_damaged_line_is_refused(line: bytes, place: int, tmp_path: Path) -> None:
    """Not passed over, and nothing is taken away: its number is told."""
    write(tmp_path / "j", [{"id": 1}, {"id": 2}])
    lines = (tmp_path / "j").read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:place], line + b"\n", *lines[place:]])
    (tmp_path / "j").write_bytes(damaged)
    with pytest.raises(UnusableInput, match=f"line {place + 1} is damaged"):
        write(tmp_path / "j", [{"id": 3}])
    assert (tmp_path / "j").read_bytes() == damaged


def test_a_line_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """By whoever it was put there."""
    write(tmp_path / "j", [{"id": 1}, {"id": 2}])
    (tmp_path / "j").write_bytes((tmp_path / "j").read_bytes() + b'{"id": 1}\n')
    with pytest.raises(UnusableInput, match="line 3 repeats an earlier one"):
        write(tmp_path / "j", [])


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    """A user's own file is never added to."""
    (tmp_path / "mine.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(UnusableInput, match=r"no mine\.jsonl\.about\.json tells what it is of; name another file"):
        write(tmp_path / "mine.jsonl", [{"id": 2}])
    assert (tmp_path / "mine.jsonl").read_text() == '{"id": 1}\n'


@pytest.mark.parametrize("place", ["absent/j", "."])
def test_a_place_that_cannot_be_written(place: str, tmp_path: Path) -> None:
    """A folder that is not there, or a folder."""
    with pytest.raises(UnusableInput, match="cannot be written"):
        write(tmp_path / place, [])


def test_a_second_process_is_locked_out(tmp_path: Path) -> None:
    """While one writes; afterwards it may."""
    with journal(tmp_path / "j", {}, name):
        assert "is being written by another process" in child(SECOND, tmp_path / "j")
    assert child(SECOND, tmp_path / "j") == "opened\n"


def test_a_full_disk(tmp_path: Path) -> None:
    """One sentence; every line that was added before is whole, and a later run goes on."""
    assert "cannot be written" in child(FULL, tmp_path / "j")
    there = (tmp_path / "j").read_bytes().count(b"\n")
    assert 0 < there < 100
    records = [{"id": number, "text": "x" * 90} for number in range(100)]
    assert write(tmp_path / "j", records, {}) == 100 - there
    assert list(read(tmp_path / "j")) == records
