"""rb_verify.solve of 2-CNFs beside a CDCL solver of python-sat, from the clauses to the answer, on formulas of 10^2 to
10^6 clauses: random ones at the threshold (as many clauses as variables), and implication cycles that contradict
themselves.

Ours is pure Python and gives a checked proof of either answer: a witness that satisfies all clauses, or two chains of
implications, each step a clause. The seconds of proof are shown apart. The solver's include those of adding the clauses.
Both must agree on satisfiability.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Annotated

import typer
from measuring import interleaved, ratios, spread
from pysat.solvers import Solver
from rich.console import Console
from rich.table import Table

from rb_verify.twocnf import is_certificate, solve, violated

Formula = tuple[int, list[list[int]]]


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


def by_cdcl(name: str, clauses: list[list[int]]) -> bool:
    with Solver(name, bootstrap_with=clauses) as solver:
        return bool(solver.solve())


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The least-squares slope of log time on log size: 1 is linear."""
    xs, ys = [math.log(size) for size in sizes], [math.log(t) for t in seconds]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def main(
    largest: Annotated[int, typer.Option(min=3, max=7, help="The power of ten of the most clauses.")] = 6,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 3,
    peer: Annotated[str, typer.Option(help="The python-sat solver to compare with.")] = "cadical153",
) -> None:
    """Compare solve with a CDCL solver. Each cell: median (least-greatest) over the repeats."""
    compared = "solve, s", "solve and check, s", f"{peer}, s", f"solve / {peer}"
    table = Table("formulas", "clauses", "satisfiable", *compared)
    growth = Table("formulas", "clauses", "solve ~ size^", "solve and check ~ size^", f"{peer} ~ size^")
    sizes = [10**power for power in range(2, largest + 1)]
    kinds: list[tuple[str, Callable[[int], Formula]]] = [("random, ratio 1", threshold), ("implication cycle", cycle)]
    for kind, make in kinds:
        least: dict[str, list[float]] = {"solve": [], "check": [], "peer": []}
        for size in sizes:
            variables, clauses = make(size)
            assert len(clauses) == size
            satisfiable = prove(variables, clauses)
            assert satisfiable == by_cdcl(peer, clauses), "the contenders disagree"
            times = interleaved(
                {
                    "solve": partial(solve, variables, clauses),
                    "check": partial(prove, variables, clauses),
                    "peer": partial(by_cdcl, peer, clauses),
                },
                repeats,
            )
            for name, some in times.items():
                least[name].append(min(some))
            answer = "yes" if satisfiable else "no"
            compare = spread(ratios(times["solve"], times["peer"]), "x")
            table.add_row(kind, f"{size:,}", answer, *(spread(some) for some in times.values()), compare)
        for some_sizes, start in ((sizes, 0), (sizes[1:], 1)):
            span = f"{some_sizes[0]:,} to {some_sizes[-1]:,}"
            growth.add_row(kind, span, *(f"{exponent(some_sizes, some[start:]):.2f}" for some in least.values()))
    console = Console(width=140)
    console.print(table)
    console.print("Growth: the slope of log time (least of the repeats) on log size.")
    console.print(growth)


if __name__ == "__main__":
    typer.run(main)
