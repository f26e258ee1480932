"""House rules of dnup with their defaults."""

from typing import Literal

from companion.core.actions import Options


class DnupOptions(Options, frozen=True):
    """Keys and defaults as docs/rules.md lists them (DA numbers name its ambiguities).

    Without a choice: a set of the first to go out is discarded whole when it is beaten (DA3), an equal value
    never beats (DA6), the direction of the deal does not matter (DA8), nobody looks through the discards
    (DA10), the holder of the star card begins every round (DA12), four points end the game at once (DA13), a
    lingering set blocks its size (DA14), and a won round of two players ends at once (DA15).
    """

    deck_file: Literal["printed", "scan"] = "printed"
    """DA1: which cards there are: as listed in `manifest`, or as the whole deck is shown once."""
    target_out_player: bool = True
    """DA2: may a card be added to the set of the first to go out, and may it be taken."""
    own_area_target: bool = False
    """DA4: two players: may the own other area be added to or taken."""
    out_check_2p: Literal["before_bounce", "after_bounce"] = "before_bounce"
    """DA5: two players: the last card wins at once, as printed; or not, if it brings an own set home."""
    choose_hand_orientation: bool = False
    """DA7: may a dealt hand be picked up either way."""
    stall_limit: Literal["3_laps", "5_laps", "never"] = "3_laps"
    """DA9: after so many rounds of the table without a card played a new deal is offered."""
    show_hand_sizes: bool = True
    """DA11: does the screen show how many cards everybody holds."""
    score_style: Literal["points", "letters"] = "points"
    """DA16: what is won is called a point, or a letter of d-n-u-p."""
    settle_s: Literal[2, 1, 4, 6] = 2
    """After so many quiet seconds what lies on the table counts; the own button says it at once."""

    @property
    def stall_laps(self) -> int:
        """Rounds of the table without a card played, after which a new deal is offered; 0: never."""
        return {"3_laps": 3, "5_laps": 5}.get(self.stall_limit, 0)
