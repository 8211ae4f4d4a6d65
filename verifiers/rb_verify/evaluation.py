"""Score a submission: reader, scorer and report, streaming and flat in memory; rows of several datasets are told by id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rb_verify import executors, report
from rb_verify.datasets import SCORERS, release_of
from rb_verify.errors import NoSuchConfig, UnusableInput
from rb_verify.judging import Judge, Lane, Unit, parse
from rb_verify.ledger import Ledger, Lines, refuse_flood
from rb_verify.predictions import Problem
from rb_verify.release import NO_RELEASE, Release, load, locate
from rb_verify.report import Report
from rb_verify.sources import open_units
from rb_verify.verdict import Prediction, Verdict

_TOLD = 64  # units between two words on progress


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
    _check_options(options, [identified[0]])
    prediction = Prediction(row["id"], response, reasoning, finish_reason, tokens=tokens)
    return SCORERS[identified[0]].judge(row, prediction, **_chosen(identified[0], options))


@dataclass(frozen=True)
class Options:
    """How a submission is scored.

    ``config``: which config's test rows. ``partial``: rows without a prediction are left out instead of counting as wrong.
    ``workers``: processes. ``scorer``: what scorers are asked for, such as ``{"text": "answer"}``; signatures name it.
    ``submission``: what it says of its model, which reports repeat. ``texts``: details also hold response, reasoning and
    finish reason. ``executor``: who judges instead of ``workers``; any Executor, which is left open.
    """

    config: str = "default"
    partial: bool = False
    workers: int = 1
    scorer: Mapping[str, str] = field(default_factory=dict)
    submission: Mapping[str, Any] | None = None
    texts: bool = False
    executor: Executor | None = None


def evaluate(
    file: str | Path,
    release: str | Path | Release | None = None,
    *,
    config: str = "default",
    partial: bool = False,
    workers: int = 1,
    details: Lines | None = None,
    progress: Callable[[int], None] | None = None,
    submission: Mapping[str, Any] | None = None,
    options: Mapping[str, str] | None = None,
    executor: Executor | None = None,
) -> Report:
    """Score a predictions file of one dataset and report. ``options``: the scorer's; the others as for ``evaluate_all``.

    Raises UnusableInput, also where the file has rows of several datasets and no ``release`` is named, or ReleaseMismatch.
    """
    asked = Options(config, partial, workers, options or {}, submission, executor=executor)
    reports = evaluate_all([file], release, asked, details=details, progress=progress)
    if len(reports) > 1:
        found = ", ".join(str(each.data["dataset"]) for each in reports)
        raise UnusableInput(f"{file}: holds rows of {found}; name the release of one of them")
    return reports[0]


def evaluate_all(
    files: Sequence[str | Path],
    release: str | Path | Release | None = None,
    options: Options = Options(),
    *,
    details: Lines | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Report]:
    """Score a submission, all of whose files are read as one, and report on each dataset that it has rows of.

    ``files``: paths, or ``-`` for standard input, in any format that ``formats`` knows. ``release``: a loaded release, its
    folder, or ``org/name@tag``: only its rows are known. None: the ids name the releases, one of each dataset, which are
    looked up (``release.locate``). Where others are scored, rows of a dataset whose release is not found are unknown ids, and
    those of one without the config are other_config.
    ``details``: receives one JSON line for each response and each missing row, in row order. ``progress``: called with the
    number of lines just read. Reports are in the order of the datasets' names. Raises UnusableInput or ReleaseMismatch.
    """
    with ExitStack() as stack:
        router = _Router(stack, options, details is not None)
        if release is not None:
            loaded = release if isinstance(release, Release) else load(locate(str(release), None), options.config)
            router.only = router.opened(loaded)
        for unit in _units(stack, [str(file) for file in files], progress):
            router.take(unit)
        lanes, problems = router.finish()
        _check_options(options.scorer, [lane.release.dataset for lane in lanes])
        if not any(lane.ledger.judged for lane in lanes) and all(problem.kind == "bad_line" for problem in problems):
            raise _useless(", ".join(map(str, files)), problems)
        if not lanes:
            raise next(iter(router.refused.values()), UnusableInput(NO_RELEASE))
        many = sum(lane.ledger.judged + len(lane.ledger.problems) for lane in lanes)
        reports = []
        for lane in sorted(lanes, key=lambda lane: lane.release.dataset):
            ledger = lane.ledger
            elsewhere = many - ledger.judged - len(ledger.problems)
            ledger.problems += problems
            tally = ledger.settle(options.partial, details)
            counted, samples = ledger.counted(elsewhere), len(ledger.samples) or 1
            said = lane.release, tally, ledger.problems, counted, samples, options.partial, options.submission, lane.options
            reports.append(report.build(*said))
        return reports


def _units(stack: ExitStack, files: Sequence[str], progress: Callable[[int], None] | None) -> Iterator[Unit]:
    read = 0
    for path in files:
        name = Path(path).name if len(files) > 1 else None
        for number, data in stack.enter_context(open_units(path)):
            yield Unit(name, number, data)
            read += 1
            if progress is not None and read % _TOLD == 0:
                progress(_TOLD)
    if progress is not None:
        progress(read % _TOLD)


class _Router:
    """Sends each unit to the lane of the release that its id names, and opens lanes as they are needed.

    ``only``: a lane that takes every unit. A dataset has one release, the first that an id names.
    """

    def __init__(self, stack: ExitStack, options: Options, detailed: bool) -> None:
        self.stack, self.options, self.detailed = stack, options, detailed
        self.pool = options.executor or stack.enter_context(executors.executor(options.workers))
        self.only: Lane | None = None
        self.lanes: dict[str, Lane] = {}
        self.problems: list[Problem] = []  # of units that have no lane
        self.refused: dict[str, UnusableInput] = {}  # dataset to why it has no lane

    def opened(self, release: Release) -> Lane:
        """A new lane for a release."""
        judge = Judge(release, _chosen(release.dataset, self.options.scorer), self.detailed, self.options.texts)
        ledger = self.stack.enter_context(closing(Ledger(release)))
        lane = self.lanes[release.dataset] = self.stack.enter_context(closing(Lane(judge, ledger, self.pool)))
        return lane

    def take(self, unit: Unit) -> None:
        """Send a unit on its way."""
        lane = self.only or self._of(unit)
        if lane is not None:
            lane.take(unit)

    def _of(self, unit: Unit) -> Lane | None:
        """The lane of a unit, found without parsing it where that is safe; None if it has none, which is noted."""
        found = set(_TELLING.findall(unit.data))
        if len(found) == 1 and (lane := self.lanes.get(found.pop().decode())):
            return lane
        refuse_flood(self.problems)
        for each in parse(unit):
            if isinstance(each, Problem):
                self.problems.append(each)
            elif (named := release_of(each.id)) is None:
                message = "names no dataset that is known; correct the id"
                self.problems.append(Problem("unknown_id", message, unit.number, each.id[:200], unit.file))
            elif lane := self._named(*named):
                return lane
            else:
                why = self.refused[named[0]]
                kind = "other_config" if isinstance(why, NoSuchConfig) else "unknown_id"
                message = f"is of {named[0]} {named[1]}, which cannot be scored here: {why}"
                self.problems.append(Problem(kind, message, unit.number, each.id[:200], unit.file))
        return None

    def _named(self, dataset: str, version: str) -> Lane | None:
        if dataset in self.lanes or dataset in self.refused:
            return self.lanes.get(dataset)
        try:
            release = load(locate(None, (dataset, version)), self.options.config)
        except UnusableInput as error:
            self.refused[dataset] = error
            return None
        return self.opened(release)

    def finish(self) -> tuple[list[Lane], list[Problem]]:
        """The lanes that reports are of, all judged, and the problems that are of no one dataset."""
        for lane in self.lanes.values():
            lane.finish()
        kept = [lane for lane in self.lanes.values() if _tells(lane) or len(self.lanes) == 1]
        problems = list(self.problems)
        for lane in self.lanes.values():
            common = [p for p in lane.ledger.problems if p.kind == "bad_line" or lane not in kept]
            problems += common
            lane.ledger.problems = [p for p in lane.ledger.problems if p.kind != "bad_line"]
        return kept, problems


_TELLING = re.compile(rb'"(?:custom_)?id" ?: ?"([a-z0-9]+)-\d+-\d+-\d+-')


def _tells(lane: Lane) -> bool:
    """Whether a submission has rows of this dataset, scored or not, rather than ids that look so."""
    return lane.ledger.judged > 0 or any(problem.kind == "other_config" for problem in lane.ledger.problems)


def _chosen(dataset: str, options: Mapping[str, str]) -> dict[str, str]:
    """A value for each option of a dataset's scorer. Raises UnusableInput for a value that it does not have."""
    choices = SCORERS[dataset].OPTIONS
    for name in options.keys() & choices.keys():
        if options[name] not in choices[name]:
            raise UnusableInput(f"{dataset}: {name} cannot be {options[name]!r}; choose one of {', '.join(choices[name])}")
    return {name: options.get(name, values[0]) for name, values in choices.items()}


def _check_options(options: Mapping[str, str], datasets: Sequence[str]) -> None:
    """Raises UnusableInput for an option that no scorer of these datasets has."""
    for name in options:
        if datasets and not any(name in SCORERS[dataset].OPTIONS for dataset in datasets):
            raise UnusableInput(f"{', '.join(datasets)} has no option {name!r}; leave it out")


def _useless(files: str, problems: Sequence[Problem]) -> UnusableInput:
    if not problems:
        return UnusableInput(f"{files}: holds no predictions; write one JSON object {{id, response}} a line")
    first = problems[0]
    place = f"line {first.line}" if first.file is None else f"line {first.line} of {first.file}"
    return UnusableInput(f"{files}: no line can be used; {place} {first.message}")
