"""The picture of the network and the first screen of a report, from runs whose links carry what the test states."""

import csv
import re
from itertools import pairwise
from pathlib import Path

import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun, build_run
from support.commands import invoke
from support.networks import Loads, run_on, simulated
from support.pages import Outline, drawings, figure

from stressbench.errors import UserError
from stressbench.formats.run import Run, read_run
from stressbench.formats.topology import Network, NetworkLink
from stressbench.labs.catalog import lab_file
from stressbench.labs.networks import network_of_run, read_network
from stressbench.report.drawing import RatioFormatter
from stressbench.report.network.blocks import block_network
from stressbench.report.network.crossings import crossings
from stressbench.report.network.layout import NetworkLayout, Shape, layout_of
from stressbench.report.run import FORMATS
from stressbench.report.run.answers import answers
from stressbench.report.run.options import ReportOptions, VerdictLimits
from stressbench.report.run.section import section_of
from stressbench.report.units import elapsed_unit

render = FORMATS["html"]
CG = MadeJob(name="cg", congestion=1.42, nodes="0-15:2")
FFT = MadeJob(name="fft", congestion=1.0, nodes="1-15:2")
PAIR = (MadeJob(name="cg", congestion=1.42, nodes="0"), MadeJob(name="fft", nodes="1"))
SHARED: Loads = {("leaf0", "root0"): (0.4, 0.3), ("h0", "leaf0"): (0.1, 0.0)}
ONE_JOB: Loads = {("leaf0", "root0"): (0.0, 0.7)}
BIG = (
    '[hosts]\ncount = 1024\n[[rail]]\nrate = "10Gbit"\n[topology]\nkind = "fat-tree"\nhosts_per_leaf = 16\nroots = 2\n'
)


def tinis_run(folder: Path, loads: Loads = SHARED, *, plan: MadePlan = MadePlan(blocks=8), cg: MadeJob = CG) -> Run:
    return read_run(run_on(read_network("tinis"), (cg, FFT), loads, plan=plan).write(folder))


def answers_of(run: Run, **limits: float) -> dict[str, str]:
    options = ReportOptions(limits=VerdictLimits(**limits))
    return {fact.name: fact.value for fact in answers(section_of(run, number=1, options=options))}


def layout(network: Network, *, max_single: int = 48) -> NetworkLayout:
    return layout_of(block_network(network, max_single=max_single))


def tree(*links: tuple[str, str], hosts: tuple[str, ...]) -> Network:
    nodes = dict.fromkeys(node for link in links for node in link)
    switches = tuple(node for node in nodes if node not in hosts)
    made = tuple(NetworkLink(a=a, b=b) for a, b in links)
    return Network(name="n", hosts=hosts, switches=switches, links=made)


def test_a_fat_tree_has_hosts_below_leaves_below_roots() -> None:
    placed = layout(read_network("tinis"))

    heights = {name: placed.positions[name][1] for name in ("h0", "io0", "leaf3", "io-switch", "root0")}
    assert placed.shape is Shape.levels
    assert heights == {"h0": 0.0, "io0": 0.0, "leaf3": 1.0, "io-switch": 1.0, "root0": 2.0}
    across = [placed.positions[f"h{number}"][0] for number in range(16)]
    assert across == sorted(across)
    assert min(after - before for before, after in pairwise(across)) >= 1
    assert across[4] - across[3] > across[3] - across[2]
    assert across[0] < placed.positions["leaf0"][0] < across[3] < across[4] < placed.positions["leaf1"][0]


def test_a_tree_of_unequal_depth_has_each_switch_above_what_is_below_it() -> None:
    placed = layout(tree(("a", "s0"), ("b", "s1"), ("s1", "s2"), ("s0", "top"), ("s2", "top"), hosts=("a", "b")))

    height = {name: at[1] for name, at in placed.positions.items()}
    assert placed.shape is Shape.levels
    assert height["a"] < height["s0"] < height["top"]
    assert height["b"] < height["s1"] < height["s2"] <= height["top"]


def test_a_dragonfly_has_each_group_in_a_part_of_its_own_of_the_circle() -> None:
    placed = layout(read_network("isambard"))

    extents = sorted(placed.groups.values())
    assert placed.shape is Shape.circle
    assert set(placed.groups) == {"g0", "g1", "g2", "g3"}
    assert all(last < first for (_, last), (first, _) in pairwise(extents))
    assert extents[-1][1] - extents[0][0] < 360
    assert all(last < first for (_, last), (first, _) in pairwise(sorted(placed.spans.values())))


