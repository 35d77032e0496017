"""The structure of a sequence for reading: loops with their counts, calls as words. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.formats.trace import RankTrace, Rule, Stream
from stressbench.tracing.grammar import Rules, lengths
from stressbench.tracing.spelling import Speller, Style

_WORDS_A_LINE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: how deep it lies in loops, and its text."""

    depth: int
    text: str


def outline(rank: RankTrace, stream: Stream) -> Iterator[Line]:
    """Lines as they are asked for; rules that come once are no loop and open no level."""
    if stream.rules is None:
        return
    speller = Speller(rank, stream, Style.exact)
    known = lengths(stream.rules)
    row: list[str] = []
    depth = 0
    for item in _walk(stream.rules):
        if isinstance(item, _Call):
            word = speller.word(item.number)
            row.append(word if item.times == 1 else f"{word} x{item.times:,}")
            if len(row) < _WORDS_A_LINE:
                continue
        if row:
            yield Line(depth=depth, text="  ".join(row))
            row = []
        if isinstance(item, _Open):
            yield Line(depth=depth, text=f"{item.times:,} times, {known[item.rule]:,} calls each:")
            depth += 1
        elif isinstance(item, _Close):
            depth -= 1
    if row:
        yield Line(depth=depth, text="  ".join(row))


@dataclass(frozen=True, slots=True)
class _Call:
    number: int
    times: int


@dataclass(frozen=True, slots=True)
class _Open:
    rule: int
    times: int


@dataclass(frozen=True, slots=True)
class _Close:
    pass


def _walk(rules: Rules) -> Iterator[_Call | _Open | _Close]:
    open_: list[tuple[Iterator[tuple[int, int]], bool]] = [(_items(rules[0]), False)]
    while open_:
        rest, is_loop = open_[-1]
        item = next(rest, None)
        if item is None:
            open_.pop()
            if is_loop:
                yield _Close()
            continue
        symbol, times = item
        if symbol >= 0:
            yield _Call(symbol, times)
            continue
        if times > 1:
            yield _Open(-symbol, times)
        open_.append((_items(rules[-symbol]), times > 1))


def _items(rule: Rule) -> Iterator[tuple[int, int]]:
    return iter(rule)
