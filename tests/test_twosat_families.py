"""The four families and the perturbations: sizes, planted facts by brute force, pools of structures, twins."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from rb_build.streams import Stream
from rb_build.twosat.families import (
    BRIDGE,
    CORE,
    FILLER,
    MIDDLE,
    MONOTONE,
    Formula,
    backbone_size,
    bridge_sizes,
    equivalence_core,
    generate,
    implication_cycle,
    least_size,
    mono_bridge,
    monotone_size,
    pairs,
)
from rb_build.twosat.perturbations import Perturbation, perturb, twin
from rb_verify.isomorphism import signature
from rb_verify.twocnf import backbone, is_minimally_unsatisfiable, solve
from rb_verify.twosat_ablations import PARAMETERS

TABLE_1 = {
    "ImplicationCycle": (5, 10, 15, 20, 50, 75, 100),
    "EquivalenceCore": (10, 15, 20, 50),
    "Backbone": (20, 50, 75, 100),
    "MonoBridge": (10, 20, 50, 75, 100, 150, 200),
}
GRID = [Fraction(0), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(1)]
FAMILIES = tuple(TABLE_1)


def drawn(family: str, clauses: int, path: str = "", index: int = 0, **levels: Fraction) -> Formula:
    """A formula of a family, all parameters at 1/2 but those given."""
    setting = dict.fromkeys(PARAMETERS[family], MIDDLE) | levels
    return generate(Stream(f"test/{family}/{clauses}/{levels}/{path}"), family, clauses, setting, index, 10)


def models(formula: Formula) -> list[tuple[bool, ...]]:
    """Every model, by trying all assignments."""
    return [
        values
        for values in product((False, True), repeat=formula.variables)
        if all(any(values[abs(i) - 1] == (i > 0) for i in clause) for clause in formula.literals)
    ]


@pytest.mark.parametrize(("family", "clauses"), [(family, c) for family, sizes in TABLE_1.items() for c in sizes])
def test_every_level_is_defined(family: str, clauses: int) -> None:
    """At every level of every parameter the clauses asked for are met within 1, and every variable occurs."""
    for name in PARAMETERS[family]:
        for level in GRID:
            formula = drawn(family, clauses, **{name: level})
            assert abs(len(formula.clauses) - clauses) <= 1
            assert {abs(i) for clause in formula.literals for i in clause} == set(range(1, formula.variables + 1))
            assert all(0 < len(clause) <= 2 for clause in formula.literals)


@pytest.mark.parametrize("split", GRID)
@pytest.mark.parametrize("clauses", [3, 4, 5, 6, 9, 12])
def test_cycle_by_brute_force(split: Fraction, clauses: int) -> None:
    """A cycle has no model, and without any one clause it has one; k is where the split puts it."""
    formula = drawn("ImplicationCycle", clauses, split=split)
    size = clauses - 1
    assert formula.variables == len(formula.cycle) == size
    assert formula.twist == 1 + round(split * (size - 1))
    assert models(formula) == []
    for left_out in range(clauses):
        some = formula.clauses[:left_out] + formula.clauses[left_out + 1 :]
        assert models(Formula(size, some))
    units = [clause for clause in formula.literals if len(clause) == 1]
    assert len(units) == (formula.twist == 1) + (formula.twist == size)


@pytest.mark.parametrize("ratio", GRID)
@pytest.mark.parametrize("clauses", [6, 9, 12])
def test_equivalence_core_by_brute_force(ratio: Fraction, clauses: int) -> None:
    """An EquivalenceCore has 2^f models, one for each assignment of the free variables, and no backbone."""
    formula = drawn("EquivalenceCore", clauses, ratio=ratio)
    bound = clauses // 2
    assert len(formula.free) == max(1, round(ratio * bound))
    assert formula.variables == bound + len(formula.free)
    found = models(formula)
    assert len(found) == 2 ** len(formula.free) == len({tuple(values[v - 1] for v in formula.free) for values in found})


@pytest.mark.parametrize("name", PARAMETERS["Backbone"])
@pytest.mark.parametrize("level", GRID)
def test_backbone_by_brute_force(name: str, level: Fraction) -> None:
    """The literals true in every model are exactly the planted ones."""
    formula = drawn("Backbone", 8, **{name: level})
    found = models(formula)
    fixed = [v if found[0][v - 1] else -v for v in range(1, formula.variables + 1) if len({m[v - 1] for m in found}) == 1]
    assert fixed == list(formula.backbone)
    assert len(formula.places(CORE)) == 2 * len(formula.backbone)


@pytest.mark.parametrize("clauses", TABLE_1["Backbone"])
def test_backbone_sizes(clauses: int) -> None:
    """|B| brings the share nearest to beta; |F| falls from 2m to the least that holds m pairs; polarity picks the sign."""
    for beta in GRID:
        size = backbone_size(clauses, beta, MIDDLE)
        others = [b for b in range(clauses // 2 + 1) if b != size]

        def share(b: int) -> Fraction:
            return Fraction(b, b + monotone_size(clauses - 2 * b, MIDDLE))

        assert all(abs(share(size) - beta) <= abs(share(b) - beta) for b in others)
    for m in (1, 2, 7, 30, 90):
        sizes = [monotone_size(m, level) for level in GRID]
        assert sizes == sorted(sizes, reverse=True)
        assert (sizes[0], sizes[-1]) == (2 * m, least_size(m))
        assert sizes[-1] * (sizes[-1] - 1) // 2 >= m > (sizes[-1] - 1) * (sizes[-1] - 2) // 2
    for polarity, positive in ((Fraction(0), 0), (Fraction(1, 5), 2), (Fraction(1, 3), 3), (MIDDLE, 5), (Fraction(1), 10)):
        formulas = [drawn("Backbone", clauses, index=i, polarity=polarity) for i in range(10)]
        signs = [{i > 0 for c in f.clauses if c.role == MONOTONE for i in c.literals} for f in formulas]
        assert signs == [{True}] * positive + [{False}] * (10 - positive)


def test_density_sweep_moves_the_backbone() -> None:
    """Along the density of Backbone at 75 clauses, |B| falls from 30 to 11: the card says so."""
    sizes = [backbone_size(75, MIDDLE, level) for level in GRID]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (30, 11)


@pytest.mark.parametrize("clauses", TABLE_1["MonoBridge"])
def test_mono_bridge(clauses: int) -> None:
    """One bridge (not p or q) between a positive and a negative part; it stands where the position says."""
    for name in PARAMETERS["MonoBridge"]:
        for level in GRID:
            formula = drawn("MonoBridge", clauses, **{name: level})
            (place,) = formula.places(BRIDGE)
            assert place == round((level if name == "position" else MIDDLE) * (clauses - 1))
            parts = [c.literals for c in formula.clauses if c.role == MONOTONE]
            positive = {i for pair in parts for i in pair if i > 0}
            negative = {-i for pair in parts for i in pair if i < 0}
            assert not positive & negative
            assert sum(pair[0] > 0 for pair in parts) == round((level if name == "positive" else MIDDLE) * (clauses - 1))
            assert len(set(map(frozenset, parts))) == len(parts) == clauses - 1
            p, q = formula.clauses[place].literals
            assert p < 0 < q
            assert not positive or -p in positive
            assert not negative or q in negative
            assert backbone(formula.variables, formula.literals) == []
    assert bridge_sizes(clauses, Fraction(1), (clauses - 1) // 2) == (
        2 * ((clauses - 1) // 2),
        2 * (clauses - 1 - (clauses - 1) // 2),
    )
    assert bridge_sizes(clauses, MIDDLE, 0)[0] == bridge_sizes(clauses, MIDDLE, clauses - 1)[1] == 1


@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 2), (3, 3), (8, 4), (9, 5), (14, 91), (60, 30), (31, 40)])
def test_pairs_cover_and_never_repeat(n: int, m: int) -> None:
    """Different pairs, as many as asked for, that touch every variable."""
    made = pairs(Stream(f"test/pairs/{n}/{m}"), range(1, n + 1), m)
    assert len(made) == len(set(map(frozenset, made))) == m
    assert {v for pair in made for v in pair} == set(range(1, n + 1))
    assert all(a != b for a, b in made)


def signatures(formulas: list[Formula]) -> set[str]:
    """The distinct structures of formulas."""
    return {signature(formula.variables, formula.literals) for formula in formulas}


@pytest.mark.parametrize(("clauses", "pool"), [(5, 6), (10, 100)])
def test_pool_of_cycles(clauses: int, pool: int) -> None:
    """Cycles at split 1/2 have 6 structures of 5 clauses and 100 of 10: counted over every choice of signs."""

    class Signs(Stream):
        def __init__(self, bits: int) -> None:
            self.bits = bits

        def below(self, n: int) -> int:
            self.bits, bit = divmod(self.bits, 2)
            return bit

    formulas = [implication_cycle(Signs(bits), clauses, MIDDLE) for bits in range(2 ** (clauses - 1))]
    assert len(signatures(formulas)) == pool


@pytest.mark.parametrize(("clauses", "pool"), [(10, 22), (15, 76)])
def test_pool_of_equivalence_cores(clauses: int, pool: int) -> None:
    """EquivalenceCores at ratio 1/2 have 22 structures of 10 clauses and 76 of 15."""
    stream = Stream("test/pool")
    assert len(signatures([equivalence_core(stream, clauses, MIDDLE) for _ in range(6000)])) == pool


def test_pool_of_bridges() -> None:
    """MonoBridges of 10 clauses at 1/2 have 116 structures; at density 1 there is one of any size."""
    stream = Stream("test/pool")
    assert len(signatures([mono_bridge(stream, 10, MIDDLE, MIDDLE, MIDDLE) for _ in range(20000)])) == 116
    assert len(signatures([mono_bridge(stream, 75, Fraction(1), MIDDLE, MIDDLE) for _ in range(5)])) == 1


def occurrences(formula: Formula) -> Counter[int]:
    """How often each literal occurs."""
    return Counter(literal for clause in formula.literals for literal in clause)


def test_twins() -> None:
    """A twin is satisfiable and has the clause lengths and the number of every literal of its cycle, in every shape."""
    shapes = {(c, 1 + round(level * (c - 2)), level) for c in range(4, 39) for level in GRID}
    assert len(shapes) == 245
    for clauses, _, split in shapes:
        cycle = drawn("ImplicationCycle", clauses, split=split)
        pair = twin(cycle)
        assert not solve(cycle.variables, cycle.literals).satisfiable
        assert solve(pair.variables, pair.literals).satisfiable
        assert occurrences(pair) == occurrences(cycle)
        assert list(map(len, pair.literals)) == list(map(len, cycle.literals))
        assert sum(a != b for a, b in zip(pair.literals, cycle.literals, strict=True)) == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_presentations_keep_the_structure(family: str) -> None:
    """Shuffling, renaming and swapping give another text of the same structure."""
    base = drawn(family, 20)
    for kind in ("shuffled", "renamed", "swapped"):
        formula = perturb(Stream(f"test/{kind}"), base, Perturbation(kind))
        assert formula.literals != base.literals
        assert signatures([formula]) == signatures([base])
    shuffled = perturb(Stream("test/shuffled"), base, Perturbation("shuffled"))
    assert Counter(shuffled.clauses) == Counter(base.clauses)
    swapped = perturb(Stream("test/swapped"), base, Perturbation("swapped"))
    assert [set(c) for c in swapped.literals] == [set(c) for c in base.literals]


@pytest.mark.parametrize("layout", ["appended", "prepended", "interleaved", "shuffled"])
@pytest.mark.parametrize("family", FAMILIES)
def test_fillers(family: str, layout: str) -> None:
    """Fillers have fresh variables of one sign each, as many clauses a variable as the core, and stand where told."""
    base = drawn(family, 20)
    formula = perturb(Stream("test/fillers"), base, Perturbation("fillers", added=30, layout=layout))
    core = [c for c in formula.clauses if c.role != FILLER]
    added = [c.literals for c in formula.clauses if c.role == FILLER]
    assert len(added) == len(set(map(frozenset, added))) == 30
    literals = {literal for pair in added for literal in pair}
    assert sorted(map(abs, literals)) == list(range(base.variables + 1, formula.variables + 1))
    wanted = round(Fraction(30 * base.variables, len(base.clauses)))
    assert len(literals) == min(max(wanted, least_size(30)), 60)
    places = formula.places(FILLER)
    if layout != "shuffled":
        assert core == list(base.clauses)
    expected = {"appended": list(range(len(core), len(core) + 30)), "prepended": list(range(30))}
    assert (places == expected.get(layout)) == (layout in expected)
    if family == "ImplicationCycle":
        assert is_minimally_unsatisfiable(formula.variables, [c.literals for c in core])


@pytest.mark.parametrize(
    ("share", "fresh"), [(Fraction(3, 5), 49), (Fraction(9, 10), 8), (Fraction(1, 10), 50), (Fraction(1), 8)]
)
def test_share_of_the_core(share: Fraction, fresh: int) -> None:
    """L/n is met as far as 25 clauses can: 74 core variables among 74 + fresh."""
    base = drawn("ImplicationCycle", 75)
    formula = perturb(Stream("test/share"), base, Perturbation("fillers", added=25, layout="appended", share=share))
    assert formula.variables - base.variables == fresh


@pytest.mark.parametrize("copies", [2, 3, 4])
@pytest.mark.parametrize("family", FAMILIES)
def test_copies_have_the_power_of_the_models(family: str, copies: int) -> None:
    """d copies have M^d models, by brute force, and are unsatisfiable iff one is."""
    base = drawn(family, 4 if family != "Backbone" else 3)
    formula = perturb(Stream("test/copies"), base, Perturbation("copies", copies=copies, layout="interleaved", permuted=True))
    assert formula.variables == copies * base.variables
    if formula.variables <= 18:
        assert len(models(formula)) == len(models(base)) ** copies
    assert solve(formula.variables, formula.literals).satisfiable == bool(models(base))


@pytest.mark.parametrize("family", FAMILIES)
def test_layouts_of_copies(family: str) -> None:
    """Grouped copies follow one another, interleaved ones keep their inner order, permuted ones change their variables."""
    base = drawn(family, 20)
    n, m = base.variables, len(base.clauses)

    def made(**how: Any) -> Formula:
        return perturb(Stream("test/layout"), base, Perturbation("copies", copies=2, **how))

    second = [[i + n if i > 0 else i - n for i in clause] for clause in base.literals]
    assert made(layout="grouped").literals == base.literals + second
    mixed = made(layout="interleaved").literals
    assert [c for c in mixed if abs(c[0]) <= n] == base.literals
    assert [c for c in mixed if abs(c[0]) > n] == second
    assert mixed != base.literals + second
    each = made(layout="grouped", order="copywise").literals
    assert each[:m] != base.literals
    assert Counter(map(tuple, each[:m])) == Counter(map(tuple, base.literals))
    permuted = made(layout="grouped", permuted=True)
    assert permuted.literals[:m] == base.literals
    assert permuted.literals[m:] != second
    image = dict(zip(permuted.copies[0], permuted.copies[1], strict=True))
    assert [[image[i] if i > 0 else -image[-i] for i in clause] for clause in base.literals] == permuted.literals[m:]


@pytest.mark.parametrize("family", ["ImplicationCycle", "MonoBridge"])
def test_triggers(family: str) -> None:
    """Early: the first copy's trigger is last and the other's first; late: the other way round."""
    base = drawn(family, 20)
    trigger = base.literals[base.places(BRIDGE)[0] if family == "MonoBridge" else -1]
    copy = [i + base.variables if i > 0 else i - base.variables for i in trigger]
    m = len(base.clauses)
    early = perturb(Stream("t"), base, Perturbation("copies", copies=2, layout="grouped", trigger="early")).literals
    late = perturb(Stream("t"), base, Perturbation("copies", copies=2, layout="grouped", trigger="late")).literals
    assert (early[m - 1], early[m]) == (trigger, copy)
    assert (late[0], late[-1]) == (trigger, copy)
    assert Counter(map(tuple, early)) == Counter(map(tuple, late))
