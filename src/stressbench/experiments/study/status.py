"""How far a study is, from its directory."""

from dataclasses import dataclass
from typing import Any

from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.running import Tally, tally_of
from stressbench.experiments.study.standing import Standing, retries_of, standings


@dataclass(frozen=True, kw_only=True)
class StudyStatus:
    """Every run with its state, counts of them, and how often a failed run is tried again."""

    runs: tuple[Standing, ...]
    tally: Tally
    retries: int
    complaints: tuple[str, ...]

    def values(self) -> dict[str, Any]:
        """As `--json` has it."""
        tally = self.tally
        runs = [
            {
                "run": one.run.id, "cell": one.run.cell.id, "repetition": one.run.repetition, "state": one.state.value,
                "file": one.file, "failures": one.failures, "status": one.status, "reason": one.reason,
                "duration_s": one.duration_s,
            }
            for one in self.runs
        ]  # fmt: skip
        return {
            "done": tally.done, "failed": tally.failed, "spared": tally.spared, "total": tally.total,
            "left_s": tally.left_s, "complaints": self.complaints, "runs": runs,
        }  # fmt: skip


def status_of(directory: Directory) -> StudyStatus:
    """The status according to the directory's journal."""
    manifest = directory.read()
    found = standings(directory.study.runs, manifest.records)
    retries = retries_of(manifest.records, written=directory.study.retries)
    return StudyStatus(
        runs=found, tally=tally_of(found, retries=retries), retries=retries, complaints=manifest.complaints
    )
