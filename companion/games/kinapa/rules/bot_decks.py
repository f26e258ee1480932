"""Rules of BOT decks, extra hands that the seats play as well as their own: ownership, aid cards, the
Switch.

A seat is a place at the table where a deck lies: first every person's hand, then the BOT decks. When a person
Switches, two decks change places and take everything along: Sheep, Foxes, open cards, the pair that lies. So
a seat always means the same person, and what was ruled before a Switch still names the right one.
"""

from companion.core.actions import Action, Micros, Seat, Setup
from companion.core.events import Event, Events
from companion.games.kinapa.rules import model
from companion.games.kinapa.rules.model import HAND_SIZE, KinapaPhase, KinapaState


def count_decks(setup: Setup) -> int:
    """How many decks are dealt: two each for two players, one more than people with a BOT."""
    people = len(setup.chairs)
    if people == 2:
        return 2 * people
    return people + (setup.bot or people == 3)


def bot_of_person(state: KinapaState, person: Seat) -> Seat | None:
    """The BOT deck that belongs to a person, if one does and it has cards."""
    for bot in state.bots:
        if state.bot_owner(bot) == person:
            return bot if state.seats[bot].cards else None
    return None


def aid_setter(state: KinapaState, bot: Seat) -> Seat:
    """Who lays the aid on a BOT deck: its owner, or the Emperor."""
    mine = state.bot_owner(bot)
    return state.emperor if mine is None else mine


# Before the first turn --------------------------------------------------------------------------------------


def can_say_nobody(state: KinapaState) -> bool:
    """Whether it is possible that no hand holds the animal that is asked for."""
    if not state.bots:
        return False
    if state.bot_owner(state.bots[0]) is not None:
        return state.decks == tuple(range(len(state.seats)))  # after one Switch somebody holds cat 1 (K-T20)
    return state.lowest <= HAND_SIZE


def rule_nobody_has(state: KinapaState) -> Events:
    """Cat 1 lies in a BOT deck: two players Switch both; otherwise the next animal is asked for (K-T22)."""
    if state.bot_owner(state.bots[0]) is None:
        return (model.AnimalMissing(state.lowest, state.lowest + 1),)
    return tuple(model.DecksSwitched(person, bot) for person, bot in enumerate(state.bots))


def win_condition(state: KinapaState) -> str:
    """How this game is won, in a word (KA27, KA31)."""
    options = state.options
    if options.win_bot == "both_decks" and state.bot_owner(state.bots[0]) is not None:
        return "both_decks"
    by_person = options.win_bot == "two_pairs" or options.switch_progress == "person"
    return "two_pairs" if by_person else "deck"


# Aids -------------------------------------------------------------------------------------------------------


def bots_awaiting_aid(state: KinapaState) -> tuple[Seat, ...]:
    """BOT decks whose aid may show either face, in the order in which they are asked: the Emperor's first."""
    asked = [bot for bot in state.bots if state.seats[bot].cards and not state.seats[bot].foxes]
    return tuple(sorted(asked, key=lambda bot: aid_setter(state, bot) != state.emperor))


def must_lay_aids_first(state: KinapaState) -> bool:
    """Whether hands wait for the aids: two players each see the other's before they choose (KA37, K-T64)."""
    return state.phase is KinapaPhase.AIDING and len(state.seats) == 2 * state.people


def lay_aid(state: KinapaState, action: Action, at: Micros, patience: Micros) -> Events:
    """The aid lies; after the last one the count is due."""
    bot, *waiting = state.turn.aids
    laid = model.AidLaid(bot, action.verb == "aid_up")
    return (laid,) if waiting else (laid, model.CountDue(at + patience))


# The Switch -------------------------------------------------------------------------------------------------


def possible_switchers(state: KinapaState, bot: Seat) -> tuple[Seat, ...]:
    """Who may have to take a BOT deck that is the next Emperor: its owner, or an opponent (K-T27)."""
    mine = state.bot_owner(bot)
    if mine is not None:
        return (mine,)
    return tuple([person for person in range(state.people) if person != state.emperor])


def empty_deck(state: KinapaState, seat: Seat) -> Events:
    """Both decks have to be emptied (`win_bot`): the empty one is out, its owner goes on with the other."""
    other = bot_of_person(state, seat)
    assert other is not None
    events: list[Event] = [model.DeckEmptied(seat), model.DecksSwitched(seat, other)]
    if not state.seats[other].sheep:
        events.append(model.SheepTaken(seat))
        rest = [place for place in state.others if place != other]
        if all(state.seats[place].sheep for place in rest):
            events.append(model.SheepReturned(seat))
    return tuple(events)


def is_winning_pair(state: KinapaState, seat: Seat) -> bool:
    """Whether the pair that `seat` lays now ends the game (KA27, KA31)."""
    last_of_deck = bool(state.seats[seat].placed)
    if not state.bots:
        return last_of_deck
    match win_condition(state):
        case "both_decks":
            return last_of_deck and bot_of_person(state, seat) is None
        case "two_pairs":
            return last_of_deck or bool(state.laid[seat])
    return last_of_deck
