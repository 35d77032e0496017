"""Time of an iteration in every launch of a program and of its workload."""

from stressbench.report.document import Figure
from stressbench.report.drawing import bare_axes, canvas, finish, point_values
from stressbench.report.palette import tone_of
from stressbench.report.plotting import MaxNLocator
from stressbench.report.units import ratio_text, time, time_unit
from stressbench.results.validation import Validation


def draw(result: Validation) -> Figure:
    """Times of both sides, and their parts in MPI, by pair of launches. The validation must have a block."""
    sides = (("program", [block.program for block in result.blocks]), ("workload", [b.workload for b in result.blocks]))
    unit = time_unit(one.time_s for _, launches in sides for one in launches)
    fig = canvas(height_in=2.8)
    axes = fig.subplots()
    numbers = range(1, len(result.blocks) + 1)
    for order, (name, launches) in enumerate(sides):
        tone, marker = tone_of(order).placeholder, "os"[order]
        whole = [one.time_s * unit.per_second for one in launches]
        in_mpi = [one.mpi_s * unit.per_second for one in launches]
        axes.plot(numbers, whole, color=tone, marker=marker, markersize=4.5, linewidth=1.2, label=name)
        axes.plot(
            numbers, in_mpi, color=tone, marker=marker, markersize=3, linewidth=1, linestyle=":",
            label=f"{name}, in MPI",
        )  # fmt: skip
        for times, part, values in ((whole, "", [one.time_s for one in launches]),
                                    (in_mpi, " in MPI", [one.mpi_s for one in launches])):  # fmt: skip
            texts = [f"{name}, pair {at}: {time(value)}{part}" for at, value in zip(numbers, values, strict=True)]
            point_values(axes, numbers, times, texts)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("pair of launches")
    axes.set_ylabel(f"time per iteration / {unit.name}")
    axes.legend(fontsize="small", ncols=2)
    bare_axes(axes)
    ratio = result.ratio
    text = "" if ratio is None else f": ratio {ratio_text(ratio.value, ratio.low, ratio.high)}"
    return finish(
        fig, key="times-by-launch", title=f"Time of an iteration in every launch{text}",
        caption="Solid: the whole iteration; dotted: its part in MPI; mean over the ranks. Program and workload took "
        "turns, so drift of the machine affects both.",
        description=f"Times of program and workload in {len(result.blocks)} pairs of launches{text}.",
    )  # fmt: skip
