"""Links, paths that climb, files that change while they are read, and disks that are full at any write."""

from __future__ import annotations

import errno
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from commands import rb_build, rb_verify
from rb_build import folder, recipe, sealed
from rb_build.errors import UnusableRecipe
from rb_verify import board, canonical, evaluation, files, submit_check
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.evaluation import evaluate_all
from rb_verify.files import scratch, written
from rb_verify.journal import journal
from rb_verify.release import Release, load, read_manifest
from rb_verify.sources import open_units
from shelf import answers, put
from small_recipe import small

# ---- Links and paths ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_written_through_a_link(there: bool, tmp_path: Path) -> None:
    """A link in the place of an output is refused, also one that leads nowhere; what it leads to stays as it is."""
    target = tmp_path / "elsewhere"
    if there:
        target.write_text("precious")
    (tmp_path / "out").symlink_to(target)
    with (
        pytest.raises(UnusableInput, match="out: is a link, and nothing is written through one"),
        written(tmp_path / "out") as _,
    ):
        raise AssertionError("it is refused before any work")
    assert target.exists() == there
    assert not there or target.read_text() == "precious"
    assert (tmp_path / "out").is_symlink()


def test_a_release_is_not_written_through_links_inside_it(tmp_path: Path) -> None:
    """A folder may be reached by a link, which its owner made; inside it, a link for a folder is refused, and one for a file
    is replaced."""
    (tmp_path / "real").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "file").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    contents = {"data/a": b"a", "data/deep/b": b"b", folder.LAST: b"{}"}
    folder.write(tmp_path / "link", contents)
    assert (tmp_path / "real" / "data" / "deep" / "b").read_bytes() == b"b"
    (tmp_path / "real" / "data" / "a").unlink()
    (tmp_path / "real" / "data" / "a").symlink_to(tmp_path / "file")
    folder.write(tmp_path / "link", contents)
    assert (tmp_path / "file").read_text() == "precious"
    assert not (tmp_path / "real" / "data" / "a").is_symlink()
    shutil.rmtree(tmp_path / "real" / "data" / "deep")
    (tmp_path / "real" / "data" / "deep").symlink_to(tmp_path / "outside")
    with pytest.raises(UnusableRecipe, match="deep: is a link, and nothing is written through one"):
        folder.write(tmp_path / "link", contents)
    assert not list((tmp_path / "outside").iterdir())


CLIMBING = ["../x", "/etc/passwd", "data/../../x", "data\\..\\x", "data/\0", "data/a\nb", "", "data//x", ".x", "data/"]


@pytest.mark.parametrize("name", CLIMBING, ids=map(ascii, CLIMBING))
def test_names_that_climb(name: str, shelf: dict[str, Release], tmp_path: Path) -> None:
    """A manifest that lists a path out of its folder, or no sane name, is refused, though its own digest is right."""
    manifest: dict[str, Any] = read_manifest(shelf["twosat"].path)
    old = next(path for path in manifest["files"] if path.startswith("data/"))
    manifest["files"][name] = manifest["files"].pop(old)
    for splits in manifest["configs"].values():
        for paths in splits.values():
            paths[:] = [name if path == old else path for path in paths]
    manifest["manifest_sha256"] = canonical.manifest_digest(manifest)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ReleaseMismatch) as caught:
        read_manifest(tmp_path)
    assert "$.files" in str(caught.value)


def test_names_are_quoted_safely(shelf: dict[str, Release], tmp_path: Path) -> None:
    """A stranger's file names, in a release or in a submission, write nothing to the terminal but themselves."""
    place = tmp_path / "release"
    shutil.copytree(shelf["twosat"].path, place)
    (place / "data" / "\x1b[31m\nx").write_text("")
    run = rb_build("check", place, "--workers", "1", cwd=tmp_path)
    assert run.returncode == 3
    assert "data/?[31m?x: is not in the manifest" in run.stdout
    entry = tmp_path / "entry"
    entry.mkdir()
    (entry / "submission.yaml").write_text("model: m")
    put(entry / "\x1b[31m\nx", *answers(shelf["twosat"])[:3], "bad")
    put(entry / "y", *answers(shelf["twosat"])[3:])
    run = rb_verify(entry, "--release", shelf["twosat"].path, cwd=tmp_path)
    assert run.returncode == 1
    assert "?[31m?x" in run.stderr
    assert "\x1b" not in run.stdout + run.stderr


def test_links_in_a_release_are_read_by_their_digest(shelf: dict[str, Release], tmp_path: Path) -> None:
    """The Hub's cache is made of links, so they are followed; one to anything else is another file, and a loop is none."""
    place = tmp_path / "release"
    shutil.copytree(shelf["twosat"].path, place)
    path = place / next(name for name in shelf["twosat"].manifest["files"] if name.startswith("data/"))
    path.rename(tmp_path / "kept")
    path.symlink_to(tmp_path / "kept")
    assert load(place).rows == shelf["twosat"].rows
    for target, said in (("/etc/passwd", "sha256 is"), ("/dev/zero", "the manifest says less"), (path.name, "is missing")):
        path.unlink()
        path.symlink_to(target)
        with pytest.raises(ReleaseMismatch, match=said):
            load(place)


