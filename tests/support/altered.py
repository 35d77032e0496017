"""Records with something odd in one place, on which a schema and a reader have to agree."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from jsonschema import Draft202012Validator


def assert_they_agree(
    good: dict[str, Any], place: Sequence[Any], odd_values: Sequence[Any], *, schema: dict[str, Any],
    accepted: Callable[[dict[str, Any]], bool],
) -> None:  # fmt: skip
    """Put each odd value where `place` leads, and have both judge it."""
    validator = Draft202012Validator(schema)
    for odd in odd_values:
        record = deepcopy(good)
        holder: Any = record
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = odd

        assert validator.is_valid(record) is accepted(record), (place, odd)
