"""Figures of merit: numbers that a program prints, found by regular expressions.

RE2 searches in time that grows with the text alone, whatever the expression; Python's `re` may take years.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from time import monotonic
from typing import Any

import re2

from stressbench.formats.study.errors import StudyFault

MOST_S = 10.0
_MOST_MEMORY = 8 << 20  # per expression


def parse_figure(text: str) -> tuple[str, str]:
    """Name and expression of `NAME=REGEX`. Raises ValueError, whose text says what was expected."""
    name, equals, pattern = text.partition("=")
    if not equals or not name.strip():
        raise ValueError("expected NAME=REGEX")
    groups = _compiled(pattern).groups
    if groups != 1:
        raise ValueError(f"{groups} groups; expected one, around the number, such as 'FOM=([0-9.]+)'")
    return name, pattern


def figures_in(
    output: str, patterns: Mapping[str, str], *, now: Callable[[], float] = monotonic
) -> dict[str, float | None]:
    """The figures of merit in a program's output: the last match of each expression, None without a match.

    Raises StudyFault where one takes longer than MOST_S: each match is found in linear time, but there may be many.
    """
    return {name: _last(name, pattern, output, now) for name, pattern in patterns.items()}


def _last(name: str, pattern: str, output: str, now: Callable[[], float]) -> float | None:
    start, text = now(), ""
    for match in _compiled(pattern).finditer(output):
        text = match[1] or ""
        if now() - start > MOST_S:
            raise StudyFault(f"--fom {name}: '{pattern}': takes more than {MOST_S:g} s to search the program's output")
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return number if isfinite(number) else None


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors, options.max_mem = False, _MOST_MEMORY
    try:
        return re2.compile(f"(?m){pattern}", options)  # ^ and $ match at every line
    except re2.error as fault:
        reason = fault.args[0].decode(errors="replace") if isinstance(fault.args[0], bytes) else str(fault)
        explanation = f"no regular expression of RE2 ({reason}); it has no look-ahead and no back-references"
        raise ValueError(explanation) from None
