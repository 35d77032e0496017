"""`stressbench degrade` as a person meets it, with stand-ins for labs, ranks and the site's rate command."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.builders import MadeJob, MadeStep
from support.commands import invoke
from support.fake_lab import FakeLab
from support.fake_site import SCRIPT, Site
from support.studies import made_run

from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.run_states import slowed_networks
from stressbench.formats.study.file import read_study
from stressbench.formats.units import RateShare
from stressbench.launch import session
from stressbench.launch.errors import LinkMistake
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.targets import registered

WORKLOAD = "[JOB_NAME] halo\n[NODES] 1\n[MOTIF] halo2d\n"
HOOK = "--on local -n 2 --rate-command './set-rate --all'"


class Tiny(FakeLab):
    """A lab whose links can be slowed to a quarter and no further."""

    def target(self, on: str, *, rate: RateShare | None = None, rails: int | None = None, **_: object) -> LaunchTarget:
        if rate is not None and str(rate) not in ("1", "full", "1/2", "1/4"):
            raise LinkMistake(on=on, factor="rate", explanation=f"{rate}: lab tiny's link h0-s0 would have 1kbit")
        return super().target(on, rate=rate, rails=rails)


@pytest.fixture
def lab() -> Tiny:
    return Tiny()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lab: Tiny) -> Iterator[Site]:
    made = Site(folder=tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.sb").write_text(WORKLOAD)
    (tmp_path / "set-rate").write_text(SCRIPT)
    (tmp_path / "set-rate").chmod(0o755)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "prepare", lambda request, environment: "prepared")
    monkeypatch.setattr(session, "run", made.run)
    with registered(lab=lab):
        yield made


def degrade(words: str) -> Any:
    return invoke(f"degrade {words}")


def test_a_dry_run_is_what_plan_was_and_needs_no_directory(site: Site) -> None:
    words = "one.sb two.sb --rates 1,1/4 --runs 2 --seed 3"

    for more in ("", " --json"):
        dry = degrade(f"run {words} --dry-run{more}")
        assert (dry.exit_code, dry.stdout) == (0, degrade(f"plan {words}{more}").stdout)
    assert "4 cells, 8 runs, in the order of seed 3:" in degrade(f"run {words} --dry-run").stdout
    assert site.calls == []
    assert not list(Path().glob("*/runs"))


def test_only_a_dry_run_needs_no_directory(site: Site) -> None:
    ended = degrade("run one.sb")

    assert ended.exit_code == 2
    assert "-o/--output DIR is missing" in ended.stderr


def test_the_study_file_of_a_sweep_reads_as_the_same_study(site: Site) -> None:
    words = "one.sb two.sb --rates 1,1/2 -n 2,4 --nodes n --set 'p=a \"b\"' --place interleaved --min-time 10ms"
    assert degrade(f"run {words} -o d").exit_code == 0

    found = open_directory(Path("d")).study
    listed = json.loads(degrade(f"run {words} --dry-run --json").stdout)
    assert [(cell.id, dict(cell.values)) for cell in found.cells] == [
        (cell["cell"], cell["values"]) for cell in listed["cells"]
    ]
    assert str(found.run.min_time) == "10ms"
    assert {cell.values["set.p"] for cell in found.cells} == {'a "b"'}


def planned(words: str) -> dict[str, Any]:
    return json.loads(degrade(f"plan {words} --json").stdout)


def cells(values: dict[str, Any], *names: str) -> list[tuple[str | None, ...]]:
    return sorted(tuple(cell["values"].get(name) for name in names) for cell in values["cells"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run gone.sb -o d", "gone.sb: no such file; expected a workload"),
        ("run one.sb -o d --rates 1,1/2,1/16", "--rates: 1/16: lab tiny's link h0-s0 would have 1kbit"),
        ("run one.sb -o d --rates 1,half,1/2", "--rates: '1/2' equals half; expected each rate once"),
        ("run one.sb -o d --rates 1/2,1/4", "--rates: 1/2,1/4: expected 1 and a smaller one at least"),
        ("run one.sb -o d --rates 1", "--rates: 1: expected 1 and a smaller one"),
        ("run one.sb -o d --rates 1,2/1", "--rates: '2/1': expected shares of the full rate"),
        ("run one.sb -o d --rates 1,0/2", "--rates: '0/2': expected shares"),
        ("run one.sb -o d --rates 1,fast", "--rates: 'fast': expected shares of the full rate, such as 1,1/2,1/4,1/8"),
        (
            "run one.sb -o d --on local",
            "--rates: full, 1/2, 1/4, 1/8: link rates cannot be controlled on local; expected lab:",
        ),
        ("run one.sb -o d -n 2,x", "-n: 'x': expected numbers of ranks, each once, such as 2,4,8"),
        ("run one.sb -o d -n 2,2", "-n: '2': expected numbers of ranks, each once"),
        ("run one.sb -o d -n 0", "-n: '0': expected numbers of ranks"),
        ("run one.sb -o d --nodes n", "--nodes n: needs the numbers of ranks, such as -n 2,4"),
        ("run one.sb -o d -n 3 --ranks-per-node 2 --nodes n", "-n: 3 ranks are not a whole number of nodes of 2"),
        ("run one.sb -o d -n 2 --nodes n --set n=1", "--nodes n: has a value of --set; expected one of the two"),
        ("run one.sb -o d --set n", "--set n: expected NAME=VALUE"),
        ("run one.sb -o d --set 1n=2", "--set 1n=2: expected NAME=VALUE"),
        ("run one.sb -o d --set n=1 --set n=1", "--set n=1: is given twice"),
        ("run one.sb -o d --isolated 0", "--isolated 0: expected isolated rounds, or --contended N"),
        ("run one.sb -o d --min-time 60", "--min-time: '60': expected a time with its unit"),
        ("run one.sb -o d --place up", "--place: 'up': expected linear, interleaved or random:SEED"),
        ("run one.sb -o d --time-limit 60", "--time-limit: '60': expected a time with its unit"),
        ("run one.sb -o d --jobs 2", "--jobs 2: runs on lab:fast would share cores and links"),
        ("run one.sb -o d --rate-command ./set-rate", "--rate-command: needs --on, such as --on slurm"),
        ("run one.sb -o d --on simgrid:tiny --rate-command ./set-rate", "--rate-command: './set-rate': on = simgrid"),
        ("run one.sb -o d --on local -n 2 --rate-command ./gone", "expected a program that can be started"),
        (f"run one.sb -o d {HOOK} --jobs 2", "--jobs 2: rate_command sets one rate for all that runs"),
        ("run one.sb -o one.sb --rates 1,1/2", "one.sb/runs: not a directory"),
        ("plan one.sb --rates 1", "--rates: 1: expected 1 and a smaller one"),
        ("report empty", "empty holds no study"),
        ("report empty --format pdf", "--format: unknown format 'pdf'; known: csv, html, json, latex, md, text"),
        ("report empty --at-most much", "--at-most much: expected a share such as 2% or 0.02"),
        ("report empty --gflops-per-node 0", "--gflops-per-node 0: expected a number above 0"),
        ("report empty --injection -1", "--injection -1: expected a number above 0"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2_and_nothing_starts(site: Site, words: str, message: str) -> None:
    ended = degrade(words)

    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())
    assert site.calls == []


def test_rates_and_ranks_and_variables_are_factors(site: Site) -> None:
    values = planned("one.sb two.sb --rates 1,50% -n 2,4 --nodes n --set p=a --set p=b --set q=1")

    assert cells(values, "workload", "rate", "ranks", "set.n", "set.p", "set.q") == sorted(
        (workload, rate, ranks, ranks, p, "1")
        for workload in ("one.sb", "two.sb") for rate in ("full", "1/2") for ranks in ("2", "4") for p in "ab"
    )  # fmt: skip
    assert {cell["values"]["on"] for cell in values["cells"]} == {"lab:fast"}


def test_rates_are_the_paper_s_without_a_word(site: Site) -> None:
    assert cells(planned("one.sb"), "rate") == [("1/2",), ("1/4",), ("1/8",), ("full",)]


def test_nodes_are_so_many_ranks_each(site: Site) -> None:
    values = planned("one.sb -n 4,8 --ranks-per-node 2 --nodes n --place interleaved")

    assert set(cells(values, "ranks", "set.n", "ranks_per_node", "placement")) == {
        ("4", "2", "2", "interleaved"), ("8", "4", "2", "interleaved")
    }  # fmt: skip


def test_how_often_and_how_long_reaches_the_study(site: Site) -> None:
    ended = degrade(
        "run one.sb -n 2 -o d --rates 1,1/2 --isolated 3 --contended 2 --repetitions 5 --min-time 10ms "
        "--runs 2 --seed 7"
    )

    assert ended.exit_code == 0, ended.stderr
    study = open_directory(Path("d")).study
    run = study.run
    assert (run.isolated, run.contended, run.repetitions, str(run.min_time)) == (3, 2, 5, "10ms")
    assert (study.repetitions, study.seed, len(study.runs)) == (2, 7, 4)


def test_jobs_are_measured_alone_unless_asked_otherwise(site: Site) -> None:
    degrade("run one.sb -n 2 -o d --rates 1,1/2")

    assert (open_directory(Path("d")).study.run.isolated, open_directory(Path("d")).study.run.contended) == (10, 0)


def test_what_comes_out_is_a_study(site: Site) -> None:
    assert degrade("run one.sb -n 2 -o d --rates 1,1/2").exit_code == 0

    for words in ("status d", "report d", "pack d -o d.tar.gz", "verify d.tar.gz", "verify d", "resume d"):
        ended = invoke(f"study {words}")
        assert ended.exit_code == 0, ended.stderr


def test_the_same_command_with_more_rates_goes_on(site: Site) -> None:
    degrade("run one.sb -n 2 -o d --rates 1,1/2")

    ended = degrade("run one.sb -n 2 -o d --rates 1,1/2,1/4")

    assert ended.exit_code == 0
    assert ended.stderr.count(" starts: ") == 1


def test_the_rate_command_is_called_before_runs_and_with_1_at_the_end(site: Site) -> None:
    ended = degrade(f"run one.sb two.sb -o d {HOOK} --rates 1,1/2,1/4")

    assert ended.exit_code == 0, ended.stderr
    rates = [call for call in site.calls if call != "run"]
    assert sorted(set(rates)) == ["--all 1", "--all 1/2", "--all 1/4"]
    assert rates[-1] == "--all 1"
    assert site.calls.count("run") == 6


def test_the_rate_command_is_called_with_1_after_ctrl_c(site: Site) -> None:
    def press() -> int:
        signal.raise_signal(signal.SIGINT)
        return 130

    site.at = dict.fromkeys(range(1, 5), press)
    rates = degrade(f"run one.sb -o d {HOOK} --rates 1,1/2,1/4")

    assert rates.exit_code == 130
    assert site.launched == 1
    assert site.calls[-1] == "--all 1" or site.calls == ["--all 1", "run"]
    assert slowed_networks(open_directory(Path("d")).read().records) == {}


def test_a_rate_command_that_fails_ends_the_study_with_its_name_and_status(site: Site) -> None:
    site.refuse("1/2")

    ended = degrade(f"run one.sb two.sb -o d {HOOK} --rates 1,1/2")

    assert ended.exit_code == 3
    assert "rate command `./set-rate --all 1/2` ended with status 7" in ended.stderr
    assert site.calls[-2:] == ["--all 1/2", "--all 1"]
    site.refuse("none")
    assert invoke("study resume d").exit_code == 0
    assert site.calls.count("run") == 4


def slower(site: Site, lab: Tiny, factors: dict[str, float]) -> None:
    """The lab's links decide how long the made job takes."""

    def run(prepared: object, *, run_file: Path) -> Any:
        rate = lab.events[-1].split()[1]
        step = MadeStep(motif="halo2d", time_s=1e-3 * factors[rate])
        answer = Site(folder=site.folder).run(prepared, run_file=run_file)
        run_file.write_text(made_run(jobs=(MadeJob(name="halo", nodes="0", steps=(step,)),)))
        return answer

    session.run = run  # the fixture's monkeypatch undoes it


