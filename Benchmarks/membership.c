// Compares three ways to keep sets of recipients in SQLite. See docs/explanation/decisions/0002-membership-and-ledger.md.
//
//     cc -O2 -o membership membership.c -lsqlite3 -lroaring
//     ./membership 2000000             a quick look; 20000000 is the run in the decision record
//     ./membership 20000000 10000000   the same pairs spread over more recipients
//     ./membership damage              reads damaged blobs; valgrind -q --error-exitcode=2 sees silent errors too
//
// (a) rows     one row per (topic, recipient)
// (b) chunks   one blob per (topic, state, 65,536 ids): the smallest of array, bitmap and runs, checked when read
// (c) CRoaring the same chunks in CRoaring's portable format
#include <roaring/roaring.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TOPICS = 40, DENSE = 7, MEDIUM = 28, LOAD_BATCH = 100000, BATCH = 500, REPEATS = 3 };
enum { WORDS = 1024, BITMAP_BYTES = 8192, ARRAY = 1, BITMAP = 2, RUNS = 3 };
enum { OWNED = 1 };                                     // the one state of a membership
enum { INTENT = 1, ACCEPTED = 2, REJECTED = 3, UNKNOWN = 4 };  // the states of the ledger

typedef enum { ROWS, CHUNKS, ROARING, FORMS } Form;
typedef struct { uint32_t *ids; size_t count, room; } List;
typedef struct { Form form; char path[256]; sqlite3 *db; sqlite3_stmt *put, *take, *find; } Store;

static void check(bool holds, const char *what) {
    if (!holds) { fprintf(stderr, "membership: %s\n", what); exit(1); }
}

// Lists, chance, time
static void append(List *list, uint32_t id) {
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 1024;
        list->ids = realloc(list->ids, list->room * sizeof *list->ids);
        check(list->ids, "out of memory");
    }
    list->ids[list->count++] = id;
}
static uint64_t nextRandom(void) {  // splitmix64
    static uint64_t seed = 20261201;
    uint64_t z = seed += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}
static bool chance(double p) { return (nextRandom() >> 11) * 0x1p-53 < p; }
static List shuffled(List list) {
    List copy = {0};
    for (size_t i = 0; i < list.count; i++) {
        size_t place = nextRandom() % (i + 1);
        append(&copy, list.ids[i]);
        copy.ids[i] = copy.ids[place], copy.ids[place] = list.ids[i];
    }
    return copy;
}
static int byID(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }
static double median(const double *v) {  // of three
    double low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    return v[2] < low ? low : v[2] > high ? high : v[2];
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static double mebibytesWritten(void) {  // by this process through write calls, so WAL and checkpoints; Linux only
    unsigned long long bytes = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (file) check(fscanf(file, "rchar: %*u wchar: %llu", &bytes) == 1, "cannot read /proc/self/io"), fclose(file);
    return bytes / 1048576.0;
}

// Form (b): a kind byte, then UInt16 values little-endian (this program assumes such a machine)
static uint32_t population(const uint64_t *words) {
    uint32_t count = 0;
    for (int i = 0; i < WORDS; i++) count += __builtin_popcountll(words[i]);
    return count;
}
static void fill(uint64_t *words, uint32_t first, uint32_t last) {
    for (uint32_t i = first >> 6; i <= last >> 6; i++) {
        uint64_t head = i == first >> 6 ? ~0ull << (first & 63) : ~0ull;
        words[i] |= i == last >> 6 ? head & ~0ull >> (63 - (last & 63)) : head;
    }
}
static uint16_t read16(const uint8_t *bytes) { uint16_t v; memcpy(&v, bytes, 2); return v; }
static void write16(uint8_t *bytes, uint32_t value) { uint16_t v = value; memcpy(bytes, &v, 2); }

static size_t encode(const uint64_t *w, uint32_t members, uint8_t *blob) {
    uint8_t *out = blob + 1;
    uint32_t runs = 0;
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; carry = w[i++] >> 63) runs += __builtin_popcountll(w[i] & ~(w[i] << 1 | carry));
    if (runs * 4 < BITMAP_BYTES && runs * 4 <= members * 2) {
        blob[0] = RUNS;
        int64_t first = -1;
        carry = 0;
        for (int i = 0; i < WORDS; carry = w[i++] >> 63) {
            uint64_t edges = w[i] ^ (w[i] << 1 | carry);  // where a run begins, or the bit after its end
            for (; edges; edges &= edges - 1) {
                int64_t at = i * 64 + __builtin_ctzll(edges);
                if (first < 0) { first = at; continue; }
                write16(out, first), write16(out + 2, at - 1 - first), out += 4, first = -1;
            }
        }
        if (first >= 0) write16(out, first), write16(out + 2, 65535 - first), out += 4;
    } else if (members * 2 < BITMAP_BYTES) {
        blob[0] = ARRAY;
        for (int i = 0; i < WORDS; i++)
            for (uint64_t rest = w[i]; rest; rest &= rest - 1, out += 2) write16(out, i * 64 + __builtin_ctzll(rest));
    } else {
        blob[0] = BITMAP;
        memcpy(out, w, BITMAP_BYTES), out += BITMAP_BYTES;
    }
    return out - blob;
}

