"""What goes from one place to another when the table changes: found by comparing two pictures of it.

Whatever is painted says what it is and where it lies (`Sheet.place`). What lies elsewhere now slides there,
what shows another face is turned, what lies the other way up spins, a token flies to whoever has it now, a
hand goes up, what won comes together. Until it has come, its new place looks as it did before. A game begins
with cards that go round.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pygame

from companion.core.actions import Micros
from companion.core.view import ScreenArea
from companion.ui.layout import Box, around
from companion.ui.toolkit.picture_cache import WIDE
from companion.ui.toolkit.sheet import Placed, Sheet
from companion.ui.toolkit.theme import LOOK

MOTION = LOOK.motion
CARD, CHIP, TOKEN, HAND = "card", "chip", "token", "hand"
CHAIR, MIDDLE, WON = "chair", "middle", "won"
DECK, DRAWN = f"{CARD}:{ScreenArea.DECK}", f"{CARD}:{ScreenArea.HAND}"
"""The deck, and the card that was drawn from it."""
HELD, LIES = "held", "lies"
"""Cards of an own hand and of a set before a player, which know which way up they are."""
FRONT = "front"
"""Backs before somebody in practice while they are dealt; those of who deals are the pack."""
OVER = "@180"
"""What a place is of: the word before the colon of its name."""
ARC = 12
"""How high what flies goes over the straight line, in u."""
DEALT = 13
"""How high a card is that is dealt to somebody, in u."""
DEAL_PACE = 900
"""From one card of a deal in practice to the next, in milliseconds."""
MOST = 500
"""How long all of a deal takes at most, in milliseconds."""


class Move(NamedTuple):
    """One thing on its way."""

    name: str
    kind: str
    """As in `MOTION`: `turn`, `slide`, `spin`, `fly`, `lift`, `deal`."""
    picture: pygame.Surface
    source: tuple[int, int]
    goal: Box
    under: pygame.Surface | None
    """What is seen at its goal until it has come; None: what is there now."""
    began: Micros
    arc: int = 0
    turn: int = 0
    """By how many degrees it is turned as it begins."""

    @property
    def ends(self) -> Micros:
        return self.began + MOTION[self.kind] * 1_000


def find_moves(before: Sheet, after: Sheet, now: Micros) -> Iterator[Move]:
    """What has changed its place or its face between two pictures of one table."""
    olds, news = before.placed, after.placed
    yield from _won_moves(olds, news, now)
    if olds.keys().isdisjoint(news):
        return
    for name, new in news.items():
        if name.startswith(CARD):
            find = _card_moves if name in olds else _unseen_moves
            yield from find(before, after, name, now)
        elif name.startswith(CHIP) and name not in olds:
            yield from _chip_moves(before, after, name, now)
        elif name.startswith(HAND) and name not in olds:
            down = (new.rect.centerx, new.rect.centery + new.rect.h // 2)
            yield _move(before, after, name, "lift", down, now)
    yield from _hand_moves(before, after, now)
    yield from _handed_moves(before, after, now)
    yield from _token_moves(before, after, now)


def find_deal(after: Sheet, back: str, now: Micros) -> Iterator[Move]:
    """A card for each who holds some, one after the other; where nobody does, those that lie on the table."""
    middle = after.placed.get(MIDDLE)
    if middle is None:
        return
    high = after.u(DEALT)
    size = (round(high * WIDE), high)
    holders = {f"{CHAIR}:{one.chair}" for one in after.frame.view.chairs if one.cards}  # type: ignore[attr-defined]
    goals = [(name, around(one.rect.center, *size)) for name, one in after.placed.items() if name in holders]
    lie = [(name, one.rect) for name, one in after.placed.items() if name.startswith(CARD) and one.what]
    gap = min(MOTION["deal_gap"], (MOST - MOTION["deal"]) // max(1, len(goals or lie) - 1))
    for number, (name, rect) in enumerate(goals or lie):
        goal = Box(*pygame.Rect(rect).clip(after.rect))
        picture, under = _draw_back(after, back, size), None
        if not goals:
            picture = after.surface.subsurface(goal).copy()
            under = pygame.Surface(goal.size)
            under.fill(after.surface.get_at((goal.x, goal.y)))
        began = now + number * gap * 1_000
        yield Move(name, "deal", picture, middle.rect.center, goal, under, began)


def find_fronts(before: Sheet | None, after: Sheet, now: Micros) -> Iterator[Move]:
    """From the pack a card to each before whom none lay."""
    fronts = {name: one for name, one in after.placed.items() if name.startswith(FRONT)}
    if not fronts or (before is not None and not fronts.keys().isdisjoint(before.placed)):
        return
    pack = max(fronts, key=lambda name: len(fronts[name].what))
    source = fronts.pop(pack).rect.center
    for number, (name, one) in enumerate(fronts.items()):
        high = one.rect.h * 3 // 4
        picture = _draw_back(after, str(one.what[0]), (round(high * WIDE), high))
        yield Move(name, "deal", picture, source, one.rect, one.under, now + number * DEAL_PACE * 1_000)


def _won_moves(olds: Mapping[str, Placed], news: Mapping[str, Placed], now: Micros) -> Iterator[Move]:
    """The cards that won come from the side where they lay, or from the middle, never over the words."""
    middle = olds.get(MIDDLE)
    for name, new in news.items():
        if not name.startswith(WON) or name in olds or new.picture is None:
            continue
        lay = next((one for one in olds.values() if new.what[0] in one.what), middle)
        if lay is not None:
            source = (lay.rect.centerx, new.rect.centery)
            yield Move(name, "slide", new.picture, source, new.rect, new.under, now)


def _card_moves(before: Sheet, after: Sheet, name: str, now: Micros) -> Iterator[Move]:
    olds, news = before.placed, after.placed
    old, new = olds[name], news[name]
    if old.what == new.what or not new.what:
        return
    deck = olds.get(DECK) if name == DRAWN and not old.what else None
    left = (one for other, one in olds.items() if other != name and one.what == new.what)
    gone = next((one for one in left if one not in news.values()), None)
    asked = [one.chair for one in before.frame.view.chairs if one.asked]  # type: ignore[attr-defined]
    hand = olds.get(f"{CHAIR}:{asked[0]}") if len(asked) == 1 else None
    source = deck if gone is None else gone
    if source is not None:
        yield _move(before, after, name, "slide", source.rect.center, now)
    elif old.what and (hand is None or old.what[:1] != new.what[:1]):
        yield _move(before, after, name, "turn", new.rect.center, now)
    elif hand is not None:
        yield _move(before, after, name, "slide", hand.rect.center, now)


def _chip_moves(before: Sheet, after: Sheet, name: str, now: Micros) -> Iterator[Move]:
    """What somebody laid since then comes from there; a plate may show less of what was there before."""
    _, owner, kind = name.split(":")
    holder = before.placed.get(f"{CHAIR}:{owner}")
    chairs = before.frame.view.chairs  # type: ignore[attr-defined]
    old = any(str(one.chair) == owner and kind in {token.kind for token in one.tokens} for one in chairs)
    if holder is not None and not old:
        yield _move(before, after, name, "slide", holder.rect.center, now)


def _unseen_moves(before: Sheet, after: Sheet, name: str, now: Micros) -> Iterator[Move]:
    """What was turned while its place was not shown is turned as that is shown again."""
    places, new = before.frame.view.places, after.placed[name]  # type: ignore[attr-defined]
    lay = next((one.card for one in places if f"{CARD}:{one.region}" == name), "")
    if not lay.startswith("back:") or not new.what or new.what[0] == lay:
        return
    move = _move(before, after, name, "turn", new.rect.center, now)
    assert move.under is not None
    move.under.fill(after.surface.get_at((move.goal.x, move.goal.y)))
    move.under.blit(after.art.card_back(move.goal.size, lay), (0, 0))
    yield move


def _handed_moves(before: Sheet, after: Sheet, now: Micros) -> Iterator[Move]:
    """Cards that change hands go to whoever holds more now; a set that was taken, as one."""
    olds, news = before.placed, after.placed
    more = {
        name: int(new.what[1]) - int(olds[name].what[1])
        for name, new in news.items()
        if name.startswith(CHAIR) and name in olds
    }
    for name, gained in more.items():
        taken = (
            one
            for other, one in olds.items()
            if other.startswith(CARD) and other in news and not news[other].what and len(one.what) == gained
        )
        givers = [other for other, less in more.items() if less == -gained]
        lay = next(taken, None) if gained > 0 else None
        if lay is not None:
            picture = before.surface.subsurface(pygame.Rect(lay.rect).clip(before.rect)).copy()
        elif gained > 0 and len(givers) == 1:
            lay, high = olds[givers[0]], after.u(DEALT)
            back = after.frame.board.hand_back  # type: ignore[attr-defined]
            picture = _draw_back(after, back, (round(high * WIDE), high))
        else:
            continue
        goal = around(news[name].rect.center, *picture.get_size())
        yield Move(name, "slide", picture, lay.rect.center, goal, None, now)


def _draw_back(sheet: Sheet, back: str, size: tuple[int, int]) -> pygame.Surface:
    """The back of a card that somebody holds."""
    return sheet.art.printed_face(back, size) or sheet.art.card_back(size)


def _hand_moves(before: Sheet, after: Sheet, now: Micros) -> Iterator[Move]:
    """Cards that go between a hand and a set, or that lie the other way up now: those spin half round.

    Where a hand gets some, all of it goes to its new place.
    """
    olds, news = (
        {name: one for name, one in sheet.placed.items() if name.startswith((HELD, LIES)) and one.what}
        for sheet in (before, after)
    )
    sources: dict[str, str] = {}
    for is_here, is_spun in ((True, False), (False, False), (True, True), (False, True)):
        for name, new in news.items():
            wanted = (_other_way_up(str(new.what[0])),) if is_spun else new.what
            fits = (
                old
                for old in olds
                if old not in sources.values()
                and olds[old].what == wanted
                and (old.startswith(HELD) == name.startswith(HELD)) == is_here
            )
            if name not in sources and (source := next(fits, None)) is not None:
                sources[name] = source
    moved = {
        name
        for name, source in sources.items()
        if name.startswith(HELD) != source.startswith(HELD) or news[name].what != olds[source].what
    }
    if any(name.startswith(HELD) for name in moved):
        moved |= {name for name in sources if name.startswith(HELD)}
    spun = {name for name in moved if news[name].what != olds[sources[name]].what}
    for name in sorted(moved, key=list(news).index):
        start = olds[sources[name]].rect.center
        move = _move(before, after, name, "spin" if spun else "slide", start, now)
        if move.under is not None:
            move.under.fill(after.surface.get_at((move.goal.x, move.goal.y)))
        yield move._replace(turn=180 * (name in spun))


def _other_way_up(card: str) -> str:
    return card.removesuffix(OVER) if card.endswith(OVER) else card + OVER


def _token_moves(before: Sheet, after: Sheet, now: Micros) -> Iterator[Move]:
    """A token that somebody has more of comes from whoever has less of it or paid for it, else the middle."""
    olds, news = before.placed, after.placed
    middle = news.get(MIDDLE)
    for name, new in news.items():
        if not name.startswith(TOKEN) or _count(olds, name) >= _count(news, name):
            continue
        owner, _, kind = name.rpartition(":")
        fewer = [
            other for other in olds if other.startswith(TOKEN) and _count(news, other) < _count(olds, other)
        ]
        payers = (
            *(other for other in fewer if other.endswith(f":{kind}")),
            *(other for other in fewer if other.rpartition(":")[0] == owner),
        )
        source = olds[payers[0]].rect.center if payers else None if middle is None else middle.rect.center
        if source is not None and new.picture is not None:
            yield _move(before, after, name, "fly", source, now)


def _count(placed: Mapping[str, Placed], name: str) -> int:
    """How many tokens of a kind a player has."""
    return int(placed[name].what[0]) if name in placed else 0


def _move(  # noqa: PLR0917
    before: Sheet, after: Sheet, name: str, kind: str, source: tuple[int, int], now: Micros
) -> Move:
    new = after.placed[name]
    goal = Box(*pygame.Rect(new.rect).clip(after.rect))
    picture = after.surface.subsurface(goal).copy() if new.picture is None else new.picture
    under = new.under or before.surface.subsurface(goal).copy()
    if kind == "fly":  # a plate may have another colour now
        under.fill(after.surface.get_at((goal.x, goal.y)))
    if name in before.placed and new.picture is not None and not name.startswith((HELD, LIES)):
        under = new.picture  # another of what lies there
    return Move(name, kind, picture, source, goal, under, now, after.u(ARC) if kind == "fly" else 0)


def draw_moves(surface: pygame.Surface, moves: tuple[Move, ...], now: Micros) -> None:
    """Everything that is on its way, as it is at `now` (µs)."""
    for move in moves:
        if move.under is not None:
            surface.blit(move.under, move.goal)
    for move in moves:
        gone = min(1.0, (now - move.began) / (move.ends - move.began))
        if gone < 0:
            continue  # its turn comes later
        part = 1 - (1 - gone) ** 3 if move.kind == "deal" else gone * gone * (3 - 2 * gone)
        if move.kind == "turn":
            wide = max(1, round(move.goal.w * part))
            shown = pygame.transform.scale(move.picture, (wide, move.goal.h))
            surface.blit(shown, shown.get_rect(center=move.goal.center))
            continue
        (x, y), (goal_x, goal_y) = move.source, move.goal.center
        lift = round(4 * move.arc * part * (1 - part))
        spot = round(x + (goal_x - x) * part), round(y + (goal_y - y) * part) - lift
        shown = move.picture
        if move.turn:
            shown = pygame.transform.rotozoom(shown, move.turn * (1 - part), 1.0)
        surface.blit(shown, shown.get_rect(center=spot))
