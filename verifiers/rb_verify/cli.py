"""The command rb-verify. Exit codes: 0 scored and complete; 1 scored, but lines or ids are bad or missing (each is
listed); 2 unusable input or arguments; 3 the release does not match its manifest, or an internal error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from rb_verify import console
from rb_verify.console import Format
from rb_verify.errors import UnusableInput
from rb_verify.files import scratch, written
from rb_verify.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rb_verify.evaluation import Options
    from rb_verify.report import Report


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


def _lm_eval_path(asked: bool) -> None:
    if asked:
        from rb_verify.harness import lm_eval_path

        print(lm_eval_path())
        raise typer.Exit


@app.command()
def verify(
    file: Annotated[
        str,
        typer.Argument(help="Predictions: JSON Lines, a batch output or a harness's log; a submission folder; - for stdin."),
    ],
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
    html: Annotated[
        Path | None, typer.Option(help="Write the report as one page to this file: figures, and rows to look into.")
    ] = None,
    html_rows: Annotated[int, typer.Option(min=0, help="How many rows of each dataset the page holds.")] = 300,
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
        Path | None,
        typer.Option(help="JSON or YAML about the model (schemas/submission.schema.json), repeated in the report."),
    ] = None,
    submit_check: Annotated[
        bool, typer.Option("--submit-check", help="FILE is a submission folder: compute what it claims again, and compare.")
    ] = False,
    text: Annotated[
        Text | None, typer.Option(help="Reasoning that is scored (reefbench); the signature names it. Default: both.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that judge lines.")] = 1,
    executor: Annotated[
        str | None,
        typer.Option(metavar="dask://HOST:PORT", help="Judge on this Dask cluster instead; pip install 'rb-verify\\[dask]'."),
    ] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
    lm_eval_path: Annotated[
        bool,
        typer.Option("--lm-eval-path", callback=_lm_eval_path, is_eager=True, help="Print the folder of lm-eval's tasks."),
    ] = False,
) -> None:
    """Score a submission against frozen releases.

    Exit codes: 0 scored and complete; 1 scored, but lines or ids are bad or missing, or a check failed; 2 unusable input or
    arguments; 3 the release does not match its manifest, or an internal error.
    """
    with console.failures("rb-verify"):
        from rb_verify import eval_results as hub_results
        from rb_verify import executors, pages, render, report
        from rb_verify.evaluation import Options, evaluate_all
        from rb_verify.release import load, locate

        asked = {} if text is None else {"text": text.value}
        if html is not None:
            pages.require()
        if submit_check:
            if partial or asked or any((html, details, eval_results, explain, submission, config != "default")):
                taken = "--release, --json, --workers and --executor"
                raise UnusableInput(f"--submit-check takes {taken}; the folder's claims say the rest")
            with executors.executor(workers, executor) as pool:
                _submit_check(file, release, pool, json_out)
            return
        files, said = _opened(file, submission)
        options = Options(config, partial, scorer=asked, submission=said, texts=html is not None)
        if explain is not None:
            _explain(files, release, options, explain)
            return
        named = None if eval_results is None else hub_results.origin(release)
        with ExitStack() as stack:
            evidence = None if details is None else stack.enter_context(written(details))
            texts = stack.enter_context(scratch()) if html is not None else None
            with console.progress("lines judged") as advance:
                options = replace(options, executor=stack.enter_context(executors.executor(workers, executor)))
                loaded = load(locate(release, None), config) if release is not None else None
                lines = evidence if texts is None else _Both(texts, evidence)
                results = evaluate_all(files, loaded, options, details=lines, progress=advance)
            entry = None
            if named is not None and loaded is not None:
                commit = loaded.path.name  # the Hub's client names the folder so
                entry = hub_results.dump(results[0], *named, commit, datetime.now(timezone.utc).date().isoformat())
            _write(html, None if texts is None else _page(results, texts, html_rows))
        printed = _json(results)
        _write(json_out, printed)
        _write(eval_results, entry)
        for line in dict.fromkeys(line for result in results for line in render.problem_lines(result, file)):
            print(line, file=sys.stderr)
        for result in results:
            shown = report.tables(result)
            if format is Format.markdown:
                print(render.markdown(result, shown))
            elif format is Format.table:
                render.terminal(result, shown, sys.stdout)
        if format is Format.json:
            print(printed, end="")
        if not all(result.complete for result in results):
            raise typer.Exit(console.INCOMPLETE)


def _opened(file: str, submission: Path | None) -> tuple[list[str], dict[str, Any] | None]:
    """The files of a submission, and what it says of its model."""
    from rb_verify.submission import read_folder, read_submission

    if not os.path.isdir(file):
        return [file], None if submission is None else read_submission(submission)
    folder = read_folder(Path(file))
    if submission is not None:
        raise UnusableInput(f"{file}: says itself what it is a submission of; leave out --submission")
    return [str(path) for path in folder.files], folder.said


def _json(results: Sequence[Report]) -> str:
    """One report as an object, several as an array."""
    text = ",\n".join(result.to_json() for result in results)
    return f"{text}\n" if len(results) == 1 else f"[\n{text}\n]\n"


class _Both:
    """A stream of details in two: with texts for the page, without them for --details."""

    def __init__(self, texts: IO[str], evidence: IO[str] | None) -> None:
        self.texts, self.evidence = texts, evidence

    def write(self, line: str) -> int:
        """Write a line to both."""
        if self.evidence is not None:
            detail = {
                key: value for key, value in json.loads(line).items() if key not in ("response", "reasoning", "finish_reason")
            }
            self.evidence.write(json.dumps(detail, sort_keys=True) + "\n")
        return self.texts.write(line)


def _page(results: Sequence[Report], details: IO[str], limit: int) -> str:
    from rb_verify.datasets import SCORERS
    from rb_verify.page import Section, page, pick

    def section(result: Report) -> Section:
        assert result.release is not None
        rows = {row["id"]: row for row in result.release.rows}
        details.seek(0)
        own = (detail for detail in map(json.loads, details) if detail["id"] in rows)
        return Section(result, pick(own, rows, SCORERS[result.data["dataset"]].group, limit))

    return page([section(result) for result in results])


def _submit_check(folder: str, release: str | None, executor: Executor | None, json_out: Path | None) -> None:
    from rb_verify.submit_check import check

    if not os.path.isdir(folder):
        raise UnusableInput(f"{folder}: is no folder; name the folder of a submission, with submission.yaml and report.json")
    with console.progress("lines judged") as advance:
        checks, results = check(Path(folder), release, executor, advance)
    for each in checks:
        print(f"{'ok  ' if each.passed else 'FAIL'} {console.plain(each.what)}: {console.plain(each.found)}")
    _write(json_out, _json(results))
    if not all(each.passed for each in checks):
        raise typer.Exit(console.INCOMPLETE)


def _explain(files: Sequence[str], release: str | None, options: Options, row_id: str) -> None:
    from rb_verify import render
    from rb_verify.datasets import release_of
    from rb_verify.evaluation import evaluate_all
    from rb_verify.release import load, locate

    loaded = load(locate(release, release_of(row_id)), options.config)
    row_id = loaded.blind.get(row_id, row_id)
    row = next((row for row in loaded.rows if row["id"] == row_id), None)
    if row is None:
        raise UnusableInput(
            f"{row_id}: no such row in config {options.config} of {loaded.path}; correct the id or name its --config"
        )
    lines = io.StringIO()
    evaluate_all(files, loaded, options, details=lines)
    for line in lines.getvalue().splitlines():
        detail: dict[str, Any] = json.loads(line)
        if detail["id"] == row_id:
            print(render.explain(loaded.dataset, row, detail))


def _write(path: Path | None, text: str | None) -> None:
    if path is not None and text is not None:
        with written(path) as stream:
            stream.write(text)


def main() -> None:
    """Run the command."""
    console.run("rb-verify", app)
