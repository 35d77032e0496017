"""schema/observation.schema.json says what the reader of co-runs takes."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.altered import assert_they_agree

from stressbench.formats.errors import ProfileFileError
from stressbench.formats.profiles.coruns import CoRun, parse_coruns, to_line
from stressbench.formats.schemas import observation_schema

MADE = CoRun(
    victim="cg", aggressors=("fft", "mcb"), slowdown=1.4, interval=(1.2, 1.6), overlap=0.9, machine="lab",
    source="made up",
)  # fmt: skip
GOOD: dict[str, Any] = json.loads(to_line(MADE))
ODD = (None, True, -1, 0, 1.5, "", "text", "no name", [], [1, "a"], ["a"], [1.2, 1.6], [1.2], {}, {"a": "b"})


def test_a_co_run_fits_it() -> None:
    Draft202012Validator(observation_schema()).validate(GOOD)


@pytest.mark.parametrize(
    "place", [*((key,) for key in GOOD), ("aggressors", 0), ("interval", 1), ("surplus",)], ids=str
)
def test_schema_and_reader_refuse_the_same(place: tuple[Any, ...]) -> None:
    assert_they_agree(GOOD, place, ODD, schema=observation_schema(), accepted=accepted)


@pytest.mark.parametrize("key", GOOD)
def test_a_key_that_is_missing_is_refused_by_both(key: str) -> None:
    record = {name: value for name, value in GOOD.items() if name != key}

    is_optional = key in ("machine", "overlap")
    assert Draft202012Validator(observation_schema()).is_valid(record) is accepted(record) is is_optional


def accepted(record: dict[str, Any]) -> bool:
    try:
        parse_coruns(json.dumps(record), source=Path("made-up"))
    except ProfileFileError:
        return False
    return True
