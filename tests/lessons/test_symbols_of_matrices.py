"""The symbols of matrices: on one page none stands for two of them."""

import pytest

from explorer.lessons.loader import catalogue, models


@pytest.mark.parametrize("lesson", [*catalogue(), *models()], ids=lambda lesson: lesson.id)
def test_what_a_stage_reads_and_makes_has_symbols_of_its_own(lesson):
    for setting in lesson.settings:
        graph = lesson.state(setting).graph
        # In a net without words each layer is as the one before.
        for stage in graph.stages if graph.sequences else ():
            made = [node for node in graph.nodes.values() if node.stage == stage.name]
            shown = {node.name: node for node in made} | {p: graph.nodes[p] for node in made for p in node.parents}
            symbols = {}
            for node in shown.values():
                other = symbols.setdefault(node.symbol, node)
                assert other is node, f"{stage.name}: {other.name} and {node.name} are both {node.symbol}"
