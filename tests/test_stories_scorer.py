"""Verdicts on stories: what a witness or certificate in their words is worth, and what attacks score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rb_verify
from rb_verify import stories, themes, twosat
from rb_verify.release import Release, load
from rb_verify.themes import THEMES
from rb_verify.verdict import Prediction
from stories_cases import Row, built, row_of

BUTLER, DAGGER, GARDENER = "the Ashford butler", "the Blackwood dagger", "the Carlisle gardener"
# Its models are T F T and F T F: innocent, bloodstained, truthful; and guilty, clean, lying.
CLAUSES = [[1, 2], [-1, 3], [-2, -3]]
REFUTED = [[1, 2], [1, -2], [-1, 3], [-1, -3]]  # 1 -> 3 -> not 1 -> 2 -> 1


@pytest.fixture(scope="module")
def paired(stories_home: Path) -> Release:
    """Config paired of the small release."""
    return load(stories_home / "releases" / "stories" / "0.1.0", "paired")


def judged(row: Row, assignment: Any) -> tuple[str, str, str]:
    """Category, and verdict and note on the assignment."""
    verdict = rb_verify.score(row, json.dumps({"satisfiable": True, "assignment": assignment}))
    json.dumps(verdict.as_dict(), allow_nan=False)
    checked = verdict.evidence["witness"]
    return verdict.category, checked["verdict"], checked["note"]


GOOD: list[Any] = [
    {BUTLER: "innocent", DAGGER: "bloodstained", GARDENER: "truthful"},
    {BUTLER: "guilty", DAGGER: "clean", GARDENER: "lying"},
    {"Ashford butler": "Innocent", "BLACKWOOD DAGGER": "is bloodstained", "The Carlisle Gardener": "is truthful."},
    {"ashford_butler": True, "the-blackwood-dagger": False, "carlisle gardener": "yes"},
    {BUTLER: "not guilty", DAGGER: "is not clean", GARDENER: "isn't lying"},
    {BUTLER: "true", DAGGER: "0", GARDENER: "T"},
    [f"{BUTLER} is innocent", f"{DAGGER}=bloodstained", "Carlisle gardener: truthful"],
    [[BUTLER, "innocent"], [DAGGER, "bloodstained"], [GARDENER, "truthful"]],
    [{BUTLER: "innocent"}, {"entity": DAGGER, "value": "bloodstained"}, {GARDENER: "truthful"}],
    "The Ashford butler is innocent, the Blackwood dagger is bloodstained and the Carlisle gardener is truthful.",
    "1. Ashford butler is guilty\n2. Blackwood dagger is clean\n3. Carlisle gardener is lying",
]
BAD: list[tuple[Any, str, str]] = [
    (
        {BUTLER: "guilty", DAGGER: "bloodstained", GARDENER: "truthful"},
        "violated",
        "Either the Ashford butler is innocent, or the",
    ),
    (
        {BUTLER: "innocent", DAGGER: "clean", GARDENER: "truthful"},
        "violated",
        "dagger is bloodstained, or the Carlisle gardener is",
    ),
    ({BUTLER: "innocent", DAGGER: "bloodstained"}, "partial", f"{GARDENER} has no value"),
    ({BUTLER: "innocent", DAGGER: "bloodstained", GARDENER: None}, "partial", f"{GARDENER} has no value"),
    ({BUTLER: "clean", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", f"{BUTLER} has the value"),
    ({BUTLER: "not truthful", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", f"{BUTLER} has the value"),
    ({BUTLER: "innocent or guilty", DAGGER: "clean", GARDENER: "lying"}, "unreadable", f"{BUTLER} has the value"),
    ({BUTLER: "hardly innocent", DAGGER: "clean", GARDENER: "lying"}, "unreadable", f"{BUTLER} has the value"),
    ({"butler": "innocent", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", "is no character or object of the"),
    ({"Ashford": "innocent", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", "is no character or object of the"),
    ({"the Ashford gardener": "truthful", DAGGER: "clean"}, "unreadable", "is no character or object of the"),
    ({f"not {BUTLER}": "guilty", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", "is no character or object"),
    (
        [f"{BUTLER} != guilty", f"{DAGGER} is bloodstained", f"{GARDENER} is truthful"],
        "unreadable",
        "is no character or object",
    ),
    ([[BUTLER, "innocent"], ["Ashford butler", "guilty"], [DAGGER, "clean"]], "unreadable", f"{BUTLER} has two different"),
    ([BUTLER, DAGGER, GARDENER], "partial", f"{BUTLER} has no value"),
    ({}, "absent", "no assignment is given"),
]


@pytest.mark.parametrize("place", range(len(GOOD)))
def test_witnesses_in_the_words_of_a_story(place: int) -> None:
    """However it is dressed, an assignment that gives each entity one of its words and satisfies every clause is valid."""
    assert judged(row_of(CLAUSES), GOOD[place]) == ("valid_witness", "valid", "")


@pytest.mark.parametrize("place", range(len(BAD)))
def test_what_is_no_witness(place: int) -> None:
    """A wrong, missing or foreign word, and a name that is none or only part of one, make no witness; the note says which."""
    assignment, verdict, note = BAD[place]
    category, found, said = judged(row_of(CLAUSES), assignment)
    assert (category, found) == ("invalid_witness", verdict)
    assert note in said


THERE = [f"{BUTLER}=guilty", f"{DAGGER}=clean", f"{BUTLER}=innocent"]
BACK = [f"{BUTLER}=innocent", f"{GARDENER}=truthful", f"{BUTLER}=guilty"]
OTHERWISE = ["Ashford butler: guilty", f"{DAGGER} is not bloodstained", {BUTLER: True}]
ASTRAY = [f"{BUTLER}=guilty", f"{GARDENER}=truthful", f"{BUTLER}=innocent"]
STEP = "no clause says that if the Ashford butler is guilty then the Carlisle gardener is truthful"
CERTIFICATES: list[tuple[Any, str, str]] = [
    ([THERE, BACK], "valid", ""),
    ([BACK, OTHERWISE], "valid", ""),
    ([ASTRAY, BACK], "broken", STEP),
    ([[f"{BUTLER}=clean"], BACK], "unreadable", "is no statement about an entity"),
    ([[BUTLER], [BUTLER]], "unreadable", "is no statement about an entity"),
]


@pytest.mark.parametrize("place", range(len(CERTIFICATES)))
def test_certificates_in_the_words_of_a_story(place: int) -> None:
    """Chains of an entity's word are read as those of a scheme are; a name alone states nothing."""
    given_, verdict, note = CERTIFICATES[place]
    found = rb_verify.score(row_of(REFUTED), json.dumps({"satisfiable": False, "assignment": None, "certificate": given_}))
    assert (found.category, found.score) == ("unsat_decided", 1)
    assert found.evidence["certificate"]["verdict"] == verdict
    assert note in found.evidence["certificate"]["note"]


