"""twosat 1.0.0: its cells are the paper's, every label and planted fact holds by an independent solver, and what
submissions without reasoning score is what counting by hand gives."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pysat.solvers import Solver

import rb_verify
from conftest import FROZEN_TWOSAT
from rb_build import recipe as recipes
from rb_build import twosat as builder
from rb_build.errors import UnusableRecipe
from rb_build.release import compile_release
from rb_build.structures import TRIES
from rb_verify import canonical, twosat
from rb_verify.release import load
from rb_verify.schemes import SCHEMES, parse
from small_twosat import cell, small_twosat

Rows = dict[str, list[dict[str, Any]]]
# The paper's Table 1: family to numbers of clauses.
CELLS = {
    "ImplicationCycle": (5, 10, 15, 20, 50, 75, 100),
    "EquivalenceCore": (10, 15, 20, 50),
    "Backbone": (20, 50, 75, 100),
    "MonoBridge": (10, 20, 50, 75, 100, 150, 200),
}
MAIN = ("cycle", "core", "backbone", "bridge")
FROZEN: dict[str, Any] = json.loads((FROZEN_TWOSAT / "manifest.json").read_bytes())


@pytest.fixture(scope="module")
def main(twosat_rows: Rows) -> list[dict[str, Any]]:
    """The 1,320 rows of config main."""
    return [row for name in MAIN for row in twosat_rows[name]]


@pytest.fixture(scope="module")
def formulas(twosat_rows: Rows) -> dict[str, dict[str, Any]]:
    """One row of each formula, by the formula's id."""
    return {row["formula"]: row for rows in twosat_rows.values() for row in rows}


def test_bytes_are_the_frozen_ones(twosat_rows: Rows) -> None:
    """Every data file built here has the digest that the manifest froze."""
    built = {f"data/{name}.jsonl": canonical.digest(canonical.lines(rows)) for name, rows in twosat_rows.items()}
    assert built == {path: entry["sha256"] for path, entry in FROZEN["files"].items() if "rows" in entry}
    assert len({row["id"] for rows in twosat_rows.values() for row in rows}) == sum(map(len, twosat_rows.values()))


def test_cells_of_main(main: list[dict[str, Any]]) -> None:
    """22 cells of 10 formulas in 6 schemes, clauses within 1, all parameters at .5, nothing perturbed."""
    assert len(main) == 1320
    cells = Counter((row["family"], row["params"]["clauses"]) for row in main)
    assert cells == {(family, clauses): 60 for family, sizes in CELLS.items() for clauses in sizes}
    assert len(cells) == 22
    for row in main:
        assert abs(len(row["clauses"]) - row["params"]["clauses"]) <= 1
        assert {value for name, value in row["params"].items() if name != "clauses"} == {None, 0.5}
        assert (row["perturbation"], row["base_id"]) == ("none", row["formula"])
    assert Counter(row["scheme"] for row in main) == dict.fromkeys(SCHEMES, 220)


@pytest.mark.parametrize(
    ("config", "rows"),
    [
        ("default", 1320),
        ("main", 1320),
        ("sweeps", 8520),
        ("fillers", 7980),
        ("order", 3120),
        ("repeats", 720),
        ("symmetry", 3000),
        ("twins", 840),
    ],
)
def test_configs(twosat_rows: Rows, config: str, rows: int) -> None:
    """Each config has the rows that it promises, each of them once, and every base of its perturbed rows."""
    files = [Path(path).stem for path in FROZEN["configs"][config]["test"]]
    some = [row for name in files for row in twosat_rows[name]]
    assert len(some) == len({row["id"] for row in some}) == rows
    assert {row["base_id"] for row in some} <= {row["formula"] for row in some}
    assert FROZEN["balance"][config] == dict(sorted(Counter(map(twosat.gold, some)).items()))


def test_sweeps_have_every_level(twosat_rows: Rows) -> None:
    """Seven levels of each parameter at the size of its sweep, three at every size; blocks 0 to 9 at each."""
    some = [row for path in FROZEN["configs"]["sweeps"]["test"] for row in twosat_rows[Path(path).stem]]
    found: dict[tuple[str, int, str], set[float]] = {}
    for row in some:
        params = {name: value for name, value in row["params"].items() if name != "clauses" and value is not None}
        moved = [name for name, value in params.items() if value != 0.5]
        assert len(moved) <= 1
        for name in moved or params:
            found.setdefault((row["family"], row["params"]["clauses"], name), set()).add(params[name])
    seven, three = {0, 0.2, 0.333333, 0.5, 0.666667, 0.8, 1}, {0.2, 0.5, 0.8}
    names = {"ImplicationCycle": 1, "EquivalenceCore": 1, "Backbone": 3, "MonoBridge": 3}
    assert len(found) == sum(names[family] * len(sizes) for family, sizes in CELLS.items())
    for (family, clauses, _), levels in found.items():
        assert levels == (seven if clauses == (20 if family == "EquivalenceCore" else 75) else three)


