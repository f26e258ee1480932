"""The boxes of the cupboard: ours are sound, and what the owner mistypes is told in a sentence."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import cv2
import numpy as np
import pygame
import pytest
from msgspec.structs import replace

from companion.core.game import Preset
from companion.core.view import Sentence
from companion.games import GAMES
from companion.games.any_game.cupboard import list_presets
from companion.games.any_game.rules.model import AnyGameOptions
from companion.language.language import Language
from companion.table.games import build_offer
from companion.ui.commands import ShowPage
from companion.ui.frame import GameDraft, HomeFrame, UiState
from companion.ui.pages.home import HomePage
from companion.ui.toolkit.theme import GOLD
from companion.vision.box_photo import PHOTO_SIDE
from companion.vision.pictures import decode_picture
from tests.ui.shown import screen

WRONG = {
    "typing": ("[rules\nbank = 60", "line 1"),
    "unknown": ("[rules]\nbnak = 60", "bnak"),
    "value": ("[rules]\nbank = 7", "bank"),
    "large": ("#" * 70_000, "larger"),
    "colour": ('colour = "brown"', "colour"),
    "name": ('name = "' + "x" * 40 + '"', "name"),
    "letters": ("\x00", "oops"),
}


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_eight_kinds_are_in_the_box_under_names_of_their_own(tmp_path: Path, language: str) -> None:
    words = Language(language)
    titles = {words.text(one.title) for one in list_presets(tmp_path) if isinstance(one, Preset)}
    assert len(titles) == 8
    assert all(words.has_words_for(one.title) for one in list_presets(tmp_path) if isinstance(one, Preset))


def test_the_owners_boxes_come_after_ours_under_the_owners_name(tmp_path: Path) -> None:
    (tmp_path / "tiles.toml").write_text(
        'name = "Grandma’s tiles"\n[rules]\npoints = true\n', encoding="utf-8"
    )
    own = list(list_presets(tmp_path))[-1]
    assert isinstance(own, Preset)
    assert own.options == AnyGameOptions(points=True)
    assert Language("en").text(own.title) == "Grandma’s tiles"


@pytest.mark.parametrize("name", WRONG)
def test_a_box_that_cannot_be_used_is_one_sentence_and_the_others_are_there(
    tmp_path: Path, name: str
) -> None:
    written, told = WRONG[name]
    (tmp_path / "oops.toml").write_text(written, encoding="utf-8")
    *ours, broken = list_presets(tmp_path)
    assert len(ours) == 8
    assert isinstance(broken, Sentence)
    said = Language("en").text(broken)
    assert told in said
    assert "\n" not in said


ORANGE = (20, 120, 240)
"""Blue, green and red of a photo."""


def add_box(folder: Path, name: str, *, photo: bool = False, high: int = 900) -> Path:
    """A box of the owner's in the folder, all with the same rules; returns where its photo belongs."""
    (folder / f"{name}.toml").write_text("", encoding="utf-8")
    file = folder / f"{name}.jpg"
    if photo:
        cv2.imwrite(str(file), np.full((high, 1200, 3), ORANGE, np.uint8))
    return file


def test_a_photo_beside_the_file_is_on_the_lid_and_small(tmp_path: Path) -> None:
    add_box(tmp_path, "tiles", photo=True)
    own = list(list_presets(tmp_path))[-1]
    assert isinstance(own, Preset)
    picture = decode_picture(own.photo)
    assert picture is not None
    assert max(picture.shape) == PHOTO_SIDE
    assert np.abs(picture[100, 100].astype(int) - ORANGE).max() < 6


def _write_large(file: Path) -> None:
    cv2.imwrite(str(file), np.zeros((7_900, 8_200), np.uint8))


