"""All benchmarks as one table: ``python benchmarks``, from a checkout with both packages installed and the releases built.

Each line is one piece of work: our time, its ratio to the physical floor, and a peer's ratio to ours and to the floor, medians
with the least and the greatest in brackets, from contenders that alternate in one run. Nothing fails because it is slow; a run
ends where contenders disagree on a result.
"""

from __future__ import annotations

import subprocess
import sys
from enum import Enum
from typing import Annotated

import closure
import depth
import generation
import peers
import solving
import typer
import verification
from comparison import COLUMNS, Comparison
from measuring import FROZEN, require
from rich.console import Console
from rich.table import Table


class Section(str, Enum):
    """What is measured."""

    closure = "closure"
    generation = "generation"
    solving = "solving"
    depth = "depth"
    verification = "verification"


SECTIONS = {
    Section.closure: closure.comparisons,
    Section.generation: generation.comparisons,
    Section.solving: solving.comparisons,
    Section.depth: depth.comparisons,
    Section.verification: verification.comparisons,
}


def main(
    sections: Annotated[list[Section] | None, typer.Argument(help="What to measure. Default: all.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 5,
    install_peers: Annotated[
        bool, typer.Option("--install-peers", help=f"First pip install {' '.join(peers.PACKAGES)} into this environment.")
    ] = False,
) -> None:
    """Measure us, our peers and the physical floor."""
    chosen = sections or list(Section)
    if {Section.verification, Section.generation} & {*chosen}:
        for release in FROZEN.values():
            require(release)
    if install_peers:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", *peers.PACKAGES], check=True)
    if missing := peers.absent():
        print(f"without {', '.join(missing)}; --install-peers installs them", file=sys.stderr)
    table, growth = Table(*COLUMNS), Table("work", "sizes", "time ~ size^", "peak MB")
    for section in chosen:
        for found in SECTIONS[section](repeats):
            print(f"{section.value}: {found.work}", file=sys.stderr)
            if isinstance(found, Comparison):
                for row in found.rows():
                    table.add_row(*row)
            else:
                growth.add_row(*found.row())
    console = Console(width=190)
    for each in (table, growth):
        if each.rows:
            console.print(each)


if __name__ == "__main__":
    typer.run(main)
