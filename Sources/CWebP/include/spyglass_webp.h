#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Declarations of webp/decode.h and webp/demux.h, stable since libwebp 0.5 (2015). No header of libwebp is needed to build.

typedef struct sg_webp_rows sg_webp_rows;            // WebPIDecoder
typedef struct sg_webp_animation sg_webp_animation;  // WebPAnimDecoder

/// `WEBP_CSP_MODE`: straight alpha.
enum { SG_WEBP_RGB = 0, SG_WEBP_RGBA = 1 };
/// `VP8StatusCode`.
enum { SG_WEBP_OK = 0, SG_WEBP_OUT_OF_MEMORY = 1, SG_WEBP_SUSPENDED = 5 };

/// `WebPData`.
typedef struct {
    const uint8_t *bytes;
    size_t size;
} sg_webp_data;

/// `WebPAnimInfo`.
typedef struct {
    uint32_t canvas_width, canvas_height, loop_count, bgcolor, frame_count, pad[4];
} sg_webp_animation_info;

/// `WebPAnimDecoderOptions`.
typedef struct {
    int color_mode, use_threads;
    uint32_t padding[7];
} sg_webp_animation_options;

/// The functions of libwebp, and of libwebpdemux where it is installed. Immutable, never freed.
typedef struct {
    int (*_Nonnull GetDecoderVersion)(void);
    sg_webp_rows *_Nullable (*_Nonnull INewRGB)(int mode, uint8_t *_Nullable output, size_t size, int stride);
    int (*_Nonnull IUpdate)(sg_webp_rows *, const uint8_t *prefix, size_t size);
    uint8_t *_Nullable (*_Nonnull IDecGetRGB)(
        const sg_webp_rows *, int *last_y, int *_Nullable width, int *_Nullable height, int *_Nullable stride);
    void (*_Nonnull IDelete)(sg_webp_rows *);
    /// `NULL` without libwebpdemux, like those below. The number is `WEBP_DEMUX_ABI_VERSION`.
    sg_webp_animation *_Nullable (*_Nullable AnimDecoderNewInternal)(
        const sg_webp_data *, const sg_webp_animation_options *, int abi_version);
    int (*_Nullable GetDemuxVersion)(void);
    int (*_Nullable AnimDecoderGetInfo)(const sg_webp_animation *, sg_webp_animation_info *);
    int (*_Nullable AnimDecoderGetNext)(sg_webp_animation *, uint8_t *_Nullable *_Nonnull canvas, int *timestamp);
    int (*_Nullable AnimDecoderHasMoreFrames)(const sg_webp_animation *);
    void (*_Nullable AnimDecoderReset)(sg_webp_animation *);
    void (*_Nullable AnimDecoderDelete)(sg_webp_animation *);
} sg_webp;

/// Opens the libraries (`dlopen`) and finds their functions (`dlsym`); `NULL` if one of libwebp is missing.
const sg_webp *_Nullable sg_webp_open(const char *name, const char *demux_name);

/// Moves whole pages to other pages of the same block, without a copy (`mremap` with `MREMAP_DONTUNMAP`, Linux 5.7), which
/// empties the old ones; false where the system refuses.
bool sg_webp_move_pages(void *from, size_t size, void *to);

#pragma clang assume_nonnull end
