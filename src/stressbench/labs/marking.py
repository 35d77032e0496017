"""Marking of frames that waited for long in the queue of a switch (ECN), by two eBPF programs. Pure.

One program runs before the queue at an end of a link and notes in each frame when it came. The other runs where frames
arrive at the opposite end, and sets the congestion mark of those that needed longer than a limit. The mark is thus by
the time in the queue, as in CoDel and in switches that mark when they send, and needs no queueing discipline with
marks. Programs are encoded here, since a compiler for two programs of 8 and 15 instructions would be another
dependency (instructions: Linux, Documentation/bpf/standardization/instruction-set.rst).
"""

import struct
from enum import IntEnum

from stressbench.formats.lab.paths import PROGRAMS
from stressbench.labs.topology import End

ENTERING = f"{PROGRAMS}/entering"
ARRIVED = f"{PROGRAMS}/arrived"


class _Register(IntEnum):
    """r0 has results, r1 to r3 arguments; calls keep r6 and r7."""

    r0, r1, r2, r3, r6, r7 = 0, 1, 2, 3, 6, 7


class _Helper(IntEnum):
    """Functions of the kernel that programs may call, by number (linux/bpf.h)."""

    ktime_get_ns = 5
    skb_ecn_set_ce = 97
    skb_set_tstamp = 192


_MOVE, _MOVE_CONSTANT, _SUBTRACT, _LOAD_BYTE, _LOAD_64 = 0xBF, 0xB7, 0x1F, 0x71, 0x79
_JUMP_UNLESS_EQUAL, _JUMP_UNLESS_GREATER, _CALL, _EXIT, _CONSTANT_64 = 0x55, 0xBD, 0x85, 0x95, 0x18
_TIME_OFFSET, _KIND_OFFSET = 152, 180  # tstamp and tstamp_type in struct __sk_buff
_NO_TIME, _TIME_OF_DELIVERY = 0, 1  # kinds of tstamp; only the latter stays when a frame changes its namespace
_GO_ON = -1  # TC_ACT_UNSPEC
_INSTRUCTION_BYTES = 8


def entering_program() -> bytes:
    """Note the present time in a frame."""
    return b"".join(
        [
            _instruction(_MOVE, _Register.r6, _Register.r1),
            _call(_Helper.ktime_get_ns),
            _instruction(_MOVE, _Register.r2, _Register.r0),
            _instruction(_MOVE, _Register.r1, _Register.r6),
            _instruction(_MOVE_CONSTANT, _Register.r3, constant=_TIME_OF_DELIVERY),
            _call(_Helper.skb_set_tstamp),
            *_return(_GO_ON),
        ]
    )


def arrived_program(limit_ns: int) -> bytes:
    """Mark a frame that entered the queue more than `limit_ns` ago, and remove the time from it."""
    mark = [_instruction(_MOVE, _Register.r1, _Register.r6), _call(_Helper.skb_ecn_set_ce)]
    with_time = [
        _instruction(_LOAD_64, _Register.r7, _Register.r6, offset=_TIME_OFFSET),
        _call(_Helper.ktime_get_ns),
        _instruction(_SUBTRACT, _Register.r0, _Register.r7),
        _constant_64(_Register.r1, limit_ns),
        _instruction(_JUMP_UNLESS_GREATER, _Register.r0, _Register.r1, offset=_length(mark)),
        *mark,
        _instruction(_MOVE, _Register.r1, _Register.r6),
        _instruction(_MOVE_CONSTANT, _Register.r2, constant=0),
        _instruction(_MOVE_CONSTANT, _Register.r3, constant=_NO_TIME),
        _call(_Helper.skb_set_tstamp),
    ]
    return b"".join(
        [
            _instruction(_MOVE, _Register.r6, _Register.r1),
            _instruction(_LOAD_BYTE, _Register.r2, _Register.r6, offset=_KIND_OFFSET),
            _instruction(
                _JUMP_UNLESS_EQUAL, _Register.r2, offset=_length(with_time), constant=_TIME_OF_DELIVERY
            ),
            *with_time,
            *_return(_GO_ON),
        ]
    )  # fmt: skip


def hook_line(end: End) -> str:
    """`tc` command that precedes the others at an end of a link."""
    return f"qdisc add dev {end.device} clsact"


def entering_line(end: End) -> str:
    """`tc` command for an end whose queue is that of a switch."""
    return f"filter add dev {end.device} egress bpf direct-action object-pinned {ENTERING}"


def arrived_line(end: End) -> str:
    """`tc` command for the opposite end."""
    return f"filter add dev {end.device} ingress bpf direct-action object-pinned {ARRIVED}"


def _instruction(
    code: int, destination: int = _Register.r0, source: int = _Register.r0, *, offset: int = 0, constant: int = 0
) -> bytes:
    return struct.pack("<BBhi", code, destination | source << 4, offset, constant)


def _call(helper: _Helper) -> bytes:
    return _instruction(_CALL, constant=helper)


def _constant_64(destination: _Register, value: int) -> bytes:
    low, high = struct.unpack("<ii", struct.pack("<q", value))
    return _instruction(_CONSTANT_64, destination, constant=low) + _instruction(0, constant=high)


def _return(value: int) -> tuple[bytes, bytes]:
    return _instruction(_MOVE_CONSTANT, _Register.r0, constant=value), _instruction(_EXIT)


def _length(instructions: list[bytes]) -> int:
    return sum(map(len, instructions)) // _INSTRUCTION_BYTES
