"""Training: recipes, batches by token budget, one loop, checkpoints, model folders."""
