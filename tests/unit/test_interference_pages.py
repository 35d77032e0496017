"""The pages of profiles and predictions: what stands in them, from profiles that are made up. No browser."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from urllib.parse import unquote

import numpy as np
import pytest
from support.pages import Outline, drawings, figure
from support.sensitivities import Application, aggressor, profile, profile_in_world, sample, victim
from support.sensitivity_pages import CG, FFT, NASTY, SEEN, phased, rings

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.corun_prediction import predict_corun
from stressbench.interference.coruns import CoRun, UnusableCoRun
from stressbench.interference.models import DEFAULT_MODEL, Model
from stressbench.interference.placement_plan import UnpredictedGroup, plan_placement
from stressbench.interference.profile_summary import summarise_profile
from stressbench.interference.validation import Validation, validate_models
from stressbench.report.interference import FORMATS as PROFILES
from stressbench.report.interference import evaluation, placement, predictions, profile_report
from stressbench.report.palette import TONES
from stressbench.report.renderers import render as rendered


def page_of(*profiles: Profile, cautions: tuple[str, ...] = ()) -> str:
    return PROFILES["html"]([profile_report(one, cautions=cautions) for one in profiles])


def judged(*co_runs: CoRun | UnusableCoRun) -> Validation:
    return validate_models([CG, FFT], co_runs or SEEN)


PAGES: dict[str, Callable[[], str]] = {
    "profiles": lambda: page_of(rings(), phased(), aggressor(0.3)),
    "together": lambda: rendered("html", predictions.page(predict_corun([CG, FFT], tuple(Model)))),
    "judgement": lambda: rendered("html", evaluation.page(judged())),
    "seating": lambda: rendered(
        "html", placement.page(plan_placement([CG, FFT], Model.monotone, switches=1, per_switch=2))
    ),
}


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param]()


def sheet_in(page: str, name: str) -> list[dict[str, str]]:
    (href,) = re.findall(rf'href="data:text/csv;charset=utf-8,([^"]*)" download="{name}"', page)
    return list(csv.DictReader(io.StringIO(unquote(unescape(href)))))


def notes_in(page: str) -> list[str]:
    return [unescape(note) for note in re.findall(r'<li class="warning">(.*?)</li>', page)]


def test_a_page_is_whole_by_itself(page: str) -> None:
    outline = Outline(page)

    assert len(set(outline.ids)) == len(outline.ids)
    assert outline.tags.count("script") == 1
    assert all(reference.startswith(("data:", "#")) for reference in outline.references)
    assert not any(tone.placeholder in svg for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL) for tone in TONES)
    assert len(drawings(page)) == len(re.findall("<figure", page))
    assert len(page) < 700_000


def test_every_figure_has_a_title_a_caption_and_n(page: str) -> None:
    for one in re.findall(r"<figure.*?</figure>", page, re.DOTALL):
        assert re.search(r"<h3>[^<]+</h3>", one)
        caption = re.search(r"<figcaption>(.*?)</figcaption>", one, re.DOTALL)
        assert caption is not None
        assert "read like <a href=" in caption[1] or re.fullmatch(r"[^<]{80,}\bn (= \d|counts)[^<]*", caption[1])
        assert re.search(r"<desc[^>]*>[^<]{15,}</desc>", one)


def test_a_profile_has_latencies_phases_curve_and_rings_as_far_as_they_are_known() -> None:
    page = page_of(rings(), phased(), aggressor(0.3))

    assert re.findall(r'<figure id="(\w+)-(\w+)"', page) == [
        *[("profile1", name) for name in ("latencies", "phases", "curve", "rings")],
        *[("profile2", name) for name in ("latencies", "phases")],
        *[("profile3", name) for name in ("latencies", "phases")],
    ]
    assert re.findall(r'<a href="#(profile\d)">([^<]*)</a>', page) == [
        ("profile1", "cg on lab"), ("profile2", "phased on lab"), ("profile3", "aggressor on lab")
    ]  # fmt: skip


def test_latencies_are_compared_by_their_means_and_drawn_with_how_many_there_are() -> None:
    drawn = figure(page_of(aggressor(0.5)), "profile1-latencies")

    ratio = np.mean(sample(0.5)) / np.mean(sample(0.0))
    assert f"Beside aggressor the mean probe latency is {ratio:.2f}× the idle one" in drawn
    assert (
        "n = 60 probes of the idle machine, 60 beside the application; each is half a round trip of 1,024 B." in drawn
    )


def test_a_slow_down_without_an_interval_stands_alone() -> None:
    once = victim({0.5: 1.5})
    page = page_of(replace(once, levels=tuple(replace(one, times_s=one.times_s[:1]) for one in once.levels)))

    assert "It takes up to 1.50× as long beside a ring that keeps the switch busy for" in page
    assert "victim takes 1.50× as long at a utilisation of" in page


def test_phases_are_told_with_their_times_and_drawn() -> None:
    page = page_of(phased())

    said = summarise_profile(phased())
    assert [(round(one.began_s), round(one.ended_s)) for one in said.phases] == [(2, 8), (8, 14)]
    first, second = (f"{100 * one.utilisation:.1f}" for one in said.phases)
    assert f"Utilisation by phased: {first} to {second} % by phase" in page
    assert f'<td class="number">2.0</td><td class="number">8.0</td><td class="number">{first}</td>' in page
    assert "Their times are unknown" not in page
    assert "Their times are unknown and drawn as evenly spaced." in page_of(aggressor(0.3))


def test_the_curve_is_the_one_that_predictions_go_by_and_its_band_holds_it() -> None:
    world = Application(name="cg", phases=((1.0, 0.5),), suffers=1.5, bend=1.0)
    said = summarise_profile(profile_in_world(world, seed=3))

    at = [point.utilisation for point in said.curve]
    rising = [point.slowdown for point in said.curve]
    assert (at[0], rising[0]) == (0.0, 1.0)
    assert at == sorted(at) and rising == sorted(rising)
    assert all(point.low <= point.slowdown <= point.high for point in said.curve)
    assert rising == pytest.approx([world.slowdown_at(value) for value in at], rel=0.06)


def test_compressions_of_which_nobody_can_tell_are_counted_and_stand_in_the_table() -> None:
    page = page_of(rings())

    assert "The utilisation of 1 more level is unknown." in figure(page, "profile1-curve")
    assert "n = 3 congestion levels, 5 times at each level, 5 isolated." in figure(page, "profile1-curve")
    assert "n = 4 congestion levels of 4." in figure(page, "profile1-rings")
    assert re.search(r"P = 3, M = 10, B = 10.0 µs</th>.*?at least 9\d\.\d</td>", page)
    saturated = sheet_in(page, "profile1-compressions.csv")[-1]
    assert (saturated["side"], saturated["partners"], saturated["utilisation"]) == ("compression", "3", "")
    assert saturated["reason"].startswith("saturated")


def test_what_was_never_measured_is_said_and_not_drawn_empty() -> None:
    page = page_of(profile("idle", idle_s=sample(0.0)))

    assert re.findall(r'<figure id="profile1-(\w+)"', page) == ["latencies"]
    assert "The profile of idle holds idle latencies only." in page
    assert "the impact of idle was not measured" in page
    impact, compress = notes_in(page)
    assert impact.startswith("The impact of idle on the network was not measured: use <code>stressbench impact</code>")
    assert compress.startswith("The slowdown of idle was not measured: use <code>stressbench compress</code>")


def test_probes_within_one_host_tell_nothing_of_a_switch() -> None:
    origin = replace(CG.provenance, configuration={"pairs": "h0"})
    page = page_of(replace(CG, provenance=origin))

    assert "cannot tell: both ranks of a pair are on h0: their messages go through memory" in page
    assert re.findall(r'<figure id="profile1-(\w+)"', page) == ["latencies"]
    assert notes_in(page) == ["Both ranks of a pair are on h0: their messages go through memory, not through a switch."]
    apart = replace(CG, provenance=replace(origin, configuration={"pairs": "h0+h1 h2+h3"}))
    assert notes_in(page_of(apart)) == []


def test_what_the_measurement_doubts_stands_before_the_numbers() -> None:
    assert notes_in(page_of(CG, cautions=("12 idle probes: too few",))) == ["12 idle probes: too few."]


def test_texts_of_profiles_cannot_become_a_part_of_the_page() -> None:
    origin = replace(CG.provenance, command=("./app", NASTY), configuration={NASTY: f"{NASTY}\x07"})
    page = page_of(replace(phased(), provenance=origin))

    assert page.count("<script") == 1
    assert page.count("&lt;script&gt;") == 4
    assert "\x07" not in page


def test_every_format_tells_every_application() -> None:
    found = [profile_report(rings()), profile_report(phased())]
    texts = {name: render(found) for name, render in PROFILES.items()}

    assert set(texts) == {"csv", "html", "json", "latex", "md", "text"}
    lines = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert [(line["application"], line["side"]) for line in lines] == [
        *[("cg", side) for side in ("idle", "application", *["compression"] * 4)],
        *[("phased", side) for side in ("idle", "application")],
    ]  # fmt: skip
    first, second = json.loads(texts["json"])
    assert first["levels"][0]["slowdown"]["centre"] == pytest.approx(1.1)
    assert (len(second["phases"]), second["levels"], second["links"]["h1: h1 > s0"]) == (2, [], 0.5)
    assert "# cg on lab\n" in texts["md"] and "# phased on lab\n" in texts["md"]
    assert "cg on lab\n" in texts["text"]
    assert "| P = 1, M = 1, B = 1.00 ms | 40 KiB | 60 |" in texts["md"]


def test_predictions_lead_with_the_best_model_and_the_hardest_hit() -> None:
    page = rendered("html", predictions.page(predict_corun([CG, FFT], tuple(Model))))

    first, second = re.findall(r"<li>(.*?)</li>", page)[:2]
    assert first.startswith("cg will take 1.194") and first.endswith(f"as long beside fft, by {DEFAULT_MODEL}.")
    assert second.startswith("fft will take")
    drawn = figure(page, "predict-slowdowns")
    assert "cg, PDFLT" in drawn and "cg, PerLink" not in drawn
    shown = re.sub(r'href="data:[^"]*"', "", page)
    assert shown.count("no link counters of") == 4  # of two applications, for two models


def test_where_nobody_can_tell_there_is_no_figure_and_the_reason() -> None:
    page = rendered(
        "html", predictions.page(predict_corun([aggressor(0.3, name="a"), aggressor(0.4, name="b")], (DEFAULT_MODEL,)))
    )

    assert "<figure" not in page
    assert "a beside b: no prediction, a was not measured at any congestion level." in page


def test_a_prediction_without_an_upper_bound_is_open() -> None:
    light = victim({0.1: 1.1, 0.2: 1.2}, name="light")

    drawn = figure(
        rendered("html", predictions.page(predict_corun([light, aggressor(0.8)], (Model.monotone,)))),
        "predict-slowdowns",
    )

    assert re.search(r"light, Monotone: \S+ \[[\d.]+, \.\.\.\)", drawn)


def test_models_are_judged_in_boxes_a_scatter_and_tables() -> None:
    page = rendered(
        "html", evaluation.page(judged(*SEEN, UnusableCoRun(victim="x", aggressors=("y",), source="f", reason=NASTY)))
    )

    assert re.findall(r'<figure id="judgement-(\w+)"', page) == ["boxes", "scatter"]
    best = judged().scores[0]
    assert best.mean_absolute_error is not None
    assert f"<li>{best.model} has a mean error of {100 * best.mean_absolute_error:.1f} points, " in page
    assert re.findall(r'<table id="judgement-(\d)"', page) == ["1", "2"]
    assert "1.250 [1.200, 1.300]" in page
    assert page.count("<script") == 1 and "Left out: x beside y (f): &lt;script&gt;" in page
    assert len(sheet_in(page, "predictions.csv")) == 2 * len(judged().scores)
    assert "PerLink, n" not in page


def test_where_no_model_can_tell_a_judgement_has_tables_only() -> None:
    found = validate_models([aggressor(0.3, name="cg"), aggressor(0.4, name="fft")], SEEN)
    page = rendered("html", evaluation.page(found))

    assert "No model has a prediction for any co-run." in page
    assert "<figure" not in page


def test_seats_are_told_with_what_they_cost_and_who_is_kept_apart() -> None:
    found = plan_placement([CG, FFT], Model.monotone, switches=1, per_switch=2)
    apart = (UnpredictedGroup(applications=("a", "b"), reasons=(NASTY,)),)
    page = rendered("html", placement.page(replace(found, not_considered=apart)))

    assert "2 applications on 1 switch of lab" in page
    assert f"add up to {100 * found.cost:.1f} percentage points" in page
    assert re.search(r'<th scope="row">1</th><td>cg 1\.\d+ \[', page)
    assert notes_in(page) == [f"Not placed together: a, b: {NASTY}."]
    assert page.count("<script") == 1
