"""Models of the hub: the cache first, the network only for what it lacks."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

pytest.importorskip("huggingface_hub", reason="needs the extra `hub`")

import huggingface_hub as hub

import fenjie
from fenjie.errors import FenjieError
from fenjie.runtime.hub import fetch, split_name, with_revision
from fenjie.runtime.model_files import CHECKSUMS, FILES

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a network that nobody may use."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))

    def refused(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refused)
    return tmp_path / "hub"


def put(cache: Path, model: Path, branch: str = "main") -> Path:
    """Put a model into the cache, as the hub's client lays it out."""
    place = cache / "models--o--n"
    snapshot = place / "snapshots" / COMMIT
    (place / "refs").mkdir(parents=True)
    (place / "refs" / branch).write_text(COMMIT)
    snapshot.mkdir(parents=True)
    (place / "blobs").mkdir()
    for number, path in enumerate(sorted(model.iterdir())):
        blob = place / "blobs" / str(number)
        shutil.copyfile(path, blob)
        (snapshot / path.name).symlink_to(f"../../blobs/{number}")
    return snapshot


def test_a_model_of_the_cache_needs_no_network(cache: Path, tiny_ner: Path) -> None:
    put(cache, tiny_ner)
    expected = fenjie.load(tiny_ner)("商品和服务")
    for tagger in (
        fenjie.load("hf:o/n"),
        fenjie.load("hf:o/n", revision="main"),
        fenjie.load("hf:o/n", revision=COMMIT),
        fenjie.load(f"hf:o/n@{COMMIT}"),
    ):
        assert tagger("商品和服务") == expected


def test_a_model_that_the_cache_lacks_is_downloaded(
    cache: Path, tiny_ner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = put(cache, tiny_ner)
    (snapshot / "labels.txt").unlink()  # a download that was cut
    asked: list[Any] = []
    real = hub.snapshot_download

    def download(repo: str, *, local_files_only: bool = False, **wanted: Any) -> str:
        if local_files_only:
            return str(real(repo, local_files_only=True, **wanted))
        asked.append((repo, wanted["revision"]))
        assert "config.toml" in wanted["allow_patterns"]
        assert not any("*" in pattern for pattern in wanted["allow_patterns"])
        return str(tiny_ner)

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **__: None)
    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert fenjie.load("hf:o/n", revision="v1")("商品")
    assert fenjie.load("hf:o/n")("商品")
    assert asked == [("o/n", "v1"), ("o/n", None)]


def test_without_network_and_cache_it_is_one_line(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(FenjieError, match=r"^hf:o/n cannot be fetched: .*") as caught:
        fenjie.load("hf:o/n")
    assert "\n" not in str(caught.value)


def test_without_network_the_cache_is_not_taken_for_the_newest(
    cache: Path, tiny_ner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = put(cache, tiny_ner)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(FenjieError, match=r"^hf:o/n cannot be fetched: "):
        fetch("hf:o/n", (CHECKSUMS, *FILES), newest=True)
    (snapshot / "labels.txt").unlink()  # a download that was cut
    with pytest.raises(FenjieError, match=r"^hf:o/n cannot be fetched: "):
        fenjie.load("hf:o/n")


def test_a_damaged_model_is_noticed(cache: Path, tiny_ner: Path) -> None:
    snapshot = put(cache, tiny_ner)
    (snapshot / "labels.txt").resolve().write_text("X\n")
    with pytest.raises(FenjieError, match=r"labels\.txt: the file is truncated or altered"):
        fenjie.load("hf:o/n")


def test_names() -> None:
    assert split_name("hf:o/n") == ("o/n", None)
    assert split_name("o-1/n.x_y@v1.0/a") == ("o-1/n.x_y", "v1.0/a")
    assert with_revision("hf:o/n@main", "main") == "hf:o/n@main"
    for name, revision in (("ner", "main"), ("hf:o/n@main", "v1")):
        with pytest.raises(FenjieError, match="revision"):
            with_revision(name, revision)
    with pytest.raises(FenjieError, match="expected hf:owner/name"):
        fenjie.load("hf:n")
