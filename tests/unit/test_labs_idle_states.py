"""The request that idle cores do not halt, in place of the kernel's device a file."""

import os
from pathlib import Path

from stressbench.labs.idle_states import keep_cores_awake


def test_a_wakeup_latency_of_zero_is_requested_until_the_descriptor_is_closed(tmp_path: Path) -> None:
    device = tmp_path / "cpu_dma_latency"
    device.touch()

    descriptor = keep_cores_awake(device)

    assert descriptor is not None
    assert device.read_bytes() == bytes(4)
    assert Path(f"/proc/self/fd/{descriptor}").readlink() == device
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)


def test_nothing_is_requested_where_it_is_not_supported_or_not_permitted(tmp_path: Path) -> None:
    open_before = len(list(Path("/proc/self/fd").iterdir()))

    assert keep_cores_awake(tmp_path / "missing") is None
    assert keep_cores_awake(Path("/dev/full")) is None
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before
