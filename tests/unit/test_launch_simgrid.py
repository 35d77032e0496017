"""`--on simgrid:...`: the command line and the files that a simulation gets. Nothing is started here."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_lab import lab_hosts

from stressbench.launch.command import Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.lab import LabTarget
from stressbench.launch.launch_target import LOCAL, LaunchTarget
from stressbench.launch.local import Request
from stressbench.launch.simgrid import NETWORK, SimulatedTarget, find_simulated_engine
from stressbench.launch.targets import engine_for, resolve_target

HOSTS = lab_hosts(2, 2, 2)
PLACE = SimulatedTarget(name="mine", hosts=HOSTS, platform="hosts", source="[hosts]\n", folder=Path("/cache"))
REQUEST = Request(ranks=5, program=("/opt/engine", "run", "a.sb"), cores=2)

ADAPTIVE = """
routing = "adaptive"
[hosts]
count = 16
[[rail]]
rate = "100Mbit"
[topology]
kind = "dragonfly"
groups = 4
routers_per_group = 2
hosts_per_router = 2
local_rate = "200Mbit"
global_rate = "100Mbit"
[io]
count = 6
attach = ["g0r0", "g1r0", "g2r0", "g3r0", "g0r1", "g2r1"]
rate = "100Mbit"
"""


def launcher(flavour: Flavour = Flavour.simgrid) -> Launcher:
    return Launcher(path=Path("/usr/bin/smpirun"), recognised=Recognised(flavour=flavour, version="3.32"))


def test_the_engine_gets_its_settings_its_platform_and_then_its_own_words() -> None:
    command = PLACE.build(launcher=launcher(), request=REQUEST)

    folder = command.files[0][0].parent
    assert folder.parent == Path("/cache")
    assert command.argv[:3] == ("/opt/engine", "--cfg=smpi/np:5", f"--cfg=smpi/hostfile:{folder}/hosts-5")
    assert command.argv[-3:] == ("--", "run", "a.sb")
    assert dict(command.environment)["STRESSBENCH_PLATFORM"] == str(folder / "platform.txt")
    assert {f"--cfg={name}:{value}" for name, value in NETWORK} < set(command.argv)


def test_files_hold_the_platform_the_hosts_of_the_ranks_and_what_the_header_says() -> None:
    command = PLACE.build(launcher=launcher(), request=REQUEST)

    files = {path.name: text for path, text in command.files}
    assert files["platform.txt"] == "hosts"
    assert files["hosts-5"].split() == ["h0", "h0", "h1", "h1", "h2"]
    described = json.loads(files["description.json"])
    assert described["platform"] == {"name": "mine", "text": "[hosts]\n"}
    assert described["settings"]["network/bandwidth-factor"] == "0.956407"  # payload of a frame: 1448 of 1514 bytes
    named = {name: Path(path).name for name, path in command.environment}
    assert named == {"STRESSBENCH_PLATFORM": "platform.txt", "STRESSBENCH_SIMULATION": "description.json"}


@pytest.mark.parametrize(("options", "sharing"), [((), "global"), (("--verify",), "off")])
def test_ranks_share_the_memory_of_payload_unless_it_is_verified(options: tuple[str, ...], sharing: str) -> None:
    request = replace(REQUEST, program=("/opt/engine", "run", "a.sb", *options))

    assert f"--cfg=smpi/shared-malloc:{sharing}" in PLACE.build(launcher=launcher(), request=request).argv


@pytest.mark.parametrize("kind", ["simgrid", "ns3"])
def test_a_lab_that_routes_adaptively_is_simulated_with_static_routes_which_a_note_says_once(
    tmp_path: Path, kind: str
) -> None:
    file, simulator = tmp_path / "dragonfly.toml", tmp_path / "stressbench-ns3"
    file.write_text(ADAPTIVE, encoding="utf-8")
    simulator.touch(mode=0o755)
    target = resolve_target(f"{kind}:{file}", environment={"STRESSBENCH_NS3": str(simulator)})

    advice = target.advice(launcher=launcher(), request=REQUEST)

    assert advice is not None
    assert advice.count("routes are static") == 1
    assert advice.endswith('its routes are static, although the lab has routing = "adaptive"')
    assert "routes are static" not in str(PLACE.advice(launcher=launcher(), request=REQUEST))


def test_another_platform_has_another_folder() -> None:
    other = replace(PLACE, platform="more hosts")

    folders = {place.build(launcher=launcher(), request=REQUEST).files[0][0].parent for place in (PLACE, other, PLACE)}
    assert len(folders) == 2


def test_a_simulation_is_as_large_as_its_hosts_cores() -> None:
    assert PLACE.ranks == 6
    assert PLACE.ranks_per_node(REQUEST, explicit=None) == 2
    assert PLACE.ranks_per_node(REQUEST, explicit=1) == 1
    assert PLACE.knows_nodes(REQUEST)


@pytest.mark.parametrize(
    ("flavour", "request_", "message"),
    [
        (Flavour.openmpi4, REQUEST, "--on simgrid:mine: the engine is built with Open MPI 3.32; `cmake --pre"),
        (Flavour.simgrid, replace(REQUEST, extra=("--bind-to", "core")), "--bind-to core: there is no mpirun"),
        (Flavour.simgrid, replace(REQUEST, realtime=True), "--realtime: simulated ranks share no cores"),
        (
            Flavour.simgrid,
            replace(REQUEST, program=("e", "run", "--stall-limit", "9s")),
            "--stall-limit: SimGrid detects",
        ),
        (Flavour.simgrid, replace(REQUEST, ranks=0), "ranks: 0 is not at least 1"),
    ],
)
def test_what_does_not_fit_is_a_mistake(flavour: Flavour, request_: Request, message: str) -> None:
    with pytest.raises(LaunchMistake, match=message):
        PLACE.build(launcher=launcher(flavour), request=request_)


@pytest.mark.parametrize("place", [LOCAL, LabTarget(name="lab", hosts=HOSTS, enter=("enter",))])
def test_an_engine_that_simulates_is_refused_elsewhere(place: LaunchTarget) -> None:
    with pytest.raises(LaunchMistake, match="/opt/engine simulates its ranks: name a platform, for example --on"):
        place.build(launcher=launcher(), request=REQUEST)


def test_a_shipped_lab_or_a_file_is_simulated_without_being_up(tmp_path: Path) -> None:
    file = tmp_path / "pair.toml"
    file.write_text('[hosts]\ncount = 2\n[[rail]]\nrate = "1Gbit"\n[topology]\nkind = "single"\n', encoding="utf-8")

    assert resolve_target("simgrid:tinis", environment={}).ranks == 16
    assert resolve_target(f"simgrid:{file}", environment={}).ranks == 2


def test_workloads_find_the_simulated_file_system_where_the_lab_has_it() -> None:
    tinis, tiny = (resolve_target(f"simgrid:{name}", environment={}) for name in ("tinis", "tiny"))

    assert dict(tinis.environment) == {"SCRATCH": "/run/lab/scratch"}
    assert dict(tiny.environment) == {"SCRATCH": ""}
    command = replace(PLACE, environment=tinis.environment).build(launcher=launcher(), request=REQUEST)
    assert dict(command.environment)["SCRATCH"] == "/run/lab/scratch"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("simgrid:tini", "--on simgrid:tini: unknown lab 'tini'"),
        ("simgrid:gone.toml", "--on simgrid:gone.toml: gone.toml is not a file"),
        ("simgrid:dual-rail", "--on simgrid:dual-rail: dual-rail has 2 rails"),
        ("simgrid:", "--on: 'simgrid:': expected local"),
    ],
)
def test_a_wrong_place_is_a_mistake(word: str, message: str) -> None:
    with pytest.raises(LaunchMistake, match=message):
        resolve_target(word, environment={})


def test_the_simulated_engine_is_looked_for_only_where_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "stressbench-simgrid"
    engine.write_text("#!/bin/sh\n", encoding="utf-8")
    engine.chmod(0o755)
    monkeypatch.setenv("STRESSBENCH_SIMGRID", str(engine))

    assert engine_for(PLACE, None, environment=os.environ) == engine
    assert engine_for(PLACE, Path("given"), environment=os.environ) == Path("given")
    assert engine_for(LOCAL, None, environment=os.environ) is None
    assert find_simulated_engine({"PATH": str(tmp_path)}) == engine
    with pytest.raises(LaunchMistake, match="stressbench-simgrid was not found on PATH: `cmake --preset simgrid"):
        find_simulated_engine({"PATH": "/nowhere"})
