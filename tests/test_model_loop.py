"""The whole way: models behind an endpoint, their responses, reports and boards, by the commands that users run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import rb_compare, rb_run, rb_verify
from compare_cases import Answer, mixed, scored
from llm_server import Said, llm_server
from rb_verify.release import Release

Report = dict[str, Any]
MODELS = ("fair", "good")


@pytest.fixture(scope="module")
def answers(shelf: dict[str, Release]) -> dict[tuple[str, str], Answer]:
    """What each model answers to the rows of each dataset: one is right now and then, the other always."""
    fair = {("fair", name): mixed(release, 0.4) for name, release in shelf.items()}
    return fair | {("good", name): release.scorer.perfect for name, release in shelf.items()}


@pytest.fixture(scope="module")
def home(shelf: dict[str, Release], answers: dict[tuple[str, str], Answer], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where each model has been asked all datasets, its answers scored (MODEL.json), and the reports compared."""
    root = tmp_path_factory.mktemp("loop")
    asked = {row["prompt"]: (name, row) for name, release in shelf.items() for row in release.rows}

    def answer(request: dict[str, Any]) -> Said:
        name, row = asked[request["messages"][0]["content"]]
        return Said(answers[request["model"], name](row), "I think.")

    environment = {"RB_RELEASES": str(shelf["twosat"].path.parents[1]), "OPENAI_API_KEY": "sk-none"}
    with llm_server(answer, [None, "429", "500", "close", "broken", "cut", "empty"]) as server:
        environment["OPENAI_BASE_URL"] = server.base_url
        for model in MODELS:
            folder = root / model
            folder.mkdir()
            (folder / "submission.yaml").write_text(f"model: {model}\n")
            for name in shelf:
                run = rb_run(f"{name}@0.1.0", "--model", model, "--out", folder / f"{name}.jsonl", cwd=root, **environment)
                assert (run.returncode, run.stdout) == (0, ""), run.stderr
            run = rb_verify(model, "--json", f"{model}.json", cwd=root, **environment)
            assert run.returncode == 0, run.stderr
    run = rb_compare(*(f"{model}.json" for model in MODELS), "--out", "board", cwd=root)
    assert run.returncode == 0, run.stderr
    return root


def reports(home: Path, model: str) -> dict[str, Report]:
    """The reports on a model by dataset."""
    return {report["dataset"]: report for report in json.loads((home / f"{model}.json").read_bytes())}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["reefbench", "tracebench", "twosat"])
def test_scores_are_those_of_the_same_responses_scored_directly(
    name: str, model: str, home: Path, shelf: dict[str, Release], answers: dict[tuple[str, str], Answer], tmp_path: Path
) -> None:
    """Nothing is lost or changed between the model and its score."""
    through, direct = reports(home, model)[name], scored(shelf[name], tmp_path, answers[model, name])
    assert through["counts"] == direct["counts"]
    assert through["rates"] == direct["rates"]
    assert through["breakdown"] == direct["breakdown"]
    assert through["clusters"] == direct["clusters"]
    assert (through["counts"]["missing"], through["problems"]) == (0, [])
    assert (through["score"] == 1.0) == (model == "good")
    assert through["score"] > 0


def test_boards_rank_the_good_model_first(home: Path, shelf: dict[str, Release]) -> None:
    """Of every dataset a board of both models, with the scores of their reports."""
    boards = json.loads((home / "board" / "board.json").read_bytes())["boards"]
    assert sorted(board["dataset"] for board in boards) == sorted(shelf)
    for board in boards:
        models = {each["name"]: each for each in board["models"]}
        assert list(models) == ["good", "fair"]
        assert models["good"]["rank"] == 1
        for model, each in models.items():
            assert each["rates"]["score"]["value"] == reports(home, model)[board["dataset"]]["score"]
