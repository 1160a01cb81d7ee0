"""Where placeholders may stand in a message, and how what they write is escaped there."""

import re

from templates import literal_start

PERSON, PLAIN, LINK = "read by a person", "read by an app", "a link"


def place(path, text):
    """How values are written into the text at this path of a message. None where no placeholder may stand."""
    where, last = path[:-1], path[-1]
    if where in (("notification",), ("android", "notification"), ("webpush", "notification")):
        return {"title": PERSON, "body": PERSON, "image": LINK, "tag": PLAIN}.get(last)
    if len(path) == 4 and path[:2] == ("android", "notification") and path[2] in ("title_loc_args", "body_loc_args"):
        return PERSON
    if path in (("apns", "fcm_options", "image"), ("webpush", "fcm_options", "link")):
        return LINK
    if path[:2] == ("apns", "payload"):
        if path[2] == "aps":
            return PERSON if path[3:4] == ("alert",) else None
        return free(text)
    if path[0] == "data" or path[:2] in (("android", "data"), ("webpush", "data")):
        return free(text)
    return None


def free(text):
    """A string that the app reads may be a link: then it begins like one, before the first value."""
    return LINK if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", literal_start(text)) else PLAIN


def texts(value, path=()):
    """All strings of a message with their paths."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from texts(member, (*path, key))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from texts(element, (*path, index))


def replaced(value, change, path=()):
    """The same message, each string changed by `change(path, text)`."""
    if isinstance(value, str):
        return change(path, value)
    if isinstance(value, dict):
        return {key: replaced(member, change, (*path, key)) for key, member in value.items()}
    if isinstance(value, list):
        return [replaced(element, change, (*path, index)) for index, element in enumerate(value)]
    return value
