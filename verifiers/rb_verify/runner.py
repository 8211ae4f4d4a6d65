"""Ask a model the prompts of a release, and keep each response as a prediction: for who has no harness; thin on purpose.

A prediction is what the model said, raw, with nothing scored; rb-verify reads the file. Each stands there once, however often
a run is stopped and run again, since the file is a journal.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import Any, NamedTuple

from rb_verify.journal import Journal
from rb_verify.llm import Client, Failed, Reply, concurrently
from rb_verify.predictions import Unreadable, prediction


class Asking(NamedTuple):
    """One question to be asked. ``sample``: which of several responses to it this will be, from 0."""

    id: str
    sample: int
    prompt: str


class Failure(NamedTuple):
    """A question that was not answered, and why."""

    asking: Asking
    why: str


class Outcome(NamedTuple):
    """How a run went. ``tokens``: in prompts and in replies, as the endpoint counts them."""

    answered: int
    failures: list[Failure]
    tokens: tuple[int, int]


def askings(rows: list[dict[str, Any]], samples: int) -> list[Asking]:
    """What there is to ask, all samples of a row one after the other."""
    return [Asking(row["id"], sample, row["prompt"]) for row in rows for sample in range(samples)]


def key(record: dict[str, Any]) -> tuple[str, int]:
    """What a prediction is there once for: its row and its sample."""
    return str(record["id"]), int(record["sample"])


async def run(client: Client, wanted: list[Asking], journal: Journal, progress: Callable[[int], None]) -> Outcome:
    """Ask what the journal has no response to, and add each as it comes.

    ``progress``: called with how many more are done. A question that fails for good is not added, so the next run asks it
    again. Raises UnusableInput where no further one can be answered; what is answered by then is in the journal.
    """

    async def ask(asking: Asking) -> tuple[Asking, Reply | Failed]:
        try:
            return asking, await client.ask([{"role": "user", "content": asking.prompt}], turn=f"{asking.id}/{asking.sample}")
        except Failed as failed:
            return asking, failed

    answered, failures, tokens = 0, list[Failure](), (0, 0)
    todo = (asking for asking in wanted if asking[:2] not in journal.done)
    async with aclosing(concurrently(todo, ask, client.limits.concurrency)) as replies:
        async for asking, reply in replies:
            if isinstance(reply, Failed):
                failures.append(Failure(asking, str(reply)))
            else:
                journal.add(record(asking, reply))
                answered += 1
                tokens = tokens[0] + _count(reply, "prompt_tokens"), tokens[1] + _count(reply, "completion_tokens")
            progress(1)
    return Outcome(answered, failures, tokens)


def record(asking: Asking, reply: Reply) -> dict[str, Any]:
    """The prediction that a reply is. A usage that rb-verify cannot read would make it a bad line, so that is left out."""
    said = {
        "id": asking.id,
        "sample": asking.sample,
        "response": reply.text,
        "reasoning": reply.reasoning,
        "finish_reason": reply.finish_reason,
        "usage": reply.usage,
    }
    try:
        prediction(said)
    except Unreadable:
        return said | {"usage": None}
    return said


def _count(reply: Reply, name: str) -> int:
    count = (reply.usage or {}).get(name)
    return count if isinstance(count, int) else 0
