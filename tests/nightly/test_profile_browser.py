"""The page of a profile in a real browser: what is drawn where, in light and dark."""

from pathlib import Path

import numpy as np
import pytest
from support.browser import DARK, browse, fetched, needs_browser, only, photograph, places
from support.profile_pages import page_of, ring_called_nasty

from stressbench.report.palette import BACKGROUND, ISOLATED, JOBS
from stressbench.report.traffic.layers import LAYERS

SHADE = "#2187cc"  # what most bytes are drawn in
pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(tmp_path_factory.mktemp("page"), ring_called_nasty())


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


def test_the_rank_that_works_while_others_wait_has_more_grey(page: Path, tmp_path: Path) -> None:
    pixels = photograph(only(page, "profile-balance", tmp_path), tmp_path)

    grey = places(pixels, ISOLATED.light)
    grey = grey[grey[:, 0] > 100]  # without the legend
    heights = np.bincount(grey[:, 1], minlength=pixels.shape[1])
    filled = np.flatnonzero(heights > 0)
    bars = np.array_split(heights[filled[0] : filled[-1] + 1], 8)
    assert int(np.argmax([np.median(bar) for bar in bars])) == 3


@pytest.mark.parametrize(("flags", "theme"), [((), "light"), (DARK, "dark")])
def test_the_timeline_has_every_class_in_both_themes(
    page: Path, tmp_path: Path, flags: tuple[str, ...], theme: str
) -> None:
    pixels = photograph(only(page, "profile-phases", tmp_path), tmp_path, *flags)

    assert len(places(pixels, getattr(BACKGROUND, theme))) > 1000
    present = [layer.tone for layer in LAYERS if layer.key != "other"]
    assert all(len(places(pixels, getattr(tone, theme))) > 100 for tone in present)
    assert len(places(pixels, getattr(JOBS[4], theme))) == 0


def test_nothing_is_fetched_no_script_ran_and_nothing_is_complained_about(page: Path, tmp_path: Path) -> None:
    log = tmp_path / "net.json"

    seen = browse(page, tmp_path, "--enable-logging=stderr", f"--log-net-log={log}", "--dump-dom")

    assert fetched(log) == []
    assert "CONSOLE" not in seen.stderr
    assert "<title>hit</title>" not in seen.stdout
