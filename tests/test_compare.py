"""Boards against the reports they are made of, against independent statistics, and against the papers."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from markdown_it import MarkdownIt
from scipy import stats as scipy_stats

from compare_cases import EVIL, Data, board, boards, changed, constant, gathered, laid, mixed, named, scored, signed
from rb_verify import archetypes, comparison_figures, modes, paired, stats
from rb_verify.board import csv_cell, documents, markdown_cell, to_csv, to_json, to_markdown, write
from rb_verify.comparable import read
from rb_verify.compare import compare
from rb_verify.comparisons import notes, tables
from rb_verify.errors import UnusableInput
from rb_verify.references import MARK, references
from rb_verify.release import Release
from rb_verify.schema import schema, violations
from shelf import DATASETS, shelve

Clusters = dict[str, tuple[float, float]]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """Small releases of all datasets."""
    return shelve(tmp_path_factory.mktemp("shelf"))


@pytest.fixture(scope="module")
def reports(shelf: dict[str, Release], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Data]]:
    """For each dataset reports of a constant, two mixed and a perfect submission; one mixed one lacks its last three rows."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    for name, release in shelf.items():
        made[name] = [
            scored(release, folder, constant(release), model="constant"),
            scored(release, folder, mixed(release, 0.5), release.rows[:-3], model="mixed", mode="short", source="open"),
            scored(release, folder, mixed(release, 0.8, 1), model="mixed", mode="long", source="open", teacher="perfect"),
            scored(release, folder, release.scorer.perfect, model="perfect", source="closed", organisation="=1+1"),
        ]
    return made


@pytest.fixture(scope="module")
def made(reports: dict[str, list[Data]]) -> dict[str, Data]:
    """The board of each dataset's reports."""
    return {dataset: board(*some) for dataset, some in reports.items()}


def planted(skill: float, seed: int, groups: int = 2, size: int = 30) -> dict[str, Clusters]:
    """Clusters of three rows each, every row right with the chance ``skill``."""
    draw = random.Random(seed)
    return {
        f"g{group}": {f"c{group}-{i}": (float(sum(draw.random() < skill for _ in range(3))), 3.0) for i in range(size)}
        for group in range(groups)
    }


# ---- Boards are their reports -------------------------------------------------------------------------------------


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


def test_a_dataset_without_analyses_of_its_own_has_a_board(made: dict[str, Data]) -> None:
    """What only some datasets compare and draw is left out for others."""
    board = made["tracebench"] | {"dataset": "other"}
    board["comparison"] = {**board["comparison"], "other": {}}
    titles = [table.title for table in tables(made["tracebench"])]
    assert [table.title for table in tables(board)] == [title for title in titles if "Figure 2" not in title]
    assert len(comparison_figures.figures(board)) == 1


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


def merged(report: Data, group: str | None) -> Clusters:
    """The clusters of one group or of all."""
    sums: Clusters = {}
    for of, clusters in report["clusters"].items():
        for name, (a, b) in clusters.items():
            if group in (None, of):
                sums[name] = sums.get(name, (0, 0))[0] + a, sums.get(name, (0, 0))[1] + b
    return sums


def numpy_resamples(clusters: Clusters) -> Any:
    """The score in each of 1,000 resamples of the sorted clusters, by the generator and seed that ``stats`` documents."""
    pairs = np.array([clusters[name] for name in sorted(clusters)])
    draw = random.Random(20_260_101).random
    drawn = [[int(draw() * len(pairs)) for _ in pairs] for _ in range(1000)]
    sums = pairs[np.array(drawn)].sum(axis=1)
    return sums[:, 0] / sums[:, 1]


@pytest.mark.parametrize("dataset", DATASETS)
def test_resamples_are_those_of_the_report(dataset: str, reports: dict[str, list[Data]]) -> None:
    """The interval of a report is that of the resamples by which its model is compared."""
    for report in reports[dataset]:
        found = paired.resampled({"it": merged(report, None)})["it"]
        values = sorted(found.values)
        assert [round(values[paired.TAIL], 6), round(values[-paired.TAIL - 1], 6)] == report["interval"]


