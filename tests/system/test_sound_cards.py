"""Sound cards of a Pi 4, a Pi 5 and a laptop: which one is played on, and by which name."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.language.voice.mixer import has_unchosen_outputs
from companion.system.sound_cards import choose_sound_card, find_muted_control, list_sound_cards, uses_alsa

JACK = "[Headphones     ]: bcm2835_headpho - bcm2835 Headphones"
HDMI = "[vc4hdmi{}       ]: vc4-hdmi - vc4-hdmi-{}"
USB = "[Device         ]: USB-Audio - USB Audio Device"
WEBCAM = "[C270           ]: USB-Audio - Webcam C270"
LAPTOP = "[PCH            ]: HDA-Intel - HDA Intel PCH"
MONITOR = bytes(128) + bytes([2, 3, 0, 0x40]) + bytes(124)
MUTE_MONITOR = bytes(128) + bytes([2, 3, 0, 0x80]) + bytes(124)


class Machine:
    """`/proc/asound` and the monitors of a machine, as Linux writes them (raspi-config issue 197)."""

    def __init__(self, root: Path, *cards: str) -> None:
        self.root = root
        (root / "proc/asound").mkdir(parents=True)
        lines = (f" {number} {card}\n                      at usb-1\n" for number, card in enumerate(cards))
        (root / "proc/asound/cards").write_text("".join(lines) or "--- no soundcards ---\n")
        for number, card in enumerate(cards):
            (root / f"proc/asound/card{number}" / ("pcm0c" if card is WEBCAM else "pcm0p")).mkdir(
                parents=True
            )

    def connect(self, socket: int, edid: bytes) -> None:
        about = self.root / f"sys/class/drm/card1-HDMI-A-{socket}"
        about.mkdir(parents=True)
        (about / "edid").write_bytes(edid)

    def chosen(self, wanted: str = "") -> str | None:
        card = choose_sound_card(list_sound_cards(self.root), wanted)
        return None if card is None else card.alsa_device


def test_a_loudspeaker_on_usb_is_played_on_though_it_is_never_the_first_card(tmp_path: Path) -> None:
    assert Machine(tmp_path, JACK, HDMI.format(0, 0), USB).chosen() == "default:CARD=Device"


@pytest.mark.parametrize(
    ("socket", "edid", "chosen"),
    [
        (1, MONITOR, "default:CARD=vc4hdmi0"),
        (2, MONITOR, "default:CARD=vc4hdmi1"),
        (1, MUTE_MONITOR, "default:CARD=Headphones"),
        (1, b"", "default:CARD=Headphones"),
        (1, MONITOR[:130], "default:CARD=Headphones"),
    ],
)
def test_hdmi_is_played_on_where_its_monitor_has_loudspeakers(
    tmp_path: Path, socket: int, edid: bytes, chosen: str
) -> None:
    machine = Machine(tmp_path, JACK, HDMI.format(0, 0), HDMI.format(1, 1))
    machine.connect(socket, edid)
    assert machine.chosen() == chosen


def test_a_pi_5_without_a_loudspeaker_says_that_hdmi_is_not_heard(tmp_path: Path) -> None:
    machine = Machine(tmp_path, HDMI.format(0, 0), HDMI.format(1, 1))
    card = choose_sound_card(list_sound_cards(machine.root))
    assert card is not None
    assert not card.heard


def test_which_output_is_asked_only_where_more_than_one_is_heard(tmp_path: Path) -> None:
    environ = {"SDL_AUDIODRIVER": "alsa"}
    machine = Machine(tmp_path / "pi5", HDMI.format(0, 0), HDMI.format(1, 1))
    machine.connect(1, MONITOR)
    assert not has_unchosen_outputs(environ, machine.root)
    machine.connect(2, MONITOR)
    assert has_unchosen_outputs(environ, machine.root)
    assert has_unchosen_outputs(environ, Machine(tmp_path / "pi4", JACK, USB).root)


def test_a_card_is_chosen_by_a_part_of_its_name_or_id(tmp_path: Path) -> None:
    machine = Machine(tmp_path, JACK, HDMI.format(0, 0), USB)
    assert machine.chosen("vc4-hdmi-0") == "default:CARD=vc4hdmi0"
    assert machine.chosen("headphones") == "default:CARD=Headphones"
    assert machine.chosen("nobody's") is None


def test_a_webcams_microphone_is_no_loudspeaker(tmp_path: Path) -> None:
    assert Machine(tmp_path, WEBCAM, LAPTOP).chosen() == "default:CARD=PCH"


def test_a_machine_without_sound_has_no_card(tmp_path: Path) -> None:
    assert Machine(tmp_path).chosen() is None
    assert list_sound_cards(tmp_path / "container") == ()


def test_a_sound_server_chooses_itself(tmp_path: Path) -> None:
    assert uses_alsa({}, tmp_path, "linux")
    (tmp_path / "run/pipewire-0").parent.mkdir()
    (tmp_path / "run/pipewire-0").touch()
    assert not uses_alsa({"XDG_RUNTIME_DIR": "/run"}, tmp_path, "linux")
    assert uses_alsa({"XDG_RUNTIME_DIR": "/run", "SDL_AUDIODRIVER": "alsa"}, tmp_path, "linux")
    assert not uses_alsa({"SDL_AUDIODRIVER": "dummy"}, tmp_path, "linux")
    assert not uses_alsa({}, tmp_path, "darwin")


def controls(**playback: str) -> str:
    """What `amixer scontents` prints of such controls (alsa-utils, amixer.c)."""
    return "\n".join(
        f"Simple mixer control '{name}',0\n  Capabilities: pvolume pswitch\n  Limits: Playback 0 - 100\n"
        f"  Front Left: Playback {state}\n  Front Right: Playback {state}"
        for name, state in playback.items()
    )


ON, OFF, DOWN = "80 [80%] [-20.00dB] [on]", "80 [80%] [-20.00dB] [off]", "0 [0%] [-99.99dB] [on]"


@pytest.mark.parametrize(
    ("playback", "muted"),
    [
        ({}, None),
        ({"Master": ON, "PCM": ON, "Mic": OFF, "Beep": DOWN}, None),
        ({"Master": OFF, "PCM": ON}, "amixer -c PCH set 'Master' unmute"),
        ({"PCM": DOWN}, "amixer -c PCH set 'PCM' 80%"),
        ({"PCM": "8 [8%] [-60.00dB] [on]"}, "amixer -c PCH set 'PCM' 80%"),
        ({"PCM": "0 [0%] [off]"}, "amixer -c PCH set 'PCM' 80% unmute"),
        ({"Master": ON, "Headphone": OFF, "Speaker": ON}, None),
        ({"Master": ON, "Headphone": OFF, "Speaker": OFF}, "amixer -c PCH set 'Speaker' unmute"),
    ],
)
def test_a_card_is_muted_where_nothing_passes_its_mixer(playback: dict[str, str], muted: str | None) -> None:
    found = find_muted_control(controls(**playback))
    assert (None if found is None else found.remedy("PCH").partition(" (")[0]) == muted


def test_one_channel_that_is_open_is_heard() -> None:
    assert find_muted_control(controls(Master=OFF).replace("[off]", "[on]", 1)) is None
