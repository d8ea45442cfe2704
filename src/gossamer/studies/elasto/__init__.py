"""ElastO: every figure and stated number of the evaluation."""
