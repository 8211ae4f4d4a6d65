"""Judge the units of a submission against a release, in this process or in others; results come in the order of the units."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from rb_verify.datasets import release_of
from rb_verify.formats import parse_unit
from rb_verify.ledger import Judged, Ledger
from rb_verify.predictions import Problem
from rb_verify.release import Release, load
from rb_verify.verdict import Prediction

_CHUNK = 64  # units of parallel work


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
    said = blake2b(b"\xfe" if prediction.error else b"", digest_size=8)
    for text in (prediction.response, prediction.reasoning, prediction.finish_reason):
        said.update(b"\xff\xfe" if text is None else b"\xff" + text.encode("utf-8", "surrogatepass"))
    if prediction.tokens is not None or prediction.nodes is not None:
        said.update(json.dumps([prediction.tokens, prediction.nodes, prediction.parser], sort_keys=True).encode())
    return int.from_bytes(said.digest(), "big")


class Errand(NamedTuple):
    """What a process must know to judge units: the folder of a release, and the arguments of a ``Judge``."""

    folder: Path
    config: str
    options: tuple[tuple[str, str], ...]
    detailed: bool
    texts: bool


_judges: dict[Errand, Judge] = {}  # of a process that judges for others


def _start_worker(errand: Errand, judge: Judge) -> None:
    _judges[errand] = judge


def _judge_in_worker(errand: Errand, units: list[Unit]) -> list[Judged | Problem]:
    if errand not in _judges:
        release = load(errand.folder, errand.config)
        _judges[errand] = Judge(release, dict(errand.options), errand.detailed, errand.texts)
    return _judges[errand](units)


class Workers:
    """Processes that judge for all lanes. They start with the first lane, whose release they share; releases of others
    they load themselves, since a process that has threads, as executors do, must not be forked once more."""

    def __init__(self, stack: ExitStack, number: int) -> None:
        self.number = number
        self._stack = stack
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, judge: Judge, units: list[Unit]) -> Future[list[Judged | Problem]]:
        """Have units judged, soon."""
        release = judge.release
        options = tuple(sorted(judge.options.items()))
        errand = Errand(release.path, release.config, options, judge.detailed, judge.texts)
        if self._pool is None:
            pool = ProcessPoolExecutor(self.number, initializer=_start_worker, initargs=(errand, judge))
            self._pool = self._stack.enter_context(pool)
        return self._pool.submit(_judge_in_worker, errand, units)


class Lane:
    """The units of one release on their way from reader to ledger. ``workers``: who judges them, None for this process."""

    def __init__(self, judge: Judge, ledger: Ledger, workers: Workers | None) -> None:
        self.release, self.options, self.ledger = judge.release, judge.options, ledger
        self._judge, self._workers = judge, workers
        self._units: list[Unit] = []
        self._waiting: deque[Future[list[Judged | Problem]]] = deque()

    def take(self, unit: Unit) -> None:
        """Judge a unit, soon."""
        self._units.append(unit)
        if len(self._units) == _CHUNK:
            self._send()

    def finish(self) -> None:
        """Wait until all is judged."""
        self._send()
        while self._waiting:
            self.ledger.enter(self._waiting.popleft().result())

    def _send(self) -> None:
        units, self._units = self._units, []
        if self._workers is None:
            self.ledger.enter(self._judge(units))
            return
        self._waiting.append(self._workers.submit(self._judge, units))
        if len(self._waiting) > 4 * self._workers.number:
            self.ledger.enter(self._waiting.popleft().result())
