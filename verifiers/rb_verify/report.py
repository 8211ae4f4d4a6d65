"""Aggregate counted verdicts into a report, and show it (schemas/report.schema.json).

Every rate comes with its n and a 95 % interval over the dataset's clusters. The signature line says exactly what was
scored: two scores with equal signatures are comparable.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from rb_verify.datasets import SCORERS, Scorer
from rb_verify.predictions import Problem
from rb_verify.release import Release, is_fresh
from rb_verify.samples import over
from rb_verify.schema import violations
from rb_verify.tally import Entry, Table, number, of_category, percent, rate_row, share
from rb_verify.verdict import MISSING, STATUSES, Outcome
from rb_verify.version import __version__

HARMLESS = frozenset({"repeated", "other_config"})  # listed, but nothing is wrong with the score


_PUBLIC = "self-reported; the gold of this release is public"
_FRESH = "self-reported; a fresh split, whose gold is public once its seed is"


@dataclass(frozen=True)
class Report:
    """A report as plain JSON data, with the few of its entries that callers ask for most.

    ``release``: what was scored against; None for a report that was read from a file.
    """

    data: dict[str, Any]
    release: Release | None = field(default=None, repr=False, compare=False)

    @property
    def score(self) -> float | None:
        """The headline score, 0 to 1; None if nothing was scored."""
        value = self.data["score"]
        return None if value is None else float(value)

    @property
    def signature(self) -> str:
        """What was scored, and how, in one line."""
        return str(self.data["signature"])

    @property
    def complete(self) -> bool:
        """Whether every row was scored and every line was good: exit code 0 rather than 1."""
        return all(problem["kind"] in HARMLESS for problem in self.data["problems"])

    def to_json(self) -> str:
        """The report as indented JSON, checked against its schema."""
        return json.dumps(self.data, indent=1, sort_keys=True, allow_nan=False)


def signature(release: Release, samples: int, is_partial: bool, marks: Mapping[str, str]) -> str:
    """The signature of a score, in sacreBLEU's manner. ``marks``: what the dataset's scorer tells besides."""
    parts = {
        "v": release.version,
        "config": release.config,
        "digest": release.manifest["content_digest"][:16],
        "verifier": f"rb-verify-{__version__}",
        "parser": release.scorer.PARSER,
        "samples": samples,
        "partial": "yes" if is_partial else "no",
        **marks,
    }
    return "|".join([release.dataset, *(f"{key}:{value}" for key, value in parts.items())])


def parts(signature: str) -> dict[str, str]:
    """A signature's parts by name; ``dataset`` is the first."""
    dataset, *others = signature.split("|")
    return {"dataset": dataset, **{key: value for key, _, value in (part.partition(":") for part in others)}}


def differing(one: str, other: str) -> list[tuple[str, str | None, str | None]]:
    """(part, value in the one, in the other) of the parts in which two signatures differ, None where there is none."""
    ours, theirs = parts(one), parts(other)
    return [(name, ours.get(name), theirs.get(name)) for name in ours | theirs if ours.get(name) != theirs.get(name)]


def build(
    release: Release,
    tally: Mapping[tuple[int, Outcome], int],
    problems: Sequence[Problem],
    lines: Mapping[str, int],
    samples: int,
    is_partial: bool,
    submission: Mapping[str, Any] | None = None,
    options: Mapping[str, str] | None = None,
) -> Report:
    """The report of a scored submission.

    ``tally``: how often the row of each index had each outcome. ``lines``: what became of the lines read.
    ``samples``: responses expected of each row. ``submission``: what it says of its model. ``options``: what the scorer
    was asked for. Raises AssertionError if its parts do not add up.
    """
    scorer, rows = release.scorer, release.rows
    entries = [Entry(rows[row], outcome, count) for (row, outcome), count in tally.items()]
    n = sum(entry.count for entry in entries)
    statuses: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    for entry in entries:
        statuses[entry.outcome.status] += entry.count
        categories[entry.outcome.category] += entry.count
    groups: dict[str, list[Entry]] = {scorer.group(row): [] for row in rows}
    for entry in entries:
        groups[scorer.group(entry.row)].append(entry)
    sizes = Counter(map(scorer.cluster, rows))
    rates = _rates(scorer, entries, sizes)
    headline = rates[scorer.COLUMNS[0].name]
    data = {
        "signature": signature(release, samples, is_partial, {**(options or {}), **scorer.marks(entries)}),
        "standing": _FRESH if is_fresh(release.version) else _PUBLIC,
        "dataset": release.dataset,
        "version": release.version,
        "config": release.config,
        "content_digest": release.manifest["content_digest"],
        "verifier": __version__,
        "submission": dict(submission or {}),
        "options": dict(options or {}),
        "samples": samples,
        "partial": is_partial,
        "n": n,
        "left_out": len(rows) * samples - n,
        "lines": dict(lines),
        "counts": {status: statuses[status] for status in STATUSES},
        "categories": {category: categories[category] for category in scorer.CATEGORIES},
        "score": headline["value"],
        "interval": headline["interval"],
        "rates": rates,
        "breakdown": [{"group": name, **_rates(scorer, some, sizes, nested=True)} for name, some in groups.items()],
        "clusters": {name: _clusters(scorer, some, sizes) for name, some in groups.items()},
        "over_samples": over(entries, samples, scorer.COLUMNS[0], scorer.COLUMNS[1], scorer.cluster, sizes),
        "baselines": release.manifest["baselines"][release.config],
        release.dataset: scorer.summary(entries),
        "problems": [problem.as_dict() for problem in problems],
    }
    _check(data)
    return Report(data, release)


