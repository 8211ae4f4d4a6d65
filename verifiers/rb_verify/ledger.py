"""What is kept of each judged response, flat in memory, until all are there: then duplicates and missing rows are settled.

A response's text is dropped once it is judged. What is kept is six numbers and its outcome, one object for all equal
outcomes; evidence for ``details`` waits in a temporary file.
"""

from __future__ import annotations

import json
import os
from array import array
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import IO, NamedTuple, Protocol

from rb_verify.predictions import Problem
from rb_verify.release import Release
from rb_verify.verdict import MISSING, Outcome, Verdict


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


class Ledger:
    """What is kept of each judged response, in parallel arrays, and the problems met so far.

    ``spool``: an empty temporary file for details, None if nobody wants them.
    """

    def __init__(self, release: Release, spool: IO[bytes] | None) -> None:
        self.release = release
        self.spool = spool
        self.rows, self.lines, self.offsets = array("L"), array("Q"), array("Q")
        self.sample_of, self.digests, self.file_of = array("L"), array("Q"), array("L")
        self.outcomes: list[Outcome] = []
        self.samples: set[int] = set()
        self.problems: list[Problem] = []
        self.files: dict[str | None, int] = {}
        self._equal: dict[Outcome, Outcome] = {}

    def enter(self, results: Iterable[Judged | Problem]) -> None:
        """Note results, in the order of the submission."""
        for result in results:
            if isinstance(result, Problem):
                self.problems.append(result)
                continue
            self.rows.append(result.row)
            self.lines.append(result.line)
            self.file_of.append(self.files.setdefault(result.file, len(self.files)))
            self.sample_of.append(result.sample)
            self.digests.append(result.digest)
            self.outcomes.append(self._equal.setdefault(result.outcome, result.outcome))
            self.samples.add(result.sample)
            if self.spool is not None:
                self.offsets.append(self.spool.seek(0, os.SEEK_END))
                self.spool.write((result.detail or "").encode() + b"\n")

    def counted(self, elsewhere: int) -> dict[str, int]:
        """How many responses were read, and what became of them; the parts add up to ``read``.

        ``elsewhere``: how many are of other datasets.
        """
        kinds = Counter(problem.kind for problem in self.problems if problem.line is not None)
        repeated = kinds["repeated"]
        return {
            "read": len(self.rows) + kinds["bad_line"] + kinds["unknown_id"] + kinds["other_config"] + elsewhere,
            "judged": len(self.rows) - repeated - kinds["duplicate"],
            **{kind: kinds[kind] for kind in ("bad_line", "unknown_id", "other_config", "duplicate", "repeated")},
            "other_dataset": elsewhere,
        }

    def settle(self, partial: bool, details: Lines | None) -> Counter[tuple[int, Outcome]]:
        """Count outcomes by row index, duplicates and missing rows settled; write the details in row order.

        With ``partial``, what is missing is neither counted nor a problem.
        """
        tally: Counter[tuple[int, Outcome]] = Counter()
        order = sorted(range(len(self.rows)), key=lambda i: (self.rows[i], self.sample_of[i], i))
        by_row = {row: list(places) for row, places in groupby(order, key=self.rows.__getitem__)}
        for row, content in enumerate(self.release.rows):
            by_sample = {s: list(g) for s, g in groupby(by_row.get(row, ()), key=self.sample_of.__getitem__)}
            for sample in sorted(self.samples) or [0]:
                outcome, place = self._settle_one(content["id"], sample, by_sample.get(sample, []), partial)
                if outcome.status == MISSING and partial:
                    continue
                tally[row, outcome] += 1
                if details is not None:
                    details.write(self._detail(content["id"], sample, outcome, place))
        self.problems.sort(key=lambda p: (p.line is None, p.file or "", p.line or 0))
        return tally

    def _settle_one(self, row_id: str, sample: int, places: list[int], partial: bool) -> tuple[Outcome, int | None]:
        """The outcome of one (row, sample), and the place of the response that it is of, if it is of one."""
        which = f" (sample {sample})" if len(self.samples) > 1 else ""
        names = list(self.files)

        def line(place: int) -> str:
            name = names[self.file_of[place]]
            return f"{self.lines[place]}" if name is None else f"{self.lines[place]} of {name}"

        def problem(kind: str, message: str, place: int) -> None:
            self.problems.append(Problem(kind, message, self.lines[place], row_id, names[self.file_of[place]]))

        if not places:
            if not partial:
                self.problems.append(Problem("missing", f"has no prediction{which}", None, row_id))
            return self.release.scorer.MISSING_OUTCOME, None
        first, *others = places
        if any(self.digests[place] != self.digests[first] for place in others):
            numbers = ", ".join(map(line, places))
            for place in places:
                problem("duplicate", f"lines {numbers} answer this row{which} differently; none is scored, keep one", place)
            return self.release.scorer.UNPARSED_OUTCOME, None
        for place in others:
            problem("repeated", f"repeats line {line(first)}{which} word for word; one is kept", place)
        outcome = self.outcomes[first]
        if outcome.status == MISSING:
            problem("api_error", f"reports an API error{which}; run this row again", first)
        return outcome, first

    def _detail(self, row_id: str, sample: int, outcome: Outcome, place: int | None) -> str:
        if place is not None and self.spool is not None:
            self.spool.seek(self.offsets[place])
            return self.spool.readline().decode()
        note = "no prediction" if outcome.status == MISSING else "several different predictions"
        return json.dumps(Verdict(row_id, sample, outcome, {"note": note}).as_dict(), sort_keys=True) + "\n"
