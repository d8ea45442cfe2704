"""Components of machines, and functions that several protocols share."""
