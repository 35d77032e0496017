"""packaging/nightly: a night ends with the status of its comparison with the baseline. Measurements are stand-ins."""

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.machines import made_bandwidth, made_figure, made_result, spread_around, write_result
from support.programs import CHECKOUT, LIMIT_S, Outcome, Started, finished, wait_until

SCRIPT = CHECKOUT / "packaging" / "nightly" / "stressbench-nightly.sh"
STAND_IN = """\
import os, pathlib, shutil, signal, sys

site = pathlib.Path(os.environ["SITE"])
words = sys.argv[1:]
with (site / "commands").open("a") as note:
    note.write(" ".join(words) + "\\n")
if words[0] == "doctor":
    print("error     links   h3-s0 of lab tiny is down" if "--on" in words else "ok")
    sys.exit(int(os.environ.get("DOCTOR", "0")))
if words[:2] == ["machine", "run"]:
    nights = (site / "nights").read_text().split()
    (site / "nights").write_text(" ".join(nights[1:]))
    if nights[0].isdigit():
        print(f"stressbench: ended with {nights[0]}", file=sys.stderr)
        sys.exit(int(nights[0]))
    folder = pathlib.Path(words[words.index("-o") + 1])
    folder.mkdir()
    if nights[0] == "wait":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
        (site / "ready").touch()
        signal.pause()
    shutil.copy(site / f"{nights[0]}.json", folder / "machine.json")
    sys.exit(0)
os.execv(sys.executable, [sys.executable, "-m", "stressbench", *words])
"""


@dataclass(frozen=True)
class Site:
    """A folder with a baseline, and a stand-in for `stressbench` that measures what `nights` says."""

    folder: Path

    def environment(self, **others: str) -> dict[str, str]:
        return {"SITE": str(self.folder), "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", **others}

    def plan(self, nights: Sequence[str]) -> None:
        (self.folder / "nights").write_text(" ".join(nights))

    def night(
        self, *nights: str, options: Sequence[str] = (), run: Sequence[str] = ("-n", "4"), **environment: str
    ) -> Outcome:
        """Run the script; each measurement is the next of `nights`, a result or an exit status."""
        self.plan(nights)
        words = [str(SCRIPT), "--baseline", "base.json", "--archive", "archive", *options, "--", *run]
        return finished(words, cwd=self.folder, environment=self.environment(**environment))

    @property
    def commands(self) -> list[str]:
        path = self.folder / "commands"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def latest(self) -> Path:
        return self.folder / "archive" / "latest"

    def failed_tests(self, path: Path) -> list[str | None]:
        cases = ElementTree.parse(self.folder / path).getroot().iter("testcase")
        return [one.get("name") for one in cases if one.find("failure") is not None]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    results = {
        "base": made_result(label="base"),
        "same": made_result(label="same"),
        "slow": made_result(made_figure(), made_bandwidth(spread_around(6e6)), label="slow"),
        "again": made_result(made_figure(), made_bandwidth(spread_around(6.1e6)), label="again"),
        "late": made_result(made_figure(values=spread_around(60e-6)), made_bandwidth(), label="late"),
        "other": made_result(version=2),
    }
    for name, result in results.items():
        write_result(tmp_path / f"{name}.json", result)
    program = tmp_path / "bin" / "stressbench"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{STAND_IN}")
    program.chmod(0o755)
    return Site(tmp_path)


def test_a_night_as_the_baseline_raises_no_alarm(site: Site) -> None:
    ended = site.night("same", options=("--junit", "tests.xml"))

    assert ended.status == 0, ended.text
    assert ended.errors == ""
    assert site.failed_tests(Path("tests.xml")) == []
    assert sorted(one.name for one in site.latest.iterdir()) == [
        "compare.log", "compare.txt", "doctor.log", "doctor.txt", "first", "first.log", "first.txt", "junit.xml",
    ]  # fmt: skip
    assert "doctor -n 4" in site.commands


