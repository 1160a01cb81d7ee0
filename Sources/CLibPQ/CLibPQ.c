#include <dlfcn.h>

// Hidden, so that libpq, which calls some of its own functions by these names, does not meet these.
#pragma GCC visibility push(hidden)
#include "CLibPQ.h"

#define MEMBER(type, name, parameters, arguments) type(*name) parameters;
static struct {
    LIBPQ_FUNCTIONS(MEMBER)
} library;

#define FORWARD(type, name, parameters, arguments) \
    type name parameters { return library.name arguments; }
LIBPQ_FUNCTIONS(FORWARD)

#ifdef __APPLE__
// Homebrew puts libpq where the system does not look.
static const char *const places[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const places[] = {"libpq.so.5"};
#endif

const char *libpq_load(void) {
    static void *handle;
    if (handle) return NULL;
    for (size_t place = 0; !handle && place < sizeof places / sizeof *places; place++)
        handle = dlopen(places[place], RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        const char *problem = dlerror();
        return problem ? problem : places[0];
    }
#define LOOK_UP(type, name, parameters, arguments) \
    if (!(library.name = (type(*) parameters)dlsym(handle, #name))) { \
        dlclose(handle); \
        handle = NULL; \
        return "it has no " #name ", so it is older than version 14"; \
    }
    LIBPQ_FUNCTIONS(LOOK_UP)
    return NULL;
}
