"""Read a unit of a submission, a line or a sample, in any format in which responses are logged.

Each unit tells by its keys what it is: a plain prediction; a line of an lm-eval ``samples_*.jsonl``; a line of a result
file of OpenAI's batch API and its likes (chat completions, completions, responses), or of Anthropic's; a sample of an
Inspect log. Each format is one function from a unit to plain predictions, which then pass the same checks
(``predictions.prediction``). Text is kept raw: as the model gave it, before any filter of a harness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from rb_verify.predictions import Problem, Unreadable, decode, prediction
from rb_verify.verdict import Prediction

_Record = dict[str, Any]

SAMPLE_MARK = "__s"  # row id, mark, sample: a custom_id; batch APIs take letters, digits, - and _ alone
_CUSTOM_ID = re.compile(rf"(.+){SAMPLE_MARK}([0-9]{{1,4}})", re.DOTALL)
_ATTACHED = "attachment://"


class Response(NamedTuple):
    """A response of a unit. ``number``: the unit's; ``record``: a plain prediction, with all that it says."""

    number: int
    record: _Record
    prediction: Prediction


def parse_unit(number: int, unit: bytes) -> list[Prediction | Problem]:
    """What a unit holds: a prediction for each response in it, or a Problem with it, at the place ``number``."""
    return [each if isinstance(each, Problem) else each.prediction for each in read_unit(number, unit)]


def read_unit(number: int, unit: bytes) -> list[Response | Problem]:
    """What a unit holds, as ``parse_unit`` has it, each response with its record."""
    try:
        records = _records(decode(unit))
    except Unreadable as error:
        return [_problem(number, error)]
    return [_checked(number, record) for record in records]


def _checked(number: int, record: _Record) -> Response | Problem:
    try:
        return Response(number, record, prediction(record))
    except Unreadable as error:
        return _problem(number, error)


def _problem(number: int, error: Unreadable) -> Problem:
    return Problem("bad_line", str(error), number, error.id)


def _records(value: _Record) -> list[_Record]:
    """Plain predictions, at least one, of whatever the unit is. Raises Unreadable."""
    if isinstance(value.get("response"), str):
        return [value]
    if "custom_id" in value:
        return _anthropic(value) if "result" in value else _openai(value)
    if "doc" in value and ("resps" in value or "filtered_resps" in value):
        return _lm_eval(value)
    if "epoch" in value and "output" in value:
        return _inspect(value)
    return [value]


def _openai(value: _Record) -> list[_Record]:
    """OpenAI's batch API, and what repeats it; some leave out the wrapper around ``body``."""
    id_, sample = _row(value)
    failure, response = value.get("error"), _object(value.get("response"))
    if failure is None and not response:
        raise Unreadable("has neither a 'response' with content nor an 'error'; give the lines of the batch's output file", id_)
    body = _object(response.get("body")) or response
    status = response.get("status_code")
    failed = bool(failure or not response or body.get("error")) or (isinstance(status, int) and status >= 400)
    if failed or body.get("choices") == [] or body.get("status") in ("failed", "cancelled", "in_progress", "queued"):
        return [_error(id_, sample)]
    if isinstance(body.get("output"), list):
        return [_responses(id_, sample, body)]
    if isinstance(body.get("choices"), list):
        return _choices(id_, sample, body["choices"], body.get("usage"))
    raise Unreadable("has a response without 'choices' and 'output'; give the lines of the batch's output file", id_)


def completion(body: Any) -> _Record:
    """What the one reply of a chat completions API says: response, reasoning, finish_reason, usage. Raises Unreadable."""
    choices = _object(body).get("choices")
    if not isinstance(choices, list) or not choices:
        raise Unreadable("has no choices")
    return _choices("", 0, choices[:1], body.get("usage"))[0]


