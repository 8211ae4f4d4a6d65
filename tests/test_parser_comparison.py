"""The agreement of two parsers, worked out by hand, and the command rb-parse compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from llm_server import llm_server
from parse_cases import PARSER, TRUE, Line, parse, rb_parse, read, save, values
from parsing_model import as_rules
from rb_verify import parser_comparison, reasoning
from rb_verify.parser_agreement import Pair, agreement
from rb_verify.reasoning import Sentence
from rb_verify.reefbench import given_sentences


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


def test_comparison(tmp_path: Path, reef: Path, reef_rows: list[dict[str, Any]]) -> None:
    """Responses that both have cut alike are compared, the others counted; metrics are means over main rows."""
    main, *more = [row for row in reef_rows if row["config"] == "main"]
    contrast = next(row for row in reef_rows if row["config"] == "contrast" and row["pair"] != main["pair"])
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
    found = compared(tmp_path, reef, ours, theirs)
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


def test_comparison_with_the_rules(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """The rules read the text of the other's responses; a model that reads so agrees in everything, in any order of the two."""
    save(tmp_path / "predictions.jsonl", reef_lines)
    with llm_server(as_rules) as server:
        parse(tmp_path, server, reef)
    for two in (("rules", "parsed.jsonl"), ("parsed.jsonl", "rules")):
        run = rb_parse("compare", *two, "--release", reef, "--json", "found.json", "--format", "markdown", cwd=tmp_path)
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
        str(save(tmp_path / "silent.jsonl", silent)), "rules", str(reef), "default", lambda number: None
    )
    assert values(found, "actual") == [0, 0, total, None, 0, 0]
    assert [found["metrics"]["max_depth"][side]["value"] for side in ("one", "other", "difference")] == [0, 4, -4]
    table = rb_parse("compare", "rules", "parsed.jsonl", "--release", reef, cwd=tmp_path)
    assert "Cohen's kappa of the type" in table.stdout


def test_comparisons_refused(tmp_path: Path, reef: Path, reef_lines: list[Line]) -> None:
    """Rules with themselves, and files that nobody parsed, are refused."""
    save(tmp_path / "p.jsonl", reef_lines)
    for two, why in (
        (("rules", "rules"), "the rules agree with themselves"),
        (("p.jsonl", "rules"), "p.jsonl: holds no response with 'nodes'"),
        (("rules", "absent.jsonl"), "absent.jsonl: cannot be read"),
    ):
        run = rb_parse("compare", *two, "--release", reef, cwd=tmp_path)
        assert (run.exit_code, run.stdout) == (2, "")
        assert why in run.stderr
    save(tmp_path / "a.jsonl", [reef_lines[0] | {"nodes": [sentence("a")]}])
    save(tmp_path / "b.jsonl", [reef_lines[0] | {"nodes": [sentence("b")]}])
    run = rb_parse("compare", "a.jsonl", "b.jsonl", "--release", reef, "--format", "json", cwd=tmp_path)
    assert run.exit_code == 1, "nothing could be compared"
    assert json.loads(run.stdout)["same_reading"] == {"value": None, "n": 0, "interval": None}
