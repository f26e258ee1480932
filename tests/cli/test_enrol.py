"""`companion enrol --from`: a folder of pictures becomes a deck, or one sentence says why not."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.games import deck_file, games_with_mat
from companion.system import asset_paths
from companion.vision.card_capture import SAME_FACE_MAX_FLAW, face_difference, shows_table_around_cards
from companion.vision.decks import Deck
from tests.vision.spread import photograph_spread

PICTURES = asset_paths.bundled_assets_folder() / "decks" / "kinapa" / "enrol"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for label in ("1-2", "3-4", "5-6"):
        shutil.copy(PICTURES / f"object%3a{label}.jpg", tmp_path)
    return tmp_path


def test_a_folder_of_pictures_becomes_a_deck(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "made" / "three.deck"
    assert main(["enrol", "--from", str(folder), "--out", str(out)]) == 0
    assert set(Deck.load(out).cards) == {"object:1-2", "object:3-4", "object:5-6"}
    assert Deck.load(out).complete
    assert "3 cards from 3 pictures" in capsys.readouterr().out


def test_a_folder_may_hold_a_part_of_the_cards_of_its_print_and_hears_what_others_are_taken_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["enrol", "--partial", "--from", str(folder), "--out", str(folder / "x.deck")]) == 0
    deck = Deck.load(folder / "x.deck")
    assert not deck.complete
    assert f"differ by less than {max(deck.limits.flaws):.2f}" in capsys.readouterr().out


def test_a_picture_that_is_not_cropped_to_the_card_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uncropped = cv2.imread(str(folder / "object%3a5-6.jpg"))
    wide = cv2.copyMakeBorder(uncropped, 0, 0, 90, 90, cv2.BORDER_CONSTANT, value=(60, 90, 40))
    cv2.imwrite(str(folder / "object%3a5-6.jpg"), wide)
    assert main(["enrol", "--from", str(folder), "--out", str(folder / "x.deck")]) == 0
    assert capsys.readouterr().out.count("crop it to the card") == 1


@pytest.mark.parametrize("free", [0.0, 0.2])
def test_that_the_table_shows_round_most_cards_is_said_once(
    folder: Path, free: float, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in sorted(folder.iterdir()):
        card = cv2.imread(str(path))
        high, wide = (round(side * free) for side in card.shape[:2])
        shown = cv2.copyMakeBorder(card, high, high, wide, wide, cv2.BORDER_CONSTANT, value=(60, 90, 40))
        cv2.imwrite(str(path), shown)
    assert main(["enrol", "--from", str(folder), "--out", str(folder / "x.deck")]) == 0
    told = capsys.readouterr().out
    assert told.count("the table round the card") == (free > 0)
    assert "another shape" not in told


@pytest.mark.parametrize("game", games_with_mat())
def test_frames_that_are_printed_on_cards_are_not_taken_for_cards_on_a_table(game: str) -> None:
    deck = Deck.load(deck_file(game))
    assert not shows_table_around_cards(deck)


def test_one_face_under_two_names_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(folder / "object%3a1-2.jpg", folder / "object%3a7-8.jpg")
    assert main(["enrol", "--from", str(folder), "--out", str(folder / "x.deck")]) in {0, 2}
    told = capsys.readouterr()
    assert "object:1-2" in told.out + told.err
    assert "object:7-8" in told.out + told.err


def test_second_pictures_that_were_swapped_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for label, shown in (("1-2", "3-4"), ("3-4", "1-2"), ("5-6", "5-6")):
        shutil.copy(folder / f"object%3a{shown}.jpg", folder / f"object%3a{label}#2.jpg")
    assert main(["enrol", "--from", str(folder), "--out", str(folder / "x.deck")]) == 0
    told = capsys.readouterr().out
    assert "the second picture of object:1-2 shows object:3-4" in told
    assert "the second picture of object:3-4 shows object:1-2" in told
    assert "the second picture of object:5-6" not in told


def test_every_picture_that_is_none_is_named_and_the_deck_made_of_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "object_9-10.jpg").write_text("no picture")
    (folder / "object_1-2#2.jpg").write_bytes(b"")
    cv2.imwrite(str(folder / "a_line.png"), np.zeros((8, 90, 3), np.uint8))
    assert main(["enrol", "--from", str(folder), "--out", str(folder / "x.deck")]) == 2
    told = capsys.readouterr()
    assert [line.count(".jpg") + line.count(".png") for line in told.err.splitlines()] == [1, 1, 1]
    assert all(name in told.err for name in ("object_9-10.jpg", "object_1-2#2.jpg", "a_line.png"))
    assert "3 cards from 3 pictures; 3 could not be used" in told.out
    assert len(Deck.load(folder / "x.deck").cards) == 3


def test_a_folder_of_nothing_but_bad_pictures_makes_no_deck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "KS.jpg").write_text("no picture")
    assert main(["enrol", "--from", str(tmp_path), "--out", str(tmp_path / "x.deck")]) == 2
    told = capsys.readouterr().err
    assert "KS.jpg isn't a picture" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "x.deck").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--from", "nowhere", "--out", "x.deck"], "there is no folder nowhere"),
        (["--from", "empty", "--out", "x.deck"], "there is no photo in empty"),
        (["--from", "", "--out", "x.deck"], "--from: the name is empty"),
        (["--from", "a.txt", "--out", "x.deck"], "a.txt is a file; name the folder"),
        (["--from", "cards", "--out", ""], "--out: the name is empty"),
        (
            ["--from", "cards", "--out", "empty"],
            "empty is a folder; name a file in it, such as empty/my.deck",
        ),
        (["--from", "cards", "--out", "a.txt/x.deck"], "can't write a.txt/x.deck (File exists)"),
        (["--from", "cards"], "use --from and --out together"),
        (["--from", "cards", "--out", "x.deck", "--simulate"], "either --simulate or --from"),
        (["--partial"], "are for photos"),
        (["kinap", "--from", "cards", "--out", "x.deck"], "did you mean 'kinapa'?"),
    ],
)
def test_what_cannot_be_enrolled_is_told_in_a_sentence(
    folder: Path,
    words: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder / "cards").mkdir()
    (folder / "empty").mkdir()
    (folder / "a.txt").write_text("no folder")
    for path in folder.glob("*.jpg"):
        path.rename(folder / "cards" / path.name)
    monkeypatch.chdir(folder)
    assert main(["enrol", *words]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not (folder / "x.deck").exists()


def test_photos_that_are_no_cards_of_the_game_and_cards_without_a_photo_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "object%3a1-2.jpg").rename(folder / "one_two.jpg")
    assert main(["enrol", "kinapa", "--from", str(folder), "--out", str(folder / "x.deck")]) == 0
    told = capsys.readouterr().out
    assert "kinapa has no one_two: name its photos like " in told
    assert "and 40 more: add their photos" in told


@pytest.mark.parametrize("has_others", [True, False])
def test_photos_as_an_iphone_takes_them_are_counted_with_what_to_do(
    folder: Path, has_others: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in sorted(folder.glob("*.jpg"))[: 2 if has_others else None]:
        path.rename(path.with_suffix(".HEIC"))
    number = len(list(folder.glob("*.HEIC")))
    assert main(["enrol", "--from", str(folder), "--out", str(folder / "x.deck")]) == 2
    told = capsys.readouterr()
    assert told.err == (
        f"companion: {number} photos are HEIC, which is not read: save them as JPEG "
        "(iPhone: Settings, Camera, Formats, Most Compatible).\n"
    )
    assert ("; 2 could not be used" in told.out) == has_others


def test_four_photos_of_a_spread_deck_become_the_deck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photograph_spread(tmp_path)
    out = tmp_path / "own.deck"
    assert main(["enrol", "hearts", "--from", str(tmp_path), "--spread", "--out", str(out)]) == 0
    assert "53 cards from 53 pictures" in capsys.readouterr().out
    own, shipped = Deck.load(out), Deck.load(deck_file("hearts"))
    for card, picture in zip(own.cards, own.pictures, strict=True):
        printed = shipped.pictures[shipped.owners.index(shipped.cards.index(card))]
        assert face_difference(picture, printed) < SAME_FACE_MAX_FLAW, card


def test_a_spread_deck_that_lacks_a_card_is_counted_photo_by_photo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photograph_spread(tmp_path, without=1)
    out = tmp_path / "own.deck"
    assert main(["enrol", "hearts", "--from", str(tmp_path), "--spread", "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert "has 53 cards, and the photos show 49 (0.jpg 12, 1.jpg 12, 2.jpg 12, 3.jpg 13)" in told
    assert not out.exists()
