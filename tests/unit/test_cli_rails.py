"""`stressbench rails` as a person meets it, with stand-ins for labs, ranks and launchers."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter
from support.commands import invoke
from support.fake_lab import Pair
from support.fake_launcher import put
from support.fake_site import Site
from support.traces import MadeRank, MadeTrace, allreduce, isend, waitall

from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.sweep.order import in_order
from stressbench.experiments.sweep.rails import program as rail_program
from stressbench.experiments.sweep.rails.nic_counters import NicReading, between, nic_reader
from stressbench.formats.launches.rails import NicBytes, read_launches
from stressbench.formats.trace import read_trace
from stressbench.labs.catalog import lab_file
from stressbench.labs.counters import LabCounters, bytes_by_nic
from stressbench.labs.file import read_lab
from stressbench.launch import program as launching
from stressbench.launch import session
from stressbench.launch.execute import Outcome
from stressbench.launch.rail_selection import RailSelection
from stressbench.launch.targets import NicTotals, registered
from stressbench.tracing.profile import Profile, profile_of

WORKLOAD = "[JOB_NAME] halo\n[NODES] 1\n[MOTIF] halo2d\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    made = Site(folder=tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.sb").write_text(WORKLOAD)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "prepare", lambda request, environment: "prepared")
    monkeypatch.setattr(session, "run", made.run)
    with registered(lab=Pair()):
        yield made


def rails(*words: str) -> Any:
    typed = words if len(words) > 1 else words[0].split()
    return invoke(["rails", *typed])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run gone.sb -o d", "gone.sb: no such file; expected a workload"),
        ("run one.sb -o d --policies default,both", "--policies: 'both': expected default, nic0, nic1, round-robin"),
        ("run one.sb -o d --policies nic0,nic0", "--policies: 'nic0': is given twice"),
        ("run one.sb -o d --policies nic0", "--policies: nic0: expected at least two, such as default,nic0,nic1"),
        ("run one.sb -o d --policies nic0,jobs:a", "--policies: 'jobs:a': expected each job once with its NIC"),
        ("run one.sb -o d --policies nic0,nic2", "--policies: nic2: hosts have eth0, eth1; expected nic0 to nic1"),
        ("run one.sb -o d --policies nic0,local", "--policies: local: NICs eth0, eth1 belong to no NUMA node"),
        ("run one.sb -o d --nics ib0", "--nics: ib0: hosts of lab:dual-rail have eth0, eth1"),
        ("run one.sb -o d --nics a/b", "--nics: 'a/b': expected the name of a NIC, such as ib0 or mlx5_0:1"),
        ("run one.sb -o d --nics ib0,ib0", "--nics: 'ib0': is given twice"),
        ("run one.sb -o d --transport ib", "--transport: 'ib': expected tcp, ucx, ofi"),
        ("run one.sb -o d --on simgrid:tiny", "default: on = simgrid:tiny: a simulated host has one NIC"),
        ("run one.sb -o d -n 2,x", "-n: 'x': expected numbers of ranks, each once, such as 2,4,8"),
        ("run one.sb -o d --set n", "--set n: expected NAME=VALUE"),
        ("run one.sb -o d --isolated 0", "--isolated 0: expected isolated rounds, or --contended N"),
        ("run one.sb -o d --min-time 60", "--min-time: '60': expected a time with its unit"),
        ("run one.sb -o d --place up", "--place: 'up': expected linear, interleaved or random:SEED"),
        ("run one.sb -o d --time-limit 60", "--time-limit: '60': expected a time with its unit"),
        ("run one.sb -o d --fom A=(x)", "--fom: is for programs; workloads are measured by the engine"),
        ("run one.sb -o d --profile", "--profile: is for programs; workloads are measured by the engine"),
        ("run one.sb -o d --interval 1s", "--interval: is for programs; workloads are measured by the engine"),
        ("run -o d --interval 60 -- hpcc", "--interval: '60': expected a time with its unit"),
        ("run one.sb -o one.sb", "one.sb/runs: not a directory"),
        ("plan one.sb --policies default", "--policies: default: expected at least two"),
        ("plan -- hpcc", "hpcc: plans are of workloads, whose names end in .sb"),
        ("run -o d --on local --nics a,b -- hpcc", "-n is missing, for example -n 8"),
        (
            "run -o d --on local -n 2 -- hpcc",
            "--nics: nic0: the NICs of the hosts are unknown; expected --nics",
        ),
        (
            "run -o d --on local -n 2 --nics a,b --policies default,nic0 --runs 50001 -- hpcc",
            "--runs: 2 conditions, 50001 times each: expected at most 100000 launches",
        ),
        ("run one.sb -o d --runs 1000000000", "000 times each: expected at most 100000 runs"),
        ("run -o d --on local -n 2,4 --nics a,b -- hpcc", "-n: '2,4': expected one number of ranks for a program"),
        ("run -o d --on local -n 0 --nics a,b -- hpcc", "-n: 0 is not at least 1"),
        ("run -o d --on simgrid:tiny -n 2 -- hpcc", "--on simgrid:tiny: a simulated host has one NIC; expected lab"),
        ("run -o d --on labs -- hpcc", "--on: 'labs': expected local, flux, pbs, slurm, lab:NAME"),
        ("run -o d --on local --set a=b -- hpcc", "--set: is for workloads, and hpcc is a program; leave it out"),
        ("run -o d --isolated 4 -- hpcc", "--isolated: is for workloads, and hpcc is a program"),
        ("run -o d --retries 4 -- hpcc", "--retries: is for workloads, and hpcc is a program"),
        ("run -o d --min-time 4s -- hpcc", "--min-time: is for workloads, and hpcc is a program"),
        ("run one.sb hpcc -o d", "one.sb: is a workload, but hpcc is not; expected workloads, or a program"),
        (
            "run -o d --policies default,per-job -- hpcc",
            "--policies: per-job: a program without a workload has no jobs",
        ),
        ("run -o d --on local -n 2 --nics a,b --fom FOM -- hpcc", "--fom FOM: expected NAME=REGEX"),
        (
            "run -o d --on local -n 2 --nics a,b --fom F=x -- hpcc",
            "--fom F=x: 0 groups; expected one, around the number",
        ),
        ("run -o d --on local -n 2 --nics a,b --fom F=(x -- hpcc", "--fom F=(x: no regular expression of RE2 (missing"),
        ("run -o d --on local -n 2 --nics a,b --fom F=(x) --fom F=(y) -- p", "--fom F=(y): F is given twice"),
        ("report empty", "empty holds no study"),
        ("report empty --format pdf", "--format: unknown format 'pdf'; known: csv, html, json, latex, md, text"),
        ("report empty --profile gone.json", "--profile: gone.json: no such file or directory"),
        ("report empty --profile one.sb", "--profile: one.sb: no profile (invalid json"),
        ("report empty --profile gone.trace", "--profile: gone.trace: "),
    ],
)
def test_a_mistake_gives_one_message_and_status_2_and_nothing_starts(site: Site, words: str, message: str) -> None:
    ended = rails(words)

    assert ended.exit_code == 2
    assert message.lower() in " ".join(ended.stderr.split()).lower()
    assert site.calls == []


def test_a_dry_run_is_what_plan_was_and_needs_no_directory(site: Site) -> None:
    words = "one.sb -n 4 --policies default,nic1 --runs 2"

    for more in ("", " --json"):
        dry = rails(f"run {words} --dry-run{more}")
        assert (dry.exit_code, dry.stdout) == (0, rails(f"plan {words}{more}").stdout)
    assert "2 cells, 4 runs, in the order of seed 1:" in rails(f"run {words} --dry-run").stdout
    assert "-o/--output DIR is missing" in rails("run one.sb").stderr
    assert site.calls == []


def planned(words: str) -> dict[str, Any]:
    return json.loads(rails(f"plan {words} --json").stdout)


def values(found: dict[str, Any], *names: str) -> set[tuple[str | None, ...]]:
    return {tuple(cell["values"].get(name) for name in names) for cell in found["cells"]}


def test_without_a_word_bandwidth_and_latency_run_under_four_policies_on_a_lab(site: Site) -> None:
    found = planned("-n 8")

    assert {Path(str(workload)).name for (workload,) in values(found, "workload")} == {
        "rails-bandwidth.sb", "rails-latency.sb"
    }  # fmt: skip
    assert values(found, "policy") == {("default",), ("nic0",), ("nic1",), ("round-robin",)}
    assert values(found, "on", "ranks") == {("lab:dual-rail", "8")}


def test_jobs_have_commas_of_their_own(site: Site) -> None:
    found = planned("one.sb --policies default,jobs:a=0,b=1,nic1 --set n=1 --set n=2")

    assert values(found, "policy") == {("default",), ("jobs:a=0,b=1",), ("nic1",)}
    assert values(found, "set.n") == {("1",), ("2",)}


def test_all_options_reach_the_study(site: Site) -> None:
    ended = rails(
        "run one.sb -o d -n 4 --ranks-per-node 2 --policies default,nic1 --nics eth0,eth1 --transport tcp --isolated 3 "
        "--contended 2 --repetitions 5 --min-time 10ms --runs 2 --seed 7 --place interleaved --set n=1"
    )

    assert ended.exit_code == 0, ended.stderr
    study = open_directory(Path("d")).study
    run, cell = study.run, study.cells[0]
    assert (run.isolated, run.contended, run.repetitions, str(run.min_time)) == (3, 2, 5, "10ms")
    assert (study.repetitions, study.seed, study.nics, study.transport) == (2, 7, ("eth0", "eth1"), "tcp")
    assert (cell.ranks, cell.ranks_per_node, cell.placement, cell.sets) == (4, 2, "interleaved", (("n", "1"),))
    assert len(study.runs) == 4


def test_what_comes_out_is_a_study_and_a_report(site: Site) -> None:
    assert rails("run one.sb -n 4 -o d --policies default,nic0 --runs 1").exit_code == 0

    for words in ("status d", "report d", "pack d -o d.tar.gz", "verify d", "resume d"):
        assert invoke(f"study {words}").exit_code == 0
    text = rails("report d").stdout
    assert "Rail policies: one" in text
    found = json.loads(rails("report d --format json --time contended --motifs").stdout)
    assert (found["time"], found["policies"], found["done"]) == ("contended", ["default", "nic0"], 2)
    assert rails("report d --format html -o d.html").stdout == "d.html\n"
    assert rails("report d -o gone/r.txt").exit_code == 2


def test_a_study_without_policies_is_refused(site: Site) -> None:
    Path("s.toml").write_text('[factors]\nworkload = "one.sb"\nranks = 2\n')
    invoke("study run s.toml -o plain")

    ended = rails("report plain")

    assert ended.exit_code == 2
    assert "the study compares no rail policies; expected factors.policy with several" in " ".join(ended.stderr.split())


Says = Callable[[str], tuple[int, str, int]]


@pytest.fixture
def program(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A program on the lab of two NICs. `says` gives status, output and requests to stop, by policy."""
    made: dict[str, Any] = {"started": [], "says": lambda policy: (0, "FOM: 1,234.5", 0), "sent": 0}

    def run(words: tuple[str, ...], *, rail_selection: RailSelection, ranks: int, **_: object) -> Outcome:
        policy = str(rail_selection.rails.policy)
        status, output, stops = made["says"](policy)
        made["started"].append((words, policy, ranks))
        made["sent"] += 1000
        return Outcome(
            status=status, output=output, stop_requests=stops, errors="", rank_of=(), began_s=10.0, ended_s=12.5
        )

    class Counted(Pair):
        def nic_totals(self, on: str) -> NicTotals:
            return {"eth0": (made["sent"], 0), "eth1": (0, made["sent"])}

    monkeypatch.setattr(launching, "command_of", lambda *words, **how: None)
    monkeypatch.setattr(launching, "run_program", run)
    with registered(lab=Counted()):
        yield made


