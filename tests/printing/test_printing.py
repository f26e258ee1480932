"""What is printed: the right cards, in real size, and backs that fall on their fronts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.games import games_with_mat, mat_layout, printed_mat
from companion.language.language import Language
from companion.printing.deck_file import DeckFileError, load_deck
from companion.printing.deck_pictures import (
    TOKEN_SIDE,
    make_textures,
    write_enrolment_pictures,
    write_token_pictures,
)
from companion.printing.leaflet import A6_MM, LeafletError, LeafletPage, LeafletSection, print_leaflet
from companion.printing.sheets import A4_MM, LETTER_MM, SheetPosition, load_tokens, print_sheets, print_tokens
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.decks import read_card_pictures
from companion.vision.layout import CARD_MM, MAT_MM
from companion.vision.renderer import Textures
from tests.languages import LANGUAGES

pypdfium2 = pytest.importorskip("pypdfium2")
pytest.importorskip("reportlab")

FACES = load_deck(bundled_assets_folder() / "decks" / "kinapa.toml")
POINTS_PER_MM = 72 / 25.4


@dataclass(frozen=True)
class Printed:
    folder: Path
    placed: tuple[SheetPosition, ...]

    def pages(self, name: str) -> Any:
        return pypdfium2.PdfDocument(str(self.folder / name))


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    folder = tmp_path_factory.mktemp("print")
    for words in (["kinapa"], ["--what", "quickstart"], ["--what", "buttons"]):
        assert main(["print", *words, "--out", str(folder)]) == 0
    return Printed(folder, print_sheets(FACES, folder / "again.pdf", bundled_assets_folder() / "fonts"))


def test_the_box_holds_what_the_rules_name() -> None:
    box = Counter({face.card: face.copies for face in FACES if face.copies})
    labels = [f"object:{low}-{low + 1}" for low in range(1, 16, 2)]
    numbered = [f"{kind}:{number}" for kind in ("animal", "shelter") for number in range(1, 17)]
    expected = Counter(dict.fromkeys(labels, 2) | dict.fromkeys(numbered, 1))
    expected.update({"emperor": 1, "fox": 2, "sheep": 8, "aid:raise": 2})
    assert box == expected
    assert box.total() == 61


def test_objects_have_the_blue_back_and_hands_the_white_one() -> None:
    backs = {face.card: face.back for face in FACES}
    assert {backs[card] for card in backs if card.startswith("object:")} == {"back:blue"}
    assert {backs[card] for card in backs if card.startswith(("animal:", "shelter:"))} == {"back:white"}
    assert backs["aid:raise"] == "aid:lower"


def test_odd_numbers_are_cats_and_even_ones_dogs() -> None:
    kinds = {face.card: face.options["kind"] for face in FACES if face.motif == "pet"}
    assert kinds == {f"animal:{n}": "cat" if n % 2 else "dog" for n in range(1, 17)}


def test_every_face_has_a_picture_of_its_own() -> None:
    looks = Counter((face.ground, face.pattern) for face in FACES if face.motif != "back")
    assert looks.most_common(1)[0][1] == 1
    assert len({face.card for face in FACES}) == len(FACES) == 47


def test_each_back_falls_on_its_front_when_the_sheet_is_flipped_on_its_long_edge(printed: Printed) -> None:
    backs = {face.card: face.back for face in FACES}
    fronts = [place for place in printed.placed if place.page % 2 == 0]
    behind = {
        (place.page, round(place.left_mm, 3), round(place.top_mm, 3)): place.card
        for place in printed.placed
        if place.page % 2
    }
    assert len(fronts) == 61
    for front in fronts:
        mirrored = A4_MM[0] - front.left_mm - CARD_MM[0]
        assert behind[front.page + 1, round(mirrored, 3), round(front.top_mm, 3)] == backs[front.card]


def test_pages_have_their_real_size(printed: Printed) -> None:
    for name, count, size in (
        ("kinapa.pdf", 12, A4_MM),
        ("kinapa-mat-a2.pdf", 1, MAT_MM),
        ("kinapa-mat-a4.pdf", 6, A4_MM),
    ):
        pages = printed.pages(name)
        assert len(pages) == count
        for page in pages:
            assert page.get_size() == pytest.approx([side * POINTS_PER_MM for side in size], abs=0.1)


def test_a_blue_back_covers_its_card_with_a_bleed_and_no_more(printed: Printed) -> None:
    place = next(place for place in printed.placed if place.card == "back:blue")
    page = printed.pages("kinapa.pdf")[place.page].render(scale=10 / POINTS_PER_MM).to_numpy()[:, :, :3]
    middle = page[round(10 * (place.top_mm + 20))].astype(int)
    blue = np.flatnonzero(middle[:, 0] - middle[:, 2] > 60) / 10
    assert blue.min() == pytest.approx(place.left_mm - 1.5, abs=0.15) or blue.min() < place.left_mm
    own = blue[(blue > place.left_mm - 2.4) & (blue < place.left_mm + CARD_MM[0] + 2.4)]
    assert own.min() == pytest.approx(place.left_mm - 1.5, abs=0.15)
    assert own.max() == pytest.approx(place.left_mm + CARD_MM[0] + 1.5, abs=0.15)


def test_printing_again_gives_the_same_bytes(printed: Printed) -> None:
    assert (printed.folder / "kinapa.pdf").read_bytes() == (printed.folder / "again.pdf").read_bytes()


def test_the_printed_mat_has_its_marks_where_the_layout_says(printed: Printed) -> None:
    per_mm = 3
    page = printed.pages("kinapa-mat-a2.pdf")[0].render(scale=per_mm / POINTS_PER_MM).to_numpy()
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(np.ascontiguousarray(page[:, :, :3]))
    found = {
        int(mark): np.asarray(quad).reshape(4, 2) / per_mm
        for mark, quad in zip(ids.ravel(), corners, strict=True)
    }
    marks = mat_layout("kinapa", 8).marks_mm
    assert set(found) == set(marks)
    for mark, quad in marks.items():
        assert np.abs(found[mark] - quad).max() < 0.6


def test_no_mark_is_cut_in_two_by_the_a4_tiles(printed: Printed) -> None:
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    seen: Counter[int] = Counter()
    for page in printed.pages("kinapa-mat-a4.pdf"):
        ids = detector.detectMarkers(np.ascontiguousarray(page.render(scale=1.5).to_numpy()[:, :, :3]))[1]
        seen.update(int(mark) for mark in np.ravel(() if ids is None else ids))
    assert seen == Counter(dict.fromkeys(mat_layout("kinapa", 8).marks_mm, 1))


# What is read beside the cards ------------------------------------------------------------------------------


def written(page: Any) -> str:
    return " ".join(page.get_textpage().get_text_bounded().split())


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_quick_start_card_tells_the_game_on_one_side_and_the_button_on_the_other(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_TABLE_LANGUAGE", code)
    assert main(["print", "--what", "quickstart", "--out", str(tmp_path)]) == 0
    words = Language(code)
    assert len(list(tmp_path.iterdir())) == len(games_with_mat())
    for game in games_with_mat():
        pages = pypdfium2.PdfDocument(str(tmp_path / f"{game}-quickstart.pdf"))
        assert len(pages) == 2
        for page, keys in zip(pages, (RULES_TOLD, BUTTON_TOLD), strict=True):
            assert page.get_size() == pytest.approx([side * POINTS_PER_MM for side in A6_MM], abs=0.1)
            for key in keys:
                sentence = " ".join(words.tr(f"{game}.{key}").split())
                assert sentence in written(page), (game, key)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(("paper", "size"), [("A4", A4_MM), ("Letter", LETTER_MM)])
def test_the_first_evening_is_one_sheet_that_names_what_the_screen_names(
    code: str, paper: str, size: tuple[float, float], tmp_path: Path
) -> None:
    asked = ["print", "--what", "first-evening", "--paper", paper, "--out", str(tmp_path)]
    assert main(["--set", f"table.language={code}", *asked]) == 0
    words = Language(code)
    (file,) = tmp_path.iterdir()
    (page,) = pypdfium2.PdfDocument(str(file))
    assert page.get_size() == pytest.approx([side * POINTS_PER_MM for side in size], abs=0.1)
    for key in ("print.evening", "calibrate.short", "home.learn", "print.sit", "correct", "off.lead"):
        assert " ".join(words.tr(f"ui.{key}").split()) in written(page), key
    drawn = page.render(scale=1).to_numpy()[:, :, :3].min(axis=2)
    rim = round(4 * POINTS_PER_MM)
    assert (drawn[-rim:] > 200).all()
    assert (drawn[drawn.shape[0] // 4 :, -rim:] > 200).all()


RULES_TOLD = ("name", "about.who", "about.goal.1", "about.goal.3", "sheet.turn.1", "sheet.turn.4")
BUTTON_TOLD = ("name", "sheet.button.1", "sheet.button.2", "sheet.button.3")


def test_no_word_of_a_leaflet_leaves_its_page(printed: Printed) -> None:
    for name in ("buttons.pdf", *(f"{game}-quickstart.pdf" for game in games_with_mat())):
        for page in printed.pages(name):
            paper = page.render(scale=2).to_numpy()[:, :, :3].min(axis=2)
            edge = round(2 * 4 * POINTS_PER_MM)
            below = paper[round(2 * 23 * POINTS_PER_MM) :]
            assert (below < 128).any(), name
            for rim in (below[:, :edge], below[:, -edge:], below[-edge:]):
                assert (rim > 200).all(), name


def test_more_words_than_a_page_holds_are_refused_by_the_title_of_the_page(tmp_path: Path) -> None:
    full = LeafletPage(
        "Magpie", "", (LeafletSection("", ("A sentence of some length that is said again.",) * 60),)
    )
    with pytest.raises(LeafletError, match="'Magpie' has more words than fit on 105 × 148 mm"):
        print_leaflet(tmp_path / "magpie.pdf", bundled_assets_folder() / "fonts", (full,))


@pytest.mark.parametrize(
    ("what", "paper", "name", "pages"),
    [
        ("deck", "Letter", "kobayakawa-letter", (4, LETTER_MM)),
        ("deck", "A2", "kobayakawa", (4, A4_MM)),
        ("mat", "Letter", "kobayakawa-mat-letter", (6, LETTER_MM)),
        ("mat", "A2", "kobayakawa-mat-a2", (1, MAT_MM)),
        ("plain-mat", "A4", "kobayakawa-plain-mat-a4", (6, A4_MM)),
        ("cards", "A4", "kobayakawa-cards", (30, (47.0, 71.0))),
    ],
)
def test_one_thing_is_printed_on_the_paper_that_is_asked_for(
    what: str, paper: str, name: str, pages: tuple[int, tuple[float, float]], tmp_path: Path
) -> None:
    assert main(["print", "kobayakawa", "--what", what, "--paper", paper, "--out", str(tmp_path)]) == 0
    assert [file.name for file in tmp_path.iterdir()] == [f"{name}.pdf"]
    count, size = pages
    made = pypdfium2.PdfDocument(str(tmp_path / f"{name}.pdf"))
    assert len(made) == count
    for page in made:
        assert page.get_size() == pytest.approx([side * POINTS_PER_MM for side in size], abs=0.1)


def test_of_a_deck_that_another_game_has_too_what_this_one_is_played_with_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for game, cards in (("spades", 52), ("euchre", 24)):
        assert main(["print", game, "--what", "deck", "--out", str(tmp_path)]) == 0
        assert f"{game}.pdf: {cards} cards" in capsys.readouterr().out
    assert main(["print", "euchre", "--what", "cards", "--out", str(tmp_path)]) == 0
    assert "24 cards" in capsys.readouterr().out


def test_a_plain_mat_has_its_places_and_no_mark(printed: Printed, tmp_path: Path) -> None:
    assert main(["print", "kinapa", "--what", "plain-mat", "--paper", "A2", "--out", str(tmp_path)]) == 0
    plain = pypdfium2.PdfDocument(str(tmp_path / "kinapa-plain-mat-a2.pdf"))[0].render(scale=1).to_numpy()
    marked = printed.pages("kinapa-mat-a2.pdf")[0].render(scale=1).to_numpy()
    assert plain[:, :, :3].min() > 30
    assert marked[:, :, :3].min() < 5
    changed = (plain != marked).any(axis=2)
    assert 0.005 < changed.mean() < 0.1


def test_every_open_row_is_printed_with_a_shadow_under_each_card(printed: Printed) -> None:
    per_mm = 3
    page = printed.pages("kinapa-mat-a2.pdf")[0].render(scale=per_mm / POINTS_PER_MM).to_numpy()
    rows = [place.name for place in printed_mat("kinapa").places if place.name.startswith("open:")]
    assert len(rows) == 4
    for spot in (spot for name in rows for spot in printed_mat("kinapa").spots(name)):
        x, y = (round(per_mm * value) for value in spot.centre_mm)
        shadow, ground = page[y, x, :3].astype(int), page[y + 20 * per_mm, x, :3].astype(int)
        assert np.abs(shadow - ground).max() > 4, spot


def test_the_pictures_in_the_assets_are_those_of_the_print_sheets(printed: Printed, tmp_path: Path) -> None:
    """If this fails after the art was changed: companion print --remake"""
    write_enrolment_pictures(printed.folder / "kinapa.pdf", printed.placed, tmp_path)
    shipped = dict(read_card_pictures(bundled_assets_folder() / "decks" / "kinapa" / "enrol"))
    made = dict(read_card_pictures(tmp_path))
    assert set(made) == set(shipped) == {face.card for face in FACES}
    for card, picture in made.items():
        assert np.abs(picture.astype(int) - shipped[card]).mean() < 2, card
    textures = Textures.load(bundled_assets_folder() / "decks" / "kinapa")
    again = make_textures(printed.folder / "kinapa.pdf", printed.placed, printed.folder / "kinapa-mat-a2.pdf")
    assert list(again.cards) == list(textures.cards)
    for card, picture in again.cards.items():
        assert np.abs(picture.astype(int) - textures.cards[card]).mean() < 4, card
    assert np.abs(again.mat.astype(int) - textures.mat).mean() < 4


@pytest.mark.parametrize("game", ["kinapa", "kabuki", "kobayakawa", "dnup", "roses"])
def test_the_tokens_in_the_assets_are_those_of_the_print_source(game: str, tmp_path: Path) -> None:
    """If this fails after the art was changed: companion print --remake"""
    decks = bundled_assets_folder() / "decks"
    tokens = load_tokens(decks / f"{game}.toml")
    print_tokens(tokens, tmp_path / "tokens.pdf", bundled_assets_folder() / "fonts")
    write_token_pictures(tmp_path / "tokens.pdf", [token.name for token in tokens], tmp_path)
    names = {file.name for file in (decks / game / "tokens").glob("*.png")}
    assert (
        {file.name for file in tmp_path.glob("*.png")} == names == {f"{token.name}.png" for token in tokens}
    )
    for name in names:
        made, shipped = (
            cv2.imread(str(folder / name), cv2.IMREAD_UNCHANGED)
            for folder in (tmp_path, decks / game / "tokens")
        )
        assert made is not None
        assert shipped is not None
        assert made.shape == (TOKEN_SIDE, TOKEN_SIDE, 4)
        assert np.abs(made.astype(int) - shipped).mean() < 2, name
        assert made[0, 0, 3] == 0, f"{name} stands on nothing"


# Decks of other people --------------------------------------------------------------------------------------

DECK = """
game = "magpie"

