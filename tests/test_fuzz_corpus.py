"""Every input that fuzzing has kept, seeds, finds and regressions, through its target; and the fuzzer itself, for a moment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.targets import CORPUS, TARGETS, inputs

FUZZ = Path(__file__).parent / "fuzz" / "fuzz.py"
MOST = 1_500_000  # bytes of the whole corpus
SECONDS, RUNS = 4, 200  # of fuzzing a target, at most; for longer there is fuzz.py


@pytest.mark.parametrize("name", TARGETS)
def test_corpus(name: str) -> None:
    """Nothing is raised, and every property holds, on every input there is."""
    kept = inputs(name)
    assert kept, f"{name} has no inputs in {CORPUS.name}/{name}"
    for path in kept:
        try:
            TARGETS[name](path.read_bytes())
        except BaseException as error:
            error.args = (f"{path.relative_to(CORPUS)}: {error!r}",)
            raise


def test_corpus_is_small_and_has_a_target() -> None:
    """No input is of a target that is gone, none is there twice, and all together are small."""
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)
    contents = {name: [path.read_bytes() for path in inputs(name)] for name in TARGETS}
    assert all(len(some) == len(set(some)) for some in contents.values())
    assert sum(len(data) for some in contents.values() for data in some) <= MOST


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 11), reason="atheris has no wheel for Python 3.10")
@pytest.mark.parametrize("name", TARGETS)
def test_fuzzing(name: str, tmp_path: Path) -> None:
    """Some seconds of new inputs, guided by coverage, break no property. Needs the extra fuzz; what breaks one is shown."""
    command = [sys.executable, str(FUZZ), name, "--seconds", str(SECONDS), "-seed=1", f"-runs={RUNS}"]
    alike = os.environ | {"PYTHONHASHSEED": "0"}  # every run of the tests tries the same inputs
    run = subprocess.run(command, cwd=tmp_path, env=alike, capture_output=True, text=True, errors="replace")
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert run.returncode == 0, f"{found}\n{run.stdout[-2000:]}\n{run.stderr[-2000:]}"
    assert not found
    assert "stat::number_of_executed_units" in run.stderr, run.stderr[-500:]
