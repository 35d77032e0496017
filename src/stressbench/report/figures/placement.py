"""Placement of jobs on nodes: one cell per node, as in Fig. 3 of the StressBench paper."""

import math
from collections.abc import Mapping, Sequence

from stressbench.formats.ranges import parse_ranges
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import WIDTH_IN, area_values, canvas, finish
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, FOREGROUND, GRID_LINE, MUTED, hatch_of, tone_of
from stressbench.report.plotting import Axes, Patch, Rectangle
from stressbench.report.run.section import RunSection
from stressbench.report.units import count

ORDER = 30
_MAX_NUMBERED_NODES = 160
_MAX_CELL_IN = 0.62
_MAX_LEGEND_JOBS = 24
_CAPTION = (
    "One cell per node, numbered from left to right, then downwards, in the order of the launcher; colour and hatch "
    "identify the job. A divided cell is shared by several jobs; an empty cell is a node without a job. Neighbours in "
    "this grid are neighbours in the order of the launcher, not necessarily in the network."
)


def draw(section: RunSection) -> Figure | None:
    """The map of the nodes in the run's header; None if there is a picture of the network, which shows the jobs.

    A continued run keeps its placement.
    """
    if section.drawable_network is not None:
        return None
    return draw_nodes(section, style_numbers={job.job: job.job for job in section.jobs})


def data_file(section: RunSection) -> DataFile:
    """One row per node and job; the job of an idle node is None."""
    hosts = section.run.header.nodes.hosts
    names = {job.job: job.name for job in section.jobs}
    return DataFile(
        name="placement", head=("node", "host", "job"),
        rows=tuple(
            (node, hosts.get(node), None if job is None else names[job])
            for node, jobs in sorted(_owners(section).items())
            for job in jobs or (None,)
        ),
    )  # fmt: skip


def _owners(section: RunSection) -> dict[int, list[int]]:
    """Jobs of each node."""
    owners: dict[int, list[int]] = {node: [] for node in section.run.header.nodes.hosts}
    for job in section.jobs:
        for node in parse_ranges(job.nodes):
            owners.setdefault(node, []).append(job.job)
    return owners


