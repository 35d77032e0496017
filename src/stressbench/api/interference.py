"""`stressbench.impact` and `compress`: how a program loads the network, and how congestion slows it down."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.errors import Interrupted
from stressbench.experiments.interference import ring_values
from stressbench.experiments.interference.loaded_link import LoadedLink, loaded_link
from stressbench.experiments.interference.prepared import PreparedCompression, PreparedImpact
from stressbench.experiments.interference.profile_files import (
    Incompatibility,
    ProfileDestination,
    profile_destination,
)
from stressbench.experiments.interference.ring_plan import ring_plan
from stressbench.experiments.interference.spec import (
    MeasurementSpec,
    is_workload,
    measurement_spec,
    probe_pairs,
    require_positive,
    require_real_hosts,
)
from stressbench.experiments.progress import Progress
from stressbench.formats.profiles.profile import PAPER_MESSAGE_BYTES, PauseAfter
from stressbench.interference.probes import ProbeSchedule
from stressbench.interference.profile_assembly import (
    impact_incompatibility,
    levels_incompatibility,
    probe_settings,
)
from stressbench.interference.reports import CompressionReport, ImpactReport
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.targets import resolve_target
from stressbench.levels import Level
from stressbench.report.document import Document
from stressbench.report.interference import compression as compression_documents
from stressbench.report.interference import impact as impact_documents

if TYPE_CHECKING:
    from stressbench.api.labs import Lab


@dataclass(frozen=True, kw_only=True)
class Probes:
    """How the network is probed: ping-pongs of `message_bytes`, every `every_s` on average, by `pairs` of hosts.

    `pairs`: None for all hosts, two by two. `place`: `linear`, `interleaved` or, for `impact`, `random:SEED`. `idle_s`:
    duration of each launch of probes without the program. `after`: probe the idle machine again at the end, to detect
    drift.
    """

    pairs: int | None = None
    place: str | None = None
    message_bytes: int = 1024
    every_s: float = 0.1
    idle_s: float = 20.0
    after: bool = True


@dataclass(frozen=True, kw_only=True)
class Ring:
    """The congestor ring and the congestion levels that it causes; empty sequences: those of the paper.

    `levels`: the largest number of levels to measure, None for all combinations. `runs`: isolated runs, and runs beside
    each level; None: 4, for workloads 1. `partners`: ranks that each rank sends `messages` of `message_bytes` to, with
    pauses of `pauses_s` after those to each `partner`, or once in a `round`. `nodes`: hosts with a rank of the ring,
    None for all. `rings`: a directory, in which probes beside rings are kept for other programs on the same machine.
    """

    levels: int | None = 8
    runs: int | None = None
    partners: Sequence[int] = ()
    pauses_s: Sequence[float] = ()
    messages: Sequence[int] = ()
    message_bytes: int = PAPER_MESSAGE_BYTES
    pause_after: PauseAfter = PauseAfter.partner
    nodes: int | None = None
    rings: str | PathLike[str] | None = None


class ImpactResults(Reported[ImpactReport]):
    """How busy a program keeps the network.

    `data` holds everything as values (schema/impact.schema.json): `data.ours.value` is the utilisation of the switch, 0
    to 1, with its 95 % interval `low` to `high`, or None for the reason in `data.ours.reason`.
    """

    def __repr__(self) -> str:
        return f"<ImpactResults of {self.data.application} on {self.data.machine}>"

    def _title(self) -> str:
        return f"How busy {self.data.application} keeps the network of {self.data.machine}"

    def _brief(self) -> Document:
        return impact_documents.document_of(self.data, name=self.data.application, probing=self.data.probing)


class CompressResults(Reported[CompressionReport]):
    """The slowdown of a program at each congestion level.

    `data` holds everything as values (schema/compress.schema.json): `data.levels`, ordered by the mean latency of
    probes, each with its `utilisation` and `slowdown`.
    """

    def __init__(self, data: CompressionReport) -> None:
        super().__init__(data)
        self._by_rounds = is_workload(data.command)

    def __repr__(self) -> str:
        return f"<CompressResults of {self.data.application} on {self.data.machine}: {len(self.data.levels)} levels>"

    def _title(self) -> str:
        return f"{self.data.application} beside congestors on {self.data.machine}"

    def _brief(self) -> Document:
        return compression_documents.document_of(
            self.data, name=self.data.application, nodes=self.data.ring_nodes, by_rounds=self._by_rounds
        )


def impact(
    command: Sequence[str | PathLike[str]], *, on: "str | Lab" = "local", ranks: int | None = None,
    ranks_per_node: int | None = None, rounds: int | None = None, probes: Probes | None = None,
    effect: int | None = None, time_limit_s: float | None = None, link: str | None = None, packet: str | None = None,
    seed: int = 1, output: str | PathLike[str] | None = None, store: str | PathLike[str] | None = None,
    page: str | PathLike[str] | None = None, name: str | None = None, machine: str | None = None,
    engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> ImpactResults:  # fmt: skip
    """Measure how busy a program keeps the network, with light probes beside it.

        results = stressbench.impact(["./hpcc"], on="lab:tiny", store="profiles")
        results.data.ours.value      # utilisation of the switch, 0 to 1

    `command` is an MPI program with its arguments, without its mpirun, or one workload file. `on`, `ranks`,
    `ranks_per_node` and `rounds` (of a workload) say where and how it runs; the program runs once, and with `effect`=N
    N times with probes and N times without. `time_limit_s` ends each of its runs. `link` ("10Gbit") and `packet`
    ("1514B") describe the loaded link. `output` (.json) and `store` (a folder) receive the profile, `page` (.html) a
    report on it; `name` and `machine` are the names in the profile.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong, or a launch failed.
    """
    probing, reporting = probes or Probes(), reporting_to(progress)
    target, schedule = _target_and_schedule(str(on), probing)
    require_positive("--effect", effect)
    loaded = loaded_link(link, packet)
    spec, destination = _prepared(
        command, on=str(on), target=target, schedule=schedule, probes=probing, ranks=ranks,
        ranks_per_node=ranks_per_node, rounds=rounds, time_limit_s=time_limit_s, seed=seed, link=loaded,
        background_ranks=2 * schedule.pairs, incompatibility=levels_incompatibility, output=output, store=store,
        page=page, name=name, machine=machine, engine=engine, progress=reporting,
    )  # fmt: skip
    prepared = PreparedImpact(spec=spec, destination=destination, link=loaded, effect_runs=effect or 0)
    measured = prepared.run(progress=reporting)
    measured.write_profile(progress=reporting)
    return ImpactResults(measured.report)


def compress(
    command: Sequence[str | PathLike[str]], *, on: "str | Lab" = "local", ranks: int | None = None,
    ranks_per_node: int | None = None, rounds: int | None = None, probes: Probes | None = None,
    ring: Ring | None = None, time_limit_s: float | None = None, link: str | None = None, packet: str | None = None,
    seed: int = 1,
    output: str | PathLike[str] | None = None, store: str | PathLike[str] | None = None,
    page: str | PathLike[str] | None = None, name: str | None = None, machine: str | None = None,
    engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> CompressResults:  # fmt: skip
    """Measure the slowdown of a program beside a ring of congestors, level by level.

        results = stressbench.compress(["./hpcc"], on="lab:tiny", ring=stressbench.Ring(levels=5), store="profiles")
        [(level.utilisation.value, level.slowdown) for level in results.data.levels]

    Parameters are those of `stressbench.impact`; `ring` describes the ring. Levels beside which the program reached
    `time_limit_s` have no slowdown, and are not part of the profile.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong, a launch failed, or
    the measurement was interrupted; the profile then has the levels that were completed.
    """
    probing, around, reporting = probes or Probes(), ring or Ring(), reporting_to(progress)
    target, schedule = _target_and_schedule(str(on), probing)
    loaded = loaded_link(link, packet)
    words = tuple(map(str, command))
    plan = ring_plan(
        target, target_name=str(on), pairs=schedule.pairs, by_rounds=is_workload(words), levels=around.levels,
        nodes=around.nodes, runs=around.runs, partners=around.partners, pauses_s=around.pauses_s,
        messages=around.messages, message_bytes=around.message_bytes, pause_after=around.pause_after,
        pairing=ring_values.pairing(probing.place), packets=loaded.packets,
    )  # fmt: skip
    spec, destination = _prepared(
        command, on=str(on), target=target, schedule=schedule, probes=probing, ranks=ranks,
        ranks_per_node=ranks_per_node, rounds=rounds, time_limit_s=time_limit_s, seed=seed, link=loaded,
        background_ranks=plan.background_ranks(target, pairs=schedule.pairs),
        incompatibility=impact_incompatibility, output=output, store=store, page=page, name=name, machine=machine,
        engine=engine, progress=reporting,
    )  # fmt: skip
    prepared = PreparedCompression(
        spec=spec, destination=destination, link=loaded, plan=plan,
        rings=None if around.rings is None else Path(around.rings),
    )  # fmt: skip
    measured = prepared.run(progress=reporting)
    measured.write_profile(progress=reporting)
    if measured.report is None:
        raise Interrupted(measured.interruption)
    return CompressResults(measured.report)


def _target_and_schedule(on: str, probes: Probes) -> tuple[LaunchTarget, ProbeSchedule]:
    target = require_real_hosts(resolve_target(on, environment=os.environ), target_name=on)
    return target, ProbeSchedule(
        pairs=probe_pairs(target, probes.pairs, target_name=on), message_bytes=probes.message_bytes,
        interval_s=probes.every_s,
    )  # fmt: skip


def _prepared(
    command: Sequence[str | PathLike[str]], *, on: str, target: LaunchTarget, schedule: ProbeSchedule, probes: Probes,
    ranks: int | None, ranks_per_node: int | None, rounds: int | None, time_limit_s: float | None, seed: int,
    link: LoadedLink, background_ranks: int, incompatibility: Incompatibility,
    output: str | PathLike[str] | None, store: str | PathLike[str] | None, page: str | PathLike[str] | None,
    name: str | None, machine: str | None, engine: str | PathLike[str] | None, progress: Progress,
) -> tuple[MeasurementSpec, ProfileDestination]:  # fmt: skip
    spec = measurement_spec(
        tuple(map(str, command)), target=target, target_name=on, schedule=schedule, background_ranks=background_ranks,
        ranks=ranks, ranks_per_node=ranks_per_node, rounds=rounds, probe_placement=probes.place, idle_s=probes.idle_s,
        probe_after=probes.after, limit_s=time_limit_s, seed=seed, engine=None if engine is None else Path(engine),
        name=name,
    )  # fmt: skip
    destination = profile_destination(
        spec, probes=probe_settings(schedule, link.packets), incompatibility=incompatibility,
        output=None if output is None else Path(output), store=None if store is None else Path(store),
        page=None if page is None else Path(page), name=name, machine=machine,
    )  # fmt: skip
    if spec.oversubscription is not None:
        progress(spec.oversubscription, level=Level.warning)
    return spec, destination
