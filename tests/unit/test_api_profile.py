"""`stressbench.profile` around commands that write a made-up trace, as a traced MPI program would."""

from pathlib import Path

import pytest
from support.fake_tracer import COPY, environment, folder

import stressbench
from stressbench.tracing.profile import profile_of

__all__ = ["folder"]  # a fixture


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    return folder


def test_the_profile_is_values_frames_and_a_report(here: Path) -> None:
    results = stressbench.profile(["sh", "-c", COPY])

    assert results.data.facts.ranks == 2
    operations = results.operations(library="polars")
    assert list(operations["op"]) == [row.op for row in results.data.operations]
    assert list(operations["kind"]) == [row.kind.value for row in results.data.operations]
    assert results.ranks(library="pandas")["mpi_s"].tolist() == [row.split.mpi_s for row in results.data.ranks]
    assert results.sites(library="polars").height == len(results.data.sites)
    assert results.sizes(library="polars").columns == ["kind", "at_least", "below", "calls"]
    assert results.messages(library="polars").height == len(results.data.matrix.pairs) > 0
    assert results.communicators(library="polars").height == len(results.data.communicators)
    assert "Allreduce" in results.report("profile.md", format="md")
    assert "Allreduce" in Path("profile.md").read_text(encoding="utf-8")
    assert '<th scope="row">Allreduce</th>' in results._repr_html_()


def test_a_trace_that_is_kept_has_the_same_profile(here: Path) -> None:
    results = stressbench.profile(["sh", "-c", COPY], output="kept.trace")

    assert profile_of(stressbench.formats.trace.read_trace(Path("kept.trace"))) == results.data


def test_a_program_that_fails_keeps_its_profile(here: Path) -> None:
    with pytest.raises(stressbench.ProfileFailed, match="sh ended with status 5") as failed:
        stressbench.profile(["sh", "-c", f"{COPY}; exit 5"])

    assert failed.value.status == 5
    assert failed.value.results is not None


def test_a_program_without_mpi_has_no_profile(here: Path) -> None:
    sentences: list[str] = []

    with pytest.raises(stressbench.ProfileFailed, match="Did an MPI program run at all") as failed:
        stressbench.profile(["true"], progress=sentences.append)

    assert failed.value.results is None
    assert failed.value.status == 3
    assert any("Did an MPI program run at all" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"command": ["no-such-program"]}, "no-such-program: no such file"),
        (
            {"command": ["true"], "output": "profile.txt"},
            "--output: profile.txt should end in .html or .json or .trace",
        ),
    ],
)
def test_what_is_wrong_is_one_error_and_nothing_starts(here: Path, parameters: dict, message: str) -> None:
    with pytest.raises(stressbench.StressBenchError, match=message) as refused:
        stressbench.profile(**parameters)

    assert refused.value.exit_status == 2
