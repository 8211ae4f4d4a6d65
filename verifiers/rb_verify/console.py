"""What the commands share: failures as one sentence and an exit code, and progress on stderr."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import NoReturn

from rb_verify.errors import ReleaseMismatch, UnusableInput


class Format(str, Enum):
    """How tables are printed."""

    table = "table"
    markdown = "markdown"
    json = "json"


INCOMPLETE, UNUSABLE, UNSOUND, INTERRUPTED, CLOSED = 1, 2, 3, 130, 141


def plain(text: str) -> str:
    """Text without control characters, so that a submission cannot write to the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def stop(program: str, message: str, code: int) -> NoReturn:
    """End the program with a message on stderr, which may quote a stranger."""
    print(f"{program}: {plain(message)}", file=sys.stderr)
    raise SystemExit(code)


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
        stop(program, "interrupted; nothing stands half written under its final name, run it again", INTERRUPTED)
    except Exception as error:
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
