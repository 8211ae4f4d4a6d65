"""Entries for .eval_results: what the real client reads back is the report's score, and nothing of the submission."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import EvalResultEntry, parse_eval_result_entries

from hub_server import Files, Hub, environment, serve
from rb_build import folder
from rb_build import recipe as recipes
from rb_build.release import compile_release
from rb_verify import canonical, evaluate, reefbench
from rb_verify.errors import UnusableInput
from rb_verify.eval_results import dump, entries, origin
from rb_verify.release import load
from rb_verify.report import Report
from small_recipe import small
from small_reefbench import small_reefbench

REPO = "org/tracebench"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
RB_VERIFY = "from rb_verify.cli import main; main()"
HOSTILE = 'x"\n- dataset: {id: evil/set, task_id: t}\n  value: 100\n  verifyToken: "stolen"\n#\u2028é'


@pytest.fixture(scope="module")
def small_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small release of TRACEBench."""
    compiled = compile_release(recipes.trusted(small()))
    place = tmp_path_factory.mktemp("small") / "tracebench"
    folder.write(place, compiled.files | {"manifest.json": canonical.pretty(compiled.manifest)})
    return place


@pytest.fixture(scope="module")
def hub(small_release: Path) -> Iterator[Hub]:
    """A Hub that has it as tags v0.1.0 and, which no release should be, latest."""
    files: Files = {
        path.relative_to(small_release).as_posix(): path.read_bytes() for path in small_release.rglob("*") if path.is_file()
    }
    with serve({REPO: {"v0.1.0": files, "latest": files}}) as running:
        yield running


@pytest.fixture(scope="module")
def third(small_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submission that proves every third row of the 75 of config default, and says something hostile to the others."""
    loaded = load(small_release)
    assert len(loaded.rows) == 75
    path = tmp_path_factory.mktemp("third") / "predictions.jsonl"
    said = [loaded.scorer.perfect(row) if n % 3 == 0 else HOSTILE for n, row in enumerate(loaded.rows)]
    path.write_bytes(canonical.lines({"id": r["id"], "response": s} for r, s in zip(loaded.rows, said, strict=True)))
    return path


@pytest.fixture(scope="module")
def scored(small_release: Path, third: Path) -> Report:
    """The report on it."""
    return evaluate(third, small_release)


def run(program: str, *arguments: str | Path, hub: Hub, home: Path) -> subprocess.CompletedProcess[str]:
    """Run rb-verify as a client of the Hub, in the folder ``home``."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, cwd=home, env=environment(hub.url, home / "hf"), capture_output=True, text=True)


def changed(report: Report, **entries: Any) -> Report:
    """A report with some of its entries replaced."""
    return Report({**report.data, **entries})


def test_command_writes_what_the_client_reads(hub: Hub, third: Path, scored: Report, tmp_path: Path) -> None:
    """--eval-results holds one entry that huggingface_hub reads: dataset, tag, per cent, day; nothing the model said."""
    (tmp_path / "submission.json").write_bytes(canonical.pretty({"model": HOSTILE}))
    made = run(
        RB_VERIFY, third, "--release", f"{REPO}@v0.1.0", "--eval-results", "score.yaml", "--submission", "submission.json",
        hub=hub, home=tmp_path,
    )  # fmt: skip
    assert (made.returncode, made.stderr) == (0, "")
    text = (tmp_path / "score.yaml").read_text("utf-8")
    (entry,) = parse_eval_result_entries(yaml.safe_load(text))
    assert isinstance(entry.date, str)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry.date)
    commit = hub.refs[REPO]["v0.1.0"]
    assert entry == entries(scored, REPO, "v0.1.0", commit, entry.date)[0]
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == (REPO, "tracebench_default", commit)
    assert entry.value == 33.33  # 25 of 75
    assert not any(word in text for word in ("evil", "stolen", "verifyToken", "source"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hf", "score.yaml", "submission.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no --release: an entry for the Hub names the dataset there; score with --release ORG/NAME@TAG"),
        (["--release", REPO], f"{REPO}: an entry for the Hub"),
        (["--release", "{folder}"], "score with --release ORG/NAME@TAG"),
        (["--release", f"{REPO}@v0.1.0", "--partial"], "score every row, without --partial"),
        (["--release", f"{REPO}@latest"], f"{REPO}@latest: holds version 0.1.0; name its tag v0.1.0"),
    ],
    ids=["found by ids", "no tag", "folder", "partial", "other tag"],
)
def test_what_nobody_can_check_is_refused(
    hub: Hub, third: Path, small_release: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    """A score that names no tag of the Hub, or is partial, makes no entry: one sentence, exit code 2, nothing written."""
    named = [text.format(folder=small_release) for text in arguments]
    made = run(RB_VERIFY, third, "--eval-results", "score.yaml", "--json", "r.json", *named, hub=hub, home=tmp_path)
    assert (made.returncode, made.stdout) == (2, "")
    assert made.stderr.startswith("rb-verify: ")
    assert made.stderr.count("\n") == 1, made.stderr
    assert said in made.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"hf"}


