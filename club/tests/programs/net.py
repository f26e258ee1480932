"""A network that can be cut: everybody reaches the broker through this relay, a process of its own.

It says its port, then takes `cut` and `mend` line by line and answers each when it is done.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys

MOST_KNOCKING = 1024


class Network:
    """The relay, as those use it who cut."""

    def __init__(self, to: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "club.tests.programs.net", str(to)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.port = int(self._answer())

    def cut(self) -> None:
        """Break every connection in the middle of whatever is on its way, and take none from now on."""
        self._say("cut")

    def mend(self) -> None:
        self._say("mend")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _say(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        assert self._answer() == word

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


class Relay:
    """Passes everything on between whoever connects and one port of the loopback."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._open: set[asyncio.StreamWriter] = set()
        self._cut = False

    async def run(self) -> None:
        server = await asyncio.start_server(self._relay, "127.0.0.1", 0, backlog=MOST_KNOCKING)
        print(server.sockets[0].getsockname()[1], flush=True)
        words = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(words), sys.stdin)
        while word := (await words.readline()).decode().strip():
            self._cut = word == "cut"
            for writer in tuple(self._open) if self._cut else ():
                writer.transport.abort()
            print(word, flush=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pair = [writer]
        try:
            if self._cut:
                return
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
            pair.append(back)
            self._open.update(pair)
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        except OSError:
            pass
        finally:
            for one in pair:
                self._open.discard(one)
                one.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on until one end is gone."""
    try:
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()
    except OSError:
        pass
    writer.transport.abort()


if __name__ == "__main__":
    asyncio.run(Relay(int(sys.argv[1])).run())
