"""The datasets: a new one is a scorer, a builder, a schema and a card of its name, and its name here (docs/adding.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import import_module
from typing import Any, Protocol, cast

from rb_verify.tally import Column, Entry, Table
from rb_verify.verdict import Outcome, Verdict


class Scorer(Protocol):
    """What a scorer module provides. A row is a release's row as a dict.

    ``HEADLINE``: what the score is the share of. ``COLUMNS``: the rates that reports and baselines show, the score and the
    answer's accuracy first. ``MEANS``: the places of measures that reports only add up. ``GROUPED``: what the groups of a
    report's breakdown are. ``OPTIONS``: what ``judge`` may be asked for, with every choice, the default first; signatures
    name them.
    """

    PARSER: str
    HEADLINE: str
    CATEGORIES: tuple[str, ...]
    MEASURES: tuple[str, ...]
    MEANS: frozenset[int]
    COLUMNS: tuple[Column, ...]
    GROUPED: str
    OPTIONS: dict[str, tuple[str, ...]]
    UNPARSED_OUTCOME: Outcome
    MISSING_OUTCOME: Outcome

    @property
    def judge(self) -> Callable[..., Verdict]:
        """``judge(row, prediction, **options)``: the verdict on one prediction."""

    def cluster(self, row: dict[str, Any]) -> str:
        """The unit that intervals resample."""

    def gold(self, row: dict[str, Any]) -> str:
        """The gold label of the row."""

    def group(self, row: dict[str, Any]) -> str:
        """The group of the row in the report's breakdown."""

    def perfect(self, row: dict[str, Any]) -> str:
        """A response that scores 1."""

    def attacks(self, rows: list[dict[str, Any]]) -> dict[str, Callable[[dict[str, Any]], str]]:
        """Responses that need no reasoning, by name: the baselines."""

    def marks(self, entries: Sequence[Entry]) -> dict[str, str]:
        """What else signatures say, of how the entries came about."""

    def summary(self, entries: Sequence[Entry]) -> dict[str, Any]:
        """The dataset's own part of a report, under the dataset's name."""

    def words(self, row: dict[str, Any], detail: dict[str, Any]) -> list[str]:
        """What was asked and answered, by a ``--details`` line, beyond status and note; text of the submission as it is."""

    def steps(self, row: dict[str, Any], detail: dict[str, Any]) -> Table:
        """What was judged one by one, each beside what the oracle says; ``tally.in_words`` puts it in lines."""

    def tables(self, report: dict[str, Any]) -> list[Table]:
        """How a report shows that part."""


DATASETS = (
    "reefbench",
    "stories",
    "tracebench",
    "twosat",
)
"""Their names. The scorer is the module ``rb_verify.NAME``; that of ``rb_build`` is the builder."""

# By name, so that a dataset is one line. Types cannot tell then that a module is a Scorer: tests/test_adding.py does.
SCORERS: dict[str, Scorer] = {name: cast(Scorer, import_module(f"rb_verify.{name}")) for name in DATASETS}

_ID = re.compile(r"([a-z0-9]+)-(\d+)-(\d+)-(\d+)-(f[0-9a-f]{8}-)?")


def release_of(row_id: str) -> tuple[str, str] | None:
    """(dataset, version) that a row id names, as in ``tracebench-1-0-0-d045-g03-q2``; None if it names none.

    The version of a fresh split's id ends in its mark: ``1.0.0-f1a2b3c4d``.
    """
    match = _ID.match(row_id)
    if match is None or match[1] not in SCORERS:
        return None
    fresh = f"-{match[5][:-1]}" if match[5] else ""
    return match[1], ".".join(match.group(2, 3, 4)) + fresh


def blind_id(row_id: str, seed: str) -> str:
    """The id of a row in the blind split: the same beginning, and a digest that only who knows the secret seed can compute.

    Raises ValueError if the row id names no release.
    """
    match = _ID.match(row_id)
    if match is None:
        raise ValueError(f"{row_id!r} names no release")
    return f"{match[0]}b{sha256(f'{seed}/{row_id}'.encode()).hexdigest()[:16]}"
