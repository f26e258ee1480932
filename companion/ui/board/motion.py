"""What goes from one place to another when the table changes: found by comparing two pictures of it.

Whatever is painted says what it is and where it lies (`Sheet.place`). What lies elsewhere now slides there,
what shows another face is turned, a token flies to whoever has it now, a hand goes up. Until it has come, its
new place looks as it did before.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pygame

from companion.core.actions import Micros
from companion.ui.layout import Box
from companion.ui.toolkit.sheet import Placed, Sheet
from companion.ui.toolkit.theme import LOOK

MOTION = LOOK.motion
CARD, TOKEN, HAND, CHAIR, MIDDLE = "card", "token", "hand", "chair", "middle"
"""What a place is of: the word before the colon of its name."""
ARC = 12
"""How high what flies goes over the straight line, in u."""


class Move(NamedTuple):
    """One thing on its way."""

    name: str
    kind: str
    """As in `MOTION`: `turn`, `slide`, `fly`, `lift`."""
    picture: pygame.Surface
    source: tuple[int, int]
    goal: Box
    under: pygame.Surface
    """What is seen at its goal until it has come."""
    began: Micros
    arc: int = 0

    @property
    def ends(self) -> Micros:
        return self.began + MOTION[self.kind] * 1_000


def find_moves(before: Sheet, after: Sheet, now: Micros) -> Iterator[Move]:
    """What has changed its place or its face between two pictures of one table."""
    olds, news = before.placed, after.placed
    if olds.keys().isdisjoint(news):
        return
    for name, new in news.items():
        if name.startswith(CARD):
            yield from _card_moves(before, after, name, now)
        elif name.startswith(HAND) and name not in olds:
            down = (new.rect.centerx, new.rect.centery + new.rect.h // 2)
            yield _move(before, after, name, "lift", down, now)
    yield from _token_moves(before, after, now)


def _card_moves(before: Sheet, after: Sheet, name: str, now: Micros) -> Iterator[Move]:
    olds, news = before.placed, after.placed
    old, new = olds.get(name), news[name]
    if old is None or old.what == new.what or not new.what:
        return
    left = (one for other, one in olds.items() if other != name and one.what == new.what)
    gone = next((one for one in left if one not in news.values()), None)
    asked = [one.chair for one in before.frame.view.chairs if one.asked]  # type: ignore[attr-defined]
    hand = olds.get(f"{CHAIR}:{asked[0]}") if len(asked) == 1 else None
    if gone is not None:
        yield _move(before, after, name, "slide", gone.rect.center, now)
    elif old.what and (hand is None or old.what[:1] != new.what[:1]):
        yield _move(before, after, name, "turn", new.rect.center, now)
    elif hand is not None:
        yield _move(before, after, name, "slide", hand.rect.center, now)


def _token_moves(before: Sheet, after: Sheet, now: Micros) -> Iterator[Move]:
    """A token that somebody has more of comes from whoever has less, else from the middle."""
    olds, news = before.placed, after.placed
    middle = news.get(MIDDLE)
    for name, new in news.items():
        if not name.startswith(TOKEN) or _count(olds, name) >= _count(news, name):
            continue
        kind = name.rpartition(":")[2]
        payers = (
            one.rect.center
            for other, one in olds.items()
            if other.startswith(TOKEN)
            and other.endswith(f":{kind}")
            and _count(news, other) < _count(olds, other)
        )
        source = next(payers, None) or (None if middle is None else middle.rect.center)
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
    under = before.surface.subsurface(goal).copy()
    if kind == "fly":  # a plate may have another colour now
        under.fill(after.surface.get_at((goal.x, goal.y)))
    if name in before.placed and new.picture is not None:
        under = new.picture  # another of what lies there
    return Move(name, kind, picture, source, goal, under, now, after.u(ARC) if kind == "fly" else 0)


def draw_moves(surface: pygame.Surface, moves: tuple[Move, ...], now: Micros) -> None:
    """Everything that is on its way, as it is at `now` (µs)."""
    for move in moves:
        surface.blit(move.under, move.goal)
    for move in moves:
        gone = min(1.0, (now - move.began) / (move.ends - move.began))
        part = gone * gone * (3 - 2 * gone)
        if move.kind == "turn":
            wide = max(1, round(move.goal.w * part))
            shown = pygame.transform.scale(move.picture, (wide, move.goal.h))
            surface.blit(shown, shown.get_rect(center=move.goal.center))
            continue
        (x, y), (goal_x, goal_y) = move.source, move.goal.center
        lift = round(4 * move.arc * part * (1 - part))
        spot = round(x + (goal_x - x) * part), round(y + (goal_y - y) * part) - lift
        surface.blit(move.picture, move.picture.get_rect(center=spot))
