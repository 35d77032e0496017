"""Readers and what they are fed: small right files, changed at random from a fixed seed, in a process with limits.

`python -m support.mutations READER FIRST END` tries changed files FIRST to END - 1 and prints what went wrong as JSON.
Run it by hand with `--mutations 600` of pytest, or as it stands here.
"""

import contextlib
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tarfile
import tempfile
import traceback
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from support.fake_launcher import put, put_mpirun

CORPUS = Path(__file__).parents[1] / "corpus"
SHORT = 25
_ENGINE = """#!/bin/sh
[ "$1" = --version ] && echo "stressbench-mpi 0.1.0" && echo "MPI library: Open MPI v4.1.4, package: fake"
exit 0
"""
MOST_BYTES = 1 << 30  # in addition to the memory of the interpreter and its libraries
MOST_CPU_S = 10.0
MOST_CHARACTERS = 9000  # of a line of a message, which may name paths
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 2**64, 10**400, 1e308, -1e308, 5e-324, "", "x" * 5000, "\x1b[31m\x9b",
    "\u202e", "\x00", "..", "/dev/zero", "1e999", "nan", [], {}, [[]], {"a": {}}, [0] * 50,
)  # fmt: skip
_PERMITTED: tuple[Any, ...] = (0, 1, 10**15, 2**63 - 1, 1e-100, 1e100, 1e-9, "x" * 4096)
"""What the schemas take, and is far from what anybody measures: instead of numbers and texts."""
_BYTES = (
    b"\x1b[31m",
    b"\xff\xfe",
    b"\x00",
    b"\xc2\x9b",
    b"[",
    b"{" * 50,
    b"[" * 3000,
    b'"',
    b"9" * 30,
    b"9" * 5000,
    b"1e999",
    b"NaN",
    b"=",
    b"x" * 900_000,
    b"a." * 10_000,
)
# One line for each mistake of a file, and their number if there are many.
_MISTAKE = re.compile(r"stressbench: (?:[^ ]+\.(?:toml|conf|txt):\d+: |[\d,]+ more mistakes$)")
_CHECKSUM = re.compile(rb',"crc32":"[^"]*"\}\n\Z')
_CUT_OFF = "stressbench: the file is cut off: "
_NUMBER = re.compile(rb"-?\d+(\.\d+)?")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mutations", type=int, default=SHORT, metavar="N", help=f"changed files that each reader is fed ({SHORT})"
    )


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Files to be mutated and the commands that read them; `{}` is the file or directory.

    `statuses` are the documented ones. `seed` is a file or a directory of the corpus; of a directory, one of the files
    in `changed` is mutated. `variables` of the environment may have `{}`, too; `held`: a file that is locked meanwhile.
    """

    seed: str
    commands: Sequence[str]
    changed: Sequence[str] = ()
    statuses: frozenset[int] = field(default_factory=lambda: frozenset({0, 2}))
    variables: Mapping[str, str] = field(default_factory=dict)
    held: str | None = None

    @contextlib.contextmanager
    def surroundings(self, given: Path) -> Iterator[None]:
        """Variables and lock while the commands run."""
        variables = {name: value.replace("{}", str(given)) for name, value in self.variables.items()}
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        try:
            with contextlib.ExitStack() as stack:
                if self.held is not None:
                    fcntl.flock(stack.enter_context((given / self.held).open("r+b")), fcntl.LOCK_EX)
                yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


READERS: dict[str, Reader] = {
    "lab": Reader(seed="lab", changed=("*.toml",), commands=("lab draw {} -o {out}.svg",)),
    "lab-state": Reader(
        seed="lab-state/labs", changed=("pair/state.json",),
        commands=("lab status", "lab status pair --json", "lab list"),
        variables={"STRESSBENCH_LABS": "{}"}, held="pair/lock", statuses=frozenset({0, 2, 3}),
    ),
    "topology": Reader(
        seed="topology", changed=("topology.conf", "fabric.txt", "machine.toml"),
        commands=tuple(
            f"report {{}}/run.jsonl --topology {{}}/{name} --format md -o {{out}}.md"
            for name in ("topology.conf", "fabric.txt", "machine.toml")
        ),
    ),
    "trace": Reader(seed="trace/made.trace", commands=(
        "trace show {}", "trace show --profile {}", "trace diff {} {}", "trace export --profile {}",
    ), statuses=frozenset({0, 1, 2})),
    "trace-limits": Reader(
        seed="trace-limits/limits.trace", commands=("trace show {}", "trace show --profile {}", "trace diff {} {}"),
        statuses=frozenset({0, 1, 2}),
    ),
    "trace-multigrid": Reader(
        seed="multigrid/vcycle.trace", commands=("trace levels {}", "trace export --profile --iteration {}")
    ),
    "study-plan": Reader(seed="study", changed=("study.toml", "two.sb"), commands=("study plan {}/study.toml",)),
    "study-verify": Reader(seed="pack/pack.tar.gz", commands=("study verify {}",), statuses=frozenset({0, 2, 3})),
    "study-directory": Reader(
        seed="study-dir",
        changed=("made/manifest.jsonl", "made/study-1.json", "made/study-1.toml", "made/runs/*.jsonl"),
        commands=(
            "study status {}/made", "study report {}/made", "study verify {}/made",
            "study pack {}/made -o {out}.tar.gz", "study resume {}/made",
        ),
        statuses=frozenset({0, 2, 3}),
    ),
    "degrade-launches": Reader(seed="launches", changed=("launches.jsonl",), commands=("degrade report {}",)),
    "corun-periods": Reader(
        seed="corun", changed=("launches.jsonl",), commands=("corun report {}", "corun report {} --format html")
    ),
    "rails-launches": Reader(seed="rails", changed=("launches.jsonl",), commands=("rails report {}",)),
    "profile": Reader(seed="traffic/profile.json", commands=(f"rails report {CORPUS}/rails --profile {{}}",)),
    "degrade-study": Reader(
        seed="rates-dir", changed=("made/manifest.jsonl", "made/study-1.toml", "made/runs/*.jsonl"),
        commands=("degrade report {}/made",),
    ),
    "beff": Reader(seed="beff/beff.jsonl", commands=("beff --from {}",)),
    "beff-io": Reader(
        seed="beff-io/io.jsonl", commands=("beff-io --from {}",), statuses=frozenset({0, 2, 3})
    ),
    "run": Reader(
        seed="run/run.jsonl", commands=("show {}", "compare {} {}", "report {} -o {out}.html"),
        statuses=frozenset({0, 1, 2}),
    ),
    "predict": Reader(
        seed="profile/lab", changed=("victim.json", "aggressor.json"),
        commands=(
            "predict {}/victim.json {}/aggressor.json",
            "predict place {}/victim.json {}/aggressor.json --switches 1",
        ),
        statuses=frozenset({0, 1, 2}),
    ),
    "observed": Reader(
        seed="observed/observed.jsonl", commands=(
            f"predict evaluate {CORPUS}/profile/lab/victim.json {CORPUS}/profile/lab/aggressor.json --observed {{}}",
        ),
        statuses=frozenset({0, 1, 2}),
    ),
    "evaluated": Reader(
        seed="profile/lab", changed=("victim.json", "aggressor.json"),
        commands=(
            f"predict evaluate {{}}/victim.json {{}}/aggressor.json --observed {CORPUS}/observed/observed.jsonl",
        ),
        statuses=frozenset({0, 1, 2}),
    ),
    "sensitivity": Reader(seed="profile/lab/victim.json", commands=("sensitivity {}",)),
}  # fmt: skip


def mutated(content: bytes, name: str, chance: random.Random) -> bytes:
    """The content with one to three mutations; most of the mutated lines of traces get a correct checksum."""
    if name.endswith(".tar.gz"):
        return _packed(content, chance)
    if name.endswith((".json", ".jsonl", ".trace")) and chance.random() < 0.6:
        return _of_json(content, chance, sealed=name.endswith(".trace"))
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = _of_bytes(content, chance)
    return _sealed(content) if name.endswith(".trace") and chance.random() < 0.5 else content


def _sealed(content: bytes) -> bytes:
    """The lines with correct checksums, where they have any."""
    return b"".join(
        line if (found := _CHECKSUM.search(line)) is None else
        line[: found.start()] + b',"crc32":"%08x"}\n' % zlib.crc32(line[: found.start()])
        for line in content.splitlines(keepends=True)
    )  # fmt: skip


def _of_bytes(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    end = min(len(content), at + chance.choice((1, 1, 8, 200)))
    numbers = list(_NUMBER.finditer(content))
    match chance.randrange(7):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + content[end:]
        case 2:
            return content[:at] + content[at:end] * chance.choice((2, 50)) + content[end:]
        case 3:
            return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
        case 4:
            return content[:at] + chance.choice(_BYTES) + content[at:]
        case _ if numbers:
            found = chance.choice(numbers)
            value = chance.choice(
                (b"0", b"-1", b"1e308", b"1000", b"4294967296", b"9" * 25, b"9" * 5000, b'"x"', b"[]")
            )
            return content[: found.start()] + value + content[found.end() :]
    return content[at:] + content[:at]


def _of_json(content: bytes, chance: random.Random, *, sealed: bool) -> bytes:
    lines = content.splitlines(keepends=True)
    try:
        number = chance.randrange(len(lines))
        text = lines[number] if len(lines) > 1 and b"\n{" in content else content
        record = json.loads(text)
        places = list(_places(record))
        holder, key = chance.choice(places)
        if isinstance(holder, dict) and chance.random() < 0.2:
            del holder[key]
        elif chance.random() < 0.3:
            _stretch(holder, key, chance)
        else:
            holder[key] = chance.choice(_ODD)
    except (ValueError, IndexError, RecursionError):
        return _of_bytes(content, chance)
    made = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")
    if sealed:
        record.pop("crc32", None)
        body = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")[:-1]
        made = body + b',"crc32":"%08x"}' % zlib.crc32(body)
    if text is content:
        return made
    return b"".join([*lines[:number], made + b"\n", *lines[number + 1 :]])


def _stretch(holder: Any, key: Any, chance: random.Random) -> None:
    """A permitted value of the same kind, or a hundred times as many of them."""
    value = holder[key]
    if isinstance(value, list) and value:
        holder[key] = value * 100
    elif not isinstance(value, (dict, bool)) and value is not None:
        kinds = (int, float) if isinstance(value, (int, float)) else (str,)
        holder[key] = chance.choice([one for one in _PERMITTED if isinstance(one, kinds)])


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def _packed(content: bytes, chance: random.Random) -> bytes:
    """The archive damaged as it is; or unpacked, damaged and packed again; or with names that leave the folder."""
    kind = chance.randrange(3)
    if kind == 0:
        return _of_bytes(content, chance)
    plain = zlib.decompress(content, wbits=31)
    if kind == 1:
        plain = _of_bytes(plain, chance)
    else:
        made = BytesIO()
        with tarfile.open(fileobj=BytesIO(plain)) as old, tarfile.open(fileobj=made, mode="w") as new:
            for entry in old:
                inner = old.extractfile(entry)
                text = b"" if inner is None else inner.read()
                if chance.random() < 0.2:
                    text = _of_bytes(text, chance)
                    entry.size = len(text)
                if chance.random() < 0.1:
                    entry.name += str(chance.choice(("\x1b[31m", "\x9b", "\u202e", "/../../x", "\n", "x" * 5000)))
                new.addfile(entry, BytesIO(text))
        plain = made.getvalue()
    packer = zlib.compressobj(wbits=31)
    return packer.compress(plain) + packer.flush()


def _prepared(reader: Reader, folder: Path, chance: random.Random | None) -> Path:
    """The seed in `folder`, changed, or as it is without a chance; what commands are given."""
    seed = CORPUS / reader.seed
    target = folder / seed.name
    if seed.is_dir():
        shutil.copytree(seed, target)
        for path in (target, *target.rglob("*")):  # whatever the umask was when git wrote them
            path.chmod(0o700 if path.is_dir() else 0o600)
        files = sorted(file for pattern in reader.changed for file in target.glob(pattern))
        file = files[0] if chance is None else chance.choice(files)
        given = file if reader.changed == ("*.toml",) else target
    else:
        shutil.copy(seed, target)
        file = given = target
    if chance is not None:
        file.write_bytes(mutated(file.read_bytes(), file.name, chance))
    return given


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {MOST_CPU_S:g} s of CPU")


def complaint(words: Sequence[str], statuses: frozenset[int]) -> str | None:
    """What is wrong with the result of the command; None if nothing is."""
    from support.commands import invoke

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        former = signal.signal(signal.SIGVTALRM, _out_of_time)
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_CPU_S)
        try:
            ended = invoke(list(words))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, former)
    if ended.exception is not None:
        return "".join(traceback.format_exception(ended.exception))[-1500:]
    if ended.exit_code not in statuses:
        return f"status {ended.exit_code}: {ended.stderr[:300]}"
    if ended.exit_code == 2 and (fault := _message_fault(ended.stderr)):
        return f"{fault}: {ended.stderr[:300]!r}"
    if found := _STEERING.search(ended.stdout + ended.stderr):
        return f"control character {found[0]!r} on the terminal"
    loud = [str(one.message) for one in warned if issubclass(one.category, (RuntimeWarning, UserWarning))]
    return f"warning: {loud[0]}" if loud else None


def _message_fault(said: str) -> str | None:
    """One message: a line of ours, the last, or the first where a line follows for each mistake in the same file.

    Lines of a journal that are left out, and that a trace is cut off, are told before it.
    """
    lines = [line for line in said.splitlines() if not line.endswith("it is left out") and _CUT_OFF not in line]
    if not lines or not lines[0].startswith("stressbench: "):
        return "no message"
    reported = [line for line in lines if line.startswith("stressbench: ")]
    if len(reported) > 1 and not all(_MISTAKE.match(line) for line in reported):
        return "several messages"
    return "a traceback" if "Traceback" in said else "very long" if max(map(len, lines)) > MOST_CHARACTERS else None


def _words(command: str, *, out: str, given: Path) -> list[str]:
    return command.replace("{out}", out).replace("{}", str(given)).split()


def tried(name: str, numbers: range) -> list[dict[str, Any]]:
    """Violations by the mutated files of these numbers, which are the same in every run."""
    reader = READERS[name]
    found = []
    for number in numbers:
        chance = random.Random(f"{name} {number}")
        with tempfile.TemporaryDirectory() as made:
            given = _prepared(reader, Path(made), chance)
            with reader.surroundings(given):
                for command in reader.commands:
                    words = _words(command, out=f"{made}/out", given=given)
                    if reported := complaint(words, reader.statuses):
                        found.append({"number": number, "command": command, "reported": reported})
            for left in Path(made).glob("out*"):
                left.unlink()
    return found


def unchanged(name: str) -> list[str]:
    """Violations without any mutation."""
    reader = READERS[name]
    found = []
    with tempfile.TemporaryDirectory() as made, stand_ins():
        given = _prepared(reader, Path(made), None)
        with reader.surroundings(given):
            for command in reader.commands:
                words = _words(command, out=f"{made}/out", given=given)
                found += [f"{command}: {reported}"] if (reported := complaint(words, reader.statuses - {2})) else []
    return found


def limit_memory() -> None:
    """Permit this process `MOST_BYTES` more than it has now."""
    taken = int(re.search(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024  # type: ignore[index]
    resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_BYTES, taken + MOST_BYTES))


@contextlib.contextmanager
def stand_ins() -> Iterator[None]:
    """An engine that finds every workload right and a launcher that fails: what `study resume` starts takes no time."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as made:
        put(Path(made) / "engine", _ENGINE)
        put_mpirun(Path(made), before="exit 1\n")
        os.environ |= {"PATH": f"{made}{os.pathsep}{os.environ['PATH']}", "STRESSBENCH_MPI": f"{made}/engine"}
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def main() -> None:
    unchanged(sys.argv[1])  # so that the libraries that its commands need are there
    limit_memory()
    with contextlib.redirect_stdout(sys.stderr), stand_ins():
        found = tried(sys.argv[1], range(int(sys.argv[2]), int(sys.argv[3])))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
