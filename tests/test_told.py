"""The command rb-build stories: from a 2-SAT release and a model to a release of stories, whatever happens on the way."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import openai
import pytest

from commands import Run, rb_build
from llm_server import Fault, Request, Said, Server, llm_server
from rb_build import recipe as recipes
from rb_build import telling_prompts
from rb_build.cli import app
from rb_build.errors import UnusableRecipe
from rb_build.streams import Stream
from rb_build.telling import plain_story
from rb_build.told import plan, statistics
from rb_verify import evaluate, llm
from rb_verify.endpoint import Endpoint
from rb_verify.errors import UnusableInput
from scripted_teller import Teller
from small_recipe import small
from small_twosat import cell, small_twosat

KEY = "sk-distinctive-7f3a91"
CELLS = [
    cell("ImplicationCycle", 5, "rows", formulas=2),
    cell("Backbone", 6, "rows", formulas=2),
    cell("Backbone", 150, "large", formulas=1, perturbation={"kind": "copies", "copies": 4, "layout": "grouped"}),
]
BASE = small_twosat(
    params={"cells": CELLS, "schemes": ["logic", "room"]},
    configs={"default": {"test": ["rows"]}, "large": {"test": ["large"]}},
)
FORMULAS = [f"twosat-0-1-0-{name}" for name in ("ic005-f0", "ic005-f1", "bb006-f0", "bb006-f1")]
SCRIPT = {("spy", 1): ["flipped"], ("spy", 4): ["foreign", "cut"], ("detective", 0): ["prose", "long", "last"]}
CLAUSES = 5 + 5 + 6 + 6  # of the four formulas


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where a small 2-SAT release and a TRACE one are frozen."""
    root = tmp_path_factory.mktemp("told")
    for recipe in (small(), BASE):
        (root / "recipe.json").write_text(json.dumps(recipe))
        assert run(["freeze", "recipe.json", "--workers", "1"], root).returncode == 0
    return root


@pytest.fixture
def place(home: Path, tmp_path: Path) -> Path:
    """A folder that has the releases of ``home``."""
    (tmp_path / "releases").symlink_to(home / "releases")
    return tmp_path


def stories(place: Path, server: Server, *more: str, out: str = "out") -> Run:
    """Run the command with themes and endpoint in this process."""
    return run(command(server, *more, out=out), place)


def run(arguments: list[str], place: Path, **environment: str) -> Run:
    """Run rb-build in this process; what waits half a second before it tries again waits for no time."""
    said, complained = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(complained):
        patch.chdir(place)
        patch.setattr(openai._base_client, "INITIAL_RETRY_DELAY", 0.01)
        patch.setattr(llm, "_FIRST_PAUSE", 0.01)
        for name in ("OPENAI_BASE_URL", "RB_MODEL", "RB_ORG", "RB_RELEASES"):
            patch.delenv(name, raising=False)
        for name, value in ({"OPENAI_API_KEY": KEY} | environment).items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            app(arguments)
    return Run(arguments, int(ended.value.code or 0), said.getvalue(), complained.getvalue())


