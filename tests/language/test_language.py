"""Every key that can occur has a sentence in every language, with the same parts."""

from __future__ import annotations

import ast
import typing
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from companion.core import events as shared
from companion.core.actions import Setup
from companion.core.button_choices import STEP
from companion.core.events import kind_of
from companion.core.house_rules import choice_key, house_rule_questions
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kinapa.rules import judge, model, view
from companion.games.kinapa.rules.model import AnyKinapaEvent, KinapaOptions, KinapaPhase, ObjectPosition
from companion.language.language import Language, family_key, part_names, table_title
from companion.settings.model import Colour
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.system.fault_isolation import SCREEN_NAMES
from tests.games.laws import verbs_of
from tests.language.sentences import (
    BOOKKEEPING,
    FORGETTING,
    RULE_FILES,
    WITHOUT_WORDS,
    catalogue,
    events,
    last,
    parts,
    strings,
    told,
    told_in,
)
from tests.languages import LANGUAGES
from tests.thorough import some

PLACEHOLDER_FREE = frozenset[str]()
ABOUT_BOTS = (
    *(
        model.FoxRemoved,
        model.PartnerChosen,
        model.HandPlaceDrawn,
        model.KinapaCardDrawn,
        model.NumberAdmitted,
        model.NumberDenied,
        model.HolderFound,
    ),
    *(
        model.CardHanded,
        model.HandoverRefused,
        model.LiarPunished,
        model.FoxesTaken,
        model.PunishmentSpared,
        model.CardReturned,
    ),
    *(model.CardFound, model.CardNotFound),
)
"""Rulings on a seat that can be a deck nobody holds."""


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    return Language(request.param)


def sources(game: str = "kinapa") -> list[Path]:
    package = RULE_FILES.parents[2]
    folder = package / "games" / game / "rules"
    return [
        *sorted(folder.glob("*.py")),
        *([package / "core" / "verbs.py"] if game != "kinapa" else []),
        package / "core" / "rules.py",
        package / "referee" / "correction.py",
    ]


def calls(*names: str, game: str = "kinapa") -> Iterator[ast.Call]:
    """Every call of these functions in the rules of a game."""
    for path in sources(game):
        for node in told_in(path):
            if isinstance(node, ast.Call) and last(node.func) in names:
                yield node


def given(call: ast.Call, place: int, name: str) -> bool:
    """Whether a call hands over something that is not None."""
    values = [keyword.value for keyword in call.keywords if keyword.arg == name] or call.args[
        place : place + 1
    ]
    return bool(values) and not (isinstance(values[0], ast.Constant) and values[0].value is None)


@cache
def infractions(game: str = "kinapa") -> dict[str, frozenset[str]]:
    """Every rule that can be broken, and the parts its sentence always has."""
    parts: dict[str, list[frozenset[str]]] = defaultdict(list)
    for call in calls("_infraction", "infraction_ruling", "Infraction", game=game):
        told = {name for place, name in ((1, "seat"), (2, "what")) if given(call, place, name)}
        named = frozenset({"seat": "chair"}.get(name, name) for name in told)
        for rule in strings(call.args[0], game):
            parts[rule].append(named)
    for call in calls("_call_misplacement", game=game):
        for rule in strings(call.args[1]):
            parts[rule].append(frozenset({"what"}))
    return {rule: frozenset.intersection(*named) for rule, named in parts.items()}


def whys() -> Iterator[str]:
    """Every key that `why` can give."""
    yield from (f"X{row}" for row in range(1, 7))
    yield from infractions()
    for cls in typing.get_args(AnyKinapaEvent):
        mapped = {
            model.PartnerChosen,
            model.SoleLoweredAsked,
            model.BotAsked,
            model.LiarCalled,
            model.AuditOpened,
        }
        untold = {shared.Infraction, model.CountDue, model.DeckEmptied, *FORGETTING}
        if cls not in BOOKKEEPING | mapped | untold:
            yield kind_of(cls)


def options() -> Iterator[str]:
    for field in msgspec.structs.fields(KinapaOptions):
        if len(typing.get_args(field.type)) == 1:
            continue  # nothing to choose, so nothing to say
        yield field.name
        for value in typing.get_args(field.type) or (True, False):
            yield f"{field.name}.{str(value).lower() if isinstance(value, bool) else value}"


