"""A model that says what a script has it say, for both harnesses, and small releases to ask it about.

A script is a JSON file: of each prompt, the responses in turn as [text, thinking or null, stop reason]. Inspect AI finds
the model by its entry point, ``scripted/NAME``, so that a command in a process of its own does too.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commands import freeze
from llm_server import Said, llm_server
from rb_verify import harness
from rb_verify.datasets import SCORERS
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import small_twosat


def small_releases(folder: Path) -> Path:
    """Small releases of every dataset, under the version that tasks ask for: what $RB_RELEASES names."""
    for recipe in (
        small(version=harness.VERSION),
        small_twosat(version=harness.VERSION),
        small_reefbench(version=harness.VERSION),
    ):
        freeze(recipe, folder)
    return folder / "releases"


def responses(dataset: str, row: dict[str, Any], place: int) -> list[Said]:
    """Three responses to a row, good and bad in turn over the places."""
    right = SCORERS[dataset].perfect(row)
    lazy = list(SCORERS[dataset].attacks([row]).values())
    kinds = [
        Said(right),
        Said(lazy[place % len(lazy)](row)),
        Said("I would rather not say."),
        Said(f"<think>Let me see.</think>\n{right}"),
        Said(right, thinking="I list what follows.\n" * 3),
        Said(right[: len(right) // 2], stop="max_tokens"),
        Said("", thinking="Still thinking", stop="max_tokens"),
        Said(right + "\n"),
        Said(f"```json\n{right}\n```"),
    ]
    return [kinds[(place + 2 * sample + place // len(kinds)) % len(kinds)] for sample in range(3)]


def write_script(path: Path, tasks: list[tuple[str, str]], releases: Path) -> Path:
    """A script for every row of configs. ``tasks``: (dataset, config)."""
    script: dict[str, list[Said]] = {}
    for dataset, config in tasks:
        documents = harness.documents(dataset, config, str(releases / dataset / harness.VERSION))
        script |= {each.prompt: responses(dataset, json.loads(each.row), i) for i, each in enumerate(documents)}
    path.write_text(json.dumps(script))
    return path


class Script:
    """Says the responses to each prompt in turn."""

    def __init__(self, path: str | Path) -> None:
        self.said = {prompt: [Said(*each) for each in some] for prompt, some in json.loads(Path(path).read_bytes()).items()}
        self.turns: Counter[str] = Counter()
        self.lock = threading.Lock()

    def __call__(self, prompt: str) -> Said:
        """The next response to a prompt."""
        with self.lock:
            turn = self.turns[prompt]
            self.turns[prompt] += 1
        return self.said[prompt][turn % 3]


@contextmanager
def chat_server(script: Script) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The script behind a chat completions API on loopback: its address, and the requests that it gets."""
    with llm_server(lambda request: script(request["messages"][-1]["content"])) as server:
        yield f"{server.base_url}/chat/completions", server.requests
