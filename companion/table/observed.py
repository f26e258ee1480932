"""What a game hears of a command: somebody at the glass observed something."""

from companion.core import observations as ob
from companion.core.actions import Micros
from companion.ui import commands as do


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
