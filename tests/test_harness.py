"""What the tasks for Inspect AI and lm-eval have in common, without either of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rb_verify import harness, lm_eval_tasks
from rb_verify.datasets import SCORERS
from rb_verify.errors import UnusableInput
from rb_verify.harness import Counted
from rb_verify.release import read_manifest
from rb_verify.tally import Column, Entry
from rb_verify.verdict import Outcome

REPO = Path(__file__).resolve().parents[1]
CONFIGS = [(dataset, config) for dataset, configs in harness.CONFIGS.items() for config in configs]


@pytest.mark.parametrize("dataset", harness.CONFIGS)
def test_every_config_of_the_frozen_release_that_is_scored_is_known(dataset: str) -> None:
    """A harness has a task for each config with a test split, and for nothing else."""
    manifest = read_manifest(REPO / "releases" / dataset / harness.VERSION)
    scored = {config for config, splits in manifest["configs"].items() if "test" in splits}
    assert set(harness.CONFIGS[dataset]) == scored


@pytest.mark.parametrize("dataset", harness.CONFIGS)
def test_models_are_asked_as_the_card_recommends(dataset: str) -> None:
    """The card's recommended settings name the budget, and temperature 0 exactly where that is asked for."""
    card = (REPO / "cards" / f"{dataset}.md").read_text()
    recommended = card.partition("## Recommended settings")[2].partition(".")[0]
    settings = harness.SETTINGS[dataset]
    assert f"{settings.max_tokens:,} new tokens" in recommended
    assert ("Temperature 0" in recommended) == (settings.temperature == 0)


