"""The predictions file: what a line may be, and that no line is lost (section B of the field's bug reports)."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rb_verify
from rb_verify.errors import UnusableInput
from rb_verify.formats import parse_unit
from rb_verify.release import load
from rb_verify.report import Report
from rb_verify.schema import violations
from rb_verify.verdict import Prediction

GOOD = b'{"id": "tracebench-1-0-0-d010-g00-q0", "response": "text"}'


@pytest.fixture(scope="module")
def perfect(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A perfect submission as parsed lines."""
    from rb_verify import tracebench

    return [{"id": row["id"], "response": tracebench.perfect(row)} for row in rows]


def written(path: Path, lines: list[dict[str, Any] | bytes]) -> Path:
    """A predictions file of the given lines, dicts as JSON."""
    path.write_bytes(b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines))
    return path


def judged(path: Path, release: Path, **options: Any) -> Report:
    """The report on a file; what became of its lines must add up."""
    report = rb_verify.evaluate(path, release, **options)
    assert not violations(report.data, "report")
    lines = dict(report.data["lines"])
    assert lines.pop("read") == sum(lines.values())
    return report


def problems(report: Report, kind: str) -> list[dict[str, Any]]:
    """The report's problems of one kind."""
    return [problem for problem in report.data["problems"] if problem["kind"] == kind]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"not json", "is not JSON"),
        (b'{"id": "a", "response": "x"', "is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "nested too deeply"),
        (b'[{"id": "a", "response": "x"}]', "is a JSON array"),
        (b"17", "is a JSON value"),
        (GOOD + b"\r" + GOOD, "is not JSON"),
        (GOOD + b"\x00", "NUL byte"),
        (b'{"id": "a", "response": "x\x00"}', "NUL byte"),
        (b'{"id": "a", "response": "\xff"}', "not UTF-8"),
        (b'{"id": "a", "response": "\\ud800"}', "lone surrogate"),
        (b'{"id": "a", "response": "x", "response": "y"}', "occurs twice"),
        (b'{"id": "a", "usage": {"n": 1, "n": 1}, "response": "y"}', "occurs twice"),
        (b'{"id": "a", "prediction": "x"}', "no 'response' (keys given: id, prediction"),
        (b'{"id": "a", "model_patch": "x"}', '"response": "..."'),
        (b'{"response": "x"}', "no string 'id'"),
        (b'{"id": 7, "response": "x"}', "no string 'id'"),
        (b'{"id": "a", "response": {"final_answer": "YES"}}', "neither a string nor null"),
        (b'{"id": "a", "response": "x", "finish_reason": 1}', "neither a string nor null"),
        (b'{"id": "a", "response": "x", "sample": -1}', "whole number"),
        (b'{"id": "a", "response": "x", "sample": true}', "whole number"),
        (b'{"id": "a", "response": "x", "sample": 1' + b"0" * 5000 + b"}", "is not JSON"),
    ],
)
def test_bad_lines_say_why(line: bytes, said: str) -> None:
    """Each kind of bad line is a problem that names the line, what is wrong and the cure; never an exception."""
    [problem] = parse_unit(3, line)
    assert not isinstance(problem, Prediction)
    assert problem.line == 3
    assert said in problem.message


@pytest.mark.parametrize(
    "line",
    [
        GOOD,
        GOOD[:-1] + b', "usage": {"completion_tokens": 4}, "sample": 0, "extra": [1]}',
        GOOD[:-1] + b', "reasoning": null, "finish_reason": null, "sample": null}',
        '{"id": "a", "response": "\u2028\u2029\u0085\x0b\x0c é 🕰"}'.encode(),
        b'{"id": "a", "response": null}',
        b'{"id": "a", "error": {"code": 500}}',
        b'{"id": "a", "response": "\\ud83d\\ude00"}',
    ],
)
def test_good_lines(line: bytes) -> None:
    """Good lines, with any extra keys, are predictions, and they fit the published schema."""
    [prediction] = parse_unit(1, line.replace(b"\x0b", b"\\u000b").replace(b"\x0c", b"\\f"))
    assert isinstance(prediction, Prediction)
    assert not violations(json.loads(line, strict=False), "prediction")


