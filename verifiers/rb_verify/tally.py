"""Counted verdicts, the rates over them, and the tables that show rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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


class Column(NamedTuple):
    """A rate that reports and baselines show: of the rows it ``applies`` to, the mean of what it ``counts``."""

    name: str
    counts: Callable[[Outcome], float]
    applies: Callable[[dict[str, Any]], bool] = lambda row: True

    def rate(self, entries: Iterable[Entry], cluster: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
        """The column's rate over entries, as ``share`` gives it."""
        return share([entry for entry in entries if self.applies(entry.row)], cluster, self.counts)


SCORE = Column("score", lambda outcome: outcome.score)
ACCURACY = Column("accuracy", lambda outcome: outcome.status == CORRECT)


@dataclass(frozen=True)
class Table:
    """A table of text: a title, column names and rows, each as long as the columns."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def percent(rate: dict[str, Any]) -> str:
    """A rate's value in per cent, with two decimals as the papers print them; ``-`` where there is nothing to rate."""
    return "-" if rate["value"] is None else f"{100 * rate['value']:.2f}"


def number(interval: list[float] | None) -> str:
    """An interval in per cent."""
    return "-" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f}"


def rate_row(name: str, rate: dict[str, Any]) -> list[str]:
    """A rate as a table's row: its name, per cent, 95 % interval and n."""
    return [name, percent(rate), number(rate["interval"]), str(int(rate["n"]))]
