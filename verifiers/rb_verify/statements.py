"""Statements of ReEfBench: ``s is P``, every s is P (ReEfBench paper, section 3.1 and appendix A.3).

The subject is one name. The predicate is one name, a conjunction or a disjunction of names. Both are kept in one
canonical form, so two statements are the same exactly if they are equal, and exactly if their texts are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

SINGLE, AND, OR = "", "and", "or"


class Predicate(NamedTuple):
    """What a subject is said to be. ``parts``: different names in ascending order, one exactly if ``joint`` is ``SINGLE``."""

    joint: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        """``dalmpus``, ``dalmpus and fentpus``, ``dalmpus or fentpus or gorzpus``."""
        return f" {self.joint} ".join(self.parts)


class Statement(NamedTuple):
    """Every ``subject`` is a ``predicate``."""

    subject: str
    predicate: Predicate

    def __str__(self) -> str:
        """``babkpus is dalmpus or fentpus``, the form of rows and details."""
        return f"{self.subject} is {self.predicate}"


def predicate(parts: Iterable[str], joint: str = SINGLE) -> Predicate:
    """The predicate of some names, in canonical form. ``joint``: ``AND`` or ``OR`` where there is more than one."""
    ordered = tuple(sorted(set(parts)))
    return Predicate(joint if len(ordered) > 1 else SINGLE, ordered)


def statement(subject: str, parts: Iterable[str], joint: str = SINGLE) -> Statement:
    """The statement that every ``subject`` is all (``AND``) or one (``OR``) of ``parts``."""
    return Statement(subject, predicate(parts, joint))


def informative(stated: Statement) -> Statement | None:
    """What a statement says of its subject besides itself: nothing, None, if a name or disjunction holds the subject."""
    subject, (joint, parts) = stated
    if subject not in parts:
        return stated
    return statement(subject, (part for part in parts if part != subject), AND) if joint == AND else None


def read(text: str) -> Statement:
    """The statement of a text in the form ``babkpus is dalmpus or fentpus``. Raises ValueError for any other text."""
    subject, *words = text.split(" ")
    if len(words) == 2 and words[0] == "is" and subject.isalpha() and words[1].isalpha():  # most are of one name
        return Statement(subject, Predicate(SINGLE, (words[1],)))
    parts, joints = words[1::2], words[2::2]
    joint = joints[0] if joints else SINGLE
    if (
        not parts
        or len(words) % 2
        or words[0] != "is"
        or joints.count(joint) < len(joints)
        or joint not in (SINGLE, AND, OR)
        or len(set(parts)) < len(parts)
        or not (subject.isalpha() and all(map(str.isalpha, parts)))
    ):
        raise ValueError(f"not a statement: {text!r}")
    return Statement(subject, predicate(parts, joint))
