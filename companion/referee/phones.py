"""What phones answer in one game: whether it still answers what is asked, and is no second press.

A phone shows an offer: what its chair is asked, numbered by how many entries the journal had when it was
first asked that. A press names the offer it answers. It may reach the table when the chair is asked something
else by then: at the instant of its stamp it counts for that offer or for nothing, and the phone is told. A
hand in a running count and a call in a race are facts (`Rules.is_fact`): they count whatever is asked
meanwhile, if the offer was one in which a press is a fact, too.

There are no holds: a release that gets lost would turn a tap into a hold. A choice among several is said by
name. A wired button and a phone of one chair within `TOGETHER` are one press; the first counts.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

from companion.core import observations as ob
from companion.core.actions import Action, Chair, Micros
from companion.core.rules import Rules

PHONE = "phone"
"""The source of what a phone sends."""
TOGETHER: Micros = 300_000
"""Closer than this a wired button and a phone of the same chair are the same press."""
KEPT = 8
"""How many offers of a chair are remembered."""

Verdict = Literal["taken", "changed", "choose", "twice", "no_chair"]
"""`changed`: the chair was asked something else; `choose`: it has a choice; `twice`: so did its wire."""


class Answer(Struct, frozen=True, gc=False):
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
    def seen(self) -> ob.ButtonPressed | ob.Declared:
        """What is journalled."""
        if self.action is not None:
            return ob.Declared(at=self.at, action=self.action, source=PHONE)
        return ob.ButtonPressed(at=self.at, chair=self.chair, source=PHONE, within=self.within)


def by_phone(seen: Any) -> bool:
    """Whether a phone reported it: it is down for no time at all, and never comes up."""
    return isinstance(seen, ob.ButtonPressed) and seen.source == PHONE


class Reply(Struct, frozen=True, gc=False):
    """What became of an answer, for its phone."""

    answer: Answer
    verdict: Verdict


class _Offer(Struct):
    number: int
    actions: tuple[Action, ...]
    fact: bool
    """Whether a press was a fact while it stood."""


class Phones:
    """The chairs that phones hold in one game, and what each is offered."""

    def __init__(self, rules: Rules[Any]) -> None:
        self._rules = rules
        self._offers: dict[Chair, list[_Offer]] = {}
        """By chair, the newest first."""
        self._pressed: dict[Chair, tuple[bool, Micros]] = {}
        """By chair, whether its last press was a phone's, and its stamp."""
        self._answered: set[Chair] = set()
        """Whose phone was ruled on: what is asked next is another offer, even if it is the same question."""
        self.replies: list[Reply] = []
        """To be taken out and sent to the phones."""

    @property
    def chairs(self) -> frozenset[Chair]:
        return frozenset(self._offers)

    def held_by_phones(self, chairs: Iterable[Chair], state: Any, entries: int) -> None:
        """Phones hold these chairs, and no others, now that `entries` led to `state`."""
        held = frozenset(chairs)
        self._offers = {chair: found for chair, found in self._offers.items() if chair in held}
        for chair in held - self.chairs:
            self._offers[chair] = []
        self.ruled(state, entries)

    def ruled(self, state: Any, entries: int) -> None:
        """This many entries led to `state`: a chair that is asked something else since has another offer."""
        if not self._offers:
            return
        asked = {prompt.chair: prompt.actions for prompt in self._rules.prompts(state)}
        for chair, known in self._offers.items():
            actions, fact = asked.get(chair, ()), self._rules.is_fact(state, chair)
            if known and known[0].actions == actions and chair not in self._answered:
                known[0].fact |= fact
            else:
                known.insert(0, _Offer(entries, actions, fact))
                del known[KEPT:]
        self._answered.clear()

    def offers(self) -> Mapping[Chair, int]:
        """The number of what each chair is offered."""
        return {chair: known[0].number for chair, known in self._offers.items() if known}

    def asked(self, chair: Chair) -> tuple[int, tuple[Action, ...], bool]:
        """The number of what a chair that a phone holds is offered, its choices, and whether it is a fact."""
        offer = self._offers[chair][0]
        return offer.number, offer.actions, offer.fact

    def choice(self, chair: Chair, number: int, place: int) -> Action | None:
        """One of the choices of an offer that is remembered, by its place in it."""
        known = (offer for offer in self._offers.get(chair, ()) if offer.number == number)
        actions = next((offer.actions for offer in known), ())
        return actions[place] if 0 <= place < len(actions) else None

    def admitted(self, state: Any, seen: Any) -> Any | None:
        """What of `seen` is judged in `state`; None: it rules nothing, and is not written down."""
        if isinstance(seen, Answer):
            verdict = self._verdict(state, seen)
            self.replies.append(Reply(seen, verdict))
            if verdict != "taken":
                return None
            self._pressed[seen.chair] = True, seen.at
            self._answered.add(seen.chair)
            return seen.seen
        if isinstance(seen, ob.ButtonPressed) and seen.chair in self._offers:
            if self._is_second(seen.chair, seen.at, by_phone=False):
                return None
            self._pressed[seen.chair] = False, seen.at
        return seen

    def _verdict(self, state: Any, answer: Answer) -> Verdict:
        known = self._offers.get(answer.chair)
        if not known:
            return "no_chair"
        if self._is_second(answer.chair, answer.at, by_phone=True):
            return "twice"
        named = next((offer for offer in known if offer.number == answer.offer), None)
        if answer.action is None and self._rules.is_fact(state, answer.chair):
            return "taken" if named is not None and named.fact else "changed"
        if named is not known[0]:
            return "changed"
        if answer.action is None:
            return "taken" if len(named.actions) < 2 else "choose"
        return "taken" if answer.action in named.actions else "changed"

    def _is_second(self, chair: Chair, at: Micros, *, by_phone: bool) -> bool:
        """Whether the same chair pressed just before by its other button."""
        before = self._pressed.get(chair)
        return before is not None and before[0] is not by_phone and abs(at - before[1]) < TOGETHER
