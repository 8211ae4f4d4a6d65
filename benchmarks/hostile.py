"""The time and memory that one hostile response takes to judge, at 0.1, 1 and 10 MB: both must grow with its size alone.

Each pattern is repeated up to the size and judged by rb_verify.score in a process of its own, against a real row: of
TRACEBench, or of ReEfBench where it is about reading statements. The exponent is that of the two largest sizes,
log10(t(10 MB) / t(1 MB)): 1 is linear, 2 quadratic. Memory is the peak of the process, with the response and Python
itself. No such response may count as correct, and none may crash; at 10 MB, nests are millions deep.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from measuring import FROZEN, apart, peak, require, timed
from rich.console import Console
from rich.table import Table

from rb_verify.deduction import Deduction
from rb_verify.statements import read

TRACEBENCH, REEFBENCH = FROZEN["tracebench"], FROZEN["reefbench"]
FILES = {TRACEBENCH: "d045.jsonl", REEFBENCH: "main11.jsonl"}
SIZES = (100_000, 1_000_000, 10_000_000)  # characters
TOO_SLOW = 10.0  # seconds: what takes longer at one size is not tried at the next


@dataclass(frozen=True)
class Pattern:
    """A hostile response: ``start``, ``repeated`` up to the size, ``middle``, ``closing`` as often, and ``end``.

    PROMPT stands for the row's prompt, CUT_PROMPT for all but its last character; NAME and OTHER for two of its names,
    CONCLUSION for its conclusion. In each repetition DIFFERENT stands for a different statement of its names, FOLLOWING for one
    about the conclusion's subject that follows. ``release``: the release whose first row it is judged against.
    """

    name: str
    repeated: str
    start: str = ""
    middle: str = ""
    closing: str = ""
    end: str = ""
    release: Path = TRACEBENCH

    def text(self, size: int, row: dict[str, Any]) -> str:
        """The response of about so many characters."""
        start, repeated, middle = (put(part, row) for part in (self.start, self.repeated, self.middle))
        for placeholder, statements in STATEMENTS.items():
            if placeholder in repeated:
                pieces = (repeated.replace(placeholder, statement) for statement in statements(row))
                return start + "".join(islice(pieces, size // len(f"{repeated}{row['premises'][0]}"))) + self.end
        times = size // len(repeated + self.closing)
        return start + repeated * times + middle + self.closing * times + self.end


def put(text: str, row: dict[str, Any]) -> str:
    """A part of a pattern with what its capitals stand for in a row."""
    prompt = row["prompt"]
    text = text.replace("CUT_PROMPT", prompt[:-1]).replace("PROMPT", prompt)
    if "vocabulary" in row:
        name, other, *_ = row["vocabulary"]
        text = text.replace("NAME", name).replace("OTHER", other).replace("CONCLUSION", row["conclusion"])
    return text


def different(row: dict[str, Any]) -> Iterator[str]:
    """Different statements of a row's names, over and over."""
    names = row["vocabulary"]
    return cycle(f"{x} is {a} and {b}" for a, b in combinations(names, 2) for x in names if x not in (a, b))


def following(row: dict[str, Any]) -> Iterator[str]:
    """Different conjunctions of what the conclusion's subject is, over and over."""
    deduction, subject = Deduction(map(read, row["premises"])), read(row["conclusion"]).subject
    names = [name for name in row["vocabulary"] if name != subject and deduction.derives(read(f"{subject} is {name}"))]
    return cycle(f"{subject} is {a} and {b}" for a, b in combinations(names, 2))


