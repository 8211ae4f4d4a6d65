"""Responses as models write them, with the verdict a fair reader would give: data for test_responses.

``source`` says where the pattern is known from: section and number of a collection of irregularities seen in real
responses (irr), or a public bug report of this field (the repository and number). The row asks "Is A before D?", from the
facts A before B, B before C, C meets D; the gold answer is YES.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CORRECT, INCORRECT, UNPARSED, MISSING = "correct", "incorrect", "unparsed", "missing"
TRUE, SPURIOUS, MISALIGNED, FAILED, NO_PARSE = (
    "true_reasoning",
    "spurious_guessing",
    "answer_misalignment",
    "complete_failure",
    "parse_failure",
)
FORMAT, EXPLOSION, LOOP = "format_non_compliance", "reasoning_explosion", "degenerative_loop"
WRONG, STAGNATION, HALLUCINATION = "direct_inference_error", "reasoning_stagnation", "hallucination"


@dataclass(frozen=True)
class Case:
    """A response to the row and what it must be judged as. ``failure``: the failure mode, None for true reasoning."""

    name: str
    source: str
    response: str | None
    status: str
    category: str
    failure: str | None = None
    finish_reason: str | None = None
    reasoning: str | None = None
    score: int | None = None


def step(u: str, relation: str, v: str) -> str:
    """A step as the prompt asks for it."""
    return f'{{"from": "{u}", "relation": "{relation}", "to": "{v}"}}'


STEPS = f"[{step('A', 'before', 'C')}, {step('A', 'before', 'D')}]"
GOOD = f'{{"reasoning": {STEPS}, "final_answer": "YES"}}'
GOOD_BUT_NO = f'{{"reasoning": {STEPS}, "final_answer": "NO"}}'
PROSE = " ".join(f"w{i:x}{i * i:x}q" for i in range(800))
YES, NO = '{"final_answer": "YES"}', '{"final_answer": "NO"}'


def traced(steps: str, answer: str = "YES") -> str:
    """A response with the given JSON as its reasoning."""
    return f'{{"reasoning": {steps}, "final_answer": "{answer}"}}'


def parsed(name: str, source: str, response: str, **more: Any) -> Case:
    """A response that is true reasoning, however it is dressed."""
    return Case(name, source, response, CORRECT, TRUE, score=1, **more)


def bare(name: str, source: str, response: str, answer: str = "YES", **more: Any) -> Case:
    """A response with an answer and an empty trace."""
    status, category = (CORRECT, SPURIOUS) if answer == "YES" else (INCORRECT, FAILED)
    return Case(name, source, response, status, category, STAGNATION, score=0, **more)


def lost(name: str, source: str, response: str | None, failure: str = FORMAT, **more: Any) -> Case:
    """A response without a recoverable answer."""
    return Case(name, source, response, UNPARSED, NO_PARSE, failure, score=0, **more)


THINKING = [
    lost("unclosed think", "irr A1", "<think>A is before C, and C meets E, so A is bef", EXPLOSION),
    parsed("closing tag only", "irr A2", f"A before B, B before C gives A before C.\n</think>\n{GOOD}"),
    parsed("reasoning apart", "irr A3", GOOD, reasoning="C starts with..."),
    lost("null content, thinking full", "irr A4", None, EXPLOSION, reasoning="still propagating x7...", finish_reason="length"),
    lost("empty content, thinking full", "irr A4", "", EXPLOSION, reasoning="still propagating x7..."),
    lost("truncated thinking as content", "irr A5", "Let me list: 1) either A", EXPLOSION, finish_reason="length"),
    parsed("empty think block", "irr A6", f"<think>\n\n</think>\n\n{GOOD}"),
    parsed("full-width template tokens", "irr A7", f"<｜User｜>Is A before D?<｜Assistant｜><think>..</think>{GOOD}"),
    parsed("trailing special token", "irr A7", f"{GOOD}<|end_header_id|>"),
    parsed("im_start", "irr A7", f"<|im_start|>user\n{NO}<|im_end|>\n<|im_start|>assistant\n{GOOD}"),
    parsed("prompt echoed", "irr A7", "ECHO" + GOOD),
    lost("only the prompt's example repeated", "own", "As in the example: EXAMPLE"),
    parsed("answer, then the prompt's example", "own", f"{GOOD} as in the example EXAMPLE"),
    lost("example in unclosed thinking", "own", "<think>EXAMPLE", EXPLOSION),
    lost("prompt echoed, then nothing", "irr A7", "ECHO"),
    lost("answer inside unclosed think", "lighteval#869; olmo-eval PR#389", f"<think>{PROSE}{YES} but then {PROSE}", EXPLOSION),
    bare("answer before and after closing tag", "inference-atlas PR#32; gaia#3945", f"maybe {NO}\n</think>\n{YES}"),
    parsed("[THINK] pair", "Primer#109", f"[THINK] {NO} [/THINK] {GOOD}"),
    parsed("mm:think pair", "Primer#109", f"<mm:think> {NO} </mm:think> {GOOD}"),
    parsed("other family's closer inside", "Primer#109", f"<think> a [/THINK] {NO} </think>{GOOD}"),
    lost("other family's closer only", "Primer#109", f"<think> a [/THINK] {GOOD} and more", EXPLOSION),
    parsed("wrong closer, answer at the end", "verifiers#116, #207", f"<think> a </tool>{GOOD}"),
    parsed("closer forgotten, answer at the end", "verifiers#116, #207", f"<think> a\n\n```json\n{GOOD}\n```"),
    lost("closer forgotten, cut off", "verifiers#116, #207", f"<think> a {GOOD}", EXPLOSION, finish_reason="length"),
    parsed("two think blocks", "own", f"<think>{NO}</think> Let me check. <think>{NO}</think>{GOOD}"),
    parsed("upper case tags", "own", f"<THINK>{NO}</Think>{GOOD}"),
]

CONTAINER = [
    parsed("plain", "own", GOOD),
    parsed("fence with language", "irr B8", f"```json\n{GOOD}\n```"),
    parsed("two fences, draft and final", "irr B9", f"```\n{NO}\n```\nFinal:\n```\n{GOOD}\n```"),
    lost("schema echoed last", "irr B9", '```\n{"reasoning": [], "final_answer": "YES or NO or Unsure"}\n```'),
    parsed("prose around", "irr B10", f"Here is my result: {GOOD} Hope this helps."),
    bare("second thoughts, never restated", "irr B11", f"{NO}\n\nWait, that contradicts step 3...", "NO"),
    parsed("the same object twice", "irr B12", f"{GOOD}\n{GOOD}"),
    bare("different objects, the last wins", "irr B12", f"{GOOD}\n{NO}", "NO"),
    lost("truncated array", "irr B13", '{"reasoning":[{"u":"A","r":"before","v":"C"},{"u":"C","r":"du', EXPLOSION),
    lost("truncated just before the end", "irr B13", GOOD[:-1], EXPLOSION),
    lost(
        "cut inside a string that shows an object", "irr B13", "{\"reasoning\": \"so {'final_answer': 'YES'} is wh", EXPLOSION
    ),
    lost("truncated, answer on its own line", "irr B13", '{"reasoning": [],\n"final_answer": "YES"\n', EXPLOSION),
    parsed("python dict", "irr B14", GOOD.replace('"', "'")),
    bare("python True", "irr B14", "{'final_answer': True, 'note': None}"),
    bare("smart quotes and trailing comma", "irr B15", "{“final_answer”: “YES”,}"),
    parsed("comments", "irr B15", GOOD.replace("[{", "[ // first\n{").replace('"final', '/* so */ "final')),
    bare("unquoted keys", "irr B15", "{final_answer: YES}"),
    bare("key with space and capitals", "irr B16", '{"Final Answer": "YES"}'),
    bare("camel case", "irr B16", '{"finalAnswer": "YES"}'),
    bare("key answer", "irr B16", '{"answer": "YES"}'),
    bare("nested in one wrapper", "irr B16", '{"result": {"final_answer": "YES"}}'),
    bare("nested in a wrapper called answer", "irr B16", '{"answer": {"reasoning": [], "final_answer": "YES"}}'),
    bare("the same, a comma too many", "irr B16", '{"answer": {"reasoning": [], "final_answer": "YES",}}'),
    bare("an answer around another", "own", '{"final_answer": "YES", "draft": {"final_answer": "NO"}}'),
    parsed("trace and answer in one wrapper", "ZeroEval#29", f'{{"RESULT": {GOOD.replace("final_answer", "FINAL-ANSWER")}}}'),
    lost("two wrappers", "ZeroEval#29", '{"output": {"result": {"final_answer": "YES"}}}'),
    lost("two wrappers, pretty-printed", "ZeroEval#29", '{\n"output": {\n"result": {\n"final_answer": "YES"\n}\n}\n}'),
    bare("value is a sentence", "irr B17", '{"final_answer": "Yes, A is before D."}'),
    bare("value with a full stop", "irr B17", '{"final_answer": "YES."}'),
    bare("value in bold", "irr B17", '{"final_answer": "**NO**"}', "NO"),
    bare("unsure", "irr B17", '{"final_answer": "unsure"}', "Unsure"),
    bare("Unknown", "irr B17", '{"final_answer": "Unknown"}', "Unsure"),
    bare("boolean", "irr B17", '{"final_answer": true}'),
    bare("list of one", "irr B17", '{"final_answer": ["YES"]}'),
    lost("list of two", "irr B17", '{"final_answer": ["YES", "NO"]}'),
    lost("a relation as answer", "own", '{"final_answer": "before"}'),
    lost("empty answer", "irr B21", '{"final_answer": ""}'),
    lost("null answer", "own", '{"final_answer": null}'),
    lost("conflicting duplicate keys", "irr B18", '{"final_answer": "NO", "final_answer": "YES"}'),
    lost("conflicting spellings of a key", "irr B18", '{"final_answer": "NO", "Final Answer": "YES"}'),
    bare("agreeing duplicate keys", "irr B18", '{"final_answer": "YES", "final_answer": "YES"}'),
    lost("conflict inside a step", "irr B18", traced('[{"from": "A", "from": "B", "relation": "B", "to": "C"}]')),
    bare("opening brace lost", "irr B19", '"final_answer":"YES"}'),
    bare("bare key and value", "irr B19", "final_answer: YES"),
    lost("just the sentence", "irr B20", "From the facts, A is before D."),
    lost("empty string", "irr B21", ""),
    lost("white space only", "irr B21", " \n\t\n"),
    bare("box in answer tag", "maxtext PR#4150", "<answer>\\boxed{YES}</answer>"),
    bare("text in a box", "ai-agent-book PR#173; ms-swift PR#10147", "so: \\boxed{\\text{YES}}"),
    bare("twin of it", "ai-agent-book PR#173; ms-swift PR#10147", "so: \\boxed{\\text{NO}}", "NO"),
    bare("two answer tags, the last wins", "verifiers PR#1575", "<answer>NO</answer> … actually … <answer>YES</answer>"),
    parsed(
        "backticks in a string",
        "hindsight#2542, PR#2563",
        "```json\n" + GOOD.replace("{", '{"note": "use ``` here", ', 1) + "\n```",
    ),
    lost("empty fence", "hindsight#2542, PR#2563", "```json\n```"),
    lost("fence around prose", "hindsight#2542, PR#2563", "```\nA is before D\n```"),
    parsed("pretty-printed, no fence", "RAGElo#30", GOOD.replace("{", "{\n  ").replace(",", ",\n  ")),
    parsed("literal newline in a string", "RAGElo#36", GOOD.replace('"final', '"note": "two\nlines", "final')),
    parsed("trailing commas", "typia PR#1774", GOOD.replace("]", ",]").replace("}", ",}")),
    lost("unclosed brace", "typia PR#1774", '{"final_answer": "YES"', EXPLOSION),
    bare("explicit line in bold", "inspect_ai#5055", "ANSWER: **YES**"),
    bare("explicit line in dollars", "inspect_ai#5055", "ANSWER: $YES$"),
    bare("explicit line in backticks", "inspect_ai#5055", "ANSWER: `YES`"),
    bare("explicit line with punctuation", "inspect_ai PR#3916, #4742", "The final answer is YES!"),
    lost("yes inside a word", "inspect_ai PR#3916, #4742", '{"final_answer": "YESTERDAY"}'),
    lost("no inside a word", "inspect_ai PR#3916, #4742", "Answer: nothing"),
    lost(
        "loose mentions", "omlx PR#3668; ds4#321; Skills PR#1526", "the relation is before; note after is the usual trap, yes"
    ),
    bare("explicit line, then mentions", "omlx PR#3668; ds4#321", "Final answer: YES\nNote that no is the usual trap."),
    lost("not yes", "omlx PR#3668", '{"final_answer": "not yes"}'),
    lost("yes and no", "omlx PR#3668", '{"final_answer": "Yes... or no"}'),
    parsed("brace in prose before", "own", f"The set {{A, B}} and {{x says “hi}} then {GOOD}"),
    parsed("brace in a string", "own", GOOD.replace('"final', '"note": "}{", "final')),
    bare("HTML entities", "irr F40", "{&quot;final_answer&quot;: &quot;YES&quot;}"),
    lost("HTML number of many digits", "own", "&quot;&#" + "1" * 5000),
    parsed("low quote inside smart quotes", "own", "{“a”: “x „ y”} " + GOOD.replace('"', "”")),
    parsed("NBSP, zero-width space, BOM, CRLF", "irr F40", "\ufeff" + GOOD.replace(", ", ",\u00a0\u200b\r\n")),
]

TRACES = [
    parsed("symbols", "irr C22", traced(f"[{step('A', 'B', 'C')}, {step('A', 'b', 'D')}]")),
    Case("question alone, one composition short", "design", traced(f"[{step('A', 'B', 'D')}]"), CORRECT, TRUE, None, score=0),
    Case("a weaker disjunction", "irr C22", traced(f"[{step('A', 'B|M', 'D')}]"), CORRECT, SPURIOUS, WRONG),
    Case("disjunction of all 13", "irr C22", traced('["A B|BI|M|MI|O|OI|S|SI|D|DI|F|FI|E D"]'), CORRECT, SPURIOUS, WRONG),
    Case("any", "irr C22", traced(f"[{step('A', 'any', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    Case("unknown", "irr C22", traced(f"[{step('A', 'unknown', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    *(
        Case(f"spelled {spelled}", "irr C22", traced(f"[{step('A', spelled, 'D')}]"), CORRECT, SPURIOUS, WRONG)
        for spelled in ("before or meets", "{before, meets}", "before/meets", "B, M", "{b,m}")
    ),
    Case("a list of two", "irr C22", traced('[["A", ["before", "meets"], "D"]]'), CORRECT, SPURIOUS, WRONG),
    parsed("relation as a list", "irr C22", traced('[{"from": "A", "relation": ["before"], "to": "C"}, ["A", "B", "D"]]')),
    Case("less-than", "irr C23; paper 4.5.1", traced(f"[{step('A', '<', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    Case("equals sign", "irr C23; paper 4.5.1", traced(f"[{step('A', '=', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    Case("less_than", "irr C23; paper 4.5.1", traced(f"[{step('A', 'less_than', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    Case("cannot overlap", "paper 4.5.1", traced(f"[{step('A', 'cannot overlap', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    Case("precedes", "irr C23", traced(f"[{step('A', 'precedes', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    parsed("strings", "irr C24", traced('["A before C", "A before D."]')),
    parsed("arrays", "irr C24", traced('[["A", "before", "C"], ["A", "before", "D"]]')),
    parsed("tuples as text", "irr C24", traced('["(A, before, C)", "(A, B, D)"]')),
    parsed("arrows", "irr C24", traced('["A -> C: before", "A → D: before"]')),
    parsed("numbered strings", "irr C24", traced('["1. A before C", "Step 2: A is before D"]')),
    parsed("keys u, r, v", "irr C24", traced('[{"u": "A", "r": "B", "v": "C"}, {"u": "A", "r": "B", "v": "D"}]')),
    parsed("keys event1, event2", "irr C24", traced('[{"event1": "A", "relation": "B", "event2": "C"}, "A B D"]')),
    parsed("keys subject, object", "irr C24", traced('[{"subject": "A", "relation": "B", "object": "C"}, "A B D"]')),
    Case(
        "three claims in a string",
        "irr C24",
        traced('["Since A before B and B before C, A before C"]'),
        CORRECT,
        SPURIOUS,
        STAGNATION,
    ),
    Case("event As", "irr C25; paper 4.5.1", traced(f"[{step('As', 'before', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    Case("event ?", "irr C25; paper 4.5.1", traced(f"[{step('?', 'before', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    Case("event it", "irr C25", traced(f"[{step('it', 'before', 'D')}]"), CORRECT, SPURIOUS, HALLUCINATION),
    parsed("Event A for A", "irr C25", traced(f"[{step('Event A', 'before', 'C')}, {step('event A', 'before', 'D')}]")),
    parsed("self pair", "irr C25", traced(f"[{step('A', 'equals', 'A')}, {STEPS[1:]}")),
    Case("self pair, wrong", "irr C25", traced(f"[{step('A', 'before', 'A')}]"), CORRECT, SPURIOUS, STAGNATION),
    Case("endpoint arithmetic", "irr C26", traced('["A_end < C_start"]'), CORRECT, SPURIOUS, HALLUCINATION),
    Case("endpoint functions", "irr C26", traced('["start(A)=start(B)"]'), CORRECT, SPURIOUS, STAGNATION),
    Case(
        "meets for before", "OpenTimelineIO#700; hutool#3215", traced(f"[{step('A', 'meets', 'D')}]"), CORRECT, SPURIOUS, WRONG
    ),
    Case("direction turned", "OpenTimelineIO#700", traced(f"[{step('D', 'before', 'A')}]"), CORRECT, SPURIOUS, WRONG),
    parsed("converse direction", "OpenTimelineIO#700", traced(f"[{step('C', 'after', 'A')}, {step('D', 'after', 'A')}]")),
    Case(
        "a fact restated, goal not reached",
        "paper 4.5.1",
        traced(f"[{step('A', 'before', 'B')}]"),
        CORRECT,
        TRUE,
        None,
        score=0,
    ),
    Case(
        "facts rephrased, wrong answer",
        "paper 4.5.1",
        traced(f"[{step('B', 'after', 'A')}]", "NO"),
        INCORRECT,
        MISALIGNED,
        STAGNATION,
    ),
    Case("right trace, wrong answer", "paper 3.4", GOOD_BUT_NO, INCORRECT, MISALIGNED, WRONG, score=0),
    Case("wrong trace, wrong answer", "paper 3.4", traced(f"[{step('A', 'O', 'D')}]", "NO"), INCORRECT, FAILED, WRONG, score=0),
    Case(
        "wrong step among right ones",
        "paper 3.4",
        traced(f"[{step('C', 'before', 'D')}, {STEPS[1:]}"),
        CORRECT,
        SPURIOUS,
        WRONG,
    ),
    parsed("a whole trace as one string step", "own", traced('["A before C", "A before D"]')),
    Case("reasoning is prose", "own", traced('"A is before C and so before D."'), CORRECT, SPURIOUS, STAGNATION),
    Case("more steps than are read", "own", traced("[" + '"A B C", ' * 10_000 + '"A B D"]'), CORRECT, SPURIOUS, WRONG),
    bare("reasoning null", "own", traced("null")),
    Case("a number as a step", "own", traced("[42]"), CORRECT, SPURIOUS, STAGNATION),
    Case("steps under another key", "design", GOOD.replace("reasoning", "steps"), CORRECT, SPURIOUS, STAGNATION),
]

ENDINGS = [
    lost("loop", "irr F37", "A before C. " * 300, LOOP, finish_reason="length"),
    lost(
        "loop with counting digits",
        "irr F37",
        "".join(f"Step {i}: A before C. " for i in range(300)),
        LOOP,
        finish_reason="length",
    ),
    lost("loop, no reason given", "irr F37, F39", "A before C. " * 300, LOOP),
    lost("loop in thinking", "irr F37", "<think>" + "so A before C. " * 300, LOOP),
    lost(
        "loop in thinking that came apart", "irr F37", None, LOOP, reasoning="so A before C. " * 300, finish_reason="max_tokens"
    ),
    lost(
        "explosion without loop",
        "irr F38",
        " ".join(f"w{i:x}{i * i:x}q" for i in range(3000)),
        EXPLOSION,
        finish_reason="length",
    ),
    lost("said to be finished, but no answer", "irr F39", "A before C. " * 300, FORMAT, finish_reason="stop"),
    lost("cut in a fence", "irr F39", "Here it is:\n```json\n", EXPLOSION),
    bare("answer given, then cut off", "irr F39", f"{YES} Let me double-check by", finish_reason="length"),
]

CASES = THINKING + CONTAINER + TRACES + ENDINGS
