"""A loopback Hub: dataset repositories in memory, behind the part of the Hub's HTTP API that the real clients ask for.

A repository is its commits, each a mapping of paths to bytes, and its refs: the branch ``main``, pull requests
``refs/pr/N``, and tags. Errors carry the codes and words of the real Hub, without which its clients quietly fall back to
what they have cached. The clients must run in processes of their own, in ``environment``: they read where the Hub is once,
when they are imported. By hand: ``python tests/hub_server.py [PORT]`` runs an empty Hub until it is interrupted.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import parse_qs, unquote, urlsplit

Files = Mapping[str, bytes]
Json = dict[str, Any]
BRANCH = "main"
NOWHERE = "http://127.0.0.1:9"  # the discard port: a Hub that is down
USER = "tester"  # whom every token belongs to
BORN_WITH = {".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}  # the files of a new repository
DATED = "2026-01-01T00:00:00.000Z"  # every commit


@dataclass(frozen=True)
class Request:
    """What a client asks. ``path`` is still percent-encoded."""

    method: str
    path: str
    query: dict[str, list[str]]
    token: str | None
    body: bytes
    byte_range: str


@dataclass(frozen=True)
class Reply:
    """An answer: its body, and the headers that are peculiar to it."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


class Refusal(Exception):
    """An error of the Hub: its status and message, the code that the clients tell 404s apart by, and more for the body."""

    def __init__(self, status: int, message: str, code: str | None = None, **body: str) -> None:
        super().__init__(message)
        self.status, self.code, self.body = status, code, {"error": message, **body}


@dataclass(frozen=True)
class Fault:
    """What goes wrong at the first request whose "METHOD path?query" the regular expression ``match`` is found in.

    ``action``: a status to refuse it with; "hang_up" before it is acted on; "lose_reply", to act on it and hang up; or a
    function to call with the hub before it is answered as always.
    """

    match: str
    action: int | Literal["hang_up", "lose_reply"] | Callable[[Hub], Any]


@dataclass(frozen=True)
class Commit:
    """What is said of a commit. ``parent``: its id, or None for a repository's first."""

    parent: str | None
    title: str
    message: str = ""


class Hub:
    """The state of the server.

    ``refs``: repository to branch, tag or pull request to commit id. ``commits``: repository to commit id to files.
    ``log``: repository to commit id to what is said of it. ``private``: the repositories that need a token. ``tokens``:
    those that may write and see private repositories; None lets anyone. ``lfs_above``: the size in bytes above which a
    file is kept by LFS; to be set before there are files. ``store``: LFS uploads by SHA-256. ``faults``: what is to go
    wrong, in order: each waits for its request. ``broken``: hang up on every request. ``requests``: what was asked, in order.
    """

    def __init__(self, repos: Mapping[str, Mapping[str, Files]]) -> None:
        self.url = ""
        self.lock = threading.RLock()  # one request at a time, and what a test does between two
        self.broken = False
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        self.tokens: set[str] | None = None
        self.lfs_above = 10_000_000
        self.private: set[str] = set()
        self.store: dict[str, bytes] = {}
        self.refs: dict[str, dict[str, str]] = {}
        self.commits: dict[str, dict[str, Files]] = {}
        self.log: dict[str, dict[str, Commit]] = {}
        for repo, revisions in repos.items():
            for name, files in revisions.items():
                self.put(repo, files, name)

    def named(self, repo: str) -> dict[str, str]:
        """The refs of a repository that must be there."""
        if repo not in self.refs:
            raise Refusal(404, "Repository not found", "RepoNotFound")
        return self.refs[repo]

    def resolve(self, repo: str, revision: str) -> tuple[str, Files]:
        """The commit id and files of a ref or commit id."""
        sha = self.named(repo).get(revision, revision)
        if sha not in self.commits[repo]:
            raise Refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return sha, self.commits[repo][sha]

    def put(self, repo: str, files: Files, revision: str = BRANCH) -> str:
        """Commit behind the clients' back: ``files`` are all that the ref then holds. Repository and ref may be new."""
        with self.lock:
            parent = self.refs.get(repo, {}).get(revision)
            return self.keep(repo, revision, files, Commit(parent, "put"))

    def keep(self, repo: str, ref: str, files: Files, said: Commit) -> str:
        """Keep a commit and let a ref point at it."""
        sha = commit_id(said, files)
        self.commits.setdefault(repo, {})[sha] = dict(files)
        self.log.setdefault(repo, {})[sha] = said
        self.refs.setdefault(repo, {})[ref] = sha
        return sha

    def move(self, repo: str, tag: str, sha: str) -> None:
        """Let a tag point at another commit."""
        with self.lock:
            self.named(repo)[tag] = self.resolve(repo, sha)[0]


