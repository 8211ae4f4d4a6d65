"""Submissions to the small releases whose pages are tested, with texts that try to be more than text."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from rb_verify.evaluation import Options, evaluate_all
from rb_verify.page import Section, pick
from rb_verify.release import Release
from shelf import answers, put
from small_twosat import FAMILIES, cell, small_twosat

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- --><svg onload=alert(3)> \u202eevil\x01 "
    "data:text/html,<b>b</b> {{ 7 * 7 }} ]]> &lt; \" ' `"
)
SHOWN = HOSTILE.replace("\u202e", "\\u202e").replace("\x01", "\\u0001")  # as readers must see it
LONG = "n" * 10_000
MODEL: dict[str, Any] = {"model": f"M {HOSTILE}", "notes": LONG[:4000], "decoding": {HOSTILE: HOSTILE}}


CELLS = [
    *(cell(family, 12, "rows", perturbation={"kind": kind}) for family in FAMILIES for kind in ("none", "shuffled")),
    cell("ImplicationCycle", 20, "levels", levels={"split": ["0", "1/2", "1"]}, config="sweeps"),
]
FORMULAS = small_twosat(  # with what the figures of 2-SAT draw
    configs={"default": {"test": ["rows", "levels"]}}, params={"cells": CELLS, "schemes": ["logic", "room", "team", "door"]}
)


def section(folder: Path, release: Release, samples: int = 1, limit: int = 300) -> Section:
    """A section of a page on a submission with hostile texts, strangers and a bad line."""
    lines = answers(release, samples)
    lines[1] |= {"response": f"{HOSTILE} {LONG}", "reasoning": HOSTILE, "finish_reason": HOSTILE}
    lines[2] |= {"response": f"{lines[2]['response']}\r\nand so on", "reasoning": "thought " * 4000}
    stranger = {"id": HOSTILE, "response": "x"}
    file = put(folder / f"{release.dataset}-{samples}.jsonl", *lines[:-1], stranger, "<script>alert(4)</script>")
    details = io.StringIO()
    (found,) = evaluate_all([file], release, Options(submission=MODEL, texts=True), details=details)
    rows = {row["id"]: row for row in release.rows}
    return Section(found, pick(map(json.loads, details.getvalue().splitlines()), rows, release.scorer.group, limit))
