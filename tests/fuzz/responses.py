"""Fuzz targets on what a model says: from a response to its parts, and to a verdict on it.

A target takes bytes and raises AssertionError on a broken property, and whatever the code raises that it does not say. The
oracles here share nothing with the readers that they check: they are weaker, and never wrong.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from html import unescape
from itertools import product
from typing import Any

from path_consistency import propagate
from rb_build import recipe as recipes
from rb_build import telling, tracebench, twosat
from rb_verify import answers, llm_parser, loops, objects, reasoning, reefbench, sentences, statements, thinking, twocnf
from rb_verify.allen import INDEX, NAMES, SYMBOLS, parse_relations, symbols_of
from rb_verify.datasets import SCORERS
from rb_verify.endpoint import Endpoint, Limits
from rb_verify.errors import UnusableInput
from rb_verify.llm import Client, Failed
from rb_verify.schemes import SCHEMES, entities, parse, verbalise
from rb_verify.twosat_report import VALID_WITNESS
from rb_verify.verdict import CORRECT, STATUSES, UNPARSED, Prediction, Verdict
from reefbench_cases import small_rows
from small_recipe import small
from small_twosat import FAMILIES, cell, small_twosat
from stories_cases import built

Row = dict[str, Any]
ENDINGS = (None, "stop", "length")
KEYS = ("finalanswer", "answer")


@lru_cache
def rows(dataset: str) -> list[Row]:
    """Some rows of a dataset, of every answer."""
    if dataset == "tracebench":
        of_file = tracebench.build(recipes.parse(small(), "small"), map).files
        return [
            next(row for row in of_file[name] if row["answer"] == said) for name in ("d010", "deep") for said in ("YES", "NO")
        ]
    if dataset == "twosat":
        cells = [cell(family, 12, "rows", formulas=1) for family in FAMILIES]
        configs = {"default": {"test": ["rows"]}}
        params = {"cells": cells, "schemes": list(SCHEMES)}
        return twosat.build(recipes.parse(small_twosat(params=params, configs=configs), "small"), map).files["rows"][::5]
    if dataset == "stories":
        return built()["stories"][::7]
    return [small_rows()[f"{config}{level:02d}"][0] for config in ("main", "contrast") for level in (3, 5)]


def judged(dataset: str, data: bytes, before: str = "", after: str = "") -> tuple[Row, str, Verdict]:
    """The row and the ending that the first byte picks, the rest as a response to it, and the verdict, which holds together.

    ``before``, ``after``: what the response has around the text.
    """
    some, scorer = rows(dataset), SCORERS[dataset]
    place = data[0] if data else 0
    row, ending = some[place % len(some)], ENDINGS[place // len(some) % len(ENDINGS)]
    text = before + data[1:].decode("utf-8", "replace") + after
    prediction = Prediction(row["id"], text, finish_reason=ending)
    verdict = scorer.judge(row, prediction)
    status, category, score, _, measures, answer, _ = verdict.outcome
    assert status in STATUSES
    assert category in scorer.CATEGORIES
    assert len(measures) == len(scorer.MEASURES)
    assert score in (0, 1)
    assert score == 0 or status == CORRECT, "a score without a right answer"
    assert (answer is None) == (status == UNPARSED)
    assert (status == CORRECT) == (answer == scorer.gold(row))
    json.dumps(verdict.as_dict(), allow_nan=False).encode()
    assert scorer.judge(row, prediction) == verdict, "a second look differs"
    return row, text, verdict


def _said(text: str, words: Iterable[str]) -> bool:
    """Whether a text holds one of some words, in any case, escaped or not."""
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), unescape(text)).replace("\\", "")
    return any(word in " ".join(plain.casefold().split()) for word in words)


def tracebench_responses(data: bytes) -> None:
    """A response to a row of TRACE."""
    _trace(*judged("tracebench", data))


def tracebench_steps(data: bytes) -> None:
    """The value of ``reasoning`` in a response that names an answer."""
    _trace(*judged("tracebench", data, '{"reasoning": ', ', "final_answer": "YES"}'))


def _trace(row: Row, text: str, verdict: Verdict) -> None:
    scorer = SCORERS["tracebench"]
    if verdict.status == CORRECT:
        assert _said(text, _words(dataset="tracebench", gold=scorer.gold(row))), "the answer is nowhere in the response"
    steps = verdict.evidence["steps"]
    if verdict.score:
        assert steps
        assert all(step["verdict"] == "exact" and step["supported"] for step in steps), "a score for a step that is not exact"
    possible = {tuple(symbols_of(mask)) for line in _network(row["id"]) for mask in line}
    for step in steps:
        if step["verdict"] == "exact":
            assert tuple(step["closure"]) in possible, "a step is exact by relations that no pair has"
            claim = step["claim"].casefold()
            if len(claim) < 300 and all(len(part) < 40 for part in claim.split("|")):  # it is whole
                letters = re.sub("[^a-z]", "", claim)
                for symbol in step["closure"]:
                    named = symbol.casefold(), re.sub("[^a-z]", "", NAMES[symbol])
                    assert any(name in letters for name in named), f"{symbol} is not in {claim!r}"


@lru_cache
def _network(row_id: str) -> list[list[int]]:
    """What the facts of a row leave possible, by an algorithm of its own."""
    row = next(row for row in rows("tracebench") if row["id"] == row_id)
    place = {event: i for i, event in enumerate(row["events"])}
    found = propagate(len(place), [(place[fact["from"]], fact["relation"], place[fact["to"]]) for fact in row["facts"]])
    assert found is not None
    return found


def _words(dataset: str, gold: str) -> Collection[str]:
    return SCORERS[dataset].LABELS.words[gold]  # type: ignore[attr-defined]


def twosat_responses(data: bytes) -> None:
    """A response to a row of the 2-SAT families."""
    _decided("twosat", *judged("twosat", data), data)


def twosat_witness(data: bytes) -> None:
    """The value of ``assignment`` in a response that says satisfiable."""
    _decided("twosat", *judged("twosat", data, '{"satisfiable": true, "assignment": ', "}"), data)


def twosat_certificate(data: bytes) -> None:
    """The value of ``certificate`` in a response that says unsatisfiable."""
    _decided("twosat", *judged("twosat", data, '{"satisfiable": false, "certificate": ', "}"), data)


def stories_responses(data: bytes) -> None:
    """A response to a row of stories."""
    _decided("stories", *judged("stories", data), data)


def stories_witness(data: bytes) -> None:
    """The value of ``assignment`` in a response to a story that says satisfiable."""
    _decided("stories", *judged("stories", data, '{"satisfiable": true, "assignment": ', "}"), data)


def _decided(dataset: str, row: Row, text: str, verdict: Verdict, data: bytes) -> None:
    scorer = SCORERS[dataset]
    if verdict.status == CORRECT:
        assert _said(text, _words(dataset="twosat", gold=scorer.gold(row))), "the decision is nowhere in the response"
    if verdict.category == VALID_WITNESS:
        for name in row["entities"]:
            short = name.removeprefix("the ").removeprefix("room ").removeprefix("door ").casefold()
            assert _squeezed(short) in _squeezed(_plain(text)), f"{name} has no value"
        for literal in (1, -1):
            impossible = row | {"clauses": [*row["clauses"], [literal]]}
            both = scorer.judge(impossible | {"clauses": [*impossible["clauses"], [-literal]]}, Prediction(row["id"], text))
            assert both.category != VALID_WITNESS, "a witness of a formula that has none"
    if verdict.evidence.get("certificate", {}).get("verdict") == "valid":
        assert not row["satisfiable"], "a certificate against a formula that is satisfiable"


def _plain(text: str) -> str:
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


def reefbench_responses(data: bytes) -> None:
    """A response to a row of ReEfBench."""
    row, text, verdict = judged("reefbench", data)
    if verdict.status == CORRECT:
        assert _said(text, reefbench.LABELS.words[row["answer"]]), "the answer is nowhere in the response"
    given = set(row["premises"])
    letters = re.sub("[^a-z]", "", unescape(text).lower())
    for node in verdict.evidence["nodes"]:
        told = statements.read(node["statement"])
        for name in (told.subject, *told.predicate.parts):
            assert name in row["vocabulary"]
            assert name in letters, f"{name} is not in the response"
        assert (node["kind"] == "premise") == (node["statement"] in given)
        if node["kind"] == "derived":
            assert entailed(tuple(row["premises"]), node["statement"]), f"{node['statement']} does not follow"


@lru_cache(maxsize=4096)
def entailed(premises: tuple[str, ...], text: str) -> bool:
    """Whether a statement holds in every model of the premises, each name read as a proposition."""
    subject, stated = statements.read(text)
    given: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for premise in map(statements.read, premises):
        given.setdefault(premise.subject, []).append(premise.predicate)
    alternatives = [set(stated.parts)] if stated.joint == statements.OR else [{part} for part in stated.parts]
    return all(not _model(given, frozenset(), (subject,), frozenset(denied)) for denied in alternatives)


def _model(
    given: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]],
    true: frozenset[str],
    waiting: tuple[str, ...],
    false: frozenset[str],
) -> bool:
    """Whether what is true can be completed to a model in which ``false`` is: every disjunction has a true part."""
    choices: list[tuple[str, ...]] = []
    while waiting:
        name, *others = waiting
        waiting = tuple(others)
        if name in false:
            return False
        if name in true:
            continue
        true |= {name}
        for joint, parts in given.get(name, ()):
            if joint == statements.OR:
                choices.append(parts)
            else:
                waiting += parts
    open_ = [parts for name in true for joint, parts in given.get(name, ()) if joint == statements.OR]
    unmet = next((parts for parts in (*choices, *open_) if true.isdisjoint(parts)), None)
    return unmet is None or any(_model(given, true, (part,), false) for part in unmet)


_KNOWN = re.compile("|".join(re.escape(tag) for pair in thinking.PAIRS for tag in pair), re.IGNORECASE | re.ASCII)
_CLOSER = dict(thinking.PAIRS)


def thinking_split(data: bytes) -> None:
    """What is thinking is what reading one tag after the other finds; what is visible holds no more of it."""
    text = data.decode("utf-8", "replace")
    found = thinking.split(text)
    if "<|" not in text and "<｜" not in text:
        visible, awaited, start = [""], "", 0
        for tag in _KNOWN.finditer(text):
            name = tag.group().lower()
            if awaited:
                if name == awaited:
                    awaited, start = "", tag.end()
                    visible.append("")
            elif name in _CLOSER:
                visible[-1] = text[start : tag.start()]
                awaited, start = _CLOSER[name], tag.end()
            else:
                visible, start = [""], tag.end()
        if not awaited:
            visible[-1] = text[start:]
        assert found.visible == "\n".join(visible)
        assert (found.unclosed is None) == (not awaited)
    again = thinking.split(found.visible)
    assert (again.visible, again.unclosed, again.thinking) == (found.visible, None, "")
    assert len(found.visible) + len(found.thinking) <= len(text) + 1


def objects_find(data: bytes) -> None:
    """Objects stand where they are said to, apart from each other, and hold a wanted key; a plain one alone is found."""
    text = data.decode("utf-8", "replace")
    found = objects.find(text, KEYS)
    end = 0
    for start, stop in found.spans:
        assert end <= start < stop <= len(text)
        assert text[start] + text[stop - 1] == "{}"
        end = stop
    assert all(not set(KEYS).isdisjoint(each) for each in found.objects)
    for unread in (found.broken, found.unclosed):
        assert unread is None or text[unread] == "{"
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict) and len(value) == 1 and "answer" in value and "{" not in text[1:]:
        assert found.objects[-1]["answer"] == value["answer"]


def answers_extract(data: bytes) -> None:
    """Answers and labels of any text, of which a label is one of the known, and says itself."""
    text = data.decode("utf-8", "replace")
    parts = thinking.split(text)
    for truncated in (False, True):
        answer = answers.extract(parts, KEYS, truncated)
        assert answer.object is None or any(answer.object.get(key) is answer.value for key in KEYS)
        assert answer.value is not None or answer.object is not None or answer.note
    box = answers.boxed(parts)
    said = parts.visible if parts.unclosed is None else parts.unclosed  # pieces around thinking, of one of which a box may end
    assert box is None or box.value is None or (box.value in said and "boxed" in said)
    for dataset, decide in (("reefbench", reefbench.decision), ("twosat", SCORERS["twosat"].decision), ("tracebench", _label)):  # type: ignore[attr-defined]
        choice = decide(text)
        assert choice is None or choice in SCORERS[dataset].LABELS.words  # type: ignore[attr-defined]
        assert choice is None or decide(choice) == choice


def _label(value: Any) -> str | None:
    return answers.label(value, SCORERS["tracebench"].LABELS)  # type: ignore[attr-defined]


def loops_found(data: bytes) -> None:
    """Said twenty times over, any text of words is a loop."""
    text = data.decode("utf-8", "replace")
    loops.dominated_by_repetition(text)
    words = text.split()
    if 3 < len(words) < 1_000 and len(text) < loops.PIECE * len(words):
        assert loops.dominated_by_repetition(f"{' '.join(words)} " * 20)


def sentences_split(data: bytes) -> None:
    """No character is lost, and every sentence but a lone one has a letter or digit."""
    text = data.decode("utf-8", "replace")
    pieces = sentences.split(text)
    assert "".join(pieces) == text
    assert len(pieces) < 2 or all(any(map(str.isalnum, piece)) for piece in pieces)


def reasoning_parsed(data: bytes) -> None:
    """Sentences are whole; a statement names known names, in canonical form; told again by itself, it is asserted."""
    vocabulary = rows("reefbench")[0]["vocabulary"]
    text = data.decode("utf-8", "replace")
    found = reasoning.parse(text, vocabulary)
    assert "".join(each.text for each in found) == text
    for stated in {node.statement for each in found for node in each.nodes}:
        assert {stated.subject, *stated.predicate.parts} <= set(vocabulary)
        assert stated.subject not in stated.predicate.parts
        assert statements.read(str(stated)) == stated
        ((told,),) = [each.nodes for each in reasoning.parse(f"{stated}.", vocabulary)]
        assert told == (stated, False), f"{stated} is read as {told}"


def statements_read(data: bytes) -> None:
    """A statement, or ValueError; written in canonical form it is the same."""
    try:
        stated = statements.read(data.decode("utf-8", "replace"))
    except ValueError:
        return
    assert statements.read(str(stated)) == stated


def relations_read(data: bytes) -> None:
    """A set of relations is one that its symbols name again, and each of its relations is named."""
    text = data.decode("utf-8", "replace")
    mask = parse_relations(text)
    if mask is not None:
        assert 0 < mask < 1 << len(SYMBOLS)
        assert parse_relations("|".join(symbols_of(mask))) == mask
        letters = re.sub("[^a-z]", "", text.casefold())
        for symbol, place in INDEX.items():
            named = symbol.casefold(), re.sub("[^a-z]", "", NAMES[symbol])
            assert not mask >> place & 1 or any(name in letters for name in named)


def schemes_parsed(data: bytes) -> None:
    """A formula in words, or ValueError; what is read is what is written."""
    names = list(SCHEMES)
    scheme = SCHEMES[names[(data[0] if data else 0) % len(names)]]
    text = data[1:].decode("utf-8", "replace")
    called = entities(scheme.name, 9)
    try:
        clauses = parse(scheme, called, text)
    except ValueError:
        return
    assert text.startswith(verbalise(scheme, called, clauses).partition("\n\n")[0])


def formulas_solved(data: bytes) -> None:
    """The solver against all assignments: two bytes are a clause, each a literal of six variables or none."""
    literals = [(byte & 7, byte & 8) for byte in data[:80]]
    signed = [(-v if negated else v) for v, negated in literals]
    clauses = [[each for each in signed[i : i + 2] if 0 < abs(each) < 7] for i in range(0, len(signed), 2)]
    models = [m for m in product((False, True), repeat=6) if twocnf.violated(clauses, m) is None]
    truth = [m for m in product((False, True), repeat=6) if all(any(m[abs(i) - 1] == (i > 0) for i in c) for c in clauses)]
    assert models == truth
    assert twocnf.count_models(6, clauses) == len(truth)
    solution = twocnf.solve(6, clauses)
    assert solution.satisfiable == bool(truth)
    if solution.witness is not None:
        assert tuple(solution.witness) in truth
    if solution.certificate is not None:
        assert twocnf.is_certificate(clauses, solution.certificate)


class _Scripted(Client):
    """A client whose endpoint always says the same."""

    def __init__(self, said: str) -> None:
        super().__init__(Endpoint("http://localhost/v1", "scripted", None), Limits(1, None, 0, 1.0))
        self.said = said

    async def _sent(self, body: dict[str, Any]) -> str:
        return self.said


def replies_read(data: bytes) -> None:
    """The body of an endpoint's reply: a reply whose texts can be written, or Failed."""

    async def ask() -> None:
        reply = await _Scripted(data.decode("utf-8", "replace")).ask([])
        assert reply.text is None or isinstance(reply.text, str)
        json.dumps(reply._asdict(), ensure_ascii=False)
        "".join(filter(None, (reply.text, reply.reasoning, reply.finish_reason, reply.model))).encode()

    try:
        asyncio.run(ask())
    except (Failed, UnusableInput):
        return


