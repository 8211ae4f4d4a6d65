"""Stories as data: rows and statistics from a recipe of told stories, and what is wrong with a recipe or a release."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rb_verify
from commands import rb_build
from compare_cases import Data
from rb_build import recipe as recipes
from rb_build import release as releases
from rb_build import stories as builder
from rb_build.errors import UnusableRecipe
from rb_build.release import check, compile_release
from rb_build.stories.prompt import prompt
from rb_build.twosat.prompt import prompt as template_prompt
from rb_verify import canonical, themes, twosat
from rb_verify.answers import examples
from rb_verify.schemes import SCHEMES
from rb_verify.schemes import entities as template_entities
from rb_verify.themes import THEMES
from small_stories import small_stories
from stories_cases import Row, built, row_of
from test_release import remade


@pytest.fixture(scope="module")
def home(stories_home: Path) -> Path:
    """A folder in which the small recipe is frozen as releases/stories/0.1.0, and built there."""
    return stories_home


# ---- Rows -------------------------------------------------------------------------------------------------------


def test_rows_are_the_told_stories() -> None:
    """A row a story in order, with its formula's parts, ids of its own, and the parts of the story as they were told."""
    params = small_stories()["params"]
    formulas = {formula["formula"]: formula for formula in params["formulas"]}
    rows = built()["stories"]
    assert len(rows) == len(params["stories"]) == 36
    for row, told in zip(rows, params["stories"], strict=True):
        formula = formulas[told["formula"]]
        assert row["formula"] == formula["formula"].replace("twosat-0-1-0-", "stories-0-1-0-")
        assert row["base_id"] == formula["base_id"].replace("twosat-0-1-0-", "stories-0-1-0-")
        assert row["id"] == f"{row['formula']}-{told['theme']}"
        assert row["told"] == {name: told[name] for name in ("attempts", "introduction", "paragraphs")}
        assert {name: row[name] for name in formula if name not in ("formula", "base_id")} == {
            name: value for name, value in formula.items() if name not in ("formula", "base_id")
        }
        assert list(zip(row["entities"], map(tuple, row["values"]), strict=True)) == [
            (name, (true, false)) for name, true, false in themes.entities(told["theme"], row["variables"])
        ]
    assert {row["base_id"] for row in rows} <= {row["formula"] for row in rows}


def test_templates_are_the_prompts_of_the_families() -> None:
    """A row a formula and scheme, whose prompt is that of the 2-SAT families."""
    rows = built()["templates"]
    assert Counter(row["scheme"] for row in rows) == {"logic": 18, "door": 18}
    for row in rows:
        names = template_entities(row["scheme"], row["variables"])
        assert row["prompt"] == template_prompt(SCHEMES[row["scheme"]], names, row["clauses"])
        assert row["told"] == {"attempts": [], "introduction": "", "paragraphs": []}
        assert row["values"] == [[SCHEMES[row["scheme"]].true, SCHEMES[row["scheme"]].false]] * row["variables"]
    stories_of = {row["formula"]: row["signature"] for row in built()["stories"]}
    assert stories_of == {row["formula"]: row["signature"] for row in rows}


@pytest.mark.parametrize("theme", THEMES)
def test_prompt(theme: str) -> None:
    """The story comes first, each clue numbered; both words of each entity are listed; the one example is no answer."""
    told = themes.entities(theme, 5)
    text = prompt("Rain fell.", ["One {curly} clue.", "Two."], told)
    assert text.startswith("Rain fell.\n\n1. One {curly} clue.\n2. Two.\n\n")
    for entity in told:
        assert f"\n- {entity.name}: {entity.true} or {entity.false}\n" in text
    assert "all 5 of them" in text
    (example,) = examples(text, twosat.KEYS)
    assert list(example["assignment"].values()) == [told[0].true, told[1].false, told[2].true, "..."]
    assert rb_verify.score(row_of([[1], [-2], [3]], theme), text).score == 0


def test_statistics_of_the_telling() -> None:
    """Of each theme: clauses, and the shares of first attempts and fallbacks, as counted in the recipe by hand."""
    found = builder.build(recipes.parse(small_stories(), "small"), map).notes
    params = small_stories()["params"]
    assert list(found) == ["spy", "detective"]
    for noted in found.values():
        assert noted["clauses"] == 18 * 20
        assert noted["attempts"] == {"1": 18 * 17, "2": 18, "3": 18}
        assert (noted["validated_first"], noted["fallback"]) == (0.85, 0.05)
        assert noted["teller"] == params["teller"]
        assert noted["signatures"] == [formula["signature"] for formula in params["formulas"]]


