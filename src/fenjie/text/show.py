"""`fenjie.show`: sentences in colour, in a notebook or on standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from fenjie.errors import several
from fenjie.text.drawing import html, lines
from fenjie.text.span import Sentence


def show(sentences: Sentence | Iterable[Sentence]) -> None:
    """Show a sentence, or several: in colour in a notebook, else on standard output.

    Raises:
        FenjieError: there is a text in place of sentences.
    """
    given = [sentences] if isinstance(sentences, Sentence) else several(sentences, "sentences")
    pieces = (sentence.pieces() for sentence in given)
    if _in_notebook():
        from IPython.display import HTML, display

        display(HTML(html(pieces)))
    else:
        for line in lines(pieces, sys.stdout.isatty() and "NO_COLOR" not in os.environ):
            print(line)


def _in_notebook() -> bool:
    """Whether IPython draws what is displayed, as Jupyter does and a terminal does not."""
    try:
        shell = get_ipython()  # type: ignore[name-defined]  # IPython puts it among the builtins
    except NameError:
        return False
    return getattr(shell, "kernel", None) is not None
