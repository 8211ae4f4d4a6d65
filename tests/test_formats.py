"""Every format in which responses are logged says the same: one set of responses, whoever wrote it, has one set of verdicts."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rb_verify
from conftest import REPO
from log_writers import (
    FULL,
    WRAPPED,
    Record,
    anthropic_batch,
    inspect_eval,
    inspect_json,
    inspect_samples,
    is_error,
    lm_eval,
    openai_batch,
    plain,
)
from rb_verify import tracebench
from rb_verify.formats import parse_unit
from rb_verify.predictions import Problem
from rb_verify.release import Release, load
from rb_verify.sources import open_units
from rb_verify.unparsed import TRUNCATED
from rb_verify.verdict import Prediction

PACKED = [("plain", ".gz"), ("anthropic", ".zst"), ("inspect.json", ".gz"), ("inspect.json", ".zst")]
EXAMPLES = REPO / "examples" / "tracebench"
ID = "tracebench-1-0-0-d010-g00-q0"


@pytest.fixture(scope="module")
def loaded(release: Path) -> Release:
    """TRACEBench 1.0.0, loaded."""
    return load(release)


@pytest.fixture(scope="module")
def records(loaded: Release) -> list[Record]:
    """50 responses to 25 rows, two samples each: thinking tags, thinking apart, cut, empty and looping ones, API errors."""
    found = []
    for sample, name in enumerate(("mixed", "perfect")):
        for line in map(json.loads, (EXAMPLES / f"{name}.jsonl").open()):
            found.append({"reasoning": None, "finish_reason": None, **line, "sample": sample})
    found[30] |= {"response": "", "finish_reason": "length"}
    found[31] |= {"response": None, "error": {"code": 500}}
    row = next(row for row in loaded.rows if row["id"] not in {record["id"] for record in found})
    right = tracebench.perfect(row)
    for sample, (response, reason) in enumerate([(f"<think>So.</think>{right}", "stop"), (f"<think>So.{right}", "length")]):
        found.append({"id": row["id"], "response": response, "reasoning": None, "finish_reason": reason, "sample": sample})
    return sorted(found, key=lambda record: (record["id"], record["sample"]))


def verdicts(data: bytes, place: Path, release: Release) -> tuple[list[Record], Record]:
    """Details and report of a submission."""
    place.write_bytes(data)
    details = io.StringIO()
    report = rb_verify.evaluate(place, release, partial=True, details=details)
    return [json.loads(line) for line in details.getvalue().splitlines()], report.data


def test_reasons_are_known() -> None:
    """Every provider's word for a response that was cut counts as cut."""
    limits = {f"{kind}_limit" for kind in ("context", "cost", "message", "time", "token", "turn", "working")}
    words = {"length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded"}
    assert limits | words <= TRUNCATED


@pytest.mark.parametrize(("name", "wrapping"), [*((name, "") for name in FULL), *PACKED])
def test_verdicts_do_not_depend_on_the_format(
    records: list[Record], loaded: Release, tmp_path: Path, name: str, wrapping: str
) -> None:
    """The same responses have the same verdicts, evidence and rates in every format, packed or not."""
    expected, told = verdicts(plain(records), tmp_path / "plain", loaded)
    assert len(expected) == 50 - sum(map(is_error, records)) == 48
    assert min(told["counts"][status] for status in ("correct", "incorrect", "unparsed")) > 0
    found, report = verdicts(WRAPPED[wrapping](FULL[name](records)), tmp_path / "any-name", loaded)
    assert found == expected
    assert {key: report[key] for key in report if key != "problems"} == {key: told[key] for key in told if key != "problems"}
    assert [problem["kind"] for problem in report["problems"]] == [problem["kind"] for problem in told["problems"]]


@pytest.fixture(scope="module")
def texts(records: list[Record]) -> list[Record]:
    """The responses as every format can hold them: text alone."""
    nothing = {"reasoning": None, "finish_reason": None}
    return [{"id": r["id"], "sample": r["sample"], "response": r["response"] or ""} | nothing for r in records]


@pytest.mark.parametrize("write", [lm_eval, inspect_eval, inspect_json, openai_batch, anthropic_batch])
def test_fifty_responses_in_every_format(
    texts: list[Record], loaded: Release, tmp_path: Path, write: Callable[[list[Record]], bytes]
) -> None:
    """The same 50 responses have the same verdicts as plain lines, in logs of both harnesses and in batch outputs."""
    expected, told = verdicts(plain(texts), tmp_path / "plain", loaded)
    found, report = verdicts(write(texts), tmp_path / "other", loaded)
    assert len(found) == 50
    assert found == expected
    assert report == told


