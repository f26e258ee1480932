"""`companion recognise`: cards in any picture handed in; what cannot be read is said, the rest goes on."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.system import asset_paths
from companion.vision.decks import Deck
from companion.vision.renderer import Textures
from tests.cli.command_line import Command

ROOT = Path(__file__).parents[2]
CARDS = ("object:5-6", "object:15-16", "animal:9")
WIDE, HIGH = 960, 640
SIDEWAYS = (
    b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"  # turn a quarter clockwise
)


def where(at: int, grow: float = 1.0) -> np.ndarray:
    """The corners of the `at`-th card on the table, from its own top-left clockwise."""
    centre, turn = np.array([200 + 280 * at, 300]), np.radians((20, 160, 290)[at])
    box = np.array([[-65, -100], [65, -100], [65, 100], [-65, 100]], np.float32)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return ((box @ spin + centre) * grow).astype(np.float32)


def table(grow: float = 1.0) -> np.ndarray:
    """Three cards of the plain deck on cloth."""
    size = (round(WIDE * grow), round(HIGH * grow))
    faces = Textures.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa").cards
    picture = np.full((size[1], size[0], 3), (60, 90, 40), np.uint8)
    for at, card in enumerate(CARDS):
        face = faces[card]
        high, wide = face.shape[:2]
        flat = cv2.getPerspectiveTransform(
            np.float32([[0, 0], [wide, 0], [wide, high], [0, high]]), where(at, grow)
        )
        mask = cv2.warpPerspective(np.full((high, wide), 255, np.uint8), flat, size)
        picture[mask > 127] = cv2.warpPerspective(face, flat, size, flags=cv2.INTER_AREA)[mask > 127]
    return picture


def told(companion: Command, *words: str | Path) -> list[dict]:
    said = companion("recognise", "--deck", "kinapa", "--json", *map(str, words))
    return json.loads(said.out)


def assert_all_three(cards: list[dict], picture_corners=where) -> None:
    assert {c["card"] for c in cards} == set(CARDS)
    for card in cards:
        truth = picture_corners(CARDS.index(card["card"]))
        assert np.abs(np.array(card["corners"]) - truth).max() < 6
        assert 0.5 < card["confidence"] <= 1


def test_each_card_is_told_with_its_corners_from_its_own_top_left_and_how_surely(
    companion: Command, tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), table())
    (one,) = told(companion, tmp_path / "a.png")
    assert (one["width"], one["height"], one["unknown"]) == (WIDE, HIGH, [])
    assert_all_three(one["cards"])


def test_a_person_reads_one_line_a_card_and_how_each_outline_was_judged(
    companion: Command, tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), table())
    said = companion("recognise", "--deck", "kinapa", "--explain", str(tmp_path / "a.png"))
    first, *lines = said.out.splitlines()
    assert "3 cards" in first
    for card in CARDS:
        plain, judged = (line for line in lines if line.split()[0] == card)
        assert f"{card} differs by 0.0" not in plain
        assert f"{card} differs by 0.0" in judged
        assert judged.endswith(": taken")


def test_a_photograph_taken_sideways_is_turned_as_a_viewer_turns_it(
    companion: Command, tmp_path: Path
) -> None:
    lying = np.ascontiguousarray(np.rot90(table()))  # what the sensor saw; the tag says how to turn it back
    plain = cv2.imencode(".jpg", lying, (cv2.IMWRITE_JPEG_QUALITY, 95))[1].tobytes()
    tag = b"\xff\xe1" + struct.pack(">H", len(SIDEWAYS) + 2) + SIDEWAYS
    (tmp_path / "a.jpg").write_bytes(plain[:2] + tag + plain[2:])
    (one,) = told(companion, tmp_path / "a.jpg")
    assert (one["width"], one["height"]) == (WIDE, HIGH)
    assert_all_three(one["cards"])


@pytest.mark.parametrize("kind", ["16 bit", "see-through", "bmp", "tiff", "webp"])
def test_any_usual_kind_of_picture_is_read(companion: Command, tmp_path: Path, kind: str) -> None:
    picture, path = table(), tmp_path / "ä ö.png"
    match kind:
        case "16 bit":
            picture = picture.astype(np.uint16) * 257
        case "see-through":
            picture = np.dstack([picture, np.full(picture.shape[:2], 200, np.uint8)])
        case _:
            path = path.with_suffix(f".{kind}")
    path.write_bytes(cv2.imencode(path.suffix, picture)[1].tobytes())
    (one,) = told(companion, path)
    assert_all_three(one["cards"])


def test_a_grey_picture_is_read_without_an_error(companion: Command, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), cv2.cvtColor(table(), cv2.COLOR_BGR2GRAY))
    (one,) = told(companion, tmp_path / "a.png")
    assert {c["card"] for c in one["cards"]} <= set(CARDS)


def test_where_nothing_is_read_a_person_hears_why(companion: Command, tmp_path: Path) -> None:
    bare = np.full((HIGH, WIDE, 3), (60, 90, 40), np.uint8)
    for name, picture in (("bare", bare), ("grey", np.full_like(bare, 90))):
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture)
    pictures = [str(tmp_path / f"{name}.png") for name in ("bare", "grey")]
    said = companion("recognise", "--deck", "kinapa", "--explain", *pictures).out
    assert said.count("nothing in it has the outline of a card") == 2
    assert said.count("take it in colour") == 1
    assert "take it in colour" in said.split("grey.png")[1]


def test_a_black_or_a_white_picture_is_not_sent_back_for_colour(companion: Command, tmp_path: Path) -> None:
    speck = np.random.default_rng(1).integers(0, 12, (HIGH, WIDE, 3), np.uint8)
    for name, picture in {
        "black": speck * 0, "covered": speck, "white": speck * 0 + 255, "glaring": 254 + speck // 8,
        "grey": speck * 0 + 60,
    }.items():  # fmt: skip
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture)
    names = ("black", "covered", "white", "glaring", "grey")
    hints = [one["hint"] for one in told(companion, *(tmp_path / f"{name}.png" for name in names))]
    assert ["lens cap" in hint for hint in hints] == [True, True, False, False, False]
    assert ["too much light" in hint for hint in hints] == [False, False, True, True, False]
    assert ["in colour" in hint for hint in hints] == [False, False, False, False, True]


def test_of_a_picture_too_small_for_a_card_it_is_said_how_small_it_is(
    companion: Command, tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((3, 5, 3), 90, np.uint8))
    (one,) = told(companion, tmp_path / "a.png")
    assert one["hint"] == "the photo has only 5 x 3 pixels: take a larger one"


def test_a_card_of_a_complete_deck_is_never_said_to_be_none_of_it(companion: Command, tmp_path: Path) -> None:
    """It is spoilt; of a deck that was taught in part nobody knows whether it is another card."""
    whole = Deck.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa" / "kinapa.deck")
    replace(whole, complete=False).save(tmp_path / "part.deck")
    spoilt = table()
    cv2.rectangle(spoilt, (160, 260), (240, 340), (20, 20, 20), -1)
    cv2.imwrite(str(tmp_path / "a.png"), spoilt)
    first, *_ = companion("recognise", "--deck", "kinapa", str(tmp_path / "a.png")).out.splitlines()
    assert "2 cards, and 1 card I can't read (" in first
    part = str(tmp_path / "part.deck")
    first, *_ = companion("recognise", "--deck", part, str(tmp_path / "a.png")).out.splitlines()
    assert "2 cards, and 1 card I can't read, or that is not in this deck (" in first


def test_what_is_like_no_card_is_told_without_figures(companion: Command, tmp_path: Path) -> None:
    picture = table()
    cv2.rectangle(picture, (160, 260), (240, 340), (20, 20, 20), -1)
    cv2.imwrite(str(tmp_path / "a.png"), picture)
    said = companion("recognise", "--deck", "kinapa", "--explain", str(tmp_path / "a.png")).out
    (unlike,) = (line for line in said.splitlines() if line.startswith("  unknown"))
    assert unlike.endswith(": refused: like no card of the deck")


def test_a_picture_of_twenty_megapixels_is_read_at_its_own_size(companion: Command, tmp_path: Path) -> None:
    grow = 5472 / WIDE
    cv2.imwrite(str(tmp_path / "a.jpg"), table(grow))
    (one,) = told(companion, tmp_path / "a.jpg")
    assert one["width"] == 5472
    assert {c["card"] for c in one["cards"]} == set(CARDS)
    for card in one["cards"]:
        truth = where(CARDS.index(card["card"]), grow)
        assert np.abs(np.array(card["corners"]) - truth).max() < 6 * grow


def test_what_cannot_be_read_is_said_and_the_others_are_read(companion: Command, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "good.png"), table())
    (tmp_path / "text.jpg").write_text("this is a letter")
    (tmp_path / "nothing.jpg").write_bytes(b"")
    (tmp_path / "folder.jpg").mkdir()
    words = [tmp_path / n for n in ("none.jpg", "text.jpg", "nothing.jpg", "folder.jpg", "good.png")]
    said = companion("recognise", "--deck", "kinapa", "--json", *map(str, words))
    assert said.code == 2
    *bad, good = json.loads(said.out)
    assert [one["image"] for one in bad] == [str(w) for w in words[:-1]]
    assert all(one["cards"] == [] and one["error"] in said.err for one in bad)
    assert [len(line) > 20 for line in said.err.splitlines()] == [True] * 4
    assert_all_three(good["cards"])


PEAK = """
import sys
from companion.__main__ import main
code = main(["recognise", "--deck", "kinapa", sys.argv[1]])
print(next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
sys.exit(code)
"""


def test_a_small_file_with_a_gigantic_picture_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    side = 20_000
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(bytes(side * (1 + side // 8)), 1))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + head + body + chunk(b"IEND", b""))
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(tmp_path / "a.png")],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "has more than 64 megapixels: save it with fewer" in done.stderr
    assert int(done.stdout.splitlines()[-1]) < 250, "megabytes: as much as reading any picture takes"


def test_a_black_frame_holds_no_card(companion: Command, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((480, 640, 3), np.uint8))
    (one,) = told(companion, tmp_path / "a.png")
    assert one["cards"] == one["unknown"] == []


def test_drawings_have_names_of_their_own_and_show_the_cards(companion: Command, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    for path in (tmp_path / "a.png", tmp_path / "one" / "a.png"):
        cv2.imwrite(str(path), table())
    out = tmp_path / "seen" / "deep"
    said = companion(
        "recognise", "--deck", "kinapa", "--draw", str(out), str(tmp_path / "a.png"),
        str(tmp_path / "one" / "a.png"),
    )  # fmt: skip
    assert said.code == 0
    assert sorted(p.name for p in out.iterdir()) == ["a-2-seen.jpg", "a-seen.jpg"]
    assert all(f"  marked in {path}\n" in said.out for path in out.iterdir())
    drawing = cv2.imread(str(out / "a-seen.jpg"))
    assert drawing is not None
    assert drawing.shape == (HIGH, WIDE, 3)
    for at in range(3):
        x, y = where(at)[0].astype(int)
        assert np.abs(drawing[y, x].astype(int) - (60, 200, 0)).max() < 60


def test_a_drawing_that_cannot_be_written_is_said_and_the_others_are_read(
    companion: Command, tmp_path: Path
) -> None:
    for name in ("a.png", "b.png"):
        cv2.imwrite(str(tmp_path / name), table())
    out = tmp_path / "seen"
    (out / "a-seen.jpg").mkdir(parents=True)
    said = companion(
        "recognise", "--deck", "kinapa", "--draw", str(out), str(tmp_path / "a.png"), str(tmp_path / "b.png")
    )
    assert said.code == 2
    assert "a-seen.jpg" in said.err
    assert said.out.count(CARDS[0]) == 2
    assert (out / "b-seen.jpg").is_file()


def test_a_deck_that_is_none_is_said(companion: Command, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), table())
    (tmp_path / "x.deck").write_text("no deck")
    for deck in ("nowhere.deck", str(tmp_path / "x.deck"), str(tmp_path)):
        said = companion("recognise", "--deck", deck, str(tmp_path / "a.png"))
        assert said.code == 2
        assert Path(deck).name in said.err
    for deck, sentence in (("", "the deck's name is empty"), (".", ". isn't a deck (it is a folder")):
        said = companion("recognise", "--deck", deck, str(tmp_path / "a.png"))
        assert said.code == 2
        assert sentence in said.err


def test_ids_are_the_file_names_of_the_enrolled_pictures(companion: Command, tmp_path: Path) -> None:
    (tmp_path / "refs").mkdir()
    for card, name in zip(CARDS, ("herz_ass", "K.S. (2)", "1_red_open"), strict=True):
        face = Textures.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa").cards[card]
        cv2.imwrite(str(tmp_path / "refs" / f"{name}.png"), face)
    assert companion("enrol", "--from", str(tmp_path / "refs"), "--out", str(tmp_path / "d")).code == 0
    cv2.imwrite(str(tmp_path / "a.png"), table())
    said = companion("recognise", "--deck", str(tmp_path / "d"), "--json", str(tmp_path / "a.png"))
    (one,) = json.loads(said.out)
    assert {c["card"] for c in one["cards"]} == {"herz_ass", "K.S. (2)", "1_red_open"}


def test_what_is_no_picture_is_refused_before_the_deck_is_learnt(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.vision.recogniser.Recogniser", None)  # learning takes seconds
    (tmp_path / "note.jpg").write_text("no picture")
    said = companion("recognise", "--deck", "kinapa", str(tmp_path / "note.jpg"))
    assert said.code == 2
    assert "note.jpg isn't a picture" in said.err
