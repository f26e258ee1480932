"""Every page as people may see it, for tests that hold on all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pygame
import pytest
from msgspec.structs import replace

from companion.core.view import Guidance, Sentence, WatchProgress
from companion.games import GAMES, RULES
from companion.games.kinapa.rules.model import KinapaOptions
from companion.language.language import Language
from companion.system.appliance import MachineStatus, UpdateOffer
from companion.table.frames import setup_steps
from companion.table.games import build_offer, lesson_offers
from companion.table.host import SetupLimits
from companion.ui.frame import (
    AllowedActions,
    ButtonsFrame,
    ButtonsView,
    ClubAssignment,
    GameDraft,
    HomeFrame,
    JudgeState,
    PhoneSeat,
    PhonesFrame,
    PhoneTable,
    RecapFrame,
    StoredGame,
    UiState,
)
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources
from companion.ui.toolkit.sheet import Target, TextLine
from companion.ui.toolkit.theme import contrast_ratio
from tests.ui import games
from tests.ui.benches import bench_frames
from tests.ui.bot_games import bot_frames

SIZES = ((1024, 600), (1280, 720), (1920, 1080))
LANGUAGES = ("en", "de", "fr")
EACH = [*SIZES[:-1], pytest.param(SIZES[-1], marks=pytest.mark.long)]
"""The largest has the most room and takes the longest."""
TESTED = {*((SIZES[0], language) for language in LANGUAGES), (SIZES[1], "fr")}
ALL = [
    pytest.param(size, language, marks=[pytest.mark.long] * ((size, language) not in TESTED))
    for size in SIZES
    for language in LANGUAGES
]
"""Words have the least room on the smallest; `make test` looks at a larger one in one language."""
DRAFT = GameDraft(
    "kinapa",
    chairs=(0, 1, 3, 6),
    names=((0, "Anna"), (1, "Konstantin")),
    options=KinapaOptions(count_seconds=5),
)
STORED = (
    StoredGame("3", "kinapa", "2026-11-20 19:04", (0, 1, 2, 3)),
    StoredGame("2", "kabuki", "2026-11-19 21:30", (0, 1, 2, 3), (1,), finished=True),
    StoredGame("1", "dnup", "2026-11-18 20:10", tuple(range(8)), (4,), finished=True),
    StoredGame("0", "kobayakawa", "2026-11-18 20:10", (0, 2, 4, 5, 7), finished=True),
    StoredGame("9", "", "2026-11-17 20:10", (), closed=True),
)
MANY = tuple(replace(game, game_id=f"{game.game_id}-{copy}") for copy in range(5) for game in STORED)
OVERLAYS = (
    "assist",
    "wrong",
    "may",
    "menu",
    "leave",
    "close",
    "log",
    "why",
    "take_back",
    "correct",
    "repair",
    "help",
    "settings",
)
SAID = (
    Sentence("kinapa.LiarCalled", (("number", 7),)),
    Sentence("kinapa.rule.object.closed", (("chair", 0), ("what", 2))),
    Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 3), ("slot", 2))),
    Sentence("kinapa.HandTooEarly", (("chair", 3),)),
)
VOICES = (("/packs/ada", "Ada Lovelace"), ("/packs/emma", "Kokoro bf_emma"))
OUTPUTS = (
    ("Headphones", "bcm2835 Headphones"),
    ("vc4hdmi0", "vc4-hdmi-0"),
    ("Device", "C-Media USB Audio Device at usb-0000:01:00.0-1.3, full speed"),
)
MACHINE = MachineStatus(stick=True, power=True)
DIGEST = "9f86d081 884c7d65 9a2feaa0 c55ad015 a3bf4f1b 2b0b822c d15d6c15 b0f00a08"
UPDATES = (
    UpdateOffer(version="0.2.0", digest=DIGEST, pin=8, hold=True, older=True),
    UpdateOffer(version="0.2.0", digest=DIGEST, signed=True),
    UpdateOffer(refused=Sentence("shared.trouble.update_foreign")),
    None,
)
MAY = (
    AllowedActions(0, (Sentence("kinapa.do.raise"), Sentence("kinapa.do.crown", (("chair", 2),)))),
    AllowedActions(1, tuple(Sentence("kinapa.do.announce", (("value", number),)) for number in range(1, 17))),
    AllowedActions(2),
)


def punished(chair: int) -> Sentence:
    """A caught lie."""
    return Sentence("kinapa.Punished", (("chair", chair), ("foxes", 2)))


def guidance(kind: str, say: str, **more: Any) -> Guidance:
    """What a lesson says in step 3 of 9."""
    title, said = Sentence("lesson.kinapa.demand.title"), Sentence(say)
    return Guidance(kind=kind, title=title, say=said, step=3, steps=9, chair=0, **more)


HANDS = tuple(("", chair, ("animal:5", "shelter:5", "shelter:16", "animal:2")) for chair in range(4))
RING = tuple((f"slot:{slot}", None, ("object:15-16",)) for slot in range(1, 9))
WRONG = Sentence("lesson.kinapa.maybe.lie")
PAIRS = tuple(Sentence(f"lesson.kinapa.pair.{name}") for name in ("mixed", "same", "cats"))
PAIR_CARDS = (("animal:5", "shelter:6"), ("animal:5", "shelter:5"), ("animal:5", "animal:7"))
ANSWERS = tuple(Sentence(f"lesson.kinapa.demand.{name}") for name in ("up", "down", "title"))
LEARNED = tuple(
    (Sentence(f"lesson.kinapa.{step}.title"), pictures)
    for step, pictures in (
        ("pair", ("animal:5", "shelter:5")), ("demand", ("fox", "fox")), ("lie", ("hand", "shelter:7")),
    )
)  # fmt: skip
GUIDES = {
    "lay": guidance("lay", "lesson.lay.own", lay=HANDS[:1]),
    "ring": guidance("lay", "lesson.lay.ring", lay=RING, misplaced=("slot:1", "slot:3")),
    "seen": guidance(
        "lay", "lesson.lay.place", lay=(("stack:2", None, ("actor:2", "mask:crab")),), seen=True
    ),
    "say": guidance("say", "lesson.kobayakawa.bets.what", note=Sentence("lesson.kinapa.crown.well")),
    "quiz": guidance(
        "quiz",
        "lesson.kinapa.demand.quiz",
        answers=ANSWERS,
        note=WRONG,
        good=False,
    ),
    "asked": guidance("quiz", "lesson.kinapa.pair.which", answers=PAIRS, answer_cards=PAIR_CARDS),
    "mistaken": guidance(
        "quiz",
        "lesson.kinapa.pair.which",
        answers=PAIRS,
        answer_cards=PAIR_CARDS,
        mistaken=frozenset({1}),
        note=Sentence("lesson.kinapa.pair.wrong"),
        good=False,
    ),
    "right": guidance(
        "well",
        "lesson.kinapa.pair.which",
        answers=PAIRS,
        answer_cards=PAIR_CARDS,
        right=2,
        note=Sentence("lesson.kinapa.objects.place"),
        watched=WatchProgress(0, 1),
    ),
    "well": guidance(
        "well",
        "lesson.kinapa.swap.return",
        note=Sentence("lesson.kinapa.swap.well"),
        watched=WatchProgress(0, 1),
    ),
    "goal": guidance(
        "say",
        "lesson.kinapa.goal",
        pictures=(("animal:5", "shelter:5"), ("animal:7", "shelter:7"), ("crown",)),
    ),
    "pictured": guidance(
        "quiz",
        "lesson.kinapa.demand.quiz",
        answers=ANSWERS,
        answer_cards=(("pause",), ("fox", "fox"), ("seat:1", "figure:3")),
    ),
    "wait": guidance("wait", "lesson.kinapa.demand.answers", note=Sentence("lesson.well"), shows=True),
    "counting": guidance("wait", "lesson.kinapa.maybe.do", lay=HANDS, shows=True),
    "wrong": guidance("wrong", "lesson.kinapa.maybe.do", note=WRONG, good=False, back=games.BACK),
    "round": guidance("round", "lesson.kinapa.round"),
    "done": guidance(
        "done",
        "lesson.done",
        learned=LEARNED,
        next_lesson="kabuki/2-6",
        practised=True,
    ),
    "note": Guidance("note", Sentence("lesson.note"), Sentence("kinapa.why.Punished"), 0, 0, 0),
    "warn": Guidance("warn", Sentence("lesson.warn"), Sentence("kinapa.why.object.closed"), 0, 0, 0),
}
"""Everything that is said beside a game or instead of it."""
WATCHED = guidance(
    "wait",
    "lesson.kinapa.demand.answers",
    lay=(("", 0, ("shelter:7", "animal:2")),),
    watched=WatchProgress(1, 3),
)
"""Others answer, and the learner watches."""
RAISED = replace(
    guidance("wrong", "lesson.kinapa.maybe.do", note=WRONG, good=False),
    chair=2,
    lay=(("", 2, ("animal:5", "shelter:7", "animal:2", "shelter:4")),),
)
"""A hand went up that should have stayed down."""
CALLING = guidance(
    "practice",
    "lesson.practice.say",
    lay=(("", 0, ("animal:7", "shelter:2")),),
    chooses=True,
    picks=tuple(f"animal:{number}" for number in (1, 4, 5, 6)),
    tapped=(0,),
    answers=(Sentence("kinapa.do.announce", (("value", 7),)),),
)
"""A number is called in practice."""
OFFERED = tuple(
    replace(
        build_offer(game),
        lessons=tuple(replace(one, done=one.players == 4) for one in lesson_offers(game.name)),
    )
    for game in GAMES.values()
)
"""As the home page has them where a lesson is chosen."""
TROUBLE = Sentence("shared.CameraWentDark")
JUDGES: tuple[JudgeState, ...] = ("free", "wanted")


@cache
def _opened(size: tuple[int, int]) -> PageResources:
    return PageResources(size, Language)


def screen(size: tuple[int, int]) -> PageResources:
    """Fonts, pictures and words, opened once for all tests."""
    opened = _opened(size)
    if opened.size != size:  # a test turned it into a window of another size
        opened.resize(size)
    return opened


def pages(size: tuple[int, int]) -> Any:
    """Pages that nobody looked at yet."""
    return build_pages(screen(size))


class Painted(NamedTuple):
    """What a frame's sheet says, without its pixels."""

    name: str
    page: str
    frame: Any
    written: Sequence[TextLine]
    targets: Sequence[Target]
    unit: int


