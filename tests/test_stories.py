"""Stories as data: what a witness in their words is worth, rows and statistics from a recipe of told stories, what is wrong
with one, and reports and boards that set stories beside templates."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rb_verify
from commands import freeze, rb_build
from compare_cases import Data, board, constant, mixed, scored
from rb_build import recipe as recipes
from rb_build import release as releases
from rb_build import stories as builder
from rb_build.errors import UnusableRecipe
from rb_build.release import check, compile_release
from rb_build.stories.prompt import prompt
from rb_build.twosat.prompt import prompt as template_prompt
from rb_verify import canonical, comparison_figures, figures, report, stories, themes, twosat
from rb_verify.answers import examples
from rb_verify.comparisons import notes, tables
from rb_verify.evaluation import evaluate
from rb_verify.release import Release, load
from rb_verify.schemes import SCHEMES
from rb_verify.schemes import entities as template_entities
from rb_verify.themes import THEMES
from rb_verify.verdict import Prediction
from small_stories import small_stories
from test_release import remade

Row = dict[str, Any]
BUTLER, DAGGER, GARDENER = "the Ashford butler", "the Blackwood dagger", "the Carlisle gardener"
# Its models are T F T and F T F: innocent, bloodstained, truthful; and guilty, clean, lying.
CLAUSES = [[1, 2], [-1, 3], [-2, -3]]
REFUTED = [[1, 2], [1, -2], [-1, 3], [-1, -3]]  # 1 -> 3 -> not 1 -> 2 -> 1


def row_of(clauses: Sequence[Sequence[int]], theme: str = "detective", variables: int = 3) -> Row:
    """A row of a story whose paragraphs quote the fallback sentences."""
    told = themes.entities(theme, variables)
    paragraphs = [f"They say: {themes.sentence(told, clause)}" for clause in clauses]
    models = [
        values
        for values in (product((True, False), repeat=variables) if variables < 9 else ())
        if all(any(values[abs(i) - 1] == (i > 0) for i in clause) for clause in clauses)
    ]
    return {
        "base_id": "stories-1-0-0-ic004-f0",
        "clauses": [list(clause) for clause in clauses],
        "entities": [entity.name for entity in told],
        "family": "ImplicationCycle",
        "id": f"stories-1-0-0-ic004-f0-{theme}",
        "params": {"clauses": len(clauses), "split": 0.5},
        "perturbation": "none",
        "prompt": prompt("It was late.", paragraphs, told),
        "satisfiable": bool(models),
        "scheme": theme,
        "told": {"attempts": [1] * len(clauses), "introduction": "It was late.", "paragraphs": paragraphs},
        "values": [[entity.true, entity.false] for entity in told],
        "variables": variables,
        "variant": "",
    }


@lru_cache
def built() -> dict[str, list[Row]]:
    """The rows of the small recipe, by file."""
    return builder.build(recipes.parse(small_stories(), "small"), map).files


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the small recipe is frozen as releases/stories/0.1.0, and built there by the command."""
    place = tmp_path_factory.mktemp("stories")
    freeze(small_stories(), place)
    run = rb_build("build", "stories@0.1.0", cwd=place)
    assert run.returncode == 0, run.stderr
    return place


@pytest.fixture(scope="module")
def paired(home: Path) -> Release:
    """Config paired of the small release."""
    return load(home / "releases" / "stories" / "0.1.0", "paired")


# ---- Verdicts ---------------------------------------------------------------------------------------------------


def judged(row: Row, assignment: Any) -> tuple[str, str, str]:
    """Category, and verdict and note on the assignment."""
    verdict = rb_verify.score(row, json.dumps({"satisfiable": True, "assignment": assignment}))
    json.dumps(verdict.as_dict(), allow_nan=False)
    checked = verdict.evidence["witness"]
    return verdict.category, checked["verdict"], checked["note"]


