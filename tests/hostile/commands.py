"""Random command lines: an exit code of 0 or 2, and at most one line on standard error."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.builders import write_tiny_model
from tests.command_line import fenjie
from tests.hostile.case import Outcome, chance
from tests.hostile.texts import text

CASES = 1500

COMMANDS = [
    *(["segment"], ["segment"], ["models"], ["evaluate"], ["data", "stats"], ["data", "check"]),
    *(["explain", "lattice"], ["vectors", "info"], ["vectors"], ["data"], ["nope"], []),
]

WORDS = [
    *("-f", "--format", "--threads", "--encoding", "--words", "-o", "--nope", "-", "--json", "-m"),
    *("--errors", "--diff", "--predicted", "--train", "--lexicon", "--help", "--version"),
    *(
        "spaced",
        "jsonl",
        "bmes",
        "color",
        "0",
        "-1",
        "1",
        "99999999999999999999",
        "utf-8",
        "gb18030",
    ),
    *("utf-16", "utf-8-sig", "rot13", "x\x1b[31m", "[/red]", ".", "nowhere", "a.txt", "a.jsonl"),
    *("model", "", "/dev/null", "model/config.toml", "model/model.onnx", "out/x", "\udcff"),
]


def run(outcome: Outcome, share: float, seed: int) -> None:
    """Run random command lines within this process."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            Path("model").mkdir()
            write_tiny_model(Path("model"))
            Path("a.txt").write_text("我 在 北京\n", encoding="utf-8")
            line = '{"text": "我在北京", "spans": [[2, 4, "[/PER]"]]}\n'
            Path("a.jsonl").write_text(line, encoding="utf-8")
            for number in range(round(CASES * share)):
                source = chance(outcome.kind, seed, number)
                words = list(source.choice(COMMANDS))
                if words == ["segment"] and source.random() < 0.9:
                    words += ["-m", "model"]
                words += source.choices(WORDS, k=source.randrange(5))
                given = text(source).encode("utf-8", "surrogatepass")
                with outcome.case(f"{number} {words}"):
                    done = fenjie(*words, stdin=given, variables={"FENJIE_DATA": "nowhere"})
                    errors = done.stderr.decode("utf-8", "replace")
                    assert done.returncode in (0, 2), f"exit code {done.returncode}"
                    assert "\x1b" not in errors, "a control character in a message"
                    if done.returncode == 2 and errors:
                        assert errors.startswith("fenjie: ") and errors.count("\n") == 1, errors
                    elif done.returncode == 0:
                        assert not errors, errors
        finally:
            os.chdir(before)
