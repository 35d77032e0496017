"""Where the programs of a comparison run: on this machine, or on hosts of a lab, one rank on each."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import against_hpcc

from stressbench.launch.targets import resolve_target

_RECORDED = 'exec "$@" >"$PWD/output.${OMPI_COMM_WORLD_RANK:-0}"'
"""Each rank writes its standard output to a file, since a launcher may mix those of several ranks."""


@dataclass(frozen=True)
class LaunchTarget:
    """The target of `--on`, and the engine, which says with which MPI library its programs are started."""

    on: str
    engine: Path

    @property
    def is_local(self) -> bool:
        """True if programs run on this machine, where files that they write can be removed by the next launch."""
        return self.on == "local"

    @property
    def host_count(self) -> int | None:
        """Number of hosts; None where it is unknown."""
        return resolve_target(self.on, environment=os.environ).host_count

    def starter(self, ranks: int, hosts: Sequence[str] = ()) -> against_hpcc.Start:
        """A function that starts programs in a folder; `hosts` of a lab: those of the ranks, or else its first ones."""
        return against_hpcc.starter(self.on, ranks, self.engine, hosts=hosts)

    def run(self, ranks: int, words: Sequence[str], *, folder: Path | None = None, hosts: Sequence[str] = ()) -> str:
        """Start `ranks` ranks of a program and return their standard output, in the order of the ranks.

        `folder`: their working directory, or else a temporary one.
        """
        if folder is None:
            with tempfile.TemporaryDirectory() as name:
                return self.run(ranks, words, folder=Path(name), hosts=hosts)
        self.starter(ranks, hosts)(folder, ["sh", "-c", _RECORDED, "sh", *words])
        outputs = sorted(folder.glob("output.*"), key=lambda path: int(path.suffix[1:]))
        text = "".join(path.read_text() for path in outputs)
        for path in outputs:
            path.unlink()
        return text
