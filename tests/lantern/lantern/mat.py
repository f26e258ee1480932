"""Lantern's mat: one field before each of the four seats."""

from __future__ import annotations

from companion.vision.layout import Layout, Place
from lantern.rules import place

FIELD_MM = (72.0, 92.0)
CENTRES = ((190.0, 340.0, 0.0), (190.0, 80.0, 180.0), (404.0, 80.0, 180.0), (404.0, 340.0, 0.0))
"""Millimetres from the mat's left and upper edge, and degrees: clockwise from the left of the lower edge."""


def layout(hands: int) -> Layout:
    """The four places, for `hands` = 4: two people have two each."""
    fields = (Place(place(seat), (x, y), FIELD_MM, angle) for seat, (x, y, angle) in enumerate(CENTRES))
    return Layout(places=tuple(fields))
