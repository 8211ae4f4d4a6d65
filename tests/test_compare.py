"""Boards against the reports they are made of, recounted with NumPy, and published results apart."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from compare_cases import (
    Clusters,
    Data,
    gathered,
    named,
    numpy_resamples,
)
from rb_verify import archetypes, paired
from rb_verify.board import to_csv, to_markdown
from rb_verify.compare import compare
from rb_verify.references import MARK, references
from shelf import DATASETS


def merged(report: Data, group: str | None) -> Clusters:
    """The clusters of one group or of all."""
    sums: Clusters = {}
    for of, clusters in report["clusters"].items():
        for name, (a, b) in clusters.items():
            if group in (None, of):
                sums[name] = sums.get(name, (0, 0))[0] + a, sums.get(name, (0, 0))[1] + b
    return sums


@pytest.mark.parametrize("dataset", DATASETS)
def test_figures_are_the_reports(dataset: str, reports: dict[str, list[Data]], made: dict[str, Data]) -> None:
    """A board has the reports' own rates, over all and by group, the highest score first; perfect is 1st with all right."""
    found = made[dataset]
    models = named(found)
    by_name = dict(zip(["constant", "mixed · short", "mixed · long", "perfect"], reports[dataset], strict=True))
    assert sorted(models, key=lambda name: -by_name[name]["score"]) == list(models)
    assert next(iter(models)) == "perfect"
    assert models["perfect"]["rates"]["score"]["value"] == 1
    assert models["perfect"]["to_best"] == {"value": 0, "interval": [0, 0]}
    for name, report in by_name.items():
        assert models[name]["rates"] == {column: report["rates"][column] for column in found["columns"]}
        assert models[name]["n"] == report["n"]
        assert models[name]["to_best"]["value"] == pytest.approx(report["score"] - 1, abs=2e-6)
        for group in report["breakdown"]:
            assert models[name]["groups"][group["group"]]["rates"] == {column: group[column] for column in found["columns"]}
    assert models["mixed · short"]["incomplete"] == {"missing": 3}
    assert models["perfect"]["incomplete"] == {}
    assert {each["name"]: each["values"] for each in found["baselines"]} == reports[dataset][0]["baselines"]


@pytest.mark.parametrize("dataset", DATASETS)
def test_ranks_agree_with_a_count_of_who_is_better(dataset: str, reports: dict[str, list[Data]], made: dict[str, Data]) -> None:
    """A rank is 1 plus the models whose advantage has an interval above 0, computed here with NumPy, in every group."""
    found = made[dataset]
    by_name = dict(zip(["constant", "mixed · short", "mixed · long", "perfect"], reports[dataset], strict=True))
    for group in (None, *found["groups"]):
        values = {name: numpy_resamples(merged(report, group)) for name, report in by_name.items()}
        for name, model in named(found).items():
            low = [np.sort(values[other] - values[name])[25] for other in values if other != name]
            at = model if group is None else model["groups"][group]
            assert at["rank"] == 1 + sum(bound > 1e-12 for bound in low), (group, name)


@pytest.mark.parametrize("dataset", DATASETS)
def test_resamples_are_those_of_the_report(dataset: str, reports: dict[str, list[Data]]) -> None:
    """The interval of a report is that of the resamples by which its model is compared."""
    for report in reports[dataset]:
        found = paired.resampled({"it": merged(report, None)})["it"]
        values = sorted(found.values)
        assert [round(values[paired.TAIL], 6), round(values[-paired.TAIL - 1], 6)] == report["interval"]


def test_published_results_are_the_papers() -> None:
    """Numbers picked from the papers' tables by eye, and Table 13 whole, are those that are shown."""
    found = {(each["dataset"], each["measure"]): each for each in references(DATASETS)}

    def at(dataset: str, measure: str, model: str, group: str) -> float:
        each = found[dataset, measure]
        return float(each["models"][model][each["groups"].index(group)])

    assert at("tracebench", "spurious_guessing", "Llama-8B", "10") == 0.185
    assert at("tracebench", "spurious_guessing", "Claude-Sonnet-4.6", "185") == 0.22
    assert at("twosat", "accuracy", "Phi4-reasoning-plus", "ImplicationCycle 15") == 0.4
    assert at("reefbench", "main_accuracy", "Claude-Opus-4.5.long", "11") == 0.63
    table13 = json.loads((Path(__file__).parent / "reefbench_published.json").read_text())["table13"]
    six = found["reefbench", "six_scores"]
    assert {name: dict(zip(six["groups"], values, strict=True)) for name, values in six["models"].items()} == {
        name: {score: row[score] for score in archetypes.COMPONENTS} for name, row in table13.items()
    }


def test_published_results_are_apart(reports: dict[str, list[Data]], made: dict[str, Data]) -> None:
    """They are marked as not comparable in every file, have no rank, and do not change a board."""
    data = compare(gathered(*reports["twosat"]), references(["twosat"]))
    assert data["boards"] == [made["twosat"]]
    lines = list(csv.DictReader(io.StringIO(to_csv(data))))
    published = [line for line in lines if line["kind"] == "reference"]
    assert {(line["standing"], line["rank"], line["score"]) for line in published} == {(MARK, "", "")}
    assert sum(value is not None for r in data["references"] for values in r["models"].values() for value in values) == len(
        published
    )
    assert f"## Published results: {MARK}" in to_markdown(data)
