"""Any stage as its matrices in reading order."""

from explorer.ui.panels.panel import Panel


class MatricesPanel(Panel):
    """Every node of the stage, what it is computed from first."""

    def build(self) -> None:
        graph = self.bench.document.engine.graph
        nodes = [node for node in graph.nodes.values() if node.stage == self.stage.name]
        own = {node.name for node in nodes}
        above = dict.fromkeys(p for node in nodes for p in node.parents if p not in own and not graph.n_heads(p))
        if above:
            self.section("From the stages before")
            self.row([("", self.box(name, name)) for name in above])
            self.section("Here")
        shown = [node.name.rpartition(".")[2] for node in nodes]
        self.row([("", self.box(self.of_head(short))) for short in shown])
