"""What the benchmarks share: timing contenders interleaved in one run, so that a machine's noise falls on all of them
alike, measuring memory in processes of their own, and the frozen releases."""

from __future__ import annotations

import gc
import json
import multiprocessing
import re
import resource
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")
Seconds = dict[str, list[float]]

FROZEN = {folder.parent.name: folder for folder in sorted((Path(__file__).parents[1] / "releases").glob("*/1.0.0"))}


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """The wall time of one call, and what it returned."""
    gc.collect()
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def interleaved(contenders: Mapping[str, Callable[[], object]], repeats: int) -> Seconds:
    """The wall times of each contender, by name. Every repeat runs all of them; every second one in reverse order."""
    times: Seconds = {name: [] for name in contenders}
    for repeat in range(repeats):
        for name in list(contenders)[:: -1 if repeat % 2 else 1]:
            times[name].append(timed(contenders[name])[0])
    return times


def apart(work: Callable[..., T], *arguments: Any) -> T:
    """What a call returns when it is made in a new process. Raises what it raises, or BrokenProcessPool if it crashes."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def peak() -> float:
    """The peak memory of this process so far in MB. On Linux ``getrusage`` counts that of its parent at the start too."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def ratios(slow: Sequence[float], fast: Sequence[float]) -> list[float]:
    """How many times longer ``slow`` took, repeat by repeat."""
    return [a / b for a, b in zip(slow, fast, strict=True)]


def spread(values: Sequence[float], unit: str = "") -> str:
    """The median of some values and, in brackets, the least and the greatest: ``12.1x (11.8-12.9)``."""
    return f"{_short(statistics.median(values))}{unit} ({_short(min(values))}-{_short(max(values))})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def require(release: Path) -> None:
    """End with a message if the data of a frozen release are not built."""
    if not (release / "data").is_dir():
        name = f"{release.parent.name}@{release.name}"
        sys.exit(f"{name} is not built; run rb-build build {name} in the checkout first")


def build(release: Path, number: int) -> tuple[float, float]:
    """Seconds that the whole of a release takes to build with so many processes, and those of writing its rows as JSON."""
    from rb_build import recipe  # here, so that processes that only evaluate do not need its memory
    from rb_build.release import compile_release, workers
    from rb_verify import canonical

    parsed = recipe.read(release / "recipe.json")
    with workers(number) as run:
        taken, compiled = timed(partial(compile_release, parsed, run))
    rows = [json.loads(line) for name, data in compiled.files.items() if name.startswith("data/") for line in data.splitlines()]
    return taken, timed(partial(canonical.lines, rows))[0]
