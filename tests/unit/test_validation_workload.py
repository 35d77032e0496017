"""The workload that is compared with an application: its text with the computation of the program in it."""

from pathlib import Path

import pytest
from support.fake_lab import FOUR

from stressbench.experiments.run import WorkloadRefused
from stressbench.experiments.validation.workload import ComparedWorkload, Computation
from stressbench.launch.batch.slurm import SlurmTarget
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LOCAL, LaunchTarget
from stressbench.tracing.alphabet import NotComparable

CHAIN = """\
[SET] cells=100
[JOB_NAME] solver        # a solver
[NODES] 1
[MOTIF] halo2d -x ${cells} -y 50   # its halo
[MOTIF] Compute -m 3ms
[MOTIF] AllReduce
"""


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """An engine that describes motifs: tealeaf and halo2d take captured computation, others do not."""
    program = tmp_path / "stressbench-mpi"
    program.write_text("""#!/bin/sh
[ "$1" = check ] && exit 0
case $2 in
  tealeaf | halo2d) echo '{"options": [{"name": "columns"}, {"name": "gaps-from"}]}' ;;
  allreduce) echo '{"options": [{"name": "size"}]}' ;;
  *) echo "no such motif" >&2; exit 2 ;;
esac
""")
    program.chmod(0o755)
    return program


def workload(engine: Path, *words: str) -> ComparedWorkload:
    return ComparedWorkload.of(words, engine=engine)


def test_a_motif_is_a_job_on_all_nodes(engine: Path) -> None:
    made = workload(engine, "tealeaf", "-x", "100", "--name", "two words")
    assert made.text(nodes=3) == '[JOB_NAME] tealeaf\n[NODES] 3\n[MOTIF] tealeaf -x 100 --name "two words"\n'
    assert made.motifs == ("tealeaf",)


def test_a_motif_takes_the_computation_between_its_calls(engine: Path) -> None:
    text = workload(engine, "tealeaf").text(nodes=1, gaps=[Path("a b.trace")], computation=Computation.mean)
    assert text.endswith('[MOTIF] tealeaf --gaps-from "a b.trace" --gaps mean\n')


def test_the_computation_of_a_motif_reads_as_much_memory_as_the_program_or_as_it_says(engine: Path) -> None:
    def text(*words: str, computation: Computation = Computation.mean) -> str:
        made = workload(engine, *words)
        gaps = [Path("a.trace")]
        return made.text(nodes=1, gaps=gaps, computation=computation, working_set=4096).partition("[MOTIF] ")[2]

    assert text("tealeaf") == "tealeaf --gaps-from a.trace --gaps mean --working-set 4096\n"
    assert text() == "replay -f a.trace --gaps mean --working-set 4096\n"
    for own in (("--working-set", "1MiB"), ("--working-set=1MiB",)):
        assert text("tealeaf", *own) == f"tealeaf {' '.join(own)} --gaps-from a.trace --gaps mean\n"
        assert not workload(engine, "tealeaf", *own).lacks_working_set
    assert "working-set" not in text("allreduce") + text("tealeaf", computation=Computation.own)
    assert [workload(engine, *words).lacks_working_set for words in (("tealeaf",), (), ("allreduce",))] == [
        True, True, False,
    ]  # fmt: skip


def test_before_a_motif_without_gaps_a_compute_step_has_the_computation(engine: Path) -> None:
    text = workload(engine, "allreduce").text(nodes=1, gaps=[Path("a.trace")], computation=Computation.measured)
    assert text.endswith("[MOTIF] compute --gaps-from a.trace --gaps measured --call 0\n[MOTIF] allreduce\n")


def test_each_kind_of_workload_computes_for_processor_time_on_request(engine: Path, tmp_path: Path) -> None:
    def text(*words: str) -> str:
        gaps = [Path(f"{number + 1}.trace") for number in range(max(len(workload(engine, *words).motifs), 1))]
        made = workload(engine, *words).text(nodes=1, gaps=gaps, computation=Computation.mean, cpu_time=True)
        return made.partition("[NODES] 1\n")[2]

    (tmp_path / "chain.sb").write_text(CHAIN)
    assert text("tealeaf") == "[MOTIF] tealeaf --gaps-from 1.trace --gaps mean --compute cpu\n"
    assert (
        text("allreduce") == "[MOTIF] compute --gaps-from 1.trace --gaps mean --call 0 --mode cpu\n[MOTIF] allreduce\n"
    )
    assert text() == "[MOTIF] replay -f 1.trace --gaps mean --compute cpu\n"
    halo, step, _ = text(str(tmp_path / "chain.sb")).splitlines()
    assert halo.endswith("--gaps-from 1.trace --gaps mean --compute cpu")
    assert step.endswith("--gaps-from 2.trace --gaps mean --call 0 --mode cpu")