def parsed_replies(data: bytes) -> None:
    """A model's reading of reasoning: every sentence is there, read by the model as the schema has it, or by the rules."""
    row = rows("reefbench")[0]
    text = SCORERS["reefbench"].perfect(row)
    content = data.decode("utf-8", "replace")
    said = json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})
    read = asyncio.run(llm_parser.parse(_Scripted(said), text, row["vocabulary"]))
    assert "".join(each.sentence.text for each in read) == text
    by_rules = reasoning.parse(text, row["vocabulary"])
    for one, rules in zip(read, by_rules, strict=True):
        assert one.attempt in range(llm_parser.ATTEMPTS + 1)
        assert one.attempt or one.sentence == rules
        for node in one.sentence.nodes:
            assert {node.statement.subject, *node.statement.predicate.parts} <= set(row["vocabulary"])
    given = llm_parser.as_nodes(read)
    assert [each.nodes for each in reefbench.given_sentences(given)] == [each.sentence.nodes for each in read]


def told_replies(data: bytes) -> None:
    """A model's paragraph of a story, and its reading of that: a whole story, whose paragraphs are on one line."""
    formula = {"clauses": [[1, -2], [2]], "formula": "f", "variables": 2}
    said = json.dumps({"choices": [{"message": {"content": data.decode("utf-8", "replace")}, "finish_reason": "stop"}]})
    story = asyncio.run(telling.tell(_Scripted(said), formula, "spy", lambda number: None))
    assert len(story["paragraphs"]) == len(story["attempts"]) == 2
    assert all(each.isprintable() and each for each in (story["introduction"], *story["paragraphs"]))
    assert story["attempts"] == [0, 0], "one reply cannot be a paragraph and the JSON that reads it"
