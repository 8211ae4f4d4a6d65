"""A model that tells stories and reads them back as a script says, for the loopback server: well, or badly in one of many ways.

It understands the questions of rb_build.telling_prompts by what stands in them, and remembers nothing but how often it was
asked the same, so that a process that was killed can be followed by another.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable
from typing import Any

from llm_server import Said
from rb_verify.themes import THEMES, Entity, entities

ENTITIES = {entity.name: entity for theme in THEMES for entity in entities(theme, 400)}
INTRODUCTION = "Fog came in\n\tfrom the river,  and nobody slept."
OTHER = "the Yardley testament is revoked"  # of no clause of the tests

BAD = {  # what a bad paragraph is; each is rejected
    "foreign": "one entity is another than the clause's",
    "single": "only one of two entities is told of",
    "flipped": "the first entity is told of with the wrong description",
    "last": "the last entity is told of with the wrong description",
    "empty": "there is no text",
    "thinking": "the text is all thinking",
    "cut": "the reply was cut off",
    "filtered": "a filter ended the reply",
    "long": "1,001 characters",
    "control": "a control character",
    "prose": "the reader answers in prose",
    "stranger": "the reader names an entity that the story does not have",
    "vague": "the reader answers with neither description",
    "broken": "the reader's JSON is broken",
    "unread": "the reader's reply is cut off",
}


class Teller:
    """Answers requests. ``script``: (theme or None for all, number of the clause) to what each attempt at it is in turn: a
    name of ``BAD``, or "good", as is every other. ``introductions``: what each attempt at an introduction says in turn."""

    def __init__(
        self,
        script: dict[tuple[str | None, int], list[str]] | None = None,
        introductions: Iterable[Said] = (),
    ) -> None:
        self.script, self.introductions = script or {}, list(introductions)
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, request: dict[str, Any]) -> Said:
        """The reply to a request."""
        messages = request["messages"]
        if "response_format" in request:
            return read_back(messages[0]["content"])
        with self._lock:
            attempt = self._asked[json.dumps(messages)]
            self._asked[json.dumps(messages)] += 1
        number = len(messages) // 2 - 1
        if number < 0:
            return ([*self.introductions[attempt : attempt + 1], Said(INTRODUCTION)])[0]
        theme = next(name for name, theme in THEMES.items() if theme.genre in messages[0]["content"])
        kinds = self.script.get((theme, number), self.script.get((None, number), []))
        return paragraph(stated(messages[-1]["content"]), number, (kinds[attempt:] or ["good"])[0])


def stated(question: str) -> list[str]:
    """The statements that a paragraph is asked of."""
    return re.findall(r"^- (.+)$", question, re.MULTILINE)


def entity_of(statement: str) -> Entity:
    """Whom a statement is about."""
    return ENTITIES[statement.rpartition(" is ")[0]]


def flipped(statement: str) -> str:
    """A statement with the other description."""
    entity, said = entity_of(statement), statement.rpartition(" ")[2]
    return f"{entity.name} is {entity.false if said == entity.true else entity.true}"


def paragraph(statements: list[str], number: int, kind: str = "good") -> Said:
    """A paragraph that says that one of the statements holds at least, or one that is bad. ``number``: of the clause."""
    first, *others = statements
    if kind == "foreign":
        first = OTHER
    elif kind == "single":
        others = []
    elif kind == "flipped":
        first = flipped(first)
    elif kind == "last":
        others = [flipped(others[0])]
    text = f"Note {number}: " + ", unless ".join([first, *others]) + "."
    if kind in ("prose", "stranger", "vague", "broken", "unread"):
        text += f" [{kind}]"
    return {
        "empty": Said(""),
        "thinking": Said(f"<think>{text}"),
        "cut": Said(text, stop="max_tokens"),
        "filtered": Said(text, stop="content_filter"),
        "long": Said(text + "." * (1001 - len(text))),
        "control": Said(f"{text}\u202e"),
    }.get(kind, Said(text))


def read_back(question: str) -> Said:
    """What the reader says of the paragraph in a question, by the words in it."""
    clue = question.split("\n\n")[1]
    named = [name for name in ENTITIES if name in clue]
    if (asked := re.search(r"says of (.+?): ", question)) is None:
        count = int(re.search(r"is about (\d)", question)[1])
        found: Any = {"entities": (named * count)[:count]}
        if "[stranger]" in clue:
            found = {"entities": [*named[: count - 1], "the butler"]}
    else:
        entity = ENTITIES[asked[1]]
        found = {"state": next(said for said in entity[1:] if f"{entity.name} is {said}" in clue)}
        if "[vague]" in clue:
            found = {"state": "unclear"}
    if "[prose]" in clue:
        return Said("It is about two of them, I think.")
    if "[broken]" in clue:
        return Said(json.dumps(found)[:-1])
    return Said(json.dumps(found), stop="max_tokens" if "[unread]" in clue else "stop")
