"""Studies that ship: found by name in a checkout and in an installed package, and right as far as no rank is needed."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from support.commands import invoke

from stressbench.experiments.study import catalog
from stressbench.experiments.study.catalog import shipped, shipped_folder, study_file
from stressbench.experiments.study.cell_targets import absolute
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study, read_study
from stressbench.launch.targets import resolve_target

CHECKOUT = Path(__file__).parents[2]
# Cells, runs, and what varies.
EXPECTED = {
    "quickstart": (3, 3, ["placement"]),
    "small": (8, 8, ["placement", "set.pattern", "set.write"]),
    "cluster/full-system": (6, 6, ["placement", "set.traffic"]),
    "cluster/gpcnet": (5, 5, ["placement"]),
    "cluster/io-study": (48, 192, ["placement", "set.pattern", "set.write"]),
    "cluster/validation": (2, 20, ["placement"]),
    "lab/degrade": (56, 56, ["ranks", "rate", "set.pattern", "set.nodes"]),
    "lab/full-system": (4, 4, ["on", "set.traffic"]),
    "lab/gpcnet": (6, 6, ["placement", "rate"]),
    "lab/io-study": (48, 48, ["placement", "on", "set.pattern", "set.write"]),
    "lab/pairs": (21, 21, ["set.a", "set.b"]),
    "lab/validation": (2, 6, ["placement"]),
    "simulated/full-system": (36, 36, ["placement", "ranks", "on", "set.traffic", "set.nodes", "set.write"]),
    "simulated/gpcnet": (3, 3, ["rate"]),
    "simulated/io-study": (144, 144, ["placement", "ranks", "on", "set.pattern", "set.nodes", "set.write"]),
    "simulated/io-study-lab": (48, 48, ["placement", "on", "set.pattern", "set.write"]),
    "simulated/validation": (2, 2, ["placement"]),
}
# Those on a smaller lab, whose full rates two cores can fill.
BOTH_MACHINES = {("lab:tinis", 16), ("lab:isambard", 16)}
PLACES = {
    "lab/degrade": {("lab:tiny", 2), ("lab:tiny", 4)},
    "lab/full-system": BOTH_MACHINES,
    "lab/io-study": BOTH_MACHINES,
    "lab/pairs": {("lab:tiny", 16)},
}
RATES = {"lab/degrade": {"full", "1/2", "1/4", "1/8"}, "lab/pairs": {None}}
LABS = [name for name in EXPECTED if name.startswith("lab/")]
SIMULATED = [name for name in EXPECTED if name.startswith("simulated/")]


def study(name: str) -> Study:
    return read_study(study_file(name))[0]


def test_those_are_all() -> None:
    assert shipped() == tuple(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_shipped_study_is_planned_by_its_name(name: str) -> None:
    planned = invoke(f"study plan {name} --json")

    values = json.loads(planned.stdout)
    assert (len(values["cells"]), len(values["runs"]), values["factors"]) == EXPECTED[name]
    assert values["about"]


@pytest.mark.parametrize("name", LABS)
def test_a_study_takes_less_than_twenty_minutes_a_lab_on_this_machine(name: str) -> None:
    cells = study(name).cells
    values = json.loads(invoke(f"study plan {name} --json").stdout)

    assert values["most_s"] / len({cell.on for cell in cells}) < 20 * 60
    assert {(cell.on, cell.ranks) for cell in cells} == PLACES.get(name, {("lab:tinis", 16)})
    assert {None if cell.rate is None else str(cell.rate) for cell in cells} <= RATES.get(name, {"1/5", "1/10"})


@pytest.mark.parametrize("name", SIMULATED)
def test_a_simulated_study_s_platform_holds_its_ranks(name: str) -> None:
    folder = study_file(name).absolute().parent
    places = {(absolute(cell.on, folder=folder), cell.rate, cell.ranks) for cell in study(name).cells}

    for on, rate, ranks in places:
        assert resolve_target(on, environment={}, rate=rate).ranks == ranks


def test_list_has_a_line_a_study() -> None:
    text = invoke("study list").stdout
    values = json.loads(invoke("study list --json").stdout)

    assert [tuple(line.split()[:3]) for line in text.splitlines()[2:]] == [
        (name, str(cells), str(runs)) for name, (cells, runs, _) in EXPECTED.items()
    ]
    assert {entry["study"]: (entry["cells"], entry["runs"]) for entry in values} == {
        name: (cells, runs) for name, (cells, runs, _) in EXPECTED.items()
    }


def test_a_word_that_is_no_name_is_a_file_s() -> None:
    assert study_file("mine.toml") == Path("mine.toml")
    with pytest.raises(StudyMistake, match=r"unknown study 'lab/gpcnte'; did you mean 'lab/gpcnet'\? known: quick"):
        study_file("lab/gpcnte")


def test_an_installed_package_has_them_with_all_that_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel is what pyproject.toml maps."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    for target, source in settings["wheel"]["packages"].items():
        if target != "stressbench":
            shutil.copytree(CHECKOUT / source, tmp_path / target)
    monkeypatch.setattr(catalog, "files", lambda _: tmp_path / "stressbench")

    assert shipped() == tuple(EXPECTED)
    assert all(study(name).cells for name in EXPECTED)
    assert study_file("small").is_relative_to(tmp_path)
    assert (shipped_folder("schema") / "run.schema.json").is_file()
