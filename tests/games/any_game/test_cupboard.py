"""The boxes of the cupboard: ours are sound, and what the owner mistypes is told in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.core.game import Preset
from companion.core.view import Sentence
from companion.games import GAMES
from companion.games.any_game.cupboard import list_presets
from companion.games.any_game.rules.model import AnyGameOptions
from companion.language.language import Language
from companion.table.games import build_offer
from companion.ui.frame import GameDraft, HomeFrame, UiState
from companion.ui.pages.home import HomePage
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


def home(tmp_path: Path, overlay: str = "") -> HomeFrame:
    boxes = tuple(one for one in list_presets(tmp_path) if isinstance(one, Preset))
    return HomeFrame(
        ui_state=UiState(draft=GameDraft("any_game", chairs=(0, 1)), overlay=overlay),
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
