"""Commands in a process with limited memory and time, for readers of untrusted files.

`python -m support.bounded ARGUMENTS...` runs `stressbench ARGUMENTS...` within these limits.

"""

import resource
import subprocess
import sys
from pathlib import Path

from support.mutations import limit_memory

TESTS = Path(__file__).parents[1]
MOST_CPU_S = 60  # only ends commands that hang


def ended_within_limits(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """How the command ended, with 1 GiB of memory more than one that has only read its options."""
    return subprocess.run(
        [sys.executable, "-m", "support.bounded", *map(str, words)], cwd=TESTS, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def main() -> None:
    from stressbench.cli.console.app import build, requested_in

    command = build(requested=requested_in(sys.argv[1:]))
    limit_memory()
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
    command(sys.argv[1:])


if __name__ == "__main__":
    main()
