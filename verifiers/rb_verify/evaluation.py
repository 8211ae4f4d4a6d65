"""Score a predictions file against a release: reader, scorer and report, streaming and flat in memory.

A prediction's text is dropped once it is judged. What is kept of it is five numbers and its outcome, one object for
all equal outcomes; evidence for ``details`` waits in a temporary file. Duplicates are settled at the end, by sorting.
"""

from __future__ import annotations

import json
import os
import tempfile
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from hashlib import blake2b
from itertools import chain, groupby, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from rb_verify import report
from rb_verify.datasets import SCORERS, release_of
from rb_verify.errors import UnusableInput
from rb_verify.predictions import Problem, open_lines, parse_line
from rb_verify.release import Release, load, locate
from rb_verify.report import Report
from rb_verify.verdict import MISSING, Outcome, Prediction, Verdict

_CHUNK = 64  # lines a unit of parallel work
_PEEK = 1000  # lines searched for an id that names a release


def score(
    row: dict[str, Any],
    response: str | None,
    *,
    reasoning: str | None = None,
    finish_reason: str | None = None,
    tokens: int | None = None,
    **options: str,
) -> Verdict:
    """The verdict on one response to one row.

    ``row``: a row of a release. ``response``: the raw completion; ``reasoning``: thinking that came apart from it;
    ``finish_reason``: why generation stopped, if known; ``tokens``: how many were generated, if known; ``options``: the
    scorer's, such as ``text="answer"``. Raises KeyError if the row's id names no known dataset, UnusableInput for an
    option that the scorer does not have.
    """
    identified = release_of(row["id"])
    if identified is None:
        raise KeyError(f"no dataset is known for row id {row['id']!r}")
    scorer = SCORERS[identified[0]]
    chosen = _chosen(identified[0], scorer.OPTIONS, options)
    return scorer.judge(row, Prediction(row["id"], response, reasoning, finish_reason, tokens=tokens), **chosen)


def evaluate(
    file: str | Path,
    release: str | Path | Release | None = None,
    *,
    config: str = "default",
    partial: bool = False,
    workers: int = 1,
    details: IO[str] | None = None,
    progress: Callable[[int], None] | None = None,
    submission: dict[str, Any] | None = None,
    options: Mapping[str, str] | None = None,
) -> Report:
    """Score a predictions file and report.

    ``file``: a path, or ``-`` for standard input. ``release``: a loaded release, its folder, ``org/name@tag``, or None
    to find it by the predictions' ids. ``config``: which config's test rows are scored. ``partial``: rows without a
    prediction are left out instead of counting as wrong. ``workers``: processes. ``details``: receives one JSON line
    for each prediction and each missing row, in row order. ``progress``: called with the number of lines just read.
    ``submission``: what it says of its model (``predictions.read_submission``), which the report repeats. ``options``: the
    scorer's, such as ``{"text": "answer"}``; the signature names them. Raises UnusableInput or ReleaseMismatch.
    """
    with ExitStack() as stack:
        lines = stack.enter_context(open_lines(str(file)))
        if not isinstance(release, Release):
            head = list(islice(lines, _PEEK))
            lines = chain(head, lines)
            release = load(locate(None if release is None else str(release), _identify(str(file), head)), config)
        chosen = _chosen(release.dataset, release.scorer.OPTIONS, options or {})
        spool = stack.enter_context(tempfile.TemporaryFile("w+b")) if details is not None else None
        ledger = _Ledger(release, spool)
        for number, results in _judged(stack, release, lines, workers, spool is not None, chosen):
            for result in results:
                ledger.enter(result)
            if progress is not None:
                progress(number)
        if not ledger.rows and all(problem.kind == "bad_line" for problem in ledger.problems):
            raise _useless(str(file), ledger.problems)
        tally = ledger.settle(partial, details)
        counted, samples = ledger.counted(), len(ledger.samples) or 1
        return report.build(release, tally, ledger.problems, counted, samples, partial, submission, chosen)


