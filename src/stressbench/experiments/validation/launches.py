"""Launches of a program and of the engine under the tracer, on any launch target."""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.errors import Interrupted, MachineFault
from stressbench.exit_status import ExitStatus
from stressbench.experiments.failed_program import lines_on_failure
from stressbench.experiments.traced_program import TracedProgram
from stressbench.formats.run import Phase, Run, RunFileError, Samples, read_run
from stressbench.formats.run.samples import Mask
from stressbench.formats.trace import Trace, TraceMode
from stressbench.formats.units import parse_seconds
from stressbench.launch import program as launching
from stressbench.launch.engine import EngineOptions, RunFile, run_arguments
from stressbench.launch.execute import Outcome
from stressbench.launch.find import find_engine
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.tracer import find_tracer
from stressbench.launch.tracing import Tracing
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.iterations import IterationSpan

WINDOW_VARIABLE = "STRESSBENCH_TRACE_WINDOW"
_PAUSED = ("STRESSBENCH_TRACE_PAUSED", "1")
_STALL_FACTOR = 10


@dataclass(frozen=True, kw_only=True)
class TracedLaunches:
    """Starts launches on `ranks` ranks of a target, with their files in `folder`, which all hosts share.

    What programs print on standard output is only shown if they fail. With `cpu_time`, the tracer records the processor
    time between calls, not the elapsed time.

    All methods raise LaunchMistake where nothing can be started, MachineFault where a launch failed, and Interrupted.
    """

    ranks: int
    target: LaunchTarget
    engine: Path | None
    folder: Path
    cpu_time: bool = False

    def check(self, program: Sequence[str]) -> None:
        """Raise LaunchMistake unless the launcher, the engine and the tracer are there."""
        self._command(program)

    def capture_program(self, program: Sequence[str], *, begins_paused: bool) -> Trace:
        """All calls of the program; with `begins_paused`, from its first MPI_Pcontrol(1) on."""
        settings = (_PAUSED,) if begins_paused else ()
        return self._traced(program, name="program", mode=TraceMode.capture, settings=settings)[0]

    def capture_iterations(
        self,
        program: Sequence[str],
        runs: Sequence[IterationSpan] | None,
        *,
        name: str,
        begins_paused: bool,
        gap_times: bool,
    ) -> tuple[Trace, Outcome]:
        """The calls of these iterations, or all, as `name`.trace; with `gap_times`, also the time before each."""
        settings = self._part(runs, begins_paused=begins_paused)
        return self._traced(program, name=name, mode=TraceMode.capture, settings=settings, gap_times=gap_times)

    def working_set_bytes(
        self, program: Sequence[str], runs: Sequence[IterationSpan] | None, *, begins_paused: bool
    ) -> int | None:
        """Memory that a rank uses in these iterations, median over the ranks; None where the kernel does not tell.

        A launch of its own, since counting pages takes time.
        """
        settings = self._part(runs, begins_paused=begins_paused)
        trace, _ = self._traced(
            program, name="working-set", mode=TraceMode.profile, settings=settings, working_set=True
        )  # fmt: skip
        known = sorted(rank.working_set_bytes for rank in trace.ranks() if rank.working_set_bytes is not None)
        return known[len(known) // 2] if len(known) == self.ranks else None

    def _part(self, runs: Sequence[IterationSpan] | None, *, begins_paused: bool) -> list[tuple[str, str]]:
        """Settings of the tracer to record these iterations, or all."""
        settings: list[tuple[str, str]] = [_PAUSED] if begins_paused else []
        if runs is not None:
            window = self.folder / "iterations.window"
            window.write_text("".join(f"{run.start} {run.end}\n" for run in runs), encoding="ascii")
            settings.append((WINDOW_VARIABLE, str(window)))
        return settings

    def run_workload(
        self, workload: Path, *, repetitions: int, warmup: int, seed: int, name: str, mode: TraceMode,
        program_s: float = 0.0,
    ) -> "tuple[WorkloadRun, Outcome]":  # fmt: skip
        """One isolated round of the workload's job, of whose repetitions only the measured ones are traced.

        `program_s`: how long the program ran for the same iterations, 0 where that is unknown.
        """
        run_file = self.folder / f"{name}.jsonl"
        engine = find_engine(explicit=self.engine, environment=os.environ)
        options = EngineOptions(
            isolated="1", contended="0", repetitions=str(repetitions), warmup=str(warmup), seed=str(seed),
            stall_limit=self._stall_limit(program_s),
        )  # fmt: skip
        words = run_arguments(
            engine=engine, workload=workload, ranks_per_node=None, run_file=RunFile(path=run_file), options=options
        )
        trace, outcome = self._traced((*words, "--pcontrol"), name=name, mode=mode, settings=(_PAUSED,))
        try:
            return WorkloadRun(run=read_run(run_file), trace=trace), outcome
        except RunFileError as fault:
            raise MachineFault(str(fault)) from fault

    def _stall_limit(self, program_s: float) -> str | None:
        """That of the target, but longer than any replay, which makes all iterations in a single repetition."""
        limit = self.target.stall_limit
        return None if limit is None else f"{max(parse_seconds(limit), _STALL_FACTOR * program_s):.0f}s"

    def _command(self, program: Sequence[str]) -> None:
        find_tracer(os.environ, explicit_engine=self.engine)
        launching.command_of(
            tuple(program), folder=Path.cwd(), ranks=self.ranks, target=self.target, engine=self.engine,
            environment=os.environ,
        )  # fmt: skip

    def _traced(
        self, words: Sequence[str], *, name: str, mode: TraceMode, settings: Sequence[tuple[str, str]],
        gap_times: bool = False, working_set: bool = False,
    ) -> tuple[Trace, Outcome]:  # fmt: skip
        tracing = Tracing(
            mode=mode, output=self.folder / f"{name}.trace", key=secrets.token_hex(8),
            library=find_tracer(os.environ, explicit_engine=self.engine).library, names=False, gap_times=gap_times,
            cpu_time=self.cpu_time, working_set=working_set,
        )  # fmt: skip
        program = TracedProgram(
            words=tuple(words), ranks=self.ranks, target=self.target, engine=self.engine
        )  # fmt: skip
        with Path(os.devnull).open("wb") as nowhere:
            outcome = program.run(tracing, settings=settings, output_to=nowhere.fileno())
        shown = Path(words[0]).name
        if outcome.stop_requests:
            raise Interrupted(f"stopped while {shown} ran")
        if outcome.status != ExitStatus.ok:
            raise MachineFault(*lines_on_failure(shown, outcome))
        return program.trace(tracing), outcome


@dataclass(frozen=True, kw_only=True)
class WorkloadRun:
    """One launch of the workload: what the engine measured, and what the tracer saw of the measured repetitions."""

    run: Run
    trace: Trace
    iterations_each: int = 1
    """Iterations in a repetition."""

    @property
    def job_ranks(self) -> int:
        """Ranks of the workload's first job."""
        return self.run.jobs[0].ranks

    @property
    def iterations(self) -> int:
        """Measured iterations. Raises NotComparable unless the workload has one measured job."""
        return int(self._measured().sum()) * self.iterations_each

    @property
    def time_s(self) -> float:
        """Time of an iteration, s: mean over ranks and measured iterations."""
        return float(self._samples().time_mean_s[self._measured()].mean()) / self.iterations_each

    def _samples(self) -> Samples:
        jobs = self.run.measured_jobs
        samples = self.run.samples_of(job=jobs[0].job) if len(self.run.jobs) == 1 and jobs else None
        if samples is None:
            count = f"{len(self.run.jobs)} jobs, {len(jobs)} of them measured"
            raise NotComparable(f"expected one measured job; the workload has {count}")
        return samples

    def _measured(self) -> Mask:
        return self._samples().in_phases(Phase.measured)
