"""One event as it stands, read in a few queries: people, rounds, results, standings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from companion.club import model
from companion.club.database import folded
from companion.desk import standings as reckoning
from companion.desk.pairing import Sizes, meetings, ready
from companion.desk.refusal import Refusal

MIXED, LEVEL = "mixed", "level"
"""Pods of people who have not met; of people who stand near each other as well."""


class Rules(Struct, frozen=True):
    """How an event is paired; what a newer version adds is left alone."""

    smallest: int = 3
    preferred: int = 4
    largest: int = 6
    pairing: str = MIXED

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.smallest, self.preferred, self.largest)


class Version(NamedTuple):
    """One result that a pod had, the newest of them being the one that counts."""

    at: str
    who: str
    """Empty: the table's own."""
    winners: tuple[int, ...] | None
    """Players; None: taken back."""
    reason: str = ""


class Seat(NamedTuple):
    player: int
    name: str
    won: bool


class Pod(NamedTuple):
    """A pod with the result that counts."""

    id: int
    number: int
    revision: int
    table: model.Table | None
    seats: tuple[Seat, ...]
    winners: tuple[int, ...] | None
    """None: there is no result yet."""
    by_hand: bool
    unclear: str
    """Why somebody has to say who won, as a key of the catalogue: other people than were drawn played at its
    table, or two of its games have different winners. Empty: nobody has to."""
    game: str
    told: bool
    """Its table told of a game. Where it did not and the event is of any game, `game` may be empty."""
    played: str
    """When its game began: not before its round was announced, and not after the hub heard of it."""
    seen: str
    """Changes with each result; a form sends back the one that it was made for."""
    versions: tuple[Version, ...]


class Round(NamedTuple):
    id: int
    number: int
    state: str
    revision: int
    seed: str
    pods: tuple[Pod, ...]
    byes: tuple[Seat, ...]

    @property
    def open(self) -> int:
        """How many pods have no result."""
        return sum(pod.winners is None for pod in self.pods)


class Entrant(NamedTuple):
    id: int
    revision: int
    player: int
    name: str
    since: int
    until: int | None


class Evening(NamedTuple):
    """An event, and all that follows from its rows."""

    event: model.Event
    rules: Rules
    entrants: tuple[Entrant, ...]
    rounds: tuple[Round, ...]
    names: Mapping[int, str]
    lines: tuple[reckoning.Line, ...]

    @property
    def last(self) -> Round | None:
        return self.rounds[-1] if self.rounds else None

    @property
    def announced(self) -> tuple[Round, ...]:
        return tuple(one for one in self.rounds if one.state != "draft")

    @property
    def seen(self) -> set[int]:
        """Everybody who was in a round that was announced, or had a bye in it."""
        return everybody(self.announced)

    @property
    def gone(self) -> dict[int, int]:
        """The last round of each player who dropped out."""
        return {one.player: one.until for one in self.entrants if one.until is not None}

    def here(self, number: int) -> list[int]:
        """Who plays in a round."""
        entered = {
            one.player: (one.since, None if one.until is None else one.until + 1) for one in self.entrants
        }
        return sorted(ready(entered, number))

    def met(self, before: int) -> dict[tuple[int, int], int]:
        """How often two people sat together before a round."""
        return meetings(
            [[seat.player for seat in pod.seats] for pod in one.pods]
            for one in self.announced
            if one.number < before
        )

    def rested(self, before: int) -> dict[int, int]:
        """How many byes each had before a round."""
        found: dict[int, int] = {}
        for one in self.announced:
            for seat in one.byes if one.number < before else ():
                found[seat.player] = found.get(seat.player, 0) + 1
        return found

    def pod(self, number: int) -> tuple[Round, Pod]:
        """A pod by the number of its row, with its round; raises `Refusal` if there is none."""
        for one in self.rounds:
            for pod in one.pods:
                if pod.id == number:
                    return one, pod
        raise Refusal("desk.refused.gone")


def everybody(rounds: Iterable[Round]) -> set[int]:
    """All who sit or have a bye in some rounds."""
    return {
        seat.player
        for one in rounds
        for seats in (*(pod.seats for pod in one.pods), one.byes)
        for seat in seats
    }


def of_pod(session: Session, pod: int) -> Evening:
    """The event that a pod belongs to; raises `Refusal` if there is no such pod."""
    found = session.scalar(
        select(model.Round.event_id)
        .join(model.Pod, model.Pod.round_id == model.Round.id)
        .where(model.Pod.id == pod)
    )
    if found is None:
        raise Refusal("desk.refused.gone")
    return load(session, found)


