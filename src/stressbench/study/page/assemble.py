"""The page: report and material to views, views through one template."""

from dataclasses import dataclass

from stressbench import __version__
from stressbench.report.document import Figure
from stressbench.report.drawing import style
from stressbench.report.names import printable
from stressbench.report.page.sheets import Sheet
from stressbench.report.page.tables import Table
from stressbench.report.page.template import environment, style_sheet
from stressbench.results.material import Material
from stressbench.results.study import StudyReport
from stressbench.study.page.boxes import draw_boxes
from stressbench.study.page.evidence import Evidence, evidence_of
from stressbench.study.page.heat import HeatMap, heat_maps
from stressbench.study.page.impacts import draw_impacts
from stressbench.study.page.links import cell_links, links_table
from stressbench.study.page.origin import Origin, origin_of
from stressbench.study.page.placements import draw_placements
from stressbench.study.page.tables import Kept, Warned, crossed, every_cell, hosts_table, tails_table, warnings_of
from stressbench.study.page.timeline import draw_timeline
from stressbench.study.page.words import summary_of


@dataclass(frozen=True, kw_only=True)
class View:
    """What the template takes; None and empty are left out of the page."""

    title: str
    progress: str
    findings: tuple[str, ...]
    chance: str | None
    notes: tuple[str, ...]
    warnings: tuple[Warned, ...]
    crossed: Table | None
    cells: Kept
    tails: Kept | None
    impacts: Figure | None
    boxes: tuple[tuple[Figure, Sheet], ...]
    jobs_left_out: int
    heats: tuple[HeatMap, ...]
    placements: tuple[Figure, ...]
    placements_in_all: int
    links: tuple[Table, Sheet] | None
    hosts: Kept | None
    timeline: tuple[Figure, Sheet] | None
    origin: Origin


def render(report: StudyReport, material: Material) -> str:
    """The page as HTML text."""
    view = _view(report, material)
    return environment().get_template("study.html.j2").render(view=view, style=style_sheet(), version=__version__)


def sheets_of(report: StudyReport, material: Material) -> tuple[Sheet, ...]:
    """The numbers that the page's links save."""
    view = _view(report, material)
    kept = [one.sheet for one in (view.cells, view.tails, view.hosts) if one is not None]
    drawn = [sheet for _, sheet in (*view.boxes, *filter(None, (view.links, view.timeline)))]
    return (*kept, *drawn, *(heat.sheet for heat in view.heats))


def _view(report: StudyReport, material: Material) -> View:
    evidence, links = evidence_of(report, material), cell_links(report, material)
    with style():
        impacts, boxes, timeline = (
            draw_impacts(report, evidence),
            draw_boxes(evidence, report.factors),
            draw_timeline(evidence),
        )
        placements, placements_in_all = draw_placements(report, material, tones=evidence.tones)
    return View(
        title=printable(report.about or "A study"),
        progress=f"{report.done:,} of {report.planned:,} runs are done.",
        findings=summary_of(report, evidence, links),
        chance=_chance(evidence),
        notes=tuple(map(printable, report.notes)),
        warnings=warnings_of(material),
        crossed=crossed(report, evidence),
        cells=every_cell(report, evidence),
        tails=tails_table(report, evidence),
        impacts=impacts,
        boxes=boxes,
        jobs_left_out=len({line.job.name for line in evidence.lines if len(line.isolated_s) + len(line.contended_s)})
        - len(boxes),
        heats=heat_maps(report.matrices),
        placements=placements,
        placements_in_all=placements_in_all,
        links=links_table(report, links),
        hosts=hosts_table(evidence),
        timeline=timeline,
        origin=origin_of(report, material),
    )


def _chance(evidence: Evidence) -> str | None:
    """What many intervals on one page mean."""
    known = sum(line.job.impact.low is not None for line in evidence.known)
    if known < 2:
        return None
    return (
        f"Of {known:,} intervals of 95 %, {0.05 * known:.1f} miss the true value by chance on average: trust a single "
        "one among many the less, the closer its end lies to 1."
    )
