"""What a phone asks in words, answered as the table's own screen would."""

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.doors.messages import About
from companion.table.frames import log_stays, what_may_be_done
from companion.table.session import Session


def answer_to(session: Session, chair: Chair, about: About) -> tuple[Sentence, ...]:
    """Why the last ruling fell, or what this chair may do; nothing where a game that is over could go on."""
    referee = session.game.referee
    rules = referee.rules
    if about == "may":
        listed = what_may_be_done(rules, referee.state)
        return next((one.choices for one in listed if one.chair == chair), ())
    if not log_stays(referee):
        return ()
    line = next((one for one in reversed(session.history.log()) if one.why), None)
    return () if line is None else (line.sentence, Sentence(f"{rules.name}.why.{line.why}"))
