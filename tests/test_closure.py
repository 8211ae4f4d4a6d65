"""The closure oracle, held against path consistency and against brute force over timelines."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import path_consistency
from rb_build.streams import Stream
from rb_build.tracebench.difficulty import Configuration
from rb_build.tracebench.graphs import attempt
from rb_verify.allen import SYMBOLS, converse, relation_of
from rb_verify.closure import Closure

Edge = tuple[int, str, int]


@st.composite
def networks(draw: st.DrawFn, least: int, most: int) -> tuple[int, list[Edge]]:
    """A network of basic facts on random pairs: often inconsistent, at most one fact a pair."""
    n = draw(st.integers(least, most))
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(n), 2))), unique=True, max_size=2 * n))
    return n, [(i, draw(st.sampled_from(SYMBOLS)), j) for i, j in pairs]


def closure_of(n: int, edges: list[Edge]) -> list[list[int]] | None:
    """The oracle's masks, or None where it finds a contradiction."""
    closure = Closure([str(i) for i in range(n)])
    if not all(closure.add_indexed(*edge) for edge in edges):
        return None
    flat = closure.masks()
    assert flat == [closure.mask(i, j) for i in range(n) for j in range(n)]
    return [flat[i * n : (i + 1) * n] for i in range(n)]


@settings(max_examples=300, deadline=None)
@given(networks(2, 9))
def test_equals_path_consistency(network: tuple[int, list[Edge]]) -> None:
    """On random networks, contradictory ones included, the masks are those of path consistency."""
    n, edges = network
    assert closure_of(n, edges) == path_consistency.propagate(n, edges)


@pytest.mark.parametrize("n", [8, 12, 16])
def test_equals_path_consistency_on_dense_networks(n: int) -> None:
    """On consistent networks of up to 16 events, made as the builder makes them, the masks agree too."""
    stream, tried, agreed = Stream(f"test/dense/{n}"), 0, 0
    while agreed < 4 and tried < 400:
        tried += 1
        relations = tuple(stream.choice(SYMBOLS) for _ in range(round(0.3 * n * (n - 1) / 2)))
        edges = attempt(stream, Configuration(n, relations))
        if edges is not None:
            assert closure_of(n, list(edges)) == path_consistency.propagate(n, edges)
            agreed += 1
    assert agreed == 4


@pytest.mark.parametrize("n", [2, 3])
def test_equals_brute_force(n: int) -> None:
    """For every set of facts on two events, and many on three, the masks are what some timeline shows."""
    timelines = list(product(combinations(range(2 * n), 2), repeat=n))
    draw = random.Random(n)
    pairs = list(combinations(range(n), 2))
    cases = [[(0, r, 1)] for r in SYMBOLS] if n == 2 else []
    while len(cases) < (13 if n == 2 else 120):
        cases.append([(i, draw.choice(SYMBOLS), j) for i, j in draw.sample(pairs, draw.randint(1, len(pairs)))])
    for edges in cases:
        shown: list[list[int]] = [[0] * n for _ in range(n)]
        for timeline in timelines:
            if all(relation_of(timeline[i], timeline[j]) == r for i, r, j in edges):
                for i, j in product(range(n), repeat=2):
                    shown[i][j] |= 1 << SYMBOLS.index(relation_of(timeline[i], timeline[j]))
        assert closure_of(n, edges) == (shown if shown[0][0] else None)


def test_brute_force_on_four_events() -> None:
    """On four events every relation that the closure leaves is shown by a timeline, and no other."""
    timelines = list(product(combinations(range(6), 2), repeat=4))
    draw = random.Random(4)
    for _ in range(12):
        # Facts read off a timeline that has room to spare on six points.
        truth = draw.choice(timelines)
        edges = [(i, relation_of(truth[i], truth[j]), j) for i, j in draw.sample(list(combinations(range(4), 2)), 3)]
        masks = closure_of(4, edges)
        assert masks is not None
        for i, j in combinations(range(4), 2):
            for place, symbol in enumerate(SYMBOLS):
                assert bool(masks[i][j] >> place & 1) == (closure_of(4, [*edges, (i, symbol, j)]) is not None)
        for timeline in timelines:
            if all(relation_of(timeline[i], timeline[j]) == r for i, r, j in edges):
                assert all(
                    masks[i][j] >> SYMBOLS.index(relation_of(timeline[i], timeline[j])) & 1
                    for i, j in combinations(range(4), 2)
                )


@settings(max_examples=200, deadline=None)
@given(networks(2, 8), st.randoms(use_true_random=False))
def test_order_of_facts_does_not_matter(network: tuple[int, list[Edge]], draw: random.Random) -> None:
    """Facts in any order, and either direction, give the same closure."""
    n, edges = network
    turned = [(j, converse(r), i) if draw.random() < 0.5 else (i, r, j) for i, r, j in edges]
    draw.shuffle(turned)
    assert closure_of(n, turned) == closure_of(n, edges)


def test_a_refused_fact_changes_nothing() -> None:
    """A contradiction is refused and leaves the closure as it was; the constructor raises instead."""
    closure = Closure("ABC", [("A", "B", "B"), ("B", "B", "C")])
    before = closure.masks()
    assert not closure.add("C", "B", "A")
    assert closure.masks() == before
    with pytest.raises(ValueError, match="contradicts"):
        Closure("AB", [("A", "B", "B"), ("A", "M", "B")])
    with pytest.raises(KeyError):
        Closure("AB", [("A", "B", "Z")])


def test_relations_and_networkx() -> None:
    """Relations are asked by name; the networkx graph says the same of every ordered pair."""
    closure = Closure("ABC", [("A", "O", "B"), ("B", "O", "C")])
    assert closure.relations("A", "C") == {"B", "M", "O"}
    graph = closure.to_networkx()
    assert graph.number_of_edges() == 6
    assert all(graph.edges[u, v]["relations"] == closure.relations(u, v) for u, v in graph.edges)


def test_labels_need_no_search() -> None:
    """Basic facts alone never give the path-consistent but contradictory networks that full Allen algebra has:
    whatever relation the closure leaves to a pair can be added, one pair after another, down to one timeline."""
    stream = Stream("test/scenario")
    for _ in range(30):
        n = 6
        closure = Closure([str(i) for i in range(n)])
        for i, j in stream.sample(list(combinations(range(n), 2)), 5):
            closure.add_indexed(i, stream.choice(SYMBOLS), j)
        for i, j in combinations(range(n), 2):
            left = [symbol for symbol in SYMBOLS if closure.allows(i, symbol, j)]
            assert {symbol for symbol in SYMBOLS if closure.mask(i, j) >> SYMBOLS.index(symbol) & 1} == set(left)
            assert closure.add_indexed(i, stream.choice(left), j)
