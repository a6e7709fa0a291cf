"""The tests mirror the sources: a file of tests for each module, in the folder of its name."""

from __future__ import annotations

import ast
from pathlib import Path

import fenjie

SOURCE = Path(fenjie.__file__).parent
TESTS = Path(__file__).parent

ELSEWHERE = {
    "__init__.py": "test_import_time.py",
    "__main__.py": "command_line.py",
    "cli/__init__.py": "command_line.py",
    "cli/hub.py": "integration/test_docs_integrations.py",
    "cli/options.py": "integration/test_docs.py",
    "cli/pretrain.py": "pretraining/test_pretraining.py",
    "cli/distill.py": "distillation/test_distillation.py",
    "corpus/__init__.py": "corpus/test_formats.py",
    "distillation/distill_recipe.py": "test_recipes.py",
    "distillation/student_card.py": "distillation/test_distillation.py",
    "export/__init__.py": "cli/test_export.py",
    "export/compare.py": "cli/test_export.py",
    "jieba/__init__.py": "jieba/test_tokenizer.py",
    "lexicon/__init__.py": "lexicon/test_lexicon.py",
    "lexicon/file_names.py": "lexicon/test_standard_words.py",
    "lexicon/number_types.py": "lexicon/test_units.py",
    "lexicon/word_statistics.py": "lexicon/test_lexicon.py",
    "models/__init__.py": "cli/test_architectures.py",
    "models/bilstm_crf.py": "property/test_systems.py",
    "nn/attention/base.py": "nn/attention/test_relative.py",
    "nn/attention/span_pattern.py": "nn/attention/test_span_relative.py",
    "nn/attention/cross.py": "models/test_mect.py",
    "nn/attention/cross_lattice.py": "models/test_dcsan.py",
    "nn/attention/lattice_relations.py": "models/test_plt.py",
    "nn/attention/padded_spans.py": "nn/test_layout.py",
    "nn/attention/padded_windows.py": "nn/test_layout.py",
    "nn/components.py": "models/test_mect.py",
    "nn/encoders/bigru.py": "models/test_plt.py",
    "nn/encoders/padded_lattice_lstm.py": "nn/test_layout.py",
    "nn/encoders/padded_lstm.py": "nn/test_layout.py",
    "nn/encoders/stacked_lstm.py": "models/test_stacked_bilstm.py",
    "pretraining/learning.py": "pretraining/test_pretraining.py",
    "runtime/gap_reading.py": "runtime/test_sentences.py",
    "runtime/model_config.py": "runtime/test_folder.py",
    "runtime/model_files.py": "runtime/test_checksums.py",
    "scale/__init__.py": "scale/test_ray_data.py",
    "scale/csv_table.py": "cli/test_table_files.py",
    "scale/json_table.py": "cli/test_table_files.py",
    "scale/parquet_table.py": "cli/test_table_files.py",
    "scale/rendering.py": "cli/test_streams.py",
    "store/load.py": "cli/test_prediction.py",
    "store/save.py": "integration/test_training.py",
    "tasks/encoder_inputs.py": "integration/test_training_pretrained.py",
    "tasks/make.py": "integration/test_training.py",
    "tasks/task.py": "integration/test_training.py",
    "training/loop.py": "integration/test_training_stopped.py",
    "training/run.py": "integration/test_training.py",
    "views/views.py": "cli/test_explain.py",
}
"""Modules that have no file of tests of their name, and where they are tested.

They only fit others together (a task, a run), name others, hold options that several commands
share, or are the second form of a computation and compared with the first.
"""

MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def mirrored(module: str) -> str:
    """The file of tests of a module, from the folder of the tests."""
    path = Path(module)
    return path.with_name(f"test_{path.name}").as_posix()


def is_empty(module: str) -> bool:
    """Whether a module holds nothing but a docstring."""
    body = ast.parse((SOURCE / module).read_text(encoding="utf-8")).body
    return len(body) <= 1


def test_each_module_has_its_tests() -> None:
    missing = [
        module
        for module in MODULES
        if not (TESTS / mirrored(module)).exists()
        and module not in ELSEWHERE
        and not is_empty(module)
    ]
    assert not missing


def test_each_file_of_tests_names_a_module() -> None:
    rooms = [path for path in SOURCE.iterdir() if path.is_dir() and path.name != "shipped"]
    files = [path for room in rooms for path in (TESTS / room.name).rglob("test_*.py")]
    known = {mirrored(module) for module in MODULES}
    unknown = {path.relative_to(TESTS).as_posix() for path in files} - known
    assert not unknown


def test_modules_tested_elsewhere_are_there() -> None:
    gone = set(ELSEWHERE) - set(MODULES)
    assert not gone
    assert all((TESTS / place).exists() for place in ELSEWHERE.values())
    assert not [module for module in ELSEWHERE if (TESTS / mirrored(module)).exists()]


def test_no_file_of_tests_imports_another() -> None:
    for path in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
                assert ".test_" not in node.module, path
