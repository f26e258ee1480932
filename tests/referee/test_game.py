"""One game in the loop: judged by stamp a grace later, timers and holds between, told when durable."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lantern.rules import BACK, LANTERN, BeatFell, Caught, LotFell, NumberNamed, WindowClosed, WindowOpened

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.errors import RepeatedFailureError
from companion.core.switch import SWITCH_TIMING, Edge
from companion.games.dnup.rules import Dnup
from companion.games.kinapa.rules.model import HandRaised, HandsLocked, HandTooLate, KinapaOptions
from companion.referee.game_log import find_correction_offer
from companion.referee.journal import MemoryJournal, StorageFailure, make_header, replay_state
from companion.referee.journal.entry import Kind
from companion.referee.loop import GRACE, RefereedGame
from companion.referee.referee import Referee
from tests.referee.game_hands import Delivered, Edges, delivered, lateness, run_on, tap
from tests.referee.lantern_play import OTHER, declared, header, seen
from tests.table.loop import (
    FIRST_BEAT,
    LANTERN_END,
    LOCK,
    MILLI,
    SlowJournal,
    causes,
    events,
    kinapa_count,
    kinapa_game,
    kinapa_header,
    lantern_count,
    lantern_game,
    run,
    said,
)
from tests.thorough import examples

# The grace --------------------------------------------------------------------------------------------------


def test_a_hand_raised_before_the_end_counts_although_it_arrives_after_it() -> None:
    game = lantern_game()
    press = Edge(OTHER, "seat", level=True, at=LANTERN_END - 20 * MILLI)
    run(game, [*lantern_count(), (LANTERN_END + 15 * MILLI, press)], until=8 * SECOND)
    assert events(game, Caught) == [Caught(OTHER)]
    assert events(game, WindowClosed) == [WindowClosed(0, OTHER, None)]
    assert lateness(game) == []


@pytest.mark.parametrize(("after", "counts"), [(-1, True), (0, True), (1, False)])
def test_the_end_of_the_third_second_counts_and_a_microsecond_later_does_not(
    after: Micros, counts: bool
) -> None:
    game = kinapa_game()
    run(game, [*kinapa_count(), *delivered(tap(2, LOCK + after))], until=8 * SECOND)
    assert events(game, HandsLocked) == [HandsLocked((2,) if counts else (), (1, 3) if counts else (1, 2, 3))]
    assert bool(events(game, HandTooLate)) is not counts


def test_of_two_presses_the_earlier_stamp_is_judged_first_even_if_delivered_second() -> None:
    game = kinapa_game()
    first, second = tap(3, 5 * SECOND), tap(1, 5 * SECOND + 3 * MILLI)
    reports = [*kinapa_count(), *delivered(second), *delivered(first, 12 * MILLI)]
    run(game, reports, until=8 * SECOND, frames=[SECOND] * 4)
    assert events(game, HandRaised) == [HandRaised(3), HandRaised(1)]
    assert [press.at for press in causes(game, ob.ButtonPressed)] == [5 * SECOND, 5 * SECOND + 3 * MILLI]


def test_two_presses_in_the_same_microsecond_are_both_judged() -> None:
    game = kinapa_game()
    run(game, [*kinapa_count(), *delivered(tap(1, 5 * SECOND)), *delivered(tap(2, 5 * SECOND))], until=LOCK)
    assert events(game, HandRaised) == [HandRaised(1), HandRaised(2)]


def test_nothing_is_judged_before_it_is_a_grace_old() -> None:
    game = kinapa_game()
    game.post(said(SECOND, 0, "claim_cat"))
    game.step(SECOND + GRACE - 1)
    assert causes(game) == []
    assert game.next_due() == SECOND + GRACE
    game.step(SECOND + GRACE)
    assert causes(game) == [said(SECOND, 0, "claim_cat")]


def test_a_cue_that_is_still_to_be_heard_waits_for_its_instant() -> None:
    game = kinapa_game()
    run(game, kinapa_count(), until=FIRST_BEAT + GRACE - 1)
    assert game.referee.state.phase == "announced"
    game.step(FIRST_BEAT + GRACE)
    assert game.referee.state.phase == "counting"


def test_timers_are_stamped_when_they_were_due_however_late_the_loop_comes() -> None:
    game = kinapa_game()
    run(game, kinapa_count(), until=12 * SECOND, frames=[5 * SECOND, 5 * SECOND])
    assert [timer.at for timer in causes(game, ob.TimerElapsed)] == [5 * SECOND, 6 * SECOND, LOCK]


def test_a_press_from_a_chair_that_is_not_in_the_game_rules_nothing() -> None:
    game = kinapa_game()
    run(game, [*kinapa_count(), *delivered(tap(7, 5 * SECOND))], until=8 * SECOND)
    assert events(game, HandRaised) == []
    assert [press.chair for press in causes(game, ob.ButtonPressed)] == [7]


def test_two_presses_in_one_microsecond_are_ruled_alike_whichever_is_delivered_first() -> None:
    edges = [*tap(2, 5 * SECOND), *tap(3, 5 * SECOND)]
    late = [1, 0, 0, 0]
    assert judged(late_by(edges, late), [], KinapaOptions()) == judged(delivered(edges), [], KinapaOptions())


# Independent of frames and delivery -------------------------------------------------------------------------


@st.composite
def fingers(draw: st.DrawFn) -> Edges:
    """What three chairs do with their buttons around a count: presses, taps, holds, all clean edges."""
    edges: Edges = []
    for chair in (1, 2, 3):
        at = draw(st.integers(2 * SECOND, 5 * SECOND))
        for _ in range(draw(st.integers(0, 4))):
            hold = draw(
                st.sampled_from(
                    [50 * MILLI, 120 * MILLI, HOLD_TIME - 1, HOLD_TIME, HOLD_TIME + 1, 800 * MILLI]
                )
            )
            edges += tap(chair, at, hold)
            at += hold + draw(st.integers(50 * MILLI, SECOND))
    return edges


def late_by(edges: Edges, delays: list[Micros]) -> Delivered:
    """Every edge with a delay of its own; one button's edges arrive in their order."""
    last: dict[int | None, Micros] = {}
    arrived: Delivered = []
    for edge, delay in zip(edges, delays, strict=True):
        last[edge.chair] = max(edge.at + delay, last.get(edge.chair, 0))
        arrived.append((last[edge.chair], edge))
    return arrived


