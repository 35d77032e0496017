"""Batch jobs of a real Slurm on a lab: several runs at once, job arrays, requeued jobs, failing nodes, and kills."""

import json
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path

import pytest
from support.batch_jobs import (
    ALL_NODES,
    HOSTS,
    assert_clean,
    command,
    corun_command,
    engine_program,
    periods_in,
    stressbench,
)
from support.lab_bench import job
from support.programs import LIMIT_S, Started, send, wait_until
from support.slurm_lab import Slurm, start_slurm
from support.studies import REAL_PAIR

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import read_run
from stressbench.formats.run.records import EndReason

PAIRS = job("one", "0,1", "bandwidth -s 64KiB -w 4") + job("two", "2,3", "bandwidth -s 64KiB -w 4")
ROUNDS = ("--isolated", "30", "--contended", "30", "--repetitions", "2")
STUDY = """\
repetitions = 3
retries = 100
[factors]
workload = "pair.sb"
ranks = 2
placement = ["linear", "interleaved"]
on = "slurm"
[set]
size = ["1KiB", "4KiB"]
[run]
isolated = 4
contended = 4
repetitions = 2
"""
RUNS = 2 * 2 * 3
ROUNDS_OF_RUN = 4 + 4 + 4  # two jobs isolated, both contended


@pytest.fixture(scope="module")
def slurm(lab_up) -> Slurm:
    found = start_slurm(lab_up("tiny"), HOSTS)
    for name, text in (("w.sb", PAIRS), ("pair.sb", REAL_PAIR), ("study.toml", STUDY)):
        (found.lab.folder / name).write_text(text, encoding="utf-8")
    return found


def study_command(directory: str, *options: str) -> str:
    return command("study", "run", "study.toml", "-o", directory, *options)


def records(directory: Path) -> list[Mapping[str, str]]:
    manifest = directory / "manifest.jsonl"
    return [json.loads(line) for line in manifest.read_text().splitlines()] if manifest.exists() else []


def of_type(directory: Path, kind: str) -> list[Mapping[str, str]]:
    return [one for one in records(directory) if one["type"] == kind]


def hosts_of(run_file: Path) -> frozenset[str]:
    return frozenset(node.host for node in read_run(run_file).header.nodes)


def rounds_in(run_file: Path) -> Counter[tuple[object, ...]]:
    """Completed rounds by what they are."""
    if not run_file.exists():
        return Counter()
    lines = [line for line in run_file.read_bytes().split(b"\n")[:-1] if b'"type":"round"' in line]
    return Counter((one["kind"], one["job"], one["block"]) for one in map(json.loads, lines))


def assert_each_run_once(directory: Path) -> None:
    """Each run of the study finished once, and each round of it is in its file once."""
    planned = [one["run"] for one in of_type(directory, "planned")]
    finished = of_type(directory, "finished")
    assert len(planned) == RUNS
    assert Counter(one["run"] for one in finished) == Counter(planned)
    for one in finished:
        rounds = rounds_in(directory / one["file"])
        assert set(rounds.values()) == {1}, one
        assert len(rounds) == ROUNDS_OF_RUN, one


def test_runs_of_a_study_at_once_have_nodes_of_their_own(slurm) -> None:
    made = slurm.lab.folder / "made"

    done = slurm.wait_for_state(slurm.submit(study_command("made", "--jobs", "2"), *ALL_NODES), "COMPLETED", "FAILED")

    assert done["JobState"] == "COMPLETED", (slurm.lab.folder / "job.out").read_text()
    assert_each_run_once(made)
    for one, other in combinations([ran_in(made / record["file"]) for record in of_type(made, "finished")], 2):
        assert len(one.hosts) == 2
        assert one.hosts.isdisjoint(other.hosts) or one.end <= other.begin or other.end <= one.begin
    running, beside = set(), 0
    for record in records(made):
        if record["type"] == "started":
            beside += bool(running)
            running.add(record["run"])
        elif record["type"] == "finished":
            running.remove(record["run"])
    assert beside >= RUNS / 2


@dataclass(frozen=True)
class Span:
    """When ranks of a run were certainly there, to the second of its header, and where."""

    begin: datetime
    end: datetime
    hosts: frozenset[str]


