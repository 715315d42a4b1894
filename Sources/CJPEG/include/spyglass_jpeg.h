#ifndef SPYGLASS_JPEG_H
#define SPYGLASS_JPEG_H
#endif
