"""Runs a lesson: shows instructions, waits for actions, judges answers.

A part says something, then waits for an action, asks a question, or continues at a press. Doing a part over
is an undo to where it began. Observations reach the rules only while an action is awaited.
"""

import secrets
from collections.abc import Callable, Sequence
from functools import reduce
from operator import is_
from typing import Any

from msgspec import structs

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Chair, Micros, Seat
from companion.core.clock import earliest
from companion.core.switch import Edge
from companion.core.view import (
    STEP_CHANGE_GRACE,
    Guidance,
    Sentence,
    WatchProgress,
)
from companion.games import GAMES
from companion.games.kit.world import HandUses
from companion.referee.loop import Announcement, RefereedGame
from companion.teach.card_layout import (
    LayoutRow,
    LessonReadings,
    laying_sentence,
    layout_by_region,
    layout_pages,
    layout_rows,
)
from companion.teach.lesson import Lesson, LessonPart, LessonStep, matches_pattern, resolve_seat
from companion.teach.lesson_hand import LessonHand
from companion.teach.notation import NotationLine, parse_line, play_in_past
from companion.teach.scripted_players import WITHHELD_OBSERVATIONS, ScriptedPlayers

WELL, STRAY = "lesson.well", "lesson.stray"
DONE = "lesson.done"
PRAISE_TIME, NOD_TIME = 5 * SECOND, 3 * SECOND // 2
"""How long what was done well stays in sight with words about it, and with none."""
PATIENCE: Micros = 3 * SECOND // 2
"""How long after the last action a ruling may still come."""


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same object, or equal where comparing is cheap."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_, one, other))
    return one is other or (isinstance(one, str | int) and one == other)


