"""Much text: several processes, runs that go on after they were stopped."""
