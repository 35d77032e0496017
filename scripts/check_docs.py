"""Check code blocks and links to generated pages in the documentation.

    python scripts/check_docs.py [CHECKOUT]

Prints one line per violation, `FILE:LINE: what is wrong`, and exits with status 1 if there is any. Needs neither a
network nor an engine. In README.md, CONTRIBUTING.md, CHANGELOG.md, the pages and notebooks of docs/ and the generated
reference pages, it checks

- each command line `stressbench ...` and `stressbench-mpi ...` in a code block or in inline `code`: the command exists,
  has these options, and does not get too many arguments;
- blocks marked as toml, json, python or sb: they parse; sb blocks use existing motifs and options, and python blocks
  import only existing names from stressbench;
- links to pages and headings of docs/reference/, which scripts/reference generates;
- lines of prose: at most 120 characters. Tables, headings, code blocks and generated parts may be wider.

scripts/check_paths.py checks all other links.
"""

import ast
import contextlib
import importlib
import json
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "src")]

from check_paths import anchor_of  # noqa: E402  needs the path set above
from reference import FOLDER, commands, motifs, pages  # noqa: E402
from reference.notebook import notebooks, page_of  # noqa: E402

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^ *```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<![`\w])`(stressbench(?:-mpi)? [^`\n]+)`")
LINK = re.compile(r"\]\(([\w./-]+\.md)(?:#([^)\s]+))?\)")
SHELL = ("", "sh", "bash", "console")
COMMAND_SEPARATORS = {"|", ">", ">>", "<", "&&", "||", ";", "&", "2>", "(", ")"}
OPTION = re.compile(r"^(--[\w-]+|-[A-Za-z]$)")
PLACEHOLDER = re.compile(r"\[[A-Z]|[<{]|\.\.\.|^stressbench(-mpi)?( \w+)? [A-Z]+\b(?!\.)")
GENERATED = re.compile(r"^<!-- (options|combinations)\b.*?^<!-- end", re.DOTALL | re.MULTILINE)
WIDTH = 120
DEFAULT_COMMANDS = {"stressbench predict": "slowdowns"}


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced code block; `line` is the line number of its first line of content."""

    language: str
    text: str
    line: int


def blocks(markdown: str) -> Iterator[Block]:
    """Fenced blocks without their indentation."""
    for match in FENCE.finditer(markdown):
        text = re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
        yield Block(language=match["language"], text=text, line=markdown[: match.start("text")].count("\n") + 1)


def command_lines(block: Block) -> Iterator[tuple[int, str]]:
    """Line number and text of each `stressbench` command; only lines with the prompt `$ ` if the block has prompts."""
    prompts = re.search(r"^\$ ", block.text, re.MULTILINE) is not None
    joined = re.sub(r"\\\n *", lambda _: " \0", block.text)  # a command over several lines counts as one
    number = block.line
    for line in joined.split("\n"):
        command = line.removeprefix("$ ") if line.startswith("$ ") else "" if prompts else line
        if re.match(r"(?:[\w/.-]*/)?stressbench(?:-mpi)? ", command.strip()):
            yield number, command.replace("\0", "").strip()
        number += 1 + line.count("\0")


def words_of(command: str) -> list[str]:
    """Words up to a pipe, a redirection or a comment; empty if the shell would reject the line."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return []
    end = next((position for position, word in enumerate(words) if word in COMMAND_SEPARATORS), len(words))
    return words[:end]


def fault_of_command(words: list[str], declarations: "Declarations") -> str | None:
    """What is wrong with a command line; None if the program would accept it."""
    program = Path(words[0]).name
    return (
        declarations.fault_of_engine(words[1:])
        if program == "stressbench-mpi"
        else declarations.fault_of_stressbench(words[1:])
    )


class Declarations:
    """Commands, options and motifs that both programs declare."""

    def __init__(self, root: Path) -> None:
        self._commands = commands.tree()
        options = root / "tests/golden/data/options"
        self._engine: dict[str, Any] = json.loads((options / "stressbench-mpi.json").read_text(encoding="utf-8"))
        self._motifs = motifs.declarations(root)

    def fault_of_stressbench(self, words: list[str]) -> str | None:
        """An unknown command or option, or too many arguments; None if there is no such fault."""
        command, path = self._commands, "stressbench"
        while getattr(command, "commands", None) and words and not words[0].startswith("-"):
            if words[0] not in command.commands:
                if path not in DEFAULT_COMMANDS:
                    return f"{path} has no command {words[0]}"
                words = [DEFAULT_COMMANDS[path], *words]
            path = f"{path} {words[0]}"
            command, words = command.commands[words[0]], words[1:]
            if command.hidden:
                return f"{path} is an alias that help does not show; name the command"
        context = command.make_context(path, [], resilient_parsing=True)
        if "--" in words and context.allow_interspersed_args:
            words = words[: words.index("--")]
        try:
            _, rest, _ = command.make_parser(context).parse_args(args=list(words))
        except Exception as wrong:  # noqa: BLE001  typer has its own copies of the parser's exceptions
            return f"{path}: {getattr(wrong, 'message', '') or wrong}"
        if rest and context.allow_interspersed_args and not getattr(command, "commands", None):
            return f"{path}: too many arguments: {' '.join(rest)}"
        return None

    def fault_of_engine(self, words: list[str]) -> str | None:
        """An unknown subcommand, motif or option; None if there is no such fault. `motif` takes the motif's options."""
        command = words[0] if words and not words[0].startswith("-") else ""
        path = f"stressbench-mpi {command}".strip()
        if path not in self._engine:
            return f"stressbench-mpi has no command {command}"
        names = {name for one in self._engine[path] for name in one["name"]} | {"-h", "--help"}
        if command == "motif" and len(words) > 1 and not words[1].startswith("-"):
            if words[1].lower() not in self._motifs:
                return f"there is no motif {words[1]}"
            names |= self._options_of(words[1])
        unknown = [word for word in _options_in(words) if word not in names]
        return f"{path} has no option {unknown[0]}" if unknown else None

    def fault_of_motif(self, words: list[str]) -> str | None:
        """An unknown motif or option; None if there is no such fault."""
        if not words or "$" in words[0]:
            return None
        if words[0].lower() not in self._motifs:
            return f"there is no motif {words[0]}"
        unknown = [word for word in _options_in(words) if word not in self._options_of(words[0])]
        return f"the motif {words[0]} has no option {unknown[0]}" if unknown else None

    def _options_of(self, motif: str) -> set[str]:
        options = self._motifs[motif.lower()]["options"]
        return {f"--{one['name']}" for one in options} | {f"-{one['short']}" for one in options if one.get("short")}


def _options_in(words: list[str]) -> Iterator[str]:
    for word in words:
        if match := OPTION.match(word):
            yield match.group(1)


def faults_in_sb(block: Block, declarations: Declarations) -> Iterator[tuple[int, str]]:
    """Line and fault of each line of a workload that is no statement, or has an unknown motif or option."""
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        statement = line.split("#")[0].strip()
        if statement and not re.match(r"\[[A-Z_]+\]", statement) and statement != "...":
            yield number, f"not a statement of a workload: {statement}"
        elif statement.startswith("[MOTIF]") and (fault := declarations.fault_of_motif(statement.split()[1:])):
            yield number, fault


def faults_in_imports(block: Block) -> Iterator[tuple[int, str]]:
    """Line and fault of each import from `stressbench` that does not exist; none for Python that does not parse."""
    with contextlib.suppress(SyntaxError):
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "stressbench":
                yield from ((block.line + node.lineno - 1, fault) for fault in _missing(str(node.module), node.names))


def _missing(module: str, names: list[ast.alias]) -> Iterator[str]:
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError:
        yield f"there is no module {module}"
        return
    yield from (f"{module} has no {one.name}" for one in names if one.name != "*" and not hasattr(imported, one.name))


def faults_in_blocks(markdown: str, declarations: Declarations) -> Iterator[tuple[int, str]]:
    """Line and fault of each block that does not parse or uses unknown names."""
    parsers: dict[str, Callable[[str], object]] = {"toml": tomllib.loads, "json": json.loads, "python": ast.parse}
    for block in blocks(markdown):
        if parse := parsers.get(block.language):
            try:
                parse(block.text)
            except (ValueError, SyntaxError) as wrong:
                yield block.line, f"the block is not {block.language}: {wrong}"
        if block.language == "sb":
            yield from faults_in_sb(block, declarations)
        elif block.language == "python":
            yield from faults_in_imports(block)


def faults_in_commands(markdown: str, declarations: Declarations) -> Iterator[tuple[int, str]]:
    """Line and fault of each command that the programs would reject. Lines with placeholders are skipped."""
    commands_found = [one for block in blocks(markdown) if block.language in SHELL for one in command_lines(block)]
    for number, line in enumerate(FENCE.sub(_blank, markdown).splitlines(), start=1):
        commands_found += [(number, match.group(1)) for match in INLINE.finditer(line)]
    for number, command in commands_found:
        words = words_of(command)
        if words and not PLACEHOLDER.search(command.split("#")[0]) and (fault := fault_of_command(words, declarations)):
            yield number, fault


def faults_in_links(name: str, markdown: str, generated: dict[str, set[str]]) -> Iterator[tuple[int, str]]:
    """Line and fault of each link from the file `name` to a generated page."""
    for number, line in enumerate(markdown.splitlines(), start=1):
        for target, anchor in LINK.findall(line):
            page = os.path.normpath(Path(name).parent / target).removeprefix("docs/")
            if not page.startswith(FOLDER + "/"):
                continue
            if page not in generated:
                yield number, f"the link {target} leads nowhere: docs/{page} is not generated"
            elif anchor and anchor not in generated[page]:
                yield number, f"the link {target}#{anchor} leads nowhere: docs/{page} has no such heading"


def faults_in_width(markdown: str) -> Iterator[tuple[int, str]]:
    """Line and fault of each line of prose that is too long."""
    prose = GENERATED.sub(_blank, FENCE.sub(_blank, markdown))
    for number, line in enumerate(prose.splitlines(), start=1):
        if len(line) > WIDTH and not re.match(r" *(\||#|<!--)", line) and " " in line.strip():
            yield number, f"a line of {len(line)} characters; prose is wrapped at {WIDTH}"


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def headings(markdown: str) -> set[str]:
    """Anchors of the headings of a page."""
    return {anchor_of(line) for line in re.findall(r"^#+ +(.*)$", FENCE.sub("", markdown), re.MULTILINE)}


def handwritten_pages(root: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each hand-written page. A notebook has the name and the text of its page."""
    names = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        *(str(one.relative_to(root)) for one in sorted((root / "docs").rglob("*.md"))),
    ]
    for name in names:
        yield name, (root / name).read_text(encoding="utf-8")
    yield from ((f"docs/{path}", page_of(notebook)) for path, notebook in notebooks(root).items())


def violations(root: Path) -> Iterator[str]:
    """One line of text per violation, in order of files and lines."""
    declarations, generated_pages = Declarations(root), pages(root)
    anchors = {page: headings(text) for page, text in generated_pages.items()}
    generated_names = {f"docs/{page}" for page in generated_pages}
    for name, text in [*handwritten_pages(root), *((f"docs/{page}", text) for page, text in generated_pages.items())]:
        links = faults_in_links(name, text, anchors)
        width = faults_in_width(text) if name not in generated_names else ()
        faults = [*faults_in_blocks(text, declarations), *faults_in_commands(text, declarations), *links, *width]
        yield from (f"{name}:{number}: {fault}" for number, fault in sorted(faults))


def main() -> int:
    """Print all violations. Exit status 1 if there is any."""
    lines = list(violations(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
