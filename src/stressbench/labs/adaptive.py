"""Adaptive routing in the kernel: the program and the maps of each switch, its counters, and changes of its ports.

The program is compiled beforehand (labs/programs/adaptive.c). Maps of a switch have its ports and paths; the maps with
connections belong to the whole lab.
"""

import json
import mmap
import os
import struct
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import cycle, islice
from pathlib import Path
from socket import if_nametoindex
from typing import Any

from stressbench.formats.lab.paths import PROGRAMS
from stressbench.labs.adaptive_routes import MAX_PATHS, AdaptivePort, AdaptiveRoute, AdaptiveSwitch, routing_program
from stressbench.labs.bpf import MapKind, create_map, load_program, open_pinned, pin, set_element

_OF_LAB = ("senders", "choices")
_NO_SWITCH = 0xFFFF
_STATION, _ROUTE, _PATH, _PORT = struct.Struct("HH"), struct.Struct("Q"), struct.Struct("4H"), struct.Struct("I6sH4x9Q")
_RATE_AT, _COUNTERS_AT = 16, 56  # ps_per_byte, and the counters in struct port
_COUNTERS = struct.Struct("4Q")
_MAP_INSTRUCTION, _SOURCE_MAP = 0x18, 1  # a 64-bit constant that is the descriptor of a map (BPF_PSEUDO_MAP_FD)
_INSTRUCTION_BYTES = 8


@dataclass(frozen=True, kw_only=True)
class PortCounters:
    """Counters of a port since the lab came up.

    Bytes that it sent on minimal and on non-minimal paths; connections that it made stop so that they can take another
    path; frames that it delivered to a host after frames of the same connection that a switch had sent another way.
    """

    minimal_bytes: int
    nonminimal_bytes: int
    moves: int
    late: int


@dataclass(frozen=True, kw_only=True)
class _Program:
    """A compiled program: its instructions, its maps, and the map of each instruction that names one."""

    instructions: bytes
    maps: Mapping[str, MapKind]
    map_instructions: tuple[tuple[int, str], ...]

    def naming(self, descriptors: Mapping[str, int]) -> bytes:
        """The instructions with the descriptors of these maps."""
        code = bytearray(self.instructions)
        for number, name in self.map_instructions:
            at = number * _INSTRUCTION_BYTES
            assert code[at] == _MAP_INSTRUCTION
            struct.pack_into("B", code, at + 1, code[at + 1] & 0x0F | _SOURCE_MAP << 4)
            struct.pack_into("i", code, at + 4, descriptors[name])
        return bytes(code)


@cache
def _program() -> _Program:
    text = files("stressbench.labs").joinpath("programs", "adaptive.json").read_text(encoding="utf-8")
    made: Mapping[str, Any] = json.loads(text)
    return _Program(
        instructions=bytes.fromhex("".join(made["instructions"])),
        maps={name: MapKind(**kind) for name, kind in made["maps"].items()},
        map_instructions=tuple((number, name) for number, name in made["map_instructions"]),
    )


def pin_maps_of_lab() -> None:
    """Create the maps with connections of all switches. Raises OSError."""
    for name in _OF_LAB:
        descriptor = create_map(_program().maps[name])
        pin(descriptor, f"{PROGRAMS}/{name}")
        os.close(descriptor)


def pin_routing_program(switch: AdaptiveSwitch) -> None:
    """Load the program and the maps of a switch, in whose network namespace this process is. Raises OSError."""
    descriptors = {name: open_pinned(f"{PROGRAMS}/{name}") for name in _OF_LAB}
    try:
        _create_maps_of_switch(switch, descriptors)
        pin(descriptors["ports"], f"{PROGRAMS}/ports-{switch.number}")
        program = load_program(_program().naming(descriptors))
        pin(program, routing_program(switch.number))
        os.close(program)
    finally:
        for descriptor in descriptors.values():
            os.close(descriptor)


def check_routing_program() -> None:
    """Load the program for a switch without ports and forget it. Raises OSError."""
    descriptors = {name: create_map(replace(_program().maps[name], entries=1)) for name in _OF_LAB}
    try:
        _create_maps_of_switch(AdaptiveSwitch(number=0, ports=(), routes=(), stations=()), descriptors)
        os.close(load_program(_program().naming(descriptors)))
    finally:
        for descriptor in descriptors.values():
            os.close(descriptor)


def _create_maps_of_switch(switch: AdaptiveSwitch, descriptors: dict[str, int]) -> None:
    descriptors["scratch"] = create_map(_program().maps["scratch"])
    for name, values in _values(switch).items():
        descriptors[name] = create_map(replace(_program().maps[name], entries=max(1, len(values))))
        for number, value in enumerate(values):
            set_element(descriptors[name], number, value)


def _values(switch: AdaptiveSwitch) -> Mapping[str, tuple[bytes, ...]]:
    """Elements of the maps of a switch (the structures are those of adaptive.c)."""
    routes = {route.target: _packed_route(route) for route in switch.routes}
    none = bytes(_ROUTE.size + MAX_PATHS * _PATH.size)
    return {
        "here": (struct.pack("I", switch.number),),
        "stations": tuple(_STATION.pack(_NO_SWITCH if at is None else at, port) for at, port in switch.stations),
        "routes": tuple(routes.get(number, none) for number in range(max(routes, default=0) + 1)),
        "ports": tuple(_packed_port(port) for port in switch.ports),
    }


def _packed_route(route: AdaptiveRoute) -> bytes:
    paths = b"".join(
        _PATH.pack(path.port, _NO_SWITCH if path.via is None else path.via, path.links, path.via is None)
        for path in islice(cycle(route.paths), MAX_PATHS)
    )
    return _ROUTE.pack(route.first) + paths


def _packed_port(port: AdaptivePort) -> bytes:
    address = bytes.fromhex(port.mac.replace(":", ""))
    return _PORT.pack(if_nametoindex(port.device), address, port.decides, port.ps_per_byte, *(0,) * 8)


def read_port_counters(switch: int, ports: int, *, root: Path = Path("/")) -> tuple[PortCounters, ...]:
    """Counters of the ports of a switch; `root` is that of a process of the lab. Raises OSError."""
    with closing(_mapped_ports(switch, ports, root)) as memory:
        return tuple(
            PortCounters(minimal_bytes=minimal, nonminimal_bytes=nonminimal, moves=moves, late=late)
            for minimal, nonminimal, moves, late in (
                _COUNTERS.unpack_from(memory, port * _PORT.size + _COUNTERS_AT) for port in range(ports)
            )
        )


def set_port_rates(switch: int, ports: int, rates: Iterable[tuple[int, int]], *, root: Path) -> None:
    """Set the time for which a byte occupies each of these ports, ps; 0: the link is down. Raises OSError."""
    with closing(_mapped_ports(switch, ports, root)) as memory:
        for port, value in rates:
            struct.pack_into("Q", memory, port * _PORT.size + _RATE_AT, value)


def _mapped_ports(switch: int, ports: int, root: Path) -> mmap.mmap:
    descriptor = open_pinned(f"{root / PROGRAMS.removeprefix('/')}/ports-{switch}")
    try:
        pages = -(-ports * _PORT.size // mmap.PAGESIZE)
        return mmap.mmap(descriptor, pages * mmap.PAGESIZE)
    finally:
        os.close(descriptor)
