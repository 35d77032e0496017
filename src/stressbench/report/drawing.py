"""Conversion of matplotlib figures to SVG for embedding: text stays text, colours follow the theme, ids are unique.

For files, the same figures are saved as SVG, PNG and PDF, in the colours of the light theme on white.
"""

import io
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, Literal

from stressbench.report.document import Figure
from stressbench.report.names import printable
from stressbench.report.palette import BACKGROUND, FOREGROUND, GRID_LINE, MUTED, TONES
from stressbench.report.plotting import (
    Axes,
    Axis,
    Canvas,
    FigureCanvasSVG,
    Formatter,
    FuncFormatter,
    LogLocator,
    PolyCollection,
    mpl,
)

WIDTH_IN = 8.4
_FEWEST_DIGITS, _MOST_DIGITS = 6, 15
_DECADE_TICKS_FROM = 500.0
_MARGIN_IN, _DIGIT_IN = 0.9, 0.085
"""Inches: of labels and padding beside a panel, and of a digit of its ticks."""
_LEAST_DECADES = 0.1
_MAX_POINT_VALUES, _MAX_AREA_VALUES = 400, 1000
_TARGET_AREA = 120.0
_VALUE = "value:"
# Matplotlib writes a text with a double quote in single ones.
_VALUE_LINK = re.compile(rf"""<a xlink:href=(["']){_VALUE}(.*?)\1[^>]*>(.*?)</a>""", re.DOTALL)
_STYLE: Any = {
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3
    "svg.hashsalt": "stressbench",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.edgecolor": GRID_LINE.placeholder,
    "axes.labelcolor": MUTED.placeholder,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.formatter.limits": (-7, 12),
    "axes.formatter.useoffset": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": FOREGROUND.placeholder,
    "figure.facecolor": "none",
    "figure.edgecolor": "none",
    "grid.color": GRID_LINE.placeholder,
    "grid.linewidth": 0.7,
    "hatch.linewidth": 0.9,
    "legend.frameon": False,
    "legend.labelcolor": FOREGROUND.placeholder,
    "text.color": FOREGROUND.placeholder,
    "xtick.color": GRID_LINE.placeholder,
    "ytick.color": GRID_LINE.placeholder,
    "xtick.labelcolor": MUTED.placeholder,
    "ytick.labelcolor": FOREGROUND.placeholder,
    "patch.edgecolor": BACKGROUND.placeholder,
}
_NO_METADATA: Any = {"Creator": None, "Date": None, "Format": None, "Type": None}
_IMAGE_METADATA: Mapping[str, Any] = {
    "svg": _NO_METADATA, "png": {"Software": None}, "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}  # fmt: skip
"""Nothing that differs from one time to the next."""
IMAGE_KINDS = tuple(_IMAGE_METADATA)
_PNG_DPI = 200


@contextmanager
def style() -> Iterator[None]:
    """Context in which all drawing must happen: matplotlib reads its settings lazily."""
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the browser's font has it
        yield


def canvas(*, height_in: float, **options: Any) -> Canvas:
    """An empty figure of the page's width."""
    figure = Canvas(figsize=(WIDTH_IN, height_in), layout="constrained", **options)
    FigureCanvasSVG(figure)
    return figure


def bare_axes(axes: Axes, *, grid: Literal["x", "y", "both"] = "both") -> None:
    """Remove tick marks and draw a grid; for labelled rows (`grid` x) remove the vertical axis line, too."""
    axes.tick_params(length=0)
    axes.grid(visible=True, axis=grid)
    if grid == "x":
        axes.spines["left"].set_visible(False)


class RatioFormatter(Formatter):
    """Labels of an axis of ratios, such as `1.5×`, with as many digits as it takes to tell its ticks apart."""

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002  matplotlib's signature
        """The label of a single tick."""
        return f"{x:.{_FEWEST_DIGITS}g}×"

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """The labels of all ticks of the axis."""
        labels: list[str] = []
        for digits in range(_FEWEST_DIGITS, _MOST_DIGITS):
            labels = [f"{value:.{digits}g}×" for value in values]
            if len(set(labels)) == len(set(values)):
                break
        return labels


def number_ticks(axis: Axis, *, low: float, high: float) -> None:
    """Plain numbers at the ticks of a logarithmic axis, at 1, 2 and 5 of each decade if there is room for them."""
    few = high < _DECADE_TICKS_FROM * low and _has_room(axis)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def _has_room(axis: Axis) -> bool:
    """Whether the widest tick fits between 1 and 2 of a decade, on a panel that shares the page's width with others."""
    if axis is axis.axes.yaxis:
        return True
    low, high = sorted(axis.get_view_interval())
    position = axis.axes.get_subplotspec()
    panels = 1 if position is None else position.get_gridspec().ncols
    width_in = WIDTH_IN / panels - _MARGIN_IN
    longest = max(len(tick_text(10.0 ** math.floor(math.log10(value)))) for value in (low, high))
    return math.log10(2) / max(math.log10(high / low), _LEAST_DECADES) * width_in > _DIGIT_IN * (longest + 1)


def tick_text(value: float) -> str:
    """The number at a tick: `0.05`, `1,000,000`; with an exponent below 1e-6, and from 1e9 on."""
    return f"{value:,.6f}".rstrip("0").rstrip(".") if value == 0 or 1e-6 <= abs(value) < 1e9 else f"{value:g}"


def point_values(axes: Axes, xs: Sequence[float], ys: Sequence[float], texts: Sequence[str]) -> None:
    """Texts that a page shows while the reader points at these places (in data coordinates).

    None for more than 400 points: the figure's data file has them.
    """
    if 0 < len(texts) <= _MAX_POINT_VALUES:
        targets = axes.scatter(xs, ys, s=_TARGET_AREA, alpha=0.0, zorder=6, color=FOREGROUND.placeholder)
        targets.set_urls([_VALUE + printable(text) for text in texts])


def area_values(axes: Axes, boxes: Sequence[tuple[float, float, float, float]], texts: Sequence[str]) -> None:
    """As `point_values`, for up to 1,000 areas: left, bottom, right and top of each in data coordinates."""
    corners = [((left, low), (right, low), (right, top), (left, top)) for left, low, right, top in boxes]
    polygon_values(axes, corners, texts)


def polygon_values(axes: Axes, corners: Sequence[Sequence[tuple[float, float]]], texts: Sequence[str]) -> None:
    """As `area_values`, for areas of any shape with these corners."""
    if 0 < len(texts) <= _MAX_AREA_VALUES:
        areas = PolyCollection(corners, alpha=0.0, zorder=6, color=FOREGROUND.placeholder)
        areas.set_urls([_VALUE + printable(text) for text in texts])
        axes.add_collection(areas, autolim=False)


def finish(fig: Canvas, *, key: str, title: str, caption: str, description: str) -> Figure:
    """Render the canvas to a `Figure`; `key` must be unique in the page."""
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", metadata=_NO_METADATA)
    fig.set_layout_engine("none")  # the layout would move everything a little each time it is saved
    svg = _embed(buffer.getvalue(), key=key, title=printable(title), description=printable(description))
    return Figure(key=key, title=printable(title), caption=caption, description=description, svg=svg, canvas=fig)


def image(figure: Figure, kind: str) -> bytes:
    """The figure as a file of one of the `IMAGE_KINDS`, in light colours on white; a PNG has 200 dots per inch.

    Values are titles of their marks in an SVG, and left out of the others. The same figure gives the same bytes. It
    must have its canvas.
    """
    canvas_ = figure.canvas
    assert isinstance(canvas_, Canvas)
    buffer = io.BytesIO()
    with style():
        canvas_.savefig(buffer, format=kind, dpi=_PNG_DPI, facecolor="white", metadata=dict(_IMAGE_METADATA[kind]))
    if kind != "svg":
        return buffer.getvalue()
    return _with_titles(buffer.getvalue().decode()).encode()


def size_in(figure: Figure) -> tuple[float, float]:
    """Width and height in inches. The figure must have its canvas."""
    assert isinstance(figure.canvas, Canvas)
    width, height = figure.canvas.get_size_inches()
    return round(float(width), 3), round(float(height), 3)


def _with_titles(document: str) -> str:
    """The drawing with values as titles of their marks instead of addresses of links."""
    return _VALUE_LINK.sub(r'<g class="value"><title>\2</title>\3</g>', document)


def _embed(document: str, *, key: str, title: str, description: str) -> str:
    """The `<svg>` element of `document`, with unique ids, a title, a description, and colours as CSS variables."""
    body = document[document.index("<svg") :]
    head, _, rest = body.partition(">")
    viewbox = re.search(r'viewBox="[^"]*"', head)
    assert viewbox is not None
    rest = re.sub(r'\bid="', f'id="{key}-', rest)
    rest = re.sub(r"url\(#", f"url(#{key}-", rest)
    rest = re.sub(r'xlink:href="#', f'href="#{key}-', rest)
    rest = re.sub(r"<metadata>.*?</metadata>", "", rest, flags=re.DOTALL)
    rest = _with_titles(rest)
    for tone in TONES:
        rest = rest.replace(tone.placeholder, f"var({tone.variable})")
    labelled_by = f'aria-labelledby="{key}-title {key}-desc"'
    labels = f'<title id="{key}-title">{escape(title)}</title><desc id="{key}-desc">{escape(description)}</desc>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {labelled_by} {viewbox[0]}>{labels}{rest.strip()}'
