#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The functions of libheif, found in the opened library. Immutable, never freed.
///
/// Needs no header: heif.c has the few prototypes and constants, which libheif keeps stable since 1.10 (2021).
typedef struct sg_heif sg_heif;
/// A decoded image.
typedef struct sg_heif_image sg_heif_image;

/// Opens the library (`dlopen`), finds its functions (`dlsym`) and loads its plugins (`heif_init`); `NULL` if one is missing.
const sg_heif *_Nullable sg_heif_open(const char *name);
/// `heif_get_version`.
const char *sg_heif_version(const sg_heif *heif);
/// Decodes the primary image as stored, without its transformations (`heif_decode_image`), to 8 bits a channel, or if `is_deep`
/// to as many as it has.
///
/// `size` bytes at `bytes` must stay until the end of the call. Returns `NULL` with the library's message in `message`.
sg_heif_image *_Nullable sg_heif_decode(
    const sg_heif *heif, const void *bytes, size_t size, int max_side, bool has_alpha, bool is_deep,
    char *message, size_t message_size);
void sg_heif_image_destroy(sg_heif_image *image);
/// Bits a channel; above 8, samples have two bytes, the lower one first.
int sg_heif_bits(const sg_heif_image *image);
/// RGB or RGBA; `stride` bytes from one row to the next.
const uint8_t *_Nullable sg_heif_pixels(const sg_heif_image *image, int *width, int *height, int *stride);
bool sg_heif_is_premultiplied(const sg_heif_image *image);

#pragma clang assume_nonnull end
