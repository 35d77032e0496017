"""Telemetry of whole runs: sources that are absent, disappear or hang, and processes that must not remain."""

import json
import shutil
from pathlib import Path

import pytest
from support.programs import CHECKOUT, Engine, Outcome, wait_until

from stressbench.formats.run import Run, read_run

TREES = CHECKOUT / "tests" / "corpus" / "telemetry"
WORKLOAD = "[JOB_NAME] one\n[NID_LIST] 0-1\n[REPEAT] 2\n[MOTIF] allreduce\n"
HANGING = 'echo $$ >> pids; [ $(wc -l < pids) -le 3 ] || sleep 1000 | cat; echo "{\\"pump_bytes\\": $(wc -l < pids)}"'
"""The first reading finds the counters, two more are those of the first round."""
COUNTING = 'echo >> readings; echo "{\\"readings\\": $(wc -l < readings)}"'


def run(engine: Engine, folder: Path, *options: str, root: Path = Path("/")) -> Outcome:
    (folder / "w.sb").write_text(WORKLOAD, encoding="utf-8")
    rounds = ("--isolated", "3", "--contended", "0", "--quiet", "-o", "w.jsonl")
    environment = {"STRESSBENCH_TELEMETRY_ROOT": str(root)}
    return engine.run(
        "run", "w.sb", "--ranks-per-node", "1", *rounds, *options, ranks=2, cwd=folder, environment=environment
    )


def results(folder: Path) -> Run:
    return read_run(folder / "w.jsonl")


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except OSError:
        return False


@pytest.mark.parametrize(("tree", "counter"), [("mlx5", "tx_wait"), ("cxi", "tx_paused"), ("hfi1", "tx_flow_stalls")])
def test_a_run_has_the_counters_that_the_host_has(engine: Engine, tmp_path: Path, tree: str, counter: str) -> None:
    assert run(engine, tmp_path, root=TREES / tree).status == 0

    counters = {one.counter: one for one in results(tmp_path).rounds[0].telemetry or ()}
    assert (counters[counter].sum, counters[counter].unknown) == (0, 0)
    assert counters["tx_bytes"].hosts == 1


def test_a_source_that_no_host_has_is_refused_before_the_run_file_exists(engine: Engine, tmp_path: Path) -> None:
    ended = run(engine, tmp_path, "--telemetry", "cxi", root=TREES / "mlx5")

    assert ended.status == 2
    assert "--telemetry: 'cxi': no host has such counters (in /sys/class/cxi)" in ended.text
    assert not (tmp_path / "w.jsonl").exists()


def test_a_check_of_a_workload_refuses_names_that_are_no_sources(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "w.sb").write_text(WORKLOAD, encoding="utf-8")

    refused = engine.run("check", "w.sb", "--telemetry", "cpu,etherent", cwd=tmp_path)
    accepted = engine.run("check", "w.sb", "--telemetry", "cpu,ethernet", cwd=tmp_path)

    assert (refused.status, accepted.status) == (2, 0)
    assert "--telemetry: 'etherent' is not a source, did you mean 'ethernet'?" in refused.text


def test_a_command_that_does_not_work_is_refused_with_its_fault(engine: Engine, tmp_path: Path) -> None:
    ended = run(engine, tmp_path, "--telemetry-command", "exit 7")

    assert ended.status == 2
    assert "--telemetry-command: 'exit 7' exits with status 7" in ended.text


def test_a_command_that_hangs_is_left_out_and_leaves_no_process(engine: Engine, tmp_path: Path) -> None:
    ended = run(engine, tmp_path, "--telemetry", "off", "--telemetry-command", HANGING, "--telemetry-limit", "3s")

    assert ended.status == 0, ended.text
    found = results(tmp_path)
    assert [one.round for one in found.rounds] == [1, 2, 3]
    sums = [[one.sum for one in round_.telemetry or ()] for round_ in found.rounds]
    assert sums == [[1], [None], [None]]
    events = [one for one in found.events if one.kind == "telemetry"]
    assert [(one.round, one.severity) for one in events] == [(2, "warning")]
    assert "source command does not answer within the limit (on " in events[0].message
    readings = [int(line) for line in (tmp_path / "pids").read_text(encoding="utf-8").split()]
    assert len(readings) == 4, "a source that hangs is not read again"
    wait_until(lambda: not any(map(is_running, readings)), "all commands have ended")


def sums_of(found: Run, source: str) -> list[set[int | None]]:
    """The different sums of the counters of a source, by round."""
    return [{one.sum for one in round_.telemetry or () if one.source == source} for round_ in found.rounds]


def test_counters_of_a_nic_that_disappears_are_unknown_from_then_on(engine: Engine, tmp_path: Path) -> None:
    """A second source, whose fourth reading begins the second round, takes the files of the NICs away."""
    shutil.copytree(TREES / "mlx5", tmp_path / "tree")
    takes_away = f"{COUNTING}; [ $(wc -l < readings) -ne 4 ] || rm -r tree/sys"

    ended = run(
        engine, tmp_path, "--telemetry", "infiniband", "--telemetry-command", takes_away, root=tmp_path / "tree"
    )

    assert ended.status == 0, ended.text
    found = results(tmp_path)
    assert found.complete
    assert sums_of(found, "infiniband") == [{0}, {None}, {None}]
    assert sums_of(found, "command") == [{1}, {1}, {1}]


def test_a_command_that_disappears_is_left_out_with_a_warning(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "source.sh").write_text(f"{COUNTING}; [ $(wc -l < readings) -ne 3 ] || rm source.sh\n")

    ended = run(engine, tmp_path, "--telemetry", "off", "--telemetry-command", "sh source.sh")

    assert ended.status == 0, ended.text
    found = results(tmp_path)
    assert found.complete
    assert sums_of(found, "command") == [{1}, {None}, {None}]
    (event,) = [one for one in found.events if one.kind == "telemetry"]
    assert (event.round, event.severity) == (2, "warning")
    assert "source command exits with status 2 (on " in event.message


def test_telemetry_off_is_unknown_and_not_empty(engine: Engine, tmp_path: Path) -> None:
    assert run(engine, tmp_path, "--telemetry", "off").status == 0

    assert [one.telemetry for one in results(tmp_path).rounds] == [None, None, None]


def test_the_sources_of_this_host_are_listed(engine: Engine) -> None:
    environment = {"STRESSBENCH_TELEMETRY_ROOT": str(TREES / "hfi1")}
    found = json.loads(engine.run("telemetry", "--json", environment=environment).output)

    by_name = {one["name"]: one for one in found}
    assert by_name["cxi"]["absent"] == "none in /sys/class/cxi"
    assert by_name["cxi"]["counters"] == []
    assert by_name["infiniband"]["absent"] is None
    sent = next(one for one in by_name["infiniband"]["counters"] if one["counter"] == "tx_bytes")
    assert sent == {"counter": "tx_bytes", "device": "hfi1_0:1", "unit": "bytes", "total": 36_000_000_000}
