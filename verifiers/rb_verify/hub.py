"""The Hugging Face Hub: what releases are called there, how one is downloaded, and what goes wrong, in one sentence.

A release is downloaded whole, at its tag. Never by load_dataset, which can answer with another revision from its cache.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rb_verify.errors import ReleaseMismatch, UnusableInput

KIND = "dataset"  # of every repository here
LOG_IN = "log in with `hf auth login`, or set HF_TOKEN, with a token that may do this"
ITS_OWN = frozenset([".gitattributes"])  # files of a repository that the Hub made

_HTTP_LIBRARIES = ("httpx2", "httpx", "httpcore2", "httpcore", "requests", "hf_xet")  # what huggingface_hub has been built on


def repository(org: str, dataset: str, version: str) -> str:
    """A release's repository on the Hub; a fresh split's is its own, so that it never stands in for the public release."""
    mark = version.split("-")[1:2]
    return f"{org}/{'-'.join([dataset, *mark])}"


def tag(version: str) -> str:
    """A release's tag on the Hub."""
    return f"v{version}"


def download(repo: str, revision: str | None, cache: str | None = None) -> Path:
    """The folder of a revision, downloaded whole; its name is the commit. ``revision``: None for the newest.

    ``cache``: an empty folder to download into anew; None for the user's own cache. Raises UnusableInput where that fails.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UnusableInput(f"{repo}: reading the Hub needs an extra; pip install 'rb-verify[hub]'") from None
    with asking(f"{repo}@{revision or 'main'}"):
        return Path(snapshot_download(repo, repo_type=KIND, revision=revision, cache_dir=cache))


@contextmanager
def asking(repo: str) -> Iterator[None]:
    """Say in one sentence what goes wrong with the Hub inside, and let its client tell of no retry. Raises UnusableInput."""
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        yield
    except Exception as error:  # of any kind: a dropped connection raises what the client's own HTTP library has
        said = None if isinstance(error, UnusableInput | ReleaseMismatch) else _said(error)
        if said is None:
            raise
        raise UnusableInput(f"{repo}: {said}") from None


def _said(error: Exception) -> str | None:
    """What the Hub, or the way to it, failed with, and the cure; None if the error has to do with neither."""
    chain: list[BaseException] = [error]
    while cause := chain[-1].__cause__ or chain[-1].__context__:
        chain.append(cause)
    names = [type(each).__name__ for each in chain]
    responses = [getattr(each, "response", None) for each in chain]
    status = next((response.status_code for response in responses if response is not None), None)
    if status is not None:
        words = next((str(words) for each in chain if (words := getattr(each, "server_message", None))), "")
        missing = next((name for name in names if name.endswith("NotFoundError") and not name.startswith("Local")), None)
        told = ": ".join(filter(None, [missing, _scrubbed(words)]))
        answer = f"the Hub answers {status}" + (f" ({told})" if told else "")
        if missing:
            return f"{answer}; check the names, and for what is private {LOG_IN}"
        if status in (401, 403):
            return f"{answer}; {LOG_IN}"
        if status == 412:
            return "main has moved since it was read, and nothing was written; run it again"
        if status in (409, 429) or status >= 500:
            return f"{answer}; run it again: what is done already is kept"
        return f"{answer}; mend what it names"
    if "LocalProtocolError" in names or isinstance(error, UnicodeError):
        return f"the token has characters that no token has; {LOG_IN}"
    if isinstance(error, ValueError):
        return f"the Hub's client refuses it ({_scrubbed(str(error))}); mend what it names"
    modules = {type(each).__module__.partition(".")[0] for each in chain}
    if isinstance(error, OSError | RuntimeError) or modules & set(_HTTP_LIBRARIES):
        return f"the Hub cannot be read or written ({names[-1]}); check the network, and run it again"
    return None


def _scrubbed(text: str) -> str:
    """The first line of what the Hub or its client says, without the token."""
    from huggingface_hub import get_token

    if token := get_token():
        text = text.replace(token, "TOKEN").replace(ascii(token)[1:-1], "TOKEN")
    return "".join(re.sub(r"hf_\w+|Bearer \S+", "TOKEN", text).strip().splitlines()[:1])[:200]
