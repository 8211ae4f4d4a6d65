"""Have a model tell a formula as a story: the LLM verbaliser of the 2-SAT paper (section 4, appendix G.3).

A story is one conversation: an introduction, then a paragraph for each clause in turn. Each paragraph is read back in two
steps by the same model, apart from the story: which entities it is about, then which description it puts forward for each.
What does not give the clause back is told again, up to three times in all; then a plain sentence takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from rb_build import telling_prompts as prompts
from rb_build.stories import ATTEMPTS, FALLBACK
from rb_verify import canonical, themes
from rb_verify.llm import BadReply, Client, Refused
from rb_verify.thinking import split
from rb_verify.unparsed import TRUNCATED

LONGEST = 1000  # characters of a paragraph
LONGEST_INTRODUCTION = 20_000  # it names every entity, up to 400 of them
_BROKEN = TRUNCATED | {"content_filter"}  # why a reply ended that is no whole text


@dataclass
class _Talk:
    """A conversation with the teller. ``turn``: keeps stories that begin alike apart in the cache."""

    client: Client
    turn: int
    messages: list[dict[str, str]] = field(default_factory=list)
    models: set[str] = field(default_factory=set)

    async def ask(self, attempt: int, longest: int) -> str | None:
        """The reply on one line; None where it is not whole, empty, longer than ``longest`` or holds control characters."""
        reply = await self.client.ask(self.messages, turn=self.turn + attempt)
        if reply.model:
            self.models.add(reply.model)
        text = " ".join(split(reply.text or "").visible.split())
        whole = reply.finish_reason not in _BROKEN and 0 < len(text) <= longest and text.isprintable()
        return text if whole else None

    def add(self, role: str, content: str) -> None:
        """Let the conversation go on."""
        self.messages = [*self.messages, {"role": role, "content": content}]


async def tell(client: Client, formula: dict[str, Any], name: str, advance: Callable[[int], None]) -> dict[str, Any]:
    """Tell one story. ``formula``: a row's parts that no verbalisation changes; ``name``: of the theme; ``advance``: called
    with how many more clauses are told.

    The story is as the params of a recipe have it, beside its first and last date (``asked``, UTC) and the ``models`` that the
    endpoint says it is. Raises Failed or UnusableInput where the endpoint does not answer, or refuses the introduction.
    """
    began, theme, told = today(), themes.THEMES[name], themes.entities(name, formula["variables"])
    talk = _Talk(client, ATTEMPTS * int(canonical.digest(formula["formula"].encode())[:8], 16))
    talk.add("user", prompts.introduction(theme, told))
    introduction = await _introduction(talk) or prompts.bare_introduction(theme, told)
    talk.add("assistant", introduction)
    clues = []
    for clause in formula["clauses"]:
        talk.add("user", prompts.clue(told, clause))
        clues.append(await _clue(talk, told, clause))
        talk.add("assistant", clues[-1][0])
        advance(1)
    return _story(formula, name, introduction, clues) | {"asked": [began, today()], "models": sorted(talk.models)}


def plain_story(formula: dict[str, Any], name: str) -> dict[str, Any]:
    """A story as it comes out if every attempt at everything fails; no model is asked."""
    told = themes.entities(name, formula["variables"])
    clues = [(themes.sentence(told, clause), FALLBACK) for clause in formula["clauses"]]
    introduction = prompts.bare_introduction(themes.THEMES[name], told)
    return _story(formula, name, introduction, clues) | {"asked": [today(), today()], "models": []}


def _story(formula: dict[str, Any], name: str, introduction: str, clues: Sequence[tuple[str, int]]) -> dict[str, Any]:
    return {
        "attempts": [attempt for _, attempt in clues],
        "formula": formula["formula"],
        "introduction": introduction,
        "paragraphs": [paragraph for paragraph, _ in clues],
        "theme": name,
    }


async def _introduction(talk: _Talk) -> str | None:
    for attempt in range(1, ATTEMPTS + 1):
        if text := await talk.ask(attempt, LONGEST_INTRODUCTION):
            return text
    return None


async def _clue(talk: _Talk, told: Sequence[themes.Entity], clause: Sequence[int]) -> tuple[str, int]:
    """The paragraph of a clause, and the attempt that gave it. What was rejected leaves no trace in the conversation.

    A request that the endpoint refuses for what it asks is a failed attempt: so much cannot be told by this model.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            paragraph = await talk.ask(attempt, LONGEST)
            if paragraph and await _says(talk.client, attempt, paragraph, told, clause):
                return paragraph, attempt
        except Refused:
            continue
    return themes.sentence(told, clause), FALLBACK


async def _says(client: Client, attempt: int, paragraph: str, told: Sequence[themes.Entity], clause: Sequence[int]) -> bool:
    """Whether a model that reads a paragraph finds the entities of the clause in it, each as its literal has it."""
    meant = {told[abs(literal) - 1]: literal > 0 for literal in clause}

    async def read(asked: tuple[str, dict[str, Any]]) -> Any:
        question, schema = asked
        return await client.ask_json([{"role": "user", "content": question}], schema, turn=attempt)

    try:
        found = await read(prompts.entities(paragraph, told, len(meant)))
        if set(found["entities"]) != {entity.name for entity in meant}:
            return False
        for entity, holds in meant.items():
            found = await read(prompts.state(paragraph, entity))
            if found["state"] != (entity.true if holds else entity.false):
                return False
    except BadReply:
        return False
    return True


def today() -> str:
    """The date, in UTC."""
    return datetime.now(timezone.utc).date().isoformat()
