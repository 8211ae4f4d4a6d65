"""JSON Schemas (2020-12) of what rb-verify reads and writes: a copy of the project's schemas/, kept in the package."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=16)
def schema(name: str) -> dict[str, Any]:
    """The schema ``NAME.schema.json``, parsed."""
    text = files("rb_verify").joinpath("schemas", f"{name}.schema.json").read_text("utf-8")
    return dict(json.loads(text))


@lru_cache(maxsize=16)
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema(name))


def violations(value: Any, name: str) -> list[str]:
    """Each way in which a value breaks a schema, in words with its place; empty if it does not."""
    return [f"{error.json_path}: {error.message[:300]}" for error in _validator(name).iter_errors(value)]
