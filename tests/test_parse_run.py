"""The command rb-parse run, against a scripted model on loopback: what it parses, hands on, leaves to the rules and refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import rb_verify
from llm_server import llm_server
from parse_cases import MODEL, PARSER, SECRET, TRUE, Line, parse, rb_parse, read, save
from parsing_model import as_rules, asked, entry
from rb_verify import report


def test_a_model_that_reads_as_the_rules(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """Nothing is left to the rules, and rb-verify reports the same of text and nodes, but for the signature and the parser."""
    save(tmp_path / "predictions.jsonl", reef_lines)
    with llm_server(as_rules) as server:
        run = parse(tmp_path, server, reef, "--temperature", "0", "--cache", "cache")
        assert (run.exit_code, run.stdout) == (0, "parsed.jsonl\n"), run.stderr
        asked_once = len(server.requests)
        assert {header["authorization"] for header in server.headers} == {f"Bearer {SECRET}"}
        assert {(body["model"], body["temperature"]) for body in server.requests} == {(MODEL, 0.0)}
        assert {body["response_format"]["type"] for body in server.requests} == {"json_schema"}

        again = parse(tmp_path, server, reef, "--temperature", "0")
        assert again.exit_code == 0
        assert "0 responses parsed, 0 lines handed on, 24 were there already" in again.stderr
        cached = parse(tmp_path, server, reef, "--temperature", "0", "--cache", "cache", out="second.jsonl")
        assert cached.exit_code == 0
        assert len(server.requests) == asked_once, "what is there, or in the cache, is not asked again"
    assert (tmp_path / "second.jsonl").read_bytes() == (tmp_path / "parsed.jsonl").read_bytes()

    parsed = read(tmp_path / "parsed.jsonl")
    assert [{key: line[key] for key in line if key not in ("nodes", "parser")} for line in parsed] == sorted(
        reef_lines, key=lambda line: line["id"]
    )
    assert {line["parser"] for line in parsed} == {PARSER}
    sentences = sum(len(line["nodes"]) for line in parsed)
    assert (
        f"{sentences} sentences: {sentences} (100.00 %) read at the first attempt, 0 (0.00 %) left to the rules" in run.stderr
    )

    ours, theirs = (rb_verify.evaluate(tmp_path / name, reef).data for name in ("parsed.jsonl", "predictions.jsonl"))
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


def test_faults_of_the_endpoint_change_nothing(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """Errors, lost connections and broken bodies are retried; what is cut off is a failed attempt, and asked again."""
    save(tmp_path / "predictions.jsonl", reef_lines[:4])
    with llm_server(as_rules) as server:
        parse(tmp_path, server, reef, out="sound.jsonl")
    with llm_server(as_rules, faults=["429", "500", None, "503", "cut", "close", "length"]) as server:
        run = parse(tmp_path, server, reef)
        assert run.exit_code == 0, run.stderr
        wanted = [asked(body["messages"]) for body in server.requests]
    assert read(tmp_path / "parsed.jsonl") == read(tmp_path / "sound.jsonl")
    total = sum(len(line["nodes"]) for line in read(tmp_path / "sound.jsonl"))
    (told,) = [each for each in wanted if each.faults]
    assert told.faults == "the reply was cut off"
    first = total - len(told.wanted)
    assert f"{total} sentences: {first} ({100 * first / total:.2f} %) read at the first attempt, 0 (0.00 %)" in run.stderr
    assert SECRET not in run.stderr


def test_an_endpoint_that_fails_is_no_reading(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """A response whose request fails for good is listed and not written, so that the next run asks for it; no sentence of it is
    left to the rules. What the endpoint refuses for what it asks is left to them."""
    save(tmp_path / "predictions.jsonl", reef_lines[:4])
    with llm_server(as_rules) as server:
        parse(tmp_path, server, reef, out="sound.jsonl")
    with llm_server(as_rules, faults=["500"]) as server:
        first = parse(tmp_path, server, reef, "--retries", "0")
        again = parse(tmp_path, server, reef, "--retries", "0")
    assert (first.exit_code, again.exit_code) == (1, 0)
    assert f"{reef_lines[0]['id']}: not parsed (HTTP 500: " in first.stderr
    assert "3 responses parsed" in first.stderr
    assert "1 responses parsed, 0 lines handed on, 3 were there already" in again.stderr
    assert " 0 (0.00 %) left to the rules" in first.stderr
    assert read(tmp_path / "parsed.jsonl") == read(tmp_path / "sound.jsonl")
    with llm_server(as_rules, faults=["400"]) as server:
        run = parse(tmp_path, server, reef, out="refused.jsonl")
    assert run.exit_code == 0
    assert "1 requests were refused, and their sentences left to the rules; the last: HTTP 400: Bad Request" in run.stderr
    (left,) = [line for line in read(tmp_path / "refused.jsonl") if any("by" in each for each in line["nodes"])]
    assert left["id"] == reef_lines[0]["id"]


def test_an_endpoint_that_takes_no_schema_ends_the_run(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """One that refuses every request is not taken for a model that reads nothing."""
    save(tmp_path / "predictions.jsonl", reef_lines)
    with llm_server(as_rules, faults=["400"] * 99) as server:
        run = parse(tmp_path, server, reef)
    assert (run.exit_code, len(server.requests)) == (2, 8)
    assert "all of 8 requests for JSON were refused, the last: HTTP 400: Bad Request" in run.stderr
    assert "name an endpoint that takes a response_format with a JSON schema" in run.stderr


def stubborn(request: dict[str, Any]) -> dict[str, Any] | str:
    """A model that never reads a sentence with a question mark, and names what is not there in each that tells of a need."""
    names, texts, wanted, _ = asked(request["messages"])
    entries = [entry(number, texts[number], names) for number in wanted if "?" not in texts[number]]
    strange = [{"statement": "xpus is ypus", "type": "actual"}]
    return {
        "sentences": [each | {"nodes": strange} if texts[each["number"]].startswith("We need") else each for each in entries]
    }


def test_what_is_left_to_the_rules_is_counted(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """A sentence without a sound reading after three attempts has the rules' reading, its mark, and a place in the report."""
    save(tmp_path / "predictions.jsonl", reef_lines)
    with llm_server(stubborn) as server:
        run = parse(tmp_path, server, reef)
        assert run.exit_code == 0, run.stderr
        assert sum(bool(asked(body["messages"]).faults) for body in server.requests) == 2 * len(reef_lines)
    parsed = read(tmp_path / "parsed.jsonl")
    total = sum(len(line["nodes"]) for line in parsed)
    for line in parsed:
        left = [sentence["text"] for sentence in line["nodes"] if sentence.get("by") == "rules"]
        assert [" ".join(text.split()[:2]) for text in left] == ["We need", "Wait, is"], "the plan, and the second thought"
    assert f"48 ({4800 / total:.2f} %) left to the rules" in run.stderr
    found = rb_verify.evaluate(tmp_path / "parsed.jsonl", reef)
    (parser,) = found.data["reefbench"]["parsers"]
    assert (parser["parser"], parser["responses"]) == (PARSER, 24)
    assert (parser["left_to_rules"]["value"], parser["left_to_rules"]["n"]) == (round(48 / total, 6), total)
    (table,) = [table for table in report.tables(found) if table.title.startswith("Sentences that")]
    assert table.rows[0][:2] + table.rows[0][3:] == [PARSER, f"{4800 / total:.2f}", str(total), "24"]
    text = rb_verify.evaluate(tmp_path / "predictions.jsonl", reef)
    assert found.data["reefbench"]["process"] == text.data["reefbench"]["process"]


