"""The command rb-parse labelled: the rules, and scripted models on loopback, on the labelled sentences."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from held_out_sentences import HELD_OUT
from labelled_sentences import AFTER, BEFORE, Labelled
from llm_server import llm_server
from parse_cases import MODEL, PARSER, rb_parse, values
from parsing_model import Entry, asked
from rb_verify import reasoning

REPO = Path(__file__).parent.parent
SETS: dict[str, tuple[Labelled, ...]] = {"before": BEFORE, "after": AFTER, "held_out": HELD_OUT}


def measured(parser: dict[str, Any]) -> dict[str, list[tuple[Any, Any]]]:
    """(precision, recall) of asserted, planned, reflections by set, of one parser."""
    return {
        each["set"]: [
            (each["found"][name]["precision"]["value"], each["found"][name]["recall"]["value"])
            for name in ("actual", "planning", "reflection")
        ]
        for each in parser["sets"]
    }


def test_documented_figures(tmp_path: Path) -> None:
    """rb-parse labelled --parser rules gives the figures of docs/reefbench.md."""
    run = rb_parse("labelled", "--parser", "rules", "--format", "json", "--json", "found.json", cwd=tmp_path)
    assert (run.exit_code, run.stderr) == (0, "")
    found = json.loads(run.stdout)
    assert found == json.loads((tmp_path / "found.json").read_text())
    (rules,) = found["parsers"]
    text = (REPO / "docs" / "reefbench.md").read_text("utf-8")
    told = re.findall(
        r"^\| (\d+) of labelled/(\w+)\.jsonl, now \| (\S+) / (\S+) \| (\S+) / (\S+) \| (\S+) / (\S+) \|$", text, re.M
    )
    documented = {name: list(map(float, figures)) for _, name, *figures in told}
    assert documented == {name: [round(x, 3) for pair in pairs for x in pair] for name, pairs in measured(rules).items()}
    assert {name: int(number) for number, name, *_ in told} == {name: len(some) for name, some in SETS.items()}
    assert rules["parser"] == reasoning.PARSER


def labelling(planning: bool) -> Any:
    """A model that knows the labels, but for reflections, and, if not ``planning``, for what is planned."""
    labels = {each.text.strip(): each for some in SETS.values() for each in some}

    def says(request: dict[str, Any]) -> dict[str, Any]:
        _, texts, wanted, _ = asked(request["messages"])
        entries: list[Entry] = []
        for number in wanted:
            label = labels[texts[number]]
            nodes = [{"statement": each, "type": "actual"} for each in label.actual]
            nodes += [{"statement": each, "type": "planning"} for each in label.planning if planning]
            entries.append({"number": number, "type": "normal", "nodes": nodes})
        return {"sentences": entries}

    return says


def test_a_model_on_the_labelled_sentences(tmp_path: Path) -> None:
    """Figures are the model's, worked out by hand; the rules' and the paper's stand beside them."""
    with llm_server(labelling(planning=False)) as server:
        options = ("--base-url", server.base_url, "--model", MODEL, "--set", "held_out", "--json", "found.json")
        run = rb_parse("labelled", *options, cwd=tmp_path)
    assert run.exit_code == 0, run.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    model, rules = found["parsers"]
    assert measured(model) == {"held_out": [(1, 1), (None, 0), (None, 0)]}
    assert (rules["parser"], measured(rules)["held_out"][0][0]) == (reasoning.PARSER, 1)
    assert f"{reasoning.PARSER} on the set held_out: 288 sentences\n" in run.stdout
    (each,) = model["sets"]
    assert (each["sentences"], each["left_to_rules"]) == (288, 0)
    assert values(each, "all") == [277, 0, 31, 1, round(277 / 308, 6), round(2 * 277 / (277 + 308), 6)]
    assert values(each, "reflection") == [0, 0, 24, None, 0, 0]
    assert (model["parser"], found["paper"]) == (PARSER, {"parser": "Qwen2.5-32B-Instruct", "samples": 1000, "f1": 0.943})
    assert f"{PARSER} on the set held_out: 288 sentences, 0 of them left to the rules" in run.stdout
    assert "94.3" in run.stdout


def test_a_model_that_cannot_read_is_the_rules(tmp_path: Path) -> None:
    """Sentences of which a model gives nothing sound count as the rules read them, and are counted."""
    with llm_server(lambda request: "I cannot.") as server:
        options = ("--base-url", server.base_url, "--model", MODEL, "--set", "before", "--format", "json")
        run = rb_parse("labelled", *options, cwd=tmp_path)
    assert run.exit_code == 0, run.stderr
    found = json.loads(run.stdout)
    model, rules = found["parsers"]
    assert measured(model) == measured(rules) == {"before": [(1, 1), (1, 1), (1, 1)]}
    assert model["sets"][0]["left_to_rules"] == 231


def test_rules_ask_no_model(tmp_path: Path) -> None:
    """A model that would not be asked is refused."""
    run = rb_parse("labelled", "--parser", "rules", "--model", MODEL, cwd=tmp_path)
    assert (run.exit_code, run.stdout) == (2, "")
    assert "--parser rules asks no model" in run.stderr
