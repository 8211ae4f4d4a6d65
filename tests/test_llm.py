"""The client of a model, against a server on loopback that answers well, badly, late or not at all."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from llm_server import Said, Server, llm_server
from rb_verify import llm
from rb_verify.endpoint import Endpoint, Limits
from rb_verify.errors import UnusableInput
from rb_verify.llm import BadReply, Client, Failed, Refused, Reply, concurrently

KEY = "sk-never-to-be-seen-0123456789"
PASSING = ["408", "409", "429", "500", "503", "close", "cut", "broken", "empty", "page"]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
    "required": ["name", "count"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for half a second before it tries again waits for no time."""
    openai = pytest.importorskip("openai")
    monkeypatch.setattr(openai._base_client, "INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr(llm, "_FIRST_PAUSE", 0.01)


def question(text: str) -> list[dict[str, str]]:
    """A conversation of one message."""
    return [{"role": "user", "content": text}]


def echo(request: dict[str, Any]) -> str:
    """A model that repeats what it is asked."""
    return f"You said {request['messages'][-1]['content']}"


def using(server: Server, act: Callable[[Client], Awaitable[Any]], **changed: Any) -> Any:
    """What comes of an act with a client of a server. ``changed``: arguments of Client, or of Endpoint."""
    place = {"base_url": server.base_url, "model": "m", "key": KEY}
    endpoint = Endpoint(**{name: changed.pop(name, value) for name, value in place.items()})
    options = {"limits": Limits(retries=2, timeout=20)} | changed

    async def main() -> Any:
        async with Client(endpoint, **options) as client:
            return await act(client)

    return asyncio.run(main())


def ask(server: Server, text: str = "hello", turn: int = 0, more: dict[str, Any] | None = None, **changed: Any) -> Reply:
    """The reply to one question."""
    reply: Reply = using(server, lambda client: client.ask(question(text), turn=turn, **(more or {})), **changed)
    return reply


def is_one_clause(message: str) -> bool:
    """Whether a message is of one line, says something, and does not tell the key."""
    return bool(message) and "\n" not in message and KEY not in message and len(message) < 400


def test_a_reply_is_all_that_the_model_said() -> None:
    """Text, thinking apart, reason, usage and model; what was asked is the conversation and the settings, with the key."""
    with llm_server(lambda request: Said("Yes, it is.", "Hm, let me see", "max_tokens")) as server:
        reply = ask(server, "Is it so?", settings={"temperature": 0.5, "top_p": 0.9}, more={"seed": 7})
    usage = {"prompt_tokens": 3, "completion_tokens": 7, "total_tokens": 10}
    assert reply == Reply("Yes, it is.", "Hm, let me see", "length", usage, "m")
    assert server.requests == [
        {"model": "m", "messages": question("Is it so?"), "temperature": 0.5, "top_p": 0.9, "seed": 7},
    ]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_what_the_model_did_not_say_is_none() -> None:
    """A reply without text, and a lone surrogate, which no file can hold."""
    with llm_server(lambda request: "" if request["messages"][0]["content"] == "hush" else "a\ud800b") as server:
        assert ask(server, "hush")[:3] == (None, None, "stop")
        assert ask(server, "speak").text == "a?b"


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again(fault: str) -> None:
    """After two failures of a kind the third request is answered."""
    with llm_server(echo, [fault, fault]) as server:
        assert ask(server).text == "You said hello"
    assert len(server.requests) == 3
    assert server.requests[0] == server.requests[2]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("429", "HTTP 429"),
        ("500", "HTTP 500"),
        ("close", "the connection fails"),
        ("cut", "the connection fails"),
        ("broken", "no chat completion"),
        ("empty", "no chat completion"),
        ("page", "no chat completion"),
        ("slow", "no reply within 0.1 s"),
    ],
)
def test_retries_are_counted(fault: str, said: str) -> None:
    """A failure that lasts is one after as many retries as are allowed, and says in one clause what it was."""
    with llm_server(echo, [fault] * 9, slow=20) as server:
        limits = Limits(retries=2, timeout=0.1 if fault == "slow" else 20)
        with pytest.raises(Failed, match=said) as failed:
            ask(server, limits=limits)
        assert len(server.requests) == 3
    assert is_one_clause(str(failed.value))


def test_an_account_without_means_is_no_fault_of_the_request() -> None:
    """Nothing may be made of it that the request would be to blame for."""
    with llm_server(echo, ["402"]) as server, pytest.raises(Failed, match="HTTP 402") as failed:
        ask(server)
    assert type(failed.value) is Failed


@pytest.mark.parametrize("fault", ["400", "413", "422"])
def test_what_is_refused_for_what_it_asks_is_not_asked_again(fault: str) -> None:
    """The request's own fault is a failure of that request at once."""
    with llm_server(echo, [fault]) as server, pytest.raises(Refused, match=f"HTTP {fault}") as failed:
        ask(server)
    assert len(server.requests) == 1
    assert is_one_clause(str(failed.value))
    assert "[key]" in str(failed.value), "the server quoted it"


