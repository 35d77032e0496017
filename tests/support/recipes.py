"""Files of packaging/ as values, without the programs that read them: Spack, Benchpark, Ramble, ReFrame, EasyBuild."""

import ast
import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGING = CHECKOUT / "packaging"
SPACK = PACKAGING / "spack" / "spack_repo" / "stressbench" / "packages" / "stressbench" / "package.py"
EASYBUILD = PACKAGING / "easybuild" / "StressBench-0.2.0-foss-2025b.eb"


def directives(path: Path, name: str) -> list[tuple[str, dict[str, Any]]]:
    """First argument and constant keyword arguments of each directive `name` of a Spack package, in order."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            first = node.args[0]
            assert isinstance(first, ast.Constant)
            words = {one.arg: ast.literal_eval(one.value) for one in node.keywords if constant(one.value)}
            found.append((first.value, words))
    return found


def constant(node: ast.AST) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def spack_tests(prefix: Path) -> list[list[str]]:
    """Commands that the tests of the Spack package start with the launcher, installed in `prefix` with its defaults."""
    commands: list[list[str]] = []

    class Package:
        def __init__(self) -> None:
            self.prefix = types.SimpleNamespace(bin=str(prefix / "bin"), share=str(prefix / "share"))
            self.spec = types.SimpleNamespace(satisfies=lambda constraint: constraint.startswith("~"))

        def _mpirun(self) -> Any:
            return lambda *words: commands.append(list(words))

    package: dict[str, Any] = dict.fromkeys(
        ("license", "version", "variant", "depends_on", "extends", "conflicts"), nothing
    )
    package |= {name: lambda *_, **__: nullcontext() for name in ("default_args", "when")}
    package |= {"run_after": unchanged, "join_path": os.path.join}
    with stand_ins(
        spack={}, spack__package=package,
        spack_repo={}, spack_repo__builtin={}, spack_repo__builtin__build_systems={},
        spack_repo__builtin__build_systems__cmake={"CMakeBuilder": object, "CMakePackage": object},
        spack_repo__builtin__build_systems__python={"PythonPipBuilder": object},
    ):  # fmt: skip
        recipe = loaded(SPACK).Stressbench
    recipe.test_motif(Package())
    recipe.test_demo(Package())
    return commands


def easyconfig(path: Path) -> dict[str, Any]:
    """The parameters of an EasyBuild recipe."""

    names: dict[str, Any] = {name: name.lower() for name in ("SHLIB_EXT", "SOURCE_PY3_WHL", "SYSTEM")}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return {name: value for name, value in names.items() if not name.startswith("__")}


@contextmanager
def stand_ins(**modules: dict[str, Any]) -> Iterator[None]:
    """Modules of these names, with `__` for a dot, and these contents, while the context lasts."""
    made = {name.replace("__", "."): types.ModuleType(name) for name in modules}
    for name, content in modules.items():
        vars(made[name.replace("__", ".")]).update(content)
    saved = {name: sys.modules.get(name) for name in made}
    sys.modules.update(made)
    try:
        yield
    finally:
        for name, module in saved.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def loaded(path: Path) -> types.SimpleNamespace:
    """The names that a Python file defines, by the modules that are there now."""
    names: dict[str, Any] = {"__file__": str(path), "__name__": path.stem}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return types.SimpleNamespace(**names)


def nothing(*_: Any, **__: Any) -> None:
    """A directive that is not looked at."""


def unchanged(*arguments: Any, **_: Any) -> Any:
    """A decorator, with or without arguments, that changes nothing."""
    return arguments[0] if arguments and callable(arguments[0]) else unchanged


def reframe_checks() -> types.SimpleNamespace:
    """The names of packaging/reframe/stressbench_check.py, with stand-ins for ReFrame."""

    class Test:
        stagedir = "."

    def variable(*_: type, value: Any = None) -> Any:
        return value

    with stand_ins(
        reframe={"simple_test": unchanged, "RunOnlyRegressionTest": Test},
        reframe__core={},
        reframe__core__backends={"getlauncher": lambda name: lambda: f"launcher {name}"},
        reframe__core__builtins={"run_before": unchanged, "sanity_function": unchanged, "variable": variable},
        reframe__utility={},
        reframe__utility__sanity={
            "assert_found": lambda *words: words, "defer": lambda value: value,
            "make_performance_function": lambda value, unit: (value, unit),
        },
    ):  # fmt: skip
        sys.modules["reframe.utility"].sanity = sys.modules["reframe.utility.sanity"]  # type: ignore[attr-defined]
        return loaded(PACKAGING / "reframe" / "stressbench_check.py")


def ramble_application() -> type[Any]:
    """The class of packaging/benchpark/repo/stressbench/application.py; `declared` has its directives, by name."""
    declared: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}

    def directive(name: str) -> Any:
        return lambda *words, **options: declared.setdefault(name, []).append((words, options))

    names = ("tags", "software_spec", "required_package", "executable", "workload", "workload_variable",
             "figure_of_merit_context", "figure_of_merit", "success_criteria")  # fmt: skip
    with stand_ins(
        ramble={}, ramble__appkit={name: directive(name) for name in names} | {"ExecutableApplication": object}
    ):
        application: type[Any] = loaded(PACKAGING / "benchpark" / "repo" / "stressbench" / "application.py").Stressbench
    application.declared = declared
    return application


def benchpark_experiment() -> types.SimpleNamespace:
    """The names of packaging/benchpark/experiments/stressbench/experiment.py, with stand-ins for Benchpark."""

    class Experiment:
        def __init__(self, **variants: str) -> None:
            self.name = "stressbench"
            self.spec = types.SimpleNamespace(variants={name: [value] for name, value in variants.items()})
            self.variables: dict[str, Any] = {}
            self.packages: dict[str, list[str]] = {}

        def add_experiment_variable(self, name: str, value: Any, use_in_expr_name: bool) -> None:
            self.variables[name] = value

        def set_required_variables(self, **values: Any) -> None:
            self.variables |= values

        def add_package_spec(self, name: str, spec: list[str]) -> None:
            self.packages[name] = spec

    with stand_ins(
        benchpark={}, benchpark__directives={"variant": nothing}, benchpark__experiment={"Experiment": Experiment},
        benchpark__mpi={"MpiOnlyExperiment": type("MpiOnlyExperiment", (), {})},
    ):  # fmt: skip
        return loaded(PACKAGING / "benchpark" / "experiments" / "stressbench" / "experiment.py")
