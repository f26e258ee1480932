"""Presses of phones in one game: which offer each answers, and whether it repeats a wired press.

A phone shows an offer: what its chair is asked, numbered by how many entries the journal had when it was
first asked that. A press names the offer it answers. It may reach the table when the chair is asked
something else by then: at the instant of its stamp it counts for that offer or for nothing, and the phone
is told. A hand in a running count and a call in a race are facts (`GameRules.is_press_a_report`): they
count whatever is asked meanwhile, if the offer was one in which a press is a fact, too.

There are no holds: a release that gets lost would turn a tap into a hold. A choice among several is said by
name. A wired button and a phone of one chair within `SAME_PRESS_SPAN` are one press; the first counts.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

from companion.core import observations as ob
from companion.core.actions import Action, Chair, Micros
from companion.core.rules import Rules

PHONE_SOURCE = "phone"
"""The source of what a phone sends."""
SAME_PRESS_SPAN: Micros = 300_000
"""Closer than this a wired button and a phone of the same chair are the same press."""
MAX_KEPT_OFFERS = 8
"""How many offers of a chair are remembered."""

AnswerVerdict = Literal["taken", "changed", "choose", "twice", "no_chair"]
"""`changed`: the chair was asked something else; `choose`: it has a choice; `twice`: so did its wire."""


class PhoneAnswer(Struct, frozen=True, gc=False):
    """A press of a phone, or a choice by name, on its way to be judged; never written down itself."""

    chair: Chair
    offer: int
    at: Micros
    """Its stamp, in game time."""
    action: Action | None = None
    """Which of the offer's choices; None: the one there is."""
    within: tuple[Micros, Micros] | None = None
    """The interval in which it happened; None: its stamp is its arrival."""

    @property
    def observation(self) -> ob.ButtonPressed | ob.ActionDeclared:
        """What is journalled."""
        if self.action is not None:
            return ob.ActionDeclared(at=self.at, action=self.action, source=PHONE_SOURCE)
        return ob.ButtonPressed(at=self.at, chair=self.chair, source=PHONE_SOURCE, within=self.within)


def is_phone_press(seen: Any) -> bool:
    """Whether a phone reported it: it is down for no time at all, and never comes up."""
    return isinstance(seen, ob.ButtonPressed) and seen.source == PHONE_SOURCE


class AnswerReply(Struct, frozen=True, gc=False):
    """What became of an answer, for its phone."""

    answer: PhoneAnswer
    verdict: AnswerVerdict


class _Offer(Struct):
    number: int
    actions: tuple[Action, ...]
    """What is asked, then what may be done at any time."""
    fact: bool
    """Whether a press was a fact while it stood."""
    asked: int
    """How many of the actions are asked."""


class PhoneChairs:
    """The chairs that phones hold in one game, and what each is offered."""

    def __init__(self, rules: Rules[Any]) -> None:
        self._rules = rules
        self._offers: dict[Chair, list[_Offer]] = {}
        """By chair, the newest first."""
        self._pressed: dict[Chair, tuple[bool, Micros]] = {}
        """By chair, whether its last press was a phone's, and its stamp."""
        self._answered: set[Chair] = set()
        """Whose phone was ruled on: what is asked next is another offer, even if it is the same question."""
        self.replies: list[AnswerReply] = []
        """To be taken out and sent to the phones."""

    @property
    def chairs(self) -> frozenset[Chair]:
        return frozenset(self._offers)

    def set_phone_chairs(self, chairs: Iterable[Chair], state: Any, entries: int) -> None:
        """Phones hold these chairs, and no others, now that `entries` led to `state`."""
        held = frozenset(chairs)
        self._offers = {chair: found for chair, found in self._offers.items() if chair in held}
        for chair in held - self.chairs:
            self._offers[chair] = []
        self.update_offers(state, entries)

    def update_offers(self, state: Any, entries: int) -> None:
        """This many entries led to `state`: a chair that is asked something else since has another offer."""
        if not self._offers:
            return
        asked = {prompt.chair: prompt.actions for prompt in self._rules.prompts(state)}
        extras = [choice.action for choice in self._rules.extra_choices(state)]
        for chair, known in self._offers.items():
            own = tuple(action for action in extras if state.chair_of(action.seat) == chair)
            count = len(asked.get(chair, ()))
            actions, fact = (*asked.get(chair, ()), *own), self._rules.is_press_a_report(state, chair)
            if known and known[0].actions == actions and chair not in self._answered:
                known[0].fact |= fact
            else:
                known.insert(0, _Offer(entries, actions, fact, count))
                del known[MAX_KEPT_OFFERS:]
        self._answered.clear()

    def offer_numbers(self) -> Mapping[Chair, int]:
        """The number of what each chair is offered."""
        return {chair: known[0].number for chair, known in self._offers.items() if known}

    def current_offer(self, chair: Chair) -> tuple[int, tuple[Action, ...], bool]:
        """The number of what a chair that a phone holds is offered, its choices, and whether it is a fact."""
        offer = self._offers[chair][0]
        return offer.number, offer.actions[: offer.asked], offer.fact

    def current_extras(self, chair: Chair) -> tuple[Action, ...]:
        """What the offer has besides: counted on from its choices."""
        offer = self._offers[chair][0]
        return offer.actions[offer.asked :]

    def offered_action(self, chair: Chair, number: int, place: int) -> Action | None:
        """One of the choices of an offer that is remembered, by its place in it."""
        known = (offer for offer in self._offers.get(chair, ()) if offer.number == number)
        actions = next((offer.actions for offer in known), ())
        return actions[place] if 0 <= place < len(actions) else None

    def admit(
        self, state: Any, seen: ob.ButtonPressed | PhoneAnswer
    ) -> ob.ButtonPressed | ob.ActionDeclared | None:
        """What of a press or an answer is judged in `state`; None: nothing, and it is not written down."""
        if isinstance(seen, PhoneAnswer):
            verdict = self._judge_answer(state, seen)
            self.replies.append(AnswerReply(seen, verdict))
            if verdict != "taken":
                return None
            self._pressed[seen.chair] = True, seen.at
            self._answered.add(seen.chair)
            return seen.observation
        if seen.chair in self._offers:
            if self._is_second(seen.chair, seen.at, by_phone=False):
                return None
            self._pressed[seen.chair] = False, seen.at
        return seen

    def _judge_answer(self, state: Any, answer: PhoneAnswer) -> AnswerVerdict:
        known = self._offers.get(answer.chair)
        if not known:
            return "no_chair"
        if self._is_second(answer.chair, answer.at, by_phone=True):
            return "twice"
        named = next((offer for offer in known if offer.number == answer.offer), None)
        if answer.action is None and self._rules.is_press_a_report(state, answer.chair):
            return "taken" if named is not None and named.fact else "changed"
        if named is not known[0]:
            return "changed"
        if answer.action is None:
            return "taken" if named.asked < 2 else "choose"
        return "taken" if answer.action in named.actions else "changed"

    def _is_second(self, chair: Chair, at: Micros, *, by_phone: bool) -> bool:
        """Whether the same chair pressed just before by its other button."""
        before = self._pressed.get(chair)
        return before is not None and before[0] is not by_phone and abs(at - before[1]) < SAME_PRESS_SPAN
