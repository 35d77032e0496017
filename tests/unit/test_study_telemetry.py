"""Counters of the hosts in the report of a study, from made runs whose counters are known."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from urllib.parse import unquote

from support.builders import MadeMachine, MadeRun
from support.study_reports import ONE_CELL, ReportWithData, made, report_from

from stressbench.report.study import FORMATS
from stressbench.report.study.telemetry import study_telemetry, telemetry_sentences

COUNTED = MadeMachine(hosts=("a1", "a2"), counts_hosts=True)
TWO_CELLS = 'repetitions = 2\n[factors]\nworkload = "two.sb"\nplacement = ["linear", "interleaved"]\n'
DURATION_S = 0.9


def counted(*, waits: Mapping[str, int] | None = None, bytes_factor: int = 1) -> MadeRun:
    """A run in which the first NIC waits for that many ticks in a round of each kind."""
    run = made(machine=COUNTED)
    for record in run.of("round"):
        for counter in record["telemetry"]:
            if counter["counter"] == "tx_wait" and waits is not None:
                value = waits[record["kind"]]
                counter |= {"sum": value, "max": value, "min": value, "unknown": 0, "devices": 1, "hosts": 1}
            if counter["counter"] == "tx_bytes":
                for device in counter["largest"]:
                    device["value"] *= bytes_factor
    return run


def rows(page: str, key: str) -> list[list[str]]:
    table = re.search(rf'<table id="{key}".*?</table>', page, re.DOTALL)
    assert table is not None, key
    lines = re.findall(r"<tr>(.*?)</tr>", re.sub(r"</?(?:a|span)\b[^>]*>|<wbr>", "", table[0]), re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL)] for line in lines]


def sentences(found: ReportWithData) -> tuple[str, ...]:
    return telemetry_sentences(found.report, found.data)


def test_the_busiest_nic_of_all_runs_is_named_with_its_cell() -> None:
    found = report_from(lambda run: counted(bytes_factor=3 if run.cell.placement == "interleaved" else 1), TWO_CELLS)

    assert sentences(found)[0] == (
        "The busiest NIC is mlx5_0:1 of a2: tx_bytes reached 60.0 MB/s in isolated and 120 MB/s in contended rounds "
        "with placement = interleaved."
    )
    nics = rows(found.page, "study-telemetry-nics")
    assert nics[1:] == [
        ["a2", "mlx5_0:1", "tx_bytes", "60.0 MB/s", "120 MB/s", "4", "interleaved"],
        ["a1", "mlx5_0:1", "tx_bytes", "30.0 MB/s", "60.0 MB/s", "4", "interleaved"],
    ]


def test_waiting_that_grew_when_contended_is_listed_and_traffic_is_not() -> None:
    waits = {"linear": {"isolated": 90, "contended": 90}, "interleaved": {"isolated": 90, "contended": 1800}}
    found = report_from(lambda run: counted(waits=waits[run.cell.placement]), TWO_CELLS)

    grown = rows(found.page, "study-telemetry")
    assert [row[:3] for row in grown[1:]] == [
        ["interleaved", "infiniband", "tx_wait"], ["linear", "cpu", "steal_time"], ["interleaved", "cpu", "steal_time"]
    ]  # fmt: skip
    assert grown[1][3:] == ["CG", "100 /s", "2,000 /s", "2"]
    assert sentences(found)[1] == (
        "2 counters of waiting, loss or congestion are higher in contended rounds, in 2 of 2 cells; most of all "
        "tx_wait (infiniband), 100 /s isolated and 2,000 /s contended with placement = interleaved."
    )


def test_a_counter_that_is_unknown_or_grows_in_one_run_only_did_not_grow() -> None:
    def run(number: int) -> MadeRun:
        return counted(waits={"isolated": 90, "contended": 1800 if number else 45})

    numbers = iter((0, 1))
    mixed = report_from(lambda _: run(next(numbers)), ONE_CELL.replace("repetitions = 1", "repetitions = 2"))
    unknown = report_from(lambda _: counted(), ONE_CELL)

    for found in (mixed, unknown):
        telemetry = study_telemetry(found.report, found.data)
        assert telemetry is not None
        assert [one.counter for one in telemetry.grown] == ["steal_time"]


def test_hosts_that_were_throttled_are_named_and_others_are_not() -> None:
    found = report_from(lambda _: counted(), TWO_CELLS)

    assert sentences(found)[2] == ("Processors were throttled or taken away on a2 (steal_time up to 100 ms/s, 4 runs).")
    assert [row[0] for row in rows(found.page, "study-telemetry-slow-hosts")[1:]] == ["a2"]


def test_without_counters_of_processors_throttling_is_unknown_and_with_them_none_is_said() -> None:
    def run(*, with_processors: bool) -> MadeRun:
        made_run = counted()
        for record in made_run.of("round"):
            (steal,) = [one for one in record["telemetry"] if one["source"] == "cpu"]
            steal |= {"sum": 0, "max": 0, "min": 0, "largest": []}
            if not with_processors:
                record["telemetry"].remove(steal)
        return made_run

    assert sentences(report_from(lambda _: run(with_processors=True), ONE_CELL))[2] == (
        "No processor was throttled or taken away in 1 run."
    )
    assert sentences(report_from(lambda _: run(with_processors=False), ONE_CELL))[1:] == (
        "No counter of waiting, loss or congestion is higher in contended rounds in all runs of a cell.",
        "Whether processors were throttled is unknown: no run counted it.",
    )


def test_runs_without_counters_have_no_section() -> None:
    found = report_from(text=ONE_CELL)

    assert sentences(found) == ()
    assert "Counters of the hosts" not in found.page
    assert "Counters of the hosts" not in FORMATS["md"](found.report, found.data)


def test_the_data_have_all_counters_of_all_cells() -> None:
    page = report_from(lambda _: counted(), TWO_CELLS).page

    link = re.search(r'<a href="data:text/csv;charset=utf-8,([^"]*)" download="telemetry\.csv"', page)
    assert link is not None
    data = list(csv.DictReader(io.StringIO(unquote(unescape(link[1])))))
    assert len(data) == 2 * 4
    assert {(one["counter"], one["unit"], one["grew"]) for one in data} == {
        ("tx_bytes", "bytes", "0"), ("tx_wait", "ticks", "0"), ("symbol_errors", "events", "0"),
        ("steal_time", "ns", "1"),
    }  # fmt: skip
    assert {one["isolated_per_s"] for one in data if one["counter"] == "tx_wait"} == {""}


def test_cells_that_are_named_link_to_the_pages_of_their_runs() -> None:
    found = report_from(lambda _: counted(), TWO_CELLS)
    run = next(iter(found.data.runs))
    page = FORMATS["html"](found.report, replace(found.data, pages={run: "runs/x.html"}))

    nav = re.search(r'<nav class="questions" aria-label="Cells of these counters">.*?</nav>', page, re.DOTALL)
    assert nav is not None
    assert f'<a href="runs/x.html">Page of run {run} with placement = ' in nav[0]
    assert '<a href="#study-cells">' in nav[0]
    assert 'id="study-cells"' in page


def test_markdown_states_the_counters_in_words() -> None:
    found = report_from(lambda _: counted(), ONE_CELL)

    text = FORMATS["md"](found.report, found.data)
    assert "## Counters of the hosts\n\n- The busiest NIC is " in text
