"""Kinapa for two to eight players, in our words.

Every number has one animal and one shelter: a pair. Each player holds four cards; who lays two pairs on
objects of their numbers wins at once. Only the Emperor acts. A turn:

1. The Emperor says "Kinapa" and a number whose pair does not lie yet. While three seconds are counted, every
   other player may raise a hand: "I do not have it", which may be a lie. A lowered hand says nothing.
2. If the Emperor holds the pair, it is shown. If every hand is up, nothing is exchanged (X1); otherwise
   one random card is drawn from a lowered seat and one given back (X2).
3. Otherwise: with two or more lowered hands, a random card from one of them, and one given back (X3). With
   one, it is asked for the number (X4); with none, everybody is (X5). Here answers are a duty: who raised
   a hand and has the number is a liar, hands it over, gets a card back, and is punished: two Foxes, the old
   cards face up, no raising while a Fox is there. If nobody has it, hands are shown to the camera (X6).
   What goes back is never the card just received.
4. The Emperor turns one object. If its number fits a pair in hand, the pair may go on it, the object stays
   open and is closed for others, and another object must be turned. Else it is hidden again in its place.
5. The crown: a liar without a Sheep takes it (N1); else the Emperor gives it to a seat that raised, one
   without a Sheep first (N2, N3); if nobody raised it stays (N4). When the crown moves, Foxes from earlier
   turns shrink by one; a new Emperor without a Sheep takes one, and when all have one, all others go back.

Hands lock at the end of the third second: a press at 3.000000 s counts, one at 3.000001 s does not.

With fewer than four people, or if one more is wanted, decks are dealt that nobody holds: BOT decks, under an
aid whose face says "hand up" or "hand down". Two players have one each; otherwise there is one for all.

* Before the count the aids are laid: two players each their own, the Emperor's first; else by the Emperor. A
  BOT with a Fox shows "hand down".
* Nobody looks into a BOT unless it is asked: then its owner alone (else the Emperor) looks, says whether the
  number is there, and another card goes under the aid. Hands are asked before BOTs; a raised BOT that has the
  number is punished like anybody.
* A BOT that is next has to be taken in hand: its owner (else an opponent whom the Emperor names) Switches.
  The decks change places, and Sheep, Foxes, open cards and the pair that lies stay with their deck.
* Two players: if cat 1 is in neither hand, both Switch first. With one BOT, who has the lowest animal in
  hand is the first Emperor.
* The player who empties the deck in hand wins.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import Any, ClassVar

from companion.core import desk
from companion.core import events as shared
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import (
    ABANDONED,
    SECOND,
    Action,
    Chair,
    Cue,
    Micros,
    Options,
    Outcome,
    Prompt,
    Seat,
    Setup,
    Timer,
)
from companion.core.board import Board
from companion.core.events import Event, kind_of
from companion.core.view import Sentence
from companion.games.kinapa.board import BOARD
from companion.games.kinapa.rules import (
    asking,
    beyond,
    bots,
    evolve,
    exchange,
    invariants,
    judge,
    seeing,
    telling,
    undoing,
    view,
)
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.options import KinapaOptions
from companion.games.kinapa.rules.parts import AnyKinapaEvent
from companion.games.kinapa.rules.state import KinapaState, Phase, SeatState, Slot
from companion.games.kinapa.rules.succession import candidates, succession

_WINDOW = frozenset({Phase.ANNOUNCED, Phase.COUNTING})
_HANDS = frozenset(judge.HANDS)
COUNT = "kinapa.count"
"""The cue that opens the window."""


class Kinapa(base.Rules[KinapaState]):
    """The rules of Kinapa over what the referee knows."""

    name: ClassVar[str] = "kinapa"
    board: ClassVar[Board] = BOARD
    bookkeeping = telling.BOOKKEEPING
    untold = telling.UNTOLD
    players: ClassVar[range] = range(2, 9)
    with_bot: ClassVar[range] = range(4, 8)
    usual: ClassVar[int | None] = 4
    options: ClassVar[type[Options]] = KinapaOptions
    events: ClassVar[object] = AnyKinapaEvent
    steering: ClassVar[tuple[type[Event], ...]] = (
        *desk.STEERING,
        ev.ObjectForgotten,
        ev.ButtonDown,
        ev.ButtonUp,
    )
    forgets_first: ClassVar[bool] = True  # which pair fits depends on the open object

    seats = staticmethod(bots.seats_of)
    extra_actions = staticmethod(beyond.unlisted)
    judge = staticmethod(judge.judge)
    awaited_draw = staticmethod(exchange.lots)
    evolve_game = staticmethod(evolve.evolve)  # type: ignore[assignment]  # a journal holds this game's events only
    broken = staticmethod(invariants.broken)
    open_faces = staticmethod(undoing.open_faces)
    forget = staticmethod(undoing.forget)
    persistent = staticmethod(undoing.buttons)
    redacted = staticmethod(view.redacted)
    lies_at = staticmethod(telling.lies_at)
    notice = staticmethod(telling.notice)
    public_parts = telling.public_parts
    put_back = undoing.put_back
    view = view.view

    def initial_state(self, setup: Setup) -> KinapaState:
        people, number = len(setup.chairs), self.seats(setup)
        bot = number > people
        return KinapaState(
            setup=setup,
            desk=desk.Desk(),
            seats=(SeatState(),) * number,
            slots=(Slot(),) * (2 * number),
            decks=tuple(range(number)) if bot else (),
            laid=((),) * people if bot else (),
        )

    def named(self, setup: Setup) -> Mapping[str, Container[Any]]:
        white = {f"{kind}:{number}" for kind in ("animal", "shelter") for number in range(1, 17)}
        return {"number": range(1, 2 * self.seats(setup) + 1), "card": {"", *white}}

    def prepare(self, setup: Setup) -> tuple[Sentence, ...]:
        return telling.prepare(self.seats(setup), setup.players)

    def chair_of(self, state: KinapaState, seat: Seat) -> Chair:
        return state.setup.chairs[bots.keeper(state, seat)]

    def prompts(self, state: KinapaState) -> tuple[Prompt, ...]:
        return asking.PROMPTS[state.phase](state)

    def alternatives(self, state: KinapaState, seen: ob.Observation) -> Iterable[Action]:
        own = beyond.instead(state, seen)
        return super().alternatives(state, seen) if own is None else own

    def decide(self, state: KinapaState, seen: ob.Observation) -> tuple[Event, ...]:
        """The ruling; under `hand=hold` also which buttons are down, whatever they mean now (KA24)."""
        ruled = super().decide(state, seen)
        if state.options.hand != "hold" or self.outcome(state) is not None:
            return ruled
        match seen:
            case ob.ButtonPressed(chair=int(chair)):
                seat = self.seat_of(state, chair)
                return ruled if seat is None or seat in state.down else (*ruled, ev.ButtonDown(seat))
            case ob.ButtonReleased(chair=int(chair)):
                seat = self.seat_of(state, chair)
                return (*ruled, ev.ButtonUp(seat)) if seat in state.down else ruled
            case ob.Restarted() | ob.AdapterLost():  # nobody saw what they did meanwhile
                return (*ruled, *map(ev.ButtonUp, state.down))
        return ruled

    def see(self, state: KinapaState, seen: ob.TableSeen | ob.HandShown) -> tuple[Event, ...]:
        if isinstance(seen, ob.HandShown):
            if state.turn.audit[:1] != (seen.seat,):
                return ()
            return seeing.hand_shown(state, seen.seat, seen.faces, seen.at)
        return seeing.seen(state, seen.regions, seen.at)

    def cue_heard(self, state: KinapaState, cue: ob.CueHeard) -> tuple[Event, ...]:
        awaited = state.phase is Phase.ANNOUNCED and not state.desk.paused
        if not awaited or cue.cue != COUNT or cue.attempt != state.turn.attempt:
            return ()
        return judge.opened(state, cue.at, cue.by)

    def timer(self, state: KinapaState) -> Timer | None:
        if state.phase not in _WINDOW:
            return None
        turn, seconds = state.turn, state.options.count_seconds
        if state.phase is Phase.ANNOUNCED:
            return Timer("cue", turn.cue_due)
        if turn.first_beat is None or not seconds:
            return None
        beat = turn.beat + 1
        name = "beat" if beat < seconds else "lock"
        return Timer(name, turn.first_beat + beat * SECOND)

    def elapsed(self, state: KinapaState, timer: str, at: Micros) -> tuple[Event, ...]:
        if state.phase is Phase.COUNTING:
            if timer == "beat":
                return (ev.BeatStruck(state.turn.beat + 1),)
            return judge.locked(state) if timer == "lock" else ()
        return judge.opened(state, at, "timer") if timer == "cue" and state.phase is Phase.ANNOUNCED else ()

    def window_open(self, state: KinapaState) -> bool:
        return state.phase in _WINDOW

    def awaited_cue(self, state: KinapaState) -> Cue | None:
        if state.phase is not Phase.ANNOUNCED or state.desk.paused:
            return None
        turn = state.turn
        said = ev.NumberAnnounced if turn.attempt <= 1 else ev.RecountAsked
        beats = state.options.count_seconds
        return Cue(COUNT, turn.number, turn.attempt, beats, f"{self.name}.{kind_of(said)}")

    def awaited(self, state: KinapaState) -> frozenset[str]:
        if state.phase in {Phase.TURNING, Phase.PLACING}:
            return frozenset(f"slot:{slot}" for slot in range(1, len(state.slots) + 1))
        return frozenset({"audit"}) if state.phase is Phase.AUDITING else frozenset()

    def drawn(self, state: KinapaState, lot: ob.Drawn) -> tuple[Event, ...]:
        if exchange.lots(state) != lot.choices or not 0 <= lot.index < len(lot.choices):
            return ()
        assert state.turn.partner is not None
        return (ev.LotDrawn(state.turn.partner, lot.index + 1),)

    def idle_press(self, state: KinapaState, chair: Chair, at: Micros) -> tuple[Event, ...]:
        seat = self.seat_of(state, chair)
        if seat is None or seat == state.emperor:
            return ()
        if state.phase in {Phase.ANNOUNCING, Phase.RECOUNTING} or bots.aids_first(state):
            return (ev.HandTooEarly(seat),)
        if state.phase is Phase.PAIRING:
            return (ev.HandTooLate(seat),)
        if state.phase is Phase.AIDING:
            up = seat in state.turn.raised and state.options.hand == "toggle"
            return judge.judge(state, Action(seat, "lower" if up else "raise"), at)
        if state.phase in _HANDS and state.seats[seat].foxes:
            return judge.judge(state, Action(seat, "raise"), at)
        return ()

    def idle_release(self, state: KinapaState, chair: Chair, at: Micros) -> tuple[Event, ...]:
        seat = self.seat_of(state, chair)
        if seat is None or state.options.hand != "hold":
            return ()
        up = state.phase in _HANDS and seat in state.turn.raised
        return (ev.HandLowered(seat),) if up else ()

    def declared(self, state: KinapaState, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table says what is where; nonsense is refused by name, and nothing changes."""
        if state.phase is Phase.STARTING:
            return (shared.Infraction("repair.not_started"),)
        events = (*self.voided(state, "repair"), shared.Repaired(table.table, keeps=True))
        after = self.sound_after(state, events)
        if after is None:
            return (shared.Infraction("repair.impossible"),)
        asks_again = after.phase is Phase.SUCCEEDING and candidates(after) != after.turn.candidates
        return (*events, *succession(after)) if asks_again else events

    def outcome(self, state: KinapaState) -> Outcome | None:
        if state.desk.abandoned:
            return Outcome(ABANDONED, (), state.desk.uncovered)
        if state.winner is None:
            return None
        last = "fourth_pair" if state.bots and bots.ending(state) == "both_decks" else "second_pair"
        return Outcome(last, (self.chair_of(state, state.winner),))

    def label(self, state: KinapaState, action: Action) -> Sentence:
        said = super().label(state, telling.plain(action))
        return telling.label(self, state, action) or said

    def sentence(self, state: KinapaState, event: Event, *, log: bool = False) -> Sentence | None:
        said = super().sentence(state, event, log=log)
        if said is not None and not log and isinstance(event, ev.EmperorCrowned) and state.left_one:
            said = Sentence(said.key, (*said.parts, ("left_one", state.left_one)))
        return None if said is None else telling.of_bot(said)

    def parts(self, state: KinapaState, event: Event) -> tuple[tuple[str, str | int], ...]:
        return telling.parts(state, event, super().parts(state, event))

    def recap(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        counts = Counter(type(event) for entry in standing for event in entry.events)
        return (
            ("turns", counts[ev.HandsLocked]),
            ("lies", counts[ev.Punished]),
            ("bluffs", counts[ev.LieProven]),
            ("pairs", counts[ev.PairPlaced]),
        )

    def why(self, state: KinapaState, event: Event) -> str:
        row = telling.why(state, event) or super().why(state, event)
        return row + telling.BOT if state.bots and row in telling.OTHERWISE_WITH_BOTS else row
