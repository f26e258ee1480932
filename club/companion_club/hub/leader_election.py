"""Leader election: of two hubs of one club the later one stops; reconnects do not confuse it.

To an MQTT broker they are one client, which takes its own connection over: each throws the other out. So a
hub says under a topic of the club, retained, which run it is and how often it has connected. One that finds
another run there came after it, and gives way once that one has connected again; what a killed hub left there
never grows.
"""

from msgspec.structs import replace

from companion_club.messages import HubRun


class LeaderElection:
    """What one hub says of itself and has heard of others, from one connection to the next."""

    def __init__(self, run: str, host: str, since: str) -> None:
        self._own = HubRun(run=run, host=host, since=since)
        self._before: dict[str, HubRun] = {}
        """Other runs that were there when this one connected, as they said it last."""
        self._found: dict[str, HubRun] = {}
        """The same, in this connection."""

    def on_connect(self) -> None:
        """A connection was made; what it still brings of others was said before."""
        self._own = replace(self._own, connection=self._own.connection + 1)
        self._found.clear()

    def own_announcement(self) -> HubRun:
        """What to say in this connection, at once."""
        return replace(self._own, after=tuple(sorted(self._before)))

    def on_announcement(self, other: HubRun) -> bool:
        """Take it in; whether it is our own, said in this connection, so that all from before was heard."""
        if other.run == self._own.run:
            return other.connection == self._own.connection
        if not self.is_yielding(other):
            self._found[other.run] = other
        return False

    def is_yielding(self, other: HubRun) -> bool:
        """Whether that one has found us, and gives way."""
        return self._own.run in other.after

    def find_leader(self) -> HubRun | None:
        """All from before was heard: the hub that this one has to give way to; None: there is none so far."""
        for run, other in self._found.items():
            known = self._before.get(run)
            if known is not None and other.connection > known.connection:
                return other
        self._before |= self._found
        return None

    @property
    def alone(self) -> bool:
        """Whether nothing of another hub was found in this connection."""
        return not self._found
