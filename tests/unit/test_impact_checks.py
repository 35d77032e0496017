"""`report --junit` and `study report --junit`: impacts as tests that continuous integration shows."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, build_run
from support.commands import CommandResult, invoke
from support.studies import FakeLaunches, carry_out, made_run, study_in

JOBS = (
    MadeJob(name="solver", congestion=1.6), MadeJob(name="idle", nodes="1"), MadeJob(name="writer", role="background"),
)  # fmt: skip
STEADY = MadeMachine(round_noise=0.0)
TAILS = [f"tail impact, percentile {share}" for share in ("95", "99", "99.9")]
ALLOWED = {
    "testsuites": (set(), {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"properties", "testcase"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"classname", "name"}, {"failure", "skipped", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}
"""Attributes and children of each element, a part of the schema of Jenkins' plugin for JUnit."""


def call(*arguments: object) -> CommandResult:
    return invoke([*map(str, arguments)])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return build_run(jobs=JOBS, plan=MadePlan(blocks=10, repetitions=60), machine=STEADY).write(tmp_path)


def cases(path: Path) -> dict[tuple[str, str], ElementTree.Element]:
    root = ElementTree.parse(path).getroot()
    return {(case.attrib["classname"], case.attrib["name"]): case for case in root.iter("testcase")}


def outcome(case: ElementTree.Element) -> str:
    return next((child.tag for child in case if child.tag in ("failure", "skipped")), "passed")


def checked(run: Path, *more: object) -> dict[tuple[str, str], ElementTree.Element]:
    path = run.parent / "out.xml"
    ended = call("report", run, "--format", "json", "--junit", path, *more)
    assert ended.exit_code == 0, ended.output
    return cases(path)


def test_each_measured_job_and_metric_is_a_test(run: Path) -> None:
    found = checked(run)

    assert list(found) == [(job, name) for job in ("solver", "idle") for name in ("congestion impact", *TAILS)]
    assert outcome(found["solver", "congestion impact"]) == "failure"
    assert outcome(found["solver", TAILS[0]]) == "failure"
    assert outcome(found["idle", "congestion impact"]) == "passed"


def test_messages_have_ratio_interval_and_limit(run: Path) -> None:
    failure = checked(run)["solver", "congestion impact"].find("failure")

    assert failure is not None
    assert failure.attrib["type"] == "above the limit"
    assert failure.attrib["message"].startswith("above the limit: contended / isolated 1.")
    assert "(95 %: 1." in failure.attrib["message"]
    assert re.search(r", limit 1\.05, isolated 0\.00\d+ s, contended 0\.00\d+ s$", failure.attrib["message"])


def test_an_interval_that_contains_the_limit_is_skipped_with_its_bounds(run: Path) -> None:
    bounds = checked(run)["solver", "congestion impact"].find("system-out")
    assert bounds is not None and bounds.text is not None
    ratio = bounds.text.partition("isolated ")[2].partition(" ")[0]

    skipped = checked(run, "--slowed-above", ratio)["solver", "congestion impact"].find("skipped")

    assert skipped is not None
    assert skipped.attrib["message"].startswith(f"undecided: contended / isolated {ratio} (95 %: ")


def test_too_few_repetitions_are_skipped_with_the_reason(run: Path) -> None:
    skipped = checked(run)["solver", TAILS[2]].find("skipped")

    assert skipped is not None
    assert skipped.attrib["message"].startswith("unknown: ")
    assert "values" in skipped.attrib["message"]


def test_limits_decide(run: Path) -> None:
    found = checked(run, "--slowed-above", "3", "--tail-above", "3", "--exit-code")

    assert {outcome(case) for (_, name), case in found.items() if name != TAILS[2]} == {"passed"}


@pytest.mark.parametrize(("more", "status"), [((), 0), (("--exit-code",), 1)])
def test_the_exit_status_is_1_only_on_demand(run: Path, more: tuple[str, ...], status: int) -> None:
    assert call("report", run, "--format", "json", *more).exit_code == status


def test_the_file_has_the_structure_that_jenkins_reads(run: Path) -> None:
    checked(run)
    root = ElementTree.parse(run.parent / "out.xml").getroot()

    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= children
    suite = root[0]
    outcomes = [outcome(case) for case in suite.iter("testcase")]
    assert suite.attrib["name"] == "stressbench report"
    assert [int(suite.attrib[name]) for name in ("tests", "failures", "skipped", "errors")] == [
        len(outcomes), outcomes.count("failure"), outcomes.count("skipped"), 0,
    ]  # fmt: skip
    properties = {one.attrib["name"]: one.attrib["value"] for one in suite.iter("property")}
    assert properties == {"run": "run.jsonl", "slowed-above": "1.05", "tail-above": "1.1"}


def test_names_of_several_runs_and_hostile_names_stay_apart_and_valid(tmp_path: Path) -> None:
    jobs = (MadeJob(name="a<\x01>"), MadeJob(name="b", nodes="1"))
    run = build_run(jobs=jobs).write(tmp_path)

    call("report", run, run, "--format", "json", "--junit", tmp_path / "out.xml")

    groups = list(dict.fromkeys(group for group, _ in cases(tmp_path / "out.xml")))
    assert groups == [f"{file}: {job}" for file in ("run.jsonl", "run.jsonl (2)") for job in ("a<\ufffd>", "b")]


def test_each_job_of_each_cell_of_a_study_is_a_test(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    carry_out(directory, FakeLaunches(text=made_run(blocks=8)))

    ended = call("study", "report", directory.path, "--junit", tmp_path / "out.xml", "--exit-code")

    assert ended.exit_code == 1
    assert "runs are done" in ended.stdout
    found = cases(tmp_path / "out.xml")
    assert len(found) == 6 * 2 * 4
    first = found["placement = linear, set.size = 4KiB: CG", "congestion impact"]
    assert outcome(first) == "failure"
    assert outcome(found["placement = linear, set.size = 4KiB: Incast", "congestion impact"]) != "failure"


def test_a_cell_without_runs_is_skipped(tmp_path: Path) -> None:
    call("study", "report", study_in(tmp_path).path, "--junit", tmp_path / "out.xml")

    found = cases(tmp_path / "out.xml")
    assert len(found) == 6
    skipped = found["placement = linear, set.size = 4KiB", "congestion impact"].find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "unknown: 0 of 2 runs are done"


def test_a_file_that_cannot_be_written_is_one_line_and_status_2(run: Path) -> None:
    ended = call("report", run, "--format", "json", "--junit", run.parent / "no" / "out.xml")

    assert ended.exit_code == 2
    assert ended.stderr.count("\n") == 1
    assert "no such file or directory" in ended.stderr
