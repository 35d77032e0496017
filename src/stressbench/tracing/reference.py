"""Conversion of a capture to a reference profile of the whole run or of one pass of its main loop. Pure.

A reference profile (schema proxy-profile/1) describes the MPI calls of a program as JSON.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stressbench.formats.trace import Call, Gap, RankTrace, Trace, TraceFileError
from stressbench.tracing.gaps import deviation_s, mean_s, median_s
from stressbench.tracing.grammar import (
    MAX_EXPANDED_CALLS,
    Loop,
    Rules,
    expand_bounded,
    outermost_loops,
    rule_lengths,
    single_pass,
)
from stressbench.tracing.operations import TEST_CALLS
from stressbench.tracing.profile import Profile, profile_of
from stressbench.tracing.tokens import CallTokenizer, TokenStyle
from stressbench.tracing.traffic import PeerTotals, Row, TrafficAccumulator

SCHEMA = "proxy-profile/1"
MAX_TOKENS = 100_000
_MAX_SEQUENCE_CHARACTERS = 1 << 28  # of all sequences
_COUNT_TOLERANCE = 0.1  # loops of two ranks correspond up to this difference in passes: compression may peel some off
_COLUMNS = (
    "call", "gap_before_wall_us_mean", "gap_before_wall_us_std", "gap_before_wall_us_median", "call_wall_us_mean",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentages:
    """Percentages of the wall time of all ranks."""

    mpi: float | None
    p2p: float | None
    coll: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiP:
    """mpiP's columns for the whole run."""

    wall_pct: Percentages
    avg_p2p_send_bytes: float
    avg_coll_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Single calls with gaps and durations: rows of `columns` by rank."""

    columns: tuple[str, ...]
    ranks: Mapping[str, list[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceProfile:
    """A reference profile; keys that are None are omitted. Counts of an iteration are those of one pass of the loop."""

    schema: str
    app: str | None
    iteration_unit: str
    ranks: int
    p2p_matrix: list[Row]
    p2p_size_histogram: list[Row]
    p2p_messages: list[Row]
    p2p_totals: PeerTotals
    collectives: list[Row]
    mpi_calls_all_ranks: Mapping[str, int]
    mpip: MpiP
    pipeline: Pipeline | None
    sequence_all_ranks: Mapping[str, str] | None


def reference_profile(trace: Trace, *, iteration: bool) -> ReferenceProfile:
    """Reference profile of the whole run, or of one pass of rank 0's most repeated outermost loop (`iteration`).

    Raises TraceFileError if a rank has no sequence, several threads, or no matching loop.
    """
    trace.require_complete()
    loop = main_loop(trace) if iteration else None
    traffic = TrafficAccumulator(trace.header.ranks)
    for rank in trace.ranks():
        traffic.add(rank, rules_of_pass(trace, rank, loop))
    profile = profile_of(trace)
    keeps_sequences = (
        traffic.longest <= MAX_TOKENS
        and traffic.calls <= MAX_EXPANDED_CALLS
        and traffic.characters <= _MAX_SEQUENCE_CHARACTERS
    )
    return ReferenceProfile(
        schema=SCHEMA, app=trace.header.program, iteration_unit=_iteration_unit(loop), ranks=trace.header.ranks,
        p2p_matrix=traffic.matrix(), p2p_size_histogram=traffic.sizes(), p2p_messages=traffic.messages(),
        p2p_totals=traffic.totals(), collectives=traffic.collective_rows(), mpi_calls_all_ranks=traffic.operations(),
        mpip=_mpip(profile), pipeline=_pipeline(trace, loop, busiest=traffic.busiest()),
        sequence_all_ranks=_sequences(trace, loop) if keeps_sequences else None,
    )  # fmt: skip


def _iteration_unit(loop: Loop | None) -> str:
    if loop is None:
        return "the whole run"
    return f"one pass of rank 0's most repeated outermost loop ({loop.times} passes of {loop.calls} calls)"


def sequence_rules(trace: Trace, rank: RankTrace) -> Rules:
    """Rules of the sequence of a rank. Raises TraceFileError if it has none, or one for each of several threads."""
    if len(rank.streams_by_thread()) > 1:
        raise TraceFileError(f"rank {rank.rank}: {len(rank.streams_by_thread())} threads called MPI", path=trace.path)
    if rank.rules is None:
        reason = (
            "it is a profile; `stressbench capture` keeps the sequence" if trace.header.mode == "profile" else "lost"
        )
        raise TraceFileError(f"rank {rank.rank} has no sequence: {reason}", path=trace.path)
    return rank.rules


def main_loop(trace: Trace) -> Loop:
    """Rank 0's most repeated outermost loop. Raises TraceFileError without one."""
    loops = outermost_loops(sequence_rules(trace, trace.rank(0)))
    if not loops:
        raise TraceFileError("rank 0 has no loop, so there is no iteration", path=trace.path)
    return max(loops, key=lambda loop: (loop.times, loop.calls))


