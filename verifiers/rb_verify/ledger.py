"""What is kept of each judged response until all are there: then duplicates and missing rows are settled.

A response's text is dropped once it is judged. What is left, its numbers, its outcome and its line of details, waits in a
temporary table on disk, which SQLite sorts; so memory does not grow with the number of responses. The table has no name:
nothing of it is left, however the process ends.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, Protocol

from rb_verify.errors import UnusableInput
from rb_verify.predictions import Problem
from rb_verify.release import Release
from rb_verify.tally import merged
from rb_verify.verdict import MISSING, Outcome, Verdict

_TABLES = """
PRAGMA journal_mode = OFF;
CREATE TABLE judged (row INTEGER, sample INTEGER, place INTEGER PRIMARY KEY, file INTEGER, line INTEGER, digest INTEGER,
                     outcome TEXT);
CREATE TABLE details (place INTEGER PRIMARY KEY, detail TEXT);
BEGIN;
"""
MAX_PROBLEMS = 2**19  # that are listed: a small file can unpack to more bad lines than any memory holds
_DIGESTS = 2**63  # digests have no sign, but SQLite's whole numbers do


class Judged(NamedTuple):
    """A judged response. ``row``: its index in the release; ``digest``: of what it says; ``detail``: a line of JSON."""

    row: int
    sample: int
    file: str | None
    line: int
    digest: int
    outcome: Outcome
    detail: str | None


class Lines(Protocol):
    """Where details go."""

    def write(self, line: str, /) -> object:
        """Take one line, its end included."""


class _Kept(NamedTuple):
    """A row of the table. ``place``: counted over all responses; ``file``: the index of its file's name."""

    row: int
    sample: int
    place: int
    file: int
    line: int
    digest: int
    outcome: str


