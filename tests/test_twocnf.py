"""The 2-SAT oracle, held against brute force, networkx and a CDCL solver."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import combinations, combinations_with_replacement, product

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from rb_verify.twocnf import (
    Clause,
    backbone,
    broken_edge,
    count_models,
    implication_graph,
    is_certificate,
    is_minimally_unsatisfiable,
    solve,
    violated,
)

# A formula over n variables. Its models are the bits of a number: bit i stands for the i-th of assignments().
Formula = tuple[int, list[Clause]]


def assignments(n: int) -> list[tuple[bool, ...]]:
    """All assignments of n variables."""
    return list(product((False, True), repeat=n))


def mask(n: int, clause: Clause) -> int:
    """The assignments that satisfy a clause."""
    return sum(1 << i for i, values in enumerate(assignments(n)) if any(values[abs(a) - 1] == (a > 0) for a in clause))


def mask_of_all(n: int, clauses: list[Clause]) -> int:
    """The models of a formula, by brute force."""
    models = (1 << 2**n) - 1
    for clause in clauses:
        models &= mask(n, clause)
    return models


def written(n: int, repeats: bool) -> list[Clause]:
    """All clauses of one or two literals over n variables; (a, a) only with ``repeats``."""
    literals = [a for v in range(1, n + 1) for a in (v, -v)]
    pairs = combinations_with_replacement(literals, 2) if repeats else combinations(literals, 2)
    return [*((a,) for a in literals), *pairs]


def subsets(n: int, clauses: list[Clause]) -> list[tuple[list[Clause], int]]:
    """All sets of clauses, each with its models, which are intersections of those of the clauses."""
    found: list[tuple[list[Clause], int]] = [([], (1 << 2**n) - 1)]
    for clause in clauses:
        models = mask(n, clause)
        found += [([*some, clause], known & models) for some, known in found]
    return found


def check_solution(n: int, clauses: list[Clause], models: int) -> None:
    """Satisfiability is right, and witness or certificate prove it."""
    solution = solve(n, clauses)
    assert solution.satisfiable == bool(models)
    if models:
        assert solution.certificate is None
        assert solution.witness is not None
        place = sum(value << k for k, value in enumerate(reversed(solution.witness)))
        assert len(solution.witness) == n
        assert models >> place & 1
        assert violated(clauses, solution.witness) is None
    else:
        assert solution.witness is None
        if solution.certificate is None:
            assert [] in map(list, clauses)
            assert solve(n, [clause for clause in clauses if clause]).satisfiable
        else:
            assert is_certificate(clauses, solution.certificate)


def check_all(n: int, clauses: list[Clause], models: int) -> None:
    """Everything that the oracle says of a formula is what its models say."""
    check_solution(n, clauses, models)
    shown = [values for i, values in enumerate(assignments(n)) if models >> i & 1]
    assert count_models(n, clauses) == len(shown)
    if shown:
        fixed = [v for v in range(1, n + 1) if len({values[v - 1] for values in shown}) == 1]
        assert backbone(n, clauses) == [v if shown[0][v - 1] else -v for v in fixed]
    else:
        with pytest.raises(ValueError, match="no backbone"):
            backbone(n, clauses)


def random_formula(draw: random.Random, n: int, m: int, units: float = 0.0) -> list[Clause]:
    """m clauses of two different variables with random signs, some of them cut to units."""
    clauses: list[Clause] = []
    for _ in range(m):
        a, b = (v if draw.random() < 0.5 else -v for v in draw.sample(range(1, n + 1), 2))
        clauses.append((a,) if draw.random() < units else (a, b))
    return clauses


@st.composite
def formulas(draw: st.DrawFn, most: int = 6, least_length: int = 0) -> Formula:
    """A formula of any clauses, degenerate ones included."""
    n = draw(st.integers(1, most))
    literal = st.integers(1, n).flatmap(lambda v: st.sampled_from((v, -v)))
    return n, draw(st.lists(st.lists(literal, min_size=least_length, max_size=2), max_size=2 * n + 2))


@pytest.mark.parametrize("n", [1, 2])
def test_all_formulas_of_two_variables(n: int) -> None:
    """Every set of clauses over one or two variables, with the empty clause, (a, a) and tautologies: all functions."""
    for clauses, models in subsets(n, [(), *written(n, repeats=True)]):
        check_all(n, clauses, models)


def test_all_sets_of_binary_clauses_over_three_variables() -> None:
    """Every set of clauses of two variables out of three: all functions, and minimality from the models."""
    pairs = [clause for clause in written(3, repeats=False) if len(clause) == 2 and clause[0] != -clause[1]]
    for clauses, models in subsets(3, pairs):
        check_all(3, clauses, models)
        minimal = not models and all(mask_of_all(3, clauses[:i] + clauses[i + 1 :]) for i in range(len(clauses)))
        assert is_minimally_unsatisfiable(3, clauses) == minimal


@pytest.mark.slow
def test_every_formula_of_three_variables() -> None:
    """Every set of units and of clauses of two variables out of three is decided rightly, and with proof.

    Tautologies, (a, a) and the empty clause add no other model set; the test on two variables has them all.
    """
    clauses = [clause for clause in written(3, repeats=False) if clause[0] != -clause[-1]]
    assert len(clauses) == 18
    satisfiable = 0
    for some, models in subsets(3, clauses):
        check_solution(3, some, models)
        satisfiable += bool(models)
    assert 0 < satisfiable < 2**18


@pytest.mark.parametrize("n", range(2, 9))
def test_random_formulas_against_brute_force(n: int) -> None:
    """Up to eight variables, around the threshold: all functions, and minimality from the models."""
    draw, seen = random.Random(n), {True: 0, False: 0}
    for _ in range(60):
        clauses = random_formula(draw, n, draw.randint(n // 2, 2 * n), units=0.1)
        models = mask_of_all(n, clauses)
        check_all(n, clauses, models)
        minimal = not models and all(mask_of_all(n, clauses[:i] + clauses[i + 1 :]) for i in range(len(clauses)))
        assert is_minimally_unsatisfiable(n, clauses) == minimal
        seen[bool(models)] += 1
    assert all(seen.values())


def shrunk(n: int, clauses: list[Clause]) -> list[Clause]:
    """A minimally unsatisfiable part of an unsatisfiable formula, by a CDCL solver."""
    kept = list(clauses)
    for clause in clauses:
        rest = list(kept)
        rest.remove(clause)
        if not by_cdcl(rest):
            kept = rest
    return kept


def by_cdcl(clauses: list[Clause]) -> bool:
    """Whether MiniSat finds a model."""
    with Solver("minisat22", bootstrap_with=[list(clause) for clause in clauses]) as solver:
        return bool(solver.solve())


def test_minimally_unsatisfiable_parts() -> None:
    """Parts from which a CDCL solver took all that it could are minimal; with one more or less clause they are not."""
    draw, found = random.Random(7), 0
    while found < 15:
        clauses = random_formula(draw, 20, 30)
        if by_cdcl(clauses):
            continue
        found += 1
        part = shrunk(20, clauses)
        assert is_minimally_unsatisfiable(20, part)
        assert not is_minimally_unsatisfiable(20, part[1:])
        assert not is_minimally_unsatisfiable(20, [*part, part[0]])


@pytest.mark.parametrize("n", [10, 50, 200, 1000, 2000])
def test_against_a_cdcl_solver(n: int) -> None:
    """Random formulas around the threshold m = n, of which some are satisfiable and some are not."""
    draw, seen = random.Random(n), {True: 0, False: 0}
    for ratio in (0.8, 0.9, 1.0, 1.1, 1.2, 1.6) * 5:
        clauses = random_formula(draw, n, round(ratio * n))
        solution = solve(n, clauses)
        assert solution.satisfiable == by_cdcl(clauses)
        seen[solution.satisfiable] += 1
        if solution.witness is not None:
            assert violated(clauses, solution.witness) is None
        else:
            assert solution.certificate is not None
            assert is_certificate(clauses, solution.certificate)
    assert all(seen.values()), seen


@pytest.mark.parametrize("n", [12, 40])
def test_backbone_against_a_cdcl_solver(n: int) -> None:
    """A literal is in the backbone iff its negation cannot be assumed."""
    draw, sizes = random.Random(n), []
    while len(sizes) < 25:
        clauses = random_formula(draw, n, n, units=0.05)
        with Solver("minisat22", bootstrap_with=[list(clause) for clause in clauses]) as solver:
            if solver.solve():
                literals = [a for v in range(1, n + 1) for a in (v, -v)]
                assert backbone(n, clauses) == [a for a in literals if not solver.solve(assumptions=[-a])]
                sizes.append(len(backbone(n, clauses)))
    assert max(sizes) > min(sizes)


def test_counts_of_known_families() -> None:
    """Paths and cycles of (x or y) have Fibonacci and Lucas numbers of models; others have theirs."""
    fibonacci, lucas = [1, 1], [2, 1]
    for _ in range(400):
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
        lucas.append(lucas[-1] + lucas[-2])
    for n in (3, 4, 10, 50, 300):
        path = [(v, v + 1) for v in range(1, n)]
        assert count_models(n, path) == fibonacci[n + 1]
        assert count_models(n, [*path, (n, 1)]) == lucas[n]
        assert count_models(n, [(-a, b) for a, b in path]) == n + 1
        assert count_models(n, [(-a, b) for a, b in [*path, (n, 1)]]) == 2
        assert count_models(n, [(1, v) for v in range(2, n + 1)]) == 2 ** (n - 1) + 1
        assert count_models(n, []) == 2**n
    assert count_models(60, list(combinations(range(1, 61), 2))) == 61
    # 40 blocks of four variables, all pairs in each: no summing out, but components.
    blocks = [(4 * k + a, 4 * k + b) for k in range(40) for a, b in combinations(range(1, 5), 2)]
    assert count_models(160, blocks) == 5**40


@settings(max_examples=150, deadline=None)
@given(formulas(most=12), st.integers(0, 5))
def test_counts_with_dense_cores(formula: Formula, spare: int) -> None:
    """Formulas whose variables have many neighbours, so that counting must branch; spare variables double the count."""
    n, clauses = formula
    draw = random.Random(repr(formula))
    clauses = [clause for clause in clauses if clause] + [
        (draw.choice((a, a, -a)), b) for a, b in combinations(range(1, n + 1), 2) if draw.random() < 0.6
    ]
    models = sum(violated(clauses, values) is None for values in assignments(n))
    assert count_models(n + spare, clauses) == models << spare


@settings(max_examples=200, deadline=None)
@given(formulas())
def test_all_functions_on_any_formula(formula: Formula) -> None:
    """Degenerate clauses of every kind included."""
    n, clauses = formula
    check_all(n, clauses, mask_of_all(n, clauses))


@settings(max_examples=150, deadline=None)
@given(formulas(), st.data())
def test_violated_is_the_first_clause_that_fails(formula: Formula, data: st.DataObject) -> None:
    """Clause by clause, as its definition has it."""
    n, clauses = formula
    values = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    failing = [i for i, clause in enumerate(clauses) if not any(values[abs(a) - 1] == (a > 0) for a in clause)]
    assert violated(clauses, values) == (failing[0] if failing else None)


@settings(max_examples=150, deadline=None)
@given(formulas(least_length=1))
def test_against_strongly_connected_components(formula: Formula) -> None:
    """The implication graph has its edges, networkx finds the contradictions in it, and the chains are shortest."""
    n, clauses = formula
    graph = implication_graph(n, clauses)
    assert list(graph) == [a for v in range(1, n + 1) for a in (v, -v)]
    edges = {(-a, b) for c in clauses for a, b in ((c[0], c[-1]), (c[-1], c[0]))}
    assert set(graph.edges) == edges
    assert all(broken_edge(clauses, (p, q)) == (None if (p, q) in edges else 0) for p, q in product(graph, repeat=2))
    contradictory = [v for v in range(1, n + 1) if any({v, -v} <= c for c in networkx.strongly_connected_components(graph))]
    solution = solve(n, clauses)
    assert solution.satisfiable == (not contradictory)
    if solution.certificate is not None:
        there, back = solution.certificate
        x = contradictory[0]
        assert (there[0], there[-1], back[0], back[-1]) == (x, -x, -x, x)
        assert len(there) - 1 == networkx.shortest_path_length(graph, x, -x)
        assert len(back) - 1 == networkx.shortest_path_length(graph, -x, x)


def test_certificate_of_a_large_formula_is_shortest() -> None:
    """networkx agrees on the least contradictory variable of a formula of 500 variables, and on the chains' lengths."""
    clauses = random_formula(random.Random(3), 500, 700)
    graph, solution = implication_graph(500, clauses), solve(500, clauses)
    components = list(networkx.strongly_connected_components(graph))
    x = min(v for v in range(1, 501) for component in components if {v, -v} <= component)
    assert solution.certificate is not None
    assert [chain[0] for chain in solution.certificate] == [x, -x]
    assert len(solution.certificate[0]) - 1 == networkx.shortest_path_length(graph, x, -x)
    assert len(solution.certificate[1]) - 1 == networkx.shortest_path_length(graph, -x, x)