def painted(size: tuple[int, int], frames: Iterable[tuple[str, str, Any]]) -> Iterator[Painted]:
    """Every frame, told by its name and its page."""
    opened = pages(size)
    for name, page, frame in frames:
        sheet = opened[page].painted_sheet(frame)
        yield Painted(name, page, frame, tuple(sheet.text_lines), tuple(sheet.targets), sheet.unit)


def faults(written: Iterable[TextLine], size: tuple[int, int]) -> Iterator[tuple[Any, ...]]:
    """Every text that is too small, too pale, cut, or off the screen."""
    screen = pygame.Rect((0, 0), size)
    for text in written:
        if text.size * 24 < size[1]:
            yield text.string, "small", text.size
        if min((contrast_ratio(text.colour, ground) for ground in text.grounds), default=0) < 4.5:
            yield text.string, "contrast", text.colour, text.grounds
        if text.cut or text.breaks_syllable:
            yield text.string, "cut"
        if not screen.contains(text.rect):
            yield text.string, "off", text.rect


def setup_frame(ui_state: UiState, **more: Any) -> HomeFrame:
    """A game that is set up."""
    return HomeFrame(ui_state=ui_state, offered=OFFERED, is_setup=True, **more)


def preparation(draft: GameDraft, **ui_state: Any) -> HomeFrame:
    """The table of these people is made ready."""
    rules = RULES[draft.game]
    steps = setup_steps(draft, SetupLimits(8, rules.players, rules.options()))
    return HomeFrame(ui_state=UiState(draft=draft, **ui_state), offered=OFFERED, steps=steps)


