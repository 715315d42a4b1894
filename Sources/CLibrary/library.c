#include "spyglass_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

bool sg_library_find(
    const char *name, const sg_function *functions, size_t count, void *table, char *message, size_t message_size) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        if (message) snprintf(message, message_size, "%s", reason ? reason : name);
        return false;
    }
    for (const sg_function *function = functions; function < functions + count; function++) {
        void *address = dlsym(library, function->name);
        if (!address && !function->is_optional) {
            if (message) snprintf(message, message_size, "%s has no %s", name, function->name);
            dlclose(library);
            return false;
        }
        // POSIX allows converting the result of dlsym to a function pointer.
        *(void **)((char *)table + function->offset) = address;
    }
    return true;
}

void *sg_library_open(
    const char *name, const sg_function *functions, size_t count, size_t size, char *message, size_t message_size) {
    void *table = calloc(1, size);
    if (table && sg_library_find(name, functions, count, table, message, message_size)) return table;
    if (!table && message) snprintf(message, message_size, "out of memory");
    free(table);
    return NULL;
}
