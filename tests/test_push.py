"""rb-build push, through the real client against a loopback Hub: whatever happens, a tag is a whole release or not there."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

import hub_server
from hub_commands import Commands, Result, build, commands, held, recipe, refusal
from hub_server import BORN_WITH, Fault, Hub, Refusal, environment, serve
from rb_build import recipe as recipes
from rb_build.blind import blind
from rb_build.folder import write
from rb_build.release import documents
from rb_verify import canonical
from small_recipe import small
from small_reefbench import small_reefbench
from small_twosat import small_twosat

REPO = "org/tracebench"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Releases by version. Those of 0.1.0, old and new, differ in seed and so in rows; 0.2.0 has other files."""
    root = tmp_path_factory.mktemp("releases")
    made = {"0.1.0": recipe("0.1.0"), "other": recipe("0.1.0", seed="other"), "0.2.0": small(version="0.2.0", seed="2")}
    made["0.2.0"]["configs"]["default"]["test"].remove("d010")
    made["0.2.0"]["params"]["tiers"] = made["0.2.0"]["params"]["tiers"][1:]
    for name, data in made.items():
        build(root / name, data)
    return {name: root / name for name in made}


@pytest.fixture(scope="module")
def files(folders: dict[str, Path]) -> dict[str, Files]:
    """The files of each release."""
    return {name: _files(folder) for name, folder in folders.items()}


def _files(folder: Path) -> Files:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def one_hub() -> Iterator[Hub]:
    """A Hub, and never another: a client reads once where it is."""
    with serve({}) as running:
        yield running


