#include "spyglass_jxl.h"

#include <spyglass_library.h>

#define FUNCTION(member) SG_FUNCTION(sg_jxl, "JxlDecoder", member)
static const sg_function functions[] = {
    FUNCTION(Version), FUNCTION(Create), FUNCTION(Destroy), FUNCTION(Reset), FUNCTION(SubscribeEvents),
    FUNCTION(SetKeepOrientation), FUNCTION(SetUnpremultiplyAlpha), FUNCTION(SetDecompressBoxes), FUNCTION(SetInput),
    FUNCTION(ReleaseInput), FUNCTION(CloseInput), FUNCTION(ProcessInput), FUNCTION(GetBasicInfo),
    FUNCTION(GetExtraChannelInfo), FUNCTION(GetFrameHeader), FUNCTION(SetImageOutBuffer), FUNCTION(FlushImage),
    FUNCTION(SetBoxBuffer), FUNCTION(ReleaseBoxBuffer), FUNCTION(GetICCProfileSize), FUNCTION(GetColorAsICCProfile),
    FUNCTION(GetColorAsEncodedProfile),
};

const sg_jxl *sg_jxl_open(const char *name) {
    return sg_library_open(name, functions, SG_COUNT(functions), sizeof(sg_jxl), NULL, 0);
}

enum { SUCCESS = 0, OF_PIXELS = 1, VERSION_0_9 = 9000 };

bool sg_jxl_profile(const sg_jxl *jxl, const sg_jxl_decoder *decoder, uint8_t *bytes, size_t *size) {
    // Before 0.9 the second parameter is a pixel format, which is not used.
    if (jxl->Version() < VERSION_0_9) {
        typedef int (*size_function)(const sg_jxl_decoder *, const void *, int, size_t *);
        typedef int (*copy_function)(const sg_jxl_decoder *, const void *, int, uint8_t *, size_t);
        return bytes ? ((copy_function)jxl->GetColorAsICCProfile)(decoder, NULL, OF_PIXELS, bytes, *size) == SUCCESS
                     : ((size_function)jxl->GetICCProfileSize)(decoder, NULL, OF_PIXELS, size) == SUCCESS;
    }
    typedef int (*size_function)(const sg_jxl_decoder *, int, size_t *);
    typedef int (*copy_function)(const sg_jxl_decoder *, int, uint8_t *, size_t);
    return bytes ? ((copy_function)jxl->GetColorAsICCProfile)(decoder, OF_PIXELS, bytes, *size) == SUCCESS
                 : ((size_function)jxl->GetICCProfileSize)(decoder, OF_PIXELS, size) == SUCCESS;
}

bool sg_jxl_colors(const sg_jxl *jxl, const sg_jxl_decoder *decoder, sg_jxl_color *color) {
    if (jxl->Version() < VERSION_0_9) {
        typedef int (*function)(const sg_jxl_decoder *, const void *, int, sg_jxl_color *);
        return ((function)jxl->GetColorAsEncodedProfile)(decoder, NULL, OF_PIXELS, color) == SUCCESS;
    }
    typedef int (*function)(const sg_jxl_decoder *, int, sg_jxl_color *);
    return ((function)jxl->GetColorAsEncodedProfile)(decoder, OF_PIXELS, color) == SUCCESS;
}
