"""What a newcomer meets in practice: how one begins, what was done for one, and the end of a round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from companion.core.actions import Action
from companion.core.events import Infraction, kind_of
from companion.core.switch import Edge
from companion.core.view import Guidance, Sentence
from companion.games import GAMES
from companion.games.kabuki.opponents import CHECK_PHASES
from companion.games.kinapa.rules.model import KinapaPhase, ObjectPosition
from companion.games.roses.rules.model import RosesPhase
from companion.language.language import Language
from companion.simulation.practice import SETTLE_TIME
from companion.ui import commands as do
from companion.ui.board import practice_panel
from companion.ui.frame import UiState
from tests.programs.practising import Person, reached
from tests.ui import album, shown

WITH_ROUNDS = ("kobayakawa", "dnup", "kabuki")


def guide_of(person: Person) -> Guidance:
    guide = person.host.practice.guidance()
    assert guide is not None
    return guide


def state_of(person: Person) -> Any:
    return person.session.game.referee.state


def frame_of(person: Person) -> Any:
    return person.app.frame()


def press(person: Person, seconds: float = 0.1) -> None:
    """The person's key goes down and up."""
    for down in (True, False):
        person.app.carry_out(do.ChairPress(0, down=down, source="key"))
        person.run(seconds)


def until_round_is_over(person: Person) -> Guidance:
    for _ in range(1200):
        person.run(0.25)
        guide = guide_of(person)
        if guide.kind == "held":
            return guide
        person.plays()
    raise AssertionError(person.session.view.headline)


def until_object_is_open(person: Person) -> None:
    """The person has turned an object, and can only turn it back."""
    for _ in range(400):
        person.run(1)
        state = state_of(person)
        possible = [action.verb for action in guide_of(person).possible]
        if state.emperor == 0 and state.phase is KinapaPhase.PLACING and possible == ["hide"]:
            person.run(SETTLE_TIME / 1e6)
            return
        person.plays()
    raise AssertionError(person.session.view.headline)


@pytest.mark.parametrize("by", ["press", "touch"])
def test_what_a_plate_offers_can_be_pressed_and_touched(by: str) -> None:
    person = Person("kinapa")
    until_object_is_open(person)
    slot = state_of(person).turn.slot
    frame = frame_of(person)
    table = practice_panel.practice_table(frame, frame.guide).view
    (offered,) = next(one.choices for one in table.chairs if one.chair == 0)
    assert offered.press == "press", "no pair that is not in the hand"
    if by == "press":
        press(person)
    else:
        person.app.carry_out(do.DeclareAction(offered.action))
    person.run(1)
    assert state_of(person).slots[slot - 1].lies is ObjectPosition.DOWN


def test_what_was_done_for_the_person_is_said() -> None:
    for seed in range(9):
        person = Person("kinapa", seed=seed)
        for _ in range(40):
            person.run(0.5)
            forced = guide_of(person).forced
            if forced is not None and forced.key != "lesson.practice.forced.claim_cat":
                break
            person.plays()
        if forced is not None:
            break
    assert forced is not None
    held = person.host.practice.world.cards_of_number(0, dict(forced.parts)["number"])
    assert forced.key.rpartition(".")[2] in {"has", "show_pair"} or len(held) < 2
    frame = frame_of(person)
    words = Language("en").text(forced)
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    assert words in " ".join(line.string for line in sheet.text_lines)
    person.run(10)
    assert guide_of(person).forced != forced


@pytest.mark.parametrize("game", WITH_ROUNDS)
def test_the_end_of_a_round_waits_until_it_was_read(game: str) -> None:
    person = Person(game)
    guide = until_round_is_over(person)
    phase = state_of(person).phase
    person.run(60)
    assert guide_of(person).kind == "held"
    assert state_of(person).phase == phase, "nobody deals meanwhile"
    person.app.carry_out(do.ControlGuide("next"))
    person.run(0.1)
    assert guide_of(person).kind == "practice"
    person.run(30)
    assert state_of(person).phase != phase
    assert guide.results or game == "kabuki"


