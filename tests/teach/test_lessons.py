"""Every lesson is gone through by somebody who knows only the screen: with every mistake, then with none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.language.language import Language
from companion.teach.lesson import find_lesson_files, load_lesson
from companion.ui import commands as do
from tests.languages import LANGUAGES
from tests.teach.learner import NOTHING, Learner
from tests.thorough import a_third, examples

SHORT = {"kobayakawa-standard"}
"""A lesson in which every mistake is soon made."""
LONGEST_FIRST = ("de", "fr", "en")
LESSONS = [pytest.param(file, id=f"{file.parent.name}-{file.stem}") for file in find_lesson_files()]
SWEPT = [
    pytest.param(*one.values, id=one.id, marks=[] if one.id in SHORT else [pytest.mark.long])
    for one in LESSONS
]
MOST = 900
LATER = 8.0
"""Seconds after which the others have done what they do first."""
DEEPEST = 3
"""Touches that one deed may need: play, how many, of which value."""

Try = tuple[float, tuple[str, ...]]
"""Wait so long, then touch these one after another."""


@dataclass
class Tries:
    """What was tried while one card stood there."""

    queue: deque[Try] = field(default_factory=deque)
    known: set[Try] = field(default_factory=set)
    right: Try | None = None

    def offer(self, delay: float, before: tuple[str, ...], offers: tuple[str, ...], learner: Learner) -> None:
        """What the sentence names comes first."""
        for one in offers:
            new = (delay, (*before, one))
            if new not in self.known and not (before and one == NOTHING):
                self.known.add(new)
                self.queue.appendleft(new) if learner.is_told(one) else self.queue.append(new)


@dataclass
class Student:
    """Tries everything the screen offers, and remembers what led on."""

    tries: dict[str, Tries] = field(default_factory=dict)
    mistakes: int = 0

    def go_through(self, learner: Learner, *, sweep: bool) -> None:
        """To the end; `sweep`: first whatever was not tried yet, then what is right."""
        fresh = ""
        for _ in range(MOST):
            kind, card = learner.kind(), learner.card()
            if kind in {"round", "done"}:
                return
            if kind in {"lay", "say", "wrong", "well"}:
                learner.touch("next")
                fresh = learner.card()
                continue
            here = self.tries.get(card)
            if here is None:
                here = self.tries[card] = Tries()
                if kind == "wait":
                    here.offer(0.0, (), (NOTHING, "?"), learner)
                    here.offer(LATER, (), ("?",), learner)
                else:
                    here.offer(0.0, (), learner.offers(), learner)
            if kind == "wait" and fresh != card:  # what is half chosen is given up
                learner.touch("again" if "again" in learner.touchable() else "repeat")
                fresh = learner.card()
                continue
            if here.right is not None and not (sweep and here.queue):
                fresh = learner.card() if learner.performs(here.right) == "on" else ""
                continue
            assert here.queue, f"no way on from {card!r}: {learner.reads()}"
            came = self._try(learner, here, here.queue.popleft())
            fresh = learner.card() if came == "on" else ""
        raise AssertionError("the lesson has no end")

    def _try(self, learner: Learner, here: Tries, one: Try) -> str:
        delay, touches = one
        learner.lets_pass(delay)
        *first, last = touches
        for offer in first:
            if offer not in learner.offers():
                return "still"
            learner.touch(offer)
        if last == "?":  # what is offered here?
            here.offer(delay, tuple(first), learner.offers(), learner)
            return "still"
        if last != NOTHING and last not in learner.offers():
            return "still"
        before = learner.offers()
        came = learner.try_out(last)
        sooner = (0.0, touches[:1]) in here.known
        self.mistakes += came == "wrong"
        if came == "on" and here.right is None:
            here.right = one
        elif (
            came == "still"
            and here.right is None
            and not (delay and sooner)
            and last != NOTHING
            and len(touches) < DEEPEST
        ):
            new = tuple(offer for offer in learner.offers() if offer not in before)
            moves = last.startswith(("place:", "shared:"))
            here.offer(delay, touches, new or (before if moves else ()), learner)
        return came


@pytest.fixture
def learners(tmp_path: Path) -> Iterator[list[Learner]]:
    made: list[Learner] = []
    yield made
    for learner in made:
        learner.close()


@pytest.mark.slow
@pytest.mark.parametrize("file", SWEPT)
def test_a_lesson_answers_every_mistake_and_is_passed_without_any(
    file: Path, tmp_path: Path, learners: list[Learner]
) -> None:
    student = Student()
    for place, sweep in enumerate((False, True)):
        learners.append(clumsy := Learner(tmp_path / str(place), str(file)))
        student.go_through(clumsy, sweep=sweep)
        learners.remove(clumsy)
        clumsy.close()
    assert student.mistakes > len(load_lesson(file).step)
    learners.append(good := Learner(tmp_path / "good", str(file)))
    for _ in range(MOST):
        kind, card = good.kind(), good.card()
        if kind == "round":
            return
        if kind in {"lay", "say", "well"}:
            good.touch("next")
        else:
            right = student.tries[card].right
            assert right is not None
            assert good.performs(right) == "on", (card, right, good.reads())
        assert not good.told_wrong(), card
    raise AssertionError("the lesson has no end")


def lesson_done(learner: Learner, game: str) -> bool:
    """Whether the choice of lessons shows the first of this game as done."""
    offers = learner.table.games.list_offers(lessons=True)
    return next(offer.lessons[0].done for offer in offers if offer.game == game)


def test_kabukis_first_round_ends_with_the_twins_in_sight_until_somebody_goes_on(
    tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, "kabuki"))
    while one.kind() != "round":
        one.touch("skip")
    one.tells("begin")
    designs = ("crab", "moon", "sun", "wave", "leaf", "lion", "demon", "plum", "ghost", "storm", "moon")
    for number, design in enumerate((*designs, "crab")):
        one.tells("place", f"{design}@{1 if design == 'crab' else 2 + number % 3}")
    assert one.kind() == "round", "the last mask may be stopped for some seconds yet"
    one.run(25)
    assert one.kind() == "over"
    assert "Nobody noticed 2:" in " ".join(one.reads()), "a crab on stack 1, a moon on stack 3"
    one.run(60)
    assert one.kind() == "over"
    assert not lesson_done(one, "kabuki")
    one.touch("next")
    assert one.kind() == "done"
    assert lesson_done(one, "kabuki")
    learners.pop().close()
    learners.append(again := Learner(tmp_path, "kabuki"))
    assert lesson_done(again, "kabuki"), "also another day"


def to_the_stop(one: Learner) -> None:
    """Through the question before Kabuki's first Stop, and what is watched there."""
    one.lays_out()
    one.touch("answer:2")
    one.goes_on()
    one.touch("next")
    while "press Stop" not in one.card():
        one.run(0.5)


