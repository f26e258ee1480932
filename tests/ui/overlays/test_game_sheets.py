"""Sheets over the game: why, taking back, repairing, and how a game ends."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from msgspec.structs import replace

from companion.core.actions import SECOND, Action
from companion.core.observations import TableDeclared
from companion.core.view import Board, Guidance, RepairField, Sentence, repairable_values
from companion.table.history import allowed_actions
from companion.ui.commands import (
    ChangeSpeed,
    DeclareAction,
    LeaveOrQuit,
    PauseGame,
    RepairTable,
    TakeOverChair,
    UndoRuling,
)
from companion.ui.frame import AllowedActions, UiState
from companion.ui.overlays.repair import list_pairs, replace_pairs, with_value
from companion.ui.pages.game import GamePage
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import RAISED, SOFT, plate_ground
from tests.ui import games, shown, table_games
from tests.ui.game_screens import SIZE, commands, drawn, strings

PAIRS = games.RULES.board.repairable_pairs
assert PAIRS is not None


@pytest.fixture
def page() -> GamePage:
    return shown.pages(SIZE)["game"]  # type: ignore[no-any-return]


# Verdicts


def test_why_names_no_ruling_by_the_name_that_the_program_has_for_it(page: GamePage) -> None:
    for line in games.LOG:
        ui_state = UiState(overlay="why", about=line.seq)
        told = strings(page, games.frame("turning", ui_state=ui_state))
        assert page.words(games.frame("turning")).text(Sentence(f"kinapa.why.{line.why}"))[:20] in told
        assert line.why not in told.split(), told


ASKED_WHY = UiState(overlay="why", about=next(one.seq for one in games.LOG if one.why == "X4"))


def test_why_stands_in_two_paragraphs_beside_its_large_card(page: GamePage) -> None:
    lines = page.painted_sheet(games.frame("turning", ui_state=ASKED_WHY)).text_lines
    second = next(place for place, one in enumerate(lines) if one.string.startswith("Now the answer"))
    assert lines[second].rect.y - lines[second - 1].rect.y > lines[second].rect.h * 3 // 2
    assert lines[second].rect.x > SIZE[0] // 3


EARLY_AND_LATE = {1: Sentence("ui.too_early"), 3: Sentence("ui.too_early"), 2: Sentence("ui.too_late")}


def test_why_has_one_column_of_words_beside_its_cards(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("turning", ui_state=ASKED_WHY))
    buttons = [one.rect for one in sheet.targets]
    told = [
        one
        for one in sheet.text_lines[sheet.covered_lines :]
        if not any(b.contains(one.rect) for b in buttons)
    ]
    title, *lines = [one for one in told if len(one.string) > 8]
    assert title.string.startswith("Konstantin")
    assert len({one.rect.x for one in lines}) == 1


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_why_a_pair_was_laid_is_told_in_three_pictures(page: GamePage, language: str) -> None:
    sheet = page.painted_sheet(games.frame("turning", ui_state=UiState(overlay="why", language=language)))
    told = sheet.text_lines[sheet.covered_lines :]
    least = min(one.size for one in told)
    below = [one.rect.centerx for one in told if one.size > least and one.rect.y > sheet.rect.h // 3]
    assert len({centre // 50 for centre in below}) == 3
    assert len(below) > 6


def test_what_became_of_a_late_press_stands_on_its_own_panel(page: GamePage) -> None:
    late = Sentence("ui.late.counted", (("ms", 90),))
    frame = games.frame("announcing", notices=((2, late),))
    spot = next(
        text.rect.center for text in page.painted_sheet(frame).text_lines if text.string.startswith("90 ms")
    )
    panels = {one.key: one.rect for one in page.painted_sheet(frame).targets}
    assert panels["chair:2"].collidepoint(spot)


def test_a_hand_before_the_announcement_is_called_too_early_on_its_own_panel(page: GamePage) -> None:
    frame = games.frame("announcing", notices=tuple(EARLY_AND_LATE.items()))
    for word, chairs in (("too_early", (1, 3)), ("too_late", (2,))):
        note = page.words(frame).tr(f"ui.{word}")
        spots = [text.rect.center for text in page.painted_sheet(frame).text_lines if text.string == note]
        panels = {one.key: one.rect for one in page.painted_sheet(frame).targets}
        assert len(spots) == len(chairs)
        assert all(any(panels[f"chair:{chair}"].collidepoint(spot) for spot in spots) for chair in chairs)


# Mending


def test_taking_back_lists_what_to_put_back_and_asks_first(page: GamePage) -> None:
    frame = games.frame("turning", ui_state=UiState(overlay="take_back"))
    for sentence in games.BACK:
        assert page.words(frame).text(sentence, games.NAMES).split()[0] in strings(page, frame)
    assert UndoRuling(done=True) in commands(page, frame)
    assert UndoRuling(done=True) not in commands(page, games.frame("turning"))


@pytest.mark.parametrize(("settled", "said"), [(False, "none"), (True, "settled")])
def test_a_ruling_that_cannot_be_taken_back_says_why(page: GamePage, *, settled: bool, said: str) -> None:
    asked = games.frame("turning", ui_state=UiState(overlay="take_back"))
    frame = dataclasses.replace(asked, can_undo=False, undo_closed=settled)
    assert page.words(frame).tr(f"ui.take_back.{said}") in strings(page, frame)
    assert not any(isinstance(command, UndoRuling) for command in commands(page, frame))


@pytest.mark.parametrize(
    ("settled", "closed", "said"),
    [(False, False, "nothing"), (True, False, "settled"), (False, True, "settled")],
)
def test_a_reading_that_cannot_be_corrected_says_why(
    page: GamePage, *, settled: bool, closed: bool, said: str
) -> None:
    asked = games.frame("turning", ui_state=UiState(overlay="correct"))
    frame = dataclasses.replace(asked, last_reading=None, undo_closed=settled, correction_closed=closed)
    assert page.words(frame).tr(f"ui.correct.{said}") in strings(page, frame)


def test_a_table_that_cannot_be_repaired_now_says_so(page: GamePage) -> None:
    frame = games.frame("turning", ui_state=UiState(overlay="repair"))
    frame = dataclasses.replace(frame, view=replace(frame.view, fields=(), table=()))
    assert page.words(frame).tr("ui.repair.none") in strings(page, frame)
    assert not any(isinstance(command, RepairTable) for command in commands(page, frame))


@pytest.mark.parametrize("players", [4, 5, 8])
def test_a_table_declared_as_the_screen_shows_it_changes_nothing(players: int) -> None:
    state = games.started(players)
    table = repairable_values(games.RULES.view(state))
    assert table
    assert games.RULES.decide(state, TableDeclared(at=0, table=table)) == ()


def test_pairs_are_told_from_a_table_and_told_back() -> None:
    table = repairable_values(games.view("announcing", 4))
    assert list_pairs(table, PAIRS) == ((3, 2, 0), (8, 8, 3))
    assert replace_pairs(table, PAIRS, list_pairs(table, PAIRS)) == table
    assert list_pairs(replace_pairs(table, PAIRS, ((3, 2, 0),)), PAIRS) == ((3, 2, 0),)


def test_a_game_that_names_its_fields_is_repaired_by_them_alone(page: GamePage) -> None:
    start = games.frame("announcing", ui_state=UiState(overlay="repair"))
    fields = (
        RepairField("drawer", "kabuki.field.drawer", 1, (0, 1, 2, 3), seats=True),
        RepairField("tokens:2", "kabuki.field.tokens", 3, (0, 1, 2, 3), chair=2),
    )
    frame = dataclasses.replace(start, view=replace(start.view, fields=fields))
    targets = {target.key: target.action for target in page.painted_sheet(frame).targets}
    assert {key for key in targets if ":" in key} == {"field:drawer", "field:tokens:2"}
    changes = dict(targets["field:tokens:2"].changes)
    assert changes["declared"] == (("drawer", 1), ("tokens:2", 0))
    (command,) = targets["do"].commands
    assert command == RepairTable((("drawer", 1), ("tokens:2", 3)))


def test_a_game_without_such_tokens_is_offered_none_to_repair(page: GamePage) -> None:
    frame = games.frame("announcing", ui_state=UiState(overlay="repair"))
    bare = dataclasses.replace(frame, view=replace(frame.view, table=()), board=Board())
    assert not {target.key for target in page.painted_sheet(bare).targets} & {
        "emperor:0",
        "sheep:0",
        "fox:0",
        "other",
    }


def test_repairing_says_what_was_changed_and_nothing_else(page: GamePage) -> None:
    frame = games.frame("announcing", ui_state=UiState(overlay="repair"))
    target = next(one for one in page.painted_sheet(frame).targets if one.key == "fox:2")
    ui_state, _ = page.handle(inputs.FingerDown(*target.rect.center), frame)
    after = games.frame("announcing", ui_state=ui_state)
    table = with_value(repairable_values(frame.view), "foxes:2", 1)
    assert RepairTable(table) in commands(page, after)


# Demo


def test_a_demo_is_paused_and_sped_up(page: GamePage) -> None:
    frame = games.frame("turning", demo=games.DEMO)
    assert PauseGame() in commands(page, frame)
    menu = dataclasses.replace(frame, ui_state=UiState(overlay="menu"))
    assert ChangeSpeed(4.0) in commands(page, menu)
    assert page.handle(inputs.KeyPressed("f"), frame)[1] == (ChangeSpeed(4.0),)


def test_a_chair_of_a_demo_is_taken_over_and_left(page: GamePage) -> None:
    frame = games.frame("turning", demo=games.DEMO)
    asked = next(one.chair for one in frame.view.chairs if one.asked)
    assert TakeOverChair(asked) in commands(page, frame)
    mine = dataclasses.replace(frame, demo=replace(games.DEMO, seized=frozenset({asked})))
    assert LeaveOrQuit() in commands(page, mine)


def test_a_key_enlarges_the_cameras_picture_and_the_same_key_the_table(page: GamePage) -> None:
    picture = np.full((90, 160, 3), 90, np.uint8)
    frame = games.frame("counting", demo=games.DEMO, camera=picture)
    small = page.painted_sheet(frame).moving["camera"]
    ui_state, told = page.handle(inputs.KeyPressed("v"), frame)
    assert told == (), "and no count is stopped for it"
    large = dataclasses.replace(frame, ui_state=ui_state)
    assert page.painted_sheet(large).moving["camera"].w > 2 * small.w
    assert drawn(page, large, 3 * SECOND) != drawn(page, large, 3 * SECOND + SECOND // 2), "it counts on"
    assert page.handle(inputs.KeyPressed("v"), large)[0] == frame.ui_state


def test_a_finished_game_offers_recap_rematch_and_home(page: GamePage) -> None:
    keys = [target.key for target in page.painted_sheet(games.frame("over")).targets]
    assert keys == ["over:recap", "over:rematch", "over:home"]


def test_confetti_falls_only_for_a_winner(page: GamePage) -> None:
    won, abandoned = games.frame("over"), games.frame("abandoned")
    assert drawn(page, won, 0) != drawn(page, won, SECOND)
    assert drawn(page, abandoned, 0) == drawn(page, abandoned, SECOND)


def test_a_dimmed_screen_is_darker(page: GamePage) -> None:
    bright = drawn(page, games.frame("turning"))
    dim = drawn(page, games.frame("turning", ui_state=UiState(brightness=50)))
    assert sum(dim) < sum(bright)


def test_in_a_narrow_demo_a_touched_place_asks_which_object_lies_there(page: GamePage) -> None:
    frame = games.frame("turning", 8, demo=games.DEMO)
    place = next(one for one in page.painted_sheet(frame).targets if one.key == "place:slot:5")
    ui_state, _ = page.handle(inputs.FingerDown(*place.rect.center), frame)
    after = games.frame("turning", 8, ui_state=ui_state, demo=games.DEMO)
    wanted = {DeclareAction(Action(0, "turn", f"{low}-{low + 1}@5")) for low in range(1, 16, 2)}
    assert wanted <= commands(page, after)


def test_in_practice_nothing_is_given_back_before_a_card_is_chosen(page: GamePage) -> None:
    plain = games.frame("returning")
    asked = next(chair.chair for chair in plain.view.chairs if chair.asked)
    says = Sentence("lesson.practice.say")
    card = Sentence("kinapa.do.return")
    guide = Guidance("practice", says, says, 0, 0, asked, chooses=True)
    done = page.words(plain).text(card)
    assert done in {text.string for text in page.painted_sheet(plain).text_lines}
    practised = dataclasses.replace(plain, guide=guide)
    assert done not in {text.string for text in page.painted_sheet(practised).text_lines}
    assert not any(
        target.key.startswith(("tile:", "say:")) for target in page.painted_sheet(practised).targets
    )


def test_whoever_leaves_a_lesson_is_not_told_that_it_is_stored(page: GamePage) -> None:
    ui_state = UiState(overlay="leave")
    keys = {}
    for kind, guide in (("game", None), ("lesson", shown.GUIDES["wait"]), ("note", shown.GUIDES["note"])):
        sheet = page.painted_sheet(games.frame("turning", 4, ui_state, guide=guide))
        stored = any(text.string == "it is kept" for text in sheet.text_lines)
        keys[kind] = stored, {target.key for target in sheet.targets}
    assert keys["game"] == keys["note"] == (True, {"later", "abandon", "close"})
    assert keys["lesson"] == (False, {"later", "close"})


def test_the_log_shows_the_cards_that_a_line_is_about(page: GamePage) -> None:
    log = games.frame("turning", ui_state=UiState(overlay="log"))
    without = dataclasses.replace(log, board=Board())
    with_cards, bare = (page.painted_sheet(one).surface.copy() for one in (log, without))
    assert with_cards.get_buffer().raw != bare.get_buffer().raw


def test_a_line_of_the_log_has_the_colour_of_whom_it_is_about(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("turning", ui_state=UiState(overlay="log")))
    about = {3: "Zoé takes two Foxes", 0: "Place 2 is taken"}
    for chair, said in about.items():
        (line,) = [one for one in sheet.text_lines if one.string.startswith(said)]
        assert set(line.grounds) == {plate_ground(sheet.colour(chair))}


def test_the_log_says_when_as_large_as_what(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("turning", ui_state=UiState(overlay="log")))
    sizes = {one.string: one.size for one in sheet.text_lines}
    assert sizes["3:27"] == next(size for words, size in sizes.items() if words.startswith("Anna plays"))


def test_where_no_picture_came_a_demo_shows_a_camera_and_no_black_hole(page: GamePage) -> None:
    sheet = page.painted_sheet(games.frame("counting", demo=games.DEMO))
    (line,) = [
        one
        for one in sheet.text_lines
        if one.string == page.words(games.frame("counting")).tr("ui.demo.no_picture")
    ]
    assert set(line.grounds) == {RAISED}


def test_what_people_ask_for_help_has_a_sign_that_is_not_read_aloud(page: GamePage) -> None:
    frame = games.frame("turning", ui_state=UiState(overlay="assist"))
    sheet = page.painted_sheet(frame)
    for target in sheet.targets:
        if target.key in {"why", "may", "wrong"}:
            assert sheet.label(target) == page.words(frame).tr(f"ui.{target.key}")
            x, y = target.rect.centerx, target.rect.y + target.rect.h // 3  # within the card
            sign = [(x + across, y + down) for across in range(-40, 40, 2) for down in range(-40, 40, 2)]
            brightest = max(sum(sheet.surface.get_at(spot)[:3]) for spot in sign)
            assert brightest > sum(SOFT)


def test_what_may_be_done_is_shown_as_the_cards_and_players_it_is_about(page: GamePage) -> None:
    """The sentence of the table stands above, then a hand's height of pictures, and the words below them."""
    for phase in ("turning", "announcing", "succeeding", "asking"):
        may = allowed_actions(games.RULES, games.stories(4)[phase])
        frame = games.frame(phase, 4, UiState(overlay="may", calm=True), allowed_actions=may)
        sheet = page.painted_sheet(frame)
        assert sheet.title == page.words(frame).text(frame.view.headline, games.NAMES)
        words = [text for text in sheet.text_lines[sheet.covered_lines :] if not text.string.isdigit()]
        assert min(text.rect.y for text in words[1:]) > SIZE[1] * 45 // 100, phase