def command(server: Server, *more: str, out: str = "out") -> list[str]:
    """Its arguments; options that are given again count as given last."""
    themes = [] if "--theme" in more else ["--theme", "spy", "--theme", "detective"]
    address = ["--base-url", server.base_url, "--model", "scripted", "--retries", "2", "--workers", "1"]
    return ["stories", "twosat@0.1.0", *themes, "--out", out, *address, *more]


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def dateless(folder: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """What of a release does not depend on the day: the bytes of its data files and schemas, and its recipe without dates."""
    files, recipe = bytes_of(folder), json.loads((folder / "recipe.json").read_bytes())
    del recipe["released"], recipe["params"]["teller"]["asked"]
    return {name: data for name, data in files.items() if name.startswith(("data/", "schemas/"))}, recipe


def told(place: Path, out: str = "out") -> list[dict[str, Any]]:
    """The stories that are kept."""
    return [json.loads(line) for line in (place / f"{out}.told.jsonl").open("rb")]


def told_once(place: Path, out: str = "out") -> None:
    """Every story is kept once."""
    kept = Counter((line["formula"], line["theme"]) for line in told(place, out))
    assert kept == Counter({(formula, theme): 1 for formula in FORMULAS for theme in ("spy", "detective")})


@pytest.fixture(scope="module")
def good(home: Path) -> tuple[Path, Run, Server]:
    """A release that was told without a break."""
    with llm_server(Teller(SCRIPT)) as server:
        ended = stories(home, server)
    assert ended.returncode == 0, ended.stderr
    return home / "out", ended, server


def test_recipe(good: tuple[Path, Run, Server], home: Path) -> None:
    """The recipe has all that was told, in order, and who told it when; nothing of it is drawn anew."""
    folder, _, server = good
    recipe = json.loads((folder / "recipe.json").read_bytes())
    base = json.loads((home / "releases/twosat/0.1.0/manifest.json").read_bytes())
    kept = {(line["formula"], line["theme"]): line for line in told(home)}
    params = recipe["params"]
    days = sorted(day for line in kept.values() for day in line["asked"])
    assert params["base"] == {"content_digest": base["content_digest"], "dataset": "twosat", "version": "0.1.0"}
    assert params["teller"] == {
        "asked": [days[0], days[-1]],
        "endpoint": "chat completions, local",
        "model": "scripted",
        "prompts": telling_prompts.digest(),
    }
    assert params["templates"] == ["logic", "room"]
    assert [formula["formula"] for formula in params["formulas"]] == FORMULAS
    rows = {row["formula"]: row for row in map(json.loads, (home / "releases/twosat/0.1.0/data/rows.jsonl").open("rb"))}
    for formula in params["formulas"]:
        assert formula.items() <= rows[formula["formula"]].items()
        assert rows[formula["formula"]].keys() - formula.keys() == {"canary", "entities", "id", "prompt", "scheme"}
    assert [(story["formula"], story["theme"]) for story in params["stories"]] == [
        (formula, theme) for formula in FORMULAS for theme in ("spy", "detective")
    ]
    for story in params["stories"]:
        line = kept[story["formula"], story["theme"]]
        assert story == {name: line[name] for name in line if name not in ("asked", "models")}
        n = len(story["paragraphs"])
        expected = [1, 2, 1, 1, 3, 1] if story["theme"] == "spy" else [0, 1, 1, 1, 1, 1]
        assert story["attempts"] == expected[:n]
    assert recipe["released"] == days[-1]
    assert recipe["seed"] == "small"
    assert recipe["canary"] == "stories canary cb17f746-7035-50e7-8586-bb72ab1c5fa9"
    assert recipe["version"] == "1.0.0"
    assert {header["authorization"] for header in server.headers} == {f"Bearer {KEY}"}


def test_what_is_said(good: tuple[Path, Run, Server]) -> None:
    """The release, its digest, and how its clauses came about beside the paper's figures; nothing on stderr."""
    folder, ended, _ = good
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert ended.stderr == ""
    assert ended.stdout.startswith(f"out: stories 1.0.0, 16 rows, content digest {manifest['content_digest']}\n")
    n, fallback = 2 * CLAUSES, 4
    first = n - fallback - 2 * 4  # of each formula two clauses are told again as spy, one fails as detective
    assert ended.stdout.endswith(
        f"  clauses told {n}; validated at the first attempt {100 * first / n:.1f} % (the paper: 95.4 %); "
        f"fallback sentences {100 * fallback / n:.1f} % (the paper: 3.3 %)\n"
    )


def test_no_model_is_needed_any_more(good: tuple[Path, Run, Server], tmp_path: Path) -> None:
    """The release checks sound; its recipe gives the same bytes; perfect answers to it score 1."""
    folder, _, _ = good
    ended = run(["check", str(folder), "--workers", "1"], tmp_path)
    assert (ended.returncode, ended.stdout) == (0, f"{folder}: sound; every checksum, schema and gold label holds\n")
    ended = run(["build", str(folder / "recipe.json"), "--out", "again", "--workers", "1"], tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert bytes_of(tmp_path / "again") == bytes_of(folder)
    for config, rows in (("default", 8), ("templates", 8), ("paired", 16)):
        gold = run(["gold", str(folder), "--config", config], tmp_path).stdout
        (tmp_path / "gold.jsonl").write_text(gold, "utf-8")
        report = evaluate(tmp_path / "gold.jsonl", folder, config=config)
        assert (report.data["score"], report.complete, len(gold.splitlines())) == (1.0, True, rows)


def test_run_again(good: tuple[Path, Run, Server], home: Path) -> None:
    """The same command asks nothing, and writes the same; what is not told yet is not written over a release."""
    folder, before, server = good
    was, asked = bytes_of(folder), len(server.requests)
    ended = stories(home, server)  # the server has gone
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, before.stdout, "")
    assert bytes_of(folder) == was
    ended = stories(home, server, "--theme", "spy", "--theme", "heist")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "rb-build: out: exists and is not this release; name an empty or new folder with --out\n"
    assert (bytes_of(folder), len(server.requests)) == (was, asked)


def test_no_key_anywhere(good: tuple[Path, Run, Server], place: Path) -> None:
    """The key is sent, and stands in no file and no line that is printed, even where the library logs all it does."""
    folder, ended, _ = good
    files = bytes_of(folder.parent)
    assert {"out.told.jsonl", "out.told.jsonl.about.json", "out/recipe.json"} <= files.keys()
    with llm_server(Teller(SCRIPT), ["401"]) as server:
        refused = stories(place, server, out="refused")
    with llm_server(Teller(), ["500", "429"]) as server:
        arguments = command(server, "--formulas", "1", "--cache", "cache", out="verbose")
        verbose = rb_build(*arguments, cwd=place, OPENAI_API_KEY=KEY, OPENAI_LOG="debug")
    assert refused.returncode == 2
    assert "refuses the key (HTTP 401)" in refused.stderr
    assert verbose.returncode == 0
    assert list((place / "cache").rglob("*.json"))
    assert "DEBUG" in verbose.stderr
    files |= bytes_of(place)
    said = "".join(each.stdout + each.stderr for each in (ended, refused, verbose))
    assert not [name for name, data in files.items() if KEY.encode() in data]
    assert KEY not in said


def test_formulas_themes_and_templates(place: Path) -> None:
    """The first of each cell, in one theme, beside one scheme, under another version; a scheme need not be the base's."""
    more = ("--theme", "heist", "--formulas", "1", "--templates", "door", "--version", "2.0.0")
    with llm_server(Teller()) as server:
        ended = stories(place, server, *more)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("out: stories 2.0.0, 4 rows")
    recipe = json.loads((place / "out/recipe.json").read_bytes())
    assert [story["formula"] for story in recipe["params"]["stories"]] == [FORMULAS[0], FORMULAS[2]]
    assert {story["theme"] for story in recipe["params"]["stories"]} == {"heist"}
    assert recipe["params"]["templates"] == ["door"]
    rows = [json.loads(line) for path in (place / "out/data").iterdir() for line in path.open("rb")]
    assert Counter(row["scheme"] for row in rows) == {"heist": 2, "door": 2}


def test_another_model_answers(place: Path) -> None:
    """Where the endpoint says that another model has answered, the release tells both."""

    def answer(request: Request) -> Said:
        request["model"] = "scripted-2026-11"
        return Teller()(request)

    with llm_server(answer) as server:
        ended = stories(place, server, "--theme", "spy", "--formulas", "1")
    assert ended.returncode == 0, ended.stderr
    assert json.loads((place / "out/recipe.json").read_bytes())["params"]["teller"]["model"] == "scripted (scripted-2026-11)"


# ---- What goes wrong ---------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "dataset": (
        lambda a: ["stories", "tracebench@0.1.0", *a[2:]],
        "is of tracebench, whose rows are not clauses; name a release",
    ),
    "release": (lambda a: ["stories", "nowhere", *a[2:]], "nowhere: no such release folder; name a folder or org/name@tag"),
    "version": (lambda a: ["stories", "twosat@7.0.0", *a[2:]], "twosat 7.0.0 is not built in"),
    "config": (lambda a: [*a, "--config", "absent"], "no config 'absent' with a test split; choose one of default, large"),
    "theme": (lambda a: [*a, "--theme", "romance"], "no theme 'romance' is known; choose from spy, heist, detective"),
    "scheme": (lambda a: [*a, "--templates", "spy"], "no scheme 'spy' is known; choose from logic, letter"),
    "own version": (lambda a: [*a, "--version", "one"], "the recipe of the stories: $.version: 'one' does not match"),
    "too large": (lambda a: [*a, "--config", "large"], "theme spy names at most 400 variables, not 496"),
    "settings": (lambda a: [*a, "--extra", "{"], "--extra is not sound JSON"),
    "address": (lambda a: [*a, "--base-url", "ftp://x"], "ftp://x: is no address of an endpoint"),
    "out": (lambda a: [*a, "--out", "full"], "full: exists and is not this release; name an empty or new folder with --out"),
    "file": (lambda a: [*a, "--out", "full/file"], "full/file: exists and is not this release"),
    "place": (lambda a: [*a, "--out", "full/file/out"], "full/file: cannot be made (File exists); choose another folder"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_input(case: str, place: Path) -> None:
    """One sentence and exit code 2, before anything is asked or written."""
    change, said = WRONG[case]
    (place / "full").mkdir()
    (place / "full/file").touch()
    before = sorted(place.rglob("*"))
    with llm_server(Teller()) as server:
        ended = run(change(command(server)), place)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("rb-build: ")
    assert ended.stderr.count("\n") == 1
    assert said in ended.stderr
    assert (sorted(place.rglob("*")), server.requests) == (before, [])


def test_no_model(place: Path) -> None:
    """A model must be named, and may be by the environment."""
    arguments = ["stories", "twosat@0.1.0", "--theme", "spy", "--out", "out", "--formulas", "1", "--workers", "1"]
    ended = run(arguments, place, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert (ended.returncode, ended.stderr) == (2, "rb-build: no model is named; name one with --model or $RB_MODEL\n")
    with llm_server(Teller()) as server:
        ended = run(arguments, place, OPENAI_BASE_URL=server.base_url, RB_MODEL="other")
    assert ended.returncode == 0, ended.stderr
    assert {request["model"] for request in server.requests} == {"other"}


def test_others_do_not_go_on(place: Path) -> None:
    """What one model told, or told with other settings, is not gone on with by another."""
    with llm_server(Teller(), ["400"]) as server:
        assert stories(place, server).returncode == 2
        was, asked = bytes_of(place), len(server.requests)
        for more, said in (
            (("--model", "other"), 'model "scripted", not "other"'),
            (("--temperature", "0.5"), 'settings {}, not {"temperature": 0.5}'),
        ):
            ended = stories(place, server, *more)
            assert (ended.returncode, ended.stdout) == (2, "")
            assert ended.stderr.endswith(f"out.told.jsonl: was made with {said}; ask as before, or name another file\n")
    assert (bytes_of(place), len(server.requests)) == (was, asked)


@pytest.mark.parametrize("fault", ["400", "500"])
def test_a_story_that_cannot_be_told(place: Path, good: tuple[Path, Run, Server], fault: str) -> None:
    """The others are told and kept, nothing else is written, and the same command asks for the one that is not there."""
    faults: list[Fault] = ["400"] if fault == "400" else [None, None, *["500"] * 3]
    with llm_server(Teller(SCRIPT), faults) as server:
        ended = stories(place, server, "--concurrency", "1")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith(
            f"rb-build: stories that could not be told: 1, the first twosat-0-1-0-ic005-f0 as spy: HTTP {fault}: "
        )
        assert ended.stderr.endswith(
            "; 7 of 8 stories are told and kept in out.told.jsonl, and the same command goes on from there\n"
        )
        assert not (place / "out").exists()
        asked = len(server.requests)
        ended = stories(place, server)
    assert ended.returncode == 0, ended.stderr
    told_once(place)
    # the story's own: an introduction, 5 clauses, one of them told twice and one three times, and what the reader was asked
    assert len(server.requests) - asked == 1 + 4 * 5 + 3 + (2 + 1)
    assert server.requests[asked]["messages"] == server.requests[0]["messages"]
    assert dateless(place / "out") == dateless(good[0])


def test_a_damaged_line(place: Path) -> None:
    """A kept story that lacks a part, as after an edit, is not gone on with."""
    with llm_server(Teller(), ["400"]) as server:
        assert stories(place, server, "--concurrency", "1").returncode == 2
        kept = told(place)
        del kept[1]["models"]
        (place / "out.told.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept))
        ended = stories(place, server)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.endswith("out.told.jsonl: line 2 is damaged; remove that line, and run again\n")


def test_a_key_that_is_refused(place: Path) -> None:
    """The run ends at once; what is told is kept, and the command goes on with another key."""
    with llm_server(Teller(SCRIPT), [*[None] * 40, "401"]) as server:
        ended = stories(place, server, "--concurrency", "1")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "refuses the key (HTTP 401); set $OPENAI_API_KEY, or name --key-file; 1 of 8 stories are told" in ended.stderr
        assert len(server.requests) == 41
        assert [line["theme"] for line in told(place)] == ["spy"]
        assert stories(place, server).returncode == 0
    told_once(place)


# ---- Killed, and gone on with ------------------------------------------------------------------------------------

PLACES = [1 + Stream(f"test/told/killed/{number}").below(190) for number in range(3)]
ALWAYS = {("spy", 1): ["flipped"] * 99, ("detective", 4): ["stranger"] * 99}  # the same, however often it is asked


def killed(place: Path, server: Server, number: int, *more: str) -> None:
    """Start the command, and kill it while it waits for the reply to a request."""
    reached = server.reached(number)
    arguments = [sys.executable, "-m", "rb_build", *command(server, *more)]
    environment = os.environ | {"OPENAI_API_KEY": KEY}
    with subprocess.Popen(arguments, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert reached.wait(60)
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    server.go_on()


@pytest.fixture(scope="module")
def whole(home: Path) -> tuple[Path, int]:
    """The release that an uninterrupted run writes, and how many requests it takes."""
    with llm_server(Teller(ALWAYS)) as server:
        ended = stories(home, server, out="whole")
    assert ended.returncode == 0, ended.stderr
    return home / "whole", len(server.requests)


@pytest.mark.parametrize("number", PLACES)
def test_killed_and_gone_on(place: Path, whole: tuple[Path, int], number: int) -> None:
    """Killed at a drawn request, then run again: each story once, and the release of an uninterrupted run."""
    with llm_server(Teller(ALWAYS)) as server:
        killed(place, server, number)
        assert not (place / "out").exists()
        before = told(place)
        ended = stories(place, server)
    assert ended.returncode == 0, ended.stderr
    told_once(place)
    assert told(place)[: len(before)] == before
    assert dateless(place / "out") == dateless(whole[0])


def test_killed_with_a_cache(place: Path, whole: tuple[Path, int]) -> None:
    """With a cache nothing that was answered is asked again, not even of the story that was in work."""
    with llm_server(Teller(ALWAYS)) as server:
        killed(place, server, 77, "--cache", "cache", "--concurrency", "1")
        ended = stories(place, server, "--cache", "cache", "--concurrency", "1")
    assert ended.returncode == 0, ended.stderr
    told_once(place)
    assert dateless(place / "out") == dateless(whole[0])
    assert len(server.requests) == whole[1] + 1  # the one that was held


# ---- What is to be told ------------------------------------------------------------------------------------------


def test_plan(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas come once, in the order of the rows; themes and schemes once, in the order in which they are named."""
    monkeypatch.chdir(home)
    made = plan("twosat@0.1.0", "default", None, ["heist", "spy", "heist"], [], "1.0.0")
    assert made.themes == ["heist", "spy"]
    assert made.templates == ["logic", "room"]
    assert [job.key for job in made.jobs] == [(formula, theme) for formula in FORMULAS for theme in ("heist", "spy")]
    some = plan("releases/twosat/0.1.0", "default", 1, ["spy"], ["door", "logic", "door"], "1.0.0")
    assert [job.formula["block"] for job in some.jobs] == [0, 0]
    assert some.templates == ["door", "logic"]
    assert (some.base.version, some.base.seed, some.base.canary) == ("0.1.0", "small", BASE["canary"])
    with pytest.raises(UnusableInput, match="no manifest"):
        plan("releases/twosat", "default", None, ["spy"], [], "1.0.0")
    with pytest.raises(UnusableRecipe, match=r"bb150-f0-x4: theme spy names at most 400 variables, not 496; choose"):
        plan("twosat@0.1.0", "large", None, ["spy"], [], "1.0.0")


def test_days_and_models_of_stories(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe has the first and last day of all stories, is released on the last, and names every model that answered."""
    monkeypatch.chdir(home)
    made = plan("twosat@0.1.0", "default", 1, ["spy"], [], "1.0.0")
    days = (["2026-12-02", "2026-12-03"], ["2026-11-30", "2026-12-01"])
    models = (["m", "m-2"], ["m-1"])
    some = [
        plain_story(*job) | {"asked": asked, "models": said} for job, asked, said in zip(made.jobs, days, models, strict=True)
    ]
    recipe = made.recipe(Endpoint("https://models.example/v1", "m"), some)
    assert recipe.released == "2026-12-03"
    assert recipe.params["teller"]["asked"] == ["2026-11-30", "2026-12-03"]
    assert recipe.params["teller"]["model"] == "m (m-1, m-2)"
    assert recipe.params["teller"]["endpoint"] == "chat completions, remote"
    assert [story["attempts"] for story in recipe.params["stories"]] == [[0] * 5, [0] * 6]


def test_statistics() -> None:
    """Shares of clauses, over all stories."""
    made = recipes.trusted(
        {
            "canary": "",
            "configs": {},
            "dataset": "stories",
            "params": {"stories": [{"attempts": [1, 1, 0]}, {"attempts": [2, 3, 1, 1, 1]}]},
            "released": "",
            "seed": "",
            "version": "",
        }
    )
    assert statistics(made) == (
        "clauses told 8; validated at the first attempt 62.5 % (the paper: 95.4 %); "
        "fallback sentences 12.5 % (the paper: 3.3 %)"
    )
