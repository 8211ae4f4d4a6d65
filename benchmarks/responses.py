"""Responses as models write them, to rows of each dataset: thinking, then an answer, some of them spoilt."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import count
from typing import Any

from rb_verify import twosat
from rb_verify.prose import STYLES
from rb_verify.schemes import SCHEMES

Row = dict[str, Any]
Respond = Callable[[Row, random.Random], str]

EVENTS = ("so", "the", "event", "starts", "after", "it", "ends", "and", "we", "know", "that", "B", "must", "come", "then", "D")
ROOMS = ["if", "room", "is", "lit", "then", "the", "other", "must", "be", "dark", "so", "we", "get", "both", "which", "holds"]
OPENINGS = ("", "So ", "Then ", "Thus, ", "Therefore ", "Now, ", "From fact {n}, ", "Fact {n}: ", "By transitivity, ", "{n}. ")
ENDINGS = (".", "!", ", by the rule.", " (from {n} and {m}).", ", as fact {n} says.", " because of fact {n}.")
VERBS = (" is ", " is ", " is a ", " belongs to ", " must be ", " → ", " is contained in ", " ⊆ ")
PLANS = ("Next I need to show that {s}.", "Let me check whether {s}.", "If {s}, we get further.", "Is it so that {s}?")
SECOND_THOUGHTS = (
    "Wait, let me double-check that.",
    "Hmm, that does not look right.",
    "Let me go over fact {n} again.",
    "Alternatively, I could begin at the end.",
)
FILLER = "the facts are in no order so I look for one that I have not used yet and note it down before I go on"


def tracebench(row: Row, rng: random.Random) -> str:
    """Thinking of about 3.5 KB, then an answer object: one in three is gold, the others wrong, spoilt or cut off."""
    thinking = " ".join(rng.choices(EVENTS, k=rng.randint(700, 1100)))
    steps = [{"from": s["from"], "relation": "|".join(s["set"]), "to": s["to"]} for s in row["proof"]]
    answer, kind = row["answer"], rng.randrange(6)
    if kind == 0:
        answer = "NO" if answer == "YES" else "YES"
    elif kind == 1:
        rng.choice(steps)["relation"] = rng.choice(("before", "overlaps|meets", "precedes"))
    said = json.dumps({"reasoning": steps, "final_answer": answer})
    if kind == 2:
        said = f"Here is my answer.\n```json\n{said[:-1]},\n}}\n```"  # a trailing comma, which strict JSON refuses
    elif kind == 3:
        said = said[: rng.randrange(len(said))]
    return f"<think>{thinking}</think>\n{said}"


def two_sat(row: Row, rng: random.Random) -> str:
    """Thinking of about 1 KB and an assignment: two in three are right, the others flipped, short of one, turned or cut off."""
    thinking, said, kind = " ".join(rng.choices(ROOMS, k=220)), json.loads(twosat.perfect(row)), rng.randrange(12)
    if kind == 0:
        said["satisfiable"] = not said["satisfiable"]
    elif kind == 1 and said["assignment"]:
        said["assignment"].popitem()
    elif kind == 2 and said["assignment"]:
        name, value = rng.choice(list(said["assignment"].items()))
        scheme = SCHEMES[row["scheme"]]
        said["assignment"][name] = scheme.false if value == scheme.true else scheme.true
    text = json.dumps(said, ensure_ascii=False)
    return f"<think>{thinking}</think>\n{text[: rng.randrange(len(text))] if kind == 3 else text}"


def reefbench(golden: list[Row], words: int) -> Respond:
    """About so many words of thinking: the golden statements in many wordings, plans, second thoughts, repeats,
    hallucinations, sentences that state nothing, and an answer, unless it is cut off. To a contrast row they do not all follow.

    ``golden``: the golden solution of the row's pair.
    """

    def respond(row: Row, rng: random.Random) -> str:
        wanted, many = rng.randint(words * 2 // 3, words * 4 // 3), 0
        said: list[str] = []
        for place in count():
            said.append(_sentence(row, golden[place % len(golden)], said, rng))
            many += said[-1].count(" ") + 1
            if many > wanted:
                break
        thinking = "".join(text + rng.choice((" ", " ", "\n", "\n\n")) for text in said)
        if rng.random() < 0.1:
            return f"<think>\n{thinking}"
        answer = row["answer"] if rng.random() < 0.8 else rng.choice(("True", "Unknown", "False"))
        return f"<think>\n{thinking}</think>\n{_assertion(row['conclusion'], rng)}\n\n\\boxed{{{answer}}}"

    return respond


def _sentence(row: Row, step: Row, said: list[str], rng: random.Random) -> str:
    dice = rng.random()
    if dice < 0.12:
        return rng.choice(PLANS).format(s=step["statement"])
    if dice < 0.18:
        return rng.choice(SECOND_THOUGHTS).format(n=rng.randint(1, 40))
    if dice < 0.23:
        return _assertion(" is ".join(rng.sample(row["vocabulary"], 2)), rng)  # mostly a hallucination
    if dice < 0.28 and said:
        return rng.choice(said)
    if dice < 0.45:
        return " ".join(rng.choices(FILLER.split(), k=rng.randint(6, 24))) + "."
    if rng.random() < 0.5:
        return rng.choice(list(STYLES.values()))(step)
    return _assertion(step["statement"], rng)


def _assertion(statement: str, rng: random.Random) -> str:
    text = rng.choice(OPENINGS) + statement.replace(" is ", rng.choice(VERBS)) + rng.choice(ENDINGS)
    return text.format(n=rng.randint(1, 40), m=rng.randint(1, 40))
