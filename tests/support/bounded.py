"""Commands in a process of their own, with as much memory and time as reading anything may take.

`python -m support.bounded WORD...` is `stressbench WORD...` within them.
"""

import resource
import subprocess
import sys
from pathlib import Path

from support.mutations import limited

TESTS = Path(__file__).parents[1]
MOST_CPU_S = 60  # ends what never would; no verdict on how fast this machine is


def ended_within_limits(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """How the command ended with 1 GiB of memory beyond what an idle one has."""
    return subprocess.run(
        [sys.executable, "-m", "support.bounded", *map(str, words)], cwd=TESTS, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def main() -> None:
    from stressbench.cli.app import build

    limited()
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
    build()(sys.argv[1:])


if __name__ == "__main__":
    main()
