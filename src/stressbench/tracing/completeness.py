"""Description of what a capture contains and what it lost. Pure."""

from collections import defaultdict
from collections.abc import Iterable

from stressbench.formats.ranges import spans
from stressbench.formats.trace import Trace


def completeness_sentences(trace: Trace) -> Iterable[str]:
    """One sentence with the file's numbers of ranks and calls, then one for each kind of loss with its ranks."""
    calls, distinct = 0, 0
    ranks_by_loss: dict[str, list[int]] = defaultdict(list)
    for rank in trace.ranks():
        for stream in rank.streams_by_thread():
            calls += stream.sequence_calls or 0
            distinct += len(stream.calls)
            for loss in stream.lost or ():
                after = "" if loss.after_calls is None else f" after {loss.after_calls:,} calls"
                reason = f" ({loss.why})" if loss.why else ""
                ranks_by_loss[f"{_LOSSES.get(loss.what, loss.what + ' were lost')}{after}{reason}"].append(rank.rank)
    ranks_in_file = len(trace.positions)
    of_all = (
        f"{ranks_in_file:,} ranks"
        if ranks_in_file == trace.header.ranks
        else f"{ranks_in_file:,} of {trace.header.ranks:,} ranks"
    )
    yield f"{trace.path}: {of_all}, {calls:,} calls in order, {distinct:,} of them distinct"
    for what, ranks in ranks_by_loss.items():
        yield f"{'rank' if len(ranks) == 1 else 'ranks'} {spans(ranks)}: {what}"


_LOSSES = {
    "sequence": "the order of calls did not repeat; only statistics were recorded",
    "calls": "too many distinct calls; only totals were recorded",
    "gaps": "too many distinct times between calls",
    "lists": "some calls have more requests or counts than the tracer records",
    "sender": "the sender of some receives from MPI_ANY_SOURCE is unknown",
    "threads": "too many threads called MPI",
}
