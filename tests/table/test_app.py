"""The app: whose a button is, what a page asks for, and how games begin, end and are lost and found."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros
from companion.core.camera_tasks import CameraCommand
from companion.core.game import Preset
from companion.core.switch import Edge
from companion.core.view import Sentence, repairable_values
from companion.games.any_game.rules.model import AnyGameOptions
from companion.language.language import Language
from companion.language.voice.voice_pack import INDEX_FILE
from companion.referee.journal import MemoryJournal, StorageFailure
from companion.settings.model import ButtonResolutions
from companion.table.app import App
from companion.table.runtime import TOUCH_POLL_INTERVAL, AppParts
from companion.table.session import Session
from companion.testing.playthroughs import play_undisturbed_game
from companion.ui import commands as do
from companion.ui.frame import GameDraft, GameFrame, HomeFrame, RecapFrame, UiState
from companion.ui.overlays.repair import with_value
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources
from companion.ui.toolkit import inputs
from tests.table.app_table import SIZE, Table
from tests.table.loop import MILLI, SlowJournal, kinapa_game


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def playing(table: Table) -> Table:
    table.begin()
    return table


# What is asked for on the glass --------------------------------------------------------------------------


def test_an_undo_that_came_after_something_that_was_not_announced_yet_is_refused_and_told(
    playing: Table,
) -> None:
    playing.app.carry_out(do.DeclareAction(playing.session.view.chairs[0].choices[0].action))
    playing.app.carry_out(do.UndoRuling())
    playing.run(200_000)
    assert playing.session.game.referee.journal.entries[-1].retracts is None
    assert playing.app.frame().trouble == Sentence("ui.take_back.overtaken")


def test_reading_the_table_again_says_that_the_camera_reads(playing: Table) -> None:
    playing.host.image = np.zeros((4, 4, 3), np.uint8)
    playing.app.navigation.ui_state = replace(playing.app.ui_state, overlay="wrong")
    playing.touch("read_again")
    assert playing.host.asked[-1] == ("read again",)
    assert playing.app.frame().trouble == Sentence("ui.read_again.now")
    playing.host.image = None
    playing.app.carry_out(do.RereadTable())
    playing.run()
    assert playing.app.frame().trouble == Sentence("shared.CameraWentDark"), "nothing can be read afresh"


def test_a_repair_that_cannot_be_stays_on_the_glass_with_its_reason(playing: Table) -> None:
    stands = repairable_values(playing.session.view)
    name, value = next((name, value) for name, value in stands if name.startswith("foxes:"))
    impossible = with_value(stands, name, 99)
    playing.app.navigation.ui_state = replace(playing.app.ui_state, overlay="repair", declared=impossible)
    playing.touch("do")
    assert (playing.overlay, playing.app.ui_state.declared) == ("repair", impossible)
    trouble = playing.app.frame().trouble
    assert trouble is not None
    assert trouble.key.endswith("repair.impossible")
    assert dict(repairable_values(playing.session.view))[name] == value
    playing.app.navigation.ui_state = replace(playing.app.ui_state, declared=with_value(stands, name, 1))
    playing.touch("do")
    assert (playing.overlay, playing.app.ui_state.declared) == ("", ())
    assert dict(repairable_values(playing.session.view))[name] == 1


# Whose a shared button is -----------------------------------------------------------------------------------


def test_shared_buttons_are_the_games_while_nothing_lies_over_it(playing: Table) -> None:
    for button in ("back", "back", "next"):  # 1 to 4, 1 and 2, 2
        playing.press(None, button)
    assert playing.state.turn.number == 2
    assert playing.overlay == ""


def test_shared_buttons_are_the_pages_while_something_lies_over_the_game(playing: Table) -> None:
    playing.key("m")
    assert playing.overlay == "menu"
    entries = len(playing.session.game.referee.journal.entries)
    focus = playing.app.ui_state.focus
    playing.press(None, "next")
    assert playing.app.ui_state.focus != focus
    assert len(playing.session.game.referee.journal.entries) == entries


def test_a_chairs_button_is_the_games_whatever_lies_over_it(playing: Table) -> None:
    playing.key("m")
    playing.press(0)
    assert playing.state.desk.pending_choice(0).cursor == 1


def test_a_press_that_closes_an_overlay_does_not_swallow_the_next_one(playing: Table) -> None:
    """Its release comes when the page is the game's again; it goes where the press went all the same."""
    for _ in range(2):  # of eight numbers two halves are left, then one is said
        playing.key("l")
        assert playing.overlay == "log"
        playing.app.navigation.ui_state = replace(playing.app.ui_state, focus="close")
        playing.press(None, "ok")
        assert playing.overlay == ""
        cursor = playing.state.desk.pending_choice(0).cursor if playing.state.desk.pending_choice(0) else 0
        playing.press(None, "next")
        assert playing.state.desk.pending_choice(0).cursor == 2 * cursor + 2


