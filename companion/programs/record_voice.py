"""Records a voice pack: leads a speaker through its sentences."""

import tempfile
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np

from companion.core.errors import CompanionError, InputError
from companion.language.voice.clips import RATE, Wave
from companion.language.voice.voice_pack import (
    INDEX_FILE,
    PackIndex,
    PackSentence,
    VoicePack,
    VoicePackError,
    add_recording,
    decode_recording,
    is_silent,
    missing_sentences,
    open_pack,
    recording_faults,
    trim_take,
)
from companion.system.terminal import count_with_noun

LICENCE = "CC0-1.0"
"""What is proposed: that of our own clips."""
ORDERS = "Enter: keep it, p: play it, r: record it again, s: skip it, q: stop"
KEY_S = 0.1
"""At either end of a take: so long a key is heard that somebody pressed to start or stop."""
FAULTY_TAKE_ORDERS = "Enter: record it again, k: keep it, p: play it, s: skip it, q: stop"


class Order(StrEnum):
    """What the speaker types; `ENTER` goes on as the question says."""

    ENTER, KEEP, PLAY, AGAIN, SKIP, STOP = "", "k", "p", "r", "s", "q"


class Microphone(Protocol):
    """What records and plays; `hardware.microphone.AlsaMicrophone` is one."""

    def start_recording(self, into: Path) -> None: ...

    def stop_recording(self) -> None: ...

    def play_file(self, file: Path) -> None: ...


Ask = Callable[[str], str]
"""Asks at the terminal and gives the answer; `EOFError` where nobody answers any more."""
Say = Callable[[str], None]


def open_or_create_pack(folder: Path, ask: Ask, *, language: str | None, usual: str) -> VoicePack:
    """The voice pack in a folder, or a new one, whose speaker is asked for name and licence.

    `language`: the one it has to be in, else `InputError`; None: a new pack is in `usual`.
    """
    if (folder / INDEX_FILE).exists():
        pack = open_pack(folder)
        if language not in {None, pack.contents.language}:
            raise InputError(
                f"{folder} is in {pack.contents.language!r}, not {language!r}; "
                "name another folder, or leave out --language."
            )
        return pack
    speaker = ask("Who speaks? Your name goes into the pack (Enter: nobody's): ").strip()
    licence = ask(f"Under which licence may others use it? (Enter: {LICENCE}): ").strip()
    return VoicePack(folder, PackIndex(language or usual, speaker[:80], (licence or LICENCE)[:200]))


class RecordingSession:
    """Goes through what a pack lacks."""

    def __init__(self, pack: VoicePack, microphone: Microphone, ask: Ask, say: Say) -> None:
        self.pack = pack
        self._microphone, self._ask, self._say = microphone, ask, say

    def record_all(self, sentences: Sequence[PackSentence]) -> None:
        """Until everything is recorded, or somebody stops."""
        lacking = missing_sentences(self.pack, sentences)
        done = len(sentences) - len(lacking)
        whole = count_with_noun(len(sentences), "sentence")
        self._say(f"{done} of {whole} recorded. Ctrl-C or q stops at any time.")
        try:
            with tempfile.TemporaryDirectory(prefix="companion-voice-") as scratch:
                self._record_each(lacking, done, len(sentences), Path(scratch) / "take.wav")
        except (EOFError, KeyboardInterrupt):
            self._say("")
        if not self.pack.contents.clips:
            self._say("Nothing was recorded.")
            return
        left = len(missing_sentences(self.pack, sentences))
        again = "" if not left else f" {left} to go: run the same command again."
        self._say(f"Saved in {self.pack.folder}.{again}")
        self._say(f'To use it: voice_pack = "{self.pack.folder.resolve()}" below [sound] in the settings.')

    def _record_each(self, lacking: Sequence[PackSentence], done: int, whole: int, take: Path) -> None:
        try:
            for number, one in enumerate(lacking, done + 1):
                self._say("")
                self._say(f"{number} of {whole}:  {one.text}")
                if not self._record_one(one, take):
                    return
        finally:
            self._microphone.stop_recording()

    def _record_one(self, one: PackSentence, take: Path) -> bool:
        """Record one sentence until it is kept or skipped; False: somebody stops."""
        while True:
            order = self._ask_order("Enter: start, s: skip it, q: stop", Order.ENTER, Order.SKIP, Order.STOP)
            if order is Order.ENTER:
                order = self._record_take(one, take)
            if order is not Order.AGAIN:
                return order is not Order.STOP

    def _record_take(self, one: PackSentence, take: Path) -> Order:
        """Record once and have it judged: `KEEP`, it is kept, or what is wanted: `AGAIN`, `SKIP`, `STOP`."""
        samples, rate = self._capture_take(take)
        wrong = list(recording_faults(one, samples, rate))
        for fault in wrong:
            self._say(f"  {fault}.")
        if is_silent(samples):
            return Order.AGAIN
        while True:
            order = self._ask_order(FAULTY_TAKE_ORDERS if wrong else ORDERS, *Order)
            if order is Order.ENTER:
                order = Order.AGAIN if wrong else Order.KEEP
            if order is Order.KEEP:
                return self._save_take(one, samples, rate)
            if order is not Order.PLAY:
                return order
            self._microphone.play_file(take)

    def _capture_take(self, take: Path) -> tuple[Wave, int]:
        """A take without the sound of the key that began and ended it; nothing, if that came too soon."""
        take.unlink(missing_ok=True)
        self._microphone.start_recording(take)
        self._ask("Speak now. Enter: stop ")
        self._microphone.stop_recording()
        try:
            samples, rate = decode_recording(take)
        except VoicePackError:
            return np.zeros(0), RATE
        edge = round(KEY_S * rate)
        return samples[edge:-edge], rate

    def _save_take(self, one: PackSentence, samples: Wave, rate: int) -> Order:
        try:
            recording, spoken = trim_take(one, samples, rate)
        except CompanionError as trouble:
            self._say(f"  {trouble}")
            return Order.AGAIN
        self.pack = add_recording(self.pack, one.name, recording, spoken, RATE)
        return Order.KEEP

    def _ask_order(self, question: str, *allowed: Order) -> Order:
        """One of these; whatever else is typed, it is asked again."""
        while True:
            typed = self._ask(f"{question}  ").strip().lower()
            if typed in allowed:
                return Order(typed)
