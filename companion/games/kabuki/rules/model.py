"""Event-sourced state of a Kabuki game, as far as the referee knows it: buried masks included.

House rules and state first, then the events. Each carries all its consequences and says what it does to the
state; nothing is judged here, so that a replay never judges again.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, Self

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import Chairs, Micros, Options, Seat, Value
from companion.core.events import Event, InterimEvent, SeatEvent, SilentEvent, events_of
from companion.games.kit.race import PHONE_RESOLUTION, RaceCall

# House rules ------------------------------------------------------------------------------------------------


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


# State ------------------------------------------------------------------------------------------------------


DESIGN_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "leaf": "green",
        "sun": "yellow",
        "lion": "yellow",
        "demon": "red",
        "crab": "red",
        "ghost": "purple",
        "plum": "purple",
        "wave": "blue",
        "storm": "blue",
        "moon": "blue",
    }
)
"""The ten designs and their colours (PB3: 1 green, 2 yellow, 2 red, 2 purple, 3 blue): designs match."""
DESIGNS = tuple(DESIGN_COLOURS)
COPIES_PER_DESIGN = 5
"""Masks of each design."""
DECK_SIZE = COPIES_PER_DESIGN * len(DESIGNS)
STACK_COUNT = 4
ROUND_COUNT = 3
MAX_TWINS = COPIES_PER_DESIGN - 1
"""More masks of one design cannot lie under another."""
UNREAD = ""
"""The design of a mask that nobody could read."""


class KabukiPhase(StrEnum):
    """What the table is waiting for."""

    STARTING = "starting"
    """Chance names the first player."""
    SHUFFLING = "shuffling"
    """The masks are shuffled; the starter says when."""
    PLAYING = "playing"
    """Draw, show, place; the last placed mask may be stopped."""
    REOPENING = "reopening"
    """A timed window was voided: the placer opens it again."""
    CALLED = "called"
    """Stop was called; of whom and about which mask is being found out."""
    ASKING = "asking"
    """The press fell between two pictures, or a mask was laid unseen: which mask was meant?"""
    STOPPED = "stopped"
    """The Stop has its caller and its mask; the stack is not lifted yet."""
    CHECKING = "checking"
    """Everybody looks at the stack; the caller says how many twins lie there."""
    SHOWING = "showing"
    """Table and referee count differently: the stack is shown card by card."""
    RESTORING = "restoring"
    """The stack goes back in its order."""
    OVER = "over"


class PlacedMask(Value, frozen=True):
    """A mask on a stack."""

    design: str
    """Empty while nobody could read it."""
    seat: Seat
    """Who placed it."""
    number: int
    """The how-manieth of the round, from 1."""


class Placement(Value, frozen=True):
    """A mask seen or said to lie, and between which instants it came."""

    stack: int
    design: str
    clear_until: Micros
    lies_since: Micros


class AssignedStop(Value, frozen=True):
    """A call that counts: whose, and about which mask."""

    seat: Seat
    at: Micros
    stack: int
    number: int
    placer: Seat


class PendingStop(Value, frozen=True):
    """Calls whose mask is not settled."""

    calls: tuple[RaceCall, ...] = ()
    locked: bool = False
    """No further call can be equal to the first."""
    placement: Placement | None = None
    """A mask that came to lie while the game was stopped: it is placed when play goes on."""
    upper: Placement | None = None
    """One that came to lie on `placement` meanwhile and hides it: it is placed after it."""
    voided: tuple[Seat, ...] = ()
    """Seats for which it was announced already that their call is void."""
    among: tuple[Seat, ...] = ()
    """Whose calls may all have been first; the placer is asked."""
    newer: bool = False
    """Whether these are about `placement`."""
    later: bool = False
    """Whether `placement` was seen to be another mask than the one shown, before a face was forgotten."""

    @property
    def without_calls(self) -> "PendingStop":
        """Only the masks that wait."""
        return PendingStop(placement=self.placement, upper=self.upper, later=self.later)

    @property
    def first_call_at(self) -> Micros:
        """The stamp of the earliest call."""
        return min(call.at for call in self.calls)


class MaskInHand(Value, frozen=True):
    """The turn of the player who draws: what is known of the mask in hand."""

    drawn: bool = False
    design: str = UNREAD
    """As it was shown."""
    shown_after: tuple[int, ...] = ()
    """Stacks on which something lay, not placed yet, before it was shown: it is not that."""
    where_due: Micros | None = None
    """When to ask where a shown mask went."""
    missed: bool = False
    """It was asked."""
    left: Micros | None = None
    """A Stop was called before the mask left the show place: the last instant at which it was still there."""
    marked: Micros | None = None
    """`placed_by=button`: the placer's own edge."""
    handled: tuple[Placement, ...] = ()
    """Stacks that a hand was over and that look as before: it may have laid a mask on its like (B-T43)."""
    like_due: Micros | None = None
    """When to ask whether it did; None: that was asked, or no hand was there."""
    pointer: int = 1
    """The stack that the shared buttons point at."""
    pointing: bool = False
    """They were used in this turn."""


