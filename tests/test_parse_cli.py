"""The command rb-parse, against a scripted model on loopback: parsed responses, comparisons, the labelled sentences."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import rb_verify
from held_out_sentences import HELD_OUT
from labelled_sentences import AFTER, BEFORE, Labelled
from llm_server import Server, llm_server
from parsing_model import Entry, as_rules, asked, entry
from rb_build import recipe as recipes
from rb_build.release import compile_release, write
from rb_verify import parse_cli, parser_comparison, reasoning, report
from rb_verify.parser_agreement import Pair, agreement
from rb_verify.prose import STYLES, solution
from rb_verify.reasoning import Sentence
from rb_verify.reefbench import given_sentences
from rb_verify.release import load
from small_reefbench import small_reefbench

Line = dict[str, Any]
REPO = Path(__file__).parent.parent
SECRET = "sk-very-secret-0123456789"
MODEL = "scripted:1b"
PARSER = "llm-1@scripted-1b"
TRUE = "\\boxed{True}"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small release: four pairs at each of levels 3 to 5."""
    recipe = recipes.parse(small_reefbench(), "small")
    place = tmp_path_factory.mktemp("small") / "releases" / "reefbench" / "0.1.0"
    write(place, recipe, compile_release(recipe))
    return place


@pytest.fixture(scope="module")
def rows(small: Path) -> list[dict[str, Any]]:
    """Its rows."""
    return load(small).rows


@pytest.fixture(scope="module")
def lines(rows: list[dict[str, Any]]) -> list[Line]:
    """A response to each row: golden solutions in every style, some as thinking, with a plan and a second thought."""
    found = []
    for place, row in enumerate(rows):
        text = solution(row, list(STYLES)[place % len(STYLES)])
        plan = f"We need to show that {row['conclusion']}.\nWait, is that so?\n"
        line = {"id": row["id"], "response": plan + text, "usage": {"completion_tokens": 100 + place}}
        if place % 3 == 0:
            line |= {"response": text, "reasoning": plan}
        found.append(line | {"finish_reason": "stop", "sample": 0})
    return found


def rb_parse(*arguments: str | Path, cwd: Path, **environment: str) -> Result:
    """Run the command rb-parse in a folder, in this process."""
    here = Path.cwd()
    os.chdir(cwd)
    try:
        return CliRunner().invoke(parse_cli.app, list(map(str, arguments)), env=environment)
    finally:
        os.chdir(here)


