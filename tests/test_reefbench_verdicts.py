"""Verdicts and reports on whole ReEfBench submissions: perfect, without reasoning, partial, repeated, parsed beforehand."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import rb_verify
from rb_build import recipe as recipes
from rb_build.release import compile_release, write
from rb_verify import archetypes, reasoning, reefbench, render, report
from rb_verify.errors import UnusableInput
from rb_verify.metrics import NAMES as METRIC_NAMES
from rb_verify.process import count_tokens
from rb_verify.prose import STYLES, solution
from rb_verify.release import load
from rb_verify.report import Report
from rb_verify.schema import violations
from rb_verify.thinking import split
from rb_verify.verdict import Prediction
from reefbench_cases import CASES, NAMES, row, small_rows
from small_recipe import small as small_tracebench

Row = dict[str, Any]
Line = dict[str, Any]
TRUE, UNKNOWN = "\\boxed{True}", "\\boxed{Unknown}"
PAIRS = 12


@pytest.fixture(scope="module")
def small(reef: Path) -> Path:
    """The folder of a small release: four pairs at each of levels 3 to 5."""
    return reef


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of another dataset, TRACEBench."""
    params = small_tracebench()["params"]
    tiers = [tier for tier in params["tiers"] if tier["config"] == "d010"]
    changed = small_tracebench(configs={"default": {"test": ["d010"]}}, params=params | {"tiers": tiers})
    recipe = recipes.parse(changed, "small")
    place = tmp_path_factory.mktemp("other") / "tracebench" / "0.1.0"
    write(place, recipe, compile_release(recipe))
    return place


