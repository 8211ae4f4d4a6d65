"""Responses to 2-SAT rows as models write them, with the verdict a fair reader would give: data for
test_twosat_responses.

``source`` says where the pattern is known from: section and number of a collection of irregularities seen in real
responses (irregularity), or of public bug reports of this field (bug). Every formula has at most five variables, whose
names are A to E, Ada to Alice, or room 1 to room 5.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rb_verify.schemes import SCHEMES, entities, statement

CORRECT, INCORRECT, UNPARSED, MISSING = "correct", "incorrect", "unparsed", "missing"
SOLVED, REFUTED, INVALID = "valid_witness", "unsat_decided", "invalid_witness"
FALSE_SAT, FALSE_UNSAT, NO_PARSE = "false_sat", "false_unsat", "parse_failure"
FORMAT, EXPLOSION, LOOP = "format_non_compliance", "reasoning_explosion", "degenerative_loop"
VALID, ABSENT, UNREADABLE, PARTIAL, VIOLATED, BROKEN = "valid", "absent", "unreadable", "partial", "violated", "broken"


@dataclass(frozen=True)
class Formula:
    """A formula and whether it is satisfiable."""

    variables: int
    clauses: tuple[tuple[int, ...], ...]
    satisfiable: bool


FORMULAS = {
    # Its models are F T F T ? and T F T T ?; variable 5 occurs in no clause.
    "sat": Formula(5, ((1, 2), (-1, 3), (-2, -3), (4,)), True),
    # 1 -> 3 -> not 1 -> 2 -> 1.
    "unsat": Formula(3, ((1, 2), (1, -2), (-1, 3), (-1, -3)), False),
    "units": Formula(1, ((1,), (-1,)), False),
    "empty clause": Formula(1, ((),), False),
    "no clauses": Formula(2, (), True),
    "no variables": Formula(0, (), True),
}
MODEL = (False, True, False, True, True)


@dataclass(frozen=True)
class Case:
    """A response to a row and what it must be judged as. ``formula``: a name in FORMULAS; ``failure``: the failure mode,
    told for unparsed ones; ``checked``: the verdict on the witness, or on the certificate where the decision is
    unsatisfiable; ``note``: what that verdict's note, or an unparsed response's, must hold."""

    name: str
    source: str
    response: str | None
    status: str
    category: str
    checked: str | None = None
    note: str = ""
    scheme: str = "team"
    formula: str = "sat"
    failure: str | None = None
    finish_reason: str | None = None
    reasoning: str | None = None


def sat(assignment: Any) -> str:
    """A response in the form that the prompt asks for."""
    return json.dumps({"satisfiable": True, "assignment": assignment}, ensure_ascii=False)


def named(scheme: str, values: Sequence[Any]) -> dict[str, Any]:
    """Values by entity."""
    return dict(zip(entities(scheme, len(values)), values, strict=True))


def words(scheme: str, model: Sequence[bool] = MODEL) -> list[str]:
    """A scheme's words for a model."""
    return [SCHEMES[scheme].true if value else SCHEMES[scheme].false for value in model]


def statements(scheme: str, model: Sequence[bool] = MODEL) -> list[str]:
    """A model in sentences without a full stop."""
    names = entities(scheme, len(model))
    return [statement(SCHEMES[scheme], names, i if value else -i) for i, value in enumerate(model, 1)]


def solved(name: str, source: str, response: str, scheme: str = "team", **more: Any) -> Case:
    """A satisfiable row with a witness, however it is dressed."""
    return Case(name, source, response, CORRECT, SOLVED, VALID, scheme=scheme, **more)


def flawed(name: str, source: str, assignment: Any, checked: str, note: str = "", scheme: str = "team", **more: Any) -> Case:
    """The right decision on a satisfiable row, with something that is no witness."""
    return Case(name, source, sat(assignment), CORRECT, INVALID, checked, note, scheme, **more)


def bare(name: str, source: str, response: str, decision: str = "SAT", **more: Any) -> Case:
    """A decision on the satisfiable row with neither witness nor certificate."""
    status, category = (CORRECT, INVALID) if decision == "SAT" else (INCORRECT, FALSE_UNSAT)
    return Case(name, source, response, status, category, ABSENT, **more)


def refuted(name: str, source: str, response: str, checked: str = ABSENT, note: str = "", **more: Any) -> Case:
    """The right decision on an unsatisfiable row."""
    return Case(name, source, response, CORRECT, REFUTED, checked, note, **{"formula": "unsat", **more})


