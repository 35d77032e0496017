"""Why Slurm or Flux ended a launch, from messages of Slurm 22.05 and Flux 0.88."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, build_run

from stressbench.experiments.failed_program import lines_on_failure
from stressbench.formats.run import Run, read_run
from stressbench.launch.cancellation import Cancellation, cancellation_in
from stressbench.launch.diagnosis import Death
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.execute import Outcome
from stressbench.launch.explanation import explain
from stressbench.launch.session import LaunchRequest, RunResult

CANCELLED = "slurmstepd: error: *** STEP 12.0 ON h0 CANCELLED AT 2026-11-28T13:05:00{} ***\n"
NODE_FAILED = (
    "srun: error: Node failure on h3\n"
    "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"
    + CANCELLED.format(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    + "srun: error: h3: task 3: Killed\n"
)
GONE = (
    "srun: error: Unable to confirm allocation for job 12: Invalid job id specified\n"
    "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 12\n"
)
COMPLETING = "srun: error: Unable to create step for job 12: Job/step already completing or completed\n"
DEAD = Death(rank=3, host="h3", number=9)


@pytest.mark.parametrize(
    ("errors", "sentence", "ends_allocation"),
    [
        (NODE_FAILED, "node h3 failed: Slurm ended step 12.0", True),
        ("salloc: error: Node failure on h[2-3]\n", "node h[2-3] failed", True),
        (
            CANCELLED.format(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"),
            "a node failed: Slurm ended step 12.0 (`sinfo -R` names the node)", True,
        ),
        (CANCELLED.format(" DUE TO TIME LIMIT"), "Slurm ended step 12.0 at its time limit", True),
        (CANCELLED.format(" DUE TO PREEMPTION"), "Slurm preempted step 12.0", True),
        (CANCELLED.format(" DUE TO JOB REQUEUE"), "Slurm requeued step 12.0", True),
        (CANCELLED.format(""), "step 12.0 of Slurm was cancelled", False),
        (CANCELLED.format("").replace("STEP 12.0", "JOB 12"), "job 12 of Slurm was cancelled", True),
        (GONE, "job 12 of Slurm has ended", True),
        (COMPLETING, "Slurm starts no ranks in job 12: job/step already completing or completed", True),
    ],
)  # fmt: skip
def test_messages_of_slurm_say_why_it_ended_the_launch(errors: str, sentence: str, ends_allocation: bool) -> None:
    assert cancellation_in(errors) == Cancellation(sentence=sentence, ends_allocation=ends_allocation)


@pytest.mark.parametrize(
    ("exception", "sentence", "ends_allocation"),
    [
        ("type=exec severity=0 node failure on h3 (rank 1)", "node h3 failed: Flux ended job f4kRL", True),
        ("type=timeout severity=0 resource allocation expired", "Flux ended job f4kRL at its time limit", False),
        ("type=cancel severity=0 ", "job f4kRL of Flux was cancelled", False),
    ],
)
def test_messages_of_flux_say_why_it_ended_the_launch(exception: str, sentence: str, ends_allocation: bool) -> None:
    errors = f"6.454s: job.exception f4kRL {exception}\nflux-job: task(s) Killed\n"

    assert cancellation_in(errors) == Cancellation(sentence=sentence, ends_allocation=ends_allocation)


@pytest.mark.parametrize(
    "errors",
    [
        "",
        "1.1s: job.exception f4kRL type=exec severity=0 w: task rank 3 on host h3 exited (Killed) and exit-timeout=30s",
        "1.1s: job.exception f4kRL type=note severity=5 node failure on h3\n",
        "srun: error: h3: task 3: Killed\n",
        "srun: error: Unable to create step for job 12: More processors requested than permitted\n",
        "a program prints: Node failure on h3\n",
    ],
)
def test_other_messages_say_nothing_of_that(errors: str) -> None:
    assert cancellation_in(errors) is None


def sentences(folder: Path, errors: str, *, death: Death | None = None, stops: int = 0) -> str:
    """What is said of a run of two rounds that ended so."""
    ended = replace(outcome(errors), stop_requests=stops)
    path = build_run(jobs=(MadeJob(name="CG"),), plan=MadePlan(blocks=1), complete=False).write(folder)
    run: Run = read_run(path)
    result = RunResult(
        status=130 if stops else 3, outcome=ended, death=death, run=run, cancellation=cancellation_in(errors)
    )
    request = LaunchRequest(workload=Path("a.sb"), ranks=2, run_file=RunFile(path=path), options=EngineOptions())
    return "\n".join(explain(result, request=replace(request, on="slurm")))


def outcome(errors: str) -> Outcome:
    return Outcome(status=137, stop_requests=0, output="", errors=errors, rank_of=())


def test_a_failed_node_is_named_rather_than_the_ranks_that_it_took_along(tmp_path: Path) -> None:
    text = sentences(tmp_path, NODE_FAILED, death=DEAD)

    assert text.startswith("node h3 failed: Slurm ended step 12.0\n")
    assert "rounds are complete in" in text
    assert "dmesg" not in text


def test_a_step_that_was_ended_because_a_rank_died_is_no_cause(tmp_path: Path) -> None:
    text = sentences(tmp_path, CANCELLED.format(""), death=DEAD)

    assert "was ended by SIGKILL" in text.splitlines()[0]
    assert "cancelled" not in text


def test_a_step_that_was_ended_on_request_is_no_cause_and_the_end_of_its_job_is(tmp_path: Path) -> None:
    assert "cancelled" not in sentences(tmp_path, CANCELLED.format(""), stops=1)
    assert "Slurm preempted step 12.0" in sentences(tmp_path, CANCELLED.format(" DUE TO PREEMPTION"), stops=1)


def test_a_program_that_failed_with_its_node_says_so() -> None:
    assert lines_on_failure("cg", outcome(NODE_FAILED))[0] == "cg was ended: node h3 failed: Slurm ended step 12.0"
