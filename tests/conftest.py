"""Fixtures: the frozen releases, each rebuilt once a session, however many processes test, and their rows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from commands import freeze, rb_build
from compare_cases import Data, board, constant, mixed, scored
from parse_cases import responses
from rb_build import folder, reefbench, twosat
from rb_build import recipe as recipes
from rb_build.datasets import Builder
from rb_build.release import Compiled, compile_release, contents, documents, workers, write
from rb_verify.release import Release, load, read_manifest
from reefbench_cases import small_rows
from scripted_model import small_releases, write_script
from shelf import shelve
from small_reefbench import reefbench_recipe
from small_stories import small_stories

REPO = Path(__file__).resolve().parents[1]
FROZEN = REPO / "releases" / "tracebench" / "1.0.0"
FROZEN_TWOSAT = REPO / "releases" / "twosat" / "1.0.0"
FROZEN_REEFBENCH = REPO / "releases" / "reefbench" / "1.0.0"


def _shared(factory: pytest.TempPathFactory, frozen: Path, make: Callable[[Path], None]) -> Path:
    """The folder of a release that the first test process to ask for it makes; the others wait."""
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    place = root / "releases" / frozen.parent.name / frozen.name
    place.parent.mkdir(parents=True, exist_ok=True)
    claim, failed = place.with_suffix(".claim"), place.with_suffix(".failed")
    try:
        claim.touch(exist_ok=False)
    except FileExistsError:
        while not place.is_dir():  # it is written whole
            assert not failed.exists(), f"another test process could not make {frozen}"
            sleep(0.1)
        return place
    try:
        make(place)
    except BaseException:
        failed.touch()
        raise
    return place


def _rows(place: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of a release by file."""
    return {path.stem: [json.loads(line) for line in path.open("rb")] for path in sorted((place / "data").iterdir())}


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of TRACEBench 1.0.0, compiled from its recipe. Tests must not change it."""
    recipe = recipes.read(FROZEN / "recipe.json")

    def make(place: Path) -> None:
        with workers(2) as run:
            write(place, recipe, compile_release(recipe, run))

    return _shared(tmp_path_factory, FROZEN, make)


@pytest.fixture(scope="session")
def compiled(release: Path) -> Compiled:
    """TRACEBench 1.0.0 as bytes."""
    manifest = read_manifest(release)
    return Compiled({path: (release / path).read_bytes() for path in manifest["files"]}, manifest)


@pytest.fixture(scope="session")
def rows(release: Path) -> list[dict[str, Any]]:
    """The 1,200 rows of config default."""
    return load(release).rows


@pytest.fixture(scope="session")
def row(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A row of level 45 that is answered YES by a proof of two steps."""
    return next(r for r in rows if r["level"] == 45 and r["proof_length"] == 2 and r["answer"] == "YES")


@pytest.fixture(scope="session")
def twosat_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of twosat 1.0.0: rows as built here, under the frozen manifest. Tests must not change it."""
    return _shared(tmp_path_factory, FROZEN_TWOSAT, partial(_build, twosat, FROZEN_TWOSAT))


@pytest.fixture(scope="session")
def twosat_rows(twosat_release: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of twosat 1.0.0 built from its recipe, by file."""
    return _rows(twosat_release)


@pytest.fixture(scope="session")
def reefbench_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of reefbench 1.0.0: rows as built here, under the frozen manifest. Tests must not change it."""
    return _shared(tmp_path_factory, FROZEN_REEFBENCH, partial(_build, reefbench, FROZEN_REEFBENCH))


@pytest.fixture(scope="session")
def reefbench_rows(reefbench_release: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of reefbench 1.0.0 built from its recipe, by file."""
    return _rows(reefbench_release)


def _build(builder: Builder, frozen: Path, place: Path) -> None:
    """Build the rows of the release that is frozen at ``frozen``, and write them under its manifest."""
    recipe = recipes.read(frozen / "recipe.json")
    with workers(2) as run:
        rows = builder.build(recipe, run).files
    manifest = (frozen / "manifest.json").read_bytes()
    folder.write(place, contents(recipe, rows) | documents(json.loads(manifest), recipe) | {"manifest.json": manifest})


@pytest.fixture(scope="session")
def releases(release: Path, twosat_release: Path, reefbench_release: Path) -> dict[str, Path]:
    """The folder of every frozen release, by dataset."""
    return {"reefbench": reefbench_release, "tracebench": release, "twosat": twosat_release}


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of small releases for a harness to run on, as $RB_RELEASES names it."""
    return small_releases(tmp_path_factory.mktemp("scripted"))


@pytest.fixture(scope="module")
def script(scripted: Path) -> Path:
    """What a scripted model says to their rows."""
    asked = [("tracebench", "default"), ("tracebench", "deep"), ("twosat", "default"), ("reefbench", "default")]
    return write_script(scripted / "script.json", asked, scripted)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, scripted: Path) -> None:
    """No Hub, and the small releases in its place."""
    monkeypatch.setenv("RB_RELEASES", str(scripted))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """Small releases of all datasets."""
    return shelve(tmp_path_factory.mktemp("shelf"))


@pytest.fixture(scope="session")
def reef(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small reefbench release: four pairs at each of levels 3 to 5. Tests must not change it."""
    recipe = reefbench_recipe()
    place = tmp_path_factory.mktemp("small") / "releases" / "reefbench" / "0.1.0"
    write(place, recipe, compile_release(recipe))
    return place


@pytest.fixture(scope="session")
def reef_files() -> dict[str, list[dict[str, Any]]]:
    """The rows of the small recipe, by file. Tests must not change them."""
    return small_rows()


@pytest.fixture(scope="session")
def reef_rows(reef: Path) -> list[dict[str, Any]]:
    """Its rows."""
    return load(reef).rows


@pytest.fixture(scope="session")
def reef_lines(reef_rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A response to each of them."""
    return responses(reef_rows)


@pytest.fixture(scope="session")
def stories_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the small recipe of stories is frozen as releases/stories/0.1.0, and built there by the command. Tests
    must not change it."""
    place = tmp_path_factory.mktemp("stories")
    freeze(small_stories(), place)
    run = rb_build("build", "stories@0.1.0", cwd=place)
    assert run.returncode == 0, run.stderr
    return place


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def made(reports: dict[str, list[Data]]) -> dict[str, Data]:
    """The board of each dataset's reports."""
    return {dataset: board(*some) for dataset, some in reports.items()}
