"""Effects of rail policies on a program, from its launches. Pure."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from stressbench.experiments.sweep.rails.nic_traffic import requested_in_words, requested_nics
from stressbench.formats.launches.rails import LaunchRecord, RailLaunches
from stressbench.formats.study.rail_policies import RailPolicy, parse_policy
from stressbench.launch.targets import properties_of
from stressbench.results.rails import (
    BASELINE,
    Floats,
    MpiProfile,
    NicLoad,
    NicTraffic,
    RailsReport,
    Subject,
    subject_of,
)

_WALL = "wall time"
_COUNTED_HERE = "bytes are those of the host that started the launches: other hosts' are not counted"


def rails_of_launches(launches: RailLaunches, *, mpi_profiles: Sequence[MpiProfile] = ()) -> RailsReport:
    """The results by policy, from the launches that exited with status 0."""
    plan = launches.plan
    policies = tuple(sorted(plan.policies, key=lambda policy: policy != BASELINE))
    done = [one for one in launches.done if one.status == 0]
    failed = len(launches.done) - len(done)
    carried = tuple(_carried(done, policies, plan.nics))
    notes = [*launches.complaints]
    if failed:
        notes.append(f"{failed} launches failed and do not count")
    if carried and not properties_of(plan.on).counts_all_hosts:
        notes.append(_COUNTED_HERE)
    if done and not carried:
        notes.append("no bytes were counted per NIC")
    return RailsReport(
        about=f"{plan.command[0]} on {plan.ranks} ranks",
        time="launches",
        factors=(),
        policies=policies,
        planned=plan.runs * len(policies),
        done=len(done),
        subjects=tuple(_subjects(done, policies, tuple(plan.figures))),
        bandwidths=(),
        carried=carried,
        beside=(),
        talk=tuple(mpi_profiles),
        notes=tuple(notes),
    )


def _subjects(done: Sequence[LaunchRecord], policies: Sequence[str], figures: Sequence[str]) -> Iterator[Subject]:
    yield from _subject(done, policies, _WALL, "s", lambda one: one.wall_s)
    for name in figures:
        yield from _subject(done, policies, name, "", lambda one, name=name: one.figures.get(name))  # type: ignore[misc]


def _subject(
    done: Sequence[LaunchRecord], policies: Sequence[str], name: str, unit: str,
    value_of: Callable[[LaunchRecord], float | None],
) -> Iterator[Subject]:  # fmt: skip
    values: dict[str, list[Floats]] = {policy: [] for policy in policies}
    for one in done:
        if (value := value_of(one)) is not None and one.policy in values:
            values[one.policy].append(np.array([value]))
    if any(values.values()):
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