def test_a_mistake_shows_on_the_table_what_it_led_to_and_nobody_is_asked(
    tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, "kabuki"))
    to_the_stop(one)
    assert one.try_out("chair:0") == "wrong"
    assert "You were first" in " ".join(one.reads())
    assert {key.partition(":")[0] for key in one.touchable()} <= {"next", "repeat", "skip", "bar"}
    one.touch("next")
    assert one.performs((LATER, ("chair:0",))) == "on"
    for _ in range(20):  # the voice still has to say it
        assert "check stack 2" not in " ".join(one.reads()) or one.kind() == "wait", "old news"
        one.run(0.5)


@pytest.mark.parametrize(("card", "comes_to"), [("number:4", "lay"), ("number:8", "wrong")])
def test_who_draws_and_puts_a_card_down_before_the_camera_looks_is_understood(
    card: str, comes_to: str, tmp_path: Path, learners: list[Learner]
) -> None:
    """Both come in one reading; what was done could not be done again."""
    learners.append(one := Learner(tmp_path, "kobayakawa"))
    while not one.card().startswith("3 Draw the deck"):
        one.run(1) if one.kind() == "wait" else one.touch("next" if one.card().startswith("3 ") else "skip")
    for _ in range(2):
        one.sees("discard:1", card)
        one.run(1)
        one.goes_on()
        assert one.kind() == comes_to
        if comes_to == "lay":
            return
        one.touch("next")
        assert one.card().startswith("3 Draw the deck")


