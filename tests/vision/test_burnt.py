"""Too much light: what is burnt out of a picture is not taken for bare paper."""

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.core.observations import UNKNOWN
from companion.vision import comparison
from companion.vision.decks import build_deck
from companion.vision.outlines import Bgr
from companion.vision.recogniser import Recogniser
from tests.thorough import a_third
from tests.vision import boards
from tests.vision.drawn import cloth, lay

CARDS = [card for card in boards.IDS if card[0] in "12"]
STRIPED = [card for card in CARDS if "striped" in card]
SOLID = [card for card in CARDS if "solid" in card]
LAID = np.array([[300, 180], [620, 200], [606, 410], [290, 390]], np.float32)


@cache
def recogniser() -> Recogniser:
    return Recogniser(build_deck([(card, boards.face(card)) for card in CARDS], complete=True))


def picture(card: str, times: float) -> Bgr:
    """A card on a table with so many times the light at which paper is just white."""
    table = cloth()
    lay(table, cv2.GaussianBlur(boards.face(card), (0, 0), 2.0), LAID)
    return np.asarray(np.minimum(table * np.float32(times), 255), np.uint8)


def told(card: str, times: float) -> str:
    seen = recogniser().recognise(picture(card, times))
    return seen[0].card if seen else UNKNOWN


@pytest.mark.slow
@pytest.mark.parametrize("card", a_third(CARDS))
def test_in_good_light_each_card_is_read(card: str) -> None:
    assert told(card, 1.0) == card


@pytest.mark.slow
@pytest.mark.parametrize("card", a_third(STRIPED))
def test_stripes_that_are_burnt_out_are_not_taken_for_bare_paper(card: str) -> None:
    """In too much light it may be unknown; without a look at what is burnt out it is told as the open one."""
    assert {told(card, times) for times in (1.3, 1.5, 1.7)} <= {card, UNKNOWN}


def test_a_person_hears_that_it_is_too_bright_to_tell_two_cards_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = ("1-red-open-kite", "1-red-striped-kite")
    build_deck([(card, boards.face(card)) for card in pair], complete=True).save(tmp_path / "two.deck")
    for name, times in (("good", 1.0), ("bright", 1.5)):
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture(pair[1], times))
    for name, bright in (("good", False), ("bright", True)):
        words = (
            "recognise",
            "--deck",
            str(tmp_path / "two.deck"),
            "--explain",
            str(tmp_path / f"{name}.png"),
        )
        assert main(words) == 0
        assert ("too bright to tell the two apart" in capsys.readouterr().out) == bright


@pytest.mark.parametrize("card", SOLID)
def test_dark_print_is_read_in_too_much_light(card: str) -> None:
    assert told(card, 1.5) == card


def test_light_hides_pale_print_and_leaves_dark_print() -> None:
    """An open card may be a striped one in twice the light, a solid one never; nor is a striped one open."""
    bare, stripes, full = (
        comparison.relative_brightness(cv2.resize(boards.face(f"1-green-{fill}-pill"), (128, 82)))
        for fill in boards.FILLS
    )
    assert comparison.hides_difference(bare, stripes, 2.0)
    assert not comparison.hides_difference(bare, stripes, 1.0)
    assert not comparison.hides_difference(bare, full, 2.0)
    assert not comparison.hides_difference(stripes, bare, 2.0)
