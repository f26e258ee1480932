"""What each form of the desk does, and where the browser goes then."""

from companion.desk import deeds, entrants, logins
from companion.desk.evening import Rules, of_pod
from companion.desk.refusal import Refusal
from companion.desk.site import Asked
from companion.desk.words import games


class Forms:
    """One function for each form; the fields are those of the templates."""

    def make_event(self, asked: Asked) -> str:
        """Make an event; the address of its page of people.

        Raises `Refusal` for an unknown game, or sizes of pods that are not in order.
        """
        game = asked.text("game")
        if game and game not in games():
            raise Refusal("desk.refused.form")
        rules = Rules(
            smallest=asked.number("smallest"),
            preferred=asked.number("preferred"),
            largest=asked.number("largest"),
            pairing=asked.text("pairing"),
        )
        if not rules.smallest <= rules.preferred <= rules.largest:
            raise Refusal("desk.refused.sizes")
        made = deeds.make_event(
            asked.session,
            asked.login.by,
            name=asked.text("name"),
            game=game,
            rules=rules,
            seed=asked.text("seed"),
        )
        return f"/events/{made}/people"

    def end_event(self, asked: Asked) -> str:
        event = asked.number("event")
        over = asked.text("over") == "yes"
        deeds.end_event(asked.session, asked.login.by, event, asked.number("revision"), over=over)
        if over:
            asked.be_sure("desk.ask.close", "desk.event.close", f"/events/{event}")
        return f"/events/{event}"

    def enter(self, asked: Asked) -> str:
        event = asked.number("event")
        there = entrants.enter(asked.session, asked.login.by, event, asked.text("nicknames").splitlines())
        asks = f"?there={','.join(map(str, there))}" if there else ""
        return f"/events/{event}/people{asks}"

    def leave(self, asked: Asked) -> str:
        gone = asked.text("gone") == "yes"
        event = entrants.leave(
            asked.session, asked.login.by, asked.number("entrant"), asked.number("revision"), gone=gone
        )
        return f"/events/{event}/people"

    def correct(self, asked: Asked) -> str:
        event, entrant = asked.number("event"), asked.number("entrant")
        became = entrants.correct(
            asked.session, asked.login.by, entrant, asked.number("revision"), asked.text("nickname")
        )
        if became:
            back = f"/events/{event}/people/{entrant}/name"
            asked.be_sure("desk.ask.same_person", "desk.people.same_person", back, name=became)
        return f"/events/{event}/people?saved=yes"

    def draw(self, asked: Asked) -> str:
        deeds.draw_round(asked.session, asked.login.by, asked.number("event"), asked.number("announced"))
        return f"/events/{asked.number('event')}"

    def announce(self, asked: Asked) -> str:
        event = deeds.announce(asked.session, asked.login.by, asked.number("round"), asked.number("revision"))
        return f"/events/{event}"

    def result(self, asked: Asked) -> str:
        """Write or take back a pod's result; raises `Refusal` if no winner or no game was chosen."""
        how = asked.text("how")
        winners = asked.numbers("winner") if how == "won" else [] if how == "nobody" else None
        if how not in {"won", "nobody", "table"} or (how == "won" and not winners):
            raise Refusal("desk.refused.nobody_chosen")
        game = asked.text("game")
        if "game" in asked.form and how != "table" and game not in games():
            raise Refusal("desk.refused.no_game")
        event, changed = deeds.write_result(
            asked.session,
            asked.login.by,
            asked.number("pod"),
            asked.text("seen"),
            winners=winners,
            reason=asked.text("reason"),
            game=game,
        )
        return f"/events/{event}?saved={'yes' if changed else 'no'}"

    def table(self, asked: Asked) -> str:
        pod = asked.number("pod")
        table = asked.number("table") if asked.text("table") else None
        deeds.set_table(asked.session, asked.login.by, pod, asked.number("revision"), table)
        return f"/pods/{pod}"

    def seat(self, asked: Asked) -> str:
        pod, player, down = asked.number("pod"), asked.number("player"), asked.text("down") == "yes"
        act = deeds.seat if down else deeds.unseat
        act(asked.session, asked.login.by, pod, asked.number("revision"), player)
        evening = of_pod(asked.session, pod)
        of_round, of_people = evening.pod(pod)
        if not down and of_round.state != "draft":
            asked.be_sure(
                "desk.ask.unseat",
                "desk.pod.unseat",
                f"/pods/{pod}",
                name=evening.names[player],
                pod=of_people.number,
            )
        return f"/pods/{pod}"

    def answer(self, asked: Asked) -> str:
        deeds.answer(asked.session, asked.login.by, asked.number("call"))
        return asked.text("back") if asked.text("back").startswith("/events/") else "/tables"

    def login(self, asked: Asked) -> str:
        password = logins.hashed(asked.text("password"))
        logins.add_user(asked.session, asked.login.by, asked.text("name"), asked.text("role"), password)
        return "/logins?saved=yes"

    def disable(self, asked: Asked) -> str:
        logins.disable(asked.session, asked.login.by, asked.number("user"))
        return "/logins"
