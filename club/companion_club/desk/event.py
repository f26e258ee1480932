"""Read model of one event: people, rounds, results and standings in a few queries."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from companion_club.desk.pairing import PodSizes, count_meetings, players_in_round
from companion_club.desk.refusal import DeskRefusalError
from companion_club.hub import model
from companion_club.hub.database import fold_name

Player = int


class PlayedPod(NamedTuple):
    """People who played one game together."""

    players: tuple[Player, ...]
    winners: tuple[Player, ...] | None
    """None: it is not over; empty: nobody won."""


class PlayedRound(NamedTuple):
    pods: tuple[PlayedPod, ...]
    byes: tuple[Player, ...] = ()


class StandingsLine(NamedTuple):
    """One player's line. Ties are broken by the fields after `points`, in their order."""

    rank: int
    """From 1; the same for people whom no tie-break separates."""
    player: Player
    points: Fraction
    wins: Fraction
    """Games won; of a shared win its share."""
    strength: Fraction
    """What those met have on average, in points a round: who met stronger people is ahead."""
    byes: int
    """Fewer are ahead."""
    played: int
    """Games that are over."""


def points_per_winner(pod: PlayedPod) -> Fraction:
    """What each winner of a finished pod gets, or everybody where nobody won."""
    return Fraction(len(pod.players), len(pod.winners or pod.players))


def compute_standings(players: Iterable[Player], rounds: Sequence[PlayedRound]) -> tuple[StandingsLine, ...]:
    """The table of an event, leader first; people on one rank in the order of their numbers."""
    everybody = dict.fromkeys(players)
    points: defaultdict[Player, Fraction] = defaultdict(Fraction)
    wins: defaultdict[Player, Fraction] = defaultdict(Fraction)
    met: defaultdict[Player, list[Player]] = defaultdict(list)
    played: defaultdict[Player, int] = defaultdict(int)
    byes: defaultdict[Player, int] = defaultdict(int)
    for one in rounds:
        for player in one.byes:
            byes[player] += 1
            points[player] += 1
        for pod in one.pods:
            if pod.winners is None:
                continue
            for player in pod.players:
                played[player] += 1
                met[player] += [other for other in pod.players if other != player]
                if not pod.winners or player in pod.winners:
                    points[player] += points_per_winner(pod)
            for player in pod.winners:
                wins[player] += Fraction(1, len(pod.winners))
    each = {
        player: points[player] / (played[player] + byes[player])
        if played[player] + byes[player]
        else Fraction()
        for player in everybody | dict.fromkeys(met)
    }
    strength = {
        player: sum((each[other] for other in met[player]), Fraction()) / max(1, len(met[player]))
        for player in everybody
    }

    def key(player: Player) -> tuple[Fraction, Fraction, Fraction, int]:
        return -points[player], -wins[player], -strength[player], byes[player]

    lines: list[StandingsLine] = []
    for place, player in enumerate(sorted(everybody, key=lambda one: (key(one), one)), start=1):
        rank = lines[-1].rank if lines and key(lines[-1].player) == key(player) else place
        lines.append(
            StandingsLine(
                rank, player, points[player], wins[player], strength[player], byes[player], played[player]
            )
        )
    return tuple(lines)


PAIRING_MIXED, PAIRING_LEVEL = "mixed", "level"
"""Pods of people who have not met; of people who stand near each other as well."""


class PairingRules(Struct, frozen=True):
    """How an event is paired; what a newer version adds is left alone."""

    smallest: int = 3
    preferred: int = 4
    largest: int = 6
    pairing: str = PAIRING_MIXED

    @property
    def sizes(self) -> PodSizes:
        return PodSizes(self.smallest, self.preferred, self.largest)


class PodResult(NamedTuple):
    """One result that a pod had, the newest of them being the one that counts."""

    at: str
    who: str
    """Empty: the table's own."""
    winners: tuple[int, ...] | None
    """Players; None: taken back."""
    reason: str = ""


class SeatedPlayer(NamedTuple):
    player: int
    name: str
    won: bool


class EventPod(NamedTuple):
    """A pod with the result that counts."""

    id: int
    number: int
    revision: int
    table: model.TableRecord | None
    seats: tuple[SeatedPlayer, ...]
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
    versions: tuple[PodResult, ...]