STATEMENTS = {"DIFFERENT": different, "FOLLOWING": following}
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
    # Statements
    *(
        replace(pattern, release=REEFBENCH)
        for pattern in (
            Pattern("statement: names", "NAME "),
            Pattern("statement: names in lines", "NAME\n"),
            Pattern("statement: names with commas", "NAME, "),
            Pattern("statement: names joined by and", "NAME and "),
            Pattern("statement: many subjects", "NAME, ", middle="and OTHER are NAME."),
            Pattern("statement: x is", "NAME is "),
            Pattern("statement: is", "is "),
            Pattern("statement: x is A", "NAME is OTHER "),
            Pattern("statement: x is A and", "NAME is OTHER and "),
            Pattern("statement: x is A or", "NAME is OTHER or "),
            Pattern("statement: x is A, which is", "NAME is OTHER, which is "),
            Pattern("statement: x is A.", "NAME is OTHER. "),
            Pattern("statement: x is A in lines", "1. NAME is OTHER\n"),
            Pattern("statement: x is A?", "NAME is OTHER? "),
            Pattern("statement: quoted", '"NAME is OTHER" '),
            Pattern("statement: bold", "**NAME** is `OTHER`. "),
            Pattern("statement: LaTeX", "\\text{NAME} \\subseteq OTHER "),
            Pattern("statement: if", "if NAME is OTHER "),
            Pattern("statement: not", "not NAME is OTHER "),
            Pattern("statement: goals", "We need to show that NAME is OTHER. "),
            Pattern("statement: the conclusion", "CONCLUSION. "),
            Pattern("statement: arrows", "→"),
            Pattern("statement: ASCII arrows", "-->=>"),
            Pattern("statement: chain", "NAME → OTHER → "),
            Pattern("statement: two arrows", "NAME -> OTHER => "),
            Pattern("statement: ( )", "(NAME ", closing=")"),
            Pattern("statement: (", "(NAME is OTHER "),
            Pattern("statement: thinking", "<think>NAME is OTHER</think>"),
            Pattern("statement: boxes, nested", "\\boxed{", middle="NAME", closing="}"),
            Pattern("statement: boxes", "\\boxed{NAME is OTHER} "),
            Pattern("statement: text, nested", "\\text{", "\\boxed{", "NAME", "}", "}"),
            Pattern("statement: underscores", "NAME_"),
            Pattern("statement: strangers", "abcdpus is NAME "),
            Pattern("statement: a long name", "pus"),
            Pattern("statement: e.g.", "e.g. NAME "),
            Pattern("statement: full stops", "NAME."),
            Pattern("statement: dots and quotes", '."'),
            Pattern("statement: &amp;", "NAME &amp; "),
            Pattern("statement: zero-width spaces", "NAME\u200b"),
            Pattern("statement: articles", "a "),
            Pattern("statement: second thoughts", "Wait, let me check that NAME is OTHER again. "),
            Pattern("statement: check my", "check my check "),
            Pattern("statement: but so well", "but so well, "),
            Pattern("statement: all different", "DIFFERENT. "),
            Pattern("statement: all that follow", "FOLLOWING. "),
            Pattern("statement: all different, in one sentence", "DIFFERENT, "),
            Pattern("statement: all different, second thoughts", "Wait. DIFFERENT. "),
            Pattern("statement: all different, planned first", "I need to show that DIFFERENT. So DIFFERENT. "),
        )
    ),
)


@dataclass(frozen=True)
class Judged:
    """The seconds at each size that was tried, the peak memory in MB, and what went wrong, if anything did."""

    seconds: list[float]
    memory: float
    fault: str = ""


def judged(pattern: Pattern, sizes: list[int], repeats: int) -> Judged:
    """Judge a pattern at each size, in this process. The time is the median of the repeats."""
    from rb_verify import score

    row = json.loads((pattern.release / "data" / FILES[pattern.release]).read_bytes().splitlines()[0])
    score(row, "warm up")
    medians: list[float] = []
    for size in sizes:
        if medians and medians[-1] > TOO_SLOW:
            return Judged(medians, peak(), "too slow")
        times: list[float] = []
        response = pattern.text(size, row)
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
    largest: Annotated[float, typer.Option(min=1, help="Leave out sizes of more MB.")] = 10,
) -> None:
    """Judge hostile responses. Exit code 1 if any was correct, raised an error, crashed or was too slow to try."""
    for release in FILES:
        require(release)
    sizes = [size for size in SIZES if size <= largest * 1e6]
    table = Table("pattern", *(f"{size / 1e6:g} MB, s" for size in sizes), "exponent", "peak MB", "fault")
    faults = 0
    for pattern in PATTERNS:
        if only not in pattern.name:
            continue
        try:
            result = apart(judged, pattern, sizes, repeats)
        except BrokenProcessPool:
            result = Judged([], 0, "crashes")
        whole = len(result.seconds) == len(sizes)
        shown = [f"{t:.4f}" for t in result.seconds] + [""] * (len(sizes) - len(result.seconds))
        exponent = f"{math.log10(result.seconds[-1] / result.seconds[-2]):.2f}" if whole else ""
        table.add_row(pattern.name, *shown, exponent, f"{result.memory:.0f}", result.fault)
        faults += bool(result.fault)
    Console(width=140, highlight=False, markup=False).print(table)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    typer.run(main)