@settings(max_examples=150, deadline=None)
@given(formulas(), st.randoms(use_true_random=False))
def test_order_of_clauses_does_not_matter(formula: Formula, draw: random.Random) -> None:
    """Clauses, and the literals inside them, in any order say the same."""
    n, clauses = formula
    turned = [draw.sample(clause, len(clause)) for clause in clauses]
    draw.shuffle(turned)
    satisfiable = solve(n, clauses).satisfiable
    assert solve(n, turned).satisfiable == satisfiable
    assert count_models(n, turned) == count_models(n, clauses)
    assert is_minimally_unsatisfiable(n, turned) == is_minimally_unsatisfiable(n, clauses)
    if satisfiable:
        assert backbone(n, turned) == backbone(n, clauses)


def test_contradiction_of_two_units() -> None:
    """(1) and (-1): unsatisfiable, no models, minimal, and certified by an edge each way."""
    solution = solve(1, [[1], [-1]])
    assert not solution.satisfiable
    assert solution.certificate == ((1, -1), (-1, 1))
    assert is_certificate([[1], [-1]], ((1, -1), (-1, 1)))
    assert count_models(1, [[1], [-1]]) == 0
    assert is_minimally_unsatisfiable(1, [[1], [-1]])


def test_the_empty_clause() -> None:
    """It makes any formula unsatisfiable, alone without a certificate; a contradiction beside it is still certified."""
    for n, clauses in ((0, [[]]), (3, [[]]), (3, [[1, 2], [], [3]])):
        solution = solve(n, clauses)
        assert (solution.satisfiable, solution.witness, solution.certificate) == (False, None, None)
        assert count_models(n, clauses) == 0
        assert is_minimally_unsatisfiable(n, clauses) == (len(clauses) == 1)
        assert violated(clauses, [True] * n) == clauses.index([])
    assert solve(1, [[], [1], [-1]]).certificate == ((1, -1), (-1, 1))
    assert not is_minimally_unsatisfiable(1, [[], []])


