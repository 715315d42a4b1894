#ifndef SPYGLASS_PNG_H
#define SPYGLASS_PNG_H
#endif
