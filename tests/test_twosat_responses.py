"""The verdict on every kind of response to a 2-SAT row, from the table in twosat_cases; and on hostile ones."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

import rb_verify
from rb_build.twosat.prompt import prompt
from rb_verify import twocnf, twosat
from rb_verify.schemes import SCHEMES, entities
from rb_verify.twosat import decision
from rb_verify.verdict import Prediction
from twosat_cases import CASES, FORMULAS, GOOD, MODEL, REFUTED, SOLVED, UNSAT, Case, named, sat


@lru_cache
def row_of(formula: str, scheme: str) -> dict[str, Any]:
    """A row of a formula. An empty clause has no words, so its row has no prompt."""
    made = FORMULAS[formula]
    names = entities(scheme, made.variables)
    return {
        "id": f"twosat-1-0-0-ic{len(made.clauses):03d}-f0-{scheme}",
        "scheme": scheme,
        "entities": list(names),
        "clauses": [list(clause) for clause in made.clauses],
        "variables": made.variables,
        "satisfiable": made.satisfiable,
        "family": "ImplicationCycle",
        "params": {"clauses": len(made.clauses), "split": 0.5},
        "perturbation": "none",
        "variant": "",
        "base_id": "twosat-1-0-0-ic005-f0",
        "prompt": prompt(SCHEMES[scheme], names, made.clauses) if all(made.clauses) else "",
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.source}: {case.name}")
def test_verdict(case: Case) -> None:
    """Status, category, failure mode and the verdict on what was given are those of a fair reader."""
    row, response = row_of(case.formula, case.scheme), case.response
    if response is not None:
        example = re.search(r'^\{"satisfiable".*$', row["prompt"], re.MULTILINE)
        response = response.replace("ECHO", row["prompt"]).replace("EXAMPLE", example[0] if example else "")
    verdict = rb_verify.score(row, response, reasoning=case.reasoning, finish_reason=case.finish_reason)
    evidence = verdict.evidence
    checked = evidence.get("witness") or evidence.get("certificate") or {"verdict": None, "note": ""}
    judged = verdict.status, verdict.category, checked["verdict"]
    assert judged == (case.status, case.category, case.checked), evidence
    assert case.note in evidence["note"] + checked["note"], evidence
    assert verdict.score == (case.category in (SOLVED, REFUTED)), evidence
    if case.failure is not None:
        assert verdict.outcome.failure == case.failure, evidence
    json.dumps(verdict.as_dict(), allow_nan=False)


def test_the_table_is_sound() -> None:
    """No two cases share name and source; each formula is labelled rightly; the cases' labels fit their formula."""
    assert len({(case.name, case.source) for case in CASES}) == len(CASES)
    for formula in FORMULAS.values():
        solution = twocnf.solve(formula.variables, formula.clauses)
        assert solution.satisfiable == formula.satisfiable
        assert twocnf.count_models(formula.variables, formula.clauses) > 0 or not formula.satisfiable
    for case in CASES:
        if case.category in (SOLVED, "invalid_witness", "false_unsat"):
            assert FORMULAS[case.formula].satisfiable, case
        if case.category in (REFUTED, "false_sat"):
            assert not FORMULAS[case.formula].satisfiable, case


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("formula", [name for name in FORMULAS if name != "empty clause"])
def test_perfect_and_errors(scheme: str, formula: str) -> None:
    """The perfect response scores 1, and an API error is missing, even where a response came with it."""
    row = row_of(formula, scheme)
    text = twosat.perfect(row)
    verdict = rb_verify.score(row, text)
    assert (verdict.score, verdict.status) == (1, "correct"), verdict.evidence
    if not row["satisfiable"]:
        assert verdict.evidence["certificate"]["verdict"] == "valid"
    missing = twosat.judge(row, Prediction(row["id"], text, error=True))
    assert (missing.status, missing.category, missing.score) == ("missing", "missing", 0)


@pytest.mark.parametrize("finish_reason", ["stop", "length", None])
def test_thinking_is_never_searched(finish_reason: str | None) -> None:
    """An answer inside closed thinking counts for nothing, whatever the reason for the end."""
    row = row_of("sat", "team")
    assert rb_verify.score(row, f"<think>{GOOD}</think>", finish_reason=finish_reason).status == "unparsed"
    assert rb_verify.score(row, "", reasoning=GOOD, finish_reason=finish_reason).status == "unparsed"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "SAT"),
        (False, "UNSAT"),
        ("SAT", "SAT"),
        ("UNSAT", "UNSAT"),
        ("unsat.", "UNSAT"),
        ("UNSATISFIABLE", "UNSAT"),
        ("not satisfiable", "UNSAT"),
        ("NOT  SATISFIABLE", None),
        ("The formula is satisfiable", "SAT"),
        ("the formula is unsatisfiable.", "UNSAT"),
        ("It is not satisfiable", "UNSAT"),
        ("Satisfiable: Ada is Red", "SAT"),
        ("satisfiable: false", "UNSAT"),
        ("satisfiable = no", "UNSAT"),
        ("is_satisfiable: true", "SAT"),
        ("SAT, not UNSAT", None),
        ("Yes, not satisfiable", None),
        ("satisfiable: true/false", None),
        ("not unsat", None),
        ("SATURDAY", None),
        ("\\boxed{\\text{Unsatisfiable}}", "UNSAT"),
        ("1", "SAT"),
        ("0", "UNSAT"),
        ("2", None),
        (1.5, None),
        (None, None),
        ("unknown", None),
        ("true" * 1000, None),
        ([[True]], None),
        ({"a": True}, None),
    ],
)
def test_decision(value: Any, expected: str | None) -> None:
    """A decision is read only where it is clear, and never out of the middle of a word."""
    assert decision(value) == expected


