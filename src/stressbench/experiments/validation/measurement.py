"""Launches of a program and of its workload in turn, with the times and calls of the iterations that were found."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stressbench import __version__
from stressbench.errors import Interrupted, MachineFault
from stressbench.experiments.progress import Progress
from stressbench.experiments.validation import emission
from stressbench.experiments.validation.launches import TracedLaunches, WorkloadRun
from stressbench.experiments.validation.notes import notes_of_calls, notes_of_times
from stressbench.experiments.validation.repetitions import choose_computation, passes_over, repetitions_of
from stressbench.experiments.validation.search import FoundIterations
from stressbench.experiments.validation.spec import ValidationSpec
from stressbench.experiments.validation.workload import ComparedWorkload, Computation, write_workload
from stressbench.formats.files import write_atomically
from stressbench.formats.launches.journal import FILE
from stressbench.formats.launches.validation import JOURNAL, ComparedSide, ValidationLaunch, ValidationPlan
from stressbench.formats.trace import Trace, TraceMode
from stressbench.launch.execute import Outcome
from stressbench.levels import Level
from stressbench.results.validation import REPLAY, Block, OperationRow, Validation, ratio_of, verdict_of
from stressbench.stop_signals import handled_by
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.diff import diff
from stressbench.tracing.excerpts import lines_of_step
from stressbench.tracing.iteration_times import IterationTimes, OperationCount, mpi_time_s, operations_in, times_in
from stressbench.tracing.iterations import IterationDifference, Iterations, differences_in, whole_run
from stressbench.tracing.operations import COMPLETIONS_OF_ANY

_NONE = OperationCount(calls=0, bytes=0)


@dataclass(kw_only=True)
class Measurement:
    """Measures the iterations that were found."""

    spec: ValidationSpec
    workload: ComparedWorkload
    launches: TracedLaunches
    progress: Progress
    found: FoundIterations
    blocks: list[Block] = field(default_factory=list)
    captures: list[tuple[Path, ...]] = field(default_factory=list)  # with the computation, by block
    working_set: int | None = None  # bytes
    notes: list[str] = field(default_factory=list)

    def run(self) -> Validation:
        """Run all launches. After a stop signal, the result of those so far; Interrupted if there are none."""
        spec, iterations = self.spec, self.found.iterations
        if iterations.differences:
            return self._result(iterations, operations=(), complete=True)
        self._measure_working_set()
        JOURNAL.append(self.launches.folder / FILE, self._plan())
        operations: tuple[OperationRow, ...] = ()
        complete = True
        stop_signals: list[int] = []  # those between launches; a launch handles its own
        with handled_by(lambda signal, _: stop_signals.append(signal)):
            try:
                for number in range(spec.launches):
                    self.progress(f"launch {number + 1} of {spec.launches}", level=Level.progress)
                    block, sides = self._block(number)
                    if self.workload.is_replay and number == 0:
                        if differences := _differences(*sides):
                            none = Iterations(runs=(), found=0, skipped=0, differences=differences)
                            return self._result(none, operations=(), complete=True)
                        self.notes.extend(notes_of_calls(sides[0]))
                    self.blocks.append(block)
                    operations = operations or _operation_rows(*sides, iterations=iterations.times)
                    if stop_signals:
                        raise Interrupted("stopped")
            except Interrupted:
                if not self.blocks:
                    raise
                complete = len(self.blocks) == spec.launches
        return self._result(iterations, operations=operations, complete=complete)

    def emit(self, path: Path, result: Validation) -> None:
        """Write the workload with the computation of the launch with the median time, and its captures beside it.

        Raises NotEmitted with the result.
        """
        if not self.blocks:
            self.progress(f"--emit: {path} was not written, since the calls differ", level=Level.warning)
            return
        order = sorted(range(len(self.blocks)), key=lambda number: self.blocks[number].program.time_s)
        captures = self.captures[order[len(order) // 2]]
        copies = emission.emit(path, captures=captures, text_with=self._text, result=result)
        self.progress(f"wrote {path} and {', '.join(map(str, copies))}")

    def _measure_working_set(self) -> None:
        """Find out how much memory the workload's computation is to read, if it is the program's."""
        workload = self.workload
        is_replaced = workload.is_replay or workload.replaces_computation(self.found.computation)
        if not is_replaced or not workload.lacks_working_set:
            return
        self.progress(f"measuring the working set of {Path(self.spec.program[0]).name}", level=Level.progress)
        self.working_set = self.launches.working_set_bytes(
            self.spec.program, None if self.spec.whole else self.found.iterations.runs,
            begins_paused=self.spec.begins_paused,
        )  # fmt: skip
        if self.working_set is None:
            note = "the working set of the program is unknown: computation of the workload reads no memory"
            self.notes.append(note)
            self.progress(note, level=Level.warning)

    def _block(self, number: int) -> tuple[Block, tuple[Trace, WorkloadRun]]:
        """Launch the program, then the workload with the computation that the program had in this launch."""
        spec, iterations, computation = self.spec, self.found.iterations, self.found.computation
        trace, outcome = self.launches.capture_iterations(
            spec.program, None if spec.whole else iterations.runs, name=f"iterations-{number + 1:02}",
            begins_paused=spec.begins_paused, gap_times=computation is Computation.sequence,
        )  # fmt: skip
        if spec.whole:
            # Its calls may differ from launch to launch, and be too many for the times before each.
            _, iterations = choose_computation(whole_run(trace), computation, most=1)
        program = times_in(trace, iterations)
        self._record(ComparedSide.program, number, iterations.times, program, outcome)
        captures = self._captures_of_steps(trace, iterations)
        is_replay = self.workload.is_replay
        compares_calls = is_replay and number == 0  # of all measured iterations, once
        each, repetitions = self._repetitions(iterations, time_s=program.time_s)
        text = self._text(captures, iterations=1 if is_replay else each)
        measured, outcome = self._run_workload(
            write_workload(self.launches.folder, text), repetitions=1 if compares_calls else repetitions,
            warmup=0 if spec.whole else max(1, iterations.skipped),
            seed=spec.seed + number, name=f"workload-{number + 1:02}",
            mode=TraceMode.capture if compares_calls else TraceMode.profile,
            program_s=outcome.ended_s - outcome.began_s,
        )  # fmt: skip
        measured = replace(measured, iterations_each=each)
        workload = IterationTimes(  # the engine keeps no times of single ranks
            time_s=measured.time_s, slowest_s=None, mpi_s=mpi_time_s(measured.trace, measured.iterations)
        )
        self._record(ComparedSide.workload, number, measured.iterations, workload, outcome)
        self.captures.append(captures)
        return Block(program=program, workload=workload), (trace, measured)

    def _run_workload(self, workload: Path, **options: Any) -> tuple[WorkloadRun, Outcome]:
        try:
            return self.launches.run_workload(workload, **options)
        except MachineFault as fault:
            if not (self.workload.is_replay and self.found.are_uneven):
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
        passes = passes_over(iterations.times * time_s)
        return (iterations.times, passes) if self.workload.is_replay else (1, iterations.times * passes)

    def _text(self, captures: Sequence[Path], *, iterations: int = 1) -> str:
        return self.workload.text(
            nodes=self.found.nodes, gaps=captures, computation=self.found.computation,
            cpu_time=self.launches.cpu_time, iterations=iterations, working_set=self.working_set,
        )  # fmt: skip

    def _captures_of_steps(self, trace: Trace, iterations: Iterations) -> tuple[Path, ...]:
        """The captures that hold the computation of each motif: that of the iterations, or parts of it for a chain."""
        if not self.found.step_calls:
            return (trace.path,)
        paths = []
        for step, takes_gaps in enumerate(self.workload.take_gaps):
            path = trace.path.with_name(f"{trace.path.stem}-step-{step + 1}.trace")
            lines = lines_of_step(trace, iterations, self.found.step_calls, step=step, first_call_only=not takes_gaps)
            write_atomically(path, b"".join(lines))
            paths.append(path)
        return tuple(paths)

    def _plan(self) -> ValidationPlan:
        spec = self.spec
        return ValidationPlan(
            at=_now(), version=__version__, command=spec.program, on=spec.on, runs=spec.launches, seed=spec.seed,
            figures={}, workload=spec.workload, ranks=self.launches.ranks, computation=self.found.computation,
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
        JOURNAL.append(self.launches.folder / FILE, record)

    def _result(self, iterations: Iterations, *, operations: Sequence[OperationRow], complete: bool) -> Validation:
        spec, blocks = self.spec, tuple(self.blocks)
        ratio = ratio_of([block.ratio for block in blocks])
        verdict, is_certain = verdict_of(ratio, tolerance=spec.tolerance, differences=iterations.differences)
        times_notes = notes_of_times(iterations, blocks, program_s=self.found.program_s)
        return Validation(
            verdict=verdict, program=spec.program, workload=spec.workload or (REPLAY,), on=spec.on,
            ranks=self.launches.ranks, hosts=self.found.program.header.hosts,
            calls=sum(run.calls for run in iterations.runs), found=iterations.found, measured=iterations.times,
            ratio=ratio,
            mpi_ratio=ratio_of([one.workload.mpi_s / one.program.mpi_s for one in blocks if one.program.mpi_s > 0]),
            tolerance=spec.tolerance, is_certain=is_certain, computation=self.found.computation, complete=complete,
            differences=iterations.differences, operations=tuple(operations), blocks=blocks, any_tag=spec.any_tag,
            any_wait_place=iterations.any_wait_place, whole=spec.whole, cpu_time=self.launches.cpu_time,
            working_set_bytes=self.working_set, notes=(*self.found.notes, *self.notes, *times_notes),
        )  # fmt: skip


def _differences(program: Trace, replay: WorkloadRun) -> tuple[IterationDifference, ...]:
    """The first difference of each rank of a replay. Raises NotComparable if a sequence cannot be compared."""
    difference = diff(program, replay.trace, left_out=COMPLETIONS_OF_ANY)
    if difference.notes:
        raise NotComparable(f"the replay cannot be compared with the program: {difference.notes[0]}")
    return differences_in(difference)


def _operation_rows(program: Trace, workload: WorkloadRun, *, iterations: int) -> tuple[OperationRow, ...]:
    ours, theirs = operations_in(workload.trace, workload.iterations), operations_in(program, iterations)
    return tuple(
        OperationRow(op=op, program=theirs.get(op, _NONE), workload=ours.get(op, _NONE))
        for op in sorted({*ours, *theirs})
    )


def _now() -> datetime:
    return datetime.now(UTC)
