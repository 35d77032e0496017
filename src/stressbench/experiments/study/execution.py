"""Execution of studies: set up a directory from a study file, and carry out its open runs."""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType

from stressbench.exit_status import ExitStatus
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.study.catalog import study_file
from stressbench.experiments.study.cell_targets import absolute, read_checked_study, require_links
from stressbench.experiments.study.claims import AllRuns, Claims, shared_runs
from stressbench.experiments.study.directory import Directory, create_or_extend, locked, now, require_same_workloads
from stressbench.experiments.study.launching import RunLauncher
from stressbench.experiments.study.results import is_narrow
from stressbench.experiments.study.run_states import retries_of, slowed_networks
from stressbench.experiments.study.running import (
    LaunchResult,
    Policy,
    Pool,
    RunCounts,
    ScheduledRun,
    SequentialPool,
    Stop,
    StudyRunner,
    Watcher,
)
from stressbench.experiments.study.workers import WorkerPool
from stressbench.formats.study.cells import cell_description, varying_factors
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.fields import MAX_RETRIES
from stressbench.formats.study.file import Study, study_file_mistakes
from stressbench.formats.study.manifest import LinksRecord, PolicyRecord, Record
from stressbench.formats.toml import KeyLabel, by_key
from stressbench.formats.units import duration_text
from stressbench.launch.allocation import Allocation
from stressbench.launch.batch import batch_systems
from stressbench.launch.targets import forms_with, properties_of, resolve_target
from stressbench.levels import Level
from stressbench.stop_signals import handled_by


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """How runs are carried out; None leaves it to the study file.

    `share`: other commands carry out runs of the study at the same time.
    """

    retries: int | None = None
    time_limit_s: float | None = None
    jobs: int = 1
    share: bool = False

    def policy(self, study: Study, records: Sequence[Record] = ()) -> Policy:
        """The policy from these options, the study file and the manifest's records."""
        limit_s = study.time_limit_s if self.time_limit_s is None else self.time_limit_s
        before = retries_of(records, written=study.retries)
        return Policy(retries=before if self.retries is None else self.retries, time_limit_s=limit_s)

    def check(self, study: Study) -> None:
        """Raise StudyMistake where an option is out of range or does not fit the study, before anything is written."""
        if self.jobs < 1:
            raise StudyMistake(f"--jobs: {self.jobs} is not at least 1")
        if self.retries is not None and not 0 <= self.retries <= MAX_RETRIES:
            raise StudyMistake(f"--retries: {self.retries} is not between 0 and {MAX_RETRIES}")
        if self.jobs == 1 and not self.share:
            return
        option, remedy = (f"--jobs {self.jobs}", "expected 1") if self.jobs > 1 else ("--share", "leave it out")
        if study.rate_command is not None:
            raise StudyMistake(
                f"{option}: rate_command sets one rate for all that runs; {remedy} where a study has one"
            )
        for cell in study.cells:
            if not properties_of(cell.on).runs_concurrently:
                kinds = (form.partition(":")[0] for form in forms_with(lambda kind: kind.runs_concurrently))
                raise StudyMistake(
                    f"{option}: runs on {cell.on} would share cores and links and measure each other; "
                    f"{remedy} there (several at once are for {', '.join(kinds)})"
                )

    def check_nodes(self, study: Study, *, folder: Path, environment: Mapping[str, str]) -> None:
        """Raise StudyMistake where concurrent runs would wait for each other's nodes.

        Raises LaunchMistake where a launch target cannot be used.
        """
        if self.jobs == 1:
            return
        for on in dict.fromkeys(cell.on for cell in study.cells if cell.on in batch_systems()):
            target = resolve_target(absolute(on, folder=folder), environment=environment)
            if not isinstance(target, Allocation) or target.nodes is None:
                continue
            for cell in study.cells:
                ranks = cell.ranks or target.ranks
                if cell.on != on or ranks is None:
                    continue
                used = target.nodes_used(ranks, ranks_per_node=cell.ranks_per_node) or 1
                if used * self.jobs > target.nodes:
                    raise StudyMistake(
                        f"--jobs {self.jobs}: a run with {ranks} ranks takes {used} of the {target.nodes} nodes of the "
                        f"allocation; expected at most {target.nodes // used}, or a larger ranks_per_node"
                    )


