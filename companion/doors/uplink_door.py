"""The door of the uplink: the page's way of serving, with a list of messages of its own."""

from queue import SimpleQueue
from typing import Any

from companion.doors import uplink
from companion.doors.client import Client
from companion.doors.door import MOST_LOOKED, Door
from companion.doors.messages import Message, View, line_of

Asked = uplink.Since | uplink.Give


class UplinkDoor(Door):
    """What passes to the uplink, and what it asks for."""

    standing = (View, uplink.Playing, uplink.Judge)

    def __init__(self, *sockets: Any, run: str, name: str = "", program: str = "", **how: Any) -> None:
        """As a `Door`; `name` is the table's, `program` its version."""
        super().__init__(*sockets, run=run, **how)
        self._welcome = uplink.Welcome(run, name, program)
        self.asked: SimpleQueue[Asked | None] = SimpleQueue()
        """What is wanted of the store; None: the door is closed."""
        self.said: SimpleQueue[uplink.Next | uplink.Linked | None] = SimpleQueue()
        """What is for the table's thread; None: the uplink has gone."""

    def tell(self, message: Message) -> None:
        """Have the uplink told, if it is on its list; never waits."""
        if isinstance(message, uplink.FromTable):
            super().tell(message)

    def close(self) -> None:
        self.asked.put(None)
        super().close()

    def _greeting(self) -> Message:
        return self._welcome

    def _decoded(self, line: bytes) -> Message:
        return uplink.heard_by_table(line)

    def _heard(self, client: Client, message: Any) -> None:
        if not isinstance(message, Asked):
            self._hand_on(message)
        elif self.asked.qsize() < MOST_LOOKED:
            self.asked.put(message)
        elif isinstance(message, uplink.Give):
            self._queue(client, line_of(uplink.Given(message.number, None, "failed")))

    def _hand_on(self, message: Any) -> None:
        self.said.put(message)
        self._wake_table()