def lost(name: str, source: str, response: str | None, failure: str = FORMAT, **more: Any) -> Case:
    """A response without a recoverable decision."""
    return Case(name, source, response, UNPARSED, NO_PARSE, failure=failure, **more)


SAT, UNSAT = '{"satisfiable": true}', '{"satisfiable": false, "assignment": null}'
PAIRS = named("team", words("team"))
GOOD = sat(PAIRS)
PYTHON = str({"satisfiable": True, "assignment": named("team", MODEL)})
PROSE = " ".join(f"w{i:x}{i * i:x}q" for i in range(800))

THINKING = [
    lost("unclosed think", "irregularity A1", "<think>If Ada is Red then Agnes is Re", EXPLOSION),
    solved("closing tag only", "irregularity A2", f"Alan is Red, so ... {UNSAT}\n</think>\n{GOOD}"),
    solved("reasoning apart", "irregularity A3", GOOD, reasoning=f"perhaps {UNSAT}"),
    lost("null, thinking full", "irregularity A4", None, EXPLOSION, reasoning="still propagating", finish_reason="length"),
    lost("empty, thinking full", "irregularity A4", "", EXPLOSION, reasoning="still propagating"),
    lost("cut thinking as content", "irregularity A5", "Again: 1) either Ada", EXPLOSION, finish_reason="length"),
    solved("empty think block", "irregularity A6", f"<think>\n\n</think>\n\n{GOOD}"),
    solved("full-width tokens", "irregularity A7", f"<｜User｜>Red or Blue?<｜Assistant｜><think>..</think>{GOOD}"),
    solved("special token at the end", "irregularity A7", f"{GOOD}<|end_header_id|>"),
    solved("prompt echoed", "irregularity A7", "ECHO" + GOOD),
    lost("prompt echoed, then nothing", "irregularity A7", "ECHO"),
    lost("the prompt's example", "own", "As in the example: EXAMPLE"),
    solved("answer, then the prompt's example", "own", f"{GOOD} The form was EXAMPLE"),
    lost("the example in one wrapper", "own", '{"answer": EXAMPLE}'),
    lost("answer inside unclosed think", "bug A4", f"<think>{PROSE}<answer>SAT</answer>{PROSE}", EXPLOSION),
    refuted("answer on both sides of a closing tag", "bug A5", f"<answer>SAT</answer> hmm\n</think>\n{UNSAT}"),
    refuted("twin of it", "bug A5", "<answer>SAT</answer> hmm\n</think>\n<answer>UNSAT</answer>"),
    solved("[THINK] pair", "bug A6", f"[THINK] {UNSAT} [/THINK] {GOOD}"),
    solved("mm:think pair", "bug A6", f"<mm:think> {UNSAT} </mm:think> {GOOD}"),
    solved("other family's closer inside", "bug A6", f"<think> a [/THINK] {UNSAT} </think>{GOOD}"),
    solved("wrong closer, answer at the end", "bug A7", f"<think> a </tool>{GOOD}"),
    solved("closer forgotten, answer at the end", "bug A7", f"<think> a\n\n```json\n{GOOD}\n```"),
    lost("closer forgotten, cut off", "bug A7", f"<think> a {GOOD}", EXPLOSION, finish_reason="length"),
    lost("example in thinking never closed", "own", "<think>EXAMPLE", EXPLOSION),
]

