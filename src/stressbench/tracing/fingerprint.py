"""Equality of sequences without walking them: rules hashed once, prefixes in the depth of the rules. Pure.

A sequence's fingerprint is a polynomial over a field of 2^61 - 1 elements at a random point (Rabin and Karp), so that
those of its parts give that of the whole, and a part that comes 10^6 times costs no more than one. Two sequences of
10^7 calls that differ have one fingerprint by chance with probability below 10^-11.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.tracing.grammar import Rules, children_first

_FIELD = (1 << 61) - 1
_POINT = secrets.randbelow(_FIELD >> 1) + (1 << 32)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a sequence: calls in it, its value, and the point raised to its length."""

    calls: int
    value: int
    power: int

    def concatenated(self, other: "_Part") -> "_Part":
        return _Part(
            self.calls + other.calls,
            (self.value * other.power + other.value) % _FIELD,
            self.power * other.power % _FIELD,
        )

    def repeated(self, times: int) -> "_Part":
        whole, square = _EMPTY, self
        while times:
            if times & 1:
                whole = whole.concatenated(square)
            square = square.concatenated(square)
            times >>= 1
        return whole


_EMPTY = _Part(0, 0, 1)


class Fingerprint:
    """One sequence; `ids` says for each call what it counts as: calls of one identifier are equal."""

    def __init__(self, rules: Rules, ids: Sequence[int]) -> None:
        self._rules = rules
        self._calls = [_Part(1, hash((identifier, _POINT)) % _FIELD, _POINT) for identifier in ids]
        self._parts = [_EMPTY] * len(rules)
        for number in children_first(rules):
            whole = _EMPTY
            for symbol, times in rules[number]:
                whole = whole.concatenated(self._part(symbol).repeated(times))
            self._parts[number] = whole

    def _part(self, symbol: int) -> _Part:
        return self._calls[symbol] if symbol >= 0 else self._parts[-symbol]

    @property
    def calls(self) -> int:
        """Calls in the sequence."""
        return self._parts[0].calls

    def prefix(self, calls: int) -> int:
        """The fingerprint of the first calls."""
        done, number = _EMPTY, 0
        while done.calls < calls:
            for symbol, times in self._rules[number]:
                part = self._part(symbol)
                fit = min(times, (calls - done.calls) // part.calls) if part.calls else times
                done = done.concatenated(part.repeated(fit))
                if fit < times and done.calls < calls:
                    number = -symbol
                    break
                if done.calls == calls:
                    break
        return done.value

    def at(self, place: int) -> int:
        """Number of the call at `place`, counted from 0."""
        number, left = 0, place
        while True:
            for symbol, times in self._rules[number]:
                calls = self._part(symbol).calls
                if left >= calls * times:
                    left -= calls * times
                    continue
                if symbol >= 0:
                    return symbol
                number, left = -symbol, left % calls
                break


def first_difference(a: Fingerprint, b: Fingerprint) -> int | None:
    """The place where two sequences first differ, None where they are equal; the shorter one's end where it ends."""
    low, high = 0, min(a.calls, b.calls)  # equal up to low; where they differ up to high, the place is below it
    if a.prefix(high) == b.prefix(high):
        return None if a.calls == b.calls else high
    while high - low > 1:
        middle = (low + high) // 2
        if a.prefix(middle) == b.prefix(middle):
            low = middle
        else:
            high = middle
    return low