class KabukiState(game_status.GameState[KabukiOptions], frozen=True):
    """Everything observed, with its consequences."""

    phase: KabukiPhase = KabukiPhase.STARTING
    round: int = 1
    drawer: Seat = 0
    """Whose turn it is; between rounds the starter of the next."""
    stacks: tuple[tuple[PlacedMask, ...], ...] = ((),) * STACK_COUNT
    """Lowest first."""
    placed: int = 0
    lay: Micros = 0
    """Since when the mask placed last was seen to lie."""
    turns: int = 0
    """Masks placed in the whole game."""
    tokens: tuple[int, ...] = ()
    box: int = 0
    """Tokens returned in this round."""
    missing: int = 0
    """Masks that the deck turned out not to have (BI2)."""
    scores: tuple[tuple[int, ...], ...] = ()
    """Tokens at the end of each round."""
    hand: MaskInHand = MaskInHand()
    closed: bool = True
    """Whether the last placed mask may not be stopped any more."""
    closed_since: Micros | None = None
    """Where the next mask's being shown closed it: since when. None: whoever calls now is too late."""
    until: Micros | None = None
    """The last instant of a timed stop window; a Stop that comes to nothing does not move it."""
    shut: Micros | None = None
    """The last instant of the timed window that was open last."""
    pending: PendingStop = PendingStop()
    stop: AssignedStop | None = None
    withdrawn: tuple[Seat, ...] = ()
    """Who has withdrawn a Stop about the mask placed last."""
    proven: int = 0
    """Twins of the mask placed last that checks have shown and the placer has paid for."""
    said: int | None = None
    """How many twins the table counted."""
    cards: tuple[str, ...] = ()
    """The stack as it is shown card by card, lowest first."""
    unread: tuple[Placement, ...] = ()
    """Stacks on which something lies that could not be read: a mask, or only a hand."""
    unread_due: Micros | None = None
    """From then on it counts as a mask."""
    misplaced: tuple[Placement, ...] = ()
    """What lies where it may not: to be put right."""
    cold: tuple[tuple[Seat, Micros], ...] = ()
    """Seats whose presses do not count until an instant."""
    doubted: tuple[str, ...] = ()
    """Designs of which a sixth copy was read in this round (BI3): one of the six was misread."""
    winners: tuple[Seat, ...] = ()

    @property
    def starting_tokens(self) -> int:
        """Tokens of each player at the start of a round."""
        return tokens_per_player(self.players)

    @property
    def totals(self) -> tuple[int, ...]:
        """What each player scored in the rounds that are over."""
        return tuple(sum(score[seat] for score in self.scores) for seat in range(self.players))

    @property
    def deck(self) -> int:
        """Masks still in the deck, by count."""
        return self.options.masks - self.missing - self.placed - self.hand.drawn

    @property
    def out(self) -> bool:
        """Whether no mask is left to be placed."""
        return self.deck == 0 and not self.hand.drawn

    def waits_on(self, stack: int) -> bool:
        """Whether a mask that came to lie on this stack waits until play goes on."""
        return self.pending.placement is not None and self.pending.placement.stack == stack

    @property
    def awaits_earlier_mask(self) -> bool:
        """Whether the mask shown was laid unseen, and a later one waits until it is said where."""
        held = self.phase in {KabukiPhase.PLAYING, KabukiPhase.ASKING}
        return held and self.hand.missed and self.has_later_mask

    @property
    def has_later_mask(self) -> bool:
        """Whether the mask that waits is another than the one shown; hidden since, it stays another."""
        there, shown = self.pending.placement, self.hand.design
        unlike = there is not None and there.design not in {UNREAD, shown}
        return self.pending.later or (shown != UNREAD and (unlike or self.pending.upper is not None))

    @property
    def may_lie_unseen(self) -> bool:
        """Whether the mask in hand may lie already: on its like, where no picture changes, or as marked."""
        hand, there = self.hand, self.pending.placement
        if hand.marked is not None or hand.handled:
            return there is None
        gone = hand.design != UNREAD and (hand.missed or hand.where_due is not None)
        like = any(top is not None and top.design == hand.design for top in self.tops)
        return gone and like and (there is None or there.design not in {UNREAD, hand.design})

    @property
    def asks_like(self) -> bool:
        """Whether the player in turn is asked if a mask was laid on its like, where no picture changed."""
        asked = self.hand.handled and self.hand.like_due is None and not self.hand.missed
        return bool(asked) and self.phase is KabukiPhase.PLAYING

    @property
    def asks_where(self) -> bool:
        """Whether a Stop waits until the player in turn has said where the mask lies that nobody saw laid."""
        asked = self.phase is KabukiPhase.ASKING and self.hand.missed and not self.pending.among
        return asked and (self.pending.placement is None or self.awaits_earlier_mask)

    @property
    def uses_pointer(self) -> bool:
        """Whether the shared buttons say where a mask lies: where no camera does, or somebody began to."""
        needed = self.hand.pointing or self.hand.missed or self.desk.blind
        return needed and not self.out

    @property
    def last(self) -> PlacedMask | None:
        """The mask placed last."""
        return next((mask for mask in self.tops if mask is not None and mask.number == self.placed), None)

    @property
    def can_withdraw(self) -> bool:
        """Whether the caller may still withdraw the Stop (BA13)."""
        return self.options.stop_withdraw and self.stop is not None and self.stop.seat not in self.withdrawn

    @property
    def tops(self) -> tuple[PlacedMask | None, ...]:
        """What lies on top of each stack: all that is public of it."""
        return tuple(stack[-1] if stack else None for stack in self.stacks)

    def top(self, stack: int) -> PlacedMask | None:
        """The mask on top of this stack, counted from 1; None if there is none."""
        return self.tops[stack - 1]

    def stack_of(self, mask: PlacedMask) -> int:
        """The stack on which a mask lies, from 1."""
        return next(number for number, stack in enumerate(self.stacks, 1) if mask in stack)

    def count_copies(self, design: str) -> int:
        """How many masks of a design were placed in this round."""
        return sum(mask.design == design for stack in self.stacks for mask in stack)


