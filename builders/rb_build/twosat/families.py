"""The families of 2-CNF formulas (2-SAT paper, sections 3.1 to 3.4 and its appendix), each with what is planted in it.

A family's parameters lie in [0, 1] and are exact fractions; the number of clauses is met within 1. Formulas come in
construction order, over variables numbered at random, so that a variable's number says nothing about its role.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from rb_build.streams import Stream

CORE, MONOTONE, BRIDGE, FILLER = "core", "monotone", "bridge", "filler"

Levels = Mapping[str, Fraction]
MIDDLE = Fraction(1, 2)


@dataclass(frozen=True)
class Clause:
    """One or two literals, and the role of the clause: core, monotone, bridge or filler."""

    literals: tuple[int, ...]
    role: str


@dataclass(frozen=True)
class Formula:
    """A formula and its planted facts.

    ``cycle``: the literals l1 ... lL of the contradiction cycle, ``twist``: k. ``free``: the free variables of an
    EquivalenceCore. ``backbone``: the literals true in every model, by variable.
    ``copies``: the variables of each copy, place by place images of each other; empty for a single one.
    """

    variables: int
    clauses: tuple[Clause, ...]
    cycle: tuple[int, ...] = ()
    twist: int = 0
    free: tuple[int, ...] = ()
    backbone: tuple[int, ...] = ()
    copies: tuple[tuple[int, ...], ...] = ()

    @property
    def literals(self) -> list[list[int]]:
        """The clauses as lists of literals."""
        return [list(clause.literals) for clause in self.clauses]

    def places(self, role: str) -> list[int]:
        """The indices of the clauses of a role."""
        return [i for i, clause in enumerate(self.clauses) if clause.role == role]


def renamed(formula: Formula, images: Sequence[int], variables: int | None = None) -> Formula:
    """A formula with variable v called ``images[v - 1]``, over ``variables`` variables (default: as many as before)."""

    def image(literal: int) -> int:
        return images[literal - 1] if literal > 0 else -images[-literal - 1]

    return replace(
        formula,
        variables=formula.variables if variables is None else variables,
        clauses=tuple(Clause(tuple(map(image, c.literals)), c.role) for c in formula.clauses),
        cycle=tuple(map(image, formula.cycle)),
        free=tuple(sorted(map(image, formula.free))),
        backbone=tuple(sorted(map(image, formula.backbone), key=abs)),
        copies=tuple(tuple(map(image, copy)) for copy in formula.copies),
    )


def generate(stream: Stream, family: str, clauses: int, levels: Levels, index: int, of: int) -> Formula:
    """Draw a formula. ``levels``: each parameter of the family. ``index``, ``of``: which of how many in its cell."""
    if family == "ImplicationCycle":
        formula = implication_cycle(stream, clauses, levels["split"])
    elif family == "EquivalenceCore":
        formula = equivalence_core(stream, clauses, levels["ratio"])
    elif family == "Backbone":
        # A polarity between 0 and 1 is the share of a cell's formulas whose monotone part is positive.
        positive = Fraction(2 * index + 1, 2 * of) < levels["polarity"]
        formula = backbone(stream, clauses, levels["beta"], levels["density"], positive)
    else:
        formula = mono_bridge(stream, clauses, levels["density"], levels["positive"], levels["position"])
    return renamed(formula, stream.shuffled(range(1, formula.variables + 1)))


def implies(a: int, b: int) -> tuple[int, ...]:
    """The clause of a -> b; a unit clause where b is the opposite of a."""
    return (b,) if b == -a else (-a, b)


def cycle_clauses(cycle: Sequence[int], twist: int) -> list[tuple[int, ...]]:
    """The clauses of l1 -> ... -> lk -> not l1 -> l(k+1) -> ... -> lL -> l1. ``cycle``: l1 ... lL; ``twist``: k."""
    return [implies(a, b) for a, b in pairwise([*cycle[:twist], -cycle[0], *cycle[twist:], cycle[0]])]


def implication_cycle(stream: Stream, clauses: int, split: Fraction) -> Formula:
    """Section 3.1: the contradiction cycle of L = clauses - 1 literals of random sign, its twist k placed by ``split``."""
    size = clauses - 1
    twist = 1 + round(split * (size - 1))
    cycle = tuple(v if stream.below(2) else -v for v in range(1, size + 1))
    made = tuple(Clause(literals, CORE) for literals in cycle_clauses(cycle, twist))
    return Formula(size, made, cycle=cycle, twist=twist)


def equivalence_core(stream: Stream, clauses: int, ratio: Fraction) -> Formula:
    """Section 3.2: each of b = clauses // 2 bound variables equals a literal of one of f = ratio b free variables, at
    least one, each of which has a bound one."""
    bound = clauses // 2
    free = max(1, round(ratio * bound))
    parents = stream.shuffled([*range(1, free + 1), *(1 + stream.below(free) for _ in range(bound - free))])
    made = []
    for y, parent in enumerate(parents, free + 1):
        literal = parent if stream.below(2) else -parent
        made += [Clause((-y, literal), CORE), Clause((y, -literal), CORE)]
    return Formula(free + bound, tuple(made), free=tuple(range(1, free + 1)))


def backbone(stream: Stream, clauses: int, beta: Fraction, density: Fraction, positive: bool) -> Formula:
    """Section 3.3: two clauses and an auxiliary variable force each backbone variable; monotone clauses without repeats
    fill up, over variables of their own, whose number goes from the most (density 0) to the least (1)."""
    forced = backbone_size(clauses, beta, density)
    m = clauses - 2 * forced
    others = monotone_size(m, density)
    made = []
    values = [v if stream.below(2) else -v for v in range(1, forced + 1)]
    for literal in values:
        auxiliary = forced + abs(literal)
        made += [Clause((literal, auxiliary), CORE), Clause((literal, -auxiliary), CORE)]
    last = 2 * forced + others
    made += monotone(stream, range(2 * forced + 1, last + 1), m, 1 if positive else -1)
    return Formula(last, tuple(made), backbone=tuple(values))


def backbone_size(clauses: int, beta: Fraction, density: Fraction) -> int:
    """|B|: the number that brings |B| / (|B| + |F|) nearest to ``beta``; the least of equally good ones."""

    def distance(forced: int) -> Fraction:
        return abs(Fraction(forced, forced + monotone_size(clauses - 2 * forced, density)) - beta)

    return min(range(clauses // 2 + 1), key=distance)


def monotone_size(m: int, density: Fraction) -> int:
    """The number of variables of m monotone clauses: 2m at density 0, the least possible at 1, geometric between."""
    if m == 0:
        return 0
    most, least = 2 * m, least_size(m)
    exact: float = most * (least / most) ** float(density)
    return round(round(exact, 9))


def least_size(m: int) -> int:
    """The least number of variables that have ``m`` different pairs."""
    n = 2
    while n * (n - 1) // 2 < m:
        n += 1
    return n


def monotone(stream: Stream, variables: Sequence[int], m: int, sign: int, role: str = MONOTONE) -> list[Clause]:
    """``m`` clauses over different pairs of ``variables``, all literals of one sign, in which every variable occurs."""
    return [Clause((sign * a, sign * b), role) for a, b in pairs(stream, variables, m)]


def pairs(stream: Stream, variables: Sequence[int], m: int) -> list[tuple[int, int]]:
    """``m`` different pairs that cover ``variables``, in random order; any such set of pairs can come out.

    There are at most 2m variables and at least the least number. Pairs are drawn from all, as the paper does, unless the
    pairs still to come could not cover what is not covered yet: then from what is not.
    """
    made: dict[frozenset[int], tuple[int, int]] = {}
    uncovered = list(variables)
    while len(made) < m:
        slack = 2 * (m - len(made)) - len(uncovered)
        a = stream.choice(variables if slack > 1 else uncovered)
        b = stream.choice(variables if slack > 0 else uncovered)
        if a != b and frozenset((a, b)) not in made:
            made[frozenset((a, b))] = (a, b)
            uncovered = [v for v in uncovered if v not in (a, b)]
    return stream.shuffled(list(made.values()))


def mono_bridge(stream: Stream, clauses: int, density: Fraction, positive: Fraction, position: Fraction) -> Formula:
    """Section 3.4: a positive and a negative monotone part over variables of their own, and one clause (not p or q) that
    couples them, placed by ``position``."""
    m = clauses - 1
    m_positive = round(positive * m)
    sizes = bridge_sizes(clauses, density, m_positive)
    p, q = range(1, sizes[0] + 1), range(sizes[0] + 1, sum(sizes) + 1)
    made = [*monotone(stream, p, m_positive, 1), *monotone(stream, q, m - m_positive, -1)]
    bridge = Clause((-stream.choice(p), stream.choice(q)), BRIDGE)
    made.insert(round(position * m), bridge)
    return Formula(sum(sizes), tuple(made))


def bridge_sizes(clauses: int, density: Fraction, m_positive: int) -> tuple[int, int]:
    """|P| and |N|: together as near as possible to 2 density clauses, in proportion to their clauses."""
    m = clauses - 1
    total = round(density * 2 * clauses)

    def clipped(wanted: int, own: int) -> int:
        return 1 if own == 0 else min(max(wanted, least_size(own)), 2 * own)

    first = clipped(round(Fraction(total * m_positive, m)), m_positive)
    second = clipped(total - first, m - m_positive)
    return clipped(total - second, m_positive), second
