"""Judge a reasoning process, and count what its metrics are made of (ReEfBench paper, section 3.3 and Table 7).

Sentences and their nodes come from the parser. Each node is a premise, derived or a hallucination, by the oracle; a
planning node asserts nothing. A node is *new* where its statement is asserted for the first time, and *correct* unless it
is a hallucination. The metrics themselves are declared in ``metrics.py``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from operator import itemgetter
from typing import NamedTuple

from rb_verify.deduction import Deduction
from rb_verify.reasoning import Sentence
from rb_verify.statements import AND, OR, SINGLE, Predicate, Statement

PREMISE, DERIVED, HALLUCINATION = "premise", "derived", "hallucination"
PLAN_WINDOW = 5  # sentences, that of the plan included (appendix A.5)
REFLECTION_WINDOW = 5  # sentences after the reflection (appendix A.5)


class Judged(NamedTuple):
    """What the oracle says of a statement. ``kind``: premise, derived or hallucination. ``depth``: layered depth,
    ``closure_depth``: that of Definition A.3; both None for a hallucination.
    """

    kind: str
    depth: int | None = None
    closure_depth: int | None = None


@dataclass(frozen=True)
class Gold:
    """What a response is measured against. ``premises``: all that are given. ``layers``: golden statements with their
    layer; empty where the conclusion does not follow. ``deduction``: the oracle over both. ``verdicts``: what it has said
    so far; it is asked for everything else, once.
    """

    deduction: Deduction
    premises: frozenset[Statement]
    layers: dict[Statement, int]
    level: int
    verdicts: dict[Statement, Judged]

    @cached_property
    def known(self) -> Known:
        """The premises, for what one rule gives from them."""
        return Known(self.premises)

    def verdict(self, statement: Statement) -> Judged:
        """What the oracle says of a statement."""
        found = self.verdicts.get(statement)
        if found is None:
            depth, kind = self.deduction.layer(statement), PREMISE if statement in self.premises else DERIVED
            found = Judged(HALLUCINATION) if depth is None else Judged(kind, depth, self.deduction.closure_depth(statement))
            self.verdicts[statement] = found
        return found


class Node(NamedTuple):
    """A judged node. ``sentence``: its place, from 0. ``kind``, ``depth``, ``closure_depth``: what the oracle says, of a plan
    too. ``new``: asserted for the first time. ``supported``: of new derived nodes, whether one rule gives it from premises
    and what was asserted before.
    """

    sentence: int
    statement: Statement
    planning: bool
    kind: str
    depth: int | None
    closure_depth: int | None
    new: bool
    supported: bool


def nodes(sentences: Sequence[Sentence], gold: Gold) -> list[Node]:
    """The nodes of a response, judged, in their order."""
    known = gold.known.copy()
    asserted: set[Statement] = set()
    judged = []
    for place, sentence in enumerate(sentences):
        for statement, planning in sentence.nodes:
            verdict = gold.verdict(statement)
            new = not planning and statement not in asserted
            supported = new and verdict.kind == DERIVED and known.gives(statement)
            judged.append(Node(place, statement, planning, *verdict, new, supported))
            if new:
                asserted.add(statement)
                if verdict.kind == DERIVED:
                    known.add(statement)
    return judged


class Known:
    """Statements, and whether one application of a rule gives another from them.

    The time of both does not grow with what is known, but for MP, with the names that a subject is known to be.
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._told: set[Statement] = set()
        self._parts: set[Statement] = set()  # what CE gives
        self._names: dict[str, list[str]] = {}
        for statement in statements:
            self.add(statement)

    def copy(self) -> Known:
        """Another that knows the same."""
        other = Known(())
        other._told, other._parts = self._told.copy(), self._parts.copy()
        other._names = {subject: names[:] for subject, names in self._names.items()}
        return other

    def add(self, statement: Statement) -> None:
        """Know a statement."""
        subject, (joint, parts) = statement
        self._told.add(statement)
        if joint == SINGLE:
            self._names.setdefault(subject, []).append(parts[0])
        elif joint == AND:
            self._parts.update(Statement(subject, some) for some in _smaller(joint, parts))

    def gives(self, statement: Statement) -> bool:
        """Whether one application of a rule gives a statement."""
        subject, (joint, parts) = statement
        if any(Statement(name, statement.predicate) in self._told for name in self._names.get(subject, ())):
            return True  # MP
        if statement in self._parts:
            return True  # CE
        told = [some for some in _smaller(joint, parts) if Statement(subject, some) in self._told]
        return bool(told) and (joint == OR or set(parts) == {name for some in told for name in some.parts})  # DI, CI


_MANY = 8  # names: of a predicate with more, which no row has, only the names alone are looked at


def _smaller(joint: str, parts: tuple[str, ...]) -> list[Predicate]:
    """The predicates of some, not all, names of a conjunction or disjunction; none of a name."""
    sizes = range(1, len(parts)) if len(parts) <= _MANY else (1,)
    return [Predicate(joint if size > 1 else SINGLE, some) for size in sizes for some in combinations(parts, size)]


_TOKEN = re.compile(r"[^\W\d_]{1,4}|\d{1,3}|\S")


def count_tokens(text: str) -> int:
    """How many tokens a text has where no provider says: runs of up to four letters, of up to three digits, other signs."""
    return _TOKEN.subn("", text)[1]


