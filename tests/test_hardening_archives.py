"""What unpacks to far more than it holds: one sentence, in bounded memory, whatever packs it and wherever it is read."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rb_verify import ledger, sources
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.evaluation import evaluate_all
from rb_verify.files import MAX_DOCUMENT, TooLarge, read
from rb_verify.release import Release, read_file, read_manifest
from rb_verify.submission import MAX_REPORT_BYTES, read_reports, read_submission
from shelf import answers, put

MEMORY = 2**30  # bytes of address space: what judging takes, and a few units
PIECE = b"a" * 2**20
PIECES = 80


def line() -> Iterator[bytes]:
    """One line of 80 MB."""
    yield b'{"id": "'
    yield from [PIECE] * PIECES


def log() -> Iterator[bytes]:
    """One sample of 80 MB in an Inspect log."""
    yield b'{"version": 2, "eval": {}, "samples": [{"id": "'
    yield from [PIECE] * PIECES


def packed(kind: str, path: Path) -> Path:
    """A file of some 300 KB or less that unpacks to 80 MB."""
    if kind == "zip":
        archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        with archive, archive.open("samples/1_epoch_1.json", "w", force_zip64=True) as member:
            member.writelines(line())
        return path
    if kind == "zstd":
        zstd = pytest.importorskip("backports.zstd")
        with zstd.open(path, "wb") as stream:
            stream.writelines(line())
        return path
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.writelines(log() if kind == "log" else line())
    return path


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("gzip", "after line 0 (the next is longer than 67108864 bytes)"),
        ("zstd", "after line 0 (the next is longer than 67108864 bytes)"),
        ("zip", "after sample 0 ('samples/1_epoch_1.json' is longer than 67108864 bytes)"),
        ("log", "after sample 0 (the next value is longer than 67108864 characters)"),
    ],
)
def test_a_unit_that_no_memory_holds(kind: str, said: str, shelf: dict[str, Release], tmp_path: Path) -> None:
    """80 MB out of 2 MB at most are refused by a process that may have 1 GiB of addresses, its libraries included."""
    path = packed(kind, tmp_path / "packed")
    assert path.stat().st_size < 2 * 2**20

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    command = [sys.executable, "-m", "rb_verify", "packed", "--release", str(shelf["twosat"].path)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limited, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"rb-verify: packed: reading failed {said}; make the file whole again\n"


def test_the_longest_unit_that_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A line one byte shorter than the bound is read, the next longer one is not."""
    monkeypatch.setattr(sources, "MAX_UNIT", 1000)
    path = tmp_path / "p"
    for length, whole in ((999, True), (1000, False)):
        path.write_bytes(b"x" * length)
        with sources.open_units(str(path)) as units:
            if whole:
                assert list(units) == [(1, b"x" * length)]
            else:
                with pytest.raises(UnusableInput, match="longer than 1000 bytes"):
                    list(units)


@pytest.mark.parametrize("size", [1, 10**6])
def test_a_member_whose_size_is_a_lie(size: int, tmp_path: Path) -> None:
    """An archive that says another size than its member has, smaller or larger, is damaged; nothing is scored of it."""
    pytest.importorskip("backports.zstd")
    path = tmp_path / "log.eval"
    text = json.dumps({"id": "x", "epoch": 1, "text": "y" * 5000}).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1_epoch_1.json", text)
    data = path.read_bytes()
    assert data.count(len(text).to_bytes(4, "little")) == 2, "in the member's header and in the directory"
    path.write_bytes(data.replace(len(text).to_bytes(4, "little"), size.to_bytes(4, "little")))
    with sources.open_units(str(path)) as units, pytest.raises(UnusableInput, match="after sample 0"):
        list(units)


