"""Fingerprints of call sequences, computed from their grammars without expanding them. Pure.

The fingerprint is a polynomial over the field of 2^61 - 1 elements, evaluated at a random point (Karp and Rabin 1987).
Fingerprints of parts combine to that of the whole in O(1), a part repeated n times in O(log n). Two different sequences
of 10^7 calls have the same fingerprint with a probability below 10^-11.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.tracing.grammar import Rules, children_first

_FIELD = (1 << 61) - 1
_POINT = secrets.randbelow(_FIELD >> 1) + (1 << 32)


@dataclass(frozen=True, slots=True)
class _Part:
    """Fingerprint of a part of a sequence: number of calls, polynomial value, and the point to the power of `calls`."""

    calls: int
    value: int
    power: int

    def concatenate(self, other: "_Part") -> "_Part":
        return _Part(
            self.calls + other.calls,
            (self.value * other.power + other.value) % _FIELD,
            self.power * other.power % _FIELD,
        )

    def repeat(self, times: int) -> "_Part":
        result, square = _EMPTY, self
        while times:
            if times & 1:
                result = result.concatenate(square)
            square = square.concatenate(square)
            times >>= 1
        return result


_EMPTY = _Part(0, 0, 1)


class Fingerprint:
    """Fingerprint of one sequence. `ids` maps call numbers to identifiers; calls with the same identifier are equal."""

    def __init__(self, rules: Rules, ids: Sequence[int]) -> None:
        self._rules = rules
        self._calls = [_Part(1, hash((identifier, _POINT)) % _FIELD, _POINT) for identifier in ids]
        self._parts = [_EMPTY] * len(rules)
        for number in children_first(rules):
            part = _EMPTY
            for symbol, times in rules[number]:
                part = part.concatenate(self._part(symbol).repeat(times))
            self._parts[number] = part

    def _part(self, symbol: int) -> _Part:
        return self._calls[symbol] if symbol >= 0 else self._parts[-symbol]

    @property
    def calls(self) -> int:
        """Number of calls in the sequence."""
        return self._parts[0].calls

    def prefix(self, calls: int) -> int:
        """Fingerprint of the first `calls` calls."""
        prefix, number = _EMPTY, 0
        while prefix.calls < calls:
            for symbol, times in self._rules[number]:
                part = self._part(symbol)
                repetitions = min(times, (calls - prefix.calls) // part.calls) if part.calls else times
                prefix = prefix.concatenate(part.repeat(repetitions))
                if repetitions < times and prefix.calls < calls:
                    number = -symbol
                    break
                if prefix.calls == calls:
                    break
        return prefix.value

    def at(self, place: int) -> int:
        """Call number at index `place` (from 0) of the sequence."""
        number, remaining = 0, place
        while True:
            for symbol, times in self._rules[number]:
                calls = self._part(symbol).calls
                if remaining >= calls * times:
                    remaining -= calls * times
                    continue
                if symbol >= 0:
                    return symbol
                number, remaining = -symbol, remaining % calls
                break


def first_difference(a: Fingerprint, b: Fingerprint) -> int | None:
    """Index of the first difference of two sequences by bisection; None if they are equal.

    If one sequence is a prefix of the other, this is the length of the shorter one.
    """
    low, high = 0, min(a.calls, b.calls)  # invariant below: equal up to `low`, different up to `high`
    if a.prefix(high) == b.prefix(high):
        return None if a.calls == b.calls else high
    while high - low > 1:
        middle = (low + high) // 2
        if a.prefix(middle) == b.prefix(middle):
            low = middle
        else:
            high = middle
    return low