def tokens_per_player(players: int) -> int:
    """How many tokens everybody begins a round with (PB1)."""
    return 5 if players <= 4 else 4


NO_ROUND_PHASES = frozenset({KabukiPhase.STARTING, KabukiPhase.SHUFFLING, KabukiPhase.OVER})
"""No round runs."""


def find_violation(state: KabukiState) -> str | None:
    """The first invariant that does not hold, or None."""
    stacked = [mask for stack in state.stacks for mask in stack]
    if state.deck + len(stacked) + state.hand.drawn + state.missing != state.options.masks or state.deck < 0:
        return "deck, stacks and the drawn mask are all there are"
    if sorted(mask.number for mask in stacked) != list(range(1, state.placed + 1)):
        return "every placement is on one stack"
    if any(list(stack) != sorted(stack, key=lambda mask: mask.number) for stack in state.stacks):
        return "stacks grow upwards"
    if any(
        state.count_copies(design) > COPIES_PER_DESIGN and design not in state.doubted for design in DESIGNS
    ):
        return "each design at most five times"
    if not 0 <= state.drawer < state.players:
        return "the player in turn sits at the table"
    if len(state.scores) > ROUND_COUNT or not 1 <= state.round <= ROUND_COUNT + 1:
        return "three rounds"
    if (
        state.phase in NO_ROUND_PHASES or state.desk.abandoned
    ):  # given up, it stays as it was in its phase (K-T65)
        return None
    if sum(state.tokens) + state.box != state.starting_tokens * state.players:
        return "tokens are conserved"
    if any(tokens < 1 for tokens in state.tokens) or state.box < 0:
        return "who has no token ends the round"
    if (state.stop is None) == (
        state.phase in {KabukiPhase.STOPPED, KabukiPhase.CHECKING, KabukiPhase.SHOWING, KabukiPhase.RESTORING}
    ):
        return "a check has a Stop"
    if state.phase in {KabukiPhase.CALLED, KabukiPhase.ASKING} and not state.pending.calls:
        return "a pending Stop has a call"
    return None