@pytest.mark.parametrize("by_key", [False, True])
def test_holding_back_pauses_again_and_again(playing: Table, by_key: bool) -> None:
    for _ in range(3):
        if by_key:
            playing.key("left", hold=800 * MILLI)
        else:
            playing.press(None, "back", hold=800 * MILLI)
        assert playing.state.desk.paused
        playing.app.carry_out(do.ContinueGame())
        playing.run()
        assert not playing.state.desk.paused


def test_an_overlay_folds_away_when_a_window_opens(playing: Table) -> None:
    playing.key("m")
    playing.app.carry_out(do.DeclareAction(playing.session.view.chairs[0].choices[0].action))
    playing.run(1_500 * MILLI)
    assert playing.state.phase == "counting"
    playing.press(None, "back")
    assert playing.state.phase == "counting"
    playing.press(2)
    assert playing.state.turn.raised == (2,)


def test_taking_back_in_a_count_voids_it_and_asks(playing: Table) -> None:
    playing.app.carry_out(do.DeclareAction(playing.session.view.chairs[0].choices[0].action))
    playing.run(1_500 * MILLI)
    assert playing.state.phase == "counting"
    playing.key("u")
    assert playing.overlay == "take_back"
    assert playing.state.desk.paused
    causes = [entry.cause for entry in playing.session.game.referee.journal.entries]
    assert isinstance(causes[-1], ob.PauseRequested)


# Keys, touch, and the glass ---------------------------------------------------------------------------------


def test_a_key_is_its_chairs_button_with_its_own_source(playing: Table) -> None:
    playing.key("1")
    assert playing.session.game.referee.journal.entries[-2].cause == ob.ButtonPressed(
        at=playing.session.game.referee.journal.entries[-2].cause.at, chair=0, source="key"
    )
    assert ("seized", 0) in playing.host.asked
    assert playing.state.desk.pending_choice(0).cursor == 1


@pytest.mark.parametrize("late", [0, 1])
def test_a_key_in_a_race_is_as_exact_as_is_stated_or_has_an_interval(table: Table, late: Micros) -> None:
    """Whenever it was pressed since the glass was asked last."""
    played = play_undisturbed_game("kabuki", 3)
    table.host.journals["1"] = MemoryJournal(played.header, played.entries[:4])
    table.clock.move_to(played.entries[3].cause.at + SECOND)
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    assert table.session.game.are_presses_timed()
    before, stated = table.clock.now(), ButtonResolutions().key
    assert table.app.next_due() - before <= TOUCH_POLL_INTERVAL
    table.clock.move_to(before + stated + late)
    table.window.entered.append(inputs.KeyPressed("2", "2"))
    table.app.run_once()
    table.run()
    causes = [entry.cause for entry in table.session.game.referee.journal.entries]
    (press,) = [cause for cause in causes[4:] if isinstance(cause, ob.ButtonPressed)]
    assert (press.at, press.since) == (before + stated + late, before if late else None)


def test_taking_back_asks_first_what_to_put_back(playing: Table) -> None:
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.can_undo
    assert frame.put_back_steps
    playing.key("u")
    assert playing.overlay == "take_back"
    playing.touch("do")
    assert playing.state.phase == "starting"
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert (frame.can_undo, frame.can_redo) == (False, False), "the table has put back what was asked"
    assert frame.say == Sentence("shared.TakenBack")


