"""Golden solutions of ReEfBench in words, in several styles: what a perfect submission says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Step = dict[str, Any]
"""An entry of a row's ``golden``."""


def _plain(step: Step) -> str:
    if not step["inputs"]:
        return f"It is given that {step['statement']}."
    return f"So {step['statement']}."


def _cited(step: Step) -> str:
    if not step["inputs"]:
        return f"Premise: {step['statement']}"
    return f"{', '.join(step['inputs'])}: therefore {step['statement']} ({step['rule']})."


def _because(step: Step) -> str:
    if not step["inputs"]:
        return f"We are told that {step['statement'].replace(' is ', ' belongs to ')}."
    return f"Since {' and since '.join(step['inputs'])}, we get that {step['statement']}."


def _signs(step: Step) -> str:
    subject, _, predicate = step["statement"].partition(" is ")
    for word, sign in (("and", "∧"), ("or", "∨")):
        predicate = predicate.replace(f" {word} ", f" {sign} ")
    return f"- {subject} → {predicate}"


STYLES: dict[str, Callable[[Step], str]] = {"plain": _plain, "cited": _cited, "because": _because, "signs": _signs}


def solution(row: dict[str, Any], style: str) -> str:
    """A response that states a row's golden solution, layer by layer, in one of ``STYLES``, and gives the answer."""

    def lines() -> Iterator[str]:
        if not row["golden"]:
            yield "No chain of the facts leads there."
        yield from map(STYLES[style], row["golden"])
        yield f"\nThe answer is \\boxed{{{row['answer']}}}."

    return "\n".join(lines())