def test_the_report_tells_factors_and_how_much_is_needed(site: Site, lab: Tiny) -> None:
    slower(site, lab, {"full": 1.0, "1/2": 1.01, "1/4": 3.0})
    assert degrade("run one.sb -n 2 -o d --rates 1,1/2,1/4").exit_code == 0

    text = degrade("report d").stdout
    values = json.loads(degrade("report d --format json --at-most 30% --motifs").stdout)
    full = degrade("report d --at-most 250% --format json")
    balance = degrade("report d --gflops-per-node 100 --injection 2 --format md -o r.md")

    assert "Injection bandwidth: one" in text
    assert [one["step"] for one in values["curves"]] == [None, 0]
    points = values["curves"][0]["points"]
    assert [point["factor"]["ratio"] for point in points] == pytest.approx([1.0, 1.01, 3.0], rel=0.05)
    assert [point["suffices"] for point in points] == ["yes", "yes", "no"]
    assert (values["curves"][0]["needs"], values["at_most"], values["time"]) == ("1/2", 0.3, "isolated")
    assert full.exit_code == 2
    assert balance.stdout == "r.md\n"
    assert "| 1/4 | 0.5 | 0.005 | 4 |" in Path("r.md").read_text()
    assert degrade("report d --at-most 30% --format html -o d.html").stdout == "d.html\n"
    page = Path("d.html").read_text(encoding="utf-8")
    assert "Slowdown of jobs on 2 ranks with reduced bandwidth" in page and "1/2 of it suffices" in page
    contended = json.loads(degrade("report d --time contended --format json").stdout)
    assert contended["curves"][0]["points"][0]["rounds"] == 6