# ---- A recipe that is wrong, and a release that was tampered with -------------------------------------------------


def edited(change: Callable[[Data], None]) -> Data:
    """The small recipe, changed in place by a function."""
    data = json.loads(json.dumps(small_stories()))
    change(data)
    return dict(data)


def params(change: Callable[[Data], None]) -> Data:
    """The small recipe with changed params."""
    return edited(lambda data: change(data["params"]))


WRONG: list[tuple[str, Data, str]] = [
    ("short", params(lambda p: p["stories"][0]["paragraphs"].pop()), r"told as spy: 20 clauses, 19 paragraphs, 20 attempts"),
    ("attempts", params(lambda p: p["stories"][0]["attempts"].pop()), r"20 clauses, 20 paragraphs, 19 attempts"),
    ("fallback", params(lambda p: p["stories"][1]["attempts"].__setitem__(3, 0)), r"paragraph 4 is not the fallback sentence"),
    ("twice", params(lambda p: p["stories"].append(p["stories"][0])), r"is told as spy 2 times; keep one story"),
    ("untold", params(lambda p: p.update(stories=p["stories"][2:])), r"ic020-f0: has no story"),
    ("unlisted", params(lambda p: p.update(formulas=p["formulas"][1:])), r"told as spy and not listed among the formulas"),
    ("listed twice", params(lambda p: p["formulas"].append(p["formulas"][0])), r"a formula is listed twice"),
    (
        "base",
        params(lambda p: p["base"].update(version="2.0.0")),
        r"is no id of the base release; make it begin with twosat-2-0",
    ),
    ("variables", params(lambda p: p["formulas"][0].update(variables=18)), r"a variable occurs in no clause, or is none of"),
    (
        "many",
        params(lambda p: p["formulas"][0].update(variables=401, clauses=[[v] for v in range(1, 402)])),
        r"clauses, 20 para",
    ),
    (
        "files",
        edited(lambda data: data["configs"].pop("templates") and data["configs"].pop("paired")),
        r"different files \(templ",
    ),
    ("no templates", params(lambda p: p.update(templates=[])), r"different files \(templates\)"),
    ("fresh", small_stories(excluded={"stories@0.1.0": []}, overlap="forbid"), r"stories are told, not drawn"),
]


@pytest.mark.parametrize(("data", "said"), [each[1:] for each in WRONG], ids=[name for name, *_ in WRONG])
def test_recipes_that_do_not_fit_themselves_are_refused(data: Data, said: str) -> None:
    """One sentence names the formula or the release, and what to do."""
    with pytest.raises(UnusableRecipe, match=said):
        compile_release(recipes.parse(data, "wrong"))


def test_a_theme_can_have_too_few_entities() -> None:
    """A formula of more variables than the theme has entities is refused."""
    many = [[v] for v in range(1, 402)]

    def change(p: Data) -> None:
        p["formulas"][0] |= {"variables": 401, "clauses": many}
        p["stories"][0] |= {"paragraphs": ["So it was."] * 401, "attempts": [1] * 401}

    with pytest.raises(UnusableRecipe, match=r"theme spy names at most 400 variables, not 401; drop the story"):
        compile_release(recipes.parse(params(change), "wrong"))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda p: p["stories"][0].update(theme="western"), "stories[0].theme"),
        (lambda p: p["stories"][0]["paragraphs"].__setitem__(0, "two\nlines"), "paragraphs[0]"),
        (lambda p: p["stories"][0]["paragraphs"].__setitem__(0, ""), "paragraphs[0]"),
        (lambda p: p["stories"][0]["attempts"].__setitem__(0, 4), "attempts[0]"),
        (lambda p: p["teller"].pop("model"), "params"),
        (lambda p: p["teller"].update(prompts="none"), "teller.prompts"),
        (lambda p: p["base"].update(dataset="tracebench"), "base.dataset"),
        (lambda p: p["formulas"][0].pop("planted"), "formulas[0]"),
    ],
    ids=["theme", "lines", "empty", "attempt", "teller", "prompts", "base", "formula"],
)
def test_recipes_of_another_form_are_refused(change: Callable[[Data], None], place: str) -> None:
    """The schema of params says where."""
    with pytest.raises(UnusableRecipe) as error:
        recipes.parse(params(change), "wrong.json")
    assert str(error.value).startswith("wrong.json: params: $")
    assert place.replace("params", "$") in str(error.value)


