"""Judge the units of a submission against a release, in this process or in others; results come in the order of the units."""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from rb_verify import executors
from rb_verify.datasets import release_of
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.formats import parse_unit
from rb_verify.ledger import Judged, Ledger
from rb_verify.predictions import Problem
from rb_verify.release import Release, load, read_manifest
from rb_verify.verdict import Outcome, Prediction

# Units go together: more and more of them, so that passing them on costs little of many, and the last ones of few are shared
# among the workers still.
_FEWEST, _MOST, _SHARE = 16, 1024, 32
_BYTES = 2**20  # of units that go together
_HELD = 3  # judges that a process holds for others


class Unit(NamedTuple):
    """A line, or a member of a log. ``file``: the name of its file where a submission has several, ``number``: 1-based."""

    file: str | None
    number: int
    data: bytes


def parse(unit: Unit) -> list[Prediction | Problem]:
    """What a unit holds; problems name its file."""
    found = parse_unit(unit.number, unit.data)
    return [replace(each, file=unit.file) if isinstance(each, Problem) else each for each in found]


@dataclass(frozen=True)
class Judge:
    """Judges units against a release.

    ``options``: a value for each of the scorer's. ``detailed``: verdicts' evidence is wanted; ``texts``: and what was said.
    """

    release: Release
    options: Mapping[str, str]
    detailed: bool = False
    texts: bool = False

    @cached_property
    def index(self) -> dict[str, int]:
        """Row id to the row's index in the release."""
        return {row["id"]: i for i, row in enumerate(self.release.rows)}

    def __call__(self, units: list[Unit]) -> list[Judged | Problem]:
        """The results of units, one for each response in them."""
        return [found if isinstance(found, Problem) else self._judged(unit, found) for unit in units for found in parse(unit)]

    def _judged(self, unit: Unit, prediction: Prediction) -> Judged | Problem:
        if own := self.release.blind.get(prediction.id):
            prediction = replace(prediction, id=own)
        row = self.index.get(prediction.id)
        if row is None:
            return self._stranger(unit, prediction.id)
        verdict = self.release.scorer.judge(self.release.rows[row], prediction, **self.options)
        detail = verdict.as_dict() | (_said(prediction) if self.texts else {}) if self.detailed else None
        text = None if detail is None else json.dumps(detail, sort_keys=True)
        return Judged(row, prediction.sample, unit.file, unit.number, _digest(prediction), verdict.outcome, text)

    def _stranger(self, unit: Unit, row_id: str) -> Problem:
        if home := self.release.elsewhere.get(row_id):
            message = f"is a row of {home}, outside config {self.release.config}"
            return Problem("other_config", message, unit.number, row_id, unit.file)
        here = (self.release.dataset, self.release.version)
        named = release_of(row_id)
        hint = f"; it looks like {named[0]} {named[1]}" if named and named != here else ""
        message = f"is no row of {here[0]} {here[1]}{hint}; correct the id"
        return Problem("unknown_id", message, unit.number, row_id[:200], unit.file)


def _said(prediction: Prediction) -> dict[str, Any]:
    return {"response": prediction.response, "reasoning": prediction.reasoning, "finish_reason": prediction.finish_reason}


def _digest(prediction: Prediction) -> int:
    """64 bits of what a prediction says, to tell repeated lines from conflicting ones."""
    said = sha256(b"\xfe" if prediction.error else b"")
    for text in (prediction.response, prediction.reasoning, prediction.finish_reason):
        said.update(b"\xff\xfe" if text is None else b"\xff" + text.encode("utf-8", "surrogatepass"))
    if prediction.tokens is not None or prediction.nodes is not None:
        said.update(json.dumps([prediction.tokens, prediction.nodes, prediction.parser], sort_keys=True).encode())
    return int.from_bytes(said.digest()[:8], "big")


class Errand(NamedTuple):
    """What names a judge to another process: the digest of its release's manifest, and the other arguments of a ``Judge``.

    ``folder``: where the release may lie there too; ``code``: what judges, and must be the same there.
    """

    folder: str
    manifest: str
    config: str
    options: tuple[tuple[str, str], ...]
    detailed: bool
    texts: bool
    code: executors.Code


