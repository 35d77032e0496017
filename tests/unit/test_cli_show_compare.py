"""The commands as a person or a script meets them."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.builders import SIMULATION, MadeJob, MadeMachine, MadePlan, MadeStep, build_run, event
from support.commands import call
from support.examples import examples

JOBS = (
    MadeJob(name="TeaLeaf_CG", congestion=1.6, steps=(MadeStep(), MadeStep(motif="halo2d", size_bytes=65536))),
    MadeJob(name="[red]writer", role="background", steps=(MadeStep(motif="posix", metrics=(("open_time_s", 0.25),)),)),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of everything within `value`."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_run(jobs=JOBS).write(tmp_path)


def test_show_prints_facts_jobs_motifs_and_the_slowest_host(path: Path) -> None:
    result = call("show", path)

    assert result.exit_code == 0
    assert "8 ranks, 2 nodes, 2 hosts" in result.stdout
    assert "20 of 20 rounds done in 1 launch, complete (done)" in result.stdout
    assert "1 halo2d 64 KiB" in result.stdout
    assert "[red]writer (background)" in result.stdout
    assert "open_time_s" in result.stdout
    assert "TeaLeaf_CG: slowest host a" in result.stdout


def test_show_says_that_times_are_simulated_and_only_then(path: Path, tmp_path: Path) -> None:
    machine = MadeMachine(simulation=SIMULATION)
    simulated = build_run(jobs=JOBS, machine=machine).write(tmp_path, "simulated.jsonl")

    assert "SIMULATED by SimGrid 3.32, platform tinis: all times are simulated times" in call("show", simulated).stdout
    assert "SIMULATED" not in call("show", path).stdout


def test_show_cuts_no_number_however_narrow_the_terminal(path: Path) -> None:
    impact = json.loads(call("show", path, "--json").stdout)["jobs"][0]["timing"]["impact"]

    printed = call("show", path).stdout

    assert "…" not in printed
    assert f"{impact['ratio']:.3f} [{impact['low']:.3f}, {impact['high']:.3f}]" in printed


def test_show_can_leave_the_motifs_out(path: Path) -> None:
    assert "halo2d" not in call("show", path, "--jobs-only").stdout


def test_show_json_holds_every_number(path: Path) -> None:
    summary = json.loads(call("show", path, "--json", "--include-extra").stdout)

    assert summary["facts"]["seed"] == 1
    assert summary["facts"]["includes_extra"] is True
    assert summary["jobs"][0]["timing"]["impact"]["ratio"] == pytest.approx(1.6, rel=0.05)
    assert summary["jobs"][1]["timing"]["impact"]["ratio"] is None
    assert len(summary["jobs"][0]["timing"]["rounds"]) == 20


def test_show_tells_percentiles_with_intervals_when_asked(path: Path) -> None:
    plain, asked = call("show", path).stdout, call("show", path, "--tails").stdout

    assert "contended / isolated [95 %]" not in plain
    assert "contended / isolated [95 %]" in asked
    assert "99.9" in asked
    assert "executions" in asked
    assert "TeaLeaf_CG: contended over isolated samples, min to min 1." in asked
    assert "3,688 for 99.9" in asked
    assert "1 halo2d" not in call("show", path, "--tails", "--jobs-only").stdout


def test_show_plans_for_the_width_that_is_asked_for(path: Path) -> None:
    printed = call("show", path, "--plan", "0.5%", "--jobs-only").stdout
    planned = json.loads(call("show", path, "--plan", "0.5%", "--json").stdout)["jobs"][0]["timing"]["plan"]

    total = planned["blocks"] + planned["more_blocks"]
    assert planned["target"] == 0.005
    assert f"±0.5 % takes {planned['more_blocks']:,} more rounds of each kind" in printed
    assert f"--isolated {total} --contended {total}" in printed
    assert "plan:" not in call("show", path).stdout
    assert "enough for ±90 %" in call("show", path, "--plan", "0.9").stdout


@pytest.mark.parametrize("plan", ["x", "0", "-1%", "100%", "nan"])
def test_show_refuses_a_plan_that_is_no_share(plan: str, path: Path) -> None:
    result = call("show", path, f"--plan={plan}")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"--plan {plan}: expected" in result.stderr


def test_show_takes_the_interval_that_is_named(path: Path) -> None:
    ranks, drawn = (
        json.loads(call("show", path, "--json", "--interval", name).stdout)["jobs"][0]["timing"]["impact"]
        for name in ("ranks", "bootstrap")
    )

    assert "Wilcoxon" in ranks["method"]
    assert "BCa" in drawn["method"]
    assert drawn["low"] != ranks["low"]
    assert "BCa bootstrap interval" in call("show", path, "--interval", "bootstrap").stdout
    assert call("show", path, "--interval", "t").exit_code == 2


def test_show_says_how_far_an_incomplete_run_got(tmp_path: Path) -> None:
    made = build_run(jobs=JOBS, plan=MadePlan(blocks=3), complete=False)
    made.records.append(event(message="the clock jumped", severity="error"))

    printed = call("show", made.write(tmp_path)).stdout

    assert "6 of 6 rounds done in 1 launch, INCOMPLETE (no end record)" in printed
    assert "[no interval]" in printed
    assert "warning: TeaLeaf_CG: no interval: 3 paired blocks" in printed
    assert "error from the engine: the clock jumped" in printed


def test_show_works_before_the_first_round(tmp_path: Path) -> None:
    made = build_run(jobs=JOBS)
    made.records = made.records[:2]

    assert "TeaLeaf_CG: no measured samples" in call("show", made.write(tmp_path)).stdout


@pytest.mark.parametrize(("command", "files"), [("show", 1), ("compare", 2)])
def test_a_mistake_is_one_line_and_status_2(command: str, files: int, tmp_path: Path) -> None:
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(b"")

    result = call(command, *[odd] * files)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "the file is empty" in result.stderr


def test_compare_tells_and_its_status_can_too(path: Path, tmp_path: Path) -> None:
    made = build_run(jobs=JOBS, seed=2)
    for record in made.of("sample"):
        record["time_max_s"] *= 1.3
    slower = made.write(tmp_path, "slower.jsonl")

    result = call("compare", path, slower, "--exit-code")

    assert result.exit_code == 1
    assert "slower" in result.stdout
    assert "repeat both runs" in result.stdout
    assert call("compare", path, slower).exit_code == 0
    assert call("compare", slower, path, "--exit-code").exit_code == 0
    assert call("compare", path, slower, "--exit-code", "--effect", "50%").exit_code == 0


def test_compare_json(path: Path) -> None:
    comparison = json.loads(call("compare", path, path, "--json", "--effect", "0.1").stdout)

    assert comparison["effect"] == 0.1
    assert {change["verdict"] for job in comparison["jobs"] for change in job["changes"]} == {"no difference"}


@pytest.mark.parametrize("effect", ["x", "-1%", "100%", "nan"])
def test_compare_refuses_an_effect_that_is_no_share(effect: str, path: Path) -> None:
    result = call("compare", path, path, "--effect", effect)

    assert result.exit_code == 2
    assert f"--effect {effect}: expected" in result.stderr


def test_compare_refuses_other_workloads_unless_forced(path: Path, tmp_path: Path) -> None:
    other = build_run(jobs=(*JOBS, MadeJob(name="third"))).write(tmp_path, "other.jsonl")

    assert "--force compares them anyway" in call("compare", path, other).stderr
    assert "differs: jobs:" in call("compare", path, other, "--force").stdout


FUZZED = build_run(jobs=JOBS, plan=MadePlan(blocks=2, repetitions=2))
FUZZED.records.insert(9, event(message="a sentence"))
ODD = st.sampled_from([None, True, -1, -0.5, 0, 1, 99, 1e300, "", "text", "isolated", "3-", [], [1, 2], {}, {"a": "b"}])


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_corrupted_file_is_shown_or_refused_in_one_line(data: st.DataObject, tmp_path: Path) -> None:
    made = deepcopy(FUZZED)
    record = made.records[data.draw(st.sampled_from([0, 0, *range(len(made.records))]))]
    *outer, key = data.draw(st.sampled_from(list(places(record))))
    holder: Any = record
    for part in outer:
        holder = holder[part]
    holder[key] = data.draw(ODD)

    result = call("show", made.write(tmp_path))

    assert result.exception is None, (outer, key, holder[key])
    assert result.exit_code == 0 or (result.exit_code == 2 and result.stderr.count("\n") == 1)
