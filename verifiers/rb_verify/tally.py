"""Counted verdicts, the rates over them, and the tables that show rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rb_verify import stats
from rb_verify.verdict import Outcome


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
