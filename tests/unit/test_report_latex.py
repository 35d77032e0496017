"""`--format latex`: booktabs tables that compile as they are, whatever names they hold."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, build_run
from support.commands import invoke
from support.golden import KEPT

from stressbench.report.document import (
    Column,
    Document,
    HeatCell,
    Interval,
    Section,
    Table,
    columns,
)
from stressbench.report.renderers import render

NASTY = r"a&b%c$d#e_f{g}h~i^j\k\input{x} × – µ → …"
COMMANDS = {
    "report": ("report", "run.jsonl", "other.jsonl"),
    "study": ("study", "report", "study"),
    "degrade": ("degrade", "report", "degrade"),
    "rails": ("rails", "report", "rails", "--profile", "profile.json"),
    "sensitivity": ("sensitivity", "cg.json", "fft.json"),
}
FRAME = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n%s\\end{document}\n"
needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not installed: apt install texlive-latex-recommended"
)


def latex(*words: str) -> str:
    ended = invoke([*words, "--format", "latex"])
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def compiled(folder: Path, text: str) -> str:
    """What pdflatex prints, after a compilation without errors; nothing may start programs or read other files."""
    (folder / "paper.tex").write_text(FRAME % text, encoding="utf-8")
    ended = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],
        cwd=folder, capture_output=True, text=True, errors="replace", timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-2000:]
    return ended.stdout


def nasty_document() -> Document:
    heads = (*columns(texts=(NASTY,), numbers=("n",)), Column(head="time", unit="ms"), Column(head="95 %"))
    rows = (
        (NASTY, "12 %", None, Interval(low=1.0, high=1.5)), ("[1cm] x", "1.5 ms", "–", Interval(low=None, high=None)),
        ("* x", HeatCell(text="2.0", detail="[1.9, 2.1]", shade=1.0, slower=True), "-", "1_0"),
    )  # fmt: skip
    tables = (Table(columns=heads, rows=rows, title=NASTY, caption=NASTY), Table(columns=heads, rows=rows))
    return Document(title=NASTY, sections=(Section(blocks=tables),))


def test_a_table_has_rules_columns_a_caption_and_a_label(tmp_path: Path) -> None:
    run = build_run(jobs=(MadeJob(name="CG_1", congestion=1.5),), plan=MadePlan(blocks=8)).write(tmp_path)

    lines = latex("report", str(run)).splitlines()

    assert lines[0] == r"% needs \usepackage{booktabs}"
    assert lines[1:3] == [r"\begin{table}", r"\centering"]
    assert lines[3].startswith(r"\caption{Impact: contended over isolated time")
    assert lines[4] == r"\label{tab:stressbench}"
    assert lines[5] == r"\begin{tabular}{llrrrrrr}"
    assert [line for line in lines if line.endswith("rule")] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert re.fullmatch(r"run\.jsonl & CG\\_1 & 1\S* & 1\S* & 1\.\d{3} & 1\.\d{3}--1\.\d{3} & \S+ & \S+ \\\\", lines[9])
    assert lines[-2:] == [r"\end{tabular}", r"\end{table}"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_report_has_tables_with_labels_of_their_own(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(KEPT)

    text = latex(*COMMANDS[name])

    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels)) == text.count(r"\begin{table}") == text.count(r"\end{table}") >= 1
    assert text.count(r"\caption{") == len(labels)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert rows


def test_names_are_escaped_and_unknown_values_are_dashes() -> None:
    text = render("latex", nasty_document())

    first = next(line for line in text.splitlines() if line.startswith(r"a\&b\%c"))
    assert first.startswith(r"a\&b\%c\$d\#e\_f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k")
    assert r"12\,\% & -- & 1.000--1.500 \\" in text
    assert r"{}[1cm] x & 1.5\,ms & -- & -- \\" in text
    assert r"{}* x & 2.0 [1.9, 2.1] & -- & 1\_0 \\" in text
    assert r"\input" not in text
    assert r"\label{tab:stressbench-2}" in text


@needs_latex
def test_hostile_names_compile(tmp_path: Path) -> None:
    compiled(tmp_path, render("latex", nasty_document()))


@needs_latex
@pytest.mark.parametrize("name", COMMANDS)
def test_every_report_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(KEPT)

    assert "Undefined control sequence" not in compiled(tmp_path, latex(*COMMANDS[name]))