CONTAINER = [
    solved("plain", "own", GOOD),
    solved("fence with language", "irregularity B8", f"```json\n{GOOD}\n```"),
    solved("draft and final", "irregularity B9", f"```\n{UNSAT}\n```\nFinal:\n```\n{GOOD}\n```"),
    lost("schema echoed last", "irregularity B9", '```\n{"satisfiable": "true or false", "assignment": {}}\n```'),
    solved("prose around", "irregularity B10", f"Here it is: {GOOD} Hope this helps."),
    bare("second thoughts, never restated", "irregularity B11", f"{UNSAT}\n\nWait, Ada could be Blue...", "UNSAT"),
    solved("the same object twice", "irregularity B12", f"{GOOD}\n{GOOD}"),
    bare("different objects, the last wins", "irregularity B12", f"{GOOD}\n{UNSAT}", "UNSAT"),
    lost("cut in the assignment", "irregularity B13", GOOD[:60], EXPLOSION),
    lost("cut just before the end", "irregularity B13", GOOD[:-1], EXPLOSION),
    lost("one member on its line, cut", "irregularity B13", '{\n"satisfiable": true,\n"assignment": {"Ada": "Re', EXPLOSION),
    solved("python dict", "irregularity B14", PYTHON),
    solved("python dict, status", "irregularity B14", PYTHON.replace("'satisfiable': True", "'status': 'SAT'")),
    solved("smart quotes", "irregularity B15", GOOD.replace(' "', " “").replace('"', "”")),
    solved("trailing commas", "irregularity B15", GOOD.replace("}", ",}")),
    solved("comments", "irregularity B15", GOOD.replace(", ", ", // so\n")),
    solved("unquoted keys and values", "irregularity B15", GOOD.replace('"', "")),
    solved("key in capitals", "irregularity B16", GOOD.replace("satisfiable", "SATISFIABLE").replace("assign", "Assign")),
    solved("key is_satisfiable", "irregularity B16", GOOD.replace("satisfiable", "is_satisfiable")),
    solved("key sat", "irregularity B16", GOOD.replace("satisfiable", "sat")),
    solved("key status", "irregularity B16", GOOD.replace('"satisfiable": true', '"status": "SATISFIABLE"')),
    solved("key answer", "irregularity B16", GOOD.replace('"satisfiable": true', '"answer": "SAT"')),
    solved("key final_answer", "irregularity B16", GOOD.replace('"satisfiable": true', '"final_answer": "yes"')),
    solved("key model for the assignment", "irregularity B16", GOOD.replace("assignment", "model")),
    solved("assignment null, witness given", "own", GOOD.replace('"assignment"', '"assignment": null, "witness"')),
    solved("one wrapper", "irregularity B16", f'{{"result": {GOOD}}}'),
    solved("wrapper called answer", "irregularity B16", f'{{"answer": {GOOD}}}'),
    solved("wrapper called answer, read leniently", "irregularity B16", f'{{"answer": {GOOD},}}'),
    solved("status of the reply, not of the formula", "own", f'{{"status": "ok", "result": {GOOD}}}'),
    lost("two wrappers", "bug A11", f'{{"output": {{"result": {GOOD}}}}}'),
    lost("two wrappers, the inner one called answer", "bug A11", f'{{"output": {{"answer": {GOOD}}}}}'),
    bare("a lesser key later does not win", "own", f'{SAT} {{"status": "UNSAT"}}'),
    bare("decision in a sentence", "irregularity B17", '{"satisfiable": "Yes, the rules can be kept."}'),
    bare("decision in bold", "irregularity B17", '{"satisfiable": "**UNSAT**"}', "UNSAT"),
    bare("list of one", "irregularity B17", '{"satisfiable": ["SAT"]}'),
    lost("list of two", "irregularity B17", '{"satisfiable": ["SAT", "UNSAT"]}'),
    lost("null decision", "irregularity B17", '{"satisfiable": null}', note="neither"),
    lost("unknown", "irregularity B17", '{"satisfiable": "unknown"}', note="'unknown'"),
    lost("maybe", "irregularity B17", '{"satisfiable": "maybe"}'),
    lost("empty decision", "irregularity B21", '{"satisfiable": ""}'),
    lost("a number of models", "own", '{"satisfiable": 4}'),
    bare("one", "own", '{"satisfiable": 1}'),
    bare("zero", "own", '{"satisfiable": 0}', "UNSAT"),
    bare("not satisfiable", "own", '{"satisfiable": "Not satisfiable."}', "UNSAT"),
    bare("the formula is not satisfiable", "own", '{"answer": "The formula is not satisfiable."}', "UNSAT"),
    bare("no, it is not satisfiable", "own", '{"satisfiable": "No, it is not satisfiable."}', "UNSAT"),
    lost("yes, it is not satisfiable", "own", '{"satisfiable": "Yes: not satisfiable"}'),
    lost("sat and unsat", "own", '{"satisfiable": "SAT or UNSAT"}'),
    lost("satisfied", "bug A13", '{"status": "satisfied-ish"}'),
    lost("duplicate decision", "irregularity B18", '{"satisfiable": true, "satisfiable": false}', note="two different"),
    lost("duplicate decision, re-cased", "irregularity B18", '{"satisfiable": true, "Satisfiable": false}'),
    solved("duplicate decision, agreeing", "irregularity B18", GOOD.replace("{", '{"satisfiable": true, ', 1)),
    lost("duplicate entity", "irregularity B18", GOOD.replace('"Adam"', '"Ada": "Red", "Adam"'), note="two different"),
    solved("duplicate entity, agreeing", "irregularity B18", GOOD.replace('"Adam"', '"ADA": "Blue", "Adam"')),
    bare("opening brace lost", "irregularity B19", '"satisfiable": false}', "UNSAT"),
    bare("bare key and value", "irregularity B19", "satisfiable: false", "UNSAT"),
    lost("just the sentence", "irregularity B20", "The constraints cannot all hold."),
    lost("just the sentence, sat", "irregularity B20", "So the formula is satisfiable."),
    lost("empty string", "irregularity B21", ""),
    lost("white space only", "irregularity B21", " \n\t\n"),
    bare("twins in a box", "bug A1", "so: \\boxed{\\text{SAT}}"),
    bare("twins in a box, the other", "bug A1", "so: \\boxed{\\text{UNSAT}}", "UNSAT"),
    refuted("box in an answer tag", "bug A2", "<answer>\\boxed{UNSAT}</answer>"),
    bare("two answer tags, the last wins", "bug A3", "<answer>UNSAT</answer> … actually … <answer>SAT</answer>"),
    solved("backticks in a string", "bug A8", "```json\n" + GOOD.replace("{", '{"note": "use ``` here", ', 1) + "\n```"),
    lost("empty fence", "bug A8", "```json\n```"),
    lost("fence around prose", "bug A8", "```\nAda is on the Red team\n```"),
    solved("pretty-printed, no fence", "bug A9", GOOD.replace("{", "{\n  ").replace(",", ",\n  ")),
    solved("literal newline in a string", "bug A9", GOOD.replace("{", '{"note": "two\nlines", ', 1)),
    lost("unclosed brace", "bug A10", '{"satisfiable": false', EXPLOSION),
    bare("explicit line in bold", "bug A12", "ANSWER: **SAT**"),
    bare("explicit line in dollars", "bug A12", "ANSWER: $SAT$"),
    bare("explicit line in backticks", "bug A12", "ANSWER: `UNSAT`", "UNSAT"),
    bare("UNSAT holds SAT", "bug A13", "Final answer: UNSAT", "UNSAT"),
    bare("unsatisfiable holds satisfiable", "bug A13", "Answer: The rules are unsatisfiable.", "UNSAT"),
    bare("decision with a mark", "bug A13", "Answer: SAT!"),
    lost("sat inside a word", "bug A13", "Answer: satisfactory"),
    lost("no inside a word", "bug A13", "Answer: none of these"),
    lost("loose mentions", "bug A14", "It looks UNSAT; note that SAT is the usual trap, so no"),
    refuted("explicit line, then a sentence that begins with SAT", "own", "Answer: UNSAT\nSAT is impossible here."),
    refuted("explicit line, then mentions", "bug A14", "Answer: UNSAT\nNote that the usual slip here is SAT."),
    lost("row of empty text", "bug A15", "\n"),
    refuted("line names the key", "own", "**Satisfiable:** No"),
    refuted("line names the status", "own", "Status: UNSAT"),
    refuted("answer line that names the key", "own", "Answer: satisfiable: false"),
    bare("answer line that names the key, true", "own", "Answer: satisfiable = true"),
    lost("answer line that gives both", "own", "Answer: satisfiable: true or false"),
    solved("brace in prose before", "own", f"The set {{Ada, Ben}} and {{x says “hi}} then {GOOD}"),
    solved("HTML entities", "irregularity F40", GOOD.replace('"', "&quot;")),
    solved("NBSP, zero-width space, BOM, CRLF", "irregularity F40", "\ufeff" + GOOD.replace(", ", ",\u00a0\u200b\r\n")),
    Case("SAT on an unsatisfiable row", "own", sat({"Ada": "Red"}), INCORRECT, FALSE_SAT, PARTIAL, formula="unsat"),
    Case("SAT on an unsatisfiable row, alone", "own", SAT, INCORRECT, FALSE_SAT, ABSENT, formula="unsat"),
]

