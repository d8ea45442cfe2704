"""Messaging: subscriptions, patterns, requests, queue groups, last values and back-pressure."""
