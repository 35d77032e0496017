"""Rules for test modules: no import of another test module, no replaced attributes of command-line modules.

Checked in the syntax tree, including programs that tests start from a string.

"""

import ast
from collections.abc import Iterator
from pathlib import Path

CLI = "stressbench.cli"
_REPLACING = frozenset({"setattr", "delattr", "setitem", "delitem", "patch", "object", "dict", "multiple"})
"""Last names of functions that replace something: of monkeypatch, of unittest.mock.patch, and the built-in."""


def complaints(text: str, *, source: str, modules: frozenset[str]) -> list[str]:
    """Violations as `source:LINE: text`; `modules` are the names of all test modules."""
    tree = ast.parse(text)
    return [f"{source}:{line}: {what}" for line, what in (*_imports(tree, modules), *_replaced(tree))]


def complaints_in(folder: Path, *, but: Path) -> list[str]:
    """Violations in all files of the tests' folder except `but`, which contains deliberate ones."""
    paths = sorted(folder.rglob("*.py"))
    modules = frozenset(path.stem for path in paths if path.stem.startswith("test_"))
    return [
        one
        for path in paths
        if path != but
        for one in complaints(
            path.read_text(encoding="utf-8"), source=str(path.relative_to(folder.parent)), modules=modules
        )
    ]


def _imports(tree: ast.AST, modules: frozenset[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(alias.name for alias in node.names)]
        else:
            continue
        for name in names:
            if name.rpartition(".")[2] in modules:
                yield node.lineno, f"imports {name}; what test modules share lies in tests/support"


def _replaced(tree: ast.AST) -> Iterator[tuple[int, str]]:
    ours = _cli_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _last_name(node.func) in _REPLACING:
            target = node.args[0]
            path = target.value if isinstance(target, ast.Constant) else None
            if _root(target) in ours or (isinstance(path, str) and f"{path}.".startswith(f"{CLI}.")):
                yield node.lineno, _complaint(target)
        for target in _assigned(node):
            if isinstance(target, ast.Attribute) and _root(target) in ours:
                yield node.lineno, _complaint(target)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and f"{CLI}" in node.value:
            yield from ((node.lineno, what) for _, what in _replaced_in_program(node.value))


def _replaced_in_program(text: str) -> Iterator[tuple[int, str]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    if not isinstance(tree.body[0] if tree.body else None, ast.Expr):  # a single name or string is no program
        yield from _replaced(tree)


def _cli_names(tree: ast.AST) -> set[str]:
    """Names that stand for something of stressbench.cli: imported, assigned, or looped over."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{CLI}."):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "stressbench":
            found |= {alias.asname or alias.name for alias in node.names if alias.name == "cli"}
        elif isinstance(node, ast.Import):
            found |= {alias.asname for alias in node.names if alias.asname and f"{alias.name}.".startswith(f"{CLI}.")}
            if any(f"{alias.name}.".startswith(f"{CLI}.") for alias in node.names):
                found.add(CLI)
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List | ast.Set):
            source, target = node.iter.elts, node.target
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Name):
            source, target = [node.value], node.targets[0]
        else:
            continue
        if isinstance(target, ast.Name) and any(_root(one) in found for one in source):
            found.add(target.id)
    return found


def _assigned(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign) else []


def _root(node: ast.expr) -> str:
    """First component of a dotted name; `stressbench.cli` if it begins with that."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    dotted = ".".join((node.id, *reversed(parts)))
    return CLI if f"{dotted}.".startswith(f"{CLI}.") else node.id


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _complaint(target: ast.expr) -> str:
    return (
        f"replaces {ast.unparse(target)}, which is of {CLI}; replace a program on PATH, an environment variable, "
        "or register a launch target (stressbench.launch.targets)"
    )
