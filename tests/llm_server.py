"""A model behind an OpenAI-compatible API on loopback: it says what a test has it say, and fails when a test has it fail.

A fault is a name below, or a status with the headers of its own, such as ("429", {"retry-after": "1"}). Faults are used up one
a request, in the order in which requests arrive; None is none:

- "429", "500" or another status: that, with an error body as OpenAI words it, which quotes the key, as OpenAI does with 401.
  408, 409, 429 and what is above 499 have the header ``retry-after-ms: 5``, so that tests need not wait
- "slow": the reply comes when the client has gone, the server is told to go on, or ``slow`` seconds have passed
- "cut": the connection is closed in the middle of the body; "close": before any byte
- "broken": 200, and a body that is no JSON; "page": 200, and a page of HTML; "empty": 200, and no choices
- "length": half of the text, with the finish reason ``length``
"""

from __future__ import annotations

import json
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Said(NamedTuple):
    """What a model says: its text, its thinking apart, and why it stopped."""

    text: str
    thinking: str | None = None
    stop: str = "stop"


Request = dict[str, Any]
Answer = Callable[[Request], "Said | str | dict[str, Any]"]
Fault = str | tuple[str, dict[str, str]] | None


class Server:
    """What the server has seen.

    ``requests``: the bodies asked, in order of arrival; ``headers``: theirs, names in lower case; ``arrived``: when, in
    seconds of the monotonic clock; ``answered``: the bodies whose whole reply was sent; ``most``: the most requests that
    were under way at once.
    """

    def __init__(self, answer: Answer, faults: Iterable[Fault], slow: float) -> None:
        self.base_url = ""
        self.answer, self.faults, self.slow = answer, iter(faults), slow
        self.requests: list[Request] = []
        self.headers: list[dict[str, str]] = []
        self.arrived: list[float] = []
        self.answered: list[Request] = []
        self.most = 0
        self._under_way = 0
        self._lock = threading.Lock()
        self._told = threading.Event()
        self._held: tuple[int, threading.Event] | None = None

    def reached(self, number: int) -> threading.Event:
        """Hold every reply from the request ``number`` on, counted from 1, until told to go on; set when it arrives."""
        event = threading.Event()
        with self._lock:
            self._held = number, event
        return event

    def go_on(self) -> None:
        """Hold no reply any more."""
        self._told.set()

    def arrive(self, request: Request, headers: dict[str, str]) -> tuple[Fault, bool]:
        """Note a request: its fault, and whether its reply is held."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            self.arrived.append(time.monotonic())
            self._under_way += 1
            self.most = max(self.most, self._under_way)
            held = self._held is not None and len(self.requests) >= self._held[0]
            if held and self._held is not None:
                self._held[1].set()
            return next(self.faults, None), held

    def leave(self) -> None:
        """Note that a request is no longer under way."""
        with self._lock:
            self._under_way -= 1

    def wait(self, connection: socket.socket, seconds: float | None) -> None:
        """Wait until told to go on, the client has gone, or the seconds have passed."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self._told.wait(0.01) and not _gone(connection) and (end is None or time.monotonic() < end):
            pass


@contextmanager
def llm_server(answer: Answer, faults: Iterable[Fault] = (), slow: float = 0.2) -> Iterator[Server]:
    """A running server. ``answer``: what the model says to the body of a request; an object is said as JSON."""
    state = Server(answer, faults, slow)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one piece
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            try:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            except ValueError:  # the client was killed in the middle of its request
                self.close_connection = True
                return
            fault, held = state.arrive(request, {name.lower(): value for name, value in self.headers.items()})
            try:
                if held or fault == "slow":
                    state.wait(self.connection, None if held else state.slow)
                self._reply(request, fault)
                self.wfile.flush()
                if fault in (None, "slow", "length"):
                    state.answered.append(request)
            finally:
                state.leave()

        def _reply(self, request: Request, fault: Fault) -> None:
            name, own = fault if isinstance(fault, tuple) else (fault or "", None)
            if not self.path.startswith("/v1/chat/completions"):
                self._send(404, _refusal(404, f"Invalid URL (POST {self.path})"))
            elif name.isdecimal():
                status = int(name)
                again = {"retry-after-ms": "5"} if status in (408, 409, 429) or status >= 500 else {}
                self._send(status, _refusal(status, self._complaint(status)), again if own is None else own)
            elif name == "close":
                self.close_connection = True
            elif name == "broken":
                self._send(200, b'{"object": "chat.completion", "choices": [{"ind')
            elif name == "page":
                self._send(200, b"<!DOCTYPE html><title>Log in</title>", {"Content-Type": "text/html"})
            elif name == "empty":
                self._send(200, json.dumps(completion(request, Said("")) | {"choices": []}).encode())
            else:
                said = _said(state.answer(request))
                said = Said(said.text[: len(said.text) // 2], said.thinking, "length") if name == "length" else said
                self._send(200, json.dumps(completion(request, said)).encode(), cut=name == "cut")

        def _complaint(self, status: int) -> str:
            key = self.headers["Authorization"].removeprefix("Bearer ")
            return f"Incorrect API key provided: {key}." if status == 401 else f"{HTTPStatus(status).phrase} to {key}."

        def _send(self, status: int, body: bytes, more: dict[str, str] | None = None, cut: bool = False) -> None:
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(body))} | (more or {})).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if cut else body)
            self.close_connection = self.close_connection or cut

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    server = _Listening(("127.0.0.1", 0), Handler)
    state.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield state
    finally:
        state.go_on()
        server.shutdown()
        server.server_close()


class _Listening(ThreadingHTTPServer):
    request_queue_size = 128  # connections that wait to be accepted

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that has gone."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def completion(request: Request, said: Said) -> dict[str, Any]:
    """The body of a reply. Its usage counts words."""
    asked = sum(len(str(message["content"]).split()) for message in request["messages"])
    told = len(f"{said.thinking or ''} {said.text}".split())
    message = {"role": "assistant", "content": said.text or None, "reasoning_content": said.thinking}
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": {"max_tokens": "length"}.get(said.stop, said.stop)}],
        "usage": {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told},
    }


def _said(answer: Said | str | dict[str, Any]) -> Said:
    if isinstance(answer, Said):
        return answer
    return Said(answer if isinstance(answer, str) else json.dumps(answer))


def _refusal(status: int, message: str) -> bytes:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": None}}).encode()


def _gone(connection: socket.socket) -> bool:
    """Whether the client has closed the connection."""
    readable, _, _ = select.select([connection], [], [], 0)
    try:
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True
