"""`stressbench predict evaluate`: predictions against co-runs that were measured."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from support.builders import MadeJob, build_run
from support.commands import call
from support.sensitivities import aggressor, profile, sample, victim, write_profile

from stressbench.formats.profiles.coruns import CoRun, to_line
from stressbench.interference.models import Model
from stressbench.interference.validation import Validation, validate_models

CG, FFT = victim({0.2: 1.1, 0.5: 1.5}, name="cg"), victim({0.2: 1.02, 0.5: 1.2}, name="fft")
SEEN = (
    CoRun(victim="cg", aggressors=("fft",), slowdown=1.25, interval=(1.2, 1.3), source="=made up"),
    CoRun(victim="fft", aggressors=("cg",), slowdown=1.5, interval=None, source="made up"),
    CoRun(victim="cg", aggressors=("milc",), slowdown=1.5, interval=None, source="made up"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_profile(tmp_path, CG)
    write_profile(tmp_path, FFT)
    (tmp_path / "co-runs.jsonl").write_text("".join(map(to_line, SEEN)), encoding="utf-8")
    return tmp_path


def evaluate(folder: Path, *options: object) -> Any:
    return call(
        "predict", "evaluate", folder / "cg.json", folder / "fft.json", "--observed", folder / "co-runs.jsonl", *options
    )  # fmt: skip


def test_a_line_a_model_the_best_first(folder: Path) -> None:
    ended = evaluate(folder)

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "lab: 10 models against 2 co-runs" in ended.stdout
    found = validate_models([CG, FFT], SEEN)
    places = [ended.stdout.index(f"\n{score.model}") for score in found.scores]
    assert places == sorted(places)
    best = found.scores[0]
    assert best.quartiles is not None and best.mean_absolute_error is not None
    line = next(line for line in ended.stdout.splitlines() if line.startswith(best.model))
    assert f"{100 * best.mean_absolute_error:.1f}" in line and f"{100 * best.quartiles.third:.1f}" in line
    assert "PerLink has no prediction for 2 co-runs, for example: no link counters of cg, fft" in ended.stdout
    assert "left out: cg beside milc (made up): no profile of milc" in ended.stdout
    assert "1.250 [1.200, 1.300]" not in ended.stdout


def test_a_line_a_co_run_where_asked_for(folder: Path) -> None:
    ended = evaluate(folder, "--pairs")

    assert "cg       fft      1.250 [1.200, 1.300]" in ended.stdout
    assert "fft      cg       1.500 [no interval]" in ended.stdout


def test_json_is_the_validation(folder: Path) -> None:
    reported = json.loads(evaluate(folder, "--json").stdout)

    assert reported == json.loads(TypeAdapter(Validation).dump_json(validate_models([CG, FFT], SEEN)))
    assert set(reported) == {"machine", "co_runs", "scores", "left_out"}
    assert set(reported["scores"][0]["quartiles"]) == {"least", "first", "median", "third", "most"}
    assert reported["scores"][0]["pairs"][0]["measured_interval"] == [1.2, 1.3]


def test_csv_has_a_line_a_model(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(evaluate(folder, "--csv").stdout)))

    found = validate_models([CG, FFT], SEEN)
    assert [row["model"] for row in rows] == [score.model for score in found.scores]
    assert float(rows[0]["mean_absolute_error"]) == found.scores[0].mean_absolute_error
    assert rows[0]["co_runs"] == "2"
    assert rows[-1]["mean_absolute_error"] == ""


def test_csv_of_pairs_has_a_line_a_co_run_and_model_and_no_formula(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(evaluate(folder, "--csv", "--pairs").stdout)))

    found = validate_models([CG, FFT], SEEN)
    assert len(rows) == 2 * (len(Model) + 1)
    assert (rows[0]["model"], rows[0]["victim"], rows[0]["aggressors"]) == (found.scores[0].model, "cg", "fft")
    for column, values in (("predicted", [one.slowdown for score in found.scores for one in score.pairs]),
                           ("low", [one.low for score in found.scores for one in score.pairs]),
                           ("error", [one.error for score in found.scores for one in score.pairs])):  # fmt: skip
        assert [row[column] for row in rows] == ["" if value is None else str(value) for value in values]
    assert (rows[0]["measured"], rows[0]["measured_low"], rows[1]["measured_low"]) == ("1.25", "1.2", "")
    assert rows[0]["source"] == "'=made up"


def test_a_run_file_is_as_good_and_several_files_add_up(folder: Path) -> None:
    jobs = (MadeJob(name="cg", congestion=1.5), MadeJob(name="fft", congestion=1.1))
    run = build_run(jobs=jobs).write(folder)

    reported = json.loads(evaluate(folder, "--observed", run, "--json").stdout)

    pairs = reported["scores"][0]["pairs"]
    assert [(one["victim"], one["source"]) for one in pairs] == [
        ("cg", "=made up"),
        ("fft", "made up"),
        ("cg", "run.jsonl"),
        ("fft", "run.jsonl"),
    ]
    assert pairs[2]["measured"] == pytest.approx(1.5, rel=0.05)


def test_many_that_are_left_out_are_counted(folder: Path) -> None:
    (folder / "co-runs.jsonl").write_text("".join(map(to_line, SEEN + 13 * (SEEN[2],))), encoding="utf-8")

    ended = evaluate(folder)

    assert ended.stdout.count("left out: ") == 10
    assert "and 4 more left out; --json has all" in ended.stdout


def test_status_1_where_no_model_has_a_prediction(folder: Path) -> None:
    for name in ("cg", "fft"):
        write_profile(folder, profile(name, idle_s=sample(0.0)))

    ended = evaluate(folder)

    assert ended.exit_code == 1
    assert "PhaseAware has no prediction for 2 co-runs, for example: the impact of fft was not measured" in ended.stdout


def refusals(folder: Path) -> dict[str, tuple[tuple[object, ...], str]]:
    cg, fft, seen = folder / "cg.json", folder / "fft.json", folder / "co-runs.jsonl"
    (folder / "bad.jsonl").write_text("victim;aggressors\n", encoding="utf-8")
    (folder / "other.jsonl").write_text(to_line(SEEN[2]), encoding="utf-8")
    torn = folder / "torn.jsonl"
    torn.write_text('{"type": "header"}\n', encoding="utf-8")
    return {
        "both": ((cg, fft, "--observed", seen, "--json", "--csv"), "--json and --csv: expected one of them"),
        "no file": ((cg, fft, "--observed", folder / "x.jsonl"), "x.jsonl: no such file or directory"),
        "not ours": ((cg, fft, "--observed", folder / "bad.jsonl"), "bad.jsonl:1: no JSON: "),
        "a broken run": ((cg, fft, "--observed", torn), "torn.jsonl:1: schema_version null"),
        "strangers": ((cg, fft, "--observed", folder / "other.jsonl"), "no co-run of these profiles: no profile"),
        "one twice": ((cg, cg, "--observed", seen), "two profiles of application 'cg': expected one each"),
        "nobody": (("--observed", seen), "no profiles: name files, folders of profiles, or --store DIR"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "what", ["both", "no file", "not ours", "a broken run", "strangers", "one twice", "nobody"]
)  # fmt: skip
def test_a_mistake_is_one_line_and_status_2(what: str, folder: Path) -> None:
    words, said = refusals(folder)[what]

    ended = call("predict", "evaluate", *words)

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert ended.stderr.startswith("stressbench: ") and ended.stderr.count("\n") == 1


def test_a_run_of_background_jobs_alone_has_no_co_runs(folder: Path) -> None:
    jobs = (MadeJob(name="cg", role="background"), MadeJob(name="fft", role="background"))
    run = build_run(jobs=jobs).write(folder)

    ended = call("predict", "evaluate", folder / "cg.json", "--observed", run)

    assert ended.exit_code == 2
    assert "no co-run of these profiles: every job is a congestor" in ended.stderr


def test_profiles_come_from_a_store_too(folder: Path) -> None:
    from stressbench.formats.profiles.store import Store

    for one in (CG, FFT, aggressor(0.4, name="milc")):
        Store(folder=folder / "profiles").save(one)
    words = ("--observed", folder / "co-runs.jsonl", "--json")

    by_folder = json.loads(call("predict", "evaluate", folder / "profiles", *words).stdout)
    by_name = json.loads(call("predict", "evaluate", "cg", "fft", "--store", folder / "profiles", *words).stdout)

    assert (by_folder["co_runs"], by_name["co_runs"]) == (3, 2)


def test_help_teaches() -> None:
    ended = call("predict", "evaluate", "--help")

    assert all(word in ended.stdout for word in ("Examples:", '"type": "observation"', "Exit status:"))