@pytest.mark.parametrize("ring", [("s0", "s1", "s2"), ("s0", "s1", "s2", "s3", "s4")])
def test_switches_without_levels_are_on_a_circle(ring: tuple[str, ...]) -> None:
    links = [(f"h{i}", name) for i, name in enumerate(ring)] + list(zip(ring, ring[1:] + ring[:1], strict=True))
    placed = layout(tree(*links, hosts=tuple(f"h{i}" for i in range(len(ring)))))

    assert placed.shape is Shape.circle
    assert len({(round(x, 6), round(y, 6)) for x, y in placed.positions.values()}) == 2 * len(ring)


@pytest.mark.parametrize("lab", ["cab", "dual-rail", "fast", "injection", "isambard", "quad-rail", "tinis", "tiny"])
@pytest.mark.parametrize("max_single", [0, 48])
def test_every_node_of_every_lab_has_a_place_of_its_own(lab: str, max_single: int) -> None:
    network = block_network(read_network(lab), max_single=max_single)
    placed = layout_of(network)

    assert set(placed.positions) == {*network.block_keys, *network.network.switches}
    assert len(set(placed.positions.values())) == len(placed.positions)


def test_hosts_of_a_switch_are_one_block_if_there_are_many() -> None:
    network = block_network(read_network("tinis"), max_single=15)

    assert [(block.key, len(block.hosts)) for block in network.blocks] == [
        ("h0", 4), ("h4", 4), ("h8", 4), ("h12", 4), ("io0", 2)
    ]  # fmt: skip
    assert network.links["h4", "leaf1"] == 4
    assert network.link_between("leaf1", "h7") == ("h4", "leaf1")
    assert network.link_between("leaf1", "nowhere") is None


def test_links_that_jobs_on_both_sides_must_cross_follow_from_a_tree() -> None:
    network = block_network(read_network("tinis"))
    jobs = {"h0": (0,), "h1": (0,), "h4": (0,), "h5": (1,), "h2": (1,), "h3": (2,)}

    assert [({one.a, one.b}, one.jobs) for one in crossings(network, jobs)] == [
        ({"leaf0", "root0"}, (0, 1)), ({"leaf1", "root0"}, (0, 1)),
    ]  # fmt: skip
    assert crossings(block_network(read_network("isambard")), jobs) == ()


def test_the_network_of_a_run_follows_from_its_counters(tmp_path: Path) -> None:
    network = network_of_run(tinis_run(tmp_path))

    assert network is not None
    assert set(network.hosts) == {f"h{number}" for number in range(16)}
    assert set(network.storage) == {"io0", "io1"}
    assert set(network.switches) == {"leaf0", "leaf1", "leaf2", "leaf3", "root0", "io-switch"}
    assert len(network.links) == len(read_network("tinis").links)


def test_the_network_of_a_simulation_is_that_of_its_lab_file(tmp_path: Path) -> None:
    made = simulated(build_run(jobs=PAIR, machine=MadeMachine(hosts=("h0", "h1"))), BIG, name="big")

    network = network_of_run(read_run(made.write(tmp_path)))
    assert network is not None
    assert (network.name, len(network.hosts), len(network.links)) == ("big", 1024, 1024 + 64 * 2)


def test_a_run_without_counters_and_topology_shows_nodes_in_their_order(tmp_path: Path) -> None:
    run = read_run(build_run(jobs=PAIR, machine=MadeMachine(hosts=("a", "b"))).write(tmp_path))
    page = render([run])

    assert 'id="run1-placement"' in page
    assert 'id="run1-network"' not in page
    assert "Unknown: the run has no link counters and no topology" in page


def test_the_picture_names_the_busiest_link_and_shows_it_isolated_next_to_contended(tmp_path: Path) -> None:
    page = render([tinis_run(tmp_path)])

    drawn = figure(page, "run1-network")
    assert (
        "<h3>Busiest link that slowed jobs share: leaf0 → root0, used to 70 % when contended, 40 % isolated</h3>"
        in drawn
    )
    assert {">Isolated<", ">Contended<", ">40 %<", ">70 %<"} <= set(re.findall(r">[^<>]+<", drawn))
    assert "leaf0 → root0: isolated 40.0 %, contended 70.0 %" in drawn  # for screen readers
    assert "cg on 8 hosts; fft on 8 hosts" in drawn
    assert 'id="run1-placement"' not in page
    Outline(page)


def widths_of(page: str, key: str) -> list[float]:
    return [float(width) for width in re.findall(r"stroke-width: ([\d.]+)", figure(page, key))]


