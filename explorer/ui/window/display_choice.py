"""The choice of what the matrices show: values, what an edit or a step has changed, or gradients."""

from explorer.ui.widgets.segments import Segments
from explorer.ui.workbench import Workbench

SHOWING = {"values": "Values", "change": "Δ last edit", "step": "Δ last step", "gradient": "Gradient"}
SHORT = {"change": "Δ edit", "step": "Δ step"}
"""What stands on the buttons of `SHOWING` that have long names."""
NO_GRADIENT = "This model has no loss, so there is no gradient to show"
HINTS = {"change": "what the last edit changed; a run is one edit", "step": "what the run's last step changed"}


class DisplayChoice(Segments):
    """A button for each of `SHOWING`. Gradients of a large model are shown as soon as they are computed."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(list(SHOWING.values()), "Matrices show:")
        self._bench = bench
        self._buttons = dict(zip(SHOWING, self.group.buttons(), strict=True))
        self._wants_gradient = False
        for what, text in SHORT.items():
            self._buttons[what].setText(text)
        for what, hint in HINTS.items():
            self._buttons[what].setToolTip(f"Matrices show: {hint}")
        self.choose(0)
        self.group.idClicked.connect(lambda i: self.show_in_matrices(list(SHOWING)[i]))

    def show_in_matrices(self, what: str) -> None:
        """Let the matrices show one of `SHOWING`; gradients of a large model as soon as they are computed."""
        document = self._bench.document
        document.show_gradients(what == "gradient")
        self._wants_gradient = what == "gradient" and document.computing
        self._buttons[what].setChecked(True)  # a step of a lesson asks for it, too
        if not self._wants_gradient:
            self._bench.selection.show(what)

    def stay(self) -> None:
        """Go on with what the matrices show: what was asked for could not be computed."""
        self._wants_gradient = False
        showing = self._bench.selection.showing
        self._bench.document.show_gradients(showing == "gradient")
        self._buttons[showing].setChecked(True)

    def follow(self) -> None:
        """Offer what there is; show the gradients that were waited for.

        Gradients are of the loss, and a last step is one of gradient descent; without, there is nothing to show.
        """
        has_loss, has_step = self._bench.descent.possible, self._bench.descent.stepped
        self._buttons["gradient"].setEnabled(has_loss)
        self._buttons["gradient"].setToolTip("Matrices show: Gradient" if has_loss else NO_GRADIENT)
        self._buttons["step"].setEnabled(has_step)
        if (self._bench.selection.showing, True) in (("gradient", not has_loss), ("step", not has_step)):
            self.choose(0)
            self.show_in_matrices("values")
        if self._wants_gradient and not self._bench.document.computing:
            self.show_in_matrices("gradient")
