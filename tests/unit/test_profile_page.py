"""The page of a profile: what stands in it, and what a browser makes of it."""

import re
from pathlib import Path

import numpy as np
import pytest
from support.browser import CHROMIUM, DARK, browse, fetched, only, photograph, places
from support.traces import MadeRank, MadeTrace, allreduce, ring, write_lines

from stressbench.model import read_trace
from stressbench.report.page.traffic import render_profile
from stressbench.report.palette import ALONE, JOBS, PAPER
from stressbench.report.traffic.layers import LAYERS
from stressbench.trace.profile import profile_of

NASTY = "<script>document.title='hit'</script>"
SHADE = "#2187cc"  # what most bytes are drawn in
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def made(ranks: int = 8) -> MadeTrace:
    trace = ring(ranks, slow=3)
    trace.header = {"program": NASTY}
    trace.symbols = {"cg+0x1000": f"{NASTY} (cg.c:12)"}
    return trace


def page_of(folder: Path, trace: MadeTrace) -> Path:
    path = folder / "profile.html"
    path.write_text(render_profile(profile_of(read_trace(trace.write(folder)))), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(tmp_path_factory.mktemp("page"), made())


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

    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_a_program_that_sends_nothing_has_a_page_without_a_matrix(tmp_path: Path) -> None:
    text = page_of(tmp_path, MadeTrace([MadeRank([allreduce(n=5)])] * 2)).read_text(encoding="utf-8")

    assert re.findall(r'<figure id="profile-(\w+)"', text) == ["phases", "balance", "sizes"]


def test_a_file_without_a_rank_has_a_page(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "t.trace", made().records()[:1])

    assert "0 of 8 ranks are whole" in render_profile(profile_of(read_trace(path)))


def test_thousands_of_ranks_make_a_page_of_bounded_size(tmp_path: Path) -> None:
    size = len(page_of(tmp_path, ring(2000, nodes=500)).read_bytes())

    assert size < 1_500_000


@pytest.mark.browser
@needs_browser
def test_the_matrix_draws_each_rank_s_neighbour_beside_the_diagonal(page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(page, "profile-matrix", tmp_path), tmp_path)

    cells = places(pixels, SHADE)
    cells = cells[cells[:, 1] < 0.8 * pixels.shape[1]]  # without the scale
    (top, left), (bottom, right) = cells.min(axis=0), cells.max(axis=0)
    side = (right - left + 1) / 8
    filled = np.zeros((9, 9))
    np.add.at(filled, tuple(((cells - (top, left)) // side).astype(int).T), 1 / side**2)
    assert {(int(row), int(column)) for row, column in np.argwhere(filled > 0.5)} == {
        (rank, (rank + 1) % 8) for rank in range(8)
    }
    assert bottom - top == pytest.approx(right - left, abs=2)


@pytest.mark.browser
@needs_browser
def test_the_rank_that_works_while_others_wait_has_more_grey(page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(page, "profile-balance", tmp_path), tmp_path)

    grey = places(pixels, ALONE.light)
    grey = grey[grey[:, 0] > 100]  # without the legend
    heights = np.bincount(grey[:, 1], minlength=pixels.shape[1])
    filled = np.flatnonzero(heights > 0)
    bars = np.array_split(heights[filled[0] : filled[-1] + 1], 8)
    assert int(np.argmax([np.median(bar) for bar in bars])) == 3


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize(("flags", "theme"), [((), "light"), (DARK, "dark")])
def test_the_timeline_has_every_class_in_both_themes(
    page: Path, tmp_path: Path, flags: tuple[str, ...], theme: str
) -> None:
    pixels = photograph(only(page, "profile-phases", tmp_path), tmp_path, *flags)

    assert len(places(pixels, getattr(PAPER, theme))) > 1000
    present = [layer.tone for layer in LAYERS if layer.key != "other"]
    assert all(len(places(pixels, getattr(tone, theme))) > 100 for tone in present)
    assert len(places(pixels, getattr(JOBS[4], theme))) == 0


@pytest.mark.browser
@needs_browser
def test_nothing_is_fetched_no_script_ran_and_nothing_is_complained_about(page: Path, tmp_path: Path) -> None:
    log = tmp_path / "net.json"

    seen = browse(page, tmp_path, "--enable-logging=stderr", f"--log-net-log={log}", "--dump-dom")

    assert fetched(log) == []
    assert "CONSOLE" not in seen.stderr
    assert "<title>hit</title>" not in seen.stdout