def judged(reports: Delivered, frames: list[Micros], options: KinapaOptions) -> list[Any]:
    game = kinapa_game(MemoryJournal(kinapa_header(hand=options.hand)))
    run(game, [*kinapa_count(), *reports], until=10 * SECOND, frames=frames)
    assert lateness(game) == []
    return list(game.referee.journal.entries)


def told(entries: list[Any]) -> list[Any]:
    """What was ruled on what, in the order of the stamps: two edges of one instant have none among them."""
    instants = groupby(((entry.cause, entry.events) for entry in entries), key=lambda one: one[0].at)
    return [(at, sorted(ruled, key=str)) for at, ruled in instants]


frame_lengths = st.lists(st.integers(MILLI, 400 * MILLI), max_size=30)
houses = st.sampled_from([KinapaOptions(), KinapaOptions(hand="hold")])


@settings(max_examples=examples(240))
@given(fingers(), frame_lengths, houses, st.data())
def test_rulings_depend_neither_on_frames_nor_on_delivery_below_the_grace(
    edges: Edges, frames: list[Micros], options: KinapaOptions, data: st.DataObject
) -> None:
    below = st.integers(0, GRACE - 1)
    delays = data.draw(st.lists(below, min_size=len(edges), max_size=len(edges)), label="delays")
    late, prompt = judged(late_by(edges, delays), frames, options), judged(delivered(edges), [], options)
    assert told(late) == told(prompt)


@settings(max_examples=examples(160))
@given(fingers(), frame_lengths, st.data())
def test_bouncing_contacts_are_ruled_like_clean_ones(
    edges: Edges, frames: list[Micros], data: st.DataObject
) -> None:
    bouncing: Edges = []
    for edge in edges:
        bouncing.append(edge)
        for gap in data.draw(st.lists(st.integers(200, 900), max_size=4), label="bounces"):
            at = bouncing[-1].at + gap
            bouncing.append(Edge(edge.chair, edge.button, level=not edge.level, at=at))
            bouncing.append(Edge(edge.chair, edge.button, level=edge.level, at=at + 60))
    within = st.integers(0, SWITCH_TIMING.delivery)
    delays = data.draw(st.lists(within, min_size=len(bouncing), max_size=len(bouncing)), label="delays")
    options = KinapaOptions()
    assert judged(late_by(bouncing, delays), frames, options) == judged(delivered(edges), [], options)


# Windows count whole or not at all --------------------------------------------------------------------------

IN_THE_COUNT = 6_500 * MILLI


