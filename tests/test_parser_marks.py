"""What rb-verify makes of a parser's name: marks in the signature, counts in the report, names that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rb_verify
from parse_cases import TRUE, save
from rb_verify.release import load

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
def test_marks(tmp_path: Path, reef: Path, parsers: list[Any], mark: str) -> None:
    """The signature names what read the reasoning if that is one thing."""
    assert signature(tmp_path, reef, parsers).endswith(f"|nodes:{mark}")


def test_parsers_in_the_report(tmp_path: Path, reef: Path, reef_rows: list[dict[str, Any]]) -> None:
    """Each parser has its responses and its share of sentences left to the rules; text=answer has none."""
    parsers = ["b-1", None, "b-1", 0]
    lines = [
        {"id": row["id"], "response": TRUE} | ({} if parser == 0 else {"nodes": NODES * (1 + place), "parser": parser})
        for place, (row, parser) in enumerate(zip(reef_rows, parsers, strict=False))
    ]
    lines[2]["nodes"] = NODES[:1]
    save(tmp_path / "p.jsonl", lines)
    found = rb_verify.evaluate(tmp_path / "p.jsonl", reef, partial=True).data["reefbench"]["parsers"]
    assert [
        (each["parser"], each["responses"], each["left_to_rules"]["value"], each["left_to_rules"]["n"]) for each in found
    ] == [
        ("b-1", 2, round(1 / 3, 6), 3),
        ("given", 1, 0.5, 4),
    ]
    data = rb_verify.evaluate(tmp_path / "p.jsonl", reef, partial=True, options={"text": "answer"}).data
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
def test_malformed_parsers(tmp_path: Path, reef: Path, reef_rows: list[dict[str, Any]], parser: Any) -> None:
    """What is no name and version cannot stand in a signature: the line is bad, and says so."""
    lines = [
        {"id": reef_rows[0]["id"], "response": TRUE, "nodes": NODES, "parser": parser},
        {"id": reef_rows[1]["id"], "response": TRUE},
    ]
    found = rb_verify.evaluate(save(tmp_path / "p.jsonl", lines), reef, partial=True)
    (problem,) = found.data["problems"]
    assert (problem["kind"], problem["line"], problem["id"]) == ("bad_line", 1, reef_rows[0]["id"])
    assert "'parser' that is no name with a version" in problem["message"]


def test_a_parser_is_said_of_nodes_and_tells_lines_apart(tmp_path: Path, reef: Path, reef_rows: list[dict[str, Any]]) -> None:
    """Lines that differ in it alone are different; without nodes it says nothing, whatever it is."""
    one = {"id": reef_rows[0]["id"], "response": TRUE, "nodes": NODES, "parser": "a-1"}
    lines = [one, one | {"parser": "a-2"}, {"id": reef_rows[1]["id"], "response": TRUE, "parser": 5}]
    found = rb_verify.evaluate(save(tmp_path / "p.jsonl", lines), reef, partial=True)
    problems = [(problem["kind"], problem["line"]) for problem in found.data["problems"]]
    assert problems == [("duplicate", 1), ("duplicate", 2)]
    assert found.data["counts"]["correct"] == (reef_rows[1]["answer"] == "True")
