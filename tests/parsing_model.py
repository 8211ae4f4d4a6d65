"""Models for the tests of the LLM parser: what they say of the sentences that a request of ``llm_parser`` holds."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from rb_verify.reasoning import parse

Entry = dict[str, Any]
_ASKED = re.compile(
    r"Names: (.*)\n\nSentences:\n((?:.*\n)+)\nGive the sentences ([0-9, ]+)\.(?:\n\nAn earlier .*:\n((?:.|\n)*))?"
)


class Asked(NamedTuple):
    """What a request asks. ``texts``: sentences by number; ``wanted``: numbers; ``faults``: of an earlier reply, as told."""

    names: list[str]
    texts: dict[int, str]
    wanted: list[int]
    faults: str


def asked(messages: list[dict[str, str]]) -> Asked:
    """What the messages of a request ask."""
    system, user = messages
    assert (system["role"], user["role"]) == ("system", "user")
    found = _ASKED.fullmatch(user["content"])
    assert found is not None, user["content"]
    names, lines, wanted, faults = found.groups()
    said = [json.loads(line) for line in lines.removesuffix("\n").split("\n")]
    texts = {each["number"]: each["text"] for each in said}
    return Asked([] if names == "none" else names.split(", "), texts, list(map(int, wanted.split(", "))), faults or "")


def entry(number: int, text: str, names: list[str]) -> Entry:
    """A sentence as the deterministic parser reads it."""
    read = parse(text, names)
    nodes = [node for sentence in read for node in sentence.nodes]
    return {
        "number": number,
        "type": "reflection" if any(sentence.reflection for sentence in read) else "normal",
        "nodes": [{"statement": str(stated), "type": "planning" if planning else "actual"} for stated, planning in nodes],
    }


def as_rules(request: dict[str, Any]) -> dict[str, Any]:
    """The reply of a model that reads as the rules do."""
    names, texts, wanted, _ = asked(request["messages"])
    return {"sentences": [entry(number, texts[number], names) for number in wanted]}