def home_frames(language: str) -> Iterator[tuple[str, Any]]:
    def ui_state(**more: Any) -> UiState:
        return UiState(language=language, **more)

    yield "home", HomeFrame(ui_state=ui_state(), games=STORED, doctor=(TROUBLE,))
    found = (Sentence("shared.trouble.no_camera"), Sentence("ui.club.clash"), Sentence("ui.outputs.unchosen"))
    yield "home", HomeFrame(ui_state=ui_state(overlay="doctor"), doctor=found)
    yield "home", HomeFrame(ui_state=ui_state(overlay="help"))
    yield "home", HomeFrame(ui_state=ui_state(), machine=MACHINE, trouble=Sentence("ui.off.keep_holding"))
    yield "home", HomeFrame(ui_state=ui_state(overlay="machine"), machine=MACHINE)
    yield "home", HomeFrame(ui_state=ui_state(overlay="machine"), machine=replace(MACHINE, update=UPDATES[0]))
    for update in UPDATES:
        yield "home", HomeFrame(ui_state=ui_state(overlay="update"), machine=replace(MACHINE, update=update))
    for typed in ("", "123", "12345678"):
        keys = ui_state(overlay=f"update:{typed}")
        yield "home", HomeFrame(ui_state=keys, machine=replace(MACHINE, update=UPDATES[0]))
    learnt = [f"learn:{lesson.lesson}" for offer in OFFERED for lesson in offer.lessons]
    several = [f"lessons:{offer.game}" for offer in OFFERED if len(offer.lessons) > 1]
    for overlay in ("", "more", "quit", "practice:kinapa", "lessons:", *several, *learnt):
        front = ui_state(overlay=overlay, draft=replace(DRAFT, last=DRAFT.chairs, here=(0,)))
        yield "home", HomeFrame(ui_state=front, offered=OFFERED, games=STORED[:1], down=frozenset({6}))
    few = GameDraft("kobayakawa", chairs=(1,))
    yield "home", HomeFrame(ui_state=ui_state(draft=few), offered=OFFERED, doctor=(TROUBLE,), machine=MACHINE)
    yield "home", HomeFrame(ui_state=ui_state(draft=few, large=True), offered=OFFERED, chairs=5)
    yield "games", HomeFrame(ui_state=ui_state(), offered=OFFERED, games=MANY)
    yield "games", HomeFrame(ui_state=ui_state(), offered=OFFERED, games=MANY, trouble=TROUBLE)
    yield "games", HomeFrame(ui_state=ui_state(), offered=OFFERED)
    yield "settings", HomeFrame(ui_state=ui_state(volume=60, mute=True))
    yield "settings", HomeFrame(ui_state=ui_state(), outputs=OUTPUTS)
    yield "settings", HomeFrame(ui_state=ui_state(), outputs=OUTPUTS, learns_buttons=True)
    yield "settings", HomeFrame(ui_state=ui_state(), learns_buttons=True)
    yield "settings", HomeFrame(ui_state=ui_state(voice_pack=VOICES[0][0]), voices=VOICES, outputs=OUTPUTS)
    yield "sound", HomeFrame(ui_state=ui_state(), outputs=OUTPUTS, output="Device")
    yield "sound", HomeFrame(ui_state=ui_state(), outputs=OUTPUTS, lacks_board_line=True)
    yield "sound", HomeFrame(ui_state=ui_state(), outputs=OUTPUTS * 5)
    yield "voice", HomeFrame(ui_state=ui_state(voice_pack=VOICES[0][0]), voices=VOICES)
    yield from button_frames(language)
    for overlay in ("", "chair", "swap", "name", "about", "rules", "settings", "sides", "help", "mixed"):
        options = KinapaOptions()
        typed = "Konst" if overlay == "name" else ""
        front = ui_state(overlay=overlay, about=1, typed=typed, draft=DRAFT)
        yield "setup", setup_frame(front, options=options, mixed_sources=True)
    yield "setup", setup_frame(ui_state(overlay="rules", scroll=9, draft=DRAFT))
    yield "setup", setup_frame(ui_state(draft=GameDraft("kinapa")))
    for game, rules in RULES.items():
        for people in (rules.players[0], rules.players[-1]):
            draft = GameDraft(game, chairs=tuple(range(people)), bot=people == 2)
            for scroll in (0, 2):
                yield "prepare", preparation(draft, language=language, calm=True, scroll=scroll)
    yield from phone_frames(language)
    numbers = (("turns", 14), ("lies", 3), ("bluffs", 5), ("pairs", 4), ("minutes", 11), ("corrections", 1))
    for overlay in ("", "log", "why", "help"):
        view = games.view("over")
        front = ui_state(overlay=overlay)
        yield (
            "recap",
            RecapFrame(
                ui_state=front,
                names=games.NAMES,
                view=view,
                board=games.RULES.board,
                log=games.LOG,
                numbers=numbers,
            ),
        )


