"""rb-run against a server on loopback: every response once, whatever happens on the way; and nothing told of the key."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import pytest

from commands import rb_run
from llm_server import Said, Server, llm_server
from rb_build import blind
from rb_build import recipe as recipes
from rb_build.folder import write
from rb_verify import canonical, llm, run_cli, runner
from rb_verify.journal import journal
from rb_verify.llm import Reply
from rb_verify.predictions import prediction
from rb_verify.release import Release, prompts, read_manifest
from rb_verify.runner import Asking
from small_recipe import small

KEY = "sk-never-to-be-seen-0123456789"
FAULTS = ["429", "500", "503", "slow", "cut", "close", "broken", "page", "empty", "length"]
Record = dict[str, Any]


class Ended(NamedTuple):
    """How a run of the command ended."""

    code: int
    stdout: str
    stderr: str


Command = Callable[..., Ended]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch, shelf: dict[str, Release]) -> None:
    """What waits for half a second before it tries again waits for no time; the small releases are there."""
    openai = pytest.importorskip("openai")
    monkeypatch.setattr(openai._base_client, "INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr(llm, "_FIRST_PAUSE", 0.01)
    for name, value in environment(shelf).items():
        monkeypatch.setenv(name, value)
    for name in ("OPENAI_BASE_URL", "RB_MODEL", "RB_ORG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs rb-run in this process, with its output in p.jsonl."""
    monkeypatch.chdir(tmp_path)

    def command(server: Server, dataset: str | Path = "tracebench@0.1.0", *options: str, model: str = "m") -> Ended:
        arguments = [str(dataset), "--base-url", server.base_url, "--model", model, "--out", "p.jsonl", *options]
        with pytest.raises(SystemExit) as ended:
            run_cli.app(arguments)
        return Ended(ended.value.code or 0, *capsys.readouterr())

    return command


def environment(shelf: dict[str, Release]) -> dict[str, str]:
    """Where the small releases are, and the key."""
    return {"RB_RELEASES": str(shelf["tracebench"].path.parents[1]), "OPENAI_API_KEY": KEY}


def echo(request: Record) -> Said:
    """A model that says what tells the prompt, and that it thought about it."""
    return Said(f"No. {crc32(request['messages'][0]['content'].encode())}", "Hm.")


def lines(path: Path = Path("p.jsonl")) -> list[Record]:
    """The predictions that were written."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def wanted(release: Release, samples: int = 1) -> Counter[tuple[str, int]]:
    """What must be there once."""
    return Counter((row["id"], sample) for row in release.rows for sample in range(samples))


def found(path: Path = Path("p.jsonl")) -> Counter[tuple[str, int]]:
    """What is there."""
    return Counter(map(runner.key, lines(path)))


def start(server: Server, folder: Path, shelf: dict[str, Release], *options: str) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "rb_verify.run_cli", "tracebench@0.1.0", "--base-url", server.base_url, "--model", "m"]
    command += ["--out", "p.jsonl", *options]
    given = os.environ | environment(shelf)

    def interruptible() -> None:
        """Whoever runs the tests in the background has interrupts ignored, and so would the command."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env=given, preexec_fn=interruptible, **piped)


def test_every_response_is_there_as_it_was_given(run: Command, shelf: dict[str, Release]) -> None:
    """Each row's own prompt, as one user message, and each row's own response, with all that came with it."""
    with llm_server(echo) as server:
        ended = run(server, "tracebench@0.1.0", "--temperature", "0.5", "--max-tokens", "9", "--extra", '{"seed": 1}')
    rows = {row["id"]: row for row in shelf["tracebench"].rows}
    told = sum(each["usage"]["prompt_tokens"] for each in lines())
    assert ended == (
        0,
        "",
        f"rb-run: p.jsonl: {len(rows)} asked, 0 there already, 0 failed; "
        f"{told} tokens in prompts, {3 * len(rows)} in replies\n",
    )
    assert found() == wanted(shelf["tracebench"])
    for line in lines():
        words = len(rows[line["id"]]["prompt"].split())
        assert line == {
            "id": line["id"],
            "sample": 0,
            "response": f"No. {crc32(rows[line['id']]['prompt'].encode())}",
            "reasoning": "Hm.",
            "finish_reason": "stop",
            "usage": {"prompt_tokens": words, "completion_tokens": 3, "total_tokens": words + 3},
        }
    settings = {"temperature": 0.5, "max_tokens": 9, "seed": 1}
    [asked] = {json.dumps({k: v for k, v in request.items() if k != "messages"}) for request in server.requests}
    assert json.loads(asked) == {"model": "m"} | settings
    assert all(len(request["messages"]) == 1 and request["messages"][0]["role"] == "user" for request in server.requests)
    about = {"dataset": "tracebench", "version": "0.1.0", "model": "m", "settings": settings}
    about["content_digest"] = shelf["tracebench"].manifest["content_digest"]
    assert json.loads(Path("p.jsonl.about.json").read_text()) == about


