"""Shares on the command line: `2%` or `0.02`."""

from stressbench.errors import UserError


class ShareError(UserError):
    """No share; the message says what would be right."""


def parse_share(text: str, *, option: str, zero: bool) -> float:
    """`2%` or `0.02` as 0.02; ShareError unless below 100 % and above 0, or, with `zero`, at least 0."""
    number, scale = (text[:-1], 100.0) if text.endswith("%") else (text, 1.0)
    try:
        share = float(number) / scale
    except ValueError:
        raise ShareError(f"{option} {text}: expected a share such as 2% or 0.02") from None
    if not ((share >= 0 if zero else share > 0) and share < 1):
        raise ShareError(f"{option} {text}: expected {'at least' if zero else 'more than'} 0% and less than 100%")
    return share