def button_frames(language: str) -> Iterator[tuple[str, Any]]:
    """USB buttons being learnt at a table of four and of eight, and learnt."""
    kit = "DragonRise Inc.   Generic   USB  Joystick"
    parts = ("1", "2", "3", "4", "5", "6", "7", "8", "back", "next", "ok")
    learned = tuple((part, "AB Shutter3" if part == "3" else kit) for part in parts)
    for chairs, view in (
        (4, ButtonsView("1", note=Sentence("ui.buttons.no_device"))),
        (4, ButtonsView("3", learned[:2])),
        (8, ButtonsView("1")),
        (4, ButtonsView("2", learned[:1], Sentence("ui.buttons.steering"))),
        (8, ButtonsView("6", learned[:5], Sentence("ui.buttons.repeated", (("chair", 1),)))),
        (8, ButtonsView("ok", learned[:10], Sentence("ui.buttons.repeated", (("button", "next"),)))),
        (4, ButtonsView("next", learned[:4])),
        (4, ButtonsView("", learned[:4])),
        (8, ButtonsView("", learned, Sentence("ui.buttons.not_kept"))),
        (4, ButtonsView("", (), Sentence("ui.buttons.nothing"))),
    ):
        down = frozenset({1}) if not view.asked else frozenset()
        yield (
            "buttons",
            ButtonsFrame(ui_state=UiState(language=language), chairs=chairs, view=view, down=down),
        )