def test_its_own_computation_is_kept_on_request(engine: Path) -> None:
    made = workload(engine, "tealeaf")
    assert made.text(nodes=1, gaps=[Path("a.trace")]) == made.text(nodes=1)


def test_each_motif_of_a_chain_has_a_capture_and_its_compute_steps_are_left_out(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "chain.sb").write_text(CHAIN)
    made = workload(engine, str(tmp_path / "chain.sb"))

    text = made.text(nodes=1, gaps=[Path("1.trace"), Path("2.trace")], computation=Computation.measured)

    assert (
        text
        == """\
[SET] cells=100
[JOB_NAME] solver        # a solver
[NODES] 1
[MOTIF] halo2d -x ${cells} -y 50 --gaps-from 1.trace --gaps measured
[MOTIF] compute --gaps-from 2.trace --gaps measured --call 0
[MOTIF] AllReduce
"""
    )


def test_the_steps_of_a_chain_are_workloads_of_one_motif(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "chain.sb").write_text(CHAIN)
    halo, reduction = workload(engine, str(tmp_path / "chain.sb")).steps(nodes=1)
    assert ("halo2d" in halo, "AllReduce" in halo, "Compute" in halo) == (True, False, False)
    assert ("halo2d" in reduction, "AllReduce" in reduction, "[NODES] 1" in reduction) == (False, True, True)


def test_a_replay_has_the_computation_of_its_capture(engine: Path, tmp_path: Path) -> None:
    assert workload(engine).text(nodes=2, gaps=[Path("a.trace")], computation=Computation.mean) == (
        "[JOB_NAME] replay\n[NODES] 2\n[MOTIF] replay -f a.trace --gaps mean\n"
    )
    recorded = tmp_path / "app.sb"
    recorded.write_text("[JOB_NAME] app\n[NODES] 1\n[MOTIF] replay -f app.trace\n")
    made = workload(engine, str(recorded))
    assert made.text(nodes=1, gaps=[Path("b.trace")], computation=Computation.measured) == recorded.read_text()


def test_in_a_loop_computation_cannot_be_replaced(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "loop.sb").write_text(CHAIN.replace("[MOTIF] AllReduce", "[LOOP] 3\n[MOTIF] AllReduce\n[END]"))
    made = workload(engine, str(tmp_path / "loop.sb"))
    with pytest.raises(LaunchMistake, match=r"loop.sb has \[LOOP\], in which computation cannot be replaced"):
        made.computation(Computation.measured)
    assert made.computation(Computation.own) is Computation.own


def test_a_replay_has_no_computation_of_its_own(engine: Path) -> None:
    made = workload(engine)
    assert made.computation(None) is None
    assert made.computation(Computation.mean) is Computation.mean
    with pytest.raises(LaunchMistake, match="--computation own: a replay of the program has no computation of its own"):
        made.computation(Computation.own)


def test_a_replay_of_a_capture_has_its_own_computation(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "app.sb").write_text("[JOB_NAME] app\n[NODES] 1\n[MOTIF] replay -f app.trace\n")
    for made in (workload(engine, "replay", "-f", "app.trace"), workload(engine, str(tmp_path / "app.sb"))):
        assert made.computation(None) is Computation.own
        with pytest.raises(LaunchMistake, match=r"--computation mean: .* computes as its own capture says"):
            made.computation(Computation.mean)


@pytest.mark.parametrize("option", ["--scale 0.5", "--scale=0.5", "--compute off"])
def test_a_motif_that_scales_its_computation_does_not_compute_as_long_as_the_program(
    engine: Path, tmp_path: Path, option: str
) -> None:
    (tmp_path / "scaled.sb").write_text(f"[JOB_NAME] a\n[NODES] 1\n[MOTIF] tealeaf -x 9 {option}  # --scale\n")
    for made in (workload(engine, "tealeaf", *option.split()), workload(engine, str(tmp_path / "scaled.sb"))):
        with pytest.raises(
            LaunchMistake, match=f"{option[:7]}.*: tealeaf would not compute for as long as the program"
        ):
            made.computation(None)
        assert made.computation(Computation.own) is Computation.own
    assert workload(engine, "tealeaf", "--scaled", "--name", "scale").computation(None) is None


