"""Provenance of a study, and the commands that repeat it."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator

from stressbench import __version__
from stressbench.report.document import Block, Collapsible, Fact, Facts, Paragraph, Preformatted
from stressbench.report.names import printable
from stressbench.report.study.page_data import factor_text_of
from stressbench.report.units import MISSING, count
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

_MAX_NAMED = 12


def provenance_blocks(report: StudyReport, data: StudyData) -> Iterator[Block]:
    """Commands, facts from the runs' headers, and files; without runs, the study file is the only file."""
    yield Paragraph(text="Save the study file and its workloads under the names and paths that the file uses, and run:")
    yield Preformatted(text=_commands(data))
    yield Facts(facts=_facts(report, data))
    if data.text:
        yield _file(f"Study file ({data.name})", data.text, expanded=True)
    yield from (_file(summary, text) for summary, text in _workloads(report, data))
    if data.environment:
        yield _file("Programs and settings (environment.json)", data.environment)


def _workloads(report: StudyReport, data: StudyData) -> Iterator[tuple[str, str]]:
    """A summary and the text of each workload; of several under one path, the summary names the cells."""
    cells: dict[str, list[str]] = {}
    for cell, runs in data.by_cell.items():
        for key in {run.header.workload.hash for run in runs.values()}:
            cells.setdefault(key, []).append(cell)
    workloads = {run.header.workload.hash: run.header.workload for run in data.runs.values()}
    paths = Counter(workload.path for workload in workloads.values())
    where = {cell.id: factor_text_of(cell, report.factors) for cell in report.cells}
    for key, workload in tuple(workloads.items())[:_MAX_NAMED]:
        first, *others = cells[key]
        more = f" and {count(len(others), 'other cell')}" if others else ""
        with_ = f" with {where[first]}{more}" if paths[workload.path] > 1 and where.get(first) else ""
        yield printable(f"Workload {workload.path}{with_}"), workload.text


def _file(summary: str, text: str, *, expanded: bool = False) -> Collapsible:
    return Collapsible(summary=summary, blocks=(Preformatted(text=text),), expanded=expanded)


def _facts(report: StudyReport, data: StudyData) -> tuple[Fact, ...]:
    headers = [run.header for run in data.runs.values()]
    started = sorted(header.started_at for header in headers)
    span = f"{started[0]:%Y-%m-%d %H:%M} to {started[-1]:%Y-%m-%d %H:%M}" if started else MISSING
    simulations = {str(header.simulation) for header in headers if header.simulation is not None}
    pairs = (
        ("Runs", f"{report.done:,} of {report.planned:,} done"),
        ("Started (UTC)", span),
        ("Seed", MISSING if data.seed is None else f"{data.seed}; plus n - 1 for the n-th run of each cell"),
        ("Report made by", f"stressbench {__version__}"),
        (
            "Engine",
            _distinct_values(
                f"{h.program} {h.version}" + (f", commit {h.commit}" if h.commit else "") for h in headers
            ),
        ),
        ("Compiler", _distinct_values(f"{header.compiler}, {header.build_type}" for header in headers)),
        ("MPI", _distinct_values(header.mpi.library for header in headers)),
        ("Transports", _distinct_values(header.mpi.transports or "unknown" for header in headers)),
        *(
            (("Simulated", f"by {_distinct_values(simulations)}: all times are simulated times"),)
            if simulations
            else ()
        ),
        ("In all cells", ", ".join(f"{name} = {value}" for name, value in report.fixed.items()) or MISSING),
        ("Hosts", _distinct_values(node.host for header in headers for node in header.nodes)),
    )
    return tuple(Fact(name=name, value=printable(value)) for name, value in pairs)


def _commands(data: StudyData) -> str:
    name = shlex.quote(data.name)
    return "\n".join(
        (
            f"stressbench study plan {name}",
            f"stressbench study run {name} -o again",
            "stressbench study report again --format html -o again.html",
        )
    )


def _distinct_values(values: Iterable[str]) -> str:
    """Distinct values in order, separated by semicolons; of more than `_MAX_NAMED`, the number of others."""
    distinct = list(dict.fromkeys(values))
    more = f" and {count(len(distinct) - _MAX_NAMED, 'other')}" if len(distinct) > _MAX_NAMED else ""
    return "; ".join(distinct[:_MAX_NAMED]) + more if distinct else MISSING
