"""rb_verify.Closure beside plain path consistency: build the network from its facts and read off the masks of all pairs.

Two kinds of networks at 8, 11 and 16 events: random trees (n - 1 facts), and the dense graphs that a release holds
(half of all pairs have a fact). Both contenders must give the same masks before they are timed. The peer is shown
twice: as in a textbook, and with its compositions memoised and warm.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Annotated

import typer
from measuring import interleaved, ratios, spread
from rich.console import Console
from rich.table import Table

from path_consistency import Edge, path_consistency
from rb_build.streams import Stream
from rb_build.tracebench.difficulty import Model, Tier
from rb_build.tracebench.graphs import Graph, determined, generate
from rb_verify import Closure
from rb_verify.allen import SYMBOLS

MODEL = Model(alpha=1.75, sigma=0.5, slack=1, swaps=100, relations=SYMBOLS)  # as in tracebench@1.0.0
SIZES = (8, 11, 16)
DIFFICULTY = {5: 24, 8: 55, 11: 97, 16: 185}  # events to a difficulty that gives so many
Facts = list[tuple[str, str, str]]


def tree(n: int, seed: int) -> list[Edge]:
    """A random tree of random relations, which is always consistent."""
    rng = random.Random(seed)
    return [(i, rng.choice(SYMBOLS), rng.randrange(i)) for i in range(1, n)]


def tier(n: int) -> Tier:
    """A tier of graphs of ``n`` events, as dense as those of a release."""
    return Tier("bench", DIFFICULTY[n], density=0.5, tolerance=0.1, graphs=1, questions=5)


def askable(n: int, edges: Sequence[Edge], closure: Closure) -> bool:
    """As a release demands: the facts determine at least two other pairs."""
    return len(determined(closure, edges)) >= 2


def graph(stream: Stream, n: int) -> Graph:
    """A graph made as those of a release: consistent, with facts on half of the pairs."""
    made = generate(stream, MODEL, tier(n), askable, ())
    assert made.n == n
    return made


def dense(n: int, seed: int) -> list[Edge]:
    """The facts of such a graph."""
    return list(graph(Stream(f"benchmarks/closure/{n}/{seed}"), n).edges)


def by_closure(names: list[str], networks: list[Facts]) -> list[list[int]]:
    return [Closure(names, facts).masks() for facts in networks]


def by_propagation(n: int, networks: list[list[Edge]], memoised: bool) -> list[list[list[int]] | None]:
    return [path_consistency(n, edges, memoised) for edges in networks]


def row(kind: str, make: Callable[[int, int], list[Edge]], n: int, networks: int, repeats: int) -> list[str]:
    """Check that the contenders agree on some networks, time them, and give the table's row."""
    edges = [make(n, seed) for seed in range(networks)]
    names = [str(i) for i in range(n)]
    facts = [[(str(i), r, str(j)) for i, r, j in some] for some in edges]
    ours = by_closure(names, facts)
    for memoised in (False, True):
        theirs = by_propagation(n, edges, memoised)
        assert ours == [[*chain.from_iterable(masks or [])] for masks in theirs], "the contenders disagree"
    times = interleaved(
        {
            "closure": partial(by_closure, names, facts),
            "plain": partial(by_propagation, n, edges, False),
            "memoised": partial(by_propagation, n, edges, True),
        },
        repeats,
    )
    each = {name: [1e3 * t / networks for t in some] for name, some in times.items()}
    compared = [spread(ratios(times[peer], times["closure"]), "x") for peer in ("plain", "memoised")]
    return [kind, str(n), *(spread(some) for some in each.values()), *compared]


def main(
    networks: Annotated[int, typer.Option(min=1, help="Networks of each kind and size.")] = 20,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 7,
) -> None:
    """Compare Closure with path consistency. Each cell: median (least-greatest) over the repeats."""
    compared = "Closure, ms", "plain PC, ms", "memoised PC, ms", "plain / Closure", "memoised / Closure"
    table = Table("networks", "events", *compared)
    for kind, make in (("sparse trees", tree), ("release graphs", dense)):
        for n in SIZES:
            table.add_row(*row(kind, make, n, networks, repeats))
    Console(width=140).print(table)


if __name__ == "__main__":
    typer.run(main)
