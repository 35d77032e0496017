"""Comparisons with public benchmarks (benchmarks/peers.py): definitions, options, goals, and where programs run."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from support.fake_lab import FOUR, FakeLab
from support.fake_launcher import FAKE_ENGINE, put_mpirun

from stressbench.launch.targets import registered

GREETER = 'name = "Greeter"\nabout = "greets"\n'


@pytest.fixture
def peers(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("peers")


@pytest.fixture
def peer(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("peer")


@pytest.fixture
def sweep(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("sweep")


@pytest.fixture
def sources(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("sources")


@pytest.fixture
def estimate(benchmark: Callable[[str], ModuleType]) -> Callable[..., object]:
    return benchmark("compare").Estimate


def status(peers: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Exit status of the command."""
    monkeypatch.setattr("sys.argv", ["peers.py", *map(str, words)])
    return int(peers.main())


def test_every_definition_is_valid_and_used(peers):
    stems = {path.stem for path in peers.DEFINITIONS.glob("*.toml")}
    assert {one.definition for one in peers.COMPARISONS.values()} == stems
    for stem in stems:
        found = peers.read_peer(stem)
        assert found.programs
        assert (found.repository is None) == (found.commit is None)
        assert found.build if found.repository else found.packages


def test_the_list_names_comparisons_and_sources(peers, monkeypatch, capsys):
    assert status(peers, monkeypatch, "--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[2:]] == list(peers.COMPARISONS)
    assert "https://github.com/hpc/ior at 5fcf0ba995fd92164d50e344597e2d8203298c08" in lines[4]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["osu", "nope"], "nope: not a comparison; expected osu, imb, ior"),
        (["ior", "--on", "lab:swift"], "ior: --on lab:swift; it runs on: local"),
        (["gpcnet"], "gpcnet: --on local; it runs on: lab"),
        (["osu", "--launches", "0"], "--launches 0: expected 1 or more"),
    ],
)
def test_mistakes_are_refused_before_anything_is_built(peers, monkeypatch, capsys, tmp_path, words, message):
    assert status(peers, monkeypatch, *words, "--cache", tmp_path) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_programs_of_a_peer_are_those_that_its_build_left(peers, sources, peer, monkeypatch, tmp_path):
    (tmp_path / "greeter.toml").write_text(GREETER + 'build = "touch hello"\n[programs]\nhello = "hello"\n')
    monkeypatch.setattr(peers, "DEFINITIONS", tmp_path)
    found = peers.read_peer("greeter")

    folder = sources.Programs(cache=tmp_path / "cache").built(found)

    assert peer.Built(found, folder).path("hello") == str(folder / "hello")


def test_a_program_that_building_did_not_leave_is_named(peer, sources, tmp_path):
    one = peer.Peer(name="A", about="a", build="true", programs={"tool": "bin/tool"})
    with pytest.raises(sources.SourceMistake, match=r"A: .*/bin/tool does not exist"):
        peer.Built(one, tmp_path).path("tool")


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("0:8", [0, 1, 2, 4, 8]), ("4:16", [4, 8, 16]), ("8KiB:32KiB", [8192, 16384, 32768]), ("64", [64])],
)
def test_sizes_are_doubled(peers, text, sizes):
    assert peers.sizes_of(text).all() == sizes


def test_sizes_between_limits(peers):
    assert peers.sizes_of("0:64KiB").between(16384, 1 << 20) == [16384, 32768, 65536]


@pytest.mark.parametrize("text", ["3:8", "8:4", "x", "1:2:3"])
def test_other_sizes_are_refused(peers, capsys, text):
    with pytest.raises(SystemExit) as ended:
        peers.parser().parse_args(["--sizes", text])
    assert ended.value.code == 2
    assert "argument --sizes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "low", "high", "verdict"),
    [
        (1.0, 0.99, 1.01, "yes"),
        (1.019, 0.96, 1.04, "yes"),
        (0.981, 0.951, 1.01, "yes"),
        (1.021, 1.02, 1.022, "no"),
        (1.0, 0.94, 1.01, "too wide"),
        (1.0, 0.99, 1.06, "too wide"),
        (1.3, 0.5, 2.0, "no"),
    ],
)
def test_a_goal_judges_ratio_and_interval(sweep, estimate, value, low, high, verdict):
    assert sweep.Goal(0.02, interval=0.05).verdict(estimate(value, low, high)) == verdict


