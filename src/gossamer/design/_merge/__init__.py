"""State and steps that greedy merge, LowODA and MinMax-ODA share."""
