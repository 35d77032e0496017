"""Where a study's numbers come from, and what to type to have them again."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from stressbench import __version__
from stressbench.report.document import Fact
from stressbench.report.names import printable
from stressbench.report.units import MISSING, count
from stressbench.results.material import Material
from stressbench.results.study import StudyReport

_MOST_NAMED = 12


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Facts, the study's file, its environment, the workloads by name, and the commands."""

    facts: tuple[Fact, ...]
    name: str
    text: str
    environment: str
    workloads: tuple[tuple[str, str], ...]
    commands: str


def origin_of(report: StudyReport, material: Material) -> Origin:
    """From the runs' headers; a study without runs has its file alone."""
    headers = [run.header for run in material.runs.values()]
    started = sorted(header.started_at for header in headers)
    span = f"{started[0]:%Y-%m-%d %H:%M} to {started[-1]:%Y-%m-%d %H:%M}" if started else MISSING
    simulations = {str(header.simulation) for header in headers if header.simulation is not None}
    pairs = (
        ("Runs", f"{report.done:,} of {report.planned:,} done"),
        ("Started (UTC)", span),
        ("Seed", MISSING if material.seed is None else f"{material.seed}; the n-th run of each cell has n - 1 more"),
        ("Report made by", f"stressbench {__version__}"),
        ("Engine", _listed(f"{h.program} {h.version}" + (f", commit {h.commit}" if h.commit else "") for h in headers)),
        ("Compiler", _listed(f"{header.compiler}, {header.build_type}" for header in headers)),
        ("MPI", _listed(header.mpi.library for header in headers)),
        ("Transports", _listed(header.mpi.transports or "not known" for header in headers)),
        *((("Simulated", f"by {_listed(simulations)}: all times are its own"),) if simulations else ()),
        ("In all cells", ", ".join(f"{name} = {value}" for name, value in report.fixed.items()) or MISSING),
        ("Hosts", _listed(node.host for header in headers for node in header.nodes)),
    )
    texts = {header.workload.hash: (header.workload.path, header.workload.text) for header in headers}
    return Origin(
        facts=tuple(Fact(name=name, value=printable(value)) for name, value in pairs),
        name=material.name, text=material.text, environment=material.environment,
        workloads=tuple((printable(path), text) for path, text in texts.values())[:_MOST_NAMED],
        commands=_commands(material),
    )  # fmt: skip


def _commands(material: Material) -> str:
    name = shlex.quote(material.name)
    return "\n".join(
        (
            f"stressbench study plan {name}",
            f"stressbench study run {name} -o again",
            "stressbench study report again --format html -o again.html",
        )
    )


def _listed(values: Iterable[str]) -> str:
    """Each once, in order; how many where they are many."""
    found = list(dict.fromkeys(values))
    more = f" and {count(len(found) - _MOST_NAMED, 'other')}" if len(found) > _MOST_NAMED else ""
    return "; ".join(found[:_MOST_NAMED]) + more if found else MISSING
