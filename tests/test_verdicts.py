"""Verdicts on whole submissions: perfect, mutated, constant; and that evidence, failure modes and support are right."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import path_consistency
import rb_verify
from rb_verify import stats, tracebench
from rb_verify.allen import NAMES, SYMBOLS
from rb_verify.loops import dominated_by_repetition
from rb_verify.release import load
from rb_verify.report import Report
from rb_verify.verdict import Outcome, Prediction

Row = dict[str, Any]
Step = dict[str, str]


def perfect_parts(row: Row) -> tuple[list[Step], str]:
    """The steps and answer of a row's perfect response."""
    parts = json.loads(tracebench.perfect(row))
    return parts["reasoning"], parts["final_answer"]


def evaluated(path: Path, release: Path, responses: dict[str, str]) -> tuple[Report, list[dict[str, Any]]]:
    """The report and details of a submission of responses by id."""
    path.write_text("".join(json.dumps({"id": id_, "response": text}) + "\n" for id_, text in responses.items()))
    out = io.StringIO()
    report = rb_verify.evaluate(path, release, details=out)
    return report, [json.loads(line) for line in out.getvalue().splitlines()]


def response(steps: list[Step], answer: str) -> str:
    """A response of steps and an answer."""
    return json.dumps({"reasoning": steps, "final_answer": answer})


def independent(row: Row) -> dict[tuple[str, str], int]:
    """What path consistency leaves to each ordered pair of a row's events."""
    place = {event: i for i, event in enumerate(row["events"])}
    net = path_consistency.propagate(len(place), [(place[f["from"]], f["relation"], place[f["to"]]) for f in row["facts"]])
    assert net is not None
    return {(u, v): net[i][j] for u, i in place.items() for v, j in place.items()}


def flip_answer(row: Row, draw: random.Random, steps: list[Step], answer: str) -> tuple[str, str]:
    """The perfect response with the other answer: misaligned."""
    return response(steps, "NO" if answer == "YES" else "YES"), "answer_misalignment"


def flip_relation(row: Row, draw: random.Random, steps: list[Step], answer: str) -> tuple[str, str]:
    """One step with another set of relations: spurious."""
    number = draw.randrange(len(steps))
    truth = set(steps[number]["relation"].split("|"))
    claimed = set(truth)
    while claimed == truth:
        claimed = set(draw.sample(SYMBOLS, draw.randint(1, 3)))
    steps[number] = steps[number] | {"relation": "|".join(NAMES[symbol] for symbol in claimed)}
    return response(steps, answer), "spurious_guessing"


def flip_event(row: Row, draw: random.Random, steps: list[Step], answer: str) -> tuple[str, str]:
    """One step about another event, of which the same relations are not the truth: spurious."""
    number, end = draw.randrange(len(steps)), draw.choice(["from", "to"])
    truth = independent(row)
    mask = path_consistency.ALL & sum(1 << SYMBOLS.index(r) for r in steps[number]["relation"].split("|"))
    others = [{**steps[number], end: event} for event in row["events"] if event != steps[number][end]]
    wrong = [step for step in others if truth[step["from"], step["to"]] != mask]
    steps[number] = draw.choice(wrong or [{**steps[number], end: "Zeta"}])
    return response(steps, answer), "spurious_guessing"


@pytest.mark.parametrize("mutate", [flip_answer, flip_relation, flip_event])
def test_a_mutation_changes_one_verdict(mutate: Any, rows: list[Row], release: Path, tmp_path: Path) -> None:
    """Flipping one answer, relation or event in 60 random perfect responses changes just those verdicts, to the right
    category, and no other."""
    draw = random.Random(f"mutate {mutate.__name__}")
    responses = {row["id"]: tracebench.perfect(row) for row in rows}
    expected = {}
    for row in draw.sample(rows, 60):
        responses[row["id"]], expected[row["id"]] = mutate(row, draw, *perfect_parts(row))
    report, details = evaluated(tmp_path / "p.jsonl", release, responses)
    assert {line["id"]: line["category"] for line in details if line["score"] == 0} == expected
    assert report.data["n"] - report.data["categories"]["true_reasoning"] == 60
    assert report.score == pytest.approx(1140 / 1200)


def test_perfect(rows: list[Row], release: Path, tmp_path: Path) -> None:
    """A perfect submission scores 1,200 of 1,200 true reasoning, at every level and proof length."""
    report, _ = evaluated(tmp_path / "p.jsonl", release, {row["id"]: tracebench.perfect(row) for row in rows})
    data = report.data
    assert (data["n"], data["score"], data["categories"]["true_reasoning"]) == (1200, 1, 1200)
    assert all(group["score"] == {"value": 1, "n": 200, "interval": [1, 1]} for group in data["breakdown"])
    assert data["tracebench"]["correlation"]["pearson_r"] is None
    assert data["tracebench"]["goal_reached"]["value"] == data["tracebench"]["steps"]["supported_steps"]["value"] == 1


