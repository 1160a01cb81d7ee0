"""Bounds of the bytes that count against FCM's limit. FCM does not say how it counts, so tests keep off."""

import json

LIMIT = 4096


def characters(value):
    """The bytes of all keys and values."""
    if isinstance(value, dict):
        return sum(len(key.encode()) + characters(member) for key, member in value.items())
    if isinstance(value, list):
        return sum(map(characters, value))
    return len(value.encode()) if isinstance(value, str) else 1


def least(message):
    """No platform's way to count gives a smaller figure for the platform that gets most."""
    shared, data = message.get("notification", {}), message.get("data", {})
    android, web = message.get("android", {}), message.get("webpush", {})
    return max(
        characters({**shared, **android.get("notification", {})}) + characters(android.get("data", data)),
        characters({**shared, **web.get("notification", {})}) + characters(web.get("data", data)),
        characters(message.get("apns", {}).get("payload", {})),
    )


def most(message):
    """No way to count gives a greater figure: all of the message, with everything escaped that may be."""
    text = json.dumps(message)
    return len(text) + text.count("/") + 200


def is_too_large(message):
    """None where it depends on how bytes are counted."""
    if least(message) > LIMIT:
        return True
    return None if most(message) > LIMIT else False
