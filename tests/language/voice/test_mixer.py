"""Whether SDL is asked for sound at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pygame
import pytest
import soundfile

from companion.core.actions import SECOND, Cue
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice import mixer
from companion.language.voice.mixer import (
    AWAKE_TIME,
    DEFAULT_OUTPUT,
    FADE_MS,
    MIXER_DELAY,
    SPEECH_CHANNELS,
    WAKE_TIME,
    Mixer,
    awake_tone,
    find_output_name,
    has_sound_output,
    list_outputs,
    select_device,
)
from companion.language.voice.sound_outputs import NullOutput, WavOutput
from companion.language.voice.sounds import RATE
from companion.language.voice.voice import Voice
from companion.system.boot_config import PATHS
from companion.system.machine import Machine

CARD = (
    " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones\n                      bcm2835 Headphones\n"
)


def machine(root: Path, cards: str) -> Path:
    (root / "proc/asound/card0/pcm0p").mkdir(parents=True)
    (root / "proc/asound/cards").write_text(cards)
    return root


def test_a_machine_without_a_card_is_not_asked_for_sound(tmp_path: Path) -> None:
    assert not has_sound_output({}, machine(tmp_path, "--- no soundcards ---\n"), "linux")
    assert not has_sound_output({"SDL_AUDIODRIVER": "alsa"}, tmp_path / "container", "linux")


def test_a_card_a_sound_server_or_a_named_driver_is(tmp_path: Path) -> None:
    assert has_sound_output({}, machine(tmp_path / "pi", CARD), "linux")
    (tmp_path / "run/pulse").mkdir(parents=True)
    (tmp_path / "run/pulse/native").touch()
    assert has_sound_output({"XDG_RUNTIME_DIR": "/run"}, tmp_path, "linux")
    assert has_sound_output({"SDL_AUDIODRIVER": "disk"}, tmp_path / "container", "linux")


def test_a_file_of_a_guide_that_keeps_a_loudspeaker_shut_is_named_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where one is plugged in, nobody is told to plug one in."""

    def refuse(*_: object, **more: object) -> None:
        raise pygame.error("ALSA: Couldn't open audio device: Invalid argument")

    table = Machine(root=machine(tmp_path, CARD), environ={"HOME": "/home/ana"})
    monkeypatch.setattr(mixer, "Machine", lambda: table)
    monkeypatch.setattr(pygame.mixer, "init", refuse)
    monkeypatch.setattr(mixer, "has_sound_output", lambda: True)
    Mixer()
    assert "plug in a loudspeaker" in caplog.text
    (tmp_path / "home/ana").mkdir(parents=True)
    (tmp_path / "home/ana/.asoundrc").write_text("pcm.!default { type hw card 3 }\n")
    Mixer()
    assert "bcm2835 Headphones is there, but /home/ana/.asoundrc says otherwise" in caplog.text
    caplog.clear()
    (tmp_path / "run/pulse").mkdir(parents=True)
    (tmp_path / "run/pulse/native").touch()
    table.environ["XDG_RUNTIME_DIR"] = "/run"  # type: ignore[index]
    Mixer()
    assert ".asoundrc" not in caplog.text, "a sound server opens the card"


def test_an_amplifier_s_line_in_the_old_config_txt_is_named_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for path, text in zip(PATHS, ("dtparam=audio=on\n", "dtoverlay=max98357a\n"), strict=True):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setattr(mixer, "Machine", lambda: Machine(root=tmp_path))
    monkeypatch.setattr(mixer, "has_sound_output", lambda: False)
    Mixer()
    assert "write dtoverlay=max98357a into /boot/firmware/config.txt, and restart" in caplog.text


def test_other_systems_are_always_asked(tmp_path: Path) -> None:
    assert has_sound_output({}, tmp_path, "darwin")


@pytest.mark.parametrize("wanted", ["", "headphones"])
def test_without_a_sound_server_sdl_is_told_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    monkeypatch.setattr(mixer, "GIVEN_DEVICE", None)
    environ = {"SDL_AUDIODRIVER": "alsa"}
    assert select_device(wanted, environ, machine(tmp_path, CARD)) is None
    assert environ["AUDIODEV"] == "default:CARD=Headphones"


@pytest.mark.parametrize(("wanted", "told"), [("", "hw:7"), ("headphones", "default:CARD=Headphones")])
def test_the_card_of_whoever_started_it_stands_unless_the_settings_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, told: str
) -> None:
    monkeypatch.setattr(mixer, "GIVEN_DEVICE", "hw:7")
    environ = {"SDL_AUDIODRIVER": "alsa", "AUDIODEV": "hw:7"}
    assert select_device(wanted, environ, machine(tmp_path, CARD)) is None
    assert environ["AUDIODEV"] == told


# Another output ---------------------------------------------------------------------------------------------