@pytest.mark.parametrize(
    ("fault", "cure"),
    [("401", r"set \$OPENAI_API_KEY, or name --key-file"), ("403", "--key-file"), ("404", "correct --model or --base-url")],
)
def test_a_key_or_model_that_is_not_taken_ends_the_run(fault: str, cure: str) -> None:
    """No request will be answered: one sentence with the cure, after one request."""
    with llm_server(echo, [fault]) as server, pytest.raises(UnusableInput, match=cure) as refused:
        ask(server)
    assert len(server.requests) == 1
    assert is_one_clause(str(refused.value))


def test_a_wrong_address_ends_the_run() -> None:
    """A base URL without /v1 is told of as such."""
    with llm_server(echo) as server, pytest.raises(UnusableInput, match="usually ends in /v1"):
        ask(server, base_url=server.base_url.removesuffix("/v1"))


@pytest.mark.parametrize(
    ("header", "seconds"), [({"retry-after": "1"}, 1.0), ({"retry-after-ms": "400"}, 0.4), ({"retry-after": "0.3"}, 0.3)]
)
def test_the_endpoint_says_how_long_to_wait(header: dict[str, str], seconds: float) -> None:
    """``Retry-After`` is kept to, in seconds and in milliseconds."""
    with llm_server(echo, [("429", header)]) as server:
        ask(server)
    assert seconds - 0.05 <= server.arrived[1] - server.arrived[0] < seconds + 5


def test_a_late_reply_is_asked_for_again() -> None:
    """A reply that does not come in time is given up, and the next one is taken."""
    with llm_server(echo, ["slow"], slow=60) as server:
        assert ask(server, limits=Limits(retries=1, timeout=2)).text == "You said hello"
    assert len(server.requests) == 2


def test_no_more_requests_are_under_way_than_allowed() -> None:
    """With all replies held, as many requests arrive as are allowed at once, and no more; all are answered in the end."""

    async def act(client: Client) -> list[str | None]:
        tasks = [asyncio.create_task(client.ask(question(str(number)))) for number in range(10)]
        while len(server.requests) < 3:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.15)
        assert len(server.requests) == 3
        server.go_on()
        return [reply.text for reply in await asyncio.gather(*tasks)]

    with llm_server(echo) as server:
        server.reached(1)
        said = using(server, act, limits=Limits(concurrency=3, retries=0))
    assert said == [f"You said {number}" for number in range(10)]
    assert server.most == 3


def test_requests_are_paced() -> None:
    """240 a minute: a quarter of a second between any two, retries too."""

    async def act(client: Client) -> None:
        await asyncio.gather(*(client.ask(question(str(number))) for number in range(3)))

    with llm_server(echo, ["429"]) as server:
        using(server, act, limits=Limits(per_minute=240, retries=1))
    assert len(server.arrived) == 4
    assert 0.6 < server.arrived[-1] - server.arrived[0] < 5


def test_the_cache_is_keyed_by_all_that_was_asked(tmp_path: Path) -> None:
    """The same question is asked once; another turn, setting, model, text or address again."""
    with llm_server(lambda request: str(len(server.requests))) as server, llm_server(echo) as other:

        def again(text: str = "hello", turn: int = 0, **changed: Any) -> str | None:
            return ask(changed.pop("server", server), text, turn, cache=tmp_path, **changed).text

        assert [again(), again()] == ["1", "1"]
        assert again(turn=1) == "2"
        assert again(settings={"temperature": 0.0}) == "3"
        assert again(model="another") == "4"
        assert again("Hello") == "5"
        assert again(more={"seed": 1}) == "6"
        assert again(server=other) == "You said hello"
        assert [again(), again(turn=1), again(key="sk-another"), again(settings={"temperature": 0.0})] == ["1", "2", "1", "3"]
        assert (len(server.requests), len(other.requests)) == (6, 1)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 7
    assert not any(KEY in path.read_text() for path in files)


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"text": "hello"}'], ids=["empty", "cut", "list", "null", "parts"])
def test_a_damaged_reply_in_the_cache_is_asked_for_again(damage: str, tmp_path: Path) -> None:
    """And is whole afterwards."""
    with llm_server(lambda request: str(len(server.requests))) as server:
        ask(server, cache=tmp_path)
        [file] = (path for path in tmp_path.rglob("*") if path.is_file())
        file.write_text(damage)
        assert [ask(server, cache=tmp_path).text, ask(server, cache=tmp_path).text] == ["2", "2"]


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    """What failed is asked again, cache or not."""
    with llm_server(echo, ["400"]) as server:
        with pytest.raises(Failed):
            ask(server, cache=tmp_path)
        assert ask(server, cache=tmp_path).text == "You said hello"


def test_an_endpoint_that_answers_nothing_ends_the_run() -> None:
    """After eight failures in a row, not after each of thirty rows has failed."""

    async def act(client: Client) -> int:
        failed = 0
        for number in range(30):
            try:
                await client.ask(question(str(number)))
            except Failed:
                failed += 1
        return failed

    limits = Limits(concurrency=2, retries=0)
    with llm_server(echo, ["500"] * 30) as server:
        with pytest.raises(UnusableInput, match="8 requests in a row failed, the last: HTTP 500") as over:
            using(server, act, limits=limits)
        assert len(server.requests) == 8
    assert is_one_clause(str(over.value))
    with llm_server(echo, [*["500"] * 7, None] * 3) as server:
        assert using(server, act, limits=limits) == 21, "an answer between starts the count again"
    with llm_server(echo, [*["500"] * 7, "400"] * 3) as server:
        assert using(server, act, limits=limits) == 24, "so does a request that was refused for what it asks"


