"""A person is walked through the sentences with a microphone, and a voice pack grows from it."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from companion.core.errors import CompanionError, InputError
from companion.core.plain import counted
from companion.ui.clips import RATE
from companion.ui.loudness import Wave
from companion.ui.takes import Wanted, cut, faults, missing, silent
from companion.ui.voice_pack import LIST, Contents, VoicePack, VoicePackError, decoded, keep, opened

LICENCE = "CC0-1.0"
"""What is proposed: that of our own clips."""
ORDERS = "Enter: keep it, p: play it, r: record it again, s: skip it, q: stop"
KEY_S = 0.1
"""At either end of a take: so long a key is heard that somebody pressed to start or stop."""
FAULTY = "Enter: record it again, k: keep it, p: play it, s: skip it, q: stop"


class Microphone(Protocol):
    """What records and plays; `hardware.microphone.AlsaMicrophone` is one."""

    def start(self, into: Path) -> None: ...

    def stop(self) -> None: ...

    def play(self, file: Path) -> None: ...


Ask = Callable[[str], str]
"""Asks at the terminal and gives the answer; `EOFError` where nobody answers any more."""
Say = Callable[[str], None]


def pack_in(folder: Path, ask: Ask, *, language: str | None, usual: str) -> VoicePack:
    """The voice pack in a folder, or a new one, whose speaker is asked for name and licence.

    `language`: the one it has to be in, else `InputError`; None: a new pack is in `usual`.
    """
    if (folder / LIST).exists():
        pack = opened(folder)
        if language not in {None, pack.contents.language}:
            raise InputError(
                f"{folder} is in {pack.contents.language!r}, not {language!r}; "
                "name another folder, or leave out --language."
            )
        return pack
    speaker = ask("Who speaks? Your name goes into the pack (Enter: nobody's): ").strip()
    licence = ask(f"Under which licence may others use it? (Enter: {LICENCE}): ").strip()
    return VoicePack(folder, Contents(language or usual, speaker[:80], (licence or LICENCE)[:200]))


class Walk:
    """Goes through what a pack lacks."""

    def __init__(self, pack: VoicePack, microphone: Microphone, ask: Ask, say: Say) -> None:
        self.pack = pack
        self._microphone, self._ask, self._say = microphone, ask, say

    def through(self, sentences: Sequence[Wanted]) -> None:
        """Until everything is recorded, or somebody stops."""
        lacking = missing(self.pack, sentences)
        done = len(sentences) - len(lacking)
        self._say(f"{done} of {counted(len(sentences), 'sentence')} recorded. Ctrl-C or q stops at any time.")
        try:
            with tempfile.TemporaryDirectory(prefix="companion-voice-") as scratch:
                self._each(lacking, done, len(sentences), Path(scratch) / "take.wav")
        except (EOFError, KeyboardInterrupt):
            self._say("")
        if not self.pack.contents.clips:
            self._say("Nothing was recorded.")
            return
        left = len(missing(self.pack, sentences))
        again = "" if not left else f" {left} to go: run the same command again."
        self._say(f"Saved in {self.pack.folder}.{again}")
        self._say(f'To use it: voice_pack = "{self.pack.folder.resolve()}" below [sound] in the settings.')

    def _each(self, lacking: Sequence[Wanted], done: int, whole: int, take: Path) -> None:
        try:
            for number, one in enumerate(lacking, done + 1):
                self._say("")
                self._say(f"{number} of {whole}:  {one.text}")
                if not self._one(one, take):
                    return
        finally:
            self._microphone.stop()

    def _one(self, one: Wanted, take: Path) -> bool:
        """Record one sentence until it is kept or skipped; False: somebody stops."""
        while True:
            if order := self._order("Enter: start, s: skip it, q: stop", "sq"):
                return order == "s"
            order = self._take(one, take)
            if order != "r":
                return order != "q"

    def _take(self, one: Wanted, take: Path) -> str:
        """Record once and have it judged: k, kept, or what is wanted instead: r, s, q."""
        samples, rate = self._recorded(take)
        wrong = list(faults(one, samples, rate))
        for fault in wrong:
            self._say(f"  {fault}.")
        if silent(samples):
            return "r"
        while True:
            order = self._order(FAULTY if wrong else ORDERS, "kprsq") or ("r" if wrong else "k")
            if order == "p":
                self._microphone.play(take)
            elif order != "k":
                return order
            else:
                return self._kept(one, samples, rate)

    def _recorded(self, take: Path) -> tuple[Wave, int]:
        """A take without the sound of the key that began and ended it; nothing, if that came too soon."""
        take.unlink(missing_ok=True)
        self._microphone.start(take)
        self._ask("Speak now. Enter: stop ")
        self._microphone.stop()
        try:
            samples, rate = decoded(take)
        except VoicePackError:
            return np.zeros(0), RATE
        edge = round(KEY_S * rate)
        return samples[edge:-edge], rate

    def _kept(self, one: Wanted, samples: Wave, rate: int) -> str:
        try:
            recording, spoken = cut(one, samples, rate)
        except CompanionError as trouble:
            self._say(f"  {trouble}")
            return "r"
        self.pack = keep(self.pack, one.name, recording, spoken, RATE)
        return "k"

    def _order(self, question: str, letters: str) -> str:
        """One of these letters, or nothing; of whatever else is asked again."""
        while True:
            order = self._ask(f"{question}  ").strip().lower()
            if not order or (len(order) == 1 and order in letters):
                return order
