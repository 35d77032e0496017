"""`stressbench sensitivity`, and `--report` of commands that only read: which files, which formats, how it ends."""

import json
from pathlib import Path

import pytest
from support.commands import call
from support.sensitivities import aggressor, victim, write_profile

from stressbench.formats.profiles.coruns import CoRun, to_line
from stressbench.formats.profiles.store import Store

CG, FFT = victim({0.2: 1.1, 0.5: 1.5}, name="cg"), victim({0.2: 1.02, 0.5: 1.2}, name="fft")
SEEN = CoRun(victim="cg", aggressors=("fft",), slowdown=1.25, interval=(1.2, 1.3), source="made up")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for one in (CG, FFT):
        write_profile(tmp_path, one)
        Store(folder=tmp_path / "store").save(one)
    (tmp_path / "co-runs.jsonl").write_text(to_line(SEEN), encoding="utf-8")
    (tmp_path / "folder.html").mkdir()
    return tmp_path


def test_a_profile_is_told_on_standard_output(folder: Path) -> None:
    ended = call("sensitivity", "cg.json")

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("cg on lab\ncg keeps the switch busy for 30.0 % [")
    assert "P = 1, M = 1, B = 1.00 s" in ended.stdout


def test_names_are_looked_up_in_a_store_and_no_names_are_all(folder: Path) -> None:
    named = call("sensitivity", "fft", "--store", "store", "--format", "json")
    everybody = call("sensitivity", "--store", "store", "--machine", "lab", "--format", "json")

    assert [one["application"] for one in json.loads(named.stdout)] == ["fft"]
    assert [one["application"] for one in json.loads(everybody.stdout)] == ["cg", "fft"]


def test_a_page_goes_into_a_file_whose_name_is_told_and_replaces_what_is_there(folder: Path) -> None:
    (folder / "all.html").write_text("old")

    ended = call("sensitivity", "cg.json", "fft.json", "--format", "html", "-o", "all.html")

    assert (ended.exit_code, ended.stdout) == (0, "all.html\n")
    page = (folder / "all.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "Interference profiles of 2 applications on lab" in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cg.json --format pdf", "--format: unknown format 'pdf'; known: csv, html, json, latex, md, text"),
        ("gone.json", "gone.json: no such file or folder; names of applications need --store DIR"),
        ("co-runs.jsonl", 'expected an object with "type": "sensitivity"'),
        ("cg.json --machine other", "machine 'lab': --machine asks for 'other'"),
        ("milc --store store", "milc: no such application in store/lab: cg, fft"),
        ("cg.json -o folder.html", "--output: folder.html: is a directory"),
        ("cg.json -o gone/a.txt", "--output: gone/a.txt: no such file or directory"),
    ],
)
def test_what_is_wrong_is_told_in_one_message(folder: Path, words: str, said: str) -> None:
    ended = call("sensitivity", *words.split())

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said.lower() in ended.stderr.lower()


PREDICTIONS = pytest.mark.parametrize(
    ("words", "title"),
    [
        ("cg.json fft.json", "2 applications beside each other on lab"),
        ("evaluate cg.json fft.json --observed co-runs.jsonl", "10 models against 1 co-run on lab"),
        ("place cg.json fft.json --switches 1", "2 applications on 1 switch of lab"),
    ],
)


@PREDICTIONS
def test_predictions_are_printed_and_written_as_a_page(folder: Path, words: str, title: str) -> None:
    plain = call("predict", *words.split())
    ended = call("predict", *words.split(), "--report", "p.html")

    assert (ended.exit_code, ended.stderr) == (0, "stressbench: wrote p.html\n")
    assert ended.stdout == plain.stdout
    assert f"<h1>{title}</h1>" in (folder / "p.html").read_text(encoding="utf-8")


@PREDICTIONS
@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("p.pdf", "--report: p.pdf should end in .html"),
        ("folder.html", "--report: folder.html is a directory"),
        ("gone/p.html", "is not a directory"),
    ],
)
def test_a_page_that_cannot_be_is_told_before_anything_is_read(
    folder: Path, words: str, title: str, page: str, said: str
) -> None:
    (folder / "cg.json").write_text("broken")

    ended = call("predict", *words.split(), "--report", page)

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_page_says_why_nobody_can_tell_and_the_status_stays_1(folder: Path) -> None:
    write_profile(folder, aggressor(0.3, name="a"))

    ended = call("predict", "a.json", "a.json", "--report", "p.html")

    assert ended.exit_code == 1
    assert "a was not measured at any congestion level" in (folder / "p.html").read_text(encoding="utf-8")