def test_a_press_just_after_the_end_of_a_round_does_not_go_on() -> None:
    person = Person("kobayakawa")
    guide = until_round_is_over(person)
    person.host.practice._over = guide.title, person.clock.now()
    person.app.carry_out(do.ControlGuide("next"))
    assert guide_of(person).kind == "held"
    person.run(SETTLE_TIME / 1e6)
    person.app.carry_out(do.ControlGuide("next"))
    assert guide_of(person).kind == "practice"


@pytest.mark.parametrize("game", WITH_ROUNDS)
@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_the_end_of_a_round_shows_who_won_why_and_all_scores(game: str, size: tuple[int, int]) -> None:
    person = Person(game)
    guide = until_round_is_over(person)
    page, words = shown.pages(size)["game"], Language("en")
    sheet = page.painted_sheet(frame_of(person))
    told = " ".join(line.string for line in sheet.text_lines)
    assert not any(line.cut for line in sheet.text_lines)
    assert all(words.text(said) in told for said in guide.results)
    state = state_of(person)
    scores = {
        "kobayakawa": lambda: [str(have) for have in state.kamons],
        "dnup": lambda: [f"{points}/4" for points in state.points],
        "kabuki": lambda: [f"Total\N{NO-BREAK SPACE}{row}" for row in state.scores[0]],
    }
    strings = [line.string for line in sheet.text_lines]
    for score in scores[game]():
        assert any(score in string for string in strings)
    assert next(target for target in sheet.targets if target.key == "guide:next").rect.size == size


@pytest.mark.parametrize(("won_by", "said"), [(0, "Round won!"), (2, "Round to Green!")])
def test_a_round_that_somebody_else_won_is_told_as_theirs(won_by: int, said: str) -> None:
    person = Person("kobayakawa")
    guide = until_round_is_over(person)
    won = Sentence("kobayakawa.RoundWon", (("chair", won_by), ("count", 4), ("total", 12)))
    frame = replace(frame_of(person), guide=structs.replace(guide, title=won, results=(won,)))
    sheet = shown.pages((1280, 720))["game"].painted_sheet(frame)
    assert said in " ".join(line.string for line in sheet.text_lines)


def test_who_loses_a_die_is_not_said_to_have_won() -> None:
    person = Person("liars_dice")
    guide = until_round_is_over(person)
    assert dict(guide.title.parts)["chair"] is not None
    told = " ".join(
        line.string for line in shown.pages((1280, 720))["game"].painted_sheet(frame_of(person)).text_lines
    )
    assert Language("en").text(guide.title) in told
    assert "won" not in told


def test_any_button_goes_on_after_a_round() -> None:
    person = Person("dnup")
    until_round_is_over(person)
    person.run(1)
    press(person)
    assert guide_of(person).kind == "practice"


def test_a_press_just_after_something_else_was_asked_is_no_move() -> None:
    person = Person("kobayakawa")
    for _ in range(400):
        person.run(0.05)
        state = state_of(person)
        if state.actor == 0 and state.phase == "drawing":
            break
    now, practice = person.clock.now(), person.host.practice
    assert not practice.admits(Edge(0, "seat", level=True, at=now, source="key"))
    later = now + SETTLE_TIME
    assert practice.admits(Edge(0, "seat", level=True, at=later, source="key"))


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.opponents is not None])
def test_practice_says_how_one_begins_until_one_has(game: str) -> None:
    person = Person(game)
    first = Sentence(f"lesson.practice.first.{game}", (("chair", 0),))
    for _ in range(100):
        person.run(0.5)
        if guide_of(person).note is not None:
            break
    assert guide_of(person).note == first
    assert any(one.chair == 0 and one.asked for one in person.session.view.chairs)  # not while others deal
    assert "Tap" in Language("en").text(first) or "tap" in Language("en").text(first)
    for _ in range(100):
        person.run(1)
        if person.host.practice._has_acted:
            break
        person.plays()
    person.run(1)
    assert guide_of(person).note != first


