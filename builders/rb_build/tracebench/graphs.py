"""Algorithm 2 of the TRACE paper: from a configuration to a consistent, novel constraint graph.

A random spanning tree (Prufer sequence) takes n - 1 of the relations; each other relation goes to the first free pair,
in order of the tree's degrees, where it contradicts nothing. Everything random is drawn before that. A graph whose
signature is taken, or that determines too few implicit pairs to ask about, is a failed attempt like any other.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from rb_build.errors import UnusableRecipe
from rb_build.streams import Stream
from rb_build.tracebench.difficulty import Configuration, Model, Tier, configuration, error, events_for
from rb_verify.allen import converse
from rb_verify.canonical import digest, dumps
from rb_verify.closure import Closure

Edge = tuple[int, str, int]
ATTEMPTS_A_CONFIGURATION = 2_000
CONFIGURATIONS = 20


@dataclass(frozen=True)
class Graph:
    """A constraint graph over events 0 .. n - 1. ``attempts``: how many this one took, failed ones included; ``rejected``:
    how many of them gave a graph whose signature was taken."""

    n: int
    edges: tuple[Edge, ...]
    signature: str
    attempts: int
    rejected: int = 0


def closure_of(n: int, edges: Sequence[Edge]) -> Closure:
    """The closure of a graph; its events are named by their numbers."""
    return Closure([str(i) for i in range(n)], ((str(i), r, str(j)) for i, r, j in edges))


def signature(n: int, edges: Sequence[Edge]) -> str:
    """A digest of the graph up to renaming of events and inversion of facts.

    Edges are turned so that no relation is an inverse; then colours are refined over relation-labelled edges to a
    fixed point. Graphs of equal signature are alike to colour refinement (1-WL), isomorphic ones always equal.
    """
    arcs: list[list[tuple[str, int]]] = [[] for _ in range(n)]
    normal = [(j, converse(r), i) if r.endswith("I") else (i, r, j) for i, r, j in edges]
    for i, r, j in normal:
        arcs[i].append((r, j))
        arcs[j].append(("E" if r == "E" else r + "'", i))
    colours, classes = [0] * n, 1
    while True:
        keys = [(colours[i], tuple(sorted((r, colours[j]) for r, j in arcs[i]))) for i in range(n)]
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
        colours = [ranks[key] for key in keys]
        if len(ranks) == classes:
            break
        classes = len(ranks)
    quotient = sorted((min, r, max) for min, r, max in (_ends(colours, edge) for edge in normal))
    return digest(dumps([n, sorted(colours), quotient]).encode())


def _ends(colours: list[int], edge: Edge) -> Edge:
    i, r, j = edge
    a, b = colours[i], colours[j]
    return (min(a, b), r, max(a, b)) if r == "E" else (a, r, b)


def determined(closure: Closure, edges: Sequence[Edge]) -> list[tuple[int, int]]:
    """The pairs i < j without a fact whose relation the facts determine: the askable ones (section 3.3.1)."""
    given = {(min(i, j), max(i, j)) for i, _, j in edges}
    pairs = combinations(range(len(closure.events)), 2)
    return [pair for pair in pairs if pair not in given and closure.mask(*pair).bit_count() == 1]


Askable = Callable[[int, Sequence[Edge], Closure], bool]


def generate(stream: Stream, model: Model, tier: Tier, askable: Askable, taken: Collection[str]) -> Graph:
    """The first graph of a stream that is consistent, askable and whose signature is not in ``taken``.

    Raises UnusableRecipe if the stream gives none within ``CONFIGURATIONS`` times ``ATTEMPTS_A_CONFIGURATION``.
    """
    attempts = rejected = 0
    for _ in range(CONFIGURATIONS):
        drawn = configuration(stream, model, tier)
        if drawn is None:
            raise UnusableRecipe(
                f"{tier.key}: no configuration of {events_for(tier.difficulty, model)} events comes within tolerance "
                f"{tier.tolerance} of difficulty {tier.difficulty}; raise the tolerance or change the relations"
            )
        for _ in range(ATTEMPTS_A_CONFIGURATION):
            attempts += 1
            edges = attempt(stream, drawn)
            if edges is None or not askable(drawn.n, edges, closure_of(drawn.n, edges)):
                continue
            name = signature(drawn.n, edges)
            if name not in taken:
                return Graph(drawn.n, edges, name, attempts, rejected)
            rejected += 1
    raise UnusableRecipe(
        f"{tier.key}: no new graph in {attempts} attempts; change its density, tolerance or relations, or ask for fewer graphs"
    )


def attempt(stream: Stream, drawn: Configuration) -> tuple[Edge, ...] | None:
    """One trial of Algorithm 2, phases 1 and 2: the edges, or None if a relation fits no free pair."""
    n = drawn.n
    relations = stream.shuffled(drawn.relations)
    tree = [_turned(stream, pair) for pair in _spanning_tree(stream, n)]
    edges = [(i, r, j) for (i, j), r in zip(tree, relations, strict=False)]
    degree = [0] * n
    for i, j in tree:
        degree[i] += 1
        degree[j] += 1
    joined = {frozenset(pair) for pair in tree}
    free = [_turned(stream, pair) for pair in stream.shuffled(list(combinations(range(n), 2))) if frozenset(pair) not in joined]
    free.sort(key=lambda pair: degree[pair[0]] + degree[pair[1]])
    closure = closure_of(n, edges)
    for relation in relations[n - 1 :]:
        for place, (i, j) in enumerate(free):
            if closure.add_indexed(i, relation, j):
                edges.append((i, relation, j))
                del free[place]
                break
        else:
            return None
    return tuple(edges)


def _turned(stream: Stream, pair: tuple[int, int]) -> tuple[int, int]:
    return pair if stream.below(2) else (pair[1], pair[0])


def _spanning_tree(stream: Stream, n: int) -> list[tuple[int, int]]:
    """A uniform labelled tree on n events, decoded from a random Prufer sequence."""
    sequence = [stream.below(n) for _ in range(n - 2)]
    degree = [1] * n
    for node in sequence:
        degree[node] += 1
    leaves = [node for node in range(n) if degree[node] == 1]
    tree = []
    for node in sequence:
        tree.append((heapq.heappop(leaves), node))
        degree[node] -= 1
        if degree[node] == 1:
            heapq.heappush(leaves, node)
    tree.append((leaves[0], leaves[1]))
    return tree


def enumerate_smallest(model: Model, tier: Tier) -> list[Graph]:
    """Every graph of 3 events and 2 facts within the tolerance that determines its third pair, one a signature.

    There are only 91 up to renaming, so a tier of 3 events draws from this list instead of trying at random.
    """
    found: dict[str, Graph] = {}
    for r in model.relations:
        for s in model.relations:
            for edges in (((0, r, 1), (1, s, 2)), ((1, r, 0), (1, s, 2)), ((0, r, 1), (2, s, 1)), ((1, r, 0), (2, s, 1))):
                if error(3, (r, s), tier.difficulty, model.alpha) <= tier.tolerance and determined(closure_of(3, edges), edges):
                    name = signature(3, edges)
                    found.setdefault(name, Graph(3, edges, name, 1))
    return [found[name] for name in sorted(found)]
