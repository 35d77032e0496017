"""The report's words, tables and markup, from made-up runs whose truth is known. No browser."""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import fields, replace
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.builders import SIMULATION, MadeJob, MadeMachine, MadePlan, MadeRun, MadeStep, build_run, event
from support.commands import invoke
from support.examples import examples
from support.pages import Outline, drawings, figure

from stressbench.formats.run import Run, read_run
from stressbench.formats.run.samples import Samples
from stressbench.report import units
from stressbench.report.figures import distribution, impacts, timeline
from stressbench.report.palette import TONES, hatch_of, tone_of
from stressbench.report.renderers.csv_ import csv_text
from stressbench.report.run import FORMATS
from stressbench.stats import select, summarise

render = FORMATS["html"]

CG = MadeJob(name="TeaLeaf_CG", congestion=1.42, nodes="0-3")
INCAST = MadeJob(name="Incast", nodes="4-5")
NASTY = "<script>alert('x')</script> & \"$x^2$ \\frac{"
MACHINE = MadeMachine(hosts=tuple(f"a{number}" for number in range(8)))
Made = Callable[..., Run]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def make(made_run: MadeRun | None = None, **arguments: object) -> Run:
        chosen = made_run or build_run(**{"machine": MACHINE, "plan": MadePlan(blocks=8, repetitions=3), **arguments})
        return read_run(chosen.write(tmp_path))

    return make


def test_the_first_words_say_who_is_slowed_and_how_sure_that_is(made: Made) -> None:
    page = render([made(jobs=(INCAST, CG))])

    first = re.search(r'<ul class="findings">\s*<li>(.*?)</li>', page)
    assert first is not None
    assert re.fullmatch(r"TeaLeaf_CG is slowed down 1\.[345]\d× \[1\.\d\d, 1\.\d\d\] by the other jobs\.", first[1])


def test_an_interval_that_holds_1_is_no_slowdown(made: Made) -> None:
    assert re.search(
        r"No slowdown of Incast is shown: [\d.]+× \[0\.\d+, 1\.\d+\] includes 1\.",
        render([made(jobs=(CG, INCAST))]),
    )


def test_too_few_blocks_give_a_ratio_without_a_claim(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST), plan=MadePlan(blocks=3))])

    assert re.search(r"TeaLeaf_CG takes 1\.\d\d× as long when contended; no confidence interval is available", page)


def test_a_run_without_contended_rounds_says_so(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST), plan=MadePlan(blocks=4, contended=0))])

    assert "TeaLeaf_CG has isolated rounds only (4 rounds): there is no contended round." in page
    assert 'id="run1-impacts"' not in page
    assert "isolated, n = 20" in figure(page, "run1-boxes")


def test_a_single_job_has_nobody_to_contend_with(made: Made) -> None:
    assert "TeaLeaf_CG is the only job, so nothing contends with it" in render([made(jobs=(CG,))])


def test_an_incomplete_run_has_a_banner_and_its_rounds(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST), complete=False)])

    assert "This run is incomplete: 24 of 24 rounds are recorded, it has no end record." in page
    assert 'id="run1-boxes"' in page


def test_a_header_alone_still_makes_a_page(made: Made) -> None:
    run = build_run(jobs=(CG, INCAST), machine=MACHINE, complete=False)
    page = render([made(MadeRun(run.records[:1]))])

    assert "0 of 30 rounds are recorded" in page
    assert "TeaLeaf_CG has no result: no isolated rounds." in page
    assert 'id="run1-placement"' in page


def test_simulated_times_are_told_apart(made: Made) -> None:
    words = "by SimGrid 3.32, platform tinis: all times are simulated times"
    machine = MadeMachine(hosts=MACHINE.hosts, simulation=SIMULATION)

    assert words in render([made(jobs=(CG,), machine=machine)])
    assert words not in render([made(jobs=(CG,))])


def test_background_jobs_are_named_as_load(made: Made) -> None:
    page = render([made(jobs=(CG, MadeJob(name="noise", role="background", nodes="6")))])

    assert "In the background: noise runs in contended rounds only." in page
    assert "noise (background)" in page
    assert "noise" not in figure(page, "run1-impacts")


def test_without_histograms_there_is_no_empty_figure(made: Made) -> None:
    assert 'id="run1-tails"' not in render([made(jobs=(CG, INCAST), histograms=False)])
    assert 'id="run1-tails"' in render([made(jobs=(CG, INCAST))])