@pytest.fixture(scope="module")
def pairs(small: Path) -> list[tuple[Row, Row]]:
    """Its main rows, each with its contrast row."""
    rows = load(small).rows
    contrast = {row["pair"]: row for row in rows if row["config"] == "contrast"}
    found = [(row, contrast[row["pair"]]) for row in rows if row["config"] == "main"]
    assert len(found) == PAIRS
    assert len(rows) == 2 * PAIRS
    return found


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where a submission is written."""
    return tmp_path / "predictions.jsonl"


def evaluated(out: Path, small: Path, lines: Iterable[Line], **more: Any) -> tuple[Report, list[Line]]:
    """The report and the details of a submission; the report keeps to its schema and can be shown in every form."""
    out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    config, details = more.pop("config", "default"), io.StringIO()
    found = rb_verify.evaluate(out, load(small, config), config=config, details=details, **more)
    data = json.loads(found.to_json())
    assert violations(data, "report") == []
    shown = report.tables(found)
    assert found.signature in render.markdown(found, shown)
    render.terminal(found, shown, io.StringIO())
    return found, [json.loads(line) for line in details.getvalue().splitlines()]


def answers(pairs: Sequence[tuple[Row, Row]], main: Sequence[str], contrast: Sequence[str]) -> Iterator[Line]:
    """Responses to pairs, without reasoning."""
    for (one, other), first, second in zip(pairs, main, contrast, strict=True):
        yield {"id": one["id"], "response": first}
        yield {"id": other["id"], "response": second}


def values(found: Report, *names: str) -> list[float]:
    """The values of some rates."""
    return [found.data["rates"][name]["value"] for name in names]


HEAD = ("score", "accuracy", "main_accuracy", "contrast_accuracy")


@pytest.mark.parametrize("style", STYLES)
def test_perfect_in_every_style(style: str) -> None:
    """The golden solution is correct, as deep as the level, whole, precise, supported, and without hallucination."""
    for one in [one for level in (3, 4, 5) for one in small_rows()[f"main{level:02d}"]]:
        verdict = rb_verify.score(one, solution(one, style))
        found = verdict.evidence["metrics"]
        assert (verdict.score, verdict.status, verdict.category) == (1, "correct", "true_found")
        assert found["max_depth"] == found["interval_depth"] == one["level"]
        assert found["max_closure_depth"] == max(step["closure_depth"] for step in one["golden"])
        assert found["explored_nodes"] == len(one["golden"])
        assert found["hallucination_nodes"] == found["planning_nodes"] == found["reflection_sentences"] == 0
        whole = ("reasoning_accuracy", "premise_coverage", "exploration_precision", "depth_coverage", "supported_ratio")
        assert [found[name] for name in whole] == [1] * 5
        assert found["sentences"] == len(one["golden"]) + 1
    for one in [one for level in (3, 4, 5) for one in small_rows()[f"contrast{level:02d}"]]:
        verdict = rb_verify.score(one, solution(one, style))
        assert (verdict.score, verdict.category, verdict.evidence["nodes"]) == (1, "unknown_seen", [])


def test_the_scorers_perfect_response(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """It scores 1 everywhere, with two workers as with one, and the report says that nothing is wrong with it."""
    rows = [row for pair in pairs for row in pair]
    lines = [{"id": row["id"], "response": reefbench.perfect(row)} for row in rows]
    found, details = evaluated(out, small, lines)
    assert found.complete
    assert values(found, *HEAD) == [1, 1, 1, 1]
    assert f"|parser:{reefbench.PARSER}|samples:1|partial:no|text:both|tokens:counted|nodes:parsed" in found.signature
    assert reasoning.PARSER in reefbench.PARSER
    assert found.data["categories"] == {"true_found": 12, "missed": 0, "unknown_seen": 12, "overclaimed": 0, "parse_failure": 0}
    assert [(g["group"], g["score"]["value"], g["score"]["n"]) for g in found.data["breakdown"]] == [
        ("3", 1, 4),
        ("4", 1, 4),
        ("5", 1, 4),
    ]
    again, more = evaluated(out, small, lines, workers=2)
    assert (again.data, more) == (found.data, details)
    own = found.data["reefbench"]
    assert [level["metrics"]["max_depth"] for level in own["levels"]] == [3, 4, 5]
    assert (own["hardest"]["level"], own["hardest"]["n"], own["hardest"]["logical_depth"]) == (5, 4, 1)
    assert (own["process"]["max_depth"]["value"], own["process"]["max_depth"]["n"]) == (4, 12)
    used = {reefbench.perfect(row) == solution(row, style) and style for row in rows for style in STYLES} - {False}
    assert len(used) > 1, "the styles take turns"


def test_attacks_by_hand(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """What needs no reasoning scores what counting gives, and the manifest says the same."""
    rows = [row for pair in pairs for row in pair]

    def lone(one: Row) -> bool:
        words = [premise.split() for premise in one["premises"]]
        told = {word for _, _, *rest in words for word in rest} | {one["conclusion"].split()[0]}
        return max(Counter(subject for subject, *_ in words if subject not in told).values(), default=0) > 1

    main = sum(not lone(one) for one, _ in pairs) / PAIRS
    contrast = sum(lone(other) for _, other in pairs) / PAIRS
    both = sum(lone(other) and not lone(one) for one, other in pairs) / PAIRS
    expected: dict[str, list[float]] = {
        "constant_true": [0, 1 / 2, 1, 0],
        "constant_false": [0, 0, 0, 0],
        "constant_unknown": [0, 1 / 2, 0, 1],
        "parroted_conclusion": [0, 1 / 2, 1, 0],
        "copied_premises": [0, 1 / 2, 1, 0],
        "lone_subject": [both, (main + contrast) / 2, main, contrast],
    }
    attacks = reefbench.attacks(rows)
    assert set(attacks) == set(expected)
    for name, attack in attacks.items():
        found, details = evaluated(out, small, [{"id": row["id"], "response": attack(row)} for row in rows])
        assert values(found, *HEAD) == pytest.approx(expected[name], abs=1e-6), name
        assert found.data["baselines"][name] == pytest.approx(dict(zip(HEAD, expected[name], strict=True)), abs=1e-6)
        metrics = {detail["id"]: detail["metrics"] for detail in details}
        for one, other in pairs:
            said, counter = metrics[one["id"]], metrics[other["id"]]
            if name == "parroted_conclusion":
                assert (said["max_depth"], said["supported_ratio"], said["explored_nodes"]) == (one["level"], 0, 1)
                assert (said["interval_depth"], said["premise_coverage"]) == (0, 0)
                assert (counter["max_depth"], counter["hallucination_nodes"]) == (0, 1)
            elif name == "copied_premises":
                assert (said["max_depth"], said["premise_coverage"], said["derived_nodes"]) == (0, 1, 0)
                assert said["premise_nodes"] == said["explored_nodes"] == len(one["premises"])
                assert counter["premise_nodes"] == len(other["premises"])
            else:
                assert (said["nodes"], said["sentences"]) == (0, 1)


def test_pairs_by_hand(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """A pair scores only with both rows right: of 12 with one such, one is right; wrong, unparsed and missing count alike."""
    main = [TRUE, TRUE, UNKNOWN, UNKNOWN, *[TRUE] * 4, *[TRUE] * 4]
    contrast = [UNKNOWN, TRUE, UNKNOWN, TRUE, *[TRUE] * 4, *[TRUE] * 3, "no idea"]
    lines = list(answers(pairs, main, contrast))
    found, _ = evaluated(out, small, lines)
    assert values(found, *HEAD) == pytest.approx([1 / 12, 12 / 24, 10 / 12, 2 / 12], abs=1e-6)
    assert [g["score"]["value"] for g in found.data["breakdown"]] == [0.25, 0, 0]
    assert found.data["rates"]["score"]["n"] == 12
    assert found.data["rates"]["accuracy"]["n"] == 24
    assert found.data["counts"] == {"correct": 12, "incorrect": 11, "unparsed": 1, "missing": 0}
    less, _ = evaluated(out, small, lines[1:])
    assert values(less, *HEAD) == pytest.approx([0, 11 / 24, 9 / 12, 2 / 12], abs=1e-6)
    assert less.data["counts"]["missing"] == 1
    assert not less.complete


def test_pairs_score_what_accuracy_cannot_hide(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """Between accuracy and score: all main rows and half the contrast rows right are accuracy 3/4 and score 1/2."""
    found, _ = evaluated(out, small, answers(pairs, [TRUE] * 12, [UNKNOWN, TRUE] * 6))
    assert values(found, *HEAD) == [0.5, 0.75, 1, 0.5]
    assert [g["score"]["value"] for g in found.data["breakdown"]] == [0.5, 0.5, 0.5]


def test_partial_leaves_out_broken_pairs(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """With --partial a pair counts if both rows were answered; the signature and the counts say what was left out."""
    lines = list(answers(pairs[:3], [TRUE, TRUE, UNKNOWN], [UNKNOWN, TRUE, UNKNOWN]))
    found, details = evaluated(out, small, lines[:-1], partial=True)
    assert (found.data["n"], found.data["left_out"], len(details)) == (5, 19, 5)
    assert [found.data["rates"][name]["n"] for name in HEAD] == [2, 5, 3, 2]
    assert values(found, *HEAD) == pytest.approx([1 / 2, 3 / 5, 2 / 3, 1 / 2], abs=1e-6)
    assert "|partial:yes|" in found.signature
    assert found.complete
    alone, _ = evaluated(out, small, lines[:1], partial=True)
    assert alone.data["rates"]["score"] == {"value": None, "n": 0, "interval": None}
    assert alone.score is None
    assert values(alone, "accuracy") == [1]


def test_one_half_alone(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """In config main or contrast a pair is one row, so the score is its accuracy; other rows' lines are no harm."""
    lines = list(answers(pairs, [TRUE] * 9 + [UNKNOWN] * 3, [UNKNOWN] * 2 + [TRUE] * 10))
    main, _ = evaluated(out, small, lines, config="main")
    assert values(main, *HEAD[:3]) == [0.75, 0.75, 0.75]
    assert values(main, "contrast_accuracy") == [None]
    assert {problem["kind"] for problem in main.data["problems"]} == {"other_config"}
    assert main.complete
    contrast, _ = evaluated(out, small, lines, config="contrast")
    assert values(contrast, *HEAD) == pytest.approx([1 / 6, 1 / 6, None, 1 / 6], abs=1e-6)
    assert contrast.data["reefbench"]["levels"] == []
    assert contrast.data["reefbench"]["hardest"] is None
    level, _ = evaluated(out, small, lines, config="level_04")
    assert values(level, *HEAD) == [0, 0.5, 1, 0]