def ran_in(run_file: Path) -> Span:
    (launch,) = read_run(run_file).launches
    began, end = launch.header.started_at, launch.end
    assert end is not None
    return Span(began + timedelta(seconds=1), began + timedelta(seconds=end.elapsed_s), hosts_of(run_file))


def test_more_runs_at_once_than_nodes_allow_are_refused(slurm) -> None:
    words = ("study", "run", "study.toml", "-o", "crowded", "--jobs", "3")

    ended = slurm.on("h0", *slurm.allocate("-N4", "-n4"), *words)

    assert ended.status == 2
    assert "--jobs 3: a run with 2 ranks takes 2 of the 4 nodes of the allocation; expected at most 2" in ended.errors
    assert not (slurm.lab.folder / "crowded").exists()


def test_ranks_per_node_say_how_many_nodes_a_run_takes(slurm) -> None:
    target = slurm.lab.folder / "packed.jsonl"
    words = ("run", "pair.sb", "--on", "slurm", "-n", "4", "--ranks-per-node", "2", "-o", target)
    brief = ("--engine", engine_program(), "--isolated", "1", "--contended", "1", "--repetitions", "2")

    ended = slurm.on("h0", *slurm.allocate("-N4"), *words, *brief)

    assert ended.status == 0, ended.text
    assert [parse_ranges(node.ranks) for node in read_run(target).header.nodes] == [(0, 1), (2, 3)]
    assert len(hosts_of(target)) == 2


def test_tasks_of_a_job_array_share_the_runs_of_a_study(slurm) -> None:
    made = slurm.lab.folder / "array"
    array = slurm.submit(study_command("array", "--share"), "--array=0-1", "--nodes=2", "--exclusive", name="task")

    wait_until(lambda: len(of_type(made, "finished")) == RUNS, "all runs are done")
    slurm.wait_until_idle()

    assert slurm.job(array)["JobState"] == "COMPLETED", (slurm.lab.folder / "task.out").read_text()
    assert_each_run_once(made)
    assert len(of_type(made, "study")) == 1
    assert {hosts_of(made / one["file"]) for one in of_type(made, "finished")} == {
        frozenset({"h0", "h1"}), frozenset({"h2", "h3"}),
    }  # fmt: skip
    assert not list(made.glob("**/*.claim"))


def test_a_task_of_an_array_that_is_cancelled_leaves_its_runs_to_the_others(slurm) -> None:
    made = slurm.lab.folder / "fewer"
    array = slurm.submit(
        study_command("fewer", "--share"), "--array=0-1", "--nodes=2", "--exclusive", name="fewer-task"
    )
    wait_until(lambda: len(of_type(made, "finished")) >= 3, "three runs are done")

    slurm.on("h0", "scancel", f"{array}_0")
    slurm.wait_until_idle()

    states = {number: slurm.job(f"{array}_{number}")["JobState"] for number in range(2)}
    assert states == {0: "CANCELLED", 1: "COMPLETED"}, (slurm.lab.folder / "fewer-task.out").read_text()
    assert not of_type(made, "failed")
    assert_each_run_once(made)
    assert not list(made.glob("**/*.claim"))


def test_a_study_that_is_requeued_goes_on_where_it_was(slurm) -> None:
    """Slurm ends the job by SIGTERM, which the study hears, and its ranks as well."""
    made = slurm.lab.folder / "requeued"
    number = slurm.submit(study_command("requeued"), *ALL_NODES, "--requeue", name="requeued-job")
    wait_until(lambda: len(of_type(made, "finished")) >= 2, "two runs are done")

    slurm.control("requeue", number)
    ended = slurm.wait_for_state(number, "COMPLETED", "FAILED")

    assert (ended["JobState"], ended["Restarts"]) == ("COMPLETED", "1"), (made.parent / "requeued-job.out").read_text()
    assert not of_type(made, "failed")
    assert_each_run_once(made)


