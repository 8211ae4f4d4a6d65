"""Work done by other processes or machines: any Executor, its results in order, so much of it under way and no more.

``executor`` makes what the commands' --workers and --executor ask for; callers of the library bring an Executor of their own.
Both packages promise the same bytes everywhere, so work is refused where the code is not the same: each unit of work names
the code that it is of, since a worker may join a cluster long after work began.
"""

from __future__ import annotations

import os
import platform
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from itertools import islice
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any, TypeVar

from rb_verify.console import SIGNALS
from rb_verify.errors import UnusableInput

T = TypeVar("T")
R = TypeVar("R")

Code = tuple[tuple[str, str], ...]
"""Packages by name, each with its version and a digest of its source."""

VERIFIER = ("rb_verify",)
AHEAD = 4  # units of work under way for each that can be done at once
_PATIENCE = 20.0  # seconds for a cluster to answer, and for its first worker to be there
_SCHEMES = {"dask": "tcp", "tcp": "tcp", "tls": "tls"}


@contextmanager
def executor(
    workers: int, address: str | None = None, packages: tuple[str, ...] = VERIFIER, patience: float = _PATIENCE
) -> Iterator[Executor | None]:
    """Who does the work: a Dask cluster, so many processes of this machine, or None, which is this process.

    ``address``: ``dask://HOST:PORT`` of a cluster's scheduler, or its own ``tcp://`` or ``tls://`` address; it goes before
    ``workers``. ``packages``: whose code the work is; ``patience``: seconds to wait for the cluster. Where the block ends
    early, work under way is dropped. Raises UnusableInput where the cluster does not answer, has no workers or other code.
    """
    if address is not None:
        with _cluster(address, packages, patience) as pool:
            yield pool
    elif workers > 1:
        with _processes(workers) as pool:
            yield pool
    else:
        yield None


def ordered(
    pool: Executor,
    function: Callable[[T], R],
    items: Iterable[T],
    *,
    packages: tuple[str, ...] = VERIFIER,
    chunk: int = 1,
    ahead: int | None = None,
) -> Iterator[R]:
    """What a function gives for each item, in order; items are taken as results are, so that neither pile up.

    ``packages``: whose code the function is. ``chunk``: items that go together; ``ahead``: chunks under way at once. Raises
    what the function raises, and what ``result`` does.
    """
    work = partial(_each, code(packages), function)
    limit = ahead or AHEAD * capacity(pool)
    waiting: deque[Future[list[R]]] = deque()
    rest = iter(items)
    try:
        while some := list(islice(rest, chunk)):
            if len(waiting) >= limit:
                yield from result(waiting.popleft())
            waiting.append(submitted(pool, work, some))
        while waiting:
            yield from result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def submitted(pool: Executor, function: Callable[..., R], *arguments: Any) -> Future[R]:
    """Have work done by an executor. Raises UnusableInput where it has broken."""
    with _breakage(), _held():
        return pool.submit(partial(function, *arguments))  # as one thing: Dask looks into arguments, however long they are


def result(future: Future[R]) -> R:
    """What became of work. Raises what the work raised, or UnusableInput where nobody is left who does it."""
    with _breakage():
        return future.result()


def capacity(pool: Executor) -> int:
    """How many units of work an executor does at once, as far as it tells."""
    if (client := getattr(pool, "_client", None)) is not None:  # Dask's
        return max(1, sum(map(int, client.nthreads().values())))
    return int(getattr(pool, "_max_workers", None) or os.cpu_count() or 1)


@lru_cache(maxsize=4)
def code(packages: tuple[str, ...]) -> Code:
    """The code of packages, as this process has it. Raises ImportError."""
    found = []
    for name in packages:
        package = import_module(name)
        home = Path(str(package.__file__)).parent
        seen = sha256()
        for path in sorted(home.rglob("*.py"), key=lambda path: path.relative_to(home).parts):
            text = path.read_bytes().replace(b"\r\n", b"\n")  # a checkout of Windows has the same code
            seen.update(f"{path.relative_to(home).as_posix()} {len(text)}\n".encode() + text)
        found.append((name, f"{package.__version__} (source {seen.hexdigest()[:12]})"))
    return tuple(found)


