"""How long a study may take: as the file says, and as its runs did."""

from stressbench.experiments.study.estimate import Bounds, bounds_of, seconds_left
from stressbench.experiments.study.run_states import RunState, State
from stressbench.formats.study.cells import Cell, PlannedRun
from stressbench.formats.study.tables import RunTable

WORKLOAD = "[JOB_NAME] a\n[NODES] 1\n[JOB_NAME] b\n[ROLE] background\n[JOB_NAME] c\n[JOB_NAME] d\n[ROLE] congestor\n"


def standing(name: str, *, repetition: int = 0, took_s: float | None = None) -> RunState:
    run = PlannedRun(cell=Cell(workload=name, on="local"), repetition=repetition)
    return RunState(run=run, state=State.waiting if took_s is None else State.done, duration_s=took_s)


def test_a_run_takes_as_long_as_those_of_its_cell_did() -> None:
    done = [standing("quick", took_s=10.0), standing("slow", took_s=100.0)]
    wanted = [standing("quick", repetition=1)]

    assert seconds_left(wanted, all_states=[*done, *wanted]) == 10.0


def test_a_cell_of_which_nothing_is_known_takes_as_long_as_the_others_did() -> None:
    done = [standing("quick", took_s=10.0), standing("slow", took_s=100.0)]

    assert seconds_left([standing("new")], all_states=done) == 55.0


def test_before_the_first_run_nobody_knows() -> None:
    assert seconds_left([standing("new")], all_states=[standing("new")]) is None


def test_rounds_and_their_least_time_bound_a_run_from_below() -> None:
    run = RunTable(isolated=3, contended=4, min_time="30s", time_limit="10min")

    assert bounds_of(run, workload=WORKLOAD) == Bounds(least_s=(3 * 2 + 4) * 30.0, most_s=600.0)


def test_without_them_nothing_is_known() -> None:
    assert bounds_of(RunTable(), workload=WORKLOAD) == Bounds(least_s=None, most_s=None)
