"""A whole state in place of another."""

from explorer.document.commands import Replace


def test_replace_puts_another_state_in_place(translator, states):
    translator.do(Replace(states["gpt"], "Open a lesson"))
    assert translator.state is states["gpt"]
    assert translator.engine.values.keys() == states["gpt"].graph.nodes.keys()
    assert translator.history.undo_label == "Open a lesson"
    translator.undo()
    assert translator.state is states["encoder-decoder"]
