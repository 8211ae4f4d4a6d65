"""The options that every command which asks a model has, and what they mean together."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from rb_verify import canonical
from rb_verify.endpoint import Endpoint, Limits
from rb_verify.errors import UnusableInput
from rb_verify.files import read

if TYPE_CHECKING:
    from rb_verify.llm import Client

OPENAI = "https://api.openai.com/v1"
_LONGEST_KEY = 2**16  # bytes
_OWN = ("messages", "model", "n", "response_format", "stream")  # members of a request that are not the user's to set

BaseUrl = Annotated[
    str | None,
    typer.Option(help=f"The endpoint, up to /v1. Default: $OPENAI_BASE_URL, else {OPENAI}.", show_default=False),
]
Model = Annotated[str | None, typer.Option(help="The model to ask. Default: $RB_MODEL.")]
KeyFile = Annotated[Path | None, typer.Option(help="A file that holds the key alone. Default: $OPENAI_API_KEY, else none.")]
Temperature = Annotated[float | None, typer.Option(min=0, help="Default: the endpoint's own.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Tokens of a reply. Default: the endpoint's own.")]
Extra = Annotated[
    str | None,
    typer.Option(help='Further members of each request, as a JSON object: \'{"reasoning_effort": "high"}\'.'),
]
Concurrency = Annotated[int, typer.Option(min=1, help="Requests under way at once.")]
PerMinute = Annotated[int | None, typer.Option(min=1, help="Requests a minute, retries too. Default: no limit.")]
Retries = Annotated[int, typer.Option(min=0, help="How often a request is tried again.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds that a reply may stay away.")]
CacheFolder = Annotated[Path | None, typer.Option("--cache", help="A folder of replies; what is there is not asked again.")]


def client(
    base_url: str | None,
    model: str | None,
    key_file: Path | None,
    temperature: float | None,
    max_tokens: int | None,
    extra: str | None,
    concurrency: int,
    per_minute: int | None,
    retries: int,
    timeout: float,
    cache: Path | None,
) -> Client:
    """The client that all of these options ask for. Raises UnusableInput."""
    from rb_verify.llm import Client

    limits = Limits(concurrency, per_minute, retries, timeout)
    return Client(endpoint(base_url, model, key_file), limits, settings(temperature, max_tokens, extra), cache)


def endpoint(base_url: str | None, model: str | None, key_file: Path | None) -> Endpoint:
    """The endpoint that options and environment name. Raises UnusableInput."""
    address = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI
    named = model or os.environ.get("RB_MODEL")
    if not named:
        raise UnusableInput("no model is named; name one with --model or $RB_MODEL")
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        sound = False
    if not sound:
        raise UnusableInput(f"{address}: is no address of an endpoint; write --base-url like {OPENAI}")
    if parts.username or parts.password:
        raise UnusableInput(
            "the address of the endpoint holds a user or password; give the key by --key-file or $OPENAI_API_KEY"
        )
    key = (os.environ.get("OPENAI_API_KEY") or "").strip() if key_file is None else _key(key_file)
    if not all("!" <= character <= "~" for character in key):
        raise UnusableInput(
            "the key holds a blank or a character that no key has; set $OPENAI_API_KEY anew, or name --key-file"
        )
    if not key and parts.hostname == "api.openai.com":
        raise UnusableInput(f"{OPENAI}: wants a key; set $OPENAI_API_KEY, or name --key-file")
    return Endpoint(address, named, key or None)


def _key(path: Path) -> str:
    try:
        key = read(path, _LONGEST_KEY).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no UTF-8"
        raise UnusableInput(f"{path}: cannot be read as a key ({reason}); name a file that holds the key alone") from None
    if not key or len(key.split()) > 1:
        raise UnusableInput(f"{path}: is no key on one line; name a file that holds the key alone")
    return key


def settings(temperature: float | None, max_tokens: int | None, extra: str | None) -> dict[str, Any]:
    """The further members of each request's body. Raises UnusableInput."""
    try:
        more = {} if extra is None else json.loads(extra)
        canonical.dumps(more)
    except (ValueError, RecursionError) as error:
        raise UnusableInput(f'--extra is not sound JSON ({error}); write an object, such as {{"top_p": 0.9}}') from None
    if not isinstance(more, dict):
        raise UnusableInput('--extra is no JSON object; write one, such as {"top_p": 0.9}')
    if own := [name for name in _OWN if name in more]:
        raise UnusableInput(f"--extra sets {own[0]}, which is not to be set; leave it out")
    given = {"temperature": temperature, "max_tokens": max_tokens}
    return {name: value for name, value in given.items() if value is not None} | more
