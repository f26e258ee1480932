"""Rules of dnup for two to five players, as a referee applies them.

Forty cards, each with two values of which the one on top is active; turning a card by 180 degrees swaps them.
Cards with certain symbols stay in the box when fewer play. All are dealt; hands are sorted at will but never
turned. Who holds the card with the star begins, then it goes clockwise. A set is one or more cards of one
active value, laid in front of its owner. In each turn:

1. discard the player's own set of the last turn, then
2. do exactly one thing: play a set; or add one card of the same value to an opponent's set; or take an
   opponent's set into the hand; or rotate the whole hand.

On the table there is at most one set of each size: a set that reaches the size of another must have the
higher value, and the other goes back to its owner. Every card that goes from the table into a hand is turned.

3. First without cards: two points, no more turns; the set stays until the next turn would come, and is
   discarded if it is beaten before. Second: one point, and the round is over. Four points win.
4. Two players have two areas each and take two turns in a row, one for each; the first player takes only the
   one for the second area. Own sets collide with own sets. The last card wins the round at once, also when it
   beats an own set. Two rounds win.

The referee remembers every card that was seen, with its orientation, and so knows a growing part of every
hand. It tells nobody; it only speaks up when what is there cannot be.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from companion.core import events as shared
from companion.core import game_status
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import SECOND, Action, Micros, Prompt, Result, Seat, Setup, Timer
from companion.core.events import Event, apply_events
from companion.core.verbs import ask, infraction_ruling
from companion.core.view import Choice, Sentence, SentenceParts
from companion.games.dnup.rules import camera_rulings, judge, model, turn_flow, view
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.cards import HIGHEST_VALUE, PRINTED_DECK, SYMBOLS, deck_fault
from companion.games.dnup.rules.model import DnupOptions, DnupPhase, DnupState
from companion.games.kit.narration import score_sentences, standing_sentences, turn_sentences

_TWO_PLAYER_REASONS = frozenset({"RoundBegan", "RoundEnded", "WentOut", "GameWon"})
"""Reasons that have words of their own with two players."""
_VALUE_EVENTS = (model.SetPlayed, model.CardAdded, model.SetTaken, model.SetReturned, model.SetSeen)
"""What names a value: public while those cards lie open."""


class Dnup(base.Rules[DnupState]):
    """The rules of dnup over what the referee knows."""

    name = "dnup"
    number_verbs = frozenset({"size", "value"})
    camera_sentences = frozenset({"dnup.hint.acting", "dnup.hint.acting.first"})
    board = view.BOARD
    unspoken_fields = frozenset({"area", "known", "cards", "card", "names", "number", "place", "seats"})
    cardless_parts = frozenset(
        {
            *{"many", "round", "each", "laps", "points"},
            *{"hand.count.what", "scan.count.what"},
            *{"play.which.what", "play.too_many.what", "play.not_higher.what"},
        }
    )
    players = range(2, 6)
    options = DnupOptions
    events = model.AnyDnupEvent
    has_rests = True

    setup_instructions = staticmethod(view.setup_instructions)
    setup_pictures = staticmethod(view.setup_pictures)
    judge = staticmethod(judge.judge)
    judge_regions = staticmethod(camera_rulings.judge_regions)
    unread_places = staticmethod(camera_rulings.unread_places)
    after_repair = staticmethod(model.apply_repair)
    find_violation = staticmethod(model.find_violation)
    open_faces = staticmethod(view.open_faces)
    forget = staticmethod(view.forget)
    restore_instructions = staticmethod(view.restore_instructions)
    restored_turn = staticmethod(view.restored_turn)
    view = view.view

    def initial_state(self, setup: Setup) -> DnupState:
        assert isinstance(setup.options, DnupOptions)
        areas = 4 if setup.players == 2 else setup.players
        return DnupState(
            setup=setup,
            desk=game_status.GameStatus(),
            phase=DnupPhase.SCANNING if setup.options.deck_file == "scan" else DnupPhase.SORTING,
            hands=(model.KnownHand(),) * setup.players,
            areas=(model.PlayArea(),) * areas,
            points=(0,) * setup.players,
            spins=(0,) * setup.players,
        )

    def valid_field_values(self, setup: Setup) -> Mapping[str, Container[Any]]:
        areas = range(len(self.initial_state(setup).areas))
        return {"area": areas, "card": card.CARD_CODES, "cards": card.CARD_CODES, "known": card.CARD_CODES}

    def prompts(self, state: DnupState) -> tuple[Prompt, ...]:
        def asked(seat: int, *verbs: str | tuple[str, Iterable[int]]) -> tuple[Prompt, ...]:
            return (ask(state.chair_of(seat), seat, *verbs),)

        seat = state.seat
        match state.phase:
            case DnupPhase.SCANNING:
                ready = len(state.shown) == len(PRINTED_DECK) and not deck_fault(state.shown)
                return asked(0, "scanned" if ready else "listed", "again")
            case DnupPhase.SORTING:
                return asked(0, "prepared")
            case DnupPhase.DEALING:
                return tuple(ask(chair, each, "star") for each, chair in enumerate(state.setup.chairs))
            case DnupPhase.OVER:
                return ()
            case _ if state.due is not None:  # where it lies wrong, the button says so at once (D-T21)
                return asked(seat, "done") if self._may_stay(state) else ()
            case DnupPhase.ACTING if state.doubt and self._may_stay(state):
                return asked(seat, "done", *_spoken_verbs(state))
        return asked(seat, *_spoken_verbs(state))

    def _may_stay(self, state: DnupState) -> bool:
        """Whether saying that it lies so would break no rule."""
        ruled = camera_rulings.judge_quiet_table(state, 0, insist=state.doubt)
        return not any(isinstance(event, shared.Infraction) for event in ruled)

    def extra_actions(self, state: DnupState) -> Iterable[Action]:
        """What touch says: a whole action at once, in every step of saying it by button."""
        if state.phase is DnupPhase.SCANNING:
            yield Action(0, "listed")
            pairs = [
                (low, high) for low in range(1, HIGHEST_VALUE) for high in range(low + 1, HIGHEST_VALUE + 1)
            ]
            for low, high in pairs:
                yield from (Action(0, "card", f"{low}-{high}{sign}") for sign in ("", *SYMBOLS))
        if not state.is_turn_running:
            return
        seat = state.seat
        yield from ask(state.chair_of(seat), seat, *_spoken_verbs(state)).actions
        yield from (Action(seat, "play", f"{size}x{value}") for size, value in turn_flow.legal_plays(state))
        yield from (Action(seat, "add", area + 1) for area in turn_flow.addable_areas(state))
        yield from (Action(seat, "take", area + 1) for area in turn_flow.takable_areas(state))
        yield Action(seat, "rotate")
        if state.stalled:
            yield Action(seat, "redeal")
        if judge.can_say_done(state) and self._may_stay(state):
            yield Action(seat, "done")

    def forgets_first(self, place: str) -> bool:
        return True  # what may be played depends on the sets that lie there

    def correction_choices(self, state: DnupState, seen: ob.Observation) -> Iterable[Action]:
        """Whatever was read or said, it can have been any lawful action of the player in turn."""
        if not state.is_turn_running:
            return super().correction_choices(state, seen)
        whole = {"play", "add", "take", "rotate"}
        every = (*self.legal_actions(state),)
        return (a for a in every if a.verb in whole and (a.value is not None or a.verb == "rotate"))

    def after_abandonment(self, state: DnupState) -> DnupState:
        return replace(state, phase=DnupPhase.OVER, due=None)

    # What is ruled ----------------------------------------------------------------------------------------

    def judge_idle_press(self, state: DnupState, seat: Seat, at: Micros) -> tuple[Event, ...]:
        """What lies there breaks a rule, which is not offered."""
        says = state.is_turn_running and state.due is not None and seat == state.seat
        return self.judge(state, Action(state.seat, "done"), at) if says else ()

    def timer(self, state: DnupState) -> Timer | None:
        if state.due is None or not state.is_turn_running:
            return None
        return Timer("quiet", state.desk.rest_end(state.due, state.options.settle_s * SECOND))

    def judge_timer(self, state: DnupState, timer: str, at: Micros) -> tuple[Event, ...]:
        if timer != "quiet" or state.due is None or not state.is_turn_running:
            return ()
        return camera_rulings.judge_quiet_table(state, at)

    def judge_truth(
        self, state: DnupState, truth: ob.Observation, misread: ob.RegionReading | None
    ) -> tuple[Event, ...]:
        """A set that was misread lies there: once it is gone somebody has taken it."""
        ruled = self.decide(state, truth)
        at = None if misread is None else model.area_in_region(state, misread.name)
        if at is None or misread is None:
            return ruled
        here = apply_events(state, ruled).areas[at]
        lies = here.awaited and len(here.cards) == len(misread.faces)
        return (*ruled, model.AreaRead(at, here.cards)) if lies else ruled

    def awaited_regions(self, state: DnupState) -> frozenset[str]:
        if state.phase is DnupPhase.SCANNING:
            return frozenset({camera_rulings.SCAN_REGION})
        if state.is_turn_running or state.phase is DnupPhase.DEALING:
            return frozenset(map(model.area_region, range(len(state.areas))))
        return frozenset()

    def shown_in_turn(self, state: DnupState) -> frozenset[str]:
        return frozenset({camera_rulings.SCAN_REGION} if state.phase is DnupPhase.SCANNING else ())

    def judge_declaration(self, state: DnupState, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table says what lies where and who has how much."""
        return (
            self.rule_repair(state, table) if state.is_turn_running else infraction_ruling("repair.not_now")
        )

    def result(self, state: DnupState) -> Result | None:
        how = "two_rounds" if state.is_two_player else "four_points"
        return (how, state.winners) if state.winners else None

    # What is announced ------------------------------------------------------------------------------------

    def redact(self, state: DnupState) -> DnupState:
        """Hands and the common pile are forgotten, unless what lies open cannot be: that will be said.

        That, and "It lies so", follow from cards that everybody saw lying open, never from a hidden one.
        """
        hands = tuple([model.KnownHand(hand.size) for hand in state.hands])
        veiled = replace(state, hands=hands, gone=())
        return veiled if self._may_stay(veiled) == self._may_stay(state) else state

    def open_position_of(self, state: DnupState, event: Event) -> str | None:
        if not isinstance(event, model.SetPlayed | model.CardAdded) or not self.lies_open(state, event):
            return None
        return model.area_region(event.area)

    def choices(self, state: DnupState, prompt: Prompt) -> tuple[Choice, ...]:
        """A set is chosen by touching it, too."""
        return tuple(
            replace(choice, region=model.area_region(choice.action.value - 1))
            if choice.action.verb in {"add", "take"} and isinstance(choice.action.value, int)
            else choice
            for choice in super().choices(state, prompt)
        )

    def label(self, state: DnupState, action: Action) -> Sentence:
        """Sets are named by their owner, or of two players by their area; a whole play by count and value."""
        value = action.value
        if action.verb == "again" and state.phase is DnupPhase.SCANNING:
            return Sentence("dnup.do.again.scan")
        if action.verb in {"add", "take"} and isinstance(value, int) and 0 < value <= len(state.areas):
            if state.is_two_player:
                return Sentence(f"dnup.do.{action.verb}.area", (("area", state.number(value - 1)),))
            chair = state.chair_of(state.owner(value - 1))
            return Sentence(f"dnup.do.{action.verb}.from", (("chair", chair),))
        if action.verb in {"add", "take"} and state.options.own_area_target:
            return Sentence(f"dnup.do.{action.verb}.any")
        if action.verb == "play" and isinstance(value, str):
            count, _, worth = value.partition("x")
            size = int(count) if count.isdecimal() else 0
            return Sentence("dnup.do.play.set", (("count", size), ("many", size), ("value", worth)))
        return super().label(state, action)

    def sentence(self, state: DnupState, event: Event, *, log: bool = False) -> Sentence | None:
        """The round that ends the game says why it is over, and asks nobody to deal again."""
        if not isinstance(event, model.DnupRoundEnded) or not state.winners or event.round != state.round:
            return super().sentence(state, event, log=log)
        return Sentence("dnup.RoundEnded.last.two" if state.is_two_player else "dnup.RoundEnded.last")

    def follow_up_sentences(self, state: DnupState, event: Event) -> tuple[Sentence, ...]:
        match event:
            case shared.Infraction(rule="turn.not_yours" | "play.not_your_turn"):
                return turn_sentences(self, state)
            case model.DnupRoundEnded():
                said = standing_sentences(self, state, state.points)
                return said if state.winners else (*said, Sentence("dnup.deal_again"))
            case model.DnupGameWon():
                return score_sentences(state, state.points)
        return ()

    def sentence_key(self, event: Event) -> str:
        match event:
            case model.TurnBegan() if event.number:
                return f"dnup.TurnBegan.area_{event.number}"
            case model.SetTaken(value=0) | model.SetReturned(value=0):  # of a set that could not be named
                return f"{super().sentence_key(event)}.hidden"
            case model.WentOut() if event.place == 2:
                return "dnup.WentOut.second"
            case model.WentOut() if event.points == 1:
                return "dnup.WentOut.round"
        return super().sentence_key(event)

    def sentence_parts(self, state: DnupState, event: Event) -> SentenceParts:
        parts = super().sentence_parts(state, event)
        if isinstance(event, model.DnupGameWon) and event.seats:
            return (("chair", state.chair_of(event.seats[0])),)
        if isinstance(event, model.CardAdded | model.SetTaken):
            parts = (*parts, ("whose_chair", state.chair_of(state.owner(event.area))))
        if isinstance(event, _VALUE_EVENTS):
            parts = (*parts, ("many", event.count))
        return tuple(part for part in parts if part != ("value", 0))

    def lies_open(self, state: DnupState, event: Event) -> bool:
        """A value is named while those cards lie there."""
        match event:
            case model.SetPlayed():
                lies = state.areas[event.area].cards == event.cards
            case model.CardAdded():
                lies = event.card in state.areas[event.area].cards
            case _:
                return False
        return lies and view.set_lies_open(state, event.area)

    def explanation_key(self, state: DnupState, event: Event) -> str:
        """Two players have areas of their own; for a player without an old set none is named."""
        row = super().explanation_key(state, event)
        if state.is_two_player and row in _TWO_PLAYER_REASONS:
            return f"{row}.two"
        old = isinstance(event, model.TurnBegan) and state.areas[event.area].old
        return f"{row}.old" if old else row

    def recap_statistics(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        return _count_statistics(event for entry in reversed(list(standing)) for event in entry.events)


def _spoken_verbs(state: DnupState) -> Sequence[str | tuple[str, Iterable[int]]]:
    """What the player in turn may say next by button, whatever lies there."""
    match state.phase:
        case DnupPhase.SIZING:
            return ("size", turn_flow.legal_sizes(state)), "again"
        case DnupPhase.VALUING:
            return ("value", turn_flow.legal_values(state, state.size)), "again"
        case DnupPhase.ADDING:
            return ("add", [area + 1 for area in turn_flow.addable_areas(state)]), "again"
        case DnupPhase.TAKING:
            return ("take", [area + 1 for area in turn_flow.takable_areas(state)]), "again"
    verbs = (
        ("play", next(turn_flow.legal_plays(state), None) is not None),
        ("add", bool(turn_flow.addable_areas(state))),
        ("take", bool(turn_flow.takable_areas(state))),
        ("rotate", True),
        ("redeal", state.stalled),
    )
    return [verb for verb, can in verbs if can]


def _count_statistics(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    every = list(events)
    counts = Counter(map(type, every))
    sets = (event.count for event in every if isinstance(event, model.SetPlayed | model.CardAdded))
    return (
        ("rounds", counts[model.DnupRoundEnded]),
        ("sets_played", counts[model.SetPlayed]),
        ("cards_added", counts[model.CardAdded]),
        ("sets_taken", counts[model.SetTaken]),
        ("rotations", counts[model.HandRotated]),
        ("sets_beaten", counts[model.SetReturned] + counts[model.SetBeaten]),
        ("largest_set", max(sets, default=0)),
    )


__all__ = ["Dnup", "DnupOptions", "card"]
