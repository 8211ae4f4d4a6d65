"""``rb_verify.solve`` of 2-CNFs beside a CDCL solver of python-sat, from the clauses to the answer, on formulas of 10^2 to 10^6
clauses: random ones at the threshold (as many clauses as variables), and implication cycles that contradict themselves.

Ours is pure Python and gives a proof of either answer, which is checked here: a witness that satisfies all clauses, or two
chains of implications, each step a clause. The solver's seconds include those of adding the clauses. Both must agree.

Floor: each literal of each clause read once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import peers
from comparison import FLOOR, OURS, Comparison, Growth, compared

from rb_verify.twocnf import is_certificate, solve, violated

Formula = tuple[int, list[list[int]]]
SIZES = (10**2, 10**3, 10**4, 10**5, 10**6)
PEER = "cadical153"


def threshold(size: int) -> Formula:
    """As many random clauses as variables."""
    draw = random.Random(size)
    clauses = []
    for _ in range(size):
        pair = draw.sample(range(1, size + 1), 2)
        clauses.append([v if draw.random() < 0.5 else -v for v in pair])
    return size, clauses


def cycle(size: int) -> Formula:
    """l1 -> ... -> lk -> -l1 -> l(k+1) -> ... -> l1 over shuffled variables with random signs: unsatisfiable."""
    draw = random.Random(size)
    literals = [v if draw.random() < 0.5 else -v for v in draw.sample(range(1, size), size - 1)]
    k = size // 2
    chain = [*literals[:k], -literals[0], *literals[k:], literals[0]]
    clauses = [[-p, q] for p, q in pairwise(chain)]
    draw.shuffle(clauses)
    return size - 1, clauses


def prove(variables: int, clauses: list[list[int]]) -> bool:
    """Solve, and check the proof of the answer."""
    solution = solve(variables, clauses)
    if solution.witness is not None:
        assert violated(clauses, solution.witness) is None
    else:
        assert solution.certificate is not None
        assert is_certificate(clauses, solution.certificate)
    return solution.satisfiable


def by_cdcl(clauses: list[list[int]]) -> bool:
    """What the peer says."""
    make = peers.solver()
    assert make is not None
    with make(PEER, bootstrap_with=clauses) as solver:
        return bool(solver.solve())


def read(clauses: list[list[int]]) -> int:
    """The floor."""
    return sum(first + second for first, second in clauses)


def comparisons(repeats: int) -> Iterator[Comparison | Growth]:
    """Formulas of each kind and size, solved and proved."""
    kinds: list[tuple[str, Callable[[int], Formula]]] = [("random", threshold), ("cycles", cycle)]
    for kind, make in kinds:
        least = []
        for size in SIZES:
            variables, clauses = make(size)
            contenders: dict[str, Callable[[], object]] = {OURS: partial(prove, variables, clauses)}
            if peers.solver() is not None:
                contenders["CaDiCaL of python-sat"] = partial(by_cdcl, clauses)
            assert len({work() for work in contenders.values()}) == 1, "the contenders disagree"
            contenders[FLOOR] = partial(read, clauses)
            found = compared(f"2-SAT solved and proved, {kind}", f"{size:,} clauses", contenders, repeats)
            least.append(min(found.ours))
            yield found
        yield Growth(f"2-SAT solved and proved, {kind}", "clauses", SIZES, least)
