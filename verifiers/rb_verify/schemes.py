"""The six ways a 2-CNF is put in words (2-SAT paper, appendix G, Table 2), and back.

A scheme maps variables to entities and each clause to one sentence, by a fixed pattern, so that the clauses can be read
back from the text. The sentence patterns are the paper's; a unit clause is one plain statement. Entity names depend on
the scheme and the variable's number alone and never collide, whatever their case or spacing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Scheme:
    """A scheme. ``holds`` and ``fails``: what is said of an entity whose variable is true or false; ``true`` and ``false``:
    the values of an assignment; ``either`` and ``both``: how a clause begins and ends; ``kind``: what entities are;
    ``also``: (true, false) phrases that mean the same as the values."""

    name: str
    kind: str
    preamble: str
    question: str
    true: str
    false: str
    holds: str
    fails: str
    either: str = ""
    both: str = " (or both)"
    also: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            name="logic",
            kind="statement",
            preamble="These statements are related as follows:",
            question="Is there a way to make each statement true or false so that every line above holds?",
            true="true",
            false="false",
            holds="is true",
            fails="is false",
            either="Either ",
        ),
        Scheme(
            name="letter",
            kind="person",
            preamble="These rules say who may have the letter:",
            question="Is there a way for people to have or not have the letter so that every rule is kept?",
            true="has",
            false="doesn't have",
            holds="has the letter",
            fails="doesn't have the letter",
            either="Either ",
            also=(("have", "has letter", "have the letter"), ("not have", "not has", "doesn't", "no letter")),
        ),
        Scheme(
            name="team",
            kind="person",
            preamble="People are put on two teams, Red and Blue, by these rules:",
            question="Is there a way to put everyone on a team so that every rule is kept?",
            true="Red",
            false="Blue",
            holds="is on the Red team",
            fails="is on the Blue team",
            either="Either ",
            both="",
            also=(
                ("red team", "the red team", "on the red team", "team red"),
                ("blue team", "the blue team", "on the blue team", "team blue"),
            ),
        ),
        Scheme(
            name="social",
            kind="person",
            preamble="The guests of a party have these conditions:",
            question="Is there a guest list that meets every condition?",
            true="attends",
            false="doesn't attend",
            holds="attends",
            fails="doesn't attend",
            also=(("attend", "attending"), ("not attend", "not attending", "not attends", "doesn't")),
        ),
        Scheme(
            name="room",
            kind="room",
            preamble="The lights of a building follow these rules:",
            question="Can the rooms be lit or dark so that every rule is kept?",
            true="lit",
            false="dark",
            holds="is lit",
            fails="is dark",
        ),
        Scheme(
            name="door",
            kind="door",
            preamble="The doors of a facility are coupled by these rules:",
            question="Can the doors be open or closed so that every rule is kept?",
            true="open",
            false="closed",
            holds="is open",
            fails="is closed",
        ),
    )
}

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Pairs of letters that are English words are no names: "Either OR is true or NO is false" is hard to read.
_WORDS = "AM AN AS AT BE BY DO GO HE IF IN IS IT ME MY NO OF OH OK ON OR SO TO UP US WE"
_FIRST = (
    "Ada Adam Agnes Alan Alice Amir Amy Ana Anton Aria Arthur Astrid Basil Ben Bianca Boris Bruno Carla Carlos Cecil Chloe "
    "Clara Cyrus Daisy Dana Daniel David Diana Dora Edgar Edith Elena Elias Ella Emil Emma Eric Esther Eva Fabio Felix "
    "Fiona Flora Frank Freya Gavin Gemma George Gina Greta Hanna Harry Hector Helen Henry Hugo Ian Ida Igor Ines Irene "
    "Iris Isaac Ivan Jack Jana Jasper Jean Joel Jonas Judith Julia Kai Karen Karl Kate Kevin Klara Kurt Laura Leah Leo Leon "
    "Lily Linus Liam Lola Lucas Lucy Luna Marco Maria Martin Maya Mia Milan Mona Nadia Nina Noah Nora Olga Oliver Omar Oscar "
    "Otto Paula Peter Petra Quinn Rafael Raya Rita Robin Rosa Ruth Sam Sara Selma Simon Sofia Stella Tara Theo Thomas Tina "
    "Ulla Uma Vera Victor Vivian Wanda Walter Xenia Yara Yusuf Zara Zoe"
)
_LAST = (
    "Abel Baker Carver Dalton Ember Fisher Gordon Harper Irving Jensen Keller Lowell Miller Norton Olsen Parker Quincy "
    "Reed Sutton Turner Usher Vance Walker Young Zeller"
)


@lru_cache(maxsize=4096)
def entities(scheme: str, n: int) -> tuple[str, ...]:
    """The names of variables 1 to ``n`` in a scheme. Raises ValueError where it has too few."""
    if scheme == "logic":
        pairs = (a + b for a in _LETTERS for b in _LETTERS)
        names = [*_LETTERS, *(pair for pair in pairs if pair not in _WORDS.split())]
    elif scheme in ("room", "door"):
        return tuple(f"{scheme} {i}" for i in range(1, n + 1))
    else:
        first_names = _FIRST.split()
        names = [*first_names, *(f"{first} {last}" for last in _LAST.split() for first in first_names)]
    if n > len(names):
        raise ValueError(f"scheme {scheme} names at most {len(names)} variables, not {n}")
    return tuple(names[:n])


def statement(scheme: Scheme, names: Sequence[str], literal: int) -> str:
    """A literal in words: ``Ana has the letter``."""
    return f"{names[abs(literal) - 1]} {scheme.holds if literal > 0 else scheme.fails}"


def sentence(scheme: Scheme, names: Sequence[str], clause: Sequence[int]) -> str:
    """A clause of one or two literals as a sentence."""
    if len(clause) == 1:
        return f"{statement(scheme, names, clause[0])}."
    first, second = (statement(scheme, names, literal) for literal in clause)
    return f"{scheme.either}{first} or {second}{scheme.both}."


def verbalise(scheme: Scheme, names: Sequence[str], clauses: Iterable[Sequence[int]]) -> str:
    """A formula in words: the preamble, a sentence a line, a blank line, the question."""
    lines = [sentence(scheme, names, clause) for clause in clauses]
    return "\n".join([scheme.preamble, *lines, "", scheme.question])


def parse_statement(scheme: Scheme, number_of: dict[str, int], text: str) -> int:
    """The literal that a statement says. ``number_of``: entity name to variable. Raises ValueError."""
    for phrase, sign in ((scheme.fails, -1), (scheme.holds, 1)):
        name = text.removesuffix(f" {phrase}")
        if name != text and name in number_of:
            return sign * number_of[name]
    raise ValueError(f"not a statement of scheme {scheme.name}: {text!r}")


def parse(scheme: Scheme, names: Sequence[str], text: str) -> list[list[int]]:
    """The clauses of a text that ``verbalise`` made, in order. Text after the question is left alone. Raises ValueError."""
    preamble, *lines = text.split("\n")
    if preamble != scheme.preamble or "" not in lines:
        raise ValueError(f"not a text of scheme {scheme.name}")
    number_of = {name: i for i, name in enumerate(names, 1)}
    clauses = []
    for line in lines[: lines.index("")]:
        parts = line.removesuffix(".").removesuffix(scheme.both).removeprefix(scheme.either).split(" or ")
        clauses.append([parse_statement(scheme, number_of, part) for part in parts])
        if sentence(scheme, names, clauses[-1]) != line:
            raise ValueError(f"not a sentence of scheme {scheme.name}: {line!r}")
    return clauses
