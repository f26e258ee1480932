"""A model of Kinapa with every card, written from docs/rules.md alone; codes such as KA14 point there.

It plays the whole table: who holds what, what people say and press, and what must follow from it. Where the
rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.events import Event, kind_of
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.core.view import repairable_values, token_owners
from companion.games import RULES
from tests.models.compare import NO_EFFECT, REFUSED, Fact, Game, facts_of

CUE_DUE: Micros = 2 * SECOND
"""How long after the announcement the count may begin (not a rule: the program's own limit)."""
UNRULED = {"CountOpened", "BeatStruck", "LieProven", "CountDue", "ButtonDown", "ButtonUp",
           "PressBegan", "PressEnded", "ChoiceStepped"}  # fmt: skip
"""Events that no rule of the game speaks of, or that only the recap shows."""
UNSAID = {"cue_due", "then", "first_beat", "by", "card", "row"}
SETS = {"HandsLocked", "TwoHolders", "SuccessorAsked", "SwitchAsked"}
"""Events that name several seats in no order."""

VERBS = (
    *("announce", "raise", "aid_up", "close", "show_pair", "no_pair", "draw_from", "drawn", "no_exchange"),
    *("has", "has_not", "pick", "receive", "return", "found", "turn", "place", "hide", "crown", "switch"),
    "claim_cat",
)
"""What somebody may say when it is not to be said."""


class Deck:
    """A hand of cards, and all that lies with it (1.3)."""

    def __init__(self, cards: list[str]) -> None:
        self.cards = cards
        """From its owner's left; a received card comes to the right end."""
        self.pairs: list[int] = []
        self.sheep = False
        self.foxes = 0
        self.fresh = False
        """Punished in this very turn."""
        self.received = 0
        """How many cards it has received so far: `in` of 1.6."""
        self.denials: list[tuple[int, int]] = []
        """Demands answered with "no": the number, and `received` then (KI1)."""
        self.known: set[int] = set()
        """Numbers that are in it, as everybody knows, until its next exchange (KI7)."""

    def holds(self, number: int) -> list[str]:
        return [card for card in self.cards if number_of(card) == number]


def number_of(card: str) -> int:
    return int(card.partition(":")[2])


class Kinapa:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.people = setup.players
        self.two = self.people == 2
        bots = 2 if self.two else int(self.people == 3 or setup.bot)
        self.bots = tuple(range(self.people, self.people + bots))
        self.seats = range(self.people + bots)
        self.highest = 2 * len(self.seats)
        numbers = range(1, self.highest + 1)
        cards = [f"{kind}:{number}" for kind in ("animal", "shelter") for number in numbers]
        chance.shuffle(cards)
        self.decks = [Deck(cards[4 * seat : 4 * seat + 4]) for seat in self.seats]
        self.objects = [f"{odd}-{odd + 1}" for odd in numbers[::2]] * 2
        chance.shuffle(self.objects)
        self.closed: dict[int, int] = {}
        """The pair that lies in a slot, counted from 1."""
        self.laid_by: dict[int, int] = {}
        """Who laid which pair (KA27, KA31)."""
        self.chance = chance
        self.honesty = [chance.choice((1.0, 1.0, 0.7, 0.3)) for _ in range(self.people)]
        self.at: Micros = 0
        self.phase = "starting"
        self.lowest = 1
        self.switched = False
        self.emperor: int = -1
        self.winner: int | None = None
        self.per_turn = self.options.fox_tick == "turn"
        self.win = self._way_to_win()
        self.stays = 0
        self.down: set[int] = set()
        """People whose button is down."""
        self.facts: list[Fact] = []
        self._new_turn()

    def _new_turn(self) -> None:
        self.number = 0
        self.aids: list[int] = []
        self.raised: set[int] = set()
        self.wants: dict[int, bool] = {}
        self.first_beat: Micros = 0
        self.beat = 0
        self.cue_due: Micros = 0
        self.asked: list[int] = []
        """Who may answer now."""
        self.answers: dict[int, bool] = {}
        self.holders: list[int] = []
        self.candidates: list[int] = []
        self.partner = -1
        self.lot = -1
        self.received = ""
        """The card that the Emperor took last, as everybody knows it: "animal:5", or ":5" for a number."""
        self.found: set[int] = set()
        self.audit: list[int] = []
        self.audited = False
        self.searched = False
        self.forced: list[int] = []
        self.slot = 0
        for deck in self.decks:
            deck.fresh = False

    def _way_to_win(self) -> str:
        """KA27, KA31: if a pair counts for the person, any two pairs win; both decks are for two players."""
        win: str = self.options.win_bot if self.bots else "deck"
        if win == "both_decks" and not self.two:
            win = "deck"
        return (
            "two_pairs" if self.bots and win == "deck" and self.options.switch_progress == "person" else win
        )

    # What the rules call things ----------------------------------------------------------------------------

    @property
    def persons(self) -> range:
        return range(self.people)

    @property
    def on_playing(self) -> list[int]:
        """Seats with a deck that is not out."""
        return [seat for seat in self.seats if self.decks[seat].cards]

    @property
    def others(self) -> list[int]:
        """Everybody who answers a count, clockwise from the Emperor, then the BOT decks."""
        people = [(self.emperor + step) % self.people for step in range(1, self.people)]
        bots = self._bot_order()
        return [seat for seat in (*people, *bots) if self.decks[seat].cards]

    def _bot_order(self) -> tuple[int, ...]:
        """KA42: the opponent's BOT deck before the Emperor's."""
        return (3 - self.emperor, self.emperor + 2) if self.two else self.bots

    @property
    def lowered(self) -> list[int]:
        return [seat for seat in self.others if seat not in self.raised]

    @property
    def dead(self) -> set[int]:
        return set(self.closed.values())

    def keeper(self, seat: int) -> int:
        """Who looks into a deck: its own hand, else its owner, the Emperor or the neighbour (KA29)."""
        if seat not in self.bots:
            return seat
        if self.two:
            return seat - 2
        return (self.emperor + (self.options.bot_checker == "neighbour")) % self.people

    def setter(self, bot: int) -> int:
        """Who lays an aid: two players each their own, else the Emperor."""
        return bot - 2 if self.two else self.emperor

    # What everybody can see --------------------------------------------------------------------------------

    def over(self) -> bool:
        return self.winner is not None

    def public(self) -> Mapping[str, object]:
        if self.emperor < 0:
            return {"phase": self.phase}
        seen: dict[str, object] = {
            "phase": self.phase,
            "emperor": self.emperor,
            "winners": None if self.winner is None else (self.winner,),
        }
        for seat, deck in enumerate(self.decks):
            seen[f"cards:{seat}"] = len(deck.cards)
            seen[f"placed:{seat}"] = ",".join(map(str, sorted(self._pairs(seat))))
            seen[f"sheep:{seat}"] = int(deck.sheep)
            seen[f"foxes:{seat}"] = deck.foxes
        for slot in range(1, len(self.objects) + 1):
            seen[f"slot:{slot}"] = self.closed.get(slot, 0)
        return seen

    def _pairs(self, seat: int) -> list[int]:
        """The pairs that lie in front of a seat (KA31)."""
        if self.bots and self.options.switch_progress == "person":
            return [number for number, by in self.laid_by.items() if by == seat]
        return self.decks[seat].pairs

    def due(self) -> Micros | None:
        if self.phase == "announced":
            return self.cue_due
        if self.phase == "counting" and self.options.count_seconds:
            return self.first_beat + (self.beat + 1) * SECOND
        return None

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterable[Action]:  # noqa: C901 - one case for each phase
        crown = self.emperor
        match self.phase:
            case "starting":
                for seat in self.persons:
                    yield Action(seat, "claim_cat")
                    # One Switch suffices for two (K-T20); a BOT hides four animals at most (K-T22).
                    if self.bots and not self.switched and self.lowest < 5:
                        yield Action(seat, "nobody")
            case "announcing":
                for number in range(1, self.highest + 1):
                    if self.options.allow_dead_number or number not in self.dead:
                        yield Action(crown, "announce", number)
                if self._may_agree():
                    for seat in self.persons:
                        yield Action(seat, "tick_per_turn")
            case "aiding" | "announced" | "counting":
                if self.phase == "aiding":
                    yield Action(self.setter(self.aids[0]), "aid_up")
                    yield Action(self.setter(self.aids[0]), "aid_down")
                if self.phase == "counting" and not self.options.count_seconds:
                    yield Action(crown, "close")
                if not self._aids_first():
                    for seat in self.others:
                        if seat in self.persons and not self.decks[seat].foxes:
                            yield Action(seat, "lower" if seat in self.raised else "raise")
            case "pairing":
                if self.number not in self.dead:  # that pair lies on the table
                    yield Action(crown, "show_pair")
                yield Action(crown, "no_pair")
            case "choosing":
                for seat in self.lowered:
                    yield Action(crown, "draw_from", seat)
                if not self.options.draw_is_duty and not self.pair_shown:
                    yield Action(crown, "no_exchange")
            case "drawing":
                if not self._lot_due():
                    yield Action(crown, "drawn")
                    if self.options.drawn_named:
                        yield Action(crown, "drawn", "*")
            case "asking" | "searching":
                for seat in self.asked:
                    yield Action(seat, "has")
                    yield Action(seat, "has_not")
            case "picking":
                for seat in self.holders:
                    yield Action(crown, "pick", seat)
            case "handing":
                yield Action(crown, "receive")
                yield Action(crown, "refuse")
            case "returning":
                yield Action(crown, "return")
            case "auditing":
                yield Action(self.audit[0], "found")
                yield Action(self.audit[0], "not_found")
            case "turning":
                yield Action(crown, "turn", "*")
            case "placing":
                yield Action(crown, "hide")
                for number in self._fitting():
                    yield Action(crown, "place", number)
            case "succeeding":
                for seat in self.candidates:
                    yield Action(crown, "crown", seat)
            case "switching":
                for seat in self.candidates:
                    yield Action(crown, "switch", seat)

    def _may_agree(self) -> bool:
        """KA48: after two stays in a row the table may count Foxes per turn."""
        foxed = [deck for deck in self.decks if deck.foxes]
        return self.stays >= 2 and not self.per_turn and len(foxed) >= 2

    def _aids_first(self) -> bool:
        """K-T64: with two players no hand counts before both aids lie (KA37)."""
        return self.two and self.phase == "aiding"

    def _lot_due(self) -> bool:
        """KA16: chance chooses from an open hand."""
        return bool(
            self.phase == "drawing"
            and self.decks[self.partner].foxes
            and self.options.fox_draw == "random"
            and self.lot < 0
        )

    def _fitting(self) -> list[int]:
        """Numbers of the open object whose pair does not lie yet."""
        return [int(n) for n in self.objects[self.slot - 1].split("-") if int(n) not in self.dead]

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> list[Fact]:
        self.facts = []
        self.at = max(self.at, seen.at)
        match seen:
            case ob.ActionDeclared():
                self._declared(seen.action)
            case ob.ButtonPressed(chair=int(seat)):
                self._pressed(seat)
            case ob.ButtonReleased(chair=int(seat)):
                self._released(seat)
            case ob.CueHeard():
                self.phase, self.first_beat, self.beat = "counting", seen.at, 0
                for seat in self.others:
                    held = self.options.hand == "hold" and seat in self.down
                    if held and self._may_raise(seat) and seat not in self.raised:
                        self._up(seat)  # KA24
            case ob.TimerElapsed():
                self.beat += 1
                if self.beat == self.options.count_seconds:
                    self._lock()
            case ob.RandomDraw():
                self.lot = seen.index
                self._tell("LotDrawn", self.partner, seen.index + 1)
        return self.facts

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _declared(self, action: Action) -> None:
        known = self._known(action)
        if known not in self.legal():
            same = {"raise": action.seat in self.raised, "lower": action.seat not in self.raised}
            self.facts.append(NO_EFFECT if same.get(action.verb) else REFUSED)
            return
        if action.verb == "turn":
            slot = str(action.value).partition("@")[2]
            if int(slot) in self.closed:
                self.facts.append(REFUSED)
                return
        getattr(self, f"_{action.verb}")(action.seat, action.value)

    @staticmethod
    def _known(action: Action) -> str:
        """Actions with a card or an object are listed as one."""
        value = action.value
        if action.verb in {"drawn", "turn"} and value is not None:
            value = "*"
        if action.verb == "return":
            value = None
        return str(Action(action.seat, action.verb, value))

    # Set-up ------------------------------------------------------------------------------------------------

    def _claim_cat(self, seat: int, _: object) -> None:
        self.emperor = seat
        self._tell("EmperorCrowned", seat)
        self._sheep(seat)
        if self.bots:  # said aloud before the first turn (KA27)
            self._tell("EndTold", self.win)
        self._announcing()

    def _nobody(self, seat: int, _: object) -> None:
        if self.two:
            for person in self.persons:
                self._switch_decks(person, person + 2)
            self.switched = True
        else:
            self._tell("AnimalMissing", self.lowest, self.lowest + 1)
            self.lowest += 1

    def _announcing(self) -> None:
        self._new_turn()
        self.phase = "announcing"

    # The count ---------------------------------------------------------------------------------------------

    def _tick_per_turn(self, seat: int, _: object) -> None:
        self.per_turn = True
        self._tell("FoxTickAgreed")

    def _announce(self, seat: int, number: Any) -> None:
        self.number = number
        self._tell("NumberAnnounced", number)
        # A BOT with Foxes must be lowered, so nobody lays its aid.
        self.aids = [b for b in self._aid_order() if self.decks[b].cards and not self.decks[b].foxes]
        if self.aids:
            self._tell("AidsAsked", tuple(self.aids))
        self._next_aid()

    def _aid_order(self) -> list[int]:
        """First the Emperor's, then the opponent's (KA37)."""
        if not self.two:
            return list(self.bots)
        return [self.emperor + 2, 3 - self.emperor]

    def _next_aid(self) -> None:
        if self.aids:
            self.phase = "aiding"
        else:
            self.phase, self.cue_due = "announced", self.at + CUE_DUE

    def _aid_up(self, seat: int, _: object) -> None:
        bot = self.aids.pop(0)
        self.raised.add(bot)
        self._tell("AidLaid", bot, True)
        self._next_aid()

    def _aid_down(self, seat: int, _: object) -> None:
        self._tell("AidLaid", self.aids.pop(0), False)
        self._next_aid()

    def _may_raise(self, seat: int) -> bool:
        return seat in self.others and not self.decks[seat].foxes

    def _up(self, seat: int) -> None:
        self.raised.add(seat)
        self._tell("HandRaised", seat)

    def _raise(self, seat: int, _: object) -> None:
        self._up(seat)

    def _lower(self, seat: int, _: object) -> None:
        self.raised.discard(seat)
        self._tell("HandLowered", seat)

    def _pressed(self, seat: int) -> None:
        self.down.add(seat)
        if self.phase == "announcing":
            self._tell("HandTooEarly", seat)
        elif self.phase in {"aiding", "announced", "counting"}:
            if self._aids_first():
                self._tell("HandTooEarly", seat)
            elif self.decks[seat].foxes:
                self.facts.append(REFUSED)
            elif seat not in self.raised:
                self._up(seat)
            elif self.options.hand == "toggle":
                self._lower(seat, None)
        elif self.phase == "pairing":
            self._tell("HandTooLate", seat)

    def _released(self, seat: int) -> None:
        self.down.discard(seat)
        counts = self.phase in {"aiding", "announced", "counting"}
        if self.options.hand == "hold" and counts and seat in self.raised:
            self._lower(seat, None)

    def _close(self, seat: int, _: object) -> None:
        self._lock()

    def _lock(self) -> None:
        self._tell("HandsLocked", tuple(sorted(self.raised)), tuple(sorted(self.lowered)))
        self.phase = "pairing"
        self.pair_shown = False

    # The exchange ------------------------------------------------------------------------------------------

    def _show_pair(self, seat: int, _: object) -> None:
        """X1, X2."""
        self._tell("PairShown", self.number)
        self.pair_shown = True
        self._proves(self.emperor, self.number, 2)
        if len(self.lowered) == 1:  # nothing to choose
            self._draw_from(self.emperor, self.lowered[0])
        else:
            self.phase = "choosing" if self.lowered else "turning"

    def _no_pair(self, seat: int, _: object) -> None:
        self._tell("PairDenied")
        if len(self.lowered) >= 2:
            self.phase = "choosing"
        elif self.number in self.dead:  # KA4: a demand for it does nothing
            self.phase = "turning"
        elif self.lowered:
            self._demand(self.lowered[0])
        else:
            self._tell("AllAsked", self.number)
            self._search()

    def _demand(self, seat: int) -> None:
        self.phase = "searching" if self.searched else "asking"
        self.asked = [seat]
        if seat in self.bots:
            self._tell("BotAsked", seat, self.keeper(seat), self.number)
        else:
            self._tell("OneAsked", seat, self.number)

    def _search(self) -> None:
        """Every human holder must declare; then the BOT decks, one by one (KA42)."""
        self.searched = True
        self.phase = "searching"
        self.asked = [seat for seat in self.others if seat in self.persons and seat in self.raised]
        if not self.asked:
            self._search_bots()

    def _search_bots(self) -> None:
        left = [bot for bot in self._bot_order() if bot in self.raised and bot not in self.answers]
        if left:
            self._demand(left[0])
        else:
            self._open_audit()

    def _has(self, seat: int, _: object) -> None:
        self._tell("Admitted", seat)
        self._answered(seat, has=True)

    def _has_not(self, seat: int, _: object) -> None:
        self._tell("Denied", seat)
        deck = self.decks[seat]
        if self.number in deck.known:  # KI7
            self._tell("FalseDenialProven", seat, self.number)
            self._penalise(seat)
        else:
            deck.denials.append((self.number, deck.received))
        self._answered(seat, has=False)

    def _answered(self, seat: int, *, has: bool) -> None:
        self.asked.remove(seat)
        self.answers[seat] = has
        if self.asked:
            return
        holders = [other for other in self.others if self.answers.get(other)]
        if holders:
            self._held_by(holders)
        elif not self.searched:
            if any(other in self.persons for other in self.raised):
                self._tell("LiarCalled", self.number)
            self._search()
        else:
            self._search_bots()

    def _held_by(self, holders: list[int]) -> None:
        if len(holders) > 2:  # a third copy does not exist (KI3): the hands are shown
            self._open_audit()
        elif len(holders) == 2:
            self.holders, self.phase = holders, "picking"
            self._tell("TwoHolders", tuple(sorted(holders)))
        else:
            self.holders = holders
            self._pick(self.emperor, holders[0])

    def _pick(self, seat: int, holder: Any) -> None:
        self.partner, self.phase = holder, "handing"
        self._tell("HolderFound", holder)
        if self.keeper(holder) == self.emperor and self.answers.get(holder):  # who said so has it
            self._receive(self.emperor, None)

    def _open_audit(self) -> None:
        """X6: the asked lowered seat, then the raised ones clockwise, then BOT decks."""
        asked = [seat for seat in self.lowered if seat in self.answers]
        raised = [seat for seat in self.others if seat in self.raised]
        self.audit, self.phase, self.audited = [*asked, *raised], "auditing", True
        self._tell("AuditOpened", tuple(self.audit))

    def _found(self, seat: int, _: object) -> None:
        self._tell("CardFound", seat)
        self.found.add(seat)
        self._after_audit()

    def _not_found(self, seat: int, _: object) -> None:
        self._tell("CardNotFound", seat)
        self._after_audit()

    def _after_audit(self) -> None:
        self.audit.pop(0)
        if self.audit:
            return
        if self.found:
            self._held_by([seat for seat in self.others if seat in self.found])
        else:  # KA47, K-T48
            self._show_pair(self.emperor, None)

    def _refuse(self, seat: int, _: object) -> None:
        # What follows is left open: the holder owes the card still.
        self._tell("HandoverRefused", self.partner, self.number)

    def _receive(self, seat: int, _: object) -> None:
        giver = self.partner
        deck = self.decks[giver]
        self._tell("CardHanded", giver, self.number)
        if giver not in self.found:
            self._proves(giver, self.number, 1)
        self._judge_holders([giver, *(seat for seat in self.holders if seat != giver)])
        card = self.chance.choice(deck.holds(self.number))
        self._move(giver, self.emperor, card)
        self.decks[self.emperor].known = {self.number}
        self.received = f":{self.number}"
        self.phase = "returning"

    def _judge_holders(self, holders: list[int]) -> None:
        """What it costs to have held the number (X4, X5, KA6, KA9, KA10); who gives it comes first."""
        denied = [seat for seat in holders if self.answers.get(seat) is False]
        for seat in denied:
            deck = self.decks[seat]
            deck.denials = [denial for denial in deck.denials if denial[0] != self.number]
        gives, rule = holders[0], self.options.two_liars
        liars = [s for s in holders if s in self.raised and (s == gives or rule != "chosen_only")]
        # KA10: a raised hand that did not declare has a liar's consequences, whatever a denial costs.
        costs = self.options.false_denial_penalty != "none"
        liars += [s for s in denied if s not in liars and (costs or s in self.raised)]
        liars.sort(key=holders.index)
        # Left open: two who were found in an audit and had denied it get what each of them would get alone.
        one_each = rule == "one_fox_each" and len(liars) == 2 and not denied
        spared = [
            seat
            for seat in liars
            if not self._punish(seat, 1 if one_each else 2, liars, raised=seat in self.raised)
        ]
        for seat in spared:  # who takes Foxes is told first
            self._tell("PunishmentSpared", seat)

    def _punish(self, seat: int, foxes: int, liars: Sequence[int] = (), *, raised: bool) -> bool:
        """KA14; `liars`: all who are caught at once. There are two Foxes: the first takes them first.

        False: there is none left.
        """
        deck, rule = self.decks[seat], self.options.second_liar
        out = [s for s in self.on_playing if s != seat and self.decks[s].foxes]
        before = [s for s in out if s not in liars]
        if out and (rule == "none" or (rule == "move" and set(out) & set(liars))):
            return False
        if rule == "one_each" and len(out) == 2 and not deck.foxes:
            return False
        if rule == "move":
            for other in before:
                self.decks[other].foxes = 0
                self._tell("FoxesTaken", other, 0)
        if rule == "one_each" and (before or len(liars) == 2):
            foxes = 1
            for other in before:
                if self.decks[other].foxes > 1:
                    self.decks[other].foxes = 1
                    self._tell("FoxesTaken", other, 1)
        priority = raised and not deck.sheep and self._may_reign(seat)
        deck.foxes, deck.fresh = foxes, True
        self._tell("Punished", seat, foxes, priority)
        if priority:
            self.forced.append(seat)
        return True

    def _draw_from(self, seat: int, partner: Any) -> None:
        self.partner, self.phase = partner, "drawing"
        self._tell("PartnerChosen", partner)

    def _no_exchange(self, seat: int, _: object) -> None:
        self._tell("ExchangeDeclined")
        self.phase = "turning"

    def _drawn(self, seat: int, named: Any) -> None:
        self._tell("CardDrawn", self.partner)
        self._move(self.partner, self.emperor, self.drawn_card)
        self.received = str(named or "")
        self.phase = "returning"

    def _return(self, seat: int, named: Any) -> None:
        """KA11, K-T41."""
        if named and self.received:
            same = number_of(named) == number_of(self.received)
            if named == self.received or (same and self.options.giveback == "number"):
                self.facts.append(REFUSED)
                return
        self._tell("CardReturned", self.partner)
        self._move(self.emperor, self.partner, self.returned_card)
        self.phase = "turning"

    def _move(self, giver: int, taker: int, card: str) -> None:
        for deck in (self.decks[giver], self.decks[taker]):
            if taker == self.emperor:
                deck.known.clear()
        self.decks[giver].cards.remove(card)
        self.decks[taker].cards.append(card)
        self.decks[taker].received += 1

    def _proves(self, seat: int, number: int, count: int) -> None:
        """KI1: `count` cards of the number were in this hand; was a "no" to a demand wrong?"""
        deck = self.decks[seat]
        proven = [d for d in deck.denials if d[0] == number and deck.received - d[1] < count]
        if proven:
            deck.denials = [d for d in deck.denials if d not in proven]
            self._tell("FalseDenialProven", seat, number)
            self._penalise(seat)

    def _penalise(self, seat: int) -> None:
        """A wrong answer that is proven later (KA9)."""
        if self.options.false_denial_penalty == "always" and not self._punish(seat, 2, raised=False):
            self._tell("PunishmentSpared", seat)

    # Objects -----------------------------------------------------------------------------------------------

    def _turn(self, seat: int, named: Any) -> None:
        label, _, slot = str(named).partition("@")
        self.slot, self.phase = int(slot), "placing"
        self._tell("ObjectTurned", label, self.slot)

    def _place(self, seat: int, number: Any) -> None:
        deck = self.decks[seat]
        for card in deck.holds(number):
            deck.cards.remove(card)
        deck.pairs.append(number)
        deck.known.discard(number)
        self.closed[self.slot] = number
        self.laid_by[number] = seat
        self._tell("PairPlaced", seat, number, self.slot)
        self._proves(seat, number, 2)
        self.phase = "turning"
        if self._won(seat):
            self.winner, self.phase = seat, "over"
            self._tell("GameWon", seat)
        elif not deck.cards:
            self._empty(seat)

    def _won(self, seat: int) -> bool:
        """END; KA27 and KA31 where a BOT plays."""
        laid = [number for number, by in self.laid_by.items() if by == seat]
        match self.win:
            case "two_pairs":
                # Nobody plays on without cards (1.1), even if another laid the deck's first pair.
                return len(laid) == 2 or not self.decks[seat].cards
            case "both_decks":
                return not self.decks[seat].cards and not self.decks[seat + 2].cards
        return not self.decks[seat].cards

    def _empty(self, seat: int) -> None:
        """`both_decks`: this deck is out, its Sheep and Foxes go back; its owner takes the other one."""
        deck = self.decks[seat]
        deck.sheep, deck.foxes, deck.fresh = False, 0, False
        self._tell("DeckEmptied", seat)
        self._switch_decks(seat, seat + 2)
        self.raised.discard(seat + 2)  # left open: what the other deck did this turn, before it was taken up
        self.forced = [other for other in self.forced if other != seat + 2]
        self._sheep(seat)

    def _hide(self, seat: int, _: object) -> None:
        self._tell("ObjectHidden", self.slot)
        self._succession()

    # Succession --------------------------------------------------------------------------------------------

    def _may_reign(self, seat: int) -> bool:
        """KA43."""
        return not (self.two and seat in self.bots and not self.options.bot_can_be_emperor_2p)

    def _succession(self) -> None:
        raised = [seat for seat in self.others if seat in self.raised and self._may_reign(seat)]
        sheepless = [seat for seat in raised if not self.decks[seat].sheep]
        if self.forced:
            self._ask_successor(self.forced)
        elif sheepless:
            self._ask_successor(sheepless)
        elif raised and self.options.all_sheep == "any_raised":
            self._ask_successor(raised)
        else:
            self.stays += 1
            if self.per_turn:
                self._tick_foxes()
            self._tell("EmperorStays", self.emperor)
            self._announcing()

    def _ask_successor(self, seats: list[int]) -> None:
        if len(seats) == 1:  # nothing to choose
            self._crown(self.emperor, seats[0])
            return
        self.candidates, self.phase = list(seats), "succeeding"
        self._tell("SuccessorAsked", tuple(sorted(seats)))

    def _crown(self, seat: int, heir: Any) -> None:
        if heir not in self.bots:
            self._tick_foxes()
            self._transfer(heir)
        elif self.two:
            self._tick_foxes()
            self._switch_decks(heir - 2, heir)
            self._transfer(heir - 2)
        else:
            self.heir = heir
            self.candidates = [person for person in self.persons if person != self.emperor]
            self.phase = "switching"
            self._tell("SwitchAsked", heir, tuple(self.candidates))

    def _switch(self, seat: int, person: Any) -> None:
        self._tick_foxes()
        self._switch_decks(person, self.heir)
        self._transfer(person)

    def _switch_decks(self, person: int, bot: int) -> None:
        """All that lies with a deck goes along (KA31, KA44), but not what was answered with it (K-T69)."""
        self._tell("Switched", person, bot)
        self.decks[person], self.decks[bot] = self.decks[bot], self.decks[person]
        for deck in (self.decks[person], self.decks[bot]):
            deck.denials.clear()

    def _tick_foxes(self) -> None:
        for seat, deck in enumerate(self.decks):
            if deck.foxes and not (deck.fresh and self.options.fox_first_tick == "next_turn"):
                deck.foxes -= 1
                self._tell("FoxRemoved", seat, deck.foxes)

    def _transfer(self, heir: int) -> None:
        self.stays = 0
        self.emperor = heir
        self._tell("EmperorCrowned", heir)
        self._sheep(heir)
        self._announcing()

    def _sheep(self, seat: int) -> None:
        if not self.decks[seat].sheep:
            self.decks[seat].sheep = True
            self._tell("SheepTaken", seat)
        if all(self.decks[other].sheep for other in self.on_playing):
            for other in self.seats:
                self.decks[other].sheep = other == seat
            self._tell("SheepReturned", seat)

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        self.at += 1000 * chance.randint(1, 300)
        if chance.random() < 0.04 and (wrong := self._wrong(chance)) is not None:
            return wrong
        if self.down and self.phase not in {"announced", "counting", "aiding"} and chance.random() < 0.2:
            return ob.ButtonReleased(at=self.at, chair=min(self.down))
        match self.phase:
            case "announcing" if chance.random() < 0.1 and (free := self._free()):
                return ob.ButtonPressed(at=self.at, chair=chance.choice(free))
            case "pairing" if chance.random() < 0.1 and (free := self._free()):
                return ob.ButtonPressed(at=self.at, chair=chance.choice(free))
            case "aiding" if chance.random() < 0.3 and (free := self._free()):
                return self._hand(chance.choice(free), chance)
            case "announced":
                return self._before_the_count(chance)
            case "counting":
                return self._count(chance)
            case "drawing" if self._lot_due():
                many = len(self.decks[self.partner].cards)
                choices = tuple(str(place) for place in range(1, many + 1))
                return ob.RandomDraw(at=self.at, choices=choices, index=chance.randrange(many))
        return ob.ActionDeclared(at=self.at, action=self._next(chance))

    def _free(self) -> list[int]:
        """People whose button is up and who are asked nothing else."""
        busy = {self.emperor, *(self.setter(aid) for aid in self.aids[:1]), *self.down}
        return [seat for seat in self.persons if seat not in busy and self.decks[seat].cards]

    def _wrong(self, chance: Random) -> ob.ActionDeclared | None:
        """Something that may not be done now."""
        verb = chance.choice(VERBS)
        seat = self.emperor if chance.random() < 0.5 and self.emperor >= 0 else chance.choice(self.persons)
        value: int | str | None = None
        if verb in {"announce", "place"}:
            value = chance.randint(0, self.highest + 1)
        elif verb in {"draw_from", "pick", "crown", "switch"}:
            value = chance.choice(self.seats)
        elif verb == "turn":
            slot = chance.choice(list(self.closed) or [1])
            value = f"{self.objects[slot - 1]}@{slot}"
            if self.phase == "turning" and seat == self.emperor and slot not in self.closed:
                return None
        action = Action(seat, verb, value)
        if verb != "turn" and self._known(action) in self.legal():
            return None
        return ob.ActionDeclared(at=self.at, action=action)

    def _hand(self, seat: int, chance: Random) -> AnyObservation:
        """Somebody's hand goes up or down, by button or by touch."""
        if chance.random() < 0.3 and self._may_raise(seat) and not self._aids_first():
            verb = "lower" if seat in self.raised else "raise"
            if not (self.options.hand == "hold" and seat in self.down):
                return ob.ActionDeclared(at=self.at, action=Action(seat, verb))
        if seat in self.down:
            return ob.ButtonReleased(at=self.at, chair=seat)
        return ob.ButtonPressed(at=self.at, chair=seat)

    def _wishes(self, chance: Random) -> list[int]:
        """Whose hand is not where they want it."""
        for seat in self.others:
            if seat in self.persons and seat not in self.wants:
                has = bool(self.decks[seat].holds(self.number))
                courage = 1 - self.honesty[seat] if has else 0.8
                self.wants[seat] = chance.random() < (0.1 if self.decks[seat].foxes else courage)
        return [
            seat
            for seat, up in self.wants.items()
            if up != (seat in self.raised) or (seat in self.down and self.options.hand == "toggle")
        ]

    def _before_the_count(self, chance: Random) -> AnyObservation:
        wishes = self._wishes(chance)
        if wishes and chance.random() < 0.4 and self.at < self.cue_due:
            seat = chance.choice(wishes)
            if self.decks[seat].foxes:
                self.wants[seat] = False
            return self._hand(seat, chance)
        attempt = 1
        self.at = min(self.at, self.cue_due - 1)
        return ob.CueHeard(at=self.at, cue="kinapa.count", attempt=attempt)

    def _count(self, chance: Random) -> AnyObservation:
        wishes = self._wishes(chance)
        due = self.due()
        if wishes and chance.random() < 0.8:
            seat = chance.choice(wishes)
            if self.decks[seat].foxes:
                self.wants[seat] = False
            if due is not None:
                self.at = due if chance.random() < 0.2 else min(self.at, due)
            return self._hand(seat, chance)
        if due is None:
            return ob.ActionDeclared(at=self.at, action=Action(self.emperor, "close"))
        self.at = due
        return ob.TimerElapsed(at=due, timer="count")

    def _truthful(self, seat: int, chance: Random) -> bool:
        return chance.random() < self.honesty[self.keeper(seat)]

    def _next(self, chance: Random) -> Action:  # noqa: C901 - one case for each phase
        """What is asked for now, mostly true."""
        crown = self.emperor
        match self.phase:
            case "starting":
                for seat in self.persons:
                    if f"animal:{self.lowest}" in self.decks[seat].cards:
                        return Action(seat, "claim_cat")
                return Action(chance.choice(self.persons), "nobody")
            case "announcing":
                if self._may_agree() and chance.random() < 0.3:
                    return Action(chance.choice(self.persons), "tick_per_turn")
                mine = [number_of(card) for card in self.decks[crown].cards]
                legal = [
                    n for n in range(1, self.highest + 1) if Action(crown, "announce", n) in self._legal()
                ]
                wanted = [n for n in legal if mine.count(n)]
                dead = [n for n in legal if n in self.dead]
                if dead and chance.random() < 0.2:
                    return Action(crown, "announce", chance.choice(dead))
                return Action(
                    crown, "announce", chance.choice(wanted if wanted and chance.random() < 0.7 else legal)
                )
            case "aiding":
                verb = "aid_up" if chance.random() < 0.65 else "aid_down"
                return Action(self.setter(self.aids[0]), verb)
            case "pairing":
                pair = len(self.decks[crown].holds(self.number)) == 2
                return Action(crown, "show_pair" if pair and self._truthful(crown, chance) else "no_pair")
            case "choosing":
                legal = sorted(self._legal(), key=str)
                return chance.choice(legal)
            case "drawing":
                hand = self.decks[self.partner].cards
                self.drawn_card = hand[self.lot] if self.lot >= 0 else chance.choice(hand)
                named = self.options.drawn_named and chance.random() < 0.7
                return Action(crown, "drawn", self.drawn_card if named else None)
            case "asking" | "searching":
                seat = chance.choice(self.asked)
                has = bool(self.decks[seat].holds(self.number))
                if not self._truthful(seat, chance) and chance.random() < 0.6:
                    has = False
                return Action(seat, "has" if has else "has_not")
            case "picking":
                return Action(crown, "pick", chance.choice(self.holders))
            case "handing":
                return Action(crown, "refuse" if chance.random() < 0.1 else "receive")
            case "returning":
                return self._gives_back(chance)
            case "auditing":
                seat = self.audit[0]
                return Action(seat, "found" if self.decks[seat].holds(self.number) else "not_found")
            case "turning":
                slots = [s for s in range(1, len(self.objects) + 1) if s not in self.closed]
                pairs = {
                    n for n in map(number_of, self.decks[crown].cards) if len(self.decks[crown].holds(n)) == 2
                }
                fit = [s for s in slots if any(int(n) in pairs for n in self.objects[s - 1].split("-"))]
                slot = chance.choice(fit if fit and chance.random() < 0.4 else slots)
                return Action(crown, "turn", f"{self.objects[slot - 1]}@{slot}")
            case "placing":
                held = [n for n in self._fitting() if len(self.decks[crown].holds(n)) == 2]
                if held and chance.random() < 0.9:
                    return Action(crown, "place", chance.choice(held))
                return Action(crown, "hide")
            case "succeeding":
                return Action(crown, "crown", chance.choice(self.candidates))
            case "switching":
                return Action(crown, "switch", chance.choice(self.candidates))
        raise AssertionError(self.phase)

    def _gives_back(self, chance: Random) -> Action:
        """Any card but the one just received, which lies at the right end of the hand."""
        hand = self.decks[self.emperor].cards
        self.returned_card = chance.choice(hand[:-1])
        named = None
        if ":" in self.received and chance.random() < 0.5:
            named = hand[-1] if chance.random() < 0.3 else self.returned_card
            if named == hand[-1] and not self.received.partition(":")[0]:
                named = None
        return Action(self.emperor, "return", named)


# The program's answers in the same form --------------------------------------------------------------------


def facts(event: Event) -> Sequence[Fact]:
    said = facts_of(event, unruled=UNRULED, unsaid=UNSAID)
    if kind_of(event) in SETS:
        return [
            tuple(tuple(sorted(part)) if isinstance(part, tuple) else part for part in fact) for fact in said
        ]
    return said


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    table = dict(repairable_values(view))
    if not table and view.outcome is None:
        return {"phase": str(view.phase)}
    seen: dict[str, object] = {"phase": str(view.phase), **table}
    seen["winners"] = view.outcome.winners if view.outcome else None
    for holder in token_owners(view):
        seen[f"cards:{holder.seat}"] = holder.cards
    return seen


def legal(rules: Rules[Any], state: Any) -> set[str]:
    return {Kinapa._known(action) for action in rules.legal_actions(state)}


TWO = [(2, False)]
BOTS = [(3, False), (4, True), (5, True), (6, True), (7, True)]
KINAPA = Game(
    RULES["kinapa"],
    Kinapa,
    facts,
    public,
    legal,
    sizes=[*TWO, *BOTS, *((players, False) for players in range(4, 9))],
    matters={
        "bot_can_be_emperor_2p": TWO,
        "win_bot=both_decks": TWO,
        "win_bot": [*TWO, *TWO, *BOTS],
        "switch_progress": [*TWO, *TWO, *BOTS],
        "bot_checker": BOTS,
    },
    # They are about hidden cards (KA15, KA22, KA34).
    only_said=frozenset({"fox_receive=open", "place=must", "demand_open=True"}),
)
