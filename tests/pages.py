"""Pages of the documentation: their Python is run, its results are those that they show."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, kind: str) -> Iterator[str]:
    """The blocks of a kind, such as `python`."""
    for match in _FENCE.finditer(page):
        if match["kind"] == kind:
            yield match["body"]


def run_python(page: str) -> int:
    """Run the Python of a page, as if it were one file, in the working directory.

    An expression with a comment that is a literal is a result: `len("分词")  # 2`.

    Args:
        page: the text of the page.

    Returns:
        The number of results that were compared.
    """
    names: dict[str, Any] = {"__name__": "page"}
    compared = 0
    for block in blocks(page, "python"):
        lines = block.splitlines()
        for node in ast.parse(block).body:
            if not isinstance(node, ast.Expr):
                exec(compile(ast.Module([node], []), "page", "exec"), names)
                continue
            value = eval(compile(ast.Expression(node.value), "page", "eval"), names)
            comment = re.match(r" +# (.*)", _after(lines, node))
            if comment and (shown := _literal(comment[1])) is not None:
                assert value == shown[0], f"{ast.unparse(node)} is {value!r}"
                compared += 1
    return compared


def _after(lines: list[str], node: ast.expr | ast.stmt) -> str:
    """What stands behind a statement in its last line."""
    assert node.end_lineno is not None
    line = lines[node.end_lineno - 1].encode()
    return line[node.end_col_offset :].decode()


def _literal(text: str) -> tuple[Any] | None:
    try:
        return (ast.literal_eval(text),)
    except (SyntaxError, ValueError):
        return None


def console_commands(page: str) -> Iterator[tuple[str, list[str], str]]:
    """Each `$ echo TEXT | fenjie …` of a page: the text, the arguments, what is shown below it."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            text, _, called = command.removeprefix("echo ").partition(" | fenjie ")
            yield text, shlex.split(called), shown


def shell_commands(page: str) -> Iterator[list[str]]:
    """The arguments of each `fenjie …` that begins a line of the shell blocks of a page."""
    for block in blocks(page, "sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] == "fenjie":
                yield words[1:]