def test_a_link_is_wider_and_red_where_more_of_it_is_used(tmp_path: Path) -> None:
    page = render([tinis_run(tmp_path)])
    red, widest = "stroke: var(--full)", max(widths_of(page, "run1-network"))
    idle = render([tinis_run(tmp_path, {("leaf0", "root0"): (0.05, 0.05)})])

    assert red in figure(page, "run1-network")
    assert widest == pytest.approx(8.0)  # in the legend, of a link that is used to 100 %
    assert figure(idle, "run1-network").count(red) < figure(page, "run1-network").count(red)


def test_a_thousand_hosts_are_blocks_with_their_number_and_one_named_link(tmp_path: Path) -> None:
    jobs = (MadeJob(name="cg", nodes="0-1022:2"), MadeJob(name="fft", nodes="1-1023:2"))
    hosts = tuple(f"h{number}" for number in range(1024))
    made = simulated(
        build_run(jobs=jobs, machine=MadeMachine(hosts=hosts), plan=MadePlan(blocks=1, repetitions=1)), BIG, name="big"
    )
    for record in made.of("round"):
        record["links"] = [{
            "link": "leaf5-root1", "source": "leaf5", "target": "root1", "rate_bits_per_s": 10_000_000_000,
            "bytes": 1_000_000_000, "frames": 1, "drops": 0,
        }]  # fmt: skip
    drawn = figure(render([read_run(made.write(tmp_path))]), "run1-network")

    assert drawn.count(">leaf5 → root1<") == 2  # in both panels
    assert drawn.count(">h0<") == 0
    assert len(drawn) < 600_000
    assert "1,024 hosts, 66 switches, 1,152 links" in drawn


def test_link_loads_have_a_bar_for_each_round_in_the_colour_of_its_job(tmp_path: Path) -> None:
    run = tinis_run(tmp_path, plan=MadePlan(blocks=4))
    page = render([run])

    drawn = figure(page, "run1-link-loads")
    assert "Load of the busiest links in 12 rounds" in drawn
    bars = re.findall(r"<path [^>]*fill: var\(--([a-z0-9-]+)\)", drawn)
    for colour in ("job-1", "job-2", "ink"):
        assert bars.count(colour) == 4 * 2 + 1, colour  # rounds of two links, and the legend
    assert "leaf0 → root0: medians cg isolated 40 %, fft isolated 30 %, contended 70 %" in drawn


def test_the_numbers_behind_both_figures_can_be_saved(tmp_path: Path) -> None:
    tinis_run(tmp_path, plan=MadePlan(blocks=2))
    assert invoke(["report", str(tmp_path / "run.jsonl"), "--data", str(tmp_path / "numbers")]).exit_code == 0

    with (tmp_path / "numbers" / "links.csv").open(encoding="utf-8") as file:
        links = {(row["from"], row["to"]): row for row in csv.DictReader(file)}
    with (tmp_path / "numbers" / "link-loads.csv").open(encoding="utf-8") as file:
        loads = [row for row in csv.DictReader(file) if row["from"] == "leaf0"]
    assert float(links["leaf0", "root0"]["contended"]) == pytest.approx(0.7, abs=1e-6)
    assert links["leaf0", "root0"]["isolated_job"] == "cg"
    assert [(row["kind"], row["job"], round(float(row["use"]), 3)) for row in loads if row["round"] == "1"] in (
        [("isolated", "cg", 0.4)], [("isolated", "fft", 0.3)], [("contended", "", 0.7)],
    )  # fmt: skip


def test_the_first_screen_answers_who_how_much_where_and_what_next(tmp_path: Path) -> None:
    said = answers_of(tinis_run(tmp_path))

    assert said["Who is slowed"] == "cg is slowed by more than 5 %. fft is not slowed by more than 5 %."
    assert re.match(r"Contended, cg takes 1\.[34]\d× \[1\.\d\d, 1\.\d\d\] and fft ", said["By how much"])
    assert said["By how much"].endswith("of the isolated time; in brackets the 95 % interval, from 8 blocks.")
    assert said["Where"] == (
        "The busiest link, which slowed jobs share, is leaf0 → root0, used by cg and fft: 70 % of 100 Mbit/s in "
        "contended rounds and at most 40 % in isolated rounds (of cg); no other link is used to more than 50 %."
    )
    assert said["Next step"].startswith("Another placement: cg and fft share leaf0 → root0.")


def test_the_answers_come_before_everything_else(tmp_path: Path) -> None:
    page = render([tinis_run(tmp_path)])

    places = [page.index(text) for text in ('class="answers"', 'id="run1-network"', 'class="findings"', "<table")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (1.0, "cg is slowed at all."),
        (1.42, "Whether cg is slowed by more than 42 % is undecided."),
        (2.0, "cg and fft are not slowed by more than 100 %."),
    ],
)
def test_the_limit_of_a_slowdown_decides_the_verdict(tmp_path: Path, limit: float, said: str) -> None:
    assert said in answers_of(tinis_run(tmp_path), slowed_above=limit)["Who is slowed"]