@pytest.mark.parametrize("then", ["do", "close"])
def test_what_is_moved_while_the_table_is_put_back_is_only_read_anew_once_that_is_done(
    playing: Table, then: str
) -> None:
    playing.key("u")
    playing.inbox.put(ob.TableSeen(at=playing.clock.now(), regions=()))
    playing.run()
    assert ("read again",) not in playing.host.asked
    playing.touch(then)
    playing.run()
    assert ("read again",) in playing.host.asked
    assert not any(isinstance(e.cause, ob.TableSeen) for e in playing.session.game.referee.journal.entries)


def test_the_table_is_told_again_what_to_put_back_while_the_camera_waits_for_it(playing: Table) -> None:
    playing.key("u")
    playing.inbox.put(ob.TableSeen(at=playing.clock.now(), regions=()))
    playing.run(29 * SECOND)
    assert "ui.take_back.first" not in {said.key for _, said in playing.host.voice.said}
    playing.run(2 * SECOND)
    told = [said for _, said in playing.host.voice.said]
    steps = playing.session.game.referee.undo_instructions()
    assert tuple(told[told.index(Sentence("ui.take_back.first")) + 1 :]) == steps


@pytest.mark.parametrize("then", [Action(0, "draw"), Action(1, "replace")])
def test_whoever_plays_on_while_the_table_is_put_back_has_the_camera_read_again(
    table: Table, then: Action
) -> None:
    table.app.carry_out(do.StartGame("kobayakawa", (0, 1, 2), None))
    table.run()
    begun = (("start", None), ("dealt", None), ("kobayakawa", 7))
    for verb, value in (*begun, *((("replace", None), ("kobayakawa", 9)) if then.seat else ())):
        table.app.carry_out(do.DeclareAction(Action(0, verb, value)))
        table.run()
    table.key("u")
    table.inbox.put(ob.TableSeen(at=table.clock.now(), regions=()))
    table.run()
    assert table.overlay == "take_back"
    table.app.carry_out(do.DeclareAction(then))  # to replace needs nothing put back
    table.run(200 * MILLI)
    assert table.overlay == ""
    assert table.app.frame().trouble == Sentence("ui.take_back.overtaken")
    assert ("read again",) in table.host.asked


def test_what_nothing_had_to_be_put_back_for_can_be_brought_back(playing: Table) -> None:
    playing.app.carry_out(do.UndoRuling())
    playing.run()
    assert playing.state.phase == "starting"
    playing.app.carry_out(do.RedoRuling())
    playing.run()
    assert playing.state.phase == "announcing"


def test_everything_a_page_may_ask_of_a_game_reaches_it(playing: Table) -> None:
    app = playing.app
    app.carry_out(do.DeclareAction(playing.session.view.chairs[0].choices[6].action))
    playing.run()
    assert playing.state.turn.number == 7
    reading = playing.session.history.last_reading()
    assert reading is not None
    truth = reading.choices[2][1]
    app.carry_out(do.CorrectEntry(reading.seq, truth))
    playing.run()
    assert playing.state.turn.number == 3
    assert playing.host.asked[-1] == ("read again",)
    app.carry_out(do.CorrectEntry(reading.seq, None))
    app.carry_out(do.CorrectEntry(reading.seq, None))
    playing.run()
    assert playing.state.phase == "announcing"
    app.carry_out(do.RepairTable((("foxes:2", 1),)))
    playing.run()
    assert playing.state.seats[2].foxes == 1
    app.carry_out(do.RereadTable())
    assert playing.host.asked[-1] == ("read again",)
    app.carry_out(do.PauseGame())
    playing.run()
    assert playing.state.desk.paused
    app.carry_out(do.ContinueGame())
    app.carry_out(do.AbandonGame())
    playing.run()
    assert playing.session.game.over
    app.carry_out(do.ShowPage("recap"))
    playing.run()
    assert isinstance(app.frame(), RecapFrame)


def test_a_setting_changes_the_glass_and_is_kept_by_the_table(table: Table) -> None:
    table.app.carry_out(do.ChangeSetting("language", "fr"))
    assert table.app.ui_state.language == "fr"
    assert table.host.asked == [("keep", "language", "fr")]


