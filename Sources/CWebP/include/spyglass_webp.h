#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Declarations of webp/decode.h, webp/demux.h and webp/encode.h, stable since libwebp 0.5 (2015). No header of libwebp is
// needed to build.

typedef struct sg_webp_rows sg_webp_rows;            // WebPIDecoder
typedef struct sg_webp_animation sg_webp_animation;  // WebPAnimDecoder
typedef struct sg_webp_config sg_webp_config;        // WebPConfig
typedef struct sg_webp_picture sg_webp_picture;      // WebPPicture

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

/// `WebPMemoryWriter`: an encoded file.
typedef struct {
    uint8_t *_Nullable bytes;
    size_t size, capacity;
    uint32_t pad[1];
} sg_webp_file;

/// How to encode an image.
typedef struct {
    int width, height;
    bool has_alpha, is_lossless;
    /// From 1 to 100; not used if lossless.
    int quality;
    /// From 0, fast, to 6, small (`method`).
    int effort;
} sg_webp_encoding;

/// The functions of libwebp, and of libwebpdemux where it is installed. Immutable, never freed.
typedef struct {
    int (*_Nonnull GetDecoderVersion)(void);
    sg_webp_rows *_Nullable (*_Nonnull INewRGB)(int mode, uint8_t *_Nullable output, size_t size, int stride);
    int (*_Nonnull IUpdate)(sg_webp_rows *, const uint8_t *prefix, size_t size);
    uint8_t *_Nullable (*_Nonnull IDecGetRGB)(
        const sg_webp_rows *, int *last_y, int *_Nullable width, int *_Nullable height, int *_Nullable stride);
    void (*_Nonnull IDelete)(sg_webp_rows *);
    int (*_Nonnull ConfigInitInternal)(sg_webp_config *, int preset, float quality, int abi_version);
    int (*_Nonnull PictureInitInternal)(sg_webp_picture *, int abi_version);
    int (*_Nonnull PictureImportRGBX)(sg_webp_picture *, const uint8_t *, int row_bytes);
    int (*_Nonnull PictureImportRGBA)(sg_webp_picture *, const uint8_t *, int row_bytes);
    void (*_Nonnull PictureFree)(sg_webp_picture *);
    int (*_Nonnull MemoryWrite)(const uint8_t *, size_t size, const sg_webp_picture *);
    void (*_Nonnull MemoryWriterClear)(sg_webp_file *);
    int (*_Nonnull Encode)(const sg_webp_config *, sg_webp_picture *);
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

/// `WebPEncodingError`.
enum {
    SG_WEBP_ENCODED = 0, SG_WEBP_LACKS_MEMORY = 1, SG_WEBP_LACKS_MEMORY_TO_WRITE = 2, SG_WEBP_MODES_OVERFLOW = 6
};

/// Encodes straight RGBA, whose alpha counts only with `has_alpha`, on this thread (`WebPEncode`). Returns a
/// `WebPEncodingError`; `file` must be cleared in any case.
int sg_webp_encode(const sg_webp *, const sg_webp_encoding *, const uint8_t *pixels, sg_webp_file *file);

#pragma clang assume_nonnull end
