"""The documents of `stressbench study plan` and `study list`: what a study would run, and the shipped studies."""

from collections.abc import Iterator, Sequence

from stressbench.formats.units import duration_text
from stressbench.report.document import Block, Document, Paragraph, Section, Table, columns
from stressbench.results.study_plan import ShippedStudy, StudyPlan


def plan_document(plan: StudyPlan) -> Document:
    """The runs in their order with the factors that vary, and bounds on their duration."""
    return Document(title="", sections=(Section(blocks=tuple(_blocks(plan))),), value=plan)


def _blocks(plan: StudyPlan) -> Iterator[Block]:
    if plan.about:
        yield Paragraph(text=plan.about)
    runs = f"{len(plan.runs)} runs"
    if plan.fewest_runs != len(plan.runs):
        runs = f"{plan.fewest_runs} to {runs}"
    yield Paragraph(text=f"{len(plan.cells)} cells, {runs}, in the order of seed {plan.seed}:")
    values = {cell.cell: cell.values for cell in plan.cells}
    yield Table(
        columns=columns(texts=("run", *plan.factors)),
        rows=tuple((run.run, *(values[run.cell].get(name, "") for name in plan.factors)) for run in plan.runs),
    )
    fixed = {name: value for name, value in plan.cells[0].values.items() if name not in plan.factors}
    if fixed:
        yield Paragraph(text=f"in all cells: {', '.join(f'{name} = {value}' for name, value in fixed.items())}")
    yield Paragraph(text=f"time: at least {duration_text(plan.least_s)}, at most {duration_text(plan.most_s)}")


def list_document(studies: Sequence[ShippedStudy]) -> Document:
    """The shipped studies with their numbers of cells and runs."""
    table = Table(
        columns=columns(texts=("study",), numbers=("cells", "runs"), trailing_texts=("about",)),
        rows=tuple((one.study, str(one.cells), str(one.runs), one.about) for one in studies),
    )
    return Document(title="", sections=(Section(blocks=(table,)),), value=studies)
