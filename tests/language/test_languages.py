"""A language is a folder: ours ship in `assets/locale`, one that somebody added lies beside the tables."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.core.view import Sentence
from companion.language import installed_languages
from companion.language.language import FALLBACK_LANGUAGE, Language
from companion.language.voice.clips import builtin_clip_folder, clip_folders, espeak_command
from companion.settings.check import SettingsError
from companion.settings.files import load_settings, settings_schema
from companion.settings.model import Settings, TableSettings
from companion.system import asset_paths
from companion.ui.board.setup_overlays import add_letter, split_keyboard_rows
from companion.ui.commands import ChangeSetting
from companion.ui.frame import GameDraft, HomeFrame, UiState
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources
from companion.ui.toolkit import inputs
from tests.languages import LANGUAGES
from tests.programs.clips import planned

ABOUT = 'name = "tlhIngan Hol"\nletters = "ABCDEŊ-"\nvoice = "eo"\npace = 140\nannouncing_pace = 190\n'
WORDS = """\
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

msgid "ui.settings"
msgstr "qawHaq"

#. screen only
msgid "kinapa.HandRaised"
msgstr "{chair}"

msgid "shared.GameResumed"
msgstr "taHqa' Quj."

msgid "ui.brightness"
msgstr "{oops"
"""
Add = Callable[..., Path]


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Puts a language into the service's data folder."""
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))

    def added(code: str = "tlh", about: str | None = ABOUT, words: str = WORDS) -> Path:
        place = tmp_path / "locale" / code
        (place / "LC_MESSAGES").mkdir(parents=True)
        (place / "LC_MESSAGES" / "companion.po").write_text(words, encoding="utf-8")
        if about is not None:
            (place / "language.toml").write_text(about, encoding="utf-8")
        return place

    return added


def test_three_languages_ship_and_english_is_offered_first() -> None:
    assert installed_languages.language_codes() == LANGUAGES
    assert [one.about.name for one in installed_languages.installed_languages().values()] == [
        "English",
        "Deutsch",
        "Français",
    ]
    assert all(installed_languages.is_bundled_language(code) for code in LANGUAGES)


def test_a_language_in_the_data_folder_is_offered_on_the_settings_page_and_chosen_there(add: Add) -> None:
    add()
    page = build_pages(PageResources((1280, 720), Language))["settings"]
    sheet = page.painted_sheet(HomeFrame(ui_state=UiState()))
    assert "tlhIngan Hol" in {one.string for one in sheet.text_lines}
    target = next(one for one in sheet.targets if one.key == "language:tlh")
    _, commands = page.handle(inputs.FingerDown(*target.rect.center), HomeFrame(ui_state=UiState()))
    assert commands == (ChangeSetting("language", "tlh"),)


def test_a_screen_is_drawn_in_it_and_what_it_lacks_or_mistyped_is_english(add: Add) -> None:
    add()
    page = build_pages(PageResources((1280, 720), Language))["settings"]
    written = {
        one.string for one in page.painted_sheet(HomeFrame(ui_state=UiState(language="tlh"))).text_lines
    }
    english = Language(FALLBACK_LANGUAGE)
    assert {"qawHaq", english.tr("ui.volume")} <= written
    assert Language("tlh").tr("ui.brightness") == english.tr("ui.brightness")


def test_its_letters_are_the_keys_of_the_screens_keyboard(add: Add) -> None:
    add()
    page = build_pages(PageResources((1280, 720), Language))["setup"]
    now = HomeFrame(
        ui_state=UiState(language="tlh", overlay="name", about=2, draft=GameDraft("kinapa", chairs=(2,)))
    )
    for key in ("letter:Ŋ", "letter:A"):
        target = next(one for one in page.painted_sheet(now).targets if one.key == key)
        ui_state, _ = page.handle(inputs.FingerDown(*target.rect.center), now)
        now = dataclasses.replace(now, ui_state=ui_state)
    assert now.ui_state.typed == "Ŋa"
    assert {one.key for one in page.painted_sheet(now).targets if one.key.startswith("letter:")} == {
        f"letter:{letter}" for letter in "ABCDEŊ-"
    }


