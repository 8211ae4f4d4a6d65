"""A loopback Hub: dataset repositories in memory, behind the part of the Hub's HTTP API that the real clients ask for.

A repository is its revisions, name to files; the revision ``main`` is the branch, every other one a tag. Errors carry
the codes of the real Hub, without which its clients quietly fall back to what they have cached. The clients must run in
processes of their own, in ``environment``: they read where the Hub is once, when they are imported.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote

Files = Mapping[str, bytes]
BRANCH = "main"
NOWHERE = "http://127.0.0.1:9"  # the discard port: a Hub that is down


@dataclass(frozen=True)
class Reply:
    """An answer: its body, and the headers that are peculiar to it."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


class NotThere(Exception):
    """A 404 of the Hub. ``code``: RepoNotFound, RevisionNotFound or EntryNotFound, which the clients tell apart."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def blob_id(data: bytes) -> str:
    """The id that git gives a file's content; the Hub's ETag."""
    return hashlib.sha1(b"blob %d\x00" % len(data) + data).hexdigest()


def commit_id(files: Files) -> str:
    """An id that depends on all of a revision's files, as a commit's does."""
    return hashlib.sha1(json.dumps({path: blob_id(data) for path, data in sorted(files.items())}).encode()).hexdigest()


def environment(url: str, home: Path, **extra: str) -> dict[str, str]:
    """The environment of a client of the Hub at ``url``. ``home``: its cache, which no other test should share."""
    own = ("HF_", "RB_", "http", "HTTP", "all_proxy", "ALL_PROXY", "no_proxy")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    hub = {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home),
        "HF_TOKEN": "hf_x",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",  # else datasets calls home on every load
        "NO_PROXY": "127.0.0.1",
    }
    return kept | hub | extra


class Hub:
    """The state of the server.

    ``refs``: repository to branch or tag to commit id. ``commits``: repository to commit id to files. ``requests``: what
    was asked, in order. ``broken``: hang up instead of answering.
    """

    def __init__(self, repos: Mapping[str, Mapping[str, Files]]) -> None:
        self.url = ""
        self.broken = False
        self.requests: list[str] = []
        self.refs = {repo: {name: commit_id(files) for name, files in named.items()} for repo, named in repos.items()}
        self.commits = {repo: {commit_id(files): files for files in named.values()} for repo, named in repos.items()}

    def resolve(self, repo: str, revision: str) -> tuple[str, Files]:
        """The commit id and files of a branch, tag or commit id."""
        if repo not in self.refs:
            raise NotThere("RepoNotFound", "Repository not found")
        commit = self.refs[repo].get(revision, revision)
        if commit not in self.commits[repo]:
            raise NotThere("RevisionNotFound", f"Invalid rev id: {revision}")
        return commit, self.commits[repo][commit]

    def info(self, repo: str, revision: str = BRANCH) -> Reply:
        """What a revision is: the start of every download."""
        commit, files = self.resolve(repo, revision)
        return _json({"id": repo, "sha": commit, "siblings": [{"rfilename": path} for path in sorted(files)]})

    def list_refs(self, repo: str) -> Reply:
        """Branches and tags."""
        if repo not in self.refs:
            raise NotThere("RepoNotFound", "Repository not found")
        listed: dict[str, list[dict[str, str]]] = {"branches": [], "tags": [], "converts": []}
        for name, commit in self.refs[repo].items():
            kind, path = ("branches", "heads") if name == BRANCH else ("tags", "tags")
            listed[kind].append({"name": name, "ref": f"refs/{path}/{name}", "targetCommit": commit})
        return _json(listed)

    def tree(self, repo: str, revision: str, folder: str = "", query: str = "") -> Reply:
        """The files and folders below a folder if the query says ``recursive=true``, else those directly in it."""
        recursive = "recursive=true" in query.lower()
        _, files = self.resolve(repo, revision)
        start = f"{folder}/" if folder else ""
        inside = {path: data for path, data in sorted(files.items()) if path.startswith(start)}
        if not inside:
            raise NotThere("EntryNotFound", f"{folder} does not exist on {revision}")
        folders: dict[str, None] = {}
        for path in inside:
            parts = path.removeprefix(start).split("/")[:-1]
            for depth in range(1, (len(parts) if recursive else min(len(parts), 1)) + 1):
                folders[start + "/".join(parts[:depth])] = None
        entries = [{"type": "directory", "path": path, "oid": blob_id(path.encode()), "size": 0} for path in folders]
        for path, data in inside.items():
            if recursive or "/" not in path.removeprefix(start):
                entries.append({"type": "file", "path": path, "oid": blob_id(data), "size": len(data)})
        return _json(entries)

    def file(self, repo: str, revision: str, path: str) -> Reply:
        """The content of a file."""
        commit, files = self.resolve(repo, revision)
        if path not in files:
            raise NotThere("EntryNotFound", "Entry not found")
        headers = {"ETag": f'"{blob_id(files[path])}"', "X-Repo-Commit": commit, "Content-Type": "application/octet-stream"}
        return Reply(files[path], headers)


def _json(value: Any) -> Reply:
    return Reply(json.dumps(value).encode(), {"Content-Type": "application/json"})


_REPO = "(?P<repo>[^/?]+/[^/?]+)"
_REVISION = "(?P<revision>[^/?]+)"
_QUERY = r"(\?.*)?"
_ROUTES: list[tuple[str, str, Callable[..., Reply]]] = [
    ("GET", f"/api/datasets/{_REPO}{_QUERY}", Hub.info),
    ("GET", f"/api/datasets/{_REPO}/revision/{_REVISION}{_QUERY}", Hub.info),
    ("GET", f"/api/datasets/{_REPO}/refs{_QUERY}", Hub.list_refs),
    ("GET", rf"/api/datasets/{_REPO}/tree/{_REVISION}(/(?P<folder>[^?]+))?(?P<query>\?.*)?", Hub.tree),
    ("GET", f"/datasets/{_REPO}/resolve/{_REVISION}/(?P<path>[^?]+){_QUERY}", Hub.file),
]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: ClassVar[Hub]

    def do_GET(self) -> None:
        """Answer by the routes."""
        self.hub.requests.append(f"{self.command} {self.path}")
        if self.hub.broken:
            self.close_connection = True
        else:
            self._send(self._answer())

    def do_HEAD(self) -> None:
        """Answer as to GET, without the body."""
        self.do_GET()

    def _answer(self) -> Reply:
        method = "GET" if self.command == "HEAD" else self.command
        for known, pattern, endpoint in _ROUTES:
            if known == method and (match := re.fullmatch(pattern, self.path)):
                named = {key: unquote(value) for key, value in match.groupdict().items() if value is not None}
                try:
                    return endpoint(self.hub, **named)
                except NotThere as error:
                    said = {"X-Error-Code": error.code, "X-Error-Message": str(error), "Content-Type": "application/json"}
                    return Reply(json.dumps({"error": str(error)}).encode(), said, 404)
        return Reply(b"no such endpoint", status=501)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serve(repos: Mapping[str, Mapping[str, Files]]) -> Iterator[Hub]:
    """A running Hub of these repositories (``org/name`` to revision to files), at ``hub.url`` until the block ends."""
    hub = Hub(repos)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
