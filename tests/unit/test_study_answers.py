"""The first screen of a study: verdicts, sentences, the picture of the worst cell, and links; runs of known truth."""

import json
import re
from dataclasses import replace
from html import unescape
from math import ceil
from pathlib import Path

import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun
from support.commands import invoke
from support.networks import Loads, run_on
from support.pages import Outline, figure
from support.studies import STUDY, FakeLaunches, carry_out, study_in
from support.study_reports import ONE_CELL, SLOWED, WRITER, Make, made, options, report_from

from stressbench.formats.study.cells import PlannedRun
from stressbench.labs.networks import read_network
from stressbench.report.study import FORMATS
from stressbench.report.verdicts import Verdict

PLACEMENTS = 'repetitions = {runs}\n[factors]\nworkload = "two.sb"\nplacement = ["linear", "interleaved"]\n'
TWO_CELLS = PLACEMENTS.format(runs=1)
CG = MadeJob(name="cg", congestion=1.6, nodes="0-15:2")
FFT = MadeJob(name="fft", congestion=1.0, nodes="1-15:2")
SHARED: Loads = {("leaf0", "root0"): (0.4, 0.3), ("h0", "leaf0"): (0.1, 0.0)}


def slowed_in(placement: str, *, by: float = 2.0, blocks: int = 8) -> Make:
    """CG takes `by` times its isolated time with this placement, and is not slowed with others."""
    return lambda run: made(
        MadeJob(name="CG", nodes="0", congestion=by if run.cell.placement == placement else 1.0), WRITER, blocks=blocks
    )


def on_tinis(placement: str = "interleaved", *, blocks: int = 8) -> Make:
    """Runs on the lab tinis with link counters; cg is slowed with this placement."""

    def run(planned: PlannedRun) -> MadeRun:
        cg = CG if planned.cell.placement == placement else replace(CG, congestion=1.0)
        plan = MadePlan(blocks=blocks, repetitions=2, warmup=0, extra=0)
        return run_on(read_network("tinis"), (cg, FFT), SHARED, plan=plan, histograms=False)

    return run


def test_a_job_is_named_with_the_cells_in_which_it_is_slowed() -> None:
    said = report_from(slowed_in("interleaved"), STUDY).answers()["Who is slowed"]

    assert said == (
        "CG is shown to be slowed by more than 5 % in 2 of 6 cells (those with placement = interleaved). "
        "writer is shown to be slowed by more than 5 % in none of 6 cells."
    )


def test_a_job_that_is_slowed_everywhere_is_slowed_in_all_cells() -> None:
    assert "CG is shown to be slowed by more than 5 % in all 6 cells." in report_from().answers()["Who is slowed"]
    assert (
        report_from(text=ONE_CELL)
        .answers()["Who is slowed"]
        .startswith("CG is shown to be slowed by more than 5 % in the only cell.")
    )


def test_cells_that_have_nothing_in_common_are_only_counted() -> None:
    def diagonal(run: PlannedRun) -> MadeRun:
        is_slow = (run.cell.placement == "linear") is (run.cell.values["set.size"] == "4KiB")
        return made(MadeJob(name="CG", nodes="0", congestion=2.0 if is_slow else 1.0), WRITER)

    text = STUDY.replace(', "random:1"', "")
    assert "in 2 of 4 cells. writer" in report_from(diagonal, text).answers()["Who is slowed"]


def test_the_limit_decides_who_is_slowed_and_what_is_undecided() -> None:
    one = report_from(text=TWO_CELLS)

    assert "in all 2 cells" in one.answers(slowed_above=1.05)["Who is slowed"]
    assert "in none of 2 cells, 2 undecided" in one.answers(slowed_above=1.5)["Who is slowed"]
    assert (
        "CG and writer are shown to be slowed by more than 100 % in none of 2 cells."
        in (one.answers(slowed_above=2.0)["Who is slowed"])
    )


