"""One process beside two, and beside a Dask cluster of two worker processes on this machine: evaluation, and a build.

The pools and the cluster are there before the time is taken, as they are where they serve for long; the reports and the bytes
must be those of one process. What two could bring at most, the machine says: the same work done twice at once, by two processes
that share nothing, in half the time that both together took. Needs the extra dask.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from time import sleep
from typing import Annotated

import typer
from measuring import FROZEN, apart, interleaved, ratios, require, spread, timed
from rich.console import Console
from rich.table import Table
from verification import write_predictions

from rb_build import recipe as recipes
from rb_build.release import PACKAGES, compile_release, mapped
from rb_verify import evaluate, executors
from rb_verify.release import load

RELEASE = FROZEN["tracebench"]
WORKERS = 2


@contextmanager
def running(what: str, *arguments: str, cwd: str) -> Iterator[None]:
    """Dask's scheduler or worker, until the block ends; what they say is dropped."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *arguments]
    quiet = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, cwd=cwd, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


@contextmanager
def cluster(folder: str) -> Iterator[Executor]:
    """An executor of a new cluster."""
    told = Path(folder) / "scheduler.json"
    with ExitStack() as stack:
        listening = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told))
        stack.enter_context(running("scheduler", *listening, cwd=folder))
        while not told.exists() or not told.read_text():
            sleep(0.05)
        address = json.loads(told.read_text())["address"]
        for _ in range(WORKERS):
            stack.enter_context(
                running("worker", address, "--nthreads", "1", "--no-nanny", "--death-timeout", "60", cwd=folder)
            )
        pool = stack.enter_context(executors.executor(1, address, PACKAGES, patience=60))
        assert pool is not None
        while executors.capacity(pool) < WORKERS:
            sleep(0.05)
        yield pool


def alike(work: Callable[[Executor | None], object], pools: dict[str, Executor | None]) -> None:
    """End unless work comes out the same whoever does it; this also warms everybody up."""
    results = [work(pool) for pool in pools.values()]
    if any(result != results[0] for result in results):
        sys.exit("executors disagree on a result")


def evaluation(file: Path, pool: Executor | None) -> object:
    """The report on a file of predictions."""
    return evaluate(file, load(RELEASE), partial=True, executor=pool).data


def building(pool: Executor | None) -> object:
    """The manifest of the release built anew."""
    return compile_release(recipes.read(RELEASE / "recipe.json"), mapped(pool)).manifest


def twice(work: Callable[[Executor | None], object]) -> float:
    """Seconds that work takes where two new processes do it at once, each all of it: half of the longer."""
    with ThreadPoolExecutor(WORKERS) as both:
        return max(both.map(lambda _: apart(_warm, work), range(WORKERS))) / WORKERS


def _warm(work: Callable[[Executor | None], object]) -> float:
    import rb_build.datasets  # noqa: F401  (so that their import is not timed)
    import rb_verify.evaluation  # noqa: F401

    return timed(partial(work, None))[0]


def main(
    lines: Annotated[int, typer.Option(min=1, help="Predictions that are evaluated.")] = 50_000,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 3,
) -> None:
    """Compare executors. Each cell: median (least-greatest) over the repeats."""
    require(RELEASE)
    table = Table("work", "by", "seconds", "as fast as one process")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        file = Path(folder) / "predictions.jsonl"
        write_predictions(file, RELEASE, lines)
        works: dict[str, Callable[[Executor | None], object]] = {
            f"{lines:,} predictions": partial(evaluation, file),
            "tracebench@1.0.0": building,
        }
        pools = {
            "1 process": None,
            "2 processes": stack.enter_context(executors.executor(WORKERS)),
            "Dask, 2 workers": stack.enter_context(cluster(folder)),
        }
        for name, work in works.items():
            alike(work, pools)
            times = interleaved({by: partial(work, pool) for by, pool in pools.items()}, repeats)
            times["twice at once"] = [twice(work) for _ in range(repeats)]
            for by, taken in times.items():
                table.add_row(name, by, spread(taken), spread(ratios(times["1 process"], taken), "x"))
    Console(width=120).print(table)


if __name__ == "__main__":
    typer.run(main)
