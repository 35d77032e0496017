"""The engine accepts every workload of the suite, for machines of several shapes. Skips where no engine is built."""

import subprocess
from pathlib import Path

import pytest

from stressbench.experiments.machine.sizes import Sizes, Survey, calibration_text, pair_bytes, survey_text
from stressbench.experiments.machine.suite import suite_for
from stressbench.formats.machines import Part

pytestmark = pytest.mark.mpi
NAMES = (
    "small-node", "small-network", "large-node", "large-network", "allreduce-8B", "allreduce-1MiB", "alltoall",
    "barrier",
)  # fmt: skip


@pytest.mark.parametrize(("nodes", "ranks_per_node"), [(1, 2), (2, 1), (4, 1), (5, 3), (16, 8)])
def test_the_engine_accepts_every_workload(engine, tmp_path: Path, nodes: int, ranks_per_node: int) -> None:
    survey = Survey(ranks_of_nodes=(ranks_per_node,) * nodes)
    sizes = Sizes(iterations=dict.fromkeys(NAMES, 4), file_bytes=1 << 20, pair_bytes=pair_bytes(survey.ranks))
    suite = suite_for(survey, sizes, parts=tuple(Part), storage=str(tmp_path))
    texts = {one.file: one.text for one in suite.benchmarks}
    texts |= {"survey.sb": survey_text(), "calibration.sb": calibration_text(survey, storage=str(tmp_path))}

    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        shape = ("--ranks", str(survey.ranks), "--ranks-per-node", str(ranks_per_node))
        checked = subprocess.run(
            engine.command("check", tmp_path / name, *shape), capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, f"{name}: {checked.stderr}\n{text}"
