#include "spyglass_webp.h"

#include <spyglass_library.h>
#include <sys/mman.h>

enum { DONT_UNMAP = 4 };  // MREMAP_DONTUNMAP, which older headers lack

#define FUNCTION(member) SG_FUNCTION(sg_webp, "WebP", member)
static const sg_function functions[] = {
    FUNCTION(GetDecoderVersion), FUNCTION(INewRGB), FUNCTION(IUpdate), FUNCTION(IDecGetRGB), FUNCTION(IDelete),
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

bool sg_webp_move_pages(void *from, size_t size, void *to) {
    return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | DONT_UNMAP, to) != MAP_FAILED;
}
