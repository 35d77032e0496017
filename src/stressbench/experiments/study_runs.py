"""Carries out the runs of a study's directory that are open."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import FrameType

from stressbench.experiments.reporting import Report
from stressbench.experiments.study.directory import Directory, locked, now, require_same_workloads
from stressbench.experiments.study.launching import Launching
from stressbench.experiments.study.results import is_narrow
from stressbench.experiments.study.running import Campaign, OneAtATime, Policy, Pool, Stop, Tally, Watcher
from stressbench.experiments.study.slowed import slowed
from stressbench.experiments.study.standing import retries_of
from stressbench.experiments.study.workers import Workers
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study
from stressbench.formats.study.manifest import PolicyRecord, Record
from stressbench.formats.units import parse_seconds
from stressbench.launch.batch import batch_systems
from stressbench.levels import Level
from stressbench.stop_signals import handled_by

_BESIDE_EACH_OTHER = ("slurm", "flux", "simgrid")


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """How runs are carried out; None leaves it to the study file. `time_limit` is a text such as `55min`."""

    retries: int | None = None
    time_limit: str | None = None
    jobs: int = 1

    def policy(self, study: Study, records: Sequence[Record] = ()) -> Policy:
        """With what the file and the manifest say. Raises StudyMistake."""
        limit_s = study.time_limit_s
        if self.time_limit is not None:
            try:
                limit_s = parse_seconds(self.time_limit)
            except ValueError as fault:
                raise StudyMistake(f"--time-limit: '{self.time_limit}': {fault}") from fault
        before = retries_of(records, written=study.retries)
        return Policy(retries=before if self.retries is None else self.retries, time_limit_s=limit_s)

    def check(self, study: Study) -> None:
        """Raise StudyMistake where an option does not fit the study, before anything is written."""
        self.policy(study)
        if self.jobs == 1:
            return
        if study.rate_command is not None:
            raise StudyMistake(
                f"--jobs {self.jobs}: rate_command sets one rate for all that runs; expected 1 where a study has one"
            )
        for cell in study.cells:
            if cell.on.partition(":")[0] not in _BESIDE_EACH_OTHER:
                raise StudyMistake(
                    f"--jobs {self.jobs}: runs on {cell.on} would share cores and links and measure each other; "
                    f"expected 1 there (several at once are for {', '.join(_BESIDE_EACH_OTHER)})"
                )


@dataclass(frozen=True, kw_only=True)
class StudyOutcome:
    """How carrying out ended: why it stopped, and how many runs are in which state."""

    stop: Stop
    tally: Tally


def run_study(
    directory: Directory, options: StudyOptions, *, report: Report, watcher: AbstractContextManager[Watcher]
) -> StudyOutcome:
    """Run what is open. Stop signals end the current runs after their round, and start no others.

    `watcher` is entered when the first run is about to start, and told of each. Raises StudyMistake, StudyFault.
    """
    options.check(directory.study)
    pool = _pool(directory.study, options, report)
    launching = Launching(
        study=directory.study, folder=directory.folder, environment=os.environ, note=directory.write,
        say=lambda text: report(text, level=Level.progress),
    )  # fmt: skip
    with locked(directory.path), _warned_of_slow_networks(directory, report):
        require_same_workloads(directory)
        for complaint in directory.read().complaints:
            report(complaint, level=Level.warning)
        launching.check()
        policy = _recorded_policy(directory, options)
        launching.put_back(slowed(directory.read().records).values())
        target = directory.study.target
        with watcher as watching:
            campaign = Campaign(
                directory, policy=policy, watcher=watching,
                narrow=(lambda _: False) if target is None else partial(is_narrow, target=target),
            )  # fmt: skip
            execute = replace(launching, is_stopping=lambda: campaign.is_stopping)
            with _stopped_by_signals(campaign, pool), execute.rate_put_back():
                stop = campaign.carry_out(execute, pool=pool)
    return StudyOutcome(stop=stop, tally=campaign.tally())


def _pool(study: Study, options: StudyOptions, report: Report) -> Pool:
    if options.jobs == 1:
        return OneAtATime()
    if any(cell.on in batch_systems() for cell in study.cells):
        report(
            "runs at once have nodes of their own but share the network: one may measure another's traffic",
            level=Level.warning,
        )
    return Workers(options.jobs)


@contextmanager
def _warned_of_slow_networks(directory: Directory, report: Report) -> Iterator[None]:
    """Report, however the study ends, which networks could not be restored to their full rate."""
    try:
        yield
    finally:
        for on, record in slowed(directory.read().records).items():
            if record.command is not None:
                text = (
                    f"injection bandwidth may still be {record.rate} of the full rate: `{record.command} 1` restores it"
                )
            else:
                lab = on.partition(":")[2]
                text = f"links of {on} may still be at {record.rate}: `stressbench lab set all rate=full --lab {lab}`"
            report(text, level=Level.warning)


def _recorded_policy(directory: Directory, options: StudyOptions) -> Policy:
    """Retries that are given are recorded: `study status` and later `study resume` use them."""
    records = directory.read().records
    policy = options.policy(directory.study, records)
    if policy.retries != retries_of(records, written=directory.study.retries):
        directory.write(PolicyRecord(at=now(), retries=policy.retries))
    return policy


@contextmanager
def _stopped_by_signals(campaign: Campaign, pool: Pool) -> Iterator[None]:
    """Between launches, a stop signal means to start nothing more; during one, the launch handles it itself."""

    def heard(number: int, _: FrameType | None) -> None:
        campaign.ask_to_stop()
        if isinstance(pool, Workers) and number != signal.SIGINT:  # a terminal sends Ctrl-C to all processes itself
            pool.hand_on(number)

    with handled_by(heard):
        yield
