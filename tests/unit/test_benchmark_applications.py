"""The suite of applications (benchmarks/applications.py): definitions, table and exit statuses, with a stand-in for
`stressbench validate`."""

import json
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
DEFINITIONS = CHECKOUT / "benchmarks" / "applications"
REFERENCE = CHECKOUT / "tests" / "reference"

# It writes its words and the files around it into a log, and does what the file named after the program says. It brings
# every lab up, unless the file "no lab" is there.
STAND_IN = """\
import json, os, pathlib, signal, sys, time
words, here = sys.argv[2:], pathlib.Path(sys.argv[1])
if words[0] == "lab":
    with (here / "log").open("a") as log:
        log.write(json.dumps({"words": words}) + "\\n")
    if (here / "no lab").exists():
        sys.exit("stressbench: veth missing")
    sys.exit()
program = words[words.index("--") + 1]
files = {str(path): path.read_text() for path in pathlib.Path().rglob("*") if path.is_file()}
with (here / "log").open("a") as log:
    log.write(json.dumps({"words": words, "files": files, "threads": os.environ["OMP_NUM_THREADS"]}) + "\\n")
does = json.loads((here / f"{program}.json").read_text())
if does == "interrupt":
    signal.signal(signal.SIGTERM, lambda *_: ((here / "stopped").touch(), os._exit(130)))
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(60)
sys.stderr.write(does["said"])
if does["result"]:
    print(json.dumps({**does["result"], "program": words[words.index("--") + 1 :]}))
sys.exit(does["status"])
"""


def side(time_s: float, mpi_s: float) -> dict[str, float]:
    return {"time_s": time_s, "slowest_s": time_s, "mpi_s": mpi_s}


def answer(
    ratio: float = 1.02, *, low: float | None = 1.01, high: float | None = 1.03, differences: tuple[Any, ...] = ()
) -> dict[str, Any]:
    """A result as `stressbench validate --json` prints it."""
    within = abs(ratio - 1) <= 0.05
    verdict = "different calls" if differences else "within tolerance" if within else "outside tolerance"
    return {
        "verdict": verdict, "program": ["a"], "workload": ["m"], "on": "local", "ranks": 2, "hosts": 1, "calls": 12,
        "found": 500, "measured": 0 if differences else 300,
        "ratio": None if differences else {"value": ratio, "low": low, "high": high}, "mpi_ratio": None,
        "tolerance": 0.05, "is_certain": low is not None, "computation": "measured", "complete": True,
        "differences": differences, "operations": [], "any_tag": False, "any_wait_place": False,
        "whole": False, "cpu_time": False, "working_set_bytes": None,
        "notes": [],
        "blocks": [] if differences else [{"program": side(1.0, 0.1), "workload": side(ratio, 0.2 * ratio)}],
    }  # fmt: skip


DIFFERENCE = {
    "rank": 1, "place": 4, "calls": 12, "before": ["Barrier"],
    "program": ["Is>0:1:8", "Wa(1)", "Barrier", "Barrier"], "workload": [],
}  # fmt: skip


