"""Hugging Face's hub: put a model folder there, for `fenjie.load("hf:owner/name")`."""

from __future__ import annotations

import shutil
import tempfile
from os import PathLike
from pathlib import Path

from fenjie.errors import FenjieError, first_line, needing
from fenjie.runtime.checksums import seal
from fenjie.runtime.folder import ModelFolder
from fenjie.runtime.hub import PREFIX, split_name
from fenjie.runtime.model_files import CARD, CHECKSUMS, FILES

TAGS = {"segment": "word-segmentation", "ner": "named-entity-recognition"}
"""What the hub lists a model under, by its task."""


def push(
    model: str | PathLike[str],
    name: str,
    *,
    private: bool = False,
    message: str | None = None,
) -> str:
    """Upload a model folder, and make its repository where there is none.

    Only the files of the model are uploaded. The hub reads language and task from lines that the
    card gets at its head. Who uploads is known by `hf auth login` or the environment variable
    HF_TOKEN.

    Args:
        model: the model folder, or the name of a shipped model.
        name: the repository, `owner/name`; `owner/name@branch` for a branch of it.
        private: whether a new repository is seen by its owner alone.
        message: the message of the commit.

    Returns:
        The address of the commit.

    Raises:
        FenjieError: the model is damaged, the hub refuses, or `huggingface_hub` is not installed.
    """
    folder = ModelFolder.open(model)
    repo, branch = split_name(name)
    with needing("fenjie push needs", "hub"):
        from huggingface_hub import HfApi
    with tempfile.TemporaryDirectory() as place:
        made = Path(place)
        for file in (*FILES, CHECKSUMS):
            if (folder.path / file).is_file():
                shutil.copyfile(folder.path / file, made / file)
        _describe(made / CARD, folder)
        seal(made)
        api = HfApi()
        try:
            api.create_repo(repo, private=private, exist_ok=True)
            if branch is not None:
                api.create_branch(repo, branch=branch, exist_ok=True)
            commit = api.upload_folder(
                repo_id=repo,
                folder_path=made,
                revision=branch,
                commit_message=message or f"{folder.name}, a model of fenjie",
            )
        except Exception as error:  # of whichever HTTP library it uses
            raise FenjieError(f"{PREFIX}{name} cannot be uploaded: {first_line(error)}") from error
    return str(commit.commit_url)


def _describe(card: Path, folder: ModelFolder) -> None:
    """Put what the hub wants to know at the head of the card, which stays as it is otherwise."""
    text = (
        card.read_text(encoding="utf-8", errors="replace")
        if card.is_file()
        else f"# {folder.name}\n"
    )
    if text.startswith("---\n"):
        return
    tags = [TAGS.get(folder.config["task"], "Chinese"), str(folder.config["architecture"])]
    head = (
        "---\n"
        "language: zh\n"
        "library_name: fenjie\n"
        "pipeline_tag: token-classification\n"
        f"tags: [{', '.join(tags)}]\n"
        "---\n\n"
    )
    card.write_text(head + text, encoding="utf-8", newline="\n")
