"""Published releases through the real ``datasets``: by name and tag, every config and split is the rows of its files."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import REPO
from environments import python_with, run
from hub_server import BORN_WITH, Hub, environment, serve
from rb_verify import canonical
from test_card import MANIFESTS, parts

OLD = "3.6.0"  # the last ``datasets`` 3
SPLITS = [
    (name, config, split)
    for name, manifest in MANIFESTS.items()
    for config, splits in sorted(manifest["configs"].items())
    for split in sorted(splits)
]
LOAD = """
import json, sys
verifiers, *names = sys.argv[1:]
sys.path.append(verifiers)  # an environment of datasets alone has no rb_verify
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
from rb_verify import canonical
for name in names:
    repo = f"org/{name}"
    for config in get_dataset_config_names(repo, revision="v1.0.0"):
        for split in get_dataset_split_names(repo, config, revision="v1.0.0"):
            rows = load_dataset(repo, config, split=split, revision="v1.0.0")
            print(json.dumps([name, config, split, canonical.digest(canonical.lines(rows)), rows.features._to_yaml_list()]))
"""
Loaded = dict[tuple[str, str, str], tuple[str, Any]]


@pytest.fixture(scope="module")
def hub(releases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A Hub with every release. TRACEBench is pushed; to check the two larger ones first would take two minutes."""
    home = tmp_path_factory.mktemp("push")
    with serve({}) as running:
        command = [sys.executable, "-m", "rb_build", "push", str(releases["tracebench"]), "--org", "org"]
        pushed = subprocess.run(command, cwd=home, env=environment(running.url, home), capture_output=True, text=True)
        assert pushed.returncode == 0, pushed.stderr
        for name, folder in releases.items():
            if name != "tracebench":
                files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
                running.move(f"org/{name}", "v1.0.0", running.put(f"org/{name}", {**BORN_WITH, **files}))
        yield running


def load(python: str | Path, hub: Hub) -> Loaded:
    """The digest of the rows, and the features, of every config and split that ``datasets`` finds, in an empty cache."""
    with tempfile.TemporaryDirectory() as home:  # not pytest's own, which would keep some 400 MB for three sessions
        command = [str(python), "-c", LOAD, str(REPO / "verifiers"), *MANIFESTS]
        ended = subprocess.run(command, cwd=home, env=environment(hub.url, Path(home)), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    found = map(json.loads, ended.stdout.splitlines())
    return {(name, config, split): (digest, features) for name, config, split, digest, features in found}


@pytest.fixture(scope="module")
def loaded(hub: Hub) -> Loaded:
    """What the installed ``datasets`` loads."""
    return load(sys.executable, hub)


@pytest.fixture(scope="module")
def loaded_by_old(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """What ``datasets`` OLD loads, with whatever client of the Hub pip gives it."""
    python = python_with(f"datasets=={OLD}", tmp_path_factory.mktemp("old"))
    assert run(python, "-c", "import datasets; print(datasets.__version__)", cwd=python.parent).strip() == OLD
    return load(python, hub)


def digest(folder: Path, name: str, config: str, split: str) -> str:
    """The SHA-256 of the files, one after the other, that a split is made of."""
    return canonical.digest(b"".join((folder / path).read_bytes() for path in MANIFESTS[name]["configs"][config][split]))


def test_configs_and_splits_are_the_manifests(loaded: Loaded) -> None:
    """By name and tag, ``datasets`` lists the configs and splits of the manifests and no others."""
    assert sorted(loaded) == sorted(SPLITS)


@pytest.mark.parametrize(("name", "config", "split"), SPLITS)
def test_rows_are_the_files_rows(releases: dict[str, Path], loaded: Loaded, name: str, config: str, split: str) -> None:
    """Every config and split loads as the rows of its files, field for field and in order."""
    assert loaded[name, config, split][0] == digest(releases[name], name, config, split)


@pytest.mark.parametrize(("name", "config", "split"), SPLITS)
def test_features_are_the_declared_ones(releases: dict[str, Path], loaded: Loaded, name: str, config: str, split: str) -> None:
    """What ``datasets`` takes for the features of a split is what the card declares, one for each field of a row."""
    header, _ = parts((releases[name] / "README.md").read_bytes())
    declared = {info["config_name"]: info["features"] for info in header["dataset_info"]}[config]
    assert loaded[name, config, split][1] == declared
    with (releases[name] / MANIFESTS[name]["configs"][config][split][0]).open("rb") as file:
        assert [feature["name"] for feature in declared] == sorted(json.loads(file.readline()))


@pytest.mark.slow
def test_old_version_lists_the_same(loaded_by_old: Loaded) -> None:
    """An old ``datasets`` lists the same configs and splits."""
    assert sorted(loaded_by_old) == sorted(SPLITS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "config", "split"), SPLITS)
def test_old_version_reads_the_same_rows(
    releases: dict[str, Path], loaded_by_old: Loaded, name: str, config: str, split: str
) -> None:
    """An old ``datasets`` loads every config and split as the rows of its files."""
    assert loaded_by_old[name, config, split][0] == digest(releases[name], name, config, split)
