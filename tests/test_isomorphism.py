"""The canonical form of a 2-CNF, held against networkx's search for isomorphisms."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, combinations_with_replacement, permutations, product

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rb_verify.isomorphism import canonical_form, signature
from rb_verify.twocnf import Clause, count_models, solve

Formula = tuple[int, list[Clause]]


def renamed(n: int, clauses: list[Clause], draw: random.Random) -> list[Clause]:
    """The same structure, by other names and in another order."""
    names = draw.sample(range(1, n + 1), n)
    turned: list[Clause] = []
    for clause in clauses:
        literals = [names[abs(a) - 1] if a > 0 else -names[abs(a) - 1] for a in clause]
        draw.shuffle(literals)
        turned.append(literals)
    draw.shuffle(turned)
    return turned


def encoded(n: int, clauses: list[Clause]) -> networkx.Graph:
    """A coloured graph that has all of a formula's structure: a node each for variables, literals and clauses' places."""
    graph = networkx.Graph()
    for v in range(1, n + 1):
        graph.add_node(("variable", v), kind="variable")
        for a in (v, -v):
            graph.add_node(("literal", a), kind="positive" if a > 0 else "negative")
            graph.add_edge(("variable", v), ("literal", a))
    for i, clause in enumerate(clauses):
        graph.add_node(("clause", i), kind="clause")
        for place, a in enumerate(clause):
            graph.add_node(("place", i, place), kind="place")
            graph.add_edge(("clause", i), ("place", i, place))
            graph.add_edge(("place", i, place), ("literal", a))
    return graph


def isomorphic(n: int, some: list[Clause], others: list[Clause]) -> bool:
    """What networkx says."""
    match = networkx.algorithms.isomorphism.categorical_node_match("kind", None)
    return bool(networkx.is_isomorphic(encoded(n, some), encoded(n, others), node_match=match))


def of_graph(graph: networkx.Graph) -> Formula:
    """A monotone formula: a clause (u or v) for each edge."""
    graph = networkx.convert_node_labels_to_integers(graph, 1)
    return graph.number_of_nodes(), [tuple(edge) for edge in graph.edges]


@st.composite
def formulas(draw: st.DrawFn) -> Formula:
    """A formula of any clauses, degenerate ones and repeats included."""
    n = draw(st.integers(1, 9))
    literal = st.integers(1, n).flatmap(lambda v: st.sampled_from((v, v, -v)))
    return n, draw(st.lists(st.lists(literal, max_size=2), max_size=2 * n))


@settings(max_examples=300, deadline=None)
@given(formulas(), st.randoms(use_true_random=False))
def test_renamings_have_equal_forms(formula: Formula, draw: random.Random) -> None:
    """Other names, another order of clauses and of literals: one form, one signature."""
    n, clauses = formula
    turned = renamed(n, clauses, draw)
    assert canonical_form(n, turned) == canonical_form(n, clauses)
    assert signature(n, turned) == signature(n, clauses)


def rebuilt(form: tuple[int, int, tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]]) -> Formula:
    """A formula with this form."""
    unused, empty, components = form
    n, clauses = unused, [()] * empty
    for size, some in components:
        clauses += [tuple(a + n if a > 0 else a - n for a in clause) for clause in some]
        n += size
    return n, list(clauses)


@settings(max_examples=200, deadline=None)
@given(formulas())
def test_the_form_is_the_formula(formula: Formula) -> None:
    """The form lists the clauses of a formula by other names: its own form is the same, and so are its models."""
    n, clauses = formula
    form = canonical_form(n, clauses)
    size, again = rebuilt(form)
    assert size == n
    assert canonical_form(size, again) == form
    assert solve(size, again).satisfiable == solve(n, clauses).satisfiable
    assert count_models(size, again) == count_models(n, clauses)


@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 2), (3, 2)])
def test_all_small_formulas_against_all_renamings(n: int, m: int) -> None:
    """Every multiset of two clauses: forms are equal exactly for renamings of each other, all of which are tried."""
    literals = [a for v in range(1, n + 1) for a in (v, -v)]
    written: list[tuple[int, ...]] = [(), *((a,) for a in literals), *combinations_with_replacement(literals, 2)]
    form_of, least_of = {}, {}
    for clauses in combinations_with_replacement(written, m):
        images = []
        for names in permutations(range(1, n + 1)):
            image = [sorted(names[abs(a) - 1] * (1 if a > 0 else -1) for a in clause) for clause in clauses]
            images.append(sorted(image))
        form_of[clauses], least_of[clauses] = canonical_form(n, clauses), repr(min(images))
    classes = set(zip(form_of.values(), least_of.values(), strict=True))
    assert len(classes) == len(set(form_of.values())) == len(set(least_of.values()))
    assert len(classes) < len(form_of) or n == 1


@pytest.mark.parametrize(
    ("n", "m", "negative"), [(4, 4, 0.0), (4, 4, 0.5), (5, 5, 0.0), (5, 5, 0.3), (6, 7, 0.0), (6, 9, 0.0), (5, 12, 0.1)]
)
def test_random_formulas_against_networkx(n: int, m: int, negative: float) -> None:
    """On pairs of random formulas, equal signatures mean isomorphic, and the other way round. Both occur."""
    draw, seen = random.Random(f"{n}/{m}/{negative}"), {True: 0, False: 0}
    made: list[list[Clause]] = []
    for _ in range(14):
        clauses: list[Clause] = []
        for _ in range(m):
            literals = [v if draw.random() >= negative else -v for v in draw.sample(range(1, n + 1), 2)]
            clauses.append(literals[: 1 if draw.random() < 0.1 else 2])
        made += [clauses, renamed(n, clauses, draw)]
        # A near miss: one sign, or one end of one clause, is another.
        other = [list(clause) for clause in renamed(n, clauses, draw)]
        other[0][0] = -other[0][0] if negative else draw.randint(1, n)
        made.append(other)
    for some, others in combinations(made, 2):
        same = isomorphic(n, some, others)
        assert (signature(n, some) == signature(n, others)) == same
        seen[same] += 1
    assert all(seen.values())


def blocks_on_a_hub(triangles: int, hexagons: int) -> networkx.Graph:
    """Pairs of triangles and hexagons, all joined to one node: alike for refinement, in any numbers of each."""
    parts = [networkx.cycle_graph(3) for _ in range(2 * triangles)] + [networkx.cycle_graph(6) for _ in range(hexagons)]
    graph = networkx.disjoint_union_all(parts)
    graph.add_edges_from([("hub", v) for v in list(graph)])
    return graph


def shrikhande() -> networkx.Graph:
    """Strongly regular with the same parameters as the 4 x 4 rook's graph, and not isomorphic to it."""
    graph = networkx.Graph()
    for i, j in product(range(4), repeat=2):
        for a, b in ((0, 1), (1, 0), (1, 1)):
            graph.add_edge((i, j), ((i + a) % 4, (j + b) % 4))
    return graph