FIRST = "Either Ada is on the Red team or Adam is on the Red team."


def _spelled(scheme: str) -> list[Case]:
    """The model in every accepted spelling of a scheme."""
    own, said, names = words(scheme), statements(scheme), entities(scheme, 5)
    texts = [f"{name}={'T' if value else 'F'}" for name, value in zip(names, MODEL, strict=True)]
    shown: dict[str, Any] = {
        "words": named(scheme, own),
        "words in capitals": named(scheme, [word.upper() for word in own]),
        "words with a capital and a stop": named(scheme, [f" {word.capitalize()}. " for word in own]),
        "words in bold": named(scheme, [f"**{word}**" for word in own]),
        "booleans": named(scheme, MODEL),
        "0 and 1": named(scheme, [int(value) for value in MODEL]),
        "T and F": named(scheme, ["FT"[value] for value in MODEL]),
        "yes and no": named(scheme, ["no", "yes", "No", "Yes", "YES"]),
        "predicates": named(scheme, [line.removeprefix(f"{name} ") for name, line in zip(names, said, strict=True)]),
        "sentences": [f"{line}." for line in said],
        "sentences with U+2019": [line.replace("'", "’") for line in said],
        "sentences, other cases": [line.upper() for line in said],
        "one text of sentences": " and ".join(said),
        "one text, bulleted": "\n".join(f"- {line}" for line in said),
        "one text, numbered": "\n".join(f"{i}. {line}" for i, line in enumerate(said, 1)),
        "one text": ", ".join(texts),
        "one text, colons": "; ".join(text.replace("=", ": ") for text in texts),
        "NAME=VALUE": [f"{name}={word}" for name, word in zip(names, own, strict=True)],
        "pairs": [list(pair) for pair in zip(names, own, strict=True)],
        "one-entry objects": [{name: word} for name, word in zip(names, own, strict=True)],
        "name and value objects": [{"name": name, "value": word} for name, word in zip(names, own, strict=True)],
        "entities in capitals": {name.upper(): word for name, word in named(scheme, own).items()},
        "entities re-spaced": {f" {name.replace(' ', '_')} ": word for name, word in named(scheme, own).items()},
    }
    return [solved(f"{scheme}: {name}", "irregularity E34, E35", sat(value), scheme) for name, value in shown.items()]


