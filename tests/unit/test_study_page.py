"""A study's page, from made-up runs whose truth is known. No browser, no MPI."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import MadeJob, MadeMachine, MadeRun, event
from support.commands import invoke
from support.examples import examples
from support.pages import Outline, drawings, figure
from support.studies import STUDY, FakeLaunches, carry_out, study_in
from support.study_reports import ONE_CELL, SLOWED, WRITER, Make, made, report_from

from stressbench.formats.study.cells import PlannedRun
from stressbench.report.export import write_tables
from stressbench.report.study import FORMATS
from stressbench.report.study import page as page_of
from stressbench.results import selections
from stressbench.results.study import StudyReport
from stressbench.stats import select

NASTY = "<script>alert('x')</script> & \"$x^2$"
HEBREW = "\u05d0\u05d1\u05d2"
PAIRS = 'repetitions = 1\nmatrix = ["a", "b"]\n[factors]\nworkload = ["a+b.sb", "a+a.sb"]\n'


def findings(page: str) -> list[str]:
    listed = re.search(r'<ul class="findings">(.*?)</ul>', page, re.DOTALL)
    assert listed is not None
    return [unescape(one) for one in re.findall(r"<li>(.*?)</li>", listed[1], re.DOTALL)]


def rows(page: str, key: str) -> list[list[str]]:
    table = re.search(rf'<table id="{key}".*?</table>', page, re.DOTALL)
    assert table is not None, key
    lines = re.findall(r"<tr>(.*?)</tr>", re.sub(r"</?a\b[^>]*>|<wbr>", "", table[0]), re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL)] for line in lines]


def file_in(page: str, name: str) -> list[dict[str, str]]:
    link = re.search(rf'<a href="data:text/csv;charset=utf-8,([^"]*)" download="{re.escape(name)}"', page)
    assert link is not None, name
    return list(csv.DictReader(io.StringIO(unquote(unescape(link[1])))))


def slower_where(value: str, *, by: float) -> Make:
    """CG is slowed more in the cells that have this value."""
    return lambda run: made(
        MadeJob(name="CG", nodes="0", congestion=by if value in run.cell.values.values() else 1.5), WRITER
    )


def test_the_first_words_are_the_largest_effect_with_cause_interval_and_cell() -> None:
    first = findings(report_from(slower_where("interleaved", by=3.0)).page)[0]

    assert re.fullmatch(
        r"writer slows down CG [23]\.\d\d× \[[23]\.\d\d, 3\.\d\d\] with placement = interleaved, set\.size = \dKiB\.",
        first,
    )


def test_effects_are_told_in_their_order_and_the_rest_is_counted() -> None:
    said = findings(report_from(slower_where("interleaved", by=3.0), STUDY.replace('"8KiB"', '"8KiB", "9KiB"')).page)

    ratios = [float(found[1]) for one in said if (found := re.match(r"writer slows down CG ([\d.]+)×", one))]
    assert ratios == sorted(ratios, reverse=True)
    assert len(ratios) == 6
    assert said[6].startswith("3 more significant slowdowns of 1.4")


def test_where_links_were_counted_the_words_say_which_lost_frames() -> None:
    machine = MadeMachine(hosts=("a1", "a2"), counts_links=True)
    page = report_from(lambda _: made(machine=machine), ONE_CELL).page

    assert findings(page)[0].endswith(
        "; most frames lost on link s0-s1 (50\xa0% in its isolated rounds, 100\xa0% contended)."
    )
    assert rows(page, "study-links")[1][1:] == ["s0-s1", "CG", "100 Mbit/s", "50.0", "100.0", "24"]


def test_without_counted_links_no_link_is_named() -> None:
    page = report_from(text=ONE_CELL).page

    assert "lost on" not in findings(page)[0]
    assert 'id="study-links"' not in page


def test_what_could_not_be_decided_is_named() -> None:
    said = findings(report_from(text=ONE_CELL).page)

    assert re.fullmatch(
        r"Inconclusive for 1 of 2 results, whose interval includes 1 \(the widest first\): writer, .* "
        r"\[0\.\d+, 1\.\d+\]\.",
        said[1],
    )


def test_one_sample_has_a_ratio_and_no_claim() -> None:
    page = report_from(lambda _: made(blocks=1, repetitions=1), ONE_CELL).page

    assert not [one for one in findings(page) if "slows" in one]
    assert any(one.startswith("No interval for 2 of 2 results (") for one in findings(page))
    assert "no interval" in figure(page, "study-impacts")
    assert "n = 1" in figure(page, "study-boxes-1")


def test_a_job_in_the_background_is_no_undecided_result() -> None:
    noise = MadeJob(name="noise", nodes="1", role="background")
    said = findings(report_from(lambda _: made(SLOWED, noise), ONE_CELL).page)

    assert said[0].startswith("noise slows down CG 1.")
    assert len(said) == 1


def test_a_cell_that_failed_is_named_and_keeps_its_place_with_dashes() -> None:
    only = lambda run: None if run.cell.placement == "linear" else made()  # noqa: E731
    page = report_from(only, failed="rank 1 was ended by SIGKILL").page

    assert any(re.search(r"\(placement = linear, .*\) failed 2 times: rank 1 was ended by SIGKILL", one)
               for one in findings(page))  # fmt: skip
    assert any(one.startswith("2 cells without a finished run: placement = linear") for one in findings(page))
    assert rows(page, "study-crossed")[1] == ["linear", "–", "–", "–"]
    assert rows(page, "study-cells")[1] == ["linear", "4KiB", "–", "–", "–", "–", "–", "–", "0 of 2 (failed)"]
    assert file_in(page, "impacts.csv")[0]["impact"] == ""


def test_a_study_without_a_finished_run_still_has_a_page() -> None:
    page = report_from(lambda _: None).page

    Outline(page)
    assert findings(page) == ["No run is done yet, so there are no results.", "12 of 12 runs are still to be done."]
    assert drawings(page) == []
    assert rows(page, "study-cells")[1][-1] == "0 of 2"


def test_two_factors_make_the_papers_table() -> None:
    found = rows(report_from(slower_where("8KiB", by=3.0)).page, "study-crossed")

    assert found[0] == ["placement", "job", "4KiB", "8KiB"]
    assert [row[:2] for row in found[1:3]] == [["linear", "CG"], ["linear", "writer"]]
    assert re.fullmatch(r"1\.[45]\d \[1\.\d\d, 1\.\d\d\], n = 16 blocks of 2 runs", found[1][2])
    assert re.match(r"[23]\.\d\d \[", found[1][3])


def test_patterns_are_rows_wherever_they_stand_in_the_file() -> None:
    text = ONE_CELL + 'placement = ["linear", "interleaved"]\n[set]\npattern = ["incast", "alltoall"]\n'

    assert rows(report_from(text=text).page, "study-crossed")[0] == ["set.pattern", "job", "linear", "interleaved"]


def test_three_factors_make_a_long_table() -> None:
    page = report_from(text=STUDY.replace("ranks = 4", "ranks = [2, 4]")).page

    assert 'id="study-crossed"' not in page
    assert len(rows(page, "study-cells")) == 1 + 12 * 2
    assert "set.size" in figure(page, "study-impacts")


def test_a_figures_title_states_the_finding_and_its_caption_how_to_read_it() -> None:
    page = report_from(slower_where("interleaved", by=3.0)).page

    assert re.search(
        r"<h3>CG is slowed down most, [23]\.\d\d× .* with placement = interleaved", figure(page, "study-impacts")
    )
    assert "95 % confidence interval" in figure(page, "study-impacts")
    assert re.search(
        r"<h3>CG takes from 1\.\d\d× to [23]\.\d\d× its isolated time, by cell", figure(page, "study-boxes-1")
    )
    assert "isolated, n = 32" in figure(page, "study-boxes-1")


def test_who_slows_whom_is_a_shaded_table_that_says_it_in_numbers_too() -> None:
    def pair(run: PlannedRun) -> MadeRun:
        other = "b" if run.cell.workload == "a+b.sb" else "a_2"
        return made(MadeJob(name="a", nodes="0", congestion=3.0), MadeJob(name=other, nodes="1"))

    page = report_from(pair, PAIRS).page

    found = rows(page, "study-matrix-1")
    assert found[0] == ["victim", "beside a", "beside b", "slowed down (mean)"]
    assert re.match(r"<strong>3\.\d\d|<strong>2\.\d\d", found[1][2])
    assert re.search(r'class="slower" style="--shade:0\.5\d"><strong>[23]\.', page)
    assert found[2][2].startswith("<strong>–")
    assert "Keep a away from" in page
    assert file_in(page, "matrix-1.csv")[0]["victim"] == "a"


def test_there_is_one_drawing_for_each_placement() -> None:
    def placed(run: PlannedRun) -> MadeRun:
        made_run = made()
        made_run.header["plan"]["placement"] = run.cell.placement
        return made_run

    titles = re.findall(r"<h3>(Placement of jobs: .*?)</h3>", report_from(placed).page)

    assert [title.rpartition(" ")[2] for title in titles] == ["linear", "interleaved", "random:1"]


def test_other_jobs_on_the_same_nodes_are_the_same_placement_and_the_caption_says_so() -> None:
    page = report_from(lambda run: made(MadeJob(name=run.cell.workload, nodes="0"), WRITER), PAIRS).page

    assert page.count("<h3>Placement of jobs: ") == 1
    assert "Other cells place other jobs on the same nodes" in page


def test_data_has_the_files_of_the_page(tmp_path: Path) -> None:
    study = report_from()

    written = write_tables(page_of(study.report, study.data).data_files, tmp_path)

    kept = {path.name: path for path in written if path.suffix == ".csv"}
    saved = set(re.findall(r'download="([^"]+)"', study.page))
    assert {"impacts.csv", "tails.csv", "times-1.csv", "runs-in-order.csv"} <= saved
    assert set(kept) == saved
    assert list(csv.DictReader(kept["impacts.csv"].open(encoding="utf-8"))) == file_in(study.page, "impacts.csv")


def test_the_host_that_is_last_beyond_its_share_comes_first() -> None:
    wide = MadeJob(name="wide", nodes="0-3", slow_host="a3")
    page = report_from(lambda _: made(wide, machine=MadeMachine(hosts=("a1", "a2", "a3", "a4"))), ONE_CELL).page

    assert rows(page, "study-hosts")[1] == ["a3", "32 of 32", "100.0", "25.0", "4.00", "1"]
    assert rows(page, "study-hosts")[2][1] == "0 of 32"


def test_the_same_warning_of_many_runs_is_told_once() -> None:
    def warned(_: PlannedRun) -> MadeRun:
        run = made()
        run.records.insert(1, event(message="the clock is <coarse>"))
        return run

    page = report_from(warned).page

    assert page.count("the clock is &lt;coarse&gt;") == 1
    assert "<strong><code>timer_resolution</code>, in 12 runs:</strong>" in page


def started(run: MadeRun, *, minutes: int) -> MadeRun:
    run.header["started_at"] = (datetime(2026, 1, 2, tzinfo=UTC) + timedelta(minutes=minutes)).isoformat()
    return run


@pytest.mark.parametrize(("growth", "words"), [(0.05, "the machine drifted: CG slower by"), (0.0, "no significant")])
def test_runs_in_order_show_a_machine_that_drifts(growth: float, words: str) -> None:
    count = iter(range(100))

    def later(_: PlannedRun) -> MadeRun:
        number = next(count)
        run = made(seed=number)
        for sample in run.of("sample"):
            sample["time_max_s"] *= 1 + growth * number
        return started(run, minutes=number)

    page = report_from(later).page

    assert words in figure(page, "study-timeline")
    assert [float(row["after_first_s"]) for row in file_in(page, "runs-in-order.csv")][::2] == [
        60.0 * n for n in range(12)
    ]


def test_how_to_repeat_it_has_file_commands_seed_versions_and_hosts() -> None:
    page = unescape(report_from().page)

    assert STUDY.strip() in page
    assert "stressbench study run study-1.toml -o again" in page
    assert "1; plus n - 1 for the n-th run of each cell" in page
    assert all(one in page for one in ("Open MPI 4.1.4", "GCC 12.2.0", "a1; a2", '{"python": "3.11"}'))


def test_the_files_in_the_page_hold_the_numbers_in_full() -> None:
    one = report_from()
    cells = json.loads(FORMATS["json"](one.report))["cells"]

    impacts, times = file_in(one.page, "impacts.csv"), file_in(one.page, "times-1.csv")

    assert float(impacts[0]["impact"]) == cells[0]["jobs"][0]["impact"]["ratio"]
    assert [len(times), times[0]["n"], len(times[0]["samples_s"].split())] == [12, "32", 32]
    assert float(times[0]["min_s"]) == min(map(float, times[0]["samples_s"].split()))


def test_more_samples_do_not_make_a_larger_page() -> None:
    few, many = (report_from(lambda _, n=n: made(repetitions=n), ONE_CELL).page for n in (7, 300))

    assert "n = 2,400" in figure(many, "study-boxes-1")
    assert len(many) < 1.05 * len(few)


def test_many_cells_are_drawn_up_to_a_number_and_the_caption_says_so() -> None:
    sizes = ", ".join(f'"{size}KiB"' for size in range(1, 36))
    page = report_from(lambda _: made(blocks=6, repetitions=1), ONE_CELL + f"[set]\nsize = [{sizes}]\n").page

    assert "The 60 of 70 results that are furthest from 1." in figure(page, "study-impacts")
    assert "The 16 of 35 cells with the largest impacts." in figure(page, "study-boxes-1")
    assert len(file_in(page, "impacts.csv")) == 70


def test_the_page_is_whole_and_asks_for_nothing() -> None:
    machine = MadeMachine(hosts=("a1", "a2"), counts_links=True)
    page = report_from(lambda _: made(machine=machine)).page

    outline = Outline(page)
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.tags.count("script") == 1
    assert [one for one in outline.references if not one.startswith(("#", "data:"))] == []
    assert {one[1:] for one in outline.references if one.startswith("#")} <= set(outline.ids)
    assert "default-src 'none'" in page
    assert all(drawing.get("role") == "img" for drawing in drawings(page))


@pytest.mark.parametrize("name", [NASTY, HEBREW, "\u202eevil", "long" * 80, "a\x00\x1bb", "=cmd()"])
def test_names_are_data(name: str) -> None:
    text = ONE_CELL.replace("repetitions", f"about = {json.dumps(name)}\nrepetitions")
    text += f"[set]\nvalue = [{json.dumps(name)}, 'b']\n"
    page = report_from(lambda _: made(MadeJob(name=name, nodes="0", congestion=1.5), WRITER), text).page

    outline = Outline(page)
    assert outline.tags.count("script") == 1
    assert len(drawings(page)) == 6
    assert "\u202e" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL)


def test_a_name_that_runs_from_right_to_left_does_not_turn_its_sentence() -> None:
    page = report_from(lambda _: made(MadeJob(name=HEBREW, nodes="0", congestion=1.5), WRITER), ONE_CELL).page

    assert findings(page)[0].startswith(f"writer slows down \u2068{HEBREW}\u2069 1.")


@examples(12)
@given(
    name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=50),
    value=st.text(st.characters(codec="utf-8"), min_size=1, max_size=50),
    blocks=st.integers(1, 7),
)
def test_any_text_and_any_number_of_blocks_make_a_page(name: str, value: str, blocks: int) -> None:
    one = report_from(lambda _: made(MadeJob(name=name, nodes="0"), WRITER, blocks=blocks, repetitions=1), ONE_CELL)
    cell = one.report.cells[0]
    report = StudyReport(**{**vars(one.report), "about": value, "factors": ("f",), "fixed": {"x": value}})
    object.__setattr__(cell, "values", {"f": value})

    page = FORMATS["html"](report, one.data)

    assert Outline(page).tags.count("script") == 1
    assert len(drawings(page)) == 5


def test_the_command_writes_the_page_of_a_directory(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    carry_out(directory, FakeLaunches())

    words = ["study", "report", str(directory.path), "--format", "html", "-o", str(tmp_path / "page.html")]
    ended = invoke(words)

    assert (ended.exit_code, ended.stdout) == (0, f"{tmp_path / 'page.html'}\n")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert STUDY.strip() in unescape(page)
    assert "environment.json" in page


def test_a_title_spells_a_jobs_name_as_it_is() -> None:
    page = report_from(lambda _: made(MadeJob(name="cg", nodes="0", congestion=1.5), WRITER), ONE_CELL).page

    assert "<h3>cg is slowed down most" in figure(page, "study-impacts")


def test_tails_overlap_and_plan_of_every_cell_are_told_in_all_formats() -> None:
    noisy = MadeMachine(hosts=("a1", "a2"), round_noise=0.1)
    one = report_from(lambda _: made(machine=noisy, repetitions=60), ONE_CELL)
    values = json.loads(FORMATS["json"](one.report))["cells"][0]["jobs"][0]
    text = FORMATS["md"](one.report)

    tail = next(tail for tail in values["tails"] if tail["share"] == 0.99)
    line = next(csv.DictReader(io.StringIO(FORMATS["csv"](one.report))))
    assert float(line["p99_impact"]) == tail["ratio"] == pytest.approx(1.5, rel=0.3)
    assert float(line["superiority"]) == values["superiority"] == pytest.approx(1.0, abs=0.1)
    assert int(line["more_blocks"]) == values["plan"]["more_blocks"] > 0
    assert f"takes {values['plan']['more_blocks']:,} more rounds of each kind" in text
    assert f"takes {values['plan']['more_blocks']:,} more rounds of each kind" in rows(one.page, "study-tails")[1][-1]
    assert float(file_in(one.page, "tails.csv")[2]["ratio"]) == tail["ratio"]


def test_tails_of_a_cell_are_those_of_all_its_runs_together() -> None:
    seeds = iter(range(100))
    one = report_from(lambda _: made(repetitions=40, seed=next(seeds)), ONE_CELL.replace("1", "2", 1))

    tail = one.report.cells[0].jobs[0].tails[2]

    assert (tail.isolated and tail.isolated.count) == 2 * 8 * 40


def test_where_runs_make_the_interval_no_number_of_rounds_is_told() -> None:
    seeds = iter(range(100))
    one = report_from(lambda _: made(seed=next(seeds)), ONE_CELL.replace("1", "6", 1))

    assert "more runs (`repetitions`), not more rounds, make it narrower" in rows(one.page, "study-tails")[1][-1]


def test_a_job_has_one_colour_in_boxes_and_in_placements() -> None:
    """The second cell's first job is the study's third."""
    third = MadeJob(name="third", nodes="0")
    page = report_from(
        lambda run: made() if run.cell.placement == "linear" else placed(made(third, WRITER), "interleaved"),
        ONE_CELL + 'placement = ["linear", "interleaved"]\n',
    ).page

    drawn = re.findall(r'<figure id="run\d-placement">.*?</figure>', page, re.DOTALL)
    assert [sorted(set(re.findall(r"--job-\d", one))) for one in drawn] == [
        ["--job-1", "--job-2"],
        ["--job-2", "--job-3"],
    ]
    assert "--job-3" in figure(page, "study-boxes-3")


def placed(run: MadeRun, placement: str) -> MadeRun:
    run.header["plan"]["placement"] = placement
    return run


def test_a_report_and_its_page_look_at_samples_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = study_in(tmp_path)
    carry_out(directory, FakeLaunches())
    looked: list[int] = []
    monkeypatch.setattr(selections, "select", lambda run, *, job: looked.append(job) or select(run, job=job))

    invoke(["study", "report", str(directory.path), "--format", "html"])

    assert len(looked) == 12 * 2
