"""rb-verify --submit-check: an honest submission passes, and each way to claim too much is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import rb_verify
from rb_verify.evaluation import Options, evaluate_all
from rb_verify.release import Release
from rb_verify.submission import read_folder
from rb_verify.submit_check import Check, check
from shelf import answers, put, shelve

SAID = "model: M-1\norganisation: Lab\ndate: 2026-11-30\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with releases, and an honest submission to two of them, one in several files."""
    folder = tmp_path_factory.mktemp("submit")
    shelf: dict[str, Release] = shelve(folder)
    entry = folder / "honest"
    entry.mkdir()
    (entry / "submission.yaml").write_text(SAID)
    (entry / "README.md").write_text("about")
    said = answers(shelf["reefbench"])
    put(entry / "reefbench-1.jsonl", *said[:9])
    put(entry / "reefbench-2.jsonl", *said[9:])
    put(entry / "twosat.jsonl", *answers(shelf["twosat"]))
    return folder


@pytest.fixture
def entry(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the submission, with the reports that it claims."""
    monkeypatch.chdir(place)
    folder = tmp_path / "entry"
    shutil.copytree(place / "honest", folder)
    if not (place / "claims.json").exists():
        said, files = read_folder(folder)
        reports = evaluate_all(files, options=Options(submission=said))
        (place / "claims.json").write_text(json.dumps([report.data for report in reports]))
    shutil.copy(place / "claims.json", folder / "report.json")
    return folder


def failed(entry: Path) -> dict[str, str]:
    """The checks that fail, with what they found."""
    return {each.what: each.found for each in check(entry)[0] if not each.passed}


def test_an_honest_submission(entry: Path, place: Path) -> None:
    """Every check passes, and what was computed here comes out."""
    checks, reports = check(entry)
    assert all(each.passed for each in checks)
    assert [each.what for each in checks] == [
        "schema",
        *(f"{name} default: {what}" for name in ("reefbench", "twosat") for what in ("completeness", "signature", "scores")),
    ]
    assert [report.data for report in reports] == json.loads((place / "claims.json").read_bytes())


def changed(entry: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change what a submission claims."""
    claims = json.loads((entry / "report.json").read_bytes())
    change(claims)
    (entry / "report.json").write_text(json.dumps(claims))


FORGERIES: dict[str, tuple[Callable[[list[dict[str, Any]]], object], str, str]] = {
    "score": (lambda c: c[1].update(score=0.99), "twosat default: scores", "score is claimed as 0.99, computed 0."),
    "interval": (lambda c: c[1].update(interval=[0.1, 0.9]), "twosat default: scores", "interval[0] is claimed as 0.1"),
    "count": (lambda c: c[0]["counts"].update(correct=24), "reefbench default: scores", "counts.correct is claimed as 24"),
    "cluster": (
        lambda c: c[0]["clusters"]["3"].update({next(iter(c[0]["clusters"]["3"])): [7, 1]}),
        "reefbench default: scores",
        "clusters.3.",
    ),
    "process": (
        lambda c: c[0]["reefbench"]["process"]["tokens"].update(value=1),
        "reefbench default: scores",
        "reefbench.process.tokens.value is claimed as 1, computed ",
    ),
    "model": (
        lambda c: c[1]["submission"].update(model="M-2"),
        "twosat default: scores",
        "submission.model is claimed as 'M-2'",
    ),
    "verifier": (
        lambda c: c[1].update(signature=c[1]["signature"].replace("parser:json-", "parser:json-9")),
        "twosat default: signature",
        "parser:json-9",
    ),
    "partial": (lambda c: c[1].update(partial=True), "twosat default: completeness", "none missing"),
    "unclaimed": (lambda c: c.pop(), "twosat", "has rows here, but no score of them is claimed"),
    "of nothing": (
        lambda c: c.append({**c[1], "dataset": "tracebench", "tracebench": {}}),
        "tracebench default",
        "is claimed, but no file has rows of it",
    ),
    "schema": (
        lambda c: c[1].update(n=-1),
        "schema",
        "report 2 of 2 is no report of this version ($.n: -1 is less than the minimum of 0)",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_is_claimed_too_much_is_named(entry: Path, name: str) -> None:
    """A claim that does not come out fails its own check, with both values."""
    change, what, found = FORGERIES[name]
    changed(entry, change)
    assert found in failed(entry)[what]


def test_a_row_that_is_missing(entry: Path) -> None:
    """An incomplete submission fails, though its claim be the true score of it."""
    file = entry / "twosat.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[1:]))
    said, files = read_folder(entry)
    (entry / "report.json").write_text(json.dumps([r.data for r in evaluate_all(files, options=Options(submission=said))]))
    assert list(failed(entry)) == ["twosat default: completeness"]
    assert failed(entry)["twosat default: completeness"].startswith("1 problems, first missing: twosat-0-1-0-")


def test_another_config_is_a_claim_of_its_own(entry: Path) -> None:
    """Reports of other configs and options are computed with theirs."""
    said, files = read_folder(entry)
    (further,) = evaluate_all(files, options=Options("main", scorer={"text": "answer"}, submission=said))
    (entry / "report-main.json").write_text(further.to_json())
    checks, reports = check(entry)
    assert [each.what for each in checks if not each.passed] == []
    assert sorted((r.data["dataset"], r.data["config"]) for r in reports) == [
        *(("reefbench", "default"), ("reefbench", "main"), ("twosat", "default")),
    ]


def test_without_claims_or_description(entry: Path) -> None:
    """A folder without report.json, or with a description that the schema refuses, fails in words."""
    (entry / "report.json").unlink()
    assert "no report.json; run rb-verify" in failed(entry)["claims"]
    (entry / "submission.yaml").write_text("model: M-1\ndate: yesterday\n")
    (found,) = check(entry)[0]
    assert found == Check("schema", False, found.found)
    assert "$.date: 'yesterday' does not match" in found.found


def test_the_command(entry: Path, place: Path) -> None:
    """One line a check on stdout, exit 0 or 1, the computed reports as JSON; control characters of a model are not printed."""
    run = rb_verify("--submit-check", entry, "--json", "computed.json", cwd=place)
    assert (run.returncode, run.stderr) == (0, "")
    assert [line[:5] for line in run.stdout.splitlines()] == ["ok   "] * 7
    assert [report["dataset"] for report in json.loads((place / "computed.json").read_bytes())] == ["reefbench", "twosat"]
    changed(entry, lambda claims: claims[1].update(score=1))
    (entry / "submission.yaml").write_text('model: "M\\u001b[31m"\n')
    run = rb_verify("--submit-check", entry, cwd=place)
    assert (run.returncode, run.stderr) == (1, "")
    assert "FAIL twosat default: scores: " in run.stdout
    assert "\x1b" not in run.stdout
    run = rb_verify("--submit-check", entry, "--partial", cwd=place)
    assert (run.returncode, "--submit-check takes --release, --json, --workers and --executor" in run.stderr) == (2, True)
    run = rb_verify("--submit-check", entry / "twosat.jsonl", cwd=place)
    assert (run.returncode, "is no folder" in run.stderr) == (2, True)