ASSIGNMENTS = [
    *(case for scheme in SCHEMES for case in _spelled(scheme)),
    solved("vocabularies mixed", "irregularity E34", sat(named("team", ["Blue", True, "0", "on the Red team", "t"]))),
    solved("numbers of rooms", "irregularity E34", sat(dict(zip("12345", words("room"), strict=True))), "room"),
    solved("numbers of doors in a text", "irregularity E35", sat("1: closed, 2: open, 3: closed, 4: open, 5: open"), "door"),
    solved(
        "Room 1 and Lit", "irregularity E34", sat({f"Room {i}": "Lit" if MODEL[i - 1] else "Dark" for i in range(1, 6)}), "room"
    ),
    solved("Room #1", "own", sat([f"Room #{i}: {'lit' if MODEL[i - 1] else 'dark'}" for i in range(1, 6)]), "room"),
    solved(
        "the word statement", "own", sat({f"Statement {name}": value for name, value in named("logic", MODEL).items()}), "logic"
    ),
    solved(
        "is not, does not", "own", sat({"A": "is false", "B": "not false", "C": "is not true", "D": "TRUE", "E": "t"}), "logic"
    ),
    solved("literals", "irregularity F40", sat(["¬A", "B", "not C", "D", "E"]), "logic"),
    solved("literals in a text", "irregularity F40", sat("¬A ∧ B ∧ ~C ∧ D ∧ E"), "logic"),
    solved(
        "does not have",
        "irregularity E35",
        sat(named("letter", ["does not have", "has", "doesnt have", "have", "HAS"])),
        "letter",
    ),
    solved(
        "does not attend",
        "irregularity E35",
        sat(named("social", ["does not attend", "attend", "not attending", "attends", 1])),
        "social",
    ),
    solved("an assignment that is JSON in a string", "own", sat(json.dumps(PAIRS))),
    solved("a list of one object", "own", sat([PAIRS])),
    solved("the other model", "own", sat(named("team", ["Red", "Blue", "Red", "Red", "Blue"]))),
    solved("a variable in no clause, either way", "bug D5", sat(PAIRS | {"Alice": "Blue"})),
    flawed("a variable in no clause omitted", "bug D5", named("team", words("team", MODEL[:4])), PARTIAL, "Alice has no value"),
    flawed("literal 0", "bug D5", ["A", "B", "0"], UNREADABLE, "'0'", "logic"),
    flawed("literal n + 1", "bug D5", {str(i): "lit" for i in range(1, 7)}, UNREADABLE, "'6'", "room"),
    flawed("literal 0 of rooms", "bug D5", [0, 1, 2], UNREADABLE, "'0'", "room"),
    flawed("numbers for people", "bug D5", [-1, 2, -3, 4, 5], UNREADABLE, "'-1'"),
    flawed("numbers of rooms alone say nothing", "own", [1, 2, 3, 4, 5], PARTIAL, "room 1", "room"),
    flawed("entity n + 1", "bug D5", PAIRS | {"Amir": "Red"}, UNREADABLE, "'Amir', which is no person"),
    flawed("entity n + 1 without a value", "bug D5", PAIRS | {"Amir": None}, UNREADABLE, "'Amir'"),
    flawed("ellipsis as in the example", "own", {"Ada": "Blue", "...": "..."}, UNREADABLE),
    flawed("null", "own", None, ABSENT, "no assignment"),
    flawed("empty object", "own", {}, ABSENT),
    flawed("empty list", "own", [], ABSENT),
    flawed("empty text", "own", " ", ABSENT),
    bare("no assignment key", "own", SAT),
    flawed("the word none", "own", "none", UNREADABLE, "'none'"),
    flawed("true for all", "own", True, UNREADABLE),
    flawed("a number", "own", 42, UNREADABLE, "'42'"),
    flawed("positional booleans", "own", [False, True, False, True, True], UNREADABLE, "'False'"),
    flawed("a null value", "own", PAIRS | {"Agnes": None}, PARTIAL, "Agnes has no value"),
    flawed("all null", "own", named("team", [None] * 5), PARTIAL, "Ada has no value"),
    flawed("value unknown", "own", PAIRS | {"Adam": "unknown"}, UNREADABLE, "Adam has the value 'unknown'"),
    flawed("value free", "own", PAIRS | {"Alice": "either"}, UNREADABLE, "Alice has the value 'either'"),
    flawed("value of another scheme", "own", PAIRS | {"Adam": "lit"}, UNREADABLE, "'lit'"),
    flawed("value -1", "own", PAIRS | {"Ada": -1}, UNREADABLE, "'-1'"),
    flawed("value 2", "own", PAIRS | {"Adam": 2}, UNREADABLE, "'2'"),
    flawed("value 1.0", "own", PAIRS | {"Adam": 1.0}, UNREADABLE, "'1.0'"),
    flawed("value with both words", "own", PAIRS | {"Adam": "Red or Blue"}, UNREADABLE),
    flawed("value a list", "own", PAIRS | {"Adam": ["Red"]}, UNREADABLE),
    flawed("value empty", "own", PAIRS | {"Adam": ""}, UNREADABLE),
    flawed("two values in a list", "own", ["Ada=Blue", "Adam=Red", "Ada=Red"], UNREADABLE, "Ada has two different values"),
    flawed("two values, by name and number", "own", {"room 1": "dark", "1": "lit"}, UNREADABLE, "room 1 has two", "room"),
    solved("one value twice in a list", "own", sat([*statements("team"), "Ada=Blue"])),
    flawed("grouped by team", "own", {"Red": ["Adam", "Alan", "Alice"], "Blue": ["Ada", "Agnes"]}, UNREADABLE, "'Red'"),
    flawed("names alone", "own", ["Ada", "Adam", "Agnes", "Alan", "Alice"], PARTIAL, "Ada has no value"),
    flawed(
        "several names to one value", "own", "Agnes, Ada: Blue, Adam: Red, Alan: Red, Alice: Red", PARTIAL, "Agnes has no value"
    ),
    flawed(
        "several letters to one value", "own", "A, C = false, B = true, D = true, E = true", PARTIAL, "A has no value", "logic"
    ),
    flawed("not equal", "own", ["Ada != Red", "Adam != Blue"], UNREADABLE, "Ada != Red"),
    flawed("not equal, one sign", "own", ["A ≠ true", "B ≠ false"], UNREADABLE, "A ≠ true", "logic"),
    flawed("a negated name with a value", "own", "¬A=true, B=true, C=false, D=true, E=true", UNREADABLE, "¬A=true", "logic"),
    flawed("a primed name", "own", ["A'", "B", "C'", "D", "E"], UNREADABLE, "A'", "logic"),
    flawed("a primed key", "own", {"A'": False, "B": True, "C": False, "D": True, "E": True}, UNREADABLE, '"A\'"', "logic"),
    flawed("a negated key", "own", {"¬A": True, "B": True, "C": False, "D": True, "E": True}, UNREADABLE, "'¬A'", "logic"),
    flawed(
        "a negated number", "own", {"-1": "dark", "2": "lit", "3": "dark", "4": "lit", "5": "lit"}, UNREADABLE, "'-1'", "room"
    ),
    flawed("a pronoun", "own", ["it is on the Red team"], UNREADABLE, "'it is on the Red team'"),
    flawed("the first violated clause is told", "own", named("team", words("team", [False] * 5)), VIOLATED, FIRST),
    flawed("a violated unit clause", "own", PAIRS | {"Alan": "Blue"}, VIOLATED, "Alan is on the Red team."),
    flawed(
        "one word changed", "own", PAIRS | {"Agnes": "Red"}, VIOLATED, "Adam is on the Blue team or Agnes is on the Blue team"
    ),
    flawed(
        "violated, in doors",
        "own",
        named("door", ["open"] * 5),
        VIOLATED,
        "door 2 is closed or door 3 is closed (or both)",
        "door",
    ),
    Case("false with an assignment", "irregularity E36", GOOD.replace("true", "false"), INCORRECT, FALSE_UNSAT, ABSENT),
    refuted("false with an assignment, rightly", "irregularity E36", '{"satisfiable": false, "assignment": {"Ada": "Red"}}'),
    bare("substring", "irregularity E36", '{"status": "UNSAT"}', "UNSAT"),
    bare("substring of a word", "irregularity E36", '{"status": "unsatisfiable"}', "UNSAT"),
    lost("a bare Yes", "irregularity E36", "Yes"),
    lost("a bare UNSAT", "irregularity E36", "UNSAT"),
    lost("yes in a sentence", "irregularity E36", "Yes, there is a way."),
]

