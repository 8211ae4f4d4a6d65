"""Responses to a small ReEfBench release, the command rb-parse on them in this process, and what it writes, for its tests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from llm_server import Server
from rb_verify import parse_cli
from rb_verify.prose import STYLES, solution

Line = dict[str, Any]
SECRET = "sk-very-secret-0123456789"
MODEL = "scripted:1b"
PARSER = "llm-1@scripted-1b"
TRUE = "\\boxed{True}"


def responses(rows: list[dict[str, Any]]) -> list[Line]:
    """A response to each row: golden solutions in every style, some as thinking, with a plan and a second thought."""
    found = []
    for place, row in enumerate(rows):
        text = solution(row, list(STYLES)[place % len(STYLES)])
        plan = f"We need to show that {row['conclusion']}.\nWait, is that so?\n"
        line = {"id": row["id"], "response": plan + text, "usage": {"completion_tokens": 100 + place}}
        if place % 3 == 0:
            line |= {"response": text, "reasoning": plan}
        found.append(line | {"finish_reason": "stop", "sample": 0})
    return found


def rb_parse(*arguments: str | Path, cwd: Path, **environment: str) -> Result:
    """Run the command rb-parse in a folder, in this process."""
    here = Path.cwd()
    os.chdir(cwd)
    try:
        return CliRunner().invoke(parse_cli.app, list(map(str, arguments)), env=environment)
    finally:
        os.chdir(here)


def save(path: Path, lines: Iterable[Line]) -> Path:
    """Write lines of JSON."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def read(path: Path) -> list[Line]:
    """The lines of a file, by id and sample."""
    found = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    return sorted(found, key=lambda line: (line["id"], line.get("sample", 0)))


def parse(folder: Path, server: Server, small: Path, *more: str, out: str = "parsed.jsonl", model: str = MODEL) -> Result:
    """Run ``rb-parse run`` on predictions.jsonl of a folder, one request at a time."""
    options = ("--release", small, "--out", out, "--base-url", server.base_url, "--model", model, "--concurrency", "1")
    return rb_parse("run", "predictions.jsonl", *options, *more, cwd=folder, OPENAI_API_KEY=SECRET)


def values(found: dict[str, Any], measured: str) -> list[Any]:
    """Counts and rates of what is measured."""
    each = found["found"][measured]
    return [
        *(each[key] for key in ("both", "one_only", "other_only")),
        *(each[key]["value"] for key in ("precision", "recall", "f1")),
    ]
