"""The steps of a validation: captures of both sides, a search for the iterations, and alternating launches of both."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

from stressbench import __version__
from stressbench.errors import Interrupted, MachineFault
from stressbench.experiments.new_directory import make_new_directory
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import scratch_directory
from stressbench.experiments.validation.launches import TracedLaunches, WorkloadRun
from stressbench.experiments.validation.workload import SUFFIX, ComparedWorkload, Computation
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_atomically, write_output
from stressbench.formats.launches.journal import FILE
from stressbench.formats.launches.validation import JOURNAL, ComparedSide, ValidationLaunch, ValidationPlan
from stressbench.formats.trace import MAX_GAP_TIMES, Trace, TraceMode
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LaunchTarget, ranks_share_cores
from stressbench.launch.targets import resolve_target
from stressbench.launch.traced import check_output
from stressbench.levels import Level
from stressbench.report.units import plain_time
from stressbench.results.validation import REPLAY, Block, OperationRow, Validation, ratio_of, verdict_of
from stressbench.stop_signals import handled_by
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.diff import diff
from stressbench.tracing.excerpts import lines_of_step
from stressbench.tracing.iteration_times import IterationTimes, OperationCount, mpi_time_s, operations_in, times_in
from stressbench.tracing.iterations import (
    Boundaries,
    IterationDifference,
    Iterations,
    differences_in,
    iterations_of,
    loop_of,
    whole_run,
)
from stressbench.tracing.operations import COMPLETIONS_OF_ANY

LAUNCHES = 11
MOST_ITERATIONS = 1000
_COMPARED_ITERATIONS = 2
_LEAST_REPETITION_S = 0.02
_LEAST_MEASURED_S = 0.2
_LEAST_SHARE = 0.1
_SHORTEST_S = 0.05
"""A loop with a smaller share of the program's time is hardly the one that the user thinks of."""
MAX_TIMES_OF_REPETITION = 65_536
"""As many times of computation as the engine has ready for a repetition; those beyond are the first ones again."""
_TESTS = (
    "some ranks test for messages (MPI_Test, MPI_Testall), so that the order of their calls depends on when these "
    "arrive: the place of waits among other calls is not compared"
)
_ANY = (
    "some ranks wait or test for any of several messages ({}), whose order depends on when these arrive: these calls "
    "of the replay are not compared"
)
_NONE = OperationCount(calls=0, bytes=0)


