"""Where a model is asked, and how hard: plain data, which commands can have without the client (``llm``) and its imports."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked. ``base_url``: up to ``/v1``; ``key``: the secret, None if the endpoint wants none."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        """What may be published of it: the API, and whether OpenAI's, local or another's, without the address."""
        host = urlsplit(self.base_url).hostname or ""
        whose = "openai" if host == "api.openai.com" else "local" if _is_local(host) else "remote"
        return f"chat completions, {whose}"


@dataclass(frozen=True)
class Limits:
    """``concurrency``: requests under way at once. ``per_minute``: requests a minute, retries too; None for no limit.
    ``retries``: after a first failure. ``timeout``: seconds that a reply may stay away."""

    concurrency: int = 8
    per_minute: int | None = None
    retries: int = 6
    timeout: float = 600.0


DEFAULTS = Limits()


def _is_local(host: str) -> bool:
    """Whether a host is this one, or has an address that is not of the public network."""
    import ipaddress

    try:
        return host == "localhost" or ipaddress.ip_address(host).is_private
    except ValueError:
        return False
