"""Streams that are closed or full: every command ends with its documented code, one sentence at most, and whole files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rb_verify.release import Release
from shelf import answers, put

CLOSED, UNUSABLE = 141, 2
MODULES = {
    "rb-verify": "rb_verify",
    "rb-compare": "rb_verify.compare_cli",
    "rb-run": "rb_verify.run_cli",
    "rb-parse": "rb_verify.parse_cli",
    "rb-build": "rb_build",
}
FULL = "cannot be written (No space left on device)"


@pytest.fixture(scope="module")
def place(shelf: dict[str, Release], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with predictions, of which two are missing, and a report on them."""
    folder = tmp_path_factory.mktemp("streams")
    put(folder / "p.jsonl", *answers(shelf["twosat"])[:-2])
    run = shell(folder, shelf, "rb-verify p.jsonl --json report.json")
    assert run.returncode == 1, run.stderr
    return folder


def shell(folder: Path, shelf: dict[str, Release], line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, which fails where any part of a pipe does. The commands in it are of this checkout."""
    for name, module in MODULES.items():
        line = line.replace(f"{name} ", f"{sys.executable} -m {module} ")
    given = os.environ | {"RB_RELEASES": str(shelf["twosat"].path.parents[1])}
    command = ["bash", "-c", f"set -o pipefail; {line}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=given, check=False)


LINES = {
    "a table, nothing missing or not": "rb-verify p.jsonl",
    "help": "rb-verify --help",
    "a version": "rb-compare --version",
    "a path": "rb-compare report.json --out board",
    "rich tables": "rb-parse labelled --parser rules --set before",
    "many lines": "rb-build gold $RB_RELEASES/twosat/0.1.0",
    "another command's help": "rb-run --help",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_nobody_reads_on(line: str, place: Path, shelf: dict[str, Release]) -> None:
    """Into a pipe that nobody reads, any output ends with exit code 141, whatever the code would have been."""
    run = shell(place, shelf, f"{line} | true")
    assert run.returncode == CLOSED
    assert "Error" not in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("streams", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_started_without_streams(streams: str, place: Path, shelf: dict[str, Release]) -> None:
    """Without standard output a command works, writes its files whole, none of them in a stream's place, and says so."""
    (place / "report.json").rename(place / "before.json")
    run = shell(place, shelf, f"rb-verify p.jsonl --json report.json --details d.jsonl {streams}")
    assert run.returncode == CLOSED
    assert (place / "report.json").read_bytes() == (place / "before.json").read_bytes()
    assert len((place / "d.jsonl").read_text().splitlines()) == len(shelf["twosat"].rows)


def test_started_without_input(place: Path, shelf: dict[str, Release]) -> None:
    """Standard input that is closed is empty."""
    run = shell(place, shelf, "rb-verify - <&-")
    assert (run.returncode, run.stderr) == (
        UNUSABLE,
        "rb-verify: -: holds no predictions; write one JSON object {id, response} a line\n",
    )


def test_without_anyone_to_listen(place: Path, shelf: dict[str, Release]) -> None:
    """Where standard error is closed, full or broken, the exit code alone tells."""
    for stream in ("2>&-", "2> /dev/full", "2> >(true)"):
        assert shell(place, shelf, f"rb-verify absent.jsonl {stream}").returncode == UNUSABLE


@pytest.mark.parametrize("line", ["rb-verify p.jsonl", "rb-build gold $RB_RELEASES/twosat/0.1.0"])
def test_output_that_is_full(line: str, place: Path, shelf: dict[str, Release]) -> None:
    """Exit code 2, also where lines are missing, and one sentence on it."""
    run = shell(place, shelf, f"{line} > /dev/full")
    assert run.returncode == UNUSABLE
    assert run.stderr.splitlines()[-1].endswith(f"{FULL}; make room, or name another folder with $TMPDIR")
    assert run.stderr.count(FULL) == 1


@pytest.mark.parametrize("option", ["--json", "--details", "--html"])
def test_a_device_is_written_straight(option: str, place: Path, shelf: dict[str, Release]) -> None:
    """A device keeps its place, and its failures are told by its name; a pipe gets all of it."""
    run = shell(place, shelf, f"rb-verify p.jsonl {option} /dev/full")
    assert run.returncode == UNUSABLE
    assert run.stderr == f"rb-verify: /dev/full: {FULL}; name another file\n"
    assert Path("/dev/full").is_char_device()
    run = shell(place, shelf, f"rb-verify p.jsonl {option} >(cat > piped) > /dev/null; sleep 0.2")
    assert (place / "piped").stat().st_size > 1000
    if option == "--json":
        assert json.loads((place / "piped").read_text())["n"] == len(shelf["twosat"].rows)
