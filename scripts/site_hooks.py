"""Hooks for what mkdocs.yml cannot express: generated pages, lists in the navigation, links to files outside docs/."""

import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "src")]

from reference import FOLDER, Pages, sections  # noqa: E402  needs the path set above
from reference.notebook import notebooks, page_of, title_of  # noqa: E402

ROOT_PAGES = {name.lower(): name for name in ("CONTRIBUTING.md", "CHANGELOG.md")}
"""Pages of the site that are generated from files in the root of the checkout: file name by path in the site."""
_LINK = re.compile(r"\[([^\]]*)\]\(([^()\s#]+)(#[^()\s]*)?\)")
_MENTION = re.compile(r"(?<![\w`/.])docs/([\w/-]+\.md)")
_PIPE_IN_CODE = re.compile(r"`([^`\n]*\\\|[^`\n]*)`")
_FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


def on_config(config: Any) -> Any:
    """Generate the reference pages and add them to the navigation."""
    config.extra["generated"] = generated = sections(ROOT)
    reference = next(one["Reference"] for one in config.nav if "Reference" in one)
    for entry in reference:
        for title in set(entry) & set(generated):
            paths = list(generated[title])
            entry[title] = paths if len(paths) > 1 or title == "Motifs" else paths[0]
        if "Motifs" in entry:
            entry["Motifs"] += _motif_pages()
        if "Records and files" in entry:
            entry["Records and files"][1:1] = [{"Run files": "records.md"}, {"Trace files": "trace-format.md"}]
    tutorials = next(one["Tutorials"] for one in config.nav if "Tutorials" in one)
    tutorials += [{title_of(notebook): path} for path, notebook in notebooks(ROOT).items()]
    return config


def _motif_pages() -> list[str]:
    names = sorted(path.name for path in (ROOT / "docs/motifs").glob("*.md") if path.name != "README.md")
    return ["motifs/README.md", *(f"motifs/{name}" for name in names)]


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages, those from the root of the checkout and those of notebooks."""
    generated: Iterable[Pages] = config.extra["generated"].values()
    texts = {path: text for section in generated for path, text in section.items()}
    texts |= {path: page_of(notebook) for path, notebook in notebooks(ROOT).items()}
    for path, name in ROOT_PAGES.items():
        texts[path] = (ROOT / name).read_text(encoding="utf-8")
    for path, text in texts.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001  mkdocs passes all
    """Convert Markdown for GitHub to Markdown for mkdocs.

    Links to files outside the site become their paths in the repository, list items may be indented by three spaces,
    a pipe within code in a table becomes an entity, generated pages link to the pages that they mention, and links to
    notebooks become links to their pages.
    """
    uri = page.file.src_uri
    folder = "" if uri in ROOT_PAGES else f"docs/{Path(uri).parent}"
    if uri in ROOT_PAGES:
        markdown = re.sub(r"^(?= {3})", " ", markdown, flags=re.MULTILINE)

    def change(text: str) -> str:
        text = _LINK.sub(lambda match: _resolved(match, folder, uri), text)
        if uri.startswith(FOLDER + "/"):
            text = _MENTION.sub(lambda match: f"[{match[0]}]({os.path.relpath(match[1], Path(uri).parent)})", text)
        return _PIPE_IN_CODE.sub(lambda match: f"<code>{match[1].replace(chr(92) + '|', '&#124;')}</code>", text)

    return _outside_fences(markdown, change)


def _outside_fences(markdown: str, change: Callable[[str], str]) -> str:
    parts, position = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [change(markdown[position : fence.start()]), fence.group()]
        position = fence.end()
    return "".join([*parts, change(markdown[position:])])


def _resolved(match: re.Match[str], folder: str, uri: str) -> str:
    text, target, anchor = match.groups()
    if re.match(r"[a-z]+:", target):
        return match.group()
    path = os.path.normpath(Path(folder) / target)
    of_root = {name: uri for uri, name in ROOT_PAGES.items()}
    site_path = re.sub(r"\.ipynb$", ".md", of_root.get(path, path.removeprefix("docs/")))
    if path.startswith("docs/") or path in of_root:
        return f"[{text}]({os.path.relpath(site_path, Path(uri).parent)}{anchor or ''})"
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"
