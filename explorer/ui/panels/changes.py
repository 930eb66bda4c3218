"""What the last edit changed: every node, by how much, and the way there."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from explorer.core.graph import Place
from explorer.core.numbers import written
from explorer.ui.panels.panel import Panel
from explorer.ui.theme import mark

MOST = 200


class ChangesPanel(Panel):
    """A line for each node that the last edit changed, in the order in which the change spread."""

    def build(self) -> None:
        self._table = QWidget()
        self._grid = QGridLayout(self._table)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(self.bench.appearance.px(24))
        self.page.addWidget(self._table)
        self._list()

    def structure(self) -> tuple[object, ...]:
        # Nothing stands here that could stay.
        return (object(),)

    def _list(self) -> None:
        document = self.bench.document
        graph = document.engine.graph
        undone = document.history.undo_label
        changed = [node for node in graph.nodes.values() if np.any(document.difference(Place(node.name)))]
        if not changed:
            self._grid.addWidget(
                mark(QLabel("Nothing has changed yet. Change a number, a word or a switch."), role="muted")
            )
            return
        self._grid.addWidget(mark(QLabel(undone or "Undone"), role="strong"), 0, 0, 1, 3)
        for column, title in enumerate(("Node", "Cells changed", "Largest change")):
            self._grid.addWidget(mark(QLabel(title), role="section"), 1, column)
        for row, node in enumerate(changed[:MOST], 2):
            difference = document.difference(Place(node.name))
            largest = float(difference.flat[int(np.argmax(np.abs(np.nan_to_num(difference))))])
            link = QPushButton(node.name)
            mark(link, link="true")
            link.setToolTip(f"Go to {node.name}")
            link.clicked.connect(lambda _=False, stage=node.stage: self.bench.selection.go_to(stage))
            count = f"{np.count_nonzero(difference)} of {difference.size}"
            self._grid.addWidget(link, row, 0, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(QLabel(count), row, 1, Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(QLabel(written(largest, 4)), row, 2, Qt.AlignmentFlag.AlignRight)
        if len(changed) > MOST:
            self._grid.addWidget(mark(QLabel(f"… and {len(changed) - MOST} more"), role="muted"))
        self._grid.setColumnStretch(3, 1)