def blob_id(data: bytes) -> str:
    """The id that git gives a file's content."""
    return hashlib.sha1(b"blob %d\x00" % len(data) + data).hexdigest()


def commit_id(said: Commit, files: Files) -> str:
    """An id that depends on the parent, the title and all files, as a commit's does."""
    content = [said.parent, said.title, {path: blob_id(data) for path, data in sorted(files.items())}]
    return hashlib.sha1(json.dumps(content).encode()).hexdigest()


def describe(hub: Hub, path: str, data: bytes) -> Json:
    """A file as the Hub lists it. git holds no LFS file, only a pointer to it."""
    if len(data) <= hub.lfs_above:
        return {"type": "file", "path": path, "oid": blob_id(data), "size": len(data)}
    sha256 = hashlib.sha256(data).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(data)}\n".encode()
    lfs = {"oid": sha256, "size": len(data), "pointerSize": len(pointer)}
    return {"type": "file", "path": path, "oid": blob_id(pointer), "size": len(data), "lfs": lfs}


def describe_folder(path: str) -> Json:
    """A folder as the Hub lists it."""
    return {"type": "directory", "path": path, "oid": blob_id(path.encode()), "size": 0}


def info(hub: Hub, asked: Request, repo: str, revision: str = BRANCH) -> Reply:
    """What a revision is: the start of every download."""
    sha, files = hub.resolve(repo, revision)
    siblings = [{"rfilename": path} for path in sorted(files)]
    return _json({"id": repo, "sha": sha, "private": repo in hub.private, "siblings": siblings})


def list_refs(hub: Hub, asked: Request, repo: str) -> Reply:
    """Branches and tags, and the pull requests if the query says ``include_prs``."""
    listed: dict[str, list[Json]] = {"branches": [], "tags": [], "converts": [], "pullRequests": []}
    for name, sha in hub.named(repo).items():
        if name.startswith("refs/pr/"):
            kind, ref = "pullRequests", name
        else:
            kind, ref = ("branches", f"refs/heads/{name}") if name == BRANCH else ("tags", f"refs/tags/{name}")
        listed[kind].append({"name": name.removeprefix("refs/"), "ref": ref, "targetCommit": sha})
    if "include_prs" not in asked.query:
        del listed["pullRequests"]
    return _json(listed)


def list_commits(hub: Hub, asked: Request, repo: str, revision: str) -> Reply:
    """The commits of a revision, the last one first."""
    listed = []
    sha: str | None = hub.resolve(repo, revision)[0]
    while sha:
        said = hub.log[repo][sha]
        words = {"title": said.title, "message": said.message}
        listed.append({"id": sha, **words, "authors": [{"user": USER}], "date": DATED})
        sha = said.parent
    return _json(listed)


def tree(hub: Hub, asked: Request, repo: str, revision: str, folder: str = "") -> Reply:
    """The files and folders below a folder if the query says ``recursive=true``, else those directly in it."""
    recursive = asked.query.get("recursive", [""])[0].lower() == "true"
    _, files = hub.resolve(repo, revision)
    start = f"{folder}/" if folder else ""
    inside = {path: data for path, data in sorted(files.items()) if path.startswith(start)}
    if not inside and folder:
        raise Refusal(404, f"{folder} does not exist on {revision}", "EntryNotFound")
    folders: dict[str, None] = {}
    for path in inside:
        parts = path.removeprefix(start).split("/")[:-1]
        for depth in range(1, (len(parts) if recursive else min(len(parts), 1)) + 1):
            folders[start + "/".join(parts[:depth])] = None
    shown = [(path, data) for path, data in inside.items() if recursive or "/" not in path.removeprefix(start)]
    return _json([*map(describe_folder, folders), *(describe(hub, path, data) for path, data in shown)])


