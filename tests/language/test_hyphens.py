"""Long words break between syllables, and nowhere else; a row of buttons breaks none it has room for."""

from __future__ import annotations

import pytest

from companion.language.installed_languages import break_points, load_syllables
from companion.ui.frame import UiState
from companion.ui.overlays.dialog import button_widths
from companion.ui.toolkit.text_painter import TextPainter
from tests.programs.hyphens import long_words
from tests.ui import album, games, shown

UPRIGHT = (1080, 1920)


@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_every_long_word_of_a_catalogue_is_written_down_with_its_syllables(language: str) -> None:
    listed = load_syllables(language)
    assert set(long_words(language)) - listed.keys() == set(), "make hyphens"


@pytest.mark.parametrize(
    ("language", "word", "lines"),
    [
        ("de", "Einstellungen", ("Einstel-", "lungen")),
        ("de", "Hausregeln", ("Haus-", "regeln")),
        ("de", "Kinapa-Karte", ("Kinapa-", "Karte")),
        ("fr", "recommencer", ("recom-", "mencer")),
    ],
)
def test_a_word_that_is_wider_than_its_place_breaks_between_two_syllables(
    language: str, word: str, lines: tuple[str, ...]
) -> None:
    painter = TextPainter(480)
    painter.language = language
    font = painter.font(1.0)
    assert painter.fit_text(word, font.size(word)[0], 480).lines == (word,)
    fitted = painter.fit_text(word, font.size(lines[0] + "n")[0], 480)
    assert fitted.lines == lines
    assert fitted.broken
    assert not fitted.breaks_syllable


def test_a_word_that_nobody_wrote_down_is_told_as_torn() -> None:
    painter = TextPainter(480)
    fitted = painter.fit_text("Xylophonistin", painter.font(1.0).size("Xyloph")[0], 480)
    assert fitted.breaks_syllable
    assert "".join(fitted.lines).replace("-", "") == "Xylophonistin"


def test_marks_and_capitals_round_a_word_do_not_matter() -> None:
    assert [(end, mark) for end, mark in break_points("„Hausregeln!“", "de")] == [(5, "-"), (7, "-")]
    assert break_points("Haus/Regel", "de") == ((5, ""),)
    assert break_points("Hausregeln", "en") == ()


def test_buttons_in_a_row_are_alike_until_one_of_them_would_break_a_word() -> None:
    sheet = shown.pages((800, 480))["settings"].painted_sheet(
        next(f for p, f in shown.home_frames("de") if p == "settings")
    )
    alike = button_widths(sheet, ["Los", "Ja", "Nein"], sheet.em(30), sheet.em(2.5))
    assert len(set(alike)) == 1
    words = ["Los", "Hausregeln", "Einstellungen"]
    wide = button_widths(sheet, words, sheet.em(19), sheet.em(2.5))
    assert wide[0] < wide[1] < wide[2]
    assert sum(wide) + 2 * sheet.em(0.4) <= sheet.em(19)
    for word, width in zip(words, wide, strict=True):
        assert not sheet.painter.fit_text(word, width - sheet.em(0.6), sheet.em(2.5), 1.0, bold=True).broken


@pytest.mark.parametrize("large", [pytest.param(False, marks=pytest.mark.long), True])
def test_on_an_upright_screen_in_german_nothing_is_cut_torn_or_pale(large: bool) -> None:
    frames = [
        *shown.home_frames("de"),
        *(
            ("game", games.frame("turning", 4, UiState(language="de"), guide=one))
            for one in shown.GUIDES.values()
        ),
    ]
    wrong = [
        fault
        for page, frame in frames
        for fault in album.faults(page, page, album.sheet_of(page, frame, UPRIGHT, large=large), UPRIGHT)
    ]
    assert wrong == []
