"""Notebooks as Markdown pages: text as it stands, code as blocks of Python."""

import json
from pathlib import Path

Cell = dict[str, object]


def notebooks(root: Path) -> dict[str, Path]:
    """The notebooks below docs/ of the checkout `root`, by the path of their page, which is relative to docs/."""
    found = sorted((root / "docs").rglob("*.ipynb"))
    return {path.relative_to(root / "docs").with_suffix(".md").as_posix(): path for path in found}


def page_of(notebook: Path) -> str:
    """Markdown of the notebook's cells, with a link to the notebook itself below the first cell."""
    cells: list[Cell] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    first, *others = map(_markdown, cells)
    download = f'<a href="{notebook.name}" download>Download this notebook.</a>'
    return "\n\n".join([first, download, *others]) + "\n"


def title_of(notebook: Path) -> str:
    """The heading of the first cell."""
    return page_of(notebook).partition("\n")[0].removeprefix("# ")


def _markdown(cell: Cell) -> str:
    source = cell["source"]
    text = (
        source if isinstance(source, str) else "".join(map(str, source if isinstance(source, list) else []))
    ).rstrip()
    return f"```python\n{text}\n```" if cell["cell_type"] == "code" else text