def test_another_output_is_opened_by_its_card_and_has_its_own_delay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = {"Headphones": 0, "Device": 80_000}
    monkeypatch.setattr(mixer, "find_output_name", lambda wanted: wanted or "Headphones")
    asked: list[str] = []
    monkeypatch.setattr(mixer, "select_device", asked.append)
    card = Mixer(output_delay=cards.__getitem__)
    assert card.delay == MIXER_DELAY
    voice = Voice(Language("en"), ManualClock(), card)
    voice.use_device("Device")
    assert (card.available, card.delay, asked) == (True, MIXER_DELAY + 80_000, ["", "Device"])
    card.close()


def test_outputs_are_alsa_s_cards_where_no_sound_server_has_them(tmp_path: Path) -> None:
    root = machine(tmp_path, CARD)
    environ = {"SDL_AUDIODRIVER": "alsa"}
    assert list_outputs(environ, root) == {"Headphones": "bcm2835 Headphones"}
    assert find_output_name("", environ, root) == find_output_name("bcm", environ, root) == "Headphones"
    assert find_output_name("another", environ, root) == DEFAULT_OUTPUT


# Loudspeakers that sleep ------------------------------------------------------------------------------------


def test_a_loudspeaker_that_slept_gets_time_to_wake_and_is_kept_awake_by_what_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mixer, "UNHEARD", frozenset())
    card = Mixer()
    assert card.wake(0) == WAKE_TIME
    assert card.wake(WAKE_TIME) == 0
    assert pygame.mixer.Channel(2).get_busy()
    later = WAKE_TIME + AWAKE_TIME + 1
    assert card.wake(later) == WAKE_TIME
    card.play(np.zeros(100, np.int16), later + 3 * AWAKE_TIME)
    assert card.wake(later + 3 * AWAKE_TIME + AWAKE_TIME // 2) == 0
    assert card.wake(0) == WAKE_TIME, "the time of another game"
    card.set_volume(50, mute=True)
    assert card.wake(later * 9) == 0
    card.close()


def test_the_tone_that_keeps_it_awake_is_quiet_low_and_without_a_seam() -> None:
    tone = awake_tone().astype(float)
    assert -51 < 20 * np.log10(np.abs(tone).max() / 32767) < -49
    assert abs(tone[-1] - tone[0]) < 1.5
    assert np.argmax(np.abs(np.fft.rfft(tone))) == 40


def test_a_sentence_waits_until_the_loudspeaker_is_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixer, "UNHEARD", frozenset())
    clock, card = ManualClock(5_000_000), Mixer()
    voice = Voice(Language("en"), clock, card)
    voice.say([Sentence("count.1"), Sentence("count.2")])
    for wait, said in ((0, None), (WAKE_TIME - 1, None), (1, Sentence("count.1"))):
        clock.move_to(clock.now() + wait)
        voice.poll(clock.now())
        assert voice.caption == said
    clock.move_to(clock.now() + 3_000_000)
    voice.poll(clock.now())
    assert voice.caption == Sentence("count.2"), "awake from what was said before"
    voice.use_device("")
    voice.say([Sentence("count.3")])
    voice.poll(clock.now())
    assert voice.caption is None, "another one may sleep"
    card.close()


def test_a_count_begins_when_the_loudspeaker_is_awake_and_its_beats_are_told_then() -> None:
    class Sleeping(NullOutput):
        def __init__(self) -> None:
            super().__init__()
            self.begun: list[int] = []

        def wake(self, at: int) -> int:
            return WAKE_TIME

        def play(self, samples: object, at: int) -> bool:
            self.begun.append(at)
            return True

    clock, output = ManualClock(7_000_000), Sleeping()
    voice = Voice(Language("en"), clock, output)
    voice.play_cue(Cue("kinapa.count", 5, 1, 3))
    assert voice.poll(clock.now()) == ()
    clock.move_to(7_000_000 + WAKE_TIME - 1)
    assert voice.poll(clock.now()) == ()
    clock.move_to(7_000_000 + WAKE_TIME)
    (started,) = voice.poll(clock.now())
    assert output.begun == [7_000_000 + WAKE_TIME]
    assert started.first_beat > 7_000_000 + WAKE_TIME


# What is cut short --------------------------------------------------------------------------------------


def test_what_is_cut_short_by_another_sound_fades_on_a_channel_of_its_own() -> None:
    card, sound = Mixer(), np.ones(RATE, np.int16)
    card.play(sound, 0)
    card.play(sound, 1_000)
    assert all(pygame.mixer.Channel(channel).get_busy() for channel in SPEECH_CHANNELS)
    card.close()


def test_a_kept_sound_that_is_cut_short_fades_without_a_click(tmp_path: Path) -> None:
    track = WavOutput()
    track.play(np.full(RATE, 20_000, np.int16), 0)
    track.stop(SECOND // 2)
    track.write_wav(tmp_path / "cut.wav")
    heard, rate = soundfile.read(tmp_path / "cut.wav")
    assert len(heard) / rate == pytest.approx(0.5 + FADE_MS / 1000, abs=0.001)
    assert np.abs(np.diff(heard)).max() < 0.002
