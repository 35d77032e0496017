"""schema/study.schema.json says what the reader of study files takes."""

import tomllib

import pytest
from jsonschema import Draft202012Validator

from stressbench.experiments.study.catalog import shipped, study_file
from stressbench.formats.schemas import study_schema
from stressbench.formats.study.errors import StudyFileMistake
from stressbench.formats.study.file import parse_study, read_study

GOOD = '[factors]\nworkload = "a.sb"\nranks = [4, 8]\n[set]\nsize = [1, "2KiB"]\n[until]\ninterval = "5%"\n'
BAD = (
    GOOD.replace("workload", "worklod"),
    GOOD.replace("[4, 8]", "[4, 4]"),
    GOOD.replace("[4, 8]", "[]"),
    GOOD.replace("[4, 8]", "0"),
    GOOD.replace('"5%"', '"narrow"'),
    GOOD.replace("[set]", 'placement = "sideways"\n[set]'),
    GOOD.replace("[set]", 'finish = "never"\n[set]'),
    GOOD.replace("[set]", 'on = "lab:tiny"\nrate = "fast"\n[set]'),
    GOOD.replace("[set]", 'on = "lab:tiny"\nrate = ["full", "0/2"]\n[set]'),
    GOOD.replace("[set]", 'on = "lab:tiny"\nrails = 0\n[set]'),
    GOOD.replace("[set]", 'on = "lab:dual-rail"\npolicy = "both"\n[set]'),
    GOOD.replace("[set]", 'on = "lab:dual-rail"\npolicy = "jobs:a"\n[set]'),
    'nics = "a b"\n' + GOOD.replace("[set]", 'policy = "nic0"\n[set]'),
    'transport = "ib"\n' + GOOD.replace("[set]", 'policy = "nic0"\n[set]'),
    GOOD.replace('[1, "2KiB"]', "true"),
)


@pytest.mark.parametrize("name", shipped())
def test_shipped_studies_fit_it_and_their_workloads_are_there(name: str) -> None:
    path = study_file(name)
    Draft202012Validator(study_schema()).validate(tomllib.loads(path.read_text(encoding="utf-8")))
    study, _ = read_study(path)
    assert study.cells


@pytest.mark.parametrize("text", BAD)
def test_it_refuses_what_the_reader_refuses(text: str) -> None:
    assert not Draft202012Validator(study_schema()).is_valid(tomllib.loads(text))
    with pytest.raises(StudyFileMistake):
        parse_study(text, source="bad.toml")


def test_it_takes_what_the_reader_takes() -> None:
    slower = GOOD.replace("[set]", 'on = "lab:tiny"\nrate = ["full", "half", "1/5", "12.5%"]\nrails = [1, 2]\n[set]')

    nics = '["default", "nic1", "round-robin", "local", "per-job", "jobs:a b=0,c=1"]'
    steered = 'nics = ["ib0", "mlx5_0:1"]\ntransport = "ucx"\n' + GOOD.replace("[set]", f"policy = {nics}\n[set]")

    for text, cells in ((GOOD, 4), (slower, 32), (steered, 24)):
        Draft202012Validator(study_schema()).validate(tomllib.loads(text))
        assert len(parse_study(text, source="good.toml").cells) == cells
