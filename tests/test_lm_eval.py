"""Tasks for lm-eval, run to the end with scripted models and no network: its numbers are rb-verify's."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rb_verify import evaluate, harness
from rb_verify.datasets import SCORERS
from rb_verify.errors import UnusableInput
from scripted_model import Script, chat_server

pytestmark = [pytest.mark.harness, pytest.mark.usefixtures("offline")]


def _model(script: Path, requests: list[Any]) -> Any:
    """The scripted model in this process; it notes the requests that it gets."""
    from lm_eval.api.model import LM

    class Scripted(LM):
        def __init__(self) -> None:
            super().__init__()
            self.script = Script(script)

        def generate_until(self, asked: list[Any], disable_tqdm: bool = False) -> list[str]:
            requests.extend(each.args for each in asked)
            return [self.script(each.args[0]).text for each in asked]

        def loglikelihood(self, asked: list[Any], disable_tqdm: bool = False) -> list[Any]:
            raise NotImplementedError

        def loglikelihood_rolling(self, asked: list[Any], disable_tqdm: bool = False) -> list[Any]:
            raise NotImplementedError

    return Scripted()


def _run(names: list[str], model: Any, folder: Path, more: Path | None = None, **options: Any) -> Any:
    """The results of tasks, run in this process with their samples logged in a folder. ``more``: a second include path."""
    import lm_eval
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    include = [str(path) for path in (harness.lm_eval_path(), more) if path]
    manager = TaskManager(include_path=include, include_defaults=False, metadata={"model": "of the model's arguments"})
    tracker = EvaluationTracker(output_path=str(folder))
    options |= {"task_manager": manager, "log_samples": True, "evaluation_tracker": tracker}
    results = lm_eval.simple_evaluate(model, tasks=names, **options)
    tracker.save_results_aggregated({}, results["samples"])  # it dates the files
    for name, samples in results["samples"].items():
        tracker.save_results_samples(task_name=name, samples=samples)
    return results


def _log(folder: Path, name: str) -> Path:
    """The samples that were logged of a task."""
    [log] = folder.rglob(f"samples_{name}_2*.jsonl")
    return log


def _numbers(results: dict[str, Any]) -> dict[str, float]:
    """The metrics of a task by their short names."""
    short = {name.partition(",")[0]: value for name, value in results.items()}
    return {name: value for name, value in short.items() if isinstance(value, float) and not math.isnan(value)}


def _expected(log: Path, release: Path, config: str, **options: Any) -> dict[str, float]:
    """The same numbers by rb-verify."""
    report = evaluate(log, release, config=config, **options)
    assert report.complete, report.data["problems"][:3]
    assert 0 < report.data["rates"]["accuracy"]["value"] < 1, "the script should have good and bad responses"
    rates = {column.name: report.data["rates"][column.name]["value"] for column in SCORERS[report.data["dataset"]].COLUMNS}
    return {name: value for name, value in rates.items() if value is not None}


@pytest.mark.parametrize(
    ("dataset", "config", "limit"),
    [
        ("tracebench", "default", None),
        ("twosat", "default", 60),
        ("reefbench", "default", None),
        ("reefbench", "default", 7),
        ("reefbench", "level_04", None),
        ("reefbench", "main", 5),
    ],
)
def test_the_log_of_a_task_has_the_numbers_that_rb_verify_gives_for_it(
    dataset: str, config: str, limit: int | None, scripted: Path, script: Path, tmp_path: Path
) -> None:
    """Every column's rate is rb-verify's, for whole configs and under a limit."""
    name = harness.task_name(dataset, config)
    results = _run([name], _model(script, []), tmp_path, limit=limit)
    release = scripted / dataset / harness.VERSION
    assert _numbers(results["results"][name]) == _expected(_log(tmp_path, name), release, config, partial=limit is not None)


def test_all_repeats_are_scored(scripted: Path, script: Path, tmp_path: Path) -> None:
    """With repeats, which a task of three lines sets, rates are over every response, as rb-verify's of the log."""
    for name in ("reefbench", "tracebench_deep"):
        own = f"include: {harness.lm_eval_path() / name}.yaml\ntask: {name}_twice\nrepeats: 2\n"
        (tmp_path / f"{name}_twice.yaml").write_text(own)
        results = _run([f"{name}_twice"], _model(script, []), tmp_path, more=tmp_path)
        dataset, _, config = name.partition("_")
        log = _log(tmp_path, f"{name}_twice")
        assert evaluate(log, scripted / dataset / harness.VERSION, config=config or "default").data["samples"] == 2
        assert _numbers(results["results"][f"{name}_twice"]) == _expected(
            log, scripted / dataset / harness.VERSION, config or "default"
        )


