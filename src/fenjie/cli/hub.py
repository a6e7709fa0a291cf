"""`fenjie push` and `fenjie pull`: models on Hugging Face's hub."""

from __future__ import annotations

from typing import Annotated

import typer

from fenjie.cli.options import Model

Name = Annotated[
    str, typer.Argument(metavar="OWNER/NAME", help="A model on the hub; @REVISION may follow.")
]


def push(
    name: Name,
    model: Model,
    private: Annotated[
        bool, typer.Option("--private", help="A new repository is seen by its owner alone.")
    ] = False,
    message: Annotated[str | None, typer.Option(help="The message of the commit.")] = None,
) -> None:
    """Upload a model folder to Hugging Face's hub.

    Log in first: hf auth login, or HF_TOKEN. `--model hf:OWNER/NAME` names the model afterwards.
    """
    from fenjie.integrations.hub import push as upload

    typer.echo(upload(model, name, private=private, message=message))


def pull(name: Name) -> None:
    """Download the newest files of a model on the hub, and print their folder.

    Models are downloaded when they are first used, and then read from the cache without a look at
    the network: this command is for what has changed since then.
    """
    from fenjie.runtime.folder import ModelFolder
    from fenjie.runtime.hub import PREFIX, fetch
    from fenjie.runtime.model_files import CHECKSUMS, FILES

    name = name if name.startswith(PREFIX) else f"{PREFIX}{name}"
    folder = fetch(name, (CHECKSUMS, *FILES), newest=True)
    typer.echo(ModelFolder.open(folder).path)