def test_a_sound_output_that_is_chosen_speaks_at_once_and_is_kept(table: Table) -> None:
    table.app.carry_out(do.ShowPage("sound"))
    frame = table.app.frame()
    assert isinstance(frame, HomeFrame)
    assert frame.outputs == (("Headphones", "bcm2835 Headphones"), ("Device", "USB Audio"))
    assert frame.output == "Device", "the one that plays, though nobody chose it"
    for command in (do.ChangeSetting("sound_output", "Device"), do.SpeakSentences((Sentence("count.2"),))):
        table.app.carry_out(command)
    assert table.host.voice.device == "Device"
    assert table.host.asked == [("keep", "sound_output", "Device"), ("tell", Sentence("count.2"))]


def test_a_voice_that_is_chosen_speaks_at_once_and_is_kept(table: Table, tmp_path: Path) -> None:
    (tmp_path / INDEX_FILE).write_text('{"language": "en", "speaker": "Ada"}', encoding="utf-8")
    table.app.carry_out(do.ShowPage("settings"))
    frame = table.app.frame()
    assert isinstance(frame, HomeFrame)
    assert frame.voices == (("/packs/ada", "Ada"),)
    table.app.carry_out(do.ChangeSetting("voice_pack", str(tmp_path)))
    table.app.carry_out(do.SpeakSentences((Sentence("setup.ready"),)))
    assert table.host.voice.pack is not None
    assert table.host.voice.pack.contents.speaker == "Ada"
    assert table.host.asked == [("keep", "voice_pack", str(tmp_path)), ("tell", Sentence("setup.ready"))]
    table.app.carry_out(do.ChangeSetting("voice_pack", str(tmp_path / "gone")))
    assert table.host.voice.pack is not None, "what is not there changes nothing"
    table.app.carry_out(do.ChangeSetting("voice_pack", ""))
    assert table.host.voice.pack is None


def test_a_first_start_compares_the_voices_and_keeps_the_one_that_stands(table: Table) -> None:
    table.app.carry_out(do.CompareVoices())
    assert (table.app.navigation.page, table.host.asked) == ("voice", [("compare", "en")])
    frame = table.app.frame()
    assert isinstance(frame, HomeFrame)
    assert frame.voices == (("/packs/ada", "Ada"),)
    table.key("return")
    assert (table.app.navigation.page, table.host.asked[1:]) == (
        "home",
        [("keep", "voice_pack", ""), ("presets",)],
    )


def test_every_command_of_a_page_is_carried_out(table: Table) -> None:
    machine = {do.CopyGames, do.InstallUpdate, do.SwitchOff, do.LearnButtons}
    assert {*table.app._commands, *machine, CameraCommand} == {*get_args(do.Command)}


def test_nothing_is_drawn_while_nothing_changes(playing: Table) -> None:
    playing.run(SECOND)
    flips = playing.window.flips
    playing.run(SECOND)
    assert playing.window.flips == flips
    playing.inbox.put(Edge(2, "seat", level=True, at=playing.clock.now()))
    playing.clock.move_to(playing.clock.now() + 1)
    playing.app.run_once()
    assert playing.window.flips == flips + 1, "first light"


def test_the_picture_is_blanked_while_a_hand_is_shown(playing: Table) -> None:
    playing.host.image = np.zeros((4, 4, 3), np.uint8)
    playing.run()
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.camera is not None
    playing.app.carry_out(do.DeclareAction(Action(0, "announce", 7)))
    playing.run(2 * SECOND)
    playing.press(1)
    playing.press(2)
    playing.run(3 * SECOND)
    for seat, verb in ((0, "no_pair"), (3, "has_not"), (1, "has_not"), (2, "has_not")):
        playing.app.carry_out(do.DeclareAction(Action(seat, verb)))
        playing.run()
    assert playing.session.view.dark
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.camera is None


# Troubles ---------------------------------------------------------------------------------------------------


def test_storage_that_fails_is_shown_until_it_is_back(table: Table) -> None:
    journal = SlowJournal(table.clock, 0)
    session = Session(kinapa_game(journal), clock=table.clock, voice=table.host.voice)
    app = App(
        table.host,
        table.shared,
        AppParts(session=session, games=table.host),
        window=table.window,  # type: ignore[arg-type]
        pages=build_pages(PageResources(SIZE, Language)),
        ui_state=UiState(),
    )
    table.app = app
    journal.trouble = StorageFailure("storage.readonly", "read-only file system")
    table.press(0)
    assert app.frame().trouble == Sentence("shared.alarm.storage.readonly")
    assert table.state.phase == "announcing", "play goes on"
    journal.trouble = None
    table.run()
    assert app.frame().trouble is None


