"""Files of predictions: told apart by their bytes, read as a stream, and never half read without a word."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from log_writers import Record, inspect_eval, inspect_json, plain, zstd, zstd_zipfile
from rb_verify import sources
from rb_verify.errors import UnusableInput
from rb_verify.sources import open_units

RECORDS: list[Record] = [{"id": f"row-{n}", "sample": 0, "response": f"é\u2028 {n} " * n, "error": None} for n in range(40)]


def units(data: bytes, place: Path) -> list[tuple[int, bytes]]:
    """The units of a file of these bytes."""
    place.write_bytes(data)
    with open_units(str(place)) as found:
        return list(found)


def refused(data: bytes, place: Path) -> tuple[int, str]:
    """How many units of a damaged file were read before it was refused, and the sentence."""
    place.write_bytes(data)
    read: list[int] = []
    with open_units(str(place)) as found, pytest.raises(UnusableInput) as caught:
        read.extend(number for number, _ in found)
    return len(read), str(caught.value)


LONG = plain([{**record, "response": random.Random(1).randbytes(9_000).hex()} for record in RECORDS])  # more than a head
PACKED: dict[str, Callable[[bytes], bytes]] = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("head", [b"", b"\xef\xbb\xbf"])
def test_lines(tmp_path: Path, packing: str, head: bytes) -> None:
    """Lines keep their numbers, blank ones are passed over, LF alone ends them, and a byte order mark is none of them."""
    lines = [(1, b"a"), (3, "b\u2028\u0085c".encode()), (4, b"d\x0be"), (7, b"f")]
    data = head + "a\r\n \nb\u2028\u0085c\nd\x0be\n\n\n f".encode()
    assert units(PACKED[packing](data), tmp_path / "file") == lines


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("indent", [None, 1, 2])
def test_json_log(tmp_path: Path, packing: str, indent: int | None) -> None:
    """An Inspect log gives its samples one by one, whether it is pretty, has NaN in it, or is packed."""
    data = inspect_json(RECORDS, indent)
    assert b"NaN" in data
    found = units(PACKED[packing](data), tmp_path / "file")
    assert [number for number, _ in found] == list(range(1, 41))
    assert str([json.loads(unit) for _, unit in found]) == str(json.loads(data)["samples"])  # a NaN differs from itself


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 1000])
def test_json_log_is_cut_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Wherever the pieces of a log that are read at a time end, its samples are the same."""
    data = inspect_json(RECORDS[:6], None)
    expected = units(data, tmp_path / "file")
    monkeypatch.setattr(sources, "_CHUNK", size)
    assert units(data, tmp_path / "file") == expected


def test_order_of_keys_of_a_log(tmp_path: Path) -> None:
    """A log is known by its keys in any order, with samples first or its header longer than what is looked at."""
    log = json.loads(inspect_json(RECORDS[:3]))
    log["eval"]["long"] = "x" * 200_000
    for keys in (sorted(log), sorted(log, reverse=True), ["status", "samples", "eval"], ["eval", "samples"]):
        data = json.dumps({key: log[key] for key in keys}).encode()
        assert len(units(data, tmp_path / "file")) == 3, keys


@pytest.mark.parametrize("line", [{"version": 1, "eval": {}, "id": "a"}, {"id": "a", "eval": 1}, {"status": "ok", "x": 1}, {}])
def test_lines_with_keys_of_a_log(tmp_path: Path, line: Record) -> None:
    """A prediction that also has keys of a log is a line."""
    data = json.dumps(line).encode()
    assert units(data + b"\n" + data, tmp_path / "file") == [(1, data), (2, data)]


@pytest.mark.parametrize("compression", [0, 8, 93])
def test_archive(tmp_path: Path, compression: int) -> None:
    """An archive gives its samples, in order, and nothing else in it, however they are packed."""
    found = units(inspect_eval(RECORDS, compression), tmp_path / "file")
    assert [number for number, _ in found] == list(range(1, 41))
    assert [json.loads(unit)["metadata"]["id"] for _, unit in found] == [record["id"] for record in RECORDS]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_sample_that_was_run_again(tmp_path: Path) -> None:
    """Of two members with one name the last counts, as in Inspect."""
    zipfile = zstd_zipfile()
    with zipfile.ZipFile(tmp_path / "log", "w") as archive:
        for name, text in (("a", "old"), ("b", "b"), ("a", "new")):
            archive.writestr(f"samples/{name}_epoch_1.json", text)
    assert units((tmp_path / "log").read_bytes(), tmp_path / "file") == [(1, b"new"), (2, b"b")]


@pytest.mark.parametrize("write", [plain, inspect_json, inspect_eval])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, write: Callable[[list[Record]], bytes]) -> None:
    """Standard input, which cannot be read twice and comes in small pieces, gives what a file gives."""
    data = write(RECORDS)

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.left = data

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            piece, self.left = self.left[:7], self.left[7:]
            buffer[: len(piece)] = piece
            return len(piece)

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(Pipe())))
    with open_units("-") as found:
        assert list(found) == units(data, tmp_path / "file")