def check(wanted: Code) -> None:
    """Raises UnusableInput unless this process has the same code of these packages."""
    with suppress(ImportError):  # named below
        if code(tuple(name for name, _ in wanted)) == wanted:  # which a fork inherits, whatever became of the files
            return
    for name, version in wanted:
        try:
            ((_, here),) = code((name,))
        except ImportError:
            raise UnusableInput(f"the worker on {platform.node()} has no {name}; install {name} {version} there") from None
        if here != version:
            raise UnusableInput(f"the worker on {platform.node()} has {name} {here}, not {version}; install the same there")


def _each(wanted: Code, function: Callable[[T], R], items: list[T]) -> list[R]:
    check(wanted)
    return [function(item) for item in items]


@contextmanager
def _breakage() -> Iterator[None]:
    """An executor's ways to say that it can no more, as one sentence."""
    try:
        yield
    except BrokenExecutor:
        cure = "run it again, with fewer --workers if memory was short"
        raise UnusableInput(f"a worker process ended in the middle of its work, killed or out of memory; {cure}") from None
    except CancelledError:
        raise UnusableInput("the executor dropped its work, or its scheduler is gone; start it again, then run this") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] != "distributed":
            raise
        said = f"{type(error).__name__}: {error}".partition("\n")[0].partition(". ")[0][:300]
        raise UnusableInput(f"the cluster gave the work up ({said}); see its workers' logs, then run this again") from None


@contextmanager
def _held() -> Iterator[None]:
    """Answer signals after the block. A pool forks its workers when it is first given work, and what a signal's handler raises
    in a callback of the fork, as logging has one, Python drops: Ctrl-C would be lost.
    """
    came: list[int] = []
    handlers = {}
    if current_thread() is main_thread():  # no other is told of signals, nor may set handlers
        handlers = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for missed in came:
            signal.raise_signal(missed)


@contextmanager
def _processes(number: int) -> Iterator[Executor]:
    pool = ProcessPoolExecutor(number, initializer=_begin)
    try:
        yield pool
    except BaseException:
        for process in list(pool._processes.values()):  # Executor.terminate_workers is new in Python 3.14
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Of a worker process: leave Ctrl-C to its parent, and end with it, however that ends, or when told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if (parent := parent_process()) is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _cluster(address: str, packages: tuple[str, ...], patience: float) -> Iterator[Executor]:
    place = _dialled(address)
    try:
        dask, distributed = import_module("dask"), import_module("distributed")
    except ImportError:
        raise UnusableInput("--executor needs Dask; run pip install 'rb-verify[dask]', here and on the cluster") from None
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}):  # a release may be sent along
        try:
            client = distributed.Client(place, timeout=patience, set_as_default=False)
        except (OSError, ValueError) as error:  # a timeout is an OSError
            said = str(error).partition("\n")[0][:200]
            raise UnusableInput(
                f"{address}: no scheduler answers there ({said}); start dask scheduler, or correct it"
            ) from None
        try:
            _check_cluster(client, address, code(packages), patience)
            pool: Executor = client.get_executor(pure=False)
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=False)
                raise
        finally:
            client.close()


def _dialled(address: str) -> str:
    """A scheduler's address as Dask writes it."""
    scheme, mark, place = address.partition("://")
    host, _, port = place.rpartition(":")
    if not mark or scheme not in _SCHEMES or not host or not port.isdecimal():
        raise UnusableInput(f"{address}: is no address of an executor; write dask://HOST:PORT, or tls://HOST:PORT")
    return f"{_SCHEMES[scheme]}://{place}"


def _check_cluster(client: Any, address: str, wanted: Code, patience: float) -> None:
    """Raises UnusableInput unless the cluster has a worker, and its scheduler and all workers have the code."""
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError:
        raise UnusableInput(f"{address}: the scheduler has no workers; start some with dask worker {address}") from None
    try:
        client.run_on_scheduler(check, wanted)  # which looks into the work that it passes on
        client.run(check, wanted)
    except ImportError as error:
        names = " and ".join(name for name, _ in wanted)
        raise UnusableInput(f"{address}: lacks {error.name}; install {names} for its scheduler and its workers") from None
    except UnusableInput as error:
        raise UnusableInput(f"{address}: {error}") from None
