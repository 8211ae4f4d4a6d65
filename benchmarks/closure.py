"""``rb_verify.Closure`` beside plain path consistency: build the network from its facts and read off the masks of all pairs.

Two kinds of networks at 8, 11 and 16 events: random trees (n - 1 facts), and the dense graphs that a release holds (half of
all pairs have a fact). All contenders must give the same masks before they are timed. Plain path consistency is shown twice:
as in a textbook, and with its compositions memoised and warm. reasoning-core's is a peer where it is installed.

Floor: each fact read and each pair's mask written, once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

import peers
from comparison import FLOOR, OURS, Comparison, compared
from textbook import Edge, path_consistency

from rb_build.streams import Stream
from rb_build.tracebench.difficulty import Model, Tier
from rb_build.tracebench.graphs import Graph, determined, generate
from rb_verify import Closure
from rb_verify.allen import INDEX, SYMBOLS, UNIVERSAL

MODEL = Model(alpha=1.75, sigma=0.5, slack=1, swaps=100, relations=SYMBOLS)  # as in tracebench@1.0.0
SIZES = (8, 11, 16)
DIFFICULTY = {5: 24, 8: 55, 11: 97, 16: 185}  # events to a difficulty that gives so many
NETWORKS = 20
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


def by_propagation(n: int, networks: list[list[Edge]], memoised: bool) -> list[list[int]]:
    return [[*chain.from_iterable(path_consistency(n, edges, memoised) or [])] for edges in networks]


def touched(n: int, networks: list[list[Edge]]) -> list[list[int]]:
    """The floor."""
    written = []
    for edges in networks:
        masks = [UNIVERSAL] * (n * n)
        for i, relation, j in edges:
            masks[i * n + j] = 1 << INDEX[relation]
        written.append(masks)
    return written


def comparisons(repeats: int) -> Iterator[Comparison]:
    """Networks of each kind and size, closed."""
    kinds: list[tuple[str, Callable[[int, int], list[Edge]]]] = [("random trees", tree), ("release graphs", dense)]
    theirs = peers.reasoning_core()
    for kind, make in kinds:
        for n in SIZES:
            edges = [make(n, seed) for seed in range(NETWORKS)]
            names = [str(i) for i in range(n)]
            facts = [[(str(i), r, str(j)) for i, r, j in some] for some in edges]
            contenders: dict[str, Callable[[], list[list[int]]]] = {
                OURS: partial(by_closure, names, facts),
                "path consistency": partial(by_propagation, n, edges, False),
                "path consistency, memoised": partial(by_propagation, n, edges, True),
            }
            if theirs is not None:
                contenders["reasoning-core"] = partial(theirs.close, n, facts)
            found = {name: work() for name, work in contenders.items()}
            assert all(masks == found[OURS] for masks in found.values()), "the contenders disagree"
            contenders[FLOOR] = partial(touched, n, edges)
            yield compared(f"closure of {kind}", f"{NETWORKS} of {n} events", contenders, repeats)