def test_faults_on_the_way_leave_no_trace(run: Command, shelf: dict[str, Release]) -> None:
    """With every kind of fault, all that comes is there once, and only what the model ended early is short."""
    with llm_server(echo, FAULTS * 2) as server:
        ended = run(server, "tracebench@0.1.0", "--concurrency", "4")
    assert (ended.code, ended.stdout) == (0, "")
    assert found() == wanted(shelf["tracebench"])
    assert Counter(line["finish_reason"] for line in lines()) == {"stop": len(shelf["tracebench"].rows) - 2, "length": 2}


def test_a_model_that_gives_no_answer(run: Command) -> None:
    """No text is null, which is not a failure: the model has spoken."""
    with llm_server(lambda request: Said("", "Still thinking", "length")) as server:
        assert run(server, "tracebench@0.1.0", "--limit", "1").code == 0
    assert (lines()[0]["response"], lines()[0]["reasoning"], lines()[0]["finish_reason"]) == (None, "Still thinking", "length")


@pytest.mark.parametrize("usage", [{"completion_tokens": -1}, {"completion_tokens": 1.5}, {"output_tokens": "7"}])
def test_a_usage_that_cannot_be_read_is_left_out(usage: Record) -> None:
    """Else rb-verify would count the line as bad. What it does not read may be anything."""
    line = runner.record(Asking("a", 2, "?"), Reply("Yes", None, "stop", usage, "m"))
    assert line == {"id": "a", "sample": 2, "response": "Yes", "reasoning": None, "finish_reason": "stop", "usage": None}
    kept = {"completion_tokens": 7, "cost": 0.1}
    line = runner.record(Asking("a", 2, "?"), Reply("Yes", None, "stop", kept, "m"))
    assert line["usage"] == kept
    assert prediction(line).tokens == 7


def test_a_request_that_fails_is_listed_and_asked_again(run: Command, shelf: dict[str, Release]) -> None:
    """Exit code 1, a line on stderr for each, none in the file; the next run asks those alone."""
    ids = [row["id"] for row in prompts(shelf["tracebench"].path).rows]
    with llm_server(echo, [None, "400", None, "500", "500"]) as server:
        ended = run(server, "tracebench@0.1.0", "--concurrency", "1", "--retries", "1", "--limit", "5")
        assert (ended.code, ended.stdout) == (1, "")
        listed = ended.stderr.splitlines()
        assert [line.partition(": HTTP ")[0] for line in listed[:2]] == [f"rb-run: {ids[n]}, sample 0" for n in (1, 3)]
        assert "5 asked, 0 there already, 2 failed" in listed[2]
        assert KEY not in ended.stderr
        assert [line["id"] for line in lines()] == [ids[n] for n in (0, 2, 4)]
        ended = run(server, "tracebench@0.1.0", "--limit", "5")
    assert (ended.code, "2 asked, 3 there already, 0 failed" in ended.stderr) == (0, True)
    assert found() == Counter((name, 0) for name in ids[:5])


@pytest.mark.parametrize(("fault", "cure"), [("401", "OPENAI_API_KEY"), ("404", "--model")])
def test_a_key_or_model_that_is_not_taken(fault: str, cure: str, run: Command) -> None:
    """Exit code 2, one sentence; what was answered before is there."""
    with llm_server(echo, [None, None, fault, *[fault] * 9]) as server:
        ended = run(server, "tracebench@0.1.0", "--concurrency", "1")
    assert (ended.code, ended.stdout, len(lines()), len(server.requests)) == (2, "", 2, 3)
    assert ended.stderr.startswith("rb-run: ")
    assert ended.stderr.count("\n") == 1
    assert cure in ended.stderr
    assert KEY not in ended.stderr


def test_samples_may_grow(run: Command, shelf: dict[str, Release]) -> None:
    """Each sample is asked for itself, cache or not, and only those that are not there."""
    with llm_server(lambda request: str(len(server.requests))) as server:
        run(server, "tracebench@0.1.0", "--limit", "4", "--cache", "kept")
        before = lines()
        ended = run(server, "tracebench@0.1.0", "--limit", "4", "--samples", "3", "--cache", "kept")
    assert (ended.code, "8 asked, 4 there already" in ended.stderr) == (0, True)
    assert lines()[:4] == before
    ids = [row["id"] for row in prompts(shelf["tracebench"].path).rows[:4]]
    assert found() == Counter((name, sample) for name in ids for sample in range(3))
    assert len({line["response"] for line in lines()}) == 12


