"""A study with real ranks: it can be stopped or killed at any time and resumed, and its report has every cell."""

import json
import signal
import sys
from pathlib import Path

from support.lab_bench import job
from support.programs import LIMIT_S, Started, launchers_of, own_copy, ranks_of, send, stands_still, wait_until
from support.studies import put_real_study

RANKS = 2


def test_a_study_that_is_killed_goes_on_to_the_same_cells(engine, tmp_path: Path) -> None:
    put_real_study(tmp_path, rounds=4, repetitions=10)
    command = [sys.executable, "-m", "stressbench", "study", "run", "study.toml", "-o", "made"]
    with Started(command, cwd=tmp_path, environment={"STRESSBENCH_MPI": str(engine.program)}) as process:
        wait_until(lambda: any(map(has_begun, run_files(tmp_path))), "a round is in a run file")
        process.kill()
        process.communicate(timeout=300)

    resumed = engine.stressbench("study", "resume", "made", cwd=tmp_path)

    assert resumed.status == 0, resumed.errors
    require_both_cells(engine, tmp_path, resumed.errors)


def test_a_launch_that_outlives_a_killed_study_is_waited_for(engine, tmp_path: Path) -> None:
    """The launcher is stopped, so that it does not hear of the study's end; its ranks are, so that they still write."""
    put_real_study(tmp_path, rounds=12, repetitions=10)  # rounds enough to stop ranks among them
    paused: list[int] = []
    command = [sys.executable, "-m", "stressbench", "study"]
    mine = own_copy(engine, tmp_path)
    environment = {"STRESSBENCH_MPI": str(mine.program)}
    with Started([*command, "run", "study.toml", "-o", "made"], cwd=tmp_path, environment=environment) as study:

        def is_paused() -> bool:
            paused[:] = paused_in_a_run(tmp_path, study.pid, mine.program)
            return bool(paused)

        wait_until(is_paused, "a launch is paused between its first round and its end")
        try:
            study.kill()
            study.wait(timeout=LIMIT_S)
            with Started([*command, "resume", "made"], cwd=tmp_path, environment=environment) as resumed:
                assert resumed.stderr is not None
                waits = any("waiting for it to end" in line for line in resumed.stderr)
                send(signal.SIGCONT, paused)
                _, said = resumed.communicate(timeout=LIMIT_S)
        finally:
            send(signal.SIGCONT, paused)

    assert waits
    assert resumed.returncode == 0, said
    require_both_cells(engine, tmp_path, said)


def run_files(folder: Path) -> list[str]:
    return [path.read_text() for path in folder.glob("made/runs/*.jsonl")]


def has_begun(run: str) -> bool:
    return '"type":"round"' in run


def is_unfinished(run: str) -> bool:
    return has_begun(run) and '"type":"end"' not in run


def paused_in_a_run(folder: Path, study: int, program: Path) -> list[int]:
    """The study's launcher and its ranks, which are stopped; none, and they go on, if no run is unfinished then."""
    if not any(map(is_unfinished, run_files(folder))):
        return []
    launch = launchers_of(study)
    send(signal.SIGSTOP, launch)
    launch += ranks_of(program)  # which only a launcher that goes on starts
    send(signal.SIGSTOP, launch)
    wait_until(lambda: all(map(stands_still, launch)), "the launch stands still")
    if len(launch) == 1 + RANKS and any(map(is_unfinished, run_files(folder))):
        return launch
    send(signal.SIGCONT, launch)
    return []


def require_both_cells(engine, folder: Path, said: str) -> None:
    """One run of each, in one file each."""
    report = json.loads(engine.stressbench("study", "report", "made", "--format", "json", cwd=folder).output)
    assert "2 of 2 runs are done" in said
    assert [cell["done"] for cell in report["cells"]] == [1, 1]
    assert all(job["impact"]["ratio"] is not None for cell in report["cells"] for job in cell["jobs"])
    assert len(list((folder / "made" / "runs").iterdir())) == 2, said


def links_of(path: Path) -> dict[tuple[str, str], tuple[int | None, int]]:
    """Rate and bytes of each direction of each link, of the newest round."""
    rounds = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if '"type":"round"' in line]
    return {(link["link"], link["source"]): (link["rate_bits_per_s"], link["bytes"]) for link in rounds[-1]["links"]}


def runs_by(bench, factor: str) -> dict[str, Path]:
    """Run files of the bench's study in `made`, by the value of a factor."""
    planned = [json.loads(line) for line in (bench.folder / "made" / "manifest.jsonl").read_text().splitlines()]
    return {
        record["values"][factor]: bench.folder / "made" / "runs" / f"{record['run']}.jsonl"
        for record in planned
        if record["type"] == "planned"
    }


ON_LAB = """\
[factors]
workload = "w.sb"
on = "lab:{}"
ranks = 2
{}
[run]
isolated = 1
contended = 0
repetitions = 2
"""


def carried_out(bench, factor: str) -> dict[str, Path]:
    (bench.folder / "w.sb").write_text(job("pair", "0,1", "bandwidth -s 64KiB -w 4"), encoding="utf-8")
    (bench.folder / "s.toml").write_text(ON_LAB.format(bench.name, factor), encoding="utf-8")
    ended = bench.stressbench("study", "run", "s.toml", "-o", "made")
    assert ended.status == 0, ended.text
    return runs_by(bench, factor.split()[0])


def test_links_of_a_lab_carry_what_each_cell_says_and_all_of_it_afterwards(lab_up) -> None:
    tiny = lab_up("tiny")

    runs = carried_out(tiny, 'rate = ["full", "1/4"]')

    rates = {rate: links_of(path)["h0-s0", "h0"][0] for rate, path in runs.items()}
    assert rates == {"full": 100_000_000, "1/4": 25_000_000}
    assert {one["rate_bits_per_s"] for one in tiny.json("stats", "--interval", "0.1")} == {100_000_000}


def test_messages_take_only_the_nics_that_a_cell_gives_them(lab_up) -> None:
    runs = carried_out(lab_up("dual-rail"), "rails = [1, 2]")

    second = {rails: links_of(path)["h0-s0.1", "h0"][1] for rails, path in runs.items()}
    assert second["1"] < 2_000 < 64 * 2**10 < second["2"]