def test_the_backs_and_the_deck_lie_there_while_somebody_deals() -> None:
    person = Person("kobayakawa", seed=4)
    person.run(0.5)
    assert state_of(person).phase == "dealing"
    backs = {chair: len(cards) for _, chair, cards in guide_of(person).lay if {*cards} == {"back:number"}}
    dealer = state_of(person).starter
    assert backs == {chair: 5 if chair == dealer else 1 for chair in range(4)}


def test_what_one_may_do_is_what_the_hand_allows() -> None:
    person = Person("dnup", seed=3)
    reached(person, "play")
    person.app.navigation.ui_state = UiState(overlay="may")
    frame = frame_of(person)
    own = next(one for one in frame.allowed_actions if one.chair == 0)
    rules, state = person.session.game.referee.rules, state_of(person)
    offered = {rules.label(state, action) for action in person.host.practice.offered_actions()}
    assert set(own.choices) == offered


def test_the_table_does_not_offer_what_it_does_itself() -> None:
    person = Person("dnup", seed=1)
    while state_of(person).phase != "dealing":
        person.run(0.1)
    frame = frame_of(person)
    table = practice_panel.practice_table(frame, frame.guide).view
    assert not any(one.choices for one in table.chairs)
    press(person, 0.4)
    person.run(3)
    assert not [entry for entry in person.session.game.referee.journal.entries if "Infraction" in str(entry)]


def test_a_hint_stands_where_nothing_has_to_be_read() -> None:
    person = Person("dnup", seed=3)
    reached(person, "play")
    page = shown.pages((1280, 720))["game"]
    for asks in (False, True):
        person.host.practice._has_acted = True
        if asks:
            person.app.carry_out(do.ControlGuide("hint"))
        sheet = page.painted_sheet(frame_of(person))
        lowest = max(target.rect.bottom for target in sheet.targets if target.key.startswith("card:"))
        buttons = [
            target.rect for target in sheet.targets if target.key.startswith(("bar:", "guide:", "answer:"))
        ]
        note = guide_of(person).note
        if note is None:
            continue
        words = Language("en").text(note)
        line = next(line for line in sheet.text_lines if line.string in words and len(line.string) > 9)
        assert lowest <= line.rect.top
        assert line.rect.collidelist(buttons) < 0


def test_a_card_and_the_set_it_goes_to_are_two_taps() -> None:
    for seed in range(30):
        person = Person("dnup", seed=seed)
        for _ in range(60):
            person.run(1)
            added = [one for one in person.host.practice.offered_actions() if one.verb == "add"]
            if added:
                break
            person.plays()
        if added:
            break
    practice = person.host.practice
    use = practice.world.hand_use(practice.people.state, added[0])
    held = len(practice.world.hands[0])
    person.app.carry_out(do.ControlGuide(f"place:{use.region}"))
    person.app.carry_out(do.ControlGuide(f"card:{min(use.cards)}"))
    person.run(0.5)
    assert len(practice.world.hands[0]) == held - 1


def test_what_others_did_before_the_person_acted_is_no_news() -> None:
    person = Person("kobayakawa")
    seen = 0
    for _ in range(60):
        person.run(0.5)
        frame = frame_of(person)
        if frame.guide is None or frame.guide.kind != "practice":
            person.plays()
            continue
        last = frame.log[-1].sentence if frame.log else None
        table = practice_panel.practice_table(frame, frame.guide)
        asked = [one.chair for one in frame.view.chairs if one.asked]
        if asked == [0] and last is not None:
            newest = [line.sentence for line in frame.log if line.seq == frame.log[-1].seq]
            assert table.say is None or (table.say in newest and dict(table.say.parts)["chair"] != 0)
            seen += table.say is not None
        person.plays()
    assert seen


