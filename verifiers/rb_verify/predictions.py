"""What a prediction may be: one JSON object {id, response, ...} (schemas/prediction.schema.json).

Whatever format a response comes in, it becomes such an object (``formats``) and passes the same checks here. What is
wrong with one becomes a Problem, which says so; it never ends the run and never vanishes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from rb_verify.schema import violations
from rb_verify.verdict import Prediction

EXAMPLE = '{"id": "tracebench-1-0-0-d045-g03-q2", "response": "..."}'
KEYS = ("id", "response", "reasoning", "finish_reason", "usage", "sample", "error", "nodes", "parser")
PARSER = re.compile(r"[A-Za-z0-9._/+-]*[A-Za-z]-[0-9]+(\.[0-9]+)*(@[A-Za-z0-9._/@+-]+)?")  # name-version, @model
MAX_PARSER = 120  # characters
MAX_SAMPLE = 9_999
MAX_TOKENS = 10**12


@dataclass(frozen=True)
class Problem:
    """Something wrong in a submission. ``kind``: one of the report's (schemas/report.schema.json).

    ``line``: 1-based, None where the trouble is a line that is not there. ``file``: the name of its file, where a submission
    has several.
    """

    kind: str
    message: str
    line: int | None = None
    id: str | None = None
    file: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The entry of a report's ``problems``."""
        return {"kind": self.kind, "file": self.file, "line": self.line, "id": self.id, "message": self.message}


class Unreadable(Exception):
    """A line or a response that is no prediction. The message goes on from its place: "line 7 ...". ``id``: whose it is."""

    def __init__(self, message: str, id: Any = None) -> None:
        super().__init__(message)
        self.id = id if isinstance(id, str) else None


def decode(line: bytes) -> dict[str, Any]:
    """The JSON object that a line is. Raises Unreadable; a key that is there twice would hide one of its values."""
    if b"\x00" in line:
        raise Unreadable("holds a NUL byte; write the file again as UTF-8 text")
    try:
        value = DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 (byte {error.start + 1}); save the file as UTF-8") from None
    except DuplicateKey as error:
        raise Unreadable(str(error)) from None
    except RecursionError:
        raise Unreadable("is nested too deeply; write one object {id, response}") from None
    except ValueError as error:
        raise Unreadable(f"is not JSON ({error}); write one object a line, such as {EXAMPLE}") from None
    if not isinstance(value, dict):
        kind = "JSON array" if isinstance(value, list) else "JSON value"
        raise Unreadable(f"is a {kind}, not an object; write one object a line, such as {EXAMPLE}")
    return value


def prediction(value: dict[str, Any]) -> Prediction:
    """The prediction that an object is. Raises Unreadable."""
    return _plain(value) or _checked(value)


def _plain(value: dict[str, Any]) -> Prediction | None:
    """The prediction of the usual line, with an id, a response and a sample at most; None if it is not that."""
    id_, response, sample = value.get("id"), value.get("response"), value.get("sample", 0)
    if len(value) != 2 + ("sample" in value) or not id_ or type(id_) is not str or type(response) is not str:
        return None
    if type(sample) is not int or not 0 <= sample <= MAX_SAMPLE or not (is_encodable(id_) and is_encodable(response)):
        return None
    return Prediction(id_, response, sample=sample)


def _checked(value: dict[str, Any]) -> Prediction:
    """The prediction of any object."""
    id_ = value.get("id")
    if not isinstance(id_, str) or not id_:
        raise Unreadable(f"has no string 'id' ({_given(value)}); write {EXAMPLE}")
    error = value.get("error")
    if "response" not in value and error is None:
        raise Unreadable(f"has no 'response' ({_given(value)}); write {EXAMPLE}", id_)
    for key in ("response", "reasoning", "finish_reason"):
        if not isinstance(value.get(key), str | None):
            raise Unreadable(f"has a {key!r} that is neither a string nor null; write the raw text there", id_)
    sample = value.get("sample")
    sample = 0 if sample is None else sample
    if not isinstance(sample, int) or isinstance(sample, bool) or not 0 <= sample <= MAX_SAMPLE:
        raise Unreadable(
            f"has a 'sample' that is not a whole number from 0 to {MAX_SAMPLE}; number the responses to a row from 0", id_
        )
    usage, nodes = value.get("usage"), value.get("nodes")
    tokens = _tokens(usage)
    if tokens == _NO_COUNT or not isinstance(usage, dict | None):
        raise Unreadable("has a 'usage' that is no object of token counts; write the provider's there, or leave it out", id_)
    if nodes is not None and (broken := violations(nodes, "nodes")):
        raise Unreadable(f"has 'nodes' that break their schema ({broken[0]}); correct them, or leave them out", id_)
    parser = None if nodes is None else value.get("parser")  # it is said of nodes
    if parser is not None and not (isinstance(parser, str) and len(parser) <= MAX_PARSER and PARSER.fullmatch(parser)):
        raise Unreadable(
            "has a 'parser' that is no name with a version, such as llm-1@my-model; name what parsed the nodes so", id_
        )
    response, reasoning = value.get("response"), value.get("reasoning")
    for key, text in (("id", id_), ("response", response), ("reasoning", reasoning)):
        if text is not None and not is_encodable(text):
            raise Unreadable(
                f"has a lone surrogate in {key!r}; replace it and write the line again", None if key == "id" else id_
            )
    failed = error is not None and error is not False and response is None
    return Prediction(id_, response, reasoning, value.get("finish_reason"), sample, failed, tokens, nodes, parser)


def _given(value: dict[str, Any]) -> str:
    given = ", ".join(key if key.isprintable() else repr(key) for key in sorted(value)[:8]) or "none"
    return f"keys given: {given[:200]}; expected: {', '.join(KEYS)}"


_NO_COUNT = -1


def _tokens(usage: Any) -> int | None:
    """The tokens generated, in either provider's word; ``_NO_COUNT`` where what is given is none."""
    given = usage if isinstance(usage, dict) else {}
    count = next((given[key] for key in ("completion_tokens", "output_tokens") if given.get(key) is not None), None)
    if count is None or (isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= MAX_TOKENS):
        return count
    return _NO_COUNT


class DuplicateKey(ValueError):
    """An object gives one key twice."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its pairs, for ``json``. Raises DuplicateKey."""
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise DuplicateKey(f"key {repeated[:60]!r} occurs twice in one object; keep one")
    return result


DECODER = json.JSONDecoder(object_pairs_hook=unique)


def is_encodable(text: str) -> bool:
    """Whether text can be written as UTF-8: it has no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
