"""The dataset card: the real ``datasets`` and pandas read by it just what the data files hold."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml

from conftest import REPO
from hub_server import NOWHERE, environment
from rb_verify import canonical

MANIFESTS: dict[str, dict[str, Any]] = {
    path.parts[-3]: json.loads(path.read_bytes()) for path in sorted((REPO / "releases").glob("*/1.0.0/manifest.json"))
}
SPLITS = [
    (name, config, split)
    for name, manifest in MANIFESTS.items()
    for config, splits in sorted(manifest["configs"].items())
    for split in sorted(splits)
]
DATA = [(name, p) for name, manifest in MANIFESTS.items() for p, entry in sorted(manifest["files"].items()) if "rows" in entry]
TITLES = {"reefbench": "# ReEfBench", "tracebench": "# TRACEBench", "twosat": "# 2-SAT families"}
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")

# Each split into a cache of its own: for a folder, the key of datasets' cache holds neither its path nor its content.
LOAD = """
import json, sys
from pathlib import Path
from datasets import load_dataset
folder, home, *splits = sys.argv[1:]
for name in splits:
    config, split = name.split(".")
    loaded = load_dataset(folder, config, split=split, cache_dir=f"{home}/cache-{name}")
    Path(home, f"{name}.jsonl").write_text("".join(json.dumps(row) + "\\n" for row in loaded), "utf-8")
    Path(home, f"{name}.features.json").write_text(json.dumps(loaded.features._to_yaml_list()), "utf-8")
"""


def load(folder: Path, home: Path, *splits: str) -> subprocess.CompletedProcess[str]:
    """Load splits, named CONFIG.SPLIT, of a release folder with ``datasets``; rows and features are written to ``home``."""
    command = [sys.executable, "-c", LOAD, str(folder), str(home), *splits]
    return subprocess.run(command, env=environment(NOWHERE, home, HF_HUB_OFFLINE="1"), capture_output=True, text=True)


@pytest.fixture(scope="module")
def loaded(releases: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Where the rows and features of every config and split are, as ``datasets`` loaded them from each release folder."""
    homes = {}
    for name, folder in releases.items():
        homes[name] = tmp_path_factory.mktemp(f"loaded-{name}")
        result = load(folder, homes[name], *(f"{config}.{split}" for dataset, config, split in SPLITS if dataset == name))
        assert result.returncode == 0, result.stderr
    return homes


@pytest.fixture(scope="module")
def cards(releases: dict[str, Path]) -> dict[str, tuple[dict[str, Any], str]]:
    """Each card's YAML header, and its prose."""
    parts = {name: (folder / "README.md").read_text("utf-8").split("---\n", 2) for name, folder in releases.items()}
    return {name: (yaml.safe_load(header), prose) for name, (_, header, prose) in parts.items()}


def strings(value: Any) -> Iterator[str]:
    """Every string inside a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.mark.parametrize(("name", "config", "split"), SPLITS)
def test_rows_are_the_files_rows(
    releases: dict[str, Path], loaded: dict[str, Path], name: str, config: str, split: str
) -> None:
    """Every config and split loads as the rows of its files, field for field and in order."""
    lines = (loaded[name] / f"{config}.{split}.jsonl").read_text("utf-8").splitlines()
    files = MANIFESTS[name]["configs"][config][split]
    assert canonical.lines(map(json.loads, lines)) == b"".join((releases[name] / file).read_bytes() for file in files)


@pytest.mark.parametrize(("name", "config", "split"), SPLITS)
def test_features_are_the_declared_ones(
    cards: dict[str, tuple[dict[str, Any], str]], loaded: dict[str, Path], name: str, config: str, split: str
) -> None:
    """What ``datasets`` takes for the features of a split is what the card declares, one for each field of a row."""
    declared = {info["config_name"]: info["features"] for info in cards[name][0]["dataset_info"]}[config]
    assert json.loads((loaded[name] / f"{config}.{split}.features.json").read_bytes()) == declared
    first = json.loads((loaded[name] / f"{config}.{split}.jsonl").read_text("utf-8").split("\n", 1)[0])
    assert [feature["name"] for feature in declared] == sorted(first)


@pytest.mark.slow
def test_lost_row_stops_loading(release: Path, tmp_path: Path) -> None:
    """The declared counts are exact, so ``datasets`` refuses a file that lost its last row."""
    lost = shutil.copytree(release, tmp_path / "lost")
    lines = (release / "data" / "d045.jsonl").read_bytes().splitlines(keepends=True)
    (lost / "data" / "d045.jsonl").write_bytes(b"".join(lines[:-1]))
    result = load(lost, tmp_path, "d045.test")
    assert result.returncode == 1
    assert "NonMatchingSplitsSizesError" in result.stderr


@pytest.mark.parametrize(("name", "path"), DATA)
def test_pandas_reads_the_data(releases: dict[str, Path], name: str, path: str) -> None:
    """pandas reads each data file, with a column for each field and a line for each row."""
    frame = pandas.read_json(releases[name] / path, lines=True)
    first = json.loads((releases[name] / path).read_bytes().split(b"\n", 1)[0])
    assert len(frame) == MANIFESTS[name]["files"][path]["rows"]
    assert list(frame.columns) == list(first)


@pytest.mark.parametrize(("name", "path"), DATA)
def test_no_string_is_an_iso_date(releases: dict[str, Path], name: str, path: str) -> None:
    """No string of a row begins like an ISO date, which ``datasets`` would rewrite; the canary is in every row."""
    lines = (releases[name] / path).read_bytes().splitlines()
    assert [text for line in lines for text in strings(json.loads(line)) if ISO_DATE.match(text)] == []
    assert {json.loads(line)["canary"] for line in lines} == {MANIFESTS[name]["canary"]}


@pytest.mark.parametrize("name", MANIFESTS)
def test_card_begins_with_what_it_is_not(cards: dict[str, tuple[dict[str, Any], str]], name: str) -> None:
    """The first paragraph under the title says that this is an independent re-implementation, and what follows from it."""
    title, paragraph = cards[name][1].strip().split("\n\n")[:2]
    assert title == TITLES[name]
    said = " ".join(paragraph.split())
    assert said.startswith("An independent re-implementation")
    assert "not comparable" in said
    assert MANIFESTS[name]["canary"] in cards[name][1]
