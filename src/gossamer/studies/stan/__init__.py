"""StaN, supplement: every figure and what the text says of it."""
