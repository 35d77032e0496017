"""How a validation runs: what is refused before its launches, what is measured, and what it reports and writes."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import invoke
from support.traces import MadeRank, MadeTrace, Record, allreduce, call, irecv, isend, trace_of, waitall, write_lines

import stressbench
from stressbench.errors import MachineFault
from stressbench.exit_status import ExitStatus
from stressbench.experiments.progress import silent
from stressbench.experiments.validation.emission import NotEmitted
from stressbench.experiments.validation.repetitions import choose_computation, repetitions_of
from stressbench.experiments.validation.running import run_validation
from stressbench.experiments.validation.spec import ValidationSpec
from stressbench.experiments.validation.workload import Computation
from stressbench.formats.trace import Trace, read_trace
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome
from stressbench.results.validation import Validation, Verdict
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.iterations import Boundaries, Iterations, IterationSpan


def iterations(*calls: int, times: int = 5000) -> Iterations:
    """As many iterations on each rank, with so many calls each."""
    runs = tuple(IterationSpan(start=0, calls=number, times=times) for number in calls)
    return Iterations(runs=runs, found=times, skipped=0, differences=())


@pytest.mark.parametrize(
    ("computation", "calls", "found", "times"),
    [
        (None, (12, 10), Computation.sequence, 1000),
        (None, (262, 400), Computation.sequence, 655),  # 262,144 times are kept
        (None, (10, 262_144), Computation.sequence, 1),
        (None, (10, 262_145), Computation.measured, 1000),
        (None, (0,), Computation.sequence, 1000),
        (Computation.measured, (262, 400), Computation.measured, 1000),
        (Computation.mean, (600_000,), Computation.mean, 1000),
        (Computation.sequence, (400,), Computation.sequence, 655),
    ],
)
def test_in_sequence_only_iterations_whose_times_are_kept_are_measured(computation, calls, found, times):
    chosen, limited = choose_computation(iterations(*calls), computation, most=1000)
    assert (chosen, limited.times) == (found, times)


def test_an_iteration_of_too_many_calls_is_not_computed_in_sequence():
    with pytest.raises(
        NotComparable, match=r"262,145 calls, and the tracer keeps the times before 262,144; use --comp"
    ):
        choose_computation(iterations(262_145), Computation.sequence, most=1000)


@pytest.mark.parametrize(
    ("workload", "values", "message"),
    [
        (("tealeaf",), {"ranks": 0}, "-n 0: expected 1 or more"),
        (("tealeaf",), {"launches": 0}, "--launches 0: expected 1 or more"),
        (("tealeaf",), {"most_iterations": 0}, "--iterations 0: expected 1 or more"),
        (("tealeaf",), {"seed": -1}, "--seed -1: expected 0 or more"),
        (("tealeaf",), {"tolerance": 5}, "--within 5: expected a share between 0 and 1"),
        (("tealeaf",), {"computation": "x"}, "--computation x: expected one of sequence, measured, mean, own"),
        (("tealeaf",), {"computation": "own", "tolerance": 0.05}, "--within: with --computation own only times in MPI"),
        (
            ("replay", "-f", "a.trace"),
            {"tolerance": 0.05},
            "--within: replay computes as its own capture says, and",
        ),
        (
            ("replay", "-f", "a.trace"),
            {"emit": Path("a.sb")},
            "--emit: replay computes as its own capture says, and",
        ),
        (("tealeaf",), {"computation": "own", "emit": Path("a.sb")}, "--emit: with --computation own the workload has"),
        (
            ("tealeaf",),
            {"computation": "own", "cpu_time": True},
            "--cpu-time: with --computation own the workload takes",
        ),
        ((), {"boundaries": Boundaries(first="Bcast")}, "--from Bcast: a replay repeats the program's own loop"),
        ((), {"boundaries": Boundaries(last="Bcast")}, "--to Bcast: a replay repeats the program's own loop"),
        ((), {"any_tag": True}, "--any-tag: a replay has the tags of the program"),
        (
            ("tealeaf",),
            {"whole": True},
            "--whole: tealeaf is compared iteration by iteration; leave one of the two out",
        ),
        ((), {"computation": "own"}, "--computation own: a replay of the program has no computation of its own"),
        (("tealeaf",), {"emit": Path("a.txt")}, "--emit: a.txt should end in .sb"),
        (("tealeaf",), {"emit": Path("missing/a.sb")}, "--emit: .*missing is not a directory"),
    ],
)
def test_options_that_are_not_possible_are_refused_before_any_launch(workload, values, message):
    with pytest.raises(LaunchMistake, match=message):
        run_validation(ValidationSpec(**{"workload": workload, "program": ("./app",), "ranks": 2, **values}))


@dataclass(frozen=True, kw_only=True)
class MadeRun:
    """A launch of the workload that took 1 ms an iteration."""

    trace: Trace
    iterations: int
    job_ranks: int
    iterations_each: int = 1
    time_s: float = 1e-3


@dataclass(kw_only=True)
class MadeLaunches:
    """Launches that start nothing: of a program of 2 ranks that exchanges, reduces and repeats, and of its workload.

    `exchanges`: iterations of each rank. `replayed`: calls of a replay on each rank, those of the program if None.
    `job_ranks`: ranks of the workload's job. `program_s`: from MPI_Init to MPI_Finalize. `working_set`: bytes.
    `replay_fails`: no replay ends.
    """

    folder: Path
    job_ranks: int = 2
    exchanges: tuple[int, int] = (6, 6)
    replayed: list[list[Record]] | None = None
    seeds: list[int] = field(default_factory=list)
    repetitions: list[tuple[int, int]] = field(default_factory=list)  # measured, and before that to warm up
    cpu_time: bool = False
    program_s: float = 1.0
    working_set: int | None = 5000
    replay_fails: bool = False

    def check(self, program: Sequence[str]) -> None:
        pass

    def capture_program(self, program: Sequence[str], *, begins_paused: bool) -> Trace:
        loop = [[0, 1], [1, 1], [2, 1], [3, 1]]
        ranks = [
            MadeRank([*calls, BARRIER], rules=[[[4, 1], [-1, times]], loop], wall_s=self.program_s)
            for times, calls in zip(self.exchanges, CG, strict=True)
        ]
        return read_trace(MadeTrace(ranks).write(self.folder, "program.trace"))

    def capture_iterations(self, program: Sequence[str], runs, *, name: str, begins_paused, gap_times):
        if runs is None:  # the whole run, longer with each launch
            return self._trace(name, [(4 + int(name[-2:])) * calls for calls in CG]), OUTCOME
        return self._trace(name, [one.times * calls for one, calls in zip(runs, CG, strict=True)]), OUTCOME

    def working_set_bytes(self, program: Sequence[str], runs, *, begins_paused: bool) -> int | None:
        return self.working_set

    def run_workload(self, workload: Path, *, repetitions: int, warmup, seed: int, name: str, mode, program_s=0.0):
        self.seeds.append(seed)
        self.repetitions.append((repetitions, warmup))
        is_replay = "[MOTIF] replay" in workload.read_text()
        if is_replay and self.replay_fails:
            raise MachineFault("stressbench-mpi ended with status 3")
        calls = [5 * rank for rank in CG] if is_replay else [repetitions * rank for rank in CG]
        if is_replay and self.replayed is not None:
            calls = self.replayed
        made = MadeRun(
            trace=self._trace(name, calls), iterations=5 if is_replay else repetitions, job_ranks=self.job_ranks
        )  # fmt: skip
        return made, OUTCOME

    ranks = 2

    def _trace(self, name: str, sequences: Sequence[Sequence[Record]]) -> Trace:
        return trace_of(self.folder, sequences, name=name)


BARRIER = call("Barrier", comm=0, bytes=0)
CG = [[isend(1), irecv(1), waitall(0, 1), allreduce()], [isend(0), irecv(0), waitall(0, 1), allreduce()]]
OUTCOME = Outcome(status=0, stop_requests=0, output="", errors="", rank_of=())


@pytest.fixture
def validate(tmp_path, monkeypatch) -> Callable[..., Validation]:
    """Validates with launches that are made up; the engine only describes motifs. `made` changes the launches."""
    engine = tmp_path / "stressbench-mpi"
    engine.write_text("""#!/bin/sh
