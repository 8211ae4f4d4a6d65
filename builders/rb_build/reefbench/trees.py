"""Golden solutions of ReEfBench: complete trees of exactly so many layers, grown backward from the conclusion.

Implements Algorithm 1 of the ReEfBench paper (appendix A.5). Each leaf is expanded by a rule of Table 6, uniform among
those admissible there, until every leaf is ``level`` steps from the root:

- MP, always: ``x is P`` from ``x is m`` and ``m is P``, m a fresh name;
- CE, to a name or a conjunction of fewer than three, not below another CE: ``x is P`` from ``x is P and n``, n fresh;
- CI, to a conjunction, not below a CE, which would undo it: ``x is P and Q`` from ``x is P`` and ``x is Q``;
- DI, to a disjunction: ``x is P or Q`` from ``x is P``.

Fresh names make all statements of a tree different, and no name of a disjunction is ever a subject.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from rb_build.streams import Stream
from rb_verify.deduction import CE, CI, DI, MP, PREMISE
from rb_verify.statements import AND, OR, SINGLE, Predicate, Statement, predicate

MOST = 3  # names in a predicate


@dataclass(frozen=True)
class Tree:
    """A statement, the rule that gives it, and the trees of the rule's inputs; none for a premise."""

    statement: Statement
    rule: str
    inputs: tuple[Tree, ...]

    def nodes(self, layer: int) -> Iterator[tuple[int, Tree]]:
        """(layer, tree) of every node, inputs first, the root last. ``layer``: the root's."""
        for tree in self.inputs:
            yield from tree.nodes(layer - 1)
        yield layer, self

    def shape(self) -> str:
        """The rules, and how many names each predicate has: equal for two trees that a renaming of names makes equal.

        Which of the names a CI puts together is left out, so it is coarser than renaming; as structures that must not
        come again, that is safe.
        """
        joint, parts = self.statement.predicate
        below = [tree.shape() for tree in self.inputs]
        # The inputs of MP differ in role; those of CI do not.
        inputs = "".join(sorted(below) if self.rule == CI else below)
        return f"({self.rule}{joint}{len(parts)}{inputs})"

    def signature(self) -> str:
        """SHA-256 of the shape."""
        return hashlib.sha256(self.shape().encode()).hexdigest()


def grow(stream: Stream, level: int, names: Iterator[str]) -> Tree:
    """A complete tree of ``level`` layers. ``names``: fresh names, as many as are asked for."""
    subject = next(names)
    parts = [next(names) for _ in range(1 + stream.below(MOST))]
    joint = SINGLE if len(parts) == 1 else stream.choice((AND, OR))
    return _expand(stream, Statement(subject, predicate(parts, joint)), level, names, below_ce=False)


def _expand(stream: Stream, statement: Statement, layers: int, names: Iterator[str], below_ce: bool) -> Tree:
    if layers == 0:
        return Tree(statement, PREMISE, ())
    rule = stream.choice(_admissible(statement.predicate, below_ce))
    inputs = [
        _expand(stream, Statement(subject, wanted), layers - 1, names, below_ce=rule == CE)
        for subject, wanted in _inputs(stream, statement, rule, names)
    ]
    return Tree(statement, rule, tuple(inputs))


def _admissible(given: Predicate, below_ce: bool) -> list[str]:
    joint, parts = given
    rules = [MP]
    if joint == OR:
        rules.append(DI)
    elif not below_ce:
        rules += [CE] * (len(parts) < MOST) + [CI] * (joint == AND)
    return rules


def _inputs(stream: Stream, statement: Statement, rule: str, names: Iterator[str]) -> list[tuple[str, Predicate]]:
    """The (subject, predicate) of each input of a rule that gives ``statement``."""
    subject, parts = statement.subject, statement.predicate.parts
    if rule == MP:
        middle = next(names)
        return [(subject, predicate([middle])), (middle, statement.predicate)]
    if rule == CE:
        return [(subject, predicate([*parts, next(names)], AND))]
    kept = stream.sample(parts, len(parts))
    cut = 1 + stream.below(len(parts) - 1)
    if rule == CI:
        return [(subject, predicate(some, AND)) for some in (kept[:cut], kept[cut:])]
    return [(subject, predicate(kept[:cut], OR))]
