"""Documents that were tables and lines of their own: labs, leftovers, plans and states of studies."""

import pytest

from stressbench.labs.status import Capability, LabStatus, LinkCheck, LinkDirection
from stressbench.report import cleaning, labs
from stressbench.report.document import Document, Figure, Section
from stressbench.report.renderers import render
from stressbench.report.study.plan import plan_document
from stressbench.report.study.status import status_document
from stressbench.results.leftovers import CleanedLeftover
from stressbench.results.study_plan import PlannedCell, PlannedRun, StudyPlan
from stressbench.results.study_status import RunStatus, State, StudyStatus


def lines(document: Document) -> list[str]:
    """The lines of plain text with single blanks, without rules."""
    found = (" ".join(line.split()) for line in render("text", document).splitlines())
    return [line for line in found if line.strip("─━ ")]


def test_a_table_at_the_top_has_no_blank_line_above_it() -> None:
    text = render("text", labs.status_document(()))

    assert text.startswith("lab ")


def test_a_link_that_deviates_and_one_that_is_down() -> None:
    ends = {"link": "h0-s0", "source": "h0", "target": "s0", "rate_bits_per_s": 100_000_000}
    checks = (
        LinkCheck(
            **ends, payload_bits_per_s=95_636_000, share=0.9999, shares=(0.9923, 0.9999, 1.0), ping_s=47e-6, off=None
        ),
        LinkCheck(**ends, payload_bits_per_s=None, share=None, shares=(), ping_s=None, off="it is down"),
    )

    assert lines(labs.check_document(checks)) == [
        "link from to rate payload / Mbit/s share least most ping / µs off",
        "h0-s0 h0 s0 100Mbit 95.6 0.9999 0.9923 1.0000 47.0",
        "h0-s0 h0 s0 100Mbit – – – – – it is down",
    ]


def test_traffic_of_a_link_before_and_after_it_goes_down() -> None:
    def direction(*, is_up: bool, use: float | None) -> LinkDirection:
        return LinkDirection(
            link="h0-s0", source="h0", target="s0", rate_bits_per_s=100_000_000, is_up=is_up, bytes=12_345, frames=9,
            drops=1, waiting_bytes=0, use=use,
        )  # fmt: skip

    found = lines(labs.stats_document((direction(is_up=True, use=0.5), direction(is_up=False, use=0.0))))

    assert found[1:] == ["h0-s0 h0 s0 100Mbit 50.0 12,345 9 1 0", "h0-s0 h0 s0 100Mbit down 12,345 9 1 0"]


def test_what_a_machine_lacks_has_its_remedy() -> None:
    capabilities = (
        Capability(name="tc", there=True, needed=True, why="rates", remedy="install iproute2"),
        Capability(name="netns", there=False, needed=True, why="hosts", remedy="be root"),
        Capability(name="gluster", there=False, needed=False, why="files", remedy="install it"),
    )

    assert lines(labs.probe_document(capabilities))[1:] == [
        "tc yes rates", "netns MISSING hosts be root", "gluster no files install it"
    ]  # fmt: skip


def test_running_labs_have_their_size() -> None:
    status = LabStatus(
        name="tiny", source="tiny.toml", since="noon", keeper=1, shape="star", hosts=("h0", "h1"), switches=("s0",),
        links=2,
    )  # fmt: skip

    assert lines(labs.status_document((status,)))[1:] == ["tiny star 2 2 noon tiny.toml"]


def test_leftovers_that_stay_are_no_part_of_what_was_removed() -> None:
    found = (
        CleanedLeftover(path="/a", kind="a pool", bytes=3 << 20, removed=True, reason=None),
        CleanedLeftover(path="/b", kind="a pool", bytes=1, removed=False, reason="permission denied"),
    )

    assert lines(cleaning.document_of(found)) == ["/a: a pool, 3 MiB"]
    assert cleaning.failures_of(found) == ("/b: permission denied",)
    assert cleaning.summary_text(found, dry_run=True) == "1 leftover, 3 MiB, would be removed"
    assert "error: /b: permission denied" in lines(cleaning.full_document(found, dry_run=False))


@pytest.mark.parametrize(("fewest", "runs"), [(2, "2 runs"), (1, "1 to 2 runs")])
def test_a_plan_has_its_order_what_is_fixed_and_its_time(fewest: int, runs: str) -> None:
    cells = tuple(
        PlannedCell(cell=f"c{number}", values={"workload": "w.sb", "ranks": str(number)}) for number in (1, 2)
    )
    plan = StudyPlan(
        about="made up", seed=7, factors=("ranks",), cells=cells, least_s=90.0, most_s=None, fewest_runs=fewest,
        runs=tuple(PlannedRun(run=f"{cell.cell}-r1", cell=cell.cell, repetition=0) for cell in reversed(cells)),
    )  # fmt: skip

    assert lines(plan_document(plan)) == [
        "made up", f"2 cells, {runs}, in the order of seed 7:", "run ranks", "c2-r1 2", "c1-r1 1",
        "in all cells: workload = w.sb", "time: at least 90 s, at most unknown",
    ]  # fmt: skip


def test_a_failed_run_has_its_reason_and_whether_it_is_tried_again() -> None:
    def run(state: State, *, is_open: bool) -> RunStatus:
        return RunStatus(
            run="c1-r1", cell="c1", repetition=0, state=state, file=None, failures=1, status=3, reason="rank 0 died",
            duration_s=None, is_open=is_open, description="ranks = 4",
        )  # fmt: skip

    status = StudyStatus(
        done=0, failed=2, spared=0, total=2, left_s=None, complaints=("line 3 is broken",),
        runs=(run(State.failed, is_open=True), run(State.failed, is_open=False)),
    )  # fmt: skip

    assert lines(status_document(status)) == [
        "2 runs: 2 failed",
        "c1-r1 failed 1 time, will be tried again: status 3, rank 0 died (ranks = 4)",
        "c1-r1 failed 1 time, given up: status 3, rank 0 died (ranks = 4)",
        "time left: unknown",
        "warning: line 3 is broken",
    ]
    assert "line 3" not in render("text", status_document(status, with_complaints=False))


def test_a_fragment_is_neither_a_page_nor_unescaped() -> None:
    figure = Figure(key="f", title="<b>", caption="c", description="d", svg="<svg></svg>")

    fragment = render("html_fragment", Document(title="<i>", sections=(Section(title="s", blocks=(figure,)),)))

    assert fragment.startswith('<div class="stressbench">')
    assert "<html" not in fragment and "<style" not in fragment
    assert "&lt;i&gt;" in fragment and "&lt;b&gt;" in fragment
    assert "<svg></svg>" in fragment
