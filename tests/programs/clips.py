"""Builds the clips from the catalogues: what is missing, or is said otherwise by now (`make clips`).

By the engines of `speech_engines.py`, a process for each core; none is needed to play. It can be stopped, and
goes on where it was. A file that somebody else recorded is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import cache
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import numpy as np
import soundfile
from babel.messages.pofile import read_po

from companion.core.actions import PALETTE
from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.language import installed_languages
from companion.language.language import ADDRESSING, SPOKEN, Language, is_chair_part, part_names
from companion.language.voice.clips import (
    BEAT_PREFIX,
    LOUDNESS,
    PEAK,
    RATE,
    Clip,
    ClipIndex,
    builtin_clip_folder,
    measure_lead_in,
    measure_loudness,
    read_index,
    resample,
    trim_speech,
)
from companion.language.voice.voice_pack import (
    INDEX_FILE,
    PackIndex,
    VoicePack,
    add_recording,
    missing_sentences,
    open_pack,
    packs_folder,
    sentences_to_record,
    trim_take,
)
from companion.programs.sound_check import SENTENCES
from companion.system import asset_paths
from companion.system.safe_files import atomic_write
from tests.language.voice.ogg import rewrite
from tests.programs.speech_engines import SpeechEngine, load_engine, second_voice_names

RECIPE = 4
"""Counted up when the way of building changes: everything is built afresh."""
PASSES, MOST_PASSES, WITHIN_LU = 2, 10, 0.25
"""How often a clip is heard and mended, and until when: Opus takes up to 1.7 LU from a short word."""
ANNOUNCEMENT = "announcement"
"""The remark on an entry that opens a count, in the catalogue."""
VALUES: Mapping[str, Sequence[str | int]] = MappingProxyType(
    {
        "chair": range(len(PALETTE)),
        "number": range(1, 17),
        "slot": range(1, 17),
        "what": range(1, 17),
        "where": range(1, 17),
        "place": range(1, 5),
        "stack": range(1, 5),
        "count": range(5),
        "total": range(1, 31),
        "score": range(61),
        "trick": range(1, 14),
        "tricks": range(1, 14),
        "rank": range(2, 11),
        "level": range(1, 11),
        "label": tuple(f"{low}-{low + 1}" for low in range(1, 17, 2)),
    }
)
"""What the one part of a spoken sentence can be; one that names a chair can be any chair."""
VALUES_OF_KEY: Mapping[str, Sequence[int]] = MappingProxyType(
    {
        "liars_dice.BidMade": range(1, 11),
        "roses.NumberBid": range(1, 11),
        "in_order.NumberLaid": range(1, 61),
        "lesson.plain": range(1, 17),
    }
)
"""The same of some keys, by how they begin: higher bids are spoken live, or shown."""
NEVER_SPOKEN = frozenset({"do", "hint", "line", "option", "back", "sheet"})
"""Second words of keys that are for the screen."""
LESSON, WHY = "lesson.", "why"
"""How keys of lessons begin, and the second word of what answers *Why?*: both explain, in long sentences."""
EXPLANATION_COMPRESSION = 0.95
"""libsndfile's level for clips that explain, which are many, and for second voices: 19 kbit/s."""
SCREENS = ("ui.", "doctor.", "spoken.", "desk.")


class Plan(NamedTuple):
    """What there is to say."""

    said: Mapping[str, str]
    """Every clip by name, with its sentence."""
    screen_only: tuple[str, ...]
    """Keys that are for the screen alone."""
    announcing: frozenset[str] = frozenset()
    """The clips that open a count."""


def planned(code: str, source: Path | None = None) -> Plan:
    """What a language's catalogue wants said."""
    language = Language(code)
    said: dict[str, str] = {}
    shown: list[str] = []
    announcing: set[str] = set()
    entries = [*messages(source or installed_languages.find_language(code).folder.parent, code)]
    keys = {key for key, _, _ in entries}
    for key, template, comments in entries:
        if explains(key):
            # With a number in it, it is said live; of lessons all is said, wherever it stands.
            names_a_chair = part_names(template) == ("chair",) and "screen only" not in comments
            if names_a_chair or key in VALUES_OF_KEY:
                said.update(_sentences(language, key, template))
            elif part_names(template) or not (key.startswith(LESSON) or "screen only" not in comments):
                shown.append(key)
            else:
                said[key] = language.speech_text(Sentence(key))
        elif "screen only" in comments:
            shown.append(key)
        elif _is_spoken(key) and (key.endswith(SPOKEN) or key + SPOKEN not in keys):
            found = dict(_sentences(language, key, template))
            said.update(found)
            announcing.update(found if ANNOUNCEMENT in comments else ())
    return Plan(said, tuple(shown), frozenset(announcing))


