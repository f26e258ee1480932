"""Watching the table: what moved is read, what lies still is not, and a hand is neither card nor cloth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN, RegionReading, SeenCard, TableSeen
from companion.games import mat_layout
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.decks import build_deck, read_card_pictures
from companion.vision.layout import Calibration, Layout, Place
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import MAX_COORDINATE
from companion.vision.pictures import PictureError
from companion.vision.recogniser import Recogniser
from companion.vision.renderer import MIDDLE, RenderedHand, TableRenderer, TableScene, Textures
from companion.vision.settling import MIN_MOVED_LEVELS, MIN_VOTE_LEAD, PlaceSnapshot
from companion.vision.table_watcher import MAX_READINGS, TableWatcher
from tests.vision.drawn import write

Picture = NDArray[np.uint8]
STEP = 200_000
BACK, OBJECT = "back:blue", "object:5-6"


# By value: a mat of two places, a recogniser that knows two colours -----------------------------------------

SIDE = 60
TABLE = Layout(
    (Place("left", (100.0, 210.0), (70.0, 70.0)), Place("right", (494.0, 210.0), (70.0, 70.0), 90.0)),
)
CLOTH, RED, BLUE, SKIN = (70, 80, 60), (40, 40, 220), (220, 60, 40), (120, 160, 210)


@dataclass
class ByColour:
    """Reads a red card, a blue card, an unknown white one; all else is no card. Notes where it read."""

    read_at: list[tuple[int, int]] = field(default_factory=list)

    def read_place(
        self, frame: Picture, quad: NDArray[np.float32], *, before: Sighting | None = None
    ) -> Sighting:
        x, y = (round(float(value)) for value in np.asarray(quad).mean(axis=0))
        self.read_at.append((x, y))
        colour = tuple(int(value) for value in frame[y, x])
        card = {RED: OBJECT, BLUE: BACK, (255, 255, 255): UNKNOWN}.get(colour, "")
        return Sighting(card, np.asarray(quad, np.float32), 0.9)


def flat() -> Calibration:
    """A camera straight above, one pixel to the millimetre."""
    return Calibration(np.eye(3), (594, 420))


def table(**cards: tuple[int, int, int]) -> Picture:
    """The mat with squares of colour in its places."""
    frame = np.full((420, 594, 3), CLOTH, np.uint8)
    for name, colour in cards.items():
        x, y = (round(value) for value in TABLE.place(name).centre_mm)
        half = SIDE // 2
        cv2.rectangle(frame, (x - half, y - half), (x + half, y + half), colour, -1)
    return frame


class Watching:
    """A watcher, its recogniser, and the frames it was shown."""

    def __init__(self) -> None:
        self.eye = ByColour()
        self.watcher = TableWatcher(self.eye, TABLE, flat())  # type: ignore[arg-type]
        self.at = 0

    def show(self, frame: Picture, times: int = 1) -> list[TableSeen]:
        """What is told while this picture is seen so many times."""
        told = []
        for _ in range(times):
            self.at += STEP
            seen = self.watcher.step(frame, self.at)
            told += [seen] if seen is not None else []
        return told


def test_a_picture_of_another_size_than_the_calibration_holds_for_is_refused() -> None:
    watching = Watching()
    with pytest.raises(PictureError, match=r"\(300, 200\) pixels.*\(594, 420\)"):
        watching.show(np.zeros((200, 300, 3), np.uint8))


def test_places_that_are_not_in_the_picture_are_not_read() -> None:
    watching = Watching()
    away = np.array([[1.0, 0.0, 300.0], [0.0, 1.0, 5_000.0], [0.0, 0.0, 1.0]])
    watching.watcher = TableWatcher(watching.eye, TABLE, Calibration(away, (594, 420)))  # type: ignore[arg-type]
    assert watching.show(table(), 4) == []
    assert watching.eye.read_at == []


def test_a_place_on_the_horizon_is_somewhere() -> None:
    horizon = Calibration(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1 / 210, 1.0]]), (594, 420))
    assert np.abs(horizon.to_pixels([(297.0, 210.0)])).max() == MAX_COORDINATE


def test_a_card_is_told_when_it_has_settled() -> None:
    watching = Watching()
    assert watching.show(table(left=RED), MIN_VOTE_LEAD) == []
    (seen,) = watching.show(table(left=RED))
    assert seen.at == (MIN_VOTE_LEAD + 1) * STEP
    (left, right) = seen.regions
    assert left == RegionReading("left", (SeenCard(OBJECT, 0, 0.9),), clear_until=0, lies_since=2 * STEP)
    assert right.faces == (), "bare cloth"


def test_a_still_table_is_not_read_again() -> None:
    watching = Watching()
    watching.show(table(left=RED), 5)
    before = watching.watcher.reading_count
    assert watching.show(table(left=RED), 100) == []
    assert watching.watcher.reading_count == before == len(TABLE.places) * MIN_VOTE_LEAD


def test_only_the_place_that_changed_is_read_again() -> None:
    watching = Watching()
    watching.show(table(left=RED, right=BLUE), 5)
    watching.eye.read_at.clear()
    (seen,) = watching.show(table(left=BLUE, right=BLUE), 6)
    assert [region.name for region in seen.regions] == ["left"]
    assert {x for x, _ in watching.eye.read_at} == {100}


def test_a_card_that_was_moved_elsewhere_is_told_in_both_places() -> None:
    watching = Watching()
    watching.show(table(left=RED), 6)
    (seen,) = watching.show(table(right=RED), 6)
    assert {region.name: [face.card for face in region.faces] for region in seen.regions} == {
        "left": [],
        "right": [OBJECT],
    }


def test_a_change_tells_until_when_the_old_card_lay_and_since_when_the_new_one() -> None:
    watching = Watching()
    watching.show(table(left=BLUE), 6)
    until = watching.at
    watching.show(table(left=SKIN), 2)
    (seen,) = watching.show(table(left=RED), 6)
    (region,) = seen.regions
    assert region.clear_until == until
    assert region.lies_since == until + 4 * STEP, "the second frame in which nothing moves any more"


def test_a_hand_that_moves_is_never_read() -> None:
    watching = Watching()
    watching.show(table(left=RED), 6)
    before = watching.watcher.reading_count
    for step in range(10):
        moving = table(left=RED)
        cv2.circle(moving, (60 + 8 * step, 210), 25, SKIN, -1)
        assert watching.show(moving) == []
    assert watching.watcher.reading_count == before


def test_a_hand_that_rests_is_no_reading() -> None:
    watching = Watching()
    watching.show(table(left=RED), 6)
    before = watching.watcher.reading_count
    assert watching.show(table(left=SKIN), 20) == []
    assert watching.watcher.reading_count == before + MIN_VOTE_LEAD, "it is not searched for a card for ever"
    assert watching.watcher.settled_contents()["left"] == (SeenCard(OBJECT, 0, 0.9),)
    assert watching.show(table(left=RED), 6) == [], "and the same card under it is no news"


def test_a_card_in_the_hand_leaves_bare_cloth_behind() -> None:
    watching = Watching()
    watching.show(table(left=RED), 6)
    (seen,) = watching.show(table(), 6)
    assert [(region.name, region.faces) for region in seen.regions] == [("left", ())]


def test_a_card_it_does_not_know_is_told_as_unknown_and_counted() -> None:
    watching = Watching()
    white = (255, 255, 255)
    told = watching.show(table(left=white), 9)
    assert [region.name for seen in told for region in seen.regions] == ["right"], "perhaps it is a hand"
    assert watching.watcher.unknown_count == 0
    (seen,) = watching.show(table(left=white))
    assert seen.regions[0].faces == (SeenCard(UNKNOWN, 0, 0.0),)
    assert watching.watcher.unknown_count == 1


def test_reading_again_tells_what_lies_there_once_more() -> None:
    watching = Watching()
    watching.show(table(left=RED, right=BLUE), 6)
    watching.watcher.read_again("left")
    (seen,) = watching.show(table(left=RED, right=BLUE), 6)
    assert [region.name for region in seen.regions] == ["left"]
    watching.watcher.read_again()
    (seen,) = watching.show(table(left=RED, right=BLUE), 6)
    assert [region.name for region in seen.regions] == ["left", "right"]


def test_only_the_places_asked_for_are_looked_at() -> None:
    watching = Watching()
    told = [watching.watcher.step(table(left=RED, right=BLUE), at, frozenset({"right"})) for at in range(9)]
    assert [region.name for seen in told if seen for region in seen.regions] == ["right"]


# On rendered frames -----------------------------------------------------------------------------------------

DECK = bundled_assets_folder() / "decks" / "kinapa"
MAT = mat_layout("kinapa", 4)


@pytest.fixture(scope="module")
def renderer() -> TableRenderer:
    return TableRenderer(Textures.load(DECK), MAT, MIDDLE)


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(build_deck(read_card_pictures(DECK / "enrol"), name="kinapa"))


class Table:
    """A simulated table in the middle setting, watched in the places a test is about."""

    def __init__(self, renderer: TableRenderer, recogniser: Recogniser, *places: str) -> None:
        self._renderer = renderer
        self._noise = np.random.default_rng(11)
        self._places = frozenset(places)
        calibration = Calibration.from_marks(renderer.render(TableScene(), self._noise), MAT)
        self.watcher = TableWatcher(recogniser, MAT, calibration)
        self.at, self.light = 0, 1.0

    def show(self, *cards: tuple[str, str], hand: str = "", times: int = 5) -> list[RegionReading]:
        laid = []
        for card, slot in cards:
            x, y = MAT.object_card_place(slot).centre_mm
            laid.append((card, (x + 1.5, y - 1.0), 3.0))
        hands = (RenderedHand(MAT.place(hand).centre_mm, 180.0),) if hand else ()
        told: list[RegionReading] = []
        for _ in range(times):
            self.at += STEP
            picture = self._renderer.render(TableScene(tuple(laid), hands), self._noise)
            picture = np.asarray(picture * self.light, np.uint8)
            seen = self.watcher.step(picture, self.at, self._places)
            told += seen.regions if seen is not None else ()
        return told


@pytest.fixture
def rendered(renderer: TableRenderer, recogniser: Recogniser) -> Table:
    return Table(renderer, recogniser, "slot:2", "slot:6")


def cards(regions: list[RegionReading]) -> dict[str, list[str]]:
    return {region.name: [face.card for face in region.faces] for region in regions}


def test_a_turned_object_is_told_and_a_hand_over_it_is_not(rendered: Table) -> None:
    first = rendered.show((BACK, "slot:2"), (BACK, "slot:6"))
    assert cards(first) == {"slot:2": [BACK], "slot:6": [BACK]}
    still = rendered.watcher.reading_count
    assert rendered.show((BACK, "slot:2"), (BACK, "slot:6"), times=4) == []
    assert rendered.watcher.reading_count == still, "a still table is not read again, noise or not"
    assert rendered.show((BACK, "slot:2"), (BACK, "slot:6"), hand="slot:2", times=4) == []
    (turned,) = rendered.show((OBJECT, "slot:2"), (BACK, "slot:6"))
    assert cards([turned]) == {"slot:2": [OBJECT]}
    assert turned.clear_until < turned.lies_since <= rendered.at


def test_a_card_taken_from_its_place_and_laid_into_another_is_seen_in_both(rendered: Table) -> None:
    rendered.show((OBJECT, "slot:2"))
    moved = rendered.show((OBJECT, "slot:6"), times=6)
    assert cards(moved) == {"slot:2": [], "slot:6": [OBJECT]}


def test_white_paper_in_the_dark_is_no_bare_cloth() -> None:
    """In a third of a mat's light both are grey, and near to one another."""
    watching, cloth, paper = Watching(), (37, 43, 35), (78, 78, 78)
    dark = np.full((420, 594, 3), cloth, np.uint8)
    cv2.rectangle(dark, (65, 175), (135, 245), paper, -1)
    told = watching.show(dark, 12)
    assert [(region.name, region.faces) for seen in told for region in seen.regions] == [("right", ())]


