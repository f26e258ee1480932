"""Handlers of the desk's forms, with the address the browser goes to afterwards."""

from companion_club.desk import accounts, actions, entrants
from companion_club.desk.event import PairingRules, load_event_of_pod
from companion_club.desk.refusal import DeskRefusalError
from companion_club.desk.translations import game_names
from companion_club.desk.web_app import DeskRequest


class Forms:
    """One function for each form; the fields are those of the templates."""

    def make_event(self, asked: DeskRequest) -> str:
        """Make an event; the address of its page of people.

        Raises `DeskRefusalError` for an unknown game, or sizes of pods that are not in order.
        """
        game = asked.text("game")
        if game and game not in game_names():
            raise DeskRefusalError("desk.refused.form")
        rules = PairingRules(
            smallest=asked.number("smallest"),
            preferred=asked.number("preferred"),
            largest=asked.number("largest"),
            pairing=asked.text("pairing"),
        )
        if not rules.smallest <= rules.preferred <= rules.largest:
            raise DeskRefusalError("desk.refused.sizes")
        made = actions.make_event(
            asked.session,
            asked.login.actor,
            name=asked.text("name"),
            game=game,
            rules=rules,
            seed=asked.text("seed"),
        )
        return f"/events/{made}/people"

    def end_event(self, asked: DeskRequest) -> str:
        event = asked.number("event")
        over = asked.text("over") == "yes"
        actions.end_event(asked.session, asked.login.actor, event, asked.number("revision"), over=over)
        if over:
            asked.require_confirmation("desk.ask.close", "desk.event.close", f"/events/{event}")
        return f"/events/{event}"

    def enter(self, asked: DeskRequest) -> str:
        event = asked.number("event")
        there = entrants.enter_players(
            asked.session, asked.login.actor, event, asked.text("nicknames").splitlines()
        )
        asks = f"?there={','.join(map(str, there))}" if there else ""
        return f"/events/{event}/people{asks}"

    def leave(self, asked: DeskRequest) -> str:
        gone = asked.text("gone") == "yes"
        event = entrants.set_dropped_out(
            asked.session, asked.login.actor, asked.number("entrant"), asked.number("revision"), gone=gone
        )
        return f"/events/{event}/people"

    def correct(self, asked: DeskRequest) -> str:
        event, entrant = asked.number("event"), asked.number("entrant")
        became = entrants.correct_nickname(
            asked.session, asked.login.actor, entrant, asked.number("revision"), asked.text("nickname")
        )
        if became:
            back = f"/events/{event}/people/{entrant}/name"
            asked.require_confirmation("desk.ask.same_person", "desk.people.same_person", back, name=became)
        return f"/events/{event}/people?saved=yes"

    def draw(self, asked: DeskRequest) -> str:
        actions.draw_round(asked.session, asked.login.actor, asked.number("event"), asked.number("announced"))
        return f"/events/{asked.number('event')}"

    def announce(self, asked: DeskRequest) -> str:
        event = actions.announce_round(
            asked.session, asked.login.actor, asked.number("round"), asked.number("revision")
        )
        return f"/events/{event}"

    def result(self, asked: DeskRequest) -> str:
        """Write or take back a pod's result; raises `DeskRefusalError` if no winner or no game was chosen."""
        how = asked.text("how")
        winners = asked.numbers("winner") if how == "won" else [] if how == "nobody" else None
        if how not in {"won", "nobody", "table"} or (how == "won" and not winners):
            raise DeskRefusalError("desk.refused.nobody_chosen")
        game = asked.text("game")
        if "game" in asked.form and how != "table" and game not in game_names():
            raise DeskRefusalError("desk.refused.no_game")
        event, changed = actions.write_result(
            asked.session,
            asked.login.actor,
            asked.number("pod"),
            asked.text("seen"),
            winners=winners,
            reason=asked.text("reason"),
            game=game,
        )
        return f"/events/{event}?saved={'yes' if changed else 'no'}"

    def table(self, asked: DeskRequest) -> str:
        pod = asked.number("pod")
        table = asked.number("table") if asked.text("table") else None
        actions.set_table(asked.session, asked.login.actor, pod, asked.number("revision"), table)
        return f"/pods/{pod}"

    def seat(self, asked: DeskRequest) -> str:
        pod, player, down = asked.number("pod"), asked.number("player"), asked.text("down") == "yes"
        act = actions.seat_player if down else actions.unseat_player
        act(asked.session, asked.login.actor, pod, asked.number("revision"), player)
        evening = load_event_of_pod(asked.session, pod)
        of_round, of_people = evening.pod(pod)
        if not down and of_round.state != "draft":
            asked.require_confirmation(
                "desk.ask.unseat",
                "desk.pod.unseat",
                f"/pods/{pod}",
                name=evening.names[player],
                pod=of_people.number,
            )
        return f"/pods/{pod}"

    def answer(self, asked: DeskRequest) -> str:
        actions.answer_call(asked.session, asked.login.actor, asked.number("call"))
        return asked.text("back") if asked.text("back").startswith("/events/") else "/tables"

    def login(self, asked: DeskRequest) -> str:
        password = accounts.hash_password(asked.text("password"))
        accounts.add_user(asked.session, asked.login.actor, asked.text("name"), asked.text("role"), password)
        return "/logins?saved=yes"

    def disable(self, asked: DeskRequest) -> str:
        accounts.disable(asked.session, asked.login.actor, asked.number("user"))
        return "/logins"
