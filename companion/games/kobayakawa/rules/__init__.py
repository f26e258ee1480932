"""Rules of Kobayakawa for three to six players, as a referee applies them.

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

from msgspec.structs import replace

from companion.core import events as shared
from companion.core import game_status
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import Action, Micros, Prompt, Result, Seat, Setup
from companion.core.events import Event
from companion.core.verbs import ask
from companion.core.view import Sentence, SentenceParts, SetupPicture, ViewMode
from companion.games.kit.narration import leader_sentences, score_sentences, turn_sentences
from companion.games.kobayakawa.rules import camera_rulings, judge, model, view
from companion.games.kobayakawa.rules.model import KobayakawaOptions, KobayakawaPhase, KobayakawaState


class Kobayakawa(base.Rules[KobayakawaState]):
    """The rules of Kobayakawa over what the referee knows."""

    name = "kobayakawa"
    number_verbs = frozenset({"kobayakawa", "show"})
    camera_sentences = frozenset({"kobayakawa.hint.revealing", "kobayakawa.hint.replacing"})
    board = view.BOARD
    unspoken_fields = frozenset({"then", "card", "target", "region", "how", "bonus", "stake"})
    cardless_parts = frozenset({"round", "due", "sum", "whose"})
    players = range(3, 7)
    options = KobayakawaOptions
    events = model.AnyKobayakawaEvent
    cards: ClassVar[int] = model.CARD_COUNT

    judge = staticmethod(judge.judge)
    judge_regions = staticmethod(camera_rulings.judge_regions)
    persistent = staticmethod(camera_rulings.covered_places)
    unread_places = staticmethod(camera_rulings.unread_places)
    judge_shown_hand = staticmethod(camera_rulings.judge_shown_hand)
    after_repair = staticmethod(model.apply_repair)
    find_violation = staticmethod(model.find_violation)
    open_faces = staticmethod(view.open_faces)
    restore_instructions = staticmethod(view.restore_instructions)
    view = view.view

    def initial_state(self, setup: Setup) -> KobayakawaState:
        players = setup.players
        return KobayakawaState(
            setup=setup,
            desk=game_status.GameStatus(),
            cards=self.cards,
            kamons=(model.STARTING_KAMONS,) * players,
            hands=(model.KobayakawaHand(),) * players,
        )

    def valid_field_values(self, setup: Setup) -> Mapping[str, Container[Any]]:
        return {
            "number": range(model.UNREAD, model.CARD_COUNT + 1),
            "card": range(model.NO_CARD, model.CARD_COUNT + 1),
        }

    def choice_picture(self, action: Action) -> str:
        return f"number:{action.value}" if action.verb in self.number_verbs else ""

    def setup_instructions(self, setup: Setup) -> tuple[Sentence, ...]:
        return (
            Sentence("kobayakawa.prepare.cards"),
            Sentence("kobayakawa.prepare.kamons"),
            Sentence("kobayakawa.prepare.fields"),
        )

    def setup_pictures(self, setup: Setup) -> tuple[SetupPicture, ...]:
        kamons = {"each": ("crest",) * model.STARTING_KAMONS, "middle": ("crest",) * model.STARTING_CENTRE}
        return SetupPicture(piles=("back:number",)), SetupPicture(**kamons), SetupPicture(each=("",))

    def prompts(self, state: KobayakawaState) -> tuple[Prompt, ...]:
        chairs, actor = state.setup.chairs, state.actor
        open_card = ("kobayakawa", range(1, state.cards + 1))
        match state.phase:
            case KobayakawaPhase.STARTING:
                return tuple(ask(chair, seat, "start") for seat, chair in enumerate(chairs))
            case KobayakawaPhase.DEALING:
                return (ask(chairs[state.starter], state.starter, "dealt"),)
            case KobayakawaPhase.REVEALING:
                return (ask(chairs[state.starter], state.starter, open_card),)
            case KobayakawaPhase.DRAWING if actor is not None:
                neither = ("neither",) if state.options.draw_optional else ()
                return (ask(chairs[actor], actor, "draw", "replace", *neither),)
            case KobayakawaPhase.DISCARDING if actor is not None:
                return (ask(chairs[actor], actor, "done"),)
            case KobayakawaPhase.REPLACING if actor is not None:
                return (ask(chairs[actor], actor, open_card),)
            case KobayakawaPhase.BETTING if actor is not None:
                return (ask(chairs[actor], actor, "fight", "pass"),)
            case KobayakawaPhase.SHOWDOWN if state.kobayakawa == model.UNREAD:
                return (ask(chairs[state.starter], state.starter, open_card),)
            case KobayakawaPhase.SHOWDOWN if state.unseen_fighters:
                fighter = state.unseen_fighters[0]
                return (ask(chairs[fighter], fighter, ("show", range(1, state.cards + 1))),)
        return ()

    def extra_actions(self, state: KobayakawaState) -> Iterable[Action]:
        """What touch says in place of the camera: numbers of open cards, before or after they are asked."""
        numbers = range(1, state.cards + 1)
        actor = state.actor
        if state.phase in {KobayakawaPhase.DEALING, KobayakawaPhase.DRAWING}:
            speaker = judge.number_speaker(state)
            assert speaker is not None
            yield from (Action(speaker, "kobayakawa", number) for number in numbers)
        if state.phase in model.DRAW_PHASES and actor is not None:
            yield from (Action(actor, "discard", number) for number in numbers)
        if state.phase is KobayakawaPhase.REPLACING and actor is not None:
            yield Action(actor, "draw")
        for seat in range(state.players):
            if judge.can_name_discard(state, seat):
                yield from (Action(seat, "discard", number) for number in numbers)
        if state.phase is KobayakawaPhase.SHOWDOWN:
            yield from (Action(seat, "show", number) for seat in state.unseen_fighters for number in numbers)

    def correction_choices(self, state: KobayakawaState, seen: ob.Observation) -> Iterable[Action]:
        """What was read lay where it was seen; only its number was another."""
        if not isinstance(seen, ob.TableSeen):
            return super().correction_choices(state, seen)
        legal = self.legal_actions(state)
        found: list[Action] = []
        for region in seen.regions:
            kind, _, place = region.name.partition(":")
            seat = state.seat_at_field(int(place)) if place.isdecimal() else judge.number_speaker(state)
            verb = {"hand": "show", "discard": "discard", model.KOBAYAKAWA_REGION: "kobayakawa"}.get(kind)
            found += [action for action in legal if (action.seat, action.verb) == (seat, verb)]
        return found

    def after_abandonment(self, state: KobayakawaState) -> KobayakawaState:
        return replace(state, phase=KobayakawaPhase.OVER)

    # What is ruled ----------------------------------------------------------------------------------------

    def judge_idle_press(self, state: KobayakawaState, seat: Seat, at: Micros) -> tuple[Event, ...]:
        """Players who are not asked see so on their panel: the turn is still to come, or over."""
        if seat not in state.order or state.actor is None:
            return ()
        return (model.PressIgnored(seat, state.order.index(seat) > state.turn),)

    def awaited_regions(self, state: KobayakawaState) -> frozenset[str]:
        actor = state.actor
        match state.phase:
            case KobayakawaPhase.DEALING | KobayakawaPhase.REVEALING | KobayakawaPhase.REPLACING:
                return frozenset({model.KOBAYAKAWA_REGION})
            case KobayakawaPhase.DRAWING if actor is not None:
                return frozenset({model.KOBAYAKAWA_REGION, f"discard:{state.field_of_seat(actor)}"})
            case KobayakawaPhase.DISCARDING if actor is not None:
                return frozenset({f"discard:{state.field_of_seat(actor)}"})
            case KobayakawaPhase.SHOWDOWN:
                hands = {f"hand:{state.field_of_seat(seat)}" for seat in state.unseen_fighters}
                return frozenset(
                    hands | ({model.KOBAYAKAWA_REGION} if state.kobayakawa == model.UNREAD else set())
                )
        return frozenset()

    def judge_declaration(self, state: KobayakawaState, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table says who has what; a deck that is not as long as it should be voids the deal (OI3)."""
        if state.phase not in view.REPAIRABLE_PHASES:
            return (shared.Infraction("repair.not_now"),)
        facts = table.table
        offered = {field.name: field for field in view.view(self, state, ViewMode.PLAY).fields}
        known = all(name in offered and value in offered[name].choices for name, value in facts)
        events: tuple[Event, ...] = (shared.Repaired(facts),)
        if not known or self.evolve_if_sound(state, events) is None:
            return (shared.Infraction("repair.impossible"),)
        count = next((int(value) for name, value in facts if name == "deck"), state.deck)
        if count != state.deck:
            events += (model.DealVoided(count, state.deck),)
        return events

    def result(self, state: KobayakawaState) -> Result | None:
        return (state.how, state.winners) if state.winners else None

    # What is announced ------------------------------------------------------------------------------------

    def redact(self, state: KobayakawaState) -> KobayakawaState:
        """Nothing lies hidden that was ever known: the referee knows cards that lay open, and no others."""
        return state

    def lies_open(self, state: KobayakawaState, event: Event) -> bool:
        """Whatever lay open stays public; of what was taken back, and before the deal, nothing is."""
        return state.phase is not KobayakawaPhase.STARTING

    def open_position_of(self, state: KobayakawaState, event: Event) -> str | None:
        match event:
            case model.KobayakawaRoundBegan() | model.KobayakawaReplaced() if (
                state.kobayakawa == event.number
            ):
                return model.KOBAYAKAWA_REGION
            case model.CardDiscarded() | model.DiscardRead() if (
                state.hands[event.seat].discard == event.number
            ):
                return f"discard:{state.field_of_seat(event.seat)}"
            case model.FighterCardShown() if state.hands[event.seat].shown == event.number:
                return f"hand:{state.field_of_seat(event.seat)}"
        return None

    def ineffective_press(self, event: Event) -> tuple[int, str] | None:
        if isinstance(event, model.PressIgnored):
            return event.seat, "too_early" if event.early else "too_late"
        return None

    def sentence_key(self, event: Event) -> str:
        match event:
            case model.KobayakawaRoundBegan(last=True):
                return "kobayakawa.RoundBegan.last"
            case model.KobayakawaRoundBegan(deciding=True):
                return "kobayakawa.RoundBegan.deciding"
            case model.CardDiscarded(number=0):
                return "kobayakawa.CardDiscarded.unread"
            case model.RoundWon(count=0):
                return f"kobayakawa.RoundWon.deciding{'.tie' if event.how == 'tie' else ''}"
            case model.RoundWon() if event.how != "showdown":
                return f"kobayakawa.RoundWon.{event.how}"
            case model.NobodyFought():
                return f"kobayakawa.NobodyFought.{event.how}"
        return super().sentence_key(event)

    def sentence_parts(self, state: KobayakawaState, event: Event) -> SentenceParts:
        parts = super().sentence_parts(state, event)
        match event:
            case model.CardDiscarded(number=0):
                return tuple(part for part in parts if part[0] != "number")
            case model.RoundWon() if (
                state.hands and event.total > state.hands[event.seat].shown > model.UNREAD
            ):
                shown = state.hands[event.seat].shown
                return (*parts, ("sum", "yes"), ("number", shown), ("open", event.total - shown))
            case model.NumberDoubted():
                return (*parts, *self._doubted_parts(state, event))
            case model.KobayakawaGameWon() if len(event.seats) == 1:
                return (("chair", state.chair_of(event.seats[0])),)
            case shared.Repair():
                return ()
        return parts

    def _doubted_parts(self, state: KobayakawaState, event: model.NumberDoubted) -> SentenceParts:
        """Whose other card has that number, if it is another person's."""
        for name in judge.targets_with_number(state, event.number):
            kind, seat = model.split_target(name)
            if name != event.target and kind != "opened" and event.seat not in {None, seat}:
                return (("whose", "other"), ("other_chair", state.chair_of(seat)))
        return ()

    def follow_up_sentences(self, state: KobayakawaState, event: Event) -> tuple[Sentence, ...]:
        """One part varies in what is spoken: the number of a last round, the winner of a tie come after."""
        match event:
            case shared.Infraction(rule="turn.not_yours"):
                return turn_sentences(self, state)
            case model.KobayakawaRoundBegan() if event.last or event.deciding:
                return (Sentence("kobayakawa.RoundBegan", self.sentence_parts(state, event)),)
            case model.RoundWon():
                won = Sentence("kobayakawa.RoundWon", self.sentence_parts(state, event))
                leads = leader_sentences(self, state, state.kamons)
                return (won, *leads) if event.how in {"tie", "last"} and event.count else leads
            case model.KobayakawaGameWon():
                return score_sentences(state, state.kamons)
        return ()

    def recap_statistics(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        return _count_statistics(event for entry in reversed(list(standing)) for event in entry.events)


def _count_statistics(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name; a deal that was void does not count.

    `alone`: rounds won unseen; `helped`: by the lowest card with the Kobayakawa; `most_kamons`: at once.
    """
    rounds = fights = alone = helped = most = now = 0
    shown: dict[int, int] = {}
    for event in events:
        match event:
            case model.KobayakawaRoundBegan():
                rounds, now, shown = rounds + 1, 0, {}
            case model.DealVoided():
                rounds, fights = rounds - 1, fights - now
            case model.PlayerFought():
                fights, now = fights + 1, now + 1
            case model.FighterCardShown():
                shown[event.seat] = event.number
            case model.RoundWon():
                alone += event.how in {"alone", "last"}
                helped += bool(shown) and shown.get(event.seat) == min(shown.values())
                most = max(most, event.count)
    return (
        ("rounds", rounds),
        ("fights", fights),
        ("alone", alone),
        ("helped", helped),
        ("most_kamons", most),
    )