def paths_info(hub: Hub, asked: Request, repo: str, revision: str) -> Reply:
    """Those of the paths in the form that are there."""
    _, files = hub.resolve(repo, revision)
    listed = []
    for path in parse_qs(asked.body.decode()).get("paths", []):
        if path in files:
            listed.append(describe(hub, path, files[path]))
        elif any(name.startswith(f"{path}/") for name in files):
            listed.append(describe_folder(path))
    return _json(listed)


def download(hub: Hub, asked: Request, repo: str, revision: str, path: str) -> Reply:
    """The content of a file, or the range of bytes that is asked for."""
    sha, files = hub.resolve(repo, revision)
    if path not in files:
        raise Refusal(404, "Entry not found", "EntryNotFound")
    data, listed = files[path], describe(hub, path, files[path])
    headers = {"X-Repo-Commit": sha, "Content-Type": "application/octet-stream", "Accept-Ranges": "bytes"}
    if lfs := listed.get("lfs"):
        headers |= {"ETag": f'"{lfs["oid"]}"', "X-Linked-Etag": f'"{lfs["oid"]}"', "X-Linked-Size": str(len(data))}
    else:
        headers["ETag"] = f'"{listed["oid"]}"'
    wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", asked.byte_range)
    if not wanted or not any(wanted.groups()):
        return Reply(data, headers)
    first, last = wanted.groups()
    start = int(first) if first else max(0, len(data) - int(last))
    stop = min(int(last) + 1, len(data)) if first and last else len(data)
    if start >= stop:
        return Reply(b"", headers | {"Content-Range": f"bytes */{len(data)}"}, 416)
    return Reply(data[start:stop], headers | {"Content-Range": f"bytes {start}-{stop - 1}/{len(data)}"}, 206)


def create(hub: Hub, asked: Request) -> Reply:
    """A new repository, or 409 with its address."""
    repo, said = _named(asked)
    url = f"{hub.url}/datasets/{repo}"
    if repo in hub.refs:
        raise Refusal(409, "You already created this dataset repo", url=url)
    if said.get("visibility") == "private" or said.get("private"):
        hub.private.add(repo)
    hub.keep(repo, BRANCH, BORN_WITH, Commit(None, "initial commit"))
    return _json({"url": url, "name": repo, "id": repo})


def delete(hub: Hub, asked: Request) -> Reply:
    """A repository is gone."""
    repo, _ = _named(asked)
    hub.named(repo)
    for known in (hub.refs, hub.commits, hub.log):
        del known[repo]
    hub.private.discard(repo)
    return _json({})


def _named(asked: Request) -> tuple[str, Json]:
    """The repository that the body of a request names, and the body."""
    said = json.loads(asked.body)
    if said.get("type") != "dataset":
        raise Refusal(400, "this Hub has datasets only")
    return f"{said.get('organization') or USER}/{said['name']}", said


def preupload(hub: Hub, asked: Request, repo: str, revision: str) -> Reply:
    """How each file is to be sent, and the digest of the one that is there, so that it need not be sent unchanged."""
    _, files = hub.resolve(repo, revision)
    listed = []
    for file in json.loads(asked.body)["files"]:
        mode: Json = {"path": file["path"], "uploadMode": "lfs" if file["size"] > hub.lfs_above else "regular"}
        if file["path"] in files:
            there = describe(hub, file["path"], files[file["path"]])
            mode["oid"] = there.get("lfs", there)["oid"]
        listed.append({**mode, "shouldIgnore": False})
    return _json({"files": listed})


def lfs_batch(hub: Hub, asked: Request, repo: str) -> Reply:
    """Where to send each LFS file that is not here yet."""
    hub.named(repo)
    objects = [{"oid": each["oid"], "size": each["size"]} for each in json.loads(asked.body)["objects"]]
    for each in objects:
        if each["oid"] not in hub.store:
            each["actions"] = {"upload": {"href": f"{hub.url}/lfs/{each['oid']}", "header": {}}}
    return _json({"transfer": "basic", "objects": objects})


def lfs_upload(hub: Hub, asked: Request, oid: str) -> Reply:
    """An LFS file, if it is the one that was announced."""
    if hashlib.sha256(asked.body).hexdigest() != oid:
        raise Refusal(400, "The content does not have the SHA-256 of its address")
    hub.store[oid] = asked.body
    return Reply(b"")


