#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The functions of Little CMS, found in the opened library. Immutable, never freed.
///
/// Needs no header: lcms.c has the few prototypes and constants, which lcms2 keeps stable since 2.0 (2009).
typedef struct sg_lcms sg_lcms;
/// A conversion from a profile to sRGB. Any number of threads may use one.
typedef struct sg_transform sg_transform;

/// Opens the library (`dlopen`) and finds its functions (`dlsym`), or returns `NULL` with the reason in `message`.
const sg_lcms *_Nullable sg_lcms_open(const char *name, char *message, size_t message_size);
/// `cmsGetEncodedCMMversion`: 2140 is 2.14; 0 before 2.8, which does not report it.
int sg_lcms_version(const sg_lcms *lcms);

/// Channels of a pixel, eight bits each. Alpha stays unchanged.
typedef enum {
    SG_COLORS_RGBA,           // RGBA to RGBA in sRGB
    SG_COLORS_GRAY_RGBA,      // grey, two ignored bytes, alpha; to RGBA
    SG_COLORS_CMYK,           // CMYK, 255 is full ink; to RGB
    SG_COLORS_CMYK_INVERTED,  // CMYK, 0 is full ink; to RGB
} sg_colors;

/// Makes a transform (`cmsCreateTransformTHR`, black point compensation, 8 bits), or returns `NULL` with the library's message
/// in `message`. `profile` may be freed afterwards. Limits each allocation to `max_allocation` bytes.
sg_transform *_Nullable sg_transform_create(
    const sg_lcms *lcms, const void *profile, size_t count, sg_colors colors, bool is_perceptual, size_t max_allocation,
    char *message, size_t message_size);
void sg_transform_destroy(const sg_lcms *lcms, sg_transform *transform);
/// `cmsDoTransform` of fewer than 2^32 pixels; `to` may be `from` where both have four bytes a pixel.
void sg_transform_apply(const sg_lcms *lcms, const sg_transform *transform, const void *from, void *to, size_t pixels);

#pragma clang assume_nonnull end
