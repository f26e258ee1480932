"""Kinapa's rulings on the exchange, cases X1 to X6."""

from companion.core.actions import Action, Micros, Seat
from companion.core.events import Event, Events
from companion.core.verbs import infraction_ruling
from companion.games.kinapa.rules import lies, model
from companion.games.kinapa.rules.lies import Liar, punish_liars
from companion.games.kinapa.rules.model import FOXES_PER_LIAR, KinapaPhase, KinapaState


def judge_show_pair(state: KinapaState, action: Action, at: Micros) -> Events:
    """X1 or X2: the Emperor shows the pair."""
    number = state.turn.number
    if number in state.placed_numbers:
        return infraction_ruling("pair.dead", action.seat, number)
    proven = lies.prove_by_cards(state, state.emperor, number, cards=2)
    lowered_seats = state.lowered
    if not lowered_seats:
        return (model.PairShown(number, KinapaPhase.TURNING), *proven)
    if len(lowered_seats) == 1:
        return (model.PairShown(number, KinapaPhase.DRAWING), *proven, model.PartnerChosen(lowered_seats[0]))
    return (model.PairShown(number, KinapaPhase.CHOOSING), *proven)


def judge_no_pair(state: KinapaState, action: Action, at: Micros) -> Events:
    """X3, X4 or X5 by the number of lowered hands."""
    number, lowered_seats = state.turn.number, state.lowered
    if len(lowered_seats) >= 2:
        return (model.PairDenied(KinapaPhase.CHOOSING),)
    if number in state.placed_numbers:  # allow_dead_number: a demand for it does nothing
        return (model.PairDenied(KinapaPhase.TURNING),)
    if lowered_seats:
        (asked,) = lowered_seats
        if state.is_bot(asked):
            return (model.PairDenied(KinapaPhase.ASKING), _ask_bot(state, asked, KinapaPhase.ASKING))
        return (model.PairDenied(KinapaPhase.ASKING), model.SoleLoweredAsked(asked, number))
    return (model.PairDenied(KinapaPhase.SEARCHING), *_search_for_number(state, model.AllAsked(number)))


def _search_for_number(state: KinapaState, call: Event) -> Events:
    """Who raised has to say so; where only BOT decks did, they are looked into, one after another (KA42)."""
    if any(not state.is_bot(seat) for seat in state.raised):
        return (call,)
    if state.raised:
        return (_ask_bot(state, state.raised[0], KinapaPhase.SEARCHING),)
    return (model.AuditOpened(state.lowered),)  # two empty decks are out: nobody is left to search


def _ask_bot(state: KinapaState, bot: Seat, then: KinapaPhase) -> Event:
    return model.BotAsked(bot, state.keeper_of(bot), state.turn.number, then)