// Refuses anything encode would not have written in shape; never touches memory outside blob and words.
static bool decode(const uint8_t *blob, size_t size, uint32_t members, uint64_t *words) {
    memset(words, 0, BITMAP_BYTES);
    if (size < 2) return false;
    const uint8_t *body = blob + 1, *end = blob + size;
    int64_t last = -1;
    switch (blob[0]) {
    case ARRAY:
        if ((size - 1) % 2) return false;
        for (; body < end; body += 2) {
            uint16_t id = read16(body);
            if (id <= last) return false;
            words[id >> 6] |= 1ull << (id & 63);
            last = id;
        }
        break;
    case BITMAP:
        if (size - 1 != BITMAP_BYTES) return false;
        memcpy(words, body, BITMAP_BYTES);
        break;
    case RUNS:
        if ((size - 1) % 4) return false;
        for (last = -2; body < end; body += 4) {
            int64_t first = read16(body), until = first + read16(body + 2);
            if (first <= last + 1 || until > 65535) return false;
            fill(words, first, until);
            last = until;
        }
        break;
    default: return false;
    }
    return population(words) == members;
}

// Stores
static void execute(Store *s, const char *sql) { check(!sqlite3_exec(s->db, sql, 0, 0, 0), sqlite3_errmsg(s->db)); }
static sqlite3_stmt *prepare(Store *store, const char *sql) {
    sqlite3_stmt *statement;
    check(!sqlite3_prepare_v2(store->db, sql, -1, &statement, 0), sqlite3_errmsg(store->db));
    return statement;
}
static void bind(sqlite3_stmt *statement, int64_t a, int64_t b, int64_t c) {
    sqlite3_bind_int64(statement, 1, a), sqlite3_bind_int64(statement, 2, b);
    if (sqlite3_bind_parameter_count(statement) > 2) sqlite3_bind_int64(statement, 3, c);
}
static void finish(sqlite3_stmt *statement) {
    check(sqlite3_step(statement) == SQLITE_DONE && !sqlite3_reset(statement), "a statement failed");
}