class Facts(NamedTuple):
    """What is counted of one response; the metrics are made of these. Places are of sentences, from 1, 0 for none."""

    level: int
    golden: int  # golden statements, premises included
    golden_premises: int
    sentences: int
    distinct_sentences: int
    tokens: int
    premise_nodes: int
    derived_nodes: int
    hallucination_nodes: int
    planning_nodes: int
    unique_plans: int
    correct_plans: int
    valid_plans: int
    distinct_nodes: int  # different statements, asserted and planned ones apart
    explored: int  # different correct statements asserted
    derived: int  # different derived statements asserted
    supported: int
    golden_reached: int
    premises_reached: int  # golden premises
    max_depth: int
    max_closure_depth: int
    interval: int
    first_correct: int
    last_correct: int
    last_deeper: int
    last_new: int
    reflections: int
    reflections_new: int
    reflections_deeper: int
    reflections_hallucinating: int
    reflection_gain: int

    @property
    def actual(self) -> int:
        """All asserted nodes."""
        return self.premise_nodes + self.derived_nodes + self.hallucination_nodes


def facts(sentences: Sequence[Sentence], judged: Sequence[Node], gold: Gold, tokens: int) -> Facts:
    """Count one response. ``judged``: its nodes; ``tokens``: how many were generated."""
    plans = [node for node in judged if node.planning]
    new = [node for node in judged if node.new]
    correct = [node for node in new if node.depth is not None]
    kinds = [node.kind for node in judged if not node.planning]
    explored = {node.statement for node in correct}
    reached = [layer for statement, layer in gold.layers.items() if statement in explored]
    deepest = _running_maximum(correct)
    reflections = [place for place, sentence in enumerate(sentences) if sentence.reflection]
    windows = [_reflection(place, new, deepest) for place in reflections]
    return Facts(
        level=gold.level,
        golden=len(gold.layers),
        golden_premises=sum(layer == 0 for layer in gold.layers.values()),
        sentences=len(sentences),
        distinct_sentences=len(set(map(_plain, {sentence.text for sentence in sentences}))),
        tokens=tokens,
        premise_nodes=kinds.count(PREMISE),
        derived_nodes=kinds.count(DERIVED),
        hallucination_nodes=kinds.count(HALLUCINATION),
        planning_nodes=len(plans),
        unique_plans=len({node.statement for node in plans}),
        correct_plans=sum(node.kind != HALLUCINATION for node in plans),
        valid_plans=_valid_plans(judged),
        distinct_nodes=len({(node.planning, node.statement) for node in judged}),
        explored=len(correct),
        derived=sum(node.kind == DERIVED for node in new),
        supported=sum(node.supported for node in new),
        golden_reached=len(reached),
        premises_reached=reached.count(0),
        max_depth=max((node.depth or 0 for node in correct), default=0),
        max_closure_depth=max((node.closure_depth or 0 for node in correct), default=0),
        interval=_interval(gold, explored),
        first_correct=correct[0].sentence + 1 if correct else 0,
        last_correct=correct[-1].sentence + 1 if correct else 0,
        last_deeper=deepest[-1][0] + 1 if deepest else 0,
        last_new=new[-1].sentence + 1 if new else 0,
        reflections=len(reflections),
        reflections_new=sum(window.correct for window in windows),
        reflections_deeper=sum(window.gain > 0 for window in windows),
        reflections_hallucinating=sum(window.hallucination for window in windows),
        reflection_gain=sum(window.gain for window in windows),
    )


def _plain(text: str) -> str:
    """A sentence without case, numbers and signs: two that are alike so are duplicates."""
    return " ".join(_WORD.findall(text.casefold())) or text.strip()


_WORD = re.compile(r"[^\W\d_]+|[∧∨∩∪¬&|⊆⊇⊂⊃]")


def _running_maximum(correct: Sequence[Node]) -> list[tuple[int, int]]:
    """(sentence, depth) of each correct node that is deeper than all before it; the first one is."""
    found: list[tuple[int, int]] = []
    for node in correct:
        depth = node.depth or 0
        if not found or depth > found[-1][1]:
            found.append((node.sentence, depth))
    return found


class _Window(NamedTuple):
    """What the window of a reflection brings: new correct nodes, new hallucinations, and by how much depth grows in it."""

    correct: bool
    hallucination: bool
    gain: int


def _reflection(place: int, new: Sequence[Node], deepest: Sequence[tuple[int, int]]) -> _Window:
    """The window of the reflection in sentence ``place``. ``new``: in order; ``deepest``: the running maximum of depth."""
    sentence = itemgetter(0)
    first, last = (bisect_right(new, end, key=sentence) for end in (place, place + REFLECTION_WINDOW))
    inside = new[first:last]
    before = bisect_right(deepest, place, key=sentence)
    depth = deepest[before - 1][1] if before else 0
    within = max((node.depth or 0 for node in inside), default=0)
    wrong = sum(node.kind == HALLUCINATION for node in inside)
    return _Window(len(inside) > wrong, wrong > 0, max(0, within - depth))


def _valid_plans(judged: Sequence[Node]) -> int:
    """How many plans are followed, within their window, by their own statement as a new node."""
    place = {node.statement: (index, node.sentence) for index, node in enumerate(judged) if node.new}
    valid = 0
    for index, node in enumerate(judged):
        if node.planning and node.statement in place:
            later, sentence = place[node.statement]
            valid += later > index and sentence < node.sentence + PLAN_WINDOW
    return valid


def _interval(gold: Gold, explored: set[Statement]) -> int:
    """The deepest d such that every golden statement of layers 1 to d is asserted."""
    missing = [layer for statement, layer in gold.layers.items() if layer and statement not in explored]
    return min(missing, default=gold.level + 1 if gold.layers else 1) - 1
