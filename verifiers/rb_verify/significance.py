"""Tests of significance as the papers report them: Friedman's, Student's paired t, Welch's t, Benjamini-Hochberg's q.

A test that its data do not allow is no error and no NaN: it says in words why it is not testable. SciPy (the extra
``stats``) computes; without it every test is not testable, and the rest of a report stays as it is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

NEEDS_SCIPY = "needs scipy: pip install 'rb-verify[stats]'"
_NOISE = 12  # decimals: differences of means that agree to so many are equal, and what is left is rounding


class Test(NamedTuple):
    """A test's result. ``statistic`` and ``p`` are None where ``reason`` says why it is not testable.

    ``n``: blocks, pairs, or the values of both groups. ``q``: p after Benjamini-Hochberg, None before ``adjusted``.
    """

    name: str
    n: int
    statistic: float | None = None
    p: float | None = None
    q: float | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The test as JSON values."""
        return self._asdict()


def friedman(blocks: Sequence[Sequence[float]]) -> Test:
    """Friedman's test of whether levels differ. ``blocks``: the scores of each block, one for each level, same order."""
    obstacle = None
    if len(blocks) < 2:
        obstacle = "fewer than 2 blocks"
    elif len(blocks[0]) < 3:
        obstacle = "fewer than 3 levels"
    elif all(len(set(block)) == 1 for block in blocks):
        obstacle = "all levels tie in every block"
    return _run("friedman", len(blocks), obstacle, lambda stats: stats.friedmanchisquare(*zip(*blocks, strict=True)))


def paired_t(pairs: Sequence[tuple[float, float]]) -> Test:
    """Student's t of pairs, two-sided; the statistic is positive where the first of a pair is the larger."""
    obstacle = None
    if len(pairs) < 2:
        obstacle = "fewer than 2 pairs"
    elif len({round(a - b, _NOISE) for a, b in pairs}) == 1:
        obstacle = "all differences are equal"
    return _run("paired_t", len(pairs), obstacle, lambda stats: stats.ttest_rel(*zip(*pairs, strict=True)))


def independent_t(a: Sequence[float], b: Sequence[float]) -> Test:
    """Welch's t of two groups (variances may differ), two-sided; positive where ``a`` has the larger mean."""
    obstacle = None
    if min(len(a), len(b)) < 2:
        obstacle = "fewer than 2 values in a group"
    elif len(set(a)) == len(set(b)) == 1:
        obstacle = "both groups are constant"
    return _run("independent_t", len(a) + len(b), obstacle, lambda stats: stats.ttest_ind(a, b, equal_var=False))


def adjusted(tests: Sequence[Test]) -> list[Test]:
    """The tests of one family in the same order, each with its q; those that are not testable are not counted."""
    testable = [test.p for test in tests if test.p is not None]
    if not testable:
        return list(tests)
    from scipy.stats import false_discovery_control

    qs = iter(false_discovery_control(testable))
    return [test if test.p is None else test._replace(q=_rounded(next(qs))) for test in tests]


def _run(name: str, n: int, obstacle: str | None, test: Callable[[Any], Any]) -> Test:
    try:
        from scipy import stats
    except ImportError:
        return Test(name, n, reason=NEEDS_SCIPY)
    if obstacle is not None:
        return Test(name, n, reason=obstacle)
    with warnings.catch_warnings():  # scipy warns where one group is constant, which is an answer here
        warnings.simplefilter("ignore")
        result = test(stats)
    statistic, p = float(result.statistic), float(result.pvalue)
    if not (math.isfinite(statistic) and math.isfinite(p)):
        return Test(name, n, reason="the statistic is undefined for these values")
    statistic = round(statistic, 9) + 0.0  # equal means make 0, not what rounding leaves, nor -0
    return Test(name, n, _rounded(statistic), _rounded(p))


def _rounded(value: float) -> float:
    """Six significant digits, so that machines and versions of SciPy agree."""
    return float(f"{value:.6g}")