def raised_too_late(playing: Table, late: Micros) -> GameFrame:
    """Chair 2 raises in the count; the edge arrives `late` after its end."""
    playing.app.carry_out(do.DeclareAction(Action(0, "announce", 7)))
    playing.run(2 * SECOND)
    locked = playing.state.turn.first_beat + 3 * SECOND
    playing.run(locked + late - playing.clock.now())
    assert playing.state.phase == "pairing"
    playing.inbox.put(Edge(2, "seat", level=True, at=locked - 10 * MILLI))
    playing.run(100 * MILLI)
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    return frame


def test_of_a_late_press_the_own_panel_says_for_a_while_that_it_does_not_count(playing: Table) -> None:
    frame = raised_too_late(playing, 1_500 * MILLI)
    said = dict(frame.notices)[2]
    assert said.key == "ui.late.void"
    assert 1_400 <= int(dict(said.parts)["ms"]) <= 1_520
    assert frame.trouble is None, "nothing stands in red for it"
    playing.run(5 * SECOND)
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.notices == ()


def test_a_late_press_that_counts_all_the_same_is_not_spoken_of(playing: Table) -> None:
    playing.run(2 * SECOND)
    playing.inbox.put(Edge(0, "seat", level=True, at=playing.clock.now() - 500 * MILLI))
    playing.run()
    frame = playing.app.frame()
    assert isinstance(frame, GameFrame)
    assert (frame.notices, frame.trouble) == ((), None)


def test_what_ails_the_table_is_shown_unless_something_is_more_pressing(playing: Table) -> None:
    playing.host.unseen = Sentence("shared.trouble.marks")
    assert playing.app.frame().trouble == playing.host.unseen
    playing.session.unread_place = "slot:3"
    assert playing.app.frame().trouble == Sentence("shared.unread", (("slot", "3"),))


def test_a_card_that_cannot_be_read_is_asked_for(playing: Table) -> None:
    playing.session.unread_place = "slot:3"
    assert playing.app.frame().trouble == Sentence("shared.unread", (("slot", "3"),))
    playing.session.unread_place = "audit"
    assert playing.app.frame().trouble is not None


def test_a_camera_that_was_lost_before_the_game_is_told_in_it(table: Table) -> None:
    table.report(ob.CameraLost(at=0, reason="no camera"))
    table.begin()
    assert table.session.view.by_hand
    table.report(ob.CameraRecovered(at=table.clock.now()))
    assert not table.session.view.by_hand
    table.app.carry_out(do.Rematch())
    table.run()
    assert not table.session.view.by_hand


def test_a_camera_that_is_back_when_a_game_goes_on_is_told_with_its_first_picture(playing: Table) -> None:
    playing.report(ob.CameraLost(at=playing.clock.now(), reason="unplugged"))
    playing.app.carry_out(do.ShowPage("home"))
    other = Table()
    other.host.journals = playing.host.journals
    other.app.carry_out(do.ResumeGame("1"))
    other.run()
    assert other.session.view.by_hand, "no picture yet"
    other.host.image = np.zeros((4, 4, 3), np.uint8)
    other.run()
    assert not other.session.view.by_hand
    cameras = [
        e for e in other.session.game.referee.journal.entries if isinstance(e.cause, ob.CameraRecovered)
    ]
    assert len(cameras) == 1


# The cupboard ---------------------------------------------------------------------------------------------


def test_the_box_that_was_taken_is_still_the_one_after_its_game(table: Table) -> None:
    draft = GameDraft("any_game", chairs=(0, 1), box="tiles")
    table.app.navigation.ui_state = replace(table.app.ui_state, draft=draft)
    table.app.carry_out(do.StartGame("any_game", (0, 1), None))
    assert table.app.ui_state.draft.box == "tiles"
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    assert table.app.ui_state.draft.box == ""


