"""The command rb-verify. Exit codes: 0 scored and complete; 1 scored, but lines or ids are bad or missing (each is
listed); 2 unusable input or arguments; 3 the release does not match its manifest, or an internal error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from rb_verify import console
from rb_verify.errors import UnusableInput
from rb_verify.version import __version__


class Format(str, Enum):
    """How the report is printed."""

    table = "table"
    markdown = "markdown"
    json = "json"


class Text(str, Enum):
    """Which text's reasoning is scored."""

    both = "both"
    answer = "answer"
    thinking = "thinking"


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def _version(asked: bool) -> None:
    if asked:
        print(f"rb-verify {__version__}")
        raise typer.Exit


@app.command()
def verify(
    file: Annotated[str, typer.Argument(help="Predictions: JSON Lines of {id, response}, .gz too; - for standard input.")],
    release: Annotated[
        str | None,
        typer.Option(
            help="Release folder, or org/name@tag on the Hub. Default: by the ids, in $RB_RELEASES, ./releases, $RB_ORG."
        ),
    ] = None,
    config: Annotated[str, typer.Option(help="Which config's test rows to score.")] = "default",
    partial: Annotated[
        bool, typer.Option("--partial", help="Leave out rows without a prediction; the signature says so.")
    ] = False,
    json_out: Annotated[Path | None, typer.Option("--json", help="Write the whole report to this file.")] = None,
    details: Annotated[Path | None, typer.Option(help="Write one JSON line a prediction, with its evidence.")] = None,
    eval_results: Annotated[
        Path | None,
        typer.Option(help="Write the score as YAML for .eval_results of a model on the Hub; needs --release ORG/NAME@TAG."),
    ] = None,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.table,
    explain: Annotated[
        str | None, typer.Option(metavar="ID", help="Print the verdict on one row in words, and no report.")
    ] = None,
    submission: Annotated[
        Path | None, typer.Option(help="JSON about the model (schemas/submission.schema.json), repeated in the report.")
    ] = None,
    text: Annotated[
        Text | None, typer.Option(help="Reasoning that is scored (reefbench); the signature names it. Default: both.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that judge lines.")] = 1,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Score a predictions file against a frozen release.

    Exit codes: 0 scored and complete; 1 scored, but lines or ids are bad or missing; 2 unusable input or arguments;
    3 the release does not match its manifest, or an internal error.
    """
    with console.failures("rb-verify"):
        from rb_verify import eval_results as hub_results
        from rb_verify import render, report
        from rb_verify.evaluation import evaluate
        from rb_verify.predictions import read_submission
        from rb_verify.release import load, locate

        options = {} if text is None else {"text": text.value}
        if explain is not None:
            _explain(file, release, config, explain, options)
            return
        said = None if submission is None else read_submission(submission)
        named = None if eval_results is None else hub_results.origin(release)
        with _written(details) as detail_stream, console.progress("lines judged") as advance:
            loaded = load(locate(release, None), config) if release is not None else None
            result = evaluate(
                file,
                loaded,
                config=config,
                partial=partial,
                workers=workers,
                details=detail_stream,
                progress=advance,
                submission=said,
                options=options,
            )
        entry = None
        if named is not None and loaded is not None:
            commit = loaded.path.name  # the Hub's client names the folder so
            entry = hub_results.dump(result, *named, commit, datetime.now(timezone.utc).date().isoformat())
        if json_out is not None:
            with _written(json_out) as stream:
                print(result.to_json(), file=stream)
        if entry is not None:
            with _written(eval_results) as stream:
                print(entry, end="", file=stream)
        for line in render.problem_lines(result, file):
            print(line, file=sys.stderr)
        shown = report.tables(result)
        if format is Format.json:
            print(result.to_json())
        elif format is Format.markdown:
            print(render.markdown(result, shown))
        else:
            render.terminal(result, shown, sys.stdout)
        if not result.complete:
            raise typer.Exit(console.INCOMPLETE)


def _explain(file: str, release: str | None, config: str, row_id: str, options: dict[str, str]) -> None:
    from rb_verify import render
    from rb_verify.datasets import release_of
    from rb_verify.evaluation import evaluate
    from rb_verify.release import load, locate

    loaded = load(locate(release, release_of(row_id)), config)
    row_id = loaded.blind.get(row_id, row_id)
    row = next((row for row in loaded.rows if row["id"] == row_id), None)
    if row is None:
        raise UnusableInput(f"{row_id}: no such row in config {config} of {loaded.path}; correct the id or name its --config")
    lines = io.StringIO()
    evaluate(file, loaded, config=config, details=lines, options=options)
    for line in lines.getvalue().splitlines():
        detail: dict[str, Any] = json.loads(line)
        if detail["id"] == row_id:
            print(render.explain(loaded.dataset, row, detail))


@contextmanager
def _written(path: Path | None) -> Iterator[IO[str] | None]:
    """A file that appears under its name only when it is whole."""
    if path is None:
        yield None
        return

    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        partial.replace(path)
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be written ({error.strerror}); name another file") from None
    finally:
        partial.unlink(missing_ok=True)


def main() -> None:
    """Run the command."""
    console.use_utf8()
    app()