def until_a_mask_can_be_placed(person: Person) -> Any:
    """The person has drawn a mask; returns the frame."""
    for _ in range(200):
        person.run(0.5)
        frame = frame_of(person)
        if practice_panel.places_by_touch(frame.guide):
            person.run(SETTLE_TIME / 1e6)
            return frame_of(person)
    raise AssertionError(person.session.view.headline)


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_a_tapped_stack_takes_the_mask(size: tuple[int, int]) -> None:
    person = Person("kabuki")
    frame = until_a_mask_can_be_placed(person)
    placed = state_of(person).placed
    sheet = shown.pages(size)["game"].painted_sheet(frame)
    target = next(target for target in sheet.targets if target.key == "place:stack:3")
    for command in target.action.commands:
        person.app.carry_out(command)
    person.run(2)
    assert state_of(person).placed != placed
    assert len(person.host.practice.world.stacks[3]) == 1


def test_where_a_mask_goes_is_told_to_be_tapped() -> None:
    person = Person("kabuki")
    frame = until_a_mask_can_be_placed(person)
    assert practice_panel.practice_table(frame, frame.guide).view.hint == Sentence("lesson.practice.touch")


def test_after_a_round_the_table_is_that_of_the_next_one_until_the_hand_is_dealt() -> None:
    person = Person("kobayakawa")
    until_round_is_over(person)
    person.run(1)
    person.app.carry_out(do.ControlGuide("next"))
    seen = 0
    while state_of(person).phase == "dealing":
        person.run(0.1)
        frame = frame_of(person)
        if frame.view.phase != "dealing":
            break
        seen += 1
        starter = state_of(person).starter
        table = practice_panel.practice_table(frame, frame.guide)
        assert table.view.headline == Sentence("ui.practice.deals", (("chair", starter),))
        assert not table.view.card
        assert table.view.hint is None
        assert table.say is None
        assert not any(one.laid for one in table.view.chairs)
        kinds = {token.kind for one in table.view.chairs for token in one.tokens}
        assert kinds <= {"starter", "kamon"}
        dealt = {card for _, _, cards in frame.guide.lay for card in cards}
        assert dealt == {"back:number"}, "no face before it is dealt"
        assert frame.guide.note is None, "whoever deals is not told to draw"
    assert seen > 3
    person.run(0.5)
    assert len(guide_of(person).lay[0][2]) == 1


def words_on(page: Any, frame: Any) -> str:
    return " ".join(line.string for line in page.painted_sheet(frame).text_lines)


@pytest.mark.parametrize(
    ("game", "headline", "hint"),
    [
        ("dnup", "", "lesson.practice.choose"),
        ("kabuki", "lesson.practice.stack", "lesson.practice.touch"),
    ],
)
def test_what_one_may_do_is_told_for_this_screen(game: str, headline: str, hint: str) -> None:
    person = Person(game, seed=3)
    if game == "dnup":
        reached(person, "play")
    else:
        until_a_mask_can_be_placed(person)
    frame, words, page = frame_of(person), Language("en"), shown.pages((1280, 720))["game"]
    before, of_a_real_table = words_on(page, frame), frame.view.hint
    assert of_a_real_table is not None
    if headline:
        assert words.text(Sentence(headline, (("chair", 0),))) in before
    person.app.navigation.ui_state = UiState(overlay="may")
    told = words_on(page, frame_of(person))
    assert words.text(Sentence(hint)) in told
    assert words.text(of_a_real_table) not in told
    assert told.count(words.text(Sentence(hint))) == before.count(words.text(Sentence(hint))) + 1, "once"
    if headline:
        assert words.text(frame.view.headline) not in told
        assert {action.verb for action in frame.guide.possible} == {"stop", "place"}


def test_who_shuffles_the_masks_is_not_said_to_think() -> None:
    person = Person("kabuki")
    while state_of(person).phase != "shuffling":
        person.run(0.1)
    frame = frame_of(person)
    headline = practice_panel.practice_table(frame, frame.guide).view.headline
    assert headline.key == "ui.practice.shuffles"


