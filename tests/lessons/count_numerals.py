"""How the numerals of a reference are counted, section by section; the texts themselves are not part of the program."""

import re
from collections import Counter
from pathlib import Path

NUMERAL = re.compile(
    r"(?<![A-Za-z_\d.])[-−–]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)\.?\d*(?:e[-+]?\d+)?%?(?![A-Za-z_])|(?<![\w.])[-−]?\.\d+"
)
SLIDES = {
    *("Dot Product", "Scaled Dot Product", "Attention Scores", "Attention in Transformers"),
    *("Scaled Dot-Product Attention", "Notion of Query, Key, and Values", "Chat-GPT and Transformers"),
    *("Source-Target Attention vs. Self-Attention", "Weights for Keys and Queries", "Applying Value Matrix"),
    *("Getting Similarity of Queries and Keys", "Effects of Linear Transformations", "Effects of Value Matrix"),
    *(f"New Word Embedding with Attention Scores ({i}/4)" for i in range(1, 5)),
    *(f"Multi-head Attention ({i}/3)" for i in range(1, 4)),
    *(f"Transformer Architecture ({i}/2)" for i in range(1, 3)),
}
"""Headings of reference 001, which has no marks for them."""


def without_names(line):
    """A line without links, citations, numbers of lists, indices and powers, and comments in code."""
    line = re.sub(r"!\[[^\]]*\]\([^()]*(?:\([^()]*\))*[^()]*\)", " ", line)
    line = re.sub(r"\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)", lambda link: link.group(1), line)
    line = re.sub(r"https?://\S+", " ", line)
    line = re.sub(r"\\?\[[A-Z][^\]\\]*\+\d\d\\?\]|\\?\[Alammar\d+\\?\]|\\?\[IYA16\\?\]", " ", line)
    line = re.sub(r"^\s*>?\s*\d+\.\s", " ", line)
    line = re.sub(r"\*\*\d+\.", "**", line)
    line = re.sub(r"In \[\d+\]:", " ", line)
    if line.lstrip()[:1] not in "#|$" and "#" in line and "(#" not in line:
        line = re.sub(r"(?<=\D)#.*", " ", line)
    line = re.sub(r"[_^]\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", " ", line)
    return line if "`" in line else re.sub(r"[_^]\(?\w+\)?", " ", line)


def numerals(folder, reference):
    """How many numerals stand in each section of a reference."""
    (file,) = Path(folder).glob(f"{reference}_*.txt")
    text = re.sub(r"\A---.*?^---", "", file.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    counts, section, in_code = Counter(), "", False
    for line in text.split("\n"):
        if line.strip().startswith("```"):
            in_code = not in_code
        elif (heading := _heading(reference, line)) and not in_code:
            section = heading
        else:
            counts[section] += len(NUMERAL.findall(without_names(line)))
    return +counts


def _heading(reference, line):
    if reference == "001":
        return line.strip() if line.strip() in SLIDES else None
    match = re.match(r"#{1,6}\s+(.*)", line)
    # In a notebook, a line with one # is a comment in code.
    if match and reference in ("000", "003") and line.startswith("# ") and line != "# Looking at real words":
        return None
    return match.group(1).strip() if match else None
