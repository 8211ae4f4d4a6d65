"""The prompt of a ReEfBench row: the premises, what "A is B" means, the question (paper, appendix B.3, in our own words)."""

from __future__ import annotations

from collections.abc import Iterable

from rb_verify.statements import Statement

_TEMPLATE = """\
Here are {count} facts. Their words are invented, so only the facts themselves tell anything about them.

{facts}

How to read them: "A is B", as in "rabbit is mammal", says that every A belongs to the category B, not that the two are the \
same. "A is B and C" says that every A belongs to both. "A is B or C" says that every A belongs to at least one of the two. \
Nothing says whether a category has any members.

Question: given these facts, is it true that {conclusion}?

The answer is True if that must hold whenever all the facts hold, and Unknown if it does not follow from them. Reason step by \
step and show how you get from fact to fact. Finish with the answer inside \\boxed{{}}.
"""


def prompt(premises: Iterable[Statement], conclusion: Statement) -> str:
    """The prompt that gives ``premises``, in their order, and asks about ``conclusion``."""
    facts = [f"{statement}." for statement in premises]
    return _TEMPLATE.format(count=len(facts), facts="\n".join(facts), conclusion=conclusion)
