"""The loopback Hub: the real client reads back from it what it wrote, and meets on it the refusals of the real Hub."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import hub_server
from hub_server import BORN_WITH, BRANCH, Fault, Files, Hub, environment, serve

REPO = "org/x"
AT = {"x.txt": b"one\n", "data/y.txt": b"two\n"}
BIG = b"0123456789" * 200  # above the limit of every Hub here
CLIENT = """
import json, sys
from huggingface_hub import CommitOperationAdd as Add, CommitOperationDelete as Delete, HfApi
api, repo, said = HfApi(), dict(repo_id="org/x", repo_type="dataset"), {}
def refusal(call, *given, **named):
    try:
        call(*given, **named)
    except Exception as error:
        status = getattr(getattr(error, "response", None), "status_code", None)
        return [type(error).__name__, status, str(error)]
def commit(*operations, **named):
    return api.create_commit(operations=operations, commit_message="said", **repo, **named).oid
"""


def client(hub: Hub, home: Path, program: str, **extra: str) -> dict[str, Any]:
    """What a program after CLIENT leaves in its dict ``said``, run as a client of the hub. ``home``: its cache."""
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-c", f"{CLIENT}{program}\nprint(json.dumps(said))"]
    done = subprocess.run(command, env=environment(hub.url, home, **extra), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def asked(hub: Hub, line: str) -> int:
    """How many requests began so."""
    return sum(request.startswith(line) for request in hub.requests)


def raw(url: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, bytes, Any]:
    """Status, body and headers of the reply to a request that no client would make."""
    try:
        with urlopen(Request(url, body, headers, method=method)) as reply:
            return reply.status, reply.read(), reply.headers
    except HTTPError as error:
        return error.code, error.read(), error.headers


def test_what_is_pushed_is_read_back(tmp_path: Path) -> None:
    """A new repository, two commits of regular and LFS files and a deletion, a tag: every way to read gives these files."""
    (tmp_path / "big").write_bytes(BIG)
    program = f"""
from pathlib import Path
def entry(e):
    return [getattr(e, "blob_id", "folder"), e.lfs and [e.lfs.sha256, e.lfs.size]] if hasattr(e, "size") else "folder"
