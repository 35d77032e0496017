"""`stressbench degrade run -- CMD` as a person meets it, with stand-ins for labs, ranks and the site's rate command."""

import csv
import io
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.commands import invoke
from support.fake_lab import FakeLab
from support.fake_launcher import put
from support.fake_site import SCRIPT, Site

from stressbench.experiments.sweep.rates.injection import Injection
from stressbench.experiments.sweep.rates.program import Condition, launch_order
from stressbench.formats.launches.rates import read_launches
from stressbench.formats.units import RateShare
from stressbench.launch import program as launching
from stressbench.launch.errors import LinkMistake
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.simgrid import SimulatedLabs, SimulatedTarget
from stressbench.launch.targets import registered
from stressbench.suites.hpcc import hpcc_input

ONE = Fraction(1)
FOM = ("--fom", r"GF=GF: (\S+)")
SUMMARY = """\
Begin of Summary section.
CommWorldProcs={ranks}
Success={success}
HPL_Tflops={tflops}
PTRANS_GBs=0.5
MPIRandomAccess_LCG_GUPs=9
MPIRandomAccess_GUPs=0.001
MPIFFT_Gflops=0.25
RandomlyOrderedRingLatency_usec=40
RandomlyOrderedRingBandwidth_GBytes=0.01
StarHPL_Tflops=9
End of Summary section.
"""


class Lab(FakeLab):
    """Whose links can be slowed to an eighth and no further."""

    def target(self, on: str, *, rate: RateShare | None = None, rails: int | None = None, **_: object) -> LaunchTarget:
        if str(rate) == "1/16":
            raise LinkMistake(on=on, factor="rate", explanation=f"{rate}: lab tiny's link h0-s0 would have 1kbit")
        return super().target(on, rate=rate, rails=rails)


class Simulated(FakeLab):
    properties = SimulatedLabs.properties

    def target(self, on: str, **_: object) -> LaunchTarget:
        return SimulatedTarget(name="tiny", hosts=(), platform="", source="", folder=Path())