def examples(rules: Rules[Any]) -> Iterator[shared.Event]:
    """Every ruling of a game that is told, once with something in every field and once with nothing."""
    for cls in typing.get_args(rules.events):
        if cls in BOOKKEEPING | WITHOUT_WORDS:
            continue
        hints = typing.get_type_hints(cls)
        for fill in (1, 0):
            values = {name: example(hints[name], fill) for name in cls.__struct_fields__}
            event = cls(**values)
            if not rules.is_silent(event):
                yield event


def example(hint: Any, fill: int) -> Any:
    """A value of a field."""
    args = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        return (example(args[0], fill),) if fill else ()
    if typing.get_origin(hint) is typing.Literal:
        return args[-fill]
    if type(None) in args:
        return example(args[0], fill) if fill else None
    return {int: fill, bool: bool(fill), str: "x" * fill}[hint]


def of_game(rules: Rules[Any]) -> dict[str, frozenset[str] | None]:
    """Every key that one game can give, read from its rules; what a phase names is tested in play."""
    name, broken = rules.name, infractions(rules.name)
    verbs = verbs_of(name)
    state = rules.initial_state(Setup(tuple(range(rules.players[-1])), rules.options()))
    few = rules.initial_state(Setup(tuple(range(rules.players[0])), rules.options()))
    keys: dict[str, frozenset[str] | None] = {}
    for event in examples(rules):
        keys[rules.sentence_key(event)] = frozenset(
            part for part, _ in rules.sentence_parts(state, event)
        ) | (keys.get(rules.sentence_key(event)) or frozenset())
        keys |= {
            f"{name}.why.{rules.explanation_key(table, event)}": PLACEHOLDER_FREE for table in (state, few)
        }
    keys |= {f"{name}.rule.{rule}": parts for rule, parts in broken.items()}
    keys |= {f"{name}.why.{rule}": PLACEHOLDER_FREE for rule in (*broken, "Repair", "WindowVoided")}
    keys |= {f"{name}.repair.{what}": PLACEHOLDER_FREE for what in ("was_lawful", "correction_stopped")}
    keys |= {f"{name}.phase.{phase}": None for phase in type(state.phase)}
    keys |= {f"{name}.hint.{phase}": None for phase in type(state.phase) if phase != "over"}
    keys |= {f"{name}.do.{verb}": None for verb in (*verbs, STEP)}
    for rule in house_rule_questions(rules.options()):
        keys[f"{name}.option.{rule.key}"] = PLACEHOLDER_FREE
        keys |= {
            f"{name}.option.{rule.key}.{choice_key(choice)}": PLACEHOLDER_FREE for choice in rule.choices
        }
    return keys | {f"{name}.name": PLACEHOLDER_FREE}


def ui_keys() -> dict[str, frozenset[str]]:
    """What the pages ask for under names that are put together: as the English catalogue has them."""
    return {
        key: frozenset(field for text in texts for field in part_names(text))
        for key, texts in catalogue("en").items()
        if key.startswith("ui.")
    }


def written_out() -> Iterator[str]:
    """Every key that stands in the code as it is."""
    for path in sorted(RULE_FILES.parents[2].rglob("*.py")):
        for node in told_in(path):
            if isinstance(node, ast.Call) and node.args and last(node.func) in {"tr", "Sentence"}:
                yield from strings(node.args[0])


def troubles() -> Iterator[str]:
    """What `CompanionError.on_screen` can be."""
    root = RULE_FILES.parents[3]
    for path in sorted([*root.glob("companion/**/*.py"), *root.glob("hardware/*.py")]):
        for node in told_in(path):
            match node:
                case ast.Assign(value=told) | ast.AnnAssign(value=ast.expr() as told):
                    values = told.values if isinstance(told, ast.Dict) else [told]
                    yield from (word for value in values for word in strings(value))


def voided(reason: str) -> tuple[str, str]:
    """What every game may say of a window that was voided, and what Kinapa says of a count."""
    return f"shared.WindowVoided.{reason}", f"kinapa.WindowVoided.{reason}"


