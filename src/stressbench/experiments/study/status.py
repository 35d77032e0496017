"""Status of a study, from its directory."""

from collections.abc import Sequence

from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.run_states import RunState, retries_of, run_states
from stressbench.experiments.study.running import counts_of
from stressbench.formats.study.cells import cell_description, varying_factors
from stressbench.formats.study.file import Study
from stressbench.formats.study.manifest import Manifest
from stressbench.results.study_status import RunStatus, StudyStatus


def status_of(directory: Directory) -> StudyStatus:
    """The status according to the directory's manifest."""
    manifest = directory.read()
    return status_from(directory.study, manifest, run_states(directory.study.runs, manifest.records))


def status_from(study: Study, manifest: Manifest, states: Sequence[RunState]) -> StudyStatus:
    """The status from the manifest of the study and the `states` of all runs, which follow from it."""
    retries = retries_of(manifest.records, written=study.retries)
    counts, factors = counts_of(states, retries=retries), varying_factors(study.cells)
    return StudyStatus(
        done=counts.done, failed=counts.failed, spared=counts.skipped, total=counts.total, left_s=counts.left_s,
        complaints=manifest.complaints, runs=tuple(_run_status(one, retries, factors) for one in states),
    )  # fmt: skip


def _run_status(one: RunState, retries: int, factors: Sequence[str]) -> RunStatus:
    return RunStatus(
        run=one.run.id, cell=one.run.cell.id, repetition=one.run.repetition, state=one.state, file=one.file,
        failures=one.failures, status=one.status, reason=one.reason, duration_s=one.duration_s,
        is_open=one.is_open(retries=retries), description=cell_description(one.run.cell, factors),
    )  # fmt: skip