def test_a_busy_link_is_one_above_the_limit(tmp_path: Path) -> None:
    run = tinis_run(tmp_path, ONE_JOB)

    assert "no other link is used to more than 50 %" in answers_of(run)["Where"]
    assert "no link is used to more than 80 %" in answers_of(run, busy_above=0.8)["Where"]
    assert answers_of(run)["Next step"].startswith("Look at the hosts first: slowed jobs share no link, and leaf0 → ")
    assert answers_of(run, busy_above=0.8)["Next step"].startswith("Look at the hosts: no link is busy")


def test_a_link_that_slowed_jobs_share_comes_before_a_busier_one_of_a_single_job(tmp_path: Path) -> None:
    run = tinis_run(tmp_path, {("leaf0", "root0"): (0.2, 0.1), ("leaf1", "h5"): (0.0, 0.9)})
    said, drawn = answers_of(run), figure(render([run]), "run1-network")

    assert said["Where"].startswith(
        "The busiest link that slowed jobs share is leaf0 → root0, used by cg and fft: 30 %"
    )
    assert "The busiest of all is leaf1 → h5 (90 %, used by fft); no other link is used" in said["Where"]
    assert said["Next step"].startswith("Another placement: cg and fft share leaf0 → root0.")
    assert (drawn.count(">leaf0 → root0<"), drawn.count(">leaf1 → h5<")) == (2, 2)


def test_a_link_that_only_other_jobs_share_is_not_where_a_job_is_slowed(tmp_path: Path) -> None:
    jobs = (CG, MadeJob(name="fft", nodes="1-7:2"), MadeJob(name="sort", nodes="9-15:2"))
    loads = {("leaf0", "root0"): (0.2, 0.1, 0.0), ("leaf1", "root0"): (0.0, 0.4, 0.4)}
    run = read_run(run_on(read_network("tinis"), jobs, loads).write(tmp_path))

    assert answers_of(run)["Where"].startswith("The busiest link that slowed jobs share is leaf0 → root0")


def test_the_traffic_of_background_jobs_is_what_isolated_rounds_do_not_explain(tmp_path: Path) -> None:
    noise = MadeJob(name="noise", role="background", nodes="1-15:2")
    run = read_run(run_on(read_network("tinis"), (CG, noise), SHARED).write(tmp_path))

    assert "leaf0 → root0, used by cg and background jobs: 70 %" in answers_of(run)["Where"]
    assert "Another placement: cg and background jobs share leaf0 → root0." in answers_of(run)["Next step"]


def test_unused_links_to_io_nodes_of_a_simulation_do_not_rule_out_the_others(tmp_path: Path) -> None:
    made = run_on(read_network("tinis"), (CG, FFT), {})
    idle = answers_of(read_run(made.write(tmp_path)))
    text = lab_file("tinis").read_text(encoding="utf-8")
    simulation = answers_of(read_run(simulated(made, text, name="tinis").write(tmp_path)))

    assert idle["Where"].startswith("Not in the network")
    assert "Not in the network" not in simulation["Where"]
    assert "leaf0" in simulation["Where"]


def test_an_undecided_job_gets_the_number_of_rounds_that_would_decide(tmp_path: Path) -> None:
    run = tinis_run(tmp_path, cg=MadeJob(name="cg", congestion=1.06, nodes="0-15:2"))
    said = answers_of(run)

    more = re.search(r"More rounds: `--isolated (\d+) --contended (\d+)` should decide about cg", said["Next step"])
    assert more is not None
    assert more[1] == more[2]
    assert int(more[1]) > 8


def test_too_few_blocks_ask_for_those_of_an_interval(tmp_path: Path) -> None:
    said = answers_of(tinis_run(tmp_path, plan=MadePlan(blocks=3)))

    assert said["Who is slowed"] == "Unknown for cg and fft: there is no interval."
    assert said["Next step"] == "More rounds: an interval takes 6 blocks (`--isolated 6 --contended 6`)."


def test_an_incomplete_run_is_completed_first(tmp_path: Path) -> None:
    made = run_on(read_network("tinis"), (CG, FFT), SHARED, complete=False)

    assert answers_of(read_run(made.write(tmp_path)))["Next step"].startswith("Complete the run first")


