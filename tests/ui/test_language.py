"""Every key that can occur has a sentence in every language, with the same parts."""

from __future__ import annotations

import ast
import io
import os
import re
import typing
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from gettext import GNUTranslations
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from companion.core import events as shared
from companion.core.actions import Action, Setup
from companion.core.presses import STEP
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kinapa.rules import botdecks, judge
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.options import KinapaOptions
from companion.games.kinapa.rules.parts import AnyKinapaEvent
from companion.games.kinapa.rules.state import Lies, Phase
from companion.referee.parts import OF_THREADS, SAID_AS
from companion.settings.model import Colour
from companion.simulation.play import Simulation, styles_for
from companion.ui.catalogue import compile_in_memory
from companion.ui.houserules import house_rules, word
from companion.ui.language import Language, LanguageError, fields, load
from tests.languages import LANGUAGES

RULE_FILES = Path(judge.__file__).parent
TELLING = frozenset(
    {
        *("_no", "no", "Infraction", "_misplaced", "Repair", "voided", "WindowVoided", "tr", "Sentence"),
        *("run", "guard", "tell", "fell"),
    }
)
PLACEHOLDER_FREE = frozenset[str]()
BOOKKEEPING = {shared.PressBegan, shared.PressEnded, shared.ChoiceStepped, shared.GameUncovered}
"""Steps of a button, and that everything is looked at: silent in every game."""
NOT_TOLD = {"rule", "reason", "then", "card", "cue_due", "first_beat", "by"}
BOT_EVENTS: dict[type, set[str]] = {
    ev.AidLaid: {"bot", "face"},
    ev.BotAsked: {"chair", "bot", "number"},
    ev.Switched: {"chair", "bot"},
    ev.SwitchAsked: set(),
}
"""What these tell is not simply what they hold."""
ABOUT_BOTS = (
    *(ev.FoxRemoved, ev.PartnerChosen, ev.LotDrawn, ev.CardDrawn, ev.Admitted, ev.Denied, ev.HolderFound),
    *(ev.CardHanded, ev.HandoverRefused, ev.Punished, ev.FoxesTaken, ev.PunishmentSpared, ev.CardReturned),
    *(ev.CardFound, ev.CardNotFound),
)
"""Rulings on a seat that can be a deck nobody holds."""
WITHOUT_WORDS = {shared.Infraction, shared.Repair, shared.WindowVoided}
"""Told by their rule, instruction or reason."""


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


@cache
def told_in(path: Path) -> tuple[ast.AST, ...]:
    """What may name a key in a module: calls of `TELLING` and whatever is assigned to `on_screen`."""
    return tuple(node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if tells(node))


def tells(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=called):
            return last(called) in TELLING
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return last(target) in {"on_screen", "ON_SCREEN"}
        case _:
            return False


def last(node: ast.expr) -> str:
    """The last name of `package.module.name`."""
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


def calls(*names: str, game: str = "kinapa") -> Iterator[ast.Call]:
    """Every call of these functions in the rules of a game."""
    for path in sources(game):
        for node in told_in(path):
            if isinstance(node, ast.Call) and last(node.func) in names:
                yield node


def strings(node: ast.expr, game: str = "kinapa") -> list[str]:
    """The keys an expression can be; the areas of the verbs stand for `{said.area}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return strings(node.body, game) + strings(node.orelse, game)
    if isinstance(node, ast.JoinedStr) and ast.unparse(node).startswith("f'{said.area}."):
        verbs = import_module(f"companion.games.{game}.rules.judge").VERBS.values()
        return [verb.area + ast.literal_eval(node.values[1]) for verb in verbs if verb.area]
    return []


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
    for call in calls("_no", "no", "Infraction", game=game):
        told = {name for place, name in ((1, "seat"), (2, "what")) if given(call, place, name)}
        named = frozenset({"seat": "chair"}.get(name, name) for name in told)
        for rule in strings(call.args[0], game):
            parts[rule].append(named)
    for call in calls("_misplaced", game=game):
        for rule in strings(call.args[1]):
            parts[rule].append(frozenset({"what"}))
    return {rule: frozenset.intersection(*named) for rule, named in parts.items()}


def events() -> dict[str, frozenset[str]]:
    """Every event's key and the parts its sentence has."""
    found = {}
    for cls in typing.get_args(AnyKinapaEvent):
        if cls in BOOKKEEPING | WITHOUT_WORDS | {ev.CountDue, ev.DeckEmptied, ev.ObjectForgotten}:
            continue
        hints = typing.get_type_hints(cls)
        parts = {
            {"seat": "chair"}.get(name, name)
            for name in cls.__struct_fields__
            if hints[name] in {int, str} and name not in NOT_TOLD
        }
        parts = BOT_EVENTS.get(cls, parts)
        game = "shared" if cls.__module__ == shared.__name__ else "kinapa"
        found[f"{game}.{cls.__name__}"] = frozenset(parts)
    return found


