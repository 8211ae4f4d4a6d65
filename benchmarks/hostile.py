"""The time and memory that one hostile response takes to judge, at 0.1, 1 and 10 MB: both must grow with its size alone.

Each pattern is repeated up to the size and judged by rb_verify.score against a real row, in a process of its own. The
exponent is log10(t(10 MB) / t(1 MB)): 1 is linear, 2 quadratic. Memory is the peak of the process, with the response
and Python itself. No such response may count as correct, and none may crash; at 10 MB, nests are millions deep.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from measuring import apart, peak, timed
from rich.console import Console
from rich.table import Table

DATA = Path(__file__).parents[1] / "releases" / "tracebench" / "1.0.0" / "data" / "d045.jsonl"
SIZES = (100_000, 1_000_000, 10_000_000)  # characters
TOO_SLOW = 10.0  # seconds: what takes longer at one size is not tried at the next


@dataclass(frozen=True)
class Pattern:
    """A hostile response: ``start``, ``repeated`` up to the size, ``middle``, ``closing`` as often, and ``end``.

    PROMPT stands for the row's prompt, CUT_PROMPT for all but its last character.
    """

    name: str
    repeated: str
    start: str = ""
    middle: str = ""
    closing: str = ""
    end: str = ""

    def text(self, size: int, prompt: str) -> str:
        """The response of about so many characters."""
        start, repeated = (
            part.replace("CUT_PROMPT", prompt[:-1]).replace("PROMPT", prompt) for part in (self.start, self.repeated)
        )
        times = size // len(repeated + self.closing)
        return start + repeated * times + self.middle + self.closing * times + self.end


UNSURE = '], "final_answer": "Unsure"}'
STEPS = '{"reasoning": ['
TOO_DEEP = '{"a": ' + "[" * 51 + "]" * 51 + ', "b": '  # deeper than is read, but for strict JSON no reason to stop
PATTERNS = (
    # Openers and closers
    Pattern("[", "["),
    Pattern("{", "{"),
    Pattern("}", "}"),
    Pattern("{[", "{["),
    Pattern("{}", "{}"),
    Pattern("backslashes", "\\"),
    Pattern("double quotes", '"'),
    Pattern("single quotes", "'"),
    Pattern("smart quotes", "“"),
    Pattern("escaped quotes in the answer", '\\"', '{"final_answer": "'),
    Pattern("fences", "```json\n"),
    # Thinking and other tags
    Pattern("<think>", "<think>"),
    Pattern("</think>", "</think>"),
    Pattern("<think></think>", "<think></think>"),
    Pattern("crossing tags", "<think><thinking></think>"),
    Pattern("<", "<"),
    Pattern("<|assistant|>", "<|assistant|>"),
    Pattern("<answer>", "<answer>"),
    Pattern("<answer>YES</", "<answer>YES</"),
    Pattern("unclosed thinking, }", "}", "<think>"),
    Pattern("unclosed thinking, spaces", " ", "<think>}"),
    Pattern("unclosed thinking, </answer>", "</answer>", "<think>}"),
    # Nests, cut off and whole
    Pattern("[ in the answer", "[", '{"final_answer": '),
    Pattern('{"a":', '{"a":'),
    Pattern('{"a":[', '{"a":['),
    Pattern("{a:", "{a:"),
    Pattern('{"final_answer":', '{"final_answer":'),
    Pattern("[ ]", "[", closing="]"),
    Pattern("[ ] in the answer", "[", '{"final_answer": ', '"YES"', "]", "}"),
    Pattern("[ ] in the trace", "[", STEPS, "", "]", UNSURE),
    Pattern('{"a": }', '{"a":', "", '{"final_answer": "YES"}', "}"),
    Pattern("{a: }", "{a:", "", "{final_answer: YES}", "}"),
    Pattern('{"final_answer": }', '{"final_answer":', "", '"YES"', "}"),
    # What strict JSON refuses
    Pattern("{/*", "{/*"),
    Pattern("{/**/", "{/**/"),
    Pattern("{//", "{//"),
    Pattern("{// and newline", "{//\n"),
    Pattern("{#", "{#"),
    Pattern("/* in the answer", "/*", '{"final_answer": '),
    Pattern("{a:'", "{a:'"),
    Pattern('{a:"', '{a:"'),
    Pattern("{'a':“", "{'a':“"),
    Pattern('{"a":"\\', '{"a":"\\'),
    Pattern("{a: b c d", "{a: b c d "),
    Pattern("{a: and bars", "x|", "{a: "),
    Pattern("{ and a long name", "{" + "a" * 80 + " " + "a" * 80 + " " * 200),
    Pattern("{ and 200 spaces", "{" + " " * 200),
    Pattern("{ and spaces", " ", "{"),
    Pattern("too deep, then a long object", '"b": 1, ', 45 * TOO_DEEP + "{"),
    Pattern("too deep, then a long list", "1, ", 45 * TOO_DEEP + "["),
    # Many of one thing
    Pattern("objects", '{"a": 1}\n'),
    Pattern("cut objects", '{"a":1} {"a":'),
    Pattern("objects, nested", '{"a":1,'),
    Pattern("answer objects", '{"final_answer": "Unsure"}\n'),
    Pattern("keys", '"a": 1, ', "{"),
    Pattern("equal keys", '"a": [1, 2], ', "{", end='"final_answer": "Unsure"}'),
    Pattern("steps", '{"from": "A", "relation": "SI", "to": "G"}, ', STEPS, end="1" + UNSURE),
    Pattern("steps as text", '"A SI G", ', STEPS, end="1" + UNSURE),
    Pattern("steps as numbers", "1,", STEPS, end="1" + UNSURE),
    Pattern("steps as lists", "[],", STEPS, end="1" + UNSURE),
    Pattern("steps, cut off", '{"from": "A", "relation": "SI", "to": "G"}, ', STEPS),
    # Answers in prose
    Pattern("\\boxed{", "\\boxed{"),
    Pattern("\\boxed{x}", "\\boxed{x} "),
    Pattern("\\boxed{\\text{ in the answer", "\\\\boxed{\\\\text{", '{"final_answer": "', end='"}'),
    Pattern("garbage in the answer", "garbage ", '{"final_answer": "', end='"}'),
    Pattern("garbage in a cut answer", "garbage ", '{"final_answer": "'),
    Pattern("final answer: garbage", "final answer: garbage\n"),
    Pattern("the answer is", "the answer is "),
    Pattern("**answer**", "*" * 20 + "answer" + "*" * 6),
    Pattern("*", "*"),
    # HTML
    Pattern("&quot;", "&quot;"),
    Pattern("{&quot;a&quot;:", "{&quot;a&quot;:"),
    Pattern("&quot;&#", "&#", "&quot;"),
    Pattern("a long character reference", "1", "&quot;&#"),
    Pattern("a long hexadecimal reference", "f", "&quot;&#x"),
    # Plain text
    Pattern("a long word", "a"),
    Pattern("a long number in the answer", "1", '{"final_answer": ', end="}"),
    Pattern("words", "word "),
    Pattern("newlines", "\n"),
    Pattern("spaces", " "),
    Pattern("zero-width spaces", "\u200b"),
    Pattern("NUL", "\0"),
    Pattern("emoji", "🙂"),
    Pattern("combining marks", "\u0301", "e"),
    Pattern("the prompt", "PROMPT"),
    Pattern("a cut prompt", "CUT_PROMPT"),
    Pattern("the prompt, then cut prompts", "CUT_PROMPT", "PROMPT"),
)


@dataclass(frozen=True)
class Judged:
    """The seconds at each size that was tried, the peak memory in MB, and what went wrong, if anything did."""

    seconds: list[float]
    memory: float
    fault: str = ""


def judged(pattern: Pattern, repeats: int) -> Judged:
    """Judge a pattern at each size, in this process. The time is the median of the repeats."""
    from rb_verify import score

    row = json.loads(DATA.read_bytes().splitlines()[0])
    score(row, "warm up")
    medians: list[float] = []
    for size in SIZES:
        if medians and medians[-1] > TOO_SLOW:
            return Judged(medians, peak(), "too slow")
        times: list[float] = []
        response = pattern.text(size, row["prompt"])
        while len(times) < repeats and sum(times) < TOO_SLOW:
            try:
                taken, verdict = timed(partial(score, row, response))
            except Exception as error:
                return Judged(medians, peak(), f"raises {type(error).__name__}")
            times.append(taken)
            if verdict.status == "correct":
                return Judged(medians, peak(), "counts as correct")
        medians.append(statistics.median(times))
    return Judged(medians, peak())


def main(
    only: Annotated[str, typer.Option(help="Only the patterns whose name holds this text.")] = "",
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done, if that takes under 10 s.")] = 3,
) -> None:
    """Judge hostile responses. Exit code 1 if any was correct, raised an error, crashed or was too slow to try."""
    if not DATA.is_file():
        sys.exit("tracebench@1.0.0 is not built; run rb-build build tracebench@1.0.0 in the checkout first")
    table = Table("pattern", *(f"{size / 1e6:g} MB, s" for size in SIZES), "exponent", "peak MB", "fault")
    faults = 0
    for pattern in PATTERNS:
        if only not in pattern.name:
            continue
        try:
            result = apart(judged, pattern, repeats)
        except BrokenProcessPool:
            result = Judged([], 0, "crashes")
        whole = len(result.seconds) == len(SIZES)
        shown = [f"{t:.4f}" for t in result.seconds] + [""] * (len(SIZES) - len(result.seconds))
        exponent = f"{math.log10(result.seconds[-1] / result.seconds[-2]):.2f}" if whole else ""
        table.add_row(pattern.name, *shown, exponent, f"{result.memory:.0f}", result.fault)
        faults += bool(result.fault)
    Console(width=140, highlight=False, markup=False).print(table)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    typer.run(main)
