"""Texts that cost most: peak memory and CPU time per character, in processes of their own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hostile.case import Outcome
from tests.hostile.texts import ALPHABETS, COMMON
from tests.hostile.watch import HUNG, watching

BOUNDS = {"segment": 200.0, "ner": 400.0}
"""MiB that a model may take for any text."""

AFTER = 300.0
"""MiB that a process may hold after all of them."""

PER_CHARACTER = 1.0
"""Milliseconds of CPU time per character that any text may take, of those of 1,000 characters and
more."""

TEXTS = {
    "a table of contents": "第一章" + "." * 509 + "12",
    "100,000 dots": "." * 100_000,
    "512 hyphens": "-" * 512,
    "512 times 哈": "哈" * 512,
    "512 times 中": "中" * 512,
    "40,000 times 哈": "哈" * 40_000,
    "…": "…" * 5000,
    "a line of 100,000 characters": COMMON * 2000,
    "a million characters in lines": "\n".join([COMMON * 10] * 2000),
    "a line without an end of a sentence": "中国人民大学" * 20_000,
    "Latin letters": "abc " * 20_000,
    "one Latin word": "a" * 50_000,
    "digits": "0123456789" * 5000,
    "blanks": " " * 100_000,
    "combining marks": "e" + "\u0301" * 30_000,
    "emoji": "👩\u200d👩\u200d👧🏽" * 5000,
    **{
        f"alphabet {number}": letters * (3000 // len(letters))
        for number, letters in enumerate(ALPHABETS)
    },
}

LINE = 10_000_000
"""Bytes of a long line."""

LINES = {
    "words": COMMON,
    "entities": "王小明在北京大学。",
    "one Latin word": "a",
    "blanks": " ",
}
"""What long lines consist of."""

FORMATS = {"segment": ("spaced", "jsonl", "bmes"), "ner": ("jsonl",)}
"""The formats in which a long line of words is written; the others are written as JSON lines."""

COMMANDS = {"segment": "segment", "ner": "tag"}

CHILD = """
import json, sys, time
import fenjie
tagger = fenjie.load(sys.argv[1])
tagger("北京")
def mib(name):  # not getrusage, whose peak is that of the process that started this one
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(name))
for text in json.load(sys.stdin):
    start = time.process_time()
    lines = text.split("\\n")
    assert [sentence.text for sentence in tagger.stream(iter(lines))] == lines
    seconds = time.process_time() - start
    print(json.dumps([seconds, mib("VmHWM"), mib("VmRSS")]), flush=True)
"""


def run(outcome: Outcome, model: str, share: float, seed: int) -> None:
    """Each text in a process of its own, and all of them in one."""
    del seed
    chosen = list(TEXTS.items())[: max(2, round(len(TEXTS) * share))]
    for name, text in chosen:
        with outcome.case(name):
            ((seconds, peak, _),) = _child(model, [text])
            outcome.memory = max(outcome.memory, peak)
            if len(text) >= 1000:
                outcome.took(seconds, len(text))
                assert 1000 * seconds / len(text) <= PER_CHARACTER, f"takes {seconds:.1f} s"
            assert peak <= BOUNDS[model], f"takes {peak:.0f} MiB"
    with outcome.case("all of them"):
        *_, (_, _, after) = _child(model, [text for _, text in chosen])
        assert after <= AFTER, f"{after:.0f} MiB are held in the end"
    for name, unit in list(LINES.items())[: round(len(LINES) * share)]:
        for form in FORMATS[model] if name == "words" else ("jsonl",):
            with outcome.case(f"a line of 10 MB beside short ones, {name}, as {form}"):
                _long_line(outcome, model, unit, form)


def _long_line(outcome: Outcome, model: str, unit: str, form: str) -> None:
    """A long line beside short ones, through the command line: all of it is written."""
    line = unit * (LINE // len(unit.encode()))
    with tempfile.TemporaryDirectory() as folder, watching() as peak:
        given, made = Path(folder, "given.txt"), Path(folder, "made.txt")
        given.write_text(f"我在北京\n{line}\n你好\n", encoding="utf-8")
        command = [sys.executable, "-m", "fenjie", COMMANDS[model], str(given), "-f", form]
        before = _cpu_of_children()
        with made.open("wb") as file:
            done = subprocess.run(
                command, stdout=file, stderr=subprocess.PIPE, timeout=HUNG, check=False
            )
        seconds = _cpu_of_children() - before
        assert done.returncode == 0 and not done.stderr, done
        assert _text(made, form) == ["我在北京", line, "你好"], "text is lost"
    outcome.memory = max(outcome.memory, peak.mib)
    outcome.took(seconds, len(line))
    assert 1000 * seconds / len(line) <= PER_CHARACTER, f"takes {seconds:.1f} s"
    assert peak.mib <= BOUNDS[model], f"takes {peak.mib:.0f} MiB"


def _text(path: Path, form: str) -> list[str]:
    """The lines of which the output of a command tells."""
    if form == "bmes":
        sentences = path.read_text(encoding="utf-8").removesuffix("\n\n").split("\n\n")
        return ["".join([row[0] for row in rows.split("\n")]) for rows in sentences]
    lines = path.read_text(encoding="utf-8").splitlines()
    if form == "jsonl":
        return [json.loads(line)["text"] for line in lines]
    return [line.replace(" ", "") for line in lines]


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _child(model: str, texts: list[str]) -> list[tuple[float, float, float]]:
    command = [sys.executable, "-c", CHILD, model]
    done = subprocess.run(
        command,
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=HUNG,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-300:]
    return [json.loads(line) for line in done.stdout.splitlines()]
