"""What every kind of response to a ReEfBench pair is taken to say, from the table in reefbench_cases; and hostile ones."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

import rb_verify
from naive_deduction import all_predicates, names_of, rounds
from rb_verify import reefbench
from rb_verify.deduction import countermodel
from rb_verify.metrics import NAMES as METRIC_NAMES
from rb_verify.reefbench import decision
from rb_verify.statements import Statement, read
from rb_verify.verdict import Prediction, Verdict
from reefbench_cases import CASES, CONCLUSION, GOLDEN, GOOD, NAMES, ONE, REMOVED, REPLACING, UNKNOWN, Case, row, small_rows

ROWS = {config: row(config) for config in ("main", "contrast")}
DEPTHS = {
    config: rounds(
        map(read, one["premises"]), all_predicates(NAMES), {read(s["statement"]): s["golden_depth"] for s in one["golden"]}
    )
    for config, one in ROWS.items()
}


def judged(case: Case, config: str) -> Verdict:
    """The verdict on a case as a response to the main or the contrast row."""
    response = None if case.response is None else case.response.replace("ECHO", ROWS[config]["prompt"])
    return rb_verify.score(ROWS[config], response, reasoning=case.reasoning, finish_reason=case.finish_reason)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.source}: {case.name}"[:90])
def test_verdict(case: Case) -> None:
    """The answer, its failure, statements, reflections and sentences are those that a fair reader finds, on both rows."""
    for config, one in ROWS.items():
        verdict = judged(case, config)
        evidence, outcome = verdict.evidence, verdict.outcome
        json.dumps(verdict.as_dict(), allow_nan=False)
        assert evidence["answer"] == case.choice, evidence["note"]
        right = case.choice == one["answer"]
        assert verdict.score == right
        if case.choice is None:
            assert (verdict.status, verdict.category, outcome.failure) == ("unparsed", "parse_failure", case.failure), evidence
        else:
            categories = {"main": ("missed", "true_found"), "contrast": ("overclaimed", "unknown_seen")}
            assert (verdict.status, verdict.category) == (("incorrect", "correct")[right], categories[config][right])
            assert outcome.failure == (None if right else f"answered_{case.choice.lower()}")
        metrics = evidence["metrics"]
        if case.nodes is not None:
            said = [("?" if node["planning"] else "") + node["statement"] for node in evidence["nodes"]]
            assert said == [text.replace("? ", "?") for text in case.nodes]
            assert metrics["nodes"] == len(said)
        if case.reflections is not None:
            assert metrics["reflection_sentences"] == case.reflections
        if case.sentences is not None:
            assert metrics["sentences"] == case.sentences


@pytest.mark.parametrize("case", [case for case in CASES if case.nodes], ids=lambda case: f"{case.source}: {case.name}"[:90])
def test_kinds(case: Case) -> None:
    """What the oracle says of each statement is what forward chaining, one instance at a time, gives."""
    for config, one in ROWS.items():
        premises = set(one["premises"])
        for node in judged(case, config).evidence["nodes"]:
            depth = DEPTHS[config].get(read(node["statement"]))
            kind = "premise" if node["statement"] in premises else "hallucination" if depth is None else "derived"
            assert (node["kind"], node["depth"]) == (kind, None if depth is None else min(depth, 3)), node


def test_the_table_is_sound() -> None:
    """No two cases share name and source, and every statement expected of them is over the row's names."""
    assert len({(case.name, case.source) for case in CASES}) == len(CASES)
    for case in CASES:
        assert (case.choice is None) == (case.failure is not None), case
        assert names_of(read(text.removeprefix("?")) for text in case.nodes or ()) <= set(NAMES), case


def test_the_rows_are_what_they_say() -> None:
    """True follows by naive forward chaining, at the layers told; Unknown has a countermodel, checked premise by premise."""
    main, contrast = ROWS["main"], ROWS["contrast"]
    assert {read(text): depth for text, _, _, depth in GOLDEN}.items() <= DEPTHS["main"].items()
    assert rounds(map(read, main["premises"]), all_predicates(NAMES))[read(CONCLUSION)] == 3
    assert read(CONCLUSION) not in DEPTHS["contrast"]
    assert set(main["premises"]) ^ set(contrast["premises"]) == {REMOVED, REPLACING}
    model = countermodel(map(read, contrast["premises"]), read(CONCLUSION))
    assert model is not None
    assert all(holds(read(text), model) for text in contrast["premises"])
    assert not holds(read(CONCLUSION), model)