@pytest.mark.parametrize("light", [0.35, 0.12])
def test_a_card_in_the_dark_is_read_or_left_undecided(rendered: Table, light: float) -> None:
    rendered.light = light
    told = cards(rendered.show((OBJECT, "slot:2"), times=15))
    assert told.get("slot:2") != []
    assert told["slot:6"] == []


def test_bare_cloth_is_searched_for_no_card() -> None:
    watching = Watching()
    told = watching.show(table(), 6)
    assert [(region.name, region.faces) for seen in told for region in seen.regions] == [
        ("left", ()),
        ("right", ()),
    ]
    assert watching.eye.read_at == []


class Now(ByColour):
    """Reads cards as they are but for the looks in which it is to say something else."""

    def __init__(self, *says: str) -> None:
        super().__init__()
        self.says = list(says)

    def read_place(
        self, frame: Picture, quad: NDArray[np.float32], *, before: Sighting | None = None
    ) -> Sighting:
        seen = super().read_place(frame, quad, before=before)
        return Sighting(self.says.pop(0) if self.says else seen.card, seen.corners, 0.9)


def test_a_card_that_not_every_picture_shows_well_is_read_from_several_and_nobody_is_asked() -> None:
    watching = Watching()
    watching.watcher = TableWatcher(Now(UNKNOWN, OBJECT, "", OBJECT), TABLE, flat())  # type: ignore[arg-type]
    told = watching.show(table(left=RED), 12)
    left = [region for seen in told for region in seen.regions if region.name == "left"]
    assert left == [RegionReading("left", (SeenCard(OBJECT, 0, 0.9),), clear_until=0, lies_since=2 * STEP)]
    assert watching.watcher.unknown_count == 0


