"""The fuzz targets by name: each a function of bytes, with inputs in tests/corpus/NAME. ``fuzz.py`` searches for more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fuzz import files, responses

Target = Callable[[bytes], None]

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
TARGETS: dict[str, Target] = {
    "allen": responses.relations_read,
    "answers": responses.answers_extract,
    "cache": files.cache_read,
    "card": files.cards_read,
    "evaluation": files.evaluated,
    "formulas": responses.formulas_solved,
    "harness": files.harness_verdicts,
    "journal": files.journals_gone_on,
    "journal_about": files.journals_told_apart,
    "loops": responses.loops_found,
    "manifest": files.manifests_read,
    "names": files.names_read,
    "nodes": files.nodes_given,
    "objects": responses.objects_find,
    "options": files.options_read,
    "parsed_replies": responses.parsed_replies,
    "reasoning": responses.reasoning_parsed,
    "recipe": files.recipes_read,
    "reefbench": responses.reefbench_responses,
    "replies": responses.replies_read,
    "reports": files.reports_compared,
    "rows": files.rows_loaded,
    "schemas": files.schemas_checked,
    "schemes": responses.schemes_parsed,
    "sentences": responses.sentences_split,
    "sources": files.sources_opened,
    "statements": responses.statements_read,
    "stories": responses.stories_responses,
    "stories_witness": responses.stories_witness,
    "submission": files.submissions_read,
    "thinking": responses.thinking_split,
    "told_replies": responses.told_replies,
    "tracebench": responses.tracebench_responses,
    "tracebench_steps": responses.tracebench_steps,
    "twosat": responses.twosat_responses,
    "twosat_certificate": responses.twosat_certificate,
    "twosat_witness": responses.twosat_witness,
    "units": files.units_read,
}


def inputs(name: str) -> list[Path]:
    """The kept inputs of a target, the smallest first."""
    return sorted((CORPUS / name).glob("*"), key=lambda path: (path.stat().st_size, path.name))
