"""docs/adding.md: four files and one line add its benchmark to a copy of the checkout, and all commands do their work."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import REPO
from documented import commands
from rb_verify.datasets import DATASETS

PAGE = "docs/adding.md"
EXAMPLE = REPO / "examples" / "adding"
SOURCES = ("builders", "verifiers", "schemas", "cards", "examples")
FILES = {"builders/rb_build/swaps.py", "cards/swaps.md", "schemas/swaps.schema.json", "verifiers/rb_verify/swaps.py"}
LINE = "verifiers/rb_verify/datasets.py"
DIGEST = "a2175c2a1a05da4110a3d1976804922f742694a2d00f1800a2655486aef78399"


@dataclass(frozen=True)
class Checkout:
    """A copy of the sources. ``environment``: what commands of these run in."""

    folder: Path
    environment: dict[str, str]

    def run(self, command: str, code: int = 0) -> str:
        """What a command prints, which must end as it should."""
        ended = subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert ended.returncode == code, f"{command}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def contents(self) -> dict[str, str]:
        """The text of each source file by its path."""
        files = [path for top in SOURCES for path in (self.folder / top).rglob("*") if path.suffix in (".py", ".json", ".md")]
        return {str(path.relative_to(self.folder)): path.read_text("utf-8") for path in files}

    def rows(self, release: str) -> list[dict[str, Any]]:
        """The rows of a release that lies in the copy."""
        return [json.loads(line) for path in sorted((self.folder / release / "data").iterdir()) for line in path.open("rb")]

    def verdicts(self, release: str, row: str, responses: list[str]) -> list[dict[str, Any]]:
        """The details of responses to a row, in order."""
        lines = [json.dumps({"id": row, "response": said, "sample": sample}) for sample, said in enumerate(responses)]
        (self.folder / "said.jsonl").write_text("\n".join(lines))
        self.run(f"rb-verify said.jsonl --release {release} --partial --details said.details")
        return [json.loads(line) for line in (self.folder / "said.details").read_text().splitlines()]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The sources as they are, with commands that run them."""
    root = tmp_path_factory.mktemp("adding")
    folder, bin_ = root / "checkout", root / "bin"
    for top in SOURCES:
        shutil.copytree(REPO / top, folder / top, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    bin_.mkdir()
    for name, module in (("rb-build", "rb_build"), ("rb-compare", "rb_verify.compare_cli"), ("rb-verify", "rb_verify")):
        (bin_ / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        (bin_ / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RB_")}
    paths = {"PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": f"{folder}/builders:{folder}/verifiers"}
    # git apply does nothing where it takes the copy for a part of some repository around it.
    return Checkout(folder, kept | paths | {"GIT_CEILING_DIRECTORIES": str(root), "PYTHONDONTWRITEBYTECODE": "1"})


@pytest.fixture(scope="module")
def added(checkout: Checkout) -> Checkout:
    """The copy once the page's commands have run, all but the last ones of which must add exactly what the page says."""
    before = checkout.contents()
    copying, naming, *rest = [command.text for command in commands(PAGE)]
    checkout.run(copying)
    checkout.run(naming)
    after = checkout.contents()
    assert {path for path in after if before.get(path) != after[path]} == FILES | {LINE}
    assert before.keys() == after.keys() - FILES
    changes = [
        line for line in difflib.ndiff(before[LINE].splitlines(), after[LINE].splitlines()) if line.startswith(("+ ", "- "))
    ]
    assert changes == ['+     "swaps",']
    for command in rest:
        checkout.run(command)
    return checkout


def test_the_page_names_every_file() -> None:
    """The pieces of the page's table are what lies in the example."""
    text = (REPO / PAGE).read_text("utf-8")
    for file in FILES:
        assert f"[{file}](../examples/adding/{file})" in text
    lying = {str(path.relative_to(EXAMPLE)) for path in EXAMPLE.rglob("*.*") if path.suffix != ".pyc"}
    assert lying == FILES | {"name.patch", "recipe.json"}


def test_the_page_tells_all_that_a_scorer_has() -> None:
    """Each member of the protocol stands in the page's table."""
    protocol = (REPO / LINE).read_text("utf-8").partition("class Scorer")[2].partition("DATASETS =")[0]
    members = re.findall(r"^    (?:def )?(\w+)[:(]", protocol, re.MULTILINE)
    assert len(members) > 15
    table = (REPO / PAGE).read_text("utf-8").partition("| member | meaning |")[2].partition("\n\n")[0]
    assert [name for name in members if not re.search(rf"`{name}\b", table)] == []


def test_its_bytes_are_those_of_the_recipe(added: Checkout) -> None:
    """By one process and by two, frozen or not: the golden digest."""
    manifests = []
    for number in (1, 2):
        added.run(f"rb-build build examples/adding/recipe.json --out by{number} --workers {number}")
        manifests.append((added.folder / f"by{number}" / "manifest.json").read_bytes())
    frozen = (added.folder / "releases" / "swaps" / "0.1.0" / "manifest.json").read_bytes()
    assert manifests == [frozen, frozen]
    assert json.loads(frozen)["content_digest"] == DIGEST


def test_gold_is_all_right_and_attacks_score_what_counting_says(added: Checkout) -> None:
    """The report: every gold answer traced; of attacks what can be counted in the rows."""
    report = json.loads((added.folder / "gold.json").read_text())
    rows = added.rows("swaps")
    assert report["rates"]["score"]["value"] == 1
    assert report["swaps"]["followed"]["n"] == sum(len(row["swaps"]) for row in rows)
    stays = sum(row["answer"] == row["start"] for row in rows) / len(rows)
    idle = sum(all(row["start"] not in pair for pair in row["swaps"]) for row in rows) / len(rows)
    last = sum(row["answer"] == row["swaps"][-1][0] for row in rows) / len(rows)
    found = {name: (each["accuracy"], each["score"]) for name, each in report["baselines"].items()}
    assert 0 < last < 0.4
    assert found["constant_start"] == pytest.approx((stays, idle), abs=1e-6)
    assert found["last_swap"] == pytest.approx((last, 0), abs=1e-6)
    assert found["random"][1] == 0


def test_gold_follows_by_composing_permutations(added: Checkout) -> None:
    """An oracle of its own: swaps as permutations, multiplied from the last to the first."""
    for row in added.rows("swaps"):
        goes = {name: name for name in row["people"]}  # where the thing of each ends
        for a, b in reversed(row["swaps"]):
            goes[a], goes[b] = goes[b], goes[a]
        assert goes[row["start"]] == row["answer"]


def test_responses(added: Checkout) -> None:
    """What is made of responses that are well formed, sloppy, evasive or cut off."""
    rows = added.rows("swaps")
    row = next(row for row in rows if row["level"] == 4)
    right, wrong = row["answer"], next(name for name in row["people"] if name != row["answer"])
    holders = row["holders"]

    def said(answer: Any, **others: Any) -> str:
        return json.dumps({**others, "answer": answer})

    table = [
        (said(right, holders=holders), "traced", None),
        (f"So:\n```json\n{said(right.upper(), holders=[name.lower() for name in holders])}\n```", "traced", None),
        (f"<think>{said(wrong, holders=holders)}</think>{said(right, holders=holders)}", "traced", None),
        (said(right, holders=holders).replace('"', "'"), "traced", None),
        (said(right), "guessed", "trace_absent"),
        (said(right, holders=" ".join(holders)), "guessed", "trace_unreadable"),
        (said(right, holders=holders[:-1]), "guessed", "trace_wrong_length"),
        (said(right, holders=[*holders, right]), "guessed", "trace_wrong_length"),
        (said(right, holders=[wrong if name == right else right for name in holders]), "guessed", "trace_wrong"),
        (f"Final answer: {right}", "guessed", "trace_absent"),
        (said(wrong, holders=holders), "lost", "answer_misaligned"),
        (said(wrong), "lost", "trace_absent"),
        (said(f"{right} or {wrong}", holders=holders), "parse_failure", "format_non_compliance"),
        (said(None, holders=holders), "parse_failure", "format_non_compliance"),
        (row["prompt"], "parse_failure", "format_non_compliance"),
        (f"<think>{said(right, holders=holders)} wait", "parse_failure", "reasoning_explosion"),
        (said(right, holders=holders)[:-3], "parse_failure", "reasoning_explosion"),
        ("", "parse_failure", "format_non_compliance"),
    ]
    found = added.verdicts("swaps", row["id"], [response for response, _, _ in table])
    assert [(each["category"], each["failure"]) for each in found] == [(category, failure) for _, category, failure in table]
    assert Counter(each["score"] for each in found) == {0: 14, 1: 4}


def test_what_is_changed_is_found(added: Checkout) -> None:
    """``prove`` finds nothing in the rows, and names whatever is changed in one."""
    (added.folder / "prove.py").write_text(_PROVE)
    row = next(row for row in added.rows("swaps") if row["level"] == 4)
    wrong = next(name for name in row["people"] if name != row["answer"])
    changes = {
        "answer": (wrong, ["answer is not the last holder"]),
        "canary": ("none", ["canary is not the recipe's"]),
        "game": ("swaps-0-1-0-s08-g000", ["id is not of this release, level and game"]),
        "holders": ([wrong] * 4, ["holders are not the oracle's"]),
        "level": (8, ["level is not the number of swaps, or not its file's"]),
        "people": (row["people"][:4], None),
        "prompt": ("Who has it?", ["prompt is not that of its swaps"]),
        "signature": ("0" * 64, ["signature is not the game's"]),
        "swaps": (row["swaps"][::-1], None),
    }
    given = [row, *(row | {name: value} for name, (value, _) in changes.items())]
    (added.folder / "given.json").write_text(json.dumps(given))
    first, *others = json.loads(added.run(f"'{sys.executable}' prove.py"))
    assert first == []
    for (name, (_, faults)), found in zip(changes.items(), others, strict=True):
        assert found, name
        assert faults is None or found == [f"{row['id']}: {fault}" for fault in faults]


_PROVE = """
import json, pathlib
from rb_build import recipe, swaps
read = recipe.read(pathlib.Path("examples/adding/recipe.json"))
rows = json.loads(pathlib.Path("given.json").read_text())
print(json.dumps([swaps.prove(read, "s04", [row]) for row in rows]))
"""


def test_the_rest_is_there(added: Checkout) -> None:
    """Shards, a sealed seed with its blind split, exports, pages, boards and explanations, of a dataset nobody else knows."""
    folder = added.folder
    assert "Holders" in (folder / "gold.html").read_text("utf-8")
    assert json.loads((folder / "board" / "board.json").read_text())["boards"][0]["dataset"] == "swaps"
    assert "after swap" in added.run("rb-verify gold.jsonl --release swaps --explain swaps-0-1-0-s04-g000-q0")
    assert not {row["signature"] for row in added.rows("swaps")} & {row["signature"] for row in added.rows("fresh")}
    added.run("rb-build fresh swaps --seed many --shards 2 --out shards")
    added.run("rb-build check shards")
    added.run("rb-build commit swaps --seed-file sealed.json")
    added.run("rb-build build sealed.json --out sealed")
    added.run("rb-build export sealed --blind --out blind")
    prompts = [json.loads(line) for path in (folder / "blind" / "data").iterdir() for line in path.open("rb")]
    assert len(prompts) == len(added.rows("sealed"))
    assert all("holders" not in row for row in prompts)
    added.run("rb-build export swaps --format csv --out csv")
    assert list((folder / "csv").rglob("*.csv"))


@pytest.mark.slow
def test_types(added: Checkout) -> None:
    """Every scorer is a Scorer and every builder a Builder, which names in DATASETS alone do not let mypy see; and the example
    is as strictly typed as the rest."""
    lines = ["from rb_build.datasets import Builder", "from rb_verify.datasets import Scorer"]
    for name in (*DATASETS, "swaps"):
        lines.append(f"import rb_build.{name}, rb_verify.{name}")
        lines.append(f"{name}: tuple[Builder, Scorer] = rb_build.{name}, rb_verify.{name}")
    (added.folder / "conforms.py").write_text("\n".join(lines) + "\n")
    (added.folder / "fails.py").write_text("import json\nfrom rb_verify.datasets import Scorer\nscorer: Scorer = json\n")
    mypy = f"MYPYPATH=builders:verifiers '{sys.executable}' -m mypy --strict --explicit-package-bases --follow-imports=silent"
    added.run(f"{mypy} conforms.py builders/rb_build/swaps.py verifiers/rb_verify/swaps.py")
    assert "Scorer" in added.run(f"{mypy} fails.py", code=1)
