"""Results of a study with the factor `policy`. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stressbench.experiments.study.run_states import RunState, State
from stressbench.experiments.sweep.job_rounds import round_medians, sized_steps
from stressbench.experiments.sweep.rails.nic_traffic import nic_traffic_of
from stressbench.formats.run import Job, Kind, Role, Run
from stressbench.formats.study.cells import varying_factors
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study
from stressbench.launch.launch_target import NicNumbers
from stressbench.results.rails import (
    BASELINE,
    Bandwidth,
    MpiProfile,
    NicTraffic,
    PolicyImpact,
    RailsReport,
    Subject,
    ValueKind,
    subject_of,
)
from stressbench.stats import select
from stressbench.stats.pooled import pooled_impact

_ROUNDS_NOTE = (
    "box plots of rounds show the variation between rounds of a run, not between launches; with 4 or more "
    "runs of each policy they are made of runs"
)
_NO_COUNTERS = "the bytes of each NIC were not counted in these runs; labs count them"


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """What to report: the kind of rounds, and whether per motif, too."""

    kind: Kind = Kind.isolated
    motifs: bool = False


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Runs that differ only in their policy."""

    where: Mapping[str, str]
    by_policy: Mapping[str, tuple[Run, ...]]

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(run for runs in self.by_policy.values() for run in runs)


def rails_of_study(
    study: Study, states: Sequence[RunState], runs: Mapping[str, Run], *, options: AnalysisOptions,
    numbers: Mapping[str, NicNumbers] | None = None, nics: Sequence[str] = (), mpi_profiles: Sequence[MpiProfile] = (),
    notes: Sequence[str] = (),
) -> RailsReport:  # fmt: skip
    """Results of a study from the `states` of all runs and the completed `runs` by run id.

    `numbers`: NIC numbers by launch target, where they are known; else run files determine them. `nics`: names of the
    NICs where the study gives none. Raises StudyMistake where the study has no policies to compare.
    """
    policies = _policies(study)
    groups = tuple(_groups(study, states, runs, policies))
    subjects = tuple(subject for group in groups for subject in _subjects(group, options))
    carried = tuple(one for group in groups for one in _carried(group, study, numbers or {}, nics))
    return RailsReport(
        about=study.about,
        time=options.kind.value,
        factors=_factors(study),
        policies=policies,
        planned=len(states),
        done=sum(one.state is State.done for one in states),
        subjects=subjects,
        bandwidths=tuple(one for group in groups for one in _bandwidths(group, options.kind)),
        carried=carried,
        beside=tuple(one for group in groups for one in _policy_impacts(group)),
        talk=tuple(mpi_profiles),
        notes=(*notes, *_caveats(states, runs, subjects, carried)),
    )


def _policies(study: Study) -> tuple[str, ...]:
    """The policies in the order of the study file, the default first. Raises StudyMistake."""
    known = dict.fromkeys(None if cell.policy is None else str(cell.policy) for cell in study.cells)
    if None in known or len(known) < 2:
        raise StudyMistake(
            'the study compares no rail policies; expected factors.policy with several, such as ["default", "nic0"]'
        )
    return tuple(sorted((policy for policy in known if policy is not None), key=lambda policy: policy != BASELINE))


def _factors(study: Study) -> tuple[str, ...]:
    return tuple(name for name in varying_factors(study.cells) if name != "policy")


def _groups(
    study: Study, states: Sequence[RunState], runs: Mapping[str, Run], policies: Sequence[str]
) -> Iterator[_Group]:
    names = _factors(study)
    groups: dict[tuple[str, ...], dict[str, list[Run]]] = {}
    for one in states:
        if one.run.cell.policy is not None and (run := runs.get(one.run.id)) is not None:
            key = tuple(one.run.cell.values.get(name, "") for name in names)
            groups.setdefault(key, {}).setdefault(str(one.run.cell.policy), []).append(run)
    for values, by_policy in sorted(groups.items()):
        where = dict(zip(names, values, strict=True))
        yield _Group(
            where=where, by_policy={policy: tuple(by_policy[policy]) for policy in policies if policy in by_policy}
        )  # fmt: skip


def _jobs(group: _Group, kind: Kind) -> tuple[Job, ...]:
    """The jobs that have rounds of this kind, each as in its first run. Only measured jobs have isolated rounds."""
    jobs: dict[str, Job] = {}
    for job in (job for run in group.runs for job in run.jobs):
        if kind is Kind.contended or job.role is Role.measured:
            jobs.setdefault(job.name, job)
    return tuple(jobs.values())


def _subjects(group: _Group, options: AnalysisOptions) -> Iterator[Subject]:
    for job in _jobs(group, options.kind):
        for step in (None, *(range(len(job.steps)) if options.motifs else ())):
            values = {
                policy: [round_medians(run, job.name, step, options.kind) for run in runs]
                for policy, runs in group.by_policy.items()
            }
            if any(len(rounds) for runs in values.values() for rounds in runs):
                motif = None if step is None else job.steps[step].motif
                yield subject_of(values, where=group.where, name=job.name, step=step, motif=motif)


def _bandwidths(group: _Group, kind: Kind) -> Iterator[Bandwidth]:
    for job in _jobs(group, kind):
        for sized in sized_steps(job):
            measured = {
                policy: sized.bandwidth([round_medians(run, job.name, sized.step, kind) for run in runs])
                for policy, runs in group.by_policy.items()
            }
            yield Bandwidth(
                where=group.where, job=job.name, step=sized.step, motif=sized.motif, size_bytes=sized.size_bytes,
                bytes_per_s={policy: one.bytes_per_s for policy, one in measured.items()},
                low={policy: one.low for policy, one in measured.items()},
                high={policy: one.high for policy, one in measured.items()},
            )  # fmt: skip


def _carried(
    group: _Group, study: Study, numbers: Mapping[str, NicNumbers], nics: Sequence[str]
) -> Iterator[NicTraffic]:
    on = group.where.get("on", study.cells[0].on)
    for policy, runs in group.by_policy.items():
        named = study.nics or nics
        yield from nic_traffic_of(runs, policy=policy, where=group.where, nics=named, numbers=numbers.get(on, {}))


def _policy_impacts(group: _Group) -> Iterator[PolicyImpact]:
    """Congestion impact by job and policy, for jobs that have isolated and contended rounds."""
    for job in _jobs(group, Kind.isolated):
        for policy, runs in group.by_policy.items():
            rounds = [
                select(run, job=one.job).rounds for run in runs for one in run.jobs if one.name == job.name
            ]  # fmt: skip
            if {one.kind for each in rounds for one in each} == {Kind.isolated, Kind.contended}:
                yield PolicyImpact(where=group.where, job=job.name, policy=policy, impact=pooled_impact(rounds))


def _caveats(
    states: Sequence[RunState], runs: Mapping[str, Run], subjects: Sequence[Subject], carried: Sequence[NicTraffic]
) -> Iterator[str]:
    if any(subject.of is ValueKind.rounds for subject in subjects):
        yield _ROUNDS_NOTE
    if runs and not carried:
        yield _NO_COUNTERS
    if failed := sum(one.state is State.failed for one in states):
        yield f"{failed} runs failed; `stressbench study status` names them"
    if any(not run.complete for run in runs.values()):
        yield "some runs ended at their time limit; their completed rounds count"