@dataclass(frozen=True)
class Called:
    """What one call of the command printed."""

    status: int
    output: str
    errors: str

    @property
    def rows(self) -> list[list[str]]:
        """Cells of the table, without header."""
        lines = [line for line in self.output.splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@dataclass
class Bench:
    """Definitions, answers of the stand-in by program, and the command."""

    folder: Path
    main: Callable[..., int]
    capsys: pytest.CaptureFixture[str]
    seen: list[dict[str, Any]] = field(default_factory=list)

    def define(self, name: str, text: str) -> None:
        (self.folder / "definitions").mkdir(exist_ok=True)
        (self.folder / "definitions" / f"{name}.toml").write_text(textwrap.dedent(text))

    def answers(self, program: str, result: Any = None, *, status: int = 0, said: str = "") -> None:
        does = result if result == "interrupt" else {"status": status, "result": result, "said": said}
        (self.folder / f"{program}.json").write_text(json.dumps(does))

    def lab(self, name: str, *, hosts: int) -> Path:
        """Write the file of a lab into the folder `labs`, which is returned."""
        folder = self.folder / "labs"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.toml").write_text(LAB.format(name=name, hosts=hosts))
        return folder

    def __call__(self, *words: str | Path) -> Called:
        (self.folder / "log").write_text("")
        stand_in = self.folder / "stand_in.py"
        stand_in.write_text(STAND_IN)
        places = ["--definitions", self.folder / "definitions", "--cache", self.folder / "cache"]
        status = self.main(
            [str(word) for word in (*words, *places)], stressbench=(sys.executable, str(stand_in), str(self.folder))
        )
        self.seen = [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]
        output, errors = self.capsys.readouterr()
        return Called(status, output, errors)


@pytest.fixture
def bench(benchmark: Callable[[str], ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, benchmark("applications").main, capsys)


LAB = """
about = "The lab {name}."
[hosts]
count = {hosts}
[[rail]]
rate = "100Mbit"
[topology]
kind = "single"
"""
ONE = """
    name = "One"
    program = "one -x {cells}"
    motif = "halo2d -x {cells} -y {ranks}"
    [[inputs]]
    name = "small"
    values = { cells = 8 }
"""
SECOND = """
    [[inputs]]
    name = "large"
    values = { cells = 9 }
"""


def test_the_table_has_ratio_interval_and_shares_of_mpi(bench):
    bench.define("one", ONE)
    bench.answers("one", answer(1.02))

    called = bench()

    assert called.status == 0
    (row,) = called.rows
    assert row[:8] == ["One", "small", "2", "300", "10.0%", "1.020 (1.010 to 1.030)", "yes", "20.0%"]
    assert (
        "motifs: mean absolute difference 2.0%, largest 2.0% (one/small), within 5% in 1; "
        "1 of 1 inputs with the same calls" in called.output
    )


def test_means_and_the_largest_difference_leave_out_inputs_with_other_calls(bench):
    bench.define("one", ONE)
    bench.define("two", ONE.replace('"one ', '"two '))
    bench.define("three", ONE.replace('"one ', '"three '))
    bench.answers("one", answer(1.02))
    bench.answers("two", answer(0.92), status=1)
    bench.answers("three", answer(differences=(DIFFERENCE,)), status=1)

    called = bench()

    assert called.status == 1
    assert (
        "motifs: mean absolute difference 5.0%, largest 8.0% (two/small), within 5% in 1; "
        "2 of 3 inputs with the same calls" in called.output
    )
    by_ratio = {row[5]: row[6] for row in called.rows}
    assert by_ratio["0.920 (1.010 to 1.030)"] == "no"
    assert by_ratio["rank 1, call 5 of 12: program Is>0:1:8 Wa(1) Barrier; workload no more"] == "no"


def test_a_ratio_without_an_interval_is_uncertain(bench):
    bench.define("one", ONE)
    bench.answers("one", answer(1.02, low=None, high=None))
    (row,) = bench("--launches", "2").rows
    assert row[5:7] == ["1.020", "yes, uncertain"]


def test_the_program_runs_beside_its_files_with_the_values_of_its_input(bench):
    bench.define("one", """
        name = "One"
        build = "echo built > made"
        program = "one {build}/made '{words}' {cells}"
        motif = "halo2d -x {cells} --grid {grid}"
        prepare = "cat in > prepared"
        ranks = { 2 = { grid = "2x1" }, 4 = { grid = "2x2" } }
        values = { words = "a b", cells = 1 }
        [files]
        in = '''
        {build} {cells} {grid} $x
        '''
        "folder/in" = "{name}"
        [[inputs]]
        name = "small"
        values = { cells = 8, name = "deep" }
        from = "Bcast"
        to = "Reduce*"
        pcontrol = true
        any_tag = true
        iterations = 50
        computation = "mean"
    """)  # fmt: skip
    bench.answers("one", answer())

    assert bench("--ranks", "3", "--on", "lab:tiny", "--launches", "7").status == 0

    (seen,) = bench.seen
    build = seen["words"][seen["words"].index("--") + 2].removesuffix("/made")
    assert seen["words"] == [
        "validate", "--json", "-n", "4", "--on", "lab:tiny", "--launches", "7", "--within", "5%", "--iterations", "50",
        "--pcontrol", "--from", "Bcast", "--to", "Reduce*", "--any-tag", "--computation", "mean", "halo2d", "-x",
        "8", "--grid", "2x2", "--", "one", f"{build}/made", "a b", "8",
    ]  # fmt: skip
    assert (Path(build) / "made").read_text() == "built\n"
    assert seen["files"] == {"in": f"{build} 8 2x2 $x\n", "prepared": f"{build} 8 2x2 $x\n", "folder/in": "deep"}
    assert seen["threads"] == "1"


def test_kept_results_do_not_depend_on_where_a_program_was_built(bench):
    bench.define(
        "one",
        """
        name = "One"
        build = "true"
        program = "one {build}/made"
        motif = "allreduce"
        [[inputs]]
        name = "small"
    """,
    )
    bench.answers("one", answer())
    bench("-o", str(bench.folder / "results"))
    (kept,) = (bench.folder / "results").glob("*.json")
    assert json.loads(kept.read_text())["result"]["program"] == ["one", "{build}/made"]


def test_recorded_workloads_are_compared_on_request_and_where_there_is_no_motif(bench):
    bench.define("one", ONE)
    bench.define("two", ONE.replace("motif", "# motif").replace('"one ', '"two '))
    bench.answers("one", answer(1.02))
    bench.answers("two", answer(0.99))

    plain = bench()
    compared = [seen["words"][10:] for seen in bench.seen]
    both = bench("--recorded", "one")

    assert compared == [["halo2d", "-x", "8", "-y", "2", "--", "one", "-x", "8"], ["--", "two", "-x", "8"]]
    assert [row[5:11] for row in plain.rows] == [
        ["1.020 (1.010 to 1.030)", "yes", "20.0%", "", "", ""],
        ["", "", "", "0.990 (1.010 to 1.030)", "yes", "20.0%"],
    ]
    assert [seen["words"][10] for seen in bench.seen] == ["halo2d", "--"]
    assert both.rows[0][5:11] == ["1.020 (1.010 to 1.030)", "yes", "20.0%"] * 2
    assert "recorded workloads: mean absolute difference 2.0%" in both.output


def test_a_recorded_workload_has_no_options_that_find_the_calls_of_a_motif(bench):
    finding = 'from = "Bcast"\nto = "Reduce"\nany_tag = true\npcontrol = true\nmotif'
    bench.define("one", ONE.replace("motif", finding))
    bench.answers("one", answer(1.02))

    bench("--recorded")

    of_motif, of_replay = [seen["words"] for seen in bench.seen]
    assert {"--from", "--to", "--any-tag", "--pcontrol"} <= set(of_motif)
    assert {"--from", "--to", "--any-tag"}.isdisjoint(of_replay)
    assert "--pcontrol" in of_replay


def test_with_its_own_computation_no_tolerance_is_asked_for(bench):
    bench.define("one", ONE)
    bench.answers("one", answer(1.02))
    bench("--computation", "own")
    assert "--within" not in bench.seen[0]["words"]


def test_share_and_iterations_are_those_of_the_recorded_workload_if_the_motif_differs(bench, monkeypatch):
    bench.define("one", ONE)
    bench.answers("one", answer(differences=(DIFFERENCE,)), status=1)
    bench("-o", bench.folder / "kept")
    bench.answers("one", answer(0.99))

    (row,) = bench("-o", bench.folder / "kept", "--continue", "--recorded").rows

    assert row[3:5] == ["300", "10.0%"]
    assert row[5].startswith("rank 1, call 5 of 12")


def test_an_input_without_a_large_enough_number_of_ranks_is_a_line_and_others_go_on(bench):
    bench.define("one", ONE)
    bench.define("two", ONE.replace('"one ', '"two ').replace("motif", "ranks = { 1 = {}, 4 = {} }\nmotif"))
    bench.answers("one", answer(1.02))

    called = bench("--ranks", "8")

    assert called.status == 1
    assert [row[5] for row in called.rows] == ["1.020 (1.010 to 1.030)", "it runs on 1, 4 ranks, not on 8"]
    assert [row[2] for row in bench("--ranks", "8", "--list").rows] == [
        "halo2d -x 8 -y 8", "it runs on 1, 4 ranks, not on 8"
    ]  # fmt: skip


def test_an_application_that_cannot_be_built_or_run_is_a_line_and_others_go_on(bench, tmp_path):
    bench.define(
        "broken",
        ONE.replace('name = "One"', f'name = "Broken"\nbuild = "echo a >> {tmp_path}/builds; echo no compiler; false"')
        + SECOND,
    )
    bench.define("failing", ONE.replace('"one ', '"failing '))
    bench.define("one", ONE)
    bench.answers("failing", status=3, said="launch 1 of 11\nerror: rank 1 died\n")
    bench.answers("one", answer())

    called = bench()

    assert called.status == 1
    assert [row[5] for row in called.rows[:2]] == ["no result (reason below)"] * 2
    assert "\nbroken/small, broken/large: Broken: build failed" in called.output
    assert (tmp_path / "builds").read_text() == "a\n"
    assert [row[5] for row in called.rows[2:]] == ["exit status 3: error: rank 1 died", "1.020 (1.010 to 1.030)"]
    assert called.output.count("no compiler") == 1
    assert "1 of 4 inputs with the same calls" in called.output


def test_the_reason_of_a_failure_ends_with_the_last_line_that_was_printed(bench):
    bench.define("one", ONE)
    bench.answers("one", status=3, said="launch 1\nerror: m ended; it printed:\nstarting\nno such size\n")
    (row,) = bench().rows
    assert row[5] == "exit status 3: error: m ended; it printed: no such size"


def test_a_failing_preparation_is_a_line(bench):
    bench.define("one", ONE.replace("motif", 'prepare = "echo cannot >&2; false"\nmotif'))
    (row,) = bench().rows
    assert row[5] == "exit status 1: cannot"


def test_continue_reuses_results_of_the_same_program_input_and_options_only(bench, tmp_path):
    bench.define("one", ONE)
    bench.define("two", ONE.replace('"one ', '"two '))
    bench.answers("one", answer(1.02))
    bench.answers("two", status=3, said="error: no host\n")
    kept = ("--recorded", "--output", tmp_path / "kept")

    def validated(*words: str) -> list[str]:
        bench(*kept, *words)
        return [seen["words"][seen["words"].index("--") + 1] for seen in bench.seen]

    assert validated() == ["one", "one", "two", "two"]
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        "one-small-2-local-recorded.json", "one-small-2-local.json"
    ]  # fmt: skip
    assert validated("--continue") == ["two", "two"]
    assert bench(*kept, "--continue", "one").rows[0][5] == "1.020 (1.010 to 1.030)"
    assert validated("one") == ["one", "one"]
    assert validated("one", "--continue", "--launches", "3") == ["one", "one"]
    assert validated("one", "--continue", "--computation", "mean") == ["one", "one"]
    assert validated("one", "--continue", "--ranks", "4") == ["one", "one"]
    bench.define("one", ONE.replace("cells = 8", "cells = 9"))
    assert validated("one", "--continue") == ["one", "one"]
    bench.define("one", ONE.replace("program", 'added = ["patch"]\nprogram', 1))
    (tmp_path / "definitions" / "patch").write_text("old")
    assert validated("one", "--continue") == ["one", "one"]
    assert validated("one", "--continue") == []
    (tmp_path / "definitions" / "patch").write_text("new")
    assert validated("one", "--continue") == ["one", "one"]
    bench.define("one", ONE.replace("program", 'paths = ["src"]\nprogram', 1))
    assert validated("one", "--continue") == ["one", "one"]
    (tmp_path / "kept" / "one-small-2-local.json").write_text("{")
    assert validated("one", "--continue") == ["one"]


def test_each_lab_of_a_directory_is_up_while_its_hosts_are_compared(bench):
    bench.define("one", ONE)
    bench.answers("one", answer(1.02))
    bench.lab("a", hosts=4)
    labs = bench.lab("b", hosts=8)

    called = bench("--labs", labs, "--launches", "6", "-o", bench.folder / "kept")

    words = [seen["words"] for seen in bench.seen]
    assert [one[:6] if one[0] == "validate" else one for one in words] == [
        ["lab", "up", str(labs / "a.toml")], ["validate", "--json", "-n", "4", "--on", "lab:a"], ["lab", "down", "a"],
        ["lab", "up", str(labs / "b.toml")], ["validate", "--json", "-n", "8", "--on", "lab:b"], ["lab", "down", "b"],
    ]  # fmt: skip
    assert called.status == 0
    assert [row[2] for row in called.rows if row[0] == "One"] == ["4", "8"]
    assert called.output.index("lab:a: The lab a.") < called.output.index("lab:b: The lab b.")
    assert sorted(path.name for path in (bench.folder / "kept").iterdir()) == [
        "one-small-4-lab-a.json", "one-small-8-lab-b.json"
    ]  # fmt: skip

    bench("--labs", labs, "--launches", "6", "-o", bench.folder / "kept", "--continue")
    assert {seen["words"][0] for seen in bench.seen} == {"lab"}


def test_some_inputs_are_for_labs_and_some_for_other_targets_unless_they_are_named(bench):
    inputs = [f'[[inputs]]\nname = "{name}"\nlabs = {labs}\n' for name, labs in (("small", "true"), ("large", "false"))]
    bench.define(
        "two", 'name = "Two"\nprogram = "one"\npackages = ["two"]\n[[inputs]]\nname = "all"\n' + "".join(inputs)
    )

    def listed(*words: str | Path) -> list[str]:
        return [row[0] for row in bench("--list", *words).rows]

    assert listed() == ["two/all", "two/large"]
    assert listed("two") == ["two/all", "two/large"]
    assert listed("--labs", bench.lab("a", hosts=4)) == ["two/all", "two/small"]
    assert listed("--on", "lab:a") == ["two/all", "two/small"]
    assert listed("two/small") == ["two/small"]
    assert listed("--on", "lab:a", "two/large", "two/all") == ["two/large", "two/all"]


def test_a_lab_that_cannot_be_brought_up_is_one_message(bench):
    bench.define("one", ONE)
    (bench.folder / "no lab").touch()

    called = bench("--labs", bench.lab("a", hosts=4))

    assert called.status == 1
    assert "error: lab:a: exit status 1: stressbench: veth missing\n" in called.errors
    assert called.rows == []


def test_a_directory_of_labs_has_their_files_and_decides_ranks_and_target(bench, tmp_path):
    bench.define("one", ONE)
    called = bench("--labs", tmp_path)
    assert (called.status, called.errors) == (2, f"error: {tmp_path}: expected lab files, NAME.toml\n")
    with pytest.raises(SystemExit):
        bench("--labs", tmp_path, "--ranks", "4")


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_takes_the_lab_down(bench):
    bench.define("a", ONE.replace('"one ', '"a '))
    bench.answers("a", "interrupt")
    bench.lab("x", hosts=4)

    called = bench("--labs", bench.lab("y", hosts=4))

    assert called.status == 130
    assert bench.seen[-1]["words"] == ["lab", "down", "x"]


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ((), "2 comparisons of 25 launches: 4.2 to 12.5 min if a launch takes 5 to 15 s"),
        (("one", "--launches", "2"), "1 comparison of 7 launches: 0.6 to 1.8 min if a launch takes 5 to 15 s"),
        (("--recorded", "--launches", "99"), "3 comparisons of 201 launches: 0.8 to 2.5 h if a launch takes 5 to 15 s"),
    ],
)
def test_what_the_launches_take_is_stated_first(bench, words, stated):
    bench.define("one", ONE)
    bench.define("two", ONE.replace("motif", "# motif").replace('"one ', '"two '))
    bench.answers("one", answer())
    bench.answers("two", answer())

    assert bench("--list", *words).output.splitlines()[-1] == stated
    assert stated in bench(*words).errors.splitlines()


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_stops_the_validation_and_prints_what_is_done(bench, tmp_path):
    bench.define("a", ONE.replace('"one ', '"a '))
    bench.define("b", ONE.replace('"one ', '"b '))
    bench.define("c", ONE.replace('"one ', '"c '))
    bench.answers("a", answer())
    bench.answers("b", "interrupt")

    called = bench("-o", tmp_path / "kept")

    assert called.status == 130
    assert [row[5] for row in called.rows] == ["1.020 (1.010 to 1.030)"]
    assert len(bench.seen) == 2
    assert (tmp_path / "stopped").exists()
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["a-small-2-local.json"]