TRIVIAL = [
    refuted("(1)(-1)", "bug D1", UNSAT, formula="units"),
    refuted(
        "(1)(-1), certificate by unit clauses",
        "bug D1",
        '{"satisfiable": false, "certificate": [["Ada=Red", "Ada=Blue"], ["Ada=Blue", "Ada=Red"]]}',
        VALID,
        formula="units",
    ),
    Case(
        "(1)(-1), true",
        "bug D1",
        sat({"Ada": "Red"}),
        INCORRECT,
        FALSE_SAT,
        VIOLATED,
        "Ada is on the Blue team.",
        formula="units",
    ),
    Case(
        "(1)(-1), false",
        "bug D1",
        sat({"Ada": "Blue"}),
        INCORRECT,
        FALSE_SAT,
        VIOLATED,
        "Ada is on the Red team.",
        formula="units",
    ),
    refuted("an empty clause", "bug D2", UNSAT, formula="empty clause"),
    solved("zero clauses, any assignment", "bug D2", sat({"Ada": "Red", "Adam": "Blue"}), formula="no clauses"),
    flawed("zero clauses, one omitted", "bug D2", {"Ada": "Red"}, PARTIAL, "Adam has no value", formula="no clauses"),
    flawed("zero clauses, empty", "bug D2", {}, ABSENT, formula="no clauses"),
    solved("zero variables", "bug D2", sat({}), formula="no variables"),
    flawed("zero variables, one named", "bug D2", {"Ada": "Red"}, UNREADABLE, "'Ada'", formula="no variables"),
]