def test_no_clauses() -> None:
    """Without clauses all assignments are models, and nothing is forced."""
    assert solve(3, []).satisfiable
    assert len(solve(3, []).witness or ()) == 3
    assert count_models(3, []) == 8
    assert backbone(3, []) == []
    assert violated([], [True, False, True]) is None
    assert not is_minimally_unsatisfiable(3, [])
    assert implication_graph(3, []).number_of_nodes() == 6


def test_no_variables() -> None:
    """Without variables there is one model, the empty one."""
    assert solve(0, []).satisfiable
    assert solve(0, []).witness == ()
    assert count_models(0, []) == 1
    assert backbone(0, []) == []
    assert violated([], []) is None
    assert implication_graph(0, []).number_of_nodes() == 0


@pytest.mark.parametrize("function", [solve, backbone, count_models, is_minimally_unsatisfiable, implication_graph])
@pytest.mark.parametrize(
    ("n", "clause", "said"),
    [
        (2, [0], "literal 0"),
        (2, [1, 0], "literal 0"),
        (2, [0, -2], "literal 0"),
        (2, [3], "literal 3, but there are 2 variables"),
        (2, [1, -3], "literal -3, but there are 2 variables"),
        (0, [1], "literal 1, but there are 0 variables"),
        (3, [1, 2, 3], "3 literals"),
        (3, [1, 1, 1], "3 literals"),
    ],
)
def test_what_is_no_2cnf(function: object, n: int, clause: list[int], said: str) -> None:
    """Is refused, with the clause that is wrong named."""
    assert callable(function)
    with pytest.raises(ValueError, match=rf"^clause 1 has .*{said}"):
        function(n, [[-n] if n else [], clause])


