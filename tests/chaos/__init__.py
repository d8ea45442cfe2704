"""Live services under faults: ``script/chaos``.

A controller starts processes that publish to each other, kills, pauses, ends and cuts off some of
them, starts them again, and counts what was lost, duplicated or out of order.
"""
