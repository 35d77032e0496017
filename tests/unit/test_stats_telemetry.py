"""Counters of the hosts, from a run file to tables."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.builders import MadeJob, MadeMachine, build_run
from support.commands import call

import stressbench
from stressbench.formats.run import CounterUnit, RunFileError, read_run
from stressbench.stats import telemetry_summary

JOBS = (MadeJob(name="one"), MadeJob(name="other"))
COUNTED = MadeMachine(counts_hosts=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_run(jobs=JOBS, machine=COUNTED).write(tmp_path)


def test_rates_are_increases_of_all_devices_per_second_of_the_round(path: Path) -> None:
    found = telemetry_summary(read_run(path))

    assert found is not None
    sent = found.counters[0]
    assert (sent.source, sent.counter, sent.unit) == ("infiniband", "tx_bytes", CounterUnit.bytes)
    assert (sent.hosts, sent.devices, sent.unknown) == (2, 2, 0)
    assert sent.contended == pytest.approx(60e6)
    assert [(one.job, one.per_s) for one in sent.isolated] == [(0, pytest.approx(30e6)), (1, pytest.approx(30e6))]


def test_a_counter_that_is_unknown_is_not_zero(path: Path) -> None:
    run = read_run(path)
    found = telemetry_summary(run)

    assert found is not None
    waiting = found.counters[1]
    assert waiting.contended == pytest.approx(2000)
    assert waiting.isolated == ()
    assert waiting.unknown == len(run.rounds)


def test_the_busiest_nics_come_first_with_their_hosts(path: Path) -> None:
    found = telemetry_summary(read_run(path))

    assert found is not None
    assert [(one.host, one.device) for one in found.busiest] == [("a2", "mlx5_0:1"), ("a1", "mlx5_0:1")]
    assert found.busiest[0].isolated == pytest.approx(20e6)
    assert found.busiest[0].contended == pytest.approx(40e6)


def test_throttled_hosts_are_named_and_others_are_not(path: Path) -> None:
    found = telemetry_summary(read_run(path))

    assert found is not None
    assert [(one.host, one.device, one.counter) for one in found.slow_hosts] == [("a2", None, "steal_time")]
    assert found.slow_hosts[0].contended == pytest.approx(0.1e9)


def test_nobody_counted_is_not_nothing_counted(tmp_path: Path) -> None:
    assert telemetry_summary(read_run(build_run(jobs=JOBS).write(tmp_path))) is None


def test_files_of_early_versions_have_no_telemetry(path: Path) -> None:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        record.pop("telemetry", None)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")

    assert telemetry_summary(read_run(path)) is None


def test_a_unit_that_is_not_known_is_refused_with_its_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"ticks"', '"furlongs"', 1), encoding="utf-8")

    with pytest.raises(RunFileError, match=r"unit.*furlongs"):
        read_run(path)


def test_show_prints_counters_nics_and_slow_hosts_if_asked(path: Path) -> None:
    printed = call("show", path, "--telemetry").stdout

    assert "30.0 MB/s" in printed
    assert "60.0 MB/s" in printed
    assert "2,000 /s" in printed
    assert "The busiest NICs" in printed
    assert "100 ms/s" in printed
    assert "symbol_errors" not in printed
    assert "infiniband" not in call("show", path).stdout


def test_show_says_why_there_are_no_counters(tmp_path: Path) -> None:
    printed = call("show", build_run(jobs=JOBS).write(tmp_path), "--telemetry").stdout

    assert "No counters of hosts: the run was started with --telemetry off" in printed


def test_the_page_of_a_run_has_the_tables(path: Path) -> None:
    page = stressbench.read_run(path).report()

    assert "Counters of the hosts" in page
    assert 'id="run1-telemetry-nics"' in page
    assert 'id="run1-telemetry-slow-hosts"' in page


def test_data_frames_have_one_row_for_each_round_and_counter(path: Path) -> None:
    results = stressbench.read_run(path)
    frame = results.telemetry(library="pandas")

    assert len(frame) == 4 * len(results.data.rounds)
    sent = frame[frame["counter"] == "tx_bytes"]
    assert set(sent["largest_host"]) == {"a2"}
    assert set(sent["sum"]) == {27_000_000, 54_000_000}
    waiting = frame[(frame["counter"] == "tx_wait") & (frame["kind"] == "isolated")]
    assert waiting["sum"].isna().all()


def test_a_round_without_duration_has_no_rate(path: Path) -> None:
    run = read_run(path)
    rounds = tuple(replace(one, duration_s=0.0) for one in run.rounds)

    assert telemetry_summary(replace(run, launches=(replace(run.launches[0], rounds=rounds),))) is None
