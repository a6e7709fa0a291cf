"""The view of a model on a text: what `fenjie explain` and the page draw."""
