"""Chooses the hint below Kinapa's headline."""

from companion.core.view import Sentence
from companion.games.kinapa.rules import bot_decks, bot_views, object_ring
from companion.games.kinapa.rules.exchange import foxes_per_liar, nameable_cards
from companion.games.kinapa.rules.state import KinapaPhase, KinapaState
from companion.games.kinapa.rules.succession import punishable_liars


def phase_hint(state: KinapaState) -> Sentence | None:
    """`kinapa.hint.<phase>`, and the version of it that is true here."""
    if state.phase is KinapaPhase.OVER:
        return None
    if state.phase is KinapaPhase.DRAWING and state.turn.lot:
        return Sentence("kinapa.hint.lot", (("place", state.turn.lot),))
    parts = (("number", state.turn.number),) if state.phase is KinapaPhase.ANNOUNCED else ()
    return Sentence(f"kinapa.hint.{state.phase}{_hint_suffix(state)}", parts)


def _hint_suffix(state: KinapaState) -> str:
    """What BOT decks and house rules make different; empty where nothing does."""
    options, turn = state.options, state.turn
    match state.phase:
        case KinapaPhase.STARTING if state.bots:
            return _starting_suffix(state)
        case KinapaPhase.AIDING if _may_cause_switch(state):
            return ".own"
        case KinapaPhase.ANNOUNCED | KinapaPhase.RECOUNTING if options.hand == "hold":
            return ".hold"
        case KinapaPhase.PAIRING if turn.number in state.placed_numbers:
            return ".dead"
        case KinapaPhase.PAIRING if state.lowered:
            return ".down"
        case KinapaPhase.CHOOSING if not (options.draw_is_duty or turn.pair_shown):
            return ".may"
        case KinapaPhase.DRAWING if nameable_cards(state):
            return ".named"
        case KinapaPhase.DRAWING if options.fox_draw == "choice" and _is_partner_open(state):
            return ".open"
        case KinapaPhase.ASKING | KinapaPhase.SEARCHING if bot_views.bot_to_act_on(state) is not None:
            return ".bot"
        case KinapaPhase.PICKING:
            return _picking_suffix(state)
        case KinapaPhase.HANDING if options.demand_open:
            return ".open"
        case KinapaPhase.RETURNING:
            return _returning_suffix(state)
        case KinapaPhase.AUDITING if state.desk.blind:
            return "_by_hand"
        case KinapaPhase.PLACING if object_ring.must_ask_slot(state):
            return ".where"
        case KinapaPhase.PLACING if options.place == "must":
            return ".must"
        case KinapaPhase.SWITCHING if options.switch_progress == "person":
            return ".person"
    return ""


def _starting_suffix(state: KinapaState) -> str:
    if bot_decks.bot_owner(state, state.bots[0]) is None:
        return ".lowest"
    return ".two" if bot_decks.can_say_nobody(state) else ".switched"


def _may_cause_switch(state: KinapaState) -> bool:
    """Whether an aid that is raised may make its owner Switch: a BOT that raised may be next Emperor."""
    bot = state.turn.aids[0]
    return bot_decks.bot_owner(state, bot) is not None and bot_decks.can_be_crowned(state, bot)


def _picking_suffix(state: KinapaState) -> str:
    """Who is punished besides the one that is picked; nothing is promised that a house rule may prevent."""
    options, holders, found = state.options, state.turn.holders, state.turn.found
    several = bool(found) or options.two_liars != "chosen_only"
    liars = holders if several else holders[:1]
    unsure = bool(found) and options.false_denial_penalty == "none"
    if unsure or punishable_liars(state, liars, foxes_per_liar(state, holders)) != tuple(liars):
        return ".card"
    return ".all" if several else ""


def _returning_suffix(state: KinapaState) -> str:
    number = ".number" if state.options.giveback == "number" else ""
    if state.options.fox_receive == "open" and _is_partner_open(state):
        return f"{number}.open"
    return f"{number}.bot" if bot_views.bot_to_act_on(state) is not None else number


def _is_partner_open(state: KinapaState) -> bool:
    partner = state.turn.partner
    return partner is not None and state.seats[partner].foxes > 0
