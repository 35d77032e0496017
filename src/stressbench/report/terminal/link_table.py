"""The busiest links of a run: where the congestion was."""

from stressbench.console import Console
from stressbench.report.names import printable
from stressbench.report.renderers.text import new_table, print_table, say
from stressbench.report.units import bit_rate, percent, size
from stressbench.stats import LinkUtilisation, RunSummary


def print_links(summary: RunSummary, *, console: Console, rows: int) -> None:
    """The busiest directions of links first; nothing where nobody counted them."""
    if not summary.links or rows < 1:
        return
    table = new_table(
        left=("link", "direction"),
        right=("rate", "contended %", *(f"{printable(job.name)} alone %" for job in summary.jobs), "carried", "drops"),
    )
    for use in summary.links[:rows]:
        table.add_row(*_cells(summary, use))
    print_table(console, table)
    console.print()
    more = len(summary.links) - rows
    rest = f"; {more} more with --links {len(summary.links)}" if more > 0 else ""
    say(console, f"Shares of what a link could have carried in a round, medians over rounds, headers counted{rest}.")


def _cells(summary: RunSummary, use: LinkUtilisation) -> tuple[str, ...]:
    alone = {one.job: one.use for one in use.isolated}
    return (
        printable(use.link), printable(f"{use.source} > {use.target}"), bit_rate(use.rate_bits_per_s),
        percent(use.contended), *(percent(alone.get(job.job)) for job in summary.jobs), size(use.bytes),
        f"{use.drops:,}",
    )  # fmt: skip
