"""Reading objects out of text: the forgiving parser agrees with the strict one, and nothing makes either fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rb_verify
from rb_verify import objects
from rb_verify.objects import Object, find, normal_key
from rb_verify.thinking import split
from test_responses import ROW

KEY = "finalanswer"
scalars = st.none() | st.booleans() | st.integers(-999, 999).map(str) | st.text(max_size=12)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=12
)


def normalised(value: Any) -> Any:
    """A JSON value as the parsers give it: normalised keys, the last of equal ones."""
    if isinstance(value, dict):
        return {normal_key(key): normalised(item) for key, item in value.items()}
    return [normalised(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=300, deadline=None)
@given(values, st.text(alphabet="ab c.\n`'“”\u200b", max_size=20), st.booleans())
def test_forgiving_agrees_with_strict(value: Any, around: str, strict: bool) -> None:
    """A valid object between prose is read whole by either parser, and to the same value."""
    text = f"{around}{json.dumps({'final_answer': 'YES', 'rest': value})}{around}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects, "_STRICT_FAILURES", 40 if strict else 0)
        found = find(text, [KEY])
    assert [dict(o) for o in found.objects] == [{KEY: "YES", "rest": normalised(value)}]
    assert found.unclosed is None


@settings(max_examples=200, deadline=None)
@given(values, st.data())
def test_a_cut_object_is_no_answer(value: Any, data: st.DataObject) -> None:
    """However an object is cut, it is not completed: the forgiving parser repairs no missing brace."""
    whole = json.dumps({"rest": value, "final_answer": "YES"})
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    assert not [found for found in find(cut, [KEY]).objects if KEY in found]
    assert rb_verify.score(ROW, cut).status == "unparsed"


PIECES = (
    "{ } [ ] \" ' “ ” : , \\ // /* */ # final_answer answer reasoning 'final_answer':'NO' \"final_answer\":\"YES\" "
    "<think> </think> [THINK] \\boxed{ YES NO ``` ```json <answer> </answer> Answer: True null 1 A before &quot;"
)
FRAGMENTS = st.lists(st.sampled_from([*PIECES.split(), "\n", " ", "\u200b", "\ud83d"]), max_size=40).map("".join)


@settings(max_examples=1500, deadline=None)
@given(FRAGMENTS, st.sampled_from([None, "stop", "length"]), st.none() | FRAGMENTS)
def test_no_text_breaks_the_judge(text: str, finish_reason: str | None, reasoning: str | None) -> None:
    """Any text gets a verdict whose parts are consistent; without a step it is never grounded."""
    verdict = rb_verify.score(ROW, text, reasoning=reasoning, finish_reason=finish_reason)
    assert verdict.status in ("correct", "incorrect", "unparsed")
    assert (verdict.category == "parse_failure") == (verdict.status == "unparsed")
    assert verdict.score == 0 or verdict.evidence["steps"]
    json.dumps(verdict.as_dict())


@settings(max_examples=300, deadline=None)
@given(FRAGMENTS)
def test_closed_thinking_is_invisible(text: str) -> None:
    """Whatever stands in a closed block never changes what is visible outside it."""
    inside = text.replace("<think>", "").replace("</think>", "")
    assert split(f"before<think>{inside}</think>after").visible == "before\nafter"


@pytest.mark.parametrize(
    ("text", "strict", "lenient"),
    [
        ('{"final_answer": "YES"}', True, True),
        ('{"final_answer": "YES",}', False, True),
        ('{"final_answer": "YES" // why\n}', False, True),
        ('{"final_answer": "YES" # why\n}', False, True),
        ("{'final_answer': 'YES'}", False, True),
        ("{‘final_answer’: ‘YES’}", False, True),
        ("{final_answer: YES}", False, True),
        ("{'final_answer': True, 'x': None}", False, True),
        ('{"final_answer": "a\nb"}', True, True),
        ('{"final_answer": "\\q"}', False, True),
        ('{"final_answer": NaN}', True, True),
        ('{"final_answer": 1' + "0" * 6000 + "}", True, True),
        ('{"final_answer": "YES"', False, False),
        ('{"final_answer": "YES', False, False),
        ('{"final_answer" "YES"}', False, False),
        ('{"a": 1 "final_answer": "YES"}', False, False),
        ('{"final_answer": ["YES"}', False, False),
        ('{"final_answer": }', False, False),
        ('{"final_answer": "YES"]', False, False),
        ("{" * 60 + '"final_answer": "YES"' + "}" * 60, True, True),
        ('{"a":' * 60 + '{"final_answer": "YES"}' + "}" * 60, False, False),
    ],
)
def test_what_is_repaired(text: str, strict: bool, lenient: bool) -> None:
    """Which deviations are strict, which are repaired, which are rejected."""
    assert bool(find(text, [KEY]).objects) is lenient
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects._Lenient, "parse", lambda self, begin: objects._Result([], begin + 1, complete=False))
        assert bool(find(text, [KEY]).objects) is strict


def test_conflicts() -> None:
    """Two different values for one key mark the object, wherever in it they are; equal ones do not."""

    def conflict(text: str) -> bool:
        (found,) = find(text, [KEY]).objects
        assert isinstance(found, Object)
        return found.conflict

    assert conflict('{"final_answer": "A", "Final-Answer": "B"}')
    assert conflict('{"final_answer": "A", "x": [{"y": 1, "y": 2}]}')
    assert conflict("{'final_answer': 'A', 'x': {'y': 1, 'Y': 2}}")
    assert not conflict('{"final_answer": "A", "final_answer": "A"}')
