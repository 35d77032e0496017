"""`import stressbench` with the real engine: a study, a profile, and a run on a lab."""

from pathlib import Path

import pytest
from support.lab_bench import gone, job, require_labs
from support.studies import REAL_PAIR

import stressbench
from stressbench.labs.state import FOLDER_VARIABLE

STUDY = """\
[factors]
workload = "pair.sb"
ranks = 2
ranks_per_node = 1
[set]
size = ["1KiB", "2KiB"]
[run]
isolated = 2
contended = 2
repetitions = 2
"""
MESSAGE, REPETITIONS = 65536, 5


@pytest.fixture
def folder(engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRESSBENCH_MPI", str(engine.program))
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "labs"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_study_has_the_samples_of_all_of_its_runs(folder: Path) -> None:
    (folder / "pair.sb").write_text(REAL_PAIR, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")

    results = stressbench.study("study.toml", output="made")

    assert results.complete
    samples = results.samples(library="polars")
    assert set(samples["set.size"]) == {"1KiB", "2KiB"}
    assert set(samples["job_name"]) == {"reduce", "all"}
    assert results.cells(library="polars")["impact"].null_count() == 0


def test_a_validation_has_the_times_of_all_launches_and_a_page_with_their_figure(folder: Path, engine) -> None:
    loop = ["halo2d", "-x", "64", "-y", "48"]
    program = [engine.program, "motif", *loop, "-i", "20", "--repetitions", "1", "--warmup", "0"]
    said: list[str] = []

    results = stressbench.validate(
        loop, program, ranks=2, launches=2, computation="mean", most_iterations=9, emit="halo.sb",
        progress=lambda event: said.append(str(event)),
    )  # fmt: skip

    assert results.same_calls
    assert results.data.measured == 9
    launches = results.launches(library="polars")
    assert launches.height == 2
    assert all(launches["ratio"] == launches["workload_s"] / launches["program_s"])
    assert "--gaps mean" in Path("halo.sb").read_text()
    assert said
    page = results.report("page.html")
    assert Path("page.html").read_text() == page
    assert "Time of an iteration in every launch" in page
    assert "2 pairs of launches" in page
    assert "<svg" in page
    assert "<table" in results._repr_html_()


def test_a_validation_of_other_calls_has_their_first_difference_and_no_launches(folder: Path, engine) -> None:
    program = [engine.program, "motif", "halo2d", "-x", "64", "-y", "48", "-i", "20", "--repetitions", "1"]

    results = stressbench.validate(["halo2d", "-x", "64", "-y", "50"], program, ranks=2)

    assert not results.same_calls
    assert [one.rank for one in results.data.differences] == [0, 1]
    assert results.launches(library="polars").height == 0
    assert "<svg" not in results.report()


def test_a_profile_counts_the_calls_of_the_program(
    any_engine, patterns: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRESSBENCH_MPI", str(any_engine.program))
    monkeypatch.chdir(tmp_path)

    results = stressbench.profile(any_engine.launch(patterns, "cg", "7", ranks=3))

    operations = results.operations(library="polars")
    calls = dict(zip(operations["op"], operations["calls"], strict=True))
    assert calls["Allreduce"] == 7 * 3
    assert results.data.facts.ranks == results.ranks(library="polars").height == 3


def test_a_lab_is_up_for_a_run_and_gone_afterwards(folder: Path, wait_for) -> None:
    require_labs()
    (folder / "pair.sb").write_text(job("pair", "0,1", f"bandwidth -s {MESSAGE} -w 1"), encoding="utf-8")

    with stressbench.lab("tiny") as lab:
        assert lab.hosts == ("h0", "h1", "h2", "h3")
        lab.change("h0-s0", "rate=1/2")
        results = stressbench.run(
            "pair.sb", on=lab, ranks=2, isolated=1, contended=0, repetitions=REPETITIONS, output="pair.jsonl"
        )
        carried = lab.links(library="polars")

    rates = dict(zip(carried["link"], carried["rate_bits_per_s"], strict=True))
    assert (rates["h0-s0"], rates["h1-s0"]) == (50_000_000, 100_000_000)
    sent = {(row["link"], row["source"]): row["bytes"] for row in results.links(library="polars").iter_rows(named=True)}
    assert sent["h0-s0", "h0"] > REPETITIONS * MESSAGE
    wait_for(lambda: gone(folder / "labs"), "nothing of the lab is left")
    with pytest.raises(stressbench.StressBenchError, match="lab tiny is not up"):
        stressbench.run("pair.sb", on=lab, ranks=2, output="again.jsonl")
