"""Releases on the Hub, through the real clients against a loopback Hub: what is read is the tag asked for, or nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hub_server import NOWHERE, Files, Hub, environment, serve
from rb_verify import canonical
from rb_verify.release import load

REPO = "org/tracebench"
CHANGED = "data/d045.jsonl"
RB_VERIFY = "from rb_verify.cli import main; main()"
LOAD_DATASET = """
import json, sys
from datasets import load_dataset
repo, config, split, revision = sys.argv[1:]
for row in load_dataset(repo, config, split=split, revision=revision):
    print(json.dumps(row))
"""
STREAM = """
import json, sys
from datasets import load_dataset
repo, config, split, *revisions = sys.argv[1:]
for revision in revisions:
    for row in load_dataset(repo, config, split=split, revision=revision, streaming=True):
        print(json.dumps(row))
"""
READ_JSON = """
import json, sys
import pandas
for name in sys.argv[1:]:
    frame = pandas.read_json(f"hf://datasets/{name}", lines=True, dtype=False, convert_dates=False)
    for row in frame.to_dict("records"):
        print(json.dumps(row))
"""


@pytest.fixture(scope="module")
def files(release: Path) -> Files:
    """The release's files as they are pushed."""
    return {path.relative_to(release).as_posix(): path.read_bytes() for path in release.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def changed(files: Files) -> bytes:
    """The file CHANGED with one byte changed: still JSON, one answer in another spelling."""
    data = files[CHANGED].replace(b'"answer":"NO"', b'"answer":"nO"', 1)
    assert sum(a != b for a, b in zip(data, files[CHANGED], strict=True)) == 1
    return data


@pytest.fixture(scope="module")
def hub(files: Files, changed: bytes) -> Iterator[Hub]:
    """A Hub with the release as tag v1.0.0 and, beside it, the changed one as v1.0.1."""
    with serve({REPO: {"v1.0.0": files, "v1.0.1": {**files, CHANGED: changed}}}) as running:
        yield running


@pytest.fixture(scope="module")
def perfect(release: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a submission that answers every row of config default by its gold proof."""
    loaded = load(release)
    path = tmp_path_factory.mktemp("perfect") / "predictions.jsonl"
    path.write_bytes(canonical.lines({"id": row["id"], "response": loaded.scorer.perfect(row)} for row in loaded.rows))
    return str(path)


def run(program: str, *arguments: str, url: str, home: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program as a client of the Hub at ``url``, in the empty folder ``home``/cwd. ``home``: its cache."""
    (home / "cwd").mkdir(exist_ok=True)
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=home / "cwd", env=environment(url, home, **extra), capture_output=True, text=True)


def refusal(result: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line on stderr of a run that ended with ``code`` and printed nothing else."""
    assert (result.returncode, result.stdout) == (code, ""), result.stderr
    assert result.stderr.startswith("rb-verify: ")
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def score(result: subprocess.CompletedProcess[str]) -> tuple[float, int]:
    """The score, and of how many rows, that a complete run reported as JSON without a word on stderr."""
    assert (result.returncode, result.stderr) == (0, "")
    report: dict[str, Any] = json.loads(result.stdout)
    return report["score"], report["n"]


def printed(result: subprocess.CompletedProcess[str]) -> bytes:
    """The rows that a run printed, as a data file holds them."""
    assert result.returncode == 0, result.stderr
    return canonical.lines(json.loads(line) for line in result.stdout.splitlines())


def test_named_tag_is_scored(hub: Hub, perfect: str, tmp_path: Path) -> None:
    """A submission is scored against the tag that --release names, downloaded from the Hub."""
    result = run(RB_VERIFY, perfect, "--release", f"{REPO}@v1.0.0", "--format", "json", url=hub.url, home=tmp_path)
    assert score(result) == (1.0, 1200)


def test_release_is_found_by_the_ids(hub: Hub, perfect: str, tmp_path: Path) -> None:
    """Without --release, the ids name dataset and version, and $RB_ORG the organisation on the Hub."""
    hub.requests.clear()
    result = run(RB_VERIFY, perfect, "--format", "json", url=hub.url, home=tmp_path, RB_ORG="org")
    assert score(result) == (1.0, 1200)
    assert hub.requests[0] == f"GET /api/datasets/{REPO}/revision/v1.0.0"


@pytest.mark.parametrize(
    ("name", "said"),
    [(f"{REPO}@v9.9.9", "RevisionNotFound"), ("org/absent@v1.0.0", "RepositoryNotFound"), (REPO, "RevisionNotFound")],
    ids=["tag", "repository", "branch"],
)
def test_unknown_names_are_refused(hub: Hub, perfect: str, tmp_path: Path, name: str, said: str) -> None:
    """What the Hub does not have is unusable input, and the one sentence tells a wrong tag from a wrong repository."""
    message = refusal(run(RB_VERIFY, perfect, "--release", name, url=hub.url, home=tmp_path), code=2)
    assert name in message
    assert said in message


def test_dead_hub_is_refused(perfect: str, tmp_path: Path) -> None:
    """A Hub that cannot be reached, with nothing in the cache, is unusable input."""
    message = refusal(run(RB_VERIFY, perfect, "--release", f"{REPO}@v1.0.0", url=NOWHERE, home=tmp_path), code=2)
    assert f"{REPO}@v1.0.0: the Hub cannot be read or written" in message


def test_dropped_connection_is_refused(hub: Hub, perfect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Hub that hangs up is unusable input, not an internal error, whatever the client's HTTP library raises."""
    monkeypatch.setattr(hub, "broken", True)
    message = refusal(run(RB_VERIFY, perfect, "--release", f"{REPO}@v1.0.0", url=hub.url, home=tmp_path), code=2)
    assert f"{REPO}@v1.0.0" in message


def test_changed_byte_is_found(hub: Hub, perfect: str, tmp_path: Path, files: Files, changed: bytes) -> None:
    """A tag with one changed byte is not scored: the message names the file and both digests."""
    message = refusal(run(RB_VERIFY, perfect, "--release", f"{REPO}@v1.0.1", url=hub.url, home=tmp_path), code=3)
    assert CHANGED in message
    assert canonical.digest(files[CHANGED]) in message
    assert canonical.digest(changed) in message


@pytest.mark.slow
def test_cache_never_stands_in_for_another_tag(hub: Hub, perfect: str, tmp_path: Path) -> None:
    """One cache keeps tags apart: with the Hub down, a tag read before is scored, and one never read is refused."""

    def verify(tag: str, url: str) -> subprocess.CompletedProcess[str]:
        return run(RB_VERIFY, perfect, "--release", f"{REPO}@{tag}", "--format", "json", url=url, home=tmp_path)

    assert score(verify("v1.0.0", hub.url)) == (1.0, 1200)
    refusal(verify("v1.0.1", hub.url), code=3)
    assert score(verify("v1.0.0", NOWHERE)) == (1.0, 1200)
    refusal(verify("v1.0.1", NOWHERE), code=3)
    refusal(verify("v9.9.9", NOWHERE), code=2)


def test_missing_client_names_the_extra(hub: Hub, perfect: str, tmp_path: Path) -> None:
    """Where huggingface_hub cannot be imported, the message names the extra that brings it."""
    blocked = f"import sys; sys.modules['huggingface_hub'] = None; {RB_VERIFY}"
    message = refusal(run(blocked, perfect, "--release", f"{REPO}@v1.0.0", url=hub.url, home=tmp_path), code=2)
    assert "rb-verify[hub]" in message


def test_streamed_rows_are_the_revisions(hub: Hub, files: Files, changed: bytes, tmp_path: Path) -> None:
    """Streaming gives the rows of each revision that is named, though another lies beside it in the same repository."""
    streamed = run(STREAM, REPO, "d045", "test", "v1.0.0", "v1.0.1", "v1.0.0", url=hub.url, home=tmp_path)
    assert printed(streamed) == files[CHANGED] + changed + files[CHANGED]


def test_pandas_reads_the_revisions(hub: Hub, files: Files, changed: bytes, tmp_path: Path) -> None:
    """pandas reads an hf:// address with a tag as the file under that tag."""
    read = run(READ_JSON, f"{REPO}@v1.0.0/{CHANGED}", f"{REPO}@v1.0.1/{CHANGED}", url=hub.url, home=tmp_path)
    assert printed(read) == files[CHANGED] + changed


@pytest.mark.slow
def test_load_dataset_tells_tags_apart(hub: Hub, files: Files, changed: bytes, tmp_path: Path) -> None:
    """Two tags loaded one after the other into one cache give each its own rows."""
    for tag, data in (("v1.0.0", files[CHANGED]), ("v1.0.1", changed), ("v1.0.0", files[CHANGED])):
        assert printed(run(LOAD_DATASET, REPO, "d045", "test", tag, url=hub.url, home=tmp_path)) == data
