"""What processes of a lab may do to the machine: what labs need."""

import pytest

from stressbench.labs.privileges import KEPT_CAPABILITIES

SETTING = "/proc/sys/net/ipv4/ip_forward"


@pytest.mark.parametrize("host", ["h0", "s0"])
def test_settings_of_the_kernel_are_read_only(lab_up, host) -> None:
    bench = lab_up("tiny")

    said = bench.lab("exec", host, "--", "sh", "-c", f"echo 1 >{SETTING}", status=2)

    assert "Read-only file system" in said
    assert bench.lab("exec", host, "--", "cat", SETTING) in ("0\n", "1\n")


def test_nothing_can_be_started_with_capabilities_that_labs_do_not_need(lab_up) -> None:
    bench = lab_up("tiny")

    status = bench.lab("exec", "h0", "--", "cat", "/proc/self/status", "/proc/1/status")

    for line in status.splitlines():
        if line.startswith("Cap"):
            assert int(line.split()[1], 16) & ~sum(1 << number for number in KEPT_CAPABILITIES) == 0, line


def test_no_device_can_be_made(lab_up, tmp_path) -> None:
    bench = lab_up("tiny")

    said = bench.lab("exec", "h0", "--", "mknod", str(tmp_path / "disk"), "b", "8", "0", status=1)

    assert "Operation not permitted" in said
