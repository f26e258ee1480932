"""Which entry laid each face that lies open: derived while a journal is folded, and nowhere on the disk.

A face keeps its identity until it is covered, forgotten or another one, and entries keep their `seq`: undo,
redo, correction and restart carry it along. What is gone back to and does not lie open now may have been
covered: it is another face, open since the entry that goes back.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple

from companion.core import observations as ob
from companion.core.actions import Micros
from companion.core.game_status import S
from companion.core.rules import OpenFace, Rules
from companion.referee.journal import Node


class Identity(NamedTuple):
    """A face, named by the entry that laid it."""

    seq: int
    at: Micros
    """The instant of that entry: the timers that a correction judges share its number."""
    place: str
    """Where it was laid."""
    number: int
    """How many the entry had laid there before."""
    since: int
    """The entry since which it has lain open: the one that laid it, or the last that uncovered it."""

    @property
    def origin(self) -> tuple[int, Micros, str, int]:
        """Which face it is, whenever it was uncovered last."""
        return self.seq, self.at, self.place, self.number


Identities = Mapping[Hashable, Identity]
"""By the position in which each lies."""


class Faces(Generic[S]):
    """The identities of all faces that lie open, in every state of a game.

    `nodes[k]` is the newest node before entry `k` was added; the list grows with the journal.
    """

    def __init__(self, rules: Rules[S], nodes: Sequence[Node[S]]) -> None:
        self._rules = rules
        self._nodes = nodes
        self._found: dict[Node[S], Identities] = {}

    def identities_in(self, node: Node[S]) -> Identities:
        """The identities in a state that was, or in one that a correction would lead to."""
        new = len(self._nodes)
        while new and self._nodes[new - 1] not in self._found:
            new -= 1
        for old in self._nodes[new:]:  # in their order: who goes back compares with what lay open then
            self._found |= self._extend_to(old)
        return self._found.get(node) or self._extend_to(node)[node]

    def known_faces(self, node: Node[S]) -> dict[Identity, OpenFace]:
        """The faces of which the state says which card each is."""
        identities = self.identities_in(node)
        faces = self._rules.open_faces(node.state)
        return {identities[face.position]: face for face in faces if face.card}

    def face_at(self, node: Node[S], place: str) -> Identity | None:
        """The face in a place; None if none lies open there."""
        return self.faces_by_place(node).get(place)

    def faces_by_place(self, node: Node[S]) -> dict[str, Identity]:
        """The faces that lie open, by where."""
        identities = self.identities_in(node)
        return {face.place: identities[face.position] for face in self._rules.open_faces(node.state)}

    def _extend_to(self, node: Node[S]) -> dict[Node[S], Identities]:
        """The identities after every entry up to this one that is new."""
        new = []
        while node not in self._found and node.before is not None:
            new.append(node)
            node = node.before
        identities = self._found.get(node) or self._after_event({}, (), self._open(node.state), -1, 0)
        found = {node: identities}
        for later in reversed(new):
            found[later] = identities = self._after_entry(identities, later)
        return found

    def _after_entry(self, identities: Identities, node: Node[S]) -> Identities:
        """The identities after one more entry."""
        assert node.entry is not None
        assert node.before is not None
        entry, state = node.entry, node.before.state
        faces = self._open(state)
        for event in entry.events:
            state, before = self._rules.evolve(state, event), faces
            faces = self._open(state)
            identities = self._after_event(identities, before, faces, entry.seq, entry.cause.at)
        if not isinstance(entry.cause, ob.UndoRequested | ob.CorrectionRequested):
            return identities
        now = set(self._found[self._nodes[entry.seq]].values())
        return {
            position: identity if identity in now else identity._replace(since=entry.seq)
            for position, identity in identities.items()
        }

    def _open(self, state: S) -> tuple[OpenFace, ...]:
        return tuple(self._rules.open_faces(state))

    @staticmethod
    def _after_event(
        before: Identities, were: Iterable[OpenFace], faces: Iterable[OpenFace], seq: int, at: Micros
    ) -> Identities:
        """The identities after one more event of an entry; the same object if nothing was laid or covered.

        `were`, `faces`: what lay open before the event, and after it.
        """
        cards = {face.position: face.card for face in were}
        after: dict[Hashable, Identity] = {}
        for face in faces:
            identity, card = before.get(face.position), cards.get(face.position)
            if identity is None or (card and card != face.card):
                here = [
                    one for one in (*before.values(), *after.values()) if one[:3] == (seq, at, face.place)
                ]
                identity = Identity(seq, at, face.place, len(here), seq)
            after[face.position] = identity
        return before if after == before else after