@pytest.fixture(scope="module")
def rb_build(one_hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """Runs rb-build as a client of the Hub."""
    with commands(one_hub.url, tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture
def hub(one_hub: Hub) -> Hub:
    """The Hub, empty."""
    for state in (one_hub.refs, one_hub.commits, one_hub.log, one_hub.requests, one_hub.faults, one_hub.private, one_hub.store):
        state.clear()
    one_hub.tokens, one_hub.broken = None, False
    return one_hub


def push(rb_build: Commands, folder: Path, *options: str, org: str = "org", **extra: str) -> Result:
    """Push a folder."""
    return rb_build("push", str(folder), "--org", org, *options, **extra)


def done(result: Result) -> str:
    """What a command that succeeded without a word on stderr printed."""
    assert (result.code, result.stderr) == (0, ""), result
    return result.stdout


def written(hub: Hub) -> list[str]:
    """The requests that may have changed something."""
    return [line for line in hub.requests if not line.startswith(("GET ", "HEAD "))]


def test_first_push(hub: Hub, folders: dict[str, Path], tmp_path: Path) -> None:
    """The command makes the repository, one commit with the release's files alone, large ones as such, and the tag on it."""
    folder = shutil.copytree(folders["0.1.0"], tmp_path / "release")
    (folder / "notes.txt").write_text("no file of the release")
    hub.lfs_above = 20_000
    try:
        command = [sys.executable, "-m", "rb_build", "push", str(folder), "--org", "org"]
        ended = subprocess.run(command, env=environment(hub.url, tmp_path), capture_output=True, text=True)
    finally:
        hub.lfs_above = 10_000_000
    assert (ended.returncode, ended.stderr) == (0, "")
    assert held(hub, REPO, "v0.1.0") == _files(folders["0.1.0"])
    assert hub.refs[REPO]["main"] == hub.refs[REPO]["v0.1.0"]
    assert len(hub.commits[REPO]) == 2  # the Hub's own and the release
    assert set(hub.store.values()) == {(folder / "data" / "d010.jsonl").read_bytes()}
    assert hub.refs[REPO]["v0.1.0"] in ended.stdout
    assert not hub.private


@pytest.mark.parametrize("data", [small(), small_twosat(), small_reefbench()], ids=lambda data: str(data["dataset"]))
def test_every_dataset_is_pushed(hub: Hub, rb_build: Commands, tmp_path: Path, data: dict[str, Any]) -> None:
    """A release of any dataset arrives byte for byte."""
    files = build(tmp_path / "release", data)
    done(push(rb_build, tmp_path / "release"))
    assert held(hub, f"org/{data['dataset']}", "v0.1.0") == files


def test_second_push_does_nothing(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """To push what is published compares it, writes nothing and says so."""
    done(push(rb_build, folders["0.1.0"]))
    hub.requests.clear()
    before = dict(hub.refs[REPO])
    assert "nothing to do" in done(push(rb_build, folders["0.1.0"]))
    assert (written(hub), hub.refs[REPO]) == ([], before)
    assert any("/resolve/" in line for line in hub.requests)  # it was downloaded and compared


def test_second_version(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """A newer version replaces the older on main, files of the older alone are gone, and the older's tag is as it was."""
    done(push(rb_build, folders["0.1.0"]))
    said = done(push(rb_build, folders["0.2.0"]))
    assert "1 deleted" in said
    assert held(hub, REPO, "main") == held(hub, REPO, "v0.2.0") == files["0.2.0"]
    assert held(hub, REPO, "v0.1.0") == files["0.1.0"]
    assert hub.resolve(REPO, "main")[1].keys() >= BORN_WITH.keys()
    assert "nothing to do" in done(push(rb_build, folders["0.1.0"]))
    assert held(hub, REPO, "main") == files["0.2.0"]


def test_older_version_is_refused(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """A version older than main's is not put over it."""
    done(push(rb_build, folders["0.2.0"]))
    hub.requests.clear()
    said = refusal(push(rb_build, folders["0.1.0"]), 2)
    assert "main holds 0.2.0, which is newer than 0.1.0" in said
    assert (written(hub), held(hub, REPO, "main")) == ([], files["0.2.0"])


@pytest.mark.parametrize("kind", ["rows", "too much", "too little"])
def test_published_tag_never_changes(
    hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files], kind: str
) -> None:
    """Another release under a tag that is published is refused, and names what differs and the cure."""
    there = {
        "rows": files["other"],
        "too much": {**files["0.1.0"], "data/more.jsonl": b"{}\n"},
        "too little": {path: data for path, data in files["0.1.0"].items() if path != "data/d010.jsonl"},
    }[kind]
    hub.move(REPO, "v0.1.0", hub.put(REPO, there))
    said = refusal(push(rb_build, folders["0.1.0"]), 2)
    assert "data/more.jsonl" in said if kind == "too much" else "data/d010.jsonl" in said
    assert "give the release a new version" in said
    assert (written(hub), held(hub, REPO, "v0.1.0"), held(hub, REPO, "main")) == ([], there, there)


def test_card_is_mended_on_main(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """Card and Croissant metadata are mended by one commit on main; the tag stays where it is, and once is enough."""
    there = {**files["0.1.0"], "README.md": b"---\n---\nold\n", "croissant.json": b"{}\n"}
    hub.move(REPO, "v0.1.0", hub.put(REPO, there))
    commits = len(hub.commits[REPO])
    assert "would mend README.md and croissant.json on main" in done(push(rb_build, folders["0.1.0"], "--dry-run"))
    assert written(hub) == []
    assert "mends README.md and croissant.json on main; the tag stays" in done(push(rb_build, folders["0.1.0"]))
    for _ in range(2):
        assert (held(hub, REPO, "main"), held(hub, REPO, "v0.1.0")) == (files["0.1.0"], there)
        assert len(hub.commits[REPO]) == commits + 1
        assert "is mended on main already" in done(push(rb_build, folders["0.1.0"]))


def test_card_of_an_older_version_stays(
    hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]
) -> None:
    """Once main holds another version, the card of an older one cannot be mended any more, and that is said."""
    there = {**files["0.1.0"], "README.md": b"---\n---\nold\n"}
    hub.move(REPO, "v0.1.0", hub.put(REPO, there))
    hub.put(REPO, files["0.2.0"])
    assert "cannot be mended, as main holds another version" in done(push(rb_build, folders["0.1.0"]))
    assert (written(hub), held(hub, REPO, "v0.1.0"), held(hub, REPO, "main")) == ([], there, files["0.2.0"])


def test_lost_race(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """If another commit lands on main while a push looks at it, nothing is written; the push again is sound."""
    done(push(rb_build, folders["0.1.0"]))
    theirs = {**files["0.1.0"], "data/theirs.jsonl": b"{}\n"}
    hub.faults.append(Fault("POST .*/commit/main", lambda hub: hub.put(REPO, theirs)))
    said = refusal(push(rb_build, folders["0.2.0"]), 2)
    assert "main has moved" in said
    assert "run it again" in said
    assert (held(hub, REPO, "main"), set(hub.refs[REPO])) == (theirs, {"main", "v0.1.0"})
    done(push(rb_build, folders["0.2.0"]))
    assert held(hub, REPO, "v0.2.0") == held(hub, REPO, "main") == files["0.2.0"]


def test_tag_that_appears_meanwhile(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """A tag that somebody else makes just before is not moved; the push again refuses it for what it is."""
    hub.faults.append(Fault("POST .*/tag/", lambda hub: hub.move(REPO, "v0.1.0", hub.put(REPO, {"data/x": b""}))))
    assert "409" in refusal(push(rb_build, folders["0.1.0"]), 2)
    assert "a published tag never changes" in refusal(push(rb_build, folders["0.1.0"]), 2)
    assert held(hub, REPO, "v0.1.0") == {"data/x": b""}


def test_tag_that_is_moved_meanwhile(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """A tag that somebody moves between its making and the comparison is found: the release is not what was pushed."""
    hub.faults.append(Fault("GET .*/revision/v0.1.0", lambda hub: hub.move(REPO, "v0.1.0", hub.put(REPO, files["other"]))))
    assert "somebody moved it" in refusal(push(rb_build, folders["0.1.0"]), 3)


def spoil(hub: Hub) -> None:
    """Change a file in the newest commit of main, as no Hub should."""
    hub.commits[REPO][hub.refs[REPO]["main"]] = {**hub.resolve(REPO, "main")[1], "data/d010.jsonl": b"spoiled"}


def test_commit_that_is_not_the_release_gets_no_tag(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """The commit is compared with the folder before it is tagged; the push again mends it."""
    hub.faults += [Fault("POST .*/commit/main", lambda hub: None), Fault("GET .*/tree/", spoil)]
    said = refusal(push(rb_build, folders["0.1.0"]), 3)
    assert "data/d010.jsonl" in said
    assert "no tag was made" in said
    assert set(hub.refs[REPO]) == {"main"}
    done(push(rb_build, folders["0.1.0"]))


def test_download_that_differs_is_found(
    hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]
) -> None:
    """What comes back by the tag is compared by its checksums, and both are named."""
    hub.faults += [Fault("POST .*/tag/", lambda hub: None), Fault("HEAD .*/resolve/", spoil)]
    said = refusal(push(rb_build, folders["0.1.0"]), 3)
    assert "data/d010.jsonl" in said
    assert canonical.digest(b"spoiled") in said
    assert canonical.digest(files["0.1.0"]["data/d010.jsonl"]) in said


def test_mended_card_is_compared_too(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """The commit that mends a card is downloaded and compared like a release."""
    hub.move(REPO, "v0.1.0", hub.put(REPO, {**files["0.1.0"], "README.md": b"---\n---\nold\n"}))
    hub.faults += [Fault("POST .*/commit/main", lambda hub: None), Fault("HEAD .*/resolve/", spoil)]
    assert canonical.digest(b"spoiled") in refusal(push(rb_build, folders["0.1.0"]), 3)


def test_tag_is_made_on_the_commit(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """A commit that lands on main between the push's commit and its tag does not get the tag."""
    hub.faults.append(Fault("POST .*/tag/", lambda hub: hub.put(REPO, files["other"])))
    done(push(rb_build, folders["0.1.0"]))
    assert (held(hub, REPO, "v0.1.0"), held(hub, REPO, "main")) == (files["0.1.0"], files["other"])


def test_foreign_repository_is_refused(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """What is no release of the dataset is not deleted from main."""
    there = {"data/train.csv": b"a,b\n"}
    hub.put(REPO, there)
    assert "no release of tracebench" in refusal(push(rb_build, folders["0.1.0"]), 2)
    assert (written(hub), held(hub, REPO, "main")) == ([], there)


@pytest.mark.parametrize("path", ["data/d010.jsonl", "README.md"])
def test_unsound_folder_is_not_pushed(
    hub: Hub, rb_build: Commands, folders: dict[str, Path], tmp_path: Path, path: str
) -> None:
    """A folder that fails its check is refused before the Hub is asked anything."""
    folder = shutil.copytree(folders["0.1.0"], tmp_path / "release")
    (folder / path).write_bytes(b"{}\n")
    said = refusal(push(rb_build, folder), 3)
    assert path in said
    assert "nothing was pushed" in said
    assert hub.requests == []


def test_fresh_split_has_its_own_repository(hub: Hub, rb_build: Commands, tmp_path: Path, folders: dict[str, Path]) -> None:
    """A fresh split goes beside the public release, not over it."""
    done(push(rb_build, folders["0.1.0"]))
    files = build(tmp_path / "fresh", recipe("0.1.0-f01234567", seed="fresh"))
    done(push(rb_build, tmp_path / "fresh"))
    assert set(hub.refs) == {REPO, f"{REPO}-f01234567"}
    assert held(hub, f"{REPO}-f01234567", "v0.1.0-f01234567") == files


def test_blind_split_does_not_replace_its_opened_one(hub: Hub, rb_build: Commands, tmp_path: Path) -> None:
    """A blind split and then, once its seed is opened, the split with gold share a repository; the order cannot turn."""
    data = recipe("0.1.0-f01234567", seed="fresh")
    gold = build(tmp_path / "gold", data)
    rows = [json.loads(line) for line in gold["data/d010.jsonl"].splitlines()]
    made = blind(recipes.parse(data, "a test's recipe"), json.loads(gold["manifest.json"]), rows, "default")
    told = made.files | documents(made.manifest, None) | {"manifest.json": canonical.pretty(made.manifest)}
    write(tmp_path / "blind", told)
    done(push(rb_build, tmp_path / "blind"))
    done(push(rb_build, tmp_path / "gold"))
    repo = f"{REPO}-f01234567"
    assert held(hub, repo, "v0.1.0-f01234567-blind") == told
    assert held(hub, repo, "v0.1.0-f01234567") == held(hub, repo, "main") == gold
    del hub.refs[repo]["v0.1.0-f01234567-blind"]
    assert "is newer than" in refusal(push(rb_build, tmp_path / "blind"), 2)


def test_private(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """--private makes the repository so; a public one is refused with it, before anything is written there."""
    assert "private" in done(push(rb_build, folders["0.1.0"], "--private"))
    assert hub.private == {REPO}
    done(push(rb_build, folders["0.2.0"], "--private"))
    hub.private.clear()
    hub.requests.clear()
    assert "is public already" in refusal(push(rb_build, folders["0.2.0"], "--private"), 2)
    assert written(hub) == []


def test_pull_request(hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]) -> None:
    """--create-pr leaves main and tags alone; a push after the merge tags main as it is, in a commit of the Hub's."""
    done(push(rb_build, folders["0.1.0"]))
    before = dict(hub.refs[REPO])
    said = done(push(rb_build, folders["0.2.0"], "--create-pr"))
    assert "once it is merged, push again to tag it v0.2.0" in said
    assert hub.refs[REPO] == {**before, "refs/pr/1": hub.refs[REPO]["refs/pr/1"]}
    assert held(hub, REPO, "refs/pr/1") == files["0.2.0"]
    merged = hub.put(REPO, hub.resolve(REPO, "refs/pr/1")[1])
    done(push(rb_build, folders["0.2.0"]))
    assert hub.refs[REPO]["v0.2.0"] == hub.refs[REPO]["main"] == merged
    assert held(hub, REPO, "v0.2.0") == files["0.2.0"]


def test_dry_run_writes_nothing(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """--dry-run says what would be done in every case, and only reads."""
    said = done(push(rb_build, folders["0.1.0"], "--dry-run"))
    assert "would be created" in said
    assert f"{len(_files(folders['0.1.0']))} files written, 0 deleted" in said
    assert (hub.refs, written(hub)) == ({}, [])
    done(push(rb_build, folders["0.1.0"]))
    hub.requests.clear()
    said = done(push(rb_build, folders["0.2.0"], "--dry-run"))
    assert "would delete data/d010.jsonl" in said
    assert "would tag that commit v0.2.0" in said
    assert "pull request" in done(push(rb_build, folders["0.2.0"], "--dry-run", "--create-pr"))
    assert "nothing to do" in done(push(rb_build, folders["0.1.0"], "--dry-run"))
    del hub.refs[REPO]["v0.1.0"]
    assert "main is this release already; would tag" in done(push(rb_build, folders["0.1.0"], "--dry-run"))
    assert (written(hub), set(hub.refs[REPO])) == ([], {"main"})


@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_wrong_token(hub: Hub, rb_build: Commands, folders: dict[str, Path], there: bool) -> None:
    """A token that the Hub does not take, and none, are refused with the way to log in; nothing is written."""
    if there:
        hub.put(REPO, BORN_WITH)
    hub.tokens = {"hf_right"}
    for token in ("hf_wrong", ""):
        said = refusal(push(rb_build, folders["0.1.0"], HF_TOKEN=token), 2)
        assert "401" in said
        assert "hf auth login" in said
        assert "HF_TOKEN" in said
    assert all(files == BORN_WITH for commits in hub.commits.values() for files in commits.values())
    done(push(rb_build, folders["0.1.0"], HF_TOKEN="hf_right"))


@pytest.mark.parametrize("token", ["hf_secretsecret", "odd %41 'secret' \"q\" \\n b", "secret\x01secret", "secrét"])
def test_token_is_never_printed(
    hub: Hub, rb_build: Commands, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    """Not even a Hub that repeats the token in its error, or a token that cannot be sent, brings it to the screen."""
    monkeypatch.setattr(
        hub_server, "answer", lambda hub, asked: hub_server._refuse(Refusal(400, f"token {asked.token} is odd"))
    )
    said = refusal(push(rb_build, folders["0.1.0"], HF_TOKEN=token), 2)
    assert "secr" not in said
    if token.isascii():
        assert "token TOKEN is odd" in said
    else:
        assert "characters that no token has" in said


def test_hub_that_hangs_up(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """A Hub that cannot be read is one sentence, not an internal error."""
    hub.broken = True
    said = refusal(push(rb_build, folders["0.1.0"]), 2)
    assert "run it again" in said
    assert "internal error" not in said


def test_hub_that_stays_down(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """A Hub that answers 503 is one sentence that says so."""
    hub.faults.append(Fault("GET .*/refs", 503))
    hub.put(REPO, BORN_WITH)
    assert "the Hub answers 503" in refusal(push(rb_build, folders["0.1.0"]), 2)


def test_name_that_no_hub_takes(hub: Hub, rb_build: Commands, folders: dict[str, Path]) -> None:
    """An organisation that cannot be one is refused by its name, before the Hub is asked."""
    assert "a b/tracebench" in refusal(push(rb_build, folders["0.1.0"], org="a b"), 2)
    assert hub.requests == []


EVERY_FAULT = """
import json, os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from hub_server import BORN_WITH, Fault, environment, serve
first, second, kinds = Path(sys.argv[2]), Path(sys.argv[3]), json.loads(sys.argv[4])
files = {path.relative_to(second).as_posix(): path.read_bytes() for path in second.rglob("*") if path.is_file()}
before = {path.relative_to(first).as_posix(): path.read_bytes() for path in first.rglob("*") if path.is_file()}
time.sleep = lambda seconds: None  # the client's waits between its tries
with serve({}) as hub:
    os.environ.update(environment(hub.url, Path(sys.argv[5])))
    from rb_build import push as publisher, release
    from rb_verify.errors import UnusableInput
    release.check = lambda *_: []  # tested elsewhere, and the same each time

    def push(org):
        try:
            publisher.push(second, org, private=False, create_pr=False, dry_run=False, run=map)
        except UnusableInput as error:
            return str(error)

    def tag(org):
        repo = f"{org}/tracebench"
        commit = hub.refs.get(repo, {}).get("v0.2.0")
        return commit and {path: data for path, data in hub.commits[repo][commit].items() if path not in BORN_WITH}

    for kind in kinds:
        for at in range(10_000):
            org = f"o{at}"
            hub.refs.clear()
            if at % 2:
                hub.put(f"{org}/tracebench", {**BORN_WITH, **before})
            hub.faults[:] = [Fault("", lambda hub: None)] * at + [Fault("", kind)]
            said = push(org)
            reached = not hub.faults
            hub.faults.clear()
            assert tag(org) in (None, files), (kind, at, said)
            assert said or tag(org) == files, (kind, at)
            if said:
                assert "run it again" in said or "401" in said, (kind, at, said)
                assert push(org) is None, (kind, at, said)
                assert tag(org) == files, (kind, at)
            assert len(hub.commits[f"{org}/tracebench"]) == 2, (kind, at, said)  # what was there, and the release: once
            if not reached:
                break
            hub.commits.clear()
        print(kind, at)
"""


@pytest.mark.slow
def test_fault_at_every_request(folders: dict[str, Path], tmp_path: Path) -> None:
    """Whichever request of a push fails, or is done but not answered, no tag is partial; the push again publishes, once."""
    kinds = [503, "lose_reply", "hang_up"]
    places = str(Path(__file__).parent), str(folders["0.1.0"]), str(folders["0.2.0"])
    command = [sys.executable, "-c", EVERY_FAULT, *places, json.dumps(kinds), str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    counted = [int(line.split()[1]) for line in ended.stdout.splitlines()]
    assert len(counted) == len(kinds)
    assert min(counted) > 30  # every request of a push had its turn


@pytest.mark.slow
def test_killed_push_is_finished_by_another(
    hub: Hub, rb_build: Commands, folders: dict[str, Path], files: dict[str, Files]
) -> None:
    """A push that is killed at any of its requests leaves no partial tag, and the push again publishes."""
    before = len(hub.requests)
    done(push(rb_build, folders["0.1.0"], org="whole"))
    whole = len(hub.requests) - before
    for number, place in enumerate(random.Random(20261130).sample(range(whole), 10)):
        org = f"o{number}"
        child: Queue[int] = Queue()

        def kill(hub: Hub, child: Queue[int] = child) -> None:
            os.kill(child.get(), signal.SIGKILL)  # it waits for the reply to this request

        hub.faults[:] = [*[Fault("", lambda hub: None)] * place, Fault("", kill)]
        child.put(rb_build.start("push", str(folders["0.1.0"]), "--org", org))
        assert rb_build.end().code == -signal.SIGKILL
        assert hub.faults == []
        repo = f"{org}/tracebench"
        assert "v0.1.0" not in hub.refs.get(repo, {}) or held(hub, repo, "v0.1.0") == files["0.1.0"]
        done(push(rb_build, folders["0.1.0"], org=org))
        assert held(hub, repo, "v0.1.0") == files["0.1.0"]
