"""Conversion of plans to JSON values and back, for the channel to the lab supervisor."""

from dataclasses import asdict
from typing import Any

from stressbench.labs.plan import DirectionPlan, File, NodePlan, NoisePlan, Plan, Setting
from stressbench.labs.storage import Daemon, StoragePlan
from stressbench.labs.topology import End


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The plan as JSON values."""
    return asdict(plan)


def plan_from_json(found: dict[str, Any]) -> Plan:
    """The plan with these JSON values, the inverse of `plan_to_json`."""
    return Plan(
        name=found["name"],
        nodes=tuple(_node(node) for node in found["nodes"]),
        veth_pairs=tuple((End(**one), End(**other)) for one, other in found["veth_pairs"]),
        files=tuple(File(**file) for file in found["files"]),
        noise=tuple(NoisePlan(**noise) for noise in found["noise"]),
        wires=tuple(DirectionPlan(**wire) for wire in found["wires"]),
        storage=None if found["storage"] is None else _storage(found["storage"]),
    )


def _storage(found: dict[str, Any]) -> StoragePlan:
    return StoragePlan(
        path=found["path"],
        capacity_bytes=found["capacity_bytes"],
        servers=tuple(_daemon(daemon) for daemon in found["servers"]),
        clients=tuple(_daemon(daemon) for daemon in found["clients"]),
    )


def _daemon(found: dict[str, Any]) -> Daemon:
    return Daemon(**{**found, "arguments": tuple(found["arguments"]), "cores": tuple(found["cores"])})


def _node(found: dict[str, Any]) -> NodePlan:
    return NodePlan(
        name=found["name"],
        first=tuple(found["first"]),
        settings=tuple(Setting(**setting) for setting in found["settings"]),
        tc=tuple(found["tc"]),
        ip=tuple(found["ip"]),
    )
