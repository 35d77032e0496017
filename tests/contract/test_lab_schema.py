"""schema/lab.schema.json says what the reader of lab files takes."""

import tomllib

import pytest
from jsonschema import Draft202012Validator

from stressbench.formats.lab.errors import LabFileMistake
from stressbench.formats.schemas import lab_schema
from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.file import parse_lab

GOOD = '[hosts]\ncount = 3\n[[rail]]\nrate = "1Gbit"\n[topology]\nkind = "ring"\nrate = "1Gbit"\n'
BAD = (
    GOOD.replace("count = 3", "count = 0"),
    GOOD.replace("count = 3", 'count = "3"'),
    GOOD.replace("count = 3", "cuont = 3"),
    GOOD.replace('kind = "ring"', 'kind = "ringg"'),
    GOOD.replace('"ring"\nrate', '"ring"\nrat'),
    GOOD.replace('"1Gbit"\n[top', '"fast"\n[top'),
    GOOD + '[[noise]]\nfrom = "h0"\nrate = "1Mbit"\n',
)


@pytest.mark.parametrize("name", shipped())
def test_shipped_labs_fit_it(name: str) -> None:
    Draft202012Validator(lab_schema()).validate(tomllib.loads(lab_file(name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("text", BAD)
def test_it_refuses_what_the_reader_refuses(text: str) -> None:
    assert not Draft202012Validator(lab_schema()).is_valid(tomllib.loads(text))
    with pytest.raises(LabFileMistake):
        parse_lab(text, name="bad", source="bad.toml")


def test_it_takes_what_the_reader_takes() -> None:
    Draft202012Validator(lab_schema()).validate(tomllib.loads(GOOD))
    assert parse_lab(GOOD, name="good", source="good.toml").name == "good"
