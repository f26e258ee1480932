"""Plays five sentences of each installed voice of a language, and asks which one shall stay."""

from collections.abc import Callable

import numpy as np

from companion.core.actions import SECOND
from companion.core.clock import Clock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice.installed_voices import InstalledVoice, packs_folder
from companion.language.voice.mixer import WAKE_TIME, SoundOutput
from companion.language.voice.sounds import RATE, Samples, VoiceSounds

Ask = Callable[[str], str]
"""Asks at the terminal and gives the answer; `EOFError` where nobody answers any more."""
Say = Callable[[str], None]
SENTENCES = (
    Sentence("setup.ready"),
    Sentence("shared.storage.lost"),
    Sentence("standing.leads", (("chair", 1),)),
    Sentence("shared.friendly"),
    Sentence("shared.enrol.turn"),
)
"""An instruction, something that went wrong, a result, a longer sentence, two short ones."""
PAUSE_S = 0.5


def sample(language: Language, voice: InstalledVoice) -> Samples:
    """Its five sentences (int16, `RATE` Hz), after a silence in which a loudspeaker may wake.

    What a pack lacks is said by the built clips, as in a game.
    """
    sounds, pause = VoiceSounds(language, pack=voice.pack), np.zeros(round(PAUSE_S * RATE), np.int16)
    parts = [np.zeros(RATE * WAKE_TIME // SECOND, np.int16)]
    for sentence in SENTENCES:
        said = sounds.find_samples(sentence)
        parts += [] if said is None else [said, pause]
    return np.concatenate(parts)


def try_voices(  # noqa: PLR0917
    language: Language, voices: list[InstalledVoice], output: SoundOutput, clock: Clock, ask: Ask, say: Say
) -> InstalledVoice | None:
    """Play each and ask; the voice that was chosen, None: nothing is to change."""
    for number, voice in enumerate(voices, 1):
        answer = "r"
        while answer == "r":
            output.play(sample(language, voice), clock.now())
            answer = ask(f"{number}. {voice.name} (Enter: go on, r: again) ").strip().lower()
    output.stop(clock.now())
    if len(voices) == 1:
        say("It is the only one here in this language. To add one: companion voice record, or put a pack")
        say(f"into {packs_folder()}.")
        return None
    answer = ask(f"Which one shall the table use? (1 to {len(voices)}, Enter: as it was) ").strip()
    chosen = int(answer) if answer.isdecimal() else 0
    return voices[chosen - 1] if 1 <= chosen <= len(voices) else None
