"""Isolated and contended times of each job by cell, as in Figures 1 and 2 of the StressBench paper."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stressbench.report.document import DataFile, Figure, Value
from stressbench.report.drawing import bare_axes, canvas, finish
from stressbench.report.figures.boxes import (
    BOX_HEAD,
    MAX_SINGLE_POINTS,
    box_rows,
    box_value,
    draw_box,
    scale_times,
)
from stressbench.report.names import printable, short
from stressbench.report.palette import ISOLATED, hatch_of, tone_of
from stressbench.report.study.page_data import CellJob, StudyPageData
from stressbench.report.units import factor, time, time_unit

MAX_LINES = 16
MAX_JOBS = 12
_CAPTION = (
    "Two boxes per cell: above, grey, isolated; below, coloured and hatched, contended. Box: the middle half of the "
    "repetitions; line: median; diamond: mean; whiskers: 5th to 95th percentile; dots: every repetition where n is at "
    f"most {MAX_SINGLE_POINTS}, else the smallest and the largest. n counts measured repetitions of all runs of the "
    "cell; a repetition ends when the last rank of the job has finished. Boxes show the spread of single repetitions; "
    "the confidence of their ratio is shown by the 95 % intervals in the figure of impacts."
)


def draw_boxes(page_data: StudyPageData, factors: Sequence[str]) -> tuple[tuple[Figure, DataFile], ...]:
    """One figure per job, up to `MAX_JOBS`, each with its data."""
    names = dict.fromkeys(entry.job.name for entry in page_data.cell_jobs)
    figures: list[tuple[Figure, DataFile]] = []
    for number, name in enumerate(names):
        job_cells = [entry for entry in page_data.cell_jobs if entry.job.name == name and _sample_count(entry)]
        if job_cells and len(figures) < MAX_JOBS:
            figures.append(_job_figure(job_cells, factors, number=number + 1))
    return tuple(figures)


def _job_figure(cell_jobs: Sequence[CellJob], factors: Sequence[str], *, number: int) -> tuple[Figure, DataFile]:
    largest = sorted(cell_jobs, key=lambda entry: -abs(np.log(entry.job.impact.ratio or 1.0)))[:MAX_LINES]
    shown = [entry for entry in cell_jobs if entry in largest]
    unit = time_unit(np.concatenate([_medians(entry.isolated_s, entry.contended_s) for entry in shown]))
    fig = canvas(height_in=0.75 + 0.62 * len(shown))
    axes = fig.subplots()
    ticks: list[tuple[float, str]] = []
    for position, entry in enumerate(reversed(shown)):
        kinds = ((0.21, "contended", entry.contended_s, tone_of(entry.tone), hatch_of(entry.tone)),
                 (-0.21, "isolated", entry.isolated_s, ISOLATED, ""))  # fmt: skip
        for offset, kind, seconds, tone, hatch in kinds:
            if len(seconds):
                draw_box(axes, seconds * unit.per_second, height=position - offset, tone=tone, hatch=hatch, width=0.36)
                name = f"{entry.factor_text}, {kind}" if entry.factor_text else kind
                box_value(axes, seconds, name, per_second=unit.per_second, height=position - offset, width=0.36)
                factor_values = (
                    f"{short(', '.join(entry.values), max_length=40)}, "
                    if kind == "isolated" and entry.factor_text
                    else ""
                )
                ticks.append((position - offset, f"{factor_values}{kind}, n = {len(seconds):,}"))
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=8)
    axes.set_ylim(-0.55, len(shown) - 0.45)
    bare_axes(axes, grid="x")
    scale_times(axes, np.concatenate([_extremes(entry.isolated_s, entry.contended_s) for entry in shown]), unit.name)
    label_note = f" Cells are labelled by {printable(', '.join(factors))}." if factors else ""
    truncation_note = (
        f" The {len(shown)} of {len(cell_jobs):,} cells with the largest impacts."
        if len(shown) < len(cell_jobs)
        else ""
    )
    figure = finish(
        fig, key=f"study-boxes-{number}", title=_title(cell_jobs), caption=_CAPTION + label_note + truncation_note,
        description=" ".join(_description(entry) for entry in shown),
    )  # fmt: skip
    return figure, DataFile(
        name=f"times-{number}", head=_HEAD, rows=tuple(row for entry in shown for row in _rows(entry))
    )


_HEAD = ("cell", "values", "job", *BOX_HEAD)


def _rows(entry: CellJob) -> list[tuple[Value, ...]]:
    """The statistics of the boxes of one job in one cell."""
    return [
        (entry.cell.id, entry.factor_text, entry.name, *row) for row in box_rows(entry.isolated_s, entry.contended_s)
    ]


def _title(cell_jobs: Sequence[CellJob]) -> str:
    name = short(cell_jobs[0].job.name, max_length=60)
    known = [entry for entry in cell_jobs if entry.job.impact.ratio is not None]
    if not known:
        return f"{name}: repetition times"
    ratios = sorted(entry.job.impact.ratio or 1.0 for entry in known)
    least, most = factor(ratios[0]), factor(ratios[-1])
    span = f"{most}×" if least == most else f"from {least}× to {most}×"
    return f"{name} takes {span} its isolated time" + (", by cell" if len(ratios) > 1 else "")


def _description(entry: CellJob) -> str:
    kinds = (("isolated", entry.isolated_s), ("contended", entry.contended_s))
    parts = [f"{kind} median {time(float(np.median(s)))}, n = {len(s)}" for kind, s in kinds if len(s)]
    return f"{entry.factor_text or entry.name}: {'; '.join(parts)}."


def _sample_count(entry: CellJob) -> int:
    return len(entry.isolated_s) + len(entry.contended_s)


def _medians(*parts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([np.median(part) for part in parts if len(part)])


def _extremes(*parts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([end for part in parts if len(part) for end in (part.min(), part.max())])