def test_names_from_a_file_cannot_become_markup_or_formulas(made: Made) -> None:
    jobs = (MadeJob(name=NASTY, nodes="0", steps=(MadeStep(motif="<b>m</b>"),)), INCAST)
    page = render([made(jobs=jobs, machine=MadeMachine(hosts=("<i>h</i>", *MACHINE.hosts)))])

    outline = Outline(page)
    assert not {"b", "i"} & set(outline.tags)
    assert outline.tags.count("script") == 1
    assert "&lt;script&gt;" in figure(page, "run1-boxes")
    texts = [text for drawing in drawings(page) for text in drawing.itertext()]
    assert [text for text in texts if text.strip() == NASTY] != []


def test_control_characters_do_not_break_the_drawings(made: Made) -> None:
    page = render([made(jobs=(MadeJob(name="a\x00b\x1bc", nodes="0"), INCAST))])

    assert len(drawings(page)) == 6


def test_every_drawing_has_a_name_a_description_and_text_that_is_text(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST))])

    for drawing in drawings(page):
        spaces = "{http://www.w3.org/2000/svg}"
        assert drawing.get("role") == "img"
        assert all(drawing.findtext(f"{spaces}{name}") for name in ("title", "desc"))
        assert drawing.findall(f".//{spaces}text")


def test_the_page_is_whole_and_asks_for_nothing(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST)), made(jobs=(CG,))])

    outline = Outline(page)
    assert len(outline.ids) == len(set(outline.ids))
    assert [reference for reference in outline.references if not reference.startswith(("#", "data:"))] == []
    assert not re.search(r"url\((?!#)", page)
    assert "default-src 'none'" in page


def test_every_reference_inside_a_drawing_leads_somewhere(made: Made) -> None:
    page = re.sub("<script>.*?</script>", "", render([made(jobs=(CG, INCAST))]), flags=re.DOTALL)

    ids = set(Outline(page).ids)
    assert {*re.findall(r"url\(#([^)]+)\)", page), *re.findall(r'href="#([^"]+)"', page)} <= ids


def test_no_stand_in_colour_is_left(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST))])

    assert [tone.placeholder for tone in TONES if tone.placeholder in page] == []


def test_few_repetitions_are_all_drawn_and_many_are_not(made: Made) -> None:
    few = figure(render([made(jobs=(CG,), plan=MadePlan(blocks=6, repetitions=10))]), "run1-boxes")
    many = figure(render([made(jobs=(CG,), plan=MadePlan(blocks=6, repetitions=11))]), "run1-boxes")

    assert "n = 60" in few
    assert "n = 66" in many
    assert len(re.findall("<use ", few)) - len(re.findall("<use ", many)) > 100


@pytest.mark.parametrize("congestion", [1.2, 30.0, 5000.0])
def test_times_on_the_axes_are_plain_numbers(made: Made, congestion: float) -> None:
    page = render([made(jobs=(MadeJob(name="A", nodes="0", congestion=congestion), INCAST))])

    assert "mathdefault" not in page
    assert ("(logarithmic)" in figure(page, "run1-boxes")) == (congestion > 8)


def test_placement_draws_a_cell_a_node_and_names_who_has_it(made: Made) -> None:
    hosts = tuple(f"h{number}" for number in range(1200))
    page = render(
        [
            made(
                jobs=(MadeJob(name="A", nodes="0-1198:2"), MadeJob(name="B", nodes="1-9:2")),
                machine=MadeMachine(hosts=hosts),
            )
        ]
    )

    drawn = figure(page, "run1-placement")
    assert "1,200 nodes" in drawn
    assert len(re.findall(r"url\(#run1-placement-h", drawn)) == 600 + 5 + 2
    assert all(entry in drawn for entry in ("A (600)", "B (5)", "no job (595)"))


def test_a_shared_node_shows_both_of_its_jobs(made: Made) -> None:
    page = render([made(jobs=(MadeJob(name="A", nodes="0"), MadeJob(name="B", nodes="0")))])

    assert len(re.findall(r"url\(#run1-placement-h", figure(page, "run1-placement"))) == 2 + 2


def test_events_and_doubts_are_told_before_the_numbers(made: Made) -> None:
    run = build_run(jobs=(CG, INCAST), machine=MACHINE)
    run.records.insert(1, event(message="the clock is coarse"))

    page = render([made(run)])

    assert page.index("the clock is coarse") < page.index('id="run1-jobs"')


def test_how_to_repeat_it_names_ranks_command_and_seed(made: Made) -> None:
    page = render([made(jobs=(CG,), seed=77)])

    assert "mpirun -n 32 stressbench-mpi run demo.sb --seed 77" in page
    assert "[JOB_NAME] TeaLeaf_CG" in page