class EventRound(NamedTuple):
    id: int
    number: int
    state: str
    revision: int
    seed: str
    pods: tuple[EventPod, ...]
    byes: tuple[SeatedPlayer, ...]

    @property
    def open_pod_count(self) -> int:
        """How many pods have no result."""
        return sum(pod.winners is None for pod in self.pods)


class EventEntrant(NamedTuple):
    id: int
    revision: int
    player: int
    name: str
    since: int
    until: int | None


class ClubEvent(NamedTuple):
    """An event, and all that follows from its rows."""

    event: model.EventRecord
    rules: PairingRules
    entrants: tuple[EventEntrant, ...]
    rounds: tuple[EventRound, ...]
    names: Mapping[int, str]
    lines: tuple[StandingsLine, ...]

    @property
    def last(self) -> EventRound | None:
        return self.rounds[-1] if self.rounds else None

    @property
    def announced_rounds(self) -> tuple[EventRound, ...]:
        return tuple(one for one in self.rounds if one.state != "draft")

    @property
    def players_seen(self) -> set[int]:
        """Everybody who was in a round that was announced, or had a bye in it."""
        return players_of_rounds(self.announced_rounds)

    @property
    def dropped_out_after(self) -> dict[int, int]:
        """The last round of each player who dropped out."""
        return {one.player: one.until for one in self.entrants if one.until is not None}

    def players_in_round(self, number: int) -> list[int]:
        """Who plays in a round."""
        entered = {
            one.player: (one.since, None if one.until is None else one.until + 1) for one in self.entrants
        }
        return sorted(players_in_round(entered, number))

    def meetings_before(self, before: int) -> dict[tuple[int, int], int]:
        """How often two people sat together before a round."""
        return count_meetings(
            [[seat.player for seat in pod.seats] for pod in one.pods]
            for one in self.announced_rounds
            if one.number < before
        )

    def byes_before(self, before: int) -> dict[int, int]:
        """How many byes each had before a round."""
        found: dict[int, int] = {}
        for one in self.announced_rounds:
            for seat in one.byes if one.number < before else ():
                found[seat.player] = found.get(seat.player, 0) + 1
        return found

    def pod(self, number: int) -> tuple[EventRound, EventPod]:
        """A pod by the number of its row, with its round; raises `DeskRefusalError` if there is none."""
        for one in self.rounds:
            for pod in one.pods:
                if pod.id == number:
                    return one, pod
        raise DeskRefusalError("desk.refused.gone")


def players_of_rounds(rounds: Iterable[EventRound]) -> set[int]:
    """All who sit or have a bye in some rounds."""
    return {
        seat.player
        for one in rounds
        for seats in (*(pod.seats for pod in one.pods), one.byes)
        for seat in seats
    }


def load_event_of_pod(session: Session, pod: int) -> ClubEvent:
    """The event that a pod belongs to; raises `DeskRefusalError` if there is no such pod."""
    found = session.scalar(
        select(model.RoundRecord.event_id)
        .join(model.PodRecord, model.PodRecord.round_id == model.RoundRecord.id)
        .where(model.PodRecord.id == pod)
    )
    if found is None:
        raise DeskRefusalError("desk.refused.gone")
    return load_event(session, found)


def load_event(session: Session, event_id: int) -> ClubEvent:
    """An event; `DeskRefusalError` where there is none."""
    event = session.get(model.EventRecord, event_id, populate_existing=True)
    if event is None:
        raise DeskRefusalError("desk.refused.gone")
    rows = session.scalars(
        select(model.RoundRecord)
        .where(model.RoundRecord.event_id == event_id)
        .order_by(model.RoundRecord.number)
        .options(
            selectinload(model.RoundRecord.pods)
            .selectinload(model.PodRecord.seats)
            .selectinload(model.PodSeat.player),
            selectinload(model.RoundRecord.pods).selectinload(model.PodRecord.by_hand),
            selectinload(model.RoundRecord.pods).selectinload(model.PodRecord.table),
        )
        .execution_options(populate_existing=True)
    ).all()
    entries = session.scalars(
        select(model.EntrantRecord)
        .where(model.EntrantRecord.event_id == event_id)
        .order_by(model.EntrantRecord.id)
        .options(selectinload(model.EntrantRecord.player))
        .execution_options(populate_existing=True)
    ).all()
    games = _games(session, [pod.task for one in rows for pod in one.pods if pod.task])
    users = {one.id: one.name for one in session.scalars(select(model.User))}
    rounds = tuple(_round(one, games, users) for one in rows)
    entrants = tuple(
        EventEntrant(
            one.id, one.revision, one.player_id, display_name(one.player), one.from_round, one.until_round
        )
        for one in entries
    )
    names = {one.player: one.name for one in entrants}
    names |= {seat.player: seat.name for one in rounds for pod in one.pods for seat in pod.seats}
    ranked = {one.player for one in entrants} | players_of_rounds(
        one for one in rounds if one.state != "draft"
    )
    lines = compute_standings(
        sorted(ranked, key=lambda player: (fold_name(names[player]), player)),
        [
            PlayedRound(
                tuple(PlayedPod(tuple(seat.player for seat in pod.seats), pod.winners) for pod in one.pods),
                tuple(seat.player for seat in one.byes),
            )
            for one in rounds
            if one.state != "draft"
        ],
    )
    return ClubEvent(event, _load_rules(event.rules), entrants, rounds, names, lines)


