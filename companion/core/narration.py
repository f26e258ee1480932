"""Announcements of rulings and choices as catalogue keys with parts, never as words."""

from typing import ClassVar, Generic, Literal

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import Action, Chair, Prompt, Seat, Setup
from companion.core.board import Board, CardMove
from companion.core.events import Event
from companion.core.game_status import BUTTON_EVENTS, S
from companion.core.view import Choice, Sentence


class Narration(Generic[S]):
    """The announcements of a game, with defaults that suit most games."""

    name: ClassVar[str]
    board: ClassVar[Board] = Board()
    """How this game is presented."""
    silent_events: ClassVar[tuple[type[Event], ...]] = ()
    """Rulings of this game that are never announced."""
    unspoken_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields of events that no sentence of this game names."""
    number_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose choices are bare numbers under a question; the log uses `<game>.do.<verb>.chosen`."""

    def chair_of(self, state: S, seat: Seat) -> Chair:
        """The chair of a seat."""
        return state.setup.chairs[seat]

    def seat_of(self, state: S, chair: Chair) -> Seat | None:
        """The seat of a chair; None if it is not in the game."""
        return state.setup.chairs.index(chair) if chair in state.setup.chairs else None

    def setup_instructions(self, setup: Setup) -> tuple[Sentence, ...]:
        """How to set up the cards before the first turn."""
        return ()

    def restore_instructions(self, later: S, earlier: S) -> tuple[Sentence, ...]:
        """What has to be put back on the table after an undo from `later` to `earlier`."""
        return ()

    def choices(self, state: S, prompt: Prompt) -> tuple[Choice, ...]:
        """A prompt's choices as shown to its chair."""
        cursor = state.desk.choice_index(prompt)
        presses = {1: ("press",), 2: ("tap", "hold")}.get(len(prompt.actions))
        return tuple(
            Choice(
                action=action,
                label=self.label(state, action),
                press=presses[place] if presses else ("hold" if place == cursor else "tap"),
                marked=place == cursor,
                move=self.board.verb_moves.get(action.verb, CardMove.NONE),
            )
            for place, action in enumerate(prompt.actions)
        )

    def label(self, state: S, action: Action) -> Sentence:
        """The label of a choice."""
        parts: tuple[tuple[str, str | int], ...] = () if action.value is None else (("value", action.value),)
        return Sentence(f"{self.name}.do.{action.verb}", parts)

    def choice_for_log(self, state: S, action: Action) -> Sentence:
        """A choice as worded in the log, where it must not name a card that may be hidden by now."""
        named = isinstance(action.value, str)
        said = self.label(state, replace(action, value=None) if named else action)
        return Sentence(f"{said.key}.chosen", said.parts) if action.verb in self.number_verbs else said

    def sentence(self, state: S, event: Event, *, log: bool = False) -> Sentence | None:
        """The announcement of a ruling; `log`: as worded later, when a card it names may be hidden again."""
        if self.is_silent(event):
            return None
        whole = self.sentence_parts(state, event)
        public = self.public_parts(state, event) if log else whole
        return Sentence(self.sentence_key(event) + (".hidden" if public != whole else ""), public)

    def follow_up_sentences(self, state: S, event: Event) -> tuple[Sentence, ...]:
        """What is said right after a ruling and stands in no log: whose turn it is, or who leads by now."""
        return ()

    def mentions_hidden(self, state: S, event: Event) -> bool:
        """Whether the announcement of a ruling contains something that is hidden in `state`."""
        return not self.is_silent(event) and self.public_parts(state, event) != self.sentence_parts(
            state, event
        )

    def sentence_key(self, event: Event) -> str:
        """The catalogue key of a ruling."""
        match event:
            case ev.Infraction():
                return f"{self.name}.rule.{event.rule}"
            case ev.Repair():
                return f"{self.name}.repair.{event.what}"
            case ev.WindowVoided():
                return f"shared.WindowVoided.{event.reason}"
        shared = type(event).__module__ == ev.__name__
        return f"{'shared' if shared else self.name}.{ev.kind_of(event)}"

    def sentence_parts(self, state: S, event: Event) -> tuple[tuple[str, str | int], ...]:
        """The named parts of a ruling's sentence: its fields, with seats replaced by chairs."""
        told: list[tuple[str, str | int]] = []
        for field in event.__struct_fields__:
            value = getattr(event, field)
            if field == "seat" and isinstance(value, int):
                told.append(("chair", self.chair_of(state, value)))
            elif (
                isinstance(value, (str, int))
                and not isinstance(value, bool)
                and field not in {"rule", "reason"}
                and field not in self.unspoken_fields
            ):
                told.append((field, value))
        return tuple(told)

    def open_position_of(self, state: S, event: Event) -> str | None:
        """The place where the card named by a ruling has been face up ever since, or None.

        The probability of a reading may be shown only for such a card: for a hidden one it would be a hint.
        """
        return None

    def explanation_key(self, state: S, event: Event) -> str:
        """The key of the rule a ruling follows from, as it holds at this table; the explanation is
        `<game>.why.<key>`.
        """
        return event.rule if isinstance(event, ev.Infraction) else ev.kind_of(event)

    def is_silent(self, event: Event) -> bool:
        """Whether a ruling is never announced: bookkeeping, or it would reveal something hidden."""
        return isinstance(event, (*BUTTON_EVENTS, ev.GameUncovered, *self.silent_events))

    def undo_barrier(self, event: Event) -> Literal["", "look", "earlier", "itself"]:
        """Which rulings can no longer be undone after this announcement, because it revealed hidden cards.

        `earlier`: all rulings before it; `itself`: these and the ruling itself. `look`: the same as `itself`,
        but nothing follows from the look yet, so a reading before it may still be corrected.
        """
        return ""

    def is_reading(self, cause: ob.Observation) -> bool:
        """Whether somebody read a card, which a later look (`undo_barrier`) may show to be wrong."""
        return isinstance(cause, ob.TableSeen)

    def needs_attention(self, event: Event) -> bool:
        """Whether the ruling needs everybody's attention, so that any overlay is closed at once."""
        return False

    def ineffective_press(self, event: Event) -> tuple[Seat, str] | None:
        """The seat whose press had no effect, and the key `ui.<word>` of the message for it."""
        return None

    def public_parts(self, state: S, event: Event) -> tuple[tuple[str, str | int], ...]:
        """The named parts of a ruling's sentence as the log may show them in `state`."""
        return self.sentence_parts(state, event)