def test_where_doing_nothing_is_right_no_choice_shines(tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(one := Learner(tmp_path, "kinapa"))
    while not one.card().startswith("5 "):
        one.touch("skip")
    one.touch("next")
    one.run(5)
    assert one.kind() == "wait"
    assert not any("Raise" in line for line in one.reads())
    assert one.try_out("chair:0") == "wrong", "the button still does what it does"


def test_a_wrong_answer_is_marked_with_what_is_wrong_about_it(
    tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, "kinapa"))
    one.lays_out()
    one.touch("answer:1")
    assert any("5 = 6" in line for line in one.reads()), "struck through: 5 is not 6"
    one.touch("answer:2")
    assert not one.told_wrong()


def test_who_lays_anothers_mask_elsewhere_is_told_so_at_once_and_passes_the_step_all_the_same(
    tmp_path: Path, learners: list[Learner]
) -> None:
    """Else the Stop would be about another stack, and the answer about the crabs wrong for ever."""
    learners.append(one := Learner(tmp_path, "kabuki"))
    to_the_stop(one)
    for _ in range(2):
        one.touch("place:stack:4")
    assert one.told_wrong()
    one.touch("next")
    for right in ((LATER, ("chair:0",)), (0.0, ("say:0:look",)), (0.0, ("tile:0:twins=1",))):
        assert one.performs(right) == "on"
        assert not one.told_wrong()
        one.goes_on()


@pytest.mark.parametrize("game", ["hearts", "spades", "euchre"])
def test_a_revoke_is_proved_however_soon_the_learner_confirms_both_cards(
    game: str, tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, game))
    while not one.offers()[0].endswith(":right"):
        one.touch("next" if one.kind() in {"say", "lay"} else "skip")
    for _ in range(2):
        assert one.performs((0.0, ("tile:0:right",))) == "on", one.reads()
        one.goes_on()
    assert one.kind() == "round"


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("file", LESSONS)
def test_every_sentence_of_a_lesson_is_written_in_every_language(file: Path, code: str) -> None:
    from companion.teach.lint import catalogue_keys

    language = Language(code)
    assert [key for _, key in catalogue_keys(load_lesson(file)) if "." in key and key not in language] == []


