"""Slow implementations written straight from the papers' equations: oracles of the fast ones."""
