#pragma once

#include <stddef.h>
#include <stdint.h>

/// What SQLite did to a file.
enum power_cut_kind {
    POWER_CUT_WRITE,
    /// The file ends at `offset` from then on.
    POWER_CUT_TRUNCATE,
    /// What was done to the file before is on the disk once this is done.
    POWER_CUT_SYNC,
    POWER_CUT_DELETE,
};

struct power_cut_operation {
    enum power_cut_kind kind;
    /// Of the file, without the folder.
    const char *file;
    int64_t offset;
    const uint8_t *bytes;
    size_t count;
};

/// Writes down, from now on, what SQLite does to files in the folder; what it did elsewhere and before is forgotten.
/// SQLite notices nothing: its calls go to the system's own VFS, as those for all other files do.
void power_cut_record(const char *folder);

/// How many operations there are so far.
size_t power_cut_count(void);

/// Operation `index`, from 0; it is there until the next `power_cut_record`.
struct power_cut_operation power_cut_at(size_t index);
