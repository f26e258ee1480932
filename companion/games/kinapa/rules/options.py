"""House rules of Kinapa with their defaults."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from companion.core.actions import Options

COMPATIBLE_LIAR_RULES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "chosen_only": frozenset({"counters", "move", "one_each", "none"}),
        "one_fox_each": frozenset({"counters", "one_each"}),
        "both": frozenset({"counters"}),
    }
)
"""With which `second_liar` each `two_liars` goes: two Fox cards suffice, or counters stand for them."""


class KinapaOptions(Options, frozen=True):
    """Keys and defaults as docs/rules.md lists them (KA numbers name its ambiguities)."""

    allow_dead_number: bool = False
    """KA4: may a number be announced whose pair already lies."""
    two_liars: Literal["chosen_only", "one_fox_each", "both"] = "chosen_only"
    """KA6: two raised seats hold one copy each: who is punished."""
    second_liar: Literal["counters", "move", "one_each", "none"] = "counters"
    """KA14: a liar is caught while the Foxes are out."""
    fox_first_tick: Literal["next_turn", "this_turn"] = "next_turn"
    """KA12: whether the transfer that ends the punishing turn already removes a Fox."""
    fox_tick: Literal["transfer", "turn"] = "transfer"
    """KA13: whether Foxes leave only when the crown moves, or every turn."""
    fox_receive: Literal["hidden", "open"] = "hidden"
    """KA15: how a punished seat holds cards it receives later."""
    fox_draw: Literal["random", "choice"] = "random"
    """KA16: whether the referee draws the place in an open hand, or the Emperor picks."""
    all_sheep: Literal["any_raised", "stays"] = "any_raised"
    """KA18: every raised seat has a Sheep already."""
    giveback: Literal["card", "number"] = "card"
    """KA11: what "a different card" means."""
    drawn_named: bool = False
    """Whether a player who draws a hidden card may say which it was: "a different card" is then held to."""
    false_denial_penalty: Literal["none", "audit_only", "always"] = "audit_only"
    """KA9: what a wrong answer to a demand costs."""
    place: Literal["may", "must"] = "may"
    """KA22: whether a matching pair has to be placed; hidden, so only said."""
    count_seconds: Literal[3, 5, 8, 0] = 3
    """KA24: length of the count; 0 is off: the Emperor closes it."""
    hand: Literal["toggle", "hold"] = "toggle"
    """KA24: a press raises and another lowers, or a hand is up while the button is down."""
    draw_is_duty: bool = True
    """KA41: with two or more lowered hands, must the Emperor exchange."""
    nobody_has: Literal["audit"] = "audit"
    """KA3: nobody admits a demanded number."""
    demand_open: bool = False
    """KA34: is the demanded card handed over face up."""
    bot_can_be_emperor_2p: bool = True
    """KA26, KA43: two players: whether the crown may go to a deck under an aid, whose owner then Switches."""
    win_bot: Literal["deck", "two_pairs", "both_decks"] = "deck"
    """KA27: who wins where a BOT plays: who empties the deck in hand, lays any two pairs, or (two players)
    empties both decks."""
    switch_progress: Literal["deck", "person"] = "deck"
    """KA31: whether a pair that lies counts for its deck, or for the person who laid it."""
    switch_foxes: Literal["deck"] = "deck"
    """KA44: Foxes and Sheep stay with the deck."""
    bot_checker: Literal["emperor", "neighbour"] = "emperor"
    """KA29: who looks into the common BOT: the Emperor, or the Emperor's left neighbour."""

    def find_conflict(self) -> tuple[str, str] | None:
        """K-T60; a stored game keeps the pair it began with."""
        return (
            None
            if self.second_liar in COMPATIBLE_LIAR_RULES[self.two_liars]
            else ("two_liars", "second_liar")
        )
