"""From a 2-SAT release to the recipe of its stories, told by a model (2-SAT paper, section 4).

Whole stories are kept as they come, in a file beside the folder of the release, so that a run that was killed goes on. What
comes out is a recipe of dataset ``stories``, which is built like any other, without a model.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rb_build import recipe as recipes
from rb_build import telling_prompts as prompts
from rb_build.errors import UnusableRecipe
from rb_build.recipe import Recipe
from rb_build.stories import FALLBACK, STORIES, TEMPLATES
from rb_build.telling import plain_story, tell
from rb_verify import console, themes
from rb_verify.endpoint import Endpoint
from rb_verify.errors import UnusableInput
from rb_verify.journal import journal, read
from rb_verify.llm import Client, Failed, concurrently
from rb_verify.release import find, load, read_file
from rb_verify.schemes import SCHEMES

PUBLISHED = "95.4 %", "3.3 %"  # of the paper's clauses: validated at the first attempt, fallback sentences
_FIELDS = (
    "base_id",
    "block",
    "clauses",
    "config",
    "family",
    "formula",
    "params",
    "perturbation",
    "planted",
    "satisfiable",
    "signature",
    "variables",
    "variant",
)
_STORY = ("attempts", "formula", "introduction", "paragraphs", "theme")  # what the recipe has of a told story


@dataclass(frozen=True)
class Base:
    """The release whose formulas are told. ``formulas``: the parts of its rows that no verbalisation changes, each once;
    ``schemes``: the templates that its rows have."""

    version: str
    content_digest: str
    seed: str
    canary: str
    formulas: list[dict[str, Any]]
    schemes: list[str]


class Job(NamedTuple):
    """A story to tell. ``theme``: its name."""

    formula: dict[str, Any]
    theme: str

    @property
    def key(self) -> Hashable:
        """What the story is known by."""
        return self.formula["formula"], self.theme


@dataclass(frozen=True)
class Plan:
    """A release of stories that is to come. ``templates``: the schemes that stand beside the stories."""

    base: Base
    themes: list[str]
    templates: list[str]
    version: str

    @property
    def jobs(self) -> list[Job]:
        """Every story, in the order of the release."""
        return [Job(formula, theme) for formula in self.base.formulas for theme in self.themes]

    def recipe(self, endpoint: Endpoint, stories: Sequence[dict[str, Any]]) -> Recipe:
        """The recipe of told stories. Raises UnusableRecipe."""
        asked = sorted(day for story in stories for day in story["asked"])
        others = sorted({model for story in stories for model in story["models"]} - {endpoint.model})
        guid = uuid.uuid5(uuid.NAMESPACE_OID, f"{self.base.canary}/stories/{self.version}")
        data = {
            "canary": f"stories canary {guid}",
            "configs": {
                "default": {"test": [STORIES]},
                "paired": {"test": [STORIES, TEMPLATES]},
                "templates": {"test": [TEMPLATES]},
            },
            "dataset": "stories",
            "params": {
                "base": {"content_digest": self.base.content_digest, "dataset": "twosat", "version": self.base.version},
                "formulas": self.base.formulas,
                "stories": [{name: story[name] for name in _STORY} for story in stories],
                "teller": {
                    "asked": [asked[0], asked[-1]],
                    "endpoint": endpoint.kind,
                    "model": endpoint.model + (f" ({', '.join(others)})" if others else ""),
                    "prompts": prompts.digest(),
                },
                "templates": self.templates,
            },
            "released": asked[-1],
            "seed": self.base.seed,
            "version": self.version,
        }
        return recipes.parse(data, "the recipe of the stories")


def plan(
    name: str, config: str, formulas: int | None, theme_names: Sequence[str], templates: Sequence[str], version: str
) -> Plan:
    """What is to be told. ``name``: a release's folder, NAME@VERSION or org/name@tag; ``formulas``: how many of each cell, by
    block, None for all; ``templates``: none for those of the release's rows. Raises UnusableInput."""
    chosen = _chosen("theme", theme_names, themes.THEMES)
    base = _base(name, config, formulas)
    for formula in base.formulas:
        for theme in chosen:
            try:
                themes.entities(theme, formula["variables"])
            except ValueError as error:
                raise UnusableRecipe(f"{formula['formula']}: {error}; choose another config") from None
    return Plan(base, chosen, _chosen("scheme", templates or base.schemes, SCHEMES), version)


