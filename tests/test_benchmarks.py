"""The benchmarks' one command runs, and its table has what docs/performance.md says that it has."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from conftest import REPO

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("section", "work", "lines"), [("closure", "closure of random trees", 12), ("depth", "exact depths of a statement", 4)]
)
def test_python_benchmarks(section: str, work: str, lines: int) -> None:
    """A line for each size and peer: our time, and three ratios, each a median with its spread."""
    command = [sys.executable, "benchmarks", section, "--repeats", "1"]
    run = subprocess.run(command, cwd=REPO, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"})
    assert run.returncode == 0, run.stderr
    assert work in run.stdout
    found = re.findall(r"[\d.,]+x \([\d.,]+-[\d.,]+\)", run.stdout)
    assert len(found) >= 2 * lines
    assert "ours / floor" in run.stdout
    assert "peer / ours" in run.stdout
