"""Keeps idle cores of this machine from halting, by the kernel's PM QoS interface.

The core of a host on which nothing runs halts, and takes tens of microseconds to wake up on a virtual machine. A
message to that host waits for this, so that latencies of an idle lab would be longer than those of a lab in use.
"""

import os
from pathlib import Path

DEVICE = Path("/dev/cpu_dma_latency")
"""Kernel documentation, "PM Quality Of Service Interface": a 32-bit number of microseconds, valid until closed."""
AWAKE = "--awake"
"""The option of `stressbench.labs.enter` that does this while a command runs."""
_NO_LATENCY = (0).to_bytes(4, "little")


def keep_cores_awake(device: Path = DEVICE) -> int | None:
    """Ask the kernel to let idle cores poll, until the returned descriptor is closed or this process ends.

    The descriptor is not inherited by programs. None where this is not permitted (it needs root) or not supported.
    """
    try:
        descriptor = os.open(device, os.O_WRONLY)
    except OSError:
        return None
    try:
        os.write(descriptor, _NO_LATENCY)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
