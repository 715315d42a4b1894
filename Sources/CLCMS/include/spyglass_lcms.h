#ifndef SPYGLASS_LCMS_H
#define SPYGLASS_LCMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Little CMS's functions, found in the library that was opened. Never changed once made, never freed.
///
/// Its header is not needed: the few prototypes and constants that are used stand in lcms.c, and lcms2 keeps them stable
/// since 2.0 (2009).
typedef struct sg_lcms sg_lcms;
/// A way from the colours of a profile to sRGB. Any number of threads may use one.
typedef struct sg_transform sg_transform;

/// Opens the library of that name (`dlopen`) and finds what is needed in it (`dlsym`), or returns `NULL` with the reason in
/// `message`.
const sg_lcms *_Nullable sg_lcms_open(const char *name, char *message, size_t message_size);
/// `cmsGetEncodedCMMversion`: 2140 is 2.14; 0 of a library before 2.8, which does not tell.
int sg_lcms_version(const sg_lcms *lcms);

/// What the bytes of a pixel are, eight bits a channel; the alpha of a pixel is left as it is.
typedef enum {
    SG_COLORS_RGBA,           // red, green, blue, alpha to the same in sRGB
    SG_COLORS_GRAY_RGBA,      // grey, two bytes that are not looked at, alpha to RGBA
    SG_COLORS_CMYK,           // four inks, 255 all of it, to RGB
    SG_COLORS_CMYK_INVERTED,  // four inks, 0 all of it, to RGB
} sg_colors;

/// Makes a transform (`cmsCreateTransformTHR`, black point compensation, 8 bits), or returns `NULL` with the library's words
/// in `message`. `profile` is not needed afterwards. No single allocation for it is above `max_allocation` bytes.
sg_transform *_Nullable sg_transform_create(
    const sg_lcms *lcms, const void *profile, size_t count, sg_colors colors, bool is_perceptual, size_t max_allocation,
    char *message, size_t message_size);
void sg_transform_destroy(const sg_lcms *lcms, sg_transform *transform);
/// `cmsDoTransform`; `to` may be `from` where both have four bytes a pixel. Fewer than 2^32 of them.
void sg_transform_apply(const sg_lcms *lcms, const sg_transform *transform, const void *from, void *to, size_t pixels);

#pragma clang assume_nonnull end

#endif
