"""Slurm, Flux and PBS: what starts ranks in their allocations, and the scripts they are handed. Nothing is started."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from stressbench.launch.batch import batch_systems, flux, pbs, script, slurm
from stressbench.launch.batch.slurm import SlurmTarget, fewest_cpus, offered
from stressbench.launch.batch_request import BatchRequest, batch_request
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.local import Request

REQUEST = Request(ranks=8, program=("engine", "run", "a b.sb"), cores=2, allocated=True)
PLACE = SlurmTarget(nodes=4, offered=("pmix", "none", "cray_shasta", "pmi2"), cpus=16)
MPI_LIST = """\
MPI plugin types are...
\tpmix
\tnone
\tcray_shasta
\tpmi2
specific pmix plugin versions available: pmix_v4
"""  # Slurm 22.05


def library(flavour: Flavour = Flavour.openmpi4) -> Recognised:
    return Recognised(flavour=flavour, version="9.9")


def built(place: LaunchTarget, *, flavour: Flavour = Flavour.openmpi4, request: Request = REQUEST) -> tuple[str, ...]:
    """Without the program at its end."""
    launcher = Launcher(path=Path("start"), recognised=library(flavour))
    argv = place.build(launcher=launcher, request=request).argv
    assert argv[-3:] == request.program
    return argv[:-3]


def test_srun_spreads_consecutive_ranks_over_all_nodes() -> None:
    assert built(PLACE) == (
        *("start", "--ntasks=8", "--nodes=4", "--ntasks-per-node=2"),
        *("--distribution=block", "--wait=30", "--mpi=pmix"),
    )


@pytest.mark.parametrize(
    ("flavour", "there", "chosen"),
    [
        (Flavour.openmpi4, ("pmix", "pmi2"), "pmix"),
        (Flavour.openmpi4, ("none", "pmi2"), "pmi2"),
        (Flavour.openmpi5, ("pmi2", "pmix"), "pmix"),
        (Flavour.mpich, ("pmix", "cray_shasta", "pmi2"), "pmi2"),
        (Flavour.mpich, ("pmix", "none"), "pmix"),
        (Flavour.craympich, ("pmix", "cray_shasta", "pmi2"), "cray_shasta"),
        (Flavour.intelmpi, ("pmix", "pmi2"), "pmi2"),
        (Flavour.mpich, None, "pmi2"),
        (Flavour.openmpi5, None, "pmix"),
    ],
)
def test_ranks_meet_in_a_way_that_mpi_and_srun_both_know(
    flavour: Flavour, there: tuple[str, ...] | None, chosen: str
) -> None:
    assert f"--mpi={chosen}" in built(replace(PLACE, offered=there), flavour=flavour)


def test_the_site_s_choice_stands_for_an_unknown_mpi_and_the_person_s_for_all() -> None:
    typed = replace(REQUEST, extra=("--mpi=pmix_v4",))

    assert not [word for word in built(PLACE, flavour=Flavour.unknown) if "--mpi" in word]
    assert [word for word in built(PLACE, request=typed) if "--mpi" in word] == ["--mpi=pmix_v4"]


def test_an_mpi_that_srun_cannot_serve_is_a_mistake() -> None:
    """Each rank would be a world of its own."""
    with pytest.raises(
        LaunchMistake, match=r"srun offers --mpi=none, but the engine was built with Open MPI 9.9, which"
    ):
        built(replace(PLACE, offered=("none",)))


@pytest.mark.parametrize(
    ("flavour", "settings"), [(Flavour.openmpi4, (("SLURM_PMIX_FENCE", "tree"),)), (Flavour.mpich, ())]
)
def test_open_mpi_s_ranks_stay_together_in_mpi_init(flavour: Flavour, settings: tuple[tuple[str, str], ...]) -> None:
    launcher = Launcher(path=Path("srun"), recognised=library(flavour))

    assert PLACE.build(launcher=launcher, request=REQUEST).environment == settings


@pytest.mark.parametrize(
    ("place", "request_", "hidden"),
    [
        (PLACE, REQUEST, False),
        (SlurmTarget(), REQUEST, False),
        (PLACE, replace(REQUEST, ranks=2), True),
        (PLACE, replace(REQUEST, ranks_per_node=4), True),
        (PLACE, replace(REQUEST, extra=("-w", "h2,h3")), True),
        (PLACE, replace(REQUEST, extra=("--relative=2",)), True),
        (PLACE, replace(REQUEST, extra=("--cpu-bind=cores",)), False),
        (PLACE.on_hosts(range(2, 4)), REQUEST, True),
    ],
)
def test_a_step_on_some_nodes_of_an_allocation_numbers_them_from_its_first(
    place: SlurmTarget, request_: Request, hidden: bool
) -> None:
    """Slurm's PMIx server would look for ranks of Open MPI on other nodes."""
    words = built(place, request=request_)

    assert words[: words.index("start")] == (("env", "-u", "SLURM_JOB_NODELIST") if hidden else ())
    assert built(place, flavour=Flavour.mpich, request=request_)[0] == "start"


