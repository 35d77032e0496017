"""Integer arithmetic of estimates. Pure."""

import math
from collections.abc import Iterator
from math import isqrt


def divisors(number: int) -> Iterator[int]:
    """All divisors of a positive number, in ascending order."""
    small = [one for one in range(1, isqrt(number) + 1) if number % one == 0]
    yield from small
    yield from (number // one for one in reversed(small) if one * one != number)


def root(number: int, degree: int) -> int:
    """The integer nearest to a root of a number that is not negative."""
    return round(math.pow(number, 1 / degree))
