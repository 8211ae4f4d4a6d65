"""The benchmarks' one command runs, and its table has what docs/performance.md says that it has."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

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


def test_verification_of_few_predictions(releases: dict[str, Path]) -> None:
    """Verification is measured in new processes, beside the floor and two processes, and its growth with them."""
    script = f"""
import sys
sys.path.insert(0, "benchmarks")
import depth  # puts the tests on the path, as python benchmarks does
from pathlib import Path
from verification import growth, verified
for folder in {[*map(str, releases.values())]}:
    for row in verified(Path(folder), 1, 40).rows():
        print(*row, sep="|")
print(*growth(Path({str(releases["tracebench"])!r}), (50, 100)).row(), sep="|")
"""
    run = subprocess.run([sys.executable, "-c", script], cwd=REPO, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    *lines, growth = (line.split("|") for line in run.stdout.splitlines())
    assert [line[:1] + line[4:5] for line in lines] == [[f"verification of {name}", "2 processes"] for name in releases]
    assert all(line[1].startswith("40 predictions of ") and float(line[3].split("x")[0].replace(",", "")) > 1 for line in lines)
    assert growth[:2] == ["verification of tracebench", "50 100 predictions"]
    assert all(20 < float(peak) < 500 for peak in growth[3].split())