# Events -----------------------------------------------------------------------------------------------------


RoundEndReason = Literal["token", "deck"]
"""What ended a round: somebody's last token, or the last mask."""


class StarterDrawn(SeatEvent, frozen=True):
    """Chance named who begins the first round."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, phase=KabukiPhase.SHUFFLING, drawer=self.seat, tokens=(0,) * state.players)


class KabukiRoundBegan(SeatEvent, frozen=True, tag="RoundBegan"):
    """All masks are shuffled, tokens lie in front of everybody, `seat` draws first."""

    round: int
    tokens: int

    def apply(self, state: KabukiState) -> KabukiState:
        state = replace(state, phase=KabukiPhase.PLAYING, round=self.round, drawer=self.seat, placed=0, box=0)
        state = replace(
            state, tokens=(self.tokens,) * state.players, stacks=((),) * STACK_COUNT, hand=MaskInHand()
        )
        state = replace(state, closed=True, until=None, pending=PendingStop(), stop=None, said=None, cards=())
        state = replace(state, unread=(), unread_due=None, shut=None)
        return replace(state, misplaced=(), cold=(), doubted=(), missing=0)


class MaskDrawn(SeatEvent, SilentEvent, frozen=True):
    """The player in turn took the top card."""

    def apply(self, state: KabukiState) -> KabukiState:
        return _with_hand(
            _with_window_closed(state, closes=state.options.stop_until == "next_draw"), drawn=True
        )


class MaskShown(SeatEvent, SilentEvent, frozen=True):
    """The player in turn showed it to everybody."""

    mask: str
    closes: bool
    """Under `stop_until=next_show` (or `next_draw`) the mask placed before cannot be stopped any more."""
    since: Micros | None = None
    """If it closes: since when; a Stop that came before counts, even if this was seen after it."""

    def apply(self, state: KabukiState) -> KabukiState:
        state = _with_window_closed(state, closes=self.closes, since=self.since)
        queued = state.pending.placement
        lay = tuple(here.stack for here in (*state.unread, *(() if queued is None else (queued,))))
        state = replace(state, pending=replace(state.pending, later=False))
        if state.hand.like_due is not None:  # so it was not laid before
            state = _with_hand(state, handled=(), like_due=None)
        return _with_hand(state, drawn=True, design=self.mask, shown_after=lay, where_due=None)


class ShowCleared(SilentEvent, frozen=True):
    """The shown mask left the show place; where it lies is asked at `due`."""

    due: Micros
    after: Micros | None = None
    """If Stop was called meanwhile: the last instant at which it was still there."""

    def apply(self, state: KabukiState) -> KabukiState:
        return _with_hand(state, where_due=self.due, left=self.after)


class PlacementMissed(SeatEvent, frozen=True):
    """The referee did not see where the shown mask went: the table says so. A Stop waits for it."""

    def apply(self, state: KabukiState) -> KabukiState:
        phase = KabukiPhase.ASKING if state.phase is KabukiPhase.CALLED else state.phase
        state = _with_hand(replace(state, phase=phase), where_due=None, like_due=None, missed=True)
        return replace(state, unread=(), unread_due=None)


class HandWithdrawn(SilentEvent, frozen=True):
    """A hand was over this stack, which looks as before; whether it laid a mask is asked at `due`."""

    stack: int
    lies_since: Micros
    due: Micros

    def apply(self, state: KabukiState) -> KabukiState:
        others = tuple(here for here in state.hand.handled if here.stack != self.stack)
        here = Placement(self.stack, UNREAD, self.lies_since - 1, self.lies_since)
        return _with_hand(state, handled=(*others, here), like_due=self.due)


class LikeAsked(SeatEvent, frozen=True):
    """Was a mask laid on its like? The player in turn says so."""

    def apply(self, state: KabukiState) -> KabukiState:
        return _with_hand(state, like_due=None)


class LikeDenied(SilentEvent, frozen=True):
    """No mask was laid where the hand was."""

    def apply(self, state: KabukiState) -> KabukiState:
        return _with_hand(state, handled=(), like_due=None, missed=False)


class PlacementMarked(SeatEvent, frozen=True):
    """The placer's own button said: now it lies (`placed_by=button`)."""

    at: Micros

    def apply(self, state: KabukiState) -> KabukiState:
        return _with_hand(state, marked=self.at)


