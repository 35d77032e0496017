"""Renderers of documents: every module of this package is one by being there.

It has `render(document)`, which gives the text. HTML draws figures, so it gets the full page of a subject; the others
get its brief form.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import ParamSpec

from stressbench.report.document import Document

PAGE = "html"
_BY_NAME_ONLY = ("junit",)
"""Formats that no `--format` offers."""
P = ParamSpec("P")


def formats(
    *, brief: Callable[P, Document], page: Callable[P, Document], without: Sequence[str] = ()
) -> Mapping[str, Callable[P, str]]:
    """Renderers of a subject by the word that `--format` takes; a module is imported when its format is used."""
    names = {module.name.rstrip("_") for module in iter_modules(__path__)}.difference(without, _BY_NAME_ONLY)
    return {name: _rendered(name, page if name == PAGE else brief) for name in sorted(names)}


def render(name: str, document: Document) -> str:
    """The document in the format of this name."""
    module = next(one.name for one in iter_modules(__path__) if one.name.rstrip("_") == name)
    text: str = import_module(f"{__name__}.{module}").render(document)
    return text


def _rendered(name: str, make: Callable[P, Document]) -> Callable[P, str]:
    def rendered(*args: P.args, **kwargs: P.kwargs) -> str:
        return render(name, make(*args, **kwargs))

    return rendered
