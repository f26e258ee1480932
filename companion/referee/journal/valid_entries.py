"""Valid entries of a journal after undo and correction, with the states they fold to.

The valid entries are a linked list of nodes, each pointing to the one before it, so that branches share their
past and every earlier state is available. An entry that retracts `k` continues from the node before `k`. An
entry that corrects `k` continues from there too, with its own rulings in place of the old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct, msgpack
from msgspec.structs import replace

from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.game_status import GameState, S
from companion.core.observations import AnyObservation, CorrectionRequested
from companion.core.rules import Rules
from companion.referee.journal.codec import CHAIRS
from companion.referee.journal.entry import Entry, JournalError

T = TypeVar("T")
Evolve = Callable[[T, Event], T]
MAX_STATE_BYTES = 16_000
"""Bytes of a serialised state, without what buttons were offered: four times the largest of our games.

Without a bound, events could add up."""
MAX_REJUDGED = 100_000
"""Entries that the corrections of one journal judge again, in all; an evening needs some thousands."""
MISFIT_ERRORS = (
    LookupError,
    ValueError,
    AssertionError,
    TypeError,
    AttributeError,
    RuntimeError,
    OverflowError,
)
"""Exceptions that the rules raise on a journal that no referee wrote."""


class Node(Struct, Generic[T], frozen=True, eq=False):
    """One valid entry, the state after it, and the node before it.

    Unlike other values it is tracked by the garbage collector, which frees a long list without recursion.
    """

    entry: Entry[Event] | None
    """None at the root: the initial state."""
    state: T
    before: Node[T] | None
    length: int = 0
    """Number of valid entries up to this one."""

    def walk_back(self) -> Iterator[tuple[Entry[Event], Node[T], Node[T]]]:
        """The valid entries, newest first, each with its node and the node before it."""
        node = self
        while node.entry is not None and node.before is not None:
            yield node.entry, node, node.before
            node = node.before


def fold(evolve: Evolve[T], state: T, events: Iterable[Event]) -> T:
    """The state after `events`."""
    for event in events:
        state = evolve(state, event)
    return state


def add_entry(evolve: Evolve[T], nodes: Sequence[Node[T]], entry: Entry[Event]) -> Node[T]:
    """The node after `entry`; `nodes[k]` is the newest node before entry `k` was added."""
    head = nodes[entry.seq]
    if entry.retracts is not None:
        head = nodes[entry.retracts]
    elif entry.corrects is not None:
        rejudged = tuple(rejudged_entries(head, entry))
        head = node_before(head, entry.corrects)
        for ruling in rejudged:
            head = next_node(head, ruling, check_state_size(fold(evolve, head.state, ruling.events)))
    return next_node(head, entry, fold(evolve, head.state, entry.events))


def next_node(head: Node[T], entry: Entry[Event], state: T) -> Node[T]:
    """The node that follows `head`."""
    return Node(entry, state, head, head.length + 1)


def check_state_size(state: T) -> T:
    """The state itself; raises `JournalError` if it is larger than that of any real game.

    What a button was offered stays until its chair's next press, and may be 240 bids: of that there is one
    list for each chair, as long as the entry it came from.
    """
    bare, offered = state, 0
    if isinstance(state, GameState):
        bare, offered = replace(state, desk=replace(state.desk, marks=())), len(state.desk.marks)
    if offered > len(CHAIRS) or len(msgpack.encode(bare)) > MAX_STATE_BYTES:
        raise JournalError("damaged", "more lies here than on any table")
    return state


def node_before(head: Node[T], seq: int) -> Node[T]:
    """The node before entry `seq` in the list that ends at `head`; raises `JournalError` if there is none."""
    for entry, _, earlier in head.walk_back():
        if entry.seq == seq:
            return earlier
    raise JournalError("damaged", f"entry {seq} is corrected but does not stand")


def rejudged_entries(head: Node[T], entry: Entry[Event]) -> Iterator[Entry[Event]]:
    """A correction's rulings, as entries that replace the old ones; raises `JournalError` for a misfit."""
    causes: dict[int, AnyObservation] = {}
    for old, _, _ in head.walk_back():
        causes.setdefault(old.seq, old.cause)
        if old.seq == entry.corrects:
            break
    if isinstance(entry.cause, CorrectionRequested) and entry.cause.truth is not None:
        causes[entry.cause.seq] = entry.cause.truth
    for ruling in entry.rejudged:
        cause = ruling.timer or causes.get(ruling.seq)
        if cause is None:
            raise JournalError("damaged", f"entry {ruling.seq} is judged again but does not stand")
        yield Entry(ruling.seq, cause, ruling.events)


def build_nodes(evolve: Evolve[T], start: T, entries: Sequence[Entry[Event]]) -> list[Node[T]]:
    """The newest node before each entry was added, and finally the newest of all; raises `JournalError`."""
    nodes = [Node(None, start, None)]
    again = 0
    for entry in entries:
        try:
            if entry.retracts is None and entry.corrects is None:
                head = nodes[-1]
                state = head.state
                for event in entry.events:
                    state = evolve(state, event)
                nodes.append(next_node(head, entry, state))
            else:
                nodes.append(add_entry(evolve, nodes, entry))
            if entry.corrects is not None:
                again = _count_rejudged(again + nodes[-2].length - nodes[-1].length + 1 + len(entry.rejudged))
            if entry.events:
                check_state_size(nodes[-1].state)
        except MISFIT_ERRORS as error:
            raise misfit_error(error, entry.seq) from error
    return nodes


def misfit_error(error: Exception, seq: int) -> JournalError:
    """The error with which entry `seq` failed, as a `JournalError` that names its line."""
    if isinstance(error, JournalError):
        return JournalError(error.key, error.what, line=seq + 2)
    return JournalError("damaged", f"no table could come to this{describe_error(error)}", line=seq + 2)


def describe_error(error: Exception) -> str:
    """A readable description of an exception that the rules raised."""
    return " (it names what is not there)" if isinstance(error, LookupError) else ""


def _count_rejudged(again: int) -> int:
    """The number of entries judged again so far; raises if there are too many."""
    if again > MAX_REJUDGED:
        raise JournalError("too_long", "more is corrected than at any table")
    return again


def standing_entries(entries: Sequence[Entry[Event]]) -> tuple[Entry[Event], ...]:
    """The valid entries, oldest first; an entry that was judged again keeps its `seq`."""
    head = build_nodes(_keep_none, None, entries)[-1]
    return tuple(entry for entry, _, _ in head.walk_back())[::-1]


def replay_state(rules: Rules[S], setup: Setup, entries: Sequence[Entry[Event]]) -> S:
    """The state of a journal: the fold of its valid events."""
    return build_nodes(rules.evolve, rules.initial_state(setup), entries)[-1].state


def _keep_none(state: None, _: Event) -> None:
    return state
