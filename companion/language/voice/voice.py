"""The table's voice: a queue of sentences that never interrupts a count.

The voice knows when a sound ends from its length and the clock, never by asking the device; so the same game
is told the same way by a sound card, into a file, or by nobody at all.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import numpy as np

from companion.core.actions import SECOND, Cue, CueStarted, Micros
from companion.core.clock import Clock
from companion.core.view import Sentence, SoundEffect
from companion.language.language import Language
from companion.language.voice.mixer import SoundOutput
from companion.language.voice.sound_outputs import WavOutput
from companion.language.voice.sounds import (
    RATE,
    CountSound,
    Samples,
    VoiceSounds,
    cue_sentence,
    duration,
    find_effect,
)
from companion.language.voice.speech_synthesis import SpeechSynthesiser
from companion.language.voice.voice_pack import VoicePack

SLOW_FACTOR = 1.3
"""A slow sentence takes this many times as long."""
_FRAME = RATE // 25
_HOP = _FRAME // 2
_SEARCH = RATE // 100
_STRIDE = 8
"""Only every so-many-th sample is compared when the best continuation is looked for."""


def slow_down(samples: Samples) -> Samples:
    """The same sound (int16, `RATE` Hz), longer and as high: overlap-add (WSOLA, Verhelst 1993)."""
    if len(samples) < 2 * _FRAME + _SEARCH:
        return samples
    sound = samples.astype(np.float32)
    count = int((len(sound) - _FRAME - _SEARCH) * SLOW_FACTOR / _HOP)
    laid = np.zeros(count * _HOP + _FRAME, dtype=np.float32)
    # Halves of neighbouring windows add up to one.
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_FRAME, dtype=np.float32) / _FRAME)
    taken = 0
    for frame in range(count):
        if frame:
            near = int(frame * _HOP / SLOW_FACTOR)
            low = max(0, near - _SEARCH)
            onward = sound[taken + _HOP : taken + _FRAME : _STRIDE]
            around = sound[low : min(len(sound), near + _SEARCH + _HOP) : _STRIDE]
            taken = low + _STRIDE * int(np.argmax(np.correlate(around, onward, "valid")))
            taken = min(taken, len(sound) - _FRAME)
        laid[frame * _HOP : frame * _HOP + _FRAME] += window * sound[taken : taken + _FRAME]
    paced: Samples = np.clip(laid, -32768, 32767).astype(np.int16)
    return paced


__all__ = ["Voice", "WavOutput"]

MILLI: Micros = 1_000
Verbosity = Literal["little", "normal", "all"]
"""How much of what happens is said; the screen shows all of it."""
LONGEST_QUEUE = 8
"""Beyond this, chatter is dropped: a round's end, who leads, and the scores of six are said whole."""
STALE_AFTER: Micros = 15 * SECOND
"""Chatter that waited so long is news no more."""
LONGEST_WAIT: Micros = 4 * SECOND
"""Unless all is said, a ruling that waited so long is left to the screen, urgent or not."""
SYNTHESIS_TIMEOUT: Micros = 3 * SECOND
"""espeak-ng gets no longer than this for one sentence."""
PAUSE: Micros = SECOND // 8
"""Between two sentences."""
TURN = "shared.nudge"
"""Says whose turn it is."""
SHORT_TURN: Micros = 10 * SECOND
"""Attention stays with a thing for about so long (Nielsen 1993): after a shorter turn the lamps will do."""
READING_TIME: Micros = SECOND // 16
"""How long a sentence that is only shown takes per letter, as a caption; and a second more."""
URGENT = (".rule.", ".repair.", "shared.", "lesson.")
"""What is said before other things in every game, and never dropped."""


REPLACED_KINDS = ("lesson.", "spoken.")
"""What a lesson says, and what is read aloud: once one goes on, the rest of it is dropped."""


