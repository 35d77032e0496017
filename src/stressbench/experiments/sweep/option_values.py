"""Parsers of the options of `degrade` and `rails`, and checks of values from Python. Errors name the option."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.rail_policies import RailPolicy, Transport, parse_nic, parse_policy
from stressbench.formats.units import Stated, UnitError, parse_digits, parse_rate_share, stated_seconds

T = TypeVar("T")


def workloads(words: Sequence[str]) -> tuple[str, ...]:
    """Paths of workloads. Raises StudyMistake if one is missing."""
    missing = next((word for word in words if not Path(word).is_file()), None)
    if missing is not None:
        raise StudyMistake(f"{missing}: no such file; expected a workload")
    return tuple(str(Path(word)) for word in words)


def rank_counts(text: str | None) -> tuple[int, ...]:
    """Numbers of ranks from `2,4,8`; none for None. Raises StudyMistake."""
    counts: list[int] = []
    for word in text.split(",") if text is not None else ():
        count = parse_digits(word)
        if not count or count in counts:
            raise StudyMistake(f"-n: '{word}': expected numbers of ranks, each once, such as 2,4,8")
        counts.append(count)
    return tuple(counts)


def one_rank_count(text: str | None) -> int | None:
    """One number of ranks; None for None. Raises StudyMistake."""
    if text is None:
        return None
    ranks = parse_digits(text)
    if ranks is None:
        raise StudyMistake(f"-n: '{text}': expected one number of ranks for a program")
    if ranks < 1:
        raise StudyMistake(f"-n: {ranks} is not at least 1")
    return ranks


def variables(texts: Sequence[str]) -> dict[str, list[str]]:
    """The values of each NAME from texts `NAME=VALUE`, in their order. Raises StudyMistake."""
    values_by_name: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None or not equals:
            raise StudyMistake(f"--set {text}: expected NAME=VALUE")
        if value in values_by_name.setdefault(name, []):
            raise StudyMistake(f"--set {text}: is given twice")
        values_by_name[name].append(value)
    return values_by_name


def rates(text: str, *, example: str) -> tuple[Fraction, ...]:
    """Rates from `1,1/2,25%`, in their order.

    Raises StudyMistake unless 1 and a smaller rate are among them.
    """
    return distinct_rates(text.split(","), example=example)


def distinct_rates(given: Iterable[Fraction | float | str], *, example: str) -> tuple[Fraction, ...]:
    """These rates, numbers or texts such as `1/2` and `25%`, as exact shares; a float stands for its decimal digits.

    Raises StudyMistake unless 1 and a smaller rate are among them, and for two that are equal.
    """
    given_by_rate: dict[Fraction, Fraction | float | str] = {}
    for one in given:
        rate = _rate(one, example=example)
        if rate in given_by_rate:
            raise StudyMistake(f"--rates: '{one}' equals {given_by_rate[rate]}; expected each rate once")
        given_by_rate[rate] = one
    if Fraction(1) not in given_by_rate or len(given_by_rate) < 2:
        text = ",".join(map(str, given_by_rate.values())) or "none"
        raise StudyMistake(f"--rates: {text}: expected 1 and a smaller one at least: all factors are relative to 1")
    return tuple(given_by_rate)


def _rate(given: Fraction | float | str, *, example: str) -> Fraction:
    with suppress(ValueError):
        rate = parse_rate_share(given, allow_one=True) if isinstance(given, str) else Fraction(str(given))
        if 0 < rate <= 1:
            return rate
    raise StudyMistake(f"--rates: '{given}': expected shares of the full rate, such as {example} or 50%")


def policies(text: str, *, example: str) -> tuple[RailPolicy, ...]:
    """At least two policies from `default,nic0,jobs:a=0,b=1`. Raises StudyMistake."""
    words: list[str] = []
    for word in text.split(","):
        if words and words[-1].startswith("jobs:") and "=" in word and not word.startswith("jobs:"):
            words[-1] += f",{word}"  # a comma within `jobs:...`
        else:
            words.append(word)
    return distinct_policies(words, example=example)


def distinct_policies(given: Iterable[RailPolicy | str], *, example: str) -> tuple[RailPolicy, ...]:
    """These policies. Raises StudyMistake unless they are at least two, and for two that are equal."""
    words = tuple(map(str, given))
    parsed = _each_once("--policies", words, parse_policy)
    if len(parsed) < 2:
        text = ",".join(words) or "none"
        raise StudyMistake(f"--policies: {text}: expected at least two, such as {example}: policies are compared")
    return parsed


def nics(text: str | None) -> tuple[str, ...]:
    """Names of NICs from `ib0,ib1`; none for None. Raises StudyMistake."""
    return _each_once("--nics", () if text is None else text.split(","), parse_nic)


def _each_once(option: str, words: Iterable[str], parse: Callable[[str], T]) -> tuple[T, ...]:
    values: list[T] = []
    for word in words:
        try:
            value = parse(word)
        except ValueError as fault:
            raise StudyMistake(f"{option}: '{word}': {fault}") from fault
        if value in values:
            raise StudyMistake(f"{option}: '{word}': is given twice")
        values.append(value)
    return tuple(values)


def time(option: str, text: str | None) -> Stated[float] | None:
    """A time with its text, such as `55min`; None for None. Raises StudyMistake."""
    try:
        return None if text is None else stated_seconds(text)
    except UnitError as fault:
        raise StudyMistake(f"{option}: '{text}': {fault}") from fault


def interval_s(text: str | None) -> float:
    """The value of `--interval`, s; 0 for None. Raises StudyMistake."""
    stated = time("--interval", text)
    return 0.0 if stated is None else stated.value


def transport(text: str | None) -> Transport | None:
    """The transport `tcp`, `ucx` or `ofi`; None for None. Raises StudyMistake."""
    if text is None or text in tuple(Transport):
        return None if text is None else Transport(text)
    raise StudyMistake(f"--transport: '{text}': expected {', '.join(Transport)}")
