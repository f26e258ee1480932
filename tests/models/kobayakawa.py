"""A model of Kobayakawa with every card, written from docs/rules.md alone: OA2 and O-T07 point there.

It plays the whole table: who holds what, what people say and press, and what must follow from it. Where the
rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Micros, Setup
from companion.core.events import Event, kind_of
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.games import RULES
from tests.models.compare import REFUSED, Fact, Game, facts_of

NUMBERS = range(1, 16)
UNRULED = {
    "PressedInVain",
    "PressBegan",
    "PressEnded",
    "ChoiceStepped",
    "KobayakawaAsked",
    "ReplaceAnnounced",
}
"""Events that no rule of the game speaks of."""
UNSAID = {"then", "watched"}
PHASES = ("starting", "dealing", "revealing", "drawing", "discarding", "replacing", "betting", "showdown")


class Kobayakawa:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.seats = range(setup.players)
        self.kamons = [4] * setup.players
        self.centre = 8
        self.carried = 0
        """The centre's parts that wait for the next winner (OA2 c)."""
        self.box = 0
        self.round = 0
        self.starter = -1
        self.phase = "starting"
        self.order: list[int] = []
        self.turn = 0
        self.tied: list[int] = []
        """Who plays the deciding round (OA6)."""
        self.winners: tuple[int, ...] | None = None
        self.at: Micros = 0
        self.chance = chance
        self.bold = [chance.choice((0.15, 0.3, 0.6)) for _ in self.seats]
        self.timid = chance.random() < 0.3
        """A table at which hardly anybody fights."""
        self.lucky = chance.choice(self.seats) if not self.timid and chance.random() < 0.25 else None
        """Who always has the best card, at a table at which everybody fights: the others are soon out."""
        self.coming: list[AnyObservation] = []
        """What follows a press by itself: that it is held, and let go."""
        self.facts: list[Fact] = []
        self._was_held = False
        """Whether the button that comes up now was held, which has counted already."""
        self._new_round()

    def _new_round(self) -> None:
        cards = list(NUMBERS)
        self.chance.shuffle(cards)
        if self.lucky is not None:
            best = len(cards) - 1 - self.lucky
            cards.sort(key=lambda card: card == NUMBERS[-1])
            cards[best], cards[-1] = cards[-1], cards[best]
        self.deck = cards
        self.hands = {seat: self.deck.pop() for seat in self.seats}
        self.lying = [self.deck.pop()]
        """The Kobayakawas as they are, the present one last."""
        self.drawn = 0
        self.opened: list[int] = []
        """The same as people said them; 0: in doubt."""
        self.discards: dict[int, int] = {}
        """As they were said; 0: nobody said which."""
        self.truly: dict[int, int] = {}
        """The discards as they are."""
        self.shown: dict[int, int] = {}
        self.fighters: list[int] = []
        self.passed: list[int] = []
        self.pot = 0
        self.last = False
        self.doubts: set[tuple[str, int]] = set()

    # What everybody can see --------------------------------------------------------------------------------

    @property
    def actor(self) -> int:
        return self.order[self.turn]

    @property
    def deciding(self) -> bool:
        return bool(self.tied)

    @property
    def playing(self) -> list[int]:
        """Who is dealt in: from the start player clockwise, those still in the game."""
        around = [(self.starter + step) % len(self.seats) for step in self.seats]
        return [seat for seat in around if (seat in self.tied if self.deciding else self.kamons[seat])]

    def over(self) -> bool:
        return self.winners is not None

    def due(self) -> Micros | None:
        return None

    def public(self) -> Mapping[str, object]:
        seen: dict[str, object] = {
            "winners": self.winners,
            "centre": self.centre,
            "stakes": self.pot,
        }
        if not self.over():
            seen["phase"] = self.phase
        if self.phase in PHASES[3:] and not self.over():
            seen["starter"] = self.starter
            seen["kobayakawa"] = self.opened[-1]
            for seat in self.seats:
                seen[f"discard:{seat}"] = self.discards.get(seat)
                seen[f"shown:{seat}"] = self.shown.get(seat)
                seen[f"bet:{seat}"] = (
                    "fight" if seat in self.fighters else "passed" if seat in self.passed else None
                )
        for seat in self.seats:
            seen[f"kamons:{seat}"] = self.kamons[seat]
        return seen

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterable[Action]:
        match self.phase:
            case "starting":
                for seat in self.seats:
                    yield Action(seat, "start")
            case "dealing" | "revealing":
                if self.phase == "dealing":
                    yield Action(self.starter, "dealt")
                yield from self._numbers(self.starter, "kobayakawa")
            case "drawing" | "replacing":
                # Who announced to replace has not looked yet, and may still draw.
                yield Action(self.actor, "draw")
                if self.phase == "drawing":
                    yield Action(self.actor, "replace")
                    if self.options.draw_optional:
                        yield Action(self.actor, "neither")
                yield from self._numbers(self.actor, "discard")
                yield from self._numbers(self.actor, "kobayakawa")
            case "discarding":
                yield Action(self.actor, "done")
                yield from self._numbers(self.actor, "discard")
            case "betting":
                yield Action(self.actor, "fight")
                yield Action(self.actor, "pass")
            case "showdown":
                for seat in self.fighters:
                    if seat not in self.shown:
                        yield from self._numbers(seat, "show")
                if not self.opened[-1]:
                    yield from self._numbers(self.starter, "kobayakawa")
        if self.phase in PHASES[3:]:
            for seat, number in self.discards.items():
                if not number:
                    yield from self._numbers(seat, "discard")

    def _numbers(self, seat: int, verb: str) -> Iterable[Action]:
        return (Action(seat, verb, number) for number in NUMBERS)

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        self.facts = []
        self.at = max(self.at, seen.at)
        match seen:
            case ob.ActionDeclared():
                self._declared(seen.action)
            case ob.ButtonHeld(chair=int(seat)):
                self._chosen(seat, "replace", "pass")
            case ob.ButtonReleased(chair=int(seat)) if not self._was_held:
                self._chosen(seat, "draw", "fight")
        self._was_held = isinstance(seen, ob.ButtonHeld)
        return self.facts

    def _chosen(self, seat: int, drawing: str, betting: str) -> None:
        if self.phase in {"drawing", "betting"} and seat == self.actor:
            self._declared(Action(seat, drawing if self.phase == "drawing" else betting))

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _declared(self, action: Action) -> None:
        if str(action) not in self.legal():
            self.facts.append(REFUSED)
            return
        seat, number = action.seat, action.value
        match action.verb:
            case "start":
                self.starter, self.phase = seat, "dealing"
                self._tell("StarterChosen", seat)
            case "dealt":
                self.phase = "revealing"
            case "kobayakawa":
                assert isinstance(number, int)
                self._kobayakawa(seat, number)
            case "draw":
                self._draw(seat)
            case "replace":
                self._announce(seat)
            case "neither":
                self._tell("DrawSkipped", seat)
                self._next_to_draw()
            case "discard":
                assert isinstance(number, int)
                self._discard(seat, number)
            case "done":
                self._lay(seat, 0)
            case "fight":
                self._fight(seat)
            case "pass":
                self.passed.append(seat)
                self._tell("Passed", seat)
                self._next_to_bet()
            case "show":
                assert isinstance(number, int)
                if self._believed(number, f"hand:{seat}"):
                    self.shown[seat] = number
                    self._tell("CardShown", seat, number)
                    self._compare()

    # The deal and the draw ---------------------------------------------------------------------------------

    def _kobayakawa(self, seat: int, number: int) -> None:
        match self.phase:
            case "dealing" | "revealing":
                self._begin(number)
            case "showdown":
                if self._believed(number, f"opened:{len(self.opened) - 1}"):
                    self.opened[-1] = number
                    self._tell("KobayakawaRead", number)
                    self._compare()
            case _:
                if self.phase == "drawing":
                    self._announce(seat)
                if self._believed(number, f"opened:{len(self.opened)}"):
                    self.opened.append(number)
                    self._tell("KobayakawaReplaced", seat, number)
                    self._next_to_draw()

    def _begin(self, number: int) -> None:
        self.round += 1
        self.order = self.playing
        self.turn = 0
        self.opened = [number]
        self.last = self.centre == 2 and not self.deciding
        self.phase = "drawing"
        if self.deciding:
            self.fighters = list(self.order)  # they all fight, and nothing is staked
        self._tell(
            "RoundBegan", self.starter, self.round, number, tuple(self.order), self.last, self.deciding
        )

    def _announce(self, seat: int) -> None:
        self.phase = "replacing"
        self.lying.append(self.deck.pop())

    def _draw(self, seat: int) -> None:
        if self.phase == "replacing":
            self.deck.append(self.lying.pop())
        self.phase = "discarding"
        self.drawn = self.deck.pop()
        self._tell("CardDrawn", seat)

    def _discard(self, seat: int, number: int) -> None:
        late = self.discards.get(seat) == 0
        target = f"discard:{seat}"
        if not late and self.phase != "discarding":
            self._draw(seat)  # O-T40: it has been looked at, whichever number it has
        if self._doubted(number, target):
            return
        self._settle(number, target)
        if late:
            self.discards[seat] = number
            self._tell("DiscardRead", seat, number)
        else:
            self._lay(seat, number)

    def _lay(self, seat: int, number: int) -> None:
        """One of the two cards lies open."""
        away = number if number in {self.hands[seat], self.drawn} else self._worse(seat)
        self.truly[seat], self.hands[seat] = away, self.hands[seat] + self.drawn - away
        self.discards[seat] = number
        self._tell("CardDiscarded", seat, number)
        self._next_to_draw()

    def _worse(self, seat: int) -> int:
        """The card that is laid open."""
        return min(self.hands[seat], self.drawn)

    def _next_to_draw(self) -> None:
        self.turn += 1
        self.phase = "drawing"
        if self.turn == len(self.order):
            self.turn = 0
            self._begin_betting()

    def _believed(self, number: int, target: str) -> bool:
        if self._doubted(number, target):
            return False
        self._settle(number, target)
        return True

    def _doubted(self, number: int, target: str) -> bool:
        """OI1: every number exists once. One known to be elsewhere is doubted; said twice, it counts."""
        if not self._elsewhere(number, target) or (target, number) in self.doubts:
            return False
        self.doubts.add((target, number))
        self._tell("NumberDoubted", number, target)
        return True

    def _settle(self, number: int, target: str) -> None:
        """What was said counts: another card of this number was not what it was said to be."""
        for place in self._elsewhere(number, target):
            kind, _, index = place.partition(":")
            if kind == "opened":
                self.opened[int(index)] = 0
            elif kind == "discard":
                self.discards[int(index)] = 0
            else:
                del self.shown[int(index)]
            self._tell("NumberForgotten", place, number)

    def _elsewhere(self, number: int, target: str) -> list[str]:
        known = {
            **{f"opened:{index}": card for index, card in enumerate(self.opened)},
            **{f"discard:{other}": card for other, card in self.discards.items()},
            **{f"hand:{other}": card for other, card in self.shown.items()},
        }
        return [place for place, card in known.items() if card == number and place != target]

    # Bets, showdown, payout --------------------------------------------------------------------------------

    def _begin_betting(self) -> None:
        if self.deciding:
            self._show()
            return
        self.phase = "betting"
        self._tell("BettingBegan", self.order[0])
        self._ask_to_bet()

    def _fight(self, seat: int) -> None:
        # O-T06: who has one kamon stakes that one; OA8: who has two stakes two.
        stake = min(2 if self.last else 1, self.kamons[seat])
        self.kamons[seat] -= stake
        self.pot += stake
        self.fighters.append(seat)
        self._tell("Fought", seat, stake)
        self._next_to_bet()

    def _next_to_bet(self) -> None:
        self.turn += 1
        if self.turn < len(self.order):
            self._ask_to_bet()
        elif len(self.fighters) > 1:
            self._show()
        elif self.fighters:
            self._won(self.fighters[0], "alone")  # O-T03
        else:
            self._nobody()

    def _ask_to_bet(self) -> None:
        if self.turn < len(self.order) - 1 or self.fighters:
            return
        if self.options.nobody_fights == "last_player":
            self._won(self.actor, "last")
        elif self.turn:
            self._tell("AllPassed", self.actor, self.turn)

    def _show(self) -> None:
        self.phase = "showdown"
        self._tell("ShowdownBegan", tuple(self.fighters))

    def _compare(self) -> None:
        if not self.opened[-1] or len(self.shown) < len(self.fighters):
            return
        lowest = min(self.fighters, key=lambda seat: self.shown[seat])  # O-T11
        totals = {
            seat: self.shown[seat] + (self.opened[-1] if seat == lowest else 0) for seat in self.fighters
        }
        highest = max(totals.values())
        best = [seat for seat in self.order if totals.get(seat) == highest]
        self._won(best[0], "tie" if len(best) > 1 else "showdown", totals)  # O-T07

    def _won(self, seat: int, how: str, totals: Mapping[int, int] | None = None) -> None:
        totals = totals or {}
        bonus = 0 if self.deciding else 2 if self.last else 1
        count = self.pot + bonus + self.carried
        self.kamons[seat] += count
        self.centre -= bonus
        self.pot = self.carried = 0
        self.starter = seat
        told = tuple((other, totals[other]) for other in self.order if other in totals)
        self._tell("RoundWon", seat, how, count, bonus, totals.get(seat, 0), told)
        self._after_round(seat)

    def _nobody(self) -> None:
        """OA2, OA3: nobody fights."""
        how, part = self.options.nobody_fights, 2 if self.last else 1
        if how == "carried" and self.last:
            how = "repeat"
        if self.options.start_after_no_fight == "next":
            self.starter = self.order[1 % len(self.order)]
        self._tell("NobodyFought", how, 0 if how == "repeat" else part, self.starter)
        if how == "repeat":
            self._deal_again()
            return
        self.centre -= part
        if how == "box":
            self.box += part
        else:
            self.carried += part
        self._after_round(None)

    def _after_round(self, winner: int | None) -> None:
        if self.deciding:
            self._end([self.starter], "deciding_round")
            return
        for seat in self.order:
            if not self.kamons[seat]:
                self._tell("PlayerOut", seat)  # OA12, O-T08
        left = [seat for seat in self.seats if self.kamons[seat]]
        if self.last:
            self._count(winner)
        elif len(left) == 1 and self.options.last_survivor_wins:
            self._end(left, "last_survivor")
        else:
            self._deal_again()

    def _count(self, winner: int | None) -> None:
        """After the last round most kamons win; OA6: who of several."""
        most = max(self.kamons)
        best = [seat for seat in self.seats if self.kamons[seat] == most]
        if len(best) > 1:
            match self.options.final_tie:
                case "last_round" if winner in best:
                    best = [winner]
                case "turn_order":
                    best = [next(seat for seat in self.order if seat in best)]
                case "deciding_round":
                    self.tied = best
                    self.starter = self.playing[0]
                    self._tell("DecidingRoundDue", tuple(self.playing))
                    self._deal_again()
                    return
        self._end(best, "last_round")

    def _end(self, seats: list[int], how: str) -> None:
        self.winners, self.phase = tuple(seats), "over"
        self._tell("GameWon", tuple(seats), how)

    def _deal_again(self) -> None:
        self._new_round()
        self.phase = "dealing"

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        if self.coming:
            return self.coming.pop(0)
        self.at += chance.randrange(SECOND // 10, 3 * SECOND)
        doing = chance.random()
        if doing < 0.06:
            return ob.ActionDeclared(at=self.at, action=self._anything(chance))
        idle = self._idle()
        if doing < 0.09 and idle:
            return ob.ButtonPressed(at=self.at, chair=chance.choice(idle))
        action = self._sensible(chance)
        taps, holds = {"draw", "fight"}, {"replace", "pass"}
        by_button = self.phase == "betting" or (self.phase == "drawing" and not self.options.draw_optional)
        if by_button and action.verb in taps | holds and chance.random() < 0.3:
            until = self.at + HOLD_TIME // 3
            if action.verb in holds:
                self.coming.append(ob.ButtonHeld(at=self.at + HOLD_TIME, chair=action.seat))
                until = self.at + 2 * HOLD_TIME
            self.coming.append(ob.ButtonReleased(at=until, chair=action.seat))
            return ob.ButtonPressed(at=self.at, chair=action.seat)
        return ob.ActionDeclared(at=self.at, action=action)

    def _idle(self) -> list[int]:
        """Who is not asked."""
        asked = {action.seat for action in self._legal()}
        return [seat for seat in self.seats if seat not in asked]

    def _anything(self, chance: Random) -> Action:
        """What somebody says who is not asked, or says the wrong thing."""
        verbs = ("start", "dealt", "draw", "replace", "neither", "done", "fight", "pass")
        verb = chance.choice((*verbs, "kobayakawa", "discard", "show"))
        return Action(chance.choice(self.seats), verb, None if verb in verbs else chance.choice(NUMBERS))

    def _sensible(self, chance: Random) -> Action:
        match self.phase:
            case "starting":
                return Action(chance.choice(self.seats), "start")
            case "dealing" if chance.random() < 0.5:
                return Action(self.starter, "dealt")
            case "dealing" | "revealing":
                return Action(self.starter, "kobayakawa", self._said(self.lying[-1], chance))
            case "drawing":
                verbs = [
                    "draw",
                    "draw",
                    "replace",
                    "discard",
                    "kobayakawa",
                    *["neither"] * self.options.draw_optional,
                ]
                verb = chance.choice(verbs)
                number = None
                if verb == "discard":
                    number = self._said(min(self.hands[self.actor], self.deck[-1]), chance)
                elif verb == "kobayakawa":
                    number = self._said(self.deck[-1], chance)
                return Action(self.actor, verb, number)
            case "replacing":
                return Action(self.actor, "kobayakawa", self._said(self.lying[-1], chance))
            case "discarding":
                if chance.random() < 0.3:
                    return Action(self.actor, "done")
                return Action(self.actor, "discard", self._said(self._worse(self.actor), chance))
            case "betting":
                bold = 0.08 if self.timid else self.bold[self.actor]
                if self.lucky is not None:
                    bold = 0.95
                strong = self.hands[self.actor] >= 11 and not self.timid
                return Action(self.actor, "fight" if strong or chance.random() < bold else "pass")
        asked = list(self._legal())
        action = chance.choice([one for one in asked if one.verb != "discard"] or asked)
        number = self.lying[-1] if action.verb == "kobayakawa" else self.hands[action.seat]
        return Action(action.seat, action.verb, self._said(number, chance))

    def _said(self, number: int, chance: Random) -> int:
        """The number, as it is said: sometimes wrongly."""
        return chance.choice(NUMBERS) if chance.random() < 0.06 else number


def facts(event: Event) -> Sequence[Fact]:
    # Of whom a doubtful number is asked is told with the table's words, not with the game's.
    unsaid = {*UNSAID, "seat"} if kind_of(event) == "NumberDoubted" else UNSAID
    return facts_of(event, unruled=UNRULED, unsaid=unsaid)


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    heaps = {heap.words.rpartition(".")[2]: heap.count for heap in view.heaps}
    seen: dict[str, object] = {
        "winners": view.outcome and view.outcome.winners,
        "centre": heaps.get("centre"),
        "stakes": heaps.get("stakes", 0),
    }
    tokens = {chair.seat: {token.kind: token for token in chair.tokens} for chair in view.chairs}
    if view.outcome is None:
        seen["phase"] = str(view.phase)
    if view.outcome is None and view.phase in PHASES[3:]:
        seen["starter"] = next((seat for seat, own in tokens.items() if "starter" in own), None)
        seen["kobayakawa"] = int(view.card.partition(":")[2] or 0)
        for seat, own in tokens.items():
            seen[f"discard:{seat}"] = _number(own.get("discard"))
            seen[f"shown:{seat}"] = _number(own.get("shown"))
            seen[f"bet:{seat}"] = next((bet for bet in ("fight", "passed") if bet in own), None)
    for seat, own in tokens.items():
        seen[f"kamons:{seat}"] = own["kamon"].count if "kamon" in own else 0
    return seen


def _number(token: Any) -> int | None:
    if token is None:
        return None
    said = str(token.value or 0).lstrip("×")
    return int(said) if said.isdigit() else 0


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return set(map(str, rules.legal_actions(state)))


KOBAYAKAWA = Game(
    RULES["kobayakawa"],
    Kobayakawa,
    facts,
    public,
    legal,
    sizes=[(players, False) for players in RULES["kobayakawa"].players],
)
