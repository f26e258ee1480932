"""Rules of Kinapa for two to eight players, as a referee applies them.

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
from typing import Any

from msgspec.structs import replace

from companion.core import events as shared
from companion.core import game_status
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import SECOND, Action, Cue, Micros, Prompt, Result, Seat, Setup, Timer
from companion.core.events import Event, kind_of
from companion.core.view import Sentence, SentenceParts, SetupPicture
from companion.games.kinapa.rules import (
    bot_decks,
    camera_rulings,
    exchange,
    judge,
    model,
    narration,
    player_prompts,
    repair,
    view,
)
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState
from companion.games.kinapa.rules.turn_end import rule_succession

_WINDOW_PHASES = frozenset({KinapaPhase.ANNOUNCED, KinapaPhase.COUNTING})
COUNT_CUE = "kinapa.count"
"""The cue that opens the window."""


class Kinapa(base.Rules[KinapaState]):
    """The rules of Kinapa over what the referee knows."""

    name = "kinapa"
    board = view.BOARD
    unspoken_fields = narration.UNSPOKEN_FIELDS
    cardless_parts = narration.CARDLESS_PARTS
    camera_sentences = frozenset(
        {"kinapa.phase.auditing", "kinapa.phase.auditing.bot", "kinapa.hint.auditing", "kinapa.hint.turning"}
    )
    players = range(2, 9)
    players_with_bot = range(4, 8)
    default_players = 4
    options = model.KinapaOptions
    events = model.AnyKinapaEvent

    hand_count = staticmethod(bot_decks.count_decks)
    extra_actions = staticmethod(player_prompts.list_extra_actions)
    # The module's function as a method, without `self`; what is below in this body no longer sees the module.
    judge = staticmethod(judge.judge)
    judge_regions = staticmethod(camera_rulings.judge_regions)
    judge_shown_hand = staticmethod(camera_rulings.judge_shown_hand)
    awaited_draw = staticmethod(exchange.draw_places)
    after_repair = staticmethod(repair.apply_repair)
    after_void_window = staticmethod(model.void_window)
    find_violation = staticmethod(model.find_violation)
    open_faces = staticmethod(view.open_faces)
    forget = staticmethod(view.forget)
    persistent = staticmethod(view.buttons)
    redact = staticmethod(view.redact)
    open_position_of = staticmethod(narration.open_position_of)
    ineffective_press = staticmethod(narration.ineffective_press)
    lies_open = staticmethod(narration.lies_open)
    restore_instructions = staticmethod(view.restore_instructions)
    view = view.view

    def initial_state(self, setup: Setup) -> KinapaState:
        people, number = len(setup.chairs), self.hand_count(setup)
        bot = number > people
        return KinapaState(
            setup=setup,
            desk=game_status.GameStatus(),
            seats=(model.SeatState(),) * number,
            slots=(model.Slot(),) * (2 * number),
            decks=tuple(range(number)) if bot else (),
            laid=((),) * people if bot else (),
        )

    def valid_field_values(self, setup: Setup) -> Mapping[str, Container[Any]]:
        white = {f"{kind}:{number}" for kind in ("animal", "shelter") for number in range(1, 17)}
        return {"number": range(1, 2 * self.hand_count(setup) + 1), "card": {"", *white}}

    def setup_instructions(self, setup: Setup) -> tuple[Sentence, ...]:
        return narration.setup_instructions(self.hand_count(setup), setup.players)

    def setup_pictures(self, setup: Setup) -> tuple[SetupPicture, ...]:
        return narration.setup_pictures(self.hand_count(setup))

    def prompts(self, state: KinapaState) -> tuple[Prompt, ...]:
        return player_prompts.PROMPTS_BY_PHASE[state.phase](state)

    def forgets_first(self, place: str) -> bool:
        return True  # which pair fits depends on the open object

    def correction_choices(self, state: KinapaState, seen: ob.Observation) -> Iterable[Action]:
        own = player_prompts.game_corrections(state, seen)
        return super().correction_choices(state, seen) if own is None else own

    def decide(self, state: KinapaState, seen: ob.Observation) -> tuple[Event, ...]:
        """The ruling; under `hand=hold` also which buttons are down, whatever they mean now (KA24)."""
        ruled = super().decide(state, seen)
        if state.options.hand != "hold" or self.outcome(state) is not None:
            return ruled
        match seen:
            case ob.ButtonPressed(chair=int(chair)):
                seat = state.seat_of(chair)
                return ruled if seat is None or seat in state.down else (*ruled, model.ButtonDown(seat))
            case ob.ButtonReleased(chair=int(chair)):
                seat = state.seat_of(chair)
                return (*ruled, model.ButtonUp(seat)) if seat in state.down else ruled
            case ob.ProgramRestarted() | ob.AdapterLost():  # nobody saw what they did meanwhile
                return (*ruled, *map(model.ButtonUp, state.down))
        return ruled

    def after_abandonment(self, state: KinapaState) -> KinapaState:
        return replace(state, phase=KinapaPhase.OVER)

    def judge_cue(self, state: KinapaState, cue: ob.CueHeard) -> tuple[Event, ...]:
        return judge.open_count(state, cue.at, cue.by)

    def timer(self, state: KinapaState) -> Timer | None:
        if state.phase not in _WINDOW_PHASES:
            return None
        turn, seconds = state.turn, state.options.count_seconds
        if state.phase is KinapaPhase.ANNOUNCED:
            return Timer("cue", turn.cue_due)
        if turn.first_beat is None or not seconds:
            return None
        beat = turn.beat + 1
        name = "beat" if beat < seconds else "lock"
        return Timer(name, turn.first_beat + beat * SECOND)

    def judge_timer(self, state: KinapaState, timer: str, at: Micros) -> tuple[Event, ...]:
        if state.phase is KinapaPhase.COUNTING:
            if timer == "beat":
                return (model.BeatStruck(state.turn.beat + 1),)
            return judge.lock_hands(state) if timer == "lock" else ()
        unheard = timer == "cue" and state.phase is KinapaPhase.ANNOUNCED
        return judge.open_count(state, at, "timer") if unheard else ()

    def is_window_open(self, state: KinapaState) -> bool:
        return state.phase in _WINDOW_PHASES

    def awaited_cue(self, state: KinapaState) -> Cue | None:
        if state.phase is not KinapaPhase.ANNOUNCED or state.desk.paused:
            return None
        turn = state.turn
        said = model.NumberAnnounced if turn.attempt <= 1 else model.RecountAsked
        beats = state.options.count_seconds
        return Cue(COUNT_CUE, turn.number, turn.attempt, beats, f"{self.name}.{kind_of(said)}")

    def awaited_regions(self, state: KinapaState) -> frozenset[str]:
        if state.phase in {KinapaPhase.TURNING, KinapaPhase.PLACING}:
            return frozenset(f"slot:{slot}" for slot in range(1, len(state.slots) + 1))
        return frozenset({"audit"}) if state.phase is KinapaPhase.AUDITING else frozenset()

    def shown_in_turn(self, state: KinapaState) -> frozenset[str]:
        return frozenset({"audit"}) if state.phase is KinapaPhase.AUDITING else frozenset()

    def judge_draw(self, state: KinapaState, lot: ob.RandomDraw) -> tuple[Event, ...]:
        assert state.turn.partner is not None
        return (model.HandPlaceDrawn(state.turn.partner, lot.index + 1),)

    def judge_idle_press(self, state: KinapaState, seat: Seat, at: Micros) -> tuple[Event, ...]:
        if seat == state.emperor:
            return ()
        if state.phase in {KinapaPhase.ANNOUNCING, KinapaPhase.RECOUNTING} or bot_decks.must_lay_aids_first(
            state
        ):
            return (model.HandTooEarly(seat),)
        if state.phase is KinapaPhase.PAIRING:
            return (model.HandTooLate(seat),)
        if state.phase is KinapaPhase.AIDING:
            up = seat in state.turn.raised and state.options.hand == "toggle"
            return judge.judge(state, Action(seat, "lower" if up else "raise"), at)
        if state.phase in judge.HAND_PHASES and state.seats[seat].foxes:
            return judge.judge(state, Action(seat, "raise"), at)
        return ()

    def judge_idle_release(
        self, state: KinapaState, seat: Seat, seen: ob.ButtonReleased
    ) -> tuple[Event, ...]:
        if state.options.hand != "hold":
            return ()
        up = state.phase in judge.HAND_PHASES and seat in state.turn.raised
        return (model.HandLowered(seat),) if up else ()

    def judge_declaration(self, state: KinapaState, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table says what is where; nonsense is refused by name, and nothing changes."""
        if state.phase is KinapaPhase.STARTING:
            return (shared.Infraction("repair.not_started"),)
        events = (*self.void_window(state, "repair"), shared.Repaired(table.table, keeps=True))
        after = self.evolve_if_sound(state, events)
        if after is None:
            return (shared.Infraction("repair.impossible"),)
        asks_again = after.phase is KinapaPhase.SUCCEEDING and after.crown_candidates != after.turn.candidates
        return (*events, *rule_succession(after)) if asks_again else events

    def result(self, state: KinapaState) -> Result | None:
        if state.winner is None:
            return None
        both = state.bots and bot_decks.win_condition(state) == "both_decks"
        return "fourth_pair" if both else "second_pair", (state.winner,)

    def label(self, state: KinapaState, action: Action) -> Sentence:
        said = super().label(state, narration.without_place(action))
        return narration.choice_label(state, action) or said

    def choice_picture(self, action: Action) -> str:
        match action.verb:
            case "turn":
                return f"object:{str(action.value).partition('@')[0]}"
            case "place" | "announce" | "claim_animal":
                return f"animal:{action.value}"
        return ""

    def sentence(self, state: KinapaState, event: Event, *, log: bool = False) -> Sentence | None:
        said = super().sentence(state, event, log=log)
        if said is not None and not log and isinstance(event, model.EmperorCrowned) and state.left_one:
            said = Sentence(said.key, (*said.parts, ("left_one", state.left_one)))
        return None if said is None else narration.with_bot_suffix(said)

    def sentence_key(self, event: Event) -> str:
        """What was voided is the count, and hands are raised again."""
        match event:
            case shared.WindowVoided():
                return f"kinapa.WindowVoided.{event.reason}"
        return super().sentence_key(event)

    def sentence_parts(self, state: KinapaState, event: Event) -> SentenceParts:
        return narration.sentence_parts(state, event, super().sentence_parts(state, event))

    def recap_statistics(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        counts = Counter(type(event) for entry in standing for event in entry.events)
        return (
            ("turns", counts[model.HandsLocked]),
            ("lies", counts[model.LiarPunished]),
            ("bluffs", counts[model.LieProven]),
            ("pairs", counts[model.PairPlaced]),
        )

    def explanation_key(self, state: KinapaState, event: Event) -> str:
        row = narration.explanation_key(state, event) or super().explanation_key(state, event)
        return row + narration.BOT_SUFFIX if state.bots and row in narration.BOT_WORDED_REASONS else row