def whys() -> Iterator[str]:
    """Every key that `why` can give."""
    yield from (f"X{row}" for row in range(1, 7))
    yield from infractions()
    for cls in typing.get_args(AnyKinapaEvent):
        mapped = {ev.PartnerChosen, ev.OneAsked, ev.BotAsked, ev.LiarCalled, ev.AuditOpened}
        untold = {shared.Infraction, ev.CountDue, ev.DeckEmptied, ev.ObjectForgotten}
        if cls not in BOOKKEEPING | mapped | untold:
            yield cls.__name__


def options() -> Iterator[str]:
    for field in msgspec.structs.fields(KinapaOptions):
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
            if not rules.silent(event):
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
    modules = {part: import_module(f"companion.games.{name}.rules.{part}") for part in ("judge", "state")}
    state = rules.initial_state(Setup(tuple(range(rules.players[-1])), rules.options()))
    few = rules.initial_state(Setup(tuple(range(rules.players[0])), rules.options()))
    keys: dict[str, frozenset[str] | None] = {}
    for event in examples(rules):
        keys[rules.key(event)] = frozenset(part for part, _ in rules.parts(state, event)) | (
            keys.get(rules.key(event)) or frozenset()
        )
        keys |= {f"{name}.why.{rules.why(table, event)}": PLACEHOLDER_FREE for table in (state, few)}
    keys |= {f"{name}.rule.{rule}": parts for rule, parts in broken.items()}
    keys |= {f"{name}.why.{rule}": PLACEHOLDER_FREE for rule in (*broken, "Repair", "WindowVoided")}
    keys |= {f"{name}.repair.{what}": PLACEHOLDER_FREE for what in ("was_lawful", "correction_stopped")}
    keys |= {f"{name}.phase.{phase}": None for phase in modules["state"].Phase}
    keys |= {f"{name}.hint.{phase}": None for phase in modules["state"].Phase if phase != "over"}
    keys |= {f"{name}.do.{verb}": None for verb in (*modules["judge"].VERBS, STEP)}
    for rule in house_rules(rules.options()):
        keys[f"{name}.option.{rule.key}"] = PLACEHOLDER_FREE
        keys |= {f"{name}.option.{rule.key}.{word(choice)}": PLACEHOLDER_FREE for choice in rule.choices}
    return keys | {f"{name}.name": PLACEHOLDER_FREE}