def test_samples(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """With several responses a pair scores the product of its rows' shares of right ones."""
    rights = {0: (2, 1), 1: (3, 3), 2: (3, 0), 3: (1, 2)}  # of three
    lines = []
    for place, (one, other) in enumerate(pairs):
        first, second = rights.get(place, (0, 0))
        for sample in range(3):
            lines.append({"id": one["id"], "sample": sample, "response": TRUE if sample < first else UNKNOWN})
            lines.append({"id": other["id"], "sample": sample, "response": UNKNOWN if sample < second else TRUE})
    found, details = evaluated(out, small, lines)
    assert found.data["samples"] == 3
    assert len(details) == 72
    assert found.score == pytest.approx((2 / 9 + 1 + 0 + 2 / 9) / 12, abs=1e-6)
    assert values(found, "accuracy") == pytest.approx([15 / 72], abs=1e-6)
    less, _ = evaluated(out, small, lines[1:])
    assert less.score == pytest.approx((1 / 9 + 1 + 0 + 2 / 9) / 12, abs=1e-6)
    part, _ = evaluated(out, small, lines[1:], partial=True)
    assert part.score == pytest.approx((1 / 6 + 1 + 0 + 2 / 9) / 12, abs=1e-6)


def test_duplicates(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """A line repeated word for word is one; lines that differ, be it in tokens or nodes alone, lose their row."""
    lines = list(answers(pairs, [TRUE] * 12, [UNKNOWN] * 12))
    whole, _ = evaluated(out, small, [*lines, lines[0]])
    assert whole.complete
    assert whole.score == 1
    changes: list[Line] = [
        {"response": UNKNOWN},
        {"usage": {"completion_tokens": 7}},
        {"nodes": []},
        {"reasoning": "Hm."},
    ]
    for change in changes:
        found, details = evaluated(out, small, [*lines, lines[0] | change])
        assert found.score == pytest.approx(11 / 12, abs=1e-6), change
        assert found.data["counts"]["unparsed"] == 1
        assert [(p["kind"], p["line"]) for p in found.data["problems"]] == [("duplicate", 1), ("duplicate", 25)]
        assert next(detail for detail in details if detail["id"] == lines[0]["id"])["status"] == "unparsed"
        assert found.data["reefbench"]["process"]["tokens"]["n"] == 11, "none of the two is measured"
    billed = [line | {"usage": {"completion_tokens": 50}} for line in lines]
    found, _ = evaluated(out, small, [*billed, billed[0] | {"response": UNKNOWN}])
    assert found.data["reefbench"]["process"]["tokens"]["value"] == 50
    assert "|tokens:usage|" in found.signature


def test_api_errors(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """A row whose API failed is missing: wrong, named, and left out of the process means."""
    lines = list(answers(pairs, [f"{one['conclusion']}. {TRUE}" for one, _ in pairs], [UNKNOWN] * 12))
    lines[0] = {"id": lines[0]["id"], "response": None, "error": "rate limit"}
    found, details = evaluated(out, small, lines)
    assert values(found, "score", "main_accuracy") == pytest.approx([11 / 12, 11 / 12], abs=1e-6)
    assert [problem["kind"] for problem in found.data["problems"]] == ["api_error"]
    assert found.data["reefbench"]["process"]["explored_nodes"] == {"value": 1, "n": 11, "interval": [1, 1]}
    assert details[0]["note"] == "the API reported an error"


def test_process_means_by_hand(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """Process metrics are means over main rows with a response, right, wrong or unparsed; missing rows are left out."""
    conclusion = [one["conclusion"] for one, _ in pairs]
    said = [f"{conclusion[0]}. {TRUE}", f"{conclusion[1]}. {UNKNOWN}", f"{conclusion[2]}. No idea.", f"Hm. {TRUE}"]
    lines = list(answers(pairs[:4], said, [f"{other['conclusion']}. {UNKNOWN}" for _, other in pairs[:4]]))
    last = pairs[11][0]
    lines.append({"id": last["id"], "response": "\n".join([last["premises"][0]] * 2), "usage": {"completion_tokens": 400}})
    found, _ = evaluated(out, small, lines)
    own = found.data["reefbench"]
    assert (own["process"]["max_depth"]["value"], own["process"]["max_depth"]["n"]) == (9 / 5, 5)
    assert own["process"]["premise_nodes"]["value"] == 2 / 5
    assert own["process"]["node_duplication"]["value"] == 1 / 10
    assert [(each["level"], each["n"]) for each in own["levels"]] == [(3, 4), (5, 1)]
    assert own["levels"][0]["metrics"]["max_depth"] == 9 / 4
    assert own["levels"][1]["metrics"]["verbosity"] == 20
    assert (own["contrast"]["hallucination_nodes"]["value"], own["contrast"]["hallucination_nodes"]["n"]) == (1, 4)
    assert (own["hardest"]["level"], own["hardest"]["logical_depth"]) == (5, 0)
    assert values(found, "main_accuracy") == pytest.approx([2 / 12], abs=1e-6)
    assert set(own["process"]) == set(METRIC_NAMES)
    assert "|tokens:mixed|nodes:parsed" in found.signature


# Which text, whose tokens, whose nodes

ONE, TWO, JOINED = "babkpus is dalmpus", "dalmpus is fentpus and hilkpus", "babkpus is fentpus and hilkpus"


def test_texts() -> None:
    """Both texts, the answer's or the thinking's are scored as asked; the answer itself is the same."""
    one = row("main")
    response, apart = f"<think>Wait, {TWO}.</think>So {JOINED}.\n{TRUE}", f"First, {ONE}. Is babkpus jorkpus?"
    for text, said, reflections, sentences in (
        ("both", [ONE, "babkpus is jorkpus", TWO, JOINED], 1, 5),
        ("answer", [JOINED], 0, 2),
        ("thinking", [ONE, "babkpus is jorkpus", TWO], 1, 3),
    ):
        verdict = rb_verify.score(one, response, reasoning=apart, text=text)
        found = verdict.evidence["metrics"]
        assert [node["statement"] for node in verdict.evidence["nodes"]] == said
        assert (found["reflection_sentences"], found["sentences"]) == (reflections, sentences)
        assert (verdict.score, verdict.evidence["answer"]) == (1, "True")
    whole = rb_verify.score(one, response, reasoning=apart)
    assert whole == rb_verify.score(one, response, reasoning=apart, text="both")
    cut = rb_verify.score(one, f"<think>{ONE}. {TWO}", text="thinking")
    assert [node["statement"] for node in cut.evidence["nodes"]] == [ONE, TWO]
    assert rb_verify.score(one, f"<think>{ONE}. {TWO}", text="answer").evidence["nodes"] == []


def test_texts_are_signed(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """The signature names the text; the provider's count is of both texts, so for one alone tokens are counted."""
    lines = [
        {"id": one["id"], "response": f"<think>Hm, well.</think>{TRUE}", "usage": {"completion_tokens": 900}}
        for pair in pairs
        for one in pair
    ]
    for text, mark, tokens in (("both", "usage", 900), ("answer", "counted", 6), ("thinking", "counted", 4)):
        found, _ = evaluated(out, small, lines, options={"text": text})
        assert f"|text:{text}|tokens:{mark}|nodes:parsed" in found.signature
        assert found.data["reefbench"]["process"]["tokens"]["value"] == tokens
    assert evaluated(out, small, lines)[0].signature == evaluated(out, small, lines, options={"text": "both"})[0].signature


def test_options_that_there_are_not(out: Path, small: Path, other: Path, pairs: list[tuple[Row, Row]]) -> None:
    """An option that a dataset has not, or a value that an option has not, is refused in one sentence."""
    out.write_text(json.dumps({"id": pairs[0][0]["id"], "response": TRUE}) + "\n")
    with pytest.raises(UnusableInput, match=r"^reefbench: text cannot be 'all'; choose one of both, answer, thinking$"):
        rb_verify.evaluate(out, small, options={"text": "all"})
    with pytest.raises(UnusableInput, match=r"^reefbench has no option 'nodes'; leave it out$"):
        rb_verify.evaluate(out, small, options={"nodes": "given"})
    with pytest.raises(UnusableInput, match=r"^tracebench has no option 'text'; leave it out$"):
        rb_verify.evaluate(out, other, options={"text": "both"})
    with pytest.raises(UnusableInput, match="text cannot be 'x'"):
        rb_verify.score(row("main"), TRUE, text="x")


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"completion_tokens": 400}, 400),
        ({"output_tokens": 225}, 225),
        ({"completion_tokens": 400, "output_tokens": 9}, 400),
        ({"completion_tokens": None, "output_tokens": 225}, 225),
        ({"completion_tokens": 0}, 0),
        ({"total_tokens": 400}, None),
        ({"completion_tokens": None}, None),
        ({}, None),
        (None, None),
    ],
)
def test_usage(out: Path, small: Path, pairs: list[tuple[Row, Row]], usage: Any, tokens: int | None) -> None:
    """The provider's count gives tokens, verbosity and step efficiency; without one they are counted, as the signature says."""
    text = f"{pairs[0][0]['conclusion']}. {TRUE}"
    found, details = evaluated(out, small, [{"id": pairs[0][0]["id"], "response": text, "usage": usage}], partial=True)
    (detail,) = details
    used = count_tokens(text) if tokens is None else tokens
    assert detail["metrics"]["tokens"] == used
    assert detail["metrics"]["verbosity"] == pytest.approx(used**0.5)
    assert detail["metrics"]["step_efficiency"] == pytest.approx(3 / used if used else 0)
    assert f"|text:both|tokens:{'counted' if tokens is None else 'usage'}|" in found.signature


NODE = {"statement": ONE, "type": "actual"}
SENTENCE = {"text": f"{ONE}.", "type": "normal", "nodes": [NODE]}
MALFORMED_STATEMENTS = (
    "",
    "babkpus",
    "babkpus dalmpus",
    "babkpus  is dalmpus",
    "babkpus is not dalmpus",
    "Babkpus is dalmpus",
    "babkpus is dalmpus.",
    "babkpus is dalmpus\n",
    "babkpus is a and b or c",
    "babkpus is a and b and c and d",
    "babkpus is " + "a" * 300,
)
MALFORMED_USAGE: tuple[Any, ...] = (
    "400",
    400,
    [400],
    {"completion_tokens": "400"},
    {"completion_tokens": -1},
    {"output_tokens": 1.5},
    {"output_tokens": True},
    {"output_tokens": []},
    {"output_tokens": 10**13},
)
MALFORMED_NODES: tuple[Any, ...] = (
    "x",
    {},
    [[]],
    [{}],
    [{"text": "x", "type": "normal"}],
    [SENTENCE | {"type": "plan"}],
    [SENTENCE | {"depth": 1}],
    [SENTENCE | {"nodes": ONE}],
    [SENTENCE | {"nodes": [NODE | {"type": "hallucination"}]}],
    *([SENTENCE | {"nodes": [NODE | {"statement": text}]}] for text in MALFORMED_STATEMENTS),
)
MALFORMED = [*(("usage", value) for value in MALFORMED_USAGE), *(("nodes", value) for value in MALFORMED_NODES)]


@pytest.mark.parametrize(("key", "value"), MALFORMED)
def test_malformed_lines(out: Path, small: Path, pairs: list[tuple[Row, Row]], key: str, value: Any) -> None:
    """What is no usage or no nodes is a bad line that names the line, the row, the key and the cure; the rest is scored."""
    lines = [{"id": one["id"], "response": TRUE} for one, _ in pairs]
    found, _ = evaluated(out, small, [lines[0], lines[1] | {key: value}, *lines[2:]], config="main")
    (bad,) = [problem for problem in found.data["problems"] if problem["kind"] == "bad_line"]
    assert (bad["line"], bad["id"]) == (2, lines[1]["id"])
    assert f"'{key}'" in bad["message"]
    assert bad["message"].endswith("or leave it out" if key == "usage" else "correct them, or leave them out")
    assert "\n" not in bad["message"]
    assert found.data["counts"] == {"correct": 11, "incorrect": 0, "unparsed": 0, "missing": 1}


def as_nodes(text: str, names: Iterable[str]) -> list[Line]:
    """The parser's own output, written as a submitter would."""
    return [
        {
            "text": sentence.text,
            "type": "reflection" if sentence.reflection else "normal",
            "nodes": [
                {"statement": str(node.statement), "type": "planning" if node.planning else "actual"} for node in sentence.nodes
            ],
        }
        for sentence in reasoning.parse(text, set(names))
    ]


def test_nodes_make_the_round_trip(pairs: list[tuple[Row, Row]]) -> None:
    """What the parser says, given back as nodes, has the same evidence, metrics and score as the text itself."""
    said: list[tuple[Row, str, str | None]] = [
        (one, solution(one, style), None) for pair in pairs[::3] for one in pair for style in STYLES
    ]
    hand = row("main")
    said += [(hand, case.response.replace("ECHO", hand["prompt"]), case.reasoning) for case in CASES if case.response]
    for one, response, apart in said:
        whole = "\n".join(filter(None, (apart, split(response, one["prompt"]).whole)))
        nodes = as_nodes(whole, one["vocabulary"])
        assert violations(nodes, "nodes") == []
        parsed = reefbench.judge(one, Prediction(one["id"], response, apart))
        given = reefbench.judge(one, Prediction(one["id"], response, apart, nodes=nodes))
        assert given.evidence == parsed.evidence
        assert given.outcome.measures[2:] == parsed.outcome.measures[2:]
        assert (parsed.outcome.measures[:2], given.outcome.measures[:2]) == ((0, 0), (0, 1))


def test_nodes_are_scored_as_given(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """Nodes replace the parser's, whatever the text says, in any order of names; the signature says who parsed."""
    one = row("main")
    told = [
        SENTENCE,
        {
            "text": "dalmpus: both",
            "type": "reflection",
            "nodes": [{"statement": "dalmpus is hilkpus and fentpus", "type": "actual"}],
        },
        {"text": "", "type": "normal", "nodes": [{"statement": "babkpus is gorzpus or fentpus", "type": "planning"}]},
        {"text": "strange", "type": "normal", "nodes": [{"statement": "xxx is yyy", "type": "actual"}]},
    ]
    found = reefbench.judge(one, Prediction(one["id"], f"{JOINED}. {TRUE}", nodes=told)).evidence
    assert [(n["statement"], n["kind"], n["planning"]) for n in found["nodes"]] == [
        (ONE, "premise", False),
        (TWO, "premise", False),
        (one["conclusion"], "derived", True),
        ("xxx is yyy", "hallucination", False),
    ]
    assert (found["metrics"]["sentences"], found["metrics"]["reflection_sentences"]) == (4, 1)
    assert found["metrics"]["tokens"] == count_tokens(f"{JOINED}. {TRUE}")
    assert found["answer"] == "True"
    told = [SENTENCE | {"nodes": [NODE | {"statement": f"babkpus is babkpus{rest}"} for rest in ("", " and dalmpus", " or b")]}]
    found = reefbench.judge(one, Prediction(one["id"], TRUE, nodes=told)).evidence
    assert [node["statement"] for node in found["nodes"]] == [ONE], "what names its own subject says nothing of it"
    lines: list[Line] = [{"id": row["id"], "response": TRUE, "nodes": [SENTENCE]} for pair in pairs for row in pair]
    assert "|nodes:given" in evaluated(out, small, lines)[0].signature
    mixed = [lines[0] | {"nodes": None}, *lines[1:]]
    assert "|nodes:mixed" in evaluated(out, small, mixed)[0].signature
    (silent,) = evaluated(out, small, [lines[0] | {"nodes": []}], partial=True)[1]
    assert (silent["nodes"], silent["metrics"]["sentences"]) == ([], 0)


def test_details_and_explanation(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """Details have every node with its sentence and what the oracle says; --explain says it in words."""
    one = pairs[0][0]
    steps = one["golden"]
    wrong = f"{one['conclusion'].split()[2]} is {one['conclusion'].split()[0]}"
    text = f"Need I show that {one['conclusion']}?\nSince {steps[0]['statement']}, {one['conclusion']}.\n"
    text += f"So {wrong}.\nWait, is it so?\n{TRUE}"
    _, details = evaluated(out, small, [{"id": one["id"], "response": text}], partial=True)
    (detail,) = details
    assert detail["nodes"] == [
        {
            **{"sentence": place, "statement": statement, "kind": kind, "planning": planning, "depth": depth},
            **{"closure_depth": closure, "new": not planning, "supported": False},
        }
        for place, statement, kind, planning, depth, closure in (
            (1, one["conclusion"], "derived", True, 3, steps[-1]["closure_depth"]),
            (2, steps[0]["statement"], "premise", False, 0, 0),
            (2, one["conclusion"], "derived", False, 3, steps[-1]["closure_depth"]),
            (3, wrong, "hallucination", False, None, None),
        )
    ]
    assert set(detail["metrics"]) == set(METRIC_NAMES)
    assert detail["reflections"] == [4]
    shown = render.explain("reefbench", one, detail).splitlines()
    assert f"conclusion: {one['conclusion']}; gold answer True, level 3" in shown
    assert "answer given: True" in shown
    depth = f", layer 3 (closure depth {steps[-1]['closure_depth']})"
    for line in (
        f"sentence 1: {one['conclusion']}: derived, planning{depth}; golden yes",
        f"sentence 2: {steps[0]['statement']}: premise, new, layer 0 (closure depth 0); golden yes",
        f"sentence 2: {one['conclusion']}: derived, new{depth}; golden yes",
        f"sentence 3: {wrong}: hallucination, new; golden no",
        "sentences that look back: 4",
    ):
        assert line in shown


def test_archetypes_of_four_reports(out: Path, small: Path, pairs: list[tuple[Row, Row]]) -> None:
    """Four reports give four archetypes: deep or shallow, short or long; scores are of the hardest level, relative."""
    padding = " ".join(f"Wait, let me double-check fact {n}." for n in range(60))

    def report_of(deep: bool, long: bool) -> dict[str, Any]:
        lines = [
            {
                "id": row["id"],
                "response": (solution(row, "plain") if deep else f"{row['premises'][0]}.\n{TRUE}") + padding * long,
            }
            for pair in pairs
            for row in pair
        ]
        return evaluated(out, small, lines)[0].data

    corners = {name: report_of(*map(bool, corner)) for name, corner in archetypes.CORNERS.items()}
    found = archetypes.compare(corners)
    assert {name: placed["archetype"] for name, placed in found.items()} == {name: name for name in corners}
    assert all(placed["confidence"] == 1 for placed in found.values())
    assert found["deep_wanderer"]["scores"]["logical_depth"] == 1
    assert found["lazy_guesser"]["scores"]["logical_depth"] == 0
    assert corners["deep_wanderer"]["reefbench"]["hardest"]["level"] == 5
    assert corners["deep_wanderer"]["reefbench"]["hardest"]["components"]["cost"]["reflection_sentences"] == 60
    assert corners["effective_solver"]["reefbench"]["trajectory"]["kind"] == "undetermined"  # three levels are too few
    with pytest.raises(UnusableInput, match="at least four models"):
        archetypes.compare({name: corners[name] for name in ("deep_wanderer", "lazy_guesser")})
    with pytest.raises(UnusableInput, match="different signatures"):
        archetypes.compare(corners | {"another": corners["lazy_guesser"] | {"signature": "another"}})


def command(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run rb-verify."""
    run = [sys.executable, "-m", "rb_verify", *map(str, arguments)]
    return subprocess.run(run, cwd=cwd, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"}, check=False)


def test_command(tmp_path: Path, small: Path, other: Path, pairs: list[tuple[Row, Row]]) -> None:
    """--text is signed, refused where a dataset has no such option, and one of three; --explain prints the nodes."""
    lines = [{"id": row["id"], "response": reefbench.perfect(row)} for pair in pairs for row in pair]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "t.jsonl").write_text(json.dumps({"id": load(other).rows[0]["id"], "response": "x"}) + "\n")
    run = command("p.jsonl", "--release", small, "--text", "answer", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "|text:answer|tokens:counted|nodes:parsed" in run.stdout.replace("\n", "")
    assert "Process on main rows" in run.stdout
    shown = command("p.jsonl", "--release", small, "--explain", lines[0]["id"], cwd=tmp_path)
    assert f": {pairs[0][0]['conclusion']}: derived, new, supported, layer 3" in shown.stdout
    refused = command("t.jsonl", "--release", other, "--text", "both", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "rb-verify: tracebench has no option 'text'; leave it out\n"
    unknown = command("p.jsonl", "--release", small, "--text", "prose", cwd=tmp_path)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "'prose' is not one of 'both', 'answer', 'thinking'" in " ".join(unknown.stderr.replace("│", " ").split())


def test_names_of_the_hand_made_row() -> None:
    """The row laid by hand is shaped as a release's row, so what it shows holds for releases."""
    one = row("main")
    assert {name for text in one["premises"] for name in text.split() if name.endswith("pus")} <= set(NAMES)
    assert reefbench.group(one) == "3"
    assert reefbench.cluster(one) == reefbench.cluster(row("contrast"))
    assert (reefbench.gold(one), reefbench.gold(row("contrast"))) == ("True", "Unknown")
