"""Whether the writer of a sentence looks back at the own reasoning (ReEfBench paper, section 3.2).

Doubts, second looks, corrections, backtracking and other ways tried are reflections; plain steps, goals, first plans and
names of rules are not. A sentence is a reflection if it has a word of ``TELLING``, or has a word of ``SIGNS`` and begins with
a phrase of ``_OPENING`` or holds one of ``_PHRASE``. The words are looked up with those of the statements (``words.py``), so
most sentences are never searched.
"""

from __future__ import annotations

import re

_TELLING = """
hmm hmmm hmmmm hm oops nope backtrack backtracking backtracked double-check double-checking double-checked double-verify
recheck rechecking rechecked re-check re-checking reread rereading re-read re-reading reexamine reexamining re-examine
re-examining reconsider reconsidering re-consider revisit revisiting re-visit reevaluate reevaluating re-evaluate
re-evaluating reverify re-verify rethink rethinking re-think re-thinking retrace retracing re-trace recalculate reassess
reassessing re-assess redo redoing re-do rederive re-derive restart restarting retract mistake mistakes mistaken mistakenly
mistook misread misreading misapplied misinterpreted misunderstood misstated misremembered miscounted overcomplicate
overcomplicating overcomplicated overthink overthinking
"""
_SIGNS = """
wait hold hang thought reflection come actually alternatively correction correcting maybe scratch strike scrap forget ignore
disregard discard never nevermind sorry no double again once one verify verifying confirm review correct fix sure safe
certain convinced sanity my back error bad wrong incorrect off odd strange suspicious weird right valid true follow work
working help helpful sense quite missing miss skip skipped jumped rushed another different else instead
dead nowhere circles circular over anew afresh stuck overlooked overlooking missed forgot forgotten doubt meant confused
conflated swapped mixed earlier before previously previous differently did should shorter simpler quicker easier complicated
complex contradict contradicts contradicted closer closely rather
"""
TELLING = frozenset(_TELLING.split())
SIGNS = frozenset(_SIGNS.split())

