"""Open a page in Chromium as readers do: from a file, in light or dark, on a desk or a phone, with everything odd noted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DESK, PHONE = (1200, 900), (360, 740)


@dataclass
class Visit:
    """A page that is open. ``page``: playwright's. ``oddities``: console messages, uncaught errors, dialogs, and requests
    for anything but the file itself; a sound page leaves it empty."""

    page: Any
    oddities: list[str] = field(default_factory=list)

    def overflow(self) -> int:
        """By how many CSS pixels the page itself scrolls sideways; 0 is right."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def blank(self) -> list[int]:
        """The places of those figures (``figure svg``) that have no size or no marks, from 0."""
        script = """[...document.querySelectorAll("figure svg")].map((svg, i) => {
            const box = svg.getBoundingClientRect();
            return box.width > 0 && box.height > 0 && svg.querySelector("path, use, image") ? -1 : i;
        }).filter(i => i >= 0)"""
        return list(self.page.evaluate(script))


@contextmanager
def chromium() -> Iterator[Any]:
    """A running Chromium (playwright's ``Browser``): the system's, or else playwright's own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def visit(
    browser: Any, file: Path, *, dark: bool = False, size: tuple[int, int] = DESK, still: bool = False
) -> Iterator[Visit]:
    """A page open in a context of its own. ``dark``: the reader's scheme; ``size``: of the window, ``DESK`` or ``PHONE``;
    ``still``: the reader wants reduced motion."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if still else "no-preference",
    )
    page = context.new_page()
    seen = Visit(page)
    address = file.resolve().as_uri()

    def dismiss(dialog: Any) -> None:
        seen.oddities.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def request(asked: Any) -> None:
        if asked.url != address:
            seen.oddities.append(f"request: {asked.url[:200]}")

    page.on("dialog", dismiss)
    page.on("request", request)
    page.on("console", lambda message: seen.oddities.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: seen.oddities.append(f"error: {error}"))
    page.goto(address)
    yield seen
    context.close()
