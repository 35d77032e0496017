"""Commands of the ReFrame, Ramble and Spack packages: the engine takes their options, and workloads fit their ranks."""

import re
import shlex
from pathlib import Path

import pytest
from support.programs import CHECKOUT, Engine, Outcome
from support.recipes import benchpark_experiment, ramble_application, reframe_checks, spack_tests

RANKS: dict[str, int] = benchpark_experiment().RANKS
CHECKS = ("StressBenchDemo", "StressBenchValidation", "StressBenchGpcnet", "StressBenchStorage", "StressBenchCheck")
OF_THE_FILE = ("--overwrite", "--quiet", "--output", "run.jsonl", "demo.jsonl")
"""Words of a command about its run file: the rest says what is measured, and on which nodes."""


def ramble_command(case: str, folder: Path) -> list[str]:
    """The command that starts the ranks of a workload, without the launcher."""
    declared = ramble_application().declared
    (command,) = [words[1] for words, _ in declared["executable"] if words[0] == "run"]
    variables = {
        words[0]: options["default"]
        for words, options in declared["workload_variable"]
        if options["workloads"] == [case]
    }
    text = command.format_map({**variables, "experiment_run_dir": "{experiment_run_dir}"})
    return shlex.split(text.format(stressbench_path="PREFIX", experiment_run_dir=folder))


def reframe_command(name: str) -> list[str]:
    """The command that starts the ranks of a test, without the launcher."""
    test = getattr(reframe_checks(), name)()
    test.prepare_command()
    return [test.executable, *test.executable_opts]


def started_on_one_rank(engine: Engine, command: list[str], folder: Path) -> Outcome:
    """What the engine says to the command if it is started on one rank."""
    assert command[0] == "stressbench-mpi"
    words = [word.replace("PREFIX/share/stressbench", str(CHECKOUT)) for word in command[1:]]
    return engine.run(*words, cwd=folder)


@pytest.mark.parametrize("case", RANKS)
def test_the_engine_takes_the_options_of_the_ramble_application(engine: Engine, tmp_path: Path, case: str) -> None:
    """One rank is too few for the workload, which is found after all options were accepted."""
    ended = started_on_one_rank(engine, ramble_command(case, tmp_path), tmp_path)

    assert ended.status == 2, ended.text
    assert "nodes" in ended.errors
    assert "option" not in ended.errors


@pytest.mark.parametrize("name", CHECKS)
def test_the_engine_takes_the_options_of_the_reframe_test(engine: Engine, tmp_path: Path, name: str) -> None:
    ended = started_on_one_rank(engine, reframe_command(name), tmp_path)

    assert ended.status == 2, ended.text
    assert "nodes" in ended.errors
    assert "option" not in ended.errors


def planned(engine: Engine, ranks: str, words: list[str], folder: Path) -> Outcome:
    """What `run --dry-run` says to the path and the options in `words`; workloads are the checkout's."""
    of_the_run = [word for word in words if word not in OF_THE_FILE and not word.endswith("/run.jsonl")]
    path, *options = [re.sub(".*/share/stressbench", str(CHECKOUT), word) for word in of_the_run]
    return engine.stressbench("run", path, "-n", ranks, *options, "--dry-run", cwd=folder)


@pytest.mark.parametrize("case", RANKS)
def test_a_packaged_workload_fits_its_ranks(engine: Engine, tmp_path: Path, case: str) -> None:
    ended = planned(engine, str(RANKS[case]), ramble_command(case, tmp_path)[2:], tmp_path)

    assert ended.status == 0, ended.text


def test_the_demo_of_the_spack_package_fits_its_ranks(engine: Engine, tmp_path: Path) -> None:
    (command,) = [words for words in spack_tests(Path("PREFIX")) if "run" in words]
    _, ranks, _, _, *words = command

    ended = planned(engine, ranks, words, tmp_path)

    assert ended.status == 0, ended.text


def test_the_motif_of_the_spack_package_runs(engine: Engine, tmp_path: Path) -> None:
    (command,) = [words for words in spack_tests(Path("PREFIX")) if "motif" in words]
    _, ranks, _, *words = command

    ended = engine.run(*words, ranks=int(ranks), cwd=tmp_path)

    assert ended.status == 0, ended.text
