"""Write plain predictions as harnesses and batch APIs log them: their shapes, by hand, with all that readers must pass over.

Checked against files of inspect-ai 0.3.285 and lm-eval 0.4.13. A format holds what it can: lm-eval keeps text alone.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

import pytest

Record = dict[str, Any]

STOPS = {"length": "max_tokens", None: "unknown"}  # Inspect's words


def lines(values: Iterable[Any]) -> bytes:
    """JSON Lines."""
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def plain(records: list[Record]) -> bytes:
    """Plain predictions."""
    return lines(records)


def is_error(record: Record) -> bool:
    """Whether the API failed."""
    return record.get("error") is not None


def custom_id(record: Record, mark: bool) -> str:
    """Row and sample as a batch's custom_id."""
    return f"{record['id']}__s{record['sample']}" if mark else str(record["id"])


def openai_batch(records: list[Record], wrapped: bool = True) -> bytes:
    """A result file of OpenAI's batch API; without ``wrapped``, as some servers write it."""
    found = []
    for number, record in enumerate(records):
        line: Record = {"id": f"batch_req_{number}", "custom_id": custom_id(record, True), "response": None, "error": None}
        if is_error(record):
            failed = {"status_code": 429, "request_id": "r", "body": {"error": {"message": "slow down", "code": 429}}}
            line |= {"response": failed} if number % 2 else {"error": {"code": "batch_expired", "message": "late"}}
        else:
            message = {"role": "assistant", "content": record["response"], "refusal": None, "tool_calls": []}
            message |= {"reasoning_content": record["reasoning"]} if record.get("reasoning") is not None else {}
            choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": record.get("finish_reason")}
            body = {"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [choice]}
            body |= {"usage": record["usage"]} if record.get("usage") else {}
            line["response"] = {"status_code": 200, "request_id": "r", "body": body} if wrapped else body
        found.append(line)
    return lines(found)


def openai_responses(records: list[Record]) -> bytes:
    """A result file of OpenAI's batch API that asked its Responses API."""
    found = []
    for record in records:
        if is_error(record):
            body: Record = {"object": "response", "status": "failed", "error": {"code": "server_error"}, "output": []}
        else:
            reason, text, thought = record.get("finish_reason"), record["response"], record.get("reasoning")
            cut = {"length": "max_output_tokens"}.get(str(reason))
            body = {
                "object": "response",
                "status": "incomplete" if cut else reason and "completed",
                "error": None,
                "output": [],
            }
            body["incomplete_details"] = {"reason": cut} if cut else None
            body["usage"] = (
                {"input_tokens": 5, "output_tokens": record["usage"]["completion_tokens"]} if record.get("usage") else None
            )
            if thought is not None:
                body["output"].append({"type": "reasoning", "summary": [{"type": "summary_text", "text": thought}]})
            if text is not None:
                parts = [{"type": "output_text", "text": half, "annotations": []} for half in (text[:9], text[9:])]
                body["output"].append({"type": "message", "role": "assistant", "content": parts})
        response = {"status_code": 200, "request_id": "r", "body": body}
        found.append({"id": "b", "custom_id": custom_id(record, True), "response": response, "error": None})
    return lines(found)


def anthropic_batch(records: list[Record]) -> bytes:
    """A result file of Anthropic's batch API."""
    found = []
    for number, record in enumerate(records):
        result: Record = {"type": ("errored", "expired", "canceled")[number % 3]}
        if not is_error(record):
            thought, text = record.get("reasoning"), record["response"]
            blocks: list[Record] = [] if thought is None else [{"type": "thinking", "thinking": thought, "signature": "s"}]
            blocks += [{"type": "redacted_thinking", "data": "AAAA"}] if number % 2 else []
            blocks += [] if text is None else [{"type": "text", "text": text[:7]}, {"type": "text", "text": text[7:]}]
            reason = {"stop": "end_turn", "length": "max_tokens"}.get(record.get("finish_reason") or "")
            message = {"type": "message", "role": "assistant", "content": blocks, "stop_reason": reason, "stop_sequence": None}
            if record.get("usage"):
                message["usage"] = {"input_tokens": 5, "output_tokens": record["usage"]["completion_tokens"]}
            result = {"type": "succeeded", "message": message}
        found.append({"custom_id": custom_id(record, number % 2 == 0 or record["sample"] > 0), "result": result})
    return lines(found)


def lm_eval(records: list[Record], filters: tuple[str, ...] = ("none",), old: bool = False) -> bytes:
    """A log of samples of lm-eval: a row has one line a filter, its samples as repeats. ``old``: arguments as a list."""
    found = []
    rows = groupby(sorted(records, key=lambda record: record["id"]), key=lambda record: record["id"])
    texts = {row: [record["response"] or "" for record in some] for row, some in rows}
    for name in filters:
        for number, (row, said) in enumerate(texts.items()):
            arguments: Any = [["the prompt", {"until": []}]]
            if not old:
                arguments = {"gen_args_0": {"arg_0": ['[{"role": "user", "content": "the prompt"}]'], "arg_1": {"until": []}}}
            line = {"doc_id": number, "doc": {"id": row, "prompt": "the prompt", "answer": "YES"}, "target": "YES"}
            line |= {"arguments": arguments, "resps": [said], "filtered_resps": [said[0].strip()[:3]], "filter": name}
            line |= {"metrics": ["score"], "doc_hash": "a", "prompt_hash": "b", "target_hash": "c", "score": float("nan")}
            found.append(line)
    return lines(found)


def inspect_samples(records: list[Record]) -> dict[str, Record]:
    """Samples of an Inspect log by the names of their members."""
    found = {}
    for number, record in enumerate(records):
        output: Record = {"model": "m", "choices": [], "completion": ""}
        attachments = {}
        sample: Record = {
            "id": number + 1 if number % 3 == 0 else record["id"],
            "epoch": record["sample"] + 1,
            "input": "the prompt",
            "target": "YES",
            "messages": [{"role": "user", "content": "the prompt"}],
            "output": output,
            "metadata": {"id": record["id"]},
            "scores": {"verdict": {"value": float("nan"), "history": []}},
            "store": {},
        }
        if is_error(record):
            sample["error"] = {"message": "rate limit", "traceback": "...", "traceback_ansi": "..."}
        else:
            text, thought = record["response"], record.get("reasoning")
            content: Any = text or ""
            if number % 2 and content:
                attachments = {f"{number:032x}": content}
                content = f"attachment://{number:032x}"
            if thought is not None:
                kept = {"redacted": False, "reasoning": thought} if number % 4 else {"redacted": True, "summary": thought}
                content = [{"type": "reasoning", "reasoning": "CjQ0", **kept}, {"type": "text", "text": content}]
            stop = STOPS.get(record.get("finish_reason"), record.get("finish_reason"))
            message = {"id": "a", "content": content, "source": "generate", "role": "assistant"}
            output |= {"choices": [{"message": message, "stop_reason": stop}], "completion": text}
            if record.get("usage"):
                output["usage"] = {"input_tokens": 5, "output_tokens": record["usage"]["completion_tokens"], "total_tokens": 0}
        found[f"samples/{record['id']}_epoch_{record['sample'] + 1}.json"] = sample | {"attachments": attachments, "events": []}
    return found


def inspect_json(records: list[Record], indent: int | None = 2) -> bytes:
    """An Inspect log as one JSON document."""
    head = {"version": 2, "status": "success", "eval": {"task": "t", "dataset": {"sample_ids": ["a"] * 9}}, "plan": {}}
    samples = list(inspect_samples(records).values())
    log = {**head, "results": {"value": float("nan"), "samples": []}, "stats": {}, "samples": samples, "reductions": []}
    return json.dumps(log, indent=indent, ensure_ascii=False).encode()


def inspect_eval(records: list[Record], compression: int | None = None) -> bytes:
    """An Inspect log as an archive; zstd, as Inspect writes it, or another ``compression``."""
    zipfile = zstd_zipfile()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_ZSTANDARD if compression is None else compression) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {}, "plan": {}}))
        for name, sample in inspect_samples(records).items():
            archive.writestr(name, json.dumps(sample, ensure_ascii=False))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
    return file.getvalue()


def zstd_zipfile() -> Any:
    """The module zipfile, with zstd."""
    return pytest.importorskip("zipfile" if sys.version_info >= (3, 14) else "backports.zstd.zipfile")


def zstd(data: bytes) -> bytes:
    """Data as two zstd frames."""
    compress = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd").compress
    return bytes(compress(data[: len(data) // 2]) + compress(data[len(data) // 2 :]))


# Formats that hold thinking, reasons to stop and errors apart from the text.
FULL: dict[str, Callable[[list[Record]], bytes]] = {
    "plain": plain,
    "openai": openai_batch,
    "openai-bare": lambda records: openai_batch(records, wrapped=False),
    "responses": openai_responses,
    "anthropic": anthropic_batch,
    "inspect.json": inspect_json,
    "inspect-line.json": lambda records: inspect_json(records, indent=None),
    "inspect.eval": inspect_eval,
    "inspect-deflate.eval": lambda records: inspect_eval(records, 8),
}
WRAPPED: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstd}
