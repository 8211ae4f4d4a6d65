"""Build the 2-SAT families: rows of every cell of a recipe, and the proof of each row by the oracle.

Implements the 2-SAT paper, sections 3 and 4. A cell is one family, number of clauses and setting of the parameters. Its
formulas, all that is made from them, and their verbalisations are one independent unit of work. A base formula has its
own stream, so it is the same whichever perturbations a recipe asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import cycle
from typing import Any

from rb_build.errors import UnusableRecipe
from rb_build.recipe import Built, Map, Recipe
from rb_build.streams import Stream
from rb_build.structures import fill, fresh_notes, measured
from rb_build.twosat.families import MIDDLE, Formula, generate
from rb_build.twosat.perturbations import Perturbation, perturb
from rb_build.twosat.planted import fact_faults, frozen, planted
from rb_build.twosat.prompt import prompt
from rb_verify.isomorphism import signature
from rb_verify.schemes import SCHEMES, entities, parse
from rb_verify.twosat_ablations import PARAMETERS

CODES = {"ImplicationCycle": "ic", "EquivalenceCore": "ec", "Backbone": "bb", "MonoBridge": "mb"}
COLUMNS = sorted({name for names in PARAMETERS.values() for name in names})


@dataclass(frozen=True)
class Cell:
    """A family at a number of clauses and a setting: the one parameter that is not at its middle, and its level."""

    family: str
    clauses: int
    parameter: str | None
    level: Fraction

    @property
    def levels(self) -> dict[str, Fraction]:
        """Every parameter's level."""
        return {name: self.level if name == self.parameter else MIDDLE for name in PARAMETERS[self.family]}

    @property
    def key(self) -> str:
        """What ids say: ``bb075-density80``."""
        setting = f"-{self.parameter}{round(100 * self.level)}" if self.parameter else ""
        return f"{CODES[self.family]}{self.clauses:03d}{setting}"

    @property
    def params(self) -> dict[str, Any]:
        """The row's ``params``: null where the family has no such parameter."""
        given = {name: round(float(level), 6) for name, level in self.levels.items()}
        return {"clauses": self.clauses} | {name: given.get(name) for name in COLUMNS}


@dataclass(frozen=True)
class Use:
    """Where a cell's formulas go, and how they are perturbed there."""

    file: str
    config: str
    perturbation: Perturbation


@dataclass(frozen=True)
class Unit:
    """All that is made of one cell. ``path``: the root of its streams; ``prefix``: of its row ids."""

    cell: Cell
    formulas: int
    uses: tuple[Use, ...]
    schemes: tuple[str, ...]
    path: str
    prefix: str
    canary: str


def units(recipe: Recipe) -> list[Unit]:
    """The units of work of a recipe, whose form schemas/twosat.schema.json has checked. Raises UnusableRecipe."""
    uses: dict[Cell, list[Use]] = {}
    formulas: dict[Cell, int] = {}
    for group in recipe.params["cells"]:
        for cell in _cells(group):
            if formulas.setdefault(cell, group["formulas"]) != group["formulas"]:
                raise UnusableRecipe(f"{cell.key}: two groups ask for different numbers of formulas; make them agree")
            use = Use(group["file"], group["config"], _perturbation(group["perturbation"]))
            if use in uses.setdefault(cell, []):
                raise UnusableRecipe(f"{cell.key}: file {use.file} gets {use.perturbation.code} twice; drop one group")
            uses[cell].append(use)
    if unwanted := {use.file for some in uses.values() for use in some} ^ recipe.files:
        raise UnusableRecipe(f"configs and cells name different files ({', '.join(sorted(unwanted))}); make them agree")
    path, schemes = f"{recipe.dataset}/{recipe.version}/{recipe.seed}", tuple(recipe.params["schemes"])
    return [
        Unit(cell, formulas[cell], tuple(some), schemes, f"{path}/{cell.key}", f"{recipe.prefix}-{cell.key}", recipe.canary)
        for cell, some in uses.items()
    ]


def _cells(group: dict[str, Any]) -> Iterator[Cell]:
    """The cells of a recipe's group, the middle one once."""
    family = group["family"]
    if unknown := group["levels"].keys() - set(PARAMETERS[family]):
        raise UnusableRecipe(f"{family} has no parameter {sorted(unknown)[0]!r}; use {', '.join(PARAMETERS[family])}")
    settings = [(name, Fraction(level)) for name, levels in group["levels"].items() for level in levels] or [("", MIDDLE)]
    if group["perturbation"]["kind"] == "twin" and family != "ImplicationCycle":
        raise UnusableRecipe(f"{family}: only ImplicationCycle has twins; drop the perturbation")
    if any(level > 1 for _, level in settings):
        raise UnusableRecipe(f"{family}: a level is above 1; levels lie from 0 to 1")
    for clauses in group["clauses"]:
        for setting in dict.fromkeys((None, MIDDLE) if level == MIDDLE else (name, level) for name, level in settings):
            yield Cell(family, clauses, *setting)


def _perturbation(given: dict[str, Any]) -> Perturbation:
    share = given.get("share")
    return Perturbation(**given | {"share": None if share is None else Fraction(share)})


def build(recipe: Recipe, run: Map) -> Built:
    """All rows of a recipe, by file. ``run``: an ordered map. What is excluded are structures of base formulas.

    Raises UnusableRecipe where a cell cannot be filled.
    """
    todo = units(recipe)
    files: dict[str, list[dict[str, Any]]] = {use.file: [] for unit in todo for use in unit.uses}
    notes = {}
    for unit, (rows, noted) in zip(todo, run(partial(_make, recipe), todo), strict=True):
        for file, row in rows:
            files[file].append(row)
        notes[unit.cell.key] = noted
    return Built(files, notes)


