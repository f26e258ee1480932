"""Readers of a table's door, as a process of their own: `python -m tests.programs.bench.readers SOCKET HOW`.

One (`one`) or 64 connect and say hello; then they read everything (`one`, `eager`), never read (`lazy`), or
press as fast as they may (`loud`). Prints one line once all
of them are in, and ends when its own standard input does.
"""

from __future__ import annotations

import selectors
import socket
import sys

from companion.network.messages import ChairRequest, ClientHello, encode_line
from companion.network.protocol import MAX_CLIENTS

LOUD = encode_line(ChairRequest("p", 0)) * 100
"""A hundred lines, four times a second: all that one client may say."""


def main() -> None:
    path, how = sys.argv[1:]
    clients = []
    for _ in range(1 if how == "one" else MAX_CLIENTS):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.connect(path)
        client.sendall(encode_line(ClientHello()))
        client.recv(1)
        clients.append(client)
    print("in", flush=True)
    waiting = selectors.DefaultSelector()
    waiting.register(sys.stdin, selectors.EVENT_READ)
    for client in clients:
        client.setblocking(False)
        if how != "lazy":
            waiting.register(client, selectors.EVENT_READ)
    while True:
        ready = waiting.select(0.25 if how == "loud" else None)
        for key, _ in ready:
            if key.fileobj is sys.stdin:
                return
            assert isinstance(key.fileobj, socket.socket)
            try:
                gone = not key.fileobj.recv(1 << 16)
            except OSError:
                gone = True
            if gone:
                waiting.unregister(key.fileobj)
        if how == "loud" and not ready:
            for client in clients:
                try:
                    client.send(LOUD)
                except OSError:
                    continue


if __name__ == "__main__":
    main()