def test_a_place_that_stays_unknown_is_not_read_for_ever() -> None:
    watching = Watching()
    watching.watcher = TableWatcher(eye := ByColour(), TABLE, flat())  # type: ignore[arg-type]
    watching.show(table(left=(255, 255, 255)), 30)
    assert watching.watcher.unknown_count == 1
    assert len([at for at in eye.read_at if at[0] < 297]) == MAX_READINGS


# A camera that sways, light that flickers -------------------------------------------------------------------


def seen_from(frame: Picture, aside: float, down: float, light: float = 1.0) -> Picture:
    """The picture of a camera that hangs so many pixels beside where it hung, in other light."""
    beside = np.array([[1, 0, aside], [0, 1, down]], np.float32)
    size = (frame.shape[1], frame.shape[0])
    moved = cv2.warpAffine(frame, beside, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.clip(moved * light, 0, 255).round(), np.uint8)


def test_a_table_seen_by_a_camera_that_sways_in_light_that_flickers_lies_still() -> None:
    watching, laid = Watching(), table(left=(200, 200, 230))
    watching.watcher = TableWatcher(Now(), TABLE, flat())  # type: ignore[arg-type]
    cv2.rectangle(laid, (85, 195), (115, 225), RED, -1)
    for at in range(5):
        told = watching.show(seen_from(laid, 0.8 * np.cos(2 * at), 0.8 * np.sin(3 * at), 1 + 0.05 * (at % 2)))
        assert bool(told) is (at == MIN_VOTE_LEAD), at


