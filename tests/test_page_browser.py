"""The page of a report in a browser: from a file, in light and dark, on a desk and a phone, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import DESK, PHONE, chromium, visit
from page_cases import FORMULAS, SHOWN, section
from rb_verify.page import page
from shelf import DATASETS, shelve

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A running Chromium."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a submission to all three datasets with hostile texts."""
    folder = tmp_path_factory.mktemp("page")
    releases = shelve(folder, FORMULAS)
    place = folder / "report of all.html"
    place.write_text(page([section(folder, releases[name]) for name in DATASETS]), "utf-8")
    return place


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_page_opens(browser: Any, file: Path, dark: bool, size: tuple[int, int]) -> None:
    """Every figure is drawn, nothing is loaded or logged, and only tables and texts scroll sideways, even all opened."""
    with visit(browser, file, dark=dark, size=size, still=dark) as seen:
        assert seen.page.locator("figure svg").count() == 16
        assert seen.blank() == []
        assert seen.overflow() <= 0
        seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        seen.page.locator(".rows > li:not(:has(.body))").first.wait_for(state="detached")
        assert seen.page.locator(".rows .body").count() > 100
        assert seen.overflow() <= 0
        assert seen.oddities == []


CONTRASTS = """() => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const light = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => c / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = light(getComputedStyle(document.body).backgroundColor);
    const found = {};
    const inks = ["h1", ".soft", ".bad", ".good", ".odd", "nav a", "caption", "figcaption", "summary", "figure svg text"];
    for (const one of inks) {
        const style = getComputedStyle(document.querySelector(one));
        const ink = light(one.includes("svg") ? style.fill : style.color);
        found[one] = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    }
    return { found, paper };
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_can_be_read(browser: Any, file: Path, dark: bool) -> None:
    """In both schemes all text, that of figures too, has a contrast of at least 4.5 to 1, and dark is dark."""
    with visit(browser, file, dark=dark) as seen:
        measured = seen.page.evaluate(CONTRASTS)
    assert {name: ratio for name, ratio in measured["found"].items() if ratio < 4.5} == {}
    assert (measured["paper"] < 0.1) == dark


def test_filters(browser: Any, file: Path) -> None:
    """Status, category, group and text each narrow the list, together too, and the count says how many rows match."""
    with visit(browser, file) as seen:
        place = seen.page.locator(".explorer").nth(DATASETS.index("tracebench"))
        count, rows = place.get_by_role("status"), place.locator(".rows > li")
        n = rows.count()
        assert count.inner_text() == f"{n} of {n} rows match"
        place.get_by_label("text").fill("ONERROR=ALERT")
        assert rows.count() == 1
        place.get_by_label("text").fill("")
        place.get_by_label("status").select_option("unparsed")
        some = rows.count()
        assert 0 < some < n
        assert {text.split("\n")[0] for text in rows.locator("summary .odd:not(.sign)").all_inner_texts()} == {
            "unparsed, parse failure, score 0"
        }
        assert count.inner_text() == f"{some} of {n} rows match"
        place.get_by_label("level").select_option("45")
        assert rows.count() < some
        place.get_by_label("level").select_option("10")
        place.get_by_label("text").fill("ONERROR=ALERT")
        assert rows.count() == 1
        place.get_by_label("category").select_option("true_reasoning")
        assert (rows.count(), count.inner_text()) == (0, f"0 of {n} rows match")
        place.get_by_label("category").select_option("")
        place.get_by_label("status").select_option("missing")
        place.get_by_label("text").fill("")
        place.get_by_label("level").select_option("")
        assert rows.count() == 1
        assert "missing, score 0" in rows.inner_text()
        assert seen.oddities == []


def test_more_rows_are_listed_on_demand(browser: Any, file: Path) -> None:
    """A long list comes in parts; the button adds the next one, and the keyboard stays where the new rows begin."""
    with visit(browser, file) as seen:
        place = seen.page.locator(".explorer").nth(DATASETS.index("twosat"))
        rows, more = place.locator(".rows > li"), place.get_by_role("button", name="more")
        assert rows.count() == 100
        assert "; 100 are listed" in place.get_by_role("status").inner_text()
        more.focus()
        seen.page.keyboard.press("Enter")
        assert rows.count() > 100
        assert not more.is_visible()
        assert rows.nth(100).locator("summary").evaluate("each => each === document.activeElement")


def test_row_opens_by_keyboard_and_by_click(browser: Any, file: Path) -> None:
    """From the search field, Tab reaches the first row and Enter opens it; a click closes it and opens another."""
    with visit(browser, file) as seen:
        place = seen.page.locator(".explorer").nth(DATASETS.index("tracebench"))
        place.get_by_label("text").focus()
        seen.page.keyboard.press("Tab")
        seen.page.keyboard.press("Enter")
        first, third = place.locator(".rows > li").nth(0), place.locator(".rows > li").nth(2)
        first.locator(".body").wait_for()
        assert first.locator("h4").all_inner_texts()[0] == "Verdict"
        assert first.locator("pre").first.inner_text().startswith("# Constraint")
        first.locator("summary").click()
        assert not first.locator(".body").is_visible()
        third.locator("summary").click()
        third.locator(".body").wait_for()
        assert [text for text in third.locator("h4").all_inner_texts() if text != "Steps"] == [
            *("Verdict", "Prompt", "Thinking, apart", "Response")
        ]
        assert "more characters are not in this page]" in third.get_by_label("Thinking, apart").inner_text()
        assert seen.oddities == []


def test_steps_stand_in_a_table(browser: Any, file: Path) -> None:
    """An opened row has its steps as a table with named columns, a line each."""
    with visit(browser, file) as seen:
        for name, title, columns in (
            ("tracebench", "Steps", ["step", "claim", "verdict", "the facts leave"]),
            ("twosat", "Decision and proof", ["part", "given", "verdict", "by the solver"]),
            ("reefbench", "Statements", ["sentence", "statement", "verdict", "golden"]),
        ):
            row = seen.page.locator(".explorer").nth(DATASETS.index(name)).locator(".rows > li", has_text="score 1").first
            row.locator("summary").click()
            table = row.get_by_label(title)
            table.wait_for()
            assert table.locator("thead th").all_inner_texts() == columns
            assert table.locator("tbody tr").count() >= 1
            assert table.locator("tbody tr").first.locator("td").count() == len(columns)


def test_hostile_text_is_seen_and_does_nothing(browser: Any, file: Path) -> None:
    """Markup, scripts and direction signs out of a submission are shown as they are: in title, heading, problems and rows."""
    with visit(browser, file) as seen:
        # Browsers drop the blanks around a title and join those inside it.
        assert seen.page.title().startswith(" ".join(f"M {SHOWN}".split()))
        assert seen.page.locator("h1").inner_text().startswith(f"M {SHOWN}")
        for explorer in seen.page.locator(".explorer").all():
            row = explorer.locator(".rows > li").nth(1)
            row.locator("summary").click()
            row.locator(".body").wait_for()
            assert row.get_by_label("Thinking, apart").inner_text() == SHOWN
            assert row.get_by_label("Response").inner_text() == f"{SHOWN} {'n' * 10_000}"
            assert f"finish_reason: {SHOWN}" in row.locator("li").all_inner_texts()
        problems = seen.page.locator("details", has_text="unknown_id: 1").first
        problems.locator("summary").click()
        assert SHOWN in problems.locator("tbody td").all_inner_texts()
        assert seen.page.locator("img, iframe, main svg[onload], main b").count() == 0
        assert seen.oddities == []


def test_print_leaves_controls_out(browser: Any, file: Path) -> None:
    """On paper there are figures and tables, and no controls."""
    with visit(browser, file) as seen:
        controls = seen.page.locator(".controls").first
        assert controls.is_visible()
        seen.page.emulate_media(media="print")
        assert not controls.is_visible()
        assert seen.page.locator("figure svg").first.is_visible()