def test_what_is_in_the_cache_is_not_asked(run: Command) -> None:
    """A run whose file is lost is made again of what was kept."""
    with llm_server(lambda request: str(len(server.requests))) as server:
        run(server, "tracebench@0.1.0", "--limit", "6", "--cache", "kept")
        before = lines()
        Path("p.jsonl").unlink()
        run(server, "tracebench@0.1.0", "--limit", "6", "--cache", "kept")
    assert len(server.requests) == 6
    assert sorted(lines(), key=runner.key) == sorted(before, key=runner.key)


@pytest.mark.parametrize("name", ["reefbench", "tracebench", "twosat"])
def test_a_limit_leaves_few_clusters_in_part(name: str, run: Command, shelf: dict[str, Release]) -> None:
    """The first rows in an order by clusters: at most one is begun and not ended. A later run goes on from there."""
    release = shelf[name]
    size = Counter(map(release.scorer.cluster, release.rows))
    cluster = {row["id"]: release.scorer.cluster(row) for row in release.rows}
    with llm_server(echo) as server:
        assert run(server, f"{name}@0.1.0", "--limit", "7").code == 0
        asked = Counter(cluster[line["id"]] for line in lines())
        assert sum(asked.values()) == 7
        assert sum(asked[each] < size[each] for each in asked) <= 1
        assert run(server, f"{name}@0.1.0", "--limit", "11").code == 0
    assert len(server.requests) == len(found()) == 11


def test_configs_may_stand_in_one_file(run: Command, shelf: dict[str, Release]) -> None:
    """Rows that two configs share are asked once."""
    with llm_server(echo) as server:
        assert run(server, "reefbench@0.1.0", "--config", "main").code == 0
        main = len(lines())
        ended = run(server, "reefbench@0.1.0")
        assert f"{len(shelf['reefbench'].rows) - main} asked, {main} there already" in ended.stderr
        ended = run(server, "reefbench@0.1.0", "--config", "none")
    assert (ended.code, "no config 'none'" in ended.stderr) == (2, True)
    assert found() == wanted(shelf["reefbench"])


def test_a_last_line_that_was_cut_off_is_asked_again(run: Command, shelf: dict[str, Release]) -> None:
    """And nothing else."""
    with llm_server(echo) as server:
        run(server)
        Path("p.jsonl").write_bytes(Path("p.jsonl").read_bytes()[:-9])
        ended = run(server)
    assert (ended.code, "rb-run: p.jsonl: 1 asked" in ended.stderr) == (0, True)
    assert found() == wanted(shelf["tracebench"])


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_run_goes_on(seed: int, run: Command, shelf: dict[str, Release], tmp_path: Path) -> None:
    """Killed at a drawn request: all but what was under way is there, stays as it is, and is not asked again."""
    draw = random.Random(f"kill/{seed}")
    width, samples = draw.choice([1, 3, 8]), draw.choice([1, 2])
    total = len(shelf["tracebench"].rows) * samples
    at = draw.randint(2, total)
    faults = draw.choices([None, "429"], [9, 1], k=at)
    with llm_server(echo, faults) as server:
        reached = server.reached(at)
        process = start(server, tmp_path, shelf, "--samples", str(samples), "--concurrency", str(width))
        assert reached.wait(60)
        process.kill()
        assert process.communicate()[0] == ""
        there = Path("p.jsonl").read_bytes()
        whole = there[: there.rfind(b"\n") + 1]
        assert at - faults.count("429") - width <= whole.count(b"\n") <= len(server.answered)
        before = len(server.requests)
        server.go_on()
        ended = run(server, "tracebench@0.1.0", "--samples", str(samples))
    assert (ended.code, ended.stdout) == (0, "")
    assert Path("p.jsonl").read_bytes().startswith(whole)
    assert len(server.requests) - before == total - whole.count(b"\n")
    assert found() == wanted(shelf["tracebench"], samples)


def test_an_interrupted_run_ends_at_once(shelf: dict[str, Release], tmp_path: Path) -> None:
    """Exit code 130, one sentence, while a reply would be waited for ten minutes."""
    with llm_server(echo) as server:
        reached = server.reached(5)
        process = start(server, tmp_path, shelf, "--concurrency", "2")
        assert reached.wait(60)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    assert stderr.startswith("rb-run: interrupted")
    assert stderr.count("\n") == 1
    assert 3 <= len(lines(tmp_path / "p.jsonl")) <= 4


