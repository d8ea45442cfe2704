"""What travels: events, their envelopes and parts, topics, patterns, and further messages."""
