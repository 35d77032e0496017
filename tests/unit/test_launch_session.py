"""What a run's end means: exit statuses, and sentences about who died and what is left."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.builders import SIMULATION, MadeJob, MadeMachine, MadePlan, build_run, fault

from stressbench.formats.run import Fault, Run, read_run
from stressbench.launch.command import Command, Launcher
from stressbench.launch.deaths import fault_of_death
from stressbench.launch.diagnosis import Death, diagnose
from stressbench.launch.engine import EngineOptions, RunFile, check_arguments, run_arguments
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome
from stressbench.launch.explanation import continuing, explain
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.growing_file import GrowingFile
from stressbench.launch.launch_target import LOCAL
from stressbench.launch.session import LaunchRequest, PreparedLaunch, RunResult, final_status, write_files
from stressbench.launch.shape import require_same_time
from stressbench.launch.stopping import StopPolicy

INTEL = """
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   RANK 5 PID 4242 RUNNING AT nid7
=   KILLED BY SIGNAL: 11 (Segmentation fault)
"""
MPICH = """
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 4242 RUNNING AT nid7
=   EXIT CODE: 9
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
"""
SRUN = """
srun: error: nid7: task 5: Killed
srun: First task exited 30s ago
srun: Job step aborted: Waiting up to 32 seconds for job step to finish.
srun: error: nid6: tasks 0-4: Killed
"""
SRUN_CRASH = "srun: error: nid7: tasks 5-6: Segmentation fault (core dumped)\n"
SRUN_REPORTED = """
srun: forcing job termination
srun: Job step aborted: Waiting up to 32 seconds for job step to finish.
srun: error: nid7: task 5: Killed
"""
FLUX_EXIT = "stressbench-mpi: task rank 5 on host nid7 exited (Killed) and exit-timeout=30s has expired"
FLUX = f"""
35.166s: flux-shell[0]: FATAL: task-exit: {FLUX_EXIT}
35.166s: job.exception f5qBBGtf type=exec severity=0 {FLUX_EXIT}
flux-job: task(s) Killed
"""
OPEN_MPI = "mpirun noticed that process rank 5 with PID 0 on node nid7 exited on signal 9 (Killed).\n"
OPEN_MPI_STATUS = """
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
"""
KILLED = Death(rank=5, host="nid7", number=9)
CRASHED = replace(KILLED, number=11)


def outcome(*, status: int = 0, stops: int = 0, output: str = "", errors: str = "", rank: int | None = None) -> Outcome:
    rank_of = () if rank is None else ((4242, rank),)
    return Outcome(status=status, stop_requests=stops, output=output, errors=errors, rank_of=rank_of)


def incomplete(folder: Path) -> Run:
    jobs = (MadeJob(name="CG", nodes="0"), MadeJob(name="Incast", nodes="1"))
    return read_run(build_run(jobs=jobs, plan=MadePlan(blocks=2), complete=False).write(folder))


def request(path: Path) -> LaunchRequest:
    return LaunchRequest(workload=Path("demo.sb"), ranks=8, run_file=RunFile(path=path), options=EngineOptions())


def sentences(run: Run | None, *, death: Death | None, errors: str = "", status: int = 3) -> str:
    path = Path("r.jsonl") if run is None else run.path
    ended = RunResult(status=status, outcome=outcome(status=137, errors=errors), death=death, run=run)
    return "\n".join(explain(ended, request=request(path)))


@pytest.mark.parametrize(
    ("seen", "death"),
    [
        (outcome(errors=OPEN_MPI), KILLED),
        (outcome(errors=OPEN_MPI_STATUS, status=137), Death(rank=None, host=None, number=9)),
        (outcome(errors=OPEN_MPI_STATUS, status=130), None),
        (outcome(errors=OPEN_MPI_STATUS, status=3), None),
        (outcome(output=MPICH, rank=5), KILLED),
        (outcome(output=MPICH), Death(rank=None, host="nid7", number=9)),
        (outcome(output=INTEL), CRASHED),
        (outcome(errors=SRUN), KILLED),
        (outcome(errors=SRUN_CRASH), CRASHED),
        (outcome(errors=SRUN_REPORTED), None),
        (outcome(errors="srun: error: nid7: task 5: Exited with exit code 130\n"), None),
        (outcome(errors=FLUX), KILLED),
        (outcome(errors=FLUX.replace("exited (Killed)", "exited")), KILLED),
        (outcome(errors=FLUX.replace("exited (Killed)", "exited (Segmentation fault)")), CRASHED),
        (outcome(errors=FLUX.replace("exited (Killed)", "exited (Exit 3)")), None),
        (outcome(errors="flux-job: task(s) Killed\n"), None),
        (outcome(output="[CG] 5 exited happily"), None),
    ],
)
def test_every_launcher_s_words_about_a_death_are_understood(seen: Outcome, death: Death | None) -> None:
    assert diagnose(seen) == death


@pytest.mark.parametrize(
    ("seen", "death", "status"),
    [
        (outcome(status=0), None, 0),
        (outcome(status=2), None, 2),
        (outcome(status=3), None, 3),
        (outcome(status=130, stops=1), None, 130),
        (outcome(status=1), None, 3),
        (outcome(status=137), KILLED, 3),
        (outcome(status=2), Death(rank=None, host=None, number=2), 3),
        (outcome(status=137, stops=2), KILLED, 130),
        (outcome(status=0, stops=1), None, 130),
    ],
)
def test_statuses_of_engine_and_launcher_become_four(seen: Outcome, death: Death | None, status: int) -> None:
    assert final_status(seen, death, None) == status


def test_a_stop_that_came_after_the_last_round_is_a_success(tmp_path: Path) -> None:
    complete = read_run(build_run().write(tmp_path))

    assert final_status(outcome(status=0, stops=1), None, complete) == 0


def test_ranks_that_hung_when_all_was_written_spoil_nothing(tmp_path: Path) -> None:
    hung = replace(outcome(status=137, errors=OPEN_MPI), hung_in_finalize=True)

    assert final_status(hung, KILLED, read_run(build_run().write(tmp_path))) == 0
    assert final_status(hung, KILLED, incomplete(tmp_path)) == 130


def test_an_end_record_counts_when_it_is_new_and_whole(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"type":"header"}\n{"type":"end","complete":false}\n')
    record = GrowingFile(file)
    seen = [record.has_ended()]

    for text in ('{"type":"header"}\n', '{"type":"end"', ',"complete":true}\n'):
        with file.open("a") as more:
            more.write(text)
        seen.append(record.has_ended())

    assert seen == [False, False, False, True]
    assert not GrowingFile(tmp_path / "gone").has_ended()


def test_a_launch_has_begun_when_its_file_says_something_new(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    new = GrowingFile(file)
    assert not new.has_grown()
    file.touch()
    assert not new.has_grown()
    file.write_text('{"type":"header"}\n')
    assert new.has_grown()

    continued = GrowingFile(file)
    assert not continued.has_grown()
    with file.open("a") as more:
        more.write('{"type":"round"}\n')
    assert continued.has_grown()


def test_a_dead_rank_is_placed_by_the_header_s_node_map(tmp_path: Path) -> None:
    said = sentences(incomplete(tmp_path), death=KILLED)

    assert "rank 5 on host a2, job Incast was ended by SIGKILL" in said


def test_the_motif_is_named_where_the_engine_said_it(tmp_path: Path) -> None:
    errors = (
        '{"kind":"rank_status","rank":4,"job":"Incast","motif":"incast","round":7}\n'
        '{"kind":"rank_status","rank":5,"job":"Incast","motif":null,"round":7}\n'
        '{"kind":"rank_status","rank":1,"job":"CG","motif":"halo2d","round":7}\n'
        '{"kind":"rank_status","rank":1,"job":"CG","mo\n'
    )

    assert "job Incast, motif incast was ended" in sentences(incomplete(tmp_path), death=KILLED, errors=errors)


def ended_by(folder: Path, *faults: dict[str, object]) -> Run:
    """The same run with records of what ended it."""
    path = incomplete(folder).path
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in faults)
    return read_run(path)


def test_the_record_of_a_fault_counts_more_than_what_the_engine_printed(tmp_path: Path) -> None:
    errors = '{"kind":"rank_status","rank":4,"job":"Incast","motif":"incast","round":7}\n'
    run = ended_by(tmp_path, fault(job=0, motif="halo2d", rank=1), fault(job=1, motif="bcast", rank=4))

    assert "job Incast, motif bcast was ended" in sentences(run, death=KILLED, errors=errors)


def test_a_fault_that_the_launcher_swallowed_is_told_from_its_record(tmp_path: Path) -> None:
    known = fault(round=7, job=1, motif="posix", rank=4, host="a2", cause="open: no space left on device")
    run = ended_by(tmp_path, known, fault())

    said = sentences(run, death=None)

    assert "rank 4 on host a2, job Incast, motif posix, round 7: open: no space left on device" in said
    assert "a rank: a fault of unknown cause" in said
    assert "before the engine could say why" not in said


def test_the_death_of_a_rank_is_a_fault_of_its_job(tmp_path: Path) -> None:
    run = ended_by(tmp_path, fault(job=1, motif="bcast", rank=4))

    dead = fault_of_death(KILLED, run, errors="")

    assert dead == Fault(round=None, job=1, motif="bcast", rank=5, host="a2", cause="ended by SIGKILL")


def test_the_death_of_a_rank_without_a_run_file_has_the_launcher_s_host() -> None:
    dead = fault_of_death(KILLED, None, errors="")

    assert dead == Fault(round=None, job=None, motif=None, rank=5, host="nid7", cause="ended by SIGKILL")


def prepared(flavour: Flavour, *extra: str, mpirun: str = "/opt/mpirun", is_mpirun: bool = True) -> PreparedLaunch:
    launcher = Launcher(
        path=Path(mpirun), recognised=Recognised(flavour=flavour, version="9.9"), is_mpirun=is_mpirun
    )  # fmt: skip
    command = Command(argv=("enter", mpirun, "-n", "4", *extra, "engine", "run"))
    return PreparedLaunch(command=command, advice=None, stop_policy=StopPolicy(), launcher=launcher)


@pytest.mark.parametrize("flavour", [Flavour.openmpi4, Flavour.openmpi5])
def test_open_mpi_hands_the_format_of_statuses_to_ranks_on_other_hosts(flavour: Flavour) -> None:
    command = prepared(flavour, "--hostfile", "hosts", "-x", "MINE").command_with_statuses({})

    assert command.argv == (
        *("enter", "/opt/mpirun", "-x", "STRESSBENCH_RANK_STATUS", "-n", "4", "--hostfile", "hosts", "-x", "MINE"),
        *("engine", "run"),
    )
    assert ("STRESSBENCH_RANK_STATUS", "json") in command.environment


def test_launchers_that_hand_on_all_variables_need_no_option() -> None:
    for launch in (prepared(Flavour.mpich), prepared(Flavour.openmpi4, mpirun="srun", is_mpirun=False)):
        command = launch.command_with_statuses({})

        assert command.argv == launch.command.argv
        assert ("STRESSBENCH_RANK_STATUS", "json") in command.environment


def test_a_list_of_variables_which_open_mpi_does_not_take_beside_options_is_left_alone() -> None:
    listed = prepared(Flavour.openmpi4, "--mca", "mca_base_env_list", "MINE")
    plain = prepared(Flavour.openmpi4)

    assert listed.command_with_statuses({}).argv == listed.command.argv
    assert plain.command_with_statuses({"OMPI_MCA_mca_base_env_list": "MINE"}).argv == plain.command.argv


def test_what_is_left_and_how_to_go_on_is_said(tmp_path: Path) -> None:
    run = incomplete(tmp_path)

    said = sentences(run, death=KILLED)

    assert f"6 rounds are complete in {run.path}; `stressbench run --continue {run.path}` continues" in said


def test_how_to_go_on_is_not_said_where_no_launch_can_be_added_to_a_run(tmp_path: Path) -> None:
    run = incomplete(tmp_path)
    ended = RunResult(status=130, outcome=outcome(status=130, stops=1), death=None, run=run)
    fixed = replace(request(run.path), target=replace(LOCAL, continues_runs=False))

    assert explain(ended, request=fixed) == (f"6 rounds are complete in {run.path}",)


def test_a_run_without_a_round_has_nothing_to_go_on_with() -> None:
    said = sentences(None, death=KILLED)

    assert "rank 5 on host nid7 was ended by SIGKILL" in said
    assert "no round was finished; nothing was measured" in said


def test_a_launcher_that_gave_up_is_told_apart_from_the_engine() -> None:
    assert "the launcher ended with status 137 before the engine could say why" in sentences(None, death=None)


def test_the_command_that_goes_on_names_the_place() -> None:
    elsewhere = replace(request(Path("r.jsonl")), on="simgrid:tiny")

    assert continuing(elsewhere, Path("r.jsonl")) == "stressbench run --continue r.jsonl --on simgrid:tiny"


def test_the_files_of_a_command_are_replaced_under_another_launch_that_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "new" / "platform.xml"
    write_files(((path, "a whole platform"),))
    with path.open() as of_another_launch:
        write_files(((path, "the same"),))
        assert of_another_launch.read() == "a whole platform"
    assert path.read_text() == "the same"


def test_files_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LaunchMistake, match=r"file/platform\.xml: File exists"):
        write_files(((tmp_path / "file/platform.xml", ""),))


def test_a_run_goes_on_in_the_time_in_which_it_began(tmp_path: Path) -> None:
    simulated = build_run(machine=MadeMachine(simulation=SIMULATION), complete=False).write(tmp_path, "s.jsonl")
    real = build_run(complete=False).write(tmp_path, "r.jsonl")

    require_same_time(RunFile(path=simulated, continues=True), simulated=True)
    require_same_time(RunFile(path=real, continues=True), simulated=False)
    require_same_time(RunFile(path=tmp_path / "new.jsonl"), simulated=True)
    with pytest.raises(LaunchMistake, match="its times are simulated; continue it with --on simgrid:tinis"):
        require_same_time(RunFile(path=simulated, continues=True), simulated=False)
    with pytest.raises(LaunchMistake, match="its times are of real hosts; leave --on simgrid out"):
        require_same_time(RunFile(path=real, continues=True), simulated=True)


def test_a_good_end_needs_no_words(tmp_path: Path) -> None:
    assert sentences(incomplete(tmp_path), death=None, status=0) == ""


def test_options_go_to_the_engine_under_their_own_names() -> None:
    options = EngineOptions(
        isolated="3", until_interval="5%", place="random:7", run_id="r7", sets=("a=1", "b=2"), verify=True
    )

    words = run_arguments(
        engine=Path("/e"),
        workload=Path("w.sb"),
        ranks_per_node=4,
        run_file=RunFile(path=Path("r.jsonl")),
        options=options,
    )

    assert " ".join(words) == (
        "/e run w.sb --quiet --output r.jsonl --ranks-per-node 4 --isolated 3 --until-interval 5% --place random:7 "
        "--run-id r7 --set a=1 --set b=2 --verify"
    )


def test_a_continued_run_needs_no_workload() -> None:
    words = run_arguments(
        engine=Path("/e"),
        workload=None,
        ranks_per_node=None,
        run_file=RunFile(path=Path("r.jsonl"), continues=True),
        options=EngineOptions(),
    )

    assert words == ("/e", "run", "--quiet", "--continue", "r.jsonl")


def test_a_check_knows_the_nodes_or_looks_at_the_text_alone() -> None:
    known = check_arguments(engine=Path("/e"), workload=Path("w.sb"), ranks=8, ranks_per_node=4, sets=("a=1",))
    named = check_arguments(
        engine=Path("/e"), workload=Path("w.sb"), ranks=2, ranks_per_node=None, sets=(), telemetry="cpu"
    )
    unknown = check_arguments(engine=Path("/e"), workload=Path("w.sb"), ranks=None, ranks_per_node=None, sets=())

    assert " ".join(known) == "/e check w.sb --ranks 8 --ranks-per-node 4 --set a=1"
    assert " ".join(named) == "/e check w.sb --ranks 2 --telemetry cpu"
    assert unknown == ("/e", "check", "w.sb")