def test_labels_by_another_solver(formulas: dict[str, dict[str, Any]]) -> None:
    """python-sat agrees with every label; every cycle's core is satisfiable without any one clause."""
    assert len(formulas) == 2636
    for row in formulas.values():
        with Solver("minisat22", bootstrap_with=row["clauses"]) as solver:
            assert solver.solve() == row["satisfiable"], row["formula"]
        if row["planted"]["cycle"] and row["perturbation"] == "none" and len(row["clauses"]) <= 50:
            for left_out in range(len(row["clauses"])):
                with Solver("minisat22", bootstrap_with=row["clauses"][:left_out] + row["clauses"][left_out + 1 :]) as solver:
                    assert solver.solve()


def test_backbones_by_another_solver(formulas: dict[str, dict[str, Any]]) -> None:
    """Of every satisfiable formula, python-sat refutes the opposite of exactly the planted backbone literals."""
    for row in formulas.values():
        if not row["satisfiable"] or row["family"] not in ("Backbone", "EquivalenceCore") or len(row["clauses"]) > 100:
            continue
        with Solver("minisat22", bootstrap_with=row["clauses"]) as solver:
            solver.solve()
            model = solver.get_model()
            forced = [literal for literal in model if not solver.solve(assumptions=[-literal])]
        assert forced == sorted(row["planted"]["backbone"], key=abs), row["formula"]


def test_free_variables_by_another_solver(formulas: dict[str, dict[str, Any]]) -> None:
    """In every EquivalenceCore of 10 or 15 clauses, python-sat enumerates 2^f models."""
    for row in formulas.values():
        if row["family"] == "EquivalenceCore" and row["perturbation"] == "none" and row["params"]["clauses"] <= 15:
            with Solver("minisat22", bootstrap_with=row["clauses"]) as solver:
                assert sum(1 for _ in solver.enum_models()) == 2 ** len(row["planted"]["free"])


def test_every_text_gives_its_clauses_back(twosat_rows: Rows) -> None:
    """Parsing the prompt of each of the 15,816 rows gives its clauses, in order."""
    count = 0
    for rows in twosat_rows.values():
        for row in rows:
            assert parse(SCHEMES[row["scheme"]], row["entities"], row["prompt"]) == row["clauses"]
            count += 1
    assert count == 15816


def test_structures_do_not_repeat_in_a_cell(twosat_rows: Rows) -> None:
    """Where the manifest says that a cell has ten structures, its ten formulas have ten signatures."""
    marks: dict[str, dict[str, str]] = {}
    for rows in twosat_rows.values():
        for row in rows:
            if row["perturbation"] == "none":
                marks.setdefault(row["formula"].rpartition("-f")[0].removeprefix("twosat-1-0-0-"), {})[row["formula"]] = row[
                    "signature"
                ]
    for key, found in marks.items():
        assert FROZEN["structures"][key]["signatures"] == list(found.values())
        assert FROZEN["structures"][key]["distinct"] == len(set(found.values()))
    assert FROZEN["structures"]["ic005"]["distinct"] == 6
    assert FROZEN["structures"]["mb075-density100"]["distinct"] == 1
    assert all(FROZEN["structures"][f"{code}075"]["distinct"] == 10 for code in ("ic", "bb", "mb"))


# ---- Submissions ---------------------------------------------------------------------------------------------------


def written(rows: list[dict[str, Any]], answer: Callable[[dict[str, Any]], str], path: Path) -> Path:
    """A submission that gives ``answer`` to each row."""
    path.write_bytes(canonical.lines({"id": row["id"], "response": answer(row)} for row in rows))
    return path