def test_a_goal_without_limit_of_the_interval(sweep, estimate):
    assert sweep.Goal(0.02).verdict(estimate(1.01, 0.5, 2.0)) == "yes"
    assert str(sweep.Goal(0.02)) == "within 2%"
    assert str(sweep.Goal(0.001, interval=0.05)) == "within 0.1% (interval 5%)"


def measured(benchmark, *sides: dict[str, float], launches: int = 5):
    sweep = benchmark("sweep")
    ours, theirs = (lambda times=times: times for times in sides)
    return measured_sweeps(benchmark, sweep.Sweep(("osu_latency",), ours, theirs), launches=launches)


def measured_sweeps(benchmark, *sweeps, launches: int, interruption=None):
    """The table of sweeps of OSU's programs."""
    sweep = benchmark("sweep")
    return sweep.measure(
        sweeps, title="OSU", about=("OSU", "size"), theirs="OSU", goal=sweep.Goal(0.02), launches=launches, seed=1,
        interruption=interruption or benchmark("compare").Interruption(),
    )  # fmt: skip


def test_a_sweep_has_a_row_a_figure_and_a_summary(benchmark):
    table = measured(benchmark, {"1 B": 1.01e-6, "2 B": 0.94e-6}, {"1 B": 1e-6, "2 B": 1e-6})
    assert [row[:4] for row in table.rows] == [
        ("osu_latency", "1 B", "1.01 us", "1.00 us"),
        ("osu_latency", "2 B", "0.940 us", "1.00 us"),
    ]
    assert [row[-1] for row in table.rows] == ["yes", "no"]
    assert table.missed == 1
    assert table.notes == (
        "osu_latency: average difference -2.5% (of absolute values 3.5%), largest -6.0% (2 B), 2 figures",
    )
    assert table.launches["osu_latency 2 B"] == ([0.94e-6] * 5, [1e-6] * 5)


def test_a_launch_without_a_figure_is_an_error(benchmark):
    with pytest.raises(ValueError, match=r"osu_latency, engine and OSU: a launch has no 2 B"):
        measured(benchmark, {"1 B": 1.0}, {"1 B": 1.0, "2 B": 1.0})


def interrupted_after(launches: int) -> Callable[[], dict[str, float]]:
    """A launch that the user interrupts once there were so many."""
    numbers = iter(range(launches))

    def launch() -> dict[str, float]:
        if next(numbers, None) is None:
            raise KeyboardInterrupt
        return {"1 B": 1.0}

    return launch


@pytest.mark.parametrize("interrupted", [0, 1])
def test_after_an_interruption_complete_blocks_count(benchmark, interrupted):
    interruption = benchmark("compare").Interruption()
    sides = [lambda: {"1 B": 2.0}, lambda: {"1 B": 2.0}]
    sides[interrupted] = interrupted_after(4)  # one of them warms up

    ours, theirs = benchmark("compare").interleave(*sides, launches=10, seed=1, interruption=interruption)

    assert interruption.happened
    assert (len(ours), len(theirs)) == (3, 3)


@pytest.mark.parametrize("launches", [0, 1])  # also of the warm-up
def test_an_interruption_before_the_first_block_is_complete_ends_the_comparison(benchmark, launches):
    interruption = benchmark("compare").Interruption()
    with pytest.raises(KeyboardInterrupt):
        benchmark("compare").interleave(
            interrupted_after(launches), lambda: {"1 B": 1.0}, launches=2, seed=1, interruption=interruption
        )


@pytest.mark.parametrize(("launches", "blocks"), [(9, ["5", "2"]), (7, ["5"])])  # 6 of the first sweep
def test_an_interrupted_sweep_has_rows_of_what_was_measured(benchmark, sweep, launches, blocks):
    launch = interrupted_after(launches)
    interruption = benchmark("compare").Interruption()
    sweeps = [sweep.Sweep((name,), launch, lambda: {"1 B": 1.0}) for name in ("osu_put", "osu_get", "osu_bw")]

    table = measured_sweeps(benchmark, *sweeps, launches=5, interruption=interruption)

    assert interruption.happened
    assert [row[-2] for row in table.rows] == blocks