def test_by_how_much_has_the_largest_impact_of_each_job_and_the_decided_cells() -> None:
    said = report_from(slowed_in("interleaved"), TWO_CELLS).answers()["By how much"]

    assert re.match(
        r"Contended, CG takes up to (1\.9\d|2\.0\d)× \[\d\.\d\d, 2\.\d\d\] \(placement = interleaved\) and writer up "
        r"to [01]\.\d+× \[\d\.\d+, \d\.\d+\] \(placement = (linear|interleaved)\) of the isolated time; ",
        said,
    )
    assert said.endswith("Decided: 2 of 2 cells (every job there is shown to be slowed, or not to be).")


def test_a_cell_is_decided_only_if_all_of_its_jobs_are() -> None:
    def noisy(run: PlannedRun) -> MadeRun:
        machine = MadeMachine(hosts=("a1", "a2"), round_noise=0.5 if run.cell.placement == "linear" else 0.01)
        return made(SLOWED, WRITER, machine=machine)

    verdicts = report_from(noisy, TWO_CELLS).screen().verdicts

    assert (verdicts.cells, verdicts.decided) == (2, 1)
    assert {one.cell for one in verdicts.open} == {verdicts.jobs[0].cell}


def test_a_cell_without_results_is_no_decided_one() -> None:
    one = report_from(lambda run: None if run.cell.placement == "linear" else made(), TWO_CELLS)

    assert one.answers()["By how much"].endswith("Decided: 1 of 2 cells (every job there is shown to be slowed, or not "
                                                 "to be); 1 cell has no result.")  # fmt: skip


def test_background_jobs_get_no_verdict() -> None:
    noise = MadeJob(name="noise", nodes="1", role="background")
    verdicts = report_from(lambda _: made(SLOWED, noise), ONE_CELL).screen().verdicts

    assert [one.job for one in verdicts.jobs] == ["CG"]


def test_where_names_the_factor_that_impacts_depend_on_most() -> None:
    said = report_from(slowed_in("interleaved"), STUDY).answers()["Where"]

    assert re.match(
        r"Impacts depend most on placement: (0\.99|1\.0)\d*× with (linear|random:1) to 1\.4\d× with interleaved "
        r"\(geometric means of 4 results each\)\. In the worst cell \(placement = interleaved, set\.size = \dKiB\), "
        r"unknown: the run has no link counters",
        said,
    )


def test_factors_without_influence_are_said_to_have_none() -> None:
    assert (
        report_from(text=TWO_CELLS)
        .answers()["Where"]
        .startswith("No factor (placement) changes the mean impact by more than 5 %.")
    )


def test_only_results_that_differ_in_one_factor_are_compared() -> None:
    """Large messages are run with one placement only, where both jobs are slowed more: that is not the placement's."""
    text = STUDY.replace(', "random:1"', "") + '[[exclude]]\nplacement = "linear"\nset.size = "8KiB"\n'

    def larger(run: PlannedRun) -> MadeRun:
        return made(MadeJob(name="CG", nodes="0", congestion=3.0 if run.cell.values["set.size"] == "8KiB" else 1.2))

    verdicts = report_from(larger, text).screen().verdicts

    placement, size = verdicts.effect_of("placement"), verdicts.effect_of("set.size")
    assert placement is not None
    assert size is not None
    assert (placement.results, size.results) == (1, 1)
    assert placement.spread == pytest.approx(1.0, abs=0.1)
    assert size.spread == pytest.approx(2.5, rel=0.1)


def test_the_link_of_the_worst_cell_is_named_where_links_are_counted() -> None:
    said = report_from(on_tinis(), TWO_CELLS).answers()["Where"]

    assert (
        "In the worst cell (placement = interleaved), the busiest link, which slowed jobs share, is leaf0 → root0, "
        "used by cg and fft: 70 % of 100 Mbit/s in contended rounds"
    ) in said


def test_a_job_is_slowed_by_the_verdict_of_the_study_even_if_one_run_is_too_short() -> None:
    one = report_from(on_tinis(blocks=3), PLACEMENTS.format(runs=3))

    assert one.screen().section is not None
    assert "busiest link, which slowed jobs share, is leaf0" in one.answers()["Where"]