def test_perfect_submission(twosat_release: Path, main: list[dict[str, Any]], tmp_path: Path) -> None:
    """Witnesses and certificates by the oracle: Sat. and Wit. 100 % in every cell, every certificate valid."""
    report = rb_verify.evaluate(written(main, twosat.perfect, tmp_path / "p.jsonl"), twosat_release)
    assert report.complete
    assert report.data["counts"] == {"correct": 1320, "incorrect": 0, "unparsed": 0, "missing": 0}
    assert [report.data["rates"][name]["value"] for name in ("score", "accuracy", "witness")] == [1, 1, 1]
    own = report.data["twosat"]
    assert [(c["family"], c["clauses"], c["sat"]["value"]) for c in own["cells"]] == [
        (family, clauses, 1) for family, sizes in CELLS.items() for clauses in sizes
    ]
    assert all(c["witness"]["value"] == (None if c["family"] == "ImplicationCycle" else 1) for c in own["cells"])
    assert (own["certificates"]["given"]["value"], own["certificates"]["valid_of_given"]["value"]) == (1, 1)


def satisfied(row: dict[str, Any], values: list[bool]) -> bool:
    """Whether an assignment satisfies a row's clauses."""
    return all(any(values[abs(i) - 1] == (i > 0) for i in clause) for clause in row["clauses"])


def all_true(row: dict[str, Any]) -> str:
    """SAT, every entity true, written with booleans."""
    return json.dumps({"satisfiable": True, "assignment": dict.fromkeys(row["entities"], True)})


def coin(row: dict[str, Any]) -> str:
    """A decision and an assignment by the row's signature and scheme: no structure, but known by hand."""
    bits = int(row["signature"], 16) >> list(SCHEMES).index(row["scheme"])
    values = [bool(bits >> i & 1) for i in range(row["variables"])]
    return json.dumps({"satisfiable": bool(bits & 1), "assignment": dict(zip(row["entities"], values, strict=True))})


@pytest.mark.parametrize("answer", [all_true, lambda row: '{"satisfiable": false, "assignment": null}', coin])
def test_columns_equal_counting_by_hand(
    twosat_release: Path, main: list[dict[str, Any]], tmp_path: Path, answer: Callable[[dict[str, Any]], str]
) -> None:
    """Sat. and Wit. of every cell, solved, SAT on UNSAT, and the categories, are what counting here gives."""
    report = rb_verify.evaluate(written(main, answer, tmp_path / "p.jsonl"), twosat_release).data
    right: Counter[tuple[str, int]] = Counter()
    witnessed: Counter[tuple[str, int]] = Counter()
    said_sat: Counter[tuple[str, int]] = Counter()
    for row in main:
        said, place = json.loads(answer(row)), (row["family"], row["params"]["clauses"])
        right[place] += said["satisfiable"] == row["satisfiable"]
        said_sat[place] += said["satisfiable"]
        if said["satisfiable"] and row["satisfiable"]:
            witnessed[place] += satisfied(row, [said["assignment"][name] for name in row["entities"]])
    for entry in report["twosat"]["cells"]:
        place = entry["family"], entry["clauses"]
        assert entry["sat"]["value"] == pytest.approx(right[place] / 60, abs=1e-6)
        if entry["family"] == "ImplicationCycle":
            assert entry["witness"]["value"] is None
            assert entry["sat_on_unsat"]["value"] == pytest.approx(said_sat[place] / 60, abs=1e-6)
        else:
            assert entry["witness"]["value"] == pytest.approx(witnessed[place] / 60, abs=1e-6)
    unsat = sum(right[place] for place in right if place[0] == "ImplicationCycle")
    assert report["score"] == pytest.approx((unsat + sum(witnessed.values())) / 1320, abs=1e-6)
    assert report["rates"]["accuracy"]["value"] == pytest.approx(sum(right.values()) / 1320, abs=1e-6)
    assert report["rates"]["witness"]["value"] == pytest.approx(sum(witnessed.values()) / 900, abs=1e-6)
    assert report["categories"]["unsat_decided"] == unsat
    assert report["categories"]["valid_witness"] == sum(witnessed.values())
    assert report["counts"]["unparsed"] == report["counts"]["missing"] == 0


def test_twins_unmask_a_family_reader(twosat_release: Path, twosat_rows: Rows, tmp_path: Path) -> None:
    """Reading the decision off the family is right on all of main and on half of twins, where no pair has both right."""
    assert FROZEN["baselines"]["main"]["constant_by_family"]["accuracy"] == 1
    assert FROZEN["baselines"]["twins"]["constant_by_family"]["accuracy"] == 0.5
    rows = twosat_rows["cycle"] + twosat_rows["twins"]
    attack = twosat.attacks(rows)["constant_by_family"]
    report = rb_verify.evaluate(written(rows, attack, tmp_path / "p.jsonl"), twosat_release, config="twins").data
    assert report["twosat"]["twins"]["cycles"]["value"] == 1
    assert report["twosat"]["twins"]["twins"]["value"] == 0
    assert report["twosat"]["twins"]["both"]["value"] == 0
    assert report["baselines"]["constant_by_family"] == FROZEN["baselines"]["twins"]["constant_by_family"]