class QueuedSentence:
    """A sentence in the queue."""

    __slots__ = ("patience", "sentence", "since", "sounds", "urgent")

    def __init__(
        self,
        sentence: Sentence,
        since: Micros,
        *,
        urgent: bool,
        brief: bool = False,
        sounds: VoiceSounds | None = None,
    ) -> None:
        """`brief`: it is left to the screen after `LONGEST_WAIT`; `sounds`: of another voice."""
        self.sounds = sounds
        self.sentence = sentence
        self.since = since
        self.urgent = urgent or is_always_urgent(sentence)
        self.patience: Micros | None = LONGEST_WAIT if brief else None if self.urgent else STALE_AFTER

    def is_news(self, now: Micros) -> bool:
        """Whether it is still worth saying. What the game before left unsaid lies ahead."""
        waited = now - self.since
        return waited >= 0 and (self.patience is None or waited < self.patience)


def is_always_urgent(sentence: Sentence) -> bool:
    """Whether it is urgent in every game."""
    return any(mark in sentence.key for mark in URGENT)


class Voice:
    """What the table hears, and its caption."""

    def __init__(
        self,
        language: Language,
        clock: Clock,
        output: SoundOutput,
        free: SpeechSynthesiser | None = None,
        *,
        slow: bool = False,
        verbosity: Verbosity = "normal",
        pack: VoicePack | None = None,
        events: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`free`: for sentences without a clip; None where the result must not depend on a program.

        `pack`, `events`: as `VoiceSounds` has them.
        """
        self._clock = clock
        self._output = output
        self._free = free
        self._pack, self._events = pack, events
        self._sounds = VoiceSounds(language, pack=pack, events=events)
        self._slow = slow
        self._verbosity: Verbosity = verbosity
        self._queue: list[QueuedSentence] = []
        self._cue: Cue | None = None
        """Asked for, not begun yet."""
        self._awake_at: Micros | None = None
        """When the loudspeaker is awake for it."""
        self._current: Sentence | None = None
        self._began_at: Micros = 0
        self._busy_until: Micros = 0
        """From when to when it speaks. Game time starts again with each game: then both lie ahead."""
        self._turn_since: Micros | None = None
        self._counting = False
        """What sounds now is a count: it is not cut short by sentences."""
        self._synthesis: Micros | None = None
        """Since when espeak-ng has been at the sentence that comes next."""

    @property
    def available(self) -> bool:
        return self._output.available

    @property
    def count_finished(self) -> bool:
        """Whether the count that was begun last has sounded to its end, or nothing is heard."""
        return self._output.mark_reached

    @property
    def caption(self) -> Sentence | None:
        """The sentence being said."""
        return self._current if self._is_busy(self._clock.now()) or self._synthesis is not None else None

    @property
    def silence_reason(self) -> str:
        """Why nothing is heard; empty while something is."""
        return self._output.silence_reason

    def set_volume(self, volume: int, *, mute: bool = False) -> None:
        """0..100, also in the middle of a sentence."""
        self._output.set_volume(volume, mute=mute)

    def use_device(self, name: str) -> None:
        """Be heard from another output, as `sound.device` names it, from now on."""
        self._fall_silent()
        self._output.use_device(name)

    def set_pace(self, *, slow: bool) -> None:
        """From the next sentence on; the count keeps its beats."""
        self._slow = slow

    def set_verbosity(self, verbosity: Verbosity) -> None:
        """From the next ruling on; the count is always told."""
        self._verbosity = verbosity

    def handle_device_loss(self, reason: str = "the sound card was taken out") -> None:
        """SDL said AUDIODEVICEREMOVED; the card is tried again while the game goes on."""
        self._output.mark_lost(reason, self._clock.now())

    def set_pack(self, pack: VoicePack | None) -> None:
        """Go on in another voice, from the next sentence on; None: the built clips."""
        self._pack = pack
        self.set_language(self._sounds.language)

    def set_language(self, language: Language) -> None:
        """Go on in another language, from the next sentence on."""
        self._sounds = VoiceSounds(language, pack=self._pack, events=self._events)

    def announce(
        self, sentences: Sequence[Sentence], urgent: Collection[str] = (), quiet: Collection[str] = ()
    ) -> None:
        """Tell a ruling, as much of it as is wanted: `little` is what is urgent, `normal` all but `quiet`.

        `urgent`, `quiet`: keys, and beginnings of keys. Unless all is wanted, what still waits of rulings
        before is old by now and is left out: chatter by any ruling, what is urgent in this game by another
        that is. So the voice is never two rulings late, and nothing waits for longer than `LONGEST_WAIT`,
        except for what is urgent in the same ruling. Of two turns in one ruling the second is told, none
        where `little` is wanted, and at `normal` none after a short one, unless it answers a broken rule.
        """
        brief, now, since = self._verbosity != "all", self._clock.now(), self._turn_since
        turns = [place for place, sentence in enumerate(sentences) if sentence.key == TURN]
        if turns:
            self._turn_since = now
            is_short = since is not None and 0 <= now - since < SHORT_TURN
            answers = any(is_always_urgent(sentence) for sentence in sentences if sentence.key != TURN)
            silent = self._verbosity == "little" or (brief and is_short and not answers)
            sentences = [
                sentence
                for place, sentence in enumerate(sentences)
                if sentence.key != TURN or (place == turns[-1] and not silent)
            ]
        if brief:
            sentences = [
                sentence
                for sentence in sentences
                if is_always_urgent(sentence)
                or sentence.key.startswith(tuple(urgent))
                or (self._verbosity == "normal" and not sentence.key.startswith(tuple(quiet)))
            ]
            spoken = [sentence for sentence in sentences if self._sounds.is_spoken(sentence)]
            if any(sentence.key.startswith(tuple(urgent)) for sentence in spoken):
                self._queue = [waiting for waiting in self._queue if is_always_urgent(waiting.sentence)]
            elif spoken:
                self._queue = [waiting for waiting in self._queue if waiting.urgent]
        self.say(sentences, urgent, brief=brief)

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = (), *, brief: bool = False) -> None:
        """Tell these, in order, when there is silence; the urgent ones first.

        `first`: keys, and beginnings of keys, of what is urgent in this game; `brief`: what waits for
        `LONGEST_WAIT` is left to the screen.
        """
        now = self._clock.now()
        new = [
            QueuedSentence(sentence, now, urgent=sentence.key.startswith(tuple(first)), brief=brief)
            for sentence in sentences
            if self._sounds.is_spoken(sentence)
        ]
        for kind in REPLACED_KINDS:
            if any(waiting.sentence.key.startswith(kind) for waiting in new):
                self._queue = [w for w in self._queue if not w.sentence.key.startswith(kind)]
                if self._current is not None and self._current.key.startswith(kind):
                    self._fall_silent()
        urgent = [waiting for waiting in self._queue if waiting.urgent]
        others = [waiting for waiting in self._queue if not waiting.urgent]
        urgent += [waiting for waiting in new if waiting.urgent]
        others += [waiting for waiting in new if not waiting.urgent]
        room = max(0, LONGEST_QUEUE - len(urgent))
        self._queue = [*urgent, *(others[-room:] if room else [])]

    def compare(self, sentence: Sentence, packs: Iterable[VoicePack | None]) -> None:
        """Say a sentence in each of these voices, beginning now; None: the built clips."""
        now, language = self._clock.now(), self._sounds.language
        self._fall_silent()
        voices = [VoiceSounds(language, pack=pack, events=self._events) for pack in packs]
        self._queue = [QueuedSentence(sentence, now, urgent=True, sounds=voice) for voice in voices]

    def play_cue(self, cue: Cue) -> None:
        """Announce and count, now: the window waits for it. Chatter is cut short and forgotten."""
        self._cue, self._awake_at = cue, None
        self._queue = [w for w in self._queue if w.urgent and not w.sentence.key.startswith("shared.")]

    def play_effect(self, name: SoundEffect) -> None:
        """What was ruled sounds like this, now or never: beside speech, but not in a count or before one."""
        if self._cue is None and not (self._counting and self._is_busy(self._clock.now())):
            samples = find_effect(self._sounds, name)
            if len(samples):
                self._output.play_beside(samples, self._clock.now())

    def stop_cue(self) -> None:
        """The count is void: silence at once."""
        self._cue = None
        if self._counting:
            self._fall_silent()

    def poll(self, now: Micros) -> tuple[CueStarted, ...]:
        """Whatever is due; says which cue began, and when its first beat is heard."""
        self._output.poll(now)
        if self._cue is not None:
            if self._awake_at is None:
                self._awake_at = now + self._output.wake(now)
            return self._begin_cue(self._cue) if now >= self._awake_at else ()
        self._speak_next()
        return ()

    def close(self) -> None:
        """Nothing is said any more."""
        self._fall_silent()
        self._queue.clear()
        if self._free is not None:
            self._free.close()

    def _begin_cue(self, cue: Cue) -> tuple[CueStarted, ...]:
        self._fall_silent()
        self._cue = None
        mixed = self._sounds.build_count(cue) if self._output.available else None
        if mixed is not None:  # before the sound: rather a mark that is early than one that is late
            over = mixed.lead_in + cue.beats * SECOND
            self._output.mark(round(over * RATE / SECOND), self._clock.now())
        if mixed is None or not self._begin(mixed.samples, cue_sentence(cue)):
            self._show(cue_sentence(cue))
            return ()
        self._counting = True
        return (self._start_report(cue, mixed),)

    def _start_report(self, cue: Cue, mixed: CountSound) -> CueStarted:
        begun = self._busy_until - duration(mixed.samples) - PAUSE
        return CueStarted(cue, begun + self._output.delay + mixed.lead_in)

    def _speak_next(self) -> None:
        """The next sentence, when the one before it is over."""
        now = self._clock.now()
        if self._is_busy(now):
            return
        self._counting = False
        if self._synthesis is not None:
            self._await_synthesis(now)
            return
        self._queue = [waiting for waiting in self._queue if waiting.is_news(now)]
        if not self._queue:
            self._current = None
            return
        if waking := self._output.wake(now):
            self._began_at, self._busy_until = now, now + waking
            return
        waiting = self._queue.pop(0)
        sentence, sounds = waiting.sentence, waiting.sounds or self._sounds
        samples = sounds.find_samples(sentence) if self._output.available else None
        if samples is not None and self._begin(self._apply_pace(samples), sentence):
            self._let_wait_for(waiting)
            return
        if self._output.available and self._free is not None:
            language = self._sounds.sounds_for(sentence).language
            if self._free.start(language.code, language.speech_text(sentence)):
                self._current, self._synthesis = sentence, now
                return
        self._show(sentence)

    def _let_wait_for(self, said: QueuedSentence) -> None:
        """What is urgent in the same ruling is not late because of what is said now."""
        for other in self._queue:
            if other.urgent and other.since == said.since and other.patience is not None:
                other.patience += self._busy_until - self._began_at

    def _await_synthesis(self, now: Micros) -> None:
        assert self._free is not None
        assert self._current is not None
        assert self._synthesis is not None
        spoken = self._free.poll_speech()
        if spoken is True and now - self._synthesis < SYNTHESIS_TIMEOUT:
            return
        self._free.stop()
        self._synthesis = None
        if isinstance(spoken, bool) or not self._begin(self._apply_pace(spoken), self._current):
            self._show(self._current)

    def _apply_pace(self, samples: Samples) -> Samples:
        return slow_down(samples) if self._slow else samples

    def _begin(self, samples: Samples, sentence: Sentence | None) -> bool:
        """Sound, from this very moment on."""
        now = self._clock.now()
        if not self._output.play(samples, now):
            return False
        self._current = sentence
        self._began_at, self._busy_until = now, now + duration(samples) + PAUSE
        return True

    def _show(self, sentence: Sentence | None) -> None:
        """A caption for as long as it takes to read it."""
        self._current = sentence
        letters = 0 if sentence is None else len(self._sounds.language.speech_text(sentence))
        self._began_at = self._clock.now()
        self._busy_until = (
            self._began_at + SECOND + round(letters * READING_TIME * (SLOW_FACTOR if self._slow else 1))
        )

    def _fall_silent(self) -> None:
        now = self._clock.now()
        if self._free is not None:
            self._free.stop()
        self._synthesis, self._counting, self._current = None, False, None
        self._output.stop(now)
        self._began_at = self._busy_until = now

    def _is_busy(self, now: Micros) -> bool:
        return self._began_at <= now < self._busy_until
