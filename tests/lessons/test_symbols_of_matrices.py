"""The symbols of matrices: on one page none stands for two of them."""

import pytest

from explorer.core.model import SEQUENCES
from explorer.lessons.loader import catalogue, models

OF_WORDS = [lesson for lesson in (*catalogue(), *models()) if lesson.model.kind in SEQUENCES]


@pytest.mark.parametrize("lesson", OF_WORDS, ids=lambda lesson: lesson.id)
def test_what_a_stage_reads_and_makes_has_symbols_of_its_own(lesson):
    for setting in lesson.settings:
        graph = lesson.state(setting).graph
        for stage in graph.stages:
            made = [node for node in graph.nodes.values() if node.stage == stage.name]
            shown = {node.name: node for node in made} | {p: graph.nodes[p] for node in made for p in node.parents}
            symbols = {}
            for node in shown.values():
                other = symbols.setdefault(node.symbol, node)
                assert other is node, f"{stage.name}: {other.name} and {node.name} are both {node.symbol}"
