"""Labs come up, change while they are up, and leave nothing, however they end."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.lab_bench import (
    STORING,
    Bench,
    descendants_marked,
    gone,
    left_of,
    require_labs,
    require_storage,
    without_root,
)
from support.measured import at_least, at_most, share_of

from stressbench.labs.capabilities import load_dependent_routing
from stressbench.labs.catalog import lab_file
from stressbench.labs.lifecycle import down
from stressbench.labs.state import FOLDER_VARIABLE

UP = """
import sys
from pathlib import Path
from stressbench.labs.lifecycle import up
print("started", flush=True)
up(Path(sys.argv[1]).read_text(), name=Path(sys.argv[1]).stem, source="a test")
"""
DRAGONFLY = """
[hosts]
count = 12
[[rail]]
rate = "100Mbit"
[topology]
kind = "dragonfly"
groups = 3
routers_per_group = 2
hosts_per_router = 2
local_rate = "200Mbit"
global_rate = "100Mbit"
"""
LEFT_BY_GLUSTERFS = ("/var/lib/glusterd", "/var/log/glusterfs", "/var/run/gluster", "/run/gluster")


@pytest.fixture
def bench(engine, tmp_path) -> Bench:
    require_labs()
    return Bench("tiny", tmp_path, engine.program)


def machine() -> tuple[str, ...]:
    """Interfaces and mounts of the machine itself, namespaces with a name, and what GlusterFS would leave."""
    interfaces = sorted(path.name for path in Path("/sys/class/net").iterdir())
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    named = [str(path) for path in Path("/run").glob("netns/*")]
    left = [str(path) for folder in LEFT_BY_GLUSTERFS for path in sorted(Path(folder).glob("**/*"))]
    return (*interfaces, *sorted(mounts), *named, *left)


def python(program: str, *words: str, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", program, *words],
        env={**os.environ, FOLDER_VARIABLE: str(folder)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_lab_comes_up_runs_commands_on_its_hosts_and_goes_down(bench, wait_for) -> None:
    before = machine()

    bench.lab("up", "tiny")
    names = [bench.lab("exec", f"h{number}", "--", "hostname").strip() for number in range(4)]
    bench.lab("down", "tiny")

    assert names == ["h0", "h1", "h2", "h3"]
    wait_for(lambda: gone(bench.folder / "labs"), "nothing is left")
    assert machine() == before


def test_an_exit_status_and_a_signal_pass_through(bench) -> None:
    bench.lab("up", "tiny")
    try:
        assert bench.stressbench("lab", "exec", "h1", "--", "sh", "-c", "exit 7").status == 7
        assert bench.stressbench("lab", "exec", "h1", "--", "sh", "-c", "kill -TERM $$").status == 128 + signal.SIGTERM
        assert bench.stressbench("lab", "exec", "h1", "--", "nosuch").status == 127
    finally:
        bench.lab("down", "tiny")


def test_nothing_leaves_the_machine_and_nothing_listens_outside(bench) -> None:
    """A host of the lab has NICs of the lab only, and no way to any address but the lab's."""
    bench.lab("up", "tiny")
    try:
        nics = bench.lab("exec", "h0", "--", "ls", "/sys/class/net").split()
        outside = bench.stressbench("lab", "exec", "h0", "--", "ip", "route", "get", "192.0.2.1")
        listening = bench.lab("exec", "h0", "--", "cat", "/proc/net/tcp").splitlines()[1:]
    finally:
        bench.lab("down", "tiny")

    assert nics == ["eth0", "lo"]
    assert "unreachable" in outside.text
    assert listening == []


def test_labs_stand_side_by_side(bench) -> None:
    for name in ("one", "two"):
        bench.lab("up", "tiny", "--name", name)
    try:
        bench.lab("set", "--lab", "one", "h0-s0", "rate=10Mbit")
        rates = [
            Bench(name, bench.folder, bench.program).json("stats")[0]["rate_bits_per_s"] for name in ("one", "two")
        ]
        unsaid = bench.lab("exec", "h0", "--", "true", status=2)
    finally:
        bench.lab("down", "--all")

    assert rates == [10_000_000, 100_000_000]
    assert "several labs are up: one, two" in unsaid