def test_that_twins_are_counted_for_the_person_is_said() -> None:
    person = Person("kabuki")
    words, page = Language("en"), shown.pages((1280, 720))["game"]
    told = set()
    for _ in range(600):
        person.run(0.25)
        frame = frame_of(person)
        if frame.guide.forced is not None:
            break
        state = state_of(person)
        if state.phase != "playing":
            assert not practice_panel.places_by_touch(frame.guide)
        if state.phase in CHECK_PHASES:
            told.add(practice_panel.practice_table(frame, frame.guide).view.headline.key)
        if frame.guide.kind == "held" or practice_panel.places_by_touch(frame.guide):
            person.plays()
        elif state.phase == "playing" and state.last is not None and state.last.seat != 0:
            press(person, 0.4)  # right or wrong
    forced = frame.guide.forced
    assert forced is not None
    assert forced.key == "lesson.practice.forced.twins"
    assert told <= {"ui.practice.checks", "ui.practice.restores"}
    person.run(3.6)  # what it led to takes the whole screen first
    assert words.text(forced) in words_on(page, frame_of(person))
    for count, said in ((0, "No twin"), (1, "One twin"), (2, "2 twins")):
        assert said in words.text(Sentence(forced.key, (("count", count),)))


def test_what_a_tapped_card_still_needs_is_said() -> None:
    words, page = Language("en"), shown.pages((1280, 720))["game"]
    more, useless = (words.text(Sentence(f"ui.practice.{one}")) for one in ("more", "useless"))
    said = set()
    for seed in range(12):
        person = Person("dnup", seed=seed)
        for _ in range(30):
            person.run(1)
            practice = person.host.practice
            uses = practice._hand_uses()
            for card in range(len(practice.world.hands[0])) if uses else ():
                practice._tapped.clear()
                person.app.carry_out(do.ControlGuide(f"card:{card}"))
                guide, told = guide_of(person), words_on(page, frame_of(person))
                needed = any(card in use.cards for _, use in uses)
                assert guide.useless is not needed
                assert (useless in told) is not needed
                assert (more in told) is (needed and not guide.answers)
                said.add("useless" if guide.useless else "answers" if guide.answers else "more")
            practice._tapped.clear()
            if len(said) == 3:
                return
            person.plays()
    raise AssertionError(said)


def test_no_mask_hovers_over_a_stack_where_a_finger_places() -> None:
    person = Person("kabuki")
    until_a_mask_can_be_placed(person)
    person.app.carry_out(do.DeclareAction(Action(0, "point", 1)))
    person.run(0.5)
    frame = frame_of(person)
    assert any(choice.press == "ok" for choice in frame.view.shared)
    assert practice_panel.practice_table(frame, frame.guide).view.shared == ()


def until(person: Person, holds: Any, *, plays: bool = True) -> None:
    """Play on until something holds."""
    for _ in range(400):
        person.run(0.25)
        if holds():
            return
        if plays:
            person.plays()
    raise AssertionError(person.session.view.headline)


def test_a_wrong_stop_is_shown_at_once_with_what_it_costs() -> None:
    person, page, words = Person("kabuki", seed=3), shown.pages((1280, 720))["game"], Language("en")
    until(person, lambda: state_of(person).last is not None and state_of(person).last.seat != 0)
    person.run(SETTLE_TIME / 1e6)
    before = state_of(person).tokens[0]
    press(person, 0.4)
    until(person, lambda: state_of(person).phase == "restoring", plays=False)
    person.run(1)
    assert state_of(person).tokens[0] == before - 1
    told = words_on(page, frame_of(person))
    assert "Wrong!" in told
    for said in (
        Sentence("kabuki.StopWrong.shown", (("chair", 0),)),
        Sentence("kabuki.step.box", (("chair", 0),)),
    ):
        assert words.text(said) in told


