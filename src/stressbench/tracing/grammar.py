"""The rules of a sequence: walked without being written out, counted, and cut into loops. Pure.

A rule is a row of (symbol, times); symbol >= 0 is a call's number, symbol < 0 is rule number -symbol. Rule 0 is the
whole. `model.trace_checks` has seen to it that no rule holds itself.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from stressbench.formats.trace import Rule

Rules = Sequence[Rule]
MAX_EXPANDED_CALLS = 10_000_000
"""Calls of a sequence that is gone through one by one; rows of rules are counted whatever their number."""
_MAX_CACHED_RULE = 1024  # calls of a rule that is written out once and for all
_MAX_CACHED_CALLS = 1 << 20  # calls written out, of all rules together


class TooManyCalls(Exception):
    """A sequence is longer than what is gone through call by call; the message says how long both are."""


def children_first(rules: Rules) -> tuple[int, ...]:
    """Numbers of all rules, each after those that it holds."""
    order: list[int] = []
    done = [False] * len(rules)
    for start in range(len(rules)):
        path = [start]
        while path:
            below = {-symbol for symbol, _ in rules[path[-1]] if symbol < 0 and not done[-symbol]}
            if below:
                path.extend(below)
            else:
                number = path.pop()
                if not done[number]:
                    done[number] = True
                    order.append(number)
    return tuple(order)


def rule_lengths(rules: Rules) -> tuple[int, ...]:
    """Calls that each rule stands for."""
    found = [0] * len(rules)
    for number in children_first(rules):
        found[number] = sum(times * (1 if symbol >= 0 else found[-symbol]) for symbol, times in rules[number])
    return tuple(found)


def expand(rules: Rules) -> Iterator[int]:
    """Numbers of the calls, in order, made as they are asked for; memory does not grow with the sequence."""
    return chain.from_iterable(_pieces(rules))


def expand_bounded(rules: Rules) -> Iterator[int]:
    """As `expand`, for who goes through all of it. Raises TooManyCalls: a few rules can stand for any number."""
    if (calls := rule_lengths(rules)[0]) > MAX_EXPANDED_CALLS:
        many = f"{calls:,}" if calls < 10**15 else "more than 10^15"
        raise TooManyCalls(
            f"a rank made {many} calls in order; this goes through at most {MAX_EXPANDED_CALLS:,} one by one"
        )
    return expand(rules)


def _pieces(rules: Rules) -> Iterator[Iterable[int]]:
    """The sequence in rows: rules that stand for few calls come as one row."""
    short = _cached_rules(rules)
    stack: list[tuple[int, int, int]] = [(0, 0, 1)]  # rule, place in it, how often it still has to be walked
    while stack:
        number, place, left = stack.pop()
        rule = rules[number]
        while place < len(rule):
            symbol, times = rule[place]
            place += 1
            if symbol >= 0:
                yield repeat(symbol, times)
            elif -symbol in short:
                yield from repeat(short[-symbol], times)
            else:  # leave this rule, and come back to the place behind
                stack.append((number, place, left))
                stack.append((-symbol, 0, times))
                break
        else:
            if left > 1:
                stack.append((number, 0, left - 1))


def _cached_rules(rules: Rules) -> dict[int, tuple[int, ...]]:
    known = rule_lengths(rules)
    short: dict[int, tuple[int, ...]] = {}
    room = _MAX_CACHED_CALLS
    for number in children_first(rules):
        held = [-symbol for symbol, _ in rules[number] if symbol < 0]
        if number and known[number] <= min(_MAX_CACHED_RULE, room) and all(below in short for below in held):
            rows = (((symbol,) if symbol >= 0 else short[-symbol]) * times for symbol, times in rules[number])
            short[number] = tuple(chain.from_iterable(rows))
            room -= known[number]
    return short


def call_counts(rules: Rules, *, start: int = 0) -> Counter[int]:
    """How often each call comes in what rule `start` stands for; nothing is expanded."""
    times_of = [0] * len(rules)
    times_of[start] = 1
    counted: Counter[int] = Counter()
    for number in reversed(children_first(rules)):
        if not times_of[number]:
            continue
        for symbol, times in rules[number]:
            if symbol >= 0:
                counted[symbol] += times * times_of[number]
            else:
                times_of[-symbol] += times * times_of[number]
    return counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A row of the sequence that comes several times behind itself: `symbol`, `times` times, `calls` calls each."""

    symbol: int
    times: int
    calls: int


def outermost_loops(rules: Rules) -> tuple[Loop, ...]:
    """Loops that lie in no other loop, in order."""
    known = rule_lengths(rules)
    loops: list[Loop] = []
    stack = [iter(rules[0])]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
            continue
        symbol, times = item
        if times > 1:
            loops.append(Loop(symbol=symbol, times=times, calls=1 if symbol >= 0 else known[-symbol]))
        elif symbol < 0:
            stack.append(iter(rules[-symbol]))
    return tuple(loops)


def single_pass(rules: Rules, symbol: int) -> Rules:
    """The rules with one pass of `symbol` as their whole."""
    return (((symbol, 1),), *rules[1:])
