"""The paper's Listing 1 verbatim, and the messages for mistakes in it."""

import re
from pathlib import Path

import pytest

LISTING = Path(__file__).with_name("listing1.sb")
NODES = ("--nodes", "104", "--ranks-per-node", "16")
SECOND_JOB = "\n[JOB_NAME] Other\n[NID_LIST] 0-5,6\n[MOTIF] AllReduce\n"

# What is changed, and words that the message must hold.
VARIANTS = {
    "-m 255": ("-m 256", "-m 255", "256"),
    "a repeated node": ("102,103", "102,102", "102"),
    "an unknown motif": ("halo2d", "halo2", "halo2d"),
    "an unknown option": ("-y 4000", "-y 4000 -q 1", "-q"),
    "a missing value": ("-x 4000 -y 4000", "-x 4000 -y", "-y"),
    "a range that goes down": ("6,9,", "7-5,9,", "7-5"),
    "two jobs on one node": ("-n MPI_File_write_all\n", "-n MPI_File_write_all\n" + SECOND_JOB, "6"),
}
MISTAKE = re.compile(r"^(?:\S+:\d+:\d+: )?error: .*$", re.MULTILINE)


def test_listing_1_passes_as_printed(any_engine):
    outcome = any_engine.run("check", LISTING, *NODES)
    assert outcome.status == 0, outcome.text


def test_listing_1_does_not_fit_on_100_nodes(engine):
    outcome = engine.run("check", LISTING, "--nodes", "100", "--ranks-per-node", "16")
    assert outcome.status == 2
    (mistake,) = MISTAKE.findall(outcome.text)
    assert "102" in mistake
    assert "100 nodes" in outcome.text


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_mistake_in_listing_1_gives_exactly_one_message(engine, variant, tmp_path):
    right, wrong, expected = VARIANTS[variant]
    file = tmp_path / "listing1.sb"
    file.write_text(LISTING.read_text().replace(right, wrong, 1))

    outcome = engine.run("check", file, *NODES)

    assert outcome.status == 2
    (mistake,) = MISTAKE.findall(outcome.text)
    assert mistake.startswith(f"{file}:")
    assert expected in outcome.text