def test_only_line_feeds_end_lines(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Raw U+2028, U+2029, U+0085 inside a string, CRLF, blank lines, a BOM and a missing last line end all are fine."""
    lines = [json.dumps(line | {"note": "a\u2028b\u2029c\u0085d"}, ensure_ascii=False) for line in perfect]
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join(lines).encode())
    report = judged(path, release)
    assert report.score == 1
    assert report.complete
    assert report.data["lines"]["read"] == 1200


def test_every_bad_line_is_listed(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Bad lines among good ones are listed with their numbers; all other rows are scored as ever."""
    lines: list[dict[str, Any] | bytes] = [*perfect]
    lines[10] = b"[" * 100_000
    lines[20] = b"\xff\xfe"
    lines[30] = b'{"id": "x", "id": "y"}'
    report = judged(written(tmp_path / "p.jsonl", lines), release)
    assert [problem["line"] for problem in problems(report, "bad_line")] == [11, 21, 31]
    assert {problem["id"] for problem in problems(report, "missing")} == {perfect[i]["id"] for i in (10, 20, 30)}
    assert report.data["counts"] == {"correct": 1197, "incorrect": 0, "unparsed": 0, "missing": 3}
    assert not report.complete


def test_short_long_and_foreign(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """A row short counts as wrong and is listed; a foreign id is an error; the count of lines alone says nothing."""
    short = judged(written(tmp_path / "short.jsonl", perfect[:-1]), release)
    assert short.score == pytest.approx(1199 / 1200, abs=1e-6)
    assert [p["id"] for p in problems(short, "missing")] == [perfect[-1]["id"]]
    foreign = [*perfect[:-1], {"id": "tracebench-1-0-0-d185-g99-q9", "response": "x"}]
    report = judged(written(tmp_path / "foreign.jsonl", foreign), release)
    assert [p["line"] for p in problems(report, "unknown_id")] == [1200]
    assert len(problems(report, "missing")) == 1
    long = judged(written(tmp_path / "long.jsonl", [*perfect, {"id": "nonsense", "response": "x"}]), release)
    assert long.score == 1
    assert not long.complete


def test_another_version_is_hinted_at(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Ids of another version say which version they look like."""
    lines = [{**perfect[0], "id": "tracebench-1-1-0-d010-g00-q0"}, perfect[1]]
    report = judged(written(tmp_path / "p.jsonl", lines), release)
    assert "looks like tracebench 1.1.0" in problems(report, "unknown_id")[0]["message"]
    fresh = [{**perfect[0], "id": "tracebench-1-0-0-f0123abcd-d010-g00-q0"}, perfect[1]]
    report = judged(written(tmp_path / "f.jsonl", fresh), release)
    assert "looks like tracebench 1.0.0-f0123abcd" in problems(report, "unknown_id")[0]["message"]


def test_duplicates(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Different predictions for a row are none of them scored; identical ones are kept once; all lines are named."""
    other = {**perfect[5], "response": "different"}
    report = judged(written(tmp_path / "p.jsonl", [*perfect, other, perfect[7]]), release)
    assert report.data["counts"] == {"correct": 1199, "incorrect": 0, "unparsed": 1, "missing": 0}
    assert [(p["line"], p["id"]) for p in problems(report, "duplicate")] == [(6, perfect[5]["id"]), (1201, perfect[5]["id"])]
    assert "lines 6, 1201" in problems(report, "duplicate")[0]["message"]
    assert [p["line"] for p in problems(report, "repeated")] == [1202]
    only_repeated = judged(written(tmp_path / "q.jsonl", [*perfect, perfect[7]]), release)
    assert only_repeated.complete
    assert only_repeated.score == 1


def test_api_errors_and_empty_text(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """An API error is missing; an empty or null response is unparsed; neither is incorrect."""
    lines: list[dict[str, Any] | bytes] = [*perfect]
    lines[0] = {"id": perfect[0]["id"], "response": None, "error": {"code": 429}}
    lines[1] = {"id": perfect[1]["id"], "response": ""}
    lines[2] = {"id": perfect[2]["id"], "response": None, "finish_reason": "length"}
    report = judged(written(tmp_path / "p.jsonl", lines), release)
    assert report.data["counts"] == {"correct": 1197, "incorrect": 0, "unparsed": 2, "missing": 1}
    assert [p["line"] for p in problems(report, "api_error")] == [1]


def test_partial(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """With partial, rows without a prediction are left out, and the signature says so."""
    path = written(tmp_path / "p.jsonl", perfect[:50])
    report = judged(path, release, partial=True)
    assert (report.score, report.data["n"], report.data["left_out"], report.complete) == (1, 50, 1150, True)
    assert report.signature.endswith("|partial:yes")
    assert judged(path, release).score == pytest.approx(50 / 1200, abs=1e-6)


def test_samples(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Several samples a row are a rate over all of them; a row with fewer lacks some."""
    lines = [line | {"sample": s} for s in (0, 1) for line in perfect]
    lines[1200] = {**lines[1200], "response": "x"}
    report = judged(written(tmp_path / "p.jsonl", lines[:-1]), release)
    assert report.data["n"] == 2400
    assert report.data["counts"] == {"correct": 2398, "incorrect": 0, "unparsed": 1, "missing": 1}
    assert "samples:2" in report.signature
    assert "sample 1" in problems(report, "missing")[0]["message"]


def test_other_configs_are_not_lost(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Rows of another config are listed, not scored and no fault; they are scored under their own config."""
    deep = load(release, "deep")
    extra = [{"id": row["id"], "response": deep.scorer.perfect(row)} for row in deep.rows]
    path = written(tmp_path / "p.jsonl", [*perfect, *extra])
    report = judged(path, release)
    assert (report.score, report.data["n"], report.complete) == (1, 1200, True)
    assert len(problems(report, "other_config")) == 1000
    own = judged(path, release, config="deep")
    assert (own.score, own.data["n"]) == (1, 1000)
    assert len(problems(own, "other_config")) == 1200


def test_ids_are_unique_across_datasets_and_versions(rows: list[dict[str, Any]], release: Path) -> None:
    """Every id begins with its dataset and version, so that no other benchmark's row can take its place."""
    loaded = load(release)
    ids = [row["id"] for row in rows] + list(loaded.elsewhere)
    assert len(set(ids)) == 2300
    assert all(id_.startswith("tracebench-1-0-0-") for id_ in ids)


def test_gzip_stdin_and_workers_agree(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Plain, gzip and standard input, with one or two workers, in any order of lines, give one report."""
    lines: list[dict[str, Any] | bytes] = [*perfect[::-1], b"bad", perfect[0]]
    path = written(tmp_path / "p.jsonl", lines)
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    expected = judged(path, release).data
    assert judged(tmp_path / "p.jsonl.gz", release).data == expected
    assert judged(path, release, workers=2).data == expected
    command = [sys.executable, "-m", "rb_verify", "-", "--release", str(release), "--format", "json"]
    run = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=False)
    assert run.returncode == 1
    assert json.loads(run.stdout) == expected


def test_details_are_in_row_order(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Details hold one line for each prediction scored and each missing row, in row order, with the evidence."""
    conflicting = {**perfect[3], "response": "other"}
    path = written(tmp_path / "p.jsonl", [*perfect[:0:-1], conflicting])
    out = io.StringIO()
    rb_verify.evaluate(path, release, details=out)
    details = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["id"] for line in details] == [line["id"] for line in perfect]
    assert details[0]["status"] == "missing"
    assert (details[3]["status"], details[3]["category"]) == ("unparsed", "parse_failure")
    assert details[4]["category"] == "true_reasoning"
    assert all(step["verdict"] == "exact" and step["supported"] for line in details[4:] for step in line["steps"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no predictions"),
        (b"\n\n", "holds no predictions"),
        (b"[\n  {}\n]\n", "no line can be used; line 1 is not JSON"),
        (b'[{"id": "a", "response": "x"}]', "is a JSON array"),
        (b"\x1f\x8b broken gzip", "reading failed"),
    ],
)
def test_unusable_files(content: bytes, said: str, release: Path, tmp_path: Path) -> None:
    """A file without one usable line is refused in a sentence that says why."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    for named in (release, None):
        with pytest.raises(UnusableInput, match=said):
            rb_verify.evaluate(path, named)


def test_cut_gzip_is_refused(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """A gzip file that ends too early is not scored as if it were whole."""
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(gzip.compress(written(tmp_path / "p.jsonl", [*perfect]).read_bytes())[:-2000])
    with pytest.raises(UnusableInput, match="reading failed after line"):
        rb_verify.evaluate(path, release)


def test_c_locale(perfect: list[dict[str, Any]], release: Path, tmp_path: Path) -> None:
    """Under LC_ALL=C, text beyond ASCII is read and written as UTF-8."""
    lines = [{**perfect[0], "response": '{"reasoning": ["é → 🕰: ≺"], "final_answer": "YES"}'}, *perfect[1:]]
    path = written(tmp_path / "p.jsonl", [json.dumps(line, ensure_ascii=False).encode() for line in lines])
    details = tmp_path / "d.jsonl"
    command = [sys.executable, "-m", "rb_verify", str(path), "--release", str(release), "--details", str(details)]
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    run = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(details.read_text("utf-8").splitlines()[0])["steps"][0]["claim"] == "é ≺ 🕰"
