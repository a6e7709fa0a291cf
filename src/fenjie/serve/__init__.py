"""Words and entities over HTTP: what `fenjie serve` runs."""