def test_a_run_whose_job_is_preempted_ends_in_good_order_and_is_continued(slurm) -> None:
    """Slurm tells the ranks by SIGTERM; the script that was emitted requeues its job."""
    target = slurm.lab.folder / "preempted.jsonl"
    words = ("run", "w.sb", "--on", "slurm", "-n", "4", "--emit", "--requeue", "--nodes", "4", "-o", target)
    written = slurm.on("h0", *stressbench(*words, *ROUNDS, "--engine", engine_program()))
    assert written.status == 0, written.text
    number = slurm.submit(written.output, name="preempted")
    wait_until(lambda: len(rounds_in(target)) >= 3, "three rounds are done")

    urgent = slurm.submit("sleep 1", *ALL_NODES, "--partition=urgent", name="urgent")
    slurm.wait_for_state(urgent, "COMPLETED")
    ended = slurm.wait_for_state(number, "COMPLETED", "FAILED")

    assert (ended["JobState"], ended["Restarts"]) == ("COMPLETED", "1"), (target.parent / "preempted.out").read_text()
    run = read_run(target)
    assert [launch.end and launch.end.reason for launch in run.launches] == [EndReason.interrupted, EndReason.done]
    assert rounds_in(target) == Counter(dict.fromkeys(all_rounds(30), 1))


def requeueing_study(directory: str) -> str:
    """The script of docs/how-to/launchers.md, which requeues its own job."""
    *settings, line = study_command(directory).replace("exec ", "", 1).split("\n")
    return "\n".join((
        *settings,
        f"{line} &",
        "trap 'kill -USR1 $!' USR1",
        "wait $!; wait $!; status=$?",
        'if [ "$status" -eq 130 ]; then scontrol requeue "$SLURM_JOB_ID"; fi',
        'exit "$status"',
    ))  # fmt: skip


def test_notice_of_the_end_of_a_job_reaches_the_study_which_requeues_it(slurm) -> None:
    made = slurm.lab.folder / "noticed"
    number = slurm.submit(requeueing_study("noticed"), *ALL_NODES, "--requeue", name="noticed")
    wait_until(lambda: len(of_type(made, "finished")) >= 2, "two runs are done")

    slurm.on("h0", "scancel", "--batch", "--signal=USR1", number)  # as --signal=B:USR1@120 ahead of the time limit
    ended = slurm.wait_for_state(number, "COMPLETED", "FAILED")

    printed = (made.parent / "noticed.out").read_text()
    assert (ended["JobState"], ended["Restarts"]) == ("COMPLETED", "1"), printed
    assert "SIGUSR1: the engine finishes the current round" in printed
    assert not of_type(made, "failed")
    assert_each_run_once(made)


def test_a_study_whose_job_is_preempted_is_told_and_requeues_itself(slurm) -> None:
    made = slurm.lab.folder / "displaced"
    number = slurm.submit(requeueing_study("displaced"), *ALL_NODES, "--requeue", name="displaced")
    wait_until(lambda: len(of_type(made, "finished")) >= 2, "two runs are done")

    urgent = slurm.submit("sleep 1", *ALL_NODES, "--partition=urgent", name="urgent")
    slurm.wait_for_state(urgent, "COMPLETED")
    ended = slurm.wait_for_state(number, "COMPLETED", "FAILED")

    assert (ended["JobState"], ended["Restarts"]) == ("COMPLETED", "1"), (made.parent / "displaced.out").read_text()
    assert not of_type(made, "failed")
    assert_each_run_once(made)


def test_a_study_whose_job_is_cancelled_does_not_come_back_by_itself_and_can_be_resumed(slurm) -> None:
    made = slurm.lab.folder / "cancelled"
    number = slurm.submit(requeueing_study("cancelled"), *ALL_NODES, "--requeue", name="cancelled")
    wait_until(lambda: len(of_type(made, "finished")) >= 1, "a run is done")

    slurm.on("h0", "scancel", number)
    ended = slurm.wait_for_state(number, "CANCELLED", "COMPLETED", "FAILED")
    slurm.wait_until_idle()

    assert (ended["JobState"], ended["Restarts"]) == ("CANCELLED", "0")
    assert not of_type(made, "failed")
    again = slurm.submit(command("study", "resume", "cancelled"), *ALL_NODES, name="resumed")
    assert slurm.wait_for_state(again, "COMPLETED", "FAILED")["JobState"] == "COMPLETED"
    assert_each_run_once(made)


