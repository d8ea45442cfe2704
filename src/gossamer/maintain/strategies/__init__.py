"""Ways to keep an overlay topic-connected when nodes come and go; a file is a strategy."""