def holds(statement: Statement, true: frozenset[str]) -> bool:
    """Whether a statement is true of a thing that has exactly these names."""
    joint, parts = statement.predicate
    return statement.subject not in true or (any if joint == "or" else all)(part in true for part in parts)


def test_labels() -> None:
    """Main conclusions follow by naive forward chaining; contrast ones have a countermodel that every premise allows."""
    for one in [one for name, some in small_rows().items() if name.startswith("contrast") for one in some]:
        premises, conclusion = list(map(read, one["premises"])), read(one["conclusion"])
        model = countermodel(premises, conclusion)
        assert one["answer"] == UNKNOWN
        assert model is not None
        assert all(holds(premise, model) for premise in premises)
        assert not holds(conclusion, model)
    for one in [*small_rows()["main03"], *small_rows()["contrast03"], *small_rows()["main04"][:2]]:
        premises, conclusion = list(map(read, one["premises"])), read(one["conclusion"])
        told = {s.predicate for s in (*premises, conclusion, *(read(step["statement"]) for step in one["golden"]))}
        universe = told | set(all_predicates(names_of([*premises, conclusion]), 1))
        assert (conclusion in rounds(premises, universe)) == (one["answer"] == "True")


def test_flipping_the_answer() -> None:
    """The perfect response with the other answer is wrong; its reasoning measures the same."""
    for name in ("main03", "contrast03", "main05", "contrast05"):
        for one in small_rows()[name]:
            right = reefbench.perfect(one)
            other = {"True": "Unknown", "Unknown": "True"}[one["answer"]]
            for answer in (other, "False"):
                wrong = right.replace(f"\\boxed{{{one['answer']}}}", f"\\boxed{{{answer}}}")
                assert wrong != right
                good, bad = rb_verify.score(one, right), rb_verify.score(one, wrong)
                assert (good.score, good.status, bad.score, bad.status) == (1, "correct", 0, "incorrect")
                assert good.evidence["nodes"] == bad.evidence["nodes"]
            silent = rb_verify.score(one, right.rpartition("\n")[0])
            assert (silent.score, silent.status) == (0, "unparsed")


def test_the_sentence_of_a_conditional_counts_nothing() -> None:
    """The proof in the conditional, in questions, in negations and in letters asserts nothing: depth 0, no hallucination."""
    whole = [text for text, *_ in GOLDEN]
    texts = {
        "if": f"If {', and if '.join(whole)}, then we are done.",
        "asked": "".join(f"Is it so that {text}? " for text in whole),
        "denied": "".join(f"It does not hold that {text}. " for text in whole),
        "letters": "A is B. B is C and D. So A is C and D. So A is C. So A is C or E.",
    }
    for name, text in texts.items():
        verdict = rb_verify.score(ROWS["main"], f"{text}\n{GOOD}")
        metrics = verdict.evidence["metrics"]
        assert (metrics["max_depth"], metrics["correct_nodes"], metrics["hallucination_nodes"]) == (0, 0, 0), name
        assert metrics["planning_nodes"] == (5 if name in ("if", "asked") else 0), name


def test_api_errors_are_missing() -> None:
    """An API error is missing, even where a response came with it; it is no reasoning that could be measured."""
    for one in ROWS.values():
        missing = reefbench.judge(one, Prediction(one["id"], GOOD, error=True))
        assert (missing.status, missing.category, missing.score) == ("missing", "missing", 0)
        assert set(missing.outcome.measures) <= {0}