def phone_frames(language: str) -> Iterator[tuple[str, Any]]:
    """Phones let in and not, with every state of a chair."""
    seats = (
        *(PhoneSeat(0, "held"), PhoneSeat(1, "asks"), PhoneSeat(2), PhoneSeat(3, "held", awake=False)),
        *(PhoneSeat(4, "held", fit=False), PhoneSeat(5), PhoneSeat(6, "asks"), PhoneSeat(7)),
    )
    code = tuple("".join("01"[(row * column) % 3 == 1] for column in range(29)) for row in range(29))
    opened = PhoneTable(seats, is_open=True, address="http://192.168.178.24:8420", pin="012345", code=code)
    owned = replace(opened, owner="987654")
    yield "phones", PhonesFrame(ui_state=UiState(language=language, overlay="owner"), phones=owned)
    yield "phones", PhonesFrame(ui_state=UiState(language=language), phones=owned)
    for phones, playing in (
        (PhoneTable(seats[:1] + seats[2:4]), False),
        (opened, False),
        (replace(opened, firewall_remedy="sudo firewall-cmd --add-port=8420/tcp"), False),
        (replace(opened, seats=seats[:4], code=(), full=True), True),
        (replace(opened, address="", code=()), False),
        (PhoneTable(seats[5:7], is_open=True), True),
        (PhoneTable(seats[5:7], is_open=True, trouble=Sentence("ui.phones.taken")), True),
        (PhoneTable(seats[5:7], is_open=True, trouble=Sentence("ui.phones.late")), False),
    ):
        for overlay in ("", "help"):
            ui_state = UiState(language=language, overlay=overlay)
            yield "phones", PhonesFrame(ui_state=ui_state, phones=phones, playing=playing)
    yield (
        "home",
        HomeFrame(ui_state=UiState(language=language, overlay="more"), offered=OFFERED, joinable=True),
    )
    yield "game", games.frame("turning", 8, UiState(language=language, overlay="menu"), joinable=True)
    told = ((1, Sentence("ui.phones.asks")), (3, Sentence("ui.phones.asleep")))
    for players in (4, 8):
        by = tuple(seat for seat in seats if seat.state == "held" and seat.chair < players)
        yield "game", games.frame("choosing", players, UiState(language=language), notices=told, by_phone=by)


