"""`stressbench rails` on a lab with two cards a host: bytes go where they were sent, and jobs apart do not meet."""

import json

import pytest
from support.lab_bench import TRIES, wait_for_quiet
from support.programs import CHECKOUT

POLICIES = ("default", "nic0", "nic1", "per-job")


@pytest.fixture(scope="module")
def apart(lab_up):
    """What a report says of two jobs on the same two hosts, under each policy."""
    bench = lab_up("dual-rail")
    tries = iter(range(TRIES))

    def run():
        folder = f"apart{next(tries)}"
        wait_for_quiet()
        ran = bench.stressbench(
            "rails", "run", CHECKOUT / "workloads" / "rails-two-jobs.sb", "-n", "8", "--on", "lab:dual-rail",
            "--policies", ",".join(POLICIES), "--isolated", "4", "--contended", "4", "--repetitions", "3",
            "--runs", "1", "-o", folder, timeout_s=300,
        )  # fmt: skip
        assert ran.status == 0, ran.said
        told = bench.stressbench("rails", "report", folder, "--format", "json")
        assert told.status == 0, told.said
        return json.loads(told.output)

    return run


@pytest.fixture(scope="module")
def found(apart):
    return apart()


def impacts(found):
    return {
        policy: [one["impact"]["ratio"] for one in found["beside"] if one["policy"] == policy] for policy in POLICIES
    }


def test_each_policy_s_bytes_are_on_the_cards_that_it_asked_for(found) -> None:
    alone = {(one["policy"], one["job"]): one["loads"] for one in found["carried"] if one["job"] is not None}

    def share(policy: str, job: str, nic: int) -> float:
        sent = [load["sent_bytes"] for load in alone[policy, job]]
        return sent[nic] / sum(sent)

    assert share("nic0", "one", 0) > 0.99
    assert share("nic1", "two", 1) > 0.99
    assert share("per-job", "one", 0) > 0.99
    assert share("per-job", "two", 1) > 0.99
    assert 0.3 < share("default", "one", 0) < 0.7


def test_jobs_on_rails_of_their_own_do_not_disturb_each_other(found, apart) -> None:
    expected = {
        "per-job": [pytest.approx(1.0, abs=0.03)] * 2,
        "nic0": [pytest.approx(2.0, rel=0.05)] * 2,
        "default": [pytest.approx(2.0, rel=0.1)] * 2,
    }
    ratios = impacts(found)
    for _ in range(TRIES - 1):
        if all(ratios[policy] == wished for policy, wished in expected.items()):
            break
        ratios = impacts(apart())

    assert {policy: ratios[policy] for policy in expected} == expected


def test_one_card_takes_as_much_longer_as_the_busier_of_both_carries_less_than_all(found) -> None:
    """Open MPI does not share messages of 256 KiB evenly: 63 % on one card, so that the other gains 1 / 0.63."""
    times = {
        entry["policy"]: entry["ratio"]["ratio"]
        for subject in found["subjects"]
        if subject["name"] == "one"
        for entry in subject["entries"]
    }
    (sent,) = (
        [load["sent_bytes"] for load in one["loads"]]
        for one in found["carried"]
        if (one["policy"], one["job"]) == ("default", "one")
    )

    assert times["nic0"] == pytest.approx(sum(sent) / max(sent), rel=0.08)
    assert times["nic1"] == pytest.approx(times["nic0"], rel=0.08)
