"""One recipe, one digest: whatever the hash seed, the number of workers and the Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import FROZEN, REPO
from rb_build.recipe import trusted
from rb_build.release import Compiled, compile_release
from rb_build.streams import Stream
from rb_verify import canonical
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import small_twosat

# Builds a recipe from standard input with no third-party package; prints the version and the digest of the manifest.
SCRIPT = """
import json, sys
from rb_build.recipe import trusted
from rb_build.release import compile_release, workers
if __name__ == "__main__":
    with workers(int(sys.argv[1])) as run:
        manifest = compile_release(trusted(json.load(sys.stdin)), run).manifest
    print(sys.version_info[0], sys.version_info[1], manifest["manifest_sha256"])
"""
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def interpreters() -> dict[str, str]:
    """A working CPython of each supported version: on the PATH, or where pyenv and uv keep theirs."""
    homes = [Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions", Path.home() / ".local/share/uv/python"]
    found = {}
    for version in VERSIONS:
        kept = [str(path) for home in homes for path in sorted(home.glob(f"*/bin/python{version}"))]
        for candidate in [shutil.which(f"python{version}"), *kept]:
            probe = [str(candidate), "-c", "import sys; print(sys.implementation.name, *sys.version_info[:2], sep='.')"]
            if (
                candidate
                and subprocess.run(probe, capture_output=True, text=True, check=False).stdout.strip() == f"cpython.{version}"
            ):
                found[version] = candidate
                break
    return found


def built(python: str, recipe: dict[str, object], workers: int = 1, hash_seed: str = "0") -> list[str]:
    """[major, minor, digest] of a build in a process of its own."""
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": hash_seed}
    environment["PYTHONPATH"] = os.pathsep.join([str(REPO / "builders"), str(REPO / "verifiers")])
    run = subprocess.run(
        [python, "-c", SCRIPT, str(workers)],
        input=json.dumps(recipe),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    return run.stdout.split()


RECIPES = {"reefbench": small_reefbench(), "tracebench": small(), "twosat": small_twosat()}


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    """The digest of each small recipe, built in this process."""
    return {name: compile_release(trusted(recipe)).manifest["manifest_sha256"] for name, recipe in RECIPES.items()}


@pytest.mark.parametrize("hash_seed", ["0", "1", "777", "random"])
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_hash_seed_and_workers(expected: dict[str, str], hash_seed: str, workers: int) -> None:
    """PYTHONHASHSEED 0, 1, 777 and random, with 1, 2 and 8 workers, all give one digest."""
    assert built(sys.executable, RECIPES["tracebench"], workers, hash_seed)[2] == expected["tracebench"]


@pytest.mark.parametrize("name", ["reefbench", "twosat"])
@pytest.mark.parametrize(("hash_seed", "workers"), [("1", 1), ("777", 2), ("random", 8)])
def test_hash_seed_and_workers_of_the_others(expected: dict[str, str], hash_seed: str, workers: int, name: str) -> None:
    """The same holds of the 2-SAT families, whose units are cells, and of ReEfBench, whose units are tiers and then pairs."""
    assert built(sys.executable, RECIPES[name], workers, hash_seed)[2] == expected[name]


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_python_builds_the_small_recipes(expected: dict[str, str], version: str, name: str) -> None:
    """Each CPython found on the machine builds a small recipe of every kind of rows to one digest."""
    found = interpreters()
    if version not in found:
        pytest.skip(f"no CPython {version} on this machine (found: {', '.join(found)})")
    assert built(found[version], RECIPES[name]) == [*version.split("."), expected[name]]


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_old_and_new_python_build_the_frozen_release(version: str) -> None:
    """The oldest and the newest CPython, if found, build the whole frozen TRACEBench to its manifest's digest."""
    found = interpreters()
    if version not in found:
        pytest.skip(f"no CPython {version} on this machine (found: {', '.join(found)})")
    frozen = json.loads((FROZEN / "manifest.json").read_bytes())
    recipe = json.loads((FROZEN / "recipe.json").read_bytes())
    assert built(found[version], recipe, workers=2) == [*version.split("."), frozen["manifest_sha256"]]


def test_this_python_builds_the_frozen_release(compiled: Compiled) -> None:
    """The release built in this session equals the frozen manifest, entry for entry."""
    assert compiled.manifest == json.loads((FROZEN / "manifest.json").read_bytes())
    assert compiled.files["recipe.json"] == (FROZEN / "recipe.json").read_bytes()


def test_another_seed_is_another_release() -> None:
    """Seeds that differ by one share no structure where structures are many."""
    one, two = (compile_release(trusted(small(seed=seed))).manifest["structures"] for seed in ("1", "2"))
    for tier in one:
        shared = set(one[tier]["signatures"]) & set(two[tier]["signatures"])
        assert bool(shared) <= (tier == "d010")


def test_golden_stream() -> None:
    """A stream's first draws are frozen: a change of them would change every release."""
    stream = Stream("tracebench/1.0.0/golden/d045/g03")
    assert [stream.below(1000) for _ in range(5)] == [98, 635, 287, 628, 24]
    assert stream.shuffled("ABCDEFG") == list("DCGFEAB")
    assert [stream.weighted("xyz", [1, 0, 3]) for _ in range(8)] == list("zzzzzzzz")


@given(st.text(max_size=20), st.integers(1, 50), st.data())
def test_stream_laws(path: str, n: int, data: st.DataObject) -> None:
    """Draws stay in range, a shuffle keeps every item, a sample repeats no place, weights of 0 are never drawn."""
    stream, items = Stream(path), list(range(n))
    assert all(0 <= stream.below(n) < n for _ in range(5))
    assert sorted(stream.shuffled(items)) == items
    k = data.draw(st.integers(0, n))
    assert len(set(stream.sample(items, k))) == k
    with pytest.raises(ValueError, match="cannot draw"):
        stream.sample(items, n + 1)
    weights = [i % 3 for i in range(n)]
    if any(weights):
        assert stream.weighted(items, weights) % 3


def test_streams_are_uniform() -> None:
    """Choices and the first place of a shuffle are uniform, weights are in proportion."""
    stream = Stream("test/uniform")
    choices = Counter(stream.choice("abcd") for _ in range(8000))
    firsts = Counter(stream.shuffled("abcd")[0] for _ in range(8000))
    assert all(1850 < count < 2150 for counts in (choices, firsts) for count in counts.values())
    weighted = Counter(stream.weighted("ab", [1, 3]) for _ in range(8000))
    assert 5850 < weighted["b"] < 6150


def test_canonical_json() -> None:
    """Sorted keys, fixed separators, UTF-8, LF; NaN and integers beyond 2^53 are refused."""
    assert canonical.lines([{"b": 1, "a": "é"}, {}]) == '{"a":"é","b":1}\n{}\n'.encode()
    for value in (float("nan"), float("inf"), 2**53 + 1, {"a": [-(2**60)]}):
        with pytest.raises(ValueError, match=r"NaN|Infinity|JSON|2\^53"):
            canonical.dumps(value)
