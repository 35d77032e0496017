"""Whether a capture can be replayed, and the workload file that replays it. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.ranges import spans
from stressbench.formats.trace import RankTrace, Trace, TraceMode
from stressbench.formats.workload_text import job_head, quote
from stressbench.tracing.comments import in_comment
from stressbench.tracing.operations import DYNAMIC_PROCESS_CALLS

_DISQUALIFYING_LOSSES = frozenset({"calls", "lists", "sender"})  # losses of these make the sequence incomplete


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySuitability:
    """`refusals`: reasons against a replay, empty if it is possible; `nodes`: number of hosts, None if unknown."""

    refusals: tuple[str, ...]
    nodes: int | None


def replay_suitability(trace: Trace) -> ReplaySuitability:
    """Check all ranks of a capture for anything that prevents a replay."""
    reasons: dict[str, list[int]] = defaultdict(list)
    nodes: set[int | None] = set()
    for rank in trace.ranks():
        nodes.add(rank.node)
        for reason in dict.fromkeys(_rank_refusals(trace, rank)):
            reasons[reason].append(rank.rank)
    refusals = [
        f"{'rank' if len(ranks) == 1 else 'ranks'} {spans(ranks[:100])}{', ...' if len(ranks) > 100 else ''}: {reason}"
        for reason, ranks in reasons.items()
    ]
    return ReplaySuitability(
        refusals=(*_file_refusals(trace), *refusals), nodes=None if None in nodes or not nodes else len(nodes)
    )


def _file_refusals(trace: Trace) -> Iterable[str]:
    if trace.truncated:
        yield f"the file is cut off: {len(trace.positions):,} of {trace.header.ranks:,} ranks are whole"
    elif missing := trace.missing:
        yield f"no line of rank {spans(missing[:100])}{', ...' if len(missing) > 100 else ''}"


def _rank_refusals(trace: Trace, rank: RankTrace) -> Iterable[str]:
    if len(rank.streams_by_thread()) > 1 or (rank.threads or 1) > 1:
        yield "several threads called MPI; replay supports one sequence of calls per rank"
    elif rank.rules is None:
        lost_sequence = next((loss for loss in rank.lost or () if loss.what == "sequence"), None)
        if trace.header.mode is TraceMode.profile:
            yield "statistics only; `stressbench capture` keeps the sequence"
        else:
            yield "no sequence" + (f" ({lost_sequence.why})" if lost_sequence is not None and lost_sequence.why else "")
    for loss in rank.lost or ():
        if loss.what in _DISQUALIFYING_LOSSES:
            yield f"some of its calls are unknown ({loss.why or loss.what})"
    if rank.ended.value != "finalize":
        yield "it did not reach MPI_Finalize; its sequence is incomplete"
    operations = {total.op for total in rank.totals}
    if "Win_create_dynamic" in operations:
        yield "dynamic windows (Win_create_dynamic) are not supported"
    if dynamic_calls := sorted(operations & DYNAMIC_PROCESS_CALLS):
        yield f"dynamic processes ({', '.join(dynamic_calls)}) are not supported"
    if any(comm.inter for comm in rank.comms):
        yield "intercommunicators are not supported"


def workload_text(trace: Trace, *, job: str, file: str, nodes: int | None) -> str:
    """Text of the workload that replays the trace. The engine opens `file`, relative to its working directory."""
    ranks = trace.header.ranks
    program = in_comment(trace.header.program or "an MPI program")
    hosts = count(nodes or 1, "host")
    return f"""\
# Replays {program} on {count(ranks, "rank")} of {hosts}: the same MPI calls, sizes, order and times between calls.
# Written by `stressbench record`; docs/how-to/record.md: how to run it with other jobs. Needs {count(ranks, "rank")}:
#   stressbench run THIS.sb -n {ranks}
#   stressbench run THIS.sb -n {ranks} --ranks-per-node 1 --set nodes={ranks}     (one rank per node)

{job_head(job, nodes=nodes)}
[MOTIF] replay -f {quote(file)}
"""


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 rank`, `4 ranks`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def trace_path_for(workload: Path) -> Path:
    """Path of the trace file that belongs to a workload file."""
    return workload.with_suffix(".trace")
