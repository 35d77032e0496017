"""Tables and texts of Markdown and LaTeX. Texts of files are data: none of them becomes markup."""

import re
from collections.abc import Iterator, Sequence

from stressbench.console import escaped

_ENTITY = re.compile(r"&(?=#?\w+;)")
_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def md_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table."""
    yield "| " + " | ".join(map(md_text, head)) + " |"
    yield "| " + " | ".join("---" for _ in head) + " |"
    for row in body:
        yield "| " + " | ".join(map(md_text, row)) + " |"


def md_text(text: str) -> str:
    """On one line, without a table's bars, HTML, entities and links; control characters are shown."""
    text = _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace("](", "]\\(").replace("|", "\\|")
    return " ".join(escaped(word) for word in text.split())


def latex_table(*, caption: str, texts: int, head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A booktabs table whose first `texts` columns are words; caption, head and cells are LaTeX already."""
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{{'l' * texts}{'r' * (len(head) - texts)}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in body),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def latex_text(text: str) -> str:
    """With LaTeX's own characters escaped, and control characters shown."""
    return "".join(_SPECIAL.get(character, character) for character in escaped(text))


def latex_number(text: str) -> str:
    """A number as text with its unit; a dash where it is unknown."""
    return "--" if text == "-" else text.replace(" ", r"\,")


def latex_interval(low: float | None, high: float | None) -> str:
    """`1.955--2.015`."""
    return "--" if low is None or high is None else f"{low:.3f}--{high:.3f}"