said["url"] = api.create_repo(**repo)
said["private"] = api.dataset_info("org/x").private
said["born"] = api.list_repo_files(**repo)
big = {str(tmp_path / "big")!r}
card = b"---\\nlicense: mit\\n---\\n"
first = commit(Add("README.md", card), Add("data/small", b"a"), Add("data/big", big), Add("old/a", b"b"), Add("old/b/c", b"d"))
second = commit(
    Add("README.md", card), Add("data/small", b"changed"), Add("data/big", big), Delete("old/", is_folder=True),
    parent_commit=first,
)
api.create_tag(tag="v1", revision=second, **repo)
api.create_tag(tag="v0", revision=first, **repo)
refs = api.list_repo_refs(**repo)
said["branches"], said["tags"] = ({{r.name: r.target_commit for r in some}} for some in (refs.branches, refs.tags))
said["commits"] = [c.commit_id for c in api.list_repo_commits(**repo)]
said["tree"] = {{e.path: entry(e) for e in api.list_repo_tree(recursive=True, revision="v1", **repo)}}
said["paths"] = {{e.path: entry(e) for e in api.get_paths_info(paths=["data", "data/big", "nowhere"], **repo)}}
folder = Path(api.snapshot_download(revision="v1", **repo))
said["snapshot"] = {{p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}}
said["old"] = Path(api.hf_hub_download(filename="old/b/c", revision="v0", **repo)).read_text()
said["gone"] = refusal(api.hf_hub_download, filename="old/b/c", revision="v1", **repo)
"""
    with serve({}) as hub:
        hub.lfs_above = 1000
        said = client(hub, tmp_path / "home", program)
    files: Files = BORN_WITH | {"README.md": b"---\nlicense: mit\n---\n", "data/small": b"changed", "data/big": BIG}
    assert (said["url"], said["private"], said["born"]) == (f"{hub.url}/datasets/{REPO}", False, [".gitattributes"])
    second, first, born = said["commits"]
    assert hub.commits[REPO][born] == BORN_WITH
    assert hub.commits[REPO][first] == files | {"data/small": b"a", "old/a": b"b", "old/b/c": b"d"}
    assert hub.commits[REPO][second] == files
    assert (said["branches"], said["tags"]) == ({BRANCH: second}, {"v1": second, "v0": first})
    assert {path: data.encode() for path, data in said["snapshot"].items()} == files
    digest = hashlib.sha256(BIG).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 2000\n".encode()
    listed = {path: [hub_server.blob_id(data), None] for path, data in files.items()}
    listed["data/big"] = [hub_server.blob_id(pointer), [digest, 2000]]
    assert said["tree"] == listed | {"data": "folder"}
    assert said["paths"] == {"data": "folder", "data/big": listed["data/big"]}
    assert said["old"] == "d"
    assert said["gone"][:2] == ["RemoteEntryNotFoundError", 404]
    assert asked(hub, "PUT /lfs/") == 1


def test_blob_id_is_gits() -> None:
    """The id of the empty file is the one that every git repository has."""
    assert hub_server.blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_lost_race_is_refused(tmp_path: Path) -> None:
    """A commit whose parent is no longer the head is refused by the Hub's words, and nothing of it is kept."""
    with serve({REPO: {BRANCH: AT}}) as hub:
        head = hub.refs[REPO][BRANCH]
        hub.faults = [Fault("POST /api/datasets/org/x/commit/", lambda hub: hub.put(REPO, {"theirs": b""}))]
        said = client(
            hub,
            tmp_path,
            """
head = api.dataset_info("org/x").sha
said["lost"] = refusal(commit, Add("mine", b""), parent_commit=head)
said["head"] = [head, api.dataset_info("org/x").sha]
commit(Add("mine", b""), parent_commit=said["head"][1])
""",
        )
        assert said["head"][0] == head != said["head"][1]
        assert said["lost"][:2] == ["HfHubHTTPError", 412]
        assert "A commit has happened since. Please refresh and try again." in said["lost"][2]
        assert hub.resolve(REPO, BRANCH)[1] == {"theirs": b"", "mine": b""}
        assert len(hub.commits[REPO]) == 3


def test_commit_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """An operation that cannot be done undoes the others; a file that is there unchanged makes no commit."""
    files = {**AT, "big": BIG}
    with serve({}) as hub:
        hub.lfs_above = 1000
        head = hub.put(REPO, files)
        hub.move(REPO, "v1", head)
        said = client(
            hub,
            tmp_path,
            f"""
said["absent"] = refusal(commit, Add("new", b""), Delete("absent"))
said["head"] = commit(Add("x.txt", b"one\\n"), Add("big", {BIG!r}))
said["tag"] = refusal(commit, Add("new", b""), revision="v1")
""",
        )
        assert said["absent"][:2] == ["RemoteEntryNotFoundError", 404]
        assert said["tag"][:2] == ["RevisionNotFoundError", 404]
        assert said["head"] == head
        assert hub.refs[REPO] == {BRANCH: head, "v1": head}
        assert hub.commits[REPO] == {head: files}


def test_names_are_not_taken_twice(tmp_path: Path) -> None:
    """A repository or tag that exists is not made again; one that was deleted can be."""
    with serve({REPO: {BRANCH: AT, "v1": AT}}) as hub:
        head = hub.refs[REPO][BRANCH]
        said = client(
            hub,
            tmp_path,
            """
said["repo"], said["url"] = refusal(api.create_repo, **repo), api.create_repo(exist_ok=True, **repo)
said["tag"] = refusal(api.create_tag, tag="v1", **repo)
api.create_tag(tag="v1", exist_ok=True, **repo)
moved = commit(Add("new", b""))
api.delete_tag(tag="v1", **repo)
said["twice"] = refusal(api.delete_tag, tag="v1", **repo)
said["main"] = refusal(api.delete_tag, tag="main", **repo)
said["nowhere"] = refusal(api.create_tag, tag="v1", revision="absent", **repo)
api.create_tag(tag="v1", **repo)
""",
        )
        assert said["repo"][1] == 409
        assert said["url"] == f"{hub.url}/datasets/{REPO}"
        assert said["tag"][1] == 409
        assert "Tag reference exists already" in said["tag"][2]
        assert [said[name][0] for name in ("twice", "main", "nowhere")] == ["RevisionNotFoundError"] * 3
        assert hub.resolve(REPO, "v1")[1] == AT | {"new": b""}
        assert hub.commits[REPO][head] == AT
        said = client(hub, tmp_path, "api.delete_repo(**repo); said['gone'] = refusal(api.dataset_info, 'org/x')")
        assert said["gone"][:2] == ["RepositoryNotFoundError", 404]
        assert hub.refs == hub.commits == {}


