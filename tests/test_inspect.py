"""Tasks for Inspect AI, run to the end with a scripted model and no network: its numbers are rb-verify's."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rb_verify import evaluate, harness
from rb_verify.datasets import SCORERS
from rb_verify.report import Report

pytestmark = [pytest.mark.harness, pytest.mark.usefixtures("offline")]


def _run(name: str, script: Path, logs: Path, **options: Any) -> Any:
    """The log of a task, run in this process."""
    import inspect_ai
    from inspect_ai.model import get_model

    import scripted_inspect  # noqa: F401  it registers the model

    model = get_model("scripted/model", script=str(script), memoize=False)
    [log] = inspect_ai.eval(f"rb_verify/{name}", model=model, display="none", log_dir=str(logs), **options)
    return log


def _numbers(results: Any) -> dict[str, dict[str, float]]:
    """The metrics of every column of a log, by their short names."""
    found = {}
    for score in results.scores:
        metrics = {name.rpartition("/")[2]: metric.value for name, metric in score.metrics.items()}
        found[score.name] = {name: value for name, value in metrics.items() if not math.isnan(value)}
    return found


def _expected(report: Report) -> dict[str, dict[str, float]]:
    """The same numbers by a report."""
    found = {}
    for column in SCORERS[report.data["dataset"]].COLUMNS:
        rate = report.data["rates"][column.name]
        low, high = rate["interval"] or (None, None)
        metrics = {"rate": rate["value"], "interval_low": low, "interval_high": high, "interval_of": rate["n"]}
        metrics |= {f"by_group_{each['group']}": each[column.name]["value"] for each in report.data["breakdown"]}
        found[column.name] = {name: value for name, value in metrics.items() if value is not None}
    return found


@pytest.mark.parametrize(
    ("dataset", "config", "options"),
    [
        ("tracebench", "default", {"log_format": "json"}),
        ("tracebench", "deep", {"epochs": 2}),
        ("twosat", "default", {"limit": 60}),
        ("reefbench", "default", {}),
        ("reefbench", "default", {"epochs": 2, "limit": 7}),
        ("reefbench", "main", {"limit": 5, "log_format": "json"}),
    ],
    ids=str,
)
def test_the_log_of_a_task_has_the_numbers_that_rb_verify_gives_for_it(
    dataset: str, config: str, options: dict[str, Any], scripted: Path, script: Path, tmp_path: Path
) -> None:
    """Every column's rate, interval, n and rate by group are rb-verify's, over epochs and under a limit too."""
    log = _run(harness.task_name(dataset, config), script, tmp_path, **options)
    assert log.status == "success", log.error
    partial = "limit" in options
    report = evaluate(log.location, scripted / dataset / harness.VERSION, config=config, partial=partial)
    assert report.complete, report.data["problems"][:3]
    assert _numbers(log.results) == _expected(report)
    assert report.data["samples"] == options.get("epochs", 1)
    assert 0 < report.data["rates"]["accuracy"]["value"] < 1, "the script should have good and bad responses"
    assert {"correct", "unparsed"} <= {status for status, count in report.data["counts"].items() if count}


def test_a_score_tells_the_verdict_in_words_and_its_evidence(script: Path, tmp_path: Path) -> None:
    """A sample's score holds each column, the answer, rb-verify's words and its evidence; the sample, what it groups by."""
    log = _run("reefbench", script, tmp_path, limit=4)
    sample = next(each for each in log.samples if each.scores["reefbench_verdict"].metadata["status"] == "correct")
    score = sample.scores["reefbench_verdict"]
    assert score.value["accuracy"] == score.value["score"] == 1.0
    assert [score.value["main_accuracy"], score.value["contrast_accuracy"]].count(None) == 1
    assert score.answer == sample.target
    assert score.explanation.startswith(f"{sample.id} (sample 0): correct, ")
    assert score.metadata["nodes"]
    assert json.loads(sample.metadata["row"])["id"] == sample.id
    assert (sample.metadata["level"], sample.metadata["cluster_rows"]) == (3, 2)


def test_a_limit_takes_whole_pairs(script: Path, tmp_path: Path) -> None:
    """The rows of a pair follow one another, and one whose other row is not asked does not count."""
    log = _run("reefbench", script, tmp_path, limit=5)
    assert _numbers(log.results)["score"]["interval_of"] == 2


def test_the_mean_over_epochs_stays_whatever_the_reducer_is(script: Path, tmp_path: Path) -> None:
    """Reducers do not concern rb_verify's rates."""
    from inspect_ai import Epochs

    mean = _run("tracebench_deep", script, tmp_path, epochs=2)
    most = _run("tracebench_deep", script, tmp_path, epochs=Epochs(2, "max"))
    assert _numbers(mean.results) == _numbers(most.results)


