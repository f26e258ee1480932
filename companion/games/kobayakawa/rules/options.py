"""House rules of Kobayakawa with their defaults."""

from typing import Literal

from companion.core.actions import Options


class KobayakawaOptions(Options, frozen=True):
    """Keys and defaults as docs/rules.md lists them (OA numbers name its ambiguities).

    Without a choice: the centre alone counts the rounds (OA4), a lone fighter shows nothing (OA7), who has
    two kamons stakes two in the last round (OA8), its pot is never split (OA9), an old Kobayakawa lies buried
    and was public (OA10), bets go clockwise from the start player (OA11), and who has nothing left is out
    after the payout (OA12).
    """

    draw_optional: bool = False
    """OA1: may a player neither draw nor replace."""
    nobody_fights: Literal["repeat", "box", "carried", "last_player"] = "repeat"
    """OA2: a round without a fighter: again; the centre's part to the box; the same kept for the next winner
    (in the last round: again); or the last to bet wins as soon as all others passed."""
    start_after_no_fight: Literal["next", "same"] = "next"
    """OA3: who starts after such a round; who speaks first has the worst place, so it goes round."""
    last_survivor_wins: bool = True
    """OA5: does the game stop when one player alone has kamons."""
    final_tie: Literal["shared", "last_round", "turn_order", "deciding_round"] = "shared"
    """OA6: who wins when most kamons are held by several: all of them; the winner of the last round if among
    them; the one who sat earliest in its turn order; or who wins a deciding round, which they play alone:
    everybody fights, and nothing is staked."""
