"""Record by which a game registers with the program: its rules, mat, players, recap and cover.

A package offers a game under the entry-point group `companion.games`; `companion.games.RULES` finds it there.
Only `rules` is needed to referee. Everything else is a function; `late` names one without importing it, so
that naming a game costs no more than its rules.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pkgutil import resolve_name
from typing import Any, Protocol

from companion.core.actions import Chair, Options, Setup, Value
from companion.core.errors import InputError
from companion.core.rules import Rules
from companion.core.view import Board, Sentence

GAME_INTERFACE_VERSION = 1
"""Version of this record. A game written for another version is reported and not loaded."""


class PeopleFactory(Protocol):
    """Deals a game and makes the simulated people who play it; `rng` is a `random.Random`.

    `habits` has one word per chair: a `PlayStyle` for players, a strength for opponents. `bot` asks for a BOT
    deck and is only passed to games that have one.
    """

    def __call__(self, chairs: tuple[Chair, ...], rng: Any, habits: Sequence[str], /, **bot: bool) -> Any: ...


@dataclass(frozen=True, slots=True)
class LazyImport:
    """A function or class at `package.module:name`, imported when it is called for the first time."""

    target: str
    used_by: str = ""
    """The game and field that name it, for error messages."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.resolve()(*args, **named)

    def resolve(self) -> Any:
        """The class or function of that name; raises `InputError` that says what is wrong."""
        whose = f"{self.used_by} is lazy_import({self.target!r})".removeprefix(" is ")
        try:
            found = resolve_name(self.target)
        except (ImportError, AttributeError, ValueError) as missing:
            raise InputError(f"{whose}, which cannot be imported: {missing}.") from missing
        if not callable(found):
            raise InputError(f"{whose}, which is neither a class nor a function: {found!r}.")
        return found


def lazy_import(where: str) -> Callable[..., Any]:
    """A function that imports `package.module:name` when it is first called."""
    return LazyImport(where)


class Cover(Value, frozen=True, kw_only=True):
    """How a game is shown on the home page; the number of players is taken from its rules."""

    line: str = ""
    """Catalogue key of the one-line description; empty: none."""
    minutes: int = 0
    """Usual length of a game in minutes; 0: not shown."""
    faces: tuple[str, ...] = ()
    """Cards of its deck that are pictured, from left to right."""
    beside: str = ""
    """A token of its deck, pictured as a heap next to the cards."""
    motif: str = ""
    """A sign in the place of cards, for a game that has none."""
    near: bool = False
    """Whether each face is shown as a large detail rather than whole, in a fan."""
    ground: str = "#30294A"
    """Background colour, `#RRGGBB`."""


NO_COVER = Cover()


CUPBOARD = "cupboard"
"""In the table's own folder: a folder of its owner's boxes for each game, each with a photo or without."""


class Preset(Value, frozen=True, kw_only=True):
    """A box of the cupboard: house rules under a name."""

    title: Sentence
    options: Options
    line: Sentence | None = None
    """What the table does with it; None: its owner knows."""
    colour: str = "#30294A"
    """Of its lid, `#RRGGBB`."""
    motif: str = "clock"
    """The sign on it, as in `Token`."""
    file: str = ""
    """What the owner's file is called, without its ending; empty: it is ours."""
    photo: bytes = b""
    """A small JPEG that covers its lid; empty: there is none."""


class Story(Value, frozen=True):
    """What a show tells of a game, and a deal of four in which it happens."""

    told: tuple[str, ...] = ()
    """What is explained, as the catalogue words it in `GAME.show.NAME`: `begin`, and kinds of ruling."""
    seed: int = 0
    """Of the deal."""
    styles: tuple[str, ...] = ()
    """How each plays, as in `PeopleFactory`; empty: this game is in no show."""


