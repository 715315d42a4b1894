#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Declarations of jxl/decode.h and jxl/codestream_header.h, equal in libjxl 0.7 and 0.11. No header of libjxl is needed to
// build.

typedef struct sg_jxl_decoder sg_jxl_decoder;  // JxlDecoder

/// `JxlDecoderStatus`, also the events that are subscribed to.
enum {
    SG_JXL_SUCCESS = 0, SG_JXL_ERROR = 1, SG_JXL_NEED_MORE_INPUT = 2, SG_JXL_NEED_IMAGE_OUT_BUFFER = 5,
    SG_JXL_BASIC_INFO = 0x40, SG_JXL_COLOR_ENCODING = 0x100, SG_JXL_FRAME = 0x400, SG_JXL_FULL_IMAGE = 0x1000,
    SG_JXL_BOX = 0x4000,
};
/// `JxlExtraChannelType`.
enum { SG_JXL_ALPHA = 0, SG_JXL_SPOT_COLOR = 2, SG_JXL_BLACK = 4 };

/// `JxlBasicInfo`.
typedef struct {
    int has_container;
    uint32_t width, height, bits, exponent_bits;
    float intensity_target, min_nits;
    int is_relative_to_max_display;
    float linear_below;
    int uses_original_profile, has_preview, has_animation, orientation;
    uint32_t color_channels, extra_channels, alpha_bits, alpha_exponent_bits;
    int is_alpha_premultiplied;
    uint32_t preview_width, preview_height;
    /// Ticks a second as a fraction, and how often an animation is played, 0 for ever.
    uint32_t ticks_numerator, ticks_denominator, loops;
    int has_timecodes;
    uint32_t intrinsic_width, intrinsic_height;
    uint8_t padding[100];
} sg_jxl_info;

/// `JxlExtraChannelInfo`.
typedef struct {
    int type;
    uint32_t bits, exponent_bits, dim_shift, name_length;
    int is_alpha_premultiplied;
    float spot_color[4];
    uint32_t cfa_channel;
} sg_jxl_channel;

/// `JxlColorEncoding`; primaries and transfer function are numbers of ITU-T H.273, but 11 for the primaries of P3.
typedef struct {
    int color_space, white_point;
    double white_point_xy[2];
    int primaries;
    double red_xy[2], green_xy[2], blue_xy[2];
    int transfer_function;
    double gamma;
    int intent;
} sg_jxl_color;

/// `JxlFrameHeader`; the reserved bytes hold `JxlLayerInfo`.
typedef struct {
    uint32_t duration, timecode, name_length;
    int is_last;
    uint32_t layer[32];
} sg_jxl_frame;

/// `JxlPixelFormat`, and its types; an endianness of 0 is the machine's.
enum { SG_JXL_UINT8 = 2, SG_JXL_UINT16 = 3 };
typedef struct {
    uint32_t channels;
    int type, endianness;
    size_t align;
} sg_jxl_format;

/// The functions of libjxl. Immutable, never freed.
typedef struct {
    uint32_t (*_Nonnull Version)(void);
    sg_jxl_decoder *_Nullable (*_Nonnull Create)(const void *_Nullable memory_manager);
    void (*_Nonnull Destroy)(sg_jxl_decoder *);
    void (*_Nonnull Reset)(sg_jxl_decoder *);
    int (*_Nonnull SubscribeEvents)(sg_jxl_decoder *, int events);
    int (*_Nonnull SetKeepOrientation)(sg_jxl_decoder *, int);
    int (*_Nonnull SetUnpremultiplyAlpha)(sg_jxl_decoder *, int);
    int (*_Nonnull SetDecompressBoxes)(sg_jxl_decoder *, int);
    int (*_Nonnull SetInput)(sg_jxl_decoder *, const uint8_t *, size_t);
    size_t (*_Nonnull ReleaseInput)(sg_jxl_decoder *);
    void (*_Nonnull CloseInput)(sg_jxl_decoder *);
    int (*_Nonnull ProcessInput)(sg_jxl_decoder *);
    int (*_Nonnull GetBasicInfo)(const sg_jxl_decoder *, sg_jxl_info *);
    int (*_Nonnull GetExtraChannelInfo)(const sg_jxl_decoder *, size_t, sg_jxl_channel *);
    int (*_Nonnull GetFrameHeader)(const sg_jxl_decoder *, sg_jxl_frame *);
    int (*_Nonnull SetImageOutBuffer)(sg_jxl_decoder *, const sg_jxl_format *, void *, size_t);
    int (*_Nonnull FlushImage)(sg_jxl_decoder *);
    int (*_Nonnull SetBoxBuffer)(sg_jxl_decoder *, uint8_t *, size_t);
    size_t (*_Nonnull ReleaseBoxBuffer)(sg_jxl_decoder *);
    // Use `sg_jxl_profile` and `sg_jxl_colors`: their parameters differ between versions.
    void (*_Nonnull GetICCProfileSize)(void);
    void (*_Nonnull GetColorAsICCProfile)(void);
    void (*_Nonnull GetColorAsEncodedProfile)(void);
} sg_jxl;

/// Opens the library (`dlopen`) and finds its functions (`dlsym`); `NULL` if one is missing.
const sg_jxl *_Nullable sg_jxl_open(const char *name);

/// The profile of the decoded pixels (`JxlDecoderGetColorAsICCProfile`), or without `bytes` its size; false if there is none.
bool sg_jxl_profile(const sg_jxl *jxl, const sg_jxl_decoder *decoder, uint8_t *_Nullable bytes, size_t *size);

/// The colours of the decoded pixels (`JxlDecoderGetColorAsEncodedProfile`); false if only a profile tells them.
bool sg_jxl_colors(const sg_jxl *jxl, const sg_jxl_decoder *decoder, sg_jxl_color *color);

#pragma clang assume_nonnull end
