"""Home: a game is chosen by its cover, people sit down by their buttons, and one hold begins it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.core.game import Cover, Preset
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased
from companion.core.view import Sentence
from companion.games import GAMES, RULES
from companion.games.any_game.cupboard import list_presets
from companion.table.games import build_offer, lesson_offers
from companion.teach.lesson import find_lesson, find_lesson_files, load_lesson
from companion.ui.commands import (
    Command,
    LeaveOrQuit,
    ResumeGame,
    ShowPage,
    SpeakSentences,
    StartGame,
    StartLesson,
    StartPractice,
)
from companion.ui.frame import GameDraft, GameOffer, HomeFrame, UiState
from companion.ui.pages.home import HomePage
from companion.ui.toolkit import inputs
from tests.ui import shown
from tests.ui.pages.entering import after, tap
from tests.ui.shown import OFFERED

BARE = tuple(map(build_offer, GAMES.values()))
NONE = GameDraft("kinapa")
ALONE = SpeakSentences((Sentence("kinapa.about.who"),))
AGAIN = GameDraft("kinapa", chairs=(0, 2, 4, 6), names=((2, "Zoé"),), last=(0, 2, 4, 6))
SIZES = ((800, 480), (1280, 720), (1080, 1920))


@pytest.fixture
def page() -> HomePage:
    return shown.pages((1280, 720))["home"]  # type: ignore[no-any-return]


def home(draft: GameDraft = NONE, *, offered: tuple[GameOffer, ...] = OFFERED, **ui_state: Any) -> HomeFrame:
    return HomeFrame(ui_state=UiState(draft=draft, **ui_state), offered=offered, names={1: "Konstantin"})


def hold(chair: int) -> tuple[ButtonPressed, ButtonHeld]:
    return ButtonPressed(at=0, chair=chair), ButtonHeld(at=600_000, chair=chair)


def shared(*buttons: str) -> tuple[ButtonPressed, ...]:
    return tuple(ButtonPressed(at=0, chair=None, button=button) for button in buttons)


def touched(page: HomePage, frame: HomeFrame, key: str) -> tuple[HomeFrame, tuple[Command, ...]]:
    target = next(one for one in page.painted_sheet(frame).targets if one.key == key)
    return after(page, frame, inputs.FingerDown(*target.rect.center))


def keys(page: HomePage, frame: HomeFrame) -> set[str]:
    return {target.key for target in page.painted_sheet(frame).targets}


def words(page: HomePage, frame: HomeFrame) -> str:
    return " ".join(text.string for text in page.painted_sheet(frame).text_lines)


# Who sits down ----------------------------------------------------------------------------------------------


def test_a_press_sits_down_and_another_gets_up(page: HomePage) -> None:
    now, _ = after(page, home(), *tap(3), *tap(1))
    assert now.ui_state.draft.chairs == (1, 3)
    assert now.ui_state.draft.names == ((1, "Konstantin"),)
    now, _ = after(page, now, *tap(1))
    assert (now.ui_state.draft.chairs, now.ui_state.draft.names) == ((3,), ())


def test_who_sat_there_last_time_and_presses_to_sit_down_stays(page: HomePage) -> None:
    now, _ = after(page, home(AGAIN), *tap(2))
    assert now.ui_state.draft.chairs == AGAIN.chairs
    now, _ = after(page, now, *tap(2))
    assert (now.ui_state.draft.chairs, now.ui_state.draft.names) == ((0, 4, 6), ())


def test_two_who_press_at_once_both_get_up(page: HomePage) -> None:
    sat = home(GameDraft("kinapa", chairs=(0, 1)))
    (down, up), (down_too, up_too) = tap(0), tap(1)
    now, _ = after(page, sat, down, down_too, up, up_too)
    assert now.ui_state.draft.chairs == ()


def test_a_finger_sits_somebody_down_and_up_again(page: HomePage) -> None:
    now, _ = touched(page, home(AGAIN), "chair:1")
    assert now.ui_state.draft.chairs == (0, 1, 2, 4, 6)
    now, _ = touched(page, now, "chair:4")
    assert now.ui_state.draft.chairs == (0, 1, 2, 6)


def test_a_chair_that_this_table_does_not_have_is_no_seat(page: HomePage) -> None:
    small = dataclasses.replace(home(), chairs=4)
    assert after(page, small, *tap(5))[0].ui_state.draft.chairs == ()
    assert "chair:5" not in keys(page, small)


def test_the_seats_of_last_time_are_called_so_until_one_is_another(page: HomePage) -> None:
    assert "same as" in words(page, home(AGAIN))
    assert "same as" not in words(page, after(page, home(AGAIN), *tap(1))[0])
    assert "same as" not in words(page, home())


def test_while_something_lies_over_the_page_nobody_gets_up(page: HomePage) -> None:
    covered = home(AGAIN, overlay="more")
    assert after(page, covered, *tap(0), *tap(0), *hold(0))[0].ui_state.draft == AGAIN


# The game begins --------------------------------------------------------------------------------------------


def test_one_hold_of_anybody_at_the_table_begins_the_game_with_the_seats_of_last_time(page: HomePage) -> None:
    _, commands = after(page, home(AGAIN), *hold(4))
    assert commands == (StartGame("kinapa", (0, 2, 4, 6), None, ((2, "Zoé"),)),)


def test_whoever_holds_to_start_does_not_get_up(page: HomePage) -> None:
    now, _ = after(page, home(AGAIN), *tap(4), *hold(4), ButtonReleased(at=700_000, chair=4))
    assert 4 in now.ui_state.draft.chairs
    alone, commands = after(page, home(GameDraft("kinapa", chairs=(4,), chosen=True)), *hold(4))
    assert (alone.ui_state.draft.chairs, commands) == ((4,), (ALONE,)), "too few, and a hold is no tap"


def test_a_hold_of_people_who_sat_down_now_asks_which_game(page: HomePage) -> None:
    last = home(GameDraft("kabuki"))
    now, commands = after(page, last, *tap(0), *tap(1), *hold(1), ButtonReleased(at=700_000, chair=1))
    assert (now.ui_state.overlay, commands) == ("play", ())
    assert now.ui_state.draft.chairs == (0, 1), "whoever holds does not get up"
    _, commands = after(page, now, *hold(0))
    assert commands == (StartGame("kabuki", (0, 1), None, ((1, "Konstantin"),)),), "the last one is marked"
    now, commands = after(page, now, *tap(0), *hold(1))
    assert (now.ui_state.draft.game, now.ui_state.overlay, commands) == ("kobayakawa", "", ())
    now, commands = after(page, now, *tap(2), *hold(0))
    assert commands == (StartGame("kobayakawa", (0, 1, 2), None, ((1, "Konstantin"),)),)


def test_buttons_alone_take_a_box_from_the_cupboard(page: HomePage, tmp_path: Path) -> None:
    boxes = tuple(one for one in list_presets(tmp_path) if isinstance(one, Preset))
    now = dataclasses.replace(home(NONE), presets=boxes)
    now, _ = after(page, now, *tap(0), *tap(1), *hold(1))
    order = [one.game for one in OFFERED]
    now, _ = after(page, now, *(tap(0) * (order.index("any_game") - order.index("kinapa"))), *hold(0))
    assert (now.ui_state.draft.game, now.ui_state.overlay) == ("any_game", "presets")
    now, _ = after(page, now, *tap(1), *tap(1), *tap(1), *hold(0))
    assert words(page, now).count("Party buzzer") == 1, "on the button that starts"
    _, commands = after(page, now, *hold(0))
    assert commands == (StartGame("any_game", (0, 1), boxes[3].options, ((1, "Konstantin"),)),)


def test_set_up_is_one_step_from_start(page: HomePage) -> None:
    now, _ = after(page, home(AGAIN), *shared("next"))
    assert now.ui_state.focus == "set_up"


def test_the_three_buttons_begin_another_game_with_three_presses(page: HomePage) -> None:
    start = page.focused_target(home(AGAIN))
    assert start is not None
    assert start.key == "start"
    _, commands = after(page, home(AGAIN), *shared("back", "ok", "ok"))
    assert commands == (StartGame("any_game", (0, 2, 4, 6), None, ((2, "Zoé"),)),)


def test_enter_alone_begins_the_game(page: HomePage) -> None:
    _, commands = after(page, home(AGAIN), inputs.KeyPressed("return"))
    assert commands == (StartGame("kinapa", (0, 2, 4, 6), None, ((2, "Zoé"),)),)


@pytest.mark.parametrize(
    ("game", "people"), [("kobayakawa", 2), ("kobayakawa", 7), ("dnup", 6), ("kinapa", 1)]
)
def test_nothing_begins_with_too_few_or_too_many(page: HomePage, game: str, people: int) -> None:
    now = home(GameDraft(game, chairs=tuple(range(people)), chosen=True))
    assert "start" not in keys(page, now)
    who = Sentence(f"{game}.about.who")
    assert after(page, now, *hold(0))[1] == (SpeakSentences((who,)),), "how many it is for, and nothing else"
    rules = RULES[game]
    assert f"{rules.players[0]} to {rules.players[-1]} players" in words(page, now)


def test_a_bot_that_was_set_up_is_dealt_only_where_the_game_has_one(page: HomePage) -> None:
    with_bot = replace(AGAIN, bot=True)
    assert after(page, home(with_bot), *hold(0))[1] == (
        StartGame("kinapa", (0, 2, 4, 6), None, ((2, "Zoé"),), bot=True),
    )
    other, _ = touched(page, home(with_bot), "game:dnup")
    assert after(page, other, *hold(0))[1] == (StartGame("dnup", (0, 2, 4, 6), None, ((2, "Zoé"),)),)


# Covers -----------------------------------------------------------------------------------------------------


def player_range(players: Sequence[int]) -> str:
    return f"{players[0]}–{players[-1]}" if len(players) > 1 else f"{players[0]}"


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_every_one_of_many_covers_has_its_picture_and_says_for_how_many(size: tuple[int, int]) -> None:
    page = shown.pages(size)["home"]
    told = words(page, home(offered=OFFERED))
    assert len(OFFERED) > 4
    assert page._wanted.keys() == {offer.game for offer in OFFERED}
    for offer in OFFERED:
        assert player_range(RULES[offer.game].players) in told


def test_each_of_few_covers_says_for_how_many_and_how_long(page: HomePage) -> None:
    few = OFFERED[:4]
    told = words(page, home(offered=few))
    for offer in few:
        many = player_range(RULES[offer.game].players)
        assert f"{many} players · {offer.cover.minutes} min" in told


def test_every_row_of_covers_is_as_wide_as_the_others(page: HomePage) -> None:
    targets = page.painted_sheet(HomeFrame(ui_state=UiState(), offered=shown.OFFERED)).targets
    covers = [one.rect for one in targets if one.key.startswith("game:")]
    assert len(covers) == len(shown.OFFERED) > 4
    ends = {max(one.right for one in covers if one.y == y) for y in {one.y for one in covers}}
    assert max(ends) - min(ends) <= 1


def test_a_games_cover_shows_cards_and_tokens_of_its_deck(page: HomePage) -> None:
    for game in GAMES.values():
        shows = [*game.cover.faces, *([game.cover.beside] if game.cover.beside else [])]
        assert len(shows) == 3 or game.cover.motif
        for face in game.cover.faces:
            assert page.resources.art.printed_face(face, (88, 136)) is not None, face


def test_the_covers_come_one_by_one_after_the_page_stands_there(
    page: HomePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    load_picture = pygame.image.load

    def told(file: Any) -> pygame.Surface:
        opened.append(str(file))
        return load_picture(file)

    monkeypatch.setattr(pygame.image, "load", told)
    page.resources.resize(page.resources.size)
    surface = pygame.Surface((1280, 720))
    page.draw(surface, home(), 0)
    assert opened == []
    before = surface.copy()
    for count in (1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6):  # three have a sign instead of cards, three share a deck
        assert page.redraw_interval(home())
        page.draw(surface, home(), 0)
        assert len({Path(file).parents[1].name for file in opened}) == count
    assert not page.redraw_interval(home())
    assert surface.get_buffer().raw != before.get_buffer().raw


def test_a_game_without_a_cover_is_offered_by_its_name(page: HomePage) -> None:
    plain = GameOffer("pebbles", 2, 4)
    now = home(GameDraft("pebbles", chairs=(0, 1), chosen=True), offered=(*BARE[:3], plain))
    assert "2–4 players" in words(page, now)
    assert after(page, now, *hold(0))[1] == (StartGame("pebbles", (0, 1), None),)


@pytest.mark.parametrize("size", [*SIZES, pytest.param((3840, 2160), marks=pytest.mark.long)])
@pytest.mark.parametrize("large", [False, True])
def test_nothing_is_cut_small_or_over_the_edge(size: tuple[int, int], *, large: bool) -> None:
    page, screen = shown.pages(size)["home"], pygame.Rect((0, 0), size)
    fifth = GameOffer("kobayakawa", 2, 2, cover=Cover(minutes=5, faces=("number:1",)))
    for language in shown.LANGUAGES if size != (3840, 2160) else ("de",):
        for draft in (AGAIN, GameDraft("kobayakawa", chairs=(1,))):
            for offered in (OFFERED, (*BARE[:2], *BARE[3:], fifth, replace(fifth, game="dnup"))[:5]):
                unique = tuple({offer.game: offer for offer in offered}.values())
                now = home(draft, offered=unique, language=language, large=large)
                sheet = page.painted_sheet(
                    dataclasses.replace(now, games=shown.STORED[:1], machine=shown.MACHINE)
                )
                for text in sheet.text_lines:
                    assert not text.cut, text
                    assert screen.contains(text.rect), text
                for target in sheet.targets:
                    assert screen.contains(target.rect), target
                    assert min(target.rect.size) >= sheet.unit, target


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_a_name_that_fits_on_one_line_leaves_its_picture_as_high_as_the_others(size: tuple[int, int]) -> None:
    frame = HomeFrame(ui_state=UiState(draft=AGAIN, language="en"), offered=OFFERED)
    sheet = shown.pages(size)["home"].painted_sheet(frame)
    written = [line.string for line in sheet.text_lines]
    assert {"Kobayakawa", "Liar’s Dice"} <= {*written}
    french = shown.pages(size)["home"].painted_sheet(home(AGAIN, language="fr"))
    assert any("menteurs" in line.string for line in french.text_lines), "a word is not broken"


@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_the_button_that_begins_cuts_no_name_of_a_game(language: str) -> None:
    for offer in OFFERED:
        draft = GameDraft(offer.game, chairs=(0, 1, 2, 3))
        frame = HomeFrame(ui_state=UiState(language=language, draft=draft), offered=OFFERED)
        sheet = shown.pages((800, 480))["home"].painted_sheet(frame)
        (start,) = (target.rect for target in sheet.targets if target.key == "start")
        assert not [text.string for text in sheet.text_lines if text.cut and start.contains(text.rect)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", shown.LANGUAGES)
def test_no_words_on_the_felt_lie_under_the_way_to_set_up(size: tuple[int, int], language: str) -> None:
    page = shown.pages(size)["home"]
    for draft in (AGAIN, GameDraft("kobayakawa", chairs=(1,))):
        sheet = page.painted_sheet(home(draft, language=language))
        button = next(target.rect for target in sheet.targets if target.key == "set_up")
        words_there = [text for text in sheet.text_lines if text.rect.colliderect(button)]
        assert [text.string for text in words_there] == [page.resources.words(language).tr("ui.home.set_up")]


@pytest.mark.parametrize("size", SIZES)
def test_no_two_things_that_can_be_touched_lie_over_one_another(size: tuple[int, int]) -> None:
    targets = shown.pages(size)["home"].painted_sheet(home(AGAIN, language="fr")).targets
    for place, one in enumerate(targets):
        assert one.rect.collidelistall([other.rect for other in targets[place + 1 :]]) == [], one.key


# Besides ----------------------------------------------------------------------------------------------------


def test_the_last_game_goes_on_with_one_press(page: HomePage) -> None:
    now = dataclasses.replace(home(), games=shown.STORED[:1])
    focus = page.focused_target(now)
    assert focus is not None
    assert focus.key == "resume"
    assert after(page, now, *shared("ok"))[1] == (ResumeGame("3"),)


def test_what_has_no_room_at_the_foot_stands_under_more(page: HomePage) -> None:
    for size in SIZES:
        page = shown.pages(size)["home"]
        for language in shown.LANGUAGES:
            now = dataclasses.replace(home(AGAIN, language=language), games=shown.STORED[:1])
            more, _ = touched(page, now, "more")
            both = keys(page, now) | keys(page, more)
            assert {"resume", "learn", "practice", "games", "demo", "settings", "help", "quit"} <= both
            assert "resume" in keys(page, now)


def test_the_chosen_game_is_the_one_that_is_practised_watched_and_set_up(page: HomePage) -> None:
    now, _ = touched(page, home(), "game:dnup")
    practice, _ = touched(page, now, "practice")
    assert "dnup" in page.painted_sheet(practice).title, "the game is named"
    assert touched(page, practice, "strong")[1][0] == StartPractice("dnup", "strong", False, 4)
    assert touched(page, now, "set_up")[1] == (ShowPage("setup", "dnup"),)
    more = now if "demo" in keys(page, now) else touched(page, now, "more")[0]
    assert touched(page, more, "demo")[1] == (ShowPage("demo", "dnup"),)


@pytest.mark.parametrize(
    ("walk", "wanted"),
    [
        (("learn", "kabuki", "everybody"), StartLesson("kabuki/2-6")),
        (("learn", "kinapa", "lesson:kinapa/3", "everybody"), StartLesson("kinapa/3")),
        (("learn", "kinapa", "lesson:kinapa/4-8", "pupil:2"), StartLesson("kinapa/4-8", (), (2,))),
    ],
)
def test_a_lesson_is_begun_on_the_screen(page: HomePage, walk: tuple[str, ...], wanted: StartLesson) -> None:
    frame, commands = home(), ()
    for key in walk:
        assert commands == ()
        frame, commands = touched(page, frame, key)  # type: ignore[assignment]
    assert commands == (wanted,)
    assert frame.ui_state.overlay == ""


def test_what_a_game_does_not_have_is_not_offered(page: HomePage) -> None:
    only = (GameOffer("kinapa", 2, 8, practised=False, watched=False),)
    now = home(offered=only)
    everything = keys(page, now) | keys(page, touched(page, now, "more")[0])
    assert everything.isdisjoint({"learn", "practice", "demo"})


def test_every_shipped_lesson_can_be_begun() -> None:
    found = {one.lesson for game in RULES for one in lesson_offers(game)}
    assert found == {f"{load_lesson(file).game}/{load_lesson(file).mode}" for file in find_lesson_files()}
    assert all(find_lesson(name).mode == name.partition("/")[2] for name in found)


def test_escape_asks_before_the_program_is_left_and_staying_is_marked(page: HomePage) -> None:
    asked, commands = after(page, home(AGAIN), inputs.KeyPressed("escape"))
    assert commands == ()
    assert after(page, asked, *shared("ok"))[0].ui_state.overlay == ""
    assert touched(page, asked, "quit")[1] == (LeaveOrQuit(),)
    assert after(page, asked, inputs.KeyPressed("escape"))[0].ui_state.overlay == ""


def test_what_the_doctor_found_is_read_in_full_where_its_strip_is_touched() -> None:
    page = shown.pages((800, 480))["home"]
    found = (shown.TROUBLE, Sentence("ui.club.clash"), Sentence("shared.part.page"))
    frame = HomeFrame(ui_state=UiState(), offered=shown.OFFERED, doctor=found)
    strip = next(one for one in page.painted_sheet(frame).targets if one.key == "doctor")
    ui_state, _ = page.handle(inputs.FingerDown(*strip.rect.center), frame)
    sheet = page.painted_sheet(HomeFrame(ui_state=ui_state, offered=shown.OFFERED, doctor=found))
    told = " ".join(line.string for line in sheet.text_lines[sheet.covered_lines :])
    parts = [part for one in found for part in sheet.sentence(one).split(": ")]
    assert all(part.casefold() in told.casefold() for part in parts), "what is wrong, and what to do"


@pytest.mark.parametrize("others", [0, 1])
def test_a_finding_that_a_page_mends_leads_there_by_touch(page: HomePage, others: int) -> None:
    found = (Sentence("ui.outputs.unchosen"), *[Sentence("shared.trouble.storage")] * others)
    frame = HomeFrame(ui_state=UiState(), offered=shown.OFFERED, doctor=found)
    opened, commands = touched(page, frame, "doctor")
    if others:
        commands = touched(page, opened, "sound")[1]
    assert commands == (ShowPage("sound"),)


MANY_FOUND = (
    Sentence("shared.trouble.storage"),
    Sentence("shared.trouble.supply"),
    Sentence("shared.pin.held", (("chair", 0), ("holder", "test_button.py"))),
    Sentence("shared.pin.down", (("chair", 2),)),
    Sentence("shared.trouble.camera_sensor", (("sensor", "imx219"), ("line", "dtoverlay=imx219"))),
    Sentence("shared.pin.board", (("button", "next"), ("board", "dtoverlay=hifiberry-amp100"))),
    Sentence("shared.trouble.sound_held"),
    Sentence("ui.outputs.unchosen"),
)


def test_the_first_finding_stands_on_top_and_the_last_strip_counts_the_others() -> None:
    frame = HomeFrame(ui_state=UiState(), offered=shown.OFFERED, doctor=MANY_FOUND)
    sheet = shown.pages((800, 480))["home"].painted_sheet(frame)
    top = {line.string: line.rect.top for line in sheet.text_lines}
    assert top[sheet.sentence(MANY_FOUND[0])] < top[sheet.tr("ui.wrong.more", count=7)]
    assert sheet.sentence(MANY_FOUND[1]) not in top


@pytest.mark.parametrize("language", shown.LANGUAGES)
@pytest.mark.parametrize("count", [3, 5, 8])
def test_no_finding_is_cut_on_a_small_screen_and_down_shows_the_rest(count: int, language: str) -> None:
    page, told, found = shown.pages((800, 480))["home"], "", MANY_FOUND[:count]
    ui_state = UiState(language=language, overlay="doctor")
    for _ in found:
        sheet = page.painted_sheet(HomeFrame(ui_state=ui_state, offered=shown.OFFERED, doctor=found))
        written = sheet.text_lines[sheet.covered_lines :]
        assert not any(line.cut for line in written)
        told += " ".join(line.string for line in written)
        if (down := next((one for one in sheet.targets if one.key == "down"), None)) is None:
            break
        ui_state, _ = page.handle(
            inputs.FingerDown(*down.rect.center),
            HomeFrame(ui_state=ui_state, offered=shown.OFFERED, doctor=found),
        )
    parts = [part for one in found for part in sheet.sentence(one).split(": ")]
    assert all(part.casefold() in told.casefold() for part in parts), "what is wrong, and what to do"


@pytest.mark.parametrize("language", shown.LANGUAGES)
@pytest.mark.parametrize("size", [(800, 480), (1024, 600), (1280, 720)])
def test_all_the_lessons_there_are_stand_in_two_rows_with_their_names_whole(
    size: tuple[int, int], language: str
) -> None:
    frame = HomeFrame(ui_state=UiState(language=language, overlay="lessons:"), offered=OFFERED)
    sheet = shown.pages(size)["home"].painted_sheet(frame)
    games = {offer.game for offer in OFFERED if offer.lessons}
    cells = [target.rect for target in sheet.targets if target.key in games]
    assert len(cells) == len(games) == 10
    assert len({cell.y for cell in cells}) == 2
    assert not any(line.cut or "…" in line.string for line in sheet.text_lines[sheet.covered_lines :])
