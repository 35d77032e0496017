"""Time and size of reports (benchmarks/pages.py): its runs have as many samples as they should, and bad words fail."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from stressbench.formats.run import read_run


@pytest.fixture(scope="module")
def pages(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("pages")


def test_a_long_run_has_its_samples_in_rounds_in_their_order(pages: ModuleType, tmp_path: Path) -> None:
    (path,) = pages.long_run(10)(tmp_path, 400)

    run = read_run(Path(path))
    assert sum(map(len, run.samples)) == 400
    assert [one.round for one in run.rounds] == list(range(1, 16))
    assert [one.block for one in run.rounds] == [block for block in range(5) for _ in range(3)]
    assert [one.started_s for one in run.rounds] == sorted(one.started_s for one in run.rounds)
    assert run.end is not None
    assert run.end.complete


def test_the_report_of_a_case_is_measured(
    pages: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "pages.json"

    status = pages.main(["37500x10", "--samples", "480", "--output", str(output)])

    (found,) = json.loads(output.read_text(encoding="utf-8"))
    assert status == (0 if found["meets_goals"] else 1)
    assert found["page_bytes"] > 10_000
    assert found["processor_s"] > 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("| 37,500 rounds of 10 repetitions | ")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nope"], "CASE: 'nope': expected 30x12500, 3750x100, 37500x10, large"),
        (["--samples", "0"], "--samples 0: expected at least 1"),
    ],
)
def test_a_wrong_word_is_refused(
    pages: ModuleType, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        pages.main(words)

    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err
