"""Properties of readers and scorers on drawn input: gold is never beaten, nothing is raised, no line is lost, linear time."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rb_verify
from fuzz import files, responses
from fuzz.responses import ENDINGS, rows
from fuzz.targets import CORPUS, TARGETS
from rb_verify import answers, loops, objects, reasoning, reefbench, sentences, thinking, tracebench, twosat
from rb_verify.allen import NAMES, SYMBOLS, symbols_of
from rb_verify.datasets import SCORERS
from rb_verify.formats import read_unit
from rb_verify.objects import Object
from rb_verify.twosat_report import VALID_WITNESS
from rb_verify.verdict import CORRECT, Prediction

DRAWN = settings(deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
ROWS = [pytest.param(dataset, row, id=row["id"]) for dataset in sorted(SCORERS) for row in rows(dataset)]
FRAGMENTS = (
    *(
        '{"reasoning": [',
        '{"final_answer": "YES"}',
        '{"final_answer": "NO"}',
        '"final_answer": ',
        "Final answer: YES\n",
        "{",
        "}",
    ),
    *("[", "]", '"', "'", "“", "”", ",", ":", "\\", "\\u0022", "//", "/*", "*/", "#", "\n", " ", "```json\n", "```", "&quot;"),
    *("<think>", "</think>", "<THINK>", "[THINK]", "[/think]", "◁think▷", "<|im_start|>assistant", "<answer>YES</answer>", "<"),
    *("\\boxed{", "\\boxed{True}", "\\text{", "Unknown", "{{{", "}}}", "$", "**", "Answer: ", "The statement is true. "),
    *('{"satisfiable": true, "assignment": {', '{"satisfiable": false}', '"certificate": [["', "=true", "is not ", "Adam", "A"),
    *(
        "babkpus is dalmpus. ",
        "babkpus",
        " is ",
        " and ",
        " or ",
        " → ",
        "Suppose ",
        "(",
        ")",
        "?",
        "wait, ",
        "1. ",
        "e.g. ",
        "…",
    ),
    *(
        "A|B|C",
        "before",
        '["A", "before", "B"]',
        "A before B, ",
        "event ",
        "->",
        "null",
        "NaN",
        "1e9",
        "0",
        "\u200b",
        "é",
        "\u2028",
    ),
)
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=40).map("".join)
PROSE = st.text(st.characters(whitelist_categories=["L", "Zs"]), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(FRAGMENTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", ["reefbench", "stories", "tracebench", "tracebench_steps", "twosat", "twosat_witness"])
@settings(DRAWN, max_examples=60)
@given(place=st.integers(0, 59), text=TEXTS)
def test_any_response(name: str, place: int, text: str) -> None:
    """Whatever is said, the verdict holds together, and the oracles of the target agree."""
    TARGETS[name](bytes([place]) + text.encode("utf-8", "replace"))


@pytest.mark.parametrize("name", ["answers", "objects", "thinking", "sentences", "reasoning", "loops"])
@settings(DRAWN, max_examples=60)
@given(text=TEXTS)
def test_any_text(name: str, text: str) -> None:
    """Whatever is read, the parts are those of the text."""
    TARGETS[name](text.encode("utf-8", "replace"))


@pytest.mark.parametrize(("dataset", "row"), ROWS)
@settings(DRAWN, max_examples=8)
@given(before=PROSE, after=PROSE, thought=PROSE, fenced=st.booleans(), ending=st.sampled_from(ENDINGS[:2]))
def test_gold_however_it_is_dressed(
    dataset: str, row: dict[str, Any], before: str, after: str, thought: str, fenced: bool, ending: str | None
) -> None:
    """The gold response scores 1, and no response scores more."""
    text = SCORERS[dataset].perfect(row)
    if fenced and dataset != "reefbench":
        text = f"```json\n{text}\n```"
    said = f"<think>{thought}</think>{before}\n\n{text}\n\n{after}"
    verdict = SCORERS[dataset].judge(row, Prediction(row["id"], said, finish_reason=ending))
    assert (verdict.score, verdict.status) == (1, CORRECT)


@pytest.mark.parametrize(("dataset", "row"), ROWS)
def test_the_last_answer_counts(dataset: str, row: dict[str, Any]) -> None:
    """Gold and then another answer is wrong, the other one and then gold is right."""
    scorer = SCORERS[dataset]
    gold = scorer.perfect(row)
    if dataset == "reefbench":
        others = [f"\\boxed{{{said}}}" for said in ("True", "False", "Unknown") if said != row["answer"]]
    elif dataset == "tracebench":
        others = [tracebench.respond([], said) for said in ("YES", "NO", "Unsure") if said != row["answer"]]
    else:
        others = [json.dumps({"satisfiable": not row["satisfiable"]})]
    for other in others:
        assert scorer.judge(row, Prediction(row["id"], f"{gold}\n{other}")).score == 0
        assert scorer.judge(row, Prediction(row["id"], f"{other}\n{gold}")).score == 1


@settings(DRAWN, max_examples=120)
@given(data=st.data())
def test_a_step_that_is_not_exact_costs_the_score(data: st.DataObject) -> None:
    """Any set of relations but the right one in any step of a gold proof, and the score is 0."""
    row = data.draw(st.sampled_from(rows("tracebench")))
    step = data.draw(st.integers(0, len(row["proof"]) - 1))
    told = set(data.draw(st.lists(st.sampled_from(SYMBOLS), min_size=1, unique=True)))
    steps = [(each["from"], "|".join(each["set"]), each["to"]) for each in row["proof"]]
    steps[step] = (steps[step][0], " or ".join(NAMES[symbol] for symbol in sorted(told)), steps[step][2])
    verdict = rb_verify.score(row, tracebench.respond(steps, row["answer"]))
    assert verdict.score == int(told == set(row["proof"][step]["set"]))
    network = responses._network(row["id"])
    place = {event: i for i, event in enumerate(row["events"])}
    truth = symbols_of(network[place[steps[step][0]]][place[steps[step][2]]])
    assert (verdict.evidence["steps"][step]["verdict"] == "exact") == (told == set(truth))


@pytest.mark.parametrize("dataset", ["stories", "twosat"])
@settings(DRAWN, max_examples=60)
@given(data=st.data())
def test_a_witness_is_one_that_satisfies_every_clause(dataset: str, data: st.DataObject) -> None:
    """A drawn assignment is valid exactly if each clause has a true literal; without one of its values it never is."""
    row = data.draw(st.sampled_from([row for row in rows(dataset) if row["satisfiable"]]))
    scorer: Any = SCORERS[dataset]
    gold = list(twosat.solve(row["variables"], row["clauses"]).witness or ())
    for place in data.draw(st.lists(st.integers(0, row["variables"] - 1), max_size=2)):
        gold[place] = not gold[place]
    holds = all(any(gold[abs(i) - 1] == (i > 0) for i in clause) for clause in row["clauses"])
    said = json.loads(scorer.respond(row, gold))
    assert (scorer.judge(row, Prediction(row["id"], json.dumps(said))).category == VALID_WITNESS) == holds
    del said["assignment"][data.draw(st.sampled_from(row["entities"]))]
    assert scorer.judge(row, Prediction(row["id"], json.dumps(said))).category != VALID_WITNESS


def _changed(value: Any, data: st.DataObject) -> Any:
    """A JSON value with one of its parts, at any depth, replaced, removed, or given a sister."""
    value = copy.deepcopy(value)
    at = value
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        inner = at[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            at = inner
            continue
        how = data.draw(st.sampled_from(("replace", "remove", "add")))
        if how == "remove":
            del at[key]
        elif how == "add" and isinstance(at, dict):
            at[data.draw(st.text(max_size=6))] = data.draw(JSON)
        else:
            at[key] = data.draw(JSON)
        return value


@pytest.mark.parametrize(
    ("name", "kept"),
    [("reports", "whole"), ("manifest", "whole"), ("recipe", "frozen-0"), ("nodes", "golden"), ("parsed_replies", "plain")],
)
@settings(DRAWN, max_examples=60)
@given(data=st.data())
def test_a_file_with_one_part_changed(name: str, kept: str, data: st.DataObject) -> None:
    """A sound file, of which one part is something else: refused in one sentence, or read; never a traceback."""
    changed = _changed(json.loads((CORPUS / name / kept).read_bytes()), data)
    TARGETS[name](json.dumps(changed).encode())


@settings(DRAWN, max_examples=60)
@given(data=st.data())
def test_a_log_with_one_part_changed(data: st.DataObject) -> None:
    """A unit of any format, of which one part is something else: predictions or problems, and as a whole file a report."""
    kept = data.draw(st.sampled_from(sorted((CORPUS / "units").glob("made-*"))))
    changed = json.dumps(_changed(json.loads(kept.read_bytes()), data)).encode()
    files.units_read(changed)
    files.harness_verdicts(changed)


@settings(DRAWN, max_examples=40)
@given(lines=st.lists(st.binary(max_size=12) | TEXTS.map(lambda text: text.encode("utf-8", "replace")), max_size=12))
def test_no_line_is_lost(lines: list[bytes]) -> None:
    """Every line that is not blank is a unit, plain and packed alike."""
    files.sources_opened(b"\n".join(lines))


@settings(DRAWN, max_examples=40)
@given(answer=st.text(max_size=20), others=st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3), before=PROSE)
def test_sound_json_is_found(answer: str, others: dict[str, str], before: str) -> None:
    """An object as ``json`` writes it is read as it was meant, unless other keys say the same in another spelling."""
    others = {key: value for key, value in others.items() if objects.normal_key(key) != "finalanswer"}
    for ascii_only in (True, False):
        text = f"{before} {json.dumps({'final_answer': answer} | others, ensure_ascii=ascii_only)}"
        (found,) = objects.find(text, ("finalanswer",)).objects
        assert isinstance(found, Object)
        assert dict(found.given) == {"final_answer": answer} | others


LINEAR: dict[str, Callable[[str], object]] = {
    "answers": lambda text: answers.extract(thinking.split(text), ("finalanswer", "answer")),
    "boxed": lambda text: answers.boxed(thinking.split(text)),
    "loops": loops.dominated_by_repetition,
    "objects": lambda text: objects.find(text, ("answer",)),
    "reasoning": lambda text: reasoning.parse(text, rows("reefbench")[0]["vocabulary"]),
    "reefbench": lambda text: rb_verify.score(rows("reefbench")[0], text),
    "reefbench decision": reefbench.decision,
    "sentences": sentences.split,
    "stories": lambda text: rb_verify.score(rows("stories")[0], text),
    "thinking": thinking.split,
    "tracebench": lambda text: rb_verify.score(rows("tracebench")[0], text),
    "tracebench steps": lambda text: rb_verify.score(
        rows("tracebench")[0], f'{{"reasoning": {json.dumps([text])}, "final_answer": "YES"}}'
    ),
    "twosat": lambda text: rb_verify.score(rows("twosat")[0], text),
    "twosat decision": twosat.decision,
    "twosat witness": lambda text: rb_verify.score(
        rows("twosat")[0], json.dumps({"satisfiable": True, "assignment": text.split(",")})
    ),
    "units": lambda text: read_unit(1, text.encode()),
}


@pytest.mark.parametrize("name", LINEAR)
@settings(DRAWN, max_examples=12)
@given(unit=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=3).map("".join))
def test_linear_time(name: str, unit: str) -> None:
    """Eight times the text takes far less than the 64 times of a quadratic reader."""
    short, long = unit * (5_000 // len(unit)), unit * (40_000 // len(unit))
    took = [(_seconds(LINEAR[name], long), _seconds(LINEAR[name], short))]
    while not _is_linear(*took[-1]) and len(took) < 3:  # another look, since the machine may have been busy
        took.append((_seconds(LINEAR[name], long), _seconds(LINEAR[name], short)))
    assert _is_linear(*took[-1]), f"{unit!r}: {took}"


def _is_linear(long: float, short: float) -> bool:
    return long < 24 * short + 0.05


def _seconds(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began
