"""`stressbench rails` on labs: bytes go where they were sent, jobs apart do not meet, and what a failed rail ends."""

import json
import sys

import pytest
from support.lab_bench import blocks, job
from support.measured import around, reported_ratio
from support.programs import CHECKOUT, LIMIT_S, Started, wait_until

from stressbench.formats.run import read_run

POLICIES = ("default", "nic0", "nic1", "per-job")


@pytest.fixture(scope="module")
def found(lab_up, samples):
    """What a report says of two jobs on the same two hosts, under each policy."""
    bench = lab_up("dual-rail")
    ran = bench.stressbench(
        "rails", "run", CHECKOUT / "workloads" / "rails-two-jobs.sb", "-n", "8", "--on", "lab:dual-rail",
        "--policies", ",".join(POLICIES), *blocks(samples), "--runs", "1", "-o", "apart", timeout_s=1800,
    )  # fmt: skip
    assert ran.status == 0, ran.text
    reported = bench.stressbench("rails", "report", "apart", "--format", "json")
    assert reported.status == 0, reported.text
    return json.loads(reported.output)


def test_each_policy_s_bytes_are_on_the_nics_that_it_asked_for(found) -> None:
    isolated = {(one["policy"], one["job"]): one["loads"] for one in found["carried"] if one["job"] is not None}

    def share(policy: str, job: str, nic: int) -> float:
        sent = [load["sent_bytes"] for load in isolated[policy, job]]
        return sent[nic] / sum(sent)

    assert share("nic0", "one", 0) > 0.99
    assert share("nic1", "two", 1) > 0.99
    assert share("per-job", "one", 0) > 0.99
    assert share("per-job", "two", 1) > 0.99
    assert 0.3 < share("default", "one", 0) < 0.7


def test_jobs_on_rails_of_their_own_do_not_disturb_each_other(found, measured, samples) -> None:
    """3 % and 5 %: as of streams that share a link or do not; 10 % where Open MPI divides messages over both NICs.

    The intervals are the report's own.
    """
    tolerated = {"per-job": around(1, within=0.03), "nic0": around(2, within=0.05), "default": around(2, within=0.1)}

    beside = [one for one in found["beside"] if one["policy"] in tolerated]

    assert len(beside) == 2 * len(tolerated)
    measured.judge(
        reported_ratio(f"impact of {one['job']}, {one['policy']}", one["impact"], samples, tolerated[one["policy"]])
        for one in beside
    )


def test_one_nic_takes_as_much_longer_as_the_busier_of_both_carries_less_than_all(found, measured, samples) -> None:
    """Open MPI does not share messages of 256 KiB evenly: 63 % on one NIC, so that the other gains 1 / 0.63.

    8 %: the share is of all rounds, the time is that of the median one.
    """
    entries = next(subject["entries"] for subject in found["subjects"] if subject["name"] == "one")
    times = {entry["policy"]: entry["ratio"] for entry in entries}
    (sent,) = (
        [load["sent_bytes"] for load in one["loads"]]
        for one in found["carried"]
        if (one["policy"], one["job"]) == ("default", "one")
    )

    expected = around(sum(sent) / max(sent), within=0.08)
    measured.judge(
        reported_ratio(f"time on {nic} over both", times[nic], samples, expected) for nic in ("nic0", "nic1")
    )


@pytest.fixture(scope="module")
def of_sockets(lab_up, few_samples):
    """What a report says of pairs of ranks on hosts with two sockets and four NICs."""
    bench = lab_up("quad-rail")
    ran = bench.stressbench(
        "rails", "run", CHECKOUT / "workloads" / "rails-bandwidth.sb", "-n", "4", "--on", "lab:quad-rail",
        "--policies", "default,nic3,round-robin,local", "--isolated", str(few_samples), "--runs", "1", "-o", "sockets",
        timeout_s=1800,
    )  # fmt: skip
    assert ran.status == 0, ran.text
    reported = bench.stressbench("rails", "report", "sockets", "--format", "json")
    assert reported.status == 0, reported.text
    return json.loads(reported.output)


@pytest.mark.parametrize(("policy", "nics"), [("nic3", {3}), ("round-robin", {0, 1}), ("local", {0, 2})])
def test_ranks_of_a_host_use_the_nics_that_the_policy_gives_to_their_sockets(of_sockets, policy, nics) -> None:
    """The first rank of a host is bound to socket 0, to which eth0 and eth1 belong, the second one to socket 1."""
    (carried,) = (one for one in of_sockets["carried"] if one["policy"] == policy and one["job"] is not None)
    sent = [load["sent_bytes"] for load in carried["loads"]]

    assert sum(sent[nic] for nic in nics) > 0.99 * sum(sent)
    assert all(sent[nic] > 0.4 / len(nics) * sum(sent) for nic in nics)


@pytest.mark.parametrize(("policy", "ends"), [("nic0", True), ("default", True), ("nic1", False)])
def test_a_rail_that_fails_ends_the_runs_that_use_it_and_no_other(lab_up, policy, ends) -> None:
    """MPI moves no message to the other rail: the run ends after its stall limit, and its finished rounds stay."""
    bench = lab_up("dual-rail")
    (bench.folder / "w.sb").write_text(job("pair", "0,1", "bandwidth -s 256KiB -w 8"), encoding="utf-8")
    (bench.folder / "s.toml").write_text(
        f'retries = 0\n[factors]\nworkload = "w.sb"\non = "lab:dual-rail"\nranks = 2\npolicy = "{policy}"\n'
        '[run]\nisolated = 6\ncontended = 0\nrepetitions = 20\nstall_limit = "3s"\n',
        encoding="utf-8",
    )
    folder = bench.folder / f"failing-{policy}"
    command = [sys.executable, "-m", "stressbench", "study", "run", "s.toml", "-o", str(folder)]

    with Started(command, cwd=bench.folder, environment=bench.environment) as process:
        wait_until(lambda: any(b'"round"' in file.read_bytes() for file in folder.glob("runs/*.jsonl")), "a round")
        bench.set("h1-s0", "down")
        try:
            errors = process.communicate(timeout=LIMIT_S)[1]
        finally:
            bench.set("h1-s0", "up")

    (file,) = folder.glob("runs/*.jsonl")
    run = read_run(file)
    assert process.returncode == (3 if ends else 0), errors
    assert run.complete is not ends
    assert run.rounds
    if ends:
        said = next(line for line in errors.splitlines() if "no progress for 3s" in line)
        assert "job pair, motif bandwidth, rank " in said
        assert " on host h" in said