def test_a_player_who_has_nothing_to_do_sees_whose_turn_it_is(page: GamePage) -> None:
    may = (AllowedActions(0, (Sentence("kinapa.do.raise"),)), AllowedActions(1))
    frame = games.frame("turning", 4, UiState(overlay="may", about=1), allowed_actions=may)
    large = [text for text in page.painted_sheet(frame).text_lines if text.size > SIZE[1] // 12]
    assert "1" in {text.string for text in large}


def test_how_exactly_a_press_was_timed_stands_on_no_choice(page: GamePage) -> None:
    told = Sentence("ui.late.unknown", (("ms", 138),))
    frame = games.frame("announcing", notices=tuple((chair, told) for chair in range(4)))
    offered = [one for one in frame.view.chairs if one.choices]
    assert offered
    said = [line.string for line in page.painted_sheet(frame).text_lines]
    assert sum("138" in line for line in said) == len(frame.view.chairs) - len(offered)


def test_the_points_of_everybody_stand_on_the_leaf_and_the_end_of_a_game_is_asked_about() -> None:
    frame = dict(table_games.table_frames("en"))["extras"]
    page = shown.pages(SIZE)["game"]
    leaf = page.painted_sheet(frame)
    told = [line.string for line in leaf.text_lines]
    assert told.count("0") == 2 * len(frame.view.chairs), "on the plates under it, and on the leaf"
    ends = next(one.action for one in leaf.targets if one.key.endswith(":end_game"))
    assert not ends.commands
    asks = dataclasses.replace(frame, ui_state=replace(frame.ui_state, **dict(ends.changes)))
    over = next(one.action for one in page.painted_sheet(asks).targets if one.key.endswith(":end_game"))
    assert over.commands == (DeclareAction(Action(2, "end_game")),)
    assert dict(over.changes) == {"overlay": "", "typed": ""}