def test_a_topology_tells_which_links_jobs_must_cross() -> None:
    hosts = MadeMachine(hosts=tuple(f"h{number}" for number in range(16)))
    one = report_from(lambda _: made(CG, FFT, machine=hosts), ONE_CELL)

    said = one.answers(network=read_network("tinis"))
    assert said["Where"].startswith("Not measured, as the run has no link counters. By the topology, cg and fft cross ")
    assert said["Next step"].startswith("Another placement: cg and fft share ")
    assert "vary the factor `placement` of the study" in said["Next step"]


def test_the_longest_tail_is_told_with_its_cell_and_the_number_of_others() -> None:
    long = report_from(
        lambda run: made(MadeJob(name="CG", nodes="0", congestion=2.0 if run.cell.placement == "linear" else 1.0),
                         WRITER, blocks=20, repetitions=30), TWO_CELLS,
    )  # fmt: skip

    assert re.fullmatch(
        r"Percentile 9[59] of CG is [12]\.\d\d× \[1\.\d\d, 2\.\d\d\] as long when contended with placement = linear, "
        r"the largest ratio\. 1 of 4 results has a tail that is longer by more than 10 %\.",
        long.answers()["Tail"],
    )
    assert long.answers(tail_above=3.0)["Tail"].startswith(
        "No tail is shown to be longer by more than 200 % (4 results); at most, percentile 9"
    )
    assert report_from(text=ONE_CELL).answers()["Tail"].startswith("Unknown: too few repetitions")


def test_an_unfinished_study_is_completed_first() -> None:
    one = report_from(lambda run: None if run.cell.placement == "linear" else made(), TWO_CELLS)

    assert one.answers()["Next step"] == (
        "Complete the study: 1 of 2 runs is still to be done (`stressbench study resume 'my study'`)."
    )


def test_failed_runs_are_repeated_with_one_more_retry_than_they_had() -> None:
    one = report_from(
        lambda run: None if run.cell.placement == "linear" else made(), TWO_CELLS, failed="rank 1 was ended by SIGKILL"
    )

    assert one.answers()["Next step"].startswith(
        "Repeat what failed: `stressbench study resume 'my study' --retries 2` tries 1 run again."
    )


def test_undecided_cells_ask_for_the_runs_that_should_decide() -> None:
    one = report_from(slowed_in("linear", by=1.07), PLACEMENTS.format(runs=2))
    said = one.answers()["Next step"]

    found = re.match(
        r"More runs: 1 cell is undecided\. Set `repetitions = (\d+)` \(now 2\) in the study file; `stressbench study "
        r"run FILE\.toml -o 'my study'` adds the runs, which should decide if the ratios stay\.",
        said,
    )
    assert found is not None
    assert int(found[1]) == max(one.runs_needed or 0 for one in one.screen().verdicts.jobs) > 2


@pytest.mark.parametrize("distance", [1.1, 1.4, 2.0])
def test_the_stated_number_of_runs_is_what_the_width_of_the_interval_takes(distance: float) -> None:
    """The limit is moved to where the interval would have to be `distance` times as narrow."""
    machine = MadeMachine(hosts=("a1", "a2"), round_noise=0.1)
    one = report_from(lambda _: made(SLOWED, machine=machine, blocks=20), ONE_CELL)
    job = one.report.cells[0].jobs[0]
    assert job.plan is not None
    assert job.plan.half_width is not None
    limit = (job.impact.ratio or 0.0) / (1 + job.plan.half_width) ** (1 / distance)

    verdict = one.screen(slowed_above=limit).verdicts.jobs[0]

    assert verdict.verdict is Verdict.undecided
    assert verdict.runs_needed in (ceil(distance**2), ceil(distance**2) - 1)  # widths go with 1 / sqrt(n)


def test_too_few_blocks_ask_for_those_of_an_interval() -> None:
    one = report_from(lambda _: made(blocks=2), ONE_CELL)

    assert one.answers()["Who is slowed"] == "Unknown: there is no interval."
    assert "Set `repetitions = 3` (now 1) in the study file" in one.answers()["Next step"]


def test_a_study_that_repeats_until_intervals_are_narrow_is_told_so() -> None:
    text = '[until]\ninterval = "1%"\nat_least = 1\nat_most = 2\n[factors]\nworkload = "two.sb"\n'

    assert "Set `at_most = 3` in [until] (now 2)" in report_from(lambda _: made(blocks=2), text).answers()["Next step"]