@dataclass(frozen=True, kw_only=True)
class ValidationSpec:
    """A workload, the program that it models, and how they are compared.

    `workload`: a motif with its options, or one workload file. `program`: an MPI program with its arguments,
    without its mpirun. `launches` of each side take turns. `boundaries`: which calls begin and end an iteration of
    the program; `begins_paused`: only what the program does between MPI_Pcontrol(1) and MPI_Pcontrol(0) counts.
    `whole`: the whole run is compared with its replay. `any_tag`: tags are not compared. At most `most_iterations`
    are measured in a launch. `tolerance`: the largest accepted deviation of the ratio of times from 1.
    `computation`: a `Computation`, that between the workload's calls; None: that of the workload if it is a replay
    of a capture, otherwise in sequence if an iteration has at most MAX_GAP_TIMES calls, and measured if it has
    more. `cpu_time`: whether that of the program is taken as processor time; None: where ranks share cores. `emit`:
    where to write the workload with the computation of the program. `output`: a directory for captures and
    launches, which is removed in the end if it is None.
    """

    workload: tuple[str, ...]
    program: tuple[str, ...]
    on: str = "local"
    ranks: int | None = None
    engine: Path | None = None
    launches: int = LAUNCHES
    computation: str | None = None
    cpu_time: bool | None = None
    boundaries: Boundaries = field(default_factory=Boundaries)
    begins_paused: bool = False
    whole: bool = False
    any_tag: bool = False
    most_iterations: int = MOST_ITERATIONS
    tolerance: float | None = None
    seed: int = 1
    emit: Path | None = None
    output: Path | None = None

    def run(self, *, progress: Progress = silent) -> Validation:
        """Compare the two. After a stop signal, the result of the launches so far, which is not `complete`.

        Must be called from the main thread. Raises LaunchMistake and StudyMistake before any launch, MachineFault and
        NotComparable after one, NotEmitted with the result, and Interrupted without any result.
        """
        self._require_valid_values()
        target = resolve_target(self.on, environment=os.environ)
        if target.simulated:
            raise LaunchMistake(f"--on {self.on}: a simulation cannot run {self.program[0]}; use a lab or a cluster")
        ranks = target.ranks if self.ranks is None else self.ranks
        if ranks is None:
            raise LaunchMistake("-n is missing, for example -n 4")
        workload = ComparedWorkload.of(self.workload, engine=self.engine)
        if workload.is_replay:
            self._require_replay_options()
        elif self.whole:
            raise LaunchMistake(
                f"--whole: {workload.name} is compared iteration by iteration; leave one of the two out"
            )
        computation = workload.computation(None if self.computation is None else Computation(self.computation))
        if computation is Computation.own:
            self._require_own_options(workload.name)
        if self.emit is not None:
            check_output(self.emit, endings=(SUFFIX,), replace=True, option="--emit")
            _require_own_captures(self.emit, motifs=1 if workload.is_replay else len(workload.motifs))
        with self._folder() as folder:
            launches = TracedLaunches(
                ranks=ranks, target=target, engine=self.engine, folder=folder,
                cpu_time=self._takes_cpu_time(target, ranks, computation),
            )  # fmt: skip
            launches.check(self.program)
            workload.check(ranks=ranks, target=target, folder=folder)
            run = _Run(
                spec=self, workload=workload, launches=launches, folder=folder, progress=progress, asked=computation
            )
            result = run.run()
            if self.output is not None:
                _write_page(self.output / "report.html", result, progress=progress)
            if self.emit is not None:
                run.emit(self.emit, result)
            return result

    def _takes_cpu_time(self, target: LaunchTarget, ranks: int, computation: Computation | None) -> bool:
        """Whether computation is taken as processor time: by default, if waiting for a core would count as such."""
        if computation is Computation.own:
            return False
        return ranks_share_cores(target, ranks) if self.cpu_time is None else self.cpu_time

    def _require_valid_values(self) -> None:
        """Raise LaunchMistake for values that are out of range."""
        least = {"-n": (self.ranks, 1), "--launches": (self.launches, 1), "--iterations": (self.most_iterations, 1),
                 "--seed": (self.seed, 0)}  # fmt: skip
        for option, (value, lowest) in least.items():
            if value is not None and value < lowest:
                raise LaunchMistake(f"{option} {value}: expected {lowest} or more")
        if self.tolerance is not None and not 0 < self.tolerance < 1:
            raise LaunchMistake(f"--within {self.tolerance:g}: expected a share between 0 and 1, such as 0.05")
        if self.computation is not None and self.computation not in [*Computation]:
            raise LaunchMistake(f"--computation {self.computation}: expected one of {', '.join(Computation)}")

    def _require_replay_options(self) -> None:
        if self.any_tag:
            raise LaunchMistake("--any-tag: a replay has the tags of the program; name a motif or a workload")
        for option, pattern in (("--from", self.boundaries.first), ("--to", self.boundaries.last)):
            if pattern is not None:
                raise LaunchMistake(
                    f"{option} {pattern}: a replay repeats the program's own loop; name a motif or a workload"
                )

    def _require_own_options(self, name: str) -> None:
        """Raise LaunchMistake for options that compare or write the program's computation; `name`: of the workload."""
        stated = self.computation is not None
        own = f"with --computation {Computation.own}" if stated else f"{name} computes as its own capture says, and"
        if self.tolerance is not None:
            raise LaunchMistake(f"--within: {own} only times in MPI are comparable")
        if self.cpu_time:
            raise LaunchMistake(f"--cpu-time: {own} the workload takes no times from the program")
        if self.emit is not None:
            raise LaunchMistake(f"--emit: {own} the workload has no computation of the program")

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """The directory of captures and launches: `output`, or one that is removed in the end."""
        if self.output is None:
            with scratch_directory("validate") as folder:
                yield folder.absolute()
            return
        make_new_directory(self.output, begins="a validation begins")
        yield self.output.absolute()


