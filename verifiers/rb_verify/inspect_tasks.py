"""Tasks for Inspect AI: ``inspect eval rb_verify/tracebench_deep --model PROVIDER/MODEL``, one for each dataset and config.

The verdict on a sample is the dataset's scorer's, the metrics are rb_verify's own rates. They are over every epoch, so
reducers do not concern them: the mean over epochs, and for what is scored jointly the chance that an epoch drawn for
each row counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from math import nan

from rb_verify import harness
from rb_verify.datasets import SCORERS
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.harness import Counted, Document
from rb_verify.render import explain
from rb_verify.tally import Column

try:
    from inspect_ai import Task, task
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
    from inspect_ai.solver import TaskState, generate
except ImportError as error:
    raise UnusableInput(f"Inspect AI is not there ({error}); run pip install 'rb-verify[inspect]'") from None


def _sample(document: Document) -> Sample:
    """A document as a sample. Its metadata is what rates need, and every plain value of the row, to group by."""
    row = json.loads(document.row)
    plain = {key: value for key, value in row.items() if isinstance(value, str | int | float) and key not in ("id", "prompt")}
    units = {"group": document.group, "cluster": document.cluster, "cluster_rows": document.cluster_rows, "row": document.row}
    return Sample(id=document.id, input=document.prompt, target=document.target, metadata=plain | units)


def _counted(scores: Iterable[SampleScore]) -> list[tuple[str, Counted]]:
    """What a column counts of each response, with the group of its row; rows to which it does not apply are left out."""
    counted = []
    for each in scores:
        if each.score.value is not None:
            said = each.sample_metadata or {}
            value = Counted(str(each.sample_id), said["cluster"], said["cluster_rows"], each.score.as_float())
            counted.append((said["group"], value))
    return counted


def _shown(value: float | None) -> float:
    return nan if value is None else value


@metric(scores="unreduced")
def rate(jointly: bool = False) -> Metric:
    """The rate of a column. ``jointly``: over clusters, all of whose rows must count."""

    def compute(scores: list[SampleScore]) -> Value:
        return _shown(harness.rate((each for _, each in _counted(scores)), jointly)["value"])

    return compute


@metric(scores="unreduced")
def interval(jointly: bool = False) -> Metric:
    """The 95 % interval of a column's rate, by resampling clusters, and of how many rows or clusters it is."""

    def compute(scores: list[SampleScore]) -> Value:
        found = harness.rate((each for _, each in _counted(scores)), jointly)
        low, high = found["interval"] or (nan, nan)
        return {"low": low, "high": high, "of": found["n"]}

    return compute


@metric(scores="unreduced")
def by_group(jointly: bool = False) -> Metric:
    """A column's rate in each group of a report's breakdown; groups without one are left out."""

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[Counted]] = {}
        for group, each in _counted(scores):
            groups.setdefault(group, []).append(each)
        rates = {group: harness.rate(some, jointly)["value"] for group, some in groups.items()}
        return {group: value for group, value in rates.items() if value is not None}

    return compute


def _metrics(column: Column) -> list[Metric]:
    return [rate(column.jointly), interval(column.jointly), by_group(column.jointly)]


def _verdict(dataset: str) -> Callable[[], Scorer]:
    """The scorer of a dataset: a value for each column, with the verdict in words and its evidence."""

    @scorer(name=f"{dataset}_verdict", metrics={column.name: _metrics(column) for column in SCORERS[dataset].COLUMNS})
    def create() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            row = json.loads(state.metadata["row"])
            output = state.output.model_dump(mode="json")
            limit = None if state.output.choices else {"type": "sample"}  # scorers run, so what stopped it was no error
            unit = {"id": state.sample_id, "epoch": state.epoch, "output": output, "limit": limit}
            verdict, *more = harness.verdicts(row, unit)
            if more:
                raise UnusableInput("one choice a sample is scored; leave out --num-choices, and ask for more with --epochs")
            detail = verdict.as_dict()
            return Score(
                value=harness.counts(row, verdict.outcome),
                answer=verdict.outcome.answer,
                explanation=explain(dataset, row, detail),
                metadata=detail,
            )

        return score

    return create


_VERDICTS = {dataset: _verdict(dataset) for dataset in SCORERS}


def _task(dataset: str, config: str) -> Callable[..., Task]:
    @task(name=harness.task_name(dataset, config))
    def create(release: str | None = None) -> Task:
        """The test rows of a config. ``release``: its folder, or ``org/name@tag``."""
        try:
            documents = harness.documents(dataset, config, release)
        except UnusableInput as error:
            raise PrerequisiteError(f"{error} (--release is -T release=... here)") from None
        except ReleaseMismatch as error:
            raise PrerequisiteError(str(error)) from None  # which Inspect shows without a traceback
        settings = harness.SETTINGS[dataset]
        return Task(
            dataset=MemoryDataset(list(map(_sample, documents)), name=dataset),
            solver=generate(),
            scorer=_VERDICTS[dataset](),
            config=GenerateConfig(temperature=settings.temperature, max_tokens=settings.max_tokens),
        )

    return create


TASKS = [_task(dataset, config) for dataset, configs in harness.CONFIGS.items() for config in configs]