def commit(hub: Hub, asked: Request, repo: str, revision: str) -> Reply:
    """All operations of a commit or none, on a branch, or with ``create_pr`` beside it as a new pull request."""
    head, _ = hub.resolve(repo, revision)
    lines = [json.loads(line) for line in asked.body.splitlines()]
    header = next(line["value"] for line in lines if line["key"] == "header")
    parent, opens = header.get("parentCommit", head), "create_pr" in asked.query
    if parent != head and not opens:
        raise Refusal(412, "A commit has happened since. Please refresh and try again.")
    if not opens and revision != BRANCH and not revision.startswith("refs/pr/"):
        raise Refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")
    _, before = hub.resolve(repo, parent)
    files = dict(before)
    for line in lines:
        _apply(hub, files, line["key"], line["value"])
    number = 1 + sum(name.startswith("refs/pr/") for name in hub.refs[repo])
    ref = f"refs/pr/{number}" if opens else revision
    sha = hub.keep(repo, ref, files, Commit(parent, header["summary"], header.get("description", "")))
    url = f"{hub.url}/datasets/{repo}"
    pull = {"pullRequestUrl": f"{url}/discussions/{number}"} if opens else {}
    return _json({"success": True, "commitOid": sha, "commitUrl": f"{url}/commit/{sha}", **pull})


def _apply(hub: Hub, files: dict[str, bytes], key: str, value: Json) -> None:
    """Do one operation of a commit to ``files``."""
    if key == "file":
        files[value["path"]] = base64.b64decode(value["content"])
    elif key == "lfsFile":
        if value["oid"] not in hub.store:
            raise Refusal(400, "Your push was rejected because an LFS pointer pointed to a file that does not exist.")
        files[value["path"]] = hub.store[value["oid"]]
    elif key in ("deletedFile", "deletedFolder"):
        gone = [path for path in files if path == value["path"] or path.startswith(value["path"].rstrip("/") + "/")]
        if not gone:
            raise Refusal(404, f"{value['path']} does not exist", "EntryNotFound")
        for path in gone:
            del files[path]


def create_tag(hub: Hub, asked: Request, repo: str, revision: str) -> Reply:
    """A tag on a revision; one that exists stays where it is."""
    sha, _ = hub.resolve(repo, revision)
    tag = json.loads(asked.body)["tag"]
    if tag in hub.refs[repo]:
        raise Refusal(409, "Tag reference exists already")
    hub.refs[repo][tag] = sha
    return _json({})


def delete_tag(hub: Hub, asked: Request, repo: str, tag: str) -> Reply:
    """A tag is gone; what it pointed at stays."""
    if tag == BRANCH or tag not in hub.named(repo):
        raise Refusal(404, f"Invalid rev id: {tag}", "RevisionNotFound")
    del hub.refs[repo][tag]
    return _json({})


def validate_yaml(hub: Hub, asked: Request) -> Reply:
    """No fault in a card's header."""
    return _json({"errors": [], "warnings": []})


def whoami(hub: Hub, asked: Request) -> Reply:
    """The one user there is."""
    return _json({"type": "user", "name": USER, "orgs": []})


def _json(value: Any) -> Reply:
    return Reply(json.dumps(value).encode(), {"Content-Type": "application/json"})


_DATASET = "/api/datasets/(?P<repo>[^/]+/[^/]+)"
_REVISION = "(?P<revision>[^/]+)"
_ROUTES: list[tuple[str, str, str, Callable[..., Reply]]] = [  # method, who may ask, path, answer
    ("GET", "reader", _DATASET, info),
    ("GET", "reader", f"{_DATASET}/revision/{_REVISION}", info),
    ("GET", "reader", f"{_DATASET}/refs", list_refs),
    ("GET", "reader", f"{_DATASET}/commits/{_REVISION}", list_commits),
    ("GET", "reader", f"{_DATASET}/tree/{_REVISION}(/(?P<folder>.+))?", tree),
    ("POST", "reader", f"{_DATASET}/paths-info/{_REVISION}", paths_info),
    ("GET", "reader", f"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/{_REVISION}/(?P<path>.+)", download),
    ("POST", "writer", "/api/repos/create", create),
    ("DELETE", "writer", "/api/repos/delete", delete),
    ("POST", "writer", f"{_DATASET}/preupload/{_REVISION}", preupload),
    ("POST", "writer", f"{_DATASET}/commit/{_REVISION}", commit),
    ("POST", "writer", f"{_DATASET}/tag/{_REVISION}", create_tag),
    ("DELETE", "writer", f"{_DATASET}/tag/(?P<tag>[^/]+)", delete_tag),
    ("POST", "writer", r"/datasets/(?P<repo>[^/]+/[^/]+)\.git/info/lfs/objects/batch", lfs_batch),
    ("PUT", "anyone", "/lfs/(?P<oid>[0-9a-f]{64})", lfs_upload),  # the Hub signs its address
    ("POST", "anyone", "/api/validate-yaml", validate_yaml),
    ("GET", "writer", "/api/whoami-v2", whoami),
]