def _chosen(dataset: str, choices: Mapping[str, tuple[str, ...]], options: Mapping[str, str]) -> dict[str, str]:
    """A value for each option of a scorer. Raises UnusableInput for an option or a value that it does not have."""
    for name, value in options.items():
        if name not in choices:
            raise UnusableInput(f"{dataset} has no option {name!r}; leave it out")
        if value not in choices[name]:
            raise UnusableInput(f"{dataset}: {name} cannot be {value!r}; choose one of {', '.join(choices[name])}")
    return {name: options.get(name, values[0]) for name, values in choices.items()}


def _identify(file: str, head: list[tuple[int, bytes]]) -> tuple[str, str] | None:
    """The release that the first telling id names. Raises UnusableInput if these lines, the whole file, hold nothing."""
    problems = []
    for number, line in head:
        read = parse_line(number, line)
        if isinstance(read, Problem):
            problems.append(read)
        elif identified := release_of(read.id):
            return identified
    if len(problems) == len(head) < _PEEK:
        raise _useless(file, problems)
    return None


def _useless(file: str, problems: list[Problem]) -> UnusableInput:
    if not problems:
        return UnusableInput(f"{file}: holds no predictions; write one JSON object {{id, response}} a line")
    return UnusableInput(f"{file}: no line can be used; line {problems[0].line} {problems[0].message}")


def _digest(prediction: Prediction) -> int:
    """64 bits of what a prediction says, to tell repeated lines from conflicting ones."""
    said = blake2b(b"\xfe" if prediction.error else b"", digest_size=8)
    for text in (prediction.response, prediction.reasoning, prediction.finish_reason):
        said.update(b"\xff\xfe" if text is None else b"\xff" + text.encode("utf-8", "surrogatepass"))
    if prediction.tokens is not None or prediction.nodes is not None:
        said.update(json.dumps([prediction.tokens, prediction.nodes], sort_keys=True).encode())
    return int.from_bytes(said.digest(), "big")


class _Judged(NamedTuple):
    row: int
    sample: int
    line: int
    digest: int
    outcome: Outcome
    detail: str | None


class _Judge:
    """Judges lines against a release; one lives in each worker process."""

    def __init__(self, release: Release, detailed: bool, options: Mapping[str, str]) -> None:
        self.release = release
        self.detailed = detailed
        self.options = options
        self.index = {row["id"]: i for i, row in enumerate(release.rows)}

    def __call__(self, lines: list[tuple[int, bytes]]) -> list[_Judged | Problem]:
        return [self.line(number, line) for number, line in lines]

    def line(self, number: int, line: bytes) -> _Judged | Problem:
        prediction = parse_line(number, line)
        if isinstance(prediction, Problem):
            return prediction
        if own := self.release.blind.get(prediction.id):
            prediction = replace(prediction, id=own)
        row = self.index.get(prediction.id)
        if row is None:
            return self._stranger(number, prediction.id)
        verdict = self.release.scorer.judge(self.release.rows[row], prediction, **self.options)
        detail = json.dumps(verdict.as_dict(), sort_keys=True) if self.detailed else None
        return _Judged(row, prediction.sample, number, _digest(prediction), verdict.outcome, detail)

    def _stranger(self, number: int, row_id: str) -> Problem:
        if home := self.release.elsewhere.get(row_id):
            return Problem("other_config", f"is a row of {home}, outside config {self.release.config}", number, row_id)
        here = (self.release.dataset, self.release.version)
        named = release_of(row_id)
        hint = f"; it looks like {named[0]} {named[1]}" if named and named != here else ""
        return Problem("unknown_id", f"is no row of {here[0]} {here[1]}{hint}; correct the id", number, row_id[:200])


_judge: _Judge | None = None


def _start_worker(release: Release, detailed: bool, options: Mapping[str, str]) -> None:
    global _judge  # one judge a process, so that the release is sent to it once
    _judge = _Judge(release, detailed, options)


