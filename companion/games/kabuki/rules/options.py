"""House rules of Kabuki with their defaults."""

from typing import Literal, Self

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from companion.core.actions import Chairs, Micros, Options

PHONE_RESOLUTION: Micros = 60_000
"""How finely a phone tells two presses apart: touch panels differ by tens of milliseconds."""


class KabukiOptions(Options, frozen=True):
    """Keys and defaults as docs/rules.md lists them (BA numbers name its ambiguities).

    Without a choice: the check is public and masks are never looked at otherwise (BA8), a tie at the end is
    shared (BA9), two players never reach 0 at once (BA12), and a token lost on the last mask ends the round
    by token (BA14).
    """

    round_ender: Literal["loser_or_last_placer", "placer", "caller"] = "loser_or_last_placer"
    """BA1: a round ends by the last token of somebody; who starts the next one. By deck: the last placer."""
    self_stop: bool = False
    """BA2: may a player stop the own mask."""
    stop_until: Literal["next_place", "next_show", "next_draw", "seconds"] = "next_place"
    """BA3: what closes the stop window of a mask."""
    window_s: Literal[10, 5, 15, 20] = 10
    """BA3: how long it is open under `stop_until=seconds`."""
    masks: Literal[50, 12] = 50
    """How many masks the deck has: all of them, or twelve to practise with (the lesson's last round)."""
    last_window_s: Literal[10, 5, 15, 20] = 10
    """BA3: how long the last mask of the deck may be stopped."""
    penalty: Literal["all_he_has"] = "all_he_has"
    """BA4: more twins than the placer has tokens."""
    tie_stop: Literal["clockwise"] = "clockwise"
    """BA5: calls that cannot be told apart: the nearest clockwise after the placer."""
    second_stop: bool = False
    """BA6: may a mask that was checked be stopped again; twins that a check has shown never pay twice."""
    shown: Literal["face_up"] = "face_up"
    """BA7: a mask is shown before it is placed, face up; one whose face nobody could read is asked for."""
    game_by: Literal["totals", "rounds"] = "totals"
    """BA10: who wins: the sum of the three rounds, or most rounds won."""
    wrong_call: Literal["box", "placer"] = "box"
    """BA11: where the token of a wrong call goes."""
    stop_withdraw: bool = True
    """BA13: a Stop may be withdrawn until the stack is lifted, once for a player and mask; clocks run on."""
    placed_by: Literal["camera", "button"] = "camera"
    """What says when a mask lay: the camera's pictures, or the placer's own button."""
    cooldown_ms: Literal[0, 500, 1000, 2000] = 0
    """After a press that was void a chair's presses do not count for so long."""
    gpio_us: Micros = 1_000
    """How finely wired buttons tell two presses apart (BA5: closer is equal)."""
    usb_us: Micros = 8_000
    """The same for an arcade encoder."""
    key_us: Micros = 16_000
    """The same for a keyboard."""
    touch_us: Micros = 16_000
    """The same for the touch screen."""

    phones: Literal["all_phones", "no", "mixed"] | UnsetType = UNSET
    """Who may call by phone: only all together (left out: the same), nobody, or each who likes."""
    phone_us: Micros | UnsetType = UNSET
    """The same as `touch_us` for a phone; only where phones play, so that other games are written as ever."""

    def adapt_to_phones(self, chairs: Chairs, held: Chairs, fit: Chairs) -> Self:
        return replace(self, phone_us=PHONE_RESOLUTION) if self._allowed_phones(chairs, held, fit) else self

    def chairs_allowed_phones(self, chairs: Chairs, held: Chairs, fit: Chairs) -> Chairs:
        """A game that began without phones states no resolution for them: none may call in it."""
        return frozenset() if self.phone_us is UNSET else self._allowed_phones(chairs, held, fit)

    @property
    def friendly(self) -> bool:
        """All call by phone, each over a link and a touch panel of its own."""
        return self.phone_us is not UNSET and self.phones != "mixed"

    def _allowed_phones(self, chairs: Chairs, held: Chairs, fit: Chairs) -> Chairs:
        if self.phones == "mixed":
            return held & fit
        return held if self.phones != "no" and held & fit == chairs else frozenset()

    def resolution(self, source: str) -> Micros:
        """The stated resolution of a source of presses; an unknown one is as coarse as any."""
        return self._resolutions().get(source, self.coarsest_resolution)

    @property
    def coarsest_resolution(self) -> Micros:
        """No two presses further apart than this are ever equal."""
        return max(self._resolutions().values())

    def _resolutions(self) -> dict[str, Micros]:
        phone = {} if self.phone_us is UNSET else {"phone": self.phone_us}
        return {
            "gpio": self.gpio_us,
            "usb": self.usb_us,
            "key": self.key_us,
            "touch": self.touch_us,
            **phone,
        }
