"""A directory with a file of each kind that commands read."""

from pathlib import Path

from support.builders import build_run
from support.sensitivities import victim, write_profile
from support.studies import FakeLaunches, carry_out, study_in
from support.traces import cg

TWO_HOSTS = """\
[hosts]
count = 2
[[rail]]
rate = "100Mbit"
[topology]
kind = "single"
"""
"""A lab file."""


def put_example_files(folder: Path) -> None:
    """Write the run file a.jsonl, the trace c.trace, the profile v.json and the study `made`, which was carried out."""
    build_run().write(folder, "a.jsonl")
    cg().write(folder, "c.trace")
    write_profile(folder, victim({0.2: 1.1, 0.5: 1.5}, name="v"))
    carry_out(study_in(folder), FakeLaunches())
