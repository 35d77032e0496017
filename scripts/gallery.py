"""Makes the pages of docs/gallery.md anew: one real report of each kind, on labs, and pictures of them.

    .venv/bin/python scripts/gallery.py --list                   # the entries, and what each needs
    .venv/bin/python scripts/gallery.py -o gallery               # all of them, which takes minutes
    .venv/bin/python scripts/gallery.py run predict -o some      # two of them, and those that they need
    .venv/bin/python scripts/gallery.py -o gallery --pictures    # also replaces the pictures in docs/images/gallery
    .venv/bin/python scripts/gallery.py --write                  # docs/gallery.md from the entries; nothing is measured
    .venv/bin/python scripts/gallery.py --check                  # exit status 1 if docs/gallery.md is out of date

The entries are in scripts/gallery_entries.py. Their commands are run with the `stressbench` of this checkout and the
engine of $STRESSBENCH_MPI or --engine, in DIR, which gets the files of each page, its first screen as NAME.png, all of
it as NAME-page.png, and the output of the commands as NAME.log. Labs are brought up when they are needed, one at a
time, and taken down. Pictures need Chromium; --no-pictures makes the pages only.

Exit status: 0 all pages were made, 1 (--check) the document is out of date, 2 invalid input (nothing was started),
3 a command failed (the other pages are made), 130 interrupted.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import NoReturn

import gallery_page
from gallery_entries import ENTRIES, Entry, entry_named, with_needed

from stressbench.console.escaping import escaped
from stressbench.labs.state import FOLDER_VARIABLE
from stressbench.launch.find import ENGINE, ENGINE_VARIABLE
from stressbench.stop_signals import deferred, handled_by

CHECKOUT = Path(__file__).resolve().parent.parent
BUILT_ENGINE = CHECKOUT / "build" / "openmpi" / "engine" / ENGINE
STRESSBENCH = (sys.executable, "-m", "stressbench")
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\?token=\S+")
_SERVED_WITHIN_S = 120.0


class CommandFailed(Exception):
    """A command of an entry failed, or did not write what it should."""


@dataclass(kw_only=True)
class Session:
    """Commands in one directory, with the labs that they need, of which one is up at a time.

    `stressbench` and `engine` are what the commands mean by `stressbench` and `stressbench-mpi`.
    """

    folder: Path
    engine: Path
    stressbench: Sequence[str]
    _lab: str = field(default="", init=False)

    def __enter__(self) -> "Session":
        (self.folder / "bin").mkdir(parents=True)
        program = self.folder / "bin" / "stressbench"
        program.write_text(f'#!/bin/sh\nexec {shlex.join(self.stressbench)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        (self.folder / "bin" / ENGINE).symlink_to(self.engine)
        (self.folder / "workloads").symlink_to(CHECKOUT / "workloads")
        return self

    def __exit__(self, *exception: object) -> None:
        with deferred():
            self._take_down()
            (self.folder / "workloads").unlink()
            for name in ("bin", "labs"):
                shutil.rmtree(self.folder / name, ignore_errors=True)

    def make(self, entry: Entry) -> Path:
        """Run the commands of the entry and return its page. Raises CommandFailed."""
        page, log = self.folder / entry.page, self.folder / f"{entry.name}.log"
        for name, text in entry.files.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        self._bring_up(entry.lab, log)
        for number, command in enumerate(entry.commands, start=1):
            if entry.served and number == len(entry.commands):
                self._keep_served(command, page, log)
            else:
                self._run(shlex.split(command), log)
        if not page.is_file():
            raise CommandFailed(f"`{entry.commands[-1]}` wrote no {entry.page}")
        return page

    def _bring_up(self, lab: str, log: Path) -> None:
        if lab == self._lab:
            return
        self._take_down()
        self._lab = lab  # also what comes up halfway is taken down
        try:
            self._run(["stressbench", "lab", "up", lab], log)
        except CommandFailed:
            self._take_down()
            raise

    def _take_down(self) -> None:
        if self._lab:
            self._lab = ""
            self._run(["stressbench", "lab", "down", "--all"], self.folder / "labs.log")

    def _run(self, words: Sequence[str], log: Path) -> None:
        """Run a command and append its output to the log. Raises CommandFailed for every status but 0."""
        with self._started(words, log) as child:
            status = child.wait()
        if status:
            raise CommandFailed(
                f"`{shlex.join(words)}` ended with status {status}: {last_line(log)} (its whole output: {log})"
            )

    def _keep_served(self, command: str, page: Path, log: Path) -> None:
        """Start a command that serves a page, write the page to a file, and interrupt the command."""
        start = log.stat().st_size if log.exists() else 0
        with self._started(shlex.split(command), log) as child:
            end = time.monotonic() + _SERVED_WITHIN_S
            while not (address := _ADDRESS.search(log.read_bytes()[start:].decode(errors="replace"))):
                if child.poll() is not None or time.monotonic() > end:
                    child.terminate()
                    raise CommandFailed(f"`{command}` serves no page: {last_line(log)} (its whole output: {log})")
                time.sleep(0.05)
            with urllib.request.urlopen(address[0], timeout=_SERVED_WITHIN_S) as answer:
                page.write_bytes(answer.read())
            child.send_signal(signal.SIGINT)

    @contextmanager
    def _started(self, words: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
        """A command in a session of its own; it is asked to end where this program is."""
        child: subprocess.Popen[bytes] | None = None
        with log.open("ab") as output:
            output.write(f"$ {shlex.join(words)}\n".encode())
            output.flush()
            try:
                with deferred() as mask:  # until the child is known
                    child = subprocess.Popen(
                        words, cwd=self.folder, env=self._environment(), stdin=subprocess.DEVNULL, stdout=output,
                        stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=lambda: _accept_signals(mask),
                    )  # fmt: skip
                yield child
                child.wait()
            except BaseException:
                if child is not None:
                    child.terminate()
                    child.wait()
                raise

    def _environment(self) -> Mapping[str, str]:
        paths = [str(CHECKOUT / "src"), os.environ.get("PYTHONPATH")]
        return {
            **os.environ,
            FOLDER_VARIABLE: str(self.folder / "labs"),
            ENGINE_VARIABLE: str(self.engine),
            "PATH": os.pathsep.join([str(self.folder / "bin"), os.environ.get("PATH", os.defpath)]),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONUNBUFFERED": "1",
        }


def _accept_signals(mask: Collection[int]) -> None:
    """Restore the signal mask in a child, and SIGINT, which a shell lets its background processes ignore."""
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def last_line(log: Path) -> str:
    """The last line of a command's output, with control characters escaped."""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return escaped(lines[-1]) if lines and not lines[-1].startswith("$ ") else "no message"


