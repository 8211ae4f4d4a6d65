"""The command rb-compare. Exit codes: 0 written; 2 unusable input or arguments; 3 an internal error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from rb_verify import console
from rb_verify.version import __version__

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def _version(asked: bool) -> None:
    if asked:
        print(f"rb-compare {__version__}")
        raise typer.Exit


@app.command()
def compare(
    reports: Annotated[list[Path], typer.Argument(metavar="REPORT...", help="Reports that rb-verify --json wrote.")],
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for index.html, board.csv, board.md and board.json; of what is there, only these are replaced."
        ),
    ],
    reference: Annotated[
        bool, typer.Option("--reference", help="Show what the papers published too: apart, not comparable, not ranked.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Compare models by their reports: a board for each dataset, version and config, with ranks that the data bear out.

    Scores must have equal signatures; a partial report is refused. Exit codes: 0 written; 2 unusable input or arguments;
    3 an internal error.
    """
    with console.failures("rb-compare"):
        from rb_verify import board, comparable
        from rb_verify.compare import compare as boards
        from rb_verify.console import plain
        from rb_verify.references import references

        fields = comparable.fields(comparable.read(reports))
        published = references(field.dataset for field in fields) if reference else []
        with console.progress("levels ranked") as advance:
            data = boards(fields, published, advance)
        board.write(out, board.documents(data))
        for each in data["boards"]:
            print(f"{plain(board.title(each))}: {len(each['models'])} models", file=sys.stderr)
        print(out / board.PAGE)


def main() -> None:
    """Run the command."""
    console.run("rb-compare", app)


if __name__ == "__main__":
    main()