def judge_draw_from(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor names a lowered seat to draw from."""
    if action.value not in state.lowered:
        return infraction_ruling("draw.not_lowered", action.seat)
    return (model.PartnerChosen(int(action.value)),)


def judge_draw(state: KinapaState, action: Action, at: Micros) -> Events:
    """The Emperor drew from the partner; from an open hand only where chance pointed (KA16)."""
    if draw_places(state) is not None:
        return infraction_ruling("draw.lot_first", action.seat)
    partner, lot = state.turn.partner, state.turn.lot
    assert partner is not None
    row = state.seats[partner].opened
    named = str(action.value or "") if state.options.drawn_named and not row else ""
    if named and named not in nameable_cards(state):
        return infraction_ruling("turn.unknown", action.seat)
    card = row[lot - 1] if 0 < lot <= len(row) else named
    return (model.KinapaCardDrawn(partner, "" if card.startswith("back:") else card),)


def nameable_cards(state: KinapaState) -> tuple[str, ...]:
    """The cards that a hidden one may be said to be (K-T61): those that lie nowhere open."""
    partner = state.turn.partner
    hidden = state.phase is KinapaPhase.DRAWING and partner is not None and not state.seats[partner].opened
    if not (state.options.drawn_named and hidden):
        return ()
    seen = {card for seat in state.seats for card in seat.opened}
    alive = [number for number in range(1, state.highest + 1) if number not in state.placed_numbers]
    cards = [f"{kind}:{number}" for number in alive for kind in ("animal", "shelter")]
    return tuple([card for card in cards if card not in seen])


def draw_places(state: KinapaState) -> tuple[str, ...] | None:
    """The places of an open hand among which chance draws, counted from its owner's left."""
    partner = state.turn.partner
    if state.phase is not KinapaPhase.DRAWING or partner is None or state.turn.lot:
        return None
    if not state.seats[partner].foxes or state.options.fox_draw != "random":
        return None
    return tuple(str(place) for place in range(1, state.seats[partner].cards + 1))


def judge_answer(state: KinapaState, action: Action, at: Micros) -> Events:
    """A duty answer to a demand (KA25)."""
    seat, has, number = action.seat, action.verb == "has", state.turn.number
    asking = state.phase is KinapaPhase.ASKING
    if seat not in (waiting := seats_owing_answer(state)):
        return infraction_ruling("answer.not_asked", seat)
    bot = state.is_bot(seat)
    said: Event = model.NumberAdmitted(seat) if has else model.NumberDenied(seat)
    answer: Events = (said,) if has else (said, *lies.prove_by_claim(state, seat, denied=True))
    if has and bot:
        return (*answer, *_take_from_bot(state, seat))
    if asking:
        return (
            *answer,
            *([model.HolderFound(seat)] if has else _search_for_number(state, model.LiarCalled(number))),
        )
    if waiting != (seat,):
        return answer
    admitted = {other for other, yes in state.turn.answers if yes} | ({seat} if has else set())
    holders = tuple(other for other in state.raised if other in admitted)
    if len(holders) == 1:
        return (*answer, model.HolderFound(holders[0]))
    if len(holders) == 2:
        return (*answer, model.TwoHolders(holders))
    if not holders and (unseen := _unchecked_bots(state, seat)):
        return (*answer, _ask_bot(state, unseen[0], KinapaPhase.SEARCHING))
    asked = () if state.turn.asked is None else (state.turn.asked,)
    return (*answer, model.AuditOpened((*asked, *state.raised)))  # nobody, or more than there are cards: X6


def _unchecked_bots(state: KinapaState, answering: Seat) -> tuple[Seat, ...]:
    """The raised BOT decks that nobody has looked into yet."""
    seen = {answering, *(seat for seat, _ in state.turn.answers)}
    return tuple(seat for seat in state.raised if state.is_bot(seat) and seat not in seen)


def _take_from_bot(state: KinapaState, bot: Seat) -> Events:
    """The first BOT deck found with the number gives it; the Emperor takes it, or gets it handed over."""
    found = model.HolderFound(bot)
    if state.keeper_of(bot) != state.emperor:
        return (found,)
    return (found, *_hand_over_card(state, bot, (bot,), ""))


def seats_owing_answer(state: KinapaState) -> tuple[Seat, ...]:
    """The seats that still owe an answer to the demand."""
    if state.phase is KinapaPhase.ASKING:
        return () if state.turn.asked is None else (state.turn.asked,)
    given = {seat for seat, _ in state.turn.answers}
    waiting = tuple([seat for seat in state.raised if seat not in given])
    hands = tuple([seat for seat in waiting if not state.is_bot(seat)])
    return hands or waiting[:1]  # BOT decks after all hands, one at a time


def judge_pick(state: KinapaState, action: Action, at: Micros) -> Events:
    """Of several holders the Emperor picks one (KA6)."""
    if action.value not in state.turn.holders:
        return infraction_ruling("pick.no_holder", action.seat)
    return (model.HolderFound(int(action.value)),)


def judge_receive(state: KinapaState, action: Action, at: Micros) -> Events:
    """The demanded card is in the Emperor's hand (KA46); liars are punished."""
    giver = state.turn.partner
    assert giver is not None
    if action.value is not None and _card_number(str(action.value)) != str(state.turn.number):
        return judge_refuse(state, action, at)
    return _hand_over_card(state, giver, state.turn.holders, str(action.value or ""))


def _hand_over_card(state: KinapaState, giver: Seat, holders: tuple[Seat, ...], card: str) -> Events:
    """The number changes hands, and the player who lied about it is punished."""
    number = state.turn.number
    events: list[Event] = [model.CardHanded(giver, number, card)]
    events += lies.prove_by_cards(state, giver, number, cards=1)
    return (*events, *punish_liars(state, _find_liars(state, giver, holders), foxes_per_liar(state, holders)))


def foxes_per_liar(state: KinapaState, holders: tuple[Seat, ...]) -> int:
    """How many Foxes a liar gets who is caught now (KA6)."""
    shared = state.options.two_liars == "one_fox_each" and len(holders) > 1
    return 1 if shared and not state.turn.found else FOXES_PER_LIAR


def _find_liars(state: KinapaState, giver: Seat, holders: tuple[Seat, ...]) -> list[Liar]:
    """Who lied about the number: by raising, or as an audit found (KA9, KA10); the giver comes first."""
    turn, options = state.turn, state.options
    liars = []
    for seat in dict.fromkeys((giver, *holders)):
        if seat in turn.raised and (
            seat == giver or seat in turn.found or options.two_liars != "chosen_only"
        ):
            liars.append(Liar(seat, by_raising=True))
        elif seat in turn.found and options.false_denial_penalty != "none":
            liars.append(Liar(seat, by_raising=False))
    return liars


def judge_refuse(state: KinapaState, action: Action, at: Micros) -> Events:
    """Another card was handed over than the one demanded: it is asked for again."""
    assert state.turn.partner is not None
    return (model.HandoverRefused(state.turn.partner, state.turn.number),)


def judge_return(state: KinapaState, action: Action, at: Micros) -> Events:
    """A different card goes back (KA11), as far as the referee can see it (K-T41)."""
    assert state.turn.partner is not None
    taken, given = state.turn.card, action.value
    if given is not None:
        if given == taken:
            return infraction_ruling("giveback.same_card", action.seat)
        demanded = str(state.turn.number) if state.turn.holders else ""
        number = _card_number(taken) or demanded
        if number and _card_number(str(given)) == number and state.options.giveback == "number":
            return infraction_ruling("giveback.same_number", action.seat)
    return (model.CardReturned(state.turn.partner),)


def judge_audit(state: KinapaState, action: Action, at: Micros) -> Events:
    """One hand of the audit was looked at; it never stops at the first hit (K-T30)."""
    seat, found = action.seat, action.verb == "found"
    if state.turn.audit[:1] != (seat,):
        return infraction_ruling("audit.not_your_turn", seat)
    result: Event = model.CardFound(seat) if found else model.CardNotFound(seat)
    if len(state.turn.audit) > 1:
        return (result,)
    holders = (*state.turn.found, *((seat,) if found else ()))
    if len(holders) == 1:
        return (result, model.HolderFound(holders[0]))
    if holders:
        return (result, model.TwoHolders(holders))
    return (result, *judge_show_pair(state, Action(state.emperor, "show_pair"), at))  # KI5, KA47, K-T48


def _card_number(card: str) -> str:
    """ "animal:5" → "5"."""
    return card.partition(":")[2]
