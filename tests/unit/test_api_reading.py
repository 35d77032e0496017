"""`stressbench.read` of files and directories of every kind, by what they say of themselves."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from support.golden import KEPT

import stressbench
from stressbench.formats.files import limits
from stressbench.formats.kinds import Kind

A_RUN_FILE = 'expected a StressBench run file, whose first line is a JSON object with "type": "header"'


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files that version 0.1.0 wrote."""
    monkeypatch.chdir(shutil.copytree(KEPT, tmp_path / "kept"))
    return Path.cwd()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("run.jsonl", stressbench.RunResults), ("app.trace", stressbench.TraceResults),
        ("profile.json", stressbench.ProfileResults), ("cg.json", stressbench.SensitivityResults),
        ("beff.jsonl", stressbench.BEffResults), ("beff-io.jsonl", stressbench.BEffIOResults),
        ("study", stressbench.StudyResults), ("degrade", stressbench.DegradeResults),
        ("rails", stressbench.RailsResults),
    ],
)  # fmt: skip
def test_the_file_says_what_it_is(files: Path, name: str, kind: type) -> None:
    shutil.move(name, "renamed")

    results = stressbench.read("renamed")

    assert type(results) is kind
    assert "<table" in results._repr_html_()
    assert re.match(r"# .*\w", results.report(format="md"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"type": "observation", "victim": "cg"}\n', f': type "observation"; expected {", ".join(Kind)}'),
        ('{"name": "something else"}\n', f": no type; expected {', '.join(Kind)}"),
        ("nonsense\n", f":1: not a run file: begins with b'n'; {A_RUN_FILE}"),
        ("", f": the file is empty; {A_RUN_FILE}"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "found").write_text(content)

    with pytest.raises(stressbench.StressBenchError) as refused:
        stressbench.read(tmp_path / "found")

    assert refused.value.exit_status == 2
    assert str(refused.value) == f"{tmp_path / 'found'}{message}"


def test_what_is_not_there_and_what_is_no_file_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for name, reason in (("gone", "no such file"), ("pipe", "is a FIFO"), (".", "is neither the directory of a study")):
        with pytest.raises(stressbench.StressBenchError, match=reason):
            stressbench.read(tmp_path / name)


def test_launches_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "launches.jsonl"
    path.write_text("{}\n")
    os.truncate(path, limits.FILE + 1)

    with pytest.raises(stressbench.StressBenchError, match=r"launches\.jsonl: ") as refused:
        stressbench.read(tmp_path)

    assert refused.value.exit_status == 2


def test_a_long_file_without_lines_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_text("{" + " " * (2 << 20))
    os.truncate(path, limits.RUN - 1)

    with pytest.raises(stressbench.StressBenchError, match="long: line 1 is longer than 32 MiB, the most that is read"):
        stressbench.read(path)


def test_one_kind_can_be_asked_for(files: Path) -> None:
    assert stressbench.read_run("run.jsonl").summary == stressbench.read("run.jsonl").summary
    with pytest.raises(stressbench.RunFileError):
        stressbench.read_run("app.trace")


def test_a_result_as_json_is_that_of_the_command(files: Path) -> None:
    golden = json.loads((KEPT.parent / "json" / "beff-io.json").read_text())

    assert json.loads(stressbench.read("beff-io.jsonl").report(format="json")).keys() == golden.keys()


def test_a_result_of_b_eff_io_has_the_texts_of_other_tools(files: Path) -> None:
    results = stressbench.read("beff-io.jsonl")

    assert isinstance(results, stressbench.BEffIOResults)
    assert results.summary().startswith("Summary of b_eff_io on ")
    assert 'begin result "b_eff_io-write-type0-' in results.skampi()