def test_a_log_can_be_scored_again(script: Path, tmp_path: Path) -> None:
    """A log holds all that scoring needs, so that later versions of the scorer can be applied without the release."""
    import inspect_ai
    from inspect_ai._util.registry import registry_create

    log = _run("reefbench", script, tmp_path, limit=4)
    again = inspect_ai.score(log, registry_create("scorer", "rb_verify/reefbench_verdict"), action="overwrite", display="none")
    assert _numbers(again.results) == _numbers(log.results)


def test_a_sample_that_a_limit_ended_counts_as_rb_verify_counts_it(scripted: Path, script: Path, tmp_path: Path) -> None:
    """Where a limit ends a sample before any output, it is unparsed in both."""
    log = _run("tracebench_deep", script, tmp_path, limit=3, time_limit=0)
    assert {sample.limit.type for sample in log.samples} == {"time"}
    report = evaluate(log.location, scripted / "tracebench" / harness.VERSION, config="deep", partial=True)
    assert report.data["counts"]["unparsed"] == 3
    assert _numbers(log.results) == _expected(report)


def test_samples_that_failed_are_left_out_as_by_partial(scripted: Path, script: Path, tmp_path: Path) -> None:
    """A sample whose model fails has no score in Inspect: the rates are rb-verify's with --partial, a pair in part left out."""
    said = json.loads(script.read_bytes())
    failing = harness.documents("reefbench", "level_03")[1]
    said[failing.prompt] = [["no connection", None, "error"]] * 3
    (tmp_path / "script.json").write_text(json.dumps(said))
    log = _run("reefbench_level_03", tmp_path / "script.json", tmp_path, fail_on_error=False)
    assert [sample.id for sample in log.samples if sample.error] == [failing.id]
    report = evaluate(log.location, scripted / "reefbench" / harness.VERSION, config="level_03", partial=True)
    assert report.data["left_out"] == 1
    assert _numbers(log.results) == _expected(report)
    assert _numbers(log.results)["score"]["interval_of"] == 3


def test_several_choices_are_refused_with_the_cure(script: Path, tmp_path: Path) -> None:
    """Rates of several choices a sample would not be those of the log: the sample fails, and says what to do."""
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    output = ModelOutput.from_content("mockllm/model", "x")
    output.choices, output.usage = output.choices * 2, ModelUsage()
    model = get_model("mockllm/model", custom_outputs=[output], memoize=False)
    [log] = inspect_ai.eval("rb_verify/tracebench", model=model, display="none", log_dir=str(tmp_path), limit=1)
    assert log.status == "error"
    assert "--epochs" in log.error.message


@pytest.mark.parametrize("wrong", ["nowhere", "another dataset", "damaged"])
def test_a_release_that_cannot_be_used_is_told_of_in_one_sentence(
    wrong: str, scripted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What Inspect raises is what it shows without a traceback, and names the cure."""
    from inspect_ai._util.error import PrerequisiteError

    from rb_verify import inspect_tasks

    if wrong == "damaged":
        shutil.copytree(scripted / "tracebench" / harness.VERSION, tmp_path / wrong)
        (tmp_path / wrong / "data" / "d010.jsonl").write_text("")
    elif wrong == "another dataset":
        (tmp_path / wrong).symlink_to(scripted / "twosat" / harness.VERSION)
    create = next(task for task in inspect_tasks.TASKS if _name(task) == "rb_verify/tracebench")
    with pytest.raises(PrerequisiteError) as raised:
        create(release=str(tmp_path / wrong))
    cure = {"nowhere": "-T release", "another dataset": "name one of tracebench", "damaged": "download the release again"}
    assert cure[wrong] in str(raised.value.message)


def _name(task: Any) -> str:
    from inspect_ai._util.registry import registry_info

    return registry_info(task).name


def test_every_config_is_a_task() -> None:
    """There is a task for each dataset and config, and for nothing else."""
    from rb_verify import inspect_tasks

    names = {harness.task_name(dataset, config) for dataset, configs in harness.CONFIGS.items() for config in configs}
    assert {_name(task) for task in inspect_tasks.TASKS} == {f"rb_verify/{name}" for name in names}


def test_the_command_finds_a_task_by_its_entry_point(scripted: Path, script: Path, tmp_path: Path) -> None:
    """``inspect eval rb_verify/reefbench`` in a process of its own, with a release named, and limits of its own."""
    from scripted_inspect import install

    install(tmp_path)
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parent)])
    release = scripted / "reefbench" / harness.VERSION
    command = [sys.executable, "-m", "inspect_ai", "eval", "rb_verify/reefbench_level_03", "--model", "scripted/model"]
    command += ["-M", f"script={script}", "-T", f"release={release}", "--display", "plain", "--log-dir", "logs"]
    environment = os.environ | {"PYTHONPATH": paths, "RB_RELEASES": "", "INSPECT_LOG_FORMAT": "eval"}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    [log] = (tmp_path / "logs").glob("*.eval")
    report = evaluate(log, release, config="level_03")
    assert report.complete
    from inspect_ai.log import read_eval_log

    assert _numbers(read_eval_log(str(log), header_only=True).results) == _expected(report)
