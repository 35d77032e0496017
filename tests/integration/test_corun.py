"""`stressbench corun`: real programs at the same time. The programs are motifs of the engine, and a shell script."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.programs import LIMIT_S, Started, wait_until
from support.schemas import schema_faults

ONCE = ("--blocks", "1", "--executions", "1", "--min-overlap", "1%")


@pytest.fixture
def motif(engine) -> Callable[..., list[str]]:
    """The command line of a motif as an MPI program."""

    def words(*options: str, repetitions: int) -> list[str]:
        return [
            str(engine.program), "motif", *options, "--repetitions", str(repetitions), "--warmup", "0",
        ]  # fmt: skip

    return words


@pytest.fixture
def both(stressbench, motif, tmp_path) -> Callable[..., dict]:
    """The JSON of a co-run of an allreduce and an alltoall, 2 ranks each."""

    def run(*options: str) -> dict:
        done = stressbench(
            "corun", "-n", "2", *ONCE, *options, "--json", "--", *motif("allreduce", "-c", "128", repetitions=500),
            "++", *motif("alltoall", "-s", "4KiB", repetitions=300), cwd=tmp_path,
        )  # fmt: skip
        assert done.status == 0, done.text
        return json.loads(done.output)

    return run


def test_two_programs_run_alone_and_together(both, tmp_path):
    found = both(
        "--names", "sum,all", "-o", "both", "--machine", "here", "--figures", "figures", "--iteration-call",
        "sum=MPI_Allreduce",
    )  # fmt: skip

    assert schema_faults("corun", found) == []
    assert found["complete"]
    assert found["programs"] == ["sum", "all"]
    assert [(one["program"], one["others"], one["measure"]) for one in found["slowdowns"]] == [
        ("sum", ["all"], "time"), ("sum", ["all"], "iteration"), ("all", ["sum"], "time"),
    ]  # fmt: skip
    counted = {(one["program"], one["iterations"]) for one in found["executions"] if one["time_s"] is not None}
    assert ("all", None) in counted
    (calls,) = [iterations for name, iterations in counted if name == "sum"]  # the same in each execution
    assert calls >= 500
    for one in found["slowdowns"]:
        assert one["blocks"] == 1
        assert one["isolated"] > 0
        assert one["slowdown"]["value"] == pytest.approx(one["contended"] / one["isolated"])
    for one in found["executions"]:
        if one["time_s"] is not None:
            assert 0 < one["mpi_s"] <= one["time_s"] <= one["ended_s"] - one["began_s"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["both", "figures"]
    index = json.loads((tmp_path / "figures" / "figures.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in index["figures"]] == ["slowdowns", "period"]
    assert [source["path"] for source in index["sources"]] == ["both/launches.jsonl"]
    assert sorted(path.name for path in (tmp_path / "both").iterdir() if not path.name.startswith(".")) == [
        "launches.jsonl", "observations.jsonl", "report.html",
    ]  # fmt: skip
    lines = [json.loads(line) for line in (tmp_path / "both" / "launches.jsonl").read_text().splitlines()]
    assert [line["type"] for line in lines] == ["plan", "period", "period", "period"]
    assert sorted(tuple(line["programs"]) for line in lines[1:]) == [(0,), (0, 1), (1,)]
    observed = [json.loads(line) for line in (tmp_path / "both" / "observations.jsonl").read_text().splitlines()]
    assert [(one["victim"], one["aggressors"], one["machine"]) for one in observed] == [
        ("sum", ["all"], "here"), ("all", ["sum"], "here"),
    ]  # fmt: skip


def test_a_workload_beside_a_program(stressbench, motif, tmp_path):
    (tmp_path / "halo.sb").write_text("[JOB_NAME] halo\n[NODES] 1\n[MOTIF] halo2d -x 64 -y 64\n", encoding="utf-8")

    done = stressbench(
        "corun", "-n", "2", *ONCE, "--rounds", "2", "--json", "halo.sb", "--",
        *motif("allreduce", "-c", "1", repetitions=300), cwd=tmp_path,
    )  # fmt: skip

    assert done.status == 0, done.text
    found = json.loads(done.output)
    assert found["programs"][0] == "halo"
    halo = [one for one in found["executions"] if one["program"] == "halo" and one["value_s"] is not None]
    assert halo
    assert all(0 < one["time_s"] < one["ended_s"] - one["began_s"] for one in halo)


def test_a_workload_that_is_wrong_is_refused_before_anything_starts(stressbench, tmp_path):
    (tmp_path / "bad.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] nothing\n", encoding="utf-8")

    done = stressbench("corun", "-n", "2", "-o", "both", "bad.sb", "--", "true", cwd=tmp_path)

    assert done.status == 2
    assert "bad.sb:3" in done.errors
    assert "Traceback" not in done.text
    assert not (tmp_path / "both" / "launches.jsonl").exists()


def test_a_program_that_fails_ends_the_others_and_is_named(stressbench, motif, tmp_path):
    done = stressbench(
        "corun", "-n", "1", *ONCE, "-o", "both", "--", "sh", "-c", "echo broken input; exit 7", "++",
        "sleep", "86400", cwd=tmp_path,
    )  # fmt: skip

    assert done.status == 3
    assert "sh ended with status 7; the last lines that it printed:" in done.errors
    assert "broken input" in done.errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["both"]


def test_figures_of_merit_are_read_from_each_program(stressbench, tmp_path):
    done = stressbench(
        "corun", "-n", "1", *ONCE, "--fom", "FOM=rate: ([0-9.]+)", "--fom-lower", "LAT=lat: ([0-9.]+)", "--json", "--",
        "sh", "-c", "echo rate: 12.5", "++", "sh", "-c", "echo lat: 3", cwd=tmp_path,
    )  # fmt: skip

    assert done.status == 0, done.text
    found = json.loads(done.output)
    value = {(one["program"], one["measure"]): one["isolated"] for one in found["slowdowns"]}
    assert value["sh", "FOM"] == 12.5
    assert value["sh-2", "LAT"] == 3
    assert value["sh", "LAT"] is None


def processes_in(folder: Path) -> list[str]:
    """Processes whose working directory is this folder."""
    inside = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "cwd").readlink() == folder:
                inside.append(process.name)
        except OSError:  # it has ended
            continue
    return inside


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_complete_periods_and_leaves_no_process(engine, tmp_path, number):
    """Periods are short until the programs find the file `hang`; the signal comes then."""
    program = "if [ -e hang ]; then touch hangs; exec sleep 86400; fi; exit 0"
    command = [
        sys.executable, "-m", "stressbench", "corun", "-n", "1", "--blocks", "1000", "--executions", "1",
        "--min-overlap", "1%", "-o", "both", "--", "sh", "-c", program, "++", "sh", "-c", f"{program} # 2",
    ]  # fmt: skip
    journal = tmp_path / "both" / "launches.jsonl"
    with Started(command, cwd=tmp_path, environment={"STRESSBENCH_MPI": str(engine.program)}) as process:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 4, "a block is done")
        (tmp_path / "hang").touch()
        wait_until((tmp_path / "hangs").exists, "a program hangs")
        process.send_signal(number)
        output, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert "Slowdowns" in output
    wait_until(lambda: not processes_in(tmp_path), "no process is left")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["both", "hang", "hangs"]
    assert journal.read_bytes().count(b"\n") > 4


def test_an_interrupted_co_run_is_resumed_and_measures_only_what_is_missing(engine, stressbench, tmp_path):
    """The programs count their executions; the twelfth hangs, until the file `go` is there."""
    program = (
        "echo >> executions; "
        "if [ $(wc -l < executions) -ge 12 ] && ! [ -e go ]; then touch hangs; exec sleep 86400; fi; echo rate: 2.5"
    )
    command = [
        sys.executable, "-m", "stressbench", "corun", "matrix", "-n", "1", "--blocks", "4", "--executions", "1",
        "--min-overlap", "1%", "--nodes", "shared", "--self", "--fom", "FOM=rate: ([0-9.]+)", "--time-limit", "10min",
        "--names", "one,two", "-o", "all", "--", "sh", "-c", program, "++", "sh", "-c", f"{program} # 2",
    ]  # fmt: skip
    journal = tmp_path / "all" / "launches.jsonl"
    with Started(command, cwd=tmp_path, environment={"STRESSBENCH_MPI": str(engine.program)}) as process:
        wait_until((tmp_path / "hangs").exists, "a program hangs")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130, errors
    assert "`stressbench corun resume all` measures the rest" in errors
    before = journal.read_bytes()
    assert 1 < before.count(b"\n") < 1 + 4 * 5
    (tmp_path / "go").touch()

    done = stressbench("corun", "resume", "all", "--json", cwd=tmp_path)

    assert done.status == 0, done.text
    assert f"{len(before.splitlines()) - 1} periods were measured before" in done.errors
    found = json.loads(done.output)
    assert found["complete"]
    assert {tuple(group) for group in found["groups"]} == {("one", "two"), ("one", "one"), ("two", "two")}
    assert {one["measure"] for one in found["slowdowns"]} >= {"time", "FOM"}
    after = journal.read_bytes()
    assert after.startswith(before)
    plan, *periods = map(json.loads, after.splitlines())
    assert (plan["rounds"], plan["limit_s"]) == (10, 600)
    measured = sorted((one["repetition"], *one["programs"]) for one in periods)
    conditions = [(0,), (0, 0), (0, 1), (1,), (1, 1)]
    assert measured == [(block, *condition) for block in range(4) for condition in conditions]
    assert (tmp_path / "all" / "observations.jsonl").exists()

    executions = (tmp_path / "executions").read_bytes()
    again = stressbench("corun", "resume", "all", "--json", cwd=tmp_path)
    assert (again.status, again.output) == (0, done.output)
    assert (tmp_path / "executions").read_bytes() == executions
    assert journal.read_bytes() == after
