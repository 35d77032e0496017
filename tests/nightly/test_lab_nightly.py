"""packaging/nightly on a lab: a healthy night, one with links of half the rate, and one with a link that is down."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.lab_bench import Bench
from support.programs import CHECKOUT, Outcome, finished

SCRIPT = CHECKOUT / "packaging" / "nightly" / "stressbench-nightly.sh"
MEASURED = ("--on", "lab:tiny", "--quick", "--only", "bandwidth")


@pytest.fixture(scope="module")
def tiny(lab_up) -> Iterator[Bench]:
    """The lab, with a baseline and a `stressbench` for PATH."""
    lab: Bench = lab_up("tiny")
    program = lab.folder / "bin" / "stressbench"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m stressbench "$@"\n')
    program.chmod(0o755)
    done = lab.stressbench("machine", "run", *MEASURED, "-o", "baseline")
    assert done.status == 0, done.text
    yield lab


def night(lab: Bench, *options: str, run: tuple[str, ...] = MEASURED) -> Outcome:
    words = ("--baseline", "baseline", "--archive", "nights", "--within", "10%", *options)
    path = f"{lab.folder / 'bin'}:{os.environ['PATH']}"
    command = [str(SCRIPT), *words, "--", *run]
    return finished(command, cwd=lab.folder, environment={**lab.environment, "PATH": path})


def failed_tests(path: Path) -> set[str | None]:
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return {one.get("name") for one in cases if one.find("failure") is not None}


@pytest.mark.measures
def test_links_of_half_the_rate_raise_an_alarm_and_healthy_links_do_not(tiny: Bench) -> None:
    """10 %: twice what `test_lab_machine.py` tolerates of a stream."""
    healthy = night(tiny, "--junit", "healthy.xml")
    assert healthy.status == 0, healthy.text

    tiny.set("hosts", "rate=half")
    try:
        degraded = night(tiny, "--junit", "degraded.xml")
    finally:
        tiny.set("hosts", "rate=full")

    assert degraded.status == 1, degraded.text
    assert failed_tests(tiny.folder / "healthy.xml") == set()
    assert failed_tests(tiny.folder / "degraded.xml") == {
        "bandwidth.network.pingpong", "bandwidth.network.one-way", "bandwidth.network.both-ways",
    }  # fmt: skip
    assert list((tiny.folder / "nights" / "latest" / "runs").glob("second-*.txt"))


def test_a_link_that_is_down_is_found_before_anything_is_measured(tiny: Bench) -> None:
    tiny.set("h3-s0", "down")
    try:
        ended = night(tiny)
    finally:
        tiny.set("h3-s0", "up")

    assert ended.status == 3, ended.text
    assert "h3-s0 of lab tiny is down" in ended.errors


def test_an_engine_that_is_missing_is_a_mistake(tiny: Bench) -> None:
    ended = night(tiny, "--no-doctor", run=(*MEASURED, "--engine", "gone"))

    assert ended.status == 2, ended.text
