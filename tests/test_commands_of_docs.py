"""Every command of README and docs/ is run by a test, as it is written but for names of people, machines and releases."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import metadata
from pathlib import Path

import pytest

from conftest import REPO
from documented import PAGES, Command, commands
from hub_server import environment, serve
from llm_server import llm_server
from log_writers import lm_eval
from shelf import answers, put, shelve
from small_recipe import small
from test_models import Model

# Pages and commands that another test runs, by page and beginning: its file, and how it runs them. The rest is run below.
ELSEWHERE = {
    ("docs/adding.md", ""): ("test_adding.py", "commands(PAGE)"),
    ("docs/models.md", ""): ("test_models.py", '"models.md"'),
    ("docs/performance.md", ""): ("test_benchmarks.py", '"benchmarks", section'),
    ("docs/releasing.md", ""): ("test_docs_facts.py", '"releasing.md"'),
    ("docs/submit.md", ""): ("test_submit.py", '"submit.md"'),
    ("README.md", ".venv/bin/"): ("test_newcomer.py", "<!-- newcomer -->"),
    ("README.md", "python3 -m venv"): ("test_newcomer.py", "<!-- newcomer -->"),  # and .ci/run reads them off README
    ("README.md", "inspect eval"): ("test_inspect.py", '"inspect_ai", "eval"'),
    ("README.md", "lm-eval run"): ("test_lm_eval.py", '"run",'),
    ("README.md", "dask scheduler"): ("test_dask.py", '"scheduler"'),
    ("docs/harness.md", "inspect eval"): ("test_inspect.py", '"inspect_ai", "eval"'),
    ("docs/harness.md", "rb-verify logs/LOG.eval"): ("test_inspect.py", "evaluate(log"),
    ("docs/harness.md", "lm-eval run"): ("test_lm_eval.py", '"run",'),
    ("docs/harness.md", "rb-verify out/MODEL/samples"): ("test_lm_eval.py", "evaluate("),
}


def elsewhere(command: Command) -> bool:
    """Whether another file runs a command."""
    return any(command.page == page and command.text.startswith(head) for page, head in ELSEWHERE)


HERE = [command for page in PAGES for command in commands(page) if not elsewhere(command)]
INSTALLS = [command for page in PAGES for command in commands(page) if command.text.startswith("pip install")]


@pytest.mark.parametrize(("page", "head"), ELSEWHERE)
def test_others_are_run_where_it_is_said(page: str, head: str) -> None:
    """The page has such a command, and the test that runs it is there and does so."""
    file, how = ELSEWHERE[page, head]
    assert how in (REPO / "tests" / file).read_text("utf-8")
    assert any(command.page == page and command.text.startswith(head) for command in commands(page))


@pytest.mark.parametrize("command", INSTALLS, ids=lambda command: f"{command.page}:{command.line}")
def test_what_is_installed_is_there_to_install(command: Command) -> None:
    """Each package is one of ours, and has the extras that are named."""
    for package, extras in re.findall(r"'(rb-build|rb-verify)\[([a-z,-]+)\]'", command.text):
        assert set(extras.split(",")) <= set(metadata(package).get_all("Provides-Extra"))
    assert re.findall(r"'(?:rb-build|rb-verify)\[", command.text)


Prepare = Callable[["Place"], None]


class Place:
    """A folder in which commands run in order. ``releases``: small ones, under ``releases``; ``names``: what is put for the
    names of people, machines and releases."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.releases = folder, shelve(folder)
        first = self.releases["tracebench"].rows[0]["id"]
        self.names = {"tracebench-1-0-0-d045-g20-q0": first, "ORG": "org", "MODEL": "m", "1.0.0": "0.1.0", "sweeps": "levels"}

    def predictions(self, dataset: str, config: str = "default") -> None:
        """Perfect predictions to a release."""
        from rb_verify.release import load

        rows = load(self.releases[dataset].path, config).rows
        said = [{"id": row["id"], "response": self.releases[dataset].scorer.perfect(row)} for row in rows]
        put(self.folder / "predictions.jsonl", *said)

    def gone(self, *names: str) -> None:
        """Remove what an earlier block has made."""
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)