# ---- The statistics -----------------------------------------------------------------------------------------------


def test_differences_agree_with_scipys_paired_bootstrap() -> None:
    """The interval of a difference is SciPy's paired percentile bootstrap of other resamples, within their noise."""
    a, b = planted(0.7, 1)["g0"], planted(0.55, 2)["g0"]
    models = paired.resampled({"a": a, "b": b})
    found = paired.difference(models["a"], models["b"])
    x, y = (np.array([pair[0] for pair in some.values()]) for some in (a, b))

    def statistic(first: Any, second: Any, axis: int) -> Any:
        return (first.sum(axis=axis) - second.sum(axis=axis)) / (3 * first.shape[axis])

    seeded = np.random.default_rng(5)
    independent = scipy_stats.bootstrap((x, y), statistic, paired=True, method="percentile", n_resamples=20_000, rng=seeded)
    assert found.value == pytest.approx(statistic(x, y, 0), abs=1e-6)
    assert found.interval == pytest.approx(tuple(independent.confidence_interval), abs=0.02)


def test_clusters_weigh_by_their_rows() -> None:
    """A score is the sum of numerators over the sum of denominators, also where clusters are of different sizes."""
    clusters: Clusters = {"a": (1, 1), "b": (0, 3), "c": (2, 4), "unscored": (0, 0)}
    found = paired.resampled({"it": clusters})["it"]
    assert found.score == 3 / 8
    del clusters["unscored"]
    assert np.allclose(found.values, numpy_resamples(clusters))


def test_pairing_sees_through_what_is_hard_for_all() -> None:
    """A model that adds one right row to half of its rival's clusters is ahead, though their own intervals overlap."""
    rival = planted(0.5, 3)["g0"]
    better = {name: (min(3.0, a + (i % 2)), b) for i, (name, (a, b)) in enumerate(rival.items())}
    models = paired.resampled({"rival": rival, "better": better})
    lows = {name: sorted(model.values) for name, model in models.items()}
    assert lows["better"][25] < lows["rival"][-26]
    assert {name: place.rank for name, place in paired.places(models).items()} == {"better": 1, "rival": 2}


def test_equals_are_seldom_told_apart() -> None:
    """Of pairs of equally good models about one in twenty is ranked apart; of pairs that differ by .2 nearly all are."""

    def apart(a: float, b: float) -> float:
        told = 0
        for seed in range(100):
            models = paired.resampled({"a": planted(a, 2 * seed, 1, 60)["g0"], "b": planted(b, 2 * seed + 1, 1, 60)["g0"]})
            told += {place.rank for place in paired.places(models).values()} == {1, 2}
        return told / 100

    assert 0.01 <= apart(0.5, 0.5) <= 0.11
    assert apart(0.6, 0.4) >= 0.9


@pytest.mark.parametrize(("behind", "told"), [(25, True), (26, False)])
def test_rank_and_interval_agree(behind: int, told: bool) -> None:
    """A model beats another exactly where the interval of the difference begins above 0, to the very resample."""
    a = paired.Resampled(0.6, [0.5] * behind + [0.7] * (1000 - behind))
    b = paired.Resampled(0.5, [0.5] * 1000)
    assert paired.beats(a, b) is told
    assert (paired.difference(a, b).interval[0] > 0) is told
    assert not paired.beats(b, a)


def test_equal_models_share_the_first_rank(reports: dict[str, list[Data]]) -> None:
    """Two reports that are the same have one rank and no difference, in the order of their names."""
    report = reports["tracebench"][1]
    found = board(*(changed(report, submission={"model": name}) for name in ("b", "a")))
    assert [(m["name"], m["rank"], m["to_best"]["value"]) for m in found["models"]] == [("a", 1, 0), ("b", 1, 0)]


