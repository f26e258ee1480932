"""What a card that the camera read means: by value, and on drawn pictures of the mat."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from companion.core import observations as ob
from companion.core.actions import Setup
from companion.core.events import Event, Infraction
from companion.core.observations import RegionReading, SeenCard
from companion.games.hearts.rules.model import DealOpened
from companion.games.kit.cards import CARDS, FACES
from companion.games.kit.trick_camera import CardUnread, PlaceSeen, TrickSwept, pictured_cards
from companion.games.kit.trick_mat import build_mat_layout
from companion.games.kit.trick_table import CardPlayed, CardTwice
from companion.referee.reading_threshold import discard_doubtful
from companion.simulation.simulated_table import DrawnMat
from companion.vision.layout import CARD_MM
from companion.vision.renderer import LIVE, RenderedHand, TableScene
from tests.games.hearts.hearts_table import RULES, A, B, C, D, Table, card, kinds

Laid = tuple[str, tuple[float, float], float]
"""A card, where its middle is on the mat in mm, and its angle."""
STILL = 8
"""Looks at a table on which nothing moves."""


def face(short: str) -> str:
    """`♥9` → `hearts:9`."""
    return FACES[CARDS[card(short)]]


def reading(seat: int, *faces: str) -> RegionReading:
    return RegionReading(f"seat_card:{seat}", tuple(SeenCard(one) for one in faces), 0, 0)


def seen(table: Table, *regions: RegionReading) -> list[Event]:
    """What is ruled, without the bookkeeping."""
    ruled = table.see(ob.TableSeen(at=table.at + 1, regions=regions))
    return [event for event in ruled if not isinstance(event, PlaceSeen)]


def lies(table: Table, seat: int, short: str) -> list[Event]:
    return seen(table, reading(seat, face(short)))


def undo(table: Table) -> None:
    table.see(ob.UndoRequested(at=table.at + 1))


# By value ---------------------------------------------------------------------------------------------------


def test_the_two_of_clubs_opens_the_deal_for_whoever_lays_it() -> None:
    table = Table(opens=None)
    assert lies(table, C, "♣2") == [DealOpened(C)]
    assert lies(table, D, "♣K") == [CardPlayed(D, card("♣K"))]


def test_a_card_that_is_laid_while_somebody_claims_counts_once_others_play_on() -> None:
    table = Table()
    table.say(D, "claim")
    assert lies(table, B, "♣K") == []
    assert seen(table, reading(D, face("♣Q"), face("♣J"))) == []  # an open hand
    assert table.say(C, "play_on")[1:] == (CardPlayed(B, card("♣K")),)
    table.say(D, "claim")
    assert seen(table, reading(A), reading(B), reading(D)) == []
    table.say(C, "play_on")
    assert table.state.lying == ("",) * 4


def test_nothing_else_opens_a_deal() -> None:
    assert lies(Table(opens=None), C, "♣3") == []


def test_whoever_lays_a_card_too_early_plays_it_in_turn() -> None:
    table = Table()
    assert lies(table, C, "♣5") == []
    ruled = lies(table, B, "♣K")
    assert ruled == [CardPlayed(B, card("♣K")), CardPlayed(C, card("♣5"))]
    assert table.state.seat == D


def test_a_card_that_lies_early_is_played_after_a_card_that_was_told_by_button() -> None:
    table = Table()
    lies(table, C, "♣5")
    assert CardPlayed(C, card("♣5")) in table.play(B, "♣K")


def test_a_card_that_was_told_is_read_later_and_changes_nothing() -> None:
    table = Table()
    table.play(B, "♣K")
    assert lies(table, B, "♣K") == []
    assert table.state.seat == C


def test_who_lays_an_unreadable_card_is_asked_once() -> None:
    table = Table()
    assert seen(table, reading(B, ob.UNKNOWN)) == [CardUnread(B)]
    assert seen(table, reading(B, ob.UNKNOWN)) == []
    table.play(B, "♣K")
    assert table.state.seat == C


def test_a_doubtful_reading_is_asked_about() -> None:
    table = Table()
    doubtful = RegionReading("seat_card:1", (SeenCard(face("♣K"), 0, 0.5),), 0, 0)
    read = discard_doubtful(RULES, table.state, ob.TableSeen(at=1, regions=(doubtful,)))
    assert seen(table, *read.regions) == [CardUnread(B)]


def test_two_cards_of_one_player_are_called_once() -> None:
    table = Table()
    two = reading(B, face("♣K"), face("♣5"))
    assert seen(table, two) == [Infraction("card.two", B)]
    assert seen(table, two) == []


def test_a_card_that_lies_before_a_check_is_over_waits() -> None:
    table = Table()
    table.lay("♦4 ♣5 ♣3 ♦2 ♦3 ♦5 ♦6 ♣9")
    assert lies(table, C, "♣7") == []
    assert CardPlayed(C, card("♣7")) in table.confirm()


def test_a_card_that_was_taken_back_into_the_hand_stays_there_when_an_answer_is_undone() -> None:
    table = Table()
    table.lay("♦4 ♣5 ♣3 ♦2 ♦3 ♦5 ♦6 ♣9")
    lies(table, C, "♣7")
    table.say(table.state.plays[table.state.checks[0]].seat, "right")
    seen(table, reading(C))
    undo(table)
    assert not [event for event in table.confirm() if isinstance(event, CardPlayed)]


def test_a_card_whose_play_is_taken_back_is_played_once_it_is_read_again() -> None:
    table = Table()
    lies(table, A, "♣2")
    lies(table, B, "♣K")
    undo(table)
    assert seen(table, reading(D)) == []
    assert table.state.seat == B
    assert lies(table, B, "♣K") == [CardPlayed(B, card("♣K"))]


def test_a_card_that_came_during_an_answer_that_is_undone_is_known() -> None:
    table = Table()
    table.lay("♦4 ♣5 ♣3 ♦2 ♦3 ♦5 ♦6 ♣9")
    table.say(table.state.plays[table.state.checks[0]].seat, "right")
    lies(table, C, "♣7")
    undo(table)
    assert CardPlayed(C, card("♣7")) in table.confirm()


@pytest.mark.parametrize("gone", [ob.CameraLost, ob.ProgramRestarted])
def test_a_card_that_lay_early_is_read_again_once_somebody_sees_the_table(gone: type[Any]) -> None:
    table = Table()
    lies(table, A, "♣2")
    lies(table, C, "♣7")
    table.see(gone(at=table.at + 1))
    table.say(B, "play", card("♣K"))
    assert table.state.seat == C
    assert lies(table, C, "♣7") == [CardPlayed(C, card("♣7"))]


def test_a_misread_card_that_its_player_corrects_is_not_the_next_one_of_that_player() -> None:
    table = Table()
    table.lay("♣2 ♦4 ♣5 ♣3 ♠3 ♠6 ♠5")
    lies(table, B, "♣9")
    table.say(B, "right")
    ruled = table.say(B, "was", card("♠9"))
    assert not [event for event in ruled if isinstance(event, CardPlayed)]
    assert table.state.lying[B] == "?"


def test_a_card_that_another_has_told_is_told_once_and_played_once_the_other_is_put_right() -> None:
    table = Table()
    lies(table, B, "♣K")
    assert lies(table, C, "♣K") == [CardTwice(C, card("♣K"), 1)]
    assert lies(table, D, "♣5") == []
    assert kinds(table.say(C, "play", card("♣K"))) == ["CheckAsked"]
    ruled = table.say(B, "was", card("♣Q"))
    assert [event for event in ruled if isinstance(event, CardPlayed)] == [
        CardPlayed(C, card("♣K")),
        CardPlayed(D, card("♣5")),
    ]


def test_a_card_that_was_read_as_one_that_another_has_told_is_not_told_again_in_the_next_trick() -> None:
    table = Table()
    table.lay("♣K ♣5")
    assert lies(table, D, "♣K") == [CardTwice(D, card("♣K"), 1)]
    assert "CardTwice" not in kinds(table.play(D, "♣A"))
    assert table.state.seat == D


@pytest.mark.parametrize("dark", [False, True])
def test_a_card_that_lay_early_and_counted_is_read_again_once_its_play_is_taken_back(*, dark: bool) -> None:
    table = Table()
    lies(table, A, "♣2")
    lies(table, C, "♣7")
    assert CardPlayed(C, card("♣7")) in table.say(B, "play", card("♣K"))
    if dark:
        table.see(ob.CameraLost(at=table.at + 1))
    undo(table)
    table.say(B, "play", card("♣Q"))
    assert table.state.seat == C
    assert lies(table, C, "♣7") == [CardPlayed(C, card("♣7"))]


def test_a_card_that_another_told_is_read_again_before_it_counts_where_it_lies() -> None:
    table = Table()
    table.lay("♣2 ♣K")
    lies(table, D, "♥Q")
    table.say(C, "play", card("♥Q"))
    table.see(ob.CameraLost(at=table.at + 1))
    undo(table)
    table.say(C, "play", card("♣7"))
    assert table.state.seat == D


def test_cards_of_the_deal_before_are_none_of_this_one() -> None:
    table = Table(opens=None)
    lies(table, A, "♣2")
    lies(table, B, "♣K")
    table.declare((0,) * 4, 2)
    table.say(A, "open")
    assert table.state.seat == B
    assert len(table.state.plays) == 1


# On pictures ------------------------------------------------------------------------------------------------


class Camera:
    """The mat under a camera, and a referee who is told what is read there."""

    def __init__(self) -> None:
        self.mat = mat()
        self.mat.watcher.__init__(  # type: ignore[misc]  # nothing was seen yet
            self.mat.watcher.recogniser, self.mat.watcher.layout, self.mat.watcher.calibration
        )
        self.table = Table()
        self.at = 0
        self.lying: dict[int, list[Laid]] = {}

    def lay(self, seat: int, short: str, *, aside: float = 0.0) -> Laid:
        """A card before a seat, so many of its widths to the right of the middle."""
        place = build_mat_layout(4).place(f"seat_card:{seat}")
        laid = face(short), place.point_at((aside * CARD_MM[0], 0.0)), place.angle
        self.lying.setdefault(seat, []).append(laid)
        return laid

    def look(self, *hands: RenderedHand, looks: int = STILL) -> list[Event]:
        """What is ruled while nothing moves any more, for so many looks."""
        cards = tuple(one for laid in self.lying.values() for one in laid)
        picture = self.mat._renderer.render(TableScene(cards, hands), self.mat._noise)
        ruled: list[Event] = []
        for _ in range(looks):
            self.at += 250_000
            read = self.mat.watcher.step(picture, self.at)
            if read is not None:
                ruled += seen(self.table, *read.regions)
        return ruled

    def trick(self, **cards: str) -> list[Event]:
        """Seats by letter lay these, and then the table rests."""
        for name, short in cards.items():
            self.lay("ABCD".index(name), short)
        return self.look()


@cache
def mat() -> DrawnMat:
    setup = Setup(tuple(range(4)), RULES.options())
    return DrawnMat(RULES, setup, random.Random(1), np.random.default_rng(1), LIVE)


def played(table: Table) -> Sequence[tuple[int, str]]:
    return [(play.seat, FACES[play.card]) for play in table.state.plays]


def told(cards: Mapping[int, str]) -> list[tuple[int, str]]:
    return [(seat, face(short)) for seat, short in cards.items()]


def test_a_trick_is_booked_card_by_card_to_who_laid_it() -> None:
    camera = Camera()
    for name, short in (("B", "♣K"), ("C", "♣5"), ("D", "♣A")):
        camera.trick(**{name: short})
    assert played(camera.table) == told({A: "♣2", B: "♣K", C: "♣5", D: "♣A"})
    assert camera.table.state.seat == D


def test_the_cameras_own_picture_of_a_card_is_there_as_long_as_it_lies() -> None:
    camera = Camera()
    camera.trick(B="♣9", C="♥9")
    taken = camera.mat.watcher.card_pictures
    assert [(name, *taken[name][:1]) for name in taken] == [*pictured_cards(camera.table.state)][1:]
    assert all(picture.shape[0] > 1.2 * picture.shape[1] for _, picture in taken.values()), "upright"
    black, red = (picture[:, :, 2].mean() - picture[:, :, 0].mean() for _, picture in taken.values())
    assert red > black + 5
    camera.lying.clear()
    camera.look()
    assert not camera.mat.watcher.card_pictures


def test_two_cards_between_two_looks_are_booked_in_the_order_of_turn() -> None:
    camera = Camera()
    camera.trick(C="♣5", B="♣K")
    assert played(camera.table)[1:] == told({B: "♣K", C: "♣5"})


def test_of_two_cards_of_one_player_neither_is_booked_and_which_it_is_is_asked() -> None:
    camera = Camera()
    camera.lay(B, "♣K", aside=-0.4)
    camera.lay(B, "♣5", aside=0.4)
    assert camera.look() == [CardUnread(B)]
    assert len(camera.table.state.plays) == 1


def test_a_card_that_is_taken_back_for_another_one_stays_played() -> None:
    camera = Camera()
    camera.trick(B="♣K")
    camera.lying.clear()
    camera.look()
    camera.lay(B, "♣5")
    assert Infraction("card.changed", B) in camera.look()
    assert played(camera.table)[1:] == told({B: "♣K"})


def test_the_next_lead_comes_before_the_trick_is_cleared() -> None:
    camera = Camera()
    camera.trick(B="♣K", C="♣5", D="♣3")
    camera.lay(B, "♦9", aside=0.1)
    camera.look()
    assert played(camera.table)[4:] == told({B: "♦9"})
    camera.lay(C, "♦2", aside=-0.1)
    camera.look()
    assert played(camera.table)[4:] == told({B: "♦9", C: "♦2"})


def test_a_trick_that_is_swept_away_too_soon_leaves_one_to_be_asked() -> None:
    camera = Camera()
    camera.trick(B="♣K", C="♣5")
    camera.lying.clear()
    assert camera.look() == [TrickSwept(D)]
    camera.table.play(D, "♣3")
    assert camera.table.state.seat == B


def test_under_a_hand_nothing_is_read_and_when_it_is_gone_the_card_is() -> None:
    camera = Camera()
    camera.lay(B, "♣K")
    x, y = build_mat_layout(4).place("seat_card:1").centre_mm
    for step in range(STILL):  # no hand rests
        assert camera.look(RenderedHand((x + 6 * step, y + 4 * step), 90.0, 1), looks=1) == []
    assert camera.look() == [CardPlayed(B, card("♣K"))]


@pytest.mark.parametrize("short", ["♠Q", "♦7", "♥10"])
def test_a_card_over_two_thirds_of_the_last_one_is_read_and_where_two_corners_show_it_is_asked(
    short: str,
) -> None:
    """Never is another card booked: beside a corner of the old card nobody could say which of both it is."""
    for aside, corner in ((-1 / 3, False), (1 / 3, True)):
        camera = Camera()
        camera.trick(B="♣K", C="♣5", D="♣3")
        camera.lay(B, short, aside=aside)
        ruled = camera.look()
        assert played(camera.table)[4:] == ([] if corner else told({B: short}))
        assert (CardUnread(B) in ruled) == corner
