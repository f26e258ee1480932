"""Reads covered cards by the index that shows of them.

Where they may be is guessed from the lines round them and from straight edges beside the cards on top. The
index names a card; what else shows of it must fit that card, though others might fit as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from companion.vision.compare import Match
from companion.vision.indices import Indices
from companion.vision.judge import LEFT, NAMED_FLAW
from companion.vision.locate import HALF_ROUND, Pyramid, Quad, overlap
from companion.vision.partial import LEAST_SEEN, LIKE_SIZE, MOST_SEEN, Guess, guesses
from companion.vision.read import Faces
from companion.vision.residual import Floats
from companion.vision.shot import Shot

LIKELY = 0.85
"""Correlation with an index, in a first, small look, from which a guess is fitted."""
UNLIKE_NEXT = 0.85
"""`Index.left` in that look from which a guess is not fitted: another card's index is nearly as like.

Of the 19 covered cards that are read by their index on photographs not held out it was 0.74 at most.
"""
ALIKE = 0.92
"""Correlation from which an index is read, if it leaves little of what the next card does (`judge.LEFT`).

With each of 126 indices of photographed playing cards and Skat left out in turn none was taken for another
at 0.93 with 0.5 left; drawn digits that differ by a stroke leave 0.35.
"""
SHOWN = 0.03
"""How much print what shows must hold."""
MOST_FITS, ROUNDS = 12, 6
"""Most guesses that are fitted in one round; a card that was named may itself cover others."""
MOST_NAMES = 2
"""Cards that an index was like without being read, after which no third one is tried at that place.

Where a card was read at last, on photographs not held out, at most one other had been tried.
"""
COVERED = 0.05
"""Least part of a covered card that the cards on top hide."""
SAME_PLACE = 0.15
"""Corners no farther apart than this part of the diagonal are one place; a fan's cards are close together."""
REACH = 1.5
"""Sizes of a card round its middle beyond which nothing is on it, however far a fit leads it."""
SHARE_AT = (32, 48)
"""Width and height in pixels at which a card's visible area is counted."""


@dataclass(frozen=True, slots=True, eq=False)
class _Likely:
    """A guess whose index looks like one of the deck's."""

    alike: float
    quad: Quad
    """From the card's own top left."""
    face: int
    visible: Callable[[Quad, tuple[int, int]], Floats]


def like_cards(seen: Sequence[tuple[Quad, bool]]) -> list[Quad]:
    """Of outlines and whether their card was read: those that cover others; an unread one if of like size."""
    sizes = [abs(_area(quad)) for quad, read in seen if read]
    usual = float(np.median(sizes)) if sizes else 0.0
    return [
        quad
        for quad, read in seen
        if read or not sizes or usual / LIKE_SIZE < abs(_area(quad)) < usual * LIKE_SIZE
    ]


