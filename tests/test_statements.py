"""Statements of ReEfBench: one canonical form, texts and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rb_verify.statements import AND, OR, SINGLE, Predicate, Statement, informative, predicate, read, statement

NAMES = st.sampled_from(["babkpus", "dalmpus", "fentpus", "gorzpus"])
PARTS = st.lists(NAMES, min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b is a", Statement("b", Predicate(SINGLE, ("a",)))),
        ("x is c and a", Statement("x", Predicate(AND, ("a", "c")))),
        ("x is c or b or a", Statement("x", Predicate(OR, ("a", "b", "c")))),
        ("and is or", Statement("and", Predicate(SINGLE, ("or",)))),
    ],
)
def test_texts_are_read(text: str, expected: Statement) -> None:
    """The words give subject, joint and names, whatever the order of the names."""
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "x is",
        "x is ",
        " is a",
        "is a",
        "x are a",
        "x is a and",
        "x is a b",
        "x is a and b or c",
        "x is a and a",
        "x is a, b",
        "x  is a",
        "x is a.",
        "x is a nor b",
        "x is a and b c",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    """What is not exactly in the form raises ValueError and is quoted."""
    with pytest.raises(ValueError, match="not a statement"):
        read(text)


@given(NAMES, PARTS, st.sampled_from([AND, OR]))
def test_text_and_statement_are_one_to_one(subject: str, parts: list[str], joint: str) -> None:
    """A statement's text reads as the statement, and order and repetition of names change neither."""
    made = statement(subject, parts, joint)
    assert read(str(made)) == made
    assert statement(subject, [*reversed(parts), parts[0]], joint) == made
    assert made.predicate.joint == (joint if len(set(parts)) > 1 else SINGLE)
    assert predicate(parts, joint) == made.predicate


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("x is a", "x is a"),
        ("x is x", None),
        ("x is a or x", None),
        ("x is a and x", "x is a"),
        ("x is a and b and x", "x is a and b"),
    ],
)
def test_what_says_nothing_is_left_out(text: str, left: str | None) -> None:
    """A subject is no news in a conjunction, and makes a disjunction say nothing."""
    assert informative(read(text)) == (left and read(left))