static Store openStore(Form form, const char *folder, const char *name) {
    Store store = {.form = form};
    snprintf(store.path, sizeof store.path, "%s/%s%d.sqlite", folder, name, form);
    check(!sqlite3_open(store.path, &store.db), "cannot open the file");
    execute(&store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    if (form == ROWS) {
        execute(&store, "CREATE TABLE sets (topic INTEGER, recipient INTEGER, state INTEGER NOT NULL,"
                        " PRIMARY KEY (topic, recipient)) WITHOUT ROWID");
        store.put = prepare(&store, "INSERT INTO sets VALUES (?1, ?3, ?2)"
                                    " ON CONFLICT DO UPDATE SET state = excluded.state");
        store.take = prepare(&store, "DELETE FROM sets WHERE topic = ?1 AND recipient = ?3 AND state = ?2");
        store.find = prepare(&store, "SELECT recipient FROM sets WHERE topic = ? AND state = ? ORDER BY recipient");
    } else {
        execute(&store, "CREATE TABLE sets (topic INTEGER, state INTEGER, chunk INTEGER, members INTEGER NOT NULL,"
                        " data BLOB NOT NULL, PRIMARY KEY (topic, state, chunk)) WITHOUT ROWID");
        store.put = prepare(&store, "INSERT INTO sets VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
                                    " SET members = excluded.members, data = excluded.data");
        store.take = prepare(&store, "DELETE FROM sets WHERE topic = ? AND state = ? AND chunk = ?");
        store.find = prepare(&store, "SELECT members, data FROM sets WHERE topic = ? AND state = ? AND chunk = ?");
    }
    return store;
}

static double closeStore(Store *store, bool removed) {  // answers the file's size
    execute(store, "PRAGMA wal_checkpoint(TRUNCATE)");
    struct stat status;
    check(!stat(store->path, &status), "cannot see the file");
    if (removed) {
        sqlite3_finalize(store->put), sqlite3_finalize(store->take), sqlite3_finalize(store->find);
        check(!sqlite3_close(store->db), "cannot close the file");
        unlink(store->path);
    }
    return status.st_size;
}

static void readChunk(Store *store, int topic, int state, uint32_t chunk, uint64_t *words) {
    sqlite3_stmt *find = store->find;
    bind(find, topic, state, chunk);
    if (sqlite3_step(find) != SQLITE_ROW) memset(words, 0, BITMAP_BYTES);
    else check(decode(sqlite3_column_blob(find, 1), sqlite3_column_bytes(find, 1), sqlite3_column_int(find, 0), words),
               "a chunk is damaged");
    sqlite3_reset(find);
}

static roaring_bitmap_t *readRoaring(Store *store, int topic, int state, uint32_t chunk) {
    sqlite3_stmt *find = store->find;
    bind(find, topic, state, chunk);
    roaring_bitmap_t *set = sqlite3_step(find) == SQLITE_ROW
        ? roaring_bitmap_portable_deserialize_safe(sqlite3_column_blob(find, 1), sqlite3_column_bytes(find, 1))
        : roaring_bitmap_create();
    check(set, "a chunk is damaged");
    sqlite3_reset(find);
    return set;
}

static void writeChunk(Store *store, int topic, int state, uint32_t chunk, uint32_t members, void *blob, size_t size) {
    sqlite3_stmt *statement = members ? store->put : store->take;
    bind(statement, topic, state, chunk);
    if (members) sqlite3_bind_int(statement, 4, members), sqlite3_bind_blob(statement, 5, blob, size, SQLITE_STATIC);
    finish(statement);
}

// Adds ids to, or removes them from, one set. The caller holds the transaction.
static void change(Store *store, int topic, int state, const uint32_t *given, size_t count, bool add) {
    static uint32_t ids[LOAD_BATCH];
    memcpy(ids, given, count * sizeof *ids);
    size_t ordered = 1;
    while (ordered < count && ids[ordered - 1] < ids[ordered]) ordered++;
    if (ordered < count) qsort(ids, count, sizeof *ids, byID);
    if (store->form == ROWS) {
        for (size_t i = 0; i < count; i++) {
            bind(add ? store->put : store->take, topic, state, ids[i]);
            finish(add ? store->put : store->take);
        }
        return;
    }
    for (size_t i = 0; i < count;) {
        uint32_t chunk = ids[i] >> 16;
        if (store->form == CHUNKS) {
            uint64_t words[WORDS];
            uint8_t blob[1 + BITMAP_BYTES];
            readChunk(store, topic, state, chunk, words);
            for (; i < count && ids[i] >> 16 == chunk; i++) {
                uint64_t bit = 1ull << (ids[i] & 63), *word = &words[(ids[i] & 65535) >> 6];
                *word = add ? *word | bit : *word & ~bit;
            }
            uint32_t members = population(words);
            writeChunk(store, topic, state, chunk, members, blob, encode(words, members, blob));
        } else {
            static char blob[65536];
            roaring_bitmap_t *set = readRoaring(store, topic, state, chunk);
            for (; i < count && ids[i] >> 16 == chunk; i++)
                add ? roaring_bitmap_add(set, ids[i] & 65535) : roaring_bitmap_remove(set, ids[i] & 65535);
            roaring_bitmap_run_optimize(set);
            check(roaring_bitmap_portable_size_in_bytes(set) <= sizeof blob, "a chunk is too large");
            size_t size = roaring_bitmap_portable_serialize(set, blob);
            writeChunk(store, topic, state, chunk, roaring_bitmap_get_cardinality(set), blob, size);
            roaring_bitmap_free(set);
        }
    }
}

static void changeInBatches(Store *store, int topic, int state, List list, size_t size, bool add) {
    for (size_t i = 0; i < list.count; i += size) {
        execute(store, "BEGIN IMMEDIATE");
        change(store, topic, state, list.ids + i, list.count - i < size ? list.count - i : size, add);
        execute(store, "COMMIT");
    }
}

// Finds what takes the recorded set of a topic to the desired one.
static void diff(Store *store, int topic, List desired, uint32_t recipients, List *joins, List *leaves) {
    joins->count = leaves->count = 0;
    size_t i = 0;
    if (store->form == ROWS) {
        bind(store->find, topic, OWNED, 0);
        while (sqlite3_step(store->find) == SQLITE_ROW) {
            uint32_t id = sqlite3_column_int64(store->find, 0);
            while (i < desired.count && desired.ids[i] < id) append(joins, desired.ids[i++]);
            if (i < desired.count && desired.ids[i] == id) i++;
            else append(leaves, id);
        }
        while (i < desired.count) append(joins, desired.ids[i++]);
        sqlite3_reset(store->find);
        return;
    }
    for (uint32_t chunk = 0; chunk <= recipients >> 16; chunk++) {
        if (store->form == CHUNKS) {
            uint64_t words[WORDS], wanted[WORDS] = {0};
            for (; i < desired.count && desired.ids[i] >> 16 == chunk; i++)
                wanted[(desired.ids[i] & 65535) >> 6] |= 1ull << (desired.ids[i] & 63);
            readChunk(store, topic, OWNED, chunk, words);
            for (uint32_t w = 0; w < WORDS; w++) {
                uint32_t base = chunk << 16 | w << 6;
                for (uint64_t b = wanted[w] & ~words[w]; b; b &= b - 1) append(joins, base + __builtin_ctzll(b));
                for (uint64_t b = words[w] & ~wanted[w]; b; b &= b - 1) append(leaves, base + __builtin_ctzll(b));
            }
        } else {
            static uint32_t low[65536];
            size_t count = 0;
            for (; i < desired.count && desired.ids[i] >> 16 == chunk; i++) low[count++] = desired.ids[i] & 65535;
            roaring_bitmap_t *recorded = readRoaring(store, topic, OWNED, chunk);
            roaring_bitmap_t *wanted = roaring_bitmap_of_ptr(count, low);
            for (int leaving = 0; leaving < 2; leaving++) {
                roaring_bitmap_t *part = leaving ? roaring_bitmap_andnot(recorded, wanted)
                                                 : roaring_bitmap_andnot(wanted, recorded);
                count = roaring_bitmap_get_cardinality(part);
                roaring_bitmap_to_uint32_array(part, low);
                for (size_t k = 0; k < count; k++) append(leaving ? leaves : joins, chunk << 16 | low[k]);
                roaring_bitmap_free(part);
            }
            roaring_bitmap_free(recorded), roaring_bitmap_free(wanted);
        }
    }
}

static size_t differences(Store *store, List *desired, uint32_t recipients) {
    static List joins, leaves;
    size_t total = 0;
    for (int t = 0; t < TOPICS; t++) {
        diff(store, t, desired[t], recipients, &joins, &leaves);
        total += joins.count + leaves.count;
    }
    return total;
}

static void applyChurn(Store *store, List *leaves, List *joins) {
    for (int t = 0; t < TOPICS; t++) {
        changeInBatches(store, t, OWNED, leaves[t], BATCH, false);
        changeInBatches(store, t, OWNED, joins[t], BATCH, true);
    }
}

// Each batch is committed twice: its intent before the sends, its outcomes after them.
static void fillLedger(Store *store, List recipients, const uint8_t *outcomes) {
    for (size_t i = 0; i + BATCH <= recipients.count; i += BATCH) {
        changeInBatches(store, 1, INTENT, (List){recipients.ids + i, BATCH, 0}, BATCH, true);
        execute(store, "BEGIN IMMEDIATE");
        for (int outcome = ACCEPTED; outcome <= UNKNOWN; outcome++) {
            uint32_t ids[BATCH];
            size_t found = 0;
            for (size_t k = i; k < i + BATCH; k++)
                if (outcomes[k] == outcome) ids[found++] = recipients.ids[k];
            change(store, 1, outcome, ids, found, true);
        }
        execute(store, "COMMIT");
    }
}

// What a damaged blob does
// Changes one to four bytes of a good blob and uses the result, in a child: 0 refused, 1 read, 2 crashed or hung.
static int readDamaged(bool roaring, uint8_t *blob, size_t size, uint32_t members) {
    for (int n = 1 + nextRandom() % 4; n; n--) {
        uint64_t where = nextRandom();  // half of the damage goes to the first bytes: kind, sizes, counts
        blob[where & 1 ? (where >> 1) % (size < 24 ? size : 24) : (where >> 1) % size] = nextRandom();
    }
    fflush(stdout);  // or the child prints it again
    pid_t child = fork();
    check(child >= 0, "cannot fork");
    if (child == 0) {
        alarm(5);
        check(freopen("/dev/null", "w", stderr), "no /dev/null");
        uint64_t words[WORDS];
        if (!roaring) _exit(decode(blob, size, members, words));
        roaring_bitmap_t *set = roaring_bitmap_portable_deserialize_safe((char *)blob, size);
        if (!set || roaring_bitmap_get_cardinality(set) != members) _exit(0);  // as (b) does
        roaring_bitmap_t *all = roaring_bitmap_from_range(0, 65536, 1), *rest = roaring_bitmap_andnot(all, set);
        uint32_t *ids = malloc(roaring_bitmap_get_cardinality(set) * sizeof *ids);
        roaring_bitmap_to_uint32_array(set, ids);
        roaring_bitmap_add(set, 7), roaring_bitmap_run_optimize(set);
        roaring_bitmap_portable_serialize(set, malloc(roaring_bitmap_portable_size_in_bytes(set)));
        roaring_bitmap_free(set), roaring_bitmap_free(rest), roaring_bitmap_free(all), free(ids);
        _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) < 2 ? WEXITSTATUS(status) : 2;
}

static void damage(void) {
    const char *kinds[] = {"array", "bitmap", "runs"};
    const double shares[] = {0.03, 0.4, 0.999};
    printf("%-8s %-9s %9s %9s %17s\n", "blob", "form", "refused", "read", "crashed or hung");
    for (int kind = 0; kind < 3; kind++) {
        uint64_t words[WORDS] = {0};
        roaring_bitmap_t *set = roaring_bitmap_create();
        for (uint32_t id = 0; id < 65536; id++)
            if (chance(shares[kind])) words[id >> 6] |= 1ull << (id & 63), roaring_bitmap_add(set, id);
        roaring_bitmap_run_optimize(set);
        uint32_t members = population(words);
        for (int roaring = 0; roaring < 2; roaring++) {
            int results[3] = {0};
            for (int n = 0; n < 500; n++) {
                uint8_t blob[16384];
                size_t size = encode(words, members, blob);
                if (roaring) size = roaring_bitmap_portable_serialize(set, (char *)blob);
                results[readDamaged(roaring, blob, size, members)]++;
            }
            const char *form = roaring ? "CRoaring" : "chunks";
            printf("%-8s %-9s %9d %9d %17d\n", kinds[kind], form, results[0], results[1], results[2]);
        }
    }
}

static void printRow(const char *what, const double *v) {
    printf("%-34s %10.3f %10.3f %10.3f %10.4f %10.4f\n", what, v[0], v[1], v[2], v[1] / v[0], v[2] / v[0]);
}

int main(int count, char **arguments) {
    if (count == 2 && !strcmp(arguments[1], "damage")) return damage(), 0;
    double asked = count > 1 ? atof(arguments[1]) : 2e6, usual = asked * 0.075;  // 1.5 million for 20 million pairs
    uint32_t recipients = count > 2 ? atof(arguments[2]) : usual;
    check(usual >= 1000 && recipients >= usual, "usage: membership PAIRS [RECIPIENTS] | damage");
    double thinning = usual / recipients;
    char folder[] = "/tmp/membership-XXXXXX";
    check(mkdtemp(folder), "no temporary folder");
    List recorded[TOPICS] = {0}, desired[TOPICS] = {0};
    size_t pairs = 0, churn = 0;
    for (int t = 0; t < TOPICS; t++) {
        double share = t < DENSE ? 0.9 : t < DENSE + MEDIUM ? 0.1 + 0.3 * (t - DENSE) / (MEDIUM - 1) : 0.02;
        for (int small = DENSE + MEDIUM; small < t; small++) share /= 5;  // the tail: 2 %, 0.4 %, ... of the recipients
        share *= thinning;
        for (uint32_t id = 1; id <= recipients; id++) {
            bool member = chance(share);
            bool changes = chance(member ? 0.005 : 0.005 * share / (1 - share));  // half leave, half join
            if (member) append(&recorded[t], id);
            if (member != changes) append(&desired[t], id);
            churn += changes;
        }
        pairs += recorded[t].count;
    }
    List audience = {0};  // the ledger's recipients
    uint8_t *outcomes = malloc(recipients);
    for (uint32_t id = 1; id <= recipients; id++) {
        outcomes[audience.count] = chance(0.0001) ? UNKNOWN : chance(0.01) ? REJECTED : ACCEPTED;
        if (chance(thinning * 2 / 3)) append(&audience, id);
    }
    audience.count -= audience.count % BATCH;
    printf("%zu pairs, %u recipients, %zu changes, a ledger of %zu\n", pairs, recipients, churn, audience.count);

    Store stores[FORMS];
    double size[FORMS], load[FORMS], ledgerSize[FORMS], written[3][FORMS], result[FORMS];
    double diffs[FORMS][REPEATS], scattered[FORMS][REPEATS], ascending[FORMS][REPEATS], ledger[FORMS][REPEATS];
    for (int f = 0; f < FORMS; f++) {
        stores[f] = openStore(f, folder, "members");
        double start = now();
        for (int t = 0; t < TOPICS; t++) changeInBatches(&stores[f], t, OWNED, recorded[t], LOAD_BATCH, true);
        size[f] = closeStore(&stores[f], false) / pairs;
        load[f] = now() - start;
    }
    List leaves[TOPICS] = {0}, joins[TOPICS] = {0}, mixedLeaves[TOPICS], mixedJoins[TOPICS];
    for (int t = 0; t < TOPICS; t++) {
        diff(&stores[ROWS], t, desired[t], recipients, &joins[t], &leaves[t]);
        mixedLeaves[t] = shuffled(leaves[t]), mixedJoins[t] = shuffled(joins[t]);
    }
    for (int r = 0; r < REPEATS; r++)  // the forms take turns, so that a busy machine disturbs all of them
        for (int f = 0; f < FORMS; f++) {
            Store *store = &stores[f];
            double start = now();
            check(differences(store, desired, recipients) == churn, "a diff is wrong");
            diffs[f][r] = now() - start, start = now(), written[0][f] = -mebibytesWritten();
            applyChurn(store, mixedLeaves, mixedJoins);
            scattered[f][r] = now() - start, written[0][f] += mebibytesWritten();
            check(differences(store, desired, recipients) == 0, "the churn was not applied");
            start = now(), written[1][f] = -mebibytesWritten();
            applyChurn(store, joins, leaves);  // the way back, in ascending order
            ascending[f][r] = now() - start, written[1][f] += mebibytesWritten();
            check(differences(store, recorded, recipients) == 0, "the churn was not undone");
            Store fresh = openStore(f, folder, "ledger");
            start = now(), written[2][f] = -mebibytesWritten();
            fillLedger(&fresh, audience, outcomes);
            ledger[f][r] = now() - start, written[2][f] += mebibytesWritten();
            ledgerSize[f] = closeStore(&fresh, true) / audience.count;
        }
    printf("%-34s %10s %10s %10s %10s %10s\n", "", "(a) rows", "(b) chunks", "(c) CRoar.", "b/a", "c/a");
    printRow("membership, bytes per pair", size);
    printRow("load, s", load);
    double (*timed[])[REPEATS] = {diffs, scattered, ascending, ledger};
    const char *names[] = {"diff, s", "1 % churn, scattered, s", "1 % churn, ascending, s", "ledger fill, s"};
    for (int m = 0; m < 4; m++) {
        for (int f = 0; f < FORMS; f++) result[f] = median(timed[m][f]);
        printRow(names[m], result);
        if (m) printRow("  MiB written", written[m - 1]);
    }
    printRow("ledger, bytes per recipient", ledgerSize);
    for (int f = 0; f < FORMS; f++) closeStore(&stores[f], true);
    return rmdir(folder);
}