def test_killed_and_run_again(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """After kill -9 a second run parses what is missing, and every response is there once."""
    save(tmp_path / "predictions.jsonl", reef_lines)
    with llm_server(as_rules) as server:
        parse(tmp_path, server, reef, out="sound.jsonl")
        before = len(server.requests)
        arrived = server.reached(before + before // 2)
        options = ["--release", reef, "--out", "parsed.jsonl", "--base-url", server.base_url, "--model", MODEL]
        command = [sys.executable, "-m", "rb_verify.parse_cli", "run", "predictions.jsonl", *options, "--concurrency", "1"]
        with subprocess.Popen(list(map(str, command)), cwd=tmp_path, stderr=subprocess.PIPE) as process:
            arrived.wait()
            process.send_signal(signal.SIGKILL)
            process.wait()
        there = len((tmp_path / "parsed.jsonl").read_bytes().splitlines())
        assert 0 < there < len(reef_lines)
        with (tmp_path / "parsed.jsonl").open("a") as stream:
            stream.write('{"id": "reefbench-0-1-0-')
        server.go_on()
        run = parse(tmp_path, server, reef)
    assert run.exit_code == 0, run.stderr
    assert f"{len(reef_lines) - there} responses parsed, 0 lines handed on, {there} were there already" in run.stderr
    assert read(tmp_path / "parsed.jsonl") == read(tmp_path / "sound.jsonl")


def test_lines_that_are_not_parsed(tmp_path: Path, reef: Path, reef_rows: list[dict[str, Any]]) -> None:
    """Other datasets, API errors and strange ids are handed on, bad lines listed; rb-verify then says the same of both."""
    ids = [row["id"] for row in reef_rows]
    text = f"{reef_rows[0]['premises'][0]}.\n{TRUE}"
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
        run = parse(tmp_path, server, reef)
        again = parse(tmp_path, server, reef)
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
    counts = [rb_verify.evaluate(tmp_path / name, reef).data["lines"] for name in ("predictions.jsonl", "parsed.jsonl")]
    assert counts[0] | {"read": 0, "repeated": 0, "bad_line": 0} == counts[1] | {"read": 0, "repeated": 0, "bad_line": 0}
    assert (counts[0]["duplicate"], counts[0]["judged"]) == (2, counts[1]["judged"])


def test_refusals(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """What cannot be done is said in one sentence with its exit code, and never with the key."""
    save(tmp_path / "predictions.jsonl", reef_lines[:2])
    save(tmp_path / "other.jsonl", [{"id": "tracebench-1-0-0-d045-g03-q2", "response": "YES"}])
    save(tmp_path / "taken.jsonl", reef_lines[:1])
    with llm_server(as_rules, faults=["401"]) as server:
        refused = parse(tmp_path, server, reef)
        assert refused.exit_code == 2
        assert "refuses the key (HTTP 401)" in refused.stderr
        assert parse(tmp_path, server, reef).exit_code == 0
        options = ("--out", "out.jsonl", "--base-url", server.base_url, "--model", MODEL)
        for run, why in (
            (parse(tmp_path, server, reef, model="another"), "parsed.jsonl: was made with"),
            (parse(tmp_path, server, reef, out="taken.jsonl"), "taken.jsonl: exists"),
            (parse(tmp_path, server, reef, "--config", "nosuch", out="out.jsonl"), "no config 'nosuch'"),
            (rb_parse("run", "other.jsonl", *options, cwd=tmp_path), "other.jsonl: holds no response to a row of reefbench"),
            (rb_parse("run", "absent.jsonl", *options, cwd=tmp_path), "absent.jsonl: cannot be read"),
            (rb_parse("run", "predictions.jsonl", *options, cwd=tmp_path), "is not built in"),
            (rb_parse("run", "predictions.jsonl", *options[:4], cwd=tmp_path, RB_MODEL=""), "no model is named"),
        ):
            assert run.exit_code == 2, why
            assert (run.stdout, len(run.stderr.splitlines())) == ("", 1)
            assert why in run.stderr
    assert SECRET not in refused.stderr
