"""The load of the busiest links in each round, in the order of execution."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stressbench.formats.run import LinkTraffic, Role, Round
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import area_values, bare_axes, canvas, finish
from stressbench.report.names import short
from stressbench.report.palette import FOREGROUND, tone_of
from stressbench.report.plotting import Axes, MaxNLocator, Patch
from stressbench.report.run.answers import link_name
from stressbench.report.run.section import RunSection
from stressbench.report.units import count, percent
from stressbench.stats import LinkUtilisation

ORDER = 45
MAX_LINKS = 6
MAX_BARS = 240
_MAX_LEGEND_JOBS = 11
_CAPTION = (
    "One panel for each of the busiest links; bars: the share of the link's rate in use, a bar for each round, in the "
    "order of execution. Coloured bars are isolated rounds of the job of this colour; dark bars are contended rounds."
)
_THINNED = " There are too many rounds to draw: each bar is the largest of {} consecutive rounds."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """Use of a link in a round; `job` is None for a contended round."""

    round: int
    job: int | None
    use: float


def draw(section: RunSection) -> Figure | None:
    """A panel for each of the busiest links; None without link counters."""
    links = [link for link in (section.summary.links or ()) if link.peak > 0][:MAX_LINKS]
    if not links:
        return None
    loads = _loads(section.run.rounds, links)
    group = -(-max(len(one) for one in loads.values()) // MAX_BARS)
    fig = canvas(height_in=0.9 + 0.72 * len(links))
    panels = fig.subplots(len(links), squeeze=False, sharex=True)[:, 0]
    for axes, link in zip(panels, links, strict=True):
        _panel(axes, section, link_name(link), _largest(loads[_key(link)], group), width=0.85 * group)
    panels[-1].set_xlabel("round")
    panels[-1].xaxis.set_major_locator(MaxNLocator(8, integer=True))
    fig.supylabel("link's rate in use / %", fontsize=8.5)
    fig.legend(handles=_legend(section, links), loc="outside lower left", ncols=4, fontsize=9)
    rounds = count(len({one.round for one in loads[_key(links[0])]}), "round")
    return finish(
        fig, key=f"{section.key}-link-loads",
        title=f"{section.subject}{': load' if section.subject else 'Load'} of the busiest links in {rounds}",
        caption=_CAPTION + (_THINNED.format(group) if group > 1 else ""),
        description="; ".join(_description(section, link) for link in links) + ".",
    )  # fmt: skip


def data_file(section: RunSection) -> DataFile:
    """One row per round and drawn link."""
    links = [link for link in (section.summary.links or ()) if link.peak > 0][:MAX_LINKS]
    names = {job.job: job.name for job in section.jobs}
    loads = _loads(section.run.rounds, links)
    return DataFile(
        name="link-loads", head=("link", "from", "to", "round", "kind", "job", "use"),
        rows=tuple(
            (
                link.link, link.source, link.target, one.round, "contended" if one.job is None else "isolated",
                None if one.job is None else names[one.job], one.use,
            )
            for link in links
            for one in loads[_key(link)]
        ),
    )  # fmt: skip


def _key(link: LinkUtilisation | LinkTraffic) -> tuple[str, str, str]:
    return link.link, link.source, link.target


def _loads(
    rounds: Sequence[Round], links: Sequence[LinkUtilisation]
) -> Mapping[tuple[str, str, str], tuple[_Load, ...]]:
    wanted: dict[tuple[str, str, str], list[_Load]] = {_key(link): [] for link in links}
    for one in rounds:
        for link in one.links or ():
            if (key := _key(link)) in wanted and link.rate_bits_per_s and one.duration_s > 0:
                use = link.bytes * 8 / (link.rate_bits_per_s * one.duration_s)
                wanted[key].append(_Load(round=one.round, job=one.job, use=use))
    return {key: tuple(loads) for key, loads in wanted.items()}


def _largest(loads: Sequence[_Load], group: int) -> list[_Load]:
    """The largest load of each group of consecutive rounds."""
    return [max(loads[at : at + group], key=lambda one: one.use) for at in range(0, len(loads), group)]


def _panel(axes: Axes, section: RunSection, name: str, loads: Sequence[_Load], *, width: float) -> None:
    colours = [
        FOREGROUND.placeholder if one.job is None else tone_of(section.style_of(one.job)).placeholder for one in loads
    ]
    axes.bar(
        [one.round for one in loads], [100 * one.use for one in loads], width=width, color=colours, edgecolor="none"
    )
    names = {job.job: job.name for job in section.jobs}
    area_values(
        axes, [(one.round - width / 2, 0.0, one.round + width / 2, 100.0) for one in loads],
        [f"round {one.round}, {_kind_text(one, names)}: {percent(one.use)} %" for one in loads],
    )  # fmt: skip
    bare_axes(axes, grid="y")
    axes.set_ylim(0, max(100.0, *(100 * one.use for one in loads)))
    axes.set_yticks([0, 50, 100])
    axes.set_title(short(name, max_length=60), fontsize=9)


def _kind_text(load: _Load, names: Mapping[int, str]) -> str:
    return "contended" if load.job is None else f"{names[load.job]} isolated"


def _legend(section: RunSection, links: Sequence[LinkUtilisation]) -> list[Patch]:
    """Of more than `_MAX_LEGEND_JOBS` jobs, those that use the links most."""
    peaks = {job.job: 0.0 for job in section.jobs if job.role is Role.measured}
    for one in (one for link in links for one in link.isolated):
        peaks[one.job] = max(one.use, peaks.get(one.job, 0.0))
    largest = sorted(peaks, key=lambda job: -peaks[job])[:_MAX_LEGEND_JOBS]
    return [
        *(
            Patch(color=tone_of(section.style_of(job.job)).placeholder, label=f"{short(job.name)}, isolated")
            for job in section.jobs
            if job.job in largest
        ),
        Patch(color=FOREGROUND.placeholder, label="contended"),
    ]


def _description(section: RunSection, link: LinkUtilisation) -> str:
    names = {job.job: short(job.name) for job in section.jobs}
    parts = [f"{names[one.job]} isolated {100 * one.use:.0f} %" for one in link.isolated]
    parts += [] if link.contended is None else [f"contended {100 * link.contended:.0f} %"]
    return f"{link_name(link)}: medians {', '.join(parts)}"