def save(path: Path, lines: Iterable[Line]) -> Path:
    """Write lines of JSON."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def read(path: Path) -> list[Line]:
    """The lines of a file, by id and sample."""
    found = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    return sorted(found, key=lambda line: (line["id"], line.get("sample", 0)))


def parse(folder: Path, server: Server, small: Path, *more: str, out: str = "parsed.jsonl", model: str = MODEL) -> Result:
    """Run ``rb-parse run`` on predictions.jsonl of a folder, one request at a time."""
    options = ("--release", small, "--out", out, "--base-url", server.base_url, "--model", model, "--concurrency", "1")
    return rb_parse("run", "predictions.jsonl", *options, *more, cwd=folder, OPENAI_API_KEY=SECRET)


def test_a_model_that_reads_as_the_rules(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """Nothing is left to the rules, and rb-verify reports the same of text and nodes, but for the signature and the parser."""
    save(tmp_path / "predictions.jsonl", lines)
    with llm_server(as_rules) as server:
        run = parse(tmp_path, server, small, "--temperature", "0", "--cache", "cache")
        assert (run.exit_code, run.stdout) == (0, "parsed.jsonl\n"), run.stderr
        asked_once = len(server.requests)
        assert {header["authorization"] for header in server.headers} == {f"Bearer {SECRET}"}
        assert {(body["model"], body["temperature"]) for body in server.requests} == {(MODEL, 0.0)}
        assert {body["response_format"]["type"] for body in server.requests} == {"json_schema"}

        again = parse(tmp_path, server, small, "--temperature", "0")
        assert again.exit_code == 0
        assert "0 responses parsed, 0 lines handed on, 24 were there already" in again.stderr
        cached = parse(tmp_path, server, small, "--temperature", "0", "--cache", "cache", out="second.jsonl")
        assert cached.exit_code == 0
        assert len(server.requests) == asked_once, "what is there, or in the cache, is not asked again"
    assert (tmp_path / "second.jsonl").read_bytes() == (tmp_path / "parsed.jsonl").read_bytes()

    parsed = read(tmp_path / "parsed.jsonl")
    assert [{key: line[key] for key in line if key not in ("nodes", "parser")} for line in parsed] == sorted(
        lines, key=lambda line: line["id"]
    )
    assert {line["parser"] for line in parsed} == {PARSER}
    sentences = sum(len(line["nodes"]) for line in parsed)
    assert (
        f"{sentences} sentences: {sentences} (100.00 %) read at the first attempt, 0 (0.00 %) left to the rules" in run.stderr
    )

    ours, theirs = (rb_verify.evaluate(tmp_path / name, small).data for name in ("parsed.jsonl", "predictions.jsonl"))
    assert ours.pop("signature") == theirs.pop("signature").replace("|nodes:parsed", f"|nodes:{PARSER}")
    assert ours["reefbench"].pop("parsers") == [
        {"parser": PARSER, "responses": 24, "left_to_rules": {"value": 0, "n": sentences, "interval": [0, 0]}}
    ]
    assert ours == theirs

    about = json.loads((tmp_path / "parsed.jsonl.about.json").read_text())
    assert (about["release"], about["parser"], about["model"]) == ("reefbench 0.1.0", PARSER, MODEL)
    assert about["settings"] == {"temperature": 0.0}
    for said in (run, again, cached):
        assert SECRET not in said.stdout + said.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()] == []


def test_faults_of_the_endpoint_change_nothing(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """Errors, lost connections and broken bodies are retried; what is cut off is a failed attempt, and asked again."""
    save(tmp_path / "predictions.jsonl", lines[:4])
    with llm_server(as_rules) as server:
        parse(tmp_path, server, small, out="sound.jsonl")
    with llm_server(as_rules, faults=["429", "500", None, "503", "cut", "close", "length"]) as server:
        run = parse(tmp_path, server, small)
        assert run.exit_code == 0, run.stderr
        wanted = [asked(body["messages"]) for body in server.requests]
    assert read(tmp_path / "parsed.jsonl") == read(tmp_path / "sound.jsonl")
    total = sum(len(line["nodes"]) for line in read(tmp_path / "sound.jsonl"))
    (told,) = [each for each in wanted if each.faults]
    assert told.faults == "the reply was cut off"
    first = total - len(told.wanted)
    assert f"{total} sentences: {first} ({100 * first / total:.2f} %) read at the first attempt, 0 (0.00 %)" in run.stderr
    assert SECRET not in run.stderr


def test_an_endpoint_that_fails_is_no_reading(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """A response whose request fails for good is listed and not written, so that the next run asks for it; no sentence of it is
    left to the rules. What the endpoint refuses for what it asks is left to them."""
    save(tmp_path / "predictions.jsonl", lines[:4])
    with llm_server(as_rules) as server:
        parse(tmp_path, server, small, out="sound.jsonl")
    with llm_server(as_rules, faults=["500"]) as server:
        first = parse(tmp_path, server, small, "--retries", "0")
        again = parse(tmp_path, server, small, "--retries", "0")
    assert (first.exit_code, again.exit_code) == (1, 0)
    assert f"{lines[0]['id']}: not parsed (HTTP 500: " in first.stderr
    assert "3 responses parsed" in first.stderr
    assert "1 responses parsed, 0 lines handed on, 3 were there already" in again.stderr
    assert " 0 (0.00 %) left to the rules" in first.stderr
    assert read(tmp_path / "parsed.jsonl") == read(tmp_path / "sound.jsonl")
    with llm_server(as_rules, faults=["400"]) as server:
        run = parse(tmp_path, server, small, out="refused.jsonl")
    assert run.exit_code == 0
    (left,) = [line for line in read(tmp_path / "refused.jsonl") if any("by" in each for each in line["nodes"])]
    assert left["id"] == lines[0]["id"]


def stubborn(request: dict[str, Any]) -> dict[str, Any] | str:
    """A model that never reads a sentence with a question mark, and names what is not there in each that tells of a need."""
    names, texts, wanted, _ = asked(request["messages"])
    entries = [entry(number, texts[number], names) for number in wanted if "?" not in texts[number]]
    strange = [{"statement": "xpus is ypus", "type": "actual"}]
    return {
        "sentences": [each | {"nodes": strange} if texts[each["number"]].startswith("We need") else each for each in entries]
    }


def test_what_is_left_to_the_rules_is_counted(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """A sentence without a sound reading after three attempts has the rules' reading, its mark, and a place in the report."""
    save(tmp_path / "predictions.jsonl", lines)
    with llm_server(stubborn) as server:
        run = parse(tmp_path, server, small)
        assert run.exit_code == 0, run.stderr
        assert sum(bool(asked(body["messages"]).faults) for body in server.requests) == 2 * len(lines)
    parsed = read(tmp_path / "parsed.jsonl")
    total = sum(len(line["nodes"]) for line in parsed)
    for line in parsed:
        left = [sentence["text"] for sentence in line["nodes"] if sentence.get("by") == "rules"]
        assert [" ".join(text.split()[:2]) for text in left] == ["We need", "Wait, is"], "the plan, and the second thought"
    assert f"48 ({4800 / total:.2f} %) left to the rules" in run.stderr
    found = rb_verify.evaluate(tmp_path / "parsed.jsonl", small)
    (parser,) = found.data["reefbench"]["parsers"]
    assert (parser["parser"], parser["responses"]) == (PARSER, 24)
    assert (parser["left_to_rules"]["value"], parser["left_to_rules"]["n"]) == (round(48 / total, 6), total)
    (table,) = [table for table in report.tables(found) if table.title.startswith("Sentences that")]
    assert table.rows[0][:2] + table.rows[0][3:] == [PARSER, f"{4800 / total:.2f}", str(total), "24"]
    text = rb_verify.evaluate(tmp_path / "predictions.jsonl", small)
    assert found.data["reefbench"]["process"] == text.data["reefbench"]["process"]


