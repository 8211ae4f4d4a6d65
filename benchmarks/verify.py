"""rb_verify.evaluate beside its floor: merely reading the same predictions file and decoding the JSON of each line.

Predictions are about 4 KB each: a block of thinking, then the gold answer object or a spoilt one. Every measurement
runs in a new process, which reports its time (imports left out) and its peak memory; the contenders alternate.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from measuring import RELEASES, apart, peak, ratios, require, spread, timed
from rich.console import Console
from rich.table import Table

RELEASE = RELEASES / "tracebench" / "1.0.0"
WORDS = ("so", "the", "event", "starts", "after", "it", "ends", "and", "we", "know", "that", "B", "must", "come", "before", "D")
FEW = 10_000
COLUMNS = ("lines", "contender", "predictions/s", "time", "peak MB", "largest worker, MB")

Contender = Callable[[Path], None]
Respond = Callable[[dict[str, Any], random.Random], str]


@dataclass(frozen=True)
class Measured:
    """What one process measured: wall seconds, its own peak memory and that of its largest worker, in MB."""

    seconds: float
    memory: float
    worker: float


def response(row: dict[str, Any], rng: random.Random) -> str:
    """Thinking of about 3.5 KB, then an answer object: one in three is gold, the others wrong, spoilt or cut off."""
    thinking = " ".join(rng.choices(WORDS, k=rng.randint(700, 1100)))
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


def write_predictions(file: Path, lines: int, release: Path = RELEASE, respond: Respond = response) -> None:
    """Write so many predictions: to all rows of the default config, then again as their next sample."""
    names = json.loads((release / "manifest.json").read_bytes())["configs"]["default"]["test"]
    rows = [json.loads(line) for name in names for line in (release / name).read_bytes().splitlines()]
    rng = random.Random(lines)

    def predictions() -> Iterator[dict[str, Any]]:
        for sample in count():
            yield from ({"id": row["id"], "response": respond(row, rng), "sample": sample} for row in rows)

    with file.open("w") as out:
        out.writelines(json.dumps(prediction) + "\n" for prediction in islice(predictions(), lines))


def floor(file: Path) -> None:
    """Read the file and decode each line."""
    with file.open("rb") as lines:
        for line in lines:
            json.loads(line)


def evaluated(file: Path, release: Path = RELEASE, workers: int = 1, stdin: bool = False) -> None:
    """Evaluate the file, by so many workers, or as standard input."""
    from rb_verify import evaluate

    if stdin:
        sys.stdin = file.open()
    evaluate("-" if stdin else file, release, partial=True, workers=workers)


def ways(release: Path) -> dict[str, Contender]:
    """The floor, and evaluation against a release by 1 and by 2 workers."""
    one, two = (partial(evaluated, release=release, workers=number) for number in (1, 2))
    return {"floor": floor, "1 worker": one, "2 workers": two}


def measure(contender: Contender, file: Path) -> Measured:
    """Run a contender in this process."""
    import rb_verify.evaluation  # noqa: F401  (so that its import is not timed)

    taken, _ = timed(partial(contender, file))
    return Measured(taken, peak(), peak(workers=True))


def compare(contenders: Mapping[str, tuple[Contender, Path]], repeats: int, lines: int, table: Table) -> None:
    """Measure contenders, interleaved, and add a row for each; the first is what the others are compared with."""
    results: dict[str, list[Measured]] = defaultdict(list)
    for _ in range(repeats):
        for name, (contender, file) in contenders.items():
            results[name].append(apart(measure, contender, file))
    times = {name: [result.seconds for result in some] for name, some in results.items()}
    first = next(iter(times))
    for name, some in results.items():
        rates = spread([lines / taken for taken in times[name]])
        ratio = f"{spread(ratios(times[name], times[first]), 'x')} of {first}"
        memory, worker = max(result.memory for result in some), max(result.worker for result in some)
        table.add_row(f"{lines:,}", name, rates, ratio, f"{memory:.0f}", f"{worker:.0f}" if worker else "-")


def main(
    lines: Annotated[int, typer.Option(min=FEW, help="Predictions in the large file.")] = 100_000,
    repeats: Annotated[int, typer.Option(min=1, help="Times that each is done.")] = 3,
) -> None:
    """Compare evaluation with its floor. Each cell: median (least-greatest) over the repeats; memory: the greatest."""
    require(RELEASE)
    table = Table(*COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        few, many, zipped = (Path(folder) / name for name in ("few.jsonl", "many.jsonl", "few.jsonl.gz"))
        for file, number in ((few, FEW), (many, lines)):
            apart(write_predictions, file, number)
            compare({name: (contender, file) for name, contender in ways(RELEASE).items()}, repeats, number, table)
        with few.open("rb") as source, gzip.open(zipped, "wb") as target:
            shutil.copyfileobj(source, target)
        inputs: dict[str, tuple[Contender, Path]] = {
            "plain": (evaluated, few),
            "gzip": (evaluated, zipped),
            "stdin": (partial(evaluated, stdin=True), few),
        }
        compare(inputs, repeats, FEW, table)
    Console(width=140).print(table)


if __name__ == "__main__":
    typer.run(main)
