"""Fixtures that tests of all folders share: tiny models and the benchmark data."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from fenjie.text.span import WORD

if TYPE_CHECKING:
    from fenjie.nn.encoders.hugging_face import Encoder

# No test depends on how fast the machine is; where CI is set, examples are the same each time.
for name, examples in (("quick", 25), ("thorough", 100)):
    settings.register_profile(
        name,
        deadline=None,
        derandomize="CI" in os.environ,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")

# One thread, here and in the processes that tests start, before anything loads a numerical library:
# how two threads share a sum depends on the load of the machine, and with it the last bit.
for library in ("OMP", "MKL", "OPENBLAS"):
    os.environ[f"{library}_NUM_THREADS"] = "1"


# Where tests run in the background, the shell lets them ignore an interrupt; the processes that
# they start and interrupt must not inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the benchmark data."""
    folder = os.environ.get("FENJIE_DATA")
    if not folder:
        pytest.skip("FENJIE_DATA does not name the folder of the benchmark data")
    return Path(folder)


@pytest.fixture(scope="session")
def common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this test run have in common."""
    root = tmp_path_factory.getbasetemp()
    return root.parent if "PYTEST_XDIST_WORKER" in os.environ else root


@pytest.fixture(scope="session")
def tiny_model(common: Path) -> Path:
    """The folder of a tiny random SAMS over characters and bigrams, with its export.

    Tests must not change it; they copy it first.
    """
    pytest.importorskip("torch", reason="needs the extra `train`")
    from tests import builders

    return builders.shared(common, "tiny", builders.write_tiny_model)


@pytest.fixture(scope="session")
def tiny_linear(common: Path) -> Path:
    """The folder of a tiny random linear segmenter; as `tiny_model`, but for numpy alone."""
    from tests import builders

    return builders.shared(common, "tiny-linear", builders.write_tiny_linear)


@pytest.fixture(scope="session")
def tiny_ner(common: Path) -> Path:
    """The folder of a tiny random FLAT for LOC, ORG and PER, with its export.

    Tests must not change it; they copy it first.
    """
    pytest.importorskip("torch", reason="needs the extra `train`")
    from tests import builders

    return builders.shared(common, "tiny-ner", builders.write_tiny_tagger)


@pytest.fixture(scope="session")
def tiny_words(common: Path) -> Path:
    """The folder of a tiny random FLAT that tags words; as `tiny_ner`."""
    pytest.importorskip("torch", reason="needs the extra `train`")
    from tests import builders

    return builders.shared(common, "tiny-words", partial(builders.write_tiny_tagger, labels=[WORD]))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of a tiny encoder of each family."""
    from tests.tiny_encoder import FAMILIES, tiny_encoder

    folder = tmp_path_factory.mktemp("encoders")
    return {family: tiny_encoder(folder / family, family) for family in FAMILIES}


@pytest.fixture(scope="module")
def encoders(folders: dict[str, Path]) -> dict[str, Encoder]:
    """A tiny encoder of each family."""
    from fenjie.nn.encoders.hugging_face import open_encoder

    return {family: open_encoder(str(folder)) for family, folder in folders.items()}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with one file, and the table of counts that fits it."""
    from fenjie.corpus import benchmarks, write
    from fenjie.corpus.benchmarks import DataFile
    from fenjie.text.span import Sentence, Span

    entities = [Sentence("我在北京。", (Span(2, 4, "LOC"),)), Sentence("没有")]
    write(entities, tmp_path / "a.bmes", "columns")
    expected = {"sentences": 2, "entities": 1, "LOC": 1, "PER": 0}
    monkeypatch.setattr(benchmarks, "FILES", (DataFile("a.bmes", "columns", expected),))
    return tmp_path


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    """A cluster of Ray on this machine: two workers, and a third core to read and to write.

    It ends with its module, for its processes take time from the tests that follow.
    """
    ray = pytest.importorskip("ray", reason="needs the extra `ray`")
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
    ray.init(
        num_cpus=3,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=1 << 28,
    )
    yield
    ray.shutdown()
