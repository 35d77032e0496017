"""`stressbench machine` as a person meets it: refusals before anything starts, reports, comparisons, verification."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.commands import CommandResult, invoke
from support.machines import made_bandwidth, made_figure, made_result, spread_around, write_result
from support.schemas import schema_faults

from stressbench.formats.machines import Part, Skipped


def machine(words: str) -> CommandResult:
    return invoke(f"machine {words}", columns="120")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`a` and `b`, whose latency is 1.5 times as long."""
    monkeypatch.chdir(tmp_path)
    write_result(tmp_path / "a.json", made_result(label="first"))
    slower = made_figure(values=spread_around(60e-6))
    write_result(tmp_path / "b.json", made_result(slower, made_bandwidth(), label="second"))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-n 1", "-n: 1: expected 2 or more"),
        ("-n 0", "-n: 0: expected 2 or more"),
        ("-n 4 --ranks-per-node 0", "--ranks-per-node: 0: expected 1 or more"),
        ("", "-n is missing, for example -n 8"),
        ("-n 4 --on moon", "--on: 'moon': expected local"),
        ("-n 4 --on lab:gone", "gone"),
        ("-n 4 --on simgrid:tiny", "--on: 'simgrid:tiny': simulated ranks compute nothing"),
        ("-n 4 --only latency,speed", "--only: unknown part 'speed'"),
        ("-n 4 --only noise,noise", "--only: 'noise' is given twice"),
        ("-n 4 --only ''", "--only: unknown part ''"),
        ("-n 4 --storage gone", "--storage: 'gone' is not a directory"),
        ("-n 4 --storage ''", "--storage: '': expected a directory"),
        ("-n 4 --storage . --only noise", "--storage: '.': --only leaves out the part storage"),
        ("-n 4 --seed -1", "--seed: -1: expected a number from 0 to 2^63 - 1"),
        ("-n 4 --label ''", "--label: '': expected 1 to 60 printable characters"),
        ("-n 4 --time-limit 60", "--time-limit: '60': expected a time with its unit"),
        ("-n 4 --retries -1", "--retries"),
        ("-n 4 --engine gone", "gone"),
    ],
)
def test_wrong_values_are_refused_before_anything_starts(results: Path, words: str, message: str) -> None:
    before = sorted(results.iterdir())

    refused = machine(f"run {words} -o new")

    assert refused.exit_code == 2, refused.output
    assert message in refused.stderr
    assert sorted(results.iterdir()) == before


def test_a_directory_with_other_files_is_not_continued(results: Path) -> None:
    for words, message in (
        ("resume a.json", "a.json: is not a directory"),
        ("resume .", "has no settings.json; `stressbench machine run -o DIR` makes one"),
    ):
        refused = machine(words)

        assert refused.exit_code == 2
        assert message in refused.stderr


def test_settings_that_were_changed_by_hand_are_refused(results: Path) -> None:
    (results / "settings.json").write_text('{"type": "machine-settings", "schema_version": 1, "on": 3}')

    refused = machine("resume .")

    assert refused.exit_code == 2
    assert "settings.json: on 3: input should be a valid string" in refused.stderr


def test_the_report_lists_each_figure_with_its_interval(results: Path) -> None:
    text = machine("report a.json").stdout

    assert "first" in text
    assert "latency of latency.network.8B" in text
    assert "40.0" in text and "[39.8, 40.2]" in text and "µs" in text
    assert "12.0" in text and "MB/s" in text


def test_the_report_states_what_is_missing(results: Path) -> None:
    skipped = Skipped(part=Part.storage, workload=None, reason="no directory: --storage names one")
    write_result(results / "c.json", made_result(complete=False, quick=True, skipped=(skipped,)))

    text = " ".join(machine("report c.json").stdout.split())

    assert "incomplete: runs are missing, or ended at their time limit" in text
    assert "quick: one launch of each workload" in text
    assert "without figures: storage (no directory: --storage names one)" in text


def test_json_is_the_file_itself(results: Path) -> None:
    printed = json.loads(machine("report a.json --format json").stdout)

    assert printed == json.loads((results / "a.json").read_text())


def test_csv_has_a_line_for_each_figure(results: Path) -> None:
    lines = machine("report a.json --format csv").stdout.splitlines()

    assert lines[0].startswith("figure,part,unit,better,value,low,high,n,")
    assert [line.split(",")[0] for line in lines[1:]] == ["latency.network.8B", "bandwidth.network.one-way"]


def test_the_page_is_self_contained(results: Path) -> None:
    done = machine("report a.json --format html -o a.html")

    page = (results / "a.html").read_text()
    assert done.stdout == "a.html\n"
    assert "first: 4 ranks on 4 nodes" in page
    assert page.count("<script") == 1 and "http://" not in page.replace("http://www.w3.org", "")


@pytest.mark.parametrize("words", ["report a.json --format pdf", "report gone.json", "compare a.json gone.json"])
def test_what_cannot_be_reported_is_refused(results: Path, words: str) -> None:
    assert machine(words).exit_code == 2


def test_a_comparison_gives_a_verdict_on_each_figure(results: Path) -> None:
    done = machine("compare a.json b.json")

    assert done.exit_code == 0
    assert "worse" in done.stdout and "same" in done.stdout
    assert "1.500 [" in done.stdout


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("compare a.json b.json --exit-code", 1),
        ("compare b.json a.json --exit-code", 0),
        ("compare a.json b.json --exit-code --within 60%", 0),
        ("compare a.json b.json --within 100%", 2),
        ("compare a.json b.json --within much", 2),
    ],
)
def test_the_exit_status_tells_whether_a_figure_is_worse(results: Path, words: str, status: int) -> None:
    assert machine(words).exit_code == status


