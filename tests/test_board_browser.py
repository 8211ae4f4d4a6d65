"""The page of rb-compare in Chromium: it opens from a disk, sorts, filters and switches levels, by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import DESK, PHONE, Visit, chromium, visit
from compare_cases import EVIL, Data, changed, constant, gathered, laid, mixed, scored
from rb_verify.board import documents, write
from rb_verify.compare import compare
from rb_verify.references import references
from shelf import DATASETS, shelve

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """Boards of all datasets, with a hostile model; two laid models of TRACE are first in one level each."""
    folder = tmp_path_factory.mktemp("reports")
    values: list[Data] = []
    for name, release in shelve(folder).items():
        for i, skill in enumerate((0.9, 0.6, 0.4)):
            mode = ("long", "short", "instruct")[i]
            values.append(scored(release, folder, mixed(release, skill, i), model=f"M{i}", mode=mode, source="open"))
        values.append(scored(release, folder, constant(release), model=EVIL, organisation=EVIL, source="closed"))
        if name == "tracebench":
            config = changed(values[-1], config="deep", submission={})
            config["signature"] = config["signature"].replace("config:default", "config:deep")
            easy = {"10": {str(i): (1.0, 1.0) for i in range(20)}, "45": {str(i): (0.0, 1.0) for i in range(20)}}
            hard = {"10": {str(i): (0.0, 1.0) for i in range(20)}, "45": {str(i): (i % 10 > 0, 1.0) for i in range(20)}}
            values += [laid(config, easy, "easy"), laid(config, hard, "hard")]
    return compare(gathered(*values), references(DATASETS))


@pytest.fixture(scope="module")
def page(data: Data, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, written."""
    folder = tmp_path_factory.mktemp("board")
    write(folder, documents(data))
    return folder / "index.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for all tests."""
    with chromium() as started:
        yield started


def section(seen: Visit, dataset: str, config: str = "default") -> Any:
    """The section of a board."""
    return seen.page.locator(f'section[data-dataset="{dataset}"][data-config="{config}"]')


def column(board: Any, name: str) -> list[str]:
    """The texts of a column of the models that are shown."""
    heads = board.locator("table.board thead th").all_inner_texts()
    place = next(i for i, head in enumerate(heads) if head.startswith(name))
    rows = [row for row in board.locator("tbody.models tr").all() if row.is_visible()]
    return [row.locator("th, td").nth(place).inner_text() for row in rows]


@pytest.mark.parametrize(("dark", "size"), [(False, DESK), (True, DESK), (False, PHONE), (True, PHONE)])
def test_page_is_sound(dark: bool, size: tuple[int, int], page: Path, data: Data, browser: Any) -> None:
    """Nothing odd happens, no request is made, the page does not scroll sideways, and every figure has marks."""
    with visit(browser, page, dark=dark, size=size) as seen:
        assert seen.oddities == []
        assert seen.overflow() == 0
        assert seen.blank() == []
        assert seen.page.locator("figure svg").count() >= 2 * len(data["boards"])
        assert seen.page.locator("section[data-place]").count() == len(data["boards"]) == 4


def test_table_is_the_data(page: Path, data: Data, browser: Any) -> None:
    """The models, ranks and scores that are shown are those of the data, in its order."""
    with visit(browser, page) as seen:
        for found in data["boards"]:
            board = section(seen, found["dataset"], found["config"])
            assert column(board, "rank") == [str(model["rank"]) for model in found["models"]]
            assert column(board, "score") == [f"{100 * model['rates']['score']['value']:.2f}" for model in found["models"]]
            assert board.locator("tbody.baselines tr").count() == len(found["baselines"])


def test_columns_sort(page: Path, browser: Any) -> None:
    """Every heading sorts by click, and back; numbers go by value; aria-sort tells it, on one heading at a time."""
    with visit(browser, page) as seen:
        board = section(seen, "twosat")
        buttons = board.locator("table.board thead button")
        for i in range(buttons.count()):
            buttons.nth(i).click()
            head = board.locator("table.board thead th").nth(i)
            assert head.get_attribute("aria-sort") in ("ascending", "descending")
            assert board.locator("[aria-sort]").count() == 1
        buttons.nth(2).click()
        scores = [float(text) for text in column(board, "score")]
        assert scores == sorted(scores, reverse=True)
        buttons.nth(2).click()
        assert [float(text) for text in column(board, "score")] == sorted(scores)
        buttons.nth(1).click()
        assert column(board, "model")[-3:] == ["M0", "M1", "M2"]
        assert seen.oddities == []


def test_keyboard_sorts(page: Path, browser: Any) -> None:
    """Tab reaches the headings, and Enter and Space sort."""
    with visit(browser, page) as seen:
        board = section(seen, "twosat")
        head = board.locator("table.board thead th").nth(2)
        board.locator("select.level").focus()
        for _ in range(8):
            seen.page.keyboard.press("Tab")
            if seen.page.evaluate("document.activeElement.textContent").startswith("score"):
                break
        seen.page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "descending"
        seen.page.keyboard.press("Space")
        assert head.get_attribute("aria-sort") == "ascending"


def test_levels_switch(page: Path, data: Data, browser: Any) -> None:
    """A level shows its own scores and ranks, keeps the sorting, and hides baselines, which have none; "all" brings back."""
    with visit(browser, page) as seen:
        board = section(seen, "tracebench", "deep")
        before = column(board, "score")
        board.locator("select.level").select_option(label="10")
        assert dict(zip(column(board, "model"), column(board, "rank"), strict=True)) == {"easy": "1", "hard": "2"}
        assert dict(zip(column(board, "model"), column(board, "score"), strict=True)) == {"easy": "100.00", "hard": "0.00"}
        assert not board.locator("tbody.baselines").is_visible()
        board.locator("table.board thead button").nth(2).click()
        board.locator("select.level").select_option(label="45")
        assert column(board, "model") == ["hard", "easy"]
        assert column(board, "score") == ["90.00", "0.00"]
        board.locator("select.level").select_option(label="all")
        assert sorted(column(board, "score")) == sorted(before)
        assert board.locator("tbody.baselines").is_visible()


def test_filters(page: Path, browser: Any) -> None:
    """Datasets, configs, names, modes and sources leave only what fits, and the count is told."""
    with visit(browser, page) as seen:
        form, shown = seen.page.locator("#filters"), seen.page.locator("#shown")
        assert shown.inner_text() == "rows shown: 14"
        form.locator("[name=config]").select_option("deep")
        assert [s.get_attribute("data-config") for s in seen.page.locator("section[data-place]").all() if s.is_visible()] == [
            "deep"
        ]
        form.locator("[name=config]").select_option("")
        form.locator("[name=dataset]").select_option("reefbench")
        assert shown.inner_text() == "rows shown: 4"
        board = section(seen, "reefbench")
        form.locator("[name=mode]").select_option("short")
        assert column(board, "model") == ["M1"]
        form.locator("[name=mode]").select_option("")
        form.locator("[name=source]").select_option("closed")
        (hostile,) = column(board, "model")
        form.locator("[name=source]").select_option("")
        form.locator("[name=model]").fill("m2")
        assert column(board, "model") == ["M2"]
        form.locator("[name=model]").press("Enter")
        assert shown.inner_text() == "rows shown: 1"
        assert hostile == EVIL.replace("\u202e", "\\u202e")
        assert seen.oddities == []
