"""Values that a page shows below the pointer: titles of the marks of figures, from results whose truth is known.

Without a script browsers show the titles, and tables and data files have the numbers. No browser.
"""

import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support import coruns
from support.builders import MadeJob, MadeMachine
from support.commands import call
from support.golden import KEPT
from support.networks import run_on
from support.pages import figure
from support.report_pages import beff_page, judgement_page
from support.study_reports import made, report_from

from stressbench.formats.run import read_run
from stressbench.labs.networks import read_network
from stressbench.report.drawing import canvas, finish, point_values, style
from stressbench.report.run import FORMATS as RUNS

CELL = r"placement = (linear|interleaved|random:1), set\.size = [48]KiB"
NUMBER = r"\d+\.\d+"


def values(page: str, key: str) -> list[str]:
    found = re.findall(r'<g class="value"><title>(.*?)</title>', figure(page, key), re.DOTALL)
    return [unescape(one) for one in found]


def all_match(pattern: str, texts: list[str]) -> bool:
    return all(re.fullmatch(pattern, one) for one in texts)


@pytest.fixture(scope="module")
def study() -> str:
    """Six cells of two jobs, each run twice."""
    return report_from().page


@pytest.mark.parametrize("text", ['a "b"', "a 'b'", """'a' "b" & <c>"""])
def test_quotes_in_a_value_are_shown_as_they_are(text: str) -> None:
    with style():
        fig = canvas(height_in=2.0)
        point_values(fig.subplots(), [1.0], [2.0], [text])
        svg = finish(fig, key="k", title="t", caption="c", description="d").svg

    (title,) = re.findall(r'<g class="value"><title>(.*?)</title>', svg)
    assert unescape(title) == text
    ElementTree.fromstring(svg)


def test_each_impact_of_a_study_has_its_cell_interval_and_n(study: str) -> None:
    shown = values(study, "study-impacts")

    assert len(shown) == 12
    assert all_match(rf"(CG|writer) with {CELL} {NUMBER} \[{NUMBER}, {NUMBER}\], n = \d+ blocks of 2 runs", shown)


def test_the_overview_of_a_study_has_the_verdict_on_each_cell(study: str) -> None:
    shown = values(study, "study-overview")

    assert len(shown) == 12
    assert all_match(rf"(CG|writer) with {CELL}: {NUMBER} \[.+\], (slowed|not slowed|undecided)", shown)


def test_each_box_of_a_study_has_its_percentiles(study: str) -> None:
    shown = values(study, "study-boxes-1")

    assert len(shown) == 12
    spread = r"half within .+ to .+, 5th to 95th percentile .+ to .+, n = 32"
    assert all_match(rf"{CELL}, (isolated|contended): median .+, {spread}", shown)


def test_each_run_of_a_study_has_its_place_relative_to_the_level(study: str) -> None:
    shown = values(study, "study-timeline")

    assert len(shown) == 24
    assert all_match(rf"\S+-r\d: {NUMBER}× the level", shown)


def test_each_node_of_a_placement_has_its_host_and_jobs() -> None:
    machine = MadeMachine(hosts=("a1", "a2", "a3"))
    page = report_from(lambda _: made(MadeJob(name="CG", nodes="0-1"), MadeJob(name="io", nodes="1"), machine=machine))

    assert values(page.page, "run1-placement") == ["node 0, a1: CG", "node 1, a2: CG, io", "node 2, a3: no job"]


def test_links_of_the_network_have_their_load(tmp_path: Path) -> None:
    jobs = (MadeJob(name="cg", congestion=1.4, nodes="0-14:2"), MadeJob(name="fft", nodes="1-15:2"))
    run = run_on(read_network("tinis"), jobs, {("leaf0", "root0"): (0.3, 0.2)})
    page = RUNS["html"]([read_run(run.write(tmp_path))])

    assert {"leaf0-root0: 30.0 % of the rate in use", "leaf0-root0: 50.0 % of the rate in use"} <= set(
        values(page, "run1-network")
    )
    loads = values(page, "run1-link-loads")
    assert len(loads) == 24
    assert all_match(r"round \d+, (contended: 50\.0|cg isolated: 30\.0|fft isolated: 20\.0) %", loads)


def test_co_runs_have_slowdowns_and_executions(tmp_path: Path) -> None:
    folder = coruns.write(tmp_path / "both", coruns.plan("cg", "ft"), coruns.blocks())
    page = call("corun", "report", folder, "--format", "html").stdout

    assert all_match(rf"(cg beside ft|ft beside cg): {NUMBER} \[{NUMBER}, {NUMBER}\]", values(page, "slowdowns"))
    assert values(page, "period") == [
        "cg: 1.00 s to 21.0 s, beside the others for 100.0 %, counts",
        "ft: 1.00 s to 5.00 s, beside the others for 95.0 %, counts",
    ]


def test_rail_policies_have_boxes_launches_and_use_of_mpi() -> None:
    page = call("rails", "report", KEPT / "rails", "--profile", KEPT / "profile.json", "--format", "html").stdout

    for pattern, key in (
        (r".+: median .+, half within .+ to .+, whiskers .+ to .+, n = \d+", "rails-boxes-1"),
        (r"launch \d+, .+: .+", "rails-order-1"),
        (rf".+: (point-to-point|collectives|others) {NUMBER} %", "rails-profiles"),
    ):
        shown = values(page, key)
        assert shown
        assert all_match(pattern, shown)


def test_predictions_have_the_measured_slowdown_beside_the_predicted_one(tmp_path: Path) -> None:
    page = judgement_page(tmp_path)

    scatter = values(page, "judgement-scatter")
    assert any(one.startswith("cg beside fft: measured 1.25 [1.20, 1.30], predicted ") for one in scatter)
    assert all_match(r"\w+ beside \w+: measured .+, predicted .+", scatter)
    assert all_match(r"\w+: median .+, largest .+ points\.", values(page, "judgement-boxes"))


def test_bandwidths_of_b_eff_have_their_pattern_and_size(tmp_path: Path) -> None:
    shown = values(beff_page(tmp_path), "beff-sizes")

    assert len(shown) >= 21
    assert all_match(r".+, \S+ (B|KiB|MiB): .+/s", shown)
