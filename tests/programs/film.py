"""`make film`: the show as the README's moving picture and as the site's film, at a clock moved by hand.

It is played twice: once to learn when what happens, once to draw the scenes. The sound is mixed of the clips
at the instants at which they were played.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import wave
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.events import kind_of
from companion.language.voice.voice import WavOutput
from companion.programs import demo
from companion.programs.build_app import build_runtime
from companion.referee.journal import MemoryJournal
from companion.referee.loop import Announcement
from companion.settings.model import Settings
from companion.ui.toolkit.window import Window
from tests.outside_programs import program

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
FILM, POSTER, MOVING = PICTURES / "film.mp4", PICTURES / "film.webp", PICTURES / "demo.webp"
SIZE, SMALL = (1280, 720), (960, 540)
FRAMES, MOVING_FRAMES = 30, 10
"""Frames a second, of the film and of the README's picture: every third is one."""
LONGEST: Micros = 110 * SECOND
"""The show has told everything by then."""


class Scene(NamedTuple):
    """From so many seconds before the first ruling of a kind until so many after one, which comes later."""

    first: str
    before: float
    last: str
    after: float


OPENING = "StarterDrawn"
SCENES = (
    Scene(OPENING, 0, OPENING, 5.5),
    Scene("StopCalled", 2.5, "StopAssigned", 4.5),
    Scene("StopRight", 0.7, "StopRight", 4.2),
    Scene("EmperorCrowned", 1, "EmperorCrowned", 4.7),
    Scene("NumberAnnounced", 1.2, "HandsLocked", 4.2),
    Scene("LiarCalled", 1, "Punished", 4.6),
    Scene("ObjectTurned", 1.2, "PairPlaced", 4.5),
)
MOVING_SCENES = (
    Scene("NumberAnnounced", -0.8, "HandsLocked", 1),
    Scene("Punished", 0.8, "Punished", 2.6),
    Scene("StopCalled", 1, "StopAssigned", 2),
    Scene("PairPlaced", 0.4, "PairPlaced", 2),
)
"""The count comes first: it is what is seen where nothing moves."""
POSTER_AT = ("HandsLocked", -1.5)


class Playing:
    """The show on a clock that is moved by hand, from frame to frame."""

    def __init__(self, track: WavOutput | None = None, window: Window | None = None) -> None:
        self.clock, self.began = ManualClock(), dict[str, Micros]()
        settings = Settings()
        shared = build_runtime(settings, self.clock, silent=True, track=track)

        def open_host(act: demo.Act) -> Any:
            journal = MemoryJournal(demo.demo_header(act, settings))
            return demo.open_act(act, shared, journal, threads=False, listeners=(self._note,))

        self._show = demo.Show(demo.show_acts(), open_host, self.clock)
        self.app = demo.build_demo_app(
            settings, self._show.host, shared, window, draws=window is not None, demo=self._show.open_next
        )

    def _note(self, ruling: Announcement) -> None:
        for event in ruling.news:
            self.began.setdefault(kind_of(event), self.clock.now())

    def frames(self, until: Micros) -> Iterator[Micros]:
        """The instant of each frame, when it is drawn."""
        number = 0
        while self.clock.now() < until:
            self.app.run_once()
            self._show.advance(self.app)
            due, frame = max(self.app.next_due(), self.clock.now() + 1), number * SECOND // FRAMES
            self.clock.move_to(min(due, frame))
            if self.clock.now() >= frame:
                self.app.run_once()
                yield frame
                number += 1
        self.app.close()


def span(scene: Scene, began: Mapping[str, Micros]) -> tuple[Micros, Micros]:
    """From when to when a scene is, in whole frames."""
    ends = began[scene.first] / SECOND - scene.before, began[scene.last] / SECOND + scene.after
    first, last = (round(max(0.0, at) * FRAMES) * SECOND // FRAMES for at in ends)
    return first, last


def main() -> None:
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    tried = Playing()
    for _ in tried.frames(LONGEST):
        pass
    spans = [span(scene, tried.began) for scene in SCENES]
    moving = [span(scene, tried.began) for scene in MOVING_SCENES]
    poster = round(tried.began[POSTER_AT[0]] + POSTER_AT[1] * SECOND)
    track, window = WavOutput(), Window(SIZE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        picture, sound = folder / "picture.mp4", folder / "sound.wav"
        with _encoder(picture) as encoder:
            assert encoder.stdin is not None
            drawn = Playing(track, window)
            for number, at in enumerate(drawn.frames(max(last for _, last in (*spans, *moving)))):
                if any(first <= at < last for first, last in spans):
                    encoder.stdin.write(pygame.image.tobytes(window.surface, "RGB"))
                scene = next(
                    (place for place, (first, last) in enumerate(moving) if first <= at < last), None
                )
                if scene is not None and number % (FRAMES // MOVING_FRAMES) == 0:
                    small = pygame.transform.smoothscale(window.surface, SMALL)
                    pygame.image.save(small, folder / f"{scene}-{number:06}.png")
                if poster <= at < poster + SECOND // FRAMES:
                    pygame.image.save(
                        pygame.transform.smoothscale(window.surface, SMALL), folder / "poster.png"
                    )
        _cut_sound(track, sound, spans)
        _convert("-i", picture, "-i", sound, "-c:v", "copy", "-c:a", "aac", "-b:a", "64k", "-shortest",
                 "-movflags", "+faststart", FILM)  # fmt: skip
        _convert("-i", folder / "poster.png", "-c:v", "libwebp", "-quality", "75", POSTER)
        for order, one in enumerate(sorted(folder.glob("[0-9]-*.png"))):
            one.rename(folder / f"moving-{order:04}.png")
        _convert("-framerate", MOVING_FRAMES, "-i", folder / "moving-%04d.png", "-c:v", "libwebp_anim",
                 "-quality", "70", "-compression_level", "6", "-loop", "0", MOVING)  # fmt: skip
    for file in (FILM, POSTER, MOVING):
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    lengths = (sum(last - first for first, last in some) / SECOND for some in (spans, moving))
    print("seconds: {:.1f}, {:.1f}".format(*lengths))


def _encoder(to: Path) -> subprocess.Popen[bytes]:
    raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "x".join(map(str, SIZE)), "-r", str(FRAMES))
    good = ("-c:v", "libx264", "-preset", "slow", "-crf", "26", "-pix_fmt", "yuv420p")
    words = (program("ffmpeg"), "-loglevel", "error", "-y", *raw, "-i", "-", *good, str(to))
    return subprocess.Popen(words, stdin=subprocess.PIPE)


def _convert(*words: Any) -> None:
    subprocess.run(
        [program("ffmpeg"), "-loglevel", "error", "-y", *map(str, words)], check=True, stdout=sys.stderr
    )


def _cut_sound(track: WavOutput, to: Path, spans: list[tuple[Micros, Micros]]) -> None:
    """The sound of these spans, one after the other."""
    whole = to.with_name("whole.wav")
    track.write_wav(whole)
    with wave.open(str(whole)) as heard, wave.open(str(to), "wb") as out:
        out.setparams(heard.getparams())
        frame: Callable[[Micros], int] = lambda at: at * heard.getframerate() // SECOND  # noqa: E731
        for first, last in spans:
            heard.setpos(min(frame(first), heard.getnframes()))
            wanted = frame(last) - frame(first)
            samples = heard.readframes(wanted)
            out.writeframes(samples + bytes(2 * wanted - len(samples)))


if __name__ == "__main__":
    main()