[ "$1" = check ] && exit 0
case $2 in
  tealeaf) echo '{"options": [{"name": "gaps-from"}]}' ;;
  *) echo '{"options": []}' ;;
esac
""")
    engine.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    def run(
        *workload: str, progress=silent, made: dict[str, Any] | None = None, before=lambda: None, **values: Any
    ) -> Validation:
        def launches(*, folder: Path, cpu_time: bool, **_: Any) -> MadeLaunches:
            before()
            return MadeLaunches(folder=folder, cpu_time=cpu_time, **(made or {}))

        monkeypatch.setattr("stressbench.experiments.validation.running.TracedLaunches", launches)
        spec = {"workload": workload, "program": ("./app",), "ranks": 2, "engine": engine, "launches": 2, **values}
        return run_validation(ValidationSpec(**spec), progress=progress)

    return run


def test_a_motif_with_the_calls_of_the_program_is_measured(validate):
    found = validate("tealeaf")
    assert (found.found, found.measured, found.computation, len(found.blocks)) == (6, 5, "sequence", 2)
    assert found.notes == ()
    block = found.blocks[0]
    assert block.ratio == pytest.approx(1e-3 / (1.0 / 5))
    assert (block.program.slowest_s, block.workload.slowest_s) == (pytest.approx(0.2), None)


@pytest.mark.parametrize(
    ("cores", "values", "expected"),
    [
        (2, {}, False),
        (1, {}, True),
        (1, {"cpu_time": False}, False),
        (2, {"cpu_time": True}, True),
        (1, {"computation": "own"}, False),
    ],
)
def test_computation_is_processor_time_where_ranks_share_cores(
    validate, tmp_path, monkeypatch, cores, values, expected
):
    monkeypatch.setattr("stressbench.launch.machine.cores", lambda: cores)
    found = validate("tealeaf", output=tmp_path / "kept", **values)
    assert found.cpu_time is expected
    assert ("--compute cpu" in (tmp_path / "kept/workload.sb").read_text()) is expected
    plan = json.loads((tmp_path / "kept/launches.jsonl").read_text().partition("\n")[0])
    assert plan["cpu_time"] is expected


@pytest.mark.parametrize(
    ("times", "calls", "time_s", "expected"),
    [
        (40, 10, 1.0, (1, 40)),  # long iterations
        (100, 10, 1e-3, (20, 10)),  # repetitions of 20 ms, 0.2 s in all
        (1000, 10, 1e-3, (20, 50)),
        (90, 10, 1e-3, (22, 12)),  # four repetitions, three times
        (26, 17, 3e-4, (26, 26)),  # the iterations are too few: all of them, again and again
        (1000, 10_000, 1e-3, (6, 166)),  # as many as there are times for
        (10, 100_000, 0.01, (1, 20)),
    ],
)
def test_a_repetition_is_long_enough_to_hide_its_start(times, calls, time_s, expected):
    assert repetitions_of(times=times, calls=calls, time_s=time_s) == expected


def test_short_iterations_of_a_motif_are_put_together(validate, tmp_path, monkeypatch):
    monkeypatch.setattr("stressbench.experiments.validation.measurement.repetitions_of", lambda **_: (5, 3))
    found = validate("tealeaf", output=tmp_path / "kept")
    assert "[MOTIF] tealeaf --iterations 5 " in (tmp_path / "kept/workload.sb").read_text()
    assert found.measured == 5


@pytest.mark.parametrize("words", [("tealeaf", "-i", "3"), ("tealeaf", "--iterations=3"), ("tealeaf", "-i3")])
def test_iterations_of_the_user_stay_as_they_are(validate, tmp_path, monkeypatch, words):
    monkeypatch.setattr("stressbench.experiments.validation.measurement.repetitions_of", lambda **_: (5, 3))
    validate(*words, output=tmp_path / "kept")
    assert "--iterations 5" not in (tmp_path / "kept/workload.sb").read_text()


def test_a_motif_that_computes_only_before_its_first_call_is_not_compared(validate):
    with pytest.raises(NotComparable, match="halo makes 4 calls and takes no --gaps-from; use --computation own"):
        validate("halo")
    assert validate("halo", computation="own").computation == "own"


def test_the_computation_of_a_replay_of_a_capture_is_reported_as_its_own(validate, tmp_path):
    (tmp_path / "app.sb").write_text("[JOB_NAME] app\n[NODES] 1\n[MOTIF] replay -f app.trace\n")
    found = validate("app.sb", made={"replayed": [5 * calls for calls in CG]})
    assert found.computation == "own"


def test_a_loop_with_hardly_any_of_the_time_is_noted(validate):
    replay = {"replayed": [5 * calls for calls in CG]}
    assert validate(made={**replay, "program_s": 11.9}).notes == ()
    (note,) = validate(made={**replay, "program_s": 120.0}).notes
    assert "takes 1 % of the program's time" in note


def test_iterations_that_are_over_too_soon_are_noted(validate, monkeypatch):
    replay = {"replayed": [5 * calls for calls in CG]}
    assert validate(made=replay).notes == ()
    monkeypatch.setattr("stressbench.experiments.validation.notes.SHORTEST_S", 2.0)
    (note,) = validate(made=replay).notes
    assert note.startswith("the measured iterations of the program take 1 s of a launch")


def test_whole_runs_with_other_calls_in_each_launch_are_compared_with_their_own_replays(validate, tmp_path):
    repetitions: list[tuple[int, int]] = []
    made = {"replayed": [5 * calls for calls in CG], "repetitions": repetitions}
    found = validate(whole=True, output=tmp_path / "kept", made=made)
    assert (found.verdict, found.whole, found.found, found.measured) == (Verdict.same_calls, True, 1, 1)
    assert len(found.blocks) == 2
    assert found.blocks[0].program.time_s == pytest.approx(1.0)
    assert "iterations-02.trace" in (tmp_path / "kept/workload.sb").read_text()
    plan = json.loads((tmp_path / "kept/launches.jsonl").read_text().partition("\n")[0])
    assert plan["whole"] is True
    assert repetitions == [(1, 0), (1, 0)]  # as cold as the program


def test_a_whole_run_with_more_calls_than_times_is_not_compared_in_sequence(validate, monkeypatch):
    monkeypatch.setattr("stressbench.experiments.validation.repetitions.MAX_GAP_TIMES", 19)
    with pytest.raises(
        NotComparable,
        match="an iteration has 20 calls, and the tracer keeps the times before 19; use --computation measured",
    ):
        validate(whole=True, computation="sequence", made={"exchanges": (1, 1)})


@pytest.mark.parametrize("workload", [("tealeaf",), ()])
def test_computation_reads_as_much_memory_as_the_program_uses(validate, tmp_path, workload):
    result = validate(*workload, output=tmp_path / "kept")

    assert result.working_set_bytes == 5000
    assert "--working-set 5000" in (tmp_path / "kept/workload.sb").read_text()
    assert "4.88 KiB of a rank, read by this computation" in (tmp_path / "kept/report.html").read_text()


@pytest.mark.parametrize(
    ("workload", "values", "working_set", "is_noted"),
    [
        (("tealeaf",), {}, None, True),
        (("tealeaf", "--working-set", "1MiB"), {}, 5000, False),
        (("tealeaf",), {"computation": "own"}, 5000, False),
    ],
)
def test_without_a_working_set_of_the_program_none_is_added(
    validate, tmp_path, workload, values, working_set, is_noted
):
    result = validate(*workload, output=tmp_path / "kept", made={"working_set": working_set}, **values)

    assert result.working_set_bytes is None
    assert (tmp_path / "kept/workload.sb").read_text().count("working-set") == workload.count("--working-set")
    assert any(note.startswith("the working set of the program is unknown") for note in result.notes) == is_noted


def test_a_job_that_leaves_out_ranks_of_the_program_is_not_compared(validate, tmp_path):
    (tmp_path / "w.sb").write_text("[JOB_NAME] w\n[NODES] 1\n[RANKS_PER_NODE] 1\n[MOTIF] tealeaf\n")
    with pytest.raises(NotComparable, match=r"w: its job has 1 of the 2 ranks; \[NODES\] 1 without \[RANKS_PER_NODE\]"):
        validate("w.sb", made={"job_ranks": 1})


def test_ranks_with_different_numbers_of_iterations_are_noted(validate):
    found = validate("tealeaf", made={"exchanges": (6, 7)})
    (note,) = found.notes
    assert note.startswith("some ranks make these calls 6 times in a row, others up to 7 times")


@pytest.mark.parametrize("exchanges", [(100, 101), (6, 6)])
def test_a_replay_of_loops_of_different_lengths_that_fails_could_be_that_of_the_whole_run(validate, exchanges):
    reason = "stressbench-mpi ended with status 3"
    hint = ": its ranks repeat loops of different lengths, and .*; --whole compares whole runs" * (
        len({*exchanges}) > 1
    )
    with pytest.raises(MachineFault, match=f"^{reason}{hint}$"):
        validate(made={"exchanges": exchanges, "replay_fails": True})


def test_a_replay_with_other_calls_is_not_measured(validate, tmp_path):
    replayed = [5 * CG[0], [*(2 * CG[1]), BARRIER, *(2 * CG[1])]]
    said: list[str] = []

    found = validate(
        emit=Path("e.sb"), made={"replayed": replayed}, progress=lambda text, **_: said.append(text)
    )  # fmt: skip

    assert (found.verdict, found.found, found.blocks, found.ratio) == (Verdict.different_calls, 0, (), None)
    (difference,) = found.differences
    assert (difference.rank, difference.place, difference.calls) == (1, 8, 20)
    assert not (tmp_path / "e.sb").exists()
    assert said[-1] == "--emit: e.sb was not written, since the calls differ"


def test_the_order_in_which_any_of_several_messages_complete_is_not_compared(validate, monkeypatch):
    some = call("Testsome", requests=[0, 1], done=[0])
    monkeypatch.setattr(f"{__name__}.CG", [[*CG[0], some], CG[1]])
    replayed = [5 * [some, *CG[0]], 5 * CG[1]]

    found = validate(made={"replayed": replayed}, whole=True)

    assert found.differences == () and len(found.blocks) == 2
    (note,) = found.notes
    assert note.startswith("some ranks wait or test for any of several messages (MPI_Testsome), whose order")


def test_a_replay_whose_calls_are_unknown_is_not_comparable(validate, monkeypatch):
    whole = MadeLaunches.run_workload

    def without_rules(self, *arguments, **options):
        made, outcome = whole(self, *arguments, **options)
        records = [json.loads(line) for line in made.trace.path.open()]
        records[2].update(rules=None, gaps=None, sequence_calls=None)
        for record in records:
            record.pop("crc32")
        return replace(made, trace=read_trace(write_lines(made.trace.path, records))), outcome

    monkeypatch.setattr(MadeLaunches, "run_workload", without_rules)
    with pytest.raises(NotComparable, match="the replay cannot be compared with the program: rank 1: no sequence"):
        validate()


def test_the_emitted_workload_has_its_captures_beside_it(validate, tmp_path):
    validate("tealeaf", emit=Path("e.sb"))
    assert "--gaps-from e.trace" in (tmp_path / "e.sb").read_text()
    assert (tmp_path / "e.trace").exists()

    validate("tealeaf", emit=Path("e.sb"))  # once more


def test_a_capture_of_another_file_is_not_replaced(validate, tmp_path):
    (tmp_path / "e.trace").write_text("mine")
    with pytest.raises(LaunchMistake, match=r"--emit: e\.trace already exists; choose another name"):
        validate("tealeaf", emit=Path("e.sb"))
    assert (tmp_path / "e.trace").read_text() == "mine"


def test_the_compared_workload_is_not_replaced(validate, tmp_path):
    (tmp_path / "w.sb").write_text("[JOB_NAME] w\n[NODES] 1\n[MOTIF] tealeaf\n")
    with pytest.raises(LaunchMistake, match=r"--emit: w\.sb: is a file that this command reads"):
        validate("w.sb", emit=Path("w.sb"))


def test_what_cannot_be_emitted_after_the_launches_keeps_the_result(validate, tmp_path):
    (tmp_path / "there").mkdir()

    with pytest.raises(NotEmitted, match=r"--emit: .*there.*: no such file or directory") as raised:
        validate("tealeaf", emit=Path("there/e.sb"), before=(tmp_path / "there").rmdir)

    assert len(raised.value.result.blocks) == 2


def test_from_python_what_cannot_be_emitted_is_an_error_with_the_results(validate, tmp_path):
    (tmp_path / "there").mkdir()
    validate("tealeaf", before=(tmp_path / "there").rmdir)  # also for the launches below
    (tmp_path / "there").mkdir()

    with pytest.raises(stressbench.ValidationFailed, match=r"--emit: .*there.*: no such file or directory") as failed:
        stressbench.validate(
            "tealeaf", ["./app"], ranks=2, launches=2, engine=tmp_path / "stressbench-mpi", emit="there/e.sb"
        )

    assert failed.value.status == ExitStatus.fault
    assert len(failed.value.results.data.blocks) == 2
    assert failed.value.results.report(format="md").startswith("# tealeaf beside ./app\n")


def test_each_launch_of_the_workload_has_a_seed_of_its_own(validate):
    seeds: list[int] = []
    validate("tealeaf", seed=7, launches=3, made={"seeds": seeds})
    assert seeds == [7, 7, 8, 9]  # of the capture, then of the launches


def test_the_command_prints_the_result_of_a_workload_that_cannot_be_written(validate, tmp_path):
    (tmp_path / "there").mkdir()
    validate("tealeaf", before=(tmp_path / "there").rmdir)  # also for the launches below
    (tmp_path / "there").mkdir()

    ended = invoke("validate -n 2 --launches 2 --engine ./stressbench-mpi --emit there/e.sb tealeaf -- ./app")

    assert "calls: the same on 2 ranks" in ended.stdout
    assert ended.exit_code == ExitStatus.fault
    assert ended.stderr.endswith("stressbench: --emit: there/e.trace: no such file or directory\n")
