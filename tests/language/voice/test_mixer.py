"""Whether SDL is asked for sound at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.language.voice import mixer
from companion.language.voice.mixer import has_sound_output, select_device

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
