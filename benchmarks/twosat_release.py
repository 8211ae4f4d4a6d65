"""The whole of twosat@1.0.0 built with 1 and 2 workers, and predictions for it evaluated beside merely reading them.

Predictions are those of a model that answers SAT or UNSAT and gives an assignment: two in three are right, the others
have a variable flipped, an entity left out, the decision turned, or are cut off. Each has 1 KB of thinking.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from measuring import RELEASES, apart, print_builds, require
from rich.console import Console
from rich.table import Table
from verify import COLUMNS, compare, ways, write_predictions

from rb_verify import twosat
from rb_verify.schemes import SCHEMES

RELEASE = RELEASES / "twosat" / "1.0.0"
WORDS = ("if", "room", "is", "lit", "then", "the", "other", "must", "be", "dark", "so", "we", "get", "both", "which", "holds")


def response(row: dict[str, Any], rng: random.Random) -> str:
    """Thinking of about 1 KB and an answer."""
    thinking, said, kind = " ".join(rng.choices(WORDS, k=220)), json.loads(twosat.perfect(row)), rng.randrange(12)
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


def main(
    lines: Annotated[int, typer.Option(min=1, help="Predictions to evaluate.")] = 100_000,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 3,
) -> None:
    """Print both. Each cell: median (least-greatest) over the repeats."""
    require(RELEASE)
    print_builds(RELEASE, repeats)
    table = Table(*COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "predictions.jsonl"
        apart(write_predictions, file, lines, RELEASE, response)
        compare({name: (way, file) for name, way in ways(RELEASE).items()}, repeats, lines, table)
    Console(width=140).print(table)


if __name__ == "__main__":
    typer.run(main)
