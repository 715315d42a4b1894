#include "spyglass_lcms.h"

#include <spyglass_library.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: Declarations of lcms2.h and lcms2_plugin.h

typedef struct cms_context *context_handle;
typedef void *profile_handle;
typedef void *transform_handle;
typedef void (*log_handler)(context_handle, uint32_t code, const char *text);

enum { INTENT_PERCEPTUAL = 0, INTENT_RELATIVE_COLORIMETRIC = 1 };
// Without FLAG_NOCACHE threads would share the cache of one pixel.
enum { FLAG_NOCACHE = 0x0040, FLAG_BLACKPOINTCOMPENSATION = 0x2000 };

// COLORSPACE_SH, FLAVOR_SH, EXTRA_SH, CHANNELS_SH and BYTES_SH, of one byte a channel.
#define FORMAT(space, channels, extra, flavor) ((uint32_t)((space) << 16 | (flavor) << 13 | (extra) << 7 | (channels) << 3 | 1))
enum { PT_GRAY = 3, PT_RGB = 4, PT_CMYK = 6 };

typedef struct plugin {
    uint32_t magic, expected_version, type;
    struct plugin *next;
} plugin;

typedef struct {
    plugin base;
    void *(*allocate)(context_handle, uint32_t);
    void (*release)(context_handle, void *);
    void *(*reallocate)(context_handle, void *, uint32_t);
    // Optional: the library derives these from the others.
    void *(*allocate_zeroed)(context_handle, uint32_t);
    void *(*allocate_array)(context_handle, uint32_t, uint32_t);
    void *(*duplicate)(context_handle, const void *, uint32_t);
} memory_plugin;

// 'acpp' and 'memH'
enum { PLUGIN_MAGIC = 0x61637070, PLUGIN_MEMORY = 0x6D656D48, PLUGIN_VERSION = 2000 };

struct sg_lcms {
    context_handle (*CreateContext)(void *plugin, void *user_data);
    void (*DeleteContext)(context_handle);
    void (*SetLogErrorHandlerTHR)(context_handle, log_handler);
    profile_handle (*OpenProfileFromMemTHR)(context_handle, const void *, uint32_t);
    profile_handle (*Create_sRGBProfileTHR)(context_handle);
    int (*CloseProfile)(profile_handle);
    transform_handle (*CreateTransformTHR)(
        context_handle, profile_handle, uint32_t, profile_handle, uint32_t, uint32_t intent, uint32_t flags);
    void (*DeleteTransform)(transform_handle);
    void (*DoTransform)(transform_handle, const void *, void *, uint32_t);
    int (*GetEncodedCMMversion)(void);
};

struct sg_transform {
    context_handle context;
    transform_handle handle;
};

// MARK: The library

#define FUNCTION(member) SG_FUNCTION(sg_lcms, "cms", member)
#define OPTIONAL(member) SG_OPTIONAL(sg_lcms, "cms", member)
static const sg_function functions[] = {
    FUNCTION(CreateContext), FUNCTION(DeleteContext), FUNCTION(SetLogErrorHandlerTHR),
    FUNCTION(OpenProfileFromMemTHR), FUNCTION(Create_sRGBProfileTHR), FUNCTION(CloseProfile),
    FUNCTION(CreateTransformTHR), FUNCTION(DeleteTransform), FUNCTION(DoTransform), OPTIONAL(GetEncodedCMMversion),
};

const sg_lcms *sg_lcms_open(const char *name, char *message, size_t message_size) {
    return sg_library_open(name, functions, SG_COUNT(functions), sizeof(sg_lcms), message, message_size);
}

int sg_lcms_version(const sg_lcms *lcms) { return lcms->GetEncodedCMMversion ? lcms->GetEncodedCMMversion() : 0; }

// MARK: Memory

// A table of 100 bytes may declare a grid of 512 MiB, which the library clears first. Limits one allocation while this thread
// makes a transform; 0 is unlimited.
static _Thread_local size_t max_allocation;

