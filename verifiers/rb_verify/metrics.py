"""The metrics of a reasoning process, each declared (ReEfBench paper, appendix B.2, Tables 9 and 10).

What they are made of is counted in ``process.py``. What the paper leaves open is stated in the definitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rb_verify.process import Facts


def _share(part: Callable[[Facts], float], whole: Callable[[Facts], float]) -> Callable[[Facts], float]:
    """``part`` of ``whole``, 0 of nothing."""
    return lambda f: part(f) / whole(f) if whole(f) else 0.0


class Metric(NamedTuple):
    """A metric of one response. ``zero``: its value where there is nothing to measure. ``table``: where the paper has it.

    A report gives its mean over responses.
    """

    name: str
    definition: str
    formula: str
    unit: str
    zero: str
    table: str
    value: Callable[[Facts], float]


METRICS: tuple[Metric, ...] = (
    Metric("premise_nodes", "Assertions of a premise", "count", "nodes", "0", "10", lambda f: f.premise_nodes),
    Metric("derived_nodes", "Assertions of what the premises imply", "count", "nodes", "0", "10", lambda f: f.derived_nodes),
    Metric(
        "hallucination_nodes",
        "Assertions of what the premises do not imply",
        "count",
        "nodes",
        "0",
        "10",
        lambda f: f.hallucination_nodes,
    ),
    Metric(
        "correct_nodes",
        "Assertions of premises or of what they imply",
        "premise + derived",
        "nodes",
        "0",
        "10",
        lambda f: f.premise_nodes + f.derived_nodes,
    ),
    Metric(
        "planning_nodes", "Statements planned, asked or supposed", "count", "nodes", "0", "9, 10", lambda f: f.planning_nodes
    ),
    Metric("unique_planning_nodes", "Different statements planned", "count", "nodes", "0", "10", lambda f: f.unique_plans),
    Metric(
        "correct_planning",
        "Share of plans whose statement the premises imply",
        "correct plans / plans",
        "share",
        "0 without plans",
        "10",
        _share(lambda f: f.correct_plans, lambda f: f.planning_nodes),
    ),
    Metric(
        "valid_planning",
        "Share of plans whose statement is then asserted for the first time, in the plan's or the four next sentences",
        "valid plans / plans",
        "share",
        "0 without plans",
        "9, 10",
        _share(lambda f: f.valid_plans, lambda f: f.planning_nodes),
    ),
    Metric("sentences", "Sentences", "count", "sentences", "0", "10", lambda f: f.sentences),
    Metric(
        "tokens",
        "Tokens, as the provider or else count_tokens counts",
        "count",
        "tokens",
        "0",
        "10",
        lambda f: f.tokens,
    ),
    Metric("verbosity", "Square root of tokens", "sqrt(tokens)", "sqrt(tokens)", "0", "9", lambda f: math.sqrt(f.tokens)),
    Metric(
        "nodes", "All nodes, planned ones too", "actual + planning", "nodes", "0", "10", lambda f: f.actual + f.planning_nodes
    ),
    Metric("reflection_sentences", "Sentences that look back", "count", "sentences", "0", "9, 10", lambda f: f.reflections),
    Metric(
        "reflection_ratio",
        "Share of sentences that look back",
        "reflections / sentences",
        "share",
        "0 without sentences",
        "4",
        _share(lambda f: f.reflections, lambda f: f.sentences),
    ),
    Metric(
        "reflections_with_new_node",
        "Reflections with a new correct node in the five sentences after",
        "count",
        "sentences",
        "0",
        "10",
        lambda f: f.reflections_new,
    ),
    Metric(
        "reflections_with_deeper_node",
        "Reflections with a node deeper than all before, in the five sentences after",
        "count",
        "sentences",
        "0",
        "10",
        lambda f: f.reflections_deeper,
    ),
    Metric(
        "reflections_with_new_hallucination",
        "Reflections with a new hallucination in the five sentences after",
        "count",
        "sentences",
        "0",
        "10",
        lambda f: f.reflections_hallucinating,
    ),
    Metric(
        "reflection_efficiency",
        "Mean growth of the greatest depth in the five sentences after a reflection",
        "gained layers / reflections",
        "layers",
        "0 without reflections",
        "9, 10",
        _share(lambda f: f.reflection_gain, lambda f: f.reflections),
    ),
    Metric(
        "node_duplication",
        "Share of nodes that repeat one of their kind, planned and asserted ones apart",
        "1 - distinct nodes / nodes",
        "share",
        "0 without nodes",
        "9, 10",
        _share(lambda f: f.actual + f.planning_nodes - f.distinct_nodes, lambda f: f.actual + f.planning_nodes),
    ),
    Metric("explored_nodes", "Different correct statements asserted", "count", "statements", "0", "9", lambda f: f.explored),
    Metric(
        "exploration_precision",
        "Share of the explored statements that are golden",
        "golden reached / explored",
        "share",
        "0 if none is explored",
        "10",
        _share(lambda f: f.golden_reached, lambda f: f.explored),
    ),
    Metric(
        "reasoning_accuracy",
        "Share of the golden statements that are asserted",
        "golden reached / golden",
        "share",
        "0 without a golden solution",
        "10",
        _share(lambda f: f.golden_reached, lambda f: f.golden),
    ),
    Metric(
        "premise_coverage",
        "Share of the golden solution's premises that are asserted; distractors need not be used",
        "golden premises reached / golden premises",
        "share",
        "0 without a golden solution",
        "10",
        _share(lambda f: f.premises_reached, lambda f: f.golden_premises),
    ),
    Metric("max_depth", "Greatest layer of a correct statement asserted", "max", "layers", "0", "9, 10", lambda f: f.max_depth),
    Metric(
        "max_closure_depth",
        "Greatest depth, by Definition A.3, of a correct statement asserted",
        "max",
        "rounds",
        "0",
        "ours",
        lambda f: f.max_closure_depth,
    ),
    Metric(
        "depth_coverage",
        "Greatest layer reached, of the level",
        "max depth / level",
        "share",
        "0",
        "10",
        _share(lambda f: f.max_depth, lambda f: f.level),
    ),
    Metric(
        "interval_depth",
        "Layers, from the first on, whose golden statements are all asserted",
        "max d: layers 1..d complete",
        "layers",
        "0 without a golden solution",
        "10",
        lambda f: f.interval,
    ),
    Metric(
        "incorrect_ratio",
        "Share of assertions that are hallucinations",
        "hallucinations / actual nodes",
        "share",
        "0 without assertions",
        "10",
        _share(lambda f: f.hallucination_nodes, lambda f: f.actual),
    ),
    Metric(
        "supported_ratio",
        "Share of the derived statements that one rule gives from premises and earlier correct assertions",
        "supported / derived statements",
        "share",
        "0 if none is derived",
        "ours",
        _share(lambda f: f.supported, lambda f: f.derived),
    ),
    Metric(
        "first_correct_step",
        "Number of the first sentence with a correct node",
        "index from 1",
        "sentences",
        "sentences + 1 if there is none",
        "10",
        lambda f: f.first_correct or f.sentences + 1,
    ),
    Metric(
        "step_efficiency",
        "Layers reached for each token",
        "max depth / tokens",
        "layers per token",
        "0 without tokens",
        "9, 10",
        _share(lambda f: f.max_depth, lambda f: f.tokens),
    ),
    Metric(
        "node_efficiency",
        "Explored statements for each sentence",
        "explored / sentences",
        "statements per sentence",
        "0 without sentences",
        "10",
        _share(lambda f: f.explored, lambda f: f.sentences),
    ),
    Metric(
        "effective_span",
        "Place of the last new correct node",
        "its sentence / sentences",
        "share",
        "0 if there is none",
        "9, 10",
        _share(lambda f: f.last_correct, lambda f: f.sentences),
    ),
    Metric(
        "forward_span",
        "Place of the last node deeper than all before",
        "its sentence / sentences",
        "share",
        "0 if there is none",
        "10",
        _share(lambda f: f.last_deeper, lambda f: f.sentences),
    ),
    Metric(
        "reasoning_span",
        "Place of the last new node, correct or not",
        "its sentence / sentences",
        "share",
        "0 if there is none",
        "10",
        _share(lambda f: f.last_new, lambda f: f.sentences),
    ),
    Metric(
        "sentence_duplication",
        "Share of sentences that repeat an earlier one; case, numbers and signs aside",
        "1 - distinct sentences / sentences",
        "share",
        "0 without sentences",
        "9, 10",
        _share(lambda f: f.sentences - f.distinct_sentences, lambda f: f.sentences),
    ),
)
NAMES: tuple[str, ...] = tuple(metric.name for metric in METRICS)


def measure(counted: Facts) -> tuple[float, ...]:
    """Every metric of a response, in the order of ``METRICS``."""
    return tuple(float(metric.value(counted)) for metric in METRICS)
