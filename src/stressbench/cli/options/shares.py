"""Shares on the command line: `2%` or `0.02`."""

from stressbench.errors import UserError


def share(text: str, *, option: str, zero: bool) -> float:
    """`2%` or `0.02` as 0.02. Raises UserError unless it is below 100 % and above 0, or, with `zero`, at least 0."""
    number, scale = (text[:-1], 100.0) if text.endswith("%") else (text, 1.0)
    try:
        value = float(number) / scale
    except ValueError:
        raise UserError(f"{option} {text}: expected a share such as 2% or 0.02") from None
    if not ((value >= 0 if zero else value > 0) and value < 1):
        raise UserError(f"{option} {text}: expected {'at least' if zero else 'more than'} 0% and less than 100%")
    return value
