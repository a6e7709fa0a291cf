"""Words and entities as tasks: data, labels, batches and scores."""
