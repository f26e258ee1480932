"""What practice says of a card that cannot be played."""

from random import Random

from companion.games.hearts.players import HeartsPeople
from companion.games.hearts.rules.model import HEARTS, QUEEN, HeartsPhase
from companion.games.kit.cards import CARDS, cards_in, suit_set
from tests.games.hearts.hearts_table import SEATS, Table


def test_a_card_that_is_not_lawful_is_refused_by_the_rule_that_keeps_it() -> None:
    heard = set()
    for seed in range(40):
        people = HeartsPeople(tuple(SEATS), Random(seed), ("usual",) * len(SEATS))
        table = Table(opens=None)
        table.say(next(s for s, hand in enumerate(people.dealt_hands(table.state)) if hand & 1), "open")
        until = 52 if seed < 3 else len(SEATS)  # a hand without a club is rare
        while table.state.phase is HeartsPhase.PLAY and len(table.state.plays) < until:
            state, seat = table.state, table.state.seat
            hand, actions = people.hand(state, seat), people.hand_actions(state, seat)
            lawful = {CARDS[str(action.value)] for action in actions}
            trick = state.plays[len(state.plays) - len(state.plays) % len(SEATS) :]
            for place, card in enumerate(cards_in(hand)):
                refusal = people.tap_refusal(state, seat, place)
                assert (refusal is None) == (card in lawful)
                if refusal is None:
                    continue
                rule = refusal.key.rpartition("_")[2]
                heard.add(rule)
                if not trick:
                    assert (rule, bool(HEARTS >> card & 1)) == ("lead", True)
                elif hand & suit_set(trick[0].card):
                    assert rule == "follow"
                else:
                    assert (rule, bool((HEARTS | QUEEN) >> card & 1)) == ("first", True)
            table.say(seat, "play", actions[-1].value)
    assert heard == {"follow", "lead", "first"}
