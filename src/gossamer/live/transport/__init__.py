"""Transport: frames over TCP connections, with limits, bans and reconnection."""
