"""Beat spacing in the written sound: of the count's clip, and of a recorded demo against its journal.

Beats are found in the samples, not asked of the program: each tick and the closing beep begin with a tone
whose place is where a matched filter answers loudest.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.languages import LANGUAGES
from tests.programs.bench.figures import ROOT, Row, missing, quiet_environment

NAME = "sound"
TICK, BEEP = 1_500, 880
"""Hertz of a beat's tick and of the closing beep."""
AIM_MS, AIM_LU = 1.0, 1.0
EDGE_S = 0.02
"""As much of a tone as is looked for, and as much of silence before it."""
Wave = npt.NDArray[np.float64]


def rows() -> Iterator[Row]:
    yield clip()
    yield even()
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        yield demo(Path(folder))


def even() -> Row:
    """How much louder the loudest of all clips is than the softest."""
    import soundfile

    from companion.language.voice.clips import builtin_clip_folder, measure_loudness

    files = [file for code in LANGUAGES for file in builtin_clip_folder(code).glob("*.ogg")]
    heard = [measure_loudness(*soundfile.read(file)) for file in files]
    apart = max(heard) - min(heard)
    return Row(
        figure="loudness: the loudest clip above the softest",
        value=apart,
        unit="LU",
        aim=f"≤ {AIM_LU:g} LU",
        met=apart <= AIM_LU,
        note=f"{len(files)} clips, median {float(np.median(heard)):.1f} LUFS (ITU-R BS.1770)",
    )


def clip() -> Row:
    """The count's clip as the voice mixes it: beats at 0, 1, 2 s after the lead-in, the beep at 3 s."""
    from companion.core.actions import SECOND, Cue
    from companion.language.language import Language
    from companion.language.voice.sounds import RATE, VoiceSounds

    worst, clips = 0.0, 0
    for language in LANGUAGES:
        sounds = VoiceSounds(Language(language))
        for value in range(1, 17):
            counted = sounds.build_count(Cue("kinapa.count", value, 1, 3, "kinapa.NumberAnnounced"))
            samples = counted.samples.astype(np.float64)
            worst = max(worst, off_by_ms(samples, RATE, counted.lead_in / SECOND))
            clips += 1
    return Row(
        figure="beats of the count's clip: furthest from 0, 1, 2, 3 s",
        value=worst,
        unit="ms",
        aim=f"≤ {AIM_MS:g} ms",
        met=worst <= AIM_MS,
        note=f"{clips} clips in three languages",
    )


def demo(folder: Path) -> Row:
    """The sound of a recorded demo: beats at the instants of the journal."""
    figure = "beats of a recorded demo: furthest from the journal's instants"
    command = ("demo", "kinapa", "--fast", "--seats", "4", "--seed", "1", "--record", str(folder / "demo"))
    done = subprocess.run(
        [sys.executable, "-m", "companion", *command],
        cwd=ROOT,
        env=quiet_environment(str(folder)),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return missing(figure, "ms", (done.stderr.strip() or "the demo failed").splitlines()[-1])
    with wave.open(str(folder / "demo" / "sound.wav"), "rb") as file:
        rate = file.getframerate()
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float64)
    beats = list(first_beats((folder / "demo" / "journal.jsonl").read_text("utf-8").splitlines()))
    worst = max(off_by_ms(samples, rate, at) for at in beats)
    return Row(
        figure=figure,
        value=worst,
        unit="ms",
        aim=f"≤ {AIM_MS:g} ms",
        met=worst <= AIM_MS,
        note=f"{len(beats)} counts in {len(samples) / rate:.0f} s of sound",
    )


def first_beats(lines: Sequence[str]) -> Iterator[float]:
    """The first beat of every window that ran to its end, in seconds."""
    opened: float | None = None
    for line in lines[1:]:
        entry: dict[str, Any] = json.loads(line)
        for event in entry.get("events", ()):
            match event["kind"]:
                case "CountOpened":
                    opened = event["first_beat"] / 1e6
                case "HandsLocked" if opened is not None:
                    yield opened
                    opened = None
                case "WindowVoided":
                    opened = None


def off_by_ms(samples: Wave, rate: int, first: float) -> float:
    """How far the worst of three beats and the beep lies from its second after `first`."""
    tones = (TICK, TICK, TICK, BEEP)
    return max(
        1000 * abs(begins(samples, rate, first + beat, hertz) - first - beat)
        for beat, hertz in enumerate(tones)
    )


def begins(samples: Wave, rate: int, about: float, hertz: int) -> float:
    """Where in the second around `about` a tone begins: it sounds from there on, and not before."""
    count = round(EDGE_S * rate)
    wanted = np.sin(2 * np.pi * hertz * np.arange(1 - count, count + 1) / rate)
    wanted[:count] *= -1
    low = max(0, round((about - 0.4) * rate) - count)
    part = samples[low : round((about + 0.4) * rate) + count]
    return (low + count + int(np.argmax(np.correlate(part, wanted, "valid")))) / rate
