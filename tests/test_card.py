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

from hub_server import NOWHERE, environment
from rb_verify import canonical

FROZEN = Path(__file__).resolve().parents[1] / "releases" / "tracebench" / "1.0.0"
MANIFEST: dict[str, Any] = json.loads((FROZEN / "manifest.json").read_bytes())
SPLITS = [(config, split) for config, splits in sorted(MANIFEST["configs"].items()) for split in sorted(splits)]
DATA = sorted(path for path, entry in MANIFEST["files"].items() if "rows" in entry)
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
def loaded(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the rows and features of every config and split are, as ``datasets`` loaded them from the release folder."""
    home = tmp_path_factory.mktemp("loaded")
    result = load(release, home, *(f"{config}.{split}" for config, split in SPLITS))
    assert result.returncode == 0, result.stderr
    return home


@pytest.fixture(scope="module")
def card(release: Path) -> tuple[dict[str, Any], str]:
    """The card's YAML header, and its prose."""
    _, header, prose = (release / "README.md").read_text("utf-8").split("---\n", 2)
    return yaml.safe_load(header), prose


def strings(value: Any) -> Iterator[str]:
    """Every string inside a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


@pytest.mark.parametrize(("config", "split"), SPLITS)
def test_rows_are_the_files_rows(release: Path, loaded: Path, config: str, split: str) -> None:
    """Every config and split loads as the rows of its files, field for field and in order."""
    lines = (loaded / f"{config}.{split}.jsonl").read_text("utf-8").splitlines()
    files = MANIFEST["configs"][config][split]
    assert canonical.lines(map(json.loads, lines)) == b"".join((release / name).read_bytes() for name in files)


@pytest.mark.parametrize(("config", "split"), SPLITS)
def test_features_are_the_declared_ones(card: tuple[dict[str, Any], str], loaded: Path, config: str, split: str) -> None:
    """What ``datasets`` takes for the features of a split is what the card declares, one for each field of a row."""
    declared = {info["config_name"]: info["features"] for info in card[0]["dataset_info"]}[config]
    assert json.loads((loaded / f"{config}.{split}.features.json").read_bytes()) == declared
    first = json.loads((loaded / f"{config}.{split}.jsonl").read_text("utf-8").split("\n", 1)[0])
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


@pytest.mark.parametrize("name", DATA)
def test_pandas_reads_the_data(release: Path, name: str) -> None:
    """pandas reads each data file, with a column for each field and a line for each row."""
    frame = pandas.read_json(release / name, lines=True)
    first = json.loads((release / name).read_bytes().split(b"\n", 1)[0])
    assert len(frame) == MANIFEST["files"][name]["rows"]
    assert list(frame.columns) == list(first)


@pytest.mark.parametrize("name", DATA)
def test_no_string_is_an_iso_date(release: Path, name: str) -> None:
    """No string of a row begins like an ISO date, which ``datasets`` would rewrite whatever the card declares."""
    found = [text for line in (release / name).open("rb") for text in strings(json.loads(line)) if ISO_DATE.match(text)]
    assert found == []


def test_canary_is_everywhere(release: Path, card: tuple[dict[str, Any], str]) -> None:
    """The canary is in the card's prose and in each row of every data file."""
    canary = MANIFEST["canary"]
    assert canary in card[1]
    assert {json.loads(line)["canary"] for name in DATA for line in (release / name).open("rb")} == {canary}


def test_card_begins_with_what_it_is_not(card: tuple[dict[str, Any], str]) -> None:
    """The first paragraph under the title says that this is an independent re-implementation, and what follows from it."""
    title, paragraph = card[1].strip().split("\n\n")[:2]
    assert title == "# TRACEBench"
    said = " ".join(paragraph.split())
    assert said.startswith("An independent re-implementation")
    assert "not comparable" in said
