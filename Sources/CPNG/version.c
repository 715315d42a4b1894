#include "spyglass_png_version.h"

#include <png.h>

const char *sg_png_library_version(void) { return png_get_libpng_ver(NULL); }