def ui_keys() -> dict[str, frozenset[str]]:
    """What the pages ask for under names that are put together: as the English catalogue has them."""
    return {
        key: frozenset(field for text in texts for field in fields(text))
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


def parts() -> Iterator[str]:
    """The parts that may fail, each told by its name."""
    yield "judging"
    for path in sorted(RULE_FILES.parents[2].rglob("*.py")):
        for node in told_in(path):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and re.search(r"parts\.(run|guard|tell|fell)$", called):
                yield from strings(node.args[0])
    yield from OF_THREADS.values()
    yield from SAID_AS.values()


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
            keys[f"shared.WindowVoided.{reason}"] = PLACEHOLDER_FREE
    for reason in ("pause", "restart", "undo", "correction", "repair", "adapter"):
        keys[f"shared.WindowVoided.{reason}"] = PLACEHOLDER_FREE
    keys |= {f"kinapa.phase.{phase}": frozenset({"chair", "number", "label", "bot"}) for phase in Phase}
    keys |= {f"kinapa.hint.{phase}": PLACEHOLDER_FREE for phase in Phase if phase is not Phase.OVER}
    keys |= {"kinapa.hint.lot": frozenset({"place"}), "shared.phase.paused": PLACEHOLDER_FREE}
    keys |= {"kinapa.hint.announced": frozenset({"number"})}
    for verb in (*judge.VERBS, STEP):
        told = {"chair"} if verb in {"draw_from", "pick", "crown", "switch"} else {"value"}
        keys[f"kinapa.do.{verb}"] = frozenset(told)
    backs = ["pair", "emperor", "sheep_take", "sheep_return", "foxes", "cards"]
    keys |= {f"kinapa.back.{what}": None for what in (*backs, *(f"object_{lies}" for lies in Lies))}
    keys |= {f"kinapa.{cls.__name__}.bot": None for cls in ABOUT_BOTS}
    of_bots = ("drawing", "asking", "searching", "handing", "returning", "auditing", "auditing_by_hand")
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
    keys |= {f"kinapa.bot.{note}": frozenset({"chair"}) for note in ("rest", *botdecks.NOTES.values())}
    keys |= {f"kinapa.do.{verb}.bot": None for verb in ("draw_from", "crown", "has", "has_not")}
    keys |= {f"kinapa.back.{what}.bot": None for what in ("sheep_take", "sheep_return", "foxes")}
    keys |= {f"kinapa.prepare.deal_{way}": PLACEHOLDER_FREE for way in ("all", "bot", "two")}
    keys |= {f"kinapa.EndTold.win.{win}": PLACEHOLDER_FREE for win in ("two_pairs", "both_decks")}
    keys |= {f"kinapa.why.{key}": PLACEHOLDER_FREE for key in whys()}
    keys |= {f"kinapa.option.{key}": PLACEHOLDER_FREE for key in options()}
    keys |= {f"ui.colour.{colour}": PLACEHOLDER_FREE for colour in typing.get_args(Colour)}
    keys |= {f"count.{beat}": PLACEHOLDER_FREE for beat in range(1, 9)}
    keys |= {f"shared.storage.{trouble}": PLACEHOLDER_FREE for trouble in ("full", "readonly", "lost")}
    keys |= {f"shared.alarm.storage.{trouble}": PLACEHOLDER_FREE for trouble in ("full", "readonly", "lost")}
    keys |= {f"shared.trouble.{trouble}": PLACEHOLDER_FREE for trouble in troubles()}
    keys |= {f"shared.part.{part}": PLACEHOLDER_FREE for part in {*parts()} - {*SAID_AS}}
    for rules in RULES.values():
        if rules.name != "kinapa":
            keys |= of_game(rules)
    keys["kabuki.CheckDiffers"] = None  # the caller is named as long as the check lasts
    keys |= {key: keys.get(key) for key in written_out()}
    return keys | ui_keys()


@cache
def catalogue(code: str) -> dict[str, tuple[str, ...]]:
    """A catalogue as its file has it: key → its sentence, or its singular and plural."""
    source = Path(__file__).parents[2] / "assets" / "locale" / code / "LC_MESSAGES" / "companion.po"
    with source.open("rb") as text:
        read = read_po(text, locale=code, abort_invalid=True)
    return {
        message.id[0] if isinstance(message.id, tuple) else message.id: (
            message.string if isinstance(message.string, tuple) else (message.string,)
        )
        for message in read
        if message.id
    }


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
    missing = [key for key in required() if not all(catalogue(code).get(key, ("",)))]
    assert missing == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_uses_only_parts_that_its_ruling_has(code: str) -> None:
    written = catalogue(code)
    wrong = {
        key: text
        for key, allowed in required().items()
        for text in written.get(key, ())
        if allowed is not None and not set(fields(text)) <= allowed
    }
    assert wrong == {}


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_languages_have_the_same_keys_with_the_same_parts(code: str) -> None:
    english, other = catalogue("en"), catalogue(code)
    assert sorted(other) == sorted(english)
    for key, texts in english.items():
        assert {frozenset(fields(text)) for text in other[key]} == {frozenset(fields(t)) for t in texts}, key
        assert len(other[key]) == len(texts), key


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_sentence_is_put_together_from_half_sentences_or_left_empty(code: str) -> None:
    for key, texts in catalogue(code).items():
        for text in texts:
            assert text == text.strip(), key
            assert text, key


@pytest.mark.parametrize(
    ("game", "table"), [(name, table) for name, rules in RULES.items() for table in rules.tables()]
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
    simulation = Simulation(rules, setup, seed=players, styles=styles_for(players, Random(players)))
    before = simulation.referee.state
    for _ in simulation.steps():
        state = simulation.referee.state
        sentences |= {*told(rules, state, before, simulation.referee.journal.entries[-1].events)}
        before = state
    return frozenset(sentences)


def told(rules: Rules[Any], state: Any, before: Any, events: Iterable[shared.Event]) -> Iterator[Sentence]:
    """Everything a table is shown or told in one state."""
    view = rules.view(state)
    yield view.headline
    if view.hint is not None:
        yield view.hint
    yield from (deck.says for deck in view.bots if deck.says is not None)
    for chair in view.chairs:
        yield from (choice.label for choice in chair.choices)
    yield from (choice.label for choice in view.shared)
    yield from rules.put_back(state, before)
    for event in events:
        spoken = (rules.sentence(state, event, log=log) for log in (False, True))
        yield from (sentence for sentence in spoken if sentence is not None)


def test_a_chair_is_called_by_name_on_the_screen_and_by_colour_aloud(language: Language) -> None:
    won = Sentence("kinapa.GameWon", (("chair", 1),))
    assert "Anna" in language.text(won, {1: "Anna"})
    assert language.chair(1) in language.text(won, {0: "Anna"})
    assert language.chair(1) in language.spoken(won)


def test_the_colours_of_the_settings_are_the_words_of_the_voice() -> None:
    language = Language("en", colours=("pink", "white"))
    won = Sentence("kinapa.GameWon", (("chair", 0),))
    assert language.spoken(won) == "Pink wins!"
    assert language.clip(won) == "kinapa.GameWon.pink"


def test_one_value_may_have_a_sentence_of_its_own() -> None:
    english = Language("en")
    assert "Red loses a Fox" in english.text(Sentence("kinapa.FoxRemoved", (("chair", 0), ("left", 1))))
    assert "no Fox" in english.text(Sentence("kinapa.FoxRemoved", (("chair", 0), ("left", 0))))


def test_a_winner_is_named_and_an_abandoned_game_has_none() -> None:
    english = Language("en")
    assert english.text(Sentence("kinapa.phase.over", (("chair", 0), ("number", 7)))) == "Red wins!"
    assert english.text(Sentence("kinapa.phase.over", (("number", 7),))) == "The game is over."


def test_plurals_follow_the_language() -> None:
    def cards(code: str, count: int) -> str:
        return Language(code).text(Sentence("kinapa.back.cards", (("count", count),)))

    assert "card back" in cards("en", 1)
    assert "cards back" in cards("en", 2)
    assert "Karten" in cards("de", 0)
    assert "0 carte échangée" in cards("fr", 0)


HEAD = """\
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

"""


def with_words(locale: Path, words: str) -> Language:
    """English with a catalogue of its own."""
    folder = locale / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "companion.po").write_text(HEAD + words, encoding="utf-8")
    return Language("en", locale=locale)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((("points", 3),), "several"),
        ((("chair", 1), ("points", 3)), "several"),
        ((("chair", 3), ("next_seat", 3), ("points", 1)), "one"),
        ((("points", 1), ("total", 7), ("left", 3)), "several"),
        ((("points", 3), ("total", 7)), "one"),
    ],
)
def test_the_only_number_of_a_sentence_decides_its_plural_and_of_several_the_counted_one(
    parts: tuple[tuple[str, str | int], ...], told: str, tmp_path: Path
) -> None:
    words = 'msgid "won"\nmsgid_plural "won"\nmsgstr[0] "one"\nmsgstr[1] "several"\n'
    assert with_words(tmp_path, words).text(Sentence("won", parts)) == told


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ('msgid "won"\nmsgstr[0] "one"\nmsgstr[1] "several"\n', 5),
        ('msgid "won"\nmsgid_plural "won"\nmsgstr "one"\n', 6),
    ],
)
def test_forms_without_a_plural_and_a_plural_without_forms_are_refused_by_file_and_line(
    words: str, line: int, tmp_path: Path
) -> None:
    with pytest.raises(LanguageError, match=rf"companion\.po, line {line}: .*msgid_plural"):
        with_words(tmp_path, words)