def _make(recipe: Recipe, unit: Unit) -> tuple[list[tuple[str, dict[str, Any]]], dict[str, Any]]:
    """(file, row) of everything that is made of a cell, by use and formula; and what is noted of its structures."""
    draws = [partial(_draw, unit, index, Stream(f"{unit.path}/f{index}")) for index in range(unit.formulas)]
    bases, rejected = fill(unit.cell.key, draws, recipe.taken)
    signatures = [mark for _, mark in bases]
    notes = {"distinct": len(set(signatures)), "signatures": signatures}
    notes |= fresh_notes(recipe, signatures, rejected, partial(_pool, unit, recipe.taken))
    rows = []
    for use in unit.uses:
        for index, (base, mark) in enumerate(bases):
            base_id = f"{unit.prefix}-f{index}"
            formula, name = base, base_id
            if use.perturbation.kind != "none":
                code = use.perturbation.code
                formula = perturb(Stream(f"{unit.path}/f{index}/{code}"), base, use.perturbation)
                name = f"{base_id}-{code}"
                if use.perturbation.kind in ("fillers", "copies", "twin"):
                    mark = signature(formula.variables, formula.literals)
            shared: dict[str, Any] = {
                "base_id": base_id,
                "block": index,
                "canary": unit.canary,
                "clauses": formula.literals,
                "config": use.config,
                "family": unit.cell.family,
                "formula": name,
                "params": unit.cell.params,
                "perturbation": use.perturbation.kind,
                "planted": planted(formula),
                "satisfiable": unit.cell.family != "ImplicationCycle" or use.perturbation.kind == "twin",
                "signature": mark,
                "variables": formula.variables,
                "variant": use.perturbation.variant,
            }
            for scheme in unit.schemes:
                names = entities(scheme, formula.variables)
                own = {
                    "entities": list(names),
                    "id": f"{name}-{scheme}",
                    "prompt": prompt(SCHEMES[scheme], names, shared["clauses"]),
                    "scheme": scheme,
                }
                rows.append((use.file, shared | own))
    return rows, notes


def _draw(unit: Unit, index: int, stream: Stream) -> tuple[Formula, str]:
    """The next formula of a stream, with its signature."""
    cell = unit.cell
    formula = generate(stream, cell.family, cell.clauses, cell.levels, index, unit.formulas)
    return formula, signature(formula.variables, formula.literals)


def _pool(unit: Unit, taken: Collection[str]) -> dict[str, int | None]:
    """How large the cell's pool is, over the formulas of every index."""
    stream, turns = Stream(f"{unit.path}/pool"), cycle(range(unit.formulas))
    return measured(lambda: _draw(unit, next(turns), stream), taken)


def prove(recipe: Recipe, file: str, rows: Iterable[dict[str, Any]]) -> list[str]:
    """Prove every label and planted fact of a file's rows again, from the clauses alone; what is wrong, a line each."""
    bases = {f"{unit.prefix}-f{index}": unit for unit in units(recipe) for index in range(unit.formulas)}
    return [f"{row['id']}: {fault}" for row in rows for fault in _faults(bases.get(row["base_id"]), file, recipe, row)]


def _faults(unit: Unit | None, file: str, recipe: Recipe, row: dict[str, Any]) -> list[str]:
    if unit is None:
        return [f"base {row['base_id']} is of none of the recipe's cells"]
    uses = {(use.perturbation.kind, use.perturbation.variant): use for use in unit.uses if use.file == file}
    use = uses.get((row["perturbation"], row["variant"]))
    if use is None:
        return ["its file has no such perturbation of its cell"]
    kind, code, facts = use.perturbation.kind, use.perturbation.code, row["planted"]
    name = row["base_id"] if kind == "none" else f"{row['base_id']}-{code}"
    needed = {
        "ImplicationCycle": kind == "twin" or facts["cycle"],
        "EquivalenceCore": facts["free"],
        "MonoBridge": facts["bridges"],
    }
    scheme, n = SCHEMES[row["scheme"]], row["variables"]
    clauses = tuple(map(tuple, row["clauses"]))
    checks = {
        "formula is not that of its base and perturbation": row["formula"] != name,
        "id is not its formula and scheme": row["id"] != f"{name}-{row['scheme']}",
        "block is not its base's": not row["base_id"].endswith(f"-f{row['block']}"),
        "params are not its cell's": row["params"] != unit.cell.params or row["family"] != unit.cell.family,
        "config is not its cell's": row["config"] != use.config,
        "what its family plants is not told": not needed.get(row["family"], True),
        "fillers or copies are not told": (kind == "fillers") != bool(facts["fillers"])
        or (kind == "copies") != bool(facts["copies"]),
        "a variable occurs in no clause": {abs(i) for clause in clauses for i in clause} != set(range(1, n + 1)),
        "entities are not its scheme's": tuple(row["entities"]) != entities(row["scheme"], n),
        "prompt is not that of its clauses": row["prompt"] != prompt(scheme, row["entities"], row["clauses"]),
        "canary is not the recipe's": row["canary"] != recipe.canary,
    }
    faults = [fault for fault, present in checks.items() if present]
    if not faults and parse(scheme, row["entities"], row["prompt"]) != row["clauses"]:
        faults.append("its text does not give its clauses back")
    return faults or list(fact_faults(n, clauses, frozen(facts), row["satisfiable"], row["signature"]))
