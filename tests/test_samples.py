"""Several samples a row: pass@k and the majority vote, against their definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rb_verify import samples
from rb_verify.tally import ACCURACY, SCORE, Column, Entry
from rb_verify.verdict import Outcome

RIGHT, WRONG, OTHER = (
    Outcome("correct", "c", 1, answer="YES"),
    Outcome("incorrect", "c", 0, answer="NO"),
    Outcome("incorrect", "c", 0, answer="Unsure"),
)
SILENT = Outcome("unparsed", "c", 0)


def entries(row: str, *outcomes: Outcome, cluster: str = "") -> list[Entry]:
    """A row's samples as a tally counts them."""
    told: dict[str, Any] = {"id": row, "cluster": cluster or row}
    return [Entry(told, outcome, outcomes.count(outcome)) for outcome in dict.fromkeys(outcomes)]


def over(found: list[Entry], k: int, score: Column = SCORE, **sizes: int) -> dict[str, Any]:
    """``samples.over`` of entries, clusters by their name."""
    counted = samples.over(found, k, score, ACCURACY, lambda row: row["cluster"], sizes)
    assert counted is not None
    return counted


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_share_of_draws_with_a_success(case: tuple[int, int, int]) -> None:
    """pass@k equals the count over every k of the n samples."""
    n, c, k = case
    draws = list(combinations([1] * c + [0] * (n - c), k))
    assert samples.pass_at(n, c, k) == pytest.approx(float(Fraction(sum(any(draw) for draw in draws), len(draws))))


@pytest.mark.parametrize(
    ("outcomes", "value"),
    [
        ((RIGHT, RIGHT, WRONG), 1),
        ((RIGHT, WRONG, WRONG), 0),
        ((RIGHT, WRONG), 0.5),
        ((RIGHT, WRONG, OTHER), 1 / 3),
        ((WRONG, OTHER), 0),
        ((RIGHT, SILENT, SILENT, SILENT), 1),  # the silent do not vote
        ((SILENT, SILENT), 0),
        ((RIGHT, RIGHT, WRONG, WRONG, OTHER), 0.5),
    ],
)
def test_majority(outcomes: tuple[Outcome, ...], value: float) -> None:
    """The most frequent answer decides, and ties share."""
    assert samples.majority(entries("a", *outcomes)) == pytest.approx(value)


def test_right_answers_with_and_without_the_score_vote_together() -> None:
    """An answer that is right but not grounded is the same vote as one that is."""
    spurious = RIGHT._replace(category="spurious", score=0)
    assert samples.majority(entries("a", RIGHT, spurious, WRONG)) == 1


def test_rates_over_rows() -> None:
    """k runs over 1, 2, 4, ... and all; each row counts once; the interval is over clusters."""
    found = entries("a", RIGHT, RIGHT, WRONG, WRONG, WRONG) + entries("b", *[WRONG] * 5)
    told = over(found, 5)
    assert [(each["k"], each["value"], each["n"]) for each in told["pass"]] == [
        (1, 0.2, 2),
        (2, pytest.approx((1 - 3 / 10) / 2), 2),
        (4, 0.5, 2),
        (5, 0.5, 2),
    ]
    assert told["majority"] == {"value": 0.0, "n": 2, "interval": [0.0, 0.0]}
    assert told["pass"][0]["interval"] == [0.0, 0.4]


def test_rows_with_fewer_samples_count_while_they_have_enough() -> None:
    """With --partial a row may have fewer samples than k, and is then left out."""
    told = over(entries("a", RIGHT, WRONG) + entries("b", RIGHT), 2)
    assert [(each["value"], each["n"]) for each in told["pass"]] == [(0.75, 2), (1.0, 1)]


def test_pairs_multiply() -> None:
    """Rows scored jointly pass jointly, and pass@1 is the headline."""
    pairs = Column("score", lambda outcome: outcome.score, jointly=True)
    found = entries("main", RIGHT, WRONG, cluster="p") + entries("contrast", RIGHT, WRONG, cluster="p")
    told = over(found, 2, pairs, p=2)
    assert [each["value"] for each in told["pass"]] == [0.25, 1.0]
    assert told["pass"][0]["value"] == pairs.rate(found, lambda row: row["cluster"], {"p": 2})["value"]


def test_one_sample_has_none_of_it() -> None:
    """With one sample a row there is nothing over samples."""
    assert samples.over(entries("a", RIGHT), 1, SCORE, ACCURACY, lambda row: "", {}) is None
