"""Models on Hugging Face's hub: `hf:owner/name`, fetched once and cached.

The network is used for a model that the cache lacks, and where the newest files are asked for. Two
other places use it: `fenjie.integrations.hub`, which uploads a model, and
`fenjie.nn.encoders.hugging_face`, where an encoder is named by its place on the hub.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fenjie.errors import FenjieError, first_line, needing

PREFIX = "hf:"
"""What the name of a model on the hub begins with."""

_NAME = re.compile(r"(?P<owner>[\w.-]+)/(?P<name>[\w.-]+)(?:@(?P<revision>\S+))?")


def is_on_hub(name: object) -> bool:
    """Whether a name is that of a model on the hub."""
    return isinstance(name, str) and name.startswith(PREFIX)


def with_revision(name: object, revision: str | None) -> str:
    """The name of a model on the hub at a revision: `hf:owner/name@revision`.

    Args:
        name: the name of a model.
        revision: a branch, a tag or the hash of a commit; None for that of the name.

    Raises:
        FenjieError: the model is not on the hub, or its name has a revision already.
    """
    if not is_on_hub(name) or not isinstance(name, str):
        raise FenjieError(f"only models on the hub have revisions; {str(name)!r} is none")
    repo, own = split_name(name)
    if None not in (own, revision) and own != revision:
        raise FenjieError(f"two revisions of {repo}: {own!r} and {revision!r}")
    return name if revision is None or own is not None else f"{name}@{revision}"


def split_name(name: str) -> tuple[str, str | None]:
    """The repository and the revision, None for its newest, of `hf:owner/name@revision`.

    Raises:
        FenjieError: it is none.
    """
    found = _NAME.fullmatch(name.removeprefix(PREFIX))
    if found is None:
        raise FenjieError(f"no model {name!r}: expected {PREFIX}owner/name or …@revision")
    return f"{found['owner']}/{found['name']}", found["revision"]


def fetch(name: str, files: Sequence[str], *, newest: bool = False) -> Path:
    """The folder of a model on the hub: that of the cache, or else it is downloaded.

    Args:
        name: `hf:owner/name` or `hf:owner/name@revision`.
        files: the names of the files of a model, the list of their checksums first; no others are
            downloaded.
        newest: whether to ask the hub for the newest files also where the cache has some.

    Raises:
        FenjieError: there is no such model, it cannot be reached, or `huggingface_hub` is not
            installed.
    """
    repo, revision = split_name(name)
    with needing("a model of the hub needs", "hub"):
        from huggingface_hub import HfApi, snapshot_download
    wanted: dict[str, Any] = {"revision": revision, "allow_patterns": list(files)}
    if not newest:
        with suppress(OSError):  # not in the cache
            found = Path(snapshot_download(repo, local_files_only=True, **wanted))
            if _is_whole(found, files[0]):
                return found
    try:
        HfApi().model_info(repo, revision=revision)  # out of reach, what is cached would be taken
        return Path(snapshot_download(repo, **wanted))
    except Exception as error:  # of whichever HTTP library it uses
        raise FenjieError(f"{name} cannot be fetched: {first_line(error)}") from error


def _is_whole(folder: Path, checksums: str) -> bool:
    """Whether a folder has each file whose checksum it lists: a download may have been cut."""
    path = folder / checksums
    if not path.is_file():
        return False
    names = (line.partition("  ")[2] for line in path.read_text("utf-8", "replace").splitlines())
    return all((folder / name).is_file() for name in names)