def test_build_only_builds_each_application_once(bench, tmp_path):
    build = f'build = "echo built >> {tmp_path}/builds"'
    bench.define("one", ONE.replace("program", f"{build}\nprogram", 1) + SECOND)
    bench.define("two", ONE.replace('name = "One"', 'name = "Two"\nbuild = "false"'))

    called = bench("--build-only")

    assert called.status == 1
    assert (tmp_path / "builds").read_text() == "built\n"
    assert "Two: build failed" in called.output
    assert bench.seen == []


def test_the_list_has_motifs_and_sources(bench):
    bench.define("one", ONE.replace("program", 'repository = "https://a.invalid/b/c"\nprogram', 1))
    bench.define("two", ONE.replace("motif", 'packages = ["two"]\n# motif'))
    assert bench("--list").rows == [
        ["one/small", "2", "halo2d -x 8 -y 2", "https://a.invalid/b/c at None"],
        ["two/small", "2", "recorded workload only", "two"],
    ]


def test_json_has_the_whole_results(bench):
    bench.define("one", ONE)
    bench.answers("one", answer(1.02))
    called = bench("--json")
    (found,) = json.loads(called.output)
    assert found["input"] == "one/small"
    assert found["result"] == {**json.loads(json.dumps(answer(1.02))), "program": ["one", "-x", "8"]}


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        (ONE, ["three"], "there is no application or input three; there are one"),
        (ONE, ["one/big"], "there is no application or input one/big; there are one/small"),
        (ONE.replace("cells = 8", "cell = 8"), [], "one/small: {cells} has no value"),
        (ONE.replace("program", "# program"), [], "one/small: program is missing"),
        (ONE.replace("values", "value"), [], "one.toml: inputs.0.value: Unexpected keyword argument"),
        (ONE.replace("motif", "iterations = 0\nmotif"), [], "one.toml: iterations: Input should be greater than 0"),
        (ONE + '    [[inputs]]\n    name = "small"\n', [], "one.toml: two inputs are named small"),
        (ONE.split("[[")[0] + "inputs = []\n", [], "one.toml: inputs: "),
    ],
)
def test_wrong_names_and_definitions_are_refused_with_one_message(bench, text, names, message):
    bench.define("one", text)

    called = bench(*names)

    assert called.status == 2
    assert called.output == ""
    assert message in called.errors
    assert called.errors.startswith("error: ")
    assert called.errors.count("\n") == 1
    assert bench.seen == []


