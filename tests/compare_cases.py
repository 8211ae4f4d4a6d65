"""Reports to compare: of responses to small releases, and plain ones whose every number a test lays by hand."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rb_verify.comparable import Entrant, Field, fields
from rb_verify.compare import compare
from rb_verify.evaluation import evaluate
from rb_verify.release import Release

Data = dict[str, Any]
Clusters = dict[str, tuple[float, float]]
Answer = Callable[[dict[str, Any]], str]
EVIL = "<script>alert(1)</script>\u202e<img src=x onerror=y></script>|`![x](https://evil.invalid/x.png)\" onerror='alert(2)' https://evil.invalid"


def constant(release: Release) -> Answer:
    """The first attack of a release's scorer."""
    return next(iter(release.scorer.attacks(release.rows).values()))


def mixed(release: Release, skill: float, seed: int = 0) -> Answer:
    """Right with the chance ``skill``, drawn apart for each row; else the constant answer."""
    wrong = constant(release)

    def answer(row: dict[str, Any]) -> str:
        lucky = random.Random(f"{seed}/{row['id']}").random() < skill
        return release.scorer.perfect(row) if lucky else wrong(row)

    return answer


def scored(release: Release, folder: Path, answer: Answer, rows: Sequence[dict[str, Any]] | None = None, **said: Any) -> Data:
    """The report, as read from its JSON, on answers to the rows (all unless told). ``said``: what the submission says."""
    file = folder / "predictions.jsonl"
    lines = ({"id": row["id"], "response": answer(row)} for row in (release.rows if rows is None else rows))
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return dict(json.loads(evaluate(file, release, submission=said).to_json()))


def board(*reports: Data) -> Data:
    """The only board of reports; their files are ``0.json``, ``1.json``, ..."""
    (found,) = boards(*reports)["boards"]
    return dict(found)


def boards(*reports: Data) -> Data:
    """The boards of reports."""
    return compare(gathered(*reports))


def gathered(*reports: Data) -> list[Field]:
    """The fields of reports, named as ``comparable.read`` names them."""
    return fields([Entrant(each["submission"].get("model", str(i)), f"{i}.json", each) for i, each in enumerate(reports)])


def named(found: Data) -> dict[str, Data]:
    """The models of a board by name, in its order."""
    return {model["name"]: model for model in found["models"]}


def changed(report: Data, **parts: Any) -> Data:
    """A copy of a report with other parts."""
    return copy.deepcopy(report) | copy.deepcopy(parts)


def signed(report: Data, **marks: str) -> Data:
    """A copy of a report whose signature has other marks."""
    parts = dict(part.partition(":")[::2] for part in report["signature"].split("|"))
    return changed(report, signature="|".join(f"{k}:{v}" if v else k for k, v in (parts | marks).items()))


def laid(report: Data, clusters: Mapping[str, Mapping[str, tuple[float, float]]], model: str) -> Data:
    """A copy of a report with these clusters, by group, and the scores that they give."""

    def rate(some: Sequence[tuple[float, float]]) -> Data:
        n = sum(b for _, b in some)
        value = round(sum(a for a, _ in some) / n, 6)
        return {"value": value, "n": n, "interval": [value, value]}

    every = [pair for some in clusters.values() for pair in some.values()]
    first = report["breakdown"][0]
    breakdown = [{**first, "group": group, "score": rate(list(some.values()))} for group, some in clusters.items()]
    plain = {group: {name: list(pair) for name, pair in some.items()} for group, some in clusters.items()}
    rates = report["rates"] | {"score": rate(every)}
    parts = {"score": rates["score"]["value"], "interval": rates["score"]["interval"], "rates": rates, "breakdown": breakdown}
    return changed(report, **parts, clusters=plain, submission={"model": model})


def numpy_resamples(clusters: Clusters) -> Any:
    """The score in each of 1,000 resamples of the sorted clusters, by the generator and seed that ``stats`` documents."""
    pairs = np.array([clusters[name] for name in sorted(clusters)])
    draw = random.Random(20_260_101).random
    drawn = [[int(draw() * len(pairs)) for _ in pairs] for _ in range(1000)]
    sums = pairs[np.array(drawn)].sum(axis=1)
    return sums[:, 0] / sums[:, 1]
