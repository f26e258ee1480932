"""Layout of Kobayakawa's mat: six fields with a hand and a discard each."""

from companion.vision.layout import STACK_MM, Layout, Millimetres, Place

FIELD_MM: Millimetres = (68.0, 92.0)
"""One card before a player, with room to lay it carelessly."""
_FIELD_STEP = 35.0
_FIELDS: tuple[tuple[float, float, float], ...] = (
    (139.0, 360.0, 0.0),
    (139.0, 60.0, 180.0),
    (297.0, 60.0, 180.0),
    (455.0, 60.0, 180.0),
    (455.0, 360.0, 0.0),
    (297.0, 360.0, 0.0),
)


def build_mat_layout(hands: int) -> Layout:
    """Six fields clockwise from the left of the lower edge, each with a hand and a discard; between them the
    deck and the open card. Fewer players leave fields between them free.
    """
    fields: list[Place] = []
    for number, (x, y, angle) in enumerate(_FIELDS, start=1):
        for kind, side in (("discard", -1), ("hand", 1)):
            right = side if angle == 0.0 else -side
            fields.append(Place(f"{kind}:{number}", (x + right * _FIELD_STEP, y), FIELD_MM, angle))
    return Layout(
        places=(Place("kobayakawa", (342.0, 210.0), STACK_MM), *fields),
        banks=(Place("deck", (252.0, 210.0), STACK_MM),),
    )
