"""Outline of a call sequence for display: nested loops with their counts, and calls as tokens. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stressbench.formats.trace import RankTrace, Rule, Stream
from stressbench.tracing.grammar import Rules, rule_lengths
from stressbench.tracing.tokens import CallTokenizer, TokenStyle

_TOKENS_PER_LINE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of an outline: loop nesting depth and text."""

    depth: int
    text: str


def outline(rank: RankTrace, stream: Stream) -> Iterator[Line]:
    """Lines of the outline, generated lazily; empty without a sequence. Rules without repetition add no level."""
    if stream.rules is None:
        return
    tokenizer = CallTokenizer(rank, stream, TokenStyle.exact)
    lengths = rule_lengths(stream.rules)
    row: list[str] = []
    depth = 0
    for item in _walk(stream.rules, lengths):
        if isinstance(item, _Call):
            token = tokenizer.token(item.number)
            row.append(token if item.times == 1 else f"{token} x{item.times:,}")
            if len(row) < _TOKENS_PER_LINE:
                continue
        if row:
            yield Line(depth=depth, text="  ".join(row))
            row = []
        if isinstance(item, _LoopBegin):
            yield Line(depth=depth, text=f"{item.times:,} times, {lengths[item.rule]:,} calls each:")
            depth += 1
        elif isinstance(item, _LoopEnd):
            depth -= 1
    if row:
        yield Line(depth=depth, text="  ".join(row))


@dataclass(frozen=True, slots=True)
class _Call:
    number: int
    times: int


@dataclass(frozen=True, slots=True)
class _LoopBegin:
    rule: int
    times: int


@dataclass(frozen=True, slots=True)
class _LoopEnd:
    pass


def _walk(rules: Rules, lengths: Sequence[int]) -> Iterator[_Call | _LoopBegin | _LoopEnd]:
    """The parts of the outline; rules without calls have none."""
    stack: list[tuple[Iterator[tuple[int, int]], bool]] = [(_items(rules[0]), False)]
    while stack:
        items, is_loop = stack[-1]
        item = next(items, None)
        if item is None:
            stack.pop()
            if is_loop:
                yield _LoopEnd()
            continue
        symbol, times = item
        if symbol >= 0:
            yield _Call(symbol, times)
            continue
        if not lengths[-symbol]:
            continue
        if times > 1:
            yield _LoopBegin(-symbol, times)
        stack.append((_items(rules[-symbol]), times > 1))


def _items(rule: Rule) -> Iterator[tuple[int, int]]:
    return iter(rule)