def messages(locale: Path, code: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """A catalogue's entries: key, sentence (of one with a plural the first form), remarks."""
    with (locale / code / "LC_MESSAGES" / "companion.po").open("rb") as text:
        for message in read_po(text):
            if message.id:
                key, template = (
                    one if isinstance(one, str) else one[0] for one in (message.id, message.string)
                )
                yield key, template, tuple(message.auto_comments)


def explains(key: str) -> bool:
    """Whether a sentence is of a lesson or answers *Why?*."""
    return key.startswith(LESSON) or (WHY in key.split(".")[1:2] and not key.startswith(SCREENS))


def _is_spoken(key: str) -> bool:
    words = key.split(".")
    return not key.startswith(SCREENS) and words[1] not in NEVER_SPOKEN and "hidden" not in words


def _sentences(language: Language, key: str, template: str) -> Iterator[tuple[str, str]]:
    """The clips of one entry: one, or one per value of its part."""
    parts = part_names(template.removeprefix(ADDRESSING))
    plain = key.removesuffix(SPOKEN)
    if len(parts) > 1 or (parts == ("chair",) and template.startswith(ADDRESSING)):
        raise CompanionError(
            f"{key} is spoken and has {len(parts)} parts; write {plain}.spoken with one at most, "
            "besides the address."
        )
    if not parts:
        yield plain, language.speech_text(Sentence(plain))
        return
    own = next((values for begins, values in VALUES_OF_KEY.items() if key.startswith(begins)), None)
    for value in own or VALUES["chair" if is_chair_part(parts[0]) else parts[0]]:
        sentence = Sentence(plain, ((parts[0], value),))
        yield language.clip_name(sentence), language.speech_text(aloud(language, sentence))


def aloud(language: Language, sentence: Sentence) -> Sentence:
    """A sentence with its parts as they are spoken: labels are two numbers, not a subtraction."""
    told = []
    for name, value in sentence.parts:
        if name == "label":
            low, high = str(value).split("-")
            told.append((name, language.tr("spoken.label", low=low, high=high)))
        else:
            told.append((name, value))
    return Sentence(sentence.key, tuple(told))


# Building -------------------------------------------------------------------------------------------------


class Progress(NamedTuple):
    """Something was done."""

    line: str
    left: int | None = None
    """After a clip: so many are still to be built."""


class Task(NamedTuple):
    """One clip to be built."""

    code: str
    name: str
    text: str
    file: Path
    opens: bool
    """It announces a count."""
    voice: str = ""
    """A second one of the language."""


def build(
    code: str,
    where: Path,
    plan: Plan,
    engine: SpeechEngine,
    *,
    voice: str = "",
    afresh: bool = False,
    workers: int = 1,
) -> Iterator[Progress]:
    """Bring the folder of a language, or of its second `voice`, up to date."""
    said, shown, announcing = plan
    old = read_index(where)
    where.mkdir(parents=True, exist_ok=True)
    clips = {name: clip for name, clip in old.clips.items() if name in said}
    first: dict[str, str] = {}
    tasks: list[Task] = []
    for name, text in sorted(said.items(), key=lambda one: (explains(one[0]), one)):  # games first
        file, before = where / f"{name}.ogg", old.clips.get(name)
        own = file.exists() and (before is None or digest(file) != before.built)
        like = (
            "" if own or name in announcing or name.startswith(BEAT_PREFIX) else first.setdefault(text, name)
        )
        if like not in {"", name}:
            clips[name] = Clip(text, "", like=like)
            file.unlink(missing_ok=True)
        elif own:
            clips[name] = recorded(name, text, file, before, opens=name in announcing)
            if before is not None and before.text != text:
                yield Progress(f"{code}: {name} was recorded as {before.text!r}; it should say {text!r} now")
        else:
            task = Task(code, name, text, file, opens=name in announcing, voice=voice)
            if afresh or not file.exists() or not is_current(engine, task, before, old.recipe):
                tasks.append(task)

    def write_index() -> None:
        index = ClipIndex(RECIPE, shown, dict(sorted(clips.items())), speaker_name(voice))
        with atomic_write(where / "index.json") as listed:
            listed.write(msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")

    try:
        yield from _cleared(code, where, said, old)  # first: what the index forgets passes for a recording
        for done, (task, clip) in enumerate(speak_all(engine, tasks, workers), 1):
            clips[task.name] = clip
            write_index()  # however the build ends: a file without its entry would pass for a recording
            yield Progress(f"{code}: {task.name}", len(tasks) - done)
    finally:
        write_index()


def is_current(engine: SpeechEngine, task: Task, before: Clip | None, recipe: int) -> bool:
    """Whether a built file says what it should, as it should."""
    return (
        before is not None
        and before.text == task.text
        and recipe == RECIPE
        and before.spoken == engine.recipe(task.name, task.text, opens=task.opens)
    )


def speak_all(engine: SpeechEngine, tasks: Sequence[Task], workers: int) -> Iterator[tuple[Task, Clip]]:
    """Build them, here or in `workers` processes that load an engine each; each as soon as it is done."""
    if workers == 1:
        for task in tasks:
            yield task, speak(engine, task)
        return
    # Begun anew, not forked: a copy of a process that has an engine's threads waits for them for ever.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        running: dict[Future[Clip], Task] = {pool.submit(_speak_alone, task): task for task in tasks}
        try:
            while running:
                for one in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(one), one.result()
        finally:  # stopped: what is being spoken is finished and listed, the rest is left for the next time
            pool.shutdown(cancel_futures=True)


_own_engine = cache(load_engine)
"""Of a process that speaks alone: its model is loaded once."""


def _speak_alone(task: Task) -> Clip:
    return speak(_own_engine(task.code, task.voice), task)


def _cleared(code: str, where: Path, said: Mapping[str, str], old: ClipIndex) -> Iterator[Progress]:
    """Remove what was built and is not said any more."""
    for file in sorted(where.glob("*.ogg")):
        if file.stem not in said:
            ours = file.stem in old.clips and digest(file) == old.clips[file.stem].built
            if ours:
                file.unlink()
            yield Progress(
                f"{code}: {file.stem} is not said any more" + ("" if ours else "; kept, it was recorded")
            )


def speaker_name(voice: str) -> str:
    """How people choose one of Kokoro's voices; of none nothing."""
    return f"{voice.partition('_')[2].title()} (Kokoro)" if voice else ""


def second_voice_plan(plan: Plan) -> Plan:
    """What a second voice says: games, and nothing that explains, which the first one says."""
    said = {name: text for name, text in plan.said.items() if not explains(name)}
    return Plan(said, (), plan.announcing)


def build_pack(code: str, voice: str, engine: SpeechEngine, folder: Path) -> Iterator[Progress]:
    """Build another voice of a language as a voice pack.

    First what `companion voice try` says, then what matters most.

    It can be stopped at any time: what is built is heard, the built clips say the rest. Raises
    `VoicePackError`.
    """
    if (folder / INDEX_FILE).exists():
        pack = open_pack(folder)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        speaker = speaker_name(voice)
        licence = "CC-BY-4.0, after the SIWIS corpus" if voice == "ff_siwis" else "CC0-1.0"
        pack = VoicePack(folder, PackIndex(code, speaker, licence))
    tried = [Language(code).clip_name(sentence) for sentence in SENTENCES]
    missing = sorted(
        missing_sentences(pack, sentences_to_record(code)),
        key=lambda one: tried.index(one.name) if one.name in tried else len(tried),
    )
    for done, one in enumerate(missing, 1):
        recording, samples = trim_take(one, *engine.speak(one.name, one.text, opens=one.opens))
        pack = add_recording(pack, one.name, recording, samples, RATE)
        yield Progress(f"{code} {voice}: {one.name}", len(missing) - done)


def digest(file: Path) -> str:
    """Sixteen digits that tell a built file from a recorded one."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def speak(engine: SpeechEngine, task: Task) -> Clip:
    """Build one clip. Raises `SpeechEngineError`."""
    code, name, text, file, opens, voice = task
    samples = trim_speech(resample(*engine.speak(name, text, opens=opens), RATE))
    lead_in = measure_lead_in(name, samples, RATE, opens=opens)
    unfinished = file.with_suffix(".part")
    dense = voice or explains(name)
    level = max(engine.compression, EXPLANATION_COMPRESSION) if dense else engine.compression
    for passed in range(MOST_PASSES):
        soundfile.write(unfinished, samples, RATE, format="OGG", subtype="OPUS", compression_level=level)
        short = LOUDNESS - measure_loudness(*soundfile.read(unfinished))
        if passed >= PASSES and abs(short) <= WITHIN_LU:
            break
        step = short if passed < PASSES else short / 2  # later ones would swing from one side to the other
        samples = samples * min(10 ** (step / 20), PEAK / float(np.abs(samples).max()))
    # The encoder draws a number for its stream; ours follows from the name, so a rebuild is the same file.
    serial = int.from_bytes(hashlib.sha256(f"{code}/{name}".encode()).digest()[:4], "little")
    unfinished.write_bytes(rewrite(unfinished.read_bytes(), serial))
    unfinished.replace(file)
    return Clip(text, digest(file), lead_in, spoken=engine.recipe(name, text, opens=opens))


def recorded(name: str, text: str, file: Path, before: Clip | None, *, opens: bool) -> Clip:
    """The entry of a file that somebody recorded: its lead-in is measured unless it was stated."""
    if before is not None and before.stated:
        return before
    samples, rate = soundfile.read(file, always_2d=True)
    built = before.built if before is not None else ""
    return Clip(text, built, measure_lead_in(name, samples.mean(axis=1), rate, opens=opens))


def total_size(root: Path) -> int:
    """Bytes of everything under a folder of clips."""
    return sum(file.stat().st_size for file in root.rglob("*") if file.is_file())


def run_until_stopped(lines: Iterable[str]) -> int:
    """Print lines as work yields them; its exit code, also where it was stopped and can go on."""
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    except CompanionError as trouble:
        sys.stderr.write(f"{trouble}\n")
        return trouble.exit_code
    except OSError as trouble:
        sys.stderr.write(f"{trouble}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command goes on\n")
        return 130
    return 0


def _build_languages(chosen: Any) -> Iterator[str]:
    """Build what the command line names; a line for everything that was done, with the time that is left."""
    for code in chosen.language or installed_languages.language_codes():
        plan, folder = planned(code), builtin_clip_folder(code)
        if chosen.voice:
            lines = build_pack(
                code, chosen.voice, load_engine(code, chosen.voice), _pack_folder(chosen, code)
            )
        else:
            wanted = {"afresh": chosen.afresh, "workers": chosen.workers}
            lines = build(code, folder, plan, load_engine(code), **wanted)
            for voice in second_voice_names(code):
                beside, part = folder.with_name(f"{code}.{voice}"), second_voice_plan(plan)
                more = build(code, beside, part, load_engine(code, voice), voice=voice, **wanted)
                lines = chain(lines, more)
        yield from with_time_left(lines, time.monotonic)


def with_time_left(steps: Iterable[Progress], now: Callable[[], float]) -> Iterator[str]:
    """The lines of what is done, after a clip with how many are left and how long they take (`now`: seconds).

    Each takes as long as those before it in the same row took on average.
    """
    began, done = now(), 0
    for line, left in steps:
        if left is None:
            yield line
            continue
        done += 1
        hours = (now() - began) / done * left / 3600
        yield f"{line} ({left} left, {hours:.1f} h)"
        if not left:
            began, done = now(), 0


def _pack_folder(chosen: Any, code: str) -> Path:
    folder: Path = chosen.folder or packs_folder() / f"{code}-{chosen.voice}"
    return folder


def main(arguments: Iterable[str] | None = None) -> int:
    """Build the clips of the languages named, or of all."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.clips", description=__doc__)
    parser.add_argument(
        "language", nargs="*", help=f"of {', '.join(installed_languages.language_codes())} (all)"
    )
    parser.add_argument("--afresh", action="store_true", help="build all that was not recorded by somebody")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="processes (one for each core)"
    )
    parser.add_argument(
        "--voice", default="", help="of Kokoro: a voice pack beside the built clips, for one language"
    )
    parser.add_argument("--folder", type=Path, help="of the voice pack (where the table finds it)")
    chosen: Any = parser.parse_args(None if arguments is None else list(arguments))
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whatever stops it, the index is written
    if chosen.voice and len(chosen.language) != 1:
        parser.error("--voice is for one language; name it")
    code = run_until_stopped(_build_languages(chosen))
    if code:
        return code
    if chosen.voice:
        folder = _pack_folder(chosen, *chosen.language)
        sys.stdout.write(f"{folder}: {total_size(folder) / 1e6:.0f} MB; companion voice try\n")
        return 0
    sys.stdout.write(f"all clips: {total_size(asset_paths.bundled_assets_folder() / 'clips') / 1e6:.2f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
