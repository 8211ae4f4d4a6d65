"""What the HTML pages share: one self-contained file, in light and dark, with its figures inside and no network access.

Text of a submission is never markup: templates escape it, control and direction characters are shown by their code, and a
content security policy lets no script run but the page's own.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from rb_verify.errors import UnusableInput
from rb_verify.tally import Table

NEEDS_REPORT = "HTML pages need jinja2 and matplotlib: pip install 'rb-verify[report]'"

# Colours are named in figures by these values and become variables of the page's style, which knows light and dark.
INK, RULE = "#010203", "#010204"
SERIES = tuple(f"#0102{16 + i:02x}" for i in range(8))
_VARIABLES = {INK: "var(--ink)", RULE: "var(--rule)", **{colour: f"var(--s{i})" for i, colour in enumerate(SERIES)}}
_COLOUR = re.compile("|".join(_VARIABLES))
_TAG = re.compile("<[^>]*>")
_IDS = re.compile(r'(\bid="|url\(#|href="#)')
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff"
    "\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True)
class Figure:
    """A figure of a page. ``svg``: safe markup. ``title``: what it shows. ``note``: how to read it, for all readers.
    ``numbers``: what is drawn, as a table for those who cannot see it."""

    svg: str
    title: str
    note: str = ""
    numbers: Table | None = None


def visible(text: str) -> str:
    """Text whose control, invisible and direction characters are shown by their code, such as ``\\u202e``."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def draw(
    title: str,
    plot: Callable[[Any], None],
    size: tuple[float, float] = (5.2, 3.4),
    note: str = "",
    numbers: Table | None = None,
) -> Figure:
    """A figure as inline SVG. ``plot``: draws on a matplotlib Figure, in ``INK``, ``RULE`` and ``SERIES``; ``size``: in inches,
    of which some 5 across can be read on a phone; ``note``, ``numbers``: see ``Figure``.

    Text is drawn as it is, never as mathematics; names out of a submission go through ``visible`` first. The same drawing
    gives the same bytes, whatever a matplotlibrc says. Raises UnusableInput where matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from cycler import cycler
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise UnusableInput(NEEDS_REPORT) from None
    style: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "rb-verify",
        "text.parse_math": False,
        "font.family": "sans-serif",
        "font.size": 9.5,
        "legend.fontsize": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.prop_cycle": cycler(color=SERIES),
        "grid.color": RULE,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "legend.frameon": False,
    }
    buffer = io.StringIO()
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of glyphs that matplotlib's own font lacks: the reader's fonts draw them
        mpl.rcdefaults()
        mpl.rcParams.update(style)
        canvas = Canvas(figsize=size, layout="constrained")
        plot(canvas)
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], count=1, flags=re.DOTALL)
    mark = hashlib.sha256(svg.encode()).hexdigest()[:8]
    svg = _TAG.sub(lambda tag: _of_page(tag[0], mark), svg)
    svg = re.sub(r'(<svg [^>]*?)height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg [^>]*?)width="[^"]*"', r'\1aria-hidden="true" focusable="false"', svg, count=1)
    return Figure(svg, title, note, numbers)


def _of_page(tag: str, mark: str) -> str:
    """A tag of a figure with the page's colours, and with ids that no other figure of the page has. Text between tags stays."""
    return _IDS.sub(rf"\g<1>f{mark}-", _COLOUR.sub(lambda found: _VARIABLES[found[0]], tag))


def require() -> None:
    """Raise UnusableInput unless the libraries that pages need are installed."""
    if not (find_spec("jinja2") and find_spec("matplotlib")):
        raise UnusableInput(NEEDS_REPORT)


def island(value: Any) -> str:
    """JSON that a page's script reads from a ``script`` element: nothing in it can end the element. Text is made visible."""
    text = json.dumps(_shown(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(key)): _shown(each) for key, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list | tuple) else value


def render(template: str, script: str | None = None, **values: Any) -> str:
    """A page from ``templates/NAME``, which extends ``base.html``. ``script``: the file in ``templates`` that it runs.

    Every text value is escaped and made visible; figures' ``svg`` and ``island(...)`` results must be marked ``safe`` in the
    template. Raises UnusableInput where jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise UnusableInput(NEEDS_REPORT) from None

    def shown(value: Any) -> Any:
        return visible(value) if type(value) is str else value  # Markup is a str of our own making

    jinja = Environment(
        loader=PackageLoader("rb_verify", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    source = "" if script is None else jinja.get_template(script).render()
    allowed = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return jinja.get_template(template).render(script=source, script_digest=allowed, island=island, **values)
