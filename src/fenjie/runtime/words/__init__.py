"""The user's own words."""