def test_baselines_are_the_frozen_ones(twosat_release: Path, tmp_path: Path) -> None:
    """Scoring an attack as a submission gives the manifest's baseline, on main and on repeats."""
    for config in ("main", "repeats"):
        release = load(twosat_release, config)
        for name, attack in twosat.attacks(release.rows).items():
            report = rb_verify.evaluate(written(release.rows, attack, tmp_path / "p.jsonl"), release)
            frozen = FROZEN["baselines"][config][name]
            assert {key: report.data["rates"][key]["value"] for key in frozen} == pytest.approx(frozen, abs=2e-6)


# ---- Builder -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> Rows:
    """The rows of the small recipe."""
    return builder.build(recipes.parse(small_twosat(), "small"), map).files


def test_small_rows_are_proved(small: Rows) -> None:
    """Every kind of perturbation of every family is proved by the oracle and fits the schema."""
    recipe = recipes.parse(small_twosat(), "small")
    for file, rows in small.items():
        assert builder.prove(recipe, file, rows) == []
    assert compile_release(recipe).manifest["structures"]["ic012"]["distinct"] == 3


def forged() -> Iterator[tuple[str, Callable[[dict[str, Any]], Any], str, str]]:
    """(perturbation of the first row to forge, forgery, family, what must be said)."""

    def put(key: str, value: Any) -> Callable[[dict[str, Any]], Any]:
        return lambda row: row["planted"].update({key: value})

    yield "none", lambda row: row.update(satisfiable=not row["satisfiable"]), "Backbone", "what the implication graph says"
    yield "none", lambda row: row.update(signature="0" * 64), "Backbone", "signature is not the formula's"
    yield "none", lambda row: row["clauses"][0].reverse(), "Backbone", "prompt is not that of its clauses"
    yield "none", lambda row: row.update(prompt=row["prompt"] + " "), "MonoBridge", "prompt is not that of its clauses"
    yield "none", put("backbone", []), "Backbone", "backbone is not the planted one"
    yield "none", lambda row: row["planted"]["free"].pop(), "EquivalenceCore", "have not 2^f models"
    yield "none", put("free", []), "EquivalenceCore", "what its family plants is not told"
    yield "none", lambda row: row["planted"]["cycle"].reverse(), "ImplicationCycle", "the core is not the planted cycle"
    yield "none", put("cycle", []), "ImplicationCycle", "what its family plants is not told"
    yield "none", put("bridges", [0]), "MonoBridge", "a bridge is not"
    yield "fillers", put("fillers", []), "EquivalenceCore", "fillers or copies are not told"
    yield "fillers", put("fillers", [0]), "EquivalenceCore", "a filler is not independent"
    yield "copies", lambda row: row["planted"]["copies"][0].reverse(), "Backbone", "a copy is not the image of the first"
    yield "copies", lambda row: row["planted"]["copies"].pop(), "Backbone", "do not share out the variables"
    yield "none", lambda row: row.update(canary="gone"), "Backbone", "canary is not the recipe's"
    yield "none", lambda row: row.update(block=7), "Backbone", "block is not its base's"
    yield "none", lambda row: row["params"].update(clauses=13), "Backbone", "params are not its cell's"
    yield "none", lambda row: row.update(id=row["id"] + "x"), "Backbone", "id is not its formula and scheme"
    yield "none", lambda row: row.update(formula="x"), "Backbone", "formula is not that of its base"
    yield "none", lambda row: row.update(base_id="x"), "Backbone", "of none of the recipe's cells"
    yield "none", lambda row: row.update(variant="x"), "Backbone", "no such perturbation"
    yield "none", lambda row: row.update(config="x"), "Backbone", "config is not its cell's"
    yield "none", lambda row: row["entities"].reverse(), "Backbone", "entities are not its scheme's"
    yield "none", lambda row: row.update(variables=row["variables"] + 1), "Backbone", "a variable occurs in no clause"


