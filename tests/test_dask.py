"""A Dask cluster as users start one: a scheduler and two workers, processes of their own, one of which is killed at work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from commands import rb_build, rb_verify
from rb_build.recipe import parse
from rb_build.release import PACKAGES, compile_release, mapped
from rb_verify import evaluate, executors
from rb_verify.errors import UnusableInput
from rb_verify.release import Release
from shelf import answers, put, shelve
from small_recipe import small

pytestmark = pytest.mark.slow


@contextmanager
def running(*arguments: str, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command of Dask's, until the block ends."""
    # -m distributed.cli: what ``dask scheduler`` and ``dask worker`` run, without their warnings about the shell.
    # They import what this process does, these tests included.
    command = [sys.executable, "-m", f"distributed.cli.dask_{arguments[0]}", *arguments[1:]]
    with subprocess.Popen(command, cwd=cwd, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        try:
            yield process
        finally:
            process.kill()


class Cluster:
    """A cluster. ``address``: for --executor; ``workers``: the processes of its workers."""

    def __init__(self, address: str, workers: list[subprocess.Popen[bytes]]) -> None:
        self.address, self.workers = address, workers


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and two workers in a folder of their own, where no release is."""
    home = tmp_path / "cluster"
    home.mkdir()
    told = home / "scheduler.json"
    with running("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told), cwd=home):
        while not told.exists() or not told.read_text():
            time.sleep(0.05)
        place = json.loads(told.read_text())["address"]
        one = ("worker", place, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        with running(*one, cwd=home) as first, running(*one, cwd=home) as second:
            yield Cluster(place.replace("tcp://", "dask://"), [first, second])


@pytest.fixture
def shelf(tmp_path: Path) -> dict[str, Release]:
    """Small releases of all datasets."""
    return shelve(tmp_path)


def test_commands_give_the_same_bytes_and_report(tmp_path: Path, shelf: dict[str, Release], cluster: Cluster) -> None:
    """rb-verify on three datasets in one file, build, check and a fresh split: as in one process."""
    put(tmp_path / "p.jsonl", *(each for name in shelf for each in answers(shelf[name], samples=3)))
    alone = rb_verify("p.jsonl", "--details", "alone.jsonl", "--format", "json", cwd=tmp_path)
    there = rb_verify("p.jsonl", "--details", "d.jsonl", "--format", "json", "--executor", cluster.address, cwd=tmp_path)
    assert (alone.returncode, alone.stdout, alone.stderr) == (there.returncode, there.stdout, there.stderr)
    assert (tmp_path / "alone.jsonl").read_bytes() == (tmp_path / "d.jsonl").read_bytes()
    fresh = ("fresh", "reefbench@0.1.0", "--seed", "s", "--out")
    for place, how in (("a", ("--workers", "1")), ("b", ("--executor", cluster.address))):
        assert rb_build("build", "tracebench@0.1.0", "--out", f"built-{place}", *how, cwd=tmp_path).returncode == 0
        assert rb_build(*fresh, f"fresh-{place}", *how, cwd=tmp_path).returncode == 0
        assert rb_build(*fresh, f"split-{place}", "--shards", "2", *how, cwd=tmp_path).returncode == 0
        assert rb_build("check", f"split-{place}", *how, cwd=tmp_path).returncode == 0
    for kind in ("built", "fresh", "split"):
        assert subprocess.run(["diff", "-r", tmp_path / f"{kind}-a", tmp_path / f"{kind}-b"]).returncode == 0


def kill_me_once(item: tuple[str, Any]) -> Any:
    """Work that ends its worker the first time that any worker does it."""
    mark, value = item
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return value
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("at", [0, 7, 19])
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, cluster: Cluster, at: int) -> None:
    """The at-th piece of work kills its worker; the other does it again, and all that was lost."""
    mark = str(tmp_path / "killed")
    with executors.executor(1, cluster.address, PACKAGES) as pool:
        assert pool is not None
        work = [(mark if number == at else str(tmp_path), number) for number in range(20)]
        assert list(executors.ordered(pool, kill_me_once, work, packages=PACKAGES)) == list(range(20))
    assert [worker.poll() is not None for worker in cluster.workers].count(True) == 1


def test_builds_and_reports_survive_a_killed_worker(
    tmp_path: Path, shelf: dict[str, Release], cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two workers killed between two results, first of a build and then, a new one in its place, of an evaluation."""
    recipe = parse(small(seed="killed"), "recipe")
    file = put(tmp_path / "p.jsonl", *answers(shelf["tracebench"], samples=12))
    built, report = compile_release(recipe), evaluate(file, shelf["tracebench"]).to_json()
    results = 0
    real = executors.result

    def result(future: Any) -> Any:
        nonlocal results
        results += 1
        if results == 3:
            cluster.workers[0].kill()
            cluster.workers[0].wait()
        return real(future)

    monkeypatch.setattr(executors, "result", result)
    with executors.executor(1, cluster.address, PACKAGES) as pool:
        assert compile_release(recipe, mapped(pool)) == built
        assert results > 3
    place = cluster.address.replace("dask://", "tcp://")
    one = ("worker", place, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    with running(*one, cwd=tmp_path) as third, executors.executor(1, cluster.address) as pool:
        cluster.workers[0], results = third, 0
        assert evaluate(file, shelf["tracebench"], executor=pool).to_json() == report
        assert results > 3
        assert third.poll() is not None


def test_a_release_that_no_worker_sees_is_sent_once_to_each(
    tmp_path: Path, shelf: dict[str, Release], cluster: Cluster
) -> None:
    """Workers without the folder judge by the release of their parent."""
    file = put(tmp_path / "p.jsonl", *answers(shelf["twosat"], samples=5))
    expected = evaluate(file, shelf["twosat"]).to_json()
    shelf["twosat"].path.rename(tmp_path / "moved")
    with executors.executor(1, cluster.address) as pool:
        assert evaluate(file, shelf["twosat"], executor=pool).to_json() == expected


def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    """No scheduler at the address, and one without workers."""
    with (
        pytest.raises(UnusableInput, match="no scheduler answers there"),
        executors.executor(1, "dask://127.0.0.1:1", patience=1),
    ):
        pass
    told = tmp_path / "scheduler.json"
    with running(
        "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told), cwd=tmp_path
    ):
        while not told.exists() or not told.read_text():
            time.sleep(0.05)
        place = json.loads(told.read_text())["address"].replace("tcp://", "dask://")
        with pytest.raises(UnusableInput, match="has no workers"), executors.executor(1, place, patience=1):
            pass


def test_work_that_kills_every_worker_is_told(cluster: Cluster, tmp_path: Path) -> None:
    """Dask gives a piece of work up after its fourth worker; then one sentence says so."""
    place = cluster.address.replace("dask://", "tcp://")
    one = ("worker", place, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    with (
        running(*one, cwd=tmp_path),
        running(*one, cwd=tmp_path),
        executors.executor(1, cluster.address) as pool,
    ):
        assert pool is not None
        with pytest.raises(UnusableInput, match=r"gave the work up \(KilledWorker: Attempted .* its workers' logs"):
            list(executors.ordered(pool, os._exit, [1]))


def test_a_scheduler_that_goes_is_told(cluster: Cluster) -> None:
    """Work under way is dropped, in one sentence and not for ever."""
    with executors.executor(1, cluster.address) as pool:
        assert pool is not None
        future = executors.submitted(pool, time.sleep, 3600)
        client: Any = pool._client  # type: ignore[attr-defined]
        with suppress(OSError):  # nobody is left to answer
            client.run_on_scheduler(os._exit, 1)
        with pytest.raises(UnusableInput, match="its scheduler is gone"):
            executors.result(future)


def test_a_cluster_of_other_code_is_refused(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One with another version of ours, and one without it, are told what to install."""
    with monkeypatch.context() as patched:
        patched.setattr(executors, "code", lambda packages: (("rb_verify", "0.9"),))
        with pytest.raises(UnusableInput, match=r"has rb_verify 1\..*, not 0\.9"), executors.executor(1, cluster.address):
            pass
    told = tmp_path / "bare.json"
    site = [path for path in sys.path if path.endswith("site-packages")]
    bare = f"import sys; sys.path += {site!r}; from distributed.cli.dask_scheduler import main; main()"  # no checkout of ours
    command = [sys.executable, "-S", "-c", bare, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen([*command, "--scheduler-file", str(told)], cwd=tmp_path, env=kept) as process:
        try:
            while not told.exists() or not told.read_text():
                assert process.poll() is None
                time.sleep(0.05)
            place = json.loads(told.read_text())["address"]
            said = "lacks rb_verify; install rb_verify for its scheduler and its workers"
            one = ("worker", place, "--nthreads", "1", "--no-nanny", "--no-dashboard")
            asked = executors.executor(1, place)
            with running(*one, cwd=tmp_path), pytest.raises(UnusableInput, match=said), asked:
                pass
        finally:
            process.kill()