def test_an_interrupted_command_keeps_the_tables_of_complete_launches(
    peers, peer, sweep, monkeypatch, capsys, tmp_path
):
    def measure(setting):
        yield sweep.Table("First", ("a",), (("1",),))
        raise KeyboardInterrupt

    (tmp_path / "greeter.toml").write_text(GREETER + 'build = "true"\n')
    monkeypatch.setattr(peers, "DEFINITIONS", tmp_path)
    one = peer.Comparison(definition="greeter", about="greets", measure=measure, launches=1)
    monkeypatch.setattr(peers, "COMPARISONS", {"first": one, "second": one})

    found = status(peers, monkeypatch, "--cache", tmp_path, "--engine", tmp_path, "-o", tmp_path / "results")

    assert found == 130
    captured = capsys.readouterr()
    assert captured.out.count("First:") == 1
    assert "peers: interrupted; the tables have the launches that were complete" in captured.err
    assert [path.name for path in sorted((tmp_path / "results").iterdir())] == ["first.json", "first.txt"]


def test_the_time_that_is_left_is_shown_on_a_terminal(benchmark, monkeypatch, capsys):
    compare = benchmark("compare")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(compare.time, "monotonic", iter(range(0, 1000, 90)).__next__)

    assert compare.repeat(lambda: 7, blocks=2) == [7, 7]

    assert [line.split("\x1b")[0] for line in capsys.readouterr().err.split("\r")[1:]] == [
        "block 1 of 2, about 2 min left", "block 2 of 2", "",
    ]  # fmt: skip


@pytest.mark.parametrize(("block_s", "lines"), [(59, []), (60, ["block 1 of 2, about 1 min left", "block 2 of 2"])])
def test_elsewhere_long_blocks_have_a_line_each(benchmark, monkeypatch, capsys, block_s, lines):
    compare = benchmark("compare")
    monkeypatch.setattr(compare.time, "monotonic", iter(range(0, 1000, block_s)).__next__)

    compare.repeat(lambda: 7, blocks=2)

    assert capsys.readouterr().err.splitlines() == lines


def test_a_median_over_launches_has_an_interval(benchmark):
    found = benchmark("compare").median([1.0, 2.0, 3.0, 4.0, 50.0], seed=1)
    assert (found.value, found.low) == (3.0, 1.0)
    assert found.high == 50.0