def test_a_program_runs_under_each_policy_in_turns_and_its_figures_are_kept(program: dict[str, Any]) -> None:
    ended = rails("run", "-o", "d", "-n", "4", "--policies", "nic0,default", "--runs", "3", "--seed", "5",
                  "--fom", "FOM=FOM: ([0-9.,]+)", "--", "./amg", "-x", "a b")  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    assert program["started"] == [
        (("./amg", "-x", "a b"), policy, 4) for policy, _ in in_order(("nic0", "default"), runs=3, seed=5)
    ]
    found = read_launches(Path("d/launches.jsonl"))
    assert [(one.wall_s, one.figures, one.status) for one in found.done] == [(2.5, {"FOM": 1234.5}, 0)] * 6
    assert found.done[0].carried == (NicBytes(nic="eth0", sent=1000, received=0), NicBytes(nic="eth1", sent=0, received=1000))  # fmt: skip  # noqa: E501


def test_the_report_of_a_program_has_figures_walls_and_cards(program: dict[str, Any]) -> None:
    program["says"] = lambda policy: (0, f"FOM: {20 if policy == 'default' else 10}", 0)
    rails("run", "-o", "d", "--policies", "nic0,default", "--runs", "4", "--fom", r"FOM=FOM: (\d+)", "--", "./amg")

    found = json.loads(rails("report d --format json").stdout)

    assert (found["about"], found["policies"], found["done"]) == ("amg on 4 ranks", ["default", "nic0"], 8)
    assert [(one["name"], one["unit"], one["of"]) for one in found["subjects"]] == [
        ("wall time", "s", "runs"), ("FOM", "", "runs")
    ]  # fmt: skip
    ratio = found["subjects"][1]["entries"][1]["ratio"]
    assert [ratio["ratio"], ratio["low"], ratio["high"]] == pytest.approx([0.5] * 3)
    assert ratio["source"] == "runs"
    assert [load["sent_bytes"] for load in found["carried"][1]["loads"]] == [4000, 0]
    assert [load["asked"] for load in found["carried"][1]["loads"]] == [True, False]
    assert "by rail policy" in rails("report d --format html").stdout
    assert rails("report d --motifs").exit_code == 2


