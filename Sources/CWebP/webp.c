#include "spyglass_webp.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

// POSIX allows converting the result of dlsym to a function pointer.
#define FIND(library, member) (*(void **)&webp->member = dlsym(library, "WebP" #member))

static bool find_rows(sg_webp *webp, void *library) {
    return FIND(library, GetDecoderVersion) && FIND(library, INewRGB) && FIND(library, IUpdate)
        && FIND(library, IDecGetRGB) && FIND(library, IDelete);
}

static bool find_animation(sg_webp *webp, void *library) {
    return FIND(library, GetDemuxVersion) && FIND(library, AnimDecoderGetInfo) && FIND(library, AnimDecoderGetNext)
        && FIND(library, AnimDecoderHasMoreFrames) && FIND(library, AnimDecoderReset)
        && FIND(library, AnimDecoderDelete) && FIND(library, AnimDecoderNewInternal);
}

const sg_webp *sg_webp_open(const char *name, const char *demux_name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    sg_webp *webp = calloc(1, sizeof *webp);
    if (!webp || !find_rows(webp, library)) {
        free(webp);
        dlclose(library);
        return NULL;
    }
    void *demux = dlopen(demux_name, RTLD_NOW | RTLD_LOCAL);
    // The last function that is looked for tells whether all are there.
    if (demux && !find_animation(webp, demux)) webp->AnimDecoderNewInternal = NULL;
    return webp;
}

bool sg_webp_move_pages(void *from, size_t size, void *to) {
    return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to) != MAP_FAILED;
}