class StackPointedAt(InterimEvent, frozen=True, tag="Pointed"):
    """The shared buttons point at another stack."""

    stack: int

    def apply(self, state: KabukiState) -> KabukiState:
        return _with_hand(state, pointer=self.stack, pointing=True)


class MaskPlaced(SeatEvent, frozen=True):
    """A mask lies on a stack and may be stopped from now on; empty `mask`: unread."""

    stack: int
    mask: str
    number: int
    clear_until: Micros
    lies_since: Micros
    drawer: Seat
    """Who draws next."""
    covered: bool = False
    """Another mask came to lie on it before play went on: it is unread, and nobody is asked which it is."""

    def apply(self, state: KabukiState) -> KabukiState:
        stacks = list(state.stacks)
        stacks[self.stack - 1] = (*stacks[self.stack - 1], PlacedMask(self.mask, self.seat, self.number))
        stopped = state.phase in {KabukiPhase.CALLED, KabukiPhase.ASKING, KabukiPhase.STOPPED}
        phase = state.phase if stopped else KabukiPhase.PLAYING
        calls = state.pending.calls if stopped else ()
        # The calls found their mask: no later one moves them.
        upper = state.pending.upper
        state = replace(state, phase=phase, stacks=tuple(stacks), placed=self.number, drawer=self.drawer)
        state = replace(state, hand=MaskInHand(pointer=state.hand.pointer))
        left = None if state.out or not self.covered else upper  # of an empty deck it can be no mask
        pending = replace(
            state.pending, placement=left, upper=None, calls=calls, voided=(), locked=False, later=False
        )
        state = replace(state, pending=pending)
        state = replace(state, closed=False, closed_since=None, until=None)
        state = replace(state, lay=self.lies_since, withdrawn=(), proven=0)
        return replace(state, misplaced=(), unread=(), unread_due=None, turns=state.turns + 1)


class PlacementEvent(SilentEvent, frozen=True):
    """Common part: a mask came to lie that is not placed yet."""

    stack: int
    mask: str
    clear_until: Micros
    lies_since: Micros

    @classmethod
    def of(cls, here: Placement) -> Self:
        return cls(here.stack, here.design, here.clear_until, here.lies_since)

    @property
    def placement(self) -> Placement:
        return Placement(self.stack, self.mask, self.clear_until, self.lies_since)


class UnreadSeen(SilentEvent, frozen=True):
    """Something on a stack could not be read; if it is still so at `due` it counts as placed. Silent."""

    stack: int
    clear_until: Micros
    lies_since: Micros
    due: Micros

    def apply(self, state: KabukiState) -> KabukiState:
        here = Placement(self.stack, UNREAD, self.clear_until, self.lies_since)
        unread = (*(old for old in state.unread if old.stack != self.stack), here)
        later = tuple(stack for stack in state.hand.shown_after if stack != self.stack)
        return replace(_with_hand(state, shown_after=later), unread=unread, unread_due=self.due)


class UnreadGone(SilentEvent, frozen=True):
    """It was only a hand: the stack is as before."""

    stack: int

    def apply(self, state: KabukiState) -> KabukiState:
        unread = tuple(old for old in state.unread if old.stack != self.stack)
        return replace(state, unread=unread, unread_due=state.unread_due if unread else None)


class MaskRead(Event, frozen=True):
    """The face of an unread mask on top became known."""

    stack: int
    mask: str

    def apply(self, state: KabukiState) -> KabukiState:
        state = replace(state, misplaced=_misplaced_elsewhere(state, self.stack))
        return _with_designs(state, self.stack, (*_stack_designs(state, self.stack)[:-1], self.mask))


class SixthCopySeen(SilentEvent, frozen=True, tag="SixthSeen"):
    """More masks of a design than there are (BI3): one was misread. Silent: it would tell of buried ones."""

    mask: str

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, doubted=tuple(dict.fromkeys((*state.doubted, self.mask))))


class DeckDoubted(Event, frozen=True):
    """Told when the round is over: a sixth copy of this design was read."""

    mask: str