def in_bands(frame: Picture, at: int, depth: float) -> Picture:
    """As a sensor sees it that takes 33 ms for its rows, under a lamp on the mains; every phase comes."""
    rows = np.arange(len(frame)) / len(frame)
    light = 1 + depth * np.sin(2 * np.pi * (100 / 30 * rows + 0.381966 * at))
    return np.asarray(np.clip(frame * light[:, None, None], 0, 255).round(), np.uint8)


class ByHue(ByColour):
    """Reads red and blue cards in any light."""

    def read_place(
        self, frame: Picture, quad: NDArray[np.float32], *, before: Sighting | None = None
    ) -> Sighting:
        x, y = (round(float(value)) for value in np.asarray(quad).mean(axis=0))
        blue, _, red = (int(value) for value in frame[y, x])
        card = OBJECT if red > 2 * blue else BACK if blue > 2 * red else ""
        return Sighting(card, np.asarray(quad, np.float32), 0.9)


def test_a_table_under_a_lamp_that_flickers_lies_still_and_what_is_laid_there_is_noticed() -> None:
    watching, laid = Watching(), table(left=(160, 160, 190))
    watching.watcher = TableWatcher(ByHue(), TABLE, flat())  # type: ignore[arg-type]
    cv2.rectangle(laid, (85, 195), (115, 225), RED, -1)
    told = [seen for at in range(10) for seen in watching.show(in_bands(laid, at, 0.14))]
    assert {
        region.name: [face.card for face in region.faces] for seen in told for region in seen.regions
    } == {
        "left": [OBJECT],
        "right": [],
    }
    other = cv2.rectangle(laid.copy(), (85, 195), (115, 225), BLUE, -1)
    told = [seen for at in range(10, 20) for seen in watching.show(in_bands(other, at, 0.14))]
    assert [(region.name, region.faces[0].card) for seen in told for region in seen.regions] == [
        ("left", BACK)
    ]


