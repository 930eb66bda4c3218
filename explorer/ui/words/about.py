"""What is known of vectors: a sentence or two, and the model card of those that come with the program."""

import tomllib
from html import escape
from typing import Any

from explorer.core.numbers import written
from explorer.paths import resources
from explorer.words import catalogue

SCORES = {"wordsim353": "WordSim-353", "simlex999": "SimLex-999", "analogies": "Analogies"}


def about(name: str) -> str:
    """What vectors of a name are, in plain words, as rich text."""
    for one in catalogue.SHIPPED:
        if one.name == name:
            return escape(one.text[0].upper() + one.text[1:]) + "." + _limits(one.name)
    for offer in catalogue.OFFERED:
        if offer.name == name:
            return f"GloVe, trained on {escape(offer.text)}, {offer.licence} (public domain)."
    if name.startswith("this model's "):
        return "The rows of the embedding table of the example that is open; they change as you edit it."
    if name == "your text":
        return "Trained here, on the text further down this page."
    return f"Read from the file {escape(name)}."


def model_card(name: str) -> str:
    """The model card that comes with vectors, as rich text; "" where there is none."""
    facts = _facts(name)
    if not facts:
        return ""
    training, vocabulary, limits = facts["training"], facts["vocabulary"], facts["limits"]
    rows = [
        ("Text", f"{facts['text']['what']}: {facts['text']['words']:,} words. {facts['text']['preparation']}"),
        ("Vocabulary", f"{vocabulary['words']:,} words: {vocabulary['which']}."),
        ("Method", f"{training['method']}."),
        ("Settings", training["settings"]),
        ("Command", training["command"]),
        ("Time", f"{training['time']}. {training['reproducible']}"),
        ("Storage", f"{training['storage']}."),
        ("Scores", "; ".join(_score(SCORES[key], score) for key, score in facts["scores"].items()) + "."),
        ("Limits", f"{limits['about']} Words that are not in it: {', '.join(limits['absent'])}."),
    ]
    rows += [("Tried", f"{one['what']}: {_tried(one['scores'])}") for one in facts["tried"]]
    # A heading for the first of several lines of a kind is enough.
    said = ["" if i and rows[i - 1][0] == title else title for i, (title, _) in enumerate(rows)]
    return "<table cellspacing='0' cellpadding='3'>%s</table>" % "".join(
        f"<tr><td><b>{title}</b>&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>"
        for title, (_, text) in zip(said, rows, strict=True)
    )


def _score(test: str, score: dict[str, Any]) -> str:
    if "spearman" in score:
        return f"{test} {written(score['spearman'], 2)} by Spearman’s rank correlation, {score['pairs']:,} pairs"
    return f"{test} {score['accuracy']:.0%} right, {score['questions']:,} questions"


def _tried(scores: list[float]) -> str:
    tests = zip(SCORES.values(), scores, strict=False)
    return ", ".join(f"{test} {written(score, 2)}" for test, score in tests)


def _limits(name: str) -> str:
    """What the model card says of the limits, in one sentence."""
    facts = _facts(name)
    absent = ", ".join(f"<i>{escape(word)}</i>" for word in facts.get("limits", {}).get("absent", [])[:6])
    scores = facts.get("scores", {}).get("wordsim353", {})
    parts = [f" Words that came later are not in them: {absent}." if absent else ""]
    if "spearman" in scores:
        parts.append(f" On WordSim-353 they reach {scores['spearman']:.2f}.")
    return "".join(parts)


def _facts(name: str) -> dict[str, Any]:
    """The model card as a table; empty for vectors that have none."""
    if name != catalogue.DEFAULT:
        return {}
    try:
        return tomllib.loads((resources() / "vectors" / f"{name}.toml").read_text("utf-8"))
    except OSError:
        return {}
