"""How large a file of each kind may be, in bytes. A larger file is refused with a message that names its limit."""

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

TOML = MIB
"""A lab file or a study file."""
WORKLOAD = 16 * MIB
"""A workload, and each file that it includes."""
RUN = 4 * GIB
"""A run file."""
PROTOCOL = 256 * MIB
"""A protocol of `beff` or `beff-io`."""
TRACE = 4 * GIB
"""A trace."""
LINE = 256 * MIB
"""A line of a run file or a trace: the largest is the line of a rank whose calls hardly repeat."""
JOURNAL = 64 * MIB
"""A study's manifest, its other notes, or the launches of `rails run` and `degrade run`."""
PROFILE = 64 * MIB
"""A profile of sensitivity, a file of co-runs, or a .json file of `profile`."""
OUTPUT = 16 * MIB
"""What a program such as hpcc writes."""
STATE = 16 * MIB
"""What is written down about a lab."""
ARCHIVE = 16 * GIB
"""A packed study."""
ARCHIVE_UNPACKED, ARCHIVE_RATIO = GIB, 100
"""To how much it may unpack: to so many bytes, or so many times its size where that is more."""
ARCHIVE_FILES = 200_000
"""How many files it may hold."""


def text_of(size: int) -> str:
    """`16 MiB`: a limit in the largest unit that divides it."""
    units = ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1, "bytes"))
    unit, name = next((unit, name) for unit, name in units if size % unit == 0)
    return f"{size // unit} {name}"
