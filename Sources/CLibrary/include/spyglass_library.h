#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A function of a library, and the offset of its pointer in a table.
typedef struct {
    const char *name;
    size_t offset;
    bool is_optional;
} sg_function;

/// The function `prefix` followed by the member's name.
#define SG_FUNCTION(table, prefix, member) {prefix #member, offsetof(table, member), false}
/// A function that older libraries lack; its pointer is then NULL.
#define SG_OPTIONAL(table, prefix, member) {prefix #member, offsetof(table, member), true}
#define SG_COUNT(functions) (sizeof functions / sizeof *functions)

/// Opens a library (`dlopen`) and finds its functions (`dlsym`), or returns false with the reason in `message`. The library
/// stays open if all functions are found.
bool sg_library_find(
    const char *name, const sg_function *functions, size_t count, void *table, char *_Nullable message, size_t message_size);
/// Opens a library into a new table of `size` bytes, which is never freed; returns NULL instead of false.
void *_Nullable sg_library_open(
    const char *name, const sg_function *functions, size_t count, size_t size, char *_Nullable message,
    size_t message_size);

#pragma clang assume_nonnull end
