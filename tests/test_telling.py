"""Telling one story: what a model is asked, what of its replies is taken, and how often it is asked again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import openai
import pytest

from llm_server import Fault, Said, Server, llm_server
from rb_build import telling_prompts
from rb_build.stories import ATTEMPTS
from rb_build.telling import LONGEST, plain_story, tell
from rb_verify import llm
from rb_verify.endpoint import Endpoint, Limits
from rb_verify.errors import UnusableInput
from rb_verify.llm import Client, Failed
from rb_verify.themes import THEMES, entities, sentence, statement
from scripted_teller import BAD, INTRODUCTION, Teller, paragraph

CLAUSES = [[1, -2], [3], [-1, 4], [-4, -3]]
FORMULA = {"clauses": CLAUSES, "formula": "twosat-0-1-0-bb004-f0", "variables": 4}
FEW = Limits(retries=2, timeout=5)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits half a second before it tries again waits for no time."""
    monkeypatch.setattr(openai._base_client, "INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr(llm, "_FIRST_PAUSE", 0.01)


def told(
    teller: Teller, theme: str = "detective", faults: Iterable[Fault] = (), cache: Path | None = None, clauses: Any = CLAUSES
) -> tuple[dict[str, Any], Server]:
    """A story, and what the server has seen."""

    async def story(address: str) -> dict[str, Any]:
        async with Client(Endpoint(address, "scripted"), FEW, {"temperature": 0.7}, cache) as client:
            return await tell(client, FORMULA | {"clauses": clauses}, theme, counted.append)

    counted: list[int] = []
    with llm_server(teller, faults) as server:
        result = asyncio.run(story(server.base_url))
    assert counted == [1] * len(clauses)
    return result, server


def good(number: int, theme: str = "detective") -> str:
    """The paragraph of a clause as a good teller has it."""
    names = entities(theme, 4)
    return paragraph([statement(names, literal) for literal in CLAUSES[number]], number).text


def plain(number: int) -> str:
    """The sentence that takes its place."""
    return sentence(entities("detective", 4), CLAUSES[number])


@pytest.mark.parametrize("theme", THEMES)
def test_good_teller(theme: str) -> None:
    """Every clause is validated at first attempt; whitespace in what is said becomes single blanks."""
    story, server = told(Teller(), theme)
    asked = story.pop("asked")
    assert story == {
        "attempts": [1, 1, 1, 1],
        "formula": "twosat-0-1-0-bb004-f0",
        "introduction": "Fog came in from the river, and nobody slept.",
        "models": ["scripted"],
        "paragraphs": [good(number, theme) for number in range(4)],
        "theme": theme,
    }
    assert len(asked) == 2
    assert asked[0] <= asked[1]
    assert len(server.requests) == 1 + 4 + 3 + 4 + 4  # two questions to the reader of a unit clause, three of another


def test_conversation() -> None:
    """The story is one conversation that runs on with what was taken; the reader is asked apart, with a schema."""
    story, server = told(Teller({(None, 0): ["flipped"], (None, 2): ["empty"] * 3}))
    names, theme = entities("detective", 4), THEMES["detective"]
    assert story["attempts"] == [2, 1, 0, 1]
    teller = [request for request in server.requests if "response_format" not in request]
    reader = [request for request in server.requests if "response_format" in request]
    conversation: list[dict[str, str]] = [{"role": "user", "content": telling_prompts.introduction(theme, names)}]
    assert teller[0]["messages"] == conversation
    conversation.append({"role": "assistant", "content": " ".join(INTRODUCTION.split())})
    turns = iter(teller[1:])
    for number, attempts in enumerate((2, 1, 3, 1)):
        conversation.append({"role": "user", "content": telling_prompts.clue(names, CLAUSES[number])})
        for _ in range(attempts):
            assert next(turns)["messages"] == conversation
        kept = plain(2) if number == 2 else good(number)
        conversation.append({"role": "assistant", "content": kept})
    assert next(turns, None) is None
    assert story["paragraphs"] == [good(0), good(1), plain(2), good(3)]
    wrong = paragraph([statement(names, 1), statement(names, -2)], 0, "flipped").text
    expected = [
        *(telling_prompts.entities(wrong, names, 2), telling_prompts.state(wrong, names[0])),
        *(telling_prompts.entities(good(0), names, 2), *(telling_prompts.state(good(0), names[i]) for i in (0, 1))),
        *(telling_prompts.entities(good(1), names, 1), telling_prompts.state(good(1), names[2])),
        *(telling_prompts.entities(good(3), names, 2), *(telling_prompts.state(good(3), names[i]) for i in (3, 2))),
    ]
    assert [(request["messages"], request["response_format"]["json_schema"]["schema"]) for request in reader] == [
        ([{"role": "user", "content": question}], schema) for question, schema in expected
    ]
    assert {request["temperature"] for request in server.requests} == {0.7}


def test_questions_name_what_they_are_about() -> None:
    """The teller gets all names, and for a clause its two statements; the reader all names, and both descriptions of one."""
    names, theme = entities("detective", 4), THEMES["detective"]
    asked = telling_prompts.introduction(theme, names)
    assert all(f"\n- {entity.name}\n" in asked for entity in names)
    assert theme.genre in asked
    assert not any(word in asked.split() for entity in names for word in entity[1:])
    asked = telling_prompts.clue(names, [1, -2])
    assert "\n- the Ashford butler is innocent\n- the Blackwood dagger is bloodstained\n" in asked
    asked = telling_prompts.clue(names, [-1])
    assert "\n- the Ashford butler is guilty\n" in asked
    assert "Blackwood" not in asked
    asked, schema = telling_prompts.entities("A clue.", names, 2)
    assert "\n\nA clue.\n\n" in asked
    assert schema["properties"]["entities"] == {
        "type": "array",
        "items": {"type": "string", "enum": [entity.name for entity in names]},
        "minItems": 2,
        "maxItems": 2,
    }
    asked, schema = telling_prompts.state("A clue.", names[0])
    assert "\n\nA clue.\n\n" in asked
    assert "of the Ashford butler:" in asked
    assert '"innocent" or "guilty"' in asked
    assert schema["properties"]["state"] == {"type": "string", "enum": ["innocent", "guilty"]}


def test_digest_of_the_questions() -> None:
    """A change of any wording is a new digest, by which releases of stories are told apart."""
    assert telling_prompts.digest() == "023c9eff8d9ae5e63edc30218fc72cbc7e231b45ad4671e32f63036125838dcb"


@pytest.mark.parametrize("kind", BAD)
def test_bad_paragraphs_are_told_again(kind: str) -> None:
    """Whatever is wrong, the paragraph is rejected, and the next attempt taken; three bad ones leave the plain sentence."""
    story, _ = told(Teller({(None, 0): [kind], (None, 2): [kind, kind], (None, 3): [kind, kind, kind]}))
    assert story["attempts"] == [2, 1, 3, 0]
    assert story["paragraphs"] == [good(0), good(1), good(2), plain(3)]


@pytest.mark.parametrize("kind", sorted(BAD.keys() - {"single", "last"}))
def test_bad_paragraphs_of_a_unit_clause(kind: str) -> None:
    """The same of a clause of one literal; its sentence is one plain statement."""
    story, _ = told(Teller({(None, 0): [kind] * 3, (None, 1): [kind]}), clauses=[[3], [-3]])
    names = entities("detective", 4)
    assert story["attempts"] == [0, 2]
    assert story["paragraphs"] == ["The Carlisle gardener is truthful.", paragraph([statement(names, -3)], 1).text]


def test_plain_sentence() -> None:
    """The sentence of the paper's appendix G.3, capitalised."""
    story, _ = told(Teller({(None, 0): ["cut", "flipped", "prose"]}))
    assert story["paragraphs"][0] == "Either the Ashford butler is innocent, or the Blackwood dagger is bloodstained (or both)."


def test_longest_paragraph() -> None:
    """A thousand characters are taken, one more is not; so are thinking before the text, and letters of any script."""

    def teller(request: dict[str, Any]) -> Said:
        said = Teller()(request)
        if "response_format" in request or len(request["messages"]) == 1:
            return said
        return Said("<think>Hm.</think>\n" + (said.text + " Ærø, 東京" + "…" * LONGEST)[:LONGEST])

    story, _ = told(teller)
    assert story["attempts"] == [1, 1, 1, 1]
    assert {len(text) for text in story["paragraphs"]} == {LONGEST}
    assert story["paragraphs"][1].startswith(f"{good(1)} Ærø, 東京…")


@pytest.mark.parametrize(
    "bad",
    [Said(""), Said("Fog.", stop="max_tokens"), Said("Fog\x07"), Said("Fog. " * 5000)],
    ids=["empty", "cut", "control", "long"],
)
def test_introductions(bad: Said) -> None:
    """An introduction that is none is asked for again; after three attempts a plain one names the entities."""
    story, server = told(Teller(introductions=[bad] * (ATTEMPTS - 1)))
    assert story["introduction"] == " ".join(INTRODUCTION.split())
    assert sum(len(request["messages"]) == 1 and "response_format" not in request for request in server.requests) == ATTEMPTS
    story, _ = told(Teller(introductions=[bad] * ATTEMPTS))
    assert story["introduction"] == plain_story(FORMULA, "detective")["introduction"]
    assert story["introduction"].startswith("This is a detective story, set in a mystery among old families")
    assert all(entity.name in story["introduction"] for entity in entities("detective", 4))
    assert story["attempts"] == [1, 1, 1, 1]


def test_nothing_but_failures() -> None:
    """A story of which every attempt fails is the plain story."""
    bad = Teller({(None, number): ["flipped"] * 3 for number in range(4)}, [Said("")] * 3)
    story, _ = told(bad)
    assert {**story, "asked": [], "models": []} == {**plain_story(FORMULA, "detective"), "asked": [], "models": []}
    assert story["attempts"] == [0, 0, 0, 0]


def test_faults_of_the_endpoint_are_no_attempts() -> None:
    """What the client retries leaves the story, and the attempts counted, as they are without faults."""
    faults = [None, "429", None, "500", "cut", None, "close", None, None, "broken", "empty", None, "503", "slow"]
    story, server = told(Teller(), faults=faults)
    assert story["attempts"] == [1, 1, 1, 1]
    assert story["paragraphs"] == [good(number) for number in range(4)]
    assert len(server.requests) == 1 + 4 + 3 + 4 + 4 + 7


def test_a_cut_reply_is_an_attempt() -> None:
    """An endpoint that cuts the reader short, or the teller, has used up an attempt."""
    story, _ = told(Teller(), faults=[None, "length", None, "length"])
    assert story["attempts"] == [3, 1, 1, 1]


@pytest.mark.parametrize("faults", [[None, None, *["500"] * 40], ["400"], ["422"]], ids=["failing", "400", "422"])
def test_an_endpoint_that_fails_tells_no_story(faults: list[Fault]) -> None:
    """A request that fails for all retries ends the story: it is no attempt that was validated or not. So does an introduction
    that is refused."""
    with pytest.raises(Failed):
        told(Teller(), faults=faults)


@pytest.mark.parametrize("fault", ["400", "413", "422"])
@pytest.mark.parametrize("place", [1, 2, 3, 4], ids=["paragraph", "entities", "first state", "second state"])
def test_what_is_refused_is_a_failed_attempt(fault: str, place: int) -> None:
    """Of the teller or the reader: the clause is told again."""
    story, _ = told(Teller(), faults=[*[None] * place, fault])
    assert story["attempts"] == [2, 1, 1, 1]
    story, _ = told(Teller(), faults=[*[None] * place, fault, *[None] * (place - 1), fault, *[None] * (place - 1), fault])
    assert story["attempts"] == [0, 1, 1, 1]
    assert story["paragraphs"][0] == plain(0)


def test_a_reader_that_is_always_refused_ends_the_run() -> None:
    """An endpoint that takes no schema of a reply: nothing can be validated, and no story is all plain sentences for that."""
    with pytest.raises(UnusableInput, match="requests for JSON were refused, the last: HTTP 400"):
        told(Teller(), faults=[None, *[None, "400"] * 40], clauses=CLAUSES * 2)


def test_cache(tmp_path: Path) -> None:
    """What is in the cache is not asked again, whichever attempt it was; another story that begins alike has its own."""
    script: dict[tuple[str | None, int], list[str]] = {(None, 0): ["flipped"], (None, 2): ["empty"] * 3}
    story, server = told(Teller(script), cache=tmp_path)
    files = sorted(tmp_path.rglob("*.json"))
    assert len(files) == len(server.requests)
    again = Client(Endpoint(server.base_url, "scripted"), FEW, {"temperature": 0.7}, tmp_path)

    async def repeated(formula: dict[str, Any]) -> dict[str, Any]:
        async with again as client:
            return await tell(client, formula, "detective", lambda number: None)

    assert asyncio.run(repeated(FORMULA)) == story  # the server has gone
    with pytest.raises(Failed):
        asyncio.run(repeated(FORMULA | {"formula": "twosat-0-1-0-bb004-f1"}))
    assert json.loads(files[0].read_bytes())["model"] == "scripted"


def test_models_are_what_the_endpoint_says() -> None:
    """Where another model answers than was asked, the story tells."""

    def answer(request: dict[str, Any]) -> Said:
        request["model"] = "scripted-2026-11"
        return Teller()(request)

    story, _ = told(answer)
    assert story["models"] == ["scripted-2026-11"]
