"""The report in a real browser: what is drawn where, in light and dark, on paper width and on a telephone.

Nothing is fetched and nothing is complained about.
"""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.browser import DARK, Pixels, browse, fetched, needs_browser, only, photograph, places
from support.builders import MadeJob, MadeMachine, MadePlan, build_run
from support.networks import run_on

from stressbench.formats.run import read_run
from stressbench.labs.networks import read_network
from stressbench.report.palette import BACKGROUND, FULL, ISOLATED, JOBS, Tone
from stressbench.report.run import FORMATS

render = FORMATS["html"]
MEASURE = """<script>
addEventListener("load", () => {
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const cut = [...document.querySelectorAll("body *")].filter((one) => {
    if (one.closest("svg") || one.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let outer = one; outer; outer = outer.parentElement) if (scrolls(outer)) return false;
    return true;
  });
  const regions = [...document.querySelectorAll(".scroll, .drawing")];
  const wide = regions.filter((one) => one.scrollWidth > one.clientWidth + 1);
  const unmarked = wide.filter((one) => !getComputedStyle(one).backgroundAttachment.includes("local"));
  const captions = [...document.querySelectorAll("caption span")].filter(
    (one) => one.getBoundingClientRect().right > innerWidth + 1);
  const report = document.createElement("pre");
  report.id = "widths";
  report.textContent = [innerWidth, document.documentElement.scrollWidth, cut.length, wide.length, unmarked.length,
    captions.length].join(" ");
  document.body.append(report);
});
</script>"""
"""Reports the widths of window and document, and the numbers of elements that are cut off, of tables and drawings that
scroll, of those that do not show it, and of captions that are cut off."""

NASTY = "<script>document.title='hit'</script>"
pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of four jobs, one with a hostile name, one in the background, on twelve nodes."""
    folder = tmp_path_factory.mktemp("page")
    jobs = (
        MadeJob(name="TeaLeaf_CG", congestion=1.4, nodes="0-3"),
        MadeJob(name=NASTY, congestion=1.2, nodes="4-7"),
        MadeJob(name="Incast", congestion=1.1, nodes="8-9"),
        MadeJob(name="noise", role="background", nodes="10"),
    )
    machine = MadeMachine(hosts=tuple(f"a{number}" for number in range(12)))
    run = read_run(build_run(jobs=jobs, machine=machine, plan=MadePlan(blocks=8)).write(folder))
    path = folder / "report.html"
    path.write_text(render([run]), encoding="utf-8")
    return path


def share(found: NDArray[np.intp], pixels: Pixels, *, columns: Sequence[float]) -> float:
    """How many of the places lie between these fractions of the width."""
    left, right = (fraction * pixels.shape[1] for fraction in columns)
    return float(np.mean((found[:, 1] >= left) & (found[:, 1] < right)))


def test_each_job_s_colour_fills_its_nodes_in_order(page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(page, "run1-placement", tmp_path), tmp_path)[:190]  # cells, without the legend

    lefts = [places(pixels, tone.light)[:, 1].min() for tone in JOBS[:4]]
    areas = [len(places(pixels, tone.light)) for tone in JOBS[:4]]
    assert lefts == sorted(lefts)
    assert len(places(pixels, JOBS[4].light)) == 0
    assert areas[0] > 3000
    assert areas[2] < 0.8 * areas[0]


def test_a_hatch_is_drawn_over_the_colour(page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(page, "run1-placement", tmp_path), tmp_path)[:190]

    cells = places(pixels, JOBS[0].light)
    (top, left), (bottom, right) = cells.min(axis=0), cells.max(axis=0)
    inside = pixels[top + 1 : top + (bottom - top) // 4, left + 1 : left + (right - left) // 6]  # above its number
    lighter = inside.mean(axis=2) > inside.mean(axis=2).min() + 0.2  # than the job's own colour
    assert 0.15 < lighter.mean() < 0.8


def test_the_job_that_is_slowed_most_stands_furthest_right(page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(page, "run1-impacts", tmp_path), tmp_path)

    # The diamond is higher than the bar and the dots: its middle is the column with most of the colour.
    centres = [int(np.bincount(places(pixels, tone.light)[:, 1]).argmax()) for tone in JOBS[:3]]
    heights = [float(np.median(places(pixels, tone.light), axis=0)[0]) for tone in JOBS[:3]]
    assert centres[0] > centres[1] + 50 > centres[2] + 70
    assert heights == sorted(heights)
    assert len(places(pixels, JOBS[3].light)) == 0


def test_contended_boxes_lie_right_of_and_below_the_isolated_ones(page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(page, "run1-boxes", tmp_path), tmp_path)[:200]  # the first panel

    isolated, others = places(pixels, ISOLATED.light), places(pixels, JOBS[0].light)
    assert len(isolated) > 100
    assert others[:, 1].min() > np.median(isolated[:, 1])
    assert np.median(others[:, 0]) > np.median(isolated[:, 0]) + 15


@pytest.mark.parametrize(("flags", "theme"), [((), "light"), (DARK, "dark")])
def test_the_theme_follows_the_reader(page: Path, tmp_path: Path, flags: Sequence[str], theme: str) -> None:
    pixels = photograph(page, tmp_path, *flags)

    def of(tone: Tone) -> str:
        return str(getattr(tone, theme))

    assert len(places(pixels, of(BACKGROUND))) > 0.7 * pixels.shape[0] * pixels.shape[1]
    assert len(places(pixels, of(JOBS[0]))) > 50


def test_a_narrow_page_keeps_its_words_in_view(page: Path, tmp_path: Path) -> None:
    pixels = photograph(page, tmp_path, width=500, height=1200)

    ink = np.argwhere(pixels.max(axis=2) < 0.3)
    assert share(ink, pixels, columns=(0, 0.02)) == 0
    assert share(ink[ink[:, 0] < 400], pixels, columns=(0.03, 0.97)) > 0.98


def test_the_document_holds_tables_and_drawings_and_only_its_own_script(page: Path, tmp_path: Path) -> None:
    document = browse(page, tmp_path, "--dump-dom").stdout

    assert "<title>StressBench: demo.sb</title>" in document
    assert re.findall(r'<table id="run1-(\w+)"', document) == ["jobs", "percentiles", "motifs", "hosts"]
    assert re.findall(r'<figure id="run1-(\w+)"', document) == [
        "impacts",
        "boxes",
        "distribution",
        "placement",
        "tails",
        "timeline",
    ]
    assert "&lt;script&gt;document.title" in document
    assert len(re.findall(r"<script\b", document)) == 1
    assert "<title>hit</title>" not in document


def test_nothing_is_fetched_and_nothing_is_complained_about(page: Path, tmp_path: Path) -> None:
    log = tmp_path / "net.json"

    errors = browse(page, tmp_path, "--enable-logging=stderr", f"--log-net-log={log}", "--dump-dom").stderr

    assert fetched(log) == []
    assert "CONSOLE" not in errors


def test_a_complaint_would_be_noticed(page: Path, tmp_path: Path) -> None:
    """The test above looks where the browser complains: a fetched picture is refused by the page's own policy."""
    corrupted = tmp_path / "corrupted.html"
    text = page.read_text(encoding="utf-8")
    corrupted.write_text(text.replace("<main>", '<main><img src="http://192.0.2.1/x.png">'), encoding="utf-8")

    assert "CONSOLE" in browse(corrupted, tmp_path, "--enable-logging=stderr", "--dump-dom").stderr