def test_the_key_is_told_to_nobody(shelf: dict[str, Release], tmp_path: Path) -> None:
    """Neither to files nor streams, though the library logs all it can and the server quotes the key."""
    log = {"OPENAI_LOG": "debug", **environment(shelf)}
    with llm_server(echo, ["429", "400", "500", "broken", None, "401"]) as server:
        options = ("--base-url", server.base_url, "--model", "m", "--out", "p.jsonl", "--cache", "kept", "--concurrency", "1")
        ended = rb_run("tracebench@0.1.0", *options, cwd=tmp_path, **log)
    assert ended.returncode == 2
    assert "DEBUG] " in ended.stderr, "the log is on"
    assert KEY not in ended.stdout + ended.stderr
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_two_at_once_are_refused(run: Command, tmp_path: Path) -> None:
    """One process writes a file; another says so and leaves it alone."""
    with llm_server(echo) as server, journal(tmp_path / "p.jsonl", {}, runner.key):
        ended = run(server)
    assert (ended.code, ended.stdout, server.requests) == (2, "", [])
    assert "is being written by another process" in ended.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": "other"}, 'made with model "m", not "other"'),
        ({"options": ["--temperature", "0"]}, 'made with settings {}, not {"temperature": 0.0}'),
        ({"dataset": "twosat@0.1.0"}, "was made with"),
    ],
    ids=["model", "settings", "dataset"],
)
def test_a_file_of_another_run_is_refused(options: Record, told: str, run: Command) -> None:
    """It names what differs, asks nothing, and changes nothing."""
    with llm_server(echo) as server:
        run(server, "tracebench@0.1.0", "--limit", "2")
        before = Path("p.jsonl").read_bytes()
        more = options.get("options", [])
        ended = run(server, options.get("dataset", "tracebench@0.1.0"), *more, model=options.get("model", "m"))
    assert (ended.code, ended.stdout, len(server.requests)) == (2, "", 2)
    assert told in ended.stderr
    assert Path("p.jsonl").read_bytes() == before


def test_a_file_that_cannot_be_written(run: Command) -> None:
    """One sentence, and nothing is asked."""
    with llm_server(echo) as server:
        ended = run(server, "tracebench@0.1.0", "--out", "absent/p.jsonl")
    assert (ended.code, ended.stdout, server.requests) == (2, "", [])
    assert "absent/p.jsonl: cannot be written" in ended.stderr


@pytest.mark.parametrize(
    ("dataset", "code", "told"),
    [
        ("tracebench@9.9.9", 2, "run rb-build build tracebench@9.9.9, or name the release by its folder"),
        ("nothing", 2, "no such release folder; name a folder or org/name@tag"),
        (".", 2, "no manifest.json there; name a release folder"),
    ],
)
def test_a_release_that_is_not_there(dataset: str, code: int, told: str, run: Command) -> None:
    """One sentence with the cure, which names no option that the command has not."""
    with llm_server(echo) as server:
        ended = run(server, dataset)
    assert (ended.code, ended.stdout) == (code, "")
    assert told in ended.stderr
    assert "--release" not in ended.stderr
    assert not Path("p.jsonl").exists()


def blind_split(release: Release, folder: Path) -> dict[str, str]:
    """A blind split of the rows of a release in a folder; the prompts by the blind ids."""
    recipe = recipes.parse(small(version="0.1.0-f12345678"), "a test's recipe")
    compiled = blind.blind(recipe, release.manifest, release.rows, "default")
    write(folder, {**compiled.files, "manifest.json": canonical.pretty(compiled.manifest)})
    return {row["id"]: row["prompt"] for row in map(json.loads, compiled.files[blind.DATA].splitlines())}


def test_a_blind_split_can_be_asked(run: Command, shelf: dict[str, Release], tmp_path: Path) -> None:
    """Prompts need no gold. A file that is not as listed is refused with both digests."""
    asked = blind_split(shelf["tracebench"], tmp_path / "blind")
    with llm_server(echo) as server:
        assert run(server, tmp_path / "blind").code == 0
        assert {line["id"]: line["response"] for line in lines()} == {k: f"No. {crc32(v.encode())}" for k, v in asked.items()}
        data = tmp_path / "blind" / blind.DATA
        data.write_bytes(data.read_bytes()[:-1])
        ended = run(server, tmp_path / "blind")
    listed = read_manifest(tmp_path / "blind")["files"][blind.DATA]["sha256"]
    assert (ended.code, "sha256 is" in ended.stderr, listed in ended.stderr) == (3, True, True)


def test_the_extra_is_missing(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library openai: one sentence, exit code 2, and no file is begun."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with llm_server(echo) as server:
        ended = run(server)
    assert ended == (2, "", "rb-run: asking a model needs the library openai; pip install 'rb-verify[llm]'\n")
    assert not Path("p.jsonl").exists()
