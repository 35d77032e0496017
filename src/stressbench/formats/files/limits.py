"""How large a file of each kind may be, in bytes. A larger file is refused with a message that names its limit."""

from stressbench.formats.units import BYTES

KIB, MIB, GIB = BYTES["KiB"], BYTES["MiB"], BYTES["GiB"]

TOML = MIB
"""A lab file or a study file."""
TOPOLOGY = 64 * MIB
"""A topology file; the output of ibnetdiscover has about 100 bytes for each port of the fabric."""
WORKLOAD = 16 * MIB
"""A workload, and each file that it includes."""
RUN = 4 * GIB
"""A run file. Its records are held in memory; no smaller limit is set since it may hold days of results."""
PROTOCOL = 32 * MIB
"""A protocol of `beff` or `beff-io`."""
FILE = 4 * GIB
"""Any file of a study, and the output of a program: only its checksum is computed, or its end is read."""
TRACE = 4 * GIB
"""A trace. Only the positions of its lines, and one line at a time, are held in memory."""
LINE = 32 * MIB
"""A line of a run file or a trace. The longest are those of ranks with hardly any repeated calls."""
VALUES, TRACE_VALUES = 4_000_000, 8_000_000
"""JSON values in one line, or in a file that is one JSON text; JSON values in one line of a trace."""
KEYS = 100_000
"""Keys in a profile, a co-run or a line of a protocol, all of which reject unknown keys."""
NAME = 4096
"""Characters of a name in a run file: a job's, a motif's, a host's, a metric's."""
SENTENCE = 64 * KIB
"""Characters of a sentence in a run file, and of the value of an option."""
JOURNAL = 128 * MIB
"""A study's manifest, its other bookkeeping files, or the launches of `rails run` and `degrade run`."""
JOURNAL_LINE = MIB
"""A line of such a file."""
BROKEN_LINES = 1000
"""Broken lines of such a file that are reported and left out; a file with more of them is refused."""
PROFILE = 16 * MIB
"""A sensitivity profile, a file of co-runs, or a .json file of `stressbench profile`."""
OUTPUT = 16 * MIB
"""An output file of a program such as hpcc."""
STATE = 16 * MIB
"""The state file of a lab."""
ARCHIVE = 16 * GIB
"""A packed study."""
ARCHIVE_UNPACKED, ARCHIVE_RATIO = GIB, 100
"""Unpacked size of a packed study: this many bytes, or this many times its packed size if that is more."""
ARCHIVE_FILES = 200_000
"""Files in a packed study."""
ARCHIVE_NAMES = 64 * MIB
"""Characters of their names in all."""
COMPLAINTS = 1000
"""Differences of a packed study from its SHA256SUMS that are reported; further ones are counted."""