def test_a_comparison_as_json_follows_its_schema(results: Path) -> None:
    printed = json.loads(machine("compare a.json b.json --json").stdout)

    assert schema_faults("machine-compare", printed) == []
    assert [one["verdict"] for one in printed["figures"]] == ["worse", "same"]


def test_a_comparison_becomes_a_test_for_each_figure(results: Path) -> None:
    done = machine("compare a.json b.json --simultaneous --junit tests.xml --exit-code")

    suite = ElementTree.parse(results / "tests.xml").getroot()[0]
    cases = {one.get("name"): one for one in suite.iter("testcase")}
    assert done.exit_code == 1
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "0")
    failure = cases["latency.network.8B"].find("failure")
    assert failure is not None and failure.get("type") == "worse"
    assert (failure.get("message") or "").startswith("worse: latency of latency.network.8B: B / A 1.5000 (97.5 %: 1.4")
    assert cases["latency.network.8B"].get("classname") == "latency"
    assert cases["bandwidth.network.one-way"].find("failure") is None
    assert {one.get("name"): one.get("value") for one in suite.iter("property")}["within"] == "0.05"


def test_a_figure_without_a_verdict_is_a_skipped_test(results: Path) -> None:
    write_result(results / "c.json", made_result(made_bandwidth()))

    machine("compare a.json c.json --junit tests.xml")

    skipped = ElementTree.parse(results / "tests.xml").getroot().find(".//testcase[@name='latency.network.8B']/skipped")
    assert skipped is not None and skipped.get("message") == "not comparable: B does not have it"


def test_nothing_to_compare_is_no_success(results: Path) -> None:
    write_result(results / "c.json", made_result(version=2))

    compared, gated = machine("compare a.json c.json"), machine("compare a.json c.json --exit-code")

    assert (compared.exit_code, gated.exit_code) == (0, 3)
    assert "no figure of c.json can be compared with a.json" in gated.stderr


def test_a_second_measurement_has_to_confirm_a_difference(results: Path) -> None:
    write_result(results / "again.json", made_result(label="again"))

    confirmed = machine("compare a.json b.json --confirm again.json --exit-code")

    assert confirmed.exit_code == 0
    assert "undecided (worse in B, same in C)" in confirmed.stdout
    assert "C: second measurement of B (" in confirmed.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--confirm b.json", "--confirm: expected a second measurement of B, not B itself"),
        ("--confirm gone.json", "gone.json"),
        ("--junit missing/tests.xml", "--junit missing/tests.xml: no such file or directory"),
        ("--junit .", "--junit"),
    ],
)
def test_wrong_options_of_a_comparison_are_refused(results: Path, words: str, message: str) -> None:
    refused = machine(f"compare a.json b.json {words}")

    assert refused.exit_code == 2
    assert message in refused.stderr


MET = 'suite = 1\n[at_most]\n"latency.network.8B" = "41us"\n[at_least]\n"bandwidth.network.one-way" = "11MB/s"\n'


@pytest.mark.parametrize(
    ("criteria", "status", "verdicts"),
    [
        (MET, 0, ["met", "met"]),
        (MET.replace("41us", "40us"), 1, ["undecided", "met"]),
        (MET.replace("41us", "39us"), 1, ["missed", "met"]),
        (MET.replace("11MB/s", "13MB/s"), 1, ["met", "missed"]),
        (MET.replace("network.8B", "node.8B"), 1, ["missing", "met"]),
        (f"nodes = 8\n{MET}", 1, ["met", "met"]),
    ],
)
def test_a_machine_is_accepted_if_all_criteria_are_met(
    results: Path, criteria: str, status: int, verdicts: list[str]
) -> None:
    (results / "criteria.toml").write_text(criteria)

    checked = machine("check a.json criteria.toml --junit tests.xml --json")

    printed = json.loads(checked.stdout)
    assert schema_faults("machine-check", printed) == []
    assert checked.exit_code == status
    assert [one["verdict"] for one in printed["criteria"]] == verdicts
    assert printed["accepted"] is (status == 0)
    failed = ElementTree.parse(results / "tests.xml").getroot().findall(".//failure")
    assert len(failed) == sum(verdict != "met" for verdict in verdicts) + criteria.startswith("nodes")


def test_criteria_are_printed_with_bounds_and_intervals(results: Path) -> None:
    (results / "criteria.toml").write_text(f'about = "Lot 1"\nlaunches = 5\n{MET}')

    text = machine("check a.json criteria.toml").stdout

    assert "Criteria: Lot 1" in text and "Accepted: no" in text
    assert "≤ 41.0" in text and "[39.8, 40.2]" in text and "≥ 11.0" in text
    assert "not accepted: launches: 3; the criteria are for 5 or more" in text


def test_verify_names_a_changed_result(results: Path) -> None:
    text = (results / "a.json").read_text()
    (results / "a.json").write_text(text.replace('"first"', '"third"'))

    assert machine("verify b.json").stdout == "b.json: 1 file is unchanged\n"
    changed = machine("verify a.json")

    assert changed.exit_code == 2
    assert "a.json: the content has changed: its sha256 is" in changed.stderr


def test_verify_names_changed_run_files(results: Path) -> None:
    (results / "survey.jsonl").write_text("changed")
    write_result(results / "machine.json", made_result(sources={"survey.jsonl": "0" * 64}))

    changed = machine("verify .")

    assert changed.exit_code == 3
    assert "machine.json: survey.jsonl has changed" in changed.stderr
