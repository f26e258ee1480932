"""The referee of one game: the only writer of its journal.

Each observation is decided under the rules, written to the journal with its rulings, and folded into the
state. Undo and correction are entries too; nothing is erased.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from itertools import islice, takewhile
from typing import Generic

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import Action, Micros, Timer
from companion.core.events import Event
from companion.core.game_status import S
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.correction import Rejudgement, StuckTimerError, Truth, check_timer_moved, is_ruling
from companion.referee.faces import Faces, Identity
from companion.referee.journal import Entry, Journal, Node, WriteTicket
from companion.referee.journal.codec import MAX_ENTRIES
from companion.referee.journal.entry import DurableTicket
from companion.referee.journal.valid_entries import add_entry, build_nodes, fold, next_node

__all__ = ["NotCorrectableError", "Referee", "StuckTimerError"]

CorrectableObservation = (
    ob.TableSeen | ob.ActionDeclared | ob.HandShown | ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
)
MAX_WITH_IDLE_PRESSES = MAX_ENTRIES * 3 // 4
"""From so many entries on a press on which nothing is ruled is not written: a contact that chatters for an
evening would make a game that cannot be opened again."""


class NotCorrectableError(LookupError):
    """The entry is not valid any more, or is not of a kind that can be corrected."""


_NOT_SAID = (ob.TableSeen, ob.UndoRequested, ob.CorrectionRequested)
"""What lays a card without anybody saying so: the camera, and a return to what lay there."""


class Referee(Generic[S]):
    """Judges one game and writes its journal."""

    def __init__(self, rules: Rules[S], journal: Journal) -> None:
        self.rules = rules
        self.journal = journal
        self.setup = journal.header.setup.with_options(rules.options)
        self._nodes = build_nodes(rules.evolve, rules.initial_state(self.setup), journal.entries)
        self._first_undoable = self._first_correctable = 0
        """The first entries that can still be undone, and whose readings can still be corrected."""
        for entry in journal.entries:
            self._update_undo_limit(entry)
        self.at: Micros = max((entry.cause.at for entry in journal.entries), default=0)
        """The latest instant in the journal, at which the clock of a resumed game starts."""
        self._faces = Faces(rules, self._nodes)
        self._renamed: dict[Node[S], frozenset[str]] = {}
        """Node → the places in which it gave another name to a card that lay open."""
        self._relevant_before: tuple[dict[Node[S], Node[S]], dict[Node[S], Node[S]]] = ({}, {})
        """Nodes that matter neither to undo nor, in the second, to redo → the one before that may."""
        self._last: tuple[int, Entry[Event] | None] = (0, None)
        """The number of nodes and the newest ruling among them, cached because screens ask often."""
        self.ticket: WriteTicket | None = None
        """The ticket of the newest entry judged since the start."""
        self.dry_run: Callable[[S, Entry[Event]], None] = _skip_dry_run
        """Called before an entry is written; raises if its state could not be shown or announced."""

    # Valid entries ---------------------------------------------------------------------------------------

    @property
    def state(self) -> S:
        return self._nodes[-1].state

    def state_before(self, seq: int) -> S:
        """The state in which entry `seq` was judged."""
        return self._nodes[seq].state

    def state_after(self, seq: int) -> S:
        """The state after entry `seq` was judged."""
        return self._nodes[seq + 1].state

    def state_at(self, at: Micros) -> S:
        """The state at `at`: before every valid entry that happened later."""
        state = self.state
        for entry, _, earlier in self._nodes[-1].walk_back():
            if entry.cause.at <= at:
                break
            state = earlier.state
        return state

    def standing_entries(self) -> Iterator[Entry[Event]]:
        """The valid entries, newest first; an entry that was judged again keeps its `seq`."""
        return (entry for entry, _, _ in self._nodes[-1].walk_back())

    def next_timer(self) -> Timer | None:
        return self.rules.next_timer(self._nodes[-1].state)

    def is_open_since(self, seq: int, event: Event, node: Node[S] | None = None) -> bool:
        """Whether the card that entry `seq` ruled on has been face up ever since, whatever was undone.

        A card that was covered in between and is named again may be another one: naming it in the older
        ruling too would reveal whether it is the same. `node`: up to which entry, if not to the newest.
        """
        node = node or self._nodes[-1]
        place = self.rules.open_position_of(node.state, event)
        face = None if place is None else self._faces.face_at(node, place)
        return face is not None and face.since <= seq

    def conceals(self, seq: int, event: Event, node: Node[S] | None = None) -> bool:
        """Whether a ruling of entry `seq` names a hidden card, or one that only looks like the open one."""
        node = node or self._nodes[-1]
        lies = self.rules.open_position_of(node.state, event) is not None
        return self.rules.mentions_hidden(node.state, event) or (
            lies and not self.is_open_since(seq, event, node)
        )

    def lies_still(self, seq: int, place: str) -> bool:
        """Whether what lies open in a place now lay there after entry `seq` and without a break since."""
        then, now = (self._faces.face_at(self._nodes[at], place) for at in (seq + 1, -1))
        return then == now

    def uncovers(self, seq: int) -> bool:
        """Whether the state before entry `seq` would show a card that does not lie open now."""
        return any(self._faces.known_faces(self._nodes[seq]).keys() - self._open_now())

    # Judging ----------------------------------------------------------------------------------------------

    def observe(self, seen: ob.AnyObservation) -> Entry[Event]:
        """Judge an observation and write it to the journal with its rulings."""
        if type(seen) is ob.UndoRequested or type(seen) is ob.CorrectionRequested:
            return self.append_entry(self.judge(seen))
        return self._write_ruling(seen, self.rules.decide(self._nodes[-1].state, seen))

    def judge(self, seen: ob.AnyObservation) -> Entry[Event]:
        """The entry that `observe` would write."""
        seq = len(self._nodes) - 1
        if type(seen) is ob.UndoRequested:
            target = self.find_redoable() if seen.redo else self.find_undoable()
            return Entry(seq, seen) if target is None else self._retraction(target, seen)
        if type(seen) is ob.CorrectionRequested:
            return self.build_correction(seen.seq, seen.truth, seen.at)
        events = self.rules.decide(self.state, seen)
        if type(seen) is ob.TimerElapsed:
            check_timer_moved(self.rules, seen, fold(self.rules.evolve, self.state, events))
        return Entry(seq, seen, events)

    def fire_timers(self, until: Micros) -> list[Entry[Event]]:
        """Judge, in order, every timer due before `until`."""
        fired = []
        while (timer := self.next_timer()) is not None and timer.due < until:
            fired.append(self.observe(ob.TimerElapsed(at=timer.due, timer=timer.name)))
        return fired

    def _write_ruling(self, cause: ob.AnyObservation, events: tuple[Event, ...]) -> Entry[Event]:
        """Append an entry that undoes nothing: the fast path, for most entries."""
        head = self._nodes[-1]
        state = head.state
        for event in events:
            state = self.rules.evolve(state, event)
        if type(cause) is ob.TimerElapsed:
            check_timer_moved(self.rules, cause, state)
        entry = Entry(len(self._nodes) - 1, cause, events)
        if (
            not events
            and entry.seq >= MAX_WITH_IDLE_PRESSES
            and isinstance(cause, ob.ButtonPressed | ob.ButtonReleased)
        ):
            self.ticket = DurableTicket()
            return entry
        return self._append_node(next_node(head, entry, state), entry)

    def append_entry(self, entry: Entry[Event]) -> Entry[Event]:
        """Append an entry that was already judged, possibly by another referee."""
        return self._append_node(add_entry(self.rules.evolve, self._nodes, entry), entry)

    def _append_node(self, node: Node[S], entry: Entry[Event]) -> Entry[Event]:
        self.dry_run(node.state, entry)
        self.ticket = self.journal.append(entry, self.rules.outcome(node.state))
        self._nodes.append(node)
        self.at = max(self.at, entry.cause.at)
        self._update_undo_limit(entry)
        return entry

    def _update_undo_limit(self, entry: Entry[Event]) -> None:
        """What this entry announced may make earlier ones final."""
        told = [(entry.seq, entry.events), *((again.seq, again.events) for again in entry.rejudged)]
        for seq, events in told:
            for event in events:
                if how := self.rules.undo_barrier(event):
                    looked = (
                        seq if seq < self._first_undoable else entry.seq
                    ) + 1  # already then, or only now
                    first = {"earlier": seq, "look": looked, "itself": entry.seq + 1}[how]
                    self._first_undoable = max(self._first_undoable, first)
                    self._first_correctable = max(self._first_correctable, 0 if how == "look" else first)

    # Taking back ------------------------------------------------------------------------------------------

    def find_undoable(self) -> Entry[Event] | None:
        """The ruling that undo would take back; None after the hidden cards were looked at."""
        target = None if self.state.desk.uncovered else self._last_ruling()
        return None if target is None or target.seq < self._first_undoable else target

    @property
    def settled(self) -> bool:
        """Whether the last ruling cannot be undone because hidden cards have been announced since."""
        return self.find_undoable() is None and self._last_ruling() is not None

    def _last_ruling(self) -> Entry[Event] | None:
        if self._last[0] != len(self._nodes):
            self._last = len(self._nodes), self._newest_ruling()
        return self._last[1]

    def _newest_ruling(self) -> Entry[Event] | None:
        voided, node = False, self._nodes[-1]
        while (
            node := node if voided else self._relevant_node(node)
        ).entry is not None and node.before is not None:
            entry, node = node.entry, node.before
            if entry.corrects is not None:
                return entry
            if not voided and self._has_ruling(entry) and not self._would_recur(entry):
                return entry
            if any(isinstance(event, ev.WindowVoided) for event in entry.events):
                voided = True  # the rulings inside that window are void already
            elif voided and not self.rules.is_window_open(node.state):
                voided = False
                if self._has_ruling(entry) and self._looks_different(self._state_after_undo(entry)):
                    return entry
        return None

    def _would_recur(self, entry: Entry[Event]) -> bool:
        """Whether chance, a timer or the camera would rule this again at once: its cause goes, too."""
        if type(entry.cause) is ob.RandomDraw:
            return True
        if type(entry.cause) is ob.TableSeen:
            return self._is_read_anew(entry)
        if type(entry.cause) is not ob.TimerElapsed:
            return False
        undone = self._state_after_undo(entry)  # a pause only delays it
        timer = self.rules.next_timer(replace(undone, desk=replace(undone.desk, paused=False)))
        return timer is not None and timer.due <= self.at

    def _is_read_anew(self, entry: Entry[Event]) -> bool:
        """Whether this came of reading the table after an undo, and nothing has to be put back to undo it."""
        node = self._nodes[entry.seq]
        while (last := self._relevant_node(node, redo=True).entry) and type(last.cause) is ob.TableSeen:
            node = self._nodes[last.seq]
        if last is None or not _is_undo(last):
            return False
        undone = self._state_after_undo(entry)
        recurs = is_ruling(self.rules, self.rules.decide(undone, entry.cause))
        return recurs and not self.rules.restore_instructions(self.state, undone)

    def find_redoable(self) -> Entry[Event] | None:
        """The undo that a redo would reverse.

        None once something new was ruled or the players have put the cards back, or if it would reveal a card
        that is hidden now.
        """
        node = self._nodes[-1]
        while (node := self._relevant_node(node, redo=True)).entry is not None and node.before is not None:
            entry, node = node.entry, node.before
            if _is_undo(entry):
                assert isinstance(entry.cause, ob.UndoRequested)
                return None if entry.cause.done or self.uncovers(entry.seq) else entry
            if entry.corrects is not None or self._has_ruling(entry):
                return None
        return None

    def _relevant_node(self, node: Node[S], *, redo: bool = False) -> Node[S]:
        """The newest node, up to this one, that matters to undo or, if asked, to redo.

        It is cached for all nodes on the way, so that repeated calls do not go through all of them.
        """
        passed: list[Node[S]] = []
        known = self._relevant_before[redo]
        while (
            node.entry is not None
            and node.before is not None
            and not self._is_relevant(node.entry, redo=redo)
        ):
            passed.append(node)
            node = known.get(node, node.before)
        known.update(dict.fromkeys(passed, node))
        return node

    def _is_relevant(self, entry: Entry[Event], *, redo: bool) -> bool:
        matters = _is_undo(entry) if redo else any(isinstance(one, ev.WindowVoided) for one in entry.events)
        return matters or entry.corrects is not None or self._has_ruling(entry)

    def chosen_action(self, entry: Entry[Event]) -> Action | None:
        """The action a player chose with this entry, announced or not; None if it had no effect."""
        return self.rules.chosen_action(self.state_before(entry.seq), entry.cause, entry.events)

    def _has_ruling(self, entry: Entry[Event]) -> bool:
        """Whether the entry can be undone: it has a ruling, or a player's choice, announced or not."""
        return is_ruling(self.rules, entry.events) or self.chosen_action(entry) is not None

    def undo(self, at: Micros) -> Entry[Event] | None:
        """Take back the last ruling; None if there is none."""
        return self._retract(self.find_undoable(), ob.UndoRequested(at=at))

    def redo(self, at: Micros) -> Entry[Event] | None:
        """Reverse the last undo; None if something new was ruled since."""
        return self._retract(self.find_redoable(), ob.UndoRequested(at=at, redo=True))

    def rewind_to(self, seq: int, at: Micros) -> None:
        """Silently return to the state before entry `seq`, to repeat a step of a lesson."""
        if seq < len(self.journal.entries):
            earlier = self._nodes[seq].state
            events = _circumstance_events(self.rules, earlier, self.state, "undo")
            events += self.rules.time_after_return(
                earlier, self.journal.entries[seq].cause.at, self.state, at
            )
            self.append_entry(Entry(len(self._nodes) - 1, ob.UndoRequested(at=at), events, retracts=seq))

    def undo_instructions(self) -> tuple[Sentence, ...]:
        """What an undo would ask the players to put back on the table, and whose turn it is then."""
        entry = self.find_undoable()
        if entry is None:
            return ()
        earlier = self._state_after_undo(entry)
        turn = self.rules.restored_turn(self.state, earlier)
        put_back = self.rules.restore_instructions(self.state, earlier)
        return put_back if turn is None else (*put_back, turn)

    def headline_after_undo(self) -> Sentence | None:
        """The headline after an undo, if it names only players; anything else may be hidden by now."""
        entry = self.find_undoable()
        if entry is None:
            return None
        headline = self.rules.view(self._state_after_undo(entry)).headline
        return headline if {part for part, _ in headline.parts} <= {"chair"} else None

    def _state_after_undo(self, target: Entry[Event]) -> S:
        """The state after `target` would be undone."""
        earlier = self._nodes[target.seq]
        return fold(self.rules.evolve, earlier.state, self._carried_events(earlier))

    def _looks_different(self, state: S) -> bool:
        """Whether a state looks different from the current one; a new attempt at the same cue does not."""
        then, now = self.rules.view(state), self.rules.view(self.state)
        return replace(then, cue=None) != replace(now, cue=None)

    def _retract(self, target: Entry[Event] | None, cause: ob.UndoRequested) -> Entry[Event] | None:
        return None if target is None else self.append_entry(self._retraction(target, cause))

    def _retraction(self, target: Entry[Event], cause: ob.UndoRequested) -> Entry[Event]:
        earlier = self._nodes[target.seq]
        time = self.rules.time_after_return(earlier.state, target.cause.at, self.state, cause.at)
        events = (*self._carried_events(earlier), *time)
        return Entry(len(self._nodes) - 1, cause, events, retracts=target.seq)

    def _carried_events(self, node: Node[S]) -> tuple[Event, ...]:
        """Events that follow a return to a state: they forget what was covered since, and more."""
        over = self.rules.outcome(self.state) is not None  # nothing that was read since has been judged
        return (
            *self._forgetting(node, self._open_now()),
            *_circumstance_events(self.rules, node.state, self.state, "undo"),
            *(self.rules.unread_places(node.state) if over else ()),
        )

    def _open_now(self) -> set[Identity]:
        """The faces that lie open and are known: what was forgotten where it lies may have been covered."""
        return set(self._faces.known_faces(self._nodes[-1]))

    def _forgetting(
        self, node: Node[S], stay: Container[Identity], *, where: Callable[[str], bool] | None = None
    ) -> tuple[Event, ...]:
        """Events that forget all faces known in a state except these; `where`: only in such places."""
        known = self._faces.known_faces(node).items()
        faces = [
            face for identity, face in known if identity not in stay and (where is None or where(face.place))
        ]
        events = (self.rules.forget(node.state, face.place) for face in faces)
        return tuple(dict.fromkeys(event for event in events if event is not None))

    # Correcting -------------------------------------------------------------------------------------------

    def is_correctable(self, seq: int, *, to_nothing: bool = False) -> bool:
        """Whether entry `seq` can be corrected; `to_nothing`: whether it can be said not to have happened.

        Where cards were looked at since, it did happen, and only what was read can have been something else.
        """
        if to_nothing and seq < self._first_undoable:
            return False
        return any(entry.seq == seq for entry in self.correctable_entries())

    def correctable_entries(self) -> Iterator[Entry[Event]]:
        """The entries that can be corrected, newest first.

        None is older than one that named a card which has been covered since, or read one where it does not
        lie any more: judged again that card would be a witness, and how far the correction goes would tell
        what it is.
        """
        known = self._faces.known_faces(self._nodes[-1])
        for entry, node, before in self._nodes[-1].walk_back():
            if self.can_correct(entry):
                yield entry
            if self._named_what_is_covered(node, before, known) or self._read_what_is_gone(entry, node):
                return

    def state_to_correct(self, seq: int) -> S:
        """The state in which a correction of the standing entry `seq` is judged: without what lies covered
        now, as far as the game forgets that first.
        """
        start = next(before for entry, _, before in self._nodes[-1].walk_back() if entry.seq == seq)
        return fold(self.rules.evolve, start.state, self._forgotten_first(start))

    def can_correct(self, entry: Entry[Event]) -> bool:
        """Whether this entry, which stands, can be corrected unless that would tell a covered card."""
        if self.state.desk.uncovered or entry.seq < self._first_correctable or entry.corrects is not None:
            return False
        open_still = entry.seq >= self._first_undoable or self.rules.is_reading(entry.cause)
        return open_still and isinstance(entry.cause, CorrectableObservation)

    def _named_what_is_covered(self, node: Node[S], before: Node[S], known: Container[Identity]) -> bool:
        """Whether the entry of a node is the first to name a card that is not `known` now.

        What the camera has read in the same way ever since is no such card.
        """
        old = {face.origin for face in self._faces.known_faces(before)}
        return any(
            face not in known
            and face.origin not in old
            and self.rules.forget(node.state, lies.place) is not None
            and not self._is_read_ever_since(node, lies.place)
            for face, lies in self._faces.known_faces(node).items()
        )

    def _is_read_ever_since(self, node: Node[S], place: str) -> bool:
        """Whether the camera reads what it read in a place, or with this very entry, up to this node.

        Not if somebody has said since that another card was laid there.
        """
        top = self._faces.face_at(self._nodes[-1], place)
        is_said = top is not None and not isinstance(self.journal.entries[top.seq].cause, _NOT_SAID)
        said_at = top.seq if top is not None and is_said else -1
        for entry, _, _ in node.walk_back():
            if said_at > entry.seq:
                return False
            seen = self.journal.entries[entry.seq].cause
            if isinstance(seen, ob.TableSeen):
                here = [one for one in seen.regions if entry is node.entry or one.name == place]
                if here:
                    return any(one.faces for one in here) and all(
                        self._still_lies(one, entry.seq) for one in here
                    )
        return False

    def _read_what_is_gone(self, entry: Entry[Event], node: Node[S]) -> bool:
        """Whether the entry read a card that came to be nothing of the game, and is not seen there now.

        A card that lay wrong and was taken away again is such a one.
        """
        if not isinstance(entry.cause, ob.TableSeen):
            return False
        laid = self._faces.faces_by_place(node)
        said = [
            region
            for region in entry.cause.regions
            if region.name not in laid or laid[region.name].seq != entry.seq
        ]
        return not all(self._still_lies(region, entry.seq) for region in said)

    def _still_lies(self, region: ob.RegionReading, seq: int) -> bool:
        """Whether what entry `seq` read in a region has been there in every reading since, taken back or not,
        and in one since anybody last did not see the table.

        A card that came back is not asked for: whether it is the same is hidden. What repeats a reading that
        was corrected is not written: that one was there, too, unless it was read otherwise.
        """
        named, lies, read = {face.card for face in region.faces if face.is_named}, True, True
        for entry in islice(self.journal.entries, seq + 1, None):
            if isinstance(entry.cause, ob.Unseen):
                lies, read = not named, False
            elif isinstance(entry.cause, ob.TableSeen):
                read = True
                for seen in entry.cause.regions:
                    if seen.name == region.name and all(face.card != ob.UNKNOWN for face in seen.faces):
                        lies = named <= {face.card for face in seen.faces}
                        if not lies:
                            return False
        return lies or (read and any(self._repeats_misread(region, of) for of in self._corrected()))

    def _forgotten_first(self, start: Node[S]) -> tuple[Event, ...]:
        """Events that forget, before a correction judges on from here, what lies covered now."""
        head = self._nodes[-1]
        known = self._faces.known_faces(head)
        unread = self.rules.unread_places(start.state, head.state)
        return (*self._forgetting(start, known, where=self.rules.forgets_first), *unread)

    def correct(self, seq: int, truth: CorrectableObservation | None, at: Micros) -> Entry[Event]:
        """Judge entry `seq` as `truth` and all valid later entries again, as one new entry."""
        return self.append_entry(self.build_correction(seq, truth, at))

    def build_correction(self, seq: int, truth: CorrectableObservation | None, at: Micros) -> Entry[Event]:
        """The correction as it would be written, for a preview; raises `NotCorrectableError`."""
        if not self.is_correctable(seq, to_nothing=truth is None):
            raise NotCorrectableError(f"entry {seq} cannot be corrected")
        head = self._nodes[-1]
        start = head
        later: list[tuple[Entry[Event], S, S]] = []
        for entry, node, start in head.walk_back():
            later.append((entry, start.state, node.state))
            if entry.seq == seq:
                break
        original, _, _ = later.pop()
        if truth is not None:
            truth = replace(truth, at=original.cause.at)  # it happened at the same time
        cause = ob.CorrectionRequested(at=at, seq=seq, truth=truth)
        same = truth == original.cause  # then only forgotten cards stay unknown
        known = set(self._faces.known_faces(head))
        covered = self._forgetting(start, known)
        forgets = tuple(
            event for event in self._forgotten_first(start) if not same or event in original.events
        )
        rejudged = Rejudgement(self.rules, start, self._nodes, self.journal.entries, forgets)
        corrected = self._corrected(cause)
        later = [(self._without_misread(entry, corrected), then, led_to) for entry, then, led_to in later]
        later = [(self._without_covered(entry, known), then, led_to) for entry, then, led_to in later]
        truths = {one: self._truth(said) for one, (said, _) in corrected.items()}
        rejudged.judge_all(original, truth, later[::-1], at, truths)
        node = rejudged.node
        blind = fold(self.rules.evolve, start.state, covered)
        named = self._named(rejudged.state_after_truth, node, blind, truth)
        unknown = self._forgetting(node, known | named)
        lasts = _circumstance_events(self.rules, node.state, head.state, "correction")
        if rejudged.stopped_at is not None:
            lasts += self.rules.time_after_return(node.state, rejudged.stopped_at, head.state, at)
        events = (*rejudged.forget_events, *rejudged.stop_events, *unknown, *lasts)
        return Entry(rejudged.seq, cause, events, corrects=seq, rejudged=tuple(rejudged.rulings))

    def misread_place(self, seq: int) -> ob.RegionReading | None:
        """The place that a correction of entry `seq` is about: the first on which anything was ruled."""
        seen, state = self.journal.entries[seq].cause, self._nodes[seq].state
        if not isinstance(seen, ob.TableSeen):
            return None
        ruled = (one for one in seen.regions if self._rules_on(state, replace(seen, regions=(one,))))
        return next(ruled, next(iter(seen.regions), None))

    def _is_confirmed(self, said: ob.CorrectionRequested) -> bool:
        """Whether a correction says what was read: the same is told of both."""
        seen, read = self.journal.entries[said.seq].cause, self.misread_place(said.seq)
        if read is None or said.truth is None:
            return False
        told = self._sentences(said.seq, replace(said.truth, at=seen.at))
        return bool(told) and self._sentences(said.seq, replace(seen, regions=(read,)))[-len(told) :] == told

    def _sentences(self, seq: int, seen: ob.AnyObservation) -> list[Sentence | None]:
        """What would have been told of `seen` in place of entry `seq`, and of the timer that it starts."""
        told: list[Sentence | None] = []
        rules, state = self.rules, self._nodes[seq].state
        waited = rules.next_timer(state)
        while True:
            for event in rules.decide(state, seen):
                state = rules.evolve(state, event)
                told += [] if rules.is_silent(event) else [rules.sentence(state, event)]
            timer = rules.next_timer(state)
            if timer is None or timer == waited or isinstance(seen, ob.TimerElapsed):
                return told
            seen = ob.TimerElapsed(at=timer.due, timer=timer.name)

    def _rules_on(self, state: S, seen: ob.TableSeen) -> bool:
        return is_ruling(self.rules, self.rules.decide(state, seen))

    def _truth(self, said: ob.CorrectionRequested) -> Truth:
        """What a correction says of an entry; what that read in the places before and after stands."""
        seen, wrong = self.journal.entries[said.seq].cause, self.misread_place(said.seq)
        told = () if said.truth is None else (said.truth,)
        if not isinstance(seen, ob.TableSeen) or wrong is None:
            return Truth(told)
        at = seen.regions.index(wrong)
        parts = (replace(seen, regions=part) for part in (seen.regions[:at], seen.regions[at + 1 :]))
        before, after = ((part,) if part.regions else () for part in parts)
        return Truth((*before, *told, *after), wrong)

    def _corrected(
        self, now: ob.CorrectionRequested | None = None
    ) -> dict[int, tuple[ob.CorrectionRequested, int]]:
        """The entries that were not what the journal says, each with the newest correction that stands, and
        the number of that. `now`: a correction that is not in the journal yet.
        """
        entries = self.journal.entries
        newest: dict[int, tuple[ob.CorrectionRequested, int]] = {}
        stand = ((entry.cause, entry.seq) for entry in self.standing_entries())
        for said, by in ((now, len(entries)), *stand):
            if isinstance(said, ob.CorrectionRequested):
                newest.setdefault(said.seq, (said, by))
        return {seq: found for seq, found in newest.items() if found[0].truth != entries[seq].cause}

    def _repeats_misread(self, region: ob.RegionReading, seq: int, until: int | None = None) -> bool:
        """Whether a place is read as in entry `seq`, which is corrected, and never was otherwise since.

        Then it is the same card. `until`: up to which entry. What hides the place changes nothing.
        """
        wrong = self.misread_place(seq)
        if wrong is None or region.name != wrong.name:
            return False
        here = self._readings(wrong.name, *islice(self.journal.entries, seq + 1, until))
        return all(one.content == wrong.content for one in (region, *here))

    def _readings(self, place: str, *entries: Entry[Event]) -> list[ob.RegionReading]:
        """What the camera read in a place in these entries."""
        causes = (entry.cause for entry in entries)
        seen = (one for cause in causes if isinstance(cause, ob.TableSeen) for one in cause.regions)
        return [
            one for one in seen if one.name == place and all(face.card != ob.UNKNOWN for face in one.faces)
        ]

    def _is_denied(self, region: ob.RegionReading) -> bool:
        """Whether the table has said that a place holds another card than is read there, then as now."""
        since = len(self.journal.entries)
        for entry in reversed(self.journal.entries):
            if not isinstance(entry.cause, ob.TableSeen):
                continue
            here = self._readings(region.name, entry)
            if any(one.content != region.content for one in here):
                break
            since = entry.seq if here else since
        later = takewhile(lambda one: one[0].seq > since, self._nodes[-1].walk_back())
        return any(self._says_otherwise(region, entry.cause, before, node) for entry, node, before in later)

    def _says_otherwise(
        self, region: ob.RegionReading, cause: object, before: Node[S], after: Node[S]
    ) -> bool:
        """Whether somebody says that another card lies there than is read, instead of one laid on it."""
        if isinstance(cause, ob.ActionDeclared):
            if region.name not in self._renamed_places(before, after):
                return False
        elif not isinstance(cause, ob.TableDeclared):
            return False
        was, now = (self.rules.view(node.state).cards_in(region.name) for node in (before, after))
        unlike = {(), was, tuple(face.card for face in region.faces)}
        return ob.UNKNOWN not in now and now not in unlike

    def _renamed_places(self, before: Node[S], after: Node[S]) -> frozenset[str]:
        """Where a card that lay open is another one since; a card laid anew has another position."""
        if after not in self._renamed:
            cards = {face.position: face.card for face in self.rules.open_faces(before.state)}
            self._renamed[after] = frozenset(
                face.place
                for face in self.rules.open_faces(after.state)
                if cards.get(face.position, face.card) != face.card
            )
        return self._renamed[after]

    def without_misread(self, seen: ob.TableSeen) -> ob.TableSeen:
        """The reading without what repeats one that the table has said to be wrong: nobody has touched that
        card.
        """
        seqs = [seq for seq, (said, _) in self._corrected().items() if not self._is_confirmed(said)]
        regions = (
            one
            for one in seen.regions
            if not any(self._repeats_misread(one, seq) for seq in seqs) and not self._is_denied(one)
        )
        return replace(seen, regions=tuple(regions))

    def _without_misread(
        self, entry: Entry[Event], corrected: Mapping[int, tuple[ob.CorrectionRequested, int]]
    ) -> Entry[Event]:
        """The same of an entry that was read before the correction; what it ruled stands."""
        if not isinstance(entry.cause, ob.TableSeen) or is_ruling(self.rules, entry.events):
            return entry
        found = [(said, by) for said, by in corrected.values() if said.seq < entry.seq < by]
        wrong = [said.seq for said, _ in found if not self._is_confirmed(said)]
        regions = tuple(
            one
            for one in entry.cause.regions
            if not any(self._repeats_misread(one, seq, entry.seq) for seq in wrong)
        )
        return replace(entry, cause=replace(entry.cause, regions=regions))

    def _without_covered(self, entry: Entry[Event], known: Container[Identity]) -> Entry[Event]:
        """The entry without what it read once more of faces that are covered now.

        Judged again it would be a witness of what lies there: a wrong guess would be answered otherwise.
        """
        if not isinstance(entry.cause, ob.TableSeen):
            return entry
        before, after = (self._faces.faces_by_place(self._nodes[at]) for at in (entry.seq, entry.seq + 1))
        regions = tuple(
            region
            for region in entry.cause.regions
            if (face := before.get(region.name)) is None or face != after.get(region.name) or face in known
        )
        said = replace(entry.cause, regions=regions)
        state = self._nodes[entry.seq].state
        if self.rules.decide(state, said) != self.rules.decide(state, entry.cause):
            return entry  # it was more than a repetition: what followed from it stands
        return replace(entry, cause=said)

    def _named(
        self, said: Node[S], node: Node[S], blind: S, truth: CorrectableObservation | None
    ) -> set[Identity]:
        """The faces in `node` that a correction's truth names itself; `said` is the node after it.

        `blind`: the state before, without what nobody knows now; what is known once the truth is judged there
        was said with it, and not remembered.
        """
        if truth is None:
            return set()
        faces = self.rules.open_faces
        known = {face.place for face in faces(blind) if face.card}
        after = fold(self.rules.evolve, blind, self.rules.decide(blind, truth))
        there = self._faces.identities_in(said)
        new = (face for face in faces(after) if face.card and face.place not in known)
        origins = {there[face.position].origin for face in new if face.position in there}
        # an undo judged again holds them for uncovered: it knows only what lay there before the correction
        return {face for face in self._faces.identities_in(node).values() if face.origin in origins}

    def new_events(self, entry: Entry[Event]) -> tuple[Event, ...]:
        """The events of an entry to be announced: for a correction, only the differences.

        About a card that is or was hidden everything is announced: silence would tell the player who
        corrected it that the reading had been right.
        """
        if entry.corrects is None:
            return entry.events
        told: list[Event] = []
        old: dict[int, tuple[Event, ...]] = {}
        for was, _, _ in self._nodes[entry.seq].walk_back():
            old[was.seq] = (*was.events, *old.get(was.seq, ()))
            if was.seq == entry.corrects:
                break
        for ruling in entry.rejudged:
            states = self._nodes[entry.seq], self._nodes[-1]
            said = ruling.seq == entry.corrects and any(
                self.conceals(ruling.seq, event, node) for node in states for event in ruling.events
            )
            told.extend(event for event in ruling.events if said or event not in old.get(ruling.seq, ()))
        return (*told, *entry.events)


def _is_undo(entry: Entry[Event]) -> bool:
    """Whether the entry is an undo that took something back."""
    return isinstance(entry.cause, ob.UndoRequested) and not entry.cause.redo and entry.retracts is not None


def _skip_dry_run(state: object, entry: object) -> None:
    """Checks nothing."""


def amendment_sentence(entry: Entry[Event]) -> Sentence | None:
    """The sentence about an undo, redo or correction itself."""
    if entry.retracts is not None:
        redone = isinstance(entry.cause, ob.UndoRequested) and entry.cause.redo
        return Sentence("shared.BroughtBack" if redone else "shared.TakenBack")
    return None if entry.corrects is None else Sentence("shared.Corrected")


def _circumstance_events(rules: Rules[S], state: S, now: S, reason: str) -> tuple[Event, ...]:
    """Events that void an open window and keep the circumstances that persist through an undo."""
    events = list(rules.void_window(state, reason))
    if rules.outcome(state) is None and state.desk.paused != now.desk.paused:
        events.append(ev.GamePaused() if now.desk.paused else ev.GameResumed())
    if state.desk.blind != now.desk.blind:
        events.append(ev.CameraWentDark() if now.desk.blind else ev.CameraCameBack())
    return (*events, *rules.persistent(state, now))
