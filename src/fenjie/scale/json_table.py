"""Files of JSONL: each row with what is found in its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fenjie.runtime.annotator import Annotator
from fenjie.scale.blocks import Block, lines_of
from fenjie.scale.conversion import TextConversion
from fenjie.scale.packing import Packing
from fenjie.tables.findings import findings
from fenjie.tables.json_rows import text_of, with_value


@dataclass(frozen=True)
class JsonTable(TextConversion[Block]):
    """Adds a value to each row. Empty lines stay as they are.

    Attributes:
        annotator: finds words or entities.
        column: the key of the texts.
        into: the key that is added.
        encoding: of the files.
        packing: of the output.
        shown: whether characters that a terminal obeys are shown.
    """

    annotator: Annotator[Any]
    column: str
    into: str
    encoding: str = "utf-8"
    packing: Packing = ""
    shown: bool = False

    def texts(self, item: Block) -> Iterator[str]:
        """The rows of a block as they are written."""
        lines = lines_of(item, self.encoding)
        texts = [
            text_of(line.text, self.column, self.into, item.path, number)
            if line.text.strip()
            else None
            for number, line in enumerate(lines, item.line)
        ]
        for line, value in zip(lines, findings(self.annotator, texts), strict=True):
            row = with_value(line.text, self.into, value) if line.text.strip() else line.text
            yield row + line.end

    def parts(self, item: Block) -> Iterator[tuple[str, Block]]:
        """Each line of a block."""
        return item.lines()
