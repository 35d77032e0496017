"""`stressbench doctor` with a real launcher: what carries messages, and set-ups that are broken on purpose."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.programs import Engine, Outcome

from stressbench.formats.run.launched_ranks import Carrier, LaunchLine, MessagesLine, ranks_lines_in

PROCESSORS = len(os.sched_getaffinity(0))
_LIES = "localhost:8"
"""More slots than there are processors, so that neither stressbench nor Open MPI notices that they are shared."""


def doctor(engine: Engine, folder: Path, *words: str) -> tuple[Outcome, list[dict[str, Any]]]:
    done = engine.stressbench("doctor", "--json", "--storage", str(folder), *words, cwd=folder)
    return done, json.loads(done.output)["findings"]


def found_by(check: str, findings: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["level"], one["found"]) for one in findings if one["check"] == check]


def test_two_ranks_of_a_host_exchange_messages_in_shared_memory(any_engine: Engine, tmp_path: Path) -> None:
    done, findings = doctor(any_engine, tmp_path, "-n", "2")

    assert done.status == 0, done.text
    assert found_by("messages inside a host", findings) == [("ok", "shared memory")]
    ((level, launch),) = found_by("launch", findings)
    assert (level, launch.startswith("2 ranks on 1 host in one MPI job, ")) == ("ok", True)
    assert list(tmp_path.iterdir()) == []


def test_messages_through_tcp_are_found_by_their_bytes(engine: Engine, tmp_path: Path) -> None:
    _, findings = doctor(engine, tmp_path, "-n", "2", "--", "--mca", "btl", "self,tcp")

    ((level, found),) = found_by("messages inside a host", findings)
    assert level == "warning"
    assert found.startswith("TCP over ")


def test_the_launcher_of_another_mpi_is_named(engine: Engine, tmp_path: Path) -> None:
    if shutil.which("mpirun.mpich") is None:
        pytest.skip("mpirun.mpich is not installed")

    done, findings = doctor(engine, tmp_path, "-n", "2", "--mpirun", "mpirun.mpich")

    assert done.status == 1
    ((level, found),) = found_by("launcher", findings)
    assert level == "error" and "MPICH" in found and "but the engine was built with Open MPI" in found


def test_a_launcher_that_hides_its_mpi_is_found_by_what_it_starts(engine: Engine, tmp_path: Path) -> None:
    """MPICH's launcher, which says that it is Open MPI's, starts each rank as a job of its own."""
    if shutil.which("mpirun.mpich") is None:
        pytest.skip("mpirun.mpich is not installed")
    launcher = tmp_path / "mpirun"
    launcher.write_text('#!/bin/sh\n[ "$1" = --version ] && exec mpirun.openmpi --version\nexec mpirun.mpich "$@"\n')
    launcher.chmod(0o755)

    done, findings = doctor(engine, tmp_path, "-n", "2", "--mpirun", str(launcher))

    assert done.status == 1
    assert found_by("launch", findings) == [
        ("error", "the launcher started 2 MPI jobs of 1 rank instead of one of 2 ranks")
    ]  # fmt: skip


@pytest.mark.skipif(PROCESSORS < 2, reason="needs 2 processors")
def test_ranks_on_one_processor_are_named(engine: Engine, tmp_path: Path) -> None:
    first = min(os.sched_getaffinity(0))
    binding = ("--host", _LIES, "--bind-to", "none", "taskset", "-c", str(first))

    done, findings = doctor(engine, tmp_path, "-n", "2", "--", *binding)

    assert done.status == 1
    ((level, found),) = found_by("binding", findings)
    assert level == "error"
    assert found.startswith("2 of 2 ranks on ") and f"share 1 processor ({first})" in found


def test_a_wrapper_of_the_ranks_is_started_by_the_launcher(engine: Engine, tmp_path: Path) -> None:
    """A stand-in for Apptainer, which notes that it was started and runs the program outside of any image."""
    wrapper = tmp_path / "apptainer"
    wrapper.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo "apptainer version 1.3"; exit; }\n'
        f'echo "$1 $2" >>"{tmp_path}/started"\nshift 2\nexec "$@"\n'
    )
    wrapper.chmod(0o755)

    done = engine.stressbench(
        "doctor", "--json", "-n", "2", "--", str(wrapper), "exec", "mpi.sif", cwd=tmp_path
    )  # fmt: skip
    findings = json.loads(done.output)["findings"]

    assert (tmp_path / "started").read_text().splitlines() == ["exec mpi.sif"] * 2
    assert ("ok", f"ranks start in apptainer version 1.3 ({wrapper})") in found_by("container", findings)
    assert [level for level, _ in found_by("launch", findings)] == ["ok"]
    assert found_by("messages inside a host", findings) == [("ok", "shared memory")]


def test_ranks_that_share_processors_and_do_not_yield_are_named(engine: Engine, tmp_path: Path) -> None:
    ranks = PROCESSORS + 1
    options = ("--host", f"localhost:{ranks}", "--bind-to", "none", "--mca", "mpi_yield_when_idle")

    _, findings = doctor(engine, tmp_path, "-n", str(ranks), "--", *options, "0")
    _, yielding = doctor(engine, tmp_path, "-n", str(ranks), "--", *options, "1")

    ((level, found),) = found_by("sharing", findings)
    assert level == "error" and found.endswith(f"share {PROCESSORS} processors, and do not yield while they wait")
    ((level, found),) = found_by("sharing", yielding)
    assert level == "note" and found.endswith("and yield while they wait")


def test_a_rank_that_has_no_neighbour_has_no_carrier(any_engine: Engine) -> None:
    done = any_engine.run("ranks")

    launch, messages, _ = ranks_lines_in(done.output.encode())
    assert isinstance(launch, LaunchLine) and isinstance(messages, MessagesLine)
    assert [one.rank for one in launch.ranks] == [0]
    assert set(launch.ranks[0].processors) == os.sched_getaffinity(0)
    assert (messages.ranks[0].inside_host, messages.ranks[0].between_hosts) == (None, None)


def test_carriers_have_the_same_names_in_both_languages() -> None:
    header = Path(__file__).parents[2] / "engine" / "scheduler" / "launched_ranks.hpp"
    declared = header.read_text(encoding="utf-8").partition("enum class Carrier { ")[2].partition(" }")[0]

    assert declared.split(", ") == list(Carrier)
