"""Generation by level: graphs of TRACE beside plain generators, questions beside peers' questions, whole releases by 1 and 2
processes, and how time grows with the number of instances.

The plain generator is the same on the same random streams, with its incremental closure taken out: for each candidate fact
it checks all facts again from scratch, by path consistency (textbook, or with memoised compositions) or by building
``rb_verify.Closure`` anew. All must give the same graphs. Level 10 has no candidate facts: its graphs are drawn from the
list of all graphs of three events, so there the time is that of making this list. Textbook path consistency takes minutes a
graph above level 80 and is left out there.

Floor: what is made, written as JSON, once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import count
from typing import Any
from unittest import mock

import peers
from closure import MODEL, askable, graph, tier
from comparison import FLOOR, OURS, Comparison, Growth, compared
from measuring import FROZEN, Seconds, apart, build, timed
from textbook import path_consistency

from rb_build import recipe
from rb_build.datasets import BUILDERS
from rb_build.recipe import Recipe
from rb_build.streams import Stream
from rb_build.tracebench import graphs, parameters, tasks
from rb_build.tracebench.difficulty import Model, Tier, events_for
from rb_build.tracebench.graphs import Edge
from rb_build.tracebench.prompt import event_names
from rb_verify import Closure, canonical

LEVELS = (10, 45, 80, 115, 150, 185)
PLAINEST = 80  # the highest level that textbook path consistency is fit for
GRAPHS = 8  # a level
QUESTIONS = 5  # a graph, as in a release
EVENTS = (5, 8, 11)
INSTANCES = (25, 50, 100, 200)
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


def by_level() -> Iterator[Comparison]:
    """Graphs of each level by every contender in turn; the spread is that of graphs."""
    model, tiers = parameters(recipe.read(FROZEN["tracebench"] / "recipe.json"))
    for wanted in (each for each in tiers if each.config == each.key and each.difficulty in LEVELS):
        contenders: dict[str, Callable[[Model, Tier, int], tuple[str, ...]]] = {OURS: signatures}
        if wanted.difficulty <= PLAINEST:
            contenders["path consistency from scratch"] = partial(plainly, by_path_consistency)
        contenders["the same, memoised"] = partial(plainly, partial(by_path_consistency, memoised=True))
        contenders["closure from scratch"] = partial(plainly, by_closure)
        times: Seconds = {name: [] for name in (*contenders, FLOOR)}
        for index in range(GRAPHS):
            made = set()
            for name, make in contenders.items():
                taken, found = timed(partial(make, model, wanted, index))
                times[name].append(taken)
                made.add(found)
            assert len(made) == 1, "the contenders make different graphs"
            times[FLOOR].append(timed(partial(json.dumps, *made))[0])
        size = f"level {wanted.difficulty}, {events_for(wanted.difficulty, model)} events"
        yield Comparison("a graph of TRACE made", size, times.pop(OURS), times.pop(FLOOR), times)


def rows(n: int, number: int, seed: int) -> list[dict[str, Any]]:
    """So many rows of TRACE over ``n`` events."""
    made: list[dict[str, Any]] = []
    for index in range(number // QUESTIONS):
        stream = Stream(f"benchmarks/questions/{n}/{seed}/{index}")
        found = graph(stream, n)
        asked = tasks.asks(stream, tier(n), 0, found)
        name = f"tracebench-1-0-0-bench-g{index}"
        made += tasks.rows(stream, tier(n), MODEL.alpha, name, "canary", event_names(n), found, asked, tasks.pool_of([asked]))
    return made


def anew(make: Callable[[int], object], seeds: Iterator[int]) -> object:
    """Make something from the next seed, so that no repeat finds the work of an earlier one in a cache."""
    return make(next(seeds))


def questions(repeats: int, number: int = 50) -> Iterator[Comparison]:
    """Questions of TRACE and ReEfBench beside those of the peers."""
    core, gym = peers.reasoning_core(), peers.reasoning_gym()
    for n in EVENTS:
        contenders = {OURS: partial(anew, partial(rows, n, number), count(1))}
        if core is not None:
            contenders["reasoning-core"] = partial(anew, partial(core.entries, n, number), count(1))
        contenders[FLOOR] = partial(canonical.lines, rows(n, number, 0))
        yield compared("questions of TRACE made", f"{number} of {n} events", contenders, repeats)
    for level in (3, 7, 11):
        small = part("reefbench", level - 3, number // 2)
        contenders = {OURS: partial(made, small)}
        if gym is not None and level == 3:
            contenders["knights and knaves of reasoning-gym"] = partial(anew, partial(gym.entries, number), count(1))
        contenders[FLOOR] = partial(canonical.lines, made(small))
        yield compared("questions of ReEfBench made", f"{number} of level {level}", contenders, repeats)
    for place, clauses in ((0, 5), (3, 20), (6, 100)):
        small = part("twosat", place, number // 2)
        everything = made(small)
        contenders = {OURS: partial(made, small), FLOOR: partial(canonical.lines, everything)}
        yield compared("questions of 2-SAT made", f"{len(everything)} of {clauses} clauses", contenders, repeats)


def part(dataset: str, place: int, items: int) -> Recipe:
    """A frozen recipe cut down to one tier, or for 2-SAT to the cycles of one size, with so many graphs, pairs or formulas."""
    whole = json.loads((FROZEN[dataset] / "recipe.json").read_bytes())
    params = whole["params"]
    if dataset == "twosat":
        cell = params["cells"][0]
        params["cells"] = [cell | {"clauses": [cell["clauses"][place]], "formulas": items}]
        files = [cell["file"]]
    else:
        wanted = params["tiers"][place]
        sizes = {"items": items} if dataset == "reefbench" else {"graphs": items, "questions": QUESTIONS * items}
        params["tiers"] = [wanted | sizes]
        files = [wanted["main"], wanted["contrast"]] if dataset == "reefbench" else [wanted["config"]]
    return recipe.trusted(whole | {"configs": {"default": {"test": files}}})


def made(small: Recipe) -> list[dict[str, Any]]:
    """The rows that a recipe gives, made here."""
    return [row for some in BUILDERS[small.dataset].build(small, map).files.values() for row in some]


def growth() -> Iterator[Growth]:
    """Time by the number of instances, of one tier of each dataset."""
    for dataset, place, unit in (("tracebench", 1, "graphs"), ("reefbench", 4, "pairs"), ("twosat", 4, "formulas")):
        least = [min(timed(partial(made, part(dataset, place, items)))[0] for _ in range(3)) for items in INSTANCES]
        yield Growth(f"generation of {dataset}", unit, INSTANCES, least)


def releases(repeats: int) -> Iterator[Comparison]:
    """The whole of each frozen release built by 1 and by 2 processes."""
    for dataset in ("tracebench", "twosat", "reefbench"):
        times: Seconds = {OURS: [], "2 processes": [], FLOOR: []}
        for _ in range(repeats):
            for name, number in ((OURS, 1), ("2 processes", 2)):
                taken, floor = apart(build, FROZEN[dataset], number)
                times[name].append(taken)
            times[FLOOR].append(floor)
        yield Comparison("a release built", f"{dataset}@1.0.0, 1 process", times.pop(OURS), times.pop(FLOOR), times)


def comparisons(repeats: int) -> Iterator[Comparison | Growth]:
    """All of it."""
    yield from by_level()
    yield from questions(repeats)
    yield from releases(repeats)
    yield from growth()
