"""Read what a model gives as a witness or certificate of a 2-CNF, in the words of its text (2-SAT paper, section 5).

Accepted values: the words of the scheme, or of the entity in a story, its statements, booleans, 0 and 1. Accepted
entities: their names in any case and spacing; of rooms and doors the bare number too, and "statement A". An assignment may
be an object, a list of statements or pairs, or one text. It is a witness only if it gives every variable one value, names
nothing else, and satisfies every clause. A sign that may negate is never dropped: "Ada != Red" and "¬A = true" say nothing
here.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import neg
from typing import Any, NamedTuple, TypeAlias

from rb_verify.objects import Object, as_text, normal_key, shown
from rb_verify.schemes import Scheme, sentence, statement
from rb_verify.twocnf import broken_edge, is_certificate, unsatisfied

VALID, ABSENT, UNREADABLE, PARTIAL, VIOLATED = "valid", "absent", "unreadable", "partial", "violated"
BROKEN = "broken"

Said: TypeAlias = "str | tuple[str, str]"
"""A statement, or a name and a word."""

_TRUE = ("true", "t", "1", "yes", "y")
_FALSE = ("false", "f", "0", "no", "n")


class Checked(NamedTuple):
    """``verdict``: one of the words above; ``note``: what is so, in words, of a violated clause its sentence; ``clause``: its
    index."""

    verdict: str
    note: str = ""
    clause: int | None = None


class Worded(ABC):
    """A formula in words: what a witness is checked against. ``names``: names[i] is variable i + 1."""

    names: tuple[str, ...]
    clauses: Sequence[Sequence[int]]

    @property
    @abstractmethod
    def kind(self) -> str:
        """What entities are."""

    @property
    @abstractmethod
    def variable_of(self) -> dict[str, int]:
        """Entity name, as it is and normalised, to variable; 1-based."""

    @property
    @abstractmethod
    def meanings(self) -> Sequence[Mapping[str, bool]]:
        """Phrase to value, by variable; 1-based."""

    @property
    @abstractmethod
    def asked(self) -> Mapping[Said, int]:
        """What the prompt asks for, ``Ana=Red`` or the pair of ``Ana`` and ``Red``, to the literal that it gives."""

    @abstractmethod
    def word(self, literal: int) -> str:
        """The value that a literal gives its variable, as an assignment has it."""

    @abstractmethod
    def statement(self, literal: int) -> str:
        """A literal in words."""

    @abstractmethod
    def sentence(self, clause: Sequence[int]) -> str:
        """A clause in words."""

    def variable(self, name: str) -> int | None:
        """The variable that an entity names. Of other signs than quotes and brackets none is dropped: it may negate."""
        known = self.variable_of.get(name)
        if known or len(name) > _LONGEST:
            return known
        return self.variable_of.get(_JOINT.sub("", _QUOTED.sub(r"\2", _plain(name))))

    def value(self, variable: int, raw: Any) -> bool | None:
        """The value that ``raw`` means of a variable, None if that is not clear."""
        if not isinstance(raw, str):
            return raw if isinstance(raw, bool) else None
        known = self.meanings[variable].get(raw)
        if known is not None or len(raw) > _LONGEST:
            return known
        return self.meanings[variable].get(_plain(raw).strip(" .*_\"'"))

    def literal(self, raw: Any) -> int | None:
        """The literal that a statement means, such as ``Ana=Red`` or ``room 3 is lit``; None if unclear."""
        if isinstance(raw, Object) and len(raw) == 1:
            name, value = raw.given[0]
        else:
            if not isinstance(raw, str):
                return None
            if literal := self.asked.get(raw):
                return literal
            name, _, value = raw.partition("=")  # with another word; anything else is looked at more closely
            known = self.variable_of.get(name)
            if known and value in self.meanings[known]:
                return known if self.meanings[known][value] else -known
            pair = self._pair(raw)
            if pair is None:
                return None
            name, value = pair
        variable = self.variable(name)
        meaning = None if variable is None else self.value(variable, value)
        return None if variable is None or meaning is None else variable if meaning else -variable

    def bare(self, raw: Any) -> int | None:
        """The literal of a name alone, ``A`` or ``not A``, which says something only where entities are statements."""
        if self.kind != "statement" or not isinstance(raw, str):
            return None
        negated = _NEGATION.match(raw)
        variable = self.variable(raw[negated.end() :] if negated else raw)
        return None if variable is None else -variable if negated else variable

    def _pair(self, text: str) -> tuple[str, Any] | None:
        """(entity, value) of ``Ana=Red``, ``Ana: Red`` or ``Ana is on the Red team``."""
        if len(text) > _LONGEST:
            return None
        separated = _SEPARATED.fullmatch(text)
        if separated and self.variable(separated[1]):
            return separated[1], separated[2]
        words = text.split()
        for count in (1, 2, 3):
            name = " ".join(words[:count])
            variable = self.variable(name)
            if variable and len(words) > count:
                rest = " ".join(words[count:])
                if self.value(variable, rest) is not None:
                    return name, rest
        listed = _LISTED.fullmatch(text)
        return self._pair(listed[1]) if listed else None


@dataclass(frozen=True)
class Problem(Worded):
    """A formula in a scheme."""

    scheme: Scheme
    names: tuple[str, ...]
    clauses: Sequence[Sequence[int]]

    @property
    def kind(self) -> str:
        """The scheme's."""
        return self.scheme.kind

    @cached_property
    def variable_of(self) -> dict[str, int]:
        """With the bare number of rooms and doors, and ``statement A``."""
        return _variables(self.scheme.kind, self.names)

    @cached_property
    def meanings(self) -> Sequence[Mapping[str, bool]]:
        """The scheme's, of every variable."""
        scheme = self.scheme
        said = phrases(scheme.true, scheme.false, (scheme.holds, *scheme.also[0]), (scheme.fails, *scheme.also[1]))
        return (said,) * (len(self.names) + 1)

    @cached_property
    def asked(self) -> Mapping[Said, int]:
        """The scheme's words."""
        return _asked(self.names, self.scheme.true, self.scheme.false)

    def word(self, literal: int) -> str:
        """The scheme's."""
        return self.scheme.true if literal > 0 else self.scheme.false

    def statement(self, literal: int) -> str:
        """As in the prompt."""
        return statement(self.scheme, self.names, literal)

    def sentence(self, clause: Sequence[int]) -> str:
        """As in the prompt."""
        return sentence(self.scheme, self.names, clause)