def test_what_stays_undecided_has_a_reason_that_people_can_mend() -> None:
    watching, laid = Watching(), table(left=RED, right=BLUE)
    for at in range(20):
        watching.show(in_bands(laid, at, 0.6))
    assert watching.watcher.restlessness(watching.at) == "flicker"
    watching = Watching()
    for at in range(20):
        watching.show(seen_from(laid, 9.0 * (at % 2), 0.0))
    assert watching.watcher.restlessness(watching.at) == "restless"
    watching = Watching()
    for at in range(20):
        watching.show(table(left=(RED, SKIN, BLUE)[at % 3], right=BLUE))
    assert watching.watcher.restlessness(watching.at) == "", "hands are at one place"
    assert watching.watcher.restlessness(watching.at, frozenset({"left"})) == "covered"
    assert watching.watcher.restlessness(watching.at, frozenset({"right"})) == ""
    watching.show(table(left=RED, right=BLUE), 6)
    assert watching.watcher.restlessness(watching.at, frozenset({"left"})) == "", "it is decided"


@pytest.mark.parametrize("under", [CLOTH, RED])
def test_what_rests_over_a_place_that_is_waited_for_is_told_once_after_three_seconds(
    under: tuple[int, int, int],
) -> None:
    watching, awaited = Watching(), frozenset({"left"})
    watching.show(table(left=under), 6)
    told = [""]
    for _ in range(50):
        watching.show(table(left=SKIN))
        why = watching.watcher.restlessness(watching.at, awaited)
        told += [why] if why != told[-1] else []
    assert told == ["", "covered", ""]


def dimmed(frame: Picture, at: int) -> Picture:
    """A camera that sets its exposure by itself, 4 % of the light at a time, and goes half as far back."""
    return seen_from(frame, 0, 0, 1.3 * 0.96 ** min(at, 7) * 1.02 ** max(0, min(at - 7, 5)))


def hunted(frame: Picture, at: int) -> Picture:
    """A lens that seeks its focus: there and back again within a second, and once more."""
    soft = cv2.GaussianBlur(frame, (0, 0), 0.3 + 1.1 * abs(math.sin(1.3 * at)))
    return np.asarray(soft, np.uint8)