def test_an_alarm_names_the_figure_that_is_worse_in_both_measurements(site: Site) -> None:
    ended = site.night("slow", "again", options=("--junit", "tests.xml"))

    assert ended.status == 1, ended.text
    assert "alarm: a figure is worse" in ended.errors
    assert site.failed_tests(Path("tests.xml")) == ["bandwidth.network.one-way"]
    assert "C: second measurement of B" in ended.errors


@pytest.mark.parametrize("second", ["same", "late"])
def test_what_the_second_measurement_does_not_confirm_is_no_alarm(site: Site, second: str) -> None:
    ended = site.night("slow", second)

    assert ended.status == 0, ended.text
    assert "worse in B, " in (site.latest / "compare.txt").read_text()
    assert "worse" in (site.latest / "compare-first.txt").read_text()


def test_an_alarm_without_confirmation_needs_one_measurement(site: Site) -> None:
    ended = site.night("slow", options=("--no-confirm", "--no-doctor"))

    assert ended.status == 1, ended.text
    assert not any(command.startswith("doctor") for command in site.commands)


def test_a_difference_within_the_smallest_of_interest_is_no_alarm(site: Site) -> None:
    assert site.night("late", options=("--within", "60%")).status == 0


@pytest.mark.parametrize(
    ("nights", "environment", "status", "message"),
    [
        (("3",), {}, 3, "the machine could not be measured: archive/"),
        (("2",), {}, 2, "the options after -- are wrong"),
        (("130",), {}, 130, "incomplete; `stressbench machine resume archive/"),
        (("slow", "3"), {}, 3, "the machine could not be measured: archive/"),
        (("other",), {}, 3, "no figure of archive/"),
        ((), {"DOCTOR": "1"}, 3, "h3-s0 of lab tiny is down"),
        ((), {"DOCTOR": "2"}, 2, "the options after -- are wrong"),
    ],
)
def test_a_machine_that_cannot_be_measured_is_neither_success_nor_alarm(
    site: Site, nights: Sequence[str], environment: dict[str, str], status: int, message: str
) -> None:
    ended = site.night(*nights, run=("--on", "lab:tiny"), **environment)

    assert ended.status == status, ended.text
    assert message in ended.errors
    nights_left = [one for one in (site.folder / "archive").iterdir() if one.is_dir()]
    assert bool(nights_left) is (status != 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--archive", "archive"), "--baseline: expected the directory"),
        (("--baseline", "base.json"), "--archive: expected a directory"),
        (("--baseline", "gone", "--archive", "archive"), "gone: "),
        (("--baseline", "base.json", "--archive", "archive", "--within", "much"), "--within much: expected a share"),
        (("--baseline", "base.json", "--archive", "archive", "--junit", "gone/t.xml"), "--junit: gone/t.xml: cannot"),
        (("--baseline",), "--baseline: expected a value"),
        (("--fast",), "'--fast': expected --baseline, --archive"),
        (("--baseline", "base.json", "--archive", "archive", "--", "-o", "here"), "-o: each night is a new directory"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_measured(site: Site, words: Sequence[str], message: str) -> None:
    ended = finished([str(SCRIPT), *words], cwd=site.folder, environment=site.environment())

    assert ended.status == 2, ended.text
    assert message in ended.errors
    assert not any(command.startswith(("doctor", "machine run")) for command in site.commands)
    assert not (site.folder / "archive").exists()


def test_a_signal_ends_the_measurement_and_the_night(site: Site) -> None:
    site.plan(["wait"])
    words = [str(SCRIPT), "--baseline", "base.json", "--archive", "archive", "--", "-n", "4"]

    with Started(words, cwd=site.folder, environment=site.environment()) as process:
        wait_until(lambda: (site.folder / "ready").exists(), "the measurement has begun")
        second = finished(words, cwd=site.folder, environment=site.environment())
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT_S)

    assert (second.status, "another night is being measured" in second.errors) == (2, True)
    assert process.returncode == 130, errors
    assert "interrupted; archive/" in errors


def test_help_is_the_comment_at_the_top(site: Site) -> None:
    ended = finished([str(SCRIPT), "--help"], cwd=site.folder)

    assert ended.status == 0
    assert "Exit status: 0 no figure is worse; 1 alarm;" in " ".join(ended.output.split())
