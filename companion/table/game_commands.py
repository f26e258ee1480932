"""What a page asks of the game that is on the table."""

from pathlib import Path

from companion.core import observations as ob
from companion.core.actions import Micros
from companion.core.events import Infraction
from companion.core.view import Sentence
from companion.table.host import Host, OnlyADemo
from companion.table.session import Session
from companion.ui import commands as do


def tell_game(session: Session, host: Host, command: do.Command, now: Micros) -> None:
    """Hand a command to the game, its guide or its voice; what none of them knows is nothing."""
    match command:
        case do.Guide() if session.guide is not None:
            session.guide.wanted(command.what)
        case do.Tell():
            last = () if session.spoken is None else (session.spoken,)
            session.voice.say(command.sentences or last)
        case _:
            if (told := observation_of(command, now)) is not None:
                session.take(told)
            if isinstance(command, do.TakeBack) and command.done:
                host.read_again()  # what is there now is not what was read last


def observation_of(command: do.Command, at: Micros) -> ob.Observation | None:
    """What a command says of the game; None: nothing that its rules hear of."""
    match command:
        case do.Say():
            return ob.Declared(at=at, action=command.action)
        case do.TakeBack():
            return ob.TakenBack(at=at, done=command.done)
        case do.PutBack():
            return ob.TakenBack(at=at, redo=True)
        case do.Correct():
            return ob.Corrected(at=at, seq=command.seq, truth=command.truth)
        case do.Repair():
            return ob.TableDeclared(at=at, table=command.table)
        case do.Pause():
            return ob.Paused(at=at)
        case do.Continue():
            return ob.Resumed(at=at)
        case do.Abandon():
            return ob.Abandoned(at=at)
        case do.Uncover():
            return ob.Uncovered(at=at)
    return None


def repair(session: Session, said: ob.TableDeclared) -> Sentence | None:
    """Hand over what the table says is where; why it cannot be so, if it cannot."""
    rules, state = session.game.referee.rules, session.game.referee.state
    wrong = next((event for event in rules.decide(state, said) if isinstance(event, Infraction)), None)
    session.take(said)
    return None if wrong is None else rules.sentence(state, wrong)


def keep_recap(session: Session, host: Host, language: str, folder: Path | None) -> Sentence:
    """Save the game's recap as a page in `folder`, in `language`; what to tell of it.

    Raises `OnlyADemo` where nothing is kept, and `CompanionError` where the page cannot be written.
    """
    from companion.table.save_recap import kept_recap

    if folder is None or host.demo() is not None:
        raise OnlyADemo("this is a demo: nothing of it is kept")
    return kept_recap(session, language, folder)
