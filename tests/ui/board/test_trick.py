"""What is drawn of a trick, of a revoke and its proof, and of the points of a deal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from companion.core.actions import Action
from companion.core.button_choices import PICK, STEP
from companion.core.view import Sentence
from companion.games.kit.cards import VALUES
from companion.ui.board.trick_centre import trick_places
from companion.ui.commands import DeclareAction
from companion.ui.layout import Box
from tests.programs.practising import Person
from tests.ui import shown
from tests.ui.table_games import euchre_frames, hearts_frames, spades_frames

LARGE, SMALL = (1280, 720), (800, 480)


def painted(name: str, size: tuple[int, int] = LARGE) -> Any:
    return shown.pages(size)["game"].painted_sheet(dict(hearts_frames("en"))[name])


def places(sheet: Any) -> dict[str, Box]:
    return {key: placed.rect for key, placed in sheet.placed.items() if key.startswith("card:")}


def declared(sheet: Any) -> set[Action]:
    commands = [one for target in sheet.targets for one in target.action.commands]
    return {one.action for one in commands if isinstance(one, DeclareAction)}


@pytest.mark.parametrize(("size", "language"), [(LARGE, "en"), (SMALL, "de"), (SMALL, "fr")])
def test_every_word_is_read(size: tuple[int, int], language: str) -> None:
    frames = ((name, "game", frame) for name, frame in hearts_frames(language))
    wrong = {one.name: [*shown.faults(one.written, size)] for one in shown.painted(size, frames)}
    assert not any(wrong.values()), wrong


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_each_card_lies_before_its_player(size: tuple[int, int]) -> None:
    cards = places(painted("taken", size))
    first, second, third, fourth = (cards[f"card:seat_card:{seat}"] for seat in range(4))
    assert first.x < size[0] // 2 < third.x
    assert second.x < size[0] // 2 < fourth.x
    assert second.bottom <= first.y
    assert third.bottom <= fourth.y


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_the_trick_stays_in_sight_while_a_card_is_chosen_in_two_steps(size: tuple[int, int]) -> None:
    suits, ranks = painted("suit", size), painted("rank", size)
    assert len(places(suits)) == len(places(ranks)) == 3
    assert {Action(3, STEP, f"{PICK}{13 * suit}") for suit in range(4)} <= declared(suits)
    assert {Action(3, "play", value) for value in VALUES if value.startswith("diamonds")} <= declared(ranks)


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_where_a_camera_reads_the_trick_has_the_whole_middle(size: tuple[int, int]) -> None:
    read, told = places(painted("read by camera", size)), places(painted("suit", size))
    assert all(read[name].h > told[name].h for name in told)


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_while_a_trick_is_short_its_cards_are_larger_and_trump_is_told_beside_them(
    size: tuple[int, int],
) -> None:
    frames, page = dict(euchre_frames("en")), shown.pages(size)["game"]
    begun, whole = page.painted_sheet(frames["play"]), page.painted_sheet(frames["taken"])
    (card,) = places(begun).values()
    assert 2 * card.h > 2.5 * max(box.h for box in places(whole).values())
    (trump,) = (line.rect for line in begun.text_lines if line.string == "trump")
    assert trump.bottom <= card.y
    tricks = [line.rect.height for line in begun.text_lines if "trick" in line.string]
    assert max(tricks) > begun.line_height


@pytest.mark.parametrize("size", [LARGE, SMALL])
@pytest.mark.parametrize(("game", "told"), [("hearts", "0"), ("spades", "of "), ("euchre", "trick")])
def test_in_practice_what_everybody_has_and_what_is_trump_stand_beside_the_trick(
    game: str, told: str, size: tuple[int, int]
) -> None:
    person, page, seen = Person(game, seed=3), shown.pages(size)["game"], 0
    for _ in range(24):
        person.run(2)
        frame = person.app.frame()
        if frame.view.phase == "play" and frame.guide.chooses:
            sheet, seen = page.painted_sheet(frame), seen + 1
            assert not [*shown.faults(sheet.text_lines, size)]
            said = [line.string for line in sheet.text_lines]
            assert {"Red", "Blue", "Green", "Yellow"} <= {*said}
            assert sum(told in one for one in said) >= 3, "one sits out, or has no room for words"
            assert ("trump" in said) == (game == "euchre")
            lies = trick_places(frame.view)
            follows = "follow" if lies and not any(place.marked for place in lies) else "card"
            assert frame.guide.say == Sentence(f"lesson.practice.tap.{follows}")
        person.plays()
    assert seen > 1


def test_where_no_trump_is_told_the_first_cards_have_the_whole_height() -> None:
    page, heights = shown.pages(LARGE)["game"], []
    for game in (spades_frames, euchre_frames):
        frame = dict(game("en"))["play"]
        led = tuple(place for place in trick_places(frame.view) if place.number == 1)
        asks = tuple(
            msgspec.structs.replace(one, asked=one.chair == (led[0].chair or 0) - 1)
            for one in frame.view.chairs
        )
        begun = replace(frame, view=msgspec.structs.replace(frame.view, places=led, chairs=asks))
        (card,) = places(page.painted_sheet(begun)).values()
        heights.append(card.h)
    assert heights[0] > heights[1]


def test_who_led_is_told_and_a_checked_card_is_shown() -> None:
    sheet = painted("taken")
    led = next(line.rect for line in sheet.text_lines if line.string == "led")
    card = next(
        box
        for box in places(sheet).values()
        if box.x < led.centerx < box.right and box.y < led.bottom < box.centery
    )
    assert led.x > card.x + card.w // 4, "over the upper edge, and the index is seen"
    assert len(places(painted("check"))) == 1


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_a_checked_card_stands_beside_the_cameras_own_picture_of_it(size: tuple[int, int]) -> None:
    frame = dict(hearts_frames("en"))["check"]
    (card,) = trick_places(frame.view)
    seen = {(card.region, card.card): np.full((160, 104, 3), 200, np.uint8)}
    sheet = shown.pages(size)["game"].painted_sheet(replace(frame, card_pictures=seen))
    read, told = sheet.placed[f"seen:{card.region}"].rect, sheet.placed[f"card:{card.region}"].rect
    assert told.right <= read.x
    assert 0.9 < read.h / told.h <= 1


def test_a_claim_is_made_on_a_leaf_that_closes_with_it() -> None:
    frame = dict(hearts_frames("en"))["taken"]
    leaf = replace(frame, ui_state=msgspec.structs.replace(frame.ui_state, overlay="extras"))
    sheet = shown.pages(LARGE)["game"].painted_sheet(leaf)
    (claims,) = (target.action for target in sheet.targets if target.key.startswith("extra:"))
    assert claims.commands == (DeclareAction(Action(1, "claim")),)
    assert ("overlay", "") in claims.changes


def test_a_proof_shows_both_tricks_and_what_follows() -> None:
    told = [line.string for line in painted("proof").text_lines]
    assert {"Trick 1, clubs led", "no club", "Trick 3, clubs led", "a club"} <= {*told}
    assert "The table decides what follows." in told


def test_points_of_a_deal_are_told_with_the_fewest_first() -> None:
    told = [line.string for line in painted("points").text_lines]
    gained = [int(word) for word in told if word.startswith("+")]
    assert sum(gained) in {26, 78}
    assert gained == sorted(gained)


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_played_cards_are_larger_than_the_suits_to_choose_from_and_no_place_waits_but_of_who_is_asked(
    size: tuple[int, int],
) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(dict(spades_frames("en"))["play"])
    suits = [target.rect for target in sheet.targets if target.key.startswith("row:")]
    assert min(card.h for card in places(sheet).values()) >= 2 * max(suit.h for suit in suits)


@pytest.mark.parametrize("size", [LARGE, SMALL])
def test_a_bid_stands_large_on_its_plate_and_what_a_press_takes_heads_the_numbers(
    size: tuple[int, int],
) -> None:
    sheet = shown.pages(size)["game"].painted_sheet(dict(spades_frames("en"))["bids"])
    told = [line.string for line in sheet.text_lines]
    assert told.count("0 to 4") == told.count("5 to 10") == 2
    tiles = [target.rect for target in sheet.targets if target.key.startswith("tile:")]
    assert len({tile.y for tile in tiles[:5]}) == 1
    (bid,) = [key for key in sheet.placed if key == "chip:1:tricks"]
    assert sheet.placed[bid].rect.h > 1.3 * sheet.unit