def test_a_fetch_would_be_noticed(page: Path, tmp_path: Path) -> None:
    corrupted, log = tmp_path / "corrupted.html", tmp_path / "net.json"
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page.read_text(encoding="utf-8"))
    corrupted.write_text(text.replace("<main>", '<main><img src="http://127.0.0.1:9/x.png">'), encoding="utf-8")

    browse(corrupted, tmp_path, f"--log-net-log={log}", "--dump-dom")

    assert fetched(log) != []


def test_it_prints(page: Path, tmp_path: Path) -> None:
    browse(page, tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", "--no-pdf-header-footer")

    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


@pytest.fixture(scope="module")
def network_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three jobs on a tree whose links are counted."""
    folder = tmp_path_factory.mktemp("network")
    jobs = (
        MadeJob(name="TeaLeaf_CG", congestion=1.4, nodes="0-14:2"),
        MadeJob(name="transpose", congestion=1.1, nodes="1-7:2"),
        MadeJob(name="incast", nodes="9-15:2"),
    )
    made = run_on(read_network("tinis"), jobs, {("leaf0", "root0"): (0.3, 0.3, 0.1), ("root0", "leaf1"): (0.1, 0.2)})
    path = folder / "report.html"
    path.write_text(render([read_run(made.write(folder))]), encoding="utf-8")
    return path


def widths(page: Path, folder: Path, width: int) -> list[int]:
    """Measured in a frame of this width, since a window of Chromium has 500 pixels or more."""
    text = re.sub(r"<meta http-equiv=[^>]*>", "", page.read_text(encoding="utf-8"))
    inner = escape(text.replace("</body>", f"{MEASURE}</body>"))
    frame = folder / "frame.html"
    frame.write_text(
        f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{inner}"></iframe>'
        "<script>addEventListener('load', () => document.body.append("
        "document.querySelector('iframe').contentDocument.querySelector('#widths')))</script>",
        encoding="utf-8",
    )
    document = browse(frame, folder, "--window-size=1400,1000", "--dump-dom").stdout
    found = re.search(r'<pre id="widths">([\d ]*)</pre>', document)
    assert found is not None
    return [int(number) for number in found[1].split()]


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_nothing_is_cut_off_at_any_width(network_page: Path, tmp_path: Path, width: int) -> None:
    inner, document, cut, wide, unmarked, captions = widths(network_page, tmp_path, width)

    assert inner == width
    assert document <= inner
    assert (cut, unmarked, captions) == (0, 0, 0)
    assert wide == 0 or width < 1280


def test_the_busy_link_is_red_and_the_jobs_have_their_colours(network_page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(network_page, "run1-network", tmp_path), tmp_path, width=1280)

    red = places(pixels, FULL.light)[:, 1]
    assert red.size > 500
    assert np.mean(red > pixels.shape[1] / 2) > 0.6  # in contended rounds, but for the legend
    for tone in JOBS[:3]:
        assert len(places(pixels, tone.light)) > 500


def test_the_first_screen_has_answers_and_the_picture(network_page: Path, tmp_path: Path) -> None:
    pixels = photograph(network_page, tmp_path, width=1280, height=1000)

    assert len(places(pixels, FULL.light)) > 500
