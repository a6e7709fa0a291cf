"""`fenjie serve`: its options, and what it says before it serves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import fenjie

pytest.importorskip("fastapi", reason="needs the extra `serve`")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The services that are started, of which none serves."""
    services: list[Any] = []

    def run(service: Any, listening: Any, ready: Any) -> None:
        services.append(service)
        ready()

    monkeypatch.setattr("fenjie.serve.server.run", run)
    return services


def test_options(started: list[Any], tiny_model: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    limits = ("--max-characters", 7, "--max-texts", 6, "--max-waiting", 5, "--timeout", 4)
    done = fenjie("serve", "-m", tiny_model, "--port", 0, "--token-file", token, *limits)
    assert done.returncode == 0
    assert done.stderr.startswith(b"fenjie serves tiny at http://127.0.0.1:")
    assert len(done.stderr.splitlines()) == 1
    (service,) = started
    kept = service.limits
    assert (kept.characters, kept.texts, kept.waiting, kept.seconds) == (7, 6, 5, 4)


def test_label_studio(started: list[Any], tiny_model: Path, tiny_ner: Path) -> None:
    done = fenjie("serve", "-m", tiny_ner, "--port", 0, "--label-studio")
    assert done.returncode == 0 and type(started[0]).__name__ == "LabelStudioService"
    done = fenjie("serve", "-m", tiny_model, "--port", 0, "--label-studio")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert b"needs a model of entities" in done.stderr


def test_open_to_all(started: list[Any], tiny_model: Path) -> None:
    done = fenjie("serve", "-m", tiny_model, "--port", 0, "--host", "0.0.0.0")
    assert done.stderr.splitlines()[1].startswith(b"Anyone who reaches this machine can use it")


def test_without_torch_no_folder_is_made_to_train_in(
    started: list[Any], tiny_ner: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    folder = tmp_path / "models"
    done = fenjie("serve", "-m", tiny_ner, "--port", 0, "--train", folder)
    assert done.returncode == 0 and len(started) == 1
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("Nothing can be trained: training needs torch, which is not installed")
    assert not folder.exists()


def test_wrong_use(started: list[Any], tiny_model: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    for content in ("", "a\nb\n", " \n", "密\n"):
        token.write_text(content, encoding="utf-8")
        done = fenjie("serve", "-m", tiny_model, "--port", 0, "--token-file", token)
        assert done.returncode == 2 and b"is no file of a token" in done.stderr
    for options in (
        ("-m", "nothing"),
        ("--host", "256.0.0.1"),
        ("--port", 70000),
        ("--log", "all"),
        ("-m", tiny_model, "-m", tiny_model),
        ("-m", f"={tiny_model}"),
        ("-m", "one="),
        ("--timeout", 0),
        ("--timeout", "nan"),
        ("--max-texts", 0),
    ):
        done = fenjie("serve", "--port", 0, *options)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), options
    assert not started