def test_the_cupboard_is_read_for_the_pages_that_show_it_alone_and_each_time(table: Table) -> None:
    table.host.presets = (Preset(title=Sentence("any_game.name"), options=AnyGameOptions()),)
    draft = GameDraft("any_game", chairs=(0, 1))
    table.app.navigation.ui_state = replace(table.app.ui_state, draft=draft)
    for page, shown in (("home", 0), ("setup", 1), ("prepare", 0), ("setup", 1)):
        table.app.carry_out(do.ShowPage(page))
        frame = table.app.frame()
        assert isinstance(frame, HomeFrame)
        assert len(frame.presets) == shown
    table.app.navigation.ui_state = replace(table.app.ui_state, draft=replace(draft, chosen=True))
    table.app.carry_out(do.ShowPage("home"))
    frame = table.app.frame()
    assert isinstance(frame, HomeFrame)
    assert len(frame.presets) == 1, "the start is called after the box"
    assert table.host.asked.count(("presets",)) == 4


# The end ----------------------------------------------------------------------------------------------------


def test_the_machine_may_ask_to_stop_at_any_time_and_it_is_never_journalled(playing: Table) -> None:
    entries = len(playing.session.game.referee.journal.entries)
    playing.inbox.put(ob.ShutdownRequested(at=playing.clock.now()))
    playing.app.run()
    assert playing.app.quit_requested
    assert playing.host.asked[-1] == ("put away", entries)
    causes = [entry.cause for entry in playing.host.journals["1"].entries]
    assert not any(isinstance(cause, ob.ShutdownRequested) for cause in causes)


def test_it_may_ask_on_the_way_into_a_game(table: Table) -> None:
    table.inbox.put(ob.ShutdownRequested(at=0))
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    table.app.run()
    assert table.app.quit_requested


def test_closing_the_window_asks_while_a_game_is_played_and_staying_loses_nothing(playing: Table) -> None:
    entries = len(playing.session.game.referee.journal.entries)
    playing.window.entered.append(inputs.CloseRequested())
    playing.run()
    assert (playing.overlay, playing.app.quit_requested) == ("close", False)
    playing.key("return")
    assert (playing.overlay, playing.app.page, playing.app.quit_requested) == ("", "game", False)
    assert len(playing.session.game.referee.journal.entries) == entries


@pytest.mark.parametrize("how", ["quit", "closed again"])
def test_who_is_sure_leaves_and_the_game_is_put_away(playing: Table, how: str) -> None:
    playing.window.entered.append(inputs.CloseRequested())
    playing.run()
    if how == "quit":
        playing.touch("quit")
    else:
        playing.window.entered.append(inputs.CloseRequested())
    playing.app.run()
    assert playing.app.quit_requested
    assert playing.host.asked[-1][0] == "put away"


def test_closing_the_window_where_no_game_is_played_ends_the_program(table: Table) -> None:
    table.window.entered.append(inputs.CloseRequested())
    table.app.run()
    assert table.app.quit_requested


def test_leaving_a_game_leads_home_and_leaving_home_out(playing: Table) -> None:
    playing.app.carry_out(do.LeaveOrQuit())
    assert (playing.app.page, playing.app.session, playing.app.quit_requested) == ("home", None, False)
    assert playing.host.asked[-1][0] == "put away"
    playing.app.carry_out(do.LeaveOrQuit())
    assert playing.app.quit_requested


@pytest.mark.parametrize("still", [100 * MILLI, 300 * MILLI])
def test_what_waits_to_count_is_read_again_after_a_standstill(table: Table, still: Micros) -> None:
    table.app.carry_out(do.StartGame("hearts", (0, 1, 2, 3), None))
    for seat, card in ((3, "clubs:2"), (1, "diamonds:8")):
        read = ob.RegionReading(f"seat_card:{seat}", (ob.SeenCard(card),), 0, 0)
        table.report(ob.TableSeen(at=table.clock.now(), regions=(read,)))
        table.run(SECOND)
    table.clock.move_to(table.clock.now() + still)
    table.run(SECOND)
    assert (("read again",) in table.host.asked) == (still > 150 * MILLI)


def test_the_table_is_read_again_when_a_camera_that_was_lost_is_back(playing: Table) -> None:
    for seen, times in ((ob.CameraLost, 0), (ob.CameraRecovered, 1)):
        playing.report(seen(at=playing.clock.now()))
        playing.run(SECOND)
        assert playing.host.asked.count(("read again",)) == times