def test_the_placement_with_the_least_impact_is_the_next_step() -> None:
    said = report_from(slowed_in("interleaved"), TWO_CELLS).answers()["Next step"]

    assert re.fullmatch(
        r"The placement with the least impact is linear: (0\.99|1\.0)\d*× in the geometric mean, next to 1\.4\d× with "
        r"interleaved\.",
        said,
    )


def test_placements_that_do_not_differ_are_not_recommended() -> None:
    assert report_from(text=TWO_CELLS).answers()["Next step"].startswith("Placements hardly differ (1.")


def test_without_a_slowed_job_nothing_has_to_be_done() -> None:
    calm = report_from(lambda _: made(MadeJob(name="CG", nodes="0"), WRITER, blocks=20), ONE_CELL)

    assert calm.answers()["Next step"].startswith("None: no job is slowed beyond the limit.")


def test_an_empty_study_says_that_nothing_is_known() -> None:
    one = report_from(lambda _: None)

    assert set(list(one.answers().values())[:4]) == {"Unknown: no run is done."}
    assert 'id="study-overview"' not in one.page
    assert 'id="study-answers"' in one.page


def test_the_answers_come_before_everything_else() -> None:
    page = report_from(on_tinis(), TWO_CELLS).page

    places = [page.index(text) for text in ('class="answers"', 'id="worst-network"', 'class="questions"', "<table")]
    assert places == sorted(places)


def test_the_picture_is_the_network_of_the_worst_cell_isolated_next_to_contended() -> None:
    drawn = figure(report_from(on_tinis(), TWO_CELLS).page, "worst-network")

    assert (
        "<h3>Worst cell (placement = interleaved): busiest link that slowed jobs share: leaf0 → root0, used to 70 % "
        "when contended, 40 % isolated</h3>"
    ) in drawn
    assert {">Isolated<", ">Contended<", ">40 %<", ">70 %<"} <= set(re.findall(r">[^<>]+<", drawn))


def test_jobs_have_the_colours_of_the_study_in_the_picture() -> None:
    """The job of the worst cell is the study's third."""
    third = MadeJob(name="third", congestion=2.0, nodes="0-15:2")
    network = read_network("tinis")

    def run(planned: PlannedRun) -> MadeRun:
        jobs = (CG, FFT) if planned.cell.placement == "linear" else (third, FFT)
        return run_on(network, jobs, SHARED, plan=MadePlan(blocks=8, repetitions=2, warmup=0, extra=0))

    for key in ("worst-network", "worst-link-loads"):
        drawn = figure(report_from(run, TWO_CELLS).page, key)
        assert set(re.findall(r"--job-\d", drawn)) == {"--job-2", "--job-3"}, key


def test_without_a_network_the_picture_is_an_overview_of_all_impacts() -> None:
    page = report_from(slowed_in("interleaved"), STUDY).page

    drawn = figure(page, "study-overview")
    assert "2 of 12 results slowed by more than 5 %" in drawn
    assert drawn.count("not slowed") >= 10
    assert 'id="worst-network"' not in page
    Outline(page)


def test_the_load_of_the_links_of_the_worst_cell_is_drawn_by_round() -> None:
    page = report_from(on_tinis(), TWO_CELLS).page

    assert "Worst cell (placement = interleaved): load of the busiest links in 24 rounds" in page
    assert 'download="worst-links.csv"' in page
    assert 'download="worst-link-loads.csv"' in page


def links_of(page: str) -> dict[str, str]:
    """Targets of the links on the first screen by their text."""
    listed = re.search(r'<nav class="questions".*?</nav>', page, re.DOTALL)
    assert listed is not None
    links = re.findall(r'<a href="([^"]*)">([^<]*)</a>', listed[0])
    return {unescape(text): unescape(target) for target, text in links}


def test_without_a_page_of_the_run_the_first_screen_names_the_command_that_makes_it() -> None:
    one = report_from(slowed_in("interleaved"), TWO_CELLS)

    run = one.screen().run
    assert f"stressbench report &#39;my study/runs/{run}.jsonl&#39;" in one.page
    assert all(target.startswith("#") for target in links_of(one.page).values())