NO_STORY = Story()


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game: its rules, and what demo, practice, lessons, recap, camera and print need."""

    rules: Rules[Any]
    interface: int = GAME_INTERFACE_VERSION
    simulated_players: PeopleFactory | None = None
    """Simulated people: `companion demo`, `simulate`, and the tests that play every game."""
    opponents: PeopleFactory | None = None
    """Opponents of three strengths, for `companion practice`. None: the game cannot be practised."""
    open_table: Callable[[Rules[Any], Any, Setup], Any] | None = None
    """(rules, world, setup) → public knowledge, shown beside the truth in practice with open cards."""
    highlights: Callable[[Rules[Any], Sequence[Any]], Iterable[Any]] | None = None
    """(rules, history) → the turning points of a finished game. None: it has no recap."""
    score_lead: Callable[[Any], Sequence[float]] | None = None
    """(state) → a score by seat, whose softmax is each player's chance of winning among equals. None: the
    recap shows no chances.
    """
    presets: Callable[[Any], Iterable[Preset | Sentence]] | None = None
    """(the table's own folder, a `Path`) → sets of house rules, ours and its owner's, and a sentence for each
    file that cannot be used. None: there are house rules alone.
    """
    drill: Callable[..., Any] | None = None
    """(chance, *, signals) → timing practice: `companion drill`. None: this game has none."""
    mat: Callable[[int], Any] | None = None
    """(hands) → the `vision.layout.Layout` for this many hands of cards. None: no camera reads it."""
    mat_hands: range = range(0)
    """Numbers of hands for which there is a mat; the largest mat is printed."""
    draw_mat: Callable[[Any, Any], None] | None = None
    """(pen, layout) → draws the places of the mat. None: every place becomes a plain field."""
    words: str = ""
    """The game whose sentences are said where this one has none of its own."""
    deck: str = ""
    """The game whose deck it is played with; empty: its own."""
    cards: frozenset[str] = frozenset()
    """The cards of that deck that are printed for it; empty: all."""
    cover: Cover = NO_COVER
    """Its cover on the home page."""
    story: Story = NO_STORY
    """What a demo without a game shows of this one."""
    assets: str = ""
    """Folder with the lessons, decks, catalogues and clips of a third-party game; empty: ours."""

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise TypeError(f"rules has to be an instance of Rules, not {self.rules!r}")
        try:
            self.rules.options()
        except TypeError as missing:
            raise TypeError(f"each house rule needs a default: {missing}") from missing
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default is None and value is not None and not callable(value):
                raise TypeError(f"{field.name} has to be a class, a function or a lazy_import, not {value!r}")
        for part, named in self.lazy_fields():
            object.__setattr__(self, part, replace(named, used_by=f"{self.name}: {part}"))

    def lazy_fields(self) -> Iterator[tuple[str, LazyImport]]:
        """The fields that were set with `late`."""
        for field in fields(self):
            if isinstance(value := getattr(self, field.name), LazyImport):
                yield field.name, value

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def board(self) -> Board:
        """How the game is presented; kept in the rules, which every session has."""
        return self.rules.board


def make_people(game: Game, field: str, setup: Setup, rng: Any, habits: Sequence[str]) -> Any:
    """The people that this field of the record makes, passing `bot` only if a BOT deck is dealt.

    Raises `InputError` where the game has none, or what it makes are none.
    """
    make = getattr(game, field)
    if make is None:
        raise InputError(
            f"{game.name} has no {field.replace('_', ' ')}. Play it yourself: companion play {game.name}"
        )
    try:
        people = make(setup.chairs, rng, habits, **({"bot": True} if setup.bot else {}))
    except TypeError as wrong:
        raise InputError(
            f"{game.name}: {field} cannot be made of chairs, chance and habits: {wrong}"
        ) from wrong
    asked = (
        ("look_into_hands", "advice") if field == "opponents" else ("find_discrepancy", "find_unjust_ruling")
    )
    for method in ("decision_key", "plan", "apply_event", *asked):
        if not callable(getattr(people, method, None)):
            raise InputError(
                f"{game.name}: {field} makes {type(people).__name__}, which has no method {method}."
            )
    return people
