"""An age in words. Pure; it stands alone because the quick path of post-commit loads no more than it needs."""


def ago(seconds: float) -> str:
    """An age in words: `4 min ago`."""
    if seconds < 90:
        return "just now" if seconds < 10 else f"{int(seconds)} s ago"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min ago"
    if seconds < 36 * 3600:
        return f"{round(seconds / 3600)} h ago"
    return f"{round(seconds / 86400)} days ago"