def cut(name: str) -> ob.Observation:
    match name:
        case "pause":
            return ob.PauseRequested(at=IN_THE_COUNT)
        case "undo":
            return ob.UndoRequested(at=IN_THE_COUNT)
        case "correction":
            return ob.CorrectionRequested(at=IN_THE_COUNT, seq=3, truth=said(0, 1, "raise"))
        case "adapter":
            return ob.AdapterLost(at=IN_THE_COUNT, adapter="usb", reason="unplugged")
    raise AssertionError(name)


@pytest.mark.parametrize("reason", ["pause", "undo", "correction", "adapter"])
def test_a_window_cut_in_its_middle_is_void_and_asked_for_again(reason: str) -> None:
    game = kinapa_game()
    stop = cut(reason)
    run(game, [*kinapa_count(), *delivered(tap(2, 5 * SECOND)), (stop.at, stop)], until=9 * SECOND)
    assert events(game, ev.WindowVoided) == [ev.WindowVoided(reason)]
    assert events(game, HandsLocked) == []
    assert not LANTERN.is_window_open(game.referee.state)
    if reason == "pause":
        game.post(ob.ResumeRequested(at=9 * SECOND))
    game.post(said(9_200 * MILLI, 0, "recount"))
    run_on(game, 9 * SECOND, 9_500 * MILLI)
    cue = game.cue
    assert cue is not None
    assert (cue.value, cue.attempt) == (7, 2)
    game.post(ob.CueHeard(at=10 * SECOND, cue=cue.name, attempt=cue.attempt))
    run_on(game, 9_500 * MILLI, 14 * SECOND)
    assert events(game, HandsLocked)[-1] == HandsLocked((), (1, 2, 3)), "no hand of the void count counts"


@pytest.mark.parametrize("killed_at", [FIRST_BEAT + 1, 5_999 * MILLI, LOCK - 1, LOCK])
def test_a_restart_voids_the_window_before_any_timer_is_looked_at(killed_at: Micros) -> None:
    """The last thing judged was a press just before the count's end; its timer is long due by now."""
    game = kinapa_game()
    run(game, [*kinapa_count(), *delivered(tap(2, killed_at))], until=LOCK + SECOND)
    kept = list(game.referee.journal.entries)
    while not isinstance(kept[-1].cause, ob.ButtonPressed):
        kept.pop()
    resumed = kinapa_game(MemoryJournal(game.referee.journal.header, kept))
    assert resumed.referee.journal.entries[len(kept)].cause == ob.ProgramRestarted(at=kept[-1].cause.at)
    assert ev.WindowVoided("restart") in resumed.referee.journal.entries[len(kept)].events
    run_on(resumed, killed_at, LOCK + SECOND)
    assert events(resumed, HandsLocked) == []
    assert resumed.referee.state.phase == "recounting"


def test_only_what_the_menu_offers_is_corrected() -> None:
    """An older entry may be witnessed by cards that are covered now."""
    game = kinapa_game()
    run(game, [*kinapa_count(), *delivered(tap(2, 5 * SECOND))], until=IN_THE_COUNT)
    offer = find_correction_offer(game.referee)
    assert offer is not None
    assert [entry.seq for entry in game.referee.correctable_entries()] == [5, 3, 1, 0]
    for seq, truth in ((1, None), (0, said(0, 1, "claim_cat")), (3, said(0, 2, "announce", 5)), (9, None)):
        game.post(ob.CorrectionRequested(at=IN_THE_COUNT, seq=seq, truth=truth))
    run_on(game, IN_THE_COUNT, IN_THE_COUNT + SECOND)
    assert causes(game, ob.CorrectionRequested) == []
    game.post(ob.CorrectionRequested(at=IN_THE_COUNT + SECOND, seq=offer.entry.seq, truth=None))
    run_on(game, IN_THE_COUNT + SECOND, IN_THE_COUNT + 2 * SECOND)
    assert [one.seq for one in causes(game, ob.CorrectionRequested)] == [3]


def test_a_new_game_does_not_begin_with_a_restart() -> None:
    game = kinapa_game()
    run(game, kinapa_count()[:1], until=2 * SECOND)
    assert causes(game, ob.ProgramRestarted) == []


def test_what_does_not_stand_any_more_is_not_corrected_and_nothing_breaks() -> None:
    game = kinapa_game()
    twice = [ob.CorrectionRequested(at=at, seq=1, truth=None) for at in (4_900 * MILLI, 5 * SECOND)]
    run(game, [*kinapa_count(), *((one.at, one) for one in twice)], until=8 * SECOND)
    assert [one.at for one in causes(game, ob.CorrectionRequested)] == [4_900 * MILLI]
    assert game.referee.state.phase == "announcing"


# Chance -----------------------------------------------------------------------------------------------------


