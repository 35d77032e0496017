"""`--compete`: the study in which traffic competes with workloads, and the files that it is made of."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from stressbench.cli.asking import rank_counts, variables
from stressbench.cli.degrade.asked import ROUNDS, Asked, node_counts, rates_of
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text, replace_whole
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study
from stressbench.formats.units import UnitError, parse_rate
from stressbench.study.degradation.competing import NODES, RATE, require_shareable, texts_of
from stressbench.study.includes import statements_of
from stressbench.study.rate_command import argument_of

FOLDER = "workloads"


def require_compete(asked: Asked) -> None:
    """Raise StudyMistake where --link stands alone."""
    if asked.link is not None and not asked.compete:
        raise StudyMistake(f"--link {asked.link}: goes with --compete")


def write_in(output: Path, asked: Asked) -> Path:
    """The files of the study, below `output`; the folder that its paths are relative to. Raises StudyMistake."""
    folder = output / FOLDER
    try:
        if output.exists() and any(output.iterdir()) and not (folder / "compete").exists():
            raise StudyMistake(f"{output} holds no study of --compete; choose a directory that is new or empty")
        for name, written in _texts(asked, folder).items():
            _write(folder / name, written)
    except OSError as fault:
        raise StudyMistake(f"--output: {fault.filename}: {reason_of(fault)}") from fault
    return folder.absolute()


@contextmanager
def written_for_now(asked: Asked) -> Iterator[Path]:
    """The same in a folder that goes."""
    with TemporaryDirectory(prefix="stressbench-degrade-") as name:
        yield write_in(Path(name), asked)


def competing_study(asked: Asked) -> tuple[Study, str]:
    """The study, and the text of its file; nothing is written. Raises StudyMistake."""
    _require_possible(asked)
    rates, nodes, paths = list(map(argument_of, rates_of(asked.rates))), _nodes(asked), _by_name(asked)
    contended = asked.rounds["contended"]
    study, text = asked.made(
        about="Competing traffic", factors={"workload": list(paths)}, sets={RATE: rates},
        by_ranks={NODES: {count: str(many) for count, many in nodes.items()}},
        rounds={**asked.rounds, "isolated": 0, "contended": ROUNDS if contended is None else contended},
    )  # fmt: skip
    for workload, sets in dict.fromkeys((cell.workload, cell.sets) for cell in study.cells):
        require_shareable(
            statements_of(paths[workload], dict(sets)), workload=str(paths[workload]),
            most_ranks=(asked.ranks_per_node or 0) - 1,
        )  # fmt: skip
    return study, text


def _require_possible(asked: Asked) -> None:
    if asked.rate_command is not None:
        raise StudyMistake("--compete: and --rate-command: expected one of the two")
    if asked.place.startswith("simgrid:"):
        raise StudyMistake(f"--compete: --on {asked.place}: simulated links have each rate; leave it out")
    if asked.rounds["isolated"]:
        raise StudyMistake(
            f"--isolated {asked.rounds['isolated']}: with --compete no job is alone; expected --contended"
        )
    if asked.rounds["contended"] == 0:
        raise StudyMistake("--contended 0: expected rounds in which jobs run beside the traffic")
    if taken := next((name for name in (RATE, NODES) if name in variables(asked.sets) or name == asked.nodes), None):
        raise StudyMistake(f"--compete: {taken} is a variable of its own; expected another name")
    _link_bytes_per_s(asked)


def _link_bytes_per_s(asked: Asked) -> float:
    if asked.link is None:
        raise StudyMistake("--compete: a share of which rate? Expected --link, what a node can send, such as 10Gbit")
    try:
        return parse_rate(asked.link).bytes_per_s
    except UnitError as fault:
        raise StudyMistake(f"--link: '{asked.link}': {fault}") from fault


def _nodes(asked: Asked) -> Mapping[int, int]:
    """By number of ranks, the competing job's among them."""
    ranks, each = rank_counts(asked.ranks), asked.ranks_per_node
    if not ranks or each is None or each < 2:
        raise StudyMistake(
            "--compete: expected -n and --ranks-per-node of 2 or more: one rank of each node is the competing job's"
        )
    nodes = node_counts(ranks, each)
    if wrong := next((count for count, many in nodes.items() if many < 2), None):
        raise StudyMistake(
            f"-n: {wrong} ranks, {each} a node, are one node: expected 2 or more, which send to each other"
        )
    return nodes


def _by_name(asked: Asked) -> Mapping[str, Path]:
    """Workloads by the names of the files that are made of them."""
    found: dict[str, Path] = {}
    for path in asked.workloads:
        if path.name in found:
            raise StudyMistake(f"--compete: {path}: {found[path.name]} has the same name; rename one of them")
        found[path.name] = path
    return found


def _texts(asked: Asked, folder: Path) -> Mapping[str, str]:
    paths = {
        name: Path(os.path.relpath(path.parent.resolve() / path.name, folder.resolve())).as_posix()
        for name, path in _by_name(asked).items()
    }
    rates = [Fraction(argument_of(rate)) for rate in rates_of(asked.rates)]
    return texts_of(
        paths, rates=rates, nodes=_nodes(asked).values(), link_bytes_per_s=_link_bytes_per_s(asked)
    )  # fmt: skip


def _write(path: Path, text: str) -> None:
    """What runs have run already must stay as it is. Raises StudyMistake."""
    if path.exists() and read_text(path, limit=limits.WORKLOAD, errors="replace") != text:
        raise StudyMistake(f"{path} is there with another text: begin a study in another directory")
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_whole(path, text.encode())
