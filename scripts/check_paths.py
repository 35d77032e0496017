"""Paths that documentation, code and comments mention exist in the checkout, and so do the headings that links name.

    python scripts/check_paths.py [CHECKOUT]

Prints one line a violation, `FILE:LINE: what is wrong`, and ends with status 1 if there is any. Looked at is what git
tracks or would track; of tests only comments and docstrings, since their strings are input. Checked are

- links of Markdown files, with the heading behind `#`;
- paths from one of the checkout's folders on (`docs/limits.md`, `tests/nightly`); `*` and words in capitals stand for
  any name (`engine/io/NAME.cpp`);
- other names of source files, documents and schemas (`test_reference.py`, `report/palette.py`): some path of the
  checkout has to end so;
- files that studies and workloads name relative to themselves;
- mentions of files that lie outside the repository.
"""

import ast
import functools
import io
import os
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

FOLDERS = r"benchmarks|docs|engine|packaging|schema|scripts|src|studies|tests|tracer|workloads|\.ci"
WRITTEN = re.compile(r"\.(c|cmake|cpp|css|csv|h|hpp|html|j2|json|md|py|sb|sh|toml|txt|yml)$|^\.ci/run$")
OF_TESTS = re.compile(r"(\.(c|cpp|h|hpp|py)|README\.md|CMakeLists\.txt)$")
GENERATED = ("docs/images/",)
MADE_PAGES = "docs/reference/"  # by scripts/reference; scripts/check_docs.py checks links to them

# Mentioned, but not in the checkout, and rightly so.
ALLOWED = {
    "engine/motifs/point_to_point/ring.cpp": "the motif that CONTRIBUTING.md has its reader write",
    "tests/engine/ranked/ring_test.cpp": "its test",
    "docs/motifs/ring.md": "its page",
    "contributing.md": "a page of the site, made of CONTRIBUTING.md",
    "changelog.md": "a page of the site, made of CHANGELOG.md",
    "commands/run.md": "a page that scripts/reference makes",
    "placement.md": "a report that an example in --help writes",
    "nlohmann/json.hpp": "a library's header",
    "boost/version.hpp": "a library's header",
}

START = r"(?<![\w/.$~{}<>*-])"
ROOTED = re.compile(rf"{START}(?:\./)?((?:{FOLDERS})/[\w./*-]*[\w*/])")
SOURCE = r"[\w.-]+\.(?:md|cpp|hpp|cmake|schema\.json)|[\w-]+/[\w-]+\.py|test_\w+\.py"
NAMED = re.compile(rf"{START}((?:[\w-]+/)*(?:{SOURCE}))\b(?![/(])")
RELATIVE = re.compile(r'(?:^\s*\[INCLUDE\]\s+|")((?:\.\./)*[\w./-]+\.(?:sb|toml|csv))\b')
OUTSIDE = re.compile(r"\.\./shared\b|\bshared/(?:reference|papers|facts)\b|\bpapers?/\d+")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
INCLUDE = re.compile(r"^\s*#\s*include\b")
CPP_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b")


class Checkout:
    """The files of a checkout, and what they may be called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"],
            capture_output=True, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip
        self.files = sorted(name for name in listed if (root / name).is_file())
        self.folders = {str(parent) for name in self.files for parent in PurePosixPath(name).parents}
        self.paths = {*self.files, *self.folders}
        self.endings = {
            "/".join(parts[k:]) for parts in (name.split("/") for name in self.files) for k in range(len(parts))
        }

    def has(self, path: str) -> bool:
        """Whether a file or folder has this path, or with `*` and capitals this form."""
        path = path.rstrip("/")
        if path in self.paths:
            return True
        pattern = PLACEHOLDER.sub("*", path)
        return "*" in pattern and any(fnmatchcase(known, pattern) for known in self.paths)

    def has_ending(self, name: str) -> bool:
        """Whether the path of some file ends in this."""
        if name in self.endings:
            return True
        pattern = PLACEHOLDER.sub("*", name)
        return "*" in pattern and any(fnmatchcase(known, pattern) for known in self.endings)

    @functools.cache  # noqa: B019  # one checkout a process
    def headings(self, path: str) -> set[str]:
        """Anchors of a Markdown file, as GitHub makes them."""
        found: dict[str, int] = {}
        for line in without_fences((self.root / path).read_text(encoding="utf-8")).splitlines():
            if match := HEADING.match(line):
                anchor = anchor_of(match.group(1))
                found[anchor] = found.get(anchor, 0) + 1
        return {f"{anchor}-{k}" if k else anchor for anchor, times in found.items() for k in range(times)}


def anchor_of(heading: str) -> str:
    """What stands behind `#` in a link to it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_fences(markdown: str) -> str:
    """Code blocks blanked out, so that line numbers stay."""
    return re.sub(r"^ *```.*?^ *```", blank, markdown, flags=re.DOTALL | re.MULTILINE)