def _responses(id_: str, sample: int, body: _Record) -> _Record:
    """The body of OpenAI's Responses API: reasoning and messages are entries of ``output``."""
    entries = [_object(entry) for entry in body["output"]]
    texts = [_content(entry.get("content"), id_)[0] for entry in entries if entry.get("type") == "message"]
    thoughts = [
        _content(entry.get("content") or entry.get("summary"), id_, "\n")[0]
        for entry in entries
        if entry.get("type") == "reasoning"
    ]
    reason = _object(body.get("incomplete_details")).get("reason") or body.get("status")
    return _record(id_, sample, _join(texts), _join(thoughts, "\n"), reason, body.get("usage"))


def _anthropic(value: _Record) -> list[_Record]:
    """Anthropic's batch API."""
    id_, sample = _row(value)
    result = _object(value["result"])
    kind, message = result.get("type"), _object(result.get("message"))
    if kind in ("errored", "canceled", "expired"):
        return [_error(id_, sample)]
    if kind != "succeeded" or not message:
        raise Unreadable("has a 'result' that neither succeeded with a message nor failed; give the batch's own lines", id_)
    text, thought = _content(message.get("content"), id_)
    return [_record(id_, sample, text, thought, message.get("stop_reason"), message.get("usage"))]


def _inspect(value: _Record) -> list[_Record]:
    """A sample of an Inspect log; epochs are samples. A message that stands apart as an attachment is put back."""
    id_, metadata = value.get("id"), _object(value.get("metadata"))
    if isinstance(id_, int):  # Inspect numbers samples that have no id
        id_ = metadata.get("id")
    if not isinstance(id_, str) or not id_:
        said = str(value.get("id"))[:60]
        raise Unreadable(f"is sample {said!r} of an Inspect log, without a row's id; give the sample or its metadata that 'id'")
    epoch = value["epoch"]
    if not isinstance(epoch, int) or isinstance(epoch, bool) or epoch < 1:
        raise Unreadable("has an 'epoch' that is not a whole number from 1; give the log as Inspect wrote it", id_)
    output, limit = _object(value["output"]), _object(value.get("limit")).get("type")
    reason = f"{limit}_limit" if isinstance(limit, str) else None  # told where the model's own reason is not
    choices = output.get("choices")
    if isinstance(choices, list) and choices:
        records = _choices(id_, epoch - 1, choices, output.get("usage"), "\n", _object(value.get("attachments")), reason)
        if value.get("error") is None or any(record["response"] for record in records):
            return records
    if value.get("error") is None and reason is not None:
        return [_record(id_, epoch - 1, None, None, reason, None)]
    return [_error(id_, epoch - 1)]


def _lm_eval(value: _Record) -> list[_Record]:
    """A line of lm-eval's log of samples. ``resps`` has a list for each request; repeats of one are samples of the row.

    A row has a line for each filter, with the same ``resps``: they are what the model said.
    """
    id_ = _object(value["doc"]).get("id")
    if not isinstance(id_, str) or not id_:
        raise Unreadable("has a 'doc' without a string 'id'; run the task on the rows of the release, all their fields kept")
    texts = _flat(value.get("resps")) or _flat(value.get("filtered_resps"))
    if not texts:
        raise Unreadable("holds no responses in 'resps'; run lm-eval with --log_samples", id_)
    if _is_likelihood(value.get("resps")) or not all(isinstance(text, str | None) for text in texts):
        raise Unreadable("holds log-likelihoods, no text; run a task of output_type generate_until", id_)
    return [_record(id_, sample, text, None, None, None) for sample, text in enumerate(texts)]


def _is_likelihood(resps: Any) -> bool:
    """Whether ``resps`` hold pairs of a log-likelihood and whether it is the greedy choice, all made strings by lm-eval."""
    match resps:
        case [[[str(number), "True" | "False"], *_], *_]:
            return re.fullmatch(r"-?([0-9.]+(e-?[0-9]+)?|inf)|nan", number) is not None
    return False


