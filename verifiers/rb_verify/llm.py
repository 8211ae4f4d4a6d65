"""A client of any endpoint that speaks OpenAI's chat completions: for stories, the LLM parser, rb-run; never for scoring.

The library ``openai`` (extra [llm]) retries what may pass: HTTP 408, 409, 429 and 5xx, time-outs, lost connections, and waits
as the endpoint asks, up to a minute or two. Beyond that, a reply that is no completion is asked for again here, requests are
paced, at most so many are under way, and replies are kept in a cache by what was asked. The key goes to the endpoint and
nowhere else.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from rb_verify import canonical
from rb_verify.endpoint import DEFAULTS, Endpoint, Limits
from rb_verify.errors import UnusableInput
from rb_verify.files import written
from rb_verify.formats import completion
from rb_verify.predictions import DECODER, Unreadable
from rb_verify.thinking import split
from rb_verify.unparsed import TRUNCATED

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")
R = TypeVar("R")

_NO_KEY, _NO_MODEL = (401, 403), 404  # HTTP: no request will be answered
_NOT_THIS = (400, 413, 422)  # HTTP: the request is refused for what it asks
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds before a broken reply is asked for again; doubled each time
_QUOTED = 200  # characters of what an endpoint says of an error


class Failed(Exception):
    """A request that was not answered, for all retries, or is refused for what it asks. Says why, without the key."""


class Refused(Failed):
    """A request that the endpoint refuses for what it asks, such as a text that is too long, and would again."""


class BadReply(Failed):
    """A reply that is not what was asked for."""


class Reply(NamedTuple):
    """What a model said. ``reasoning``: thinking that came apart; ``usage``: token counts; ``model``: who says it answered."""

    text: str | None
    reasoning: str | None
    finish_reason: str | None
    usage: dict[str, Any] | None
    model: str | None


class Client:
    """Asks one endpoint; to be entered with ``async with``. ``refusals``: what was said of requests that were refused for what
    they ask: how many, and the last.

    ``settings``: further members of every request's body, such as temperature. ``cache``: a folder of replies, None for none.
    Raises UnusableInput where the extra [llm] is not installed.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits = DEFAULTS,
        settings: dict[str, Any] | None = None,
        cache: Path | None = None,
    ) -> None:
        _library()
        self.endpoint, self.limits, self.settings, self.cache = endpoint, limits, settings or {}, cache
        self._gate = asyncio.Semaphore(limits.concurrency)
        self._next = 0.0  # when the next request may start, in the loop's time
        self._failures = 0  # in a row
        self._formed = 0  # replies to requests that want JSON of a schema
        self._unformed = 0  # such requests that were refused
        self.refusals = (0, "")
        self._stack = AsyncExitStack()
        self._openai: AsyncOpenAI

    async def __aenter__(self) -> Client:
        """Open connections."""
        openai = _library()
        http = openai.DefaultAsyncHttpxClient(event_hooks={"request": [self._pace]})
        self._openai = await self._stack.enter_async_context(
            openai.AsyncOpenAI(
                base_url=self.endpoint.base_url,
                api_key=self.endpoint.key or "none",
                max_retries=self.limits.retries,
                timeout=self.limits.timeout,
                http_client=http,
            )
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close them."""
        await self._stack.aclose()

    async def ask(self, messages: list[dict[str, str]], *, turn: int | str = 0, **more: Any) -> Reply:
        """The reply to a conversation.

        ``turn``: which asking of the same question this is; each has a reply of its own in the cache. ``more``: further
        members of the request's body. Raises Failed, and UnusableInput where no further request can be answered.
        """
        body = {"model": self.endpoint.model, "messages": messages} | self.settings | more
        place = None if self.cache is None else _place(self.cache, [self.endpoint.base_url, body, turn])
        if place is not None and (kept := _kept(place)):
            return kept
        async with self._gate:
            reply = await self._answer(body)
        if place is not None:
            with written(place, "name another folder with --cache") as stream:
                json.dump(reply._asdict(), stream, ensure_ascii=False)
        return reply

    async def ask_json(self, messages: list[dict[str, str]], schema: dict[str, Any], *, turn: int = 0) -> Any:
        """The reply as a JSON value of a schema, which the endpoint is told, if it can hold a model to one.

        Raises BadReply where it is none; it is not asked for again. Otherwise as ``ask``, but UnusableInput also where all such
        requests were refused so far, and they were many: then no single one is to blame.
        """
        from jsonschema import Draft202012Validator

        form = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
        try:
            reply = await self.ask(messages, turn=turn, response_format=form)
        except Refused as refused:
            self._unformed += 1
            if self._formed or self._unformed < self._patience:
                raise
            cure = "name an endpoint that takes a response_format with a JSON schema"
            raise UnusableInput(
                f"all of {self._unformed} requests for JSON were refused, the last: {refused}; {cure}"
            ) from None
        self._formed += 1
        if reply.finish_reason in TRUNCATED:
            raise BadReply("the reply was cut off")
        text = _FENCE.sub(r"\1", split(reply.text or "", "").visible.strip())
        try:
            value = DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            raise BadReply(f"the reply is not JSON ({error})") from None
        for broken in Draft202012Validator(schema).iter_errors(value):
            raise BadReply(f"the reply is not as asked for ({broken.json_path}: {broken.message[:_QUOTED]})")
        return value

    async def _answer(self, body: dict[str, Any]) -> Reply:
        """Ask until there is a completion, or the retries are used up."""
        why = ""
        for attempt in range(self.limits.retries + 1):
            if attempt:
                await asyncio.sleep(min(_FIRST_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE))
            try:
                answer = json.loads(await self._sent(body))
                said = completion(answer)
            except (Unreadable, ValueError, RecursionError) as error:
                why = str(error)[:_QUOTED]
                continue
            self._failures = 0
            text, thought, reason = (_sound(said[name]) for name in ("response", "reasoning", "finish_reason"))
            usage = said["usage"] if isinstance(said["usage"], dict) else None
            return Reply(text, thought, reason, usage, _sound(answer.get("model")))
        raise self._failed(f"its reply is no chat completion ({why})")

    async def _sent(self, body: dict[str, Any]) -> str:
        """The text of the reply to a request, which the library tries as often as it may."""
        openai = _library()
        rest = {name: value for name, value in body.items() if name not in ("model", "messages")}
        create = self._openai.chat.completions.with_raw_response.create
        try:
            raw = await create(model=body["model"], messages=body["messages"], extra_body=rest)
        except openai.APIStatusError as error:
            raise self._status(error.status_code, error.message) from None
        except openai.APIConnectionError as error:
            late = isinstance(error, openai.APITimeoutError)
            raise self._failed(f"no reply within {self.limits.timeout:g} s" if late else "the connection fails") from None
        except openai.OpenAIError as error:
            raise self._failed(self._quoted(str(error))) from None
        return str(raw.http_response.text)

    def _status(self, code: int, said: str) -> Exception:
        """What an HTTP error means. What is said of a refused key may quote it, so it is not repeated."""
        where = _address(self.endpoint.base_url)
        if code in _NO_KEY:
            return UnusableInput(f"{where}: refuses the key (HTTP {code}); set $OPENAI_API_KEY, or name --key-file")
        if code == _NO_MODEL:
            cure = "correct --model or --base-url (which usually ends in /v1)"
            return UnusableInput(f"{where}: has no model {self.endpoint.model!r}, or no such address (HTTP {code}); {cure}")
        said = f"HTTP {code}: {self._quoted(said.removeprefix(f'Error code: {code} - '))}"
        if code in _NOT_THIS:
            self._failures = 0
            self.refusals = (self.refusals[0] + 1, said)
            return Refused(said)
        return self._failed(said)

    @property
    def _patience(self) -> int:
        """How many requests in a row may go wrong before it is the endpoint's fault."""
        return 2 * max(4, self.limits.concurrency)

    def _failed(self, why: str) -> Exception:
        """A failure that may be the endpoint's own; after so many in a row, the run is over."""
        self._failures += 1
        if self._failures < self._patience:
            return Failed(why)
        where = _address(self.endpoint.base_url)
        return UnusableInput(f"{where}: {self._failures} requests in a row failed, the last: {why}; run again to go on")

    def _quoted(self, said: str) -> str:
        """A stranger's words, on one line, shortened, and without the key."""
        said = " ".join(said.split())
        return (said.replace(self.endpoint.key, "[key]") if self.endpoint.key else said)[:_QUOTED]

    async def _pace(self, request: object) -> None:
        """Wait until a request may start."""
        if self.limits.per_minute is None:
            return
        now = asyncio.get_running_loop().time()
        start = max(self._next, now)
        self._next = start + 60 / self.limits.per_minute
        await asyncio.sleep(start - now)


async def concurrently(items: Iterable[T], function: Callable[[T], Awaitable[R]], width: int) -> AsyncGenerator[R, None]:
    """The results of ``function`` for each item, as they come; at most ``width`` are under way, and items are taken as needed.

    What one raises ends all; results that are there already come first.
    """
    waiting, under_way = iter(items), set[asyncio.Task[R]]()
    try:
        while True:
            for item in waiting:
                under_way.add(asyncio.ensure_future(function(item)))
                if len(under_way) == width:
                    break
            if not under_way:
                return
            done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda task: task.exception() is not None):
                yield task.result()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def _address(base_url: str) -> str:
    """An address without what may be secret in it: user, password and query."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)


def _library() -> Any:
    try:
        import openai
    except ImportError:
        raise UnusableInput("asking a model needs the library openai; pip install 'rb-verify[llm]'") from None
    return openai


def _sound(text: Any) -> str | None:
    """Text without lone surrogates, which no file of UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else None


def _place(cache: Path, asked: Any) -> Path:
    key = canonical.digest(canonical.dumps(asked).encode("utf-8", "surrogatepass"))
    folder = cache / key[:2]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableInput(f"{folder}: cannot be made ({error.strerror}); name another folder with --cache") from None
    return folder / f"{key}.json"


def _kept(place: Path) -> Reply | None:
    """A reply of the cache, None if it is not there or damaged."""
    try:
        kept = json.loads(place.read_bytes())
        reply = Reply(*(kept[name] for name in Reply._fields))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = (reply.text, reply.reasoning, reply.finish_reason, reply.model)
    sound = all(isinstance(text, str | None) for text in texts) and isinstance(reply.usage, dict | None)
    return reply if sound else None
