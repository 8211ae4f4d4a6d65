"""The command rb-parse: read the reasoning in responses to ReEfBench with a language model, and say how well that is read.

Exit codes: 0 done; 1 done, but lines or ids of the input are bad, or requests failed, each listed; 2 unusable input or
arguments, or an endpoint that does not answer; 3 the release does not match its manifest, or an internal error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rb_verify import console
from rb_verify.console import Format
from rb_verify.endpoint import Limits
from rb_verify.errors import UnusableInput
from rb_verify.files import written
from rb_verify.llm_options import (
    BaseUrl,
    CacheFolder,
    Concurrency,
    Extra,
    KeyFile,
    MaxTokens,
    Model,
    PerMinute,
    Retries,
    Temperature,
    Timeout,
    client,
)
from rb_verify.version import __version__

if TYPE_CHECKING:
    from rb_verify.tally import Table


class Which(str, Enum):
    """Which labelled sentences."""

    before = "before"
    after = "after"
    held_out = "held_out"
    all = "all"


class Parser(str, Enum):
    """Which parser is measured."""

    llm = "llm"
    rules = "rules"


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

ReleaseOption = Annotated[
    str | None,
    typer.Option(
        "--release",
        help="Release folder, or org/name@tag on the Hub. Default: by the ids, in $RB_RELEASES, ./releases, $RB_ORG.",
    ),
]
ConfigOption = Annotated[str, typer.Option("--config", help="Which config's test rows to parse; others are handed on.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write all figures to this file.")]
FormatOption = Annotated[Format, typer.Option(help="What to print.")]


def _version(asked: bool) -> None:
    if asked:
        print(f"rb-parse {__version__}")
        raise typer.Exit


@app.callback()
def parse(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Read the reasoning in responses to ReEfBench with a language model; scoring needs none of it.

    Exit codes: 0 done; 1 done, but lines or ids of the input are bad, or requests failed; 2 unusable input or arguments, or an
    endpoint that does not answer; 3 the release does not match its manifest, or an internal error.
    """


@app.command()
def run(
    file: Annotated[str, typer.Argument(help="Predictions, in any format that rb-verify reads; - for stdin.")],
    out: Annotated[Path, typer.Option(help="Predictions with nodes, JSON Lines; what is there already is not parsed again.")],
    release: ReleaseOption = None,
    config: ConfigOption = "default",
    base_url: BaseUrl = None,
    model: Model = None,
    key_file: KeyFile = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    extra: Extra = None,
    concurrency: Concurrency = Limits.concurrency,
    per_minute: PerMinute = Limits.per_minute,
    retries: Retries = Limits.retries,
    timeout: Timeout = Limits.timeout,
    cache: CacheFolder = None,
) -> None:
    """Parse responses, and write them with their nodes, for rb-verify to score. Run it again to go on."""
    with console.failures("rb-parse"):
        from rb_verify import parse_run, render
        from rb_verify.report import HARMLESS

        limits = concurrency, per_minute, retries, timeout
        asked = client(base_url, model, key_file, temperature, max_tokens, extra, *limits, cache)
        with console.progress("responses parsed") as advance:
            done = parse_run.run(file, release, config, out, asked, advance)
        sentences = sum(done.attempts.values())
        print(
            f"{done.parsed} responses parsed, {done.passed} lines handed on, {done.there} were there already or are repeated",
            file=sys.stderr,
        )
        if sentences:
            first, left = (f"{done.attempts[n]} ({100 * done.attempts[n] / sentences:.2f} %)" for n in (1, 0))
            print(f"{sentences} sentences: {first} read at the first attempt, {left} left to the rules", file=sys.stderr)
        if asked.refusals[0]:
            count, last = asked.refusals
            print(f"{count} requests were refused, and their sentences left to the rules; the last: {last}", file=sys.stderr)
        print(out)
        failed = [f"{row_id}: not parsed ({why}); run again to ask for it" for row_id, why in done.failed]
        listed = render.problem_list([problem.as_dict() for problem in done.problems], file)
        _end([*listed, *failed], not failed and all(problem.kind in HARMLESS for problem in done.problems))


@app.command()
def compare(
    one: Annotated[str, typer.Argument(metavar="A", help="Parsed predictions, or the word rules: the deterministic parser.")],
    other: Annotated[str, typer.Argument(metavar="B", help="The same; agreement is measured against it.")],
    release: ReleaseOption = None,
    config: ConfigOption = "default",
    json_out: JsonOption = None,
    format: FormatOption = Format.table,
) -> None:
    """Compare two parsers on the same responses: how far they agree, and what it does to the metrics."""
    with console.failures("rb-parse"):
        from rb_verify import parser_comparison, render

        with console.progress("responses compared") as advance:
            found = parser_comparison.compare(one, other, release, config, advance)
        _print(found, parser_comparison.tables(found), json_out, format)
        whole = not found["problems"] and not found["responses"]["not_comparable"]
        _end(render.problem_list(found["problems"], "", "; --json lists every one"), whole)


@app.command()
def labelled(
    parser: Annotated[Parser, typer.Option(help="What is measured: a model, or the deterministic parser.")] = Parser.llm,
    which: Annotated[Which, typer.Option("--set", help="Which sentences.")] = Which.all,
    base_url: BaseUrl = None,
    model: Model = None,
    key_file: KeyFile = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    extra: Extra = None,
    concurrency: Concurrency = Limits.concurrency,
    per_minute: PerMinute = Limits.per_minute,
    retries: Retries = Limits.retries,
    timeout: Timeout = Limits.timeout,
    cache: CacheFolder = None,
    json_out: JsonOption = None,
    format: FormatOption = Format.table,
) -> None:
    """Measure a parser on hand-labelled sentences: precision, recall and F1."""
    with console.failures("rb-parse"):
        from rb_verify import parser_validation
        from rb_verify.labelled_sentences import SETS

        asked = None
        if parser is Parser.llm:
            limits = concurrency, per_minute, retries, timeout
            asked = client(base_url, model, key_file, temperature, max_tokens, extra, *limits, cache)
        elif base_url or model:
            raise UnusableInput("--parser rules asks no model; leave out --base-url and --model")
        with console.progress("sentences read") as advance:
            found = parser_validation.validate(SETS if which is Which.all else (which.value,), asked, advance)
        _print(found, parser_validation.tables(found), json_out, format)


def _print(found: dict[str, Any], tables: Sequence[Table], json_out: Path | None, format: Format) -> None:
    from rb_verify.render import markdown_table, terminal_tables

    text = json.dumps(found, indent=1, sort_keys=True, allow_nan=False) + "\n"
    if json_out is not None:
        with written(json_out) as stream:
            stream.write(text)
    if format is Format.json:
        print(text, end="")
    elif format is Format.markdown:
        print("\n".join(map(markdown_table, tables)), end="")
    else:
        terminal_tables(tables, sys.stdout)


def _end(lines: Sequence[str], whole: bool) -> None:
    """Say what is wrong with the input, and end with its exit code."""
    for line in lines:
        print(console.plain(line), file=sys.stderr)
    if not whole:
        raise typer.Exit(console.INCOMPLETE)


def main() -> None:
    """Run the command."""
    console.run("rb-parse", app)


if __name__ == "__main__":
    main()
