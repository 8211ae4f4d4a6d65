"""The command rb-run. Exit codes: 0 every response is there; 1 some failed (each is listed) and are asked again by the next
run; 2 unusable input or arguments; 3 the release does not match its manifest, or an internal error."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rb_verify import console, llm_options
from rb_verify.endpoint import Limits
from rb_verify.predictions import MAX_SAMPLE
from rb_verify.version import __version__

if TYPE_CHECKING:
    from rb_verify.journal import Journal
    from rb_verify.llm import Client
    from rb_verify.runner import Asking, Outcome

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def _version(asked: bool) -> None:
    if asked:
        print(f"rb-run {__version__}")
        raise typer.Exit


@app.command()
def run(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET@VERSION", help="A release, also by its folder or as org/name@tag on the Hub; or a blind split."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The predictions, JSON Lines. If the file is there, only what it lacks is asked.")],
    base_url: llm_options.BaseUrl = None,
    model: llm_options.Model = None,
    key_file: llm_options.KeyFile = None,
    config: Annotated[str, typer.Option(help="Which config's test rows to ask.")] = "default",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask the first rows only. Default: all.")] = None,
    samples: Annotated[int, typer.Option(min=1, max=MAX_SAMPLE + 1, help="Responses to each row.")] = 1,
    temperature: llm_options.Temperature = None,
    max_tokens: llm_options.MaxTokens = None,
    extra: llm_options.Extra = None,
    concurrency: llm_options.Concurrency = Limits.concurrency,
    per_minute: llm_options.PerMinute = Limits.per_minute,
    retries: llm_options.Retries = Limits.retries,
    timeout: llm_options.Timeout = Limits.timeout,
    cache: llm_options.CacheFolder = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Ask a model every prompt of a release over an OpenAI-compatible endpoint, and write its responses for rb-verify.

    Stopped anywhere, it goes on when run again, with the same release, model and settings; --config, --limit and --samples may
    differ then.

    Exit codes: 0 every response is there; 1 some failed, each listed, and are asked again by the next run; 2 unusable input
    or arguments; 3 the release does not match its manifest, or an internal error.
    """
    with console.failures("rb-run"):
        from rb_verify import runner
        from rb_verify.journal import journal
        from rb_verify.release import find, prompts

        limits = concurrency, per_minute, retries, timeout
        client = llm_options.client(base_url, model, key_file, temperature, max_tokens, extra, *limits, cache)
        manifest, rows = prompts(find(dataset), config)
        about = {
            "dataset": manifest["dataset"],
            "version": manifest["version"],
            "content_digest": manifest["content_digest"],
            "model": client.endpoint.model,
            "settings": client.settings,
        }
        wanted = runner.askings(rows[:limit], samples)
        with journal(out, about, runner.key) as lines:
            there = sum(asking[:2] in lines.done for asking in wanted)
            outcome = asyncio.run(_run(client, wanted, lines, len(wanted) - there))
        for asking, why in outcome.failures:
            print(f"rb-run: {asking.id}, sample {asking.sample}: {console.plain(why)}", file=sys.stderr)
        print(f"rb-run: {_summary(outcome, there, out)}", file=sys.stderr)
        if outcome.failures:
            raise typer.Exit(console.INCOMPLETE)


async def _run(client: Client, wanted: list[Asking], lines: Journal, total: int) -> Outcome:
    from rb_verify import runner

    with console.progress("responses", total) as advance:
        async with client:
            return await runner.run(client, wanted, lines, advance)


def _summary(outcome: Outcome, there: int, out: Path) -> str:
    asked = outcome.answered + len(outcome.failures)
    tokens = f"{outcome.tokens[0]} tokens in prompts, {outcome.tokens[1]} in replies"
    again = "; run again to ask those that failed" if outcome.failures else ""
    return f"{out}: {asked} asked, {there} there already, {len(outcome.failures)} failed; {tokens}{again}"


def main() -> None:
    """Run the command."""
    console.run("rb-run", app)


if __name__ == "__main__":
    main()