def blank(match: re.Match[str]) -> str:
    """Spaces in place of the text; line ends stay."""
    return re.sub(r"[^\n]", " ", match.group())


def links_in(markdown: str) -> Iterator[tuple[int, str]]:
    """Line and target of each link that leads into the checkout."""
    text = re.sub(r"`[^`\n]*`", blank, without_fences(markdown))
    for number, line in enumerate(text.splitlines(), start=1):
        for match in LINK.finditer(line):
            if not re.match(r"[a-z]+:", match.group(1)):
                yield number, unquote(match.group(1))


def fault_of_link(checkout: Checkout, name: str, target: str) -> str | None:
    """None where it leads somewhere."""
    path, _, anchor = target.partition("#")
    where = (checkout.root / name).parent / path if path else checkout.root / name
    try:
        found = where.resolve().relative_to(checkout.root.resolve()).as_posix()
    except ValueError:
        return f"the link {target} leads out of the repository"
    if found.startswith(MADE_PAGES):
        return None
    if found not in checkout.paths:
        return f"the link {target} leads nowhere: there is no {found}"
    if anchor and found.endswith(".md") and anchor not in checkout.headings(found):
        return f"the link {target} leads nowhere: {found} has no heading #{anchor}"
    return None


def fault_of_path(checkout: Checkout, path: str) -> str | None:
    """None where it exists, or need not."""
    allowed = path.rstrip("/") in ALLOWED or (path.rstrip("/") + "/").startswith(MADE_PAGES)
    return None if allowed or checkout.has(path) else f"there is no {path}"


def fault_of_name(checkout: Checkout, name: str) -> str | None:
    """None where the checkout has such a file, or need not."""
    return None if name in ALLOWED or checkout.has_ending(name) else f"no file of the repository is called {name}"


def fault_of_relative(checkout: Checkout, name: str, path: str) -> str | None:
    """None where it exists beside the file `name`, which mentions it."""
    where = os.path.normpath(PurePosixPath(name).parent / path)
    return None if where in checkout.paths else f"there is no {path} beside it ({where})"


def said_in_python(source: str) -> str:
    """Comments and docstrings alone, on their lines."""
    kept = [""] * (source.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            kept[token.start[0] - 1] += token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines = (ast.get_source_segment(source, node) or "").splitlines()
            for number, line in enumerate(lines, start=node.lineno):
                kept[number - 1] += line
    return "\n".join(kept)


def said_in_cpp(source: str) -> str:
    """Comments alone, on their lines."""
    kept = re.sub(r"[^\n]", " ", source)
    for match in CPP_COMMENT.finditer(source):
        if not match.group().startswith('"'):
            kept = kept[: match.start()] + match.group() + kept[match.end() :]
    return kept


def said_in(name: str, source: str) -> str:
    """What of a file speaks of the checkout: all of it, but of tests only comments and docstrings."""
    if not name.startswith("tests/"):
        return source
    suffix = PurePosixPath(name).suffix
    if suffix == ".py":
        return said_in_python(source)
    return said_in_cpp(source) if suffix in (".cpp", ".hpp", ".c", ".h") else source


def faults_in_line(checkout: Checkout, line: str) -> Iterator[str]:
    """What a line says of paths and is not so."""
    for match in OUTSIDE.finditer(line):
        yield f"{match.group()} is not in this repository"
    yield from filter(None, (fault_of_path(checkout, path) for path in ROOTED.findall(line)))
    yield from filter(None, (fault_of_name(checkout, one) for one in NAMED.findall(ROOTED.sub("", line))))


def violations_in(checkout: Checkout, name: str, source: str) -> Iterator[str]:
    """`name` is the path below the checkout, with forward slashes."""
    if name.endswith(".md"):
        for number, target in links_in(source):
            if fault := fault_of_link(checkout, name, target):
                yield f"{name}:{number}: {fault}"
        source = re.sub(r"\]\([^()\s]+\)", "]", source)
    for number, line in enumerate(said_in(name, source).splitlines(), start=1):
        if not INCLUDE.match(line):
            yield from (f"{name}:{number}: {fault}" for fault in faults_in_line(checkout, line))
        if name.startswith(("studies/", "workloads/")):
            beside = (fault_of_relative(checkout, name, one) for one in RELATIVE.findall(line))
            yield from (f"{name}:{number}: {fault}" for fault in beside if fault)


def is_read(name: str) -> bool:
    """Text that people write."""
    kind = OF_TESTS if name.startswith("tests/") else WRITTEN
    return kind.search(name) is not None and not name.startswith(GENERATED)


def violations(root: Path) -> Iterator[str]:
    """One line each, in order of files and lines."""
    checkout = Checkout(root)
    for name in filter(is_read, checkout.files):
        yield from violations_in(checkout, name, (root / name).read_text(encoding="utf-8", errors="replace"))


def main() -> int:
    """Status 1 when something that is mentioned is not there."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = list(violations(root))
    for line in found:
        sys.stdout.write(line + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