@dataclass(frozen=True, slots=True)
class Named:
    """The cards in one picture that their indices name."""

    faces: Faces
    indices: Indices
    frame: Pyramid

    def under(self, covers: Sequence[Quad], shot: Shot) -> list[Match]:
        """Those that are partly under the `covers` and fit what shows of them."""
        aspect = self.faces.aspect
        answer: list[Match] = []
        fresh, parts = list(covers), guesses(shot.traces, aspect, covers) if covers else []
        looked: list[list[_Likely]] = []
        for _ in range(ROUNDS):
            above = [*covers, *(match.corners for match in answer)]
            places = shot.beside(aspect, fresh)
            parts += [Guess(q, q) for q in places if any(overlap(q, cover) > COVERED for cover in fresh)]
            # What was looked at looks otherwise only where a card on it was found.
            new = [
                at
                for at, part in enumerate(parts)
                if at >= len(looked) or any(overlap(part.quad, quad) > 0 for quad in fresh)
            ]
            looked += [[] for _ in parts[len(looked) :]]
            likely = {new[at] for at in shot.likely([parts[at].quad for at in new], above)}
            for at in new:
                looked[at] = self._likely(parts[at], above) if at in likely else []
            found = self._fitting(looked, above)
            if not found:
                break
            answer += found
            fresh = [match.corners for match in found]
        return answer

    def _fitting(self, looked: Sequence[list[_Likely]], covers: Sequence[Quad]) -> list[Match]:
        """The cards that are named at these guesses, every place once; what was fitted is taken out."""
        found: list[Match] = []
        failed: list[_Likely] = []
        fits = 0
        each = [(likely, whole) for whole in looked for likely in whole]
        for likely, whole in sorted(each, key=lambda one: -one[0].alike):
            taken = [*covers, *(match.corners for match in found)]
            if fits == MOST_FITS:
                break
            if any(same_place(likely.quad, quad) for quad in taken):
                continue
            names = {other.face for other in failed if same_place(likely.quad, other.quad)}
            if len(names - {likely.face}) >= MOST_NAMES:
                continue
            fits += 1
            whole.remove(likely)
            match = self._fitted(likely)
            if match is None:
                failed.append(likely)
            elif not any(same_place(match.corners, quad) for quad in taken):
                found.append(match)
        return found

    def _likely(self, part: Guess, covers: Sequence[Quad]) -> list[_Likely]:
        """The ways up of a guess whose visible index looks like one of the deck's."""
        found = []
        # A fit leads it a little way, no farther: what is beyond covers nothing of it.
        middle = part.quad.mean(axis=0)
        grown = middle + (part.quad - middle) * REACH
        near = [cover for cover in covers if overlap(cover, grown) > 0]
        above = [cover for cover in near if overlap(cover, part.quad) < MOST_SEEN]
        visible = partial(part.visible, covers=above)
        if not LEAST_SEEN < float(visible(part.quad, SHARE_AT).mean()) < MOST_SEEN:
            return []
        for turn in (0, 1):
            quad = np.roll(part.quad, -2 * turn, axis=0)
            index = self.indices.read(self.frame, quad, visible, fitted=False)
            if index is not None and index.best > LIKELY and index.left < UNLIKE_NEXT:
                found.append(_Likely(index.best, quad, index.face, visible))
        return found

    def _fitted(self, likely: _Likely) -> Match | None:
        """The card that is named, where it is, if its index is read there and the rest of it fits."""
        # Far corners are guessed: where little is seen a fit may lead them astray.
        for corners in self.faces.fits(self.frame, likely.quad, likely.face, likely.visible):
            match = self._at(corners, likely)
            if match is not None:
                return match
        return None

    def _at(self, corners: Quad, likely: _Likely) -> Match | None:
        """The card that is named, if its index is read just there and the rest of it fits."""
        left = self._left(corners, likely.face, likely.visible)
        if left is None:
            return None
        match = self.faces.compared(self.frame, corners, likely.face, likely.visible)
        if match.flaw >= NAMED_FLAW or float(likely.visible(corners, SHARE_AT).mean()) < LEAST_SEEN:
            return None
        return replace(match, left=left) if self.faces.shown(match, likely.visible) >= SHOWN else None

    def _left(
        self, corners: Quad, face: int, visible: Callable[[Quad, tuple[int, int]], Floats]
    ) -> float | None:
        """`Index.left` where the index that shows there names the card of a face; else None."""
        index = self.indices.read(self.frame, corners, visible, fitted=True)
        if index is None or self.faces.cards[index.face] != self.faces.cards[face]:
            return None
        return index.left if index.best >= ALIKE and index.left <= LEFT else None


def same_place(one: Quad, other: Quad) -> bool:
    """Are the corners nearly the same, either way up?"""
    near = SAME_PLACE * float(np.linalg.norm(one[0] - one[2]))
    return any(float(np.abs(one - way).max()) < near for way in (other, other[HALF_ROUND]))


def _area(quad: Quad) -> float:
    along = np.roll(quad, -1, axis=0)
    return float((quad[:, 0] * along[:, 1] - along[:, 0] * quad[:, 1]).sum() / 2)