class Ledger:
    """What is kept of each judged response, and the problems met so far. ``judged``: how many responses are kept."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self.judged = 0
        self.samples: set[int] = set()
        self.problems: list[Problem] = []
        self._files: dict[str | None, int] = {}
        with _disk():
            self._table = sqlite3.connect("", isolation_level=None)  # on disk, without a name
            self._table.executescript(_TABLES)

    def close(self) -> None:
        """Give the disk back."""
        self._table.close()

    def enter(self, results: Iterable[Judged | Problem]) -> None:
        """Note results, in the order of the submission. Raises UnusableInput if the disk is full."""
        kept: list[tuple[int | str, ...]] = []
        details: list[tuple[int, str]] = []
        for result in results:
            if isinstance(result, Problem):
                self.problems.append(result)
                continue
            row, sample, name, line, digest, outcome, detail = result
            file = self._files.setdefault(name, len(self._files))
            kept.append((row, sample, self.judged, file, line, digest - _DIGESTS, _written(outcome)))
            if detail is not None:
                details.append((self.judged, detail))
            self.judged += 1
            self.samples.add(sample)
        refuse_flood(self.problems)
        with _disk():
            self._table.executemany("INSERT INTO judged VALUES (?, ?, ?, ?, ?, ?, ?)", kept)
            self._table.executemany("INSERT INTO details VALUES (?, ?)", details)

    def counted(self, elsewhere: int) -> dict[str, int]:
        """How many responses were read, and what became of them; the parts add up to ``read``.

        ``elsewhere``: how many are of other datasets.
        """
        kinds = Counter(problem.kind for problem in self.problems if problem.line is not None)
        repeated = kinds["repeated"]
        return {
            "read": self.judged + kinds["bad_line"] + kinds["unknown_id"] + kinds["other_config"] + elsewhere,
            "judged": self.judged - repeated - kinds["duplicate"],
            **{kind: kinds[kind] for kind in ("bad_line", "unknown_id", "other_config", "duplicate", "repeated")},
            "other_dataset": elsewhere,
        }

    def settle(self, partial: bool, details: Lines | None) -> Counter[tuple[int, Outcome]]:
        """Count outcomes by row index, duplicates and missing rows settled; write the details in row order.

        Outcomes of a row that reports need not tell apart are merged, so that those of many samples take no more memory.

        With ``partial``, what is missing is neither counted nor a problem. Raises UnusableInput if the disk is full.
        """
        tally: Counter[tuple[int, Outcome]] = Counter()
        answers = self._answers()
        answered, kept = next(answers, _END)
        samples, means = sorted(self.samples) or [0], self.release.scorer.MEANS
        for row, content in enumerate(self.release.rows):
            counts: Counter[Outcome] = Counter()
            for sample in samples:
                found: list[_Kept] = []
                if answered == (row, sample):
                    found = kept
                    answered, kept = next(answers, _END)
                outcome, place = self._settle_one(content["id"], sample, found, partial)
                if outcome.status == MISSING and partial:
                    continue
                counts[outcome] += 1
                if details is not None:
                    details.write(self._detail(content["id"], sample, outcome, place))
            tally.update({(row, outcome): count for outcome, count in merged(counts, means).items()})
        self.problems.sort(key=lambda p: (p.line is None, p.file or "", p.line or 0))
        return tally

    def _answers(self) -> Iterator[tuple[tuple[int, int], list[_Kept]]]:
        """What is kept of each (row, sample) that has any, in order."""
        with _disk():
            ordered = map(_Kept._make, self._table.execute("SELECT * FROM judged ORDER BY row, sample, place"))
            for answered, kept in groupby(ordered, key=itemgetter(0, 1)):
                yield answered, list(kept)

    def _settle_one(self, row_id: str, sample: int, kept: list[_Kept], partial: bool) -> tuple[Outcome, int | None]:
        """The outcome of one (row, sample), and the place of the response that it is of, if it is of one."""
        if len(kept) == 1 and (outcome := _read(kept[0].outcome)).status != MISSING:  # the usual case
            return outcome, kept[0].place
        which = f" (sample {sample})" if len(self.samples) > 1 else ""
        names = list(self._files)

        def line(one: _Kept) -> str:
            name = names[one.file]
            return f"{one.line}" if name is None else f"{one.line} of {name}"

        def problem(kind: str, message: str, one: _Kept) -> None:
            self.problems.append(Problem(kind, message, one.line, row_id, names[one.file]))

        if not kept:
            if not partial:
                self.problems.append(Problem("missing", f"has no prediction{which}", None, row_id))
            return self.release.scorer.MISSING_OUTCOME, None
        first, *others = kept
        if any(one.digest != first.digest for one in others):
            numbers = ", ".join(map(line, kept))
            for one in kept:
                problem("duplicate", f"lines {numbers} answer this row{which} differently; none is scored, keep one", one)
            return self.release.scorer.UNPARSED_OUTCOME, None
        for one in others:
            problem("repeated", f"repeats line {line(first)}{which} word for word; one is kept", one)
        outcome = _read(first.outcome)
        if outcome.status == MISSING:
            problem("api_error", f"reports an API error{which}; run this row again", first)
        return outcome, first.place

    def _detail(self, row_id: str, sample: int, outcome: Outcome, place: int | None) -> str:
        if place is not None:
            (detail,) = self._table.execute("SELECT detail FROM details WHERE place = ?", (place,)).fetchone()
            return f"{detail}\n"
        note = "no prediction" if outcome.status == MISSING else "several different predictions"
        return json.dumps(Verdict(row_id, sample, outcome, {"note": note}).as_dict(), sort_keys=True) + "\n"


def refuse_flood(problems: list[Problem]) -> None:
    """Raises UnusableInput where there are more problems than anyone would read."""
    if len(problems) > MAX_PROBLEMS:
        first = problems[0]
        place = f"line {first.line}" if first.file is None else f"line {first.line} of {first.file}"
        raise UnusableInput(f"more than {MAX_PROBLEMS} lines cannot be scored, and {place} {first.message}; name another file")


_END: tuple[None, list[_Kept]] = (None, [])


@lru_cache(maxsize=2**12)
def _written(outcome: Outcome) -> str:
    return json.dumps(outcome)


@lru_cache(maxsize=2**12)
def _read(written: str) -> Outcome:
    status, category, score, failure, measures, *others = json.loads(written)
    return Outcome(status, category, score, failure, tuple(measures), *others)


@contextmanager
def _disk() -> Iterator[None]:
    """What to do about a full disk."""
    try:
        yield
    except sqlite3.Error as error:
        raise UnusableInput(
            f"temporary files cannot be written ({error}); free some space, or name a folder with $TMPDIR"
        ) from None