@cache
def required() -> dict[str, frozenset[str] | None]:
    """Every key that can occur, with the parts it may use (None: any)."""
    keys: dict[str, frozenset[str] | None] = dict(events())
    keys |= {f"kinapa.rule.{rule}": parts for rule, parts in infractions().items()}
    for call in calls("Repair"):
        for what in strings(call.args[0]):
            keys[f"kinapa.repair.{what}"] = frozenset({"where"} if given(call, 1, "where") else ())
    keys |= {f"kinapa.repair.{what}": PLACEHOLDER_FREE for what in ("was_lawful", "correction_stopped")}
    for call in calls("voided", "WindowVoided"):
        for reason in strings(call.args[-1]):
            keys |= dict.fromkeys(voided(reason), PLACEHOLDER_FREE)
    for reason in ("pause", "restart", "undo", "correction", "repair", "adapter", "stalled"):
        keys |= dict.fromkeys(voided(reason), PLACEHOLDER_FREE)
    keys |= {f"kinapa.phase.{phase}": frozenset({"chair", "number", "label", "bot"}) for phase in KinapaPhase}
    keys |= {
        f"kinapa.hint.{phase}": PLACEHOLDER_FREE for phase in KinapaPhase if phase is not KinapaPhase.OVER
    }
    keys |= {"kinapa.hint.lot": frozenset({"place"}), "shared.phase.paused": PLACEHOLDER_FREE}
    keys |= {"kinapa.hint.announced": frozenset({"number"})}
    for verb in (*judge.VERBS, STEP):
        told = {"chair"} if verb in {"draw_from", "pick", "crown", "switch"} else {"value"}
        keys[f"kinapa.do.{verb}"] = frozenset(told)
    backs = ["pair", "emperor", "sheep_take", "sheep_return", "foxes", "cards"]
    keys |= {f"kinapa.back.{what}": None for what in (*backs, *(f"object_{lies}" for lies in ObjectPosition))}
    keys |= {f"kinapa.{kind_of(cls)}.bot": None for cls in ABOUT_BOTS}
    of_bots = ("drawing", "asking", "searching", "handing", "returning", "auditing")
    keys |= {f"kinapa.phase.{phase}.bot": None for phase in of_bots}
    versions = {
        "starting": ("lowest", "two", "switched"),
        "aiding": ("own",),
        "announced": ("hold",),
        "recounting": ("hold",),
        "pairing": ("dead",),
        "choosing": ("may",),
        "drawing": ("open", "named"),
        "asking": ("bot",),
        "searching": ("bot",),
        "picking": ("all", "card"),
        "returning": ("open", "bot", "number", "number.open", "number.bot"),
        "switching": ("person",),
    }
    keys |= {
        f"kinapa.hint.{phase}.{way}": keys[f"kinapa.hint.{phase}"]
        for phase, ways in versions.items()
        for way in ways
    }
    keys |= {f"kinapa.bot.{note}": frozenset({"chair"}) for note in ("rest", *view.INSTRUCTION_KEYS.values())}
    keys |= {f"kinapa.do.{verb}.bot": None for verb in ("draw_from", "crown", "has", "has_not")}
    keys |= {f"kinapa.back.{what}.bot": None for what in ("sheep_take", "sheep_return", "foxes")}
    keys |= {f"kinapa.prepare.deal_{way}": PLACEHOLDER_FREE for way in ("all", "bot", "two")}
    keys |= {f"kinapa.EndTold.win.{win}": PLACEHOLDER_FREE for win in ("two_pairs", "both_decks")}
    keys |= {f"kinapa.why.{key}": PLACEHOLDER_FREE for key in (*whys(), "HandTooEarly.aids")}
    keys["kinapa.HandTooEarly.wait.aids"] = frozenset({"chair"})
    keys |= {f"kinapa.option.{key}": PLACEHOLDER_FREE for key in options()}
    keys |= {f"ui.colour.{colour}": PLACEHOLDER_FREE for colour in typing.get_args(Colour)}
    keys |= {f"count.{beat}": PLACEHOLDER_FREE for beat in range(1, 9)}
    storage_troubles = ("full", "readonly", "locked", "lost")
    keys |= {f"shared.storage.{trouble}": PLACEHOLDER_FREE for trouble in storage_troubles}
    keys |= {f"shared.alarm.storage.{trouble}": PLACEHOLDER_FREE for trouble in storage_troubles}
    keys |= {f"shared.trouble.{trouble}": PLACEHOLDER_FREE for trouble in troubles()}
    keys["shared.trouble.pin_conflict"] = frozenset({"key", "other_key", "pin"})
    keys["shared.trouble.pin_setting"] = frozenset({"key", "pin"})
    keys["shared.trouble.header_numbers"] = frozenset({"key", "pin"})
    keys["shared.trouble.camera_sensor"] = frozenset({"sensor", "line"})
    keys["shared.trouble.camera_held"] = frozenset({"holder", "command"})
    keys["shared.trouble.no_driver"] = frozenset({"part"})
    keys["shared.trouble.salvage"] = frozenset({"entry", "time"})
    keys |= {f"shared.part.{part}": PLACEHOLDER_FREE for part in {*parts()} - {*SCREEN_NAMES}}
    for rules in RULES.values():
        if rules.name != "kinapa":
            keys |= of_game(rules)
    keys["kabuki.CheckDiffers"] = None  # the caller is named as long as the check lasts
    keys |= {key: keys.get(key) for key in written_out()}
    return keys | ui_keys()