class FaceForgotten(InterimEvent, frozen=True):
    """Silent: rulings were taken back, and what lay open then was covered since; it is seen or said again."""

    place: str
    """`stack:1` … its top; `show`: the mask in hand; `queued`: one that came to lie while play was stopped,
    `upper`: one on it; `misplaced:1` … one that may not lie there; `audit`: what was shown of the stack that
    is checked."""

    def apply(self, state: KabukiState) -> KabukiState:
        later = state.hand.missed and state.has_later_mask  # the table was told so
        state = replace(state, pending=replace(state.pending, later=later))
        pending, queued, upper = state.pending, state.pending.placement, state.pending.upper
        kind, _, number = self.place.partition(":")
        match kind:
            case "show":
                return _with_hand(state, design=UNREAD, where_due=None)
            case "queued" if queued is not None:
                return _with_queued_unread(state)
            case "upper" if upper is not None:
                return replace(state, pending=replace(pending, upper=replace(upper, design=UNREAD)))
            case "audit":
                return replace(state, cards=())
            case "misplaced":
                return replace(state, misplaced=_misplaced_elsewhere(state, int(number)))
            case "stack":
                covered = (*_stack_designs(state, int(number))[:-1], UNREAD)
                return _with_designs(state, int(number), covered)
        return state


class DeckShort(Event, frozen=True):
    """The deck is empty too early: `count` masks were never placed (BI2)."""

    count: int

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, missing=state.missing + self.count)


class KabukiMisplacementSeen(PlacementEvent, frozen=True, tag="AmissSeen"):
    """A mask lies where it may not; silent, so that it is called only once."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, misplaced=(*_misplaced_elsewhere(state, self.stack), self.placement))


class KabukiMisplacementResolved(SilentEvent, frozen=True, tag="PutRight"):
    """That stack is as it should be again."""

    stack: int

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, misplaced=_misplaced_elsewhere(state, self.stack))


class WindowOpened(Event, frozen=True):
    """A timed stop window is open until and with `until`; `last`: it is the deck's last mask."""

    until: Micros
    last: bool

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, phase=KabukiPhase.PLAYING, until=self.until, closed=False)


class WindowClosed(SilentEvent, frozen=True):
    """The mask placed last cannot be stopped any more."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, until=None, closed=True, shut=state.until)


class CallEvent(SeatEvent, frozen=True):
    """Common part: a press that says Stop."""

    at: Micros
    source: str
    since: Micros | None = None
    """Where no edge dates the press: it fell between here and `at`."""

    @property
    def call(self) -> RaceCall:
        return RaceCall(self.seat, self.at, self.source, self.since)


class StopCalled(CallEvent, frozen=True):
    """Somebody called Stop: the order is locked, the mask will be found out."""

    def apply(self, state: KabukiState) -> KabukiState:
        pending = replace(state.pending.without_calls, calls=(self.call,))
        return replace(state, phase=KabukiPhase.CALLED, pending=pending)


class StopJoined(CallEvent, SilentEvent, frozen=True):
    """A further call while the first is pending."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, pending=replace(state.pending, calls=(*state.pending.calls, self.call)))


class CallsLocked(SilentEvent, frozen=True):
    """Every press that could equal the first call was judged."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, pending=replace(state.pending, locked=True))


class PlacementQueued(PlacementEvent, frozen=True):
    """A mask came to lie while play was stopped: it is placed when play goes on.

    One that waits on that stack already is hidden by it from now on (B-T56); one that was unread and came to
    lie at the same instant is this one.
    """

    def apply(self, state: KabukiState) -> KabukiState:
        under, upper = state.pending.placement, state.pending.upper
        if upper is not None and replace(upper, design=self.mask) == self.placement:
            pending = replace(state.pending, upper=self.placement)
        elif under is None or under.stack != self.stack or replace(under, design=self.mask) == self.placement:
            pending = replace(state.pending, placement=self.placement)
        else:
            pending = replace(_with_queued_unread(state).pending, upper=self.placement)
        left = _misplaced_elsewhere(state, self.stack)
        return replace(state, unread=(), unread_due=None, pending=pending, misplaced=left)


class MaskAsked(SeatEvent, frozen=True):
    """The press fell between two pictures: the caller says which mask was meant."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, phase=KabukiPhase.ASKING, stop=None, pending=replace(state.pending, among=()))


class CallerAsked(SeatEvent, frozen=True):
    """No edge dates one of these presses, so nobody knows whose was first: the placer says so."""

    among: tuple[Seat, ...]
    within: Micros
    """All of them fell within so long a time."""
    newer: bool
    """Whether they are about the mask that came to lie meanwhile."""

    def apply(self, state: KabukiState) -> KabukiState:
        asked = replace(state.pending, among=self.among, newer=self.newer)
        return replace(state, phase=KabukiPhase.ASKING, stop=None, pending=asked)