def test_one_newcomer_among_old_hands_learns_every_step(tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(lone := Learner(tmp_path, "kabuki", pupils=(2,)))
    chairs = set()
    while lone.kind() != "round":
        chairs.add(lone.learns())
        lone.touch("skip")
    assert chairs == {2}


def test_without_one_everybody_learns_a_step_in_turn(tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(all_of_them := Learner(tmp_path, "kabuki", pupils=()))
    chairs = []
    while all_of_them.kind() != "round":
        chairs.append(all_of_them.learns())
        all_of_them.touch("skip")
    assert chairs[:5] == [0, 1, 2, 3, 0]


@pytest.mark.slow
@pytest.mark.parametrize("file", a_third(LESSONS))
def test_who_has_everything_shown_is_led_through_and_nothing_is_cut_in_any_language(
    file: Path, tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(shown := Learner(tmp_path, str(file)))
    unreadable: list[tuple[str, str]] = []
    again: set[str] = set()
    for _ in range(MOST):
        kind, card = shown.kind(), shown.card()
        if "again" in shown.touchable() and card not in again:
            again.add(card)
            shown.touch("again")  # "once more" takes room from the sentence
            kind, card = shown.kind(), shown.card()
        unreadable += shown.unreadable(LONGEST_FIRST[: examples(3)])
        if kind == "round":
            break
        if kind in {"lay", "say", "well"}:
            shown.touch("next")
        elif kind == "quiz":
            for answer in shown.offers():
                if shown.kind() == "quiz" and shown.card() == card:
                    shown.touch(answer)
        else:
            if "show" in shown.touchable():
                shown.touch("show")
            assert shown.try_out(NOTHING) == "on" or shown.card() != card, card
    assert unreadable == []


def test_what_is_only_watched_shows_how_far_it_is(tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(one := Learner(tmp_path, "kinapa/4-8", drawn=True))
    while one.card().partition(" ")[0] != "4":
        one.touch("skip")
        one.run(0.5)
    shares = []
    for _ in range(80):
        guide = one.app.frame().guide  # type: ignore[union-attr]
        assert guide is not None
        if guide.kind == "quiz":
            break
        assert (guide.watched is not None) == (guide.kind == "wait" and not guide.shows)
        if guide.watched is not None:
            shares.append(guide.watched.share_at(one.clock.now()))
        elif guide.kind == "wait":
            one.touch("show")
        one.run(0.5)
    assert shares[0] < 0.2
    assert shares[-1] > 0.6
    assert shares == sorted(shares), "it never goes back"
    assert len(set(shares)) > 6, "and does not leap"


def test_at_a_drawn_table_nothing_is_laid_out(tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(one := Learner(tmp_path, "kinapa", drawn=True))
    assert one.kind() == "say"


def test_at_a_drawn_table_what_lay_there_in_the_step_before_is_no_move(
    tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, "kabuki", drawn=True))
    one.run(1)
    assert one.kind() == "say"
    one.sees("stack:1", "mask:sun")
    one.sees("stack:2", "mask:moon")
    one.touch("skip")
    one.run(3)
    assert (one.kind(), one.told_wrong()) == ("wait", False)


def test_of_several_who_press_together_only_the_first_goes_on(
    tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(all_of_them := Learner(tmp_path, "kinapa", pupils=()))
    all_of_them.run(1)
    laid = []
    while all_of_them.kind() == "lay":
        laid.append(all_of_them.card())
        all_of_them.press_together(0, 1, 3)
        all_of_them.run(1)
    assert len(set(laid)) == 5, "four hands and the ring, one by one"
    assert all_of_them.kind() == "say"
    all_of_them.press_together(0, 1, 3)
    assert all_of_them.kind() == "quiz", "and nobody has answered it"
    assert not all_of_them.told_wrong()


def test_who_pressed_to_go_on_does_nothing_in_the_game_by_it(tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(two := Learner(tmp_path, "kabuki", pupils=()))
    while not two.card().startswith("4 A wrong Stop costs"):
        two.touch("skip" if two.card().partition(" ")[0] != "4" else "next")
    two.run(1)
    two.press_together(0, 1, 2)
    assert two.kind() == "wait", "a button is a Stop in this game"
    two.press_together(two.learns())
    two.run(3)
    assert two.told_wrong(), "later it is one"


@pytest.mark.parametrize("kind", ["lay", "wait", "quiz"])
def test_a_lesson_that_is_given_up_is_over(kind: str, tmp_path: Path, learners: list[Learner]) -> None:
    learners.append(one := Learner(tmp_path, "kinapa"))
    while one.kind() != kind:
        one.touch("next" if one.kind() != "quiz" else "skip")
    one.app.carry_out(do.AbandonGame())
    one.run(2)
    assert one.kind() == "done"
    assert not lesson_done(one, "kinapa")


def test_a_button_that_was_held_was_held_also_where_the_loop_was_late(
    tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, "kinapa"))
    while one.kind() != "quiz":
        one.touch("next")
    one.presses_unseen(0, 0.8)
    assert one.told_wrong(), "held on the first answer, which is wrong"


@pytest.mark.parametrize("announced", [1.8, 2.4, 8.0])
def test_who_looks_something_up_while_a_count_runs_has_made_no_mistake(
    announced: float, tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(one := Learner(tmp_path, "kinapa"))
    while one.kind() != "wait":
        one.touch("next" if one.kind() != "quiz" else "skip")
    one.run(announced)
    before = one.card()
    one.app.carry_out(do.PauseGame())
    one.run(30)
    assert (one.card(), one.told_wrong()) == (before, False)
    one.app.carry_out(do.ContinueGame())
    for _ in range(24):
        one.run(0.5)
        assert (one.card(), one.told_wrong()) == (before, False), "the part begins again by itself"
    one.touch("chair:0")
    assert not one.told_wrong()
    assert one.card() != before


def test_the_lesson_of_dnup_for_two_tells_what_is_printed() -> None:
    """Whoever plays the last card wins at once, also when it beats an own set (DA5)."""
    (file,) = (file for file in find_lesson_files("dnup") if file.stem == "two")
    parts = [part for step in load_lesson(file).step for part in step.part]
    assert any(part.say == "lesson.dnup.own.last" for part in parts)


@pytest.mark.parametrize("file", LESSONS)
def test_every_lesson_begins_at_a_table_that_is_only_drawn(tmp_path: Path, file: Path) -> None:
    """As `companion teach GAME --simulate` shows it, also of a game that has no mat to draw."""
    learner = Learner(tmp_path, str(file), drawn=True)
    try:
        assert learner.kind() in {"say", "quiz", "wait"}
        assert "next" in learner.touchable() or learner.offers()
    finally:
        learner.close()
