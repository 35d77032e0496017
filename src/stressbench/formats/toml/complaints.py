"""Validation errors of pydantic as messages about the keys of a user-written file. Pure."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from pydantic import BaseModel, ValidationError

from stressbench.errors import UserError
from stressbench.formats.excerpts import excerpt, shortened
from stressbench.formats.toml.lines import KeyPath

_MAX_REPORTED = 100  # mistakes that are reported


@dataclass(frozen=True, kw_only=True)
class Complaint:
    """A sentence about a key or table of the file."""

    place: KeyPath
    text: str


class ValidationMistakes(UserError):
    """All mistakes in a file, or in values given instead of a file, each with its key."""

    def __init__(self, complaints: Iterable[Complaint]) -> None:
        self.complaints = tuple(complaints)
        super().__init__(*(complaint.text for complaint in self.complaints))


_TYPES: Mapping[str, str] = {
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "string_type": "expected a text in quotes",
    "bool_type": "expected true or false",
    "tuple_type": "expected a list in brackets",
    "dict_type": "expected a table",
    "model_type": "expected a table",
    "model_attributes_type": "expected a table",
}


DescribePattern: TypeAlias = Callable[[str], str]

KeyLabel: TypeAlias = Callable[[KeyPath], str]
"""Names a key in messages: `factors.rate`, or the option that sets it."""


def by_key(place: KeyPath) -> str:
    """The key as in the file, `factors.rate`, without positions in lists."""
    return ".".join(str(part) for part in place if not isinstance(part, int))


def by_option(options: Mapping[str, str]) -> KeyLabel:
    """The option that sets a key (`options`: by key as in the file), or else the key."""
    return lambda place: options.get(by_key(place)) or by_key(place)


def complaints_of(
    fault: ValidationError, model: type[BaseModel], *, under: KeyPath = (),
    pattern: DescribePattern = "expected {}".format, key_label: KeyLabel = by_key,
) -> tuple[Complaint, ...]:  # fmt: skip
    """One complaint for each mistake; places begin with `under`, and `pattern` describes a regular expression."""
    errors = fault.errors()
    more = Complaint(
        place=under, text=f"{len(errors) - _MAX_REPORTED:,} more mistakes; these are the first {_MAX_REPORTED}"
    )
    reported = tuple(_complaint(error, model, under, pattern, key_label) for error in errors[:_MAX_REPORTED])
    return reported if len(errors) <= _MAX_REPORTED else (*reported, more)


def unknown_message(what: str, name: str, known: tuple[str, ...]) -> str:
    """`unknown key 'rat'; did you mean 'rate'?`, followed by the known names."""
    shown = excerpt(name)
    similar = difflib.get_close_matches(shown, known, n=1)
    hint = f"did you mean '{similar[0]}'? " if similar else ""
    return f"unknown {what} '{shown}'; {hint}known: {', '.join(known)}"


def _complaint(
    error: Any, model: type[BaseModel], under: KeyPath, pattern: DescribePattern, key_label: KeyLabel
) -> Complaint:
    place, last = (*under, *error["loc"]), str(error["loc"][-1])
    kind, context = error["type"], error.get("ctx", {})
    value = error["input"]
    if kind == "extra_forbidden":
        return Complaint(place=place, text=unknown_message("key", last, _keys(model, error["loc"][:-1])))
    if kind == "missing":
        table = excerpt(by_key(place[:-1]))
        where = f"[{table}] " if table else ""
        return Complaint(place=place[:-1], text=f"{where}{last} is missing")
    expected = _expected(kind, context, error["msg"], pattern)
    return Complaint(place=place, text=f"{excerpt(key_label(place))}: {_shown(value)}: {shortened(expected)}")


def _expected(kind: str, context: Mapping[str, Any], message: str, pattern: DescribePattern) -> str:
    if kind in _TYPES:
        return _TYPES[kind]
    if kind == "value_error":
        return str(context["error"])
    if kind == "greater_than_equal":
        return f"expected at least {context['ge']}"
    if kind == "less_than_equal":
        return f"expected at most {context['le']}"
    if kind in ("enum", "literal_error"):
        return f"expected {context['expected']}"
    if kind == "string_pattern_mismatch":
        return pattern(str(context["pattern"]))
    if kind == "too_short":
        return f"expected at least {context['min_length']} values, not {context['actual_length']}"
    if kind == "too_long":
        return f"expected at most {context['max_length']} values, not {context['actual_length']}"
    if kind == "missing_positional_only_argument":
        return "expected more values"
    return message


def _shown(value: object) -> str:
    return f"'{excerpt(value)}'" if isinstance(value, str) else excerpt(f"{value!r}")


def _keys(model: type[BaseModel], place: KeyPath) -> tuple[str, ...]:
    """The keys of the table at `place`."""
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            model = _table_in(model.model_fields[part].annotation) or model
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _table_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _table_in(inner)) is not None), None)
