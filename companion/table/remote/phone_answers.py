"""Answers a phone's questions as the table's own screen would."""

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.network.messages import QuestionTopic
from companion.table.frames import allowed_actions, is_log_safe
from companion.table.session import Session


def answer_phone_question(session: Session, chair: Chair, about: QuestionTopic) -> tuple[Sentence, ...]:
    """Why the last ruling fell, or what this chair may do; nothing where a game that is over could go on."""
    referee = session.game.referee
    rules = referee.rules
    if about == "may":
        listed = allowed_actions(rules, referee.state)
        return next((one.choices for one in listed if one.chair == chair), ())
    if not is_log_safe(referee):
        return ()
    line = next((one for one in reversed(session.history.recent_lines()) if one.why), None)
    return () if line is None else (line.sentence, Sentence(f"{rules.name}.why.{line.why}"))
