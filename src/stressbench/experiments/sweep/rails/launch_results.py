"""Effects of rail policies on a program, from its launches. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from stressbench.experiments.sweep.rails.nic_traffic import requested_in_words, requested_nics
from stressbench.formats.launches.rails import LaunchRecord, MpiUse, PlanRecord, RailLaunches
from stressbench.formats.study.rail_policies import RailPolicy, parse_policy
from stressbench.launch.targets import properties_of
from stressbench.results.rails import (
    BASELINE,
    Floats,
    Launch,
    MpiProfile,
    MpiTimes,
    NicLoad,
    NicTraffic,
    RailsReport,
    Subject,
    subject_of,
)
from stressbench.tracing.profile import Columns

_WALL = "wall time"
_P2P = "time in point-to-point calls"
_COLLECTIVES = "time in collectives"
_COUNTED_HERE = "bytes are those of the host that started the launches: other hosts' are not counted"


def rails_of_launches(launches: RailLaunches, *, mpi_profiles: Sequence[MpiProfile] = ()) -> RailsReport:
    """The results by policy, from the launches that exited with status 0."""
    plan = launches.plan
    policies = tuple(sorted(plan.policies, key=lambda policy: policy != BASELINE))
    done = [one for one in launches.done if one.status == 0]
    failed = len(launches.done) - len(done)
    shown = tuple(_launches(done))
    carried = tuple(_carried(done, policies, plan.nics))
    notes = [*launches.complaints]
    if failed:
        notes.append(f"{failed} launches failed and do not count")
    if carried and not properties_of(plan.on).counts_all_hosts:
        notes.append(_COUNTED_HERE)
    if done and not carried:
        notes.append("no bytes were counted per NIC")
    return RailsReport(
        about=f"{Path(plan.command[0]).name} on {plan.ranks} ranks",
        time="launches",
        factors=(),
        policies=policies,
        planned=plan.runs * len(policies),
        done=len(done),
        subjects=tuple(_subjects(shown, policies, (_WALL, _P2P, _COLLECTIVES, *plan.figures))),
        bandwidths=(),
        carried=carried,
        beside=(),
        talk=(*mpi_profiles, *_profiles(launches.plan, done, policies)),
        notes=tuple(notes),
        launches=shown,
    )


def _launches(done: Sequence[LaunchRecord]) -> Iterator[Launch]:
    by_start = sorted(done, key=lambda one: one.at)
    for number, one in enumerate(by_start, start=1):
        times = {} if one.mpi is None else {_P2P: one.mpi.p2p_s, _COLLECTIVES: one.mpi.collective_s}
        figures = {name: value for name, value in one.figures.items() if value is not None}
        yield Launch(
            number=number, started_s=(one.at - by_start[0].at).total_seconds(), policy=one.policy,
            values={_WALL: one.wall_s, **times, **figures}, mpi=None if one.mpi is None else _times(one.mpi),
        )  # fmt: skip


def _times(mpi: MpiUse) -> MpiTimes:
    return MpiTimes(elapsed_s=mpi.elapsed_s, mpi_s=mpi.mpi_s, p2p_s=mpi.p2p_s, collective_s=mpi.collective_s)


def _profiles(plan: PlanRecord, done: Sequence[LaunchRecord], policies: Sequence[str]) -> Iterator[MpiProfile]:
    """The medians over the profiled launches under each policy."""
    for policy in policies:
        uses = [one.mpi for one in done if one.policy == policy and one.mpi is not None]
        if uses:
            yield MpiProfile(
                source=f"launches, {policy}", program=Path(plan.command[0]).name, ranks=plan.ranks,
                columns=Columns(
                    mpi_percent=_median(_percent(one.mpi_s, one) for one in uses),
                    p2p_percent=_median(_percent(one.p2p_s, one) for one in uses),
                    coll_percent=_median(_percent(one.collective_s, one) for one in uses),
                    mean_send_bytes=_median(one.mean_message_bytes for one in uses),
                    mean_coll_bytes=_median(one.mean_collective_bytes for one in uses),
                ),
            )  # fmt: skip


def _percent(time_s: float, use: MpiUse) -> float | None:
    return 100 * time_s / use.elapsed_s if use.elapsed_s > 0 else None


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None


def _subjects(launches: Sequence[Launch], policies: Sequence[str], names: Sequence[str]) -> Iterator[Subject]:
    for name in names:
        values: dict[str, list[Floats]] = {policy: [] for policy in policies}
        for one in launches:
            if name in one.values and one.policy in values:
                values[one.policy].append(np.array([one.values[name]]))
        if any(values.values()):
            unit = "s" if name in (_WALL, _P2P, _COLLECTIVES) else ""
            yield subject_of(values, where={}, name=name, unit=unit)


def _carried(done: Sequence[LaunchRecord], policies: Sequence[str], nics: Sequence[str]) -> Iterator[NicTraffic]:
    for policy in policies:
        counted = [one.carried for one in done if one.policy == policy and one.carried is not None]
        if not counted:
            continue
        requested = requested_nics(policy, (), job=None, count=len(nics)) if _is_of_nics(parse_policy(policy)) else None
        sent = {nic: sum(one.sent for each in counted for one in each if one.nic == nic) for nic in nics}
        yield NicTraffic(
            where={}, policy=policy, job=None, asked=requested_in_words(requested, nics),
            loads=tuple(
                NicLoad(nic=nic, asked=None if requested is None else number in requested, sent_bytes=sent[nic])
                for number, nic in enumerate(nics)
            ),
        )  # fmt: skip


def _is_of_nics(policy: RailPolicy) -> bool:
    """Whether the policy selects NICs without regard to jobs, which a program does not have."""
    return not policy.depends_on_jobs
