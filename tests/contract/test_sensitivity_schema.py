"""schema/sensitivity.schema.json says what the reader of profiles takes."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.altered import assert_they_agree
from support.sensitivities import victim

from stressbench.formats.errors import ProfileFileError
from stressbench.formats.profiles.profile import parse_profile, to_json
from stressbench.formats.schemas import sensitivity_schema

GOOD: dict[str, Any] = json.loads(to_json(victim({0.2: 1.1, 0.5: 1.5}, links={"a-b": 0.25})))
ODD = (None, True, -1, 0, 1.5, "", "text", [], [1, "a"], {}, {"a": "b"})


def test_a_profile_fits_it() -> None:
    Draft202012Validator(sensitivity_schema()).validate(GOOD)


PLACES = [
    *((key,) for key in GOOD),
    *(("provenance", key) for key in GOOD["provenance"] if key != "measured_at"),  # formats are not checked
    *(("probe", key) for key in GOOD["probe"]),
    *(("levels", 0, key) for key in GOOD["levels"][0]),
    *(("levels", 0, "configuration", key) for key in GOOD["levels"][0]["configuration"]),
    ("levels", 0, "times_s", 0),
    ("impact", "probes"),
    ("impact", "times_s"),
    ("idle", "latencies_s", 3),
    ("links", "a-b"),
    ("surplus",),
    ("probe", "surplus"),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_schema_and_reader_refuse_the_same(place: tuple[Any, ...]) -> None:
    assert_they_agree(GOOD, place, ODD, schema=sensitivity_schema(), accepted=accepted)


def accepted(record: dict[str, Any]) -> bool:
    try:
        parse_profile(json.dumps(record), source=Path("made-up"))
    except ProfileFileError:
        return False
    return True
