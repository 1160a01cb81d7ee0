"""Adds a history to a state: finished occurrences for all recipients, as herald would have written them."""

import hashlib
import sqlite3
import struct

CHUNK = 1 << 16
BITMAP = 2
ACCEPTED, REJECTED = 1, 2
CODE = "UNREGISTERED"


def bitmap(first, last, holds):
    """The numbers from first to last for which `holds` is true: count and chunk bytes (RecipientSet+Coding.swift)."""
    bits = bytearray(CHUNK // 8)
    count = 0
    for number in range(first, last + 1):
        if holds(number):
            bits[number % CHUNK >> 3] |= 1 << (number & 7)
            count += 1
    return count, bytes([BITMAP]) + bytes(bits)


def checksum(owner, state, chunk, data):
    """What herald writes beside a set, to see that it is as it was written (ChunkTable+Checksum.swift)."""
    digest = hashlib.sha256(struct.pack("<qqq", owner, state, chunk) + data).digest()
    return struct.unpack("<q", digest[:8])[0]


def add_finished(state, occurrences, recipients):
    """Every tenth recipient was rejected, so that no set has a small form. Numbers begin at 1."""
    accepted, rejected = [], []
    for chunk in range(recipients // CHUNK + 1):
        first, last = max(1, chunk * CHUNK), min(recipients, (chunk + 1) * CHUNK - 1)
        for sets, holds in [(accepted, lambda number: number % 10), (rejected, lambda number: number % 10 == 0)]:
            sets.append((chunk, *bitmap(first, last, holds)))
    with sqlite3.connect(state) as database:
        database.execute("INSERT OR IGNORE INTO code (code) VALUES (?)", (CODE,))
        [[code]] = database.execute("SELECT id FROM code WHERE code = ?", (CODE,))
        for number in range(occurrences):
            id = database.execute(
                "INSERT INTO occurrence (name, campaign, revision, due, content_digest, target, finished)"
                " VALUES (?, ?, 1, ?, ?, 'audience:all', ?)",
                (f"past-{number}@once", f"past-{number % 10}", 1.7e9 + 3600 * number, f"sha256:{number}",
                 1.7e9 + 3600 * number + 60)).lastrowid
            for table, kind, sets in [
                    ("ledger", ACCEPTED, accepted), ("ledger", REJECTED, rejected), ("rejection", code, rejected)]:
                database.executemany(
                    f"INSERT INTO {table} (occurrence, state, chunk, members, bytes, checksum) VALUES (?, ?, ?, ?, ?, ?)",
                    [(id, kind, *row, checksum(id, kind, row[0], row[2])) for row in sets])
    database.close()
