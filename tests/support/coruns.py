"""Made co-runs: plans, and periods with executions of given times."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from stressbench.formats.launches.coruns import JOURNAL, CorunPlan, Execution, LinkUse, NodeUse, Period, PlannedProgram
from stressbench.formats.launches.journal import FILE

AT = datetime(2026, 11, 26, tzinfo=UTC)


def plan(
    *names: str, groups: Sequence[tuple[int, ...]] = (), runs: int = 6, figures: Mapping[str, str] | None = None,
    lower: tuple[str, ...] = (), min_overlap: float = 0.9, iterations: Mapping[str, str] | None = None,
) -> CorunPlan:  # fmt: skip
    """A plan of these programs, all together by default, on two hosts each."""
    all_groups = tuple(groups) or (tuple(range(len(names))),)
    return CorunPlan(
        at=AT, version="0", command=("./a", "++", "./b"), on="lab:tiny", runs=runs, seed=1, figures=figures or {},
        programs=tuple(PlannedProgram(name=name, command=(f"./{name}",), ranks=2) for name in names),
        groups=all_groups, hosts=tuple(hosts_of(group) for group in all_groups),
        nodes=NodeUse.disjoint, executions=1, min_overlap=min_overlap, lower=lower, machine="lab-tiny",
        iterations=iterations or {},
    )  # fmt: skip


def hosts_of(group: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{2 * place}-{2 * place + 1}" for place in range(len(group)))


def execution(
    time_s: float | None, *, place: int = 0, overlap: float | None = None, figures: Mapping[str, float] | None = None,
    status: int | None = 0, began_s: float = 0.0, iterations: int | None = None,
) -> Execution:  # fmt: skip
    """An execution whose ranks need a second to start."""
    return Execution(
        place=place, began_s=began_s, ended_s=began_s + 1.0 + (time_s or 1.0), status=status, time_s=time_s, mpi_s=0.1,
        figures=figures or {}, overlap=overlap, iterations=iterations,
    )  # fmt: skip


def isolated(block: int, number: int, *times_s: float, hosts: str = "0-1", use: float | None = None) -> Period:
    """A period in which one program ran."""
    return period(block, (number,), [execution(one) for one in times_s], hosts=(hosts,), use=use)


def contended(
    block: int, group: tuple[int, ...], executions: Sequence[Execution], *, use: float | None = None
) -> Period:
    """A period in which all programs of a group ran."""
    return period(block, group, executions, hosts=hosts_of(group), use=use)


def period(
    block: int, programs: tuple[int, ...], executions: Sequence[Execution], *, hosts: tuple[str | None, ...],
    use: float | None = None,
) -> Period:  # fmt: skip
    links = None if use is None else (LinkUse(link="leaf0-root", source="leaf0", target="root", use=use),)
    return Period(
        at=AT, repetition=block, programs=programs, hosts=hosts, executions=tuple(executions), links=links,
        duration_s=max(one.ended_s for one in executions),
    )  # fmt: skip


def blocks(slow: float = 2.0, *, count: int = 6, noise: float = 0.01) -> list[Period]:
    """Blocks in which program 0 takes `slow` times as long beside program 1, which is not slowed."""
    made = []
    for block in range(count):
        drift = 1 + noise * block
        made += [
            isolated(block, 0, 10 * drift, use=0.3),
            isolated(block, 1, 4.0, hosts="2-3", use=0.6),
            contended(
                block, (0, 1),
                [execution(10 * slow * drift, overlap=1.0), execution(4.0, place=1, overlap=0.95)], use=0.9,
            ),
        ]  # fmt: skip
    return made


def write(folder: Path, made_plan: CorunPlan, periods: Sequence[Period]) -> Path:
    """A directory as `corun -o` writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    for record in (made_plan, *periods):
        JOURNAL.append(folder / FILE, record)
    return folder