def test_ranks_of_a_group_are_of_its_clusters_alone(reports: dict[str, list[Data]]) -> None:
    """Who is better in one group and worse in the other is first there and last here."""
    good, bad = planted(0.9, 1), planted(0.3, 2)
    one = {"g0": good["g0"], "g1": bad["g1"]}
    other = {"g0": bad["g0"], "g1": good["g1"]}
    base = reports["twosat"][0]
    models = named(board(laid(base, one, "one"), laid(base, other, "other")))
    assert [models["one"]["groups"][g]["rank"] for g in ("g0", "g1")] == [1, 2]
    assert [models["other"]["groups"][g]["rank"] for g in ("g0", "g1")] == [2, 1]
    assert models["one"]["rank"] == models["other"]["rank"] == 1


# ---- What may not stand on one board ------------------------------------------------------------------------------


def saved(folder: Path, *values: Any) -> list[Path]:
    """Files with these JSON values."""
    paths = [folder / f"{i}.json" for i in range(len(values))]
    for path, value in zip(paths, values, strict=True):
        path.write_text(value if isinstance(value, str) else json.dumps(value))
    return paths


@pytest.mark.parametrize(
    ("part", "other"),
    [("digest", "0" * 16), ("verifier", "rb-verify-9"), ("parser", "json-9"), ("samples", "3"), ("text", "answer")],
)
def test_different_signatures_are_refused(part: str, other: str, reports: dict[str, list[Data]]) -> None:
    """Signatures that differ in any part that concerns the score are refused, naming the files, the part and both values."""
    first, second = reports["tracebench"][0], signed(reports["tracebench"][3], **{part: other})
    ours = dict(p.partition(":")[::2] for p in first["signature"].split("|")).get(part)
    with pytest.raises(UnusableInput, match=re.escape(f"0.json and 1.json cannot be compared: {part} is {ours} in the first")):
        board(first, second)
    with pytest.raises(UnusableInput, match=re.escape(f"and {other} in the second")):
        board(first, second)


def test_other_clusters_are_no_common_ground(reports: dict[str, list[Data]]) -> None:
    """Reports with other clusters, or clusters of other weights, are refused."""
    base = reports["tracebench"][0]
    one = {"g": {"a": (1.0, 2.0), "b": (1.0, 2.0)}}
    for other in ({"g": {"a": (1.0, 2.0), "c": (1.0, 2.0)}}, {"g": {"a": (1.0, 1.0), "b": (1.0, 2.0)}}):
        with pytest.raises(UnusableInput, match=r"0\.json and 1\.json have no common ground"):
            board(laid(base, one, "one"), laid(base, other, "other"))
    for dataset, parts in (("tracebench", {"correlation": curve([1], [0.5])}), ("twosat", {"cells": []})):
        report = reports[dataset][0]
        other = changed(report, submission={"model": "x"})
        other[dataset] |= parts
        with pytest.raises(UnusableInput, match="have no common ground"):
            board(report, other)


def test_other_baselines_are_refused(reports: dict[str, list[Data]]) -> None:
    """One release has one set of baselines."""
    first, second = reports["twosat"][0], changed(reports["twosat"][3], baselines={"x": {"score": 0.5}})
    with pytest.raises(UnusableInput, match="different baselines"):
        board(first, second)


def test_versions_and_configs_are_boards_of_their_own(reports: dict[str, list[Data]]) -> None:
    """Reports of other datasets, versions or configs are not refused: each has its own board."""
    base = reports["tracebench"][0]
    version = signed(changed(base, version="0.2.0"), v="0.2.0")
    config = signed(changed(base, config="deep"), config="deep")
    found = boards(base, version, config, reports["twosat"][0])["boards"]
    keys = [(each["dataset"], each["version"], each["config"]) for each in found]
    expected = [("0.1.0", "deep"), ("0.1.0", "default"), ("0.2.0", "default")]
    assert keys == [*(("tracebench", *each) for each in expected), ("twosat", "0.1.0", "default")]


def _cluster(report: Data) -> Data:
    group = next(iter(report["clusters"]))
    name = next(iter(report["clusters"][group]))
    return {**report["clusters"], group: {**report["clusters"][group], name: [0, 1]}}