def make_all(session: Session, entries: Sequence[Entry]) -> list[Entry]:
    """Make the page of each entry. Returns those that failed; one that needs a failed one is not tried."""
    failed: list[Entry] = []
    for number, entry in enumerate(entries, start=1):
        begin, counter = time.monotonic(), f"[{number}/{len(entries)}] {entry.name}"
        if missing := [one.name for one in failed if one.name in entry.needs]:
            failed.append(entry)
            emit(f"{counter}: left out, since it needs {missing[0]}")
            continue
        emit(f"{counter}: {entry.title} ...")
        try:
            page = session.make(entry)
        except (CommandFailed, OSError) as fault:
            failed.append(entry)
            emit(f"{counter}: {fault}")
        else:
            emit(f"{counter}: {page} after {time.monotonic() - begin:.0f} s")
    return failed


def photograph_all(folder: Path, entries: Sequence[Entry]) -> list[Entry]:
    """Take the pictures of the pages of these entries. Returns those whose page lacks what its picture shows."""
    from gallery_pictures import photographer  # needs the test dependencies

    failed: list[Entry] = []
    with photographer() as camera:
        for entry in entries:
            try:
                camera.first_screen(folder / entry.page, folder / entry.picture, part=entry.part)
                camera.whole_page(folder / entry.page, folder / f"{entry.name}-page.png")
            except LookupError as fault:
                failed.append(entry)
                emit(f"{entry.name}: {fault}")
    return failed