def test_the_key_follows_no_redirection() -> None:
    """A reply that points to another server is followed without the key."""
    with llm_server(echo) as other, llm_server(echo, [("307", {"location": f"{other.base_url}/chat/completions"})]) as server:
        assert ask(server).text == "You said hello"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert len(other.headers) == 1
    assert KEY not in json.dumps(other.headers)


def test_an_endpoint_that_is_not_there() -> None:
    """Nobody listens: that is a failed connection."""
    with llm_server(echo) as server:
        pass
    with pytest.raises(Failed, match="the connection fails"):
        ask(server, limits=Limits(retries=1))


@pytest.mark.parametrize(
    "said",
    [
        '{"name": "a", "count": 2}',
        '  {"name": "a",\n "count": 2}\n',
        '```json\n{"name": "a", "count": 2}\n```',
        '```\n{"name": "a", "count": 2}```',
        '<think>{"name": "b"}</think>\n{"name": "a", "count": 2}',
    ],
    ids=["plain", "spaced", "fenced", "fenced tightly", "after thinking"],
)
def test_a_reply_of_a_schema(said: str) -> None:
    """The value is what the reply holds, in whatever wrapping models use; the endpoint is told the schema."""
    with llm_server(lambda request: said) as server:
        found = using(server, lambda client: client.ask_json(question("Count."), SCHEMA))
    assert found == {"name": "a", "count": 2}
    form = server.requests[0]["response_format"]
    assert (form["type"], form["json_schema"]["schema"]) == ("json_schema", SCHEMA)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Two.", "not JSON"),
        ("", "not JSON"),
        ('{"name": "a", "count": 2', "not JSON"),
        ('{"name": "a", "name": "b", "count": 2}', "'name' occurs twice"),
        ('{"name": "a", "count": 0}', r"\$\.count"),
        ('{"name": "a"}', "'count' is a required"),
        ('{"name": "a", "count": 2, "more": 1}', "'more' was unexpected"),
        ("[" * 100_000, "not JSON"),
        (Said('{"name": "a", "count": 2}', stop="length"), "cut off"),
    ],
    ids=["words", "nothing", "open", "twice", "too few", "missing", "too many", "deep", "cut"],
)
def test_a_reply_that_is_not_of_the_schema(said: Said | str, why: str) -> None:
    """What is wrong is told in one clause; it is for who asks to ask again."""
    with llm_server(lambda request: said) as server, pytest.raises(BadReply, match=why) as bad:
        using(server, lambda client: client.ask_json(question("Count."), SCHEMA))
    assert len(server.requests) == 1
    assert is_one_clause(str(bad.value))


def test_results_come_as_they_are_ready() -> None:
    """At most so many are under way; items are taken as needed; none is lost."""

    async def main() -> tuple[list[int], int]:
        gates = {number: asyncio.Event() for number in range(6)}
        taken = 0

        def items() -> Any:
            nonlocal taken
            for number in gates:
                taken += 1
                yield number

        async def wait(number: int) -> int:
            await gates[number].wait()
            return number

        results = concurrently(items(), wait, 2)
        gates[1].set()
        found = [await anext(results)]
        at_first = taken
        for number in (2, 0, 3, 4, 5):
            gates[number].set()
            found.append(await anext(results))
        assert [each async for each in results] == []
        return found, at_first

    assert asyncio.run(main()) == ([1, 2, 0, 3, 4, 5], 2)


def test_what_one_raises_ends_all() -> None:
    """The others are cancelled, none is left behind."""
    cancelled = []

    async def act(number: int) -> int:
        if number == 1:
            raise UnusableInput("over")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    async def main() -> list[int]:
        return [each async for each in concurrently(range(9), act, 3)]

    with pytest.raises(UnusableInput, match="over"):
        asyncio.run(main())
    assert sorted(cancelled) == [0, 2]


def test_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library, one sentence names the extra."""
    with llm_server(echo) as server:
        monkeypatch.setitem(sys.modules, "openai", None)
        with pytest.raises(UnusableInput, match=r"pip install 'rb-verify\[llm\]'"):
            ask(server)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("http://0.0.0.0:1/v1", "local"),
        ("http://10.0.0.7/v1", "local"),
        ("https://localhost.example.org/v1", "remote"),
        ("https://10.example.org/v1", "remote"),
        ("https://8.8.8.8/v1", "remote"),
    ],
)
def test_the_kind_of_an_endpoint(address: str, kind: str) -> None:
    """A name that begins as a local one, or as an address, is neither."""
    endpoint = Endpoint(address, "m", KEY)
    assert endpoint.kind == f"chat completions, {kind}"
    assert KEY not in repr(endpoint)
