"""The `stressbench` command with the engine on SimGrid."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from stressbench.formats.run import Run, read_run
from stressbench.stats import RunSummary, summarise
from support.programs import CHECKOUT, Outcome, finished

ENGINE = CHECKOUT / "build" / "simgrid" / "engine" / "stressbench-simgrid"


@dataclass(frozen=True)
class Simulator:
    """The `stressbench` command with the engine on SimGrid, in a folder of its own."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"STRESSBENCH_SIMGRID": str(ENGINE), "XDG_CACHE_HOME": str(self.folder / "cache")}

    def words(self, workload: str, where: str, *options: str | Path) -> list[str]:
        (self.folder / "w.sb").write_text(workload, encoding="utf-8")
        return [sys.executable, "-m", "stressbench", "run", "w.sb", "--on", f"simgrid:{where}", *map(str, options)]

    def ended(self, workload: str, where: str, *options: str | Path) -> Outcome:
        return finished(self.words(workload, where, *options), cwd=self.folder, environment=self.environment)

    def run(self, workload: str, where: str, *options: str) -> Run:
        target = self.folder / "w.jsonl"
        target.unlink(missing_ok=True)
        ended = self.ended(workload, where, "-o", target, *options)
        assert ended.status == 0, ended.text
        return read_run(target)

    def summary(self, workload: str, where: str, *options: str) -> RunSummary:
        return summarise(self.run(workload, where, *options))

    def lab(self, name: str, text: str) -> str:
        """A lab file, and what to say after `simgrid:`."""
        (self.folder / f"{name}.toml").write_text(text, encoding="utf-8")
        return f"{name}.toml"


@pytest.fixture
def simulator(tmp_path) -> Simulator:
    if not ENGINE.exists():
        pytest.fail(f"{ENGINE} is not built: start scripts/test.sh simulator, which builds it")
    return Simulator(tmp_path)