@pytest.mark.parametrize(
    "address", ["192.168.7.24:8080", "http://192.168.7.24:8080", "https://192.168.7.24:8443"]
)
def test_a_table_without_a_name_is_called_by_its_address(address: str) -> None:
    assert table_title(Language("en"), "", address) == "Table 24"
    assert table_title(Language("en"), "Window", address) == "Window"


def test_the_sources_were_read() -> None:
    assert {"object.closed", "crown.not_emperor", "announce.not_emperor", "giveback.same_number"} - set(
        infractions()
    ) == {"crown.not_emperor"}
    assert infractions()["object.closed"] == {"what"}
    assert infractions()["announce.dead_number"] == {"chair", "what"}
    assert infractions()["deck.same_card_twice"] == {"what"}
    assert events()["kinapa.PairPlaced"] == {"chair", "number", "slot"}
    assert events()["kinapa.Punished"] == {"chair", "foxes"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_key_that_can_occur_has_a_sentence(code: str) -> None:
    missing = [key for key in required() if not all(said(code, key))]
    assert missing == []


def said(code: str, key: str) -> Sequence[str]:
    """What a game says, or the one with whose words it speaks; one empty text: nothing."""
    written = catalogue(code)
    return written.get(key) or written.get(family_key(key) or "") or ("",)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_uses_only_parts_that_its_ruling_has(code: str) -> None:
    wrong = {
        key: text
        for key, allowed in required().items()
        for text in said(code, key)
        if allowed is not None and not set(part_names(text)) <= allowed
    }
    assert wrong == {}


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_languages_have_the_same_keys_with_the_same_parts(code: str) -> None:
    english, other = catalogue("en"), catalogue(code)
    assert sorted(other) == sorted(english)
    for key, texts in english.items():
        assert {frozenset(part_names(text)) for text in other[key]} == {
            frozenset(part_names(t)) for t in texts
        }, key
        assert len(other[key]) == len(texts), key


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_sentence_is_put_together_from_half_sentences_or_left_empty(code: str) -> None:
    for key, texts in catalogue(code).items():
        for text in texts:
            assert text == text.strip(), key
            assert text, key


@pytest.mark.parametrize(
    ("game", "table"), [(name, table) for name, rules in RULES.items() for table in some(rules.table_sizes())]
)
def test_whole_games_are_told_without_a_gap(game: str, table: tuple[int, bool], language: Language) -> None:
    for sentence in told_in_games(game, *table):
        text = language.text(sentence)
        assert text != sentence.key, sentence
        assert "…" not in text, sentence


@cache
def told_in_games(game: str, players: int, bot: bool) -> frozenset[Sentence]:
    """Everything that a game at this table tells, the same in every language."""
    rules = RULES[game]
    setup = Setup(tuple(range(players)), rules.options(), bot)
    sentences: set[Sentence] = set()
    simulation = GameSimulation(rules, setup, seed=players, styles=random_styles(players, Random(players)))
    before = simulation.referee.state
    for _ in simulation.run_entries():
        state = simulation.referee.state
        sentences |= {*told(rules, state, before, simulation.referee.journal.entries[-1].events)}
        before = state
    return frozenset(sentences)
