"""Says which enrolled face is in an outline, which way up, and how well it fits.

Three steps, each on fewer candidates. (1) *Rank*: all outlines against all faces, both ways up, in one matrix
product of small colour residuals; the mean card of the deck is removed first, so that what all cards share
does not count. (2) *Align*: the outline is moved until the view fits the face, for each likely face again,
because two decks' prints, or two references, are never cut quite alike. (3) *Verify* at full detail: the
worst local window decides, because a stranger of the same print differs in one place only.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from companion.vision.align import Ground, Template
from companion.vision.compare import Match, Prints
from companion.vision.identity import Pair, Sisters, softened
from companion.vision.locate import HALF_ROUND, Bgr, Pyramid, Quad, usual_aspect
from companion.vision.partial import LEAST_SEEN
from companion.vision.ranking import Ranking
from companion.vision.residual import Floats, Scale, turned

SIMILAR = 0.12
"""Faces whose correlation with the view is this close to the best one's are compared in detail as well."""
EITHER_WAY = 0.2
"""The same for the two ways up, at the ranking's small size."""
SURE = 0.95
"""A face as like the view as this lies in that outline; the other way up is compared in the same one."""
MOST_RIVALS = 5
"""Most faces compared in detail with one outline."""
NEARLY = (0.05, 0.30)
"""Flaws between which a face is also compared with the outline as it was found."""
SISTERS, BURNT_SISTERS = 2, 8
"""Cards most like the best one that are compared with it in any case, and in too much light."""
SWAPS = 2
"""How often another face takes the place of the best one because the view leads towards it."""
MOST_PAIRS = 400
"""Most pairs of faces kept; each takes 0.06 MB, and as much again for each face."""
NOTHING = (0.60, 0.60)
"""A likeliest face that differs by more than the first and is less like the view than the second ends a look.

Of 281 cards that were read on photographs not held out the likeliest face differed by 0.36 at most, and was
alike by 0.79 at least; 98 of the 173 outlines that were refused are beyond both bounds.
"""
STRANGE = 0.45
"""A likeliest face that differs by more is not what is there, and no less likely one is: see `NOTHING`."""
NO_PART = 0.35
"""A likeliest face of which what shows differs by more ends the look at a part."""
NEIGHBOURS = 3
"""Other cards that are compared wherever only a part of one is seen."""
FAR_OFF = 0.20
"""A face with a flaw beyond this is not worth comparing with its rivals."""
NEAREST = 12
"""Most faces compared with one outline at middling size."""
HOPELESS = 0.40
"""Below this correlation with the best face an outline is not looked at in detail."""
HOPELESS_PART = 0.75
"""The same for what shows of a covered card, which must be more alike in the end."""

Visible = Callable[[Quad, tuple[int, int]], Floats]
"""Which part of a card can be seen: of corners, at a size, (height, width) of 0 or 1."""


