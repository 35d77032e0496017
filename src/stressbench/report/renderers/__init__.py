"""Renderers of documents. Each module of this package is a renderer and is discovered automatically.

A module defines `render(document)`, which returns the text. HTML shows figures, so it is given the full page of a
subject; other formats are given the brief document.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import ParamSpec

from stressbench.report.document import Document

PAGE = "html"
_BY_NAME_ONLY = ("html_fragment", "junit", "summary")
"""Formats that are offered as values of `--format` only to subjects that ask for them."""
P = ParamSpec("P")


def formats(
    *, brief: Callable[P, Document], page: Callable[P, Document], without: Sequence[str] = (),
    also: Sequence[str] = (),
) -> Mapping[str, Callable[P, str]]:  # fmt: skip
    """Renderers of a subject by value of `--format`, except `without`; a module is imported when its format is used.

    `also`: formats that not every document has.
    """
    names = {module.name.rstrip("_") for module in iter_modules(__path__)}.difference(without, _BY_NAME_ONLY)
    names.update(also)
    return {name: _renderer(name, page if name == PAGE else brief) for name in sorted(names)}


def render(name: str, document: Document) -> str:
    """The document in the format of this name."""
    module = next(one.name for one in iter_modules(__path__) if one.name.rstrip("_") == name)
    text: str = import_module(f"{__name__}.{module}").render(document)
    return text


def _renderer(name: str, make: Callable[P, Document]) -> Callable[P, str]:
    def rendered(*args: P.args, **kwargs: P.kwargs) -> str:
        return render(name, make(*args, **kwargs))

    return rendered
