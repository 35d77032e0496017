"""Status of a study, from its directory."""

from dataclasses import dataclass
from typing import Any

from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.run_states import RunState, retries_of, run_states
from stressbench.experiments.study.running import RunCounts, counts_of


@dataclass(frozen=True, kw_only=True)
class StudyStatus:
    """The state of every run, counts of runs, and the retries per failed run."""

    runs: tuple[RunState, ...]
    counts: RunCounts
    retries: int
    complaints: tuple[str, ...]

    def values(self) -> dict[str, Any]:
        """The status as `--json` prints it."""
        counts = self.counts
        runs = [
            {
                "run": one.run.id, "cell": one.run.cell.id, "repetition": one.run.repetition, "state": one.state.value,
                "file": one.file, "failures": one.failures, "status": one.status, "reason": one.reason,
                "duration_s": one.duration_s,
            }
            for one in self.runs
        ]  # fmt: skip
        return {
            "done": counts.done, "failed": counts.failed, "spared": counts.skipped, "total": counts.total,
            "left_s": counts.left_s, "complaints": self.complaints, "runs": runs,
        }  # fmt: skip


def status_of(directory: Directory) -> StudyStatus:
    """The status according to the directory's manifest."""
    manifest = directory.read()
    found = run_states(directory.study.runs, manifest.records)
    retries = retries_of(manifest.records, written=directory.study.retries)
    return StudyStatus(
        runs=found, counts=counts_of(found, retries=retries), retries=retries, complaints=manifest.complaints
    )