def test_a_figure_that_is_never_found_ends_it_at_once_with_its_name(program: dict[str, Any]) -> None:
    ended = rails("run", "-o", "d", "--fom", "GF=GFLOPS ([0-9]+)", "--", "amg")

    assert ended.exit_code == 3
    assert "--fom GF: 'GFLOPS ([0-9]+)' finds no number in the last 32 KiB of what amg prints" in ended.stderr
    assert len(program["started"]) == 1
    assert len(read_launches(Path("d/launches.jsonl")).done) == 1


def test_what_was_measured_before_ctrl_c_stays(program: dict[str, Any]) -> None:
    program["says"] = lambda policy: (130, "", 1) if len(program["started"]) == 2 else (0, "", 0)

    ended = rails("run -o d -- amg")

    assert ended.exit_code == 130
    assert len(program["started"]) == 3
    assert len(read_launches(Path("d/launches.jsonl")).done) == 2
    assert rails("report d").exit_code == 0


def test_a_launch_that_fails_is_told_and_does_not_count(program: dict[str, Any]) -> None:
    program["says"] = lambda policy: (7 if policy == "nic1" else 0, "", 0)

    ended = rails("run -o d --runs 2 -- amg")

    assert ended.exit_code == 3
    assert "amg ended with status 7 under nic1" in ended.stderr
    assert "note: 2 launches failed and do not count" in " ".join(rails("report d").stdout.split())