@pytest.mark.parametrize("routing", ["static", "adaptive"])
def test_a_link_is_slowed_cut_and_mended_while_the_lab_is_up(bench, routing) -> None:
    """In a lab whose switches route: the kernel forgets routes over a NIC that goes down."""
    if routing == "adaptive" and not load_dependent_routing().there:
        pytest.skip(f"no switch routes adaptively here: {load_dependent_routing().remedy}")
    file = bench.folder / "routed.toml"
    file.write_text(f'routing = "{routing}"\n{DRAGONFLY}', encoding="utf-8")
    bench.lab("up", str(file))
    try:
        routed = Bench("routed", bench.folder, bench.program)
        reach = ("exec", "h0", "--", sys.executable, "-c", "import socket; socket.create_connection(('h11', 9), 1)")
        bench.lab("set", "h0-g0r0", "rate=half")
        slowed = {one["source"]: one for one in routed.json("stats") if one["link"] == "h0-g0r0"}
        bench.lab("set", "h0-g0r0", "down")
        cut = bench.stressbench("lab", *reach).errors
        bench.lab("set", "h0-g0r0", "up")
        raised = {one["source"]: one for one in routed.json("stats") if one["link"] == "h0-g0r0"}
        bench.lab("set", "h0-g0r0", "rate=full")
        mended = bench.stressbench("lab", *reach).errors
    finally:
        bench.lab("down", "routed")

    for found in (slowed, raised):
        assert [found[node]["rate_bits_per_s"] for node in ("h0", "g0r0")] == [50_000_000] * 2
    assert "unreachable" in cut or "timed out" in cut
    assert "refused" in mended  # by h15, which was reached


