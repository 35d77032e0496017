"""Options classes: frozen dataclasses whose fields are command-line options, shared by several commands."""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each parameter whose type is an options class replaced by one option per field of the class.

    An options class is a frozen dataclass whose fields are annotated like the parameters of typer commands:

        @dataclass(frozen=True, kw_only=True)
        class RanksOptions:
            ranks: Annotated[int | None, typer.Option("-n", "--ranks", metavar="N")] = None

        @with_options
        def run(file: Path, ranks: RanksOptions, *, json: AsJson = False) -> None: ...

    The options appear in `--help` in place of the parameter. Raises ValueError if two names of a command are equal.
    The result must be called with keyword arguments, as typer does.
    """
    classes: dict[str, Any] = {name: kind for name, kind in get_type_hints(command).items() if is_dataclass(kind)}
    parameters = list(_expanded(command, classes))

    def expanded(**values: Any) -> None:
        groups = {
            name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            for name, kind in classes.items()
        }
        command(**values, **groups)

    expanded.__name__, expanded.__doc__, expanded.__module__ = command.__name__, command.__doc__, command.__module__
    expanded.__annotations__ = {one.name: one.annotation for one in parameters}
    expanded.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return expanded


def _expanded(command: Callable[..., None], classes: dict[str, Any]) -> Iterator[Parameter]:
    hints = get_type_hints(command, include_extras=True)
    for one in signature(command).parameters.values():
        if one.name in classes:
            yield from _options(classes[one.name])
        else:
            yield one.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[one.name])


def _options(kind: Any) -> Iterator[Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        default = Parameter.empty if field.default is MISSING else field.default
        yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name])
