"""The verdict on every kind of response, from the table in response_cases."""

from __future__ import annotations

from typing import Any

import pytest

import rb_verify
from rb_build.tracebench.prompt import prompt
from rb_verify import tracebench
from rb_verify.answers import label
from rb_verify.thinking import split
from response_cases import CASES, GOOD, Case

FACTS = [("A", "B", "B"), ("B", "B", "C"), ("C", "M", "D")]
ROW: dict[str, Any] = {
    "id": "tracebench-1-0-0-d010-g00-q0",
    "level": 10,
    "graph": "tracebench-1-0-0-d010-g00",
    "events": ["A", "B", "C", "D"],
    "facts": [{"from": u, "relation": r, "to": v} for u, r, v in FACTS],
    "question": {"from": "A", "relation": "B", "to": "D"},
    "answer": "YES",
    "gold_relation": "B",
    "prompt": prompt(FACTS, ("A", "B", "D")),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.source}: {case.name}")
def test_verdict(case: Case) -> None:
    """Status, category and failure mode are those of a fair reader."""
    response = case.response
    if response is not None:
        example = ROW["prompt"].rstrip().rpartition("\n")[2]
        response = response.replace("ECHO", ROW["prompt"]).replace("EXAMPLE", example)
    verdict = rb_verify.score(ROW, response, reasoning=case.reasoning, finish_reason=case.finish_reason)
    judged = verdict.status, verdict.category, verdict.outcome.failure
    assert judged == (case.status, case.category, case.failure), verdict.evidence
    if case.score is not None:
        assert verdict.score == case.score, verdict.evidence


def test_names_are_unique() -> None:
    """No two cases are the same by name and source."""
    assert len({(case.name, case.source) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("finish_reason", ["stop", "length", None])
def test_thinking_is_never_searched(finish_reason: str | None) -> None:
    """An answer inside closed thinking counts for nothing, whatever the reason for the end."""
    verdict = rb_verify.score(ROW, f"<think>{GOOD}</think>", finish_reason=finish_reason)
    assert verdict.status == "unparsed"
    assert rb_verify.score(ROW, "", reasoning=GOOD, finish_reason=finish_reason).status == "unparsed"


def test_split_keeps_what_is_outside() -> None:
    """What is before, between and after closed blocks stays visible."""
    assert split("a<think>b</think>c<thinking>d</thinking>e").visible == "a\nc\ne"
    assert split("a<think>b").visible == "a"
    assert split("a<think>b").unclosed == "b"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("YES", "YES"),
        ("no", "NO"),
        (False, "NO"),
        ("\\boxed{\\text{No}}", "NO"),
        ("$\\boxed{True}$", "YES"),
        ("cannot be determined", "Unsure"),
        ("No, A is not before D", "NO"),
        ("No — they meet", "NO"),
        ("Yes/No", None),
        ("1", None),
        (1, None),
        ({"a": 1}, None),
        ([["YES"]], None),
        ("yes" * 1000, None),
    ],
)
def test_label(value: Any, expected: str | None) -> None:
    """A label is read only where it is clear."""
    assert label(value, tracebench.LABELS) == expected


def test_hostile_nesting() -> None:
    """100,000 nested brackets or objects are judged like any text, also around and before an answer."""
    for unit in ("[", "{", '{"a":', '{"a":[', "<think>", "</think>", "\\boxed{", "("):
        deep = unit * 100_000
        assert rb_verify.score(ROW, deep).status == "unparsed"
        assert rb_verify.score(ROW, f'{{"final_answer": {deep}').status == "unparsed"
        if unit != "<think>":
            assert rb_verify.score(ROW, f"{deep}\n{GOOD}").status == "correct"
    closed = '{"a":' * 100_000 + "1" + "}" * 100_000
    assert rb_verify.score(ROW, closed + GOOD).status == "correct"
    assert (
        rb_verify.score(ROW, '{"reasoning": ' + "[" * 100_000 + "]" * 100_000 + ', "final_answer": "YES"}').status == "unparsed"
    )
