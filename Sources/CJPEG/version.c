#include "spyglass_jpeg_version.h"

#include <stdio.h>

#include <jpeglib.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *sg_jpeg_library_version(void) {
#ifdef LIBJPEG_TURBO_VERSION
  return TEXT(LIBJPEG_TURBO_VERSION);
#else
  return "unknown";
#endif
}
