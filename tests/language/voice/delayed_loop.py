"""A loop of loudspeaker, room and microphone that is made up, and people who tap to what they hear."""

from __future__ import annotations

from random import Random

import numpy as np

from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.language.voice.mixer import MIXER_DELAY
from companion.language.voice.sound_outputs import NullOutput
from companion.language.voice.sounds import RATE, Samples

DELAYS_MS = (0, 80, 250)


class Loop(NullOutput):
    """A loudspeaker that is so late, heard by a microphone whose chunks come late by chance."""

    def __init__(
        self, late: Micros, *, noise: float = 60.0, echo: float = 0.0, loudness: float = 0.2
    ) -> None:
        super().__init__()
        self.clock, self.chance = ManualClock(3 * SECOND), Random(5)
        self.noise = np.random.default_rng(5)
        self.level, self.echo, self.loudness = noise, echo, loudness
        self.late, self.begun, self.taken = late, self.clock.now(), 0
        self.room = np.zeros(40 * RATE)

    def play(self, samples: Samples, at: Micros) -> bool:
        for away, share in ((0, self.loudness), (SECOND // 60, self.echo)):
            first = round((at + MIXER_DELAY + self.late + away - self.begun) * RATE / SECOND)
            self.room[first : first + len(samples)] += share * samples
        return True

    def read(self) -> Samples:
        """Five milliseconds of the room; they come when they are over, and up to nine more later."""
        chunk = self.room[self.taken : self.taken + RATE // 200]
        self.taken += len(chunk)
        over = self.begun + round(self.taken * SECOND / RATE)
        self.clock.move_to(over + int(self.chance.expovariate(1 / 2_000)))
        noisy = chunk + self.noise.normal(0.0, self.level, len(chunk))
        heard: Samples = np.clip(noisy, -32768, 32767).astype(np.int16)
        return heard


def tap(beats: tuple[Micros, ...], late: Micros, *, jitter: Micros = 25_000, seed: int = 2) -> list[Micros]:
    """People who hear each beat so late, tap 30 ms before it, and not exactly; at first they search."""
    chance = Random(seed)
    searching = [beat + late + 300_000 * chance.random() for beat in beats[:2]]
    return [round(at) for at in searching] + [
        round(beat + MIXER_DELAY + late - 30_000 + chance.gauss(0, jitter / 2)) for beat in beats[2:]
    ]
