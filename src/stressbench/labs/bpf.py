"""Loading of eBPF programs for traffic control, and the file system that keeps them. Each raises OSError."""

import ctypes
import os
import platform
import struct
from pathlib import Path

from stressbench.labs import system

_CALL_NUMBERS = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "ppc64le": 361, "s390x": 351}
_PROG_LOAD, _OBJ_PIN = 5, 6
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
        name = ctypes.create_string_buffer(path.encode())
        _bpf(_OBJ_PIN, struct.pack("QI", ctypes.addressof(name), descriptor), f"pin {path}")
    finally:
        os.close(descriptor)


def load_program(program: bytes) -> int:
    """A descriptor of the loaded program. The message of the kernel's verifier is part of the error's."""
    code = ctypes.create_string_buffer(program, len(program))
    license_text = ctypes.create_string_buffer(_LICENSE)
    log = ctypes.create_string_buffer(_LOG_BYTES)
    attributes = struct.pack(
        "IIQQIIQ", _SCHED_CLS, len(program) // _INSTRUCTION_BYTES, ctypes.addressof(code),
        ctypes.addressof(license_text), 1, _LOG_BYTES, ctypes.addressof(log),
    )  # fmt: skip
    try:
        return _bpf(_PROG_LOAD, attributes, "load an eBPF program")
    except OSError as fault:
        said = log.value.decode(errors="replace").strip().splitlines()
        raise OSError(fault.errno, f"{fault.strerror}{f' ({said[-1]})' if said else ''}") from fault


def _bpf(command: int, attributes: bytes, what: str) -> int:
    number = _CALL_NUMBERS.get(platform.machine())
    if number is None:
        raise OSError(0, f"{what}: the system call is not known on {platform.machine()}")
    buffer = ctypes.create_string_buffer(attributes.ljust(_ATTRIBUTE_BYTES, b"\0"), _ATTRIBUTE_BYTES)
    return system.syscall(number, command, buffer, _ATTRIBUTE_BYTES, what=what)
