"""The words of a step on the screen."""

from collections.abc import Mapping

from explorer.lessons import prose
from explorer.ui.widgets.steady import SteadyLabel


class Words(SteadyLabel):
    """Markdown with formulas and numbers, as wide as its place.

    Attributes
    ----------
    index : int
        Pixels that indices and exponents are high at least; 0: two thirds of the letters beside them.
    """

    index = 0

    def say(self, markdown: str, numbers: Mapping[str, str]) -> None:
        """Show other words."""
        said = paragraphs(markdown, numbers)
        if self.index:  # Qt draws two thirds of the size that is asked for
            for tag in ("sub", "sup"):
                size = f"<span style='font-size: {round(1.5 * self.index)}px'>"
                said = said.replace(f"<{tag}>", f"<{tag}>{size}").replace(f"</{tag}>", f"</span></{tag}>")
        if said != self.text():
            self.setText(said)
            self.label.setAccessibleName(prose.plain(markdown, numbers))


def paragraphs(markdown: str, numbers: Mapping[str, str]) -> str:
    """Markdown as HTML in which the last paragraph has no room below, which Qt would add to that of the layout."""
    html = prose.html(markdown, numbers).replace(" %", "\u00a0%")
    html = html.replace("<p>", "<p style='margin: 0 0 7px 0'>")
    head, sign, last = html.rpartition("<p style='margin: 0 0 7px 0'>")
    return f"{head}<p style='margin: 0'>{last}" if sign else html
