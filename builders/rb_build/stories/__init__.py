"""Build the 2-SAT stories: a recipe holds the stories that a model told of a release's formulas, and here they become rows.

Implements the 2-SAT paper, section 4 (the LLM verbalizer) and appendix G.3, as far as no model is needed: rows, prompts,
statistics of the telling, and the proof of each row by the oracle. ``rb_build.told`` makes such recipes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rb_build.errors import UnusableRecipe
from rb_build.recipe import Built, Map, Recipe
from rb_build.stories.prompt import prompt
from rb_build.twosat.planted import fact_faults, frozen
from rb_build.twosat.prompt import prompt as template_prompt
from rb_verify import schemes, themes
from rb_verify.schemes import SCHEMES

LONGEST = 64  # characters of a row id
STORIES, TEMPLATES = "stories", "templates"  # the data files
ATTEMPTS = 3  # of each paragraph, before the fallback sentence
FALLBACK = 0  # the number of the attempt where there is the fallback sentence


class Text(NamedTuple):
    """A verbalisation of a formula. ``scheme``: a theme or a template; ``story``: what was told, None of a template."""

    scheme: str
    story: dict[str, Any] | None


def build(recipe: Recipe, run: Map) -> Built:
    """All rows of a recipe, by file; the notes are those of each theme. Raises UnusableRecipe where it does not fit itself."""
    if recipe.excluded:
        raise UnusableRecipe(
            f"{recipe.dataset}@{recipe.version}: stories are told, not drawn, so there is no fresh split of them; "
            "build one of twosat, and have its formulas told with rb-build stories"
        )
    formulas = {formula["formula"]: formula for formula in recipe.params["formulas"]}
    stories = recipe.params["stories"]
    _refuse(recipe, formulas)
    files = {STORIES: [_row(recipe, formulas[story["formula"]], Text(story["theme"], story)) for story in stories]}
    if recipe.params["templates"]:
        files[TEMPLATES] = [
            _row(recipe, formula, Text(scheme, None)) for formula in formulas.values() for scheme in recipe.params["templates"]
        ]
    if unwanted := files.keys() ^ recipe.files:
        raise UnusableRecipe(f"configs and texts name different files ({', '.join(sorted(unwanted))}); make them agree")
    return Built(files, notes(recipe))


def _refuse(recipe: Recipe, formulas: dict[str, dict[str, Any]]) -> None:
    """Raise UnusableRecipe, naming the formula, where stories and formulas do not fit each other."""
    if len(formulas) < len(recipe.params["formulas"]):
        raise UnusableRecipe(f"{recipe.dataset}@{recipe.version}: a formula is listed twice; list each once")
    for name, formula in formulas.items():
        for fault in _formula_faults(recipe, formula):
            raise UnusableRecipe(f"{name}: {fault}")
    told = Counter((story["formula"], story["theme"]) for story in recipe.params["stories"])
    for (name, theme), often in told.items():
        if name not in formulas:
            raise UnusableRecipe(f"{name}: is told as {theme} and not listed among the formulas; list it, or drop the story")
        if often > 1:
            raise UnusableRecipe(f"{name}: is told as {theme} {often} times; keep one story")
    for name in formulas:
        if not any((name, theme) in told for theme in themes.THEMES):
            raise UnusableRecipe(f"{name}: has no story; tell it, or drop the formula")
    for story in recipe.params["stories"]:
        for fault in _story_faults(formulas[story["formula"]], story):
            raise UnusableRecipe(f"{story['formula']}, told as {story['theme']}: {fault}")


def _formula_faults(recipe: Recipe, formula: dict[str, Any]) -> Iterator[str]:
    """In what a formula can be none of the base release's, and what to do."""
    prefix = _base_prefix(recipe)
    for name in (formula["formula"], formula["base_id"]):
        if not name.startswith(prefix):
            yield f"{name} is no id of the base release; make it begin with {prefix}"
        elif len(_renamed(recipe, name)) > LONGEST - 1 - max(map(len, (*themes.THEMES, *SCHEMES))):
            yield f"{name} is too long for an id; drop the formula"
    if {abs(literal) for clause in formula["clauses"] for literal in clause} != set(range(1, formula["variables"] + 1)):
        yield "a variable occurs in no clause, or is none of its variables; take the formula from the base release"


def _story_faults(formula: dict[str, Any], story: dict[str, Any]) -> Iterator[str]:
    """In what a story does not fit its formula, and what to do."""
    paragraphs, attempts, clauses = story["paragraphs"], story["attempts"], formula["clauses"]
    if not len(paragraphs) == len(attempts) == len(clauses):
        yield f"{len(clauses)} clauses, {len(paragraphs)} paragraphs, {len(attempts)} attempts; give as many of each"
        return
    try:
        told = themes.entities(story["theme"], formula["variables"])
    except ValueError as error:
        yield f"{error}; drop the story"
        return
    for number, (clause, paragraph, attempt) in enumerate(zip(clauses, paragraphs, attempts, strict=True), 1):
        if attempt == FALLBACK and paragraph != themes.sentence(told, clause):
            yield f"paragraph {number} is not the fallback sentence that it is said to be; tell the story again"


