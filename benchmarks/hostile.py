"""The time that one hostile response takes to judge, at 0.1, 1 and 10 MB: it must grow no faster than the response.

Each pattern is repeated up to the size and judged by rb_verify.score against a real row. The exponent is
log10(t(10 MB) / t(1 MB)): 1 is linear, 2 quadratic. No such response may count as correct, and none may crash.
"""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from timing import timed

from rb_verify import score

RELEASE = Path(__file__).parents[1] / "releases" / "tracebench" / "1.0.0"
SIZES = (100_000, 1_000_000, 10_000_000)  # characters
TOO_SLOW = 10.0  # seconds: a pattern that takes longer at one size is not tried at the next

# Name to (what comes once, what is repeated).
PATTERNS: dict[str, tuple[str, str]] = {
    "brackets": ("", "["),
    "braces": ("", "{"),
    "closing braces": ("", "}"),
    "braces and brackets": ("", "{["),
    "empty objects": ("", "{}"),
    "backslashes": ("", "\\"),
    "escaped quotes": ('{"final_answer": "', '\\"'),
    "double quotes": ("", '"'),
    "single quotes": ("", "'"),
    "smart quotes": ("", "“"),
    "backticks": ("", "`"),
    "fences": ("", "```json\n"),
    "<think>": ("", "<think>"),
    "</think>": ("", "</think>"),
    "<think></think>": ("", "<think></think>"),
    "crossing tags": ("", "<think><thinking></think>"),
    "<": ("", "<"),
    "<|assistant|>": ("", "<|assistant|>"),
    "<answer>": ("", "<answer>"),
    "<answer>YES</": ("", "<answer>YES</"),
    "unclosed thinking, braces": ("<think>", "}"),
    "unclosed thinking, spaces": ("<think>}", " "),
    "unclosed thinking, tags": ("<think>}", "</answer>"),
    'nested {"a":': ("", '{"a":'),
    'nested {"final_answer":': ("", '{"final_answer":'),
    'nested {"a":[': ("", '{"a":['),
    "nested {a:": ("", "{a:"),
    "nested [ in the answer": ('{"final_answer": ', "["),
    "{/*": ("", "{/*"),
    "{/**/": ("", "{/**/"),
    "{//": ("", "{//"),
    "{#": ("", "{#"),
    "{// and newline": ("", "{//\n"),
    "/*": ('{"final_answer": ', "/*"),
    "{a:'": ("", "{a:'"),
    '{a:"': ("", '{a:"'),
    "{'a':“": ("", "{'a':“"),
    '{"a":"\\': ("", '{"a":"\\'),
    '{"a":1} {"a":': ("", '{"a":1} {"a":'),
    '{"a":1,': ("", '{"a":1,'),
    "{a: b c d": ("", "{a: b c d "),
    "{ and spaces": ("{", " "),
    "{ and 200 spaces": ("", "{" + " " * 200),
    "{a and spaces": ("", "{a" + " " * 100),
    "many small objects": ("", '{"a": 1}\n'),
    "many small wrong answers": ("", '{"answer": "x"}\n'),
    "one object, many keys": ("{", '"a": 1, '),
    "one list, many steps": ('{"reasoning": [', '{"from": "A", "relation": "B", "to": "D"}, '),
    "\\boxed{": ("", "\\boxed{"),
    "\\boxed{x}": ("", "\\boxed{x} "),
    "\\boxed{\\text{": ('{"final_answer": "', "\\\\boxed{\\\\text{"),
    'final answer "...': ('{"final_answer": "', "garbage "),
    "final answer: ...": ("", "final answer: garbage\n"),
    "answer is": ("", "the answer is "),
    "**answer": ("", "*" * 20 + "answer" + "*" * 6),
    "stars": ("", "*"),
    "&quot;": ("", "&quot;"),
    "&quot;&#": ("&quot;", "&#"),
    "{&quot;a&quot;:": ("", "{&quot;a&quot;:"),
    "long word": ("", "a"),
    "digits": ("", "1"),
    "long number": ('{"final_answer": ', "1"),
    "words": ("", "word "),
    "word|": ("{a: ", "x|"),
    "newlines": ("", "\n"),
    "spaces": ("", " "),
    "tabs": ("", "\t"),
    "zero-width spaces": ("", "\u200b"),
    "NUL": ("", "\0"),
    "emoji": ("", "🙂"),
    "combining marks": ("e", "\u0301"),
    "the whole prompt": ("", "PROMPT"),
    "the prompt's start": ("", "PROMPT_START"),
}


def hostile(pattern: tuple[str, str], size: int, row: dict[str, Any]) -> str:
    """A pattern repeated up to a size."""
    prompt = row["prompt"]
    once, more = pattern
    more = {"PROMPT": prompt, "PROMPT_START": prompt[:-1]}.get(more, more)
    return once + more * (size // len(more))


def closed_nests(depth: int) -> dict[str, str]:
    """Well-formed JSON as deep as that, the answer inside it, beside it or made of it."""
    return {
        "lists": "[" * depth + "]" * depth,
        "objects": '{"a":' * depth + '{"final_answer": "YES"}' + "}" * depth,
        "the answer": '{"final_answer": ' + "[" * depth + '"YES"' + "]" * depth + "}",
        "the answer, by objects": '{"final_answer": ' * depth + '"YES"' + "}" * depth,
        "the trace": '{"reasoning": ' + "[" * depth + "]" * depth + ', "final_answer": "nothing"}',
        "an unquoted nest": "{a:" * depth + "{final_answer: YES}" + "}" * depth,
    }


def judged(row: dict[str, Any], response: str, repeats: int) -> float:
    """The median time to judge a response, which must not count as correct."""
    times = []
    for _ in range(repeats):
        taken, verdict = timed(lambda: score(row, response))
        assert verdict.status != "correct", response[:100]
        times.append(taken)
        if taken > 1:
            break
    return statistics.median(times)


def main(
    only: Annotated[str, typer.Option(help="Only the patterns whose name holds this text.")] = "",
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done, unless it takes over a second.")] = 3,
) -> None:
    """Judge hostile responses. Each cell: the median of the repeats, in seconds."""
    data = RELEASE / "data" / "d045.jsonl"
    if not data.is_file():
        raise SystemExit("tracebench@1.0.0 is not built; run rb-build build tracebench@1.0.0 in the checkout first")
    row = json.loads(data.read_bytes().splitlines()[0])
    console = Console(width=140, highlight=False, markup=False)
    for name, response in closed_nests(100_000).items():
        console.print(f"100,000 deep, {name}: {judged(row, response, 1):.3f} s")
    table = Table("pattern", *(f"{size / 1e6:g} MB, s" for size in SIZES), "exponent")
    for name, pattern in PATTERNS.items():
        if only not in name:
            continue
        times: list[float] = []
        for size in SIZES:
            if not times or times[-1] < TOO_SLOW:
                times.append(judged(row, hostile(pattern, size, row), repeats))
        exponent = f"{math.log10(times[-1] / times[-2]):.2f}" if len(times) == len(SIZES) else "too slow"
        table.add_row(name, *(f"{t:.4f}" for t in times), *[""] * (len(SIZES) - len(times)), exponent)
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
