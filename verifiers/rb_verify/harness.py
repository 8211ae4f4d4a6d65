"""What the tasks for Inspect AI and lm-eval have in common: documents, verdicts on what came back, and rates.

Both harnesses are given the frozen rows, the dataset's own scorer and rb_verify's own columns, so a harness's number is the
number that rb-verify gives for the harness's log.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from rb_verify.datasets import SCORERS, Scorer, release_of
from rb_verify.errors import UnusableInput
from rb_verify.formats import parse_unit
from rb_verify.predictions import Problem
from rb_verify.release import by_cluster, load, locate
from rb_verify.tally import Column, Entry
from rb_verify.verdict import Outcome, Verdict

VERSION = "1.0.0"  # of the releases that are asked for where none is named
CONFIGS: dict[str, tuple[str, ...]] = {
    "reefbench": ("default", "main", "contrast", *(f"level_{level:02d}" for level in range(3, 12))),
    "tracebench": ("default", "deep", *(f"d{difficulty:03d}" for difficulty in (10, 45, 80, 115, 150, 185))),
    "twosat": ("default", "main", "sweeps", "fillers", "order", "repeats", "symmetry", "twins"),
}


class Settings(NamedTuple):
    """How a card recommends to generate. ``temperature``: None for the model's own."""

    temperature: float | None
    max_tokens: int


SETTINGS = {
    "reefbench": Settings(0.0, 24_000),
    "tracebench": Settings(0.0, 8_192),
    "twosat": Settings(None, 16_384),
}


class Document(NamedTuple):
    """A row as a harness has it.

    ``row`` is the whole row as JSON, since rows are nested and of mixed types. ``group``: its group in reports. ``cluster``:
    its unit in rates, of which the config has ``cluster_rows`` rows.
    """

    id: str
    prompt: str
    target: str
    group: str
    cluster: str
    cluster_rows: int
    row: str


class Counted(NamedTuple):
    """What a rate counts of one response to one row."""

    id: str
    cluster: str
    cluster_rows: int
    value: float


def task_name(dataset: str, config: str) -> str:
    """The name of the task of a config, in both harnesses."""
    return dataset if config == "default" else f"{dataset}_{config}"


def documents(dataset: str, config: str, release: str | None = None) -> list[Document]:
    """The test rows of a config. The rows of a cluster follow one another, so that a limit leaves few clusters in part.

    ``release``: its folder, or ``org/name@tag``; None to look for version 1.0.0 as rb-verify does. Raises UnusableInput if
    there is none, or if it is of another dataset; ReleaseMismatch if it is not sound.
    """
    loaded = load(locate(release, (dataset, VERSION)), config)
    if loaded.dataset != dataset:
        raise UnusableInput(
            f"{release}: is a release of {loaded.dataset}; name one of {dataset}, or run a task of {loaded.dataset}"
        )
    scorer = loaded.scorer
    sizes = Counter(map(scorer.cluster, loaded.rows))
    return [
        Document(
            row["id"],
            row["prompt"],
            scorer.gold(row),
            scorer.group(row),
            scorer.cluster(row),
            sizes[scorer.cluster(row)],
            json.dumps(row, ensure_ascii=False, sort_keys=True),
        )
        for row in by_cluster(loaded.rows, scorer.cluster)
    ]


def scorer_of(row: dict[str, Any]) -> Scorer:
    """The scorer of the dataset that a row is of. Raises KeyError if its id names none."""
    dataset, _ = release_of(row["id"]) or (row["id"], None)
    return SCORERS[dataset]


def verdicts(row: dict[str, Any], unit: dict[str, Any]) -> list[Verdict]:
    """The verdicts on one entry of a harness's log, which is read as rb-verify reads the log itself.

    What rb-verify could not read there it would count as missing; so it is here.
    """
    scorer = scorer_of(row)
    return [
        Verdict(row["id"], 0, scorer.MISSING_OUTCOME, {"note": read.message})
        if isinstance(read, Problem)
        else scorer.judge(row, read)
        for read in parse_unit(1, json.dumps(unit).encode())
    ]


def counts(row: dict[str, Any], outcome: Outcome) -> dict[str, float | None]:
    """What each of the scorer's columns counts of an outcome; None where it does not apply to the row."""
    return {each.name: float(each.counts(outcome)) if each.applies(row) else None for each in scorer_of(row).COLUMNS}


def rate(counted: Iterable[Counted], jointly: bool) -> dict[str, Any]:
    """The rate ``{value, n, interval}`` over what was counted, exactly as a report has it.

    With several responses a row it is over all of them. ``jointly``: as of ``tally.Column``; a cluster with a row that was
    not asked, as under a limit, does not count.
    """
    entries: list[Entry] = []
    sizes: dict[str, int] = {}
    for each in counted:
        entries.append(Entry(each._asdict(), Outcome("", "", 0, measures=(each.value,)), 1))
        sizes[each.cluster] = each.cluster_rows
    return Column("", lambda outcome: outcome.measures[0], jointly=jointly).rate(entries, itemgetter("cluster"), sizes)


def lm_eval_path() -> Path:
    """The folder of YAML tasks for lm-eval's ``--include_path``."""
    return Path(__file__).parent / "lm_eval_tasks"