UNFIT = {
    "text": lambda file: file.write_text("no picture"),
    "folder": lambda file: file.mkdir(),
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_bytes(
        cv2.imencode(".jpg", np.zeros((90, 90, 3), np.uint8))[1].tobytes()[:90]
    ),
    "heavy": lambda file: file.write_bytes(b"\xff\xd8" + b"\0" * (1 << 20)),
    "large": _write_large,
    "long": lambda file: (
        cv2.imwrite(str(file.with_suffix(".png")), np.zeros((40_000, 2), np.uint8))
        and file.with_suffix(".png").rename(file)
    ),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_a_photo_that_cannot_be_used_is_one_sentence_and_its_box_opens(tmp_path: Path, kind: str) -> None:
    UNFIT[kind](add_box(tmp_path, "tiles"))
    *_, told, own = list_presets(tmp_path)
    assert told == Sentence("any_game.line.preset.photo", (("file", "tiles.jpg"),))
    assert isinstance(own, Preset)
    assert (own.file, own.photo) == ("tiles", b"")


def test_a_photo_without_its_box_or_beside_one_of_ours_is_on_no_lid(tmp_path: Path) -> None:
    add_box(tmp_path, "tiles", photo=True)
    (tmp_path / "tiles.toml").unlink()
    assert {one.photo for one in list_presets(tmp_path) if isinstance(one, Preset)} == {b""}


def home(tmp_path: Path, overlay: str = "", box: str = "") -> HomeFrame:
    boxes = tuple(one for one in list_presets(tmp_path) if isinstance(one, Preset))
    return HomeFrame(
        ui_state=UiState(draft=GameDraft("any_game", chairs=(0, 1), box=box), overlay=overlay),
        offered=(build_offer(GAMES["any_game"]),),
        is_setup=True,
        presets=boxes,
        options=AnyGameOptions(),
        chairs=8,
    )


@pytest.mark.parametrize("size", [(1280, 720), (800, 480)])
def test_a_box_is_chosen_with_the_table_buttons_alone(tmp_path: Path, size: tuple[int, int]) -> None:
    page, frame = HomePage(screen(size)), home(tmp_path)
    assert "presets" in {target.key for target in page.painted_sheet(frame).targets}
    frame = home(tmp_path, overlay="presets")
    shown = {target.key: target for target in page.painted_sheet(frame).targets if target.takes_focus}
    changes = dict(shown["preset:any_game.line.preset.buzzer"].action.changes)
    assert changes["overlay"] == ""
    assert changes["draft"].options == replace(
        AnyGameOptions(), order="buzzer", cooldown=3, shut_out=True, points=True
    )
    assert len([key for key in shown if key.startswith("preset:")]) == 8


@pytest.mark.parametrize("size", [(1280, 720), (800, 480)])
@pytest.mark.parametrize("high", [300, 900, 2400])
def test_a_photo_fills_the_lid(tmp_path: Path, size: tuple[int, int], high: int) -> None:
    add_box(tmp_path, "tiles", photo=True, high=high)
    sheet = HomePage(screen(size)).painted_sheet(home(tmp_path, overlay="presets"))
    place = next(target.rect for target in sheet.targets if target.key == "preset:tiles")
    lid = pygame.Rect(place.x, place.y, place.w, place.h - 2 * sheet.painter.line_height(1.2) - sheet.em(0.3))
    for spot in (
        lid.midleft,
        lid.midbottom,
        lid.center,
        (lid.right - 6, lid.centery),
        (lid.centerx, lid.y + 5),
    ):
        x, y = min(max(spot[0], lid.x + 5), lid.right - 6), min(spot[1], lid.bottom - 6)
        assert np.abs(np.array(sheet.surface.get_at((x, y)))[:3] - ORANGE[::-1]).max() < 12


def test_of_two_boxes_with_the_same_rules_the_one_that_was_taken_is_marked(tmp_path: Path) -> None:
    for name in ("chess", "tiles"):
        add_box(tmp_path, name)
    page = HomePage(screen((1280, 720)))

    def marked(box: str) -> set[str]:
        sheet = page.painted_sheet(home(tmp_path, "presets", box))
        return {
            target.key
            for target in sheet.targets
            if sheet.surface.get_at((target.rect.centerx, target.rect.bottom - 5 - sheet.em(0.3)))[:3] == GOLD
        }

    assert marked("tiles") == {"preset:tiles"}
    assert marked("chess") == {"preset:chess"}
    assert marked("") == set()
    shown = {target.key: target for target in page.painted_sheet(home(tmp_path, "presets")).targets}
    assert dict(shown["preset:tiles"].action.changes)["draft"].box == "tiles"
    assert dict(shown["preset:any_game.line.preset.buzzer"].action.changes)["draft"].box == ""


@pytest.mark.parametrize(("box", "camera"), [("tiles", True), ("tiles", False), ("gone", True), ("", True)])
def test_a_photo_is_offered_of_the_owners_box_where_there_is_a_camera(
    tmp_path: Path, box: str, camera: bool
) -> None:
    add_box(tmp_path, "tiles")
    frame = dataclasses.replace(home(tmp_path, "presets", box), has_camera=camera)
    shown = {target.key: target for target in HomePage(screen((1280, 720))).painted_sheet(frame).targets}
    assert ("photo" in shown) == ((box, camera) == ("tiles", True))
    if "photo" in shown:
        assert shown["photo"].action.commands == (ShowPage("photo"),)


def test_the_start_names_the_box_that_was_taken(tmp_path: Path) -> None:
    page, frame = HomePage(screen((1280, 720))), home(tmp_path)

    def texts(draft: GameDraft) -> set[str]:
        shown = dataclasses.replace(frame, ui_state=UiState(draft=draft))
        return {line.string for line in page.painted_sheet(shown).text_lines}

    draft = frame.ui_state.draft
    box = next(one for one in frame.presets if one.title.key == "any_game.line.preset.buzzer")
    assert "Start Any game" in texts(draft)
    assert f"Start {page.words(frame).text(box.title)}" in texts(replace(draft, options=box.options))
    assert "Start Any game" in texts(replace(draft, options=replace(box.options, cooldown=5)))