def test_counters_tell_which_way_a_message_went(bench) -> None:
    bench.lab("up", "tinis")
    tinis = Bench("tinis", bench.folder, bench.program)
    send = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); [s.sendto(bytes(1000), ('h5', 9))"
    try:
        before = tinis.sent()
        bench.lab("exec", "h1", "--", sys.executable, "-c", f"{send} for _ in range(100)]")
        after = tinis.sent()
    finally:
        bench.lab("down", "tinis")

    carried = {end for end in after if after[end] - before[end] > 100 * 1000}
    assert carried == {("h1-leaf0", "h1"), ("leaf0-root0", "leaf0"), ("leaf1-root0", "root0"), ("h5-leaf1", "leaf1")}


def test_a_lab_that_is_up_cannot_be_brought_up_again(bench) -> None:
    bench.lab("up", "tiny")
    try:
        assert "lab tiny is up already" in bench.lab("up", "tiny", status=2)
    finally:
        bench.lab("down", "tiny")


def test_a_lab_of_another_version_of_this_program_goes_down_too(bench, wait_for) -> None:
    bench.lab("up", "tiny")
    state = bench.folder / "labs" / "tiny" / "state.json"
    state.write_text(state.read_text(encoding="utf-8").replace('"phase"', '"stage"'), encoding="utf-8")

    assert "is not a state file" in bench.lab("status", status=3)
    bench.lab("down", "tiny")

    wait_for(lambda: gone(bench.folder / "labs"), "nothing is left")


def test_hosts_share_cores_evenly(bench) -> None:
    cores = sorted(os.sched_getaffinity(0))
    query = ("grep", "Cpus_allowed_list", "/proc/self/status")
    bench.lab("up", "tiny")
    try:
        entered = [bench.lab("exec", f"h{host}", "--", *query).split()[1] for host in range(4)]
        started = [bench.lab("exec", "h0", "--", "/run/lab/agent", f"h{host}", *query).split()[1] for host in (1, 2)]
    finally:
        bench.lab("down", "tiny")

    shares = [entered.count(str(core)) for core in cores]
    assert sum(shares) == 4
    assert max(shares) == -(-4 // len(cores))
    assert started == entered[1:3]


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2,
    reason="two hosts cannot be pinned to cores of their own: this session may use one core",
)
def test_pinned_hosts_run_on_their_own_cores(bench) -> None:
    file = bench.folder / "pinned.toml"
    hosts = '[hosts]\ncount = 2\npinned = true\n[[rail]]\nrate = "1Gbit"\n[topology]\nkind = "single"\n'
    file.write_text(hosts, encoding="utf-8")
    query = ("sh", "-c", "grep Cpus_allowed_list /proc/self/status")
    bench.lab("up", str(file))
    try:
        entered = [bench.lab("exec", host, "--", *query).split()[1] for host in ("h0", "h1")]
        asked = bench.lab("exec", "h0", "--", "/run/lab/agent", "h1", "grep", "Cpus_allowed_list", "/proc/self/status")
    finally:
        bench.lab("down", "pinned")

    assert entered == [str(core) for core in sorted(os.sched_getaffinity(0))[:2]]
    assert asked.split()[1] == entered[1]


def test_going_down_twice_is_no_mistake(bench) -> None:
    assert "was not up" in bench.stressbench("lab", "down", "tiny").text


def test_down_clears_what_an_up_left_that_was_killed_before_its_lab_had_a_folder(bench) -> None:
    folder = bench.folder / "labs"
    folder.mkdir()

    assert "was not up" in bench.stressbench("lab", "down", "tiny").text

    assert left_of(folder) == []


def test_a_lab_whose_host_is_killed_ends_as_a_whole(bench, wait_for) -> None:
    """Half a lab would measure nonsense."""
    bench.lab("up", "tiny")
    (supervisor,) = {one["keeper"] for one in bench_status(bench)}
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text(encoding="utf-8").split()

    os.kill(int(children[2]), signal.SIGKILL)

    wait_for(lambda: not descendants_marked(bench.folder / "labs"), "every process of the lab ends")
    assert "no lab is up" in bench.stressbench("lab", "status").text
    bench.lab("up", "tiny")
    bench.lab("down", "tiny")
    wait_for(lambda: gone(bench.folder / "labs"), "nothing is left")


def bench_status(bench: Bench) -> list[dict[str, int]]:
    found: list[dict[str, int]] = json.loads(bench.lab("status", "--json"))
    return found


@pytest.fixture(params=["tiny", "storing"])
def lab_path(request, tmp_path) -> Path:
    """A lab without and one with I/O nodes that serve."""
    require_labs()
    if request.param == "tiny":
        return lab_file("tiny")
    require_storage()
    path = tmp_path / "storing.toml"
    path.write_text(STORING, encoding="utf-8")
    return path


def test_whatever_is_killed_at_whatever_moment_down_leaves_nothing(
    lab_path, tmp_path, wait_for, monkeypatch, pytestconfig, measured
) -> None:
    """`up` or a process of the lab is killed at a random moment, then `down`; now and then `up` comes again before.

    A tenth of the kills, at least, must hit a lab that is half made: else they do not show what they are meant to.
    """
    kills = pytestconfig.getoption("--kills")
    folder, before, dice = tmp_path / "labs", machine(), random.Random(20260102)
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    whole_s = max(_time_of_up(lab_path, folder) for _ in range(3))
    reached = {"nothing": 0, "part": 0, "all": 0}
    for _ in range(kills):
        builder = python(UP, str(lab_path), folder=folder)
        assert builder.stdout is not None
        builder.stdout.readline()
        time.sleep(dice.uniform(0, 1.1 * whole_s))
        others = [pid for pid in descendants_marked(folder) if pid != builder.pid]
        _kill(dice.choice([builder.pid, dice.choice(others or [builder.pid])]))
        _kill(builder.pid)
        builder.communicate()
        reached[_how_far(folder / lab_path.stem)] += 1
        if dice.random() < 0.2:
            python(UP, str(lab_path), folder=folder).communicate()
        down(lab_path.stem)
        wait_for(lambda: gone(folder), f"nothing is left, but {left_of(folder)}")
    assert machine() == before
    print(reached)
    measured.judge([share_of("kills that met a lab half made", reached["part"], kills, at_least(0.1))])


def _time_of_up(lab_path: Path, folder: Path) -> float:
    builder = python(UP, str(lab_path), folder=folder)
    assert builder.stdout is not None
    builder.stdout.readline()
    begin = time.monotonic()
    builder.communicate()
    taken = time.monotonic() - begin
    down(lab_path.stem)
    return taken


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _how_far(slot: Path) -> str:
    state = slot / "state.json"
    if not state.exists():
        return "nothing"
    return "all" if '"phase":"up"' in state.read_text(encoding="utf-8").replace(" ", "") else "part"


def test_sixteen_hosts_are_up_in_ten_seconds_and_down_in_five(bench, measured, few_samples) -> None:
    ups, downs = [], []
    for _ in range(few_samples):
        begin = time.monotonic()
        bench.lab("up", "tinis")
        middle = time.monotonic()
        bench.lab("down", "tinis")
        ups.append(middle - begin)
        downs.append(time.monotonic() - middle)

    measured.bounded("time to come up [s]", ups, at_most(10))
    measured.bounded("time to go down [s]", downs, at_most(5))


def test_without_root_a_lab_is_the_same(bench, measured, samples) -> None:
    """3 %: as with root."""
    nobody = without_root(bench.folder)

    def lab(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [*nobody, sys.executable, "-m", "stressbench", "lab", *words]
        return subprocess.run(
            command, env={**os.environ, **bench.environment}, capture_output=True, text=True, check=False
        )

    came_up = lab("up", "tiny")
    try:
        assert came_up.returncode == 0, came_up.stderr
        assert lab("exec", "h3", "--", "hostname").stdout == "h3\n"
        found = json.loads(lab("check", "--streams", str(samples), "--json").stdout)
    finally:
        assert lab("down", "tiny").returncode == 0

    shares = {f"{one['source']} to {one['target']}": one["shares"] for one in found}
    assert len(shares) == 8
    measured.medians(shares, expected=1, within=0.03)
