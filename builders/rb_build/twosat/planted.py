"""The planted facts of a formula as a row has them, and their proof by the oracle (2-SAT paper, sections 3.1 to 3.5).

What is proved, from the clauses alone: the label, the cycle minimally unsatisfiable, 2^f models of an EquivalenceCore,
the backbone exactly as planted, fillers independent of the core, and copies images of one another with M^d models.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rb_build.twosat.families import BRIDGE, CORE, FILLER, Formula, cycle_clauses
from rb_verify.isomorphism import signature
from rb_verify.twocnf import backbone, count_models, is_minimally_unsatisfiable, solve

Clauses = Sequence[tuple[int, ...]]


def planted(formula: Formula) -> dict[str, Any]:
    """The planted facts as a row has them."""
    return {
        "backbone": list(formula.backbone),
        "bridges": formula.places(BRIDGE),
        "copies": [list(copy) for copy in formula.copies],
        "core": formula.places(CORE),
        "cycle": list(formula.cycle),
        "fillers": formula.places(FILLER),
        "free": list(formula.free),
        "twist": formula.twist,
    }


def frozen(value: Any) -> Any:
    """A JSON value as a hashable one, an object as its sorted items."""
    if isinstance(value, dict):
        return tuple((key, frozen(item)) for key, item in sorted(value.items()))
    return tuple(map(frozen, value)) if isinstance(value, list) else value


@lru_cache(maxsize=64)
def fact_faults(n: int, clauses: tuple[tuple[int, ...], ...], facts: Any, satisfiable: bool, mark: str) -> tuple[str, ...]:
    """What is wrong with a formula's label, signature and planted facts (as ``frozen`` gives them).

    The result is kept for the other verbalisations of the same formula.
    """
    if solve(n, clauses).satisfiable != satisfiable:
        return ("satisfiable is not what the implication graph says",)
    if signature(n, clauses) != mark:
        return ("signature is not the formula's",)
    fact = dict(facts)
    fillers = set(fact["fillers"])
    kept = [clause for place, clause in enumerate(clauses) if place not in fillers]
    core = [clauses[place] for place in fact["core"]]
    faults = [f for f in (_filler_fault(kept, [clauses[place] for place in fact["fillers"]]),) if f]
    if fact["copies"]:
        faults += _copy_faults(n, kept, fact["copies"])
    if fact["cycle"]:
        first = set(fact["copies"][0]) if fact["copies"] else range(1, n + 1)
        faults += _cycle_faults(n, [clause for clause in core if abs(clause[0]) in first], fact["cycle"], fact["twist"])
    if satisfiable and backbone(n, kept) != sorted(fact["backbone"], key=abs):
        faults.append("backbone is not the planted one")
    if fact["free"] and count_models(n, core) != 2 ** (
        len(fact["free"]) + n - len({abs(i) for clause in core for i in clause})
    ):
        faults.append("the equivalences have not 2^f models")
    if any(sorted(literal > 0 for literal in clauses[place]) != [False, True] for place in fact["bridges"]):
        faults.append("a bridge is not (not p or q)")
    return tuple(faults)


def _filler_fault(kept: Clauses, fillers: Clauses) -> str | None:
    """Each filler's literals must occur in fillers alone, with one sign, so that they bind nothing."""
    inside = {literal for clause in fillers for literal in clause}
    outside = {abs(literal) for clause in kept for literal in clause}
    dependent = any(-literal in inside or abs(literal) in outside for literal in inside)
    return "a filler is not independent of the core" if dependent else None


def _cycle_faults(n: int, core: Clauses, cycle: tuple[int, ...], twist: int) -> list[str]:
    """The core must be exactly the clauses of the cycle, and unsatisfiable with none to spare."""
    wanted = sorted(map(sorted, cycle_clauses(cycle, twist)))
    faults = [] if wanted == sorted(map(sorted, core)) else ["the core is not the planted cycle"]
    return faults if is_minimally_unsatisfiable(n, core) else [*faults, "the cycle is not minimally unsatisfiable"]


def _copy_faults(n: int, clauses: Clauses, copies: tuple[tuple[int, ...], ...]) -> list[str]:
    """The copies must share out the variables, be images of the first, and have M^d models together."""
    home = {v: (number, place) for number, copy in enumerate(copies) for place, v in enumerate(copy, 1)}
    if sorted(home) != list(range(1, n + 1)) or len(home) < sum(map(len, copies)):
        return ["the copies do not share out the variables"]
    images: list[list[list[int]]] = [[] for _ in copies]
    for clause in clauses:
        if len({home[abs(literal)][0] for literal in clause}) > 1:
            return ["a clause belongs to two copies"]
        images[home[abs(clause[0])][0]].append(sorted(home[abs(i)][1] if i > 0 else -home[abs(i)][1] for i in clause))
    if any(sorted(image) != sorted(images[0]) for image in images):
        return ["a copy is not the image of the first"]
    alike = count_models(n, clauses) == count_models(len(copies[0]), images[0]) ** len(copies)
    return [] if alike else ["the models are not M^d"]
