"""Sound cards of a Pi 4, a Pi 5 and a laptop: which one is played on, and by which name."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.system.sound_cards import choose_sound_card, list_sound_cards, uses_alsa

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
