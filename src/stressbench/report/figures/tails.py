"""Tails of single executions, for each motif with individually timed executions."""

from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import Kind
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import bare_axes, canvas, finish, number_ticks, point_values
from stressbench.report.names import printable, short
from stressbench.report.palette import ISOLATED, tone_of
from stressbench.report.plotting import Axes, FuncFormatter, MaxNLocator
from stressbench.report.run.section import RunSection
from stressbench.report.units import time, time_unit
from stressbench.stats import JobSummary, MergedHistogram, StepSummary, histograms_of, merge

ORDER = 40
MAX_PANELS = 24
_LOGARITHMIC_FROM = 20.0
_SHARES = (0.5, 0.9, 0.99, 0.999, 0.9999)
"""Percentiles whose values a page shows."""
_CAPTION = (
    "The height of a line at a time is the share of executions that took longer. Coloured: contended; dashed and grey: "
    "isolated. Where the coloured line lies to the right, contended executions took longer; a gap that widens towards "
    "the bottom is congestion that affects few executions, but strongly. Shares are logarithmic, and so are times that "
    "span a wide range. n counts executions on all ranks and in all rounds of a kind; the resolution of a histogram is "
    "1 %."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Panel:
    job: JobSummary
    step: StepSummary
    isolated: MergedHistogram | None
    contended: MergedHistogram | None


def draw(section: RunSection) -> Figure | None:
    """A panel for each step with histograms, two side by side; None if no execution was timed individually."""
    panels = [_panel(section, job, step) for job in section.jobs for step in job.steps]
    with_histograms = [panel for panel in panels if panel.isolated is not None or panel.contended is not None]
    if not with_histograms:
        return None
    shown = with_histograms[:MAX_PANELS]
    rows = (len(shown) + 1) // 2
    fig = canvas(height_in=0.2 + 2.5 * rows)
    subplots = fig.subplots(rows, 2, squeeze=False, sharey=True).flat
    for axes, panel in zip(subplots, shown, strict=False):
        _plot(axes, panel)
    for axes in list(fig.axes)[len(shown) :]:
        axes.set_axis_off()
    left_out = (
        f" The first {MAX_PANELS} of {len(with_histograms)} motifs are drawn."
        if len(with_histograms) > len(shown)
        else ""
    )
    return finish(
        fig,
        key=f"{section.key}-tails",
        title="Times of single executions, isolated and contended",
        caption=_CAPTION + left_out,
        description=" ".join(_description(panel) for panel in shown),
    )


def data_file(section: RunSection) -> DataFile:
    """One row per bucket that is not empty."""
    head = ("job", "step", "motif", "quantity", "kind", "lower_s", "upper_s", "executions")
    return DataFile(
        name="executions", head=head,
        rows=tuple(
            (job.name, step.step, step.motif, step.quantity, kind.value, low, high, count)
            for job in section.jobs
            for step in job.steps
            for panel in (_panel(section, job, step),)
            for kind, merged in ((Kind.isolated, panel.isolated), (Kind.contended, panel.contended))
            if merged is not None
            for low, high, count in zip(
                merged.lower_s.tolist(), merged.upper_s.tolist(), merged.counts.tolist(), strict=True
            )
        ),
    )  # fmt: skip


def _panel(section: RunSection, job: JobSummary, step: StepSummary) -> _Panel:
    def merged(kind: Kind) -> MergedHistogram | None:
        return merge(histograms_of(section.run, job=job.job, step=step.step, kind=kind))

    return _Panel(job=job, step=step, isolated=merged(Kind.isolated), contended=merged(Kind.contended))


def _description(panel: _Panel) -> str:
    kinds = (("isolated", panel.isolated), ("contended", panel.contended))
    parts = [f"{name} 99 % within {time(merged.quantile_s(0.99))}" for name, merged in kinds if merged is not None]
    return f"{printable(panel.job.name)}, {_step_name(panel)}: {', '.join(parts)}."


def _step_name(panel: _Panel) -> str:
    """The motif, with the number of the step if the job has several with this motif."""
    motif = panel.step.motif
    several = sum(step.motif == motif for step in panel.job.steps) > 1
    return f"step {panel.step.step} ({short(motif, max_length=18)})" if several else short(motif, max_length=18)


def _plot(axes: Axes, panel: _Panel) -> None:
    kinds = [("isolated", panel.isolated, ISOLATED.placeholder, "--"), ("contended", panel.contended, "", "-")]
    present = [(name, merged, colour, dash) for name, merged, colour, dash in kinds if merged is not None]
    unit = time_unit(merged.quantile_s(0.5) for _, merged, _, _ in present)
    for name, merged, colour, dash in present:
        share = 1 - np.cumsum(merged.counts) / merged.counts.sum()
        times = np.concatenate([[merged.min_s], np.minimum(merged.upper_s, merged.max_s)]) * unit.per_second
        longer = np.concatenate([[1.0], np.maximum(share, 0.5 / merged.counts.sum())])
        label = f"{name}, n = {merged.count:,}"
        axes.step(
            times, longer, where="post", linestyle=dash, color=colour or tone_of(panel.job.job).placeholder, label=label
        )
        known = [(one, merged.quantile_s(one)) for one in _SHARES if (1 - one) * merged.count >= 1]
        point_values(
            axes, [value_s * unit.per_second for _, value_s in known], [1 - one for one, _ in known],
            [f"{name}: percentile {100 * one:g} is {time(value_s)}" for one, value_s in known],
        )  # fmt: skip
    scale_shares(
        axes, low=min(merged.min_s for _, merged, _, _ in present), high=max(one.max_s for _, one, _, _ in present)
    )
    axes.set_title(f"{short(panel.job.name, max_length=24)}: {_step_name(panel)}", fontsize=9.5)
    axes.set_xlabel(f"{printable(panel.step.quantity)} / {unit.name}")
    axes.legend(fontsize=8, loc="best")


def scale_shares(axes: Axes, *, low: float, high: float) -> None:
    """Set a logarithmic axis of shares that took longer; times are logarithmic, too, if they span a wide range."""
    bare_axes(axes)
    axes.set_ylabel("share that took longer")
    axes.set_yscale("log")
    if low > 0 and high > _LOGARITHMIC_FROM * low:
        axes.set_xscale("log")
        number_ticks(axes.xaxis, low=low, high=high)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(_percent))
    axes.minorticks_off()


def _percent(share: float, _: int) -> str:
    return f"{share * 100:g} %"
