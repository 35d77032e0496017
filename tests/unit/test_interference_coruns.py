"""Co-runs that were measured: from files of anybody, from run files, and how models are judged by them."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import SIMULATION, MadeJob, MadeMachine, MadePlan, build_run
from support.sensitivities import aggressor, profile, sample, victim

from stressbench.formats.errors import ProfileFileError
from stressbench.formats.profiles.coruns import CoRun, parse_coruns, to_line
from stressbench.formats.run import read_run
from stressbench.interference.coruns import UnusableCoRun, read_coruns
from stressbench.interference.evaluation import MeasuredCoRun, evaluate, leave_one_application_out
from stressbench.interference.models import TRAINABLE_MODELS, Model, predictor_of
from stressbench.interference.validation import validate_models
from stressbench.stats import summarise

CG, FFT = victim({0.2: 1.1, 0.5: 1.5}, name="cg"), victim({0.2: 1.02, 0.5: 1.2}, name="fft")
SEEN = CoRun(victim="cg", aggressors=("fft",), slowdown=1.2, interval=(1.1, 1.3), source="made up")
names = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._+-]{0,63}\Z")


@given(
    st.builds(
        CoRun,
        victim=names,
        aggressors=st.lists(names, min_size=1, max_size=3).map(tuple),
        slowdown=st.floats(min_value=1e-3, max_value=1e6),
        interval=st.none(),
        machine=st.none() | names,
        source=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    )
)
def test_what_is_written_is_read(one: CoRun) -> None:
    assert parse_coruns(to_line(one), source=Path("made-up")) == (one,)


def test_empty_lines_are_counted_but_ignored() -> None:
    with pytest.raises(ProfileFileError, match="made-up:4: type 7: expected a co-run"):
        parse_coruns(to_line(SEEN) + "\n \n7", source=Path("made-up"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "made-up: the file is empty; expected a co-run"),
        ("victim,aggressors\n", "made-up:1: no JSON: "),
        ('{"type": "header"}', 'made-up:1: type "header": expected a co-run, {"type": "observation"'),
        (to_line(SEEN).replace(":1,", ":2,", 1), "made-up:1: schema_version 2: this StressBench reads version 1"),
        (to_line(SEEN).replace('"cg"', '"c g"'), "made-up:1: victim \"c g\": string should match pattern"),
        (to_line(SEEN).replace('["fft"]', "[]"), "made-up:1: aggressors []: tuple should have at least 1 item"),
        (to_line(SEEN).replace("1.2,", "0,"), "made-up:1: slowdown 0: input should be greater than 0"),
        (to_line(SEEN).replace("[1.1,", "[1.25,"), "interval [1.25,1.3] does not hold the slowdown, 1.2"),
        (to_line(SEEN).replace('"source"', '"origin"'), "made-up:1: source: field required"),
    ],
)  # fmt: skip
def test_errors_name_line_and_key(line: str, said: str) -> None:
    with pytest.raises(ProfileFileError) as refused:
        parse_coruns(line, source=Path("made-up"))

    assert said in str(refused.value)


def test_each_measured_job_of_a_run_is_a_co_run_with_its_congestion_impact(tmp_path: Path) -> None:
    jobs = (
        MadeJob(name="cg", congestion=1.5),
        MadeJob(name="[red] fft", congestion=1.1),
        MadeJob(name="noise", role="background"),
    )
    path = build_run(jobs=jobs).write(tmp_path)
    impacts = [job.timing.impact for job in summarise(read_run(path)).jobs]

    cg, fft = read_coruns(path)

    assert isinstance(cg, CoRun) and isinstance(fft, CoRun)
    assert (cg.victim, cg.aggressors, cg.source, cg.machine) == ("cg", ("red-fft", "noise"), "run.jsonl", None)
    assert (fft.victim, fft.aggressors) == ("red-fft", ("cg", "noise"))
    assert (cg.slowdown, cg.interval) == (impacts[0].ratio, (impacts[0].low, impacts[0].high))
    assert (fft.slowdown, fft.interval) == (impacts[1].ratio, (impacts[1].low, impacts[1].high))


def test_a_run_too_short_for_an_interval_has_none(tmp_path: Path) -> None:
    path = build_run(jobs=(MadeJob(name="a"), MadeJob(name="b")), plan=MadePlan(blocks=3)).write(tmp_path)

    assert [one.interval for one in read_coruns(path) if isinstance(one, CoRun)] == [None, None]


def test_a_job_that_was_not_measured_both_ways_is_left_out_with_the_reason(tmp_path: Path) -> None:
    jobs = (MadeJob(name="a"), MadeJob(name="b"))
    path = build_run(jobs=jobs, plan=MadePlan(contended=0)).write(tmp_path)

    assert read_coruns(path)[0] == UnusableCoRun(
        victim="a", aggressors=("b",), source="run.jsonl", reason="no contended rounds"
    )


def test_simulated_times_are_marked_in_the_source(tmp_path: Path) -> None:
    machine = MadeMachine(simulation=SIMULATION)
    path = build_run(jobs=(MadeJob(name="a"), MadeJob(name="b")), machine=machine).write(tmp_path)

    assert "run.jsonl, simulated by SimGrid 3.32" in read_coruns(path)[0].source


def test_a_run_with_one_job_has_no_co_run(tmp_path: Path) -> None:
    with pytest.raises(ProfileFileError, match=r"run.jsonl: 1 job: a co-run has two or more"):
        read_coruns(build_run().write(tmp_path))


def test_judging_is_evaluating_every_model() -> None:
    found = validate_models([CG, FFT], [SEEN])

    seen = [MeasuredCoRun(victim=CG, aggressors=(FFT,), slowdown=1.2, interval=(1.1, 1.3), source="made up")]
    by_name = {score.model: score for score in found.scores}
    assert set(by_name) == {*Model, "Blend"}
    for model in Model:
        evaluated = evaluate(predictor_of(model), seen)
        assert by_name[model].mean_absolute_error == evaluated.mean_absolute_error
        assert by_name[model].within_5_points == evaluated.share_within(0.05)
        assert by_name[model].within_10_points == evaluated.share_within(0.1)
        assert (by_name[model].quartiles, by_name[model].coverage) == (evaluated.quartiles, evaluated.coverage)
        assert by_name[model].pairs[0].slowdown == evaluated.pairs[0].slowdown
    blend = leave_one_application_out(TRAINABLE_MODELS[0], seen)
    assert by_name["Blend"].learnt
    assert by_name["Blend"].pairs[0].reason == blend.pairs[0].reason
    assert by_name["Queue"].pairs[0].measured_interval == (1.1, 1.3)
    assert by_name["PerLink"].could_not_tell == 1
    assert (by_name["PerLink"].intervals, by_name["Queue"].intervals) == (0, 1)
    assert found.has_predictions


def test_co_runs_without_profiles_are_left_out_and_named() -> None:
    strange = replace(SEEN, aggressors=("milc", "fft", "milc"))
    elsewhere = replace(SEEN, machine="cab")
    unread = UnusableCoRun(victim="cg", aggressors=("fft",), source="x", reason="no contended rounds")

    found = validate_models([CG, FFT], [strange, SEEN, elsewhere, unread, replace(SEEN, machine="lab")])

    assert found.co_runs == 2
    assert [one.reason for one in found.left_out] == [
        "no profile of milc",
        "measured on cab, profiles are of lab",
        "no contended rounds",
    ]


def test_a_second_copy_is_the_same_application_unless_it_has_a_profile() -> None:
    pair = replace(SEEN, aggressors=("cg_2",))
    copy = aggressor(0.4, name="cg_2")

    assert validate_models([CG], [pair]).scores[0].pairs[0].aggressors == ("cg",)
    assert validate_models([CG, copy], [pair]).scores[0].pairs[0].aggressors == ("cg_2",)


def test_two_profiles_of_one_application_are_refused() -> None:
    with pytest.raises(ValueError, match="two profiles of application 'cg'"):
        validate_models([CG, aggressor(0.4, name="cg")], [SEEN])


def test_without_any_prediction_there_are_no_scores() -> None:
    silent = [profile(name, idle_s=sample(0.0)) for name in ("cg", "fft")]

    assert not validate_models(silent, [SEEN]).has_predictions


def test_models_are_ordered_by_error_and_those_without_predictions_come_last() -> None:
    found = validate_models([CG, FFT], [replace(SEEN, slowdown=1.25, interval=None)]).scores

    errors = [one.mean_absolute_error for one in found if one.mean_absolute_error is not None]
    assert errors == sorted(errors)
    assert errors[0] < errors[-1]
    assert [one.model for one in found[-3:]] == ["PerLink", "SharesAndWaits", "Blend"]
    assert found[0].model != "AverageLT"