@pytest.mark.parametrize("how", ["down", "killed"])
def test_a_node_that_fails_is_named_and_completed_rounds_stay(slurm, how) -> None:
    target = slurm.lab.folder / f"{how}.jsonl"
    words = ("run", "w.sb", "--on", "slurm", "-o", target, "--engine", engine_program())
    long = ("--isolated", "10000", "--contended", "10000", "--repetitions", "2")
    line = slurm.command("h0", *slurm.allocate("-N4", "-n4"), *words, *long)

    with Started(line, cwd=slurm.lab.folder, environment=slurm.lab.environment) as run:
        wait_until(lambda: len(rounds_in(target)) >= 3, "three rounds are done")
        before = rounds_in(target)
        (slurm.kill_node if how == "killed" else slurm.fail_node)("h3")
        errors = run.communicate(timeout=LIMIT_S)[1]

    slurm.revive_node("h3")
    slurm.wait_until_idle()
    assert run.returncode in (3, 130), errors
    assert "node h3 failed" in errors
    assert "rounds are complete in" in errors
    assert before <= rounds_in(target)


def test_a_study_ends_with_its_allocation_and_resumes_in_the_next(slurm) -> None:
    """A run that cannot start because the job is gone has not failed."""
    made = slurm.lab.folder / "ended"
    lines = study_command("ended")
    number = slurm.submit(lines, *ALL_NODES, "--no-requeue", name="ended")
    wait_until(lambda: len(of_type(made, "finished")) >= 2, "two runs are done")

    slurm.fail_node("h3")
    ended = slurm.wait_for_state(number, "NODE_FAIL", "FAILED", "CANCELLED", "COMPLETED")
    slurm.revive_node("h3")
    slurm.wait_until_idle()

    assert ended["JobState"] == "NODE_FAIL"
    assert not of_type(made, "failed")
    again = slurm.submit(lines, *ALL_NODES, name="ended")
    assert slurm.wait_for_state(again, "COMPLETED", "FAILED")["JobState"] == "COMPLETED"
    assert_each_run_once(made)


@dataclass(frozen=True)
class Work:
    """Something that is carried out by a job: the lines of its script, and what it has measured so far."""

    lines: Callable[[], str]
    measured: Callable[[], Counter[tuple[object, ...]]]


def test_whatever_is_killed_at_whatever_moment_nothing_is_lost_and_nothing_stays(slurm, pytestconfig) -> None:
    """As many kills as --interruptions says: of jobs, of their commands, and of single launchers and ranks."""
    dice, works = random.Random(20261128), (run_work(slurm), study_work(slurm), corun_work(slurm))
    kills: list[str] = []
    for kill in range(pytestconfig.getoption("--interruptions")):
        work = works[kill % len(works)]
        known = work.measured()
        number = slurm.submit(work.lines(), *ALL_NODES, "--no-requeue", name=f"kill{kill}")
        wait_until(lambda number=number: any(slurm.processes(number)), "the job has started", every_s=0.1)  # type: ignore[misc]
        is_measuring = kill % 2 == 0
        if is_measuring:
            wait_until(lambda work=work, known=known: work.measured() != known, "it measures", every_s=0.1)  # type: ignore[misc]
        delay_s = dice.uniform(0, 5 if is_measuring else 10)
        time.sleep(delay_s)
        before = work.measured()
        how = dice.choice(("scancel", "SIGTERM", "SIGKILL", "SIGKILL of one"))
        victim = kill_job(slurm, number, how, dice)
        slurm.wait_until_idle()
        assert before <= work.measured(), how
        kills.append(
            f"{how} of {victim} {delay_s:.1f} s after {'its first measurement' if is_measuring else 'its start'}"
        )
    print("\n".join(kills))
    assert_clean(slurm)

    for work in works[:2]:
        ended = slurm.wait_for_state(slurm.submit(work.lines(), *ALL_NODES, name="last"), "COMPLETED", "FAILED")
        assert ended["JobState"] == "COMPLETED", (slurm.lab.folder / "last.out").read_text()
    for path in slurm.lab.folder.glob("killed-*.jsonl"):
        assert rounds_in(path) == Counter(dict.fromkeys(all_rounds(30), 1)), path
    for path in slurm.lab.folder.glob("killed-study-*"):
        assert_each_run_once(path)
    for path in slurm.lab.folder.glob("killed-corun-*/launches.jsonl"):
        if periods_in(path):
            reported = slurm.lab.stressbench("corun", "report", path.parent, "--format", "json")
            assert reported.status == 0, reported.text
            executions = json.loads(reported.output)["executions"]
            periods = {(one["block"], None if one["beside"] else one["program"]) for one in executions}
            assert len(periods) == periods_in(path)