def test_an_archive_in_an_archive_is_not_opened(shelf: dict[str, Release], tmp_path: Path) -> None:
    """One layer is unpacked; what is packed in it is no line."""
    inner = gzip.compress(json.dumps(answers(shelf["twosat"])[0]).encode())
    (tmp_path / "p").write_bytes(gzip.compress(inner))
    with pytest.raises(UnusableInput, match="no line can be used"):
        evaluate_all([tmp_path / "p"], shelf["twosat"])


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("text", ["x", '{"id": "unknown-1-0-0-a", "response": ""}'])
def test_a_flood_of_bad_lines(
    named: bool, text: str, shelf: dict[str, Release], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Problems are listed one by one, so there is an end to them: a small file can unpack to any number of bad lines."""
    monkeypatch.setattr(ledger, "MAX_PROBLEMS", 500)
    first = answers(shelf["twosat"])[0]
    release = shelf["twosat"] if named else None
    monkeypatch.setenv("RB_RELEASES", str(shelf["twosat"].path.parents[1]))
    path = put(tmp_path / "p", first, *[text] * 490)
    (report,) = evaluate_all([path], release)
    assert sum(problem["line"] is not None for problem in report.data["problems"]) == 490
    path = put(tmp_path / "p", *[text] * 700, first)
    with pytest.raises(UnusableInput, match="more than 500 lines cannot be scored, and line 1 "):
        evaluate_all([path], release)


def sparse(path: Path, size: int) -> Path:
    """A file of nothing but zeros, which takes no place on the disk."""
    with path.open("wb") as stream:
        stream.truncate(size)
    return path


def test_documents_have_a_bound(shelf: dict[str, Release], tmp_path: Path) -> None:
    """Reports, descriptions, manifests and the files of a release: larger ones, or devices without end, are not read."""
    for path in (sparse(tmp_path / "report.json", MAX_REPORT_BYTES + 1), Path("/dev/zero")):
        with pytest.raises(UnusableInput, match=f"is larger than {MAX_REPORT_BYTES} bytes"):
            read_reports(path)
    with pytest.raises(UnusableInput, match="is larger than 65536 bytes"):
        read_submission(sparse(tmp_path / "submission.yaml", 2**40))
    with pytest.raises(TooLarge, match="larger than 10 bytes"):
        read(sparse(tmp_path / "x", 11), 10)
    assert read(sparse(tmp_path / "x", 10), 10) == bytes(10)
    sparse(tmp_path / "manifest.json", MAX_DOCUMENT + 1)
    with pytest.raises(ReleaseMismatch, match=f"larger than {MAX_DOCUMENT} bytes"):
        read_manifest(tmp_path)
    manifest = read_manifest(shelf["twosat"].path)
    name = next(iter(manifest["files"]))
    (tmp_path / name).parent.mkdir(exist_ok=True)
    sparse(tmp_path / name, 2**40)
    with pytest.raises(ReleaseMismatch, match="the manifest says less"):
        read_file(tmp_path, manifest, name)


def test_documents_that_are_nested_without_end(tmp_path: Path) -> None:
    """Deep JSON is one sentence, in a manifest as in a recipe."""
    from rb_build import recipe
    from rb_build.errors import UnusableRecipe

    path = tmp_path / "manifest.json"
    path.write_text("[" * 10**5)
    with pytest.raises(ReleaseMismatch, match="cannot be read as JSON"):
        read_manifest(tmp_path)
    with pytest.raises(UnusableRecipe, match="is not JSON"):
        recipe.read(path)


BOMBS = {
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nmodel: m\nc: [*b, *b]\n",
    "merge keys": "a: &a {x: 1}\nb: &b {<<: [*a, *a]}\nmodel: m\n",
    "depth": "model: " + "[" * 2000,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_description_that_would_grow(kind: str, tmp_path: Path) -> None:
    """YAML whose values are made of themselves is refused before it is built, and so is what is nested too deeply."""
    path = tmp_path / "submission.yaml"
    path.write_text(BOMBS[kind])
    with pytest.raises(UnusableInput, match=r"submission.yaml: is not YAML \("):
        read_submission(path)
