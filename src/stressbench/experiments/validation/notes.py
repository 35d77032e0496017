"""What a validation notes about the iterations that it measured, as sentences."""

from collections.abc import Iterator, Sequence
from statistics import median

from stressbench.formats.trace import Trace
from stressbench.report.units import plain_time
from stressbench.results.validation import Block
from stressbench.tracing.iterations import Iterations
from stressbench.tracing.operations import COMPLETIONS_OF_ANY

SHORTEST_S = 0.05
"""The ranks of a core may keep one order for so long."""
_LEAST_SHARE = 0.1
"""A loop with a smaller share of the program's time is hardly the one that the user thinks of."""
ANY_WAIT_PLACE = (
    "some ranks test for messages (MPI_Test, MPI_Testall), so that the order of their calls depends on when these "
    "arrive: the place of waits among other calls is not compared"
)
_COMPLETIONS_OF_ANY = (
    "some ranks wait or test for any of several messages ({}), whose order depends on when these arrive: these calls "
    "of the replay are not compared"
)


def notes_of_calls(program: Trace) -> Iterator[str]:
    """A note if the order of some calls of the program was not compared with that of its replay."""
    used = {total.op for rank in program.ranks() for total in rank.totals if total.calls > 0} & COMPLETIONS_OF_ANY
    if used:
        yield _COMPLETIONS_OF_ANY.format(", ".join(f"MPI_{name}" for name in sorted(used)))


def notes_of_times(iterations: Iterations, blocks: Sequence[Block], *, program_s: float | None) -> Iterator[str]:
    """Notes if the measured iterations take hardly any of the program's time, or are over too soon.

    `program_s`: from MPI_Init to MPI_Finalize, where the program's own loop was measured; otherwise None.
    """
    if not blocks:
        return
    iteration_s = median(block.program.time_s for block in blocks)
    if program_s:
        share = iterations.found * iteration_s / program_s
        if share < _LEAST_SHARE:
            yield (
                f"this loop, the one with the most calls, takes {100 * share:.2g} % of the program's time between "
                "MPI_Init and MPI_Finalize; --whole measures all of it"
            )
    measured_s = iterations.times * iteration_s
    if measured_s < SHORTEST_S:
        yield (
            f"the measured iterations of the program take {plain_time(measured_s)} of a launch: an input with more or "
            "longer ones gives a more certain ratio"
        )