static void *allocate(context_handle context, uint32_t size) {
    (void)context;
    return max_allocation > 0 && size > max_allocation ? NULL : malloc(size);
}

static void *reallocate(context_handle context, void *memory, uint32_t size) {
    (void)context;
    return max_allocation > 0 && size > max_allocation ? NULL : realloc(memory, size);
}

static void release(context_handle context, void *memory) {
    (void)context;
    free(memory);
}

// MARK: Transforms

// Receives the messages of the transform that this thread makes. The first one is the cause of the others.
static _Thread_local struct {
    char *message;
    size_t size;
    bool is_written;
} under_way;

static void on_error(context_handle context, uint32_t code, const char *text) {
    (void)context, (void)code;
    if (!under_way.message || under_way.is_written) return;
    snprintf(under_way.message, under_way.size, "%s", text);
    under_way.is_written = true;
}

static uint32_t input_format(sg_colors colors) {
    switch (colors) {
        case SG_COLORS_RGBA: return FORMAT(PT_RGB, 3, 1, 0);
        case SG_COLORS_GRAY_RGBA: return FORMAT(PT_GRAY, 1, 3, 0);
        case SG_COLORS_CMYK: return FORMAT(PT_CMYK, 4, 0, 0);
        case SG_COLORS_CMYK_INVERTED: return FORMAT(PT_CMYK, 4, 0, 1);
    }
    return 0;
}

static uint32_t output_format(sg_colors colors) {
    bool is_opaque = colors == SG_COLORS_CMYK || colors == SG_COLORS_CMYK_INVERTED;
    return FORMAT(PT_RGB, 3, is_opaque ? 0 : 1, 0);
}

static bool make(
    const sg_lcms *lcms, sg_transform *transform, const void *profile, uint32_t count, sg_colors colors,
    bool is_perceptual) {
    profile_handle from = lcms->OpenProfileFromMemTHR(transform->context, profile, count);
    if (!from) return false;
    profile_handle to = lcms->Create_sRGBProfileTHR(transform->context);
    if (to) {
        transform->handle = lcms->CreateTransformTHR(
            transform->context, from, input_format(colors), to, output_format(colors),
            is_perceptual ? INTENT_PERCEPTUAL : INTENT_RELATIVE_COLORIMETRIC,
            FLAG_NOCACHE | FLAG_BLACKPOINTCOMPENSATION);
        lcms->CloseProfile(to);
    }
    lcms->CloseProfile(from);
    return transform->handle != NULL;
}

sg_transform *sg_transform_create(
    const sg_lcms *lcms, const void *profile, size_t count, sg_colors colors, bool is_perceptual, size_t most,
    char *message, size_t message_size) {
    static memory_plugin memory = {
        .base = {.magic = PLUGIN_MAGIC, .expected_version = PLUGIN_VERSION, .type = PLUGIN_MEMORY},
        .allocate = allocate, .release = release, .reallocate = reallocate,
    };
    snprintf(message, message_size, "no reason given");
    sg_transform *transform = count <= UINT32_MAX ? calloc(1, sizeof *transform) : NULL;
    if (transform) transform->context = lcms->CreateContext(&memory, NULL);
    if (!transform || !transform->context) {
        free(transform);
        return NULL;
    }
    lcms->SetLogErrorHandlerTHR(transform->context, on_error);
    max_allocation = most;
    under_way.message = message;
    under_way.size = message_size;
    under_way.is_written = false;
    bool is_made = make(lcms, transform, profile, (uint32_t)count, colors, is_perceptual);
    under_way.message = NULL;
    max_allocation = 0;
    if (is_made) return transform;
    sg_transform_destroy(lcms, transform);
    return NULL;
}

void sg_transform_destroy(const sg_lcms *lcms, sg_transform *transform) {
    if (transform->handle) lcms->DeleteTransform(transform->handle);
    lcms->DeleteContext(transform->context);
    free(transform);
}

void sg_transform_apply(const sg_lcms *lcms, const sg_transform *transform, const void *from, void *to, size_t pixels) {
    lcms->DoTransform(transform->handle, from, to, (uint32_t)pixels);
}
