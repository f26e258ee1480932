"""What is said right after a ruling: whose turn it is, who leads, and what one sentence had no room for."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.dnup.rules.model import DnupRoundEnded
from companion.language.language import Language
from tests.games.dnup import dnup_table as dnup
from tests.games.kabuki import kabuki_table as kabuki
from tests.games.kobayakawa import kobayakawa_table as kobayakawa
from tests.games.kobayakawa.kobayakawa_table import A, B


def said(game: Any, ruled: tuple[Event, ...], code: str = "en") -> list[str]:
    """Everything that is spoken of these rulings, in its order."""
    rules, language, told = game.rules, Language(code), list[Sentence]()
    for event in ruled:
        sentence = rules.sentence(game.state, event)
        if sentence is not None:
            told += (sentence, *rules.follow_up_sentences(game.state, event))
    return [language.speech_text(sentence) for sentence in told]


def test_out_of_turn_the_person_in_turn_is_named() -> None:
    game = kobayakawa.table(3).deal(7)
    assert said(game, game.say(B, "draw")) == ["Blue, it isn’t your turn.", "Red, it’s your turn."]
    cards = dnup.table(3)
    assert said(cards, cards.say(B, "rotate")) == ["Blue, it isn’t your turn.", "Red, it’s your turn."]


def test_who_leads_is_said_when_a_round_is_over() -> None:
    game = kobayakawa.table(3)
    assert said(game, game.round(7, a=8, b=14))[-2:] == [
        "Red, you win: 15 with the Kobayakawa.",
        "Red leads overall.",
    ]
    masks = kabuki.table().hand_out(5, 1, 5, 5)
    masks.place("sun", 1)
    ruled = masks.settle(B, 0)
    assert said(masks, ruled)[-6] == "It’s a tie for the lead."


def test_what_everybody_has_is_said_when_nothing_on_the_table_shows_it_the_most_first() -> None:
    masks = kabuki.table().hand_out(5, 1, 7, 5)
    masks.place("sun", 1)
    told = said(masks, masks.settle(B, 0))
    assert told[-6:-1] == ["Green leads overall.", "Green, 7.", "Red, 5.", "Yellow, 5.", "Blue, 0."]
    assert told[-1] == "Your tokens are counted. Put them all back, then everyone takes five."
    game = kobayakawa.table(3)
    told = said(game, game.round(7, a=8, b=14))
    assert told[-1] == "Red leads overall.", "kamons are on the table"


def test_in_a_tie_who_is_tied_is_said_and_with_how_many() -> None:
    game = kobayakawa.table(3).set(centre=8, kamons=(4, 7, 1))
    told = said(game, game.round(7, a=8, b=14))
    assert told[-3:] == ["It’s a tie for the lead.", "Red, 6.", "Blue, 6."]


def test_what_everybody_has_is_said_when_the_game_is_won() -> None:
    game = dnup.table(3).stand((), (), (), turn=A, hands=(1, 3, 3))
    game.declare(points_0=3)
    assert said(game, game.say(A, "play", "1x7"))[-4:] == [
        "Red wins the game!",
        "Red, 5.",
        "Blue, 0.",
        "Green, 0.",
    ]


def test_after_a_tie_the_winner_is_named() -> None:
    game = kobayakawa.table(3)
    told = said(game, game.round(7, a=5, b=12))
    assert told[-3:-1] == [
        "A tie! The player who went first wins.",
        "Red, you win: 12 with the Kobayakawa.",
    ]


def test_only_the_first_round_says_what_the_kobayakawa_is() -> None:
    game = kobayakawa.table(3)
    game.say(A, "start")
    game.say(A, "dealt")
    assert said(game, game.say(A, "kobayakawa", 4)) == ["The card in the middle is the Kobayakawa: 4."]
    later = kobayakawa.table(3).set(round=1)
    later.say(A, "start")
    later.say(A, "dealt")
    assert said(later, later.say(A, "kobayakawa", 4)) == ["The Kobayakawa is 4."]


def test_the_last_round_tells_its_kobayakawa() -> None:
    game = kobayakawa.table(3).set(centre=2, box=6, kamons=(4, 6, 2), round=6)
    game.say(A, "start")
    game.say(A, "dealt")
    last = "Last round! Fighting costs two kamons. The winner also takes the two from the middle."
    assert said(game, game.say(A, "kobayakawa", 9)) == [last, "The Kobayakawa is 9."]


def test_nobody_is_asked_to_deal_when_the_game_is_won() -> None:
    game = dnup.table(3).stand((), (), (), turn=A, hands=(1, 3, 3))
    game.declare(points_0=3)
    ruled = game.say(A, "play", "1x7")
    ended = [game.rules.sentence(game.state, event) for event in ruled]
    assert Sentence("dnup.RoundEnded.last") in ended
    assert not [one for one in ended if one is not None and one.key == "dnup.RoundEnded"]
    assert "leads" not in " ".join(said(game, ruled))


def test_the_log_of_a_won_game_says_of_the_earlier_rounds_that_they_were_over() -> None:
    game = dnup.table(3).stand((), (), (), turn=A, hands=(1, 3, 3))
    game.declare(points_0=3)
    game.state = replace(game.state, round=2)
    game.say(A, "play", "1x7")
    logged = [game.rules.sentence(game.state, DnupRoundEnded(number), log=True) for number in (1, 2)]
    assert logged == [Sentence("dnup.RoundEnded", (("round", 1),)), Sentence("dnup.RoundEnded.last")]


def test_two_players_win_by_rounds_not_by_points() -> None:
    game = dnup.table(2).stand((), (), turn=A, hands=(1, 3))
    game.declare(points_0=1)
    ended = [game.rules.sentence(game.state, event) for event in game.say(A, "play", "1x7")]
    assert Sentence("dnup.RoundEnded.last.two") in ended