def test_a_folder_that_is_in_use_and_a_torn_line_are_told(program: dict[str, Any]) -> None:
    rails("run -o d --runs 1 -- amg")
    with Path("d/launches.jsonl").open("a") as file:
        file.write('{"type": "lau')

    assert "--output: d already exists; a program's launches begin in a new directory" in " ".join(
        rails("run -o d -- amg").stderr.split()
    )
    assert "d/launches.jsonl:6: broken line" in " ".join(rails("report d").stdout.split())


@pytest.mark.parametrize("name", ["p.json", "p.trace"])
def test_a_profile_stands_beside_what_policies_did(program: dict[str, Any], name: str) -> None:
    rails("run -o d --runs 1 -- amg")
    ranks = [MadeRank([isend(1 - rank, size=2048), waitall(0), allreduce(size=8)]) for rank in (0, 1)]
    trace = read_trace(MadeTrace(ranks).write(Path.cwd(), "p.trace"))
    Path("p.json").write_bytes(TypeAdapter(Profile).dump_json(profile_of(trace)))

    text = " ".join(rails(f"report d --format md --profile {name}").stdout.split())

    found = profile_of(trace)
    shares = " | ".join(f"{share:.1f}" for share in (found.columns.mpi_percent, found.columns.p2p_percent) if share)
    assert f"| {name} | {found.facts.program} | 2 | {shares} |" in text
    assert "| 2 KiB | 8 B |" in text