def proof(certificate: Any) -> str:
    """A response that says unsatisfiable and gives a certificate."""
    return json.dumps({"satisfiable": False, "assignment": None, "certificate": certificate}, ensure_ascii=False)


THERE, BACK = ["Ada=Red", "Agnes=Red", "Ada=Blue"], ["Ada=Blue", "Adam=Red", "Ada=Red"]
LOGIC = [["A", "C", "¬A"], ["not A", "B", "A"]]

CERTIFICATES = [
    refuted("valid", "design", proof([THERE, BACK]), VALID),
    refuted("valid in the other order", "design", proof([BACK, THERE]), VALID),
    refuted("valid by other clauses", "design", proof([["Ada=Red", "Agnes=Blue", "Ada=Blue"], BACK]), VALID),
    refuted(
        "from another variable",
        "own",
        proof([["Adam=Red", "Ada=Red", "Agnes=Red", "Ada=Blue", "Adam=Blue"], ["Adam=Blue", "Ada=Red"]]),
        BROKEN,
        "do not lead",
    ),
    refuted("named chains", "own", proof({"there": THERE, "back": BACK}), VALID),
    refuted(
        "sentences",
        "own",
        proof([[item.replace("=", " is on the ") + " team" for item in chain] for chain in (THERE, BACK)]),
        VALID,
    ),
    refuted("one-entry objects", "own", proof([[dict([item.split("=")]) for item in chain] for chain in (THERE, BACK)]), VALID),
    refuted("literals", "own", proof(LOGIC), VALID, scheme="logic"),
    refuted(
        "a broken edge is named",
        "design",
        proof([["Ada=Red", "Adam=Red", "Ada=Blue"], BACK]),
        BROKEN,
        "if Ada is on the Red team then Adam is on the Red team",
    ),
    refuted(
        "a broken edge in the second",
        "design",
        proof([THERE, ["Ada=Blue", "Agnes=Red", "Ada=Red"]]),
        BROKEN,
        "if Ada is on the Blue team then Agnes is on the Red team",
    ),
    refuted(
        "an edge turned round",
        "own",
        proof([["Ada=Red", "Agnes=Red"], ["Agnes=Red", "Ada=Red"]]),
        BROKEN,
        "if Agnes is on the Red team then Ada is on the Red team",
    ),
    refuted("wrong endpoints", "design", proof([["Ada=Red", "Agnes=Red"], ["Ada=Blue", "Adam=Red"]]), BROKEN, "do not lead"),
    refuted(
        "a loop that misses the opposite",
        "own",
        proof([["Ada=Red", "Agnes=Red"], ["Agnes=Red", "Ada=Blue", "Adam=Red", "Ada=Red"]]),
        BROKEN,
        "do not lead",
    ),
    refuted("the same chain twice", "design", proof([THERE, THERE]), BROKEN, "do not lead"),
    refuted("chains of one item", "own", proof([["Ada=Red"], ["Ada=Blue"]]), BROKEN, "do not lead"),
    refuted("one chain only", "design", proof([THERE]), UNREADABLE, "two lists"),
    refuted("one chain there and back, flat", "own", proof([*THERE, *BACK[1:]]), UNREADABLE, "two lists"),
    refuted("three chains", "own", proof([THERE, BACK, THERE]), UNREADABLE, "two lists"),
    refuted("an empty chain", "own", proof([THERE, []]), UNREADABLE, "two lists"),
    refuted("chains as texts", "own", proof(["Ada=Red -> Ada=Blue", "Ada=Blue -> Ada=Red"]), UNREADABLE, "two lists"),
    refuted("prose", "own", proof("Ada can be on neither team."), UNREADABLE, "two lists"),
    refuted(
        "unknown entity", "design", proof([["Ada=Red", "Zoe=Red", "Ada=Blue"], BACK]), UNREADABLE, "'Zoe=Red' is no statement"
    ),
    refuted("unknown value", "design", proof([["Ada=Red", "Agnes=Green", "Ada=Blue"], BACK]), UNREADABLE, "'Agnes=Green'"),
    refuted("name alone", "own", proof([["Ada=Red", "Agnes", "Ada=Blue"], BACK]), UNREADABLE, "'Agnes'"),
    refuted("null item", "own", proof([["Ada=Red", None, "Ada=Blue"], BACK]), UNREADABLE, "'None'"),
    refuted("null", "design", proof(None), ABSENT),
    refuted("empty list", "design", proof([]), ABSENT),
    Case("a certificate on a satisfiable row", "own", proof([THERE, BACK]), INCORRECT, FALSE_UNSAT, BROKEN),
    solved("a certificate beside a witness", "own", GOOD[:-1] + ', "certificate": [["x"]]}'),
]