class Faces:
    """The enrolled faces, prepared for comparing; pictures are upright and all portrait."""

    def __init__(self, pictures: Sequence[Bgr], cards: Sequence[str], sisters: Sisters | None = None) -> None:
        """`sisters`: as `registered` gave them for these pictures of these cards."""
        self.cards = tuple(cards)
        self.aspect = usual_aspect(pictures)
        self._middle = Scale.of(64, self.aspect, fine=0.014, broad=0.22)
        self._prints = Prints(pictures, self.aspect)
        self._large = self._prints.scale
        self.pictures = self._prints.pictures
        """All of one size, `compare.DETAIL` wide."""
        self.ranking = Ranking(self.pictures, cards, self.aspect)
        self._whole = self._middle.residuals([self._middle.shrunk(p) for p in self.pictures])
        # Costly to make, and most faces of a large deck are seldom looked at twice.
        self._template = cache(lambda face: Template(self.pictures[face], self.aspect))
        self._nearest: dict[int, list[tuple[int, int]]] = {}
        self._kept, self._row = sisters, sisters.rows() if sisters else {}
        self._pair = lru_cache(MOST_PAIRS)(self._paired)
        self._soft = lru_cache(MOST_PAIRS)(lambda face: softened(self._prints.known(face).planes))

    def match_part(
        self, frame: Pyramid, quad: Quad, ranked: Floats, visible: Visible, wanted: Callable[[Match], bool]
    ) -> Match | None:
        """As `match`, comparing only what `visible` (of corners, at a size) says is seen.

        None: the one that fits best is not `wanted`; that is asked before its neighbours are compared.
        """
        ground, ways = Ground.around(frame, quad), (quad, quad[HALF_ROUND])
        found: list[Match] = []
        for turn in (0, 1):
            first = int(ranked[turn].argmax())
            if ranked[turn, first] < ranked.max() - EITHER_WAY:
                continue
            start, template, again = ways[turn], self._template(first), ranked[turn]
            shows = visible(start, template.size)
            fitted = {first: template.fit(ground, start, shows)}
            fit = fitted[first]
            after = self.ranking.rank_parts(frame, [fit], [visible(fit, self.ranking.scale.size)])[0, 0]
            if after.max() > again.max():
                start, shows, again, fitted = fit, visible(fit, template.size), after, {}
            if again.max() < HOPELESS:
                continue
            near = [int(f) for f in np.argsort(-again)[:NEAREST] if again[f] >= again.max() - EITHER_WAY]
            whole = self._alike(frame, start, near, visible(start, self._middle.size))
            if whole.max() < HOPELESS_PART:
                continue
            for at in np.argsort(-whole)[:MOST_RIVALS]:
                if whole[at] < whole.max() - SIMILAR:
                    break
                face = near[at]
                corners = fitted.get(face)
                if corners is None:
                    corners = self._template(face).fit(ground, start, shows)
                shown = visible(corners, self._large.size)
                if shown.mean() <= LEAST_SEEN:  # it was led under its cover, where nothing disagrees
                    continue
                found.append(self._prints.part(frame, corners, shown)(face))
                best = self._rivalled(min(found, key=lambda m: m.flaw), found)
                if found[-1].flaw > NO_PART or best.flaw >= best.apart:
                    break
        if not found:
            return None
        best = self._rivalled(min(found, key=lambda m: m.flaw), found)
        if not wanted(best):
            return None
        # Of a part no card may go uncompared that looks like it there, however unlike the whole.
        alike = self.ranking.rank_parts(
            frame, [best.corners], [visible(best.corners, self.ranking.scale.size)]
        )[0, 0]
        others = [int(f) for f in np.argsort(-alike) if self.cards[f] != self.cards[best.face]]
        return self._best(frame, found, others[:NEIGHBOURS], visible)

    def _alike(self, frame: Pyramid, quad: Quad, faces: Sequence[int], visible: Floats) -> Floats:
        """Correlation of the visible part of a view with some of the faces, (faces,)."""
        scale, edge = self._middle, self._middle.margin
        seen = scale.residual(frame.view(quad, scale.size), scale.shown(visible)).ravel()
        shown = np.flatnonzero(np.tile(visible[edge:-edge, edge:-edge].ravel() > 0, 3))
        there, some = seen.take(shown), np.stack([self._whole[face].take(shown) for face in faces])
        lengths = np.linalg.norm(some, axis=1) * np.linalg.norm(there)
        return np.asarray(some @ there / np.maximum(lengths, 1e-6), np.float32)

    def match_face(self, frame: Pyramid, quad: Quad, face: int, visible: Visible) -> Match:
        """One face against what is visible of an outline the right way up, and the nearest rivals."""
        ground, template = Ground.around(frame, quad), self._template(face)
        corners = template.fit(ground, quad, visible(quad, template.size))
        shown = visible(corners, self._large.size)
        compared = self._prints.part(frame, corners, shown)
        first = compared(face)
        if first.flaw > FAR_OFF:
            return first
        alike = self._middle.residuals([frame.view(corners, self._middle.size)]) @ self._whole.T
        rivals = [int(i) for i in np.argsort(-alike[0])[:MOST_RIVALS] if i != face]
        found = [first, *map(compared, rivals)]
        return self._rivalled(min(found, key=lambda m: m.flaw), found)

    def fits(self, frame: Pyramid, quad: Quad, face: int, visible: Visible) -> tuple[Quad, ...]:
        """Where one face is of which a part shows in an outline the right way up: fitted, and as it is."""
        template = self._template(face)
        fitted = template.fit(Ground.around(frame, quad), quad, visible(quad, template.size))
        return (quad,) if fitted is quad else (fitted, quad)

    def compared(self, frame: Pyramid, corners: Quad, face: int, visible: Visible) -> Match:
        """What is visible of one face where it is."""
        return self._prints.part(frame, corners, visible(corners, self._large.size))(face)

    def under_gloss(self, frame: Pyramid, match: Match) -> tuple[Match, Floats] | None:
        """A match of a whole card compared without the light mirrored in it, and where: (height, width)."""
        others = dict.fromkeys(face for _, face in self._sisters(match.face))
        bare = self._prints.under_gloss(frame, match.corners, match.face, others)
        return None if bare is None else (replace(bare[0], lead=match.lead), bare[1])

    def match(self, frame: Pyramid, quad: Quad, ranked: Floats) -> Match:
        """The face that fits best; `ranked` is (2, faces), this outline's part of `rank`."""
        ground, ways = Ground.around(frame, quad), (quad, quad[HALF_ROUND])
        fitted: dict[tuple[int, int], Quad] = {}
        starts: dict[int, Quad] = {}
        seen: dict[int, Floats] = {}
        likely: list[tuple[float, int, int]] = []
        for turn in (0, 1):
            best = int(ranked[turn].argmax())
            if ranked[turn, best] < ranked.max() - EITHER_WAY or (
                (1 - turn, best) in fitted and self.ranking.even[best]
            ):
                continue
            if likely and max(likely)[0] > SURE:
                starts[turn] = starts[1 - turn][HALF_ROUND]
                seen[turn] = turned(seen[1 - turn][None], self._middle.inner)[0]
            else:
                starts[turn] = fitted[turn, best] = self._template(best).fit(ground, ways[turn])
                seen[turn] = self._middle.residuals([frame.view(starts[turn], self._middle.size)])[0]
            near = np.argsort(-ranked[turn])[:NEAREST]
            likely += [(float(self._whole[i] @ seen[turn]), turn, int(i)) for i in near]
        for turn in {0, 1} - set(starts):  # a sister may be the other way up than any likely face
            starts[turn] = starts[1 - turn][HALF_ROUND]
        likely.sort(reverse=True)
        whole, turn, face = likely[0]
        if whole < HOPELESS:
            return Match(face, starts[turn], whole, 1.0)

        def compared(turn: int, face: int, most: float = 2.0) -> Match:
            corners = fitted.get((turn, face))
            if corners is None:
                corners = self._template(face).fit(ground, starts[turn])
            match = self._prints.compared(frame, corners, face, most=max(most, NEARLY[1]))
            if NEARLY[0] < match.flaw < NEARLY[1]:
                # Print in one spot says little about far corners: there the outline may know better.
                again = self._prints.compared(frame, ways[turn], face, most=min(most, match.flaw))
                match = min(match, again, key=lambda m: m.flaw)
            return match

        rivals = [(turn, face) for alike, turn, face in likely[:MOST_RIVALS] if alike >= whole - SIMILAR]
        return self._identified(frame, rivals, compared)

    def match_again(self, frame: Pyramid, quad: Quad, face: int, as_well: float) -> Match:
        """One face where it was found before, and its sisters where they differ from it.

        With a flaw below `as_well` it lies there as it did and is not fitted again; nor what is `STRANGE`.
        Which way up is asked again: a card that is nearly the same upside down is seen now so, now so.
        """
        best = self._prints.compared(frame, quad, face, most=STRANGE)
        if as_well <= best.flaw < STRANGE:
            corners = self._template(face).fit(Ground.around(frame, quad), quad)
            best = self._prints.compared(frame, corners, face)
        leads = self._leads(frame, best, 0, [(1, face)])
        lead, _, other = min(leads, default=(1.0, 0, -1))
        if lead < 0 and self.cards[other] == self.cards[face]:
            best = self._prints.compared(frame, best.corners[HALF_ROUND], face)
            leads = self._leads(frame, best, 0, [(1, face)])
        return self._led(best, leads)

    def _identified(
        self, frame: Pyramid, near: Sequence[tuple[int, int]], compared: Callable[..., Match]
    ) -> Match:
        """The best of the (turn, face) that may be here, likeliest first; `compared` fits and compares one.

        The likeliest is compared in detail, the others with it where they differ from it. Only where it fits
        badly, or they are pictures of the same card, are all of them compared in detail.
        """
        turn, face = near[0]
        best = compared(turn, face)
        if best.flaw > NOTHING[0] and best.likeness < NOTHING[1]:
            return best
        for at, other in near[1:]:
            same = self.cards[other] == self.cards[face] and at == turn
            if (NEARLY[0] if same else FAR_OFF) < best.flaw < STRANGE:
                match = compared(at, other, best.flaw)
                if match.flaw < best.flaw:
                    best, turn = match, at
        leads = self._leads(frame, best, turn, near)
        for _ in range(SWAPS):
            lead, at, other = min(leads, default=(0.0, turn, best.face))
            if lead >= 0:
                break
            best, turn = compared(at, other), at
            leads = self._leads(frame, best, turn, near)
        return self._led(best, leads)

    def _led(self, best: Match, leads: Sequence[tuple[float, int, int]]) -> Match:
        """The best match with the other card that it leads least."""
        rivals = [(lead, other) for lead, _, other in leads if self.cards[other] != self.cards[best.face]]
        lead, other = min(rivals, default=(1.0, -1))
        return replace(best, lead=lead, other=other)

    def _leads(
        self, frame: Pyramid, best: Match, turn: int, near: Sequence[tuple[int, int]]
    ) -> list[tuple[float, int, int]]:
        """How far the best match leads each of the others: (`identity.Pair.lead`, turn, face)."""
        card = self.cards[best.face]
        others = {(at, face) for at, face in near if self.cards[face] != card or at != turn}
        exposure = self._prints.exposure(frame, best.corners, best.face)
        # In a bad outline the right card may not come near, but it is like the one that does.
        sisters = self._sisters(best.face, SISTERS if exposure == 1 else BURNT_SISTERS)
        others |= {(turn ^ at, face) for at, face in sisters}
        if not others:
            return []
        view = best.seen or self._prints.seen(frame, best.corners, best.face)
        seen = softened(view.planes)
        pairs = [(self._pair(best.face, face, at ^ turn), at, face) for at, face in others]
        leads = []
        for pair, at, face in pairs:
            if pair.same and self.cards[face] == card:
                continue  # it looks the same upside down
            lead = pair.lead(seen)
            if lead > 0 and self._prints.hidden(best.face, face, exposure):
                lead = 0.0  # what this card lacks may be burnt out
            leads.append((lead, at, face))
        return leads

    def _sisters(self, face: int, most: int = SISTERS) -> list[tuple[int, int]]:
        """The (turn, face) of other cards that are most like a face at the ranking's size."""
        if face not in self._nearest:
            both = self.ranking.sisters(face)
            both[:, np.array(self.cards) == self.cards[face]] = -1
            nearest = np.argsort(-both, axis=None)[:BURNT_SISTERS]
            found = [divmod(int(at), both.shape[1]) for at in nearest]
            self._nearest[face] = [(turn, other) for turn, other in found if both[turn, other] > -1]
        return self._nearest[face][:most]

    def registered(self, told: Callable[[float], None]) -> Sisters:
        """The cards most like each face, and itself upside down, registered onto it.

        `told` is called with the fraction done.
        """
        found = []
        for face in range(len(self.pictures)):
            pairs = [(1, face), *self._sisters(face)]
            found += [(face, other, up, self._onto(face, other, up)) for up, other in pairs]
            told((face + 1) / len(self.pictures))
        return Sisters.of(found)

    def _paired(self, face: int, other: int, up: int) -> Pair:
        """One face and another registered onto it, the other way up if `up` is 1."""
        row = self._row.get((face, other, up))
        if self._kept is None or row is None:
            return Pair.of(self._soft(face), self._onto(face, other, up))
        return Pair.of(self._soft(face), self._kept.registered(row))

    def _onto(self, face: int, other: int, up: int) -> Floats:
        """Another face registered onto one, `softened`."""
        picture, known = Pyramid(self.pictures[other]), self._prints.known(face)
        quad = np.roll(self._whole_picture(), -2 * up, axis=0)
        fitted = self._template(face).fit(Ground.around(picture, quad), quad)
        ways = (quad,) if fitted is quad else (quad, fitted)
        best = max((self._prints.seen(picture, c, face) for c in ways), key=known.likeness)
        return softened(best.planes)

    def _whole_picture(self) -> Quad:
        """The corners of a face's picture at full detail."""
        width, height = self._large.size
        return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)

    def _best(self, frame: Pyramid, found: Sequence[Match], others: Sequence[int], visible: Visible) -> Match:
        """The match of a part with the least flaw, with how near the best other card came.

        A rival that was fitted wrongly is compared once more where the best one is, as are `others`.
        """
        first = min(found, key=lambda m: m.flaw)
        if first.flaw < FAR_OFF:
            there = (first.corners, first.corners[HALF_ROUND])
            rivals = dict.fromkeys(others, 0)
            for match in found:
                if self.cards[match.face] != self.cards[first.face]:
                    off = [float(np.abs(q - match.corners).max()) for q in there]
                    rivals[match.face] = off.index(min(off))
            for way in set(rivals.values()):
                compared = self._prints.part(frame, there[way], visible(there[way], self._large.size))
                found = [*found, *(compared(face) for face, at in rivals.items() if at == way)]
            first = min(found, key=lambda m: m.flaw)
        return self._rivalled(first, found)

    def _rivalled(self, best: Match, found: Sequence[Match]) -> Match:
        """The best match, with the other card that came nearest and how near."""
        others = [m for m in found if self.cards[m.face] != self.cards[best.face]]
        rival = min(others, key=lambda m: m.flaw, default=None)
        return best if rival is None else replace(best, rival=rival.flaw, other=rival.face)

    def shown(self, match: Match, visible: Visible) -> float:
        """The share of a face's print, 0 to 1 by its strength, that is visible in a match."""
        mask, planes = visible(match.corners, self._large.size), self._prints.known(match.face).planes
        energy = (planes * planes).sum(axis=0)
        edge = self._large.margin
        return float((energy * mask[edge:-edge, edge:-edge]).sum() / max(float(energy.sum()), 1e-6))

    def siblings(self) -> list[tuple[float, int, int]]:
        """How alike faces of different cards are: (flaw, face, face most like it), most alike first.

        The flaw is `compare.Match.flaw`; faces are indices of the deck's pictures.
        """
        both = np.stack([self.ranking.special, turned(self.ranking.special, self.ranking.scale.inner)])
        alike = both @ self.ranking.special.T
        cards = np.unique(self.cards, return_inverse=True)[1]
        alike[:, cards[:, None] == cards[None, :]] = -1
        found = []
        for one in range(len(self.pictures)):
            turn, other = (int(v) for v in np.unravel_index(alike[:, one].argmax(), alike[:, one].shape))
            if alike[turn, one, other] > -1:
                found.append((self.likened(one, other, turn).flaw, one, other))
        return sorted(found)

    def likened(self, one: int, other: int, turn: int = 0) -> Match:
        """The picture of one face against another face; `turn` 1 is upside down."""
        picture = Pyramid(self.pictures[one])
        quad = np.roll(self._whole_picture(), -2 * turn, axis=0)
        corners = self._template(other).fit(Ground.around(picture, quad), quad)
        fits = (self._prints.compared(picture, corners, other), self._prints.compared(picture, quad, other))
        return min(fits, key=lambda match: match.flaw)
