"""b_eff_io over the size of the partition (Figures 2 and 4 of the b_eff_io paper)."""

from stressbench.formats.protocols.beff_io import Access
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import canvas, finish
from stressbench.report.suites.lines import Line, plot, scale
from stressbench.report.units import rate
from stressbench.suites.beff_io import BEffIO

_CAPTION = (
    "One point per partition, equidistant; bandwidth is logarithmic. The dotted line is b_eff_io: a quarter of initial "
    "writing, a quarter of rewriting and half of reading; its maximum is the value of the system. Where it is level, "
    "the file system is the limit; where it rises, the number of ranks is. n = {partitions} partitions."
)


def draw(result: BEffIO) -> Figure | None:
    """One line per access method and one for b_eff_io; None for fewer than two partitions or without a value."""
    partitions = sorted(result.partitions, key=lambda one: one.ranks)
    if len(partitions) < 2 or not any(one.value for one in partitions):
        return None
    lines = [
        Line(label=access.value, order=order, values=[one.of(access).value for one in partitions])
        for order, access in enumerate(Access)
    ]
    lines.append(Line(label="b_eff_io", order=None, values=[one.value for one in partitions]))
    fig = canvas(height_in=3.0)
    axes = fig.subplots()
    plot(axes, lines, ticks=[f"{one.ranks:,}" if one.name == str(one.ranks) else one.name for one in partitions])
    scale(axes, lines)
    axes.set_xlabel("ranks of the partition")
    axes.set_ylabel("bandwidth of all ranks")
    axes.legend(ncols=4, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
    values_text = ", ".join(f"{rate(one.value)} on {one.label}" for one in partitions)
    best = max((one for one in partitions if one.value is not None), key=lambda one: one.value or 0.0)
    return finish(
        fig,
        key="beff-io-partitions",
        title=f"The best of {len(partitions)} partitions is that of {best.label}: {rate(best.value)}",
        caption=_CAPTION.format(partitions=len(partitions)),
        description=f"b_eff_io is {values_text}.",
    )


def data_file(result: BEffIO) -> DataFile:
    """One row per partition and access method, and one for its b_eff_io; None is unknown."""
    return DataFile(
        name="b_eff_io-partitions", head=("partition", "ranks", "access", "bytes_per_s"),
        rows=tuple(
            (partition.name, partition.ranks, name, value)
            for partition in result.partitions
            for name, value in (
                *((access.value, partition.of(access).value) for access in Access), ("b_eff_io", partition.value),
            )
        ),
    )  # fmt: skip
