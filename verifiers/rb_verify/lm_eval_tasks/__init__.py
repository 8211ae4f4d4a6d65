"""What the YAML tasks of this folder call in rb_verify; ``lm-eval run --include_path`` finds them here.

What a metric counts of a document is logged with it, and aggregated by rb_verify's own rates over all documents and repeats.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from rb_verify import harness
from rb_verify.errors import UnusableInput
from rb_verify.harness import Counted

if TYPE_CHECKING:
    from datasets import Dataset


def load(dataset: str, config: str, release: str | None = None, **_: Any) -> dict[str, Dataset]:
    """The test rows of a config as documents.

    ``release``: its folder, or ``org/name@tag``, from ``--metadata``. lm-eval puts the model's arguments there too; they
    do not matter here. Raises UnusableInput or ReleaseMismatch as ``harness.documents`` does.
    """
    try:
        from datasets import Dataset
    except ImportError:
        raise UnusableInput("lm-eval's datasets is not there; run pip install 'rb-verify[lm-eval]'") from None
    try:
        documents = harness.documents(dataset, config, release)
    except UnusableInput as error:
        raise UnusableInput(f"{error} (--release is --metadata '{{\"release\": ...}}' here)") from None
    return {"test": Dataset.from_list([document._asdict() for document in documents])}


def all_responses(responses: Iterable[list[str]], documents: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Every response to each document: all repeats are scored, not the first alone."""
    return [list(each) for each in responses]


def judge(document: dict[str, Any], results: list[list[str]]) -> dict[str, list[dict[str, Any]]]:
    """What each column counts of each response to a document; nothing where it does not apply to the row."""
    row = json.loads(document["row"])
    counted: dict[str, list[dict[str, Any]]] = {column.name: [] for column in harness.scorer_of(row).COLUMNS}
    for verdict in harness.verdicts(row, {"doc": {"id": row["id"]}, "resps": results}):
        for name, value in harness.counts(row, verdict.outcome).items():
            if value is not None:
                counted[name].append(Counted(row["id"], document["cluster"], document["cluster_rows"], value)._asdict())
    return counted


def rate(items: list[list[dict[str, Any]]]) -> float:
    """The mean over responses."""
    return _rate(items, jointly=False)


def joint_rate(items: list[list[dict[str, Any]]]) -> float:
    """The mean over clusters, all of whose rows must count."""
    return _rate(items, jointly=True)


def _rate(items: list[list[dict[str, Any]]], jointly: bool) -> float:
    value = harness.rate((Counted(**each) for some in items for each in some), jointly)["value"]
    if value is None:
        logging.getLogger(__name__).warning("a rate has nothing to count: the limit leaves no row, or no whole pair, for it")
        return nan
    return float(value)
