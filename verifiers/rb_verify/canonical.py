"""Canonical JSON and its digests: the bytes that a release is made of.

Sorted keys, no spaces, UTF-8, one LF after each line. Numbers must have one spelling: floats are rounded by whoever
builds them, NaN is refused, and integers stay within 2^53.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

MAX_INTEGER = 2**53


def dumps(value: Any) -> str:
    """A value as one line of canonical JSON, without the line's end. Raises ValueError for NaN and large integers."""
    _check(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def lines(rows: Iterable[Any]) -> bytes:
    """Values as canonical JSON Lines."""
    return "".join(dumps(row) + "\n" for row in rows).encode()


def pretty(value: Any) -> bytes:
    """A value as indented canonical JSON for people to read: manifests and recipes."""
    _check(value)
    return (json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def content_digest(files: Mapping[str, str]) -> str:
    """One digest over many files: SHA-256 of their sorted ``sha256  path`` lines. ``files``: path to sha256."""
    return digest("".join(f"{files[path]}  {path}\n" for path in sorted(files)).encode())


def manifest_digest(manifest: Mapping[str, Any]) -> str:
    """The digest that a manifest holds of itself: over its canonical JSON without that one entry."""
    return digest(dumps({key: value for key, value in manifest.items() if key != "manifest_sha256"}).encode())


def _check(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _check(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check(item)
    elif isinstance(value, int) and abs(value) > MAX_INTEGER:
        raise ValueError(f"{value} is larger than 2^53: JSON readers would change it")