ENDINGS = [
    lost("loop", "irregularity F37", "Ada is Red. " * 300, LOOP, finish_reason="length"),
    lost("loop, no reason given", "irregularity F37, F39", "Ada is Red. " * 300, LOOP),
    lost("loop in thinking", "irregularity F37", "<think>" + "so Ada is Red. " * 300, LOOP),
    lost(
        "loop in thinking apart", "irregularity F37", None, LOOP, reasoning="so Ada is Red. " * 300, finish_reason="max_tokens"
    ),
    lost("200 rooms, cut", "own", sat({f"room {i}": "lit" for i in range(200)})[:-2], EXPLOSION, finish_reason="length"),
    lost("200 rooms, two values", "own", sat({f"room {i}": "lit" for i in range(200)})[:-2] + ', "room 1": "dark"}}', FORMAT),
    lost("loop of values, cut", "irregularity F37", GOOD[:-2] + ', "x": "Red"' * 500, LOOP, finish_reason="length"),
    lost("explosion without loop", "irregularity F38", PROSE * 2, EXPLOSION, finish_reason="length"),
    lost("said to be finished, but no answer", "irregularity F39", "Ada is Red. " * 300, FORMAT, finish_reason="stop"),
    lost("cut in a fence", "irregularity F39", "Here it is:\n```json\n", EXPLOSION),
    solved("answer given, then cut off", "irregularity F39", f"{GOOD} Let me double-check by", finish_reason="length"),
    refuted("UNSAT given, then cut off", "irregularity F39", f"{UNSAT} Let me double-check by", finish_reason="length"),
]

CASES = THINKING + CONTAINER + ASSIGNMENTS + TRIVIAL + CERTIFICATES + ENDINGS
