"""Conversion of plans to JSON values and back, for the channel to the lab supervisor."""

from dataclasses import asdict
from typing import Any

from stressbench.labs.adaptive_routes import AdaptivePath, AdaptivePort, AdaptiveRoute, AdaptiveSwitch
from stressbench.labs.plan import DirectionPlan, File, NodePlan, NoisePlan, Plan, Setting
from stressbench.labs.storage import Daemon, StoragePlan
from stressbench.labs.topology import End


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The plan as JSON values."""
    return asdict(plan)


def plan_from_json(values: dict[str, Any]) -> Plan:
    """The plan with these JSON values, the inverse of `plan_to_json`."""
    return Plan(
        name=values["name"],
        nodes=tuple(_node(node) for node in values["nodes"]),
        veth_pairs=tuple((End(**one), End(**other)) for one, other in values["veth_pairs"]),
        files=tuple(File(**file) for file in values["files"]),
        noise=tuple(NoisePlan(**noise) for noise in values["noise"]),
        wires=tuple(DirectionPlan(**wire) for wire in values["wires"]),
        storage=None if values["storage"] is None else _storage(values["storage"]),
        marking_ns=values["marking_ns"],
    )


def _storage(values: dict[str, Any]) -> StoragePlan:
    return StoragePlan(
        path=values["path"],
        capacity_bytes=values["capacity_bytes"],
        servers=tuple(_daemon(daemon) for daemon in values["servers"]),
        clients=tuple(_daemon(daemon) for daemon in values["clients"]),
    )


def _daemon(values: dict[str, Any]) -> Daemon:
    return Daemon(**{**values, "arguments": tuple(values["arguments"]), "cores": tuple(values["cores"])})


def _node(values: dict[str, Any]) -> NodePlan:
    return NodePlan(
        name=values["name"],
        ip_first=tuple(values["ip_first"]),
        settings=tuple(Setting(**setting) for setting in values["settings"]),
        tc=tuple(values["tc"]),
        ip=tuple(values["ip"]),
        in_order=tuple(values["in_order"]),
        adaptive=None if values["adaptive"] is None else _adaptive(values["adaptive"]),
    )


def _adaptive(values: dict[str, Any]) -> AdaptiveSwitch:
    return AdaptiveSwitch(
        number=values["number"],
        ports=tuple(AdaptivePort(**port) for port in values["ports"]),
        routes=tuple(
            AdaptiveRoute(**{**route, "paths": tuple(AdaptivePath(**path) for path in route["paths"])})
            for route in values["routes"]
        ),
        stations=tuple((at, port) for at, port in values["stations"]),
    )