def load(session: Session, event_id: int) -> Evening:
    """An event; `Refusal` where there is none."""
    event = session.get(model.Event, event_id, populate_existing=True)
    if event is None:
        raise Refusal("desk.refused.gone")
    rows = session.scalars(
        select(model.Round)
        .where(model.Round.event_id == event_id)
        .order_by(model.Round.number)
        .options(
            selectinload(model.Round.pods).selectinload(model.Pod.seats).selectinload(model.PodSeat.player),
            selectinload(model.Round.pods).selectinload(model.Pod.by_hand),
            selectinload(model.Round.pods).selectinload(model.Pod.table),
        )
        .execution_options(populate_existing=True)
    ).all()
    entries = session.scalars(
        select(model.Entrant)
        .where(model.Entrant.event_id == event_id)
        .order_by(model.Entrant.id)
        .options(selectinload(model.Entrant.player))
        .execution_options(populate_existing=True)
    ).all()
    games = _games(session, [pod.task for one in rows for pod in one.pods if pod.task])
    users = {one.id: one.name for one in session.scalars(select(model.User))}
    rounds = tuple(_round(one, games, users) for one in rows)
    entrants = tuple(
        Entrant(one.id, one.revision, one.player_id, named(one.player), one.from_round, one.until_round)
        for one in entries
    )
    names = {one.player: one.name for one in entrants}
    names |= {seat.player: seat.name for one in rounds for pod in one.pods for seat in pod.seats}
    ranked = {one.player for one in entrants} | everybody(one for one in rounds if one.state != "draft")
    lines = reckoning.standings(
        sorted(ranked, key=lambda player: (folded(names[player]), player)),
        [
            reckoning.Round(
                tuple(
                    reckoning.Pod(tuple(seat.player for seat in pod.seats), pod.winners) for pod in one.pods
                ),
                tuple(seat.player for seat in one.byes),
            )
            for one in rounds
            if one.state != "draft"
        ],
    )
    return Evening(event, _rules(event.rules), entrants, rounds, names, lines)


def named(player: model.Player) -> str:
    """The nickname; a dash for somebody who was forgotten."""
    return player.nickname or "–"


def _rules(stored: Any) -> Rules:
    try:
        return msgspec.convert(stored or {}, Rules)
    except msgspec.ValidationError:
        return Rules()


def _games(session: Session, tasks: Sequence[str]) -> dict[str, list[model.Game]]:
    """The games of each task, in the order in which the hub heard of them."""
    found: dict[str, list[model.Game]] = {}
    for game in session.scalars(
        select(model.Game)
        .where(model.Game.task.in_(tasks))
        .order_by(model.Game.received, model.Game.id)
        .options(selectinload(model.Game.seats), selectinload(model.Game.versions))
        .execution_options(populate_existing=True)
    ):
        found.setdefault(game.task, []).append(game)
    return found


def _round(row: model.Round, games: Mapping[str, list[model.Game]], users: Mapping[int, str]) -> Round:
    pods = tuple(
        _pod(pod, games.get(pod.task or "", []), users, row.announced) for pod in row.pods if not pod.bye
    )
    byes = tuple(
        Seat(seat.player_id, named(seat.player), won=False)
        for pod in row.pods
        if pod.bye
        for seat in pod.seats
    )
    return Round(row.id, row.number, row.state, row.revision, row.seed, pods, byes)


def _pod(row: model.Pod, games: Sequence[model.Game], users: Mapping[int, str], announced: str) -> Pod:
    versions: list[Version] = []
    for game in games:
        for one in game.versions:
            winners = winners_of(row, game, one.outcome)
            versions.append(Version(one.received, "", winners))
    results = [winners_of(row, game, game.outcome) for game in games if game.outcome is not None]
    told = results[-1] if results else None
    unclear = "desk.pod.unclear" if results and told is None else ""
    if len(set(results) - {None}) > 1:  # it was moved to another table, and the first played on
        told, unclear = None, "desk.pod.two_results"
    hand = row.by_hand[-1] if row.by_hand else None
    versions += [
        Version(
            one.at, users.get(one.user_id or 0, "–"), None if one.withdrawn else first_places(one), one.reason
        )
        for one in row.by_hand
    ]
    by_hand = hand is not None and not hand.withdrawn
    winners = first_places(hand) if hand is not None and by_hand else told
    seats = tuple(
        Seat(seat.player_id, named(seat.player), won=seat.player_id in (winners or ())) for seat in row.seats
    )
    state = [str(hand.number if hand else 0)]
    state += [f"{game.id[:8]}.{game.entries}.{game.outcome is not None:d}" for game in games]
    return Pod(
        id=row.id,
        number=row.number,
        revision=row.revision,
        table=row.table,
        seats=seats,
        winners=winners,
        by_hand=by_hand,
        unclear="" if by_hand else unclear,
        game=games[-1].game if games else row.game,
        told=bool(games),
        played=min(max(games[-1].began, announced), games[-1].received) if games else announced,
        seen="/".join(state),
        versions=tuple(sorted(versions, key=lambda one: one.at)),
    )


def first_places(result: model.HandResult) -> tuple[int, ...]:
    """Who won by a result that was written by hand."""
    return tuple(place["player"] for place in result.places if place["place"] == 1)


def winners_of(pod: model.Pod, game: model.Game, outcome: Any) -> tuple[int, ...] | None:
    """The players who won a game of a pod; None: it is not over, or others sat there than were drawn."""
    people = {seat.chair: seat.player_id for seat in game.seats}
    if outcome is None or {*people.values()} != {seat.player_id for seat in pod.seats}:
        return None
    return tuple(sorted(people[chair] or 0 for chair in outcome.get("winners", ())))
