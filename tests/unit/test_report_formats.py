"""A run's report in every format, and the numbers behind its figures as files."""

import csv
import io
import json
from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, build_run
from support.commands import CommandResult, invoke

from stressbench.console import escaped
from stressbench.formats.run import read_run
from stressbench.report import export
from stressbench.report.document import Document, Note, Notes, Paragraph, Section, Table, table_columns
from stressbench.report.renderers import render
from stressbench.report.renderers.csv_ import csv_text
from stressbench.report.run import FORMATS
from stressbench.stats import summarise

JOBS = (MadeJob(name="CG_1", congestion=1.5), MadeJob(name="=a|b", nodes="1", role="background"))
TABLES = ("distribution", "executions", "impacts", "placement", "rounds", "times")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_run(jobs=JOBS, plan=MadePlan(repetitions=100)).write(tmp_path)


def call(*arguments: object) -> CommandResult:
    return invoke(["report", *map(str, arguments)])


def test_all_formats_tell_the_same_numbers(path: Path) -> None:
    job = summarise(read_run(path)).jobs[0].timing
    texts = {name: call(path, "--format", name).stdout for name in FORMATS if name != "html"}

    line = next(csv.DictReader(io.StringIO(texts["csv"])))
    assert json.loads(texts["json"])[0]["jobs"][0]["timing"]["impact"]["ratio"] == job.impact.ratio
    assert float(line["impact"]) == job.impact.ratio
    assert float(line["p95_impact"]) == job.tails[1].ratio
    assert f"{job.impact.ratio:.3f} & {job.impact.low:.3f}--{job.impact.high:.3f}" in texts["latex"]
    assert f"| {job.impact.ratio:.2f} | [{job.impact.low:.2f}, {job.impact.high:.2f}] |" in texts["md"]
    assert "the interval is ±" in texts["md"]


def test_names_are_data_in_every_format(path: Path) -> None:
    assert "CG\\_1" in call(path, "--format", "latex").stdout
    assert "| =a\\|b (background) |" in call(path, "--format", "md").stdout
    assert "'=a|b" in call(path, "--format", "csv").stdout


@pytest.mark.parametrize("text", ["=1", "\n=1", " =1", "\ta", "\uff1d1", "\uff0b1", "-a", "@a"])
def test_texts_that_spreadsheets_take_for_formulas_are_quoted(text: str) -> None:
    assert csv_text(["a"], [[text]]).removeprefix("a\n").startswith(("'", "\"'"))


@pytest.mark.parametrize("text", ["-1.5", "+2", " -3", "a=1", "\uff11"])
def test_other_texts_are_not(text: str) -> None:
    assert csv_text(["a"], [[text]]) == f"a\n{text}\n"


@pytest.mark.parametrize("name", tuple(FORMATS))
def test_a_run_that_has_only_begun_is_told_in_every_format(tmp_path: Path, name: str) -> None:
    run = build_run(jobs=JOBS, complete=False)
    del run.records[1:]

    assert "CG" in FORMATS[name]([read_run(run.write(tmp_path))])


def test_an_unknown_format_is_refused_with_what_is_known(path: Path) -> None:
    ended = call(path, "--format", "htm")

    assert ended.exit_code == 2
    assert "--format: unknown format 'htm'; did you mean 'html'? known: csv, html, json, latex, md" in ended.stderr
    assert not path.with_suffix(".html").exists()


def test_the_numbers_behind_the_figures_are_files(path: Path, tmp_path: Path) -> None:
    ended = call(path, "--data", tmp_path / "numbers")

    assert ended.exit_code == 0
    assert tuple(sorted(found.stem for found in (tmp_path / "numbers").glob("*.csv"))) == TABLES
    rounds = list(csv.DictReader((tmp_path / "numbers" / "rounds.csv").open(newline="")))
    assert float(rounds[0]["median_s"]) == summarise(read_run(path)).jobs[0].timing.rounds[0].median_s


def test_files_of_several_runs_are_told_apart(path: Path, tmp_path: Path) -> None:
    call(path, path, "--format", "csv", "--data", tmp_path)

    assert (tmp_path / "run1-rounds.csv").read_text() == (tmp_path / "run2-rounds.csv").read_text()


def test_without_pyarrow_there_is_csv_and_a_remedy(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "find_spec", lambda _: None)

    ended = call(path, "--data", tmp_path / "numbers")

    assert ended.exit_code == 0
    assert "pip install 'stressbench[parquet]'" in ended.stderr
    assert not list((tmp_path / "numbers").glob("*.parquet"))


def test_a_folder_that_cannot_be_made_is_named(path: Path) -> None:
    ended = call(path, "--data", path)

    assert ended.exit_code == 2
    assert f"--data: {path}: " in ended.stderr


def test_parquet_holds_what_csv_holds_with_types(path: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install pyarrow")

    call(path, "--data", tmp_path)

    for name in TABLES:
        table = parquet.read_table(tmp_path / f"{name}.parquet")
        lines = list(csv.DictReader((tmp_path / f"{name}.csv").open(newline="")))
        assert (table.num_rows, table.column_names) == (len(lines), list(lines[0]))
    assert str(parquet.read_schema(tmp_path / "rounds.parquet").field("median_s").type) == "double"
    assert parquet.read_table(tmp_path / "rounds.parquet")["job"][-1].as_py() == "=a|b"  # guarded in CSV only


HOSTILE = 'a\x1b[31m\x9b\u202e<img src=x onerror="alert(1)">&lt;[b](javascript:c)|'


@pytest.mark.parametrize("name", ["md", "csv", "latex"])
def test_what_is_written_to_a_file_neither_steers_a_terminal_nor_becomes_markup(tmp_path: Path, name: str) -> None:
    run = build_run(jobs=(MadeJob(name=HOSTILE), MadeJob(name="b", nodes="1")), plan=MadePlan()).write(tmp_path)

    call(run, "--format", name, "-o", tmp_path / "out")

    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert "31m" in text
    assert escaped(text) == text
    if name == "md":
        assert "<" not in text
        assert "&lt;img" in text
        assert "&amp;lt;" in text
        assert "](" not in text


def test_no_text_defines_a_link_or_ends_a_cell() -> None:
    table = Table(columns=table_columns(("name",), text_columns=1), rows=(("![a][l]",), (r"a\|b",)))
    section = Section(blocks=(table, Paragraph(text="[l]: http://evil/x.png")))

    text = render("md", Document(title="T", sections=(section,)))

    assert "]:" not in text
    assert r"| a\\\|b |" in text


@pytest.mark.parametrize("name", ["[1cm] CG", "* CG"])
def test_no_name_becomes_an_option_of_latex(name: str) -> None:
    table = Table(columns=table_columns(("job",), text_columns=1), rows=((name,),), caption="c")

    assert f"\n{{}}{name} " in render("latex", Document(title="T", sections=(), summary=table))


def test_documents_escape_what_they_tell() -> None:
    table = Table(title=HOSTILE, columns=table_columns((HOSTILE,), text_columns=1), rows=((HOSTILE,),), caption=HOSTILE)
    notes = Notes(title="Notes", notes=(Note(text=HOSTILE),))
    section = Section(blocks=(Paragraph(text=HOSTILE), table, notes))

    text = render("md", Document(title=HOSTILE, sections=(section,)))

    assert escaped(text) == text
    assert "<" not in text
    assert "](" not in text
    assert text.count("&lt;img") == 7
