"""The folder of a run, and what the system refuses."""

from pathlib import Path

import pytest
import torch

from fenjie.errors import FenjieError, FileError
from fenjie.training.run_folder import (
    CHECKPOINT,
    RECIPE,
    KeptRecipe,
    accelerated,
    missing,
    remove,
)


def kept(copy: bytes, difference: str | None = None, given: Path | None = None) -> KeptRecipe:
    return KeptRecipe(copy, lambda file: difference, given)


def begin(folder: Path, recipe: KeptRecipe, resume: bool = False) -> bool:
    with recipe.begun(folder, "the run one", resume) as there:
        assert (folder / RECIPE).read_bytes() == recipe.copy
    return there


def test_a_recipe_is_kept_and_replaced_before_a_checkpoint(tmp_path: Path) -> None:
    for copy in (b"one", b"two"):
        assert not begin(tmp_path / "new", kept(copy, "other"))


def test_the_recipe_that_is_read_is_not_replaced_by_another(tmp_path: Path) -> None:
    given = tmp_path / RECIPE
    given.write_bytes(b"one # a note")
    for _ in range(2):
        with pytest.raises(FileError, match="is read and would be replaced; expected another -"):
            begin(tmp_path, kept(b"one", given=given))
        assert given.read_bytes() == b"one # a note"
    assert not begin(tmp_path, kept(b"one # a note", given=given))
    (tmp_path / CHECKPOINT).touch()
    assert begin(tmp_path, kept(b"one", given=given), resume=True)


def test_a_recipe_that_no_run_keeps_is_not_replaced(tmp_path: Path) -> None:
    given = tmp_path / "one.toml"
    for path in (given, tmp_path / RECIPE):
        path.write_bytes(b"by hand")
    for _ in range(2):
        with pytest.raises(FileError, match=r"recipe\.toml: would be replaced; expected another -"):
            begin(tmp_path, kept(b"one", given=given))
    assert {path.name for path in tmp_path.iterdir()} == {RECIPE, given.name}
    assert (tmp_path / RECIPE).read_bytes() == b"by hand"


def test_a_run_goes_on_if_it_is_the_same(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).touch()
    (tmp_path / RECIPE).write_bytes(b"one")
    with pytest.raises(FenjieError, match="holds a run already; --resume goes on with it"):
        begin(tmp_path, kept(b"one"))
    with pytest.raises(FenjieError, match="a run of another recipe: seed was 1, now 2"):
        begin(tmp_path, kept(b"two", "seed was 1, now 2"), resume=True)
    assert (tmp_path / RECIPE).read_bytes() == b"one"
    assert begin(tmp_path, kept(b"one again"), resume=True)


@pytest.mark.parametrize("name", ["best.safetensors", "model"])
def test_what_a_run_has_made_is_not_written_over(tmp_path: Path, name: str) -> None:
    assert not begin(tmp_path, kept(b"one", "other"))
    (tmp_path / name).mkdir()
    with pytest.raises(FenjieError, match="holds a run already"):
        begin(tmp_path, kept(b"two"))
    with pytest.raises(FenjieError, match="a run of another recipe: other"):
        begin(tmp_path, kept(b"two", "other"), resume=True)
    assert (tmp_path / RECIPE).read_bytes() == b"one"
    assert begin(tmp_path, kept(b"one"), resume=True)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with kept(b"one").begun(tmp_path, "the run one", False):
        with pytest.raises(FenjieError, match="is in use by the run one"):
            begin(tmp_path, kept(b"two"))
        assert (tmp_path / RECIPE).read_bytes() == b"one"


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