def compressed(frame: Picture, at: int) -> Picture:
    """As a webcam sends it, with noise that each picture compresses otherwise."""
    noisy = frame + 4 * np.random.default_rng(at).standard_normal(frame.shape)
    done, packed = cv2.imencode(
        ".jpg", np.clip(noisy, 0, 255).astype(np.uint8), (cv2.IMWRITE_JPEG_QUALITY, 40)
    )
    assert done
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def shadowed(frame: Picture, at: int) -> Picture:
    """The soft shadow of a hand goes over the left place and stays over half of it."""
    light = np.ones(frame.shape[:2], np.float32)
    cv2.circle(light, (min(20 + 30 * at, 130), 215), 40, 0.65, -1)
    light = cv2.GaussianBlur(light, (0, 0), 9)
    return np.asarray(np.clip(frame * light[..., None], 0, 255).round(), np.uint8)


SPOILT = (dimmed, hunted, compressed, shadowed)


@pytest.mark.parametrize("bands", [0.0, 0.14])
@pytest.mark.parametrize("spoil", SPOILT)
def test_exposure_focus_compression_and_a_hands_shadow_keep_no_place_undecided(
    spoil: Callable[[Picture, int], Picture], bands: float
) -> None:
    watching, laid = Watching(), table(left=(160, 160, 190), right=(160, 160, 190))
    watching.watcher = TableWatcher(ByHue(), TABLE, flat())  # type: ignore[arg-type]
    for x, colour in ((100, RED), (494, BLUE)):
        cv2.rectangle(laid, (x - 15, 195), (x + 15, 225), colour, -1)
    told = [seen for at in range(15) for seen in watching.show(spoil(in_bands(laid, at, bands), at))]
    found = [(region.name, region.faces[0].card) for seen in told for region in seen.regions]
    assert sorted(found) == [("left", OBJECT), ("right", BACK)]
    assert watching.watcher.restlessness(watching.at, frozenset({"left", "right"})) == ""
    bare = cv2.rectangle(laid.copy(), (60, 170), (140, 250), CLOTH, -1)
    told = [seen for at in range(15, 30) for seen in watching.show(spoil(in_bands(bare, at, bands), at))]
    assert [(region.name, region.faces) for seen in told for region in seen.regions] == [("left", ())]


@pytest.mark.parametrize("by", [(5.0, 0.0), (0.0, -6.0)])
def test_a_card_that_is_pushed_moves_however_little_else_does(by: tuple[float, float]) -> None:
    laid = table(left=(230, 230, 230))
    one, other = (PlaceSnapshot.of(frame[175:260, 65:135]) for frame in (laid, seen_from(laid, *by)))
    assert one.differs_from(other)


def test_a_finger_over_the_edge_of_a_place_moves_in_any_light() -> None:
    laid = table(left=(230, 230, 230))
    touched = cv2.circle(laid.copy(), (100, 255), 9, SKIN, -1)
    place = np.s_[175:260, 65:135]
    assert PlaceSnapshot.of(laid[place]).differs_from(
        PlaceSnapshot.of(seen_from(touched, 0.7, 0.4, 0.95)[place])
    )
    assert not PlaceSnapshot.of(laid[place]).differs_from(
        PlaceSnapshot.of(seen_from(laid, 0.7, 0.4, 0.95)[place])
    )


@pytest.mark.parametrize("part", range(20))
def test_what_fills_one_part_of_the_thumbnail_moves_wherever_it_falls(part: int) -> None:
    bare = np.full((145, 337, 3), CLOTH, np.uint8)
    touched = bare.copy()
    rows = np.s_[math.floor(part * 145 / 20) : math.ceil((part + 1) * 145 / 20)]
    columns = np.s_[math.floor(part * 337 / 24) : math.ceil((part + 1) * 337 / 24)]
    touched[rows, columns] += round(1.5 * MIN_MOVED_LEVELS)
    assert PlaceSnapshot.of(bare).differs_from(PlaceSnapshot.of(touched))