def test_several_runs_begin_with_an_overview(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST)), made(jobs=(CG, INCAST), seed=2)])

    assert page.index('id="overview-runs"') < page.index('id="overview-impacts"') < page.index('id="run1"')
    assert 'id="run2-boxes"' in page


def test_bandwidth_says_what_it_counts_and_metrics_keep_their_unit(made: Made) -> None:
    step = MadeStep(
        motif="mpiio", bandwidth_bytes=1_000_000, bandwidth_definition="bytes written", metrics=(("open_time_s", 0.01),)
    )
    page = render([made(jobs=(MadeJob(name="io", nodes="0", steps=(step,)),))])

    assert "bytes written" in page
    assert re.search(r"[\d.]+ (GB|MB)/s", page)
    assert "open_time_s" in page


def test_jobs_differ_in_colour_or_hatch() -> None:
    looks = {(tone_of(job).variable, hatch_of(job)) for job in range(64)}

    assert len(looks) == 64


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0.0, "0 s"), (1.5, "1.50 s"), (0.0123, "12.3 ms"), (9.996e-5, "100 µs"), (4e-8, "40.0 ns")],
)
def test_times_have_three_digits_and_a_fitting_unit(seconds: float | None, text: str) -> None:
    assert units.time(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.00"), (1.003, "1.003"), (0.998, "0.998"), (1.42, "1.42"), (123.4, "123")]
)
def test_a_ratio_near_1_is_never_rounded_onto_it(value: float, text: str) -> None:
    assert units.factor(value) == text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("gone.jsonl", "gone.jsonl: no such file"),
        ("run.jsonl -o gone/r.html", "no such file"),
        ("run.jsonl -o run.jsonl", "is a file that this command reads"),
    ],
)
def test_a_mistake_writes_nothing_and_names_the_file(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    made(jobs=(CG,))
    monkeypatch.chdir(tmp_path)

    ended = invoke(["report", *words.split()])

    assert ended.exit_code == 2
    assert message in ended.stderr
    assert not list(tmp_path.glob("*.html"))


def test_the_command_names_the_page_after_the_run(made: Made, tmp_path: Path) -> None:
    run = made(jobs=(CG,))

    ended = invoke(["report", str(run.path)])

    assert ended.stdout == f"{tmp_path / 'run.html'}\n"
    assert (tmp_path / "run.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def points(drawn: str) -> int:
    return len(re.findall("<use ", drawn))


def test_a_page_stays_small_however_long_the_run(made: Made) -> None:
    """A million samples: CG's and Incast's, jobs' and motifs'."""
    run = made(jobs=(CG, INCAST))
    samples = tuple(enlarged(samples, by=4000) for samples in run.samples)
    many = replace(run, samples=samples)

    page = render([many])

    assert sum(map(len, samples)) > 1_000_000
    assert len(page) < 10_000_000
    assert points(page) < 1.05 * points(render([run]))


def enlarged(samples: Samples, *, by: int) -> Samples:
    """The same rounds with so many times as many repetitions."""
    columns = {field.name: getattr(samples, field.name) for field in fields(samples)}
    return Samples(
        **{
            name: np.repeat(column, by) if isinstance(column, np.ndarray) else column
            for name, column in columns.items()
        }
    )


def test_many_rounds_are_drawn_up_to_a_number_and_the_caption_says_so(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST), plan=MadePlan(blocks=2500, repetitions=1, warmup=0), histograms=False)])

    assert points(figure(page, "run1-timeline")) < 1.1 * timeline.MAX_POINTS
    assert points(figure(page, "run1-impacts")) < 1.1 * impacts.MAX_POINTS
    assert "the lowest and the highest of each group of consecutive rounds are shown" in figure(page, "run1-timeline")
    assert "7,500 rounds" in figure(page, "run1-timeline")


LONG = MadePlan(blocks=10, repetitions=100)


def file_in(page: str, name: str) -> list[dict[str, str]]:
    link = re.search(rf'<a href="data:text/csv;charset=utf-8,([^"]*)" download="{re.escape(name)}"', page)
    assert link is not None, name
    return list(csv.DictReader(io.StringIO(unquote(unescape(link[1])))))


def test_curves_say_which_tail_grows_and_how_sure_that_is(made: Made) -> None:
    steady = MadeMachine(hosts=MACHINE.hosts, round_noise=0.0)
    drawn = figure(render([made(jobs=(CG, INCAST), plan=LONG, machine=steady)]), "run1-distribution")

    assert re.search(
        r"<h3>Percentile 9[59]\.?9? of TeaLeaf_CG is 1\.\d\d× \[1\.\d\d, 1\.\d\d\] as long when contended", drawn
    )
    assert "share that took longer" in drawn
    assert "isolated, n = 1,000" in drawn