@pytest.mark.parametrize("old", [False, True])
def test_verdicts_of_lm_eval(texts: list[Record], loaded: Release, tmp_path: Path, old: bool) -> None:
    """A log of lm-eval has the verdicts of its texts; lines for a second filter change none and are counted."""
    expected, told = verdicts(plain(texts), tmp_path / "plain", loaded)
    found, report = verdicts(lm_eval(texts, ("strict", "flexible"), old), tmp_path / "log", loaded)
    assert found == expected
    assert report["counts"] == told["counts"]
    assert report["lines"] == told["lines"] | {"read": 100, "repeated": 50}


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)
WORDS = TEXT.filter(bool).map(lambda text: text.replace("attachment://", ""))
RECORD = st.fixed_dictionaries(
    {
        "response": st.none() | WORDS,
        "reasoning": st.none() | WORDS.filter(bool),
        "finish_reason": st.sampled_from(["stop", "length"]),
        "usage": st.none() | st.integers(0, 10**9).map(lambda count: {"completion_tokens": count}),
        "error": st.just(None) | st.just({"code": 500}),
        "sample": st.integers(0, 9999),
    }
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FULL)), st.sampled_from(sorted(WRAPPED)), st.lists(RECORD, min_size=1, max_size=4))
def test_predictions_read_back(tmp_path_factory: pytest.TempPathFactory, name: str, wrapping: str, said: list[Record]) -> None:
    """Any prediction that is written in any format reads back: text, thinking, sample, tokens, error and whether it was cut."""
    written = [record | {"id": f"row-{number}"} for number, record in enumerate(said)]
    nothing = dict.fromkeys(("response", "reasoning", "finish_reason", "usage"))
    written = [record | nothing if is_error(record) else record for record in written]
    file = tmp_path_factory.getbasetemp() / "read-back"
    file.write_bytes(WRAPPED[wrapping](FULL[name](written)))
    with open_units(str(file)) as units:
        read = [each for number, unit in units for each in parse_unit(number, unit)]
    assert [shape(each) for each in read] == [
        (
            record["id"],
            record["response"] or "",
            record["reasoning"],
            record["finish_reason"] == "length",
            record["sample"],
            is_error(record),
            (record["usage"] or {}).get("completion_tokens"),
        )
        for record in written
    ]


def shape(read: Prediction | Problem) -> tuple[Any, ...]:
    """What all formats can tell of a prediction."""
    assert isinstance(read, Prediction)
    cut = read.finish_reason in TRUNCATED
    return read.id, read.response or "", read.reasoning, cut, read.sample, read.error, read.tokens


def chat(message: Record, **choice: Any) -> Record:
    """A batch line with one choice."""
    return batch({"choices": [{"message": message, **choice}]})


def batch(body: Record, id_: str = ID, **response: Any) -> Record:
    """A line of OpenAI's batch API."""
    return {"id": "b", "custom_id": id_, "response": {"status_code": 200, "body": body, **response}, "error": None}


def inspected(message: Any = "text", id: Any = ID, epoch: Any = 1, stop: str | None = "stop", **more: Any) -> Record:
    """A sample of an Inspect log."""
    output = {"choices": [{"message": {"content": message}, "stop_reason": stop}]}
    return {"id": id, "epoch": epoch, "output": output, **more}


def evaluated(resps: Any, **more: Any) -> Record:
    """A line of an lm-eval log."""
    return {"doc_id": 0, "doc": {"id": ID}, "resps": resps, "filtered_resps": ["filtered"], **more}


def said(response: str | None, reasoning: str | None = None, reason: str | None = None, sample: int = 0) -> Prediction:
    """A prediction for the row that all cases are of."""
    return Prediction(ID, response, reasoning, reason, sample)


FAILED = Prediction(ID, None, error=True)
THOUGHT = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}

