"""What all parts of one program share: clock, inbox, voice, languages."""

from collections.abc import Callable

from companion.core.clock import Clock
from companion.core.observations import ShutdownRequested
from companion.language.language import Language
from companion.language.voice.voice import Voice
from companion.referee.loop import Inbox
from companion.settings.model import SoundSettings
from companion.system.fault_isolation import FaultIsolation


class Runtime:
    """Made before anything else; a guest at a table gets the table's own."""

    def __init__(
        self,
        clock: Clock,
        inbox: Inbox,
        voice: Voice,
        *,
        words: Callable[[str], Language] = Language,
        sound: SoundSettings | None = None,
        parts: FaultIsolation | None = None,
    ) -> None:
        """`words` makes a language of its code, in the table's colours; the voice begins with `sound`."""
        self.clock = clock
        self.inbox = inbox
        self.voice = voice
        self.words = words
        self.parts = parts or FaultIsolation()
        chosen = sound or SoundSettings()
        self._volume, self._mute = chosen.volume, chosen.mute

    def wake_loop(self) -> None:
        """Have the loop look round; any thread may say so."""
        self.inbox.put(None)

    def request_stop(self) -> None:
        """Have the program end in order; any thread, and a signal, may say so."""
        self.inbox.put(ShutdownRequested(at=self.clock.now()))

    def change_setting(self, setting: str, value: str | float | bool) -> None:  # noqa: FBT001 (a setting's value)
        """A setting was changed on the screen: the voice follows at once (volume in per cent)."""
        match setting:
            case "volume":
                self._volume = int(value)
            case "mute":
                self._mute = bool(value)
            case "slow":
                self.voice.set_pace(slow=bool(value))
            case "language":
                self.voice.set_language(self.words(str(value)))
        self.voice.set_volume(self._volume, mute=self._mute)