def test_a_negative_number_of_variables() -> None:
    """Is refused too."""
    with pytest.raises(ValueError, match="-1 variables"):
        solve(-1, [])


def test_broken_chains() -> None:
    """The first step that is no edge is found; what is not two full chains is no certificate."""
    clauses = [(-1, 2), (3, -2), (-3,), (1, 1), (2, -2)]
    assert broken_edge(clauses, (1, 2, 3, -3)) is None
    assert broken_edge(clauses, (-1, 1, 2, 3, -3, -2, -1)) is None
    assert broken_edge(clauses, (1, 2, 2, 3)) is None
    assert broken_edge(clauses, (1, 3)) == 0
    assert broken_edge(clauses, (1, 2, 3, 2, 7)) == 2
    assert broken_edge(clauses, (3, -3, 3)) == 1
    assert broken_edge(clauses, (1,)) is None
    assert broken_edge(clauses, ()) is None
    there, back = (1, 2, 3, -3, -2, -1), (-1, 1)
    assert is_certificate(clauses, (there, back))
    assert is_certificate(clauses, (back, there))
    for chains in ((), (there,), (there, back, back), (there, ()), (there, there), (there, (-1,)), (there, (-2, -1, 1))):
        assert not is_certificate(clauses, chains)
    assert not is_certificate(clauses, ((1, 2, -1), back))
    assert not is_certificate([*clauses, (2,)], ((1, 2, 3, -3, -2, -1), (-2, 2)))