[default]
copies = 4
back = "back:magpie"
ground = "#ffffff"

[[card]]
id = "ball"
motif = "ball"

[[card]]
id = "back:magpie"
motif = "back"
"""


def test_a_back_needs_nothing_but_its_motif_and_takes_nothing_that_is_about_fronts(tmp_path: Path) -> None:
    (tmp_path / "magpie.toml").write_text(DECK)
    ball, back = load_deck(tmp_path / "magpie.toml")
    assert (ball.copies, ball.back, ball.ground) == (4, "back:magpie", "#ffffff")
    assert (back.copies, back.back, back.title) == (0, "", "back:magpie")
    assert back.ground != ball.ground
    placed = print_sheets((ball, back), tmp_path / "magpie.pdf", bundled_assets_folder() / "fonts")
    assert [one.card for one in placed] == ["ball"] * 4 + ["back:magpie"] * 4


@pytest.mark.parametrize(
    ("written", "instead", "named"),
    [
        ('id = "ball"', "", "entry 1 of .* has no id"),
        ('motif = "ball"', "", "card 'ball': it has neither a file"),
        ('motif = "ball"', 'motif = "ball"\ncopies = "4"', "card 'ball': copies is a number"),
        ('motif = "ball"', 'motif = "ball"\ncorner = 7', "card 'ball': corner is a list"),
        ('motif = "ball"', 'motif = "dragon"', "card 'ball', motif 'dragon': 'dragon' is missing or unknown"),
        ('motif = "ball"', 'motif = "home"', "card 'ball', motif 'home': 'shape' is missing or unknown"),
        ('motif = "ball"', 'file = "none.png"', "card 'ball', motif 'picture': .*none.png"),
        (
            'motif = "back"',
            'motif = "back"\ntrim = "gold-ish"',
            "card 'back:magpie', motif 'back': .*gold-ish",
        ),
        ('motif = "back"', 'motif = "back"\nfigure = "claws"', "card 'back:magpie', motif 'back': 'claws'"),
        (
            'id = "back:magpie"',
            'id = "back"',
            "card 'ball': its back 'back:magpie' is not in this deck",
        ),
        ("[[card]]", "[card]", "magpie.toml: "),
    ],
)
def test_a_card_that_cannot_be_printed_is_named_in_one_sentence(
    written: str, instead: str, named: str, tmp_path: Path
) -> None:
    deck = tmp_path / "magpie.toml"
    deck.write_text(DECK.replace(written, instead, 1))
    with pytest.raises(ValueError, match=named) as told:
        print_sheets(load_deck(deck), tmp_path / "magpie.pdf", bundled_assets_folder() / "fonts")
    assert "\n" not in str(told.value)


def test_a_deck_of_somebody_else_brings_the_picture_of_its_token(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "egg.png"), np.full((60, 60, 3), (40, 90, 200), dtype=np.uint8))
    (tmp_path / "magpie.toml").write_text(DECK + '[[token]]\nname = "egg"\nfile = "egg.png"\n')
    tokens = load_tokens(tmp_path / "magpie.toml")
    print_tokens(tokens, tmp_path / "tokens.pdf", bundled_assets_folder() / "fonts")
    write_token_pictures(tmp_path / "tokens.pdf", ["egg"], tmp_path / "tokens")
    egg = cv2.imread(str(tmp_path / "tokens" / "egg.png"), cv2.IMREAD_UNCHANGED)
    assert egg is not None
    assert np.abs(egg[4:-4, 4:-4].astype(int) - (40, 90, 200, 255)).max() < 4


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ('[[token]]\nmotif = "coin"', "has no plain name"),
        ('[[token]]\nname = "../coin"\nmotif = "coin"', "has no plain name"),
        ('[[token]]\nname = "egg"', "token 'egg': motif '' is missing or unknown"),
        ('[[token]]\nname = "egg"\nfile = "none.png"', "token 'egg': .*none.png"),
        ('[token]\nname = "egg"', "its tokens are called"),
    ],
)
def test_a_token_that_cannot_be_drawn_is_named_in_one_sentence(
    written: str, named: str, tmp_path: Path
) -> None:
    deck = tmp_path / "magpie.toml"
    deck.write_text(DECK + written)
    with pytest.raises(DeckFileError, match=named):
        print_tokens(load_tokens(deck), tmp_path / "tokens.pdf", bundled_assets_folder() / "fonts")
