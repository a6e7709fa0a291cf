"""Model folders whose checksums are right and whose content is not: one line, or they work."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import fenjie
from fenjie.runtime.checksums import seal
from fenjie.runtime.model_files import FILES
from tests.builders import write_endless, write_tiny_model, write_tiny_tagger
from tests.hostile.case import Outcome, chance, isolated
from tests.hostile.files import damage
from tests.hostile.recipes import BAD

CASES = 6000

TEXTS = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]

ODD_ARRAYS: list[Any] = [
    np.zeros(0, np.float32),
    np.zeros((3, 5), np.float32),
    np.full((14, 14), np.nan, np.float32),
    np.full(11, -np.inf, np.float16),
    np.arange(11) * 10**9,
    np.array(["x"] * 11),
    np.array([True] * 11),
]


def _damage(folder: Path, source: random.Random) -> None:
    """Damage one file of a folder, by what it holds."""
    path = source.choice([folder / name for name in FILES if (folder / name).exists()])
    kind = source.randrange(8)
    if path.suffix == ".onnx" and kind == 2:
        write_endless(path)
    elif kind == 0:
        path.unlink()
    elif kind == 1:
        other = source.choice([file for file in folder.iterdir() if file != path])
        shutil.copy(other, path)
    elif path.suffix == ".toml" and kind < 7:
        lines = path.read_text(encoding="utf-8").splitlines()
        place = source.randrange(len(lines))
        if "=" in lines[place]:
            lines[place] = f"{lines[place].partition('=')[0]}= {source.choice(BAD)}"
        else:
            lines.insert(
                place, f"{source.choice(['ngrams', 'variants', 'x'])} = {source.choice(BAD)}"
            )
        path.write_text("\n".join(lines), encoding="utf-8")
    elif path.suffix == ".txt" and kind < 7:
        lines = path.read_text(encoding="utf-8").split("\n")
        more = source.choice(["", "我", "x" * 5000, "\x1b[31m", "\ufeff", lines[0], "北 京"])
        lines[source.randrange(len(lines))] = more
        path.write_text("\n".join(lines * source.choice([1, 1, 1, 3])), encoding="utf-8")
    elif path.suffix == ".npy" and kind < 7:
        array = np.load(path, allow_pickle=False)
        if source.random() < 0.5 and array.size:
            array = array.copy()
            odd = [0, -1, 3, 100] if array.dtype.kind in "iu" else [np.nan, np.inf, -1e30, 0]
            with np.errstate(all="ignore"):
                array.reshape(-1)[source.randrange(array.size)] = np.array(
                    source.choice(odd)
                ).astype(array.dtype)
        else:
            array = source.choice(ODD_ARRAYS)
        np.save(path, array, allow_pickle=False)
    else:
        path.write_bytes(damage(path.read_bytes(), source))


def run(outcome: Outcome, share: float, seed: int) -> None:
    """Open damaged folders; those that open read texts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = [folder / "segment", folder / "ner"]
        for path, write in zip(made, (write_tiny_model, write_tiny_tagger), strict=True):
            path.mkdir()
            write(path)

        def one(outcome: Outcome, number: int) -> None:
            source = chance(outcome.kind, seed, number)
            copy = folder / f"copy-{number}"
            shutil.copytree(source.choice(made), copy)
            try:
                _damage(copy, source)
                seal(copy)
                with outcome.case(number):
                    tagger: Any = fenjie.load(copy)
                    for text, sentence in zip(TEXTS, tagger(TEXTS), strict=True):
                        assert sentence.text == text, "the text is changed"
                        for span in sentence.spans:
                            confidence = span.confidence
                            assert confidence is None or 0 <= confidence <= 1, "no confidence"
            finally:
                shutil.rmtree(copy)

        isolated(outcome, range(round(CASES * share)), one)