def test_an_assignment_must_be_total() -> None:
    """A literal of a variable without a value does not satisfy a clause."""
    assert violated([(1, 2), (-2, 3)], [True]) == 1


def test_deep_chains() -> None:
    """No recursion: a chain of 200,000 literals, forced from its start; closed to a contradiction; and counted."""
    n = 200_000
    chain: list[Clause] = [(-v, v + 1) for v in range(1, n)]
    assert solve(n, [*chain, (1,)]).witness == (True,) * n
    assert backbone(n, [*chain, (1,)]) == list(range(1, n + 1))
    closed = [*chain, (-n, -1), (1, n), (-n, 1)]
    solution = solve(n, closed)
    assert solution.certificate is not None
    assert is_certificate(closed, solution.certificate)
    assert len(solution.certificate[0]) == n + 1
    assert count_models(n, chain) == n + 1


SCRIPT = """
import random
from rb_verify.isomorphism import signature
from rb_verify.twocnf import backbone, count_models, solve

draw = random.Random(5)
for n, m in ((60, 55), (60, 120), (200, 190), (200, 400)):
    clauses = [[v if draw.random() < 0.5 else -v for v in draw.sample(range(1, n + 1), 2)] for _ in range(m)]
    print(solution := solve(n, clauses), count_models(n, clauses), signature(n, clauses))
    print(solution.satisfiable and backbone(n, clauses))
"""


def test_hash_seeds_change_nothing() -> None:
    """Witness, certificate, backbone, count and signature are the same bytes under every PYTHONHASHSEED."""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, check=True
        ).stdout
        for seed in range(5)
    ]
    assert len(set(outputs)) == 1
    assert b"satisfiable=True" in outputs[0]
    assert b"satisfiable=False" in outputs[0]
