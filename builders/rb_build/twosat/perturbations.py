"""Changes to a formula that keep its satisfiability (2-SAT paper, sections 3.1, 3.2, 3.5, 5.2 to 5.4), and SAT twins of
the implication cycles, which do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from rb_build.streams import Stream
from rb_build.twosat.families import BRIDGE, FILLER, Clause, Formula, least_size, monotone, renamed
from rb_verify.twocnf import backbone


@dataclass(frozen=True)
class Perturbation:
    """What is done to a base formula (schemas/twosat.schema.json, ``$defs.perturbation``).

    ``kind``: none, shuffled (clauses), renamed (variables), swapped (literals of a clause), fillers, copies or twin.
    Fillers: ``added`` clauses, where they stand by ``layout``, and ``share``, the core's share of all variables (None:
    as many clauses a variable as in the core). Copies: ``copies`` in all, their ``layout``, the clause ``order``,
    whether each copy's variables are ``permuted``, and where the ``trigger`` of each further copy stands.
    """

    kind: str = "none"
    added: int = 0
    layout: str = ""
    share: Fraction | None = None
    copies: int = 1
    order: str = "kept"
    permuted: bool = False
    trigger: str = "kept"

    @property
    def variant(self) -> str:
        """The details in short: ``25-appended``, ``2-grouped-early``; empty for kinds that have none."""
        if self.kind == "fillers":
            share = [] if self.share is None else [f"l{round(100 * self.share)}"]
            return "-".join([str(self.added), self.layout, *share])
        if self.kind == "copies":
            details = [self.order, "permuted" if self.permuted else "kept", self.trigger]
            return "-".join([str(self.copies), self.layout, *(word for word in details if word != "kept")])
        return ""

    @property
    def code(self) -> str:
        """What row ids say of it: ``fill25``, ``x2-early``, ``shuffled``. Short, since ids have at most 64 characters."""
        if self.kind not in ("fillers", "copies"):
            return self.kind
        head = f"fill{self.added}" if self.kind == "fillers" else f"x{self.copies}"
        _, *details = self.variant.split("-")
        return "-".join([head, *(_SHORT.get(word, word) for word in details if word not in ("appended", "grouped"))])


_SHORT = {"prepended": "pre", "interleaved": "mix", "shuffled": "shuf", "copywise": "each", "permuted": "perm"}


def perturb(stream: Stream, formula: Formula, how: Perturbation) -> Formula:
    """The perturbed formula."""
    if how.kind == "shuffled":
        return replace(formula, clauses=tuple(stream.shuffled(formula.clauses)))
    if how.kind == "renamed":
        return renamed(formula, stream.shuffled(range(1, formula.variables + 1)))
    if how.kind == "swapped":
        return replace(formula, clauses=tuple(Clause(_swapped(stream, c.literals), c.role) for c in formula.clauses))
    if how.kind == "fillers":
        return with_fillers(stream, formula, how)
    if how.kind == "copies":
        return with_copies(stream, formula, how)
    return twin(formula) if how.kind == "twin" else formula


def _swapped(stream: Stream, literals: tuple[int, ...]) -> tuple[int, ...]:
    return literals[::-1] if stream.below(2) else literals


def with_fillers(stream: Stream, formula: Formula, how: Perturbation) -> Formula:
    """Add clauses over fresh variables, each of which occurs with one sign only, so that they bind nothing (5.2).

    Core variables keep their numbers. Appended fillers leave the core's clauses early, prepended ones late.
    """
    n, c = formula.variables, len(formula.clauses)
    wanted = round(Fraction(how.added * n, c)) if how.share is None else round(n / how.share) - n
    fresh = min(max(wanted, least_size(how.added)), 2 * how.added)
    signs = {v: 1 if stream.below(2) else -1 for v in range(n + 1, n + fresh + 1)}
    added = [
        Clause(tuple(signs[v] * v for v in clause.literals), FILLER)
        for clause in monotone(stream, range(n + 1, n + fresh + 1), how.added, 1)
    ]
    core = list(formula.clauses)
    if how.layout == "prepended":
        made = added + core
    elif how.layout == "interleaved":
        made = interleaved(stream, [core, added])
    elif how.layout == "shuffled":
        made = stream.shuffled(core + added)
    else:
        made = core + added
    return replace(formula, variables=n + fresh, clauses=tuple(made))


def with_copies(stream: Stream, formula: Formula, how: Perturbation) -> Formula:
    """The formula and its images under renamings to variables of their own (section 3.5; 5.4 with two copies)."""
    n = formula.variables
    images = []
    for number in range(how.copies):
        order = stream.shuffled(range(n)) if how.permuted and number else list(range(n))
        images.append([number * n + 1 + place for place in order])
    total = n * how.copies
    parts = [renamed(formula, image, total) for image in images]
    lists = [_with_trigger(part, how.trigger, first=not number) for number, part in enumerate(parts)]
    if how.order == "copywise":
        lists = [stream.shuffled(clauses) for clauses in lists]
    made = interleaved(stream, lists) if how.layout == "interleaved" else [clause for some in lists for clause in some]
    if how.order == "shuffled":
        made = stream.shuffled(made)
    return replace(
        formula,
        variables=total,
        clauses=tuple(made),
        free=tuple(v for part in parts for v in part.free),
        backbone=tuple(literal for part in parts for literal in part.backbone),
        copies=tuple(map(tuple, images)),
    )


def _with_trigger(part: Formula, trigger: str, first: bool) -> list[Clause]:
    """A copy's clauses with its trigger, the bridge or the clause that closes the cycle, moved to an end.

    ``early``: last in the first copy and first in the others; ``late``: the other way round.
    """
    clauses = list(part.clauses)
    if trigger == "kept":
        return clauses
    place = next((i for i, clause in enumerate(clauses) if clause.role == BRIDGE), len(clauses) - 1)
    moved = clauses.pop(place)
    return [moved, *clauses] if (trigger == "early") != first else [*clauses, moved]


def interleaved(stream: Stream, lists: Sequence[list[Clause]]) -> list[Clause]:
    """A uniform merge of lists that keeps the order inside each."""
    turns = stream.shuffled([number for number, some in enumerate(lists) for _ in some])
    iterators = [iter(some) for some in lists]
    return [next(iterators[number]) for number in turns]


def twin(formula: Formula) -> Formula:
    """The satisfiable twin of an implication cycle: l1 and its negation change places in the two closing clauses.

    Every literal occurs as often as before, and every clause is as long.
    """
    first, closing = formula.cycle[0], (formula.twist - 1, len(formula.clauses) - 1)
    clauses = [
        Clause(tuple(-literal if abs(literal) == abs(first) else literal for literal in c.literals), c.role)
        if i in closing
        else c
        for i, c in enumerate(formula.clauses)
    ]
    forced = backbone(formula.variables, [clause.literals for clause in clauses])
    return replace(formula, clauses=tuple(clauses), cycle=(), twist=0, backbone=tuple(forced))
