"""Programs that mark frames which waited: their instructions, and that the kernel accepts them."""

import os

import pytest

from stressbench.labs.bpf import load_program
from stressbench.labs.capabilities import marks
from stressbench.labs.marking import arrived_program, entering_program

_CALL, _EXIT = 0x85, 0x95


def instructions(program: bytes) -> list[bytes]:
    return [program[at : at + 8] for at in range(0, len(program), 8)]


def called(program: bytes) -> list[int]:
    return [int.from_bytes(one[4:], "little") for one in instructions(program) if one[0] == _CALL]


def test_a_frame_gets_the_time_at_which_it_enters_the_queue() -> None:
    ktime_get_ns, set_tstamp = 5, 192

    assert called(entering_program()) == [ktime_get_ns, set_tstamp]
    assert instructions(entering_program())[-1][0] == _EXIT


def test_a_frame_is_marked_after_the_limit_and_loses_its_time_in_any_case() -> None:
    ktime_get_ns, set_ce, set_tstamp = 5, 97, 192
    program = arrived_program(limit_ns=0x123456789A)

    assert called(program) == [ktime_get_ns, set_ce, set_tstamp]
    constant = instructions(program)[6:8]
    assert constant[0][4:] + constant[1][4:] == (0x123456789A).to_bytes(8, "little")
    jump = instructions(program)[8]
    assert int.from_bytes(jump[2:4], "little") == 2  # over the mark, not over what removes the time


def test_the_kernel_accepts_the_programs() -> None:
    if not marks().there:
        pytest.skip(f"no program can be loaded here: {marks().remedy}")
    for program in (entering_program(), arrived_program(limit_ns=1_000_000)):
        os.close(load_program(program))


def test_what_the_kernel_says_of_a_wrong_program_is_in_the_message() -> None:
    if not marks().there:
        pytest.skip(f"no program can be loaded here: {marks().remedy}")
    without_result = entering_program()[-8:]

    with pytest.raises(OSError, match=r"load an eBPF program: .*\(.+\)"):
        load_program(without_result)
