"""Places where several cards lie side by side: each read as its owner sees it, all of them or none."""

from __future__ import annotations

import random

import numpy as np
import pytest

from companion.core.observations import UNKNOWN, SeenCard
from companion.games import mat_layout, printed_mat
from companion.games.kit.world import split_rotation
from companion.simulation.simulated_table import SceneBuilder
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.decks import Deck
from companion.vision.layout import CARD_MM, MAT_MM, Calibration
from companion.vision.recogniser import Recogniser
from companion.vision.renderer import MIDDLE, TableRenderer, TableScene, Textures
from companion.vision.table_watcher import TableWatcher

FOLDER = bundled_assets_folder() / "decks" / "dnup"
FIVE = mat_layout("dnup", 5)
SIXES_AND_NINES = ("pair:1-6", "pair:1-9@180", "pair:2-6@180", "pair:2-9", "pair:3-6", "pair:3-9@180")


class Table:
    """A rendered table with its watcher."""

    def __init__(self) -> None:
        self.noise = np.random.default_rng(4)
        self.renderer = TableRenderer(Textures.load(FOLDER), FIVE, MIDDLE)
        bare = self.renderer.render(TableScene(), self.noise)
        calibration = Calibration.from_marks(bare, FIVE)
        self.watcher = TableWatcher(Recogniser(Deck.load(FOLDER / "dnup.deck")), FIVE, calibration)
        self.watcher.step(bare, 0)

    def read(self, place: str, *cards: str) -> list[tuple[str, int]] | None:
        """What settles in a place on which these cards are laid: card, and 0 or 180."""
        scenes = SceneBuilder(FIVE, range(5), random.Random(3))
        scene = scenes.build_scene({place: cards}, ())
        for at in range(1, 40):
            seen = self.watcher.step(self.renderer.render(scene, self.noise), at * 200_000)
            for region in seen.regions if seen is not None else ():
                if region.name == place:
                    return [way_up(face) for face in region.faces]
        return None


def way_up(face: SeenCard) -> tuple[str, int]:
    away = abs((face.turn + 180) % 360 - 180)
    assert away < 30 or away > 150, face
    return face.card, 0 if away < 90 else 180


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


@pytest.mark.parametrize("place", ["set:1", "set:3", "set:4"])
def test_cards_are_read_the_way_up_their_owner_sees_them(table: Table, place: str) -> None:
    """Areas at 0, 90 and 180 degrees; a 6 is no 9, however it lies."""
    cards = SIXES_AND_NINES[:4]
    assert table.read(place, *cards) == [split_rotation(card) for card in cards]


def test_an_area_that_is_cleared_is_bare(table: Table) -> None:
    assert table.read("set:2", *SIXES_AND_NINES[4:]) == [split_rotation(card) for card in SIXES_AND_NINES[4:]]
    assert table.read("set:2") == []


def test_one_card_that_cannot_be_told_makes_the_whole_area_unknown(table: Table) -> None:
    watcher = table.watcher
    scene = SceneBuilder(FIVE, range(5), random.Random(3)).build_scene(
        {"set:5": ("pair:1-6", "pair:2-9")}, ()
    )
    frame = table.renderer.render(scene, table.noise)
    place = FIVE.place("set:5")
    spot = FIVE.spots("set:5")[1]
    box = watcher.calibration.place_corners(spot)
    low, high = box.min(axis=0).astype(int), box.max(axis=0).astype(int)
    frame[low[1] + 30 : high[1] - 30, low[0] + 20 : high[0] - 20] = (30, 200, 240)
    content = watcher._read_place(frame, place)
    assert content is not None
    assert [face.card for face in content] == [UNKNOWN]


def test_the_areas_of_the_mat_lie_on_it_and_apart() -> None:
    for players in range(2, 6):
        boxes = []
        for place in mat_layout("dnup", players).places:
            corners = place.corners_mm()
            low, high = corners.min(axis=0), corners.max(axis=0)
            assert (low > 0).all()
            assert (high < MAT_MM).all()
            boxes.append((low, high))
        for number, (low, high) in enumerate(boxes):
            for other_low, other_high in boxes[number + 1 :]:
                assert (low >= other_high).any() or (high <= other_low).any()


def test_two_players_have_their_second_area_at_their_left() -> None:
    layout = mat_layout("dnup", 2)
    for first, second in (("set:1", "set:2"), ("set:3", "set:4")):
        here, there = layout.place(first), layout.place(second)
        assert here.angle == there.angle
        right_of = here.point_at((1.0, 0.0))[0] - here.centre_mm[0]
        assert (here.centre_mm[0] - there.centre_mm[0]) * right_of > 0


def test_each_spot_holds_a_card() -> None:
    for place in printed_mat("dnup").places:
        spots = printed_mat("dnup").spots(place.name)
        assert len(spots) == place.grid[0] * place.grid[1] >= 6
        assert all(spot.size_mm == CARD_MM and spot.angle == place.angle for spot in spots)