def test_a_stop_can_be_withdrawn_in_one_place() -> None:
    person, page = Person("kabuki", seed=3), shown.pages((1280, 720))["game"]
    until(person, lambda: state_of(person).last is not None and state_of(person).last.seat != 0)
    person.run(SETTLE_TIME / 1e6)
    press(person, 0.4)
    until(person, lambda: state_of(person).phase == "stopped", plays=False)
    frame = replace(frame_of(person), current_verdict=None)
    assert words_on(page, frame).replace("\n", " ").count("Withdraw") == 1


def test_the_card_that_was_just_drawn_is_kept_and_tapping_it_says_so() -> None:
    person = Person("kinapa")
    reached(person, "return")
    world, held = person.host.practice.world, person.host.practice.world.hands[0]
    person.app.carry_out(do.ControlGuide(f"card:{held.index(world._received)}"))
    guide = guide_of(person)
    assert (guide.note, guide.good) == (Sentence("lesson.practice.drawn"), False)
    assert guide.tapped == ()


def test_cards_that_do_not_go_together_are_told_of() -> None:
    person = Person("dnup", seed=3)
    reached(person, "play")
    for card, note in ((0, None), (4, Sentence("lesson.practice.apart")), (5, None)):
        person.app.carry_out(do.ControlGuide(f"card:{card}"))
        person.host.practice._has_acted = True
        assert guide_of(person).note == note


@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_what_needs_no_card_stands_apart_from_what_tapped_cards_make(size: tuple[int, int]) -> None:
    person, page = Person("dnup", seed=3), shown.pages(size)["game"]
    reached(person, "play")
    places = []
    for tap in ("", "card:4"):
        if tap:
            person.app.carry_out(do.ControlGuide(tap))
        sheet = page.painted_sheet(frame_of(person))
        places.append(next(target.rect for target in sheet.targets if target.key == "answer:1"))
    assert not places[0].colliderect(places[1])


def test_why_a_count_begins_again_is_told_for_three_seconds() -> None:
    person, why = Person("kinapa", seed=3), Sentence("kinapa.WindowVoided.pause")
    until(person, lambda: state_of(person).phase == "counting", plays=False)
    person.app.carry_out(do.PauseGame())
    person.run(0.2)
    person.app.carry_out(do.ContinueGame())
    person.run(0.2)
    page = shown.pages((1280, 720))["game"]
    assert Language("en").text(why) in words_on(page, frame_of(person))
    person.run(3)
    assert guide_of(person).forced != why


@pytest.mark.parametrize("game", ["kinapa", "kobayakawa"])
@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
def test_the_own_cards_are_the_largest_and_those_of_others_are_backs(
    game: str, size: tuple[int, int]
) -> None:
    person, page = Person(game, seed=3), shown.pages(size)["game"]
    until(person, lambda: bool(guide_of(person).lay))
    sheet = page.painted_sheet(frame_of(person))
    held = [placed.rect for name, placed in sheet.placed.items() if name.startswith("held:")]
    others = [placed.rect for name, placed in sheet.placed.items() if name.startswith("card:")]
    assert min(rect.h for rect in held) > max((rect.h for rect in others), default=0)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_bids_are_rows_that_a_finger_tells_apart_on_a_small_display(language: str) -> None:
    person = Person("liars_dice", seed=4)
    until(person, lambda: len(guide_of(person).possible) > 6)
    frame = frame_of(person)
    frame = replace(frame, ui_state=structs.replace(frame.ui_state, language=language))
    sheet = shown.pages((800, 480))["game"].painted_sheet(frame)
    bids = [one for one in sheet.targets if one.key.startswith("row:")]
    assert len(bids) >= 4
    assert all(album.for_a_finger(one, sheet.targets, (800, 480)) for one in bids)


