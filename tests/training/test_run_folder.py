"""The folder of a run, and what the system refuses."""

from pathlib import Path

import pytest
import torch

from fenjie.errors import FenjieError, FileError
from fenjie.training.run_folder import (
    CHECKPOINT,
    RECIPE,
    accelerated,
    missing,
    prepare_folder,
    remove,
)


def test_a_recipe_is_kept_and_replaced_before_a_checkpoint(tmp_path: Path) -> None:
    for copy in (b"one", b"two"):
        prepare_folder(tmp_path, copy, lambda kept: "other", resume=False)
        assert (tmp_path / RECIPE).read_bytes() == copy


def test_the_recipe_that_is_read_is_not_replaced_by_another(tmp_path: Path) -> None:
    given = tmp_path / RECIPE
    given.write_bytes(b"one # a note")
    with pytest.raises(FileError, match="is read and would be replaced; expected another --output"):
        prepare_folder(tmp_path, b"one", lambda kept: None, resume=False, given=given)
    assert given.read_bytes() == b"one # a note"
    assert not prepare_folder(tmp_path, b"one # a note", lambda kept: None, False, given=given)
    (tmp_path / CHECKPOINT).touch()
    assert prepare_folder(tmp_path, b"one", lambda kept: None, resume=True, given=given)


def test_a_run_goes_on_if_it_is_the_same(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).touch()
    (tmp_path / RECIPE).write_text("one", encoding="utf-8")
    with pytest.raises(FenjieError, match="holds a run already; --resume goes on with it"):
        prepare_folder(tmp_path, b"one", lambda kept: None, resume=False)
    with pytest.raises(FenjieError, match="a run of another recipe: seed was 1, now 2"):
        prepare_folder(tmp_path, b"two", lambda kept: "seed was 1, now 2", resume=True)
    assert (tmp_path / RECIPE).read_text(encoding="utf-8") == "one"
    prepare_folder(tmp_path, b"one again", lambda kept: None, resume=True)
    assert (tmp_path / RECIPE).read_text(encoding="utf-8") == "one again"


@pytest.mark.parametrize("name", ["best.safetensors", "model"])
def test_what_a_run_has_made_is_not_written_over(tmp_path: Path, name: str) -> None:
    assert not prepare_folder(tmp_path, b"one", lambda kept: "other", resume=False)
    (tmp_path / name).mkdir()
    with pytest.raises(FenjieError, match="holds a run already"):
        prepare_folder(tmp_path, b"two", lambda kept: None, resume=False)
    with pytest.raises(FenjieError, match="a run of another recipe: other"):
        prepare_folder(tmp_path, b"two", lambda kept: "other", resume=True)
    assert (tmp_path / RECIPE).read_bytes() == b"one"
    assert prepare_folder(tmp_path, b"one", lambda kept: None, resume=True)


def test_a_run_that_could_not_begin_leaves_nothing(tmp_path: Path) -> None:
    made = missing(tmp_path / "runs" / "one")
    assert made == [tmp_path / "runs" / "one", tmp_path / "runs"]
    for folder in reversed(made):
        folder.mkdir()
    (made[0] / RECIPE).touch()
    remove(made)
    assert tmp_path.is_dir() and not list(tmp_path.iterdir())


def test_what_was_there_or_is_of_another_run_stays(tmp_path: Path) -> None:
    assert missing(tmp_path) == []
    remove([])
    made = missing(tmp_path / "runs" / "one")
    (tmp_path / "runs" / "two").mkdir(parents=True)
    remove(made)
    assert (tmp_path / "runs" / "two").is_dir()


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            OSError(28, "No space left", "runs/one/a.log"),
            FileError,
            r"^runs/one/a\.log: cannot be written: No space left$",
        ),
        (OSError(2, "No such file", "in.txt"), FileError, r"^in\.txt: No such file$"),
        (OSError(13, "Denied", "runs"), FileError, r"^runs: cannot be written: Denied$"),
        (
            OSError(9, "Bad file descriptor", 7),
            FileError,
            r"^runs/one: cannot be written: Bad file",
        ),
        (OSError("broken"), FileError, r"^runs/one: cannot be written: broken$"),
        (RuntimeError("out of memory\nat: x.cpp"), FenjieError, r"this recipe: out of memory$"),
        (
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"),
            FenjieError,
            "^not enough memory for this recipe: ",
        ),
        (torch.OutOfMemoryError("CUDA: full"), FenjieError, r"this recipe: CUDA: full$"),
        (RuntimeError("CUDA error: an illegal memory access"), RuntimeError, "^CUDA error: an"),
        (RuntimeError("shapes"), RuntimeError, r"^shapes$"),
    ],
)
def test_what_the_system_refuses(error: Exception, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message), accelerated(Path("runs/one"), "fp32"):
        raise error


@pytest.mark.parametrize(("precision", "mixed"), [("fp32", "no"), ("bf16", "bf16")])
def test_precision(precision: str, mixed: str) -> None:
    with accelerated(Path("one"), precision) as accelerator:
        assert accelerator.mixed_precision == mixed