class StopAssigned(SeatEvent, frozen=True):
    """The Stop has its caller and its mask; `tied` pressed at the same instant, as far as can be measured."""

    at: Micros
    stack: int
    number: int
    placer: Seat
    tied: tuple[Seat, ...] = ()

    def apply(self, state: KabukiState) -> KabukiState:
        stop = AssignedStop(self.seat, self.at, self.stack, self.number, self.placer)
        return replace(state, phase=KabukiPhase.STOPPED, stop=stop, pending=replace(state.pending, among=()))


class VoidCall(SeatEvent, frozen=True):
    """Common part: a call does not count, and that was announced."""

    def apply(self, state: KabukiState) -> KabukiState:
        voided = tuple(dict.fromkeys((*state.pending.voided, self.seat)))
        return replace(state, pending=replace(state.pending, voided=voided))


class StopVoided(VoidCall, frozen=True):
    """A later call is void; kept with its distance in microseconds behind the one that counts; 0: unknown."""

    behind: Micros


class OwnMaskCalled(VoidCall, frozen=True):
    """The placer called their own mask: void."""


class StopTooEarly(VoidCall, frozen=True):
    """No mask lay there that could be stopped: a false start."""


class StopTooLate(VoidCall, frozen=True):
    """The mask cannot be stopped any more: it was checked, or its window was over."""


class StopInCooldown(SeatEvent, frozen=True, tag="StopCold"):
    """A press within the cooldown: it does not count."""


class CooledDown(SeatEvent, SilentEvent, frozen=True):
    """This chair's presses do not count until `until` (house rule `cooldown_ms`)."""

    until: Micros

    def apply(self, state: KabukiState) -> KabukiState:
        others = tuple(pair for pair in state.cold if pair[0] != self.seat)
        return replace(state, cold=(*others, (self.seat, self.until)))


class CallsDropped(SilentEvent, frozen=True):
    """No pending call counts; play goes on."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, phase=KabukiPhase.PLAYING)


class StopWithdrawn(SeatEvent, frozen=True):
    """The caller takes it back before the stack is lifted (BA13)."""

    def apply(self, state: KabukiState) -> KabukiState:
        kept = state.pending.without_calls
        withdrawn = tuple(dict.fromkeys((*state.withdrawn, self.seat)))
        return replace(state, phase=KabukiPhase.PLAYING, stop=None, withdrawn=withdrawn, pending=kept)


class CheckBegan(SeatEvent, frozen=True):
    """The stack is lifted and everybody looks."""

    stack: int

    def apply(self, state: KabukiState) -> KabukiState:
        kept = state.pending.without_calls
        return replace(state, phase=KabukiPhase.CHECKING, pending=kept, said=None, cards=())


class CheckSaid(SeatEvent, frozen=True):
    """The table counted this many twins of the mask."""

    count: int

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, said=self.count)


class CheckDiffers(Event, frozen=True):
    """The referee counted otherwise: the stack is shown card by card."""

    stack: int
    count: int
    """The twins that the referee knows of."""

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, phase=KabukiPhase.SHOWING, cards=())


class StackCardShown(SilentEvent, frozen=True, tag="CardShown"):
    """One card of the stack, shown to the camera, the lowest first."""

    mask: str

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, cards=(*state.cards, self.mask))


class StackRead(SilentEvent, frozen=True):
    """The camera read the whole stack, lowest first: the log says so from now on."""

    stack: int
    cards: tuple[str, ...]

    def apply(self, state: KabukiState) -> KabukiState:
        return _with_designs(state, self.stack, self.cards)


class StackOrderChanged(Event, frozen=True):
    """The same masks in another order than they were placed (BI1): it was put back otherwise."""

    stack: int


class StackMisread(Event, frozen=True):
    """The log was wrong about this stack and is corrected."""

    stack: int


class StackUnknown(Event, frozen=True):
    """The table's word stands against the log: what lies buried here counts as unread from now on."""

    stack: int

    def apply(self, state: KabukiState) -> KabukiState:
        buried = len(state.stacks[self.stack - 1]) - 1
        return _with_designs(state, self.stack, (*(UNREAD,) * buried, _stack_designs(state, self.stack)[-1]))


class StopRight(SeatEvent, frozen=True):
    """The caller was right: `count` twins that no check had shown, and `paid` tokens from the placer."""

    placer: Seat
    count: int
    paid: int

    def apply(self, state: KabukiState) -> KabukiState:
        state = replace(state, proven=state.proven + self.count)
        return _end_check(_pay_tokens(state, self.placer, self.seat, self.paid))


