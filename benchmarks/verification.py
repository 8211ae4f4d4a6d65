"""``rb_verify.evaluate`` of 100,000 predictions to each dataset beside its floor, by 1 and by 2 processes; answers scored
beside peers' scorers; and how time and memory grow from 10^4 to 10^6 predictions.

Every measurement runs in a new process, which reports its time, imports left out and all else in (the release read and
checked, the report made), and its peak memory.

Floor: the same file read and the JSON of each line decoded, as ``json.loads`` does it.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import peers
import responses
from comparison import FLOOR, OURS, Comparison, Growth, compared
from generation import rows
from measuring import FROZEN, apart, peak, timed

from rb_verify import score
from rb_verify.tracebench import perfect

LINES = 100_000
BANK = 12_000  # different responses, which later samples repeat; no cache holds so many
GROWING = (10_000, 100_000, 1_000_000)
CONFIG = "default"
REEF_WORDS = 750  # of a response of 4 KB


@dataclass(frozen=True)
class Measured:
    """What one process measured: wall seconds, and its peak memory in MB."""

    seconds: float
    memory: float


def write_predictions(file: Path, release: Path, lines: int) -> None:
    """Write so many predictions: rounds over all rows of the config, each round the next sample."""
    from rb_verify.release import load

    dataset, told = release.parent.name, load(release, CONFIG).rows
    golden = {row["pair"]: row["golden"] for row in told if row.get("golden")}
    rng = random.Random(lines)

    def respond(row: dict[str, Any]) -> str:
        if dataset == "reefbench":
            return responses.reefbench(golden[row["pair"]], REEF_WORDS)(row, rng)
        return {"tracebench": responses.tracebench, "twosat": responses.two_sat}[dataset](row, rng)

    rounds = min(-(-lines // len(told)), max(1, BANK // len(told)))
    bank = [(row["id"], json.dumps(respond(row))) for _ in range(rounds) for row in told]
    with file.open("w") as out:
        for place, (name, text) in enumerate(islice(cycle(bank), lines)):
            out.write(f'{{"id": "{name}", "response": {text}, "sample": {place // len(told)}}}\n')


def floor(file: Path, release: Path) -> None:
    """Read the file and decode each line."""
    with file.open("rb") as lines:
        for line in lines:
            json.loads(line)


def evaluated(file: Path, release: Path, workers: int) -> None:
    """Evaluate the file by so many processes."""
    from rb_verify import evaluate

    evaluate(file, release, config=CONFIG, partial=True, workers=workers)


def measure(contender: Callable[[Path, Path], None], file: Path, release: Path) -> Measured:
    """Run a contender in this process."""
    import rb_verify.evaluation  # noqa: F401  (so that its import is not timed)

    taken, _ = timed(partial(contender, file, release))
    return Measured(taken, peak())


def verified(release: Path, repeats: int, lines: int = LINES) -> Comparison:
    """So many predictions to a release by 1 and by 2 processes."""
    one, two = partial(evaluated, workers=1), partial(evaluated, workers=2)
    times: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "predictions.jsonl"
        apart(write_predictions, file, release, lines)
        size = file.stat().st_size / lines / 1e3
        for _ in range(repeats):
            for name, contender in ((FLOOR, floor), (OURS, one), ("2 processes", two)):
                times[name].append(apart(measure, contender, file, release).seconds)
    what = f"{lines:,} predictions of {size:.1f} KB"
    return Comparison(f"verification of {release.parent.name}", what, times.pop(OURS), times.pop(FLOOR), times)


def growth(release: Path, sizes: Sequence[int] = GROWING) -> Growth:
    """Time and memory by the number of predictions."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "predictions.jsonl"
        for lines in sizes:
            apart(write_predictions, file, release, lines)
            results.append(apart(measure, partial(evaluated, workers=1), file, release))
    seconds, memory = [each.seconds for each in results], [each.memory for each in results]
    return Growth(f"verification of {release.parent.name}", "predictions", sizes, seconds, memory)


def judge(said: list[tuple[dict[str, Any], str]]) -> None:
    """Score responses, all of which are right."""
    assert all(score(row, response).score for row, response in said)


def answers(repeats: int, number: int = 500) -> Iterator[Comparison]:
    """Perfect answers scored, beside the peers' gold answers scored by the peers."""
    core, gym = peers.reasoning_core(), peers.reasoning_gym()
    said = [(row, perfect(row)) for row in rows(8, number, 1)]
    contenders: dict[str, Callable[[], object]] = {OURS: partial(judge, said)}
    if core is not None:
        contenders["reasoning-core"] = partial(core.judge, core.entries(8, number, 1))
    if gym is not None:
        contenders["knights and knaves of reasoning-gym"] = partial(gym.judge, gym.entries(number, 1))
    contenders[FLOOR] = lambda: [json.loads(response) for _, response in said]
    yield compared("answers scored, TRACE", f"{number} of 8 events", contenders, repeats)


def comparisons(repeats: int) -> Iterator[Comparison | Growth]:
    """All of it. ReEfBench's 100,000 take half an hour, so they are measured once, and its growth is left out."""
    yield from answers(repeats)
    for dataset in ("tracebench", "twosat"):
        yield verified(FROZEN[dataset], repeats)
        yield growth(FROZEN[dataset])
    yield verified(FROZEN["reefbench"], 1)