@pytest.mark.parametrize(
    ("data", "read", "said"),
    [
        (gzip.compress(LONG)[:-4], 39, "reading failed after line 39"),
        (gzip.compress(LONG)[:40] + b"\xff" * 40, 0, "reading failed after line 0"),
        (zstd(LONG)[:-4], 20, "Compressed file ended before the end-of-stream marker"),
        (zstd(LONG) + b"junk", 39, "reading failed after line 39"),
        (inspect_eval(RECORDS)[:-30], 0, "reading failed after sample 0 (File is not a zip file)"),
        (inspect_eval([]), 0, "holds no samples of an Inspect log"),
        (b"PK\x05\x06" + bytes(18), 0, "holds no samples of an Inspect log"),
        (inspect_json([]), 0, "holds no samples of an Inspect log"),
        (b'{"version": 2, "status": "started", "eval": {}}', 0, "holds no samples of an Inspect log"),
        (inspect_json(RECORDS)[:-200], 39, "is no whole JSON document"),
        (inspect_json(RECORDS, None)[:-20] + b"x", 40, "',' or ']' is missing"),
        (inspect_json(RECORDS) + b"{}", 40, "the end is missing"),
        (inspect_json(RECORDS).replace(b"row-20", b"\xff", 1), 0, "is not UTF-8"),
        (b'{"eval": {}, "samples": [1, 2 3, 4]}', 2, "',' or ']' is missing"),
        (b'{"eval": {}, "samples": [1, {"a" 2}, ' + b" " * 100 + b"4]}", 1, "Expecting ':' delimiter"),
        (b'{"eval": {}, "samples": [1, ' + b"[" * 100_000, 1, "nested too deeply"),
        (b'{"eval": {}, "samples": [1, ' + b"9" * 5_000 + b"]}", 1, "reading failed after sample 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damaged_files_are_refused(tmp_path: Path, data: bytes, read: int, said: str) -> None:
    """A file that is cut or damaged gives what is before the damage, then a sentence that says how far it was read."""
    before, sentence = refused(data, tmp_path / "file")
    assert said in sentence
    assert sentence.startswith(f"{tmp_path / 'file'}: ")
    assert before >= read
    assert "holds no samples" in sentence or f" {before} (" in sentence


def test_damaged_member_is_named(tmp_path: Path) -> None:
    """A member of an archive whose bytes are not what they were is named; those before it are read."""
    data = bytearray(inspect_eval(RECORDS, 0))
    data[data.index(b'"row-3"') + 2] ^= 1
    assert refused(bytes(data), tmp_path / "file")[0] == 3
    assert "samples/row-3_epoch_1.json" in refused(bytes(data), tmp_path / "file")[1]


@pytest.mark.parametrize("write", [plain, inspect_json, inspect_eval])
def test_units_have_a_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[list[Record]], bytes]) -> None:
    """A line or sample too long for memory is refused, however small the file that it unpacks from."""
    monkeypatch.setattr(sources, "MAX_UNIT", 5_000)
    monkeypatch.setattr(sources, "_CHUNK", 1_000)
    data = write([*RECORDS[:3], RECORDS[0] | {"response": "x" * 10_000}])
    read, sentence = refused(zstd(data), tmp_path / "file")
    assert read <= 3
    assert "longer than 5000" in sentence


def test_missing_file(tmp_path: Path) -> None:
    """A file that cannot be opened is refused when it is opened."""
    for path in (tmp_path, tmp_path / "none", "a\0b"):
        with pytest.raises(UnusableInput, match="cannot be read"), open_units(str(path)) as found:
            list(found)


@pytest.mark.parametrize("write", [plain, inspect_json, inspect_eval])
def test_memory_is_flat(tmp_path: Path, write: Callable[[list[Record]], bytes]) -> None:
    """A file of 12 MB is read in less than a third of it."""
    (tmp_path / "file").write_bytes(write([{**record, "response": "word " * 60_000} for record in RECORDS]))
    with open_units(str(tmp_path / "file")) as found:
        tracemalloc.start()
        assert sum(len(unit) for _, unit in found) > 12_000_000
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 6_000_000


WHOLE = [plain(RECORDS), gzip.compress(plain(RECORDS)), zstd(plain(RECORDS)), inspect_json(RECORDS), inspect_eval(RECORDS)]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.integers(0), st.binary(max_size=3)), max_size=4), st.integers(0, 3))
def test_damage_anywhere(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, changes: list[tuple[int, bytes]], cut: int
) -> None:
    """Whatever bytes of a file are changed or cut off, it gives units or a sentence."""
    data = bytearray(whole)
    for place, new in changes:
        place %= len(data)
        data[place : place + len(new)] = new
    if cut:
        del data[len(data) * cut // 4 :]
    try:
        found = units(bytes(data), tmp_path_factory.getbasetemp() / "damaged")
    except UnusableInput:
        return
    assert all(isinstance(unit, bytes) and number > 0 for number, unit in found)
