"""Submissions of several datasets and files: each row is scored against the release that its id names, and none vanishes."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

from commands import rb_verify
from rb_verify.errors import UnusableInput
from rb_verify.evaluation import Options, evaluate, evaluate_all
from rb_verify.release import Release
from rb_verify.report import Report, tables
from shelf import DATASETS, answers, put, shelve


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small release of each dataset."""
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture(scope="module")
def shelf(place: Path) -> dict[str, Release]:
    """The releases in it."""
    return shelve(place)


@pytest.fixture
def here(place: Path, shelf: dict[str, Release], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work there, so that releases are found."""
    monkeypatch.chdir(place)
    return place


def plain(report: Report) -> dict[str, Any]:
    """A report without what tells of other lines of the file."""
    problems = [{**problem, "line": None} for problem in report.data["problems"]]
    return report.data | {"lines": None, "problems": problems}


def apart(shelf: dict[str, Release], folder: Path, samples: int = 1) -> dict[str, Report]:
    """The report of each dataset, scored from a file of its own against its release."""
    return {name: evaluate(put(folder / f"{name}.own", *answers(shelf[name], samples)), shelf[name]) for name in sorted(shelf)}


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_of_three_datasets_in_one_file(here: Path, shelf: dict[str, Release], workers: int) -> None:
    """Shuffled together they give the reports that three files give, whoever judges them; every line is counted in each."""
    lines = [line for name in DATASETS for line in answers(shelf[name], 2)]
    random.Random(3).shuffle(lines)
    reports = evaluate_all([put(here / "all.jsonl", *lines)], options=Options(workers=workers))
    assert [report.data["dataset"] for report in reports] == list(DATASETS)
    own = apart(shelf, here, 2)
    for report in reports:
        name = report.data["dataset"]
        assert plain(report) == plain(own[name])
        assert report.data["over_samples"]["pass"][0]["value"] == report.score
        (table,) = [table for table in tables(report) if table.title == "Over 2 samples a row, %"]
        assert [row[0] for row in table.rows] == ["score, pass@1", "score, pass@2", "answer accuracy of the majority"]
        told = report.data["lines"]
        assert (told["read"], told["judged"]) == (len(lines), 2 * len(shelf[name].rows))
        assert told["other_dataset"] == len(lines) - told["judged"]


def test_what_belongs_to_no_dataset_stands_in_every_report(here: Path, shelf: dict[str, Release]) -> None:
    """Bad lines and ids of nothing are listed by line in each report; a strange id of a dataset in that dataset's."""
    stray = shelf["twosat"].rows[0]["id"].replace("0-1-0", "9-9-9")
    lines = ["no json", {"id": "else-1", "response": ""}, *answers(shelf["twosat"])]
    lines += [{"id": stray, "response": "x"}, *answers(shelf["reefbench"])]
    reefbench, twosat = evaluate_all([put(here / "strays.jsonl", *lines)])
    shared = [("bad_line", 1), ("unknown_id", 2)]
    assert [(p["kind"], p["line"]) for p in reefbench.data["problems"]] == shared
    assert [(p["kind"], p["line"]) for p in twosat.data["problems"]] == [*shared, ("unknown_id", 3 + len(shelf["twosat"].rows))]
    assert "looks like twosat 9.9.9" in twosat.data["problems"][2]["message"]
    for report in (reefbench, twosat):
        told = report.data["lines"]
        assert told["read"] == len(lines) == sum(told.values()) - told["read"]


def test_ids_alone_make_no_report(here: Path, shelf: dict[str, Release]) -> None:
    """An id that looks like another dataset's, but is no row of it, is an unknown id and not a submission to it."""
    odd = {"id": "reefbench-0-1-0-nothing", "response": "x"}
    (report,) = evaluate_all([put(here / "odd.jsonl", *answers(shelf["twosat"]), odd)])
    assert [(p["kind"], p["id"]) for p in report.data["problems"]] == [("unknown_id", odd["id"])]


def test_a_dataset_whose_release_is_not_here(here: Path, shelf: dict[str, Release]) -> None:
    """Its rows are unknown ids that say why, wherever they stand; where it is the only one, that is all there is to say."""
    absent = {"id": "tracebench-7-0-0-d045-g00-q0", "response": "x"}
    lines = [*answers(shelf["twosat"]), absent]
    (report,) = evaluate_all([put(here / "absent.jsonl", *lines)])
    (problem,) = report.data["problems"]
    assert (problem["kind"], problem["line"]) == ("unknown_id", len(lines))
    assert (
        "is of tracebench 7.0.0, which cannot be scored here: tracebench 7.0.0 is not built in releases" in problem["message"]
    )
    (report,) = evaluate_all([put(here / "first.jsonl", *reversed(lines))])
    assert [p["line"] for p in report.data["problems"]] == [1]
    with pytest.raises(UnusableInput, match=r"^tracebench 7\.0\.0 is not built in"):
        evaluate_all([put(here / "alone.jsonl", absent)])


def test_a_dataset_without_the_config(here: Path, shelf: dict[str, Release]) -> None:
    """Its rows are listed, which is harmless; where no dataset has the config, that is said."""
    lines = [*answers(shelf["twosat"]), *answers(shelf["reefbench"])]
    file = put(here / "config.jsonl", *lines)
    (report,) = evaluate_all([file], options=Options("main"))
    assert report.data["dataset"] == "reefbench"
    assert report.complete
    told = report.data["lines"]
    assert told["other_config"] == len(lines) - told["judged"] == len(shelf["twosat"].rows) + len(shelf["reefbench"].rows) // 2
    with pytest.raises(UnusableInput, match="no config 'nope' with a test split; choose one of default, levels"):
        evaluate_all([file], options=Options("nope"))


def test_the_id_decides_and_not_what_looks_like_one(here: Path, shelf: dict[str, Release]) -> None:
    """Ids of other datasets in text and in other keys do not lead a row astray."""
    said = answers(shelf["twosat"])
    other = shelf["tracebench"].rows[0]["id"]
    said[0]["usage"] = {"id": other}
    said[1]["response"] += json.dumps({"id": other})
    lines = [*answers(shelf["tracebench"]), *said]
    tracebench, twosat = evaluate_all([put(here / "decoys.jsonl", *lines)])
    assert tracebench.complete
    assert twosat.complete
    assert twosat.data["n"] == len(said)


def test_a_named_release_knows_its_own_rows_alone(here: Path, shelf: dict[str, Release]) -> None:
    """With --release, rows of other datasets are unknown ids, as before."""
    file = put(here / "named.jsonl", *answers(shelf["twosat"]), *answers(shelf["reefbench"]))
    report = evaluate(file, shelf["twosat"])
    assert {p["kind"] for p in report.data["problems"]} == {"unknown_id"}
    assert len(report.data["problems"]) == len(shelf["reefbench"].rows)
    with pytest.raises(UnusableInput, match=r"holds rows of reefbench, twosat; name the release of one"):
        evaluate(file)


def test_an_option_is_for_the_scorers_that_have_it(here: Path, shelf: dict[str, Release]) -> None:
    """--text reaches ReEfBench and leaves 2-SAT alone; without a scorer that has it, it is refused."""
    file = put(here / "options.jsonl", *answers(shelf["twosat"]), *answers(shelf["reefbench"]))
    reefbench, twosat = evaluate_all([file], options=Options(scorer={"text": "answer"}))
    assert (reefbench.data["options"], twosat.data["options"]) == ({"text": "answer"}, {})
    with pytest.raises(UnusableInput, match="twosat has no option 'text'"):
        evaluate_all([file], shelf["twosat"], Options(scorer={"text": "answer"}))
    with pytest.raises(UnusableInput, match="text cannot be 'other'"):
        evaluate_all([file], options=Options(scorer={"text": "other"}))


def test_several_files_are_one_submission(here: Path, shelf: dict[str, Release]) -> None:
    """Rows may be spread over files; problems name file and line, and a row answered differently in two is in conflict."""
    said = answers(shelf["twosat"])
    one, two = put(here / "one.jsonl", *said[:20], "broken"), put(here / "two.jsonl", {**said[0], "response": "?"}, *said[20:])
    details = io.StringIO()
    (report,) = evaluate_all([one, two], details=details)
    assert [(p["kind"], p["file"], p["line"]) for p in report.data["problems"]] == [
        ("duplicate", "one.jsonl", 1),
        ("bad_line", "one.jsonl", 21),
        ("duplicate", "two.jsonl", 1),
    ]
    assert "lines 1 of one.jsonl, 1 of two.jsonl answer this row differently" in report.data["problems"][0]["message"]
    assert report.data["n"] == len(said) == len(details.getvalue().splitlines())


def test_a_submission_folder(here: Path, shelf: dict[str, Release]) -> None:
    """The command takes a folder: one table each, an array of reports with what the folder says, details of all, one page."""
    folder = here / "entry"
    folder.mkdir()
    (folder / "submission.yaml").write_text("model: M-1\ndate: 2026-11-30\nmode: reasoning\n")
    for name in DATASETS:
        put(folder / f"{name}.jsonl", *answers(shelf[name]))
    put(folder / "more.jsonl", "broken")
    run = rb_verify("entry", "--json", "entry.json", "--details", "entry.details", "--html", "entry.html", cwd=here)
    assert run.returncode == 1, run.stderr
    assert run.stderr.splitlines()[0].startswith("entry/more.jsonl:1: bad_line: is not JSON")
    assert len(run.stderr.splitlines()) == 1
    reports = json.loads((here / "entry.json").read_bytes())
    assert [report["dataset"] for report in reports] == list(DATASETS)
    assert {json.dumps(report["submission"]) for report in reports} == {
        '{"date": "2026-11-30", "mode": "reasoning", "model": "M-1"}'
    }
    for report in reports:
        assert report["signature"] in run.stdout
    lines = [json.loads(line) for line in (here / "entry.details").open()]
    assert len(lines) == sum(len(release.rows) for release in shelf.values())
    assert not any("response" in line for line in lines)
    assert "M-1" in (here / "entry.html").read_text("utf-8")
    run = rb_verify("entry", "--explain", shelf["twosat"].rows[3]["id"], cwd=here)
    assert (run.returncode, run.stdout.count("sample 0")) == (0, 1)
    run = rb_verify("entry", "--submission", "entry/submission.yaml", cwd=here)
    assert (run.returncode, "leave out --submission" in run.stderr) == (2, True)


def test_progress_counts_every_unit(here: Path, shelf: dict[str, Release]) -> None:
    """What progress is told adds up to the lines of all files."""
    told: list[int] = []
    lines = answers(shelf["twosat"])
    evaluate_all([put(here / "p.jsonl", *lines), put(here / "q.jsonl", *lines[:5])], progress=told.append)
    assert sum(told) == len(lines) + 5
