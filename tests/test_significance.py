"""Tests of significance against values by hand, and in words where there is nothing to test."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rb_verify import significance
from rb_verify.significance import adjusted, friedman, independent_t, paired_t

scores = st.fractions(0, 1, max_denominator=12).map(float)


def test_friedman_by_hand() -> None:
    """Rank sums 3, 7, 8 over three blocks make 14/3, whose p with two degrees of freedom is exp(-7/3)."""
    test = friedman([[1, 2, 3], [1, 2, 3], [1, 3, 2]])
    assert (test.name, test.n, test.q, test.reason) == ("friedman", 3, None, None)
    assert test.statistic == pytest.approx(14 / 3, rel=1e-5)
    assert test.p == pytest.approx(math.exp(-7 / 3), rel=1e-5)


def test_friedman_corrects_for_ties() -> None:
    """Ranks 2.5, 2.5, 1 twice make 3, divided by 3/4 for the ties."""
    test = friedman([[1, 1, 0], [0.5, 0.5, 0.25]])
    assert test.statistic == pytest.approx(4)
    assert test.p == pytest.approx(math.exp(-2), rel=1e-5)


def test_paired_t_by_hand() -> None:
    """Differences 1, 2, 3 make t = 2 * sqrt(3); with two degrees of freedom p = 1 - t / sqrt(2 + t * t)."""
    test = paired_t([(2, 1), (3, 1), (4, 1)])
    assert test.n == 3
    assert test.statistic == pytest.approx(2 * math.sqrt(3), rel=1e-5)
    assert test.p == pytest.approx(1 - math.sqrt(12 / 14), rel=1e-5)
    assert paired_t([(1, 2), (1, 3), (1, 4)]).statistic == -test.statistic


def test_independent_t_by_hand() -> None:
    """Variances 1 and 4 are not pooled: t = -2 / sqrt(5/3) with 50/17 degrees of freedom."""
    from scipy import stats

    test = independent_t([1, 2, 3], [2, 4, 6])
    assert test.n == 6
    assert test.statistic == pytest.approx(-2 / math.sqrt(5 / 3), rel=1e-5)
    assert test.p == pytest.approx(2 * stats.t.sf(2 / math.sqrt(5 / 3), 50 / 17), rel=1e-5)


def test_a_constant_group_can_be_tested_against_another() -> None:
    """All wrong against mostly right is a result: the variance is the other group's alone. No warning escapes."""
    test = independent_t([0, 0, 0], [1, 1, 0.5])
    assert test.statistic == pytest.approx(-(5 / 6) / math.sqrt(1 / 12 / 3), rel=1e-5)
    assert test.p == pytest.approx(1 - 5 / math.sqrt(27), rel=1e-5)


@pytest.mark.parametrize(
    ("test", "n", "reason"),
    [
        (friedman([]), 0, "fewer than 2 blocks"),
        (friedman([[1, 0, 1]]), 1, "fewer than 2 blocks"),
        (friedman([[1, 0], [0, 1], [1, 1]]), 3, "fewer than 3 levels"),
        (friedman([[1, 1, 1], [0, 0, 0]]), 2, "all levels tie in every block"),
        (paired_t([]), 0, "fewer than 2 pairs"),
        (paired_t([(1, 0)]), 1, "fewer than 2 pairs"),
        (paired_t([(1, 1), (0.5, 0.5)]), 2, "all differences are equal"),
        (paired_t([(1 / 2, 1 / 3), (2 / 3, 1 / 2)]), 2, "all differences are equal"),
        (independent_t([], []), 0, "fewer than 2 values in a group"),
        (independent_t([1], [1, 0, 1]), 4, "fewer than 2 values in a group"),
        (independent_t([1, 1], [0, 0]), 4, "both groups are constant"),
    ],
)
def test_what_cannot_be_tested_says_why(test: significance.Test, n: int, reason: str) -> None:
    """Too few blocks, levels or values, ties and constants have a reason, and neither statistic nor p nor q."""
    assert adjusted([test]) == [test]
    assert test.as_dict() == {"name": test.name, "n": n, "statistic": None, "p": None, "q": None, "reason": reason}


def test_benjamini_hochberg_by_hand() -> None:
    """Of .01, .04, .03, .005: p times 4 over rank, and never more than that of a larger p. Untestable ones do not count."""
    none = friedman([])
    tests = [significance.Test("t", 2, 1.0, p) for p in (0.01, 0.04, 0.03, 0.005)]
    found = adjusted([*tests[:2], none, *tests[2:]])
    assert [test.q for test in found] == [0.02, 0.04, None, 0.04, 0.02]
    assert [test._replace(q=None) for test in found] == [*tests[:2], none, *tests[2:]]
    assert adjusted([]) == []


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where SciPy is not installed, every test says what to install, and nothing is raised."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    tests = [friedman([[1, 2, 3], [1, 2, 3]]), paired_t([(1, 0), (1, 1)]), independent_t([1, 0], [0, 0]), friedman([])]
    assert adjusted(tests) == tests
    assert {(test.statistic, test.p, test.q, test.reason) for test in tests} == {
        (None, None, None, "needs scipy: pip install 'rb-verify[stats]'")
    }


@given(st.lists(st.tuples(scores, scores, scores), max_size=12))
def test_every_result_is_finite_or_has_a_reason(blocks: Sequence[tuple[float, float, float]]) -> None:
    """Whatever the scores: a p from 0 to 1 and a q no smaller, or a reason; never NaN or infinity."""
    pairs = [block[:2] for block in blocks]
    tests = [friedman(blocks), paired_t(pairs), independent_t([a for a, _ in pairs], [b for _, b in pairs])]
    for test in adjusted(tests):
        json.dumps(test.as_dict(), allow_nan=False)
        if test.reason is None:
            assert test.p is not None
            assert test.q is not None
            assert 0 <= test.p <= test.q <= 1
        else:
            assert (test.statistic, test.p, test.q) == (None, None, None)
