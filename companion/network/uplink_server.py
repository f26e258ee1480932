"""Socket server for the uplink, with the uplink's messages."""

from queue import SimpleQueue
from typing import Any

from companion.network import uplink_messages
from companion.network.client_connection import ClientConnection
from companion.network.messages import Message, TableSnapshot, encode_line
from companion.network.table_server import MAX_OWNER_REQUESTS, TableServer

UplinkRequest = uplink_messages.ListGamesAfter | uplink_messages.ResultRequest


class UplinkServer(TableServer):
    """What passes to the uplink, and what it asks for."""

    standing_messages = (TableSnapshot, uplink_messages.CurrentGame, uplink_messages.JudgeCallMessage)

    def __init__(self, *sockets: Any, run: str, name: str = "", program: str = "", **how: Any) -> None:
        """As a `TableServer`; `name` is the table's, `program` its version."""
        super().__init__(*sockets, run=run, **how)
        self._welcome = uplink_messages.UplinkHello(run, name, program)
        self.requests: SimpleQueue[UplinkRequest | None] = SimpleQueue()
        """What is wanted of the store; None: the door is closed."""
        self.incoming_tasks: SimpleQueue[uplink_messages.NextTask | uplink_messages.BrokerStatus | None] = (
            SimpleQueue()
        )
        """What is for the table's thread; None: the uplink has gone."""

    def broadcast(self, message: Message) -> None:
        """Have the uplink told, if it is on its list; never waits."""
        if isinstance(message, uplink_messages.FromTable):
            super().broadcast(message)

    def close(self) -> None:
        self.requests.put(None)
        super().close()

    def _greeting(self) -> Message:
        return self._welcome

    def _decode(self, line: bytes) -> Message:
        return uplink_messages.decode_for_table(line)

    def _handle_message(self, client: ClientConnection, message: Any) -> None:
        if not isinstance(message, UplinkRequest):
            self._pass_to_table(message)
        elif self.requests.qsize() < MAX_OWNER_REQUESTS:
            self.requests.put(message)
        elif isinstance(message, uplink_messages.ResultRequest):
            self._queue(client, encode_line(uplink_messages.ResultAnswer(message.number, None, "failed")))

    def _pass_to_table(self, message: Any) -> None:
        self.incoming_tasks.put(message)
        self._wake_table()
