"""Generation of each difficulty level beside a plain version, and the time of a whole release with 1 and 2 workers.

The plain version is the same generator on the same random streams, with its incremental closure taken out: for each
candidate fact it checks all facts again from scratch, by path consistency (textbook, or with memoised compositions)
or by building ``rb_verify.Closure`` anew. All must give the same graphs. Level 10 has no candidate facts: its graphs
are drawn from the list of all graphs of three events, so there the time is that of making this list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated
from unittest import mock

import typer
from closure import askable
from measuring import RELEASES, Seconds, print_builds, ratios, spread, timed
from rich.console import Console
from rich.table import Table

from path_consistency import path_consistency
from rb_build import recipe
from rb_build.streams import Stream
from rb_build.tracebench import graphs, parameters
from rb_build.tracebench.difficulty import Model, Tier, events_for
from rb_build.tracebench.graphs import Edge
from rb_verify import Closure

RELEASE = RELEASES / "tracebench" / "1.0.0"
LEVELS = (10, 45, 80, 115, 150, 185)
Mask = Callable[[int, int], int]
Check = Callable[[int, Sequence[Edge]], Mask | None]


def by_path_consistency(n: int, edges: Sequence[Edge], memoised: bool = False) -> Mask | None:
    """What path consistency leaves of each pair; None if the facts contradict each other."""
    masks = path_consistency(n, edges, memoised)
    return None if masks is None else lambda i, j: masks[i][j]


def by_closure(n: int, edges: Sequence[Edge]) -> Mask | None:
    """What a closure built anew leaves of each pair; None if the facts contradict each other."""
    try:
        return Closure([str(i) for i in range(n)], [(str(i), r, str(j)) for i, r, j in edges]).mask
    except ValueError:
        return None


class FromScratch:
    """Stands in for the generator's closure: keeps the facts, and checks all of them again for each new one."""

    def __init__(self, check: Check, n: int, edges: Sequence[Edge]) -> None:
        self.check, self.events, self.edges = check, range(n), list(edges)

    def add_indexed(self, i: int, relation: str, j: int) -> bool:
        """Add a fact. False, and nothing changed, if that contradicts the others."""
        edges = [*self.edges, (i, relation, j)]
        if self.check(len(self.events), edges) is None:
            return False
        self.edges = edges
        return True

    @cached_property
    def mask(self) -> Mask:
        """What is left of each pair, once all facts are in."""
        mask = self.check(len(self.events), self.edges)
        assert mask is not None
        return mask


@dataclass(frozen=True)
class Peer:
    """A plain version. ``highest``: the highest level that it is fit for; above, a graph takes it minutes."""

    name: str
    check: Check
    highest: int


PEERS = (
    Peer("plain PC", by_path_consistency, 80),
    Peer("memoised PC", partial(by_path_consistency, memoised=True), 185),
    Peer("closure from scratch", by_closure, 185),
)


def signatures(model: Model, tier: Tier, index: int) -> tuple[str, ...]:
    """Make the index-th graph of a tier from a stream of its own, or, at three events, all graphs there are."""
    if events_for(tier.difficulty, model) == 3:
        return tuple(graph.signature for graph in graphs.enumerate_smallest(model, tier))
    stream = Stream(f"benchmarks/generation/{tier.difficulty}/{index}")
    return (graphs.generate(stream, model, tier, askable, ()).signature,)


def plainly(check: Check, model: Model, tier: Tier, index: int) -> tuple[str, ...]:
    """``signatures`` with each closure replaced by one that starts from scratch."""
    with mock.patch.object(graphs, "closure_of", partial(FromScratch, check)):
        return signatures(model, tier, index)


def level(model: Model, tier: Tier, number: int) -> list[str]:
    """Make some graphs by every contender in turn, check that they are the same, and give the table's row."""
    peers = [peer for peer in PEERS if tier.difficulty <= peer.highest]
    contenders: dict[str, Callable[[Model, Tier, int], tuple[str, ...]]] = {"ours": signatures}
    contenders |= {peer.name: partial(plainly, peer.check) for peer in peers}
    times: Seconds = {name: [] for name in contenders}
    for index in range(number):
        made = set()
        for name, make in contenders.items():
            taken, graph = timed(partial(make, model, tier, index))
            times[name].append(taken)
            made.add(graph)
        assert len(made) == 1, "the contenders make different graphs"
    compared = [spread(ratios(times[peer.name], times["ours"]), "x") if peer in peers else "-" for peer in PEERS]
    return [str(tier.difficulty), str(events_for(tier.difficulty, model)), spread([1e3 * t for t in times["ours"]]), *compared]


def main(
    number: Annotated[int, typer.Option("--graphs", min=1, help="Graphs a level.")] = 10,
    release_repeats: Annotated[int, typer.Option(min=0, help="Times that the whole release is built.")] = 3,
) -> None:
    """Compare generation with its plain version. Each cell: median (least-greatest) over the graphs of the level."""
    console = Console(width=140)
    parsed = recipe.read(RELEASE / "recipe.json")
    model, tiers = parameters(parsed)
    by_level = {tier.difficulty: tier for tier in tiers if tier.config == tier.key}
    table = Table("level", "events", "ours, ms a graph", *(f"{peer.name} / ours" for peer in PEERS))
    for difficulty in LEVELS:
        table.add_row(*level(model, by_level[difficulty], number))
    console.print(table)
    if release_repeats:
        print_builds(RELEASE, release_repeats)


if __name__ == "__main__":
    typer.run(main)