@pytest.mark.parametrize(
    ("aside", "light", "blur"), [(3.0, 1.0, 0.1), (-2.0, 0.8, 0.1), (1.0, 1.2, 1.0), (0.0, 1.0, 2.0)]
)
def test_a_camera_that_sways_far_or_loses_focus_moves_nothing(
    aside: float, light: float, blur: float
) -> None:
    laid = table(left=(160, 160, 190))
    for at, digit in enumerate("27"):
        write(laid, digit, (77 + 24 * at, 200, 18, 26), RED)
    seen = seen_from(np.asarray(cv2.GaussianBlur(laid, (0, 0), blur), np.uint8), aside, 1.0, light)
    one, other = (PlaceSnapshot.of(frame[170:255, 60:140]) for frame in (laid, seen))
    assert not one.differs_from(other)
    assert one.differs_from(
        PlaceSnapshot.of(seen_from(table(left=(160, 160, 190)), aside, 1.0, light)[170:255, 60:140])
    )


def test_a_card_as_dark_as_the_cloth_is_taken_away_in_other_light() -> None:
    """Red, and the cloth as grey as it is: no light makes the one of the other."""
    laid, bare = table(left=RED), seen_from(table(), 0.5, 0.5, 1.2)
    assert PlaceSnapshot.of(laid[175:260, 65:135]).differs_from(PlaceSnapshot.of(bare[175:260, 65:135]))


# A hand that changes nothing --------------------------------------------------------------------------------

TOLD = Layout(
    (*TABLE.places,), (Place("deck", (297.0, 210.0), (70.0, 70.0)),), 0, (594.0, 420.0), 4, ("left",)
)


class Placed(ByColour):
    """Finds cards so many pixels to the right of their places."""

    aside = 0.0

    def read_place(
        self, frame: Picture, quad: NDArray[np.float32], *, before: Sighting | None = None
    ) -> Sighting:
        seen = super().read_place(frame, quad, before=before)
        return Sighting(seen.card, seen.corners + np.float32((self.aside, 0)), 0.9)


def handled(
    passes: tuple[str, ...],
    seconds: float,
    *,
    aside: int = 100,
    after: tuple[int, int, int] = RED,
    shift: float = 0.0,
) -> list[TableSeen]:
    """A hand moves over a place for so long, and what lies there looks as before."""
    watching, eye = Watching(), Placed()
    layout = replace(TOLD, hand_passes=passes)
    watching.watcher = TableWatcher(eye, layout, flat())  # type: ignore[arg-type]
    watching.show(table(left=RED), 6)
    for step in range(round(seconds * 1_000_000 / STEP)):
        under = cv2.circle(table(left=RED), (100, 205 + 5 * (step % 3)), 26, SKIN, -1)
        watching.show(np.asarray(cv2.circle(under, (aside, 205 + 5 * (step % 3)), 26, SKIN, -1), np.uint8))
    eye.aside = shift
    return watching.show(table(left=after), 12)


def test_a_hand_that_was_over_a_place_for_a_second_is_told_with_what_lies_there_as_before() -> None:
    (seen,) = handled((), 1.2)
    (region,) = seen.regions
    assert (region.name, region.faces) == ("left", (SeenCard(OBJECT, 0, 0.9),))
    assert region.lies_since - region.clear_until >= 1_200_000


def test_a_hand_that_is_gone_sooner_or_on_its_way_to_the_deck_is_not_told() -> None:
    assert handled((), 0.6) == []
    assert handled(("deck",), 1.2, aside=297) == []
    (seen,) = handled(("deck",), 1.2)
    assert seen.regions[0].name == "left"


def test_where_the_card_lies_otherwise_than_before_half_a_second_is_enough_and_no_hand_only_passed() -> None:
    (seen,) = handled((), 0.4, shift=3.0)
    assert seen.regions[0].faces == (SeenCard(OBJECT, 0, 0.9),)
    (seen,) = handled(("deck",), 1.2, aside=297, shift=3.0)
    assert seen.regions[0].name == "left"
    assert handled((), 0.4, shift=0.3) == []


def test_what_a_hand_laid_is_told_once() -> None:
    told = handled((), 1.2, after=BLUE)
    assert [region.faces[0].card for seen in told for region in seen.regions] == [BACK]
