"""Parse the responses of a submission with a language model, and write them with ``nodes`` (ReEfBench paper, section 3.2).

What comes out are predictions that rb-verify scores as it would any submission's own reading. Rows of other datasets, API
errors and ids that the release does not have are handed on as they are. The output is a journal: who runs it again goes on.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from rb_verify import canonical, llm_parser
from rb_verify.datasets import release_of
from rb_verify.errors import UnusableInput
from rb_verify.formats import Response, read_unit
from rb_verify.journal import Journal, journal
from rb_verify.llm import Client, Failed, concurrently
from rb_verify.llm_parser import Read
from rb_verify.predictions import KEYS, Problem
from rb_verify.reefbench import text_of
from rb_verify.release import Release, load, locate
from rb_verify.sources import open_units
from rb_verify.thinking import split
from rb_verify.verdict import Prediction

DATASET = "reefbench"
_ANEW = ("nodes", "parser")  # members of a line that are not the input's

_Line = dict[str, Any]
_Row = dict[str, Any]


@dataclass
class Done:
    """What a run did. ``parsed``: responses; ``passed``: lines handed on; ``there``: lines that were there already.

    ``attempts``: sentences by the attempt that read them, 0 for the rules; ``problems``: what is wrong with the input;
    ``failed``: responses, by id, that the endpoint gave no reading of, and why; the next run asks again.
    """

    parsed: int = 0
    passed: int = 0
    there: int = 0
    attempts: Counter[int] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


class _Task(NamedTuple):
    """A response to parse. ``line``: what is written of it, but for its nodes."""

    line: _Line
    prediction: Prediction
    row: _Row


def run(
    file: str,
    release: str | None,
    config: str,
    out: Path,
    client: Client,
    progress: Callable[[int], None] = lambda number: None,
) -> Done:
    """Parse the responses of a file into the journal ``out``.

    ``file``, ``release``, ``config``: as rb-verify takes them. ``client``: not entered yet. ``progress``: called with the
    number of responses just parsed. Raises UnusableInput or ReleaseMismatch; what was parsed until then is kept.
    """
    done, parser = Done(), llm_parser.name_of(client.endpoint.model)
    with open_units(file) as units:
        responses = (each for number, unit in units for each in read_unit(number, unit))
        loaded, found = release_for(file, release, config, responses)
        about = {
            "release": f"{loaded.dataset} {loaded.version}",
            "content_digest": loaded.manifest["content_digest"],
            "config": loaded.config,
            "parser": parser,
            "model": client.endpoint.model,
            "prompt": llm_parser.PROMPT,
            "settings": client.settings,
        }
        with journal(out, about, _key) as lines:
            asyncio.run(_parse(client, _tasks(found, loaded, lines, done), parser, lines, done, progress))
    return done


def release_for(
    file: str, release: str | None, config: str, found: Iterator[Response | Problem]
) -> tuple[Release, Iterator[Response | Problem]]:
    """The release of ReEfBench that responses are to, and all of them again. Raises UnusableInput or ReleaseMismatch."""
    before: list[Response | Problem] = []
    for each in found:
        before.append(each)
        named = None if isinstance(each, Problem) else release_of(each.prediction.id)
        if named is not None and named[0] == DATASET:
            loaded = load(locate(release, named), config)
            if loaded.dataset != DATASET:
                raise UnusableInput(f"{loaded.path}: is a release of {loaded.dataset}; name one of {DATASET} with --release")
            return loaded, chain(before, found)
    first = next((f"; line {each.line} {each.message}" for each in before if isinstance(each, Problem)), "")
    raise UnusableInput(f"{file}: holds no response to a row of {DATASET}, whose reasoning alone is parsed{first}")


def rows_of(release: Release) -> dict[str, _Row]:
    """The rows of a release by id, those of a fresh split by their id in its blind split too."""
    rows = {row["id"]: row for row in release.rows}
    return rows | {blind: rows[own] for blind, own in release.blind.items()}


def text_to_parse(prediction: Prediction, row: Mapping[str, Any]) -> str:
    """The text that rb-verify reads where no nodes are given."""
    return text_of(prediction, split(prediction.response or "", row.get("prompt", "")))


async def _parse(
    client: Client, tasks: Iterator[_Task], parser: str, lines: Journal, done: Done, progress: Callable[[int], None]
) -> None:
    async with client:

        async def parsed(task: _Task) -> tuple[_Task, list[Read] | Failed]:
            text = text_to_parse(task.prediction, task.row)
            try:
                return task, await llm_parser.parse(client, text, task.row["vocabulary"])
            except Failed as failed:
                return task, failed

        async for task, reads in concurrently(tasks, parsed, client.limits.concurrency):
            progress(1)
            if isinstance(reads, Failed):
                done.failed.append((task.prediction.id, str(reads)))
                continue
            lines.add(task.line | {"nodes": llm_parser.as_nodes(reads), "parser": parser})
            done.parsed += 1
            done.attempts.update(read.attempt for read in reads)


def _tasks(found: Iterator[Response | Problem], release: Release, lines: Journal, done: Done) -> Iterator[_Task]:
    """What is to be parsed; everything else is handed on, or noted."""
    rows, taken = rows_of(release), set(lines.done)
    for each in found:
        if isinstance(each, Problem):
            done.problems.append(each)
            continue
        line, prediction = _line(each.record), each.prediction
        row = rows.get(prediction.id)
        named = release_of(prediction.id)
        if row is None and named is not None and named[0] == DATASET:
            done.problems.append(_stranger(release, prediction.id, each.number))
        key = _key(line)
        if key in taken:
            done.there += 1
            continue
        taken.add(key)
        if row is None or prediction.error:
            lines.add(line)
            done.passed += 1
        else:
            yield _Task({name: value for name, value in line.items() if name not in _ANEW}, prediction, row)


def _stranger(release: Release, row_id: str, number: int) -> Problem:
    if home := release.elsewhere.get(row_id):
        message = f"is a row of {home}, outside config {release.config}; handed on unparsed"
        return Problem("other_config", message, number, row_id)
    message = f"is no row of {release.dataset} {release.version}; handed on unparsed, correct the id"
    return Problem("unknown_id", message, number, row_id[:200])


def _line(record: Mapping[str, Any]) -> _Line:
    """A plain line of what a response was given with. Lone surrogates, which no file can hold, are question marks."""
    line = {name: record[name] for name in KEYS if record.get(name) is not None}
    line = line if "response" in line else line | {"response": None}
    return dict(json.loads(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace")))


def _key(line: Mapping[str, Any]) -> Hashable:
    """What a line is there once for: what was said, and to which row. Two different answers to a row are both kept, so that
    rb-verify refuses them."""
    said = {name: value for name, value in line.items() if name not in _ANEW}
    return said["id"], canonical.digest(json.dumps(said, sort_keys=True).encode())
