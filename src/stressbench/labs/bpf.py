"""eBPF programs for traffic control, their maps, and the file system that keeps both. Each raises OSError."""

import ctypes
import os
import platform
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stressbench.labs import system

_CALL_NUMBERS = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "ppc64le": 361, "s390x": 351}
_MAP_CREATE, _MAP_UPDATE, _PROG_LOAD, _OBJ_PIN, _OBJ_GET = 0, 2, 5, 6, 7
_SCHED_CLS = 3
_ATTRIBUTE_BYTES = 128
_LOG_BYTES = 1 << 16
_INSTRUCTION_BYTES = 8
_LICENSE = b"GPL\0"  # of the program in the kernel's sense: its helpers are for such programs only


def mount_programs(folder: str) -> None:
    """Create a folder in which programs can be pinned."""
    Path(folder).mkdir()
    system.mount("bpf", folder, "bpf")


def pin_program(program: bytes, path: str) -> None:
    """Load a program and keep it under this path."""
    descriptor = load_program(program)
    try:
        pin(descriptor, path)
    finally:
        os.close(descriptor)


def pin(descriptor: int, path: str) -> None:
    """Keep a program or a map under this path."""
    name = ctypes.create_string_buffer(path.encode())
    _bpf(_OBJ_PIN, struct.pack("QI", ctypes.addressof(name), descriptor), f"pin {path}")


def open_pinned(path: str) -> int:
    """A descriptor of the program or map under this path."""
    name = ctypes.create_string_buffer(path.encode())
    return _bpf(_OBJ_GET, struct.pack("QI", ctypes.addressof(name), 0), f"open {path}")


@dataclass(frozen=True, kw_only=True)
class MapKind:
    """The kind of a map, its sizes in bytes, and its flags, as in linux/bpf.h; `entries` of 0 are still to be set."""

    type: int
    key_bytes: int
    value_bytes: int
    entries: int
    flags: int


def create_map(kind: MapKind) -> int:
    """A descriptor of a new map."""
    sizes = (kind.type, kind.key_bytes, kind.value_bytes, kind.entries, kind.flags)
    return _bpf(_MAP_CREATE, struct.pack("5I", *sizes), "create an eBPF map")


def set_element(descriptor: int, number: int, value: bytes) -> None:
    """Set an element of an array."""
    key, buffer = struct.pack("I", number), ctypes.create_string_buffer(value, len(value))
    key_buffer = ctypes.create_string_buffer(key, len(key))
    addresses = ctypes.addressof(key_buffer), ctypes.addressof(buffer)
    _bpf(_MAP_UPDATE, struct.pack("IxxxxQQQ", descriptor, *addresses, 0), "set an element of an eBPF map")


def load_program(program: bytes) -> int:
    """A descriptor of the loaded program. The message of the kernel's verifier is part of the error's."""
    code = ctypes.create_string_buffer(program, len(program))
    license_text = ctypes.create_string_buffer(_LICENSE)
    log = ctypes.create_string_buffer(_LOG_BYTES)

    def load(*log_attributes: int) -> int:
        attributes = struct.pack(
            "IIQQIIQ", _SCHED_CLS, len(program) // _INSTRUCTION_BYTES, ctypes.addressof(code),
            ctypes.addressof(license_text), *log_attributes,
        )  # fmt: skip
        return _bpf(_PROG_LOAD, attributes, "load an eBPF program")

    try:
        return load(0, 0, 0)
    except OSError as fault:
        with suppress(OSError):  # again, for the reason: a log that is too short would be a reason of its own
            os.close(load(1, _LOG_BYTES, ctypes.addressof(log)))
        said = log.value.decode(errors="replace").strip().splitlines()
        raise OSError(fault.errno, f"{fault.strerror}{f' ({said[-1]})' if said else ''}") from fault


def _bpf(command: int, attributes: bytes, what: str) -> int:
    number = _CALL_NUMBERS.get(platform.machine())
    if number is None:
        raise OSError(0, f"{what}: the system call is not known on {platform.machine()}")
    buffer = ctypes.create_string_buffer(attributes.ljust(_ATTRIBUTE_BYTES, b"\0"), _ATTRIBUTE_BYTES)
    return system.syscall(number, command, buffer, _ATTRIBUTE_BYTES, what=what)
