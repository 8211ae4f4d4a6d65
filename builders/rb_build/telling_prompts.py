"""What a model is asked when it tells a story and reads it back (2-SAT paper, section 4 and appendix G.3, in our own words).

Four questions: an introduction that lets every entity of the story appear; a paragraph for a clause; which entities a
paragraph is about; and which of its two descriptions it puts forward for one of them. The last two are asked apart from
the story, and answered in JSON of a schema. A release of stories names the digest of all of this.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rb_verify import canonical
from rb_verify.themes import THEMES, Entity, Theme, statement

_INTRODUCTION = """\
You are the author of a {genre}, set in {setting}. Readers will get it as an introduction and a series of clues, which you \
write one by one.

Start with the introduction: a paragraph that sets the scene and lets each of the following appear once, under exactly \
this name:
{names}

It tells nothing yet of what any of them is like or how they depend on one another; the clues do that. Be brief and \
atmospheric. Write nothing but the introduction."""

_EITHER = """\
Now a clue. After it, readers must know that at least one of these two things is so, and that both may be:
- {first}
- {second}

Tell it as one short paragraph of the story, in words of your own. Call both by exactly these names, and make it plain what \
each of them would be. Do not settle which of the two is so, and tell no other facts. Write nothing but the paragraph."""

_PLAIN = """\
Now a clue. After it, readers must know that this is so:
- {first}

Tell it as one short paragraph of the story, in words of your own. Use exactly this name, and make it plain what it is like. \
Tell no other facts. Write nothing but the paragraph."""

_ENTITIES = """\
This is a clue in a story:

{paragraph}

These are the characters and objects of the story:
{names}

The clue is about {count} of them. Answer with a JSON object, {form}, and nothing else: the {count} that it is about, spelt as \
in the list."""

_STATE = """\
This is a clue in a story:

{paragraph}

It may leave open what is so. Look only at what it says of {name}: which description does it put forward, as a fact or as \
one of two possibilities, "{true}" or "{false}"? Answer with a JSON object, {form}, and nothing else."""

_BARE = "This is a {genre}, set in {setting}. In it appear {names}."


def introduction(theme: Theme, told: Sequence[Entity]) -> str:
    """The question for the introduction. ``told``: the entities of the story."""
    names = "\n".join(f"- {entity.name}" for entity in told)
    return _INTRODUCTION.format(genre=theme.genre, setting=theme.setting, names=names)


def bare_introduction(theme: Theme, told: Sequence[Entity]) -> str:
    """The introduction of a story whose teller gave none."""
    return _BARE.format(genre=theme.genre, setting=theme.setting, names=", ".join(entity.name for entity in told))


def clue(told: Sequence[Entity], clause: Sequence[int]) -> str:
    """The question for the paragraph of a clause of one or two literals."""
    said = [statement(told, literal) for literal in clause]
    return _PLAIN.format(first=said[0]) if len(said) == 1 else _EITHER.format(first=said[0], second=said[1])


def entities(paragraph: str, told: Sequence[Entity], count: int) -> tuple[str, dict[str, Any]]:
    """The question which ``count`` entities a paragraph is about, and the schema of its answer."""
    names = [entity.name for entity in told]
    form = json.dumps({"entities": [f"name {number}" for number in range(1, count + 1)]})
    question = _ENTITIES.format(paragraph=paragraph, names="\n".join(f"- {name}" for name in names), count=count, form=form)
    listed = {"type": "array", "items": {"type": "string", "enum": names}, "minItems": count, "maxItems": count}
    return question, _answer("entities", listed)


def state(paragraph: str, entity: Entity) -> tuple[str, dict[str, Any]]:
    """The question which description of an entity a paragraph puts forward, and the schema of its answer."""
    form = json.dumps({"state": "description"})
    question = _STATE.format(paragraph=paragraph, name=entity.name, true=entity.true, false=entity.false, form=form)
    return question, _answer("state", {"type": "string", "enum": [entity.true, entity.false]})


def _answer(member: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with one member, in the form that endpoints which constrain replies ask for."""
    return {"type": "object", "properties": {member: schema}, "required": [member], "additionalProperties": False}


def digest() -> str:
    """The SHA-256 of all questions and schemas, as they are put of one clause and one entity in every theme."""
    asked: list[Any] = []
    for theme in THEMES.values():
        told = [Entity("the A", "p", "q"), Entity("the B", "r", "s")]
        asked += [introduction(theme, told), bare_introduction(theme, told)]
        asked += [clue(told, [1, -2]), clue(told, [1]), entities("C", told, 1), entities("C", told, 2), state("C", told[0])]
    return canonical.digest(canonical.dumps(asked).encode())
