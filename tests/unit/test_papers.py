"""The pages about the papers leave out no table or figure, and the runs that they archive are those that were made."""

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "papers"
ARCHIVE = PAGES / "runs"
SUMS = ARCHIVE / "SHA256SUMS"
LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<path>\S+)")

IN_PAPER = {
    "stressbench": ("Listing 1", "Table I", "Table II", "Table III", "Figures 1 and 2", "Figure 3"),
    "active-measurement": ("Table I", *(f"Figure {number}" for number in range(1, 10))),
    "effective-bandwidth": ("Table 1", "Table 2", *(f"Figure {number}" for number in range(1, 5))),
    "multirail": ("Table I", "Table II", *(f"Figure {number}" for number in range(1, 5))),
    "injection-bandwidth": (*(f"Table {n}" for n in range(1, 4)), *(f"Figure {n}" for n in range(1, 4))),
}


@pytest.mark.parametrize(("page", "label"), [(page, label) for page, labels in IN_PAPER.items() for label in labels])
def test_the_overview_of_a_page_has_each_table_and_figure_of_the_paper(page: str, label: str) -> None:
    overview = (PAGES / f"{page}.md").read_text(encoding="utf-8").split("\n## ")[0]

    assert re.search(rf"^\| {label} \([^)]+\) \| .+ \| .+ \|$", overview, re.MULTILINE)


def checksums() -> dict[str, str]:
    """SHA-256 of each archived run, by its path in the checkout."""
    lines = SUMS.read_text(encoding="utf-8").splitlines()
    return {found["path"]: found["digest"] for line in lines if (found := LINE.fullmatch(line))}


def test_each_line_of_the_checksums_is_one_that_sha256sum_reads() -> None:
    assert len(checksums()) == len(SUMS.read_text(encoding="utf-8").splitlines()) > 0


@pytest.mark.parametrize("path", sorted(checksums()))
def test_an_archived_run_is_what_it_was(path: str) -> None:
    assert hashlib.sha256((ROOT / path).read_bytes()).hexdigest() == checksums()[path]


def test_each_file_of_the_archive_is_small_and_has_a_checksum() -> None:
    archived = [path for path in ARCHIVE.iterdir() if path != SUMS]

    assert {path.relative_to(ROOT).as_posix() for path in archived} <= set(checksums())
    assert all(path.stat().st_size <= 2**20 for path in archived)