def test_a_label_that_lies_hidden_again_is_told_by_its_place(language: Language) -> None:
    told = language.text(Sentence("kinapa.ObjectTurned.hidden", (("slot", 3),)))
    assert "3" in told
    unknown = language.text(Sentence("kinapa.ObjectTurned.hidden", (("slot", 0),)))
    assert "0" not in unknown


def test_every_event_can_be_told_without_a_gap(language: Language) -> None:
    for key, parts in events().items():
        sentence = Sentence(key, tuple((part, 1) for part in sorted(parts)))
        assert "…" not in language.text(sentence), key
        assert "…" not in language.spoken(sentence), key


def test_a_sentence_that_no_language_has_is_told_by_its_key(language: Language) -> None:
    assert language.tr("kinapa.no{such}key") == "kinapa.no{such}key"


def test_a_part_that_is_missing_leaves_a_gap_and_no_traceback() -> None:
    assert "…" in Language("en").text(Sentence("kinapa.rule.object.closed"))


def test_a_key_that_one_language_lacks_is_told_in_english(tmp_path: Path) -> None:
    for code, entry in (("en", 'msgid "greeting"\nmsgstr "Hello"\n'), ("de", "")):
        folder = tmp_path / code / "LC_MESSAGES"
        folder.mkdir(parents=True)
        head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        (folder / "companion.po").write_text(head + entry, encoding="utf-8")
    assert Language("de", locale=tmp_path).tr("greeting") == "Hello"


