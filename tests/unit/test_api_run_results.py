"""`stressbench.read` and what its results offer, with either library of data frames."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run, end

import stressbench
from stressbench.api import frames
from stressbench.formats.run import Kind, read_run

JOBS = (
    MadeJob(name="solver", congestion=2.0, steps=(MadeStep(motif="allreduce"), MadeStep(motif="halo2d"))),
    MadeJob(name="noise", role="background"),
)


@pytest.fixture(params=frames.LIBRARIES)
def library(request) -> frames.Library:
    return request.param


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    return build_run(jobs=JOBS, plan=MadePlan(blocks=8), machine=MadeMachine(counts_links=True)).write(tmp_path)


def rows(frame: Any) -> list[dict[str, Any]]:
    """Of either library; what is unknown is None."""
    if hasattr(frame, "to_dicts"):
        return frame.to_dicts()
    return [
        {name: None if value is pandas_missing(frame) or value != value else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def pandas_missing(frame: Any) -> Any:
    return sys.modules["pandas"].NA


def test_impacts_are_those_of_the_summary(run_file: Path, library: frames.Library) -> None:
    results = stressbench.read(run_file)

    found = rows(results.impacts(library=library))

    solver = results.summary.jobs[0].timing
    assert [(row["job_name"], row["step"], row["motif"]) for row in found] == [
        ("solver", None, None), ("solver", 0, "allreduce"), ("solver", 1, "halo2d"),
        ("noise", None, None), ("noise", 0, "allreduce"),
    ]  # fmt: skip
    assert found[0]["impact"] == solver.impact.ratio == pytest.approx(2, rel=0.1)
    assert (found[0]["low"], found[0]["high"]) == (solver.impact.low, solver.impact.high)
    assert found[0]["blocks"] == 8
    assert found[0]["isolated_s"] == solver.isolated_s.median
    assert found[0]["p99"] == next(tail.ratio for tail in solver.tails if tail.share == 0.99)
    assert (found[3]["impact"], found[3]["isolated_s"]) == (None, None)
    assert "background" in found[3]["reason"]


def test_samples_are_all_of_the_file(run_file: Path, library: frames.Library) -> None:
    results = stressbench.read(str(run_file))

    found = rows(results.samples(library=library))

    assert len(found) == sum(map(len, results.data.samples))
    kinds = {one.round: one.kind for one in results.data.rounds}
    assert {(row["round"], row["kind"]) for row in found} == {(number, kind.value) for number, kind in kinds.items()}
    job = [row for row in found if row["job_name"] == "solver" and row["step"] is None]
    assert [row["time_max_s"] for row in job] == results.data.samples_of(job=0).time_max_s.tolist()
    assert {row["phase"] for row in job} == {"warmup", "measured", "extra"}
    assert {row["motif"] for row in found if row["step"] == 1} == {"halo2d"}


def test_rounds_have_a_row_for_each_job_that_ran(run_file: Path, library: frames.Library) -> None:
    results = stressbench.read(run_file)

    found = rows(results.rounds(library=library))

    contended = [row for row in found if row["kind"] == "contended"]
    assert len(contended) == 2 * results.data.count_rounds(kind=Kind.contended)
    isolated = [row["median_s"] for row in found if row["kind"] == "isolated"]
    assert sorted(isolated)[len(isolated) // 2] == pytest.approx(
        results.summary.jobs[0].timing.isolated_s.median, rel=0.1
    )


def test_links_have_the_share_of_their_rate(run_file: Path, library: frames.Library) -> None:
    results = stressbench.read(run_file)

    found = rows(results.links(library=library))

    assert len(found) == sum(len(one.links or ()) for one in results.data.rounds) > 0
    first, one = found[0], results.data.rounds[0]
    assert first["use"] == pytest.approx(first["bytes"] * 8 / (first["rate_bits_per_s"] * one.duration_s))


def test_without_counted_links_there_are_columns_and_no_rows(tmp_path: Path, library: frames.Library) -> None:
    results = stressbench.read(build_run().write(tmp_path))

    frame = results.links(library=library)

    assert rows(frame) == []
    assert "rate_bits_per_s" in list(frame.columns)


def test_a_file_without_rounds_has_empty_frames(tmp_path: Path, library: frames.Library) -> None:
    made = build_run(jobs=JOBS)
    made.records = [made.header, end(rounds=0, complete=False, reason="interrupted")]
    results = stressbench.read(made.write(tmp_path))

    assert not results.complete
    assert rows(results.samples(library=library)) == rows(results.rounds(library=library)) == []
    assert rows(results.impacts(library=library))[0]["impact"] is None


def test_an_unknown_library_is_refused(run_file: Path) -> None:
    with pytest.raises(ValueError, match="library: 'numpy' is not one of polars, pandas"):
        stressbench.read(run_file).impacts(library="numpy")  # type: ignore[arg-type]


def test_without_any_library_the_error_names_the_remedy(run_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "LIBRARIES", ("no_such_library",))

    with pytest.raises(ImportError, match="data frames need polars or pandas: pip install polars"):
        stressbench.read(run_file).impacts()


def test_pandas_serves_where_polars_is_missing(run_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "LIBRARIES", ("no_such_library", "pandas"))

    assert type(stressbench.read(run_file).impacts()).__module__.startswith("pandas")


def test_the_report_is_that_of_the_command(run_file: Path, tmp_path: Path) -> None:
    from stressbench.report.run import FORMATS

    text = stressbench.read(run_file).report(tmp_path / "run.csv", format="csv")

    assert text == FORMATS["csv"]([read_run(run_file)])
    assert (tmp_path / "run.csv").read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="format: 'pdf' is not one of csv, html"):
        stressbench.read(run_file).report(format="pdf")


def test_a_notebook_shows_impacts_and_nothing_that_a_file_smuggles_in(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(name="<script>alert(1)</script>", congestion=3.0),))
    shown = stressbench.read(made.write(tmp_path))._repr_html_()

    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "congestion impact" in shown


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("nonsense\n")

    with pytest.raises(stressbench.RunFileError, match=r"a\.jsonl"):
        stressbench.read(tmp_path / "a.jsonl")


def test_importing_loads_nothing_until_it_is_used() -> None:
    program = "import sys, stressbench; dir(stressbench); print('numpy' in sys.modules, 'read' in dir(stressbench))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        stressbench.nonsense  # noqa: B018