def test_chance_speaks_as_soon_as_it_is_asked_even_in_an_empty_journal() -> None:
    game = lantern_game()
    game.step(SECOND)
    assert events(game, LotFell) == [LotFell(0)]
    assert causes(game) == [ob.RandomDraw(at=SECOND - GRACE, choices=("0", "1", "2", "3"), index=0)]


def test_a_whole_turn_runs_from_observations_alone() -> None:
    game = lantern_game()
    run(game, lantern_count(), until=8 * SECOND)
    named = events(game, NumberNamed, WindowOpened, BeatFell, WindowClosed)
    assert named == [
        NumberNamed(0, 3),
        WindowOpened(4 * SECOND),
        BeatFell(1),
        BeatFell(2),
        WindowClosed(0, None, 1),
    ]
    assert replay_state(LANTERN, game.referee.setup, game.referee.journal.entries) == game.referee.state


# Told when durable ------------------------------------------------------------------------------------------


def test_nothing_is_told_before_it_is_durable_and_all_in_order() -> None:
    clock = ManualClock()
    journal = SlowJournal(clock, 300 * MILLI, header())
    game = lantern_game(journal)
    reports = lantern_count()
    told: list[tuple[Micros, int]] = []
    while clock.now() < 10 * SECOND:
        clock.move_to(clock.now() + 10 * MILLI)
        while reports and reports[0][0] <= clock.now():
            game.post(reports.pop(0)[1])
        game.step(clock.now())
        told += [(clock.now(), one.entry.seq) for one in game.take_announcements()]
    assert [seq for _, seq in told] == list(range(len(journal.entries)))
    assert all(at >= journal.when_durable(seq) for at, seq in told)
    assert any(at - journal.entries[seq].cause.at >= 300 * MILLI for at, seq in told)
    assert not game.waiting


def test_while_the_storage_fails_the_game_is_told_unsaved() -> None:
    clock = ManualClock()
    journal = SlowJournal(clock, SECOND)
    game = kinapa_game(journal)
    game.post(said(0, 0, "claim_cat"))
    game.step(GRACE)
    assert game.take_announcements() == []
    assert game.waiting
    journal.trouble = StorageFailure("storage.full", "no space")
    assert [ruling.entry.seq for ruling in game.take_announcements()] == [0]
    assert not game.waiting


# First light ------------------------------------------------------------------------------------------------


def test_a_press_is_seen_at_once_and_is_unjudged_for_a_blink() -> None:
    game = kinapa_game()
    run(game, kinapa_count(), until=5 * SECOND)
    game.post(Edge(1, "seat", level=True, at=5 * SECOND))
    line = (1, "seat")
    assert line in game.buttons_maybe_down()
    assert line in game.unjudged_buttons()
    run_on(game, 5 * SECOND, 5 * SECOND + GRACE)
    assert line in game.buttons_maybe_down()
    assert line not in game.unjudged_buttons()


def test_the_table_is_seen_through_the_loop_as_through_the_referee() -> None:
    game = lantern_game()
    run(
        game, [(one.at, one) for one in (seen(SECOND, 0, "sun"), seen(2 * SECOND, 0, BACK))], until=3 * SECOND
    )
    assert game.view == LANTERN.view(game.referee.state)
    game.post(declared(3 * SECOND, 0, "name", 2))
    run_on(game, 3 * SECOND, 3_100 * MILLI)
    assert game.cue == LANTERN.awaited_cue(game.referee.state)
    game.post(ob.PauseRequested(at=3_100 * MILLI))
    run_on(game, 3_100 * MILLI, 3_200 * MILLI)
    assert game.cue is None


class Torn(Dnup):
    """Rules that fail on whatever is said."""

    def _judge_action(self, state: Any, action: Any, at: int) -> Any:
        raise ZeroDivisionError("planted")


@pytest.mark.parametrize(("kind", "waits"), [("game", True), ("practice", False), ("demo", False)])
def test_whoever_is_stopped_is_told_of_resume_only_where_the_game_is_stored(kind: Kind, waits: bool) -> None:
    rules = Torn()
    setup = Setup((0, 1), rules.options())
    game = RefereedGame(
        Referee(rules, MemoryJournal(make_header("dnup", setup, kind=kind))), chance=lambda _: 0
    )
    with pytest.raises(RepeatedFailureError) as stopped:  # noqa: PT012 - the second time
        for at in (SECOND, 2 * SECOND):
            game.post(said(at, 0, "prepared"))
            game.step(at + GRACE)
            game.post(ob.ResumeRequested(at=at + GRACE))
    assert ("companion resume" in str(stopped.value)) is waits
