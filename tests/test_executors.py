"""Work by any Executor: the same reports and bytes as in this process, a bounded amount under way, ends that are told."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from io import StringIO
from itertools import count
from multiprocessing import get_context, get_start_method
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from rb_build.recipe import trusted
from rb_build.release import compile_release, mapped
from rb_verify import executors, judging
from rb_verify.errors import UnusableInput
from rb_verify.evaluation import Options, evaluate, evaluate_all
from rb_verify.release import Release, load
from shelf import DATASETS, answers, put, shelve
from small_recipe import small


class Lazy(Executor):
    """Does each piece of work when its result is asked for, here."""

    class Promise(Future[Any]):
        """Work that waits."""

        work: Callable[[], Any]

        def result(self, timeout: float | None = None) -> Any:
            """Do the work."""
            return self.work()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Keep the work for later."""
        promise = self.Promise()
        promise.work = partial(fn, *args, **kwargs)
        return promise


POOLS: dict[str, Callable[[], AbstractContextManager[Executor]]] = {
    "threads": lambda: ThreadPoolExecutor(3),
    "forked": lambda: ProcessPoolExecutor(2, get_context("fork")),
    "spawned": lambda: ProcessPoolExecutor(2, get_context("spawn")),
    "lazy": lambda: nullcontext(Lazy()),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small release of each dataset."""
    return tmp_path_factory.mktemp("executors")


@pytest.fixture(scope="module")
def shelf(place: Path) -> dict[str, Release]:
    """The releases in it."""
    return shelve(place)


@pytest.fixture(scope="module")
def lines(shelf: dict[str, Release]) -> list[Any]:
    """Answers to all releases, shuffled together, and lines that are no answers."""
    found: list[Any] = [line for name in DATASETS for line in answers(shelf[name], 2)]
    found += ["no json", {"id": "tracebench-9-9-9-x", "response": "x"}, found[0], found[1] | {"response": "another"}]
    random.Random(5).shuffle(found)
    return found


def told(file: Path, pool: Executor | None) -> tuple[list[dict[str, Any]], str]:
    """The reports on a file, and the details."""
    details = StringIO()
    reports = evaluate_all([file], options=Options(executor=pool), details=details)
    return [report.data for report in reports], details.getvalue()


@pytest.mark.parametrize("name", POOLS)
def test_any_executor_gives_the_same_reports(place: Path, lines: list[Any], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Reports and details are those of one process, and the executor is left open for more."""
    monkeypatch.chdir(place)
    file = put(place / "lines.jsonl", *lines)
    expected = told(file, None)
    assert [report["dataset"] for report in expected[0]] == list(DATASETS)
    assert {problem["kind"] for problem in expected[0][1]["problems"]} >= {"bad_line", "unknown_id"}
    with POOLS[name]() as pool:
        assert told(file, pool) == expected
        assert executors.submitted(pool, len, "four").result() == 4
    assert not judging._held._judges


@pytest.mark.parametrize("name", POOLS)
def test_any_executor_builds_the_same_bytes(name: str) -> None:
    """A small recipe has one digest, whoever builds it."""
    with POOLS[name]() as pool:
        assert compile_release(trusted(small()), mapped(pool)) == compile_release(trusted(small()))


@pytest.mark.parametrize("there", ["nothing", "another release"])
def test_a_release_that_workers_do_not_see_is_lent(shelf: dict[str, Release], tmp_path: Path, there: str) -> None:
    """Where its folder is gone, or has another release of that name by now, workers judge by the one that was loaded."""
    release = shelf["tracebench"]
    folder = tmp_path / "releases" / "tracebench" / "0.1.0"
    if there != "nothing":
        shelve_one = small(seed="another")
        (tmp_path / "recipe.json").write_text(json.dumps(shelve_one))
        command = [sys.executable, "-m", "rb_build", "build", "recipe.json", "--out", str(folder), "--workers", "1"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        assert load(folder).manifest["manifest_sha256"] != release.manifest["manifest_sha256"]
    moved = Release(folder, *list(vars(release).values())[1:])
    file = put(tmp_path / "lines.jsonl", *answers(release, 3))
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert evaluate(file, moved, executor=pool).data == evaluate(file, release).data


def test_lending_loses_nothing_of_a_release(shelf: dict[str, Release]) -> None:
    """What comes out of a loan is what went in."""
    for release in shelf.values():
        assert judging._borrowed(judging._lent(release)) == release


def test_a_process_holds_few_releases(shelf: dict[str, Release]) -> None:
    """The oldest goes for a new one, and one that is asked for twice is loaded once."""
    held = judging._Held()
    made = []
    for release, text in zip([*shelf.values(), shelf["twosat"]], ("a", "b", "c", "d"), strict=True):
        code = executors.code(executors.VERIFIER)
        names = release.manifest["manifest_sha256"], "default"
        errand = judging.Errand(str(release.path), *names, (("text", text),), False, False, code)
        made.append((errand, held.find(errand, None)))
    assert list(held._judges) == [errand for errand, _ in made[1:]]
    assert held.find(*made[2][:1], None) is made[2][1]
    same = {id(judge.release) for _, judge in made if judge is not None and judge.release.dataset == "twosat"}
    assert len(same) == 1


def doubled(number: int) -> int:
    """Twice a number, but 13 is bad luck."""
    if number == 13:
        raise ValueError("13")
    return 2 * number


def test_ordered_takes_no_more_than_is_under_way() -> None:
    """Results come in order from endless items, of which only a few are taken before the first result."""
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in count(100):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(2) as pool:
        found = executors.ordered(pool, doubled, items(), chunk=3, ahead=4)
        first = [next(found) for _ in range(30)]
        found.close()
    assert first == list(range(200, 260, 2))
    assert len(taken) <= 30 + 3 * 5


def test_ordered_raises_what_the_work_raises() -> None:
    """The results before it come first."""
    found: list[int] = []
    with ThreadPoolExecutor(2) as pool, pytest.raises(ValueError, match="13"):
        found.extend(executors.ordered(pool, doubled, range(10, 20)))
    assert found == [20, 22, 24]


def die_in_a_map(pool: Executor) -> None:
    """Have workers end in the middle of a map."""
    list(executors.ordered(pool, os._exit, range(9)))


def die_before(pool: Executor) -> None:
    """Break an executor, and give it more to do."""
    pool.submit(os._exit, 1).exception()
    executors.submitted(pool, len, "")


@pytest.mark.parametrize("work", [die_in_a_map, die_before])
def test_a_worker_that_dies_is_told(work: Callable[[Executor], None]) -> None:
    """One sentence, and a cure."""
    with executors.executor(2) as pool:
        assert pool is not None
        with pytest.raises(UnusableInput, match=r"a worker process ended .* fewer --workers"):
            work(pool)


def test_dropped_work_is_told() -> None:
    """Work that an executor cancels is not waited for."""
    future: Future[int] = Future()
    future.cancel()
    with pytest.raises(UnusableInput, match="dropped its work"):
        executors.result(future)


@pytest.mark.parametrize("address", ["", "here", "dask://", "dask://host", "dask://:8786", "dask://host:http", "ssh://h:22"])
def test_addresses_that_are_none(address: str) -> None:
    """Each is refused before anything is imported or dialled."""
    with (
        pytest.raises(UnusableInput, match="is no address of an executor; write dask://HOST:PORT"),
        executors.executor(1, address),
    ):
        pass


def test_dask_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library, the extra is named."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnusableInput, match=r"pip install 'rb-verify\[dask\]'"), executors.executor(1, "dask://127.0.0.1:1"):
        pass


def test_other_code_is_refused() -> None:
    """A worker with another version, another source or without the package does no work."""
    ((_, here),) = executors.code(("rb_verify",))
    executors.check((("rb_verify", here),))
    with pytest.raises(UnusableInput, match=r"has rb_verify 1\.\S+ \(source .*, not 0\.9"):
        executors.check((("rb_verify", "0.9"),))
    with pytest.raises(UnusableInput, match=r"has no rb_nothing; install rb_nothing 1\.0"):
        executors.check((("rb_nothing", "1.0"),))
    with ThreadPoolExecutor(1) as pool:
        assert executors.result(executors.submitted(pool, executors.code, ("rb_verify",))) == (("rb_verify", here),)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are read from /proc")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_workers_end_with_their_parent(shelf: dict[str, Release], tmp_path: Path, sent: signal.Signals, code: int) -> None:
    """Ctrl-C, which a terminal sends to all, and the kill of the parent alone: no worker is left, and none complains."""
    command = [sys.executable, "-m", "rb_verify", "-", "--release", str(shelf["tracebench"].path), "--workers", "2"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)

    def interruptible() -> None:
        """Whoever runs the tests in the background has Ctrl-C ignored, and so would the command."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True, preexec_fn=interruptible, **pipes) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        assert run.stderr is not None
        answer = json.dumps(answers(shelf["tracebench"])[0]).encode()
        while len(children(run.pid)) < 2:  # workers start when lines enough are there
            assert run.poll() is None, run.stderr.read()
            run.stdin.write(200 * (answer + b"\n"))
            run.stdin.flush()
        workers = children(run.pid)
        os.killpg(run.pid, sent) if sent == signal.SIGINT else run.send_signal(sent)
        assert run.wait() == code
        while any(map(alive, workers)):  # for ever, if one is left
            sleep(0.01)
        said = run.stderr.read().decode()
        assert run.stdout.read() == b""
        assert ("interrupted" in said, said.count("\n")) == ((True, 1) if sent == signal.SIGINT else (False, 0))


@pytest.mark.skipif(get_start_method() != "fork", reason="nothing else runs callbacks of a fork")
def test_ctrl_c_while_workers_are_forked() -> None:
    """What is raised in a callback of a fork, Python drops. A signal that comes there is answered once the work is sent."""
    script = """
import os, signal
from rb_verify import executors
os.register_at_fork(after_in_parent=lambda: signal.raise_signal(signal.SIGINT))
try:
    with executors.executor(2) as pool:
        executors.submitted(pool, len, ())
except KeyboardInterrupt:
    print("interrupted")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "interrupted\n", "")


def children(process: int) -> list[int]:
    """The processes that a process started."""
    return [int(one) for path in Path(f"/proc/{process}/task").glob("*/children") for one in path.read_text().split()]


def alive(process: int) -> bool:
    """Whether a process runs still, rather than waiting for its end to be noticed."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