@pytest.mark.parametrize(("kind", "forge", "family", "said"), list(forged()), ids=lambda value: str(value)[:40])
def test_forged_rows_are_found(small: Rows, kind: str, forge: Callable[[dict[str, Any]], Any], family: str, said: str) -> None:
    """A row that says something false of its formula is found, in words."""
    row = json.loads(json.dumps(next(r for r in small["rows"] if (r["perturbation"], r["family"]) == (kind, family))))
    forge(row)
    faults = builder.prove(recipes.parse(small_twosat(), "small"), "rows", [row])
    assert any(said in fault for fault in faults), faults


def test_a_base_does_not_depend_on_what_is_made_of_it(small: Rows) -> None:
    """A cell asked for alone has the formulas that it has beside perturbations, in any order of the recipe."""
    alone = small_twosat(
        configs={"default": {"test": ["rows"]}},
        params={"cells": [cell("Backbone", 12, "rows")], "schemes": ["door", "logic"]},
    )
    rows = builder.build(recipes.parse(alone, "alone"), map).files["rows"]
    wanted = [r for r in small["rows"] if r["family"] == "Backbone" and r["perturbation"] == "none"]
    assert {r["id"]: r for r in rows} == {r["id"]: r for r in wanted if r["scheme"] in ("door", "logic")}


def test_excluded_structures_do_not_come_again(small: Rows) -> None:
    """Excluded structures are left out; where there are no others, they come again and the notes say which."""
    taken = {r["signature"] for rows in small.values() for r in rows if r["perturbation"] == "none"}
    excluding = {"excluded": {"twosat@0.1.0": sorted(taken)}, "overlap": "instance"}
    built = builder.build(recipes.parse(small_twosat(**excluding), "small"), map)
    came = {r["signature"] for rows in built.files.values() for r in rows if r["perturbation"] == "none"} & taken
    assert came == {name for notes in built.notes.values() for name in notes["overlap"]}
    assert {unit for unit, notes in built.notes.items() if notes["overlap"]} >= {"mb020-density100"}
    assert all(notes["rejected"] >= TRIES for notes in built.notes.values() if notes["overlap"])
    one = small_twosat(
        configs={"default": {"test": ["rows"]}}, params={"cells": [cell("Backbone", 20, "rows")], "schemes": ["logic"]}
    )
    again = builder.build(recipes.parse(one | excluding, "one"), map).files["rows"]
    assert not taken & {r["signature"] for r in again}


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([cell("Backbone", 20, "rows", levels={"split": ["0"]})], "Backbone has no parameter 'split'"),
        ([cell("Backbone", 20, "rows", levels={"beta": ["3/2"]})], "a level is above 1"),
        ([cell("Backbone", 20, "rows"), cell("Backbone", 20, "rows")], "gets none twice"),
        ([cell("Backbone", 20, "rows"), cell("Backbone", 20, "rows", formulas=4, config="x")], "different numbers of formulas"),
        ([cell("Backbone", 20, "other")], "configs and cells name different files"),
        ([cell("Backbone", 20, "rows", levels={"beta": ["0.5"]})], "does not match"),
        ([cell("Backbone", 20, "rows", perturbation={"kind": "fillers"})], "is not valid under any"),
        ([cell("Backbone", 20, "rows", perturbation={"kind": "twin"})], "only ImplicationCycle has twins"),
        ([cell("Backbone", 2, "rows")], "is less than the minimum"),
    ],
)
def test_bad_recipes_are_refused_in_words(cells: list[dict[str, Any]], said: str) -> None:
    """What cannot be built is refused in one sentence before anything is built."""
    recipe = small_twosat(configs={"default": {"test": ["rows"]}}, params={"cells": cells, "schemes": ["logic"]})
    with pytest.raises(UnusableRecipe, match=re.escape(said)):
        builder.build(recipes.parse(recipe, "bad"), map)


def test_ids_are_short(twosat_rows: Rows) -> None:
    """No id is longer than 64 characters, with room for the mark of a fresh split."""
    assert max(len(row["id"]) for rows in twosat_rows.values() for row in rows) <= 64 - len("f12345678-")


def test_card_tells_the_small_pools(twosat_release: Path) -> None:
    """The card names every cell whose structures come again, and what reading the family off scores."""
    text = (twosat_release / "README.md").read_text("utf-8")
    for key, notes in FROZEN["structures"].items():
        line = f"- {key}: {notes['distinct']} structures for {len(notes['signatures'])} formulas"
        assert (line in text) == (notes["distinct"] < len(notes["signatures"]))
    assert "| constant_by_family | " in text
