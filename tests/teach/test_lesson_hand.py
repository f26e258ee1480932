"""What was done well stays in sight on its own, and at a drawn table the learner taps the own cards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import Action
from companion.language.language import Language
from companion.referee.loop import GRACE
from companion.simulation.simulated_table import PICTURE_INTERVAL, DrawnTable
from companion.teach.lesson import find_lesson_files, load_lesson
from companion.teach.notation import make_reading
from companion.ui import commands as do
from companion.ui.board.practice_panel import lesson_hand, own_cards
from companion.ui.layout import Box
from tests.teach.learner import Learner

LESSONS = [pytest.param(file, id=f"{file.parent.name}-{file.stem}") for file in find_lesson_files()]


@pytest.fixture
def learners(tmp_path: Path) -> Iterator[list[Learner]]:
    made: list[Learner] = []
    yield made
    for learner in made:
        learner.close()


def begin(folder: Path, learners: list[Learner], lesson: str) -> Learner:
    """A lesson at a drawn table, where its first sentence has been read."""
    learners.append(one := Learner(folder, lesson, drawn=True))
    while one.kind() == "say":
        one.touch("next")
    one.run(1)
    return one


def guide(one: Learner) -> Any:
    found = shown_frame(one).guide
    assert found is not None
    return found


def shown_frame(one: Learner) -> Any:
    return one.app.frame()


def shown_view(one: Learner) -> Any:
    return shown_frame(one).view


def hand(one: Learner) -> tuple[str, ...]:
    return next(cards for place, chair, cards in guide(one).lay if (place, chair) == ("", one.learns()))


@pytest.mark.parametrize("file", LESSONS)
def test_every_lesson_begins_with_how_one_wins_and_shows_it(file: Path) -> None:
    (first, *_) = load_lesson(file).step[0].part
    assert first.say.endswith(".goal")
    assert first.pictures


def test_what_a_question_is_about_lies_beside_its_answers(tmp_path: Path, learners: list[Learner]) -> None:
    one = begin(tmp_path, learners, "kobayakawa")
    go_to(one, "Kobayakawa 7")
    assert guide(one).pictures == (("number:7",),)
    sheet: Any = one.pages["game"].painted_sheet(shown_frame(one))
    answers = [target.rect for target in sheet.targets if target.key.startswith("answer:")]
    assert len(answers) == 2
    assert min(rect.x for rect in answers) > sheet.rect.w // 4, "it takes the left end"


def test_praise_stands_alone_with_what_it_is_about_and_leaves_by_itself(
    tmp_path: Path, learners: list[Learner]
) -> None:
    one = begin(tmp_path, learners, "kinapa/4-8")
    asked = one.card()
    one.touch("answer:2")
    assert (one.kind(), guide(one).right) == ("well", 2)
    assert one.card() != asked
    lines = " ".join(one.reads())
    assert "Which two cards" in lines, "what was asked"
    assert "turn over 3" not in lines, "and not what comes next"
    one.run(8)
    assert one.kind() == "wait"
    assert guide(one).note is None


def test_what_was_done_well_at_the_end_of_a_step_is_praised_before_the_next(
    tmp_path: Path, learners: list[Learner]
) -> None:
    one = begin(tmp_path, learners, "dnup/3-5")
    for key in ("card:0", "card:1", "answer:1"):
        one.touch(key)
    one.run(1)
    assert (one.kind(), guide(one).step) == ("well", 1)
    assert "two points" in one.card()


def test_cards_are_tapped_and_one_button_says_what_they_make(tmp_path: Path, learners: list[Learner]) -> None:
    one = begin(tmp_path, learners, "dnup/3-5")
    assert not any(key.startswith(("say:", "tile:")) for key in one.touchable())
    one.touch("card:0")
    one.run(2)  # nothing that the table says meanwhile lays them down again
    one.touch("card:1")
    assert "Play two 8s" in one.reads()
    assert not any("…" in line for line in one.reads()), "the other buttons keep their words"
    one.touch("card:1")
    assert "Play a single 8" in one.reads()
    one.touch("answer:1")
    one.run(1)
    assert one.told_wrong()
    one.touch("next")
    assert len(hand(one)) == 2, "the card is back in the hand"


def test_what_the_camera_saw_of_the_step_before_is_not_judged_in_the_next(
    tmp_path: Path, learners: list[Learner]
) -> None:
    """The picture was taken after the pair was laid by touch and before that was judged."""
    one = begin(tmp_path, learners, "kinapa/4-8")
    one.touch("answer:2")
    while "shows 5 and 6" not in one.card():
        one.touch("next") if one.kind() == "well" else one.touch("place:slot:3")
        one.run(1)
    now = one.clock.now()
    one.inbox.put(ob.ActionDeclared(at=now, action=Action(0, "place", 5)))
    one.inbox.put(make_reading("slot:3", ("object:5-6",), now + 1))
    one.run(2)
    assert (guide(one).step, one.told_wrong()) == (2, False)


def test_the_drawn_camera_shows_what_is_judged_and_says_when_that_was(
    tmp_path: Path, learners: list[Learner]
) -> None:
    """Whoever turned an object back a moment ago did it after the picture, which shows it open."""
    one = begin(tmp_path, learners, "kinapa/4-8")
    session: Any = one.app.session
    seen: list[Any] = []
    camera = DrawnTable(session.game, one.clock, seen.append, laid=dict)
    while not seen:
        one.clock.move_to(one.clock.now() + PICTURE_INTERVAL)
        camera.look(one.clock.now())
    assert seen[0].at == one.clock.now() - GRACE


def test_the_own_button_knows_no_hand_and_says_so(tmp_path: Path, learners: list[Learner]) -> None:
    one = begin(tmp_path, learners, "dnup/3-5")
    one.press_together(0)
    assert one.kind() == "wait"
    assert any(line.startswith("Tap cards in your hand") for line in one.reads())


def test_a_spin_turns_every_card_and_a_set_that_is_taken_comes_spun(
    tmp_path: Path, learners: list[Learner]
) -> None:
    one = begin(tmp_path, learners, "dnup/3-5")
    one.app.carry_out(do.ControlGuide("skip"))
    one.run(1)
    one.touch("next")
    before = hand(one)
    one.touch("answer:1")  # nothing tapped: the hand is spun
    one.run(1)
    assert one.kind() == "well"
    spun = {card.removesuffix("@180") if card.endswith("@180") else f"{card}@180" for card in before}
    assert set(hand(one)) == spun
    while guide(one).step < 6:
        one.goes_on()
        one.touch("skip")
    one.touch("next")
    for key in ("card:1", "place:set:3", "answer:1"):
        one.touch(key)
    one.run(1)
    one.goes_on()
    one.run(9)
    known = {place: cards for place, _, cards in guide(one).lay}
    assert known["set:2"] == ("pair:2-5", "pair:2-6", "pair:2-10"), "what lies there, with both its numbers"
    one.touch("place:set:2")
    one.touch("answer:1")
    one.run(1)
    assert {"pair:2-5@180", "pair:2-6@180", "pair:2-10@180"} <= set(hand(one))


def test_who_asks_to_be_shown_sees_the_cards_tapped_first(tmp_path: Path, learners: list[Learner]) -> None:
    one = begin(tmp_path, learners, "dnup/2")
    assert "card:0" in one.touchable()
    one.touch("show")
    assert guide(one).tapped == (0,)
    for _ in range(3):  # who asks again and again puts nothing off
        one.run(1)
        if one.kind() == "wait":
            one.touch("show")
    assert one.kind() == "well"


def test_at_a_table_with_cards_nothing_on_the_screen_is_tapped(
    tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, "dnup/3-5"))
    while one.kind() in {"lay", "say"}:
        one.touch("next")
    one.run(1)
    assert not guide(one).chooses
    assert any(key.startswith(("say:", "tile:")) for key in one.touchable())


def test_in_kabuki_the_drawn_mask_is_in_sight_and_a_stack_is_tapped_as_in_practice(
    tmp_path: Path, learners: list[Learner]
) -> None:
    """Nobody is asked which mask it was."""
    one = begin(tmp_path, learners, "kabuki")
    for _ in range(2):
        one.touch("skip")
        one.run(1)
        view = shown_view(one)
        assert {place.region: place.card for place in view.places}["show"] == "mask:crab"
    one.touch("place:stack:1")
    assert one.kind() == "well"
    assert "You place your mask on stack 1." in one.reads()


MASKS = ("leaf", "sun", "lion", "demon", "crab", "ghost", "plum", "wave", "storm", "moon")


def test_a_mask_of_kabuki_is_shown_with_its_name_before_it_is_spoken_of() -> None:
    lesson, words, shown = load_lesson(find_lesson_files("kabuki")[0]), Language("en"), set[str]()
    for part in (part for step in lesson.step for part in step.part):
        pictures = [*part.pictures, *part.quiz_cards]
        shown |= {card.removeprefix("mask:") for group in pictures for card in group}
        said = " ".join(words.tr(key) for key in (part.say, part.well) if key)
        assert {mask for mask in MASKS if mask in said} <= shown, said


def test_a_shown_mask_has_its_name_below(tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(one := Learner(tmp_path, "kabuki", drawn=True))
    assert one.reads().count("Crab") == 2


def test_a_place_is_tapped_and_what_the_lesson_laid_there_is_turned_over(
    tmp_path: Path, learners: list[Learner]
) -> None:
    """Without a camera, too, nobody is asked what lies there; the own button says where to touch."""
    one = begin(tmp_path, learners, "kinapa/4-8")
    one.touch("answer:2")
    one.goes_on()
    one.run(1)
    assert not any(key.startswith(("say:", "tile:")) for key in one.touchable())
    one.press_together(0)
    assert one.kind() == "wait"
    assert "Tap a place on the table, or" in one.reads()
    one.touch("place:slot:2")
    one.run(1)
    assert one.told_wrong()
    assert {place.region: place.card for place in shown_view(one).places}["slot:2"] == "object:7-8"
    one.touch("next")
    one.touch("place:slot:3")
    one.run(1)
    assert {place.region: place.card for place in shown_view(one).places}["slot:3"] == "object:5-6"
    assert one.card().startswith("1 It shows 5 and 6")


def test_in_a_lesson_digits_are_those_of_cards_and_of_places_to_choose(
    tmp_path: Path, learners: list[Learner]
) -> None:
    one = begin(tmp_path, learners, "kinapa/4-8")
    one.app.carry_out(do.ControlGuide("skip"))
    one.touch("next")
    one.run(0.2)
    shown = [line for line in one.reads() if line.isdigit()]
    assert len(shown) == 4, "how many cards each of them holds"


def go_to(one: Learner, say: str) -> None:
    """On, with everything shown, until this is said and the others have done what comes before."""
    while say not in one.card():
        session: Any = one.app.session
        match one.kind():
            case "quiz":
                one.touch(f"answer:{session.guide.right_answer()}")
            case "say" | "well":
                one.touch("next")
            case _:
                if "show" in one.touchable():
                    one.touch("show")
                one.run(1)
    one.run(6)


@pytest.mark.parametrize(
    ("lesson", "say", "made"),
    [("kinapa/4-8", "call 7", ("card:2", "Kinapa 7")), ("kobayakawa", "show your 8", ("card:0", "8"))],
)
def test_a_number_of_the_own_hand_is_said_by_its_card(
    lesson: str, say: str, made: tuple[str, str], tmp_path: Path, learners: list[Learner]
) -> None:
    """Where else it would be found by presses among all there are."""
    one = begin(tmp_path, learners, lesson)
    go_to(one, say)
    assert not any(key.startswith(("say:", "tile:", "answer:")) for key in one.touchable())
    card, words = made
    one.touch(card)
    assert words in one.reads()
    one.touch("answer:1")
    one.run(1)
    assert say not in one.card()
    assert not one.told_wrong()


def test_keys_come_to_the_places_before_the_small_buttons(tmp_path: Path, learners: list[Learner]) -> None:
    one = begin(tmp_path, learners, "kinapa/4-8")
    one.touch("answer:2")
    one.goes_on()
    assert one.touchable()[0].startswith("place:")


def test_a_trick_and_the_card_to_follow_it_with_are_in_sight_and_tapped(
    tmp_path: Path, learners: list[Learner]
) -> None:
    """The lesson deals a part of a hand: the referee, who counts thirteen, sees none of it."""
    one = begin(tmp_path, learners, "hearts/4")
    assert guide(one).chooses
    assert hand(one) == ("clubs:5", "clubs:J", "diamonds:A", "hearts:4")
    painted = one.pages["game"].painted_sheet(shown_frame(one))
    assert {"card:0", "card:1", "card:2", "card:3"} <= {target.key for target in painted.targets}
    assert sum(key.startswith("card:seat_card:") for key in painted.placed) == 1


def test_the_own_cards_of_roses_lie_in_sight_and_the_tapped_one_goes_down(
    tmp_path: Path, learners: list[Learner]
) -> None:
    one = begin(tmp_path, learners, "roses")
    go_to(one, "Put a rose")
    assert hand(one) == ("flower:rose",) * 3 + ("flower:thorn",)
    assert shown_frame(one).guide.chooses
    one.touch("card:0")
    one.touch("answer:1")
    go_to(one, "add another rose")
    assert hand(one) == ("flower:rose",) * 2 + ("flower:thorn",)


def test_the_own_number_of_in_order_is_in_sight_until_it_lies(
    tmp_path: Path, learners: list[Learner]
) -> None:
    one = begin(tmp_path, learners, "in_order")
    go_to(one, "Your 8 is low")
    sheet: Any = one.pages["game"].painted_sheet(shown_frame(one))
    assert "held:0" in sheet.placed
    go_to(one, "Lay the 8")
    one.touchable()  # it is small then, beside the rows of numbers
    go_to(one, "A 9 is down")
    sheet = one.pages["game"].painted_sheet(shown_frame(one))
    assert "held:0" not in sheet.placed


def test_the_hand_that_a_bid_is_about_lies_on_the_felt(tmp_path: Path, learners: list[Learner]) -> None:
    one = begin(tmp_path, learners, "euchre/4")
    assert shown_view(one).phase == "bid"
    shown_hand = lesson_hand(shown_frame(one), Box(0, 0, 800, 480))
    assert shown_hand is not None
    assert "hearts:J" in own_cards(shown_hand)


def test_every_wrong_answer_stays_marked(tmp_path: Path, learners: list[Learner]) -> None:
    one = begin(tmp_path, learners, "euchre/4")
    one.touch("skip")
    assert one.kind() == "quiz"
    for answer in (1, 3):
        one.touch(f"answer:{answer}")
    assert guide(one).mistaken == {1, 3}
    one.touch("answer:2")
    assert guide(one).mistaken == frozenset()
