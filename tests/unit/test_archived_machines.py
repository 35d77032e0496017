"""Archived results of machines: each is small, follows its schema, and its figures follow from its run files."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from support.programs import CHECKOUT
from support.schemas import schema_faults

from stressbench.experiments.machine.verifying import verify_machine
from stressbench.formats.machines import read_machine
from stressbench.results.machine_comparison import compare_results

FOLDER = CHECKOUT / "docs" / "machines"
FILES = ("fast.json", "tapered.json", "tiny.tar.xz")
MOST_BYTES = 1 << 20


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The results: `tiny` with its run files, the others without."""
    folder = tmp_path_factory.mktemp("machines")
    shutil.unpack_archive(FOLDER / "tiny.tar.xz", folder, filter="data")
    published = {name: FOLDER / f"{name}.json" for name in ("fast", "tapered")}
    return {"tiny": folder / "tiny" / "machine.json", **published}


@pytest.mark.parametrize("name", ["tiny", "fast", "tapered"])
def test_a_result_follows_its_schema_and_is_complete(machines: dict[str, Path], name: str) -> None:
    content = json.loads(machines[name].read_text(encoding="utf-8"))

    assert schema_faults("machine", content) == []
    assert content["complete"] is True
    assert len(content["figures"]) >= 20


def test_a_result_is_accepted_with_and_without_its_run_files(machines: dict[str, Path]) -> None:
    whole, published = verify_machine(machines["tiny"].parent), verify_machine(machines["fast"])

    assert (whole.complaints, whole.figures) == ((), len(read_machine(machines["tiny"]).figures))
    assert (published.complaints, published.figures) == ((), 0)


def test_files_are_small_and_have_their_checksums() -> None:
    digests = {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in FILES}

    lines = (FOLDER / "SHA256SUMS").read_text(encoding="utf-8").splitlines()

    assert lines == [f"{digest}  docs/machines/{name}" for name, digest in digests.items()]
    assert sorted(one.name for one in FOLDER.iterdir()) == ["SHA256SUMS", *FILES]
    assert all((FOLDER / name).stat().st_size <= MOST_BYTES for name in FILES)


def test_archived_machines_can_be_compared(machines: dict[str, Path]) -> None:
    comparison = compare_results(*(read_machine(machines[name]) for name in ("tiny", "fast")))

    compared = {one.name for one in comparison.figures if one.ratio is not None}
    assert compared == {
        "latency.network.0B", "latency.network.8B", "bandwidth.network.pingpong", "bandwidth.network.one-way",
        "bandwidth.network.both-ways",
    }  # fmt: skip


def test_a_tapered_network_is_worse_where_jobs_share_its_uplinks(machines: dict[str, Path]) -> None:
    """Interleaved jobs share the uplinks of 100 Mbit/s, so that each gets half of them; linear ones share no link."""
    comparison = compare_results(*(read_machine(machines[name]) for name in ("tiny", "tapered")))

    verdicts = {one.name: one.verdict for one in comparison.figures}
    assert verdicts["impact.interleaved.alltoall"] == "worse"
    assert verdicts["impact.linear.alltoall"] == verdicts["bandwidth.network.one-way"] == "same"