def test_the_report_refuses_a_study_without_rates_and_a_file_that_cannot_be_written(site: Site) -> None:
    Path("s.toml").write_text('[factors]\nworkload = "one.sb"\nranks = 2\n')
    invoke("study run s.toml -o plain")
    degrade("run one.sb -n 2 -o d --rates 1,1/2")

    refused, lost = degrade("report plain"), degrade("report d -o gone/r.txt")

    assert (refused.exit_code, lost.exit_code) == (2, 2)
    assert "the study compares no rates; expected factors.rate" in refused.stderr
    assert "--output: gone/r.txt: no such file or directory" in lost.stderr.lower()


def test_help_teaches_by_example() -> None:
    for command in ("run", "plan", "report"):
        text = degrade(f"{command} --help").stdout
        assert f"    stressbench degrade {command} " in text
        assert "Exit status:" in text


def test_the_workload_that_ships_has_all_patterns_of_its_study() -> None:
    checkout = Path(__file__).parents[2]
    study, _ = read_study(checkout / "studies" / "lab" / "degrade.toml")

    patterns = {dict(cell.sets)["pattern"] for cell in study.cells}

    assert patterns == {path.stem.removeprefix("degrade-") for path in (checkout / "workloads/parts").glob("degrade-*")}
    assert {(cell.ranks, dict(cell.sets)["nodes"]) for cell in study.cells} == {(2, "2"), (4, "4")}
