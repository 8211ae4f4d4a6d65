"""Where schemas, card templates and frozen recipes are: in the wheel, or in the checkout around this package."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

_PACKAGED = Path(__file__).parent / "_shared"
_ROOT = _PACKAGED if _PACKAGED.is_dir() else Path(__file__).parents[2]


def path(*parts: str) -> Path:
    """The path of a shared file or folder, such as ``path("schemas", "recipe.schema.json")``."""
    return _ROOT.joinpath(*parts)


@lru_cache(maxsize=16)
def schema(name: str) -> dict[str, Any]:
    """The schema ``NAME.schema.json``, parsed."""
    return dict(json.loads(path("schemas", f"{name}.schema.json").read_bytes()))