@pytest.mark.parametrize("event", ["SetReturned", "SetDiscarded"])
def test_where_the_set_of_the_person_went_is_told(event: str) -> None:
    page, words = shown.pages((1280, 720))["game"], Language("en")
    for seed in range(20):
        person = Person("dnup", seed=seed)
        for _ in range(120):
            person.run(0.5)
            frame = frame_of(person)
            forced = None if frame.guide is None else frame.guide.forced
            if forced is not None and forced.event == event and frame.guide.kind == "practice":
                assert dict(forced.parts)["chair"] == 0
                frame = replace(frame, guide=structs.replace(frame.guide, note=None))
                assert words.text(forced) in words_on(page, frame)
                return
            person.plays()
    raise AssertionError(event)


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.opponents is not None])
def test_what_a_person_meets_in_the_first_decisions_can_be_drawn(game: str) -> None:
    """A page that raises is a plain one, without a hand: nobody can play on it."""
    person, sizes = Person(game, seed=3), ((800, 480), (1280, 720))
    pages = {size: shown.pages(size)["game"] for size in sizes}
    for _ in range(16):
        person.run(2)
        for size, page in pages.items():
            written = page.painted_sheet(frame_of(person)).text_lines
            assert "None" not in {line.string for line in written}
            assert list(shown.faults(written, size)) == []
        assert Language("en").has_words_for(guide_of(person).say), guide_of(person).say
        person.plays()


def test_whatever_the_hand_offers_in_dnup_is_asked_for_in_words() -> None:
    """Where a set can only be taken or the hand only be turned, too."""
    person, asked = Person("dnup", seed=1), set[str]()
    for _ in range(120):
        person.run(1)
        if guide_of(person).chooses:
            asked |= {action.verb for action in person.host.practice.offered_actions()[:1]}
            assert guide_of(person).say == Sentence("lesson.practice.tap.play")
        person.plays()
    assert asked - {"play"}


def test_a_card_stays_tapped_while_others_put_theirs_down() -> None:
    person = Person("roses", seed=1)
    until(person, lambda: guide_of(person).chooses, plays=True)
    person.app.carry_out(do.ControlGuide("card:0"))
    laid = state_of(person).laid
    until(person, lambda: state_of(person).laid != laid, plays=False)
    assert guide_of(person).tapped == (0,)
    person.app.carry_out(do.ControlGuide("answer:1"))
    person.run(2)
    assert guide_of(person).tapped == (), "it lies on the table now"


def test_nothing_is_advised_in_roses_where_nobody_is_asked() -> None:
    person = Person("roses", seed=1)
    over = structs.replace(state_of(person), phase=RosesPhase.OVER, seat=0)
    assert person.host.practice.world.advice(over, 0) is None


def test_what_others_are_told_to_do_is_not_said_to_the_person() -> None:
    person = Person("kinapa")
    for _ in range(400):
        person.run(0.5)
        if state_of(person).phase is KinapaPhase.SEARCHING and 0 not in asked_chairs(person):
            break
        person.plays()
    frame = frame_of(person)
    assert len(asked_chairs(person)) > 1
    assert frame.view.hint == Sentence("kinapa.hint.searching")
    assert practice_panel.practice_table(frame, frame.guide).view.hint is None


def asked_chairs(person: Person) -> list[int]:
    return [one.chair for one in frame_of(person).view.chairs if one.asked]


def test_a_mask_is_placed_once_however_soon_and_often_stacks_are_tapped() -> None:
    """A tap before it is shown, and one on another stack before it was read, lay no second mask."""
    person = Person("kabuki")
    for _ in range(600):
        person.run(0.1)
        if any(action.verb == "place" for action in guide_of(person).possible):
            for stack in (1, 2, 3):
                person.app.carry_out(do.ControlGuide(f"place:stack:{stack}"))
        else:
            person.plays()
        entries = person.session.game.referee.journal.entries
        mine = [event for entry in entries for event in entry.events if kind_of(event) == "MaskPlaced"]
        if sum(event.seat == 0 for event in mine) == 2:
            break
    else:
        raise AssertionError(person.session.view.headline)
    assert not [event for entry in entries for event in entry.events if isinstance(event, Infraction)]
    assert not any(kind_of(event) == "PlacementMissed" for entry in entries for event in entry.events)