def test_tokens_are_asked_for(tmp_path: Path) -> None:
    """A wrong token or none writes nothing, and sees no private repository; a public one is seen by all."""
    program = """
said["me"] = refusal(api.whoami)
said["commit"] = refusal(commit, Add("mine", b""))
said["tag"] = refusal(api.create_tag, tag="v1", **repo)
said["create"] = refusal(api.create_repo, "org/new", repo_type="dataset", private=True)
said["private"] = refusal(api.dataset_info, "org/new")
said["download"] = refusal(api.hf_hub_download, "org/new", ".gitattributes", repo_type="dataset")
said["public"] = api.dataset_info("org/x").private
"""
    with serve({REPO: {BRANCH: AT}}) as hub:
        hub.tokens = {"hf_good"}
        good = client(hub, tmp_path / "good", program, HF_TOKEN="hf_good")
        assert good == dict.fromkeys(("me", "commit", "tag", "create", "private", "download")) | {"public": False}
        assert hub.private == {"org/new"}
        before = {repo: dict(refs) for repo, refs in hub.refs.items()}
        wrong = client(hub, tmp_path / "wrong", program, HF_TOKEN="hf_wrong")
        none = client(hub, tmp_path / "none", program, HF_TOKEN="")
        for said in (wrong, none):
            assert said.pop("public") is False
            assert said.pop("me")[1] in (401, None)
            assert {name: status for name, (_, status, _) in said.items() if name != "download"} == dict.fromkeys(
                ("commit", "tag", "create", "private"), 401
            )
        assert wrong["private"][0] == wrong["commit"][0] == "HfHubHTTPError"
        assert "Invalid credentials in Authorization header" in wrong["commit"][2]
        assert none["private"][0] == none["download"][0] == "RepositoryNotFoundError"
        assert hub.refs == before


def test_faults_come_in_turn(tmp_path: Path) -> None:
    """A read is tried again by the client; a write is refused or cut off, done or not, as it was set up."""
    with serve({REPO: {BRANCH: AT}}) as hub:
        hub.faults = [
            Fault("HEAD .*/x.txt", 503),
            Fault("POST .*/commit/", 500),
            Fault("POST .*/commit/", "hang_up"),
            Fault("POST .*/commit/", "lose_reply"),
        ]
        said = client(
            hub,
            tmp_path,
            """
said["read"] = open(api.hf_hub_download(filename="x.txt", **repo)).read()
for name in ("refused", "cut", "unheard"):
    said[name] = refusal(commit, Add(name, b"")), api.list_repo_files(**repo)
""",
        )
        assert hub.faults == []
        assert said["read"] == "one\n"
        assert asked(hub, "HEAD /datasets/org/x/resolve/main/x.txt") == 2
        assert said["refused"][0][:2] == ["HfHubHTTPError", 500]
        assert said["cut"][0][0] == said["unheard"][0][0] == "RemoteProtocolError"
        assert said["refused"][1] == said["cut"][1] == sorted(AT)
        assert said["unheard"][1] == sorted([*AT, "unheard"])


