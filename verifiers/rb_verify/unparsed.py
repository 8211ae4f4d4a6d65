"""Why a response holds no recoverable answer: the structural failures of the TRACE paper (section 4.5.2), as a rule.

A response that was cut off, or that ends inside thinking, an object or a fence, is a degenerative loop if repetition
dominates it, else a reasoning explosion; any other breaks the format. Every dataset tells these three apart.
"""

from __future__ import annotations

from rb_verify.answers import Answer
from rb_verify.loops import dominated_by_repetition
from rb_verify.verdict import Prediction

FORMAT, EXPLOSION, LOOP = STRUCTURAL_FAILURES = ("format_non_compliance", "reasoning_explosion", "degenerative_loop")
# In the words of providers; those that end in _limit are Inspect's limits of a sample.
TRUNCATED = frozenset(
    {"length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens", "max_new_tokens"}
    | {"model_context_window_exceeded"}
    | {f"{kind}_limit" for kind in ("context", "cost", "message", "time", "token", "turn", "working")}
)


def structural_failure(prediction: Prediction, answer: Answer, numbered: bool = False) -> str:
    """The structural failure of an unparsed response. Where no reason is given for the end, a cut is inferred.

    ``numbered``: what the response is about is told apart by numbers, so text that differs in them is no loop.
    """
    truncated = prediction.finish_reason in TRUNCATED
    response, reasoning = (prediction.response or "").strip(), (prediction.reasoning or "").strip()
    silent = not response and bool(reasoning)
    if not (truncated or silent or prediction.finish_reason is None):
        return FORMAT
    if dominated_by_repetition(f"{reasoning}\n{response}", numbered):
        return LOOP
    return EXPLOSION if truncated or silent or answer.cut else FORMAT
