"""The command rb-verify: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import rb_verify
from rb_verify import tracebench
from rb_verify.schema import violations


@pytest.fixture(scope="module")
def place(rows: list[dict[str, Any]], release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with submissions: perfect, mixed (some wrong, one line bad) and hostile."""
    folder = tmp_path_factory.mktemp("cli")
    lines = [{"id": row["id"], "response": tracebench.perfect(row)} for row in rows]
    (folder / "perfect.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    lines[1]["response"] = '{"final_answer": "Unsure"}'
    (folder / "mixed.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:-1]) + "bad line\n")
    evil = "\x1b[31m<script>alert(1)</script>|`\u202e[bold]x[/bold]"
    lines[0]["response"] = json.dumps({"reasoning": [[evil, "before", evil], evil], "final_answer": "YES"})
    hostile = [*lines, {"id": evil, "response": "x"}]
    (folder / "hostile.jsonl").write_text("".join(json.dumps(line) + "\n" for line in hostile))
    return folder


def test_version_and_help(tmp_path: Path) -> None:
    """--version and --help work anywhere; help tells the exit codes."""
    from rb_verify import __version__

    assert rb_verify("--version", cwd=tmp_path).stdout == f"rb-verify {__version__}\n"
    shown = rb_verify("--help", cwd=tmp_path, COLUMNS="200").stdout
    for text in (
        "--release",
        "--json",
        "--details",
        "--format",
        "--partial",
        "--explain",
        "--submission",
        "Exit codes: 0 scored",
    ):
        assert text in shown


def test_submission_is_repeated(place: Path, release: Path) -> None:
    """What a submission says of its model stands in the report, shown as text; what the schema refuses is said."""
    said = {"model": "[bold]M-1[/bold]\x1b[31m", "parameters": "32B", "decoding": {"temperature": 0.6, "max_tokens": 8192}}
    (place / "model.json").write_text(json.dumps(said))
    run = rb_verify("perfect.jsonl", "--release", release, "--submission", "model.json", "--json", "report.json", cwd=place)
    assert run.returncode == 0, run.stderr
    assert json.loads((place / "report.json").read_bytes())["submission"] == said
    assert "[bold]M-1[/bold]?[31m" in run.stdout
    assert "temperature 0.6, max_tokens 8192" in run.stdout
    for text, fault in (('{"model": 1}', "$.model: 1 is not of type 'string'"), ("{", "is not JSON"), ('{"x": 1}', "'model'")):
        (place / "broken.json").write_text(text)
        run = rb_verify("perfect.jsonl", "--release", release, "--submission", "broken.json", cwd=place)
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr.startswith("rb-verify: broken.json: ")
        assert fault in run.stderr
    run = rb_verify("perfect.jsonl", "--release", release, "--submission", "absent.json", cwd=place)
    assert (run.returncode, "absent.json: cannot be read" in run.stderr) == (2, True)


def test_complete(place: Path, release: Path) -> None:
    """A complete submission: exit 0, tables on stdout with signature, nothing on stderr."""
    run = rb_verify("perfect.jsonl", "--release", release, cwd=place)
    assert (run.returncode, run.stderr) == (0, "")
    assert "tracebench|v:1.0.0|config:default|digest:" in run.stdout
    assert "1200 scored (1200 correct, 0 incorrect, 0 unparsed, 0 missing); complete" in run.stdout
    for heading in (
        "Score and accuracy by level",
        "What needs no reasoning scores",
        "Table 4",
        "Tables 5 and 6",
        "Beyond the paper",
    ):
        assert heading in run.stdout


def test_incomplete(place: Path, release: Path, tmp_path: Path) -> None:
    """Bad and missing lines: exit 1, scored all the same, each listed with file and line on stderr and in the report."""
    out = tmp_path / "report.json"
    run = rb_verify("mixed.jsonl", "--release", release, "--json", out, cwd=place)
    assert run.returncode == 1
    assert "mixed.jsonl:1200: bad_line: is not JSON" in run.stderr
    assert "mixed.jsonl: missing: tracebench-1-0-0-d185-g39-q4 has no prediction" in run.stderr
    report = json.loads(out.read_text())
    assert not violations(report, "report")
    assert report["counts"] == {"correct": 1198, "incorrect": 1, "unparsed": 0, "missing": 1}
    assert {problem["kind"] for problem in report["problems"]} == {"bad_line", "missing"}


def test_formats_agree(place: Path, release: Path) -> None:
    """JSON on stdout is the whole report; Markdown shows the same score and signature; stdout holds nothing else."""
    report = json.loads(rb_verify("mixed.jsonl", "--release", release, "--format", "json", cwd=place).stdout)
    markdown = rb_verify("mixed.jsonl", "--release", release, "--format", "markdown", cwd=place).stdout
    assert f"| score | {100 * report['score']:.2f} |" in markdown
    assert f"`{report['signature']}`" in markdown
    table = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert len({line.count("|") for line in table if "D-" in line}) == 1


def test_hostile_text_is_only_text(place: Path, release: Path, tmp_path: Path) -> None:
    """No control character, markup or bidi mark from a submission reaches terminal or Markdown; details keep it as JSON."""
    details = tmp_path / "details.jsonl"
    for form in ("table", "markdown"):
        run = rb_verify("hostile.jsonl", "--release", release, "--format", form, "--details", details, cwd=place)
        assert run.returncode == 1
        for text in (run.stdout, run.stderr):
            assert "\x1b" not in text
            assert "\u202e" not in text
    first = json.loads(details.read_text().splitlines()[0])
    assert first["steps"][0]["verdict"] == "unknown_event"
    assert "\x1b[31m<script>" in first["steps"][0]["claim"]
    shown = rb_verify("hostile.jsonl", "--release", release, "--explain", first["id"], cwd=place).stdout
    assert "\x1b" not in shown
    assert "?[31m<script>" in shown


def test_explain(place: Path, release: Path, rows: list[dict[str, Any]]) -> None:
    """--explain prints one verdict in words: question, answers, and each step with what the facts leave."""
    row = rows[300]
    run = rb_verify("mixed.jsonl", "--release", release, "--explain", row["id"], cwd=place)
    assert run.returncode == 0
    q, step = row["question"], row["proof"][0]
    assert f"question: {q['from']} {q['relation']} {q['to']}? gold answer {row['answer']}" in run.stdout
    assert f"answer given: {row['answer']}" in run.stdout
    claim = f"{step['from']} {'|'.join(step['set'])} {step['to']}"
    assert f"step 1: {claim}: exact, supported; the facts leave {'|'.join(step['set'])}" in run.stdout
    wrong = rb_verify("mixed.jsonl", "--release", release, "--explain", "tracebench-1-0-0-d000", cwd=place)
    assert (wrong.returncode, "no such row" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["perfect.jsonl", "--release", "nowhere"], "nowhere: no such release folder"),
        (["perfect.jsonl", "--release", "."], "no manifest.json there"),
        (["perfect.jsonl", "--format", "pdf"], "pdf"),
        (
            ["perfect.jsonl", "--config", "d999", "--release", "RELEASE"],
            "no config 'd999' with a test split; choose one of d010",
        ),
        (["perfect.jsonl", "--release", "RELEASE", "--json", "no/such/folder.json"], "cannot be written"),
        (["perfect.jsonl"], "tracebench 1.0.0 is not built in releases"),
    ],
)
def test_unusable_arguments(place: Path, release: Path, arguments: list[str], said: str) -> None:
    """What cannot be used ends in exit code 2 and a sentence, on stderr, without a traceback."""
    arguments = [str(release) if argument == "RELEASE" else argument for argument in arguments]
    run = rb_verify(*arguments, cwd=place, RB_RELEASES="", RB_ORG="")
    assert (run.returncode, said in run.stderr, run.stdout) == (2, True, ""), run.stderr
    assert "Traceback" not in run.stderr


def test_found_by_ids(place: Path, release: Path) -> None:
    """Without --release, the ids name the release, and $RB_RELEASES where it is."""
    run = rb_verify("perfect.jsonl", cwd=place, RB_RELEASES=str(release.parents[1]))
    assert run.returncode == 0, run.stderr


def test_closed_stdout(place: Path, release: Path) -> None:
    """A reader that goes away ends the command quietly."""
    command = f"{sys.executable} -m rb_verify perfect.jsonl --release {release} --format json | head -c 10"
    run = subprocess.run(["bash", "-c", command], cwd=place, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ('{\n "baseli', "")


def test_details_appear_only_whole(place: Path, release: Path, tmp_path: Path) -> None:
    """A run that fails leaves no report and no details under their names."""
    details = tmp_path / "d.jsonl"
    run = rb_verify("perfect.jsonl", "--release", "nowhere", "--details", details, "--json", tmp_path / "r.json", cwd=place)
    assert run.returncode == 2
    assert list(tmp_path.iterdir()) == []
    run = rb_verify("perfect.jsonl", "--release", release, "--details", details, cwd=place)
    assert run.returncode == 0
    assert len(details.read_text().splitlines()) == 1200
