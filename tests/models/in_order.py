"""A model of In Order with every number, written from docs/rules.md alone.

It plays the whole table: who holds which numbers, who presses when and on what, what people tell, take back
and correct, what a camera reads on the heap, and what must follow from it. What all games share it takes from
the core: what the taps and holds of a button choose. Where the rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import cache
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Micros, Prompt, Setup, pair_value
from companion.core.button_choices import STEP, controls_of, judge_step, presses_to
from companion.core.game_status import GameStatus
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.games import RULES
from tests.models.compare import REFUSED, Fact, Game, facts_of

NUMBERS = range(1, 61)
ROWS = tuple(range(first, first + 10) for first in range(1, 61, 10))
MOST_DEALT = 40
RESOLUTIONS = {"gpio": 1_000, "usb": 8_000, "phone": 60_000}
OTHER_RESOLUTION = 16_000
SOURCES = ("gpio", "gpio", "usb", "phone", "touch", "key")
GAPS = (0, 1, 400, 999, 1_000, 7_999, 8_000, 15_999, 16_000, 59_000, 59_999, 60_000, 90_000)
"""Microseconds between two presses that are close, at every edge of a resolution."""
FORGIVEN: Fact = ("Repair", "was_lawful")
STOPPED: Fact = ("Repair", "correction_stopped")
UNRULED = {"PressBegan", "PressEnded", "ChoiceStepped", "HeapSeen"}
"""Events that no rule of the game speaks of, or that nobody is told."""
PAUSES = {"GamePaused": True, "GameResumed": False}
BUTTON = ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
CORRECTABLE = ob.ActionDeclared | BUTTON


class Press(NamedTuple):
    """One press in the line."""

    seat: int
    at: Micros
    source: str
    since: Micros | None = None
    told: int = 0
    """How many numbers had been told when the line was empty last: it is later than all of them."""

    def is_certainly_before(self, later: Press) -> bool:
        begins = later.at if later.since is None else later.since
        coarser = max(RESOLUTIONS.get(one.source, OTHER_RESOLUTION) for one in (self, later))
        return begins - self.at >= coarser


def in_doubt(one: Press, other: Press) -> bool:
    """Whether nobody can tell which of two presses was first."""
    earlier, later = sorted((one, other), key=lambda press: press.at)
    return not earlier.is_certainly_before(later)


@dataclass
class Standing:
    """All that an undo brings back."""

    lives: int
    shows: int
    level: int = 1
    phase: str = "ready"
    ready: set[int] = field(default_factory=set)
    cards: list[list[int]] = field(default_factory=list)
    """What everybody truly holds, as far as what they tell is true; there are always as many as said."""
    laid: set[int] = field(default_factory=set)
    top: int = 0
    topmost: Press | None = None
    """The press with which `top` was laid."""
    told_by_top: int = 0
    """How many numbers had been told then."""
    line: list[Press] = field(default_factory=list)
    away: set[int] = field(default_factory=set)
    """Who has told how many numbers they laid away."""
    heap: int = 0
    """What the camera read uppermost; 0: nothing."""
    owed: bool = False
    winners: tuple[int, ...] | None = None
    desk: GameStatus = field(default_factory=GameStatus)

    def copy(self) -> Standing:
        return changed(
            self,
            ready=set(self.ready),
            cards=list(map(list, self.cards)),
            laid=set(self.laid),
            line=list(self.line),
            away=set(self.away),
        )


def is_told(facts: Sequence[Fact]) -> bool:
    """Whether anything of it is announced: without it a correction stops where something was before."""
    return any(fact[0] not in {*PAUSES, "PlayerReady"} for fact in facts)


class Step(NamedTuple):
    """One observation that stands, and what came of it."""

    seq: int
    seen: AnyObservation | None
    facts: Sequence[Fact]
    after: Standing
    before: Step | None
    """The one before it that stands."""
    made: Step | None
    """The newest one when it was made."""
    is_undo: bool = False
    """Whether it took something back, which can be brought back."""

    @property
    def is_ruling(self) -> bool:
        """Whether something was ruled, other than a pause."""
        return any(fact[0] not in PAUSES for fact in self.facts)

    @property
    def is_correction(self) -> bool:
        return isinstance(self.seen, ob.CorrectionRequested)

    def back(self) -> Iterator[Step]:
        """This one and those before it that stand, without the beginning."""
        step: Step | None = self
        while step is not None and step.seen is not None:
            yield step
            step = step.before


class InOrder:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.seats = range(setup.players)
        self.chance = chance
        self.now = Standing(self.options.lives, self.options.shows)
        self.last = min(self.options.levels, MOST_DEALT // setup.players)
        self.facts: list[Fact] = []
        self._begin_level(1)
        self.newest = Step(-1, None, (), self.now.copy(), None, None)
        self.count = 0
        self.at: Micros = 0
        self.coming: list[AnyObservation] = []
        """What else the hand on a button does."""
        self.careless = chance.choice((0, 0, 0.01, 0.1, 0.3))
        """How likely somebody presses who does not hold the lowest number."""
        self.hasty = chance.choice((0.1, 0.3, 0.6))
        """How likely somebody presses while another one is in the line."""
        self.sources = chance.choice((SOURCES, ("gpio",), ("phone",), ("touch", "phone"), ("gpio", "usb")))
        self.camera = chance.random() < 0.4
        """Whether one reads the heap; then nothing is corrected: of that the page says nothing."""
        self.lingers = True
        """Whether somebody still does something after the end."""

    # What everybody can see --------------------------------------------------------------------------------

    @property
    def hands(self) -> list[int]:
        return list(map(len, self.now.cards))

    @property
    def holding(self) -> list[int]:
        """Who has numbers left."""
        return [seat for seat in self.seats if self.now.cards[seat]]

    @property
    def ended(self) -> bool:
        return self.now.phase == "over"

    def over(self) -> bool:
        return self.ended and not self.lingers

    def due(self) -> Micros | None:
        return None

    def public(self) -> Mapping[str, object]:
        now, asked = self.now, {seat: many for seat in self.seats if (many := len(self._options(seat)))}
        if is_drawn_seldom(asked.values()):
            return {"asked": asked}
        seen: dict[str, object] = {"winners": now.winners}
        if self.ended:
            return seen
        return {
            **seen,
            "phase": now.phase,
            "asked": asked,
            "hands": self.hands,
            "level": now.level,
            "lives": now.lives,
            "shows": now.shows,
            "top": now.top,
        }

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterator[Action]:
        for seat in self.seats:
            yield from self._options(seat)
        if self.now.phase == "play" and not self.now.desk.paused:
            yield from (Action(seat, "lay") for seat in self.seats if self._may_lay(seat))
            if not self.now.line and self.now.shows:
                yield from (Action(seat, "show") for seat in self.holding)

    def _may_lay(self, seat: int) -> bool:
        now = self.now
        waits = any(press.seat == seat for press in now.line)
        return now.phase == "play" and bool(now.cards[seat]) and not waits

    def _options(self, seat: int) -> tuple[Action, ...]:
        """What a seat is asked, in the order in which its button goes through it."""
        now = self.now
        match "paused" if now.desk.paused else now.phase:
            case "ready" if seat not in now.ready:
                return (Action(seat, "ready"),)
            case "play" if not now.line and now.cards[seat]:
                return (Action(seat, "lay"),)
            case "play" if now.line and now.line[0].seat == seat:
                return tuple(Action(seat, "number", value) for value in self._numbers())
            case "away" if seat not in now.away and now.cards[seat]:
                return tuple(Action(seat, "away", many) for many in range(self.hands[seat] + 1))
        return ()

    def _numbers(self) -> Iterator[str]:
        """The page leaves the order within a row open: it is upwards."""
        first, laid = self.now.top % 60 // 10, self.now.laid
        for row in (*ROWS[first:], *ROWS[:first]):
            yield from (number_of(number) for number in row if number not in laid)

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        self.facts, again, made, before = [], list[Fact](), self.newest, self.newest
        match seen:
            case ob.UndoRequested():
                before = self._go_back(seen)
            case ob.CorrectionRequested():
                before, again = self._correct(seen)
            case _:
                self._judge(seen)
        undone = isinstance(seen, ob.UndoRequested) and not seen.redo and before is not made
        self.newest = Step(self.count, seen, self.facts, self.now.copy(), before, made, undone)
        self.count += 1
        return [*again, *self.facts]

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _refuse(self) -> None:
        self.facts.append(REFUSED)

    def _judge(self, seen: AnyObservation) -> None:
        now = self.now
        if self.ended:
            return
        match seen:
            case ob.ActionDeclared() if not now.desk.paused:
                self._declared(seen.action, Press(seen.action.seat, seen.at, "touch"))
            case ob.TableSeen() if not now.desk.paused:
                self._read(seen)
            case ob.TableDeclared():
                self._put_right(dict(seen.table))
            case ob.ButtonPressed(chair=int(seat)) if seat in self.seats and not now.desk.paused:
                self._pressed(seen, seat)
            case ob.ButtonReleased(chair=int(seat)) if seat in self.seats:
                self._let_go_or_held(seat, held=False)
            case ob.ButtonHeld(chair=int(seat)) if seat in self.seats:
                self._let_go_or_held(seat, held=True)
            case ob.PauseRequested():
                self._pause(paused=True)
            case ob.ResumeRequested():
                self._pause(paused=False)

    def _pause(self, *, paused: bool) -> None:
        if self.now.desk.paused != paused:
            self._note(ev.GamePaused() if paused else ev.GameResumed())
            self._tell("GamePaused" if paused else "GameResumed")

    def _note(self, event: ev.Event) -> None:
        """What becomes of a button, or of a pause, is the same in all games."""
        self.now.desk = self.now.desk.apply_event(event)

    def _pressed(self, seen: ob.ButtonPressed, seat: int) -> None:
        options = self._options(seat)
        if self._may_lay(seat):
            # The page does not say what the stamp of a press is that counts later than it was found.
            self._lay(Press(seat, seen.found, seen.source, seen.since))
        elif len(options) == 1:
            self._declared(options[0])
        elif options:
            self._note(ev.PressBegan(seat, options))

    def _let_go_or_held(self, seat: int, *, held: bool) -> None:
        options, mark = self._options(seat), self.now.desk.pending_choice(seat)
        prompt = Prompt(seat, options)
        if self.now.desk.paused:
            return
        if not options or not self.now.desk.has_press_begun(prompt):
            if not held and mark is not None and mark.down:
                self._note(ev.PressEnded(seat))
            return
        action = controls_of(self.now.desk, prompt)[seat, "hold" if held else "tap"]
        steps = judge_step(self.now.desk, (prompt,), action) if action.verb == STEP else ()
        if held or not steps:
            self._note(ev.PressEnded(seat))
        for event in steps:
            self._note(event)
        if action.verb != STEP:
            self._declared(action)

    def _declared(self, action: Action, press: Press | None = None) -> None:
        if str(action) not in self.legal():
            self._refuse()
            return
        now, seat = self.now, action.seat
        mark = now.desk.pending_choice(seat)
        if mark is not None and action in mark.actions and not mark.down:
            self._note(ev.PressEnded(seat))  # what is chosen otherwise leaves no choice half made
        match action.verb:
            case "ready":
                now.ready.add(seat)
                self._tell("PlayerReady", seat)
                if len(now.ready) == len(self.seats):
                    now.phase = "play"
                    self._tell("LevelBegan", now.level)
            case "lay":
                assert press is not None
                self._lay(press)
            case "number":
                self._number(seat, int(action.parts[1]))
                self._claim()
            case "away":
                assert isinstance(action.value, int)
                self._away(seat, action.value)
            case "show":
                now.shows -= 1
                self._tell("LowestShown", seat)
                for other in self.holding:
                    del now.cards[other][0]
                self._end_level()

    def _lay(self, press: Press) -> None:
        """Rule 3."""
        line = self.now.line
        press = press._replace(told=line[0].told if line else len(self.now.laid))
        place = sum(other.at <= press.at for other in line)
        line.insert(place, press)
        how, ms = "first", 0
        if place:
            before = line[place - 1]
            how, ms = "together" if in_doubt(before, press) else "after", (press.at - before.at) // 1_000
        self._tell("LayPressed", press.seat, press.at, press.source, press.since, how, ms)
        self._claim()

    def _read(self, seen: ob.TableSeen) -> None:
        """Rule 13: the card that lies uppermost on the heap."""
        now = self.now
        for region in seen.regions:
            _, _, name = region.faces[-1].card.partition(":") if region.faces else ("", "", "")
            number = int(name) if name.isdecimal() else 0
            if number != now.heap:
                now.heap, now.owed = number, now.phase == "play" and number > 0 and number not in now.laid
        self._claim()

    def _claim(self) -> None:
        """Rule 13: the only one in the line has laid what is owed."""
        if self.now.owed and len(self.now.line) == 1:
            self._number(self.now.line[0].seat, self.now.heap)

    def _number(self, seat: int, number: int) -> None:
        """Rule 5."""
        now, press, hand = self.now, self.now.line.pop(0), self.now.cards[seat]
        hand.remove(number if number in hand else self.chance.choice(hand))
        now.laid.add(number)
        now.owed = now.owed and number != now.heap
        if number > now.top:
            how, now.top, now.topmost, now.told_by_top = "up", number, press, len(now.laid)
        else:
            assert now.topmost is not None
            late = now.told_by_top <= press.told or now.topmost.is_certainly_before(press)
            how = "low" if late else "together"
        self._tell("NumberLaid", seat, number, how)
        if how == "low":
            self._lose_life()
        else:
            self._end_level()

    def _lose_life(self) -> None:
        """Rule 6."""
        now = self.now
        now.lives, now.line = now.lives - 1, []
        self._tell("LifeLost", now.lives)
        if not now.lives:
            now.phase, now.winners = "over", ()
            self._tell("GameLost", now.level)
        elif self.holding:
            now.phase, now.away = "away", set()
        else:
            self._end_level()

    def _away(self, seat: int, many: int) -> None:
        """Rule 7."""
        now = self.now
        del now.cards[seat][:many]
        now.away.add(seat)
        self._tell("LowerLaid", seat, many)
        if set(self.holding) <= now.away:
            now.phase = "play"
            self._end_level()

    def _end_level(self) -> None:
        """Rule 9, if nobody has numbers left."""
        now = self.now
        if self.holding:
            return
        self._tell("LevelWon", now.level)
        if now.level == self.last:
            now.phase, now.winners = "over", tuple(self.seats)
            self._tell("GameWon", now.level)
        else:
            self._begin_level(now.level + 1)

    def _begin_level(self, level: int) -> None:
        now = self.now
        dealt = iter(self.chance.sample(NUMBERS, k=level * len(self.seats)))
        now.cards = [sorted(next(dealt) for _ in range(level)) for _ in self.seats]
        now.level, now.phase, now.ready, now.away = level, "ready", set(), set()
        now.laid, now.top, now.topmost, now.line, now.owed = set(), 0, None, [], False

    def _put_right(self, table: Mapping[str, str | int]) -> None:
        """Rule 11."""
        now = self.now
        stands: dict[str, Any] = {"level": now.level, "lives": now.lives, "shows": now.shows}
        able = {
            "level": range(1, self.last + 1),
            "lives": range(1, self.options.lives + 1),
            "shows": range(self.options.shows + 1),
        }
        told = tuple((name, value) for name, value in table.items() if stands.get(name) != value)
        if not told:
            return
        if not all(value in able.get(name, ()) for name, value in told):
            self._refuse()
            return
        stands.update(told)
        now.lives, now.shows = stands["lives"], stands["shows"]
        self._tell("Repaired", told)
        self._begin_level(stands["level"])

    # What is taken back, and what is put right later -------------------------------------------------------

    def _go_back(self, seen: ob.UndoRequested) -> Step:
        """Where the table is then: before the last ruling, or, brought back, before that was taken back."""
        steps = self.newest.back()
        target = next((step for step in steps if _counts(step) or (seen.redo and step.is_undo)), None)
        is_final = target and isinstance(target.seen, ob.UndoRequested) and target.seen.done
        if target is None or (seen.redo and (is_final or not target.is_undo)):
            return self.newest
        paused, heap, owed = self.now.desk.paused, self.now.heap, self.now.owed
        made = _made(target)
        unread, self.now = self.ended and made.after.owed, made.after.copy()
        # Rule 14: no card moves; but what had not counted before an end counts once it is read again (10).
        self.now.heap, self.now.owed = (0, False) if unread else (heap, owed)
        if not self.ended:
            self._pause(paused=paused)
        return made

    def _correct(self, seen: ob.CorrectionRequested) -> tuple[Step, list[Fact]]:
        """All that stands since is judged again: the newest of it then, and what is ruled."""
        paused, steps = self.now.desk.paused, list(self.newest.back())
        later = [step for step in steps if step.seq > seen.seq][::-1]
        original = steps[len(later)]
        newest = original.before
        assert newest is not None
        self.now = newest.after.copy()
        ruled: list[Fact] = []

        def stands(step: Step, cause: AnyObservation) -> None:
            nonlocal newest
            ruled.extend(self.facts)
            newest = Step(step.seq, cause, self.facts, self.now.copy(), newest, step.made)

        if seen.truth is not None:
            truth = replace(seen.truth, at=_at(original))
            blame = not any(is_told(step.facts) for step in later)
            self._judge_again(original, truth, blame=blame)
            stands(original, truth)
        stopped = False
        for step in later:
            assert step.seen is not None
            self._judge_again(step, step.seen)
            if stopped := is_told(step.facts) and not step.is_correction and not is_told(self.facts):
                self.now = newest.after.copy()
                break
            stands(step, step.seen)
        self.facts = [STOPPED] if stopped else []
        if not self.ended:
            self._pause(paused=paused)
        return newest, ruled

    def _judge_again(self, step: Step, seen: AnyObservation, *, blame: bool = False) -> None:
        """What was lawful then is put right without blame; a press of another meaning has none."""
        self.facts = []
        if isinstance(seen, ob.UndoRequested | ob.CorrectionRequested):
            for fact in step.facts:
                if fact[0] in PAUSES:
                    self._pause(paused=PAUSES[str(fact[0])])
            return
        if seen is step.seen and isinstance(seen, BUTTON) and not self._means_the_same(step, seen):
            chair = int(seen.chair or 0)
            if isinstance(seen, ob.ButtonReleased):
                self._note(ev.PressEnded(chair))
            elif isinstance(seen, ob.ButtonPressed) and self._may_lay(chair):
                self._judge(seen)
        else:
            self._judge(seen)
        if REFUSED in self.facts and REFUSED not in step.facts and not blame:
            self.facts = [FORGIVEN]

    def _means_the_same(self, step: Step, seen: BUTTON) -> bool:
        then, was = _made(step).after, self.now
        meant, self.now = self._meaning(seen), then
        try:
            return meant == self._meaning(seen)
        finally:
            self.now = was

    def _meaning(self, seen: BUTTON) -> object:
        """What a press chooses, or begins to choose among."""
        if self.ended or seen.chair is None or seen.chair not in self.seats:
            return None
        options = self._options(seen.chair)
        if not options:
            return None
        if isinstance(seen, ob.ButtonPressed):
            return options[0] if len(options) == 1 else {action.verb for action in options}
        prompt, how = Prompt(seen.chair, options), "hold" if isinstance(seen, ob.ButtonHeld) else "tap"
        desk = self.now.desk
        return controls_of(desk, prompt)[seen.chair, how] if desk.has_press_begun(prompt) else None

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        if self.ended:
            self.lingers = False
            undo = ob.UndoRequested(at=self.at + 1)
            return undo if chance.random() < 0.5 else self._any_press(chance)
        if self.coming and chance.random() < 0.95:
            return self.coming.pop(0)
        self.at += chance.randrange(SECOND // 10, 3 * SECOND)
        doing = chance.random()
        if self.now.desk.paused and doing < 0.5:
            return ob.ResumeRequested(at=self.at)
        if doing < 0.04:
            return ob.ActionDeclared(at=self.at, action=self._anything(chance))
        if self.camera and (0.085 < doing < 0.1 or doing > 0.8):
            return self._seen(chance)
        if doing < 0.044:
            return ob.TableDeclared(at=self.at, table=self._repair(chance))
        if doing < 0.07:
            return ob.UndoRequested(at=self.at, done=chance.random() < 0.1)
        if doing < 0.085:
            return ob.UndoRequested(at=self.at, redo=True)
        if doing < 0.1 and (found := self._correction(chance)):
            return found
        if doing < 0.103:
            return ob.PauseRequested(at=self.at)
        if doing < 0.12:
            return self._any_press(chance)
        return self._sensible(chance)

    def _seen(self, chance: Random) -> ob.TableSeen:
        """Rather what the first in the line holds, or somebody who will press; else anything, or nothing."""
        held = [self.now.cards[press.seat][0] for press in self.now.line[:1]]
        likely = held or [cards[0] for cards in self.now.cards if cards] or [0]
        number = chance.choice(likely if chance.random() < 0.7 else (*NUMBERS, *self.now.laid, 0, 0))
        card = f"order:{number}" if chance.random() < 0.95 else "?"
        faces = (ob.SeenCard(card, 0),) if number else ()
        return ob.TableSeen(at=self.at, regions=(ob.RegionReading("heap", faces, self.at, self.at),))

    def _any_press(self, chance: Random) -> AnyObservation:
        return ob.ButtonPressed(at=self.at, chair=chance.choice(range(len(self.seats) + 1)))

    def _anything(self, chance: Random) -> Action:
        """What somebody says who is not asked, or says the wrong thing."""
        verb = chance.choice(("ready", "lay", "number", "number", "away", "show"))
        value: str | int | None = None
        if verb == "number":
            value = number_of(chance.choice((*NUMBERS, *sorted(self.now.laid))))
            if chance.random() < 0.1:
                value = chance.choice(("11-20|7", "1-10|0", "61-70|61", "7", pair_value("1-10", 10)))
        elif verb == "away":
            value = chance.randrange(-1, self.now.level + 2)
        asked = [seat for seat in self.seats if self._options(seat)]
        anybody = range(-1, len(self.seats) + 1) if chance.random() < 0.1 else self.seats
        return Action(chance.choice(asked if asked and chance.random() < 0.5 else anybody), verb, value)

    def _repair(self, chance: Random) -> tuple[tuple[str, str | int], ...]:
        """What the table puts right; once in a while what cannot be."""
        now = self.now
        able = {
            "level": (now.level, now.level, min(now.level + 1, self.last), now.level - 1, self.last + 1),
            "lives": (now.lives, now.lives, self.options.lives, self.options.lives + 1, now.lives - 1),
            "shows": (now.shows, now.shows, self.options.shows, self.options.shows + 1, now.shows - 1),
        }
        named = chance.sample(sorted(able), k=chance.choice((0, 1, 1, 2, 3)))
        return tuple((name, chance.choice(able[name])) for name in named)

    def _correction(self, chance: Random) -> AnyObservation | None:
        """Something that stands was otherwise, or did not happen."""
        steps = [step for step, _ in zip(self.newest.back(), range(12), strict=False)]
        steps = [step for step in steps if isinstance(step.seen, CORRECTABLE) and step.is_ruling]
        numbers = [step for step in steps if any(fact[0] == "NumberLaid" for fact in step.facts)]
        if not steps:
            return None
        step = chance.choice(numbers if numbers and chance.random() < 0.6 else steps)
        truth: Any = None
        fact = step.facts[0]
        if fact[0] == "NumberLaid" and chance.random() < 0.85:
            near = [number for number in NUMBERS if abs(number - int(str(fact[2]))) < 4]
            number = chance.choice(near if chance.random() < 0.7 else (*NUMBERS, *self.now.laid))
            truth = ob.ActionDeclared(
                at=_at(step), action=Action(int(str(fact[1])), "number", number_of(number))
            )
        elif fact[0] == "LowerLaid" and chance.random() < 0.85:
            told = Action(int(str(fact[1])), "away", chance.randrange(self.now.level + 1))
            truth = ob.ActionDeclared(at=_at(step), action=told)
        return ob.CorrectionRequested(at=self.at, seq=step.seq, truth=truth)

    def _sensible(self, chance: Random) -> AnyObservation:
        now = self.now
        match now.phase:
            case "ready":
                waiting = [seat for seat in self.seats if seat not in now.ready]
                return self._say(Action(chance.choice(waiting), "ready"), chance)
            case "away":
                waiting = [seat for seat in self.holding if seat not in now.away]
                seat = chance.choice(waiting)
                lower = sum(number < now.top for number in now.cards[seat])
                many = chance.randrange(self.hands[seat] + 1) if chance.random() < 0.1 else lower
                return self._say(Action(seat, "away", many), chance)
        able = [seat for seat in self.holding if self._may_lay(seat)]
        if not now.line and now.shows and chance.random() < 0.03:
            return self._say(Action(chance.choice(able), "show"), chance)
        careless = chance.random() < self.careless
        lowest = min(able, key=lambda seat: now.cards[seat][0], default=-1)
        theirs = [number for press in now.line for number in now.cards[press.seat][1:]]
        early = able and now.cards[lowest][0] > min(theirs, default=60)
        if able and (not now.line or (chance.random() < self.hasty and (careless or not early))):
            return self._lays(chance.choice(able) if careless else lowest, chance)
        seat = now.line[0].seat
        lies = chance.random() < 0.01
        mine = chance.choice(NUMBERS) if lies else now.cards[seat][0]
        free = [number for number in NUMBERS if number not in now.laid]
        return self._say(Action(seat, "number", number_of(mine if mine not in now.laid else free[0])), chance)

    def _lays(self, seat: int, chance: Random) -> AnyObservation:
        """A press, often close to one that is known, and not always later."""
        source, at, since = chance.choice(self.sources), self.at, None
        known = [press.at for press in (self.now.topmost, *self.now.line) if press is not None]
        if known and chance.random() < 0.7:
            beside = known[-1] if chance.random() < 0.9 else chance.choice(known)
            at = beside + chance.choice(GAPS) * chance.choice((1, 1, 1, 1, 1, -1))
        within: tuple[Micros, Micros] | None = None
        if chance.random() < 0.15:
            since = at - chance.choice(GAPS)
            within = (since, at + chance.choice(GAPS)) if chance.random() < 0.2 else None
        if source == "touch" and chance.random() < 0.7:
            screen = chance.choice(("touch", "phone"))
            return ob.ActionDeclared(at=max(0, at), action=Action(seat, "lay"), source=screen)
        return ob.ButtonPressed(at=max(0, at), chair=seat, source=source, since=since, within=within)

    def _say(self, action: Action, chance: Random) -> AnyObservation:
        """On the screen, or by the taps and holds that choose it."""
        options, seat = self._options(action.seat), action.seat
        if action not in options or self.coming or chance.random() < 0.7:
            return ob.ActionDeclared(at=self.at, action=action)
        if len(options) == 1:
            return ob.ButtonPressed(at=self.at, chair=seat, source=chance.choice(SOURCES))
        at, hand = self.at, list[AnyObservation]()
        for press in presses_to(self.now.desk, Prompt(seat, options), action):
            at += SECOND // 3
            hand.append(ob.ButtonPressed(at=at, chair=seat))
            if press == "hold":
                hand.append(ob.ButtonHeld(at=(at := at + HOLD_TIME), chair=seat))
            hand.append(ob.ButtonReleased(at=(at := at + SECOND // 10), chair=seat))
        self.at, self.coming = at, hand[1:]
        return hand[0]


@cache
def number_of(number: int) -> str:
    """The value that tells a number: its row, and itself."""
    first = (number - 1) // 10 * 10 + 1
    return pair_value(f"{first}-{first + 9}", number)


def _counts(step: Step) -> bool:
    """Whether an undo would take it back."""
    return step.is_ruling or step.is_correction


def _made(step: Step) -> Step:
    assert step.made is not None
    return step.made


def _at(step: Step) -> Micros:
    assert step.seen is not None
    return step.seen.at


def is_drawn_seldom(asked: Collection[int]) -> bool:
    """Whether somebody is asked for one of many numbers: what is shown then takes long, so every fourth."""
    return len(asked) == 1 and max(asked) > len(NUMBERS) // 3 and max(asked) % 4 > 0


def facts(event: ev.Event) -> Sequence[Fact]:
    if isinstance(event, ev.Repair):
        return (("Repair", event.what),)
    return facts_of(event, unruled=UNRULED, unsaid={"keeps"})


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    asked = {} if state.desk.paused else {one.chair: len(one.actions) for one in rules.prompts(state)}
    if is_drawn_seldom(asked.values()):
        return {"asked": asked}
    view = rules.view(state)
    seen: dict[str, object] = {"winners": view.outcome and view.outcome.winners}
    if view.outcome is not None:
        return seen
    counts = [{token.kind: token.count for token in chair.tokens} for chair in view.chairs]
    top = view.rows[0][0].value
    return {
        **seen,
        "phase": str(view.phase),
        "asked": {chair.seat: len(chair.choices) for chair in view.chairs if chair.asked},
        "hands": [own.get("unlaid", 0) for own in counts],
        **{each.name: each.value for each in view.fields},
        "top": top if isinstance(top, int) else 0,
    }


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return set(map(str, rules.legal_actions(state)))


IN_ORDER = Game(
    RULES["in_order"],
    InOrder,
    facts,
    public,
    legal,
    sizes=[(players, False) for players in RULES["in_order"].players],
    begun=150,
)
