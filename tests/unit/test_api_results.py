"""Functions of the Python interface that measure nothing: what they return is what their commands print."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commands import call
from support.golden import KEPT
from support.traces import ring

import stressbench
from stressbench.api.labs import LabCheckResults, LabProbeResults

PROFILES = ("cg.json", "fft.json")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files that version 0.1.0 wrote, and another trace."""
    monkeypatch.chdir(shutil.copytree(KEPT, tmp_path / "kept"))
    ring(2).write(Path.cwd(), "ring.trace")
    return Path.cwd()


def json_of(results: Any) -> Any:
    return json.loads(results.report(format="json"))


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (lambda: stressbench.predict(*PROFILES), ("predict", *PROFILES, "--json")),
        (
            lambda: stressbench.predict_evaluate(*PROFILES, observed=["co-runs.jsonl"]),
            ("predict", "evaluate", *PROFILES, "--observed", "co-runs.jsonl", "--json"),
        ),
        (
            lambda: stressbench.predict_place(*PROFILES, switches=1),
            ("predict", "place", *PROFILES, "--switches", "1", "--json"),
        ),
        (lambda: stressbench.sensitivity(*PROFILES), ("sensitivity", *PROFILES, "--format", "json")),
        (lambda: stressbench.compare("run.jsonl", "other.jsonl"), ("compare", "run.jsonl", "other.jsonl", "--json")),
        (lambda: stressbench.show("run.jsonl"), ("show", "run.jsonl", "--json")),
        (
            lambda: stressbench.trace_diff("app.trace", "ring.trace"),
            ("trace", "diff", "app.trace", "ring.trace", "--json"),
        ),
        (lambda: stressbench.study_plan("study.toml"), ("study", "plan", "study.toml", "--json")),
        (lambda: stressbench.study_status("study"), ("study", "status", "study", "--json")),
        (lambda: stressbench.degrade_report("degrade"), ("degrade", "report", "degrade", "--format", "json")),
        (lambda: stressbench.rails_report("rails"), ("rails", "report", "rails", "--format", "json")),
        (lambda: stressbench.read("beff.jsonl"), ("beff", "--from", "beff.jsonl", "--json")),
        (lambda: stressbench.clean(["."], dry_run=True), ("clean", "--dry-run", "--json", "--in", ".")),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_values_are_those_of_the_command(files: Path, results: Any, words: tuple[str, ...]) -> None:
    found = results()

    assert json_of(found) == json.loads(call(*words).stdout)
    assert found._repr_html_().startswith('<div class="stressbench">')
    assert re.search(r"<title>.*\w.*</title>", found.report(format="html"))
    headings = [line for line in found.report(format="md").splitlines() if line.startswith("#")]
    assert headings
    assert all(line.strip("# ") for line in headings)


def test_texts_are_those_of_the_command(files: Path) -> None:
    assert stressbench.show("run.jsonl", motifs=1).report() == call("show", "run.jsonl", "--motifs", "1").stdout
    assert stressbench.trace_export("app.trace") == call("trace", "export", "--profile", "app.trace").stdout
    assert stressbench.read("app.trace").calls() == call("trace", "show", "app.trace", "--rank", "0").stdout
    assert stressbench.read("app.trace").report() == call("trace", "show", "app.trace").stdout
    assert stressbench.lab_draw("lab.toml").startswith("<svg")
    assert stressbench.report_runs(["run.jsonl", "other.jsonl"], format="md").count("# ") >= 2


def test_an_evaluation_shows_each_co_run_if_asked(files: Path) -> None:
    results = stressbench.predict_evaluate(*PROFILES, observed=["co-runs.jsonl"], pairs=True)
    words = ("predict", "evaluate", *PROFILES, "--observed", "co-runs.jsonl", "--pairs")

    assert results.report() == call(*words).stdout
    assert results.report(format="csv") == call(*words, "--csv").stdout


def test_a_lab_that_is_not_named_is_the_one_that_is_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STRESSBENCH_LABS", str(tmp_path))

    with pytest.raises(stressbench.StressBenchError, match="no lab is up"):
        stressbench.lab_draw(interval_s=0.5)


def test_a_trace_has_the_profile_that_the_command_prints(files: Path) -> None:
    printed = call("trace", "show", "--profile", "app.trace").stdout

    assert stressbench.read("app.trace").profile().report(format="text") == printed


