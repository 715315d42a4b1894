#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The functions of libavif, found in the opened library. Immutable, never freed.
///
/// Needs no header: avif.c has the members that are used, in the layout of libavif.so.15 (0.11).
typedef struct sg_avif sg_avif;
/// A decoded image in the library's planes.
typedef struct sg_avif_image sg_avif_image;

/// Opens the library (`dlopen`) and finds its functions (`dlsym`); `NULL` if one is missing, or no AV1 decoder is built in.
const sg_avif *_Nullable sg_avif_open(const char *name);
/// `avifVersion`.
const char *sg_avif_version(const sg_avif *avif);

/// Decodes the primary image, or the first frame of a sequence, on this thread, as stored, without its transformations
/// (`avifDecoderNextImage`).
///
/// `size` bytes at `bytes` must stay until the image is destroyed. Larger images than stated are refused before they are
/// allocated. Returns `NULL` with the library's message in `message`.
sg_avif_image *_Nullable sg_avif_decode(
    const sg_avif *avif, const void *bytes, size_t size, uint32_t max_pixels, bool is_sequence, char *message,
    size_t message_size);
void sg_avif_image_destroy(sg_avif_image *image);
uint32_t sg_avif_width(const sg_avif_image *image);
uint32_t sg_avif_height(const sg_avif_image *image);

/// Converts `count` rows from `y` on, which is even, to straight RGB or RGBA of 8 or 16 bits a channel (`avifImageYUVToRGB`).
/// `pixels` has room for them. Chroma of 4:2:0 and 4:2:2 is repeated, so rows do not depend on others.
bool sg_avif_convert(
    const sg_avif_image *image, uint32_t y, uint32_t count, bool has_alpha, bool is_deep, uint8_t *pixels);

/// `avifRWData`.
typedef struct {
    uint8_t *_Nullable bytes;
    size_t size;
} sg_avif_bytes;

/// How to encode an image.
typedef struct {
    uint32_t width, height;
    /// 4:4:4 instead of 4:2:0.
    bool has_alpha, has_full_chroma;
    /// Whether repeated blocks are searched for (intra block copy), which saves most bytes of screenshots.
    bool finds_repeats;
    /// From 0, best, to 63.
    int quantizer;
    /// From 0, slow, to 10.
    int speed;
    /// Stored beside the pixels, which are sRGB without a profile; empty for nothing. Only read.
    sg_avif_bytes profile, exif, xmp;
} sg_avif_encoding;

/// Whether libaom, the one encoder that runs on this thread alone, is built in.
bool sg_avif_can_encode(const sg_avif *avif);
/// Encodes straight RGBA, whose alpha counts only with `has_alpha` and is then lossless (`avifEncoderWrite`).
/// Returns false with the library's message in `message`. `file` must be freed in any case.
bool sg_avif_encode(
    const sg_avif *avif, const sg_avif_encoding *encoding, const uint8_t *pixels, sg_avif_bytes *file, char *message,
    size_t message_size);
void sg_avif_free(const sg_avif *avif, sg_avif_bytes *file);

#pragma clang assume_nonnull end