def logged(place: Place) -> None:
    """A log of lm-eval."""
    (place.folder / "logs").mkdir(exist_ok=True)
    said = answers(place.releases["tracebench"])
    (place.folder / "logs" / "samples_tracebench.jsonl").write_bytes(lm_eval(said))


def submitted(place: Place) -> None:
    """A submission folder."""
    (place.folder / "mymodel").mkdir(exist_ok=True)
    (place.folder / "mymodel" / "submission.yaml").write_text("model: scripted\n")
    place.predictions("tracebench")
    shutil.copy(place.folder / "predictions.jsonl", place.folder / "mymodel" / "tracebench.jsonl")


def reported(place: Place) -> None:
    """Reports of a leaderboard."""
    (place.folder / "reports").mkdir(exist_ok=True)
    shutil.copy(place.folder / "mymodel" / "report.json", place.folder / "reports" / "mymodel.json")


def described(place: Place) -> None:
    """What a submission says of its model."""
    place.predictions("twosat")
    (place.folder / "model.json").write_text(json.dumps({"model": "m", "parameters": "7B", "decoding": {"temperature": 0}}))


def read_by_rules(place: Place) -> None:
    """Responses to ReEfBench."""
    place.predictions("reefbench")
    shutil.copy(place.folder / "predictions.jsonl", place.folder / "responses.jsonl")


def a_recipe(place: Place) -> None:
    """A recipe that is not frozen yet, and no folder of that name."""
    place.gone("DIR")
    (place.folder / "RECIPE.json").write_text(json.dumps(small(version="0.3.0", seed="another")))


def a_release(place: Place) -> None:
    """A release to publish."""
    place.gone("DIR", "OUT")
    shutil.copytree(place.releases["tracebench"].path, place.folder / "DIR")


# What must be there before a command, by its beginning.
BEFORE: dict[str, Prepare] = {
    "rb-verify predictions.jsonl": lambda place: place.predictions("tracebench"),
    "rb-verify predictions.jsonl --config sweeps": lambda place: place.predictions("twosat", "levels"),
    "rb-verify predictions.jsonl --submission": described,
    "rb-verify predictions.jsonl --text": read_by_rules,
    "rb-verify logs/": logged,
    "rb-run ": lambda place: (place.folder / "predictions.jsonl").unlink(),
    "rb-parse run": read_by_rules,
    "rb-verify mymodel": submitted,
    "rb-compare": reported,
    "rb-build build RECIPE": a_recipe,
    "rb-build fresh": lambda place: place.gone("DIR"),
    "rb-build push": a_release,
    "rb-build export": lambda place: place.gone("OUT"),
}


def prepare(place: Place, text: str) -> None:
    """Do what must be done before a command: the longest beginning tells."""
    heads = [head for head in BEFORE if text.startswith(head)]
    if heads:
        BEFORE[max(heads, key=len)](place)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """HOST:PORT of a Dask cluster."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as running:
        yield running.scheduler_address.removeprefix("tcp://")


@pytest.mark.slow
def test_the_others_as_they_are_written(tmp_path: Path, cluster: str) -> None:
    """In order, with small releases, a loopback Hub and model, and a Dask cluster: each ends well."""
    place = Place(tmp_path)
    with serve({}) as hub, llm_server(Model(tmp_path)) as model:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        own = environment(hub.url, tmp_path / "home") | {"PATH": path, "OPENAI_API_KEY": "k"}
        own |= {"OPENAI_BASE_URL": model.base_url, "RB_MODEL": "m"}
        names = place.names | {"http://localhost:8000/v1": model.base_url, "HOST:8786": cluster}
        names |= {
            "--rows 1000000": "--rows 100",
            "--shards 20": "--shards 2",
            "fresh twosat": "fresh tracebench",
        }  # the fastest

        def run(text: str) -> None:
            for name, instead in names.items():
                text = text.replace(name, instead)
            done = subprocess.run(["bash", "-c", text], cwd=tmp_path, env=own, capture_output=True, text=True)
            assert done.returncode == 0, (text, done.stdout[-500:], done.stderr)

        run(f"rb-build push {place.releases['tracebench'].path} --org ORG")
        for command in HERE:
            if command not in INSTALLS:
                prepare(place, command.text)
                run(command.text)
    assert {command.page for command in HERE if command not in INSTALLS} == {"README.md", "docs/reefbench.md"}
