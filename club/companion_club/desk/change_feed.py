"""Server-sent events that tell open pages of a change, from one shared database poll."""

import logging
from collections.abc import AsyncIterator, Callable

import anyio
from anyio import to_thread
from sqlalchemy.exc import SQLAlchemyError

POLL_INTERVAL_S = 0.1
KEEP_ALIVE_S = 10.0
"""A stream says something at least so often, so that both ends know that the other is there."""
ALIVE_EVENT = b"event: alive\ndata: 1\n\n"
log = logging.getLogger(__name__)


class ChangeFeed:
    """The club's number of changes, as it was last read."""

    def __init__(self, read: Callable[[], int]) -> None:
        self._read = read
        self._now = -1
        self._moved = anyio.Event()
        self._ended = False

    async def poll_forever(self) -> None:
        """For ever; a database that does not answer is asked again."""
        while True:
            try:
                self.publish(await to_thread.run_sync(self._read))
            except SQLAlchemyError as trouble:
                log.warning("The database does not answer: %s", trouble)
            await anyio.sleep(POLL_INTERVAL_S)

    def publish(self, number: int) -> None:
        """Tell everybody if that is another number than before."""
        if number != self._now:
            self._now = number
            self._wake()

    def close(self) -> None:
        """Let everybody go."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    async def stream(self, still: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Server-sent events: the number, now and whenever it is another; until `still` says no."""
        told = None
        while not self._ended and await to_thread.run_sync(still):
            moved = self._moved
            if self._now != told:
                told = self._now
                yield b"data: %d\n\n" % told
            else:
                yield ALIVE_EVENT
            with anyio.move_on_after(KEEP_ALIVE_S):
                await moved.wait()
