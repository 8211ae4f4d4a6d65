"""SIGINT, SIGTERM and SIGHUP end a command in the middle of its work: its code, one sentence, no half file, no process left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rb_verify.release import Release
from shelf import answers, put, shelve

# Sends the process a signal at the n-th call of what is at PLACE, a module and a name in it, then calls it.
AT = """
import importlib, os, signal, sys
sent, at, place, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
del sys.argv[1:5]
if sent != int(os.environ.get("IGNORED", 0)):
    signal.signal(sent, signal.default_int_handler if sent == signal.SIGINT else signal.SIG_DFL)
module, _, name = place.partition(":")
*path, name = name.split(".")
owner, calls = importlib.import_module(module), 0
for each in path:
    owner = getattr(owner, each)

def after(real):
    def wrapped(*arguments, **more):
        global calls
        calls += os.getpid() == parent
        if calls == at and os.getpid() == parent:
            os.kill(0 if "IGNORED" in os.environ else parent, sent)  # 0: the workers too, as a terminal that goes
        return real(*arguments, **more)
    return wrapped

parent = os.getpid()
setattr(owner, name, after(getattr(owner, name)))
importlib.import_module(f"{program}.cli").main()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small releases, predictions, and a report that is there already."""
    folder = tmp_path_factory.mktemp("signals")
    shelf: dict[str, Release] = shelve(folder)
    put(folder / "p.jsonl", *answers(shelf["tracebench"], samples=20))
    put(folder / "many.jsonl", *answers(shelf["tracebench"], samples=100))
    (folder / "old.json").write_text("old")
    return folder


def ended(place: Path, sent: signal.Signals, at: int, call: str, *arguments: str) -> None:
    """Run a command that is sent a signal at a call, and see what is left."""
    before = sorted(path.name for path in place.iterdir())
    command = [sys.executable, "-c", AT, str(int(sent)), str(at), call, *arguments]
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, start_new_session=True, timeout=120, check=False)
    assert run.returncode == 128 + sent, run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert "nothing stands half written under its final name, run it again" in run.stderr
    assert run.stdout == ""
    assert sorted(path.name for path in place.iterdir()) == before
    assert (place / "old.json").read_text() == "old"
    if os.path.isdir("/proc"):
        left = [path for path in Path("/proc").iterdir() if path.name.isdecimal() and _in(path, place)]
        assert left == []


def _in(process: Path, place: Path) -> bool:
    """Whether a process works in a folder."""
    try:
        return (process / "cwd").resolve() == place.resolve()
    except OSError:
        return False


OUTPUTS = ("--json", "old.json", "--details", "d.jsonl")
JUDGED, WRITTEN = "rb_verify.ledger:Ledger.enter", "rb_build.folder:_write_file"


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(("sent", "at"), [(signal.SIGINT, 1), (signal.SIGINT, 3), (signal.SIGTERM, 2), (signal.SIGHUP, 2)])
def test_verification(place: Path, sent: signal.Signals, at: int, workers: str) -> None:
    """In the middle of judging, by one process and by two."""
    ended(place, sent, at, JUDGED, "rb_verify", "p.jsonl", *OUTPUTS, "--workers", workers)


@pytest.mark.parametrize("call", ["rb_verify.files:_Text.write", "rb_verify.report:build", "pathlib:Path.replace"])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_writing(place: Path, sent: signal.Signals, call: str) -> None:
    """While details are written, the report is made, and just before the first file gets its final name."""
    ended(place, sent, 1, call, "rb_verify", "p.jsonl", *OUTPUTS)


@pytest.mark.parametrize(
    ("sent", "at", "call"),
    [
        (signal.SIGINT, 1, WRITTEN),
        (signal.SIGINT, 5, WRITTEN),
        (signal.SIGTERM, 8, WRITTEN),
        (signal.SIGTERM, 1, "pathlib:Path.rename"),
        (signal.SIGINT, 1, "rb_build.release:contents"),
    ],
)
def test_a_build(place: Path, sent: signal.Signals, at: int, call: str) -> None:
    """In the middle of building and of writing a release folder, and just before it gets its final name."""
    ended(place, sent, at, call, "rb_build", "build", "tracebench@0.1.0", "--out", "new", "--workers", "2")


def test_waiting_for_input_that_does_not_come(place: Path) -> None:
    """What reads from a pipe that is held open, into which nothing is written, ends at once."""
    os.mkfifo(place / "pipe")
    keeper = os.open(place / "pipe", os.O_RDWR)
    try:
        ended(place, signal.SIGINT, 1, "rb_verify.sources:_told_apart", "rb_verify", "pipe", *OUTPUTS)
    finally:
        os.close(keeper)
        (place / "pipe").unlink()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_that_is_ignored(place: Path, workers: str) -> None:
    """Under nohup a command goes on when the terminal is gone, and so do its workers."""
    hangup = str(int(signal.SIGHUP))
    command = [sys.executable, "-c", AT, hangup, "3", JUDGED, "rb_verify", "many.jsonl", "--workers", workers]
    shell = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *command]
    quiet = os.environ | {"IGNORED": hangup}
    run = subprocess.run(shell, cwd=place, env=quiet, capture_output=True, text=True, start_new_session=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "scored" in run.stdout