@pytest.mark.parametrize(
    ("response", "category"),
    [
        ('{"satisfiable": false, "assignment": null}', "false_unsat"),
        ('{"satisfiable": true, "assignment": null}', "invalid_witness"),
        ("The butler did it.", "parse_failure"),
        ("ECHO", "parse_failure"),
        ("", "parse_failure"),
    ],
    ids=["unsat", "no witness", "prose", "prompt echoed", "nothing"],
)
def test_decisions(response: str, category: str) -> None:
    """The decision is read as in the 2-SAT families; the prompt's example is nobody's answer."""
    row = row_of(CLAUSES)
    assert rb_verify.score(row, response.replace("ECHO", row["prompt"])).category == category


def test_an_api_error_is_missing() -> None:
    """Even where a response came with it."""
    row = row_of(CLAUSES)
    assert stories.judge(row, Prediction(row["id"], stories.perfect(row), error="timeout")).status == "missing"


def phrased(true: str, false: str) -> dict[str, bool]:
    """Phrases that mean a value of an entity, with the value."""
    holds = (
        true,
        f"is {true}",
        true.upper(),
        f"not {false}",
        f"is not {false}",
        f"isn’t {false}",
        "true",
        "Yes",
        "1",
        "not false",
    )
    fails = (
        false,
        f"is {false}",
        f"{false}.",
        f"Not {true}",
        f"is not {true}",
        f"isn't {true}",
        "false",
        "No",
        "0",
        "is not true",
    )
    return dict.fromkeys(holds, True) | dict.fromkeys(fails, False)