READ: dict[str, tuple[Record, list[Prediction]]] = {
    "parts": (chat({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), [said("ab")]),
    "parts with thinking": (
        chat({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "b"}]}),
        [said("b", "hm")],
    ),
    "null content, thinking": (
        chat({"content": None, "reasoning": "hm"}, finish_reason="length"),
        [said(None, "hm", "length")],
    ),
    "two words for thinking": (chat({"content": "a", "reasoning_content": "", "reasoning": "hm"}), [said("a", "hm")]),
    "refusal": (chat({"content": None, "refusal": "I will not."}, finish_reason="stop"), [said("I will not.", None, "stop")]),
    "completions": (batch({"choices": [{"text": "a", "finish_reason": "stop"}]}), [said("a", None, "stop")]),
    "several choices": (
        batch({"choices": [{"index": i, "message": {"content": f"c{i}"}} for i in (1, 0)], "usage": {"completion_tokens": 9}}),
        [said("c0"), said("c1", sample=1)],
    ),
    "several choices of a sample": (
        batch({"choices": [{"text": "a"}, {"text": "b"}]}, f"{ID}__s3"),
        [said("a", sample=6), said("b", sample=7)],
    ),
    "no choices": (batch({"choices": []}), [FAILED]),
    "failed status": (batch({"choices": [{"text": "a"}]}, status_code=500), [FAILED]),
    "error in the body": ({"custom_id": ID, "response": {"error": {"message": "x"}}}, [FAILED]),
    "error line": ({"custom_id": f"{ID}__s12", "response": None, "error": {}}, [Prediction(ID, None, sample=12, error=True)]),
    "empty error": ({"custom_id": ID, "response": {"choices": [{"text": "a"}]}, "error": ""}, [said("a")]),
    "responses, unfinished": (batch({"object": "response", "status": "in_progress", "output": []}), [FAILED]),
    "responses, thinking alone": (
        batch(
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [{"type": "reasoning"}]}
        ),
        [said(None, None, "max_output_tokens")],
    ),
    "a mark of no sample": (
        {"custom_id": f"{ID}__s", "response": None, "error": 1},
        [Prediction(f"{ID}__s", None, error=True)],
    ),
    "anthropic, text": (
        {"custom_id": ID, "result": {"type": "succeeded", "message": {"content": "a", "stop_reason": "end_turn"}}},
        [said("a", None, "end_turn")],
    ),
    "inspect, int id": (inspected(id=3, metadata={"id": ID}), [said("text", None, "stop")]),
    "inspect, epoch": (inspected(epoch=4), [said("text", None, "stop", 3)]),
    "inspect, parts": (
        inspected([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
        [said("a\nb", "hm", "stop")],
    ),
    "inspect, redacted": (
        inspected([{"type": "reasoning", "reasoning": "CjQ0", "redacted": True}, {"type": "text", "text": "a"}]),
        [said("a", None, "stop")],
    ),
    "inspect, unknown reason": (inspected(stop="unknown"), [said("text")]),
    "inspect, limit": (inspected(stop="unknown", limit={"type": "token", "limit": 5}), [said("text", None, "token_limit")]),
    "inspect, limit after the end": (inspected(limit={"type": "token", "limit": 5}), [said("text", None, "stop")]),
    "inspect, limit before any output": (
        {"id": ID, "epoch": 1, "output": {"choices": []}, "limit": {"type": "context", "limit": 5}},
        [said(None, None, "context_limit")],
    ),
    "inspect, error": ({"id": ID, "epoch": 1, "output": {"choices": []}, "error": {"message": "x"}}, [FAILED]),
    "inspect, error after the response": (inspected(error={"message": "the scorer failed"}), [said("text", None, "stop")]),
    "inspect, no attachment": (inspected("attachment://00", attachments={}), [said("attachment://00", None, "stop")]),
    "lm-eval, repeats": (evaluated([["a", "b"]]), [said("a"), said("b", sample=1)]),
    "lm-eval, text": (evaluated("a"), [said("a")]),
    "lm-eval, nested": (evaluated([["a"], [["b", "c"]]]), [said("a"), said("b", sample=1), said("c", sample=2)]),
    "lm-eval, answers like pairs": (evaluated([["-1.5", "True"]]), [said("-1.5"), said("True", sample=1)]),
    "lm-eval, filtered alone": (evaluated([[]]), [said("filtered")]),
    "plain with the keys of others": ({"id": ID, "response": "a", "custom_id": "x", "doc": {}, "resps": []}, [said("a")]),
}


@pytest.mark.parametrize("name", READ)
def test_units_say(name: str) -> None:
    """Each shape of a unit gives the predictions that it holds."""
    unit, expected = READ[name]
    assert parse_unit(1, json.dumps(unit).encode()) == expected


REFUSED: dict[str, tuple[Record, str]] = {
    "log-likelihoods": (evaluated([[["-1.25", "False"]], [["-0.5", "True"]]]), "generate_until"),
    "log-likelihoods of old": (evaluated([[[-1.25, False]]]), "generate_until"),
    "lm-eval without texts": (evaluated([], filtered_resps=[]), "--log_samples"),
    "lm-eval without an id": ({"doc": {"question": "x"}, "resps": [["a"]]}, "without a string 'id'"),
    "neither response nor error": ({"custom_id": ID, "response": None, "error": None}, "neither a 'response'"),
    "text for a batch": ({"custom_id": ID, "response": ["a"]}, "neither a 'response'"),
    "body without choices": (batch({"object": "list"}), "without 'choices'"),
    "choice without a message": (batch({"choices": ["a"]}), "without 'message'"),
    "content of a number": (chat({"content": 7}), "neither text nor a list"),
    "number for an id": ({"custom_id": 7, "response": None, "error": 1}, "no string"),
    "anthropic, neither": ({"custom_id": ID, "result": {"type": "processing"}}, "neither succeeded"),
    "inspect without an id": (inspected(id=3), "without a row's id"),
    "inspect, epoch": (inspected(epoch=0), "'epoch'"),
    "sample too large": (inspected(epoch=10_001), "from 0 to 9999"),
    "usage": (batch({"choices": [{"text": "a"}], "usage": {"completion_tokens": "many"}}), "'usage'"),
    "surrogate": (inspected("\ud800"), "lone surrogate"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_units_say_why(name: str) -> None:
    """A unit that is no prediction in its own format is a problem at its place, with a sentence."""
    unit, sentence = REFUSED[name]
    (problem,) = parse_unit(5, json.dumps(unit).encode())
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.line) == ("bad_line", 5)
    assert sentence in problem.message


def test_one_bad_response_does_not_lose_the_others() -> None:
    """Of several responses in a unit, a bad one is a problem and the others are read."""
    first, second = parse_unit(1, json.dumps(evaluated([["\ud800", "fine"]])).encode())
    assert isinstance(first, Problem)
    assert second == said("fine", sample=1)


def units() -> list[Any]:
    """A unit of every shape."""
    whole: list[Any] = [unit for unit, _ in [*READ.values(), *REFUSED.values()]]
    return whole + list(inspect_samples([{"id": ID, "sample": 0, "response": "a", "reasoning": "b"}]).values())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["text", "reasoning"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "content", "id"]), inner),
    max_leaves=6,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to everything in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, each in inner for place in places(each, (*at, key)))]


