"""Gathering for a game: join by button, names, places, house rules."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta
from msgspec.structs import replace

from companion.core.actions import Options
from companion.core.house_rules import house_rule_questions, with_choice
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased
from companion.core.view import Sentence
from companion.games.kinapa.rules.model import KinapaOptions
from companion.ui.board.setup_overlays import (
    MAX_NAME_LENGTH,
    add_letter,
    leave_action,
    spoken_rules,
    swap_action,
)
from companion.ui.commands import ChairPress, ShowPage, StartGame
from companion.ui.frame import GameDraft, HomeFrame, UiState
from companion.ui.pages.home import HomePage
from companion.ui.toolkit import inputs
from tests.ui import shown


@pytest.fixture
def page() -> HomePage:
    return shown.pages((1280, 720))["setup"]  # type: ignore[no-any-return]


EMPTY = GameDraft("kinapa")


def frame(draft: GameDraft = EMPTY, **ui_state: Any) -> HomeFrame:
    return shown.setup_frame(UiState(draft=draft, **ui_state), options=KinapaOptions())


def press(page: HomePage, now: HomeFrame, *chairs: int) -> HomeFrame:
    for chair in chairs:
        for entered in (ButtonPressed(at=0, chair=chair), ButtonReleased(at=100_000, chair=chair)):
            ui_state, _ = page.handle(entered, now)
            now = dataclasses.replace(now, ui_state=ui_state)
    return now


def touch(page: HomePage, now: HomeFrame, key: str) -> tuple[HomeFrame, tuple[Any, ...]]:
    target = next(one for one in page.painted_sheet(now).targets if one.key == key)
    ui_state, commands = page.handle(inputs.FingerDown(*target.rect.center), now)
    return dataclasses.replace(now, ui_state=ui_state), commands


def test_chairs_that_pressed_are_in_clockwise_whatever_the_order_of_presses(page: HomePage) -> None:
    assert press(page, frame(), 6, 1, 3, 0).ui_state.draft.chairs == (0, 1, 3, 6)


def test_a_game_starts_with_enough_people_and_not_before(page: HomePage) -> None:
    one = press(page, frame(), 0)
    assert "start" not in {target.key for target in page.painted_sheet(one).targets}
    four = press(page, one, 1, 2, 5)
    _, commands = touch(page, four, "start")
    assert commands == (StartGame("kinapa", (0, 1, 2, 5), KinapaOptions(), ()),)


def test_start_is_marked_as_soon_as_enough_people_are_there_also_after_the_house_rules(
    page: HomePage,
) -> None:
    one = press(page, frame(), 0)
    assert page.focused_target(one).key != "start"
    four = press(page, one, 1, 2, 3)
    assert page.focused_target(four).key == "start"
    rules, _ = touch(page, four, "rules")
    closed, _ = touch(page, rules, "close")
    assert page.focused_target(closed).key == "start"
    _, commands = page.handle(ButtonPressed(at=0, chair=None, button="ok"), closed)
    assert isinstance(commands[0], StartGame)
    assert not commands[0].bot


def test_a_bot_is_added_by_touch_for_four_to_seven_and_never_for_eight(page: HomePage) -> None:
    now, _ = touch(page, frame(GameDraft("kinapa", chairs=(0, 1, 2, 5))), "bot")
    _, commands = touch(page, now, "start")
    assert commands == (StartGame("kinapa", (0, 1, 2, 5), KinapaOptions(), (), bot=True),)
    off, _ = touch(page, now, "bot")
    assert not off.ui_state.draft.bot
    for chairs in (range(3), range(8)):
        full = frame(GameDraft("kinapa", chairs=tuple(chairs), bot=True))
        assert "bot" not in {target.key for target in page.painted_sheet(full).targets}
        _, commands = touch(page, full, "start")
        assert not commands[0].bot


def test_a_game_without_a_bot_offers_none(page: HomePage) -> None:
    keys = {target.key for target in page.painted_sheet(frame(GameDraft("dnup", chairs=(0, 1, 2)))).targets}
    assert "bot" not in keys
    assert {"about", "start"} <= keys


def test_the_art_of_the_game_stands_alone_and_a_seat_that_is_taken_leads_to_its_name(page: HomePage) -> None:
    four = press(page, frame(), 0, 1, 3, 6)
    targets = {target.key for target in page.painted_sheet(four).targets}
    assert not {key for key in targets if key.startswith("game:")}, "it is chosen already"
    menu, _ = touch(page, four, "chair:3")
    assert (menu.ui_state.overlay, menu.ui_state.about) == ("chair", 3)
    gone, _ = touch(page, menu, "leave")
    assert gone.ui_state.draft.chairs == (0, 1, 6)


def test_one_button_walks_through_what_lies_over_the_page(page: HomePage) -> None:
    now = frame(GameDraft("kinapa", chairs=(2,)), overlay="name", about=2)
    now = press(page, now, 5)
    assert page.focused_target(now).key == "letter:B"
    for entered in (ButtonPressed(at=0, chair=5), ButtonHeld(at=600_000, chair=5)):
        ui_state, _ = page.handle(entered, now)
        now = dataclasses.replace(now, ui_state=ui_state)
    ui_state, _ = page.handle(ButtonReleased(at=700_000, chair=5), now)
    assert (ui_state.typed, ui_state.focus) == ("B", "letter:B"), "who holds does not step on"


def test_a_button_that_does_not_exist_at_this_table_joins_nobody(page: HomePage) -> None:
    small = dataclasses.replace(frame(), chairs=5)
    assert press(page, small, 7).ui_state.draft.chairs == ()


def test_a_key_stands_in_for_its_chairs_button(page: HomePage) -> None:
    now = frame()
    assert page.handle(inputs.KeyPressed("4", "4"), now) == (now.ui_state, (ChairPress(3, True, "key"),))
    assert page.handle(inputs.KeyReleased("4"), now) == (now.ui_state, (ChairPress(3, False, "key"),))


def test_a_name_is_typed_on_a_keyboard_and_done_with_enter(page: HomePage) -> None:
    now = frame(GameDraft("kinapa", chairs=(2,)), overlay="name", about=2)
    for letter in "Zoé 2":
        ui_state, _ = page.handle(inputs.KeyPressed(letter, letter), now)
        now = dataclasses.replace(now, ui_state=ui_state)
    ui_state, _ = page.handle(inputs.KeyPressed("return", "\r"), now)
    assert ui_state.draft.names == ((2, "Zoé 2"),)
    assert ui_state.overlay == ""


def test_a_name_is_touched_letter_by_letter(page: HomePage) -> None:
    now = frame(GameDraft("kinapa", chairs=(2,)), overlay="name", about=2)
    for key in ("letter:A", "letter:N", "letter:N", "letter:A", "done"):
        now, _ = touch(page, now, key)
    assert now.ui_state.draft.names == ((2, "Anna"),)


def test_a_name_is_walked_with_three_buttons(page: HomePage) -> None:
    now = frame(GameDraft("kinapa", chairs=(2,)), overlay="name", about=2)
    for button in ("next", "ok", "back", "ok"):
        ui_state, _ = page.handle(ButtonPressed(at=0, chair=None, button=button), now)
        now = dataclasses.replace(now, ui_state=ui_state)
    assert now.ui_state.typed == "Ba"


def test_no_name_is_longer_than_can_be_read() -> None:
    name = ""
    for _ in range(40):
        name = add_letter(name, "M")
    assert len(name) == MAX_NAME_LENGTH


def test_an_empty_name_means_called_by_colour(page: HomePage) -> None:
    now = frame(GameDraft("kinapa", chairs=(2,), names=((2, "Anna"),)), overlay="name", about=2, typed="Anna")
    now, _ = touch(page, now, "colour")
    assert now.ui_state.draft.names == ()


def test_escape_closes_an_overlay_and_then_goes_home(page: HomePage) -> None:
    ui_state, commands = page.handle(inputs.KeyPressed("escape"), frame(overlay="rules"))
    assert (ui_state.overlay, commands) == ("", ())
    assert page.handle(inputs.KeyPressed("escape"), frame())[1] == (ShowPage("home"),)


people = st.sets(st.integers(0, 7), min_size=1)


@given(people, st.integers(0, 7), st.integers(0, 7))
def test_swapping_twice_is_as_before(chairs: set[int], one: int, other: int) -> None:
    draft = GameDraft(
        "kinapa", chairs=tuple(sorted(chairs)), names=tuple((chair, f"p{chair}") for chair in sorted(chairs))
    )
    first = dict(swap_action(frame(draft), one, other).changes)["draft"]
    assert len(first.chairs) == len(chairs)
    assert sorted(name for _, name in first.names) == sorted(name for _, name in draft.names)
    assert dict(swap_action(frame(first), one, other).changes)["draft"] == draft


@given(people, st.integers(0, 7))
def test_who_leaves_leaves_no_name_behind(chairs: set[int], gone: int) -> None:
    draft = GameDraft(
        "kinapa", chairs=tuple(sorted(chairs)), names=tuple((chair, f"p{chair}") for chair in sorted(chairs))
    )
    after = dict(leave_action(frame(draft), gone).changes)["draft"]
    assert gone not in after.chairs
    assert gone not in dict(after.names)


def test_every_house_rule_with_a_choice_is_listed_with_its_choices() -> None:
    listed = {rule.key: rule.choices for rule in house_rule_questions(KinapaOptions())}
    assert listed["count_seconds"] == (3, 5, 8, 0) or set(listed["count_seconds"]) == {0, 3, 5, 8}
    assert listed["draw_is_duty"] == (True, False)
    assert "nobody_has" not in listed  # it leaves no choice


class Counted(Options, frozen=True):
    dice: Annotated[int, Meta(ge=1, le=10)] = 9
    micros: Annotated[int, Meta(ge=0, le=200_000)] = 8_000


def test_a_house_rule_that_is_a_number_is_asked_for_within_its_bounds(page: HomePage) -> None:
    (rule,) = house_rule_questions(Counted())  # of more numbers than somebody steps through: in the settings
    assert rule.choices == tuple(range(1, 11))
    assert rule.answer("cups") == Sentence("cups.option.dice.number", (("number", 9),))
    now = frame(GameDraft("kinapa", options=Counted()), overlay="rules")
    for dice in (10, 1, 2):
        now, _ = touch(page, now, "rule:dice")
        assert now.ui_state.draft.options == Counted(dice)
    assert spoken_rules("cups", Counted(2))[-1].parts == (("number", 2),)


def test_stepping_through_a_house_rule_comes_round_again() -> None:
    for rule in house_rule_questions(KinapaOptions()):
        options = KinapaOptions()
        for _ in rule.choices:
            now = next(one for one in house_rule_questions(options) if one.key == rule.key)
            options = with_choice(options, rule.key, now.next_choice)  # type: ignore[assignment]
        assert options == KinapaOptions()


def answers(options: KinapaOptions, key: str) -> tuple[str | int, ...]:
    return next(rule.choices for rule in house_rule_questions(options) if rule.key == key)


def test_k_t60_house_rules_that_need_more_foxes_than_there_are_cannot_be_chosen() -> None:
    assert set(answers(KinapaOptions(), "two_liars")) == {"chosen_only", "one_fox_each", "both"}
    assert answers(KinapaOptions(two_liars="both"), "second_liar") == ("counters",)
    assert set(answers(KinapaOptions(two_liars="one_fox_each"), "second_liar")) == {"counters", "one_each"}
    assert answers(KinapaOptions(second_liar="move"), "two_liars") == ("chosen_only",)


def test_k_t60_no_way_through_the_house_rules_leads_to_a_pair_that_is_refused() -> None:
    seen, ways = set(), [KinapaOptions()]
    while ways:
        options = ways.pop()
        if options in seen:
            continue
        seen.add(options)
        assert options.find_conflict() is None
        asked = [rule for rule in house_rule_questions(options) if rule.key in {"two_liars", "second_liar"}]
        ways += [with_choice(options, rule.key, rule.next_choice) for rule in asked]  # type: ignore[misc]
    assert len(seen) == 7


def test_a_changed_house_rule_goes_into_the_game(page: HomePage) -> None:
    now = frame(GameDraft("kinapa", chairs=(0, 1, 2, 3)), overlay="rules")
    now, _ = touch(page, now, "rule:allow_dead_number")
    now, _ = touch(page, now, "close")
    _, commands = touch(page, now, "start")
    assert commands == (
        StartGame("kinapa", (0, 1, 2, 3), replace(KinapaOptions(), allow_dead_number=True), ()),
    )


def test_how_a_tie_between_two_kinds_of_buttons_is_decided_is_told_to_who_asks(page: HomePage) -> None:
    frame = shown.setup_frame(UiState(draft=shown.DRAFT), mixed_sources=True)
    told = page.words(frame).tr("ui.setup.mixed")
    sheet = page.painted_sheet(frame)
    assert told.split()[-1] not in " ".join(line.string for line in sheet.text_lines)
    (ask,) = (target for target in sheet.targets if target.key == "mixed")
    ui_state, _ = page.handle(inputs.FingerDown(*ask.rect.center), frame)
    opened = page.painted_sheet(dataclasses.replace(frame, ui_state=ui_state))
    assert told in " ".join(line.string for line in opened.text_lines if line.string)
    alone = page.painted_sheet(dataclasses.replace(frame, mixed_sources=False))
    assert "mixed" not in {target.key for target in alone.targets}


def test_both_answers_to_a_house_rule_are_read_beside_each_other(page: HomePage) -> None:
    shot = frame(GameDraft("kinapa", chairs=(0, 1, 2, 3)), overlay="rules")
    sheet = page.painted_sheet(shot)
    (cell,) = (target.rect for target in sheet.targets if target.key == "rule:allow_dead_number")
    assert [line.string for line in sheet.text_lines if cell.contains(line.rect)][-2:] == ["Yes", "No"]
    further = page.painted_sheet(frame(GameDraft("kinapa", chairs=(0, 1, 2, 3)), overlay="rules", scroll=2))
    (cell,) = (target.rect for target in further.targets if target.key == "rule:second_liar")
    told = " ".join(line.string for line in further.text_lines if cell.contains(line.rect))
    assert told == "Gets Foxes, too", "four answers have no room beside each other"
    keys = [target.key for target in sheet.targets if target.key.startswith("rule:")]
    assert len(keys) == len([target for target in further.targets if target.key.startswith("rule:")]) == 3