def test_between_its_calls_a_motif_takes_computation_from_a_capture_or_is_not_compared(
    engine: Path, tmp_path: Path
) -> None:
    workload(engine, "tealeaf").require_gaps([12])
    workload(engine, "allreduce").require_gaps([1])
    with pytest.raises(NotComparable, match="allreduce makes 10 calls and takes no --gaps-from; use --computation own"):
        workload(engine, "allreduce", "-i", "10").require_gaps([10])
    (tmp_path / "chain.sb").write_text(CHAIN)
    made = workload(engine, str(tmp_path / "chain.sb"))
    made.require_gaps([8, 1])
    with pytest.raises(NotComparable, match="allreduce makes 2 calls"):
        made.require_gaps([8, 2])


def test_an_emitted_workload_is_compared_with_a_new_capture(engine: Path, tmp_path: Path) -> None:
    emitted = workload(engine, "tealeaf", "-x", "9").text(nodes=1, gaps=[Path("a b")], computation=Computation.sequence)
    (tmp_path / "emitted.sb").write_text(emitted)
    made = workload(engine, str(tmp_path / "emitted.sb"))
    assert made.text(nodes=1, gaps=[Path("new.trace")], computation=Computation.mean) == (
        "[JOB_NAME] tealeaf\n[NODES] 1\n[MOTIF] tealeaf -x 9 --gaps-from new.trace --gaps mean\n"
    )


def test_checking_a_workload_replaces_no_file_of_the_user(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "heat.sb").write_text("mine")
    (tmp_path / "folder").mkdir()
    made = workload(engine, str(tmp_path / "heat"))

    made.check(ranks=2, target=LOCAL, folder=tmp_path / "folder")

    assert (tmp_path / "heat.sb").read_text() == "mine"
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["workload.sb"]


@pytest.mark.parametrize(
    ("target", "ranks", "options", "nodes"),
    [
        (LOCAL, 4, " --ranks 4", 1),
        (FOUR, 4, " --ranks 4 --ranks-per-node 2", 2),
        (FOUR, 3, "", 1),  # two ranks and one: nodes that the engine cannot be told of
        (SlurmTarget(nodes=4), 8, " --ranks 8 --ranks-per-node 2", 4),
        (SlurmTarget(), 8, "", 1),
    ],
)
def test_a_workload_is_checked_on_the_nodes_of_its_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: LaunchTarget, ranks: int, options: str, nodes: int
) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    program = tmp_path / "stressbench-mpi"
    program.write_text(f'#!/bin/sh\necho "$*" >{tmp_path}/called\n')
    program.chmod(0o755)

    workload(program, "tealeaf").check(ranks=ranks, target=target, folder=tmp_path)

    assert (tmp_path / "called").read_text() == f"check {tmp_path}/workload.sb{options}\n"
    assert f"[NODES] {nodes}\n" in (tmp_path / "workload.sb").read_text()


def test_where_mpirun_gets_its_hosts_from_a_batch_system_nodes_are_not_known(
    engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    engine.write_text(f'#!/bin/sh\necho "$*" >{tmp_path}/called\n')

    workload(engine, "tealeaf").check(ranks=4, target=LOCAL, folder=tmp_path)

    assert (tmp_path / "called").read_text() == f"check {tmp_path}/workload.sb\n"


def test_a_workload_of_two_jobs_is_refused(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "other.sb").write_text(CHAIN)
    (tmp_path / "two.sb").write_text(f"{CHAIN}[INCLUDE] other.sb\n")
    with pytest.raises(LaunchMistake, match=r"two\.sb: expected a workload of one job; it has 2"):
        workload(engine, str(tmp_path / "two.sb")).check(ranks=2, target=LOCAL, folder=tmp_path)


def test_what_is_no_workload_is_refused(engine: Path, tmp_path: Path) -> None:
    with pytest.raises(LaunchMistake, match=r"-x: w\.sb is a workload, which takes no options"):
        workload(engine, "w.sb", "-x")
    with pytest.raises(LaunchMistake, match=r"missing\.sb: no such file"):
        workload(engine, str(tmp_path / "missing.sb")).text(nodes=1)
    (tmp_path / "binary.sb").write_bytes(b"\xff\xfe")
    with pytest.raises(LaunchMistake, match="expected a text in UTF-8"):
        workload(engine, str(tmp_path / "binary.sb")).text(nodes=1)
    with pytest.raises(WorkloadRefused):
        workload(engine, "nothing").text(nodes=1, gaps=[Path("a.trace")], computation=Computation.measured)
