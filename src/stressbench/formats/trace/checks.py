"""Consistency checks of the line of a rank, which detect a faulty tracer before its data are used. Pure."""

from collections.abc import Sequence

from stressbench.formats.bounds import LARGEST_INT64
from stressbench.formats.trace.records import Call, RankTrace, Rule, Stream

MAX_SLICES = 1_000_000


def faults_of(rank: RankTrace) -> str | None:
    """The first inconsistency, as `key value: what was expected`; None if there is none."""
    for number, site in enumerate(rank.sites):
        if not -1 <= site.module < len(rank.modules):
            return f"sites.{number}: module {site.module}: expected a number below {len(rank.modules)}, or -1"
    if rank.timeline is not None:
        line = rank.timeline
        if len({len(line.p2p), len(line.coll), len(line.wait), len(line.io), len(line.other)}) != 1:
            return "timeline: expected lists of one length"
        if rank.wall_s > MAX_SLICES * line.width_s:
            return f"timeline.width_s {line.width_s:g}: expected at most {MAX_SLICES:,} slices in {rank.wall_s:g} s"
    for stream in (rank, *(rank.streams or ())):
        for number, call in enumerate(stream.calls):
            if fault := _call_fault(rank, call):
                return f"calls.{number}.{fault}"
        if fault := _stream_fault(stream):
            return fault
    return None


def _call_fault(rank: RankTrace, call: Call) -> str | None:
    for key, value, count in (
        ("site", call.site, len(rank.sites)),
        ("comm", call.comm, len(rank.comms)),
        ("made", call.made, len(rank.comms)),
    ):
        if value is not None and value >= count:
            return f"{key} {value}: expected a number below {count}"
    return None


def _stream_fault(stream: Stream) -> str | None:
    calls = len(stream.calls)
    for number, call in enumerate(stream.calls):
        if fault := _inits_fault(call, stream.calls):
            return f"calls.{number}.inits: {fault}"
    for number, gap in enumerate(stream.gaps or ()):
        if not (-1 <= gap.before < calls and 0 <= gap.after < calls):
            return f"gaps.{number}: calls {gap.before} and {gap.after}: expected numbers below {calls}"
    times = len(stream.gap_times_ns or ())
    if times > (stream.sequence_calls or 0):
        return f"gap_times_ns: {times:,} times: expected at most {stream.sequence_calls or 0:,}, one for each call"
    return None if stream.rules is None else rules_fault(stream.rules, calls=calls)


def _inits_fault(call: Call, calls: Sequence[Call]) -> str | None:
    if call.inits is None:
        return None
    requests = len(call.requests or ())
    if len(call.inits) != requests:
        return f"{len(call.inits)} numbers: expected {requests}, one for each of `requests`"
    for number in call.inits:
        if not (number == -1 or (0 <= number < len(calls) and calls[number].op.endswith("_init"))):
            return f"call {number}: expected the number of a call that creates a persistent request, or -1"
    return None


def rules_fault(rules: Sequence[Rule], *, calls: int) -> str | None:
    """The first symbol without a call or rule, or a rule that contains itself or 2^63 calls; None if there is none."""
    if not rules:
        return "rules: expected rule 0, the whole sequence"
    for number, rule in enumerate(rules):
        for symbol, _ in rule:
            if symbol >= calls or -symbol >= len(rules):
                kind, count = ("call", calls) if symbol >= 0 else ("rule", len(rules))
                return f"rules.{number}: {kind} {abs(symbol)}: expected a number below {count}"
    return _cycle_or_length(rules)


def _cycle_or_length(rules: Sequence[Rule]) -> str | None:
    done, on_path, lengths = [False] * len(rules), [False] * len(rules), [0] * len(rules)
    for start in range(len(rules)):
        path = [] if done[start] else [(start, iter(rules[start]))]
        on_path[start] = bool(path)
        while path:
            number, symbols = path[-1]
            inner = next((-symbol for symbol, _ in symbols if symbol < 0 and not done[-symbol]), None)
            if inner is None:
                done[number], on_path[number] = True, False
                path.pop()
                lengths[number] = sum(
                    times * (1 if symbol >= 0 else lengths[-symbol]) for symbol, times in rules[number]
                )
                if lengths[number] > LARGEST_INT64:
                    return f"rules.{number}: stands for 2^63 calls or more; expected less"
            elif on_path[inner]:
                return f"rules.{number}: rule {inner} holds itself"
            else:
                on_path[inner] = True
                path.append((inner, iter(rules[inner])))
    return None
