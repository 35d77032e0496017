"""A comparison as tests that continuous integration shows."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.builders import MadeJob, MadePlan, build_run
from support.commands import CommandResult, invoke

from stressbench.formats.run import read_run
from stressbench.report.comparison import document_of
from stressbench.report.renderers import render
from stressbench.stats import Comparison, Quantity, Verdict, compare

JOBS = (MadeJob(name="solver", congestion=1.6), MadeJob(name="writer", role="background"))


def call(*arguments: object) -> CommandResult:
    return invoke([str(argument) for argument in arguments])


def write(folder: Path, name: str, *, factor: float = 1.0, blocks: int = 10) -> Path:
    made = build_run(jobs=JOBS, plan=MadePlan(blocks=blocks), seed=int(factor * 10))
    for record in made.of("sample"):
        record.update({key: factor * record[key] for key in ("time_min_s", "time_mean_s", "time_max_s")})
    return made.write(folder, name)


@pytest.fixture
def comparison(tmp_path: Path) -> Comparison:
    a, b = write(tmp_path, "a.jsonl"), write(tmp_path, "b.jsonl", factor=1.5)
    return compare(read_run(a), read_run(b))


def junit_of(comparison: Comparison) -> str:
    return render("junit", document_of(comparison))


def cases(written: str) -> dict[tuple[str, str], ElementTree.Element]:
    return {
        (case.attrib["classname"], case.attrib["name"]): case
        for case in ElementTree.fromstring(written).iter("testcase")
    }


def test_every_job_and_quantity_is_a_test_and_slower_times_fail(comparison: Comparison) -> None:
    found = cases(junit_of(comparison))

    assert list(found) == [
        ("solver", "isolated time"), ("solver", "contended time"), ("solver", "congestion impact"),
        ("writer", "contended time"),
    ]  # fmt: skip
    failure = found["solver", "isolated time"].find("failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("slower: B / A 1.5")
    assert found["solver", "congestion impact"].find("failure") is None


def test_the_counts_are_those_of_the_cases(comparison: Comparison) -> None:
    suite = ElementTree.fromstring(junit_of(comparison)).find("testsuite")

    assert suite is not None
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("4", "3")
    assert suite.attrib["skipped"] == str(len(list(suite.iter("skipped"))))


def test_what_nobody_can_tell_is_skipped_with_its_reason(tmp_path: Path) -> None:
    few = [read_run(write(tmp_path, f"{name}.jsonl", blocks=3)) for name in "ab"]

    skipped = cases(junit_of(compare(*few)))["solver", "isolated time"].find("skipped")

    assert skipped is not None
    assert "3 and 3 isolated rounds" in skipped.attrib["message"]


def test_a_higher_impact_alone_passes(comparison: Comparison) -> None:
    job = comparison.jobs[0]
    higher = tuple(
        replace(one, verdict=Verdict.slower if one.quantity is Quantity.impact else Verdict.no_difference)
        for one in job.changes
    )

    written = junit_of(replace(comparison, jobs=(replace(job, changes=higher),)))

    assert "<failure" not in written
    assert "slower: B / A" in written


def test_names_that_repeat_or_hold_control_characters_stay_apart_and_valid(comparison: Comparison) -> None:
    twice = replace(comparison.jobs[1], name="a<\x01>")

    found = cases(junit_of(replace(comparison, jobs=(twice, twice))))

    assert [job for job, _ in found] == ["a<\N{REPLACEMENT CHARACTER}>", "a<\N{REPLACEMENT CHARACTER}> (2)"]


def test_compare_writes_the_file_beside_its_table_and_keeps_its_status(tmp_path: Path) -> None:
    a, b = write(tmp_path, "a.jsonl"), write(tmp_path, "b.jsonl", factor=1.5)

    result = call("compare", a, b, "--junit", tmp_path / "out.xml", "--exit-code")

    assert result.exit_code == 1
    assert "slower" in result.stdout
    assert len(cases((tmp_path / "out.xml").read_text(encoding="utf-8"))) == 4


def test_a_file_that_cannot_be_written_is_one_line_and_status_2(tmp_path: Path) -> None:
    a = write(tmp_path, "a.jsonl")

    result = call("compare", a, a, "--junit", tmp_path / "no" / "out.xml")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "no such file or directory" in result.stderr
