"""The ranks of a trace and the calls of one of them, as a document."""

from pathlib import Path

import pytest
from support.traces import cg

from stressbench.experiments.trace_outline import outline_document
from stressbench.formats.errors import TraceFileError
from stressbench.formats.trace import Trace, read_trace
from stressbench.report.document import Preformatted, Section, Table


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    return read_trace(cg().write(tmp_path))


def calls(section: Section) -> list[str]:
    return [line for block in section.blocks if isinstance(block, Preformatted) for line in block.text.splitlines()]


def test_without_a_rank_all_ranks_and_the_calls_of_the_first_are_shown(trace: Trace) -> None:
    ranks, sequence = outline_document(trace, rank=None, lines=100).sections

    assert any(isinstance(block, Table) and len(block.rows) == 3 for block in ranks.blocks)
    assert calls(sequence)[:2] == ["  Bcast:16@3", "  10 times, 5 calls each:"]


def test_with_a_rank_only_its_calls_are_shown(trace: Trace) -> None:
    (sequence,) = outline_document(trace, rank=2, lines=100).sections

    assert calls(sequence)[0] == "  Bcast:16@3"


def test_calls_that_are_left_out_are_mentioned(trace: Trace) -> None:
    (two,), (all_of_them,) = (outline_document(trace, rank=2, lines=lines).sections for lines in (2, 4))

    assert calls(two) == ["  Bcast:16@3", "  10 times, 5 calls each:", "  ... (--lines shows more)"]
    assert len(calls(all_of_them)) == 4
    assert "shows more" not in calls(all_of_them)[-1]


def test_a_rank_that_does_not_exist_is_refused(trace: Trace) -> None:
    with pytest.raises(TraceFileError):
        outline_document(trace, rank=7, lines=4)