@pytest.mark.parametrize("blocked", ["m = types.ModuleType('huggingface_hub')", "m = None"], ids=["too old", "missing"])
def test_client_without_the_helpers(hub: Hub, third: Path, scored: Report, blocked: str) -> None:
    """Where huggingface_hub is missing or has no such helpers, the message names the extra and the version."""
    program = f"""
import sys, types
{blocked}
sys.modules["huggingface_hub"] = m
from rb_verify.eval_results import entries
from rb_verify.errors import UnusableInput
try:
    entries(None, "org/tracebench", "v0.1.0", "c", "2026-11-30")
except UnusableInput as refused:
    print(refused)
"""
    made = run(program, hub=hub, home=third.parent)
    cure = "pip install 'rb-verify[hub]' 'huggingface_hub>=1.4'"
    assert made.stdout == f"an entry for the Hub needs huggingface_hub>=1.4; {cure}\n", made.stderr


def test_entry_in_full(scored: Report) -> None:
    """The note tells, in one line, what the score is, of how much, how sure, and by which signature."""
    (entry,) = entries(scored, REPO, "v0.1.0", COMMIT, "2026-11-30")
    low, high = scored.data["interval"]
    assert entry == EvalResultEntry(
        dataset_id=REPO,
        task_id="tracebench_default",
        value=33.33,
        dataset_revision=COMMIT,
        date="2026-11-30",
        notes=f"grounded, per cent; n 75; 95 % interval {100 * low:.1f} to {100 * high:.1f}; answer accuracy 33.33; "
        f"tag v0.1.0; self-reported; the gold of this release is public; {scored.signature}",
    )


def test_dates_and_numbers_keep_their_types(scored: Report) -> None:
    """YAML readers get the date as text, not as a day, the score as a number, and one line of note."""
    text = dump(scored, REPO, "v0.1.0", COMMIT, "2026-11-30")
    assert "date: '2026-11-30'\n" in text
    (data,) = yaml.safe_load(text)
    assert data["date"] == "2026-11-30"
    assert data["value"] == 33.33
    assert data["dataset"] == {"id": REPO, "task_id": "tracebench_default", "revision": COMMIT}
    assert text.count("\n") == 7
    assert parse_eval_result_entries([data]) == entries(scored, REPO, "v0.1.0", COMMIT, "2026-11-30")


def test_fresh_split_does_not_claim_public_gold(scored: Report) -> None:
    """The entry of a fresh split says what its report says, not that its gold is public."""
    standing = "self-reported; a fresh split, whose gold is public once its seed is"
    fresh = changed(scored, version="0.1.0-fabcdef12", config="deep", standing=standing)
    (entry,) = entries(fresh, "org/tracebench-fabcdef12", "v0.1.0-fabcdef12", COMMIT, "2026-11-30")
    assert f"; {standing}; " in str(entry.notes)
    assert (entry.dataset_id, entry.task_id) == ("org/tracebench-fabcdef12", "tracebench_deep")


def test_partial_report_is_refused(small_release: Path, third: Path) -> None:
    """A report that left rows out makes no entry, though every row it has was scored."""
    partial = evaluate(third, small_release, partial=True)
    assert partial.complete
    with pytest.raises(UnusableInput, match="without --partial"):
        entries(partial, REPO, "v0.1.0", COMMIT, "2026-11-30")


@pytest.mark.parametrize(("config", "headline", "n"), [("default", "pairs", 12), ("main", "accuracy", 12)])
def test_reefbench_score_is_of_pairs(tmp_path: Path, config: str, headline: str, n: int) -> None:
    """Of a config with both rows of each pair the score is the share of pairs; of main alone it is accuracy."""
    compiled = compile_release(recipes.trusted(small_reefbench()))
    folder.write(tmp_path / "release", compiled.files | {"manifest.json": canonical.pretty(compiled.manifest)})
    rows = load(tmp_path / "release", config).rows
    (tmp_path / "p.jsonl").write_bytes(canonical.lines({"id": row["id"], "response": reefbench.perfect(row)} for row in rows))
    (entry,) = entries(
        evaluate(tmp_path / "p.jsonl", tmp_path / "release", config=config), "org/reefbench", "v0.1.0", COMMIT, "2026-11-30"
    )
    assert entry.value == 100.0
    assert str(entry.notes).startswith(f"{headline}, per cent; n {n}; ")


@pytest.mark.parametrize("name", ["a/b@v1/../../x", "a/b/c@v1", "a/b@", "@v1", "./b@v1", "a/b@v1\n", "a/b@v1@v2", ""])
def test_names_that_are_not_of_the_hub(name: str) -> None:
    """Only org/name@tag is an origin."""
    with pytest.raises(UnusableInput, match="ORG/NAME@TAG"):
        origin(name)


def test_folder_of_that_name_is_not_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder has the very name, that is what --release reads, so the score did not come from the Hub."""
    monkeypatch.chdir(tmp_path)
    assert origin("org/set@v1.0.0") == ("org/set", "v1.0.0")
    (tmp_path / "org" / "set@v1.0.0").mkdir(parents=True)
    with pytest.raises(UnusableInput, match="ORG/NAME@TAG"):
        origin("org/set@v1.0.0")