class NotEmitted(MachineFault):
    """Raised if the workload could not be written after the launches, with their result."""

    def __init__(self, message: str, *, result: Validation) -> None:
        super().__init__(message)
        self.result = result


@dataclass(kw_only=True)
class _Run:
    spec: ValidationSpec
    workload: ComparedWorkload
    launches: TracedLaunches
    folder: Path
    progress: Progress
    asked: Computation | None
    computation: Computation = Computation.sequence
    nodes: int = 1
    notes: list[str] = field(default_factory=list)
    program_s: float | None = None  # from MPI_Init to MPI_Finalize, where the loop of the program is measured
    blocks: list[Block] = field(default_factory=list)
    is_uneven: bool = False  # whether ranks make different numbers of these iterations
    working_set: int | None = None  # bytes
    gaps: list[tuple[Path, ...]] = field(default_factory=list)  # by block: the captures with the computation
    lengths: tuple[tuple[int, ...], ...] = ()  # by rank: calls of each step of a chain

    def run(self) -> Validation:
        spec = self.spec
        program_name = Path(spec.program[0]).name
        self.progress(f"capturing all calls of {program_name}", level=Level.progress)
        program = self.launches.capture_program(spec.program, begins_paused=spec.begins_paused)
        self.nodes = program.header.hosts or 1
        if self.workload.is_replay:
            if spec.whole:
                iterations = self._limited(whole_run(program))
                self.progress(f"the whole run of {program_name} is measured")
            else:
                iterations = self._limited(loop_of(program))
                self.program_s = max(rank.wall_s for rank in program.ranks())
                self.progress(
                    f"the loop of {program_name} runs {iterations.found:,} times; {iterations.times:,} are measured"
                )
            return self._measure(program, iterations)
        self.progress(f"capturing {_COMPARED_ITERATIONS} iterations of {self.workload.name}", level=Level.progress)
        written = self._write(self.workload.text(nodes=self.nodes))
        captured, _ = self.launches.run_workload(
            written, repetitions=_COMPARED_ITERATIONS, warmup=0, seed=spec.seed, name="workload",
            mode=TraceMode.capture,
        )  # fmt: skip
        self._require_all_ranks(captured)
        iterations = iterations_of(
            program, captured.trace, repetitions=captured.iterations, boundaries=spec.boundaries,
            any_tag=spec.any_tag,
        )  # fmt: skip
        if iterations.differences:
            return self._result(program, iterations, operations=(), complete=True)
        iterations = self._limited(iterations)
        if self.workload.replaces_computation(self.computation):
            self._require_gaps(iterations)
        self.progress(
            f"{program_name} makes these calls {iterations.found:,} times in a row; {iterations.times:,} are measured",
        )
        return self._measure(program, iterations)

    def _require_all_ranks(self, captured: WorkloadRun) -> None:
        """Raise NotComparable for a workload file whose job leaves out ranks of the program."""
        ranks = self.launches.ranks
        if captured.job_ranks != ranks:
            raise NotComparable(
                f"{self.workload.name}: its job has {captured.job_ranks} of the {ranks} ranks; [NODES] {self.nodes} "
                "without [RANKS_PER_NODE] takes all of them"
            )

    def _limited(self, iterations: Iterations) -> Iterations:
        """The iterations to measure, and the computation that is possible with them."""
        spec = self.spec
        self.computation, limited = choose_computation(iterations, self.asked, most=spec.most_iterations)
        if self.asked is None and self.computation is Computation.measured:
            self.progress("an iteration has too many calls to keep the time before each: times are drawn instead")
        self.is_uneven = iterations.most_found not in (None, iterations.found)
        if self.is_uneven:
            self._note(
                f"some ranks make these calls {iterations.found:,} times in a row, others up to "
                f"{iterations.most_found:,} times: iterations of different ranks may not correspond"
            )
        if iterations.any_wait_place:
            self.notes.append(_TESTS)
        return limited

    def _note(self, text: str) -> None:
        self.notes.append(text)
        self.progress(text, level=Level.warning)

    def _require_gaps(self, iterations: Iterations) -> None:
        """Raise NotComparable unless each motif can take the computation between its calls from a capture."""
        if len(self.workload.motifs) == 1:
            calls = [max(run.calls for run in iterations.runs)]
        else:
            self.lengths = self._lengths_of_steps(iterations)
            calls = [max(step) for step in zip(*self.lengths, strict=True)]
        self.workload.require_gaps(calls)

    def _measure(self, program: Trace, iterations: Iterations) -> Validation:
        spec, journal = self.spec, self.folder / FILE
        self._measure_working_set(iterations)
        JOURNAL.append(journal, self._plan())
        operations: tuple[OperationRow, ...] = ()
        complete = True
        stop_signals: list[int] = []  # those between launches; a launch handles its own
        with handled_by(lambda signal, _: stop_signals.append(signal)):
            try:
                for number in range(spec.launches):
                    self.progress(f"launch {number + 1} of {spec.launches}", level=Level.progress)
                    block, sides = self._block(number, iterations)
                    if self.workload.is_replay and number == 0:
                        if differences := _differences(*sides):
                            other = Iterations(runs=(), found=0, skipped=0, differences=differences)
                            return self._result(program, other, operations=(), complete=True)
                        self.notes.extend(_notes_of_any(sides[0]))
                    self.blocks.append(block)
                    operations = operations or _operation_rows(*sides, iterations=iterations.times)
                    if stop_signals:
                        raise Interrupted("stopped")
            except Interrupted:
                if not self.blocks:
                    raise
                complete = len(self.blocks) == spec.launches
        return self._result(program, iterations, operations=operations, complete=complete)

    def _measure_working_set(self, iterations: Iterations) -> None:
        """Find out how much memory the workload's computation is to read, if it is the program's."""
        spec, workload = self.spec, self.workload
        is_replaced = workload.is_replay or workload.replaces_computation(self.computation)
        if not is_replaced or not workload.lacks_working_set:
            return
        self.progress(f"measuring the working set of {Path(spec.program[0]).name}", level=Level.progress)
        self.working_set = self.launches.working_set_bytes(
            spec.program, None if spec.whole else iterations.runs, begins_paused=spec.begins_paused
        )  # fmt: skip
        if self.working_set is None:
            self._note("the working set of the program is unknown: computation of the workload reads no memory")

    def _block(self, number: int, iterations: Iterations) -> tuple[Block, tuple[Trace, WorkloadRun]]:
        """Launch the program, then the workload with the computation that the program had in this launch."""
        spec = self.spec
        trace, outcome = self.launches.capture_iterations(
            spec.program, None if spec.whole else iterations.runs, name=f"iterations-{number + 1:02}",
            begins_paused=spec.begins_paused, gap_times=self.computation is Computation.sequence,
        )  # fmt: skip
        if spec.whole:
            # Its calls may differ from launch to launch, and be too many for the times before each.
            _, iterations = choose_computation(whole_run(trace), self.computation, most=1)
        program = times_in(trace, iterations)
        self._record(ComparedSide.program, number, iterations.times, program, outcome)
        gaps = self._gaps_in(trace, iterations)
        is_replay = self.workload.is_replay
        captures = is_replay and number == 0  # the calls of all measured iterations, once
        each, repetitions = self._repetitions(iterations, time_s=program.time_s)
        text = self._text(gaps, iterations=1 if is_replay else each)
        measured, outcome = self._run_workload(
            self._write(text), repetitions=1 if captures else repetitions,
            warmup=0 if spec.whole else max(1, iterations.skipped),
            seed=spec.seed + number, name=f"workload-{number + 1:02}",
            mode=TraceMode.capture if captures else TraceMode.profile,
            program_s=outcome.ended_s - outcome.began_s,
        )  # fmt: skip
        measured = replace(measured, iterations_each=each)
        workload = IterationTimes(  # the engine keeps no times of single ranks
            time_s=measured.time_s, slowest_s=None, mpi_s=mpi_time_s(measured.trace, measured.iterations)
        )
        self._record(ComparedSide.workload, number, measured.iterations, workload, outcome)
        self.gaps.append(gaps)
        return Block(program=program, workload=workload), (trace, measured)

    def _run_workload(self, workload: Path, **options: Any) -> tuple[WorkloadRun, Outcome]:
        try:
            return self.launches.run_workload(workload, **options)
        except MachineFault as fault:
            if not (self.workload.is_replay and self.is_uneven):
                raise
            raise MachineFault(
                f"{fault}: its ranks repeat loops of different lengths, and a replay of a part of them may wait for "
                "messages of another part; --whole compares whole runs"
            ) from fault

    def _repetitions(self, iterations: Iterations, *, time_s: float) -> tuple[int, int]:
        """The iterations in a repetition of the workload, and its repetitions; a replay has all of them in one.

        A whole run is made once, without a warm-up, as by the program, which also makes connections and uses memory for
        the first time in it.
        """
        if self.spec.whole:
            return 1, 1
        calls = max(run.calls for run in iterations.runs)
        each, repetitions = repetitions_of(times=iterations.times, calls=calls, time_s=time_s)
        if self.workload.can_batch:
            return each, repetitions
        again = _times_to_measure(iterations.times * time_s)
        return (iterations.times, again) if self.workload.is_replay else (1, iterations.times * again)

    def _text(self, gaps: Sequence[Path], *, iterations: int = 1) -> str:
        return self.workload.text(
            nodes=self.nodes, gaps=gaps, computation=self.computation, cpu_time=self.launches.cpu_time,
            iterations=iterations, working_set=self.working_set,
        )  # fmt: skip

    def _lengths_of_steps(self, iterations: Iterations) -> tuple[tuple[int, ...], ...]:
        """Calls of each step of the chain in an iteration, by rank, from captures of each motif alone."""
        columns = []
        for number, text in enumerate(self.workload.steps(nodes=self.nodes), start=1):
            self.progress(f"capturing step {number} of the chain", level=Level.progress)
            captured, _ = self.launches.run_workload(
                self._write(text), repetitions=1, warmup=0, seed=self.spec.seed, name=f"step-{number}",
                mode=TraceMode.capture,
            )  # fmt: skip
            columns.append([rank.sequence_calls or 0 for rank in captured.trace.ranks()])
        lengths = tuple(zip(*columns, strict=True))
        if any(sum(row) != run.calls for row, run in zip(lengths, iterations.runs, strict=True)):
            raise NotComparable(
                f"the motifs of {self.workload.name} make other calls alone than in their chain, so that its "
                "computation cannot be replaced; use --computation own"
            )
        return lengths

    def _gaps_in(self, trace: Trace, iterations: Iterations) -> tuple[Path, ...]:
        """The captures that hold the computation of each motif: that of the iterations, or parts of it for a chain."""
        if not self.lengths:
            return (trace.path,)
        paths = []
        for step, takes_gaps in enumerate(self.workload.take_gaps):
            path = trace.path.with_name(f"{trace.path.stem}-step-{step + 1}.trace")
            lines = lines_of_step(trace, iterations, self.lengths, step=step, first_call_only=not takes_gaps)
            write_atomically(path, b"".join(lines))
            paths.append(path)
        return tuple(paths)

    def _write(self, text: str) -> Path:
        path = self.folder / "workload.sb"
        try:
            write_atomically(path, text.encode())
        except OSError as fault:
            raise MachineFault(f"{path}: {reason_of(fault)}") from fault
        return path

    def _plan(self) -> ValidationPlan:
        spec = self.spec
        return ValidationPlan(
            at=_now(), version=__version__, command=spec.program, on=spec.on, runs=spec.launches, seed=spec.seed,
            figures={}, workload=spec.workload, ranks=self.launches.ranks, computation=self.computation,
            first=spec.boundaries.first, last=spec.boundaries.last, tolerance=spec.tolerance,
            cpu_time=self.launches.cpu_time, whole=spec.whole,
        )  # fmt: skip

    def _record(
        self, side: ComparedSide, number: int, iterations: int, times: IterationTimes, outcome: Outcome
    ) -> None:
        record = ValidationLaunch(
            at=_now(), repetition=number, status=outcome.status, wall_s=outcome.ended_s - outcome.began_s, figures={},
            side=side, iterations=iterations, time_s=times.time_s, slowest_s=times.slowest_s, mpi_s=times.mpi_s,
        )  # fmt: skip
        JOURNAL.append(self.folder / FILE, record)

    def emit(self, path: Path, result: Validation) -> None:
        """Write the workload with the computation of the launch with the median time, and its capture beside it.

        Raises NotEmitted with the result.
        """
        if not self.blocks:
            self.progress(f"--emit: {path} was not written, since the calls differ", level=Level.warning)
            return
        order = sorted(range(len(self.blocks)), key=lambda number: self.blocks[number].program.time_s)
        sources = self.gaps[order[len(order) // 2]]
        gaps = _captures_beside(path, count=len(sources))
        try:
            for source, copy in zip(sources, gaps, strict=True):
                write_output(copy, source.read_bytes())
            write_output(path, self._text(gaps))
        except OSError as fault:
            raise NotEmitted(f"--emit: {fault.filename}: {reason_of(fault)}", result=result) from fault
        self.progress(f"wrote {path} and {', '.join(map(str, gaps))}")

    def _result(
        self, program: Trace, iterations: Iterations, *, operations: Sequence[OperationRow], complete: bool
    ) -> Validation:
        spec, blocks = self.spec, tuple(self.blocks)
        ratio = ratio_of([block.ratio for block in blocks])
        verdict, is_certain = verdict_of(ratio, tolerance=spec.tolerance, differences=iterations.differences)
        return Validation(
            verdict=verdict, program=spec.program, workload=spec.workload or (REPLAY,), on=spec.on,
            ranks=self.launches.ranks,
            hosts=program.header.hosts, calls=sum(run.calls for run in iterations.runs), found=iterations.found,
            measured=iterations.times, ratio=ratio,
            mpi_ratio=ratio_of([one.workload.mpi_s / one.program.mpi_s for one in blocks if one.program.mpi_s > 0]),
            tolerance=spec.tolerance, is_certain=is_certain, computation=self.computation, complete=complete,
            differences=iterations.differences, operations=tuple(operations), blocks=blocks, any_tag=spec.any_tag,
            any_wait_place=iterations.any_wait_place, whole=spec.whole, cpu_time=self.launches.cpu_time,
            working_set_bytes=self.working_set,
            notes=(*self.notes, *self._notes_of_share(iterations), *self._notes_of_time(iterations)),
        )  # fmt: skip

    def _notes_of_time(self, iterations: Iterations) -> Iterator[str]:
        """A note if the measured iterations are over too soon: the ranks of a core may keep one order for so long."""
        if not self.blocks:
            return
        measured_s = iterations.times * median(block.program.time_s for block in self.blocks)
        if measured_s < _SHORTEST_S:
            yield (
                f"the measured iterations of the program take {plain_time(measured_s)} of a launch: an "
                "input with more or longer ones gives a more certain ratio"
            )

    def _notes_of_share(self, iterations: Iterations) -> Iterator[str]:
        """A note if the measured loop takes hardly any of the program's time."""
        if not self.program_s or not self.blocks:
            return
        share = iterations.found * median(block.program.time_s for block in self.blocks) / self.program_s
        if share < _LEAST_SHARE:
            yield (
                f"this loop, the one with the most calls, takes {100 * share:.2g} % of the program's time between "
                "MPI_Init and MPI_Finalize; --whole measures all of it"
            )


def repetitions_of(*, times: int, calls: int, time_s: float) -> tuple[int, int]:
    """The iterations in a repetition of a motif, and its repetitions, for `times` iterations of `time_s` each.

    Ranks start a repetition together and those of the program do not, which adds some microseconds to its first
    iteration: a repetition takes at least `_LEAST_REPETITION_S` if the engine has as many times of computation ready.
    What disturbs the start of a launch disturbs a few milliseconds most: all are measured again until they take at
    least `_LEAST_MEASURED_S`.
    """
    most = max(MAX_TIMES_OF_REPETITION // max(calls, 1), 1)
    least = min(ceil(_LEAST_REPETITION_S / time_s), most, times)
    repetitions = times // least
    return min(times // repetitions, most), repetitions * _times_to_measure(time_s * times)


def _times_to_measure(time_s: float) -> int:
    return max(ceil(_LEAST_MEASURED_S / time_s), 1)


def choose_computation(
    iterations: Iterations, computation: Computation | None, *, most: int
) -> tuple[Computation, Iterations]:
    """The computation, and at most `most` of the iterations: in sequence, those whose times the tracer can keep.

    Without a computation, it is in sequence if the times of an iteration can be kept, and measured otherwise. Raises
    NotComparable if it is to be in sequence and they cannot.
    """
    calls = max(run.calls for run in iterations.runs)
    kept = MAX_GAP_TIMES // max(calls, 1)
    if computation is None:
        computation = Computation.sequence if kept else Computation.measured
    if computation is not Computation.sequence:
        return computation, iterations.limited(most)
    if not kept:
        raise NotComparable(
            f"an iteration has {calls:,} calls, and the tracer keeps the times before {MAX_GAP_TIMES:,}; use "
            f"--computation {Computation.measured}"
        )
    return computation, iterations.limited(min(most, kept))


def _differences(program: Trace, replay: WorkloadRun) -> tuple[IterationDifference, ...]:
    """The first difference of each rank of a replay. Raises NotComparable if a sequence cannot be compared."""
    difference = diff(program, replay.trace, left_out=COMPLETIONS_OF_ANY)
    if difference.notes:
        raise NotComparable(f"the replay cannot be compared with the program: {difference.notes[0]}")
    return differences_in(difference)


def _notes_of_any(program: Trace) -> Iterator[str]:
    """A note if the order of some calls of the program was not compared with that of its replay."""
    used = {total.op for rank in program.ranks() for total in rank.totals if total.calls > 0} & COMPLETIONS_OF_ANY
    if used:
        yield _ANY.format(", ".join(f"MPI_{name}" for name in sorted(used)))


def _captures_beside(path: Path, *, count: int) -> tuple[Path, ...]:
    """The captures of an emitted workload: one, or one for each motif of a chain."""
    suffixes = [".trace"] if count == 1 else [f"-{number}.trace" for number in range(1, count + 1)]
    return tuple(path.with_name(path.stem + suffix) for suffix in suffixes)


def _require_own_captures(path: Path, *, motifs: int) -> None:
    """Raise LaunchMistake if a capture beside `path` cannot be written, or exists without the workload at `path`."""
    for capture in _captures_beside(path, count=motifs):
        check_output(capture, endings=(".trace",), replace=path.exists(), option="--emit")


def _operation_rows(program: Trace, workload: WorkloadRun, *, iterations: int) -> tuple[OperationRow, ...]:
    ours, theirs = operations_in(workload.trace, workload.iterations), operations_in(program, iterations)
    return tuple(
        OperationRow(op=op, program=theirs.get(op, _NONE), workload=ours.get(op, _NONE))
        for op in sorted({*ours, *theirs})
    )


def _write_page(path: Path, result: Validation, *, progress: Progress) -> None:
    from stressbench.report.renderers import render
    from stressbench.report.validation.document import page

    try:
        write_output(path, render("html", page(result)))
    except OSError as fault:
        raise MachineFault(f"{path}: {reason_of(fault)}") from fault
    progress(f"wrote {path}")


def _now() -> datetime:
    return datetime.now(UTC)
