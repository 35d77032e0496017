"""Grammar-compressed call sequences: expansion, counting, and loops. Pure.

A rule is a tuple of pairs (symbol, times): symbol >= 0 is a call number, an index of the distinct calls; symbol < 0
stands for rule -symbol. Rule 0 is the whole sequence. Rules are acyclic, as checked when the trace is read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from stressbench.formats.trace import Call, Rule
from stressbench.tracing.operations import START_CALLS

Rules = Sequence[Rule]
MAX_EXPANDED_CALLS = 10_000_000
"""Longest sequence that is expanded call by call, and most calls of all ranks that are processed so by one command.

Counting works on the rules; readers limit what one rule stands for to 2^63 - 1 calls.
"""
_MAX_CACHED_RULE = 1024  # rules of at most this many calls are expanded once and cached
_MAX_CACHED_CALLS = 1 << 20  # calls in this cache, over all rules


class TooManyCalls(Exception):
    """Raised for more than MAX_EXPANDED_CALLS calls of a rank or of all ranks; the message gives both numbers."""


def children_first(rules: Rules) -> tuple[int, ...]:
    """Numbers of all rules in topological order: each rule follows the rules that it contains."""
    order: list[int] = []
    done = [False] * len(rules)
    for start in range(len(rules)):
        path = [start]
        while path:
            number = path[-1]
            if done[number]:  # a rule that several rules of the path contain
                path.pop()
                continue
            children = {-symbol for symbol, _ in rules[number] if symbol < 0 and not done[-symbol]}
            if children:
                path.extend(children)
            else:
                path.pop()
                done[number] = True
                order.append(number)
    return tuple(order)


def rule_lengths(rules: Rules) -> tuple[int, ...]:
    """Number of calls that each rule expands to, by rule number."""
    lengths = [0] * len(rules)
    for number in children_first(rules):
        lengths[number] = sum(times * (1 if symbol >= 0 else lengths[-symbol]) for symbol, times in rules[number])
    return tuple(lengths)


def expand(rules: Rules) -> Iterator[int]:
    """Call numbers of the sequence in order, generated lazily: memory does not depend on the length of the sequence."""
    return chain.from_iterable(_pieces(rules))


def expand_bounded(rules: Rules) -> Iterator[int]:
    """Same as `expand`, for callers that consume the whole sequence.

    Raises TooManyCalls beyond MAX_EXPANDED_CALLS, since a few rules can expand to any number of calls.
    """
    if (calls := rule_lengths(rules)[0]) > MAX_EXPANDED_CALLS:
        raise TooManyCalls(f"a rank made {_count_text(calls)} calls in order; expected at most {MAX_EXPANDED_CALLS:,}")
    return expand(rules)


def _count_text(calls: int) -> str:
    return f"{calls:,}" if calls < 10**15 else "more than 10^15"


@dataclass(slots=True)
class ExpandedCalls:
    """Calls of all ranks that one command processes in order, added before they are expanded.

    A call that starts persistent requests counts as one more for each of them, since its cost grows with their number.
    """

    total: int = 0

    def add(self, rules: Rules, calls: Sequence[Call]) -> None:
        """Add the sequence of a rank over these calls. Raises TooManyCalls if the total exceeds MAX_EXPANDED_CALLS."""
        started = {number: len(call.requests or ()) for number, call in enumerate(calls) if call.op in START_CALLS}
        self.total += rule_lengths(rules)[0]
        if any(started.values()):
            counts = call_counts(rules)
            self.total += sum(counts[number] * requests for number, requests in started.items())
        if self.total > MAX_EXPANDED_CALLS:
            raise TooManyCalls(
                f"the ranks made {_count_text(self.total)} or more calls in order, with the requests that they start; "
                f"expected at most {MAX_EXPANDED_CALLS:,}"
            )


def _pieces(rules: Rules) -> Iterator[Iterable[int]]:
    """The sequence in pieces; short rules are one piece each, and rules without calls none, however often repeated."""
    lengths = rule_lengths(rules)
    cached = _cached_rules(rules, lengths)
    stack: list[tuple[int, int, int]] = [(0, 0, 1)]  # rule, index in it, remaining repetitions
    while stack:
        number, index, remaining = stack.pop()
        rule = rules[number]
        while index < len(rule):
            symbol, times = rule[index]
            index += 1
            if symbol >= 0:
                yield repeat(symbol, times)
            elif not lengths[-symbol]:
                continue
            elif -symbol in cached:
                yield from repeat(cached[-symbol], times)
            else:  # descend into the rule, then continue after it
                stack.append((number, index, remaining))
                stack.append((-symbol, 0, times))
                break
        else:
            if remaining > 1:
                stack.append((number, 0, remaining - 1))


def _cached_rules(rules: Rules, lengths: Sequence[int]) -> dict[int, tuple[int, ...]]:
    cached: dict[int, tuple[int, ...]] = {}
    capacity = _MAX_CACHED_CALLS
    for number in children_first(rules):
        children = [-symbol for symbol, _ in rules[number] if symbol < 0]
        if number and lengths[number] <= min(_MAX_CACHED_RULE, capacity) and all(child in cached for child in children):
            parts = (((symbol,) if symbol >= 0 else cached[-symbol]) * times for symbol, times in rules[number])
            cached[number] = tuple(chain.from_iterable(parts))
            capacity -= lengths[number]
    return cached


def call_counts(rules: Rules, *, start: int = 0) -> Counter[int]:
    """Number of occurrences of each call in the expansion of rule `start`, computed without expanding it."""
    lengths = rule_lengths(rules)
    rule_counts = [0] * len(rules)
    rule_counts[start] = 1
    counts: Counter[int] = Counter()
    for number in reversed(children_first(rules)):
        if not rule_counts[number]:
            continue
        for symbol, times in rules[number]:
            if symbol >= 0:
                counts[symbol] += times * rule_counts[number]
            elif lengths[-symbol]:  # a rule without calls may be repeated any number of times
                rule_counts[-symbol] += times * rule_counts[number]
    return counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop: `symbol` repeated `times` times, with `calls` calls per pass."""

    symbol: int
    times: int
    calls: int


def outermost_loops(rules: Rules) -> tuple[Loop, ...]:
    """Loops that are not inside another loop, in the order of the sequence; those of each rule once."""
    lengths = rule_lengths(rules)
    loops: list[Loop] = []
    stack, entered = [iter(rules[0])], {0}
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
            continue
        symbol, times = item
        if times > 1:
            loops.append(Loop(symbol=symbol, times=times, calls=1 if symbol >= 0 else lengths[-symbol]))
        elif symbol < 0 and -symbol not in entered:
            entered.add(-symbol)
            stack.append(iter(rules[-symbol]))
    return tuple(loops)


def single_pass(rules: Rules, symbol: int) -> Rules:
    """The rules with a single pass of `symbol` as the whole sequence."""
    return (((symbol, 1),), *rules[1:])