def _base_prefix(recipe: Recipe) -> str:
    base = recipe.params["base"]
    return f"{base['dataset']}-{base['version'].replace('.', '-')}-"


def _row(recipe: Recipe, formula: dict[str, Any], text: Text) -> dict[str, Any]:
    own = formula | {name: _renamed(recipe, formula[name]) for name in ("base_id", "formula")}
    worded = _story_text(formula, text.story) if text.story else _template_text(formula, text.scheme)
    return own | worded | {"canary": recipe.canary, "id": f"{own['formula']}-{text.scheme}", "scheme": text.scheme}


def _renamed(recipe: Recipe, name: str) -> str:
    """The id of a formula here, from that in the base release."""
    return f"{recipe.prefix}-{name.removeprefix(_base_prefix(recipe))}"


def _story_text(formula: dict[str, Any], story: dict[str, Any]) -> dict[str, Any]:
    """What a row has of a story."""
    told = themes.entities(story["theme"], formula["variables"])
    return {
        "entities": [entity.name for entity in told],
        "prompt": prompt(story["introduction"], story["paragraphs"], told),
        "told": {name: story[name] for name in ("attempts", "introduction", "paragraphs")},
        "values": [[entity.true, entity.false] for entity in told],
    }


def _template_text(formula: dict[str, Any], name: str) -> dict[str, Any]:
    """What a row has of a template."""
    scheme, names = SCHEMES[name], schemes.entities(name, formula["variables"])
    return {
        "entities": list(names),
        "prompt": template_prompt(scheme, names, formula["clauses"]),
        "told": {"attempts": [], "introduction": "", "paragraphs": []},
        "values": [[scheme.true, scheme.false] for _ in names],
    }


def notes(recipe: Recipe) -> dict[str, dict[str, Any]]:
    """What the manifest says of each theme: its formulas, how its clauses came about, and who told them.

    ``validated_first``, ``fallback``: shares of the clauses; the paper has .954 and .033.
    """
    signature_of = {formula["formula"]: formula["signature"] for formula in recipe.params["formulas"]}
    found = {}
    for theme in themes.THEMES:
        stories = [story for story in recipe.params["stories"] if story["theme"] == theme]
        if stories:
            attempts = Counter(attempt for story in stories for attempt in story["attempts"])
            clauses = attempts.total()
            found[theme] = {
                "attempts": {str(attempt): attempts[attempt] for attempt in range(1, ATTEMPTS + 1)},
                "clauses": clauses,
                "fallback": round(attempts[FALLBACK] / clauses, 6),
                "signatures": [signature_of[story["formula"]] for story in stories],
                "teller": recipe.params["teller"],
                "validated_first": round(attempts[1] / clauses, 6),
            }
    return found


def prove(recipe: Recipe, file: str, rows: Iterable[dict[str, Any]]) -> list[str]:
    """Prove every label and planted fact of a file's rows again, from the clauses alone, and hold each row against the
    recipe's story; what is wrong, a line each."""
    formulas = {_renamed(recipe, formula["formula"]): formula for formula in recipe.params["formulas"]}
    stories = {(_renamed(recipe, story["formula"]), story["theme"]): story for story in recipe.params["stories"]}
    return [
        f"{row['id']}: {fault}"
        for row in rows
        for fault in _faults(
            recipe, file, row, formulas.get(row["formula"]), Text(row["scheme"], stories.get((row["formula"], row["scheme"])))
        )
    ]


def _faults(recipe: Recipe, file: str, row: dict[str, Any], formula: dict[str, Any] | None, text: Text) -> list[str]:
    if formula is None:
        return [f"formula {row['formula']} is none of the recipe's"]
    if text.story is None and text.scheme not in recipe.params["templates"]:
        return [f"scheme {text.scheme} is none of the recipe's for this formula"]
    if file != (TEMPLATES if text.story is None else STORIES):
        return [f"a row of scheme {text.scheme} is in the wrong file"]
    faults = list(_formula_faults(recipe, formula)) or (list(_story_faults(formula, text.story)) if text.story else [])
    if faults:
        return faults
    expected, clauses = _row(recipe, formula, text), tuple(map(tuple, row["clauses"]))
    faults = [f"{name} is not what the recipe gives" for name, value in sorted(expected.items()) if row[name] != value]
    if not faults and text.story is None and _read_back(row) != row["clauses"]:
        faults.append("its text does not give its clauses back")
    return faults or list(fact_faults(row["variables"], clauses, frozen(row["planted"]), row["satisfiable"], row["signature"]))


def _read_back(row: dict[str, Any]) -> list[list[int]]:
    """The clauses of a template's text."""
    return schemes.parse(SCHEMES[row["scheme"]], row["entities"], row["prompt"])