def display_name(player: model.PlayerRecord) -> str:
    """The nickname; a dash for somebody who was forgotten."""
    return player.nickname or "–"


def _load_rules(stored: Any) -> PairingRules:
    try:
        return msgspec.convert(stored or {}, PairingRules)
    except msgspec.ValidationError:
        return PairingRules()


def _games(session: Session, tasks: Sequence[str]) -> dict[str, list[model.GameRecord]]:
    """The games of each task, in the order in which the hub heard of them."""
    found: dict[str, list[model.GameRecord]] = {}
    for game in session.scalars(
        select(model.GameRecord)
        .where(model.GameRecord.task.in_(tasks))
        .order_by(model.GameRecord.received, model.GameRecord.id)
        .options(selectinload(model.GameRecord.seats), selectinload(model.GameRecord.versions))
        .execution_options(populate_existing=True)
    ):
        found.setdefault(game.task, []).append(game)
    return found


def _round(
    row: model.RoundRecord, games: Mapping[str, list[model.GameRecord]], users: Mapping[int, str]
) -> EventRound:
    pods = tuple(
        _pod(pod, games.get(pod.task or "", []), users, row.announced) for pod in row.pods if not pod.bye
    )
    byes = tuple(
        SeatedPlayer(seat.player_id, display_name(seat.player), won=False)
        for pod in row.pods
        if pod.bye
        for seat in pod.seats
    )
    return EventRound(row.id, row.number, row.state, row.revision, row.seed, pods, byes)


def _pod(
    row: model.PodRecord, games: Sequence[model.GameRecord], users: Mapping[int, str], announced: str
) -> EventPod:
    versions: list[PodResult] = []
    for game in games:
        for one in game.versions:
            winners = winners_of_game(row, game, one.outcome)
            versions.append(PodResult(one.received, "", winners))
    results = [winners_of_game(row, game, game.outcome) for game in games if game.outcome is not None]
    told = results[-1] if results else None
    unclear = "desk.pod.unclear" if results and told is None else ""
    if len(set(results) - {None}) > 1:  # it was moved to another table, and the first played on
        told, unclear = None, "desk.pod.two_results"
    hand = row.by_hand[-1] if row.by_hand else None
    versions += [
        PodResult(
            one.at,
            users.get(one.user_id or 0, "–"),
            None if one.withdrawn else winners_by_hand(one),
            one.reason,
        )
        for one in row.by_hand
    ]
    by_hand = hand is not None and not hand.withdrawn
    winners = winners_by_hand(hand) if hand is not None and by_hand else told
    seats = tuple(
        SeatedPlayer(seat.player_id, display_name(seat.player), won=seat.player_id in (winners or ()))
        for seat in row.seats
    )
    state = [str(hand.number if hand else 0)]
    state += [f"{game.id[:8]}.{game.entries}.{game.outcome is not None:d}" for game in games]
    return EventPod(
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


def winners_by_hand(result: model.HandResult) -> tuple[int, ...]:
    """Who won by a result that was written by hand."""
    return tuple(place["player"] for place in result.places if place["place"] == 1)


def winners_of_game(pod: model.PodRecord, game: model.GameRecord, outcome: Any) -> tuple[int, ...] | None:
    """The players who won a game of a pod; None: it is not over, or others sat there than were drawn."""
    people = {seat.chair: seat.player_id for seat in game.seats}
    if outcome is None or {*people.values()} != {seat.player_id for seat in pod.seats}:
        return None
    return tuple(sorted(people[chair] or 0 for chair in outcome.get("winners", ())))
