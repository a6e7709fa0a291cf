"""A model with a pretrained encoder from end to end: trained, resumed, exported, tagged with."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("accelerate", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `bert`")

from rich.console import Console
from safetensors.numpy import load_file

import fenjie
from fenjie.corpus import write
from fenjie.errors import FenjieError, FileError
from fenjie.export import export
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict
from fenjie.text.span import Sentence, Span
from fenjie.training import loop
from fenjie.training.loop import Result
from fenjie.training.run import run_training
from tests.integration.tiny_run import fenjie as command
from tests.tiny_encoder import tiny_encoder

RECIPE = """\
task = "ner"
architecture = "bert_crf"

[data]
train = ["train.bmes"]
dev = 0.2

[model.pretrained]
name = "encoder"
frozen = false

[training]
epochs = 2
sentences = 8
learning_rate = 0.05
pretrained_rate = 0.1
schedule = "constant"
checkpoint_every = 2
checkpoint_minutes = 0.0
"""

TEXTS = ["今天李小福去了北京，abc１２说：好。", "王明 在上海市", "鬱\u200b😀", "北京大学" * 40]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FENJIE_DATA", raising=False)
    tiny_encoder(tmp_path / "encoder", "roberta-wwm", room=24)
    places = ["北京", "上海市", "广州"]
    sentences = [
        Sentence(f"今天{name}很好。我们去", (Span(2, 2 + len(name), "LOC"),)) for name in places * 8
    ]
    write(sentences, "train.bmes", "columns")
    return tmp_path


def train(output: str, text: str = RECIPE, *, resume: bool = False) -> Result:
    Path("recipe.toml").write_text(text, encoding="utf-8")
    quiet = Console(file=io.StringIO())
    return run_training(Path("recipe.toml"), Path(output), resume=resume, console=quiet)


class StoppedError(BaseException):
    """Stands for a kill."""


def test_stopped_and_resumed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = train("whole")
    work, done = loop.Run._learn, 0

    def stopping(self: Any, *arguments: Any) -> None:
        nonlocal done
        done += 1
        if done == 4:
            raise StoppedError
        work(self, *arguments)

    monkeypatch.setattr(loop.Run, "_learn", stopping)
    with pytest.raises(StoppedError):
        train("stopped")
    again = train("stopped", resume=True)
    one, other = (load_file(result.model / "model.safetensors") for result in (whole, again))
    assert one.keys() == other.keys()
    assert all((one[name] == other[name]).all() for name in one)
    start = load_file(folder / "encoder" / "model.safetensors")
    query = "encoder.layer.0.attention.self.query.weight"
    assert (one[f"embedding.pretrained.encoder.{query}"] != start[f"bert.{query}"]).any()


@pytest.mark.slow
def test_the_folder_needs_neither_the_hub_nor_torch(folder: Path) -> None:
    result = train("out", RECIPE.replace("frozen = false", "frozen = true"))
    start = load_file(folder / "encoder" / "model.safetensors")
    learnt = load_file(result.model / "model.safetensors")
    for name, value in start.items():
        if name.startswith("bert.encoder"):
            assert (learnt[f"embedding.pretrained.encoder.{name[5:]}"] == value).all(), name
    shutil.rmtree(folder / "encoder")
    opened = ModelFolder.open(result.model)
    expected = predict(opened, TEXTS)
    report = export(result.model, texts=TEXTS)
    assert report.difference.changed == 0 and report.difference.scores < 1e-4
    tagger = fenjie.load(result.model)
    assert [spans(found) for found in tagger(TEXTS)] == [spans(found) for found in expected]
    assert [spans(tagger(text)) for text in TEXTS] == [spans(found) for found in expected]
    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "from fenjie.cli import main\n"
        f"sys.argv = ['fenjie', 'tag', '--model', {str(result.model)!r}, 'text.txt']\nmain()"
    )
    Path("text.txt").write_text("".join(f"{text}\n" for text in TEXTS), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= len(TEXTS)

    rounded = export(result.model, encoder="int8", texts=TEXTS)
    assert rounded.size < report.size and 0 < rounded.difference.scores < 1
    tagger = fenjie.load(result.model)
    assert [spans(tagger(text)) for text in TEXTS] == [spans(found) for found in tagger(TEXTS)]

    (result.model / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FileError, match=r"tokenizer\.json: the file is truncated or altered"):
        fenjie.load(result.model)


def spans(sentence: Sentence) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label or "") for span in sentence.spans]


def test_mistakes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "encoder" / "vocab.txt").unlink()
    with pytest.raises(FenjieError, match="has no tokenizer"):
        train("out")
    with pytest.raises(FileError, match=r"recipe\.toml:10: .*layers has a wrong .* from 1 to"):
        train("out", RECIPE.replace("frozen = false", "layers = 0"))
    with pytest.raises(FileError, match="names no encoder"):
        train("out", RECIPE.replace('"encoder"', '""'))
    assert not Path("out").exists()


@pytest.mark.slow
def test_an_unknown_name_without_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    Path("recipe.toml").write_text(RECIPE.replace('"encoder"', '"nobody/none"'), encoding="utf-8")
    code, message = command("train", "recipe.toml")
    assert code == 2
    assert message.startswith("fenjie: no encoder 'nobody/none': ") and message.count("\n") == 1