@settings(max_examples=60, derandomize=True)
@given(theme=st.sampled_from(sorted(THEMES)), variable=st.integers(1, 400), other=st.integers(1, 400))
def test_phrases_mean_what_they_say_and_nothing_else(theme: str, variable: int, other: int) -> None:
    """Each phrase means its value of its entity, in statements too; words of other entities mean nothing of it."""
    read, told = stories.problem(row_of([[1]], theme, 400)), themes.entities(theme, 400)
    name, true, false = told[variable - 1]
    for phrase, value in phrased(true, false).items():
        assert read.value(variable, phrase) is value
        for said in (f"{name}={phrase}", f"{name[4:]}: {phrase}", f"{name.upper()} → {phrase}"):
            assert read.literal(said) == (variable if value else -variable)
    for statement in (themes.statement(told, variable), themes.statement(told, -variable)):
        assert read.literal(statement) == read.literal(statement[4:]) == read.literal(statement.upper())
        assert read.statement(read.literal(statement) or 0) == statement
    _, *foreign = told[other - 1]
    for word in foreign:
        if word not in (true, false):
            assert read.value(variable, word) is read.value(variable, f"not {word}") is None


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_an_assignment_is_a_witness_iff_it_satisfies_every_clause(data: st.DataObject) -> None:
    """Over random rows, values and spellings: the verdict is what evaluating the clauses one by one says."""
    row = data.draw(st.sampled_from(built()["stories"]))
    values = data.draw(st.lists(st.booleans(), min_size=row["variables"], max_size=row["variables"]))
    assignment = {}
    for name, words, value in zip(row["entities"], row["values"], values, strict=True):
        said = [phrase for phrase, means in phrased(*words).items() if means == value]
        assignment[name.removeprefix(data.draw(st.sampled_from(["", "the "])))] = data.draw(st.sampled_from(said))
    verdict = rb_verify.score(row, json.dumps({"satisfiable": True, "assignment": assignment}))
    broken = [i for i, clause in enumerate(row["clauses"]) if not any(values[abs(v) - 1] == (v > 0) for v in clause)]
    checked = verdict.evidence["witness"]
    assert (checked["verdict"], checked["clause"]) == (("violated", broken[0]) if broken else ("valid", None))
    assert verdict.score == (row["satisfiable"] and not broken)


def test_the_perfect_response_scores_1_on_every_row() -> None:
    """In stories and in templates; cycles come with a valid certificate."""
    for row in [row for some in built().values() for row in some]:
        verdict = rb_verify.score(row, stories.perfect(row))
        assert (verdict.score, verdict.status) == (1, "correct"), verdict.evidence
        assert verdict.outcome.measures == (0, not row["satisfiable"], not row["satisfiable"])


def test_templates_are_judged_as_in_the_families() -> None:
    """Every response to a template row has the verdict that the 2-SAT families give it."""
    for row in built()["templates"]:
        said = [attack(row) for attack in stories.attacks([row]).values()] + [stories.perfect(row)]
        assert said == [attack(row) for attack in twosat.attacks([row]).values()] + [twosat.perfect(row)]
        for text in (*said, said[0].replace("true", "maybe"), "no idea", '{"satisfiable": true, "assignment": {"A": "true"}}'):
            prediction = Prediction(row["id"], text)
            assert stories.judge(row, prediction) == twosat.judge(row, prediction)
        detail = stories.judge(row, Prediction(row["id"], said[0])).as_dict()
        assert stories.steps(row, detail) == twosat.steps(row, detail)


def test_steps_are_in_the_words_of_the_story() -> None:
    """The solver's witness or certificate is told in statements, beside what was given."""
    row = row_of(CLAUSES)
    detail = rb_verify.score(row, json.dumps({"satisfiable": True, "assignment": BAD[0][0]})).as_dict()
    decision, witness = stories.steps(row, detail).rows
    assert decision == ["decision", "SAT", "correct", "SAT"]
    assert witness[2].startswith("violated clause 1: Either the Ashford butler is innocent, or the Blackwood dagger is clean")
    assert witness[3] in (
        "the Ashford butler is innocent; the Blackwood dagger is bloodstained; the Carlisle gardener is truthful",
        "the Ashford butler is guilty; the Blackwood dagger is clean; the Carlisle gardener is lying",
    )
    formula, _, clue = stories.words(row, detail)
    assert "scheme detective" in formula
    assert clue == f"paragraph 1: {row['told']['paragraphs'][0]}"
    assert len(stories.words(row, rb_verify.score(row, stories.perfect(row)).as_dict())) == 2


def test_attacks_score_what_counting_gives(paired: Release) -> None:
    """The manifest's baselines on stories are the shares that evaluating clauses gives."""
    rows = built()["stories"]

    def share(values: Callable[[Row], list[bool]]) -> float:
        kept = sum(
            row["satisfiable"] and all(any(values(row)[abs(i) - 1] == (i > 0) for i in clause) for clause in row["clauses"])
            for row in rows
        )
        return round(kept / len(rows), 6)

    def majority(row: Row) -> list[bool]:
        signs = Counter(literal for clause in row["clauses"] for literal in clause)
        return [signs[v] >= signs[-v] for v in range(1, row["variables"] + 1)]

    found = paired.manifest["baselines"]["default"]
    assert found["all_true_sat"]["score"] == share(lambda row: [True] * row["variables"])
    assert found["all_false_sat"]["score"] == share(lambda row: [False] * row["variables"])
    assert found["majority_sat"]["score"] == share(majority) > 0
    assert found["constant_unsat"] == {"score": 0.222222, "accuracy": 0.222222, "witness": 0.0}  # 8 of 36 rows
    assert found["constant_by_family"]["accuracy"] == 0.888889  # the satisfiable twins of the cycles are 4 of 36