@lru_cache(maxsize=1024)
def _variables(kind: str, names: tuple[str, ...]) -> dict[str, int]:
    found = {normal_key(name): i for i, name in enumerate(names, 1)} | {name: i for i, name in enumerate(names, 1)}
    if kind in ("room", "door"):
        return found | {str(i): i for i in range(1, len(names) + 1)}
    if kind == "statement":
        return {f"statement{name}": i for name, i in found.items()} | found
    return found


@lru_cache(maxsize=1024)
def _asked(names: tuple[str, ...], true: str, false: str) -> dict[Said, int]:
    return as_asked((name, true, false) for name in names)


def as_asked(entities: Iterable[tuple[str, str, str]]) -> dict[Said, int]:
    """What a prompt asks for. ``entities``: of each variable its name, and the words for true and false."""
    found: dict[Said, int] = {}
    for variable, (name, true, false) in enumerate(entities, 1):
        for word, literal in ((false, -variable), (true, variable)):
            found[f"{name}={word}"] = found[name, word] = literal
    return found


@lru_cache(maxsize=1024)
def phrases(true: str, false: str, holds: tuple[str, ...], fails: tuple[str, ...]) -> dict[str, bool]:
    """Every phrase that stands for a value: in lower case, with straight apostrophes; the two words also as they are.

    ``true``, ``false``: the words; ``holds``, ``fails``: phrases that mean the same.
    """
    said = {
        False: [*_FALSE, false.casefold(), *map(str.casefold, fails)],
        True: [*_TRUE, true.casefold(), *map(str.casefold, holds)],
    }
    meaning = {phrase: value for value, some in said.items() for phrase in some}
    for word in (true.casefold(), false.casefold(), "true", "false"):
        meaning |= {f"is {word}": meaning[word], f"not {word}": not meaning[word], f"is not {word}": not meaning[word]}
    for phrase, value in list(meaning.items()):
        meaning |= {phrase.replace("doesn't", other): value for other in ("does not", "doesnt")}
    return meaning | {true: True, false: False}


_NEGATION = re.compile(r"\s*(?:not\s+|[¬~!]\s*|-(?=\w))", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:[-*•]|\d{1,4}[.)])\s+(.+)", re.DOTALL)
_SEPARATED = re.compile(r"\s*([^=:→]{1,80}?)\s*(?::=|==?|:|→|->)\s*(.{1,80}?)\s*", re.DOTALL)
_BETWEEN = re.compile(r"[,;\n∧]|\band\b")
_JOINT = re.compile(r"(?<=\w)[\s_#-]+(?=\w)")
_QUOTED = re.compile(r"^(['\"])(.*)\1$")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"'} | dict.fromkeys("\u200b\u2060\ufeff"))
_LONGEST = 200  # characters of a statement or of a phrase for a value


def _plain(text: str) -> str:
    return " ".join(text.translate(_SIGNS).casefold().split()).strip(" .*_()[]{}")


