"""What `beff` and `beff-io` share: a motif that runs alone, and its protocol."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from stressbench.cli.following import say
from stressbench.cli.places import engine_for
from stressbench.formats.errors import SuiteFileError, reason_of
from stressbench.formats.files import is_own_file, require_output
from stressbench.launch import session
from stressbench.launch.ending import explain
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.place import Place
from stressbench.launch.target import Shape, shape_of

_PLAIN = re.compile(r"[\w./:=,+@%{}~$][\w./:=,+@%{}~$-]*")


@dataclass(frozen=True, kw_only=True)
class Alone:
    """A motif that runs by itself: its name, its options as typed, and where."""

    motif: str
    options: tuple[str, ...]
    shape: Shape
    on: str
    place: Place
    engine: Path | None
    seed: str
    verify: bool

    @property
    def text(self) -> str:
        """The workload."""
        words = " ".join((self.motif, *map(quoted, self.options)))
        return f"[JOB_NAME] {self.motif}\n[NODES] {self.shape.ranks}\n[MOTIF] {words}\n"


def quoted(word: str) -> str:
    """The word as workloads write it; `${SCRATCH}` stays a variable."""
    if _PLAIN.fullmatch(word) or re.fullmatch(r"--[a-z-]+", word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def options_of(*valued: tuple[str, str | None], flags: Iterable[tuple[str, bool]] = ()) -> tuple[str, ...]:
    """Options and values that were given, then the flags that were."""
    given = [text for option, value in valued if value is not None for text in (option, value)]
    return (*given, *(option for option, is_given in flags if is_given))


def shape_at(place: Place, ranks: int | None) -> Shape:
    """Each rank a node. Raises LaunchMistake where nobody says how many there are."""
    return shape_of(ranks=ranks, ranks_per_node=1, run_file=RunFile(path=Path("run.jsonl")), default=place.ranks)


@contextmanager
def protocol_file(output: Path | None, *, motif: str) -> Iterator[tuple[Path, Path]]:
    """A folder for what is needed meanwhile, and the protocol: there, or the new file that was named."""
    if output is not None and output.exists():
        raise LaunchMistake(f"-o {output}: is there already; name a new file, or remove it")
    if output is not None and not output.absolute().parent.is_dir():
        raise LaunchMistake(f"-o {output}: {output.absolute().parent} is not a directory")
    if output is not None:
        _require_writable(output)
    with TemporaryDirectory(prefix=f"stressbench-{motif}-") as name:
        protocol = (output or Path(name, "protocol.jsonl")).absolute()
        try:
            yield Path(name), protocol
        finally:
            note = protocol.with_name(f"{protocol.name}.stressbench")
            if is_own_file(note):  # of the motif, for a run that goes on; this one does not
                note.unlink()


def _require_writable(output: Path) -> None:
    try:
        require_output(output)
    except OSError as fault:
        raise LaunchMistake(f"-o {output}: {reason_of(fault)}") from fault


def measure(alone: Alone, *, folder: Path, protocol: Path) -> int:
    """Run the motif alone; its exit status. Raises LaunchMistake."""
    workload, run_file = folder / f"{alone.motif}.sb", RunFile(path=folder / "run.jsonl")
    escaped = str(protocol).replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    workload.write_text(alone.text.rstrip("\n") + f' --protocol "{escaped}"\n', encoding="utf-8")
    options = EngineOptions(
        isolated="1", contended="0", repetitions="1", warmup="0", seed=alone.seed, verify=alone.verify
    )
    wish = session.Wish(
        workload=workload,
        ranks=alone.shape.ranks,
        ranks_per_node=alone.shape.ranks_per_node,
        run_file=run_file,
        options=options.with_stall_limit(alone.place.stall_limit),
        engine=engine_for(alone.place, alone.engine, environment=os.environ),
        place=alone.place,
        on=alone.on,
    )
    prepared = session.prepare(wish, environment=os.environ)
    if isinstance(prepared, int):
        return prepared
    ending = session.run(prepared, run_file=run_file.path)
    for sentence in explain(ending, wish=wish):
        if "--continue" not in sentence and not ("nothing was measured" in sentence and protocol.exists()):
            say(sentence)
    return ending.status


@contextmanager
def mistakes_told() -> Iterator[None]:
    """What the person can put right becomes one sentence and status 2."""
    try:
        yield
    except (LaunchMistake, SuiteFileError) as mistake:
        say(str(mistake))
        raise typer.Exit(session.MISTAKE) from None
