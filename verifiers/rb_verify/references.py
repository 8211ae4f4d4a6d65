"""What the papers published, to be shown apart from every board: other instances, so never comparable and never ranked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

MARK = "other instances; not comparable"


def references(datasets: Iterable[str]) -> list[dict[str, Any]]:
    """The published tables of datasets (``references`` of schemas/board.schema.json), by the datasets' names."""
    folder = files("rb_verify").joinpath("published")
    kept = [folder.joinpath(f"{dataset}.json") for dataset in sorted(set(datasets))]
    tables = [json.loads(file.read_text("utf-8")) for file in kept if file.is_file()]
    return [{"kind": "reference", **table} for some in tables for table in some]
