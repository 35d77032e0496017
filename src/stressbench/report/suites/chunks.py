"""Bandwidth over the chunk size on disk, by access method and pattern type (Figure 3 of the b_eff_io paper)."""

from collections.abc import Iterable

from stressbench.formats.protocols.beff_io import Access
from stressbench.formats.protocols.io_patterns import TYPE_NAMES, TYPE_TITLES, TYPES, Chunk
from stressbench.report.document import Figure
from stressbench.report.drawing import canvas, finish
from stressbench.report.suites.lines import Line, plot, scale
from stressbench.report.units import factor, rate
from stressbench.suites.beff_io import Partition

TICKS = ("1 kB", "+8", "32 kB", "+8", "1 MB", "+8", "M_PART")
_CAPTION = (
    "Each point is a pattern of Table 2: the bytes of all ranks divided by the time of the slowest, on a logarithmic "
    "axis. Chunk sizes on disk are equidistant; +8 is the previous size plus 8 bytes, which is not aligned. Where a "
    "line falls at every +8, alignment matters; where type 0 lies above the others at small chunks, a single call for "
    "many chunks pays off. The two patterns of 1 MB of type 0 are drawn as one. n = {ranks}."
)


def draw(partition: Partition, *, key: str) -> Figure | None:
    """One panel per access method, side by side; None if no pattern was measured."""
    panels = [(access, _lines(partition, access)) for access in Access]
    if not any(value for _, lines in panels for line in lines for value in line.values):
        return None
    fig = canvas(height_in=3.6)
    row = fig.subplots(1, len(panels), sharey=True)
    for axes, (access, lines) in zip(row, panels, strict=True):
        plot(axes, lines, ticks=TICKS)
        axes.set_title(access.value)
        axes.tick_params(axis="x", labelrotation=60)
    scale(row[0], (line for _, lines in panels for line in lines))
    row[0].set_ylabel("bandwidth of all ranks")
    row[1].set_xlabel("chunk on disk")
    handles = {label: handle for axes in row for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    fig.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=3, fontsize=8)
    return finish(
        fig,
        key=key,
        title=_title(partition),
        caption=_CAPTION.format(ranks=partition.label),
        description=" ".join(_description(access, lines) for access, lines in panels),
    )


def _lines(partition: Partition, access: Access) -> tuple[Line, ...]:
    return tuple(
        Line(
            label=TYPE_TITLES[number], order=number,
            values=[partition.value_at(access, number, chunk) for chunk in Chunk],
        )
        for number in TYPES
    )  # fmt: skip


def _title(partition: Partition) -> str:
    small = [
        (value, TYPE_NAMES[number])
        for number in TYPES
        if (value := partition.value_at(Access.write, number, Chunk.kib)) is not None
    ]
    if len(small) < 2:
        return f"Bandwidth over the size of chunks on {partition.label}"
    (most, best), (least, worst) = max(small), min(small)
    return (
        f"On {partition.label}, type “{best}” writes chunks of 1 kB {factor(most / least)} times as fast as “{worst}”"
    )


def _description(access: Access, lines: Iterable[Line]) -> str:
    parts = [
        f"{line.label} from {rate(min(values))} to {rate(max(values))}"
        for line in lines
        if (values := [value for value in line.values if value])
    ]
    return f"{access.value}: {'; '.join(parts) or 'not measured'}."