@pytest.fixture(scope="module")
def known_motifs(script) -> Any:
    """What scripts/check_docs.py knows of motifs and their options."""
    return script("check_docs").Declarations(CHECKOUT)


@pytest.mark.parametrize("name", sorted(path.stem for path in DEFINITIONS.glob("*.toml")))
def test_a_shipped_definition_uses_motifs_and_options_that_exist(benchmark, known_motifs, name):
    inputs = benchmark("application_inputs")
    application = inputs.definitions()[name]
    for one in application.inputs:
        for ranks in (2, 4, 8):
            case = inputs.case_of(f"{name}/{one.name}", application, one, ranks)
            assert not case.refused
            assert not case.motif or known_motifs.fault_of_motif(list(case.motif)) is None
    assert (application.repository is None) == (application.commit is None)
    assert application.repository or application.packages


def test_the_shipped_labs_have_four_and_eight_hosts_at_two_rates(benchmark):
    targets = benchmark("application_targets").lab_targets(DEFINITIONS / "labs")

    assert [target.ranks for target in targets] == [4, 4, 8, 8]
    assert len({target.about for target in targets}) == 4


def test_shipped_definitions_have_the_commits_of_the_reference_profiles(benchmark):
    recorded = {}
    for path in REFERENCE.glob("*.json"):
        source = json.loads(path.read_text())["source"]
        if source["commit"]:
            recorded["https://github.com/" + source["repo"].split()[0]] = source["commit"]
    stated = {one.repository: one.commit for one in benchmark("application_inputs").definitions().values()}

    assert recorded.keys() <= stated.keys()
    assert {repository: stated[repository] for repository in recorded} == recorded
