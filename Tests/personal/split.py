"""Which variant somebody is in: a keyed hash, compared with the weights without rounding."""

import hashlib
import hmac

KEY = b"herald.split/1"


def point(seed, unit):
    """Of 2^64 places the one of this unit."""
    return int.from_bytes(hmac.digest(KEY, seed.encode() + b"\0" + unit.encode(), hashlib.sha256)[:8], "big")


def variant(seed, unit, weights):
    """The name among `weights` whose share holds the unit's place. Names are in order, as their bytes are."""
    place, total, share = point(seed, unit), sum(weights.values()), 0
    for name in sorted(weights, key=str.encode):
        share += weights[name]
        if place * total < share << 64:
            return name
    raise AssertionError("the shares do not add up")


def recipient_key(registration):
    """What names the installation: the fid; of a token the part before the colon if it can be one; else all of it."""
    head, colon, _ = registration.partition(":")
    is_fid = colon and len(head) == 22 and all(c.isascii() and (c.isalnum() or c in "_-") for c in head)
    return head if is_fid else registration
