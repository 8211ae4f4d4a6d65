"""Fixtures: the frozen releases, each rebuilt once a session, and their rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rb_build import card, folder, reefbench, twosat
from rb_build import recipe as recipes
from rb_build.cli import _write
from rb_build.release import Compiled, compile_release, contents, workers
from rb_verify.release import load

REPO = Path(__file__).resolve().parents[1]
FROZEN = REPO / "releases" / "tracebench" / "1.0.0"
FROZEN_TWOSAT = REPO / "releases" / "twosat" / "1.0.0"
FROZEN_REEFBENCH = REPO / "releases" / "reefbench" / "1.0.0"


@pytest.fixture(scope="session")
def compiled() -> Compiled:
    """TRACEBench 1.0.0 built from its recipe, as bytes."""
    with workers(2) as run:
        return compile_release(recipes.read(FROZEN / "recipe.json"), run)


@pytest.fixture(scope="session")
def release(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of TRACEBench 1.0.0. Tests must not change it."""
    folder = tmp_path_factory.mktemp("releases") / "tracebench" / "1.0.0"
    _write(folder, recipes.read(FROZEN / "recipe.json"), compiled)
    return folder


@pytest.fixture(scope="session")
def rows(release: Path) -> list[dict[str, Any]]:
    """The 1,200 rows of config default."""
    return load(release).rows


@pytest.fixture(scope="session")
def row(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A row of level 45 that is answered YES by a proof of two steps."""
    return next(r for r in rows if r["level"] == 45 and r["proof_length"] == 2 and r["answer"] == "YES")


@pytest.fixture(scope="session")
def twosat_rows() -> dict[str, list[dict[str, Any]]]:
    """The rows of twosat 1.0.0 built from its recipe, by file."""
    with workers(2) as run:
        return twosat.build(recipes.read(FROZEN_TWOSAT / "recipe.json"), run).files


@pytest.fixture(scope="session")
def twosat_release(twosat_rows: dict[str, list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of twosat 1.0.0: rows as built here, under the frozen manifest. Tests must not change it."""
    return _written(FROZEN_TWOSAT, twosat_rows, tmp_path_factory.mktemp("releases"))


@pytest.fixture(scope="session")
def reefbench_rows() -> dict[str, list[dict[str, Any]]]:
    """The rows of reefbench 1.0.0 built from its recipe, by file."""
    with workers(2) as run:
        return reefbench.build(recipes.read(FROZEN_REEFBENCH / "recipe.json"), run).files


@pytest.fixture(scope="session")
def reefbench_release(reefbench_rows: dict[str, list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of reefbench 1.0.0: rows as built here, under the frozen manifest. Tests must not change it."""
    return _written(FROZEN_REEFBENCH, reefbench_rows, tmp_path_factory.mktemp("releases"))


def _written(frozen: Path, rows: dict[str, list[dict[str, Any]]], place: Path) -> Path:
    """Write rows as the release that is frozen at ``frozen``, below ``place``."""
    recipe = recipes.read(frozen / "recipe.json")
    manifest = (frozen / "manifest.json").read_bytes()
    target = place / recipe.dataset / recipe.version
    extra = {"manifest.json": manifest, "README.md": card.render(json.loads(manifest), recipe)}
    folder.write(target, contents(recipe, rows) | extra)
    return target


@pytest.fixture(scope="session")
def releases(release: Path, twosat_release: Path, reefbench_release: Path) -> dict[str, Path]:
    """The folder of every frozen release, by dataset."""
    return {"reefbench": reefbench_release, "tracebench": release, "twosat": twosat_release}
