"""Without a camera everything that lies on the table is told by keys alone."""

from __future__ import annotations

from companion.core import observations as ob
from companion.core.actions import SECOND, Action
from companion.games import RULES
from companion.ui import commands as do
from tests.table.app_table import Table
from tests.table.test_panels import AnyHost


def begun(game: str, players: int) -> Table:
    table = Table()
    table.host = table.app.navigation.host = table.app.navigation.own_host = table.app.navigation.games = (
        AnyHost(table.clock)
    )
    table.app.carry_out(do.StartGame(game, tuple(range(players)), RULES[game].options()))
    table.run()
    table.report(ob.CameraLost(at=table.clock.now()))
    return table


def walk_to(table: Table, key: str) -> None:
    """Tab, until the focus is there; at most once round."""
    page = table.app._pages["game"]
    for _ in page.painted_sheet(table.app.frame()).targets:
        table.key("tab")
        if table.app.ui_state.focus == key:
            return
    raise AssertionError(f"{key} is not walked to")


def turning() -> Table:
    """Kinapa: the Emperor has exchanged and turns an object."""
    table = begun("kinapa", 4)
    said = (("claim_cat", None), ("announce", 7), ("no_pair", None), ("draw_from", 1))
    for verb, value in (*said, ("drawn", None), ("return", None)):
        table.app.carry_out(do.DeclareAction(Action(0, verb, value)))
        table.run(8 * SECOND if verb == "announce" else SECOND)
    assert table.state.phase == "turning"
    return table


def test_a_mask_is_placed_with_its_name_and_the_next_one_after_it() -> None:
    table = begun("kabuki", 3)
    table.app.carry_out(do.DeclareAction(Action(0, "begin")))
    table.run()
    for number, (stack, mask) in enumerate(((2, "lion"), (1, "sun")), start=1):
        walk_to(table, f"place:stack:{stack}")
        table.key("return")
        assert table.app.ui_state.focus.startswith("name:"), "the masks are asked for at once"
        if table.app.ui_state.focus != f"name:{mask}@{stack}":
            walk_to(table, f"name:{mask}@{stack}")
        table.key("return")
        assert (table.state.placed, table.state.top(stack).design) == (number, mask)


def test_an_object_that_was_named_by_the_button_is_told_by_its_place_and_lies_there_on_the_screen() -> None:
    table = turning()
    table.app.carry_out(do.DeclareAction(Action(0, "turn", "5-6")))
    table.run()
    assert table.app.frame().view.headline.key == "kinapa.phase.placing.where"  # type: ignore[union-attr]
    walk_to(table, "place:slot:3")
    table.key("return")
    assert (table.state.turn.slot, table.state.slots[2].label) == (3, "5-6")
    for _ in range(3):
        table.key("tab")
        if table.app.ui_state.focus == "tile:0:hide":
            break
    table.key("return")
    assert table.state.slots[2].lies == "down"


def test_the_toolbar_is_walked_to_last() -> None:
    table = begun("kinapa", 4)
    keys = [target.key for target in table.app._pages["game"].painted_sheet(table.app.frame()).targets]
    tools = [key for key in keys if key.startswith("bar:")]
    assert tools
    assert keys[-len(tools) :] == tools
