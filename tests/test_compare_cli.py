"""The command rb-compare: what it writes and refuses, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import rb_compare, rb_verify
from compare_cases import EVIL, constant, mixed, scored
from rb_verify.release import Release
from rb_verify.schema import violations
from shelf import shelve

FILES = ["board.csv", "board.json", "board.md", "index.html"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small releases and reports: good, bad and hostile ones of TRACE, an array of the other datasets."""
    folder = tmp_path_factory.mktemp("compare")
    releases = shelve(folder)
    release = releases["tracebench"]
    keep(folder / "good.json", scored(release, folder, release.scorer.perfect, model="Good", mode="long"))
    keep(folder / "bad.json", scored(release, folder, constant(release), release.rows[1:], model="Bad"))
    keep(folder / "hostile.json", scored(release, folder, mixed(release, 0.5), model=EVIL, organisation="=1+1"))
    keep(folder / "others.json", [other(releases[name], folder) for name in ("reefbench", "twosat")])
    return folder


def keep(path: Path, report: Any) -> None:
    """Write a report."""
    path.write_text(json.dumps(report))


def other(release: Release, folder: Path) -> dict[str, Any]:
    """A report of a perfect submission."""
    return scored(release, folder, release.scorer.perfect, model="Good")


def test_files_are_written_alike_every_time(place: Path, tmp_path: Path) -> None:
    """Four files, byte for byte the same whatever the hash seed and the order of the reports; what else is there stays."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "mine.txt").write_text("mine")
    (tmp_path / "one" / "board.md").write_text("an older one")
    reports = ["good.json", "bad.json", "hostile.json", "others.json"]
    first = rb_compare(*reports, "--reference", "--out", tmp_path / "one", cwd=place, PYTHONHASHSEED="1")
    second = rb_compare(*reports[::-1], "--reference", "--out", tmp_path / "two", cwd=place, PYTHONHASHSEED="2")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == sorted([*FILES, "mine.txt"])
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == FILES
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    assert (tmp_path / "one" / "mine.txt").read_text() == "mine"
    data = json.loads((tmp_path / "one" / "board.json").read_bytes())
    assert violations(data, "board") == []
    assert [(b["dataset"], [m["name"] for m in b["models"]]) for b in data["boards"]] == [
        ("reefbench", ["Good"]),
        ("tracebench", ["Good", EVIL, "Bad"]),
        ("twosat", ["Good"]),
    ]
    assert first.stdout == f"{tmp_path / 'one' / 'index.html'}\n"
    assert "tracebench 0.1.0, config default: 3 models" in first.stderr


def test_partial_reports_are_refused(place: Path) -> None:
    """What rb-verify scores with --partial cannot be compared; the sentence names the file and the cure."""
    (place / "some.jsonl").write_text((place / "predictions.jsonl").read_text().splitlines()[0] + "\n")
    run = rb_verify("some.jsonl", "--release", "releases/twosat/0.1.0", "--partial", "--json", "some.json", cwd=place)
    assert run.returncode == 0, run.stderr
    run = rb_compare("some.json", "--out", "refused", cwd=place)
    assert run.returncode == 2
    assert run.stderr.startswith("rb-compare: some.json: is partial: ")
    assert "without --partial" in run.stderr
    assert not (place / "refused").exists()


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (["absent.json", "--out", "x"], "absent.json: cannot be read (No such file or directory)"),
        (["releases", "--out", "x"], "releases: cannot be read (Is a directory)"),
        (["predictions.jsonl", "--out", "x"], "predictions.jsonl: is not JSON"),
        (["good.json", "good.json", "--out", "x"], "good.json and good.json are both of a model 'Good · long'"),
    ],
)
def test_refusals(arguments: list[str], phrase: str, place: Path) -> None:
    """Unusable input is one sentence and exit code 2, and nothing is written."""
    run = rb_compare(*arguments, cwd=place)
    assert run.returncode == 2
    assert phrase in run.stderr
    assert run.stderr.count("\n") == 1
    assert not (place / "x").exists()


def test_arguments_are_needed(place: Path) -> None:
    """Without reports or a folder the command says what is missing."""
    for arguments, phrase in ((["--out", "x"], "REPORT"), (["good.json"], "--out")):
        run = rb_compare(*arguments, cwd=place)
        assert run.returncode == 2
        assert phrase in run.stderr


def test_help_and_version(tmp_path: Path) -> None:
    """--help tells the options and the exit codes."""
    from rb_verify import __version__

    assert rb_compare("--version", cwd=tmp_path).stdout == f"rb-compare {__version__}\n"
    shown = rb_compare("--help", cwd=tmp_path, COLUMNS="200").stdout
    for text in ("--out", "--reference", "index.html", "Exit codes: 0 written"):
        assert text in shown


def test_missing_library_is_said(place: Path) -> None:
    """Where the page's libraries are not installed, one sentence names the extra, and nothing is written."""
    (place / "hidden").mkdir(exist_ok=True)
    (place / "hidden" / "matplotlib.py").write_text("raise ImportError('hidden')\n")
    run = rb_compare("good.json", "--out", "x", cwd=place, PYTHONPATH=str(place / "hidden"))
    assert run.returncode == 2
    assert "pip install 'rb-verify[report]'" in run.stderr
    assert not (place / "x").exists()
