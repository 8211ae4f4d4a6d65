"""What may stand on one board, under which name, and what is refused in words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compare_cases import (
    Data,
    board,
    boards,
    changed,
    laid,
    signed,
)
from rb_verify.comparable import read
from rb_verify.errors import UnusableInput


def saved(folder: Path, *values: Any) -> list[Path]:
    """Files with these JSON values."""
    paths = [folder / f"{i}.json" for i in range(len(values))]
    for path, value in zip(paths, values, strict=True):
        path.write_text(value if isinstance(value, str) else json.dumps(value))
    return paths


@pytest.mark.parametrize(
    ("part", "other"),
    [("digest", "0" * 16), ("verifier", "rb-verify-9"), ("parser", "json-9"), ("samples", "3"), ("text", "answer")],
)
def test_different_signatures_are_refused(part: str, other: str, reports: dict[str, list[Data]]) -> None:
    """Signatures that differ in any part that concerns the score are refused, naming the files, the part and both values."""
    first, second = reports["tracebench"][0], signed(reports["tracebench"][3], **{part: other})
    ours = dict(p.partition(":")[::2] for p in first["signature"].split("|")).get(part)
    with pytest.raises(UnusableInput, match=re.escape(f"0.json and 1.json cannot be compared: {part} is {ours} in the first")):
        board(first, second)
    with pytest.raises(UnusableInput, match=re.escape(f"and {other} in the second")):
        board(first, second)


def test_other_clusters_are_no_common_ground(reports: dict[str, list[Data]]) -> None:
    """Reports with other clusters, or clusters of other weights, are refused."""
    base = reports["tracebench"][0]
    one = {"g": {"a": (1.0, 2.0), "b": (1.0, 2.0)}}
    for other in ({"g": {"a": (1.0, 2.0), "c": (1.0, 2.0)}}, {"g": {"a": (1.0, 1.0), "b": (1.0, 2.0)}}):
        with pytest.raises(UnusableInput, match=r"0\.json and 1\.json have no common ground"):
            board(laid(base, one, "one"), laid(base, other, "other"))
    for dataset, parts in (("tracebench", {"correlation": curve([1], [0.5])}), ("twosat", {"cells": []})):
        report = reports[dataset][0]
        other = changed(report, submission={"model": "x"})
        other[dataset] |= parts
        with pytest.raises(UnusableInput, match="have no common ground"):
            board(report, other)


def test_other_baselines_are_refused(reports: dict[str, list[Data]]) -> None:
    """One release has one set of baselines."""
    first, second = reports["twosat"][0], changed(reports["twosat"][3], baselines={"x": {"score": 0.5}})
    with pytest.raises(UnusableInput, match="different baselines"):
        board(first, second)


def test_versions_and_configs_are_boards_of_their_own(reports: dict[str, list[Data]]) -> None:
    """Reports of other datasets, versions or configs are not refused: each has its own board."""
    base = reports["tracebench"][0]
    version = signed(changed(base, version="0.2.0"), v="0.2.0")
    config = signed(changed(base, config="deep"), config="deep")
    found = boards(base, version, config, reports["twosat"][0])["boards"]
    keys = [(each["dataset"], each["version"], each["config"]) for each in found]
    expected = [("0.1.0", "deep"), ("0.1.0", "default"), ("0.2.0", "default")]
    assert keys == [*(("tracebench", *each) for each in expected), ("twosat", "0.1.0", "default")]


def _cluster(report: Data) -> Data:
    group = next(iter(report["clusters"]))
    name = next(iter(report["clusters"][group]))
    return {**report["clusters"], group: {**report["clusters"][group], name: [0, 1]}}


def unscored(report: Data) -> Data:
    """The parts that say nothing was scored."""
    nothing = {"value": None, "n": 0, "interval": None}
    return {"score": None, "interval": None, "rates": report["rates"] | {"score": nothing}}


def rescored(report: Data, score: float) -> Data:
    """The parts that say another score, everywhere but in the clusters."""
    return {"score": score, "rates": report["rates"] | {"score": report["rates"]["score"] | {"value": score}}}


def curve(levels: list[int], means: list[float]) -> Data:
    """TRACE's correlation."""
    return {"levels": levels, "true_reasoning": means, "pearson_r": None}


