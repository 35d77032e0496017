"""Programs that are traced, and studies, where nothing can be written."""

import os

import pytest
from support import forked
from support.programs import Outcome

from stressbench.experiments.study.directory import now
from stressbench.formats.study.errors import StudyFault
from stressbench.formats.study.manifest import PolicyRecord, append, read_manifest
from stressbench.formats.trace import read_trace

KINDS = [
    ("capture", "a.trace"),
    ("profile", "a.trace"),
    ("profile", "a.json"),
    ("profile", "a.html"),
    ("record", "a.sb"),
]


@pytest.fixture
def around(engine, tmp_path):
    """A command of `stressbench` around a program of two ranks, with a folder of its own for what ranks leave."""
    pools = tmp_path / "pools"
    pools.mkdir()
    patterns = engine.build / "tests" / "tracer" / "patterns"

    def run(command: str, output) -> Outcome:
        words = engine.launch(patterns, "collectives", ranks=2)
        tracer = {"STRESSBENCH_TRACE_LIBRARY": str(engine.tracer), "STRESSBENCH_TRACE_POOL": str(pools)}
        environment = {**os.environ, **tracer, "TMPDIR": str(tmp_path)}
        done = forked.stressbench(command, "-o", output, *words, cwd=tmp_path, environment=environment)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.mark.parametrize(("command", "name"), KINDS)
def test_an_output_on_a_read_only_file_system_is_refused_before_the_program_starts(
    around, read_only_disk, tmp_path, command, name
):
    done = around(command, read_only_disk / name)

    assert (done.status, done.output) == (2, "")
    assert done.errors == f"stressbench: --output: {read_only_disk / name}: read-only file system\n"
    assert list((tmp_path / "pools").iterdir()) == []


def test_a_trace_that_does_not_fit_is_written_elsewhere(around, small_disk, tmp_path):
    (small_disk / "other").write_bytes(bytes(60_000))

    done = around("capture", small_disk / "a.trace")

    (kept,) = tmp_path.glob("stressbench-*/a.trace")
    assert done.status == 3
    assert f"{small_disk / 'a.trace'} could not be written" in done.errors
    assert f"the trace is {kept}" in done.errors
    assert sorted(path.name for path in small_disk.iterdir()) == ["other"]
    assert list((tmp_path / "pools").iterdir()) == []


@pytest.mark.parametrize("name", ["a.json", "a.html"])
def test_a_profile_that_does_not_fit_is_one_message_and_keeps_its_trace(around, small_disk, tmp_path, name):
    (small_disk / "other").write_bytes(bytes(60_000))

    done = around("profile", small_disk / name)

    assert done.status == 3
    (kept,) = tmp_path.glob("stressbench-*.trace")
    assert done.errors.endswith(
        f"stressbench: --output: {small_disk / name}: no space left on device; "
        f"what was measured is in {kept}: `stressbench trace show --profile {kept}`\n"
    )
    assert read_trace(kept).header.ranks == 2
    assert sorted(path.name for path in small_disk.iterdir()) == ["other"]


def test_a_study_s_manifest_on_a_full_disk_is_as_it_was_and_goes_on(small_disk):
    manifest, other = small_disk / "manifest.jsonl", small_disk / "other"
    append(manifest, PolicyRecord(at=now(), retries=1))
    before = manifest.read_bytes()
    with pytest.raises(OSError, match="No space left"), other.open("wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()

    with pytest.raises(StudyFault, match="no space left on device"):
        append(manifest, *(PolicyRecord(at=now(), retries=1) for _ in range(100)))

    assert manifest.read_bytes() == before
    other.unlink()
    append(manifest, PolicyRecord(at=now(), retries=2))
    assert [record.retries for record in read_manifest(manifest).records] == [1, 2]
    assert read_manifest(manifest).complaints == ()
