"""Score the 2-SAT formulas told as stories by a model (2-SAT paper, section 4, the LLM verbalizer; Figure 9).

All is judged as in the 2-SAT families, but each entity of a story has two words of its own, such as innocent and guilty.
Rows in the templates of the families, which may stand beside the stories, are judged as there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from rb_verify import themes, twosat, twosat_report
from rb_verify.objects import normal_key
from rb_verify.schemes import SCHEMES
from rb_verify.tally import Column, Table
from rb_verify.themes import Entity
from rb_verify.verdict import Prediction, Verdict
from rb_verify.witness import Said, Worded, as_asked, phrases

PARSER = "stories-1"  # named in the signature; a change of any verdict on any text is a new name
HEADLINE = twosat.HEADLINE
CATEGORIES: tuple[str, ...] = twosat.CATEGORIES
MEASURES: tuple[str, ...] = twosat.MEASURES
MEANS: frozenset[int] = twosat.MEANS
COLUMNS: tuple[Column, ...] = twosat.COLUMNS
OPTIONS: dict[str, tuple[str, ...]] = {}
GROUPED = twosat.GROUPED
MISSING_OUTCOME, UNPARSED_OUTCOME = twosat.MISSING_OUTCOME, twosat.UNPARSED_OUTCOME


@dataclass(frozen=True)
class Story(Worded):
    """A formula in a story. ``told[i]``: what variable i + 1 is there."""

    names: tuple[str, ...]
    clauses: Sequence[Sequence[int]]
    told: tuple[Entity, ...]

    @property
    def kind(self) -> str:
        """The same in all themes."""
        return themes.KIND

    @cached_property
    def variable_of(self) -> dict[str, int]:
        """With and without the article."""
        return _variables(self.names)

    @cached_property
    def meanings(self) -> Sequence[Mapping[str, bool]]:
        """Each entity's own."""
        return ({}, *(_phrases(entity.true, entity.false) for entity in self.told))

    @cached_property
    def asked(self) -> Mapping[Said, int]:
        """Each entity's own words."""
        return _asked(self.told)

    def word(self, literal: int) -> str:
        """The entity's own."""
        entity = self.told[abs(literal) - 1]
        return entity.true if literal > 0 else entity.false

    def statement(self, literal: int) -> str:
        """As the fallback sentences say it."""
        return themes.statement(self.told, literal)

    def sentence(self, clause: Sequence[int]) -> str:
        """The fallback sentence, whatever the paragraph is."""
        return themes.sentence(self.told, clause)


@lru_cache(maxsize=1024)
def _variables(names: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for variable, name in enumerate(names, 1):
        short = name.removeprefix("the ")
        found |= dict.fromkeys((normal_key(short), normal_key(name), short, name), variable)
    return found


@lru_cache(maxsize=1024)
def _phrases(true: str, false: str) -> dict[str, bool]:
    """What is said of an entity with these two words."""
    return phrases(true, false, (f"is {true}", f"isn't {false}"), (f"is {false}", f"isn't {true}"))


@lru_cache(maxsize=1024)
def _asked(told: tuple[Entity, ...]) -> dict[Said, int]:
    return as_asked(told)


def problem(row: dict[str, Any]) -> Worded:
    """The formula of a row as answers are checked against it."""
    if row["scheme"] in SCHEMES:
        return twosat.problem(row)
    told = tuple(Entity(name, *words) for name, words in zip(row["entities"], row["values"], strict=True))
    return Story(tuple(row["entities"]), row["clauses"], told)


def judge(row: dict[str, Any], prediction: Prediction) -> Verdict:
    """The verdict on one prediction. ``row``: a row of the release (schemas/stories.schema.json)."""
    return twosat.judge(row, prediction, problem)


def respond(row: dict[str, Any], values: Sequence[bool] | None, certificate: Sequence[Sequence[int]] | None = None) -> str:
    """A response in the form that the prompt asks for. ``values``: of variables 1, 2, ...; None for unsatisfiable."""
    return twosat.respond(row, values, certificate, problem)


def perfect(row: dict[str, Any]) -> str:
    """The response that gives a witness, or a certificate that there is none."""
    return twosat.perfect(row, problem)


def attacks(rows: list[dict[str, Any]]) -> dict[str, Callable[[dict[str, Any]], str]]:
    """Submissions that need no reasoning, as in the 2-SAT families."""
    return twosat.attacks(rows, problem)


def steps(row: dict[str, Any], detail: dict[str, Any]) -> Table:
    """The decision, and the witness or certificate that was given or should have been, beside the solver's."""
    return twosat.steps(row, detail, problem)


cluster, summary, gold, group = twosat.cluster, twosat.summary, twosat.gold, twosat.group
marks = twosat.marks


def words(row: dict[str, Any], detail: dict[str, Any]) -> list[str]:
    """The formula, and the decision; of a violated clause the paragraph, so that a reader can see whose fault it is."""
    place, paragraphs = (detail.get("witness") or {}).get("clause"), row["told"]["paragraphs"]
    clue = [f"paragraph {place + 1}: {paragraphs[place]}"] if paragraphs and place is not None else []
    return [*twosat.words(row, detail), *clue]


def tables(report: dict[str, Any]) -> list[Table]:
    """The tables of a report, those of the 2-SAT families."""
    return twosat_report.tables(report["stories"])