GOOD: list[Any] = [
    {BUTLER: "innocent", DAGGER: "bloodstained", GARDENER: "truthful"},
    {BUTLER: "guilty", DAGGER: "clean", GARDENER: "lying"},
    {"Ashford butler": "Innocent", "BLACKWOOD DAGGER": "is bloodstained", "The Carlisle Gardener": "is truthful."},
    {"ashford_butler": True, "the-blackwood-dagger": False, "carlisle gardener": "yes"},
    {BUTLER: "not guilty", DAGGER: "is not clean", GARDENER: "isn't lying"},
    {BUTLER: "true", DAGGER: "0", GARDENER: "T"},
    [f"{BUTLER} is innocent", f"{DAGGER}=bloodstained", "Carlisle gardener: truthful"],
    [[BUTLER, "innocent"], [DAGGER, "bloodstained"], [GARDENER, "truthful"]],
    [{BUTLER: "innocent"}, {"entity": DAGGER, "value": "bloodstained"}, {GARDENER: "truthful"}],
    "The Ashford butler is innocent, the Blackwood dagger is bloodstained and the Carlisle gardener is truthful.",
    "1. Ashford butler is guilty\n2. Blackwood dagger is clean\n3. Carlisle gardener is lying",
]
BAD: list[tuple[Any, str, str]] = [
    (
        {BUTLER: "guilty", DAGGER: "bloodstained", GARDENER: "truthful"},
        "violated",
        "Either the Ashford butler is innocent, or the",
    ),
    (
        {BUTLER: "innocent", DAGGER: "clean", GARDENER: "truthful"},
        "violated",
        "dagger is bloodstained, or the Carlisle gardener is",
    ),
    ({BUTLER: "innocent", DAGGER: "bloodstained"}, "partial", f"{GARDENER} has no value"),
    ({BUTLER: "innocent", DAGGER: "bloodstained", GARDENER: None}, "partial", f"{GARDENER} has no value"),
    ({BUTLER: "clean", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", f"{BUTLER} has the value"),
    ({BUTLER: "not truthful", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", f"{BUTLER} has the value"),
    ({BUTLER: "innocent or guilty", DAGGER: "clean", GARDENER: "lying"}, "unreadable", f"{BUTLER} has the value"),
    ({BUTLER: "hardly innocent", DAGGER: "clean", GARDENER: "lying"}, "unreadable", f"{BUTLER} has the value"),
    ({"butler": "innocent", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", "is no character or object of the"),
    ({"Ashford": "innocent", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", "is no character or object of the"),
    ({"the Ashford gardener": "truthful", DAGGER: "clean"}, "unreadable", "is no character or object of the"),
    ({f"not {BUTLER}": "guilty", DAGGER: "bloodstained", GARDENER: "truthful"}, "unreadable", "is no character or object"),
    (
        [f"{BUTLER} != guilty", f"{DAGGER} is bloodstained", f"{GARDENER} is truthful"],
        "unreadable",
        "is no character or object",
    ),
    ([[BUTLER, "innocent"], ["Ashford butler", "guilty"], [DAGGER, "clean"]], "unreadable", f"{BUTLER} has two different"),
    ([BUTLER, DAGGER, GARDENER], "partial", f"{BUTLER} has no value"),
    ({}, "absent", "no assignment is given"),
]


@pytest.mark.parametrize("place", range(len(GOOD)))
def test_witnesses_in_the_words_of_a_story(place: int) -> None:
    """However it is dressed, an assignment that gives each entity one of its words and satisfies every clause is valid."""
    assert judged(row_of(CLAUSES), GOOD[place]) == ("valid_witness", "valid", "")


@pytest.mark.parametrize("place", range(len(BAD)))
def test_what_is_no_witness(place: int) -> None:
    """A wrong, missing or foreign word, and a name that is none or only part of one, make no witness; the note says which."""
    assignment, verdict, note = BAD[place]
    category, found, said = judged(row_of(CLAUSES), assignment)
    assert (category, found) == ("invalid_witness", verdict)
    assert note in said


THERE = [f"{BUTLER}=guilty", f"{DAGGER}=clean", f"{BUTLER}=innocent"]
BACK = [f"{BUTLER}=innocent", f"{GARDENER}=truthful", f"{BUTLER}=guilty"]
OTHERWISE = ["Ashford butler: guilty", f"{DAGGER} is not bloodstained", {BUTLER: True}]
ASTRAY = [f"{BUTLER}=guilty", f"{GARDENER}=truthful", f"{BUTLER}=innocent"]
STEP = "no clause says that if the Ashford butler is guilty then the Carlisle gardener is truthful"
CERTIFICATES: list[tuple[Any, str, str]] = [
    ([THERE, BACK], "valid", ""),
    ([BACK, OTHERWISE], "valid", ""),
    ([ASTRAY, BACK], "broken", STEP),
    ([[f"{BUTLER}=clean"], BACK], "unreadable", "is no statement about an entity"),
    ([[BUTLER], [BUTLER]], "unreadable", "is no statement about an entity"),
]


@pytest.mark.parametrize("place", range(len(CERTIFICATES)))
def test_certificates_in_the_words_of_a_story(place: int) -> None:
    """Chains of an entity's word are read as those of a scheme are; a name alone states nothing."""
    given_, verdict, note = CERTIFICATES[place]
    found = rb_verify.score(row_of(REFUTED), json.dumps({"satisfiable": False, "assignment": None, "certificate": given_}))
    assert (found.category, found.score) == ("unsat_decided", 1)
    assert found.evidence["certificate"]["verdict"] == verdict
    assert note in found.evidence["certificate"]["note"]


@pytest.mark.parametrize(
    ("response", "category"),
    [
        ('{"satisfiable": false, "assignment": null}', "false_unsat"),
        ('{"satisfiable": true, "assignment": null}', "invalid_witness"),
        ("The butler did it.", "parse_failure"),
        ("ECHO", "parse_failure"),
        ("", "parse_failure"),
    ],
    ids=["unsat", "no witness", "prose", "prompt echoed", "nothing"],
)
def test_decisions(response: str, category: str) -> None:
    """The decision is read as in the 2-SAT families; the prompt's example is nobody's answer."""
    row = row_of(CLAUSES)
    assert rb_verify.score(row, response.replace("ECHO", row["prompt"])).category == category


def test_an_api_error_is_missing() -> None:
    """Even where a response came with it."""
    row = row_of(CLAUSES)
    assert stories.judge(row, Prediction(row["id"], stories.perfect(row), error="timeout")).status == "missing"


def phrased(true: str, false: str) -> dict[str, bool]:
    """Phrases that mean a value of an entity, with the value."""
    holds = (
        true,
        f"is {true}",
        true.upper(),
        f"not {false}",
        f"is not {false}",
        f"isn’t {false}",
        "true",
        "Yes",
        "1",
        "not false",
    )
    fails = (
        false,
        f"is {false}",
        f"{false}.",
        f"Not {true}",
        f"is not {true}",
        f"isn't {true}",
        "false",
        "No",
        "0",
        "is not true",
    )
    return dict.fromkeys(holds, True) | dict.fromkeys(fails, False)


@settings(max_examples=60, derandomize=True)
@given(theme=st.sampled_from(sorted(THEMES)), variable=st.integers(1, 400), other=st.integers(1, 400))
def test_phrases_mean_what_they_say_and_nothing_else(theme: str, variable: int, other: int) -> None:
    """Each phrase means its value of its entity, in statements too; words of other entities mean nothing of it."""
    read, told = stories.problem(row_of([[1]], theme, 400)), themes.entities(theme, 400)
    name, true, false = told[variable - 1]
    for phrase, value in phrased(true, false).items():
        assert read.value(variable, phrase) is value
        for said in (f"{name}={phrase}", f"{name[4:]}: {phrase}", f"{name.upper()} → {phrase}"):
            assert read.literal(said) == (variable if value else -variable)
    for statement in (themes.statement(told, variable), themes.statement(told, -variable)):
        assert read.literal(statement) == read.literal(statement[4:]) == read.literal(statement.upper())
        assert read.statement(read.literal(statement) or 0) == statement
    _, *foreign = told[other - 1]
    for word in foreign:
        if word not in (true, false):
            assert read.value(variable, word) is read.value(variable, f"not {word}") is None


@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_an_assignment_is_a_witness_iff_it_satisfies_every_clause(data: st.DataObject) -> None:
    """Over random rows, values and spellings: the verdict is what evaluating the clauses one by one says."""
    row = data.draw(st.sampled_from(built()["stories"]))
    values = data.draw(st.lists(st.booleans(), min_size=row["variables"], max_size=row["variables"]))
    assignment = {}
    for name, words, value in zip(row["entities"], row["values"], values, strict=True):
        said = [phrase for phrase, means in phrased(*words).items() if means == value]
        assignment[name.removeprefix(data.draw(st.sampled_from(["", "the "])))] = data.draw(st.sampled_from(said))
    verdict = rb_verify.score(row, json.dumps({"satisfiable": True, "assignment": assignment}))
    broken = [i for i, clause in enumerate(row["clauses"]) if not any(values[abs(v) - 1] == (v > 0) for v in clause)]
    checked = verdict.evidence["witness"]
    assert (checked["verdict"], checked["clause"]) == (("violated", broken[0]) if broken else ("valid", None))
    assert verdict.score == (row["satisfiable"] and not broken)


def test_the_perfect_response_scores_1_on_every_row() -> None:
    """In stories and in templates; cycles come with a valid certificate."""
    for row in [row for some in built().values() for row in some]:
        verdict = rb_verify.score(row, stories.perfect(row))
        assert (verdict.score, verdict.status) == (1, "correct"), verdict.evidence
        assert verdict.outcome.measures == (0, not row["satisfiable"], not row["satisfiable"])


def test_templates_are_judged_as_in_the_families() -> None:
    """Every response to a template row has the verdict that the 2-SAT families give it."""
    for row in built()["templates"]:
        said = [attack(row) for attack in stories.attacks([row]).values()] + [stories.perfect(row)]
        assert said == [attack(row) for attack in twosat.attacks([row]).values()] + [twosat.perfect(row)]
        for text in (*said, said[0].replace("true", "maybe"), "no idea", '{"satisfiable": true, "assignment": {"A": "true"}}'):
            prediction = Prediction(row["id"], text)
            assert stories.judge(row, prediction) == twosat.judge(row, prediction)
        detail = stories.judge(row, Prediction(row["id"], said[0])).as_dict()
        assert stories.steps(row, detail) == twosat.steps(row, detail)


def test_steps_are_in_the_words_of_the_story() -> None:
    """The solver's witness or certificate is told in statements, beside what was given."""
    row = row_of(CLAUSES)
    detail = rb_verify.score(row, json.dumps({"satisfiable": True, "assignment": BAD[0][0]})).as_dict()
    decision, witness = stories.steps(row, detail).rows
    assert decision == ["decision", "SAT", "correct", "SAT"]
    assert witness[2].startswith("violated clause 1: Either the Ashford butler is innocent, or the Blackwood dagger is clean")
    assert witness[3] in (
        "the Ashford butler is innocent; the Blackwood dagger is bloodstained; the Carlisle gardener is truthful",
        "the Ashford butler is guilty; the Blackwood dagger is clean; the Carlisle gardener is lying",
    )
    formula, _, clue = stories.words(row, detail)
    assert "scheme detective" in formula
    assert clue == f"paragraph 1: {row['told']['paragraphs'][0]}"
    assert len(stories.words(row, rb_verify.score(row, stories.perfect(row)).as_dict())) == 2


def test_attacks_score_what_counting_gives(paired: Release) -> None:
    """The manifest's baselines on stories are the shares that evaluating clauses gives."""
    rows = built()["stories"]

    def share(values: Callable[[Row], list[bool]]) -> float:
        kept = sum(
            row["satisfiable"] and all(any(values(row)[abs(i) - 1] == (i > 0) for i in clause) for clause in row["clauses"])
            for row in rows
        )
        return round(kept / len(rows), 6)

    def majority(row: Row) -> list[bool]:
        signs = Counter(literal for clause in row["clauses"] for literal in clause)
        return [signs[v] >= signs[-v] for v in range(1, row["variables"] + 1)]

    found = paired.manifest["baselines"]["default"]
    assert found["all_true_sat"]["score"] == share(lambda row: [True] * row["variables"])
    assert found["all_false_sat"]["score"] == share(lambda row: [False] * row["variables"])
    assert found["majority_sat"]["score"] == share(majority) > 0
    assert found["constant_unsat"] == {"score": 0.222222, "accuracy": 0.222222, "witness": 0.0}  # 8 of 36 rows
    assert found["constant_by_family"]["accuracy"] == 0.888889  # the satisfiable twins of the cycles are 4 of 36


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


# ---- Reports and boards -----------------------------------------------------------------------------------------


def test_reports_list_themes_beside_templates(paired: Release, tmp_path: Path) -> None:
    """Config paired has a table of templates and themes, each rate counted over its own rows; figures name both."""
    answers = [
        {"id": row["id"], "response": stories.perfect(row) if row["scheme"] in ("logic", "spy") else "no idea"}
        for row in paired.rows
    ]
    file = tmp_path / "predictions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in answers))
    found = evaluate(file, paired)
    assert found.signature.startswith("stories|v:0.1.0|config:paired|")
    assert "|parser:stories-1|" in found.signature
    (table,) = (table for table in report.tables(found) if table.title.startswith("Schemes"))
    assert table.title == "Schemes and themes of stories, % (Figures 8 and 9)"
    assert {name: score for name, _, _, score, _ in table.rows} == {
        "logic": "100.00", "door": "0.00", "spy": "100.00", "detective": "0.00",
    }  # fmt: skip
    assert [row[0] for row in table.rows] == ["logic", "door", "spy", "detective"]
    assert found.score == 0.5
    titles = [figure.title for figure in figures.figures(found)]
    assert {"Schemes of wording", "Family by size, all parameters at .5"} <= set(titles)


def test_default_is_the_stories_alone(home: Path) -> None:
    """The score is on stories; the templates have a config of their own."""
    place = home / "releases" / "stories" / "0.1.0"
    assert {row["scheme"] for row in load(place).rows} == {"spy", "detective"}
    assert {row["scheme"] for row in load(place, "templates").rows} == {"logic", "door"}


def test_boards_set_stories_against_templates(paired: Release, tmp_path: Path) -> None:
    """Two reports on config paired give the table of Figures 8 and 9: the mean of the templates, and each theme."""

    def reader(row: Row) -> str:
        return stories.perfect(row) if row["scheme"] in SCHEMES else constant(paired)(row)

    first = scored(paired, tmp_path, reader, model="reader of templates")
    second = scored(paired, tmp_path, mixed(paired, 0.7), model="mixed")
    found = board(first, second)
    (table,) = (table for table in tables(found) if table.title.startswith("Template against story"))
    assert table.columns == ["model", "templates", "spy", "detective"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["reader of templates"] == ["100.00", "77.78", "77.78"]  # of the constant's SAT, 14 of 18 formulas are right
    rates = {each["scheme"]: each["sat"]["value"] for each in second["stories"]["schemes"]}
    assert rows["mixed"][0] == f"{100 * (rates['logic'] + rates['door']) / 2:.2f}"
    assert rows["mixed"][1:] == [f"{100 * rates[theme]:.2f}" for theme in ("spy", "detective")]
    assert notes(found) == []
    assert {"Decisions by scheme", "Decisions by family and size"} <= {f.title for f in comparison_figures.figures(found)}


@pytest.mark.parametrize(
    ("config", "said"), [("default", "All texts here are stories"), ("templates", "All texts here are temp")]
)
def test_boards_of_one_kind_say_so(config: str, said: str, home: Path, tmp_path: Path) -> None:
    """Without rows of the other kind there is no comparison of the two, and a sentence says what it would take."""
    release = load(home / "releases" / "stories" / "0.1.0", config)
    found = board(scored(release, tmp_path, release.scorer.perfect, model="perfect"))
    assert not [table for table in tables(found) if table.title.startswith("Template against story")]
    (note,) = notes(found)
    assert note.startswith(said)