def check_witness(problem: Worded, raw: Any) -> Checked:
    """Whether ``raw`` (a parsed JSON value) is a witness of a formula; if not, which entity or clause fails."""
    if raw is None or (problem.names and (raw in ({}, []) or (isinstance(raw, str) and not raw.strip(" .\n")))):
        return Checked(ABSENT, "no assignment is given")
    if (literals := _as_asked(problem, raw)) is not None:
        return _satisfying(problem, literals)
    values: list[bool | None] = [None] * (len(problem.names) + 1)
    variable_of, meanings = problem.variable_of, problem.meanings
    for name, given in _pairs(problem, raw):
        # Most are written as the prompt asks for it, and found at once.
        variable = variable_of.get(name) or problem.variable(name)
        if variable is None:
            return Checked(UNREADABLE, f"the assignment names {shown(name)}, which is no {problem.kind} of the problem")
        value = meanings[variable].get(given) if type(given) is str else None
        if value is None:
            value = problem.value(variable, given)
        if value is None:
            if given is None:
                continue
            return Checked(UNREADABLE, f"{problem.names[variable - 1]} has the value {shown(given)}, which is none")
        if values[variable] not in (None, value):
            return Checked(UNREADABLE, f"{problem.names[variable - 1]} has two different values")
        values[variable] = value
    for variable, name in enumerate(problem.names, 1):
        if values[variable] is None:
            return Checked(PARTIAL, f"{name} has no value")
    return _satisfying(problem, {v if value else -v for v, value in enumerate(values[1:], 1)})


def _as_asked(problem: Worded, raw: Any) -> set[int] | None:
    """The literals of an assignment that gives each variable one value, all as the prompt asks for it, as most are; None of any
    other, which is read piece by piece."""
    if not isinstance(raw, Object) or len(raw.given) != len(problem.names):
        return None
    try:
        literals = set(map(problem.asked.__getitem__, raw.given))
    except (KeyError, TypeError):  # TypeError: a value is a list or an object
        return None
    return literals if len(literals) == len(problem.names) and literals.isdisjoint(map(neg, literals)) else None


def _satisfying(problem: Worded, true: Set[int]) -> Checked:
    """Whether the literals that are ``true``, one of each variable, satisfy the formula."""
    clause = unsatisfied(problem.clauses, true)
    if clause is None:
        return Checked(VALID)
    return Checked(VIOLATED, problem.sentence(problem.clauses[clause]), clause)


def _pairs(problem: Worded, raw: Any) -> Iterator[tuple[str, Any]]:
    """(entity as written, value as written) of an assignment in any accepted shape."""
    if isinstance(raw, Object):
        yield from raw.given
        return
    items = _BETWEEN.split(raw.strip(" \n()[]{}")) if isinstance(raw, str) else raw if isinstance(raw, list) else [raw]
    items = [item for item in items if not isinstance(item, str) or item.strip(" .\t")]
    # A name alone is a literal among such only: of "A, B = false" the first has no value of its own.
    literal = problem.literal if any(problem.bare(item) is None for item in items) else problem.bare
    for item in items:
        if isinstance(item, Object) and len(item) == 2 and "value" in item:
            yield next((as_text(value) for key, value in item.items() if key != "value"), ""), item["value"]
        elif isinstance(item, Object):
            yield from item.given
        elif isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
            yield item[0], item[1]
        elif meant := literal(item):
            yield problem.names[abs(meant) - 1], meant > 0
        else:
            yield as_text(item), None


def check_certificate(problem: Worded, raw: Any) -> Checked:
    """Whether ``raw`` is a certificate that a formula is unsatisfiable: two chains of statements, each of which forces
    the next by a clause, one from a statement to its opposite and one back (section 3, the implication graph)."""
    if raw is None or raw == {} or raw == [] or raw == "":
        return Checked(ABSENT, "no certificate is given")
    if isinstance(raw, Object):
        raw = list(raw.values())
    if not isinstance(raw, list) or len(raw) != 2 or not all(isinstance(chain, list) and chain for chain in raw):
        return Checked(UNREADABLE, "a certificate is two lists of statements")
    chains: list[list[int]] = []
    for given in raw:
        chain = []
        for item in given:
            literal = problem.literal(item) or problem.bare(item)
            if literal is None:
                return Checked(UNREADABLE, f"{shown(item)} is no statement about an entity of the problem")
            chain.append(literal)
        chains.append(chain)
    if is_certificate(problem.clauses, chains):
        return Checked(VALID)
    for chain in chains:
        edge = broken_edge(problem.clauses, chain)
        if edge is not None:
            first, second = map(problem.statement, chain[edge : edge + 2])
            return Checked(BROKEN, f"no clause says that if {first} then {second}")
    return Checked(BROKEN, "the chains do not lead from one statement to its opposite and back")
