"""The page of a profile: what stands in it. tests/nightly/test_profile_browser.py: what a browser makes of it."""

import re
from pathlib import Path

import pytest
from support.profile_pages import page_of, ring_called_nasty
from support.traces import MadeRank, MadeTrace, allreduce, ring, write_lines

from stressbench.formats.trace import read_trace
from stressbench.report.renderers import render
from stressbench.report.traffic import document
from stressbench.tracing.profile import profile_of


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(tmp_path_factory.mktemp("page"), ring_called_nasty())


def test_it_begins_with_findings_and_holds_figures_and_tables(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert "% of the ranks&#39; time passed in MPI" in text or "% of the ranks' time passed in MPI" in text
    assert re.findall(r'<figure id="profile-(\w+)"', text) == ["phases", "balance", "matrix", "sizes"]
    assert re.findall(r'<table id="profile-(\w+)"', text) == [
        *("columns", "split", "operations", "sites", "communicators", "pairs", "ranks")
    ]


def test_every_figure_says_what_is_compared_and_how_to_read_it(page: Path) -> None:
    figures = re.findall(r"<figure.*?</figure>", page.read_text(encoding="utf-8"), re.DOTALL)

    assert all(re.search(r"<h3>[^<]+</h3>", figure) for figure in figures)
    assert all("n = " in figure for figure in figures)
    assert all(re.search(r"<figcaption>[^<]{80,}</figcaption>", figure) for figure in figures)


def test_what_a_program_is_called_cannot_become_a_part_of_the_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert text.count("<script") == 1
    assert "&lt;script&gt;" in text


def test_a_program_that_sends_nothing_has_a_page_without_a_matrix(tmp_path: Path) -> None:
    text = page_of(tmp_path, MadeTrace([MadeRank([allreduce(n=5)])] * 2)).read_text(encoding="utf-8")

    assert re.findall(r'<figure id="profile-(\w+)"', text) == ["phases", "balance", "sizes"]


def test_a_file_without_a_rank_has_a_page(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "t.trace", ring_called_nasty().records()[:1])

    assert "0 of 8 ranks are whole" in render("html", document.page(profile_of(read_trace(path))))


def test_thousands_of_ranks_make_a_page_of_bounded_size(tmp_path: Path) -> None:
    size = len(page_of(tmp_path, ring(2000, nodes=500)).read_bytes())

    assert size < 1_500_000
