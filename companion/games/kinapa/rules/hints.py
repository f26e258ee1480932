"""The second line of the headline: what to do now, as the house rules of this table have it."""

from companion.core.view import Sentence
from companion.games.kinapa.rules import botdecks, bots, ring
from companion.games.kinapa.rules.exchange import foxes_each, nameable
from companion.games.kinapa.rules.state import KinapaState, Phase
from companion.games.kinapa.rules.succession import punishable


def hint(state: KinapaState) -> Sentence | None:
    """`kinapa.hint.<phase>`, and the version of it that is true here."""
    if state.phase is Phase.OVER:
        return None
    if state.phase is Phase.DRAWING and state.turn.lot:
        return Sentence("kinapa.hint.lot", (("place", state.turn.lot),))
    parts = (("number", state.turn.number),) if state.phase is Phase.ANNOUNCED else ()
    return Sentence(f"kinapa.hint.{state.phase}{_version(state)}", parts)


def _version(state: KinapaState) -> str:
    """What BOT decks and house rules make different; empty where nothing does."""
    options, turn = state.options, state.turn
    match state.phase:
        case Phase.STARTING if state.bots:
            return _starting(state)
        case Phase.AIDING if _may_switch(state):
            return ".own"
        case Phase.ANNOUNCED | Phase.RECOUNTING if options.hand == "hold":
            return ".hold"
        case Phase.PAIRING if turn.number in state.dead:
            return ".dead"
        case Phase.PAIRING if state.lowered:
            return ".down"
        case Phase.CHOOSING if not (options.draw_is_duty or turn.pair_shown):
            return ".may"
        case Phase.DRAWING if nameable(state):
            return ".named"
        case Phase.DRAWING if options.fox_draw == "choice" and _partner_lies_open(state):
            return ".open"
        case Phase.ASKING | Phase.SEARCHING if botdecks.concerned(state) is not None:
            return ".bot"
        case Phase.PICKING:
            return _picking(state)
        case Phase.HANDING if options.demand_open:
            return ".open"
        case Phase.RETURNING:
            return _returning(state)
        case Phase.AUDITING if state.desk.blind:
            return "_by_hand"
        case Phase.PLACING if ring.where_asked(state):
            return ".where"
        case Phase.PLACING if options.place == "must":
            return ".must"
        case Phase.SWITCHING if options.switch_progress == "person":
            return ".person"
    return ""


def _starting(state: KinapaState) -> str:
    if bots.owner(state, state.bots[0]) is None:
        return ".lowest"
    return ".two" if bots.nobody_offered(state) else ".switched"


def _may_switch(state: KinapaState) -> bool:
    """Whether an aid that is raised may make its owner Switch: a BOT that raised may be next Emperor."""
    bot = state.turn.aids[0]
    return bots.owner(state, bot) is not None and bots.eligible(state, bot)


def _picking(state: KinapaState) -> str:
    """Who is punished besides the one that is picked; nothing is promised that a house rule may prevent."""
    options, holders, found = state.options, state.turn.holders, state.turn.found
    several = bool(found) or options.two_liars != "chosen_only"
    liars = holders if several else holders[:1]
    unsure = bool(found) and options.false_denial_penalty == "none"
    if unsure or punishable(state, liars, foxes_each(state, holders)) != tuple(liars):
        return ".card"
    return ".all" if several else ""


def _returning(state: KinapaState) -> str:
    number = ".number" if state.options.giveback == "number" else ""
    if state.options.fox_receive == "open" and _partner_lies_open(state):
        return f"{number}.open"
    return f"{number}.bot" if botdecks.concerned(state) is not None else number


def _partner_lies_open(state: KinapaState) -> bool:
    partner = state.turn.partner
    return partner is not None and state.seats[partner].foxes > 0
