#include "CPowerCut.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// MARK: What is written down

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *folder;
static struct power_cut_operation *operations;
static size_t count;
static size_t room;

static char *copy(const void *bytes, size_t length) {
    char *new = malloc(length + 1);
    if (!new) abort();
    if (length) memcpy(new, bytes, length);
    new[length] = 0;
    return new;
}

/// The name of a file in the folder; NULL for all other files, and for the index of a log, which no crash outlasts.
static const char *name_of(const char *path) {
    size_t length = folder ? strlen(folder) : 0;
    if (!path || !length || strncmp(path, folder, length) || path[length] != '/') return NULL;
    return path + length + 1;
}

static void note(enum power_cut_kind kind, const char *path, int64_t offset, const void *bytes, size_t length) {
    pthread_mutex_lock(&lock);
    const char *file = name_of(path);
    if (file) {
        if (count == room) {
            room = room ? 2 * room : 1024;
            operations = realloc(operations, room * sizeof *operations);
            if (!operations) abort();
        }
        operations[count++] = (struct power_cut_operation){
            kind, copy(file, strlen(file)), offset, (const uint8_t *)copy(bytes, length), length};
    }
    pthread_mutex_unlock(&lock);
}

size_t power_cut_count(void) {
    pthread_mutex_lock(&lock);
    size_t now = count;
    pthread_mutex_unlock(&lock);
    return now;
}

struct power_cut_operation power_cut_at(size_t index) {
    pthread_mutex_lock(&lock);
    if (index >= count) abort();
    struct power_cut_operation operation = operations[index];
    pthread_mutex_unlock(&lock);
    return operation;
}

// MARK: Files

/// A file of the system's VFS, which begins behind it.
struct file {
    sqlite3_file base;
    char *path;
};

#define FILE_OF(base) ((struct file *)(base))
#define REAL(base) ((sqlite3_file *)(FILE_OF(base) + 1))
#define PASS(base, call, ...) REAL(base)->pMethods->call(REAL(base), ##__VA_ARGS__)

static int file_close(sqlite3_file *base) {
    int result = PASS(base, xClose);
    free(FILE_OF(base)->path);
    return result;
}

static int file_write(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
    int result = PASS(base, xWrite, bytes, length, offset);
    if (result == SQLITE_OK) note(POWER_CUT_WRITE, FILE_OF(base)->path, offset, bytes, (size_t)length);
    return result;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    int result = PASS(base, xTruncate, size);
    if (result == SQLITE_OK) note(POWER_CUT_TRUNCATE, FILE_OF(base)->path, size, NULL, 0);
    return result;
}

static int file_sync(sqlite3_file *base, int flags) {
    int result = PASS(base, xSync, flags);
    if (result == SQLITE_OK) note(POWER_CUT_SYNC, FILE_OF(base)->path, 0, NULL, 0);
    return result;
}

static int file_read(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
    return PASS(base, xRead, bytes, length, offset);
}
static int file_size(sqlite3_file *base, sqlite3_int64 *size) { return PASS(base, xFileSize, size); }
static int file_lock(sqlite3_file *base, int level) { return PASS(base, xLock, level); }
static int file_unlock(sqlite3_file *base, int level) { return PASS(base, xUnlock, level); }
static int file_check_lock(sqlite3_file *base, int *result) { return PASS(base, xCheckReservedLock, result); }
static int file_control(sqlite3_file *base, int code, void *argument) {
    return PASS(base, xFileControl, code, argument);
}
static int file_sector(sqlite3_file *base) { return PASS(base, xSectorSize); }
static int file_device(sqlite3_file *base) { return PASS(base, xDeviceCharacteristics); }
static int file_shm_map(sqlite3_file *base, int page, int size, int extend, void volatile **place) {
    return PASS(base, xShmMap, page, size, extend, place);
}
static int file_shm_lock(sqlite3_file *base, int offset, int n, int flags) {
    return PASS(base, xShmLock, offset, n, flags);
}
static void file_shm_barrier(sqlite3_file *base) { PASS(base, xShmBarrier); }
static int file_shm_unmap(sqlite3_file *base, int delete) { return PASS(base, xShmUnmap, delete); }

/// Version 2: without mapping files into memory, of which nothing could be written down.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// MARK: The VFS

static sqlite3_vfs *real;
static sqlite3_vfs ours;

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
    (void)vfs;
    base->pMethods = NULL;
    int result = real->xOpen(real, path, REAL(base), flags, out);
    if (!REAL(base)->pMethods) return result;
    base->pMethods = &methods;
    FILE_OF(base)->path = copy(path ? path : "", path ? strlen(path) : 0);
    return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    int result = real->xDelete(real, path, sync);
    if (result == SQLITE_OK) note(POWER_CUT_DELETE, path, 0, NULL, 0);
    return result;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void install(void) {
    sqlite3_initialize();
    real = sqlite3_vfs_find(NULL);
    ours = *real;
    ours.zName = "power-cut";
    ours.szOsFile = (int)sizeof(struct file) + real->szOsFile;
    ours.xOpen = vfs_open;
    ours.xDelete = vfs_delete;
    sqlite3_vfs_register(&ours, 1);
}

void power_cut_record(const char *path) {
    pthread_once(&once, install);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        free((void *)operations[i].file);
        free((void *)operations[i].bytes);
    }
    count = 0;
    free(folder);
    folder = copy(path, strlen(path));
    pthread_mutex_unlock(&lock);
}
