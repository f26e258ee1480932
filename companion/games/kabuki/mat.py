"""Layout of Kabuki's mat: four stacks, a show place and a check row."""

from companion.vision.layout import STACK_MM, Layout, Place


def build_mat_layout(hands: int) -> Layout:
    """Four stacks clockwise round the deck and the show place; below, the row in which a stack is checked."""
    stacks = ((150.0, 66.0), (444.0, 66.0), (444.0, 178.0), (150.0, 178.0))
    return Layout(
        places=(
            *(Place(f"stack:{number}", centre, STACK_MM) for number, centre in enumerate(stacks, start=1)),
            Place("show", (342.0, 122.0), STACK_MM),
            Place("audit", (297.0, 296.0), (450.0, 84.0)),
        ),
        banks=(Place("deck", (252.0, 122.0), STACK_MM),),
        cards_in_hand_place=9,
    )