def rules_of_pass(trace: Trace, rank: RankTrace, loop: Loop | None) -> Rules:
    """Rules of the whole run, or of one pass of this rank's loop with about as many passes as `loop`."""
    rules = sequence_rules(trace, rank)
    if loop is None:
        return rules
    candidates = [
        candidate
        for candidate in outermost_loops(rules)
        if abs(candidate.times - loop.times) <= _COUNT_TOLERANCE * loop.times
    ]
    if not candidates:
        raise TraceFileError(
            f"rank {rank.rank} has no outermost loop of about {loop.times} passes, as rank 0 has", path=trace.path
        )
    rank_loop = min(candidates, key=lambda candidate: (abs(candidate.times - loop.times), -candidate.calls))
    return single_pass(rules, rank_loop.symbol)


def _mpip(profile: Profile) -> MpiP:
    columns = profile.columns
    return MpiP(
        wall_pct=Percentages(
            mpi=_round(columns.mpi_percent), p2p=_round(columns.p2p_percent), coll=_round(columns.coll_percent)
        ),
        avg_p2p_send_bytes=round(columns.mean_send_bytes or 0.0, 1),
        avg_coll_bytes=round(columns.mean_coll_bytes or 0.0, 1),
    )


def _round(percent: float | None) -> float | None:
    return None if percent is None else round(percent, 2)


def _tokens(rank: RankTrace, rules: Rules) -> Iterator[str]:
    """Tokens without test and probe calls, as in the reference profiles."""
    tokenizer = CallTokenizer(rank, rank.streams_by_thread()[0], TokenStyle.exact)
    tokenizer.assign_slots()
    return tokenizer.tokens(number for number in expand_bounded(rules) if rank.calls[number].op not in TEST_CALLS)


def _sequences(trace: Trace, loop: Loop | None) -> Mapping[str, str]:
    return {str(rank.rank): " ".join(_tokens(rank, rules_of_pass(trace, rank, loop))) for rank in trace.ranks()}


def _pipeline(trace: Trace, loop: Loop | None, *, busiest: int) -> Pipeline | None:
    ranks: dict[str, list[Row]] = {}
    for number in dict.fromkeys((0, busiest)):
        rank = trace.rank(number)
        rules = rules_of_pass(trace, rank, loop)
        if rule_lengths(rules)[0] > MAX_TOKENS or _characters(rank, rules) > _MAX_SEQUENCE_CHARACTERS:
            return None
        ranks[str(number)] = list(_rows(rank, rules, wraps=loop is not None))
    return Pipeline(columns=_COLUMNS, ranks=ranks)


def _characters(rank: RankTrace, rules: Rules) -> int:
    traffic = TrafficAccumulator(1)
    traffic.add(rank, rules)
    return traffic.characters


def _rows(rank: RankTrace, rules: Rules, *, wraps: bool) -> Iterable[Row]:
    """One row per call. With `wraps`, the first gap is the one that follows the last call of the iteration."""
    numbers = list(expand_bounded(rules))
    gaps = {(gap.before, gap.after): gap for gap in rank.gaps or ()}
    preceding = [numbers[-1] if wraps and numbers else -1, *numbers]
    tokenizer = CallTokenizer(rank, rank.streams_by_thread()[0], TokenStyle.exact)
    tokenizer.assign_slots()
    for before, number in zip(preceding, numbers, strict=False):
        yield [tokenizer.token(number), *_gap_cells(gaps.get((before, number))), _mean_us(rank.calls[number])]


def _gap_cells(gap: Gap | None) -> Sequence[float | None]:
    if gap is None:
        return (None, None, None)
    middle = median_s(gap)
    return (_us(mean_s(gap)), _us(deviation_s(gap)), None if middle is None else _us(middle))


def _mean_us(call: Call) -> float | None:
    return _us(call.time_s / call.n) if call.n else None


def _us(seconds: float) -> float:
    return round(1e6 * seconds, 1)