@pytest.mark.parametrize("config", ["default", "d010", "d185", "deep"])
def test_attacks_score_what_the_manifest_says(config: str, release: Path, tmp_path: Path) -> None:
    """Constant YES and NO, copied premises and parroted questions score exactly their baselines, by hand and by report."""
    loaded = load(release, config)
    right = Counter(row["answer"] for row in loaded.rows)
    one_step = sum(row["answer"] == "YES" and row["proof_length"] == 1 for row in loaded.rows)
    n = len(loaded.rows)
    by_hand = {
        "constant_yes": (right["YES"], 0, 0),
        "constant_no": (right["NO"], 0, 0),
        "constant_unsure": (0, 0, 0),
        "copied_premise_yes": (right["YES"], 0, right["YES"]),
        "copied_premise_no": (right["NO"], 0, right["NO"]),
        "parroted_question_yes": (right["YES"], one_step, right["YES"]),
        "parroted_question_no": (right["NO"], 0, 0),
    }
    attacks = tracebench.attacks(loaded.rows)
    for name, counts in by_hand.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps({"id": r["id"], "response": attacks[name](r)}) + "\n" for r in loaded.rows))
        report = rb_verify.evaluate(path, release, config=config)
        data = report.data
        assert (data["counts"]["correct"], round(data["score"] * n), data["categories"]["true_reasoning"]) == counts
        baseline = loaded.manifest["baselines"][config][name]
        values = baseline["accuracy"], baseline["score"], baseline["true_reasoning"]
        assert values == pytest.approx([count / n for count in counts], abs=1e-6)


def test_relation_only_knows_little(release: Path) -> None:
    """The asked relation alone, learnt from the other graphs of a level, predicts the answer hardly better than chance."""
    for config, attacks in load(release).manifest["baselines"].items():
        assert attacks["relation_only"]["accuracy"] <= (0.6 if config in ("d010", "d080") else 0.56)


def test_support_needs_no_gold_proof(rows: list[Row]) -> None:
    """Any derivation counts: every pair in rounds, each exact and supported, is grounded; without its first round not."""
    row = next(r for r in rows if r["level"] == 80 and r["proof_length"] == 3 and r["answer"] == "YES")
    net = tracebench.network(row)
    known, n = list(net.known), net.n
    rounds: list[list[Step]] = []
    while True:
        found = {}
        for i in range(n):
            for j in range(i + 1, n):
                truth = net.closure[i * n + j]
                if known[i * n + j] != truth and rb_verify_support(known, n, i, j) == truth:
                    found[i, j] = truth
        if not found:
            break
        for (i, j), truth in found.items():
            known[i * n + j], known[j * n + i] = truth, net.closure[j * n + i]
        events = row["events"]
        rounds.append(
            [
                {"from": events[i], "relation": "|".join(s for k, s in enumerate(SYMBOLS) if m >> k & 1), "to": events[j]}
                for (i, j), m in found.items()
            ]
        )
    assert len(rounds) >= 2
    assert known == list(net.closure), "every pair is reached"
    everything = [step for some in rounds for step in some]
    assert rb_verify.score(row, response(everything, "YES")).score == 1
    without = rb_verify.score(row, response([step for some in rounds[1:] for step in some], "YES"))
    assert (without.category, without.score) == ("true_reasoning", 0)


def rb_verify_support(known: list[int], n: int, i: int, j: int) -> int:
    """One round about a pair, with the enumerated table instead of the package's."""
    mask = known[i * n + j]
    for w in range(n):
        if w not in (i, j):
            mask &= path_consistency.composed(known[i * n + w], known[w * n + j])
    return mask


def test_measures(row: Row) -> None:
    """Steps are counted as exact, weaker, supported and restated; the asked pair counts in either direction."""
    fact, goal = row["facts"][0], row["question"]
    gold = [[step["from"], "|".join(step["set"]), step["to"]] for step in row["proof"]]
    trace = [
        [fact["from"], fact["relation"], fact["to"]],
        *gold,
        [goal["from"], "|".join(SYMBOLS), goal["to"]],
    ]
    verdict = rb_verify.score(row, json.dumps({"reasoning": trace, "final_answer": "YES"}))
    measured = dict(zip(tracebench.MEASURES, verdict.outcome.measures, strict=True))
    assert measured == {
        "goal_reached": 1,
        "steps": len(gold) + 2,
        "exact_steps": len(gold) + 1,
        "weaker_steps": 1,
        "supported_steps": len(gold) + 1,
        "restated_steps": 1,
    }
    assert [step["verdict"] for step in verdict.evidence["steps"]] == ["exact"] * (len(gold) + 1) + ["weaker"]
    assert verdict.evidence["steps"][-1]["closure"] == [row["gold_relation"]]


