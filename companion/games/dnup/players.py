"""dnup at a simulated table: the deal, and people who are exact, talkative, clumsy or dishonest."""

import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Chair, Micros, Seat
from companion.core.events import Event
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.dnup.rules import laws, seeing
from companion.games.dnup.rules.knowing import leaving
from companion.games.dnup.rules.manifest import MANIFEST, STAR, in_use, symbol, values
from companion.games.dnup.rules.state import DnupState, Phase, region
from companion.games.kit.world import Arrange, Choose, Plan, Players, Style, after

PATIENCE: Micros = 8 * SECOND
"""How long people wait for the camera before they say what they did."""
ROW = 6
"""Cards that are shown at once while the deck is scanned."""
ASKEW = "@85"
SAID: Mapping[Phase, str] = {
    Phase.SIZING: "play",
    Phase.VALUING: "play",
    Phase.ADDING: "add",
    Phase.TAKING: "take",
}
"""What is being said in these phases."""


class Intent(NamedTuple):
    """What somebody is about in a turn."""

    turn: int
    action: Action
    """How it is said."""
    cards: tuple[str, ...]
    """What leaves the hand."""
    laid: bool = False
    """It lies on the table already."""
    breaks: str = ""


class DnupWorld(Players):
    """Who holds which cards which way up, what lies where, and what everybody does next.

    LAWFUL lays cards. BLUFFING says it by button first. CARELESS is clumsy. CHEATING is dishonest.
    """

    blames = (shared.Infraction, ev.StarElsewhere, ev.HandDoubted)

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[Style]) -> None:
        super().__init__(chairs, rng, styles)
        self.hands: list[list[str]] = [[] for _ in self.chairs]
        """Every card as its owner holds it: `8/3`."""
        self.sets: list[tuple[str, ...]] = [()] * (4 if len(self.chairs) == 2 else len(self.chairs))
        self.places: dict[str, tuple[str, ...]] = {region(area): () for area in range(len(self.sets))}
        self.places[seeing.SCAN] = ()
        self.pile: list[str] = []
        self.points = [0] * len(self.chairs)
        self._intent: Intent | None = None
        self._deck = list(MANIFEST)
        rng.shuffle(self._deck)

    def _deal(self) -> None:
        """All cards, each lying one way or the other."""
        deck = [card.lying(name, self._rng.choice((0, 180))) for name in in_use(MANIFEST, len(self.chairs))]
        self._rng.shuffle(deck)
        self.hands = [sorted(deck[seat :: len(self.chairs)]) for seat in range(len(self.chairs))]
        self.sets = [()] * len(self.sets)
        self.pile = []
        self._intent = None
        for area in range(len(self.sets)):
            self.places[region(area)] = ()

    # What people do ---------------------------------------------------------------------------------------

    def moment(self, state: DnupState) -> Hashable:
        unread = tuple(area.unread for area in state.areas)
        misplaced = tuple(seeing.differing(state)) if state.turn_phase else ()
        return (state.phase, state.round, state.turns, state.due is not None, state.doubt, misplaced, unread,
                len(state.shown), state.size, state.desk.paused)  # fmt: skip

    def plan(self, state: DnupState) -> Plan:
        if state.desk.paused:
            return []
        match state.phase:
            case Phase.SCANNING:
                return self._scan(state)
            case Phase.SORTING:
                return self._says(0, "prepared", 1.0, 2.0)
            case Phase.DEALING:
                holder = next(seat for seat, hand in enumerate(self.hands) if STAR in map(card.name, hand))
                return self._says(holder, "star", 1.0, 2.0)
            case Phase.OVER:
                return []
        return self._turn(state)

    def _scan(self, state: DnupState) -> Plan:
        """The deck, a row at a time; then it is said to be whole."""
        shown = len(state.shown)
        clear: Plan = [(after(self._rng, 0.4, 0.6), Arrange(self.chairs[0], ((seeing.SCAN, ()),)))]
        if shown >= len(MANIFEST):
            whole = sorted(state.shown) == sorted(MANIFEST)
            return [*clear, *self._says(0, "scanned" if whole else "listed", 1.0, 1.5)]
        row = tuple(seeing.KIND + name for name in self._deck[shown : shown + ROW])
        lies = Arrange(self.chairs[0], ((seeing.SCAN, row),))
        return [*clear, (after(self._rng, 2.0, 2.5), lies), *self._says(0, "listed", 12.0, 13.0)]

    def _turn(self, state: DnupState) -> Plan:
        """Tidy up, then act; or continue what was begun."""
        seat = state.seat
        intent = self._intent if self._intent is not None and self._intent.turn == state.turns else None
        if state.due is not None:
            breaks = intent.breaks if intent is not None else ""
            if breaks or self._rng.random() < 0.6:
                done = Choose(self.chairs[seat], Action(seat, "done"), breaks)
                return [(after(self._rng, 0.3, 0.8), done)]
            return []
        if seeing.differing(state) or (intent is not None and intent.breaks and intent.laid):
            self._intent = None
            return self._put_right(state)
        if state.phase is not Phase.ACTING and (intent is None or intent.action.verb != SAID[state.phase]):
            return self._says(seat, "again", 0.4, 0.8)  # somebody else began to say it
        if state.phase is Phase.SIZING and intent is not None:
            return self._says(seat, "size", 0.4, 0.8, len(intent.cards))
        if state.phase is Phase.VALUING and intent is not None:
            return self._says(seat, "value", 0.4, 0.8, card.up(intent.cards[0]))
        if state.phase is not Phase.ACTING and intent is not None:
            return [(after(self._rng, 0.4, 0.8), Choose(self.chairs[seat], intent.action))]
        if intent is not None and intent.laid:  # the camera could not read it
            return [(after(self._rng, 1.0, 2.0), Choose(self.chairs[seat], intent.action))]
        if state.stalled:
            return [*self._tidy(state), *self._says(seat, "redeal", 1.5, 2.0)]
        deeds = self._act(state)
        forgets = self._intent is not None and self._intent.breaks == "discard.first"
        return [*self._tidy(state, *([state.area] if forgets else [])), *deeds]

    def _tidy(self, state: DnupState, *but: int) -> Plan:
        """Everybody brings the cards to where the rulings say they are."""
        return [
            (after(self._rng, 0.3, 0.8), Arrange(self.chairs[state.owner(area)], ((place, lying),)))
            for area, (place, lying) in enumerate(self._lying())
            if self.places[place] != lying and area not in but
        ]

    def _put_right(self, state: DnupState) -> Plan:
        """What was laid wrongly goes back."""
        chair = self.chairs[state.seat]
        wrong = tuple((place, lying) for place, lying in self._lying() if self.places[place] != lying)
        if not wrong:  # the camera errs: it is said
            return [(PATIENCE, Choose(chair, Action(state.seat, "rotate")))]
        return [(after(self._rng, 0.8, 1.2), Arrange(chair, wrong))]

    def _lying(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for area, cards in enumerate(self.sets):
            yield region(area), tuple(map(shown, cards))

    def _act(self, state: DnupState) -> Plan:
        """One action of the player in turn, lawful or not."""
        seat, chair = state.seat, self.chairs[state.seat]
        grab: Plan = []
        other = (seat + 1) % state.players
        if other not in state.out and self._trips(state, other, Style.CHEATING, "turn", 0.05):
            breaks = "turn.not_yours"
            grab = [(after(self._rng, 0.9, 1.0), Choose(self.chairs[other], Action(other, "rotate"), breaks))]
        slip = self._slip(state)
        if slip is not None:
            intent, places = slip
            self._intent = intent._replace(laid=True)
            return [*grab, (after(self._rng, 1.4, 2.2), Arrange(chair, places))]
        action, cards = self._choice(state)
        self._intent = Intent(state.turns, action, cards)
        spoken = self._is(seat, Style.BLUFFING) and self._rng.random() < 0.6
        if action.verb == "rotate" or spoken:
            by_steps = action.verb == "play" or self._rng.random() < 0.5
            said = Action(seat, action.verb) if by_steps and action.verb != "rotate" else action
            return [*grab, (after(self._rng, 1.4, 2.2), Choose(chair, said))]
        self._intent = self._intent._replace(laid=True)
        place, lying = self._laid(state, action, cards)
        if self._trips(state, seat, Style.CARELESS, "askew", 0.06) and cards:
            askew = (*lying[:-1], lying[-1].partition("@")[0] + ASKEW)
            lying = askew
        start = after(self._rng, 1.4, 2.2)
        declared = Choose(chair, action)
        return [*grab, (start, Arrange(chair, ((place, lying),))), (start + PATIENCE, declared)]

    def _laid(self, state: DnupState, action: Action, cards: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The place that an action changes, and what is there then."""
        if action.verb == "play":
            return region(state.area), tuple(map(shown, cards))
        area = int(action.value or 0) - 1
        there = self.sets[area] if action.verb == "add" else ()
        return region(area), tuple(map(shown, (*there, *cards)))

    # Choosing ---------------------------------------------------------------------------------------------

    def _choice(self, state: DnupState) -> tuple[Action, tuple[str, ...]]:
        """What somebody sensible does, with a whim now and then."""
        ways = list(self._ways(state))
        if self._rng.random() < 0.08:
            return self._rng.choice(ways)[1:]
        return max(ways, key=lambda way: way[0] + self._rng.random() * 3)[1:]

    def _ways(self, state: DnupState) -> Iterator[tuple[float, Action, tuple[str, ...]]]:
        """Every lawful action with the true hand, and how good it looks."""
        seat, hand = state.seat, self.hands[state.seat]
        for size, value in laws.plays(state):
            own = [one for one in hand if card.up(one) == value]
            if len(own) >= size:
                out = 100 if size == len(hand) else 0
                yield out + 10 * size + value / 4, Action(seat, "play", f"{size}x{value}"), tuple(own[:size])
        for area in laws.addable(state):
            own = [one for one in hand if card.up(one) == state.value(area)]
            if own:
                out = 100 if len(hand) == 1 else 0
                yield out + 11, Action(seat, "add", area + 1), (own[0],)
        for area in laws.takable(state):
            yield 5 - len(self.sets[area]) - len(hand) / 4, Action(seat, "take", area + 1), ()
        over = [card.up(card.turned(one)) for one in hand]
        yield 4 * max(map(over.count, over)), Action(seat, "rotate"), ()

    def _slip(self, state: DnupState) -> tuple[Intent, tuple[tuple[str, tuple[str, ...]], ...]] | None:
        """A mistake or a cheat that everybody can see, if this person's habits bring one now."""
        seat, hand = state.seat, self.hands[state.seat]
        nothing = Action(seat, "done")

        def intent(breaks: str) -> Intent:
            return Intent(state.turns, nothing, (), breaks=breaks)

        here = state.areas[state.area]
        own = region(state.area)
        if here.old and here.seen == here.old and self._trips(state, seat, Style.CARELESS, "discard", 0.1):
            fresh = shown(hand[0])
            if not card.within((hand[0],), here.old):
                return intent("discard.first"), ((own, (*self.places[own], fresh)),)
        for area in laws.takable(state):
            there = self.sets[area]
            if len(there) > 1 and self._trips(state, seat, Style.CARELESS, "part", 0.1):
                return intent("take.whole_set"), ((region(area), tuple(map(shown, there[1:]))),)
        if self._trips(state, seat, Style.CHEATING, "mixed", 0.05):
            mixed = next((other for other in hand if card.up(other) != card.up(hand[0])), None)
            if mixed is not None:
                return intent("set.mixed"), ((own, (shown(hand[0]), shown(mixed))),)
        if self._trips(state, seat, Style.CHEATING, "low", 0.06):
            low = next(
                (one for one in hand if laws.play_rule(state, 1, card.up(one)) == "play.not_higher"), None
            )
            if low is not None:
                return intent("play.not_higher"), ((own, (shown(low),)),)
        if self._trips(state, seat, Style.CHEATING, "turned", 0.2):
            for one in state.hands[seat].known:
                wrong = card.turned(one)
                lawful = not laws.play_rule(state, 1, card.up(wrong))
                if lawful and leaving(state, seat, (wrong,)).rule == "card.turned":
                    return intent("card.turned"), ((own, (shown(wrong),)),)
        return None

    # What becomes true ------------------------------------------------------------------------------------

    def happened(self, before: DnupState, event: Event) -> None:
        match event:
            case ev.DeckSorted() | ev.Redealt() | ev.RoundEnded():
                self._deal()
            case ev.SetPlayed():
                self.sets[event.area] = self._leave(before, event.seat, event.cards)
            case ev.CardAdded():
                self.sets[event.area] += self._leave(before, event.seat, (event.card,))
            case ev.SetTaken() | ev.SetReturned():
                self.hands[event.seat] += map(card.turned, self.sets[event.area])
                self.sets[event.area] = ()
            case ev.SetDiscarded() | ev.SetBeaten():
                self.pile += self.sets[event.area]
                self.sets[event.area] = ()
            case ev.HandRotated():
                self.hands[event.seat] = list(map(card.turned, self.hands[event.seat]))
            case ev.WentOut():
                self.points[event.seat] += event.points

    def _leave(self, before: DnupState, seat: Seat, declared: tuple[str, ...]) -> tuple[str, ...]:
        """Cards leave a hand: those that were meant, or any that fit."""
        intent, hand = self._intent, self.hands[seat]
        meant = intent.cards if intent is not None and intent.turn == before.turns else ()
        leaves = meant if card.same(meant, declared) else declared
        gone: list[str] = []
        for one in leaves:
            found = one if one in hand else next((held for held in hand if card.alike(one, held)), None)
            if found is None:
                self._faults.append(f"{one} was ruled to leave {hand}")
                if not hand:
                    break
                found = hand[0]  # the player who said so has laid something
            hand.remove(found)
            gone.append(found)
        return tuple(gone)

    # Whether the referee is right -------------------------------------------------------------------------

    def wrong(self, state: DnupState) -> str | None:
        if self._faults:
            return self._faults.pop()
        if list(state.points) != self.points:
            return f"points are {self.points}, the referee counts {list(state.points)}"
        if not state.turn_phase:
            return None
        for seat, (hand, truth) in enumerate(zip(state.hands, self.hands, strict=True)):
            if hand.size != len(truth):
                return f"seat {seat} holds {len(truth)} cards, the referee counts {hand.size}"
            if not card.within(hand.known, truth):
                return f"seat {seat} holds {truth}, the referee knows {hand.known}"
        for area, (here, lying) in enumerate(zip(state.areas, self.sets, strict=True)):
            if not card.same(here.cards, lying):
                return f"{lying} lies in area {area}, the referee knows {here.cards}"
        names = list(map(card.name, self.pile))
        if state.discarded != len(names) or any(state.gone.count(n) > names.count(n) for n in state.gone):
            return f"the pile is {sorted(names)}, the referee knows {sorted(state.gone)}"
        return None


def shown(one: str) -> str:
    """A card as it lies before its owner."""
    low, high = values(card.name(one))
    upright = one == f"{low}/{high}{symbol(card.name(one))}"
    return f"{seeing.KIND}{card.name(one)}" + ("" if upright else "@180")
