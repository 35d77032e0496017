"""What stands against replaying a capture, and the workload that replays it. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.ranges import spans
from stressbench.formats.trace import RankTrace, Trace, TraceMode
from stressbench.tracing.operations import SPAWNING

_NEEDED = frozenset({"calls", "lists", "sender"})  # a sequence without these would be another one


@dataclass(frozen=True, slots=True, kw_only=True)
class Suitability:
    """`refusals`: why it cannot be replayed, none when it can; `nodes`: hosts it ran on, None when not known."""

    refusals: tuple[str, ...]
    nodes: int | None


def suitability(trace: Trace) -> Suitability:
    """Look through all ranks."""
    reasons: dict[str, list[int]] = defaultdict(list)
    nodes: set[int | None] = set()
    for rank in trace.ranks():
        nodes.add(rank.node)
        for reason in dict.fromkeys(_reasons(trace, rank)):
            reasons[reason].append(rank.rank)
    refusals = [
        f"{'rank' if len(ranks) == 1 else 'ranks'} {spans(ranks[:100])}{', ...' if len(ranks) > 100 else ''}: {reason}"
        for reason, ranks in reasons.items()
    ]
    return Suitability(
        refusals=(*_of_the_file(trace), *refusals), nodes=None if None in nodes or not nodes else len(nodes)
    )


def _of_the_file(trace: Trace) -> Iterable[str]:
    if trace.cut_off:
        yield f"the file is cut off: {len(trace.places):,} of {trace.header.ranks:,} ranks are whole"
    elif missing := trace.missing:
        yield f"no line of rank {spans(missing[:100])}{', ...' if len(missing) > 100 else ''}"


def _reasons(trace: Trace, rank: RankTrace) -> Iterable[str]:
    if len(rank.threads_apart()) > 1 or (rank.threads or 1) > 1:
        yield "several threads called MPI; replay knows one order of calls a rank"
    elif rank.rules is None:
        lost = next((loss for loss in rank.lost or () if loss.what == "sequence"), None)
        if trace.header.mode is TraceMode.profile:
            yield "statistics only; `stressbench capture` keeps the sequence"
        else:
            yield "no sequence" + (f" ({lost.why})" if lost is not None and lost.why else "")
    for loss in rank.lost or ():
        if loss.what in _NEEDED:
            yield f"its calls are not all known ({loss.why or loss.what})"
    if rank.ended.value != "finalize":
        yield "it did not come to MPI_Finalize; its sequence has no end"
    operations = {total.op for total in rank.totals}
    if "Win_create_dynamic" in operations:
        yield "windows to which memory is attached later (Win_create_dynamic)"
    if found := sorted(operations & SPAWNING):
        yield f"processes that join later ({', '.join(found)})"
    if any(comm.inter for comm in rank.comms):
        yield "an intercommunicator"


def workload_text(trace: Trace, *, job: str, file: str, nodes: int | None) -> str:
    """The workload that replays the trace, which the engine opens as `file` (relative to where it is started)."""
    ranks = trace.header.ranks
    program = "".join(letter for letter in trace.header.program or "an MPI program" if letter.isprintable())
    hosts = count(nodes or 1, "host")
    return f"""\
# Replays what {program} sent on {count(ranks, "rank")} of {hosts}: the same calls, sizes, order, times between.
# Made by `stressbench record`; docs/how-to/record.md: how to run it beside other jobs. It needs {count(ranks, "rank")}:
#   stressbench run THIS.sb -n {ranks}
#   stressbench run THIS.sb -n {ranks} --ranks-per-node 1 --set nodes={ranks}     (one rank a node)

[SET] nodes={nodes or 1}

[JOB_NAME] {quoted(job)}
[NODES] ${{nodes}}
[MOTIF] replay -f {quoted(file)}
"""


def count(number: int, noun: str) -> str:
    """`1 rank`, `4 ranks`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def quoted(word: str) -> str:
    """A word of the workload language, in quotes where it needs them."""
    if word and not any(letter in ' \t"\\$#' for letter in word) and word.isprintable():
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{escaped}"'


def trace_beside(workload: Path) -> Path:
    """Where the trace of a workload stands."""
    return workload.with_suffix(".trace")
