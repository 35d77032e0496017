"""`stressbench corun`: what it refuses before a launch, and reports of made co-runs."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from support import coruns
from support.commands import call, invoke
from support.schemas import schema_faults

import stressbench
from stressbench.experiments.corun.running import CorunSpec
from stressbench.experiments.progress import Progress
from stressbench.experiments.study.directory import locked
from stressbench.formats.launches.coruns import NodeUse, RecordedCoruns
from stressbench.formats.launches.journal import FILE
from stressbench.results.coruns import Corun, corun_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return coruns.write(tmp_path / "both", coruns.plan("cg", "ft"), coruns.blocks())


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """Three programs: b is slowed by a and by c, and ran beside copies of nobody."""
    periods = []
    for block in range(6):
        periods += [
            coruns.isolated(block, 0, 1.0),
            coruns.isolated(block, 1, 1.0),
            coruns.isolated(block, 1, 1.0, hosts="2-3"),
        ]
        periods += [coruns.isolated(block, 2, 1.0, hosts="2-3")]
        for group, slow in (((0, 1), (1.0, 3.0)), ((0, 2), (1.0, 1.0)), ((1, 2), (1.5, 1.0))):
            beside = [coruns.execution(time_s, place=place, overlap=1.0) for place, time_s in enumerate(slow)]
            periods.append(coruns.contended(block, group, beside))
    plan = coruns.plan("a", "b", "c", groups=[(0, 1), (0, 2), (1, 2)])
    return coruns.write(tmp_path / "all", plan, periods)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("corun -n 2", "programs are missing: expected programs, such as -- ./a ++ ./b 100"),
        ("corun -n 2 -- true", "true: expected two programs or more, such as -- ./a ++ ./b"),
        ("corun -n 2 -- true ++", "true ++: expected programs, such as"),
        ("corun -n 2 -- true ++ no-such-program", "no-such-program: there is no such executable program"),
        ("corun -n 2 none.sb ++ other.sb", "none.sb does not exist"),
        ("corun -n 2,x -- true ++ true", "-n: 'x': expected a number of ranks"),
        ("corun -n 2 --min-overlap 0% -- true ++ true", "--min-overlap 0%: expected more than 0%"),
        ("corun -n 2 --min-overlap 101% -- true ++ true", "--min-overlap 101%: expected more than 0%"),
        ("corun -n 2 --fom x -- true ++ true", "--fom x: expected NAME=REGEX"),
        ("corun -n 2 --fom a=(1) --fom-lower a=(2) -- true ++ true", "--fom-lower a=(2): a is given twice"),
        ("corun -n 2 --fom time=(1) -- true ++ true", "--fom time: expected another name; time is measured by itself"),
        (
            "corun -n 2 --iteration-call Put -- true ++ true",
            "--iteration-call Put: expected an MPI call that communicates",
        ),
        ("corun -n 2 --iteration-call a=Send -- true ++ sh", "--iteration-call a=Send: expected one of true, sh"),
        (
            "corun -n 2 --iteration-call Send --iteration-call Recv -- true ++ sh",
            "--iteration-call Recv: expected one call for each",
        ),
        ("corun -n 2 --names a -- true ++ true", "--names a: 1 names for 2 programs"),
        ("corun -n 2 --force -- true ++ true", "--force: expected --figures DIR, in which it replaces figures"),
        ("corun matrix -n 2 --force -- true ++ true", "--force: expected --figures DIR"),
        ("corun -n 2 --machine a/b -- true ++ true", "--machine: 'a/b' must be letters"),
        ("corun -n 2 --time-limit x -- true ++ true", "--time-limit: 'x' must be"),
        ("corun -n 2 --on simgrid:tiny -- true ++ true", "two programs cannot run side by side in a simulation"),
        ("corun -n 2 --nodes interleaved -- true ++ true", "--nodes interleaved: 2 programs at a time need as many"),
        ("corun matrix -n 2 -- true", "a matrix needs two programs"),
        ("corun matrix -n 2 --triple a,b -- true ++ sh", "--triple: 'a,b': expected three names"),
        ("corun report .", "launches.jsonl: no such file"),
        ("corun resume .", "launches.jsonl: no such file"),
        ("corun resume . --force", "--force: expected --figures DIR"),
        ("corun resume . --time-limit x", "--time-limit: 'x' must be"),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(words: str, message: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    done = invoke(words)

    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_there_is_refused(folder: Path) -> None:
    done = call("corun", "-n", "2", "-o", folder, "--", "true", "++", "true")

    assert done.exit_code == 2
    assert "already exists; a co-run begins in a new directory" in done.stderr


def resumable(folder: Path, *, hosts: str | None = None) -> Path:
    """Two blocks of four, of programs that are there, on this host."""
    plan = coruns.plan("one", "two", runs=4)
    programs = tuple(replace(one, command=("sleep", str(number))) for number, one in enumerate(plan.programs))
    changed = replace(
        plan, on="local", nodes=NodeUse.shared, hosts=((hosts, hosts),), programs=programs, figures={"FOM": "x=(1)"},
        rounds=3, limit_s=7.5, seed=11, executions=5, min_overlap=0.4, own_cores=False, version=stressbench.__version__,
    )  # fmt: skip
    return coruns.write(folder, changed, [coruns.isolated(0, 0, 1.0)])


def test_a_co_run_is_resumed_with_the_options_of_its_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = resumable(tmp_path / "both")
    begun: list[tuple[CorunSpec, RecordedCoruns | None]] = []

    def run(self: CorunSpec, *, progress: Progress, earlier: RecordedCoruns | None) -> Corun:
        begun.append((self, earlier))
        assert earlier is not None
        return corun_of(earlier.plan, earlier.done)

    monkeypatch.setattr(CorunSpec, "run", run)
    done = call("corun", "resume", folder, "--engine", "/engine")
    results = stressbench.corun_resume(folder, engine="/engine")
    call("corun", "resume", folder, "--engine", "/engine", "--time-limit", "10min")
    stressbench.corun_resume(folder, engine="/engine", time_limit="10min")

    assert done.exit_code == 130  # blocks are missing
    assert "`stressbench corun resume DIR` continues" in done.output
    assert not results.data.complete
    (spec, earlier), again, *longer = begun
    assert again[0] == spec
    assert [one for one, _ in longer] == 2 * [replace(spec, limit_s=600)]
    assert earlier is not None
    assert (earlier.plan.command, len(earlier.done)) == (spec.words, 1)
    assert [(one.name, one.command, one.ranks) for one in spec.programs.programs] == [
        ("one", ("sleep", "0"), 2), ("two", ("sleep", "1"), 2),
    ]  # fmt: skip
    assert (spec.groups, spec.on, spec.nodes, spec.blocks, spec.executions) == (((0, 1),), "local", "shared", 4, 5)
    assert (spec.min_overlap, spec.figures, spec.rounds, spec.limit_s) == (0.4, {"FOM": "x=(1)"}, 3, 7.5)
    assert (spec.seed, spec.machine, spec.engine, spec.output) == (11, "lab-tiny", Path("/engine"), folder)


def test_a_co_run_is_not_resumed_elsewhere(tmp_path: Path) -> None:
    folder = resumable(tmp_path / "both", hosts="0-1")
    before = (folder / FILE).read_bytes()

    done = call("corun", "resume", folder)

    assert done.exit_code == 2
    assert "--on local: programs would have other hosts or cores than in the blocks so far" in done.stderr
    assert (folder / FILE).read_bytes() == before


def test_a_co_run_is_not_resumed_without_its_programs(folder: Path) -> None:
    done = call("corun", "resume", folder)

    assert (done.exit_code, done.stderr) == (2, "stressbench: ./cg: there is no such executable program\n")


def test_a_co_run_is_resumed_by_one_command_at_a_time(tmp_path: Path) -> None:
    folder = resumable(tmp_path / "both")

    with locked(folder):
        done = call("corun", "resume", folder)

    assert done.exit_code == 2
    assert "another `stressbench corun` is running this co-run; wait for it, or end it" in done.stderr


def test_the_report_says_who_is_slowed(folder: Path) -> None:
    done = call("corun", "report", folder)

    assert done.exit_code == 0
    assert "6 of 6 blocks are measured, on lab:tiny with disjoint hosts." in done.output
    rows = [line.split() for line in done.output.splitlines()]
    assert "2.000" in next(row for row in rows if row[:2] == ["cg", "ft"])
    assert ["ft", "cg", "2"] in [row[:3] for row in rows]


def test_the_report_of_a_matrix_has_all_pairs(matrix: Path) -> None:
    done = call("corun", "report", matrix)

    assert "Slowdown of each program beside one other" in done.output
    assert "beside a" in done.output


def test_the_page_has_findings_figures_and_data(matrix: Path, folder: Path) -> None:
    page = call("corun", "report", matrix, "--format", "html").output

    assert "b takes 3.00× [3.00, 3.00] as long beside a as isolated: it is slowed." in page
    assert "no slowdown is shown" in page
    assert '<figure id="slowdowns">' in page
    assert '<figure id="period">' in page
    links = call("corun", "report", folder, "--format", "html").output
    assert "Busiest links" in links


def test_csv_has_a_line_for_each_program_beside_others(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(call("corun", "report", folder, "--format", "csv").output)))

    assert [(row["program"], row["beside"], float(row["slowdown"])) for row in rows] == [
        ("cg", "ft", pytest.approx(2.0)),
        ("ft", "cg", pytest.approx(1.0)),
    ]


def test_json_fits_its_schema(folder: Path) -> None:
    found = json.loads(call("corun", "report", folder, "--format", "json").output)

    assert schema_faults("corun", found) == []
    assert found["slowdowns"][0]["slowdown"]["value"] == pytest.approx(2.0)


def test_a_directory_cut_off_reports_what_there_is(folder: Path) -> None:
    file = folder / FILE
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:5]) + b'{"type": "period", "at"')

    done = call("corun", "report", folder)

    assert done.exit_code == 0
    assert "1 of 6 blocks are measured" in done.output
    assert "not all blocks are measured" in done.output
    assert "broken line" in done.output


def test_python_reads_the_directory(folder: Path) -> None:
    results = stressbench.read(folder)

    assert isinstance(results, stressbench.CorunResults)
    assert repr(results) == "<CorunResults of cg and ft: 2 slowdowns>"
    assert results.data.slowdown("cg", ["ft"]).slowdown.value == pytest.approx(2.0)  # type: ignore[union-attr]
    assert len(results.executions()) == 24
    assert "<table" in results._repr_html_()
    assert "Slowdowns" in results.report()


def test_the_default_subcommand_is_run() -> None:
    assert invoke("corun --help").output == invoke("corun").output
    assert "Usage: stressbench corun run" in invoke("corun run --help").output
    assert "--blocks" in invoke("corun run --help").output
