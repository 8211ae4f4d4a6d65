"""A release's rows in the formats that other tools read: Parquet, CSV, and requests for OpenAI's batch API.

The types of columns come from the row schema, never from the rows, so the files of a dataset have the same types
whatever their rows hold. What is read is checked against the manifest first.
"""

from __future__ import annotations

import csv
import importlib
import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from rb_build import card, folder
from rb_verify import canonical
from rb_verify.datasets import SCORERS
from rb_verify.errors import ReleaseMismatch, UnusableInput
from rb_verify.formats import SAMPLE_MARK
from rb_verify.predictions import MAX_SAMPLE
from rb_verify.release import read_file, read_manifest

MAX_REQUESTS = 50_000  # in a file, by the batch API
MAX_BYTES = 200_000_000  # of a file, by the batch API

_CUSTOM_ID = re.compile("[A-Za-z0-9_-]{1,64}")  # by the batch API


class Format(str, Enum):
    """What rows are exported as."""

    parquet = "parquet"
    csv = "csv"
    openai_batch = "openai-batch"


def export(
    release: Path, out: Path, format: Format, config: str | None = None, model: str | None = None, samples: int = 1
) -> list[Path]:
    """Write the rows of a release folder as the new or empty folder ``out``, and return the files, one a config and split.

    ``config``: one config's rows only. ``model``: whom openai-batch asks, ``samples``: how often for each row; the other
    formats take neither. Parquet and CSV give every split; openai-batch gives requests for test rows, in several numbered
    files where one would be larger than the batch API takes. Raises UnusableInput for arguments that do not fit, and
    ReleaseMismatch if the release is not what its manifest says.
    """
    if format is Format.openai_batch and not (model and model.isprintable()):
        raise UnusableInput("openai-batch: each request names the model that is asked; name it with --model")
    if format is not Format.openai_batch and model is not None:
        raise UnusableInput(f"{format.value}: names no model; leave --model out, or choose openai-batch")
    if format is not Format.openai_batch and samples != 1:
        raise UnusableInput(f"{format.value}: has a row once; leave --samples out, or choose openai-batch")
    if not 1 <= samples <= MAX_SAMPLE + 1:
        raise UnusableInput(f"--samples cannot be {samples}; choose 1 to {MAX_SAMPLE + 1}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UnusableInput(f"{out}: exists and is not an empty folder; name a new one with --out")
    manifest = read_manifest(release)
    if manifest["dataset"] not in SCORERS:
        raise UnusableInput(f"{release}: no row schema for dataset {manifest['dataset']!r}; update rb-build")
    features = card.features(card.columns(manifest))
    files: dict[str, bytes] = {}
    for name, split, paths in _splits(release, manifest, config, format):
        stem = f"{name}-{split}"
        try:
            rows = [json.loads(line) for path in paths for line in read_file(release, manifest, path).splitlines()]
            _require_columns(rows, features)
            if format is Format.parquet:
                files[f"{stem}.parquet"] = _parquet(rows, features)
            elif format is Format.csv:
                files[f"{stem}.csv"] = _csv(rows, features)
            else:
                batches = list(_batches(_requests(rows, str(model), samples)))
                numbers = [""] if len(batches) == 1 else [f"-{number}" for number in range(1, len(batches) + 1)]
                files |= {f"{stem}{number}.jsonl": batch for number, batch in zip(numbers, batches, strict=True)}
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise ReleaseMismatch(f"{release}: {stem}: a row breaks its schema ({error}); run rb-build check on it") from None
    folder.write(out, files)
    return [out / name for name in files]


def _splits(release: Path, manifest: dict[str, Any], config: str | None, format: Format) -> list[tuple[str, str, list[str]]]:
    """(config, split, data files) of what is exported, ``default`` first."""
    listed = [
        (name, split, paths)
        for name, splits in card.ordered_configs(manifest)
        for split, paths in sorted(splits.items())
        if format is not Format.openai_batch or split == "test"
    ]
    names = list(dict.fromkeys(name for name, *_ in listed))
    if not names or config not in (None, *names):
        wanted = " with a test split" if format is Format.openai_batch else ""
        raise UnusableInput(f"{release}: no config {config!r}{wanted}; choose one of {', '.join(names) or 'another release'}")
    return [each for each in listed if config in (None, each[0])]


def _require_columns(rows: list[dict[str, Any]], features: list[dict[str, Any]]) -> None:
    """Raises ValueError for a row with a column more or less: writers would drop or invent it without a word."""
    names = {feature["name"] for feature in features}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise ValueError(f"row {number} is no object")
        if row.keys() != names:
            raise ValueError(f"row {number} differs in column {min(row.keys() ^ names)!r}")


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UnusableInput(f"{name}: is not installed; pip install 'rb-build[export]'") from None


def _parquet(rows: list[dict[str, Any]], features: list[dict[str, Any]]) -> bytes:
    """Raises ValueError for rows that would not come back as they are."""
    arrow, parquet = _library("pyarrow"), _library("pyarrow.parquet")
    columns = arrow.schema([(feature["name"], _type(arrow, feature)) for feature in features])
    table = arrow.Table.from_pylist(rows, schema=columns)
    if table.to_pylist() != rows:  # keys of nested objects that the schema does not have are dropped
        raise ValueError("a nested object has other keys than its schema")
    sink = arrow.BufferOutputStream()
    parquet.write_table(table, sink)
    return bytes(sink.getvalue())


def _type(arrow: Any, feature: Any) -> Any:
    """The Arrow type of a card's feature, so that Parquet, ``datasets`` and the viewer agree."""
    if isinstance(feature, list):
        return arrow.struct([(each["name"], _type(arrow, each)) for each in feature])
    if isinstance(feature, str):
        return arrow.type_for_alias(feature)
    if "list" in feature:
        return arrow.list_(_type(arrow, feature["list"]))
    return _type(arrow, feature.get("struct") or feature["dtype"])


def _csv(rows: list[dict[str, Any]], features: list[dict[str, Any]]) -> bytes:
    """One record a row; lists and objects as canonical JSON, null as nothing. All text is quoted, for its line ends."""
    pandas = _library("pandas")
    names = [feature["name"] for feature in features]
    cells = [[_cell(row[name]) for name in names] for row in rows]
    frame = pandas.DataFrame(cells, columns=names, dtype=object)  # object: a column of whole numbers stays one beside a null
    return bytes(frame.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).encode())