class Machine:
    """Launches by rate and ranks. `says` gives status, output and requests to stop; `writes` what lies in a file."""

    def __init__(self, folder: Path, lab: Lab) -> None:
        self.lab = lab
        self.site = Site(folder=folder)
        self.started: list[tuple[str, int]] = []
        self.seen: list[tuple[tuple[str, ...], Path, str | None]] = []
        self.says: Callable[[str, int], tuple[int, str, int]] = lambda rate, ranks: (0, "GF: 8", 0)
        self.writes: dict[str, Callable[[int], str]] = {}

    @property
    def rate(self) -> str:
        """As it was set last, by whoever does."""
        commanded = [call.removeprefix("--all ") for call in self.site.calls if call != "run"]
        return commanded[-1] if commanded else self.lab.events[-1].split()[1] if self.lab.events else "none"

    def run(self, words: tuple[str, ...], *, folder: Path, ranks: int, **_: object) -> Outcome:
        self.started.append((self.rate, ranks))
        inputs = folder / "hpccinf.txt"
        self.seen.append((words, folder, inputs.read_text() if inputs.exists() else None))
        for name, text in self.writes.items():
            assert not (folder / name).exists()
            (folder / name).write_text(text(ranks))
        status, output, stops = self.says(self.rate, ranks)
        return Outcome(
            status=status, output=output, stop_requests=stops, errors="", rank_of=(), began_s=10.0,
            ended_s=10.0 + {"full": 1, "1": 1, "1/2": 2, "1/4": 4, "1/8": 8}[self.rate],
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    lab = Lab(events=[])
    made = Machine(tmp_path, lab)
    put(tmp_path / "set-rate", SCRIPT)
    (tmp_path / "one.sb").write_text("[JOB_NAME] a\n[NODES] 1\n[MOTIF] halo2d\n")
    (tmp_path / "there.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launching, "command_of", lambda *words, **how: None)
    monkeypatch.setattr(launching, "run_program", made.run)
    with registered(lab=lab, simgrid=Simulated()):
        yield made


def degrade(*words: str) -> Any:
    typed = words if len(words) > 1 else words[0].split()
    return invoke(["degrade", *typed])


def done(folder: str = "d") -> list[tuple[str, int]]:
    return [(one.rate, one.ranks) for one in read_launches(Path(folder) / "launches.jsonl").done]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run -o d -- app", "-n is missing, for example -n 8"),
        ("run -o d -n 2,x -- app", "-n: 'x': expected numbers of ranks, each once"),
        ("run -o d -n 2 --rates 1,1/16 -- app", "--rates: 1/16: lab tiny's link h0-s0 would have 1kbit"),
        ("run -o d -n 2 --rates 1/2 -- app", "--rates: 1/2: expected 1 and a smaller one at least"),
        (
            "run -o d -n 2 --on local -- app",
            "--on local: link rates cannot be controlled on this target; expected lab:NAME there, or --rate-com",
        ),
        ("run -o d -n 2 --rate-command ./set-rate -- app", "--rate-command: needs --on"),
        ("run -o d -n 2 --on local --rate-command ./gone -- app", "expected a program that can be started"),
        ("run -o d -n 2 --set a=b -- app", "--set: is for workloads, and app is a program; leave it out"),
        ("run -o d -n 2 --nodes k -- app", "--nodes: is for workloads, and app is a program"),
        ("run -o d -n 2 --place linear -- app", "--place: is for workloads"),
        ("run -o d -n 2 --ranks-per-node 2 -- app", "--ranks-per-node: is for workloads"),
        ("run -o d -n 2 --isolated 4 -- app", "--isolated: is for workloads"),
        ("run -o d -n 2 --contended 4 -- app", "--contended: is for workloads"),
        ("run -o d -n 2 --repetitions 4 -- app", "--repetitions: is for workloads"),
        ("run -o d -n 2 --min-time 4s -- app", "--min-time: is for workloads"),
        ("run -o d -n 2 --retries 4 -- app", "--retries: is for workloads"),
        ("run -o d -n 2 --time-limit 4s -- app", "--time-limit: is for workloads"),
        ("run -o d -n 2 --jobs 4 -- app", "--jobs: is for workloads"),
        (
            "run -o d -n 2 --compete --link 1Gbit -- app",
            "--compete: is for workloads, whose nodes it can share, and app",
        ),
        (
            "run -o d -n 2,4 --rates 1,1/2 --runs 25001 -- app",
            "--runs: 4 conditions, 25001 times each: expected at most 100000 launches",
        ),
        ("run -o d -n 2 --runs 1000000000000 -- app", "000 times each: expected at most 100000 launches"),
        ("run one.sb -o d --runs 1000000000", "--runs: 4 cells, 1000000000 times each: expected at most 100000 runs"),
        ("run one.sb app -o d -n 2", "one.sb: is a workload, but app is not; expected workloads, or a program"),
        ("run -o d -n 2 --fom GF -- app", "--fom GF: expected NAME=REGEX"),
        ("run -o d -n 2 --fom G=(x)(y) -- app", "--fom G=(x)(y): 2 groups; expected one, around the number"),
        ("run -o d -n 2 --fom-lower L=x -- app", "--fom-lower L=x: 0 groups; expected one, around the number"),
        ("run -o d -n 2 --fom L=(x) --fom-lower L=(y) -- app", "--fom-lower L=(y): L is given twice"),
        ("run -o d -n 2 --hpcc --fom HPL_Tflops=(x) -- hpcc", "--fom HPL_Tflops=(x): HPL_Tflops is given twice"),
        ("run -o d -n 2 --fom-file f -- app", "--fom-file f: needs --fom"),
        ("run -o d -n 2 --fom L=(x) --fom-file there.txt -- app", "--fom-file: there.txt already exists, and would"),
        ("run -o d -n 2 --hpcc --fom-file f -- hpcc", "--fom-file f: --hpcc reads hpccoutf.txt; leave one of the two"),
        ("run -o d -n 2 --hpcc-n 5 -- hpcc", "--hpcc-n 5: requires --hpcc"),
        ("run -o d -n 2 --hpcc --hpcc-n 0 -- hpcc", "--hpcc-n 0: expected an order of a system of equations"),
        ("run -o there.txt -n 2 -- app", "--output: there.txt already exists; a program's launches begin in a new"),
        ("run one.sb -o d --fom L=(x)", "--fom: is for programs; workloads are measured by the engine"),
        ("run one.sb -o d --fom-lower L=(x)", "--fom-lower: is for programs"),
        ("run one.sb -o d --fom-file f", "--fom-file: is for programs"),
        ("run one.sb -o d --hpcc", "--hpcc: is for programs"),
        ("run one.sb -o d --hpcc-n 0", "--hpcc-n: is for programs"),
        ("plan -n 2 -- app", "app: plans are of workloads, whose names end in .sb"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2_and_nothing_starts(
    machine: Machine, words: str, message: str
) -> None:
    ended = degrade(words)

    assert ended.exit_code == 2, ended.output
    assert message in " ".join(ended.stderr.split())
    assert ended.stderr.count("stressbench: ") == 1
    assert (machine.started, machine.lab.events, machine.site.calls) == ([], [], [])


def test_a_simulation_is_no_place_for_a_program(machine: Machine) -> None:
    ended = degrade("run -o d -n 2 --on simgrid:tiny -- app")

    assert ended.exit_code == 2
    assert "--on simgrid:tiny: a simulation runs only workloads; expected lab:NAME" in ended.stderr


def test_each_rate_and_number_of_ranks_has_its_launches_in_random_order(machine: Machine) -> None:
    ended = degrade("run", "-o", "d", "-n", "2,4", "--rates", "1,1/2,1/4", "--runs", "3", *FOM, "--", "./app", "a b")

    assert ended.exit_code == 0, ended.stderr
    turns = launch_order((ONE, ONE / 2, ONE / 4), (2, 4), runs=3, seed=1, grouped_by_rate=False)
    assert done() == [(str(one.rate), one.ranks) for one, _ in turns]
    assert [(rate.replace("full", "1"), ranks) for rate, ranks in machine.started] == done()
    passes = [done()[at : at + 6] for at in (0, 6, 12)]
    assert len({tuple(one) for one in passes}) > 1
    assert len({tuple(sorted(one)) for one in passes}) == 1
    assert machine.seen[0][0] == (str(Path("app").absolute()), "a b")
    plan = read_launches(Path("d/launches.jsonl")).plan
    assert (plan.command, plan.on, plan.figures) == (("./app", "a b"), "lab:fast", {"GF": r"GF: (\S+)"})


def test_links_carry_all_again_at_the_end(machine: Machine) -> None:
    degrade("run -o d -n 2 --rates 1,1/4 --runs 2 -- app")

    assert machine.lab.events[-1] == "lab:fast full"
    assert "lab:fast 1/4" in machine.lab.events


def test_four_launches_of_each_rate_are_made_without_a_word(machine: Machine) -> None:
    degrade("run -o d -n 2 --rates 1,1/4 -- app")

    assert sorted(done()) == [("1", 2)] * 4 + [("1/4", 2)] * 4


def test_launches_of_a_rate_follow_each_other_where_a_command_sets_it(machine: Machine) -> None:
    ended = degrade("run", "-o", "d", "-n", "2,4,8", "--on", "local", "--rates", "1,1/2,1/4", "--runs", "2",
                    "--rate-command", "./set-rate --all", "--", "app")  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    rates = [rate for rate, _ in done()]
    assert all(len(set(rates[at : at + 3])) == 1 for at in range(0, 18, 3))
    changes = [rate for rate, before in zip(rates, [None, *rates], strict=False) if rate != before]
    back = [] if changes[-1] == "1" else ["1"]
    assert machine.site.calls == [f"--all {rate}" for rate in [*changes, *back]]
    assert machine.started == done()


@pytest.mark.parametrize("how", ["stopped", "fails to start", "cannot set 1/2"])
def test_the_full_rate_comes_back_however_it_ends(machine: Machine, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    def gone(*words: Any, **more: Any) -> Outcome:
        if machine.rate == "1/2":
            raise RuntimeError
        return machine.run(*words, **more)

    machine.says = lambda rate, ranks: (130, "", 1) if rate == "1/2" else (0, "", 0)
    if how == "fails to start":
        monkeypatch.setattr(launching, "run_program", gone)
    if how == "cannot set 1/2":
        machine.site.refuse("1/2")

    ended = degrade("run", "-o", "d", "-n", "2", "--on", "local", "--rates", "1,1/2", "--rate-command",
                    "./set-rate --all", "--", "app")  # fmt: skip

    assert ended.exit_code == {"stopped": 130, "fails to start": 1, "cannot set 1/2": 3}[how]
    assert machine.site.calls[-2:] == ["--all 1/2", "--all 1"]


def test_a_rate_that_cannot_be_put_back_is_told_with_what_a_person_can_do(machine: Machine) -> None:
    machine.lab.refuses = "full"

    ended = degrade("run -o d -n 2 --rates 1/4,1 --runs 1 --seed 1 -- app")

    assert ended.exit_code == 3
    said = " ".join(ended.stderr.split())
    assert "lab:fast 1/4" in machine.lab.events
    assert "may still be 1/4 of the full rate: `stressbench lab set all rate=full --lab fast` restores it" in said
    assert "lab:fast is gone" in said


def test_a_rate_is_set_once_and_the_full_one_last() -> None:
    rates: list[Fraction] = []
    injection = Injection(apply=rates.append, manual_command="nothing")

    with injection.restoring_full_rate():
        for rate in (ONE / 2, ONE / 2, ONE, ONE / 4):
            injection.set(rate)
    assert rates == [ONE / 2, ONE, ONE / 4, ONE]
    with injection.restoring_full_rate():
        injection.set(ONE)

    assert rates == [ONE / 2, ONE, ONE / 4, ONE]


def test_who_asks_to_stop_while_the_rate_is_set_gets_no_launch(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(on: str, share: Fraction) -> None:
        machine.lab.events.append(f"{on} {share}")
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(machine.lab, "set_rate", press)

    ended = degrade("run -o d -n 2 --rates 1,1/4 -- app")

    assert ended.exit_code == 130
    assert "stopped; `stressbench degrade report d` shows what was measured before" in ended.stderr
    assert machine.started == []
    assert machine.lab.events[-1] == "lab:fast 1"


def test_a_launch_that_fails_is_told_and_does_not_count(machine: Machine) -> None:
    machine.says = lambda rate, ranks: (7 if rate == "1/4" else 0, "GF: 8", 0)

    ended = degrade("run", "-o", "d", "-n", "2", "--rates", "1,1/4", "--runs", "2", *FOM, "--", "app")

    assert ended.exit_code == 3
    assert "app ended with status 7 under rate 1/4 on 2 ranks" in ended.stderr
    found = json.loads(degrade("report d --format json").stdout)
    assert (found["planned"], found["done"], found["time"]) == (4, 2, "launches")
    assert "2 launches failed and do not count" in found["notes"]


def test_figures_stand_in_a_file_that_goes_before_each_launch(machine: Machine) -> None:
    machine.writes["f.txt"] = lambda ranks: f"GF: {ranks}\n"
    machine.says = lambda rate, ranks: (0, "GF: 99", 0)

    ended = degrade("run", "-o", "d", "-n", "2,4", "--rates", "1,1/2", "--runs", "2", *FOM, "--fom-file", "f.txt",
                    "--", "app")  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    launches = read_launches(Path("d/launches.jsonl"))
    assert [one.figures["GF"] for one in launches.done] == [ranks for _, ranks in done()]
    assert launches.plan.figures_from == "f.txt"


def test_a_figure_that_is_never_found_ends_it_at_once_with_its_place(machine: Machine) -> None:
    ended = degrade("run", "-o", "d", "-n", "2", *FOM, "--fom-file", "f.txt", "--", "app")

    assert ended.exit_code == 3
    assert r"--fom GF: 'GF: (\S+)' finds no number in f.txt; d/launches.jsonl has the launches so far" in " ".join(
        ended.stderr.split()
    )
    assert len(machine.started) == 1


def hpcc(machine: Machine, *, success: int = 1, ranks: int | None = None) -> None:
    tflops = {"full": 8e-3, "1/2": 4e-3, "1/4": 1e-3}
    machine.writes["hpccoutf.txt"] = lambda here: SUMMARY.format(
        ranks=ranks or here, success=success, tflops=tflops[machine.rate]
    )


def test_hpcc_gets_an_input_for_its_ranks_in_a_folder_that_goes(machine: Machine) -> None:
    hpcc(machine)

    ended = degrade("run -o d -n 2,4 --rates 1,1/2,1/4 --runs 1 --hpcc -- hpcc")

    assert ended.exit_code == 0, ended.stderr
    assert [text for _, _, text in machine.seen] == [hpcc_input(n=1000, ranks=ranks) for _, ranks in done()]
    assert {folder.parent for _, folder, _ in machine.seen} == {Path.cwd()}
    assert not any(folder.exists() for _, folder, _ in machine.seen)
    assert not Path("hpccoutf.txt").exists()
    values = json.loads(degrade("report d --format json").stdout)
    curves = {(one["job"], one["ranks"]): one for one in values["curves"]}
    assert {name: one["better"] for (name, _), one in curves.items()} == {
        "wall time": "less", "HPL_Tflops": "more", "PTRANS_GBs": "more", "MPIRandomAccess_GUPs": "more",
        "MPIFFT_Gflops": "more", "RandomlyOrderedRingBandwidth_GBytes": "more",
        "RandomlyOrderedRingLatency_usec": "less",
    }  # fmt: skip
    points = curves["HPL_Tflops", 4]["points"]
    assert [point["value"] for point in points] == [8e-3, 4e-3, 1e-3]
    assert [point["factor"]["ratio"] for point in points] == pytest.approx([1, 2, 8])
    assert curves["MPIRandomAccess_GUPs", 2]["points"][0]["value"] == 0.001


def test_hpcc_may_have_an_input_of_its_own(machine: Machine) -> None:
    hpcc(machine)
    Path("hpccinf.txt").write_text("mine")
    refused = degrade("run -o d -n 2 --rates 1,1/2 --runs 1 --hpcc --hpcc-n 500 -- hpcc")

    ended = degrade("run -o d -n 2 --rates 1,1/2 --runs 1 --hpcc -- ./hpcc")
    again = degrade("run -o e -n 2 --rates 1,1/2 --runs 1 --hpcc -- ./hpcc")

    assert "--hpcc-n 500: hpccinf.txt exists and sets its own N" in refused.stderr
    assert ended.exit_code == 0, ended.stderr
    assert {(folder, text) for _, folder, text in machine.seen} == {(Path.cwd(), "mine")}
    assert again.exit_code == 2
    assert "--hpcc: hpccoutf.txt already exists, and would be removed before each launch" in again.stderr


def test_hpcc_has_the_order_that_was_asked_for(machine: Machine) -> None:
    hpcc(machine)

    degrade("run -o d -n 2 --rates 1,1/2 --runs 1 --hpcc --hpcc-n 640 -- ./hpcc")

    assert machine.seen[0] == (
        (str(Path("hpcc").absolute()),), machine.seen[0][1], hpcc_input(n=640, ranks=2)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"success": 0}, "--hpcc: hpcc reports that one of its tests failed (Success=0)"),
        ({"ranks": 1}, "--hpcc: hpcc ran on 1 of 2 ranks; is it built with the engine's MPI?"),
    ],
)
def test_what_hpcc_itself_does_not_believe_ends_it_at_once(
    machine: Machine, wrong: dict[str, int], message: str
) -> None:
    hpcc(machine, **wrong)

    ended = degrade("run -o d -n 2 --rates 1,1/2 --hpcc -- hpcc")

    assert ended.exit_code == 3
    assert message in " ".join(ended.stderr.split())
    assert len(machine.started) == 1
    assert machine.lab.events[-1] == "lab:fast full"


def measured(machine: Machine) -> None:
    """GFLOP/s halve with the rate, latency stays."""
    figures = {"full": 8, "1/2": 4, "1/4": 2}
    machine.says = lambda rate, ranks: (0, f"GF: {figures[rate]}\nL: 5", 0)
    ended = degrade("run", "-o", "d", "-n", "2", "--rates", "1,1/2,1/4", "--runs", "4", *FOM, "--fom-lower",
                    r"L=L: (\S+)", "--", "app")  # fmt: skip
    assert ended.exit_code == 0, ended.stderr


def test_the_report_of_a_program_has_the_tables_of_jobs(machine: Machine) -> None:
    measured(machine)

    found = json.loads(degrade("report d --format json --at-most 10%").stdout)

    wall, gflops, latency = found["curves"]
    assert [one["job"] for one in found["curves"]] == ["wall time", "GF", "L"]
    assert [point["time_s"] for point in wall["points"]] == [1, 2, 4]
    assert [point["factor"]["ratio"] for point in wall["points"]] == pytest.approx([1, 2, 4])
    assert [point["time_s"] for point in gflops["points"]] == [None] * 3
    assert [point["factor"]["ratio"] for point in gflops["points"]] == pytest.approx([1, 2, 4])
    assert [point["ratio_of_medians"] for point in gflops["points"]] == pytest.approx([1, 2, 4])
    assert gflops["points"][1]["factor"]["source"] == "runs"
    assert [point["bandwidth_bound"]["share"] for point in gflops["points"][1:]] == pytest.approx([1, 1])
    assert [(one["needs"], one["unit"], one["better"]) for one in found["curves"]] == [
        ("1", "s", "less"), ("1", "", "more"), ("1/4", "", "less")
    ]  # fmt: skip
    assert latency["points"][2]["bandwidth_bound"]["share"] == 0


def test_the_report_of_a_program_comes_in_all_formats(machine: Machine) -> None:
    measured(machine)

    text, page = degrade("report d").stdout, degrade("report d --format md").stdout
    lines = list(csv.DictReader(io.StringIO(degrade("report d --format csv").stdout)))

    assert "12 of 12 launches are done. Values are medians over launches." in text
    assert re.search(r"figure +ranks +at 1 +at 1/2", text)
    assert "| GF | 2 | 8 | 2.000 [2.000, 2.000] | 4.000 [4.000, 4.000] |" in page
    assert "| wall time | 2 | 1 s |" in page
    assert "at the full rate over that at the rate" in " ".join(page.split())
    assert [(one["job"], one["rate"], one["value"], one["better"]) for one in lines[3:5]] == [
        ("GF", "1", "8.0", "more"), ("GF", "1/2", "4.0", "more")
    ]  # fmt: skip


def test_a_page_of_a_program_speaks_of_figures_and_launches(machine: Machine) -> None:
    measured(machine)

    page = degrade("report d --format html").stdout

    assert "<li>GF on 2 ranks is 4.000 times worse at 1/4 of the bandwidth, 95 % interval 4.000 to 4.000;" in page
    assert "<li>wall time on 2 ranks takes 4.000 times as long at 1/4 of the bandwidth," in page
    assert "Degradation of the program on 2 ranks with reduced bandwidth" in page
    assert "n = 4 launches at each rate." in page


def test_a_figure_of_0_has_no_ratio(machine: Machine) -> None:
    machine.says = lambda rate, ranks: (0, f"GF: {8 if rate == 'full' else 0}", 0)
    degrade("run", "-o", "d", "-n", "2", "--rates", "1,1/2", *FOM, "--", "app")

    point = json.loads(degrade("report d --format json").stdout)["curves"][1]["points"][1]

    assert (point["value"], point["factor"]["ratio"], point["ratio_of_medians"]) == (0, None, None)
    assert point["factor"]["reason"] == "a figure is not above 0, and has no ratio"


def test_a_program_has_no_motifs_and_no_rounds_to_report(machine: Machine) -> None:
    measured(machine)

    for words, option in (("report d --motifs", "--motifs"), ("report d --time contended", "--time")):
        ended = degrade(words)
        assert ended.exit_code == 2
        assert f"{option}: d holds launches of a program, which has no motifs and rounds" in ended.stderr


def test_launches_of_rails_are_not_taken_for_ours(machine: Machine) -> None:
    Path("d").mkdir()
    Path("d/launches.jsonl").write_text('{"type":"plan","command":["a"],"policies":["default"]}\n')

    ended = degrade("report d")

    assert ended.exit_code == 2
    assert "no plan; expected a file that `stressbench degrade run -o DIR -- CMD` wrote" in " ".join(
        ended.stderr.split()
    )


def test_all_conditions_come_once_before_any_comes_again() -> None:
    for grouped in (True, False):
        turns = launch_order((ONE, ONE / 2), (2, 4), runs=5, seed=3, grouped_by_rate=grouped)
        for repetition in range(5):
            here = [one for one, number in turns if number == repetition]
            assert {str(one) for one in here} == {
                f"rate {rate} on {ranks} ranks" for rate in ("1", "1/2") for ranks in (2, 4)
            }
    orders = {
        tuple(dict.fromkeys(one.rate for one, number in turns if number == repetition))
        for turns in (launch_order((ONE, ONE / 2, ONE / 4), (2, 4), runs=9, seed=3, grouped_by_rate=True),)
        for repetition in range(9)
    }
    assert len(orders) > 1
    assert str(Condition(rate=ONE, ranks=1)) == "rate 1 on 1 rank"


def test_a_program_really_starts_at_each_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "engine", "#!/bin/sh\necho 'MPI library: Open MPI v4.1.4'\n")
    put(
        tmp_path / "mpirun.openmpi",
        '#!/bin/sh\n[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }\n'
        'until [ "$1" = sh ]; do shift; done\nexec "$@"\n',
    )
    put(tmp_path / "site", '#!/bin/sh\necho "$1" >"$(dirname "$0")/rate"\n')
    put(tmp_path / "app", '#!/bin/sh\necho "RATE: $(cut -d/ -f2 "$(dirname "$0")/rate")" >figures.txt\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("STRESSBENCH_MPI", str(tmp_path / "engine"))
    monkeypatch.chdir(tmp_path)

    ended = degrade("run", "-o", "d", "-n", "1", "--on", "local", "--rate-command", "./site", "--rates", "1,1/2,1/4",
                    "--runs", "2", "--fom", "R=RATE: ([0-9]+)", "--fom-file", "figures.txt", "--", "./app")  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    found = {(one.rate, one.figures["R"]) for one in read_launches(Path("d/launches.jsonl")).done}
    assert found == {("1", 1), ("1/2", 2), ("1/4", 4)}
    assert Path("rate").read_text() == "1\n"