def test_a_study_is_packed_and_verified(files: Path) -> None:
    packed = stressbench.study_pack("study", output="packed.tar.gz")

    assert stressbench.study_verify("packed.tar.gz").complaints == ()
    assert stressbench.study_verify("study").complaints == ()
    assert packed.files > 0


def test_sweeps_are_planned_as_their_commands_plan_them(files: Path) -> None:
    rates = stressbench.RateSweep(workloads=("pair.sb",), on="simgrid:tiny", ranks=(4,))
    policies = tuple(map(stressbench.rail_policy, ("default", "nic0", "nic1", "round-robin")))
    rails = stressbench.RailSweep(
        workloads=("pair.sb",), on="local", ranks=(4,), nics=("a", "b"), policies=policies
    )  # fmt: skip

    assert json_of(stressbench.study_plan(rates)) == json.loads(
        call("degrade", "plan", "pair.sb", "-n", "4", "--on", "simgrid:tiny", "--json").stdout
    )
    assert json_of(stressbench.study_plan(rails)) == json.loads(
        call("rails", "plan", "pair.sb", "-n", "4", "--on", "local", "--nics", "a,b", "--json").stdout
    )


def test_a_study_that_its_target_cannot_run_is_not_planned(files: Path) -> None:
    Path("rates.toml").write_text('[factors]\nworkload = "pair.sb"\non = "local"\nranks = 4\nrate = ["full", "1/2"]\n')

    with pytest.raises(stressbench.StressBenchError, match="link rates cannot be controlled on local") as refused:
        stressbench.study_plan("rates.toml")

    assert refused.value.exit_status == call("study", "plan", "rates.toml").exit_code == 2


def test_pairs_are_planned_without_leaving_files(files: Path) -> None:
    for name in "ab":
        Path(f"{name}.sb").write_text(f"[JOB_NAME] {name}\n[NODES] 1\n[MOTIF] allreduce\n")
    before = sorted(files.iterdir())
    rounds = stressbench.SweepRounds(isolated=1, contended=1, min_time=stressbench.stated_time("100ms"))

    plan = stressbench.study_plan(
        stressbench.PairMatrix(workloads=(Path("a.sb"), Path("b.sb")), ranks=2, rounds=rounds)
    )

    assert [run.repetition for run in plan.data.runs] == [0]
    assert sorted(files.iterdir()) == before


def test_what_is_shipped_is_listed() -> None:
    studies = {one.study for one in stressbench.study_list()}
    labs = {one.name for one in stressbench.lab_list()}

    assert "small" in studies
    assert "tiny" in labs


def test_reports_about_labs_have_a_title() -> None:
    for results in (LabCheckResults(()), LabProbeResults(())):
        assert re.match(r"# .*\w", results.report(format="md"))


def test_a_wrong_format_and_a_wrong_model_are_refused(files: Path) -> None:
    with pytest.raises(ValueError, match="format: 'csv' is not one of html, json, md, text"):
        stressbench.predict(*PROFILES).report(format="csv")
    for predict in (
        lambda: stressbench.predict(*PROFILES, models=["nonsense"]),
        lambda: stressbench.predict_place(*PROFILES, switches=1, model="nonsense"),
    ):
        with pytest.raises(stressbench.StressBenchError, match="nonsense: expected one of AverageLT"):
            predict()


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (lambda: stressbench.show("run.jsonl", interval="x"), "interval: 'x': expected ranks, bootstrap"),
        (lambda: stressbench.show("run.jsonl", plan=0), "--plan 0: expected more than 0% and less than 100%"),
        (lambda: stressbench.compare("run.jsonl", "other.jsonl", effect=-0.1), "--effect -0.1: expected at least 0%"),
        (lambda: stressbench.compare("run.jsonl", "other.jsonl", effect=float("nan")), "--effect nan: expected"),
        (lambda: stressbench.degrade_report("degrade", at_most=1.5), "--at-most 1.5: expected at least 0% and less"),
        (lambda: stressbench.degrade_report("degrade", time="x"), "time: 'x': expected isolated, contended"),
        (lambda: stressbench.rails_report("rails", time="x"), "time: 'x': expected isolated, contended"),
    ],
)
def test_values_out_of_range_are_refused(files: Path, results: Any, message: str) -> None:
    with pytest.raises(stressbench.StressBenchError, match=re.escape(message)) as refused:
        results()

    assert refused.value.exit_status == 2