class _Held:
    """The judges that this process holds for others, or for its own threads and the processes forked from it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._judges: dict[Errand, Judge] = {}

    def hold(self, errand: Errand, judge: Judge) -> None:
        """Have a judge ready."""
        with self._lock:
            self._judges[errand] = judge

    def drop(self, errand: Errand) -> None:
        """Forget a judge."""
        with self._lock:
            self._judges.pop(errand, None)

    def find(self, errand: Errand, lent: bytes | None) -> Judge | None:
        """The judge that is named; None where its release is neither here, nor in its folder, nor lent."""
        with self._lock:  # threads wait for one that loads
            if errand not in self._judges:
                release = self._release(errand) or (_in_folder(errand) if lent is None else _borrowed(lent))
                if release is None:
                    return None
                self._judges[errand] = Judge(release, dict(errand.options), errand.detailed, errand.texts)
                while len(self._judges) > _HELD:
                    del self._judges[next(iter(self._judges))]
            return self._judges[errand]

    def _release(self, errand: Errand) -> Release | None:
        alike = (errand.manifest, errand.config)
        return next((judge.release for own, judge in self._judges.items() if (own.manifest, own.config) == alike), None)


_held = _Held()


def _in_folder(errand: Errand) -> Release | None:
    """The release if its folder is here too, and is the very same."""
    folder = Path(errand.folder)
    try:
        same = read_manifest(folder)["manifest_sha256"] == errand.manifest
        return load(folder, errand.config) if same else None
    except (OSError, UnusableInput, ReleaseMismatch):
        return None


def _lent(release: Release) -> bytes:
    """A release for a process that cannot see its folder."""
    parts = [str(release.path), release.manifest, release.config, release.rows, release.elsewhere, release.blind]
    return zlib.compress(json.dumps(parts).encode(), 1)


def _borrowed(lent: bytes) -> Release:
    path, *parts = json.loads(zlib.decompress(lent))
    return Release(Path(path), *parts)


class Packed(NamedTuple):
    """Results on their way between processes: the fields of all that is judged, field by field, which is quick to pickle."""

    judged: list[tuple[Any, ...]]
    problems: list[Problem]

    def results(self) -> Iterator[Judged | Problem]:
        """The results: first what is judged, then problems, each in order."""
        yield from map(Judged._make, zip(*self.judged, strict=True))
        yield from self.problems


def _packed(results: list[Judged | Problem]) -> Packed:
    seen: dict[Outcome, Outcome] = {}
    judged = [
        result._replace(outcome=seen.setdefault(result.outcome, result.outcome))  # pickled once, not each time
        for result in results
        if isinstance(result, Judged)
    ]
    return Packed(list(zip(*judged, strict=True)), [result for result in results if isinstance(result, Problem)])


def _judge_elsewhere(errand: Errand, units: list[tuple[Any, ...]], lent: bytes | None) -> Packed | None:
    """The results of units, given field by field; None if the release must be lent."""
    executors.check(errand.code)
    judge = _held.find(errand, lent)
    return None if judge is None else _packed(judge(list(map(Unit._make, zip(*units, strict=True)))))


class _Sent(NamedTuple):
    units: list[tuple[Any, ...]]
    results: Future[Packed | None]


class Elsewhere:
    """An executor that judges for one lane. Workers have the release from its folder; one that has not is lent it."""

    def __init__(self, judge: Judge, pool: Executor) -> None:
        release = judge.release
        options = tuple(sorted(judge.options.items()))
        named = str(release.path.absolute()), release.manifest["manifest_sha256"], release.config
        self._errand = Errand(*named, options, judge.detailed, judge.texts, executors.code(executors.VERIFIER))
        self._release, self._pool, self._capacity = release, pool, executors.capacity(pool)
        self._waiting: deque[_Sent] = deque()
        self._limit = self._capacity  # until the first results are there: no more than that ask for the release
        _held.hold(self._errand, judge)

    def send(self, units: list[Unit]) -> Iterator[Judged | Problem]:
        """Have units judged, soon. The results of such as were sent before, once so much is under way."""
        while len(self._waiting) >= self._limit:
            yield from self._next()
        self._waiting.append(self._sent(list(zip(*units, strict=True)), None))

    def rest(self) -> Iterator[Judged | Problem]:
        """The results of all that is under way."""
        while self._waiting:
            yield from self._next()

    def close(self) -> None:
        """Drop what is under way."""
        for sent in self._waiting:
            sent.results.cancel()
        _held.drop(self._errand)

    @cached_property
    def _loan(self) -> bytes:
        return _lent(self._release)

    def _sent(self, units: list[tuple[Any, ...]], lent: bytes | None) -> _Sent:
        return _Sent(units, executors.submitted(self._pool, _judge_elsewhere, self._errand, units, lent))

    def _next(self) -> Iterator[Judged | Problem]:
        packed = executors.result(self._waiting[0].results)
        if packed is None:
            for place, sent in enumerate(self._waiting):  # all at once, and not one after the other
                if sent.results.done() and executors.result(sent.results) is None:
                    self._waiting[place] = self._sent(sent.units, self._loan)
            return
        self._waiting.popleft()
        self._limit = executors.AHEAD * self._capacity
        yield from packed.results()


class Lane:
    """The units of one release on their way from reader to ledger. ``pool``: who judges them, None for this process."""

    def __init__(self, judge: Judge, ledger: Ledger, pool: Executor | None) -> None:
        self.release, self.options, self.ledger = judge.release, judge.options, ledger
        self._judge, self._elsewhere = judge, None if pool is None else Elsewhere(judge, pool)
        self._units: list[Unit] = []
        self._bytes = self._taken = 0

    def take(self, unit: Unit) -> None:
        """Judge a unit, soon."""
        self._units.append(unit)
        self._bytes += len(unit.data)
        if self._bytes >= _BYTES or len(self._units) >= min(_MOST, max(_FEWEST, self._taken // _SHARE)):
            self._send()

    def finish(self) -> None:
        """Wait until all is judged."""
        if self._units:
            self._send()
        if self._elsewhere is not None:
            self.ledger.enter(self._elsewhere.rest())

    def close(self) -> None:
        """Drop what is not judged yet."""
        if self._elsewhere is not None:
            self._elsewhere.close()

    def _send(self) -> None:
        units, self._units = self._units, []
        self._bytes, self._taken = 0, self._taken + len(units)
        self.ledger.enter(self._judge(units) if self._elsewhere is None else self._elsewhere.send(units))