def test_round_trip(home: Path) -> None:
    """What was frozen builds byte for byte, checks clean, and says by command that there is no fresh split of it."""
    place = home / "releases" / "stories" / "0.1.0"
    run = rb_build("check", place, cwd=home)
    assert run.returncode == 0, run.stdout + run.stderr
    compiled = compile_release(recipes.read(place / "recipe.json"))
    assert compiled.manifest == json.loads((place / "manifest.json").read_bytes())
    for path, data in compiled.files.items():
        assert (place / path).read_bytes() == data
    run = rb_build("fresh", "stories", "--seed", "other", "--out", "fresh", cwd=home)
    assert run.returncode == 2
    assert "stories are told, not drawn" in run.stderr
    assert not (home / "fresh").exists()


def test_card(home: Path) -> None:
    """The card has the statistics beside the paper's, the base and the teller, and promises no fresh split."""
    text = (home / "releases" / "stories" / "0.1.0" / "README.md").read_text("utf-8")
    told = small_stories()["params"]
    assert "| spy | 18 | 360 | 85.0 | 18 | 18 | 5.0 |" in text
    assert "| the paper | | | 95.4 | | | 3.3 |" in text
    for said in (told["base"]["content_digest"], told["teller"]["prompts"], "a fake teller", "2026-11-29 to 2026-11-30"):
        assert said in text
    assert "rb-build fresh stories" not in text
    metadata = json.loads((home / "releases" / "stories" / "0.1.0" / "croissant.json").read_bytes())
    assert metadata["rai:dataCollection"].startswith("A language model told every story")


FORGERIES: list[tuple[str, Callable[[Row], Any], str]] = [
    ("paragraph", lambda row: row["told"]["paragraphs"].__setitem__(0, "All was well."), "told is not what the recipe gives"),
    ("attempt", lambda row: row["told"]["attempts"].__setitem__(7, 1), "told is not what the recipe gives"),
    ("prompt", lambda row: row.update(prompt=row["prompt"].replace("embers", "ashes")), "prompt is not what the recipe gives"),
    ("word", lambda row: row["values"][0].reverse(), "values is not what the recipe gives"),
    ("label", lambda row: row.update(satisfiable=not row["satisfiable"]), "satisfiable is not what the recipe gives"),
    ("clause", lambda row: row["clauses"][0].reverse(), "clauses is not what the recipe gives"),
    ("theme", lambda row: row.update(scheme="heist", id=row["id"].replace("spy", "heist")), "heist is none of the recipe's"),
    ("formula", lambda row: row.update(formula=row["formula"] + "x"), "is none of the recipe's"),
    ("template", lambda row: row.update(scheme="logic"), "a row of scheme logic is in the wrong file"),
    ("canary", lambda row: row.update(canary="gone"), "canary is not what the recipe gives"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), [each[1:] for each in FORGERIES], ids=[name for name, *_ in FORGERIES])
def test_forged_rows_are_found(change: Callable[[Row], Any], said: str, home: Path, tmp_path: Path) -> None:
    """A row that was changed, with all checksums made to fit again, is named with what is wrong."""
    place = shutil.copytree(home / "releases" / "stories" / "0.1.0", tmp_path / "release")
    remade(place, "stories", change)
    faults = check(place)
    assert any(said in fault and "stories-0-1-0-ic020-f0" in fault for fault in faults), faults


def test_forged_statistics_are_found(home: Path, tmp_path: Path) -> None:
    """What the manifest says of the telling is counted again."""
    place = shutil.copytree(home / "releases" / "stories" / "0.1.0", tmp_path / "release")
    manifest = json.loads((place / "manifest.json").read_bytes())
    manifest["structures"]["spy"]["validated_first"] = 0.954
    manifest["manifest_sha256"] = canonical.manifest_digest(manifest)
    told = releases.documents(manifest, recipes.read(place / "recipe.json"))
    for name, data in (told | {"manifest.json": canonical.pretty(manifest)}).items():
        (place / name).write_bytes(data)
    (fault,) = check(place)
    assert fault.startswith("manifest.json: entry ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p["formulas"][0].update(satisfiable=True), "satisfiable is not what the implication graph says"),
        (lambda p: p["formulas"][0].update(signature="0" * 64), "signature is not the formula's"),
        (lambda p: p["formulas"][6]["planted"]["free"].pop(), "the equivalences have not 2^f models"),
        (lambda p: p["formulas"][10]["planted"]["backbone"].pop(), "backbone is not the planted one"),
    ],
    ids=["label", "signature", "free", "backbone"],
)
def test_formulas_are_proved_again(change: Callable[[Data], Any], said: str) -> None:
    """A recipe that tells a formula wrongly makes rows that the oracle disproves."""
    recipe = recipes.parse(params(change), "wrong")
    rows = builder.build(recipe, map).files["stories"]
    assert [fault for fault in builder.prove(recipe, "stories", rows) if said in fault]
