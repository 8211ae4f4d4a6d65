"""Measure a parser of reasoning on the labelled sentences (ReEfBench paper, section 3.2, "Parser Validation")."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rb_verify import llm_parser, reasoning
from rb_verify.errors import UnusableInput
from rb_verify.labelled_sentences import NAMES, Labelled, passages
from rb_verify.llm import Client, Failed, concurrently
from rb_verify.llm_parser import Read
from rb_verify.parser_agreement import PAPER_F1, Pair, agreement, found_table
from rb_verify.reasoning import Sentence
from rb_verify.tally import Table


class _Passage(NamedTuple):
    """Sentences of a set that stand one after the other."""

    name: str
    labelled: tuple[Labelled, ...]


def validate(
    names: Sequence[str], client: Client | None, progress: Callable[[int], None] = lambda number: None
) -> dict[str, Any]:
    """Precision, recall and F1 of parsers against the labels of sets, as JSON: of a model's, and of the rules beside it.

    ``names``: of the sets; ``client``: of the model that parses, None for the rules alone; ``progress``: called with the number
    of sentences that it just read. ``left_to_rules`` counts those of which it gave no sound reading. Raises UnusableInput.
    """
    some = [_Passage(name, labelled) for name in names for labelled in passages(name)]
    rules = [[Read(sentence, 0) for sentence in by_rules(passage)] for passage in some]
    parsers: list[dict[str, Any]] = [{"parser": reasoning.PARSER, "sets": _sets(names, some, rules)}]
    if client is not None:
        read = asyncio.run(_asked(client, some, progress))
        left = {
            name: sum(
                said.attempt == 0 for passage, reads in zip(some, read, strict=True) if passage.name == name for said in reads
            )
            for name in names
        }
        sets = [each | {"left_to_rules": left[each["set"]]} for each in _sets(names, some, read)]
        about = {"prompt": llm_parser.PROMPT, "settings": client.settings}
        parsers.insert(0, {"parser": llm_parser.name_of(client.endpoint.model), "sets": sets} | about)
    return {"parsers": parsers, "paper": {"parser": "Qwen2.5-32B-Instruct", "samples": 1000, "f1": PAPER_F1}}


def by_rules(passage: _Passage) -> list[Sentence]:
    """The sentences of a passage as the rules read them, each by itself."""
    return [sentence for each in passage.labelled for sentence in reasoning.parse(each.sentence.text, NAMES)]


async def _asked(client: Client, some: Sequence[_Passage], progress: Callable[[int], None]) -> list[list[Read]]:
    found: dict[int, list[Read]] = {}
    async with client:

        async def asked(place: int) -> tuple[int, list[Read]]:
            return place, await llm_parser.read(client, by_rules(some[place]), NAMES)

        try:
            async for place, reads in concurrently(range(len(some)), asked, client.limits.concurrency):
                found[place] = reads
                progress(len(reads))
        except Failed as failed:
            raise UnusableInput(f"a passage could not be read ({failed}); run again, with --cache to keep replies") from None
    return [found[place] for place in range(len(some))]


def _sets(names: Sequence[str], some: Sequence[_Passage], read: Sequence[Sequence[Read]]) -> list[dict[str, Any]]:
    """How far readings of the passages agree with the labels, by set. What a model left to the rules counts as they read it."""
    pairs: dict[str, list[Pair]] = {name: [] for name in names}
    for passage, reads in zip(some, read, strict=True):
        pairs[passage.name] += [
            Pair(passage.labelled[0].passage, said.sentence, label.sentence)
            for said, label in zip(reads, passage.labelled, strict=True)
        ]
    return [{"set": name, **agreement(pairs[name])} for name in names]


def tables(found: dict[str, Any]) -> list[Table]:
    """The tables of a validation."""
    shown = []
    for parser in found["parsers"]:
        for each in parser["sets"]:
            left = f", {each['left_to_rules']} of them left to the rules" if "left_to_rules" in each else ""
            title = f"{parser['parser']} on the set {each['set']}: {each['sentences']} sentences{left}"
            shown.append(found_table(title, each["found"], "parser", "labels"))
    paper = found["paper"]
    beside = Table(
        "Beside it, the paper's parser on the paper's own sentences, of real responses (section 3.2)",
        ["parser", "samples", "F1 %"],
        [[paper["parser"], str(paper["samples"]), f"{100 * paper['f1']:.1f}"]],
    )
    return [*shown, beside]