def unscored(report: Data) -> Data:
    """The parts that say nothing was scored."""
    nothing = {"value": None, "n": 0, "interval": None}
    return {"score": None, "interval": None, "rates": report["rates"] | {"score": nothing}}


def rescored(report: Data, score: float) -> Data:
    """The parts that say another score, everywhere but in the clusters."""
    return {"score": score, "rates": report["rates"] | {"score": report["rates"]["score"] | {"value": score}}}


def curve(levels: list[int], means: list[float]) -> Data:
    """TRACE's correlation."""
    return {"levels": levels, "true_reasoning": means, "pearson_r": None}


BROKEN: dict[str, tuple[Any, str]] = {
    "no json": (lambda r: '{"id": 1}\n{"id": 2}', "is not JSON"),
    "nan": (lambda r: json.dumps(r).replace(f'"score": {r["score"]}', '"score": NaN', 1), "NaN is no number"),
    "no report": (lambda r: {"id": "x", "response": "y"}, "is no report"),
    "a number": (lambda r: 7, "is no report"),
    "no reports": (lambda r: [], "is no report"),
    "older": (lambda r: {k: v for k, v in r.items() if k != "clusters"}, "'clusters' is a required property"),
    "stranger": (lambda r: r | {"dataset": "other\x1b[31m"}, r"dataset 'other\?\[31m'"),
    "schema": (lambda r: r | {"n": -1}, r"is no report of this version \(\$\.n"),
    "own part": (lambda r: r | {"tracebench": {}}, r"\$\.tracebench"),
    "submission": (lambda r: r | {"submission": {"mode": "fast"}}, "is no report of this version"),
    "partial": (lambda r: r | {"partial": True}, "is partial"),
    "score": (lambda r: r | rescored(r, 0.999), "contradicts itself: the score is 0.999"),
    "clusters": (lambda r: r | {"clusters": _cluster(r)}, "contradicts itself: the score"),
    "groups": (lambda r: r | {"breakdown": r["breakdown"][1:]}, "different groups"),
    "columns": (lambda r: r | {"rates": {"score": r["rates"]["score"]}}, "it has no rates of accuracy"),
    "twice": (lambda r: r | {"interval": [0, 1]}, "its score is told twice"),
    "nothing": (lambda r: r | unscored(r), "nothing was scored"),
    "no share": (lambda r: r | {"rates": r["rates"] | {"accuracy": {"value": 7, "n": 1, "interval": None}}}, r"\$\.rates"),
    "infinite": (lambda r: r | {"clusters": {g: {"c": [1e300, 1e300]} for g in r["clusters"]}}, r"\$\.clusters"),
    "levels": (lambda r: r | {"tracebench": {"correlation": curve([1, 2], [0.5])}}, "not a mean for each level"),
    "counts": (lambda r: r | {"n": r["n"] + 1}, "counts do not add up"),
    "signature": (lambda r: signed(r, config="deep"), "its signature has config 'deep'"),
    "digest": (lambda r: r | {"content_digest": "0" * 64}, "its signature has digest"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_report_is_refused(case: str, reports: dict[str, list[Data]], tmp_path: Path) -> None:
    """One sentence names the file and what is wrong with it."""
    make, phrase = BROKEN[case]
    (path,) = saved(tmp_path, make(reports["tracebench"][3]))
    with pytest.raises(UnusableInput, match=phrase) as caught:
        read([path])
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_names_of_models(reports: dict[str, list[Data]], tmp_path: Path) -> None:
    """A model is named by its submission, else by its file; the mode tells two of one name apart, else both are refused."""
    base = reports["tracebench"][1]
    said: list[Data] = [{}, {"model": "M"}, {"model": "N", "mode": "long"}, {"model": "N", "mode": "short"}, {"model": " \n"}]
    values = [changed(base, submission=each) for each in said]
    (field,) = gathered_files(saved(tmp_path, *values))
    assert [entrant.name for entrant in field] == ["0", "4", "M", "N · long", "N · short"]
    (tmp_path / "again").mkdir()
    paths = saved(tmp_path / "again", values[1], values[1])
    with pytest.raises(UnusableInput, match=r"0\.json and .*1\.json are both of a model 'M': tell them apart by model or mode"):
        gathered_files(paths)


def gathered_files(paths: list[Path]) -> list[list[Any]]:
    """The entrants of the fields of files."""
    from rb_verify.comparable import fields

    return [field.entrants for field in fields(read(paths))]


def test_file_may_hold_several_reports(reports: dict[str, list[Data]], tmp_path: Path) -> None:
    """An array of reports is as many reports."""
    (path,) = saved(tmp_path, [reports["tracebench"][3], reports["twosat"][3]])
    assert [entrant.report["dataset"] for entrant in read([path])] == ["tracebench", "twosat"]


# ---- What is compared ---------------------------------------------------------------------------------------------


def test_true_reasoning_by_level(reports: dict[str, list[Data]]) -> None:
    """The average is the mean over the models of each level, its r SciPy's (TRACE, Figure 2)."""
    curves = {"a": [0.9, 0.7, 0.5, 0.1], "b": [0.5, 0.5, 0.3, 0.2]}
    base = reports["tracebench"][1]
    values = []
    for name, curve in curves.items():
        own = {"correlation": {"levels": [10, 45, 80, 115], "true_reasoning": curve, "pearson_r": -0.5}}
        values.append(changed(base, submission={"model": name}, tracebench=own))
    own = board(*values)["comparison"]["tracebench"]
    average = [0.7, 0.6, 0.4, 0.15]
    assert own["average"]["true_reasoning"] == average
    assert own["average"]["pearson_r"] == round(scipy_stats.pearsonr([10, 45, 80, 115], average).statistic, 4)
    assert {name: each["true_reasoning"] for name, each in own["models"].items()} == curves
    (table,) = (t for t in tables(board(*values)) if "Figure 2" in t.title)
    assert table.rows[-1] == ["average", "70.00", "60.00", "40.00", "15.00", f"{own['average']['pearson_r']:.2f}"]


def test_average_over_an_unscored_level_is_none(reports: dict[str, list[Data]]) -> None:
    """Where a level has no mean the average has none, and r is not testable."""
    own = {"correlation": {"levels": [1, 2, 3], "true_reasoning": [0.5, None, 0.1], "pearson_r": None}}
    found = board(changed(reports["tracebench"][1], tracebench=own))["comparison"]["tracebench"]["average"]
    assert found == {"true_reasoning": [0.5, None, 0.1], "pearson_r": None}


def test_schemes_and_cells(reports: dict[str, list[Data]], made: dict[str, Data]) -> None:
    """Decisions by scheme and by family and size are the reports' own; without stories the board says what is not there."""
    found = made["twosat"]
    own = found["comparison"]["twosat"]
    perfect = reports["twosat"][3]["twosat"]
    assert {each["scheme"]: each["sat"]["perfect"] for each in own["schemes"]} == {
        e["scheme"]: e["sat"] for e in perfect["schemes"]
    }
    cells = {(each["family"], each["clauses"]): each["sat"]["perfect"] for each in own["cells"]}
    assert cells == {(each["family"], each["clauses"]): each["sat"] for each in perfect["cells"]}
    assert len(cells) == 4
    assert [note for note in notes(found) if "stories" in note]


def test_themes_are_compared_with_templates(reports: dict[str, list[Data]]) -> None:
    """A scheme that is no template is a story's theme, and stands beside the mean of the templates."""
    base = reports["twosat"][1]
    rate = {"n": 10, "interval": [0, 1]}
    values = {"logic": 0.9, "room": 0.7, "detective": 0.4}
    schemes = [
        {"scheme": name, "sat": {"value": value, **rate}, "witness": {"value": 1, **rate}, "score": {"value": value, **rate}}
        for name, value in values.items()
    ]
    found = board(changed(base, twosat={**base["twosat"], "schemes": schemes}))
    (table,) = (t for t in tables(found) if t.title.startswith("Template against story"))
    assert table.columns == ["model", "templates", "detective"]
    assert table.rows[0][1:] == ["80.00", "40.00"]
    assert notes(found) == []


def level_report(base: Data, model: str, depth: float, tokens: float, **said: Any) -> Data:
    """A ReEfBench report of a model whose depth and tokens at the hardest level are these, and half at the one below."""
    metrics = base["reefbench"]["levels"][0]["metrics"]
    levels = [
        {"level": level, "n": 4, "metrics": metrics | {"max_depth": depth * share, "tokens": tokens * share}}
        for level, share in ((10, 0.5), (11, 1.0))
    ]
    parts = {name: dict.fromkeys(names, 0.5) for name, names in archetypes.COMPONENTS.items()}
    parts["logical_depth"] = {"max_depth": depth}
    parts["cost"] = dict.fromkeys(archetypes.COMPONENTS["cost"], tokens)
    hardest = {"level": 11, "n": 4, "logical_depth": depth / 11, "components": parts}
    own = base["reefbench"] | {"levels": levels, "hardest": hardest}
    return changed(base, reefbench=own, submission={"model": model, **said})


CORNERS = {"deep": (10.0, 900.0), "solver": (9.5, 90.0), "mimic": (1.0, 850.0), "lazy": (0.5, 50.0)}


def test_plane_of_archetypes(reports: dict[str, list[Data]]) -> None:
    """Four models at the corners have the corners' archetypes, each at its own centroid with confidence 1."""
    values = [level_report(reports["reefbench"][3], name, *at) for name, at in CORNERS.items()]
    plane = board(*values)["comparison"]["reefbench"]["plane"]
    expected = {"deep": "deep_wanderer", "solver": "effective_solver", "mimic": "hollow_mimic", "lazy": "lazy_guesser"}
    assert {name: each["archetype"] for name, each in plane["models"].items()} == expected
    for name, (depth, cost) in CORNERS.items():
        each = plane["models"][name]
        assert each["confidence"] == 1
        assert (each["scores"]["logical_depth"], each["scores"]["cost"]) == pytest.approx((depth / 10, cost / 900))
        assert plane["centroids"][expected[name]] == pytest.approx([depth / 10, cost / 900], abs=1e-6)
    assert plane["level"] == 11


def test_no_plane_says_why(reports: dict[str, list[Data]]) -> None:
    """Fewer than four models, or other counters of tokens, leave the scores compared and the plane out, with a sentence."""
    values = [level_report(reports["reefbench"][3], name, *at) for name, at in CORNERS.items()]
    assert "need at least four models" in board(*values[:3])["comparison"]["reefbench"]["no_plane"]
    mixed_up = board(*values[:3], signed(values[3], tokens="usage"))
    own = mixed_up["comparison"]["reefbench"]
    assert own["plane"] is None
    assert "tokens are counted for deep and usage for lazy" in own["no_plane"]
    assert len(mixed_up["models"]) == 4
    assert "tokens:" not in mixed_up["signature"]
    assert notes(mixed_up) == [own["no_plane"]]


def test_modes_of_one_model(reports: dict[str, list[Data]]) -> None:
    """What the long mode gains is that of ``modes``, and the pair's scores are compared on the same clusters."""
    base = reports["reefbench"][3]
    long = level_report(base, "M", 8.0, 3000.0, mode="long")
    short = level_report(reports["reefbench"][1], "M", 5.0, 1000.0, mode="short")
    stranger = level_report(base, "other", 5.0, 1000.0, mode="short")
    own = board(long, short, stranger)["comparison"]
    expected = modes.delta(modes.Mode(depth=6.0, tokens=2250.0), modes.Mode(depth=3.75, tokens=750.0))
    (gain,) = own["reefbench"]["modes"]
    assert (gain["first"], gain["second"]) == ("M · long", "M · short")
    assert (gain["depth"], gain["tokens"]) == pytest.approx(tuple(expected))
    (pair,) = own["pairs"]
    assert pair["kind"] == "long against short"
    assert pair["difference"]["value"] == pytest.approx(base["score"] - reports["reefbench"][1]["score"], abs=1e-6)


@pytest.mark.parametrize("dataset", DATASETS)
def test_students_and_what_is_said(dataset: str, reports: dict[str, list[Data]], made: dict[str, Data]) -> None:
    """Students stand beside their teachers; scores are averaged by what at least two values are said of."""
    own = made[dataset]["comparison"]
    pairs = {(pair["kind"], pair["first"], pair["second"]) for pair in own["pairs"]}
    assert pairs == {
        ("long against short", "mixed · long", "mixed · short"),
        ("student against teacher", "mixed · long", "perfect"),
    }
    said = {by["said"]: {v["value"]: (v["models"], v["mean"]) for v in by["values"]} for by in own["said"]}
    scores = [report["score"] for report in reports[dataset]]
    assert said["source"] == {"closed": (1, 1.0), "open": (2, round(fmean(scores[1:3]), 6))}
    assert set(said) == {"source", "mode"}


def test_samples(reports: dict[str, list[Data]]) -> None:
    """Pass@k and the majority are shown where reports have several samples."""
    rate = {"value": 0.5, "n": 10, "interval": [0.4, 0.6]}
    over = {"pass": [{"k": k, **rate, "value": 0.1 * k} for k in (1, 2)], "majority": rate}
    (table,) = (
        t for t in tables(board(changed(reports["twosat"][1], over_samples=over))) if t.title.startswith("Over samples")
    )
    assert table.columns[1:] == ["pass@1", "pass@2", "majority's accuracy"]
    assert table.rows[0][1:] == ["10.00", "20.00", "50.00"]


# ---- Published results --------------------------------------------------------------------------------------------


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


# ---- Files --------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The elements of a page by name, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


@pytest.fixture(scope="module")
def hostile(reports: dict[str, list[Data]]) -> Data:
    """Boards of every dataset with models whose submissions are hostile throughout."""
    said = {"organisation": '=HYPERLINK("x")', "training": EVIL, "data": "+1", "teacher": EVIL, "notes": EVIL, "mode": "long"}
    others = {"organisation": "@x", "training": "-1", "data": "\t=1", "model": "=cmd|' /C calc'!A0", "mode": "short"}
    values = []
    for dataset in DATASETS:
        values += [
            changed(reports[dataset][1], submission=said | {"model": EVIL}),
            changed(reports[dataset][2], submission=others),
            changed(reports[dataset][0], submission={"model": "plain"}),
        ]
    return compare(gathered(*values), references(DATASETS))


def test_hostile_text_is_no_markup_of_the_page(hostile: Data) -> None:
    """The page has no elements but its own, none of which loads or runs a thing, and shows hostile text as text."""
    page = Page(documents(hostile)["index.html"])
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"img", "image", "iframe", "link", "object", "embed", "base"}
    assert [attrs.get("type") for tag, attrs in page.tags if tag == "script"] == ["application/json", None]
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert {attrs.get("href") for tag, attrs in page.tags if tag == "a"} == {"#main"}
    assert EVIL.replace("\u202e", "\\u202e") in page.text
    assert "\u202e" not in page.text


def test_hostile_text_is_no_formula(hostile: Data) -> None:
    """No text cell of the CSV begins as a formula; numbers, also negative ones, are as they are."""
    lines = list(csv.DictReader(io.StringIO(to_csv(hostile))))
    numbers = {"rank", "score", "score_low", "score_high", "to_best", "to_best_low", "to_best_high", "n", "value", "accuracy"}
    negative = 0
    for line in lines:
        for head, cell in line.items():
            if head in numbers and cell:
                negative += float(cell) < 0
            else:
                assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r"), (head, cell)
    assert negative
    assert "'=cmd|' /C calc'!A0 " not in [line["model"] for line in lines]
    assert "'=cmd|' /C calc'!A0" in [line["model"] for line in lines]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1", "'=1"),
        ("\t=1", "'=1"),
        ("＝1", "'＝1"),
        ("a=1", "a=1"),
        ("\r\n@x", "'@x"),
        ("-", "'-"),
        (-0.5, "-0.5"),
        (3, "3"),
        (None, ""),
        ("a\nb\u202ec", "a b\\u202ec"),
    ],
)
def test_csv_cells(value: Any, cell: str) -> None:
    """Texts that begin as formulas get an apostrophe; numbers do not."""
    assert csv_cell(value) == cell