def club_frames(language: str) -> Iterator[tuple[str, Any]]:
    """A table of a club: what is next here, a trouble with its broker, and the call for a judge."""
    ui_state = UiState(language=language, draft=GameDraft(OFFERED[0].game))
    people = ClubAssignment(OFFERED[0].game, 3, ("Ada", "Benedikta", "Cléo", "Dmitri"))
    for following in (people, ClubAssignment("", 12)):
        yield "home", HomeFrame(ui_state=ui_state, offered=OFFERED, club_assignment=following)
    clash = (Sentence("ui.club.clash"),)
    yield "home", HomeFrame(ui_state=ui_state, offered=OFFERED, club_assignment=people, doctor=clash)
    for judge in JUDGES:
        for players in (4, 8):
            menu = UiState(language=language, overlay="menu")
            yield "game", games.frame("turning", players, menu, joinable=True, judge=judge)


def game_frames(language: str) -> Iterator[tuple[str, Any]]:
    picture = np.zeros((90, 120, 3), np.uint8)
    ui_state = UiState(language=language)
    for players in (4, 5, 8):
        for phase in games.stories(players):
            yield "game", games.frame(phase, players, ui_state)
    for phase in ("announcing", "counting", "choosing", "searching", "auditing", "placing", "over"):
        for players in (4, 8):
            yield "game", games.frame(phase, players, ui_state, demo=games.DEMO, camera=picture)
    for overlay in OVERLAYS:
        yield "game", games.frame("turning", 8, UiState(language=language, overlay=overlay), trouble=TROUBLE)
    yield "game", games.frame("turning", 8, UiState(language=language, overlay="repair", typed="pairs"))
    yield "game", games.frame("turning", 4, UiState(language=language, overlay="leave"), demo=games.DEMO)
    yield "game", games.frame("choosing", 8, replace(ui_state, buttons=True))
    yield "game", games.frame("searching", 8, replace(ui_state, overlay="answer", about=4))
    yield "game", games.frame("announcing", 8, replace(ui_state, overlay="answer", about=0))
    yield "game", games.frame("turning", 8, UiState(language=language, overlay="log", scroll=5))
    for name, guide in GUIDES.items():
        phase = "counting" if name == "counting" else "turning"
        yield "game", games.frame(phase, 4, ui_state, guide=guide, allowed_actions=MAY)
    for said in SAID:
        yield "game", games.frame("announcing", 6, ui_state, say=said, pressed=frozenset({2}))
    yield "game", games.frame("turning", 8, ui_state, trouble=TROUBLE)
    for players, chair in ((4, 3), (8, 6)):
        yield "game", games.frame("returning", players, ui_state, current_verdict=(punished(chair), 0))
    yield "game", games.frame("over", 8, ui_state, trouble=TROUBLE)


def everything(language: str) -> Iterator[tuple[str, Any]]:
    """Page name and frame."""
    yield from home_frames(language)
    yield from game_frames(language)
    yield from bench_frames(language)
    yield from bot_frames(language)
    yield from club_frames(language)


def in_turn(language: str) -> Iterator[tuple[str, Any]]:
    """Everything, each in one language in turn; with `THOROUGH=1` each in all."""
    first, every = (0, 1) if os.environ.get("THOROUGH") else (LANGUAGES.index(language), len(LANGUAGES))
    return islice(everything(language), first, None, every)