def replace_pictures(folder: Path, entries: Sequence[Entry], *, target: Path) -> None:
    """Copy the first screens of these entries to `target`, from which pictures of former entries are removed."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        shutil.copyfile(folder / entry.picture, target / entry.picture)
    known = {entry.picture for entry in ENTRIES}
    for picture in target.glob("*.png"):
        if picture.name not in known:
            picture.unlink()


def listing(entries: Sequence[Entry]) -> str:
    """A line for each entry: its name, its lab, its title, and what it needs."""
    width = max(len(entry.name) for entry in entries)
    return "".join(
        f"{entry.name:{width}}  {entry.lab:9}  {entry.title}"
        f"{' (needs ' + ', '.join(entry.needs) + ')' if entry.needs else ''}\n"
        for entry in entries
    )


def emit(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("names", nargs="*", metavar="NAME", help="entries to make; default: all")
    made.add_argument("-o", "--output", type=Path, metavar="DIR", help="new directory for the pages")
    made.add_argument("--list", action="store_true", help="print the entries and exit")
    made.add_argument("--pictures", action="store_true", help="also replace the pictures in docs/images/gallery")
    made.add_argument("--no-pictures", action="store_true", help="make pages only; needs no browser")
    made.add_argument("--write", action="store_true", help="write docs/gallery.md from the entries and exit")
    made.add_argument("--check", action="store_true", help="check that docs/gallery.md has the entries and exit")
    made.add_argument("--engine", type=Path, metavar="PATH", help=f"{ENGINE}; default: ${ENGINE_VARIABLE}, or the one "
                      "built in this checkout")  # fmt: skip
    return made


def require_sound(arguments: argparse.Namespace, complain: Callable[[str], NoReturn]) -> None:
    """Complain of names, options and directories that cannot be used."""
    if unknown := [name for name in arguments.names if entry_named(name) is None]:
        complain(f"NAME: '{unknown[0]}' is no entry; entries: {', '.join(entry.name for entry in ENTRIES)}")
    alone = [f"--{name}" for name in ("list", "write", "check") if getattr(arguments, name)]
    if len(alone) > 1:
        complain(f"{alone[0]} and {alone[1]}: expected one of them")
    if alone:
        others = (arguments.names, arguments.output, arguments.pictures, arguments.no_pictures, arguments.engine)
        if any(others):
            complain(f"{alone[0]}: expected alone; it makes no pages")
        return
    if arguments.output is None:
        complain("-o DIR is missing: name a new directory for the pages")
    if arguments.output.exists() and (not arguments.output.is_dir() or any(arguments.output.iterdir())):
        complain(f"-o {arguments.output}: exists and is not an empty directory; name a new directory")
    if arguments.pictures and arguments.no_pictures:
        complain("--pictures and --no-pictures: expected one of them")


def engine_of(explicit: Path | None, complain: Callable[[str], NoReturn]) -> Path:
    """The engine that is named, in the environment or built here."""
    named = os.environ.get(ENGINE_VARIABLE)
    path, origin = (explicit, "--engine") if explicit else (Path(named), ENGINE_VARIABLE) if named else (
        BUILT_ENGINE, "the engine of this checkout")  # fmt: skip
    if not (path.is_file() and os.access(path, os.X_OK)):
        complain(f"{origin}: {path} is not a program; name {ENGINE} by --engine PATH or {ENGINE_VARIABLE}, or build it "
                 "(scripts/test.sh engine)")  # fmt: skip
    return path.absolute()


def require_browser(complain: Callable[[str], NoReturn]) -> None:
    """Complain where no picture can be taken."""
    try:
        from gallery_pictures import HAS_BROWSER
    except ModuleNotFoundError as fault:
        complain(f"pictures need the test dependencies (pip install '.[dev]'), or use --no-pictures: {fault}")
    if not HAS_BROWSER:
        complain("pictures need chromium, chromium-browser or google-chrome in PATH, or use --no-pictures")


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main(words: Sequence[str] | None = None, *, stressbench: Sequence[str] = STRESSBENCH) -> int:
    """Make the pages. The exit status is that of the description above."""
    options = parser()
    arguments = options.parse_args(words)
    require_sound(arguments, options.error)
    if arguments.list:
        sys.stdout.write(listing(ENTRIES))
        return 0
    if arguments.write or arguments.check:
        return write_document(gallery_page.DOCUMENT, check=arguments.check)
    engine = engine_of(arguments.engine, options.error)
    if not arguments.no_pictures:
        require_browser(options.error)
    entries, folder = with_needed(arguments.names or [entry.name for entry in ENTRIES]), arguments.output.absolute()
    try:
        with handled_by(_interrupt):
            with Session(folder=folder, engine=engine, stressbench=stressbench) as session:
                failed = make_all(session, entries)
            made = [entry for entry in entries if entry not in failed]
            if made and not arguments.no_pictures:  # when all is measured, since a browser takes time of the cores
                failed += photograph_all(folder, made)
    except KeyboardInterrupt:
        emit(f"interrupted: the pages so far are in {folder}")
        return 130
    if arguments.pictures:
        replace_pictures(folder, [entry for entry in entries if entry not in failed], target=gallery_page.PICTURES)
    if failed:
        names = ", ".join(entry.name for entry in failed)
        emit(f"{len(entries) - len(failed)} of {len(entries)} pages were made; failed: {names}")
        return 3
    return 0


def write_document(path: Path, *, check: bool) -> int:
    """Write the document with the entries, or compare it. Exit status 1 if `check` finds a difference."""
    text = path.read_text(encoding="utf-8")
    new = gallery_page.document_of(text)
    if check and text != new:
        emit("docs/gallery.md is out of date: .venv/bin/python scripts/gallery.py --write")
        return 1
    if not check:
        path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
