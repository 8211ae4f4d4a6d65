"""The two packages as users get them: wheels built from sdists, in clean environments, run far from any checkout."""

from __future__ import annotations

import ast
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import REPO
from environments import Environment, end, python_with, run
from hub_server import environment, serve
from rb_verify import canonical, tracebench
from small_reefbench import small_reefbench
from small_stories import small_stories

VERIFIERS = REPO / "verifiers"
HEAVY = {"datasets", "pyarrow", "pandas", "huggingface-hub", "networkx", "openai"}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python, outside all that is tested, that has pip and build."""
    return python_with("build", tmp_path_factory.mktemp("tools"))


def wheel(tools: Path, source: Path, folder: Path) -> Path:
    """Build the sdist of a project into ``folder``, and its wheel from that sdist alone; the wheel's path."""
    run(tools, "-m", "build", "--outdir", folder, source, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def verify_wheel(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of rb-verify."""
    return wheel(tools, VERIFIERS, tmp_path_factory.mktemp("rb-verify"))


@pytest.fixture(scope="module")
def verifier(tools: Path, verify_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with rb-verify alone."""
    environment = Environment(tmp_path_factory.mktemp("verifier") / "venv", tools)
    environment.install(verify_wheel)
    return environment


@pytest.fixture(scope="module")
def builder(tools: Path, verify_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with rb-build, and no extra."""
    folder = tmp_path_factory.mktemp("builder")
    environment = Environment(folder / "venv", tools)
    environment.install(wheel(tools, REPO, folder), verify_wheel)
    return environment


@pytest.mark.slow
def test_verifier_installs_small(verifier: Environment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """rb-verify installs without any library for data sets, and without networkx; its size and cold start are shown."""
    packages = verifier.packages()
    assert "rb-verify" in packages
    assert not packages & HEAVY
    starts = []
    for _ in range(5):
        began = time.perf_counter()
        assert run(verifier.command("rb-verify"), "--version", cwd=tmp_path).startswith("rb-verify 1.")
        starts.append(time.perf_counter() - began)
    with capsys.disabled():
        print(
            f"\nrb-verify alone: {len(packages)} packages, {verifier.megabytes():.1f} MB of site-packages, "
            f"--version in {statistics.median(starts):.2f} s (median of 5)"
        )


@pytest.mark.slow
def test_verifier_scores_outside_a_checkout(verifier: Environment, release: Path, row: dict[str, Any], tmp_path: Path) -> None:
    """The installed rb-verify scores a prediction, as a command and as a library, from a folder that has nothing else."""
    (tmp_path / "one.jsonl").write_bytes(canonical.lines([{"id": row["id"], "response": tracebench.perfect(row)}]))
    options = ("--release", release, "--partial", "--format", "json")
    report = json.loads(run(verifier.command("rb-verify"), "one.jsonl", *options, cwd=tmp_path))
    assert (report["score"], report["n"]) == (1.0, 1)
    program = (
        "import sys, rb_verify\n"
        "print(rb_verify.__file__, rb_verify.evaluate('one.jsonl', sys.argv[1], partial=True).score, sep='\\n')"
    )
    where, score = run(verifier.command("python"), "-c", program, release, cwd=tmp_path).splitlines()
    assert Path(where).is_relative_to(verifier.path)
    assert score == "1.0"


@pytest.mark.slow
def test_verifier_has_its_labelled_sentences(verifier: Environment, tmp_path: Path) -> None:
    """They are in the wheel, and the rules read them there as here."""
    found = json.loads(run(verifier.command("rb-parse"), "labelled", "--parser", "rules", "--format", "json", cwd=tmp_path))
    assert [(each["set"], each["sentences"]) for each in found["parsers"][0]["sets"]] == [
        ("before", 231),
        ("after", 256),
        ("held_out", 288),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["rb-run NAME --out out", "rb-parse run FILE --out out", "rb-parse labelled"])
def test_verifier_names_the_extra(verifier: Environment, release: Path, tmp_path: Path, command: str) -> None:
    """Without the library that asks models, each command that does is refused in one sentence, and nothing is written."""
    (tmp_path / "predictions.jsonl").write_text('{"id": "reefbench-1-0-0-l03-i000-main", "response": ""}\n')
    words = [{"NAME": str(release), "FILE": "predictions.jsonl"}.get(word, word) for word in command.split()]
    options = ("--base-url", "http://127.0.0.1:1/v1", "--model", "m")
    ended = end(verifier.command(words[0]), *words[1:], *options, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"{words[0]}: asking a model needs the library openai; pip install 'rb-verify[llm]'\n"
    assert [path.name for path in tmp_path.iterdir()] == ["predictions.jsonl"]


@pytest.mark.slow
def test_builder_rebuilds_outside_a_checkout(builder: Environment, release: Path, tmp_path: Path) -> None:
    """The installed rb-build makes the frozen release from what is in its wheel, and checks it."""
    rb_build, built = builder.command("rb-build"), tmp_path / "built"
    run(rb_build, "build", "tracebench@1.0.0", "--out", built, cwd=tmp_path)
    assert contents(built) == contents(release)
    assert "sound" in run(rb_build, "check", built, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["built"]
    gold = run(rb_build, "gold", built, cwd=tmp_path)
    report = json.loads(
        run(builder.command("rb-verify"), "-", "--release", built, "--format", "json", cwd=tmp_path, given=gold)
    )
    assert (report["score"], report["n"]) == (1.0, 1200)


@pytest.mark.slow
def test_builder_publishes_outside_a_checkout(builder: Environment, tmp_path: Path) -> None:
    """The installed commands do all that docs/submit.md tells of, and a fresh split, with a release of one's own."""
    rb_build, rb_verify = builder.command("rb-build"), builder.command("rb-verify")
    (tmp_path / "recipe.json").write_text(json.dumps(small_reefbench()))
    with serve({}) as hub:
        surroundings = environment(hub.url, tmp_path / "home")

        def build(*arguments: str | Path) -> str:
            return run(rb_build, *arguments, cwd=tmp_path, env=surroundings)

        build("build", "recipe.json", "--out", "built")
        assert "sound" in build("check", "built")
        build("freeze", "recipe.json")
        assert contents(tmp_path / "built") == contents(tmp_path / "releases" / "reefbench" / "0.1.0")
        assert "structures in common with reefbench@0.1.0, reefbench@1.0.0: none" in build(
            "fresh", "reefbench@0.1.0", "--seed", "x", "--out", "fresh"
        )

        name, commitment = build("commit", "reefbench@0.1.0", "--seed-file", "secret.json").split()
        version = name.removeprefix("reefbench@")
        mark = version.removeprefix("0.1.0-")
        release, blind = (f"org/reefbench-{mark}@v{version}{ending}" for ending in ("", "-blind"))
        build("build", "secret.json", "--out", "secret")
        assert f"commitment {commitment}\n" in build("export", "secret", "--blind", "--out", "blind")
        assert f"{blind}: published" in build("push", "blind", "--org", "org")
        assert "every file is as its own manifest lists it" in build("audit", blind)
        build("export", "blind", "--format", "openai-batch", "--model", "m", "--out", "requests")
        build("reveal", "--seed-file", "secret.json", "--commitment", commitment, "--split", blind, "--out", "revealed")
        assert contents(tmp_path / "revealed") == contents(tmp_path / "secret")
        assert f"{release}: published" in build("push", "revealed", "--org", "org")
        assert "rebuilt from its own recipe: every byte is the same" in build("audit", release)

        requests = lines(tmp_path / "requests" / "default-test.jsonl")
        asked = {request["custom_id"]: request["body"]["messages"][0]["content"] for request in requests}
        rows = {row["id"]: row for path in (tmp_path / "revealed" / "data").iterdir() for row in lines(path)}
        gold = [json.loads(line) for line in build("gold", "revealed").splitlines()]
        answers = {rows[each["id"]]["prompt"]: each["response"] for each in gold}
        (tmp_path / "answers.jsonl").write_bytes(
            canonical.lines({"id": name, "response": answers[prompt]} for name, prompt in asked.items())
        )
        options = ("answers.jsonl", "--release", release, "--format", "json")
        report = json.loads(run(rb_verify, *options, cwd=tmp_path, env=surroundings))
    assert (report["score"], report["n"]) == (1.0, len(gold))
    assert len(gold) == 24


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(("format", "library"), [("csv", "pandas"), ("parquet", "pyarrow")])
def test_builder_names_the_extra(builder: Environment, tmp_path: Path, format: str, library: str) -> None:
    """Without the extra, formats that need it are refused in one sentence that names it, and nothing is written."""
    (tmp_path / "recipe.json").write_text(json.dumps(small_reefbench()))
    run(builder.command("rb-build"), "build", "recipe.json", "--out", "built", cwd=tmp_path)
    ended = end(builder.command("rb-build"), "export", "built", "--format", format, "--out", "out", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"rb-build: {library}: is not installed; pip install 'rb-build[export]'\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_builder_builds_stories_outside_a_checkout(builder: Environment, tmp_path: Path) -> None:
    """A release of stories is made of its recipe, and checked, where no model can be asked."""
    (tmp_path / "recipe.json").write_text(json.dumps(small_stories()))
    run(builder.command("rb-build"), "build", "recipe.json", "--out", "built", cwd=tmp_path)
    assert "sound" in run(builder.command("rb-build"), "check", "built", cwd=tmp_path)
    assert "openai" not in builder.packages()


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_packaged_schemas_are_the_projects() -> None:
    """The schemas inside rb-verify are those of schemas/, byte for byte."""
    packaged = contents(VERIFIERS / "rb_verify" / "schemas")
    assert packaged
    assert packaged.items() <= contents(REPO / "schemas").items()


def test_verifier_never_imports_the_builder() -> None:
    """No module of rb-verify imports rb_build, so a verdict cannot depend on how a row was made."""
    sources = sorted((VERIFIERS / "rb_verify").rglob("*.py"))
    assert sources
    for source in sources:
        for node in ast.walk(ast.parse(source.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.partition(".")[0] == "rb_build"], source


def test_command_starts_light(tmp_path: Path) -> None:
    """Importing the command brings in none of the libraries that only some runs need."""
    late = ["jsonschema", "rich", "networkx", "huggingface_hub"]
    program = f"import sys, rb_verify.cli; print([name for name in {late} if name in sys.modules])"
    assert run(sys.executable, "-c", program, cwd=tmp_path).strip() == "[]"