@pytest.mark.parametrize("finish_reason", ["stop", "length", None])
def test_thinking_is_never_searched(finish_reason: str | None) -> None:
    """A box inside closed or separate thinking answers nothing, whatever the reason for the end; its statements count."""
    for response, reasoning in ((f"<think>{ONE}. {GOOD}</think>", None), ("", f"{ONE}. {GOOD}")):
        verdict = rb_verify.score(ROWS["main"], response, reasoning=reasoning, finish_reason=finish_reason)
        assert verdict.status == "unparsed"
        assert [node["statement"] for node in verdict.evidence["nodes"]] == [ONE]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, "True"),
        (False, "False"),
        (["Unknown"], "Unknown"),
        (["True", "Unknown"], None),
        ([[True]], None),
        (None, None),
        (1, None),
        ({"a": True}, None),
        ("true" * 1000, None),
        ("\\text{" * 50 + "True" + "}" * 50, "True"),
        ("this is not something that is true", None),
        ("It is unlikely that it is true", None),
        ("The question of whether it is true", None),
        ("It is wrong that the answer is true", None),
        ("TRUE", "True"),
        ("unknown.", "Unknown"),
    ],
)
def test_decision(value: Any, expected: str | None) -> None:
    """A decision is read only where it is clear: never True where the words around it take it back."""
    assert decision(value) == expected


HOSTILE: dict[str, Callable[[int], str]] = {
    "boxes": lambda n: "\\boxed{" * (n // 7),
    "closed boxes": lambda n: "\\boxed{x}" * (n // 9),
    "braces": lambda n: "\\boxed" + "{" * n,
    "a huge box": lambda n: "\\boxed{" + "True " * (n // 5) + "}",
    "a huge subject": lambda n: "\\boxed{the " + "is it " * (n // 6) + "}",
    "text commands": lambda n: "\\boxed{" + "\\text{" * (n // 6) + "True" + "}" * (n // 6) + "}",
    "a huge answer": lambda n: '{"answer": "' + "it is from " * (n // 11) + '"}',
    "a huge answer line": lambda n: "Answer: " + "the answer is " * (n // 14),
    "think tags": lambda n: "<think>" * (n // 7),
    "closing tags": lambda n: "</think>" * (n // 8),
    "brackets": lambda n: "[" * n,
    "objects": lambda n: '{"answer":' * (n // 10),
    "one name": lambda n: "babkpus " * (n // 8),
    "one list": lambda n: "babkpus is " + "dalmpus, " * (n // 9),
    "one chain": lambda n: "babkpus → dalmpus → " * (n // 22),
    "and is": lambda n: "babkpus is dalmpus " + "and is fentpus " * (n // 15),
    "negations": lambda n: "not " * (n // 4) + ONE,
    "statements": lambda n: f"{ONE}. " * (n // 20),
    "full stops": lambda n: ". " * (n // 2),
    "line breaks": lambda n: "\n" * n,
    "blanks": lambda n: f"babkpus{' ' * n}is dalmpus",
    "quotes": lambda n: "'\"`’“" * (n // 5),
    "control characters": lambda n: "".join(map(chr, range(1, 32))) * (n // 31),
    "strangers": lambda n: "xabkpus is yalmpus. " * (n // 20),
    "wait": lambda n: "wait, " * (n // 6),
    "parentheses": lambda n: "(" * n + ONE + ")" * n,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    """Four times the text takes far less than the sixteen times of a quadratic reader, and nothing is raised."""
    assert _seconds(HOSTILE[name](60_000)) < 10 * _seconds(HOSTILE[name](15_000)) + 0.2


def _seconds(text: str) -> float:
    """The least of three times of the processor, which other work on the machine does not touch, that judging takes."""
    times = []
    for _ in range(3):
        started = time.process_time()
        verdict = rb_verify.score(ROWS["main"], text)
        times.append(time.process_time() - started)
        json.dumps(verdict.as_dict(), allow_nan=False)
    return min(times)


def test_hostile_text_before_the_answer() -> None:
    """Whatever stands before it, the last box counts, unless it is left open or in thinking."""
    for name, make in HOSTILE.items():
        text = f"{make(2_000)}\n\n{GOOD}"
        opened = name in ("think tags",)
        verdict = rb_verify.score(ROWS["main"], text, finish_reason="length" if opened else None)
        assert verdict.score == (not opened), name


def test_metrics_of_an_empty_response() -> None:
    """Nothing said is sentences 0, and every metric its declared zero; the first correct step is then after the end."""
    for response in ("", None):
        metrics = rb_verify.score(ROWS["main"], response).evidence["metrics"]
        assert metrics == dict.fromkeys(METRIC_NAMES, 0) | {"first_correct_step": 1}
