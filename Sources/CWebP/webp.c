#include "spyglass_webp.h"

#include <spyglass_library.h>
#include <string.h>

#define FUNCTION(member) SG_FUNCTION(sg_webp, "WebP", member)
static const sg_function functions[] = {
    FUNCTION(GetDecoderVersion), FUNCTION(INewRGB), FUNCTION(IUpdate), FUNCTION(IDecGetRGB), FUNCTION(IDelete),
    FUNCTION(ConfigInitInternal), FUNCTION(PictureInitInternal), FUNCTION(PictureImportRGBX),
    FUNCTION(PictureImportRGBA), FUNCTION(PictureFree), FUNCTION(MemoryWrite), FUNCTION(MemoryWriterClear),
    FUNCTION(Encode),
};
static const sg_function animation_functions[] = {
    FUNCTION(GetDemuxVersion), FUNCTION(AnimDecoderGetInfo), FUNCTION(AnimDecoderGetNext),
    FUNCTION(AnimDecoderHasMoreFrames), FUNCTION(AnimDecoderReset), FUNCTION(AnimDecoderDelete),
    FUNCTION(AnimDecoderNewInternal),
};

const sg_webp *sg_webp_open(const char *name, const char *demux_name) {
    sg_webp *webp = sg_library_open(name, functions, SG_COUNT(functions), sizeof *webp, NULL, 0);
    if (!webp) return NULL;
    if (!sg_library_find(demux_name, animation_functions, SG_COUNT(animation_functions), webp, NULL, 0))
        webp->AnimDecoderNewInternal = NULL;
    return webp;
}

// MARK: Encoding

struct sg_webp_config {
    int is_lossless;
    float quality;
    int method, hint, target_size;
    float target_psnr;
    int segments, sns_strength, filter_strength, filter_sharpness, filter_type, autofilter;
    int alpha_compression, alpha_filtering, alpha_quality;
    int passes, show_compressed, preprocessing, partitions, partition_limit, emulate_jpeg_size;
    int thread_level, low_memory, near_lossless, exact, use_delta_palette, use_sharp_yuv, qmin, qmax;
};

struct sg_webp_picture {
    int use_argb, colorspace, width, height;
    uint8_t *y, *u, *v;
    int y_stride, uv_stride;
    uint8_t *a;
    int a_stride;
    uint32_t pad1[2];
    uint32_t *argb;
    int argb_stride;
    uint32_t pad2[3];
    int (*writer)(const uint8_t *, size_t, const sg_webp_picture *);
    void *writer_context;
    int extra_info_type;
    uint8_t *extra_info;
    void *stats;
    int error;
    void *progress_hook, *user_data;
    uint32_t pad3[3];
    uint8_t *pad4, *pad5;
    uint32_t pad6[8];
    void *memory, *argb_memory, *pad7[2];
};

enum { ENCODER_ABI = 0x020f, PRESET_DEFAULT = 0 };
// Time spent on a lossless file, of 100 (cwebp's default).
static const float LOSSLESS_QUALITY = 75;

static int encode(
    const sg_webp *webp, const sg_webp_encoding *encoding, const uint8_t *pixels, int partition_limit,
    sg_webp_file *file) {
    sg_webp_config config;
    sg_webp_picture picture;
    const float quality = encoding->is_lossless ? LOSSLESS_QUALITY : encoding->quality;
    if (!webp->ConfigInitInternal(&config, PRESET_DEFAULT, quality, ENCODER_ABI)) return SG_WEBP_LACKS_MEMORY;
    if (!webp->PictureInitInternal(&picture, ENCODER_ABI)) return SG_WEBP_LACKS_MEMORY;
    config.is_lossless = picture.use_argb = encoding->is_lossless;
    config.method = encoding->effort;
    config.partition_limit = partition_limit;
    picture.width = encoding->width;
    picture.height = encoding->height;
    picture.writer = webp->MemoryWrite;
    picture.writer_context = file;
    const int row_bytes = 4 * encoding->width;
    const bool is_encoded = (encoding->has_alpha ? webp->PictureImportRGBA : webp->PictureImportRGBX)(
                                &picture, pixels, row_bytes) && webp->Encode(&config, &picture);
    const int error = picture.error;
    webp->PictureFree(&picture);
    if (is_encoded) return SG_WEBP_ENCODED;
    return error == SG_WEBP_ENCODED ? SG_WEBP_LACKS_MEMORY : error;
}

int sg_webp_encode(
    const sg_webp *webp, const sg_webp_encoding *encoding, const uint8_t *pixels, sg_webp_file *file) {
    memset(file, 0, sizeof *file);
    const int error = encode(webp, encoding, pixels, 0, file);
    if (error != SG_WEBP_MODES_OVERFLOW) return error;
    // Modes that cost fewer bits fit into the 512 KiB that the format has for them.
    webp->MemoryWriterClear(file);
    return encode(webp, encoding, pixels, 100, file);
}