def test_hostile_text_is_no_markup_of_markdown(hostile: Data) -> None:
    """Rendered with raw HTML allowed, the Markdown has no elements but tables, headings and bold, and the text is shown."""
    rendered = Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(to_markdown(hostile)))
    table = {"table", "thead", "tbody", "tr", "th", "td"}
    assert {tag for tag, _ in rendered.tags} <= table | {"p", "strong", "h2"}
    assert EVIL.replace("\u202e", "\\u202e") in rendered.text.replace("\u200b", "")
    width = {}
    for line in to_markdown(hostile).split("\n"):
        if line.startswith("| "):
            cells = len(re.findall(r"(?<!\\)\|", line)) - 1
            width.setdefault("now", cells)
            assert cells == width["now"], line
        else:
            width.clear()


def test_markdown_cells() -> None:
    """Addresses and mentions do not become links."""
    assert markdown_cell("https://x @me www.x") == "https&#8203;://x @&#8203;me www&#8203;.x"
    assert markdown_cell("a|b_c __d__ _e") == r"a\|b_c \_\_d\_\_ \_e"


def test_json_is_the_boards(hostile: Data) -> None:
    """board.json reads back as the data, keeps its schema, and has no character that a terminal would obey."""
    text = to_json(hostile)
    assert json.loads(text) == json.loads(json.dumps(hostile))
    assert violations(json.loads(text), "board") == []
    assert text.isascii()