def answer(hub: Hub, asked: Request) -> Reply:
    """The reply to a request, by the routes."""
    method = "GET" if asked.method == "HEAD" else asked.method
    for known, who, pattern, endpoint in _ROUTES:
        if known == method and (match := re.fullmatch(pattern, asked.path)):
            named = {key: unquote(value) for key, value in match.groupdict().items() if value is not None}
            try:
                _admit(hub, asked, who, named.get("repo"))
                return endpoint(hub, asked, **named)
            except Refusal as refusal:
                return _refuse(refusal)
    return Reply(b"no such endpoint", status=501)


def _refuse(refusal: Refusal) -> Reply:
    headers = {"X-Error-Message": str(refusal), "Content-Type": "application/json"}
    if refusal.code:
        headers["X-Error-Code"] = refusal.code
    if refusal.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="Authentication required", charset="UTF-8"'
    return Reply(json.dumps(refusal.body).encode(), headers, refusal.status)


def _admit(hub: Hub, asked: Request, who: str, repo: str | None) -> None:
    """Refuse who may not ask. Without a token, the Hub does not tell a private repository from one that is not there."""
    open_to_all = who == "anyone" or (who == "reader" and repo in hub.refs and repo not in hub.private)
    if hub.tokens is None or asked.token in hub.tokens or open_to_all:
        return
    if asked.token is not None:
        raise Refusal(401, "Invalid credentials in Authorization header")
    if who == "reader":
        raise Refusal(401, "Repository not found", "RepoNotFound")
    raise Refusal(401, "Invalid username or password.")


def react(hub: Hub, line: str, asked: Request) -> Reply | None:
    """The reply to a request, after or instead of what is to go wrong with it; None is to hang up."""
    with hub.lock:
        hub.requests.append(line)
        due = hub.faults and re.search(hub.faults[0].match, line)
        action = "hang_up" if hub.broken else hub.faults.pop(0).action if due else None
    if action == "hang_up":
        return None
    if isinstance(action, int):
        return _refuse(Refusal(action, HTTPStatus(action).phrase))
    if callable(action):
        action(hub)  # without the lock: it may ask this server itself
    with hub.lock:
        reply = answer(hub, asked)
    return None if action == "lose_reply" else reply


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are sent apart, and the second would wait for the first
    hub: ClassVar[Hub]

    def do_GET(self) -> None:
        """Answer, or hang up."""
        url, body = urlsplit(self.path), self.rfile.read(int(self.headers.get("Content-Length", 0)))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ") or None
        query = parse_qs(url.query, keep_blank_values=True)
        asked = Request(self.command, url.path, query, token, body, self.headers.get("Range", ""))
        reply = react(self.hub, f"{self.command} {self.path}", asked)
        if reply is None:
            self.close_connection = True
        else:
            self._send(reply)

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - http.server looks methods up by these names

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
        "HF_HUB_DISABLE_XET": "1",  # this Hub speaks LFS only
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",  # else datasets calls home on every load
        "NO_PROXY": "127.0.0.1",
    }
    return kept | hub | extra


@contextmanager
def serve(repos: Mapping[str, Mapping[str, Files]], port: int = 0) -> Iterator[Hub]:
    """A running Hub of these repositories (``org/name`` to revision to files), at ``hub.url`` until the block ends."""
    hub = Hub(repos)
    server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    with serve({}, int(sys.argv[1]) if len(sys.argv) > 1 else 0) as running:
        print(running.url, flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
