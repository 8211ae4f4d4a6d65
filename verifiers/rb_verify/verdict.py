"""The plain data that passes between reader, scorer and report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

CORRECT, INCORRECT, UNPARSED, MISSING = STATUSES = ("correct", "incorrect", "unparsed", "missing")


@dataclass(frozen=True)
class Prediction:
    """One model response to one row, as submitted (schemas/prediction.schema.json).

    ``response``: the raw completion, None where the API returned none. ``reasoning``: thinking delivered apart.
    ``finish_reason``: why generation stopped, in the provider's word. ``error``: the API failed, so there is no
    response to judge. ``sample``: 0 for the first response to a row, 1 for a second, ... ``tokens``: how many were
    generated, as the provider counts them, None if it did not say. ``nodes``: the reasoning as the submitter parsed it
    (schemas/nodes.schema.json). ``parser``: what parsed them, name and version, None if it was not said.
    """

    id: str
    response: str | None
    reasoning: str | None = None
    finish_reason: str | None = None
    sample: int = 0
    error: bool = False
    tokens: int | None = None
    nodes: list[Any] | None = None
    parser: str | None = None


class Outcome(NamedTuple):
    """What a report counts of a verdict. ``status`` concerns the answer alone; ``score`` is the headline, 0 or 1.

    ``measures``: numbers in the order that the dataset's scorer names in ``MEASURES``. ``answer``: the label that was given,
    by which samples vote; None where none was. ``parser``: what read the reasoning, if the submission names it.
    """

    status: str
    category: str
    score: int
    failure: str | None = None
    measures: tuple[float, ...] = ()
    answer: str | None = None
    parser: str | None = None


@dataclass(frozen=True)
class Verdict:
    """The outcome of one prediction, with the evidence for it (JSON values)."""

    id: str
    sample: int
    outcome: Outcome
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """``correct``, ``incorrect``, ``unparsed`` or ``missing``."""
        return self.outcome.status

    @property
    def category(self) -> str:
        """The dataset's own class of the verdict, such as ``true_reasoning``."""
        return self.outcome.category

    @property
    def score(self) -> int:
        """The headline score of this one prediction, 0 or 1."""
        return self.outcome.score

    def as_dict(self) -> dict[str, Any]:
        """The line that ``--details`` writes."""
        head = {"id": self.id, "sample": self.sample, "status": self.status, "category": self.category}
        return head | {"score": self.score, "failure": self.outcome.failure} | self.evidence