def _cell(value: Any) -> Any:
    return canonical.dumps(value) if isinstance(value, list | dict) else value


def _requests(rows: list[dict[str, Any]], model: str, samples: int) -> Iterator[bytes]:
    """The lines of a batch file: each prompt as one user message, once for each sample, which the custom_id names."""
    for row in rows:
        for mark in [f"{SAMPLE_MARK}{sample}" for sample in range(samples)] if samples > 1 else [""]:
            if not _CUSTOM_ID.fullmatch(row["id"] + mark):
                raise ValueError(f"row id {row['id'] + mark!r} is no custom_id")
            body = {"model": model, "messages": [{"role": "user", "content": row["prompt"]}]}
            request = {"custom_id": row["id"] + mark, "method": "POST", "url": "/v1/chat/completions", "body": body}
            yield canonical.lines([request])


def _batches(requests: Iterable[bytes]) -> Iterator[bytes]:
    """Requests joined into files that the batch API takes; no requests make one empty file."""
    batch: list[bytes] = []
    size = 0
    for request in requests:
        if len(request) > MAX_BYTES:
            raise ValueError(f"a request of {len(request)} bytes is more than the batch API takes")
        if len(batch) == MAX_REQUESTS or size + len(request) > MAX_BYTES:
            yield b"".join(batch)
            batch, size = [], 0
        batch.append(request)
        size += len(request)
    yield b"".join(batch)