class LessonRunner:
    """The progress of a lesson."""

    def __init__(
        self,
        lesson: Lesson,
        game: RefereedGame,
        *,
        pupils: Sequence[Seat],
        say: Callable[[Sequence[Sentence]], None],
        now: Callable[[], Micros],
        chance: Callable[[int], int] = secrets.randbelow,
        begins: Callable[[], None] = lambda: None,
        ends: Callable[[], None] = lambda: None,
        lays: bool = True,
        next_lesson: str = "",
    ) -> None:
        """`pupils` are taught in turn, one step each.

        `begins` is called when the table changes: at a step, when it is put back, and at the first round.
        `ends` is called when the lesson was gone through to its end.
        `lays`: there are cards that somebody lays out and puts back, rather than a drawn table, at which
        nobody could play the first real round. `next_lesson`: the one that may follow.
        """
        self.lesson = lesson if lays else structs.replace(lesson, round=None)
        self._next_lesson = next_lesson
        self.game = game
        self.step_at = 0
        self.part_at = -1
        self.kind = "lay"
        self.is_left = False
        self._pupils = tuple(pupils)
        self._say = say
        self._now = now
        self._chance = chance
        self._begins, self._ends = begins, ends
        self._lays = lays
        self._page = 0
        """Which page of the lay-out is laid out now."""
        self._note: Sentence | None = None
        self._good = True
        self._mistaken = frozenset[int]()
        """The wrong answers to this question, from 1."""
        self._back: tuple[Sentence, ...] = ()
        self._right = 0
        """The right answer that was just given."""
        self._praised: WatchProgress | None = None
        """For how long what was done well stays in sight."""
        self._hand = LessonHand(game)
        """The cards at a drawn table; nobody holds any at one with cards."""
        self._others = ScriptedPlayers(game)
        self._stuck: Micros | None = None
        """Since when the learner's action can no longer lead to a ruling."""
        self._first: tuple[Any, bool] | None = None
        """A state, and whether the game asks something in it before what is awaited."""
        self._excused = False
        """Whether a count was voided because a menu was opened, which is not a mistake."""
        self._shown: Micros | None = None
        """When the lesson demonstrates the action; None: it was not asked to."""
        self._begun: Micros = 0
        """When this part began."""
        self._since: Micros = 0
        """When this instruction appeared."""
        self._kept: list[tuple[int, int]] = []
        """Where one can go back to: each part with the number of entries before it."""
        self._readings = LessonReadings(game)
        self._rounds = 0
        self._card_of: tuple[tuple[Any, ...], Guidance] | None = None
        """The current instruction and what it was made from, cached because it is needed in every frame."""
        self._begin()

    # Where it stands --------------------------------------------------------------------------------------

    @property
    def _step(self) -> LessonStep:
        return self.lesson.step[self.step_at]

    @property
    def position(self) -> tuple[int, int]:
        """The step, and the part of it, that are on now."""
        return self.step_at, self.part_at

    @property
    def _part(self) -> LessonPart:
        return self._step.part[max(0, self.part_at)]

    @property
    def pupil(self) -> Seat:
        """The seat that is taught in this step."""
        return self._pupils[self.step_at % len(self._pupils)]

    @property
    def chair(self) -> Chair:
        chair: Chair = self.game.referee.state.chair_of(self.pupil)
        return chair

    @property
    def step_count(self) -> int:
        return self.lesson.step_count

    def guidance(self) -> Guidance:
        """The current instruction; the same object while nothing changes."""
        state, read = self.game.referee.state, self._readings.latest_regions()
        at = (self.kind, self.step_at, self.part_at)
        watched = self._others.progress() if self._is_watching else self._praised
        begun = self._has_begun()
        moment = (
            state, *at, self._page, self._note, self._good, self._mistaken, self._back, read, watched, begun,
            self._hand.tapped.cards, self._hand.tapped.region,
        )  # fmt: skip
        if self._card_of is None or not all(map(_is_same, self._card_of[0], moment)):
            self._card_of = moment, structs.replace(self._build_guidance(), watched=watched, begun=begun)
        return self._card_of[1]

    def _has_begun(self) -> bool:
        """Whether anything was ruled since the lesson waits for this."""
        return self.kind == "wait" and len(self.game.referee.journal.entries) > self._kept[-1][1]

    @property
    def _is_watching(self) -> bool:
        """Whether the others act and the learner has nothing to do."""
        return self.kind == "wait" and not self._part.does

    def _build_guidance(self) -> Guidance:
        first = self.lesson.round
        if first is not None and self.kind in {"round", "over"}:
            return self._make_guidance(
                "lesson.round", first.say if self.kind == "round" else first.well or WELL
            )
        if self.kind == "done":
            learned = tuple(
                (self._sentence(step.title), self._resolve_pictures(step.learned))
                for step in self.lesson.step
                if step.learned
            )
            return self._make_guidance(
                self.lesson.title, DONE, learned=learned, next_lesson=self._next_lesson,
                practised=GAMES[self.lesson.game].opponents is not None,
            )  # fmt: skip
        if self.kind == "lay":
            misplaced, seen = self._readings.find_misplaced(self.required_layout())
            page = layout_pages(self._layout_rows())[self._page]
            card = self._make_guidance(self._step.title, "", lay=page, misplaced=misplaced, seen=seen)
            return structs.replace(card, say=laying_sentence(page, self.chair))
        part = self._part
        shows = self.kind == "wait" and bool(part.does)
        asks = bool(part.quiz) and self.kind in {"quiz", "well"}
        tapped, rules = self._tapped_actions(), self.game.referee.rules
        made = tuple(rules.label(self.game.referee.state, action) for action in tapped)
        card = self._make_guidance(
            self._step.title, part.say, shows=shows, right=self._right if self.kind == "well" else 0,
            answers=tuple(map(self._sentence, part.quiz)) if asks else made,
            answer_cards=tuple(map(self._resolve_pictures, part.quiz_cards if asks else ())),
            pictures=tuple(map(self._resolve_pictures, part.pictures)), mistaken=self._mistaken,
            back=self._back if self.kind == "wrong" else (), lay=self._known_rows(),
            chooses=bool(self._uses()), tapped=tuple(sorted(self._hand.tapped.cards)),
            tapped_region=self._hand.tapped.region,
            touch_verb=next((action.verb for action in self._touches().values()), ""),
        )  # fmt: skip
        if shows and self._is_asked_first():
            card = structs.replace(card, say=self.game.view.headline)
        return card

    def _resolve_pictures(self, pictures: Sequence[str]) -> tuple[str, ...]:
        """Pictures with players by their chairs."""
        state, players = self.game.referee.state, self._players

        def resolved(picture: str) -> str:
            if not picture.startswith("seat:"):
                return picture
            seat = resolve_seat(picture.removeprefix("seat:"), self.pupil, players)
            return f"seat:{state.chair_of(seat)}"

        return tuple(map(resolved, pictures))

    def _parse_lines(self, lines: Sequence[str]) -> list[NotationLine]:
        return [parse_line(line, self.pupil, self._players) for line in lines]

    def awaited_actions(self) -> tuple[str, ...]:
        """What the learner should do now."""
        return self._part.does if self.kind == "wait" else ()

    def right_answer(self) -> int:
        """The right answer to the current question."""
        return self._part.right

    def _make_guidance(self, title: str, say: str, **more: Any) -> Guidance:
        return Guidance(
            kind=self.kind,
            title=self._sentence(title),
            say=self._sentence(say),
            step=min(self.step_at, self.step_count - 1) + 1,
            steps=self.step_count,
            chair=self.chair,
            note=self._note,
            good=self._good,
            since=self._since,
            **more,
        )

    def _sentence(self, key: str) -> Sentence:
        """The sentence of a key; numbers and labels are used as they are."""
        if "." not in key:
            return Sentence("lesson.plain", (("value", key),))
        return Sentence(key, (("chair", self.chair),))

    def required_layout(self) -> dict[str, tuple[str, ...]]:
        """The lay-out of this step, by region."""
        return layout_by_region(self.lesson.layout(self.step_at), self.pupil, self._players)

    def _layout_rows(self) -> tuple[LayoutRow, ...]:
        return layout_rows(self.lesson.layout(self.step_at), self.pupil, self.game)

    def _known_rows(self) -> tuple[LayoutRow, ...]:
        """The lay-out; at a drawn table what the learner holds and what lies before whom now."""
        held = self._hand.pictures(self.pupil)
        lying = self._hand.lying()
        if not held and not lying:
            return self._layout_rows()
        whose = {place.region: place.chair for place in self.game.view.places}
        sets = [(place, whose[place], cards) for place, cards in lying.items() if place in whose and cards]
        return (("", self.chair, held), *sets)

    def _uses(self) -> HandUses:
        """What the learner may do now with the own cards."""
        return self._hand.uses(self.pupil, self._awaited()) if self._plays_here() else ()

    def _touches(self) -> dict[str, Action]:
        """What touching a place does now."""
        return self._hand.touches(self.pupil) if self._plays_here() else {}

    def _plays_here(self) -> bool:
        """Whether the learner is awaited to do something at a drawn table."""
        return not self._lays and self.kind == "wait" and bool(self._part.does)

    def _awaited(self) -> list[Action]:
        return [one.action for one in self._parse_lines(self._part.does) if one.action is not None]

    def _tapped_actions(self) -> list[Action]:
        return self._hand.tapped.fitting_actions(self._uses())

    @property
    def _players(self) -> int:
        return self.game.referee.setup.players

    # What happens -----------------------------------------------------------------------------------------

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether an observation is passed to the rules now."""
        if isinstance(seen, ob.AbandonRequested):
            self._finish(given_up=True)  # a game that is over could not be undone
            return False
        if isinstance(seen, ob.TableSeen):
            self._readings.add_reading(seen, judged=self.kind in {"wait", "round"})
        if isinstance(seen, Edge):
            if seen.level and seen.chair == self.chair and (self._uses() or self._touches()):
                key = "choose" if self._uses() else "touch"
                self._note, self._good = Sentence(f"lesson.practice.{key}"), False
                return False
            return not seen.level or (self.kind in {"wait", "round"} and not self._is_for_previous(seen))
        return self.kind in {"wait", "round"} or not isinstance(seen, WITHHELD_OBSERVATIONS)

    def _is_for_previous(self, pressed: Edge) -> bool:
        """Whether the press was meant for the previous instruction, which another player has just left."""
        counting = self.game.referee.rules.is_window_open(self.game.referee.state)
        return not counting and pressed.at < self._since + STEP_CHANGE_GRACE

    def handle_ruling(self, ruling: Announcement) -> None:
        """Take a ruling: the awaited one, a mistake, or one in between."""
        if self.kind == "round":
            self._count_rounds(ruling)
        self._hand.follow(ruling)
        if self.kind != "wait" or ruling.entry.retracts is not None:
            return
        part = self._part
        reply = part.find_reply(ruling.news, self.pupil, self._players)
        if reply is not None:
            said, later = reply
            # The same laying may be what the next part waits for: it could not be done again.
            following = self._step.part[self.part_at + 1 : self.part_at + 2]
            onward = next((one for one in following if one.does and not one.others), None)
            also = None if onward is None else onward.find_reply(later, self.pupil, self._players)
            wrong = said or (also[0] if also is not None else "")
            if wrong:
                self._reject_action(wrong)
                return
            if onward is not None and also is not None:
                self._next_part()
                part = onward
            self._complete_part(part)
            return
        broken = next((event for event in ruling.news if isinstance(event, ev.Infraction)), None)
        if broken is not None:
            rules = self.game.referee.rules
            self._reject_action(
                part.otherwise or f"{rules.name}.why.{rules.explanation_key(ruling.state, broken)}"
            )
        elif self._others.is_replaced_by(ruling):
            self._reject_action(STRAY)

    def advance(self, now: Micros) -> None:
        """Do what is due: actions of the others, a demonstration, or giving up on the learner's action."""
        if self.kind == "well" and self._praised is not None and now >= self._praised.until:
            self._next_part()
        if self.kind != "wait":
            return
        if self.game.view.paused:
            self._stuck, self._excused = None, True
            return
        if self._shown is not None and now >= self._shown:
            self._demonstrate(now)
        if self._others.has_pending:
            self._others.perform_next(now)
            if self._others.is_ready() or not self._excused:
                return
        if self._comes_by_itself() or self._can_act():
            self._stuck = None
        elif self._stuck is None:
            self._stuck = now
        elif now - self._stuck >= PATIENCE:
            self._go_back() if self._excused else self._reject_action(self._part.otherwise or STRAY)

    silent = False

    def set_level(self, level: str) -> None:
        """Does nothing: a lesson teaches at every level of help."""

    def next_due(self) -> Micros | None:
        """When `advance` has something to do."""
        if self.kind == "well" and self._praised is not None:
            return self._praised.until
        if self.kind != "wait":
            return None
        shown = self._shown if self._shown is not None and self._shown > self._now() else None
        stuck = None if self._stuck is None else self._stuck + PATIENCE
        acting = self._others.next_due()
        return earliest(shown, stuck if acting is None else acting)

    def _can_act(self) -> bool:
        """Whether the learner can do what is awaited, now or after what is asked first."""
        lines = self._parse_lines(self._part.does)
        return any(map(self._others.is_possible, lines)) or self._is_asked_first()

    def _is_asked_first(self) -> bool:
        """Whether one question of the game stands before what is awaited.

        Without a camera it is asked where an object lies that was turned over.
        """
        rules, state = self.game.referee.rules, self.game.referee.state
        if self._first is None or self._first[0] is not state:
            deeds = self._awaited()
            legal = rules.legal_actions(state)
            asked = [one for one in rules.prompts(state) if one.chair == self.chair]
            answers = [action for one in asked for action in one.actions]
            single = len({action.verb for action in answers}) == 1 and legal.isdisjoint(deeds)
            self._first = (
                state,
                single
                and any(
                    not rules.legal_actions(self._state_after(answer)).isdisjoint(deeds) for answer in answers
                ),
            )
        return self._first[1]

    def _state_after(self, action: Action) -> Any:
        """The game after an action."""
        rules, state = self.game.referee.rules, self.game.referee.state
        events = rules.decide(state, ob.ActionDeclared(at=self._now(), action=action))
        return reduce(rules.evolve, events, state)

    def _comes_by_itself(self) -> bool:
        referee = self.game.referee
        return referee.next_timer() is not None or self.game.cue is not None or self.game.waiting

    # What people say to it --------------------------------------------------------------------------------

    def handle_request(self, what: str) -> None:
        """`next`, `again`, `skip`, `repeat`, `show`, `answer:2`, `card:0`, `place:set:1`."""
        word, _, value = what.partition(":")
        match word, self.kind:
            case "repeat", _:
                self._speak(self._note)
            case ("skip", "round" | "over") | ("next", "over"):
                self._finish()
            case "skip", kind if kind != "done":
                self._next_step()
            case ("again", "wait" | "wrong") | ("next", "wrong"):
                self._go_back()
            case "next", "lay":
                self._next_page()
            case "next", "say" | "well":
                self._next_part()
            case "card", "wait" if value.isdigit():
                self._hand.tapped.tap(int(value), "", self._uses())
            case "place", "wait" if any(value == use.region for _, use in self._uses()):
                self._hand.tapped.tap(None, value, self._uses())
            case "place", "wait" if value in self._touches():
                self._play(self._touches()[value])
            case "answer", "wait" if 0 < int(value) <= len(self._tapped_actions()):
                self._play(self._tapped_actions()[int(value) - 1])
            case "answer", "quiz" if int(value) == self._part.right:
                self._complete_part(self._part)
            case "answer", "quiz":
                self._mistaken |= {int(value)}
                self._explain_mistake(self._part.otherwise or STRAY)
            case "show", "wait" if self._part.does and self._shown is None:
                deeds = self._parse_lines(self._part.does)
                self._shown = self._begun + max(one.after for one in deeds)
                if self._uses():
                    # The cards are seen to be tapped, then played.
                    self._shown = max(self._shown, self._now() + deeds[0].after)
                    self._hand.lift(self._awaited()[0])
            case "next", "done":
                self.is_left = True

    def _play(self, action: Action) -> None:
        """Do with the tapped cards what they make."""
        self._hand.choose(action)
        self.game.post(ob.ActionDeclared(at=self._now(), action=action), self._now())

    def _demonstrate(self, now: Micros) -> None:
        """Demonstrate the action, once it is legal."""
        deeds = self._parse_lines(self._part.does)
        if not all(map(self._others.is_possible, deeds)):
            return
        self._shown = None
        if self._uses():
            self._play(self._hand.lift(self._awaited()[0]))
            return
        for one in deeds:
            self._others.perform(one, now)

    def _complete_part(self, part: LessonPart) -> None:
        """What was done well stays in sight on its own, unless a count runs that waits for nobody."""
        praise = part.well or (WELL if part.quiz else "")  # what was done well shows on the table
        note, self._good, self._back = self._sentence(praise) if praise else None, True, ()
        self._note = note
        if note is None or self.game.referee.rules.is_window_open(self.game.referee.state):
            self._next_part(note=note)
            return
        now = self._now()
        self._right, self._mistaken = part.right, frozenset()
        self._praised = WatchProgress(0, 1, now, now + (PRAISE_TIME if part.well else NOD_TIME))
        self._set_kind("well")
        self._say([note])

    def _reject_action(self, say: str) -> None:
        """Explain the mistake and begin the part over."""
        referee, entries = self.game.referee, self._kept[-1][1]
        self._set_kind("wrong")
        earlier = referee.state_before(entries) if entries < len(referee.journal.entries) else referee.state
        todo = referee.rules.restore_instructions(referee.state, earlier)
        self._back = todo if self._lays else ()
        self._explain_mistake(say)

    def _explain_mistake(self, say: str) -> None:
        self._note, self._good = self._sentence(say), False
        self._say([self._note])

    def _go_back(self) -> None:
        part, entries = self._kept[-1]
        self.game.rewind_to(entries, self._now())
        self._hand.bring_back()
        self._begins()  # the announcements about the mistake are void
        self.part_at = part - 1
        self._readings.forget_unjudged()
        self._note = None
        self._next_part()

    # Going on ---------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Set up the step's position and lay-out."""
        step = self._step
        self.part_at, self._note, self._back = -1, None, ()
        self._others.set_script(())
        self._kept = []
        if not self._lays:
            self._readings.forget_unjudged()  # a drawn table is another at once
        drawn = () if self._lays else step.drawn
        play_in_past(self.game, (*step.start, *drawn), self.pupil, self._now())
        if not self._lays:
            known = self.lesson.known_layout(self.step_at, self._hand.covered_places)
            self._hand.deal(layout_by_region(known, self.pupil, self._players))
        self._begins()
        self._set_kind("lay")
        self._page = -1
        self._next_page()

    def _next_page(self) -> None:
        """The next cards to lay out; after the last, the first part."""
        self._page += 1
        if not self._lays or not self._step.lay or self._page >= len(layout_pages(self._layout_rows())):
            self._next_part()
            return
        self._since = self._now()
        self._speak(None)

    def _set_kind(self, kind: str) -> None:
        """Show another instruction."""
        self.kind, self._since = kind, self._now()
        if kind != "well":
            self._praised = None

    def _next_part(self, note: Sentence | None = None) -> None:
        """Go on to the next part, or to the next step."""
        self.part_at += 1
        if self.part_at >= len(self._step.part):
            self._next_step()
            return
        part, referee = self._part, self.game.referee
        self._note, self._good, self._mistaken = note, True, frozenset()
        if not self._kept or not referee.rules.is_window_open(referee.state):
            self._kept.append((self.part_at, len(referee.journal.entries)))
            self._hand.keep()
        self._others.set_script(self._parse_lines(part.others))
        self._stuck = self._shown = self._first = None
        self._excused = False
        self._begun = self._now()
        self._set_kind("wait" if part.wait is not None else "quiz" if part.quiz else "say")
        self._speak(note)
        if self.kind == "wait":
            self._judge_withheld()

    def _speak(self, note: Sentence | None) -> None:
        card, said = self.guidance(), [] if note is None else [note]
        self._say([*said, card.say, *card.answers])

    def _judge_withheld(self) -> None:
        """Judge what the camera read while the lesson spoke."""
        changed = self._readings.take_withheld()
        if changed:
            now = self._now()
            self.game.post(ob.TableSeen(at=now, regions=changed), now)

    def _next_step(self) -> None:
        self.step_at += 1
        if self.step_at < len(self.lesson.step):
            self._begin()
        elif self.lesson.round is None or self.kind == "round":
            self._finish()
        else:
            self._begin_round()

    def _begin_round(self) -> None:
        """Begin a real game."""
        referee, now = self.game.referee, self._now()
        self.game.rewind_to(0, now)
        self._set_kind("round")
        self._note, self._back, self._rounds = None, (), 0
        lots = referee.rules.awaited_draw(referee.state)
        if lots is not None:
            referee.observe(ob.RandomDraw(at=now, choices=lots, index=self._chance(len(lots))))
        self._begins()
        self._speak(None)

    def _count_rounds(self, ruling: Announcement) -> None:
        wanted = self.lesson.round
        assert wanted is not None
        self._rounds += sum(matches_pattern(wanted.until, event, 0, self._players) for event in ruling.news)
        over = self.game.referee.rules.outcome(ruling.state) is not None
        if over or self._rounds >= wanted.times:
            self._set_kind("over")  # the result stays visible until a press
            self._speak(None)

    def _finish(self, *, given_up: bool = False) -> None:
        if not given_up:
            self._ends()
        self._set_kind("done")
        self._back = ()
        self.step_at = self.step_count - 1 if self.lesson.round is None else len(self.lesson.step)
        self._speak(self._note)