def test_more_and_better_never_helps_a_wrong_step(rows: list[Row]) -> None:
    """No response scores that holds a step which is not exact, wherever it stands."""
    draw = random.Random(11)
    for row in draw.sample(rows, 100):
        steps, answer = perfect_parts(row)
        wrong = {**steps[-1], "relation": "B|M|O|D"} if len(row["proof"][-1]["set"]) == 1 else {**steps[-1], "relation": "E"}
        steps.insert(draw.randint(0, len(steps)), wrong)
        assert rb_verify.score(row, response(steps, answer)).score == 0


@pytest.mark.parametrize(
    ("text", "looped"),
    [
        ("A before C. " * 100, True),
        ("".join(f"{i}. A before C, hence. " for i in range(100)), True),
        ("x" * 5000, True),
        ("A before C. " * 5, False),
        (" ".join(chr(97 + i % 23) + chr(97 + i % 19) + chr(97 + i % 17) for i in range(2000)), False),
        ("", False),
    ],
)
def test_loops(text: str, looped: bool) -> None:
    """A text is a loop if half of it was there before, digits aside, and it is long enough to tell."""
    assert dominated_by_repetition(text) is looped


def test_rates_and_intervals() -> None:
    """A rate counts over clusters; its interval is fixed, holds the value, and widens when rows hang together."""
    alone = stats.rate((f"c{i}", i % 2, 1) for i in range(100))
    together = stats.rate((f"c{i // 10}", (i // 10) % 2, 1) for i in range(100))
    assert alone["value"] == together["value"] == 0.5
    assert alone == stats.rate((f"c{i}", i % 2, 1) for i in reversed(range(100)))
    (low, high), (lower, higher) = alone["interval"], together["interval"]
    assert lower < low < 0.5 < high < higher
    # A binomial of 100 has a 95 % interval of about .5 +- .098.
    assert low == pytest.approx(0.402, abs=0.02)
    assert high == pytest.approx(0.598, abs=0.02)
    assert stats.rate([]) == {"value": None, "n": 0, "interval": None}
    assert stats.rate([("a", 1, 1), ("b", 1, 1)])["interval"] == [1, 1]


def test_unknown_dataset_is_an_error(row: Row) -> None:
    """A row whose id names no dataset is refused, not scored as something."""
    with pytest.raises(KeyError, match="no dataset"):
        rb_verify.score({**row, "id": "otherbench-1-0-0-x"}, "text")


def test_correlation_and_failure_tables(rows: list[Row], release: Path, tmp_path: Path) -> None:
    """r is that of the six levels' means; Tables 5 and 6 count each failed row once, by hand."""
    kinds = {
        "true": lambda row: tracebench.perfect(row),
        "hallucination": lambda row: response([{"from": "Q?", "relation": "B", "to": "A"}], row["answer"]),
        "stagnation": lambda row: response([], row["answer"]),
        "loop": lambda row: "A before C. " * 100,
        "format": lambda row: "It holds.",
    }
    share = {10: 200, 45: 160, 80: 120, 115: 80, 150: 60, 185: 0}
    responses, done, wanted = {}, Counter[int](), Counter[str]()
    for row in rows:
        number = done[row["level"]]
        done[row["level"]] += 1
        kind = "true" if number < share[row["level"]] else ("hallucination", "stagnation", "loop", "format")[number % 4]
        wanted[kind] += 1
        responses[row["id"]] = kinds[kind](row)
    report, details = evaluated(tmp_path / "p.jsonl", release, responses)
    own = report.data["tracebench"]
    levels, means = [10, 45, 80, 115, 150, 185], [1, 0.8, 0.6, 0.4, 0.3, 0]
    assert own["correlation"]["true_reasoning"] == means
    from statistics import correlation

    assert own["correlation"]["pearson_r"] == round(correlation(levels, means), 4)
    logical, structural = wanted["hallucination"] + wanted["stagnation"], wanted["loop"] + wanted["format"]
    assert own["logical_failures"]["hallucination"]["n"] == logical
    assert own["logical_failures"]["hallucination"]["value"] == pytest.approx(wanted["hallucination"] / logical, abs=1e-6)
    assert own["structural_failures"]["degenerative_loop"]["value"] == pytest.approx(wanted["loop"] / structural, abs=1e-6)
    for table in ("logical_failures", "structural_failures"):
        assert sum(rate["value"] for rate in own[table].values()) == pytest.approx(1, abs=1e-5)
    spurious = [group["categories"]["spurious_guessing"]["value"] for group in report.data["breakdown"]]
    counted = Counter(line["id"].split("-")[4] for line in details if line["category"] == "spurious_guessing")
    assert spurious == [counted[f"d{level:03d}"] / 200 for level in levels]


def test_outcomes_are_interned_and_small(row: Row) -> None:
    """Equal verdicts have equal outcomes, which is what keeps memory flat."""
    one, two = (tracebench.judge(row, Prediction(row["id"], text)).outcome for text in ("nothing", "nothing else"))
    assert one == two == Outcome("unparsed", "parse_failure", 0, "format_non_compliance", (0.0,) * 6)