class _Loader(yaml.SafeLoader):
    """Reads lm-eval's YAML, with functions as their names."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node).rpartition(".")[2])


def _task(path: Path) -> dict[str, Any]:
    """A YAML task with what it includes."""
    task = yaml.load(path.read_text(), _Loader)
    return _task(path.parent / task.pop("include")) | task if "include" in task else task


def test_every_config_has_a_yaml_task_of_its_own() -> None:
    """The YAML tasks are the datasets' configs, with the columns of their scorers as metrics and the cards' settings."""
    paths = {path.stem: path for path in harness.lm_eval_path().glob("*.yaml")}
    expected = {harness.task_name(dataset, config): (dataset, config) for dataset, config in CONFIGS}
    assert {name for name in paths if not name.startswith("_") and "-" not in name} == set(expected)
    for name, (dataset, config) in expected.items():
        task, settings = _task(paths[name]), harness.SETTINGS[dataset]
        assert (task["task"], task["dataset_kwargs"]) == (name, {"dataset": dataset, "config": config})
        joint = {metric["metric"]: metric["aggregation"] == "joint_rate" for metric in task["metric_list"]}
        assert joint == {column.name: column.jointly for column in SCORERS[dataset].COLUMNS}
        asked = {"until": [], "max_gen_toks": settings.max_tokens}
        greedy = {} if settings.temperature is None else {"do_sample": False, "temperature": settings.temperature}
        assert task["generation_kwargs"] == asked | greedy
        assert task["metadata"]["version"] == harness.VERSION


def test_groups_are_of_tasks_that_are_there() -> None:
    """Of a group of all, no config is part of another, and together they have every test row; groups of levels have each."""
    groups = {path.stem: _task(path) for path in harness.lm_eval_path().glob("*-*.yaml")}
    assert set(groups) == {"reefbench-all", "reefbench-levels", "tracebench-all", "tracebench-levels", "twosat-all"}
    names = {harness.task_name(dataset, config): (dataset, config) for dataset, config in CONFIGS}
    for name, group in groups.items():
        assert group["group"] == name
        dataset, _, kind = name.partition("-")
        configs = [config for task in group["task"] for of, config in [names[task]] if of == dataset]
        assert len(configs) == len(group["task"])
        splits = read_manifest(REPO / "releases" / dataset / harness.VERSION)["configs"]
        files = {config: set(parts["test"]) for config, parts in splits.items() if "test" in parts}
        assert not [(a, b) for a in configs for b in configs if a != b and files[a] <= files[b]]
        whole = set().union(*files.values()) if kind == "all" else files["default"]
        assert set().union(*(files[config] for config in configs)) == whole


def test_tasks_that_the_documentation_names_are_there() -> None:
    """Every task and group of docs/harness.md has a YAML file."""
    text = (REPO / "docs" / "harness.md").read_text("utf-8")
    pattern = rf"\b(?:{'|'.join(harness.CONFIGS)})(?:_\w+|-(?:all|levels))?(?=[` .])"
    named = set(re.findall(pattern, text)) - {"tracebench_deep_4", "tracebench_deep_DATE"}
    assert {"tracebench", "twosat_sweeps", "reefbench_level_03", "twosat-all"} <= named
    assert named <= {path.stem for path in harness.lm_eval_path().glob("*.yaml")}


def test_rows_of_a_pair_follow_one_another(reefbench_release: Path) -> None:
    """All rows of a config are there once, clusters whole one after the other, in the order of the release."""
    documents = harness.documents("reefbench", "default", str(reefbench_release))
    assert len({document.id for document in documents}) == len(documents) == 1800
    assert all(one.cluster == other.cluster for one, other in zip(documents[::2], documents[1::2], strict=True))
    assert {document.cluster_rows for document in documents} == {2}
    assert documents[0].id == "reefbench-1-0-0-l03-i000-main"
    document = next(document for document in documents if document.target == "Unknown")
    row = json.loads(document.row)
    assert (row["id"], row["prompt"], str(row["level"])) == (document.id, document.prompt, document.group)


def test_a_release_of_another_dataset_is_refused(reefbench_release: Path) -> None:
    """The sentence names the release, what it is of and the cure."""
    with pytest.raises(UnusableInput, match=r"is a release of reefbench; name one of twosat, or run a task of reefbench"):
        harness.documents("twosat", "default", str(reefbench_release))


@given(st.data())
def test_rates_are_those_of_a_column(data: st.DataObject) -> None:
    """What is counted one by one, as harnesses do, has the rate of a column over tallied entries; jointly counted or not."""
    sizes = {f"c{i}": data.draw(st.integers(1, 3)) for i in range(data.draw(st.integers(1, 4)))}
    rows = [{"id": f"{name}-{i}", "cluster": name} for name, size in sizes.items() for i in range(size)]
    said = data.draw(st.lists(st.tuples(st.sampled_from(rows), st.integers(0, 1))))
    jointly = data.draw(st.booleans())
    tally = Counter((row["id"], score) for row, score in said)
    entries = [
        Entry(next(row for row in rows if row["id"] == id_), Outcome("", "", score), n) for (id_, score), n in tally.items()
    ]
    column = Column("", lambda outcome: outcome.score, jointly=jointly)
    counted = [Counted(row["id"], row["cluster"], sizes[row["cluster"]], float(score)) for row, score in said]
    assert harness.rate(counted, jointly) == column.rate(entries, lambda row: row["cluster"], sizes)


def _document(row: dict[str, Any]) -> dict[str, Any]:
    return {"cluster": SCORERS["reefbench"].cluster(row), "cluster_rows": 2, "row": json.dumps(row)}


def test_a_document_counts_in_the_columns_that_apply_to_it(reefbench_rows: dict[str, list[dict[str, Any]]]) -> None:
    """Every response to a document counts; a column that does not apply to its row gets nothing of it."""
    row = reefbench_rows["main03"][0]
    counted = lm_eval_tasks.judge(_document(row), [[SCORERS["reefbench"].perfect(row), "no answer"]])
    values = {name: [each["value"] for each in some] for name, some in counted.items()}
    assert values == {"score": [1, 0], "accuracy": [1, 0], "main_accuracy": [1, 0], "contrast_accuracy": []}
    assert lm_eval_tasks.rate([counted["accuracy"]]) == 0.5


def test_pairs_count_jointly_and_halves_of_them_do_not(reefbench_rows: dict[str, list[dict[str, Any]]]) -> None:
    """A pair is right if both of its rows are; a pair of which one row was asked is left out."""
    rows = [*reefbench_rows["main03"][:2], reefbench_rows["contrast03"][0]]
    counted = [lm_eval_tasks.judge(_document(row), [[SCORERS["reefbench"].perfect(row)]])["score"] for row in rows]
    assert lm_eval_tasks.joint_rate(counted) == 1.0
    counted[2][0]["value"] = 0.0
    assert lm_eval_tasks.joint_rate(counted) == 0.0


def test_what_cannot_be_read_counts_as_missing(reefbench_rows: dict[str, list[dict[str, Any]]]) -> None:
    """A response that rb-verify would list as a bad line scores nothing in a harness, and the verdict says why."""
    row = reefbench_rows["main03"][0]
    [verdict] = harness.verdicts(row, {"doc": {"id": row["id"]}, "resps": [["\ud800"]]})
    assert (verdict.status, verdict.score) == ("missing", 0)
    assert "surrogate" in verdict.evidence["note"]


def test_inspect_tasks_without_inspect_say_what_to_install() -> None:
    """Importing the tasks where Inspect AI is not there names the extra."""
    code = "import sys; sys.modules['inspect_ai'] = None; import rb_verify.inspect_tasks"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "run pip install 'rb-verify[inspect]'" in run.stderr.splitlines()[-1]