def _rates(scorer: Scorer, entries: list[Entry], sizes: Mapping[str, int], nested: bool = False) -> dict[str, Any]:
    names = (*scorer.CATEGORIES, MISSING)
    categories = {name: share(entries, scorer.cluster, of_category(name)) for name in names}
    head = {column.name: column.rate(entries, scorer.cluster, sizes) for column in scorer.COLUMNS}
    return head | ({"categories": categories} if nested else categories)


def _clusters(scorer: Scorer, entries: list[Entry], sizes: Mapping[str, int]) -> dict[str, list[float]]:
    """(numerator, denominator) of the headline in each cluster: what comparisons resample."""
    sums: dict[str, list[list[float]]] = {}
    for name, *part in scorer.COLUMNS[0].parts(entries, scorer.cluster, sizes):
        sums.setdefault(name, []).append(part)
    return {name: [fsum(column) for column in zip(*parts, strict=True)] for name, parts in sums.items()}


def _check(data: dict[str, Any]) -> None:
    """The invariants of a report, asserted before anyone sees it."""
    n, counts, lines = data["n"], data["counts"], data["lines"]
    assert sum(counts.values()) == n, "statuses do not add up"
    assert sum(data["categories"].values()) + counts[MISSING] == n, "categories do not add up"
    assert lines["judged"] + sum(count for kind, count in lines.items() if kind not in ("read", "judged")) == lines["read"]
    counted, of = (fsum(part[i] for group in data["clusters"].values() for part in group.values()) for i in (0, 1))
    assert of == data["rates"]["score"]["n"], "clusters do not add up"
    assert data["score"] is None or abs(counted / of - data["score"]) < 1e-6, "clusters do not add up to the score"
    assert not data["partial"] or counts[MISSING] == 0, "a partial report has no missing rows"
    broken = violations(data, "report")
    assert not broken, f"the report breaks its own schema: {broken[:3]}"


def tables(report: Report) -> list[Table]:
    """The report as tables: headline, breakdown, baselines, then the dataset's own."""
    data = report.data
    scorer = SCORERS[data["dataset"]]
    rates = data["rates"]
    columns = [column.name for column in scorer.COLUMNS]
    summary = Table(
        f"{data['dataset']} {data['version']}, config {data['config']}: {data['n']} rows",
        ["measure", "%", "95 % interval", "of"],
        [
            rate_row(name, rates[key])
            for name, key in (
                ("score", "score"),
                ("answer accuracy", "accuracy"),
                *((name, name) for name in dict.fromkeys([*columns[2:], *data["categories"], MISSING])),
            )
        ],
    )
    groups = Table(
        f"Score and accuracy by {scorer.GROUPED}, %",
        [scorer.GROUPED, "n", *(text for name in columns for text in (name, "95 % interval"))],
        [
            [
                g["group"],
                str(int(g["score"]["n"])),
                *(text for name in columns for text in (percent(g[name]), number(g[name]["interval"]))),
            ]
            for g in data["breakdown"]
        ],
    )
    names = list(next(iter(data["baselines"].values()), {}))
    baselines = Table(
        "What needs no reasoning scores, %",
        ["baseline", *names],
        [[attack, *(f"{100 * values[name]:.2f}" for name in names)] for attack, values in data["baselines"].items()],
    )
    sampled = Table(f"Over {data['samples']} samples a row, %", summary.columns, _over_samples(data["over_samples"]))
    said = Table("Submission, as it says", ["", ""], [[key, _told(value)] for key, value in data["submission"].items()])
    return [table for table in (said, summary, sampled, groups, baselines) if table.rows] + scorer.tables(data)


def _over_samples(found: Mapping[str, Any] | None) -> list[list[str]]:
    if found is None:
        return []
    passed = [rate_row(f"score, pass@{each['k']}", each) for each in found["pass"]]
    return [*passed, rate_row("answer accuracy of the majority", found["majority"])]


def _told(value: Any) -> str:
    return ", ".join(f"{key} {entry}" for key, entry in value.items()) if isinstance(value, dict) else str(value)
