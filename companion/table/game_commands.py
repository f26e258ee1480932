"""Executes the page's commands that concern the current game."""

from pathlib import Path

from companion.core import observations as ob
from companion.core.actions import Micros
from companion.core.events import Infraction
from companion.core.view import Sentence
from companion.table.host import DemoOnlyError, Host
from companion.table.session import Session
from companion.ui import commands as do


def run_game_command(session: Session, host: Host, command: do.Command, now: Micros) -> None:
    """Hand a command to the game, its guide or its voice; what none of them knows is nothing."""
    match command:
        case do.ControlGuide() if session.guide is not None:
            session.guide.handle_request(command.what)
        case do.SpeakSentences():
            last = () if session.latest_sentence is None else (session.latest_sentence,)
            session.voice.say(command.sentences or last)
        case _:
            if (told := to_observation(command, now)) is not None:
                session.submit(told)
            if isinstance(command, do.UndoRuling) and command.done:
                host.reread_table()  # what is there now is not what was read last


def to_observation(command: do.Command, at: Micros) -> ob.Observation | None:
    """What a command says of the game; None: nothing that its rules hear of."""
    match command:
        case do.DeclareAction():
            return ob.ActionDeclared(at=at, action=command.action)
        case do.UndoRuling():
            return ob.UndoRequested(at=at, done=command.done)
        case do.RedoRuling():
            return ob.UndoRequested(at=at, redo=True)
        case do.CorrectEntry():
            return ob.CorrectionRequested(at=at, seq=command.seq, truth=command.truth)
        case do.RepairTable():
            return ob.TableDeclared(at=at, table=command.table)
        case do.PauseGame():
            return ob.PauseRequested(at=at)
        case do.ContinueGame():
            return ob.ResumeRequested(at=at)
        case do.AbandonGame():
            return ob.AbandonRequested(at=at)
        case do.RevealHiddenCards():
            return ob.HiddenCardsViewed(at=at)
    return None


def declare_table(session: Session, said: ob.TableDeclared) -> Sentence | None:
    """Hand over what the table says is where; why it cannot be so, if it cannot."""
    rules, state = session.game.referee.rules, session.game.referee.state
    wrong = next((event for event in rules.decide(state, said) if isinstance(event, Infraction)), None)
    session.submit(said)
    return None if wrong is None else rules.sentence(state, wrong)


def save_game_recap(session: Session, host: Host, language: str, folder: Path | None) -> Sentence:
    """Save the game's recap as a page in `folder`, in `language`; what to tell of it.

    Raises `DemoOnlyError` where nothing is kept, and `CompanionError` where the page cannot be written.
    """
    from companion.table.recap.save import save_and_report

    if folder is None or host.demo_info() is not None:
        raise DemoOnlyError("this is a demo: nothing of it is kept")
    return save_and_report(session, language, folder)
