"""Strategies that keep an overlay topic-connected under churn; one module per strategy."""