def replaced(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """A JSON value with another at a place."""
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = replaced(value[at[0]], at[1:], new)
    return copy


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_damaged_units_never_end_the_run(data: st.DataObject) -> None:
    """Whatever stands anywhere in a unit, it is read or refused in a sentence, at its place."""
    unit = data.draw(st.sampled_from(units()))
    damaged = replaced(unit, data.draw(st.sampled_from(places(unit))), data.draw(JSON))
    read = parse_unit(9, json.dumps(damaged).encode())
    assert read
    assert all(isinstance(each, Prediction) or (each.kind, each.line) == ("bad_line", 9) for each in read)
    assert all(isinstance(each.response, str | None) for each in read if isinstance(each, Prediction))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_never_end_the_run(unit: bytes) -> None:
    """Any bytes are read or refused."""
    assert all(isinstance(each, Prediction | Problem) for each in parse_unit(1, unit))


@pytest.mark.parametrize("depth", [900, 100_000])
def test_deep_nesting_is_refused_or_read(depth: int) -> None:
    """Lists in lists to any depth are flattened or refused, and never exhaust the stack."""
    unit = b'{"doc": {"id": "a"}, "resps": ' + b"[" * depth + b'"x"' + b"]" * depth + b"}"
    (read,) = parse_unit(1, unit)
    assert read == Prediction("a", "x") if depth < 1000 else isinstance(read, Problem)


def test_examples_say_the_same(loaded: Release) -> None:
    """The example logs, one in each format, have one set of verdicts."""
    files = sorted((REPO / "examples" / "formats").iterdir())
    assert len(files) == 6
    reports = [rb_verify.evaluate(file, loaded, partial=True).data for file in files]
    assert all(report["counts"] == {"correct": 5, "incorrect": 1, "unparsed": 2, "missing": 0} for report in reports)
    assert all(report["categories"] == reports[0]["categories"] and not report["problems"] for report in reports)
