"""A voice that only keeps what it was asked to say."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from companion.core.actions import Cue, CueStarted, Micros
from companion.core.view import Sentence, SoundEffect


class SilentVoice:
    """Has no sound card."""

    available = False
    count_finished = True
    caption: Sentence | None = None

    def __init__(self) -> None:
        self.said: list[Sentence] = []
        self.cues: list[Cue] = []

    def announce(
        self, sentences: Sequence[Sentence], urgent: Collection[str] = (), quiet: Collection[str] = ()
    ) -> None:
        self.say(sentences, urgent)

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None:
        self.said.extend(sentences)

    def play_effect(self, name: SoundEffect) -> None:
        pass

    def play_cue(self, cue: Cue) -> None:
        self.cues.append(cue)

    def stop_cue(self) -> None:
        pass

    def poll(self, now: Micros) -> tuple[CueStarted, ...]:
        return ()
