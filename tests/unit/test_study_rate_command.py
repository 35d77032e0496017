"""A site's own command that sets injection bandwidth: called before runs at a rate, and with 1 however a study ends."""

import os
from pathlib import Path
from typing import Any

import pytest
from support.commands import invoke
from support.fake_site import SCRIPT, Site
from support.studies import WORKLOAD, carry_out, study_in

from stressbench.experiments.study.cell_targets import require_controllable_links
from stressbench.experiments.study.directory import Directory, now, open_directory
from stressbench.experiments.study.launching import RunLauncher
from stressbench.experiments.study.run_states import State, run_states, slowed_networks
from stressbench.formats.study.errors import StudyFault, StudyFileMistake, StudyMistake
from stressbench.formats.study.file import parse_study, study_file_mistakes
from stressbench.formats.study.manifest import LinksRecord
from stressbench.launch import session

STUDY = """\
rate_command = "./set-rate --all"
[factors]
workload = "two.sb"
ranks = 4
rate = ["full", "half", "25%"]
placement = ["linear", "interleaved"]
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    made = Site(folder=tmp_path)
    script = tmp_path / "set-rate"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "prepare", lambda request, environment: "prepared")
    monkeypatch.setattr(session, "run", made.run)
    return made


def launching(directory: Directory, **more: Any) -> RunLauncher:
    return RunLauncher(
        study=directory.study, folder=directory.folder, environment=os.environ,
        note=directory.write, **more,
    )  # fmt: skip


def run_all(directory: Directory, **more: Any) -> None:
    execute = launching(directory, **more)
    with execute.restoring_full_rate():
        carry_out(directory, execute, retries=0)


def argument(rate: str) -> str:
    return {"full": "1", "half": "1/2", "25%": "1/4"}[rate]


def test_it_is_called_once_before_all_runs_at_a_rate_and_with_1_at_the_end(site: Site) -> None:
    directory = study_in(site.folder, STUDY)
    rates = [argument(str(run.cell.rate)) for run in directory.study.runs]

    run_all(directory)

    assert rates[0::2] == rates[1::2]
    assert sorted(rates[::2]) == ["1", "1/2", "1/4"]
    called = [word for rate in rates[::2] for word in (f"--all {rate}", "run", "run")]
    assert site.calls == called + (["--all 1"] if rates[-1] != "1" else [])
    assert slowed_networks(directory.read().records) == {}


def test_each_repetition_has_the_rates_in_another_order() -> None:
    study = parse_study("repetitions = 6\n" + STUDY, source="s.toml")

    passes = [tuple(dict.fromkeys(str(run.cell.rate) for run in study.runs[at : at + 6])) for at in range(0, 36, 6)]

    assert all(sorted(rates) == ["25%", "full", "half"] for rates in passes)
    assert len(set(passes)) > 1


@pytest.mark.parametrize("raised", [KeyboardInterrupt, RuntimeError])
def test_it_is_called_with_1_when_a_run_is_interrupted_or_breaks(site: Site, raised: type[BaseException]) -> None:
    def fail() -> int:
        raise raised

    site.at[1] = fail
    directory = study_in(site.folder, STUDY.replace('["full", "half", "25%"]', '"half"'))

    with pytest.raises(raised):
        run_all(directory)

    assert site.calls == ["--all 1/2", "run", "--all 1"]


def test_it_is_called_with_1_when_runs_fail(site: Site) -> None:
    site.at = dict.fromkeys((1, 2), lambda: 3)
    directory = study_in(site.folder, STUDY.replace('["full", "half", "25%"]', '"half"'))

    run_all(directory)

    assert site.calls == ["--all 1/2", "run", "run", "--all 1"]
    assert {one.state for one in run_states(directory.study.runs, directory.read().records)} == {State.failed}


def test_one_that_fails_ends_the_study_and_is_called_with_1(site: Site) -> None:
    site.refuse("1/4")
    directory = study_in(site.folder, STUDY.replace('["full", "half", "25%"]', '"25%"'))

    with pytest.raises(StudyFault, match=r"rate command `./set-rate --all 1/4` ended with status 7"):
        run_all(directory)

    assert site.calls == ["--all 1/4", "--all 1"]
    assert slowed_networks(directory.read().records) == {}


def test_one_that_cannot_put_back_is_remembered(site: Site) -> None:
    site.refuse("1")
    directory = study_in(site.folder, STUDY.replace('["full", "half", "25%"]', '"25%"'))

    with pytest.raises(StudyFault, match=r"`./set-rate --all 1` ended with status 7"):
        run_all(directory)

    left = slowed_networks(directory.read().records)
    assert {(record.command, record.rate) for record in left.values()} == {("./set-rate --all", "1/4")}


def test_what_a_killed_study_left_slower_is_put_back(site: Site) -> None:
    directory = study_in(site.folder, STUDY)
    directory.write(LinksRecord(run="a-r1", at=now(), on="local", rate="1/4", command="./set-rate --all"))

    launching(directory).restore_full_rates(slowed_networks(directory.read().records).values())

    assert site.calls == ["--all 1"]
    assert slowed_networks(directory.read().records) == {}


def test_who_asks_to_stop_while_it_works_gets_no_more_runs(site: Site) -> None:
    directory = study_in(site.folder, STUDY.replace('["full", "half", "25%"]', '"half"'))

    run_all(directory, is_stopping=lambda: True)

    assert site.calls == ["--all 1/2", "--all 1"]
    assert State.begun in {one.state for one in run_states(directory.study.runs, directory.read().records)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"./set-rate --all"', '""', "s.toml:1: rate_command: "),
        ('"./set-rate --all"', '"echo \'a"', "s.toml:1: rate_command: 'echo 'a': expected a command, its quotes"),
        ('rate = ["full", "half", "25%"]\n', "", "s.toml:1: rate_command: './set-rate --all': there is no rate to set"),
        ("ranks = 4", 'ranks = 4\non = "simgrid:tiny"', "on = simgrid:tiny sets its rates itself"),
        ('rate_command = "./set-rate --all"\n', "", "expected lab:NAME or simgrid:NAME or"),
    ],
)
def test_a_mistake_has_its_line(old: str, new: str, message: str) -> None:
    text = STUDY.replace(old, new)

    with pytest.raises(StudyFileMistake) as caught, study_file_mistakes(text, source="s.toml"):
        require_controllable_links(parse_study(text, source="s.toml"))

    assert message in str(caught.value)


def test_a_program_that_is_not_there_is_refused_before_the_first_run(site: Site) -> None:
    directory = study_in(site.folder, STUDY.replace("./set-rate", "./set-rat"))

    with pytest.raises(StudyMistake, match=r"rate_command: '.*/set-rat': expected a program that can be started"):
        launching(directory).check()


def study(words: str) -> Any:
    return invoke(f"study {words}")


def test_a_person_is_told_what_failed_and_resume_puts_back_and_goes_on(site: Site) -> None:
    (site.folder / "two.sb").write_text(WORKLOAD)
    (site.folder / "s.toml").write_text(STUDY.replace('["full", "half", "25%"]', '"half"'))
    site.refuse("1")

    ended = study("run s.toml -o d")

    assert ended.exit_code == 3
    assert "rate command `./set-rate --all 1` ended with status 7" in ended.stderr
    assert "may still be 1/2 of the full rate: `./set-rate --all 1` restores it" in ended.stderr
    site.refuse("none")
    resumed = study("resume d")
    assert resumed.exit_code == 0
    assert site.calls == ["--all 1/2", "run", "run", "--all 1", "--all 1"]
    assert slowed_networks(open_directory(Path("d")).read().records) == {}


def test_runs_at_once_are_refused(site: Site) -> None:
    (site.folder / "two.sb").write_text(WORKLOAD)
    (site.folder / "s.toml").write_text(STUDY)

    ended = study("run s.toml -o d --jobs 2")

    assert ended.exit_code == 2
    assert "--jobs 2: rate_command sets one rate for all that runs; expected 1" in ended.stderr
