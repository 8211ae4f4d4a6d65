"""Counted verdicts, the rates over them, and the tables that show rates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, prod
from operator import mul
from typing import Any, NamedTuple

from rb_verify import stats
from rb_verify.verdict import CORRECT, Outcome


@dataclass(frozen=True)
class Entry:
    """How often a row had an outcome."""

    row: dict[str, Any]
    outcome: Outcome
    count: int


def share(
    entries: Iterable[Entry],
    cluster: Callable[[dict[str, Any]], str],
    numerator: Callable[[Outcome], float],
    denominator: Callable[[Outcome], float] = lambda outcome: 1,
) -> dict[str, Any]:
    """A rate over entries, ``{value, n, interval}``: what ``numerator`` counts of what ``denominator`` counts."""
    return stats.rate((cluster(e.row), e.count * numerator(e.outcome), e.count * denominator(e.outcome)) for e in entries)


def of_category(name: str) -> Callable[[Outcome], bool]:
    """Counts the outcomes of a category."""
    return lambda outcome: outcome.category == name


def measure(names: Sequence[str], name: str) -> Callable[[Outcome], float]:
    """Counts one of a scorer's ``MEASURES``. ``names``: all of them."""
    place = names.index(name)
    return lambda outcome: outcome.measures[place]


def merged(counted: Mapping[Outcome, int], means: Collection[int]) -> dict[Outcome, int]:
    """The outcomes of one row, how often each; those that differ in ``means`` alone are put together, in order of the first.

    ``means``: the places of measures that reports only add up. There stands the mean over the outcomes put together, so sums
    over the row stay what they are, up to rounding, and an outcome that is like no other stays itself.
    """
    groups: dict[Outcome, list[tuple[Outcome, int]]] = {}
    for outcome, count in counted.items():
        rest = tuple([0.0 if place in means else value for place, value in enumerate(outcome.measures)])
        groups.setdefault(outcome._replace(measures=rest), []).append((outcome, count))
    return dict(map(_mean, groups.values()))


def _mean(alike: Sequence[tuple[Outcome, int]]) -> tuple[Outcome, int]:
    first, total = alike[0][0], sum(count for _, count in alike)
    if len(alike) == 1:
        return first, total
    columns = zip(*(outcome.measures for outcome, _ in alike), strict=True)
    counts = [count for _, count in alike]
    measures = tuple([fsum(map(mul, column, counts)) / total for column in columns])
    return first._replace(measures=measures), total


class Column(NamedTuple):
    """A rate that reports and baselines show: of the rows it ``applies`` to, the mean of what it ``counts``.

    ``jointly``: of clusters instead, the mean of the product over a cluster's rows. With one response a row that is the
    share of clusters all of whose rows count; with several it is the chance that a response drawn for each row does. A
    cluster with a row that was left out does not count.
    """

    name: str
    counts: Callable[[Outcome], float]
    applies: Callable[[dict[str, Any]], bool] = lambda row: True
    jointly: bool = False

    def parts(
        self, entries: Iterable[Entry], cluster: Callable[[dict[str, Any]], str], sizes: Mapping[str, int] = {}
    ) -> list[tuple[str, float, float]]:
        """(cluster, numerator, denominator) parts of the rate. ``sizes``: how many rows each cluster has, scored or not;
        what is counted ``jointly`` needs it."""
        some = [entry for entry in entries if self.applies(entry.row)]
        if not self.jointly:
            return [(cluster(e.row), e.count * self.counts(e.outcome), e.count) for e in some]
        rows: dict[str, dict[str, list[float]]] = {}
        for e in some:
            sums = rows.setdefault(cluster(e.row), {}).setdefault(e.row["id"], [0, 0])
            sums[0] += e.count * self.counts(e.outcome)
            sums[1] += e.count
        return [(name, prod(a / b for a, b in sums.values()), 1) for name, sums in rows.items() if len(sums) == sizes[name]]

    def rate(
        self, entries: Iterable[Entry], cluster: Callable[[dict[str, Any]], str], sizes: Mapping[str, int] = {}
    ) -> dict[str, Any]:
        """The column's rate over entries, as ``share`` gives it."""
        return stats.rate(self.parts(entries, cluster, sizes))


SCORE = Column("score", lambda outcome: outcome.score)
ACCURACY = Column("accuracy", lambda outcome: outcome.status == CORRECT)


@dataclass(frozen=True)
class Table:
    """A table of text: a title, column names and rows, each as long as the columns."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def in_words(table: Table) -> list[str]:
    """A table of steps as lines: the first three columns, then what the others say."""
    named = [list(zip(table.columns, row, strict=True)) for row in table.rows]
    return [
        f"{first} {place}: {claim}: {verdict}" + "".join(f"; {column} {cell}" for column, cell in others if cell)
        for (first, place), (_, claim), (_, verdict), *others in named
    ]


def percent(rate: dict[str, Any]) -> str:
    """A rate's value in per cent, with two decimals as the papers print them; ``-`` where there is nothing to rate."""
    return "-" if rate["value"] is None else f"{100 * rate['value']:.2f}"


def number(interval: list[float] | None) -> str:
    """An interval in per cent."""
    return "-" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}"


def rate_row(name: str, rate: dict[str, Any]) -> list[str]:
    """A rate as a table's row: its name, per cent, 95 % interval and n."""
    return [name, percent(rate), number(rate["interval"]), str(int(rate["n"]))]