def _judge_in_worker(lines: list[tuple[int, bytes]]) -> list[_Judged | Problem]:
    assert _judge is not None
    return _judge(lines)


def _judged(
    stack: ExitStack,
    release: Release,
    lines: Iterator[tuple[int, bytes]],
    workers: int,
    detailed: bool,
    options: Mapping[str, str],
) -> Iterator[tuple[int, list[_Judged | Problem]]]:
    """(lines read, their results) in the order of the file, whoever judges them."""
    chunks = iter(lambda: list(islice(lines, _CHUNK)), [])
    if workers <= 1:
        judge = _Judge(release, detailed, options)
        for chunk in chunks:
            yield len(chunk), judge(chunk)
        return
    pool: Executor = stack.enter_context(
        ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(release, detailed, options))
    )
    waiting: deque[tuple[int, Any]] = deque()
    for chunk in chunks:
        waiting.append((len(chunk), pool.submit(_judge_in_worker, chunk)))
        if len(waiting) > 4 * workers:
            number, future = waiting.popleft()
            yield number, future.result()
    for number, future in waiting:
        yield number, future.result()


class _Ledger:
    """What is kept of each judged line, in parallel arrays, and the problems met so far."""

    def __init__(self, release: Release, spool: IO[bytes] | None) -> None:
        self.release = release
        self.spool = spool
        self.rows, self.lines, self.offsets = array("L"), array("L"), array("Q")
        self.sample_of, self.digests = array("L"), array("Q")
        self.outcomes: list[Outcome] = []
        self.samples: set[int] = set()
        self.problems: list[Problem] = []
        self._equal: dict[Outcome, Outcome] = {}

    def enter(self, result: _Judged | Problem) -> None:
        """Note one line's result."""
        if isinstance(result, Problem):
            self.problems.append(result)
            return
        self.rows.append(result.row)
        self.lines.append(result.line)
        self.sample_of.append(result.sample)
        self.digests.append(result.digest)
        self.outcomes.append(self._equal.setdefault(result.outcome, result.outcome))
        self.samples.add(result.sample)
        if self.spool is not None:
            self.offsets.append(self.spool.seek(0, os.SEEK_END))
            self.spool.write((result.detail or "").encode() + b"\n")

    def counted(self) -> dict[str, int]:
        """How many lines were read, and what became of them; the parts add up to ``read``."""
        kinds = Counter(problem.kind for problem in self.problems if problem.line is not None)
        repeated = kinds["repeated"]
        return {
            "read": len(self.rows) + kinds["bad_line"] + kinds["unknown_id"] + kinds["other_config"],
            "judged": len(self.rows) - repeated - kinds["duplicate"],
            **{kind: kinds[kind] for kind in ("bad_line", "unknown_id", "other_config", "duplicate", "repeated")},
        }

    def settle(self, partial: bool, details: IO[str] | None) -> Counter[tuple[int, Outcome]]:
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
        self.problems.sort(key=lambda p: (p.line is None, p.line or 0))
        return tally

    def _settle_one(self, row_id: str, sample: int, places: list[int], partial: bool) -> tuple[Outcome, int | None]:
        """The outcome of one (row, sample), and the place of the line that it is of, if it is of one."""
        which = f" (sample {sample})" if len(self.samples) > 1 else ""

        def problem(kind: str, message: str, place: int | None) -> None:
            line = None if place is None else self.lines[place]
            self.problems.append(Problem(kind, message, line, row_id))

        if not places:
            if not partial:
                problem("missing", f"has no prediction{which}", None)
            return self.release.scorer.MISSING_OUTCOME, None
        first, *others = places
        if any(self.digests[place] != self.digests[first] for place in others):
            numbers = ", ".join(str(self.lines[place]) for place in places)
            for place in places:
                problem("duplicate", f"lines {numbers} answer this row{which} differently; none is scored, keep one", place)
            return self.release.scorer.UNPARSED_OUTCOME, None
        for place in others:
            problem("repeated", f"repeats line {self.lines[first]}{which} word for word; one is kept", place)
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