def test_the_list_of_srun_is_read() -> None:
    assert offered(MPI_LIST) == ("pmix", "none", "cray_shasta", "pmi2")
    assert offered(None) is None
    assert offered("srun: error: what?") is None
    assert offered("\n" * 1_000_000) is None


@pytest.mark.parametrize(("text", "fewest"), [("16", 16), ("16(x3),8", 8), ("2(x4)", 2), ("", None)])
def test_the_smallest_node_counts(text: str, fewest: int | None) -> None:
    assert fewest_cpus(text) == fewest


def test_more_ranks_than_cpus_share_them_and_that_is_said() -> None:
    crowded = replace(PLACE, cpus=1)
    launcher = Launcher(path=Path("srun"), recognised=library())

    assert "--overcommit" in built(crowded)
    assert "2 ranks share 1 CPUs" in str(crowded.advice(launcher=launcher, request=REQUEST))
    assert "--overcommit" not in built(PLACE)
    assert PLACE.advice(launcher=launcher, request=REQUEST) is None


@pytest.mark.parametrize(("ranks", "used", "known"), [(8, 4, 2), (3, 3, 1), (6, 4, None), (5, 4, None)])
def test_nodes_of_equal_shares_are_known_before_the_launch(ranks: int, used: int, known: int | None) -> None:
    request = replace(REQUEST, ranks=ranks)

    assert PLACE.nodes_used(ranks) == used
    assert PLACE.ranks_per_node(request, explicit=None) == known
    assert PLACE.knows_nodes(request) == (known is not None)
    assert PLACE.ranks_per_node(request, explicit=1) == 1


def test_typed_ranks_per_node_leave_other_nodes_to_other_launches() -> None:
    """More of the engine's nodes than hosts are still spread over all hosts."""
    packed, spread = replace(REQUEST, ranks_per_node=4), replace(REQUEST, ranks_per_node=1)

    assert {"--nodes=2", "--ntasks-per-node=4"} <= set(built(PLACE, request=packed))
    assert built(flux.FluxTarget(nodes=4), request=packed)[3] == "--nodes=2"
    assert built(PLACE, request=spread)[2:4] == ("--nodes=4", "--ntasks-per-node=2")
    assert "--overcommit" in built(replace(PLACE, cpus=2), request=packed)


def test_flux_spreads_ranks_and_speaks_pmix_where_it_must() -> None:
    place = flux.FluxTarget(nodes=4)

    assert built(place) == ("start", "run", "--ntasks=8", "--nodes=4")
    assert built(place, flavour=Flavour.openmpi5)[4:] == ("--setopt=pmi=pmix",)


