"""Read a predictions file: JSON Lines of {id, response, ...}, plain or gzip, from a path or standard input.

Lines are split at LF bytes only, so U+2028 and the like inside a string stay there. A bad line becomes a Problem
that says what is wrong with it; it never ends the run and never vanishes.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from rb_verify.errors import UnusableInput
from rb_verify.schema import violations
from rb_verify.verdict import Prediction

EXAMPLE = '{"id": "tracebench-1-0-0-d045-g03-q2", "response": "..."}'
KEYS = ("id", "response", "reasoning", "finish_reason", "usage", "sample", "error", "nodes")
MAX_SAMPLE = 9_999
MAX_TOKENS = 10**12


@dataclass(frozen=True)
class Problem:
    """Something wrong in a submission. ``kind``: bad_line, unknown_id, duplicate, repeated, missing or other_config.

    ``line``: 1-based, None where the trouble is a line that is not there.
    """

    kind: str
    message: str
    line: int | None = None
    id: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The entry of a report's ``problems``."""
        return {"kind": self.kind, "line": self.line, "id": self.id, "message": self.message}


@contextmanager
def open_lines(path: str) -> Iterator[Iterator[tuple[int, bytes]]]:
    """(line number, bytes without the line's end) of each line that is not blank. ``-`` is standard input.

    Gzip is told by its first two bytes. Raises UnusableInput if the file cannot be opened or unpacked.
    """
    with ExitStack() as stack:
        try:
            raw: BinaryIO = sys.stdin.buffer if path == "-" else stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise UnusableInput(
                f"{path}: cannot be read ({error.strerror}); name a predictions file or - for standard input"
            ) from None
        buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
        zipped = buffered.peek(2)[:2] == b"\x1f\x8b"
        yield _numbered(path, gzip.GzipFile(fileobj=buffered) if zipped else buffered)


def _numbered(path: str, lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            line = line.strip(b" \t\r\n")
            if line:
                yield number, line
    except (OSError, EOFError) as error:
        reason = str(error) or type(error).__name__
        raise UnusableInput(f"{path}: reading failed after line {number} ({reason}); make the file whole again") from None


class _DuplicateKeyError(ValueError):
    """An object gives one key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _DuplicateKeyError(f"key {repeated[:60]!r} occurs twice in one object; keep one")
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def parse_line(number: int, line: bytes) -> Prediction | Problem:
    """The prediction on a line, or the problem with it."""

    def bad(message: str, id_: Any = None) -> Problem:
        return Problem("bad_line", message, number, id_ if isinstance(id_, str) else None)

    if b"\x00" in line:
        return bad("holds a NUL byte; write the file again as UTF-8 text")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return bad(f"is not UTF-8 (byte {error.start + 1}); save the file as UTF-8")
    try:
        value = _DECODER.decode(text)
    except _DuplicateKeyError as error:
        return bad(str(error))
    except RecursionError:
        return bad("is nested too deeply; write one object {id, response}")
    except ValueError as error:
        return bad(f"is not JSON ({error}); write one object a line, such as {EXAMPLE}")
    if not isinstance(value, dict):
        kind = "JSON array" if isinstance(value, list) else "JSON value"
        return bad(f"is a {kind}, not an object; write one object a line, such as {EXAMPLE}")
    return _prediction(value, bad)


def _prediction(value: dict[str, Any], bad: Callable[..., Problem]) -> Prediction | Problem:
    id_ = value.get("id")
    if not isinstance(id_, str) or not id_:
        given = ", ".join(sorted(value)[:8]) or "none"
        return bad(f"has no string 'id' (keys given: {given[:200]}; expected: {', '.join(KEYS)}); write {EXAMPLE}")
    error = value.get("error")
    if "response" not in value and error is None:
        given = ", ".join(sorted(value)[:8])
        return bad(f"has no 'response' (keys given: {given[:200]}; expected: {', '.join(KEYS)}); write {EXAMPLE}", id_)
    for key in ("response", "reasoning", "finish_reason"):
        if not isinstance(value.get(key), str | None):
            return bad(f"has a {key!r} that is neither a string nor null; write the raw text there", id_)
    sample = value.get("sample")
    sample = 0 if sample is None else sample
    if not isinstance(sample, int) or isinstance(sample, bool) or not 0 <= sample <= MAX_SAMPLE:
        return bad(
            f"has a 'sample' that is not a whole number from 0 to {MAX_SAMPLE}; number the responses to a row from 0", id_
        )
    usage, nodes = value.get("usage"), value.get("nodes")
    tokens = _tokens(usage)
    if tokens == _NO_COUNT or not isinstance(usage, dict | None):
        return bad("has a 'usage' that is no object of token counts; write the provider's there, or leave it out", id_)
    if nodes is not None and (broken := violations(nodes, "nodes")):
        return bad(f"has 'nodes' that break their schema ({broken[0]}); correct them, or leave them out", id_)
    response, reasoning = value.get("response"), value.get("reasoning")
    for key, text in (("id", id_), ("response", response), ("reasoning", reasoning)):
        if text is not None and not _encodable(text):
            return bad(f"has a lone surrogate in {key!r}; replace it and write the line again", None if key == "id" else id_)
    failed = error is not None and error is not False and response is None
    return Prediction(id_, response, reasoning, value.get("finish_reason"), sample, failed, tokens, nodes)


_NO_COUNT = -1


def _tokens(usage: Any) -> int | None:
    """The tokens generated, in either provider's word; ``_NO_COUNT`` where what is given is none."""
    given = usage if isinstance(usage, dict) else {}
    count = next((given[key] for key in ("completion_tokens", "output_tokens") if given.get(key) is not None), None)
    if count is None or (isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MAX_TOKENS):
        return count
    return _NO_COUNT


def read_submission(path: Path) -> dict[str, Any]:
    """What a submission says of its model: a JSON file (schemas/submission.schema.json). Raises UnusableInput."""
    try:
        said = _DECODER.decode(path.read_bytes().decode())
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}); name a JSON file about the model") from None
    except (ValueError, RecursionError) as error:
        raise UnusableInput(f'{path}: is not JSON ({error}); write an object such as {{"model": "NAME"}}') from None
    if broken := violations(said, "submission"):
        raise UnusableInput(f"{path}: {broken[0]}; correct it there")
    return dict(said)


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
