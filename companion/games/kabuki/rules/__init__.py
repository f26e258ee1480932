"""Rules of Kabuki for two to six players, as a referee applies them.

Fifty masks: ten designs, five of each; designs of one colour look alike. Everybody has tokens, five each with
up to four players, else four. In turn each player:

1. draws the top mask, shows it to everybody, and
2. places it face up on one of the four stacks, over what is there. Only the top of a stack is seen.

From its placement until the next mask is placed, every other player may call Stop by their button: "the
mask on top lies in this stack already". Play stands still, and everybody looks at that stack.

3. With m masks of the same design (not only colour) under it, the caller takes m tokens from the placer, at
   most what the placer has. With none, the caller puts one token into the box. Other doubles in the stack are
   past and forgiven. The stack goes back in its order, and the turn goes on; the placement stands.
4. A round ends when somebody has no token, or some seconds after the last mask. Everybody scores the tokens
   in front. After three rounds the highest sum wins, shared where it is equal.

The referee sees what is placed where and so knows m beforehand. It tells nobody, by no word, lamp or delay:
the players look themselves, and its own count is only the second opinion.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from companion.core import button_choices, game_status
from companion.core import events as shared
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import Action, Chair, Micros, Result, Seat, Setup, Timer
from companion.core.events import Event
from companion.core.exhibits import Exhibit, PhotoFinish
from companion.core.verbs import infraction_ruling
from companion.core.view import Choice, Sentence, SentenceParts, SetupPicture
from companion.games.kabuki.rules import (
    camera_rulings,
    judge,
    model,
    narration,
    player_prompts,
    recap,
    stops,
    view,
)
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState
from companion.games.kit.narration import score_sentences, standing_sentences, turn_sentences
from companion.games.kit.race import TIE_WINDOW

_OPEN_PHASES = frozenset(
    {
        KabukiPhase.CHECKING,
        KabukiPhase.SHOWING,
        KabukiPhase.RESTORING,
        KabukiPhase.SHUFFLING,
        KabukiPhase.OVER,
    }
)
"""Here a stack, or every stack, is looked into."""


class Kabuki(base.Rules[KabukiState]):
    """The rules of Kabuki over what the referee knows."""

    name = "kabuki"
    number_verbs = frozenset({"twins"})
    camera_sentences = frozenset({"kabuki.hint.playing", "kabuki.phase.playing"})
    board = view.BOARD
    unspoken_fields = narration.UNSPOKEN_FIELDS
    cardless_parts = narration.CARDLESS_PARTS
    players = range(2, 7)
    options = model.KabukiOptions
    events = model.AnyKabukiEvent
    has_rests = True

    prompts = staticmethod(player_prompts.prompts)
    extra_actions = staticmethod(player_prompts.list_extra_actions)
    after_repair = staticmethod(judge.apply_repair)
    judge = staticmethod(judge.judge)
    judge_regions = staticmethod(camera_rulings.judge_regions)
    unread_places = staticmethod(camera_rulings.unread_places)
    after_void_window = staticmethod(model.void_window)
    find_violation = staticmethod(model.find_violation)
    undo_barrier = staticmethod(narration.undo_barrier)
    is_reading = staticmethod(narration.is_reading)
    ineffective_press = staticmethod(narration.ineffective_press)
    open_position_of = staticmethod(narration.open_position_of)
    open_faces = staticmethod(view.open_faces)
    restore_instructions = staticmethod(view.restore_instructions)
    restored_turn = staticmethod(view.restored_turn)
    view = view.view

    def initial_state(self, setup: Setup) -> KabukiState:
        return KabukiState(setup=setup, desk=game_status.GameStatus(), tokens=(0,) * setup.players)

    def valid_field_values(self, setup: Setup) -> Mapping[str, Container[Any]]:
        masks = {model.UNREAD, *model.DESIGNS}
        return {"mask": masks, "cards": masks, "stack": range(1, model.STACK_COUNT + 1)}

    def setup_instructions(self, setup: Setup) -> tuple[Sentence, ...]:
        masks = self.initial_state(setup).options.masks
        return (
            Sentence("kabuki.prepare.cards" if masks == model.DECK_SIZE else "kabuki.prepare.short"),
            Sentence("kabuki.prepare.actors"),
            Sentence("kabuki.prepare.tokens", (("left", model.tokens_per_player(setup.players)),)),
        )

    def setup_pictures(self, setup: Setup) -> tuple[SetupPicture, ...]:
        return (
            SetupPicture(piles=("back:mask",)),
            SetupPicture(laid=tuple(f"actor:{stack}" for stack in range(1, model.STACK_COUNT + 1))),
            SetupPicture(each=("coin",) * model.tokens_per_player(setup.players)),
        )

    def controls(self, state: KabukiState) -> button_choices.Controls:
        table = super().controls(state)
        return {**table, **player_prompts.pointing_controls(state)} if table else table

    def forgets_first(self, place: str) -> bool:
        return place == "show"  # whether where it lies has to be asked depends on the mask in hand

    def correction_choices(self, state: KabukiState, seen: ob.Observation) -> Iterable[Action]:
        own = player_prompts.game_corrections(state, seen)
        return super().correction_choices(state, seen) if own is None else own

    def after_abandonment(self, state: KabukiState) -> KabukiState:
        return replace(state, phase=KabukiPhase.OVER)

    # What is ruled ----------------------------------------------------------------------------------------

    def judge_race_press(
        self, state: KabukiState, chair: Chair, seen: ob.ButtonPressed
    ) -> tuple[Event, ...] | None:
        """Stop counts from the edge of the press, and its source says how finely."""
        seat = state.seat_of(chair)
        asked = judge.can_mark_placement(state) or state.asks_like
        if seat is None or (seat == state.drawer and asked):
            return None
        mine = any(prompt.chair == chair for prompt in self.prompts(state))
        if state.phase is not KabukiPhase.PLAYING and (mine or state.phase not in player_prompts.STOP_PHASES):
            return None
        return stops.call_stop(state, seat, seen.found, seen.source, seen.since)

    def is_press_a_report(self, state: KabukiState, chair: Chair) -> bool:
        return self.judge_race_press(state, chair, ob.ButtonPressed(at=0, chair=chair)) is not None

    def judge_idle_press(self, state: KabukiState, seat: Seat, at: Micros) -> tuple[Event, ...]:
        return stops.judge_late_press(state, seat, at)

    def timer(self, state: KabukiState) -> Timer | None:
        pending = state.pending
        if state.phase is KabukiPhase.CALLED:
            if not pending.locked:
                return Timer(
                    "tie",
                    pending.first_call_at + max(state.options.coarsest_resolution, TIE_WINDOW),
                )
            waits = stops.SETTLING_PATIENCE
            return Timer("mask", state.desk.rest_end(pending.first_call_at + waits, waits))
        if state.phase is not KabukiPhase.PLAYING:
            return None
        timers = [] if state.until is None else [Timer("close", state.until)]
        timers += [
            Timer(name, state.desk.rest_end(due, rest))
            for name, due, rest in (
                ("where", state.hand.where_due, camera_rulings.ASK_WHERE_AFTER),
                ("unread", state.unread_due, camera_rulings.UNREAD_COUNTS_AFTER),
                ("like", state.hand.like_due, camera_rulings.ASK_LIKE_AFTER),
            )
            if due is not None
        ]
        if pending.placement is not None and not state.awaits_earlier_mask:  # a voided Stop left it behind
            timers.append(Timer("placed", pending.placement.lies_since))
        return min(timers, key=lambda timer: timer.due, default=None)

    def judge_timer(self, state: KabukiState, timer: str, at: Micros) -> tuple[Event, ...]:
        match timer, state.phase:
            case "tie", KabukiPhase.CALLED:
                return stops.lock_calls(state, at)
            case "mask", KabukiPhase.CALLED:
                return stops.end_patience(state, at)
            case "unread", KabukiPhase.PLAYING if state.unread:
                return camera_rulings.settle_unread(state, at)
            case "close", KabukiPhase.PLAYING:
                return stops.close_window(state)
            case "where", KabukiPhase.PLAYING:
                return (model.PlacementMissed(state.drawer),)
            case "like", KabukiPhase.PLAYING:
                return (model.LikeAsked(state.drawer),)
            case "placed", KabukiPhase.PLAYING if state.pending.placement is not None:
                return stops.place_waiting(state, at)
        return ()

    def is_window_open(self, state: KabukiState) -> bool:
        """The order of a Stop is open for an instant, and some masks may be stopped for seconds."""
        if state.phase is KabukiPhase.CALLED:
            return not state.pending.locked
        return state.phase is KabukiPhase.PLAYING and state.until is not None

    def is_race_on(self, state: KabukiState) -> bool:
        """Whenever a Stop is possible; one that has a last instant is a window."""
        called = state.phase is KabukiPhase.CALLED and not state.pending.locked
        return called or (state.phase is KabukiPhase.PLAYING and not state.closed and state.until is None)

    def awaited_regions(self, state: KabukiState) -> frozenset[str]:
        stacks = frozenset(f"stack:{stack}" for stack in range(1, model.STACK_COUNT + 1))
        match state.phase:
            case KabukiPhase.CHECKING | KabukiPhase.SHOWING:
                return stacks | {"audit", "show"}
            case KabukiPhase.STARTING | KabukiPhase.SHUFFLING | KabukiPhase.OVER:
                return frozenset()
        return stacks | {"show"}

    def judge_truth(
        self, state: KabukiState, truth: ob.Observation, misread: ob.RegionReading | None
    ) -> tuple[Event, ...]:
        """A mask that was misread has lain there since it was seen: what a Stop is about depends on it."""
        ruled = self.decide(state, truth)
        said = truth.action if isinstance(truth, ob.ActionDeclared) and truth.action.verb == "place" else None
        target = None if said is None else judge.parse_placement(said.value)
        broken = any(isinstance(event, shared.Infraction) for event in ruled)
        if target is None or broken or misread is None or misread.name != f"stack:{target[0]}":
            return ruled
        here = model.Placement(*target, misread.clear_until, misread.lies_since)
        return camera_rulings.judge_new_mask(state, here, truth.at, said=True)

    def shown_in_turn(self, state: KabukiState) -> frozenset[str]:
        return frozenset({"show"}) if state.phase is KabukiPhase.SHOWING else frozenset()

    def awaited_draw(self, state: KabukiState) -> tuple[str, ...] | None:
        if state.phase is not KabukiPhase.STARTING:
            return None
        return tuple(str(seat) for seat in range(state.players))

    def judge_draw(self, state: KabukiState, lot: ob.RandomDraw) -> tuple[Event, ...]:
        return (model.StarterDrawn(lot.index),)

    def judge_declaration(self, state: KabukiState, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table says who has how many tokens and whose turn it is."""
        playing = state.phase is KabukiPhase.PLAYING
        return self.rule_repair(state, table) if playing else infraction_ruling("repair.not_now")

    def result(self, state: KabukiState) -> Result | None:
        return ("three_rounds", state.winners) if state.winners else None

    # What is announced ------------------------------------------------------------------------------------

    def redact(self, state: KabukiState) -> KabukiState:
        """Masks are known while they lie on top, in a check, and between rounds."""
        if state.phase in _OPEN_PHASES and not (state.desk.abandoned and not state.desk.uncovered):
            return state
        stacks = tuple([tuple(map(_hide_design, stack[:-1])) + stack[-1:] for stack in state.stacks])
        return replace(state, stacks=stacks)

    def forget(self, state: KabukiState, place: str) -> Event | None:
        return model.FaceForgotten(place)

    def shared_button_choices(self, state: KabukiState) -> tuple[Choice, ...]:
        """What back, next and OK do now, and what touching a stack says."""
        if state.desk.paused or self.outcome(state) is not None:
            return ()
        buttons = ((choice.action, choice.press) for choice in super().shared_button_choices(state))
        touched = ((action, "touch") for action in player_prompts.stack_touch_actions(state))
        return tuple(self._build_choice(state, action, press) for action, press in (*buttons, *touched))

    def _build_choice(self, state: KabukiState, action: Action, press: str) -> Choice:
        """A choice, and where it names one, the stack and the mask on it."""
        stack, design = narration.placement_in_action(action, "place", "name") or (0, "")
        return Choice(
            action,
            self.label(state, action),
            press,
            region=f"stack:{stack}" if stack else "",
            card=f"mask:{design}" if design else "",
        )

    def label(self, state: KabukiState, action: Action) -> Sentence:
        return narration.choice_label(state, action) or super().label(state, action)

    def choice_picture(self, action: Action) -> str:
        _, design = narration.placement_in_action(action, "place", "name") or (0, action.value)
        return f"mask:{design}" if isinstance(design, str) and design else ""

    def choice_for_log(self, state: KabukiState, action: Action) -> Sentence:
        """A mask that was touched is named by its stack."""
        target = narration.placement_in_action(action, "place")
        return super().choice_for_log(state, action if target is None else replace(action, value=target[0]))

    def explanation_key(self, state: KabukiState, event: Event) -> str:
        """A reason that is another under a house rule."""
        row = super().explanation_key(state, event)
        return f"{row}.to_placer" if row == "StopWrong" and state.options.wrong_call == "placer" else row

    def sentence_key(self, event: Event) -> str:
        return narration.sentence_key(event) or super().sentence_key(event)

    def sentence_parts(self, state: KabukiState, event: Event) -> SentenceParts:
        return narration.sentence_parts(state, event, super().sentence_parts(state, event))

    def needs_attention(self, event: Event) -> bool:
        """Who called has to be seen."""
        return isinstance(event, model.StopCalled)

    def follow_up_sentences(self, state: KabukiState, event: Event) -> tuple[Sentence, ...]:
        match event:
            case shared.Infraction(rule="turn.not_yours"):
                return turn_sentences(self, state)
            case model.KabukiRoundEnded():
                said = (
                    standing_sentences(self, state, state.totals) if state.options.game_by == "totals" else ()
                )
                return (*said, *narration.next_tokens_sentences(state))
            case model.KabukiGameWon() if state.options.game_by == "totals":
                return score_sentences(state, state.totals)
        return ()

    def recap_statistics(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        return recap.recap_statistics(event for entry in reversed(list(standing)) for event in entry.events)

    def photo_finishes(self, state: KabukiState, standing: Iterable[Any]) -> tuple[PhotoFinish, ...]:
        return recap.photo_finishes(state.setup.chairs, state.options, reversed(list(standing)))

    def exhibit(self, state: KabukiState, standing: Iterable[Any]) -> Exhibit | None:
        """A contested Stop while its stack is not lifted, a round while the masks are shuffled."""
        chairs, options = state.setup.chairs, state.options
        if state.phase is KabukiPhase.STOPPED and state.stop is not None:
            found = recap.photo_finishes(
                chairs, options, recap.entries_since_mask(state.stop.number, standing), state.round
            )
            return found[-1] if found and found[-1].contested else None
        if state.phase in {KabukiPhase.SHUFFLING, KabukiPhase.OVER} and state.scores:
            return recap.build_round_recap(
                chairs, options, recap.entries_since_mask(0, standing), state.totals
            )
        return None


def _hide_design(mask: model.PlacedMask) -> model.PlacedMask:
    """A mask of which only the back could be seen."""
    return replace(mask, design=model.UNREAD)