@dataclass(frozen=True, kw_only=True)
class StudyOutcome:
    """The outcome of carrying out a study: why it stopped, and how many runs are in which state."""

    stop: Stop
    counts: RunCounts

    @property
    def status(self) -> ExitStatus:
        """`interrupted` where runs are still open, `fault` where runs failed for good."""
        if self.stop is not Stop.done:
            return ExitStatus.interrupted
        return ExitStatus.fault if self.counts.failed else ExitStatus.ok

    @property
    def summary(self) -> str:
        """Text such as `3 of 4 runs are done, 1 failed`, after the reason why the study stopped early, if it did."""
        counts = self.counts
        text = f"{counts.done} of {counts.total} runs are done"
        if counts.skipped:
            text += f", {counts.skipped} were not needed"
        if counts.failed:
            text += f", {counts.failed} failed"
        if self.stop is Stop.done:
            elsewhere = counts.total - counts.done - counts.skipped - counts.failed
            return f"{text}, {elsewhere} run elsewhere" if elsewhere else text
        return f"{'stopped' if self.stop is Stop.interrupted else 'time limit reached'}: {text}"


class StudyProgress:
    """A `Watcher` that reports the start of each launch and each failure. Subclasses may show counts differently."""

    def __init__(self, directory: Directory, progress: Progress) -> None:
        self._factors = varying_factors(directory.study.cells)
        self._progress = progress

    def waits(self, path: Path) -> None:
        """Report that a launch of an earlier command still writes to `path`."""
        self._progress(f"an earlier launch still writes to {path}; waiting for it to end", level=Level.progress)

    def starts(self, scheduled: ScheduledRun, counts: RunCounts) -> None:
        """Report that a run starts or continues."""
        word = "continues" if scheduled.continues else "starts"
        self._progress(
            f"{scheduled.run.id} {word}: {cell_description(scheduled.run.cell, self._factors)}", level=Level.progress
        )
        self.show(counts, is_end=False)

    def ended(self, scheduled: ScheduledRun, result: LaunchResult, counts: RunCounts) -> None:
        """Report a failed run, and the counts."""
        if result.status not in (ExitStatus.ok, ExitStatus.interrupted):
            reason = result.reason or "the reason is unknown"
            self._progress(f"{scheduled.run.id} failed (status {result.status}): {reason}", level=Level.warning)
        elif result.reason is not None:
            self._progress(f"{scheduled.run.id} was interrupted: {result.reason}", level=Level.warning)
        self.show(counts, is_end=True)

    def show(self, counts: RunCounts, *, is_end: bool) -> None:
        """Report the counts after the end of a run, if the remaining time can be estimated."""
        if is_end and counts.left_s:
            left = duration_text(counts.left_s)
            self._progress(f"{counts.done} of {counts.total} runs are done; about {left} left", level=Level.progress)


def begin_study(what: str, output: Path, options: StudyOptions, *, progress: Progress = silent) -> Directory:
    """Check the study `what`, a shipped name or a file, and set up the directory `output` for it, without any run.

    Raises StudyMistake and LaunchMistake for the first error; a new directory is left only without one.
    """
    file = study_file(what)
    study, text = read_checked_study(file)
    with study_file_mistakes(text, source=str(file)):
        return begin(study, text, output=output, folder=file.absolute().parent, options=options, progress=progress)


def begin(
    study: Study, text: str, *, output: Path, folder: Path, options: StudyOptions, key_label: KeyLabel = by_key,
    progress: Progress = silent,
) -> Directory:  # fmt: skip
    """Check the study, whose paths are relative to `folder`, and set up the directory `output` for it.

    The engine checks the workload of each cell, without any ranks, before a study is created or extended. Raises
    StudyMistake, LaunchMistake, and ValidationMistakes where a launch target does not support the links of a cell, with
    messages that name keys by `key_label`.
    """
    options.check(study)
    options.check_nodes(study, folder=folder, environment=os.environ)
    require_links(study, folder=folder, environment=os.environ, key_label=key_label)
    launcher = RunLauncher(
        study=study, folder=folder, environment=os.environ, note=_nothing_to_record,
        log=lambda sentence: progress(sentence, level=Level.progress),
    )  # fmt: skip
    return create_or_extend(output, study=study, text=text, folder=folder, check=launcher.check)