def test_a_journal_is_a_file(tmp_path: Path) -> None:
    """What keeps nothing is no journal: a run could not go on from it."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(UnusableInput, match="is a device or a pipe"), journal(path, {}, lambda line: line["id"]):
            raise AssertionError("it is refused before any work")


# ---- Files that change --------------------------------------------------------------------------------------------


def grown(path: Path) -> None:
    """More is written to the end."""
    with path.open("ab") as stream:
        stream.write(b"{}\n")


def cut(path: Path) -> None:
    """The end is taken away."""
    os.truncate(path, path.stat().st_size // 2)


def touched(path: Path) -> None:
    """Other bytes, as many as before, at another time."""
    before = path.stat()
    path.write_bytes(bytes(before.st_size))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def replaced(path: Path) -> None:
    """Another file of the same bytes takes the name."""
    shutil.copy2(path, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def removed(path: Path) -> None:
    """The name is gone."""
    path.unlink()


CHANGES = [grown, cut, touched, replaced, removed]


@pytest.mark.parametrize("change", CHANGES)
def test_predictions_that_change_while_they_are_read(
    change: Callable[[Path], None], shelf: dict[str, Release], tmp_path: Path
) -> None:
    """What is reported must be what the file holds: any change until the last line is read is told; none afterwards."""
    path = put(tmp_path / "p.jsonl", *answers(shelf["twosat"]) * 40)
    assert path.stat().st_size > 2**17, "so that it is not read at once"
    with open_units(str(path)) as units:
        next(units)
        change(path)
        with pytest.raises(
            UnusableInput, match=r"p.jsonl: reading failed after line \d+ \(it was written or replaced meanwhile\)"
        ):
            list(units)
    path = put(tmp_path / "p.jsonl", *answers(shelf["twosat"]))
    with open_units(str(path)) as units:
        found = list(units)
        change(path)
    assert len(found) == len(answers(shelf["twosat"]))


def test_a_submission_that_changes_between_two_rounds(
    shelf: dict[str, Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claims for two configs are checked in two rounds, which must be of the same bytes."""
    release = shelf["reefbench"]
    monkeypatch.setenv("RB_RELEASES", str(release.path.parents[1]))
    (tmp_path / "submission.yaml").write_text("model: m")
    path = put(tmp_path / "p.jsonl", *answers(release))
    texts = [{"text": "both"}, {"text": "answer"}]
    claims = [evaluate_all([path], None, evaluation.Options(scorer=text, submission={"model": "m"}))[0].data for text in texts]
    (tmp_path / "report.json").write_text(json.dumps(claims))
    checks, _ = submit_check.check(tmp_path)
    assert all(each.passed for each in checks)
    rounds: list[int] = []

    def changing(*arguments: Any, **options: Any) -> Any:
        found = evaluate_all(*arguments, **options)
        rounds.append(len(found))
        if len(rounds) == 1:
            replaced(path)
        return found

    monkeypatch.setattr(submit_check, "evaluate_all", changing)
    with pytest.raises(UnusableInput, match="its files were written or replaced meanwhile"):
        submit_check.check(tmp_path)
    assert rounds == [1, 1]


# ---- Full disks ---------------------------------------------------------------------------------------------------


class Disk:
    """A disk that refuses its ``room``-th write, and all that follow."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self) -> None:
        """Account for a write."""
        self.room -= 1
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refusing(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Give streams of text a disk that is full after so many writes."""
    disk = Disk(room)
    real = io.TextIOWrapper.write

    def write(stream: files._Text, text: str) -> int:
        try:
            disk.write()
        except OSError as error:
            error.filename = stream.name
            raise
        return real(stream, text)

    monkeypatch.setattr(files._Text, "write", write)


@pytest.mark.parametrize("room", range(4))
def test_a_board_is_whole_or_as_it_was(room: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of several files each keeps its old bytes until all are written, and the one that failed is named."""
    names = ["a", "b", "c", "d"]
    board.write(tmp_path, dict.fromkeys(names, "old"))
    refusing(monkeypatch, room)
    with pytest.raises(
        UnusableInput, match=rf"{names[room]}: cannot be written \(No space left on device\); name another folder"
    ):
        board.write(tmp_path, dict.fromkeys(names, "new"))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(names, "old")
    refusing(monkeypatch, 4)
    board.write(tmp_path, dict.fromkeys(names, "new"))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(names, "new")


def fill(path: Path) -> None:
    """Write to a temporary file beside an output."""
    with written(path), scratch() as texts:
        texts.write("z")


def test_whose_disk_is_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of an output, of the temporary files beside it, and of a file that somebody else writes: each is told as itself."""
    with ExitStack() as stack:
        details, texts = stack.enter_context(written(tmp_path / "d")), stack.enter_context(scratch())
        details.write("x")
        texts.write("y")
        texts.seek(0)
        assert texts.read() == "y"
    assert (tmp_path / "d").read_text() == "x"
    with monkeypatch.context() as patch:
        refusing(patch, 0)
        with pytest.raises(UnusableInput, match="d: cannot be written"), written(tmp_path / "d") as details, scratch():
            details.write("z")
        with pytest.raises(UnusableInput, match=r"temporary files cannot be written .* \$TMPDIR"):
            fill(tmp_path / "d")
    with pytest.raises(FileNotFoundError), written(tmp_path / "d"), scratch():
        (tmp_path / "absent").read_bytes()
    assert (tmp_path / "d").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError), scratch():
        pass


