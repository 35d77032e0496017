"""Interleaved comparison of two programs: launches in random order, and the ratio of their times.

Launches of one program differ more than the two programs do, and the cores of a virtual machine migrate: the same 1 MiB
ping-pong took 36 us in some minutes and 460 us in others. Therefore each block has one launch of each program in random
order, and two figures are reported, each with a 95 % bootstrap interval over whole blocks: the ratio of the medians
over blocks, and the median of the ratios within blocks, which is insensitive to changes of the machine between blocks.

"""

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

RESAMPLES = 4000

Item = TypeVar("Item")
Launched = TypeVar("Launched")
"""What a launch returns: its time, or the times of several sizes."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Text such as 1.003 (0.998 to 1.011)."""
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True)
class Ratio:
    """Ratio of the engine's time (`ours_s`) to that of the other program (`theirs_s`); both are medians."""

    ours_s: float
    theirs_s: float
    of_medians: Estimate
    within_blocks: Estimate
    launches: int


@dataclass
class Interruption:
    """Whether Ctrl-C or SIGTERM ended the launches of a comparison, whose complete blocks count all the same."""

    happened: bool = False

    def before(self, items: Iterable[Item]) -> Iterator[Item]:
        """Items until it happens: none after the one during which it did."""
        for item in items:
            yield item
            if self.happened:
                return

    @contextmanager
    def after(self, rows: Sized) -> Iterator[None]:
        """Context of the launches of a further row: Ctrl-C in it is noted, or raised if there are no `rows` so far."""
        try:
            yield
        except KeyboardInterrupt:
            if not rows:
                raise
            self.happened = True


def interleave(
    ours: Callable[[], Launched],
    theirs: Callable[[], Launched],
    *,
    launches: int,
    seed: int,
    interruption: Interruption | None = None,
) -> tuple[list[Launched], list[Launched]]:
    """One warm-up launch of each program, then `launches` blocks of one launch each, in random order within a block.

    A launch is a function that returns its time in seconds, or its times by what was measured. With `interruption`,
    Ctrl-C ends the launches as in `repeat`.
    """
    order = random.Random(seed)
    ours(), theirs()

    def block() -> tuple[Launched, Launched]:
        if order.random() < 0.5:
            mine = ours()
            return mine, theirs()
        other = theirs()
        return ours(), other

    pairs = repeat(block, blocks=launches, interruption=interruption)
    return [mine for mine, _ in pairs], [other for _, other in pairs]


def repeat(block: Callable[[], Launched], *, blocks: int, interruption: Interruption | None = None) -> list[Launched]:
    """What each of `blocks` blocks of launches returned; progress goes to standard error.

    With `interruption`, Ctrl-C ends the blocks: it is noted there, and those that are complete are returned. Raises
    KeyboardInterrupt without it, or if there are none.
    """
    done: list[Launched] = []
    began_s = time.monotonic()
    try:
        while len(done) < blocks:
            done.append(block())
            _show_progress(len(done), blocks, since_s=began_s)
    except KeyboardInterrupt:
        if interruption is None or not done:
            raise
        interruption.happened = True
    _show("")
    return done


def _show_progress(done: int, blocks: int, *, since_s: float) -> None:
    """Progress on a terminal; elsewhere, a line after each block if these take a minute or more."""
    block_s = (time.monotonic() - since_s) / done
    left_s = block_s * (blocks - done)
    text = f"block {done} of {blocks}" + (f", about {left_s / 60:.0f} min left" if left_s >= 60 else "")
    if block_s >= 60 and not sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
    _show(text)


def _show(text: str) -> None:
    """Replace the last line of a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()


def ratio(ours: Sequence[float], theirs: Sequence[float], *, seed: int) -> Ratio:
    """Both ratios of paired launches with percentile bootstrap intervals over blocks."""
    blocks = range(len(ours))

    def of_medians(chosen: Sequence[int]) -> float:
        return statistics.median(ours[i] for i in chosen) / statistics.median(theirs[i] for i in chosen)

    def within_blocks(chosen: Sequence[int]) -> float:
        return statistics.median(ours[i] / theirs[i] for i in chosen)

    medians, within = _estimates((of_medians, within_blocks), len(blocks), seed=seed)
    return Ratio(statistics.median(ours), statistics.median(theirs), medians, within, len(blocks))


def median(values: Sequence[float], *, seed: int) -> Estimate:
    """Median over launches with its percentile bootstrap interval."""
    (found,) = _estimates((lambda chosen: statistics.median(values[i] for i in chosen),), len(values), seed=seed)
    return found


def _estimates(figures: Sequence[Callable[[Sequence[int]], float]], blocks: int, *, seed: int) -> tuple[Estimate, ...]:
    """Figures of the blocks that a function is given, with intervals from the same resamples for all."""
    draw = random.Random(seed)
    resamples = [draw.choices(range(blocks), k=blocks) for _ in range(RESAMPLES)]
    found = []
    for figure in figures:
        resampled = sorted(figure(chosen) for chosen in resamples)
        low, high = (resampled[round(q * (RESAMPLES - 1))] for q in (0.025, 0.975))
        found.append(Estimate(figure(range(blocks)), low, high))
    return tuple(found)


HEADER = ("ratio of medians (95 % interval)", "median of ratios within blocks", "launches")


def cells(result: Ratio) -> tuple[str, str, str]:
    """Cells of a row below HEADER."""
    return str(result.of_medians), str(result.within_blocks), str(result.launches)


def size_in_words(size_bytes: int) -> str:
    """A size as text: 8 B, 8 KiB, 1 MiB."""
    for factor, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size_bytes >= factor:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes} B"


def in_words(time_s: float) -> str:
    """A time in microseconds with three significant digits."""
    return f"{time_s * 1e6:#.3g} us".replace(". us", " us")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with aligned columns."""
    widths = [max(len(line[i]) for line in (header, *rows)) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"

    return "\n".join([line(header), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, rows)])
