"""How large a file of each kind may be, in bytes. A larger file is refused with a message that names its limit."""

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

TOML = MIB
"""A lab file or a study file."""
WORKLOAD = 16 * MIB
"""A workload, and each file that it includes."""
RUN = 4 * GIB
"""A run file. What is right in it is in memory; it may be the result of days, so that no smaller limit is set."""
PROTOCOL = 32 * MIB
"""A protocol of `beff` or `beff-io`."""
FILE = 4 * GIB
"""Any file of a study, and the output of a program: only its bytes are counted, or its end is read."""
TRACE = 4 * GIB
"""A trace: first only its lines' places are noted, then one line at a time is in memory."""
LINE = 32 * MIB
"""A line of a run file or a trace: the largest is the line of a rank whose calls hardly repeat."""
VALUES, TRACE_VALUES = 4_000_000, 8_000_000
"""JSON values of one line, or of a file that is one JSON text; of a line of a trace."""
KEYS = 100_000
"""Keys of a profile, a co-run or a line of a protocol, which take no other keys than their own."""
NAME = 4096
"""Characters of a name in a run file: a job's, a motif's, a host's, a metric's."""
SENTENCE = 64 * KIB
"""Characters of a sentence in it, and of an option's value."""
JOURNAL = 128 * MIB
"""A study's manifest, its other notes, or the launches of `rails run` and `degrade run`."""
JOURNAL_LINE = MIB
"""A line of it."""
BROKEN_LINES = 1000
"""Lines of such a file that are told and left out; a file of more of them is none."""
PROFILE = 16 * MIB
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