def test_the_page_of_the_worst_cells_run_is_linked_from_where_the_page_is_written(tmp_path: Path) -> None:
    directory = study_in(tmp_path, TWO_CELLS)
    carry_out(directory, FakeLaunches())
    words = ["study", "report", str(directory.path), "--format", "html", "-o", str(tmp_path / "pages" / "page.html")]
    (tmp_path / "pages").mkdir()
    for run in directory.study.runs:
        assert invoke(["report", str(directory.path / "runs" / f"{run.id}.jsonl")]).exit_code == 0

    assert invoke(words).exit_code == 0

    links = links_of((tmp_path / "pages" / "page.html").read_text(encoding="utf-8"))
    (target,) = (target for target in links.values() if not target.startswith("#"))
    assert target.startswith("../made/runs/")
    assert "run1-answers" in (tmp_path / "pages" / target).read_text(encoding="utf-8")


def test_a_path_cannot_become_another_address() -> None:
    one = report_from(text=ONE_CELL)
    run = one.screen().run
    assert run is not None
    page = FORMATS["html"](one.report, replace(one.data, pages={run: 'javascript:"x"&<y>.html'}))

    assert 'href="javascript%3A%22x%22%26%3Cy%3E.html"' in page
    Outline(page)


def test_markdown_has_the_same_sentences_and_json_the_verdicts() -> None:
    one = report_from(on_tinis(), TWO_CELLS)
    said = one.answers()

    text = FORMATS["md"](one.report, one.data, options())
    values = json.loads(FORMATS["json"](one.report, one.data, options(slowed_above=1.01)))

    assert all(f"- {name}: {sentence}" in text for name, sentence in said.items())
    assert values["answers"]["where"] == said["Where"]
    assert values["verdicts"]["limits"] == {"slowed_above": 1.01, "tail_above": 1.1, "busy_above": 0.5}
    assert [(job["job"], job["verdict"]) for job in values["verdicts"]["jobs"]][2:3] == [("cg", "slowed")]
    assert values["verdicts"]["worst"]["values"] == {"placement": "interleaved"}
    assert values["cells"][0]["jobs"][0]["name"] == "cg"


def test_the_command_takes_topology_and_limits(tmp_path: Path) -> None:
    directory = study_in(tmp_path, TWO_CELLS)
    carry_out(directory, FakeLaunches())
    conf = tmp_path / "topology.conf"
    conf.write_text("SwitchName=s0 Nodes=a1\nSwitchName=s1 Nodes=a2\nSwitchName=top Switches=s[0-1]\n")
    page = tmp_path / "page.html"
    words = ["study", "report", str(directory.path), "--topology", str(conf), "--slowed-above", "1.2"]

    printed = invoke(words)
    ended = invoke([*words, "--format", "html", "-o", str(page)])

    assert (printed.exit_code, ended.exit_code) == (0, 0)
    assert "CG is shown to be slowed by more than 20 % in all 2 cells." in printed.stdout
    assert "2 hosts, loads of links unknown" in figure(page.read_text(encoding="utf-8"), "worst-network")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--topology", "tiniss"), "tiniss: no such file or directory; shipped labs: cab"),
        (("--topology", "other.conf"), "expected hosts such as x0, x1"),
        (("--slowed-above", "0.9"), "--slowed-above 0.9: expected a ratio of contended to isolated time from 1 to"),
        (("--tail-above", "1001"), "--tail-above 1001: expected a ratio"),
        (("--busy-above", "much"), "--busy-above much: expected a share such as 2% or 0.02"),
    ],
)
def test_a_wrong_topology_or_limit_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    carry_out(study_in(tmp_path, TWO_CELLS), FakeLaunches())
    (tmp_path / "other.conf").write_text("SwitchName=s0 Nodes=x[0-1]\n")
    monkeypatch.chdir(tmp_path)

    ended = invoke(["study", "report", "made", "--format", "html", "-o", "page.html", *words])

    assert ended.exit_code == 2
    assert said in " ".join(ended.stderr.split())
    assert not (tmp_path / "page.html").exists()
