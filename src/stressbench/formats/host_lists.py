"""Lists of host names in the notation of Slurm, `node[0001-0512,0600]`, in the order of the names."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from stressbench.formats.excerpts import excerpt

_TERM = re.compile(r"([^\[\],\s]*)(?:\[([0-9,-]+)\]([^\[\],\s]*))?")
_ITEM = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")
_LISTABLE = re.compile(r"[^\[\],\s\x00-\x1f\x7f]+")
_PARTS = re.compile(r"[0-9]+|[^0-9]+")


def parse_hosts(text: str, *, max_hosts: int) -> tuple[str, ...]:
    """The names that `text` lists, at most `max_hosts`, repeated ones included.

    A term has at most one bracket; the numbers of a range have at least as many digits as its first one. Raises
    ValueError, which names the term.
    """
    hosts: list[str] = []
    for term in _terms(text):
        match = _TERM.fullmatch(term)
        if not term or match is None:
            raise ValueError(f"'{excerpt(term)}': expected a host such as n7, or hosts such as n[01-16,20]")
        prefix, items, suffix = match.groups()
        numbers = [""] if items is None else _numbers(items, max_numbers=max_hosts - len(hosts))
        if len(numbers) > max_hosts - len(hosts):
            raise ValueError(f"'{excerpt(term)}': expected at most {max_hosts} hosts")
        hosts += [f"{prefix}{number}{suffix or ''}" for number in numbers]
    return tuple(hosts)


def host_list(hosts: Sequence[str]) -> str:
    """The names as a list, in their order: successive ones that differ in one number share a bracket.

    Raises ValueError for a name that a list cannot contain: with a blank, a comma or a bracket.
    """
    for host in hosts:
        if _LISTABLE.fullmatch(host) is None:
            raise ValueError(f"'{excerpt(host)}': expected a name without blanks, commas and brackets")
    terms, at = [], 0
    while at < len(hosts):
        frame = _frame(hosts[at], hosts[at + 1]) if at + 1 < len(hosts) else None
        if frame is None:
            terms.append(hosts[at])
            at += 1
            continue
        numbers = []
        while at < len(hosts) and (number := _number_in(frame, hosts[at])) is not None:
            numbers.append(number)
            at += 1
        terms.append(f"{frame[0]}[{_items(numbers)}]{frame[1]}")
    return ",".join(terms)


def _terms(text: str) -> Iterator[str]:
    """The terms of the list, separated by commas outside of brackets."""
    start, depth = 0, 0
    for match in re.finditer(r"[\[\],]", text):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if match[0] == "," and depth == 0:
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def _numbers(items: str, *, max_numbers: int) -> list[str]:
    """The numbers of a bracket, which end after `max_numbers` if there are more."""
    numbers: list[str] = []
    for item in items.split(","):
        match = _ITEM.fullmatch(item)
        if match is None:
            raise ValueError(f"'{excerpt(item)}' in '{excerpt(items)}': expected N or N-M of at most 18 digits")
        first = match[1]
        span = range(int(first), int(match[2] or first) + 1)
        if not span:
            raise ValueError(f"'{excerpt(item)}': expected the smaller number first")
        numbers += [f"{number:0{len(first)}}" for number in span[: max_numbers + 1 - len(numbers)]]
        if len(numbers) > max_numbers:
            break
    return numbers


def _frame(a: str, b: str) -> tuple[str, str] | None:
    """What two names that differ in one number have before and after it; None for others.

    Of equal names it is the last number.
    """
    left, right = _PARTS.findall(a), _PARTS.findall(b)
    if len(left) != len(right):
        return None
    different = [place for place, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1]]
    places = different or [place for place, part in enumerate(left) if part.isdigit()][-1:]
    if len(places) != 1:
        return None
    frame = "".join(left[: places[0]]), "".join(left[places[0] + 1 :])
    return frame if _number_in(frame, a) is not None and _number_in(frame, b) is not None else None


def _number_in(frame: tuple[str, str], host: str) -> str | None:
    prefix, suffix = frame
    if len(host) <= len(prefix) + len(suffix) or not host.startswith(prefix) or not host.endswith(suffix):
        return None
    number = host[len(prefix) : len(host) - len(suffix)]
    return number if re.fullmatch("[0-9]{1,18}", number) else None


def _items(numbers: Sequence[str]) -> str:
    runs = [[numbers[0], numbers[0]]]
    for before, number in pairwise(numbers):
        first = runs[-1][0]
        if int(number) == int(before) + 1 and number == f"{int(number):0{len(first)}}":
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(first if first == last else f"{first}-{last}" for first, last in runs)