BROKEN: dict[str, tuple[Any, str]] = {
    "no json": (lambda r: '{"id": 1}\n{"id": 2}', "is not JSON"),
    "nan": (lambda r: json.dumps(r).replace(f'"score": {r["score"]}', '"score": NaN', 1), "NaN is no number"),
    "no report": (lambda r: {"id": "x", "response": "y"}, "is no report"),
    "a number": (lambda r: 7, "is no report"),
    "no reports": (lambda r: [], "is no report"),
    "older": (lambda r: {k: v for k, v in r.items() if k != "clusters"}, "'clusters' is a required property"),
    "stranger": (lambda r: r | {"dataset": "other\x1b[31m"}, r"dataset 'other\?\[31m'"),
    "schema": (lambda r: r | {"n": -1}, r"is no report of this version \(\$\.n"),
    "own part": (lambda r: r | {"tracebench": {}}, r"\$\.tracebench"),
    "submission": (lambda r: r | {"submission": {"mode": "fast"}}, "is no report of this version"),
    "partial": (lambda r: r | {"partial": True}, "is partial"),
    "score": (lambda r: r | rescored(r, 0.999), "contradicts itself: the score is 0.999"),
    "clusters": (lambda r: r | {"clusters": _cluster(r)}, "contradicts itself: the score"),
    "groups": (lambda r: r | {"breakdown": r["breakdown"][1:]}, "different groups"),
    "columns": (lambda r: r | {"rates": {"score": r["rates"]["score"]}}, "it has no rates of accuracy"),
    "twice": (lambda r: r | {"interval": [0, 1]}, "its score is told twice"),
    "nothing": (lambda r: r | unscored(r), "nothing was scored"),
    "no share": (lambda r: r | {"rates": r["rates"] | {"accuracy": {"value": 7, "n": 1, "interval": None}}}, r"\$\.rates"),
    "infinite": (lambda r: r | {"clusters": {g: {"c": [1e300, 1e300]} for g in r["clusters"]}}, r"\$\.clusters"),
    "levels": (lambda r: r | {"tracebench": {"correlation": curve([1, 2], [0.5])}}, "not a mean for each level"),
    "counts": (lambda r: r | {"n": r["n"] + 1}, "counts do not add up"),
    "signature": (lambda r: signed(r, config="deep"), "its signature has config 'deep'"),
    "digest": (lambda r: r | {"content_digest": "0" * 64}, "its signature has digest"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_report_is_refused(case: str, reports: dict[str, list[Data]], tmp_path: Path) -> None:
    """One sentence names the file and what is wrong with it."""
    make, phrase = BROKEN[case]
    (path,) = saved(tmp_path, make(reports["tracebench"][3]))
    with pytest.raises(UnusableInput, match=phrase) as caught:
        read([path])
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_names_of_models(reports: dict[str, list[Data]], tmp_path: Path) -> None:
    """A model is named by its submission, else by its file; the mode tells two of one name apart, else both are refused."""
    base = reports["tracebench"][1]
    said: list[Data] = [{}, {"model": "M"}, {"model": "N", "mode": "long"}, {"model": "N", "mode": "short"}, {"model": " \n"}]
    values = [changed(base, submission=each) for each in said]
    (field,) = gathered_files(saved(tmp_path, *values))
    assert [entrant.name for entrant in field] == ["0", "4", "M", "N · long", "N · short"]
    (tmp_path / "again").mkdir()
    paths = saved(tmp_path / "again", values[1], values[1])
    with pytest.raises(UnusableInput, match=r"0\.json and .*1\.json are both of a model 'M': tell them apart by model or mode"):
        gathered_files(paths)


def gathered_files(paths: list[Path]) -> list[list[Any]]:
    """The entrants of the fields of files."""
    from rb_verify.comparable import fields

    return [field.entrants for field in fields(read(paths))]


def test_file_may_hold_several_reports(reports: dict[str, list[Data]], tmp_path: Path) -> None:
    """An array of reports is as many reports."""
    (path,) = saved(tmp_path, [reports["tracebench"][3], reports["twosat"][3]])
    assert [entrant.report["dataset"] for entrant in read([path])] == ["tracebench", "twosat"]
