"""Lines of text with what a tagger finds in them, as a renderer writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fenjie.files import BYTE_ORDER_MARK
from fenjie.scale.blocks import Block, Line, lines_of
from fenjie.scale.conversion import TextConversion
from fenjie.scale.packing import Packing

if TYPE_CHECKING:
    from fenjie.runtime.annotator import Annotator
    from fenjie.text.span import Sentence

Render = Callable[[Iterable["Sentence"], Line], Iterable[str]]
"""Writes a line from the sentences that tile it, as they come: one, or many of a long line."""


@dataclass(frozen=True)
class Rendering(TextConversion[Block]):
    """Renders the lines of blocks. A long line is worked on, and written, in parts.

    Attributes:
        annotator: finds words or entities.
        render: writes a line.
        encoding: of the blocks.
        packing: of the output.
        shown: whether characters that a terminal obeys are shown.
    """

    annotator: Annotator[Any]
    render: Render
    encoding: str = "utf-8"
    packing: Packing = ""
    shown: bool = False

    def texts(self, item: Block) -> Iterator[str]:
        """The lines of a block as they are written.

        An output that begins with a byte order mark gets another one before it: the first one of a
        file is none of its text.
        """
        lines = lines_of(item, self.encoding)
        found = self.annotator.in_parts(line.text for line in lines)
        begun = not item.first
        for sentences, line in zip(found, lines, strict=True):
            for text in self.render(sentences, line):
                if not begun and text:
                    begun = True
                    yield BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
                yield text

    def parts(self, item: Block) -> Iterator[tuple[str, Block]]:
        """Each line of a block."""
        return item.lines()
