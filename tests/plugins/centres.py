"""A module beside a plug-in, which the plug-in imports."""


def centre_of(subscribers: list[int], centre: str) -> int:
    """Return the first or the last subscriber."""
    return subscribers[0 if centre == "first" else -1]
