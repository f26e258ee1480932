"""Kobayakawa for three to six players, in our words.

Fifteen cards, 1 to 15, each once; everybody has four kamons, eight lie in the centre. In each round:

1. Everybody still in the game gets one secret card, and one more is turned up: the Kobayakawa.
2. In turn order, one action each: draw a card, keep one of the two and lay the other open in front; or turn
   the deck's top card, unseen before, onto the Kobayakawa, whose number counts from now on.
3. In turn order, each fights for a stake of one kamon, or passes and keeps the card secret.
4. One fighter alone wins unseen. Of several all show their cards; to the lowest of them the Kobayakawa is
   added, and the highest total wins, at equal totals the one earlier in turn order.
5. The winner takes the stakes and one kamon of the centre, and starts the next round. Who has no kamon left
   is out. The round that begins with two kamons in the centre is the last: it costs two, and pays both.

Then the most kamons win. At some tables several who have as many play a deciding round: they alone
get a card, all of them fight, nothing is staked, and who wins it wins the game. The referee
never knows a card in a hand, and needs to know none.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any, ClassVar

from companion.core import desk
from companion.core import events as shared
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import ABANDONED, Action, Chair, Micros, Options, Outcome, Prompt, Setup
from companion.core.board import Board
from companion.core.events import Event
from companion.core.view import Mode, Sentence
from companion.games.kit.telling import scores, who_leads, whose_turn
from companion.games.kobayakawa.board import BOARD
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules import evolve, invariants, judge, numbers, recap, seeing, undoing, view
from companion.games.kobayakawa.rules.events import AnyKobayakawaEvent
from companion.games.kobayakawa.rules.options import KobayakawaOptions
from companion.games.kobayakawa.rules.showdown import CENTRE, KAMONS
from companion.games.kobayakawa.rules.state import (
    BOX,
    CARDS,
    NONE,
    OPEN,
    ROUND,
    TAKING,
    UNREAD,
    Hand,
    KobayakawaState,
    Phase,
)


class Kobayakawa(base.Rules[KobayakawaState]):
    """The rules of Kobayakawa over what the referee knows."""

    name: ClassVar[str] = "kobayakawa"
    bare = frozenset({"kobayakawa", "show"})
    board: ClassVar[Board] = BOARD
    bookkeeping = (ev.RegionSeen, ev.NumberForgotten, ev.AmissSeen, ev.PutRight, ev.PressedInVain)
    untold = frozenset({"then", "card", "target", "region", "how", "bonus", "stake"})
    earlier: ClassVar[Mapping[int, Mapping[str, Any]]] = {0: {"start_after_no_fight": "same"}}
    players: ClassVar[range] = range(3, 7)
    options: ClassVar[type[Options]] = KobayakawaOptions
    events: ClassVar[object] = AnyKobayakawaEvent
    cards: ClassVar[int] = CARDS

    judge = staticmethod(judge.judge)
    evolve_game = staticmethod(evolve.evolve)  # type: ignore[assignment]  # a journal holds this game's events only
    broken = staticmethod(invariants.broken)
    open_faces = staticmethod(undoing.open_faces)
    put_back = undoing.put_back
    view = view.view

    def initial_state(self, setup: Setup) -> KobayakawaState:
        players = setup.players
        return KobayakawaState(
            setup=setup,
            desk=desk.Desk(),
            cards=self.cards,
            kamons=(KAMONS,) * players,
            hands=(Hand(),) * players,
        )

    def named(self, setup: Setup) -> Mapping[str, Container[Any]]:
        return {"number": range(UNREAD, CARDS + 1), "card": range(NONE, CARDS + 1)}

    def prepare(self, setup: Setup) -> tuple[Sentence, ...]:
        return (
            Sentence("kobayakawa.prepare.cards"),
            Sentence("kobayakawa.prepare.kamons", (("left", BOX - (KAMONS * setup.players + CENTRE)),)),
            Sentence("kobayakawa.prepare.fields"),
        )

    def prompts(self, state: KobayakawaState) -> tuple[Prompt, ...]:
        def ask(seat: int, *verbs: str) -> Prompt:
            return Prompt(self.chair_of(state, seat), tuple(Action(seat, verb) for verb in verbs))

        def ask_number(seat: int, verb: str) -> Prompt:
            options = tuple(Action(seat, verb, number) for number in range(1, state.cards + 1))
            return Prompt(self.chair_of(state, seat), options)

        actor = state.actor
        match state.phase:
            case Phase.STARTING:
                return tuple(ask(seat, "start") for seat in range(state.players))
            case Phase.DEALING:
                return (ask(state.starter, "dealt"),)
            case Phase.REVEALING:
                return (ask_number(state.starter, "kobayakawa"),)
            case Phase.DRAWING if actor is not None:
                neither = ("neither",) if state.options.draw_optional else ()
                return (ask(actor, "draw", "replace", *neither),)
            case Phase.DISCARDING if actor is not None:
                return (ask(actor, "done"),)
            case Phase.REPLACING if actor is not None:
                return (ask_number(actor, "kobayakawa"),)
            case Phase.BETTING if actor is not None:
                return (ask(actor, "fight", "pass"),)
            case Phase.SHOWDOWN if state.kobayakawa == UNREAD:
                return (ask_number(state.starter, "kobayakawa"),)
            case Phase.SHOWDOWN if state.unseen:
                return (ask_number(state.unseen[0], "show"),)
        return ()

    def extra_actions(self, state: KobayakawaState) -> Iterable[Action]:
        """What touch says in place of the camera: numbers of open cards, before or after they are asked."""
        numbers = range(1, state.cards + 1)
        actor = state.actor
        if state.phase in {Phase.DEALING, Phase.DRAWING}:
            speaker = judge.speaker(state)
            assert speaker is not None
            yield from (Action(speaker, "kobayakawa", number) for number in numbers)
        if state.phase in TAKING and actor is not None:
            yield from (Action(actor, "discard", number) for number in numbers)
        if state.phase is Phase.REPLACING and actor is not None:
            yield Action(actor, "draw")
        for seat in range(state.players):
            if judge.can_name(state, seat):
                yield from (Action(seat, "discard", number) for number in numbers)
        if state.phase is Phase.SHOWDOWN:
            yield from (Action(seat, "show", number) for seat in state.unseen for number in numbers)

    def alternatives(self, state: KobayakawaState, seen: ob.Observation) -> Iterable[Action]:
        """What was read lay where it was seen; only its number was another."""
        if not isinstance(seen, ob.TableSeen):
            return super().alternatives(state, seen)
        legal = self.legal_actions(state)
        found: list[Action] = []
        for region in seen.regions:
            kind, _, place = region.name.partition(":")
            seat = state.seat_at(int(place)) if place.isdecimal() else judge.speaker(state)
            verb = {"hand": "show", "discard": "discard", OPEN: "kobayakawa"}.get(kind)
            found += [action for action in legal if (action.seat, action.verb) == (seat, verb)]
        return found

    # What is ruled ----------------------------------------------------------------------------------------

    def see(self, state: KobayakawaState, seen: ob.TableSeen | ob.HandShown) -> tuple[Event, ...]:
        if isinstance(seen, ob.HandShown):
            return seeing.hand_shown(state, seen.seat, seen.faces)
        return seeing.seen(state, seen.regions)

    def idle_press(self, state: KobayakawaState, chair: Chair, at: Micros) -> tuple[Event, ...]:
        """Players who are not asked see so on their panel: the turn is still to come, or over."""
        seat = self.seat_of(state, chair)
        if seat not in state.order or state.actor is None:
            return ()
        return (ev.PressedInVain(seat, state.order.index(seat) > state.turn),)

    def awaited(self, state: KobayakawaState) -> frozenset[str]:
        actor = state.actor
        match state.phase:
            case Phase.DEALING | Phase.REVEALING | Phase.REPLACING:
                return frozenset({OPEN})
            case Phase.DRAWING if actor is not None:
                return frozenset({OPEN, f"discard:{state.zone(actor)}"})
            case Phase.DISCARDING if actor is not None:
                return frozenset({f"discard:{state.zone(actor)}"})
            case Phase.SHOWDOWN:
                hands = {f"hand:{state.zone(seat)}" for seat in state.unseen}
                return frozenset(hands | ({OPEN} if state.kobayakawa == UNREAD else set()))
        return frozenset()

    def declared(self, state: KobayakawaState, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table says who has what; a deck that is not as long as it should be voids the deal (OI3)."""
        if state.phase not in view.DECLARABLE:
            return (shared.Infraction("repair.not_now"),)
        facts = table.table
        offered = {field.name: field for field in view.view(self, state, Mode.PLAY).fields}
        known = all(name in offered and value in offered[name].choices for name, value in facts)
        events: tuple[Event, ...] = (shared.Repaired(facts),)
        if not known or self.sound_after(state, events) is None:
            return (shared.Infraction("repair.impossible"),)
        count = next((int(value) for name, value in facts if name == "deck"), state.deck)
        if count != state.deck:
            events += (ev.DealVoided(count, state.deck),)
        return events

    def outcome(self, state: KobayakawaState) -> Outcome | None:
        if state.desk.abandoned:
            return Outcome(ABANDONED, (), state.desk.uncovered)
        if not state.winners:
            return None
        return Outcome(state.how, tuple(self.chair_of(state, seat) for seat in state.winners))

    # What is announced ------------------------------------------------------------------------------------

    def redacted(self, state: KobayakawaState) -> KobayakawaState:
        """Nothing lies hidden that was ever known: the referee knows cards that lay open, and no others."""
        return state

    def public_parts(self, state: KobayakawaState, event: Event) -> tuple[tuple[str, str | int], ...]:
        """Whatever lay open stays public; of what was taken back, and before the deal, nothing is."""
        parts = self.parts(state, event)
        if state.phase is not Phase.STARTING or self.is_open(state):
            return parts
        return tuple(part for part in parts if part[0] != "number")

    def lies_at(self, state: KobayakawaState, event: Event) -> str | None:
        match event:
            case ev.RoundBegan() | ev.KobayakawaReplaced() if state.kobayakawa == event.number:
                return OPEN
            case ev.CardDiscarded() | ev.DiscardRead() if state.hands[event.seat].discard == event.number:
                return f"discard:{state.zone(event.seat)}"
            case ev.CardShown() if state.hands[event.seat].shown == event.number:
                return f"hand:{state.zone(event.seat)}"
        return None

    def notice(self, event: Event) -> tuple[int, str] | None:
        if isinstance(event, ev.PressedInVain):
            return event.seat, "too_early" if event.early else "too_late"
        return None

    def key(self, event: Event) -> str:
        match event:
            case ev.RoundBegan(last=True):
                return "kobayakawa.RoundBegan.last"
            case ev.RoundBegan(deciding=True):
                return "kobayakawa.RoundBegan.deciding"
            case ev.CardDiscarded(number=0):
                return "kobayakawa.CardDiscarded.unread"
            case ev.RoundWon(count=0):
                return f"kobayakawa.RoundWon.deciding{'.tie' if event.how == 'tie' else ''}"
            case ev.RoundWon() if event.how != "showdown":
                return f"kobayakawa.RoundWon.{event.how}"
            case ev.NobodyFought():
                return f"kobayakawa.NobodyFought.{event.how}"
        return super().key(event)

    def parts(self, state: KobayakawaState, event: Event) -> tuple[tuple[str, str | int], ...]:
        parts = super().parts(state, event)
        match event:
            case ev.CardDiscarded(number=0):
                return tuple(part for part in parts if part[0] != "number")
            case ev.RoundWon() if state.hands and event.total > state.hands[event.seat].shown > UNREAD:
                shown = state.hands[event.seat].shown
                return (*parts, ("sum", "yes"), ("number", shown), ("open", event.total - shown))
            case ev.NumberDoubted():
                return (*parts, *self._doubted(state, event))
            case ev.GameWon() if len(event.seats) == 1:
                return (("chair", self.chair_of(state, event.seats[0])),)
            case shared.Repair():
                return ()
        return parts

    def _doubted(self, state: KobayakawaState, event: ev.NumberDoubted) -> tuple[tuple[str, str | int], ...]:
        """Whose other card has that number, if it is another person's."""
        for name in numbers.known(state, event.number):
            kind, seat = numbers.parted(name)
            if name != event.target and kind != "opened" and event.seat not in {None, seat}:
                return (("whose", "other"), ("other_chair", self.chair_of(state, seat)))
        return ()

    def afterwards(self, state: KobayakawaState, event: Event) -> tuple[Sentence, ...]:
        """One part varies in what is spoken: the number of a last round, the winner of a tie come after."""
        match event:
            case shared.Infraction(rule="turn.not_yours"):
                return whose_turn(self, state)
            case ev.RoundBegan() if event.last or event.deciding:
                return (Sentence("kobayakawa.RoundBegan", self.parts(state, event)),)
            case ev.RoundWon():
                won = Sentence("kobayakawa.RoundWon", self.parts(state, event))
                leads = who_leads(self, state, state.kamons)
                return (won, *leads) if event.how in {"tie", "last"} and event.count else leads
            case ev.GameWon():
                return scores(self, state, state.kamons)
        return ()

    def recap(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        return recap.numbers(event for entry in reversed(list(standing)) for event in entry.events)


__all__ = ["NONE", "ROUND", "Kobayakawa", "KobayakawaOptions"]