@pytest.mark.parametrize(("flavour", "option"), [(Flavour.openmpi4, "--hostfile"), (Flavour.mpich, "-f")])
def test_mpirun_finds_the_hosts_of_pbs(tmp_path: Path, flavour: Flavour, option: str) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("a\na\nb\nb\n")
    place = pbs.current_target({"PBS_JOBID": "1.server", "PBS_NODEFILE": str(hosts)})

    assert built(place, flavour=flavour) == ("start", "-n", "8", option, str(hosts))
    assert (place.nodes, place.ranks) == (2, 4)
    assert built(place, request=replace(REQUEST, extra=("--host", "a"))) == ("start", "-n", "8", "--host", "a")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("slurm", "this is not a Slurm allocation (SLURM_JOB_ID is not set); `salloc -N 4` gives one, and --emit"),
        ("flux", "this is not a Flux instance (FLUX_URI is not set); `flux alloc -N 4` gives one, and --emit"),
        ("pbs", "this is not a PBS job (PBS_JOBID and PBS_NODEFILE are not set); `qsub -I -l select=4` gives one"),
    ],
)
def test_outside_of_an_allocation_it_says_what_to_do(name: str, message: str) -> None:
    with pytest.raises(LaunchMistake) as mistake:
        batch_systems()[name].current_target({})

    assert f"--on {name}: {message}" in str(mistake.value)


def test_a_hosts_file_that_is_gone_is_a_mistake() -> None:
    with pytest.raises(LaunchMistake, match="PBS_NODEFILE: /gone: No such file"):
        pbs.current_target({"PBS_JOBID": "1", "PBS_NODEFILE": "/gone"})


@pytest.mark.parametrize("name", ["slurm", "flux"])
def test_another_launcher_is_refused(name: str) -> None:
    with pytest.raises(LaunchMistake, match="--on local uses mpirun"):
        batch_systems()[name].script_target(BatchRequest(name="a")).launcher(mpirun=Path("mpirun"), library=library())