_OPENING = re.compile(
    r"""\W*(?:(?:but|so|oh|ok|okay|well|and|ah|no|yes|yeah|ugh|argh|fine|now|right|alright)\b[\s,.…—-]+)*
        (?:actually|alternatively|correction|or\ maybe|or\ rather|scratch\ that|strike\ that|never\ ?mind|sorry|back\ to
          |no,\ (?!(?:but|since|because)))\b
    """,
    re.VERBOSE,
)
_PHRASE = re.compile(
    r"""\b(?=\w)(?:
    # a halt
     wait\b(?!\s+for)|hold\ on\b|hang\ on\b|on\ (?:second\ thought|reflection)\b|come\ to\ think\b
    |actually,?\ (?:no|wait|i|that's|let)\b|strike\ that\b
    # a second look
    |double\ (?:check|verif)
    |(?:check(?:ing)?|look(?:ing)?|go(?:ing)?|verify(?:ing)?|think|read(?:ing)?|try(?:ing)?|start|begin|trace|examine)\b
        [^.;:!?]{0,60}\b(?:again|once\ more|one\ more\ time)\b
    |(?:let\ (?:me|us)|let's|i\ (?:should|need\ to|will|must|have\ to)|i'll)\ (?:just\ |quickly\ )?
        (?:verify|confirm|review|correct|fix)\b
    |to\ be\ (?:sure|safe|certain)\b|make\ sure\b|sanity[\s-]check|check(?:ing)?\ my\b
    |(?:on|upon|at|with|take|have)\ (?:an?\ )?(?:closer|second)\ (?:look|inspection|reading|glance|examination)\b
    |look(?:ing)?\ (?:more\ )?(?:closer|closely)\b
    |(?:go(?:ing)?|went|com(?:e|ing)|step(?:ping)?|look(?:ing)?|jump)\ back\b
    # a doubt
    |(?!is\ it\ true\ that\b)(?:is|was)\ (?:this|that|it)\ (?:really\ |actually\ |step\ |even\ )*(?:right|correct|valid|true)\b
    |(?:does|did)\ (?:this|that|it)\ (?:really\ |actually\ )?(?:follow|work|make\ sense)\b
    |(?:am|are)\ (?:i|we)\ (?:sure|certain|missing|overlooking|right|wrong)\b|did\ (?:i|we)\b
    |have\ (?:i|we)\ (?:missed|overlooked|forgotten|skipped)\b
    |(?:not|isn't|aren't|wasn't)\ (?:so\ |entirely\ |really\ |quite\ )?(?:sure|convinced)\b|not\ quite\b
    |something(?:'s|\ is|\ seems|\ looks|\ feels)\ (?:off|wrong|odd|strange|suspicious|weird)\b
    |contradict(?:s|ed)?\b[^.;:!?]{0,30}\b(?:i|we|my|our|earlier|before|previous)\b
    # a mistake
    |(?:an?|my|the|any)\ (?:\w+\ )?error\b|my\ bad\b|(?:went|gone|go)\ wrong\b|must\ (?:be|have\ been)\ wrong\b
    |(?:i|we)\ (?:was|were|am|are|got\ (?:that|it|this))\ wrong\b
    |(?:this|that|it|which)(?:'s|\ is|\ was|\ seems|\ looks)\ (?:not\ )?(?:quite\ )?(?:wrong|incorrect)\b
    |(?:this|that|it|which)(?:'s|\ is|\ was|\ seems|\ does|\ did|\ can|\ will)?
        \ (?:not|isn't|wasn't|doesn't|didn't|can't|cannot|won't)\ (?:be\ |seem\ |look\ |quite\ |really\ |going\ to\ )*
        (?:right|correct|valid|true|work(?:ing)?|help|helpful|make\ sense)\b
    |(?:this|that)\ (?:doesn't|does\ not)\ (?:really\ |actually\ )?follow\b(?!\ that)
    |(?:i|we)(?:'ve|\ have|\ may\ have|\ might\ have|\ must\ have|\ had|\ seem\ to\ have)?\ (?:completely\ |just\ |simply\ )?
        (?:overlooked|missed|forgot|forgotten|doubt|meant|confused|conflated|swapped|mixed\ up|skipped|jumped|rushed)\b
    |(?:i'm|i\ (?:am|was|got))\ (?:\w+\ )?(?:confused|stuck)\b
    |(?:i|we)\ (?:really\ )?should(?:n't|\ not)?\ have\ (?:been|done|gone|taken|seen|read|chosen|known|begun|written|\w+ed)\b
    |(?:too|overly|needlessly|unnecessarily)\ (?:complicated|complex)\b
    # what is taken back
    |take\ (?:that|it|this)\ back\b|correcting\b|never\ ?mind\b
    |(?:scratch|scrap|forget|ignore|disregard|discard)\ (?:that|this|it|my|what|the|about)\b
    |my\ (?:previous|earlier|prior|initial|original|last)\ \w
    |earlier\ (?:i|we)\b|(?:i|we)\ (?:previously\ )?(?:said|thought|assumed|claimed)\ (?:earlier|before)\b
    |(?:i|we)\ (?:previously|earlier)\ (?:said|thought|assumed|claimed|used|took)\b
    # another way
    |(?:let\ (?:me|us)|let's|i'll|try)\b[^.;:!?]{0,60}\binstead\b
    |instead,?\ (?:let|i'll|i|we\ (?:could|should|can)|try)\b
    |(?:another|different)\ (?:approach|angle|idea|strategy|direction)\b|something\ else\b|differently\b
    |(?:try|trying|take|is\ there)\ (?:a\ )?(?:another|different)\b
    |(?:find|go|use)\ (?:a\ )?(?:another|different)\ (?:way|route|path)\b
    |(?:there(?:'s|\ is|\ must\ be|\ may\ be|\ might\ be|\ should\ be|\ has\ to\ be)|(?:is|isn't)\ there)
        \ (?:an?|any|some)\ (?:\w+\ )?(?:shorter|simpler|quicker|easier)\b
    |wrong\ (?:turn|path|track|direction|way)\b
    |dead[\s-]end|(?:leads?|led|going|getting|got|gets)\ (?:me\ |us\ )?nowhere\b|in\ circles\b
    |(?:start|begin)(?:n?ing)?\ (?:over|afresh|anew)\b|from\ scratch\b
    )""",
    re.VERBOSE,
)


def looks_back(sentence: str) -> bool:
    """Whether a sentence that has a word of ``SIGNS`` is a reflection."""
    plain = sentence.lower().replace("’", "'")
    return _OPENING.match(plain) is not None or _PHRASE.search(plain) is not None
