"""Tells each game once that the camera is lost or back."""

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Micros


class CameraStatus:
    """What was last heard of the camera, and whether the game on the table knows it."""

    def __init__(self) -> None:
        self._lost: ob.CameraLost | None = None
        self._told = False

    def note_report(self, seen: object) -> None:
        """What was reported; it reaches the game that is on the table by itself."""
        match seen:
            case ob.CameraLost():
                self._lost, self._told = seen, True
            case ob.CameraRecovered():
                self._lost, self._told = None, True

    def reset_for_game(self) -> None:
        """A game that may believe otherwise."""
        self._told = False

    def take_pending_report(self, *, blind: bool, sees: bool, now: Micros) -> ob.Observation | None:
        """What the game has yet to hear, once: it began without the camera, or goes on with one that is back.

        `blind`: the game believes that the camera is lost; `sees`: there is a picture.
        """
        if self._told or (self._lost is None and not sees):
            return None
        self._told = True
        if self._lost is not None:
            return None if blind else replace(self._lost, at=now)
        return ob.CameraRecovered(at=now) if blind else None
