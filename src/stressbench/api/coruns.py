"""`stressbench.corun`, `corun_resume` and `corun_report`: programs that run at the same time, from Python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.choices import choice
from stressbench.api.frames import Library, columns_of_records, data_frame
from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.experiments.corun.matrix import matrix_spec
from stressbench.experiments.corun.programs import SEPARATOR, calls_of_iterations, programs_of
from stressbench.experiments.corun.results import corun_results
from stressbench.experiments.corun.resuming import resume_corun
from stressbench.experiments.corun.running import BLOCKS, EXECUTIONS, MIN_OVERLAP, ROUNDS, CorunSpec
from stressbench.experiments.sweep.launches import figures_of
from stressbench.formats.files import recorded_reads
from stressbench.formats.launches.coruns import NodeUse
from stressbench.launch.option_values import optional_seconds
from stressbench.report import coruns as documents
from stressbench.report.document import Document
from stressbench.results.coruns import Corun, CorunExecution

if TYPE_CHECKING:
    from stressbench.api.frames import DataFrame
    from stressbench.api.labs import Lab

Words = Sequence[str | PathLike[str]]


class CorunResults(Reported[Corun]):
    """How much programs slow each other; `data.slowdowns` has one entry for each program beside others.

    Times are in seconds; unknown values are None.
    """

    _without = ()

    def __repr__(self) -> str:
        return f"<CorunResults of {' and '.join(self.data.programs)}: {len(self.data.slowdowns)} slowdowns>"

    def executions(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each execution: block, program, beside, began_s and ended_s since its period began, value_s.

        Further columns: time_s (MPI_Init to MPI_Finalize), mpi_s, overlap, whether it counts, and iterations.
        """
        return data_frame(columns_of_records(self.data.executions, CorunExecution), library=library)

    def _brief(self) -> Document:
        return documents.brief(self.data)

    def _page(self) -> Document:
        return documents.page(self.data)


def corun(
    programs: Sequence[Words], *, pairs: bool = False, beside: Sequence[str] = (), with_copies: bool = False,
    triples: Sequence[Sequence[str]] = (), ranks: int | Sequence[int] | None = None, on: "str | Lab" = "local",
    nodes: str | None = None, blocks: int = BLOCKS, executions: int = EXECUTIONS, min_overlap: float = MIN_OVERLAP,
    figures: Sequence[str] = (), lower: Sequence[str] = (), iteration_call: Sequence[str] = (),
    names: Sequence[str] = (), rounds: int = ROUNDS,
    time_limit: str | None = None, seed: int = 1, machine: str | None = None,
    output: str | PathLike[str] | None = None, engine: str | PathLike[str] | None = None,
    progress: Report | None = None,
) -> CorunResults:  # fmt: skip
    """Run programs at the same time, and measure how much each is slowed by the others.

        results = stressbench.corun([["./cg", "300"], ["./ft", "64"]], ranks=4, on="lab:tiny")
        [(one.program, one.slowdown.value) for one in results.data.slowdowns]

    Each of `programs` is an MPI program with its arguments, without its mpirun, or `["W.sb"]` for a workload. With
    `pairs`, each pair of them runs together instead of all, with `with_copies` two copies of each, and with `triples`
    groups of three names or more; `beside`: only pairs and copies with one of these names. `ranks`: of each program, or
    one number for each. `on`: a launch target such as "lab:tiny", or a `Lab`. `nodes`: "disjoint", "interleaved" or
    "shared" hosts. In each of `blocks`, every program runs isolated, and all run together, until each was executed
    `executions` times while each of the others ran for `min_overlap` of its time. `figures` and `lower` are expressions
    `NAME=REGEX` of figures of merit. `iteration_call`: `CALL`, or `NAME=CALL`, that an iteration makes once; its time
    is compared, too. `rounds`: contended rounds of workloads. `time_limit` of an execution, such as "10min". `machine`:
    its name in observations. `output`: a new directory for all executions, observations and a report.

    After Ctrl-C, the results so far are returned, which are not `data.complete`. Must be called in the main thread.
    Raises `stressbench.StressBenchError` if something is wrong, or a program failed.
    """
    commands = [tuple(map(str, words)) for words in programs]
    higher = figures_of(figures)
    lower_figures = figures_of(lower, option="lower", beside=higher)
    listed = programs_of(commands, names=names, ranks=_ranks(ranks))
    spec = CorunSpec(
        words=tuple(word for command in commands for word in (SEPARATOR, *command))[1:],
        programs=listed, iterations=calls_of_iterations(iteration_call, listed), on=str(on),
        nodes=None if nodes is None else choice(NodeUse, nodes, parameter="nodes"), blocks=blocks,
        executions=executions, min_overlap=min_overlap, figures={**higher, **lower_figures},
        lower=tuple(lower_figures), rounds=rounds,
        limit_s=optional_seconds(time_limit, option="time_limit"), seed=seed, machine=machine,
        engine=None if engine is None else Path(engine), output=None if output is None else Path(output),
    )  # fmt: skip
    if pairs or beside or with_copies or triples:
        groups = [",".join(group) for group in triples]
        spec = matrix_spec(spec, pairs=pairs, beside=beside, with_copies=with_copies, triples=groups)
    return CorunResults(spec.run(progress=reporting_to(progress)))


def corun_resume(
    directory: str | PathLike[str], *, time_limit: str | None = None, engine: str | PathLike[str] | None = None,
    progress: Report | None = None,
) -> CorunResults:  # fmt: skip
    """Measure what is missing in the directory of an interrupted `stressbench.corun` with `output`.

    Its options are those of the directory, except that `time_limit` of an execution can be another one. Call it in the
    same current directory, with the same hosts and cores; ends and raises as `stressbench.corun`.
    """
    result = resume_corun(
        Path(directory), limit_s=optional_seconds(time_limit, option="time_limit"),
        engine=None if engine is None else Path(engine), progress=reporting_to(progress),
    )  # fmt: skip
    return CorunResults(result)


def corun_report(directory: str | PathLike[str]) -> CorunResults:
    """Read the results of `stressbench.corun` with `output`. Raises `stressbench.StressBenchError`."""
    with recorded_reads() as sources:
        results = corun_results(Path(directory))
    return CorunResults(results, sources=sources)


def _ranks(ranks: int | Sequence[int] | None) -> tuple[int, ...]:
    if ranks is None:
        return ()
    return (ranks,) if isinstance(ranks, int) else tuple(ranks)
