"""Views of real games of Kinapa for the screen's tests: folded from its events, phase by phase."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

from companion.core import events as shared
from companion.core.actions import SECOND, Setup
from companion.core.events import Event
from companion.core.view import Sentence, View, ViewMode
from companion.games.kinapa.rules import Kinapa, model
from companion.games.kinapa.rules.model import KinapaOptions, KinapaPhase, KinapaState, ObjectPosition, Slot
from companion.simulation.simulated_table import DrawnMat
from companion.ui.frame import DemoInfo, GameFrame, HistoryLine, ReadingView, UiState
from companion.vision.outlines import Bgr

RULES = Kinapa()
NAMES: Mapping[int, str] = {0: "Anna", 1: "Konstantin", 3: "Zoé", 6: "Maximilian"}


def started(players: int) -> KinapaState:
    """A game that went on for a while: pairs lie, Sheep and Foxes are out."""
    setup = Setup(chairs=tuple(range(players)), options=KinapaOptions())
    state = RULES.initial_state(setup)
    state = folded(state, model.EmperorCrowned(0), model.SheepTaken(0), model.SheepTaken(2))
    slots = list(state.slots)
    slots[1] = Slot("3-4", ObjectPosition.CLOSED, 3)
    slots[-1] = Slot(f"{2 * players - 1}-{2 * players}", ObjectPosition.CLOSED, 2 * players)
    seats = list(state.seats)
    seats[0] = replace(seats[0], placed=(3,), cards=2)
    seats[-1] = replace(seats[-1], placed=(2 * players,), cards=2, sheep=True)
    seats[1] = replace(seats[1], foxes=2)
    return replace(state, slots=tuple(slots), seats=tuple(seats))


def folded(state: KinapaState, *events: Event) -> KinapaState:
    for event in events:
        state = RULES.evolve(state, event)
    return state


def stories(players: int) -> Mapping[str, KinapaState]:
    """One state for every phase."""
    fresh = RULES.initial_state(Setup(chairs=tuple(range(players)), options=KinapaOptions()))
    begun = started(players)
    said = folded(begun, model.NumberAnnounced(7, 2 * SECOND))
    counting = folded(said, model.CountOpened(SECOND, "sound"), model.HandRaised(2))
    raised = tuple(range(2, players))
    locked = folded(counting, model.HandsLocked(raised, (1,)))
    mixed = folded(counting, model.HandsLocked((2,), tuple(seat for seat in range(1, players) if seat != 2)))
    everybody = folded(counting, model.HandsLocked(tuple(range(1, players)), ()))
    asking = folded(locked, model.PairDenied(KinapaPhase.ASKING), model.SoleLoweredAsked(1, 7))
    liar = folded(asking, model.NumberDenied(1), model.LiarCalled(7))
    handing = folded(liar, model.NumberAdmitted(3), model.HolderFound(3))
    returning = folded(handing, model.CardHanded(3, 7), model.LiarPunished(3, 2, priority=True))
    turning = folded(returning, model.CardReturned(3))
    placing = folded(turning, model.ObjectTurned("7-8", 5))
    return {
        "starting": fresh,
        "announcing": begun,
        "announced": said,
        "recounting": folded(counting, shared.WindowVoided("pause")),
        "counting": counting,
        "pairing": mixed,
        "choosing": folded(mixed, model.PairDenied(KinapaPhase.CHOOSING)),
        "drawing": folded(mixed, model.PairDenied(KinapaPhase.CHOOSING), model.PartnerChosen(3)),
        "asking": asking,
        "liar": liar,
        "searching": folded(everybody, model.PairDenied(KinapaPhase.SEARCHING), model.AllAsked(7)),
        "picking": folded(liar, model.TwoHolders((2, 3))),
        "handing": handing,
        "returning": returning,
        "auditing": folded(liar, model.AuditOpened((1, 2, 3))),
        "turning": turning,
        "placing": placing,
        "succeeding": folded(turning, model.SuccessorAsked(raised)),
        "over": folded(placing, model.PairPlaced(0, 7, 5), model.KinapaGameWon(0)),
        "paused": folded(begun, shared.GamePaused()),
        "abandoned": folded(begun, shared.GameAbandoned()),
    }


RULED = (
    HistoryLine(1, Sentence("kinapa.EmperorCrowned", (("chair", 0),)), "EmperorCrowned"),
    HistoryLine(2, Sentence("kinapa.NumberAnnounced", (("number", 7),)), "NumberAnnounced"),
    HistoryLine(3, Sentence("kinapa.HandRaised", (("chair", 2),)), "HandRaised", retracted=True),
    HistoryLine(4, Sentence("kinapa.OneAsked", (("chair", 1), ("number", 7))), "X4"),
    HistoryLine(5, Sentence("kinapa.LiarCalled", (("number", 7),)), "X4"),
    HistoryLine(6, Sentence("kinapa.Punished", (("chair", 3), ("foxes", 2))), "Punished"),
    HistoryLine(7, Sentence("kinapa.ObjectTurned.hidden", (("slot", 5),)), "ObjectTurned", chance=0.9163),
    HistoryLine(8, Sentence("kinapa.rule.object.closed", (("chair", 0), ("what", 2))), "object.closed"),
    HistoryLine(9, Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 3), ("slot", 2))), "PairPlaced"),
)
LOG = tuple(replace(line, at=line.seq * 23 * SECOND) for line in RULED)
BACK = (
    Sentence("kinapa.back.object_down", (("slot", 5),)),
    Sentence("kinapa.back.emperor", (("chair", 2),)),
    Sentence("kinapa.back.foxes", (("chair", 3), ("count", 0))),
)
READING = ReadingView(
    7,
    Sentence("kinapa.ObjectTurned", (("label", "7-8"), ("slot", 5))),
    (
        *((Sentence("kinapa.do.turn", (("value", label),)), None) for label in ("1-2", "5-6", "9-10")),
        (Sentence("ui.correct.did_not_happen"), None),
    ),
    chance=0.9939,
)


def view(phase: str, players: int = 4, mode: ViewMode = ViewMode.PLAY) -> View:
    return RULES.view(stories(players)[phase], mode)


def frame(phase: str, players: int = 4, ui_state: UiState | None = None, **more: object) -> GameFrame:
    """A game frame with everything on it that a running game has."""
    given: dict[str, object] = {
        "names": NAMES,
        "log": LOG,
        "put_back_steps": BACK,
        "can_undo": True,
        "can_redo": True,
        "last_reading": READING,
        **more,
    }
    return GameFrame(view=view(phase, players), board=RULES.board, ui_state=ui_state or UiState(), **given)  # type: ignore[arg-type]


DEMO = DemoInfo(speed=2.0, caption=Sentence("kinapa.NumberAnnounced", (("number", 7),)))


def camera_picture(view: View, players: int) -> Bgr:
    """What a camera over the table sees of that."""
    setup = Setup(chairs=tuple(range(players)), options=KinapaOptions())
    mat = DrawnMat(RULES, setup, random.Random(1), np.random.default_rng(1))
    return mat.render(
        {one.region: (one.card, *one.on_top) for one in view.places if one.card and one.region in mat.places}
    )
