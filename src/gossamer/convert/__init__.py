"""Conversions between plain arrays and the objects of other libraries: data frames and graphs.

The functions take and return names, ids and pairs; the methods ``from_…`` and ``to_…`` of
:class:`gossamer.Interests` and :class:`gossamer.Overlay` are the way to use them. Each optional
library is imported when its conversion is called.
"""