def test_killed_and_run_again(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """After kill -9 a second run parses what is missing, and every response is there once."""
    save(tmp_path / "predictions.jsonl", lines)
    with llm_server(as_rules) as server:
        parse(tmp_path, server, small, out="sound.jsonl")
        before = len(server.requests)
        arrived = server.reached(before + before // 2)
        options = ["--release", small, "--out", "parsed.jsonl", "--base-url", server.base_url, "--model", MODEL]
        command = [sys.executable, "-m", "rb_verify.parse_cli", "run", "predictions.jsonl", *options, "--concurrency", "1"]
        with subprocess.Popen(list(map(str, command)), cwd=tmp_path, stderr=subprocess.PIPE) as process:
            arrived.wait()
            process.send_signal(signal.SIGKILL)
            process.wait()
        there = len((tmp_path / "parsed.jsonl").read_bytes().splitlines())
        assert 0 < there < len(lines)
        with (tmp_path / "parsed.jsonl").open("a") as stream:
            stream.write('{"id": "reefbench-0-1-0-')
        server.go_on()
        run = parse(tmp_path, server, small)
    assert run.exit_code == 0, run.stderr
    assert f"{len(lines) - there} responses parsed, 0 lines handed on, {there} were there already" in run.stderr
    assert read(tmp_path / "parsed.jsonl") == read(tmp_path / "sound.jsonl")


def test_lines_that_are_not_parsed(tmp_path: Path, small: Path, rows: list[dict[str, Any]]) -> None:
    """Other datasets, API errors and strange ids are handed on, bad lines listed; rb-verify then says the same of both."""
    ids = [row["id"] for row in rows]
    text = f"{rows[0]['premises'][0]}.\n{TRUE}"
    given = [{"text": "x", "type": "normal", "nodes": []}]
    lines: list[Line] = [
        {"id": ids[0], "response": text},
        {"id": ids[0], "response": text, "sample": None, "error": None},
        {"id": ids[1], "response": None, "error": {"message": "overloaded"}},
        {"id": ids[2], "response": text},
        {"id": ids[2], "response": TRUE},
        {"id": ids[3], "response": text, "nodes": given, "parser": "own-2"},
        {"id": "tracebench-1-0-0-d045-g03-q2", "response": "YES", "nodes": given},
        {"id": "reefbench-0-1-0-l03-i999-main", "response": text},
        {"id": ids[4], "response": 5},
        {"id": ids[5], "response": None, "reasoning": None},
        {"id": ids[6], "response": "", "finish_reason": "bad \ud800"},
        {"custom_id": f"{ids[7]}__s1", "response": {"body": {"choices": [{"index": 0, "message": {"content": text}}]}}},
    ]
    save(tmp_path / "predictions.jsonl", lines)
    with llm_server(as_rules) as server:
        run = parse(tmp_path, server, small)
        again = parse(tmp_path, server, small)
    said = [line for line in run.stderr.splitlines() if line.startswith("predictions")]
    assert run.exit_code == again.exit_code == 1
    assert said == [line for line in again.stderr.splitlines() if line.startswith("predictions")]
    assert [line.split()[0] + " " + line.split()[1] for line in said] == [
        "predictions.jsonl:8: unknown_id:",
        "predictions.jsonl:9: bad_line:",
    ]
    assert "7 responses parsed, 3 lines handed on, 1 were there already or are repeated" in run.stderr
    parsed = read(tmp_path / "parsed.jsonl")
    passed = [line for line in parsed if line.get("parser") != PARSER]
    assert sorted(line["id"] for line in passed) == sorted([ids[1], lines[6]["id"], lines[7]["id"]])
    assert all(lines[place] in passed for place in (2, 6, 7))
    by_id = {line["id"]: line for line in parsed}
    assert by_id[ids[5]] == {"id": ids[5], "response": None, "nodes": [], "parser": PARSER}
    assert by_id[ids[6]]["finish_reason"] == "bad ?"
    assert by_id[ids[7]]["sample"] == 1
    counts = [rb_verify.evaluate(tmp_path / name, small).data["lines"] for name in ("predictions.jsonl", "parsed.jsonl")]
    assert counts[0] | {"read": 0, "repeated": 0, "bad_line": 0} == counts[1] | {"read": 0, "repeated": 0, "bad_line": 0}
    assert (counts[0]["duplicate"], counts[0]["judged"]) == (2, counts[1]["judged"])


def test_refusals(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """What cannot be done is said in one sentence with its exit code, and never with the key."""
    save(tmp_path / "predictions.jsonl", lines[:2])
    save(tmp_path / "other.jsonl", [{"id": "tracebench-1-0-0-d045-g03-q2", "response": "YES"}])
    save(tmp_path / "taken.jsonl", lines[:1])
    with llm_server(as_rules, faults=["401"]) as server:
        refused = parse(tmp_path, server, small)
        assert refused.exit_code == 2
        assert "refuses the key (HTTP 401)" in refused.stderr
        assert parse(tmp_path, server, small).exit_code == 0
        options = ("--out", "out.jsonl", "--base-url", server.base_url, "--model", MODEL)
        for run, why in (
            (parse(tmp_path, server, small, model="another"), "parsed.jsonl: was made with"),
            (parse(tmp_path, server, small, out="taken.jsonl"), "taken.jsonl: exists"),
            (parse(tmp_path, server, small, "--config", "nosuch", out="out.jsonl"), "no config 'nosuch'"),
            (rb_parse("run", "other.jsonl", *options, cwd=tmp_path), "other.jsonl: holds no response to a row of reefbench"),
            (rb_parse("run", "absent.jsonl", *options, cwd=tmp_path), "absent.jsonl: cannot be read"),
            (rb_parse("run", "predictions.jsonl", *options, cwd=tmp_path), "is not built in"),
            (rb_parse("run", "predictions.jsonl", *options[:4], cwd=tmp_path, RB_MODEL=""), "no model is named"),
        ):
            assert run.exit_code == 2, why
            assert (run.stdout, len(run.stderr.splitlines())) == ("", 1)
            assert why in run.stderr
    assert SECRET not in refused.stderr


# What rb-verify makes of a parser's name


NODES = [{"text": "x", "type": "normal", "nodes": []}, {"text": "y", "type": "normal", "nodes": [], "by": "rules"}]


def signature(tmp_path: Path, small: Path, parsers: list[Any]) -> str:
    """The signature of responses with these parsers, None for nodes without a name, 0 for a response without nodes."""
    ids = [row["id"] for row in load(small).rows]
    lines = [
        {"id": row_id, "response": TRUE} | ({} if parser == 0 else {"nodes": NODES, "parser": parser})
        for row_id, parser in zip(ids, parsers, strict=False)
    ]
    return rb_verify.evaluate(save(tmp_path / "p.jsonl", lines), small, partial=True).signature


@pytest.mark.parametrize(
    ("parsers", "mark"),
    [
        ([0, 0], "parsed"),
        ([None, None], "given"),
        (["own-2.1", "own-2.1"], "own-2.1"),
        (["llm-1@org/m", "llm-1@org/m2"], "mixed"),
        (["own-2", None], "mixed"),
        (["own-2", 0], "mixed"),
    ],
    ids=["none", "unnamed", "one", "two", "half named", "half given"],
)
def test_marks(tmp_path: Path, small: Path, parsers: list[Any], mark: str) -> None:
    """The signature names what read the reasoning if that is one thing."""
    assert signature(tmp_path, small, parsers).endswith(f"|nodes:{mark}")


def test_parsers_in_the_report(tmp_path: Path, small: Path, rows: list[dict[str, Any]]) -> None:
    """Each parser has its responses and its share of sentences left to the rules; text=answer has none."""
    parsers = ["b-1", None, "b-1", 0]
    lines = [
        {"id": row["id"], "response": TRUE} | ({} if parser == 0 else {"nodes": NODES * (1 + place), "parser": parser})
        for place, (row, parser) in enumerate(zip(rows, parsers, strict=False))
    ]
    lines[2]["nodes"] = NODES[:1]
    save(tmp_path / "p.jsonl", lines)
    found = rb_verify.evaluate(tmp_path / "p.jsonl", small, partial=True).data["reefbench"]["parsers"]
    assert [
        (each["parser"], each["responses"], each["left_to_rules"]["value"], each["left_to_rules"]["n"]) for each in found
    ] == [
        ("b-1", 2, round(1 / 3, 6), 3),
        ("given", 1, 0.5, 4),
    ]
    data = rb_verify.evaluate(tmp_path / "p.jsonl", small, partial=True, options={"text": "answer"}).data
    assert "parsers" not in data["reefbench"]
    assert data["signature"].endswith("|nodes:parsed")


@pytest.mark.parametrize(
    "parser",
    [
        "parsed",
        "given",
        "mixed",
        "llm",
        "llm-1@",
        "llm-1 ",
        "llm-1|x:y",
        "llm-1\n",
        "llm-v",
        "",
        1,
        ["llm-1"],
        "m-1@" + "x" * 120,
    ],
    ids=repr,
)
def test_malformed_parsers(tmp_path: Path, small: Path, rows: list[dict[str, Any]], parser: Any) -> None:
    """What is no name and version cannot stand in a signature: the line is bad, and says so."""
    lines = [{"id": rows[0]["id"], "response": TRUE, "nodes": NODES, "parser": parser}, {"id": rows[1]["id"], "response": TRUE}]
    found = rb_verify.evaluate(save(tmp_path / "p.jsonl", lines), small, partial=True)
    (problem,) = found.data["problems"]
    assert (problem["kind"], problem["line"], problem["id"]) == ("bad_line", 1, rows[0]["id"])
    assert "'parser' that is no name with a version" in problem["message"]


def test_a_parser_is_said_of_nodes_and_tells_lines_apart(tmp_path: Path, small: Path, rows: list[dict[str, Any]]) -> None:
    """Lines that differ in it alone are different; without nodes it says nothing, whatever it is."""
    one = {"id": rows[0]["id"], "response": TRUE, "nodes": NODES, "parser": "a-1"}
    lines = [one, one | {"parser": "a-2"}, {"id": rows[1]["id"], "response": TRUE, "parser": 5}]
    found = rb_verify.evaluate(save(tmp_path / "p.jsonl", lines), small, partial=True)
    problems = [(problem["kind"], problem["line"]) for problem in found.data["problems"]]
    assert problems == [("duplicate", 1), ("duplicate", 2)]
    assert found.data["counts"]["correct"] == (rows[1]["answer"] == "True")


# Agreement and comparison


def sentence(text: str, *statements: str, looks_back: bool = False) -> Line:
    """A sentence of nodes; a statement with a question mark before it is planned."""
    nodes = [{"statement": each.lstrip("?"), "type": "planning" if each[0] == "?" else "actual"} for each in statements]
    return {"text": text, "type": "reflection" if looks_back else "normal", "nodes": nodes}


ONE = [
    sentence("a", "b is c", "b is d"),
    sentence("b", "b is c", "?c is d", looks_back=True),
    sentence("c", looks_back=True),
    sentence("d", "b is d or c", "b is d or c"),
]
OTHER = [
    sentence("a", "b is d", "b is c"),
    sentence("b", "b is c", "c is d", looks_back=True),
    sentence("c"),
    sentence("d", "b is c or d", "?x is y"),
]


def values(found: dict[str, Any], measured: str) -> list[Any]:
    """Counts and rates of what is measured."""
    each = found["found"][measured]
    return [
        *(each[key] for key in ("both", "one_only", "other_only")),
        *(each[key]["value"] for key in ("precision", "recall", "f1")),
    ]


def test_agreement() -> None:
    """Counts, rates and kappa, worked out by hand: statements are multisets in canonical form, whatever their order."""
    pairs = [Pair("x", *two) for two in zip(given_sentences(ONE), given_sentences(OTHER), strict=True)]
    found = agreement(pairs)
    assert (found["sentences"], found["same_reading"]["value"], found["same_type"]["value"]) == (4, 0.25, 0.75)
    assert found["kappa"] == 0.5  # 3 of 4 agree; by chance (2 * 1 + 2 * 3) / 16 = 1/2
    assert values(found, "actual") == [4, 1, 1, 0.8, 0.8, 0.8]
    assert values(found, "planning") == [0, 1, 1, 0, 0, 0]
    assert values(found, "reflection") == [1, 1, 0, 0.5, 1, round(2 / 3, 6)]
    assert values(found, "all") == [4, 2, 2, round(4 / 6, 6), round(4 / 6, 6), round(4 / 6, 6)]
    assert agreement(pairs[:1] * 2)["kappa"] is None
    nothing = agreement([Pair("x", Sentence("a", False, ()), Sentence("a", False, ()))])
    assert values(nothing, "actual") == [0, 0, 0, None, None, None]
    assert nothing["same_reading"]["value"] == 1


def compared(tmp_path: Path, small: Path, one: list[Line], other: list[Line]) -> dict[str, Any]:
    """A comparison of two files."""
    files = save(tmp_path / "one.jsonl", one), save(tmp_path / "other.jsonl", other)
    return parser_comparison.compare(*map(str, files), str(small), "default", lambda number: None)


def test_comparison(tmp_path: Path, small: Path, rows: list[dict[str, Any]]) -> None:
    """Responses that both have cut alike are compared, the others counted; metrics are means over main rows."""
    main, *more = [row for row in rows if row["config"] == "main"]
    contrast = next(row for row in rows if row["config"] == "contrast" and row["pair"] != main["pair"])
    premise, *_, end = main["golden"]
    whole = [sentence("a", premise["statement"]), sentence("b", end["statement"])]
    half = [sentence("a", premise["statement"]), sentence("b", f"?{end['statement']}", looks_back=True)]

    def line(row: dict[str, Any], nodes: list[Line] | None, **others: Any) -> Line:
        return {"id": row["id"], "response": TRUE, "nodes": nodes, "parser": None if nodes is None else "own-1"} | others

    ours = [line(main, whole), line(contrast, whole), line(more[0], whole), line(more[1], whole), line(more[2], None)]
    theirs = [line(main, half), line(contrast, whole), line(more[0], whole[:1]), line(more[3], whole), line(more[4], whole)]
    for each in theirs:
        each["parser"] = "own-2"
    theirs.append({"id": "reefbench-0-1-0-l03-i999-main", "response": TRUE, "nodes": whole})
    ours.append({"id": "reefbench-0-1-0-l03-i999-main", "response": TRUE, "nodes": whole})
    ours.append(line(main, half))
    found = compared(tmp_path, small, ours, theirs)
    assert (found["one"]["parser"], found["other"]["parser"]) == ("mixed", "mixed")
    assert found["responses"] == {
        **{"compared": 2, "one_only": 1, "other_only": 2, "outside": 1},
        "not_comparable": [{"id": more[0]["id"], "sample": 0}],
    }
    assert (found["sentences"], found["same_reading"]["value"]) == (4, 0.75)
    assert values(found, "actual") == [3, 1, 0, 0.75, 1, round(6 / 7, 6)]
    assert values(found, "planning") == [0, 0, 1, None, 0, 0]
    deepest = found["metrics"]["max_depth"]
    assert [deepest[side]["value"] for side in ("one", "other", "difference")] == [main["level"], 0, main["level"]]
    assert deepest["one"]["n"] == 1, "main rows alone"
    assert found["metrics"]["reflection_sentences"]["difference"]["value"] == -1
    (problem,) = found["problems"]
    assert (problem["kind"], problem["line"], problem["id"]) == ("duplicate", 7, main["id"])


def test_comparison_with_the_rules(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """The rules read the text of the other's responses; a model that reads so agrees in everything, in any order of the two."""
    save(tmp_path / "predictions.jsonl", lines)
    with llm_server(as_rules) as server:
        parse(tmp_path, server, small)
    for two in (("rules", "parsed.jsonl"), ("parsed.jsonl", "rules")):
        run = rb_parse("compare", *two, "--release", small, "--json", "found.json", "--format", "markdown", cwd=tmp_path)
        assert (run.exit_code, run.stderr) == (0, "")
        found = json.loads((tmp_path / "found.json").read_text())
        names = {"rules": reasoning.PARSER, "parsed.jsonl": PARSER}
        assert [found[side]["parser"] for side in ("one", "other")] == [names[name] for name in two]
        assert found["responses"] == {"compared": 24, "one_only": 0, "other_only": 0, "outside": 0, "not_comparable": []}
        assert [found["same_reading"]["value"], found["same_type"]["value"], found["kappa"]] == [1, 1, 1]
        assert {name: each["f1"]["value"] for name, each in found["found"].items()} == dict.fromkeys(found["found"], 1)
        assert all(each["difference"]["value"] == 0 for each in found["metrics"].values())
        assert found["metrics"]["max_depth"]["one"]["value"] == 4
        assert "| asserted | " in run.stdout
        assert "**Process on main rows, means**" in run.stdout
    parsed = read(tmp_path / "parsed.jsonl")
    total = sum(node["type"] == "actual" for line in parsed for sentence in line["nodes"] for node in sentence["nodes"])
    silent = [line | {"nodes": [each | {"nodes": []} for each in line["nodes"]]} for line in parsed]
    found = parser_comparison.compare(
        str(save(tmp_path / "silent.jsonl", silent)), "rules", str(small), "default", lambda number: None
    )
    assert values(found, "actual") == [0, 0, total, None, 0, 0]
    assert [found["metrics"]["max_depth"][side]["value"] for side in ("one", "other", "difference")] == [0, 4, -4]
    table = rb_parse("compare", "rules", "parsed.jsonl", "--release", small, cwd=tmp_path)
    assert "Cohen's kappa of the type" in table.stdout


def test_comparisons_refused(tmp_path: Path, small: Path, lines: list[Line]) -> None:
    """Rules with themselves, and files that nobody parsed, are refused."""
    save(tmp_path / "p.jsonl", lines)
    for two, why in (
        (("rules", "rules"), "the rules agree with themselves"),
        (("p.jsonl", "rules"), "p.jsonl: holds no response with 'nodes'"),
        (("rules", "absent.jsonl"), "absent.jsonl: cannot be read"),
    ):
        run = rb_parse("compare", *two, "--release", small, cwd=tmp_path)
        assert (run.exit_code, run.stdout) == (2, "")
        assert why in run.stderr
    save(tmp_path / "a.jsonl", [lines[0] | {"nodes": [sentence("a")]}])
    save(tmp_path / "b.jsonl", [lines[0] | {"nodes": [sentence("b")]}])
    run = rb_parse("compare", "a.jsonl", "b.jsonl", "--release", small, "--format", "json", cwd=tmp_path)
    assert run.exit_code == 1, "nothing could be compared"
    assert json.loads(run.stdout)["same_reading"] == {"value": None, "n": 0, "interval": None}


# The labelled sentences


SETS: dict[str, tuple[Labelled, ...]] = {"before": BEFORE, "after": AFTER, "held_out": HELD_OUT}


def measured(parser: dict[str, Any]) -> dict[str, list[tuple[Any, Any]]]:
    """(precision, recall) of asserted, planned, reflections by set, of one parser."""
    return {
        each["set"]: [
            (each["found"][name]["precision"]["value"], each["found"][name]["recall"]["value"])
            for name in ("actual", "planning", "reflection")
        ]
        for each in parser["sets"]
    }


def test_documented_figures(tmp_path: Path) -> None:
    """rb-parse labelled --parser rules gives the figures of docs/reefbench.md."""
    run = rb_parse("labelled", "--parser", "rules", "--format", "json", "--json", "found.json", cwd=tmp_path)
    assert (run.exit_code, run.stderr) == (0, "")
    found = json.loads(run.stdout)
    assert found == json.loads((tmp_path / "found.json").read_text())
    (rules,) = found["parsers"]
    text = (REPO / "docs" / "reefbench.md").read_text("utf-8")
    told = re.findall(
        r"^\| (\d+) of labelled/(\w+)\.jsonl, now \| (\S+) / (\S+) \| (\S+) / (\S+) \| (\S+) / (\S+) \|$", text, re.M
    )
    documented = {name: list(map(float, figures)) for _, name, *figures in told}
    assert documented == {name: [round(x, 3) for pair in pairs for x in pair] for name, pairs in measured(rules).items()}
    assert {name: int(number) for number, name, *_ in told} == {name: len(some) for name, some in SETS.items()}
    assert rules["parser"] == reasoning.PARSER


def labelling(planning: bool) -> Any:
    """A model that knows the labels, but for reflections, and, if not ``planning``, for what is planned."""
    labels = {each.text.strip(): each for some in SETS.values() for each in some}

    def says(request: dict[str, Any]) -> dict[str, Any]:
        _, texts, wanted, _ = asked(request["messages"])
        entries: list[Entry] = []
        for number in wanted:
            label = labels[texts[number]]
            nodes = [{"statement": each, "type": "actual"} for each in label.actual]
            nodes += [{"statement": each, "type": "planning"} for each in label.planning if planning]
            entries.append({"number": number, "type": "normal", "nodes": nodes})
        return {"sentences": entries}

    return says


def test_a_model_on_the_labelled_sentences(tmp_path: Path) -> None:
    """Figures are the model's, worked out by hand; the rules' and the paper's stand beside them."""
    with llm_server(labelling(planning=False)) as server:
        options = ("--base-url", server.base_url, "--model", MODEL, "--set", "held_out", "--json", "found.json")
        run = rb_parse("labelled", *options, cwd=tmp_path)
    assert run.exit_code == 0, run.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    model, rules = found["parsers"]
    assert measured(model) == {"held_out": [(1, 1), (None, 0), (None, 0)]}
    assert (rules["parser"], measured(rules)["held_out"][0][0]) == (reasoning.PARSER, 1)
    assert f"{reasoning.PARSER} on the set held_out: 288 sentences\n" in run.stdout
    (each,) = model["sets"]
    assert (each["sentences"], each["left_to_rules"]) == (288, 0)
    assert values(each, "all") == [277, 0, 31, 1, round(277 / 308, 6), round(2 * 277 / (277 + 308), 6)]
    assert values(each, "reflection") == [0, 0, 24, None, 0, 0]
    assert (model["parser"], found["paper"]) == (PARSER, {"parser": "Qwen2.5-32B-Instruct", "samples": 1000, "f1": 0.943})
    assert f"{PARSER} on the set held_out: 288 sentences, 0 of them left to the rules" in run.stdout
    assert "94.3" in run.stdout


def test_a_model_that_cannot_read_is_the_rules(tmp_path: Path) -> None:
    """Sentences of which a model gives nothing sound count as the rules read them, and are counted."""
    with llm_server(lambda request: "I cannot.") as server:
        options = ("--base-url", server.base_url, "--model", MODEL, "--set", "before", "--format", "json")
        run = rb_parse("labelled", *options, cwd=tmp_path)
    assert run.exit_code == 0, run.stderr
    found = json.loads(run.stdout)
    model, rules = found["parsers"]
    assert measured(model) == measured(rules) == {"before": [(1, 1), (1, 1), (1, 1)]}
    assert model["sets"][0]["left_to_rules"] == 231


def test_rules_ask_no_model(tmp_path: Path) -> None:
    """A model that would not be asked is refused."""
    run = rb_parse("labelled", "--parser", "rules", "--model", MODEL, cwd=tmp_path)
    assert (run.exit_code, run.stdout) == (2, "")
    assert "--parser rules asks no model" in run.stderr
