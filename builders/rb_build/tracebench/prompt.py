"""The prompt of a TRACEBench row: the six sections of the paper's template (section 3.3.2), in our own words."""

from __future__ import annotations

from collections.abc import Sequence

from rb_build.streams import Stream
from rb_verify.allen import INDEX, NAMES

# Letters that are no symbol of a relation, so that "B" can only be "before". Enough for 19 events, then two letters.
_LETTERS = "ACGHIJKLNPQRTUVWXYZ"

_ENDPOINTS = {
    "B": "X ends before Y starts",
    "BI": "X starts after Y ends",
    "M": "X ends exactly when Y starts",
    "MI": "X starts exactly when Y ends",
    "O": "X starts before Y starts, and X ends after Y starts but before Y ends",
    "OI": "Y starts before X starts, and Y ends after X starts but before X ends",
    "S": "X and Y start together, and X ends before Y ends",
    "SI": "X and Y start together, and X ends after Y ends",
    "D": "X starts after Y starts, and X ends before Y ends",
    "DI": "X starts before Y starts, and X ends after Y ends",
    "F": "X and Y end together, and X starts after Y starts",
    "FI": "X and Y end together, and X starts before Y starts",
    "E": "X and Y start together and end together",
}

_TEMPLATE = """\
# Constraint
You are solving a temporal reasoning problem. Every event is an interval of time that starts before it ends. Use only \
the facts below; do not use code, a solver or outside knowledge.

# Allen relations
Exactly one of these 13 relations holds from an event X to an event Y. Each has a name and a symbol.
{relations}

# Facts
{facts}

# Question
Is {u} {relation} {v}?

# Instructions
Think as long as you need. Then answer with one JSON object and nothing else:
{{"reasoning": [{{"from": EVENT, "relation": RELATION, "to": EVENT}}, ...], "final_answer": ANSWER}}
- "reasoning" lists your derivation in order, one claim a step. Each step must follow from the facts and the steps \
before it by combining what is known about its two events with third events; one step may combine several third events.
- "relation" must say all that the facts imply about the two events: the one relation that holds, or, where several \
are still possible, every one of them and no other, joined with "|", such as "B|M". Use only the names or symbols above.
- One step must be about the two events in the question.
- "final_answer" is "YES" if the asked relation holds, "NO" if it does not, "Unsure" if you cannot tell.

# Example
Facts: Alpha before Beta; Beta meets Gamma; Delta during Alpha. Question: Is Delta before Gamma?
{{"reasoning": [{{"from": "Alpha", "relation": "before", "to": "Gamma"}}, \
{{"from": "Delta", "relation": "before", "to": "Gamma"}}], "final_answer": "YES"}}
"""


def event_names(n: int) -> list[str]:
    """``n`` names of events, none of which is a relation's symbol."""
    names = list(_LETTERS) + [a + b for a in _LETTERS for b in _LETTERS]
    if n > len(names) or not INDEX.keys().isdisjoint(names):
        raise ValueError(f"there are only {len(names)} names of events, {n} are wanted")
    return names[:n]


def other_names(stream: Stream, n: int) -> list[str]:
    """Names for ``n`` events of a published graph that is told anew, so that no prompt comes out as it was published.

    ``n``: so few that as many letters are left after ``event_names(n)``.
    """
    return stream.sample(_LETTERS[n:], n)


def prompt(facts: Sequence[tuple[str, str, str]], question: tuple[str, str, str]) -> str:
    """The prompt for facts and a question, each (from, symbol, to)."""
    relations = "\n".join(f"- {NAMES[symbol]} ({symbol}): {meaning}" for symbol, meaning in _ENDPOINTS.items())
    statements = "\n".join(f"- {u} {NAMES[symbol]} {v}" for u, symbol, v in facts)
    u, symbol, v = question
    return _TEMPLATE.format(relations=relations, facts=statements, u=u, relation=NAMES[symbol], v=v)