def _chosen(kind: str, names: Sequence[str], known: Iterable[str]) -> list[str]:
    for name in names:
        if name not in known:
            raise UnusableRecipe(f"no {kind} {name!r} is known; choose from {', '.join(known)}")
    return list(dict.fromkeys(names))


def _base(name: str, config: str, formulas: int | None) -> Base:
    folder = find(name)
    release = load(folder, config)
    if release.dataset != "twosat":
        raise UnusableRecipe(f"{name}: is of {release.dataset}, whose rows are not clauses; name a release of twosat")
    rows = [row for row in release.rows if formulas is None or row["block"] < formulas]
    told: dict[str, dict[str, Any]] = {}
    for row in rows:
        told.setdefault(row["formula"], {member: row[member] for member in _FIELDS})
    return Base(
        version=release.version,
        content_digest=release.manifest["content_digest"],
        seed=json.loads(read_file(folder, release.manifest, "recipe.json"))["seed"],
        canary=release.manifest["canary"],
        formulas=list(told.values()),
        schemes=list(dict.fromkeys(row["scheme"] for row in rows)),
    )


def told_recipe(asked: Plan, out: Path, client: Client) -> Recipe:
    """The recipe of the stories, told where they are not there yet.

    ``out``: the folder that the release will have; told stories are kept beside it, in ``OUT.told.jsonl``. Raises UnusableInput
    where the folder has something else in it, or a story cannot be told.
    """
    endpoint, place = client.endpoint, out.resolve()
    asked.recipe(endpoint, [plain_story(*job) for job in asked.jobs[:1]])  # what is wrong with it is said before asking
    kept = place.parent / f"{place.name}.told.jsonl"
    occupied = place.exists() and not (place.is_dir() and not any(place.iterdir()))
    if occupied and not kept.exists():
        raise _occupied(out)
    about = {
        "base": asked.base.content_digest,
        "endpoint": endpoint.kind,
        "model": endpoint.model,
        "prompts": prompts.digest(),
        "settings": client.settings,
    }
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableRecipe(f"{kept.parent}: cannot be made ({error.strerror}); choose another folder") from None
    with journal(kept, about, _key) as book:
        todo = [job for job in asked.jobs if job.key not in book.done]
        if todo and occupied:
            raise _occupied(out)
        if todo and (fault := _tell(client, todo, book.add)):
            there = f"{len(asked.jobs) - sum(job.key not in book.done for job in todo)} of {len(asked.jobs)} stories"
            raise UnusableRecipe(f"{fault}; {there} are told and kept in {kept.name}, and the same command goes on from there")
        lines = {_key(line): line for line in read(kept)}
    return asked.recipe(endpoint, [lines[job.key] for job in asked.jobs])


def _key(line: dict[str, Any]) -> Hashable:
    whole = {name: line[name] for name in (*_STORY, "asked", "models")}
    return whole["formula"], whole["theme"]


def _occupied(out: Path) -> UnusableRecipe:
    return UnusableRecipe(f"{out}: exists and is not this release; name an empty or new folder with --out")


def _tell(client: Client, jobs: Sequence[Job], keep: Callable[[dict[str, Any]], None]) -> str | None:
    """Tell stories, several at once, and keep each once it is whole. What went wrong, None if nothing did."""
    faults: list[str] = []

    async def all_of_them(advance: Callable[[int], None]) -> None:
        async def told(job: Job) -> dict[str, Any] | None:
            try:
                return await tell(opened, *job, advance)
            except Failed as error:
                faults.append(f"{job.formula['formula']} as {job.theme}: {error}")
                return None

        async with client as opened:
            async for story in concurrently(jobs, told, client.limits.concurrency):
                if story is not None:
                    keep(story)

    with console.progress("clauses told", sum(len(job.formula["clauses"]) for job in jobs)) as advance:
        try:
            asyncio.run(all_of_them(advance))
        except UnusableInput as error:
            return str(error)
    return f"stories that could not be told: {len(faults)}, the first {faults[0]}" if faults else None


def statistics(recipe: Recipe) -> str:
    """How the clauses of told stories came about, beside the paper's figures."""
    attempts = [attempt for story in recipe.params["stories"] for attempt in story["attempts"]]
    first, fallback = (f"{100 * attempts.count(attempt) / len(attempts):.1f} %" for attempt in (1, FALLBACK))
    return (
        f"clauses told {len(attempts)}; validated at the first attempt {first} (the paper: {PUBLISHED[0]}); "
        f"fallback sentences {fallback} (the paper: {PUBLISHED[1]})"
    )
