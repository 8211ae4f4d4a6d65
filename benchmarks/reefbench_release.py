"""The whole of reefbench@1.0.0 built with 1 and 2 workers, and long responses to it scored.

A response has about 3,000 words of thinking: the statements of the pair's golden solution in many wordings, plans, second
thoughts, repeats, hallucinations, sentences that state nothing, and an answer, unless it is cut off. To a contrast row the
same statements do not all follow. Scoring is timed beside merely reading the lines, and beside reading off statements
without judging them. Lines are in the order of the rows, all samples of a row together; ``by sample`` has the same lines
as complete rounds over all rows, so that nothing that was found out of a row is of use for the next line.
"""

from __future__ import annotations

import json
import random
import tempfile
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer
from measuring import RELEASES, apart, print_builds, require
from rich.console import Console
from rich.table import Table
from verify import COLUMNS, Contender, compare, evaluated, ways

from rb_verify.prose import STYLES
from rb_verify.release import load

RELEASE = RELEASES / "reefbench" / "1.0.0"
WORDS = 3_000  # of a response, on average
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


def wording(step: dict[str, Any], rng: random.Random) -> str:
    """A sentence that asserts a golden step: half in a style of the perfect submissions, half put together here."""
    if rng.random() < 0.5:
        return rng.choice(list(STYLES.values()))(step)
    return assertion(step["statement"], rng)


def assertion(statement: str, rng: random.Random) -> str:
    """A sentence that asserts a statement."""
    text = rng.choice(OPENINGS) + statement.replace(" is ", rng.choice(VERBS)) + rng.choice(ENDINGS)
    return text.format(n=rng.randint(1, 40), m=rng.randint(1, 40))


def response(row: dict[str, Any], golden: list[dict[str, Any]], rng: random.Random) -> str:
    """A response to a row. ``golden``: the golden solution of its pair."""
    wanted, words = rng.randint(WORDS * 2 // 3, WORDS * 4 // 3), 0
    said: list[str] = []
    for place in count():
        step, dice = golden[place % len(golden)], rng.random()
        if dice < 0.12:
            text = rng.choice(PLANS).format(s=step["statement"])
        elif dice < 0.18:
            text = rng.choice(SECOND_THOUGHTS).format(n=rng.randint(1, 40))
        elif dice < 0.23:
            text = assertion(" is ".join(rng.sample(row["vocabulary"], 2)), rng)  # mostly a hallucination
        elif dice < 0.28 and said:
            text = rng.choice(said)
        elif dice < 0.45:
            text = " ".join(rng.choices(FILLER.split(), k=rng.randint(6, 24))) + "."
        else:
            text = wording(step, rng)
        said.append(text)
        words += text.count(" ") + 1
        if words > wanted:
            break
    thinking = "".join(text + rng.choice((" ", " ", "\n", "\n\n")) for text in said)
    if rng.random() < 0.1:
        return f"<think>\n{thinking}"
    answer = row["answer"] if rng.random() < 0.8 else rng.choice(("True", "Unknown", "False"))
    return f"<think>\n{thinking}</think>\n{assertion(row['conclusion'], rng)}\n\n\\boxed{{{answer}}}"


def write(by_row: Path, by_sample: Path, lines: int) -> int:
    """Write so many predictions, in both orders. Returns the number of words."""
    rows = load(RELEASE).rows
    golden = {row["pair"]: row["golden"] for row in rows if row["golden"]}
    rng = random.Random(lines)
    places = [place * len(rows) // lines for place in range(lines)]
    samples = [place - places.index(row) for place, row in enumerate(places)]
    written, words = [], 0
    for place, sample in zip(places, samples, strict=True):
        row = rows[place]
        text = response(row, golden[row["pair"]], rng)
        words += len(text.split())
        written.append(json.dumps({"id": row["id"], "response": text, "sample": sample}) + "\n")
    by_row.write_text("".join(written))
    by_sample.write_text("".join(written[place] for place in sorted(range(lines), key=samples.__getitem__)))
    return words


def parsed(file: Path) -> None:
    """Read the statements off every response, and judge none."""
    from rb_verify import reasoning, thinking

    vocabularies = {row["id"]: frozenset(row["vocabulary"]) for row in load(RELEASE).rows}
    with file.open("rb") as lines:
        for line in lines:
            prediction = json.loads(line)
            reasoning.parse(thinking.split(prediction["response"]).whole, vocabularies[prediction["id"]])


def main(
    lines: Annotated[int, typer.Option(min=1, help="Responses to score.")] = 10_000,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 1,
    builds: Annotated[int, typer.Option(min=0, help="Times that the release is built.")] = 3,
) -> None:
    """Print both. Each cell: median (least-greatest) over the repeats."""
    require(RELEASE)
    if builds:
        print_builds(RELEASE, builds)
    table = Table(*COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        by_row, by_sample = (Path(folder) / name for name in ("by_row.jsonl", "by_sample.jsonl"))
        words = apart(write, by_row, by_sample, lines)
        print(f"{words / lines:,.0f} words and {by_row.stat().st_size / lines / 1e3:.1f} KB a response")
        contenders: dict[str, Contender] = ways(RELEASE) | {"statements read": parsed}
        files = {name: (contender, by_row) for name, contender in contenders.items()}
        files["1 worker, by sample"] = (partial(evaluated, release=RELEASE), by_sample)
        compare(files, repeats, lines, table)
    Console(width=140).print(table)


if __name__ == "__main__":
    typer.run(main)
