"""Bytes between pairs of ranks as a heat map."""

import math

import numpy as np
from numpy.typing import NDArray

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import area_values, canvas, finish
from stressbench.report.plotting import Axes, FuncFormatter, MaxNLocator
from stressbench.report.traffic.layers import FIGURES_COMMAND
from stressbench.report.units import count, size
from stressbench.tracing.matrix import Matrix, MatrixUnit
from stressbench.tracing.profile import Profile

ORDER = 30
_MAX_CELLS = 256
_RGB = (0.13, 0.53, 0.80)  # visible on white and on black
_MIN_OPACITY = 0.12
_UNITS = {
    MatrixUnit.rank: "rank",
    MatrixUnit.host: "host (its lowest rank)",
    MatrixUnit.block: "block of ranks (its lowest rank)",
}
_CAPTION = (
    "Rows send, columns receive; a row or column is one {unit}{folded}. Darker cells: more bytes in point-to-point "
    "messages over the whole run, on the logarithmic scale at the right; empty cells exchanged nothing. Lines beside "
    "the diagonal are neighbours, a full square is all-to-all; collectives are not included. n = {messages} in "
    "{pairs}."
)


def draw(profile: Profile) -> Figure | None:
    """The heat map; None without messages."""
    matrix = profile.matrix
    sent = sum(pair.bytes for pair in matrix.pairs)
    if not sent:
        return None
    labels_per_cell = -(-len(matrix.labels) // _MAX_CELLS)
    cells = _cells(matrix, labels_per_cell)
    low, high = (float(bound) for bound in (cells[cells > 0].min(), cells.max()))
    fig = canvas(height_in=5.2)
    axes, bar = fig.subplots(1, 2, width_ratios=(1, 0.05))
    axes.imshow(_rgba(cells, low, high), interpolation="none", origin="upper")
    _label(axes, matrix, labels_per_cell)
    if labels_per_cell == 1:
        _add_values(axes, matrix, cells)
    _draw_scale(bar, low, high)
    pairs = profile.pairs[0]
    unit = _UNITS[matrix.unit]
    messages = sum(pair.messages for pair in matrix.pairs)
    return finish(
        fig,
        key="profile-matrix",
        title=f"Bytes sent between pairs of {matrix.unit.value}s",
        caption=_CAPTION.format(
            unit=unit, folded="" if labels_per_cell == 1 else f", {labels_per_cell} of them a cell",
            messages=count(messages, "message"), pairs=count(len(matrix.pairs), "pair"),
        ),
        description=(
            f"{size(sent)} in {count(messages, 'message')} between {count(len(matrix.pairs), 'pair')}. The most, "
            f"{size(pairs.bytes)}, from rank {pairs.source} to rank {pairs.destination}."
        ),
    )  # fmt: skip


def data_file(profile: Profile) -> DataFile:
    """One row per pair that exchanged messages: ranks, or the lowest ranks of hosts or blocks."""
    return DataFile(
        name="profile-matrix", head=("from", "to", "messages", "sent_bytes"), command=FIGURES_COMMAND,
        rows=tuple((pair.source, pair.destination, pair.messages, pair.bytes) for pair in profile.matrix.pairs),
    )  # fmt: skip


def _cells(matrix: Matrix, labels_per_cell: int) -> NDArray[np.float64]:
    cell_of = {label: index // labels_per_cell for index, label in enumerate(matrix.labels)}
    cells = np.zeros((max(cell_of.values()) + 1,) * 2)
    for pair in matrix.pairs:
        if pair.source in cell_of and pair.destination in cell_of:
            cells[cell_of[pair.source], cell_of[pair.destination]] += pair.bytes
    return cells


def _add_values(axes: Axes, matrix: Matrix, cells: NDArray[np.float64]) -> None:
    filled = np.argwhere(cells > 0).tolist()
    boxes = [(column - 0.5, row - 0.5, column + 0.5, row + 0.5) for row, column in filled]
    kind = matrix.unit.value
    texts = [
        f"from {kind} {matrix.labels[row]} to {matrix.labels[column]}: {size(cells[row, column])}"
        for row, column in filled
    ]
    area_values(axes, boxes, texts)


def _rgba(cells: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """RGBA image, shape (rows, columns, 4): one blue of varying opacity, so that it serves both themes."""
    rgba = np.zeros((*cells.shape, 4))
    rgba[..., :3] = _RGB
    log_range = math.log(high / low) if high > low else 1.0
    opacity = np.log(np.where(cells > 0, cells, low) / low) / log_range if high > low else np.ones(cells.shape)
    rgba[..., 3] = np.where(cells > 0, _MIN_OPACITY + (1 - _MIN_OPACITY) * opacity, 0.0)
    return rgba


def _label(axes: Axes, matrix: Matrix, labels_per_cell: int) -> None:
    def tick_label(position: float, _: int) -> str:
        number = round(position) * labels_per_cell
        return str(matrix.labels[number]) if 0 <= number < len(matrix.labels) and position == round(position) else ""

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axis.set_major_formatter(FuncFormatter(tick_label))
    axes.set_xlabel(f"to {_UNITS[matrix.unit]}")
    axes.set_ylabel(f"from {_UNITS[matrix.unit]}")
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)


def _draw_scale(axes: Axes, low: float, high: float) -> None:
    """Draw the colour scale, labelled in bytes."""
    steps = 64
    values = np.geomspace(low, high, steps) if high > low else np.full(steps, high)
    axes.imshow(_rgba(values[:, None], low, high), aspect="auto", origin="lower", interpolation="none")
    places = np.linspace(0, steps - 1, 5) if high > low else np.array([steps / 2])
    labels = {size(round(values[int(place)])): place for place in reversed(places)}
    axes.set_yticks(list(labels.values()), list(labels))
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.set_title("bytes", fontsize=9)
