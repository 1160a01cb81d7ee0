#include <dlfcn.h>
#include <unistd.h>

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

static const char *place(void) {
#ifdef __APPLE__
    // Where Homebrew puts it. Never a name alone: macOS would look for that in the working directory, too.
    const char *arm = "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", *intel = "/usr/local/opt/libpq/lib/libpq.5.dylib";
    return access(arm, F_OK) == 0 ? arm : intel;
#else
    return "libpq.so.5";
#endif
}

const char *libpq_load(void) {
    static void *handle;
    if (handle) return NULL;
    handle = dlopen(place(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return dlerror();
#define LOOK_UP(type, name, parameters, arguments) \
    if (!(library.name = (type(*) parameters)dlsym(handle, #name))) { \
        dlclose(handle); \
        handle = NULL; \
        return "it has no " #name ", so it is older than version 14"; \
    }
    LIBPQ_FUNCTIONS(LOOK_UP)
    return NULL;
}