def test_a_longer_tail_is_told_with_its_interval_from_the_limit_on(tmp_path: Path) -> None:
    run = tinis_run(tmp_path, plan=MadePlan(blocks=30, repetitions=30))

    assert re.fullmatch(
        r"Percentile 9[59] of cg is 1\.\d\d× \[1\.\d\d, 1\.\d\d\] as long when contended\.", answers_of(run)["Tail"]
    )
    assert answers_of(run, tail_above=3.0)["Tail"].startswith(
        "No tail is shown to be longer by more than 200 %; at most"
    )


def test_a_topology_alone_shows_jobs_and_the_links_that_they_share(tmp_path: Path) -> None:
    machine = MadeMachine(hosts=tuple(f"n{number}.example" for number in range(4)))
    jobs = (MadeJob(name="cg", congestion=1.5, nodes="0,2"), MadeJob(name="fft", nodes="1,3"))
    build_run(jobs=jobs, machine=machine).write(tmp_path)
    conf = tmp_path / "topology.conf"
    conf.write_text("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=top Switches=s[0-1]\n")
    page = tmp_path / "run.html"

    ended = invoke(["report", str(tmp_path / "run.jsonl"), "--topology", str(conf), "-o", str(page)])

    text = page.read_text(encoding="utf-8")
    assert ended.exit_code == 0
    assert "Jobs in the network: 4 hosts, loads of links unknown" in figure(text, "run1-network")
    assert "By the topology, cg and fft cross s0-top" in text
    assert "Another placement: cg and fft share s0-top." in text
    assert len(drawings(text)) >= 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--topology", "tiniss"), "tiniss: no such file or directory; shipped labs: cab"),
        (
            ("--topology", "other.conf"),
            "none of the hosts of run.jsonl (a1, a2) is in it; expected hosts such as x0, x1",
        ),
        (
            ("--slowed-above", "0.9"),
            "--slowed-above 0.9: expected a ratio of contended to isolated time from 1 to 1,000",
        ),
        (("--slowed-above", "nan"), "--slowed-above"),
        (("--tail-above", "1001"), "--tail-above 1001: expected a ratio"),
        (("--busy-above", "120%"), "--busy-above 120%: expected more than 0% and less than 100%"),
        (("--busy-above", "much"), "--busy-above much: expected a share such as 2% or 0.02"),
    ],
)
def test_a_wrong_topology_or_limit_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    build_run().write(tmp_path)
    (tmp_path / "other.conf").write_text("SwitchName=s0 Nodes=x[0-1]\n")
    monkeypatch.chdir(tmp_path)

    ended = invoke(["report", "run.jsonl", *words])

    assert ended.exit_code == 2
    assert said in " ".join(ended.stderr.split())
    assert not (tmp_path / "run.html").exists()


def test_limits_from_python_are_checked_alike() -> None:
    with pytest.raises(UserError, match="--busy-above 1: expected"):
        VerdictLimits(busy_above=1.0)


@pytest.mark.parametrize(
    ("ticks", "labels"),
    [
        ([0.9995, 1.0, 1.0005], ["0.9995×", "1×", "1.0005×"]),
        ([1.0, 1.0000002, 1.0000004], ["1×", "1.0000002×", "1.0000004×"]),
        ([1.0, 1.5, 1024.0], ["1×", "1.5×", "1024×"]),
    ],
)
def test_ticks_of_ratios_are_never_alike(ticks: list[float], labels: list[str]) -> None:
    assert RatioFormatter().format_ticks(ticks) == labels


@pytest.mark.parametrize(
    ("seconds", "unit"), [(9.0, "s"), (0.004, "ms"), (119.0, "s"), (120.0, "min"), (7199.0, "min"), (7200.0, "h")]
)
def test_elapsed_time_has_the_unit_that_fits_it(seconds: float, unit: str) -> None:
    assert elapsed_unit([0.0, seconds]).name == unit


def test_short_and_long_runs_have_axes_in_units_that_fit(tmp_path: Path) -> None:
    made = build_run(jobs=PAIR, machine=MadeMachine(hosts=("a", "b")))
    short = figure(render([read_run(made.write(tmp_path))]), "run1-timeline")
    for record in made.of("round"):
        record["started_s"] *= 3600
    long = figure(render([read_run(made.write(tmp_path))]), "run1-timeline")

    assert "time since the launch began / s" in short
    assert "time since the launch began / h" in long


def test_hostile_names_stay_text_in_the_picture(tmp_path: Path) -> None:
    bad = "<script>x</script>"
    run = run_on(read_network("tinis"), (MadeJob(name=bad, nodes="0-7", congestion=1.4), FFT), SHARED)
    made = MadeRun(run.records)

    page = render([read_run(made.write(tmp_path))])
    assert bad not in page
    Outline(page)
