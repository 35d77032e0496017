"""Shares on the command line: `2%` or `0.02`."""

from stressbench.errors import UserError
from stressbench.formats.units import UnitError, parse_share


def share(text: str, *, option: str, zero: bool) -> float:
    """`2%` or `0.02` as 0.02. Raises UserError unless it is below 100 % and above 0, or, with `zero`, at least 0."""
    try:
        return parse_share(text, zero=zero)
    except UnitError as mistake:
        raise UserError(f"{option} {text}: {mistake}") from mistake