def test_a_group_runs_its_tasks(script: Path, tmp_path: Path) -> None:
    """``tracebench-all`` runs every config of which none holds another."""
    results = _run(["tracebench-all"], _model(script, []), tmp_path, limit=2)
    assert set(results["samples"]) == {"tracebench", "tracebench_deep"}


def test_a_model_is_asked_as_the_cards_recommend(script: Path, tmp_path: Path) -> None:
    """The prompt is the row's, to the letter; nothing stops the answer but the card's budget."""
    requests: list[Any] = []
    _run(["tracebench", "twosat", "reefbench"], _model(script, requests), tmp_path, limit=1)
    settings = {}
    for dataset, (prompt, options) in zip(("tracebench", "twosat", "reefbench"), _in_order(requests), strict=True):
        assert prompt == harness.documents(dataset, "default")[0].prompt
        settings[dataset] = options
    greedy = {"until": [], "do_sample": False, "temperature": 0.0}
    assert settings["tracebench"] == greedy | {"max_gen_toks": 8192}
    assert settings["reefbench"] == greedy | {"max_gen_toks": 24000}
    assert settings["twosat"] == {"until": [], "max_gen_toks": 16384}


def _in_order(requests: list[Any]) -> list[Any]:
    """Requests in the order tracebench, twosat, reefbench, told by their budgets."""
    return sorted(requests, key=lambda request: (8192, 16384, 24000).index(request[1]["max_gen_toks"]))


def test_a_limit_without_a_whole_pair_gives_no_score(script: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One row of a pair scores nothing: the score is not a number, and lm-eval's log says why."""
    results = _run(["reefbench"], _model(script, []), tmp_path, limit=1)
    assert math.isnan(results["results"]["reefbench"]["score,none"])
    assert "no whole pair" in caplog.text


def test_a_release_of_another_dataset_is_refused(scripted: Path) -> None:
    """A release that a task cannot use is told of in one sentence with the cure."""
    from rb_verify.lm_eval_tasks import load

    with pytest.raises(UnusableInput, match=r"is a release of twosat; name one of tracebench.*--metadata"):
        load("tracebench", "default", release=str(scripted / "twosat" / harness.VERSION))


def test_the_command_runs_a_task_behind_an_api(scripted: Path, script: Path, tmp_path: Path) -> None:
    """``lm-eval run`` in a process of its own, a release named by --metadata, the model a chat API on loopback."""
    release = scripted / "reefbench" / harness.VERSION
    with chat_server(Script(script)) as (address, requests):
        run = _command(
            *(
                "run",
                "--model",
                "local-chat-completions",
                "--model_args",
                f"model=scripted,base_url={address},num_concurrent=2",
            ),
            *("--apply_chat_template", "--include_path", str(harness.lm_eval_path()), "--tasks", "reefbench"),
            *("--metadata", json.dumps({"release": str(release)}), "--log_samples", "--output_path", "out", "--limit", "16"),
            cwd=tmp_path,
        )
    assert run.returncode == 0, run.stderr
    assert {request["max_tokens"] for request in requests} == {24_000}
    [results] = (tmp_path / "out").rglob("results_*.json")
    numbers = json.loads(results.read_bytes())["results"]["reefbench"]
    assert _numbers(numbers) == _expected(_log(tmp_path, "reefbench"), release, "default", partial=True)


def test_the_commands_that_list_and_validate_tasks_know_them(tmp_path: Path) -> None:
    """``lm-eval validate`` finds the tasks and groups through the include path, and nothing wrong with them."""
    run = _command(
        *("validate", "--tasks", "tracebench_deep,twosat-all,reefbench"),
        *("--include_path", str(harness.lm_eval_path())),
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def _command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"OPENAI_API_KEY": "none", "RB_RELEASES": ""}
    command = [sys.executable, "-m", "lm_eval", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