def draw_nodes(section: RunSection, *, style_numbers: Mapping[int, int]) -> Figure | None:
    """The map of nodes; `style_numbers` maps each job to the number of its colour and hatch. None without nodes."""
    if not section.run.header.nodes:
        return None
    owners = _owners(section)
    columns = _columns(len(owners))
    rows = math.ceil(len(owners) / columns)
    cell_in = min(_MAX_CELL_IN, (WIDTH_IN - 0.3) / columns)
    legend_rows = math.ceil((min(len(section.jobs), _MAX_LEGEND_JOBS) + 2) / 3)
    fig = canvas(height_in=rows * cell_in + 0.26 * legend_rows + 0.25)
    styles_by_node = {node: [style_numbers[job] for job in jobs] for node, jobs in owners.items()}
    axes = fig.subplots()
    _cells(axes, styles_by_node, columns=columns, cell_in=cell_in)
    places = [(place % columns, place // columns) for place in range(len(owners))]
    area_values(axes, [(x, y + 1, x + 1, y) for x, y in places], _node_texts(section, owners))
    fig.legend(
        handles=_legend(section, owners, style_numbers), loc="outside lower left", ncols=3, fontsize=9, handleheight=1.3
    )
    return finish(
        fig,
        key=f"{section.key}-placement",
        title=f"Placement of jobs: {count(len(owners), 'node')}, placement {section.summary.facts.placement}",
        caption=_CAPTION,
        description="; ".join(f"{printable(job.name)} on nodes {job.nodes}" for job in section.jobs) + ".",
    )


def _node_texts(section: RunSection, owners: Mapping[int, Sequence[int]]) -> list[str]:
    """Node, host and jobs of each cell."""
    hosts = section.run.header.nodes.hosts
    names = {job.job: job.name for job in section.jobs}
    return [
        f"node {node}, {hosts.get(node, 'unknown host')}: {', '.join(names[job] for job in jobs) or 'no job'}"
        for node, jobs in sorted(owners.items())
    ]


def _columns(nodes: int) -> int:
    """Cells per row: the map is wider than high, and long rows hold a multiple of 8, which is easy to count."""
    if nodes <= 16:
        return nodes
    columns = math.ceil(math.sqrt(nodes * 2.4))
    return max(16, 8 * round(columns / 8))


def _cells(axes: Axes, styles_by_node: Mapping[int, Sequence[int]], *, columns: int, cell_in: float) -> None:
    gap = 0.06
    for place, (node, jobs) in enumerate(sorted(styles_by_node.items())):
        x, y = place % columns, place // columns
        width = (1 - 2 * gap) / max(1, len(jobs))
        for index, style_number in enumerate(jobs):
            corner = (x + gap + index * width, y + gap)
            _cell(axes, corner, width=width, height=1 - 2 * gap, style_number=style_number)
        if not jobs:
            empty = Rectangle((x + gap, y + gap), 1 - 2 * gap, 1 - 2 * gap)
            empty.set(facecolor="none", edgecolor=GRID_LINE.placeholder, linewidth=0.8)
            axes.add_patch(empty)
        if len(styles_by_node) <= _MAX_NUMBERED_NODES:
            _number(axes, node, x=x + 0.5, y=y + 0.5, size=max(5.5, min(10.0, 17 * cell_in)))
    rows = math.ceil(len(styles_by_node) / columns)
    axes.set(xlim=(0, max(columns, (WIDTH_IN - 0.3) / cell_in)), ylim=(rows, 0), aspect="equal", anchor="NW")
    axes.set_axis_off()


def _cell(axes: Axes, corner: tuple[float, float], *, width: float, height: float, style_number: int) -> None:
    cell = Rectangle(corner, width, height)
    cell.set(
        facecolor=tone_of(style_number).placeholder,
        edgecolor=BACKGROUND.placeholder,
        hatch=hatch_of(style_number),
        linewidth=0,
    )
    axes.add_patch(cell)


def _number(axes: Axes, node: int, *, x: float, y: float, size: float) -> None:
    background = {"boxstyle": "round,pad=0.15", "facecolor": BACKGROUND.placeholder, "edgecolor": "none", "alpha": 0.88}
    axes.text(x, y, str(node), ha="center", va="center", fontsize=size, color=FOREGROUND.placeholder, bbox=background)


def _legend(section: RunSection, owners: Mapping[int, Sequence[int]], style_numbers: Mapping[int, int]) -> list[Patch]:
    nodes = {job.job: len(parse_ranges(job.nodes)) for job in section.jobs}
    entries = job_legend(section, nodes, style_numbers=style_numbers)
    idle = sum(not jobs for jobs in owners.values())
    if idle:
        entries.append(Patch(facecolor="none", edgecolor=MUTED.placeholder, linewidth=0.8, label=f"no job ({idle})"))
    return entries


def job_legend(
    section: RunSection,
    nodes: Mapping[int, int],
    *,
    style_numbers: Mapping[int, int] | None = None,
    is_hatched: bool = True,
) -> list[Patch]:
    """An entry for each job with its number of nodes or hosts; `style_numbers` as in `draw_nodes`, default: jobs.

    Of more than `_MAX_LEGEND_JOBS` jobs, those on the most nodes have one, and the others have one together.
    """
    numbers = {job.job: job.job for job in section.jobs} if style_numbers is None else style_numbers
    largest = sorted(section.jobs, key=lambda job: -nodes[job.job])[:_MAX_LEGEND_JOBS]
    shown = [job for job in section.jobs if job in largest]
    entries = [
        Patch(
            facecolor=tone_of(numbers[job.job]).placeholder, edgecolor=BACKGROUND.placeholder,
            hatch=hatch_of(numbers[job.job]) if is_hatched else None, linewidth=0,
            label=f"{short(job.name)} ({nodes[job.job]})",
        )
        for job in shown
    ]  # fmt: skip
    left_out = len(section.jobs) - len(shown)
    if left_out:
        entries.append(Patch(facecolor="none", edgecolor="none", label=f"and {count(left_out, 'other job')}"))
    return entries
