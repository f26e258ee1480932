"""A network that can be cut: everybody reaches the broker through this relay, on a port of its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Event, Thread


class Network:
    """Relays connections to a port of the loopback; while it is cut, it takes none."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._open: set[asyncio.StreamWriter] = set()
        self._cut = False
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        listening = Event()
        self._thread = Thread(target=self._run, args=(listening,), name="network", daemon=True)
        self._thread.start()
        listening.wait()

    def _run(self, listening: Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(asyncio.start_server(self._relay, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        listening.set()
        self._loop.run_forever()
        self._server.close()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, back)
        self._open.update(pair)
        try:
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            for one in pair:
                self._open.discard(one)
                one.transport.abort()

    def cut(self) -> int:
        """Break every connection in the middle of whatever is on its way; how many there were."""
        return self._call(self._break)

    def mend(self) -> None:
        self._call(self._mend)

    def _break(self) -> int:
        self._cut = True
        for writer in tuple(self._open):
            writer.transport.abort()
        return len(self._open) // 2

    def _mend(self) -> int:
        self._cut = False
        return 0

    def _call(self, what) -> int:
        done: Future[int] = Future()
        self._loop.call_soon_threadsafe(lambda: done.set_result(what()))
        return done.result()

    def close(self) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on until one end is gone."""
    try:
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()
    except OSError:
        pass
    writer.transport.abort()
