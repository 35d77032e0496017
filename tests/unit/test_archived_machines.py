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
NAMES = ("cab", "tinis", "tiny")
MOST_BYTES = 1 << 20


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("machines")
    for name in NAMES:
        shutil.unpack_archive(FOLDER / f"{name}.tar.gz", folder, filter="data")
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_result_follows_from_its_run_files(unpacked: Path, name: str) -> None:
    content = json.loads((unpacked / name / "machine.json").read_text())

    verdict = verify_machine(unpacked / name)

    assert schema_faults("machine", content) == []
    assert content["complete"] is True
    assert verdict.complaints == ()
    assert verdict.figures == len(content["figures"]) >= 20


def test_archives_are_small_and_have_their_checksums() -> None:
    lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
    digests = {name: hashlib.sha256((FOLDER / f"{name}.tar.gz").read_bytes()).hexdigest() for name in NAMES}

    assert sorted(lines) == sorted(f"{digest}  docs/machines/{name}.tar.gz" for name, digest in digests.items())
    assert all((FOLDER / f"{name}.tar.gz").stat().st_size <= MOST_BYTES for name in NAMES)


def test_archived_machines_can_be_compared(unpacked: Path) -> None:
    comparison = compare_results(*(read_machine(unpacked / name) for name in ("tiny", "tinis")))

    assert comparison.compares_any
