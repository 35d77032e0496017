"""Isolated and contended times of each job by cell, as in Figures 1 and 2 of the StressBench paper."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stressbench.report.document import Figure, Numbers, Value
from stressbench.report.drawing import bare_axes, canvas, finish
from stressbench.report.figures.boxes import BOX_HEAD, EVERY_POINT_UP_TO, box_rows, draw_box, scale_times
from stressbench.report.names import printable, short
from stressbench.report.palette import ALONE, hatch_of, tone_of
from stressbench.report.study.evidence import Evidence, Line
from stressbench.report.units import factor, time, time_unit

MOST_LINES = 16
MOST_JOBS = 12
_CAPTION = (
    "Two boxes per cell: above, grey, isolated; below, coloured and hatched, contended. Box: the middle half of the "
    "repetitions; line: median; diamond: mean; whiskers: 5th to 95th percentile; dots: every repetition where n is at "
    f"most {EVERY_POINT_UP_TO}, else the smallest and the largest. n counts measured repetitions of all runs of the "
    "cell; a repetition ends when the last rank of the job has finished. Boxes show the spread of single repetitions; "
    "the confidence of their ratio is shown by the 95 % intervals in the figure of impacts."
)
_AS_BEFORE = "Boxes, lines, dots and n as in the first figure of this section."


def draw_boxes(evidence: Evidence, factors: Sequence[str]) -> tuple[tuple[Figure, Numbers], ...]:
    """One figure per job, up to `MOST_JOBS`, each with its data."""
    names = dict.fromkeys(line.job.name for line in evidence.lines)
    found: list[tuple[Figure, Numbers]] = []
    for number, name in enumerate(names):
        mine = [line for line in evidence.lines if line.job.name == name and _n(line)]
        if mine and len(found) < MOST_JOBS:
            found.append(_job(mine, factors, number=number + 1, caption=_CAPTION if not found else _AS_BEFORE))
    return tuple(found)


def _job(lines: Sequence[Line], factors: Sequence[str], *, number: int, caption: str) -> tuple[Figure, Numbers]:
    largest = sorted(lines, key=lambda line: -abs(np.log(line.job.impact.ratio or 1.0)))[:MOST_LINES]
    shown = [line for line in lines if line in largest]
    unit = time_unit(np.concatenate([_median(line.isolated_s, line.contended_s) for line in shown]))
    drawn = canvas(height_in=0.75 + 0.62 * len(shown))
    axes = drawn.subplots()
    ticks: list[tuple[float, str]] = []
    for place, line in enumerate(reversed(shown)):
        kinds = ((0.21, "contended", line.contended_s, tone_of(line.tone), hatch_of(line.tone)),
                 (-0.21, "isolated", line.isolated_s, ALONE, ""))  # fmt: skip
        for offset, kind, seconds, tone, hatch in kinds:
            if len(seconds):
                draw_box(axes, seconds * unit.per_second, height=place - offset, tone=tone, hatch=hatch, wide=0.36)
                where = f"{short(', '.join(line.values), longest=40)}, " if kind == "isolated" and line.where else ""
                ticks.append((place - offset, f"{where}{kind}, n = {len(seconds):,}"))
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=8)
    axes.set_ylim(-0.55, len(shown) - 0.45)
    bare_axes(axes, grid="x")
    scale_times(axes, np.concatenate([_ends(line.isolated_s, line.contended_s) for line in shown]), unit.name)
    told_by = f" Cells are labelled by {printable(', '.join(factors))}." if factors else ""
    left_out = f" The {len(shown)} of {len(lines):,} cells with the largest impacts." if len(shown) < len(lines) else ""
    figure = finish(
        drawn, key=f"study-boxes-{number}", title=_title(lines), caption=caption + told_by + left_out,
        description=" ".join(_described(line) for line in shown),
    )  # fmt: skip
    return figure, Numbers(name=f"times-{number}", head=_HEAD, rows=tuple(row for line in shown for row in _rows(line)))


_HEAD = ("cell", "values", "job", *BOX_HEAD)


def _rows(line: Line) -> list[tuple[Value, ...]]:
    """The statistics of the line's boxes."""
    return [(line.cell.id, line.where, line.name, *row) for row in box_rows(line.isolated_s, line.contended_s)]


def _title(lines: Sequence[Line]) -> str:
    name = short(lines[0].job.name, longest=60)
    known = [line for line in lines if line.job.impact.ratio is not None]
    if not known:
        return f"{name}: repetition times"
    ratios = sorted(line.job.impact.ratio or 1.0 for line in known)
    least, most = factor(ratios[0]), factor(ratios[-1])
    span = f"{most}×" if least == most else f"from {least}× to {most}×"
    return f"{name} takes {span} its isolated time" + (", by cell" if len(ratios) > 1 else "")


def _described(line: Line) -> str:
    kinds = (("isolated", line.isolated_s), ("contended", line.contended_s))
    parts = [f"{kind} median {time(float(np.median(s)))}, n = {len(s)}" for kind, s in kinds if len(s)]
    return f"{line.where or line.name}: {'; '.join(parts)}."


def _n(line: Line) -> int:
    return len(line.isolated_s) + len(line.contended_s)


def _median(*parts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([np.median(part) for part in parts if len(part)])


def _ends(*parts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([end for part in parts if len(part) for end in (part.min(), part.max())])