class StopWrong(SeatEvent, frozen=True):
    """No twin is there: one token of the caller goes to the box, or to `to` under `wrong_call=placer`."""

    to: Seat | None = None

    def apply(self, state: KabukiState) -> KabukiState:
        return _end_check(_pay_tokens(state, self.seat, self.to, 1))


class StackRestored(Event, frozen=True):
    """The stack lies as before; play goes on."""

    stack: int

    def apply(self, state: KabukiState) -> KabukiState:
        kept = state.pending.without_calls
        return replace(state, phase=KabukiPhase.PLAYING, stop=None, said=None, cards=(), pending=kept)


class KabukiRoundEnded(SeatEvent, frozen=True, tag="RoundEnded"):
    """`seat` ended the round, by its last token or with the last mask; everybody scores."""

    how: RoundEndReason
    scores: tuple[int, ...]

    def apply(self, state: KabukiState) -> KabukiState:
        scores = (*state.scores, self.scores)
        state = replace(state, phase=KabukiPhase.SHUFFLING, drawer=self.seat, scores=scores, until=None)
        state = replace(state, round=state.round + 1, stop=None, said=None, cards=(), pending=PendingStop())
        return replace(state, hand=MaskInHand())


class KabukiGameWon(Event, frozen=True, tag="GameWon"):
    """Three rounds are over."""

    seats: tuple[Seat, ...]

    def apply(self, state: KabukiState) -> KabukiState:
        return replace(state, phase=KabukiPhase.OVER, winners=self.seats)


AnyKabukiEvent = events_of(__name__)


# What events change -----------------------------------------------------------------------------------------


def _with_hand(state: KabukiState, **changes: Any) -> KabukiState:
    return replace(state, hand=replace(state.hand, **changes))


def _with_queued_unread(state: KabukiState) -> KabukiState:
    """Nobody knows any more which mask waits: what was shown does not tell it, either."""
    queued = state.pending.placement
    assert queued is not None
    state = _with_hand(state, shown_after=(*state.hand.shown_after, queued.stack))
    return replace(state, pending=replace(state.pending, placement=replace(queued, design=UNREAD)))


def _with_window_closed(state: KabukiState, *, closes: bool, since: Micros | None = None) -> KabukiState:
    return replace(state, closed=True, closed_since=since) if closes and not state.closed else state


def _stack_designs(state: KabukiState, stack: int) -> tuple[str, ...]:
    return tuple(mask.design for mask in state.stacks[stack - 1])


def _with_designs(state: KabukiState, stack: int, designs: tuple[str, ...]) -> KabukiState:
    """The stack with these faces, lowest first; its heights and owners stay."""
    stacks = list(state.stacks)
    stacks[stack - 1] = tuple(
        replace(mask, design=design) for mask, design in zip(stacks[stack - 1], designs, strict=True)
    )
    return replace(state, stacks=tuple(stacks))


def _misplaced_elsewhere(state: KabukiState, stack: int) -> tuple[Placement, ...]:
    return tuple(here for here in state.misplaced if here.stack != stack)


def void_window(state: KabukiState) -> KabukiState:
    """Calls whose order was open are forgotten; a timed window is opened again by its placer."""
    queued = state.pending.without_calls
    if state.phase is KabukiPhase.CALLED:
        # Where the window was timed it starts afresh; otherwise it never had an end.
        timed = state.out or state.options.stop_until == "seconds"
        phase = KabukiPhase.REOPENING if timed and not state.closed else KabukiPhase.PLAYING
        return replace(state, phase=phase, pending=queued, until=None)
    return replace(state, phase=KabukiPhase.REOPENING, until=None, pending=queued)


def _pay_tokens(state: KabukiState, giver: Seat, taker: Seat | None, tokens: int) -> KabukiState:
    """Tokens change hands; without a taker they go back to the box."""
    now = list(state.tokens)
    now[giver] -= tokens
    if taker is not None:
        now[taker] += tokens
    box = state.box + (tokens if taker is None else 0)
    return replace(state, tokens=tuple(now), box=box)


def _end_check(state: KabukiState) -> KabukiState:
    closed = state.closed or not state.options.second_stop
    return replace(state, phase=KabukiPhase.RESTORING, closed=closed, until=None)
