"""Restoring a changed link rate or setting, whatever happens in between."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from stressbench.formats.study.errors import StudyFault


@contextmanager
def restore(put_back: Callable[[], None]) -> Iterator[None]:
    """Call `put_back` at the end of the block, also after an exception.

    Raises StudyFault if `put_back` fails, unless the block itself raised one.
    """
    try:
        yield
    except StudyFault:
        with suppress(StudyFault):
            put_back()
        raise
    except BaseException:
        put_back()
        raise
    else:
        put_back()