@pytest.fixture
def profiled(program: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The program under the tracer: rank 0 sends, and both reduce. `traces`: whether it leaves a trace."""
    program["traces"] = True
    plain = launching.run_program

    def run(words: tuple[str, ...], **how: Any) -> Outcome:
        settings = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        program.setdefault("modes", []).append(settings["STRESSBENCH_TRACE_MODE"])
        if program["traces"]:
            output = Path(settings["STRESSBENCH_TRACE_OUTPUT"])
            ranks = [MadeRank([isend(1 - rank, size=2048), waitall(0), allreduce(size=8)]) for rank in (0, 1)]
            MadeTrace(ranks).write(output.parent, output.name)
        return plain(words[-1:], **how)

    monkeypatch.setattr(launching, "run_program", run)
    monkeypatch.setattr(rail_program, "find_tracer", lambda environment: SimpleNamespace(library=Path("/lib/trace.so")))
    return program


def test_profiled_launches_have_their_time_in_mpi_and_leave_no_trace_behind(profiled: dict[str, Any]) -> None:
    ended = rails("run -o d --profile --policies default,nic0 --runs 4 -- amg")

    assert ended.exit_code == 0, ended.stderr
    assert profiled["modes"] == ["profile"] * 8
    assert [path.name for path in Path("d").iterdir()] == ["launches.jsonl"]
    found = read_launches(Path("d/launches.jsonl"))
    assert found.plan.profile
    for one in found.done:
        assert one.mpi is not None
        assert (one.mpi.mean_message_bytes, one.mpi.mean_collective_bytes) == (2048, 8)
        assert 0 < one.mpi.p2p_s + one.mpi.collective_s <= one.mpi.mpi_s <= one.mpi.elapsed_s


def test_the_report_of_profiled_launches_has_the_paper_s_figures(profiled: dict[str, Any]) -> None:
    rails("run -o d --profile --policies default,nic0 --runs 4 -- amg")

    found = json.loads(rails("report d --format json").stdout)
    page = rails("report d --format html").stdout
    rows = rails("report d --format csv").stdout.splitlines()

    assert [one["name"] for one in found["subjects"]] == [
        "wall time", "time in point-to-point calls", "time in collectives"
    ]  # fmt: skip
    assert [one["source"] for one in found["talk"]] == ["launches, default", "launches, nic0"]
    assert [one["number"] for one in found["launches"]] == list(range(1, 9))
    for title in ("Time in MPI, launch by launch", "wall time, launch by launch", "Use of MPI by programs"):
        assert title in page
    assert sum(row.startswith("launch,") for row in rows) == 3 * 8


def test_launches_without_a_profile_have_no_figure_of_mpi(program: dict[str, Any]) -> None:
    rails("run -o d --policies default,nic0 --runs 4 -- amg")

    page = rails("report d --format html").stdout

    assert "wall time, launch by launch" in page
    assert "Time in MPI" not in page
    assert all(one["mpi"] is None for one in json.loads(rails("report d --format json").stdout)["launches"])


def test_a_program_that_leaves_no_trace_ends_it_at_once(profiled: dict[str, Any]) -> None:
    profiled["traces"] = False

    ended = rails("run -o d --profile -- amg")

    assert ended.exit_code == 3
    assert "amg left no trace" in ended.stderr
    assert len(profiled["started"]) == 1


def test_a_profiled_launch_that_fails_needs_no_trace(profiled: dict[str, Any]) -> None:
    profiled["traces"] = False
    profiled["says"] = lambda policy: (7, "", 0)

    assert "amg ended with status 7" in rails("run -o d --profile --runs 1 -- amg").stderr
    assert {one.mpi for one in read_launches(Path("d/launches.jsonl")).done} == {None}


def test_nics_of_this_host_are_counted_as_the_kernel_does(tmp_path: Path) -> None:
    for path, number in (
        ("net/ib0/statistics/tx_bytes", 10), ("net/ib0/statistics/rx_bytes", 20),
        ("infiniband/mlx5_0/ports/1/counters/port_xmit_data", 10),
        ("infiniband/mlx5_0/ports/1/counters/port_rcv_data", 20),
    ):  # fmt: skip
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{number}\n")

    assert nic_reader("local", ("ib0", "mlx5_0:1"), classes=tmp_path)() == {
        "ib0": NicReading(sent=10, received=20), "mlx5_0:1": NicReading(sent=40, received=80)
    }  # fmt: skip
    assert nic_reader("local", ("ib0", "ib9"), classes=tmp_path)() is None
    assert nic_reader("local", (), classes=tmp_path)() is None


def test_nics_of_a_lab_are_counted_over_all_hosts() -> None:
    """Of four hosts the first sends 10 and 1 on its NICs; each gets 2 on each."""
    lab = read_lab(lab_file("dual-rail"))

    def sent(count: int) -> Any:
        return SimpleNamespace(bucket=SimpleNamespace(bytes=count))

    counts: Any = tuple(
        SimpleNamespace(link=link, from_a=sent((10, 1)[link.rail] if link.a.node == "h0" else 0), from_b=sent(2))
        for link in lab.links
    )
    assert {link.a.node for link in lab.links} == {"h0", "h1", "h2", "h3"}

    assert bytes_by_nic(lab, LabCounters(links=counts)) == {"eth0": (10, 8), "eth1": (1, 8)}


def test_a_lab_that_is_gone_counts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRESSBENCH_LABS", str(tmp_path))

    assert nic_reader("lab:dual-rail", ())() is None


def test_what_one_look_lacks_or_what_went_back_is_unknown() -> None:
    one, less = {"a": NicReading(sent=5, received=5)}, {"a": NicReading(sent=4, received=9)}

    assert between(less, {"a": NicReading(sent=4, received=9)}) == (NicBytes(nic="a", sent=0, received=0),)
    assert between(None, one) is None
    assert between(one, None) is None
    assert between(one, less) is None


def test_a_program_really_starts_behind_its_wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "engine", "#!/bin/sh\necho 'MPI library: Open MPI v4.1.4'\n")
    put(
        tmp_path / "mpirun.openmpi",
        """\
#!/bin/sh
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }
until [ "$1" = sh ] || [ "$1" = env ]; do shift; done
exec env OMPI_COMM_WORLD_LOCAL_RANK=1 "$@"
""",
    )
    put(tmp_path / "app", '#!/bin/sh\necho "CARD: ${OMPI_MCA_btl_tcp_if_include#ib}"\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("STRESSBENCH_MPI", str(tmp_path / "engine"))
    monkeypatch.setenv("OMPI_MCA_btl_tcp_if_include", "ib7")
    monkeypatch.chdir(tmp_path)

    ended = rails("run", "-o", "d", "-n", "1", "--on", "local", "--nics", "ib0,ib1", "--runs", "1",
                  "--fom", "CARD=CARD: ([0-9]+)", "--", "./app")  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    found = {one.policy: one.figures["CARD"] for one in read_launches(Path("d/launches.jsonl")).done}
    assert found == {"default": 7, "nic0": 0, "nic1": 1, "round-robin": 1}


def test_help_teaches_by_example() -> None:
    for command in ("run", "plan", "report"):
        text = rails(f"{command} --help").stdout
        assert f"    stressbench rails {command} " in text
        assert "Exit status:" in text
