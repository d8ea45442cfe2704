"""Vitis, RVR and OPT in rounds, all nodes at once: arrays and kernels instead of machines.

For sizes at which a machine and a message each are too many: 10,000 nodes that send profiles to
each other fifteen-fold take a fraction of a second a round. What a round is to a machine, a period
of its timers, is a step here, in which everything sent arrives. Decisions are those of
:mod:`gossamer.protocols.vitis`; property tests compare them.
"""