def test_programs_of_a_lab_run_there_in_a_folder_and_their_output_comes_back(benchmark, monkeypatch, tmp_path):
    put_mpirun(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_LAUNCHES", str(tmp_path / "launches"))
    place = benchmark("place").LaunchTarget("lab:four", FAKE_ENGINE)

    with registered(lab=FakeLab(here=FOUR)):
        assert place.host_count == 4
        output = place.run(2, ["sh", "-c", "pwd; echo said"])
        ordered = place.run(3, ["echo", "hello"], folder=tmp_path, hosts=("h3", "h0", "h2"))

    assert output.splitlines()[1] == "said"
    assert not Path(output.splitlines()[0]).exists()  # a temporary folder
    assert ordered == "hello\n"
    first, second = (tmp_path / "launches").read_text().splitlines()
    assert "-n 2 --host h0:1,h1:1 " in first  # one rank on each host, though each has two cores
    assert "-n 3 --host h3:1,h0:1,h2:1 " in second
    assert list(tmp_path.glob("output.*")) == []


def test_a_program_that_fails_in_a_lab_ends_the_comparison(benchmark, monkeypatch, tmp_path):
    put_mpirun(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    place = benchmark("place").LaunchTarget("lab:four", FAKE_ENGINE)
    with registered(lab=FakeLab(here=FOUR)), pytest.raises(SystemExit, match="ended with status 3 on lab:four"):
        place.run(2, ["sh", "-c", "exit 3"])


def test_a_program_that_was_interrupted_in_a_lab_is_no_fault(benchmark, monkeypatch, tmp_path):
    put_mpirun(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    place = benchmark("place").LaunchTarget("lab:four", FAKE_ENGINE)
    with registered(lab=FakeLab(here=FOUR)), pytest.raises(KeyboardInterrupt):
        place.run(2, ["sh", "-c", f"kill -TERM {os.getpid()}; exec sleep 60"])


OSU_OUTPUT = "# Size          Latency (us)\n1                       0.36\n2                       0.40\n"
MOTIF_OUTPUT = {"rows": [{"size_bytes": size, "rank_mean_median_s": size * 0.4e-6} for size in (1, 2)]}


def test_a_comparison_prints_and_keeps_its_table(peers, benchmark, monkeypatch, capsys, tmp_path):
    osu = benchmark("peers_osu")
    monkeypatch.setattr(osu, "BENCHMARKS", osu.BENCHMARKS[:1])
    monkeypatch.setattr(peers, "built", lambda names, _: dict.fromkeys(names))
    monkeypatch.setattr(osu, "osu_words", lambda *_: ["osu"])

    def run(_place: object, _ranks: int, words: list[str], **_: object) -> str:
        return OSU_OUTPUT if words == ["osu"] else json.dumps(MOTIF_OUTPUT)

    monkeypatch.setattr(benchmark("place").LaunchTarget, "run", run)
    words = ["osu", "--launches", "3", "--sizes", "1:2", "--engine", FAKE_ENGINE, "-o", tmp_path / "results"]

    assert status(peers, monkeypatch, *words) == 1  # 0.4 us is not within 2 % of 0.36 us
    printed = capsys.readouterr().out
    assert "| osu_latency | 1 B  | 0.400 us | 0.360 us | 1.111 (1.111 to 1.111)" in printed
    assert "largest +100.0% (2 B), 2 figures" in printed
    assert (tmp_path / "results" / "osu.txt").read_text() in printed
    (table,) = json.loads((tmp_path / "results" / "osu.json").read_text())
    assert table["launches"]["osu_latency 2 B"] == [[0.8e-6] * 3, [0.4e-6] * 3]

    assert status(peers, monkeypatch, *words, "--json") == 1
    assert json.loads(capsys.readouterr().out)["osu"][0]["missed"] == 2


@pytest.mark.parametrize("fault", ["called", "exit", "value"])
def test_a_peer_that_fails_is_no_missed_goal(peers, monkeypatch, capsys, fault):
    def fail(*_: object) -> None:
        if fault == "exit":
            raise SystemExit("osu ended with status 1 on lab:tiny")
        raise subprocess.CalledProcessError(1, ["osu"]) if fault == "called" else ValueError("no latency")

    monkeypatch.setattr(peers, "built", lambda names, _: dict.fromkeys(names))
    monkeypatch.setattr(peers, "measured", fail)

    assert status(peers, monkeypatch, "osu", "--engine", FAKE_ENGINE) == 2
    assert capsys.readouterr().err.startswith("peers: a program failed, or its output cannot be read: ")


def test_folders_below_the_current_one_are_known_in_others(peers, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "files").mkdir()
    settings = []
    comparison = replace(peers.COMPARISONS["hpcc"], measure=lambda setting: iter(settings.append(setting) or ()))
    monkeypatch.setitem(peers.COMPARISONS, "hpcc", comparison)
    monkeypatch.setattr(peers.sources.Programs, "built", lambda programs, _: programs.cache)
    words = ["hpcc", "--engine", str(FAKE_ENGINE), "--cache", "cache", "--folder", "files"]

    assert status(peers, monkeypatch, *words) == 0

    (setting,) = settings
    assert setting.programs.folder == tmp_path / "cache"
    assert setting.folder.parent == tmp_path / "files"


def test_every_comparison_has_enough_launches_for_an_interval(peers):
    assert min(one.launches for one in peers.COMPARISONS.values()) >= 6


@pytest.mark.parametrize(
    ("overheads", "others", "is_small"),
    [
        ([0.2] * 6, [1.0] * 6, True),
        ([0.6] * 6, [1.0] * 6, False),
        ([-0.1] * 6, [1.0] * 6, False),
        ([-0.1] * 6, [-1.0] * 6, False),
        ([0.2, 0.2, 0.2, 0.2, 0.9, 0.9], [1.0] * 6, False),
    ],
)
def test_the_overhead_beside_mpip_s_is_small_if_it_is_known(benchmark, overheads, others, is_small):
    launches = ([(5 + overhead, 5.0) for overhead in side] for side in (overheads, others))
    assert benchmark("peers_mpip").row_of(8, *launches, 1)[1] is is_small


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([1.0, 1.01, 1.02, 0.99, 1.0, 1.01], "yes"),
        ([1.1, 1.12, 1.11, 1.1, 1.12, 1.11], "no"),
        ([0.5, 0.9, 1.0, 1.0, 1.5, 2.0], "too wide"),
    ],
)
def test_impacts_are_compared_in_pairs_of_launches(benchmark, ratios, verdict):
    gpcnet = benchmark("peers_gpcnet")
    machine = [1.0, 5.0, 2.0, 9.0, 3.0, 7.0]  # placements differ more than the two programs do
    launches = [
        (dict.fromkeys(gpcnet.TESTS, ratio * impact), dict.fromkeys(gpcnet.GPCNET_TESTS.values(), impact))
        for ratio, impact in zip(ratios, machine, strict=True)
    ]
    table = gpcnet.table(launches, 1)
    assert {row[-1] for row in table.rows} == {verdict}
    assert table.missed == (0 if verdict == "yes" else len(gpcnet.TESTS))
