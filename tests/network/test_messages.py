"""The published list of messages: every one goes there and back, and the schema says what passes."""

from __future__ import annotations

import json
from typing import get_args

import jsonschema
import msgspec
import pytest

from companion.__main__ import main
from companion.core.actions import Outcome
from companion.core.exhibits import PhotoFinish, TimelinePress
from companion.core.view import Guidance, PlaceView, Sentence, Token
from companion.network import messages as ms

SAID = Sentence("kinapa.AnimalAnnounced", (("chair", 1), ("number", 7)))
TOLD: tuple[ms.FromTable, ...] = (
    ms.TableHello("run"),
    ms.TableSnapshot(),
    ms.TableSnapshot(
        seq=4,
        game="kinapa",
        phase="counting",
        colours=("red", "blue"),
        headline=SAID,
        people=(ms.PublicChair(0, 5, (Token("fox"),), choices=(ms.ChoiceLabel(SAID, "tap", marked=True),)),),
        places=(PlaceView("slot:1", "back:blue"),),
        counting=ms.CountWindow(7, 3),
        outcome=Outcome("won", (1,)),
    ),
    ms.RulingMessage(4, SAID),
    ms.CountBeat(1, 3, 7),
    ms.PhotoFinishMessage(None),
    ms.PhotoFinishMessage(PhotoFinish(9, 1, 2, 0, 10, 20, 4000, (TimelinePress(1, 30, "gpio", "counts"),))),
    ms.GuidanceMessage(Guidance("say", SAID, SAID, 1, 4, 0)),
    ms.ChairHolders(
        (
            ms.ChairHolder(0, "red"),
            ms.ChairHolder(1, "blue", "p", awake=False),
            ms.ChairHolder(2, "green", asker="q"),
        ),
        True,
    ),
    ms.ChairOffers((ms.ChairOffer(1, 7, (SAID, SAID)), ms.ChairOffer(3, 4, fact=True))),
    ms.ChairGranted("p", 2),
    ms.RequestRefused("p", "closed"),
    ms.PressResult("p", 3, late_us=120_000),
    ms.QuestionAnswer("p", "why", (SAID,)),
    ms.OwnerPagePart("a", 0, 2, '{"games":'),
    ms.OwnerPageDenied("a", "not_over"),
)
HEARD: tuple[ms.ToTable, ...] = (
    ms.ClientHello(),
    ms.PageAddress("192.168.1.5", 8420, "012345", ("101", "010", "111")),
    ms.PhoneJoined("p"),
    ms.PhoneLeft("p"),
    ms.PhonePress("p", 3, 10, 5, 9),
    ms.PhoneChoice("p", 3, 1, 10, 5, 9),
    ms.ChairRequest("p", 0),
    ms.PhoneQuestion("p", "may"),
    ms.PhonePresence("p", awake=False),
    ms.TakeChairBack(2),
    ms.CloseToPhones(),
    ms.BrowserProblem("stranger"),
    ms.OwnerRequest("a", "012345", "recap", 7, "de", 1),
)


def test_the_examples_here_are_of_every_message() -> None:
    assert {type(one) for one in TOLD} == set(get_args(ms.FromTable))
    assert {type(one) for one in HEARD} == set(get_args(ms.ToTable))


def test_the_list_is_closed() -> None:
    types = {json.loads(ms.encode_line(one))["type"] for one in TOLD}
    assert types == {
        *{"hello", "view", "line", "count", "finish", "guidance", "held", "offers", "granted", "refused"},
        *{"counted", "answered", "shown", "notshown"},
    }
    assert {json.loads(ms.encode_line(one))["type"] for one in HEARD} == {
        *{"hello", "serving", "join", "leave", "press", "choose", "ask", "question", "presence", "kick"},
        *{"close", "look", "remarked"},
    }


@pytest.mark.parametrize("message", TOLD)
def test_what_the_table_tells_comes_back_and_is_valid(message: ms.FromTable) -> None:
    line = ms.encode_line(message)
    assert line.count(b"\n") == 1
    assert ms.decode_for_client(line) == message
    jsonschema.validate(json.loads(line), ms.page_schema())


@pytest.mark.parametrize("message", HEARD)
def test_what_a_client_says_comes_back_and_is_valid(message: ms.ToTable) -> None:
    line = ms.encode_line(message)
    assert ms.decode_for_table(line) == message
    jsonschema.validate(json.loads(line), ms.page_schema())


def test_a_message_is_a_frozen_value() -> None:
    for kind in (*get_args(ms.FromTable), *get_args(ms.ToTable)):
        assert kind.__struct_config__.frozen, kind


def test_nothing_else_is_a_message() -> None:
    for wrong in ({"type": "view", "camera": 1}, {"type": "edge"}, {"type": "ask", "phone": "p"}):
        with pytest.raises(msgspec.MsgspecError):
            ms.decode_for_client(json.dumps(wrong).encode())
        with pytest.raises(msgspec.MsgspecError):
            ms.decode_for_table(json.dumps(wrong).encode())
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, ms.page_schema())


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "schema", "page"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(ms.page_schema()))