def kill_job(slurm: Slurm, number: str, how: str, dice: random.Random) -> str:
    """Kill a job, and return what was hit: nothing if it had ended already."""
    if how == "scancel":
        return "the job" if slurm.on("h0", "scancel", number).status == 0 else "nothing"
    if how == "SIGKILL of one":
        victims = [one for one in slurm.processes(number) if one.name != "slurmstepd"]
    else:
        victims = [one for one in slurm.processes(number) if one.words[1:3] == ("-m", "stressbench")]
        victims = sorted(victims, key=lambda one: one.pid)[:1]
    if not victims:
        return "nothing"
    victim = dice.choice(victims)
    send(signal.SIGTERM if how == "SIGTERM" else signal.SIGKILL, [victim.pid])
    return victim.name


def run_work(slurm: Slurm) -> Work:
    """One run after the other, each continued until it is complete."""

    def latest() -> Path:
        number = len(list(slurm.lab.folder.glob("killed-*.jsonl")))
        path = slurm.lab.folder / f"killed-{number}.jsonl"
        done = number == 0 or rounds_in(path) == Counter(dict.fromkeys(all_rounds(30), 1))
        return slurm.lab.folder / f"killed-{number + 1}.jsonl" if done else path

    def lines() -> str:
        path = latest()
        if path.exists() and not path.stat().st_size:
            path.unlink()  # killed before the first record
        if path.exists():
            return command("run", "--on", "slurm", "--continue", path)
        return command("run", "w.sb", "--on", "slurm", "-n", "4", "-o", path, *ROUNDS)

    def measured() -> Counter[tuple[object, ...]]:
        return Counter(
            {(path.name, *key): count for path in slurm.lab.folder.glob("killed-*.jsonl")
             for key, count in rounds_in(path).items()}
        )  # fmt: skip

    return Work(lines, measured)


def study_work(slurm: Slurm) -> Work:
    """One study after the other, two runs at once."""

    def latest() -> Path:
        number = len(list(slurm.lab.folder.glob("killed-study-*"))) or 1
        path = slurm.lab.folder / f"killed-study-{number}"
        done = len({one["run"] for one in of_type(path, "finished")}) == RUNS
        return slurm.lab.folder / f"killed-study-{number + 1}" if done else path

    def measured() -> Counter[tuple[object, ...]]:
        return Counter(
            {(path.parent.parent.name, path.name, *key): count
             for path in slurm.lab.folder.glob("killed-study-*/runs/*.jsonl") for key, count in rounds_in(path).items()}
        )  # fmt: skip

    return Work(lambda: study_command(latest().name, "--jobs", "2"), measured)


def corun_work(slurm: Slurm) -> Work:
    """A new co-run each time."""

    def measured() -> Counter[tuple[object, ...]]:
        return Counter(
            {(path.parent.name,): periods_in(path) for path in slurm.lab.folder.glob("killed-corun-*/launches.jsonl")}
        )

    def lines() -> str:
        return corun_command(f"killed-corun-{len(list(slurm.lab.folder.glob('killed-corun-*')))}")

    return Work(lines, measured)


def all_rounds(blocks: int) -> list[tuple[object, ...]]:
    """The rounds of `ROUNDS`."""
    return [(kind, number, block) for block in range(blocks) for kind, number in
            (("isolated", 0), ("isolated", 1), ("contended", None))]  # fmt: skip
