"""The motif mcb against captures of MCB: what does not depend on random paths is the same, the rest is about as much.

A profile mcb_*.json has the time steps of a run, from the first MPI_Allreduce of a rank alone on.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

REFERENCE = Path(__file__).resolve().parent.parent / "reference"
PROFILES = sorted(path.stem for path in REFERENCE.glob("mcb_*.json") if not path.stem.endswith("_p1"))
ON_ONE_RANK = "mcb_multi_sigma_20000_p1"
OPTIONS = {"numParticles": "particles", "nZonesX": "zones-x", "nZonesY": "zones-y", "sigmaS": "sigma-s"}

PHOTONS, REPORTS, CHECK, END = 55, 6432, 6502, 7294
PHOTON_BYTES = 120
TOLERANCE = 0.1  # of the number of photons that cross in a run

Profile = dict[str, Any]


@pytest.fixture
def captured(engine, stressbench, tmp_path):
    """The profile of the motif with the input of a profile."""

    def run(wanted: Profile) -> Profile:
        trace = tmp_path / "motif.trace"
        options = [word for key, name in OPTIONS.items() if key in wanted["input"]
                   for word in (f"--{name}", str(wanted["input"][key]))]  # fmt: skip
        flags = ["--multi-sigma"] if wanted["input"]["multiSigma"] else []
        done = engine.traced(
            engine.program, "motif", "mcb", *options, *flags, "--compute", "off", "--repetitions", "1", "--warmup", "0",
            "--pcontrol", ranks=wanted["ranks"], trace=trace, STRESSBENCH_TRACE_PAUSED="1",
        )  # fmt: skip
        assert done.status == 0, done.text
        outcome = stressbench("trace", "export", "--profile", trace)
        assert outcome.status == 0, outcome.text
        return json.loads(outcome.output)

    return run


def steps_of(profile: Profile, rank: str) -> list[list[str]]:
    """The calls of each time step, which begins with the reduction of a rank alone."""
    steps: list[list[str]] = []
    for token in profile["sequence_all_ranks"][rank].split():
        if re.fullmatch(r"Allreduce\[MAX\]:\d+@1", token):
            steps.append([])
        steps[-1].append(token)
    return steps


def opening_of(step: list[str]) -> list[str]:
    """The reductions of a step and the first receive from each rank with each tag."""
    opening: list[str] = []
    for token in step:
        if not token.startswith(("Allreduce", "Bcast", "Ir<")) or (token.startswith("Ir<") and token in opening):
            break
        opening.append(token)
    return opening


def messages_of(profile: Profile, tag: int) -> Counter[tuple[str, str, int]]:
    """Messages of a run with a tag, by sender, receiver and bytes."""
    found: Counter[tuple[str, str, int]] = Counter()
    for rank, sequence in profile["sequence_all_ranks"].items():
        for to, size in re.findall(rf"Is>(\d+):{tag}:(\d+)", sequence):
            found[rank, to, int(size)] += 1
    return found


def photons_of(profile: Profile) -> int:
    return sum(times * (size // PHOTON_BYTES - 1) for (_, _, size), times in messages_of(profile, PHOTONS).items())


def routes_of(profile: Profile, tag: int) -> set[tuple[str, str]]:
    return {(sender, receiver) for sender, receiver, _ in messages_of(profile, tag)}


def test_on_one_rank_the_calls_are_those_of_mcb(captured):
    wanted = json.loads((REFERENCE / f"{ON_ONE_RANK}.json").read_text())
    assert captured(wanted)["sequence_all_ranks"] == wanted["sequence_all_ranks"]


@pytest.mark.parametrize("name", PROFILES)
def test_each_step_begins_and_ends_as_in_mcb(name, captured):
    wanted = json.loads((REFERENCE / f"{name}.json").read_text())
    found = captured(wanted)
    for rank in wanted["sequence_all_ranks"]:
        ours, theirs = steps_of(found, rank), steps_of(wanted, rank)
        assert len(ours) == len(theirs)
        for mine, its in zip(ours, theirs, strict=True):
            assert opening_of(mine) == opening_of(its)
            assert mine.count("Cancel") == its.count("Cancel")
            reduction = f"Reduce[SUM]:16@{wanted['ranks']}"
            assert mine.count(reduction) == 1 <= its.count(reduction)


@pytest.mark.parametrize("name", PROFILES)
def test_messages_take_the_routes_of_mcb(name, captured):
    wanted = json.loads((REFERENCE / f"{name}.json").read_text())
    found = captured(wanted)
    for tag in (PHOTONS, REPORTS, CHECK, END):
        assert routes_of(found, tag) == routes_of(wanted, tag), tag
    for tag, size in ((REPORTS, 16), (CHECK, 4), (END, 4)):
        assert {found_size for _, _, found_size in messages_of(wanted, tag)} == {size}
        assert {found_size for _, _, found_size in messages_of(found, tag)} == {size}
    assert messages_of(found, END) == messages_of(wanted, END)
    for profile in (found, wanted):
        assert all(size % PHOTON_BYTES == 0 for _, _, size in messages_of(profile, PHOTONS))


@pytest.mark.parametrize("name", PROFILES)
def test_about_as_many_photons_cross_as_in_mcb(name, captured):
    wanted = json.loads((REFERENCE / f"{name}.json").read_text())
    assert photons_of(captured(wanted)) == pytest.approx(photons_of(wanted), rel=TOLERANCE)


def test_a_step_is_cut_where_a_receive_is_posted_again():
    opening = ["Allreduce[MAX]:16@1", "Allreduce[SUM]:8@2", "Bcast:8@1", "Ir<1:55:600120", "Ir<1:6432:16"]
    assert opening_of([*opening, "Ir<1:55:600120", "Cancel"]) == opening