def test_pull_request_leaves_main(tmp_path: Path) -> None:
    """create_pr puts the commit beside the branch, on the commit that was named, and can be read by its ref."""
    with serve({REPO: {BRANCH: AT}}) as hub:
        base = hub.refs[REPO][BRANCH]
        head = hub.put(REPO, {**AT, "later": b""})
        said = client(
            hub,
            tmp_path,
            f"""
made = [
    api.create_commit(operations=[Add("new", b"")], commit_message="m", create_pr=True, parent_commit=parent, **repo)
    for parent in ({base!r}, None)
]
said["pr"] = [[m.pr_url, m.pr_revision, m.oid] for m in made]
said["refs"] = {{r.ref: r.target_commit for r in api.list_repo_refs(include_pull_requests=True, **repo).pull_requests}}
said["files"] = [api.list_repo_files(revision=m.pr_revision, **repo) for m in made]
""",
        )
        assert hub.refs[REPO][BRANCH] == head
        assert said["files"] == [sorted([*AT, "new"]), sorted([*AT, "later", "new"])]
        assert [(url, ref) for url, ref, _ in said["pr"]] == [
            (f"{hub.url}/datasets/{REPO}/discussions/{n}", f"refs/pr/{n}") for n in (1, 2)
        ]
        assert said["refs"] == {ref: oid for _, ref, oid in said["pr"]}


def test_commits_differ_by_parent() -> None:
    """Equal files committed again are another commit; a tag is moved only to a commit that there is."""
    with serve({REPO: {BRANCH: AT}}) as hub:
        first = hub.refs[REPO][BRANCH]
        second = hub.put(REPO, AT)
        assert first != second
        assert hub.commits[REPO] == {first: AT, second: AT}
        hub.move(REPO, "v1", first)
        assert hub.resolve(REPO, "v1") == (first, AT)
        with pytest.raises(hub_server.Refusal, match="Invalid rev id"):
            hub.move(REPO, "v1", "0" * 40)


@pytest.mark.parametrize("above", [1000, 5000], ids=["lfs", "regular"])
def test_ranges(above: int) -> None:
    """A range of bytes is given as asked; beyond the end there is none. LFS files name the digest and size of the whole."""
    with serve({}) as hub:
        hub.lfs_above = above
        sha = hub.put(REPO, {"big": BIG})
        url = f"{hub.url}/datasets/{REPO}/resolve/main/big"
        for wanted, start, stop in (("2-4", 2, 5), ("1995-", 1995, 2000), ("-3", 1997, 2000), ("1990-9999", 1990, 2000)):
            status, body, headers = raw(url, Range=f"bytes={wanted}")
            assert (status, body, headers["Content-Range"]) == (206, BIG[start:stop], f"bytes {start}-{stop - 1}/2000")
        status, _, headers = raw(url, Range="bytes=2000-")
        assert (status, headers["Content-Range"]) == (416, "bytes */2000")
        status, body, headers = raw(url, "HEAD")
        assert (status, body, headers["Content-Length"], headers["X-Repo-Commit"]) == (200, b"", "2000", sha)
        digest = f'"{hashlib.sha256(BIG).hexdigest()}"'
        linked = (digest, digest, "2000") if above == 1000 else (f'"{hub_server.blob_id(BIG)}"', None, None)
        assert (headers["ETag"], headers["X-Linked-Etag"], headers["X-Linked-Size"]) == linked


def test_lfs_keeps_what_was_announced() -> None:
    """An upload under another file's digest is refused, and so is a commit of a file that was never uploaded."""
    oid = hashlib.sha256(BIG).hexdigest()
    lines = [{"key": "header", "value": {"summary": "m"}}, {"key": "lfsFile", "value": {"path": "big", "oid": oid}}]
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    with serve({REPO: {BRANCH: AT}}) as hub:
        commits = f"{hub.url}/api/datasets/{REPO}/commit/main"
        assert raw(f"{hub.url}/lfs/{oid}", "PUT", BIG[1:])[0] == 400
        assert raw(commits, "POST", body)[0] == 400
        assert hub.resolve(REPO, BRANCH)[1] == AT
        assert raw(f"{hub.url}/lfs/{oid}", "PUT", BIG)[0] == 200
        assert raw(commits, "POST", body)[0] == 200
        assert hub.resolve(REPO, BRANCH)[1] == AT | {"big": BIG}


def test_runs_by_hand() -> None:
    """As a program it serves an empty Hub at the address that it prints."""
    command = [sys.executable, hub_server.__file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        try:
            assert json.loads(raw(f"{url}/api/whoami-v2")[1])["name"] == hub_server.USER
            assert raw(f"{url}/api/datasets/{REPO}")[2]["X-Error-Code"] == "RepoNotFound"
        finally:
            running.terminate()
