"""Which reports may stand on one board: read, checked, named, and gathered by dataset, version and config.

Two scores are comparable where their signatures are equal. ReEfBench's marks ``tokens`` and ``nodes`` say who counted and
who parsed; they concern the process alone, so they keep models out of the depth-cost plane but not off the board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

from rb_verify.console import plain
from rb_verify.datasets import SCORERS
from rb_verify.errors import UnusableInput
from rb_verify.paired import Clusters
from rb_verify.report import differing, parts
from rb_verify.schema import violations
from rb_verify.submission import read_reports

PROCESS_MARKS = ("tokens", "nodes")
_AGAIN = "write it again with rb-verify --json"


class Entrant(NamedTuple):
    """A report that takes part. ``name``: of the model, as shown; ``file``: the path it was read from."""

    name: str
    file: str
    report: dict[str, Any]

    @property
    def submission(self) -> dict[str, Any]:
        """What the report says of the model."""
        return dict(self.report["submission"])


class Field(NamedTuple):
    """The entrants of one board, their names all different, in the order of the names."""

    dataset: str
    version: str
    config: str
    entrants: list[Entrant]


def read(paths: Iterable[str | Path]) -> list[Entrant]:
    """The reports of files, each an object or an array of them, named by model or else by file.

    Raises UnusableInput, naming the file, for what is no report, and for one that is partial or does not add up.
    """
    found = []
    for path in map(Path, paths):
        for report in read_reports(path):
            _check(str(path), report)
            name = " ".join(report["submission"].get("model", "").split())
            found.append(Entrant(name or path.stem, str(path), report))
    return found


def fields(entrants: Sequence[Entrant]) -> list[Field]:
    """The entrants by dataset, version and config.

    Raises UnusableInput, naming two files, where signatures differ within a board, where clusters or baselines do, and
    where two models have one name.
    """
    groups: dict[tuple[str, str, str], list[Entrant]] = {}
    for entrant in entrants:
        key = entrant.report["dataset"], entrant.report["version"], entrant.report["config"]
        groups.setdefault(key, []).append(entrant)
    return [Field(*key, _named(_agreed(some))) for key, some in sorted(groups.items())]


def comparable(signature: str) -> str:
    """A signature without the marks that concern the process alone: what must be equal for scores to be comparable."""
    return "|".join(part for part in signature.split("|") if part.partition(":")[0] not in PROCESS_MARKS)


def clusters_of(report: Mapping[str, Any], group: str | None = None) -> Clusters:
    """The clusters of a report's headline, of one group or of all: numerator and denominator by name."""
    sums: dict[str, tuple[float, float]] = {}
    for clusters in report["clusters"].values() if group is None else [report["clusters"][group]]:
        for name, (numerator, denominator) in clusters.items():
            a, b = sums.get(name, (0.0, 0.0))
            sums[name] = a + numerator, b + denominator
    return sums


def _check(file: str, report: dict[str, Any]) -> None:
    """Refuse a report that cannot be compared."""
    if report["dataset"] not in SCORERS:
        raise UnusableInput(f"{file}: is of dataset {plain(report['dataset'][:60])!r}, which rb-compare does not know")
    broken = violations(report, "compared")
    if not broken and report["submission"]:
        broken = violations(report["submission"], "submission")
    if broken:
        raise UnusableInput(f"{file}: is no report of this version: {plain(broken[0][:200])}; {_AGAIN}")
    if report["partial"]:
        raise UnusableInput(f"{file}: is partial: rows were left out, so nothing compares with it; score it without --partial")
    if wrong := _contradiction(report):
        raise UnusableInput(f"{file}: contradicts itself: {wrong}; {_AGAIN}")


def _contradiction(report: dict[str, Any]) -> str | None:
    """In what a report contradicts itself, None if in nothing."""
    said = parts(report["signature"])
    expected = {
        "dataset": report["dataset"],
        "v": report["version"],
        "config": report["config"],
        "digest": report["content_digest"][:16],
        "partial": "no",
        "samples": str(report["samples"]),
    }
    for part, value in expected.items():
        if said.get(part) != value:
            return f"its signature has {part} {plain(str(said.get(part)))!r} where it says {plain(value)!r}"
    if sum(report["counts"].values()) != report["n"]:
        return "its counts do not add up to n"
    for column in SCORERS[report["dataset"]].COLUMNS:
        if not all(column.name in rates for rates in (report["rates"], *report["breakdown"])):
            return f"it has no rates of {column.name}"
    told = report["rates"]["score"]
    if (told["value"], told["interval"]) != (report["score"], report["interval"]):
        return "its score is told twice, and differently"
    if report["score"] is None or report["interval"] is None:
        return "nothing was scored"
    groups = {group["group"]: group["score"]["value"] for group in report["breakdown"]}
    if set(groups) != set(report["clusters"]):
        return "its clusters and its breakdown have different groups"
    for group, value in [(None, report["score"]), *groups.items()]:
        sums = clusters_of(report, group).values()
        below = fsum(denominator for _, denominator in sums)
        score = fsum(numerator for numerator, _ in sums) / below if below else None
        if (score is None) != (value is None) or (score is not None and abs(score - value) > 1e-6):
            where = "" if group is None else f" of {plain(group)}"
            return f"the score{where} is {value}, and its clusters give {score}"
    correlation = report.get("tracebench", {}).get("correlation")
    if correlation and len(correlation["levels"]) != len(correlation["true_reasoning"]):
        return "its correlation has not a mean for each level"
    return None


def _agreed(entrants: list[Entrant]) -> list[Entrant]:
    """The entrants, if all have the signature, clusters and baselines of the first."""
    first, *others = entrants
    for other in others:
        for part, ours, theirs in differing(comparable(first.report["signature"]), comparable(other.report["signature"])):
            raise UnusableInput(
                f"{first.file} and {other.file} cannot be compared: {plain(part)} is {plain(str(ours))} in the first and"
                f" {plain(str(theirs))} in the second; score both alike"
            )
        if _weights(first) != _weights(other) or _analysed(first) != _analysed(other):
            raise UnusableInput(f"{first.file} and {other.file} have no common ground: their clusters differ; score both again")
        if first.report["baselines"] != other.report["baselines"]:
            raise UnusableInput(f"{first.file} and {other.file} have different baselines of one release; score both again")
    return entrants


def _weights(entrant: Entrant) -> dict[str, dict[str, float]]:
    return {group: {name: b for name, (_, b) in some.items()} for group, some in entrant.report["clusters"].items()}


def _analysed(entrant: Entrant) -> Any:
    """What the dataset's own analyses are of, which the rows alone decide."""
    own = entrant.report[entrant.report["dataset"]]
    match entrant.report["dataset"]:
        case "tracebench":
            return own["correlation"]["levels"]
        case "stories" | "twosat":
            return [each["scheme"] for each in own["schemes"]], [(each["family"], each["clauses"]) for each in own["cells"]]
    return None


def _named(entrants: list[Entrant]) -> list[Entrant]:
    """The entrants in the order of their names; the mode is told where a model occurs more than once."""
    often = Counter(entrant.name for entrant in entrants)
    named: dict[str, Entrant] = {}
    for entrant in entrants:
        mode = entrant.submission.get("mode")
        name = f"{entrant.name} · {mode}" if often[entrant.name] > 1 and mode else entrant.name
        if name in named:
            raise UnusableInput(
                f"{named[name].file} and {entrant.file} are both of a model {plain(name)!r}: tell them apart by model or mode"
                " in submission.json, and score again with --submission"
            )
        named[name] = entrant._replace(name=name)
    return [named[name] for name in sorted(named)]