def test_csv_has_every_figure(made: dict[str, Data]) -> None:
    """A line for each model and level, with the board's numbers."""
    found = made["reefbench"]
    data = {"boards": [found], "references": []}
    lines = {
        (line["model"], line["level"]): line for line in csv.DictReader(io.StringIO(to_csv(data))) if line["kind"] == "model"
    }
    assert len(lines) == 4 * (1 + len(found["groups"]))
    for model in found["models"]:
        for level, at in {"all": model, **model["groups"]}.items():
            line = lines[model["name"], level]
            assert float(line["score"]) == at["rates"]["score"]["value"]
            assert int(line["rank"]) == at["rank"]
            assert float(line["to_best_low"]) == at["to_best"]["interval"][0]
            assert float(line["main_accuracy"]) == at["rates"]["main_accuracy"]["value"]


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file in the folder's place, or a folder in a file's, is said; no half of a file is left."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full" / "board.md").mkdir(parents=True)
    for place in ("file", "file/below", "full"):
        with pytest.raises(UnusableInput, match=rf"{place}[^ ]*: cannot be written .*name another folder"):
            write(tmp_path / place, {"board.csv": "x", "board.md": "y"})
    assert (tmp_path / "file").read_text() == "mine"
    assert not list((tmp_path / "full").glob(".*"))


def test_order_of_files_does_not_matter(reports: dict[str, list[Data]]) -> None:
    """The same reports in another order give the same bytes."""
    values = [report for dataset in DATASETS for report in reports[dataset][:3]]
    texts = [to_json(compare([f._replace(entrants=strip(f.entrants)) for f in gathered(*v)])) for v in (values, values[::-1])]
    assert texts[0] == texts[1]


def strip(entrants: list[Any]) -> list[Any]:
    """Entrants without the names of their files, which here tell the order."""
    return [entrant._replace(file="report.json") for entrant in entrants]


def test_schemas_are_sound() -> None:
    """The schemas of boards and of what is compared are JSON Schemas."""
    from jsonschema import Draft202012Validator

    for name in ("board", "compared"):
        Draft202012Validator.check_schema(schema(name))


def test_seed_and_level_are_those_of_reports() -> None:
    """The tail that ranks leave out is that of the reports' intervals."""
    assert (paired.TAIL, stats.RESAMPLES) == (25, 1000)