@pytest.mark.parametrize("count", [1, 7, 26, 40, 48])
def test_any_number_of_letters_fits_into_four_rows(count: int) -> None:
    keys = "".join(chr(ord("A") + place) for place in range(count))
    rows = split_keyboard_rows(keys)
    assert "".join(rows) == keys
    assert len(rows) <= 4
    assert all(rows)


def test_a_letter_without_a_capital_of_its_own_stays_as_it_is() -> None:
    assert [add_letter("", "ß"), add_letter("Gro", "ß")] == ["ß", "Groß"]


def test_the_settings_take_its_code_and_refuse_others_by_naming_those_that_are_there(add: Add) -> None:
    add()
    assert load_settings(overrides={"table.language": "tlh"}).table.language == "tlh"
    with pytest.raises(SettingsError, match='one of "en", "de", "fr", "tlh", not "tl"; did you mean "tlh"'):
        load_settings(overrides={"table.language": "tl"})
    table = settings_schema({})["$defs"][TableSettings.__name__]["properties"]["language"]
    assert table["enum"] == ["en", "de", "fr", "tlh"]


def test_its_clips_are_spoken_with_the_voice_it_names_and_lie_beside_it(add: Add, tmp_path: Path) -> None:
    add()
    spoken = espeak_command("tlh", "Qapla'", Path("x.wav"))
    assert spoken[:5] == ["espeak-ng", "-v", "eo", "-s", "140"]
    assert espeak_command("tlh", "wej", Path("x.wav"), opens=True)[4] == "190"
    assert builtin_clip_folder("tlh") == tmp_path / "clips" / "tlh" == clip_folders("tlh")[0]
    plan = planned("tlh")
    assert plan.said == {"shared.GameResumed": "taHqa' Quj."}
    assert plan.screen_only == ("kinapa.HandRaised",)


@pytest.mark.parametrize(
    ("about", "why"),
    [
        (None, r"language\.toml is missing"),
        ("name = 3\n", r"Expected `str`, got `int` - at `\$\.name`"),
        ("name = \n", r"line 1"),
        (ABOUT + "flag = true\n", "unknown field `flag`"),
        (ABOUT.replace('"eo"', '"-w/x"'), r"\$\.voice"),
        (ABOUT.replace("140", "9000"), r"\$\.pace"),
        (ABOUT.replace("Ŋ", "A"), "letters has 'A' twice"),
        (ABOUT.replace("Ŋ", "?"), "letters has '\\?', which is not a letter"),
    ],
)
def test_a_folder_that_cannot_be_used_is_left_out_and_says_why(add: Add, about: str | None, why: str) -> None:
    place = add(about=about)
    assert installed_languages.language_codes() == LANGUAGES
    assert set(installed_languages.find_broken_languages()) == {place}
    assert re.search(why, installed_languages.find_broken_languages()[place])


def test_a_catalogue_that_cannot_be_read_is_told_in_english(add: Add) -> None:
    add(words="msgid unquoted\n")
    assert Language("tlh").tr("ui.settings") == Language(FALLBACK_LANGUAGE).tr("ui.settings")


def test_nobody_replaces_a_language_of_ours(add: Add) -> None:
    add("de")
    assert installed_languages.find_language("de").root == asset_paths.bundled_assets_folder()
    assert Language("de").tr("ui.settings") != "qawHaq"


def test_a_folder_is_looked_for_where_the_tables_are_kept(add: Add, tmp_path: Path) -> None:
    add()
    assert Settings().store_folder({"STATE_DIRECTORY": str(tmp_path)}).parent == tmp_path
    assert Language("tlh").text(Sentence("shared.GameResumed")) == "taHqa' Quj."
