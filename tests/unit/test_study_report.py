"""What a study found, told in each format; and packs that are as they were written."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.studies import STUDY, FakeLaunches, carry_out, study_in

from stressbench.experiments.study.packing import pack, verify
from stressbench.experiments.study.results import results_of
from stressbench.experiments.study.running import LaunchResult
from stressbench.formats.study.errors import StudyMistake
from stressbench.report.study import FORMATS


@pytest.fixture
def made(tmp_path: Path):
    """All runs but one, which was given up."""
    directory = study_in(tmp_path, STUDY.replace("made up", "50 % | under_load"))
    failing = {number: LaunchResult(status=3, reason="rank 1 was ended by SIGKILL") for number in (0, 12)}
    carry_out(directory, FakeLaunches(results=failing))
    return directory


def test_a_report_has_every_cell_and_names_what_failed(made) -> None:
    report = results_of(made)[0]

    assert report.factors == ("placement", "set.size")
    assert dict(report.fixed) == {"workload": "two.sb", "ranks": "4", "on": "local"}
    assert (report.planned, report.done, len(report.cells)) == (12, 11, 6)
    assert sorted(cell.done for cell in report.cells) == [1, 2, 2, 2, 2, 2]
    assert [(one.run, one.attempts, one.status, one.reason) for one in report.failures] == [
        (made.study.runs[0].id, 2, 3, "rank 1 was ended by SIGKILL")
    ]
    assert report.cells[0].jobs[0].impact.ratio == pytest.approx(1.5, rel=0.05)


def test_json_and_csv_hold_the_same_numbers(made) -> None:
    report = results_of(made)[0]

    values = json.loads(FORMATS["json"](report))
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"](report))))

    assert len(lines) == 12
    assert float(lines[0]["impact"]) == values["cells"][0]["jobs"][0]["impact"]["ratio"]
    assert lines[0]["interval_from"] == "blocks"


def test_what_is_unknown_is_null_or_empty_and_no_zero(tmp_path: Path) -> None:
    report = results_of(study_in(tmp_path))[0]

    values = json.loads(FORMATS["json"](report))
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"](report))))

    assert [cell["jobs"] for cell in values["cells"]] == [[]] * 6
    assert {(line["job"], line["impact"], line["runs_done"]) for line in lines} == {("", "", "0")}
    assert "| linear | 4KiB | - | - | - | - | - | 0 of 2 |" in FORMATS["md"](report)
    assert r"linear & 4KiB & -- & -- & -- & -- & -- \\" in FORMATS["latex"](report)


def test_texts_of_the_file_are_data_in_every_format(made) -> None:
    report = results_of(made)[0]

    assert FORMATS["md"](report).startswith("# 50 % \\| under_load\n")
    assert r"\caption{50 \% | under\_load." in FORMATS["latex"](report)


def test_a_report_says_what_its_intervals_cannot_see(made) -> None:
    assert any(
        "cover the variation between the rounds of a run, not between launches" in note
        for note in results_of(made)[0].notes
    )


def test_a_run_file_that_is_gone_is_told_and_the_rest_is_reported(made) -> None:
    lost = made.path / "runs" / f"{made.study.runs[3].id}.jsonl"
    lost.unlink()

    report = results_of(made)[0]

    assert [note for note in report.notes if lost.name in note]
    assert sum(bool(cell.jobs) for cell in report.cells) == 6


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda path: path.unlink(), "runs/{name} is missing"),
        (lambda path: path.write_text("{}"), "runs/{name} has changed: its SHA-256 is"),
        (lambda path: path.with_name("more.jsonl").write_text(""), "runs/more.jsonl was not packed"),
    ],
)
def test_an_unpacked_study_that_was_changed_is_noticed(made, tmp_path: Path, change, reported: str) -> None:
    import tarfile

    pack(made, tmp_path / "p.tar.gz")
    with tarfile.open(tmp_path / "p.tar.gz") as archive:
        archive.extractall(tmp_path / "there", filter="data")
    there = tmp_path / "there" / "p"
    assert verify(there).complaints == ()
    victim = sorted((there / "runs").iterdir())[0]

    change(victim)

    assert [reported.format(name=victim.name) in complaint for complaint in verify(there).complaints] == [True]


def test_a_pack_is_never_written_over_and_its_name_says_how(made, tmp_path: Path) -> None:
    pack(made, tmp_path / "p.tar.gz")

    with pytest.raises(StudyMistake, match=r"p.tar.gz already exists"):
        pack(made, tmp_path / "p.tar.gz")
    with pytest.raises(StudyMistake, match=r"p.zip: expected a name that ends in .tar.gz or .tar.zst"):
        pack(made, tmp_path / "p.zip")


def test_a_pack_that_is_cut_off_is_refused(made, tmp_path: Path) -> None:
    pack(made, tmp_path / "p.tar.gz")
    whole = (tmp_path / "p.tar.gz").read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])

    with pytest.raises(StudyMistake, match=r"cut.tar.gz"):
        verify(tmp_path / "cut.tar.gz")


def test_a_directory_whose_run_changed_is_noticed(made) -> None:
    assert verify(made.path).complaints == ()
    victim = made.path / "runs" / f"{made.study.runs[3].id}.jsonl"
    victim.write_text(victim.read_text().replace("0.9", "0.8", 1))

    assert verify(replace(made).path).complaints == (f"{victim}: has changed since its run finished",)
