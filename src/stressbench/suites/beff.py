"""Evaluation of b_eff from the protocol of its timed loops (Rabenseifner and Koniges, section 4).

The result is computed from the timed loops alone, independently of the value that the engine reports.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from stressbench.formats.protocols.beff import Kind, Loop, Pattern, Protocol

FULL_SIZES = 21
FULL_RINGS = 6
FULL_POLYGONS = 30
FULL_ATTEMPTS = 3


@dataclass(frozen=True, kw_only=True)
class PatternResult:
    """Aggregate bandwidths (bytes/s over all ranks) of one communication pattern.

    `best`: maximum over methods and attempts, by message size; `methods`: maximum over attempts, by method and size.
    """

    kind: Kind
    name: str
    best: Mapping[int, float]
    methods: Mapping[str, Mapping[int, float]]

    @property
    def mean(self) -> float:
        """Arithmetic mean over the message sizes (bytes/s)."""
        return math.fsum(self.best.values()) / len(self.best)


@dataclass(frozen=True, kw_only=True)
class BEff:
    """The result of b_eff with the columns of Table 1 of the paper (bytes/s) and the patterns they are computed from.

    `rings`, `polygons`, `rings_at_lmax` and `pingpong` are None if they were not measured. `claimed` is the engine's
    own value. `reduced` lists deviations from the definition; it is empty for a complete benchmark.
    """

    ranks: int
    lmax_bytes: int
    memory_bytes: int | None
    seed: int
    random: str
    b_eff: float
    rings: float | None
    polygons: float | None
    at_lmax: float
    rings_at_lmax: float | None
    pingpong: float | None
    patterns: tuple[PatternResult, ...]
    timed_s: float
    elapsed_s: float | None
    claimed: float | None
    reduced: tuple[str, ...]

    @property
    def per_rank(self) -> float:
        """b_eff divided by the number of ranks (bytes/s)."""
        return self.b_eff / self.ranks


@dataclass(frozen=True, kw_only=True)
class BalancedBEff(BEff):
    """b_eff in bytes/s with its components, and its relation to Linpack's Rmax, null if that is unknown."""

    rmax_flops_per_s: float | None
    balance_bytes_per_flop: float | None


def balanced(result: BEff, *, rmax_flops_per_s: float | None) -> BalancedBEff:
    """The result with the balance factor, b_eff over Rmax."""
    return BalancedBEff(
        **{field.name: getattr(result, field.name) for field in fields(result)},
        rmax_flops_per_s=rmax_flops_per_s,
        balance_bytes_per_flop=None if rmax_flops_per_s is None else result.b_eff / rmax_flops_per_s,
    )


def b_eff_of(protocol: Protocol) -> BEff | None:
    """Evaluate b_eff (Rabenseifner and Koniges, section 4); None unless every pattern was measured at every size.

    b_eff is the logarithmic mean of two logarithmic means: over the ring patterns and over the random patterns. Each
    pattern counts with its arithmetic mean over the message sizes of the maximum over methods and attempts.
    """
    head = protocol.head
    loops_by_pattern: dict[int, list[Loop]] = {}
    for loop in protocol.loops:
        loops_by_pattern.setdefault(loop.pattern, []).append(loop)
    patterns = tuple(_pattern(pattern, loops_by_pattern.get(index, [])) for index, pattern in enumerate(head.patterns))
    averaged = [one for one in patterns if one.kind is not Kind.extra]
    if not averaged or any(len(one.best) < len(head.sizes) for one in patterns):
        return None
    longest = head.sizes[-1]
    rings = [one for one in averaged if one.kind is Kind.ring]
    polygons = [one for one in averaged if one.kind is Kind.random]
    pingpong = next((one.best[longest] for one in patterns if "pingpong" in one.methods), None)
    return BEff(
        ranks=head.ranks,
        lmax_bytes=head.lmax_bytes,
        memory_bytes=head.memory_bytes,
        seed=head.seed,
        random=head.random,
        b_eff=_kinds_mean([one.mean for one in rings], [one.mean for one in polygons]),
        rings=_logarithmic_mean(one.mean for one in rings) if rings else None,
        polygons=_logarithmic_mean(one.mean for one in polygons) if polygons else None,
        at_lmax=_kinds_mean([one.best[longest] for one in rings], [one.best[longest] for one in polygons]),
        rings_at_lmax=_logarithmic_mean(one.best[longest] for one in rings) if rings else None,
        pingpong=pingpong,
        patterns=patterns,
        timed_s=math.fsum(loop.time_s for loop in protocol.loops),
        elapsed_s=None if protocol.end is None else protocol.end.elapsed_s,
        claimed=None if protocol.end is None else protocol.end.b_eff_bytes_per_s,
        reduced=tuple(_reductions(protocol, rings=len(rings), polygons=len(polygons))),
    )


def _pattern(pattern: Pattern, loops: Iterable[Loop]) -> PatternResult:
    methods: dict[str, dict[int, float]] = {}
    for loop in loops:
        bandwidth = loop.size_bytes * pattern.messages * loop.loops / loop.time_s
        by_size = methods.setdefault(loop.method, {})
        by_size[loop.size_bytes] = max(bandwidth, by_size.get(loop.size_bytes, 0.0))
    best: dict[int, float] = {}
    for by_size in methods.values():
        for size, bandwidth in by_size.items():
            best[size] = max(bandwidth, best.get(size, 0.0))
    return PatternResult(kind=pattern.kind, name=pattern.name, best=best, methods=methods)


def _reductions(protocol: Protocol, *, rings: int, polygons: int) -> Iterable[str]:
    head = protocol.head
    for what, number, full in (
        ("message size", len(head.sizes), FULL_SIZES),
        ("ring pattern", rings, FULL_RINGS),
        ("random pattern", polygons, FULL_POLYGONS),
        ("attempt", head.attempts, FULL_ATTEMPTS),
    ):
        if number < full:
            yield f"{number} {what}{'' if number == 1 else 's'} instead of {full}"


def _logarithmic_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(math.fsum(logarithms) / len(logarithms))


def _kinds_mean(rings: Sequence[float], polygons: Sequence[float]) -> float:
    """Logarithmic mean of the logarithmic means of both kinds of patterns, or that of the only kind measured."""
    return _logarithmic_mean(_logarithmic_mean(kind) for kind in (rings, polygons) if kind)