def _nothing_to_record(record: LinksRecord) -> None:
    """Of a launcher that only checks workloads, which changes no link rates."""
    raise AssertionError(record)


def run_study(
    directory: Directory, options: StudyOptions, *, progress: Progress = silent,
    watcher: AbstractContextManager[Watcher] | None = None,
) -> StudyOutcome:  # fmt: skip
    """Carry out the open runs. After a stop signal, the current runs end after their round and no others start.

    `watcher` is entered before the first run and notified of each run, by default a StudyProgress. Must be called from
    the main thread. Raises StudyMistake and StudyFault.
    """
    options.check(directory.study)
    options.check_nodes(directory.study, folder=directory.folder, environment=os.environ)
    pool = _pool(directory.study, options, progress)
    launcher = RunLauncher(
        study=directory.study, folder=directory.folder, environment=os.environ, note=directory.write,
        log=lambda text: progress(text, level=Level.progress),
    )  # fmt: skip
    claims: AbstractContextManager[Claims] = shared_runs(directory.path) if options.share else nullcontext(AllRuns())
    with locked(directory.path, shared=options.share), _warn_of_slow_networks(directory, progress), claims as claimed:
        require_same_workloads(directory)
        for complaint in directory.read().complaints:
            progress(complaint, level=Level.warning)
        if not directory.is_checked:
            launcher.check()
        policy = _recorded_policy(directory, options)
        launcher.restore_full_rates(slowed_networks(directory.read().records).values())
        target = directory.study.target
        with watcher or nullcontext(StudyProgress(directory, progress)) as active_watcher:
            runner = StudyRunner(
                directory, policy=policy, watcher=active_watcher,
                is_narrow=(lambda _: False) if target is None else partial(is_narrow, target=target),
                claims=claimed,
            )  # fmt: skip
            execute = replace(launcher, is_stopping=lambda: runner.is_stopping)
            with _stop_on_signals(runner, pool), execute.restoring_full_rate():
                stop = runner.run(execute, pool=pool)
    return StudyOutcome(stop=stop, counts=runner.counts())


def _pool(study: Study, options: StudyOptions, progress: Progress) -> Pool:
    concurrent = options.jobs > 1 or options.share
    if concurrent and any(cell.on in batch_systems() for cell in study.cells):
        progress(
            "runs at once have nodes of their own but share the network: one may measure another's traffic",
            level=Level.warning,
        )
    return WorkerPool(options.jobs) if options.jobs > 1 else SequentialPool()


@contextmanager
def _warn_of_slow_networks(directory: Directory, progress: Progress) -> Iterator[None]:
    """Context that reports at its end which networks could not be restored to their full rate."""
    try:
        yield
    finally:
        for record in slowed_networks(directory.read().records).values():
            progress(slowed_network_sentence(record), level=Level.warning)


def slowed_network_sentence(record: LinksRecord) -> str:
    """What may not have been restored to its full rate, and the command that restores it."""
    if record.command is not None:
        return f"injection bandwidth may still be {record.rate} of the full rate: `{record.command} 1` restores it"
    lab = record.on.partition(":")[2]
    return f"links of {record.on} may still be at {record.rate}: `stressbench lab set all rate=full --lab {lab}`"


def _recorded_policy(directory: Directory, options: StudyOptions) -> Policy:
    """The policy. A new number of retries is recorded in the manifest for `study status` and `study resume`."""
    records = directory.read().records
    policy = options.policy(directory.study, records)
    if policy.retries != retries_of(records, written=directory.study.retries):
        directory.write(PolicyRecord(at=now(), retries=policy.retries))
    return policy


@contextmanager
def _stop_on_signals(runner: StudyRunner, pool: Pool) -> Iterator[None]:
    """Context in which a stop signal between launches prevents further ones. During a launch, the launch handles it."""

    def on_signal(number: int, _: FrameType | None) -> None:
        runner.request_stop()
        if isinstance(pool, WorkerPool) and number != signal.SIGINT:  # a terminal sends Ctrl-C to all processes itself
            pool.forward_signal(number)

    with handled_by(on_signal):
        yield