def test_hostile_nesting() -> None:
    """100,000 nested brackets or 50,000 nested objects are judged like any text, in every place of an answer."""
    row = row_of("sat", "team")
    for unit in ("[", "{", '{"a":', '{"a":[', "<think>", "</think>", "\\boxed{", "("):
        deep = unit * (50_000 if ":" in unit else 100_000)
        assert rb_verify.score(row, deep).status == "unparsed"
        assert rb_verify.score(row, f'{{"satisfiable": {deep}').status == "unparsed"
        assert rb_verify.score(row, f'{{"satisfiable": true, "assignment": {deep}').status == "unparsed"
        if unit != "<think>":
            assert rb_verify.score(row, f"{deep}\n{GOOD}").score == 1


@pytest.mark.parametrize("depth", [40, 60, 400, *range(900, 1001, 3), 20_000])
def test_no_depth_raises(depth: int) -> None:
    """Values nested too deeply to read or to print are no decision, no witness and no certificate."""
    row = row_of("sat", "team")
    for deep in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        for response in (
            f'{{"satisfiable": {deep}}}',
            f'{{"satisfiable": true, "assignment": {{"Ada": {deep}}}}}',
            f'{{"satisfiable": true, "assignment": [{deep}]}}',
            f'{{"satisfiable": true, "assignment": [{{"name": {deep}, "value": "Red"}}]}}',
            f'{{"satisfiable": false, "certificate": [[{deep}], ["Ada=Red"]]}}',
        ):
            verdict = rb_verify.score(row, response)
            assert verdict.score == 0
            json.dumps(verdict.as_dict(), allow_nan=False)


HOSTILE: dict[str, Callable[[int], str]] = {
    "blanks": lambda n: sat(" " * n + "x"),
    "a name and blanks": lambda n: sat(["Ada" + " " * n + "=" + " " * n + "Red" + " " * n + "x"]),
    "one long text": lambda n: sat("Ada=Red, " * (n // 8)),
    "one long sentence": lambda n: sat("Ada is on the Red team and " * (n // 25)),
    "one long value": lambda n: sat({"Ada": "Red" * n}),
    "one long name": lambda n: sat({"Ada" * n: "Red"}),
    "one long bare name": lambda n: sat("not " * n),
    "numbers of lists": lambda n: sat("1. " * n),
    "signs": lambda n: sat("=:→->" * (n // 5)),
    "quotes": lambda n: sat("'\"`’“" * (n // 5)),
    "unknown entries": lambda n: sat({f"x{i}": "Red" for i in range(n // 10)}),
    "the same statement": lambda n: sat(["Ada is on the Red team"] * (n // 10)),
    "the same pair": lambda n: sat([["Ada", True]] * (n // 10)),
    "huge integers": lambda n: sat({"Ada": int("9" * 4000)}) + "9" * n,
    "a huge key": lambda n: '{"satisfiable": true, "assignment": {"' + "1" * n + '": 1}}',
    "a huge decision": lambda n: '{"satisfiable": ' + "1" * n + "}",
    "the subject of a decision": lambda n: '{"satisfiable": "' + "the it is " * (n // 10) + '"}',
    "marks before a decision": lambda n: '{"satisfiable": "' + "* " * n + 'satisfiable"}',
    "control characters": lambda n: sat({"Ada": "".join(map(chr, range(1, 32))) * (n // 31)}),
    "markup": lambda n: f"<b>{GOOD}</b>" + "<i>*_`\\boxed{</i>" * (n // 16),
    "many answers": lambda n: "\n".join([UNSAT] * (n // 40)),
    "many wrapped answers": lambda n: "\n".join(['{"status": "ok", "x": {"satisfiable": "?"}}'] * (n // 40)),
    "a long chain": lambda n: json.dumps(
        {"satisfiable": False, "certificate": [["Ada=Red", "Agnes=Red"] * (n // 20), ["Ada=Red"]]}
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    """Four times the text takes far less than the sixteen times of a quadratic reader."""
    for scheme in ("team", "logic"):
        row = row_of("unsat" if name == "a long chain" else "sat", scheme)
        assert _seconds(row, HOSTILE[name](120_000)) < 10 * _seconds(row, HOSTILE[name](30_000)) + 0.05


def _seconds(row: dict[str, Any], text: str) -> float:
    """The least of three times that judging takes."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        verdict = rb_verify.score(row, text)
        times.append(time.perf_counter() - started)
        json.dumps(verdict.as_dict(), allow_nan=False)
    return min(times)


def test_large_assignments() -> None:
    """A megabyte of text and 100,000 entries are read to the end: what contradicts the rest there counts."""
    row = row_of("sat", "team")
    text = ", ".join(f"{name}={'T' if value else 'F'}" for name, value in named("team", MODEL).items())
    long = ", ".join([text] * 25_000)
    assert len(long) > 1_000_000
    assert rb_verify.score(row, sat(long)).score == 1
    assert rb_verify.score(row, sat(long + ", Ada=T")).evidence["witness"]["verdict"] == "unreadable"
    entries = [[name, value] for name, value in named("team", MODEL).items()] * 20_000
    assert rb_verify.score(row, sat(entries)).score == 1
    assert rb_verify.score(row, sat([*entries, ["Zoe", True]])).evidence["witness"]["verdict"] == "unreadable"
    for value in ("9" * 100_000, "1" + "0" * 100_000, "-1", "1e400", "NaN", "Infinity"):
        assert rb_verify.score(row, f'{{"satisfiable": true, "assignment": {{"Ada": {value}}}}}').score == 0
