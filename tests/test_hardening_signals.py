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

# Ends the process at the n-th response that the ledger takes, whoever judged it, or at the n-th unit that a builder has back.
AT = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
sent, at, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
del sys.argv[1:4]
calls = 0

def after(real):
    def wrapped(*arguments, **more):
        global calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), sent)
        return real(*arguments, **more)
    return wrapped

if program == "rb_verify":
    from rb_verify import cli, ledger
    ledger.Ledger.enter = after(ledger.Ledger.enter)
else:
    from rb_build import cli, folder
    folder._write_file = after(folder._write_file)
cli.main()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small releases, predictions, and a report that is there already."""
    folder = tmp_path_factory.mktemp("signals")
    shelf: dict[str, Release] = shelve(folder)
    put(folder / "p.jsonl", *answers(shelf["tracebench"], samples=20))
    (folder / "old.json").write_text("old")
    return folder


def ended(place: Path, sent: signal.Signals, at: int, *arguments: str) -> None:
    """Run a command that is sent a signal at a drawn call, and see what is left."""
    before = sorted(path.name for path in place.iterdir())
    command = [sys.executable, "-c", AT, str(int(sent)), str(at), *arguments]
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, start_new_session=True, check=False)
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


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(("sent", "at"), [(signal.SIGINT, 1), (signal.SIGINT, 3), (signal.SIGTERM, 2), (signal.SIGHUP, 2)])
def test_verification(place: Path, sent: signal.Signals, at: int, workers: str) -> None:
    """In the middle of judging, by one process and by two."""
    outputs = ("--json", "old.json", "--details", "d.jsonl")
    ended(place, sent, at, "rb_verify", "p.jsonl", *outputs, "--workers", workers)


@pytest.mark.parametrize(("sent", "at"), [(signal.SIGINT, 1), (signal.SIGINT, 5), (signal.SIGTERM, 8)])
def test_a_build(place: Path, sent: signal.Signals, at: int) -> None:
    """In the middle of writing a release folder."""
    ended(place, sent, at, "rb_build", "build", "tracebench@0.1.0", "--out", "new", "--workers", "2")
