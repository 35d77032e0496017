"""Figures of merit: numbers that a program prints, found by regular expressions. Pure."""

import re
from collections.abc import Mapping, Sequence


def parse_figure(text: str) -> tuple[str, str]:
    """`NAME=REGEX`. ValueError says what was expected."""
    name, equals, pattern = text.partition("=")
    if not equals or not name.strip():
        raise ValueError("expected NAME=REGEX")
    try:
        groups = re.compile(pattern).groups
    except re.error as fault:
        raise ValueError(f"no regular expression: {fault}") from fault
    if groups != 1:
        raise ValueError(f"{groups} groups; expected one, around the number, such as 'FOM=([0-9.]+)'")
    return name, pattern


def figures_in(output: str, wanted: Mapping[str, str]) -> dict[str, float | None]:
    """Figures of merit in a program's output: of each its last match, None where there is none."""
    return {name: _number(re.findall(pattern, output, re.MULTILINE)) for name, pattern in wanted.items()}


def _number(found: Sequence[str]) -> float | None:
    try:
        return float(found[-1].replace(",", "")) if found else None
    except ValueError:
        return None
