"""`--format summary`: a run or a study in at most ten lines of Markdown."""

import re
import shlex
from pathlib import Path

import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, build_run
from support.commands import CommandResult, invoke
from support.studies import STUDY, FakeLaunches, carry_out, made_run, study_in

import stressbench
from stressbench.console import escaped

JOBS = (MadeJob(name="CG", congestion=1.5), MadeJob(name="Incast", nodes="1"))
HOSTILE = "a`b**c**_d_ @user #12 !3 ~x \x1b[31m https://evil [l](u) <img src=x> &lt; |\n# h"


def call(*arguments: object) -> CommandResult:
    return invoke([*map(str, arguments)])


def summary(*words: object) -> list[str]:
    ended = call(*words, "--format", "summary")
    assert ended.exit_code == 0, ended.output
    return ended.stdout.splitlines()


def written(folder: Path, *, jobs: tuple[MadeJob, ...] = JOBS, complete: bool = True, name: str = "run.jsonl") -> Path:
    plan = MadePlan(blocks=8, repetitions=20)
    machine = MadeMachine(counts_links=True, round_noise=0.0)
    return build_run(jobs=jobs, plan=plan, machine=machine, complete=complete).write(folder, name)


def test_a_run_is_told_in_ten_lines(tmp_path: Path) -> None:
    lines = summary("report", written(tmp_path))

    assert len(lines) == 9
    assert lines[0] == "### StressBench: demo.sb on 8 ranks"
    assert lines[2].startswith("- **What was run:** 2 jobs (CG, Incast) on 2 nodes of 2 hosts, Open MPI 4.1.4; 24 ")
    assert lines[3].startswith("- **Who is slowed:** CG is slowed by more than 5 %. ")
    assert re.match(r"- \*\*By how much:\*\* Contended, CG takes 1\.\d\d× \[1\.\d\d, 1\.\d\d\]", lines[4])
    assert "percentile 95 of CG is 1." in lines[5].replace("Percentile", "percentile")
    assert "s0 → s1" in lines[6]
    assert "above 1.05×, a tail longer above 1.1×" in lines[7]
    assert lines[8] == "- **Reproduce:** `mpirun -n 8 stressbench-mpi run demo.sb --seed 1`"


def test_limits_change_the_verdicts_of_a_run(tmp_path: Path) -> None:
    lines = summary("report", written(tmp_path), "--slowed-above", "3", "--tail-above", "4")

    assert "CG and Incast are not slowed by more than 200 %" in lines[3]
    assert "above 3×, a tail longer above 4×" in lines[7]


def test_an_incomplete_run_says_so(tmp_path: Path) -> None:
    assert ", incomplete rounds," in summary("report", written(tmp_path, complete=False))[2]


def test_many_runs_are_told_in_ten_lines(tmp_path: Path) -> None:
    runs = [written(tmp_path, name=f"run{number}.jsonl") for number in range(9)]

    lines = summary("report", *runs)

    assert len(lines) <= 10
    assert lines[0] == "### StressBench: 9 runs"
    assert lines[2].startswith("- **run0.jsonl:** CG is slowed by more than 5 %.")
    assert any(line.startswith("- **Further runs:** 4: run5.jsonl") for line in lines)


def test_hostile_names_neither_mention_nor_link_nor_mark_up(tmp_path: Path) -> None:
    lines = summary("report", written(tmp_path, jobs=(MadeJob(name=HOSTILE), MadeJob(name="b" * 3000, nodes="1"))))

    text = "\n".join(lines)
    assert len(lines) <= 10
    assert max(map(len, lines)) < 2000
    assert escaped(text) == text
    for mark in ("@user", "#12", "!3", "https://", "](", "<img", "**c**"):
        assert mark not in text, mark
    assert not re.search(r"(?<!\\)`b", text)
    assert "&lt;img" in text
    assert "\n# h" not in text


def test_the_command_repeats_the_run_under_another_id(tmp_path: Path) -> None:
    made = build_run(jobs=JOBS)
    made.header["command"] = ["run", "demo.sb", "--quiet", "--run-id", "20260102T030405Z-0123456789ab", "--seed", "7"]

    line = summary("report", made.write(tmp_path))[-1]

    assert line == "- **Reproduce:** `mpirun -n 8 stressbench-mpi run demo.sb --seed 7`"


def test_a_command_with_backticks_stays_one_command(tmp_path: Path) -> None:
    made = build_run(jobs=JOBS)
    made.header["command"] = ["run", "a`b``c.sb"]

    line = summary("report", made.write(tmp_path))[-1]

    shown = re.fullmatch(r"- \*\*Reproduce:\*\* (`+) (.*) \1", line)
    assert shown is not None
    assert shown[1] == "```"
    assert shlex.split(shown[2])[4:] == ["run", "a`b``c.sb", "--seed", "1"]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    directory = study_in(tmp_path)
    carry_out(directory, FakeLaunches(text=made_run(blocks=8)))
    return directory.path


def test_a_study_is_told_in_ten_lines(study: Path) -> None:
    lines = summary("study", "report", study)

    assert len(lines) <= 10
    assert lines[0] == "### StressBench: made up"
    assert lines[2].startswith("- **What was run:** 12 of 12 runs of 6 cells; placement with 3 values, set.size with 2")
    assert re.match(r"- \*\*Who is slowed:\*\* 6 of 12 results: CG with placement = \S+, set\.size = \dKiB 1", lines[3])
    assert "; and 3 more." in lines[3]
    assert re.match(r"- \*\*Other results:\*\* \d not slowed, \d undecided, 0 without an interval\.", lines[4])
    assert lines[6] == "- **Busiest link:** Unknown: the runs have no link counters."
    assert lines[8] == "- **Reproduce:** `stressbench study run study-1.toml -o again`"


def test_limits_change_the_verdicts_of_a_study(study: Path) -> None:
    lines = summary("study", "report", study, "--slowed-above", "3")

    assert lines[3] == "- **Who is slowed:** No result is shown to be slowed beyond the limit."
    assert lines[4].startswith("- **Other results:** 12 not slowed, 0 undecided")


def test_a_study_without_results_says_so(tmp_path: Path) -> None:
    lines = summary("study", "report", study_in(tmp_path, STUDY).path)

    assert "- **Who is slowed:** Unknown: there is no interval." in lines


def test_a_wrong_limit_is_refused(study: Path) -> None:
    ended = call("study", "report", study, "--slowed-above", "0.5")

    assert ended.exit_code == 2
    assert "--slowed-above 0.5: expected a ratio" in ended.stderr


def test_summaries_from_python(study: Path, tmp_path: Path) -> None:
    run = stressbench.read_run(written(tmp_path))

    assert run.report(format="summary").startswith("### StressBench: demo.sb")
    assert "beyond the limit" in stressbench.read_study(study).report(format="summary", slowed_above=3)