@pytest.mark.parametrize("room", range(4))
def test_a_release_folder_is_whole_or_not_there(room: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At whatever file the disk is full, no folder appears, one that is there stays as it was, and nothing is left over."""
    contents = {"data/a": b"new", "data/b": b"new", "schemas/c": b"new", folder.LAST: b"new"}
    real = folder._write_file
    disk = Disk(room)

    def write(path: Path, data: bytes) -> None:
        if disk.room == 0:
            real(path, data[:1])  # part of it is there already
        disk.write()
        real(path, data)

    folder.write(tmp_path / "there", dict.fromkeys(contents, b"old"))
    monkeypatch.setattr(folder, "_write_file", write)
    for name in ("fresh", "there"):
        disk.room = room
        with pytest.raises(UnusableRecipe, match=rf"{name}: cannot be written \(No space left on device\)"):
            folder.write(tmp_path / name, contents)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert {(tmp_path / "there" / name).read_bytes() for name in contents} == {b"old"}


def test_no_half_a_secret_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A seed file that the disk refuses is taken away again, so that the same command can make it later."""
    secret = recipe.parse(small(), "small")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", lambda handle: Disk(0).write())
        with pytest.raises(UnusableRecipe, match=r"seed: cannot be written \(No space left on device\)"):
            sealed.seal(tmp_path / "seed", secret)
    assert not list(tmp_path.iterdir())
    sealed.seal(tmp_path / "seed", secret)
    assert (tmp_path / "seed").read_bytes() == secret.source
    with pytest.raises(UnusableRecipe, match="File exists"):
        sealed.seal(tmp_path / "seed", secret)
    assert (tmp_path / "seed").read_bytes() == secret.source, "and one that is there is never touched"


def test_a_journal_goes_on_after_a_full_disk(tmp_path: Path) -> None:
    """Of a line that was cut nothing stays, all before it does, and nothing is there twice."""
    lines = [{"id": str(number), "text": "x" * 50} for number in range(9)]
    path = tmp_path / "j"

    def fill(room: int) -> None:
        """Add lines in a process whose files can have so many bytes."""
        script = (
            "import json, resource, sys; from pathlib import Path; from rb_verify.journal import journal\n"
            "lines, room = json.loads(sys.argv[1]), int(sys.argv[2])\n"
            "with journal(Path('j'), {}, lambda line: line['id']) as book:\n"
            "    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))\n"
            "    [book.add(line) for line in lines if line['id'] not in book.done]\n"
        )
        command = [sys.executable, "-c", script, json.dumps(lines), str(room)]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (run.returncode == 0) == (room == 10**6)
        assert room == 10**6 or "j: cannot be written (File too large); make room, and run again" in run.stderr

    for room in (30, 100, 333, 10**6):
        fill(room)
        assert room == 10**6 or path.stat().st_size == room
    assert [json.loads(line) for line in path.read_text().splitlines()] == lines


@pytest.fixture(scope="module")
def long(shelf: dict[str, Release], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with predictions enough for some hundred KB of temporary files."""
    place = tmp_path_factory.mktemp("disk")
    put(place / "p.jsonl", *answers(shelf["twosat"], samples=20))
    return place


@pytest.mark.parametrize("room", [0, 700, 5_000, 60_000])
def test_every_output_under_a_limit(room: int, long: Path, shelf: dict[str, Release]) -> None:
    """With files of at most so many bytes, temporary ones too: exit code 2, one sentence, old files whole, none left over."""
    names = ["r.json", "d.jsonl"]
    for name in names:
        (long / name).write_text("old")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    options = ["--json", "r.json", "--details", "d.jsonl", "--release", str(shelf["twosat"].path)]
    command = [sys.executable, "-B", "-m", "rb_verify", "p.jsonl", *options]
    run = subprocess.run(command, cwd=long, capture_output=True, text=True, preexec_fn=limited, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.count("\n") == 1
    assert "cannot be written" in run.stderr
    assert [(long / name).read_text() for name in names] == ["old", "old"]
    assert sorted(path.name for path in long.iterdir()) == ["d.jsonl", "p.jsonl", "r.json"]