def test_the_allocation_tells_nodes_ranks_and_cpus(stub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (stub / "answer").write_text(MPI_LIST)
    reported = {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NUM_NODES": "4",
        "SLURM_NTASKS": "8",
        "SLURM_JOB_CPUS_PER_NODE": "16(x3),8",
    }

    assert slurm.current_target(reported) == SlurmTarget(nodes=4, ranks=8, offered=PLACE.offered, cpus=8)


def test_a_flux_instance_is_asked_for_its_nodes(stub: Path) -> None:
    (stub / "answer").write_text("3\n")

    assert flux.current_target({"FLUX_URI": "local:///run/flux"}).nodes == 3
    assert "--states=up" in (stub / "called").read_text().split()


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs on PATH that write down how they were called, and answer with the file `answer`."""
    for name in ("srun", "flux", "mpirun"):
        program = tmp_path / name
        program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$0" "$@" > {tmp_path}/called\ncat {tmp_path}/answer 2>/dev/null || true\n'
        )
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


FULL = BatchRequest(name="a", nodes=4, walltime_s=5400, queue="debug", account="proj")
DIRECTIVES = {
    "slurm": [
        "#SBATCH --job-name=a",
        "#SBATCH --nodes=4",
        "#SBATCH --ntasks=8",
        "#SBATCH --ntasks-per-node=2",
        "#SBATCH --time=01:30:00",
        "#SBATCH --partition=debug",
        "#SBATCH --account=proj",
        "#SBATCH --exclusive",
    ],
    "flux": [
        "# flux: --job-name=a",
        "# flux: --nodes=4",
        "# flux: --time-limit=5400s",
        "# flux: --queue=debug",
        "# flux: --setattr=bank=proj",
        "# flux: --exclusive",
    ],
    "pbs": [
        "#PBS -N a",
        "#PBS -l select=4:ncpus=2:mpiprocs=2",
        "#PBS -l place=scatter:excl",
        "#PBS -l walltime=01:30:00",
        "#PBS -q debug",
        "#PBS -A proj",
    ],
}
BARE = {
    "slurm": ["#SBATCH --job-name=a", "#SBATCH --ntasks=8", "#SBATCH --exclusive"],
    "flux": ["# flux: --job-name=a", "# flux: --nslots=8"],
    "pbs": ["#PBS -N a", "#PBS -l select=8:ncpus=1:mpiprocs=1"],
}


def text_for(name: str, asked: BatchRequest, stub: Path) -> tuple[str, Command]:
    system = batch_systems()[name]
    path = {"slurm": "srun", "flux": "flux", "pbs": str(stub / "mpirun")}[name]
    launcher = Launcher(path=Path(path), recognised=library())
    command = system.script_target(asked).build(launcher=launcher, request=REQUEST)
    return script(system, asked, ranks=8, command=command, afterwards="look at it"), command


@pytest.mark.parametrize("name", batch_systems())
@pytest.mark.parametrize("asked", [FULL, BatchRequest(name="a")], ids=["full", "bare"])
def test_a_script_asks_for_what_was_typed_before_its_first_command(name: str, asked: BatchRequest, stub: Path) -> None:
    text, _ = text_for(name, asked, stub)

    lines = text.splitlines()
    expected = (DIRECTIVES if asked is FULL else BARE)[name]
    assert lines[0] == "#!/bin/bash"
    assert lines[1 : len(expected) + 1] == expected
    assert lines[len(expected) + 1].startswith("# written by `stressbench run")


@pytest.mark.parametrize("name", batch_systems())
def test_a_script_is_bash_and_starts_exactly_the_command_that_an_allocation_would_get(name: str, stub: Path) -> None:
    text, command = text_for(name, FULL, stub)
    (stub / "job.sh").write_text(text)
    environment = {**os.environ, "PBS_O_WORKDIR": str(stub), "PBS_NODEFILE": str(stub / "the hosts")}

    subprocess.run(["bash", "-n", "job.sh"], cwd=stub, check=True)
    subprocess.run(["bash", "job.sh"], cwd=stub, check=True, env=environment)

    called = (stub / "called").read_text().splitlines()
    words = [environment["PBS_NODEFILE"] if word == "$PBS_NODEFILE" else word for word in command.argv]
    assert [Path(called[0]).name, *called[1:]] == [Path(words[0]).name, *words[1:]]


@pytest.mark.parametrize(
    ("restarts", "file", "status", "started", "requeued"),
    [
        (None, "{}", 0, "first", False),  # a job that starts for the first time never touches a file that is there
        ("1", "{}", 0, "continuing", False),
        ("1", "", 0, "first", False),
        ("1", None, 0, "first", False),
        (None, None, 130, "first", True),
        ("2", "{}", 130, "continuing", True),
        (None, None, 3, "first", False),
    ],
)
def test_a_requeued_job_continues_its_run_and_an_interrupted_one_is_requeued(
    stub: Path, restarts: str | None, file: str | None, status: int, started: str, requeued: bool
) -> None:
    (stub / "srun").write_text(f'#!/bin/sh\necho "$@" >> {stub}/called\nexit {status}\n')
    (stub / "scontrol").write_text(f'#!/bin/sh\necho "$@" > {stub}/controlled\n')
    (stub / "scontrol").chmod(0o755)
    if file is not None:
        (stub / "a run.jsonl").write_text(file)
    lines = slurm.requeued_lines("srun first", "srun continuing", run_file=Path("a run.jsonl"))
    asked = replace(FULL, requeue=True)
    text = script(
        batch_systems()["slurm"], asked, ranks=8, command=Command(argv=("srun",)), afterwards="x", lines=lines
    )  # fmt: skip
    environment = {**os.environ, "SLURM_JOB_ID": "7"} | ({} if restarts is None else {"SLURM_RESTART_COUNT": restarts})

    done = subprocess.run(["bash", "-c", text], cwd=stub, env=environment, check=False)

    assert done.returncode == status
    assert (stub / "called").read_text() == f"{started}\n"
    assert (stub / "a run.jsonl").exists() == bool(file)
    assert (stub / "controlled").exists() == requeued
    assert not requeued or (stub / "controlled").read_text() == "requeue 7\n"
    assert text.splitlines()[9:11] == ["#SBATCH --requeue", "#SBATCH --open-mode=append"]


def test_a_stem_becomes_a_name_that_every_system_takes() -> None:
    def name(stem: str) -> str:
        return batch_request(stem=stem, nodes=None, walltime=None, queue=None, account=None).name

    assert [name("listing1"), name("2 jobs"), name("a.very-long_name-of-a-workload")] == [
        "listing1",
        "sb-2-jobs",
        "a-very-long_nam",
    ]


@pytest.mark.parametrize(
    ("walltime", "typed", "limit"),
    [("1h", None, "3480s"), ("2min", None, "90s"), ("1h", "10min", "10min"), (None, None, None), (None, "5s", "5s")],
)
def test_the_engine_ends_in_good_order_before_the_job_is_ended(
    walltime: str | None, typed: str | None, limit: str | None
) -> None:
    asked = batch_request(stem="a", nodes=None, walltime=walltime, queue=None, account=None)

    assert asked.engine_limit(typed) == limit


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"nodes": 0}, "--nodes: 0 is not at least 1"),
        ({"walltime": "1:00:00"}, "--walltime: '1:00:00' must be a time with its unit"),
        ({"walltime": "30s"}, "--walltime: 30s is too short; batch systems count minutes"),
        ({"queue": "a b"}, "--queue: 'a b' is not a valid name"),
        ({"account": "x\n#SBATCH --wrap=y"}, "--account: 'x"),
    ],
)
def test_a_wrong_wish_is_a_mistake(typed: dict[str, object], message: str) -> None:
    everything = {"nodes": None, "walltime": None, "queue": None, "account": None, **typed}

    with pytest.raises(LaunchMistake) as mistake:
        batch_request(stem="a", **everything)  # type: ignore[arg-type]

    assert message in str(mistake.value)


@pytest.mark.parametrize("system", ["slurm", "pbs", "flux"])
@pytest.mark.parametrize("character", ["\n", "\r", "\t", "\x1b", "\x85", "\u2028", "\udcff"])
@pytest.mark.parametrize("where", ["argument", "value", "remark"])
def test_no_control_character_reaches_a_script(system: str, character: str, where: str) -> None:
    word = f"a{character}#SBATCH --wrap=evil"
    command = Command(
        argv=("srun", word if where == "argument" else "x"), environment=(("V", word if where == "value" else "x"),)
    )
    asked = batch_request(stem=word, nodes=None, walltime=None, queue=None, account=None)

    with pytest.raises(LaunchMistake) as mistake:
        script(
            batch_systems()[system], asked, ranks=2, command=command, afterwards=word if where == "remark" else "x"
        )  # fmt: skip

    assert str(mistake.value) == f"--emit: {word!r} has a control character, which no script can hold; rename it"


@pytest.mark.parametrize("system", ["slurm", "pbs", "flux"])
def test_what_a_shell_would_read_otherwise_is_quoted(system: str) -> None:
    word = "$(touch evil); 'a' `b` \\ #x"
    asked = batch_request(stem=word, nodes=None, walltime=None, queue=None, account=None)

    text = script(
        batch_systems()[system], asked, ranks=2, afterwards="x",
        command=Command(argv=("printf", "%s|%s", word, "two"), environment=(("V", word),)),
    )  # fmt: skip

    ran = subprocess.run(
        ["bash", "-c", text], capture_output=True, text=True, check=True, env={"PBS_O_WORKDIR": "/", "PATH": "/bin"}
    )
    assert ran.stdout == f"{word}|two"
