"""What was slowed is put back, however that ends for which it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from stressbench.formats.study.errors import StudyFault


@contextmanager
def restore(put_back: Callable[[], None]) -> Iterator[None]:
    """However it ends inside, `put_back` is called.

    Raises StudyFault where that fails; but a failure inside is the one to be told.
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
