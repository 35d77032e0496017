"""Which iterations of a program a validation measures: a search in captures of the program and of the workload."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.experiments.progress import Progress
from stressbench.experiments.validation.launches import TracedLaunches, WorkloadRun
from stressbench.experiments.validation.notes import ANY_WAIT_PLACE
from stressbench.experiments.validation.repetitions import choose_computation
from stressbench.experiments.validation.spec import ValidationSpec
from stressbench.experiments.validation.workload import ComparedWorkload, Computation, write_workload
from stressbench.formats.trace import Trace, TraceMode
from stressbench.levels import Level
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.iterations import Iterations, iterations_of, loop_of, whole_run

_COMPARED_ITERATIONS = 2


@dataclass(frozen=True, kw_only=True)
class FoundIterations:
    """The iterations to measure, of which `program` is a capture.

    If the program never makes the calls of the workload, `iterations` has differences. `computation`: that of the
    workload's launches. `step_calls`: by rank, the calls of each step of a chain in an iteration; empty for a workload
    of one motif. `program_s`: from MPI_Init to MPI_Finalize where the program's own loop is measured, otherwise None.
    `notes`: what was not as expected, as sentences.
    """

    program: Trace
    iterations: Iterations
    computation: Computation
    step_calls: tuple[tuple[int, ...], ...] = ()
    program_s: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def nodes(self) -> int:
        """Hosts of the program."""
        return _hosts_of(self.program)

    @property
    def are_uneven(self) -> bool:
        """Whether ranks make different numbers of these iterations."""
        return self.iterations.most_found not in (None, self.iterations.found)


@dataclass(frozen=True, kw_only=True)
class IterationSearch:
    """Finds the iterations with captures. `computation`: the one asked for, None: any."""

    spec: ValidationSpec
    workload: ComparedWorkload
    computation: Computation | None
    launches: TracedLaunches
    progress: Progress

    def run(self) -> FoundIterations:
        """Capture the program, and the workload unless it is a replay. Raises NotComparable, and as launches do."""
        self.progress(f"capturing all calls of {self._program_name}", level=Level.progress)
        program = self.launches.capture_program(self.spec.program, begins_paused=self.spec.begins_paused)
        if self.workload.is_replay:
            return self._of_replay(program)
        captured = self._captured_workload(_hosts_of(program))
        iterations = iterations_of(
            program, captured.trace, repetitions=captured.iterations, boundaries=self.spec.boundaries,
            any_tag=self.spec.any_tag,
        )  # fmt: skip
        if iterations.differences:
            return FoundIterations(program=program, iterations=iterations, computation=Computation.sequence)
        found = self._limited(program, iterations)
        if self.workload.replaces_computation(found.computation):
            found = self._with_step_calls(found)
        self.progress(
            f"{self._program_name} makes these calls {iterations.found:,} times in a row; {found.iterations.times:,} "
            "are measured"
        )
        return found

    @property
    def _program_name(self) -> str:
        return Path(self.spec.program[0]).name

    def _of_replay(self, program: Trace) -> FoundIterations:
        """The whole run, or the loop with the most calls."""
        if self.spec.whole:
            found = self._limited(program, whole_run(program))
            self.progress(f"the whole run of {self._program_name} is measured")
            return found
        found = self._limited(program, loop_of(program))
        self.progress(
            f"the loop of {self._program_name} runs {found.iterations.found:,} times; {found.iterations.times:,} are "
            "measured"
        )
        return replace(found, program_s=max(rank.wall_s for rank in program.ranks()))

    def _captured_workload(self, nodes: int) -> WorkloadRun:
        """Iterations of the workload. Raises NotComparable for a file whose job leaves out ranks of the program."""
        self.progress(f"capturing {_COMPARED_ITERATIONS} iterations of {self.workload.name}", level=Level.progress)
        captured = self._capture(self.workload.text(nodes=nodes), repetitions=_COMPARED_ITERATIONS, name="workload")
        if captured.job_ranks != self.launches.ranks:
            raise NotComparable(
                f"{self.workload.name}: its job has {captured.job_ranks} of the {self.launches.ranks} ranks; [NODES] "
                f"{nodes} without [RANKS_PER_NODE] takes all of them"
            )
        return captured

    def _capture(self, text: str, *, repetitions: int, name: str) -> WorkloadRun:
        captured, _ = self.launches.run_workload(
            write_workload(self.launches.folder, text), repetitions=repetitions, warmup=0, seed=self.spec.seed,
            name=name, mode=TraceMode.capture,
        )  # fmt: skip
        return captured

    def _limited(self, program: Trace, iterations: Iterations) -> FoundIterations:
        """The iterations to measure, and the computation that is possible with them."""
        computation, limited = choose_computation(iterations, self.computation, most=self.spec.most_iterations)
        if self.computation is None and computation is Computation.measured:
            self.progress("an iteration has too many calls to keep the time before each: times are drawn instead")
        found = FoundIterations(program=program, iterations=limited, computation=computation)
        notes: list[str] = []
        if found.are_uneven:
            notes.append(
                f"some ranks make these calls {iterations.found:,} times in a row, others up to "
                f"{iterations.most_found:,} times: iterations of different ranks may not correspond"
            )
            self.progress(notes[0], level=Level.warning)
        if iterations.any_wait_place:
            notes.append(ANY_WAIT_PLACE)
        return replace(found, notes=tuple(notes))

    def _with_step_calls(self, found: FoundIterations) -> FoundIterations:
        """Raises NotComparable unless each motif can take the computation between its calls from a capture."""
        runs = found.iterations.runs
        if len(self.workload.motifs) == 1:
            self.workload.require_gaps([max(run.calls for run in runs)])
            return found
        step_calls = self._calls_of_steps(found.nodes, [run.calls for run in runs])
        self.workload.require_gaps([max(step) for step in zip(*step_calls, strict=True)])
        return replace(found, step_calls=step_calls)

    def _calls_of_steps(self, nodes: int, calls: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """By rank, the calls of each step of the chain in an iteration of `calls`, from captures of each motif."""
        columns = []
        for number, text in enumerate(self.workload.steps(nodes=nodes), start=1):
            self.progress(f"capturing step {number} of the chain", level=Level.progress)
            captured = self._capture(text, repetitions=1, name=f"step-{number}")
            columns.append([rank.sequence_calls or 0 for rank in captured.trace.ranks()])
        step_calls = tuple(zip(*columns, strict=True))
        if any(sum(row) != whole for row, whole in zip(step_calls, calls, strict=True)):
            raise NotComparable(
                f"the motifs of {self.workload.name} make other calls alone than in their chain, so that its "
                "computation cannot be replaced; use --computation own"
            )
        return step_calls


def _hosts_of(program: Trace) -> int:
    """The number of hosts of a captured program, 1 if it is unknown."""
    return program.header.hosts or 1