def rook() -> networkx.Graph:
    """The 4 x 4 rook's graph."""
    return networkx.cartesian_product(networkx.complete_graph(4), networkx.complete_graph(4))


PAIRS: dict[str, tuple[Callable[[], networkx.Graph], Callable[[], networkx.Graph]]] = {
    "two triangles, hexagon": (
        lambda: networkx.disjoint_union(*[networkx.cycle_graph(3)] * 2),
        lambda: networkx.cycle_graph(6),
    ),
    "cube, Wagner graph": (networkx.cubical_graph, lambda: networkx.circulant_graph(8, [1, 4])),
    "Petersen graph, prism": (networkx.petersen_graph, lambda: networkx.circular_ladder_graph(5)),
    "prism, Moebius ladder": (lambda: networkx.circular_ladder_graph(5), lambda: networkx.circulant_graph(10, [1, 5])),
    "rook, Shrikhande": (rook, shrikhande),
    "blocks on a hub": (lambda: blocks_on_a_hub(0, 2), lambda: blocks_on_a_hub(1, 1)),
    "two cubic graphs": (
        lambda: networkx.random_regular_graph(3, 30, seed=1),
        lambda: networkx.random_regular_graph(3, 30, seed=2),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_refinement_cannot_tell_apart(name: str) -> None:
    """Regular graphs of one degree, and others alike: unequal signatures, and equal ones for renamings of each."""
    first, second = (make() for make in PAIRS[name])
    assert sorted(d for _, d in first.degree) == sorted(d for _, d in second.degree)
    assert not networkx.is_isomorphic(first, second)
    draw, signatures = random.Random(name), set()
    for n, clauses in (of_graph(first), of_graph(second)):
        signatures.add(signature(n, clauses))
        assert all(signature(n, renamed(n, clauses, draw)) in signatures for _ in range(10))
    assert len(signatures) == 2


def test_many_blocks_that_refinement_cannot_tell_apart() -> None:
    """Each block of twenty can be one of two: that multiplies no search, and their number is what counts."""
    draw, signatures = random.Random(20), set()
    for triangles in range(0, 21, 4):
        n, clauses = of_graph(blocks_on_a_hub(triangles, 20 - triangles))
        signatures.add(signature(n, clauses))
        assert signature(n, renamed(n, clauses, draw)) in signatures
    assert len(signatures) == 6


def test_all_cubic_graphs_of_eight_nodes() -> None:
    """There are five connected ones and one that is not, of each of which many renamings are drawn."""
    found: dict[str, networkx.Graph] = {}
    for seed in range(150):
        graph = networkx.random_regular_graph(3, 8, seed=seed)
        found.setdefault(signature(*of_graph(graph)), graph)
    assert len(found) == 6
    assert not any(networkx.is_isomorphic(a, b) for a, b in combinations(found.values(), 2))


def test_all_graphs_of_up_to_seven_nodes() -> None:
    """The atlas has each of the 1,253 graphs of up to seven nodes once, and so many signatures they have."""
    draw, signatures = random.Random(0), set()
    for graph in networkx.graph_atlas_g():
        n, clauses = of_graph(graph)
        signatures.add(signature(n, clauses))
        assert signature(n, renamed(n, clauses, draw)) in signatures
    assert len(signatures) == 1253


def test_polarity_is_kept() -> None:
    """A sign flipped everywhere, or every clause turned to its negation, is another structure; so is a direction."""
    assert signature(1, [(1,)]) != signature(1, [(-1,)])
    assert signature(2, [(1, 2)]) != signature(2, [(-1, -2)])
    assert signature(2, [(1, 2)]) != signature(2, [(-1, 2)])
    assert signature(3, [(1, 2), (2, 3)]) != signature(3, [(1, -2), (-2, 3)])
    assert signature(2, [(-1, 2)]) == signature(2, [(1, -2)])
    chain = [(-1, 2), (-2, 3)]
    assert signature(3, chain) == signature(3, [(-3, 2), (-2, 1)])
    assert signature(3, chain) != signature(3, [(-1, 2), (-3, 2)])
    assert signature(3, [(-1, 2), (-3, 2)]) != signature(3, [(1, -2), (3, -2)])


def test_degenerate_clauses_are_told_apart() -> None:
    """Units, (a, a), tautologies, empty clauses, repeats and variables that occur nowhere all count."""
    formulas_: list[Formula] = [
        (1, []),
        (2, []),
        (1, [()]),
        (1, [(), ()]),
        (1, [(1,)]),
        (1, [(1,), (1,)]),
        (1, [(1, 1)]),
        (1, [(-1, -1)]),
        (1, [(1, -1)]),
        (2, [(1,)]),
        (2, [(1, 2)]),
        (2, [(1, 2), (2, 1)]),
        (2, [(1, 2), (1,)]),
        (3, [(1, 2)]),
    ]
    assert len({signature(n, clauses) for n, clauses in formulas_}) == len(formulas_)
    assert canonical_form(4, [(), (4, -2)]) == (2, 1, ((2, ((-2, 1),)),))


def test_what_is_no_2cnf() -> None:
    """Is refused as the oracle refuses it."""
    for clause in ([0], [1, 4], [-4], [1, 2, 3]):
        with pytest.raises(ValueError, match="clause 0 has"):
            signature(3, [clause])


SHAPES: dict[str, Formula] = {
    "directed cycle": (200, [(-v, v % 200 + 1) for v in range(1, 201)]),
    "signed cycle": (200, [(-v if v % 3 else v, v % 200 + 1 if v % 5 else -(v % 200 + 1)) for v in range(1, 201)]),
    "star": (201, [(1, v) for v in range(2, 202)]),
    "matching": (400, [(v, v + 1) for v in range(1, 401, 2)]),
    "complete": (15, list(combinations(range(1, 16), 2))),
    "path": (3000, [(v, v + 1) for v in range(1, 3000)]),
    "beads": (3001, [e for v in range(1, 3000, 3) for e in ((v, v + 1), (v, v + 2), (v + 1, v + 3), (v + 2, v + 3))]),
    "torus": of_graph(networkx.grid_2d_graph(8, 8, periodic=True)),
    "hypercube": of_graph(networkx.hypercube_graph(5)),
    "sparse": (400, [tuple(random.Random(i).sample(range(1, 401), 2)) for i in range(200)]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_with_long_refinements_and_many_automorphisms(name: str) -> None:
    """Each has one signature under renaming, and another once one clause is turned round or dropped."""
    n, clauses = SHAPES[name]
    expected = signature(n, clauses)
    assert signature(n, renamed(n, clauses, random.Random(name))) == expected
    assert signature(n, [*clauses[:-1], (-clauses[-1][0], clauses[-1][1])]) != expected
    assert signature(n, clauses[:-1]) != expected
