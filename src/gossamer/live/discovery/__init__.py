"""Discovery: addresses, and the sources in which a node looks for the first nodes."""
