"""What the commands share: every end as one sentence and an exit code, and progress on stderr.

A command may end because nobody reads its output on, because a signal ends it, or because a disk is full. Each such end
has its code, as shells count them: 128 and the signal's number; and clean-up is done first.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn

from rb_verify.errors import ReleaseMismatch, UnusableInput


class Format(str, Enum):
    """How tables are printed."""

    table = "table"
    markdown = "markdown"
    json = "json"


INCOMPLETE, UNUSABLE, UNSOUND, CLOSED = 1, 2, 3, 141
SIGNALS = {signal.SIGHUP: "hung up", signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""Signals that end a command, with 128 and the signal's number as its exit code: 129, 130, 143."""

_TOLD = (signal.SIGHUP, signal.SIGTERM)  # Ctrl-C, Python and asyncio answer by themselves

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def plain(text: str) -> str:
    """Text without control characters, so that a submission cannot write to the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def stop(program: str, message: str, code: int) -> NoReturn:
    """End the program with a message on stderr, which may quote a stranger."""
    with suppress(OSError):  # nobody may be listening, and the code says it too
        print(f"{program}: {plain(message)}", file=sys.stderr)
    raise SystemExit(code)


class _Ending:
    """Ends the program as Ctrl-C does when a signal asks for it. ``number``: that signal; None before it comes."""

    number: int | None = None

    def __call__(self, number: int, frame: object) -> NoReturn:
        _listen(signal.SIG_IGN)  # cleaning up is not to be disturbed
        self.number = number
        raise KeyboardInterrupt


_ending = _Ending()


def run(program: str, app: Callable[[], Any]) -> NoReturn:
    """Run a command and end the program, with one of the documented exit codes whatever happens on the way."""
    _open_streams()
    use_utf8()
    _listen(_ending)
    os.register_at_fork(after_in_child=_as_worker)
    code: Any = 0
    try:
        with failures(program):
            app()
    except SystemExit as end:  # rich and click answer a broken pipe with a code of their own
        code = CLOSED if isinstance(end.__context__, BrokenPipeError) else end.code
    _listen(signal.SIG_IGN)  # what was to be done is done
    code = code if _ending.number is None else 128 + _ending.number
    raise SystemExit(_flushed(program, code))


def _as_worker() -> None:
    """Of a process that works for this one: leave Ctrl-C, which a terminal sends to both, to this one, and end when told."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _listen(signal.SIG_DFL)


def _listen(handler: Any) -> None:
    """Set what signals do. One that was ignored when the program started, as under ``nohup``, stays so."""
    for number in _TOLD:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _open_streams() -> None:
    """Give a program that was started without its streams some: else the first file it opens would be taken for one.

    Its output is a pipe that nobody reads, so that it ends as under ``| true``.
    """
    for place, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        opened = os.pipe() if name == "stdout" else (os.open(os.devnull, os.O_RDWR),)
        os.dup2(opened[-1], place)
        for spare in {*opened} - {place}:
            os.close(spare)
        setattr(sys, name, os.fdopen(place, "r" if name == "stdin" else "w", closefd=False))


def _flushed(program: str, code: Any) -> Any:
    """The exit code, after what was printed last has gone out or failed to; then Python itself does not try again."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except OSError as error:
            setattr(sys, name, io.StringIO())
            if name == "stdout" and isinstance(error, BrokenPipeError):
                code = CLOSED
            elif name == "stdout":
                with suppress(OSError):
                    print(f"{program}: {_full(error)}", file=sys.stderr)
                code = UNUSABLE
    return code


def _full(error: OSError) -> str:
    """What to do about a disk that takes no more, where nothing else has said it."""
    name = error.filename or "standard output, or a temporary file,"
    return f"{name} cannot be written ({error.strerror}); make room, or name another folder with $TMPDIR"


@contextmanager
def failures(program: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into one sentence and a documented exit code, never a traceback."""
    try:
        yield
        sys.stdout.flush()
    except UnusableInput as error:
        stop(program, str(error), UNUSABLE)
    except ReleaseMismatch as error:
        stop(program, str(error), UNSOUND)
    except BrokenPipeError:
        sys.stdout = io.StringIO()  # nobody reads on: leave without a second complaint
        raise SystemExit(CLOSED) from None
    except KeyboardInterrupt:
        number = _ending.number or signal.SIGINT
        said = "nothing stands half written under its final name, run it again"
        stop(program, f"{SIGNALS[signal.Signals(number)]}; {said}", 128 + number)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            if error.filename is None:
                sys.stdout = io.StringIO()  # what waits there would fail once more
            stop(program, _full(error), UNUSABLE)
        if type(error).__module__.partition(".")[0] in ("click", "typer"):
            raise  # the command line's own way to exit
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        stop(program, f"internal error: {type(error).__name__} at {where}: {str(error)[:300]}; please report it", UNSOUND)


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A counter on stderr if someone is watching; call it with how many more are done. ``label``: "lines judged".

    ``total``: how many there will be, which makes it a bar.
    """
    if not sys.stderr.isatty():
        yield lambda number: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    counted: tuple[ProgressColumn, ...] = SpinnerColumn(), TextColumn(f"{{task.completed:.0f}} {label}")
    if total is not None:
        counted = BarColumn(), TextColumn(f"{{task.completed:.0f}} of {{task.total:.0f}} {label}"), TimeRemainingColumn()
    with Progress(*counted, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda number: bar.advance(task, number)


def use_utf8() -> None:
    """Write UTF-8 whatever the locale, and never fail on a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
