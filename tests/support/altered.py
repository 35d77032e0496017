"""Records with an invalid or unusual value, on which a schema and a reader must agree."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from jsonschema import Draft202012Validator


def assert_they_agree(
    good: dict[str, Any], place: Sequence[Any], odd_values: Sequence[Any], *, schema: dict[str, Any],
    accepted: Callable[[dict[str, Any]], bool],
) -> None:  # fmt: skip
    """Put each value at `place` and check that schema and reader both accept or both reject it."""
    validator = Draft202012Validator(schema)
    for odd in odd_values:
        record = deepcopy(good)
        holder: Any = record
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = odd

        assert validator.is_valid(record) is accepted(record), (place, odd)
