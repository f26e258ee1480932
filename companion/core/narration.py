"""How rulings and choices are told: the keys of sentences and their parts, never the words."""

from __future__ import annotations

from typing import ClassVar, Generic, Literal

from msgspec.structs import replace

from companion.core import events as ev
from companion.core.actions import Action, Chair, Prompt, Seat, Setup
from companion.core.board import Board, Move
from companion.core.desk import STEERING, S
from companion.core.events import Event
from companion.core.view import Choice, Sentence


class Narration(Generic[S]):
    """What a game has to say of itself; every default is what most games say."""

    name: ClassVar[str]
    board: ClassVar[Board] = Board()
    """What table, screen and voice do otherwise in this game."""
    bare: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose choices are numbers under a question; the log says `<game>.do.<verb>.chosen` of them."""

    def chair_of(self, state: S, seat: Seat) -> Chair:
        """The person behind a seat."""
        return state.setup.chairs[seat]

    def prepare(self, setup: Setup) -> tuple[Sentence, ...]:
        """What to do with the real cards before the first turn."""
        return ()

    def put_back(self, later: S, earlier: S) -> tuple[Sentence, ...]:
        """What to do on the table when rulings are taken back from `later` to `earlier`."""
        return ()

    def choices(self, state: S, prompt: Prompt) -> tuple[Choice, ...]:
        """A prompt as its chair's panel shows it."""
        cursor = state.desk.cursor(prompt)
        presses = {1: ("press",), 2: ("tap", "hold")}.get(len(prompt.options))
        return tuple(
            Choice(
                action=action,
                label=self.label(state, action),
                press=presses[place] if presses else ("hold" if place == cursor else "tap"),
                marked=place == cursor,
                move=self.board.moves.get(action.verb, Move.NONE),
            )
            for place, action in enumerate(prompt.options)
        )

    def label(self, state: S, action: Action) -> Sentence:
        """What a choice is called on a panel."""
        parts: tuple[tuple[str, str | int], ...] = () if action.value is None else (("value", action.value),)
        return Sentence(f"{self.name}.do.{action.verb}", parts)

    def chosen(self, state: S, action: Action) -> Sentence:
        """A choice as it may stand in the log: a card that was named may lie hidden by now."""
        named = isinstance(action.value, str)
        said = self.label(state, replace(action, value=None) if named else action)
        return Sentence(f"{said.key}.chosen", said.parts) if action.verb in self.bare else said

    def sentence(self, state: S, event: Event, *, log: bool = False) -> Sentence | None:
        """How a ruling is told: aloud at once, or (`log`) later, when some of it may lie hidden again."""
        if self.silent(event):
            return None
        whole = self.parts(state, event)
        public = self.public_parts(state, event) if log else whole
        return Sentence(self.key(event) + (".hidden" if public != whole else ""), public)

    def hides(self, state: S, event: Event) -> bool:
        """Whether some of what a ruling tells may not be told in `state`."""
        return not self.silent(event) and self.public_parts(state, event) != self.parts(state, event)

    def key(self, event: Event) -> str:
        """The catalogue's key of a ruling."""
        match event:
            case ev.Infraction():
                return f"{self.name}.rule.{event.rule}"
            case ev.Repair():
                return f"{self.name}.repair.{event.what}"
            case ev.WindowVoided():
                return f"shared.WindowVoided.{event.reason}"
        shared = type(event).__module__ == ev.__name__
        return f"{'shared' if shared else self.name}.{type(event).__name__}"

    def parts(self, state: S, event: Event) -> tuple[tuple[str, str | int], ...]:
        """The named parts of a ruling's sentence: its fields, with seats told as chairs."""
        told: list[tuple[str, str | int]] = []
        for field in event.__struct_fields__:
            value = getattr(event, field)
            if field == "seat" and isinstance(value, int):
                told.append(("chair", self.chair_of(state, value)))
            elif (
                isinstance(value, (str, int))
                and not isinstance(value, bool)
                and field not in {"rule", "reason"}
            ):
                told.append((field, value))
        return tuple(told)

    def lies_at(self, state: S, event: Event) -> str | None:
        """The place where what a ruling names has lain open ever since; None where it does not.

        Only of such a ruling may be told how surely it was read: of a hidden face the figure would tell it.
        """
        return None

    def why(self, event: Event) -> str:
        """The key of the rule behind a ruling; the catalogue explains it as `<game>.why.<key>`."""
        return event.rule if isinstance(event, ev.Infraction) else type(event).__name__

    def silent(self, event: Event) -> bool:
        """Whether a ruling is never told: bookkeeping, and what would leak."""
        return isinstance(event, (*STEERING, ev.GameUncovered))

    def settles(self, event: Event) -> Literal["", "earlier", "itself"]:
        """What becomes final once this was told, because it told of what lies hidden.

        `earlier`: nothing that was ruled before it; `itself`: nor the ruling itself.
        """
        return ""

    def summons(self, event: Event) -> bool:
        """Whether everybody has to look up: whatever lies over the table is put away at once."""
        return False

    def notice(self, event: Event) -> tuple[Seat, str] | None:
        """Whose press was in vain, and the word `ui.<word>` for that panel."""
        return None

    def public_parts(self, state: S, event: Event) -> tuple[tuple[str, str | int], ...]:
        """The named parts of a ruling's sentence as it may stand in the log in `state`."""
        return self.parts(state, event)
