"""Combines several workloads of one job each into one in which the jobs run side by side. Pure, but for reading files.

`[INCLUDE]` paths are made absolute, since the new file lies elsewhere. `[NID_LIST]` becomes `[NODES]`, since jobs must
not share a node.
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.workload_text import STATEMENT, escaped, inner_text, without_comments

_LARGEST_RANGE = 1_048_576


@dataclass(frozen=True, kw_only=True)
class JobTemplate:
    """A workload of one job: the name of the job, and the text before and after its [JOB_NAME] statement."""

    name: str
    head: str
    tail: str

    def text(self, *, name: str) -> str:
        """The workload with its job called `name`."""
        return f"{self.head}[JOB_NAME] {name}{self.tail}"


def read_job_template(path: Path) -> JobTemplate:
    """The job of the workload at `path`. Raises StudyMistake unless it is a single measured job on nodes of its own."""
    try:
        text = read_text(path, limit=limits.WORKLOAD).removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as fault:
        reason = reason_of(fault) if isinstance(fault, OSError) else "expected a text in UTF-8"
        raise StudyMistake(f"{path}: {reason}") from fault
    return parse_job_template(text, source=str(path), folder=path.absolute().parent)


def parse_job_template(text: str, *, source: str, folder: Path) -> JobTemplate:
    """As `read_job_template`, from the text of a workload that lies in `folder`."""
    names = [match for match in STATEMENT.finditer(text) if match["key"] == "JOB_NAME"]
    if len(names) != 1:
        count_text = "no [JOB_NAME]" if not names else f"{len(names)} jobs"
        raise StudyMistake(
            f"{source}: {count_text}: a matrix is made of workloads with one job each, named in the file itself"
        )
    name = without_comments(names[0]["rest"]).strip()
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
        line = text.count("\n", 0, names[0].start()) + 1
        raise StudyMistake(f"{source}:{line}: [JOB_NAME] '{name}': expected letters, digits, _, . and - in a matrix")
    disallowed = {"SHARED": ("yes",), "ROLE": ("congestor", "background")}
    for match in STATEMENT.finditer(text):
        key, words = match["key"], without_comments(match["rest"]).strip().lower()
        if words in disallowed.get(key, ()):
            line = text.count("\n", 0, match.start()) + 1
            raise StudyMistake(
                f"{source}:{line}: [{key}] {words}: a matrix measures jobs on nodes of their own; leave it out"
            )
    head, tail = text[: names[0].start()], text[names[0].end() :]
    return JobTemplate(name=name, head=_relocated(head, source, folder), tail=_relocated(tail, source, folder))


def combined_workload(jobs: Sequence[JobTemplate]) -> str:
    """One workload with all jobs. Names are made unique: a second `cg` becomes `cg_2`."""
    used_names: list[str] = []
    parts = []
    for job in jobs:
        name, number = job.name, 1
        while name in used_names:
            number += 1
            name = f"{job.name}_{number}"
        used_names.append(name)
        parts.append(job.text(name=name).strip("\n") + "\n")
    return "# Side by side, by `stressbench study matrix`.\n" + "\n".join(parts)


def _relocated(text: str, source: str, folder: Path) -> str:
    return STATEMENT.sub(lambda match: _statement(match, source, folder), text)


def _statement(match: re.Match[str], source: str, folder: Path) -> str:
    words = without_comments(match["rest"])
    if match["key"] == "INCLUDE":
        path = posixpath.join(escaped(str(folder)), inner_text(words.strip()))
        return f'[INCLUDE] "{posixpath.normpath(path)}"' + _blank_tail(match["rest"])
    if match["key"] == "NID_LIST":
        return f"[NODES] {_count(words, source)}" + _blank_tail(match["rest"])
    return match[0]


def _blank_tail(rest: str) -> str:
    """The newlines at the end of a statement, which a replacement must keep."""
    return "\n" * (len(rest) - len(rest.rstrip("\n")))


def _count(words: str, source: str) -> int:
    """The number of nodes in a list such as `0-7,16-30:2`. Raises StudyMistake."""
    total = 0
    for item in "".join(words.split()).split(","):
        match = re.fullmatch(r"([0-9]{1,18})(?:-([0-9]{1,18})(?::([0-9]{1,18}))?)?", item)
        first = int(match[1]) if match else 0
        last = int(match[2]) if match and match[2] else first
        step = int(match[3]) if match and match[3] else 1
        if match is None or last < first or step < 1 or last - first > _LARGEST_RANGE:
            raise StudyMistake(
                f"{source}: [NID_LIST] '{item}': cannot be counted for a matrix; write [NODES] N in its place"
            )
        total += (last - first) // step + 1
    return total
