"""Draws `images/displacy.svg`, the entities of a sentence as displaCy of spaCy shows them.

    python docs/displacy.py

displaCy writes HTML; the picture is an SVG that holds it.
"""

from __future__ import annotations

from pathlib import Path

TEXT = "王小明昨天在北京大学听了李教授的课"
COLORS = {"PER": "#aa9cfc", "LOC": "#ff9561", "ORG": "#7aecec"}
PICTURE = Path(__file__).parent / "images" / "displacy.svg"


def picture() -> str:
    """The picture."""
    import spacy
    from spacy import displacy

    nlp = spacy.blank("zh", config={"nlp": {"tokenizer": {"@tokenizers": "fenjie.words.v1"}}})
    nlp.add_pipe("fenjie_entities")
    drawn = displacy.render(nlp(TEXT), style="ent", options={"colors": COLORS}, jupyter=False)
    inner = drawn.replace("<div ", '<div xmlns="http://www.w3.org/1999/xhtml" ', 1)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="60" viewBox="0 0 640 60">\n'
        '<rect width="640" height="60" fill="white"/>\n'
        f'<foreignObject width="640" height="60">\n{inner.strip()}\n</foreignObject>\n</svg>\n'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