def _choices(
    id_: str,
    sample: int,
    choices: list[Any],
    usage: Any,
    glue: str = "",
    attached: _Record | None = None,
    reason: str | None = None,
) -> list[_Record]:
    """Completions of one request. Of n, those of sample s are samples sn, sn + 1, ...; their usage is of all, so of none.

    ``glue``: what joins parts of a text; ``attached``: texts that stand apart, by name; ``reason``: why they ended, where
    they do not say.
    """
    found = [_object(choice) for choice in choices]
    if all(isinstance(choice.get("index"), int) for choice in found):
        found.sort(key=lambda choice: choice["index"])
    records = []
    for place, choice in enumerate(found, sample * len(found)):
        message = choice.get("message", choice | {"content": choice.get("text")})
        if not isinstance(message, dict) or not choice.keys() & {"message", "text"}:
            raise Unreadable("has a choice without 'message' and 'text'; give the log as it was written", id_)
        text, thought = _content(message.get("content"), id_, glue, attached)
        apart = (message.get("reasoning_content"), message.get("reasoning"), thought)
        thought = next((said for said in apart if isinstance(said, str) and said), None)
        refusal = message.get("refusal")
        ended = choice.get("finish_reason", choice.get("stop_reason"))
        ended = reason if ended in (None, "unknown") else ended  # unknown: Inspect's word for what it was not told
        text = refusal if isinstance(refusal, str) and not text else text
        records.append(_record(id_, place, text, thought, ended, usage if len(found) == 1 else None))
    return records


def _content(content: Any, id_: str, glue: str = "", attached: _Record | None = None) -> tuple[str | None, str | None]:
    """The text of a message and the thinking beside it, None where there is none. ``content``: text, or typed parts.

    Parts of other kinds (images, calls of tools, thinking that is encrypted) hold nothing to judge.
    """

    def whole(text: Any) -> Any:
        if attached and isinstance(text, str) and text.startswith(_ATTACHED):
            return attached.get(text.removeprefix(_ATTACHED), text)
        return text

    if not isinstance(content, list):
        if not isinstance(content, str | None):
            raise Unreadable("has a content that is neither text nor a list of parts; give the log as it was written", id_)
        return whole(content), None
    texts: list[Any] = []
    thoughts: list[Any] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(part, str):
            texts.append(whole(part))
        elif kind == "thinking":
            thoughts += map(whole, _said(part.get("thinking")))
        elif kind == "reasoning":
            thoughts.append(whole(part.get("summary" if part.get("redacted") else "reasoning", part.get("text"))))
        elif kind == "refusal":
            texts.append(part.get("refusal"))
        elif kind in ("text", "output_text", "reasoning_text", "summary_text"):
            texts.append(whole(part.get("text")))
    return _join(texts, glue) or "", _join(thoughts, "\n")


def _said(thinking: Any) -> Iterator[Any]:
    """Thinking as text, or as a list of parts with text."""
    yield from (_object(part).get("text") for part in thinking) if isinstance(thinking, list) else (thinking,)


def _join(texts: list[Any], glue: str = "") -> str | None:
    said = [text for text in texts if isinstance(text, str)]
    return glue.join(said) if said else None


def _row(value: _Record) -> tuple[str, int]:
    """The row and the sample that a ``custom_id`` names: ``ROW``, or ``ROW__s3`` for sample 3."""
    id_ = value["custom_id"]
    if not isinstance(id_, str) or not id_:
        raise Unreadable("has a 'custom_id' that is no string; ask with each row's id as its custom_id")
    marked = _CUSTOM_ID.fullmatch(id_)
    return (marked[1], int(marked[2])) if marked else (id_, 0)


def _record(id_: str, sample: int, text: Any, reasoning: Any, reason: Any, usage: Any) -> _Record:
    keys = ("id", "sample", "response", "reasoning", "finish_reason", "usage")
    return dict(zip(keys, (id_, sample, text, reasoning, reason, usage), strict=True))


def _error(id_: str, sample: int) -> _Record:
    return {"id": id_, "sample": sample, "response": None, "error": True}


def _object(value: Any) -> _Record:
    return value if isinstance(value, dict) else {}


def _flat(nested: Any) -> list[Any]:
    """The leaves of nested lists, in order, however deep."""
    leaves: list[Any] = []
    waiting = [] if nested is None else [nested]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += reversed(each)
        else:
            leaves.append(each)
    return leaves