def test_a_language_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(LanguageError, match="'tlh'; there are: en, de, fr"):
        Language("tlh")


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_catalogue_is_read_as_the_build_compiles_it(code: str, checkout: Path) -> None:
    source = checkout / "assets" / "locale" / code / "LC_MESSAGES" / "companion.po"
    built = io.BytesIO()
    with source.open("rb") as text:
        write_mo(built, read_po(text, locale=code))
    read = GNUTranslations(compile_in_memory(source))
    theirs = GNUTranslations(io.BytesIO(built.getvalue()))
    for catalogue in (read, theirs):
        del catalogue._catalog[""]  # type: ignore[attr-defined]
    assert read._catalog == theirs._catalog  # type: ignore[attr-defined]
    assert [read.plural(count) for count in range(3)] == [theirs.plural(count) for count in range(3)]


def test_what_a_translator_doubts_is_not_said_and_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    source = tmp_path / "game.po"
    doubted = '#, fuzzy\nmsgid "a"\nmsgstr "A"\n\nmsgid "b"\nmsgstr ""\n"B"\n#~ msgid "c"\n#~ msgstr "C"\n'
    source.write_text(doubted, encoding="utf-8")
    read = GNUTranslations(compile_in_memory(source))
    assert [read.gettext(key) for key in "abc"] == ["a", "B", "c"]
    source.write_text(doubted + "msgid unquoted\n", encoding="utf-8")
    with pytest.raises(LanguageError, match=r"game\.po, line 10"):
        compile_in_memory(source)


def test_an_edited_catalogue_is_compiled_again_in_memory(tmp_path: Path) -> None:
    folder = tmp_path / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    source, compiled = folder / "companion.po", folder / "companion.mo"
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    source.write_text(head + 'msgid "greeting"\nmsgstr "Hello"\n', encoding="utf-8")
    compiled.write_bytes(compile_in_memory(source).getvalue())
    source.write_text(head + 'msgid "greeting"\nmsgstr "Good evening"\n', encoding="utf-8")
    os.utime(compiled, (1, 1))
    assert load(tmp_path, "en").gettext("greeting") == "Good evening"


@pytest.mark.parametrize(("code", "players"), [("en", "player"), ("de", "Spieler|Person"), ("fr", "joueur")])
def test_what_is_so_for_every_deck_is_not_told_of_players(code: str, players: str) -> None:
    """With two, three, or a BOT there are more decks than people."""
    counted = ("announce.range", "object.no_such_slot", "hand.foxed", "draw.not_lowered", "X2", "X3", "X4")
    told = catalogue(code)
    with_bots = (f"kinapa.why.{key}.bot" for key in counted if f"kinapa.why.{key}.bot" in told)
    always = (f"kinapa.why.{key}" for key in counted if f"kinapa.why.{key}.bot" not in told)
    per_deck = [*with_bots, *always, "kinapa.hint.choosing", "kinapa.hint.succeeding"]
    wrong = [key for key in per_deck if re.search(players, told[key][0])]
    assert wrong == []


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(
    ("game", "verb"),
    [
        ("kobayakawa", "show"),
        ("kobayakawa", "kobayakawa"),
        ("dnup", "size"),
        ("dnup", "value"),
        ("kabuki", "twins"),
    ],
)
def test_a_number_that_was_chosen_is_no_bare_number_in_the_log(game: str, verb: str, code: str) -> None:
    rules, action = RULES[game], Action(0, verb, 3)
    state = rules.initial_state(Setup(tuple(range(rules.players[0])), rules.options()))
    panel, log = (
        Language(code).text(said) for said in (rules.label(state, action), rules.chosen(state, action))
    )
    assert panel == "3"
    assert log.replace("3", "").strip()


@pytest.mark.parametrize(
    ("code", "sets", "late"),
    [
        ("en", ("Red plays a single 8.", "Red plays two 8s."), "0.4"),
        ("de", ("Rot spielt eine 8.", "Rot spielt zwei 8er."), "0,4"),
        ("fr", ("Rouge joue un 8.", "Rouge joue deux 8."), "0,4"),
    ],
)
def test_small_numbers_are_words_and_thousandths_have_the_decimal_mark_of_the_language(
    code: str, sets: tuple[str, str], late: str
) -> None:
    language = Language(code)
    told = tuple(language.tr("dnup.SetPlayed", chair=0, count=count, many=count, value=8) for count in (1, 2))
    assert told == sets
    assert late in language.tr("kabuki.StopVoided", chair=0, ms="0.4")