def test_without_enough_repetitions_no_tail_is_claimed(made: Made) -> None:
    drawn = figure(render([made(jobs=(CG, INCAST), plan=MadePlan(blocks=1, repetitions=1))]), "run1-distribution")

    assert "too few repetitions to compare tails" in drawn


def test_a_curve_falls_from_all_to_none_through_few_points() -> None:
    values = np.random.default_rng(1).lognormal(size=100_000)

    times, longer = distribution.curve_of(values)

    assert len(times) <= distribution.MAX_POINTS
    assert (times[0], times[-1]) == (values.min(), values.max())
    assert np.interp(np.quantile(values, 0.999), times, longer) == pytest.approx(0.001, rel=0.1)
    assert longer[-1] == 0


def test_every_figure_has_its_numbers_in_the_page(made: Made) -> None:
    run = made(jobs=(CG, INCAST), plan=LONG)
    page = render([run])

    curve = [
        row for row in file_in(page, "run1-distribution.csv") if (row["job"], row["kind"]) == ("Incast", "isolated")
    ]
    assert len(curve) <= distribution.MAX_POINTS
    assert float(curve[0]["time_s"]) == select(run, job=1).isolated_s.min()
    assert len(file_in(page, "run1-rounds.csv")) == 40
    assert file_in(page, "run1-placement.csv")[4] == {"node": "4", "host": "a4", "job": "Incast"}
    assert [row["n"] for row in file_in(page, "run1-times.csv")] == ["1000"] * 4
    assert {row["motif"] for row in file_in(page, "run1-executions.csv")} == {"allreduce"}
    assert len(file_in(page, "run1-impacts.csv")) == 20


def test_numbers_too_long_for_a_page_are_named_and_left_to_files(made: Made) -> None:
    page = render([made(jobs=(CG, INCAST), plan=MadePlan(blocks=1001, repetitions=1, warmup=0), histograms=False)])

    assert "rounds.csv, 4,004 rows, is too long for a page: <code>stressbench report --data DIR</code>" in page
    assert "run1-rounds.csv" not in page


def test_tails_effect_and_plan_are_those_of_show(made: Made) -> None:
    noisy = MadeMachine(hosts=MACHINE.hosts, round_noise=0.1)
    run = made(jobs=(MadeJob(name="CG", nodes="0", congestion=3.0), INCAST), plan=LONG, machine=noisy)
    timing = summarise(run).jobs[0].timing
    page = unescape(render([run]))

    tail = timing.tails[1]
    assert f'<td class="number">{units.factor(tail.ratio)}</td>' in page
    assert f'<td class="number">{units.interval(tail.low, tail.high)}</td>' in page
    assert '<td class="number">1.00</td></tr>' in page  # every contended round of CG is slower
    assert timing.plan is not None
    assert f"±2 % takes {timing.plan.more_blocks:,} more rounds of each kind" in page


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1+1", "'=1+1"), ("@x", "'@x"), ("-cmd", "'-cmd"), ("+a", "'+a"), ("-1.5", "-1.5"), ("a=b", "a=b")],
)
def test_a_name_is_no_formula_and_a_negative_number_stays_one(text: str, cell: str) -> None:
    written = csv_text(("job", "change"), [(text, -0.25)])

    assert list(csv.reader(io.StringIO(written)))[1] == [cell, "-0.25"]


@examples(12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from([NASTY, "\u05d0\u05d1\u05d2", "\u202eevil", "long" * 80, "=cmd()"])
    | st.text(st.characters(codec="utf-8"), min_size=1, max_size=50),
    blocks=st.integers(0, 7),
    repetitions=st.integers(1, 3),
    noise=st.sampled_from([0.0, 0.02, 2.0]),
    role=st.sampled_from(["measured", "background"]),
)
def test_any_run_makes_a_page(made: Made, name: str, blocks: int, repetitions: int, noise: float, role: str) -> None:
    machine = MadeMachine(hosts=MACHINE.hosts, noise=noise, round_noise=noise)
    plan = MadePlan(blocks=blocks, repetitions=repetitions, warmup=0)
    page = render(
        [
            made(
                jobs=(MadeJob(name=name, nodes="0"), MadeJob(name="b", nodes="1", role=role)),
                plan=plan,
                machine=machine,
            )
        ]
    )

    outline = Outline(page)
    assert outline.tags.count("script") == 1
    assert len(outline.ids) == len(set(outline.ids))
    assert len(drawings(page)) == page.count("<figure id=")
    assert ('id="run1-distribution"' in page) == (blocks > 0)
